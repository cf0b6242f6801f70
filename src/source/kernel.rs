//! The kernel as written: what the parser hands to the polyhedral model. Affine expressions name iterators and size
//! parameters; everything else in the statements is a typed expression tree with C's conversions made explicit.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::affine::Affine;
use crate::diagnostic::Span;

/// A C integer type: `int32_t` is `{ bits: 32, signed: true }`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IntType {
    pub bits: u32,
    pub signed: bool,
}

impl IntType {
    pub const I32: IntType = IntType { bits: 32, signed: true };

    pub fn bytes(self) -> u32 {
        self.bits / 8
    }
}

/// Prints the `<stdint.h>` name.
impl fmt::Display for IntType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The C function's name.
    pub name: String,
    /// The arguments in the order of the C prototype.
    pub arguments: Vec<Argument>,
    /// Integer arguments that bounds and extents use.
    pub parameters: Vec<SizeParameter>,
    /// The other scalar arguments.
    pub scalars: Vec<Scalar>,
    pub arrays: Vec<Array>,
    pub body: Vec<Node>,
    pub tiling: Option<TilingDirective>,
}

impl Kernel {
    /// The statements in textual order.
    pub fn statements(&self) -> Vec<&Statement> {
        fn collect<'a>(nodes: &'a [Node], found: &mut Vec<&'a Statement>) {
            for node in nodes {
                match node {
                    Node::Loop(inner) => collect(&inner.body, found),
                    Node::Statement(statement) => found.push(statement),
                }
            }
        }
        let mut found = vec![];
        collect(&self.body, &mut found);
        found
    }

    /// Copies of the local buffer of `array` that serve all read references of an iteration at once, at least 1.
    pub fn buffer_copies(&self, array: usize) -> usize {
        let of = |statement: &&Statement| statement.references().iter().filter(|r| r.array == array).count();
        self.statements().iter().map(of).max().unwrap_or(0).max(1)
    }
}

/// One argument of the C function: an index into `parameters`, `scalars` or `arrays`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    Parameter(usize),
    Scalar(usize),
    Array(usize),
}

/// A size: a register of the hardware. Its value is never negative.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeParameter {
    pub name: String,
    pub ty: IntType,
    /// Value of a run where `--set` gives none.
    pub default: Option<i64>,
    /// Largest value the hardware is built for (inclusive); `None` until a directive or the command line says.
    pub max: Option<i64>,
    pub span: Span,
}

/// A scalar argument that is data, not size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scalar {
    pub name: String,
    pub ty: IntType,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Array {
    pub name: String,
    pub element: IntType,
    /// Extents over the size parameters, outermost first; row-major.
    pub extents: Vec<Affine>,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Node {
    Loop(Loop),
    Statement(Statement),
}

/// `for (iterator = max(lower); iterator <= min(upper); iterator++)`. Bounds are inclusive and name enclosing
/// iterators and size parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loop {
    pub iterator: String,
    pub ty: IntType,
    pub lower: Vec<Affine>,
    pub upper: Vec<Affine>,
    pub body: Vec<Node>,
    pub span: Span,
}

/// `target = value`; a compound assignment reads its target inside `value`. Named S0, S1, … in textual order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statement {
    pub name: String,
    pub target: Access,
    /// Already converted to the target's element type.
    pub value: Expr,
    /// The statement's C text on one line, for comments.
    pub text: String,
    pub span: Span,
}

impl Statement {
    /// Distinct array references that the value reads, in textual order.
    pub fn references(&self) -> Vec<&Access> {
        let mut distinct: Vec<&Access> = vec![];
        for access in self.value.reads() {
            if distinct.iter().all(|d| (d.array, &d.subscripts) != (access.array, &access.subscripts)) {
                distinct.push(access);
            }
        }
        distinct
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Index into `Kernel::arrays`.
    pub array: usize,
    pub subscripts: Vec<Affine>,
    pub span: Span,
}

/// A typed expression. Operands of an operator have been converted (C11 6.3.1): both sides of `+` have the type of
/// the node, both sides of a comparison have one common type and the node is `int`, shifts have the left side's
/// promoted type. Signed overflow wraps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    Constant {
        value: i64,
        ty: IntType,
    },
    Read {
        access: Access,
        ty: IntType,
    },
    /// Index into `Kernel::scalars`.
    Scalar {
        scalar: usize,
        ty: IntType,
    },
    /// An affine combination of iterators and size parameters used as data.
    Index {
        value: Affine,
        ty: IntType,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        ty: IntType,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        ty: IntType,
    },
    Select {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
        ty: IntType,
    },
    /// Conversion to `ty`: truncation, sign or zero extension by the operand's signedness.
    Cast {
        operand: Box<Expr>,
        ty: IntType,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    Negate,
    /// `~`
    Complement,
    /// `!`, result 0 or 1 of type `int`
    Not,
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
    pub fn ty(&self) -> IntType {
        match self {
            Expr::Constant { ty, .. }
            | Expr::Read { ty, .. }
            | Expr::Scalar { ty, .. }
            | Expr::Index { ty, .. }
            | Expr::Unary { ty, .. }
            | Expr::Binary { ty, .. }
            | Expr::Select { ty, .. }
            | Expr::Cast { ty, .. } => *ty,
        }
    }

    /// The operands, left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => vec![],
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
        }
    }

    /// Every array read in the expression, left to right.
    pub fn reads(&self) -> Vec<&Access> {
        match self {
            Expr::Read { access, .. } => vec![access],
            _ => self.operands().into_iter().flat_map(Expr::reads).collect(),
        }
    }
}

/// The affine θ and tile sizes of the user. `tile(i:32, j:32)` is θ = (i, j).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TilingDirective {
    /// θ over the iterators and size parameters, one expression per tile dimension; the last is the strip's.
    pub theta: Vec<Affine>,
    /// Tile size per dimension of θ, in iterations, at least 1.
    pub sizes: Vec<i64>,
    pub span: Span,
}
