//! Where pointers are used: elements, steps, comparisons.

use lang_c::ast::{BinaryOperator, Expression, IfStatement, Statement, UnaryOperator};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::canonical::names_in;
use super::super::kernel::BinaryOp;
use super::super::nest::{assignment, counts, operation};
use super::super::plain::{binary, number, variable};
use super::super::scope::Checked;
use super::place::{Place, is_number};
use super::{Entity, Expr, Walk, assign, name_of};

impl Walk<'_> {
    pub fn rewrite(&mut self, node: &mut Expr) -> Checked<()> {
        if self.steps(node)? {
            return Ok(());
        }
        if !self.collects {
            if let Some(place) = self.object(node)?.filter(|place| place.uses)
                && let Some(element) = self.element(&place, node)?
            {
                *node = element;
                return Ok(());
            }
            if self.compares(node)? {
                return Ok(());
            }
        }
        match &mut node.node {
            Expression::Identifier(name) if !self.collects => {
                let pointer = match self.lookup(&name.node.name) {
                    Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => pointer,
                    _ => return Ok(()),
                };
                if self.pointers[pointer].root.is_some() {
                    let own = name.node.name.clone();
                    return self.refuse(
                        node.span,
                        format!("the pointer `{own}` is more than a place whose elements are used"),
                        "used like this",
                        "use `p[i]`, `*p`, `p++` and `p < end`; a helper takes the array itself or `&a[i]`",
                    );
                }
                Ok(())
            }
            Expression::UnaryOperator(unary) => {
                let is_step = counts(&unary.node.operator.node);
                let in_turns = self.turned(&unary.node.operand)?.filter(|_| is_step);
                self.refuse_turns(in_turns, unary.node.operand.span)?;
                self.rewrite(&mut unary.node.operand)
            }
            Expression::Cast(cast) => self.rewrite(&mut cast.node.expression),
            Expression::BinaryOperator(o) => {
                let is_assignment = assignment(&o.node.operator.node).is_some();
                let in_turns = self.turned(&o.node.lhs)?.filter(|_| is_assignment);
                self.refuse_turns(in_turns, o.node.lhs.span)?;
                self.rewrite(&mut o.node.lhs)?;
                self.rewrite(&mut o.node.rhs)
            }
            Expression::Conditional(c) => {
                self.rewrite(&mut c.node.condition)?;
                self.rewrite(&mut c.node.then_expression)?;
                self.rewrite(&mut c.node.else_expression)
            }
            Expression::Call(call) => call.node.arguments.iter_mut().try_for_each(|argument| self.rewrite(argument)),
            Expression::Comma(parts) => parts.iter_mut().try_for_each(|part| self.rewrite(part)),
            Expression::SizeOfVal(size) if !self.collects => {
                let mut inner = (*size.node.0).clone();
                self.rewrite(&mut inner)?;
                match names_in(&inner) == names_in(&size.node.0) {
                    true => Ok(()),
                    false => self.refuse(
                        node.span,
                        "the size of what a pointer points to is asked for".into(),
                        "`sizeof`",
                        "name the type, as in `sizeof(int)`",
                    ),
                }
            }
            _ => Ok(()),
        }
    }

    /// The place of an element in one of several arrays.
    fn turned(&mut self, node: &Expr) -> Checked<Option<Place>> {
        if self.collects {
            return Ok(None);
        }
        Ok(self.object(node)?.filter(|place| place.turns.is_some()))
    }

    fn refuse_turns(&self, place: Option<Place>, span: ByteSpan) -> Checked<()> {
        match place {
            None => Ok(()),
            Some(_) => self.refuse(
                span,
                "an expression changes an element by a pointer that takes turns between arrays".into(),
                "side effect",
                "make it a statement of its own",
            ),
        }
    }

    /// A statement that changes an element in one of several arrays, as one for each of them under an `if`.
    pub fn in_turns(&mut self, node: &Expr) -> Checked<Option<Statement>> {
        let lhs = match &node.node {
            Expression::UnaryOperator(unary) if counts(&unary.node.operator.node) => &unary.node.operand,
            Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => &o.node.lhs,
            _ => return Ok(None),
        };
        let Some(place) = self.turned(lhs)? else { return Ok(None) };
        let Some((which, arrays)) = place.turns.clone() else { return Ok(None) };
        let mut value = match &node.node {
            Expression::BinaryOperator(o) => Some((*o.node.rhs).clone()),
            _ => None,
        };
        if let Some(value) = &mut value {
            self.rewrite(value)?;
        }
        let mut sides: Option<Node<Statement>> = None;
        for array in arrays.into_iter().rev() {
            let Some(element) = self.element_of(array, &place, lhs)? else { return Ok(None) };
            let mut own = node.clone();
            match &mut own.node {
                Expression::UnaryOperator(unary) => *unary.node.operand = element,
                Expression::BinaryOperator(o) => {
                    *o.node.lhs = element;
                    if let Some(value) = &value {
                        *o.node.rhs = value.clone();
                    }
                }
                _ => {}
            }
            let own = Node::new(Statement::Expression(Some(Box::new(own))), node.span);
            sides = Some(match sides {
                None => own,
                Some(others) => {
                    let condition = Box::new(is_number(&which, array, node.span));
                    let (then_statement, else_statement) = (Box::new(own), Some(Box::new(others)));
                    let branch = IfStatement { condition, then_statement, else_statement };
                    Node::new(Statement::If(Node::new(branch, node.span)), node.span)
                }
            });
        }
        Ok(sides.map(|sides| sides.node))
    }

    pub fn pointer_of(&self, node: &Expr) -> Option<usize> {
        match self.lookup(variable(node)?)? {
            Entity::Pointer(pointer) | Entity::Moving(_, pointer) => Some(pointer),
            _ => None,
        }
    }

    /// Whether an expression gives a pointer another place, which is done.
    fn steps(&mut self, node: &mut Expr) -> Checked<bool> {
        let span = node.span;
        if let Expression::UnaryOperator(unary) = &mut node.node {
            let is_step = counts(&unary.node.operator.node);
            if let (true, Some(pointer)) = (is_step, self.pointer_of(&unary.node.operand)) {
                self.pointers[pointer].moves = true;
                self.unmoved.remove(&pointer);
                if !self.collects && self.pointers[pointer].root.is_some() {
                    *unary.node.operand = name_of(&self.pointers[pointer].variable, span);
                }
                return Ok(true);
            }
            if let (UnaryOperator::Address, Some(pointer)) =
                (&unary.node.operator.node, self.pointer_of(&unary.node.operand))
            {
                self.pointers[pointer].is_unknown = true;
            }
            return Ok(false);
        }
        let Some((operator, o)) = operation(node) else { return Ok(false) };
        let (Some(kind), Some(pointer)) = (assignment(&operator), self.pointer_of(&o.lhs)) else { return Ok(false) };
        let value = (*o.rhs).clone();
        match kind {
            None => {
                let values = self.gives(pointer, &value)?;
                self.unmoved.remove(&pointer);
                if !self.collects && self.pointers[pointer].root.is_some() {
                    let mut all: Vec<Expr> = values.into_iter().map(|(name, value)| assign(&name, value)).collect();
                    *node = match all.pop() {
                        Some(only) if all.is_empty() => only,
                        Some(last) => {
                            all.push(last);
                            Node::new(Expression::Comma(Box::new(all)), span)
                        }
                        None => number("0", span),
                    };
                }
            }
            Some(BinaryOp::Add | BinaryOp::Subtract) => {
                self.pointers[pointer].moves = true;
                let mut value = value;
                self.rewrite(&mut value)?;
                self.unmoved.remove(&pointer);
                if !self.collects && self.pointers[pointer].root.is_some() {
                    *node = binary(operator, name_of(&self.pointers[pointer].variable, span), value, span);
                }
            }
            Some(_) => self.pointers[pointer].is_unknown = true,
        }
        Ok(true)
    }

    /// Whether an expression compares or subtracts two places, which is done.
    fn compares(&mut self, node: &mut Expr) -> Checked<bool> {
        let span = node.span;
        let Some((operator, o)) = operation(node) else { return Ok(false) };
        let is_pair = matches!(
            operator,
            BinaryOperator::Minus
                | BinaryOperator::Less
                | BinaryOperator::LessOrEqual
                | BinaryOperator::Greater
                | BinaryOperator::GreaterOrEqual
                | BinaryOperator::Equals
                | BinaryOperator::NotEquals
        );
        if !is_pair {
            return Ok(false);
        }
        let (Some(left), Some(right)) = (self.place(&o.lhs)?, self.place(&o.rhs)?) else { return Ok(false) };
        if !left.uses && !right.uses {
            return Ok(false);
        }
        let are_equal = matches!(operator, BinaryOperator::Equals | BinaryOperator::NotEquals);
        let arrays = (left.turns.is_some() || right.turns.is_some()).then(|| (left.which(span), right.which(span)));
        if arrays.is_none() && left.array != right.array {
            let [first, second] = [&left, &right].map(|place| self.arrays[place.array].name.clone());
            return self.refuse(
                span,
                format!("a place in the array `{first}` is compared with one in `{second}`"),
                "here",
                "compare places of one array",
            );
        }
        let leading = |place: &Place| {
            place.subscripts.split_last().map(|(_, leading)| leading.iter().map(names_in).collect::<Vec<_>>())
        };
        let is_row = !left.is_flat
            && !right.is_flat
            && left.subscripts.len() == right.subscripts.len()
            && left.subscripts.len() == 1
            || leading(&left) == leading(&right) && !left.is_flat && !right.is_flat && {
                let all = left.subscripts.len() - 1;
                left.subscripts[..all].iter().zip(&right.subscripts).all(|(a, b)| match (variable(a), variable(b)) {
                    (Some(a), Some(b)) => a == b,
                    _ => {
                        super::super::flat::constant(a).is_some()
                            && super::super::flat::constant(a) == super::super::flat::constant(b)
                    }
                })
            };
        let [left, right] = match is_row {
            true => [left, right].map(|mut place| place.subscripts.pop().unwrap_or_else(|| number("0", span))),
            false => [self.flat_index(left, span)?, self.flat_index(right, span)?],
        };
        *node = match arrays.filter(|_| are_equal) {
            // Places of one array, says C, where they are compared in another way.
            None => binary(operator, left, right, span),
            Some((first, second)) => {
                let both = match operator {
                    BinaryOperator::Equals => BinaryOperator::LogicalAnd,
                    _ => BinaryOperator::LogicalOr,
                };
                binary(both, binary(operator.clone(), first, second, span), binary(operator, left, right, span), span)
            }
        };
        Ok(true)
    }
}
