//! How fast the processor is: limits in seconds are of the machine on which they were set.

use std::hint::black_box;
use std::sync::OnceLock;

// It has functions that take the places of isl's.
use burstc as _;

/// Seconds that [`work`] took there.
const USUAL: f64 = 0.5;

/// How many times as long as there a program takes here; at least 1.
pub fn slowness() -> f64 {
    static SLOWNESS: OnceLock<f64> = OnceLock::new();
    *SLOWNESS.get_or_init(|| {
        let before = own_seconds();
        work();
        ((own_seconds() - before) / USUAL).max(1.0)
    })
}

/// Seconds of processor time of this thread.
fn own_seconds() -> f64 {
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanoseconds = schedule.split_whitespace().next().and_then(|word| word.parse::<f64>().ok());
    nanoseconds.expect("nanoseconds on the processor") / 1e9
}

/// As burstc spends its time: isl's simplex on constraints with many parameters.
fn work() {
    let context = isl_rs::Context::alloc();
    let names = |letter: &str, count: usize| (0..count).map(|k| format!("{letter}{k}")).collect::<Vec<_>>().join(", ");
    let (sizes, places) = (names("n", 24), names("i", 8));
    let bounds: Vec<String> = (0..8)
        .map(|k| format!("0 <= i{k} < n{k} and i{k} + 2 i{} <= n{} + 3 n{}", (k + 3) % 8, k + 8, k + 16))
        .collect();
    for round in 0..20 {
        let more = format!("i{} + i{} >= n{} - {round}", round % 8, (round + 5) % 8, round);
        let text = format!("[{sizes}] -> {{ [{places}] : {} and {more} }}", bounds.join(" and "));
        let read = |text: &str| isl_rs::Set::read_from_str(&context, text).expect("a set");
        let left = read(&text).subtract(read(&text.replace(" + 2 i", " + 3 i"))).expect("a set");
        assert!(!black_box(left.coalesce().expect("a set")).is_empty().expect("known"));
    }
}
