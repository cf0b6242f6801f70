//! Temporaries of what data decide, on C's own tree: in
//!
//! ```c
//! for (j = row[i]; j < row[i + 1]; j++) { t = val[j] * x[col[j]]; sum += t; }
//! ```
//!
//! `t` has a value of its own in every round, and nobody reads it behind the loop. So it is declared inside, `double t;`, as by somebody who
//! says so himself: outside, it would have to keep its value in rounds that data leave out. The same with the sides of an `if` on data.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, DeclarationSpecifier, DeclaratorKind, Expression,
    ForInitializer, InitDeclarator, Initializer, Statement, TranslationUnit,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::{has_call, names_in};
use super::counters::{declaration, named, replace};
use super::known::{changed, remove_unread};
use super::left::Names;
use super::lives::{self, Left};
use super::locals::Usage;
use super::nest::assignment;
use super::plain::{bodies, inner, listed, variable, whole};

/// Rewrites the bodies of all functions without `goto`.
pub fn inside(unit: &mut TranslationUnit) {
    for body in bodies(unit) {
        let around = lives::Around::of(body);
        let mut values = Values::default();
        values.visit_statement(&body.node, &body.span);
        let data = values.data();
        if around.has_goto || data.is_empty() && !values.has_subscripts {
            continue;
        }
        let mut names = Names::default();
        names.visit_statement(&body.node, &body.span);
        let mut rewriter = Rewriter { names, data, addressed: around.addressed, moved: vec![] };
        rewriter.statement(body, &|_| true);
        if !rewriter.moved.is_empty() {
            remove_unread(body, rewriter.moved.iter().map(|(name, _)| name.clone()).collect());
        }
        for (name, fresh) in rewriter.moved {
            rename(body, &fresh, &name);
        }
    }
}

/// Gives a variable that is declared inside the name of the one outside, which nothing names there.
fn rename(body: &mut Node<Statement>, fresh: &str, name: &str) {
    if let Statement::Compound(items) = &mut body.node {
        let declared = items.iter_mut().find_map(|item| match &mut item.node {
            BlockItem::Declaration(own) if super::locals::declares(&own.node, fresh) => Some(own),
            _ => None,
        });
        if let Some(own) = declared {
            let kept = own.node.declarators.first_mut().map(|own| &mut own.node.declarator.node.kind.node);
            if let Some(DeclaratorKind::Identifier(identifier)) = kept {
                identifier.node.name = name.to_string();
            }
            replace(body, fresh, &named(name, body.span));
            return;
        }
    }
    match &mut body.node {
        Statement::Compound(items) => {
            for item in items {
                if let BlockItem::Statement(own) = &mut item.node {
                    rename(own, fresh, name);
                }
            }
        }
        other => inner(other).into_iter().for_each(|inner| rename(inner, fresh, name)),
    }
}

/// What variables are made of.
#[derive(Default)]
struct Values {
    /// Each with the names in one of its values.
    made: Vec<(String, Vec<String>)>,
    /// Those with a subscript or a call in a value.
    read: HashSet<String>,
    has_subscripts: bool,
}

impl Values {
    fn add(&mut self, name: &str, value: &Node<Expression>) {
        self.made.push((name.to_string(), names_in(value)));
        if reads_data(value, &HashSet::new()) {
            self.read.insert(name.to_string());
        }
    }

    /// Variables that hold data.
    fn data(&self) -> HashSet<String> {
        let mut data = self.read.clone();
        loop {
            let is_new =
                |name: &String, from: &[String]| !data.contains(name) && from.iter().any(|own| data.contains(own));
            let more: Vec<String> =
                self.made.iter().filter(|(name, from)| is_new(name, from)).map(|(name, _)| name.clone()).collect();
            if more.is_empty() {
                return data;
            }
            data.extend(more);
        }
    }
}

impl<'ast> Visit<'ast> for Values {
    fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
        self.has_subscripts |= o.operator.node == BinaryOperator::Index;
        if let Some(name) = variable(&o.lhs).filter(|_| assignment(&o.operator.node).is_some()) {
            self.add(name, &o.rhs);
        }
        visit::visit_binary_operator_expression(self, o, span);
    }

    fn visit_init_declarator(&mut self, own: &'ast InitDeclarator, span: &'ast Span) {
        let name = super::function::identifier(&own.declarator.node);
        let first = own.initializer.as_ref().map(|initializer| &initializer.node);
        if let (Some(name), Some(Initializer::Expression(first))) = (name, first) {
            self.add(&name.node.name, first);
        }
        visit::visit_init_declarator(self, own, span);
    }
}

/// Whether an expression reads elements, calls, or names one of these variables.
fn reads_data(node: &Node<Expression>, data: &HashSet<String>) -> bool {
    #[derive(Default)]
    struct Reads(bool);
    impl<'ast> Visit<'ast> for Reads {
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            self.0 |= o.operator.node == BinaryOperator::Index;
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut reads = Reads::default();
    reads.visit_expression(&node.node, &node.span);
    reads.0 || has_call(node) || names_in(node).iter().any(|name| data.contains(name))
}

struct Rewriter {
    names: Names,
    /// Variables that hold data.
    data: HashSet<String>,
    addressed: HashSet<String>,
    /// Those that have moved inside somewhere, with the names that they have until all have.
    moved: Vec<(String, String)>,
}

impl Rewriter {
    /// `over` tells whether a variable has another value, or is gone, before anybody reads it behind the statement.
    fn statement(&mut self, node: &mut Node<Statement>, over: &dyn Fn(&str) -> bool) {
        if let Statement::Compound(items) = &mut node.node {
            lives::each(items, over, |own, over| self.statement(own, over));
            return;
        }
        let again = lives::Round::of(node);
        let over = |name: &str| !again.as_ref().is_some_and(|again| again.reads(name)) && over(name);
        inner(&mut node.node).into_iter().for_each(|inner| self.statement(inner, &over));
        let heads = heads(node);
        if heads.iter().any(|head| reads_data(head, &self.data)) {
            let named: HashSet<String> = heads.iter().flat_map(names_in).collect();
            let is_loop = again.is_some();
            for body in inner(&mut node.node) {
                self.inside(body, &|name| !named.contains(name) && over(name), is_loop);
            }
        }
    }

    /// Declares the temporaries of a body inside of it.
    fn inside(&mut self, body: &mut Node<Statement>, over: &dyn Fn(&str) -> bool, is_loop: bool) {
        let mut own = Names::default();
        own.visit_statement(&body.node, &body.span);
        for name in changed(body) {
            let Some(Some(specifiers)) = self.names.declared.get(&name) else { continue };
            let is_plain =
                |own: &Node<DeclarationSpecifier>| matches!(own.node, DeclarationSpecifier::TypeSpecifier(_));
            if self.addressed.contains(&name)
                || !specifiers.iter().all(is_plain)
                || own.declared.contains_key(&name)
                || Usage::of_statement(&name, body).only_counts()
                || lives::left_by(body, &name, is_loop) != Left::Over
                || !over(&name)
            {
                continue;
            }
            let fresh = (0..).map(|k| format!("{name}_{k}")).find(|name| !self.names.all.contains(name));
            let (Some(fresh), mut renamed) = (fresh, body.clone()) else { continue };
            if !replace(&mut renamed, &name, &named(&fresh, body.span)) {
                continue;
            }
            let mut first = declaration(specifiers.clone(), &fresh, whole(0, body.span), body.span);
            first.node.declarators.iter_mut().for_each(|declarator| declarator.node.initializer = None);
            let mut items = vec![Node::new(BlockItem::Declaration(first), body.span)];
            items.extend(listed(&renamed));
            body.node = Statement::Compound(items);
            self.names.all.insert(fresh.clone());
            self.moved.push((name, fresh));
        }
    }
}

/// The expressions of a statement that stand outside of its bodies.
fn heads(node: &Node<Statement>) -> Vec<Node<Expression>> {
    match &node.node {
        Statement::If(branch) => vec![(*branch.node.condition).clone()],
        Statement::While(w) => vec![(*w.node.expression).clone()],
        Statement::DoWhile(w) => vec![(*w.node.expression).clone()],
        Statement::For(f) => {
            let first = match &f.node.initializer.node {
                ForInitializer::Expression(first) => vec![(**first).clone()],
                ForInitializer::Declaration(own) => {
                    let firsts = own.node.declarators.iter().filter_map(|own| own.node.initializer.as_ref());
                    firsts
                        .filter_map(|first| match &first.node {
                            Initializer::Expression(first) => Some((**first).clone()),
                            Initializer::List(_) => None,
                        })
                        .collect()
                }
                _ => vec![],
            };
            let others = [&f.node.condition, &f.node.step].into_iter().flatten().map(|head| (**head).clone());
            first.into_iter().chain(others).collect()
        }
        _ => vec![],
    }
}
