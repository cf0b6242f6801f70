//! The places that expressions of a pointer's type name, and the elements there.

use lang_c::ast::{
    BinaryOperator, CallExpression, ConditionalExpression, DerivedDeclarator, Expression, TypeName, UnaryOperator,
    UnaryOperatorExpression,
};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::flat::{FLAT, constant};
use super::super::function::derived;
use super::super::nest::{counts, operation};
use super::super::plain::{binary, number, variable};
use super::super::polynomial::changes;
use super::super::scope::Checked;
use super::{Entity, Expr, Walk, is_zero, name_of, sum};

/// What an expression points to: a part of an array by its first subscripts, or one place in all of it.
pub struct Place {
    pub array: usize,
    /// The number of the array, and those that it may be, where a variable says which.
    pub turns: Option<(Expr, Vec<usize>)>,
    pub subscripts: Vec<Expr>,
    pub is_flat: bool,
    /// A pointer's variable says where.
    pub uses: bool,
}

impl Place {
    /// The number of its array.
    pub fn which(&self, span: ByteSpan) -> Expr {
        match &self.turns {
            Some((which, _)) => which.clone(),
            None => number(&self.array.to_string(), span),
        }
    }

    /// The arrays that it may be in.
    pub fn arrays(&self) -> Vec<usize> {
        self.turns.as_ref().map_or_else(|| vec![self.array], |(_, all)| all.clone())
    }
}

/// `condition ? then : otherwise`, or what both are.
fn either(condition: &Expr, then: Expr, otherwise: Expr, span: ByteSpan) -> Expr {
    let same = |a: Option<i64>, b: Option<i64>| a.is_some() && a == b;
    if same(constant(&then), constant(&otherwise))
        || variable(&then).is_some() && variable(&then) == variable(&otherwise)
    {
        return then;
    }
    let own = ConditionalExpression {
        condition: Box::new(condition.clone()),
        then_expression: Box::new(then),
        else_expression: Box::new(otherwise),
    };
    Node::new(Expression::Conditional(Box::new(Node::new(own, span))), span)
}

impl Walk<'_> {
    /// The place that an expression of a pointer's type, or a part of an array, points to.
    pub fn place(&mut self, node: &Expr) -> Checked<Option<Place>> {
        let span = node.span;
        match &node.node {
            Expression::Identifier(name) => Ok(match self.lookup(&name.node.name) {
                Some(Entity::Array(array)) => {
                    let subscripts = vec![number("0", span)];
                    Some(Place { array, turns: None, subscripts, is_flat: false, uses: false })
                }
                Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => self.at(pointer, span),
                _ => None,
            }),
            Expression::Cast(cast) if cast.node.type_name.node.declarator.is_some() => {
                let Some(mut place) = self.place(&cast.node.expression)? else { return Ok(None) };
                let TypeName { specifiers, declarator } = &cast.node.type_name.node;
                let own = TypeName { specifiers: specifiers.clone(), declarator: None };
                let is_plain = declarator
                    .as_ref()
                    .is_some_and(|d| matches!(derived(d)[..], [Node { node: DerivedDeclarator::Pointer(_), .. }]));
                if self.types.of_name(&own) != self.arrays[place.array].ty || !is_plain {
                    let name = self.arrays[place.array].name.clone();
                    return self.refuse(
                        span,
                        format!("a place in the array `{name}` is cast to another type"),
                        "cast",
                        "use the elements as they are declared",
                    );
                }
                while !place.is_flat && place.subscripts.len() < self.arrays[place.array].dimensions() {
                    place.subscripts.push(number("0", span));
                }
                Ok(Some(place))
            }
            Expression::UnaryOperator(unary) => {
                let operand = &*unary.node.operand;
                match &unary.node.operator.node {
                    UnaryOperator::Address => self.object(operand),
                    UnaryOperator::Indirection => self.decayed(node),
                    operator if counts(operator) && variable(operand).is_some() => {
                        if let Some(pointer) = self.pointer_of(operand) {
                            self.unmoved.remove(&pointer);
                        }
                        let Some(mut place) = self.place(operand)?.filter(|place| place.uses) else { return Ok(None) };
                        if let Some(last) = place.subscripts.last_mut() {
                            let own = UnaryOperatorExpression {
                                operator: Node::new(operator.clone(), unary.node.operator.span),
                                operand: Box::new(last.clone()),
                            };
                            *last = Node::new(Expression::UnaryOperator(Box::new(Node::new(own, span))), span);
                        }
                        Ok(Some(place))
                    }
                    _ => Ok(None),
                }
            }
            Expression::Conditional(c) => {
                let (then, otherwise) = (self.place(&c.node.then_expression)?, self.place(&c.node.else_expression)?);
                let (Some(then), Some(otherwise)) = (then, otherwise) else { return Ok(None) };
                if then.is_flat != otherwise.is_flat || then.subscripts.len() != otherwise.subscripts.len() {
                    return Ok(None);
                }
                let mut condition = (*c.node.condition).clone();
                self.rewrite(&mut condition)?;
                let turns = match then.arrays() == otherwise.arrays() && then.turns.is_none() {
                    true => None,
                    false => {
                        let which = either(&condition, then.which(span), otherwise.which(span), span);
                        let mut all = [then.arrays(), otherwise.arrays()].concat();
                        all.sort();
                        all.dedup();
                        Some((which, all))
                    }
                };
                let pairs = then.subscripts.into_iter().zip(otherwise.subscripts);
                let subscripts = pairs.map(|(then, otherwise)| either(&condition, then, otherwise, span)).collect();
                let uses = then.uses || otherwise.uses || turns.is_some();
                Ok(Some(Place { array: then.array, turns, subscripts, is_flat: then.is_flat, uses }))
            }
            _ => match operation(node) {
                Some((BinaryOperator::Index, _)) => self.decayed(node),
                Some((operator @ (BinaryOperator::Plus | BinaryOperator::Minus), o)) => {
                    let (place, by) = match self.place(&o.lhs)? {
                        Some(place) => (Some(place), &*o.rhs),
                        None if operator == BinaryOperator::Plus => (self.place(&o.rhs)?, &*o.lhs),
                        None => (None, &*o.rhs),
                    };
                    let Some(place) = place else { return Ok(None) };
                    // The difference of two pointers is none.
                    if self.place(by)?.is_some() {
                        return Ok(None);
                    }
                    let mut by = by.clone();
                    self.rewrite(&mut by)?;
                    Ok(Some(moved(place, operator, by, span)))
                }
                _ => Ok(None),
            },
        }
    }

    /// The place that a pointer's variables say.
    pub fn at(&self, pointer: usize, span: ByteSpan) -> Option<Place> {
        let own = &self.pointers[pointer];
        if self.unmoved.contains(&pointer) && own.which.is_none() {
            return Some(Place {
                array: own.root?,
                turns: None,
                subscripts: vec![number("0", span)],
                is_flat: false,
                uses: true,
            });
        }
        let subscripts = own.leading.iter().chain([&own.variable]).map(|name| name_of(name, span)).collect();
        let turns = own.which.as_ref().map(|which| (name_of(which, span), own.turns.clone()));
        Some(Place { array: own.root?, turns, subscripts, is_flat: own.is_flat, uses: true })
    }

    /// What an object that is an array points to: its first element.
    fn decayed(&mut self, node: &Expr) -> Checked<Option<Place>> {
        let Some(mut place) = self.object(node)? else { return Ok(None) };
        if place.is_flat || place.subscripts.len() >= self.arrays[place.array].dimensions() {
            return Ok(None);
        }
        place.subscripts.push(number("0", node.span));
        Ok(Some(place))
    }

    /// The element or the part of an array that `*p` or `p[e]` is, by its subscripts.
    pub fn object(&mut self, node: &Expr) -> Checked<Option<Place>> {
        match &node.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Indirection => {
                self.place(&unary.node.operand)
            }
            _ => {
                let Some((BinaryOperator::Index, o)) = operation(node) else { return Ok(None) };
                let (place, by) = match self.place(&o.lhs)? {
                    Some(place) => (place, &*o.rhs),
                    None => match self.place(&o.rhs)? {
                        Some(place) => (place, &*o.lhs),
                        None => return Ok(None),
                    },
                };
                let mut by = by.clone();
                self.rewrite(&mut by)?;
                let mut place = place;
                // From the first element on, a place is one in all of the array: no row ends before.
                let is_first = matches!(&o.lhs.node, Expression::UnaryOperator(unary)
                    if unary.node.operator.node == UnaryOperator::Address)
                    && place.turns.is_none()
                    && place.subscripts.len() > 1
                    && place.subscripts.len() == self.arrays[place.array].dimensions()
                    && place.subscripts.iter().all(|subscript| constant(subscript).is_some());
                if is_first && !place.is_flat {
                    let array = place.array;
                    let index = self.flat_index(place, node.span)?;
                    place = Place { array, turns: None, subscripts: vec![index], is_flat: true, uses: true };
                }
                Ok(Some(moved(place, BinaryOperator::Plus, by, node.span)))
            }
        }
    }

    /// A place in all of the array.
    pub fn flat_index(&self, place: Place, span: ByteSpan) -> Checked<Expr> {
        let array = &self.arrays[place.array];
        if place.is_flat {
            return Ok(place.subscripts.into_iter().next().unwrap_or_else(|| number("0", span)));
        }
        let mut index: Option<Expr> = None;
        for (k, extent) in array.extents.iter().enumerate() {
            let own = place.subscripts.get(k).cloned().unwrap_or_else(|| number("0", span));
            index = Some(match (index, extent) {
                (None, _) => own,
                (Some(index), _) if is_zero(&index) => own,
                (Some(index), Some(extent)) => {
                    let rows = binary(BinaryOperator::Multiply, index, extent.clone(), span);
                    sum(rows, BinaryOperator::Plus, own, span)
                }
                (Some(_), None) => {
                    return self.refuse(
                        span,
                        format!("a pointer moves in the array `{}`, whose rows have no length", array.name),
                        "here",
                        "declare the array with all of its extents",
                    );
                }
            });
        }
        Ok(index.unwrap_or_else(|| number("0", span)))
    }

    /// The element that a place is, as C has it.
    pub fn element(&self, place: &Place, node: &Expr) -> Checked<Option<Expr>> {
        let Some((which, arrays)) = &place.turns else { return self.element_of(place.array, place, node) };
        if place.subscripts.iter().any(changes) {
            return self.refuse(
                node.span,
                "a pointer that takes turns between arrays steps where it is used".into(),
                "side effect",
                "step it in a statement of its own, as in `x = *p; p++;`",
            );
        }
        let mut all = arrays.iter().rev();
        let last = all.next().map(|array| self.element_of(*array, place, node)).transpose()?.flatten();
        let Some(mut chosen) = last else { return Ok(None) };
        for array in all {
            let Some(own) = self.element_of(*array, place, node)? else { return Ok(None) };
            chosen = either(&is_number(which, *array, node.span), own, chosen, node.span);
        }
        Ok(Some(chosen))
    }

    /// The element of one array at a place in it.
    pub fn element_of(&self, array: usize, place: &Place, node: &Expr) -> Checked<Option<Expr>> {
        let (own, span) = (&self.arrays[array], node.span);
        let is_seen = match self.lookup(&own.name) {
            Some(Entity::Array(seen) | Entity::Moving(seen, _)) => seen == array,
            _ => false,
        };
        if !is_seen {
            return self.refuse(
                span,
                format!("a pointer points into an array `{}` that is not known here", own.name),
                "here",
                "use the pointer where the array is declared, and give the array a name of its own",
            );
        }
        let index = |array, subscript| binary(BinaryOperator::Index, array, subscript, span);
        let name = name_of(&own.name, span);
        if place.is_flat {
            let flat = place.subscripts.first().cloned().unwrap_or_else(|| number("0", span));
            let callee = Box::new(name_of(FLAT, span));
            let call = CallExpression { callee, arguments: vec![flat, name_of(FLAT, span)] };
            return Ok(Some(index(name, Node::new(Expression::Call(Box::new(Node::new(call, span))), span))));
        }
        if place.subscripts.len() < own.dimensions() {
            return Ok(None);
        }
        Ok(Some(place.subscripts.iter().cloned().fold(name, index)))
    }
}

/// Whether the number of an array is this one.
pub fn is_number(which: &Expr, array: usize, span: ByteSpan) -> Expr {
    binary(BinaryOperator::Equals, which.clone(), number(&array.to_string(), span), span)
}

fn moved(mut place: Place, operator: BinaryOperator, by: Expr, span: ByteSpan) -> Place {
    if let Some(last) = place.subscripts.pop() {
        place.subscripts.push(sum(last, operator, by, span));
    }
    place
}
