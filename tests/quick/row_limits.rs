//! Where data cut rows: beyond the limits that a statement has, no iteration changes anything, whatever the data, and within them
//! one does that nothing else keeps from it.

use burstc::ids::ArrayId;
use burstc::simulate::random::SplitMix;
use burstc::source::evaluate::evaluate;
use burstc::source::kernel::{Access, Expr, Kernel};
use burstc::source::{self, Source};

const N: i64 = 12;

fn parse(bounds: &str, body: &str) -> Kernel {
    let text = format!(
        "#include <stdint.h>\n#pragma burstc size(N: {N}, max 40)\n#pragma burstc range(u: 0..20)\nvoid k(int N, int32_t p[N + 1], int8_t q[N], \
         uint16_t u[N + 1], uint32_t w[N + 1], int32_t x[20], int32_t y[N])\n{{\nfor (int i = 0; i < N; i++)\nfor (int j = {bounds}; j++)\n{body}\n}}\n"
    );
    source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] })
        .unwrap_or_else(|error| panic!("{bounds}: {error}"))
}

/// Values around the extent of `x`, mostly within.
fn word(dice: &mut SplitMix) -> i64 {
    (dice.draw() % 24) as i64 - 2
}

/// Evaluates all iterations on random data, and returns how many the limits leave, and how many of those change something.
fn compare(kernel: &Kernel, seed: u64) -> (u64, u64) {
    let (statements, names) = (kernel.statements(), &kernel.iterators()[burstc::ids::StatementId(0)]);
    let statement = statements[burstc::ids::StatementId(0)];
    let limits = kernel.limits(statement).expect("data cut its rows");
    let mut dice = SplitMix::named(seed, "row limits");
    let data: Vec<Vec<i64>> = kernel.arrays.iter().map(|_| (0..64).map(|_| word(&mut dice)).collect()).collect();
    let (mut left, mut changed) = (0, 0);
    for i in 0..N {
        for j in -3..25 {
            let index = |name: &str| match names.iter().position(|own| own == name) {
                Some(0) => i,
                Some(_) => j,
                None => N,
            };
            let mut read = |access: &Access| {
                let array: ArrayId = access.array;
                if array == statement.target.array {
                    return -1_000_000;
                }
                let place = access.subscripts[0].evaluate(index);
                let (low, high) = kernel.arrays[array].element.limits();
                // Beyond its end an array has no element that C would read.
                usize::try_from(place)
                    .ok()
                    .and_then(|place| data[array.0].get(place))
                    .map_or(7, |word| (*word).clamp(low, high))
            };
            let least = limits.least.map(&mut read);
            let most = limits.most.map(|(access, strict)| read(access) - i64::from(strict));
            let is_left = least.is_none_or(|least| least <= j) && most.is_none_or(|most| j <= most);
            let value = evaluate(&statement.value, &mut read, &|_| 0, &index);
            assert!(
                is_left || value == -1_000_000,
                "row {i}: {j} is not within {least:?} and {most:?}, and leaves {value}"
            );
            left += u64::from(is_left);
            changed += u64::from(value != -1_000_000);
        }
    }
    (left, changed)
}

#[test]
fn beyond_its_limits_a_row_changes_nothing() {
    for (bounds, body) in [
        ("p[i]; j < p[i + 1]", "y[i] = x[j];"),
        ("p[i]; j <= p[i]", "y[i] = x[j];"),
        ("4; j < q[i]", "y[i] = x[j];"),
        ("u[i + 1]; j < N", "y[i] = x[j];"),
        ("q[N - 1 - i]; j < p[i] && j <= u[i]", "y[i] = x[j];"),
        ("u[i]; j < u[i + 1] && j < N - 1", "if (x[j] > 5) y[i] = 3;"),
        ("p[i]; j < p[i + 1]", "y[i] += x[j];"),
        ("p[i]; j < p[i + 1]", "y[i] = x[j] - i + y[i];"),
        ("p[i]; j < p[i + 1]", "y[i] = x[j] - y[i];"),
        ("4; j < q[i]", "y[i] -= x[j] * 3;"),
        ("4; j < q[i]", "if (x[j] > 2) y[i] ^= x[j];"),
    ] {
        let kernel = parse(bounds, body);
        let value = &kernel.statements()[burstc::ids::StatementId(0)].value;
        // What the next iteration waits for is the sum alone.
        let is_choice = matches!(value, Expr::Select { .. });
        assert_eq!(is_choice, !["+=", "-=", "^=", "+ y[i]"].iter().any(|update| body.contains(update)), "{body}");
        let counts = (0..50).map(|seed| compare(&kernel, seed));
        let (left, changed) = counts.fold((0, 0), |(a, b), (left, changed)| (a + left, b + changed));
        assert!(changed > 500 && left >= changed, "{bounds}: {changed} of {left}");
    }
}

/// Bounds that change along the row, that somebody writes, or that are no elements, and writes beside the condition.
#[test]
fn rows_that_data_do_not_cut() {
    for (bounds, body) in [
        ("p[i] + 1; j < 2 * p[i + 1]", "y[i] = x[j];"),
        ("0; j < N", "if (x[j] < y[i]) y[i] = x[j];"),
        ("0; j < N", "if (j < p[i] || x[j] > 3) y[i] = x[j];"),
        ("0; j < N", "if (j < q[j]) y[i] = x[j];"),
        ("0; j < N", "if (j < y[i]) y[i] = x[j];"),
        ("0; j < N", "y[i] = j < p[i] ? x[j] : 3;"),
        // As unsigned, what is below 0 is large.
        ("0; j < N", "if ((unsigned)(j - 2) < w[i]) y[i] = x[j];"),
    ] {
        let kernel = parse(bounds, body);
        for statement in kernel.statements() {
            assert_eq!(kernel.limits(statement), None, "{bounds}: {body}");
        }
    }
}
