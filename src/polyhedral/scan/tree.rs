//! Several sets walked together in the lexicographic order of one space: loops around those that meet in a dimension,
//! pieces one after the other where they do not.

use std::cell::RefCell;
use std::collections::BTreeMap;

use anyhow::{Result, bail};

use super::{Fixed, Request, Scanned, scan};
use crate::affine::{Affine, fresh};
use crate::offload::Leaf;
use crate::offload::{Bound, Level, Piece, Scan};
use crate::polyhedral::isl::{Bounded, Constraint, Context, Set, Tuple};

/// One of the sets.
pub struct Branch<'a> {
    /// Comes with every piece of this set.
    pub leaf: Leaf,
    /// `[N, T0] -> { [d0, d1] }`
    pub set: Set,
    /// The expressions that the dimensions stand for; a constant one puts branches in sequence.
    pub date: &'a [Affine],
    /// Names that the point gives: dimensions, or unknowns of `definitions`.
    pub point: &'a [String],
    /// Expressions over parameters, dimensions and unknowns that are 0.
    pub definitions: Vec<Affine>,
    /// Expressions over parameters and dimensions, for [`Piece::slacks`].
    pub slacks: &'a [Affine],
    /// Whether the points of this set must come in lexicographic order; those of different sets always do.
    pub in_order: bool,
}

/// What to scan. Where two branches have a point in common, the first one's comes first.
pub struct Tree<'a> {
    /// Size parameters and tile indices in scope.
    pub parameters: &'a [String],
    /// What holds of the parameters whenever the scan runs.
    pub context: &'a [Constraint],
    /// Names of the dimensions, outermost level first.
    pub names: &'a [String],
    pub fixed: Fixed,
    pub branches: Vec<Branch<'a>>,
}

/// A loop around several branches.
#[derive(Clone)]
struct Shared {
    dimension: usize,
    level: Level,
    /// Tells loops apart.
    identity: usize,
}

struct Walk<'a> {
    isl: &'a Context,
    tree: &'a Tree<'a>,
    loops: usize,
    /// The loops around the piece emitted last.
    last: Vec<usize>,
    pieces: Vec<Piece>,
}

/// The loop nests that visit the branches; `None` where a point is no integer affine function of the levels.
///
/// # Errors
/// Where a dimension has no bound.
pub fn scan_tree(isl: &Context, tree: &Tree) -> Result<Option<Scan>> {
    let mut walk = Walk { isl, tree, loops: 0, last: vec![], pieces: vec![] };
    let all: Vec<usize> = (0..tree.branches.len()).collect();
    let complete = walk.descend(&all, 0, &mut vec![], tree.context)?;
    Ok(complete.then_some(Scan { pieces: walk.pieces }))
}

/// What the bounds of a loop say of its index.
fn bounds(level: &Level) -> impl Iterator<Item = Constraint> {
    let times = |b: &Bound| Affine::variable(&level.name) * b.divisor;
    let lower = level.lower.iter().map(move |b| Constraint::at_most(b.numerator.clone(), times(b)));
    lower.chain(level.upper.iter().map(move |b| Constraint::at_most(times(b), b.numerator.clone())))
}

impl Walk<'_> {
    /// Walks the branches of `group`, whose dimensions before `dimension` are loops around them or constants. `false`
    /// where a point cannot be given.
    fn descend(
        &mut self,
        group: &[usize],
        dimension: usize,
        shared: &mut Vec<Shared>,
        context: &[Constraint],
    ) -> Result<bool> {
        let tree = self.tree;
        if let [only] = group {
            return self.emit(*only, shared, context);
        }
        if dimension == tree.names.len() {
            for &branch in group {
                if !self.emit(branch, shared, context)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        let constant = |&b: &usize| {
            let affine = &tree.branches[b].date[dimension];
            affine.is_constant().then_some(affine.constant)
        };
        let constants: Option<Vec<i64>> = group.iter().map(constant).collect();
        if let Some(constants) = constants {
            let mut values = constants.clone();
            values.sort();
            values.dedup();
            for value in values {
                let part: Vec<usize> =
                    group.iter().zip(&constants).filter(|(_, c)| **c == value).map(|(b, _)| *b).collect();
                let alone = part.len() == 1;
                if !alone && tree.fixed == Fixed::Keep {
                    if !self.enter(&part, dimension, shared, context)? {
                        return Ok(false);
                    }
                } else if !self.descend(&part, dimension + 1, shared, context)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        for part in self.in_sequence(group, dimension, shared, context)? {
            let complete = match part.len() {
                1 => self.descend(&part, dimension, shared, context)?,
                _ => self.enter(&part, dimension, shared, context)?,
            };
            if !complete {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The branches of `group` in parts, one after the other: whatever the loops around them, no point of a branch comes behind
    /// one of a later part. Parts are as small as possible (strong components of "has a point that may come before one of"),
    /// as a loop around branches that do not meet walks through what is between them, and one around the first
    /// iteration of another may walk further than either.
    fn in_sequence(
        &self,
        group: &[usize],
        dimension: usize,
        shared: &[Shared],
        context: &[Constraint],
    ) -> Result<Vec<Vec<usize>>> {
        let known = self.isl.parameter_set(&self.parameters(shared), context)?;
        // Many branches have the same values, which are compared once.
        let (mut values, mut of_branch) = (BTreeMap::new(), BTreeMap::new());
        for &branch in group {
            let set = self.values(branch, dimension, shared)?.intersect_params(&known)?;
            let text = set.to_string();
            values.entry(text.clone()).or_insert(set);
            of_branch.insert(branch, text);
        }
        let compared: RefCell<BTreeMap<(&str, &str, bool), bool>> = RefCell::default();
        // Whether `a` may have to come before `b`: they meet in a value, and `a` may be first there, or it has a smaller one.
        let precedes = |a: usize, b: usize| -> Result<bool> {
            let (own, other, is_first) = (&*of_branch[&a], &*of_branch[&b], self.may_be_first(a, b, dimension + 1));
            if let Some(known) = compared.borrow().get(&(own, other, is_first)) {
                return Ok(*known);
            }
            let (of_a, of_b) = (&values[own], &values[other]);
            let may_meet = is_first && !of_a.is_disjoint(of_b)?;
            let found = may_meet || !of_b.identity()?.lex_gt_map(&of_a.identity()?)?.is_empty()?;
            compared.borrow_mut().insert((own, other, is_first), found);
            Ok(found)
        };
        let reached = |start: usize, all: &[usize], forwards: bool| -> Result<Vec<usize>> {
            let mut found = vec![start];
            let mut next = 0;
            while next < found.len() {
                for &other in all {
                    let (a, b) = if forwards { (found[next], other) } else { (other, found[next]) };
                    if !found.contains(&other) && precedes(a, b)? {
                        found.push(other);
                    }
                }
                next += 1;
            }
            Ok(found)
        };
        let mut open = vec![group.to_vec()];
        let mut parts = vec![];
        while let Some(all) = open.pop() {
            let Some(&start) = all.first() else { continue };
            let (before, behind) = (reached(start, &all, false)?, reached(start, &all, true)?);
            let of = |is_before: bool, is_behind: bool| -> Vec<usize> {
                let wanted = |b: &&usize| before.contains(b) == is_before && behind.contains(b) == is_behind;
                all.iter().filter(wanted).copied().collect()
            };
            let together = of(true, true);
            if together.len() == all.len() {
                parts.push(together);
            } else {
                // Taken from the end: what is neither before nor behind goes between.
                open.extend([of(false, true), of(false, false), together, of(true, false)]);
            }
        }
        Ok(parts)
    }

    /// Whether branch `a` may have a point in front of one of `b` where both are alike in all dimensions before `dimension`, as far as
    /// constant ones tell.
    fn may_be_first(&self, a: usize, b: usize, dimension: usize) -> bool {
        let of = |branch: usize| &self.tree.branches[branch].date[dimension..];
        for (own, other) in of(a).iter().zip(of(b)) {
            match own.is_constant() && other.is_constant() {
                true if own.constant == other.constant => {}
                true => return own.constant < other.constant,
                false => return true,
            }
        }
        a < b
    }

    /// What a branch takes in `dimension`, the loops around it being parameters: `{ [v] }`
    fn values(&self, branch: usize, dimension: usize, shared: &[Shared]) -> Result<Set> {
        let place = dimension - shared.iter().filter(|s| s.dimension < dimension).count();
        let set = self.inside(branch, shared)?;
        let rest = set.dimensions()? - place - 1;
        set.project_out(place + 1, rest)?.project_out(0, place)
    }

    /// A loop over `dimension` around the branches of `group`.
    fn enter(
        &mut self,
        group: &[usize],
        dimension: usize,
        shared: &mut Vec<Shared>,
        context: &[Constraint],
    ) -> Result<bool> {
        let Some(level) = self.hull(group, dimension, shared, context)? else { return Ok(true) };
        let inner: Vec<Constraint> = context.iter().cloned().chain(bounds(&level)).collect();
        shared.push(Shared { dimension, level, identity: self.loops });
        self.loops += 1;
        let complete = self.descend(group, dimension + 1, shared, &inner)?;
        shared.pop();
        Ok(complete)
    }

    fn parameters(&self, shared: &[Shared]) -> Vec<String> {
        self.tree.parameters.iter().cloned().chain(shared.iter().map(|s| s.level.name.clone())).collect()
    }

    /// The branch's set with the dimensions of the loops around it as parameters.
    fn inside(&self, branch: usize, shared: &[Shared]) -> Result<Set> {
        let mut set = self.tree.branches[branch].set.without_tuple_name()?;
        for outer in shared.iter().rev() {
            set = set.dimension_to_parameter(outer.dimension, &outer.level.name)?;
        }
        Ok(set)
    }

    /// The loop over `dimension` that holds all values it takes in the branches of `group`; `None` where there is none.
    fn hull(
        &self,
        group: &[usize],
        dimension: usize,
        shared: &[Shared],
        context: &[Constraint],
    ) -> Result<Option<Level>> {
        let mut union: Option<Set> = None;
        for &branch in group {
            let values = self.values(branch, dimension, shared)?;
            union = Some(match union {
                Some(all) => all.union(&values)?,
                None => values,
            });
        }
        let Some(union) = union else { return Ok(None) };
        let parameters = self.parameters(shared);
        let known = self.isl.parameter_set(&parameters, context)?;
        let union = union.intersect_params(&known)?.remove_divs()?.coalesce()?;
        if union.is_empty()? {
            return Ok(None);
        }
        let hull = union.simple_hull()?.remove_divs()?.to_set()?;
        let names = [self.tree.names[dimension].clone()];
        let request = Request {
            parameters: &parameters,
            context,
            set: &hull,
            names: &names,
            fixed: Fixed::Keep,
            point: &names,
            definitions: &[],
            slacks: &[],
            in_order: false,
        };
        let Scanned::Scan(scan) = scan(self.isl, &request)? else { bail!("internal error: a loop without an index") };
        let Some(Piece { guards, levels, .. }) = scan.pieces.into_iter().next() else { return Ok(None) };
        let Some(mut level) = levels.into_iter().next() else { return Ok(None) };
        if !guards.is_empty() {
            // What the hull says of outer loops alone is checked further in, piece by piece: the loop runs without it.
            let known: Vec<Constraint> = context.iter().cloned().chain(bounds(&level)).collect();
            let values = self.isl.set(&parameters, Tuple::unnamed(&names), &known)?;
            let (Bounded::Finite(low), Bounded::Finite(high)) = (values.minimum(0)?, values.maximum(0)?) else {
                bail!("internal error: the loop {} has no bound outside of its guards", level.name);
            };
            level.range = (low, high);
        }
        Ok(Some(level))
    }

    /// The pieces of one branch inside the loops around it. Where their points interleave, a loop goes around them.
    fn emit(&mut self, branch: usize, shared: &mut Vec<Shared>, context: &[Constraint]) -> Result<bool> {
        let tree = self.tree;
        let is_shared = |d: &usize| shared.iter().any(|s| s.dimension == *d);
        let mut names: Vec<String> =
            (0..tree.names.len()).filter(|d| !is_shared(d)).map(|d| tree.names[d].clone()).collect();
        let mut set = self.inside(branch, shared)?;
        let parameters = self.parameters(shared);
        if names.is_empty() {
            // A row needs a level.
            names.push(fresh("element".to_string(), |name| parameters.contains(name)));
            let zero = [Affine::default()];
            let row = self.isl.function(&parameters, Tuple::anonymous(), Tuple::unnamed(&names), &zero)?;
            set = set.apply(&row)?;
        }
        let this = &tree.branches[branch];
        // Inside loops over all dimensions that are not constant, there is one point.
        let outermost = this.date.iter().enumerate().position(|(d, value)| !value.is_constant() && !is_shared(&d));
        let request = Request {
            parameters: &parameters,
            context,
            set: &set,
            names: &names,
            fixed: tree.fixed,
            point: this.point,
            definitions: &this.definitions,
            slacks: this.slacks,
            in_order: this.in_order && outermost.is_some(),
        };
        let scan = match (scan(self.isl, &request)?, outermost) {
            (Scanned::Scan(scan), _) => scan,
            (Scanned::Entangled, Some(dimension)) => return self.enter(&[branch], dimension, shared, context),
            (Scanned::NoPoint | Scanned::Entangled, _) => return Ok(false),
        };
        let loops: Vec<usize> = shared.iter().map(|s| s.identity).collect();
        for mut piece in scan.pieces {
            let common = loops.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
            piece.shared = if self.pieces.is_empty() { 0 } else { common };
            piece.leaf = this.leaf;
            piece.levels = shared.iter().map(|s| s.level.clone()).chain(piece.levels).collect();
            self.pieces.push(piece);
            self.last = loops.clone();
        }
        Ok(true)
    }
}
