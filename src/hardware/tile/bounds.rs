//! What the bounds of several processes take from the tile: `min(N - 1 - 32*T0, 31)`. The process that gives the tiles
//! computes it once, and it travels with the tile; scanners that walk the same loops share their bounds in this way.

use crate::hardware::circuit::ranged::Ranged;
use crate::hardware::circuit::scope::{BOUNDS_AT_ONCE, Scope};
use crate::hardware::circuit::variable::{Affine, Bound, Level, Piece, Var};
use crate::hardware::tile::relative::relative;
use crate::hardware::tile::{Names, tile_part};
use crate::offload::{Offload, Scan};
use crate::rtl::{Expr, Module, Type, assign};

/// The largest of lower bounds, or the smallest of upper ones, over sizes and tile indices.
#[derive(Clone, Debug)]
pub struct TileBound {
    /// What bounds have in its place, and its field in a tile.
    pub field: Ranged,
    upper: bool,
    bounds: Vec<Bound>,
}

impl TileBound {
    /// The name of the port that a scanner has for it.
    pub fn port(&self) -> String {
        self.field.name()
    }

    /// What it is, for the reader of the Verilog.
    pub fn text(&self) -> String {
        let one = |bound: &Bound| match (bound.divisor, self.upper) {
            (1, _) => bound.numerator.to_string(),
            (divisor, true) => format!("floor(({}) / {divisor})", bound.numerator),
            (divisor, false) => format!("ceil(({}) / {divisor})", bound.numerator),
        };
        let all: Vec<String> = self.bounds.iter().map(one).collect();
        match (&all[..], self.upper) {
            ([one], _) => one.clone(),
            (all, true) => format!("min({})", all.join(", ")),
            (all, false) => format!("max({})", all.join(", ")),
        }
    }

    /// Its value in the type of its field, and the cycles that it takes beyond that of its sums; `sizes_and_tile` has
    /// names for both, which stand still in the meantime.
    pub fn value(&self, m: &mut Module, sizes_and_tile: &Scope) -> (Expr, u32) {
        let mut scope = sizes_and_tile.clone();
        let mut bounds = self.bounds.clone();
        let mut cycles = 0;
        if bounds.len() > BOUNDS_AT_ONCE {
            bounds = bounds.iter().map(|bound| self.register(m, &mut scope, std::slice::from_ref(bound))).collect();
            cycles = 1;
        }
        while bounds.len() > BOUNDS_AT_ONCE {
            bounds = bounds.chunks(BOUNDS_AT_ONCE).map(|some| self.register(m, &mut scope, some)).collect();
            cycles += 1;
        }
        let ty = self.field.ty();
        let value = self.extreme(m, &scope, &bounds);
        if !self.upper || value.width() <= ty.width {
            return (value.resize(ty), cycles);
        }
        // Below 0 it only says that the loop is empty: the sign and the low bits say as much.
        let value = m.define(&self.port(), &value);
        let cut = Expr::concat(&[value.index(value.width() - 1), value.slice(ty.width - 2, 0)]).resize(ty);
        (cut, cycles)
    }

    fn extreme(&self, m: &mut Module, scope: &Scope, bounds: &[Bound]) -> Expr {
        if self.upper { scope.upper(m, &self.port(), bounds) } else { scope.lower(m, &self.port(), bounds) }
    }

    /// The extreme of some of the bounds in a register, as a bound.
    fn register(&self, m: &mut Module, scope: &mut Scope, bounds: &[Bound]) -> Bound {
        let range = if self.upper { scope.upper_range(bounds) } else { scope.lower_range(bounds) };
        let value = self.extreme(m, scope, bounds);
        let register = m.reg(&self.port(), Type::for_range(range.0, range.1));
        m.clocked("", vec![], vec![assign(&register, &value.resize(register.ty()))]);
        let part = Var::PartOfBound(register.name().to_string());
        scope.bind(&part, &register, range);
        Bound { numerator: Affine::variable(part), divisor: 1 }
    }

    /// The bounds, for rewriting; lower ones with `true`.
    pub fn bounds_mut(&mut self) -> impl Iterator<Item = (&mut Bound, bool)> {
        let lower = !self.upper;
        self.bounds.iter_mut().map(move |b| (b, lower))
    }

    fn is_of(&self, bounds: &[Bound], upper: bool, range: (i64, i64)) -> bool {
        (self.upper, &self.bounds[..], self.field.range) == (upper, bounds, range)
    }
}

/// The bounds that more than one process of `offload` needs.
pub fn shared(names: &Names, offload: &Offload) -> Vec<TileBound> {
    let mut processes: [Vec<TileBound>; 3] = [vec![], vec![], vec![]];
    for band in &offload.bands {
        let mut add = |process: usize, scan: &Scan| {
            for piece in relative(names, &names.pieces(scan)) {
                for level in &piece.levels {
                    collect(names, &mut processes[process], level);
                }
            }
        };
        for transfer in &band.transfers {
            add(0, &transfer.load);
            add(2, &transfer.store);
        }
        add(1, &band.compute.scan);
    }
    let mut shared: Vec<TileBound> = vec![];
    for (process, found) in processes.iter().enumerate() {
        for bound in found {
            let same = |other: &TileBound| other.is_of(&bound.bounds, bound.upper, bound.field.range);
            if !shared.iter().any(same) && processes[process + 1..].iter().flatten().any(same) {
                let field = Ranged::new(Var::TileBound(shared.len()), bound.field.range);
                shared.push(TileBound { field, ..bound.clone() });
            }
        }
    }
    shared
}

/// The pieces with such bounds as variables.
pub fn with_variables(names: &Names, known: &[TileBound], mut pieces: Vec<Piece>) -> Vec<Piece> {
    for level in pieces.iter_mut().flat_map(|p| &mut p.levels) {
        let original = level.clone();
        for upper in [false, true] {
            let Some(Side { of_tile, mut others, range }) = Side::of(names, &original, upper) else { continue };
            let known = known.iter().find(|b| b.is_of(&of_tile, upper, range));
            let Some(known) = known else { continue };
            let numerator = Affine::variable(&known.field.variable);
            others.insert(0, Bound { numerator, divisor: 1 });
            *if upper { &mut level.upper } else { &mut level.lower } = others;
        }
    }
    pieces
}

fn collect(names: &Names, found: &mut Vec<TileBound>, level: &Level) {
    for upper in [false, true] {
        let Some(Side { of_tile: bounds, range, .. }) = Side::of(names, level, upper) else { continue };
        if !found.iter().any(|b| b.is_of(&bounds, upper, range)) {
            found.push(TileBound { field: Ranged::new(Var::TileBound(found.len()), range), upper, bounds });
        }
    }
}

/// The lower or the upper bounds of a level.
struct Side {
    /// Those over sizes and tile alone.
    of_tile: Vec<Bound>,
    others: Vec<Bound>,
    /// The interval that the field of the former needs.
    range: (i64, i64),
}

impl Side {
    /// `None` where the tile gives nothing but wires.
    fn of(names: &Names, level: &Level, upper: bool) -> Option<Side> {
        let is_known = |variable: &Var| names.range(variable).is_some();
        let bounds = if upper { &level.upper } else { &level.lower };
        let (of_tile, others): (Vec<Bound>, Vec<Bound>) =
            bounds.iter().cloned().partition(|b| b.numerator.terms.keys().all(is_known));
        let takes_sum = |b: &Bound| {
            let tile = tile_part(&b.numerator);
            !tile.is_constant() && (b.numerator.constant != 0 || b.numerator.terms.len() > 1)
        };
        if !of_tile.iter().any(takes_sum) {
            return None;
        }
        let mut scope = Scope::default();
        for known in names.iter() {
            scope.bind(&known.variable, Expr::bit(false), known.range);
        }
        let mut range = if upper { scope.upper_range(&of_tile) } else { scope.lower_range(&of_tile) };
        // An index of at least 0 has all lower bounds there; where an upper bound is below, the loop is empty.
        let counts_from_0 = level.range.0 >= 0 && level.lower.iter().all(|b| is_at_least_0(names, level, b));
        if upper && counts_from_0 && range.1 >= 0 {
            range.0 = range.0.max(-1 << Type::for_range(0, range.1).width);
        }
        Some(Side { of_tile, others, range })
    }
}

/// Whether a lower bound is at least 0 whatever the sizes and the tile are.
fn is_at_least_0(names: &Names, level: &Level, bound: &Bound) -> bool {
    let is_known = bound.numerator.terms.keys().all(|variable| names.range(variable).is_some());
    is_known && bound.numerator.range(|variable| names.range(variable).unwrap_or(level.range)).0 > -bound.divisor
}
