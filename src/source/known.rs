//! Local integers that name places in arrays of several dimensions which C has as one, on C's own tree: of `idx = y * w + x`, the
//! subscript `idx - w` is `(y - 1) * w + x`, as [`super::flat`] reads it.
//!
//! The text is read from the top to the bottom with what every variable stands for, a sum of products of variables that have not
//! changed since. Both sides of an `if` must agree. A loop that counts adds to a variable what one iteration adds, as often as
//! it has been through: `*p++` in loops over rows and columns is a row and a column again.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, CastExpression, ConditionalExpression, Constant, Declaration,
    DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, Expression, ForInitializer, ForStatement,
    FunctionDefinition, IfStatement, InitDeclarator, Initializer, IntegerSize, ParameterDeclaration,
    SpecifierQualifier, Statement, TypeName, TypeSpecifier, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::{at_least_once, names_in};
use super::expression::{common, promoted};
use super::flat::{FLAT, expressions};
use super::function::{derived, identifier};
use super::kernel::{BinaryOp, ScalarType};
use super::nest::{assignment, counts, operation};
use super::plain::{binary, number, variable};
use super::polynomial::{Integers, Polynomial, changes};
use super::types::Types;

/// Where values are put in place of variables.
pub struct Wanted {
    /// In the first subscripts of these arrays.
    pub arrays: HashSet<String>,
    /// Products of these are the lengths of rows.
    pub sizes: HashSet<String>,
    /// The sizes of each array, outermost first.
    pub products: Vec<Vec<String>>,
}

/// What is known of the loops behind [`substitute`].
#[derive(Default)]
pub struct Loops {
    /// Iterators of rows that C has no loop over: what is said of the whole loop's variable is nowhere a condition.
    pub crossing: HashSet<String>,
    /// Where the loops of an iterator end.
    pub ends: HashMap<String, Vec<Polynomial>>,
}

/// How deep loops nest in which variables are followed.
const DEEPEST: usize = 8;

/// What a function declares.
pub struct Declared {
    names: HashMap<String, Vec<Variable>>,
    addressed: HashSet<String>,
    /// Arguments that the body does not change.
    arguments: HashSet<String>,
    /// Every name that stands in it.
    taken: HashSet<String>,
}

#[derive(Clone)]
struct Variable {
    /// Of an integer.
    ty: Option<ScalarType>,
    /// It is no array and no pointer.
    is_number: bool,
    specifiers: Vec<Node<DeclarationSpecifier>>,
}

impl Declared {
    pub fn of(function: &FunctionDefinition, types: &Types) -> Declared {
        struct Search<'t> {
            types: &'t Types,
            found: Declared,
        }
        impl Search<'_> {
            fn add(&mut self, specifiers: &[Node<DeclarationSpecifier>], declarator: &Node<Declarator>) {
                if let Some(name) = identifier(&declarator.node) {
                    let ty = self.types.of_declaration(specifiers).integer();
                    let is_number = derived(declarator).is_empty();
                    let own = Variable { ty, is_number, specifiers: specifiers.to_vec() };
                    self.found.names.entry(name.node.name.clone()).or_default().push(own);
                }
            }
        }
        impl<'ast> Visit<'ast> for Search<'_> {
            fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
                for declarator in &declaration.declarators {
                    self.add(&declaration.specifiers, &declarator.node.declarator);
                }
                visit::visit_declaration(self, declaration, span);
            }
            fn visit_parameter_declaration(&mut self, parameter: &'ast ParameterDeclaration, span: &'ast Span) {
                if let Some(declarator) = &parameter.declarator {
                    self.add(&parameter.specifiers, declarator);
                    self.found.arguments.extend(identifier(&declarator.node).map(|name| name.node.name.clone()));
                }
                visit::visit_parameter_declaration(self, parameter, span);
            }
            fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast Span) {
                self.found.taken.insert(identifier.name.clone());
            }
            fn visit_unary_operator_expression(
                &mut self,
                unary: &'ast lang_c::ast::UnaryOperatorExpression,
                span: &'ast Span,
            ) {
                if let (UnaryOperator::Address, Some(name)) = (&unary.operator.node, variable(&unary.operand)) {
                    self.found.addressed.insert(name.to_string());
                }
                visit::visit_unary_operator_expression(self, unary, span);
            }
        }
        let found = Declared {
            names: HashMap::new(),
            addressed: HashSet::new(),
            arguments: HashSet::new(),
            taken: HashSet::new(),
        };
        let mut search = Search { types, found };
        search.visit_function_definition(function, &Span::none());
        let changed = changed(&function.statement);
        let Declared { arguments, addressed, .. } = &mut search.found;
        arguments.retain(|name| !changed.contains(name) && !addressed.contains(name));
        search.found
    }

    /// Whether a name is an argument's alone, of an integer that keeps its value.
    fn is_constant_argument(&self, name: &str) -> bool {
        self.times(name) == 1 && self.arguments.contains(name) && self.has_bits(name, 32)
    }

    /// How often a name is declared.
    pub fn times(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, Vec::len)
    }

    /// Whether every variable of the name is an integer of at least so many bits.
    fn has_bits(&self, name: &str, least: u32) -> bool {
        self.names
            .get(name)
            .is_some_and(|all| all.iter().all(|own| own.is_number && own.ty.is_some_and(|ty| ty.bits >= least)))
    }

    fn is_signed(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|all| all.iter().all(|own| own.ty.is_some_and(|ty| ty.signed)))
    }

    fn is_unsigned(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|all| all.iter().all(|own| own.ty.is_some_and(|ty| !ty.signed)))
    }

    /// A new name, of an integer of 64 bits.
    fn fresh(&mut self, stem: &str, specifiers: &[Node<DeclarationSpecifier>]) -> String {
        let own = (0..).map(|k| format!("{stem}_{k}")).find(|own| !self.taken.contains(own)).unwrap_or_default();
        let ty = Some(ScalarType::integer(64, true));
        let variable = Variable { ty, is_number: true, specifiers: specifiers.to_vec() };
        self.taken.insert(own.clone());
        self.names.insert(own.clone(), vec![variable]);
        own
    }
}

struct Known<'k> {
    wanted: &'k Wanted,
    declared: Declared,
    types: &'k Types,
    /// The function's body.
    whole: Node<Statement>,
    values: HashMap<String, Polynomial>,
    /// Iterators of the loops around this place that are never below 0, with what each stays below.
    ends: HashMap<String, Polynomial>,
    /// Iterators of the loops around this place that are never below 0.
    counting: HashSet<String>,
    depth: usize,
    /// The variables in whose place values stand now.
    replaced: HashSet<String>,
    /// Values that variables of loops over many rows have: they are within the variables' types.
    made: Vec<Polynomial>,
    loops: Loops,
}

impl Integers for Known<'_> {
    fn keeps(&self, ty: &TypeName) -> bool {
        self.types.of_name(ty).integer().is_some_and(|ty| ty.bits >= 32)
    }

    fn is_integer(&self, name: &str) -> bool {
        self.declared.has_bits(name, 1)
    }

    /// Of `y * w + x`, where `x` is in a row of `w`, the row and the place in it.
    fn quotient(&self, operation: &BinaryOperatorExpression, sides: [&Polynomial; 2]) -> Option<Polynomial> {
        let is_exact = self.is_exact(&operation.lhs) && self.is_exact(&operation.rhs);
        let value = |side: &Polynomial| side.with(&|name| self.values.get(name).cloned()).filter(|_| is_exact);
        let [left, right] = [value(sides[0])?, value(sides[1])?];
        if right.as_constant().is_some() || !right.is_plain() {
            return None;
        }
        let [rows, rest] = left.divided(&right)?;
        let is_rest = operation.operator.node == BinaryOperator::Modulo;
        (self.is_below(&rest, &right) && self.is_not_negative(&rows)).then_some(if is_rest { rest } else { rows })
    }
}

/// Puts the values of variables in place of them, as far as they are known.
pub fn substitute(function: &mut FunctionDefinition, wanted: &Wanted, types: &Types) -> Loops {
    let mut known = Known {
        wanted,
        declared: Declared::of(function, types),
        types,
        whole: function.statement.clone(),
        values: HashMap::new(),
        ends: HashMap::new(),
        counting: HashSet::new(),
        depth: 0,
        replaced: HashSet::new(),
        made: vec![],
        loops: Loops::default(),
    };
    known.statement(&mut function.statement);
    remove_unread(&mut function.statement, known.replaced);
    known.loops
}

impl Known<'_> {
    fn statement(&mut self, node: &mut Node<Statement>) {
        match &mut node.node {
            Statement::Expression(Some(expression)) => self.assigns(expression),
            Statement::Return(Some(value)) => self.reads(value),
            Statement::Compound(items) => {
                let mut own = vec![];
                for item in items {
                    match &mut item.node {
                        BlockItem::Declaration(declaration) => own.extend(self.declares(&mut declaration.node)),
                        BlockItem::Statement(inner) => self.statement(inner),
                        BlockItem::StaticAssert(_) => {}
                    }
                }
                own.iter().for_each(|name| self.forget(name));
            }
            Statement::If(branch) => {
                self.reads(&mut branch.node.condition);
                let before = self.values.clone();
                self.statement(&mut branch.node.then_statement);
                let then = std::mem::replace(&mut self.values, before);
                if let Some(otherwise) = &mut branch.node.else_statement {
                    self.statement(otherwise);
                }
                self.values.retain(|name, value| then.get(name) == Some(value));
            }
            Statement::For(f) => {
                if let Some(other) = self.reshaped(&f.node, f.span) {
                    *node = other;
                    return self.statement(node);
                }
                self.counts(&mut f.node);
            }
            Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) | Statement::Labeled(_) => {
                let changed = changed(node);
                changed.iter().for_each(|name| self.forget(name));
                // One that runs once at least stays one loop.
                let is_one = matches!(&node.node, Statement::DoWhile(w) if at_least_once(w).is_some());
                match &mut node.node {
                    Statement::DoWhile(w) if is_one => {
                        if let Statement::For(f) = &mut w.node.statement.node {
                            self.counts(&mut f.node);
                        }
                    }
                    Statement::While(w) => self.statement(&mut w.node.statement),
                    Statement::DoWhile(w) => self.statement(&mut w.node.statement),
                    Statement::Labeled(labeled) => self.statement(&mut labeled.node.statement),
                    _ => {}
                }
                changed.iter().for_each(|name| self.forget(name));
            }
            _ => {}
        }
    }

    /// Drops what was known of a variable and by it.
    fn forget(&mut self, name: &str) {
        self.values.remove(name);
        self.ends.remove(name);
        self.ends.retain(|_, end| !end.mentions(name));
        self.counting.remove(name);
        self.values.retain(|_, value| !value.mentions(name));
    }

    fn value_of(&self, node: &Node<Expression>) -> Option<Polynomial> {
        let value = Polynomial::of(node, self, false)?;
        value.with(&|name| self.values.get(name).cloned())
    }

    fn set(&mut self, name: &str, value: Option<Polynomial>) {
        self.forget(name);
        let is_followed = self.declared.has_bits(name, 32) && !self.declared.addressed.contains(name);
        if let Some(value) = value.filter(|value| is_followed && !value.mentions(name)) {
            self.values.insert(name.to_string(), value);
        }
    }

    /// The names that a declaration declares.
    fn declares(&mut self, declaration: &mut Declaration) -> Vec<String> {
        let mut own = vec![];
        for declarator in &mut declaration.declarators {
            let InitDeclarator { declarator, initializer } = &mut declarator.node;
            let value = match initializer.as_mut().map(|first| &mut first.node) {
                Some(Initializer::Expression(first)) => {
                    self.reads(first);
                    let value = self.value_of(first);
                    self.linear(first, value.as_ref());
                    value
                }
                _ => None,
            };
            if let Some(name) = identifier(&declarator.node) {
                self.set(&name.node.name, value);
                own.push(name.node.name.clone());
            }
        }
        own
    }

    fn assigns(&mut self, node: &mut Node<Expression>) {
        if let Some((name, value)) = self.assigned(node) {
            // What is read is there before.
            if let Expression::BinaryOperator(o) = &mut node.node {
                self.reads(&mut o.node.rhs);
                if o.node.operator.node == BinaryOperator::Assign {
                    self.linear(&mut o.node.rhs, value.as_ref());
                }
            }
            self.set(&name, value);
            return;
        }
        let mut names = vec![];
        changed_in(node, &mut names);
        names.iter().for_each(|name| self.forget(name));
        self.reads(node);
    }

    /// The variable that `v = e`, `v += e` or `v++` changes, where nothing else is, and its value.
    fn assigned(&self, node: &Node<Expression>) -> Option<(String, Option<Polynomial>)> {
        let step = |name: &str, by: Option<Polynomial>, factor| {
            let own = self.values.get(name).cloned().unwrap_or_else(|| Polynomial::variable(name));
            (name.to_string(), by.and_then(|by| own.plus(&by, factor)))
        };
        match &node.node {
            Expression::UnaryOperator(unary) => {
                let name = variable(&unary.node.operand)?;
                let by = Some(Polynomial::constant(1));
                match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(step(name, by, 1)),
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(step(name, by, -1)),
                    _ => None,
                }
            }
            _ => {
                let (operator, o) = operation(node)?;
                let name = variable(&o.lhs)?;
                let operator = assignment(&operator)?;
                if changes(&o.rhs) {
                    return None;
                }
                let value = self.value_of(&o.rhs);
                Some(match operator {
                    None => (name.to_string(), value),
                    Some(BinaryOp::Add) => step(name, value, 1),
                    Some(BinaryOp::Subtract) => step(name, value, -1),
                    Some(_) => (name.to_string(), None),
                })
            }
        }
    }

    /// Puts values in place of variables where an expression names elements.
    fn reads(&mut self, node: &mut Node<Expression>) {
        let mut own = Node::new(Statement::Expression(Some(Box::new(node.clone()))), node.span);
        let (mut replaced, mut made) = (HashSet::new(), vec![]);
        expressions(&mut own, &mut |inner| {
            if let Expression::BinaryOperator(o) = &mut inner.node
                && o.node.operator.node == BinaryOperator::Index
                && variable(&o.node.lhs).is_some_and(|name| self.wanted.arrays.contains(name))
            {
                match &mut o.node.rhs.node {
                    Expression::Call(call) if variable(&call.node.callee) == Some(FLAT) => {
                        if let [flat, _] = &mut call.node.arguments[..] {
                            self.subscript(flat, &mut replaced);
                        }
                        self.mark(&mut o.node.rhs);
                    }
                    _ => self.subscript(&mut o.node.rhs, &mut replaced),
                }
            }
            if let Some((BinaryOperator::Divide | BinaryOperator::Modulo, o)) = operation(inner) {
                let value = |side| Polynomial::of(side, self, false);
                let known = value(&o.lhs).zip(value(&o.rhs)).and_then(|(a, b)| self.quotient(o, [&a, &b]));
                if let (Some(known), Some(ty)) = (known, self.type_of(inner)) {
                    replaced.extend(names_in(inner));
                    *inner = cast(known.expression(inner.span), ty);
                    made.push(known);
                    return true;
                }
            }
            if let Some(compared) = self.compared(inner) {
                replaced.extend(names_in(inner));
                *inner = compared;
                return true;
            }
            false
        });
        self.replaced.extend(replaced);
        self.made.extend(made);
        if let Statement::Expression(Some(own)) = own.node {
            *node = *own;
        }
    }

    /// Writes what a variable gets as a sum of variables, where it is one of products.
    fn linear(&mut self, node: &mut Node<Expression>, value: Option<&Polynomial>) {
        let Some(value) = value.filter(|value| value.is_plain() && !value.has_products()) else { return };
        let is_product = Polynomial::of(node, self, false).is_some_and(|own| own.has_products());
        if is_product
            && self.is_exact(node)
            && let Some(ty) = self.type_of(node)
        {
            self.replaced.extend(names_in(node));
            *node = cast(value.expression(node.span), ty);
        }
    }

    /// A comparison of a place in many rows with the beginning of one, as one of rows; with 0, as one of the row and the place in it.
    fn compared(&self, node: &Node<Expression>) -> Option<Node<Expression>> {
        let (operator, o) = operation(node)?;
        let is_of_rows = match operator {
            BinaryOperator::Less | BinaryOperator::GreaterOrEqual => true,
            BinaryOperator::Greater
            | BinaryOperator::LessOrEqual
            | BinaryOperator::Equals
            | BinaryOperator::NotEquals => false,
            _ => return None,
        };
        if !self.is_exact(&o.lhs) || !self.is_exact(&o.rhs) {
            return None;
        }
        let (left, right) = (self.value_of(&o.lhs)?, self.value_of(&o.rhs)?);
        let is_signed = common(self.type_of(&o.lhs)?, self.type_of(&o.rhs)?).signed;
        if !(is_signed || self.is_not_negative(&left) && self.is_not_negative(&right)) {
            return None;
        }
        let difference = left.plus(&right, -1)?;
        if !difference.has_products() || !difference.is_plain() {
            return None;
        }
        let mut sizes = self.wanted.products.iter().flatten();
        let [rows, rest] = sizes.find_map(|size| {
            let row = Polynomial::variable(size);
            let parts = difference.divided(&row)?;
            let is_flat = parts.iter().all(|part| !part.has_products() && !part.mentions(size));
            (is_flat && self.is_below(&parts[1], &row)).then_some(parts)
        })?;
        let value = match is_of_rows {
            true => rows,
            false => rows.plus(&rest, 1).filter(|_| self.is_not_negative(&rows))?,
        };
        // Each side is above 0 in whatever type it is computed.
        let [left, right] = value.sides()?;
        let are_not_negative = self.is_not_negative(&left) && self.is_not_negative(&right);
        let span = node.span;
        are_not_negative.then(|| binary(operator, left.expression(span), right.expression(span), span))
    }

    /// Whether a value is certainly from 0 to below the length of a row.
    fn is_below(&self, value: &Polynomial, row: &Polynomial) -> bool {
        let is_below = || {
            let one = Polynomial::constant(1);
            let largest = value.with(&|name| self.ends.get(name)?.plus(&one, -1))?;
            Some(self.is_not_negative(&row.plus(&largest, -1)?.plus(&one, -1)?))
        };
        value.is_zero() || self.is_not_negative(value) && is_below() == Some(true)
    }

    /// The type of an expression of integers, as far as C's conversions tell.
    fn type_of(&self, node: &Node<Expression>) -> Option<ScalarType> {
        match &node.node {
            Expression::Identifier(name) => {
                let all = self.declared.names.get(&name.node.name)?;
                let ty = all.first()?.ty?;
                all.iter().all(|own| own.is_number && own.ty == Some(ty)).then(|| promoted(ty))
            }
            Expression::Constant(_) => match Polynomial::of(node, self, false)?.as_constant()? {
                value if value <= i64::from(i32::MAX) && !is_suffixed(node) => Some(ScalarType::I32),
                _ => None,
            },
            Expression::Cast(cast) => self.types.of_name(&cast.node.type_name.node).integer().map(promoted),
            _ => match operation(node)? {
                (
                    BinaryOperator::Plus
                    | BinaryOperator::Minus
                    | BinaryOperator::Multiply
                    | BinaryOperator::Divide
                    | BinaryOperator::Modulo,
                    o,
                ) => Some(common(self.type_of(&o.lhs)?, self.type_of(&o.rhs)?)),
                _ => None,
            },
        }
    }

    /// Whether the value of an expression is that of the integers themselves: nothing in it wraps around.
    fn is_exact(&self, node: &Node<Expression>) -> bool {
        match &node.node {
            Expression::Identifier(name) => {
                self.values.get(&name.node.name).is_none_or(|value| self.made.contains(value))
            }
            Expression::Constant(_) => true,
            _ => match operation(node) {
                Some((BinaryOperator::Divide | BinaryOperator::Modulo, o)) => {
                    self.is_exact(&o.lhs) && self.is_exact(&o.rhs)
                }
                Some((BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply, o)) => {
                    let is_signed = self.type_of(node).is_some_and(|ty| ty.signed);
                    is_signed && self.is_exact(&o.lhs) && self.is_exact(&o.rhs)
                }
                _ => false,
            },
        }
    }

    fn subscript(&self, node: &mut Node<Expression>, replaced: &mut HashSet<String>) {
        let Some(own) = Polynomial::of(node, self, true) else { return };
        let mut names: Vec<String> = own.terms().flat_map(|(term, _)| term.to_vec()).collect();
        names.retain(|name| {
            self.values.get(name).is_some_and(|value| value.is_plain() || value.multiplies(&self.wanted.sizes))
        });
        if names.is_empty() {
            return;
        }
        let value = own.with(&|name| self.values.get(name).filter(|_| names.iter().any(|own| own == name)).cloned());
        if let Some(value) = value {
            *node = value.expression(node.span);
            replaced.extend(names);
        }
    }

    /// Notes the largest value of a place in a whole array, where constants tell it: its second argument.
    fn mark(&self, node: &mut Node<Expression>) {
        let Expression::Call(call) = &mut node.node else { return };
        let [flat, most] = &mut call.node.arguments[..] else { return };
        let Some(own) = Polynomial::of(flat, self, true) else { return };
        let mut largest = Some(0i64);
        for (term, count) in own.terms() {
            let range = match term {
                [] => Some(1),
                [name] if count > 0 => self.ends.get(name).and_then(|end| end.as_constant()?.checked_sub(1)),
                _ => None,
            };
            largest = largest.zip(range.and_then(|range| range.checked_mul(count))).and_then(|(a, b)| a.checked_add(b));
        }
        if let Some(largest) = largest.filter(|largest| *largest >= 0) {
            *most = number(&largest.to_string(), flat.span);
        }
    }

    fn counts(&mut self, f: &mut ForStatement) {
        let mut own = vec![];
        match &mut f.initializer.node {
            ForInitializer::Expression(first) => self.assigns(first),
            ForInitializer::Declaration(declaration) => own = self.declares(&mut declaration.node),
            _ => {}
        }
        let mut others = changed(&f.statement);
        let mut stepped = vec![];
        f.step.iter().for_each(|step| changed_in(step, &mut stepped));
        f.condition.iter().for_each(|condition| changed_in(condition, &mut others));
        let head = self.head(f).filter(|head| !others.contains(&head.name) && stepped == [head.name.clone()]);
        let limit: HashSet<String> = f.condition.iter().flat_map(|condition| names_in(condition)).collect();
        let head = head.filter(|head| {
            !others.iter().any(|name| head.first.mentions(name) || head.end.mentions(name) || limit.contains(name))
        });
        let before = self.values.clone();
        let moves = match &head {
            Some(head) => self.moves(f, &head.name, &others),
            None => HashMap::new(),
        };
        let all: HashSet<String> = others.iter().chain(&stepped).chain(&own).cloned().collect();
        all.iter().for_each(|name| self.forget(name));
        let mut behind = vec![];
        if let Some(head) = &head {
            self.forget(&head.name);
            if self.is_not_negative(&head.first) {
                self.counting.insert(head.name.clone());
                self.ends.insert(head.name.clone(), head.end.clone());
                self.loops.ends.entry(head.name.clone()).or_default().push(head.end.clone());
            }
            for (name, step) in &moves {
                let Some(first) = before.get(name).filter(|first| !all.iter().any(|name| first.mentions(name))) else {
                    continue;
                };
                let after = |count: Option<Polynomial>| first.plus(&count?.times(step)?, 1);
                let iterator = Polynomial::variable(&head.name);
                if let Some(value) = after(iterator.plus(&head.first, -1)) {
                    self.values.insert(name.clone(), value);
                }
                if head.is_never_short(&self.wanted.sizes) {
                    behind.extend(after(head.end.plus(&head.first, -1)).map(|value| (name.clone(), value)));
                }
            }
        }
        f.condition.iter_mut().for_each(|condition| self.reads(condition));
        self.depth += 1;
        self.statement(&mut f.statement);
        self.depth -= 1;
        f.step.iter_mut().for_each(|step| self.reads(step));
        all.iter().chain(head.iter().map(|head| &head.name)).for_each(|name| self.forget(name));
        for (name, value) in behind {
            self.set(&name, Some(value));
        }
        own.iter().for_each(|name| self.forget(name));
    }

    /// What one iteration adds to each variable that it changes, where that is the same in all.
    fn moves(&mut self, f: &ForStatement, iterator: &str, changed: &[String]) -> HashMap<String, Polynomial> {
        if self.depth >= DEEPEST || !changed.iter().any(|name| self.values.contains_key(name)) {
            return HashMap::new();
        }
        let known = std::mem::take(&mut self.values);
        let (replaced, ends) = (self.replaced.clone(), self.ends.clone());
        // What does not change keeps its value; what does begins as something of its own.
        let begin = |name: &str| Polynomial::variable(&format!("{name} before"));
        self.values = known.clone();
        changed.iter().for_each(|name| self.forget(name));
        self.forget(iterator);
        for name in changed.iter().filter(|name| known.contains_key(*name)) {
            self.values.insert(name.clone(), begin(name));
        }
        let mut body = (*f.statement).clone();
        self.depth += 1;
        self.statement(&mut body);
        self.depth -= 1;
        let after = std::mem::replace(&mut self.values, known);
        (self.replaced, self.ends) = (replaced, ends);
        let is_same = |step: &Polynomial| {
            let names = step.names();
            !names.iter().any(|name| name == iterator || name.ends_with(" before") || changed.contains(name))
        };
        let step = |name: &String| Some((name.clone(), after.get(name)?.plus(&begin(name), -1).filter(is_same)?));
        changed.iter().filter_map(step).collect()
    }

    fn is_not_negative(&self, value: &Polynomial) -> bool {
        let is_positive = |name: &String| {
            self.wanted.sizes.contains(name) || self.counting.contains(name) || self.declared.is_unsigned(name)
        };
        value.terms().all(|(term, count)| count > 0 && term.iter().all(is_positive))
    }

    /// A loop over rows where C has one over all of their elements: from `y * w` to `(y + 1) * w` it counts the columns, and up
    /// to `h * w` it is two.
    fn reshaped(&mut self, f: &ForStatement, span: Span) -> Option<Node<Statement>> {
        let head = self.limits(f)?;
        let Limits { name, first, end, operator } = &head;
        let is_large = |value: &Polynomial| value.terms().any(|(term, _)| term.len() > 1);
        if !is_large(first) && !is_large(end) || !self.declared.has_bits(name, 32) {
            return None;
        }
        // They have these values in all iterations.
        let changed = changed(&f.statement);
        let limit: HashSet<String> = f.condition.iter().flat_map(|condition| names_in(condition)).collect();
        let stays = |own: &String| !first.mentions(own) && !end.mentions(own) && !limit.contains(own);
        if changed.iter().any(|own| !stays(own) || own == name) || self.declared.addressed.contains(name) {
            return None;
        }
        let names = || [first, end].into_iter().flat_map(Polynomial::names).chain([name.clone()]);
        let are_signed = names().all(|name| self.declared.is_signed(&name));
        if !(are_signed || self.is_not_negative(first) && self.is_not_negative(end)) {
            return None;
        }
        let variable = self.declared.names.get(name)?.clone();
        let is_declared = matches!(f.initializer.node, ForInitializer::Declaration(_));
        if variable.iter().any(|own| own.ty != variable[0].ty) || !is_declared && !is_of_heads(&self.whole, name) {
            return None;
        }
        let count = end.plus(first, -1)?;
        let long = || Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Long, span)), span);
        let specifiers = vec![long(), long()];
        let one = Polynomial::constant(1);
        // The loops' variables, outermost first, where they begin and end; and what is above 0 in the iterations that C has.
        let (mut value, mut limits, mut above) = (first.clone(), vec![], vec![]);
        if !is_large(&count) {
            let own = self.declared.fresh(name, &specifiers);
            value = value.plus(&Polynomial::variable(&own), 1)?;
            limits.push((own, Polynomial::default(), count));
        } else {
            // All but the first element, or the last: rows have one at least where they are gone through.
            let (skipped, left) = (first.constant_term(), end.constant_term().checked_neg()?);
            if !(0..=1).contains(&skipped) || !(0..=1).contains(&left) {
                return None;
            }
            let first = first.plus(&one, skipped.checked_neg()?)?;
            let end = end.plus(&one, left)?;
            value = Polynomial::default();
            for (k, (first, end)) in self.rows(&first, &end, &divisors(&f.statement))?.into_iter().enumerate() {
                let own = self.declared.fresh(name, &specifiers);
                // How many rows there are says nothing of a place.
                let before = if k == 0 { value } else { value.times(&end)? };
                value = before.plus(&Polynomial::variable(&own), 1)?;
                limits.push((own, first, end));
            }
            let variables = limits.iter().map(|(own, first, _)| Polynomial::variable(own).plus(first, -1));
            let begun = variables.collect::<Option<Vec<_>>>()?;
            let sum =
                |parts: &[Polynomial]| parts.iter().try_fold(Polynomial::default(), |sum, part| sum.plus(part, 1));
            if skipped == 1 {
                above.push(sum(&begun)?);
            }
            if left == 1 {
                let rest = |(own, _, end): &(String, Polynomial, Polynomial)| {
                    end.plus(&Polynomial::variable(own), -1)?.plus(&one, -1)
                };
                above.push(sum(&limits.iter().map(rest).collect::<Option<Vec<_>>>()?)?);
            }
        }
        self.made.push(value.clone());
        if !has_condition_on(&f.statement, &changed) {
            self.loops.crossing.extend(limits.last().map(|(own, ..)| own.clone()));
        }
        let declares = |specifiers: Vec<_>, name: &str, value: Node<Expression>| {
            let own = lang_c::ast::Identifier { name: name.to_string() };
            let kind = Node::new(DeclaratorKind::Identifier(Node::new(own, span)), span);
            let declarator = Node::new(Declarator { kind, derived: vec![], extensions: vec![] }, span);
            let initializer = Some(Node::new(Initializer::Expression(Box::new(value)), span));
            let declarators = vec![Node::new(InitDeclarator { declarator, initializer }, span)];
            Node::new(Declaration { specifiers, declarators }, span)
        };
        let named = |name: &str| Polynomial::variable(name).expression(span);
        let own = declares(variable[0].specifiers.clone(), name, value.expression(span));
        let mut inner = (*f.statement).clone();
        for value in above {
            let condition = Box::new(binary(BinaryOperator::Greater, value.expression(span), number("0", span), span));
            let own = IfStatement { condition, then_statement: Box::new(inner), else_statement: None };
            inner = Node::new(Statement::If(Node::new(own, f.statement.span)), f.statement.span);
        }
        let body = Statement::Compound(vec![
            Node::new(BlockItem::Declaration(own), span),
            Node::new(BlockItem::Statement(inner), f.statement.span),
        ]);
        let body = Node::new(body, f.statement.span);
        Some(limits.into_iter().rev().fold(body, |body, (name, begin, limit)| {
            let condition = binary(operator.clone(), named(&name), limit.expression(span), span);
            let step = UnaryOperatorExpression {
                operator: Node::new(UnaryOperator::PostIncrement, span),
                operand: Box::new(named(&name)),
            };
            let step = Node::new(Expression::UnaryOperator(Box::new(Node::new(step, span))), span);
            let first = declares(vec![long(), long()], &name, begin.expression(span));
            let initializer = Node::new(ForInitializer::Declaration(first), span);
            let (condition, step) = (Some(Box::new(condition)), Some(Box::new(step)));
            let f = ForStatement { initializer, condition, step, statement: Box::new(body) };
            Node::new(Statement::For(Node::new(f, span)), span)
        }))
    }

    /// The loops over rows that one over all of their elements is, outermost first: where each begins and ends.
    fn rows(
        &self,
        first: &Polynomial,
        end: &Polynomial,
        divisors: &HashSet<String>,
    ) -> Option<Vec<(Polynomial, Polynomial)>> {
        let mut terms = end.terms();
        let only = terms.next().filter(|_| terms.next().is_none());
        // An argument that bounds a loop is a size.
        let is_size = |name: &String| self.wanted.sizes.contains(name) || self.declared.is_constant_argument(name);
        if let Some((term, by)) = only.filter(|_| first.is_zero())
            && by > 0
            && term.iter().all(is_size)
        {
            let is_same = |sizes: &&Vec<String>| {
                let mut sizes = (*sizes).clone();
                sizes.sort();
                sizes == term
            };
            let mut orders: Vec<Vec<String>> = self.wanted.products.iter().filter(is_same).cloned().collect();
            orders.extend([term.to_vec(), term.iter().rev().cloned().collect()]);
            // What the body divides by is the length of a row.
            let divides = |order: &&Vec<String>| order.last().is_some_and(|size| divisors.contains(size));
            let sizes = orders.iter().find(divides).or(orders.first()).cloned()?;
            let own = |(k, size): (usize, &String)| {
                let by = if k + 1 == sizes.len() { by } else { 1 };
                Some((Polynomial::default(), Polynomial::variable(size).times(&Polynomial::constant(by))?))
            };
            return sizes.iter().enumerate().map(own).collect();
        }
        // From the beginning of a row to the end of one: the rows between may be in a plane.
        self.wanted.products.iter().flat_map(|sizes| sizes.iter().rev()).find_map(|size| {
            let row = Polynomial::variable(size);
            let [begin, is_begin] = first.divided(&row)?;
            let [end, is_end] = end.divided(&row)?;
            let fits = is_begin.is_zero() && is_end.is_zero() && !begin.mentions(size) && !end.mentions(size);
            fits.then(|| vec![(begin, end), (Polynomial::default(), row)])
        })
    }

    /// The head of a loop that counts up by 1.
    fn head(&self, f: &ForStatement) -> Option<Head> {
        let Limits { name, first, end, operator } = self.limits(f)?;
        (operator == BinaryOperator::Less && self.declared.has_bits(&name, 8))
            .then_some(Head { name, first, end })
            .filter(|head| !self.declared.addressed.contains(&head.name))
    }

    /// Where a loop that counts up by 1 begins, and what it ends before.
    fn limits(&self, f: &ForStatement) -> Option<Limits> {
        let (name, first) = match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [only] = &declaration.node.declarators[..] else { return None };
                let Initializer::Expression(first) = &only.node.initializer.as_ref()?.node else { return None };
                (identifier(&only.node.declarator.node)?.node.name.clone(), self.value_of(first)?)
            }
            ForInitializer::Expression(first) => match operation(first)? {
                (BinaryOperator::Assign, o) => (variable(&o.lhs)?.to_string(), self.value_of(&o.rhs)?),
                _ => return None,
            },
            _ => return None,
        };
        let is_one = match &f.step.as_ref()?.node {
            Expression::UnaryOperator(unary) => {
                matches!(unary.node.operator.node, UnaryOperator::PostIncrement | UnaryOperator::PreIncrement)
                    && variable(&unary.node.operand) == Some(&name)
            }
            _ => match operation(f.step.as_ref()?)? {
                (BinaryOperator::AssignPlus, o) => {
                    variable(&o.lhs) == Some(&name) && self.value_of(&o.rhs)?.as_constant() == Some(1)
                }
                _ => false,
            },
        };
        let (operator, o) = operation(f.condition.as_ref()?)?;
        let end = (variable(&o.lhs) == Some(&name) && !changes(&o.rhs)).then(|| self.value_of(&o.rhs))??;
        let (operator, end) = match operator {
            BinaryOperator::Less | BinaryOperator::NotEquals => (operator, end),
            BinaryOperator::LessOrEqual => (BinaryOperator::Less, end.plus(&Polynomial::constant(1), 1)?),
            _ => return None,
        };
        is_one.then_some(Limits { name, first, end, operator })
    }
}

/// The variables that a statement divides by.
fn divisors(body: &Node<Statement>) -> HashSet<String> {
    struct Divisors(HashSet<String>);
    impl<'ast> Visit<'ast> for Divisors {
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            if matches!(o.operator.node, BinaryOperator::Divide | BinaryOperator::Modulo) {
                self.0.extend(variable(&o.rhs).map(str::to_string));
            }
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut divisors = Divisors(HashSet::new());
    divisors.visit_statement(&body.node, &body.span);
    divisors.0
}

/// Whether a statement has a condition on columns: that names one of these, or takes a remainder.
fn has_condition_on(body: &Node<Statement>, names: &[String]) -> bool {
    struct Conditions<'n>(&'n [String], bool);
    impl Conditions<'_> {
        fn look(&mut self, condition: &Node<Expression>) {
            let own = condition.clone();
            let mut inside = Node::new(Statement::Expression(Some(Box::new(own.clone()))), own.span);
            expressions(&mut inside, &mut |part| {
                self.1 |= matches!(operation(part), Some((BinaryOperator::Modulo, _)));
                false
            });
            self.1 |= names_in(&own).iter().any(|name| self.0.contains(name));
        }
    }
    impl<'ast> Visit<'ast> for Conditions<'_> {
        fn visit_if_statement(&mut self, branch: &'ast IfStatement, span: &'ast Span) {
            self.look(&branch.condition);
            visit::visit_if_statement(self, branch, span);
        }
        fn visit_conditional_expression(&mut self, c: &'ast ConditionalExpression, span: &'ast Span) {
            self.look(&c.condition);
            visit::visit_conditional_expression(self, c, span);
        }
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            if matches!(o.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
                self.look(&o.lhs);
            }
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut conditions = Conditions(names, false);
    conditions.visit_statement(&body.node, &body.span);
    conditions.1
}

/// Whether a constant is of another type than its digits say.
fn is_suffixed(node: &Node<Expression>) -> bool {
    match &node.node {
        Expression::Constant(constant) => match &constant.node {
            Constant::Integer(integer) => integer.suffix.unsigned || integer.suffix.size != IntegerSize::Int,
            _ => true,
        },
        _ => true,
    }
}

/// An integer of one of C's arithmetic types.
fn cast(value: Node<Expression>, ty: ScalarType) -> Node<Expression> {
    let span = value.span;
    let mut words = vec![];
    if !ty.signed {
        words.push(TypeSpecifier::Unsigned);
    }
    words.extend(match ty.bits {
        64 => vec![TypeSpecifier::Long, TypeSpecifier::Long],
        _ => vec![TypeSpecifier::Int],
    });
    let specifier = |word| Node::new(SpecifierQualifier::TypeSpecifier(Node::new(word, span)), span);
    let type_name = TypeName { specifiers: words.into_iter().map(specifier).collect(), declarator: None };
    let own = CastExpression { type_name: Node::new(type_name, span), expression: Box::new(value) };
    Node::new(Expression::Cast(Box::new(Node::new(own, span))), span)
}

/// The variable of a loop, where it begins and what it ends before, by `<` or `!=`.
struct Limits {
    name: String,
    first: Polynomial,
    end: Polynomial,
    operator: BinaryOperator,
}

/// A loop from `first` to one before `end`.
struct Head {
    name: String,
    first: Polynomial,
    end: Polynomial,
}

impl Head {
    /// Whether the end is never before the beginning.
    fn is_never_short(&self, sizes: &HashSet<String>) -> bool {
        let Some(first) = self.first.as_constant() else { return false };
        match self.end.as_constant() {
            Some(end) => first <= end,
            // The sizes of arrays are not below 0.
            None => {
                let mut terms = self.end.terms();
                first <= 0 && terms.all(|(term, count)| count > 0 && term.iter().all(|name| sizes.contains(name)))
            }
        }
    }
}

/// Whether a variable is named in loops only that begin with it, and where it is declared.
fn is_of_heads(body: &Node<Statement>, name: &str) -> bool {
    struct Outside<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Outside<'_> {
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast Span) {
            let is_own = match &f.initializer.node {
                ForInitializer::Expression(first) => match operation(first) {
                    Some((BinaryOperator::Assign, o)) if variable(&o.lhs) == Some(self.0) => {
                        self.visit_expression(&o.rhs.node, &o.rhs.span);
                        true
                    }
                    _ => false,
                },
                _ => false,
            };
            if !is_own {
                visit::visit_for_statement(self, f, span);
            }
        }
        fn visit_declarator(&mut self, _: &'ast Declarator, _: &'ast Span) {}
        fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast Span) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut outside = Outside(name, false);
    outside.visit_statement(&body.node, &body.span);
    !outside.1
}

/// The names that a statement changes or declares.
pub fn changed(node: &Node<Statement>) -> Vec<String> {
    struct Changes(Vec<String>);
    impl<'ast> Visit<'ast> for Changes {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            match expression {
                Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => {
                    self.0.extend(variable(&unary.node.operand).map(str::to_string));
                }
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                    self.0.extend(variable(&o.node.lhs).map(str::to_string));
                }
                _ => {}
            }
            visit::visit_expression(self, expression, span);
        }
        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
            self.0.extend(identifier(&declarator.declarator.node).map(|name| name.node.name.clone()));
            visit::visit_init_declarator(self, declarator, span);
        }
    }
    let mut found = Changes(vec![]);
    found.visit_statement(&node.node, &node.span);
    found.0.sort();
    found.0.dedup();
    found.0
}

fn changed_in(node: &Node<Expression>, names: &mut Vec<String>) {
    let own = Statement::Expression(Some(Box::new(node.clone())));
    names.extend(changed(&Node::new(own, node.span)));
}

/// Takes away what gives values to variables that nobody reads any more.
fn remove_unread(body: &mut Node<Statement>, names: HashSet<String>) {
    let mut left = names;
    loop {
        let unread: HashSet<String> = left.iter().filter(|name| !is_read(body, name)).cloned().collect();
        if unread.is_empty() {
            return;
        }
        left.retain(|name| !unread.contains(name));
        without(body, &unread);
    }
}

/// The variable that an expression does nothing but change.
fn only_changes(node: &Node<Expression>) -> Option<&str> {
    match &node.node {
        Expression::UnaryOperator(unary) => changes(node).then(|| variable(&unary.node.operand))?,
        _ => {
            let (operator, o) = operation(node)?;
            assignment(&operator)?;
            variable(&o.lhs).filter(|_| !changes(&o.rhs))
        }
    }
}

fn is_read(body: &Node<Statement>, name: &str) -> bool {
    struct Reads<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Reads<'_> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast Span) {
            if let Statement::Expression(Some(own)) = statement
                && only_changes(own) == Some(self.0)
            {
                if let Some((_, o)) = operation(own) {
                    self.visit_expression(&o.rhs.node, &o.rhs.span);
                }
                return;
            }
            visit::visit_statement(self, statement, span);
        }
        fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
            for part in &declarator.derived {
                if let DerivedDeclarator::Array(_) = &part.node {
                    self.visit_derived_declarator(&part.node, &part.span);
                }
            }
            let _ = span;
        }
        fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast Span) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut reads = Reads(name, false);
    reads.visit_statement(&body.node, &body.span);
    reads.1
}

fn without(node: &mut Node<Statement>, names: &HashSet<String>) {
    match &mut node.node {
        Statement::Expression(Some(own)) if only_changes(own).is_some_and(|name| names.contains(name)) => {
            node.node = Statement::Expression(None);
        }
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(declaration) => {
                        for declarator in &mut declaration.node.declarators {
                            let InitDeclarator { declarator, initializer } = &mut declarator.node;
                            if identifier(&declarator.node).is_some_and(|name| names.contains(&name.node.name)) {
                                let is_pure = matches!(initializer, Some(Node { node: Initializer::Expression(first), .. })
                                    if !changes(first));
                                if is_pure {
                                    *initializer = None;
                                }
                            }
                        }
                    }
                    BlockItem::Statement(inner) => without(inner, names),
                    BlockItem::StaticAssert(_) => {}
                }
            }
        }
        other => super::plain::inner(other).into_iter().for_each(|inner| without(inner, names)),
    }
}
