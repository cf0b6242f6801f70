//! Privatization: an argument in which every iteration of some loops leaves values that none but itself reads, as `sum` in
//!
//! ```c
//! for (r…) for (q…) {
//!     for (p…) { sum[p] = 0; for (s…) sum[p] += a[r][q][s] * c[s][p]; }
//!     for (p…) a[r][q][p] = sum[p];
//! }
//! ```
//!
//! Only the reuse of its cells puts these iterations in a row. A local array takes its place, of which each of them has an instance,
//! and what they leave is copied behind them: that of the last one alone, where it is known to leave as much as any other.

use super::dead::is_written_before_read;
use super::expand::{is_taken, rewrite};
use crate::affine::{Affine, fresh};
use crate::ids::{ArrayId, ByArray};
use crate::offload::is_by_data;
use crate::source::kernel::{Access, Array, Condition, If, Kernel, Loop, Node, Statement, Storage};

/// `kernel`, which has no tilings, with local arrays in place of arguments that loops use again; `None` where there are none.
pub fn privatized(kernel: &Kernel) -> Option<Kernel> {
    let mut all = kernel.clone();
    let arguments = kernel.arrays.iter_enumerated().filter(|(_, array)| array.storage == Storage::Argument);
    let is_joined = kernel.statements().iter().any(|statement| !statement.also.is_empty());
    for (array, _) in arguments.filter(|(array, own)| !is_joined && own.use_of.is_none() && !is_by_data(kernel, *array))
    {
        let Some(region) = Region::of(kernel, array) else { continue };
        let Some(nest) = region.nest() else { continue };
        let mut changed = all.clone();
        let own = declare(&mut changed, array, &region);
        let copies = region.copies(nest, own, &changed.arrays, kernel);
        let mut nodes = &mut changed.body;
        for place in &region.places {
            let Node::Loop(inner) = &mut nodes[*place] else { unreachable!("a region is in loops") };
            nodes = &mut inner.body;
        }
        rewrite(nodes, &mut |access| {
            if access.array == array {
                access.array = own;
            }
        });
        nodes.push(copies);
        if is_written_before_read(&changed, own).unwrap_or(false) {
            all = changed;
        }
    }
    (all.arrays.len() > kernel.arrays.len()).then_some(all)
}

/// The local array of a region's iterations.
fn declare(kernel: &mut Kernel, array: ArrayId, region: &Region) -> ArrayId {
    let declaration = kernel.arrays[array].clone();
    let name = fresh(format!("{}_private", declaration.name), |name| is_taken(kernel, name));
    let declared_in = region.outer.iter().map(|inner| inner.iterator.clone()).collect();
    kernel.arrays.push_and_get_key(declaration.local(name, declaration.extents.clone(), declared_in))
}

/// The body of the innermost loop that has all accesses of an array inside, and none of whose outer iterators, nor its own, is in their
/// subscripts.
struct Region<'a> {
    array: ArrayId,
    outer: Vec<&'a Loop>,
    /// Which node of the list around it each of these loops is.
    places: Vec<usize>,
    /// The statements that access it, in textual order, each with the loops inside the region around it, `None` where there is a
    /// condition among them.
    accesses: Vec<(Option<Vec<&'a Loop>>, &'a Statement)>,
}

impl<'a> Region<'a> {
    fn of(kernel: &'a Kernel, array: ArrayId) -> Option<Region<'a>> {
        let mut region = Region { array, outer: vec![], places: vec![], accesses: vec![] };
        let mut nodes = &kernel.body;
        loop {
            let has_some = |node: &Node| !accesses(std::slice::from_ref(node), array).is_empty();
            let mut own = nodes.iter().enumerate().filter(|(_, node)| has_some(node));
            let (Some((place, Node::Loop(inner))), None) = (own.next(), own.next()) else { break };
            let all = accesses(&inner.body, array);
            let moves = |access: &Access| access.subscripts.iter().any(|own| own.coefficient(&inner.iterator) != 0);
            if all.iter().any(|(_, statement)| of_array(statement, array).any(moves)) {
                break;
            }
            region.outer.push(inner);
            region.places.push(place);
            nodes = &inner.body;
        }
        region.accesses = accesses(nodes, array);
        (!region.outer.is_empty()).then_some(region)
    }

    /// The loops in which each iteration writes all cells first that it writes at all, and the write; `None` where it is not known to.
    fn nest(&self) -> Option<(Vec<&'a Loop>, &'a Access)> {
        let written = self.accesses.iter().filter(|(_, statement)| statement.target.array == self.array);
        let all: Vec<(Vec<&Loop>, &Access)> = written
            .map(|(path, statement)| {
                let moves = |inner: &&&Loop| {
                    statement.target.subscripts.iter().any(|own| own.coefficient(&inner.iterator) != 0)
                };
                let kept: Vec<&Loop> = path.as_ref()?.iter().filter(moves).copied().collect();
                Some((kept, &statement.target))
            })
            .collect::<Option<_>>()?;
        let (path, first) = self.accesses.first()?;
        let (kept, target) = all.first()?;
        let is_whole = path.as_ref().is_some_and(|path| path.len() == kept.len());
        let is_read = self.accesses.iter().any(|(_, statement)| reads(statement, self.array));
        let is_first = std::ptr::eq(&first.target, *target) && !reads(first, self.array) && is_whole;
        let names = |own: &[&Loop]| own.iter().map(|inner| inner.iterator.clone()).collect::<Vec<_>>();
        let alike = |(other, access): &(Vec<&Loop>, &Access)| {
            let (own, theirs) = (names(kept), names(other));
            let renamed = |value: &Affine| {
                value.substitute(|name| {
                    let place = theirs.iter().position(|their| their == name).filter(|place| *place < own.len());
                    Affine::variable(place.map_or(name, |place| &own[place]))
                })
            };
            let same =
                |a: &[Affine], b: &[Affine]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| *a == renamed(b));
            kept.len() == other.len()
                && same(&target.subscripts, &access.subscripts)
                && kept.iter().zip(other).all(|(a, b)| same(&a.lower, &b.lower) && same(&a.upper, &b.upper))
        };
        (is_read && is_first && all.iter().all(alike)).then(|| all[0].clone())
    }

    /// What copies the cells that an iteration has written back to the argument.
    fn copies(
        &self,
        (kept, target): (Vec<&Loop>, &Access),
        own: ArrayId,
        arrays: &ByArray<Array>,
        kernel: &Kernel,
    ) -> Node {
        let source = Access { array: own, guard: None, ..target.clone() };
        // Numbers are for the statements of the text.
        let name = format!("{}_left", arrays[target.array].name);
        let copy = Node::Statement(Statement { name, ..Statement::copy(target.clone(), source, arrays) });
        let around = |body: Node, inner: &&Loop| Node::Loop(Loop { body: vec![body], ..(*inner).clone() });
        let copies = kept.iter().rev().fold(copy, around);
        match self.last(&kept, kernel) {
            Some(conditions) => {
                Node::If(If { condition: Condition::All(conditions), body: vec![copies], span: Default::default() })
            }
            None => copies,
        }
    }

    /// What the outer iterators are in the last iteration, where its number does not hang on them, nor what it writes.
    fn last(&self, kept: &[&Loop], kernel: &Kernel) -> Option<Vec<Condition>> {
        let is_size = |name: &String| kernel.parameters.iter().any(|parameter| parameter.name == *name);
        let is_inner = |name: &String| kept.iter().any(|inner| inner.iterator == *name);
        let bounds = |inner: &&&Loop| inner.lower.iter().chain(&inner.upper).flat_map(|b| b.terms.keys()).all(is_size);
        let inside = kept.iter().flat_map(|inner| inner.lower.iter().chain(&inner.upper));
        let is_alike = inside.flat_map(|bound| bound.terms.keys()).all(|name| is_size(name) || is_inner(name));
        if !is_alike || !self.outer.iter().all(|inner| bounds(&inner)) {
            return None;
        }
        let last = |inner: &&Loop| match &inner.upper[..] {
            [upper] => Some(Condition::Zero(upper.clone() - Affine::variable(&inner.iterator))),
            _ => None,
        };
        self.outer.iter().map(last).collect()
    }
}

fn of_array(statement: &Statement, array: ArrayId) -> impl Iterator<Item = &Access> {
    statement.accesses().filter(move |access| access.array == array)
}

fn reads(statement: &Statement, array: ArrayId) -> bool {
    statement.reads().into_iter().any(|read| read.array == array)
}

/// The statements that access an array, with the loops around each.
fn accesses(nodes: &[Node], array: ArrayId) -> Vec<(Option<Vec<&Loop>>, &Statement)> {
    fn collect<'a>(
        nodes: &'a [Node],
        path: &Option<Vec<&'a Loop>>,
        array: ArrayId,
        found: &mut Vec<(Option<Vec<&'a Loop>>, &'a Statement)>,
    ) {
        for node in nodes {
            match node {
                Node::Loop(inner) => {
                    let path = path.as_ref().map(|path| path.iter().copied().chain([inner]).collect());
                    collect(&inner.body, &path, array, found);
                }
                Node::If(inner) => collect(&inner.body, &None, array, found),
                Node::Statement(statement) if of_array(statement, array).next().is_some() => {
                    found.push((path.clone(), statement));
                }
                Node::Statement(_) => {}
            }
        }
    }
    let mut found = vec![];
    collect(nodes, &Some(vec![]), array, &mut found);
    found
}
