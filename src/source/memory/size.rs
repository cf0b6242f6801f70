//! Numbers of bytes: products of constants and expressions, so that extents can be divided out of them.

use lang_c::ast::{ArraySize, BinaryOperator, BinaryOperatorExpression, DerivedDeclarator, Expression, TypeName};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::function::derived;
use super::super::structs::{Base, Records, constant, qualified};
use super::super::types::CType;
use super::{Pieces, Refused, Writer, joined};

/// `constant * factors[0] * …`
#[derive(Clone, Debug)]
pub struct Product {
    pub constant: u64,
    pub factors: Vec<Pieces>,
}

impl Product {
    pub fn of(constant: u64) -> Product {
        Product { constant, factors: vec![] }
    }

    pub fn is_one(&self) -> bool {
        self.constant == 1 && self.factors.is_empty()
    }

    /// The constant that it is.
    pub fn number(&self) -> Option<u64> {
        self.factors.is_empty().then_some(self.constant)
    }

    fn times(mut self, other: Product) -> Option<Product> {
        self.constant = self.constant.checked_mul(other.constant)?;
        self.factors.extend(other.factors);
        Some(self)
    }

    /// The other factor, where this is a product with `by`.
    pub fn divided(&self, by: &Product) -> Option<Product> {
        let mut rest = self.clone();
        rest.constant =
            (by.constant > 0 && self.constant.is_multiple_of(by.constant)).then(|| self.constant / by.constant)?;
        for factor in &by.factors {
            let place = rest.factors.iter().position(|own| joined(own) == joined(factor))?;
            rest.factors.remove(place);
        }
        Some(rest)
    }

    /// Whether it multiplies variables.
    pub fn is_nonlinear(&self) -> bool {
        let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
        let multiplies = |factor: &Pieces| {
            let text = |k: usize| factor.get(k).map_or("", |(text, _)| text.as_str());
            (1..factor.len()).any(|k| text(k) == "*" && !is_number(text(k - 1)) && !is_number(text(k + 1)))
        };
        self.factors.len() > 1 || self.factors.iter().any(multiplies)
    }

    pub fn is_same(&self, other: &Product) -> bool {
        self.divided(other).is_some_and(|rest| rest.is_one())
    }

    /// As an expression; `suffix` is that of its number.
    pub fn text(&self, suffix: &str, at: ByteSpan) -> Pieces {
        let word = |text: &str| (text.to_string(), at);
        let mut pieces = vec![];
        if self.constant != 1 || self.factors.is_empty() || !suffix.is_empty() {
            pieces.push(word(&format!("{}{suffix}", self.constant)));
        }
        for factor in &self.factors {
            if !pieces.is_empty() {
                pieces.push(word("*"));
            }
            match factor.len() {
                1 => pieces.extend(factor.clone()),
                _ => {
                    pieces.push(word("("));
                    pieces.extend(factor.clone());
                    pieces.push(word(")"));
                }
            }
        }
        match pieces.len() {
            1 => pieces,
            _ => [vec![word("(")], pieces, vec![word(")")]].concat(),
        }
    }
}

impl Writer<'_, '_> {
    /// An integer expression as a product.
    pub fn product(&self, node: &Node<Expression>) -> Result<Product, Refused> {
        if let Some(constant) = constant(node).and_then(|constant| u64::try_from(constant).ok()) {
            return Ok(Product::of(constant));
        }
        let whole = || Product { constant: 1, factors: vec![self.expression(node)] };
        match &node.node {
            Expression::SizeOfTy(_) | Expression::SizeOfVal(_) => self.size_of(&node.node, node.span),
            // To a wider type, as its values are no negative ones.
            Expression::Cast(cast) if self.types.of_name(&cast.node.type_name.node).integer().is_some() => {
                let inner = self.product(&cast.node.expression)?;
                let bits = self.types.of_name(&cast.node.type_name.node).integer().map_or(0, |ty| ty.bits);
                Ok(if bits >= 32 { inner } else { whole() })
            }
            Expression::BinaryOperator(o) => {
                let BinaryOperatorExpression { operator, lhs, rhs } = &o.node;
                match operator.node {
                    BinaryOperator::Multiply => {
                        let (left, right) = (self.product(lhs)?, self.product(rhs)?);
                        Ok(left.times(right).unwrap_or_else(whole))
                    }
                    BinaryOperator::Divide => {
                        let (left, right) = (self.product(lhs)?, self.product(rhs)?);
                        // In C it is a quotient of all of the factors.
                        let exact = right.number().is_some_and(|by| by > 0 && left.constant % by == 0);
                        Ok(left.divided(&right).filter(|_| exact).unwrap_or_else(whole))
                    }
                    BinaryOperator::ShiftLeft => match constant(rhs) {
                        Some(by @ 0..=31) => Ok(self.product(lhs)?.times(Product::of(1 << by)).unwrap_or_else(whole)),
                        _ => Ok(whole()),
                    },
                    _ => Ok(whole()),
                }
            }
            _ => Ok(whole()),
        }
    }

    /// How many elements of `unit` bytes so many bytes are; `None` where that is no whole number for sure.
    pub fn count(&self, node: &Node<Expression>, unit: u64) -> Result<Option<Product>, Refused> {
        let all = self.product(node)?;
        if let Some(count) = all.divided(&Product::of(unit)) {
            return Ok(Some(count));
        }
        let Expression::BinaryOperator(o) = &node.node else { return Ok(None) };
        let sign = match o.node.operator.node {
            BinaryOperator::Plus => "+",
            BinaryOperator::Minus => "-",
            _ => return Ok(None),
        };
        let (left, right) = (self.count(&o.node.lhs, unit)?, self.count(&o.node.rhs, unit)?);
        let (Some(left), Some(right)) = (left, right) else { return Ok(None) };
        let at = node.span;
        let sum = [left.text("", at), vec![(sign.to_string(), at)], right.text("", at)].concat();
        Ok(Some(Product { constant: 1, factors: vec![sum] }))
    }

    /// The value of `sizeof`.
    pub fn size_of(&self, expression: &Expression, span: ByteSpan) -> Result<Product, Refused> {
        let unknown = || {
            Refused::new(
                span,
                "burstc does not know the size of this",
                "its type",
                "name a number's type, a structure's or an array, as in `sizeof(int)`, or write the number of bytes",
            )
        };
        match expression {
            Expression::SizeOfTy(size) => self.size_of_type(&size.node.0.node).ok_or_else(unknown),
            Expression::SizeOfVal(size) => {
                let place = self.place(&size.node.0).ok_or_else(unknown)?;
                let mut all = Product::of(bytes(&self.records, &place.element).ok_or_else(unknown)?);
                let rest = &place.dims[place.subscripts.len()..];
                if place.is_parameter && place.subscripts.is_empty() && !rest.is_empty() {
                    let name = &place.name;
                    return Err(Refused::new(
                        span,
                        format!("`sizeof {name}` of an argument is the size of a pointer, not of the array"),
                        "a pointer",
                        format!("multiply the number of elements by `sizeof {name}[0]`"),
                    ));
                }
                for dim in rest {
                    let extent = dim.extent.clone().ok_or_else(unknown)?;
                    all = all.times(extent).ok_or_else(unknown)?;
                }
                Ok(all)
            }
            _ => Err(unknown()),
        }
    }

    fn size_of_type(&self, name: &TypeName) -> Option<Product> {
        let specifiers = qualified(&name.specifiers);
        let base = match self.records.of_known(&specifiers) {
            Some(record) => Base::Record(record),
            None => Base::Number(self.types.of_specifiers(&specifiers)),
        };
        let mut all = Product::of(bytes(&self.records, &base)?);
        for part in name.declarator.iter().flat_map(derived) {
            let DerivedDeclarator::Array(array) = &part.node else { return None };
            let ArraySize::VariableExpression(size) = &array.node.size else { return None };
            all = all.times(self.product(size).ok()?)?;
        }
        Some(all)
    }
}

/// The bytes of a number or a structure.
pub fn bytes(records: &Records, base: &Base) -> Option<u64> {
    Some(laid_out(records, base)?.0)
}

/// Size and alignment, by the rules of the System V and Arm application binary interfaces for 64 bits.
fn laid_out(records: &Records, base: &Base) -> Option<(u64, u64)> {
    match base {
        Base::Number(CType::Bool) => Some((1, 1)),
        Base::Number(ty) => ty.arithmetic().map(|ty| (u64::from(ty.bits / 8), u64::from(ty.bits / 8))),
        Base::Record(record) => {
            let record = &records.all[*record];
            if record.problem.is_some() {
                return None;
            }
            let (mut at, mut widest) = (0u64, 1u64);
            for member in &record.members {
                let (size, alignment) = laid_out(records, &member.base)?;
                at = at.next_multiple_of(alignment);
                at += member.extents.iter().try_fold(size, |all, extent| all.checked_mul(*extent))?;
                widest = widest.max(alignment);
            }
            Some((at.next_multiple_of(widest), widest))
        }
    }
}
