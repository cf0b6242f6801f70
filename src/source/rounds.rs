//! Loops of which the text has no counter in the head: `while (i < j) { …; i++; j--; }`, `for (; i < n;) …`, and `do` loops of the
//! kind. The kernel counts their iterations from 0. What the body adds constants to is affine in that number, by whichever way
//! through the body ([`super::track`]); so is the condition, and so are the values behind the loop.

use lang_c::ast::{
    DoWhileStatement, Expression, ForInitializer, ForStatement, Statement as CStatement, WhileStatement,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::canonical::names_in;
use super::expression::truth;
use super::kernel::{Expr, Loop, Node as NestNode, ScalarType};
use super::known::changed;
use super::loops::{For, Head, Limits, Runs, guarded};
use super::nest::{Nest, operation};
use super::scope::{Checked, Enclosing, Name};
use super::track::Change;
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;

/// A loop without a counter in its head as a `for` loop that has none.
fn without_counter(condition: &Node<Expression>, body: &Node<CStatement>, bytes: ByteSpan) -> Node<ForStatement> {
    let head = ByteSpan::span(bytes.start, bytes.start);
    let f = ForStatement {
        initializer: Node::new(ForInitializer::Empty, head),
        condition: Some(Box::new(condition.clone())),
        step: None,
        statement: Box::new(body.clone()),
    };
    Node::new(f, bytes)
}

impl Nest<'_, '_> {
    /// Lowers a `while` loop.
    pub fn while_loop(&mut self, w: &Node<WhileStatement>, bytes: ByteSpan, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let node = without_counter(&w.node.expression, &w.node.statement, bytes);
        self.for_loop(For { node: &node, bytes, runs: Runs::While }, nodes)
    }

    /// Lowers a `do` loop: one that looks at its condition before every iteration where it holds before the first, else one of several
    /// iterations and one of a single one, under opposite conditions.
    pub fn do_loop(&mut self, w: &Node<DoWhileStatement>, bytes: ByteSpan, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let condition = &*w.node.expression;
        let node = without_counter(condition, &w.node.statement, bytes);
        let before = self.known();
        let outer = std::mem::replace(&mut self.is_sure, true);
        let result = self.for_loop(For { node: &node, bytes, runs: Runs::Again }, nodes);
        if std::mem::replace(&mut self.is_sure, outer) || result.is_err() {
            return result;
        }
        let again = self.known();
        self.set_known(&before);
        self.for_loop(For { node: &node, bytes, runs: Runs::Once }, nodes)?;
        let once = self.known();
        if again != once {
            let holds = self.scope.trial(|scope| scope.expression(condition)).0.ok().map(truth);
            self.join(holds.as_ref(), &again, &once);
        }
        Ok(())
    }

    /// Lowers a loop without a counter in its head.
    pub fn uncounted_loop(&mut self, written: For, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let For { node, runs, .. } = written;
        let f = &node.node;
        let span = self.span(written.head());
        let Some(condition) = f.condition.as_deref() else { return Err(self.uncounted(written)) };
        if f.step.is_some() {
            return Err(self.uncounted(written));
        }
        let changes = self.changes(f, false, span)?;
        let Some((name, ty)) = self.counting(condition, &changes) else {
            // It may begin at one of two values.
            if let Some(begins) = changes.iter().find_map(Change::unknown_start) {
                self.scope.offer_choice(begins, span);
            }
            return Err(self.uncounted(written));
        };
        let iterator = self.scope.fresh(&format!("{name}_step"));
        let count = Affine::variable(&iterator);
        let mark = self.scope.enter();
        let known = self.scope.obligations.len();
        self.scope.loops.push(Enclosing {
            iterator: iterator.clone(),
            ty: None,
            is_unsigned: false,
            lower: vec![Affine::default()],
            upper: vec![],
        });
        self.begin_changes(&changes, Some(&count), span);
        if let Some(Name::Value(Expr::Index { value, .. })) = self.scope.lookup(&name) {
            self.sources.insert(iterator.clone(), (name.clone(), value));
        }
        let head = Head {
            name,
            iterator,
            ty,
            step: 1,
            first: condition,
            condition,
            lower: vec![Affine::default()],
            over: i64::from(runs != Runs::While),
            counts: false,
            is_exact: true,
        };
        let Limits { bounds, iterations, is_sure, .. } = self.limits(&head, runs, 1, known, span)?;
        let one = Affine::constant(1);
        if is_sure && runs == Runs::Once {
            // All is in the other loop.
            self.scope.loops.pop();
            self.leave(mark);
            self.end_changes(&changes, &[one], span);
            return Ok(());
        }
        self.is_sure &= is_sure || runs == Runs::While;
        let place = self.scope.go_into_loop(Some(head.iterator.clone()), iterations);
        self.scope.choice = None;
        let mut body = Vec::new();
        self.statement(&f.statement, &mut body)?;
        self.scope.come_out(place);
        self.scope.loops.pop();
        self.leave(mark);
        let counts: Vec<Affine> = match runs {
            Runs::Once => vec![one],
            // Of the others some end where a sum without the iterator does.
            _ if bounds.inside.is_empty() && (is_sure || runs == Runs::Again || bounds.outside.is_empty()) => {
                bounds.upper.iter().map(|last| last.clone() + one.clone()).collect()
            }
            _ => vec![],
        };
        self.end_changes(&changes, &counts, span);
        let body = guarded(bounds.inside, body, span);
        if body.is_empty() {
            return Ok(());
        }
        let Head { iterator, lower, .. } = head;
        let ty = ScalarType::integer(64, true);
        let lowered = Loop { iterator, ty, lower, upper: bounds.upper, body, span };
        nodes.extend(guarded(bounds.outside, vec![NestNode::Loop(lowered)], span));
        Ok(())
    }

    /// The variable that tells where a loop ends: the first that the condition names, of those that change by constants.
    fn counting(&self, condition: &Node<Expression>, changes: &[Change]) -> Option<(String, ScalarType)> {
        if !changes.iter().filter(|change| change.is_in_head()).all(Change::is_known) {
            return None;
        }
        let own = |name: &String| {
            let place = self.scope.local_index(name)?;
            let change = changes.iter().find(|change| change.place() == place)?;
            Some((name.clone(), change.integer()))
        };
        names_in(condition).iter().find_map(own)
    }

    /// Why a loop without a counter in its head is none that counts.
    fn uncounted(&self, written: For) -> Diagnostic {
        let For { node, bytes, .. } = written;
        let f = &node.node;
        let word = self.scope.map.text(ByteSpan::span(bytes.start, bytes.end));
        let word = ["while", "do", "for"].into_iter().find(|own| word.starts_with(own)).unwrap_or("while");
        let first = self.span(ByteSpan::span(bytes.start, bytes.start + word.len()));
        let loop_of = |what: String| Diagnostic::new(format!("this `{word}` loop {what}"));
        let Some(condition) = f.condition.as_deref() else {
            return loop_of("has no end".into()).at(first, "no condition").help("give an affine bound, as in `i < n`");
        };
        let place = self.span(condition.span);
        let body = changed(&f.statement);
        let names = names_in(condition);
        let moved = names.iter().find(|name| body.contains(*name));
        let reads_memory = reads(condition);
        match moved {
            None if !reads_memory => loop_of("changes nothing that its condition names".into())
                .at(place, "always the same")
                .help("change a counter in the body, as in `while (i < n) { …; i++; }`"),
            Some(name) if !reads_memory => loop_of(format!("counts with `{name}`, whose start or step is not known"))
                .at(place, "it must change by the same constant in every iteration")
                .help(format!(
                    "set `{name}` before the loop to a sum of iterators and sizes, and let every way through the body add the same constant, as in \
                     `{name}++`; where data decide, say how many rounds there are at most: `#pragma burstc rounds(N)` on the line before the loop"
                )),
            _ => loop_of("ends where data tell".into())
                .at(place, "known only when the data are")
                .help(
                    "say how many rounds there are at most: `#pragma burstc rounds(N)` on the line before the loop",
                ),
        }
    }
}

/// Whether an expression reads an element of an array or calls a function.
fn reads(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Identifier(_) | Expression::Constant(_) => false,
        Expression::UnaryOperator(unary) => {
            unary.node.operator.node == lang_c::ast::UnaryOperator::Indirection || reads(&unary.node.operand)
        }
        Expression::Cast(cast) => reads(&cast.node.expression),
        _ => match operation(node) {
            Some((lang_c::ast::BinaryOperator::Index, _)) | None => true,
            Some((_, o)) => reads(&o.lhs) || reads(&o.rhs),
        },
    }
}
