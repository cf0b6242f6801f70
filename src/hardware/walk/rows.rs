//! Rows: what a scanner gives and everyone behind it takes. A row is a run of elements that differ in one index.

use crate::hardware::circuit::ranged::Ranged;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::Affine;
use crate::ids::{BandId, ByKind, KindId};
use crate::offload::Leaf;
use crate::rtl::{Expr, Module, Signal, Statement, Type, assign};

/// The shape of a stream of rows.
#[derive(Clone, Debug)]
pub struct RowFormat {
    pub kinds: ByKind<RowKind>,
    /// What does not change along a row: the origins, then the outer levels, outermost first.
    pub outer: Vec<Ranged>,
    /// How many of `outer` are origins: values that follow from the tile alone.
    pub origins: usize,
    /// The innermost level.
    pub inner: Ranged,
    /// Rows say whether they follow on the row before, see [`Row::follows`].
    pub follows: bool,
    /// Some rows that follow begin with another index than the one before.
    pub moves: bool,
    /// Rows say how many follow on them, see [`Row::more`].
    pub more: Option<Type>,
}

/// Rows that are used alike: what they visit, and which array or statement of which band they belong to.
#[derive(Clone, Debug, PartialEq)]
pub struct RowKind {
    /// Index among the sources given to the scanner.
    pub source: usize,
    pub band: BandId,
    /// `Piece::leaf`
    pub leaf: Leaf,
    /// What an element of the row visits, over size parameters, `outer` and `inner`.
    pub point: Vec<Affine>,
    /// `Piece::slacks`, over the same.
    pub slacks: Vec<Affine>,
    /// `Piece::parts`, over the same.
    pub parts: Vec<Affine>,
}

/// One row, as signals or as fields of a packed word.
#[derive(Clone)]
pub struct Row {
    /// No row, but the end of the tile.
    pub end: Expr,
    pub kind: Expr,
    pub outer: Vec<Expr>,
    pub first: Expr,
    pub last: Expr,
    /// In memory the row lies a pitch behind the row before, see [`Layout::pitch`](crate::layout::Layout::pitch), and as far on
    /// from there as its first index from that one's.
    /// Constant 0 where the format does not tell.
    pub follows: Expr,
    /// So many of the rows behind it follow, each on the one before, and have its first and last index; where the format tells
    /// none, a bit of 0. Of the rows of an array in slices all that do are counted, of others none.
    pub more: Expr,
}

impl RowFormat {
    pub fn kind_type(&self) -> Type {
        Type::for_range(0, (self.kinds.len() as i64 - 1).max(1))
    }

    /// Bits of a packed row, which does not tell whether it follows.
    pub fn width(&self) -> u32 {
        let outer: u32 = self.outer.iter().map(|o| o.ty().width).sum();
        let kind = if self.has_kinds() { self.kind_type().width } else { 0 };
        1 + kind + outer + 2 * self.inner.ty().width
    }

    /// Rows differ in kind, so the kind travels with them.
    pub fn has_kinds(&self) -> bool {
        self.kinds.len() > 1
    }

    /// A row that follows none, or the end of a tile, of a kind; with outer values, and its first and last index.
    pub fn row(&self, (end, kind): (Expr, Expr), outer: Vec<Expr>, [first, last]: [Expr; 2]) -> Row {
        let ty = self.inner.ty();
        let (first, last) = (first.resize(ty), last.resize(ty));
        Row { end, kind, outer, first, last, follows: Expr::bit(false), more: Expr::bit(false) }
    }

    /// A kind's number.
    pub fn number(&self, kind: KindId) -> Expr {
        Expr::constant(kind.0 as i128, self.kind_type())
    }

    /// The value of the present `kind`.
    pub fn of_kind(&self, kind: &Expr, value: impl Fn(KindId) -> Expr) -> Expr {
        self.by_kind(kind, self.kinds.keys().map(|k| (k, value(k))))
    }

    /// The value of the present `kind` among `(kind, value)`; at least one, and no other kind occurs.
    pub fn by_kind(&self, kind: &Expr, values: impl IntoIterator<Item = (KindId, Expr)>) -> Expr {
        let is = |k: KindId| kind.eq(&self.number(k));
        let mut alike: Vec<(Vec<Expr>, Expr)> = vec![];
        for (k, value) in values {
            match alike.iter_mut().find(|(_, other)| *other == value) {
                Some((kinds, _)) => kinds.push(is(k)),
                None => alike.push((vec![is(k)], value)),
            }
        }
        // What most kinds have is asked for last.
        let most = (0..alike.len()).max_by_key(|place| alike[*place].0.len()).expect("some kind occurs");
        let (_, last) = alike.remove(most);
        alike.iter().rev().fold(last, |other, (kinds, value)| Expr::any(kinds).select(value, &other))
    }

    pub fn pack(&self, row: &Row) -> Expr {
        let mut parts = vec![row.end.clone()];
        parts.extend(self.has_kinds().then(|| row.kind.clone()));
        parts.extend(row.outer.iter().cloned());
        parts.extend([row.first.clone(), row.last.clone()]);
        Expr::concat(&parts)
    }

    pub fn unpack(&self, m: &mut Module, word: &Signal) -> Row {
        let inner = self.inner.ty().width;
        let mut fields = vec![("end".to_string(), 1)];
        fields.extend(self.has_kinds().then(|| ("kind".to_string(), self.kind_type().width)));
        fields.extend(self.outer.iter().map(|o| (o.name(), o.ty().width)));
        fields.extend(["first", "last"].map(|end| (end.to_string(), inner)));
        m.fields("row", word, fields);
        let mut high = self.width();
        let mut take = |ty: Type| {
            high -= ty.width;
            word.e().slice(high + ty.width - 1, high).resize(ty)
        };
        let end = take(Type::BIT);
        let kind = if self.has_kinds() { take(self.kind_type()) } else { Expr::constant(0, self.kind_type()) };
        let outer = self.outer.iter().map(|o| take(o.ty())).collect();
        let (first, last) = (take(self.inner.ty()), take(self.inner.ty()));
        self.row((end, kind), outer, [first, last])
    }

    /// The scope of one iteration of a row: `context` with the outer registers and the innermost index.
    pub fn scope(&self, context: &Scope, outer: &[Expr], inner: &Expr) -> Scope {
        let mut scope = context.clone();
        for (level, value) in self.outer.iter().zip(outer) {
            scope.bind(&level.variable, value.clone(), level.range);
        }
        scope.bind(&self.inner.variable, inner.clone(), self.inner.range);
        scope
    }
}

/// The payload of a row stream as ports or wires.
pub struct RowPorts {
    pub end: Signal,
    pub kind: Option<Signal>,
    pub outer: Vec<Signal>,
    pub first: Signal,
    pub last: Signal,
    pub follows: Option<Signal>,
    pub more: Option<Signal>,
    names: Vec<String>,
}

impl RowPorts {
    /// Output ports (`output` true) or plain wires with the given prefix.
    pub fn declare(m: &mut Module, format: &RowFormat, prefix: &str, output: bool) -> RowPorts {
        let mut names = vec![];
        let mut make = |name: &str, ty: Type| {
            names.push(name.to_string());
            if output {
                return m.output(&format!("{prefix}{name}"), ty);
            }
            m.wire(&format!("{prefix}{name}"), ty)
        };
        let end = make("end", Type::BIT);
        let kind = format.has_kinds().then(|| make("kind", format.kind_type()));
        let outer = format.outer.iter().map(|o| make(&o.name(), o.ty())).collect();
        let first = make("first", format.inner.ty());
        let last = make("last", format.inner.ty());
        let follows = format.follows.then(|| make("follows", Type::BIT));
        let more = format.more.map(|ty| make("more", ty));
        RowPorts { end, kind, outer, first, last, follows, more, names }
    }

    fn signals(&self) -> Vec<&Signal> {
        let mut all = vec![&self.end];
        all.extend(&self.kind);
        all.extend(&self.outer);
        all.extend([&self.first, &self.last]);
        all.extend(&self.follows);
        all.extend(&self.more);
        all
    }

    /// The row in registers, and what they take.
    pub fn in_registers(&self, m: &mut Module, row: &Row) -> (Row, Vec<Statement>) {
        let mut takes = vec![];
        let mut hold = |name: &str, value: &Expr| {
            if value.as_constant().is_some() {
                return value.clone();
            }
            let register = m.reg(&format!("given_{name}"), value.ty());
            takes.push(assign(&register, value));
            register.e()
        };
        let held = Row {
            end: hold("end", &row.end),
            kind: hold("kind", &row.kind),
            outer: row.outer.iter().map(|value| hold("index", value)).collect(),
            first: hold("first", &row.first),
            last: hold("last", &row.last),
            follows: hold("follows", &row.follows),
            more: hold("more", &row.more),
        };
        (held, takes)
    }

    pub fn drive(&self, m: &mut Module, row: &Row) {
        let mut values = vec![row.end.clone()];
        values.extend(self.kind.is_some().then(|| row.kind.clone()));
        values.extend(row.outer.iter().cloned());
        values.extend([row.first.clone(), row.last.clone()]);
        values.extend(self.follows.is_some().then(|| row.follows.clone()));
        values.extend(self.more.as_ref().map(|more| row.more.resize(more.ty())));
        for (signal, value) in self.signals().into_iter().zip(&values) {
            m.assign(signal, value);
        }
    }

    /// The row as expressions.
    pub fn row(&self, format: &RowFormat) -> Row {
        Row {
            end: self.end.e(),
            kind: self.kind.as_ref().map_or_else(|| Expr::constant(0, format.kind_type()), |k| k.e()),
            outer: self.outer.iter().map(|o| o.e()).collect(),
            first: self.first.e(),
            last: self.last.e(),
            follows: self.follows.as_ref().map_or(Expr::bit(false), |f| f.e()),
            more: self.more.as_ref().map_or(Expr::bit(false), |more| more.e()),
        }
    }

    /// Port name and wire of every field, to connect an instance of a scanner.
    pub fn connections(&self) -> impl Iterator<Item = (String, Signal)> + '_ {
        self.names.iter().map(|n| format!("m_row_{n}")).zip(self.signals().into_iter().cloned())
    }
}
