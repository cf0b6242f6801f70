//! Calls of pure helper functions: the body becomes an expression.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    ArraySize, BlockItem, CallExpression, Declaration, DeclarationSpecifier, Declarator, DerivedDeclarator, Expression,
    FunctionDefinition, Initializer, ParameterDeclaration, Statement, StorageClassSpecifier, UnaryOperator,
};
use lang_c::span::Node;
use lang_c::visit::Visit;

use super::canonical::Calls;
use super::expression::{binary, convert, convert_to, truth, unary};
use super::extremum::negated;
use super::function::{derived, identifier};
use super::host;
use super::kernel::{BinaryOp, Condition, Expr, ScalarType, UnaryOp};
use super::nest::assignment;
use super::scope::{Checked, Name, Scope};
use super::stated::BEYOND;
use super::types::{CType, is_const};
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::ArrayId;

/// The largest expression that calls may grow to, in operators, and the most calls that one may lead to.
const LARGEST: usize = 10_000;
const CALLS: usize = 10_000;

/// The operator that a function of <math.h> is, and its type.
fn library_function(name: &str) -> Option<(UnaryOp, ScalarType)> {
    match name {
        "fabs" => Some((UnaryOp::Absolute, ScalarType::DOUBLE)),
        "fabsf" => Some((UnaryOp::Absolute, ScalarType::FLOAT)),
        "sqrt" => Some((UnaryOp::SquareRoot, ScalarType::DOUBLE)),
        "sqrtf" => Some((UnaryOp::SquareRoot, ScalarType::FLOAT)),
        _ => None,
    }
}

/// The type of the integers whose absolute values a function gives.
fn absolute(name: &str, long: ScalarType) -> Option<ScalarType> {
    match name {
        "abs" => Some(ScalarType::I32),
        "labs" => Some(long),
        "llabs" => Some(ScalarType::integer(64, true)),
        _ => None,
    }
}

/// What remains to be done in the function.
#[derive(Clone)]
enum Step<'a> {
    Declare(&'a Node<Declaration>),
    Execute(&'a Node<Statement>),
    /// Ends a block that began with so many local variables.
    Leave(usize),
}

/// A function whose body is being followed. Its variables are the scope's local names; they stand for expressions.
struct Inlining<'s, 'a> {
    scope: &'s mut Scope<'a>,
    name: &'a str,
    returns: CType,
    /// Types of the variables, in the order of the scope's local names.
    types: Vec<CType>,
    /// It is given arrays, whose subscripts may hold under its conditions only.
    reads_arrays: bool,
}

const NUMBERS_ARE_TAKEN: &str = "numbers and whole arrays are taken: pass an element by value, as in `f(a[i])`; a function that \
                                 writes through pointers is called in a statement of its own, and returns nothing";

/// Whether a function of the file calls itself, also by way of others.
pub fn calls_itself(name: &str, functions: &HashMap<&str, &Node<FunctionDefinition>>) -> bool {
    let called = |name: &str| -> Vec<&str> {
        let mut calls = Calls::default();
        functions.get(name).iter().for_each(|f| calls.visit_statement(&f.node.statement.node, &f.node.statement.span));
        let names = calls.0.into_iter().filter_map(|call| match &call.callee.node {
            Expression::Identifier(name) => Some(name.node.name.as_str()),
            _ => None,
        });
        names.collect()
    };
    let mut pending = called(name);
    let mut seen = HashSet::new();
    while let Some(next) = pending.pop() {
        if next == name {
            return true;
        }
        if seen.insert(next) {
            pending.extend(called(next));
        }
    }
    false
}

/// What is said of a call of a function that only a prototype, or nothing, tells of.
pub fn without_body(callee: &str) -> String {
    format!("function calls need the function's body, and `{callee}` has none in this file")
}

impl<'a> Scope<'a> {
    /// The value of a call.
    pub fn call(&mut self, call: &CallExpression, node: &Node<Expression>) -> Checked<Expr> {
        let span = self.span(node.span);
        let refuse = |message: String, help: &str| Err(Diagnostic::new(message).at(span, "call").help(help));
        let callee = match &call.callee.node {
            Expression::Identifier(name) => name.node.name.as_str(),
            _ => return refuse("function calls through pointers are not supported".into(), "call it by its name"),
        };
        let Some((&name, &definition)) = self.functions.get_key_value(callee) else {
            if let Some(value) = self.library_call(callee, call, span)? {
                return Ok(value);
            }
            return refuse(
                without_body(callee),
                "write the expression out, or define it as a `static` function; `c ? x : y` serves for minima, maxima \
                 and absolute values",
            );
        };
        let recursion =
            || refuse(format!("the function `{name}` calls itself"), "recursion has no fixed depth; use loops");
        if self.calls.contains(&name) {
            return recursion();
        }
        let returns = self.types.of_declaration(&definition.node.specifiers);
        let parameters = match &derived(&definition.node.declarator)[..] {
            [Node { node: DerivedDeclarator::Function(prototype), .. }] if returns.arithmetic().is_some() => {
                let nothing = |p: &Node<ParameterDeclaration>| {
                    p.node.declarator.is_none() && self.types.of_declaration(&p.node.specifiers) == CType::Void
                };
                prototype.node.parameters.iter().filter(|p| !nothing(p)).collect::<Vec<_>>()
            }
            _ if calls_itself(name, &self.functions) => return recursion(),
            _ => {
                return refuse(
                    format!("function calls need a function that returns a number, and `{name}` returns none"),
                    "write what the function does into the loop, or make it return a value",
                );
            }
        };
        if parameters.len() != call.arguments.len() {
            return refuse(format!("`{name}` takes {} arguments", parameters.len()), "give one for each parameter");
        }
        let (mut bound, mut arrays) = (vec![], vec![]);
        for (parameter, argument) in parameters.into_iter().zip(&call.arguments) {
            let declarator = parameter.node.declarator.as_ref();
            let ty = self.types.of_declaration(&parameter.node.specifiers);
            let is_plain = ty.arithmetic().is_some() && declarator.is_none_or(|d| derived(d).is_empty());
            if let (false, Some(declarator)) = (is_plain, declarator)
                && let Some(array) = self.whole_array(argument, &ty)
            {
                bound.push((identifier(&declarator.node), array, ty));
                arrays.push(declarator);
                continue;
            }
            if !is_plain {
                return refuse(format!("the function `{name}` has a parameter that is no number"), NUMBERS_ARE_TAKEN);
            }
            let value = self.converted(argument, &ty)?;
            let value = self.limited(value, name)?;
            bound.push((declarator.and_then(|d| identifier(&d.node)), Name::Value(value), ty));
        }
        let outermost = self.call_span.is_none();
        self.inlined = if outermost { 1 } else { self.inlined + 1 };
        if self.inlined > CALLS {
            return Err(self.grown(name, &format!("lead to more than {CALLS} calls")));
        }
        let locals = self.hide();
        if outermost {
            self.call_span = Some(span);
        }
        self.calls.push(name);
        let mut names = bound.iter().filter_map(|(_, name, _)| match name {
            Name::Array(array) => Some(*array),
            _ => None,
        });
        let odd = arrays.iter().find(|declarator| names.next().is_none_or(|array| !self.has_shape(array, declarator)));
        let value = match odd {
            Some(_) => refuse(
                format!("the function `{name}` has a parameter of another shape than the array that it is given"),
                "declare it with the same extents",
            ),
            None => {
                let mut inlining =
                    Inlining { scope: self, name, returns, types: vec![], reads_arrays: !arrays.is_empty() };
                for (name, value, ty) in bound {
                    inlining.declare(name.map_or("", |name| &name.node.name), value, ty);
                }
                inlining.body(definition).and_then(|value| self.limited(value, name))
            }
        };
        self.calls.pop();
        self.unhide(locals);
        if outermost {
            self.call_span = None;
        }
        value
    }

    /// The array that an argument names as a whole, where its elements are of type `ty`.
    fn whole_array(&self, argument: &Node<Expression>, ty: &CType) -> Option<Name> {
        let Expression::Identifier(name) = &argument.node else { return None };
        match self.lookup(&name.node.name)? {
            Name::Array(array) => {
                let known = &self.arrays[array];
                let element = if known.boolean { CType::Bool } else { CType::of(known.element) };
                (element == *ty && !known.extents.is_empty()).then_some(Name::Array(array))
            }
            _ => None,
        }
    }

    /// Whether a parameter is declared with as many dimensions as the array, and constant inner ones that are the same.
    fn has_shape(&mut self, array: ArrayId, parameter: &Node<Declarator>) -> bool {
        let extents = self.arrays[array].extents.clone();
        let parts = derived(parameter);
        parts.len() == extents.len()
            && parts.iter().zip(&extents).enumerate().all(|(dimension, (part, extent))| match &part.node {
                DerivedDeclarator::Pointer(_) | DerivedDeclarator::Array(_) if dimension == 0 => true,
                DerivedDeclarator::Array(inner) => match &inner.node.size {
                    ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                        self.constant(size).is_ok_and(|size| extent.is_constant() && extent.constant == size)
                    }
                    _ => false,
                },
                _ => false,
            })
    }

    /// A call of a function of the library, whose arguments are looked at once; `None` where `name` is none that is known.
    fn library_call(&mut self, name: &str, call: &CallExpression, span: Span) -> Checked<Option<Expr>> {
        let operator = library_function(name);
        let is_known = operator.is_some() || name == BEYOND || absolute(name, self.types.long).is_some();
        if !is_known && host::library_function(name).is_none() {
            return Ok(None);
        }
        let arguments = call.arguments.iter().map(|argument| self.expression(argument)).collect::<Checked<Vec<_>>>()?;
        if let (Some((op, ty)), [argument]) = (operator, &arguments[..]) {
            return Ok(Some(unary(op, convert(argument.clone(), ty))));
        }
        if let (BEYOND, [told]) = (name, &arguments[..]) {
            return Ok(Some(unary(UnaryOp::OutOfRange, told.clone())));
        }
        match self.chosen_call(name, &arguments, span) {
            Some(value) => Ok(Some(value)),
            None => self.host_call(name, arguments, span).transpose(),
        }
    }

    /// A call of a library function that rounds a value, see [`Scope::rounded_quotient`], or chooses between values: absolute
    /// values of integers, `fmin` and `fmax` of what the host does not know, and squares, `pow(x, 2)`, which compilers
    /// multiply out, too. Of two values that compare equal, which may be 0 and -0, C leaves open which one `fmin` and `fmax`
    /// give; like the machine instructions of x86 they give the second, and the other one of a NaN.
    fn chosen_call(&mut self, name: &str, arguments: &[Expr], span: Span) -> Option<Expr> {
        if let ("floor" | "ceil", [argument]) = (name, arguments) {
            return self.rounded_quotient(argument, name == "ceil", span);
        }
        let select = |condition, then, otherwise, ty| Expr::Select {
            condition: Box::new(condition),
            then: Box::new(then),
            otherwise: Box::new(otherwise),
            ty,
        };
        match (name, arguments) {
            (_, [value]) => {
                let ty = absolute(name, self.types.long)?;
                let value = convert(value.clone(), ty);
                let zero = Expr::Constant { value: 0, ty };
                let is_negative = binary(BinaryOp::Less, value.clone(), zero);
                Some(select(is_negative, unary(UnaryOp::Negate, value.clone()), value, ty))
            }
            ("pow" | "powf" | "fmin" | "fmax" | "fminf" | "fmaxf", [left, right]) => {
                let ty = if name.ends_with('f') { ScalarType::FLOAT } else { ScalarType::DOUBLE };
                let (left, right) = (convert(left.clone(), ty), convert(right.clone(), ty));
                // What the host knows it computes.
                self.obstacle(&left).or_else(|| self.obstacle(&right))?;
                if name.starts_with("pow") {
                    let two = convert(Expr::Constant { value: 2, ty: ScalarType::I32 }, ty);
                    return (right == two).then(|| binary(BinaryOp::Multiply, left.clone(), left));
                }
                let is_less = match name.starts_with("fmin") {
                    true => binary(BinaryOp::Less, left.clone(), right.clone()),
                    false => binary(BinaryOp::Less, right.clone(), left.clone()),
                };
                let is_nan = binary(BinaryOp::NotEqual, right.clone(), right.clone());
                Some(select(binary(BinaryOp::LogicalOr, is_less, is_nan), left, right, ty))
            }
            _ => None,
        }
    }

    /// Refuses an expression that has grown beyond all bounds in a call of `name`.
    fn limited(&self, value: Expr, name: &str) -> Checked<Expr> {
        fn exceeds(expr: &Expr, left: &mut usize) -> bool {
            *left = left.saturating_sub(1);
            *left == 0 || expr.operands().into_iter().any(|operand| exceeds(operand, left))
        }
        match exceeds(&value, &mut LARGEST.clone()) {
            true => Err(self.grown(name, &format!("make an expression of more than {LARGEST} operators"))),
            false => Ok(value),
        }
    }

    /// What the calls that lead to `name`, and that of `name`, do.
    fn grown(&self, name: &str, does: &str) -> Diagnostic {
        let last = (self.calls.last() != Some(&name)).then_some(name);
        let chain: Vec<&str> = self.calls.iter().copied().chain(last).collect();
        Diagnostic::new(format!("calls become part of the statement, and here they {does}: {}", chain.join(" calls ")))
            .at(self.call_span.unwrap_or_default(), "called here")
            .help("call each function once, and keep what is needed twice in arrays")
    }
}

impl<'a> Inlining<'_, 'a> {
    fn refuse<T>(&self, does: &str, help: &str) -> Checked<T> {
        Err(Diagnostic::new(format!("the function `{}` {does}", self.name))
            .at(self.scope.call_span.unwrap_or_default(), "called here")
            .help(help))
    }

    fn declare(&mut self, name: &str, value: Name, ty: CType) {
        self.scope.declare(name, value);
        self.types.push(ty);
    }

    fn body(&mut self, definition: &'a Node<FunctionDefinition>) -> Checked<Expr> {
        self.run(vec![Step::Execute(&definition.node.statement)])
    }

    /// The same, where C does them under a condition only.
    fn run_under(&mut self, guard: Option<Condition>, steps: Vec<Step<'a>>) -> Checked<Expr> {
        let guards = self.scope.guards.len();
        self.scope.guards.extend(guard.clone());
        let mark = self.scope.go_into(guard);
        let value = self.run(steps);
        self.scope.come_out(mark);
        self.scope.guards.truncate(guards);
        value
    }

    /// The value returned by `steps`, of which the last is the first to do.
    fn run(&mut self, mut steps: Vec<Step<'a>>) -> Checked<Expr> {
        const PURE: &str = "an inlined function declares integers, assigns them, and returns a value, also under `if`";
        while let Some(step) = steps.pop() {
            let statement = match step {
                Step::Leave(mark) => {
                    self.scope.leave(mark);
                    self.types.truncate(mark);
                    continue;
                }
                Step::Declare(declaration) => {
                    self.declaration(declaration)?;
                    continue;
                }
                Step::Execute(statement) => statement,
            };
            match &statement.node {
                Statement::Compound(items) => {
                    steps.push(Step::Leave(self.scope.enter()));
                    steps.extend(items.iter().rev().filter_map(|item| match &item.node {
                        BlockItem::Declaration(declaration) => Some(Step::Declare(declaration)),
                        BlockItem::Statement(statement) => Some(Step::Execute(statement)),
                        BlockItem::StaticAssert(_) => None,
                    }));
                }
                Statement::Expression(None) => {}
                Statement::Expression(Some(expression)) => self.assign(expression)?,
                Statement::Return(Some(value)) => return self.scope.converted(value, &self.returns),
                Statement::If(branch) => {
                    let condition = truth(self.scope.expression(&branch.node.condition)?);
                    let then = Step::Execute(&branch.node.then_statement);
                    let otherwise = branch.node.else_statement.as_ref().map(|s| Step::Execute(s));
                    if let Expr::Constant { value, .. } = condition {
                        steps.extend(if value != 0 { Some(then) } else { otherwise });
                        continue;
                    }
                    let known = match self.reads_arrays {
                        true => {
                            let span = self.scope.call_span.unwrap_or_default();
                            self.scope.known_condition(&condition, span)
                        }
                        false => None,
                    };
                    // What follows the `if` follows each of its branches.
                    let (locals, types) = (self.scope.hide(), self.types.clone());
                    self.scope.unhide(locals.clone());
                    let first = self.run_under(known.clone(), steps.iter().cloned().chain([then]).collect())?;
                    self.scope.unhide(locals);
                    self.types = types;
                    let fails = known.map(negated);
                    let second = self.run_under(fails, steps.iter().cloned().chain(otherwise).collect())?;
                    let ty = self.returns.arithmetic().unwrap_or(ScalarType::I32);
                    let (then, otherwise) = (Box::new(first), Box::new(second));
                    return self.limited(Expr::Select { condition: Box::new(condition), then, otherwise, ty });
                }
                Statement::For(_) | Statement::While(_) | Statement::DoWhile(_) => {
                    return self.refuse("has a loop", "write the loop into the kernel");
                }
                Statement::Return(None) => return self.refuse("may end without a value", PURE),
                _ => return self.refuse("does more than compute a value", PURE),
            }
        }
        self.refuse("may end without a value", PURE)
    }

    fn declaration(&mut self, node: &'a Node<Declaration>) -> Checked<()> {
        let is_static = node.node.specifiers.iter().any(|specifier| {
            matches!(&specifier.node, DeclarationSpecifier::StorageClass(class)
                if matches!(class.node, StorageClassSpecifier::Static | StorageClassSpecifier::Extern))
        });
        if is_static && !is_const(&node.node) {
            return self.refuse("keeps a variable between calls", "pass the value as an argument");
        }
        let ty = self.scope.types.of_declaration(&node.node.specifiers);
        for declarator in &node.node.declarators {
            let Some(name) = identifier(&declarator.node.declarator.node) else { continue };
            if let Some(table) = self.scope.table(&node.node, declarator) {
                self.declare(&name.node.name, Name::Table(table), ty.clone());
                continue;
            }
            if ty.arithmetic().is_none() || !derived(&declarator.node.declarator).is_empty() {
                return self
                    .refuse("has a local variable that is no number", "use integers, `float` and `double` only");
            }
            let value = match declarator.node.initializer.as_ref().map(|i| &i.node) {
                None => Name::Unset,
                Some(Initializer::Expression(value)) => {
                    let value = self.scope.converted(value, &ty)?;
                    Name::Value(self.limited(value)?)
                }
                Some(Initializer::List(_)) => return self.refuse("has an initializer list", "use integers only"),
            };
            self.declare(&name.node.name, value, ty.clone());
        }
        Ok(())
    }

    /// A statement that changes a variable of the function.
    fn assign(&mut self, node: &'a Node<Expression>) -> Checked<()> {
        let (target, op, value) = match &node.node {
            Expression::UnaryOperator(unary) => {
                let op = match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => BinaryOp::Add,
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => BinaryOp::Subtract,
                    _ => return self.refuse("has a statement without effect", "remove it"),
                };
                (&*unary.node.operand, Some(op), None)
            }
            Expression::BinaryOperator(o) => match assignment(&o.node.operator.node) {
                Some(op) => (&*o.node.lhs, op, Some(&*o.node.rhs)),
                None => return self.refuse("has a statement without effect", "remove it"),
            },
            _ => return self.refuse("does more than compute a value", "it may assign its own variables only"),
        };
        let place = match &target.node {
            Expression::Identifier(name) => self.scope.local_index(&name.node.name),
            _ => None,
        };
        let Some(place) = place else {
            return self.refuse("changes what is not its own", "an inlined function may assign its own variables only");
        };
        let ty = self.types[place].clone();
        let value = match (op, value) {
            (None, Some(value)) => self.scope.converted(value, &ty)?,
            (Some(op), value) => {
                let old = self.scope.expression(target)?;
                match value {
                    Some(node) => {
                        let whole = ty.integer().is_some() && self.scope.is_double(node);
                        // Integers compute the same where all values are whole.
                        let value = whole.then(|| self.scope.truncated_binary(op, old.clone(), node, &ty).ok());
                        match value.flatten() {
                            Some(value) => value,
                            None => {
                                let value = self.scope.expression(node)?;
                                convert_to(self.scope.checked_binary(op, old, value, node)?, &ty)
                            }
                        }
                    }
                    None => {
                        let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
                        convert_to(self.scope.checked_binary(op, old, one, target)?, &ty)
                    }
                }
            }
            (None, None) => return Ok(()),
        };
        let value = self.limited(value)?;
        self.scope.assign_local(place, Name::Value(value));
        Ok(())
    }

    /// Refuses an expression that has grown beyond all bounds.
    fn limited(&self, value: Expr) -> Checked<Expr> {
        self.scope.limited(value, self.name)
    }
}
