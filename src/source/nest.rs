//! The function's body: loops and statements.

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration, Expression, ForInitializer, ForStatement,
    Initializer, Statement as CStatement, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::affine_expression::{Role, plus};
use super::expression::convert;
use super::function::identifier;
use super::kernel::{Access, BinaryOp, Expr, IntType, Loop, Node as NestNode, Statement};
use super::scope::{Checked, Name, Naming, Scope, check_name};
use super::types::{CType, is_typedef};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// The deepest expression: a stencil of some hundred points has room.
const DEEPEST: usize = 1000;

/// Lowers a function's body.
pub fn body(scope: &mut Scope, node: &Node<CStatement>) -> Checked<Vec<NestNode>> {
    let mut nest = Nest { scope, statements: 0 };
    let mut nodes = Vec::new();
    nest.statement(node, &mut nodes)?;
    Ok(nodes)
}

struct Nest<'s, 'a> {
    scope: &'s mut Scope<'a>,
    /// How many have been named.
    statements: usize,
}

impl Nest<'_, '_> {
    fn span(&self, bytes: ByteSpan) -> Span {
        self.scope.span(bytes)
    }

    fn statement(&mut self, node: &Node<CStatement>, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let refuse = |what: &str, label: &str, help: &str| {
            // The construct's first word: what follows may be long.
            let start = ByteSpan::span(node.span.start, node.span.start + 1);
            Err(Diagnostic::new(format!("{what} not supported")).at(self.span(start), label).help(help))
        };
        match &node.node {
            CStatement::Compound(items) => {
                let mark = self.scope.enter();
                for item in items {
                    match &item.node {
                        BlockItem::Declaration(declaration) => self.declaration(declaration)?,
                        BlockItem::StaticAssert(_) => {}
                        BlockItem::Statement(statement) => self.statement(statement, nodes)?,
                    }
                }
                self.scope.leave(mark);
                Ok(())
            }
            CStatement::Expression(None) => Ok(()),
            CStatement::Expression(Some(expression)) => {
                let statement = self.expression_statement(expression, node.span)?;
                nodes.push(NestNode::Statement(statement));
                Ok(())
            }
            CStatement::For(f) => {
                let mark = self.scope.enter();
                let lowered = self.for_loop(f, node.span)?;
                self.scope.leave(mark);
                nodes.push(NestNode::Loop(lowered));
                Ok(())
            }
            CStatement::If(_) => refuse(
                "`if` statements are",
                "`if`",
                "choose between values with `c ? x : y`, or restrict the loop's bounds",
            ),
            CStatement::Switch(_) | CStatement::Labeled(_) if is_switch_part(&node.node) => {
                refuse("`switch` statements are", "`switch`", "choose between values with `c ? x : y`")
            }
            CStatement::Switch(_) | CStatement::Labeled(_) => {
                refuse("labels are", "label", "use `for` loops with affine bounds")
            }
            CStatement::While(_) => {
                refuse("`while` loops are", "`while`", "write `for (int i = 0; i < N; i++)` with affine bounds")
            }
            CStatement::DoWhile(_) => {
                refuse("`do` loops are", "`do`", "write `for (int i = 0; i < N; i++)` with affine bounds")
            }
            CStatement::Goto(_) => refuse("`goto` is", "`goto`", "use `for` loops with affine bounds"),
            CStatement::Continue => refuse("`continue` is", "`continue`", "choose between values with `c ? x : y`"),
            CStatement::Break => {
                refuse("`break` is", "`break`", "the number of iterations must be known when the loop begins")
            }
            CStatement::Return(_) => {
                refuse("`return` is", "`return`", "the function ends with its last loop; leave `return` out")
            }
            CStatement::Asm(_) => refuse("assembly is", "assembly", "write C"),
        }
    }

    /// `int i, j;` — iterators, perhaps. Everything else that is local is refused.
    fn declaration(&mut self, node: &Node<Declaration>) -> Checked<()> {
        let declaration = &node.node;
        if is_typedef(declaration) {
            return Err(Diagnostic::new("types declared inside the function are not supported")
                .at(self.span(node.span), "local type")
                .help("move it before the function"));
        }
        for declarator in &declaration.declarators {
            let span = self.span(declarator.span);
            let Some(name) = identifier(&declarator.node.declarator.node) else { continue };
            let name = name.node.name.as_str();
            let help = "local variables are not supported yet: write the expression out, or keep the value in an array";
            let ty = match self.scope.types.of_declaration(&declaration.specifiers) {
                CType::Int(ty) => ty,
                other => {
                    return Err(Diagnostic::new(format!(
                        "the local variable `{name}` has {other}: integers only for now"
                    ))
                    .at(span, "not an integer")
                    .help("use one of <stdint.h>'s types"));
                }
            };
            if !declarator.node.declarator.node.derived.is_empty() {
                return Err(Diagnostic::new(format!("the local variable `{name}` is an array or pointer"))
                    .at(span, "local variable")
                    .help("make it an argument; burstc places the local buffers itself"));
            }
            if declarator.node.initializer.is_some() {
                return Err(Diagnostic::new(format!("the local variable `{name}` holds a value"))
                    .at(span, "local variable")
                    .help(help));
            }
            self.shadow(name, span)?;
            self.scope.declare(name, Name::Local(ty));
        }
        Ok(())
    }

    fn shadow(&self, name: &str, span: Span) -> Checked<()> {
        match self.scope.lookup(name) {
            None | Some(Name::Local(_) | Name::Enumerator(_)) => Ok(()),
            Some(other) => {
                let what = if matches!(other, Name::Iterator(_)) { "an enclosing loop's" } else { "an argument's" };
                Err(Diagnostic::new(format!("`{name}` is {what} name, and here it is declared again"))
                    .at(span, "declared again")
                    .help("rename one"))
            }
        }
    }

    fn for_loop(&mut self, node: &Node<ForStatement>, bytes: ByteSpan) -> Checked<Loop> {
        let f = &node.node;
        let (iterator, ty, lower, place) = self.initializer(f, bytes)?;
        let span = self.span(ByteSpan::span(bytes.start, f.statement.span.start));
        self.shadow_iterator(&iterator, place)?;
        check_name(&iterator, Naming::Variable, place)?;

        self.step(f, &iterator, span)?;
        let lower = self.scope.affine(lower, Role::Bound)?;
        let mut upper = Vec::new();
        match &f.condition {
            Some(condition) => self.condition(condition, &iterator, &mut upper)?,
            None => {
                return Err(Diagnostic::new(format!("the loop over `{iterator}` has no end"))
                    .at(span, "no condition")
                    .help(format!("give an affine bound, as in `{iterator} < N`")));
            }
        }
        let mark = self.scope.enter();
        self.scope.declare(&iterator, Name::Iterator(ty));
        let mut body = Vec::new();
        self.statement(&f.statement, &mut body)?;
        self.scope.leave(mark);
        Ok(Loop { iterator, ty, lower: vec![lower], upper, body, span })
    }

    fn shadow_iterator(&self, name: &str, span: Span) -> Checked<()> {
        match self.scope.lookup(name) {
            Some(Name::Iterator(_)) => Err(Diagnostic::new(format!("two nested loops count with `{name}`"))
                .at(span, "already counts an enclosing loop")
                .help("give each loop an iterator of its own")),
            _ => self.shadow(name, span),
        }
    }

    /// `int i = L` or `i = L`: name, type, L, and the place of the name.
    fn initializer<'f>(
        &self,
        f: &'f ForStatement,
        bytes: ByteSpan,
    ) -> Checked<(String, IntType, &'f Node<Expression>, Span)> {
        let refuse = |span: Span, message: &str, label: &str| {
            Err(Diagnostic::new(message).at(span, label).help("begin the loop as in `for (int i = 0; i < N; i++)`"))
        };
        let span = self.span(f.initializer.span);
        match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [declarator] = &declaration.node.declarators[..] else {
                    return refuse(span, "the loop declares more than its iterator", "one iterator only");
                };
                let name = identifier(&declarator.node.declarator.node);
                let value = match &declarator.node.initializer {
                    Some(initializer) => match &initializer.node {
                        Initializer::Expression(value) => Some(&**value),
                        Initializer::List(_) => None,
                    },
                    None => None,
                };
                let (Some(name), Some(value), true) = (name, value, declarator.node.declarator.node.derived.is_empty())
                else {
                    return refuse(span, "the loop's iterator has no integer start", "start expected");
                };
                match self.scope.types.of_declaration(&declaration.node.specifiers) {
                    CType::Int(ty) => Ok((name.node.name.clone(), ty, value, self.span(name.span))),
                    other => {
                        refuse(span, &format!("the iterator has {other}: integers only for now"), "not an integer")
                    }
                }
            }
            ForInitializer::Expression(expression) => {
                let Some((BinaryOperator::Assign, operation)) = operation(expression) else {
                    return refuse(span, "the loop does not begin by setting its iterator", "`i = …` expected");
                };
                let Expression::Identifier(name) = &operation.lhs.node else {
                    return refuse(self.span(operation.lhs.span), "the iterator is no variable", "not a variable");
                };
                let place = self.span(operation.lhs.span);
                let name = &name.node.name;
                match self.scope.lookup(name) {
                    Some(Name::Local(ty)) => Ok((name.clone(), ty, &operation.rhs, place)),
                    Some(Name::Iterator(ty)) => {
                        self.shadow_iterator(name, place)?;
                        Ok((name.clone(), ty, &operation.rhs, place))
                    }
                    _ => Err(self.assigned(name, place)),
                }
            }
            ForInitializer::Empty | ForInitializer::StaticAssert(_) => {
                let head = self.span(ByteSpan::span(bytes.start, f.statement.span.start));
                refuse(head, "the loop does not set its iterator", "no start")
            }
        }
    }

    /// `i++` and what means the same.
    fn step(&self, f: &ForStatement, iterator: &str, head: Span) -> Checked<()> {
        let Some(step) = &f.step else {
            return Err(Diagnostic::new(format!("the loop over `{iterator}` has no step"))
                .at(head, "no step")
                .help(format!("end the loop's head with `{iterator}++`")));
        };
        let amount = match &step.node {
            Expression::UnaryOperator(unary) if is_name(&unary.node.operand, iterator) => {
                match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => Some(1),
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => Some(-1),
                    _ => None,
                }
            }
            _ => match operation(step) {
                Some((BinaryOperator::AssignPlus, o)) if is_name(&o.lhs, iterator) => self.scope.constant(&o.rhs).ok(),
                Some((BinaryOperator::AssignMinus, o)) if is_name(&o.lhs, iterator) => {
                    self.scope.constant(&o.rhs).ok().and_then(i64::checked_neg)
                }
                Some((BinaryOperator::Assign, o)) if is_name(&o.lhs, iterator) => match operation(&o.rhs) {
                    Some((BinaryOperator::Plus, sum)) if is_name(&sum.lhs, iterator) => {
                        self.scope.constant(&sum.rhs).ok()
                    }
                    Some((BinaryOperator::Plus, sum)) if is_name(&sum.rhs, iterator) => {
                        self.scope.constant(&sum.lhs).ok()
                    }
                    Some((BinaryOperator::Minus, sum)) if is_name(&sum.lhs, iterator) => {
                        self.scope.constant(&sum.rhs).ok().and_then(i64::checked_neg)
                    }
                    _ => None,
                },
                _ => None,
            },
        };
        let (message, label, help) = match amount {
            Some(1) => return Ok(()),
            Some(0) | None => (
                format!("this is no step of the loop over `{iterator}`"),
                "step by 1 expected".to_string(),
                format!("end the loop's head with `{iterator}++`"),
            ),
            Some(step) if step < 0 => (
                format!("the loop over `{iterator}` counts down"),
                "counts down".to_string(),
                format!("count up with `{iterator}++`, and use `N - 1 - {iterator}` in the subscripts"),
            ),
            Some(step) => (
                format!("the loop over `{iterator}` has a step of {step}"),
                format!("step {step}"),
                format!("count by 1 with `{iterator}++`, and use `{step} * {iterator}` in the subscripts"),
            ),
        };
        Err(Diagnostic::new(message).at(self.span(step.span), label).help(help))
    }

    /// `i < U`, `i <= U`, either side first, several joined by `&&`: inclusive upper bounds.
    fn condition(&self, node: &Node<Expression>, iterator: &str, upper: &mut Vec<Affine>) -> Checked<()> {
        let refuse = |message: String| {
            Err(Diagnostic::new(message)
                .at(self.span(node.span), "this condition")
                .help(format!("compare the iterator with an affine bound: `{iterator} < N` or `{iterator} <= N`")))
        };
        let Some((operator, o)) = operation(node) else {
            return refuse(format!("the loop over `{iterator}` ends on a condition that is no comparison"));
        };
        let (left, right) = (is_name(&o.lhs, iterator), is_name(&o.rhs, iterator));
        let (bound, inclusive) = match (operator, left, right) {
            (BinaryOperator::LogicalAnd, _, _) => {
                self.condition(&o.lhs, iterator, upper)?;
                return self.condition(&o.rhs, iterator, upper);
            }
            (BinaryOperator::Less, true, false) => (&o.rhs, false),
            (BinaryOperator::LessOrEqual, true, false) => (&o.rhs, true),
            (BinaryOperator::Greater, false, true) => (&o.lhs, false),
            (BinaryOperator::GreaterOrEqual, false, true) => (&o.lhs, true),
            (BinaryOperator::NotEquals, true, false) | (BinaryOperator::NotEquals, false, true) => {
                return refuse(format!("the loop over `{iterator}` ends on `!=`, which may step over its end"));
            }
            (
                BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual,
                false,
                false,
            ) => {
                return refuse(format!("the iterator `{iterator}` does not stand alone on one side of the comparison"));
            }
            (
                BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual,
                ..,
            ) => {
                return refuse(format!("the loop over `{iterator}` has no upper bound"));
            }
            _ => return refuse(format!("the loop over `{iterator}` ends on a condition that is no comparison")),
        };
        let value = self.scope.affine(bound, Role::Bound)?;
        let Some(value) = plus(value, Affine::constant(if inclusive { 0 } else { -1 }), 1) else {
            return refuse("a number in this loop bound is too large".into());
        };
        upper.push(value);
        Ok(())
    }

    fn expression_statement(&mut self, node: &Node<Expression>, bytes: ByteSpan) -> Checked<Statement> {
        let refuse = |message: &str, label: &str, help: &str| {
            Err(Diagnostic::new(message).at(self.span(node.span), label).help(help))
        };
        let (target, op, right, place) = match &node.node {
            Expression::UnaryOperator(unary) => {
                let op = match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => BinaryOp::Add,
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => BinaryOp::Subtract,
                    _ => return refuse("this statement does nothing", "no effect", "remove it"),
                };
                let one = Expr::Constant { value: 1, ty: IntType::I32 };
                let target = self.target(&unary.node.operand)?;
                (target, op, one, &unary.node.operand)
            }
            Expression::BinaryOperator(_) => {
                let Some((operator, o)) = operation(node) else {
                    return refuse("this statement does nothing", "no effect", "remove it");
                };
                let op = match operator {
                    BinaryOperator::Assign => None,
                    BinaryOperator::AssignPlus => Some(BinaryOp::Add),
                    BinaryOperator::AssignMinus => Some(BinaryOp::Subtract),
                    BinaryOperator::AssignMultiply => Some(BinaryOp::Multiply),
                    BinaryOperator::AssignDivide => Some(BinaryOp::Divide),
                    BinaryOperator::AssignModulo => Some(BinaryOp::Remainder),
                    BinaryOperator::AssignShiftLeft => Some(BinaryOp::ShiftLeft),
                    BinaryOperator::AssignShiftRight => Some(BinaryOp::ShiftRight),
                    BinaryOperator::AssignBitwiseAnd => Some(BinaryOp::And),
                    BinaryOperator::AssignBitwiseXor => Some(BinaryOp::Xor),
                    BinaryOperator::AssignBitwiseOr => Some(BinaryOp::Or),
                    _ => return refuse("this statement does nothing", "no effect", "remove it"),
                };
                let target = self.target(&o.lhs)?;
                let value = self.scope.expression(&o.rhs)?;
                match op {
                    Some(op) => (target, op, value, &o.rhs),
                    None => {
                        let ty = self.scope.arrays[target.array].element;
                        return self.finish(target, convert(value, ty), bytes);
                    }
                }
            }
            Expression::Call(_) => {
                return refuse(
                    "function calls are not supported",
                    "call",
                    "write what the function does into the loop",
                );
            }
            Expression::Comma(_) => {
                return refuse("the comma operator is not supported", "`,`", "write one statement for each part");
            }
            _ => return refuse("this statement does nothing", "no effect", "remove it"),
        };
        let ty = self.scope.arrays[target.array].element;
        let left = Expr::Read { access: target.clone(), ty };
        let value = self.scope.checked_binary(op, left, right, place)?;
        self.finish(target, convert(value, ty), bytes)
    }

    fn finish(&mut self, target: Access, value: Expr, bytes: ByteSpan) -> Checked<Statement> {
        let span = self.span(bytes);
        if deeper_than(&value, DEEPEST) {
            return Err(Diagnostic::new(format!("the expression nests more than {DEEPEST} operators deep"))
                .at(span, "too deep")
                .help("split the statement"));
        }
        let name = format!("S{}", self.statements);
        self.statements += 1;
        Ok(Statement { name, target, value, text: self.scope.map.text(bytes), span })
    }

    /// The array element that a statement assigns.
    fn target(&self, node: &Node<Expression>) -> Checked<Access> {
        match &node.node {
            Expression::Identifier(name) => Err(self.assigned(&name.node.name, self.span(node.span))),
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Index => self.scope.access(node),
            Expression::UnaryOperator(_) => Err(Diagnostic::new("a statement assigns through a pointer")
                .at(self.span(node.span), "not an array element")
                .help("access arrays by subscripts: `a[i]` instead of `*(a + i)`")),
            _ => Err(Diagnostic::new("a statement assigns something that is no array element")
                .at(self.span(node.span), "not an array element")
                .help("assign elements of the argument arrays")),
        }
    }

    fn assigned(&self, name: &str, span: Span) -> Diagnostic {
        let (what, help) = match self.scope.lookup(name) {
            Some(Name::Iterator(_)) => ("the iterator", "only the loop's head may change it"),
            Some(Name::Parameter(_) | Name::Scalar(..)) => {
                ("the argument", "arguments keep their values; use an array")
            }
            Some(Name::Array(_)) => ("the array", "assign its elements"),
            Some(Name::Local(_)) => {
                ("the local variable", "local variables are not supported yet: accumulate in an array element")
            }
            Some(Name::Enumerator(_)) | None => ("the variable", "assign elements of the argument arrays"),
        };
        Diagnostic::new(format!("a statement assigns {what} `{name}`")).at(span, "assigned here").help(help)
    }
}

fn is_switch_part(statement: &CStatement) -> bool {
    match statement {
        CStatement::Labeled(labeled) => !matches!(labeled.node.label.node, lang_c::ast::Label::Identifier(_)),
        _ => true,
    }
}

fn operation(node: &Node<Expression>) -> Option<(BinaryOperator, &BinaryOperatorExpression)> {
    match &node.node {
        Expression::BinaryOperator(operation) => Some((operation.node.operator.node.clone(), &operation.node)),
        _ => None,
    }
}

fn is_name(node: &Node<Expression>, name: &str) -> bool {
    matches!(&node.node, Expression::Identifier(identifier) if identifier.node.name == name)
}

fn deeper_than(expr: &Expr, depth: usize) -> bool {
    depth == 0 || expr.operands().into_iter().any(|operand| deeper_than(operand, depth - 1))
}
