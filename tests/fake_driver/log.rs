//! The file that each call is appended to.

use std::{ffi::OsString, fs::OpenOptions, io::Write as _, sync::OnceLock};

pub(crate) fn log_file() -> Option<&'static OsString> {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    PATH.get_or_init(|| std::env::var_os("FAKE_DRIVER_LOG"))
        .as_ref()
}

pub(crate) fn log(line: impl FnOnce() -> String) {
    let Some(path) = log_file() else {
        return;
    };
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
        let _ = writeln!(file, "{}", line());
    }
}
