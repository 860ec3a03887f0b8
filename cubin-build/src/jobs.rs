//! Parallel work within the limit that cargo gives.
//!
//! Cargo shares one pool of job tokens among everything that it runs: the protocol of GNU make, a pipe that holds one
//! byte per token ("POSIX Jobserver Interaction" in make's manual). A build script owns one token from the start;
//! every further job takes a byte and puts the same byte back. Where the pool cannot be used (no cargo, another
//! system than Linux) the limit is `NUM_JOBS`, which cargo sets to its `-j`, or else the number of processors.
//!
//! The pool's pipe is opened anew through `/proc/self/fd`, in non-blocking mode: so a wait for a token can end when
//! there is nothing left to do, the pipe's other users keep their mode, and no descriptor has to be taken on trust.
//!
//! Does not know what the jobs do.

use std::{
    fs::File,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
    sync::{
        Condvar, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use crate::{env::Env, lists::CollectVec};

/// How often the pool is asked while jobs wait for a token.
const POLL: Duration = Duration::from_millis(10);
/// How often whoever waits for the jobs may have a look, at least.
const LOOK: Duration = Duration::from_secs(1);

/// Runs `work` on every item, several at a time, and returns the results in the items' order.
///
/// A panic in `work` is passed on once the jobs that run have ended.
pub fn run<T: Send, R: Send>(env: &Env, items: Vec<T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    let jobs: Vec<Job<T, R>> = items
        .into_iter()
        .map(|item| Mutex::new((Some(item), None)))
        .collect_vec();
    let count = jobs.len();
    let work = |index: usize| {
        let lock = || jobs[index].lock().unwrap_or_else(PoisonError::into_inner);
        let item = lock().0.take();
        let result = item.map(&work);
        lock().1 = result;
    };
    let list = List {
        next: AtomicUsize::new(0),
        count,
        work: &work,
    };
    run_queue(env, &list);
    jobs.into_iter()
        .filter_map(|job| job.into_inner().unwrap_or_else(PoisonError::into_inner).1)
        .collect_vec()
}

/// What is to be done, until it begins, and what came of it.
type Job<T, R> = Mutex<(Option<T>, Option<R>)>;

/// Jobs that all can run from the start.
struct List<'w> {
    next: AtomicUsize,
    count: usize,
    work: &'w (dyn Fn(usize) + Sync),
}

impl Queue for List<'_> {
    fn ready(&self) -> bool {
        self.next.load(Ordering::Relaxed) < self.count
    }

    fn next(&self) -> Option<usize> {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        (next < self.count).then_some(next)
    }

    fn run(&self, job: usize) {
        (self.work)(job);
    }
}

/// Jobs, of which some may only be able to run once others have ended.
pub trait Queue: Sync {
    /// Whether a job can run now. Asked again whenever one ends.
    fn ready(&self) -> bool;
    /// Takes the job that should run first of those that can; only one thread asks.
    fn next(&self) -> Option<usize>;
    /// Threads that it has: so many tokens it takes, where they are there when it begins.
    fn threads(&self, _job: usize) -> usize {
        1
    }
    /// Runs it.
    fn run(&self, job: usize);
    /// Called now and then while jobs run, on the thread that starts them.
    fn look(&self) {}
}

/// Runs something beside the rest. One function for all: starting a thread is 40 functions to compile for each closure.
pub(crate) fn background(work: Box<dyn FnOnce() + Send>) -> thread::JoinHandle<()> {
    thread::spawn(work)
}

/// Runs jobs, several at a time, until none runs and none can. A token is held only while a job runs.
pub fn run_queue(env: &Env, queue: &dyn Queue) {
    let ended = Ended::default();
    let limit = Limit::of(env);
    let most = most(env);

    thread::scope(|scope| {
        // Tokens that are out.
        let mut running = 0_usize;
        // Tokens that are ours from the start: one beside a pool, else as many as our own limit.
        let mut own = limit.own();
        while running > 0 || queue.ready() {
            while running < most && queue.ready() {
                let Some(token) = limit.one_of(&mut own) else {
                    break;
                };
                let Some(job) = queue.next() else {
                    own += usize::from(token.0.is_none());
                    break;
                };
                let mut tokens = vec![token];
                let wanted = queue.threads(job).min(most - running);
                while tokens.len() < wanted
                    && let Some(token) = limit.one_of(&mut own)
                {
                    tokens.push(token);
                }
                let ended = &ended;
                running += tokens.len();
                scope.spawn(move || {
                    // Reports the end even when the job panics, so that the loop above cannot wait for ever.
                    let _end = End(ended, tokens);
                    queue.run(job);
                });
            }
            if running == 0 {
                continue;
            }
            let ask_again = running < most && queue.ready() && matches!(limit, Limit::Pool(_));
            for token in ended.wait(if ask_again { POLL } else { LOOK }) {
                running -= 1;
                own += usize::from(token.0.is_none());
            }
            queue.look();
        }
    });
}

/// How many jobs may run at once, whatever tokens there are: `CUBIN_BUILD_JOBS`, for machines whose memory is short.
fn most(env: &Env) -> usize {
    let most = env.peek("CUBIN_BUILD_JOBS");
    let most = most.and_then(|jobs| jobs.to_str()?.trim().parse().ok());
    most.filter(|&jobs: &usize| jobs > 0).unwrap_or(usize::MAX)
}

/// Tokens of jobs that ended. A lock and a signal: a channel of the standard library is 300 functions to compile.
#[derive(Default)]
struct Ended {
    tokens: Mutex<Vec<Token>>,
    more: Condvar,
}

impl Ended {
    /// The tokens of all jobs that ended since the last call; waits for one, but not longer than `limit`.
    fn wait(&self, limit: Duration) -> Vec<Token> {
        let mut tokens = self.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        if tokens.is_empty() {
            // Woken without cause the caller only asks the pool a little earlier.
            let woken = self.more.wait_timeout(tokens, limit);
            tokens = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        std::mem::take(&mut *tokens)
    }
}

/// Tells that a job ended and hands back its tokens; those of the pool return there when they are taken out.
struct End<'e>(&'e Ended, Vec<Token>);

impl Drop for End<'_> {
    fn drop(&mut self) {
        let mut tokens = self.0.tokens.lock().unwrap_or_else(PoisonError::into_inner);
        tokens.append(&mut self.1);
        self.0.more.notify_one();
    }
}

/// What says how many jobs may run.
enum Limit {
    /// Cargo's pool.
    Pool(Pool),
    /// A number of our own.
    Own(usize),
}

impl Limit {
    fn of(env: &Env) -> Self {
        match Pool::inherited(env) {
            Some(pool) => Self::Pool(pool),
            None => Self::Own(own_limit(env)),
        }
    }

    /// How many jobs may run without asking.
    fn own(&self) -> usize {
        match self {
            Self::Pool(_) => 1,
            Self::Own(limit) => *limit,
        }
    }

    /// One of our own tokens, else one of the pool.
    fn one_of(&self, own: &mut usize) -> Option<Token> {
        if *own == 0 {
            return self.take();
        }
        *own -= 1;
        Some(Token(None))
    }

    /// Leave to run one job more, when the pool has it now.
    fn take(&self) -> Option<Token> {
        match self {
            Self::Pool(pool) => pool.take(),
            Self::Own(_) => None,
        }
    }
}

/// How many jobs at a time when nobody shares tokens; at least one.
fn own_limit(env: &Env) -> usize {
    env.peek("NUM_JOBS")
        .and_then(|jobs| jobs.to_str()?.parse().ok())
        .filter(|&jobs: &usize| jobs > 0)
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, Into::into))
        .min(1024)
}

/// The two ends of the pool's pipe.
struct Pool {
    read: File,
    write: File,
}

/// A byte from the pool, put back when dropped; `None` for a job that needs none.
struct Token(Option<(File, u8)>);

impl Drop for Token {
    fn drop(&mut self) {
        if let Some((write, byte)) = &mut self.0 {
            // Cargo is gone when this fails, and the pool with it.
            let _ = write.write_all(&[*byte]);
        }
    }
}

impl Pool {
    /// The pool that the environment names, when it is really a pipe.
    fn inherited(env: &Env) -> Option<Self> {
        let (read, write) = ["CARGO_MAKEFLAGS", "MAKEFLAGS", "MFLAGS"]
            .iter()
            .find_map(|name| pipe_paths(env.peek(name)?.to_str()?))?;
        Some(Self {
            read: open_pipe(&read, false)?,
            write: open_pipe(&write, true)?,
        })
    }

    fn take(&self) -> Option<Token> {
        let write = self.write.try_clone().ok()?;
        let mut byte = [0];
        // Empty is an error here (`WouldBlock`), and so is a pool that broke; both mean: not now.
        match (&self.read).read(&mut byte) {
            Ok(1) => Some(Token(Some((write, byte[0])))),
            _ => None,
        }
    }
}

/// Where make's flags say that the pipe is: `--jobserver-auth=fifo:PATH`, or `--jobserver-auth=R,W` (before make 4.2
/// `--jobserver-fds`). The last one counts.
fn pipe_paths(flags: &str) -> Option<(PathBuf, PathBuf)> {
    let value = flags
        .split_whitespace()
        .filter_map(|flag| {
            flag.strip_prefix("--jobserver-auth=")
                .or_else(|| flag.strip_prefix("--jobserver-fds="))
        })
        .next_back()?;
    if let Some(path) = value.strip_prefix("fifo:") {
        return Some((path.into(), path.into()));
    }
    let (read, write) = value.split_once(',')?;
    // Make writes negative numbers when it keeps the pipe from a program.
    let path = |number: &str| {
        Some(PathBuf::from(format!(
            "/proc/self/fd/{}",
            number.parse::<u32>().ok()?
        )))
    };
    Some((path(read)?, path(write)?))
}

#[cfg(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
))]
fn open_pipe(path: &Path, write: bool) -> Option<File> {
    use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _};
    /// `O_NONBLOCK` of these systems (include/uapi/asm-generic/fcntl.h).
    const NON_BLOCKING: i32 = 0o4000;
    if !path.metadata().ok()?.file_type().is_fifo() {
        return None;
    }
    let mut options = File::options();
    if write {
        options.write(true);
    } else {
        options.read(true).custom_flags(NON_BLOCKING);
    }
    options.open(path).ok()
}

/// Elsewhere a pipe cannot be opened anew, or the pool is not a pipe.
#[cfg(not(all(
    target_os = "linux",
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64"
    )
)))]
fn open_pipe(_: &Path, _: bool) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn most_at_once(env: &Env) -> usize {
        let (now, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = run(env, (0..12).collect(), |item: usize| {
            most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(30));
            now.fetch_sub(1, Ordering::SeqCst);
            item * 2
        });
        assert_eq!(results, (0..12).map(|item| item * 2).collect::<Vec<_>>());
        most.into_inner()
    }

    #[test]
    fn never_more_at_once_than_allowed_and_in_order() {
        assert_eq!(most_at_once(&Env::from_map([("NUM_JOBS", "1")])), 1);
        assert!((2..=3).contains(&most_at_once(&Env::from_map([("NUM_JOBS", "3")]))));
    }

    #[test]
    fn a_job_of_several_threads_takes_as_many_tokens() {
        struct Wide {
            list: AtomicUsize,
            now: AtomicUsize,
            most: AtomicUsize,
        }
        impl Queue for Wide {
            fn ready(&self) -> bool {
                self.list.load(Ordering::SeqCst) < 6
            }
            fn next(&self) -> Option<usize> {
                Some(self.list.fetch_add(1, Ordering::SeqCst))
            }
            fn threads(&self, job: usize) -> usize {
                if job == 0 { 3 } else { 1 }
            }
            fn run(&self, job: usize) {
                let threads = self.threads(job);
                let now = self.now.fetch_add(threads, Ordering::SeqCst) + threads;
                self.most.fetch_max(now, Ordering::SeqCst);
                thread::sleep(Duration::from_millis(if job == 0 { 100 } else { 20 }));
                self.now.fetch_sub(threads, Ordering::SeqCst);
            }
        }
        let most = |jobs: &str| {
            let wide = Wide {
                list: AtomicUsize::new(0),
                now: AtomicUsize::new(0),
                most: AtomicUsize::new(0),
            };
            run_queue(&Env::from_map([("NUM_JOBS", jobs)]), &wide);
            assert_eq!(wide.list.into_inner(), 6);
            wide.most.into_inner()
        };
        assert!((3..=4).contains(&most("4")));
        // Where there are not as many, it takes what there is.
        assert_eq!(most("1"), 3);
        assert!(most("2") <= 3);
    }

    #[test]
    fn nothing_to_do_is_fine() {
        assert!(run(&Env::from_map([("A", "b")]), Vec::<u8>::new(), |item| item).is_empty());
    }

    #[test]
    fn a_panic_is_passed_on_and_does_not_hang() {
        let env = Env::from_map([("NUM_JOBS", "2")]);
        let result = std::panic::catch_unwind(|| {
            run(&env, vec![1, 2, 3], |item| assert_ne!(item, 2));
        });
        assert!(result.is_err());
    }

    #[test]
    fn reads_what_make_and_cargo_write() {
        let both = |path: &str| Some((PathBuf::from(path), PathBuf::from(path)));
        for (flags, expected) in [
            (
                "-j --jobserver-auth=fifo:/tmp/GMfifo12",
                both("/tmp/GMfifo12"),
            ),
            (
                "--jobserver-fds=8,9 -j --jobserver-auth=3,4",
                Some(("/proc/self/fd/3".into(), "/proc/self/fd/4".into())),
            ),
            ("--jobserver-auth=-2,-2", None),
            ("--jobserver-auth=3", None),
            ("-j8", None),
            ("", None),
        ] {
            assert_eq!(pipe_paths(flags), expected, "{flags}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn takes_tokens_from_the_pool_and_puts_them_back() {
        let path = std::env::temp_dir().join(format!("cubin-build-jobs-{}", std::process::id()));
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.is_ok_and(|status| status.success()), "mkfifo");
        let pipe = File::options().read(true).write(true).open(&path).unwrap();
        let flags = format!("-j --jobserver-auth=fifo:{}", path.display());
        let env = Env::from_map([("CARGO_MAKEFLAGS", flags.as_str()), ("NUM_JOBS", "9")]);

        assert_eq!(
            most_at_once(&env),
            1,
            "an empty pool leaves the token of the start"
        );
        (&pipe).write_all(b"ab").unwrap();
        assert!((2..=3).contains(&most_at_once(&env)));
        // The token of the start is used again while both of the pool are out: job 3 comes in job 0's place, or jobs 1
        // and 2 wait in vain.
        let (started, third) = (Mutex::new(false), std::sync::Condvar::new());
        run(&env, vec![0, 1, 2, 3], |job| match job {
            1 | 2 => {
                let limit = Duration::from_secs(20);
                let mut seen = started.lock().unwrap();
                while !*seen {
                    let (guard, waited) = third.wait_timeout(seen, limit).unwrap();
                    assert!(!waited.timed_out(), "job 3 did not start");
                    seen = guard;
                }
            }
            3 => {
                *started.lock().unwrap() = true;
                third.notify_all();
            }
            _ => {}
        });
        let mut back = [0; 2];
        (&pipe).read_exact(&mut back).unwrap();
        back.sort_unstable();
        assert_eq!(&back, b"ab", "the very bytes that were taken");
        std::fs::remove_file(path).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_no_pipe_is_not_used() {
        for path in ["/dev/null", "/no/such/pipe", "/"] {
            let flags = format!("--jobserver-auth=fifo:{path}");
            assert!(
                Pool::inherited(&Env::from_map([("MAKEFLAGS", flags)])).is_none(),
                "{path}"
            );
        }
        let closed = Env::from_map([("MAKEFLAGS", "--jobserver-auth=998,999")]);
        assert!(Pool::inherited(&closed).is_none());
    }
}
