//! What the host computes before a run: values of sizes and scalar arguments alone, in registers during it.
//!
//! Three things go there. Local scalars that the statements before the first loop give all their values; calls of
//! <math.h>; and floating-point operators of statements whose operands are the host's, too. A call is a step of its own
//! ([`HostStep`]), so that expressions keep to what hardware can compute.

use std::collections::{BTreeSet, HashMap, HashSet};

use lang_c::ast::{BlockItem, CallExpression, Declaration, Expression, Identifier, Statement as CStatement};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::expression::convert;
use super::function::{derived, identifier};
use super::kernel::{
    Access, BinaryOp, Expr, Gather, HostStep, HostValue, Node as NestNode, Scalar, ScalarType, UnaryOp,
};
use super::locals::Usage;
use super::nest::{assignment, operation};
use super::scope::{Checked, Scope};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// Functions of <math.h> from numbers to a number, for `double`, with how many they take. A final `f` makes them `float`'s.
const FUNCTIONS: [(&str, usize); 36] = [
    ("acos", 1),
    ("acosh", 1),
    ("asin", 1),
    ("asinh", 1),
    ("atan", 1),
    ("atan2", 2),
    ("atanh", 1),
    ("cbrt", 1),
    ("ceil", 1),
    ("copysign", 2),
    ("cos", 1),
    ("cosh", 1),
    ("erf", 1),
    ("erfc", 1),
    ("exp", 1),
    ("exp2", 1),
    ("expm1", 1),
    ("fdim", 2),
    ("floor", 1),
    ("fmax", 2),
    ("fmin", 2),
    ("fmod", 2),
    ("hypot", 2),
    ("lgamma", 1),
    ("log", 1),
    ("log10", 1),
    ("log1p", 1),
    ("log2", 1),
    ("pow", 2),
    ("round", 1),
    ("sin", 1),
    ("sinh", 1),
    ("tan", 1),
    ("tanh", 1),
    ("tgamma", 1),
    ("trunc", 1),
];

/// How many arguments a function of <math.h> takes, and the type of them and of its result.
pub fn library_function(name: &str) -> Option<(usize, ScalarType)> {
    let of = |base: &str| FUNCTIONS.iter().find(|(known, _)| *known == base).map(|(_, count)| *count);
    let float = || name.strip_suffix('f').and_then(of).map(|count| (count, ScalarType::FLOAT));
    of(name).map(|count| (count, ScalarType::DOUBLE)).or_else(float)
}

impl Scope<'_> {
    /// A call of a function of <math.h>, by a value of the host; `None` where `name` is none of them.
    pub fn host_call(&mut self, name: &str, arguments: Vec<Expr>, span: Span) -> Option<Checked<Expr>> {
        let (_, ty) = library_function(name).filter(|(count, _)| *count == arguments.len())?;
        let arguments: Vec<Expr> = arguments.into_iter().map(|argument| convert(argument, ty)).collect();
        if let Some(obstacle) = arguments.iter().find_map(|argument| self.obstacle(argument)) {
            let message = format!("`{name}` is computed by the host before the run, and here it depends on {obstacle}");
            return Some(Err(Diagnostic::new(message).at(span, "call").help(
                "calls of <math.h> may depend on constants, sizes and scalar arguments; only `sqrt`, `fabs`, \
                 `fmin`, `fmax` and `pow(x, 2)` are hardware, so pass an array of values instead",
            )));
        }
        let step_name = self.fresh(name);
        Some(Ok(self.host_step(step_name, HostValue::Call { function: name.to_string(), arguments }, ty, span)))
    }

    /// A local scalar's value, which the host can compute, under a name like the variable's.
    pub fn host_variable(&mut self, name: &str, value: Expr, span: Span) -> Expr {
        match value {
            Expr::Constant { .. } | Expr::Scalar { .. } | Expr::Index { .. } => value,
            _ => {
                let (name, ty) = (self.own(name), value.ty());
                self.host_step(name, HostValue::Expression(value), ty, span)
            }
        }
    }

    /// The value of a new step, or of an equal one.
    fn host_step(&mut self, name: String, value: HostValue, ty: ScalarType, span: Span) -> Expr {
        let known = self.host.iter().position(|step| step.value == value && step.ty == ty);
        let step = known.unwrap_or_else(|| {
            self.host.push(HostStep { name, ty, value, scalar: None, span });
            self.host.len() - 1
        });
        Expr::Scalar { scalar: self.scalar_arguments + step, ty }
    }

    /// What keeps the host from computing `value`, in words.
    pub fn obstacle(&self, value: &Expr) -> Option<String> {
        match value {
            Expr::Read { access: Access { array, .. }, .. } | Expr::Gather { gather: Gather { array, .. }, .. } => {
                Some(format!("the array `{}`", self.arrays[*array].name))
            }
            Expr::Index { value, .. } => {
                value.terms.keys().find(|name| !self.is_of_sizes(name)).map(|name| format!("the iterator `{name}`"))
            }
            _ => value.operands().into_iter().find_map(|operand| self.obstacle(operand)),
        }
    }

    /// Whether a name of affine expressions is a size or a quotient of sizes.
    fn is_of_sizes(&self, name: &str) -> bool {
        let of_sizes = |numerator: &Affine| numerator.terms.keys().all(|name| self.is_of_sizes(name));
        match self.quotients.iter().find(|quotient| quotient.name == name) {
            Some(quotient) => of_sizes(&quotient.numerator),
            None => self.is_size(name),
        }
    }

    /// Gives the host the operators that depend on nothing else, and every value of the host that a statement reads a
    /// register: it is appended to `scalars`. Returns the steps that are needed.
    pub fn settle_host(&mut self, nodes: &mut [NestNode], scalars: &mut Vec<Scalar>) -> Vec<HostStep> {
        for_each_value(nodes, &mut |value, span| self.hoist(value, span));
        let arguments = scalars.len();
        let mut read = BTreeSet::new();
        for_each_value(nodes, &mut |value, _| steps_of(value, arguments, &mut read));
        let mut needed = read.clone();
        // A step needs earlier ones only.
        for step in (0..self.host.len()).rev() {
            if needed.contains(&step) {
                self.host[step].value.expressions().iter().for_each(|value| steps_of(value, arguments, &mut needed));
            }
        }
        let places: HashMap<usize, usize> = needed.iter().enumerate().map(|(place, step)| (*step, place)).collect();
        let registers: HashMap<usize, usize> =
            read.iter().enumerate().map(|(place, step)| (*step, arguments + place)).collect();
        for_each_value(nodes, &mut |value, _| renumber(value, arguments, &|step| registers[&step]));
        let mut steps = vec![];
        for &step in &needed {
            let mut settled = self.host[step].clone();
            let of = |step: usize| arguments + places[&step];
            match &mut settled.value {
                HostValue::Expression(value) => renumber(value, arguments, &of),
                HostValue::Call { arguments: values, .. } => {
                    values.iter_mut().for_each(|value| renumber(value, arguments, &of));
                }
            }
            settled.scalar = registers.get(&step).copied();
            if settled.scalar.is_some() {
                let (name, ty, span) = (settled.name.clone(), settled.ty, settled.span);
                scalars.push(Scalar { name, ty, boolean: false, span });
            }
            steps.push(settled);
        }
        steps
    }

    /// Replaces the largest parts of `value` that the host can compute and that need an operator of floating point.
    fn hoist(&mut self, value: &mut Expr, span: Span) {
        if self.obstacle(value).is_some() {
            value.operands_mut().into_iter().for_each(|operand| self.hoist(operand, span));
        } else if needs_float_cell(value) && !may_trap(value) {
            let (name, ty) = (self.fresh("coefficient"), value.ty());
            *value = self.host_step(name, HostValue::Expression(value.clone()), ty, span);
        }
    }
}

/// Whether an operator in it takes more than wires and multiplexers in floating point.
fn needs_float_cell(value: &Expr) -> bool {
    let own = match value {
        Expr::Unary { op: UnaryOp::SquareRoot, .. } => true,
        Expr::Binary { left, .. } => left.ty().floating,
        Expr::Cast { operand, ty } => ty.floating || operand.ty().floating,
        _ => false,
    };
    own || value.operands().into_iter().any(needs_float_cell)
}

/// Whether a processor may stop at it, in a run in which no iteration needs it.
pub fn may_trap(value: &Expr) -> bool {
    let divides = matches!(value, Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, ty, .. } if !ty.floating);
    divides || value.operands().into_iter().any(may_trap)
}

fn for_each_value(nodes: &mut [NestNode], act: &mut dyn FnMut(&mut Expr, Span)) {
    for node in nodes {
        match node {
            NestNode::Loop(inner) => for_each_value(&mut inner.body, act),
            NestNode::If(inner) => for_each_value(&mut inner.body, act),
            NestNode::Statement(statement) => act(&mut statement.value, statement.span),
        }
    }
}

/// Adds the steps that `value` names.
fn steps_of(value: &Expr, arguments: usize, steps: &mut BTreeSet<usize>) {
    match value {
        Expr::Scalar { scalar, .. } if *scalar >= arguments => {
            steps.insert(scalar - arguments);
        }
        _ => value.operands().into_iter().for_each(|operand| steps_of(operand, arguments, steps)),
    }
}

fn renumber(value: &mut Expr, arguments: usize, of: &dyn Fn(usize) -> usize) {
    match value {
        Expr::Scalar { scalar, .. } if *scalar >= arguments => *scalar = of(*scalar - arguments),
        _ => value.operands_mut().into_iter().for_each(|operand| renumber(operand, arguments, of)),
    }
}

/// The local scalars that the host computes, and how many items of the function's body do nothing else.
#[derive(Default)]
pub struct Hosted {
    pub names: HashSet<String>,
    pub items: usize,
}

impl Hosted {
    /// Looks at the declarations and assignments of names that `items` begin with. A local scalar of theirs is the
    /// host's where nothing behind them changes it and every value they give it comes from scalar arguments, sizes,
    /// constants and other such variables.
    pub fn of(items: &[Node<BlockItem>], is_array: impl Fn(&str) -> bool) -> Hosted {
        let mut locals: HashSet<&str> = HashSet::new();
        // Who gets a value, and the names in it.
        let mut values: Vec<(&str, HashSet<&str>)> = vec![];
        let mut names = HashSet::new();
        let mut count = 0;
        for item in items {
            match &item.node {
                BlockItem::Declaration(declaration) => {
                    for (name, is_plain, value) in declared(&declaration.node) {
                        locals.insert(name);
                        if is_plain {
                            names.insert(name);
                        }
                        values.extend(value.map(|value| (name, value)));
                    }
                }
                BlockItem::StaticAssert(_) => {}
                BlockItem::Statement(statement) => match given(&statement.node) {
                    Some(given) => values.extend(given),
                    None => break,
                },
            }
            count += 1;
        }
        names.retain(|name| Usage::of(name, &items[count..]).is_constant());
        loop {
            let foreign = |name: &&str| is_array(name) || (locals.contains(name) && !names.contains(name));
            let spoiled = values.iter().find(|(name, value)| names.contains(name) && value.iter().any(foreign));
            match spoiled {
                Some((name, _)) => names.remove(*name),
                None => break,
            };
        }
        Hosted { names: names.into_iter().map(str::to_string).collect(), items: count }
    }
}

/// The names that a declaration declares, whether each is a scalar, and the names in its initializer.
fn declared(declaration: &Declaration) -> Vec<(&str, bool, Option<HashSet<&str>>)> {
    let mut all = vec![];
    for declarator in declaration.declarators.iter().map(|declarator| &declarator.node) {
        let Some(name) = identifier(&declarator.declarator.node) else { continue };
        let value = declarator.initializer.as_ref().map(|first| {
            let mut found = Mentioned::default();
            found.visit_initializer(&first.node, &first.span);
            found.0
        });
        all.push((name.node.name.as_str(), derived(&declarator.declarator).is_empty(), value));
    }
    all
}

/// The variables that a statement `x = y = value;` assigns, each with the names in what it gets; `None` for others.
fn given(statement: &CStatement) -> Option<Vec<(&str, HashSet<&str>)>> {
    let CStatement::Expression(Some(expression)) = statement else {
        return matches!(statement, CStatement::Expression(None)).then(Vec::new);
    };
    let mut node = &**expression;
    let mut targets = vec![];
    while let Some((operator, o)) = operation(node)
        && let Some(op) = assignment(&operator)
    {
        let Expression::Identifier(name) = &o.lhs.node else { return None };
        targets.push((name.node.name.as_str(), op));
        node = &o.rhs;
    }
    let mut found = Mentioned::default();
    found.visit_expression(&node.node, &node.span);
    // The variable to the right of another one is in the value that this one gets.
    let all: Vec<&str> = targets.iter().map(|(name, _)| *name).collect();
    found.0.extend(all.iter().skip(1));
    (!targets.is_empty()).then(|| targets.iter().map(|(name, _)| (*name, found.0.clone())).collect())
}

/// Collects names, but not those of called functions.
#[derive(Default)]
struct Mentioned<'a>(HashSet<&'a str>);

impl<'ast> Visit<'ast> for Mentioned<'ast> {
    fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast ByteSpan) {
        self.0.insert(&identifier.name);
    }

    fn visit_call_expression(&mut self, call: &'ast CallExpression, span: &'ast ByteSpan) {
        match &call.callee.node {
            Expression::Identifier(_) => {
                call.arguments.iter().for_each(|argument| self.visit_expression(&argument.node, &argument.span));
            }
            _ => visit::visit_call_expression(self, call, span),
        }
    }
}
