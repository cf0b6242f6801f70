//! The verifier of an `Offload` finds every invariant broken: one test each, with an analysis that is right but for one
//! thing.

use std::sync::OnceLock;

use burstc::affine::Affine;
use burstc::ids::{ArrayId, BandId, StatementId};
use burstc::offload::{Interleaved, Offload, Wait};
use burstc::source::Source;
use burstc::source::kernel::{Access, Argument, Expr, Node, ScalarType, Statement, Storage, Write};
use burstc::verify::verify;
use burstc::{Options, analyze, board};

use crate::common::root;

/// The analysis of a kernel, which is sound.
fn offload(path: &str) -> Offload {
    let source = Source::read(&root(path), vec![]).unwrap();
    let offload = analyze(&source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap();
    assert_eq!(verify(&offload), Ok(()), "{path}");
    offload
}

fn matmul() -> Offload {
    static ONCE: OnceLock<Offload> = OnceLock::new();
    ONCE.get_or_init(|| offload("examples/matmul.c")).clone()
}

fn windowed() -> Offload {
    static ONCE: OnceLock<Offload> = OnceLock::new();
    ONCE.get_or_init(|| offload("tests/kernels/windows.c")).clone()
}

fn lanes() -> Offload {
    static ONCE: OnceLock<Offload> = OnceLock::new();
    ONCE.get_or_init(|| offload("tests/kernels/lanes_fir.c")).clone()
}

/// Statements that share loops.
fn gaps() -> Offload {
    static ONCE: OnceLock<Offload> = OnceLock::new();
    ONCE.get_or_init(|| offload("tests/kernels/gaps.c")).clone()
}

/// Each of `changes` alone breaks the invariant, and is told by its name.
fn finds(invariant: &str, sound: Offload, changes: &[&dyn Fn(&mut Offload)]) {
    for (number, change) in changes.iter().enumerate() {
        let mut broken = sound.clone();
        change(&mut broken);
        let faults = verify(&broken).expect_err(&format!("{invariant}, change {number}, goes unseen"));
        let named = faults.iter().any(|fault| fault.starts_with(&format!("{invariant}: ")));
        assert!(named, "{invariant}, change {number}: {faults:#?}");
    }
}

/// Where one argument would have no cells no caller has any of them: for N = 0 this leaves `a`, for which there is no `b`.
#[test]
fn arguments_without_cells() {
    let text = "#pragma burstc size(N: 25, max 128)
                void k(int N, int a[N + 1], int b[N][N])
                {
                    for (int i = N / 2; i >= 0; i--)
                        a[i] = a[i] * 3 + a[i + 1];
                    for (int i = N - 1; i > 0; i -= 2)
                        for (int j = i; j >= 0; --j)
                            b[i][j] = b[i - 1][j] - a[j];
                }";
    let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let offload = analyze(&source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap();
    assert_eq!(verify(&offload), Ok(()));
}

#[test]
fn kernel() {
    finds(
        "kernel",
        matmul(),
        &[
            &|o| o.kernel.arguments.push(Argument::Array(ArrayId(3))),
            &|o| o.kernel.parameters[0].max = None,
            &|o| o.kernel.parameters[0].min = 2000,
            &|o| o.kernel.parameters[0].default = Some(4000),
            &|o| {
                o.kernel.arrays.pop();
            },
            &|o| o.kernel.arrays[ArrayId(0)].extents.push(Affine::constant(2)),
            &|o| o.kernel.parameters[0].name = "M".to_string(),
        ],
    );
}

#[test]
fn uses() {
    static ONCE: OnceLock<Offload> = OnceLock::new();
    let sound = ONCE.get_or_init(|| offload("tests/kernels/uses.c")).clone();
    let place = sound.kernel.arrays.position(|array| array.use_of.is_some()).unwrap();
    let written = sound.kernel.arrays.position(|array| array.name == "c").unwrap();
    finds(
        "uses",
        sound,
        &[
            // An array that is written.
            &|o| o.kernel.arrays[place].use_of = Some(written),
            &|o| o.kernel.arrays[place].extents[0] = Affine::constant(7),
            &|o| o.kernel.arrays[place].use_of = Some(place),
            &|o| {
                o.kernel.arrays[place].storage = Storage::Local { declared_in: vec![], expanded: 0, transferred: true }
            },
            &|o| o.kernel.arguments.push(Argument::Array(place)),
        ],
    );
}

#[test]
fn ports() {
    let mut sound = matmul();
    sound.ports = vec![0, 31, 2].into();
    assert_eq!(verify(&sound), Ok(()));
    finds("ports", sound, &[&|o| o.ports[ArrayId(1)] = 32, &|o| o.ports.truncate(2)]);
}

#[test]
fn statements() {
    finds(
        "statements",
        matmul(),
        &[
            &|o| o.bands[BandId(0)].statements.clear(),
            &|o| o.bands[BandId(0)].statements.push(StatementId(1)),
            &|o| o.bands[BandId(0)].tiling.sizes[1] = 0,
            &|o| {
                o.bands[BandId(0)].tiling.schedules.pop();
            },
            &|o| {
                o.bands[BandId(0)].tiling.schedules[0].theta.pop();
            },
        ],
    );
}

#[test]
fn leaves() {
    finds(
        "leaves",
        matmul(),
        &[
            &|o| o.tiles.pieces[0].leaf = BandId(1).into(),
            &|o| o.source_order.pieces[0].leaf = StatementId(1).into(),
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].leaf = StatementId(3).into(),
            &|o| o.bands[BandId(0)].transfers[0].array = ArrayId(9),
        ],
    );
}

#[test]
fn points() {
    finds(
        "points",
        matmul(),
        &[
            &|o| o.tiles.pieces[0].point.truncate(2),
            &|o| o.source_order.pieces[0].point.truncate(2),
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].point.push(Affine::constant(0)),
            &|o| o.bands[BandId(0)].transfers[0].load.pieces[0].point.truncate(1),
        ],
    );
    finds("points", lanes(), &[&|o| o.bands[BandId(0)].compute.scan.pieces[0].slacks.push(Affine::constant(0))]);
}

#[test]
fn shared() {
    let second = |o: &mut Offload| o.source_order.pieces.iter().position(|piece| piece.shared > 0).unwrap();
    finds(
        "shared",
        gaps(),
        &[
            &|o| o.source_order.pieces[0].shared = 1,
            &|o| {
                let piece = second(o);
                o.source_order.pieces[piece].shared = 7;
            },
            &|o| {
                let piece = second(o);
                o.source_order.pieces[piece].levels[0].range.1 += 1;
            },
        ],
    );
}

#[test]
fn scope() {
    let variable = |name: &str| Affine::variable(name);
    finds(
        "scope",
        matmul(),
        &[
            // A loop further in, a tile's index among the tiles, a name of nothing.
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].levels[0].lower[0].numerator = variable("j"),
            &|o| o.tiles.pieces[0].levels[1].upper[0].numerator = variable("T2"),
            &|o| o.bands[BandId(0)].transfers[0].load.pieces[0].point[0] = variable("M"),
            &|o| o.source_order.pieces[0].guards.push(variable("i")),
            &|o| o.source_order.pieces[0].guards.push(variable("T0")),
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].levels[1].name = "k".to_string(),
        ],
    );
}

#[test]
fn bounds() {
    finds(
        "bounds",
        matmul(),
        &[
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].levels[2].upper.clear(),
            &|o| o.bands[BandId(0)].transfers[1].load.pieces[0].levels[0].lower.clear(),
            &|o| o.tiles.pieces[0].levels[0].upper[0].divisor = 0,
        ],
    );
}

#[test]
fn ranges() {
    finds(
        "ranges",
        matmul(),
        &[
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].levels[2].range = (5, 4),
            &|o| o.bands[BandId(0)].compute.scan.pieces[0].levels[2].range.1 -= 1,
            &|o| o.bands[BandId(0)].transfers[0].load.pieces[0].levels[1].range.0 = 1,
            &|o| o.tiles.pieces[0].levels[0].range.1 = 3,
        ],
    );
}

#[test]
fn cells() {
    let one = || Affine::constant(1);
    finds(
        "cells",
        matmul(),
        &[
            &|o| {
                let point = &mut o.bands[BandId(0)].transfers[0].load.pieces[0].point[0];
                *point = point.clone() + one();
            },
            &|o| {
                let point = &mut o.bands[BandId(0)].compute.scan.pieces[0].point[1];
                *point = point.clone() + one();
            },
            &|o| {
                let point = &mut o.source_order.pieces[0].point[2];
                *point = point.clone() - one();
            },
            &|o| o.kernel.arrays[ArrayId(1)].extents[0] = Affine::variable("N") - one(),
            &|o| o.source_order.pieces[0].levels[0].upper[0].numerator.constant += 1,
        ],
    );
    // The last lane leaves the array where its mask does not keep it from it.
    finds(
        "cells",
        lanes(),
        &[&|o| {
            let lanes = o.bands[BandId(0)].compute.lanes.as_mut().unwrap();
            lanes.per_statement[0].as_mut().unwrap().masks.iter_mut().for_each(|step| *step = 0);
        }],
    );
}

#[test]
fn transfers() {
    finds(
        "transfers",
        matmul(),
        &[
            &|o| {
                let twice = o.bands[BandId(0)].transfers[0].clone();
                o.bands[BandId(0)].transfers.insert(0, twice);
            },
            &|o| o.bands[BandId(0)].transfers.reverse(),
            &|o| o.bands[BandId(0)].compute_waits = false,
            // c has one place for the tiles of all strips.
            &|o| o.bands[BandId(0)].transfers.iter_mut().for_each(|t| t.wait = Wait::Computed),
            &|o| {
                o.strips_depend = true;
                o.bands[BandId(0)].transfers.iter_mut().for_each(|t| t.wait = Wait::Nothing);
            },
        ],
    );
    finds(
        "transfers",
        offload("tests/kernels/local_arrays.c"),
        &[&|o| {
            for array in &mut o.kernel.arrays {
                if let Storage::Local { transferred, .. } = &mut array.storage {
                    *transferred = !*transferred;
                }
            }
        }],
    );
}

#[test]
fn buffers() {
    finds(
        "buffers",
        matmul(),
        &[
            &|o| {
                o.buffers.remove(1);
            },
            &|o| o.buffers[0].array = ArrayId(1),
            &|o| o.buffers[0].mappings[BandId(0)] = None,
            &|o| o.buffers[0].mappings.clear(),
            &|o| o.buffers[2].copies = 0,
        ],
    );
}

#[test]
fn moduli() {
    fn change(o: &mut Offload, act: impl Fn(&mut burstc::offload::Mapping)) {
        act(o.buffers[0].mappings[BandId(0)].as_mut().unwrap());
    }
    finds(
        "moduli",
        matmul(),
        &[
            &|o| change(o, |m| m.moduli[0] = 24),
            &|o| change(o, |m| m.moduli[0] = 0),
            &|o| change(o, |m| m.moduli[1] = 16),
            &|o| change(o, |m| m.moduli.truncate(1)),
            &|o| change(o, |m| m.slots = 5),
            // A first modulus as long as the array, but with slots.
            &|o| change(o, |m| (m.moduli[0], m.slots) = (2000, 3)),
            &|o| change(o, |m| m.moduli[1] = 2000),
            &|o| change(o, |m| m.skew = vec![vec![1, 1], vec![0, 1]]),
            &|o| change(o, |m| m.skew = vec![vec![1, 0]]),
        ],
    );
}

#[test]
fn apart() {
    // Two columns of a tile of c in one place.
    finds(
        "apart",
        matmul(),
        &[&|o| {
            let mapping = o.buffers[2].mappings[BandId(0)].as_mut().unwrap();
            (mapping.moduli[1], mapping.exact_moduli[1]) = (16, 16);
        }],
    );
}

#[test]
fn banks() {
    // Of what all lanes read alike any number of banks is right.
    let banked =
        |o: &mut Offload| o.buffers.iter().position(|buffer| o.kernel.arrays[buffer.array].name == "x").unwrap();
    finds(
        "banks",
        lanes(),
        &[
            &|o| {
                let buffer = banked(o);
                o.buffers[buffer].banks.as_mut().unwrap().count *= 2;
            },
            &|o| {
                let buffer = banked(o);
                o.buffers[buffer].banks.as_mut().unwrap().subscript = 5;
            },
        ],
    );
    let sound = PARTITIONED.iter().map(|path| offload(path)).find(|o| o.buffers.iter().any(|b| b.partition.is_some()));
    fn change(o: &mut Offload, act: impl Fn(&mut burstc::offload::Partition)) {
        act(o.buffers.iter_mut().find_map(|buffer| buffer.partition.as_mut()).unwrap());
    }
    finds(
        "banks",
        sound.expect("a buffer in banks"),
        &[
            &|o| change(o, |p| p.count = 3),
            &|o| change(o, |p| p.weights.push(1)),
            &|o| change(o, |p| p.weights[p.along] = 2),
            &|o| change(o, |p| p.along = 9),
            &|o| change(o, |p| p.count = 1 << 20),
        ],
    );
}

/// Kernels of which one has a buffer that serves its reads from banks.
const PARTITIONED: [&str; 4] =
    ["tests/kernels/seidel.c", "tests/kernels/box_blur.c", "tests/kernels/jacobi.c", "tests/kernels/fdtd_2d.c"];

#[test]
fn windows() {
    finds(
        "windows",
        windowed(),
        &[
            &|o| o.windows[0].statement = StatementId(4),
            &|o| o.windows[0].leader[0] = Affine::variable("N"),
            &|o| o.windows[0].followers[0].delay = 0,
            &|o| o.windows[0].followers.clear(),
            &|o| {
                let statement = o.windows[0].statement;
                let array = o.kernel.statements()[statement].target.array;
                o.windows[0].array = array;
            },
        ],
    );
}

#[test]
fn interleaved() {
    fn own(o: &mut Offload) -> &mut Interleaved {
        &mut o.bands[BandId(0)].compute.interleaved[0]
    }
    finds(
        "interleaved",
        offload("tests/kernels/csr_float.c"),
        &[&|o| own(o).rows = 3, &|o| own(o).rows = 1, &|o| own(o).statement = StatementId(9)],
    );
    // Every row needs the one before.
    let claim = |o: &mut Offload| {
        o.bands[BandId(0)].compute.interleaved.push(Interleaved { statement: StatementId(0), rows: 8 })
    };
    finds("interleaved", offload("tests/kernels/seidel.c"), &[&claim]);
    finds("interleaved", windowed(), &[&claim]);
    finds("interleaved", lanes(), &[&claim]);
}

#[test]
fn lanes_of_a_band() {
    fn change(o: &mut Offload, act: impl Fn(&mut burstc::offload::Lanes)) {
        act(o.bands[BandId(0)].compute.lanes.as_mut().unwrap());
    }
    finds(
        "lanes",
        lanes(),
        &[
            &|o| change(o, |lanes| lanes.count = 1),
            &|o| change(o, |lanes| lanes.count = 6),
            &|o| change(o, |lanes| lanes.per_statement[0].as_mut().unwrap().count = 6),
            &|o| change(o, |lanes| lanes.per_statement[0].as_mut().unwrap().steps.push(0)),
            &|o| change(o, |lanes| lanes.per_statement.clear()),
            // All lanes would write one cell.
            &|o| {
                change(o, |lanes| lanes.per_statement[0].as_mut().unwrap().steps.iter_mut().for_each(|step| *step = 0))
            },
        ],
    );
    finds(
        "lanes",
        offload("tests/kernels/lanes_dot.c"),
        &[&|o| change(o, |lanes| lanes.per_statement[0].as_mut().unwrap().reduction = None)],
    );
}

/// A place of values that are read later is taken by others.
#[test]
fn alive() {
    fn change(o: &mut Offload, array: &str, moduli: &[i64]) {
        let array = o.kernel.arrays.position(|own| own.name == array).unwrap();
        let buffer = o.buffers.iter_mut().find(|buffer| buffer.array == array).unwrap();
        for mapping in buffer.mappings.iter_mut().flatten() {
            (mapping.moduli, mapping.exact_moduli) = (moduli.to_vec(), moduli.to_vec());
        }
    }
    let text = "#pragma burstc size(M: 50, max 128) size(N: 40, max 128)
         void gauss(int M, int N, int in[N][M], int out[N][M])
         {
             int tmp[N][M];
         #pragma burstc schedule(S0[i,j] -> (i, j); S1[i,j] -> (i, j + 1)) tile(16, 32)
             for (int i = 1; i < N - 1; i++)
                 for (int j = 0; j < M; j++)
                     tmp[i][j] = 3 * in[i][j] - in[i - 1][j] - in[i + 1][j];
             for (int i = 1; i < N - 1; i++)
                 for (int j = 1; j < M - 1; j++)
                     out[i][j] = 3 * tmp[i][j] - tmp[i][j - 1] - tmp[i][j + 1];
         }";
    let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    let sound = analyze(&source, &board::load("stratix2-ddr400").unwrap(), &Options::default()).unwrap();
    assert_eq!(verify(&sound), Ok(()));
    // Rows that are too short; and columns: what a tile leaves for the next of its strip.
    finds(
        "alive",
        sound,
        &[&|o| change(o, "tmp", &[1, 32]), &|o| change(o, "tmp", &[1, 16]), &|o| change(o, "tmp", &[8, 1])],
    );
}

/// Verifying is a small part of a build, of large sets too: milliseconds, a second where nothing is optimised.
#[test]
fn verifying_is_cheap() {
    for path in ["examples/jacobi_2d.c", "tests/kernels/nussinov.c"] {
        let sound = offload(path);
        let begin = std::time::Instant::now();
        assert_eq!(verify(&sound), Ok(()));
        println!("{path}: {:?}", begin.elapsed());
        assert!(begin.elapsed().as_secs_f64() < 1.0, "{path}: {:?}", begin.elapsed());
    }
}

/// Lanes in two dimensions, and their banks along two subscripts.
#[test]
fn lanes_of_two_dimensions() {
    fn first(o: &mut Offload) -> &mut burstc::offload::LaneShape {
        o.bands[BandId(0)].compute.lanes.as_mut().unwrap().per_statement[0].as_mut().unwrap()
    }
    let grid = || offload("tests/kernels/lanes_grid_triangle.c");
    finds(
        "lanes",
        grid(),
        &[
            &|o| o.bands[BandId(0)].compute.lanes.as_mut().unwrap().count *= 2,
            &|o| first(o).inner = 3,
            &|o| first(o).inner = first(o).count,
            &|o| first(o).inner_steps.push(0),
            &|o| first(o).inner_masks.push(0),
            // Lanes along the second dimension would write one cell.
            &|o| first(o).inner_steps.iter_mut().for_each(|step| *step = 0),
        ],
    );
    fn banked(o: &mut Offload) -> &mut burstc::offload::Buffer {
        o.buffers.iter_mut().find(|buffer| !buffer.further_banks.is_empty()).unwrap()
    }
    finds(
        "banks",
        grid(),
        &[&|o| banked(o).further_banks[0].count *= 64, &|o| banked(o).further_banks[0].count = 3, &|o| {
            banked(o).further_banks[0].subscript = 0
        }],
    );
    // A lane beyond the triangle's edge.
    finds("cells", grid(), &[&|o| first(o).inner_masks.iter_mut().for_each(|step| *step = 0)]);
}

/// The only statement of a kernel of one loop.
fn only_statement(offload: &mut Offload) -> &mut Statement {
    let Node::Loop(inner) = &mut offload.kernel.body[0] else { panic!("a loop") };
    let Node::Statement(statement) = &mut inner.body[0] else { panic!("a statement") };
    statement
}

/// A statement writes where data tell what it reads there, into the array of its target alone.
#[test]
fn scatters() {
    finds(
        "kernel",
        offload("tests/kernels/histogram.c"),
        &[
            &|o| {
                let Expr::Scatter { place, .. } = &mut only_statement(o).value else { panic!("a scatter") };
                place.array = ArrayId(0);
            },
            &|o| {
                let statement = only_statement(o);
                let target = Access { array: ArrayId(0), ..statement.target.clone() };
                let value = Expr::Constant { value: 3, ty: ScalarType::I32 };
                let (iterators, places) = (vec!["i".to_string()], vec![0]);
                statement.also.push(Write { target, value, statement: "S1".into(), iterators, places });
            },
        ],
    );
    // What is gathered while it is written has a port for its stores.
    finds(
        "buffers",
        offload("tests/kernels/histogram.c"),
        &[&|o| o.buffers.iter_mut().for_each(|buffer| buffer.store_copy = false)],
    );
}
