//! Loops whose bounds are data: `for (j = ptr[i]; j < ptr[i + 1]; j++)`. Such a loop runs over every value that its iterator may
//! have there, and what is in it is under `ptr[i] <= j && j < ptr[i + 1]`. Which values those are say the extents of the arrays
//! that the loop reads or writes at `j` whenever it runs, as beyond them C leaves everything undefined, elsewhere the extents of
//! arrays at `j - 1` and other sums, and `range` of what the bounds are made of. Bounds that leave them are told by [`UnaryOp::OutOfRange`].

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, ConditionalExpression, Expression, ForInitializer,
    ForStatement, IfStatement, Initializer, SizeOfVal, Statement as CStatement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{Visit, visit_binary_operator_expression, visit_expression};

use super::canonical::names_in;
use super::counters::named;
use super::expression::{common, convert, unary};
use super::kernel::{BinaryOp, Expr, Node as NestNode, ScalarType, Storage, UnaryOp};
use super::known::changed;
use super::left::{comparison_of, offset_of};
use super::loops::{For, Runs};
use super::nest::{Nest, is_name, operation};
use super::plain::{binary, number, subscripted, whole};
use super::scope::{Checked, Name};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::ArrayId;

/// What an iterator stays below: all of these, each with its text.
type Ends = Vec<(Node<Expression>, String)>;

/// The most values of an iterator that `range` may give a loop.
const MOST: i64 = 1 << 20;

/// A loop over all values that its iterator may have.
pub struct DataLoop {
    node: Node<ForStatement>,
    /// That there are iterations, and that the bounds leave those values; `None` where they cannot.
    pub outside: Option<[Expr; 2]>,
    /// What the bounds are made of.
    arrays: Vec<ArrayId>,
}

impl DataLoop {
    /// Whether `branch` is the condition that the bounds became.
    pub fn is_limit(&self, branch: &Node<IfStatement>) -> bool {
        matches!(&self.node.node.statement.node, CStatement::If(own) if std::ptr::eq(own, branch))
    }
}

/// Which way a loop counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
}

impl Way {
    /// Whether a loop of this way ends where a counter on the left no longer is so.
    fn ends_by(self, operator: &BinaryOperator) -> bool {
        match self {
            Way::Up => matches!(operator, BinaryOperator::Less | BinaryOperator::LessOrEqual),
            Way::Down => matches!(operator, BinaryOperator::Greater | BinaryOperator::GreaterOrEqual),
        }
    }
}

/// Where a loop ends: `j < U` or `j <= U` of one that counts up, `j > U` or `j >= U` of one that counts down.
struct End<'f> {
    operator: BinaryOperator,
    bound: &'f Node<Expression>,
    value: Expr,
}

impl End<'_> {
    fn holds(&self, at: Expr) -> Expr {
        compare(at, &self.operator, self.value.clone())
    }

    fn is_strict(&self) -> bool {
        matches!(self.operator, BinaryOperator::Less | BinaryOperator::Greater)
    }

    fn written(&self, iterator: &Node<Expression>) -> Node<Expression> {
        let bound = self.bound.clone();
        let span = bound.span;
        binary(self.operator.clone(), iterator.clone(), bound, span)
    }
}

/// A comparison by order.
fn compare(left: Expr, operator: &BinaryOperator, right: Expr) -> Expr {
    let (left, operator, right) = match operator {
        BinaryOperator::Greater => (right, BinaryOp::Less, left),
        BinaryOperator::GreaterOrEqual => (right, BinaryOp::LessEqual, left),
        BinaryOperator::Less => (left, BinaryOp::Less, right),
        _ => (left, BinaryOp::LessEqual, right),
    };
    let ty = common(left.ty(), right.ty());
    super::expression::binary(operator, convert(left, ty), convert(right, ty))
}

fn all(parts: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    parts.into_iter().reduce(|a, b| super::expression::binary(BinaryOp::LogicalAnd, a, b))
}

fn any(parts: impl IntoIterator<Item = Expr>) -> Option<Expr> {
    parts.into_iter().reduce(|a, b| super::expression::binary(BinaryOp::LogicalOr, a, b))
}

fn is_data(value: &Expr) -> bool {
    !value.reads().is_empty() || !value.gathers().is_empty()
}

impl Nest<'_, '_> {
    /// A loop that counts by 1 between bounds of which data decide one at least, or by more from a start that they do not decide.
    pub fn data_loop(&mut self, written: For) -> Checked<Option<DataLoop>> {
        let f = &written.node.node;
        let Some((name, first)) = begins(f) else { return Ok(None) };
        let (Some(condition), Runs::While) = (&f.condition, written.runs) else { return Ok(None) };
        let Ok(step) = self.step(f, name, self.span(written.head())) else { return Ok(None) };
        let way = if step > 0 { Way::Up } else { Way::Down };
        let mut ends = vec![];
        let Some(iterator) = self.ends(condition, name, way, &mut ends) else { return Ok(None) };
        let (Ok(start), _) = self.scope.trial(|scope| scope.expression(first)) else { return Ok(None) };
        let Some(ty) = self.initializer(f, written.bytes).ok().map(|starts| starts[0].ty) else { return Ok(None) };
        let (begins_at_data, limits) = (is_data(&start), self.holds_within(&start));
        let keeps = ty.limits().0 <= limits.0 && limits.1 <= ty.limits().1 || ty.bits == start.ty().bits;
        let (is_number, start) = (!start.ty().floating && keeps, convert(start, ty));
        if !is_number || !(begins_at_data || ends.iter().any(|end| is_data(&end.value))) {
            return Ok(None);
        }
        if begins_at_data && step.abs() != 1 {
            return Ok(None);
        }
        let (least, most) = self.values(f, (name, first), way, &start, &ends)?;
        // A counter without a sign that reached 0 and went on would come round.
        let least = if way == Way::Down && !ty.signed { least.max(1) } else { least };
        let span = condition.span;
        let at_most = |most: &Node<Expression>| binary(BinaryOperator::Less, iterator.clone(), most.clone(), span);
        let (from, to, others) = match way {
            Way::Up => (Some(whole(least, span)), most.iter().map(at_most).collect(), vec![]),
            // The start is one of several ends; the others hold in the body.
            Way::Down => {
                let last =
                    |most: &Node<Expression>| binary(BinaryOperator::Minus, most.clone(), number("1", span), span);
                let at_least = binary(BinaryOperator::GreaterOrEqual, iterator.clone(), whole(least, span), span);
                (most.first().map(last), vec![at_least], most.iter().skip(1).map(at_most).collect())
            }
        };
        if begins_at_data && from.is_none() {
            return Ok(None);
        }
        let known = ends.iter().filter(|end| !is_data(&end.value)).map(|end| end.written(&iterator));
        let head = to.into_iter().chain(known);
        let at_first = if way == Way::Up { BinaryOperator::LessOrEqual } else { BinaryOperator::GreaterOrEqual };
        let begun = binary(at_first, first.clone(), iterator.clone(), first.span);
        let limits = ends.iter().filter(|end| is_data(&end.value)).map(|end| end.written(&iterator));
        let begun = begins_at_data.then(|| others.into_iter().chain([begun]));
        let limits = begun.into_iter().flatten().chain(limits);
        let both = |a, b| binary(BinaryOperator::LogicalAnd, a, b, span);
        let (Some(head), Some(limit)) = (head.reduce(both), limits.reduce(both)) else { return Ok(None) };

        let arrays = std::iter::once(&start).chain(ends.iter().map(|end| &end.value)).flat_map(Expr::arrays).collect();
        let outside = self.outside((way, step), begins_at_data, &start, &ends, (least, &most))?;
        let mut node = written.node.clone();
        set_start(&mut node.node, from.filter(|_| begins_at_data).unwrap_or(first.clone()));
        node.node.condition = Some(Box::new(head));
        let body = std::mem::replace(&mut node.node.statement, Box::new(Node::new(CStatement::Expression(None), span)));
        let place = body.span;
        let limited = IfStatement { condition: Box::new(limit), then_statement: body, else_statement: None };
        node.node.statement = Box::new(Node::new(CStatement::If(Node::new(limited, place)), place));
        Ok(Some(DataLoop { node, outside, arrays }))
    }

    /// That there are iterations, and that the first is not among the values from `least` to below `most`, or the last is not; `None`
    /// where they always are.
    fn outside(
        &mut self,
        (way, step): (Way, i64),
        begins_at_data: bool,
        start: &Expr,
        ends: &[End],
        (least, most): (i64, &[Node<Expression>]),
    ) -> Checked<Option<[Expr; 2]>> {
        let mut bounds = vec![];
        for most in most {
            bounds.push(self.scope.expression(most)?);
        }
        let of_start = |operator: BinaryOperator, value: Expr| compare(start.clone(), &operator, value);
        let may_be_less = start.ty().limits().0 < least;
        let (mut begins, behind): (Vec<Expr>, Vec<Expr>) = match way {
            Way::Up => {
                let beyond = |most: Expr| {
                    let more = Expr::Constant { value: step - 1, ty: most.ty() };
                    let most = if step == 1 { most } else { super::expression::binary(BinaryOp::Add, most, more) };
                    all(ends.iter().map(|end| end.holds(most.clone())))
                };
                let below = may_be_less.then(|| of_start(BinaryOperator::Less, constant(least)));
                (below.into_iter().collect(), bounds.into_iter().filter_map(beyond).collect())
            }
            Way::Down => {
                let begins = bounds.into_iter().map(|most| of_start(BinaryOperator::GreaterOrEqual, most)).collect();
                (begins, goes_on_at(least + step, ends).into_iter().collect())
            }
        };
        begins.retain(|_| begins_at_data);
        let runs = all(ends.iter().map(|end| end.holds(start.clone())));
        Ok(runs.zip(any(begins.into_iter().chain(behind))).map(|(runs, leaves)| [runs, leaves]))
    }

    /// Lowers such a loop.
    pub fn loop_over_all(&mut self, written: For, data: DataLoop, nodes: &mut Vec<NestNode>) -> Checked<()> {
        let from = nodes.len();
        self.data_loops.push(std::rc::Rc::new(data));
        let data = self.data_loops.last().expect("pushed").clone();
        let result = self.for_loop(For { node: &data.node, ..written }, nodes);
        self.data_loops.pop();
        result?;
        // Data tell where the counter is behind the loop.
        if let ForInitializer::Expression(_) = written.node.node.initializer.node
            && let Some((name, _)) = begins(&written.node.node)
        {
            self.forget(name);
        }
        let span = self.span(written.head());
        match nodes[from..].iter().find_map(|node| writer(node, &data.arrays)) {
            None => Ok(()),
            Some((array, line)) => {
                let name = &self.scope.arrays[array].name;
                Err(Diagnostic::new(format!(
                    "this loop's bounds depend on `{name}`, which line {line} changes inside of it"
                ))
                .at(span, "bounds from data")
                .help("such bounds keep their values while the loop runs: write to another array"))
            }
        }
    }

    /// The comparisons that the condition is made of, and the iterator as it is written there.
    fn ends<'f>(
        &mut self,
        node: &'f Node<Expression>,
        name: &str,
        way: Way,
        found: &mut Vec<End<'f>>,
    ) -> Option<Node<Expression>> {
        let (operator, o) = operation(node)?;
        if operator == BinaryOperator::LogicalAnd {
            self.ends(&o.lhs, name, way, found)?;
            return self.ends(&o.rhs, name, way, found);
        }
        let (operator, iterator, bound) = comparison_of(node, name)?;
        let is_apart = !names_in(bound).iter().any(|other| other == name);
        let (Ok(value), _) = self.scope.trial(|scope| scope.expression(bound)) else { return None };
        let is_end = is_apart && way.ends_by(&operator) && !value.ty().floating;
        is_end.then(|| found.push(End { operator, bound, value }))?;
        Some(iterator.clone())
    }

    /// The smallest value that the iterator may have, and what it stays below.
    fn values(
        &mut self,
        f: &ForStatement,
        (name, first): (&str, &Node<Expression>),
        way: Way,
        start: &Expr,
        ends: &[End],
    ) -> Checked<(i64, Vec<Node<Expression>>)> {
        let span = f.condition.as_ref().map_or(first.span, |condition| condition.span);
        let mut places = Places { name, found: vec![], loops: vec![] };
        places.statement(&f.statement);
        let moved = changed(&f.statement);
        while let Some(inner) = places.loops.pop() {
            if self.surely_runs(inner, &moved) {
                places.statement(&inner.statement);
            }
        }
        let as_nodes = |most: Ends| most.into_iter().map(|(node, _)| node).collect();
        let extents = self.by_extents(&places, span);
        if let Some((least, most)) = extents.clone()
            && places.found.iter().any(|(_, _, offset)| *offset == 0)
        {
            return Ok((least, as_nodes(most)));
        }
        let at_end = |end: &End| {
            let ((low, high), more) = (self.holds_within(&end.value), i64::from(!end.is_strict()));
            if way == Way::Up { high.saturating_add(more) } else { low.saturating_add(1 - more) }
        };
        let at_ends = ends.iter().map(at_end);
        let begins = is_data(start).then(|| self.holds_within(start));
        let (least, most) = match way {
            Way::Up => (begins.map_or(0, |(low, _)| low), at_ends.min().unwrap_or(i64::MAX)),
            Way::Down => {
                let least = at_ends.max().unwrap_or(i64::MIN);
                (least, begins.map_or(least, |(_, high)| high.saturating_add(1)))
            }
        };
        // What types leave below 0 is seldom meant.
        let lows: Vec<&Expr> = match way {
            Way::Up => vec![start],
            Way::Down => ends.iter().map(|end| &end.value).collect(),
        };
        let mut ranges = lows.into_iter().flat_map(Expr::arrays).map(|array| self.scope.arrays[array].range);
        let is_meant = least >= 0 || least >= -MOST && ranges.all(|range| range.is_some());
        let is_short = is_meant && most.saturating_sub(least) <= MOST && most >= least;
        if let Some((first, mut ends)) = extents {
            let first = if start.ty().signed { first } else { first.max(0) };
            let first = if is_meant { first.max(least) } else { first };
            ends.extend(is_short.then(|| (whole(most, span), most.to_string())));
            return Ok((first, as_nodes(ends)));
        }
        if is_short {
            return Ok((least, vec![whole(most, span)]));
        }
        let is_known = |end: &End| !is_data(&end.value);
        if is_meant && if way == Way::Up { ends.iter().any(is_known) } else { !is_data(start) } {
            return Ok((least, vec![]));
        }
        let of = std::iter::once(start).chain(ends.iter().map(|end| &end.value));
        let made_of = of.flat_map(Expr::reads).map(|access| &self.scope.arrays[access.array]).next();
        let is_local = made_of.is_some_and(|array| matches!(array.storage, Storage::Local { .. }));
        let made_of = made_of.map_or("ptr", |array| &array.name);
        let stated = match is_local {
            true => format!("end the loop at a number, too, `{name} < {made_of} && {name} < 64`"),
            false => format!("say what values they have, `#pragma burstc range({made_of}: 0..4096)`"),
        };
        let end = ends.iter().find(|end| is_data(&end.value)).filter(|_| !is_data(start));
        let data = end.map_or(first.span, |end| end.bound.span);
        Err(Diagnostic::new(format!("the bounds of the loop over `{name}` are data, and nothing says how far it runs"))
            .at(self.span(data), "known only when the data are")
            .help(format!(
                "{stated}, or use `{name}` itself as a \
                 subscript whenever the loop runs, as in `val[{name}]`: an array's extent is a bound"
            )))
    }

    /// Whether a loop has an iteration, whatever sizes and data are; these variables are not what they are here.
    fn surely_runs(&mut self, f: &ForStatement, moved: &[String]) -> bool {
        let Some((name, first)) = begins(f) else { return false };
        let Some((operator, o)) = f.condition.as_deref().and_then(operation) else { return false };
        let mut named = [names_in(first), names_in(&o.rhs)].concat().into_iter();
        if !is_name(&o.lhs, name) || named.any(|own| own == name || moved.contains(&own)) {
            return false;
        }
        let mut of = |node: &Node<Expression>| {
            let (value, _) = self.scope.trial(|scope| scope.expression(node));
            value.ok().filter(|value| !value.ty().floating).map(|value| self.holds_within(&value))
        };
        let (Some(first), Some(end)) = (of(first), of(&o.rhs)) else { return false };
        // In any of C's types the comparison is that of the numbers.
        first.0 >= 0
            && end.0 >= 0
            && match operator {
                BinaryOperator::Less => first.1 < end.0,
                BinaryOperator::LessOrEqual => first.1 <= end.0,
                BinaryOperator::Greater => first.0 > end.1,
                BinaryOperator::GreaterOrEqual => first.0 >= end.1,
                _ => false,
            }
    }

    /// The smallest value of an iterator and what it stays below, also as text, by the extents of the arrays that it is a subscript of,
    /// with what is added to it.
    fn by_extents(&self, places: &Places, span: ByteSpan) -> Option<(i64, Ends)> {
        let (mut most, mut least) = (vec![], vec![]);
        for (array, subscript, offset) in &places.found {
            let Some(Name::Array(array)) = self.scope.lookup(array) else { continue };
            let extent = self.scope.arrays[array].extents.get(*subscript).cloned();
            let end = extent.and_then(|extent| self.written_out(&(extent - Affine::constant(*offset)), span));
            least.extend(end.is_some().then_some(-offset));
            most.extend(end.filter(|(_, text)| !most.iter().any(|(_, other)| other == text)));
        }
        Some((least.into_iter().max()?, most))
    }

    /// An extent as C text, as far as sizes and constants have names here.
    fn written_out(&self, extent: &Affine, span: ByteSpan) -> Option<(Node<Expression>, String)> {
        let mut sum = (extent.constant != 0 || extent.terms.is_empty()).then(|| whole(extent.constant, span));
        for (name, coefficient) in &extent.terms {
            if !matches!(self.scope.lookup(name), Some(Name::Parameter(_))) || *coefficient < 0 {
                return None;
            }
            let mut term = named(name, span);
            if *coefficient != 1 {
                term = binary(BinaryOperator::Multiply, number(&coefficient.to_string(), span), term, span);
            }
            sum = Some(match sum {
                Some(sum) => binary(BinaryOperator::Plus, term, sum, span),
                None => term,
            });
        }
        sum.map(|sum| (sum, extent.to_string()))
    }

    /// A closed interval that holds an integer, by what `range` says of arrays and by the types.
    pub fn holds_within(&self, value: &Expr) -> (i64, i64) {
        let own = value.ty().limits();
        let within = |(low, high): (i64, i64)| (own.0 <= low && high <= own.1).then_some((low, high));
        let found = match value {
            Expr::Read { access, .. } => self.scope.arrays[access.array].range,
            Expr::Gather { gather, .. } => self.scope.arrays[gather.array].range,
            Expr::Constant { value, .. } => Some((*value, *value)),
            Expr::Cast { operand, .. } if !operand.ty().floating => Some(self.holds_within(operand)),
            Expr::Binary { op: op @ (BinaryOp::Add | BinaryOp::Subtract), left, right, .. } => {
                let (a, b) = (self.holds_within(left), self.holds_within(right));
                match op {
                    BinaryOp::Add => a.0.checked_add(b.0).zip(a.1.checked_add(b.1)),
                    _ => a.0.checked_sub(b.1).zip(a.1.checked_sub(b.0)),
                }
            }
            Expr::Index { value, .. } => Some(value.range(|name| self.scope.shown_range(name))),
            Expr::Select { then, otherwise, .. } => {
                let (a, b) = (self.holds_within(then), self.holds_within(otherwise));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Expr::Binary {
                op: op @ (BinaryOp::Remainder | BinaryOp::Divide | BinaryOp::ShiftRight),
                left,
                right,
                ..
            } => {
                let (low, high) = self.holds_within(left);
                // The limits of the widest type leave out the upper half of its values.
                let is_whole = left.ty().signed || left.ty().bits < 64 || *op == BinaryOp::Remainder;
                constant_of(right).filter(|_| is_whole).filter(|by| (1..1 << 31).contains(by)).and_then(|by| match op {
                    BinaryOp::Remainder => Some((if low >= 0 { 0 } else { 1 - by }, by - 1)),
                    BinaryOp::Divide => Some((low / by, high / by)),
                    BinaryOp::ShiftRight if by < 63 => Some((low >> by, high >> by)),
                    _ => None,
                })
            }
            Expr::Binary { op: BinaryOp::And, left, right, .. } => {
                let masks = [left, right].into_iter().map(|side| self.holds_within(side));
                masks.filter(|(low, _)| *low >= 0).map(|(_, high)| (0, high)).min()
            }
            _ => None,
        };
        found.and_then(within).unwrap_or(own)
    }
}

/// That a loop that counts down goes on at `value`; `None` if it cannot, as an end has no sign.
fn goes_on_at(value: i64, ends: &[End]) -> Option<Expr> {
    // `value > E` is `E <= value - 1`, `value >= E` is `E <= value`.
    let holds = |end: &End| {
        let last = value - i64::from(end.is_strict());
        let may_be = end.value.ty().limits().0 <= last;
        may_be.then(|| compare(end.value.clone(), &BinaryOperator::LessOrEqual, constant(last)))
    };
    all(ends.iter().map(holds).collect::<Option<Vec<Expr>>>()?)
}

fn constant_of(value: &Expr) -> Option<i64> {
    match value {
        Expr::Constant { value, ty } if !ty.floating => Some(*value),
        _ => None,
    }
}

/// A number as C has it.
fn constant(value: i64) -> Expr {
    let ty = if i32::try_from(value).is_ok() { ScalarType::I32 } else { ScalarType::integer(64, true) };
    Expr::Constant { value, ty }
}

/// `!outside && limit`, where the bounds may leave what is known of them, under the conditions `around`.
pub fn limited(limit: Expr, outside: Option<&[Expr; 2]>, around: Option<&Expr>) -> Expr {
    let Some([runs, leaves]) = outside.cloned() else { return limit };
    let runs = around.cloned().into_iter().chain([runs]);
    let Some(outside) = all(runs.chain([leaves])) else { return limit };
    let told = Expr::Unary { op: UnaryOp::OutOfRange, ty: outside.ty(), operand: Box::new(outside) };
    super::expression::binary(BinaryOp::LogicalAnd, unary(UnaryOp::Not, told), limit)
}

/// The only iterator that a loop's head sets, and its first value.
pub fn begins(f: &ForStatement) -> Option<(&str, &Node<Expression>)> {
    match &f.initializer.node {
        ForInitializer::Declaration(declaration) => match &declaration.node.declarators[..] {
            [only] => {
                let name = super::function::identifier(&only.node.declarator.node)?;
                match &only.node.initializer.as_ref()?.node {
                    Initializer::Expression(value) => Some((&name.node.name, value)),
                    Initializer::List(_) => None,
                }
            }
            _ => None,
        },
        ForInitializer::Expression(expression) => match operation(expression)? {
            (BinaryOperator::Assign, o) => match &o.lhs.node {
                Expression::Identifier(name) => Some((&name.node.name, &o.rhs)),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn set_start(f: &mut ForStatement, start: Node<Expression>) {
    match &mut f.initializer.node {
        ForInitializer::Declaration(declaration) => {
            for declarator in &mut declaration.node.declarators {
                declarator.node.initializer =
                    Some(Node::new(Initializer::Expression(Box::new(start.clone())), start.span));
            }
        }
        ForInitializer::Expression(expression) => {
            if let Expression::BinaryOperator(assignment) = &mut expression.node {
                *assignment.node.rhs = start;
            }
        }
        _ => {}
    }
}

/// The first of `arrays` that a statement writes, and its line.
fn writer(node: &NestNode, arrays: &[ArrayId]) -> Option<(ArrayId, u32)> {
    match node {
        NestNode::Statement(statement) => {
            let written = arrays.iter().find(|&&array| statement.writes_to(array))?;
            Some((*written, statement.span.line as u32))
        }
        NestNode::Loop(inner) => inner.body.iter().find_map(|node| writer(node, arrays)),
        NestNode::If(inner) => inner.body.iter().find_map(|node| writer(node, arrays)),
    }
}

/// Where an iteration uses the iterator as a subscript, or a sum of it and a constant, whatever the data: the arrays, the numbers of the
/// subscripts, and what is added.
struct Places<'n> {
    name: &'n str,
    found: Vec<(String, usize, i64)>,
    /// Loops that are come to, whatever the data.
    loops: Vec<&'n ForStatement>,
}

impl<'n> Places<'n> {
    fn statement(&mut self, node: &'n Node<CStatement>) {
        match &node.node {
            CStatement::Compound(items) => items.iter().for_each(|item| match &item.node {
                BlockItem::Statement(statement) => self.statement(statement),
                BlockItem::Declaration(declaration) => self.visit_declaration(&declaration.node, &declaration.span),
                BlockItem::StaticAssert(_) => {}
            }),
            CStatement::Expression(Some(expression)) => self.visit_expression(&expression.node, &expression.span),
            CStatement::If(branch) => {
                let condition = &branch.node.condition;
                self.visit_expression(&condition.node, &condition.span);
            }
            CStatement::For(f) => self.loops.push(&f.node),
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Places<'_> {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        let node = Node::new(expression.clone(), *span);
        let (base, subscripts) = subscripted(&node);
        if let Expression::Identifier(array) = &base.node {
            for (number, subscript) in subscripts.iter().enumerate() {
                let offset = offset_of(subscript, self.name);
                self.found.extend(offset.map(|offset| (array.node.name.clone(), number, offset)));
            }
        }
        visit_expression(self, expression, span);
    }

    fn visit_binary_operator_expression(&mut self, node: &'ast BinaryOperatorExpression, span: &'ast ByteSpan) {
        match node.operator.node {
            BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr => {
                self.visit_expression(&node.lhs.node, &node.lhs.span)
            }
            _ => visit_binary_operator_expression(self, node, span),
        }
    }

    fn visit_conditional_expression(&mut self, node: &'ast ConditionalExpression, _: &'ast ByteSpan) {
        self.visit_expression(&node.condition.node, &node.condition.span);
    }

    fn visit_sizeofval(&mut self, _: &'ast SizeOfVal, _: &'ast ByteSpan) {}
}
