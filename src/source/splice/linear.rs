//! Calls in expressions of which C does one part after the other: what comes first becomes statements before the whole, until
//! each call stands where the others of [`super::sites`] take it.
//!
//! ```c
//! x = a[i] + (n++, next(&k));              { n++; x = a[i] + next(&k); }
//! if (a[i] < 0 || (step(&k), k & 1)) S     int h = (a[i] < 0) != 0; if (!h) h = (step(&k), k & 1) != 0; if (h) S
//! if (!(m = next(&k))) S                   m = next(&k); if (!m) S
//! ```

use std::collections::HashSet;

use lang_c::ast::{BinaryOperator, Expression};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::Visit;

use super::super::canonical::Calls;
use super::super::nest::{assignment, counts};
use super::super::preprocess::Splice;
use super::{Kind, Piece, Splicer};

/// What comes before an expression's value, and how many names that took.
struct Before<'n> {
    pieces: Vec<Piece>,
    here: ByteSpan,
    number: &'n mut usize,
}

impl Before<'_> {
    fn word(&self, text: &str) -> Piece {
        (text.to_string(), self.here)
    }

    fn words(&mut self, words: &[&str]) {
        self.pieces.extend(words.iter().map(|text| (text.to_string(), self.here)));
    }
}

impl Splicer<'_, '_, '_> {
    /// The statement at `span` with what `value` does first before it; `None` where nothing of it is done first, or C does not say what is.
    pub fn linear(
        &self,
        value: &Node<Expression>,
        span: ByteSpan,
        is_bare: bool,
        number: &mut usize,
    ) -> Option<Vec<Splice>> {
        let here = ByteSpan::span(span.start, span.start + 1);
        let mut before = Before { pieces: vec![], here, number };
        let own = self.apart(value, &mut before).filter(|_| !before.pieces.is_empty())?;
        let whole = self.preprocessed.balanced(value.span);
        let mut edits = vec![(whole.start..whole.end, own)];
        if !is_bare {
            before.pieces.insert(0, before.word("{"));
            let end = self.preprocessed.end(span);
            edits.push((end..end, vec![before.word("}")]));
        }
        edits.push((span.start..span.start, before.pieces));
        Some(edits)
    }

    /// The text of a value, behind what is done before it.
    fn apart(&self, node: &Node<Expression>, before: &mut Before) -> Option<Vec<Piece>> {
        if !self.wants_body(node) {
            return Some(self.part(node));
        }
        match &node.node {
            Expression::Comma(parts) => {
                let (last, first) = parts.split_last()?;
                for part in first {
                    before.pieces.extend(self.part(part));
                    before.words(&[";"]);
                }
                let mut own = vec![before.word("(")];
                own.extend(self.apart(last, before)?);
                own.push(before.word(")"));
                Some(own)
            }
            Expression::Conditional(choice) => {
                let condition = self.apart(&choice.node.condition, before)?;
                Some(self.with(node, &choice.node.condition, condition))
            }
            Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(self.part(node)),
            Expression::UnaryOperator(unary) => self.inside(node, &unary.node.operand, before),
            Expression::Cast(cast) => self.inside(node, &cast.node.expression, before),
            Expression::Member(member) => self.inside(node, &member.node.expression, before),
            Expression::Call(call) if self.has_whole(&call.node) => Some(self.part(node)),
            Expression::Call(call) => self.one_of(node, &call.node.arguments.iter().collect::<Vec<_>>(), before),
            Expression::BinaryOperator(o) => {
                let (lhs, rhs) = (&*o.node.lhs, &*o.node.rhs);
                let is_and = o.node.operator.node == BinaryOperator::LogicalAnd;
                if is_and || o.node.operator.node == BinaryOperator::LogicalOr {
                    let first = self.apart(lhs, before)?;
                    if !self.wants_body(rhs) {
                        return Some(self.with(node, lhs, first));
                    }
                    let own = self.truth_name(node.span, before.number);
                    before.words(&["int", &own, "=", "("]);
                    before.pieces.extend(first);
                    before.words(&[")", "!=", "0", ";", "if", "(", if is_and { "" } else { "!" }, &own, ")"]);
                    before.words(&[&own, "=", "("]);
                    before.pieces.extend(self.part(rhs));
                    before.words(&[")", "!=", "0", ";"]);
                    before.pieces.retain(|(text, _)| !text.is_empty());
                    return Some(vec![before.word(&own)]);
                }
                if assignment(&o.node.operator.node).is_some() {
                    if self.wants_body(lhs) || !super::sites::is_silent(lhs) {
                        return None;
                    }
                    let value = self.apart(rhs, before)?;
                    before.pieces.extend(self.with(node, rhs, value));
                    before.words(&[";"]);
                    return Some(self.part(lhs));
                }
                self.one_of(node, &[lhs, rhs], before)
            }
            _ => None,
        }
    }

    /// An expression of which one operand is done before the others, which do not name what it may change.
    fn one_of(
        &self,
        node: &Node<Expression>,
        operands: &[&Node<Expression>],
        before: &mut Before,
    ) -> Option<Vec<Piece>> {
        let mut wanting = operands.iter().filter(|own| self.wants_body(own));
        let (only, None) = (wanting.next()?, wanting.next()) else { return None };
        let names = |node: &Node<Expression>| -> HashSet<&str> {
            let tokens = self.tokens(self.preprocessed.balanced(node.span)).iter();
            tokens.filter(|token| token.kind == Kind::Word).map(|token| self.text(token)).collect()
        };
        let own = names(only);
        let mut calls = Calls::default();
        calls.visit_expression(&only.node, &only.span);
        let is_own =
            calls.0.iter().all(|call| self.callee(call).is_none_or(|callee| self.changes_places_only(callee, 0)));
        let is_apart =
            operands.iter().filter(|other| !std::ptr::eq(**other, *only)).all(|other| names(other).is_disjoint(&own));
        if !is_own || !is_apart {
            return None;
        }
        self.inside(node, only, before)
    }

    fn inside(&self, node: &Node<Expression>, operand: &Node<Expression>, before: &mut Before) -> Option<Vec<Piece>> {
        let own = self.apart(operand, before)?;
        Some(self.with(node, operand, own))
    }

    /// The text of an expression with other words in place of an operand.
    fn with(&self, node: &Node<Expression>, operand: &Node<Expression>, own: Vec<Piece>) -> Vec<Piece> {
        let (all, inner) = (self.preprocessed.balanced(node.span), self.preprocessed.balanced(operand.span));
        let first = self.pieces(ByteSpan::span(all.start, inner.start));
        let behind = self.pieces(ByteSpan::span(inner.end, all.end));
        [first, own, behind].concat()
    }
}
