//! Local integers that places are made of and that change: `int k = 0; for (…) { a[k] = …; k += 2; }`.
//!
//! The value of such a variable is known as an expression wherever the text is read: an assignment changes what the name
//! stands for, both sides of an `if` on iterators and sizes are a choice behind it, and a loop whose iterations add a
//! constant ([`super::steps`]) or go round a ring ([`super::ring`]) makes it affine in the iterations that are over. A
//! variable whose values are not known like that is memory.

use lang_c::ast::{Expression, ForStatement};
use lang_c::span::Node;

use super::affine_expression::{plus, times};
use super::canonical::{begun, names_in};
use super::extremum::Extremum;
use super::kernel::{BinaryOp, Broken, Expr, ScalarType};
use super::locals::{LARGEST, Usage, size};
use super::nest::Nest;
use super::ring::{Ring, Turning};
use super::scope::{Checked, Name};
use super::steps::Body;
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// A local variable whose value is known everywhere.
#[derive(Clone)]
pub struct Tracked {
    pub name: String,
    pub ty: CType,
    /// Its place among the local names.
    pub place: usize,
    /// Byte of its declaration.
    pub declared: usize,
}

/// Bits of the types whose values may come round.
const NARROW: u32 = 16;

/// Values beyond are those of loops whose ends are not known.
const FAR: i64 = 1 << 62;

/// In place of a declaration's byte: a variable of the head of a loop around this place, which cannot be memory.
pub const ITERATOR: usize = usize::MAX;

/// What a loop does to a variable.
pub struct Change {
    place: usize,
    declared: usize,
    ty: ScalarType,
    moves: Option<Moves>,
    first: Option<Affine>,
    /// What it begins with, where that is not affine.
    begins: Option<Expr>,
    /// The loop's condition names it.
    in_head: bool,
}

impl Change {
    /// Whether its value is known in every iteration.
    pub fn is_known(&self) -> bool {
        self.moves.is_some() && self.first.is_some()
    }

    pub fn is_in_head(&self) -> bool {
        self.in_head
    }

    pub fn place(&self) -> usize {
        self.place
    }

    /// What one of the head begins with, where that keeps its value from being known.
    pub fn unknown_start(&self) -> Option<&Expr> {
        self.begins.as_ref().filter(|_| self.in_head && self.moves.is_some())
    }

    pub fn integer(&self) -> ScalarType {
        self.ty
    }
}

/// How a variable changes from iteration to iteration.
#[derive(Clone, Debug, PartialEq)]
enum Moves {
    /// Every iteration adds this.
    By(i64),
    Round(Ring),
}

impl Nest<'_, '_> {
    /// Ends what was declared since the mark.
    pub fn leave(&mut self, mark: usize) {
        self.scope.leave(mark);
        self.tracked.retain(|tracked| tracked.place < mark);
    }

    fn tracked(&self, name: &str) -> Option<&Tracked> {
        let place = self.scope.local_index(name)?;
        self.tracked.iter().find(|tracked| tracked.place == place && tracked.name == name)
    }

    /// From here on the value of a variable is not known, if it is tracked.
    pub fn forget(&mut self, name: &str) {
        if let Some(place) = self.tracked(name).map(|own| own.place) {
            self.scope.assign_local(place, Name::Unknown);
        }
    }

    /// The type of an integer that is tracked.
    pub fn tracked_integer(&self, name: &str) -> Option<ScalarType> {
        self.tracked(name).filter(|own| own.declared != ITERATOR).and_then(|own| own.ty.integer())
    }

    /// What a loop whose head begins a variable that is tracked, and steps it, does to that; `shift` is what the condition adds once more than
    /// there are iterations.
    pub fn left_in(&self, name: &str, step: i64, start: &Extremum, shift: i64) -> Option<Change> {
        let Tracked { place, declared, ty, .. } = self.tracked(name).filter(|own| own.declared != ITERATOR)?;
        let first = start.clone().affine().map(|first| first + Affine::constant(shift));
        let (place, declared, ty) = (*place, *declared, ty.integer()?);
        Some(Change { place, declared, ty, moves: Some(Moves::By(step)), first, begins: None, in_head: true })
    }

    /// Assigns the expression where it names a variable that is tracked: `None` where it does not.
    pub fn assign_tracked(
        &mut self,
        lhs: &Node<Expression>,
        value: impl FnOnce(&mut Self, &CType) -> Checked<Expr>,
    ) -> Option<Checked<()>> {
        let Expression::Identifier(name) = &lhs.node else { return None };
        let Tracked { ty, place, declared, .. } = self.tracked(&name.node.name)?;
        let (ty, place, declared) = (ty.clone(), *place, *declared);
        Some(value(self, &ty).and_then(|value| {
            let value = self.known_value(value, declared, self.span(lhs.span))?;
            self.scope.assign_local(place, Name::Value(value));
            Ok(())
        }))
    }

    /// A value as a variable that is tracked may have it.
    pub fn known_value(&mut self, value: Expr, declared: usize, span: Span) -> Checked<Expr> {
        if let Some(known) = self.affine_of(value.clone(), span) {
            return Ok(known);
        }
        let known = self.scope.quotients.len();
        let is_known = size(&value) <= LARGEST && self.scope.is_affine_by_choice(&value, span);
        self.scope.quotients.truncate(known);
        if is_known { Ok(value) } else { Err(self.lost(declared, span)) }
    }

    /// Gives up tracking the variable that is declared there.
    fn lost(&mut self, declared: usize, span: Span) -> Diagnostic {
        if declared == ITERATOR {
            return Diagnostic::new("a loop's iterator changes in its body, and its value is not known here")
                .at(span, "not affine")
                .help("change it in the loop's head only, or by the same constant in every iteration");
        }
        self.lost.get_or_insert(declared);
        Diagnostic::new("the value of a variable is not known here").at(span, "not affine")
    }

    /// What the variables stand for.
    pub fn known(&self) -> Vec<(usize, Name)> {
        // A loop's variable that has changed and come back is what it was.
        let meaning = |name: Name| match name {
            Name::Iterator(value, ty) => Name::Value(Expr::Index { value, ty }),
            other => other,
        };
        let of = |tracked: &Tracked| (tracked.place, meaning(self.scope.local_at(tracked.place)));
        self.tracked.iter().map(of).collect()
    }

    pub fn set_known(&mut self, known: &[(usize, Name)]) {
        known.iter().for_each(|(place, meaning)| self.scope.assign_local(*place, meaning.clone()));
    }

    /// Behind two ways from one place, with what each left: the variables are choices by `condition`.
    pub fn join(&mut self, condition: Option<&Expr>, first: &[(usize, Name)], second: &[(usize, Name)]) {
        for ((place, then), (_, otherwise)) in first.iter().zip(second) {
            let joined = match (then, otherwise, condition) {
                _ if then == otherwise => then.clone(),
                (Name::Value(then), Name::Value(otherwise), Some(condition)) => {
                    let (condition, ty) = (Box::new(condition.clone()), then.ty());
                    let (then, otherwise) = (Box::new(then.clone()), Box::new(otherwise.clone()));
                    let choice = Expr::Select { condition, then, otherwise, ty };
                    if size(&choice) <= LARGEST { Name::Value(choice) } else { Name::Unknown }
                }
                _ => Name::Unknown,
            };
            self.scope.assign_local(*place, joined);
        }
    }

    /// Behind both sides of a condition on data, which leave the same.
    pub fn require_same(&mut self, first: &[(usize, Name)], second: &[(usize, Name)], span: Span) -> Checked<()> {
        let other = first.iter().zip(second).find(|(then, otherwise)| then != otherwise).map(|((place, _), _)| *place);
        let lost = other.and_then(|place| self.tracked.iter().find(|own| own.place == place)).map(|own| own.declared);
        lost.map_or(Ok(()), |declared| Err(self.lost(declared, span)))
    }

    /// What a loop does to the variables that its body changes. They have no value in a head that counts, and one in every
    /// evaluation of the condition of any other.
    pub fn changes(&mut self, f: &ForStatement, counts: bool, span: Span) -> Checked<Vec<Change>> {
        let own = begun(&f.initializer.node);
        let mark = self.scope.enter();
        // What they were before the loop is nothing that its body sees.
        own.iter().for_each(|name| self.scope.declare(name, Name::Unknown));
        let changes = self.changes_but(&own, f, counts, span);
        self.scope.leave(mark);
        changes
    }

    /// The same without the variables that the head begins.
    fn changes_but(&mut self, own: &[String], f: &ForStatement, counts: bool, span: Span) -> Checked<Vec<Change>> {
        let mut changes = vec![];
        let changed: Vec<(String, CType, usize, usize)> = (self.tracked.iter())
            .filter(|t| self.tracked(&t.name).is_some_and(|own| own.place == t.place))
            .filter(|t| !Usage::of_statement(&t.name, &f.statement).is_constant() && !own.contains(&t.name))
            .map(|t| (t.name.clone(), t.ty.clone(), t.place, t.declared))
            .collect();
        let head: Vec<String> = [&f.condition, &f.step].into_iter().flatten().flat_map(|e| names_in(e)).collect();
        for (name, ty, place, declared) in &changed {
            let in_head = head.contains(name);
            let Some(ty) = ty.integer().filter(|_| !(counts && in_head)) else {
                return Err(self.lost(*declared, span));
            };
            let begins = match self.scope.local_at(*place) {
                Name::Value(value) => Some(self.scope.settled(value)),
                _ => None,
            };
            let exactly = |value: &Expr| self.scope.trial(|scope| scope.exactly(value, span)).0;
            let first = begins.as_ref().and_then(exactly).and_then(Extremum::affine);
            let begins = begins.filter(|_| first.is_none());
            changes.push(Change { place: *place, declared: *declared, ty, moves: None, first, begins, in_head });
        }
        // A step by another variable that the loop changes is no constant.
        changes.iter().for_each(|change| self.scope.assign_local(change.place, Name::Unknown));
        for ((name, ty, ..), change) in changed.iter().zip(&mut changes) {
            let body = Body::of(name, &f.statement);
            if body.hides() {
                continue;
            }
            // A truth value that grows stays 1.
            let step = self.step_of(&body, &f.statement).filter(|step| *step == 0 || *ty != CType::Bool);
            change.moves = step.map(Moves::By);
        }
        // Each by itself, or else all of them together: then one's value tells another's.
        let turning = |((name, ty, ..), change): (&(String, CType, usize, usize), &Change)| {
            let first = change.first.as_ref().filter(|first| first.is_constant()).map(|first| first.constant);
            change.moves.is_none().then(|| Turning { name: name.clone(), place: change.place, ty: ty.clone(), first })
        };
        let all: Vec<Turning> = changed.iter().zip(&changes).filter_map(turning).collect();
        let all: Vec<Turning> = all.into_iter().filter(|own| !Body::of(&own.name, &f.statement).hides()).collect();
        let mut found: Vec<(usize, Ring)> = vec![];
        for own in all.iter().filter(|own| own.first.is_some()) {
            let body = Body::of(&own.name, &f.statement);
            let one = self.rings(&body, &f.statement, std::slice::from_ref(own));
            found.extend(one.into_iter().flatten().flatten().map(|ring| (own.place, ring)));
        }
        let left: Vec<Turning> =
            all.into_iter().filter(|own| !found.iter().any(|(place, _)| *place == own.place)).collect();
        if let Some(first) = left.first().filter(|_| left.iter().any(|own| own.first.is_some())) {
            let body = Body::of(&first.name, &f.statement);
            let rings = self.rings(&body, &f.statement, &left).unwrap_or_default();
            found.extend(left.iter().zip(rings).filter_map(|(own, ring)| Some((own.place, ring?))));
        }
        for change in &mut changes {
            let own = found.iter().position(|(place, _)| *place == change.place);
            change.moves = change.moves.take().or_else(|| own.map(|k| Moves::Round(found.swap_remove(k).1)));
        }
        Ok(changes)
    }

    /// Inside the loop: the variables after `count` iterations.
    pub fn begin_changes(&mut self, changes: &[Change], count: Option<&Affine>, span: Span) {
        for change @ Change { place, declared, ty, .. } in changes {
            let value = count.and_then(|count| self.after(change, count, span));
            if value.is_none() && *declared != ITERATOR {
                self.doubtful.push((*place, *declared));
            }
            if let Some(value) = &value {
                self.scope.require(value, *ty, Broken::Wraps(*ty), span);
            }
            let known = value.map(|value| Name::Value(Expr::Index { value, ty: *ty }));
            self.scope.assign_local(*place, known.unwrap_or(Name::Unknown));
        }
    }

    /// Behind the loop, which has the smallest of these `counts` of iterations where that is not below 0, and else none. Of an
    /// empty list it is not known.
    pub fn end_changes(&mut self, changes: &[Change], counts: &[Affine], span: Span) {
        let wide = ScalarType::integer(64, true);
        let less = |left: &Affine, right: &Affine| {
            let of = |value: &Affine| Box::new(Expr::Index { value: value.clone(), ty: wide });
            Box::new(Expr::Binary { op: BinaryOp::Less, left: of(left), right: of(right), ty: ScalarType::I32 })
        };
        for change @ Change { place, ty, first, .. } in changes {
            let of = |value: Affine| Expr::Index { value, ty: *ty };
            let mut last = None;
            for (k, count) in counts.iter().enumerate() {
                let Some(own) = self.after(change, count, span).zip(first.as_ref()).map(|(value, first)| {
                    let (value, first) = (of(value), of(first.clone()));
                    if self.scope.non_negative(count) {
                        return value;
                    }
                    let condition = less(&Affine::default(), count);
                    Expr::Select { condition, then: Box::new(value), otherwise: Box::new(first), ty: *ty }
                }) else {
                    last = None;
                    break;
                };
                last = Some(match last {
                    None => own,
                    Some(before) => {
                        // Where this one is the smallest so far.
                        let smaller = counts[..k].iter().map(|other| less(count, other));
                        let condition = smaller.reduce(|left, right| {
                            Box::new(Expr::Binary { op: BinaryOp::LogicalAnd, left, right, ty: ScalarType::I32 })
                        });
                        let (then, otherwise) = (Box::new(own), Box::new(before));
                        match condition {
                            Some(condition) => Expr::Select { condition, then, otherwise, ty: *ty },
                            None => *then,
                        }
                    }
                });
            }
            let known = last.filter(|last| size(last) <= LARGEST);
            self.scope.assign_local(*place, known.map_or(Name::Unknown, Name::Value));
        }
    }

    /// What a variable is after `count` iterations. One of a narrow type without sign goes round where the sizes let
    /// it: `unsigned char head; … buf[head++] = x;`; not one that tells where the loop ends. One of a wide type that surely comes round is
    /// data: `sum += 0x9E3779B9`.
    fn after(&mut self, change: &Change, count: &Affine, span: Span) -> Option<Affine> {
        let Change { ty, in_head, .. } = change;
        let (first, moves) = (change.first.as_ref()?, change.moves.as_ref()?);
        let step = match moves {
            Moves::By(step) => *step,
            Moves::Round(ring) => return ring.after(self.scope, count, span),
        };
        let value = plus(first.clone(), times(count.clone(), step)?, 1)?;
        let (low, high) = value.range(|name| self.scope.shown_range(name));
        let (least, most) = ty.limits();
        if ty.signed || *in_head || least <= low && high <= most {
            return Some(value);
        }
        if ty.bits > NARROW {
            let is_sure = first.is_constant() && count.terms.len() <= 1 && -FAR < low && high < FAR;
            return (!is_sure).then_some(value);
        }
        let modulus = 1i64 << ty.bits;
        let rounds = self.scope.quotient(value.clone(), modulus, false, span);
        plus(value, rounds, -modulus)
    }
}
