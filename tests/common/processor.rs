//! How fast the processor is: limits in seconds are of the machine on which they were set.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::OnceLock;

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

/// What isl does most: small rows of integers that are allocated, combined, compared and freed.
fn work() {
    let mut rows: BTreeMap<Vec<i64>, i64> = BTreeMap::new();
    let mut state = 1_u64;
    for number in 0..2_400_000 {
        let row: Vec<i64> = (0..16)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 60) as i64
            })
            .collect();
        let divisor = row.iter().fold(0, |a, b| gcd(a, *b)).max(1);
        rows.insert(row.iter().map(|value| value / divisor).collect(), number);
        if rows.len() > 5_000 {
            rows.pop_first();
        }
    }
    black_box(rows);
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
