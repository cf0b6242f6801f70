//! PolyBench/C 4.2.1, its files as they are, against the C compiler: in `float`, `double`, and the kernels
//! that make sense in integers at MINI and SMALL size. The suite is no part of this repository: `make polybench POLYBENCH=/path/to/polybench-c-4.2.1`. They are
//! ignored by all else.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use burstc::Options;
use burstc::simulate::simulator::Simulator;
use burstc::source::{self, Source};
use common::{Data, Rig, Subject};

/// The kernels that make no sense in integers, and why.
const FLOATING: [(&str, &str); 13] = [
    ("adi", "coefficients below 1"),
    ("cholesky", "square root"),
    ("correlation", "square root"),
    ("deriche", "exponential function"),
    ("durbin", "division by sums that come close to 0"),
    ("fdtd-2d", "coefficients below 1"),
    ("gramschmidt", "square root"),
    ("heat-3d", "coefficients below 1"),
    ("jacobi-1d", "coefficients below 1"),
    ("jacobi-2d", "coefficients below 1"),
    ("lu", "division by pivots that come close to 0"),
    ("ludcmp", "division by pivots that come close to 0"),
    ("seidel-2d", "division of a mean"),
];

/// What the suite calls its type of data, with what else a run of it needs on the command line, and the sizes of its
/// datasets with the seeds of their runs.
struct Type {
    name: &'static str,
    macros: &'static [&'static str],
    datasets: &'static [(&'static str, &'static [u64])],
    /// The kernels that have passed in this process.
    passed: Mutex<BTreeSet<String>>,
}

static INT: Type = Type {
    name: "int",
    macros: &["-DDATA_TYPE_IS_INT", "-DSCALAR_VAL(x)=x"],
    datasets: &[("MINI", &[1, 2]), ("SMALL", &[3])],
    passed: Mutex::new(BTreeSet::new()),
};
static FLOAT: Type = Type {
    name: "float",
    macros: &["-DDATA_TYPE_IS_FLOAT"],
    datasets: &[("MINI", &[1]), ("SMALL", &[2])],
    passed: Mutex::new(BTreeSet::new()),
};
static DOUBLE: Type = Type {
    name: "double",
    macros: &["-DDATA_TYPE_IS_DOUBLE"],
    datasets: &[("MINI", &[1]), ("SMALL", &[2])],
    passed: Mutex::new(BTreeSet::new()),
};

/// Kernels that leave their arrays where a size is 0, so that the sizes must be extents of the arrays.
const NEVER_EMPTY: [&str; 1] = ["correlation"];

/// Kernels and datasets that are too large for the board: references along different directions take three copies of the
/// whole array.
const TOO_LARGE: [(&str, &str, &str); 1] = [("floyd-warshall", "SMALL", "double")];

/// The suite's folder, which the user must name.
fn suite() -> PathBuf {
    let folder = std::env::var_os("POLYBENCH").filter(|folder| !folder.is_empty());
    PathBuf::from(folder.expect("the variable POLYBENCH names a folder with PolyBench/C 4.2.1: make polybench"))
}

/// All C files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("POLYBENCH: {}: {e}", folder.display()));
    let mut found = vec![];
    for entry in entries {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
    found
}

/// The kernel's file below the suite's folder.
fn file(suite: &Path, kernel: &str) -> PathBuf {
    let found =
        files(suite).into_iter().find(|path| path.file_name().is_some_and(|name| *name == *format!("{kernel}.c")));
    found.unwrap_or_else(|| panic!("no {kernel}.c below {}", suite.display()))
}

/// The dataset's value of each size: the header's macro with the parameter's name in capitals.
fn sizes(file: &Path, parameters: &[String], arguments: &[String]) -> BTreeMap<String, i64> {
    let header = file.with_extension("h");
    let lines: String = parameters.iter().map(|name| format!("size {name} = {}\n", name.to_uppercase())).collect();
    let work = tempfile::tempdir().expect("a folder");
    let path = work.path().join("sizes.c");
    std::fs::write(&path, lines).expect("the folder is writable");
    let mut compiler = Command::new("cc");
    let output = compiler.args(["-E", "-P", "-include"]).arg(&header).args(arguments).arg(&path).output();
    let text = String::from_utf8(output.expect("the C compiler is installed").stdout).expect("C is text");
    let value = |line: &str| {
        let (name, value) = line.strip_prefix("size ")?.split_once(" = ")?;
        Some((name.to_string(), value.parse().unwrap_or_else(|_| panic!("{}: {line}", header.display()))))
    };
    text.lines().filter_map(value).collect()
}

fn check(data: &'static Type, kernel: &str, ranges: &[(&str, i128, i128)]) {
    let suite = suite();
    let path = file(&suite, kernel);
    let folder = path.parent().expect("a file lies in a folder");
    for (dataset, seeds) in data.datasets {
        let mut arguments: Vec<String> = data.macros.iter().map(|text| text.to_string()).collect();
        arguments.push(format!("-D{dataset}_DATASET"));
        arguments.extend([suite.join("utilities").as_path(), folder].map(|path| format!("-I{}", path.display())));
        if NEVER_EMPTY.contains(&kernel) {
            arguments.push("-DPOLYBENCH_USE_C99_PROTO".to_string());
        }
        let label = format!("{kernel}, {dataset}, {}", data.name);
        let source = Source::read(&path, arguments.clone()).expect("the kernel is readable");
        let parsed = source::parse(&source).unwrap_or_else(|error| panic!("{label}: {error:#}"));
        let names: Vec<String> = parsed.parameters.iter().map(|parameter| parameter.name.clone()).collect();
        let sizes = sizes(&path, &names, &arguments);
        let options = Options { max: sizes.clone(), ..Options::default() };
        let subject = Subject::new(&source, &options);
        if TOO_LARGE.contains(&(kernel, dataset, data.name)) {
            let error = format!("{:#}", subject.err().expect("too large for the board"));
            assert!(error.contains("of block RAM"), "{label}: {error}");
            println!("{label}: not run, {error}");
            continue;
        }
        let subject = subject.unwrap_or_else(|error| panic!("{label}: {error:#}"));
        let rig = Rig::of(&subject, Simulator::Verilator, false).unwrap_or_else(|error| panic!("{label}: {error:#}"));
        let set: Vec<(&str, i128)> = sizes.iter().map(|(name, value)| (name.as_str(), i128::from(*value))).collect();
        for &seed in *seeds {
            let cycles = rig.run_on(Data { set: &set, ranges, seed }).counters.cycles;
            println!(
                "{label}, seed {seed}: passes in {cycles} cycles, generated in {} ms",
                subject.accelerator.generate_ms
            );
        }
    }
    let mut passed = data.passed.lock().expect("no test fails with the lock");
    passed.insert(kernel.to_string());
    println!("{}: {} of 30 kernels pass so far", data.name, passed.len());
}

/// A function's name, the kernel's where it differs, and ranges that keep divisors from 0.
macro_rules! kernels {
    ($list:ident $data:ident $($name:ident = $file:literal $($array:ident in $low:literal .. $high:literal),*;)*) => {
        const $list: &[&str] = &[$($file),*];

        mod soak {
            use super::*;

            $(
                #[test]
                #[ignore = "needs PolyBench: make polybench"]
                fn $name() {
                    check(&$data, $file, &[$((stringify!($array), $low, $high)),*]);
                }
            )*
        }
    };
}

/// The suite in a floating-point type.
macro_rules! floating {
    ($($module:ident $data:ident;)*) => {
        $(
            mod $module {
                use super::*;

                kernels! {
                    KERNELS $data
                    adi = "adi";
                    atax = "atax";
                    bicg = "bicg";
                    cholesky = "cholesky" A in 1 .. 3;
                    correlation = "correlation" float_n in 2 .. 1000;
                    covariance = "covariance";
                    deriche = "deriche";
                    doitgen = "doitgen";
                    durbin = "durbin";
                    fdtd_2d = "fdtd-2d";
                    floyd_warshall = "floyd-warshall";
                    gemm = "gemm";
                    gemver = "gemver";
                    gesummv = "gesummv";
                    gramschmidt = "gramschmidt";
                    heat_3d = "heat-3d";
                    jacobi_1d = "jacobi-1d";
                    jacobi_2d = "jacobi-2d";
                    lu = "lu";
                    ludcmp = "ludcmp";
                    mvt = "mvt";
                    nussinov = "nussinov";
                    seidel_2d = "seidel-2d";
                    symm = "symm";
                    syr2k = "syr2k";
                    syrk = "syrk";
                    three_mm = "3mm";
                    trisolv = "trisolv";
                    trmm = "trmm";
                    two_mm = "2mm";
                }

                #[test]
                fn all_kernels() {
                    println!("{} kernels: {} of 30", stringify!($module), KERNELS.len());
                    assert_eq!(KERNELS.len(), 30);
                }
            }
        )*
    };
}

floating! {
    float FLOAT;
    double DOUBLE;
}

kernels! {
    INTEGER INT
    two_mm = "2mm";
    three_mm = "3mm";
    atax = "atax";
    bicg = "bicg";
    covariance = "covariance" float_n in 2 .. 1000;
    doitgen = "doitgen";
    floyd_warshall = "floyd-warshall";
    gemm = "gemm";
    gemver = "gemver";
    gesummv = "gesummv";
    mvt = "mvt";
    nussinov = "nussinov";
    symm = "symm";
    syr2k = "syr2k";
    syrk = "syrk";
    trmm = "trmm";
    trisolv = "trisolv" L in 1 .. 9;
}

/// Every kernel of the suite runs in integers or wants floating point.
#[test]
fn every_kernel_is_accounted_for() {
    assert_eq!(INTEGER.len() + FLOATING.len(), 30);
    for (kernel, why) in FLOATING {
        println!("{kernel} wants floating point: {why}");
    }
}

#[test]
#[ignore = "needs PolyBench: make polybench"]
fn many_files_are_in_the_suite() {
    let suite = suite();
    for kernel in INTEGER.iter().copied().chain(FLOATING.map(|(kernel, _)| kernel)) {
        file(&suite, kernel);
    }
}
