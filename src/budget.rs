//! What long work is doing, and where it ends.
//!
//! Phases that can take long count what they do, isl its operations, and give up by that count: the same on every
//! machine. [`watch`] is the net below: it ends the process where something that nobody counts takes too long.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByStatement};
use crate::polyhedral::isl::Exhausted;
use crate::source::kernel::{Kernel, Node, Statement};

/// Processor time and memory for generating an accelerator.
const TIME: Duration = Duration::from_secs(50);
const MEMORY: u64 = 1800 << 20;
/// How often the watch looks.
const INTERVAL: Duration = Duration::from_millis(100);

/// The last phase that any thread has begun, for those who look from outside.
static LATEST: Mutex<&str> = Mutex::new("");

thread_local! {
    static PHASE: Cell<&'static str> = const { Cell::new("") };
}

/// Begins a phase; `name` completes "it stopped in …".
pub fn begin(name: &'static str) {
    PHASE.set(name);
    if let Ok(mut latest) = LATEST.lock() {
        *latest = name;
    }
}

/// The phase that began last in any thread, empty before the first.
pub fn latest() -> &'static str {
    LATEST.lock().map_or("", |latest| *latest)
}

/// The most loops in each other: relations between iterations have twice as many dimensions, and operations of isl on
/// them that count as one take ever longer.
const DEEPEST: usize = 12;

/// Refuses nests that are too deep.
pub fn require_shallow(kernel: &Kernel) -> Result<(), Diagnostic> {
    let depths: ByStatement<usize> = kernel.iterators().iter().map(Vec::len).collect();
    let Some(deep) = depths.position(|depth| *depth > DEEPEST) else { return Ok(()) };
    Err(Diagnostic::new(format!(
        "{} loops in each other are too many to analyse: burstc takes up to {DEEPEST}",
        depths[deep]
    ))
    .at(kernel.statements()[deep].span, "the innermost statement")
    .help("write inner loops over few values out, or make one loop of two whose subscripts follow each other"))
}

/// The most different elements of one array that an instance of a statement reads, or of several arrays if their squares add
/// up to as much: every pair of an array's is compared, and each is a port.
const MOST_READS: usize = 400;

/// Refuses statements that read too much at once.
pub fn require_few_reads(kernel: &Kernel) -> Result<(), Diagnostic> {
    let reads = |statement: &Statement| {
        let mut reads: BTreeMap<ArrayId, usize> = BTreeMap::new();
        statement.references().iter().for_each(|read| *reads.entry(read.array).or_default() += 1);
        reads
    };
    let pairs =
        |statement: &&Statement| reads(statement).values().map(|n| n * n).sum::<usize>() > MOST_READS * MOST_READS;
    let statements = kernel.statements();
    let Some(wide) = statements.iter().copied().find(pairs) else { return Ok(()) };
    Err(Diagnostic::new(format!(
        "a statement that reads {} different elements is too much to analyse: burstc takes up to {MOST_READS} of an array",
        reads(wide).values().sum::<usize>()
    ))
    .at(wide.span, "this statement")
    .help("add the elements up in a loop, or in several statements"))
}

/// An analysis that has used up its operations as the user is to see it; other errors as they are.
pub fn refusal(error: anyhow::Error, kernel: &Kernel) -> anyhow::Error {
    if !error.is::<Exhausted>() {
        return error;
    }
    let (statements, depth) = (kernel.statements().len(), kernel.iterators().iter().map(Vec::len).max().unwrap_or(0));
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let place = kernel.body.iter().max_by_key(|node| weight(node)).and_then(|node| match node {
        Node::Loop(inner) => Some(inner.span),
        Node::If(inner) => Some(inner.span),
        Node::Statement(_) => None,
    });
    let place = place.or_else(|| kernel.statements().first().map(|s| s.span)).unwrap_or_default();
    Diagnostic::new(format!("the analysis of these loops takes too long; it stopped in {}", PHASE.get()))
        .at(place, format!("{} in up to {}", plural(statements, "statement"), plural(depth, "loop")))
        .help(
            "take fewer statements or fewer loops: nests one after the other as kernels of their own, inner loops over \
             few values written out, values that are needed once without an array; or give the tiles yourself with \
             `#pragma burstc tile(…)`",
        )
        .into()
}

/// How much the analysis has to do for a part of the kernel, roughly.
fn weight(node: &Node) -> usize {
    match node {
        Node::Statement(_) => 1,
        Node::Loop(inner) => 2 * inner.body.iter().map(weight).sum::<usize>(),
        Node::If(inner) => inner.body.iter().map(weight).sum(),
    }
}

/// Ends the process by `end` with a refusal where it takes more processor time or memory than it should, until the result
/// is dropped.
pub fn watch(end: impl Fn(&Diagnostic) + Send + 'static) -> Watch {
    watch_within(TIME, MEMORY, end)
}

fn watch_within(time: Duration, memory: u64, end: impl Fn(&Diagnostic) + Send + 'static) -> Watch {
    let is_over = Arc::new(AtomicBool::new(false));
    let over = is_over.clone();
    let begin = Usage::now();
    // Without a watch where there is no thread for it.
    let _ = std::thread::Builder::new().spawn(move || {
        while !over.load(Ordering::Relaxed) {
            let now = Usage::now();
            let what = if now.time.saturating_sub(begin.time) > time {
                format!("takes more than {} seconds", time.as_secs())
            } else if now.memory > memory {
                format!("takes more than {} MB of memory", memory >> 20)
            } else {
                std::thread::sleep(INTERVAL);
                continue;
            };
            if !over.load(Ordering::Relaxed) {
                end(&Diagnostic::new(format!("burstc {what}; it stopped in {}", latest()))
                    .help("take fewer statements, fewer loops, or shorter expressions"));
            }
            return;
        }
    });
    Watch(is_over)
}

/// See [`watch`].
pub struct Watch(Arc<AtomicBool>);

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// What the process has used.
struct Usage {
    time: Duration,
    /// Bytes; 0 where the system does not tell.
    memory: u64,
}

impl Usage {
    /// By Linux's files; elsewhere by the clock.
    fn now() -> Usage {
        static BEGIN: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
        let fields = |path: &str, skip: &str| -> Option<Vec<u64>> {
            let text = std::fs::read_to_string(path).ok()?;
            let fields = text.rsplit_once(skip).map_or(text.as_str(), |(_, rest)| rest);
            Some(fields.split_whitespace().map(|field| field.parse().unwrap_or(0)).collect())
        };
        // The process's name, in parentheses, may have blanks. Times are in hundredths of a second.
        let time =
            fields("/proc/self/stat", ")").and_then(|f| Some(Duration::from_millis(10 * (f.get(11)? + f.get(12)?))));
        let memory = fields("/proc/self/statm", "\0").and_then(|f| Some(f.get(1)? * 4096));
        Usage { time: time.unwrap_or_else(|| BEGIN.elapsed()), memory: memory.unwrap_or(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watch_ends_what_takes_too_long() {
        let told = |time: Duration, memory: u64| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let watch = watch_within(time, memory, move |diagnostic| drop(sender.send(diagnostic.message.clone())));
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(1) {
                std::hint::spin_loop();
            }
            drop(watch);
            receiver.recv_timeout(Duration::from_secs(10)).ok()
        };
        assert_eq!(told(TIME, MEMORY), None);
        let message = told(Duration::ZERO, MEMORY).expect("the time is over at once");
        assert!(message.contains("takes more than 0 seconds"), "{message}");
        if Usage::now().memory > 0 {
            let message = told(TIME, 1 << 20).expect("a test has more than a megabyte");
            assert!(message.contains("takes more than 1 MB of memory"), "{message}");
        }
    }

    #[test]
    fn usage_grows_with_work_and_memory() {
        let before = Usage::now();
        let mut room = vec![1u8; 64 << 20];
        let begin = Instant::now();
        let mut sum = 0u64;
        while begin.elapsed() < Duration::from_millis(200) {
            sum = room.iter().step_by(64).map(|b| u64::from(*b)).sum::<u64>() + sum / 2;
            room[(sum % 1000) as usize] ^= 1;
        }
        let after = Usage::now();
        assert!(after.time > before.time, "{sum}");
        if before.memory > 0 {
            assert!(after.memory > before.memory + (32 << 20), "{} {}", before.memory, after.memory);
        }
    }
}
