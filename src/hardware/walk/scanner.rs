//! The scanner: one construct that walks every set the hardware walks (strips and tiles, Load(T), the iterations of
//! T, Store(T)) as a sequence of rows. A row is the outer indices plus an interval of the innermost one: a burst for
//! Load and Store, a run of iterations for Compute (the First/Next functions of RR-7648 §III-C, over rows).
//!
//! The sets arrive as convex pieces with bounds per level, some of them inside loops that they share. Few of them
//! become a state machine over level registers, with all bounds as circuits beside each other ([`machine`]); many
//! become a program that one adder works off ([`sequencer`]), so that neither area nor clock depend on how complicated
//! a set is.

mod folds;
mod machine;
mod pipeline;
mod program;
mod registers;
mod sequencer;
mod side_by_side;
#[cfg(test)]
mod tests;

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::{Affine, Bound, Var};
use crate::hardware::context::Context;
use crate::hardware::tile::tile_part;
use crate::hardware::walk::rows::{RowFormat, RowPorts};
use crate::hardware::walk::source::Source;
use crate::hardware::walk::tree::Tree;
use crate::rtl::{Module, Signal, Statement, Type, assign};
pub use side_by_side::takes_longer;

/// A module that walks, for every tile it is given, the sources of the tile's band one after the other, and ends each
/// tile with a row that has only `end` set. With `tiled` false it takes a start instead of a tile, and walks all.
///
/// Ports: `s_tile_*` (tile in), `m_row_*` (rows out), `arg_*`.
pub fn scanner(context: &Context, name: &str, about: &str, tiled: bool, sources: &[Source]) -> (Module, RowFormat) {
    let tree = Tree::new(context, sources);
    let format = tree.format.clone();
    (of_tree(context, name, about, tiled, tree), format)
}

/// [`scanner`] of the iterations of tiles, whose rows come one per cycle.
pub fn compute_scanner(context: &Context, name: &str, about: &str, sources: &[Source]) -> (Module, RowFormat) {
    let tree = Tree { every_cycle: true, ..Tree::new(context, sources) };
    let format = tree.format.clone();
    (of_tree(context, name, about, true, tree), format)
}

/// [`scanner`] of the tiles of Load, whose rows may come in any order and which iterations wait for. The last module is the scanner, the others
/// are instances in it.
pub fn load_scanner(context: &Context, name: &str, about: &str, sources: &[Source]) -> (Vec<Module>, RowFormat) {
    let tree = Tree::new(context, sources);
    let format = tree.format.clone();
    let modules = match side_by_side::is_slow(context, &tree) {
        true => side_by_side::build(context, name, about, &tree),
        false => vec![of_tree(context, name, about, true, tree)],
    };
    (modules, format)
}

/// How many instructions the scanner of what tiles move has; `None` where it is no program.
pub fn program(context: &Context, sources: &[Source]) -> Option<u64> {
    let tree = Tree::new(context, sources);
    tree.by_program.then(|| side_by_side::instructions(context, &tree))
}

fn of_tree(context: &Context, name: &str, about: &str, tiled: bool, tree: Tree) -> Module {
    let mut m = Module::new(name);
    m.describe(about);
    let frame = Frame::declare(&mut m, context, &tree, tiled);
    match tree.by_program {
        true => sequencer::build(&mut m, context, &tree, frame),
        false => machine::build(&mut m, tree, frame),
    }
    m
}

/// What every scanner has: its ports, and registers for the tile.
struct Frame {
    /// Sizes and tile.
    scope: Scope,
    tile: Stream,
    /// The input `s_tile_end`, where there are tiles.
    tile_end: Option<Signal>,
    /// The input `s_tile_band`, where there are several.
    tile_band: Option<Signal>,
    /// Puts the tile into its registers.
    latch: Vec<Statement>,
    row: Stream,
    outputs: RowPorts,
}

impl Frame {
    fn declare(m: &mut Module, context: &Context, tree: &Tree, tiled: bool) -> Frame {
        m.input("clk", Type::BIT);
        m.input("rst", Type::BIT);
        let mut scope = context.parameter_inputs(m);
        let tile = Stream::slave(m, "tile");
        let mut latch = vec![];
        let (mut tile_end, mut tile_band) = (None, None);
        if tiled {
            tile_band = context.band.as_ref().map(|band| m.input("s_tile_band", band.ty()));
            for index in &context.names.tile {
                let input = m.input(&format!("s_tile_{}", index.name()), index.ty());
                let register = m.reg(&index.name(), index.ty());
                latch.push(assign(&register, &input.e()));
                scope.bind(&index.variable, &register, index.range);
            }
            for bound in context.tile_bounds.iter().filter(|b| tree.is_in_bounds(&b.field.variable)) {
                let input = m.input(&format!("s_tile_{}", bound.port()), bound.field.ty());
                let register = m.reg(&bound.port(), bound.field.ty());
                latch.push(assign(&register, &input.e()));
                scope.bind(&bound.field.variable, &register, bound.field.range);
            }
            tile_end = Some(m.input("s_tile_end", Type::BIT));
        }
        let row = Stream::master(m, "row");
        let outputs = RowPorts::declare(m, &tree.format, "m_row_", true);
        Frame { scope, tile, tile_end, tile_band, latch, row, outputs }
    }
}

/// Puts into registers what `bounds` take from the sizes alone, and with `tiled` also from sizes and tile, and lets
/// the bounds name those: neither changes while a tile is walked. Lower bounds, which are rounded up, come with
/// `true`.
pub fn register_constants<'b>(
    m: &mut Module,
    scope: &mut Scope,
    bounds: impl Iterator<Item = (&'b mut Bound, bool)>,
    tiled: bool,
) {
    let mut known: Vec<(Bound, Affine)> = vec![];
    let mut register = |m: &mut Module, scope: &mut Scope, value: Bound| {
        if let Some((_, register)) = known.iter().find(|(v, _)| *v == value) {
            return register.clone();
        }
        let range = scope.quotient_range(&value);
        let register = m.reg("bound", Type::for_range(range.0, range.1));
        m.clocked("", vec![], vec![assign(&register, &scope.floor_divide(&value))]);
        let constant = Var::Constant(known.len());
        scope.bind(&constant, &register, range);
        known.push((value, Affine::variable(&constant)));
        Affine::variable(constant)
    };
    for (bound, round_up) in bounds {
        let terms = bound.numerator.terms.clone().into_iter().filter(|(v, _)| matches!(v, Var::Size(_))).collect();
        let sizes = Affine { terms, constant: bound.numerator.constant };
        let rest = bound.numerator.clone() - sizes.clone();
        if bound.divisor > 1 && rest.is_constant() && !sizes.is_constant() {
            let up = if round_up { bound.divisor - 1 } else { 0 };
            let value = Bound { numerator: sizes + Affine::constant(up), divisor: bound.divisor };
            *bound = Bound { numerator: register(m, scope, value), divisor: 1 };
        } else if sizes.terms.len() + usize::from(sizes.constant != 0) > 1 && !sizes.is_constant() {
            bound.numerator = rest + register(m, scope, Bound { numerator: sizes, divisor: 1 });
        }
        let of_tile = tile_part(&bound.numerator);
        let terms = bound.numerator.terms.clone().into_iter();
        let terms = terms.filter(|(v, _)| matches!(v, Var::Size(_) | Var::Constant(_))).collect();
        let sizes = Affine { terms, constant: 0 };
        if tiled && !of_tile.is_constant() && !sizes.is_constant() {
            let rest = bound.numerator.clone() - of_tile.clone() - sizes.clone();
            bound.numerator = rest + register(m, scope, Bound { numerator: of_tile + sizes, divisor: 1 });
        } else if tiled && of_tile.terms.len() > 1 {
            let sum = of_tile.clone() + Affine::constant(bound.numerator.constant);
            let rest = bound.numerator.clone() - sum.clone();
            bound.numerator = rest + register(m, scope, Bound { numerator: sum, divisor: 1 });
        }
    }
}
