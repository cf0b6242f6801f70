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

use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByStatement};
use crate::operators;
use crate::polyhedral::isl::Exhausted;
use crate::source::kernel::{Expr, Kernel, Node, Statement};

/// Processor time and memory for generating an accelerator.
const TIME: Duration = Duration::from_secs(50);
const MEMORY: u64 = 1800 << 20;
/// How often the watch looks.
const INTERVAL: Duration = Duration::from_millis(100);

/// The place of what is compiled, for those who look from outside.
static PLACE: Mutex<Option<(Span, String)>> = Mutex::new(None);

/// The last phase that any thread has begun, for those who look from outside.
static LATEST: Mutex<&str> = Mutex::new("");

thread_local! {
    static PHASE: Cell<&'static str> = const { Cell::new("") };
}

/// The phase that an analysis is in.
pub fn phase() -> &'static str {
    PHASE.get()
}

/// Begins a phase; `name` completes "it stopped in …".
pub fn begin(name: &'static str) {
    PHASE.set(name);
    if let Ok(mut latest) = LATEST.lock() {
        *latest = name;
    }
}

/// From now on it is this kernel that takes long.
pub fn compiles(kernel: &Kernel) {
    if let Ok(mut place) = PLACE.lock() {
        *place = Some((heaviest(kernel), extent(kernel)));
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

/// The most registers of a statement in which values wait for what is computed beside them.
const MOST_WAITING: u64 = 150_000;

/// Refuses statements whose operators wait for each other in a long line: of n operators in which each takes a new value
/// beside the result of the one before, the last value waits for n, all of them for n * n / 2.
pub fn require_short_chains(kernel: &Kernel) -> Result<(), Diagnostic> {
    let waiting = |statement: &Statement| statement.values().map(|value| waits(value).waiting).sum::<u64>();
    let statements = kernel.statements();
    let long = statements.iter().map(|s| (*s, waiting(s))).find(|(_, count)| *count > MOST_WAITING);
    let Some((long, count)) = long else { return Ok(()) };
    Err(Diagnostic::new(format!(
        "the values of this statement wait in about {count} registers for the results that they are combined with: burstc \
         takes up to {MOST_WAITING}"
    ))
    .at(long.span, "operators in a long line")
    .help("write sums as trees, (a + b) + (c + d), or take several statements, or a loop over an array"))
}

/// A value in the pipeline of its statement.
struct Waits {
    /// Cycles from the first operand to the value; `None` for constants and arguments.
    cycles: Option<u64>,
    /// Registers in which operands wait.
    waiting: u64,
}

fn waits(expr: &Expr) -> Waits {
    let operands: Vec<Waits> = expr.operands().into_iter().map(waits).collect();
    let latest = match expr {
        Expr::Read { .. } | Expr::Index { .. } => Some(0),
        _ => operands.iter().filter_map(|operand| operand.cycles).max(),
    };
    let wait = |operand: &Waits| latest.unwrap_or(0) - operand.cycles.or(latest).unwrap_or(0);
    let waiting = operands.iter().map(|operand| operand.waiting + wait(operand)).sum();
    Waits { cycles: latest.map(|cycles| cycles + u64::from(operators::cycles(expr))), waiting }
}

/// An analysis that has used up its operations as the user is to see it; other errors as they are.
pub fn refusal(error: anyhow::Error, kernel: &Kernel) -> anyhow::Error {
    if !error.is::<Exhausted>() {
        return error;
    }
    Diagnostic::new(format!("the analysis of these loops takes too long; it stopped in {}", PHASE.get()))
        .at(heaviest(kernel), extent(kernel))
        .help(
            "take fewer statements or fewer loops: nests one after the other as kernels of their own, inner loops over \
             few values written out, sizes that never change as constants, values that are needed once without an array; or give the tiles yourself with \
             `#pragma burstc tile(…)`",
        )
        .into()
}

/// The place of the largest nest.
fn heaviest(kernel: &Kernel) -> Span {
    let place = kernel.body.iter().max_by_key(|node| weight(node)).map(|node| match node {
        Node::Loop(inner) => inner.span,
        Node::If(inner) => inner.span,
        Node::Statement(statement) => statement.span,
    });
    place.unwrap_or(kernel.span)
}

/// `40 statements in up to 1 loop, 40 sizes`
fn extent(kernel: &Kernel) -> String {
    let (statements, depth) = (kernel.statements().len(), kernel.iterators().iter().map(Vec::len).max().unwrap_or(0));
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let sizes = match kernel.parameters.len() {
        0 => String::new(),
        sizes => format!(", {}", plural(sizes, "size")),
    };
    format!("{} in up to {}{sizes}", plural(statements, "statement"), plural(depth, "loop"))
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
                let mut refused = Diagnostic::new(format!("burstc {what}; it stopped in {}", latest()))
                    .help("take fewer statements, fewer loops, or shorter expressions");
                if let Some((span, label)) = PLACE.lock().ok().and_then(|place| place.clone()) {
                    refused = refused.at(span, label);
                }
                end(&refused);
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
            let watch = watch_within(time, memory, move |diagnostic| {
                let place = diagnostic.span.map(|span| format!(" at {}: {}", span.line, diagnostic.label));
                drop(sender.send(diagnostic.message.clone() + &place.unwrap_or_default()));
            });
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(1) {
                std::hint::spin_loop();
            }
            drop(watch);
            receiver.recv_timeout(Duration::from_secs(10)).ok()
        };
        assert_eq!(told(TIME, MEMORY), None);
        *PLACE.lock().expect("nobody panics") = Some((Span { line: 7, column: 5, length: 1 }, "2 statements".into()));
        let message = told(Duration::ZERO, MEMORY).expect("the time is over at once");
        assert!(message.ends_with(" at 7: 2 statements"), "{message}");
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
