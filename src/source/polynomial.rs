//! Integer expressions as sums of products, on C's own tree: `3 * (y * w + x) - w` is `3yw + 3x - w`. What is neither a sum nor a
//! product of integers stands for itself. Integers of at least 32 bits compute the same in any order, modulo 2^32, so that a
//! subscript that is written anew names the same element wherever it names one at all.

use std::collections::{BTreeMap, HashSet};

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, CallExpression, Constant, Expression, Integer, IntegerBase, TypeName,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::canonical::names_in;
use super::nest::{assignment, counts, operation};
use super::plain::{binary, number, product, variable};

/// The most terms of a sum: beyond, nobody gains.
const MOST: usize = 48;

/// A sum of products of factors, which are names of variables, or expressions by their own text.
#[derive(Clone, Debug, Default)]
pub struct Polynomial {
    /// The factors of each product, sorted, and what it is multiplied by.
    terms: BTreeMap<Vec<String>, i64>,
    /// The factors that are no variables.
    opaque: BTreeMap<String, Node<Expression>>,
}

impl PartialEq for Polynomial {
    fn eq(&self, other: &Polynomial) -> bool {
        self.terms == other.terms
    }
}

/// What is known of types.
pub trait Integers {
    /// Whether a cast to the type keeps integers modulo 2^32.
    fn keeps(&self, ty: &TypeName) -> bool;
    /// Whether a variable is an integer.
    fn is_integer(&self, name: &str) -> bool;
    /// What `/` or `%` of these gives, where that is a sum of products.
    fn quotient(&self, _operation: &BinaryOperatorExpression, _sides: [&Polynomial; 2]) -> Option<Polynomial> {
        None
    }
}

impl Polynomial {
    pub fn constant(value: i64) -> Polynomial {
        Polynomial { terms: BTreeMap::from([(vec![], value)]), ..Default::default() }.normal()
    }

    pub fn variable(name: &str) -> Polynomial {
        Polynomial { terms: BTreeMap::from([(vec![name.to_string()], 1)]), ..Default::default() }
    }

    /// The expression, or nothing where it changes something, or has too many terms. `is_sure`: every factor is an integer for
    /// certain, as a subscript's are.
    pub fn of(node: &Node<Expression>, integers: &dyn Integers, is_sure: bool) -> Option<Polynomial> {
        let of = |node| Polynomial::of(node, integers, is_sure);
        let found = match &node.node {
            Expression::Identifier(name) => {
                (is_sure || integers.is_integer(&name.node.name)).then(|| Polynomial::variable(&name.node.name))?
            }
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => Polynomial::constant(value(integer)?),
                _ => return None,
            },
            Expression::Cast(cast) if integers.keeps(&cast.node.type_name.node) => {
                match Polynomial::of(&cast.node.expression, integers, false) {
                    Some(inner) => inner,
                    None => Polynomial::opaque(node)?,
                }
            }
            Expression::UnaryOperator(unary) => match unary.node.operator.node {
                UnaryOperator::Minus => Polynomial::constant(-1).times(&of(&unary.node.operand)?)?,
                UnaryOperator::Plus => of(&unary.node.operand)?,
                _ => Polynomial::opaque(node).filter(|_| is_sure)?,
            },
            _ => match operation(node) {
                Some((BinaryOperator::Plus, o)) => of(&o.lhs)?.plus(&of(&o.rhs)?, 1)?,
                Some((BinaryOperator::Minus, o)) => of(&o.lhs)?.plus(&of(&o.rhs)?, -1)?,
                Some((BinaryOperator::Multiply, o)) => of(&o.lhs)?.times(&of(&o.rhs)?)?,
                Some((BinaryOperator::Divide | BinaryOperator::Modulo, o)) => {
                    let sides = (of(&o.lhs), of(&o.rhs));
                    match sides {
                        (Some(left), Some(right)) => match integers.quotient(o, [&left, &right]) {
                            Some(known) => known,
                            None => Polynomial::opaque(node)?,
                        },
                        // Of integers only: then the rest of a division is one, too.
                        _ => Polynomial::opaque(node).filter(|_| is_sure)?,
                    }
                }
                _ => Polynomial::opaque(node).filter(|_| is_sure)?,
            },
        };
        (found.terms.len() <= MOST).then_some(found)
    }

    fn opaque(node: &Node<Expression>) -> Option<Polynomial> {
        if changes(node) {
            return None;
        }
        let key = format!("({})", text(node));
        let terms = BTreeMap::from([(vec![key.clone()], 1)]);
        Some(Polynomial { terms, opaque: BTreeMap::from([(key, node.clone())]) })
    }

    fn normal(mut self) -> Polynomial {
        self.terms.retain(|_, count| *count != 0);
        self
    }

    pub fn plus(&self, other: &Polynomial, factor: i64) -> Option<Polynomial> {
        let mut sum = self.clone();
        for (term, count) in &other.terms {
            let own = sum.terms.entry(term.clone()).or_default();
            *own = own.checked_add(count.checked_mul(factor)?)?;
        }
        sum.opaque.extend(other.opaque.clone());
        Some(sum.normal())
    }

    pub fn times(&self, other: &Polynomial) -> Option<Polynomial> {
        if self.terms.len() * other.terms.len() > MOST {
            return None;
        }
        let mut result = Polynomial::default();
        for (left, count) in &self.terms {
            for (right, by) in &other.terms {
                let mut term = [&left[..], &right[..]].concat();
                term.sort();
                let own = result.terms.entry(term).or_default();
                *own = own.checked_add(count.checked_mul(*by)?)?;
            }
        }
        result.opaque = self.opaque.clone();
        result.opaque.extend(other.opaque.clone());
        Some(result.normal())
    }

    /// With values in place of variables.
    pub fn with(&self, value: &dyn Fn(&str) -> Option<Polynomial>) -> Option<Polynomial> {
        let mut result = Polynomial { opaque: self.opaque.clone(), ..Default::default() };
        for (term, count) in &self.terms {
            let mut own = Polynomial::constant(*count);
            for factor in term {
                own = own.times(&value(factor).unwrap_or_else(|| Polynomial::variable(factor)))?;
            }
            result = result.plus(&own, 1)?;
        }
        (result.terms.len() <= MOST).then_some(result)
    }

    /// The names of variables, also inside of what stands for itself.
    pub fn names(&self) -> HashSet<String> {
        let factors = self.terms.keys().flatten();
        factors.flat_map(|factor| self.opaque.get(factor).map_or_else(|| vec![factor.clone()], names_in)).collect()
    }

    pub fn mentions(&self, name: &str) -> bool {
        self.names().contains(name)
    }

    pub fn is_zero(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn is_plain(&self) -> bool {
        self.opaque.is_empty()
    }

    /// The terms: the factors, and what they are multiplied by.
    pub fn terms(&self) -> impl Iterator<Item = (&[String], i64)> {
        self.terms.iter().map(|(term, count)| (&term[..], *count))
    }

    /// Whether some product has several factors.
    pub fn has_products(&self) -> bool {
        self.terms.keys().any(|term| term.len() > 1)
    }

    /// The sum as a difference of two without subtractions.
    pub fn sides(&self) -> Option<[Polynomial; 2]> {
        let side = |factor: i64| {
            let own = self.terms.iter().filter(|(_, count)| count.signum() == factor.signum());
            let terms = own.map(|(term, count)| Some((term.clone(), count.checked_mul(factor)?)));
            Some(Polynomial { terms: terms.collect::<Option<_>>()?, opaque: self.opaque.clone() })
        };
        Some([side(1)?, side(-1)?])
    }

    /// What is added whatever the variables are.
    pub fn constant_term(&self) -> i64 {
        self.terms.get(&vec![]).copied().unwrap_or(0)
    }

    pub fn as_constant(&self) -> Option<i64> {
        match self.terms.len() {
            0 => Some(0),
            1 => self.terms.get(&vec![]).copied(),
            _ => None,
        }
    }

    /// Whether some product of several factors has one of these names.
    pub fn multiplies(&self, names: &HashSet<String>) -> bool {
        self.terms.keys().any(|term| term.len() > 1 && term.iter().any(|factor| names.contains(factor)))
    }

    /// The sum as multiples of a `row`, and the rest, which has none of the row's first term of the highest degree. `None` where that takes
    /// too long.
    pub fn divided(&self, row: &Polynomial) -> Option<[Polynomial; 2]> {
        let degree = row.terms.keys().map(Vec::len).max()?;
        let (lead, by) = row.terms.iter().find(|(term, _)| term.len() == degree).map(|(lead, by)| (lead, *by))?;
        let (mut rows, mut rest) = (Polynomial::default(), self.clone());
        rows.opaque = self.opaque.clone();
        // Each round takes one term with the leading factors away.
        for _ in 0..MOST {
            let next = rest.terms.iter().find_map(|(term, count)| {
                let own = without(term, lead).filter(|_| count.checked_rem(by) == Some(0))?;
                Some(Polynomial { terms: BTreeMap::from([(own, count.checked_div(by)?)]), ..Default::default() })
            });
            let Some(next) = next else { return Some([rows, rest]) };
            rest = rest.plus(&next.times(row)?, -1)?;
            rows = rows.plus(&next, 1)?;
        }
        None
    }

    /// Whether it is certainly below 0 where all variables are above: it has terms, and all are subtracted.
    pub fn is_negative(&self) -> bool {
        !self.is_zero() && self.terms.values().all(|count| *count < 0)
    }

    /// In the words of a diagnostic.
    pub fn text(&self) -> String {
        let term = |(term, count): (&[String], i64)| {
            let factors = term.iter().map(|factor| self.opaque.get(factor).map_or(factor.as_str(), |_| "…"));
            let magnitude = count.unsigned_abs().to_string();
            let has_number = magnitude != "1" || term.is_empty();
            let all: Vec<&str> = has_number.then_some(magnitude.as_str()).into_iter().chain(factors).collect();
            format!("{}{}", if count < 0 { "-" } else { "" }, all.join(" * "))
        };
        let all: Vec<String> = self.terms().map(term).collect();
        if all.is_empty() { "0".to_string() } else { all.join(" + ") }
    }

    /// As C has it.
    pub fn expression(&self, span: Span) -> Node<Expression> {
        let mut terms: Vec<_> = self.terms.iter().collect();
        terms.sort_by_key(|(term, count)| (term.is_empty(), **count < 0, std::cmp::Reverse(term.len())));
        let mut sum: Option<Node<Expression>> = None;
        for (term, count) in terms {
            let magnitude = count.unsigned_abs();
            let mut factors: Vec<Node<Expression>> = term.iter().map(|factor| self.factor(factor, span)).collect();
            if magnitude != 1 || factors.is_empty() {
                factors.insert(0, number(&magnitude.to_string(), span));
            }
            let own = product(factors, span);
            sum = Some(match (sum, *count > 0) {
                (None, true) => own,
                (sum, is_added) => {
                    let operator = if is_added { BinaryOperator::Plus } else { BinaryOperator::Minus };
                    binary(operator, sum.unwrap_or_else(|| number("0", span)), own, span)
                }
            });
        }
        sum.unwrap_or_else(|| number("0", span))
    }

    fn factor(&self, factor: &str, span: Span) -> Node<Expression> {
        let name = || lang_c::ast::Identifier { name: factor.to_string() };
        match self.opaque.get(factor) {
            Some(own) => own.clone(),
            None => Node::new(Expression::Identifier(Box::new(Node::new(name(), span))), span),
        }
    }
}

/// What is left of a product's factors, both sorted.
fn without(term: &[String], factors: &[String]) -> Option<Vec<String>> {
    let mut rest = term.to_vec();
    for factor in factors {
        let position = rest.iter().position(|own| own == factor)?;
        rest.remove(position);
    }
    Some(rest)
}

fn value(integer: &Integer) -> Option<i64> {
    let digits = integer.number.trim_start_matches("0x").trim_start_matches("0X");
    match integer.base {
        IntegerBase::Decimal => digits.parse().ok(),
        IntegerBase::Octal => i64::from_str_radix(digits, 8).ok().or_else(|| digits.is_empty().then_some(0)),
        IntegerBase::Hexadecimal => i64::from_str_radix(digits, 16).ok(),
        IntegerBase::Binary => i64::from_str_radix(digits.trim_start_matches("0b").trim_start_matches("0B"), 2).ok(),
    }
}

/// Whether an expression changes something.
pub fn changes(node: &Node<Expression>) -> bool {
    struct Changes(bool);
    impl<'ast> Visit<'ast> for Changes {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.0 |= match expression {
                Expression::UnaryOperator(unary) => counts(&unary.node.operator.node),
                Expression::BinaryOperator(o) => assignment(&o.node.operator.node).is_some(),
                Expression::Statement(_) => true,
                _ => false,
            };
            visit::visit_expression(self, expression, span);
        }
    }
    let mut found = Changes(false);
    found.visit_expression(&node.node, &node.span);
    found.0
}

/// An expression's own text, the same wherever it stands.
fn text(node: &Node<Expression>) -> String {
    match &node.node {
        Expression::UnaryOperator(unary) => format!("{:?} {}", unary.node.operator.node, text(&unary.node.operand)),
        Expression::Constant(constant) => format!("{:?}", constant.node),
        Expression::Call(call) => {
            let CallExpression { callee, arguments } = &call.node;
            format!("{}({})", text(callee), arguments.iter().map(text).collect::<Vec<_>>().join(", "))
        }
        Expression::Conditional(c) => {
            let [condition, then, otherwise] =
                [&c.node.condition, &c.node.then_expression, &c.node.else_expression].map(|part| text(part));
            format!("({condition} ? {then} : {otherwise})")
        }
        _ => match (variable(node), operation(node)) {
            (Some(name), _) => name.to_string(),
            (None, Some((operator, o))) => format!("({} {operator:?} {})", text(&o.lhs), text(&o.rhs)),
            // With its place in the text: equal to itself alone.
            (None, None) => format!("{:?}", node.node),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(terms: &[(&[&str], i64)]) -> Polynomial {
        let term = |(factors, count): &(&[&str], i64)| {
            let all = factors.iter().map(|name| Polynomial::variable(name));
            all.fold(Polynomial::constant(*count), |product, factor| product.times(&factor).unwrap())
        };
        terms.iter().map(term).fold(Polynomial::default(), |sum, term| sum.plus(&term, 1).unwrap())
    }

    #[test]
    fn a_sum_is_rows_and_the_rest() {
        let row = sum(&[(&["w"], 3)]);
        let place = sum(&[(&["y", "w"], 3), (&["x"], 3), (&["c"], 1), (&["w"], -3), (&[], -2)]);
        let [rows, rest] = place.divided(&row).unwrap();
        assert_eq!(rows, sum(&[(&["y"], 1), (&[], -1)]));
        assert_eq!(rest, sum(&[(&["x"], 3), (&["c"], 1), (&[], -2)]));
        let [rows, rest] = sum(&[(&["y", "w"], 2)]).divided(&row).unwrap();
        assert!(rows.is_zero() && rest == sum(&[(&["w", "y"], 2)]));
        let row = sum(&[(&["m"], 1), (&["n"], 1), (&[], 1)]);
        let place = sum(&[(&["m", "y"], 1), (&["n", "y"], 1), (&["y"], 1), (&["x"], 1)]);
        let [rows, rest] = place.divided(&row).unwrap();
        assert!(rows == sum(&[(&["y"], 1)]) && rest == sum(&[(&["x"], 1)]));
    }

    #[test]
    fn products_are_those_of_all_terms_with_all() {
        let left = sum(&[(&["a"], 2), (&[], -1)]);
        let right = sum(&[(&["a"], 2), (&[], 1)]);
        assert_eq!(left.times(&right).unwrap(), sum(&[(&["a", "a"], 4), (&[], -1)]));
        assert_eq!(left.with(&|_| Some(right.clone())).unwrap(), sum(&[(&["a"], 4), (&[], 1)]));
        assert!(sum(&[(&[], i64::MAX)]).times(&sum(&[(&[], 2)])).is_none());
    }
}
