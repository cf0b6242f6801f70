//! The tiling that burstc chooses against the best one that brute force finds: bytes of DDR moved, as the sets count them,
//! for every power of two as size of every tile dimension whose buffers fit the same block RAM.

use crate::common;
use burstc::ids::BandId;

use std::collections::BTreeMap;

use burstc::analysis;
use burstc::board::{BlockRam, Board};
use burstc::buffer::blocks;
use burstc::buffer::reads::{self, Blocks, Fabric};
use burstc::offload::Offload;
use burstc::report::count::Work;
use burstc::source::kernel::{Kernel, TilingDirective};
use burstc::source::{self, Source};

/// How far from the best tiling burstc may stay, in percent.
const TOLERANCE: u64 = 125;

/// The board, with so many bits of block RAM in place of its own: few, so that tiles matter at sizes that brute force
/// can count.
fn board(block_ram_bits: u64) -> Board {
    let mut board = common::board();
    board.device.block_ram = vec![BlockRam {
        kind: "M512".into(),
        count: block_ram_bits / 576,
        bits: 576,
        max_width: 18,
        min_width: 1,
        style: None,
    }];
    board
}

/// Bytes read and written in one run.
fn bytes(offload: &Offload, sizes: &BTreeMap<String, i64>) -> u64 {
    let work = Work::of(offload, sizes);
    work.bytes_read + work.bytes_written
}

/// The tilings of an offload, band by band.
fn tilings(offload: &Offload) -> Vec<TilingDirective> {
    offload.bands.iter().map(|band| band.tiling.clone()).collect()
}

fn with_tilings(kernel: &Kernel, tilings: &[TilingDirective]) -> Kernel {
    Kernel { tilings: tilings.to_vec(), ..kernel.clone() }
}

/// Dimensions in which tiles have a size to choose: not those that only put bands in sequence.
fn dimensions(tiling: &TilingDirective) -> Vec<usize> {
    (0..tiling.sizes.len()).filter(|k| tiling.schedules.iter().any(|s| !s.theta[*k].is_constant())).collect()
}

/// The fewest bytes of any sizes of the band's tiles whose buffers fit, with these sizes; the other bands stay as they
/// are. Sizes go up to `largest`.
fn best(offload: &Offload, band: usize, sizes: &BTreeMap<String, i64>, board: &Board, largest: i64) -> (u64, Vec<i64>) {
    let tilings = tilings(offload);
    let dimensions = dimensions(&tilings[band]);
    let powers: Vec<i64> = (0..).map(|exponent| 1 << exponent).take_while(|size| *size <= largest).collect();
    let mut best = (u64::MAX, vec![]);
    let mut too_large: Vec<Vec<i64>> = vec![];
    let endless = Fabric { blocks: vec![Blocks::of_any_tool(1 << 40, 576, 18)], aluts: u64::MAX, beat_bits: 32 };
    for index in 0..powers.len().pow(dimensions.len() as u32) {
        let mut tried = tilings.clone();
        let mut rest = index;
        // The last dimension varies most slowly: what does not fit comes before what is larger still.
        for &dimension in &dimensions {
            tried[band].sizes[dimension] = powers[rest % powers.len()];
            rest /= powers.len();
        }
        let candidate = tried[band].sizes.clone();
        if too_large.iter().any(|sizes| sizes.iter().zip(&candidate).all(|(a, b)| a <= b)) {
            continue;
        }
        // A dimension that runs one value after the other, and carries dependences, allows no other size.
        let Ok(mut other) = analysis::analyze(&with_tilings(&offload.kernel, &tried), &endless) else { continue };
        reads::arrange(&other.kernel, &[], &mut other.buffers, &board.fabric());
        if blocks::require_fit(&other.kernel, &other.buffers, &board.fabric()).is_err() {
            too_large.push(candidate);
        } else {
            best = best.min((bytes(&other, sizes), candidate));
        }
    }
    best
}

/// The kernel built for these sizes, which are also those that it usually runs with.
fn offload(path: &str, board: &Board, sizes: &[(&str, i64)]) -> Offload {
    let source = Source::read(&common::root(path), vec![]).expect("the kernel is readable");
    let mut kernel = source::parse(&source).unwrap_or_else(|error| panic!("{path}: {error:#}"));
    for (name, value) in sizes {
        let parameter = kernel.parameters.iter_mut().find(|p| p.name == *name).expect("a size parameter");
        (parameter.default, parameter.max) = (Some(*value), Some(*value));
    }
    analysis::analyze(&kernel, &board.fabric()).unwrap_or_else(|error| panic!("{path}: {error:#}"))
}

/// The bands move what they move independently of each other, so each is compared with its own best, and the best of all
/// is the sum.
fn check(kernel: &str, block_ram_bits: u64, set: &[(&str, i64)]) {
    let board = board(block_ram_bits);
    let chosen = offload(&format!("tests/kernels/{kernel}.c"), &board, set);
    let sizes = set.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let moved = bytes(&chosen, &sizes);
    let largest = set.iter().map(|(_, value)| *value as u64).max().expect("a size").next_power_of_two() as i64;
    let mut least = moved;
    for band in 0..tilings(&chosen).len() {
        let (bytes, tiles) = best(&chosen, band, &sizes, &board, largest);
        println!(
            "{kernel}, band {band}: {moved} bytes with {:?}, {bytes} with {tiles:?}",
            chosen.bands[BandId(band)].tiling.sizes
        );
        least -= moved.saturating_sub(bytes);
    }
    assert!(100 * moved <= TOLERANCE * least, "{kernel}: {moved} bytes moved, {least} with the best tiles");
}

#[test]
#[ignore = "slow: make test"]
fn gemm() {
    check("gemm", 8 * 4096, &[("N", 32), ("M", 32), ("K", 32)]);
}

#[test]
#[ignore = "slow: make test"]
fn syrk() {
    check("syrk", 8 * 4096, &[("N", 32), ("K", 32)]);
}

#[test]
#[ignore = "slow: make test"]
fn jacobi_2d() {
    check("jacobi_2d", 8 * 2048, &[("T", 4), ("N", 14)]);
}

mod soak {
    use super::check;

    #[test]
    #[ignore = "exhaustive: make soak"]
    fn jacobi_2d() {
        check("jacobi_2d", 8 * 4096, &[("T", 8), ("N", 24)]);
    }

    #[test]
    #[ignore = "exhaustive: make soak"]
    fn fdtd_2d() {
        check("fdtd_2d", 8 * 8192, &[("T", 8), ("N", 20), ("M", 20)]);
    }
}

/// The search against what is known of the matrix product: with tiles of I x J, rows of `a` come once per column of
/// tiles, columns of `b` once per row of tiles, and `c` comes and goes once.
#[test]
fn the_search_finds_the_best_matrix_product() {
    let n = 16;
    let board = board(8 * 1024);
    let given = offload("examples/matmul.c", &common::board(), &[("N", n)]);
    let sizes = BTreeMap::from([("N".to_string(), n)]);
    let (bytes, tiles) = best(&given, 0, &sizes, &board, n);
    let known = |i: i64, j: i64| (4 * (2 * n * n + n * n * (n / j) + n * n * (n / i))) as u64;
    assert_eq!(bytes, known(tiles[0], tiles[1]), "{tiles:?}");
    // Two tiles of `a` and `b` of one step along the strip, and one of `c`, in 32-bit words.
    let fits = |i: &i64, j: &i64| 32 * (2 * i + 2 * j + i * j) <= board.block_ram_bits() as i64;
    let powers = [1, 2, 4, 8, 16];
    let all = powers.iter().flat_map(|i| powers.iter().map(move |j| (i, j)));
    assert_eq!(Some(bytes), all.filter(|(i, j)| fits(i, j)).map(|(i, j)| known(*i, *j)).min());
}
