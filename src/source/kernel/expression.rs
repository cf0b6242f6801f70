//! Typed expressions with C's conversions made explicit, and the accesses in them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Condition, Table, table};
use crate::affine::Affine;
use crate::diagnostic::Span;
use crate::ids::ArrayId;

/// A C arithmetic type: `int32_t` is `{ bits: 32, signed: true }`, `float` `{ bits: 32, floating: true }`. Values of
/// `float` and `double` are kept as the bits of their IEEE 754 encoding, which count as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScalarType {
    pub bits: u32,
    pub signed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floating: bool,
}

impl ScalarType {
    pub const I32: ScalarType = ScalarType::integer(32, true);
    pub const FLOAT: ScalarType = ScalarType { bits: 32, signed: false, floating: true };
    /// No type has more bits.
    pub const WIDEST: ScalarType = ScalarType::integer(64, false);
    pub const DOUBLE: ScalarType = ScalarType { bits: 64, signed: false, floating: true };

    pub const fn integer(bits: u32, signed: bool) -> ScalarType {
        ScalarType { bits, signed, floating: false }
    }

    pub fn bytes(self) -> u32 {
        self.bits / 8
    }

    /// The smallest and the largest value of an integer type that the analysis counts on. Of 64 bits it uses 63: sums
    /// of few such numbers are exact in `i64`.
    pub fn limits(self) -> (i64, i64) {
        let most = 1i64 << self.bits.min(63).saturating_sub(u32::from(self.signed || self.bits == 64));
        if self.signed { (-most, most - 1) } else { (0, most - 1) }
    }
}

/// Prints the `<stdint.h>` name, or C's keyword.
impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.floating {
            return f.write_str(if self.bits == 32 { "float" } else { "double" });
        }
        write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits)
    }
}

/// A typed expression. Operands of an operator have been converted (C11 6.3.1): both sides of `+` have the type of
/// the node, both sides of a comparison have one common type and the node is `int`, shifts have the left side's
/// promoted type. Signed overflow wraps. Conditions and the operands of `!`, `&&` and `||` are integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// Of a floating-point type, the bits of its encoding.
    Constant {
        value: i64,
        ty: ScalarType,
    },
    Read {
        access: Access,
        ty: ScalarType,
    },
    /// Index into `Kernel::scalars`; in a [`HostStep`](super::HostStep) as told there.
    Scalar {
        scalar: usize,
        ty: ScalarType,
    },
    /// An affine combination of iterators and size parameters used as data.
    Index {
        value: Affine,
        ty: ScalarType,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        ty: ScalarType,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        ty: ScalarType,
    },
    Select {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
        ty: ScalarType,
    },
    /// Conversion to `ty`: truncation, sign or zero extension by the operand's signedness; of floating-point numbers as
    /// C has it.
    Cast {
        operand: Box<Expr>,
        ty: ScalarType,
    },
    /// An element of a table of constants, by its place among all of them: an integer. Elsewhere it is 0.
    Lookup {
        #[serde(with = "table")]
        table: Arc<Table>,
        index: Box<Expr>,
    },
    /// An element at subscripts that only the data tell, of an array that no statement writes but those that write the very
    /// same element, see [`Expr::Scatter`].
    Gather {
        gather: Gather,
        ty: ScalarType,
    },
    /// At the root of a statement's value only: `value` is written at subscripts that only the data tell, and only where
    /// `only_if` is not 0. The subscripts of the statement's target are 0 then, and say nothing.
    Scatter {
        place: Gather,
        only_if: Option<Box<Expr>>,
        value: Box<Expr>,
    },
    /// At the root of a write's value only, of an array that is [masked](super::Array::masked): where `only_if` is 0, the cell
    /// keeps what memory has.
    Masked {
        only_if: Box<Expr>,
        value: Box<Expr>,
    },
}

/// Where a [`Expr::Gather`] reads, or an [`Expr::Scatter`] writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gather {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// Integers; an affine one is an [`Expr::Index`] or a constant.
    pub subscripts: Vec<Expr>,
    pub span: Span,
}

impl Gather {
    /// Whether both read one element wherever they stand in a statement.
    pub fn is_same(&self, other: &Gather) -> bool {
        let subscripts = self.subscripts.iter().zip(&other.subscripts);
        self.array == other.array && subscripts.into_iter().all(|(a, b)| a.is_same(b))
    }

    /// A closed interval that holds every value of a subscript.
    pub fn limits(&self, subscript: usize) -> (i64, i64) {
        limits(&self.subscripts[subscript])
    }

    /// A subscript that does not depend on data.
    pub fn known(&self, subscript: usize) -> Option<Affine> {
        match &self.subscripts[subscript] {
            Expr::Index { value, .. } => Some(value.clone()),
            Expr::Constant { value, .. } => Some(Affine::constant(*value)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    Negate,
    /// `~`
    Complement,
    /// `!`, result 0 or 1 of type `int`
    Not,
    /// `fabs`, of floating-point numbers
    Absolute,
    /// `sqrt`, of floating-point numbers
    SquareRoot,
    /// Of 0 or 1 the same; 1 is an error that data make, which the status word tells.
    OutOfRange,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// Arithmetic where the left side is signed.
    ShiftRight,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    /// `&&` and `||` on operands without side effects; result 0 or 1 of type `int`.
    LogicalAnd,
    LogicalOr,
}

impl Expr {
    pub fn ty(&self) -> ScalarType {
        match self {
            Expr::Constant { ty, .. }
            | Expr::Read { ty, .. }
            | Expr::Scalar { ty, .. }
            | Expr::Index { ty, .. }
            | Expr::Unary { ty, .. }
            | Expr::Binary { ty, .. }
            | Expr::Select { ty, .. }
            | Expr::Cast { ty, .. }
            | Expr::Gather { ty, .. } => *ty,
            Expr::Lookup { table, .. } => table.element,
            Expr::Scatter { value, .. } | Expr::Masked { value, .. } => value.ty(),
        }
    }

    /// Whether both are equal but for their places in the text.
    pub fn is_same(&self, other: &Expr) -> bool {
        let heads = match (self, other) {
            (Expr::Read { access: a, .. }, Expr::Read { access: b, .. }) => {
                (a.array, &a.subscripts) == (b.array, &b.subscripts)
            }
            (Expr::Unary { op: a, .. }, Expr::Unary { op: b, .. }) => a == b,
            (Expr::Binary { op: a, .. }, Expr::Binary { op: b, .. }) => a == b,
            (Expr::Select { .. }, Expr::Select { .. })
            | (Expr::Cast { .. }, Expr::Cast { .. })
            | (Expr::Masked { .. }, Expr::Masked { .. }) => true,
            (Expr::Lookup { table: a, .. }, Expr::Lookup { table: b, .. }) => a == b,
            (Expr::Gather { gather: a, .. }, Expr::Gather { gather: b, .. })
            | (Expr::Scatter { place: a, .. }, Expr::Scatter { place: b, .. }) => a.array == b.array,
            _ => self == other,
        };
        let (a, b) = (self.operands(), other.operands());
        heads && self.ty() == other.ty() && a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_same(b))
    }

    /// The operands, left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => vec![],
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
            Expr::Lookup { index, .. } => vec![index],
            Expr::Gather { gather, .. } => gather.subscripts.iter().collect(),
            Expr::Scatter { place, only_if, value } => {
                let others = only_if.as_deref().into_iter().chain([&**value]);
                place.subscripts.iter().chain(others).collect()
            }
            Expr::Masked { only_if, value } => vec![only_if, value],
        }
    }

    /// Puts values in place of names, wherever iterators and sizes stand.
    pub fn substitute_indices(&mut self, value: &impl Fn(&str) -> Affine) {
        match self {
            Expr::Index { value: index, .. } => *index = index.substitute(value),
            Expr::Read { access, .. } => access.substitute(value),
            _ => {}
        }
        self.operands_mut().into_iter().for_each(|operand| operand.substitute_indices(value));
    }

    /// The operands, left to right, to change.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => vec![],
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
            Expr::Lookup { index, .. } => vec![index],
            Expr::Gather { gather, .. } => gather.subscripts.iter_mut().collect(),
            Expr::Scatter { place, only_if, value } => {
                let others = only_if.as_deref_mut().into_iter().chain([&mut **value]);
                place.subscripts.iter_mut().chain(others).collect()
            }
            Expr::Masked { only_if, value } => vec![only_if, value],
        }
    }

    /// The affine values used as data, left to right.
    pub fn indices(&self) -> Vec<&Affine> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Index { value, .. } = expr {
                found.push(value);
            }
        });
        found
    }

    /// The tables in the expression, once for each read.
    pub fn tables(&self) -> Vec<&Arc<Table>> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Lookup { table, .. } = expr {
                found.push(table);
            }
        });
        found
    }

    /// The reads at subscripts that depend on data, left to right.
    pub fn gathers(&self) -> Vec<&Gather> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Gather { gather, .. } = expr {
                found.push(gather);
            }
        });
        found
    }

    /// The comparisons of integers by order, left to right.
    pub fn comparisons(&self) -> Vec<&Expr> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Binary { op: BinaryOp::Less | BinaryOp::LessEqual, left, .. } = expr
                && !left.ty().floating
            {
                found.push(expr);
            }
        });
        found
    }

    /// The arguments in the expression that are no sizes, left to right.
    pub fn scalars(&self) -> Vec<usize> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Scalar { scalar, .. } = expr {
                found.push(*scalar);
            }
        });
        found
    }

    /// What is an error where it is not 0, left to right.
    pub fn told(&self) -> Vec<&Expr> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Unary { op: UnaryOp::OutOfRange, operand, .. } = expr {
                found.push(&**operand);
            }
        });
        found
    }

    /// Every array read in the expression at subscripts that are known without the data, left to right.
    pub fn reads(&self) -> Vec<&Access> {
        let mut found = vec![];
        self.visit(&mut |expr| {
            if let Expr::Read { access, .. } = expr {
                found.push(access);
            }
        });
        found
    }

    /// The arrays that are read, at subscripts that are known without the data and behind those at others.
    pub fn arrays(&self) -> impl Iterator<Item = ArrayId> + use<> {
        let mut found: Vec<ArrayId> = self.reads().into_iter().map(|access| access.array).collect();
        found.extend(self.gathers().into_iter().map(|gather| gather.array));
        found.into_iter()
    }

    /// The expression itself, and every operand of an operand, left to right, in time that does not depend on how deep
    /// they are.
    pub fn visit<'e>(&'e self, act: &mut impl FnMut(&'e Expr)) {
        act(self);
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => {}
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => operand.visit(act),
            Expr::Binary { left, right, .. } => {
                left.visit(act);
                right.visit(act);
            }
            Expr::Select { condition, then, otherwise, .. } => {
                condition.visit(act);
                then.visit(act);
                otherwise.visit(act);
            }
            Expr::Lookup { index, .. } => index.visit(act),
            Expr::Gather { gather, .. } => gather.subscripts.iter().for_each(|subscript| subscript.visit(act)),
            Expr::Scatter { .. } | Expr::Masked { .. } => {
                self.operands().into_iter().for_each(|operand| operand.visit(act));
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    pub subscripts: Vec<Affine>,
    /// A read inside `?:`, `&&` or `||` happens where this holds: elsewhere there may be no such element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Condition>,
    pub span: Span,
}

/// A closed interval that holds every value of an integer: its type's, that of what it was before it was widened, or
/// what a mask or a remainder leaves.
fn limits(expr: &Expr) -> (i64, i64) {
    let own = expr.ty().limits();
    let within = |(low, high): (i64, i64)| (own.0 <= low && high <= own.1).then_some((low, high));
    let found = match expr {
        Expr::Constant { value, .. } => within((*value, *value)),
        Expr::Cast { operand, .. } if !operand.ty().floating => within(limits(operand)),
        Expr::Binary { op: BinaryOp::And, left, right, .. } => {
            let masks = [left, right].into_iter().filter_map(|side| match **side {
                Expr::Constant { value, .. } if value >= 0 => Some(value),
                _ => None,
            });
            masks.min().map(|mask| (0, mask))
        }
        Expr::Binary { op: BinaryOp::Remainder, left, right, .. } => match **right {
            Expr::Constant { value, .. } if value > 0 => {
                let most = value - 1;
                Some(if limits(left).0 >= 0 { (0, most) } else { (-most, most) })
            }
            _ => None,
        },
        Expr::Select { then, otherwise, .. } => {
            let (a, b) = (limits(then), limits(otherwise));
            within((a.0.min(b.0), a.1.max(b.1)))
        }
        _ => None,
    };
    found.unwrap_or(own)
}

impl Access {
    /// Puts values in place of names.
    pub fn substitute(&mut self, value: &impl Fn(&str) -> Affine) {
        self.subscripts.iter_mut().for_each(|subscript| *subscript = subscript.substitute(value));
        if let Some(guard) = &mut self.guard {
            guard.substitute(value);
        }
    }
}

/// `a - b` of two references to an array, where it is constant.
pub fn distance(a: &[Affine], b: &[Affine]) -> Option<Vec<i64>> {
    let differences = a.iter().zip(b).map(|(a, b)| a.clone() - b.clone());
    differences.map(|d| d.is_constant().then_some(d.constant)).collect()
}
