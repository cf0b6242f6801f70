//! Which array each pointer points into, and what its variables get where it gets a value.

use lang_c::ast::{BinaryOperator, Expression, UnaryOperator};
use lang_c::span::Span as ByteSpan;

use super::super::canonical::names_in;
use super::super::nest::operation;
use super::super::plain::{subscripted, variable};
use super::super::scope::Checked;
use super::{Entity, Expr, Pointer, Walk};

impl Walk<'_> {
    /// What a pointer's variables get where it gets `value`.
    pub fn gives(&mut self, pointer: usize, value: &Expr) -> Checked<Vec<(String, Expr)>> {
        if self.collects {
            let mut found = (vec![], vec![]);
            let is_known = self.roots(value, &mut found);
            let begins = match is_known {
                true => self.begin(value),
                false => None,
            };
            let own = &mut self.pointers[pointer];
            own.is_unknown |= !is_known;
            own.moves |= found.1.contains(&pointer);
            own.begins.push(begins);
            own.arrays.extend(found.0.into_iter().map(|array| (array, value.span)));
            own.others.extend(found.1);
            return Ok(vec![]);
        }
        let Pointer { root: Some(root), is_flat, .. } = self.pointers[pointer] else { return Ok(vec![]) };
        let Some(place) = self.place(value)? else {
            let name = self.pointers[pointer].name.clone();
            return self.refuse(
                value.span,
                format!("the pointer `{name}` gets a value that is no place in an array"),
                "here",
                "assign the address of an element, as in `&a[i]` or `a + i`",
            );
        };
        let own = &self.pointers[pointer];
        let names = own.variables();
        let which = own.which.as_ref().map(|_| place.which(value.span));
        let is_known = match own.turns.is_empty() {
            true => place.turns.is_none() && place.array == root,
            false => place.arrays().iter().all(|array| own.turns.contains(array)),
        };
        let values = match is_flat {
            true => vec![self.flat_index(place, value.span)?],
            false => place.subscripts,
        };
        let values: Vec<Expr> = which.into_iter().chain(values).collect();
        if values.len() != names.len() || !is_known {
            let name = own.name.clone();
            return self.refuse(
                value.span,
                format!("the pointer `{name}` gets a place of other dimensions than those that it points to"),
                "another type",
                "begin with the address of an element, as in `&a[0][0]`",
            );
        }
        // They are assigned one after the other.
        for (k, name) in names.iter().enumerate() {
            let is_same = variable(&values[k]) == Some(name);
            if !is_same && values[k + 1..].iter().any(|value| names_in(value).contains(name)) {
                let own = own.name.clone();
                return self.refuse(
                    value.span,
                    format!("the pointer `{own}` gets a place that its own place tells"),
                    "here",
                    "use subscripts of the array",
                );
            }
        }
        let is_one = names.len() == 1;
        let all = names.into_iter().zip(values);
        Ok(all.filter(|(name, value)| is_one || variable(value) != Some(name)).collect())
    }

    /// The arrays and pointers that a value may point into. Whether all is understood.
    fn roots(&self, node: &Expr, found: &mut (Vec<usize>, Vec<usize>)) -> bool {
        match &node.node {
            Expression::Identifier(name) => match self.lookup(&name.node.name) {
                Some(Entity::Array(array)) => {
                    found.0.push(array);
                    true
                }
                Some(Entity::Pointer(pointer) | Entity::Moving(_, pointer)) => {
                    found.1.push(pointer);
                    true
                }
                _ => false,
            },
            Expression::Cast(cast) => {
                cast.node.type_name.node.declarator.is_some() && self.roots(&cast.node.expression, found)
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Plus | UnaryOperator::Minus | UnaryOperator::Negate | UnaryOperator::Complement => false,
                _ => self.roots(&unary.node.operand, found),
            },
            Expression::Conditional(c) => {
                self.roots(&c.node.then_expression, found) && self.roots(&c.node.else_expression, found)
            }
            _ => match operation(node) {
                Some((BinaryOperator::Index | BinaryOperator::Plus, o)) => {
                    let before = (found.0.len(), found.1.len());
                    self.roots(&o.lhs, found) || {
                        found.0.truncate(before.0);
                        found.1.truncate(before.1);
                        self.roots(&o.rhs, found)
                    }
                }
                Some((BinaryOperator::Minus, o)) => self.roots(&o.lhs, found),
                _ => false,
            },
        }
    }

    /// The constants that say in which row a value begins: `0` of `a[0]` and of `&a[0][k]`.
    fn begin(&self, node: &Expr) -> Option<String> {
        let mut node = node;
        loop {
            node = match &node.node {
                Expression::Cast(cast) => &cast.node.expression,
                Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
                    // What it is the address of has one subscript more.
                    let (BinaryOperator::Index, o) = operation(&unary.node.operand)? else { return None };
                    return self.constants(&o.lhs);
                }
                _ => match operation(node) {
                    Some((BinaryOperator::Plus | BinaryOperator::Minus, o)) => &o.lhs,
                    _ => return self.constants(node),
                },
            };
        }
    }

    fn constants(&self, node: &Expr) -> Option<String> {
        let (base, subscripts) = subscripted(node);
        matches!(self.lookup(variable(base)?)?, Entity::Array(_)).then_some(())?;
        let all: Option<Vec<String>> =
            subscripts.iter().map(|s| super::super::flat::constant(s).map(|value| value.to_string())).collect();
        all.map(|all| all.join(" "))
    }

    /// Which array each pointer points into, and how.
    pub fn settle(&mut self) -> Checked<()> {
        let count = self.pointers.len();
        let mut targets: Vec<Vec<(usize, ByteSpan)>> = self.pointers.iter().map(|p| p.arrays.clone()).collect();
        let mut unknown: Vec<bool> = self.pointers.iter().map(|p| p.is_unknown).collect();
        // Pointers that are assigned to each other are alike.
        let mut groups: Vec<usize> = (0..count).collect();
        for _ in 0..count {
            for pointer in 0..count {
                for other in self.pointers[pointer].others.clone() {
                    let more: Vec<_> = targets[other].clone();
                    targets[pointer].extend(more);
                    targets[pointer].sort_by_key(|(array, span)| (*array, span.start));
                    targets[pointer].dedup_by_key(|(array, _)| *array);
                    unknown[pointer] |= unknown[other];
                    let (a, b) = (groups[pointer], groups[other]);
                    groups.iter_mut().filter(|group| **group == a).for_each(|group| *group = b);
                }
            }
        }
        for pointer in 0..count {
            let members = || (0..count).filter(|other| groups[*other] == groups[pointer]);
            let own = &self.pointers[pointer];
            if unknown[pointer] || targets[pointer].is_empty() {
                continue;
            }
            let mut all: Vec<_> = members().flat_map(|member| targets[member].clone()).collect();
            all.sort_by_key(|(array, span)| (*array, span.start));
            all.dedup_by_key(|(array, _)| *array);
            let [(root, given), others @ ..] = &all[..] else { continue };
            let array = &self.arrays[*root];
            let turns: Vec<usize> = match others.is_empty() {
                true => vec![],
                false => all.iter().map(|(array, _)| *array).collect(),
            };
            if array.ty != own.ty {
                let (name, ty, array_name, other) = (&own.name, &own.ty, &array.name, &array.ty);
                return self.refuse(
                    *given,
                    format!(
                        "the pointer `{name}` to what has {ty} points into the array `{array_name}`, which has {other}"
                    ),
                    "another type",
                    "use the elements as they are declared",
                );
            }
            let (dimensions, root) = (array.dimensions(), *root);
            if own.rank >= dimensions {
                continue;
            }
            let moves = members().any(|other| self.pointers[other].moves);
            let begins: Vec<&Option<String>> = members().flat_map(|other| &self.pointers[other].begins).collect();
            let from_links = members().any(|other| self.pointers[other].others.iter().any(|link| *link != other));
            let is_fixed = begins.iter().all(|begin| begin.is_some() && *begin == begins[0]);
            let is_flat = dimensions > 1 && own.rank == 0 && (moves || is_fixed && !from_links);
            let unlike = others.iter().find(|(other, _)| {
                let other = &self.arrays[*other];
                is_flat || other.ty != array.ty || other.dimensions() != dimensions
            });
            if let Some((other, span)) = unlike {
                let (name, first, second) = (&own.name, &array.name, &self.arrays[*other].name);
                return self.refuse(
                    *span,
                    format!("the pointer `{name}` points into the array `{first}` and into `{second}`, which is not like it"),
                    "another array",
                    "use a pointer for each array; a pointer that takes turns between arrays points to elements of one type, in arrays of as \
                     many dimensions",
                );
            }
            let rank = own.rank;
            let stem = own.name.clone();
            let which = (!turns.is_empty()).then(|| self.fresh(&stem));
            let leading = match is_flat {
                true => vec![],
                false => (0..dimensions - rank - 1).map(|_| self.fresh(&stem)).collect(),
            };
            let own = &mut self.pointers[pointer];
            (own.root, own.is_flat, own.leading) = (Some(root), is_flat, leading);
            (own.turns, own.which) = (turns, which);
        }
        Ok(())
    }
}
