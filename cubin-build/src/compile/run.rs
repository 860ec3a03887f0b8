//! Runs one tool to its end: what it prints is kept within a bound, a note says when it takes long, and where a time is
//! set, it ends then with all that it started.
//!
//! Does not know what the tools do, or what their words mean.

use std::{
    io::{self, Read},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::{Duration, Instant},
};

use crate::{env::Env, jobs};

/// The variable that says after how many seconds a tool is ended.
pub(crate) const TIMEOUT: &str = "CUBIN_BUILD_TIMEOUT";

/// What is kept of the beginning, and of the end, of each of a tool's two streams: together more than ptxas prints of
/// 20,000 kernels with long names.
const KEPT: usize = 8 << 20;
/// Said after this time, and again each time that as much as until then has gone by.
const LONG: Duration = Duration::from_secs(300);
/// How often a tool that prints nothing is looked at.
const LOOK: Duration = Duration::from_millis(100);
/// Why nothing runs any more.
const ORPHANED: &str = "the program that started this build has ended";
/// How long the streams of a tool that has ended are read, where something that it started holds them open.
const LEFT_OPEN: Duration = Duration::from_secs(5);

/// A tool that has run to its end.
#[derive(Debug)]
pub(super) struct Finished {
    pub(super) status: ExitStatus,
    /// What it printed: standard error first, then standard output. Where that was too much, a line says so in the
    /// place of what is left out.
    pub(super) log: String,
}

/// Why there is no result of a tool.
#[derive(Debug)]
pub(super) enum Stopped {
    /// It could not be started: what the system says.
    Spawn(String),
    /// It ran longer than it was given, and was ended.
    Timeout {
        limit: Duration,
        /// What it had printed.
        log: String,
    },
}

/// How long a tool may run, where [`TIMEOUT`] says so; as long as it likes where the value makes no sense, which whoever
/// reads the settings has said.
pub(super) fn limit(env: &Env) -> Option<Duration> {
    // It cannot change what comes out.
    seconds(env.peek(TIMEOUT)?.to_str()?)
}

/// A value of [`TIMEOUT`]: a whole number of seconds, at least 1.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let seconds: u32 = text.trim().parse().ok()?;
    (seconds > 0).then(|| Duration::from_secs(seconds.into()))
}

/// Runs a tool without input. `what` names it and what it works on, for the note that says that it takes long.
pub(super) fn run(
    command: &mut Command,
    what: &str,
    limit: Option<Duration>,
) -> Result<Finished, Stopped> {
    // Cargo shows it with -vv; standard output belongs to its directives.
    run_with(command, limit, LONG, &mut |time| {
        eprintln!(
            "note: {what} has been running for {}{}",
            words(time),
            hint(limit)
        );
    })
}

fn hint(limit: Option<Duration>) -> String {
    match limit {
        Some(limit) => format!("; it is ended after {}", words(limit)),
        None => format!("; {TIMEOUT}=SECONDS would end it after that time"),
    }
}

/// Whether a program was ended by signal 9, or one that it started, as the shell between them says it (128 + 9): the
/// system does that where memory is short.
pub(super) fn killed(status: ExitStatus) -> bool {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal: Option<i32> = None;
    signal == Some(9) || status.code() == Some(137)
}

/// A time as a person says it.
pub(super) fn words(time: Duration) -> String {
    let (count, unit) = match time.as_secs() {
        seconds if seconds < 120 || seconds % 60 != 0 => (seconds, "second"),
        seconds => (seconds / 60, "minute"),
    };
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {unit}{plural}")
}

/// Tools run in a process group of their own, which a shell leads that waits for this process: when it ends, however it
/// does, the pipe between them closes, and the shell ends the group. So no compiler goes on after a build that was killed or
/// interrupted, not even what nvcc or gcc have started. One for all tools that run at a time.
static GROUP: Mutex<Group> = Mutex::new(Group {
    leader: None,
    users: 0,
});

struct Group {
    leader: Option<Child>,
    users: usize,
}

/// Keeps the group of tools.
pub(super) struct Guard(());

impl Guard {
    /// The group as it is, or a new one.
    pub(super) fn new() -> Self {
        let mut group = GROUP.lock().unwrap_or_else(PoisonError::into_inner);
        group.users += 1;
        if group.leader.is_none() {
            group.leader = leader();
        }
        Self(())
    }

    /// Puts a tool into the group.
    fn join(&self, command: &mut Command) {
        #[cfg(unix)]
        {
            use std::os::unix::process::CommandExt as _;
            let group = GROUP.lock().unwrap_or_else(PoisonError::into_inner);
            let leader = group.leader.as_ref().map(Child::id);
            if let Some(id) = leader.and_then(|id| i32::try_from(id).ok()) {
                command.process_group(id);
            }
        }
        #[cfg(not(unix))]
        let _ = (self, command);
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut group = GROUP.lock().unwrap_or_else(PoisonError::into_inner);
        group.users -= 1;
        if group.users == 0
            && let Some(mut leader) = group.leader.take()
        {
            drop(leader.stdin.take());
            let _ = leader.wait();
        }
    }
}

#[cfg(unix)]
fn leader() -> Option<Child> {
    use std::os::unix::process::CommandExt as _;
    let mut shell = Command::new("/bin/sh");
    shell
        .args(["-c", "trap '' HUP INT TERM; read -r line; kill -KILL 0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0);
    // Without one tools run as they would by themselves.
    shell.spawn().ok()
}

#[cfg(not(unix))]
fn leader() -> Option<Child> {
    None
}

/// Whether the program that started this one is gone: nobody waits for a build script whose cargo was killed.
fn orphaned() -> bool {
    #[cfg(unix)]
    {
        static PARENT: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
        let now = std::os::unix::process::parent_id();
        *PARENT.get_or_init(|| now) != now
    }
    #[cfg(not(unix))]
    false
}

fn run_with(
    command: &mut Command,
    limit: Option<Duration>,
    long: Duration,
    note: &mut dyn FnMut(Duration),
) -> Result<Finished, Stopped> {
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if orphaned() {
        return Err(Stopped::Spawn(ORPHANED.to_owned()));
    }
    let guard = Guard::new();
    guard.join(command);
    let mut child = command
        .spawn()
        .map_err(|error| Stopped::Spawn(error.to_string()))?;
    let streams = Streams::read(&mut child);
    let start = Instant::now();
    let mut next_note = long;
    // When the tool itself was seen to have ended, though a stream is open.
    let mut ended: Option<(ExitStatus, Instant)> = None;
    loop {
        let closed = streams.wait(LOOK);
        if let (None, Ok(Some(status))) = (ended, child.try_wait()) {
            ended = Some((status, Instant::now()));
        }
        match ended {
            Some((status, _)) if closed => return Ok(streams.finished(status)),
            Some((status, since)) if since.elapsed() > LEFT_OPEN => {
                return Ok(streams.finished(status));
            }
            // Between the end of its streams and its own there is no more than a moment.
            None if closed => thread::sleep(Duration::from_millis(1)),
            _ => {}
        }
        if ended.is_none() && orphaned() {
            end_tree(&mut child);
            return Err(Stopped::Spawn(ORPHANED.to_owned()));
        }
        let time = start.elapsed();
        if let Some(limit) = limit.filter(|limit| time >= *limit)
            && ended.is_none()
        {
            end_tree(&mut child);
            streams.wait(LEFT_OPEN);
            let log = streams.log();
            return Err(Stopped::Timeout { limit, log });
        }
        if time >= next_note {
            note(next_note);
            next_note *= 2;
        }
    }
}

/// The two streams of a tool, read by a thread each.
struct Streams([Arc<Stream>; 2]);

#[derive(Default)]
struct Stream {
    text: Mutex<Text>,
    closed: Condvar,
}

/// What was read of a stream: its beginning and its end.
#[derive(Default)]
struct Text {
    first: Vec<u8>,
    /// A ring of at most [`KEPT`] bytes.
    last: Vec<u8>,
    /// Where the ring's oldest byte is.
    oldest: usize,
    left_out: u64,
    closed: bool,
}

impl Streams {
    fn read(child: &mut Child) -> Self {
        let streams = Self([Arc::default(), Arc::default()]);
        if let Some(from) = child.stderr.take() {
            streams.0[0].read(from);
        }
        if let Some(from) = child.stdout.take() {
            streams.0[1].read(from);
        }
        streams
    }

    /// Whether both have ended; waits for that, but not longer than `limit` for each.
    fn wait(&self, limit: Duration) -> bool {
        self.0.iter().all(|stream| {
            let text = stream.lock();
            if text.closed {
                return true;
            }
            let waited = stream.closed.wait_timeout(text, limit);
            waited.unwrap_or_else(PoisonError::into_inner).0.closed
        })
    }

    fn finished(&self, status: ExitStatus) -> Finished {
        let log = self.log();
        Finished { status, log }
    }

    fn log(&self) -> String {
        let mut log = String::new();
        for stream in &self.0 {
            stream.lock().write(&mut log);
        }
        log
    }
}

impl Stream {
    fn lock(&self) -> std::sync::MutexGuard<'_, Text> {
        self.text.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads on a thread of its own: a tool must never wait for a reader that reads the other stream.
    fn read(self: &Arc<Self>, from: impl Read + Send + 'static) {
        let stream = Arc::clone(self);
        let from: Box<dyn Read + Send> = Box::new(from);
        jobs::background(Box::new(move || stream.read_all(from)));
    }

    fn read_all(&self, mut from: Box<dyn Read + Send>) {
        let mut buffer = vec![0; 64 << 10];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => self.lock().add(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        self.lock().closed = true;
        self.closed.notify_all();
    }
}

impl Text {
    fn add(&mut self, bytes: &[u8]) {
        let room = (KEPT - self.first.len()).min(bytes.len());
        let (first, rest) = bytes.split_at(room);
        self.first.extend_from_slice(first);
        let room = (KEPT - self.last.len()).min(rest.len());
        let (appended, rest) = rest.split_at(room);
        self.last.extend_from_slice(appended);
        self.left_out += rest.len() as u64;
        let mut rest = rest;
        while !rest.is_empty() {
            let room = (KEPT - self.oldest).min(rest.len());
            let (now, later) = rest.split_at(room);
            self.last[self.oldest..self.oldest + room].copy_from_slice(now);
            self.oldest = (self.oldest + room) % KEPT;
            rest = later;
        }
    }

    fn write(&self, out: &mut String) {
        out.push_str(&String::from_utf8_lossy(&self.first));
        if self.left_out > 0 {
            out.push_str(&format!("\n[{} bytes are left out here]\n", self.left_out));
        }
        let (end, begin) = self.last.split_at(self.oldest);
        let last = [begin, end].concat();
        out.push_str(&String::from_utf8_lossy(&last));
    }
}

/// Ends a tool and all that it started: nvcc's own compilers would go on without it.
fn end_tree(child: &mut Child) {
    let root = child.id();
    // A process that is stopped starts no more; those that it had started by then are found in the next round.
    let mut known = Vec::new();
    for _ in 0..8 {
        let found = tree::of(root);
        if found == known {
            break;
        }
        known = found;
        tree::signal("-STOP", &known);
    }
    tree::signal("-KILL", &known);
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(target_os = "linux")]
mod tree {
    use std::{
        fs,
        process::{Command, Stdio},
    };

    use crate::sorted;

    /// A process and all that descend from it.
    pub(super) fn of(root: u32) -> Vec<u32> {
        let mut parents = Vec::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let name = entry.file_name();
            let Some(id) = name.to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            // `ID (NAME) STATE PARENT …`; a name may hold anything, also `)`.
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            let parent = stat.rsplit_once(')').and_then(|(_, rest)| {
                let mut words = rest.split_whitespace();
                words.nth(1)?.parse::<u32>().ok()
            });
            parents.extend(parent.map(|parent| (id, parent)));
        }
        let mut all = vec![root];
        let mut at = 0;
        while let Some(&parent) = all.get(at) {
            for &(id, of) in &parents {
                if of == parent && !all.contains(&id) {
                    all.push(id);
                }
            }
            at += 1;
        }
        sorted::sort(&mut all);
        all
    }

    /// Sends a signal, by the shell's own `kill`: without one every call to the system would be unsafe code.
    pub(super) fn signal(name: &str, ids: &[u32]) {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", "kill \"$@\"", "kill", name]);
        for id in ids {
            shell.arg(id.to_string());
        }
        let quiet = shell
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let _ = quiet.status();
    }
}

#[cfg(windows)]
mod tree {
    use std::process::{Command, Stdio};

    pub(super) fn of(root: u32) -> Vec<u32> {
        vec![root]
    }

    /// Ends the tree; nothing can be stopped.
    pub(super) fn signal(name: &str, ids: &[u32]) {
        for id in ids.iter().filter(|_| name == "-KILL") {
            let mut kill = Command::new("taskkill");
            let id = id.to_string();
            let quiet = kill
                .args(["/T", "/F", "/PID", &id])
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            let _ = quiet.status();
        }
    }
}

#[cfg(not(any(target_os = "linux", windows)))]
mod tree {
    pub(super) fn of(root: u32) -> Vec<u32> {
        vec![root]
    }

    pub(super) fn signal(_: &str, _: &[u32]) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    fn shell(text: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", text]);
        command
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_tool_ends_with_its_status_and_what_it_printed() {
        let run = run(&mut shell("echo out; echo err >&2; exit 3"), "sh", None).unwrap();
        assert_eq!(run.status.code(), Some(3));
        assert_eq!(run.log, "err\nout\n");
        let gone = super::run(&mut Command::new("/no/such/tool"), "x", None);
        assert!(matches!(gone, Err(Stopped::Spawn(_))), "{gone:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn of_much_output_the_two_ends_are_kept() {
        let text = "echo begin >&2; head -c 100000000 /dev/zero | tr '\\0' x >&2; echo end >&2";
        let run = run(&mut shell(text), "sh", None).unwrap();
        assert!(run.status.success());
        assert!(run.log.starts_with("begin\nxxx"));
        assert!(run.log.ends_with("xxxend\n"));
        let total = "begin\nend\n".len() as u64 + 100_000_000;
        let left_out = total - 2 * KEPT as u64;
        let said = format!("x\n[{left_out} bytes are left out here]\nx");
        assert!(run.log.contains(&said));
        assert!(run.log.len() < 2 * KEPT + 100, "{}", run.log.len());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_takes_too_long_is_ended_with_all_that_it_started() {
        let dir = std::env::temp_dir().join(format!("cubin-build-run-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let file = dir.join("ids");
        let text = format!(
            "echo said >&2; (sleep 600 & echo $! > '{0}'; wait) & wait",
            file.display()
        );
        let limit = Duration::from_millis(400);
        let start = Instant::now();
        let stopped = run(&mut shell(&text), "sh", Some(limit));
        assert!(start.elapsed() < Duration::from_secs(60));
        let Err(Stopped::Timeout { log, .. }) = stopped else {
            panic!("{stopped:?}");
        };
        assert_eq!(log, "said\n");
        let sleeping = std::fs::read_to_string(&file).unwrap();
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", sleeping.trim()));
        let gone = stat.map_or(true, |stat| stat.contains(") Z "));
        assert!(gone, "the grandchild goes on");
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_holds_a_stream_open_is_not_waited_for() {
        let text = "sleep 60 & echo $!";
        let start = Instant::now();
        let run = run(&mut shell(text), "sh", None).unwrap();
        assert!(start.elapsed() < Duration::from_secs(40));
        tree::signal("-KILL", &[run.log.trim().parse().unwrap()]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_note_is_given_while_it_takes_long() {
        let mut notes = Vec::new();
        let long = Duration::from_millis(200);
        let run = run_with(&mut shell("sleep 1"), None, long, &mut |time| {
            notes.push(time);
        });
        assert!(run.is_ok_and(|run| run.status.success()));
        assert_eq!(notes.first(), Some(&long));
        assert!(notes.len() >= 2 && notes[1] == long * 2, "{notes:?}");
    }

    #[test]
    fn times_in_words() {
        let words = |seconds| words(Duration::from_secs(seconds));
        assert_eq!(words(1), "1 second");
        assert_eq!(words(90), "90 seconds");
        assert_eq!(words(300), "5 minutes");
        for (text, seconds) in [("5", Some(5)), ("0", None), ("-1", None), ("1m", None)] {
            assert_eq!(
                super::seconds(text),
                seconds.map(Duration::from_secs),
                "{text}"
            );
        }
    }
}
