//! Arrays.

use serde::{Deserialize, Serialize};

use super::ScalarType;
use crate::affine::Affine;
use crate::diagnostic::Span;
use crate::ids::ArrayId;
use crate::layout::{Layout, Order, Slant};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Array {
    pub name: String,
    pub element: ScalarType,
    /// Elements are `_Bool`: 0 or 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub boolean: bool,
    /// Extents over the size parameters, in the order of the subscripts. A local scalar has none.
    pub extents: Vec<Affine>,
    /// How its cells lie in the accelerator's memory.
    #[serde(default)]
    pub order: Order,
    /// How the last subscript counts where that is not as C's does; its extent is that of what it counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slant: Option<Slant>,
    /// Where `#pragma burstc layout(a: tiles)` asks for an order by tiles, which the analysis chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_tiles: Option<Span>,
    #[serde(default)]
    pub storage: Storage,
    /// An argument of which the caller does not read what is left: `#pragma burstc scratch(a)`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub scratch: bool,
    /// Its words on chip have a bit more, which tells whether the data had an iteration write them; memory keeps the others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
    /// The smallest and the largest value that random data have: `#pragma burstc range(a: 0..9)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(i64, i64)>,
    /// The argument of which this is another use, with a buffer of its own: the same memory, and no band of tiles that
    /// writes has both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub use_of: Option<ArrayId>,
    /// C has its rows in one dimension, where what leaves a row is in another.
    #[serde(skip)]
    pub in_one: bool,
    /// `static` of a local array, which C keeps from call to call: whatever is read of it is to be written in the same call before.
    #[serde(skip)]
    pub lasting: Option<Span>,
    /// The last two extents in C, where one dimension has both ([`interleaved`](crate::polyhedral::interleaved)).
    #[serde(skip)]
    pub apart_in_c: Option<[Affine; 2]>,
    /// How many elements of the row behind each that is accessed are moved along with it, inside the array
    /// ([`filled`](crate::polyhedral::filled)).
    #[serde(skip)]
    pub takes_along: i64,
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// An argument: memory of the caller.
    #[default]
    Argument,
    /// A local array or scalar: nobody sees it outside. `declared_in` names the iterators of the loops around its
    /// declaration, outermost first; every iteration of them has an instance of its own. The first `expanded`
    /// dimensions came from the analysis: in the order of the source, all instances along them may share one place.
    /// `transferred` is set where the accelerator keeps it in memory between tiles: then every instance has a place.
    Local {
        declared_in: Vec<String>,
        #[serde(default)]
        expanded: usize,
        #[serde(default)]
        transferred: bool,
    },
}

impl Array {
    /// An array in rows as C has it, of which nothing else is said.
    pub fn new(name: String, element: ScalarType, extents: Vec<Affine>, storage: Storage, span: Span) -> Array {
        Array {
            name,
            element,
            boolean: false,
            extents,
            order: Default::default(),
            slant: None,
            by_tiles: None,
            storage,
            scratch: false,
            masked: false,
            range: None,
            use_of: None,
            in_one: false,
            lasting: None,
            apart_in_c: None,
            takes_along: 0,
            span,
        }
    }

    /// A local array of the same elements, which every iteration of the loops `declared_in` has for itself.
    pub fn local(&self, name: String, extents: Vec<Affine>, declared_in: Vec<String>) -> Array {
        let storage = Storage::Local { declared_in, expanded: 0, transferred: false };
        Array { boolean: self.boolean, ..Array::new(name, self.element, extents, storage, self.span) }
    }

    /// The extents as C has them.
    pub fn extents_in_c(&self) -> Vec<Affine> {
        let mut extents: Vec<Affine> = self.layout().in_c().digits.into_iter().map(|digit| digit.radix).collect();
        if let Some(apart) = &self.apart_in_c {
            extents.pop();
            extents.extend(apart.iter().cloned());
        }
        extents
    }

    /// Bits of an element on chip.
    pub fn word_bits(&self) -> u32 {
        self.element.bits + u32::from(self.masked)
    }

    /// The leading dimensions that came from the analysis, of which the order of the source needs one instance.
    pub fn expanded(&self) -> usize {
        match self.storage {
            Storage::Argument => 0,
            Storage::Local { expanded, .. } => expanded,
        }
    }

    /// Where its cells lie in memory.
    pub fn layout(&self) -> Layout {
        match self.storage {
            Storage::Local { transferred: false, .. } => self.layout_of_an_instance(),
            _ => self.layout_from(0),
        }
    }

    /// The same where all instances, which come one after the other, use one place: the order of the source needs no more.
    pub fn layout_of_an_instance(&self) -> Layout {
        self.layout_from(self.expanded())
    }

    fn layout_from(&self, first: usize) -> Layout {
        let mut extents = self.extents[first..].to_vec();
        if let (Some(slant), Some(last)) = (&self.slant, extents.last_mut()) {
            *last = last.clone() - slant.reach.clone();
        }
        Layout { slant: self.slant.clone(), ..Layout::new(self.order, self.element.bytes(), first, &extents) }
    }
}
