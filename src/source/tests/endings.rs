//! Random loops that end for any reason, against the C compiler: every form of loop, conditions on counters, on what no iteration changes and
//! on data, in heads and in front of `break`s anywhere in a body, counters that are read behind.

use super::native::compare_accepted;
use super::{seeded, source};
use crate::diagnostic::Diagnostic;

/// Of this file's programs.
struct Loops;
type Random = seeded::Random<Loops>;

impl Random {
    fn invariant(&mut self) -> &'static str {
        const ALL: [&str; 14] = [
            "(z & 1)",
            "z == 2",
            "n % 3 == 1",
            "(n & 1)",
            "m > 3",
            "x > 3",
            "(x & 1)",
            "z > 5",
            "1",
            "z % 3 != 1",
            "r % 2 == 1",
            "r != 3",
            "(r & 2)",
            "m / 2 == n",
        ];
        ALL[self.below(ALL.len())]
    }

    fn data(&mut self) -> &'static str {
        const ALL: [&str; 8] =
            ["a[i] > 2", "a[i] < b[i]", "s < 25", "!f", "(b[i] & 3)", "a[i] != x", "s != 9", "x == b[i]"];
        ALL[self.below(ALL.len())]
    }

    fn counting(&mut self) -> &'static str {
        const ALL: [&str; 14] = [
            "i < n",
            "i <= m",
            "i * 2 < n",
            "i + 1 < n",
            "i != 3",
            "(i & 3) != 3",
            "i % 5 != 4",
            "i + r < m",
            "n > i",
            "i < k",
            "k < 9",
            "i + k < m",
            "k - d < n",
            "i * i < k",
        ];
        ALL[self.below(ALL.len())]
    }

    fn condition(&mut self) -> String {
        match self.below(5) {
            0 => self.invariant().to_string(),
            1 | 2 => self.data().to_string(),
            _ => self.counting().to_string(),
        }
    }

    /// `i < 20` beside others.
    fn head(&mut self) -> String {
        let mut all = vec!["i < 20".to_string()];
        for _ in 0..[0, 1, 1, 2][self.below(4)] {
            let place = self.below(all.len() + 1);
            let own = self.condition();
            all.insert(place, own);
        }
        all.join(" && ")
    }

    fn leave(&mut self) -> String {
        let (one, how) = (self.condition(), self.below(4));
        let not = ["!", ""][self.below(2)];
        match how {
            0 => format!("if ({not}({one})) {{ f = 1; break; }} "),
            1 => format!("if ({not}({one})) {{ c[7] += i; break; }} "),
            _ => format!("if ({not}({one})) break; "),
        }
    }

    fn work(&mut self) -> &'static str {
        const ALL: [&str; 14] = [
            "b[i] += 3; ",
            "s += a[i]; ",
            "c[1] += i; ",
            "s ^= i; ",
            "if (a[i] & 1) s += 2; ",
            "f = a[i] > 5; ",
            "a[i + 1] = s & 7; ",
            "b[i] += 3; ",
            "k++; ",
            "k -= 2; ",
            "d = 2; ",
            "c[3] += k; ",
            "if (i & 1) k++; ",
            "k += d; ",
        ];
        ALL[self.below(ALL.len())]
    }

    fn body(&mut self) -> String {
        let mut text = String::new();
        let leaves = self.below(3);
        for k in 0..3 {
            if k < leaves && self.below(2) == 0 {
                text += &self.leave();
            }
            text += self.work();
        }
        if self.below(4) == 0 {
            text += &self.leave();
        }
        text
    }

    fn one(&mut self) -> String {
        let (head, body, begin) = (self.head(), self.body(), self.below(3));
        let step = ["i++", "i += 2", "++i", "i = i + 1", "i += d", "i++, k++"][self.below(6)];
        let late = if self.below(3) == 0 { self.leave() } else { String::new() };
        match self.below(8) {
            0 => format!("for (i = {begin}; {head}; {step}) {{ {body} }}"),
            1 => format!("for (i = {begin}, {} = 1; {head}; {step}) {{ {body} }}", ["s", "k", "d"][self.below(3)]),
            2 => format!("i = {begin}; while ({head}) {{ {body} {step}; {late}}}"),
            3 | 4 => format!("i = {begin}; do {{ {body} {step}; {late}}} while ({head});"),
            5 => format!("i = {begin}; for (;;) {{ {body} if (!({head})) break; {step}; }}"),
            6 => format!("i = {begin}; while (1) {{ if (!({head})) break; {body} {step}; }}"),
            _ => format!("i = {begin}; for (; {head}; {step}) {{ {body} }}"),
        }
    }

    fn program(&mut self) -> String {
        let mut text = format!(
            "int i = 0, s = 0, f = 0, r = 1, d = 1, k = {}; const int z = {};\n",
            self.below(12),
            self.below(4)
        );
        for _ in 0..1 + self.below(2) {
            let own = self.one();
            text += &match self.below(3) {
                0 => format!("for (r = 0; r < 5; r++) {{ {own} c[r & 7] += i; }}\n"),
                1 => format!("{own} c[2] ^= i;\n"),
                _ => format!("{own}\n"),
            };
        }
        text + "c[5] += s; c[6] += f;"
    }
}

/// How many of the programs from a seed on were taken.
fn compare(seeds: std::ops::Range<u64>) -> usize {
    let sizes: Vec<Vec<i64>> =
        [[0, 0, 3], [1, 2, 4], [4, 2, 0], [7, 7, 7], [3, 12, 1], [14, 5, 6]].map(Vec::from).to_vec();
    let (mut taken, mut wrong) = (0, vec![]);
    for seed in seeds {
        let body = Random::new(seed * 7919 + 12345).program();
        let text = format!(
            "#pragma burstc size(n: 5, max 16)\n#pragma burstc size(m: 5, max 16)\n#pragma burstc size(x: 5, max 16)\n\
             void f(int n, int m, int x, int a[24], int b[24], int c[8])\n{{\n\
             for (int i = 0; i < 24; i++) {{ a[i] &= 7; b[i] &= 7; }}\n{body}\n}}\n"
        );
        let done = std::panic::catch_unwind(|| compare_accepted(&source(&text), &sizes));
        match done.map_err(|_| ()) {
            Ok(Ok(_)) => taken += 1,
            Ok(Err(refused)) if refused.is::<Diagnostic>() => {
                if std::env::var("BURSTC_TOLD").is_ok() {
                    println!("{seed}: {}\n{body}", refused.downcast_ref::<Diagnostic>().unwrap().message);
                }
            }
            _ => {
                println!("{seed} is wrong\n{text}");
                wrong.push(seed);
            }
        }
    }
    assert_eq!(wrong, Vec::<u64>::new());
    taken
}

#[test]
#[ignore = "slow: make test"]
fn loops_that_end_for_any_reason() {
    let taken = compare(0..60);
    assert!(taken >= 54, "{taken} of 60");
}

/// `BURSTC_FUZZ_SEED=1000 BURSTC_FUZZ_COUNT=500 cargo test … many_endings`.
#[test]
#[ignore = "as long as it is told"]
fn many_endings() {
    let of = |name: &str, other: u64| std::env::var(name).map_or(other, |own| own.parse().unwrap());
    let (first, count) = (of("BURSTC_FUZZ_SEED", 1000), of("BURSTC_FUZZ_COUNT", 300));
    println!("{} of {count} taken", compare(first..first + count));
}
