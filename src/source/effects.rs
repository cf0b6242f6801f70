//! What expressions change on the way, as statements of their own, on C's own tree:
//!
//! ```c
//! while (i < n && (t = a[i++]) != x) s += t;
//! ```
//!
//! becomes `while (i < n) { t = a[i]; i++; if (t == x) break; s += t; }`. So do `x = y = 0`, `c[k++] += a[i]--`, the comma operator, and
//! what is changed only where `&&`, `||` or `?:` come to it, which is an `if`.
//!
//! Operands that C evaluates in no order do not touch what one of them changes, or the program means nothing; so what an operand
//! changes may come before the whole expression, and the step of `k++` behind it, up to the next point where C says that all
//! is done: `&&`, `||`, `?:`, a comma, the end of the expression.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BlockItem, CallExpression, Constant, Declaration, DeclarationSpecifier, Expression,
    ExternalDeclaration, FloatFormat, ForInitializer, ForStatement, Initializer, IntegerBase, Statement,
    StorageClassSpecifier, TranslationUnit, TypeOf, TypeSpecifier, UnaryOperator, WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::breaks::{all, is_always};
use super::canonical::{changed, has_call, has_continue, names_in};
use super::counters::{declaration, named};
use super::exits::{conjuncts, going_on};
use super::expression::common;
use super::flat::constant;
use super::function::{identifier, names_of};
use super::kernel::ScalarType;
use super::known::Declared;
use super::left::value_with;
use super::nest::{assignment, counts, operation, target_of};
use super::plain::{binary, block, choice, item, listed, number, untrue, variable};
use super::types::Types;

type Items = Vec<Node<BlockItem>>;

/// Whether an expression somewhere changes something on its way to a value, or says the type of a variable.
pub fn are_nested(unit: &TranslationUnit) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let node = Node::new(expression.clone(), *span);
            self.0 |= matters(&node) && !is_plain(&node);
        }
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            let value = match statement {
                Statement::If(branch) => Some(&branch.node.condition),
                Statement::Switch(switch) => Some(&switch.node.expression),
                Statement::While(w) => Some(&w.node.expression),
                Statement::DoWhile(w) => Some(&w.node.expression),
                Statement::For(f) => f.node.condition.as_ref(),
                Statement::Return(value) => value.as_ref(),
                _ => None,
            };
            self.0 |= value.is_some_and(|value| matters(value) && !is_counting(value));
            visit::visit_statement(self, statement, span);
        }
        fn visit_type_specifier(&mut self, own: &'ast TypeSpecifier, span: &'ast Span) {
            self.0 |= matches!(own, TypeSpecifier::TypeOf(_));
            visit::visit_type_specifier(self, own, span);
        }
    }
    let mut search = Search(false);
    search.visit_translation_unit(unit);
    search.0
}

/// Whether the head of a loop counts, as `while (n--)` does, or its body moves its iterator.
pub fn has_counting_heads(unit: &TranslationUnit) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            self.0 |= match statement {
                Statement::While(w) => is_counting(&w.node.expression),
                Statement::DoWhile(w) => is_counting(&w.node.expression),
                Statement::For(f) => f.node.condition.as_deref().is_some_and(is_counting) || moves_iterator(&f.node),
                _ => false,
            };
            visit::visit_statement(self, statement, span);
        }
    }
    let mut search = Search(false);
    search.visit_translation_unit(unit);
    search.0
}

/// Rewrites the bodies of all functions; `counts` says that heads that count are rewritten, too, and `for` whose bodies move their iterators.
pub fn effects(unit: &mut TranslationUnit, types: &Types, counts: bool) {
    for external in &mut unit.0 {
        let ExternalDeclaration::FunctionDefinition(function) = &mut external.node else { continue };
        let declared = Declared::of(&function.node, types);
        let mut apart = Apart { taken: names_of(&function.node), declared, counts };
        let body = apart.block(&function.node.statement);
        function.node.statement = body;
    }
}

/// Whether an expression changes something, or has operands for nothing but what they change.
fn matters(node: &Node<Expression>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::UnaryOperator(unary) => counts(&unary.node.operator.node),
                Expression::BinaryOperator(o) => assignment(&o.node.operator.node).is_some(),
                Expression::Comma(_) | Expression::Statement(_) => true,
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut search = Search(false);
    search.visit_expression(&node.node, &node.span);
    search.0
}

/// `None` where one of two operands names a variable that the other changes: in which order, C does not say.
fn apart_from(left: &Node<Expression>, right: &Node<Expression>) -> Option<()> {
    struct Moved(Vec<String>);
    impl<'ast> Visit<'ast> for Moved {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => Some(&unary.node.operand),
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
                _ => None,
            };
            self.0.extend(target.and_then(|target| variable(target)).map(str::to_string));
            visit::visit_expression(self, expression, span);
        }
    }
    let is_free = |one: &Node<Expression>, other: &Node<Expression>| {
        let mut moved = Moved(vec![]);
        moved.visit_expression(&one.node, &one.span);
        let names = names_in(other);
        !moved.0.iter().any(|name| names.contains(name))
    };
    (is_free(left, right) && is_free(right, left)).then_some(())
}

/// Whether an expression changes nothing but as a whole.
fn is_plain(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => !matters(&unary.node.operand),
        Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
            !matters(&o.node.lhs) && !matters(&o.node.rhs)
        }
        _ => !matters(node),
    }
}

/// An expression apart from what it changes.
struct Parts {
    before: Items,
    value: Node<Expression>,
    /// Steps that are done when the value has been taken.
    behind: Vec<Node<Expression>>,
}

struct Apart {
    declared: Declared,
    taken: HashSet<String>,
    /// Heads that count are taken apart.
    counts: bool,
}

impl Apart {
    fn fresh(&mut self, stem: &str) -> String {
        let unused = (0..).map(|k| format!("{stem}_{k}")).find(|own| !self.taken.contains(own)).unwrap_or_default();
        self.taken.insert(unused.clone());
        unused
    }

    fn value(&mut self, node: &Node<Expression>) -> Option<Parts> {
        let span = node.span;
        if !matters(node) {
            return Some(Parts { before: vec![], value: node.clone(), behind: vec![] });
        }
        match &node.node {
            Expression::UnaryOperator(unary) => {
                let mut own = self.value(&unary.node.operand)?;
                let mut with = (**unary).clone();
                *with.node.operand = own.value.clone();
                let step = Node::new(Expression::UnaryOperator(Box::new(with)), span);
                match unary.node.operator.node {
                    UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => own.before.push(item(step)),
                    UnaryOperator::PostIncrement | UnaryOperator::PostDecrement => own.behind.insert(0, step),
                    _ => own.value = step,
                }
                Some(own)
            }
            Expression::Cast(cast) => {
                let mut own = self.value(&cast.node.expression)?;
                let mut with = (**cast).clone();
                *with.node.expression = own.value;
                own.value = Node::new(Expression::Cast(Box::new(with)), span);
                Some(own)
            }
            Expression::Member(member) => {
                let mut own = self.value(&member.node.expression)?;
                let mut with = (**member).clone();
                *with.node.expression = own.value;
                own.value = Node::new(Expression::Member(Box::new(with)), span);
                Some(own)
            }
            Expression::Comma(parts) => {
                let (last, first) = parts.split_last()?;
                let mut before = vec![];
                for part in first {
                    before.extend(self.effect(part)?);
                }
                let own = self.value(last)?;
                before.extend(own.before);
                Some(Parts { before, ..own })
            }
            Expression::Conditional(c) => {
                let condition = self.value(&c.node.condition)?;
                let Parts { mut before, value: condition, .. } = self.truth(condition);
                let (then, other) = (&*c.node.then_expression, &*c.node.else_expression);
                let value = if matters(then) || matters(other) {
                    let (then, other) = (self.value(then)?, self.value(other)?);
                    let ty = common(self.type_of(&then.value)?, self.type_of(&other.value)?);
                    let own = self.fresh("chosen");
                    before.push(undefined(&own, ty, span));
                    let side = |parts: Parts| block(with_value(parts, &own), span);
                    let branch = choice(condition, side(then), Some(side(other)), span);
                    before.push(Node::new(BlockItem::Statement(branch), span));
                    named(&own, span)
                } else {
                    let mut with = (**c).clone();
                    *with.node.condition = condition;
                    Node::new(Expression::Conditional(Box::new(with)), span)
                };
                Some(Parts { before, value, behind: vec![] })
            }
            Expression::Call(call) => self.call(call, span),
            // `({ …; value; })`: its variables are seen inside of it alone.
            Expression::Statement(own) => {
                let Statement::Compound(items) = &own.node else { return None };
                let (last, first) = items.split_last()?;
                let mut inside = listed(&self.block(&block(first.to_vec(), span)));
                let parts = self.value(&expression_of(last)?)?;
                let ty = self.type_of(&parts.value)?;
                let value = self.fresh("chosen");
                inside.extend(with_value(parts, &value));
                let inside = Node::new(BlockItem::Statement(block(inside, span)), span);
                Some(Parts {
                    before: vec![undefined(&value, ty, span), inside],
                    value: named(&value, span),
                    behind: vec![],
                })
            }
            Expression::BinaryOperator(o) => {
                let operator = o.node.operator.node.clone();
                if matches!(operator, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
                    return self.logical(operator, &o.node.lhs, &o.node.rhs, span);
                }
                apart_from(&o.node.lhs, &o.node.rhs)?;
                let (left, right) = (self.value(&o.node.lhs)?, self.value(&o.node.rhs)?);
                let is_assignment = assignment(&operator).is_some();
                let own = binary(operator, left.value.clone(), right.value, span);
                let mut before = [left.before, right.before].concat();
                let behind = [left.behind, right.behind].concat();
                let value = match is_assignment {
                    true => {
                        before.push(item(own));
                        left.value
                    }
                    false => own,
                };
                Some(Parts { before, value, behind })
            }
            _ => None,
        }
    }

    fn call(&mut self, call: &Node<CallExpression>, span: Span) -> Option<Parts> {
        let (mut before, mut behind) = (vec![], vec![]);
        let mut with = call.clone();
        for (k, argument) in call.node.arguments.iter().enumerate() {
            call.node.arguments[..k].iter().try_for_each(|other| apart_from(other, argument))?;
        }
        for argument in &mut with.node.arguments {
            let own = self.value(argument)?;
            *argument = own.value;
            before.extend(own.before);
            behind.extend(own.behind);
        }
        // The function begins when the steps are done: it must not see what they change.
        let is_own = |step: &Node<Expression>| {
            stepped(step)
                .is_some_and(|(name, _)| self.declared.integer(name, 0).is_some() && !self.declared.has_address(name))
        };
        let value = Node::new(Expression::Call(Box::new(with)), span);
        behind.iter().all(is_own).then_some(Parts { before, value, behind })
    }

    fn logical(
        &mut self,
        operator: BinaryOperator,
        left: &Node<Expression>,
        right: &Node<Expression>,
        span: Span,
    ) -> Option<Parts> {
        let first = self.value(left)?;
        let Parts { mut before, value: first, .. } = self.truth(first);
        if !matters(right) {
            return Some(Parts { before, value: binary(operator, first, right.clone(), span), behind: vec![] });
        }
        let is_and = operator == BinaryOperator::LogicalAnd;
        let mut then = self.value(right)?;
        then.value = truth(then.value);
        let own = self.fresh("holds");
        before.push(declared(&own, number(if is_and { "0" } else { "1" }, span), span));
        let condition = if is_and { first } else { untrue(first) };
        let branch = choice(condition, block(with_value(then, &own), span), None, span);
        before.push(Node::new(BlockItem::Statement(branch), span));
        Some(Parts { before, value: named(&own, span), behind: vec![] })
    }

    /// The same with the steps behind it done, for a value that is only asked whether it is 0.
    fn truth(&mut self, parts: Parts) -> Parts {
        self.done(parts).unwrap_or_else(|mut parts| {
            let own = self.fresh("holds");
            let span = parts.value.span;
            parts.before.push(declared(&own, truth(parts.value), span));
            parts.before.extend(parts.behind.drain(..).map(item));
            Parts { value: named(&own, span), ..parts }
        })
    }

    /// The same with the steps behind it done: what `k` was is `k - 1` then, of a type in which that is so.
    fn done(&self, mut parts: Parts) -> Result<Parts, Parts> {
        let mut value = parts.value.clone();
        for step in &parts.behind {
            let Some((name, back)) = stepped(step).filter(|(name, _)| self.declared.has_bits(name, 32)) else {
                return Err(parts);
            };
            let was = binary(back, named(name, step.span), number("1", step.span), step.span);
            match value_with(&value, name, &was) {
                Some(own) => value = own,
                None => return Err(parts),
            }
        }
        parts.before.extend(parts.behind.drain(..).map(item));
        Ok(Parts { value, ..parts })
    }

    /// An expression whose value nobody takes.
    fn effect(&mut self, node: &Node<Expression>) -> Option<Items> {
        let span = node.span;
        if is_plain(node) {
            return Some(if matters(node) || has_call(node) { vec![item(node.clone())] } else { vec![] });
        }
        match &node.node {
            Expression::Comma(parts) => {
                let mut all = vec![];
                for part in parts.iter() {
                    all.extend(self.effect(part)?);
                }
                Some(all)
            }
            Expression::Conditional(c) => {
                let condition = self.value(&c.node.condition)?;
                let Parts { mut before, value, .. } = self.truth(condition);
                let then = block(self.effect(&c.node.then_expression)?, span);
                let other = block(self.effect(&c.node.else_expression)?, span);
                before.push(Node::new(BlockItem::Statement(choice(value, then, Some(other), span)), span));
                Some(before)
            }
            Expression::BinaryOperator(o)
                if matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                let first = self.value(&o.node.lhs)?;
                let Parts { mut before, value, .. } = self.truth(first);
                let is_and = o.node.operator.node == BinaryOperator::LogicalAnd;
                let value = if is_and { value } else { untrue(value) };
                let then = block(self.effect(&o.node.rhs)?, span);
                before.push(Node::new(BlockItem::Statement(choice(value, then, None, span)), span));
                Some(before)
            }
            // Of a small constant every type has the same value.
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Assign => {
                apart_from(&o.node.lhs, &o.node.rhs)?;
                let (left, mut right) = (self.value(&o.node.lhs)?, self.value(&o.node.rhs)?);
                if let Some(value) = assigned(&o.node.rhs).filter(|value| is_bit(value)) {
                    right.value = value.clone();
                }
                let own = binary(BinaryOperator::Assign, left.value, right.value, span);
                let steps = left.behind.into_iter().chain(right.behind).map(item);
                Some([left.before, right.before, vec![item(own)], steps.collect()].concat())
            }
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                apart_from(&o.node.lhs, &o.node.rhs)?;
                let (left, right) = (self.value(&o.node.lhs)?, self.value(&o.node.rhs)?);
                let own = binary(o.node.operator.node.clone(), left.value, right.value, span);
                let steps = left.behind.into_iter().chain(right.behind).map(item);
                Some([left.before, right.before, vec![item(own)], steps.collect()].concat())
            }
            _ => {
                let Parts { mut before, value, behind } = self.value(node)?;
                if has_call(&value) {
                    before.push(item(value));
                }
                before.extend(behind.into_iter().map(item));
                Some(before)
            }
        }
    }

    /// The type of a number that is a variable, an element or a constant, or made of such.
    fn type_of(&self, node: &Node<Expression>) -> Option<ScalarType> {
        match &node.node {
            Expression::Identifier(name) => self.declared.arithmetic(&name.node.name, 0),
            Expression::Constant(own) if matches!(own.node, Constant::Float(_)) => floating(&own.node),
            Expression::Constant(_) => {
                let is_int = constant(node).is_some_and(|value| value <= i64::from(i32::MAX));
                (is_int && !is_suffixed(node)).then_some(ScalarType::I32)
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Negate => Some(ScalarType::I32),
                UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Complement => {
                    let ty = self.type_of(&unary.node.operand)?;
                    Some(if ty.floating { ty } else { super::expression::promoted(ty) })
                }
                _ => None,
            },
            Expression::Conditional(c) => {
                Some(common(self.type_of(&c.node.then_expression)?, self.type_of(&c.node.else_expression)?))
            }
            _ => match operation(node)? {
                (BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight, o) => {
                    Some(super::expression::promoted(self.type_of(&o.lhs)?))
                }
                (BinaryOperator::Index, _) => {
                    let (base, subscripts) = super::plain::subscripted(node);
                    self.declared.arithmetic(variable(base)?, subscripts.len())
                }
                (
                    BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo
                    | BinaryOperator::BitwiseAnd
                    | BinaryOperator::BitwiseOr
                    | BinaryOperator::BitwiseXor,
                    o,
                ) => Some(common(self.type_of(&o.lhs)?, self.type_of(&o.rhs)?)),
                _ => is_truth(node).then_some(ScalarType::I32),
            },
        }
    }

    fn block(&mut self, node: &Node<Statement>) -> Node<Statement> {
        let items = self.statement(node);
        match &items[..] {
            [Node { node: BlockItem::Statement(only), .. }] => only.clone(),
            _ => block(items, node.span),
        }
    }

    /// What stands in place of a statement.
    fn statement(&mut self, node: &Node<Statement>) -> Items {
        let span = node.span;
        let mut own = node.clone();
        match &mut own.node {
            Statement::Compound(items) => {
                let mut done = vec![];
                for inner in std::mem::take(items) {
                    match &inner.node {
                        BlockItem::Statement(inner) => done.extend(self.statement(inner)),
                        BlockItem::Declaration(declaration) => done.extend(self.declaration(declaration, inner.span)),
                        BlockItem::StaticAssert(_) => done.push(inner),
                    }
                }
                *items = done;
            }
            Statement::Expression(Some(expression)) if !is_plain(expression) => {
                if let Some(items) = self.effect(expression) {
                    return items;
                }
            }
            Statement::Labeled(labeled) => *labeled.node.statement = self.block(&labeled.node.statement),
            Statement::If(branch) => {
                let (then, other) = (&branch.node.then_statement, &branch.node.else_statement);
                let then = self.block(then);
                let other = other.as_ref().map(|other| self.block(other));
                if let Some(items) = self.branch(&branch.node.condition, &then, other.as_ref(), span) {
                    return items;
                }
                *branch.node.then_statement = then;
                branch.node.else_statement = other.map(Box::new);
            }
            Statement::Switch(switch) => {
                *switch.node.statement = self.block(&switch.node.statement);
                if let Some(mut items) = self.taken(&mut switch.node.expression) {
                    items.push(Node::new(BlockItem::Statement(own), span));
                    return items;
                }
            }
            Statement::Return(Some(value)) => {
                if let Some(mut items) = self.taken(value) {
                    items.push(Node::new(BlockItem::Statement(own), span));
                    return items;
                }
            }
            Statement::While(w) => {
                let body = self.block(&w.node.statement);
                *w.node.statement = body.clone();
                if let Some((condition, step)) = self.counting(&w.node.expression, &body) {
                    *w.node.expression = condition;
                    *w.node.statement = block([vec![step.clone()], listed(&body)].concat(), body.span);
                    return vec![Node::new(BlockItem::Statement(own), span), step];
                }
                if let Some((condition, items)) = self.head(&w.node.expression, &body) {
                    *w.node.expression = condition.unwrap_or_else(|| number("1", span));
                    *w.node.statement = block([items, listed(&body)].concat(), body.span);
                }
            }
            Statement::For(f) if self.counts && moves_iterator(&f.node) && !has_continue(&f.node.statement) => {
                return self.statement(&as_while(&f.node, span));
            }
            Statement::For(f) => {
                let mut before = self.for_head(&mut f.node);
                let body = self.block(&f.node.statement);
                *f.node.statement = body.clone();
                if let Some(condition) = &f.node.condition
                    && let Some((condition, step)) = self.counting(condition, &body)
                {
                    f.node.condition = Some(Box::new(condition));
                    *f.node.statement = block([vec![step.clone()], listed(&body)].concat(), body.span);
                    before.extend([Node::new(BlockItem::Statement(own), span), step]);
                    return before;
                }
                if let Some(condition) = &f.node.condition
                    && let Some((condition, items)) = self.head(condition, &body)
                {
                    f.node.condition = condition.map(Box::new);
                    *f.node.statement = block([items, listed(&body)].concat(), body.span);
                }
                if !before.is_empty() {
                    before.push(Node::new(BlockItem::Statement(own), span));
                    return before;
                }
            }
            Statement::DoWhile(w) if self.counts && has_continue(&w.node.statement) && matters(&w.node.expression) => {
                return self.statement(&going_on(node));
            }
            Statement::DoWhile(w) => {
                let body = self.block(&w.node.statement);
                *w.node.statement = body.clone();
                if let Some((condition, items)) = self.foot(&w.node.expression)
                    && !has_continue(&body)
                {
                    *w.node.expression = condition;
                    // What the body declares is not what the condition names.
                    let first = Node::new(BlockItem::Statement(body.clone()), body.span);
                    *w.node.statement = block([vec![first], items].concat(), body.span);
                }
            }
            _ => {}
        }
        vec![Node::new(BlockItem::Statement(own), span)]
    }

    /// What comes before a loop, of which the head begins and steps in plain assignments then.
    fn for_head(&mut self, f: &mut ForStatement) -> Items {
        let mut before = vec![];
        if let ForInitializer::Expression(first) = &mut f.initializer.node
            && !is_list_of_plain(first)
            && let Some(mut items) = self.effect(first)
            && let Some(last) = items.pop()
        {
            match expression_of(&last) {
                Some(own) => **first = own,
                None => {
                    items.push(last);
                    f.initializer.node = ForInitializer::Empty;
                }
            }
            before = items;
        }
        if let Some(step) = &mut f.step
            && !is_list_of_plain(step)
            && let Some(items) = self.effect(step)
            && let Some(mut all) = items.iter().map(expression_of).collect::<Option<Vec<_>>>()
        {
            **step = match all.len() {
                1 => all.remove(0),
                _ => Node::new(Expression::Comma(Box::new(all)), step.span),
            };
        }
        before
    }

    /// A declaration with the type of `x` in place of `typeof(x)`.
    fn spelled(&mut self, node: &Node<Declaration>) -> Node<Declaration> {
        let mut node = node.clone();
        let of = |specifier: &Node<DeclarationSpecifier>| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(Node { node: TypeSpecifier::TypeOf(of), .. }) => match &of.node {
                TypeOf::Expression(value) => self.type_of(value),
                TypeOf::Type(_) => None,
            },
            _ => None,
        };
        let Some(ty) = node.node.specifiers.iter().find_map(of) else { return node };
        let spell = |specifier: Node<DeclarationSpecifier>| match of(&specifier) {
            Some(ty) => specifiers(ty, specifier.span),
            None => vec![specifier],
        };
        node.node.specifiers = std::mem::take(&mut node.node.specifiers).into_iter().flat_map(spell).collect();
        for declarator in &node.node.declarators {
            if let (Some(name), true) =
                (identifier(&declarator.node.declarator.node), declarator.node.declarator.node.derived.is_empty())
            {
                self.declared.declare(&name.node.name, ty, &node.node.specifiers);
            }
        }
        node
    }

    /// Variables whose values change others.
    fn declaration(&mut self, node: &Node<Declaration>, span: Span) -> Items {
        let node = &self.spelled(node);
        let Declaration { specifiers, declarators } = &node.node;
        let is_static = specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(own) if own.node == StorageClassSpecifier::Static)
        });
        let first = |k: usize| match &declarators[k].node.initializer {
            Some(Node { node: Initializer::Expression(value), .. }) => Some(&**value),
            _ => None,
        };
        let all = || vec![Node::new(BlockItem::Declaration(node.clone()), span)];
        if is_static || !(0..declarators.len()).any(|k| first(k).is_some_and(matters)) {
            return all();
        }
        let mut items = vec![];
        for (k, declarator) in declarators.iter().enumerate() {
            let mut own = declarator.clone();
            let mut behind = vec![];
            if let Some(value) = first(k).filter(|value| matters(value)) {
                let Some(parts) = self.value(value) else { return all() };
                items.extend(parts.before);
                behind = parts.behind;
                let value = Initializer::Expression(Box::new(parts.value));
                own.node.initializer = Some(Node::new(value, declarator.span));
            }
            let own = Declaration { specifiers: specifiers.clone(), declarators: vec![own] };
            items.push(Node::new(BlockItem::Declaration(Node::new(own, declarator.span)), declarator.span));
            items.extend(behind.into_iter().map(item));
        }
        items
    }

    /// An `if` whose condition changes something.
    fn branch(
        &mut self,
        condition: &Node<Expression>,
        then: &Node<Statement>,
        other: Option<&Node<Statement>>,
        span: Span,
    ) -> Option<Items> {
        if !matters(condition) {
            return None;
        }
        let parts = if other.is_none() { conjuncts(condition) } else { vec![condition] };
        // What changes nothing and stands together is one condition.
        let mut groups: Vec<Node<Expression>> = vec![];
        for part in parts {
            match groups.last_mut() {
                Some(last) if !matters(part) => {
                    *last = binary(BinaryOperator::LogicalAnd, last.clone(), part.clone(), last.span);
                }
                _ => groups.push(part.clone()),
            }
        }
        let mut own = then.clone();
        let mut items = vec![];
        for group in groups.into_iter().rev() {
            let parts = self.value(&group)?;
            let parts = self.truth(parts);
            let branch = choice(parts.value, own, other.cloned(), span);
            items = parts.before;
            items.push(Node::new(BlockItem::Statement(branch), span));
            own = block(items.clone(), span);
        }
        Some(items)
    }

    /// What comes before a value that is taken once, with all of its steps done.
    fn taken(&mut self, value: &mut Node<Expression>) -> Option<Items> {
        let parts = if matters(value) { self.value(value)? } else { return None };
        let parts = self.done(parts).ok()?;
        *value = parts.value;
        Some(parts.before)
    }

    /// `n > 0` and `n--;` of a head `n-- > 0`, whose step is done first in each round, and behind the loop: nothing else may leave it.
    fn counting(
        &mut self,
        condition: &Node<Expression>,
        body: &Node<Statement>,
    ) -> Option<(Node<Expression>, Node<BlockItem>)> {
        if !self.counts || !is_counting(condition) || leaves(body) {
            return None;
        }
        let parts = self.value(condition)?;
        match (&parts.before[..], &parts.behind[..]) {
            ([], [step]) => Some((parts.value, item(step.clone()))),
            _ => None,
        }
    }

    /// What is left of the condition in a loop's head, and what its body begins with.
    fn head(
        &mut self,
        condition: &Node<Expression>,
        body: &Node<Statement>,
    ) -> Option<(Option<Node<Expression>>, Items)> {
        let parts = conjuncts(condition);
        // One that counts is what the head of a loop is for, where nothing else ends it.
        let is_counted = !self.counts || !leaves(body);
        let stays = |part: &Node<Expression>| !matters(part) || is_counted && is_counting(part);
        let first = parts.iter().position(|part| !stays(part))?;
        let kept: Vec<_> = parts[..first].iter().filter(|part| !is_always(part)).map(|part| (*part).clone()).collect();
        let mut items = vec![];
        for part in &parts[first..] {
            items.extend(self.leaving(part)?);
        }
        Some((all(kept, condition.span), items))
    }

    /// The same of a `do` loop, and what its body ends with.
    fn foot(&mut self, condition: &Node<Expression>) -> Option<(Node<Expression>, Items)> {
        let parts = conjuncts(condition);
        if is_counting(condition) && !self.counts || !matters(condition) {
            return None;
        }
        let (last, before) = parts.split_last()?;
        let mut items = vec![];
        for part in before {
            items.extend(self.leaving(part)?);
        }
        if is_counting(last) && !self.counts {
            return Some(((*last).clone(), items));
        }
        let own = self.value(last)?;
        let own = self.done(own).ok()?;
        // The body's variables are not known behind it.
        let declares = own.before.iter().any(|item| matches!(item.node, BlockItem::Declaration(_)));
        items.extend(own.before);
        (!declares).then_some((own.value, items))
    }

    /// `if (!condition) break;`
    fn leaving(&mut self, condition: &Node<Expression>) -> Option<Items> {
        let span = condition.span;
        let own = self.value(condition)?;
        let leave = Node::new(Statement::Break, span);
        let (mut items, value, steps) = match self.done(own) {
            Ok(own) => (own.before, own.value, vec![]),
            Err(own) => (own.before, own.value, own.behind),
        };
        let steps: Items = steps.into_iter().map(item).collect();
        let leave = match steps.is_empty() {
            true => leave,
            false => {
                let last = Node::new(BlockItem::Statement(leave), span);
                block([steps.clone(), vec![last]].concat(), span)
            }
        };
        items.push(Node::new(BlockItem::Statement(choice(untrue(value), leave, None, span)), span));
        items.extend(steps);
        Some(items)
    }
}

/// Whether the body of a loop changes what its step does.
fn moves_iterator(f: &ForStatement) -> bool {
    struct Search<'n> {
        name: &'n str,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Search<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            let target = target_of(expression);
            self.found |= target.is_some_and(|target| variable(target) == Some(self.name));
            visit::visit_expression(self, expression, span);
        }
    }
    let Some(name) = f.step.as_ref().and_then(|step| variable(target_of(&step.node)?)) else { return false };
    let mut search = Search { name, found: false };
    search.visit_statement(&f.statement.node, &f.statement.span);
    search.found
}

/// `for (first; condition; step) S` as `{ first; while (condition) { S step; } }`.
fn as_while(f: &ForStatement, span: Span) -> Node<Statement> {
    let first = match &f.initializer.node {
        ForInitializer::Expression(first) => vec![item((**first).clone())],
        ForInitializer::Declaration(own) => vec![Node::new(BlockItem::Declaration(own.clone()), own.span)],
        ForInitializer::StaticAssert(_) | ForInitializer::Empty => vec![],
    };
    let condition = f.condition.as_ref().map_or_else(|| number("1", span), |condition| (**condition).clone());
    let body = Node::new(BlockItem::Statement((*f.statement).clone()), f.statement.span);
    let step = f.step.as_ref().map(|step| item((**step).clone()));
    let inner = block([body].into_iter().chain(step).collect(), f.statement.span);
    let repeated = WhileStatement { expression: Box::new(condition), statement: Box::new(inner) };
    let repeated = Node::new(Statement::While(Node::new(repeated, span)), span);
    block([first, vec![Node::new(BlockItem::Statement(repeated), span)]].concat(), span)
}

/// Whether something in a loop's body ends the loop, or the function, or goes elsewhere.
fn leaves(body: &Node<Statement>) -> bool {
    struct Search {
        inside: usize,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            let is_inner = matches!(
                statement,
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_)
            );
            self.found |= match statement {
                Statement::Break => self.inside == 0,
                Statement::Return(_) | Statement::Goto(_) | Statement::Asm(_) => true,
                _ => false,
            };
            self.inside += usize::from(is_inner);
            visit::visit_statement(self, statement, span);
            self.inside -= usize::from(is_inner);
        }
    }
    let mut search = Search { inside: 0, found: false };
    search.visit_statement(&body.node, &body.span);
    search.found
}

/// `i-- > 0`, `--i` and the like: nothing but a counter changes, and it is named once.
fn is_counting(node: &Node<Expression>) -> bool {
    let Some(name) = changed(node) else { return false };
    let others = operation(node).is_some_and(|(operator, o)| matters(&o.rhs) || assignment(&operator).is_some());
    !others && names_in(node).iter().filter(|own| *own == name).count() == 1
}

/// The variable that a step changes by one, and how its value before follows from that behind.
fn stepped(step: &Node<Expression>) -> Option<(&str, BinaryOperator)> {
    let Expression::UnaryOperator(unary) = &step.node else { return None };
    let back = match unary.node.operator.node {
        UnaryOperator::PostIncrement => BinaryOperator::Minus,
        UnaryOperator::PostDecrement => BinaryOperator::Plus,
        _ => return None,
    };
    Some((variable(&unary.node.operand)?, back))
}

/// Assignments and steps, with commas between them.
fn is_list_of_plain(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Comma(parts) => parts.iter().all(is_plain),
        _ => is_plain(node),
    }
}

fn expression_of(item: &Node<BlockItem>) -> Option<Node<Expression>> {
    match &item.node {
        BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => Some((**own).clone()),
        _ => None,
    }
}

/// What the last of `x = y = value` assigns.
fn assigned(node: &Node<Expression>) -> Option<&Node<Expression>> {
    match operation(node) {
        Some((BinaryOperator::Assign, o)) => Some(assigned(&o.rhs).unwrap_or(&o.rhs)),
        _ => None,
    }
}

/// 0 or 1: a value of every type.
fn is_bit(node: &Node<Expression>) -> bool {
    matches!(constant(node), Some(0 | 1))
}

/// The type of a constant with a point or an exponent.
fn floating(constant: &Constant) -> Option<ScalarType> {
    let Constant::Float(own) = constant else { return None };
    match own.suffix.format {
        FloatFormat::Float => Some(ScalarType::FLOAT),
        FloatFormat::Double => Some(ScalarType::DOUBLE),
        _ => None,
    }
}

fn is_suffixed(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(own) => {
                own.suffix.unsigned
                    || own.suffix.size != lang_c::ast::IntegerSize::Int
                    || own.base != IntegerBase::Decimal
            }
            _ => true,
        },
        _ => true,
    }
}

/// Whether an expression is 0 or 1 already.
pub fn is_truth(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::UnaryOperator(unary) => unary.node.operator.node == UnaryOperator::Negate,
        _ => operation(node).is_some_and(|(operator, _)| {
            matches!(
                operator,
                BinaryOperator::Less
                    | BinaryOperator::LessOrEqual
                    | BinaryOperator::Greater
                    | BinaryOperator::GreaterOrEqual
                    | BinaryOperator::Equals
                    | BinaryOperator::NotEquals
                    | BinaryOperator::LogicalAnd
                    | BinaryOperator::LogicalOr
            )
        }),
    }
}

/// 1 where a value is not 0.
fn truth(node: Node<Expression>) -> Node<Expression> {
    let span = node.span;
    if is_truth(&node) { node } else { binary(BinaryOperator::NotEquals, node, number("0", span), span) }
}

/// `own = value;` with what comes before it and behind.
fn with_value(parts: Parts, own: &str) -> Items {
    let span = parts.value.span;
    let set = item(binary(BinaryOperator::Assign, named(own, span), parts.value, span));
    [parts.before, vec![set], parts.behind.into_iter().map(item).collect()].concat()
}

fn specifiers(ty: ScalarType, span: Span) -> Vec<Node<DeclarationSpecifier>> {
    let sign = if ty.signed { TypeSpecifier::Signed } else { TypeSpecifier::Unsigned };
    let words = match (ty.floating, ty.bits) {
        (true, 64) => vec![TypeSpecifier::Double],
        (true, _) => vec![TypeSpecifier::Float],
        (_, 64) => vec![sign, TypeSpecifier::Long, TypeSpecifier::Long],
        (_, 16) => vec![sign, TypeSpecifier::Short],
        (_, 8) => vec![sign, TypeSpecifier::Char],
        _ => vec![sign, TypeSpecifier::Int],
    };
    let words = words.into_iter();
    words.map(|word| Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(word, span)), span)).collect()
}

/// `int own = value;`
fn declared(own: &str, value: Node<Expression>, span: Span) -> Node<BlockItem> {
    Node::new(BlockItem::Declaration(declaration(specifiers(ScalarType::I32, span), own, value, span)), span)
}

/// A variable without a value.
fn undefined(own: &str, ty: ScalarType, span: Span) -> Node<BlockItem> {
    let mut made = declaration(specifiers(ty, span), own, number("0", span), span);
    made.node.declarators.iter_mut().for_each(|declarator| declarator.node.initializer = None);
    Node::new(BlockItem::Declaration(made), span)
}
