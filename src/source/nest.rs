//! The function's body: statements under loops and conditions.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, Expression, IfStatement, Statement as CStatement,
    UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::balance::balanced;
use super::canonical::at_least_once;
use super::data_bounds::{DataLoop, limited};
use super::expression::{binary, convert_to, truth, unary};
use super::extremum::{all, is_truth, negated};
use super::host::{Hosted, may_trap};
use super::kernel::{Access, BinaryOp, Condition, Expr, Gather, Node as NestNode, ScalarType, Statement, UnaryOp};
use super::loops::{For, Runs, guarded};
use super::plain::is_void;
use super::scope::{Checked, Name, Scope};
use super::track::Tracked;
use super::types::CType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::ArrayId;

/// The deepest expression: a stencil of some hundred points has room.
const DEEPEST: usize = 1000;

/// A function's body as the kernel has it.
pub struct Body {
    pub nodes: Vec<NestNode>,
    /// Where each of `nodes` stands, in bytes of the preprocessed text.
    pub places: Vec<Range<usize>>,
    /// What iterators of the kernel that the user does not know stand for: the user's iterator, and its value.
    pub sources: BTreeMap<String, (String, Affine)>,
}

/// A function's body that was refused.
pub struct Refused {
    pub diagnostic: Box<Diagnostic>,
    /// The variables that may be memory instead, by the bytes of their declarations.
    pub memory: Vec<usize>,
    /// Only that a value is not known, and no more.
    pub is_lost: bool,
}

/// Lowers a function's body; the variables that are declared at the bytes of `memory` are memory whatever their values.
pub fn body<'s>(scope: &'s mut Scope, node: &Node<CStatement>, memory: &'s HashSet<usize>) -> Result<Body, Refused> {
    let mut nest = Nest {
        scope,
        statements: 0,
        sources: BTreeMap::new(),
        hosted: HashMap::new(),
        data: None,
        data_loops: vec![],
        tracked: vec![],
        candidates: vec![],
        lost: None,
        doubtful: vec![],
        memory_of: memory,
        is_sure: false,
    };
    match nest.function(node) {
        Ok((nodes, places)) => Ok(Body { nodes, places, sources: nest.sources }),
        Err(diagnostic) => {
            let is_lost = nest.lost.is_some();
            let lost = nest.lost.or_else(|| nest.unset(&diagnostic));
            let doubtful: Vec<usize> = nest.doubtful.iter().map(|(_, declared)| *declared).collect();
            let all = if doubtful.is_empty() { nest.candidates } else { doubtful };
            let memory = lost.map_or(all, |lost| vec![lost]);
            Err(Refused { diagnostic: Box::new(diagnostic), memory, is_lost })
        }
    }
}

/// Where a statement ends. The parser has looked for an `else` behind an `if` without one, and counts what it passed
/// over to the `if`: blanks, comments and directives.
fn end_of(statement: &Node<CStatement>) -> usize {
    match &statement.node {
        CStatement::If(inner) => end_of(inner.node.else_statement.as_ref().unwrap_or(&inner.node.then_statement)),
        CStatement::For(inner) => end_of(&inner.node.statement),
        _ => statement.span.end,
    }
}

/// Whether an item is `return;`.
pub fn is_return(item: &Node<BlockItem>) -> bool {
    matches!(&item.node, BlockItem::Statement(Node { node: CStatement::Return(None), .. }))
}

pub struct Nest<'s, 'a> {
    pub scope: &'s mut Scope<'a>,
    /// How many have been named.
    statements: usize,
    pub sources: BTreeMap<String, (String, Affine)>,
    /// Among the items that [`Hosted`] found, the host's variables with their types, as soon as they are declared.
    pub hosted: HashMap<String, CType>,
    /// The conditions on data around this place.
    data: Option<Data>,
    /// The loops around this place whose bounds are data.
    pub data_loops: Vec<Rc<DataLoop>>,
    /// Local variables whose values are known everywhere.
    pub tracked: Vec<Tracked>,
    /// The declarations of those so far, the one whose value was not known, and those that are memory.
    pub candidates: Vec<usize>,
    pub lost: Option<usize>,
    /// Those that had no known value in some loop, if something else is refused: their places among the local names, and their
    /// declarations.
    pub doubtful: Vec<(usize, usize)>,
    pub memory_of: &'s HashSet<usize>,
    /// Whether all of a `do` loop is in the one of several iterations: [`super::rounds`].
    pub is_sure: bool,
}

/// Where C executes statements only if data say so, which hardware executes always: there, what they assign keeps its
/// value unless `holds`.
#[derive(Clone)]
struct Data {
    /// 0 or 1.
    holds: Expr,
    /// Arrays from here on are declared under the condition. Nobody outside sees their values, so they are assigned
    /// whatever the data.
    own: ArrayId,
}

/// How far the nest was, to begin again from there.
#[derive(Clone)]
pub struct Saved<'a> {
    scope: Scope<'a>,
    statements: usize,
    sources: BTreeMap<String, (String, Affine)>,
    hosted: HashMap<String, CType>,
    data: Option<Data>,
    data_loops: Vec<Rc<DataLoop>>,
    tracked: Vec<Tracked>,
    candidates: Vec<usize>,
    lost: Option<usize>,
    doubtful: Vec<(usize, usize)>,
    is_sure: bool,
}

/// What a statement assigns: an element at subscripts that are known, or at `place`, where data tell them and those of
/// `access` say nothing.
struct Target {
    access: Access,
    place: Option<Gather>,
}

impl<'a> Nest<'_, 'a> {
    pub fn saved(&self) -> Saved<'a> {
        Saved {
            scope: self.scope.clone(),
            statements: self.statements,
            sources: self.sources.clone(),
            hosted: self.hosted.clone(),
            data: self.data.clone(),
            data_loops: self.data_loops.clone(),
            tracked: self.tracked.clone(),
            candidates: self.candidates.clone(),
            lost: self.lost,
            doubtful: self.doubtful.clone(),
            is_sure: self.is_sure,
        }
    }

    pub fn restore(&mut self, saved: Saved<'a>) {
        *self.scope = saved.scope;
        self.statements = saved.statements;
        self.sources = saved.sources;
        self.hosted = saved.hosted;
        self.data = saved.data;
        self.data_loops = saved.data_loops;
        self.tracked = saved.tracked;
        self.candidates = saved.candidates;
        self.lost = saved.lost;
        self.doubtful = saved.doubtful;
        self.is_sure = saved.is_sure;
    }
}

impl Nest<'_, '_> {
    pub fn span(&self, bytes: ByteSpan) -> Span {
        self.scope.span(bytes)
    }

    /// How many statements have been named so far.
    pub fn statements(&self) -> usize {
        self.statements
    }

    /// The declaration of the variable whose value some loop does not tell, where that is what is refused.
    fn unset(&self, refused: &Diagnostic) -> Option<usize> {
        let (place, _) = self.scope.unset.get().filter(|(_, span)| refused.span == Some(*span))?;
        self.doubtful.iter().rev().find(|(own, _)| *own == place).map(|(_, declared)| *declared)
    }

    /// The nodes of a function's body, and where each stands.
    fn function(&mut self, node: &Node<CStatement>) -> Checked<(Vec<NestNode>, Vec<Range<usize>>)> {
        let (mut nodes, mut places) = (vec![], vec![]);
        match &node.node {
            CStatement::Compound(items) => {
                // A `return` at the very end changes nothing.
                let items = match items.split_last() {
                    Some((last, rest)) if is_return(last) => rest,
                    _ => &items[..],
                };
                let hosted = Hosted::of(items, |name| matches!(self.scope.lookup(name), Some(Name::Array(_))));
                self.hosted = hosted.names.into_iter().map(|name| (name, CType::Void)).collect();
                for (i, item) in items.iter().enumerate() {
                    if i == hosted.items {
                        self.hosted.clear();
                    }
                    self.item(item, &items[i + 1..], &mut nodes)?;
                    let end = match &item.node {
                        BlockItem::Statement(statement) => end_of(statement),
                        _ => item.span.end,
                    };
                    places.resize(nodes.len(), item.span.start..end);
                }
            }
            _ => self.statement(node, &mut nodes)?,
        }
        places.resize(nodes.len(), node.span.start..node.span.end);
        Ok((nodes, places))
    }

    /// One item of a block; `rest` follows it there.
    fn item(&mut self, item: &Node<BlockItem>, rest: &[Node<BlockItem>], nodes: &mut Vec<NestNode>) -> Checked<()> {
        match &item.node {
            BlockItem::Declaration(declaration) => self.declaration(declaration, rest, nodes),
            BlockItem::StaticAssert(_) => Ok(()),
            BlockItem::Statement(statement) => self.statement(statement, nodes),
        }
    }

    pub fn statement(&mut self, node: &Node<CStatement>, nodes: &mut Vec<NestNode>) -> Checked<()> {
        // The construct's first word: what follows may be long.
        let first = self.span(ByteSpan::span(node.span.start, node.span.start + 1));
        let refuse = |what: &str, label: &str, help: &str| {
            Err(Diagnostic::new(format!("{what} not supported")).at(first, label).help(help))
        };
        match &node.node {
            CStatement::Compound(items) => {
                let mark = self.scope.enter();
                for (i, item) in items.iter().enumerate() {
                    self.item(item, &items[i + 1..], nodes)?;
                }
                self.leave(mark);
                Ok(())
            }
            CStatement::Expression(None) => Ok(()),
            CStatement::Expression(Some(expression)) => self.expression_statement(expression, node.span, nodes),
            CStatement::For(f) => self.for_loop(For { node: f, bytes: node.span, runs: Runs::While }, nodes),
            CStatement::If(branch) => self.branch(branch, node.span, nodes),
            CStatement::Switch(_) | CStatement::Labeled(_) if is_switch_part(&node.node) => {
                let help = "as blocks that its own labels begin, over a value that changes nothing, or with `if`s, \
                            they are taken";
                refuse("`switch` statements of this form are", "`switch`", help)
            }
            CStatement::Switch(_) | CStatement::Labeled(_) => {
                refuse("labels are", "label", "use `for` loops with affine bounds")
            }
            CStatement::While(w) if self.scope.behind => self.while_loop(w, node.span, nodes),
            CStatement::While(_) => {
                refuse("`while` loops are", "`while`", "write `for (int i = 0; i < N; i++)` with affine bounds")
            }
            CStatement::DoWhile(w) => {
                if let Some(f) = at_least_once(w) {
                    let before = self.known();
                    self.for_loop(For { node: f, bytes: node.span, runs: Runs::Again }, nodes)?;
                    let again = self.known();
                    self.set_known(&before);
                    self.for_loop(For { node: f, bytes: node.span, runs: Runs::Once }, nodes)?;
                    let once = self.known();
                    if again != once {
                        let condition = f.node.condition.as_deref().filter(|_| self.scope.behind);
                        let holds = condition.and_then(|own| self.scope.trial(|scope| scope.expression(own)).0.ok());
                        self.join(holds.map(truth).as_ref(), &again, &once);
                    }
                    return Ok(());
                }
                if self.scope.behind {
                    return self.do_loop(w, node.span, nodes);
                }
                refuse("`do` loops are", "`do`", "write `for (int i = 0; i < N; i++)` with affine bounds")
            }
            CStatement::Goto(_) => refuse(
                "a `goto` of this form is",
                "`goto`",
                "forward, to a label in a block around it, as in `goto done; … done: ;`, it is taken; backward, write a loop",
            ),
            CStatement::Continue => refuse("`continue` is", "`continue`", "put the rest of the body under an `if`"),
            CStatement::Break => refuse(
                "a `break` out of this loop is",
                "`break`",
                "the most iterations must be known when the loop begins: let it count, as in `for (i = 0; i < n; i++)`",
            ),
            CStatement::Return(_) => refuse(
                "a `return` out of this loop is",
                "`return`",
                "the most iterations must be known when the loop begins: let it count, as in `for (i = 0; i < n; i++)`",
            ),
            CStatement::Asm(_) => refuse("assembly is", "assembly", "write C"),
        }
    }

    fn branch(&mut self, branch: &Node<IfStatement>, bytes: ByteSpan, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let span = self.span(ByteSpan::span(bytes.start, bytes.start + 1));
        let IfStatement { condition, then_statement, else_statement } = &branch.node;
        let (known, data) = self.condition(condition)?;
        let Some(data) = data else {
            let before = self.known();
            self.arm(known.clone(), then_statement, span, nodes)?;
            let then = self.known();
            self.set_known(&before);
            if let Some(statement) = else_statement {
                self.arm(negated(known), statement, span, nodes)?;
            }
            let otherwise = self.known();
            if then != otherwise {
                self.set_known(&before);
                let condition = truth(self.scope.expression(condition)?);
                self.join(Some(&condition), &then, &otherwise);
            }
            return Ok(());
        };
        let data = match self.data_loops.iter().find(|data_loop| data_loop.is_limit(branch)) {
            Some(data_loop) => limited(data, data_loop.outside.as_ref(), self.data.as_ref().map(|data| &data.holds)),
            None => data,
        };
        let mut body = vec![];
        let place = self.scope.go_into(Some(known.clone()));
        self.branch_on_data(branch, data, bytes, &mut body)?;
        self.scope.come_out(place);
        nodes.extend(guarded(vec![known.clone()], body, span));
        match (else_statement, negated(known)) {
            (Some(statement), fails) if fails != Condition::Any(vec![]) => self.arm(fails, statement, span, nodes),
            _ => Ok(()),
        }
    }

    /// A side of a branch that iterators and sizes decide.
    fn arm(
        &mut self,
        condition: Condition,
        statement: &Node<CStatement>,
        span: Span,
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        let mut body = vec![];
        let mark = self.scope.enter();
        let place = self.scope.go_into(Some(condition.clone()));
        self.statement(statement, &mut body)?;
        self.scope.come_out(place);
        self.leave(mark);
        nodes.extend(guarded(vec![condition], body, span));
        Ok(())
    }

    /// A branch that data decide: all statements of both sides are executed, and `x = y` becomes `x = c ? y : x`. The
    /// condition is computed once, before them; one statement alone takes it in.
    fn branch_on_data(
        &mut self,
        branch: &Node<IfStatement>,
        condition: Expr,
        bytes: ByteSpan,
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        let IfStatement { condition: written, then_statement, else_statement } = &branch.node;
        let span = self.span(written.span);
        let outer = self.data.take();
        let condition = match &outer {
            Some(outer) => binary(BinaryOp::LogicalAnd, outer.holds.clone(), condition),
            None => condition,
        };
        let name = self.scope.fresh("condition");
        let array = self.memory(name, &CType::Bool, vec![], span);
        let target = Access { array, subscripts: vec![], guard: None, span };
        let holds = self.read(&target);
        let value = match is_truth(&condition) {
            true => convert_to(condition.clone(), &CType::of(holds.ty())),
            false => convert_to(condition.clone(), &CType::Bool),
        };
        let text = match bytes.start < written.span.end {
            true => match self.scope.map.text(ByteSpan::span(bytes.start, written.span.end)) {
                text if text.starts_with("if") || text.contains([';', '{']) => text,
                text => format!("if ({text})"),
            },
            // A loop's bounds stand in front of its body.
            false => self.scope.map.text(written.span),
        };
        let statement = self.finish(target, value, text, written.span)?;
        let mut body = vec![];
        let sides = [(Some(then_statement), true), (else_statement.as_ref(), false)];
        let before = self.known();
        let mut left = vec![];
        for (statement, then) in sides.into_iter().filter_map(|(side, then)| Some((side?, then))) {
            let holds = match (then, &outer) {
                (true, _) => holds.clone(),
                (false, None) => unary(UnaryOp::Not, holds.clone()),
                (false, Some(outer)) => {
                    let fails = unary(UnaryOp::Not, holds.clone());
                    binary(BinaryOp::LogicalAnd, outer.holds.clone(), fails)
                }
            };
            let mark = self.scope.enter();
            self.data = Some(Data { holds, own: self.scope.arrays.next_key() });
            self.statement(statement, &mut body)?;
            self.leave(mark);
            left.push(self.known());
            self.set_known(&before);
        }
        self.data = outer;
        let otherwise = left.get(1).unwrap_or(&before);
        self.require_same(&left[0], otherwise, span)?;
        self.set_known(&left[0]);
        if let (Some(only), None) = (only_statement(&mut body), else_statement)
            && self.scope.arrays.last_key() == Some(array)
        {
            put(&mut only.value, array, &condition);
            (only.name, only.text) = (statement.name, self.scope.map.text(bytes));
            only.span = self.span(bytes);
            self.scope.arrays.pop();
            self.statements -= 1;
        } else {
            nodes.push(NestNode::Statement(statement));
        }
        nodes.extend(body);
        Ok(())
    }

    /// The condition of an `if`: what iterators and sizes decide of it, and what else must hold, where there is more.
    fn condition(&mut self, node: &Node<Expression>) -> Checked<(Condition, Option<Expr>)> {
        let span = self.span(node.span);
        let expr = self.scope.expression(node)?;
        if let Some(condition) = self.decided(&expr, span) {
            return Ok((condition, None));
        }
        let (mut known, mut rest) = (vec![], None);
        for part in conjuncts(truth(expr)) {
            let around = all(known.clone());
            let place = self.scope.go_into(Some(around));
            let decided = self.decided(&part, span);
            self.scope.come_out(place);
            match (decided, rest.take()) {
                (Some(condition), others) => {
                    known.push(condition);
                    rest = others;
                }
                (None, None) => rest = Some(part),
                (None, Some(others)) => rest = Some(binary(BinaryOp::LogicalAnd, others, part)),
            }
        }
        Ok((all(known), rest))
    }

    /// The expression as a condition that iterators and sizes decide. Where they do not, nothing is left of the trial.
    fn decided(&mut self, expr: &Expr, span: Span) -> Option<Condition> {
        self.trial(|nest| nest.scope.condition_of(expr, span), Option::is_some)
    }

    /// What `act` gives; unless that `counts`, no obligation and no quotient of it is left.
    fn trial<T>(&mut self, act: impl FnOnce(&mut Self) -> T, counts: impl FnOnce(&T) -> bool) -> T {
        let (obligations, quotients) = (self.scope.obligations.len(), self.scope.quotients.len());
        let made = act(self);
        if !counts(&made) {
            self.scope.obligations.truncate(obligations);
            self.scope.quotients.truncate(quotients);
        }
        made
    }

    fn expression_statement(
        &mut self,
        node: &Node<Expression>,
        bytes: ByteSpan,
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        let span = self.span(node.span);
        let refuse = |message: &str, label: &str, help: &str| Err(Diagnostic::new(message).at(span, label).help(help));
        match &node.node {
            Expression::UnaryOperator(unary) => {
                let op = match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => BinaryOp::Add,
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => BinaryOp::Subtract,
                    _ => return self.unused(node),
                };
                let one = Expr::Constant { value: 1, ty: ScalarType::I32 };
                let operand = &*unary.node.operand;
                let stepped = self.assign_tracked(operand, |nest, ty| {
                    let left = nest.scope.expression(operand)?;
                    Ok(convert_to(nest.scope.checked_binary(op, left, one.clone(), operand)?, ty))
                });
                if let Some(done) = stepped {
                    return done;
                }
                let target = match self.destination(operand) {
                    Ok(target) => target,
                    Err(refused) => {
                        let again =
                            |nest: &mut Self, nodes: &mut Vec<NestNode>| nest.expression_statement(node, bytes, nodes);
                        return self.chosen_statement(refused, span, nodes, again);
                    }
                };
                let (left, ty) = (self.last_value(&target), self.element(&target.access));
                let value = convert_to(self.scope.checked_binary(op, left, one, operand)?, &ty);
                nodes.push(NestNode::Statement(self.finish_at(target, value, self.scope.map.text(bytes), bytes)?));
                Ok(())
            }
            Expression::BinaryOperator(_) => {
                let assignments = assignments(node);
                if assignments.is_empty() {
                    return self.unused(node);
                }
                assignments.into_iter().try_for_each(|(lhs, op, rhs)| self.assign(lhs, op, rhs, bytes, nodes))
            }
            Expression::Comma(_) => {
                refuse("the comma operator is not supported", "`,`", "write one statement for each part")
            }
            Expression::Cast(cast) if is_void(&cast.node.type_name.node) => {
                self.expression_statement(&cast.node.expression, bytes, nodes)
            }
            _ => self.unused(node),
        }
    }

    /// An expression whose value nobody takes: where it has one, nothing is done.
    fn unused(&mut self, node: &Node<Expression>) -> Checked<()> {
        self.trial(|nest| nest.scope.expression(node), |_| false).map(|_| ())
    }

    /// `lhs = rhs`, or `lhs op= rhs`.
    fn assign(
        &mut self,
        lhs: &Node<Expression>,
        op: Option<BinaryOp>,
        rhs: &Node<Expression>,
        bytes: ByteSpan,
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        if let Expression::Identifier(name) = &lhs.node
            && let Some(ty) = self.hosted.get(&name.node.name).cloned()
            && let Some(place) = self.scope.local_index(&name.node.name)
        {
            let name = &name.node.name;
            let value = match op {
                None => self.host_value(name, rhs, &ty)?,
                Some(op) => {
                    let left = self.scope.expression(lhs)?;
                    let value = self.updated(op, left, rhs, &ty)?;
                    self.scope.host_variable(name, value, self.span(lhs.span))
                }
            };
            self.scope.assign_local(place, Name::Value(value));
            return Ok(());
        }
        let tracked = self.assign_tracked(lhs, |nest, ty| match op {
            None => nest.scope.converted(rhs, ty),
            Some(op) => {
                let left = nest.scope.expression(lhs)?;
                nest.updated(op, left, rhs, ty)
            }
        });
        if let Some(done) = tracked {
            return done;
        }
        let target = match self.destination(lhs) {
            Ok(target) => target,
            Err(refused) => {
                let again = |nest: &mut Self, nodes: &mut Vec<NestNode>| nest.assign(lhs, op, rhs, bytes, nodes);
                return self.chosen_statement(refused, self.span(bytes), nodes, again);
            }
        };
        let ty = self.element(&target.access);
        let value = match op {
            None => self.scope.converted(rhs, &ty)?,
            Some(op) => self.updated(op, self.last_value(&target), rhs, &ty)?,
        };
        nodes.push(NestNode::Statement(self.finish_at(target, value, self.scope.map.text(bytes), bytes)?));
        Ok(())
    }

    /// What `again` makes of C text that was `refused`, for both sides of the choice that it was refused for.
    pub fn chosen_statement(
        &mut self,
        refused: Diagnostic,
        span: Span,
        nodes: &mut Vec<NestNode>,
        again: impl Fn(&mut Self, &mut Vec<NestNode>) -> Checked<()>,
    ) -> Checked<()> {
        let Some((choice, condition)) = self.scope.take_choice(span) else { return Err(refused) };
        let known = self.known();
        let mut left = vec![];
        for (holds, condition) in [(true, condition.clone()), (false, negated(condition))] {
            let mut body = vec![];
            let place = self.scope.go_into(Some(condition.clone()));
            self.scope.chosen.push((choice.clone(), holds));
            again(self, &mut body)?;
            self.scope.chosen.pop();
            self.scope.come_out(place);
            nodes.extend(guarded(vec![condition], body, span));
            left.push(self.known());
            self.set_known(&known);
        }
        self.join(Some(&choice), &left[0], &left[1]);
        Ok(())
    }

    /// `left op right` as a value of type `ty`: a compound assignment.
    fn updated(&mut self, op: BinaryOp, left: Expr, right: &Node<Expression>, ty: &CType) -> Checked<Expr> {
        if ty.integer().is_some()
            && self.scope.is_double(right)
            // Integers compute the same where all values are whole.
            && let Ok(value) = self.scope.truncated_binary(op, left.clone(), right, ty)
        {
            return Ok(value);
        }
        let value = self.scope.expression(right)?;
        Ok(convert_to(self.scope.checked_binary(op, left, value, right)?, ty))
    }

    /// The type of an array's elements as declared.
    pub fn element(&self, access: &Access) -> CType {
        match self.scope.arrays[access.array].boolean {
            true => CType::Bool,
            false => CType::of(self.scope.arrays[access.array].element),
        }
    }

    fn read(&self, access: &Access) -> Expr {
        Expr::Read { access: access.clone(), ty: self.scope.arrays[access.array].element }
    }

    /// What a statement's target was before it.
    fn last_value(&self, target: &Target) -> Expr {
        match &target.place {
            None => self.read(&target.access),
            Some(place) => Expr::Gather { gather: place.clone(), ty: self.scope.arrays[target.access.array].element },
        }
    }

    /// The next statement of the kernel, which assigns a variable or an element at subscripts that are known.
    pub fn finish(&mut self, target: Access, value: Expr, text: String, bytes: ByteSpan) -> Checked<Statement> {
        self.finish_at(Target { access: target, place: None }, value, text, bytes)
    }

    /// The next statement of the kernel.
    fn finish_at(&mut self, target: Target, value: Expr, text: String, bytes: ByteSpan) -> Checked<Statement> {
        let span = self.span(bytes);
        let Target { access: target, place } = target;
        let value = balanced(value, &target);
        let value = match place {
            None => self.if_data_hold(&target, value),
            Some(place) => {
                let only_if = self.data.as_ref().map(|data| Box::new(data.holds.clone()));
                Expr::Scatter { place, only_if, value: Box::new(value) }
            }
        };
        if deeper_than(&value, DEEPEST) {
            return Err(Diagnostic::new(format!("the expression nests more than {DEEPEST} operators deep"))
                .at(span, "too deep")
                .help("split the statement"));
        }
        let name = format!("S{}", self.statements);
        self.statements += 1;
        Ok(Statement { name, target, value, also: vec![], text, span })
    }

    /// What a statement leaves in its target.
    fn if_data_hold(&self, target: &Access, value: Expr) -> Expr {
        let Some(Data { holds, own }) = &self.data else { return value };
        let ty = value.ty();
        let otherwise = match target.array < *own {
            true => self.read(target),
            // The host's processor stops at a division by 0 that C does not execute, and a subscript that C does not look at
            // may be in no array.
            false if may_trap(&value) || !value.gathers().is_empty() => Expr::Constant { value: 0, ty },
            false => return value,
        };
        let (condition, then) = (Box::new(holds.clone()), Box::new(value));
        Expr::Select { condition, then, otherwise: Box::new(otherwise), ty }
    }

    /// What a statement assigns.
    fn destination(&mut self, node: &Node<Expression>) -> Checked<Target> {
        let refused = match self.target(node) {
            Ok(access) => return Ok(Target { access, place: None }),
            Err(refused) => refused,
        };
        let span = self.span(node.span);
        let choice = self.scope.choice.take();
        if choice.as_ref().is_none_or(|choice| self.decided(choice, span).is_none())
            && let Some(Ok(Expr::Gather { gather: place, .. })) = self.scope.gather(node)
        {
            let subscripts = vec![Affine::default(); place.subscripts.len()];
            let access = Access { array: place.array, subscripts, guard: None, span: place.span };
            return Ok(Target { access, place: Some(place) });
        }
        self.scope.choice = choice;
        Err(refused)
    }

    /// The array element that a statement assigns.
    fn target(&mut self, node: &Node<Expression>) -> Checked<Access> {
        match &node.node {
            Expression::Identifier(name) if self.scope.local_scalar(&name.node.name).is_some() => {
                let array = self.scope.local_scalar(&name.node.name).unwrap_or_default();
                Ok(Access { array, subscripts: vec![], guard: None, span: self.span(node.span) })
            }
            Expression::Identifier(name) => Err(self.assigned(&name.node.name, self.span(node.span))),
            Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Index => self.scope.access(node),
            Expression::UnaryOperator(_) => Err(Diagnostic::new("a statement assigns through a pointer")
                .at(self.span(node.span), "not an array element")
                .help("use the names of arrays: `a[i]`, or `*(a + i)`")),
            _ => Err(Diagnostic::new("a statement assigns something that is no array element")
                .at(self.span(node.span), "not an array element")
                .help("assign elements of the argument arrays")),
        }
    }

    pub fn assigned(&self, name: &str, span: Span) -> Diagnostic {
        let (what, help) = match self.scope.lookup(name) {
            Some(Name::Iterator(..)) => ("the iterator", "only the loop's head may change it"),
            Some(Name::Parameter(_) | Name::Scalar(..)) => {
                ("the argument", "arguments keep their values; copy it into a local variable")
            }
            Some(Name::Array(_)) => ("the array", "assign its elements"),
            Some(Name::Table(_)) => ("the constant array", "constants keep their values"),
            Some(Name::Counter(_)) => ("the loop counter", "only the heads of loops may change it"),
            Some(Name::Value(_) | Name::Unset | Name::Unknown) | None => {
                ("the variable", "assign local variables and elements of arrays")
            }
        };
        Diagnostic::new(format!("a statement assigns {what} `{name}`")).at(span, "assigned here").help(help)
    }
}

/// The statement that `nodes` are, under conditions at most.
fn only_statement(nodes: &mut [NestNode]) -> Option<&mut Statement> {
    match nodes {
        [NestNode::Statement(statement)] => Some(statement),
        [NestNode::If(inner)] => only_statement(&mut inner.body),
        _ => None,
    }
}

/// Puts the local scalar's value in place of its reads.
fn put(expr: &mut Expr, array: ArrayId, value: &Expr) {
    match expr {
        Expr::Read { access, .. } if access.array == array => *expr = value.clone(),
        _ => expr.operands_mut().into_iter().for_each(|operand| put(operand, array, value)),
    }
}

/// The parts of `x && y && z`, from the left.
fn conjuncts(expr: Expr) -> Vec<Expr> {
    match expr {
        Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } => {
            let mut parts = conjuncts(*left);
            parts.extend(conjuncts(*right));
            parts
        }
        other => vec![other],
    }
}

fn is_switch_part(statement: &CStatement) -> bool {
    match statement {
        CStatement::Labeled(labeled) => !matches!(labeled.node.label.node, lang_c::ast::Label::Identifier(_)),
        _ => true,
    }
}

/// What an expression itself assigns to, counts with, or takes the address of.
pub fn target_of(expression: &Expression) -> Option<&Node<Expression>> {
    match expression {
        Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => Some(&o.node.lhs),
        Expression::UnaryOperator(unary)
            if counts(&unary.node.operator.node) || unary.node.operator.node == UnaryOperator::Address =>
        {
            Some(&unary.node.operand)
        }
        _ => None,
    }
}

/// Whether an operator changes its operand by 1.
pub fn counts(operator: &UnaryOperator) -> bool {
    matches!(
        operator,
        UnaryOperator::PostIncrement
            | UnaryOperator::PostDecrement
            | UnaryOperator::PreIncrement
            | UnaryOperator::PreDecrement
    )
}

/// What an assignment operator computes before it assigns; `Some(None)` for `=`, `None` for other operators.
pub fn assignment(operator: &BinaryOperator) -> Option<Option<BinaryOp>> {
    Some(match operator {
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
        _ => return None,
    })
}

/// The assignments of `x = y = value`, the last first: a variable, its operator, and the value or the next variable.
fn assignments(node: &Node<Expression>) -> Vec<(&Node<Expression>, Option<BinaryOp>, &Node<Expression>)> {
    let mut found: Vec<(&Node<Expression>, Option<BinaryOp>, &Node<Expression>)> = vec![];
    let mut node = node;
    while let Some((operator, o)) = operation(node)
        && let Some(op) = assignment(&operator)
    {
        if let Some(outer) = found.last_mut() {
            outer.2 = &o.lhs;
        }
        found.push((&o.lhs, op, &o.rhs));
        node = &o.rhs;
    }
    found.reverse();
    found
}

pub fn operation(node: &Node<Expression>) -> Option<(BinaryOperator, &BinaryOperatorExpression)> {
    match &node.node {
        Expression::BinaryOperator(operation) => Some((operation.node.operator.node.clone(), &operation.node)),
        _ => None,
    }
}

pub fn is_name(node: &Node<Expression>, name: &str) -> bool {
    matches!(&node.node, Expression::Identifier(identifier) if identifier.node.name == name)
}

fn deeper_than(expr: &Expr, depth: usize) -> bool {
    depth == 0 || expr.operands().into_iter().any(|operand| deeper_than(operand, depth - 1))
}
