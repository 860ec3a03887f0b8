//! What long builds of kernels say of themselves while cargo runs: cargo keeps what a build script prints until it has
//! ended, so the lines come by a file.

use std::{
    fs,
    io::{self, IsTerminal as _, Read as _, Write as _},
    path::PathBuf,
    process::Command,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use cubin_build::env::Env;

/// Read by build scripts that use `cubin-build`.
const VARIABLE: &str = "CUBIN_BUILD_PROGRESS";

/// A line every ten seconds is nothing to hurry for.
const LOOK: Duration = Duration::from_millis(250);

/// Shows lines until it is dropped.
pub(crate) struct Progress {
    path: PathBuf,
    stop: Option<Sender<()>>,
    reader: Option<JoinHandle<()>>,
}

impl Progress {
    /// For a command of cargo; none where nobody looks, as cargo decides it for its own bar.
    pub(crate) fn of(command: &mut Command) -> Option<Self> {
        let env = Env::process();
        let said = |name: &str| {
            env.peek(name)
                .map(|value| value.to_string_lossy().into_owned())
        };
        let wanted = match said("CARGO_TERM_PROGRESS_WHEN").as_deref() {
            Some("always") => true,
            Some("never") => false,
            _ => {
                let dumb = said("TERM").is_some_and(|terminal| terminal == "dumb");
                io::stderr().is_terminal() && !dumb && said("CI").is_none()
            }
        };
        // Without a file the build is the same, and nothing is shown of it.
        let (file, path) = if wanted { create()? } else { return None };
        command.env(VARIABLE, &path);
        let (stop, stopped) = mpsc::channel();
        let reader = thread::spawn(move || {
            let mut lines = Lines::default();
            loop {
                let over = !matches!(stopped.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout));
                lines.show(&file);
                if over {
                    return;
                }
            }
        });
        Some(Self {
            path,
            stop: Some(stop),
            reader: Some(reader),
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(reader) = self.reader.take() {
            // A panic there has been shown.
            let _ = reader.join();
        }
        let _ = fs::remove_file(&self.path);
    }
}

/// A new file that only this user writes to.
fn create() -> Option<(fs::File, PathBuf)> {
    let dir = std::env::temp_dir();
    for number in 0..100_u32 {
        let path = dir.join(format!("cargo-cubin-{}-{number}", std::process::id()));
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        match options.open(&path) {
            Ok(file) => return Some((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(_) => return None,
        }
    }
    None
}

/// Lines of which the last may be cut.
#[derive(Default)]
struct Lines(Vec<u8>);

impl Lines {
    fn show(&mut self, mut file: &fs::File) {
        // What cannot be read is not shown.
        let _ = file.read_to_end(&mut self.0);
        while let Some(end) = self.0.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.0.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            let line = cubin_core::escape::visible(line.trim_end());
            // Cargo's bar, which it draws again, stands in the line.
            let start = if io::stderr().is_terminal() {
                "\r\x1b[K"
            } else {
                ""
            };
            let _ = writeln!(io::stderr(), "{start}{:>12} {line}", "Kernels");
        }
    }
}
