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

use super::copies::copied;
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

/// The kernel so; `None` where nothing that is computed is handed on from copy to copy, and where a loop around it has no bounds over
/// the sizes.
pub(super) fn computed_apart(kernel: &Kernel) -> Option<Computed> {
    let all = kernel.statements();
    let sources = |array: ArrayId| -> BTreeSet<ArrayId> {
        let writers = all.iter().filter(move |statement| statement.target.array == array);
        writers.flat_map(|statement| statement.value.arrays()).collect()
    };
    let comes_from = |array: ArrayId, value: &Expr| {
        let mut seen: BTreeSet<ArrayId> = value.arrays().collect();
        let mut open = Vec::from_iter(seen.iter().copied());
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
                also.is_empty() && (copied(value).is_some() || !comes_from(array, value))
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
    Apart { kernel: &mut changed, moved: &moved, outside }.nodes(&mut body, &[])?;
    number_statements(&mut body);
    changed.body = body;
    Some(Computed { kernel: changed, copied: moved.iter().map(|array| kernel.arrays[*array].name.clone()).collect() })
}

struct Apart<'a> {
    kernel: &'a mut Kernel,
    moved: &'a BTreeSet<ArrayId>,
    /// Loops around all of them.
    outside: usize,
}

/// A value that stands in an array of its own.
struct Own {
    value: Expr,
    access: Access,
}

impl Apart<'_> {
    /// Does so in all of them; `None` where a value has no array.
    fn nodes(&mut self, nodes: &mut Vec<Node>, outer: &[&Loop]) -> Option<()> {
        // Of these nodes, as far as nothing has written what they are computed from.
        let mut known: Vec<Own> = vec![];
        for mut node in std::mem::take(nodes) {
            match &mut node {
                Node::Loop(inner) => {
                    let head = Loop { body: vec![], ..inner.clone() };
                    self.nodes(&mut inner.body, &[outer, &[&head]].concat())?;
                }
                Node::If(inner) => self.nodes(&mut inner.body, outer)?,
                Node::Statement(statement) => {
                    if self.moved.contains(&statement.target.array) && copied(&statement.value).is_none() {
                        let is_it = |own: &Own| own.value.is_same(&statement.value);
                        let place = match known.iter().position(is_it) {
                            Some(place) => place,
                            None => {
                                let (own, new) = self.own(statement, outer)?;
                                nodes.push(Node::Statement(new));
                                known.push(own);
                                known.len() - 1
                            }
                        };
                        let ty = statement.value.ty();
                        statement.value = Expr::Read { access: known[place].access.clone(), ty };
                    }
                }
            }
            let written = written(&node);
            known.retain(|own| own.value.arrays().all(|array| !written.contains(&array)));
            nodes.push(node);
        }
        Some(())
    }

    /// The array of a statement's value, and what writes it.
    fn own(&mut self, statement: &Statement, outer: &[&Loop]) -> Option<(Own, Statement)> {
        let access = self.declare(statement, outer)?;
        let name = &self.kernel.arrays[access.array].name;
        let right = statement.text.split_once(" = ").map_or(&*statement.text, |(_, right)| right);
        let text = format!("{name} = {right}");
        let new = Statement { target: access.clone(), text, ..statement.clone() };
        Some((Own { value: statement.value.clone(), access }, new))
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

/// The arrays that are written below a node.
fn written(node: &Node) -> BTreeSet<ArrayId> {
    match node {
        Node::Loop(inner) => inner.body.iter().flat_map(written).collect(),
        Node::If(inner) => inner.body.iter().flat_map(written).collect(),
        Node::Statement(statement) => BTreeSet::from([statement.target.array]),
    }
}
