//! Arrays that are read along several directions at once have a buffer for each: words on chip and words over the pins by
//! counting, and what runs against the kernel as written.

use std::collections::BTreeMap;

use burstc::offload::Offload;
use burstc::report::count::Work;
use burstc::source::Source;
use burstc::{Options, analyze, board};

use crate::common::root;
use crate::kernels::pipeline;

fn analyzed(text: String) -> Offload {
    let source = Source { path: "k.c".into(), text, cpp_args: vec![] };
    analyze(&source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap()
}

/// `c[i][j] += left * right` in tiles of 32 x 32 x 32.
fn product(most: i64, left: &str, right: &str) -> Offload {
    analyzed(format!(
        "#pragma burstc size(N: 128, max {most})
         void k(int N, int a[N][N], int c[N][N])
         {{
         #pragma burstc tile(i:32, j:32, k:32)
             for (int i = 0; i < N; i++)
                 for (int j = 0; j < N; j++)
                     for (int k = 0; k < N; k++)
                         c[i][j] += {left} * {right};
         }}"
    ))
}

/// The words of every buffer, by the name of its array.
fn words(offload: &Offload) -> Vec<(&str, i64)> {
    let of = |buffer: &burstc::offload::Buffer| {
        (offload.kernel.arrays[buffer.array].name.as_str(), buffer.words() * buffer.memories() as i64)
    };
    offload.buffers.iter().map(of).collect()
}

/// Counted: a strip has two blocks of a for every block of k, two tiles of them on chip, and one block of c. As one buffer
/// the two blocks are as far from each other as N is long: 2 x 32 x N words, one copy per reference.
#[test]
fn two_rows_of_an_array_are_two_blocks() {
    let block = 32 * 32;
    let sizes = BTreeMap::from([("N".to_string(), 128)]);
    for (left, right) in [("a[i][k]", "a[j][k]"), ("a[i][k]", "a[k][j]"), ("a[k][i]", "a[k][j]")] {
        for most in [512, 1024] {
            let offload = product(most, left, right);
            let own = [("a", 2 * block), ("c", block), ("a_use2", 2 * block)];
            assert_eq!(words(&offload), own, "{left} * {right}, up to {most}");
            let work = Work::of(&offload, &sizes);
            // 4 x 4 strips of 4 tiles.
            assert_eq!(work.bytes_read / 4, 16 * (4 * 2 * block + block) as u64, "{left} * {right}");
        }
    }
}

/// What a statement writes has one buffer, whose words would else be old; references at a constant distance share theirs.
#[test]
fn what_stays_in_one_buffer() {
    for (left, right) in [("a[i][k]", "a[i][k]"), ("a[i][k]", "a[i][j]")] {
        let offload = product(128, left, right);
        let uses = offload.kernel.arrays.iter().filter(|array| array.use_of.is_some()).count();
        assert_eq!(uses, usize::from((left, right) == ("a[i][k]", "a[i][j]")), "{left} * {right}");
    }
    let text = "#pragma burstc size(N: 20, max 40)
                void k(int N, int a[N + 8], int c[N][N])
                {
                    for (int k = 0; k < N; k++)
                        for (int i = 0; i < N; i++)
                            for (int j = 0; j < N; j++)
                                c[i][j] += c[i][k] * c[k][j] + a[i] * a[i + 3];
                }";
    assert!(analyzed(text.into()).kernel.arrays.iter().all(|array| array.use_of.is_none()));
}

#[test]
fn uses_on_the_naive_machine() {
    let text = std::fs::read_to_string(root("tests/kernels/uses.c")).unwrap();
    // The machine knows no guards.
    let offload = analyzed(text.replace("(j < i ? d[i][j] : d[j][i])", "d[i][j] * d[j][i]"));
    assert_eq!(offload.kernel.arrays.iter().filter(|array| array.use_of.is_some()).count(), 3);
    for n in [1, 2, 8, 9, 13] {
        pipeline::check(&offload, &BTreeMap::from([("N".to_string(), n)]));
    }
}

/// What a directive says takes the choice from the estimate, and either way runs as the program does.
#[test]
fn directives_choose_the_buffers() {
    let text = |uses: &str, right: &str| {
        format!(
            "#pragma burstc size(N: 12, max 40) {uses}
             void k(int N, int a[N][N], int c[N][N])
             {{
             #pragma burstc tile(i:4, j:4, k:4)
                 for (int i = 0; i < N; i++)
                     for (int j = 0; j < N; j++)
                         for (int k = 0; k < N; k++)
                             c[i][j] += a[i][k] * {right};
             }}"
        )
    };
    for (uses, count) in [("uses(apart)", 1), ("uses(together)", 0)] {
        let offload = analyzed(text(uses, "a[j][k]"));
        assert_eq!(offload.kernel.arrays.iter().filter(|array| array.use_of.is_some()).count(), count, "{uses}");
        for n in [0, 1, 5, 12] {
            pipeline::check(&offload, &BTreeMap::from([("N".to_string(), n)]));
        }
    }
    let refusal = |uses: &str, right: &str| {
        let source = Source { path: "k.c".into(), text: text(uses, right), cpp_args: vec![] };
        let error = analyze(&source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap_err();
        error.downcast::<burstc::diagnostic::Diagnostic>().unwrap()
    };
    for (uses, message) in [
        ("uses(apart)", "no array has uses to tell apart"),
        ("uses(all)", "`together` was expected, and `all` was found"),
        ("uses(apart) uses(apart)", "a second `uses`"),
    ] {
        let found = refusal(uses, "a[i][k]");
        assert!(found.message.contains(message) && !found.help.is_empty(), "{found:?}");
        assert_eq!(found.span.map(|span| span.line), Some(1), "{uses}");
    }
}
