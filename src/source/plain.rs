//! Expressions as the rest reads them, on C's own tree: array elements by subscripts, and a step of a variable as a
//! statement of its own.
//!
//! - `*(a + i)`, `*(*(a + i) + j)`, `i[a]`, `(a + 1)[i]`, `*&a[i]`: `a[i]`, `a[i][j]`, …, where `a` is declared with as many
//!   dimensions;
//! - `b[k++] = a[i];`: `b[k] = a[i]; k++;`, where the statement names `k` once and always evaluates it;
//! - `if (++k == n) …`: `++k; if (k == n) …`, where the condition does;
//! - `outer: for (…)`: the loop, for there is no `goto`;
//! - `__pencil_assume(…);`, `__pencil_kill(…);` and `(void)x;`: nothing.

use std::collections::HashMap;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Constant, Declaration, DerivedDeclarator, Expression,
    ExternalDeclaration, ForInitializer, IfStatement, InitDeclarator, Initializer, Integer, IntegerBase, IntegerSize,
    IntegerSuffix, Label, ParameterDeclaration, SpecifierQualifier, Statement, TranslationUnit, TypeName,
    TypeSpecifier, UnaryOperator, UnaryOperatorExpression,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::names_in;
use super::counters::named;
use super::flat::FLAT;
use super::function::{derived, identifier};
use super::nest::{assignment, counts, operation};

/// Rewrites the bodies of all functions.
pub fn plain(unit: &mut TranslationUnit) {
    let mut globals = Arrays::default();
    for external in &unit.0 {
        if let ExternalDeclaration::Declaration(declaration) = &external.node {
            globals.visit_declaration(&declaration.node, &declaration.span);
        }
    }
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            let mut arrays = globals.clone();
            arrays.visit_function_definition(&function.node, &function.span);
            arrays.statement(&mut function.node.statement);
        }
    }
}

/// `1`, at a place in the source.
pub fn number(value: &str, span: Span) -> Node<Expression> {
    let suffix = IntegerSuffix { size: IntegerSize::Int, unsigned: false, imaginary: false };
    let integer = Integer { base: IntegerBase::Decimal, number: value.into(), suffix };
    Node::new(Expression::Constant(Box::new(Node::new(Constant::Integer(integer), span))), span)
}

/// A number, also a negative one.
pub fn whole(value: i64, span: Span) -> Node<Expression> {
    let size = number(&value.unsigned_abs().to_string(), span);
    if value < 0 { binary(BinaryOperator::Minus, number("0", span), size, span) } else { size }
}

pub fn binary(operator: BinaryOperator, lhs: Node<Expression>, rhs: Node<Expression>, span: Span) -> Node<Expression> {
    let operator = Node::new(operator, span);
    let operation = BinaryOperatorExpression { operator, lhs: Box::new(lhs), rhs: Box::new(rhs) };
    Node::new(Expression::BinaryOperator(Box::new(Node::new(operation, span))), span)
}

/// `!node`
pub fn untrue(node: Node<Expression>) -> Node<Expression> {
    let span = node.span;
    let unary = UnaryOperatorExpression { operator: Node::new(UnaryOperator::Negate, span), operand: Box::new(node) };
    Node::new(Expression::UnaryOperator(Box::new(Node::new(unary, span))), span)
}

/// The variable that an expression is.
pub fn variable(node: &Node<Expression>) -> Option<&str> {
    match &node.node {
        Expression::Identifier(name) => Some(&name.node.name),
        _ => None,
    }
}

/// The factors of a product, left to right.
pub fn factors(node: &Node<Expression>) -> Vec<&Node<Expression>> {
    match operation(node) {
        Some((BinaryOperator::Multiply, o)) => [factors(&o.lhs), factors(&o.rhs)].concat(),
        _ => vec![node],
    }
}

/// The product of these, `1` of none.
pub fn product(factors: Vec<Node<Expression>>, span: Span) -> Node<Expression> {
    let both = |a, b| binary(BinaryOperator::Multiply, a, b, span);
    factors.into_iter().reduce(both).unwrap_or_else(|| number("1", span))
}

/// `a[i][j]` as what has the subscripts, `a`, and those, left to right.
pub fn subscripted(node: &Node<Expression>) -> (&Node<Expression>, Vec<&Node<Expression>>) {
    let (mut base, mut subscripts) = (node, vec![]);
    while let Expression::BinaryOperator(operation) = &base.node
        && operation.node.operator.node == BinaryOperator::Index
    {
        subscripts.push(&*operation.node.rhs);
        base = &operation.node.lhs;
    }
    subscripts.reverse();
    (base, subscripts)
}

/// The bodies of all functions.
pub fn bodies(unit: &mut TranslationUnit) -> impl Iterator<Item = &mut Node<Statement>> {
    unit.0.iter_mut().filter_map(|external| match &mut external.node {
        ExternalDeclaration::FunctionDefinition(function) => Some(&mut function.node.statement),
        _ => None,
    })
}

/// The items of a block, or the statement as the only one.
pub fn listed(node: &Node<Statement>) -> Vec<Node<BlockItem>> {
    match &node.node {
        Statement::Compound(items) => items.clone(),
        _ => vec![Node::new(BlockItem::Statement(node.clone()), node.span)],
    }
}

/// An expression as a statement of a block.
pub fn item(expression: Node<Expression>) -> Node<BlockItem> {
    let span = expression.span;
    Node::new(BlockItem::Statement(Node::new(Statement::Expression(Some(Box::new(expression))), span)), span)
}

/// `if (condition) then else otherwise`
pub fn choice(
    condition: Node<Expression>,
    then: Node<Statement>,
    otherwise: Option<Node<Statement>>,
    span: Span,
) -> Node<Statement> {
    let else_statement = otherwise.map(Box::new);
    let branch = IfStatement { condition: Box::new(condition), then_statement: Box::new(then), else_statement };
    Node::new(Statement::If(Node::new(branch, span)), span)
}

pub fn block(items: Vec<Node<BlockItem>>, span: Span) -> Node<Statement> {
    Node::new(Statement::Compound(items), span)
}

/// `name + by`.
pub fn moved(name: &str, by: i64, span: Span) -> Node<Expression> {
    let amount = || number(&by.unsigned_abs().to_string(), span);
    match by {
        0 => named(name, span),
        1.. => binary(BinaryOperator::Plus, named(name, span), amount(), span),
        _ => binary(BinaryOperator::Minus, named(name, span), amount(), span),
    }
}

/// Of a statement, and what stands before it in its block.
type Rewrite<'r> = dyn Fn(&mut Node<Statement>, &[Node<BlockItem>]) + 'r;

/// Calls `rewrite` for every statement that is no block, those inside of it first, with what stands `before` it in its block.
pub fn inside_out(node: &mut Node<Statement>, before: &[Node<BlockItem>], rewrite: &Rewrite) {
    if let Statement::Compound(items) = &mut node.node {
        for k in 0..items.len() {
            let (done, left) = items.split_at_mut(k);
            if let BlockItem::Statement(own) = &mut left[0].node {
                inside_out(own, done, rewrite);
            }
        }
        return;
    }
    inner(&mut node.node).into_iter().for_each(|inner| inside_out(inner, &[], rewrite));
    rewrite(node, before);
}

/// The statements directly inside of one that is neither a block nor a `switch`.
pub fn inner(statement: &mut Statement) -> Vec<&mut Node<Statement>> {
    match statement {
        Statement::If(branch) => {
            let IfStatement { then_statement, else_statement, .. } = &mut branch.node;
            std::iter::once(then_statement).chain(else_statement).map(|side| &mut **side).collect()
        }
        Statement::For(f) => vec![&mut f.node.statement],
        Statement::While(w) => vec![&mut w.node.statement],
        Statement::DoWhile(w) => vec![&mut w.node.statement],
        Statement::Labeled(labeled) => vec![&mut labeled.node.statement],
        _ => vec![],
    }
}

/// The dimensions of arrays and pointers, by their names.
#[derive(Clone, Default)]
struct Arrays(HashMap<String, usize>);

impl<'ast> Visit<'ast> for Arrays {
    fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast Span) {
        self.declare(&declarator.declarator);
        visit::visit_init_declarator(self, declarator, span);
    }

    fn visit_parameter_declaration(&mut self, parameter: &'ast ParameterDeclaration, _: &'ast Span) {
        if let Some(declarator) = &parameter.declarator {
            self.declare(declarator);
        }
    }
}

/// An array, or a part or an element of it: the array with subscripts, and how far behind the place that they name.
struct Place {
    array: Node<Expression>,
    dimensions: usize,
    subscripts: Vec<Node<Expression>>,
    offset: Option<Node<Expression>>,
    /// It is written in another way than by subscripts.
    is_odd: bool,
}

impl Place {
    fn is_element(&self) -> bool {
        self.subscripts.len() == self.dimensions
    }

    fn moved(mut self, operator: BinaryOperator, by: &Node<Expression>, span: Span) -> Place {
        let offset = match (self.offset.take(), &operator) {
            (None, BinaryOperator::Plus) => by.clone(),
            (None, _) => binary(operator, number("0", span), by.clone(), span),
            (Some(offset), _) => binary(operator, offset, by.clone(), span),
        };
        Place { offset: Some(offset), ..self }
    }

    /// What the place points to.
    fn target(mut self, span: Span) -> Place {
        let subscript = self.offset.take().unwrap_or_else(|| number("0", span));
        self.subscripts.push(subscript);
        self
    }
}

impl Arrays {
    fn declare(&mut self, declarator: &Node<lang_c::ast::Declarator>) {
        let parts = derived(declarator);
        let is_dimension = |d: &&&Node<DerivedDeclarator>| {
            matches!(d.node, DerivedDeclarator::Array(_) | DerivedDeclarator::Pointer(_))
        };
        let dimensions = parts.iter().filter(is_dimension).count();
        if let (Some(name), true) = (identifier(&declarator.node), dimensions > 0 && dimensions == parts.len()) {
            self.0.insert(name.node.name.clone(), dimensions);
        }
    }

    fn place(&self, node: &Node<Expression>) -> Option<Place> {
        let pointer = |node: &Node<Expression>| self.place(node).filter(|place| !place.is_element());
        match &node.node {
            Expression::Identifier(name) => {
                let dimensions = *self.0.get(&name.node.name)?;
                Some(Place { array: node.clone(), dimensions, subscripts: vec![], offset: None, is_odd: false })
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Indirection => {
                    Some(Place { is_odd: true, ..pointer(&unary.node.operand)?.target(node.span) })
                }
                UnaryOperator::Address => {
                    let mut place = self.place(&unary.node.operand).filter(|place| place.offset.is_none())?;
                    let offset = Some(place.subscripts.pop()?);
                    Some(Place { offset, is_odd: true, ..place })
                }
                _ => None,
            },
            Expression::BinaryOperator(operation) => {
                let (lhs, rhs) = (&*operation.node.lhs, &*operation.node.rhs);
                match &operation.node.operator.node {
                    BinaryOperator::Index => {
                        let (place, subscript, swapped) = match pointer(lhs) {
                            Some(place) => (place, rhs, false),
                            None => (pointer(rhs)?, lhs, true),
                        };
                        let is_odd = place.is_odd || swapped || place.offset.is_some();
                        let target = place.moved(BinaryOperator::Plus, subscript, node.span).target(node.span);
                        Some(Place { is_odd, ..target })
                    }
                    operator @ (BinaryOperator::Plus | BinaryOperator::Minus) => {
                        let (place, by) = match pointer(lhs) {
                            Some(place) => (place, rhs),
                            None if *operator == BinaryOperator::Plus => (pointer(rhs)?, lhs),
                            None => return None,
                        };
                        Some(Place { is_odd: true, ..place.moved(operator.clone(), by, node.span) })
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn expression(&self, node: &mut Node<Expression>) {
        if let Some(place) = self.place(node).filter(|place| place.is_odd && place.offset.is_none()) {
            let index = |base, subscript| binary(BinaryOperator::Index, base, subscript, node.span);
            *node = place.subscripts.into_iter().fold(place.array, index);
        }
        match &mut node.node {
            Expression::UnaryOperator(unary) => self.expression(&mut unary.node.operand),
            Expression::Cast(cast) => self.expression(&mut cast.node.expression),
            Expression::BinaryOperator(operation) => {
                self.expression(&mut operation.node.lhs);
                self.expression(&mut operation.node.rhs);
            }
            Expression::Conditional(conditional) => {
                self.expression(&mut conditional.node.condition);
                self.expression(&mut conditional.node.then_expression);
                self.expression(&mut conditional.node.else_expression);
            }
            Expression::Call(call) => call.node.arguments.iter_mut().for_each(|argument| self.expression(argument)),
            Expression::Comma(parts) => parts.iter_mut().for_each(|part| self.expression(part)),
            _ => {}
        }
    }

    fn declaration(&self, declaration: &mut Node<Declaration>) {
        for declarator in &mut declaration.node.declarators {
            if let Some(Node { node: Initializer::Expression(value), .. }) = &mut declarator.node.initializer {
                self.expression(value);
            }
        }
    }

    fn statement(&self, node: &mut Node<Statement>) {
        while let Statement::Labeled(labeled) = &mut node.node
            && matches!(labeled.node.label.node, Label::Identifier(_))
        {
            let inner = std::mem::replace(&mut labeled.node.statement.node, Statement::Expression(None));
            node.node = inner;
        }
        if is_remark(&node.node) {
            node.node = Statement::Expression(None);
        }
        match &mut node.node {
            Statement::Expression(Some(expression)) => {
                self.expression(expression);
                let mut items = split(expression);
                if items.len() > 1 {
                    let item = |e: Node<Expression>| {
                        let span = e.span;
                        let statement = Node::new(Statement::Expression(Some(Box::new(e))), node.span);
                        Node::new(BlockItem::Statement(statement), span)
                    };
                    node.node = Statement::Compound(items.drain(..).map(item).collect());
                }
            }
            Statement::Compound(items) => {
                let mut all = vec![];
                for mut item in std::mem::take(items) {
                    match &mut item.node {
                        BlockItem::Statement(inner) => {
                            let was_one = matches!(inner.node, Statement::Expression(_) | Statement::If(_));
                            self.statement(inner);
                            match &mut inner.node {
                                Statement::Compound(parts) if was_one => {
                                    all.append(parts);
                                    continue;
                                }
                                _ => {}
                            }
                        }
                        BlockItem::Declaration(declaration) => self.declaration(declaration),
                        BlockItem::StaticAssert(_) => {}
                    }
                    all.push(item);
                }
                *items = all;
            }
            Statement::If(branch) => {
                self.expression(&mut branch.node.condition);
                self.statement(&mut branch.node.then_statement);
                if let Some(otherwise) = &mut branch.node.else_statement {
                    self.statement(otherwise);
                }
                let steps = steps_before(&mut branch.node.condition);
                if !steps.is_empty() {
                    let span = node.span;
                    let own = std::mem::replace(&mut node.node, Statement::Expression(None));
                    let steps =
                        steps.into_iter().map(|step| Node::new(Statement::Expression(Some(Box::new(step))), span));
                    let all = steps.chain([Node::new(own, span)]);
                    node.node =
                        Statement::Compound(all.map(|inner| Node::new(BlockItem::Statement(inner), span)).collect());
                }
            }
            Statement::For(f) => {
                match &mut f.node.initializer.node {
                    ForInitializer::Expression(first) => self.expression(first),
                    ForInitializer::Declaration(declaration) => self.declaration(declaration),
                    _ => {}
                }
                f.node.condition.iter_mut().for_each(|condition| self.expression(condition));
                f.node.step.iter_mut().for_each(|step| self.expression(step));
                self.statement(&mut f.node.statement);
            }
            Statement::While(w) => {
                self.expression(&mut w.node.expression);
                self.statement(&mut w.node.statement);
            }
            Statement::DoWhile(w) => {
                self.expression(&mut w.node.expression);
                self.statement(&mut w.node.statement);
            }
            Statement::Return(Some(value)) => self.expression(value),
            _ => {}
        }
    }
}

/// Whether a statement only tells the compiler something: pencil's functions do, and `(void)x;` says that `x` is not used.
fn is_remark(statement: &Statement) -> bool {
    let Statement::Expression(Some(expression)) = statement else { return false };
    if let Expression::Cast(cast) = &expression.node {
        return is_void(&cast.node.type_name.node) && is_pure(&cast.node.expression);
    }
    let Expression::Call(call) = &expression.node else { return false };
    matches!(&call.node.callee.node, Expression::Identifier(name) if REMARKS.contains(&name.node.name.as_str()))
}

/// Whether a cast is to `void`.
pub fn is_void(name: &TypeName) -> bool {
    let is_own = |specifier: &Node<SpecifierQualifier>| match &specifier.node {
        SpecifierQualifier::TypeSpecifier(ty) => ty.node == TypeSpecifier::Void,
        _ => false,
    };
    name.declarator.is_none() && name.specifiers.iter().any(is_own)
}

/// Whether nothing changes by an expression's value, as far as it shows.
fn is_pure(node: &Node<Expression>) -> bool {
    struct Effects(bool);
    impl<'ast> Visit<'ast> for Effects {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::Call(_) | Expression::Statement(_) => true,
                Expression::BinaryOperator(o) => assignment(&o.node.operator.node).is_some(),
                Expression::UnaryOperator(unary) => counts(&unary.node.operator.node),
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut effects = Effects(false);
    effects.visit_expression(&node.node, &node.span);
    !effects.0
}

/// Functions that do nothing: pencil's.
pub const REMARKS: [&str; 3] = ["__pencil_assume", "__pencil_kill", "__pencil_assert"];

/// The statements that an expression is: steps of variables before it, the expression without them, and steps behind it.
fn split(expression: &Node<Expression>) -> Vec<Node<Expression>> {
    let (mut before, mut own, mut behind) = (vec![], expression.clone(), vec![]);
    let names = names_in(expression);
    let is_once = |name: &str| names.iter().filter(|known| *known == name).count() == 1;
    // The expression itself is a statement already.
    let operands: Vec<&mut Node<Expression>> = match &mut own.node {
        Expression::BinaryOperator(operation) => {
            let operation = &mut operation.node;
            vec![&mut operation.lhs, &mut operation.rhs]
        }
        Expression::UnaryOperator(unary) if !matches!(unary.node.operand.node, Expression::Identifier(_)) => {
            vec![&mut unary.node.operand]
        }
        _ => vec![],
    };
    operands.into_iter().for_each(|operand| take_steps(operand, &is_once, &mut before, &mut behind));
    before.push(own);
    before.append(&mut behind);
    before
}

/// Takes `++k` and `--k` out of a condition that names the variable once and always evaluates it. Nothing is taken where another
/// step would have to come behind it.
fn steps_before(condition: &mut Node<Expression>) -> Vec<Node<Expression>> {
    let (mut before, mut own, mut behind) = (vec![], condition.clone(), vec![]);
    let names = names_in(condition);
    let is_once = |name: &str| names.iter().filter(|known| *known == name).count() == 1;
    take_steps(&mut own, &is_once, &mut before, &mut behind);
    if !behind.is_empty() {
        return vec![];
    }
    *condition = own;
    before
}

/// Takes the steps out of an expression whose parts are all evaluated.
fn take_steps(
    node: &mut Node<Expression>,
    is_once: &dyn Fn(&str) -> bool,
    before: &mut Vec<Node<Expression>>,
    behind: &mut Vec<Node<Expression>>,
) {
    if let Expression::UnaryOperator(unary) = &node.node
        && let Expression::Identifier(name) = &unary.node.operand.node
        && is_once(&name.node.name)
    {
        let steps = match unary.node.operator.node {
            UnaryOperator::PreIncrement | UnaryOperator::PreDecrement => before,
            UnaryOperator::PostIncrement | UnaryOperator::PostDecrement => behind,
            _ => return,
        };
        let variable = (*unary.node.operand).clone();
        steps.push(std::mem::replace(node, variable));
        return;
    }
    match &mut node.node {
        Expression::UnaryOperator(unary) => take_steps(&mut unary.node.operand, is_once, before, behind),
        Expression::Cast(cast) => take_steps(&mut cast.node.expression, is_once, before, behind),
        Expression::BinaryOperator(operation) => {
            take_steps(&mut operation.node.lhs, is_once, before, behind);
            let is_sure =
                !matches!(operation.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr);
            if is_sure {
                take_steps(&mut operation.node.rhs, is_once, before, behind);
            }
        }
        Expression::Conditional(conditional) => {
            take_steps(&mut conditional.node.condition, is_once, before, behind);
        }
        // A place in all of an array.
        Expression::Call(call) if variable(&call.node.callee) == Some(FLAT) => {
            if let Some(place) = call.node.arguments.first_mut() {
                take_steps(place, is_once, before, behind);
            }
        }
        _ => {}
    }
}
