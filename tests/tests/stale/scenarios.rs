//! The scenarios: what is there before the first build, what changes after it, and which steps the change may run.

use crate::world::{
    Change::{self, *},
    Spoilt,
};

pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) before: Vec<Change>,
    pub(crate) change: Vec<Change>,
    /// Steps that run after the change; `None` where that is another matter.
    pub(crate) runs: Option<&'static str>,
    /// Only the second build after the change is held to a clean one: the first met files that changed under it.
    pub(crate) twice: bool,
    /// The source is preprocessed in each build.
    pub(crate) never_settles: bool,
}

const ALL: &str = "gcc cicc ptxas";
const INNER: &str = "package/kernels/inner.cuh";
const A: &str = "package/kernels/a.cu";
const LIB: &str = "package/second/lib.h";
const APPEND: &str = "NVCC_APPEND_FLAGS";

fn scenario(name: &'static str, change: Vec<Change>, runs: &'static str) -> Scenario {
    Scenario {
        name,
        before: Vec::new(),
        change,
        runs: Some(runs),
        twice: false,
        never_settles: false,
    }
}

impl Scenario {
    fn after(mut self, before: Vec<Change>) -> Self {
        self.before = before;
        self
    }

    fn twice(mut self) -> Self {
        (self.twice, self.runs) = (true, None);
        self
    }

    fn never_settles(mut self) -> Self {
        self.never_settles = true;
        self
    }
}

pub(crate) fn all() -> Vec<Scenario> {
    let mut all = contents();
    all.extend(searched());
    all.extend(asked());
    all.extend(options());
    all.extend(tools());
    all.extend(results());
    all.extend(meanwhile());
    all
}

/// Files that are edited, replaced, or touched.
fn contents() -> Vec<Scenario> {
    vec![
        scenario("nothing", vec![], ""),
        scenario("touched source", vec![Touch(A)], ""),
        scenario("touched header", vec![Touch(INNER)], ""),
        scenario(
            "edited source",
            vec![Write("package/kernels/b.cu", "kernel c\n")],
            ALL,
        ),
        scenario(
            "edited header",
            vec![Write(INNER, "#define INNER 2\n")],
            ALL,
        ),
        scenario(
            "comment in header",
            vec![Write(INNER, "// why\n#define INNER 1\n")],
            "gcc",
        ),
        scenario(
            "comment before a kernel",
            vec![Write(
                "package/kernels/b.cu",
                "\n\n// why\nkernel b __CUDA_ARCH__\n",
            )],
            "gcc",
        ),
        scenario(
            "unused macro",
            vec![Write(INNER, "#define INNER 1\n#define UNUSED 2\n")],
            "gcc",
        ),
        scenario(
            "line number, of another file",
            vec![Write(INNER, "\n#define INNER __LINE__\n")],
            "gcc",
        )
        .after(vec![
            Write(INNER, "#define INNER __LINE__\n"),
            Write(A, "#include \"common.cuh\"\n\nkernel VALUE\n"),
        ]),
        scenario(
            "comment, with the number of its line in the text",
            vec![Write(
                A,
                "// one\n#include \"common.cuh\"\nkernel __LINE__\n",
            )],
            ALL,
        )
        .after(vec![Write(A, "#include \"common.cuh\"\nkernel __LINE__\n")]),
        scenario(
            "comment where lines are asked of the compiler",
            vec![Write(A, "// one\nkernel __builtin_LINE()\n")],
            "gcc cicc",
        )
        .after(vec![Write(A, "kernel __builtin_LINE()\n")]),
        scenario(
            "comment with line information",
            vec![
                Write(INNER, "// why\n#define INNER 1\n"),
                Write(A, "// one\nkernel\n"),
            ],
            ALL,
        )
        .after(vec![Flags(&["-lineinfo"])]),
        scenario(
            "raw string",
            vec![Write(A, "kernel R\"(\n\n\n)\"\n")],
            "gcc cicc",
        )
        .after(vec![Write(A, "kernel R\"(\n\n)\"\n")]),
        scenario(
            "older source",
            vec![Older("package/kernels/b.cu", "kernel older\n")],
            ALL,
        ),
        scenario("older header", vec![Older(INNER, "#define INNER 3\n")], ALL),
        scenario(
            "older header of the same size",
            vec![Older(INNER, "#define INNER 7\n")],
            ALL,
        ),
        scenario(
            "older PTX",
            vec![Older("package/kernels/p.ptx", ".version 9.1\n")],
            "ptxas",
        ),
        scenario(
            "edited PTX",
            vec![Write("package/kernels/p.ptx", ".version 9.3\n")],
            "ptxas",
        ),
        scenario("touched PTX", vec![Touch("package/kernels/p.ptx")], ""),
        scenario(
            "edited system header",
            vec![Write("system/system.h", "#define SYSTEM 22\n")],
            ALL,
        ),
        scenario(
            "older system header",
            vec![Older("system/system.h", "#define SYSTEM 33\n")],
            ALL,
        ),
        scenario(
            "edited header of the toolkit",
            vec![Write("cuda/include/cuda_runtime.h", "#define RUNTIME 22\n")],
            ALL,
        ),
        scenario("header is gone", vec![Remove(INNER)], "gcc"),
        scenario(
            "header is gone, and another takes its place",
            vec![
                Remove(INNER),
                Write("package/second/inner.cuh", "#define INNER 5\n"),
            ],
            ALL,
        ),
        scenario(
            "edited and undone between builds",
            vec![
                Write(INNER, "#define INNER 9\n"),
                Write(INNER, "#define INNER 1\n"),
            ],
            "",
        ),
        scenario(
            "folder of headers is replaced",
            vec![
                Rename("package/second", "package/old"),
                Rename("package/other", "package/second"),
            ],
            ALL,
        )
        .after(vec![Write("package/other/lib.h", "#define LIB 8\n")]),
        scenario(
            "symbolic link leads elsewhere",
            vec![Remove(LIB), Older(LIB, "#define LIB 6\n")],
            ALL,
        ),
    ]
}

/// Headers that appear where they come first.
fn searched() -> Vec<Scenario> {
    let first = |path, runs| {
        scenario(
            path,
            vec![Write(path, "#define LIB 4\n#define SYSTEM 4\n")],
            runs,
        )
    };
    vec![
        first("package/first/lib.h", ALL),
        first("package/first/system.h", ALL),
        first("package/first/unrelated.h", ""),
        first("package/kernels/lib.h", "gcc"),
        scenario(
            "header that came first is gone",
            vec![Remove("package/first/lib.h")],
            ALL,
        )
        .after(vec![Write("package/first/lib.h", "#define LIB 4\n")]),
        scenario(
            "nested header comes first",
            vec![Write("package/first/deep/lib.h", "#define LIB 4\n")],
            ALL,
        )
        .after(vec![
            Write(A, "#include <deep/lib.h>\nkernel LIB\n"),
            Write("package/second/deep/lib.h", "#define LIB 2\n"),
        ]),
        scenario(
            "header comes first by -I of NVCC_APPEND_FLAGS",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Variable(APPEND, "-I$DIR/appended -isystem $DIR/system"),
        ]),
        scenario(
            "header comes first by -Xcompiler",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Variable(APPEND, "-Xcompiler -I$DIR/appended -isystem $DIR/system"),
        ]),
        scenario(
            "header comes first by a response file of nvcc",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Write("options.txt", "-I$DIR/appended\n"),
            Variable(APPEND, "-optf $DIR/options.txt -isystem $DIR/system"),
        ]),
        scenario(
            "header comes first by a response file of gcc",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Write("gcc.txt", "-I$DIR/appended\n"),
            Variable(APPEND, "-Xcompiler @$DIR/gcc.txt -isystem $DIR/system"),
        ]),
        scenario(
            "header comes first by CPATH",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Variable("CPATH", "$DIR/appended"),
        ]),
        scenario(
            "header comes first by INCLUDES",
            vec![Write("appended/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Variable("INCLUDES", "-I$DIR/appended"),
        ]),
        scenario(
            "folder of the search appears",
            vec![Write("late/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![Variable(APPEND, "-I$DIR/late -isystem $DIR/system")]),
        scenario(
            "folder of the search appears by -Xcompiler",
            vec![Write("late/system.h", "#define SYSTEM 4\n")],
            ALL,
        )
        .after(vec![Variable(
            APPEND,
            "-Xcompiler -I$DIR/late -isystem $DIR/system",
        )]),
        scenario(
            "other order of folders",
            vec![Includes(&["second", "first"])],
            ALL,
        )
        .after(vec![Write("package/first/lib.h", "#define LIB 4\n")]),
        scenario("folder less", vec![Includes(&["second"])], ALL)
            .after(vec![Write("package/first/lib.h", "#define LIB 4\n")]),
    ]
}

/// Files that are only asked about.
fn asked() -> Vec<Scenario> {
    let appears = |name, question: &'static str| {
        scenario(
            name,
            vec![Write("package/second/late.h", "#define EXTRA 4\n")],
            ALL,
        )
        .after(vec![Write(A, question)])
    };
    vec![
        appears(
            "asked about",
            "#if __has_include(<late.h>)\nkernel late\n#endif\nkernel\n",
        ),
        appears(
            "asked about on two lines",
            "#if 1 && \\\n __has_include(<late.h>)\nkernel late\n#endif\nkernel\n",
        ),
        appears(
            "asked about within comments",
            "#if __has_include /* a */ ( /* b */ <late.h> /* c */ )\nkernel late\n#endif\nkernel\n",
        ),
        appears(
            "asked about by a digraph",
            "%:if __has_include(<late.h>)\nkernel late\n%:endif\nkernel\n",
        ),
        appears(
            "asked about by a macro's name",
            "#define LATE <late.h>\n#if __has_include(LATE)\nkernel late\n#endif\nkernel\n",
        )
        .never_settles(),
        appears(
            "asked about by a macro",
            "#define HAS(x) __has_include(x)\n#if HAS(<late.h>)\nkernel late\n#endif\nkernel\n",
        )
        .never_settles(),
        scenario(
            "asked about by a system header",
            vec![Write("package/first/late.h", "")],
            ALL,
        )
        .after(vec![Write(
            "system/system.h",
            "#if __has_include(<late.h>)\n#define SYSTEM 5\n#endif\n",
        )]),
        scenario(
            "asked about, and gone",
            vec![Remove("package/second/late.h")],
            ALL,
        )
        .after(vec![
            Write("package/second/late.h", ""),
            Write(
                A,
                "#if __has_include(<late.h>)\nkernel late\n#endif\nkernel\n",
            ),
        ]),
    ]
}

/// Flags, macros, targets and variables.
fn options() -> Vec<Scenario> {
    let variable = |name, value, runs| scenario(name, vec![Variable(name, value)], runs);
    vec![
        scenario("macro that is used", vec![Define("EXTRA", "3")], ALL),
        scenario(
            "macro that nobody asks about",
            vec![Define("UNKNOWN", "3")],
            "gcc",
        ),
        scenario(
            "flag of the front end",
            vec![Flags(&["--use_fast_math"])],
            ALL,
        ),
        scenario(
            "flag of the assembler",
            vec![Flags(&["-Xptxas", "-O1"])],
            "gcc ptxas",
        ),
        scenario("standard", vec![Standard("c++20")], ALL),
        scenario("another target", vec![Targets(&["sm_90"])], ALL),
        scenario("a target more", vec![Targets(&["sm_80", "sm_90"])], ALL),
        scenario("a target less", vec![Targets(&["sm_80"])], "")
            .after(vec![Targets(&["sm_80", "sm_90"])]),
        variable("NVCC_PREPEND_FLAGS", "-DEXTRA=5", ALL),
        scenario(
            "NVCC_APPEND_FLAGS",
            vec![Variable(APPEND, "-isystem $DIR/system -DEXTRA=6")],
            ALL,
        ),
        scenario(
            "variable is gone",
            vec![Variable("NVCC_PREPEND_FLAGS", "")],
            ALL,
        )
        .after(vec![Variable("NVCC_PREPEND_FLAGS", "-DEXTRA=5")]),
        variable("INCLUDES", "-DEXTRA=7", ALL),
        variable("SYSTEM_INCLUDES", "-DEXTRA=8", ALL),
        variable("CUDAFE_FLAGS", "--some", ALL),
        variable("NVVM_FLAGS", "--some", ALL),
        variable("PTXAS_FLAGS", "-O2", "gcc ptxas"),
        variable("OCG_FLAGS", "-O2", "gcc ptxas"),
        scenario("CPATH", vec![Variable("CPATH", "$DIR/appended")], ALL)
            .after(vec![Write("appended/system.h", "#define SYSTEM 4\n")]),
        scenario(
            "CPLUS_INCLUDE_PATH",
            vec![Write("appended/late.h", "kernel late\n")],
            ALL,
        )
        .after(vec![
            Write("appended/x", ""),
            Variable("CPLUS_INCLUDE_PATH", "$DIR/appended"),
            Write(
                A,
                "#if __has_include(<late.h>)\n#include <late.h>\n#endif\n",
            ),
        ]),
        scenario(
            "response file of nvcc",
            vec![Write("options.txt", "-DEXTRA=9\n")],
            ALL,
        )
        .after(vec![Variable(
            APPEND,
            "-optf $DIR/options.txt -isystem $DIR/system",
        )]),
        scenario(
            "older response file of gcc",
            vec![Older("gcc.txt", "-DEXTRA=9\n")],
            ALL,
        )
        .after(vec![
            Write("gcc.txt", "-DEXTRA=1\n"),
            Variable(APPEND, "-Xcompiler @$DIR/gcc.txt -isystem $DIR/system"),
        ]),
    ]
}

/// Tools that are replaced in their place.
fn tools() -> Vec<Scenario> {
    const OTHER: &str = "#!/bin/sh\n/usr/bin/gcc -DEXTRA=11 \"$@\"\n";
    vec![
        scenario(
            "another host compiler",
            vec![Write("path/gcc", OTHER)],
            "cicc ptxas",
        ),
        scenario(
            "libdevice",
            vec![Write(
                "cuda/nvvm/libdevice/libdevice.10.bc",
                "other functions",
            )],
            ALL,
        ),
        scenario(
            "nvcc.profile",
            vec![Write("cuda/bin/nvcc.profile", "INCLUDES += -DX\n")],
            "gcc cicc ptxas",
        ),
        scenario(
            "comment in what preprocesses",
            vec![Write("path/gcc", "#!/bin/sh\n# why\n/usr/bin/gcc \"$@\"\n")],
            "",
        ),
    ]
}

/// Results that were changed.
fn results() -> Vec<Scenario> {
    let mut all = Vec::new();
    for (end, runs) in [
        ("a.cubin", "ptxas"),
        ("a.ptx", ALL),
        ("a.cudafe1.stub.c", "gcc cicc"),
        ("a.cudafe1.gpu", "gcc cicc"),
        ("compute_80/record.txt", "gcc cicc"),
        ("sm_80/record.txt", "ptxas"),
        ("compute_80/log.txt", "gcc cicc"),
        ("compute_80/preprocess.txt", "gcc cicc"),
        ("places.txt", "gcc cicc"),
    ] {
        for (what, how) in [
            ("gone", Spoilt::Gone),
            ("empty", Spoilt::Empty),
            ("other", Spoilt::Other),
        ] {
            // An empty log is what an empty log is.
            let is_log = end.ends_with("log.txt") || end.ends_with("preprocess.txt");
            if is_log && !matches!(how, Spoilt::Gone) {
                continue;
            }
            let name = format!("{end} is {what}").leak();
            let mut scenario = scenario(name, vec![Change::Spoil(end, how)], runs);
            scenario.runs = if end == "a.ptx" { None } else { Some(runs) };
            all.push(scenario);
        }
    }
    for end in [".cubin", ".ptx", ".cudafe1.gpu", "record.txt", "places.txt"] {
        let name = format!("{end} of two sources change places").leak();
        let mut scenario = scenario(name, vec![Change::Spoil(end, Spoilt::Swapped)], "");
        scenario.runs = None;
        all.push(scenario);
    }
    all
}

/// Files that change while a step runs.
fn meanwhile() -> Vec<Scenario> {
    let during = |name, script, text| {
        let edit = Write("package/kernels/b.cu", "kernel again\n");
        scenario(name, vec![edit, Change::Write(script, text)], "").twice()
    };
    let header = |name, script, text| {
        let edit = Write(INNER, "#define INNER 2\n");
        scenario(name, vec![edit, Change::Write(script, text)], "").twice()
    };
    vec![
        header("edited while it is preprocessed", "control/after-gcc", "sleep 0.02; echo '#define INNER 3' > '$DIR/package/kernels/inner.cuh'; rm -f '$DIR/control/after-gcc'\n"),
        header(
            "edited before it is read, and undone",
            "control/before-gcc",
            "case \"$*\" in *kernels/a.cu*) sleep 0.02; cp '$DIR/package/kernels/inner.cuh' '$DIR/saved'; echo '#define INNER 4' > '$DIR/package/kernels/inner.cuh'; /usr/bin/gcc \"$@\"; cp '$DIR/saved' '$DIR/package/kernels/inner.cuh'; rm -f '$DIR/control/before-gcc'; exit 0;; esac\n",
        ),
        header(
            "replaced by an older one, and undone",
            "control/before-gcc",
            "case \"$*\" in *kernels/a.cu*) sleep 0.02; cd '$DIR/package/kernels'; cp -p inner.cuh ../saved; echo '#define INNER 5' > ../old; touch -d '2020-01-01' ../old; mv ../old inner.cuh; cd ..; /usr/bin/gcc \"$@\"; mv saved kernels/inner.cuh; rm -f '$DIR/control/before-gcc'; exit 0;; esac\n",
        ),
        header(
            "folder replaced while it is read, and put back",
            "control/before-gcc",
            "case \"$*\" in *kernels/a.cu*) sleep 0.02; cd '$DIR/package'; mv second away; mkdir second; echo '#define LIB 9' > second/lib.h; /usr/bin/gcc \"$@\"; rm -r second; mv away second; rm -f '$DIR/control/before-gcc'; exit 0;; esac\n",
        ),
        header(
            "header that comes first is there for a moment",
            "control/before-gcc",
            "case \"$*\" in *kernels/a.cu*) sleep 0.02; cd '$DIR/package'; echo '#define LIB 9' > first/lib.h; /usr/bin/gcc \"$@\"; rm first/lib.h; rm -f '$DIR/control/before-gcc'; exit 0;; esac\n",
        ),
        header(
            "header that comes first appears when it was read",
            "control/after-gcc",
            "sleep 0.02; echo '#define LIB 9' > '$DIR/package/first/lib.h'; rm -f '$DIR/control/after-gcc'\n",
        ),
        header("edited while cicc runs", "control/before-cicc", "echo '#define INNER 6' > '$DIR/package/kernels/inner.cuh'; rm -f '$DIR/control/before-cicc'\n"),
        header("edited while ptxas runs", "control/before-ptxas", "echo '#define INNER 6' > '$DIR/package/kernels/inner.cuh'; rm -f '$DIR/control/before-ptxas'\n"),
        during("source edited while it is assembled", "control/after-ptxas", "echo 'kernel later' > '$DIR/package/kernels/b.cu'; rm -f '$DIR/control/after-ptxas'\n"),
        scenario(
            "PTX edited while it is assembled, and undone",
            vec![
                Write("package/kernels/p.ptx", ".version 9.4\n"),
                Write("control/before-ptxas", "sleep 0.02; cp '$DIR/package/kernels/p.ptx' '$DIR/saved'; echo '.version 8.8' > '$DIR/package/kernels/p.ptx'\n"),
                Write("control/after-ptxas", "cp '$DIR/saved' '$DIR/package/kernels/p.ptx'\n"),
            ],
            "",
        )
        .twice(),
        scenario("a step fails, and is mended", vec![Write("control/before-gcc", "exit 1\n")], "").twice(),
    ]
}
