//! A lock between processes that a killed holder cannot leave closed.
//!
//! The lock is a file created with `O_EXCL`; its holder writes a growing number into it every second. A waiter that
//! sees no change for [`STALE`] by its own clock takes the lock over. No clock of another machine and no process id
//! is trusted, so a cache shared between containers or over a network works too. Should two processes ever believe
//! to hold it, they only do the same work twice: whoever uses the lock ends with an atomic rename.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::jobs;

/// How long a lock may stay unchanged before its holder counts as dead: many heartbeats, so that a machine under
/// load is not misjudged.
const STALE: Duration = Duration::from_secs(15);
const HEARTBEAT: Duration = Duration::from_secs(1);
const POLL: Duration = Duration::from_millis(200);

/// The lock, held until dropped.
pub(super) struct Lock {
    path: PathBuf,
    owner: String,
    heart: Option<(Arc<AtomicBool>, thread::JoinHandle<()>)>,
}

impl Lock {
    /// Takes the lock, waiting for another process that holds it; `waiting` is called once when that happens.
    pub(super) fn acquire(path: &Path, waiting: &mut dyn FnMut()) -> io::Result<Self> {
        Self::acquire_within(path, STALE, waiting)
    }

    fn acquire_within(path: &Path, stale: Duration, waiting: &mut dyn FnMut()) -> io::Result<Self> {
        let owner = format!("{} {:?}", std::process::id(), Instant::now());
        let mut seen: Option<(Vec<u8>, Instant)> = None;
        loop {
            match fs::OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(path)
            {
                Ok(_) => return Self::hold(path, owner),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
            match fs::read(path) {
                Ok(now) => match &seen {
                    Some((before, since)) if *before == now => {
                        if since.elapsed() >= stale {
                            take_away(path, &now);
                            seen = None;
                        }
                    }
                    before => {
                        if before.is_none() {
                            waiting();
                        }
                        seen = Some((now, Instant::now()));
                    }
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            }
            thread::sleep(POLL.min(stale / 4));
        }
    }

    fn hold(path: &Path, owner: String) -> io::Result<Self> {
        let beat = {
            let (path, owner) = (path.to_owned(), owner.clone());
            move |count: u64| fs::write(&path, format!("{owner}\n{count}\n"))
        };
        if let Err(error) = beat(0) {
            let _ = fs::remove_file(path);
            return Err(error);
        }
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let heart = jobs::background(Box::new(move || {
            let mut count = 0;
            loop {
                // Ends early when it is unparked, or without cause, which is one beat too many.
                thread::park_timeout(HEARTBEAT);
                if stopped.load(Ordering::Acquire) {
                    break;
                }
                count += 1;
                let _ = beat(count);
            }
        }));
        Ok(Self {
            path: path.to_owned(),
            owner,
            heart: Some((stop, heart)),
        })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        if let Some((stop, heart)) = self.heart.take() {
            stop.store(true, Ordering::Release);
            heart.thread().unpark();
            let _ = heart.join();
        }
        let ours = fs::read_to_string(&self.path).is_ok_and(|text| text.starts_with(&self.owner));
        if ours {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a dead holder's lock, unless it has come back to life or changed hands meanwhile.
fn take_away(path: &Path, dead: &[u8]) {
    let aside = crate::cache::temporary_beside(path);
    if fs::rename(path, &aside).is_err() {
        return;
    }
    if fs::read(&aside).is_ok_and(|now| now != dead) {
        // Somebody else was faster: give the lock back, unless there is a newer one.
        let _ = fs::hard_link(&aside, path);
    }
    let _ = fs::remove_file(&aside);
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("cubin-build-lock-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        dir.join("lock")
    }

    #[test]
    fn one_holder_at_a_time() {
        let path = scratch("one");
        let (inside, entered) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let _lock = Lock::acquire(&path, &mut || {}).unwrap();
                    assert!(!inside.swap(true, Ordering::SeqCst));
                    thread::sleep(Duration::from_millis(20));
                    inside.store(false, Ordering::SeqCst);
                    entered.fetch_add(1, Ordering::SeqCst);
                });
            }
        });
        assert_eq!(entered.into_inner(), 4);
        assert!(!path.exists());
    }

    #[test]
    fn a_dead_holder_does_not_block_for_ever() {
        let path = scratch("dead");
        fs::write(&path, "12345 left behind\n7\n").unwrap();
        let mut told = 0;
        let lock =
            Lock::acquire_within(&path, Duration::from_millis(80), &mut || told += 1).unwrap();
        assert_eq!(told, 1);
        drop(lock);
        assert!(!path.exists());
    }

    #[test]
    fn an_unwritable_place_is_an_error() {
        let path = scratch("unwritable").join("no/such/directory");
        assert!(Lock::acquire(&path, &mut || {}).is_err());
    }
}
