//! Initializers of arrays with the braces that C lets leave out (6.7.9), on C's own tree: `int m[2][2] = {1, 2, [1] = 3}` is
//! `int m[2][2] = {{1, 2}, {3}}`, `char t[][4] = {"ab", {"c"}}` is `char t[2][4] = {{'a', 'b', '\0'}, {'c', '\0'}}`. What is not
//! understood stays as it is.

use std::collections::BTreeMap;

use lang_c::ast::{
    ArraySize, DerivedDeclarator, Designator, Expression, InitDeclarator, Initializer, InitializerListItem,
};
use lang_c::span::{Node, Span};

use super::constants::Constants;
use super::function::derived;
use super::plain::number;
use super::strings::characters_of;

type Item = Node<InitializerListItem>;

/// An array that an initializer is for.
struct Shape<'c> {
    /// A string is a row of its elements.
    is_character: bool,
    constants: &'c Constants<'c>,
}

/// Rewrites what an array of numbers begins with. An extent that the declaration leaves open is put there.
pub fn braced(declarator: &mut InitDeclarator, is_character: bool, constants: &Constants, span: Span) {
    let Some(Node { node: Initializer::List(items), .. }) = &declarator.initializer else { return };
    let Some(extents) = extents(declarator, constants) else { return };
    let shape = Shape { is_character, constants };
    let Some(list) = shape.list(items, &extents) else { return };
    let Initializer::List(rows) = &list else { return };
    let end = rows.iter().fold(0, |at, row| shape.designated(row).unwrap_or(at).saturating_add(1));
    declarator.initializer = Some(Node::new(list, span));
    if extents[0] == OPEN && end > 0 {
        let first = declarator.declarator.node.derived.iter_mut().find_map(|part| match &mut part.node {
            DerivedDeclarator::Array(array) => Some(array),
            _ => None,
        });
        if let Some(first) = first.filter(|first| matches!(first.node.size, ArraySize::Unknown)) {
            first.node.size = ArraySize::VariableExpression(Box::new(number(&end.to_string(), span)));
        }
    }
}

/// The extent that a list without designators says, of an array whose elements take so many `numbers` each; `None` where that does
/// not show.
pub fn rows(items: &[Item], numbers: Option<u64>) -> Option<u64> {
    let is_text = |item: &Item| matches!(&item.node.initializer.node, Initializer::Expression(own) if matches!(own.node, Expression::StringLiteral(_)));
    let is_list = |item: &Item| matches!(item.node.initializer.node, Initializer::List(_));
    if items.iter().any(|item| !item.node.designation.is_empty() || is_text(item)) {
        return None;
    }
    match items.iter().filter(|item| is_list(item)).count() {
        0 => Some((items.len() as u64).div_ceil(numbers.filter(|numbers| *numbers > 0)?)),
        lists => (lists == items.len()).then_some(lists as u64),
    }
}

/// The extent of an array that is as long as its initializer.
const OPEN: usize = usize::MAX;

/// The extents of an array, outermost first; `None` where it is none, or they are no constants.
fn extents(declarator: &InitDeclarator, constants: &Constants) -> Option<Vec<usize>> {
    let mut extents = vec![];
    for part in derived(&declarator.declarator) {
        let DerivedDeclarator::Array(array) = &part.node else { return None };
        extents.push(match &array.node.size {
            ArraySize::VariableExpression(size) => {
                usize::try_from(constants.number(size)?).ok().filter(|size| (1..OPEN).contains(size))?
            }
            ArraySize::Unknown if extents.is_empty() => OPEN,
            _ => return None,
        });
    }
    (!extents.is_empty()).then_some(extents)
}

impl Shape<'_> {
    /// A list in braces, for an array with these extents.
    fn list(&self, items: &[Item], extents: &[usize]) -> Option<Initializer> {
        // A string may have braces of its own.
        if let ([only], [extent], true) = (items, extents, self.is_character)
            && let (Initializer::Expression(text), []) = (&only.node.initializer.node, &only.node.designation[..])
            && let Expression::StringLiteral(_) = text.node
        {
            return characters_of(text, *extent).map(Initializer::List);
        }
        let mut next = 0;
        let list = self.row(items, &mut next, extents, true)?;
        (next == items.len()).then_some(Initializer::List(list))
    }

    /// The items for an array's elements; without braces of its own it takes as many as it has elements.
    fn row(&self, items: &[Item], next: &mut usize, extents: &[usize], is_braced: bool) -> Option<Vec<Item>> {
        let (&extent, inner) = extents.split_first()?;
        let first = *next;
        let mut parts: BTreeMap<usize, Node<Initializer>> = BTreeMap::new();
        let mut at = 0usize;
        while let Some(item) = items.get(*next) {
            match &item.node.designation[..] {
                [] => {}
                // It is the list's that has braces, which has followed it here.
                _ if !is_braced && *next == first => {}
                _ if !is_braced => break,
                _ => at = self.designated(item)?,
            }
            if at >= extent {
                if is_braced {
                    return None;
                }
                break;
            }
            let is_again = parts.contains_key(&at);
            let part = self.part(items, next, inner, is_again)?;
            parts.insert(at, part);
            at += 1;
        }
        let mut expected = 0;
        let list = parts.into_iter().map(|(at, part)| {
            let span = part.span;
            let designation = match at == expected {
                true => vec![],
                false => {
                    let index = Designator::Index(number(&at.to_string(), span));
                    vec![Node::new(index, span)]
                }
            };
            expected = at + 1;
            Node::new(InitializerListItem { designation, initializer: Box::new(part) }, span)
        });
        Some(list.collect())
    }

    /// The element that an item's only designator says.
    fn designated(&self, item: &Item) -> Option<usize> {
        let [Node { node: Designator::Index(index), .. }] = &item.node.designation[..] else { return None };
        usize::try_from(self.constants.number(index)?).ok()
    }

    /// The initializer of one element, which has these extents. What is said of it `again` takes the place of all that was said
    /// before; without braces it would be the place of a part only, which is refused.
    fn part(&self, items: &[Item], next: &mut usize, extents: &[usize], is_again: bool) -> Option<Node<Initializer>> {
        let own = &items.get(*next)?.node.initializer;
        let part = match (&own.node, extents) {
            (Initializer::Expression(_), []) => own.node.clone(),
            // A number may have braces of its own.
            (Initializer::List(list), []) => {
                let [only] = &list[..] else { return None };
                let is_plain = only.node.designation.is_empty();
                let number = &only.node.initializer.node;
                (is_plain && matches!(number, Initializer::Expression(_))).then(|| number.clone())?
            }
            (Initializer::List(list), _) => self.list(list, extents)?,
            (Initializer::Expression(value), _) => match (&value.node, extents) {
                (Expression::StringLiteral(_), [extent]) if self.is_character => {
                    Initializer::List(characters_of(value, *extent)?)
                }
                (Expression::StringLiteral(_), [_]) => return None,
                _ if is_again => return None,
                _ => {
                    return self
                        .row(items, next, extents, false)
                        .map(|list| Node::new(Initializer::List(list), own.span));
                }
            },
        };
        *next += 1;
        Some(Node::new(part, own.span))
    }
}
