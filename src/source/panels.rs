//! Panels: `#pragma burstc panels(d)`. In
//!
//! ```c
//! for (k…) for (i…) for (j…) d[i][j] = min(d[i][j], d[i][k] + d[k][j]);
//! ```
//!
//! a tile reads a block of `d`, and a column and a row that may lie anywhere beside it; one buffer for all of them would have to
//! hold the array. In an iteration of k the column is a *panel*, and so is the row: what a reference reads whose other subscripts
//! are fixed. Each becomes a local array, which is filled before the loops inside, read in place of `d`, and written wherever `d` is
//! at a cell of it. So it always has the values of `d`, whatever these are and in which order the loops run through them:
//!
//! ```c
//! for (k…) {
//!     for (i…) d_panel1[i] = d[i][k];
//!     for (j…) d_panel2[j] = d[k][j];
//!     for (i <= k) {
//!         for (j <= k) d[i][j] = min(d[i][j], d_panel1[i] + d_panel2[j]);
//!         d_panel1[i] = d[i][k];
//!         for (j > k) d[i][j] = min(d[i][j], d_panel1[i] + d_panel2[j]);
//!     }
//!     for (j…) d_panel2[j] = d[k][j];
//!     for (i > k) as for i <= k
//! }
//! ```

use std::collections::BTreeSet;

use super::kernel::{Access, Array, Condition, Expr, If, Kernel, Loop, Node, Statement, Storage};
use super::wires::{for_each, number_statements};
use crate::affine::{Affine, fresh};
use crate::ids::{ArrayId, ByArray};

/// Panels of an array in one loop.
const MOST: usize = 4;

/// `kernel`, which has no tilings, with the panels of its arguments in local arrays; `None` where there are none.
pub fn in_panels(kernel: &Kernel) -> Option<Kernel> {
    let mut changed = kernel.clone();
    let names: BTreeSet<String> = (kernel.scalars.iter().map(|scalar| &scalar.name))
        .chain(kernel.parameters.iter().map(|parameter| &parameter.name))
        .chain(kernel.iterators().iter().flatten())
        .cloned()
        .collect();
    let quotients = kernel.quotients.iter().map(|quotient| quotient.name.clone()).collect();
    let arguments = kernel.arrays.keys().collect();
    let is_taken = |name: &str| names.contains(name);
    changed.panels = put(&mut changed.body, &mut changed.arrays, &Wanted { arguments, quotients, is_taken: &is_taken });
    (!changed.panels.is_empty()).then_some(changed)
}

/// What panels are wanted of, and what is known of names.
pub struct Wanted<'a> {
    pub arguments: BTreeSet<ArrayId>,
    pub quotients: BTreeSet<String>,
    pub is_taken: &'a dyn Fn(&str) -> bool,
}

/// Puts the panels of arrays that are wanted into local arrays, and numbers the statements anew; the arrays that have some.
pub fn put(nodes: &mut [Node], arrays: &mut ByArray<Array>, wanted: &Wanted) -> BTreeSet<ArrayId> {
    let mut done = BTreeSet::new();
    for &array in &wanted.arguments {
        if arrays[array].storage == Storage::Argument && !is_by_data(nodes, array) {
            let mut pass = Pass { array, arrays, wanted, outer: vec![], found: false };
            pass.list(nodes);
            if pass.found {
                done.insert(array);
            }
        }
    }
    number_statements(nodes);
    done
}

/// Whether subscripts of an array depend on data.
fn is_by_data(nodes: &mut [Node], array: ArrayId) -> bool {
    let mut found = false;
    for_each(nodes, &mut |statement| {
        let places = statement.gathers().into_iter().chain(statement.scatter());
        found |= places.into_iter().any(|place| place.array == array);
    });
    found
}

/// Cells of an array that some subscripts name in an iteration of a loop.
struct Panel {
    fixed: Fixed,
    fills: Vec<Fill>,
    own: ArrayId,
}

/// By subscript: the value that all cells of a panel have there, or `None` where the panel's own array has a subscript.
type Fixed = Vec<Option<Affine>>;

/// A reference that is read from a panel.
struct Fill {
    access: Access,
    /// The loops inside that it varies in.
    kept: Vec<Loop>,
    /// What holds where the other loops run at all.
    conditions: Vec<Condition>,
}

impl Panel {
    /// The cell of `access` in the panel's own array.
    fn cell(&self, access: &Access) -> Access {
        let own = access.subscripts.iter().zip(&self.fixed).filter(|(_, fixed)| fixed.is_none());
        Access { array: self.own, subscripts: own.map(|(own, _)| own.clone()).collect(), ..access.clone() }
    }

    /// What has to be 0 for `access` to be a cell of the panel; `None` where it never is.
    fn conditions(&self, access: &Access) -> Option<Vec<Affine>> {
        let both = access.subscripts.iter().zip(&self.fixed);
        let all: Vec<Affine> = both
            .filter_map(|(own, fixed)| Some(own.clone() - fixed.clone()?))
            .filter(|d| *d != Affine::default())
            .collect();
        all.iter().all(|difference| !difference.is_constant()).then_some(all)
    }
}

struct Pass<'a> {
    array: ArrayId,
    arrays: &'a mut ByArray<Array>,
    wanted: &'a Wanted<'a>,
    /// The iterators around, outermost first.
    outer: Vec<String>,
    found: bool,
}

/// The loops between a panel's loop and a statement; `None` where there is a condition among them.
type Path = Option<Vec<Loop>>;

impl Pass<'_> {
    fn list(&mut self, nodes: &mut [Node]) {
        for node in nodes {
            match node {
                Node::Loop(inner) => {
                    self.outer.push(inner.iterator.clone());
                    if !self.inside(inner) {
                        self.list(&mut inner.body);
                    }
                    self.outer.pop();
                }
                Node::If(inner) => self.list(&mut inner.body),
                Node::Statement(_) => {}
            }
        }
    }

    /// Puts the panels of one loop into local arrays; `false` where it has none.
    fn inside(&mut self, around: &mut Loop) -> bool {
        let mut panels: Vec<Panel> = vec![];
        // With whether that is inside of further loops.
        let mut written: Vec<(Access, bool)> = vec![];
        let array = self.array;
        each(&mut around.body, &Some(vec![]), &mut |statement, path| {
            let is_inner = path.as_ref().is_none_or(|path| !path.is_empty());
            let own = statement.targets().filter(|target| target.array == array);
            written.extend(own.map(|target| (target.clone(), is_inner)));
            for read in statement.reads().into_iter().filter(|read| read.array == array) {
                let Some((fixed, fill)) = self.panel_of(read, path) else { continue };
                match panels.iter_mut().find(|panel| panel.fixed == fixed) {
                    Some(known) if known.fills.iter().any(|own| own.access.subscripts == read.subscripts) => {}
                    Some(known) => known.fills.push(fill),
                    None => panels.push(Panel { fixed, fills: vec![fill], own: array }),
                }
            }
        });
        let is_plain = |access: &Access| access.subscripts.iter().all(|subscript| self.is_plain(subscript));
        if written.is_empty() || !written.iter().all(|(access, _)| is_plain(access)) {
            return false;
        }
        // What the loops inside write anyway is the block.
        let is_block = |panel: &Panel, own: &Access| panel.conditions(own).is_some_and(|all| all.is_empty());
        panels.retain(|panel| !written.iter().any(|(own, is_inner)| *is_inner && is_block(panel, own)));
        if panels.is_empty() || panels.len() > MOST {
            return false;
        }
        self.declare(&mut panels);
        each(&mut around.body, &Some(vec![]), &mut |statement, path| {
            let replace = &mut |access: &mut Access| {
                let of = if access.array == array { self.panel_of(access, path) } else { None };
                let panel = of.and_then(|(fixed, _)| panels.iter().find(|panel| panel.fixed == fixed));
                if let Some(panel) = panel {
                    *access = panel.cell(access);
                }
            };
            reads(&mut statement.value, replace);
        });
        let keeper = Keeper { array, panels: &panels, arrays: &*self.arrays };
        let body = keeper.list(std::mem::take(&mut around.body));
        around.body = panels.iter().flat_map(|panel| keeper.fills(panel)).chain(body).collect();
        self.found = true;
        true
    }

    /// What is fixed of the subscripts of a read, the loops that they vary in, and the conditions of the other loops.
    fn panel_of(&self, read: &Access, path: &Path) -> Option<(Fixed, Fill)> {
        let path = path.as_ref().filter(|_| read.guard.is_none())?;
        let moves = |subscript: &Affine| path.iter().any(|inner| subscript.coefficient(&inner.iterator) != 0);
        let around = self.outer.last()?;
        if !read.subscripts.iter().all(|subscript| self.is_plain(subscript)) {
            return None;
        }
        let fixed: Fixed =
            read.subscripts.iter().map(|subscript| (!moves(subscript)).then(|| subscript.clone())).collect();
        let is_of_loop = fixed.iter().flatten().any(|own| own.coefficient(around) != 0);
        let is_read = |inner: &Loop| read.subscripts.iter().any(|own| own.coefficient(&inner.iterator) != 0);
        let (kept, dropped): (Vec<&Loop>, Vec<&Loop>) = path.iter().partition(|inner| is_read(inner));
        let ends = path.iter().flat_map(|inner| inner.lower.iter().chain(&inner.upper));
        let is_apart =
            |end: &Affine| self.is_plain(end) && dropped.iter().all(|other| end.coefficient(&other.iterator) == 0);
        if !is_of_loop || kept.is_empty() || dropped.is_empty() || !ends.into_iter().all(is_apart) {
            return None;
        }
        let runs = |inner: &&Loop| -> Vec<Condition> {
            let above = |low: &Affine| inner.upper.iter().map(|high| high.clone() - low.clone()).collect::<Vec<_>>();
            inner.lower.iter().flat_map(above).map(Condition::NonNegative).collect()
        };
        let kept = kept.into_iter().map(|inner| Loop { body: vec![], ..inner.clone() }).collect();
        let conditions = dropped.iter().flat_map(runs).collect();
        Some((fixed, Fill { access: read.clone(), kept, conditions }))
    }

    fn is_plain(&self, value: &Affine) -> bool {
        value.terms.keys().all(|name| !self.wanted.quotients.contains(name))
    }

    fn declare(&mut self, panels: &mut [Panel]) {
        let declaration = self.arrays[self.array].clone();
        for panel in panels {
            let number =
                self.arrays.iter().filter(|array| array.name.starts_with(&prefix(&declaration.name))).count() + 1;
            let name = fresh(format!("{}{number}", prefix(&declaration.name)), |name| {
                (self.wanted.is_taken)(name) || self.arrays.iter().any(|array| array.name == *name)
            });
            let extents = declaration.extents.iter().zip(&panel.fixed).filter(|(_, fixed)| fixed.is_none());
            let extents = extents.map(|(extent, _)| extent.clone()).collect();
            panel.own = self.arrays.push_and_get_key(declaration.local(name, extents, self.outer.clone()));
        }
    }
}

fn prefix(name: &str) -> String {
    format!("{name}_panel")
}

/// Calls `act` on every statement, with the loops around it.
fn each(nodes: &mut [Node], path: &Path, act: &mut dyn FnMut(&mut Statement, &Path)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => {
                let own = Loop { body: vec![], ..inner.clone() };
                let path = path.as_ref().map(|path| path.iter().cloned().chain([own]).collect());
                each(&mut inner.body, &path, act);
            }
            Node::If(inner) => each(&mut inner.body, &None, act),
            Node::Statement(statement) => act(statement, path),
        }
    }
}

/// Calls `act` on every read.
fn reads(expr: &mut Expr, act: &mut dyn FnMut(&mut Access)) {
    if let Expr::Read { access, .. } = expr {
        act(access);
    }
    expr.operands_mut().into_iter().for_each(|operand| reads(operand, act));
}

/// Keeps the panels as their array is.
struct Keeper<'a> {
    array: ArrayId,
    panels: &'a [Panel],
    arrays: &'a ByArray<Array>,
}

impl Keeper<'_> {
    fn fills(&self, panel: &Panel) -> Vec<Node> {
        let fill = |Fill { access, kept, conditions }: &Fill| {
            let copy = when(conditions.clone(), vec![self.copy(panel, access)]);
            kept.iter().rev().fold(copy, |body, around| vec![Node::Loop(Loop { body, ..around.clone() })])
        };
        panel.fills.iter().flat_map(fill).collect()
    }

    /// `panel = array` at a cell of both.
    fn copy(&self, panel: &Panel, from: &Access) -> Node {
        Node::Statement(self.copied(panel.cell(from), Access { guard: None, ..from.clone() }))
    }

    fn copied(&self, target: Access, from: Access) -> Statement {
        Statement::copy(target, from, self.arrays)
    }

    /// What keeps panels, with `value` in place of an iterator.
    fn at(&self, node: &Node, iterator: &str, value: &Affine) -> Node {
        let affine =
            |own: &Affine| own.substitute(|name| if name == iterator { value.clone() } else { Affine::variable(name) });
        let all = |own: &[Affine]| own.iter().map(affine).collect::<Vec<_>>();
        let access = |own: &Access| Access { subscripts: all(&own.subscripts), ..own.clone() };
        match node {
            Node::Loop(inner) => Node::Loop(Loop {
                lower: all(&inner.lower),
                upper: all(&inner.upper),
                body: inner.body.iter().map(|node| self.at(node, iterator, value)).collect(),
                ..inner.clone()
            }),
            Node::Statement(Statement { target, value: Expr::Read { access: from, .. }, .. }) => {
                Node::Statement(self.copied(access(target), access(from)))
            }
            other => other.clone(),
        }
    }

    /// A loop whose body ends with what one iteration does only, `if (i == k) …`: that iteration ends a first loop, and those behind
    /// it are a second one.
    fn cut_behind(&self, inner: Loop, mut body: Vec<Node>) -> Vec<Node> {
        let mut value: Option<Affine> = None;
        let mut behind = vec![];
        while let Some(Node::If(If { condition: Condition::Zero(own), body: copies, span })) = body.last() {
            let step = own.coefficient(&inner.iterator);
            let at = (Affine::variable(&inner.iterator) * step - own.clone()) * step;
            let is_copy = *span == Default::default() && copies.iter().all(|node| matches!(node, Node::Loop(_)));
            if step.abs() != 1 || !is_copy || value.as_ref().is_some_and(|known| *known != at) {
                break;
            }
            behind.splice(0..0, copies.iter().map(|node| self.at(node, &inner.iterator, &at)));
            value = Some(at);
            body.pop();
        }
        match value {
            None => vec![Node::Loop(Loop { body, ..inner })],
            Some(value) => {
                let (first, runs, last) = cut_at(&Loop { body, ..inner }, &value);
                [vec![first], when(runs, behind), vec![last]].concat()
            }
        }
    }

    /// What keeps a panel behind a write of `access`.
    fn refresh(&self, panel: &Panel, access: &Access) -> Vec<Node> {
        let Some(conditions) = panel.conditions(access) else { return vec![] };
        when(conditions.into_iter().map(Condition::Zero).collect(), vec![self.copy(panel, access)])
    }

    fn list(&self, nodes: Vec<Node>) -> Vec<Node> {
        let node = |node: Node| -> Vec<Node> {
            match node {
                Node::Loop(inner) => self.around(inner),
                Node::If(inner) => vec![Node::If(If { body: self.list(inner.body), ..inner })],
                Node::Statement(statement) => {
                    let written = statement.targets().filter(|target| target.array == self.array);
                    let refreshes: Vec<Node> = written
                        .flat_map(|target| self.panels.iter().flat_map(|panel| self.refresh(panel, target)))
                        .collect();
                    std::iter::once(Node::Statement(statement.clone())).chain(refreshes).collect()
                }
            }
        };
        nodes.into_iter().flat_map(node).collect()
    }

    /// A loop with what keeps panels inside; around a single statement without a comparison per iteration, where that may be: a
    /// panel that one iteration writes cuts the loop in two, and one that all or none of them write comes behind it.
    fn around(&self, inner: Loop) -> Vec<Node> {
        let in_it = |inner: Loop| {
            let body = self.list(inner.body);
            self.cut_behind(Loop { body: vec![], ..inner }, body)
        };
        let [Node::Statement(only)] = &inner.body[..] else { return in_it(inner) };
        if only.target.array != self.array || !only.also.is_empty() {
            return in_it(inner);
        }
        let target = only.target.clone();
        let (mut cut, mut behind): (Option<Affine>, Vec<&Panel>) = (None, vec![]);
        let mut at_cut: Vec<&Panel> = vec![];
        for panel in self.panels {
            let Some(conditions) = panel.conditions(&target) else { continue };
            let moving: Vec<&Affine> = conditions.iter().filter(|c| c.coefficient(&inner.iterator) != 0).collect();
            match &moving[..] {
                [] if self.is_read_before_written(panel, only, &inner.iterator) => behind.push(panel),
                [own] if conditions.len() == 1 && own.coefficient(&inner.iterator).abs() == 1 => {
                    let step = own.coefficient(&inner.iterator);
                    let value = (Affine::variable(&inner.iterator) * step - (*own).clone()) * step;
                    if cut.as_ref().is_some_and(|known| *known != value) {
                        return in_it(inner);
                    }
                    cut = Some(value);
                    at_cut.push(panel);
                }
                _ => return in_it(inner),
            }
        }
        let mut nodes = vec![];
        match cut {
            None => nodes.push(Node::Loop(inner.clone())),
            Some(value) => {
                let (first, runs, last) = cut_at(&inner, &value);
                let at = |own: &Affine| {
                    own.substitute(|name| if *name == inner.iterator { value.clone() } else { Affine::variable(name) })
                };
                let cell = Access { subscripts: target.subscripts.iter().map(at).collect(), ..target.clone() };
                nodes.push(first);
                nodes.extend(when(runs, at_cut.iter().map(|panel| self.copy(panel, &cell)).collect()));
                nodes.push(last);
            }
        }
        for panel in behind {
            let copies = vec![Node::Loop(Loop { body: vec![self.copy(panel, &target)], ..inner.clone() })];
            let conditions = panel.conditions(&target).into_iter().flatten().map(Condition::Zero).collect();
            nodes.extend(when(conditions, copies));
        }
        nodes
    }

    /// Whether no iteration of a loop over `iterator` around `only` reads the cell of the panel that an earlier one writes.
    fn is_read_before_written(&self, panel: &Panel, only: &Statement, iterator: &str) -> bool {
        let written = panel.cell(&only.target).subscripts;
        let moves = written.iter().any(|own| own.coefficient(iterator) != 0);
        let mut own = only.reads().into_iter().filter(|read| read.array == panel.own);
        own.all(|read| moves && read.subscripts == written)
    }
}

/// A loop up to `value` and the one behind it, and in between the conditions under which the iteration `value` runs.
fn cut_at(whole: &Loop, value: &Affine) -> (Node, Vec<Condition>, Node) {
    let lower = whole.lower.iter().map(|low| value.clone() - low.clone());
    let upper = whole.upper.iter().map(|high| high.clone() - value.clone());
    let runs = lower.chain(upper).map(Condition::NonNegative).collect();
    let (mut first, mut last) = (whole.clone(), whole.clone());
    first.upper.push(value.clone());
    last.lower.push(value.clone() + Affine::constant(1));
    (Node::Loop(first), runs, Node::Loop(last))
}

/// `body` where all conditions hold.
fn when(mut conditions: Vec<Condition>, body: Vec<Node>) -> Vec<Node> {
    let condition = match conditions.len() {
        0 => return body,
        1 => conditions.remove(0),
        _ => Condition::All(conditions),
    };
    vec![Node::If(If { condition, body, span: Default::default() })]
}
