//! The hardware on several bands, several statements per tile, local arrays and divisions: offloads put together here,
//! against the C compiler.

mod assembled;

use assembled::verilog;
use assembled::{Rig, affine, edit_accesses, edit_expressions, joined, lint, make_local, parse, piece, scan, source};
use burstc::analysis::analyze;
use burstc::ids::{ArrayId, BandId, ByBand, StatementId};
use burstc::offload::{Band, Buffer, Compute, Leaf, Mapping, Offload, Piece, Scan, Transfer, Wait};
use burstc::report::count::Work;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use burstc::source::kernel::{Expr, Kernel, Quotient, Storage, TilingDirective};

/// What the analysis says of each part alone, in sequence: one band per part.
fn in_sequence(parts: &[Source]) -> Offload {
    let kernels: Vec<Kernel> = parts.iter().map(parse).collect();
    let fabric = burstc::board::load("stratix2-ddr400").expect("a known board").fabric();
    let offloads: ByBand<Offload> = kernels.iter().map(|k| analyze(k, &fabric).unwrap()).collect();
    let kernel = joined(kernels);
    let mut buffers: Vec<Buffer> = vec![];
    for (band, offload) in offloads.iter_enumerated() {
        for buffer in &offload.buffers {
            let place = buffers.iter().position(|b| b.array == buffer.array).unwrap_or_else(|| {
                buffers.push(Buffer::new(buffer.array, vec![None; parts.len()].into()));
                buffers.len() - 1
            });
            buffers[place].mappings[band] = buffer.mappings[BandId(0)].clone();
        }
    }
    let leaves =
        |scan: &Scan, leaf: Leaf| -> Vec<Piece> { scan.pieces.iter().map(|p| Piece { leaf, ..p.clone() }).collect() };
    let all = |of: &dyn Fn(&Offload) -> &Scan| {
        scan(offloads.iter_enumerated().flat_map(|(b, offload)| leaves(of(offload), b.into())).collect())
    };
    let (tiles, source_order) = (all(&|o| &o.tiles), all(&|o| &o.source_order));
    let mut bands = ByBand::new();
    for (statement, mut offload) in offloads.into_iter().enumerate() {
        let mut band = offload.bands.remove(BandId(0));
        band.statements = vec![StatementId(statement)];
        band.compute.scan = scan(leaves(&band.compute.scan, StatementId(statement).into()));
        bands.push(band);
    }
    Offload {
        kernel,
        bands,
        tiles,
        source_order,
        buffers,
        windows: vec![],
        strips_depend: true,
        written: vec![],
        lanes_note: None,
        units_note: None,
        strips_note: None,
        ports: Default::default(),
    }
}

/// One band with one tile that holds the whole run.
fn in_one_tile(kernel: Kernel, compute: Scan) -> Offload {
    let source_order = compute.clone();
    in_one_strip(kernel, ("T0: 0 .. 0 in 0..0", "0", "0"), compute, source_order)
}

/// One band whose tiles are one strip: every array is loaded by the tile for which `load` is not negative, the first,
/// and stored by that for which `store` is not negative, the last.
fn in_one_strip(
    kernel: Kernel,
    (tiles, load, store): (&str, &str, &str),
    compute: Scan,
    source_order: Scan,
) -> Offload {
    let whole = |a: ArrayId, guard: &str| {
        let names: Vec<String> = (0..kernel.arrays[a].extents.len()).map(|d| format!("x{d}")).collect();
        let levels = names.iter().zip(&kernel.arrays[a].extents);
        let levels: Vec<String> = levels.map(|(n, e)| format!("{n}: 0 .. {e} - 1 in 0..63")).collect();
        let (levels, names): (Vec<&str>, Vec<&str>) =
            (levels.iter().map(String::as_str).collect(), names.iter().map(String::as_str).collect());
        scan(vec![piece(0, 0, &[guard], &levels, &names)])
    };
    let wait = Wait::Nothing;
    let argument = |a: &ArrayId| kernel.arrays[*a].storage == Storage::Argument;
    let transfers = kernel.arrays.keys().filter(argument);
    let transfers =
        transfers.map(|array| Transfer { array, load: whole(array, load), store: whole(array, store), wait }).collect();
    let mapping = |a: ArrayId| {
        let moduli = vec![64; kernel.arrays[a].extents.len()];
        Mapping::successive(moduli.clone(), moduli, 1)
    };
    let buffer = |array: ArrayId| Buffer::new(array, vec![Some(mapping(array))].into());
    Offload {
        bands: ByBand::from(vec![Band {
            statements: kernel.statements().keys().collect(),
            tiling: TilingDirective {
                schedules: vec![],
                sizes: vec![1],
                strip: 1,
                lanes: None,
                units: None,
                order: None,
                span: Default::default(),
            },
            sets: vec![],
            transfers,
            compute_waits: false,
            compute: Compute {
                scan: compute,
                order: "(…)".into(),
                dates: vec![],
                innermost_distance: None,
                stalls_per_iteration: 0.0,
                lanes: None,
                units: None,
                interleaved: vec![],
            },
        }]),
        tiles: scan(vec![piece(0, 0, &[], &[tiles], &["T0"])]),
        buffers: kernel.arrays.keys().map(buffer).collect(),
        source_order,
        windows: vec![],
        strips_depend: true,
        written: vec![],
        lanes_note: None,
        units_note: None,
        strips_note: None,
        ports: Default::default(),
        kernel,
    }
}

/// Accelerator and direct version: the tools are content, Icarus agrees with C.
fn check(source: &Source, offload: &Offload, runs: &[&[(&str, i128)]]) {
    for direct in [false, true] {
        let (files, top) = verilog(offload, direct);
        lint(&files, &top);
        let rig = Rig::new(source, offload, Simulator::Icarus, direct);
        for (seed, set) in runs.iter().enumerate() {
            assert!(rig.run(set, seed as u64), "nothing changes");
        }
    }
}

/// A row of `x` at a time: `x[i] = bias; for j x[i] += a[i][j] * y[j];` in tiles of 8 rows, then a second band with
/// one more dimension that reads `x` back from memory.
#[test]
fn bands_of_different_depth_follow_each_other() {
    let arguments = "int N, int32_t a[N][N], int16_t x[N], int64_t y[N]";
    let size = "#pragma burstc size(N: 20, max 64)";
    let first = "#pragma burstc tile(i:8)\nfor (int i = 0; i < N; i++) x[i] = x[i] * 3 + y[N - 1 - i];";
    let second = "#pragma burstc tile(i:8, j:4)\nfor (int i = 0; i < N; i++) for (int j = 0; j < N; j++)\n\
                  a[i][j] = a[j][i] * x[i] + y[j];";
    let second = second.replace("a[j][i]", "a[i][j]");
    let third = "#pragma burstc tile(i:16)\nfor (int i = 1; i < N; i++) y[i] = y[i - 1] - x[i];";
    let parts = [first, &second, third].map(|body| source("sequence", size, arguments, body));
    let whole = source("sequence", size, arguments, &[first, &second, third].join("\n"));
    let offload = in_sequence(&parts);
    check(&whole, &offload, &[&[("N", 20)], &[("N", 1)], &[("N", 33)], &[("N", 8)]]);
    let sizes = [("N".to_string(), 20)].into();
    let work = Work::of(&offload, &sizes);
    assert_eq!(work.iterations, 20 + 400 + 19);
    // Load: x and y; a, x per strip and y per strip; y[0] and x but x[0]. Store: x; a; y but y[0].
    let loads = (20 * 2 + 20 * 8) + (400 * 4 + 20 * 2 + 3 * 20 * 8) + (8 + 19 * 2);
    assert_eq!((work.bytes_read, work.bytes_written), (loads, 20 * 2 + 400 * 4 + 19 * 8));
}

/// `for i { x[i] = …; for j x[i] += …; z[i] = x[i] / … }` with shared levels.
#[test]
fn statements_share_loops() {
    let size = "#pragma burstc size(N: 20, max 40)";
    let arguments = "int N, int32_t a[N][N], int32_t x[N], int16_t y[N]";
    let parts = [
        "for (int i = 0; i < N; i++) x[i] = 7 * i - N;",
        "for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) x[i] += a[i][j] * y[j];",
        "for (int i = 0; i < N; i++) y[i] = x[i] / 100 + y[i] % 7;",
    ];
    let kernel = joined(parts.iter().map(|p| parse(&source("rows", size, arguments, p))).collect());
    let body = "for (int i = 0; i < N; i++) { x[i] = 7 * i - N; for (int j = 0; j <= i; j++) x[i] += a[i][j] * y[j];\n\
                y[i] = x[i] / 100 + y[i] % 7; }";
    let i = "i: 0 .. N - 1 in 0..39";
    let compute = scan(vec![
        piece(0, 0, &[], &[i], &["i"]),
        piece(1, 1, &[], &[i, "j: 0 .. i in 0..39"], &["i", "j"]),
        piece(2, 1, &[], &[i, "z: 0 .. 0 in 0..0"], &["i"]),
    ]);
    let program = source("rows", size, arguments, body);
    let offload = in_one_tile(kernel.clone(), compute.clone());
    check(&program, &offload, &[&[("N", 20)], &[("N", 1)], &[("N", 40)]]);
    // A tile per row: the row is the tile's index, and the loop that is left has no statement to itself.
    let inside = scan(vec![
        piece(0, 0, &[], &["z: 0 .. 0 in 0..0"], &["T0"]),
        piece(1, 0, &[], &["j: 0 .. T0 in 0..39"], &["T0", "j"]),
        piece(2, 0, &[], &["z: 0 .. 0 in 0..0"], &["T0"]),
    ]);
    let tiles = ("T0: 0 .. N - 1 in 0..39", "-1*T0", "T0 - N + 1");
    let by_row = in_one_strip(kernel, tiles, inside, compute);
    check(&program, &by_row, &[&[("N", 20)], &[("N", 1)]]);
    let work = Work::of(&offload, &[("N".to_string(), 20)].into());
    assert_eq!((work.iterations, work.accesses), (20 + 210 + 20, 20 + 210 * 4 + 20 * 3));
}

/// The statements of one loop over `i`, in order.
fn in_one_loop(name: &str, size: &str, arguments: &str, statements: &[&str]) -> (Source, Kernel, Scan) {
    let part = |s: &&str| parse(&source(name, size, arguments, &format!("for (int i = 0; i < N; i++) {s}")));
    let kernel = joined(statements.iter().map(part).collect());
    let body = format!("for (int i = 0; i < N; i++) {{ {} }}", statements.join("\n"));
    let i = "i: 0 .. N - 1 in 0..63";
    let one = |s: usize| piece(s, usize::from(s > 0), &[], &[i, "z: 0 .. 0 in 0..0"], &["i"]);
    (source(name, size, arguments, &body), kernel, scan((0..statements.len()).map(one).collect()))
}

const SIZE: &str = "#pragma burstc size(N: 20, max 40)";

/// Quick and slow statements in one loop, dividing by variables and constants of every width and sign.
#[test]
fn divisions_of_all_types() {
    let arguments = "int N, int8_t a[N], int8_t b[N], uint64_t c[N], uint64_t d[N], int64_t e[N], int32_t f[N],\n\
                     uint8_t g[N + 2], int32_t h[N], int16_t k, uint32_t u[N]";
    let statements = [
        "a[i] = a[i] / (b[i] | 1);",
        "b[i] = a[i] % (g[i] | 1);",
        "c[i] = c[i] % (d[i] | 1) + c[i] / 1000000007u;",
        "e[i] = e[i] / 7 + e[i] % 16 - e[i] / -8 + e[i] % -1;",
        "f[i] = f[i] / 10 + f[i] % 10 * 3 - f[i] / -4 + f[i] % 8 + f[i] / 2147483647 + f[i] % 1000000;",
        "g[i] = (g[i] + g[i + 1] + g[i + 2]) / 3;",
        "h[i] = h[i] / (f[i] | 1) / (k | 1) + i % 3 - (h[i] + i) / 5 % 100;",
        "u[i] = u[i] / 641 + u[i] % 6700417 + u[i] / 16 * (u[i] % 32);",
    ];
    let (program, kernel, compute) = in_one_loop("division", SIZE, arguments, &statements);
    check(&program, &in_one_tile(kernel, compute), &[&[("N", 20)], &[("N", 1), ("k", -32768)], &[("N", 40)]]);
}

/// `t = …; … = t; l[i] = …; … = l[N - 1 - i]`: in registers of the C program, in memory of the direct version.
#[test]
fn local_scalars_and_arrays() {
    let arguments = "int N, int32_t a[N], int16_t b[N], int64_t t[1], int16_t l[N + 1]";
    let statements =
        ["t[0] = a[i] * 3 + b[i];", "l[i + 1] = t[0] - i;", "a[i] = t[0] / 2 + l[i + 1];", "b[i] += l[i + 1];"];
    let (_, mut kernel, compute) = in_one_loop("locals", SIZE, arguments, &statements);
    make_local(&mut kernel, "t");
    make_local(&mut kernel, "l");
    let body = format!("int64_t t[1]; int16_t l[N + 1];\nfor (int i = 0; i < N; i++) {{ {} }}", statements.join("\n"));
    let program = source("locals", SIZE, "int N, int32_t a[N], int16_t b[N]", &body);
    check(&program, &in_one_tile(kernel, compute), &[&[("N", 20)], &[("N", 1)]]);
}

/// `(i + N) / 3` and its half as subscripts, `(i + N) % 3` as data.
#[test]
fn quotients_in_subscripts_and_values() {
    let arguments = "int N, int32_t a[N], int16_t b[N + 20]";
    let (_, mut kernel, compute) = in_one_loop("quotients", SIZE, arguments, &["b[i] = a[i] * 5 + i;", "a[i] = b[i];"]);
    let quotient = |name: &str, numerator: &str, divisor| Quotient {
        name: name.into(),
        numerator: affine(numerator),
        divisor,
        truncates: false,
        span: Default::default(),
    };
    kernel.quotients = vec![quotient("third", "i + N", 3), quotient("sixth", "third", 2)];
    edit_accesses(&mut kernel, &mut |access| {
        if access.array == ArrayId(1) {
            access.subscripts = vec![affine("i + sixth")];
        } else {
            access.subscripts = vec![affine("third")];
        }
    });
    edit_expressions(&mut kernel, &mut |expr| {
        if let Expr::Index { value, .. } = expr {
            *value = affine("i + N - 3*third");
        }
    });
    let body = "for (int i = 0; i < N; i++) { b[i + (i + N) / 3 / 2] = a[(i + N) / 3] * 5 + (i + N) % 3;\n\
                a[(i + N) / 3] = b[i + (i + N) / 3 / 2]; }";
    let program = source("quotients", SIZE, arguments, body);
    check(&program, &in_one_tile(kernel, compute), &[&[("N", 20)], &[("N", 1)], &[("N", 39)]]);
}

/// Numbers that look random and are always the same.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

/// A random tree of loops with statements at its leaves, as C text and as pieces. Every statement mixes its number and
/// its iterators into words that all of them share, so that any other order shows.
struct Forest {
    dice: Dice,
    text: String,
    /// The statements, each in loops of its own for the parser.
    parts: Vec<String>,
    pieces: Vec<Piece>,
    /// The loops around the last statement, by number.
    last_path: Vec<usize>,
    loops: usize,
}

impl Forest {
    /// Loops that are open: `(number, name, level, C head)`.
    fn grow(&mut self, open: &mut Vec<(usize, String, String, String)>) {
        let depth = open.len();
        for _ in 0..1 + self.dice.roll(3) {
            if depth == 0 || depth < 3 && self.dice.roll(2) == 0 {
                let name = ["i", "j", "k"][depth].to_string();
                let outer = open.last().filter(|_| self.dice.roll(2) == 0).map(|(_, outer, ..)| outer.clone());
                let (lower, upper) = match (outer, self.dice.roll(3)) {
                    (Some(outer), 0) => (outer, "3".to_string()),
                    (Some(outer), 1) => ("1".to_string(), format!("{outer} - 1")),
                    (Some(outer), _) => ("0".to_string(), outer),
                    (None, 0) => ("0".to_string(), "N - 3".to_string()),
                    (None, trips) => ("0".to_string(), format!("{trips}")),
                };
                self.loops += 1;
                let head = format!("for (int {name} = {lower}; {name} <= {upper}; {name}++)");
                self.text += &format!("{head} {{\n");
                open.push((self.loops, name.clone(), format!("{name}: {lower} .. {upper} in 0..4"), head));
                let leaves = self.pieces.len();
                self.grow(open);
                if self.pieces.len() == leaves {
                    self.leaf(open);
                }
                open.pop();
                self.text += "}\n";
            } else {
                self.leaf(open);
            }
        }
    }

    fn leaf(&mut self, open: &[(usize, String, String, String)]) {
        let s = self.pieces.len();
        let names: Vec<&str> = open.iter().map(|(_, name, ..)| name.as_str()).collect();
        let mixed = names.iter().enumerate().map(|(d, n)| format!(" + {}*{n}", 5 * d + 3)).collect::<String>();
        let inner = names[names.len() - 1];
        let statement = match self.dice.roll(5) {
            0 => format!("h[{inner}] = h[{inner}] * 31 + g[0]{mixed} + {s};"),
            1 => format!("g[0] = g[{inner}] + h[0]{mixed} - {s};"),
            2 => format!("h[0] = h[0] / (g[{inner}] | 1) + h[1] * 7{mixed};"),
            3 => format!("g[{inner}] = (h[{inner}] ^ g[1]) + {s};"),
            _ => format!("w[{inner}] = w[{inner}] * 33 + (h[0] * (w[{inner} + 1] + g[0])){mixed};"),
        };
        let path: Vec<usize> = open.iter().map(|(number, ..)| *number).collect();
        let shared = path.iter().zip(&self.last_path).take_while(|(a, b)| a == b).count();
        let mut levels: Vec<&str> = open.iter().map(|(.., level, _)| level.as_str()).collect();
        if shared == levels.len() {
            levels.push("z: 0 .. 0 in 0..0");
        }
        let guarded = shared > 0 && self.dice.roll(3) == 0;
        let guards: &[&str] = if guarded { &["N - i - 3"] } else { &[] };
        self.pieces.push(piece(s, shared, guards, &levels, &names));
        self.text += &format!("{}{statement}\n", if guarded { "if (N - i - 3 >= 0) " } else { "" });
        self.parts.push(format!("{} {statement}", open.iter().map(|(.., head)| head.as_str()).collect::<String>()));
        self.last_path = path;
    }
}

#[test]
fn random_trees_keep_the_order_of_the_source() {
    let arguments = "int N, int32_t h[8], int16_t g[8], int64_t w[8]";
    for seed in 0..4 {
        let dice = Dice(seed * 977 + 5);
        let (text, parts, pieces) = (String::new(), vec![], vec![]);
        let mut forest = Forest { dice, text, parts, pieces, last_path: vec![], loops: 0 };
        forest.grow(&mut vec![]);
        let kernel = joined(forest.parts.iter().map(|p| parse(&source("tree", SIZE, arguments, p))).collect());
        let program = source("tree", SIZE, arguments, &forest.text);
        let offload = in_one_tile(kernel, scan(forest.pieces));
        for direct in [false, true] {
            let (files, top) = verilog(&offload, direct);
            if seed == 0 {
                lint(&files, &top);
            }
            let rig = Rig::new(&program, &offload, Simulator::Icarus, direct);
            let changes = [0, 3, 5, 6].map(|n| rig.run(&[("N", n)], n as u64));
            assert!(changes.contains(&true), "nothing changes:\n{}", program.text);
        }
    }
}
