//! Tables of constants that statements read: memories with contents beside the datapath, which nobody loads.

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ScalarType;

/// An array that never changes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Table {
    /// No other table of the kernel has it, in letters of any case.
    pub name: String,
    pub element: ScalarType,
    /// Row-major, as [`Expr::Constant`](super::Expr::Constant) has them; at least 2.
    pub values: Vec<i64>,
}

impl Table {
    /// The value at a place; 0 where there is no such place.
    pub fn at(&self, index: i64) -> i64 {
        usize::try_from(index).ok().and_then(|index| self.values.get(index)).copied().unwrap_or(0)
    }

    /// Bits of all values.
    pub fn bits(&self) -> u64 {
        self.values.len() as u64 * u64::from(self.element.bits)
    }
}

pub fn serialize<S: Serializer>(table: &Arc<Table>, serializer: S) -> Result<S::Ok, S::Error> {
    Table::serialize(table, serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<Table>, D::Error> {
    Table::deserialize(deserializer).map(Arc::new)
}
