//! Values that are computed and then handed on by copies get an array of their own. In
//!
//! ```c
//! window[2][2] = f(in[y][x]); lines[0][x] = lines[1][x]; lines[1][x] = f(in[y][x]);
//! ```
//!
//! `lines_value[y][x] = f(in[y][x])` stands in front, once, and the other statements copy it. Then all that the lines and the window
//! hold are copies, which are read where they come from ([`super::copies`]): the new array has a cell per iteration, and the mapping of
//! the buffers folds what no longer lives. It is array expansion (Feautrier 1988) of the values alone, not of the arrays that move
//! them. What is computed from the values that it goes into, as in a recursive filter, stays as it is.

use std::collections::BTreeSet;

use super::expand::{is_taken, place};
use crate::affine::{Affine, fresh};
use crate::ids::ArrayId;
use crate::offload::is_by_data;
use crate::source::kernel::{Access, Expr, Kernel, Loop, Node, Statement, Storage};
use crate::source::wires::number_statements;

/// A kernel whose computed values have arrays of their own, and the names of those that only copies write now.
pub(super) struct Computed {
    pub kernel: Kernel,
    pub copied: Vec<String>,
}

/// The kernel so; `None` where nothing that is computed is handed on from copy to copy. `copied` tells a copy's value, and where it is
/// read.
pub(super) fn computed_apart(kernel: &Kernel, copied: impl Fn(&Expr) -> Option<Option<&Access>>) -> Option<Computed> {
    let all = kernel.statements();
    let sources = |array: ArrayId| -> BTreeSet<ArrayId> {
        let writers = all.iter().filter(move |statement| statement.target.array == array);
        writers.flat_map(|statement| read(&statement.value)).collect()
    };
    let comes_from = |array: ArrayId, from: &BTreeSet<ArrayId>| {
        let (mut seen, mut open) = (from.clone(), Vec::from_iter(from.iter().copied()));
        while let Some(next) = open.pop() {
            open.extend(sources(next).into_iter().filter(|source| seen.insert(*source)));
        }
        seen.contains(&array)
    };
    let is_moved = |array: ArrayId| {
        let own = &kernel.arrays[array];
        let mut writers = all.iter().filter(|statement| statement.writes_to(array));
        matches!(own.storage, Storage::Local { .. })
            && !is_by_data(kernel, array)
            && writers.all(|Statement { value, also, .. }| {
                also.is_empty() && (copied(value).is_some() || !comes_from(array, &read(value)))
            })
    };
    let mut moved: BTreeSet<ArrayId> = kernel.arrays.keys().filter(|array| is_moved(*array)).collect();
    let is_handed_on = |statement: &Statement| {
        let from = copied(&statement.value).flatten();
        moved.contains(&statement.target.array) && from.is_some_and(|from| moved.contains(&from.array))
    };
    if !all.iter().any(|statement| is_handed_on(statement)) {
        return None;
    }
    let is_computed = |statement: &&&Statement| copied(&statement.value).is_none();
    let computed: BTreeSet<ArrayId> = all.iter().filter(is_computed).map(|statement| statement.target.array).collect();
    moved.retain(|array| computed.contains(array));
    if moved.is_empty() {
        return None;
    }
    let mut changed = kernel.clone();
    let mut body = std::mem::take(&mut changed.body);
    let declared = moved.iter().filter_map(|array| match &kernel.arrays[*array].storage {
        Storage::Local { declared_in, .. } => Some(declared_in.len()),
        Storage::Argument => None,
    });
    let outside = declared.min().unwrap_or(0);
    let mut apart = Apart { kernel: &mut changed, moved: &moved, outside, copied, is_placed: true };
    apart.nodes(&mut body, &[]);
    if !apart.is_placed {
        return None;
    }
    number_statements(&mut body);
    changed.body = body;
    Some(Computed { kernel: changed, copied: moved.iter().map(|array| kernel.arrays[*array].name.clone()).collect() })
}

/// The arrays that a value reads.
fn read(value: &Expr) -> BTreeSet<ArrayId> {
    let gathered = value.gathers().into_iter().map(|gather| gather.array);
    value.reads().into_iter().map(|access| access.array).chain(gathered).collect()
}

struct Apart<'a, C> {
    kernel: &'a mut Kernel,
    moved: &'a BTreeSet<ArrayId>,
    /// Loops around all of them.
    outside: usize,
    copied: C,
    is_placed: bool,
}

/// A value that stands in an array of its own.
struct Own {
    value: Expr,
    access: Access,
}

impl<C: Fn(&Expr) -> Option<Option<&Access>>> Apart<'_, C> {
    fn nodes(&mut self, nodes: &mut Vec<Node>, outer: &[&Loop]) {
        // Of these nodes, as far as nothing has written what they are computed from.
        let mut known: Vec<Own> = vec![];
        let mut place = 0;
        while place < nodes.len() {
            match &mut nodes[place] {
                Node::Loop(inner) => {
                    let head = Loop { body: vec![], ..inner.clone() };
                    let mut body = std::mem::take(&mut inner.body);
                    self.nodes(&mut body, &[outer, &[&head]].concat());
                    inner.body = body;
                }
                Node::If(inner) => self.nodes(&mut inner.body, outer),
                Node::Statement(statement) => {
                    if self.moved.contains(&statement.target.array) && (self.copied)(&statement.value).is_none() {
                        let ty = statement.value.ty();
                        let is_it = |own: &&Own| own.value.is_same(&statement.value);
                        let (access, new) = match known.iter().find(is_it) {
                            Some(own) => (own.access.clone(), None),
                            None => {
                                let Some(access) = self.declare(statement, outer) else {
                                    self.is_placed = false;
                                    return;
                                };
                                let text = format!("{} = {}", self.kernel.arrays[access.array].name, right(statement));
                                let new = Statement { target: access.clone(), text, ..statement.clone() };
                                known.push(Own { value: statement.value.clone(), access: access.clone() });
                                (access, Some(new))
                            }
                        };
                        statement.value = Expr::Read { access, ty };
                        if let Some(new) = new {
                            nodes.insert(place, Node::Statement(new));
                            place += 1;
                        }
                    }
                }
            }
            let written = written(&nodes[place]);
            known.retain(|own| read(&own.value).is_disjoint(&written));
            place += 1;
        }
    }

    /// An array with a cell for every iteration of the loops around a statement, but for those around all that is moved: every iteration
    /// of them has one for itself. `None` where a loop has no bounds over the sizes.
    fn declare(&mut self, statement: &Statement, outer: &[&Loop]) -> Option<Access> {
        let target = &self.kernel.arrays[statement.target.array];
        let Storage::Local { declared_in, .. } = &target.storage else { return None };
        let places = (self.outside..outer.len()).map(|own| place(self.kernel, &outer[..own], outer[own]));
        let (subscripts, extents): (Vec<Affine>, Vec<Affine>) = places.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let name = fresh(format!("{}_value", target.name), |name| is_taken(self.kernel, name));
        let declaration = target.local(name, extents, declared_in[..self.outside].to_vec());
        let array = self.kernel.arrays.push_and_get_key(declaration);
        Some(Access { array, subscripts, guard: None, ..statement.target.clone() })
    }
}

/// What a statement's text assigns.
fn right(statement: &Statement) -> &str {
    statement.text.split_once(" = ").map_or(&statement.text, |(_, right)| right)
}

/// The arrays that are written below a node.
fn written(node: &Node) -> BTreeSet<ArrayId> {
    match node {
        Node::Loop(inner) => inner.body.iter().flat_map(written).collect(),
        Node::If(inner) => inner.body.iter().flat_map(written).collect(),
        Node::Statement(statement) => BTreeSet::from([statement.target.array]),
    }
}
