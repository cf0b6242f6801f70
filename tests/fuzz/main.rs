//! Random programs against the C compiler: some eighty fixed seeds here, more by `make fuzz COUNT=500`. A program that fails is
//! shrunk and written to `target/fuzz/`; one that is refused is written there, too.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/processor.rs"]
mod processor;

mod check;
mod generate;
mod print;
mod program;
mod shrink;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use check::{Failure, Fate, VERSIONS, check};
use generate::Kind;
use program::{Node, Program};

/// Programs tried while one that failed is shrunk.
const SHRINK_BUDGET: usize = 300;

/// Runs the programs of `seeds`; writes what failed. Progress goes to standard error. Gives how many passed with each feature.
fn campaign(seeds: &[u64]) -> BTreeMap<&'static str, u64> {
    let count = seeds.len() as u64;
    let (mut failures, mut refusals, mut undecided, mut bare) = (vec![], vec![], vec![], 0);
    let mut shares: BTreeMap<&str, u64> = BTreeMap::new();
    for (&seed, number) in seeds.iter().zip(1..) {
        let mut program = generate::program(seed);
        let tiled = program.without_tiles() != program;
        // The direct version, which knows neither tiles nor buffers, of every fourth.
        let fate = check(&mut program, if (seed / 4).is_multiple_of(4) { &VERSIONS } else { &VERSIONS[..1] });
        bare += u64::from(tiled && program.without_tiles() == program);
        match fate {
            Fate::Passed(made) => {
                let mut features = program.features();
                features.extend(made);
                eprintln!("{number} of {count}: seed {seed} passes {features:?}");
                features.into_iter().for_each(|feature| *shares.entry(feature).or_default() += 1);
            }
            Fate::Refused(message) => {
                eprintln!("{number} of {count}: seed {seed} is refused: {message}");
                write(seed, &program);
                // Rightly so where sizes and bounds leave nothing to do, or narrow types wrap around.
                let rightly =
                    ["the loops never run", "nothing that its caller sees", "computes nothing", "wraps around"];
                if !rightly.iter().any(|reason| message.contains(reason)) {
                    refusals.push(seed);
                }
            }
            Fate::Undecided(message) => {
                eprintln!("{number} of {count}: seed {seed} is undecided: {message}");
                write(seed, &program);
                undecided.push(seed);
            }
            Fate::Failed(failure) => {
                eprintln!("{number} of {count}: seed {seed} FAILS: {failure}");
                failures.push(report(seed, program, failure));
            }
        }
    }
    eprintln!(
        "{count} programs: {} failed, {} refused, {} undecided, {bare} without the tiling they came with; of those that \
         passed, had",
        failures.len(),
        refusals.len(),
        undecided.len()
    );
    for (feature, programs) in &shares {
        eprintln!("{:5.1} % {feature}", 100.0 * *programs as f64 / count as f64);
    }
    assert!(failures.is_empty(), "{} of {count} programs fail:\n\n{}", failures.len(), failures.join("\n\n"));
    // A fault of the C compiler's optimiser is rare; of the generator, it would not be.
    assert!(undecided.len() as u64 <= 1 + count / 250, "the C compiler contradicts itself: seeds {undecided:?}");
    // The compiler may say no, but then there is little left to compare.
    assert!(10 * refusals.len() as u64 <= count, "too many programs are refused: seeds {refusals:?}");
    shares
}

/// Shrinks a program that failed, writes it, and says how to repeat it.
fn report(seed: u64, program: Program, failure: Failure) -> String {
    let mut last = failure;
    let mut small = program;
    let versions = match &last.run {
        Some(failed) => {
            // What passed need not run again.
            small.runs = vec![small.runs[failed.run].clone()];
            vec![failed.direct]
        }
        None => VERSIONS.to_vec(),
    };
    // At once, in case nobody waits for the small one.
    write(seed, &small);
    if last.kind != check::Kind::TooSlow {
        small = shrink::shrink(small, SHRINK_BUDGET, &mut |candidate| match check(candidate, &versions) {
            Fate::Failed(failure) if failure.kind == last.kind => {
                last = failure;
                true
            }
            _ => false,
        });
    }
    let text = write(seed, &small);
    let options = last.run.as_ref().map_or("", |failed| failed.options.as_str());
    let repeat = format!("burstc run target/fuzz/seed_{seed}.c {options}");
    format!("seed {seed}: {last}\n{text}repeat: {repeat}")
}

/// Writes a program to `target/fuzz/`; gives its text.
fn write(seed: u64, program: &Program) -> String {
    let path = common::root(&format!("target/fuzz/seed_{seed}.c"));
    let text = print::text(program, "fuzz").c;
    std::fs::create_dir_all(path.parent().expect("it has one")).expect("target is writable");
    std::fs::write(&path, &text).expect("target is writable");
    text
}

/// Together with those of the kinds below, a hundred programs.
macro_rules! fixed_seeds {
    ($($name:ident: $seeds:expr;)*) => { $(
        #[test]
        fn $name() {
            campaign(&$seeds.collect::<Vec<_>>());
        }
    )* };
}

fixed_seeds! {
    fixed_seeds_0: 0..16;
    fixed_seeds_16: 16..32;
}

#[test]
fn fixed_seeds_in_lanes() {
    let seeds = [1028, 1060, 1068, 1084, 1092];
    assert_eq!(campaign(&seeds)["lanes"], seeds.len() as u64);
}

/// Nests along rows and along columns, some of them with buffers of their own.
#[test]
fn fixed_seeds_along_columns() {
    let seeds: Vec<u64> = (12_000_000..).step_by(16).take(4).collect();
    assert!(campaign(&seeds).contains_key("buffers of a band alone"));
}

/// Rows as long as data say, whose sums wait for one another.
#[test]
fn fixed_seeds_of_rows() {
    let seeds: Vec<u64> = (15_000_008..).step_by(16).take(4).collect();
    assert!(campaign(&seeds).contains_key("rows that take turns"));
}

/// Temporaries that stand in front of such rows.
#[test]
fn fixed_seeds_of_temporaries() {
    let seeds: Vec<u64> = (15_500_424..).step_by(16).take(4).collect();
    assert!(campaign(&seeds).contains_key("rows cut by data"));
}

/// Cells that data decide to write, of any width.
#[test]
fn fixed_seeds_of_masks() {
    let seeds: Vec<u64> = (16_000_010..).step_by(16).take(6).collect();
    assert!(campaign(&seeds)["written bits"] > 2);
}

/// Loops whose iterations several compute processes share.
#[test]
fn fixed_seeds_of_units() {
    assert_eq!(campaign(&[17_000_011, 17_000_059, 17_000_075, 17_000_107])["units made"], 3);
}

/// Local arrays whose elements the text names one by one.
#[test]
fn fixed_seeds_of_elements() {
    let seeds: Vec<u64> = (18_000_012..).step_by(16).take(6).collect();
    assert!(campaign(&seeds)["local arrays"] > 4);
}

/// Loops that step by what data say, and by what counts in loops around them, and that go from element to element.
#[test]
fn fixed_seeds_of_steps() {
    let shares = campaign(&[22_000_031, 22_000_043, 23_000_047, 23_000_076, 24_000_060, 24_000_108]);
    assert_eq!([shares["steps from data"], shares["steps by counters"], shares["chases"]], [2, 2, 2]);
}

/// Loops down to data and by more than one up to data, and where their counters are behind them.
#[test]
fn fixed_seeds_of_bounds_from_data() {
    let seeds = [
        19_000_011, 19_000_091, 19_000_111, 19_000_171, 19_000_203, 19_000_252, 19_000_364, 19_000_401, 19_000_412,
        19_000_492,
    ];
    let shares = campaign(&seeds);
    assert!(shares["counters behind bounds from data"] > 8 && shares["bounds from data against the count"] > 2);
}

/// `make fuzz`: BURSTC_FUZZ_COUNT programs from BURSTC_FUZZ_SEED on; those of BURSTC_FUZZ_KIND alone, where it names
/// one, and those that have what BURSTC_FUZZ_WITH names, of what the campaign prints of a program.
#[test]
#[ignore = "as long as one likes: make fuzz COUNT=500"]
fn many_seeds() {
    let number = |name: &str, default| match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")),
        Err(_) => default,
    };
    let first = number("BURSTC_FUZZ_SEED", 1000);
    let kind = std::env::var("BURSTC_FUZZ_KIND").ok().filter(|name| !name.is_empty()).map(|wanted| {
        let known = Kind::ALL.iter().find(|(name, _)| *name == wanted);
        known.unwrap_or_else(|| panic!("BURSTC_FUZZ_KIND={wanted} is none of {:?}", Kind::ALL)).1
    });
    let feature = std::env::var("BURSTC_FUZZ_WITH").ok().filter(|name| !name.is_empty());
    let has_it = |seed: u64| feature.iter().all(|name| generate::program(seed).features().contains(name.as_str()));
    let count = number("BURSTC_FUZZ_COUNT", 100) as usize;
    let seeds: Vec<u64> =
        (first..).filter(|seed| kind.is_none_or(|kind| Kind::of(*seed) == kind) && has_it(*seed)).take(count).collect();
    campaign(&seeds);
}

/// The generator's own oracle: no access of these programs leaves its array, at any of their sizes.
#[test]
fn accesses_stay_inside() {
    let mut calls = String::new();
    let mut functions = String::new();
    for seed in (0..150)
        .chain(5000..5050)
        .chain((4_000_006..4_000_200).step_by(8))
        .chain((8_000_001..8_000_200).step_by(8))
        .chain((12_000_000..12_000_400).step_by(16))
        .chain((15_000_008..15_000_400).step_by(16))
        .chain((17_000_011..17_000_400).step_by(16))
        .chain((18_000_012..18_000_200).step_by(16))
        .chain(19_000_000..19_000_060)
        .chain((23_000_000..23_000_400).step_by(8))
        .chain(2_500_000..2_500_040)
    {
        // Bounds of narrow types may wrap, which is for the compiler to find.
        let program = generate::program(seed).with_plain_sizes();
        let text = print::text(&program, &format!("fuzz{seed}"));
        // Every program has its own table; what texts define beside that is alike.
        functions += &text.c.replace("fixed", &format!("fixed{seed}"));
        let zero = vec![0; program.sizes.len()];
        for run in program.runs.iter().chain([&zero]) {
            calls += "{";
            let mut arguments = vec![];
            for &size in &text.sizes {
                let name = &program.sizes[size].name;
                calls += &format!("int {name} = {};", run[size]);
                arguments.push(name.clone());
            }
            for (name, prototype) in &text.arrays {
                // A pointer to the whole array: `int (*a_)[N][M]`.
                let pointer = prototype.replacen(&format!(" {name}["), &format!(" (*{name}_)["), 1);
                calls += &format!("{pointer} = calloc(1, sizeof *{name}_);");
                arguments.push(format!("*{name}_"));
            }
            arguments.extend((0..text.scalars).map(|scalar| (3 - 5 * scalar as i64).to_string()));
            calls += &format!("fuzz{seed}({});", arguments.join(", "));
            for (name, _) in &text.arrays {
                calls += &format!("free({name}_);");
            }
            calls += "}\n";
        }
    }
    let work = tempfile::tempdir().expect("a folder");
    let (file, binary): (PathBuf, PathBuf) = (work.path().join("all.c"), work.path().join("all"));
    let text = format!("#include <stdlib.h>\n{functions}int main(void)\n{{\n{calls}return 0;\n}}\n");
    std::fs::write(&file, text).expect("the folder is writable");
    let sanitize = ["-fsanitize=address,undefined", "-fno-sanitize=shift-base", "-fno-sanitize-recover=undefined"];
    let mut compiler = Command::new("cc");
    compiler.args(["-std=gnu11", "-g", "-w", "-fwrapv"]).args(sanitize).arg(&file).arg("-o").arg(&binary);
    let output = compiler.output().expect("the C compiler is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().expect("the program runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A property that needs a division inside two loops shrinks to just that.
#[test]
fn shrinking_keeps_what_matters() {
    fn divides(nodes: &[Node], depth: usize) -> bool {
        nodes.iter().any(|node| match node {
            Node::For(inner) => divides(&inner.body, depth + 1),
            Node::If(inner) => divides(&inner.then, depth) || divides(&inner.otherwise, depth),
            Node::Branch(inner) => divides(&inner.then, depth) || divides(&inner.otherwise, depth),
            Node::Assign(assign) => depth >= 2 && has_division(&assign.value),
            Node::Jump(_) | Node::Declare(..) => false,
        })
    }
    fn has_division(expr: &program::Expr) -> bool {
        matches!(expr, program::Expr::Divide(..)) || expr.operands().into_iter().any(has_division)
    }
    let whole = (0..).map(generate::program).find(|p| p.statements() == 3 && divides(&p.body, 0)).expect("some");
    let small = shrink::shrink(whole, 10_000, &mut |candidate| divides(&candidate.body, 0));
    let text = print::text(&small, "small").c;
    assert_eq!(small.statements(), 1, "{text}");
    assert!(text.lines().count() <= 10 && text.matches("for (").count() == 2, "{text}");
}
