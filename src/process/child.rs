//! Running another program: with a limit of time and of output, in a process group of its own, ended with burstc.

use std::io::{self, Read, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::belongings::Owned;

/// By so much what a process is told to have taken may be ahead.
const TICKS: Duration = Duration::from_millis(50);

/// How far a program may go.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// From start to end.
    pub time: Option<Duration>,
    /// Of a processor, for each of its processes, in whole seconds: beside other work the same program is not cut off sooner.
    pub processor: Option<Duration>,
    /// Bytes on standard output, and as many on standard error.
    pub output: Option<usize>,
    /// Bytes of address space, of each of its processes.
    pub memory: Option<u64>,
    /// Its stack may grow as far as the system lets it: for programs with large local arrays.
    pub deep_stack: bool,
}

/// Why a program was ended before it ended by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Of time.
    Time,
    /// Of a processor's time.
    Processor,
    /// Of output.
    Output,
}

/// A program that has ended, or was ended.
#[derive(Debug)]
pub struct Ended {
    pub status: ExitStatus,
    /// What it printed; where there is a limit, at most so many bytes.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub cut: Option<Cut>,
}

impl Ended {
    /// As the standard library has it.
    pub fn into_output(self) -> Output {
        Output { status: self.status, stdout: self.stdout, stderr: self.stderr }
    }
}

/// Runs a command without input. Errors: what starting it gives, `NotFound` where there is no such program.
pub fn run(command: &mut Command, limits: Limits) -> io::Result<Ended> {
    run_with_input(command, vec![], limits)
}

/// Runs a command with `input` on its standard input. It gets a process group of its own, with which a signal to burstc
/// ends all its descendants; on Linux the kernel ends the child too where burstc is killed.
pub fn run_with_input(command: &mut Command, input: Vec<u8>, limits: Limits) -> io::Result<Ended> {
    command.stdin(if input.is_empty() { Stdio::null() } else { Stdio::piped() });
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0);
    let parent = rustix::process::getpid();
    // SAFETY: only system calls, which are allowed between fork and exec, and no allocation.
    unsafe {
        command.pre_exec(move || prepare(parent, limits));
    }
    let mut owned = Owned::spawn(command)?;
    let (sender, receiver) = mpsc::channel();
    // Not joined: a descendant that left the group could hold the pipes open for ever.
    if let Some(mut pipe) = owned.child().stdin.take() {
        // A program that has seen enough closes its end; its messages tell why.
        thread::spawn(move || pipe.write_all(&input));
    }
    let streams: [Option<Box<dyn Read + Send>>; 2] = [
        owned.child().stdout.take().map(|pipe| Box::new(pipe) as _),
        owned.child().stderr.take().map(|pipe| Box::new(pipe) as _),
    ];
    let mut open = 0;
    for (number, pipe) in streams.into_iter().enumerate() {
        let Some(pipe) = pipe else { continue };
        let sender = sender.clone();
        open += 1;
        thread::spawn(move || {
            // Nobody listens where the program was given up.
            let _ = sender.send((number, capture(pipe, limits.output)));
        });
    }
    drop(sender);

    let begin = Instant::now();
    let left = || limits.time.map(|limit| limit.saturating_sub(begin.elapsed()));
    let mut captured: [Vec<u8>; 2] = Default::default();
    let mut cut = None;
    let status = loop {
        if left().is_some_and(|left| left.is_zero()) {
            cut = cut.or(Some(Cut::Time));
        }
        if cut.is_some() {
            owned.kill();
        }
        if open > 0 {
            let wait = left().unwrap_or(LONG).min(if cut.is_some() { GRACE } else { LONG });
            match receiver.recv_timeout(wait) {
                Ok((number, Ok((bytes, over)))) => {
                    captured[number] = bytes;
                    open -= 1;
                    cut = cut.or(over.then_some(Cut::Output));
                }
                Ok((_, Err(error))) => return Err(error),
                Err(RecvTimeoutError::Timeout) if cut.is_none() => {}
                Err(_) => open = 0,
            }
            continue;
        }
        // It has closed its output, or was killed: it is about to end.
        match owned.try_wait()? {
            Some(status) => break status,
            None => thread::sleep(Duration::from_millis(1)),
        }
    };
    // A processor gives no more time than passes, but for the ticks that it is counted in. The compiler's driver tells of a
    // signal that has ended the compiler, and ends by itself.
    let used_up = limits.processor.is_some_and(|limit| begin.elapsed() + TICKS >= limit);
    if used_up && !status.success() {
        cut = cut.or(Some(Cut::Processor));
    }
    let [stdout, stderr] = captured;
    Ok(Ended { status, stdout, stderr, cut })
}

/// As good as for ever.
const LONG: Duration = Duration::from_secs(3600);
/// For what a killed program has left in its pipes.
const GRACE: Duration = Duration::from_millis(500);

/// In the child, before the program begins.
fn prepare(parent: rustix::process::Pid, limits: Limits) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))?;
        // The parent may have ended before.
        if rustix::process::getppid() != Some(parent) {
            return Err(io::ErrorKind::Interrupted.into());
        }
    }
    let _ = parent;
    // A program that is stopped by a signal leaves no file.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    if limits.deep_stack {
        let most = getrlimit(Resource::Stack).maximum;
        setrlimit(Resource::Stack, Rlimit { current: most, maximum: most })?;
    }
    if let Some(time) = limits.processor {
        // Those who run burstc may have set less.
        let most = getrlimit(Resource::Cpu).maximum.unwrap_or(u64::MAX);
        let seconds = Some(time.as_secs().min(most));
        setrlimit(Resource::Cpu, Rlimit { current: seconds, maximum: seconds })?;
    }
    if let Some(bytes) = limits.memory {
        setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    }
    Ok(())
}

/// All that comes out of a pipe, or its first `limit` bytes, and whether there was more.
fn capture(mut pipe: impl Read, limit: Option<usize>) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    let Some(limit) = limit else {
        pipe.read_to_end(&mut bytes)?;
        return Ok((bytes, false));
    };
    pipe.by_ref().take(limit as u64).read_to_end(&mut bytes)?;
    let over = bytes.len() == limit && pipe.read(&mut [0])? > 0;
    Ok((bytes, over))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn output_input_and_status_come_back() {
        let ended = run_with_input(&mut shell("cat; echo bad >&2; exit 3"), b"hello".to_vec(), Limits::default());
        let ended = ended.unwrap();
        assert_eq!((ended.stdout.as_slice(), ended.stderr.as_slice()), (&b"hello"[..], &b"bad\n"[..]));
        assert_eq!((ended.status.code(), ended.cut), (Some(3), None));
        assert_eq!(run(&mut shell("cat"), Limits::default()).unwrap().stdout, b"");
        let missing = run(&mut Command::new("there-is-no-such-program"), Limits::default()).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    /// A grandchild holds the pipe and would sleep on.
    #[test]
    fn time_ends_all_descendants() {
        let limits = Limits { time: Some(Duration::from_millis(200)), ..Limits::default() };
        for script in ["sleep 60 & echo $!; wait", "sleep 60 & echo $!", "exec >&- 2>&-; sleep 60"] {
            let begin = Instant::now();
            let ended = run(&mut shell(script), limits).unwrap();
            assert_eq!(ended.cut, Some(Cut::Time), "{script}");
            assert!(begin.elapsed() < Duration::from_secs(10), "{script}");
            let Ok(pid) = String::from_utf8_lossy(&ended.stdout).trim().parse::<i32>() else { continue };
            assert!(ends(pid), "{script}");
        }
    }

    fn ends(pid: i32) -> bool {
        (0..500).any(|_| {
            thread::sleep(Duration::from_millis(10));
            let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            status.is_empty() || status.contains(") Z ")
        })
    }

    #[test]
    fn processor_time_ends_what_computes_and_not_what_waits() {
        let limits = Limits { processor: Some(Duration::from_secs(1)), ..Limits::default() };
        let ended = run(&mut shell("(while :; do :; done); exit 1"), limits).unwrap();
        assert_eq!(ended.cut, Some(Cut::Processor));
        let ended = run(&mut shell("sleep 2; echo done"), limits).unwrap();
        assert_eq!((ended.stdout.as_slice(), ended.cut), (&b"done\n"[..], None));
    }

    #[test]
    fn output_without_end_is_cut() {
        let limits = Limits { output: Some(1000), ..Limits::default() };
        let ended = run(&mut shell("yes"), limits).unwrap();
        assert_eq!((ended.stdout.len(), ended.cut), (1000, Some(Cut::Output)));
        let ended = run(&mut shell("printf %1000d 1"), limits).unwrap();
        assert_eq!((ended.stdout.len(), ended.cut), (1000, None));
    }

    #[test]
    fn memory_is_limited() {
        let limits = Limits { memory: Some(64 << 20), ..Limits::default() };
        let ended = run(&mut shell("exec head -c 200000000 /dev/zero | sort -S 100M > /dev/null"), limits).unwrap();
        assert!(!ended.status.success() && ended.cut.is_none());
    }
}
