//! Kernels that the analysis refuses, with the message, the place and the way out; and Load and Store sets that break
//! the definitions.

use crate::kernels;

use kernels::analyze;

use burstc::buffer::blocks;
use burstc::buffer::reads::{Blocks, Fabric};
use burstc::diagnostic::Diagnostic;
use burstc::polyhedral::Program;
use burstc::polyhedral::isl::Map;
use burstc::source::kernel::Kernel;
use burstc::source::{self, Source};
use burstc::tiling::Band;
use burstc::transfer::validity::{self, Violation};
use burstc::transfer::{self, ArrayFlow};
use burstc::{buffer, polyhedral, tiling};

fn refusal(kernel: &Kernel) -> Diagnostic {
    let error = analyze(kernel).expect_err("a refusal");
    error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("no diagnostic: {error}")).clone()
}

fn assert_refused(kernel: &Kernel, message: &str, line: usize, help: &str) {
    let diagnostic = refusal(kernel);
    assert_eq!(diagnostic.message, message);
    assert_eq!(diagnostic.span.map(|s| s.line), Some(line), "{message}");
    assert!(diagnostic.help.contains(help), "{}", diagnostic.help);
}

#[test]
fn missing_bound() {
    let mut kernel = kernels::matmul(&[32; 3]);
    kernel.parameters[0].max = None;
    let message = "the size parameter `N` has no bound: the hardware is built for sizes up to one";
    assert_refused(&kernel, message, 2, "--max N=4096");
}

#[test]
fn reversed_dependences() {
    let polymul = |theta: &str| kernels::tiled(kernels::polymul_nest(), theta, &[10, 10]);
    for (theta, kind, distance) in [
        ("i, j", "flow", "(1, -1) in (i, j)"),
        ("i - j, -i", "flow", "(2, -1) in (i - j, -i)"),
        ("j, i", "flow", "(-1, 1) in (j, i)"),
    ] {
        let message =
            format!("the tiling reverses a dependence: {kind} dependence of S0 on S0 through `c`, distance {distance}");
        assert_refused(&polymul(theta), &message, 4, "skew");
    }
    // Legal: both distances are positive.
    analyze(&polymul("i - j, i")).unwrap();

    // Only a write after a read.
    let shift = kernels::nest("shift", "N:100", "x[N + 1]", "i:0..N - 1", "x[i]", "x[i + 1]");
    assert_refused(
        &kernels::tiled(shift, "-i", &[4]),
        "the tiling reverses a dependence: anti dependence of S0 on S0 through `x`, distance (-1) in (-i)",
        4,
        "skew",
    );
    // Only a write after a write.
    let last = kernels::nest("last", "N:100", "x[N]; y[1]", "i:0..N - 1", "y[0]", "x[i]");
    assert_refused(
        &kernels::tiled(last, "-i", &[4]),
        "the tiling reverses a dependence: output dependence of S0 on S0 through `y`, distance (-1) in (-i)",
        4,
        "skew",
    );
}

#[test]
fn malformed_tilings() {
    let tiled = |theta, sizes: &[i64]| kernels::tiled(kernels::polymul_nest(), theta, sizes);
    assert_refused(&tiled("i + j, i", &[10]), "1 tile sizes for 2 dimensions", 4, "one size per dimension");
    assert_refused(&tiled("i + j, i", &[10, 0]), "a tile size of 0", 4, "at least 1");
    assert_refused(&tiled("", &[]), "the tiling has no dimension", 4, "tile(");
    let message = "`k` in `i + k` is neither a loop iterator nor a size parameter";
    assert_refused(&tiled("i + k, i", &[10, 10]), message, 4, "affine");
}

#[test]
fn accesses_outside_of_their_array() {
    let nest = |loops, target| {
        let kernel = kernels::nest("k", "N:100 M:100", "a[N][M]; b[2*N]", loops, target, "a[i][j]");
        kernels::tiled(kernel, "i, j", &[4, 4])
    };
    assert_refused(
        &nest("i:0..N - 1; j:0..M - 1", "b[i + j]"),
        "`b[i + j]` leaves its array: for N = 1, M = 3, i = 0, j = 2 the subscript `i + j` is 2, the extent `2*N` is 2",
        9,
        "declare `b` larger",
    );
    assert_refused(
        &nest("i:0..N - 1; j:0..M - 1", "b[i - 1]"),
        "`b[i - 1]` leaves its array: for N = 1, M = 1, i = 0, j = 0 the subscript `i - 1` is -1, below 0",
        9,
        "loop bounds",
    );
    assert_refused(
        &nest("i:0..N - 1; j:0..M - 1", "b[2*i + 2]"),
        "`b[2*i + 2]` leaves its array: for N = 1, M = 1, i = 0, j = 0 the subscript `2*i + 2` is 2, the extent `2*N` is 2",
        9,
        "loop bounds",
    );
    assert_refused(&nest("i:0..N - 1; j:0..M - 1", "b[i][j]"), "`b[i][j]` has 2 subscripts, the array has 1", 9, "one");
}

#[test]
fn nothing_to_compute() {
    let mut empty = kernels::dma(&[32]);
    empty.body.clear();
    let refused = refusal(&empty);
    assert_eq!(refused.message, "the function `dma` computes nothing");
    assert_eq!(refused.span, Some(empty.span));
}

#[test]
fn a_name_of_two_iterators_is_refused() {
    let nest = kernels::nest("k", "N:100", "a[N][N]; b[N][N]", "i:0..N - 1; i:0..N - 1", "b[i][i]", "a[i][i]");
    let message = "`i` names two things: a loop iterator and a loop iterator";
    assert_refused(&kernels::tiled(nest, "i", &[4]), message, 6, "rename");
}

#[test]
fn buffers_larger_than_the_chip() {
    let offload = analyze(&kernels::matmul(&[32; 3])).unwrap();
    // 2048 + 2048 + 1024 words of 32 bits.
    let require_fit = |bits: u64| {
        let blocks = vec![Blocks::of_any_tool(1, bits, 32)];
        blocks::require_fit(&offload.kernel, &offload.buffers, &Fabric { blocks, aluts: 1, beat_bits: 32 })
    };
    require_fit(5120 * 32).unwrap();
    let error = require_fit(5120 * 32 - 1).unwrap_err();
    let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
    assert_eq!(
        diagnostic.message,
        "the local buffers need 163840 bits of block RAM (`a` 2048 words, `b` 2048 words, `c` 1024 words), the board has 163839"
    );
    assert!(diagnostic.help.contains("smaller tiles"));
    assert_eq!(diagnostic.span.unwrap().line, 4);
}

/// A strip that keeps a whole row: bounded by the parameter's bound, endless without.
#[test]
fn buffers_that_grow_with_a_size() {
    let mut kernel = kernels::nest("row", "N:100", "a[N]; b[N][N]", "i:0..N - 1; j:0..N - 1", "b[i][j]", "a[i]");
    kernel = kernels::tiled(kernel, "j, i", &[4, 4]);
    let transposed = kernels::nest("row", "N:100", "x[N]; y[N][N]", "i:0..N - 1; j:0..N - 1", "x[j]", "x[j]; y[i][j]");
    let transposed = kernels::tiled(transposed, "0*j + i, j", &[1, 4]);
    for kernel in [kernel, transposed] {
        analyze(&kernel).unwrap();
    }
    let whole = kernels::nest(
        "whole",
        "N:100 M:100",
        "a[N]; b[M][N]",
        "i:0..M - 1; j:0..N - 1",
        "b[i][j]",
        "a[j]; a[N - 1 - j]",
    );
    let mut whole = kernels::tiled(whole, "i, j", &[4, 4]);
    let offload = analyze(&whole).unwrap();
    assert_eq!(offload.buffers[0].common_mapping().unwrap().exact_moduli, [100]);
    whole.parameters.iter_mut().for_each(|p| p.max = None);
    let (program, band) = tiled_band(&whole);
    let flows = transfer::plan(&program, &band, &whole).unwrap();
    let (bands, flows) = (vec![band].into(), vec![flows].into());
    let Err(error) = buffer::allocate(&program, &bands, &whole, &flows) else { panic!("an endless buffer") };
    let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
    assert!(diagnostic.message.starts_with("the buffer of `a` has no bound"), "{}", diagnostic.message);
}

/// Sizes so small that nothing ever runs.
#[test]
fn nothing_to_do() {
    let mut kernel = kernels::matmul(&[32; 3]);
    kernel.parameters[0].max = Some(0);
    let offload = analyze(&kernel).unwrap();
    assert!(offload.tiles.pieces.is_empty() && kernels::band(&offload).transfers.is_empty());
}

/// The only band of a kernel.
fn tiled_band(kernel: &Kernel) -> (Program, Band) {
    let program = polyhedral::extract(kernel).unwrap();
    let mut bands = tiling::apply(&program, kernel, &kernel.tilings).unwrap();
    (program, bands.raw.remove(0))
}

/// One array of a tiled kernel.
struct Case {
    program: Program,
    band: Band,
    flow: ArrayFlow,
}

fn case(kernel: Kernel, array: &str) -> Case {
    let (program, band) = tiled_band(&kernel);
    let flows = transfer::plan(&program, &band, &kernel).unwrap();
    let flow = flows.into_iter().find(|f| kernel.arrays[f.array].name == array).unwrap();
    Case { program, band, flow }
}

impl Case {
    fn violations(&self, load: &Map, store: &Map) -> Vec<Violation> {
        validity::violations(&self.band, &self.flow, load, store).unwrap()
    }

    fn of_load(&self, load: &Map) -> Vec<Violation> {
        self.violations(load, &self.flow.store)
    }

    fn of_store(&self, store: &Map) -> Vec<Violation> {
        self.violations(&self.flow.load, store)
    }
}

/// RR-7697 Definitions 1 and 3: every condition has a load that breaks it alone, or first.
#[test]
fn wrong_loads() {
    let c = case(kernels::polymul(&[10, 10]), "c");
    assert_eq!(c.of_load(&c.flow.load), []);
    // Nothing is loaded.
    let nothing = c.flow.load.subtract(&c.flow.load).unwrap();
    assert!(c.of_load(&nothing).contains(&Violation::LoadMissesInput));
    // One tile of one strip forgets one cell.
    let one = c.program.isl.parse_map("[N] -> { T[0, 1] -> c[m] : m = N + 12 }").unwrap();
    assert!(c.of_load(&c.flow.load.subtract(&one).unwrap()).contains(&Violation::LoadMissesInput));
    // Every tile loads all that it reads: results of the tile before are overwritten.
    let all_reads = c.of_load(&c.flow.live_in);
    assert!(all_reads.contains(&Violation::LoadOverwritesResult), "{all_reads:?}");

    // b is only read: loading it in every tile is valid, and redundant.
    let b = case(kernels::polymul(&[10, 10]), "b");
    assert_eq!(b.of_load(&b.flow.live_in), [Violation::LoadRepeats]);

    // b is only written: loading it is valid, and useless.
    let b = case(kernels::dma(&[32]), "b");
    assert_eq!(b.of_load(&b.flow.out), [Violation::LoadIsUseless]);

    // Loading a cell one tile early is as valid and exact as loading it late.
    let a = case(kernels::matmul(&[32; 3]), "a");
    let isl = &a.program.isl;
    let ahead = isl.parse_map("{ T[I, J, K] -> T[I, J, K + 1] }").unwrap();
    let first = isl.parse_set("{ T[I, J, 0] }").unwrap();
    let early = ahead.apply_range(&a.flow.load).unwrap().intersect_domain(&a.band.tiles).unwrap();
    let early = early.union(&a.flow.load.intersect_domain(&first).unwrap()).unwrap();
    assert_eq!(a.of_load(&early), []);
    // One tile late is not.
    let late = ahead.reverse().unwrap().apply_range(&a.flow.load).unwrap();
    assert!(a.of_load(&late).contains(&Violation::LoadMissesInput));
}

/// RR-7697 Definitions 2 and 4.
#[test]
fn wrong_stores() {
    let c = case(kernels::polymul(&[10, 10]), "c");
    assert_eq!(c.of_store(&c.flow.store), []);
    let nothing = c.flow.store.subtract(&c.flow.store).unwrap();
    assert_eq!(c.of_store(&nothing), [Violation::StoreDiffersFromResult]);
    // Cells that nobody writes.
    let beyond = c.program.isl.parse_map("[N] -> { T[0, 0] -> c[m] : m = 3N + 20 and N >= 0 }").unwrap();
    assert_eq!(c.of_store(&c.flow.store.union(&beyond).unwrap()), [Violation::StoreDiffersFromResult]);
    // Every tile stores all that it writes: too early, and again later.
    assert_eq!(c.of_store(&c.flow.out), [Violation::StoreTooEarly, Violation::StoreRepeats]);
    // Later tiles store what earlier ones stored: after the last write, but again.
    let again = c.band.earlier.apply_range(&c.flow.store).unwrap().intersect_domain(&c.band.tiles).unwrap();
    assert_eq!(c.of_store(&c.flow.store.union(&again).unwrap()), [Violation::StoreRepeats]);
}

/// Tiles of one nest between those of another, of which the first has no loop left to itself.
#[test]
fn schedules_of_fewer_dimensions() {
    let kernel = |second: &str, first: &str| {
        let text = format!(
            "#pragma burstc size(N: 64, max 512)\nvoid two(int N, int c[32][64], int a[N], int s[1])\n{{\n\
             #pragma burstc schedule(S0[i,j] -> (i, j)) tile({first})\n\
             for (int i = 0; i < 32; i++)\nfor (int j = 0; j < 64; j++)\nc[i][j] += i;\n\
             #pragma burstc schedule({second}\nfor (int j = 0; j < N; j++)\ns[0] += a[j];\n}}\n"
        );
        source::parse(&Source { path: "two.c".into(), text, cpp_args: vec![] }).unwrap()
    };
    let message = "its tiles take turns with those of another nest along the last of its dimensions";
    assert_refused(&kernel("S1[j] -> (j)) tile(16)", "8, 64"), message, 8, "(j, 0)");
    for second in ["S1[j] -> (j, 0)) tile(16, 1)", "S1[j] -> (j)) tile(512)"] {
        analyze(&kernel(second, "64, 64")).unwrap();
    }
    analyze(&kernel("S1[j] -> (j, 0)) tile(16, 1)", "8, 64")).unwrap();
}
