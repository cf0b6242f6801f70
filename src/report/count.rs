//! How much there is to do: iterations and accesses of the kernel, bytes that Load(T) and Store(T) name. These are
//! counted from the sets for the sizes of a run, not measured.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::offload::{Bound, Offload, Piece, Scan};
use crate::source::kernel::{Loop, Node, Statement};

/// The work of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Executions of loop bodies that hold statements.
    pub iterations: u64,
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
        let mut values = Values::new(sizes);
        let mut work = Work::default();
        kernel_work(&offload.kernel.body, &mut values, 1, &mut work);
        let transfers: Vec<_> = offload.bands[0]
            .transfers
            .iter()
            .map(|transfer| {
                let element = u64::from(offload.kernel.arrays[transfer.array].element.bytes());
                (element, &transfer.load, &transfer.store)
            })
            .collect();
        // Tile indices keep their places in `values` while the transfers of the tile are counted.
        visit(&offload.tiles, &mut values, &mut |values| {
            for (element, load, store) in &transfers {
                work.bytes_read += element * points(load, values);
                work.bytes_written += element * points(store, values);
            }
        });
        work
    }
}

/// Names with their values, innermost last.
struct Values {
    stack: Vec<(String, i64)>,
}

impl Values {
    fn new(sizes: &BTreeMap<String, i64>) -> Self {
        Values { stack: sizes.iter().map(|(name, value)| (name.clone(), *value)).collect() }
    }

    fn evaluate(&self, expression: &Affine) -> i64 {
        expression.evaluate(|name| self.stack.iter().rev().find(|(n, _)| n == name).map_or(0, |(_, value)| *value))
    }

    fn lower(&self, bounds: &[Bound]) -> i64 {
        // The quotient, rounded up.
        let ceil = |b: &Bound| -(-self.evaluate(&b.numerator)).div_euclid(b.divisor);
        bounds.iter().map(ceil).max().unwrap_or(0)
    }

    fn upper(&self, bounds: &[Bound]) -> i64 {
        bounds.iter().map(|b| self.evaluate(&b.numerator).div_euclid(b.divisor)).min().unwrap_or(-1)
    }
}

/// Calls `act` at every point of a scan, with the levels' values on the stack.
fn visit(scan: &Scan, values: &mut Values, act: &mut impl FnMut(&mut Values)) {
    for piece in &scan.pieces {
        if enabled(piece, values) {
            descend(piece, 0, piece.levels.len(), values, act);
        }
    }
}

fn points(scan: &Scan, values: &mut Values) -> u64 {
    let mut count = 0;
    for piece in &scan.pieces {
        if !enabled(piece, values) {
            continue;
        }
        let Some((row, _)) = piece.levels.split_last() else {
            count += 1;
            continue;
        };
        descend(piece, 0, piece.levels.len() - 1, values, &mut |values| {
            let length = values.upper(&row.upper).saturating_sub(values.lower(&row.lower)).saturating_add(1);
            count += length.max(0) as u64;
        });
    }
    count
}

fn enabled(piece: &Piece, values: &Values) -> bool {
    piece.guards.iter().all(|guard| values.evaluate(guard) >= 0)
}

/// Walks levels `level..end` of a piece.
fn descend(piece: &Piece, level: usize, end: usize, values: &mut Values, act: &mut impl FnMut(&mut Values)) {
    if level == end {
        return act(values);
    }
    let this = &piece.levels[level];
    let (lower, upper) = (values.lower(&this.lower), values.upper(&this.upper));
    values.stack.push((this.name.clone(), 0));
    let place = values.stack.len() - 1;
    for value in lower..=upper {
        values.stack[place].1 = value;
        descend(piece, level + 1, end, values, act);
    }
    values.stack.truncate(place);
}

/// Adds the iterations and accesses of `nodes`, each executed `times` times.
fn kernel_work(nodes: &[Node], values: &mut Values, times: u64, work: &mut Work) {
    let statements = nodes.iter().filter_map(|node| match node {
        Node::Statement(statement) => Some(accesses(statement)),
        Node::Loop(_) | Node::If(_) => None,
    });
    let (count, accessed) = statements.fold((0, 0), |(count, sum), accesses| (count + 1, sum + accesses));
    if count > 0 {
        work.iterations += times;
        work.accesses += times * accessed;
    }
    for inner in nodes.iter().filter_map(|node| match node {
        Node::Loop(inner) => Some(inner),
        Node::If(_) | Node::Statement(_) => None,
    }) {
        let lower = inner.lower.iter().map(|bound| values.evaluate(bound)).max().unwrap_or(0);
        let upper = inner.upper.iter().map(|bound| values.evaluate(bound)).min().unwrap_or(-1);
        if !names(&inner.body, &inner.iterator) {
            let trips = upper.saturating_sub(lower).saturating_add(1).max(0) as u64;
            kernel_work(&inner.body, values, times * trips, work);
            continue;
        }
        values.stack.push((inner.iterator.clone(), 0));
        let place = values.stack.len() - 1;
        for value in lower..=upper {
            values.stack[place].1 = value;
            kernel_work(&inner.body, values, times, work);
        }
        values.stack.truncate(place);
    }
}

/// Whether a loop bound inside `nodes` depends on `iterator`. Where none does, every iteration is like the other.
fn names(nodes: &[Node], iterator: &str) -> bool {
    let bounds = |inner: &Loop| inner.lower.iter().chain(&inner.upper).any(|b| b.coefficient(iterator) != 0);
    nodes.iter().any(|node| match node {
        Node::Loop(inner) => bounds(inner) || names(&inner.body, iterator),
        Node::If(_) | Node::Statement(_) => false,
    })
}

/// Accesses of one execution: every read, and the write.
fn accesses(statement: &Statement) -> u64 {
    statement.value.reads().len() as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offload::{Band, Buffer, Compute, Level, Transfer};
    use crate::source::kernel::{
        Access, Argument, Array, BinaryOp, Expr, IntType, Kernel, SizeParameter, Storage, TilingDirective,
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
        Piece { shared: 0, leaf: 0, guards: vec![], levels, point }
    }

    /// `for i < N: for j <= i: b[j] = a[j] + a[i]`, cut in tiles of 10 along i; every tile loads `a[10*T0 ..]` and
    /// stores two whole tiles of b, the second one only from T0 = 1 on.
    fn triangle() -> Offload {
        let access = |array| Access { array, subscripts: vec![], span: Default::default() };
        let read = || Box::new(Expr::Read { access: access(0), ty: IntType::I32 });
        let statement = Statement {
            name: "S0".into(),
            target: access(1),
            value: Expr::Binary { op: BinaryOp::Add, left: read(), right: read(), ty: IntType::I32 },
            text: String::new(),
            span: Default::default(),
        };
        let nest = |iterator: &str, upper, body| {
            Node::Loop(Loop {
                iterator: iterator.into(),
                ty: IntType::I32,
                lower: vec![constant(0)],
                upper: vec![upper],
                body,
                span: Default::default(),
            })
        };
        let body =
            nest("i", n() - constant(1), vec![nest("j", Affine::variable("i"), vec![Node::Statement(statement)])]);
        let array = |name: &str, bits| Array {
            name: name.into(),
            element: IntType { bits, signed: true },
            extents: vec![n()],
            storage: Storage::Argument,
            span: Default::default(),
        };
        let tile = || Affine::variable("T0") * 10;
        let row =
            || level("x", vec![bound(tile(), 1)], vec![bound(tile() + constant(9), 1), bound(n() - constant(1), 1)]);
        let later = Piece { guards: vec![Affine::variable("T0") - constant(1)], ..piece(vec![row()]) };
        Offload {
            kernel: Kernel {
                name: "triangle".into(),
                arguments: vec![Argument::Parameter(0), Argument::Array(0), Argument::Array(1)],
                parameters: vec![SizeParameter {
                    name: "N".into(),
                    ty: IntType::I32,
                    default: None,
                    max: None,
                    span: Default::default(),
                }],
                scalars: vec![],
                arrays: vec![array("a", 32), array("b", 16)],
                body: vec![body],
                quotients: vec![],
                tilings: vec![],
            },
            source_order: Scan { pieces: vec![] },
            tiles: Scan {
                pieces: vec![piece(vec![level("T0", vec![bound(constant(0), 1)], vec![bound(n() - constant(1), 10)])])],
            },
            bands: vec![Band {
                statements: vec![0],
                tiling: TilingDirective { schedules: vec![], sizes: vec![10], span: Default::default() },
                sets: vec![],
                transfers: vec![
                    Transfer {
                        array: 0,
                        load: Scan { pieces: vec![piece(vec![row()])] },
                        store: Scan { pieces: vec![] },
                    },
                    Transfer {
                        array: 1,
                        load: Scan { pieces: vec![] },
                        store: Scan { pieces: vec![piece(vec![row()]), later] },
                    },
                ],
                compute: Compute { scan: Scan { pieces: vec![] }, order: String::new(), innermost_distance: None },
            }],
            buffers: Vec::<Buffer>::new(),
            strips_depend: false,
        }
    }

    #[test]
    fn counts_what_the_sets_hold() {
        let work = |size| Work::of(&triangle(), &BTreeMap::from([("N".to_string(), size)]));
        // 25 = 10 + 10 + 5 elements of a; those and the last two tiles again of b.
        assert_eq!(work(25), Work { iterations: 325, accesses: 975, bytes_read: 100, bytes_written: 2 * (25 + 15) });
        assert_eq!(work(0), Work::default());
    }

    #[test]
    fn bounds_round_towards_the_inside() {
        let values = Values::new(&BTreeMap::from([("N".to_string(), -7)]));
        assert_eq!(values.lower(&[bound(n(), 2)]), -3);
        assert_eq!(values.upper(&[bound(n(), 2)]), -4);
        assert_eq!(values.lower(&[bound(n(), 2), bound(constant(5), 2)]), 3);
    }
}
