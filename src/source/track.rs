//! Local integers that places are made of and that change: `int k = 0; for (…) { a[k] = …; k += 2; }`.
//!
//! The value of such a variable is known as an expression wherever the text is read: an assignment changes what the name
//! stands for, both sides of an `if` on iterators and sizes are a choice behind it, and a loop whose iterations add a
//! constant makes it affine in the iterations that are over. A variable whose values are not known like that is memory.

use lang_c::ast::{
    BinaryOperator, BlockItem, Expression, ForInitializer, ForStatement, Initializer, Statement as CStatement,
    UnaryOperator,
};
use lang_c::span::Node;

use super::affine_expression::{plus, times};
use super::canonical::names_in;
use super::extremum::Extremum;
use super::function::identifier;
use super::kernel::{BinaryOp, Broken, Expr, ScalarType};
use super::locals::{LARGEST, Usage, size};
use super::nest::{Nest, assignment, is_name, operation};
use super::scope::{Checked, Name};
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// A local variable whose value is known everywhere.
pub struct Tracked {
    pub name: String,
    pub ty: CType,
    /// Its place among the local names.
    pub place: usize,
    /// Byte of its declaration.
    pub declared: usize,
}

/// What a loop does to a variable.
pub struct Change {
    place: usize,
    declared: usize,
    ty: ScalarType,
    /// What every iteration adds.
    step: Option<i64>,
    first: Option<Affine>,
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
        if !self.is_on_data() {
            if let Some(known) = self.affine_of(value.clone(), span) {
                return Ok(known);
            }
            let known = self.scope.quotients.len();
            let is_known = size(&value) <= LARGEST && self.scope.is_affine_by_choice(&value, span);
            self.scope.quotients.truncate(known);
            if is_known {
                return Ok(value);
            }
        }
        Err(self.lost(declared, span))
    }

    /// Gives up tracking the variable that is declared there.
    fn lost(&mut self, declared: usize, span: Span) -> Diagnostic {
        self.lost.get_or_insert(declared);
        Diagnostic::new("the value of a variable is not known here").at(span, "not affine")
    }

    /// What the variables stand for.
    pub fn known(&self) -> Vec<(usize, Name)> {
        let of = |tracked: &Tracked| (tracked.place, self.scope.local_at(tracked.place));
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
                    if size(&choice) <= LARGEST { Name::Value(choice) } else { Name::Unset }
                }
                _ => Name::Unset,
            };
            self.scope.assign_local(*place, joined);
        }
    }

    /// What a loop does to the variables that its body changes, which have no value in its head.
    pub fn changes(&mut self, f: &ForStatement, span: Span) -> Checked<Vec<Change>> {
        let mut changes = vec![];
        let changed: Vec<(String, CType, usize, usize)> = (self.tracked.iter())
            .filter(|t| self.tracked(&t.name).is_some_and(|own| own.place == t.place))
            .filter(|t| !Usage::of_statement(&t.name, &f.statement).is_constant())
            .map(|t| (t.name.clone(), t.ty.clone(), t.place, t.declared))
            .collect();
        let head: Vec<String> = [&f.condition, &f.step].into_iter().flatten().flat_map(|e| names_in(e)).collect();
        for (name, ty, place, declared) in changed {
            let Some(ty) = ty.integer().filter(|_| !head.contains(&name)) else {
                return Err(self.lost(declared, span));
            };
            let step = self.step_of(&name, &f.statement);
            let first = match self.scope.local_at(place) {
                Name::Value(value) => {
                    self.scope.trial(|scope| scope.exactly(&value, span)).0.and_then(Extremum::affine)
                }
                _ => None,
            };
            changes.push(Change { place, declared, ty, step, first });
        }
        Ok(changes)
    }

    /// Inside the loop: the variables after `count` iterations.
    pub fn begin_changes(&mut self, changes: &[Change], count: Option<&Affine>, span: Span) {
        for Change { place, declared, ty, step, first } in changes {
            let value = match (first, step, count) {
                (Some(first), Some(step), Some(count)) => after(first, *step, count),
                _ => None,
            };
            if value.is_none() {
                self.doubtful.push(*declared);
            }
            if let Some(value) = &value {
                self.scope.require(value, *ty, Broken::Wraps(*ty), span);
            }
            let known = value.map(|value| Name::Value(Expr::Index { value, ty: *ty }));
            self.scope.assign_local(*place, known.unwrap_or(Name::Unset));
        }
    }

    /// Behind the loop, which has `count` iterations where that is not below 0, and else none.
    pub fn end_changes(&mut self, changes: &[Change], count: Option<&Affine>) {
        for Change { place, ty, step, first, .. } in changes {
            let value = match (first, step, count) {
                (Some(first), Some(step), Some(count)) => after(first, *step, count).map(|last| {
                    let of = |value: &Affine| Expr::Index { value: value.clone(), ty: *ty };
                    if self.scope.non_negative(count) {
                        return of(&last);
                    }
                    let wide = ScalarType::integer(64, true);
                    let zero = Box::new(Expr::Constant { value: 0, ty: wide });
                    let count = Box::new(Expr::Index { value: count.clone(), ty: wide });
                    let some = Expr::Binary { op: BinaryOp::Less, left: zero, right: count, ty: ScalarType::I32 };
                    let (then, otherwise) = (Box::new(of(&last)), Box::new(of(first)));
                    Expr::Select { condition: Box::new(some), then, otherwise, ty: *ty }
                }),
                _ => None,
            };
            self.scope.assign_local(*place, value.map_or(Name::Unset, Name::Value));
        }
    }

    /// The constant that a statement adds to a variable.
    fn step_of(&mut self, name: &str, node: &Node<CStatement>) -> Option<i64> {
        if Usage::of_statement(name, node).is_constant() {
            return Some(0);
        }
        match &node.node {
            CStatement::Expression(Some(expression)) => self.step_of_expression(name, expression),
            CStatement::Compound(items) => items.iter().try_fold(0i64, |sum, item| match &item.node {
                BlockItem::Statement(statement) => sum.checked_add(self.step_of(name, statement)?),
                BlockItem::Declaration(declaration) => {
                    let names = declaration.node.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
                    (!names.into_iter().any(|declared| declared.node.name == name)).then_some(sum)
                }
                BlockItem::StaticAssert(_) => Some(sum),
            }),
            CStatement::If(branch) => {
                let then = self.step_of(name, &branch.node.then_statement)?;
                let otherwise = match &branch.node.else_statement {
                    Some(statement) => self.step_of(name, statement)?,
                    None => 0,
                };
                (then == otherwise).then_some(then)
            }
            CStatement::For(f) => {
                let each = self.step_of(name, &f.node.statement)?;
                each.checked_mul(if each == 0 { 0 } else { self.constant_trips(&f.node)? })
            }
            _ => None,
        }
    }

    fn step_of_expression(&mut self, name: &str, node: &Node<Expression>) -> Option<i64> {
        match &node.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, name) => match unary.node.operator.node {
                UnaryOperator::PreIncrement | UnaryOperator::PostIncrement => Some(1),
                UnaryOperator::PreDecrement | UnaryOperator::PostDecrement => Some(-1),
                _ => None,
            },
            _ => {
                let (operator, o) = operation(node)?;
                let own = is_name(&o.lhs, name);
                match (assignment(&operator)?, operation(&o.rhs)) {
                    (Some(BinaryOp::Add), _) if own => self.scope.constant(&o.rhs).ok(),
                    (Some(BinaryOp::Subtract), _) if own => self.scope.constant(&o.rhs).ok()?.checked_neg(),
                    (None, Some((BinaryOperator::Plus, sum))) if own && is_name(&sum.lhs, name) => {
                        self.scope.constant(&sum.rhs).ok()
                    }
                    (None, Some((BinaryOperator::Minus, sum))) if own && is_name(&sum.lhs, name) => {
                        self.scope.constant(&sum.rhs).ok()?.checked_neg()
                    }
                    _ => None,
                }
            }
        }
    }

    /// The iterations of `for (int j = 0; j < 4; j += 2)`.
    fn constant_trips(&mut self, f: &ForStatement) -> Option<i64> {
        let (name, first) = match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [declarator] = &declaration.node.declarators[..] else { return None };
                let Initializer::Expression(first) = &declarator.node.initializer.as_ref()?.node else { return None };
                (identifier(&declarator.node.declarator.node)?.node.name.clone(), self.scope.constant(first).ok()?)
            }
            ForInitializer::Expression(first) => {
                let (BinaryOperator::Assign, o) = operation(first)? else { return None };
                let Expression::Identifier(name) = &o.lhs.node else { return None };
                (name.node.name.clone(), self.scope.constant(&o.rhs).ok()?)
            }
            _ => return None,
        };
        let step = self.step_of_expression(&name, f.step.as_ref()?).filter(|step| *step > 0)?;
        let (operator, o) = operation(f.condition.as_ref()?)?;
        let end = self.scope.constant(&o.rhs).ok().filter(|_| is_name(&o.lhs, &name))?;
        let last = match operator {
            BinaryOperator::Less => end.checked_sub(1)?,
            BinaryOperator::LessOrEqual => end,
            _ => return None,
        };
        Some((last.checked_sub(first)?.div_euclid(step) + 1).max(0))
    }
}

/// A variable that begins with `first` and grows by `step`, `count` times.
fn after(first: &Affine, step: i64, count: &Affine) -> Option<Affine> {
    plus(first.clone(), times(count.clone(), step)?, 1)
}
