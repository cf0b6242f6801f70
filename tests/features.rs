//! Kernels that each show a feature or a use, in `tests/kernels/`, against the C compiler: the accelerator, and of some
//! the direct version, under Icarus, whose four states show what was never set; under Verilator in `make soak`, on
//! boards with a bus and on the ULX3S. Verilator's lint of all that runs, and in `make soak` of all that is generated.

mod common;

use std::sync::Arc;

use burstc::Options;
use burstc::choose_lanes::Request;
use burstc::simulate::simulator::Simulator;
use common::{Data, Rig, Subject, elsewhere, on_a_bus};

type Sizes = &'static [(&'static str, i128)];
type Ranges = &'static [(&'static str, i128, i128)];

/// Kernels whose direct version runs too: between them, every kind of its circuits.
const DIRECT: [&str; 22] = [
    "bytes",
    "widths",
    "cube",
    "fill",
    "imperfect",
    "sequence",
    "lu",
    "gemver",
    "nussinov",
    "symm",
    "local_arrays",
    "local_scalars",
    "quotients",
    "negative_quotients",
    "guards",
    "truncation",
    "host_scalars",
    "float_gemver",
    "shared_operators",
    "tables",
    "slices",
    "slices_halo",
];

fn check(kernel: &str, ranges: Ranges, runs: &[Sizes]) {
    let path = format!("tests/kernels/{kernel}.c");
    let subject = Subject::read(&path);
    subject.lint(DIRECT.contains(&kernel));
    if on_a_bus() {
        // As the command takes the kernel, too: with the lanes that it chooses.
        let options = Options { lanes: Some(Request::Usual), ..Options::default() };
        let usual = Subject::read_with(&path, &options);
        if usual.accelerator.offload.most_lanes() != subject.accelerator.offload.most_lanes() {
            usual.lint(false);
            let rig =
                Rig::of(&usual, Simulator::Verilator, false).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
            runs.iter().for_each(|set| drop(rig.run_on(Data { set, ranges, seed: 1 })));
        }
        let mut rig =
            Rig::of(&subject, Simulator::Verilator, false).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
        for (seed, set) in (1..=3).flat_map(|seed| runs.iter().map(move |set| (seed, set))) {
            rig.model.stalls = Some(seed);
            rig.run_on(Data { set, ranges, seed: seed.into() });
        }
        return;
    }
    if elsewhere() {
        let rig = Rig::of(&subject, Simulator::Verilator, false).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
        runs.iter().for_each(|set| drop(rig.run_on(Data { set, ranges, seed: 1 })));
        return;
    }
    check_under(Simulator::Icarus, &subject, kernel, ranges, runs);
}

fn check_under(simulator: Simulator, subject: &Arc<Subject>, kernel: &str, ranges: Ranges, runs: &[Sizes]) {
    for direct in [false, true] {
        if direct && !DIRECT.contains(&kernel) {
            continue;
        }
        let rig = Rig::of(subject, simulator, direct).unwrap_or_else(|error| panic!("{kernel}: {error:#}"));
        for (seed, set) in runs.iter().enumerate() {
            rig.run_on(Data { set, ranges, seed: seed as u64 });
        }
    }
}

/// A kernel's file name, ranges of its data where the whole type will not do, and the arguments of its runs.
macro_rules! kernels {
    ($($name:ident $(data $ranges:expr)?; $([$($size:ident = $value:expr),*]),+;)*) => {
        $(
            #[test]
            fn $name() {
                let ranges: &[Ranges] = &[$($ranges)?];
                check(stringify!($name), ranges.first().copied().unwrap_or(&[]), &[$(&[$((stringify!($size), $value)),*]),+]);
            }
        )*

        mod soak {
            use super::*;

            $(
                #[test]
                #[ignore = "make soak"]
                fn $name() {
                    let ranges: &[Ranges] = &[$($ranges)?];
                    let subject = Subject::read(concat!("tests/kernels/", stringify!($name), ".c"));
                    let runs: &[Sizes] = &[$(&[$((stringify!($size), $value)),*]),+];
                    let ranges = ranges.first().copied().unwrap_or(&[]);
                    subject.lint(true);
                    check_under(Simulator::Verilator, &subject, stringify!($name), ranges, runs);
                }
            )*
        }

        /// Every file is in the table, and the table names nothing else.
        #[test]
        fn all_kernels_run() {
            let table = [$(stringify!($name)),*];
            for name in table {
                assert!(common::root(&format!("tests/kernels/{name}.c")).is_file(), "tests/kernels/{name}.c is not there");
            }
            for entry in std::fs::read_dir(common::root("tests/kernels")).expect("the kernels are here") {
                let path = entry.expect("readable").path();
                let name = path.file_stem().expect("files have names").to_string_lossy().into_owned();
                assert!(path.extension().is_none_or(|e| e != "c") || table.contains(&name.as_str()), "{name} does not run");
            }
        }
    };
}

// Sizes of 0 and 1, sizes that no power of two divides, and the extent of a neighbour. Icarus simulates some 25,000
// cycles per second, so the largest are small.
kernels! {
    // Programs around the kernel.
    whole_program; [];
    helper_arrays; [];
    layers; [weight = 3];
    perceptron; [];
    whole_function; [t = 0], [t = 3, carry_in = -5];
    helper_globals; [], [gain = -5];
    program_types; [];
    array_typedefs; [];
    array_typedefs_program; [];
    program_texts; [];
    program_room; [];
    pointees; [n = 0], [n = 1], [n = 9];
    obstacles data &[("wall", 0, 1)]; [steps = 0], [steps = 1], [steps = 3], [steps = 16];

    // Loops that data end.
    merge_sorted data &[("a", 0, 9), ("b", 0, 9)]; [n = 0, m = 0], [n = 1, m = 0], [n = 0, m = 3], [n = 13, m = 9];
    searches data &[("sorted", -9, 99), ("keys", 0, 90), ("table", 0, 99)]; [n = 0, m = 1], [n = 1, m = 3], [n = 23, m = 11];
    shell_sort; [n = 0], [n = 1], [n = 21];
    next_greater data &[("a", 0, 9)]; [n = 0], [n = 1], [n = 12];
    down_to_data; [n = 0], [n = 1], [n = 9];
    taking; [n = 0], [n = 1], [n = 17];
    behind_data; [n = 0], [n = 1], [n = 9];
    goes_on; [n = 0], [n = 1], [n = 3], [n = 23];
    rows_beside_lanes; [n = 1], [n = 11];
    trims data &[("s", 0, 15)]; [n = 0, m = 0], [n = 1, m = 1], [n = 2, m = 6], [n = 24, m = 7];
    cases_and_tables; [n = 0], [n = 1], [n = 23];

    // Constants on chip.
    gather; [N = 0], [N = 1], [N = 300];
    gather_rows; [N = 0, M = 1], [N = 57, M = 31];
    gather_nested; [];
    gather_scalar; [s = 3], [s = -70];
    // Few places, so that what is read has just been written, or is about to be.
    gather_written data &[("p", 0, 7), ("x", 0, 7)]; [N = 0], [N = 1], [N = 130];
    gather_rows_local; [M = 0], [M = 1], [M = 7];
    gather_of_own data &[("x", 0, 9)]; [n = 0], [n = 1], [n = 77];
    equalize; [N = 0], [N = 1], [N = 700];
    histogram; [N = 0], [N = 1], [N = 700];
    histogram_float; [N = 0], [N = 1], [N = 150];
    histogram_guarded; [N = 0], [N = 1], [N = 300];
    histogram_hashed; [N = 0], [N = 1], [N = 130];
    histogram_positive; [N = 0], [N = 1], [N = 130];
    histogram_rows; [N = 0, M = 3], [N = 1, M = 1], [N = 13, M = 19];
    histogram_several; [N = 0], [N = 1], [N = 130];
    histogram_whole; [N = 0], [N = 1], [N = 300];
    scatter; [N = 0], [N = 1], [N = 211];
    scatter_local; [N = 0], [N = 1], [N = 90];
    scatter_order; [N = 0], [N = 1], [N = 90];
    scatter_divided; [N = 0], [N = 1], [N = 30];
    csr; [N = 0, nonzeros = 0], [N = 1, nonzeros = 5], [N = 30, nonzeros = 150], [N = 70, nonzeros = 40];
    csr_float; [N = 0, nonzeros = 0], [N = 1, nonzeros = 7], [N = 30, nonzeros = 150];
    row_temporaries data &[("kept", -9, 9)]; [n = 0, nonzeros = 0], [n = 1, nonzeros = 7], [n = 30, nonzeros = 150];
    rounded_bounds; [n = 1], [n = 7], [n = 40];
    merge_pass data &[("a", -99, 99)]; [n = 0], [n = 1], [n = 4];
    // Twenty-three statements over planes of one array, with walls cut out of their domains.
    lattice data &[("grid", 0, 1)]; [T = 0], [T = 2];
    row_lengths; [N = 0], [N = 1], [N = 20];
    row_starts data &[("ptr", 1, 37)]; [n = 0, m = 0], [n = 1, m = 40], [n = 9, m = 50];
    window_offsets; [N = 0], [N = 1], [N = 20];
    rows_cut; [N = 0], [N = 1], [N = 33], [N = 13];
    rows_in_rows; [N = 0, items = 0], [N = 1, items = 3], [N = 9, items = 50];
    tables; [N = 0], [N = 1], [N = 57];
    structs; [n = 0], [n = 1], [n = 37];
    butterflies; [m = 0], [m = 1], [m = 21];
    records; [n = 0], [n = 1], [n = 30];
    table_fir; [N = 0], [N = 1], [N = 43];
    lanes_tables; [N = 0], [N = 1], [N = 19];
    merge; [n = 0], [n = 1], [n = 37];
    md_knn; [n = 0], [n = 1], [n = 21];
    bilateral; [h = 0, w = 0], [h = 1, w = 1], [h = 3, w = 3], [h = 7, w = 11];
    fft_1024; [count = 0], [count = 1];
    fft_in_place; [];

    // One perfect nest, tiled by hand.
    bytes; [N = 1, alpha = 3], [N = 37], [N = 41, alpha = -7], [N = 150];
    widths; [N = 1], [N = 17, bias = -1], [N = 33];
    stencil; [N = 1], [N = 3], [N = 66], [N = 200];
    transpose; [N = 1, M = 1], [N = 17, M = 30], [N = 33, M = 5];
    triangle; [N = 1], [N = 8], [N = 21];
    fill; [N = 0], [N = 1], [N = 33];
    stride; [N = 1], [N = 40];
    cube; [N = 1, M = 1], [N = 9, M = 7], [N = 5, M = 10];
    moving_rows; [N = 1], [N = 5], [N = 20];
    negative; [N = 1], [N = 13];
    shift; [N = 1], [N = 50];
    sum_of_three; [N = 0], [N = 1], [N = 1100];
    short_rows; [T = 0], [T = 1];
    jacobi; [T = 1, N = 1], [T = 9, N = 30];
    seidel; [N = 1], [N = 13];
    diagonal; [N = 1], [N = 20];
    trapezoid; [N = 0, M = 9], [N = 1, M = 1], [N = 13, M = 10], [N = 7, M = 0];
    skewed_sum; [N = 0], [N = 1], [N = 19];

    // Linear algebra.
    gemm; [N = 1, M = 1, K = 0], [N = 9, M = 13, K = 7], [N = 17, M = 5, K = 11];
    summed_areas; [N = 70], [N = 2];
    lanes_of_wide_rows; [N = 75], [N = 66];
    lanes_across; [N = 37, M = 29], [N = 1, M = 3], [N = 16, M = 40];
    lanes_turned; [N = 37], [N = 1], [N = 16];
    lanes_columns; [N = 37], [N = 1], [N = 16];
    head_steps; [N = 7], [N = 0], [N = 1], [N = 24];
    units_matmul; [N = 0], [N = 1], [N = 24], [N = 13];
    units_csr; [N = 0, nonzeros = 0], [N = 1, nonzeros = 5], [N = 30, nonzeros = 150];
    units_bodies; [N = 0], [N = 1], [N = 24];
    units_bands; [N = 0], [N = 1], [N = 17];
    units_turned; [n = 1], [n = 2], [n = 19];
    sets; [n = 1], [n = 14], [n = 20];
    calls_in_turn; [N = 0], [N = 1], [N = 40];
    terminated; [], [wanted = -3];
    remembered; [N = 0], [N = 1], [N = 25];
    searched; [], [wanted = -3];
    once; [N = 0], [N = 3];
    units_columns; [N = 0, M = 3], [N = 1, M = 1], [N = 21, M = 9], [N = 6, M = 20];
    units_border; [h = 3, w = 3], [h = 4, w = 9], [h = 33, w = 17];
    units_records; [n = 0], [n = 1], [n = 19];
    units_triangle; [N = 1, K = 0], [N = 5, K = 3], [N = 19, K = 7];
    orders; [N = 1], [N = 9], [N = 14], [N = 23];
    orders_in_lanes; [N = 0], [N = 5], [N = 14], [N = 19];
    long_strips; [N = 1, M = 1, K = 0], [N = 9, M = 17, K = 33], [N = 43, M = 5, K = 11];
    syrk; [N = 1, K = 1], [N = 13, K = 9], [N = 18, K = 0];
    uses; [N = 1], [N = 8], [N = 21];
    panels; [N = 1], [N = 2], [N = 9];
    trmm; [N = 1, M = 3], [N = 13, M = 10], [N = 9, M = 17];
    symm; [N = 1, M = 1], [N = 11, M = 9], [N = 6, M = 13];
    mvt; [N = 0], [N = 1], [N = 29];
    two_products; [N = 0, M = 3], [N = 1, M = 1], [N = 19, M = 23];
    complex_product; [N = 1, M = 1], [N = 13, M = 22];
    together; [N = 1, M = 1, scale = 3], [N = 9, M = 13, scale = -2];
    two_filters; [N = 1, M = 1], [N = 16, M = 12];
    rows_and_columns; [N = 1, M = 1], [N = 9, M = 70], [N = 33, M = 6];
    delay_lines; [N = 1, M = 1], [N = 2, M = 2], [N = 13, M = 9];
    gemver; [N = 1], [N = 19];
    atax; [M = 0, N = 5], [M = 1, N = 1], [M = 21, N = 18], [M = 9, N = 35];
    trisolv data &[("l", 1, 9)]; [N = 1], [N = 23];
    lu; [N = 1], [N = 2], [N = 13];
    ldlt; [N = 1], [N = 11];

    // Stencils over time.
    dead_planes; [T = 1, N = 3], [T = 5, N = 13], [T = 7, N = 18];
    dead_stores; [T = 0, N = 9], [T = 5, N = 3], [T = 9, N = 41], [T = 12, N = 60];
    long_strips_in_time; [T = 0, N = 9], [T = 3, N = 3], [T = 12, N = 5], [T = 7, N = 23];
    jacobi_1d; [T = 0, N = 9], [T = 3, N = 2], [T = 5, N = 37];
    jacobi_2d; [T = 1, N = 3], [T = 3, N = 13];
    seidel_time; [T = 1, N = 3], [T = 3, N = 13], [T = 5, N = 6];
    fdtd_2d; [T = 1, N = 1, M = 1], [T = 3, N = 11, M = 14], [T = 2, N = 17, M = 5];
    heat_3d; [T = 1, N = 3], [T = 2, N = 7];
    line_buffer; [w = 3, h = 0], [w = 3, h = 3], [w = 17, h = 9];
    pixels; [h = 0, w = 0], [h = 1, w = 1], [h = 5, w = 33];
    colours; [h = 2, w = 2], [h = 3, w = 3], [h = 7, w = 30];
    complex_pairs; [n = 0], [n = 1], [n = 37];
    result_pointers; [n = 1], [n = 2], [n = 77];
    columns_first; [h = 0, w = 0], [h = 1, w = 1], [h = 5, w = 33];
    lanes_overlap; [n = 0], [n = 1], [n = 77];
    nests_apart; [];
    life_on_chip; [];
    scoped_names; [];
    copies_convert; [n = 3], [n = 4], [n = 77];
    break_conditions; [n = 0], [n = 1], [n = 15], [n = 77];
    strides; [n = 0], [n = 1], [n = 77];
    invariant_ends; [n = 0], [n = 1], [n = 4], [n = 8];
    ends_of_rounds; [n = 0], [n = 1], [n = 6], [n = 9];
    // Where words end and packets begin.
    kept_steps; [n = 0], [n = 7];
    wandering; [n = 0], [n = 11];
    tokens; [n = 0], [n = 13];
    stated_rounds; [n = 1];
    divisors; [];
    countdowns; [n = 5];
    means; [];
    uneven_steps; [at = 0], [at = 30];
    powers_modulo; [n = 0], [n = 1], [n = 23];
    tile_rounds; [n = 0], [n = 9], [n = 49];
    small_numbers; [n = 0], [n = 1], [n = 69];
    lanes_apart; [n = 0], [n = 1], [n = 75];
    line_computed; [h = 0], [h = 2], [h = 14];
    delays_computed; [n = 0], [n = 1], [n = 3], [n = 77];
    not_affine; [n = 0], [n = 1], [n = 21];
    windows; [N = 0, M = 0], [N = 5, M = 2], [N = 7, M = 3], [N = 300, M = 3], [N = 530, M = 4];

    // Dynamic programming.
    floyd_warshall data &[("path", 0, 1000)]; [N = 0], [N = 1], [N = 13];
    nussinov data &[("base", 0, 3), ("table", 0, 0)]; [N = 1], [N = 2], [N = 13];
    lcs data &[("a", 0, 3), ("b", 0, 3)]; [N = 0, M = 0], [N = 1, M = 5], [N = 19, M = 23];
    needleman_wunsch data &[("a", 0, 3), ("b", 0, 3)]; [n = 0, m = 0], [n = 1, m = 5], [n = 13, m = 17];
    viterbi data &[("init", 0, 9), ("transition", 0, 9), ("emission", 0, 9)]; [n = 1], [n = 2], [n = 7];

    // Images and signals.
    scratch; [N = 3, M = 3], [N = 9, M = 14];
    conv3x3; [H = 2, W = 9], [H = 3, W = 3, shift = 8], [H = 11, W = 19, shift = 12];
    box_blur; [H = 0, W = 0], [H = 3, W = 3], [H = 11, W = 18];
    threshold; [H = 1, W = 1, low = -100, high = 100], [H = 9, W = 37, low = -20000, high = 9000];
    transpose_bytes; [N = 1, M = 1], [N = 21, M = 30], [N = 37, M = 3];
    relu; [n = 0], [n = 1], [n = 137];
    relu_out; [n = 0], [n = 1], [n = 137];
    masks_of_rows; [h = 1, w = 1], [h = 9, w = 23], [h = 17, w = 40];
    masks_in_lanes; [n = 1], [n = 66], [n = 150];
    masks_of_halves; [n = 24, m = 20], [n = 9, m = 30];
    traceback; [];
    branches_merged; [n = 0], [n = 1], [n = 90];
    prefix_sum; [N = 0], [N = 1], [N = 77];
    fir; [N = 1, K = 1], [N = 40, K = 7], [N = 35, K = 0];
    convolve_layers; [C = 1, K = 1, H = 1, W = 1], [C = 3, K = 3, H = 5, W = 7], [C = 0, K = 2, H = 3, W = 3];

    // Loops.
    imperfect; [N = 0, M = 3], [N = 1, M = 1], [N = 11, M = 9], [N = 5, M = 0];
    long_strips_of_bands; [T = 0, N = 5], [T = 1, N = 1], [T = 3, N = 13], [T = 2, N = 17];
    sieve; [n = 2], [n = 9], [n = 100], [n = 57];
    sequence; [N = 0], [N = 1], [N = 43];
    steps; [N = 1], [N = 2], [N = 19];
    descending; [N = 0], [N = 1], [N = 22];
    outer_iterators; [N = 0], [N = 1], [N = 13];
    conditions; [N = 1], [N = 4], [N = 15];
    gaps; [N = 1], [N = 6], [N = 33];
    min_max_bounds; [N = 1, B = 0], [N = 17, B = 3], [N = 7, B = 16];
    quotients; [N = 0], [N = 1], [N = 23];
    negative_quotients; [n = 0], [n = 1], [n = 2], [n = 17];
    guards; [n = 1, m = 1], [n = 2, m = 3], [n = 22, m = 13];
    typed_bounds; [N = 2, M = 0], [N = 3, M = 1], [N = 33, M = 7], [N = 100, M = 20];
    branches; [N = 1, x = 0], [N = 2, x = -5], [N = 37, x = 40], [N = 24, x = -900000];
    lengths; [n = 0], [n = 1], [n = 21], [n = 32];
    rings_by_type; [N = 0], [N = 1], [N = 600];
    rings; [n = 0], [n = 1], [n = 8], [n = 37];
    body_steps; [n = 0], [n = 1], [n = 2], [n = 17];
    branch_steps; [n = 0], [n = 1], [n = 2], [n = 17];
    breaks; [n = 0, m = 0], [n = 1, m = 3], [n = 9, m = 4], [n = 17, m = 20];
    pairs; [n = 0, m = 1], [n = 1, m = 0], [n = 8, m = 2], [n = 17, m = 5];
    carries; [h = 0, w = 5], [h = 3, w = 0], [h = 1, w = 1], [h = 5, w = 7];
    steps_by_others; [n = 0], [n = 1], [n = 13];
    flattened; [h = 0, w = 5, planes = 1], [h = 1, w = 1, planes = 1], [h = 5, w = 7, planes = 2];
    flat_scalars; [h = 0, w = 5], [h = 1, w = 1], [h = 5, w = 7];
    flat_loops; [h = 0, w = 5], [h = 1, w = 1], [h = 4, w = 1], [h = 1, w = 6], [h = 5, w = 7];
    flat_torus; [h = 1, w = 1], [h = 5, w = 7];
    flat_edges; [h = 3, w = 0], [h = 1, w = 1], [h = 4, w = 1], [h = 5, w = 7];
    flat_data; [h = 0, w = 5], [h = 1, w = 1], [h = 8, w = 1], [h = 5, w = 7];
    local_pointers; [n = 0, m = 5], [n = 1, m = 1], [n = 6, m = 9];
    memory_blocks; [h = 0, w = 5], [h = 1, w = 1], [h = 5, w = 7];
    whole_arrays; [n = 0, m = 3], [n = 1, m = 1], [n = 5, m = 7];
    swapped; [n = 0, T = 3], [n = 3, T = 1], [n = 9, T = 4], [n = 9, T = 5];
    turns; [n = 0, T = 3], [n = 3, T = 1], [n = 9, T = 4], [n = 9, T = 5];
    induction; [N = 0, M = 0], [N = 1, M = 3], [N = 17, M = 6], [N = 9, M = 30];
    empty_rows; [N = 0, M = 0], [N = 1, M = 2], [N = 14, M = 6], [N = 9, M = 0];

    // Expressions and types.
    compound; [N = 1], [N = 29];
    logic data &[("a", -200, 200), ("b", 0, 150)]; [N = 1], [N = 45];
    conversions; [N = 1], [N = 33];
    truncation; [N = 1], [N = 26];
    alignments; [N = 1, M = 1], [N = 11, M = 7], [N = 6, M = 13];

    // Floating point.
    float_arithmetic; [N = 1], [N = 21];
    float_conversions; [N = 1], [N = 19];
    host_scalars; [N = 1, M = 0], [N = 23, gain = 13, alpha = -2], [N = 17, gain = 0, M = 33];
    float_sums; [N = 1, M = 1], [N = 13, M = 17], [N = 5, M = 0];
    float_gemm; [N = 1], [N = 19];
    float_jacobi; [T = 1, N = 3], [T = 2, N = 9];
    float_scales; [N = 0], [N = 1], [N = 73];
    float_fdtd; [T = 1, N = 1, M = 1], [T = 3, N = 11, M = 14], [T = 2, N = 17, M = 5];
    float_gemver; [N = 1], [N = 19];
    rank_two; [N = 0], [N = 1], [N = 19];
    normal_equations; [M = 0, N = 3], [M = 1, N = 1], [M = 9, N = 18];
    linear_system; [N = 0], [N = 1], [N = 2], [N = 13];
    mirrored; [N = 0, M = 3], [N = 1, M = 1], [N = 9, M = 11];
    levinson; [N = 0], [N = 1], [N = 2], [N = 19];
    running_values; [N = 0], [N = 1], [N = 2], [N = 43];
    float_adi; [T = 1, N = 3], [T = 2, N = 8];
    shared_operators; [N = 0], [N = 1], [N = 27], [N = 60];
    float_lanes; [N = 0], [N = 1], [N = 37];

    // Functions and declarations.
    local_scalars; [N = 1, M = 0], [N = 15, M = 11], [N = 7, M = 21];
    temporaries; [N = 1, M = 1], [N = 13, M = 15], [N = 6, M = 17];
    returned; [n = 0], [n = 1], [n = 37], [n = 95];
    allocated; [n = 0], [n = 1], [n = 19];
    blocked_locals; [N = 0], [N = 1], [N = 10];
    local_arrays; [N = 0], [N = 1], [N = 13];
    local_neighbours; [N = 0], [N = 1], [N = 21];
    gauss; [M = 0, N = 0], [M = 45, N = 21], [M = 64, N = 40];
    three_polytopes; [N = 0], [N = 1], [N = 13];
    shared_data; [T = 0, N = 5], [T = 3, N = 27];
    helpers; [N = 1], [N = 31];
    joined_calls; [n = 0], [n = 1], [n = 31];
    clamped; [h = 2, w = 2], [h = 17, w = 30];
    scop_region; [n = 0], [n = 1], [n = 17];
    wavefront; [N = 2], [N = 70], [N = 33];
    vla; [n = 1, m = 1], [n = 15, m = 11], [n = 6, m = 19];
    restrict_pointers; [N = 0], [N = 1], [N = 17];

    // Lanes: sizes that neither tile nor lanes divide, and lanes that never run.
    lanes_dot; [N = 0], [N = 1], [N = 37], [N = 150];
    lanes_matvec; [N = 0, M = 3], [N = 3, M = 1], [N = 13, M = 37];
    long_strips_in_lanes; [N = 0, M = 3], [N = 3, M = 1], [N = 13, M = 37], [N = 26, M = 17];
    lanes_largest; [N = 5, M = 0], [N = 1, M = 1], [N = 13, M = 37];
    lanes_jacobi; [N = 2, M = 9], [N = 3, M = 3], [N = 23, M = 37];
    lanes_bytes; [N = 0], [N = 1, k = 3], [N = 150, k = 200];
    // Several elements of a row at once, to and from memory.
    beats_bytes; [N = 1, M = 1], [N = 3, M = 26], [N = 10, M = 37];
    beats_mixed; [N = 1, M = 1], [N = 5, M = 41], [N = 3, M = 64];
    beats_in_place; [N = 0], [N = 1, k = 3], [N = 203, k = -7];
    lanes_reverse; [N = 1], [N = 49], [N = 100];
    // Arrays that lie in slices.
    slices; [N = 1, M = 1, K = 1], [N = 17, M = 13, K = 19], [N = 8, M = 12, K = 16], [N = 0, M = 3, K = 3];
    slices_in_lanes; [N = 1, M = 1, K = 1], [N = 9, M = 37, K = 11], [N = 8, M = 32, K = 8];
    slices_halo; [N = 1, M = 1], [N = 19, M = 30], [N = 24, M = 23];
    slices_of_cubes; [N = 1, M = 1, K = 1], [N = 5, M = 7, K = 17], [N = 4, M = 4, K = 20];
    lanes_windows; [N = 3, M = 3, L = 17], [N = 40, M = 21, L = 300], [N = 270, M = 19, L = 0], [N = 5, M = 2, L = 1200];
    lanes_fir; [N = 1, K = 1], [N = 40, K = 7], [N = 35, K = 0];
    lanes_triangle; [N = 1], [N = 8], [N = 37];
    lanes_polynomials; [N = 0], [N = 1], [N = 21];
    lanes_diagonal; [N = 1, M = 5], [N = 20, M = 9], [N = 7, M = 33];
    lanes_waves; [T = 0, N = 9], [T = 1, N = 3], [T = 5, N = 19], [T = 9, N = 11];
    lanes_intervals; [N = 0], [N = 1], [N = 2], [N = 21], [N = 37];
    lanes_quotients data &[("b", 1, 99)]; [N = 1], [N = 21];
    // Several statements.
    lanes_layers; [N = 1, M = 1], [N = 13, M = 21], [N = 0, M = 5];
    lanes_mixed; [N = 0, M = 3], [N = 1, M = 1], [N = 21, M = 0], [N = 24, M = 16];
    lanes_strips; [N = 37, M = 3], [N = 16, M = 4], [N = 1, M = 1], [N = 64, M = 17], [N = 5, M = 0];
    lanes_parts; [N = 0], [N = 1], [N = 7], [N = 35];
    lanes_in_place; [N = 0], [N = 1], [N = 16], [N = 24];
    lanes_inside; [N = 0], [N = 1], [N = 13], [N = 18];
    lanes_grid; [N = 1, M = 1], [N = 13, M = 10], [N = 20, M = 0], [N = 0, M = 5];
    lanes_grid_layer; [K = 1, C = 1, H = 1, W = 1], [K = 5, C = 3, H = 5, W = 18];
    lanes_grid_triangle data &[("a", -100, 100), ("c", -100, 100)]; [N = 1, M = 3], [N = 13, M = 9];
    lanes_grid_diagonal data &[("a", -100, 100), ("c", -100, 100)]; [N = 0, M = 3], [N = 1, M = 5], [N = 21, M = 19];
    lanes_grid_stencil; [N = 2], [N = 3], [N = 21];
    lanes_grid_planes; [K = 1, H = 1, W = 1], [K = 5, H = 7, W = 19];

    // Found by random programs.
    repeated; [N = 0], [N = 1], [N = 12];
    reused_scalars; [N = 0, M = 3], [N = 1, M = 1], [N = 9, M = 7];
    size_in_subscripts; [N = 0, M = 0], [N = 3, M = 3];
    local_scalar_in_memory; [N = 0], [N = 1], [N = 9];
    byte_rows; [N = 1], [N = 7], [N = 13];

    // Odd but legal: indices from -1 to 0, names that differ in case only or are the generator's own, dead code.
    offsets; [H = 2, W = 5], [H = 3, W = 3], [H = 7, W = 9];
    backwards; [N = 0], [N = 1], [N = 40];
    helper_reads; [n = 1], [n = 2], [n = 29];
    elements; [n = 0], [n = 1], [n = 23];
    local_lists; [n = 0], [n = 1], [n = 29];
    switches; [n = 0, flag = 1], [n = 1, flag = 0], [n = 37, flag = 1];
    everyday; [h = 1, w = 1], [h = 3, w = 6], [h = 6, w = 3];
    words; [max = 0, T0 = 1, exists = 3], [max = 5, T0 = 7, exists = -2];
    bit_counts; [n = 0, unused = 1], [n = 1, unused = 2], [n = 20];
    hidden_names; [n = 0, m = 3], [n = 1, m = -4], [n = 20];
    names; [N = 0, n = 1, Fifo = 3], [N = 5, n = 7, Fifo = -2];
    dead_code; [N = 0], [N = 1, M = 1], [N = 11, M = 5];
}
