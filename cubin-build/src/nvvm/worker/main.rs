//! Runs libnvvm over one module of NVVM IR: a program of its own, since the library crashes on some of its inputs.
//!
//! cubin-build holds this text, and compiles it with cargo's rustc the first time that a crate has `.ll` or `.bc` sources
//! (`compile/nvvm.rs`). It uses the standard library alone.
//!
//! ```text
//! worker LIBNVVM ask compute_90 compute_100
//! worker LIBNVVM compile MODULE SHOWN PTX [--libdevice FILE] [--newer | --newer-refused] -- -arch=compute_90 -opt=3
//! ```
//!
//! `ask` prints the versions. `compile` verifies, then compiles, and writes PTX; SHOWN is the module's name in messages.
//! Each step is announced (`step verify`), so that whoever started it knows where it died, and a failure is one line
//! (`failed verify 9`) with libnvvm's log behind it. `--newer` says that only the reader of LLVM's newer versions takes the
//! module: `-nvvm-latest` is then given for targets whose own reader is LLVM 7. Exit status 1 is a failure of libnvvm, 2 one
//! of this program.

use std::{
    env,
    ffi::{CStr, CString, c_char, c_int, c_void},
    fs,
    io::Write as _,
    process::ExitCode,
    ptr,
};

/// libnvvm's `nvvmProgram`.
type Program = *mut c_void;
type Create = unsafe extern "C" fn(*mut Program) -> c_int;
type Add = unsafe extern "C" fn(Program, *const c_char, usize, *const c_char) -> c_int;
type Process = unsafe extern "C" fn(Program, c_int, *const *const c_char) -> c_int;
type Size = unsafe extern "C" fn(Program, *mut usize) -> c_int;
type Read = unsafe extern "C" fn(Program, *mut c_char) -> c_int;
type Version = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type IrVersion = unsafe extern "C" fn(*mut c_int, *mut c_int, *mut c_int, *mut c_int) -> c_int;
type LlvmVersion = unsafe extern "C" fn(*const c_char, *mut c_int) -> c_int;

/// LLVM's version behind targets below sm_100.
const OLDER: c_int = 7;

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Library { step, code, log }) => {
            say(&format!("failed {step} {code}\n{log}"));
            ExitCode::from(1)
        }
        Err(Failure::Own(why)) => {
            say(&format!("failed worker 0\n{why}"));
            ExitCode::from(2)
        }
    }
}

enum Failure {
    Library {
        step: &'static str,
        code: c_int,
        log: String,
    },
    Own(String),
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Own(why)
    }
}

/// Prints at once: the next step may be the last.
fn say(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{text}");
    let _ = out.flush();
}

fn text(value: &str) -> Result<CString, String> {
    CString::new(value).map_err(|_| format!("{value:?} holds a zero byte"))
}

fn run(arguments: &[String]) -> Result<(), Failure> {
    let [library, what, rest @ ..] = arguments else {
        return Err("two words are missing".to_owned().into());
    };
    let library = Library::open(library)?;
    match (what.as_str(), rest) {
        ("ask", targets) => Ok(ask(&library, targets)?),
        ("compile", [module, shown, ptx, rest @ ..]) => compile(&library, [module, shown, ptx], rest),
        _ => Err(format!("{what} is not known").into()),
    }
}

fn ask(library: &Library, targets: &[String]) -> Result<(), String> {
    let mut own = [0; 2];
    let mut ir = [0; 4];
    let [major, minor] = &mut own;
    // SAFETY: the header's signature; each pointer is to an integer that lives on.
    unsafe { library.function::<Version>(c"nvvmVersion")?(major, minor) };
    let [a, b, c, d] = &mut ir;
    // SAFETY: as above.
    unsafe { library.function::<IrVersion>(c"nvvmIRVersion")?(a, b, c, d) };
    say(&format!("version {} {}", own[0], own[1]));
    say(&format!("ir {} {} {} {}", ir[0], ir[1], ir[2], ir[3]));
    for target in targets {
        if let Some(version) = llvm(library, target)? {
            say(&format!("llvm {target} {version}"));
        }
    }
    Ok(())
}

/// The version of LLVM that reads modules for a target; `None` for one that the library does not know. Libraries before
/// CUDA 13 cannot be asked, and have LLVM 7 for all but Blackwell.
fn llvm(library: &Library, target: &str) -> Result<Option<c_int>, String> {
    let Ok(function) = library.function::<LlvmVersion>(c"nvvmLLVMVersion") else {
        let number = target.trim_start_matches("compute_").trim_end_matches(['a', 'f']);
        let is_newer = number.parse::<u32>().is_ok_and(|number| number >= 100);
        return Ok(Some(if is_newer { OLDER + 1 } else { OLDER }));
    };
    let mut version = 0;
    let target = text(target)?;
    // SAFETY: the header's signature; the text ends with a zero byte and lives on.
    let code = unsafe { function(target.as_ptr(), &raw mut version) };
    Ok((code == 0).then_some(version))
}

fn compile(library: &Library, [module, shown, ptx]: [&String; 3], rest: &[String]) -> Result<(), Failure> {
    let (mut libdevice, mut newer, mut refused) = (None, false, false);
    let mut words = rest.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--libdevice" => libdevice = words.next(),
            "--newer" => newer = true,
            "--newer-refused" => refused = true,
            "--" => break,
            word => return Err(format!("{word} is not known").into()),
        }
    }
    let mut options: Vec<CString> = words.map(|word| text(word)).collect::<Result<_, _>>()?;
    if newer || refused {
        let target = options.iter().find_map(|option| option.to_str().ok()?.strip_prefix("-arch="));
        if let Some(target) = target
            && llvm(library, target)?.is_some_and(|version| version <= OLDER)
        {
            if refused {
                say("step dialect");
                return Err(Failure::Library {
                    step: "dialect",
                    code: 0,
                    log: format!("the reader for {target} is LLVM {OLDER}"),
                });
            }
            options.push(text("-nvvm-latest")?);
        }
    }
    let read = |path: &str| fs::read(path).map_err(|error| format!("{path}: {error}"));
    let program = Running::new(library)?;
    say("step add");
    program.add(c"nvvmAddModuleToProgram", &read(module)?, shown)?;
    if let Some(path) = libdevice {
        say("step libdevice");
        program.add(c"nvvmLazyAddModuleToProgram", &read(path)?, "libdevice")?;
    }
    let options: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
    say("step verify");
    program.process("verify", c"nvvmVerifyProgram", &options)?;
    say("step compile");
    program.process("compile", c"nvvmCompileProgram", &options)?;
    let log = program.log();
    let mut result = program.text(c"nvvmGetCompiledResultSize", c"nvvmGetCompiledResult");
    while result.last() == Some(&0) {
        result.pop();
    }
    fs::write(ptx, result).map_err(|error| format!("{ptx}: {error}"))?;
    say(&format!("done\n{log}"));
    Ok(())
}

/// A program of the library.
struct Running<'l> {
    library: &'l Library,
    program: Program,
}

impl<'l> Running<'l> {
    fn new(library: &'l Library) -> Result<Self, Failure> {
        let mut program = ptr::null_mut();
        // SAFETY: the header's signature.
        let code = unsafe { library.function::<Create>(c"nvvmCreateProgram")?(&raw mut program) };
        let running = Self { library, program };
        running.checked("create", code)?;
        Ok(running)
    }

    fn checked(&self, step: &'static str, code: c_int) -> Result<(), Failure> {
        if code == 0 {
            return Ok(());
        }
        let log = self.log();
        Err(Failure::Library { step, code, log })
    }

    fn add(&self, function: &CStr, module: &[u8], name: &str) -> Result<(), Failure> {
        let name = text(name)?;
        let function = self.library.function::<Add>(function)?;
        // SAFETY: the header's signature; the library copies the module before it returns.
        let code = unsafe { function(self.program, module.as_ptr().cast(), module.len(), name.as_ptr()) };
        self.checked("add", code)
    }

    fn process(&self, step: &'static str, function: &CStr, options: &[*const c_char]) -> Result<(), Failure> {
        let function = self.library.function::<Process>(function)?;
        let count = c_int::try_from(options.len()).map_err(|_| "too many options".to_owned())?;
        // SAFETY: the header's signature; the options are texts that end with a zero byte and live on.
        let code = unsafe { function(self.program, count, options.as_ptr()) };
        self.checked(step, code)
    }

    fn log(&self) -> String {
        let mut log = self.text(c"nvvmGetProgramLogSize", c"nvvmGetProgramLog");
        while log.last().is_some_and(|byte| *byte == 0 || *byte == b'\n') {
            log.pop();
        }
        String::from_utf8_lossy(&log).into_owned()
    }

    /// What two functions give: the size, and that many bytes.
    fn text(&self, size: &CStr, read: &CStr) -> Vec<u8> {
        let (Ok(size), Ok(read)) = (self.library.function::<Size>(size), self.library.function::<Read>(read)) else {
            return Vec::new();
        };
        let mut length = 0;
        // SAFETY: the header's signature.
        let code = unsafe { size(self.program, &raw mut length) };
        if code != 0 {
            return Vec::new();
        }
        let mut bytes = vec![0_u8; length];
        // SAFETY: the header's signature; the buffer has the size that the library asked for.
        let code = unsafe { read(self.program, bytes.as_mut_ptr().cast()) };
        if code == 0 { bytes } else { Vec::new() }
    }
}

/// A library that is never unloaded: the process is short.
struct Library(*mut c_void);

impl Library {
    fn open(path: &str) -> Result<Self, String> {
        system::open(path).map(Self)
    }

    /// A function by its name; `F` must be its type in `nvvm.h`.
    fn function<F: Copy>(&self, name: &CStr) -> Result<F, String> {
        assert!(size_of::<F>() == size_of::<*mut c_void>());
        let found = system::symbol(self.0, name);
        if found.is_null() {
            return Err(format!("libnvvm has no {}", name.to_string_lossy()));
        }
        // SAFETY: a pointer to a function is as large, and the library is never unloaded.
        Ok(unsafe { std::mem::transmute_copy(&found) })
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::{CStr, c_char, c_int, c_void};

    unsafe extern "C" {
        fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
        fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
        fn dlerror() -> *const c_char;
    }

    const RTLD_NOW: c_int = 2;

    pub(super) fn open(path: &str) -> Result<*mut c_void, String> {
        let path = super::text(path)?;
        // SAFETY: POSIX; the text ends with a zero byte.
        let library = unsafe { dlopen(path.as_ptr(), RTLD_NOW) };
        if !library.is_null() {
            return Ok(library);
        }
        // SAFETY: POSIX: what went wrong last, as text, or null.
        let error = unsafe { dlerror() };
        if error.is_null() {
            return Err("libnvvm cannot be loaded".to_owned());
        }
        // SAFETY: not null, and it ends with a zero byte.
        Err(unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned())
    }

    pub(super) fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: POSIX; the library is open.
        unsafe { dlsym(library, name.as_ptr()) }
    }
}

#[cfg(windows)]
mod system {
    use std::ffi::{CStr, c_char, c_void};

    #[link(name = "kernel32")]
    unsafe extern "system" {
        fn LoadLibraryW(path: *const u16) -> *mut c_void;
        fn GetProcAddress(library: *mut c_void, name: *const c_char) -> *mut c_void;
    }

    pub(super) fn open(path: &str) -> Result<*mut c_void, String> {
        let wide: Vec<u16> = path.encode_utf16().chain([0]).collect();
        // SAFETY: documented by Microsoft; the text ends with a zero.
        let library = unsafe { LoadLibraryW(wide.as_ptr()) };
        if library.is_null() {
            return Err(format!("{path}: {}", std::io::Error::last_os_error()));
        }
        Ok(library)
    }

    pub(super) fn symbol(library: *mut c_void, name: &CStr) -> *mut c_void {
        // SAFETY: documented by Microsoft; the library is loaded.
        unsafe { GetProcAddress(library, name.as_ptr()) }
    }
}
