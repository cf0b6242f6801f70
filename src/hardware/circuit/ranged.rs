//! Variables with the intervals of their values, and the types that follow.

use crate::hardware::circuit::variable::Var;
use crate::rtl::Type;
use crate::source::kernel::ScalarType;

/// A variable with the closed interval of its value; its signal's type follows from the interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranged {
    pub variable: Var,
    pub range: (i64, i64),
}

impl Ranged {
    pub fn new(variable: Var, range: (i64, i64)) -> Self {
        Ranged { variable, range }
    }

    /// What signals for it are called.
    pub fn name(&self) -> String {
        self.variable.signal()
    }

    pub fn ty(&self) -> Type {
        Type::for_range(self.range.0, self.range.1)
    }
}

pub fn rtl_type(ty: ScalarType) -> Type {
    Type { width: ty.bits, signed: ty.signed }
}
