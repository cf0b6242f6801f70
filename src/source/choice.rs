//! `c ? x : y` where an affine value is wanted and neither a minimum nor a maximum will do: what needs the value is there
//! twice, once for each side. So is `i + (i < n)`, whose comparison is 1 or 0.
//!
//! Whoever refuses an expression for such a choice leaves its condition in [`Scope::choice`]. A read then becomes
//! `c ? a[x] : a[y]`, an assignment to `a[c ? x : y]` two under opposite conditions, and so does a loop that begins or ends at
//! such a value. Each lowers the same C text again with the side in [`Scope::chosen`], until no choice is left.

use lang_c::ast::Expression;
use lang_c::span::Node;

use super::extremum::{Extremum, is_truth, negated};
use super::kernel::{Condition, Expr};
use super::scope::{Checked, Scope};
use super::table::spread;
use crate::diagnostic::Span;

/// Choices inside each other: 2^6 copies of a statement at most.
const DEEPEST: usize = 6;

/// Whether no data are in the expression: where they are, its value is computed and not chosen.
fn is_known(expr: &Expr) -> bool {
    expr.reads().is_empty() && expr.gathers().is_empty()
}

impl Scope<'_> {
    /// The expression without the choices that have been made around this place.
    pub fn settled(&self, expr: Expr) -> Expr {
        if self.chosen.is_empty() {
            return expr;
        }
        if let Expr::Lookup { table, index } = &expr
            && let Some(choices) = spread(table, index)
        {
            let settled = self.settled(choices.clone());
            return if settled == choices { expr } else { settled };
        }
        let mut expr = expr;
        for operand in expr.operands_mut() {
            *operand = self.settled(operand.clone());
        }
        match expr {
            // A condition that has been chosen is a constant by now.
            Expr::Select { condition, then, otherwise, ty } => match *condition {
                Expr::Constant { value, .. } => *if value != 0 { then } else { otherwise },
                _ => Expr::Select { condition, then, otherwise, ty },
            },
            other => match self.chosen.iter().find(|(known, _)| *known == other) {
                Some((_, holds)) => Expr::Constant { value: i64::from(*holds), ty: other.ty() },
                None => other,
            },
        }
    }

    /// Leaves the condition of the first choice in `expr` that iterators and sizes decide.
    pub fn offer_choice(&mut self, expr: &Expr, span: Span) {
        self.choice = self.find_choice(expr, is_known(expr), span);
    }

    /// The same of the choices that the expression's operands have.
    pub fn offer_inner_choice(&mut self, expr: &Expr, span: Span) {
        let of_truths = is_known(expr);
        self.choice = expr.operands().into_iter().find_map(|operand| self.find_choice(operand, of_truths, span));
    }

    /// Also of 1 and 0 by what is true, `i + (i < n)`, if `of_truths`.
    fn find_choice(&mut self, expr: &Expr, of_truths: bool, span: Span) -> Option<Expr> {
        let condition = match expr {
            Expr::Lookup { table, index } => return self.find_choice(&spread(table, index)?, of_truths, span),
            Expr::Select { condition, .. } => Some(&**condition),
            Expr::Cast { .. } => None,
            _ => Some(expr).filter(|expr| of_truths && is_truth(expr)),
        };
        if let Some(condition) = condition
            && self.trial(|scope| scope.condition_of(condition, span)).0.is_some()
        {
            return Some(condition.clone());
        }
        expr.operands().into_iter().find_map(|operand| self.find_choice(operand, of_truths, span))
    }

    /// Whether the expression is affine on every side of its choices.
    pub fn is_affine_by_choice(&mut self, expr: &Expr, span: Span) -> bool {
        if self.trial(|scope| scope.extremum(expr, span).and_then(Extremum::affine)).0.is_some() {
            return true;
        }
        let sides = self.trial(|scope| {
            scope.offer_choice(expr, span);
            let choice = scope.take_choice(span)?;
            let both = scope.both_sides(choice, |scope, _| {
                let side = scope.settled(expr.clone());
                Ok(scope.is_affine_by_choice(&side, span))
            });
            both.ok()
        });
        sides.0 == Some([true, true])
    }

    /// The condition that was offered, as it is and as iterators and sizes decide it.
    pub fn take_choice(&mut self, span: Span) -> Option<(Expr, Condition)> {
        let choice = self.choice.take()?;
        if self.chosen.len() >= DEEPEST {
            return None;
        }
        let condition = self.condition_of(&choice, span)?;
        Some((choice, condition))
    }

    /// Both sides of a choice: what `act` gives where it holds, under its condition, and where it does not.
    pub fn both_sides<T>(
        &mut self,
        (choice, condition): (Expr, Condition),
        mut act: impl FnMut(&mut Self, Condition) -> Checked<T>,
    ) -> Checked<[T; 2]> {
        let mut side = |holds: bool| {
            let condition = if holds { condition.clone() } else { negated(condition.clone()) };
            self.chosen.push((choice.clone(), holds));
            let result = act(self, condition);
            self.chosen.pop();
            result
        };
        Ok([side(true)?, side(false)?])
    }

    /// An element that a choice among its subscripts kept from being read; `None` where there was none.
    pub fn chosen_read(&mut self, node: &Node<Expression>) -> Option<Checked<Expr>> {
        let choice = self.take_choice(self.span(node.span))?;
        let condition = Box::new(choice.0.clone());
        let sides = self.both_sides(choice, |scope, holds| scope.guarded(Some(holds), node));
        Some(sides.map(|[then, otherwise]| {
            let ty = then.ty();
            Expr::Select { condition, then: Box::new(then), otherwise: Box::new(otherwise), ty }
        }))
    }
}
