//! Local integers that name places in arrays of several dimensions which C has as one, on C's own tree: of `idx = y * w + x`, the
//! subscript `idx - w` is `(y - 1) * w + x`, as [`super::flat`] reads it.
//!
//! The text is read from the top to the bottom with what every variable stands for, a sum of products of variables that have not
//! changed since. Both sides of an `if` must agree. A loop that counts adds to a variable what one iteration adds, as often as
//! it has been through: `*p++` in loops over rows and columns is a row and a column again.

mod quotients;
mod rows;
mod unread;

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration, DeclarationSpecifier, Declarator, Expression,
    ForInitializer, ForStatement, FunctionDefinition, InitDeclarator, Initializer, ParameterDeclaration, Statement,
    TypeName, UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::{at_least_once, names_in};
use super::flat::{FLAT, expressions};
use super::function::{derived, identifier};
use super::kernel::{BinaryOp, ScalarType};
use super::nest::{assignment, operation};
use super::plain::{number, variable};
use super::polynomial::{Integers, Polynomial, changes};
use super::types::Types;
pub use quotients::cast;
use rows::{Head, bounds, has_condition_on};
pub use unread::remove_unread;
pub use unread::{changed, changed_in};

/// Where values are put in place of variables.
pub struct Wanted {
    /// In the first subscripts of these arrays.
    pub arrays: HashSet<String>,
    /// Products of these are the lengths of rows.
    pub sizes: HashSet<String>,
    /// The sizes of each array, outermost first.
    pub products: Vec<Vec<String>>,
    /// The extents of each array.
    pub shapes: Vec<Vec<Polynomial>>,
}

/// What is known of the loops behind [`substitute`].
#[derive(Clone, Default)]
pub struct Loops {
    /// Iterators of rows that C has no loop over: what is said of the whole loop's variable is nowhere a condition.
    pub crossing: HashSet<String>,
    /// Where the loops of an iterator end.
    pub ends: HashMap<String, Vec<Polynomial>>,
    /// Where they begin and end, if no condition in them is on the iterator.
    heads: HashMap<String, Vec<Option<(Polynomial, Polynomial)>>>,
    /// Loops to products of sizes that are none over rows, and why.
    pub unlike: Vec<(Node<Statement>, String)>,
}

impl Loops {
    /// Whether an iterator and `by` is certainly in another row of this length somewhere.
    pub fn leaves(&self, iterator: &str, by: i64, row: &Polynomial) -> bool {
        let leaves = |(first, end): &(Polynomial, Polynomial)| match by < 0 {
            true => first.as_constant()?.checked_add(by).map(|first| first < 0),
            false => end.plus(row, -1)?.as_constant()?.checked_add(by).map(|behind| behind > 0),
        };
        let is_left = |head: &Option<_>| head.as_ref().and_then(leaves) == Some(true);
        self.heads.get(iterator).is_some_and(|all| all.iter().all(is_left))
    }
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
    /// Of any number.
    arithmetic: Option<ScalarType>,
    /// It is no array and no pointer.
    is_number: bool,
    /// How many subscripts name an element.
    dimensions: usize,
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
                    let ty = self.types.of_declaration(specifiers);
                    let (ty, arithmetic) = (ty.integer(), ty.arithmetic());
                    let dimensions = derived(declarator).len();
                    let (is_number, specifiers) = (dimensions == 0, specifiers.to_vec());
                    let own = Variable { ty, arithmetic, is_number, dimensions, specifiers };
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

    /// A name is that of this number from here on.
    pub fn declare(&mut self, name: &str, ty: ScalarType, specifiers: &[Node<DeclarationSpecifier>]) {
        let (integer, specifiers) = (Some(ty).filter(|ty| !ty.floating), specifiers.to_vec());
        let variable = Variable { ty: integer, arithmetic: Some(ty), is_number: true, dimensions: 0, specifiers };
        self.names.insert(name.to_string(), vec![variable]);
    }

    /// Whether a name is an argument's alone, of an integer that keeps its value.
    pub fn is_constant_argument(&self, name: &str) -> bool {
        self.times(name) == 1 && self.arguments.contains(name) && self.has_bits(name, 32)
    }

    /// How often a name is declared.
    pub fn times(&self, name: &str) -> usize {
        self.names.get(name).map_or(0, Vec::len)
    }

    /// Whether every variable of the name is an integer of at least so many bits.
    pub fn has_bits(&self, name: &str, least: u32) -> bool {
        self.names
            .get(name)
            .is_some_and(|all| all.iter().all(|own| own.is_number && own.ty.is_some_and(|ty| ty.bits >= least)))
    }

    /// The type of the integer that a name with so many subscripts is.
    pub fn integer(&self, name: &str, subscripts: usize) -> Option<ScalarType> {
        self.arithmetic(name, subscripts).filter(|ty| !ty.floating)
    }

    /// The type of the number that a name with so many subscripts is.
    pub fn arithmetic(&self, name: &str, subscripts: usize) -> Option<ScalarType> {
        let all = self.names.get(name)?;
        let ty = all.first()?.arithmetic?;
        all.iter().all(|own| own.arithmetic == Some(ty) && own.dimensions == subscripts).then_some(ty)
    }

    pub fn is_signed(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|all| all.iter().all(|own| own.ty.is_some_and(|ty| ty.signed)))
    }

    fn is_unsigned(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|all| all.iter().all(|own| own.ty.is_some_and(|ty| !ty.signed)))
    }

    /// The words of the type that every variable of a name has, a number's.
    pub fn specifiers(&self, name: &str) -> Option<Vec<Node<DeclarationSpecifier>>> {
        let all = self.names.get(name)?;
        let is_one = all.iter().all(|own| own.is_number && own.ty.is_some() && own.ty == all[0].ty);
        is_one.then(|| all[0].specifiers.clone())
    }

    /// Whether the address of a variable of this name is taken.
    pub fn has_address(&self, name: &str) -> bool {
        self.addressed.contains(name)
    }

    /// A name like this one that nothing has.
    pub fn unused(&self, stem: &str) -> String {
        (0..).map(|k| format!("{stem}_{k}")).find(|own| !self.taken.contains(own)).unwrap_or_default()
    }

    /// A new name, of an integer.
    fn fresh(&mut self, stem: &str, specifiers: &[Node<DeclarationSpecifier>], ty: Option<ScalarType>) -> String {
        let own = self.unused(stem);
        let specifiers = specifiers.to_vec();
        let variable = Variable { ty, arithmetic: ty, is_number: true, dimensions: 0, specifiers };
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
                if let Some(why) = self.unlike_rows(&f.node) {
                    self.loops.unlike.push((node.clone(), why));
                }
                let Statement::For(f) = &mut node.node else { return };
                self.counts(&mut f.node);
            }
            Statement::While(_) | Statement::DoWhile(_) | Statement::Switch(_) | Statement::Labeled(_) => {
                let changed = changed(node);
                changed.iter().for_each(|name| self.forget(name));
                if matches!(node.node, Statement::While(_)) {
                    let why = "it is a `while` loop that does not begin with a start and end with a step of its own";
                    self.loops.unlike.push((node.clone(), why.to_string()));
                }
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
        let is_free = |head: &&Head| {
            let names: Vec<String> = others.iter().chain([&head.name]).cloned().collect();
            !has_condition_on(&f.statement, &names) && !bounds(&f.statement, &head.name)
        };
        let free = head.as_ref().filter(is_free).map(|head| (head.first.clone(), head.end.clone()));
        for name in own.iter().chain(&stepped) {
            self.loops.heads.entry(name.clone()).or_default().push(free.clone());
        }
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
                if let Some(value) = after(head.over()) {
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
        let (replaced, ends, loops) = (self.replaced.clone(), self.ends.clone(), self.loops.clone());
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
        (self.replaced, self.ends, self.loops) = (replaced, ends, loops);
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
}
