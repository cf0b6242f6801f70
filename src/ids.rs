//! Indices that know what they number, and vectors that are indexed by them alone: a band's number is no array's.

use std::fmt;

use serde::{Deserialize, Serialize};
use typed_index_collections::TiVec;

macro_rules! id {
    ($(#[$doc:meta])* $id:ident, $vector:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $id(pub usize);

        impl From<usize> for $id {
            fn from(index: usize) -> Self {
                $id(index)
            }
        }

        impl From<$id> for usize {
            fn from(id: $id) -> Self {
                id.0
            }
        }

        /// The number alone.
        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        #[doc = concat!("One entry per [`", stringify!($id), "`].")]
        pub type $vector<T> = TiVec<$id, T>;
    };
}

id! {
    /// Index into [`Offload::bands`](crate::offload::Offload::bands): bands in the order in which they run.
    BandId, ByBand
}

id! {
    /// Index into [`Kernel::arrays`](crate::source::kernel::Kernel::arrays): the arguments' arrays, then the local ones.
    ArrayId, ByArray
}

id! {
    /// A kind of rows, of those that one scanner gives.
    KindId, ByKind
}

id! {
    /// Index into [`Kernel::statements`](crate::source::kernel::Kernel::statements), and into
    /// [`Program::statements`](crate::polyhedral::Program::statements): statements in textual order.
    StatementId, ByStatement
}
