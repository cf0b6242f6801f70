//! Unrolls rows: holds one row at a time and gives one element per cycle, with no gap between rows that wait.

use crate::hardware::circuit::stream::Stream;
use crate::hardware::walk::rows::{Row, RowFormat};
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};

pub struct Walker {
    /// A row (or an end mark) is held.
    pub valid: Signal,
    /// The row is an end mark; it has no elements.
    pub end: Signal,
    kind: Option<Signal>,
    no_kind: Expr,
    outer: Vec<Signal>,
    /// The innermost index of the present element.
    pub index: Signal,
    last: Signal,
}

impl Walker {
    /// The walker's registers, named with `prefix`.
    pub fn declare(m: &mut Module, format: &RowFormat, prefix: &str) -> Walker {
        let mut reg = |name: &str, ty: Type| m.reg(&format!("{prefix}_{name}"), ty);
        Walker {
            valid: reg("valid", Type::BIT),
            end: reg("end", Type::BIT),
            kind: format.has_kinds().then(|| reg("kind", format.kind_type())),
            no_kind: Expr::constant(0, format.kind_type()),
            outer: format.outer.iter().map(|o| reg(&o.name(), o.ty())).collect(),
            index: reg(&format.inner.name(), format.inner.ty()),
            last: reg("last", format.inner.ty()),
        }
    }

    pub fn kind(&self) -> Expr {
        self.kind.as_ref().map_or_else(|| self.no_kind.clone(), |kind| kind.e())
    }

    pub fn outer(&self) -> Vec<Expr> {
        self.outer.iter().map(|o| o.e()).collect()
    }

    /// An element is held.
    pub fn has_element(&self) -> Expr {
        self.valid.e().and(&self.end.e().not())
    }

    /// An end mark is held.
    pub fn has_end(&self) -> Expr {
        self.valid.e().and(&self.end.e())
    }

    pub fn is_last(&self) -> Expr {
        self.index.e().eq(&self.last.e())
    }

    /// Feeds the walker from `rows`, whose payload is `row`; `step` takes the present element, `end_taken` the
    /// present end mark (each implies that there is one); where the present row is `over`, it leaves without. Drives `rows.ready`.
    pub fn connect(
        &self,
        m: &mut Module,
        comment: &str,
        rows: &Stream,
        row: &Row,
        (step, over): (&Expr, Option<&Expr>),
        end_taken: &Expr,
    ) {
        let free = self.valid.e().not().or(end_taken).or(&step.and(&self.is_last()));
        let free = over.iter().fold(free, |free, over| free.or(over));
        m.assign(&rows.ready, &free);
        let mut load =
            vec![assign(&self.end, &row.end), assign(&self.index, &row.first), assign(&self.last, &row.last)];
        load.extend(self.kind.iter().map(|kind| assign(kind, &row.kind)));
        load.extend(self.outer.iter().zip(&row.outer).map(|(r, v)| assign(r, v)));
        let next = assign(&self.index, &self.index.e().incremented());
        let advance = when(rows.ready.e(), vec![assign(&self.valid, &rows.valid.e())]);
        let step = when(step.clone(), vec![next]);
        m.clocked(comment, vec![(self.valid.clone(), 0)], vec![advance, when_else(rows.fires(), load, vec![step])]);
    }
}
