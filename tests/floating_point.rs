//! The floating-point cells: random operands against the processor's arithmetic (sim/fp_bench.cpp), and the table of
//! corner values against `rustc_apfloat`, which is LLVM's arithmetic in software.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use rustc_apfloat::ieee::{Double, Single};
use rustc_apfloat::{Float, FloatConvert, Status};
use sha2::{Digest as _, Sha256};

/// Where the bench of a format, latency and block is kept: named after all that it is compiled of.
fn build(parameters: &[&str]) -> PathBuf {
    let mut files =
        vec![common::root("tests/fp.sh"), common::root("sim/fp_operators.v"), common::root("sim/fp_bench.cpp")];
    let cells = std::fs::read_dir(common::root("rtl-templates")).expect("the cells are here");
    files.extend(cells.map(|entry| entry.expect("readable").path()));
    files.sort();
    let mut hasher = Sha256::new();
    for program in ["verilator", "c++"] {
        hasher.update(Command::new(program).arg("--version").output().expect("it is installed").stdout);
    }
    for file in files {
        let text = std::fs::read(&file).expect("readable");
        hasher.update(format!("{} {}\n", file.display(), text.len()));
        hasher.update(text);
    }
    hasher.update(parameters.join(" "));
    let name: String = hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("fp").join(name)
}

/// What `tests/fp.sh` prints; fails with what it says where a result differs.
fn bench(arguments: &[&str]) -> String {
    // Two tests take one bench: the one that comes second waits for it.
    static BUILDING: [Mutex<()>; 2] = [const { Mutex::new(()) }; 2];
    let build = build(&arguments[..3]);
    let building = BUILDING[usize::from(arguments[0] == "64")].lock();
    let building = if build.join("bench").exists() { None } else { Some(building) };
    let output =
        Command::new(common::root("tests/fp.sh")).args(arguments).env("BUILD", &build).output().expect("a shell");
    drop(building);
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "fp.sh {arguments:?}\n{complaint}");
    String::from_utf8(output.stdout).expect("text")
}

/// Every cell sees every random pair.
fn random_operands(format: &str, latency: &str, block: &str) {
    let report = bench(&[format, latency, block, "200000", "1"]);
    let compared = report.lines().filter_map(|line| line.strip_suffix(" compared")?.rsplit(' ').next()?.parse().ok());
    let compared: Vec<u64> = compared.collect();
    assert_eq!(compared.len(), 28, "{report}");
    // Conversions to short integers are defined for few numbers.
    let mut of_all = compared[..15].iter().chain(&compared[23..]);
    assert!(of_all.all(|&n| n >= 300_000) && compared.iter().all(|&n| n >= 100_000), "{report}");
}

#[test]
fn float_equals_the_processors() {
    random_operands("32", "0", "18");
}

#[test]
fn double_equals_the_processors() {
    random_operands("64", "0", "18");
}

#[test]
fn every_latency_gives_the_same() {
    for (format, latency, block) in [("32", "1", "27"), ("32", "3", "18"), ("64", "2", "27"), ("64", "5", "18")] {
        random_operands(format, latency, block);
    }
}

/// The root of a finite number that is not negative, by integers. Roots are normal numbers, and never halfway.
fn root<F: Float>(value: F, fraction: u32, bias: i32) -> F {
    if value.is_zero() {
        return value;
    }
    let mut significand = value.to_bits() & ((1 << fraction) - 1);
    let mut exponent = (value.to_bits() >> fraction) as i32;
    if exponent == 0 {
        let zeros = fraction as i32 - significand.ilog2() as i32;
        (significand, exponent) = (significand << zeros, 1 - zeros);
    } else {
        significand |= 1 << fraction;
    }
    // significand 2^power, an even power; the root has one bit behind the significand's.
    let mut power = exponent - bias - fraction as i32;
    let mut shift = fraction as i32 + 2;
    shift += (power - shift) & 1;
    power -= shift;
    let bits = (significand << shift).isqrt();
    let spare = bits.ilog2() as i32 - fraction as i32;
    let rounded = (bits + (1 << (spare - 1))) >> spare;
    let field = power / 2 + spare + fraction as i32 + bias;
    F::from_bits(((field as u128 - 1) << fraction) + rounded)
}

/// Counts the results that are not what `rustc_apfloat` gives.
struct Checker {
    compared: u64,
    wrong: Vec<String>,
}

impl Checker {
    fn check(&mut self, what: &str, operands: &[u128], found: u128, expected: Option<u128>) {
        let Some(expected) = expected else { return };
        self.compared += 1;
        if found != expected && self.wrong.len() < 20 {
            self.wrong.push(format!("{what} of {operands:x?} is {found:x}, not {expected:x}"));
        }
    }

    fn check_float<F: Float>(&mut self, what: &str, operands: &[u128], found: u128, expected: F) {
        let (result, quiet) = (F::from_bits(found), F::NAN.to_bits());
        if expected.is_nan() {
            let sign = (-F::ZERO).to_bits();
            self.check(what, operands, found & !sign & quiet, Some(quiet & !sign));
        } else {
            self.check(what, operands, result.to_bits(), Some(expected.to_bits()));
        }
    }
}

/// Compares the table of a format: `F` with `bits` bits, and its conversions to `O`.
fn table<F: Float + FloatConvert<O>, O: Float>(format: &str, fraction: u32) {
    let text = bench(&[format, "0", "18", "table"]);
    let mut checker = Checker { compared: 0, wrong: vec![] };
    let bias = (1 << (F::BITS as u32 - fraction - 2)) - 1;
    for line in text.lines() {
        let row: Vec<u128> = line.split(' ').map(|word| u128::from_str_radix(word, 16).expect("a number")).collect();
        let (a, b) = (F::from_bits(row[0]), F::from_bits(row[1]));
        let found = &row[2..];
        assert_eq!(found.len(), 28, "{line}");
        let pair = &row[..2];
        checker.check_float("a + b", pair, found[0], (a + b).value);
        checker.check_float("a * b", pair, found[1], (a * b).value);
        checker.check_float("a / b", pair, found[2], (a / b).value);
        let negative = a.is_negative() && !a.is_zero();
        let expected = match () {
            _ if a.is_nan() || negative => F::NAN,
            _ if a.is_infinite() => a,
            _ => root(a, fraction, bias),
        };
        checker.check_float("sqrt(a)", pair, found[3], expected);
        checker.check("a < b", pair, found[4], Some((a < b) as u128));
        checker.check("a == b", pair, found[5], Some((a == b) as u128));
        checker.check_float("conversion of a", pair, found[6], FloatConvert::<O>::convert(a, &mut false).value);
        let integer = (row[0] ^ (row[1] << 32)) as u64;
        for (index, bits) in [8, 16, 32, 64].into_iter().enumerate() {
            let unused = 64 - bits;
            let signed = ((integer << unused) as i64 >> unused) as i128;
            let unsigned = (integer << unused >> unused) as u128;
            let operand = [integer as u128];
            checker.check_float(&format!("int{bits}_t"), &operand, found[7 + 2 * index], F::from_i128(signed).value);
            checker.check_float(&format!("uint{bits}_t"), &operand, found[8 + 2 * index], F::from_u128(unsigned).value);
            let mask = u128::MAX >> (128 - bits);
            let signed = a.to_i128(bits);
            let defined = (!signed.status.contains(Status::INVALID_OP)).then_some(signed.value as u128 & mask);
            checker.check(&format!("(int{bits}_t)"), pair, found[15 + 2 * index] & mask, defined);
            let unsigned = a.to_u128(bits);
            let defined = (!unsigned.status.contains(Status::INVALID_OP)).then_some(unsigned.value);
            checker.check(&format!("(uint{bits}_t)"), pair, found[16 + 2 * index], defined);
        }
        for (index, (factor, divides)) in
            [(2, false), (8, false), (2, true), (-8, true), (65536, true)].into_iter().enumerate()
        {
            let factor = F::from_i128(factor).value;
            let expected = if divides { a / factor } else { a * factor };
            checker.check_float("a by a power of two", pair, found[23 + index], expected.value);
        }
    }
    println!("binary{format}: {} results compared", checker.compared);
    assert!(checker.wrong.is_empty(), "{}", checker.wrong.join("\n"));
    assert!(checker.compared > 1_900_000, "{} results", checker.compared);
}

#[test]
fn the_table_of_float_equals_software() {
    table::<Single, Double>("32", 23);
}

#[test]
fn the_table_of_double_equals_software() {
    table::<Double, Single>("64", 52);
}
