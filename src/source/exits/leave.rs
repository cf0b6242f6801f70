//! Jumps forward, out of blocks and loops, as a variable that says that all is over: where the jump was it is set, what would follow
//! is done only while it is not, and loops around go through the rest of their iterations without doing anything.

use lang_c::ast::{
    BinaryOperator, BlockItem, Declaration, DeclarationSpecifier, Expression, ForInitializer, ForStatement,
    IfStatement, Statement, TypeSpecifier,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::super::canonical::{at_least_once, begun, changed as changed_by, names_in};
use super::super::counters::{declaration, named};
use super::super::known::{changed, changed_in};
use super::super::left::step_of;
use super::super::plain::{binary, block, choice, item, listed, moved, number, untrue};

pub type Items = Vec<Node<BlockItem>>;

/// The jumps that a block or a loop is left by.
pub struct Leave<'l> {
    pub is_jump: &'l dyn Fn(&Statement) -> bool,
    /// They leave the loops that they stand in, too.
    pub through_loops: bool,
    /// The variable that is set.
    pub flag: &'l str,
    /// Variables that keep the values that counters have where a jump leaves their loops: the counters, and those.
    pub kept: Vec<(String, String)>,
    /// The other counters of the loops that are left: nobody reads them behind.
    pub dead: Vec<String>,
}

impl Leave<'_> {
    /// Whether such a jump is in a statement.
    pub fn is_in(&self, node: &Node<Statement>) -> bool {
        struct Search<'s> {
            leave: &'s Leave<'s>,
            found: bool,
        }
        impl<'ast> Visit<'ast> for Search<'_> {
            fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
                match statement {
                    jump if (self.leave.is_jump)(jump) => self.found = true,
                    Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_)
                        if !self.leave.through_loops => {}
                    _ => visit::visit_statement(self, statement, span),
                }
            }
        }
        let mut search = Search { leave: self, found: false };
        search.visit_statement(&node.node, &node.span);
        search.found
    }

    /// A block's statements without the jumps; `None` where one stands in something else than blocks, `if`s and loops that count.
    pub fn without(&self, items: Items) -> Option<Items> {
        let mut done = vec![];
        let mut left = items.into_iter();
        while let Some(item) = left.next() {
            match &item.node {
                BlockItem::Statement(own) if (self.is_jump)(&own.node) => {
                    let steps = self.last_steps(&mut done);
                    done.extend(self.jump(&steps, own.span));
                    return Some(done);
                }
                BlockItem::Statement(own) if self.is_in(own) => {
                    done.extend(self.statement(own, left.collect())?);
                    return Some(done);
                }
                _ => done.push(item),
            }
        }
        Some(done)
    }

    /// A statement with jumps, and the `rest` of its block.
    fn statement(&self, node: &Node<Statement>, rest: Items) -> Option<Items> {
        let span = node.span;
        match &node.node {
            jump if (self.is_jump)(jump) => Some(self.jump(&[], span)),
            Statement::If(branch) => {
                let IfStatement { condition, then_statement, else_statement } = &branch.node;
                let then = listed(then_statement);
                let other = else_statement.as_ref().map(|other| listed(other)).unwrap_or_default();
                let (then, other, rest) = match (self.always(&then), self.always(&other)) {
                    (true, true) => (self.without(then)?, self.without(other)?, vec![]),
                    (true, false) => (self.without(then)?, self.without(followed(other, rest, span))?, vec![]),
                    (false, true) => (self.without(followed(then, rest, span))?, self.without(other)?, vec![]),
                    (false, false) => (self.without(then)?, self.without(other)?, self.unless_over(rest, span)?),
                };
                let other = (!other.is_empty()).then(|| block(other, span));
                let own = choice((**condition).clone(), block(then, then_statement.span), other, span);
                let mut done = vec![statement(own.node, span)];
                done.extend(rest);
                Some(done)
            }
            Statement::Compound(items) => {
                let always = self.always(items);
                let mut done = vec![statement(Statement::Compound(self.without(items.clone())?), span)];
                done.extend(if always { vec![] } else { self.unless_over(rest, span)? });
                Some(done)
            }
            Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) if self.through_loops => {
                let mut done = vec![statement(self.without_in_loop(node)?.node, span)];
                let left = self.keeping(Some(&counters(node)), span);
                done.extend(self.unless_over([left, rest].concat(), span)?);
                Some(done)
            }
            _ => None,
        }
    }

    /// What stands in place of a jump, where these counters would have stepped before it.
    fn jump(&self, steps: &[(String, i64)], span: Span) -> Items {
        let by = |counter: &str| steps.iter().filter(|(own, _)| own == counter).map(|(_, by)| by).sum();
        let kept = self.kept.iter().map(|(counter, name)| set(name, moved(counter, by(counter), span), span));
        kept.chain([set(self.flag, number("1", span), span)]).collect()
    }

    /// Takes away the steps of counters that a jump is to follow: the loop goes on counting as if there were none.
    fn last_steps(&self, items: &mut Items) -> Vec<(String, i64)> {
        let mut steps = vec![];
        while let Some(BlockItem::Statement(Node { node: Statement::Expression(Some(step)), .. })) =
            items.last().map(|last| &last.node)
            && let Some(name) = names_in(step).first()
            && let Some(by) = step_of(step, name)
            && (self.dead.contains(name) || self.kept.iter().any(|(counter, _)| counter == name))
        {
            steps.push((name.clone(), by));
            items.pop();
        }
        steps
    }

    /// What keeps the values of counters, or of these of them.
    pub fn keeping(&self, own: Option<&[String]>, span: Span) -> Items {
        let kept = self.kept.iter().filter(|(counter, _)| own.is_none_or(|own| own.contains(counter)));
        kept.map(|(counter, name)| set(name, named(counter, span), span)).collect()
    }

    /// Whether a block always ends in such a jump.
    fn always(&self, items: &[Node<BlockItem>]) -> bool {
        let own = |node: &Node<Statement>| match &node.node {
            jump if (self.is_jump)(jump) => true,
            Statement::Compound(items) => self.always(items),
            Statement::If(branch) => {
                let IfStatement { then_statement, else_statement, .. } = &branch.node;
                let other = else_statement.as_ref().is_some_and(|other| self.always(&listed(other)));
                other && self.always(&listed(then_statement))
            }
            _ => false,
        };
        items.iter().any(|item| matches!(&item.node, BlockItem::Statement(node) if own(node)))
    }

    fn unless_over(&self, rest: Items, span: Span) -> Option<Items> {
        if rest.iter().all(|item| matches!(&item.node, BlockItem::Statement(own) if is_nothing(own))) {
            return Some(vec![]);
        }
        Some(vec![unless(self.flag, self.without(rest)?, span)])
    }

    /// A loop with such jumps: it goes through all of its iterations.
    pub fn without_in_loop(&self, node: &Node<Statement>) -> Option<Node<Statement>> {
        let mut node = node.clone();
        let span = node.span;
        let Head { mut names, step, body } = match &mut node.node {
            Statement::While(w) => {
                let condition = &*w.node.expression;
                let step = changed_by(condition).map(|_| condition);
                Head { names: names_in(condition), step, body: &mut w.node.statement }
            }
            Statement::DoWhile(w) if at_least_once(w).is_some() => {
                let Statement::For(f) = &mut w.node.statement.node else { return None };
                Head::of(&mut f.node)?
            }
            Statement::DoWhile(w) => {
                Head { names: names_in(&w.node.expression), step: None, body: &mut w.node.statement }
            }
            Statement::For(f) => Head::of(&mut f.node)?,
            _ => return None,
        };
        let is_counted = step.is_some();
        names.extend(step.into_iter().flat_map(names_in));
        let (front, steps) = trailing(listed(body));
        let own: Vec<String> = steps.iter().filter_map(stepped).collect();
        // What ends the loop is not stopped, and moves on only at the end of an iteration.
        let front = self.without(front)?;
        let all = changed(&block(front.clone(), span));
        if all.iter().any(|name| names.contains(name)) || !is_counted && !own.iter().any(|name| names.contains(name)) {
            return None;
        }
        let place = body.span;
        let mut items = vec![unless(self.flag, front, place)];
        items.extend(steps);
        **body = block(items, place);
        Some(node)
    }
}

/// A loop.
struct Head<'f> {
    /// What its head names.
    names: Vec<String>,
    /// How it steps.
    step: Option<&'f Node<Expression>>,
    body: &'f mut Box<Node<Statement>>,
}

impl Head<'_> {
    fn of(f: &mut ForStatement) -> Option<Head<'_>> {
        let mut names = begun(&f.initializer.node);
        let condition = f.condition.as_deref()?;
        names.extend(names_in(condition));
        let step = match (changed_by(condition), &f.step) {
            (Some(_), _) => Some(condition),
            (None, step) => step.as_deref(),
        };
        Some(Head { names, step, body: &mut f.statement })
    }
}

/// What a loop counts with, outside of its own declarations: the variables of its head, and those that step behind all else.
pub fn counters(node: &Node<Statement>) -> Vec<String> {
    let of_head = |f: &ForStatement| -> Vec<String> {
        let own = match f.initializer.node {
            ForInitializer::Declaration(_) => begun(&f.initializer.node),
            _ => vec![],
        };
        let mut changing: Vec<String> = f.condition.iter().filter_map(|c| changed_by(c)).map(str::to_string).collect();
        let steps = f.step.as_deref().map(super::super::loops::steps).unwrap_or_default();
        // Not what they add.
        steps.into_iter().for_each(|step| changed_in(step, &mut changing));
        changing.extend(begun(&f.initializer.node));
        changing.retain(|name| !own.contains(name));
        changing
    };
    let (mut all, body) = match &node.node {
        Statement::While(w) => {
            (changed_by(&w.node.expression).map(str::to_string).into_iter().collect(), &w.node.statement)
        }
        Statement::DoWhile(w) => match at_least_once(w) {
            Some(f) => (of_head(&f.node), &f.node.statement),
            None => (vec![], &w.node.statement),
        },
        Statement::For(f) => (of_head(&f.node), &f.node.statement),
        _ => return vec![],
    };
    all.extend(trailing(listed(body)).1.iter().filter_map(stepped));
    all.sort();
    all.dedup();
    all
}

/// The steps that a body ends with, of variables that nothing before them changes or declares, and what is before them.
pub fn trailing(mut items: Items) -> (Items, Items) {
    let count = items.iter().rev().take_while(|item| stepped(item).is_some()).count();
    let steps = items.split_off(items.len() - count);
    let all = changed(&block(items.clone(), Span::none()));
    let (steps, others): (Items, Items) =
        steps.into_iter().partition(|item| stepped(item).is_some_and(|name| !all.contains(&name)));
    items.extend(others);
    (items, steps)
}

/// The variable that an item adds a constant to, and does nothing else.
fn stepped(item: &Node<BlockItem>) -> Option<String> {
    let BlockItem::Statement(Node { node: Statement::Expression(Some(expression)), .. }) = &item.node else {
        return None;
    };
    let names = names_in(expression);
    let name = names.first()?;
    step_of(expression, name).map(|_| name.clone())
}

fn is_nothing(node: &Node<Statement>) -> bool {
    match &node.node {
        Statement::Expression(None) => true,
        Statement::Compound(items) => {
            items.iter().all(|item| matches!(&item.node, BlockItem::Statement(own) if is_nothing(own)))
        }
        _ => false,
    }
}

/// One block of two, of which the first keeps its declarations for itself.
fn followed(first: Items, rest: Items, span: Span) -> Items {
    let declares = first.iter().any(|item| matches!(item.node, BlockItem::Declaration(_)));
    let first = if declares { vec![statement(Statement::Compound(first), span)] } else { first };
    [first, rest].concat()
}

pub fn statement(node: Statement, span: Span) -> Node<BlockItem> {
    Node::new(BlockItem::Statement(Node::new(node, span)), span)
}

/// `name = value;`
fn set(name: &str, value: Node<Expression>, span: Span) -> Node<BlockItem> {
    item(binary(BinaryOperator::Assign, named(name, span), value, span))
}

/// `if (!flag) { … }`
pub fn unless(flag: &str, items: Items, span: Span) -> Node<BlockItem> {
    statement(choice(untrue(named(flag, span)), block(items, span), None, span).node, span)
}

/// `int`
pub fn integer(span: Span) -> Vec<Node<DeclarationSpecifier>> {
    vec![Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Int, span)), span)]
}

/// `_Bool flag = 0;`
pub fn declared(flag: &str, span: Span) -> Node<BlockItem> {
    let specifiers = vec![Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Bool, span)), span)];
    let own: Node<Declaration> = declaration(specifiers, flag, number("0", span), span);
    Node::new(BlockItem::Declaration(own), span)
}
