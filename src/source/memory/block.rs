//! A call as loops over elements.

use lang_c::ast::{CallExpression, Expression};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::kernel::ScalarType;
use super::super::structs::{Base, constant, type_words};
use super::super::types::CType;
use super::size::{Product, bytes};
use super::variables::{Dim, Place, added, is_zero};
use super::{Pieces, Refused, Writer, joined};

/// A place, and the loops that go through the elements from there on: the last of its subscripts moves by the first of
/// them, and the others are subscripts of their own.
struct Rows {
    place: Place,
    /// Where only one row is meant, 1.
    lead: Product,
    inner: Vec<Product>,
}

impl Rows {
    /// `count` elements from a place on. `None` where they go beyond the end of a row, and do not fill rows.
    fn of(mut place: Place, count: Product, at: ByteSpan) -> Option<Rows> {
        while place.subscripts.len() < place.dims.len() {
            place.subscripts.push(vec![("0".into(), at)]);
        }
        let (mut lead, mut inner) = (count, vec![]);
        while let [.., _, last] = &place.subscripts[..]
            && is_zero(last)
            && let Some(extent) = place.dims[place.subscripts.len() - 1].extent.clone()
            && let Some(rest) = lead.divided(&extent)
        {
            place.subscripts.pop();
            inner.insert(0, extent);
            lead = rest;
        }
        let row = place.subscripts.len().checked_sub(1).and_then(|last| place.dims[last].extent.as_ref()?.number());
        let goes_on = place.subscripts.len() > 1
            && match (lead.number(), row, place.subscripts.last().and_then(|last| joined(last).parse::<u64>().ok())) {
                (Some(count), Some(row), first) => first.unwrap_or(0) + count > row,
                _ => false,
            };
        (!goes_on).then_some(Rows { place, lead, inner })
    }

    fn loops(&self) -> Vec<Product> {
        let lead = (!self.lead.is_one()).then(|| self.lead.clone());
        lead.into_iter().chain(self.inner.iter().cloned()).collect()
    }

    /// The same elements with the outermost row as the loop in front, as a longer list of loops needs it.
    fn with_lead(mut self, at: ByteSpan) -> Rows {
        if self.lead.is_one() && !self.inner.is_empty() {
            self.lead = self.inner.remove(0);
            self.place.subscripts.push(vec![("0".into(), at)]);
        }
        self
    }

    /// The element that the iterators name, where `of` are the loops around it; `None` where these are no rows of its.
    fn element(&self, iterators: &[String], of: &[Product], at: ByteSpan) -> Option<Pieces> {
        let word = |text: &str| (text.to_string(), at);
        let own = self.loops();
        let more = of.len().checked_sub(own.len())?;
        let is_alike = |(a, b): (&Product, &Product)| a.is_same(b);
        let mut subscripts = self.place.subscripts.clone();
        let mut rest = iterators;
        if !self.lead.is_one() {
            own[1..].iter().zip(&of[more + 1..]).all(is_alike).then_some(())?;
            // The number of an element by those of rows in it.
            let mut number = vec![word(&iterators[0])];
            for (iterator, extent) in iterators[1..=more].iter().zip(&of[1..=more]) {
                let rows = [vec![word("(")], number, vec![word(")"), word("*")], extent.text("", at)].concat();
                number = [rows, vec![word("+"), word(iterator)]].concat();
            }
            rest = &iterators[more + 1..];
            let last = subscripts.last_mut()?;
            *last = added(last, "+", &number);
        } else if more > 0 || !own.iter().zip(of).all(is_alike) {
            return None;
        }
        subscripts.extend(rest.iter().map(|iterator| vec![word(iterator)]));
        let mut pieces = self.place.base.clone();
        for subscript in subscripts {
            pieces.push(word("["));
            pieces.extend(subscript);
            pieces.push(word("]"));
        }
        Some(pieces)
    }
}

impl Writer<'_, '_> {
    /// The statement in place of a call.
    pub fn block(&mut self, name: &str, call: &CallExpression, span: ByteSpan) -> Result<Pieces, Refused> {
        let word = |text: &str| vec![(text.to_string(), span)];
        let mut begin = vec![];
        let [target, given, size] = &call.arguments[..] else { return Ok(vec![]) };
        let target = self.memory(name, target)?;
        let unit = bytes(&self.records, &target.element).unwrap_or(1);
        let count = self.count(size, unit)?.ok_or_else(|| {
            Refused::new(
                size.span,
                format!("this number of bytes is no number of elements of `{}` for sure", target.name),
                format!("each of its elements has {unit} bytes"),
                format!("write it as a number of elements, `n * sizeof {}[0]`", target.name),
            )
        })?;
        let count = self.steady_count(count, &target.name, &mut begin)?;
        let mut target = self.steady(target, &mut begin)?;
        if name == "memset" {
            let value = self.value(given, &target, &mut begin)?;
            let rows = self.rows(&mut target, count, &mut begin, span)?;
            let loops = rows.loops();
            let iterators = self.iterators(&rows.place.name, loops.len());
            let element = rows.element(&iterators, &loops, span).ok_or_else(|| no_rows(&target, span))?;
            let body = [element, word("="), value, word(";")].concat();
            return Ok([word("{"), begin, around(body, &iterators, &loops, false, span), word("}")].concat());
        }
        let source = self.memory(name, given)?;
        self.require_same(name, &target, &source, given.span)?;
        let mut source = self.steady(source, &mut begin)?;
        let same = joined(&target.base) == joined(&source.base);
        if name == "memmove" && !same && !self.is_apart(&target, &source) {
            return Err(Refused::new(
                span,
                format!("`{}` and `{}` may be the same memory", target.name, source.name),
                "whether they overlap is not known",
                "write `memcpy` where they are apart, or a loop in the order that is meant",
            ));
        }
        let mut to = self.rows(&mut target, count.clone(), &mut begin, span)?;
        let mut from = self.rows(&mut source, count, &mut begin, span)?;
        match to.loops().len().cmp(&from.loops().len()) {
            std::cmp::Ordering::Less => to = to.with_lead(span),
            std::cmp::Ordering::Greater => from = from.with_lead(span),
            std::cmp::Ordering::Equal => {}
        }
        let longer = if to.loops().len() >= from.loops().len() { &to } else { &from };
        let loops = longer.loops();
        let iterators = self.iterators(&target.name, loops.len());
        let (left, right) = (to.element(&iterators, &loops, span), from.element(&iterators, &loops, span));
        let (left, right) = left.zip(right).ok_or_else(|| no_rows(&source, span))?;
        let body = [left, word("="), right, word(";")].concat();
        let upwards = around(body.clone(), &iterators, &loops, false, span);
        let inner = match name == "memmove" && same {
            false => upwards,
            true => {
                let (to, from) = (to.place.subscripts.last(), from.place.subscripts.last());
                let (Some(to), Some(from)) = (to, from) else { return Err(no_rows(&source, span)) };
                let downwards = around(body, &iterators, &loops, true, span);
                let condition = [word("if"), word("("), to.clone(), word(">"), from.clone(), word(")")].concat();
                match (joined(to).parse::<u64>(), joined(from).parse::<u64>()) {
                    (Ok(to), Ok(from)) if to > from => downwards,
                    (Ok(_), Ok(_)) => upwards,
                    _ => [condition, word("{"), downwards, word("}"), word("else"), word("{"), upwards, word("}")]
                        .concat(),
                }
            }
        };
        Ok([word("{"), begin, inner, word("}")].concat())
    }

    /// What an argument of a call points to.
    fn memory(&self, call: &str, node: &Node<Expression>) -> Result<Place, Refused> {
        let mut inner = node;
        while let Expression::Cast(cast) = &inner.node {
            inner = &cast.node.expression;
        }
        self.pointer(inner).ok_or_else(|| {
            Refused::new(
                node.span,
                format!("burstc does not know the memory that `{call}` gets here"),
                "no array, row or element",
                "name an array, a row or an element, as `a`, `a[i]`, `&a[i * w]` or `a + k`",
            )
        })
    }

    /// Loops for `count` elements; where these are a part of several rows, through a pointer.
    fn rows(&mut self, place: &mut Place, count: Product, begin: &mut Pieces, at: ByteSpan) -> Result<Rows, Refused> {
        match Rows::of(place.clone(), count.clone(), at) {
            // Nobody would see that it stays in its row.
            Some(rows) if rows.place.subscripts.len() > 1 && rows.lead.is_nonlinear() => {
                return Err(no_rows(place, at));
            }
            Some(rows) => return Ok(rows),
            None => {}
        }
        let Base::Number(ty) = &place.element else { return Err(no_rows(place, at)) };
        let name = self.fresh(&format!("{}_p", place.name));
        let word = |text: &str| (text.to_string(), at);
        begin.extend([word(type_words(ty)), word("*"), word(&name), word("="), word("&")]);
        begin.extend(place.base.clone());
        let missing = place.dims.len() - place.subscripts.len();
        let zeros = std::iter::repeat_n(vec![word("0")], missing);
        for subscript in place.subscripts.clone().into_iter().chain(zeros) {
            begin.extend([vec![word("[")], subscript, vec![word("]")]].concat());
        }
        begin.push(word(";"));
        let subscripts = vec![vec![word("0")]];
        *place = Place {
            name: place.name.clone(),
            base: vec![word(&name)],
            subscripts,
            dims: vec![Dim { extent: None }],
            ..place.clone()
        };
        Rows::of(place.clone(), count, at).ok_or_else(|| no_rows(place, at))
    }

    fn iterators(&mut self, name: &str, count: usize) -> Vec<String> {
        (0..count).map(|_| self.fresh(&format!("{name}_i"))).collect()
    }

    /// Refuses a copy that would change what the bits mean.
    fn require_same(&self, call: &str, to: &Place, from: &Place, at: ByteSpan) -> Result<(), Refused> {
        let is_same = match (&to.element, &from.element) {
            (Base::Number(CType::Int(a)), Base::Number(CType::Int(b))) => a.bits == b.bits,
            (a, b) => a == b,
        };
        if is_same {
            return Ok(());
        }
        Err(Refused::new(
            at,
            format!("`{call}` copies bytes of `{}` into elements of another type, of `{}`", from.name, to.name),
            "another type",
            "burstc reads no bytes of other numbers; convert the elements one by one in a loop",
        ))
    }

    /// Whether two arrays are none that share memory: the kernel's arguments, and arrays that are declared.
    fn is_apart(&self, a: &Place, b: &Place) -> bool {
        let is_array = |place: &Place| match self.variables.get(&place.name) {
            Some(variable) if variable.is_parameter => self.is_kernel,
            Some(variable) => variable.dims.first().is_none_or(|dim| dim.extent.is_some()),
            None => false,
        };
        a.name != b.name && is_array(a) && is_array(b)
    }

    /// A value that is the same in all iterations: an element of an array goes into a variable before.
    fn steady_pieces(&mut self, pieces: Pieces, name: &str, begin: &mut Pieces) -> Result<Pieces, Refused> {
        let is_call =
            |k: usize| pieces[k].0 == "(" && k > 0 && is_name(&pieces[k - 1].0) && pieces[k - 1].0 != "sizeof";
        let is_change = |text: &str| {
            matches!(text, "++" | "--") || text.ends_with('=') && !matches!(text, "==" | "!=" | "<=" | ">=")
        };
        if let Some(k) = (0..pieces.len()).find(|k| is_call(*k) || is_change(&pieces[*k].0)) {
            return Err(Refused::new(
                pieces[k].1,
                "an argument that changes something, or calls a function",
                "here",
                "compute it in a statement before",
            ));
        }
        if !pieces.iter().any(|(text, _)| matches!(text.as_str(), "[" | "->")) {
            return Ok(pieces);
        }
        let at = pieces[0].1;
        let word = |text: &str| (text.to_string(), at);
        let name = self.fresh(&format!("{name}_n"));
        begin.extend([word("const"), word("long"), word(&name), word("=")]);
        begin.extend(pieces);
        begin.push(word(";"));
        Ok(vec![word(&name)])
    }

    fn steady(&mut self, mut place: Place, begin: &mut Pieces) -> Result<Place, Refused> {
        for k in 0..place.subscripts.len() {
            place.subscripts[k] = self.steady_pieces(place.subscripts[k].clone(), &place.name, begin)?;
        }
        Ok(place)
    }

    fn steady_count(&mut self, mut count: Product, name: &str, begin: &mut Pieces) -> Result<Product, Refused> {
        for k in 0..count.factors.len() {
            count.factors[k] = self.steady_pieces(count.factors[k].clone(), name, begin)?;
        }
        Ok(count)
    }

    /// The value of an element all of whose bytes are this one.
    fn value(&mut self, node: &Node<Expression>, place: &Place, begin: &mut Pieces) -> Result<Pieces, Refused> {
        let at = node.span;
        let word = |text: &str| (text.to_string(), at);
        let byte = constant(node).map(|value| (value & 255) as u64);
        let own = self.expression(node);
        let refused = |what: &str| {
            Refused::new(
                at,
                format!("`memset` of a byte that may be another one than 0 makes no {what} of `{}`", place.name),
                "a byte",
                "write a loop that assigns the number that is meant",
            )
        };
        match (&place.element, byte) {
            (Base::Record(_), Some(0)) if !place.words.contains('{') => {
                Ok([word("("), word(&place.words), word(")"), word("{"), word("0"), word("}")].to_vec())
            }
            (Base::Record(_), _) => Err(refused("structure")),
            (Base::Number(_), Some(0)) => Ok(vec![word("0")]),
            (Base::Number(CType::Bool), Some(1)) => Ok(vec![word("1")]),
            (Base::Number(CType::Int(ty)), Some(byte)) => Ok(vec![word(&repeated(byte, *ty))]),
            (Base::Number(CType::Int(ty)), None) => {
                let value = self.steady_pieces(own, &place.name, begin)?;
                let ones = repeated(1, ScalarType::integer(ty.bits, false));
                let value = [vec![word("(")], value, vec![word(")")]].concat();
                let byte = || [vec![word("(")], value.clone(), vec![word("&"), word("255"), word(")")]].concat();
                Ok(if ty.bits == 8 { value } else { [byte(), vec![word("*"), word(&ones)]].concat() })
            }
            (Base::Number(_), _) => Err(refused("number")),
        }
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

fn no_rows(place: &Place, at: ByteSpan) -> Refused {
    Refused::new(
        at,
        format!("these bytes of `{}` are neither whole rows nor a part of one", place.name),
        "here",
        "write the loops over rows and columns",
    )
}

/// The constant all of whose bytes are `byte`.
fn repeated(byte: u64, ty: ScalarType) -> String {
    let all = (0..ty.bits / 8).fold(0u64, |all, k| all | byte << (8 * k));
    match (ty.signed, ty.bits) {
        // The least number is no constant.
        (true, bits) if all >> (bits - 1) & 1 == 1 => {
            let above = (all as i64) << (64 - bits) >> (64 - bits);
            format!("({}{} - 1)", above + 1, if bits == 64 { "ll" } else { "" })
        }
        (false, 32) => format!("{all}u"),
        (false, 64) => format!("{all}ull"),
        (true, 64) => format!("{all}ll"),
        _ => all.to_string(),
    }
}

/// Loops around a statement; `downwards` the outermost of them.
fn around(body: Pieces, iterators: &[String], loops: &[Product], downwards: bool, at: ByteSpan) -> Pieces {
    let word = |text: &str| vec![(text.to_string(), at)];
    let mut all = body;
    for (k, (iterator, extent)) in iterators.iter().zip(loops).enumerate().rev() {
        let count = extent.text("", at);
        let name = || word(iterator);
        let head = match downwards && k == 0 {
            false => [
                word("int"),
                name(),
                word("="),
                word("0"),
                word(";"),
                name(),
                word("<"),
                count,
                word(";"),
                name(),
                word("++"),
            ],
            true => [
                word("int"),
                name(),
                word("="),
                count,
                word("-"),
                [word("1"), word(";")].concat(),
                name(),
                word(">="),
                [word("0"), word(";")].concat(),
                name(),
                word("--"),
            ],
        };
        all = [word("for"), word("("), head.concat(), word(")"), all].concat();
    }
    all
}
