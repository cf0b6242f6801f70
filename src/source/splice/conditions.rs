//! Calls in conditions that C does not always come to: the condition is taken apart, so that the call stands where it is evaluated
//! whenever its statement is.
//!
//! ```c
//! while (i < n && find(a, n, b[i]) >= 0) S       while (i < n) { if (!(find(a, n, b[i]) >= 0)) break; S }
//! if (k > 0 && find(a, n, k) > 2) S              if (k > 0) { if (find(a, n, k) > 2) S }
//! do S while (find(a, n, k) > 2);                while (1) { S if (!(find(a, n, k) > 2)) break; }
//! do S while (k > 0 && find(a, n, k) > 2);       S while (k > 0) { if (!(find(a, n, k) > 2)) break; S }
//! if (k < 0 || find(a, n, k) > 2) S else T       int h = (k < 0) != 0; if (!h) h = (find(a, n, k) > 2) != 0; if (h) S else T
//! if (k < 0 ? find(a, n, k) : 0) S               int h = (k < 0 ? find(a, n, k) : 0) != 0; if (h) S
//! for (…; k++, next(&k)) S                       for (…;) { S k++, next(&k); }
//! ```
//!
//! `continue` in what ends with such a thing goes to a label before it.

use lang_c::ast::{BinaryOperator, BlockItem, CallExpression, Expression, IfStatement, Statement};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::canonical::{Calls, REPEATED, has_continue, has_jump, statements};
use super::super::exits::conjuncts;
use super::super::function::{derived, has_loop};
use super::super::nest::operation;
use super::super::plain::listed;
use super::super::preprocess::Splice;
use super::sites::parameters;
use super::{Piece, Splicer};

impl<'u> Splicer<'_, '_, 'u> {
    /// Whether a body has to stand in place of some call in an expression.
    pub fn wants_body(&self, node: &Node<Expression>) -> bool {
        let mut calls = Calls::default();
        calls.visit_expression(&node.node, &node.span);
        calls.0.into_iter().any(|call| self.has_whole(call))
    }

    /// Whether a helper has loops, or gets more than numbers.
    pub fn has_whole(&self, call: &CallExpression) -> bool {
        self.callee(call).is_some_and(|callee| {
            let is_whole = |d: &Node<lang_c::ast::Declarator>| !derived(d).is_empty();
            has_loop(&callee.statement)
                || parameters(callee).iter().any(|p| p.node.declarator.as_ref().is_some_and(is_whole))
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
        leaving.extend(self.breaks(&parts[first..], here));
        let (start, end) = (body.span.start + usize::from(is_block), self.preprocessed.end(body.span));
        let mut edits = vec![(self.bytes(condition), kept), (start..start, leaving)];
        if !is_block {
            edits.push((end..end, vec![word("}")]));
        }
        edits
    }

    /// A `do` loop, at `span`, that looks at calls behind each iteration.
    pub fn foot(
        &self,
        condition: &Node<Expression>,
        body: &Node<Statement>,
        span: ByteSpan,
        is_listed: bool,
    ) -> Vec<Splice> {
        if !self.wants_body(condition) {
            return vec![];
        }
        if has_continue(body) {
            let (mut edits, label) = self.to_end(body);
            let (start, end) = (body.span.start, self.preprocessed.end(body.span));
            let here = ByteSpan::span(start, start + 1);
            let word = |text: &str| (text.to_string(), here);
            edits.push((start..start, vec![word("{")]));
            edits.push((end..end, [&label, ":", ";", "}"].map(word).to_vec()));
            return edits;
        }
        let here = ByteSpan::span(condition.span.start, condition.span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let parts = conjuncts(condition);
        let first = parts.iter().position(|part| self.wants_body(part)).unwrap_or_default();
        let items = listed(body);
        let is_block = matches!(body.node, Statement::Compound(_));
        let declares = items.iter().any(|item| matches!(item.node, BlockItem::Declaration(_)));
        let (start, end) = (body.span.start, self.preprocessed.end(body.span));
        let tail = end..self.preprocessed.end(span);
        let keyword = span.start..span.start + "do".len();
        // A condition that counts ends the loop where it can: a short body stands before it once more.
        let is_short = items.iter().map(statements).sum::<usize>() <= REPEATED;
        if first > 0 && is_short && !has_jump(body) && !has_label(body) {
            let is_apart = !is_listed || declares;
            let own = self.pieces(ByteSpan::span(start, end));
            let own = if is_block && !declares { own[1..own.len() - 1].to_vec() } else { own };
            let around = |text: &str| is_apart.then(|| word(text));
            let mut before: Vec<Piece> = around("{").into_iter().chain(own).collect();
            before.extend(["while", "("].map(word));
            before.extend(self.together(&parts[..first], "&&"));
            before.push(word(")"));
            let mut leaving = if is_block { vec![] } else { vec![word("{")] };
            leaving.extend(self.breaks(&parts[first..], here));
            let inside = start + usize::from(is_block);
            let mut behind = if is_block { vec![] } else { vec![word("}")] };
            behind.extend(around("}"));
            return vec![(keyword, before), (inside..inside, leaving), (tail, behind)];
        }
        let mut leaving = self.breaks(&parts, here);
        let mut edits = vec![(keyword, ["while", "(", "1", ")"].map(word).to_vec())];
        // The condition is of the names outside.
        if is_block && !declares {
            edits.push((end - 1..end - 1, leaving));
            edits.push((tail, vec![]));
        } else {
            leaving.push(word("}"));
            edits.push((start..start, vec![word("{")]));
            edits.push((tail, leaving));
        }
        edits
    }

    /// `if (!(part)) break;` for each of these.
    fn breaks(&self, parts: &[&Node<Expression>], here: ByteSpan) -> Vec<Piece> {
        let word = |text: &str| (text.to_string(), here);
        let mut leaving = vec![];
        for part in parts {
            // Both sides of `||` have to fail.
            let all = operands(part, &BinaryOperator::LogicalOr);
            leaving.extend(["if", "("].map(word));
            for (k, own) in all.into_iter().enumerate() {
                leaving.extend((k > 0).then(|| word("&&")));
                leaving.extend(["!", "("].map(word));
                leaving.extend(self.part(own));
                leaving.push(word(")"));
            }
            leaving.extend([")", "break", ";"].map(word));
        }
        leaving
    }

    /// An `if` that comes to a call only by way of another condition.
    pub fn branch(&self, branch: &IfStatement, span: ByteSpan, is_listed: bool, number: &mut usize) -> Vec<Splice> {
        let IfStatement { condition, then_statement, else_statement } = branch;
        if !self.wants_body(condition) {
            return vec![];
        }
        let Some((operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr), _)) = operation(condition)
        else {
            // What a variable begins with is taken apart in its own place.
            let has_choice = has_choice(condition);
            return if has_choice { self.held(condition, span, is_listed, number) } else { vec![] };
        };
        let parts = operands(condition, &operator);
        let first = parts.iter().position(|part| self.wants_body(part)).unwrap_or_default();
        // What follows the first is evaluated when its calls are done.
        let first = first.max(1);
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
        let own = self.truth_name(span, number);
        let mut first = ["int", &own, "="].map(word).to_vec();
        first.extend(truth(before, here));
        first.extend(["if", "("].map(word));
        first.extend((!is_and).then(|| word("!")));
        first.extend([&own, ")", &own, "="].map(word));
        first.extend(truth(behind, here));
        self.with_truth(condition, span, is_listed, first, &own)
    }

    /// An `if` whose condition is a variable's value.
    fn held(&self, condition: &Node<Expression>, span: ByteSpan, is_listed: bool, number: &mut usize) -> Vec<Splice> {
        let here = ByteSpan::span(span.start, span.start + 1);
        let own = self.truth_name(span, number);
        let mut first = ["int", &own, "="].map(|text| (text.to_string(), here)).to_vec();
        first.extend(truth(self.part(condition), here));
        self.with_truth(condition, span, is_listed, first, &own)
    }

    /// A name that nobody has, of a condition.
    pub fn truth_name(&self, span: ByteSpan, number: &mut usize) -> String {
        *number += 1;
        let mut own = format!("holds_{}_{number}", span.start);
        while self.preprocessed.text.contains(&own) {
            own.push('_');
        }
        own
    }

    /// The `if` at `span` behind what makes the variable `own`, with that as its condition.
    fn with_truth(
        &self,
        condition: &Node<Expression>,
        span: ByteSpan,
        is_listed: bool,
        mut first: Vec<Piece>,
        own: &str,
    ) -> Vec<Splice> {
        let here = ByteSpan::span(span.start, span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let end = self.preprocessed.end(span);
        if !is_listed {
            first.insert(0, word("{"));
        }
        let mut edits = vec![(span.start..span.start, first), (self.bytes(condition), vec![word(own)])];
        if !is_listed {
            edits.push((end..end, vec![word("}")]));
        }
        edits
    }

    /// The step of a loop that calls what has to stand there as a whole, as the end of the loop's body.
    pub fn step(&self, step: &Node<Expression>, body: &Node<Statement>) -> Vec<Splice> {
        if !self.wants_body(step) {
            return vec![];
        }
        let here = ByteSpan::span(step.span.start, step.span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let (start, end) = (body.span.start, self.preprocessed.end(body.span));
        let (mut edits, label) = if has_continue(body) { self.to_end(body) } else { (vec![], String::new()) };
        edits.push((self.bytes(step), vec![]));
        edits.push((start..start, vec![word("{")]));
        let mut behind = if label.is_empty() { vec![] } else { [&label, ":", ";"].map(word).to_vec() };
        behind.extend(self.part(step));
        behind.extend([";", "}"].map(word));
        edits.push((end..end, behind));
        edits
    }

    /// Each `continue` of a loop's body as a jump to a label, and the label.
    fn to_end(&self, body: &Node<Statement>) -> (Vec<Splice>, String) {
        struct Continues(Vec<ByteSpan>);
        impl<'ast> Visit<'ast> for Continues {
            fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
                match statement {
                    Statement::Continue => self.0.push(*span),
                    Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {}
                    _ => visit::visit_statement(self, statement, span),
                }
            }
        }
        let mut label = format!("next_{}", body.span.start);
        while self.preprocessed.text.contains(&label) {
            label.push('_');
        }
        let mut found = Continues(vec![]);
        found.visit_statement(&body.node, &body.span);
        let jump = |span: ByteSpan| {
            let here = ByteSpan::span(span.start, span.start + 1);
            let words = ["goto", &label, ";"].map(|text| (text.to_string(), here)).to_vec();
            (span.start..self.preprocessed.end(span), words)
        };
        (found.0.into_iter().map(jump).collect(), label)
    }

    fn bytes(&self, node: &Node<Expression>) -> std::ops::Range<usize> {
        let own = self.preprocessed.balanced(node.span);
        own.start..own.end
    }

    pub fn part(&self, node: &Node<Expression>) -> Vec<Piece> {
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

/// Whether an expression comes to a part of it only under a condition.
fn has_choice(node: &Node<Expression>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
            self.0 |= match expression {
                Expression::Conditional(_) => true,
                Expression::BinaryOperator(o) => {
                    matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr)
                }
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut search = Search(false);
    search.visit_expression(&node.node, &node.span);
    search.0
}

/// `(…) != 0;`
fn truth(pieces: Vec<Piece>, here: ByteSpan) -> Vec<Piece> {
    let word = |text: &str| (text.to_string(), here);
    [vec![word("(")], pieces, [")", "!=", "0", ";"].map(word).to_vec()].concat()
}

/// Whether a body has a label, which can stand once only.
fn has_label(body: &Node<Statement>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
            self.0 |= matches!(statement, Statement::Labeled(_));
            visit::visit_statement(self, statement, span);
        }
    }
    let mut search = Search(false);
    search.visit_statement(&body.node, &body.span);
    search.0
}

/// `a`, `b` and `c` of `a || b || c`.
fn operands<'n>(node: &'n Node<Expression>, sign: &BinaryOperator) -> Vec<&'n Node<Expression>> {
    match operation(node) {
        Some((own, o)) if own == *sign => [operands(&o.lhs, sign), operands(&o.rhs, sign)].concat(),
        _ => vec![node],
    }
}
