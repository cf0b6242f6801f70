//! How much there is to do: iterations and accesses of the kernel, bytes that Load(T) and Store(T) name. These are
//! counted from the sets for the sizes of a run, not measured.

use std::collections::BTreeMap;

use crate::ids::{ByArray, ByStatement, StatementId};
use crate::offload::{Offload, Piece};
use crate::source::kernel::Expr;
use crate::walk::{self, Values, visit};

/// The work of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Executions of statements.
    pub iterations: u64,
    /// The same where statements that start together count as one, without those whose rows data cut short.
    pub starts: u64,
    /// Reads and writes of array elements, as the source makes them.
    pub accesses: u64,
    /// Bytes of the elements in Load(T), over all tiles.
    pub bytes_read: u64,
    /// Bytes of the elements in Store(T), over all tiles.
    pub bytes_written: u64,
}

impl Work {
    /// Counts the work of `offload` for the given sizes.
    pub fn of(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Work {
        Work::within(offload, sizes, u64::MAX).unwrap_or_default()
    }

    /// What a run with these sizes has told in which so many iterations started, groups of lanes for one, where only it knows.
    pub fn of_run(self, offload: &Offload, sizes: &BTreeMap<String, i64>, started: u64) -> Work {
        let statements = offload.kernel.statements();
        let is_cut = |s: StatementId| offload.kernel.ends_by_data(statements[s]) && offload.lanes(s).is_none();
        if !statements.keys().any(is_cut) {
            return self;
        }
        // Starts and, with what starts together, iterations: of statements whose rows are whole, and of the others.
        let (mut whole, mut others) = ([0; 2], [0; 2]);
        for (s, starts) in iterations(offload, sizes).iter_enumerated() {
            let sums = if is_cut(s) { &mut others } else { &mut whole };
            *sums = [sums[0] + starts, sums[1] + starts * (1 + statements[s].also.len() as u64)];
        }
        let left = started.saturating_sub(started_of(offload, sizes, |s| !is_cut(s)));
        // Which of several has started how often the run does not tell.
        let together = others[1] as f64 / others[0].max(1) as f64;
        Work { iterations: whole[1] + (left as f64 * together).round() as u64, starts: whole[0] + left, ..self }
    }

    /// The same, or `None` where counting takes more than `steps` loops.
    pub fn within(offload: &Offload, sizes: &BTreeMap<String, i64>, mut steps: u64) -> Option<Work> {
        let mut work = Work::of_program(offload, sizes, &mut steps)?;
        for [read, written] in moved(offload, sizes, steps)? {
            work.bytes_read += read;
            work.bytes_written += written;
        }
        Some(work)
    }

    /// Iterations, starts and accesses alone, which need no tiles; `None` where counting takes more than `steps` loops.
    pub fn of_program(offload: &Offload, sizes: &BTreeMap<String, i64>, steps: &mut u64) -> Option<Work> {
        let mut values = Values::new(sizes);
        let mut work = Work::default();
        let written = offload.as_written();
        let statements = written.statements();
        for piece in &offload.source_order.pieces {
            let instances = walk::count(piece, &mut values, steps)?;
            work.iterations = work.iterations.saturating_add(instances);
            let follows = offload.follows(&statements[piece.leaf.statement()].name);
            // What data leave of a row only the run knows.
            let is_cut = written.limits(statements[piece.leaf.statement()]).is_some();
            work.starts = work.starts.saturating_add(if follows || is_cut { 0 } else { instances });
            // Every read, and the write.
            let accesses = statements[piece.leaf.statement()].value.reads().len() as u64 + 1;
            work.accesses = work.accesses.saturating_add(instances.saturating_mul(accesses));
        }
        Some(work)
    }
}

/// Bytes of the elements in Load(T) and in Store(T) over all tiles, for every array; `None` where counting takes more than `steps`
/// loops.
pub fn moved(offload: &Offload, sizes: &BTreeMap<String, i64>, mut steps: u64) -> Option<ByArray<[u64; 2]>> {
    let mut all: ByArray<[u64; 2]> = vec![[0; 2]; offload.kernel.arrays.len()].into();
    let mut values = Values::new(sizes);
    for piece in &offload.tiles.pieces {
        steps = steps.checked_sub(walk::count(piece, &mut values, &mut steps)?)?;
        let transfers = &offload.bands[piece.leaf.band()].transfers;
        // The indices of a tile are in scope while its transfers are counted.
        let mut within = true;
        visit(piece, &mut values, |values| {
            let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
            let place = values.enter_tile(&offload.kernel, &tile);
            for transfer in transfers {
                let element = u64::from(offload.kernel.arrays[transfer.array].element.bytes());
                for (scan, bytes) in [&transfer.load, &transfer.store].into_iter().zip(&mut all[transfer.array]) {
                    for piece in &scan.pieces {
                        match walk::count(piece, values, &mut steps) {
                            Some(points) => *bytes += element * points,
                            None => within = false,
                        }
                    }
                }
            }
            values.stack.truncate(place);
        });
        if !within {
            return None;
        }
    }
    Some(all)
}

/// How often some statements start in the tiles: groups of lanes, for which one may do.
fn started_of(offload: &Offload, sizes: &BTreeMap<String, i64>, of: impl Fn(StatementId) -> bool) -> u64 {
    let (mut values, mut sum) = (Values::new(sizes), 0);
    for piece in &offload.tiles.pieces {
        let pieces = &offload.bands[piece.leaf.band()].compute.scan.pieces;
        visit(piece, &mut values, |values| {
            let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
            let place = values.enter_tile(&offload.kernel, &tile);
            for own in pieces.iter().filter(|own| of(own.leaf.statement())) {
                sum += points(own, values);
            }
            values.stack.truncate(place);
        });
    }
    sum
}

/// The executions of every statement. Of those that start together the kernel has one.
pub fn iterations(offload: &Offload, sizes: &BTreeMap<String, i64>) -> ByStatement<u64> {
    let mut values = Values::new(sizes);
    let (written, statements) = (offload.as_written(), offload.kernel.statements());
    let written = written.statements();
    let mut all = ByStatement::from(vec![0; statements.len()]);
    for piece in &offload.source_order.pieces {
        let name = &written[piece.leaf.statement()].name;
        if let Some(own) = statements.position(|s| s.name == *name) {
            all[own] += points(piece, &mut values);
        }
    }
    all
}

/// The same without those whose rows data cut short, which may have none.
pub fn surely(offload: &Offload, sizes: &BTreeMap<String, i64>) -> ByStatement<u64> {
    let mut all = iterations(offload, sizes);
    for (statement, count) in offload.kernel.statements().iter().zip(all.iter_mut()) {
        if offload.kernel.limits(statement).is_some() {
            *count = 0;
        }
    }
    all
}

/// The operations and accesses of the C program for the given sizes; `None` where counting takes more than `steps`.
pub fn operations(offload: &Offload, sizes: &BTreeMap<String, i64>, mut steps: u64) -> Option<u64> {
    let written = offload.as_written();
    let statements = written.statements();
    let weights: ByStatement<u64> = statements.iter().map(|statement| 1 + nodes(&statement.value)).collect();
    let mut values = Values::new(sizes);
    offload.source_order.pieces.iter().try_fold(0u64, |sum, piece| {
        let points = walk::count(piece, &mut values, &mut steps)?;
        Some(sum.saturating_add(weights[piece.leaf.statement()].saturating_mul(points)))
    })
}

fn nodes(value: &Expr) -> u64 {
    1 + value.operands().into_iter().map(nodes).sum::<u64>()
}

/// The number of points of a piece. Shared loops change the order of the points only.
fn points(piece: &Piece, values: &mut Values) -> u64 {
    let mut steps = u64::MAX;
    walk::count(piece, values, &mut steps).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;
    use crate::ids::{ArrayId, StatementId};
    use crate::offload::{Band, Bound, Buffer, Compute, Level, Scan, Transfer, Wait};
    use crate::source::kernel::{
        Access, Argument, Array, BinaryOp, Expr, Kernel, Node, ScalarType, SizeParameter, Statement, Storage,
        TilingDirective,
    };

    fn n() -> Affine {
        Affine::variable("N")
    }

    fn constant(value: i64) -> Affine {
        Affine::constant(value)
    }

    fn bound(numerator: Affine, divisor: i64) -> Bound {
        Bound { numerator, divisor }
    }

    fn level(name: &str, lower: Vec<Bound>, upper: Vec<Bound>) -> Level {
        Level { name: name.into(), lower, upper, range: (0, 1 << 20) }
    }

    fn piece(levels: Vec<Level>) -> Piece {
        let point = levels.iter().map(|l| Affine::variable(&l.name)).collect();
        Piece { shared: 0, leaf: Default::default(), guards: vec![], levels, point, slacks: vec![], parts: vec![] }
    }

    fn array(name: &str, bits: u32) -> Array {
        Array::new(name.into(), ScalarType::integer(bits, true), vec![n()], Storage::Argument, Default::default())
    }

    /// Compute, which nothing here looks at.
    fn nothing() -> Compute {
        Compute {
            scan: Scan { pieces: vec![] },
            order: String::new(),
            dates: vec![],
            innermost_distance: None,
            stalls_per_iteration: 0.0,
            lanes: None,
            units: None,
            interleaved: vec![],
        }
    }

    /// `for i < N: for j <= i: b[j] = a[j] + a[i]`, cut in tiles of 10 along i; every tile loads `a[10*T0 ..]` and
    /// stores two whole tiles of b, the second one only from T0 = 1 on.
    fn triangle() -> Offload {
        let access = |array| Access { array, subscripts: vec![], guard: None, span: Default::default() };
        let read = || Box::new(Expr::Read { access: access(ArrayId(0)), ty: ScalarType::I32 });
        let statement = Statement {
            name: "S0".into(),
            target: access(ArrayId(1)),
            value: Expr::Binary { op: BinaryOp::Add, left: read(), right: read(), ty: ScalarType::I32 },
            also: vec![],
            text: String::new(),
            span: Default::default(),
        };
        let tile = || Affine::variable("T0") * 10;
        let ends = || vec![bound(tile() + constant(9), 1), bound(n() - constant(1), 1)];
        let row = || level("x", vec![bound(tile(), 1)], ends());
        let later = Piece { guards: vec![Affine::variable("T0") - constant(1)], ..piece(vec![row()]) };
        Offload {
            kernel: Kernel {
                name: "triangle".into(),
                span: Default::default(),
                arguments: vec![Argument::Parameter(0), Argument::Array(ArrayId(0)), Argument::Array(ArrayId(1))],
                parameters: vec![SizeParameter {
                    name: "N".into(),
                    boolean: false,
                    ty: ScalarType::I32,
                    default: None,
                    min: 0,
                    max: None,
                    is_assumed: false,
                    span: Default::default(),
                }],
                scalars: vec![],
                host: vec![],
                domain: vec![],
                obligations: vec![],
                reassociates: false,
                keeps_stores: false,
                without_masks: false,
                uses: None,
                has_wires: false,
                panels: Default::default(),
                ports: Default::default(),
                arrays: vec![array("a", 32), array("b", 16)].into(),
                body: vec![Node::Statement(statement)],
                quotients: vec![],
                made: Default::default(),
                beyond: vec![],
                tilings: vec![],
            },
            source_order: Scan {
                pieces: vec![piece(vec![
                    level("i", vec![bound(constant(0), 1)], vec![bound(n() - constant(1), 1)]),
                    level("j", vec![bound(constant(0), 1)], vec![bound(Affine::variable("i"), 1)]),
                ])],
            },
            tiles: Scan {
                pieces: vec![piece(vec![level("T0", vec![bound(constant(0), 1)], vec![bound(n() - constant(1), 10)])])],
            },
            bands: vec![Band {
                statements: vec![StatementId(0)],
                tiling: TilingDirective {
                    schedules: vec![],
                    sizes: vec![10],
                    strip: 1,
                    lanes: None,
                    units: None,
                    order: None,
                    span: Default::default(),
                },
                sets: vec![],
                transfers: vec![
                    Transfer {
                        array: ArrayId(0),
                        load: Scan { pieces: vec![piece(vec![row()])] },
                        store: Scan { pieces: vec![] },
                        wait: Wait::Nothing,
                    },
                    Transfer {
                        array: ArrayId(1),
                        load: Scan { pieces: vec![] },
                        store: Scan { pieces: vec![piece(vec![row()]), later] },
                        wait: Wait::Nothing,
                    },
                ],
                compute_waits: false,
                compute: nothing(),
            }]
            .into(),
            buffers: Vec::<Buffer>::new(),
            windows: vec![],
            strips_depend: false,
            written: vec![],
            lanes_note: None,
            units_note: None,
            strips_note: None,
            ports: Default::default(),
        }
    }

    #[test]
    fn counts_what_the_sets_hold() {
        let work = |size| Work::of(&triangle(), &BTreeMap::from([("N".to_string(), size)]));
        // 25 = 10 + 10 + 5 elements of a; those and the last two tiles again of b.
        assert_eq!(
            work(25),
            Work { iterations: 325, starts: 325, accesses: 975, bytes_read: 100, bytes_written: 2 * (25 + 15) }
        );
        assert_eq!(work(0), Work::default());
    }

    #[test]
    fn guards_on_shared_levels_are_tested_inside_them() {
        let i = || level("i", vec![bound(constant(0), 1)], vec![bound(n() - constant(1), 1)]);
        let j = level("j", vec![bound(constant(0), 1)], vec![bound(Affine::variable("i"), 1)]);
        let guards = vec![Affine::variable("i") - constant(3)];
        let piece = Piece { shared: 1, guards, ..piece(vec![i(), j]) };
        let mut values = Values::new(&BTreeMap::from([("N".to_string(), 6)]));
        assert_eq!(points(&piece, &mut values), 4 + 5 + 6);
        let mut visited = 0;
        visit(&piece, &mut values, |_| visited += 1);
        assert_eq!(visited, 4 + 5 + 6);
        // The first piece in a loop shares it with those behind it.
        let first = Piece { shared: 0, ..piece };
        assert_eq!(points(&first, &mut values), 4 + 5 + 6);
        visit(&first, &mut values, |_| visited += 1);
        assert_eq!(visited, 2 * (4 + 5 + 6));
    }
}
