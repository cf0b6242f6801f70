//! What the papers say about the product of matrices and of polynomials (RR-7648, RR-7697), set by set. Expected sets
//! are isl text; they are compared as sets.

use crate::kernels;
use burstc::ids::ArrayId;

use kernels::analyze;

use burstc::buffer;
use burstc::polyhedral::Program;
use burstc::polyhedral::isl::{Map, Set};
use burstc::source::kernel::Kernel;
use burstc::tiling::Band;
use burstc::transfer::{self, ArrayFlow};
use burstc::{polyhedral, tiling};

struct Golden {
    kernel: Kernel,
    program: Program,
    band: Band,
    flows: Vec<ArrayFlow>,
}

impl Golden {
    fn new(kernel: Kernel) -> Self {
        let program = polyhedral::extract(&kernel).unwrap();
        let mut bands = tiling::apply(&program, &kernel, &kernel.tilings).unwrap();
        let band = bands.raw.remove(0);
        let flows = transfer::plan(&program, &band, &kernel).unwrap();
        Golden { kernel, program, band, flows }
    }

    /// No bound on the sizes: what holds for all of them.
    fn unbounded(mut kernel: Kernel) -> Self {
        kernel.parameters.iter_mut().for_each(|p| p.max = None);
        Golden::new(kernel)
    }

    fn flow(&self, array: &str) -> &ArrayFlow {
        self.flows.iter().find(|f| self.kernel.arrays[f.array].name == array).unwrap()
    }

    fn first_read(&self, array: &str) -> Map {
        transfer::first_read(&self.program, &self.band, self.flow(array).array).unwrap().remove(0)
    }

    fn last_write(&self, array: &str) -> Map {
        transfer::last_write(&self.program, &self.band, self.flow(array).array).unwrap().remove(0)
    }

    fn assert_map(&self, what: &str, got: &Map, expected: &str) {
        let expected = self.program.isl.parse_map(expected).unwrap();
        assert!(got.is_equal(&expected).unwrap(), "{what}\n     got {got}\nexpected {expected}");
    }

    fn assert_set(&self, what: &str, got: &Set, expected: &str) {
        let expected = self.program.isl.parse_set(expected).unwrap();
        assert!(got.is_equal(&expected).unwrap(), "{what}\n     got {got}\nexpected {expected}");
    }

    fn assert_differences(&self, array: &str, expected: &str, moduli: &[i64]) {
        let differences = buffer::differences(&self.band, self.flow(array)).unwrap();
        self.assert_set(&format!("DS({array})"), &differences, expected);
        assert_eq!(buffer::successive_moduli(&differences).unwrap().as_deref(), Some(moduli), "moduli of {array}");
        assert!(buffer::is_legal(&differences, moduli).unwrap());
    }

    /// Words that all tiles together move, for one size.
    fn words(&self, cells: &Map, n: i64) -> i64 {
        cells.wrap().unwrap().fix_parameter("N", n).unwrap().count().unwrap().finite().unwrap()
    }
}

/// RR-7697 section 3.3, with strip index I and tile J: what is loaded of c under θ = (N - j, i).
#[test]
fn polymul_loads_of_c() {
    let golden = Golden::unbounded(kernels::polymul(&[10, 10]));
    golden.assert_map(
        "Load(I, J) of c",
        &golden.flow("c").load,
        "[N] -> {
            T[I, J] -> c[m] : J = 0 and 0 <= 10I <= N and 0 <= m and N - 10I - 9 <= m
                and m <= N - 10I + 9 and m <= 2N - 10I;
            T[I, J] -> c[m] : 1 <= J and 10J <= N and 0 <= 10I <= N and N - 10I + 10J <= m
                and m <= N - 10I + 10J + 9 and m <= 2N - 10I }",
    );
}

/// RR-7697 section 2.2: the first read of a cell of c in a strip.
#[test]
fn polymul_first_reads_of_c() {
    let golden = Golden::unbounded(kernels::polymul(&[10, 10]));
    golden.assert_map(
        "FirstOpRead(m)",
        &golden.first_read("c"),
        "[N] -> {
            [Strip[I] -> c[m]] -> S0[0, m] : 0 <= 10I <= N and 0 <= m and N - 10I - 9 <= m <= N - 10I;
            [Strip[I] -> c[m]] -> S0[10I - N + m, N - 10I] : 0 <= 10I <= N and N - 10I + 1 <= m <= 2N - 10I }",
    );
}

/// A cell is stored after the last tile of the strip that writes it: the last i in the strip is min(N, m - jmin) where
/// jmin is the smallest j of the strip.
#[test]
fn polymul_stores_of_c() {
    let golden = Golden::unbounded(kernels::polymul(&[10, 10]));
    golden.assert_map(
        "Store(I, J) of c",
        &golden.flow("c").store,
        "[N] -> { T[I, J] -> c[m] : exists i, j : 0 <= 10I <= N and 0 <= i <= N and 0 <= j <= N and m = i + j
            and 10I <= N - j <= 10I + 9 and 10J <= i <= 10J + 9
            and (i = N or j = 0 or N - j = 10I + 9) }",
    );
}

/// RR-7697 figure 1: maximal reuse of b within a strip, of a within a tile.
#[test]
fn polymul_loads_of_a_and_b() {
    let golden = Golden::unbounded(kernels::polymul(&[10, 10]));
    golden.assert_map(
        "Load(I, J) of a",
        &golden.flow("a").load,
        "[N] -> { T[I, J] -> a[i] : 0 <= 10I <= N and 0 <= i <= N and 10J <= i <= 10J + 9 }",
    );
    golden.assert_map(
        "Load(I, J) of b",
        &golden.flow("b").load,
        "[N] -> { T[I, 0] -> b[j] : 0 <= j <= N and 10I <= N - j <= 10I + 9 }",
    );
}

/// With θ = (i + j, i) the dependences stay in the strip: c is loaded where its first i lies, stored where its last
/// lies, and never in between.
#[test]
fn polymul_skewed_moves_c_at_the_ends_of_a_strip() {
    let golden = Golden::unbounded(kernels::polymul_skewed(&[10, 10]));
    let flow = golden.flow("c");
    golden.assert_map(
        "Load(I, J) of c",
        &flow.load,
        "[N] -> { T[I, J] -> c[m] : exists i : 0 <= m <= 2N and 10I <= m <= 10I + 9 and 10J <= i <= 10J + 9
            and i >= 0 and i >= m - N and (i = 0 or i = m - N) }",
    );
    golden.assert_map(
        "Store(I, J) of c",
        &flow.store,
        "[N] -> { T[I, J] -> c[m] : exists i : 0 <= m <= 2N and 10I <= m <= 10I + 9 and 10J <= i <= 10J + 9
            and i <= N and i <= m and (i = N or i = m) }",
    );
    // Where the tiles' grid meets the domain's corner: the first tile of each strip loads, the last stores.
    let isl = &golden.program.isl;
    let hundred = isl.parse_set("[N] -> { : N = 100 }").unwrap();
    let tiles = golden.band.tiles.intersect_params(&hundred).unwrap();
    let not_first = golden.band.later.intersect_domain(&tiles).unwrap().range().unwrap();
    let not_last = golden.band.earlier.intersect_domain(&tiles).unwrap().range().unwrap();
    for (cells, others) in [(&flow.load, not_first), (&flow.store, not_last)] {
        let between = cells.intersect_domain(&others).unwrap().intersect_params(&hundred).unwrap();
        assert!(between.is_empty().unwrap(), "{between}");
    }
}

/// "The loads and stores for the array a are the same in both cases. However, the number of transfers for array b now
/// increases."
#[test]
fn polymul_skewed_loads_of_a_and_b() {
    let (plain, skewed) = (Golden::new(kernels::polymul(&[10, 10])), Golden::new(kernels::polymul_skewed(&[10, 10])));
    // The whole row of a tile; strips beyond the middle only meet its upper part.
    skewed.assert_map(
        "Load(I, J) of a",
        &skewed.flow("a").load,
        "[N] -> { T[I, J] -> a[i] : 0 <= i <= N and 10J <= i <= 10J + 9 and 10I - N <= i <= 10I + 9 and J <= I }",
    );
    for n in [20, 50, 100] {
        assert!(skewed.words(&skewed.flow("b").load, n) > plain.words(&plain.flow("b").load, n), "b for N = {n}");
        // Every cell of c now comes and goes once.
        assert_eq!(skewed.words(&skewed.flow("c").load, n), 2 * n + 1);
        assert_eq!(skewed.words(&skewed.flow("c").store, n), 2 * n + 1);
    }
}

/// RR-7697 section 3.3: first reads and last writes of the matrix product, tiles of 32, strips along k.
#[test]
fn matmul_first_reads_and_last_writes() {
    let golden = Golden::unbounded(kernels::matmul(&[32, 32, 32]));
    let strip = "0 <= I and 32I < N and 0 <= J and 32J < N";
    for (array, first) in [
        ("a", "[Strip[I, J] -> a[i, k]] -> S0[i, 32J, k] : 0 <= i, k < N and 32I <= i <= 32I + 31"),
        ("b", "[Strip[I, J] -> b[k, j]] -> S0[32I, j, k] : 0 <= k, j < N and 32J <= j <= 32J + 31"),
        (
            "c",
            "[Strip[I, J] -> c[i, j]] -> S0[i, j, 0] : 0 <= i, j < N and 32I <= i <= 32I + 31 and 32J <= j <= 32J + 31",
        ),
    ] {
        let expected = format!("[N] -> {{ {first} and {strip} }}");
        golden.assert_map(&format!("first read of {array}"), &golden.first_read(array), &expected);
    }
    golden.assert_map(
        "last write of c",
        &golden.last_write("c"),
        "[N] -> { [Strip[I, J] -> c[i, j]] -> S0[i, j, N - 1] : 0 <= i, j < N and 32I <= i <= 32I + 31
            and 32J <= j <= 32J + 31 }",
    );
}

/// Each full tile loads one 32 x 32 block of a and one of b; c comes before the first tile of the strip and goes after
/// the last.
#[test]
fn matmul_transfers() {
    let golden = Golden::unbounded(kernels::matmul(&[32, 32, 32]));
    let inside = "0 <= I and 0 <= J and 0 <= K and 32I < N and 32J < N and 32K < N";
    let block = |x: &str, t: &str| format!("32{t} <= {x} <= 32{t} + 31 and {x} < N");
    for (array, load) in [
        ("a", format!("T[I, J, K] -> a[i, k] : {} and {}", block("i", "I"), block("k", "K"))),
        ("b", format!("T[I, J, K] -> b[k, j] : {} and {}", block("k", "K"), block("j", "J"))),
        ("c", format!("T[I, J, K] -> c[i, j] : {} and {} and K = 0", block("i", "I"), block("j", "J"))),
    ] {
        let expected = format!("[N] -> {{ {load} and {inside} }}");
        golden.assert_map(&format!("Load({array})"), &golden.flow(array).load, &expected);
    }
    let store = format!("T[I, J, K] -> c[i, j] : {} and {} and 32K + 32 >= N", block("i", "I"), block("j", "J"));
    golden.assert_map("Store(c)", &golden.flow("c").store, &format!("[N] -> {{ {store} and {inside} }}"));
    for array in ["a", "b"] {
        assert!(golden.flow(array).store.is_empty().unwrap());
        // 8 tiles of 1024 words for N = 64.
        assert_eq!(golden.words(&golden.flow(array).load, 64), 8 * 1024);
    }
}

/// RR-7648 section III-B: conflict polyhedra and mappings of the matrix product.
#[test]
fn matmul_buffers() {
    for golden in [Golden::unbounded(kernels::matmul(&[32; 3])), Golden::new(kernels::matmul(&[32; 3]))] {
        golden.assert_differences("a", "{ a[i, k] : -31 <= i <= 31 and -63 <= k <= 63 }", &[32, 64]);
        golden.assert_differences("b", "{ b[k, j] : -63 <= k <= 63 and -31 <= j <= 31 }", &[64, 32]);
        golden.assert_differences("c", "{ c[i, j] : -31 <= i <= 31 and -31 <= j <= 31 }", &[32, 32]);
    }
    let offload = analyze(&kernels::matmul(&[32; 3])).unwrap();
    let text: Vec<String> = offload.buffers.iter().map(|b| buffer::mapping_text(&offload.kernel, b)).collect();
    assert_eq!(
        text,
        [
            "a[i, k] -> [tile mod 2, i mod 32, k mod 32]",
            "b[k, j] -> [tile mod 2, k mod 32, j mod 32]",
            "c[i, j] -> [i mod 32, j mod 32]"
        ]
    );
    assert_eq!(offload.buffers.iter().map(|b| b.words()).collect::<Vec<_>>(), [2048, 2048, 1024]);
    // Tiles of another size are rounded up to powers of two.
    let offload = analyze(&kernels::matmul(&[10, 12, 20])).unwrap();
    let a = offload.buffers[0].common_mapping().unwrap();
    assert_eq!((&a.exact_moduli[..], &a.moduli[..], a.slots), (&[10, 20][..], &[16, 32][..], 2));
    let c = offload.buffers[2].common_mapping().unwrap();
    assert_eq!((&c.exact_moduli[..], &c.moduli[..], c.slots), (&[10, 12][..], &[16, 16][..], 1));
}

/// The windows that slide along a strip: a and b as in the matrix product; c spans the cells of one tile (19) with a
/// tile's step of 10 ahead, being loaded, and one behind, being stored.
#[test]
fn polymul_buffers() {
    let golden = Golden::new(kernels::polymul(&[10, 10]));
    golden.assert_differences("a", "{ a[i] : -19 <= i <= 19 }", &[20]);
    golden.assert_differences("b", "{ b[j] : -9 <= j <= 9 }", &[10]);
    golden.assert_differences("c", "{ c[m] : -38 <= m <= 38 }", &[39]);
    let golden = Golden::new(kernels::polymul_skewed(&[10, 10]));
    golden.assert_differences("c", "{ c[m] : -9 <= m <= 9 }", &[10]);
}

/// No modulus keeps apart what is any distance apart; the GeCoS note's examples are in `reallocation.rs`.
#[test]
fn differences_without_an_end() {
    let golden = Golden::new(kernels::dma(&[4]));
    let endless = golden.program.isl.parse_set("{ tmp[i, j] : i = 0 }").unwrap();
    assert_eq!(buffer::successive_moduli(&endless).unwrap(), None);
}

/// Distances of the dependences through c, in θ: (0, 0, k) and so on.
#[test]
fn dependences() {
    let golden = Golden::unbounded(kernels::polymul_skewed(&[10, 10]));
    let c = golden.flow("c").array;
    assert_eq!(golden.program.dependences.len(), 3);
    for dependence in &golden.program.dependences {
        assert_eq!(dependence.array, c);
        golden.assert_map(
            &dependence.kind.to_string(),
            &dependence.relation,
            "[N] -> { S0[i, j] -> S0[i', j'] : i + j = i' + j' and i < i' and 0 <= i, j, i', j' <= N }",
        );
    }
}

/// The order inside a tile carries flow dependences as far out as it can.
#[test]
fn inner_orders() {
    for (kernel, order, innermost) in [
        (kernels::matmul(&[32; 3]), "(k, i, j)", None),
        (kernels::polymul(&[10, 10]), "(N - j, i)", None),
        (kernels::polymul_skewed(&[10, 10]), "(i, i + j)", None),
        (kernels::dma(&[1024]), "(i)", None),
    ] {
        let offload = analyze(&kernel).unwrap();
        assert_eq!(
            (kernels::band(&offload).compute.order.as_str(), kernels::band(&offload).compute.innermost_distance),
            (order, innermost),
            "{}",
            kernel.name
        );
    }
    // x[i] = x[i - 3] + x[i]: the only level carries a distance of 3, where a tile is long enough.
    let recurrence = kernels::nest("recurrence", "N:100", "x[N + 3]", "i:3..N + 2", "x[i]", "x[i - 3]; x[i]");
    for (size, distance) in [(8, Some(3)), (3, None)] {
        let offload = analyze(&kernels::tiled(recurrence.clone(), "i", &[size])).unwrap();
        assert_eq!(kernels::band(&offload).compute.innermost_distance, distance);
    }
}

/// What the first tile of a strip waits for: nothing where tiles have slots, the strip's own cells where they share
/// places, dependences through memory.
#[test]
fn waits() {
    use burstc::offload::Wait::{self, Computed, Nothing, Stored};
    let waits = |kernel: &Kernel| -> Vec<(String, Wait)> {
        let offload = analyze(kernel).unwrap();
        let name = |array: ArrayId| kernel.arrays[array].name.clone();
        kernels::band(&offload).transfers.iter().map(|t| (name(t.array), t.wait)).collect()
    };
    let named = |expected: &[(&str, Wait)]| -> Vec<(String, Wait)> {
        expected.iter().map(|(name, wait)| (name.to_string(), *wait)).collect()
    };
    assert_eq!(waits(&kernels::matmul(&[32; 3])), named(&[("a", Nothing), ("b", Nothing), ("c", Stored)]));
    // b has its tile's cells in all tiles of a strip.
    assert_eq!(waits(&kernels::polymul_skewed(&[10, 10])), named(&[("a", Nothing), ("b", Computed), ("c", Stored)]));
    assert_eq!(waits(&kernels::vecsum(&[1024])), named(&[("a", Nothing), ("b", Nothing), ("c", Nothing)]));
    // In place, every cell in one tile only: slots; but strips add to what others stored.
    let sweeps = kernels::nest("sweeps", "N:100 T:9", "x[N]", "t:0..T - 1; i:0..N - 1", "x[i]", "x[i]");
    assert_eq!(waits(&kernels::tiled(sweeps, "t, i", &[1, 8])), named(&[("x", Stored)]));
}

#[test]
fn strips_depend() {
    for (kernel, depend) in [
        (kernels::matmul(&[32; 3]), false),
        (kernels::polymul(&[10, 10]), true),
        (kernels::polymul_skewed(&[10, 10]), false),
        (kernels::vecsum(&[1024]), false),
    ] {
        assert_eq!(analyze(&kernel).unwrap().strips_depend, depend, "{}", kernel.name);
    }
}

/// The hardware grows with pieces and bounds.
#[test]
fn scans_are_small() {
    let offload = analyze(&kernels::matmul(&[32; 3])).unwrap();
    for transfer in &kernels::band(&offload).transfers {
        let [piece] = &transfer.load.pieces[..] else { panic!("{:?}", transfer.load) };
        assert!(piece.levels.iter().all(|l| l.lower.len() == 1 && l.upper.len() == 2), "{piece:?}");
    }
    let guards: Vec<String> =
        kernels::band(&offload).transfers[2].load.pieces[0].guards.iter().map(|g| g.to_string()).collect();
    assert_eq!(guards, ["-T2"]);
    let offload = analyze(&kernels::polymul(&[10, 10])).unwrap();
    let pieces: Vec<usize> = kernels::band(&offload).transfers.iter().map(|t| t.load.pieces.len()).collect();
    assert_eq!(pieces, [1, 1, 2]);
}

/// The same kernel gives the same bytes.
#[test]
fn analysis_is_deterministic() {
    let json = || serde_json::to_string(&analyze(&kernels::polymul_skewed(&[10, 10])).unwrap()).unwrap();
    assert_eq!(json(), json());
}

/// A look-up may read all that its subscripts can name: it is loaded once per strip, in the first tile, cut by the type of what the
/// subscript is made of.
#[test]
fn gathers_load_what_they_may_read() {
    let text = "#include <stdint.h>\n#pragma burstc size(N: 100, max 4096)\n\
        void look(int N, uint8_t x[N], int32_t t[200], int32_t u[40][300], int32_t y[N])\n{\n\
        #pragma burstc schedule(S0[i] -> (i)) tile(16)\n\
        for (int i = 0; i < N; i++)\n        y[i] = t[x[i]] + u[3][x[i] & 7] + u[4][x[i]];\n}\n";
    let source = burstc::source::Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let golden = Golden::new(burstc::source::parse(&source).unwrap());
    let load = |array: &str, cells: &str| {
        let expected = format!("[N] -> {{ T[0] -> {array} : 1 <= N and {cells} }}");
        golden.assert_map(
            &format!("Load(T) of {array}"),
            &golden.flow(array.split('[').next().unwrap()).load,
            &expected,
        );
    };
    load("t[c]", "0 <= c <= 199");
    load("u[r, c]", "((r = 3 and 0 <= c <= 7) or (r = 4 and 0 <= c <= 255))");
}

/// A write at a subscript that depends on data may be of any cell that it can name, and surely is of none: the first tile loads them, the
/// last one stores them, and nobody loads less for it.
#[test]
fn scatters_load_and_store_what_they_may_write() {
    let text = "#include <stdint.h>\n#pragma burstc size(N: 100, max 4096)\n\
        void put(int N, uint8_t x[N], int32_t h[200], int32_t u[40][300], int32_t y[N])\n{\n\
        #pragma burstc schedule(S0[i] -> (i); S1[i] -> (i)) tile(16)\n\
        for (int i = 0; i < N; i++) {\n        h[x[i]] += 1;\n        u[3][x[i] & 7] = y[i];\n        }\n}\n";
    let source = burstc::source::Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let golden = Golden::new(burstc::source::parse(&source).unwrap());
    for (array, cells, bounds) in [("h", "h[c]", "0 <= c <= 199"), ("u", "u[3, c]", "0 <= c <= 7")] {
        let flow = golden.flow(array);
        let load = format!("[N] -> {{ T[0] -> {cells} : 1 <= N and {bounds} }}");
        golden.assert_map(&format!("Load(T) of {array}"), &flow.load, &load);
        let store = format!("[N] -> {{ T[t] -> {cells} : 0 <= t and 16 t < N <= 16 t + 16 and {bounds} }}");
        golden.assert_map(&format!("Store(T) of {array}"), &flow.store, &store);
    }
}
