//! One build per directory at a time, by a lock that a killed build releases.
//!
//! Cargo holds a lock of its own for its target directory; a directory of the user's choice has none. On Linux the lock is
//! an abstract socket address named after the directory's device and inode: the kernel frees it with its process, no file is
//! left, and nothing waits for a heartbeat. Processes with network namespaces of their own do not see each other. On other
//! systems there is none.

use std::path::Path;

/// The lock, held until dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    #[cfg(target_os = "linux")]
    _address: Option<std::os::unix::net::UnixListener>,
}

impl Lock {
    /// Waits until no other process holds the directory; `waiting` is called once when one does. Where there can be no
    /// lock, it is held at once.
    #[cfg(target_os = "linux")]
    pub(crate) fn hold(dir: &Path, waiting: &mut dyn FnMut()) -> Self {
        use std::os::{
            linux::net::SocketAddrExt as _,
            unix::{
                fs::MetadataExt as _,
                net::{SocketAddr, UnixListener},
            },
        };
        use std::{io::ErrorKind, thread, time::Duration};

        let Ok(meta) = std::fs::create_dir_all(dir).and_then(|()| std::fs::metadata(dir)) else {
            return Self { _address: None };
        };
        let name = format!("cubin-build {} {}", meta.dev(), meta.ino());
        let mut said = false;
        loop {
            let address = SocketAddr::from_abstract_name(&name);
            match address.and_then(|address| UnixListener::bind_addr(&address)) {
                Err(error) if error.kind() == ErrorKind::AddrInUse => {
                    if !std::mem::replace(&mut said, true) {
                        waiting();
                    }
                    thread::sleep(Duration::from_millis(20));
                }
                address => {
                    return Self {
                        _address: address.ok(),
                    };
                }
            }
        }
    }

    /// There is none.
    #[cfg(not(target_os = "linux"))]
    pub(crate) fn hold(_: &Path, _: &mut dyn FnMut()) -> Self {
        Self {}
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_held_by_one_at_a_time() {
        let dir = std::env::temp_dir().join(format!("cubin-build-lock-{}", std::process::id()));
        let first = Lock::hold(&dir, &mut || panic!("nobody holds it"));
        let _other = Lock::hold(&dir.join("other"), &mut || panic!("nobody holds it"));
        let mut waited = 0;
        std::thread::scope(|scope| {
            let second = scope.spawn(|| {
                let _second = Lock::hold(&dir, &mut || waited += 1);
            });
            std::thread::sleep(std::time::Duration::from_millis(100));
            drop(first);
            second.join().unwrap();
        });
        assert_eq!(waited, 1);
        std::fs::remove_dir_all(dir).unwrap();
    }
}
