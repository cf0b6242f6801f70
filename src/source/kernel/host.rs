//! Scalars, and the steps by which the host computes some of them.

use serde::{Deserialize, Serialize};

use super::{Expr, ScalarType};
use crate::diagnostic::Span;

/// A scalar that is data, not size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scalar {
    pub name: String,
    pub ty: ScalarType,
    /// `_Bool`: 0 or 1, whatever is written to its register.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub boolean: bool,
    pub span: Span,
}

/// `ty name = value`, computed by the host before a run from sizes and scalar arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostStep {
    pub name: String,
    pub ty: ScalarType,
    pub value: HostValue,
    /// Index into `Kernel::scalars` of the register that takes it; none where only later steps use it.
    pub scalar: Option<usize>,
    pub span: Span,
}

/// What a step computes. `Expr::Scalar` in it counts the scalar arguments, then the steps before; nothing in it reads an
/// array or names an iterator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HostValue {
    Expression(Expr),
    /// A call of a function of <math.h>, whose parameters have the types of the arguments.
    Call {
        function: String,
        arguments: Vec<Expr>,
    },
}

impl HostValue {
    /// The expressions in it, left to right.
    pub fn expressions(&self) -> &[Expr] {
        match self {
            HostValue::Expression(value) => std::slice::from_ref(value),
            HostValue::Call { arguments, .. } => arguments,
        }
    }
}
