//! Values of whole structures: copies, and what structures begin with.

use lang_c::ast::{Designator, Expression, Initializer, InitializerListItem};
use lang_c::span::{Node, Span as ByteSpan};

use super::super::strings::spelled;
use super::super::types::CType;
use super::place::Place;
use super::record::{Base, Dim, Records, Ty, constant, qualified, type_words};
use super::{Pieces, Walker};

/// The most numbers that are copied one by one; more make loops.
const UNROLLED: u64 = 64;
/// The most numbers of a list.
const LISTED: u64 = 1 << 16;

/// A value of a structure.
pub enum Value {
    Place(Place),
    /// All its numbers, in order; 0 for what is not given.
    List(Vec<Option<Pieces>>),
    Choice(Pieces, Box<Value>, Box<Value>),
}

/// A member of a member, down to a number.
pub struct Group {
    /// The members' numbers, each with the extents behind it.
    steps: Vec<(usize, Vec<u64>)>,
    /// `_x_y`
    pub path: String,
    /// Of all the members.
    pub extents: Vec<u64>,
    pub ty: CType,
}

impl Records {
    pub fn groups(&self, base: &Base) -> Vec<Group> {
        match base {
            Base::Number(ty) => vec![Group { steps: vec![], path: String::new(), extents: vec![], ty: ty.clone() }],
            Base::Record(record) => {
                let mut all = vec![];
                for (number, member) in self.all[*record].members.iter().enumerate() {
                    for group in self.groups(&member.base) {
                        all.push(Group {
                            steps: [vec![(number, member.extents.clone())], group.steps].concat(),
                            path: format!("_{}{}", member.name, group.path),
                            extents: [member.extents.clone(), group.extents].concat(),
                            ty: group.ty,
                        });
                    }
                }
                all
            }
        }
    }

    /// How many numbers a value has.
    fn count(&self, ty: &Ty) -> Option<u64> {
        let each = self.leaves(&ty.base)?;
        let all = ty.dims.iter().try_fold(each, |n, dim| match dim {
            Dim::Array(Some(extent)) => n.checked_mul(*extent),
            _ => None,
        });
        all.filter(|all| *all <= LISTED)
    }

    /// The types of the parts of a value, each with the number of its first.
    fn parts(&self, ty: &Ty) -> Option<Vec<(Ty, u64)>> {
        if let Some(first) = ty.dims.first() {
            let Dim::Array(Some(extent)) = first else { return None };
            let inner = Ty { base: ty.base.clone(), dims: ty.dims[1..].to_vec() };
            let count = self.count(&inner)?;
            return Some((0..*extent).map(|k| (inner.clone(), k * count)).collect());
        }
        let Base::Record(record) = ty.base else { return None };
        let mut at = 0;
        let mut parts = vec![];
        for member in &self.all[record].members {
            let dims = member.extents.iter().map(|extent| Dim::Array(Some(*extent))).collect();
            let inner = Ty { base: member.base.clone(), dims };
            let count = self.count(&inner)?;
            parts.push((inner, at));
            at += count;
        }
        Some(parts)
    }
}

/// Every tuple of subscripts.
fn tuples(extents: &[u64]) -> Vec<Vec<u64>> {
    extents.iter().fold(vec![vec![]], |all, extent| {
        all.iter().flat_map(|begin| (0..*extent).map(move |k| [begin.clone(), vec![k]].concat())).collect()
    })
}

impl Walker<'_, '_> {
    /// The value of an expression that is a structure of this type.
    pub fn value(&mut self, node: &Node<Expression>, ty: &Ty) -> Option<Value> {
        match &node.node {
            Expression::Conditional(choice) => {
                let condition = self.rewritten(&choice.node.condition).0;
                let then = self.value(&choice.node.then_expression, ty)?;
                let otherwise = self.value(&choice.node.else_expression, ty)?;
                Some(Value::Choice(condition, Box::new(then), Box::new(otherwise)))
            }
            Expression::CompoundLiteral(literal) => {
                let name = &literal.node.type_name.node;
                let record = self.records.of_known(&qualified(&name.specifiers))?;
                (name.declarator.is_none() && ty.dims.is_empty() && ty.base == Base::Record(record)).then_some(())?;
                self.list(&literal.node.initializer_list, ty).map(|(values, _)| Value::List(values))
            }
            _ => {
                let place = self.place(node)?;
                (place.record().is_some() && place.ty == *ty).then_some(Value::Place(place))
            }
        }
    }

    /// What a declaration begins with.
    pub fn initial(&mut self, first: &Initializer, ty: &Ty) -> Option<Value> {
        match first {
            Initializer::Expression(value) => self.value(value, ty),
            Initializer::List(items) => {
                let mut ty = ty.clone();
                let is_open = matches!(ty.dims.first(), Some(Dim::Array(None)));
                if !is_open {
                    return self.list(items, &ty).map(|(values, _)| Value::List(values));
                }
                // As long as the list: without braces, each value may still be of a structure of its own.
                let is_plain = items.iter().all(|item| item.node.designation.is_empty());
                is_plain.then_some(())?;
                ty.dims[0] = Dim::Array(Some(items.len() as u64));
                let (mut values, count) = self.list(items, &ty)?;
                let each = values.len() / items.len().max(1);
                values.truncate(each * count);
                Some(Value::List(values))
            }
        }
    }

    /// The numbers of a list in braces, and how many parts of the value the list speaks of.
    fn list(&mut self, items: &[Node<InitializerListItem>], ty: &Ty) -> Option<(Vec<Option<Pieces>>, usize)> {
        let mut values = vec![None; usize::try_from(self.records.count(ty)?).ok()?];
        let mut next = 0;
        let count = self.fill(items, &mut next, ty, 0, &mut values, true)?;
        (next == items.len()).then_some((values, count))
    }

    /// Gives the characters of a string to the parts of a value, if it is an array of characters.
    fn string(&mut self, text: &Node<Expression>, ty: &Ty, first: u64, values: &mut [Option<Pieces>]) -> Option<()> {
        let ([Dim::Array(Some(extent))], Base::Number(own)) = (&ty.dims[..], &ty.base) else { return None };
        own.is_character().then_some(())?;
        let at = ByteSpan::span(text.span.start, text.span.start + 1);
        let first = usize::try_from(first).ok()?;
        let own = values.get_mut(first..first + usize::try_from(*extent).ok()?)?;
        // What a second string leaves out is 0, too.
        own.fill(None);
        let characters = spelled(text).filter(|characters| characters.len() <= own.len())?;
        for (value, character) in own.iter_mut().zip(characters) {
            *value = Some(vec![(character, at)]);
        }
        Some(())
    }

    /// Gives items to the parts of a value; without braces of its own it takes as many as it has parts. How many it has come to.
    fn fill(
        &mut self,
        items: &[Node<InitializerListItem>],
        next: &mut usize,
        ty: &Ty,
        first: u64,
        values: &mut [Option<Pieces>],
        is_braced: bool,
    ) -> Option<usize> {
        // A string may have braces of its own.
        if let ([only], true) = (items, is_braced)
            && let (Initializer::Expression(text), []) = (&only.node.initializer.node, &only.node.designation[..])
            && matches!(text.node, Expression::StringLiteral(_))
            && self.string(text, ty, first, values).is_some()
        {
            *next += 1;
            return Some(1);
        }
        let parts = self.records.parts(ty)?;
        let (mut at, begun) = (0usize, *next);
        while let Some(item) = items.get(*next) {
            match &item.node.designation[..] {
                [] => {}
                _ if !is_braced && *next == begun => {}
                _ if !is_braced => return Some(at),
                [designator] => {
                    at = match &designator.node {
                        Designator::Member(name) => {
                            let Base::Record(record) = ty.base else { return None };
                            self.records.member(record, &name.node.name).filter(|_| ty.dims.is_empty())?
                        }
                        Designator::Index(index) if !ty.dims.is_empty() => usize::try_from(constant(index)?).ok()?,
                        _ => return None,
                    }
                }
                _ => return None,
            }
            let Some((part, offset)) = parts.get(at) else {
                return (!is_braced).then_some(at);
            };
            let begin = first + offset;
            let is_number = part.dims.is_empty() && matches!(part.base, Base::Number(_));
            match &item.node.initializer.node {
                Initializer::List(inner) if is_number => {
                    let [only] = &inner[..] else { return None };
                    let Initializer::Expression(value) = &only.node.initializer.node else { return None };
                    values[begin as usize] = Some(self.rewritten(value).0);
                    *next += 1;
                }
                Initializer::List(inner) => {
                    // A second list for a part leaves nothing of the first.
                    let count = usize::try_from(self.records.count(part)?).ok()?;
                    values.get_mut(begin as usize..begin as usize + count)?.fill(None);
                    let mut own = 0;
                    self.fill(inner, &mut own, part, begin, values, true)?;
                    (own == inner.len()).then_some(())?;
                    *next += 1;
                }
                Initializer::Expression(value) if is_number => {
                    values[begin as usize] = Some(self.rewritten(value).0);
                    *next += 1;
                }
                Initializer::Expression(value) if matches!(value.node, Expression::StringLiteral(_)) => {
                    match self.string(value, part, begin, values) {
                        Some(()) => *next += 1,
                        None => drop(self.fill(items, next, part, begin, values, false)?),
                    }
                }
                Initializer::Expression(value) => match self.value(value, part) {
                    Some(whole) => {
                        self.spread(&whole, part, begin, values)?;
                        *next += 1;
                    }
                    None => drop(self.fill(items, next, part, begin, values, false)?),
                },
            }
            at += 1;
            if !is_braced && at == parts.len() {
                return Some(at);
            }
        }
        Some(at)
    }

    /// A structure among the values of a list.
    fn spread(&mut self, whole: &Value, ty: &Ty, first: u64, values: &mut [Option<Pieces>]) -> Option<()> {
        let mut at = first as usize;
        for group in self.records.groups(&ty.base) {
            for tuple in tuples(&group.extents) {
                values[at] = Some(self.number(whole, &group, &tuple, at - first as usize).ok()?);
                at += 1;
            }
        }
        Some(())
    }

    /// One number of a value; a subscript may be a name.
    fn number(&mut self, value: &Value, group: &Group, tuple: &[u64], ordinal: usize) -> Result<Pieces, String> {
        let words: Vec<String> = tuple.iter().map(u64::to_string).collect();
        self.number_at(value, group, &words, ordinal)
    }

    fn number_at(&mut self, value: &Value, group: &Group, tuple: &[String], ordinal: usize) -> Result<Pieces, String> {
        match value {
            Value::Place(place) => {
                let leaf = self.leaf(place, group, tuple)?;
                self.read(&leaf)
            }
            Value::List(values) => Ok(match values.get(ordinal).cloned().flatten() {
                Some(value) => value,
                None => vec![("0".into(), lang_c::span::Span::span(0, 0))],
            }),
            Value::Choice(condition, then, otherwise) => {
                let then = self.number_at(then, group, tuple, ordinal)?;
                let otherwise = self.number_at(otherwise, group, tuple, ordinal)?;
                let at = condition.first().map_or(lang_c::span::Span::span(0, 0), |(_, at)| *at);
                let word = |text: &str| vec![(text.to_string(), at)];
                Ok([
                    word("("),
                    word("("),
                    condition.clone(),
                    word(")"),
                    word("?"),
                    word("("),
                    then,
                    word(")"),
                    word(":"),
                    word("("),
                    otherwise,
                    word(")"),
                    word(")"),
                ]
                .concat())
            }
        }
    }

    fn leaf(&self, place: &Place, group: &Group, tuple: &[String]) -> Result<Place, String> {
        let failed = || "burstc cannot copy this structure".to_string();
        let (mut leaf, mut next) = (place.clone(), tuple.iter());
        for (number, extents) in &group.steps {
            let record = leaf.record().ok_or_else(failed)?;
            let name = self.records.all[record].members[*number].name.clone();
            leaf = leaf.member(&self.records, &name, false).ok_or_else(failed)?;
            for by in next.by_ref().take(extents.len()) {
                leaf = leaf.index(vec![(by.clone(), place.at)]).ok_or_else(failed)?;
            }
        }
        Ok(leaf)
    }

    /// Assignments of all numbers.
    pub fn copied(&mut self, target: &Place, value: &Value) -> Result<Pieces, String> {
        let word = |text: &str| (text.to_string(), target.at);
        let outer: Vec<u64> = target
            .ty
            .dims
            .iter()
            .map(|dim| match dim {
                Dim::Array(Some(extent)) => Ok(*extent),
                _ => match value {
                    Value::List(values) => Ok(values.len() as u64 / self.records.leaves(&target.ty.base).unwrap_or(1)),
                    _ => Err("burstc cannot copy arrays of structures".to_string()),
                },
            })
            .collect::<Result<_, _>>()?;
        let each = self.records.leaves(&target.ty.base).unwrap_or(u64::MAX);
        let count = outer.iter().product::<u64>().saturating_mul(each);
        // What is read must not have been written.
        let is_simple = matches!(value, Value::Place(place) if !place.reads);
        if count > UNROLLED && (outer.is_empty() && is_simple) {
            return self.looped(target, value);
        }
        if count > 16 * UNROLLED {
            return Err("a structure with so many numbers is no list".to_string());
        }
        let (mut pieces, mut behind) = (vec![], vec![]);
        for (element, own) in tuples(&outer).into_iter().enumerate() {
            let mut place = target.clone();
            for by in &own {
                place = place.index(vec![word(&by.to_string())]).ok_or("burstc cannot copy this structure")?;
            }
            let mut ordinal = element * each as usize;
            for group in self.records.groups(&target.ty.base) {
                for tuple in tuples(&group.extents) {
                    let words: Vec<String> = tuple.iter().map(u64::to_string).collect();
                    let leaf = self.leaf(&place, &group, &words)?;
                    let left = self.written(&leaf)?;
                    let right = self.number(value, &group, &tuple, ordinal)?;
                    ordinal += 1;
                    if is_simple {
                        pieces.extend([left, vec![word("=")], right, vec![word(";")]].concat());
                        continue;
                    }
                    self.made += 1;
                    let name = self.fresh(&format!("{}_{}", target.variable.name, self.made));
                    pieces.extend([word(type_words(&group.ty)), word(&name), word("=")]);
                    pieces.extend(right);
                    pieces.push(word(";"));
                    behind.extend([left, vec![word("="), word(&name), word(";")]].concat());
                }
            }
        }
        pieces.extend(behind);
        Ok(pieces)
    }

    /// A copy with a loop for every array.
    fn looped(&mut self, target: &Place, value: &Value) -> Result<Pieces, String> {
        let word = |text: &str| (text.to_string(), target.at);
        let mut pieces = vec![];
        for group in self.records.groups(&target.ty.base) {
            let mut names = vec![];
            for extent in &group.extents {
                self.made += 1;
                let name = self.fresh(&format!("{}_{}", target.variable.name, self.made));
                let head =
                    ["for", "(", "int", &name, "=", "0", ";", &name, "<", &extent.to_string(), ";", &name, "++", ")"];
                pieces.extend(head.map(word));
                names.push(name);
            }
            let leaf = self.leaf(target, &group, &names)?;
            pieces.extend(self.written(&leaf)?);
            pieces.push(word("="));
            pieces.extend(self.number_at(value, &group, &names, 0)?);
            pieces.push(word(";"));
        }
        Ok(pieces)
    }

    /// Constants: an array of numbers for every member.
    pub fn table(&mut self, place: &Place, value: Option<Value>) -> Result<Pieces, String> {
        let Some(Value::List(values)) = value else { return Err("constants without a list of values".into()) };
        let word = |text: &str| (text.to_string(), place.at);
        let each = self.records.leaves(&place.ty.base).unwrap_or(1) as usize;
        let mut outer: Vec<u64> = vec![];
        for dim in &place.ty.dims {
            match dim {
                Dim::Array(Some(extent)) => outer.push(*extent),
                _ => outer.push((values.len() / each) as u64),
            }
        }
        let mut pieces = vec![];
        let mut first = 0;
        for group in self.records.groups(&place.ty.base) {
            let own = tuples(&group.extents).len();
            let name = self.member_name(&place.variable.name, &group.path);
            pieces.extend(["static", "const", type_words(&group.ty), &name].map(word));
            let extents = [outer.clone(), group.extents.clone()].concat();
            for extent in &extents {
                pieces.extend([word("["), word(&extent.to_string()), word("]")]);
            }
            pieces.push(word("="));
            let mut all = vec![];
            for element in 0..outer.iter().product::<u64>() as usize {
                all.extend((0..own).map(|k| values.get(element * each + first + k).cloned().flatten()));
            }
            if extents.is_empty() {
                pieces.extend(all.remove(0).unwrap_or_else(|| vec![word("0")]));
            } else {
                pieces.extend(nested(&all, &extents, &word));
            }
            pieces.push(word(";"));
            first += own;
        }
        Ok(pieces)
    }
}

fn nested(all: &[Option<Pieces>], extents: &[u64], word: &dyn Fn(&str) -> super::Piece) -> Pieces {
    let mut pieces = vec![word("{")];
    let (count, rest) = (extents[0] as usize, &extents[1..]);
    for (k, part) in all.chunks((all.len() / count.max(1)).max(1)).enumerate() {
        if k > 0 {
            pieces.push(word(","));
        }
        match rest.is_empty() {
            true => pieces.extend(part[0].clone().unwrap_or_else(|| vec![word("0")])),
            false => pieces.extend(nested(part, rest, word)),
        }
    }
    pieces.push(word("}"));
    pieces
}
