//! Names with the intervals of their values, and the types that follow.

use crate::rtl::Type;
use crate::source::kernel::ScalarType;

/// A name with the closed interval of its value; its signal's type follows from the interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranged {
    pub name: String,
    pub range: (i64, i64),
}

impl Ranged {
    pub fn new(name: impl Into<String>, range: (i64, i64)) -> Self {
        Ranged { name: name.into(), range }
    }

    pub fn ty(&self) -> Type {
        Type::for_range(self.range.0, self.range.1)
    }
}

pub fn rtl_type(ty: ScalarType) -> Type {
    Type { width: ty.bits, signed: ty.signed }
}
