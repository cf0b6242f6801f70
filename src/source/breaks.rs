//! Loops that `break` ends where a condition on counters holds, on C's own tree, as loops that their conditions end:
//!
//! - `while (1) { if (i >= n) break; …; i++; }`, with nothing before the `break`: `while (i < n) { …; i++; }`;
//! - `for (;;) { A; if (i == n) break; B; i++; }`: A runs once more than B, and so
//!   `do { A; if (i == n) { i += 1; } else { B; i++; } } while (i - 1 != n);` with `i -= 1;` behind it. Every way through the body adds
//!   the same to a counter, and what the `break` saw follows from what is there at the end of the body;
//! - a loop that looks at a condition first as well is one of these under an `if`;
//! - `if (i == n) return;` in a loop that the function ends with is a `break`;
//! - `while (b < --e) { …; b++; }`: `--e; while (b < e) { …; b++; --e; }`;
//! - `while (n-- > 0) …`: `while (n > 0) { n--; … }`, and `n--;` behind it; with a `break` in it, `n - 1` for `n`, and `n--;` at its end.
//!
//! A `break` that data decide, or one in an inner condition, stays what it is.

use lang_c::ast::{
    BinaryOperator, BlockItem, ConditionalExpression, Constant, DoWhileStatement, Expression, ExternalDeclaration,
    ForInitializer, FunctionDefinition, IfStatement, Statement, TranslationUnit, UnaryOperator, WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::{
    begins_before, changed as changed_by, has_continue, names_in, stepped_before, without_continues,
};
use super::counters::{named, replace};
use super::exits::{Data, Decided};
use super::function::identifier;
use super::known::{Declared, changed};
use super::left::{step_of, value_with};
use super::locals::Usage;
use super::nest::{is_name, operation};
use super::plain::{binary, block, choice, inner, inside_out, item, listed, moved, number, untrue};
use super::polynomial::changes;
use super::types::Types;

/// Rewrites the bodies of all functions; what is decided so is left to [`super::exits`] where that is to come.
pub fn breaks(unit: &mut TranslationUnit, types: &Types, decided: Option<Decided>) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            returns(&mut function.node);
            let declared = Declared::of(&function.node, types);
            let whole = function.node.statement.clone();
            let data = decided.map(|decided| Data::of(&function.node, &declared, decided));
            let breaks = Breaks { declared: &declared, whole, data };
            inside_out(&mut function.node.statement, &[], &|node, before| breaks.rewrite(node, before));
            inside_out(&mut function.node.statement, &[], &|node, _| looks_first(node, &declared));
            if decided.is_some() {
                opened(&mut function.node.statement);
            }
        }
    }
}

/// Takes steps out of conditions whose other side moves as well, in the bodies of all functions.
pub fn stepped(unit: &mut TranslationUnit, types: &Types) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            let declared = Declared::of(&function.node, types);
            inside_out(&mut function.node.statement, &[], &|node, _| {
                if let Some(other) = stepped_first(node, &declared) {
                    *node = other;
                }
            });
            opened(&mut function.node.statement);
        }
    }
}

/// `--e; while (b < e) { …; --e; }` of `while (b < --e) { … }` where the body moves the other side.
fn stepped_first(node: &Node<Statement>, declared: &Declared) -> Option<Node<Statement>> {
    let span = node.span;
    let Statement::While(w) = &node.node else { return None };
    let WhileStatement { expression: condition, statement: body } = &w.node;
    let (_, o) = operation(condition)?;
    let is_comparison = |operator: &BinaryOperator| {
        use BinaryOperator::{Greater, GreaterOrEqual, Less, LessOrEqual, NotEquals};
        matches!(operator, Less | LessOrEqual | Greater | GreaterOrEqual | NotEquals)
    };
    let before = |side: &Node<Expression>| match &side.node {
        Expression::UnaryOperator(unary) => match unary.node.operator.node {
            UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => Some((*unary.node.operand).clone()),
            _ => None,
        },
        _ => None,
    };
    let mut held = (**condition).clone();
    let Expression::BinaryOperator(own) = &mut held.node else { return None };
    let (step, other) = match (before(&o.lhs), before(&o.rhs)) {
        (Some(value), None) => {
            *own.node.lhs = value;
            ((*o.lhs).clone(), &o.rhs)
        }
        (None, Some(value)) => {
            *own.node.rhs = value;
            ((*o.rhs).clone(), &o.lhs)
        }
        _ => return None,
    };
    let names = names_in(&step);
    let [name] = &names[..] else { return None };
    let moved = changed(body);
    let is_moved = names_in(other).iter().any(|own| moved.contains(own));
    if !is_comparison(&own.node.operator.node)
        || step_of(&step, name).is_none()
        || changes(other)
        || names_in(other).contains(name)
        || !is_moved
        || has_continue(body)
        || moved.contains(name)
        || !declared.has_bits(name, 32)
    {
        return None;
    }
    let inside = match &body.node {
        Statement::Compound(items) if !declared_in(items).contains(name) => items.clone(),
        _ => vec![Node::new(BlockItem::Statement((**body).clone()), body.span)],
    };
    let inside = Box::new(block([inside, vec![item(step.clone())]].concat(), body.span));
    let again = WhileStatement { expression: Box::new(held), statement: inside };
    let again = Node::new(BlockItem::Statement(Node::new(Statement::While(Node::new(again, span)), span)), span);
    Some(block(vec![item(step), again], span))
}

/// Puts what a loop has become, it and what stands around it now, into the block that the loop stood in.
fn opened(node: &mut Node<Statement>) {
    let Statement::Compound(items) = &mut node.node else {
        inner(&mut node.node).into_iter().for_each(opened);
        return;
    };
    let is_loop = |item: &Node<BlockItem>, span: Span| match &item.node {
        BlockItem::Statement(own) => {
            own.span == span && matches!(own.node, Statement::For(_) | Statement::While(_) | Statement::DoWhile(_))
        }
        _ => false,
    };
    let declares = |item: &Node<BlockItem>| !matches!(item.node, BlockItem::Statement(_));
    for mut item in std::mem::take(items) {
        if let BlockItem::Statement(own) = &mut item.node {
            opened(own);
            if let Statement::Compound(parts) = &mut own.node
                && parts.iter().any(|part| is_loop(part, own.span))
                && !parts.iter().any(declares)
            {
                items.append(parts);
                continue;
            }
        }
        items.push(item);
    }
}

/// Makes `if (c) do … while (c);` a loop that looks at its condition before every iteration, as it does.
fn looks_first(node: &mut Node<Statement>, declared: &Declared) {
    let Statement::If(branch) = &node.node else { return };
    let IfStatement { condition, then_statement, else_statement: None } = &branch.node else { return };
    let items = listed(then_statement);
    let [Node { node: BlockItem::Statement(Node { node: Statement::DoWhile(again), .. }), .. }] = &items[..] else {
        return;
    };
    if !is_alike(&plain(condition), &plain(&again.node.expression), declared) {
        return;
    }
    let w = WhileStatement { expression: condition.clone(), statement: again.node.statement.clone() };
    node.node = Statement::While(Node::new(w, again.span));
}

/// Whether two conditions are the same text of integer variables, constants and operators that change nothing.
fn is_alike(one: &Node<Expression>, other: &Node<Expression>, declared: &Declared) -> bool {
    let are_alike = |one, other| is_alike(one, other, declared);
    match (&one.node, &other.node) {
        (Expression::Identifier(a), Expression::Identifier(b)) => {
            a.node.name == b.node.name && declared.integer(&a.node.name, 0).is_some()
        }
        (Expression::Constant(a), Expression::Constant(b)) => a.node == b.node,
        (Expression::UnaryOperator(a), Expression::UnaryOperator(b)) => {
            let operator = &a.node.operator.node;
            let is_pure = matches!(operator, UnaryOperator::Negate | UnaryOperator::Minus | UnaryOperator::Complement);
            is_pure && *operator == b.node.operator.node && are_alike(&a.node.operand, &b.node.operand)
        }
        _ => match (operation(one), operation(other)) {
            (Some((a, x)), Some((b, y))) => a == b && are_alike(&x.lhs, &y.lhs) && are_alike(&x.rhs, &y.rhs),
            _ => false,
        },
    }
}

/// Makes `return;` in the loop that a function ends with a `break`.
fn returns(function: &mut FunctionDefinition) {
    let Statement::Compound(items) = &mut function.statement.node else { return };
    let is_end = |item: &Node<BlockItem>| {
        matches!(
            &item.node,
            BlockItem::Statement(Node { node: Statement::Return(None) | Statement::Expression(None), .. })
        )
    };
    let Some(Node { node: BlockItem::Statement(last), .. }) = items.iter_mut().rev().find(|item| !is_end(item)) else {
        return;
    };
    let body = match &mut last.node {
        Statement::For(f) => &mut f.node.statement,
        Statement::While(w) => &mut w.node.statement,
        Statement::DoWhile(w) => &mut w.node.statement,
        _ => return,
    };
    broken(body);
}

fn broken(node: &mut Node<Statement>) {
    match &mut node.node {
        Statement::Return(None) => node.node = Statement::Break,
        Statement::Compound(items) => {
            for item in items {
                if let BlockItem::Statement(own) = &mut item.node {
                    broken(own);
                }
            }
        }
        Statement::If(_) => inner(&mut node.node).into_iter().for_each(broken),
        _ => {}
    }
}

type Items = Vec<Node<BlockItem>>;

/// `if (condition) { …; break; }` in a loop's body.
struct Break {
    condition: Node<Expression>,
    /// What is done before it.
    last: Items,
    /// What the rest of the body adds to counters.
    rest: Vec<(String, i64)>,
}

enum Part {
    Item(Node<BlockItem>),
    Break(Break),
}

struct Breaks<'d> {
    declared: &'d Declared,
    /// The function's body as it was.
    whole: Node<Statement>,
    /// What depends on data, if that is looked at.
    data: Option<Data<'d>>,
}

/// A loop's conditions.
#[derive(Default)]
struct Ends {
    /// Looked at before every iteration.
    before: Vec<Node<Expression>>,
    /// Looked at behind every iteration, before those.
    behind: Vec<Node<Expression>>,
}

/// Whether a condition compares sums of variables and numbers, or joins such.
pub fn counts(condition: &Node<Expression>) -> bool {
    use BinaryOperator::{BitwiseAnd, BitwiseOr, BitwiseXor, Divide, Modulo, ShiftLeft, ShiftRight};
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_binary_operator(&mut self, operator: &'ast BinaryOperator, _: &'ast Span) {
            self.0 |=
                matches!(operator, BitwiseAnd | BitwiseOr | BitwiseXor | Divide | Modulo | ShiftLeft | ShiftRight);
        }
    }
    let mut search = Search(false);
    search.visit_expression(&condition.node, &condition.span);
    !search.0
}

impl Breaks<'_> {
    /// Whether a condition is of variables and numbers that count.
    fn is_told(&self, condition: &Node<Expression>) -> bool {
        is_told(condition) && !self.data.as_ref().is_some_and(|data| data.is_in(condition))
    }

    /// `before` stands in the same block.
    fn rewrite(&self, node: &mut Node<Statement>, before: &[Node<BlockItem>]) {
        if !matches!(node.node, Statement::For(_) | Statement::While(_) | Statement::DoWhile(_)) {
            return;
        }
        if let Some(other) = self.without_step(node, before) {
            *node = other;
        }
        // With a step behind it, it is the first of two.
        let own = match &mut node.node {
            Statement::Compound(items) => match items.first_mut() {
                Some(Node { node: BlockItem::Statement(own), .. }) => own,
                _ => return,
            },
            _ => node,
        };
        if let Some(other) = self.without_break(own, before) {
            *own = other;
        }
    }

    /// A loop whose condition steps, and that nothing in front of it begins.
    fn without_step(&self, node: &Node<Statement>, before: &[Node<BlockItem>]) -> Option<Node<Statement>> {
        let span = node.span;
        let (condition, body) = match &node.node {
            Statement::While(w) => (&w.node.expression, &w.node.statement),
            Statement::DoWhile(w) => (&w.node.expression, &w.node.statement),
            _ => return None,
        };
        let name = changed_by(condition)?.to_string();
        let count = names_in(condition).iter().filter(|own| **own == name).count();
        let is_begun = begins_before(&name, before) && !has_break(body);
        if count != 1 || is_begun || has_continue(body) || !self.declared.has_bits(&name, 32) {
            return None;
        }
        let own: Items = match &body.node {
            Statement::Compound(items) if !declared_in(items).contains(&name) => items.clone(),
            _ => vec![Node::new(BlockItem::Statement((**body).clone()), body.span)],
        };
        let (held, step) = stepped_before(condition);
        let step = step?;
        if matches!(node.node, Statement::DoWhile(_)) {
            let body = Box::new(block([own, vec![item(step)]].concat(), body.span));
            let w = DoWhileStatement { statement: body, expression: Box::new(held) };
            return Some(Node::new(Statement::DoWhile(Node::new(w, span)), span));
        }
        // In front of its step, the condition sees `n` of `n--`, and `n - 1` of `--n`.
        let by = step_of(&step, &name)?;
        let stepped = moved(&name, by, condition.span);
        let seen = value_with(&held, &name, &stepped)?;
        let mut own = block(own, body.span);
        // What leaves the loop there does so in front of the step, as its end does.
        let items = match has_break(&own) {
            true if changed(&own).contains(&name) || !replace(&mut own, &name, &stepped) => return None,
            true => [listed(&own), vec![item(step.clone())]].concat(),
            false => [vec![item(step.clone())], listed(&own)].concat(),
        };
        let body = Box::new(block(items, body.span));
        let w = WhileStatement { expression: Box::new(seen), statement: body };
        let all = Node::new(Statement::While(Node::new(w, span)), span);
        match self.is_read_behind(&name, span, before) {
            true => Some(block(vec![Node::new(BlockItem::Statement(all), span), item(step)], span)),
            false => Some(all),
        }
    }

    /// Whether a loop that data end moves a variable in a statement: what it is then is data, too.
    fn is_left_by_data(&self, node: &Node<Statement>, name: &str) -> bool {
        struct Search<'s> {
            data: &'s Data<'s>,
            name: &'s str,
            found: bool,
        }
        impl<'ast> Visit<'ast> for Search<'_> {
            fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
                let (condition, body) = match statement {
                    Statement::While(w) => (Some(&w.node.expression), Some(&w.node.statement)),
                    Statement::DoWhile(w) => (Some(&w.node.expression), Some(&w.node.statement)),
                    Statement::For(f) => (f.node.condition.as_ref(), Some(&f.node.statement)),
                    _ => (None, None),
                };
                let is_data = condition.is_some_and(|own| self.data.is_in(own));
                if body.is_some_and(|body| is_data || has_break(body)) {
                    let own = Node::new(statement.clone(), *span);
                    self.found |= changed(&own).iter().any(|own| own == self.name);
                }
                visit::visit_statement(self, statement, span);
            }
        }
        let Some(data) = &self.data else { return false };
        let mut search = Search { data, name, found: false };
        search.visit_statement(&node.node, &node.span);
        search.found
    }

    fn without_break(&self, node: &Node<Statement>, before: &[Node<BlockItem>]) -> Option<Node<Statement>> {
        let span = node.span;
        let (body, mut ends, step) = match &node.node {
            Statement::While(w) => {
                (&w.node.statement, Ends { before: vec![(*w.node.expression).clone()], ..Ends::default() }, None)
            }
            Statement::DoWhile(w) => {
                (&w.node.statement, Ends { behind: vec![(*w.node.expression).clone()], ..Ends::default() }, None)
            }
            Statement::For(f) => {
                let condition = f.node.condition.as_deref().cloned();
                (
                    &f.node.statement,
                    Ends { before: condition.into_iter().collect(), ..Ends::default() },
                    f.node.step.as_deref(),
                )
            }
            _ => return None,
        };
        if !has_break(body) {
            return self.with_plain_condition(node, &ends);
        }
        let Statement::Compound(items) = &body.node else { return None };
        let mut items = items.clone();
        without_continues(&mut items);
        let declares = declared_in(&items);
        let mut parts = parts(items)?;
        let is_left = |part: &Part| match part {
            Part::Break(own) => names_in(&own.condition).iter().any(|name| self.is_left_by_data(body, name)),
            Part::Item(_) => false,
        };
        // What is no comparison of sums ends no loop that counts up to something else: it stays what it is, as data would.
        let is_bounded = self.data.is_some() && ends.before.iter().any(|end| !is_always(end) && counts(end));
        let stays = |part: &Part| matches!(part, Part::Break(own) if is_bounded && !counts(&own.condition));
        if parts.iter().any(|part| is_left(part) || stays(part)) {
            return None;
        }
        let is_do = matches!(node.node, Statement::DoWhile(_));
        // Those in front of everything else are conditions of the loop.
        let leading =
            |part: &Part| matches!(part, Part::Break(own) if own.last.is_empty() && self.is_told(&own.condition));
        while parts.first().is_some_and(leading) {
            if let Part::Break(own) = parts.remove(0) {
                ends.before.push(opposite(&own.condition));
            }
        }
        ends.before = ends.before.into_iter().filter(|end| !is_always(end)).map(|end| plain(&end)).collect();
        ends.behind = ends.behind.into_iter().filter(|end| !is_always(end)).map(|end| plain(&end)).collect();
        if !parts.iter().any(|part| matches!(part, Part::Break(_))) && !is_do {
            return with_condition(node, parts, all(ends.before, span)?);
        }
        if step.is_some() && has_continue(body) && has_continue(&block(whole(&parts), span)) {
            return None;
        }
        let steps = step.map(super::loops::steps).unwrap_or_default();
        parts.extend(steps.into_iter().map(|step| Part::Item(item(step.clone()))));
        self.measure(&mut parts, &ends, &declares)?;
        self.rebuilt(node, parts, ends, before)
    }

    /// Says what is behind each `break`; `None` where the end of the body does not tell what it saw.
    fn measure(&self, parts: &mut [Part], ends: &Ends, declares: &[String]) -> Option<()> {
        let mut told: Vec<String> = ends.before.iter().chain(&ends.behind).flat_map(names_in).collect();
        let conditions = parts.iter().filter_map(|part| match part {
            Part::Break(own) => Some(&own.condition),
            Part::Item(_) => None,
        });
        let conditions: Vec<Node<Expression>> = conditions.cloned().collect();
        told.extend(conditions.iter().flat_map(names_in));
        let body = block(whole(parts), Span::none());
        let all = changed(&body);
        let is_place = |name: &String| told.contains(name) || Usage::of_statement(name, &body).is_place();
        let mut counters: Vec<String> = all.iter().filter(|name| is_place(name)).cloned().collect();
        counters.sort();
        counters.dedup();
        for k in 0..parts.len() {
            let rest: Items = whole(&parts[k + 1..]);
            let Part::Break(own) = &mut parts[k] else { continue };
            let rest = block(rest, Span::none());
            let names = names_in(&own.condition);
            let last = changed(&block(own.last.clone(), Span::none()));
            if !self.is_told(&own.condition)
                || names.iter().any(|name| declares.contains(name))
                || last.iter().any(|name| told.contains(name))
            {
                return None;
            }
            for name in &counters {
                match added(&rest, name).filter(|_| self.declared.has_bits(name, 1) && !declares.contains(name)) {
                    Some(0) => {}
                    Some(by) => own.rest.push((name.clone(), by)),
                    None if names.contains(name) => return None,
                    None => {}
                }
            }
        }
        Some(())
    }

    /// The loop whose condition is that no `break` was met.
    fn rebuilt(
        &self,
        node: &Node<Statement>,
        parts: Vec<Part>,
        ends: Ends,
        before: &[Node<BlockItem>],
    ) -> Option<Node<Statement>> {
        let span = node.span;
        // What each `break` saw, told behind the iteration.
        let mut seen = vec![];
        for part in &parts {
            let Part::Break(own) = part else { continue };
            let mut condition = own.condition.clone();
            for (name, by) in &own.rest {
                if names_in(&condition).contains(name) {
                    condition = value_with(&condition, name, &moved(name, -by, own.condition.span))?;
                }
            }
            seen.push((condition, own.rest.clone()));
        }
        let goes_on = seen.iter().map(|(condition, _)| opposite(condition));
        let condition = all(goes_on.chain(ends.behind.clone()).chain(ends.before.clone()).collect(), span)?;
        let is_alone = seen.len() == 1 && ends.before.is_empty() && ends.behind.is_empty();
        let mut own_names = vec![];
        let mut items = vec![];
        if let Statement::For(f) = &node.node {
            match &f.node.initializer.node {
                ForInitializer::Expression(first) => {
                    items.extend(super::loops::steps(first).into_iter().map(|first| item(first.clone())));
                }
                ForInitializer::Declaration(declaration) => {
                    let names = declaration.node.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
                    own_names.extend(names.map(|name| name.node.name.clone()));
                    items.push(Node::new(BlockItem::Declaration(declaration.clone()), declaration.span));
                }
                _ => {}
            }
        }
        let started = [before, &items[..]].concat();
        let body = Box::new(block(nested(parts, span), span));
        let w = DoWhileStatement { statement: body, expression: Box::new(condition) };
        let mut made =
            vec![Node::new(BlockItem::Statement(Node::new(Statement::DoWhile(Node::new(w, span)), span)), span)];
        // Behind it, counters are where the `break` was.
        let mut otherwise: Option<Node<Statement>> = None;
        for (condition, rest) in seen.into_iter().rev() {
            let is_read = |name: &String| !own_names.contains(name) && self.is_read_behind(name, span, &started);
            let back: Items =
                rest.iter().filter(|(name, _)| is_read(name)).map(|(name, by)| step(name, -by, span)).collect();
            if back.is_empty() && otherwise.is_none() {
                continue;
            }
            let back = block(back, span);
            otherwise = Some(match is_alone {
                true => back,
                false => choice(condition, back, otherwise.take(), span),
            });
        }
        made.extend(otherwise.map(|own| Node::new(BlockItem::Statement(own), span)));
        match all(ends.before, span) {
            None => items.extend(made),
            Some(first) => {
                let only = choice(first, block(made, span), None, span);
                items.push(Node::new(BlockItem::Statement(only), span));
            }
        }
        match &mut items[..] {
            [Node { node: BlockItem::Statement(only), .. }] => Some(only.clone()),
            _ => Some(block(items, span)),
        }
    }

    /// The loop whose condition is written in other words.
    fn with_plain_condition(&self, node: &Node<Statement>, ends: &Ends) -> Option<Node<Statement>> {
        let [only] = &ends.before[..] else { return None };
        let is_negation =
            matches!(&only.node, Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate);
        let mut node = node.clone();
        let condition = is_negation.then(|| Box::new(plain(only)))?;
        match &mut node.node {
            Statement::While(w) => w.node.expression = condition,
            Statement::For(f) => f.node.condition = Some(condition),
            _ => return None,
        }
        Some(node)
    }

    /// Whether something may read what a loop leaves in a variable: something outside, or the loop itself when it runs again.
    fn is_read_behind(&self, name: &str, own: Span, before: &[Node<BlockItem>]) -> bool {
        let is_set = before.iter().any(|item| match &item.node {
            BlockItem::Declaration(declaration) => declaration.node.declarators.iter().any(|d| {
                d.node.initializer.is_some()
                    && identifier(&d.node.declarator.node).is_some_and(|own| own.node.name == name)
            }),
            BlockItem::Statement(Node { node: Statement::Expression(Some(first)), .. }) => {
                matches!(operation(first), Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, name))
            }
            _ => false,
        });
        !is_set || is_read_behind(&self.whole, name, own)
    }
}

/// Whether something outside of a loop, `own`, reads a variable.
pub fn is_read_behind(whole: &Node<Statement>, name: &str, own: Span) -> bool {
    let mut reads = Reads { name, own, found: false };
    reads.visit_statement(&whole.node, &whole.span);
    reads.found
}

/// Looks for reads of a variable outside of a loop.
struct Reads<'n> {
    name: &'n str,
    own: Span,
    found: bool,
}

impl<'ast> Visit<'ast> for Reads<'_> {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
        let is_own =
            *span == self.own && matches!(statement, Statement::For(_) | Statement::While(_) | Statement::DoWhile(_));
        if !is_own {
            visit::visit_statement(self, statement, span);
        }
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
        if let Expression::BinaryOperator(o) = expression
            && o.node.operator.node == BinaryOperator::Assign
            && is_name(&o.node.lhs, self.name)
        {
            return self.visit_expression(&o.node.rhs.node, &o.node.rhs.span);
        }
        self.found |= matches!(expression, Expression::Identifier(own) if own.node.name == self.name);
        visit::visit_expression(self, expression, span);
    }
}

/// A body's items with its `break`s; `None` where one is in an inner condition.
fn parts(items: Items) -> Option<Vec<Part>> {
    let mut parts = vec![];
    for own in items {
        let BlockItem::Statement(statement) = &own.node else {
            parts.push(Part::Item(own));
            continue;
        };
        if !has_break(statement) {
            parts.push(Part::Item(own));
            continue;
        }
        let Statement::If(branch) = &statement.node else { return None };
        let IfStatement { condition, then_statement, else_statement } = &branch.node;
        let (condition, last, other) = match (up_to_break(then_statement), else_statement.as_deref()) {
            (Some(last), other) => ((**condition).clone(), last, other),
            // As it is: of numbers that are none, `>=` is not the opposite of `<`.
            (None, Some(other)) => (untrue((**condition).clone()), up_to_break(other)?, Some(&**then_statement)),
            (None, None) => return None,
        };
        if changes(&condition) || other.is_some_and(has_break) {
            return None;
        }
        parts.push(Part::Break(Break { condition, last, rest: vec![] }));
        // Its declarations end with it.
        parts.extend(other.map(|other| Part::Item(Node::new(BlockItem::Statement(other.clone()), other.span))));
    }
    Some(parts)
}

/// What stands before the `break` that a statement ends with.
fn up_to_break(node: &Node<Statement>) -> Option<Items> {
    match &node.node {
        Statement::Break => Some(vec![]),
        Statement::Compound(items) => {
            let (end, last) = items.split_last()?;
            let is_break = matches!(&end.node, BlockItem::Statement(own) if matches!(own.node, Statement::Break));
            (is_break && !has_break(&block(last.to_vec(), node.span))).then(|| last.to_vec())
        }
        _ => None,
    }
}

/// The items of a body without its `break`s.
fn whole(parts: &[Part]) -> Items {
    let item = |part: &Part| match part {
        Part::Item(own) => Some(own.clone()),
        Part::Break(_) => None,
    };
    parts.iter().filter_map(item).collect()
}

/// What follows a `break` as the other side of its condition.
fn nested(parts: Vec<Part>, span: Span) -> Items {
    let mut items = vec![];
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        match part {
            Part::Item(own) => items.push(own),
            Part::Break(Break { condition, mut last, rest }) => {
                let otherwise = nested(parts.collect(), span);
                last.extend(rest.iter().map(|(name, by)| step(name, *by, span)));
                if !last.is_empty() || !otherwise.is_empty() {
                    let only = choice(condition, block(last, span), Some(block(otherwise, span)), span);
                    items.push(Node::new(BlockItem::Statement(only), span));
                }
                break;
            }
        }
    }
    items
}

/// A `while` or `for` loop with another condition and body.
fn with_condition(node: &Node<Statement>, parts: Vec<Part>, condition: Node<Expression>) -> Option<Node<Statement>> {
    let mut node = node.clone();
    let body = Box::new(block(whole(&parts), node.span));
    match &mut node.node {
        Statement::While(w) => (w.node.expression, w.node.statement) = (Box::new(condition), body),
        Statement::For(f) => (f.node.condition, f.node.statement) = (Some(Box::new(condition)), body),
        _ => return None,
    }
    Some(node)
}

/// `name += by;`
fn step(name: &str, by: i64, span: Span) -> Node<BlockItem> {
    let operator = if by < 0 { BinaryOperator::AssignMinus } else { BinaryOperator::AssignPlus };
    item(binary(operator, named(name, span), number(&by.unsigned_abs().to_string(), span), span))
}

pub fn all(conditions: Vec<Node<Expression>>, span: Span) -> Option<Node<Expression>> {
    conditions.into_iter().reduce(|left, right| binary(BinaryOperator::LogicalAnd, left, right, span))
}

/// The constant that every way through a statement adds to a variable.
fn added(node: &Node<Statement>, name: &str) -> Option<i64> {
    if !changed(node).iter().any(|own| own == name) {
        return Some(0);
    }
    match &node.node {
        Statement::Expression(Some(expression)) => {
            let parts = super::loops::steps(expression).into_iter();
            parts.map(|part| step_of(part, name)).try_fold(0i64, |sum, by| sum.checked_add(by?))
        }
        Statement::Compound(items) => items.iter().try_fold(0i64, |sum, item| match &item.node {
            BlockItem::Statement(own) => sum.checked_add(added(own, name)?),
            BlockItem::Declaration(_) => Some(sum),
            BlockItem::StaticAssert(_) => Some(sum),
        }),
        Statement::If(branch) => {
            let then = added(&branch.node.then_statement, name)?;
            let otherwise = branch.node.else_statement.as_ref().map_or(Some(0), |other| added(other, name))?;
            (then == otherwise).then_some(then)
        }
        _ => None,
    }
}

/// Whether an expression is made of variables and numbers, and changes nothing.
pub fn is_told(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Identifier(_) | Expression::Constant(_) => true,
        Expression::Cast(cast) => is_told(&cast.node.expression),
        Expression::Conditional(choice) => {
            let ConditionalExpression { condition, then_expression, else_expression } = &choice.node;
            is_told(condition) && is_told(then_expression) && is_told(else_expression)
        }
        Expression::UnaryOperator(unary) => {
            let is_plain =
                matches!(unary.node.operator.node, UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Negate);
            is_plain && is_told(&unary.node.operand)
        }
        Expression::BinaryOperator(o) => {
            !changes(node)
                && o.node.operator.node != BinaryOperator::Index
                && is_told(&o.node.lhs)
                && is_told(&o.node.rhs)
        }
        _ => false,
    }
}

/// Whether an expression is a number that is not 0.
pub fn is_always(node: &Node<Expression>) -> bool {
    matches!(&node.node, Expression::Constant(constant)
        if matches!(&constant.node, Constant::Integer(own) if own.number.chars().any(|digit| digit != '0')))
}

/// A condition without negations in front of comparisons.
fn plain(node: &Node<Expression>) -> Node<Expression> {
    match &node.node {
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
            opposite(&unary.node.operand)
        }
        _ => match operation(node) {
            Some((operator @ (BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr), o)) => {
                binary(operator, plain(&o.lhs), plain(&o.rhs), node.span)
            }
            _ => node.clone(),
        },
    }
}

/// What holds where a condition of integers does not.
pub fn opposite(node: &Node<Expression>) -> Node<Expression> {
    let span = node.span;
    if let Expression::UnaryOperator(unary) = &node.node
        && unary.node.operator.node == UnaryOperator::Negate
    {
        return plain(&unary.node.operand);
    }
    if let Some((operator, o)) = operation(node) {
        let other = match operator {
            BinaryOperator::Less => Some(BinaryOperator::GreaterOrEqual),
            BinaryOperator::LessOrEqual => Some(BinaryOperator::Greater),
            BinaryOperator::Greater => Some(BinaryOperator::LessOrEqual),
            BinaryOperator::GreaterOrEqual => Some(BinaryOperator::Less),
            BinaryOperator::Equals => Some(BinaryOperator::NotEquals),
            BinaryOperator::NotEquals => Some(BinaryOperator::Equals),
            _ => None,
        };
        if let Some(other) = other {
            return binary(other, (*o.lhs).clone(), (*o.rhs).clone(), span);
        }
        let other = match operator {
            BinaryOperator::LogicalAnd => Some(BinaryOperator::LogicalOr),
            BinaryOperator::LogicalOr => Some(BinaryOperator::LogicalAnd),
            _ => None,
        };
        if let Some(other) = other {
            return binary(other, opposite(&o.lhs), opposite(&o.rhs), span);
        }
    }
    untrue(node.clone())
}

/// The names that a body declares.
fn declared_in(items: &Items) -> Vec<String> {
    struct Names(Vec<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_init_declarator(&mut self, d: &'ast lang_c::ast::InitDeclarator, span: &'ast Span) {
            self.0.extend(identifier(&d.declarator.node).map(|name| name.node.name.clone()));
            visit::visit_init_declarator(self, d, span);
        }
    }
    let mut names = Names(vec![]);
    items.iter().for_each(|item| names.visit_block_item(&item.node, &item.span));
    names.0
}

/// Whether a `break` of the loop around a statement is in it.
pub fn has_break(node: &Node<Statement>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            match statement {
                Statement::Break => self.0 = true,
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) => {}
                _ => visit::visit_statement(self, statement, span),
            }
        }
    }
    let mut search = Search(false);
    search.visit_statement(&node.node, &node.span);
    search.0
}
