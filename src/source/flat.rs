//! Arrays of several dimensions that C has as one: `in[y * w + x]` of `in[h * w]`, on C's own tree. Where every element of such
//! an argument is named by a sum in which a factor of the extent is a factor of the row, the argument becomes `in[h][w]` and
//! the element `in[y][x]`: the same cell. That `x` stays below `w` is demanded where all subscripts are; no row reaches
//! into the next. What is not written like that stays as it is, and its extent is refused.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    ArrayDeclarator, ArraySize, BinaryOperator, BlockItem, CallExpression, Declarator, DeclaratorKind,
    DerivedDeclarator, Expression, ExternalDeclaration, ForInitializer, FunctionDefinition, Identifier, Initializer,
    Statement, TranslationUnit, TypeName,
};
use lang_c::span::{Node, Span};
use lang_c::visit::Visit;

use super::function::{derived, identifier};
use super::known::{Declared, Wanted, changed, substitute};
use super::plain::{binary, factors, number, subscripted, variable};
use super::polynomial::{Integers, Polynomial};
use super::types::Types;

/// `a[FLAT(k, most)]` is the element `k` of all of the array `a`, of several dimensions, with what `k` is at most or the name itself
/// ([`super::pointers`]).
pub const FLAT: &str = "__burstc_flat";
/// The most factors whose orders are tried.
const FACTORS: usize = 4;

/// Rewrites the arrays of all functions. `shapes` has the extents that directives give pointers.
pub fn flat(unit: &mut TranslationUnit, shapes: &HashMap<String, Vec<String>>, types: &Types) {
    for external in &mut unit.0 {
        if let ExternalDeclaration::FunctionDefinition(function) = &mut external.node {
            arrays(&mut function.node, shapes, types);
        }
    }
}

/// Subscripts: whatever they are, they are integers.
struct Subscripts<'t>(&'t Types);

impl Integers for Subscripts<'_> {
    fn keeps(&self, ty: &TypeName) -> bool {
        self.0.of_name(ty).integer().is_some_and(|ty| ty.bits >= 32)
    }

    fn is_integer(&self, _: &str) -> bool {
        false
    }
}

/// An array whose elements may have other subscripts.
struct Candidate {
    name: String,
    extents: Extents,
}

enum Extents {
    /// `a[h * w]`, by its factors.
    Product(Vec<Polynomial>),
    /// `*a`, of which a directive tells these extents.
    Shape(Vec<Polynomial>),
    /// `a[h][w]`, of which pointers name elements.
    Rows(Vec<Polynomial>),
}

impl Extents {
    fn all(&self) -> &[Polynomial] {
        let (Extents::Product(all) | Extents::Shape(all) | Extents::Rows(all)) = self;
        all
    }
}

fn arrays(function: &mut FunctionDefinition, shapes: &HashMap<String, Vec<String>>, types: &Types) {
    let declared = Declared::of(function, types);
    let mut candidates = vec![];
    declarators(function, &mut |declarator| {
        if let Some(candidate) = candidate(declarator, shapes, types) {
            candidates.push(candidate);
        }
    });
    let changed = changed(&function.statement);
    let has_marks = |name: &str| names(&function.statement, FLAT) > 0 && marks(&function.statement, name) > 0;
    candidates.retain(|candidate| {
        let sizes = candidate.extents.all().iter().flat_map(Polynomial::names);
        declared.times(&candidate.name) == 1
            && sizes.into_iter().all(|size| !changed.contains(&size) && declared.times(&size) <= 1)
            && (!matches!(candidate.extents, Extents::Rows(_)) || has_marks(&candidate.name))
    });
    if candidates.is_empty() {
        return;
    }
    let wanted = Wanted {
        arrays: candidates.iter().map(|candidate| candidate.name.clone()).collect(),
        sizes: candidates.iter().flat_map(|c| c.extents.all()).flat_map(Polynomial::names).collect(),
        products: candidates.iter().map(|c| c.extents.all().iter().flat_map(Polynomial::names).collect()).collect(),
    };
    substitute(function, &wanted, types);
    for candidate in candidates {
        let subscripts = Subscripts(types);
        let name = &candidate.name;
        match &candidate.extents {
            Extents::Rows(extents) => {
                let is_whole = marked(&mut function.statement, name, extents, &subscripts);
                if is_whole {
                    declarators(function, &mut |declarator| one_dimension(declarator, name));
                }
            }
            Extents::Shape(extents) => {
                let fits = are_of(&function.statement, name, extents, &subscripts, &wanted.sizes);
                if fits {
                    take(&mut function.statement, name, extents, &subscripts);
                    declarators(function, &mut |declarator| rows_of_pointer(declarator, name, extents));
                }
            }
            Extents::Product(factors) => {
                let mut orders = orders(factors).into_iter();
                let order = orders.find(|order| are_of(&function.statement, name, order, &subscripts, &wanted.sizes));
                if let Some(order) = order {
                    take(&mut function.statement, name, &order, &subscripts);
                    declarators(function, &mut |declarator| dimensions(declarator, name, &order));
                }
            }
        }
    }
}

/// Calls `act` with what declares the arguments and the variables of a function.
fn declarators(function: &mut FunctionDefinition, act: &mut dyn FnMut(&mut Node<Declarator>)) {
    for part in &mut function.declarator.node.derived {
        if let DerivedDeclarator::Function(prototype) = &mut part.node {
            prototype.node.parameters.iter_mut().filter_map(|p| p.node.declarator.as_mut()).for_each(&mut *act);
        }
    }
    local(&mut function.statement, act);
}

fn local(node: &mut Node<Statement>, act: &mut dyn FnMut(&mut Node<Declarator>)) {
    if let Statement::Compound(items) = &mut node.node {
        for item in items {
            match &mut item.node {
                BlockItem::Declaration(declaration) => {
                    declaration.node.declarators.iter_mut().for_each(|d| act(&mut d.node.declarator));
                }
                BlockItem::Statement(inner) => local(inner, act),
                BlockItem::StaticAssert(_) => {}
            }
        }
    } else {
        super::plain::inner(&mut node.node).into_iter().for_each(|inner| local(inner, act));
    }
}

fn candidate(declarator: &Node<Declarator>, shapes: &HashMap<String, Vec<String>>, types: &Types) -> Option<Candidate> {
    let name = identifier(&declarator.node)?.node.name.clone();
    let value = |size: &Node<Expression>| {
        Polynomial::of(size, &Subscripts(types), true).filter(Polynomial::is_plain).filter(|size| !size.is_zero())
    };
    let parts = derived(declarator);
    let extents = match &parts[..] {
        [only] if matches!(only.node, DerivedDeclarator::Pointer(_)) => {
            let shape = shapes.get(&name).filter(|shape| shape.len() > 1)?;
            let length = |word: &String| match word.parse() {
                Ok(number) => Polynomial::constant(number),
                Err(_) => Polynomial::variable(word),
            };
            Extents::Shape(shape.iter().map(length).collect())
        }
        [only] => {
            let factors: Option<Vec<_>> = factors(extent(only)?).into_iter().map(value).collect();
            Extents::Product(factors.filter(|factors| factors.len() > 1)?)
        }
        [first, others @ ..] => {
            // How many rows there are need not be known.
            let first = extent(first).and_then(value).unwrap_or_else(|| Polynomial::constant(1));
            let others: Option<Vec<_>> = others.iter().map(|part| value(extent(part)?)).collect();
            Extents::Rows([vec![first], others?].concat())
        }
        [] => return None,
    };
    Some(Candidate { name, extents })
}

/// The dimensions that a product of extents may be, those first that are written like that.
fn orders(factors: &[Polynomial]) -> Vec<Vec<Polynomial>> {
    let (constants, sizes): (Vec<_>, Vec<_>) = factors.iter().partition(|factor| factor.as_constant().is_some());
    if sizes.is_empty() || sizes.len() > FACTORS {
        return vec![];
    }
    let constant = constants.into_iter().try_fold(Polynomial::constant(1), |product, factor| product.times(factor));
    let Some(constant) = constant else { return vec![] };
    let mut permutations: Vec<Vec<&Polynomial>> = vec![vec![]];
    for _ in 0..sizes.len() {
        permutations = permutations
            .into_iter()
            .flat_map(|known| {
                let uses = |size: &Polynomial| known.iter().filter(|own| std::ptr::eq(**own, size)).count();
                let left: Vec<_> = sizes.iter().filter(|size| uses(size) == 0).collect();
                left.into_iter().map(|next| [known.clone(), vec![*next]].concat()).collect::<Vec<_>>()
            })
            .collect();
    }
    let mut orders = vec![];
    for sizes in permutations {
        let sizes: Vec<Polynomial> = sizes.into_iter().cloned().collect();
        if constant.as_constant() == Some(1) {
            orders.push(sizes);
            continue;
        }
        // Pixels of several channels are words of a row, and planes are what rows are of.
        orders.push([vec![constant.clone()], sizes.clone()].concat());
        for k in (0..sizes.len()).rev() {
            let mut own = sizes.clone();
            if let Some(size) = own[k].times(&constant) {
                own[k] = size;
                orders.push(own);
            }
        }
    }
    orders.retain(|order| order.len() > 1);
    orders
}

/// A place in an array as subscripts, outermost first.
fn split(subscript: &Polynomial, extents: &[Polynomial]) -> Option<Vec<Polynomial>> {
    let (mut rest, mut subscripts) = (subscript.clone(), vec![]);
    for extent in extents[1..].iter().rev() {
        let [mut rows, mut place] = rest.divided(extent)?;
        // From the end of a row, as in `y * w + w - 1`, the row before says where the place is.
        if place.is_negative() {
            (rows, place) = (rows.plus(&Polynomial::constant(1), -1)?, place.plus(extent, 1)?);
        }
        subscripts.push(place);
        rest = rows;
    }
    subscripts.push(rest);
    subscripts.reverse();
    Some(subscripts)
}

/// Whether the body names the array by elements only, all of which are sums of the dimensions' multiples, and some are not in the
/// first row of each.
fn are_of(
    body: &Node<Statement>,
    name: &str,
    extents: &[Polynomial],
    integers: &dyn Integers,
    sizes: &HashSet<String>,
) -> bool {
    let (mut elements, mut are_split) = (0, true);
    let mut rows = vec![false; extents.len()];
    // The walker changes what it is given.
    let mut copy = body.clone();
    each_element(&mut copy, name, &mut |subscripts| {
        elements += 1;
        let parts = match &subscripts[..] {
            [only] => Polynomial::of(only, integers, true).and_then(|place| split(&place, extents)),
            _ => None,
        };
        match parts.filter(|parts| !parts.iter().any(|part| part.multiplies(sizes))) {
            Some(parts) => {
                rows.iter_mut().zip(&parts).for_each(|(row, part)| *row |= part.as_constant().is_none());
            }
            None => are_split = false,
        }
    });
    are_split && elements == names(body, name) && rows[..rows.len() - 1].iter().all(|row| *row)
}

fn take(body: &mut Node<Statement>, name: &str, extents: &[Polynomial], integers: &dyn Integers) {
    each_element(body, name, &mut |subscripts| {
        let [only] = &subscripts[..] else { return };
        let span = only.span;
        if let Some(parts) = Polynomial::of(only, integers, true).and_then(|place| split(&place, extents)) {
            *subscripts = parts.iter().map(|part| part.expression(span)).collect();
        }
    });
}

/// How often a name stands in a body.
fn names(body: &Node<Statement>, name: &str) -> usize {
    struct Names<'n>(&'n str, usize);
    impl<'ast> Visit<'ast> for Names<'_> {
        // What is declared is no use of it.
        fn visit_declarator(&mut self, declarator: &'ast Declarator, _: &'ast Span) {
            declarator.derived.iter().for_each(|part| self.visit_derived_declarator(&part.node, &part.span));
        }
        fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast Span) {
            self.1 += usize::from(identifier.name == self.0);
        }
    }
    let mut names = Names(name, 0);
    names.visit_statement(&body.node, &body.span);
    names.1
}

/// How many elements of an array have a place in the whole of it.
fn marks(body: &Node<Statement>, name: &str) -> usize {
    let (mut count, mut body) = (0, body.clone());
    each_element(&mut body, name, &mut |subscripts| count += usize::from(mark(subscripts).is_some()));
    count
}

/// The place in the whole of an array, and what it is at most.
fn mark(subscripts: &[Node<Expression>]) -> Option<(&Node<Expression>, Option<i64>)> {
    let [Node { node: Expression::Call(call), .. }] = subscripts else { return None };
    let CallExpression { callee, arguments } = &call.node;
    match &arguments[..] {
        [flat, most] if variable(callee) == Some(FLAT) => Some((flat, constant(most))),
        _ => None,
    }
}

/// The value of an expression of constants.
pub fn constant(node: &Node<Expression>) -> Option<i64> {
    Polynomial::of(node, &Nothing, false)?.as_constant()
}

/// No type is known.
struct Nothing;

impl Integers for Nothing {
    fn keeps(&self, _: &TypeName) -> bool {
        false
    }

    fn is_integer(&self, _: &str) -> bool {
        false
    }
}

/// Gives the elements that have a place in the whole of an array their subscripts. Where every element has one, and rows do not
/// tell all, the array is to be one of one dimension: then it says so, and the places are subscripts.
fn marked(body: &mut Node<Statement>, name: &str, extents: &[Polynomial], integers: &dyn Integers) -> bool {
    let constants: Option<Vec<i64>> = extents[1..].iter().map(Polynomial::as_constant).collect();
    let in_rows = |flat: &Node<Expression>, most: Option<i64>| {
        let parts = Polynomial::of(flat, integers, true).and_then(|place| split(&place, extents))?;
        let is_row = parts[..parts.len() - 1].iter().any(|part| part.as_constant().is_none());
        let is_short = constants.as_ref().is_none_or(|all| {
            let last = all.last().copied().unwrap_or(1);
            most.is_some_and(|most| most < last) || parts.last().is_some_and(|p| p.as_constant().is_some())
        });
        (is_row || is_short).then_some(parts)
    };
    let (mut all_marked, mut all_split, mut elements) = (true, true, 0);
    let mut copy = body.clone();
    each_element(&mut copy, name, &mut |subscripts| {
        elements += 1;
        match mark(subscripts) {
            Some((flat, most)) => all_split &= in_rows(flat, most).is_some(),
            None => all_marked = false,
        }
    });
    let is_whole = all_marked && !all_split && constants.is_some() && elements == names(body, name);
    each_element(body, name, &mut |subscripts| {
        let Some((flat, most)) = mark(subscripts) else { return };
        let (flat, span) = (flat.clone(), flat.span);
        if is_whole {
            *subscripts = vec![flat];
            return;
        }
        *subscripts = match (in_rows(&flat, most), &constants) {
            (Some(parts), _) => parts.iter().map(|part| part.expression(span)).collect(),
            (None, Some(rows)) => {
                let constant = |value: i64| number(&value.to_string(), span);
                let mut inner = 1;
                let mut own = vec![];
                for row in rows.iter().rev() {
                    let whole = match inner {
                        1 => flat.clone(),
                        _ => binary(BinaryOperator::Divide, flat.clone(), constant(inner), span),
                    };
                    own.push(binary(BinaryOperator::Modulo, whole, constant(*row), span));
                    inner *= row;
                }
                own.push(binary(BinaryOperator::Divide, flat.clone(), constant(inner), span));
                own.reverse();
                own
            }
            (None, None) => {
                let zeros = (1..extents.len()).map(|_| number("0", span));
                zeros.chain([flat]).collect()
            }
        };
    });
    is_whole
}

pub fn extent(part: &Node<DerivedDeclarator>) -> Option<&Node<Expression>> {
    match &part.node {
        DerivedDeclarator::Array(array) => match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => Some(size),
            _ => None,
        },
        _ => None,
    }
}

fn array_of(size: Node<Expression>, span: Span) -> Node<DerivedDeclarator> {
    let array = ArrayDeclarator { qualifiers: vec![], size: ArraySize::VariableExpression(Box::new(size)) };
    Node::new(DerivedDeclarator::Array(Node::new(array, span)), span)
}

fn is_of(declarator: &Node<Declarator>, name: &str) -> bool {
    identifier(&declarator.node).is_some_and(|own| own.node.name == name)
}

/// `a[h * w]` as `a[h][w]`.
fn dimensions(declarator: &mut Node<Declarator>, name: &str, extents: &[Polynomial]) {
    if is_of(declarator, name) {
        let span = declarator.span;
        declarator.node.derived = extents.iter().map(|extent| array_of(extent.expression(span), span)).collect();
    }
}

/// `*a` as `(*a)[w]`.
fn rows_of_pointer(declarator: &mut Node<Declarator>, name: &str, extents: &[Polynomial]) {
    if is_of(declarator, name) {
        let span = declarator.span;
        let pointer = Declarator { extensions: vec![], ..declarator.node.clone() };
        declarator.node = Declarator {
            kind: Node::new(DeclaratorKind::Declarator(Box::new(Node::new(pointer, span))), span),
            derived: extents[1..].iter().map(|extent| array_of(extent.expression(span), span)).collect(),
            extensions: vec![],
        };
    }
}

/// `a[h][w]` as `a[h * w]`, and `(*a)[w]` as `*a`.
fn one_dimension(declarator: &mut Node<Declarator>, name: &str) {
    if !is_of(declarator, name) {
        return;
    }
    let span = declarator.span;
    let parts = derived(declarator).into_iter().cloned().collect::<Vec<_>>();
    let sizes: Option<Vec<Node<Expression>>> = parts.iter().map(|part| extent(part).cloned()).collect();
    if let (Some(sizes), Some(own)) = (sizes, identifier(&declarator.node).cloned()) {
        declarator.node.kind = Node::new(DeclaratorKind::Identifier(own), span);
        declarator.node.derived = vec![array_of(super::plain::product(sizes, span), span)];
    }
}

/// Calls `act` with the subscripts of every element of an array.
fn each_element(body: &mut Node<Statement>, name: &str, act: &mut dyn FnMut(&mut Vec<Node<Expression>>)) {
    expressions(body, &mut |node| {
        let (base, subscripts) = subscripted(node);
        if variable(base) != Some(name) || subscripts.is_empty() {
            return false;
        }
        let (base, mut subscripts) = (base.clone(), subscripts.into_iter().cloned().collect::<Vec<_>>());
        // Elements in subscripts first.
        subscripts.iter_mut().for_each(|subscript| {
            let own = Statement::Expression(Some(Box::new(subscript.clone())));
            let mut inside = Node::new(own, subscript.span);
            each_element(&mut inside, name, act);
            if let Statement::Expression(Some(inside)) = inside.node {
                *subscript = *inside;
            }
        });
        act(&mut subscripts);
        let span = node.span;
        *node =
            subscripts.into_iter().fold(base, |array, subscript| binary(BinaryOperator::Index, array, subscript, span));
        true
    });
}

/// Calls `act` on the expressions of a statement, from outside in; it tells whether it has done all of one.
pub fn expressions(node: &mut Node<Statement>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    match &mut node.node {
        Statement::Expression(Some(own)) | Statement::Return(Some(own)) => expression(own, act),
        Statement::Compound(items) => {
            for item in items {
                match &mut item.node {
                    BlockItem::Declaration(declaration) => {
                        declaration.node.declarators.iter_mut().for_each(|d| initializer(&mut d.node.initializer, act));
                    }
                    BlockItem::Statement(inner) => expressions(inner, act),
                    BlockItem::StaticAssert(_) => {}
                }
            }
            return;
        }
        Statement::If(branch) => expression(&mut branch.node.condition, act),
        Statement::For(f) => {
            match &mut f.node.initializer.node {
                ForInitializer::Expression(first) => expression(first, act),
                ForInitializer::Declaration(declaration) => {
                    declaration.node.declarators.iter_mut().for_each(|d| initializer(&mut d.node.initializer, act));
                }
                _ => {}
            }
            f.node.condition.iter_mut().chain(&mut f.node.step).for_each(|part| expression(part, act));
        }
        Statement::While(w) => expression(&mut w.node.expression, act),
        Statement::DoWhile(w) => expression(&mut w.node.expression, act),
        _ => {}
    }
    super::plain::inner(&mut node.node).into_iter().for_each(|inner| expressions(inner, act));
}

fn initializer(first: &mut Option<Node<Initializer>>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    if let Some(Node { node: Initializer::Expression(value), .. }) = first {
        expression(value, act);
    }
}

fn expression(node: &mut Node<Expression>, act: &mut dyn FnMut(&mut Node<Expression>) -> bool) {
    if act(node) {
        return;
    }
    match &mut node.node {
        Expression::UnaryOperator(unary) => expression(&mut unary.node.operand, act),
        Expression::Cast(cast) => expression(&mut cast.node.expression, act),
        Expression::BinaryOperator(operation) => {
            expression(&mut operation.node.lhs, act);
            expression(&mut operation.node.rhs, act);
        }
        Expression::Conditional(conditional) => {
            expression(&mut conditional.node.condition, act);
            expression(&mut conditional.node.then_expression, act);
            expression(&mut conditional.node.else_expression, act);
        }
        Expression::Call(call) => call.node.arguments.iter_mut().for_each(|argument| expression(argument, act)),
        Expression::Comma(parts) => parts.iter_mut().for_each(|part| expression(part, act)),
        _ => {}
    }
}
