//! The generated Verilog against the tools: lint, latches, synthesis.

mod common;

use std::process::Command;

use burstc::source::Source;
use burstc::{Options, compile};
use common::{Subject, silent};

/// Elaborates everything and demands that no latch, no combinational loop and no undriven wire is left.
fn elaborate(path: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    for (files, top) in Subject::read(path).write(folder.path()) {
        let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let script = format!(
            "read_verilog {}; hierarchy -check -top {top}; proc; flatten; opt_clean; check -assert; \
             select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; scc -expect 0",
            names.join(" ")
        );
        silent(Command::new("yosys").args(["-q", "-p", &script]));
    }
}

/// The synthesis that `make synth` measures, to the end and without complaint.
fn map_to_cyclone(example: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let [(files, _), _] = Subject::read(&format!("examples/{example}.c")).write(folder.path());
    let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
    let script = format!(
        "read_verilog {}; synth_intel_alm -family cyclonev -top {example}_accelerator; check -assert",
        names.join(" ")
    );
    silent(Command::new("yosys").args(["-q", "-p", &script]));
}

macro_rules! examples {
    ($($name:ident),*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn verilator_finds_nothing_to_warn_of() {
                Subject::read(concat!("examples/", stringify!($name), ".c")).lint(true);
            }

            #[test]
            fn yosys_finds_no_latch_and_no_loop() {
                elaborate(concat!("examples/", stringify!($name), ".c"));
            }
        }
    )* };
}

examples!(dma, vecsum, matmul, matmul_lanes, polymul, polymul_skewed, row_sums, jacobi_2d);

/// Buffers of 512 lanes have lines of 16,384 bits, more than Verilator takes for meant where a word is repeated as often.
#[test]
fn cells_as_wide_as_lines_of_lanes_are_clean() {
    let cells = [
        ("dual_port_ram", &["-GWIDTH=16384"][..]),
        ("fifo", &["-GWIDTH=16384"]),
        ("stream_register", &["-GWIDTH=16384"]),
        ("delay_line", &["-GWIDTH=16384"]),
        ("line_gather", &["-GWORD=32", "-GBEAT=8", "-GLINE=512"]),
    ];
    let folder = common::root("rtl-templates");
    for (cell, parameters) in cells {
        let mut command = Command::new("verilator");
        command.args(["--lint-only", "--timing", "-Wall", "-Wno-TIMESCALEMOD", "-y"]).arg(&folder).args(parameters);
        silent(command.arg(folder.join(format!("{cell}.v"))));
    }
}

/// Between them, these have every kind of circuit: mixed widths, several statements in shared loops, bands, local
/// arrays, quotients, dividers, lanes.
mod yosys_finds_no_latch_and_no_loop {
    use super::*;

    macro_rules! kinds {
        ($($name:ident),*) => { $(
            #[test]
            fn $name() {
                elaborate(concat!("tests/kernels/", stringify!($name), ".c"));
            }
        )* };
    }

    kinds!(
        bytes,
        widths,
        cube,
        imperfect,
        sequence,
        lu,
        gemver,
        nussinov,
        local_arrays,
        quotients,
        truncation,
        fdtd_2d,
        shared_operators,
        lanes_matvec,
        lanes_fir,
        lanes_layers
    );

    mod soak {
        use super::*;

        #[test]
        #[ignore = "make soak"]
        fn all_others() {
            for entry in std::fs::read_dir(common::root("tests/kernels")).expect("the kernels are here") {
                let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
                if name.ends_with(".c") {
                    elaborate(&format!("tests/kernels/{name}"));
                }
            }
        }
    }
}

mod yosys_maps_the_accelerators_to_cyclone {
    use super::*;

    #[test]
    fn dma() {
        map_to_cyclone("dma");
    }

    #[test]
    fn matmul() {
        map_to_cyclone("matmul");
    }

    mod soak {
        use super::*;

        #[test]
        #[ignore = "make soak"]
        fn the_others() {
            for example in ["vecsum", "matmul_lanes", "polymul", "polymul_skewed", "row_sums"] {
                map_to_cyclone(example);
            }
        }
    }
}

/// The script behind `make synth` reads the netlists right: a module whose registers, product and memory are known.
#[test]
fn synthesis_figures_of_a_known_module_are_right() {
    let folder = tempfile::tempdir().expect("a folder");
    silent(Command::new(common::root("scripts/synth.py")).args(["--check", "--seeds", "0"]).arg(folder.path()));
}

/// The instances of `cell` in the compute process of a kernel and in its direct version.
fn cells(kernel: &str, cell: &str) -> [usize; 2] {
    let source = Source::read(&common::root(&format!("tests/kernels/{kernel}.c")), vec![]).expect("readable");
    let accelerator = compile(&source, &common::board(), &Options::default()).expect("the kernel compiles");
    let count = |files: &[burstc::hardware::VerilogFile], name: &str| {
        let file = files.iter().find(|file| file.name == format!("{kernel}_{name}.v")).expect("the module is here");
        file.text.lines().filter(|line| line.trim_start().starts_with(&format!("{cell} #("))).count()
    };
    [count(&accelerator.files, "compute"), count(&accelerator.direct_files, "direct")]
}

/// Lanes have an operator between them where its operands are the same in all of them: the area counts the circuits that are in the
/// Verilog. A product of floats takes four multipliers of 18 x 18 bits.
#[test]
fn the_area_counts_operators_that_lanes_have_between_them() {
    let nest = |body: &str| {
        format!(
            "#pragma burstc size(N: 64, max 64)\nvoid k(int N, float s, float c[N][N], float a[N][N], float b[N][N])\n{{\n\
             #pragma burstc tile(i:32, j:32, k:32) lanes(i:2, j:4)\n\
             for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) for (int k = 0; k < N; k++)\n{body}\n}}\n"
        )
    };
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("k.c");
    let count = |body: &str| {
        std::fs::write(&file, nest(body)).expect("written");
        let source = Source::read(&file, vec![]).expect("readable");
        let board = burstc::board::load("alveo-u50").expect("a profile");
        let accelerator = compile(&source, &board, &Options::default()).expect("the kernel compiles");
        let text = &accelerator.files.iter().find(|file| file.name == "k_compute.v").expect("the module is here").text;
        let products = text.lines().filter(|line| line.trim_start().starts_with("fp_multiply #(")).count() as u64;
        let area = burstc::report::area::Area::of(&accelerator.offload, &board.device);
        assert_eq!(area.multipliers, 4 * products, "{body}");
        products
    };
    // In eight lanes, two along i and four along j.
    assert_eq!(count("c[i][j] += a[i][k] * b[k][j];"), 8);
    assert_eq!(count("c[i][j] += s * a[i][k] * b[k][j];"), 8 + 2);
    assert_eq!(count("c[i][j] += s * b[k][j] * a[i][k];"), 8 + 4);
    assert_eq!(count("c[i][j] += a[j][k] * s * b[i][k] + b[j][k] * s * a[i][k];"), 2 * 8 + 2 * 4);
    // The same product twice is one.
    assert_eq!(count("c[i][j] += a[i][k] * b[k][j] < s ? a[i][k] * b[k][j] : s;"), 8);
    // What hangs on arguments alone comes from the host.
    assert_eq!(count("c[i][j] += s * s * a[i][k];"), 2);
}

/// Several statements have as many operators of a kind as the one with the most of them, where their stages can be made
/// to agree.
#[test]
fn statements_share_operators() {
    // Of three updates, two have two sums and a product, the last four sums and a product. Its product comes 16 cycles
    // later, and the others become longer for it.
    assert_eq!(cells("float_fdtd", "fp_add"), [4, 4]);
    assert_eq!(cells("float_fdtd", "fp_multiply"), [1, 1]);
    // Powers of two have no multiplier, and no divider as far as they are near.
    assert_eq!(cells("float_scales", "fp_scale")[1], 7);
    assert_eq!(cells("float_scales", "fp_divide")[1], 1);
    // The port of `x` reads as late as the second statement's sum wants it, and that of `w` as late as the fourth's, whose second
    // product waits for `x`: all statements' results come late, and they have the two sums of the first in common, and all products but
    // one.
    assert_eq!(cells("float_gemver", "fp_add"), [2, 2]);
    assert_eq!(cells("float_gemver", "fp_multiply"), [3, 2]);
    // Two quotients, one of them behind a difference.
    assert_eq!(cells("shared_operators", "fp_divide")[1], 1);
    // Two dividers of integers, since the quotient would come later with one for both; the direct version has a serial one.
    assert_eq!(cells("shared_operators", "divide_pipelined"), [2, 0]);
    assert_eq!(cells("shared_operators", "divide_serial"), [0, 1]);
}

/// A division per row of a hundred products is worth a serial divider alone, one per product a divider that takes one in every
/// cycle; sizes that only the run knows count as the largest.
#[test]
fn rare_divisions_are_serial() {
    let dividers = |size: &str, inner: &str, outer: &str| {
        let text = format!(
            "#include <stdint.h>\n#pragma burstc size(N: {size}) size(M: {size})\n\
             void means(int N, int M, const int32_t a[N][M], const int32_t b[N], int32_t s[N])\n{{\n\
             for (int i = 0; i < N; i++) {{\ns[i] = 0;\nfor (int j = 0; j < M; j++) s[i] += a[i][j]{inner};\n\
             s[i] = s[i]{outer};\n}}\n}}\n"
        );
        let source = Source { path: "means.c".to_string(), text, cpp_args: vec![] };
        let accelerator = compile(&source, &common::board(), &Options::default()).expect("the kernel compiles");
        let file = accelerator.files.iter().find(|file| file.name == "means_compute.v").expect("it computes");
        ["divide_serial #(", "divide_pipelined #("].map(|cell| file.text.matches(cell).count())
    };
    assert_eq!(dividers("1900, max 2000", "", " / (b[i] | 1)"), [1, 0]);
    assert_eq!(dividers("100, max 2000", "", " / (b[i] | 1)"), [0, 1]);
    assert_eq!(dividers("1900, max 2000", " / (b[i] | 1)", ""), [0, 1]);
    assert_eq!(dividers("max 2000", "", " / (b[i] | 1)"), [1, 0]);
}
