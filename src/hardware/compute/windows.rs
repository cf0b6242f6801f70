//! Windows ([`crate::offload::Window`]): words slide through registers from iteration to iteration of a row. A row
//! begins earlier, with iterations that only fill the registers.

use crate::hardware::datapath::Datapath;
use crate::hardware::walk::rows::{Row, RowFormat};
use crate::ids::ByKind;
use crate::offload::{Offload, Window};
use crate::rtl::{Expr, Module, Signal, Type, assign, when, when_else};
use crate::source::kernel::Access;

/// How much earlier rows begin, by their kind.
pub struct WarmUp {
    by_kind: ByKind<i64>,
    /// Iterations of the present row that only read, so many are left.
    left: Option<Signal>,
}

impl WarmUp {
    /// For rows as the scanner gives them.
    pub fn declare(m: &mut Module, offload: &Offload, format: &RowFormat) -> WarmUp {
        let by_kind: ByKind<i64> = format.kinds.iter().map(|kind| offload.warm_up(kind.leaf.statement())).collect();
        let most = by_kind.iter().copied().max().unwrap_or(0);
        let left = (most > 0).then(|| m.reg("warm_up_left", Type::for_range(0, most)));
        WarmUp { by_kind, left }
    }

    /// The format of the rows with their beginnings.
    pub fn extended(&self, format: &RowFormat) -> RowFormat {
        let mut extended = format.clone();
        extended.inner.range.0 -= self.by_kind.iter().copied().max().unwrap_or(0);
        extended
    }

    fn of_kind(&self, format: &RowFormat, kind: &Expr, ty: Type) -> Expr {
        format.of_kind(kind, |k| Expr::constant(self.by_kind[k].into(), ty))
    }

    /// The row with its beginning.
    pub fn extend(&self, format: &RowFormat, row: Row) -> Row {
        let Some(left) = &self.left else { return row };
        let ty = self.extended(format).inner.ty();
        let first = row.first.resize(ty).sub(&self.of_kind(format, &row.kind, left.ty()).resize(ty), ty);
        Row { first, last: row.last.resize(ty), ..row }
    }

    /// Counts: a row comes where `fires`, `step` takes an iteration.
    pub fn connect(&self, m: &mut Module, format: &RowFormat, row: &Row, fires: &Expr, step: &Expr) {
        let Some(left) = &self.left else { return };
        let less = assign(left, &left.e().decremented());
        let counts = when(step.and(&left.e().is_zero().not()), vec![less]);
        let begin = assign(left, &self.of_kind(format, &row.kind, left.ty()));
        m.clocked("", vec![], vec![when_else(fires.clone(), vec![begin], vec![counts])]);
    }

    /// Whether the present iteration only reads; `None` where none ever does.
    pub fn warms(&self) -> Option<Expr> {
        self.left.as_ref().map(|left| left.e().is_zero().not())
    }
}

/// The registers of a window, the latest word first.
pub struct Registers<'a> {
    window: &'a Window,
    words: Vec<Signal>,
}

impl<'a> Registers<'a> {
    /// `word` is the leader's in pipeline stage `stage`.
    pub fn declare(m: &mut Module, datapath: &mut Datapath, window: &'a Window, word: &Expr, stage: u32) -> Self {
        let moves = datapath.valid_in(m, stage);
        let mut before = word.clone();
        let (mut words, mut slides) = (vec![], vec![]);
        for _ in 0..window.depth() {
            let register = m.reg("slid", word.ty());
            slides.push(assign(&register, &before));
            before = register.e();
            words.push(register);
        }
        m.clocked("", vec![], vec![when(moves, slides)]);
        Registers { window, words }
    }

    /// The word of a reference that follows.
    pub fn word(&self, access: &Access) -> Option<Expr> {
        let followers = &self.window.followers;
        let follower =
            followers.iter().find(|f| f.subscripts == access.subscripts && self.window.array == access.array)?;
        Some(self.words[follower.delay as usize - 1].e())
    }
}
