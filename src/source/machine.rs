//! C's own machine on a few integers: what they are while statements run, as far as constants tell it. Data are unknown; where they
//! decide a condition, it goes both ways, and so there are sets of states.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use lang_c::ast::{
    BinaryOperator, BlockItem, Constant, Declaration, DeclarationSpecifier, Expression, ForInitializer, ForStatement,
    InitDeclarator, Initializer, Statement, StorageClassSpecifier, UnaryOperator,
};
use lang_c::span::Node;
use lang_c::visit::{self, Visit};

use super::canonical::names_in;
use super::expression::{binary, convert_to, truth, unary};
use super::function::{derived, identifier};
use super::kernel::{BinaryOp, Expr, ScalarType, UnaryOp};
use super::known::{Declared, changed, changed_in};
use super::literal;
use super::nest::{assignment, counts};
use super::plain::{item, listed, variable};
use super::types::{CType, Types};

type Items = [Node<BlockItem>];

/// The integers that are known, by their names.
pub type State = BTreeMap<String, i64>;
pub type States = BTreeSet<State>;

/// How many statements are run, in all states together, of a loop, and of each statement before it.
const STEPS: usize = 100_000;
const STEPS_BEFORE: usize = 5_000;

/// Runs statements, and follows the integers that it is told to.
pub struct Machine<'m> {
    types: &'m Types,
    followed: BTreeMap<String, CType>,
    left: Cell<usize>,
}

/// Where statements leave off: what comes next, the loop's end, its next round.
#[derive(Default)]
struct Ends {
    on: States,
    broken: States,
    next: States,
}

impl<'m> Machine<'m> {
    /// Of these names it follows integers that are declared once, and whose addresses nobody has.
    pub fn of(declared: &'m Declared, types: &'m Types, names: &HashSet<String>) -> Machine<'m> {
        let own = |name: &String| {
            let is_one = declared.times(name) == 1 && !declared.has_address(name);
            declared.integer(name, 0).filter(|_| is_one)?;
            let ty = types.of_declaration(&declared.specifiers(name)?);
            ty.integer()?;
            Some((name.clone(), ty))
        };
        let followed = names.iter().filter_map(own).collect();
        Machine { types, followed, left: Cell::new(0) }
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.followed.keys()
    }

    /// The type of an integer that is followed.
    pub fn integer(&self, name: &str) -> Option<ScalarType> {
        self.followed.get(name)?.integer()
    }

    /// What is known behind statements that nothing leaves, whatever was before them.
    pub fn behind(&self, items: &Items) -> State {
        let mut state = State::new();
        for item in items {
            self.left.set(STEPS_BEFORE);
            match self.items(std::slice::from_ref(item), [state.clone()].into()) {
                Some(ends) if ends.broken.is_empty() && ends.next.is_empty() && ends.on.len() == 1 => {
                    state = ends.on.into_iter().next().unwrap_or_default();
                }
                _ => self.forget(&changed_by(item), &mut state),
            }
        }
        state
    }

    /// The rounds of a loop that is `first` in these states, one after the other: those in which each begins, and at last none. `None`
    /// where they may be without end.
    pub fn rounds(
        &self,
        condition: &Node<Expression>,
        is_do: bool,
        body: &Items,
        first: States,
    ) -> Option<Vec<States>> {
        self.left.set(STEPS);
        let goes_on = |states: States| -> Option<States> {
            let [_, inside] = self.sides(Some(condition), states)?;
            Some(inside)
        };
        let mut rounds: Vec<States> = vec![];
        let mut seen = States::new();
        let mut states = if is_do { first } else { goes_on(first)? };
        while !states.is_empty() {
            seen.extend(states.iter().cloned());
            rounds.push(states.clone());
            // On a way as long as that one state comes twice.
            if rounds.len() > seen.len() {
                return None;
            }
            let ends = self.items(body, states)?;
            states = goes_on(ends.on.into_iter().chain(ends.next).collect())?;
        }
        Some(rounds)
    }

    fn items(&self, items: &Items, states: States) -> Option<Ends> {
        let mut ends = Ends { on: states, ..Ends::default() };
        for item in items {
            let states = std::mem::take(&mut ends.on);
            self.left.set(self.left.get().checked_sub(states.len())?);
            match &item.node {
                BlockItem::Declaration(declaration) => {
                    ends.on = states.into_iter().map(|state| self.declaration(&declaration.node, state)).collect();
                }
                BlockItem::StaticAssert(_) => ends.on = states,
                BlockItem::Statement(own) => {
                    let own = self.statement(own, states)?;
                    ends.on = own.on;
                    ends.broken.extend(own.broken);
                    ends.next.extend(own.next);
                }
            }
        }
        Some(ends)
    }

    fn statement(&self, node: &Node<Statement>, states: States) -> Option<Ends> {
        let on = |on: States| Some(Ends { on, ..Ends::default() });
        match &node.node {
            Statement::Compound(items) => self.items(items, states),
            Statement::Expression(None) => on(states),
            Statement::Expression(Some(own)) => on(self.done(own, states)),
            Statement::Return(_) => on(States::new()),
            Statement::Break => Some(Ends { broken: states, ..Ends::default() }),
            Statement::Continue => Some(Ends { next: states, ..Ends::default() }),
            Statement::If(branch) => {
                let [other, then] = self.sides(Some(&branch.node.condition), states)?;
                let mut ends = self.statement(&branch.node.then_statement, then)?;
                let other = match &branch.node.else_statement {
                    Some(own) => self.statement(own, other)?,
                    None => Ends { on: other, ..Ends::default() },
                };
                ends.on.extend(other.on);
                ends.broken.extend(other.broken);
                ends.next.extend(other.next);
                Some(ends)
            }
            Statement::While(w) => {
                on(self.loops(Some(&w.node.expression), None, &listed(&w.node.statement), false, states)?)
            }
            Statement::DoWhile(w) => {
                on(self.loops(Some(&w.node.expression), None, &listed(&w.node.statement), true, states)?)
            }
            Statement::For(f) => {
                let ForStatement { initializer, condition, step, statement } = &f.node;
                let first = match &initializer.node {
                    ForInitializer::Empty => states,
                    ForInitializer::Expression(own) => self.done(own, states),
                    ForInitializer::Declaration(own) => {
                        states.into_iter().map(|state| self.declaration(&own.node, state)).collect()
                    }
                    ForInitializer::StaticAssert(_) => return None,
                };
                on(self.loops(condition.as_deref(), step.as_deref(), &listed(statement), false, first)?)
            }
            _ => None,
        }
    }

    /// All states behind a loop.
    fn loops(
        &self,
        condition: Option<&Node<Expression>>,
        step: Option<&Node<Expression>>,
        body: &Items,
        is_do: bool,
        first: States,
    ) -> Option<States> {
        let mut behind = States::new();
        let mut met = States::new();
        let mut pending = first;
        let mut is_first = is_do;
        while !pending.is_empty() {
            let inside = match std::mem::take(&mut is_first) {
                true => pending,
                false => {
                    let [out, inside] = self.sides(condition, pending)?;
                    behind.extend(out);
                    inside
                }
            };
            let inside: States = inside.into_iter().filter(|state| met.insert(state.clone())).collect();
            let ends = self.items(body, inside)?;
            behind.extend(ends.broken);
            let on: States = ends.on.into_iter().chain(ends.next).collect();
            pending = match step {
                Some(step) => self.done(step, on),
                None => on,
            };
        }
        Some(behind)
    }

    fn done(&self, node: &Node<Expression>, states: States) -> States {
        let own = |mut state: State| {
            self.value(node, &mut state);
            state
        };
        states.into_iter().map(own).collect()
    }

    /// The states in which a condition may fail, and those in which it may hold; none always holds.
    fn sides(&self, condition: Option<&Node<Expression>>, states: States) -> Option<[States; 2]> {
        self.left.set(self.left.get().checked_sub(states.len())?);
        let mut both = [States::new(), States::new()];
        for mut state in states {
            let holds = match condition {
                Some(condition) => self.value(condition, &mut state).map(|value| is_true(&value)),
                None => Some(true),
            };
            for (side, states) in both.iter_mut().enumerate() {
                if holds.is_none_or(|holds| holds == (side == 1)) {
                    states.insert(state.clone());
                }
            }
        }
        Some(both)
    }

    fn declaration(&self, declaration: &Declaration, mut state: State) -> State {
        let is_static = |specifier: &Node<DeclarationSpecifier>| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class)
                if !matches!(class.node, StorageClassSpecifier::Auto | StorageClassSpecifier::Register))
        };
        let is_static = declaration.specifiers.iter().any(is_static);
        for declarator in &declaration.declarators {
            let InitDeclarator { declarator, initializer } = &declarator.node;
            let value = match initializer.as_ref().map(|first| &first.node) {
                Some(Initializer::Expression(value)) => self.value(value, &mut state),
                _ => None,
            };
            if let Some(name) = identifier(&declarator.node) {
                let value = value.filter(|_| derived(declarator).is_empty() && !is_static);
                self.assign(&name.node.name, value, &mut state);
            }
        }
        state
    }

    fn assign(&self, name: &str, value: Option<Expr>, state: &mut State) {
        let known = value.zip(self.followed.get(name)).map(|(value, ty)| convert_to(value, ty));
        match known {
            Some(Expr::Constant { value, .. }) => {
                state.insert(name.to_string(), value);
            }
            _ => {
                state.remove(name);
            }
        }
    }

    fn forget(&self, names: &[String], state: &mut State) {
        names.iter().for_each(|name| {
            state.remove(name);
        });
    }

    /// The value of an expression in a state, which it may change.
    fn value(&self, node: &Node<Expression>, state: &mut State) -> Option<Expr> {
        let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
        match &node.node {
            Expression::Constant(own) => match &own.node {
                Constant::Integer(integer) => literal::integer(integer, self.types.long.bits),
                _ => None,
            },
            Expression::Identifier(name) => {
                let ty = self.followed.get(&name.node.name)?.integer()?;
                state.get(&name.node.name).map(|value| Expr::Constant { value: *value, ty })
            }
            Expression::UnaryOperator(own) => {
                let operand = &own.node.operand;
                let operator = &own.node.operator.node;
                let op = match operator {
                    _ if counts(operator) => {
                        let old = self.value(operand, state);
                        let is_up = matches!(operator, UnaryOperator::PostIncrement | UnaryOperator::PreIncrement);
                        let op = if is_up { BinaryOp::Add } else { BinaryOp::Subtract };
                        let new = old.clone().map(|old| binary(op, old, one));
                        self.store(operand, new, state);
                        let is_late = matches!(operator, UnaryOperator::PostIncrement | UnaryOperator::PostDecrement);
                        return if is_late { old } else { self.value(operand, state) };
                    }
                    UnaryOperator::Plus => {
                        return self.value(operand, state).map(|own| binary(BinaryOp::Multiply, own, one));
                    }
                    UnaryOperator::Minus => UnaryOp::Negate,
                    UnaryOperator::Complement => UnaryOp::Complement,
                    UnaryOperator::Negate => UnaryOp::Not,
                    _ => {
                        self.value(operand, state);
                        return None;
                    }
                };
                self.value(operand, state).map(|own| unary(op, own))
            }
            Expression::BinaryOperator(own) => {
                let o = &own.node;
                if let Some(op) = assignment(&o.operator.node) {
                    let right = self.value(&o.rhs, state);
                    let value = match op {
                        None => right,
                        Some(op) => self.value(&o.lhs, state).zip(right).map(|(left, right)| binary(op, left, right)),
                    };
                    self.store(&o.lhs, value, state);
                    return if variable(&o.lhs).is_some() { self.value(&o.lhs, state) } else { None };
                }
                self.operated(&o.operator.node, [&o.lhs, &o.rhs], state)
            }
            Expression::Conditional(own) => {
                let own = &own.node;
                match self.value(&own.condition, state) {
                    Some(value) => {
                        let (side, unused) = match is_true(&value) {
                            true => (&own.then_expression, &own.else_expression),
                            false => (&own.else_expression, &own.then_expression),
                        };
                        let unused = self.value(unused, &mut state.clone());
                        // What this side changes it changes, whatever is known of the other.
                        let side = self.value(side, state);
                        // Of the type of both sides, which is known where both are.
                        let zero = binary(BinaryOp::And, unused?, Expr::Constant { value: 0, ty: ScalarType::I32 });
                        side.map(|side| binary(BinaryOp::Add, side, zero))
                    }
                    None => {
                        self.forget_changed(&own.then_expression, state);
                        self.forget_changed(&own.else_expression, state);
                        None
                    }
                }
            }
            Expression::Cast(cast) => {
                let value = self.value(&cast.node.expression, state)?;
                let ty = self.types.of_name(&cast.node.type_name.node);
                ty.integer().map(|_| convert_to(value, &ty))
            }
            Expression::Comma(parts) => {
                let (last, front) = parts.split_last()?;
                front.iter().for_each(|part| {
                    self.value(part, state);
                });
                self.value(last, state)
            }
            _ => {
                self.forget_changed(node, state);
                None
            }
        }
    }

    fn operated(
        &self,
        operator: &BinaryOperator,
        [lhs, rhs]: [&Node<Expression>; 2],
        state: &mut State,
    ) -> Option<Expr> {
        let of = |value: bool| Some(Expr::Constant { value: value.into(), ty: ScalarType::I32 });
        let ends = match operator {
            BinaryOperator::LogicalAnd => Some(false),
            BinaryOperator::LogicalOr => Some(true),
            _ => None,
        };
        if let Some(ends) = ends {
            return match self.value(lhs, state).map(|left| is_true(&left)) {
                Some(left) if left == ends => of(ends),
                Some(_) => self.value(rhs, state).and_then(|right| of(is_true(&right))),
                None => {
                    let right = self.value(rhs, &mut state.clone()).map(|right| is_true(&right));
                    self.forget_changed(rhs, state);
                    if right == Some(ends) { of(ends) } else { None }
                }
            };
        }
        let (left, right) = (self.value(lhs, state), self.value(rhs, state));
        let (left, right) = (left?, right?);
        Some(match operator {
            BinaryOperator::Plus => binary(BinaryOp::Add, left, right),
            BinaryOperator::Minus => binary(BinaryOp::Subtract, left, right),
            BinaryOperator::Multiply => binary(BinaryOp::Multiply, left, right),
            BinaryOperator::Divide if is_true(&right) => binary(BinaryOp::Divide, left, right),
            BinaryOperator::Modulo if is_true(&right) => binary(BinaryOp::Remainder, left, right),
            BinaryOperator::ShiftLeft => binary(BinaryOp::ShiftLeft, left, right),
            BinaryOperator::ShiftRight => binary(BinaryOp::ShiftRight, left, right),
            BinaryOperator::BitwiseAnd => binary(BinaryOp::And, left, right),
            BinaryOperator::BitwiseXor => binary(BinaryOp::Xor, left, right),
            BinaryOperator::BitwiseOr => binary(BinaryOp::Or, left, right),
            BinaryOperator::Less => binary(BinaryOp::Less, left, right),
            BinaryOperator::LessOrEqual => binary(BinaryOp::LessEqual, left, right),
            BinaryOperator::Greater => binary(BinaryOp::Less, right, left),
            BinaryOperator::GreaterOrEqual => binary(BinaryOp::LessEqual, right, left),
            BinaryOperator::Equals => binary(BinaryOp::Equal, left, right),
            BinaryOperator::NotEquals => binary(BinaryOp::NotEqual, left, right),
            _ => return None,
        })
    }

    fn store(&self, place: &Node<Expression>, value: Option<Expr>, state: &mut State) {
        match variable(place) {
            Some(name) => self.assign(name, value, state),
            None => self.forget_changed(place, state),
        }
    }

    fn forget_changed(&self, node: &Node<Expression>, state: &mut State) {
        let mut names = vec![];
        changed_in(node, &mut names);
        self.forget(&names, state);
    }
}

fn is_true(value: &Expr) -> bool {
    matches!(truth(value.clone()), Expr::Constant { value, .. } if value != 0)
}

fn changed_by(own: &Node<BlockItem>) -> Vec<String> {
    changed(&super::plain::block(vec![own.clone()], own.span))
}

/// The names that what a loop does next may depend on: those of its condition and of all that decides over jumps, and of all that gives
/// those their values.
pub fn deciding(condition: &Node<Expression>, body: &Items) -> HashSet<String> {
    let mut found = Deciding { names: names_in(condition).into_iter().collect(), around: vec![] };
    loop {
        let count = found.names.len();
        body.iter().for_each(|item| found.visit_block_item(&item.node, &item.span));
        let own = item(condition.clone());
        found.visit_block_item(&own.node, &own.span);
        if found.names.len() == count {
            return found.names;
        }
    }
}

struct Deciding {
    names: HashSet<String>,
    /// What is named by the conditions around.
    around: Vec<Vec<String>>,
}

impl Deciding {
    fn under(&mut self, condition: Option<&Node<Expression>>, act: impl FnOnce(&mut Self)) {
        self.around.push(condition.map(names_in).unwrap_or_default());
        act(self);
        self.around.pop();
    }

    fn decides(&mut self) {
        self.names.extend(self.around.iter().flatten().cloned());
    }

    fn gets(&mut self, name: &str, value: Vec<String>) {
        if self.names.contains(name) {
            self.names.extend(value);
            self.decides();
        }
    }
}

impl<'ast> Visit<'ast> for Deciding {
    fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast lang_c::span::Span) {
        match statement {
            Statement::Break | Statement::Continue | Statement::Return(_) | Statement::Goto(_) => self.decides(),
            Statement::If(branch) => {
                self.under(Some(&branch.node.condition), |own| visit::visit_statement(own, statement, span));
                return;
            }
            Statement::While(w) => {
                self.under(Some(&w.node.expression), |own| visit::visit_statement(own, statement, span));
                return;
            }
            Statement::DoWhile(w) => {
                self.under(Some(&w.node.expression), |own| visit::visit_statement(own, statement, span));
                return;
            }
            Statement::For(f) => {
                self.under(f.node.condition.as_deref(), |own| visit::visit_statement(own, statement, span));
                return;
            }
            _ => {}
        }
        visit::visit_statement(self, statement, span);
    }

    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast lang_c::span::Span) {
        match expression {
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                if let Some(name) = variable(&o.node.lhs) {
                    self.gets(name, names_in(&o.node.rhs));
                }
            }
            Expression::BinaryOperator(o)
                if matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                self.under(Some(&o.node.lhs), |own| visit::visit_expression(own, expression, span));
                return;
            }
            Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => {
                if let Some(name) = variable(&unary.node.operand) {
                    self.gets(name, vec![]);
                }
            }
            Expression::Conditional(own) => {
                self.under(Some(&own.node.condition), |inner| visit::visit_expression(inner, expression, span));
                return;
            }
            _ => {}
        }
        visit::visit_expression(self, expression, span);
    }

    fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast lang_c::span::Span) {
        if let (Some(name), Some(Initializer::Expression(value))) =
            (identifier(&declarator.declarator.node), declarator.initializer.as_ref().map(|first| &first.node))
        {
            self.gets(&name.node.name, names_in(value));
        }
        visit::visit_init_declarator(self, declarator, span);
    }
}
