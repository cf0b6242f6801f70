//! Calls in conditions that C does not always come to: the condition is taken apart, so that the call stands where it is evaluated
//! whenever its statement is.
//!
//! ```c
//! while (i < n && find(a, n, b[i]) >= 0) S       while (i < n) { if (!(find(a, n, b[i]) >= 0)) break; S }
//! if (k > 0 && find(a, n, k) > 2) S              if (k > 0) { if (find(a, n, k) > 2) S }
//! if (k < 0 || find(a, n, k) > 2) S else T       int h = (k < 0) != 0; if (!h) h = (find(a, n, k) > 2) != 0; if (h) S else T
//! ```

use lang_c::ast::{BinaryOperator, CallExpression, Expression, IfStatement, Statement};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::exits::conjuncts;
use super::super::function::{derived, has_loop};
use super::super::nest::operation;
use super::super::preprocess::Splice;
use super::sites::parameters;
use super::{Piece, Splicer};

impl<'u> Splicer<'_, '_, 'u> {
    /// Whether a body has to stand in place of some call in an expression.
    fn wants_body(&self, node: &Node<Expression>) -> bool {
        struct Calls<'u>(Vec<&'u CallExpression>);
        impl<'u> Visit<'u> for Calls<'u> {
            fn visit_call_expression(&mut self, call: &'u CallExpression, span: &'u ByteSpan) {
                self.0.push(call);
                visit::visit_call_expression(self, call, span);
            }
        }
        let mut calls = Calls(vec![]);
        calls.visit_expression(&node.node, &node.span);
        calls.0.into_iter().any(|call| {
            self.callee(call).is_some_and(|callee| {
                let is_whole = |d: &Node<lang_c::ast::Declarator>| !derived(d).is_empty();
                has_loop(&callee.statement)
                    || parameters(callee).iter().any(|p| p.node.declarator.as_ref().is_some_and(is_whole))
            })
        })
    }

    /// The head of a loop that looks at calls before each iteration.
    pub fn head(&self, condition: &Node<Expression>, body: &Node<Statement>) -> Vec<Splice> {
        let parts = conjuncts(condition);
        let Some(first) = parts.iter().position(|part| self.wants_body(part)) else { return vec![] };
        let here = ByteSpan::span(condition.span.start, condition.span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let kept: Vec<Piece> = match first {
            0 => vec![word("1")],
            _ => self.together(&parts[..first], "&&"),
        };
        // Of a block the first statement, so that its last is the body's.
        let is_block = matches!(body.node, Statement::Compound(_));
        let mut leaving = if is_block { vec![] } else { vec![word("{")] };
        for part in &parts[first..] {
            leaving.extend(["if", "(", "!", "("].map(word));
            leaving.extend(self.part(part));
            leaving.extend([")", ")", "break", ";"].map(word));
        }
        let (start, end) = (body.span.start + usize::from(is_block), self.preprocessed.end(body.span));
        let mut edits = vec![(self.bytes(condition), kept), (start..start, leaving)];
        if !is_block {
            edits.push((end..end, vec![word("}")]));
        }
        edits
    }

    /// An `if` that comes to a call only by way of another condition.
    pub fn branch(&self, branch: &IfStatement, span: ByteSpan, is_listed: bool, number: &mut usize) -> Vec<Splice> {
        let IfStatement { condition, then_statement, else_statement } = branch;
        let Some((operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr), _)) = operation(condition)
        else {
            return vec![];
        };
        let parts = operands(condition, &operator);
        let Some(first) = parts.iter().position(|part| self.wants_body(part)).filter(|first| *first > 0) else {
            return vec![];
        };
        let is_and = operator == BinaryOperator::LogicalAnd;
        let sign = if is_and { "&&" } else { "||" };
        let (before, behind) = (self.together(&parts[..first], sign), self.together(&parts[first..], sign));
        let here = ByteSpan::span(span.start, span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        if is_and && else_statement.is_none() {
            let mut inner = ["{", "if", "("].map(word).to_vec();
            inner.extend(behind);
            inner.push(word(")"));
            let (start, end) = (then_statement.span.start, self.preprocessed.end(then_statement.span));
            return vec![(self.bytes(condition), before), (start..start, inner), (end..end, vec![word("}")])];
        }
        *number += 1;
        let mut own = format!("holds_{}_{number}", span.start);
        while self.preprocessed.text.contains(&own) {
            own.push('_');
        }
        let truth = |pieces: Vec<Piece>| {
            let ends = [")", "!=", "0", ";"].map(word).to_vec();
            [vec![word("(")], pieces, ends].concat()
        };
        let mut first: Vec<Piece> = if is_listed { vec![] } else { vec![word("{")] };
        first.extend(["int", &own, "="].map(word));
        first.extend(truth(before));
        first.extend(["if", "("].map(word));
        first.extend((!is_and).then(|| word("!")));
        first.extend([&own, ")", &own, "="].map(word));
        first.extend(truth(behind));
        let end = self.preprocessed.end(span);
        let mut edits = vec![(span.start..span.start, first), (self.bytes(condition), vec![word(&own)])];
        if !is_listed {
            edits.push((end..end, vec![word("}")]));
        }
        edits
    }

    fn bytes(&self, node: &Node<Expression>) -> std::ops::Range<usize> {
        let own = self.preprocessed.balanced(node.span);
        own.start..own.end
    }

    fn part(&self, node: &Node<Expression>) -> Vec<Piece> {
        self.pieces(self.preprocessed.balanced(node.span))
    }

    fn together(&self, parts: &[&Node<Expression>], sign: &str) -> Vec<Piece> {
        let mut all: Vec<Piece> = vec![];
        for part in parts {
            let here = ByteSpan::span(part.span.start, part.span.start + 1);
            let word = |text: &str| (text.to_string(), here);
            if !all.is_empty() {
                all.push(word(sign));
            }
            all.push(word("("));
            all.extend(self.part(part));
            all.push(word(")"));
        }
        all
    }
}

/// `a`, `b` and `c` of `a || b || c`.
fn operands<'n>(node: &'n Node<Expression>, sign: &BinaryOperator) -> Vec<&'n Node<Expression>> {
    match operation(node) {
        Some((own, o)) if own == *sign => [operands(&o.lhs, sign), operands(&o.rhs, sign)].concat(),
        _ => vec![node],
    }
}
