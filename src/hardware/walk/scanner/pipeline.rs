//! Rows one per cycle: what a row is given with goes through a pipeline in which its bounds become one, while the walk goes on to the next
//! row. A stage has the row's outer indices and its kind, and what is left of its bounds; the last one has the row.
//!
//! ```text
//! walk ─▶ bounds ─▶ products ─▶ quotients ─▶ half as many ─▶ … ─▶ first, last ─▶ row
//! ```
//!
//! All stages advance together, unless a row waits to be taken.

use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::{Level, Piece};
use crate::hardware::walk::rows::RowFormat;
use crate::hardware::walk::scanner::folds::{Folded, is_wide};
use crate::hardware::walk::scanner::registers::Loop;
use crate::hardware::walk::tree::Tree;
use crate::rtl::{Expr, Module, Signal, Statement, Type, assign, when};

pub(super) struct Pipeline {
    /// The stages take what is in front of them.
    pub(super) advances: Signal,
    stages: Vec<Stage>,
    /// What is left of the bounds, of each stage but the last; of none, where no level of rows is wide.
    bounds: Vec<Folded>,
    /// Of the last stage.
    row: Loop,
}

/// What every stage has.
struct Stage {
    valid: Signal,
    kind: Option<Signal>,
    outer: Vec<Signal>,
}

impl Stage {
    fn declare(m: &mut Module, format: &RowFormat, name: &str) -> Stage {
        Stage {
            valid: m.reg(&format!("{name}_valid"), Type::BIT),
            kind: format.has_kinds().then(|| m.reg(&format!("{name}_kind"), format.kind_type())),
            outer: format.outer[format.origins..]
                .iter()
                .map(|level| m.reg(&format!("{name}_{}", level.name()), level.ty()))
                .collect(),
        }
    }

    /// Takes a row.
    fn take(&self, kind: &Expr, outer: &[Expr]) -> Vec<Statement> {
        let kind = self.kind.iter().map(|register| assign(register, kind));
        kind.chain(self.outer.iter().zip(outer).map(|(register, value)| assign(register, value))).collect()
    }
}

impl Pipeline {
    pub(super) fn declare(m: &mut Module, tree: &Tree, scope: &Scope) -> Pipeline {
        let format = &tree.format;
        let rows: Vec<&Level> = tree.pieces.iter().filter_map(|p| p.piece.levels.last()).collect();
        let wide = rows.iter().any(|level| is_wide(level));
        let bounds = if wide { Folded::stages(m, &rows, scope) } else { vec![] };
        let stage = |place| {
            let name =
                if place == bounds.len() { "row".to_string() } else { format!("ahead_{}", bounds.len() - place) };
            Stage::declare(m, format, &name)
        };
        let stages = (0..=bounds.len()).map(stage).collect();
        let row = match wide {
            true => Loop::declare_known(m, ["first", "last"], format.inner.range),
            false => Loop::declare(m, scope, ["first", "last"], &rows, format.inner.range),
        };
        Pipeline { advances: m.wire("rows_advance", Type::BIT), stages, bounds, row }
    }

    /// Registers that a reset clears.
    pub(super) fn resets(&self) -> Vec<(Signal, i128)> {
        self.stages.iter().map(|stage| (stage.valid.clone(), 0)).collect()
    }

    /// The first stage takes a row of the piece at the outer indices of the walk, where all advance.
    pub(super) fn take(
        &self,
        m: &mut Module,
        scope: &Scope,
        (piece, label): (&Piece, &str),
        kind: &Expr,
        outer: &[Expr],
    ) -> Vec<Statement> {
        let level = piece.levels.last().expect("a row has a level");
        let mut body = match self.bounds.first() {
            Some(bounds) => bounds.take(scope, level),
            None => self.row.open(m, scope, label, level),
        };
        body.extend(self.stages[0].take(kind, outer));
        body.push(assign(&self.stages[0].valid, &Expr::bit(true)));
        body
    }

    /// Where nothing is taken, the first stage is empty; the others take the one before. To stand before what the walk does.
    pub(super) fn advance(&self) -> Statement {
        let mut body = vec![assign(&self.stages[0].valid, &Expr::bit(false))];
        for (place, (before, stage)) in self.stages.iter().zip(&self.stages[1..]).enumerate() {
            let outer: Vec<Expr> = before.outer.iter().map(Signal::e).collect();
            let kind = before.kind.as_ref().map_or(Expr::bit(false), Signal::e);
            body.push(assign(&stage.valid, &before.valid.e()));
            body.extend(stage.take(&kind, &outer));
            body.extend(match self.bounds.get(place + 1) {
                Some(next) => self.bounds[place].pass_to(next),
                None => self.bounds[place].open(&self.row),
            });
        }
        when(self.advances.e(), body)
    }

    /// A row is there for whoever takes rows.
    pub(super) fn gives(&self) -> Expr {
        self.last().valid.e().and(&self.row.some())
    }

    /// No row is under way.
    pub(super) fn is_empty(&self) -> Expr {
        let valid: Vec<Expr> = self.stages.iter().map(|stage| stage.valid.e()).collect();
        Expr::any(&valid).not()
    }

    /// Its kind, its outer indices, and its first and last index.
    pub(super) fn row(&self, no_kind: &Expr) -> (Expr, Vec<Expr>, [Expr; 2]) {
        let last = self.last();
        let kind = last.kind.as_ref().map_or(no_kind.clone(), Signal::e);
        (kind, last.outer.iter().map(Signal::e).collect(), [self.row.low.e(), self.row.high.e()])
    }

    fn last(&self) -> &Stage {
        self.stages.last().expect("the stage of the row")
    }
}
