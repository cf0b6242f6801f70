//! Programs, interpreted, against the loops that they come from.

use std::collections::BTreeMap;

use super::program::{Complete, Instruction, Operand, Program, Term};
use crate::analysis::analyze;
use crate::board;
use crate::hardware::circuit::variable::{Affine, Var};
use crate::hardware::context::Context;
use crate::hardware::walk::source::Source;
use crate::hardware::walk::tree::Tree;
use crate::hardware::{Ddr, Link};
use crate::ids::{ArrayId, BandId};
use crate::offload::{Offload, Piece, Scan, Transfer};
use crate::source;
use crate::walk::{Values as Loops, visit};

type Values = BTreeMap<String, i64>;

fn evaluate(affine: &Affine, values: &BTreeMap<Var, i64>) -> i64 {
    affine.evaluate(|variable| *values.get(variable).unwrap_or_else(|| panic!("{variable:?} has no value")))
}

/// The points of pieces as loops visit them.
fn walk(scan: &Scan, values: &Values) -> Vec<Vec<i64>> {
    let mut points = vec![];
    for piece in &scan.pieces {
        visit(piece, &mut Loops::new(values), |loops| {
            points.push(piece.point.iter().map(|p| loops.evaluate(p)).collect());
        });
    }
    points
}

/// The points that a program gives, by the source of the row, and whether rows follow where they say so. `values` has sizes
/// and tile indices.
fn run(context: &Context, tree: &Tree, program: &Program, band: BandId, values: &Values) -> Vec<(usize, Vec<i64>)> {
    let registers: Vec<&Var> = tree.registers().map(|r| &r.variable).collect();
    let known = context.names.iter().filter_map(|r| Some((r.variable.clone(), *values.get(&r.name())?)));
    let (mut values, mut last) = (known.collect::<BTreeMap<Var, i64>>(), vec![0; registers.len()]);
    let (mut pc, mut sum, mut bounds) = (0, 0, [0, 0]);
    let mut follows = false;
    let mut row_before: Option<(usize, Vec<i64>, i64)> = None;
    let mut points = vec![];
    loop {
        pc += 1;
        match &program.instructions[pc - 1] {
            Instruction::Sum(term, complete) => {
                match term {
                    Term::Halve => sum = i64::div_euclid(sum, 2),
                    Term::Add { first, minus, operand, shift } => {
                        let value = match operand {
                            Operand::Constant(value) => *value,
                            Operand::Band => band.0 as i64,
                            Operand::Variable(variable) => *values.get(variable).unwrap_or(&0),
                        };
                        let before = if *first { 0 } else { sum };
                        sum = before + if *minus { -value << shift } else { value << shift };
                    }
                }
                if let Some(Complete { upper, first }) = complete {
                    let bound = &mut bounds[usize::from(*upper)];
                    let tighter = if *upper { sum.min(*bound) } else { sum.max(*bound) };
                    *bound = if *first { sum } else { tighter };
                }
            }
            Instruction::Divide(divisor) => sum = sum.div_euclid(*divisor),
            Instruction::Guard(place) if bounds[1] < 0 => pc = *place,
            Instruction::Open(_, place) if bounds[0] > bounds[1] => pc = *place,
            Instruction::Open(register, _) => {
                values.insert(registers[*register].clone(), bounds[0]);
                last[*register] = bounds[1];
            }
            Instruction::Guard(_) => {}
            Instruction::Row(kind) => {
                let kind = &tree.format.kinds[*kind];
                for value in bounds[0]..=bounds[1] {
                    values.insert(tree.format.inner.variable.clone(), value);
                    points.push((kind.source, kind.point.iter().map(|p| evaluate(p, &values)).collect()));
                }
                let outer: Vec<i64> = tree.outer().iter().map(|r| *values.get(&r.variable).unwrap_or(&0)).collect();
                let here = (bounds[0] <= bounds[1]).then_some((kind.source, outer, bounds[0]));
                if follows && let (Some(here), Some((source, mut outer, first))) = (&here, row_before.clone()) {
                    *outer.last_mut().expect("rows follow in a loop") += 1;
                    let first = if tree.format.moves { here.2 } else { first };
                    assert_eq!(*here, (source, outer, first), "a row that follows");
                }
                (row_before, follows) = (here, false);
            }
            Instruction::Step { register, again, follows: follow } => {
                let index = values.get_mut(registers[*register]).expect("an open loop");
                if *index != last[*register] {
                    *index += 1;
                    pc = *again;
                    follows = *follow && row_before.is_some();
                }
            }
            Instruction::Jump(place) => pc = *place,
            Instruction::End => return points,
        }
    }
}

/// Every point of Load(T) and Store(T) of all tiles, in the loops' order; and of two programs side by side, in any.
fn check(file: &str, sizes: &[(&str, i64)]) {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kernels").join(file);
    let text = source::Source::read(&path, vec![]).expect("a kernel");
    let board = board::load("stratix2-ddr400").expect("a board");
    let offload = analyze(&source::parse(&text).expect("a kernel"), &board.fabric()).expect("an analysis");
    let context = Context::new(&offload, Link::Ddr(Ddr::DDR400B));
    let sizes: Values = sizes.iter().map(|(name, value)| (name.to_string(), *value)).collect();
    let mut rows = 0;
    for of in [|t: &Transfer| t.load.clone(), |t: &Transfer| t.store.clone()] {
        let mut scans: Vec<(BandId, ArrayId, Scan)> = vec![];
        for (band, own) in offload.bands.iter_enumerated() {
            scans.extend(own.transfers.iter().map(|t| (band, t.array, of(t))));
        }
        let sources: Vec<Source> =
            scans.iter().map(|(band, array, scan)| Source::by_subscripts(&context, *band, *array, scan)).collect();
        let tree = Tree::new(&context, &sources);
        let program = Program::new(&tree, offload.bands.len());
        let halves = [0, 1].map(|first| tree.every_other(first));
        for (band, tile) in tiles(&offload, &sizes) {
            let mut wanted = vec![];
            for (source, (_, _, scan)) in scans.iter().enumerate().filter(|(_, (b, ..))| *b == band) {
                wanted.extend(walk(scan, &tile).into_iter().map(|point| (source, point)));
            }
            rows += wanted.len();
            assert_eq!(run(&context, &tree, &program, band, &tile), wanted, "{file}, tile {tile:?} of band {band}");
            let of_half = |half: &Tree| run(&context, half, &Program::new(half, offload.bands.len()), band, &tile);
            let mut beside: Vec<_> = halves.iter().flat_map(of_half).collect();
            beside.sort();
            wanted.sort();
            assert_eq!(beside, wanted, "{file}, tile {tile:?} of band {band}, side by side");
        }
    }
    assert!(rows > 0, "{file} moves nothing");
}

/// Band, and values of sizes and tile indices.
fn tiles(offload: &Offload, sizes: &Values) -> Vec<(BandId, Values)> {
    let mut tiles = vec![];
    for piece in &offload.tiles.pieces {
        let scan = Scan { pieces: vec![Piece { shared: 0, ..piece.clone() }] };
        for point in walk(&scan, sizes) {
            let indices = point.into_iter().enumerate().map(|(d, index)| (format!("T{d}"), index));
            tiles.push((piece.leaf.band(), sizes.clone().into_iter().chain(indices).collect()));
        }
    }
    tiles
}

#[test]
#[ignore = "slow: make test"]
fn skewed_stencils_with_quotients() {
    check("jacobi_2d.c", &[("T", 3), ("N", 13)]);
    check("jacobi_1d.c", &[("T", 5), ("N", 40)]);
    check("seidel_time.c", &[("T", 2), ("N", 11)]);
}

#[test]
fn several_bands_and_scalars() {
    check("conditions.c", &[("N", 13)]);
    check("local_scalars.c", &[("N", 9), ("M", 7)]);
    check("atax.c", &[("M", 9), ("N", 11)]);
}

#[test]
fn rows_that_are_not_contiguous() {
    check("transpose.c", &[("N", 21), ("M", 13)]);
    check("diagonal.c", &[("N", 21)]);
    check("lanes_reverse.c", &[("N", 21)]);
}
