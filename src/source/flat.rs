//! Arrays of several dimensions that C has as one: `in[y * w + x]` of `in[h * w]`, on C's own tree. Where every element of such
//! an argument is named by a sum in which a factor of the extent is a factor of the row, the argument becomes `in[h][w]` and
//! the element `in[y][x]`: the same cell. That `x` stays below `w` is demanded where all subscripts are; no row reaches
//! into the next. What is not written like that stays as it is, and its extent is refused.

use std::collections::{HashMap, HashSet};

use lang_c::ast::{
    ArrayDeclarator, ArraySize, BinaryOperator, BinaryOperatorExpression, BlockItem, CallExpression,
    ConditionalExpression, Declarator, DeclaratorKind, DerivedDeclarator, Expression, ExternalDeclaration,
    ForInitializer, FunctionDefinition, Identifier, InitDeclarator, Initializer, Statement, TranslationUnit, TypeName,
    UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::function::{derived, identifier};
use super::known::{Declared, Loops, Wanted, changed, substitute};
use super::nest::operation;
use super::plain::{binary, factors, number, subscripted, variable};
use super::polynomial::{Integers, Polynomial};
use super::types::Types;

/// `a[FLAT(k, most)]` is the element `k` of all of the array `a`, of several dimensions, with what `k` is at most or the name itself
/// ([`super::pointers`]).
pub const FLAT: &str = "__burstc_flat";
/// The most factors whose orders are tried.
const FACTORS: usize = 4;

/// Why an array of the kernel's is none of several dimensions: a place in the text, what is wrong there, a remedy.
type Unlike = (Span, String, String);

/// What became of the arrays.
#[derive(Clone, Default)]
pub struct Flattened {
    /// The arrays that are none of several dimensions, by their names.
    pub refused: HashMap<String, Unlike>,
    /// Those of several dimensions whose places in C are in one, or in all of the rows.
    pub made: HashSet<String>,
}

/// Rewrites the arrays of all functions. `shapes` has the extents that directives give pointers.
pub fn flat(unit: &mut TranslationUnit, shapes: &HashMap<String, Vec<String>>, types: &Types) -> Flattened {
    let mut flattened = Flattened::default();
    let mut tables = vec![];
    for external in &mut unit.0 {
        match &mut external.node {
            ExternalDeclaration::FunctionDefinition(function) => {
                arrays(&mut function.node, &tables, shapes, types, &mut flattened);
            }
            ExternalDeclaration::Declaration(declaration) => {
                tables.extend(declaration.node.declarators.iter().map(|own| own.node.declarator.clone()));
            }
            ExternalDeclaration::StaticAssert(_) => {}
        }
    }
    flattened
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

#[derive(Clone)]
enum Extents {
    /// `a[h * w]`, by its factors, or `a[h * w][3]`.
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

/// `tables` are the arrays of the file.
fn arrays(
    function: &mut FunctionDefinition,
    tables: &[Node<Declarator>],
    shapes: &HashMap<String, Vec<String>>,
    types: &Types,
    flattened: &mut Flattened,
) {
    let declared = Declared::of(function, types);
    let mut candidates = vec![];
    let mut tables: Vec<Candidate> =
        tables.iter().filter_map(|table| candidate(table, &HashMap::new(), types)).collect();
    tables.retain(|table| matches!(table.extents, Extents::Rows(_)) && declared.times(&table.name) == 0);
    // What has a list of values stays as it is, and so does what does not say how many rows it has.
    let mut fixed = lists(&function.statement);
    declarators(function, &mut |declarator| {
        if let Some(candidate) = candidate(declarator, shapes, types) {
            candidates.push(candidate);
        }
    });
    declarators(function, &mut |declarator| {
        if derived(declarator).into_iter().any(|part| extent(part).is_none()) {
            fixed.extend(identifier(&declarator.node).map(|name| name.node.name.clone()));
        }
        if let Some((name, divided)) = divided_extent(declarator) {
            let why = "it divides".to_string();
            let help =
                "pass the quotients to the function as sizes of their own, and say by them how large the others are, as in `int h2, int w2, … \
                 in[2 * h2 * 2 * w2], … out[h2 * w2]`"
                    .to_string();
            flattened.refused.insert(name, (divided, why, help));
        }
    });
    let changed = changed(&function.statement);
    let has_marks = |name: &str| names(&function.statement, FLAT) > 0 && marks(&function.statement, name) > 0;
    let sizes_of = |candidate: &Candidate| -> HashSet<String> {
        candidate.extents.all().iter().flat_map(Polynomial::names).collect()
    };
    candidates.retain(|candidate| {
        declared.times(&candidate.name) == 1
            && sizes_of(candidate).iter().all(|size| !changed.contains(size) && declared.times(size) <= 1)
    });
    // Rows and columns are sizes, whoever has them. What rows are multiplied by is how long they are, whichever is named first.
    let mut products: Vec<Vec<String>> = candidates
        .iter()
        .map(|candidate| candidate.extents.all().iter().flat_map(Polynomial::names).collect::<Vec<_>>())
        .filter(|names| !names.is_empty())
        .collect();
    let sizes: HashSet<String> = products.iter().flatten().cloned().collect();
    let multiplied = Multiplied::of(&function.statement, &sizes);
    products.iter_mut().for_each(|names| names.sort_by_key(|name| multiplied.lengths.contains(name)));
    candidates
        .extend(tables.iter().map(|table| Candidate { name: table.name.clone(), extents: table.extents.clone() }));
    candidates.retain(|candidate| !matches!(candidate.extents, Extents::Rows(_)) || has_marks(&candidate.name));
    let wanted = Wanted {
        arrays: candidates.iter().map(|candidate| candidate.name.clone()).collect(),
        sizes,
        products,
        shapes: candidates.iter().map(|candidate| candidate.extents.all().to_vec()).collect(),
    };
    if candidates.is_empty() && !multiplied.any {
        return;
    }
    let loops = substitute(function, &wanted, types);
    for candidate in candidates {
        let subscripts = Subscripts(types);
        let name = &candidate.name;
        let elements = Elements { name, integers: &subscripts, sizes: &wanted.sizes, loops: &loops };
        match &candidate.extents {
            Extents::Rows(extents) => {
                let may_be_whole = !fixed.contains(name) && !tables.iter().any(|table| table.name == *name);
                let is_whole = marked(&mut function.statement, name, extents, &subscripts, may_be_whole);
                if is_whole {
                    declarators(function, &mut |declarator| one_dimension(declarator, name));
                } else {
                    flattened.made.insert(name.clone());
                }
            }
            Extents::Shape(extents) => match elements.fit(&function.statement, extents) {
                Ok(_) => {
                    flattened.made.insert(name.clone());
                    elements.take(&mut function.statement, extents);
                    declarators(function, &mut |declarator| rows_of_pointer(declarator, name, extents));
                }
                Err(why) => {
                    flattened.refused.insert(name.clone(), why);
                }
            },
            Extents::Product(factors) => {
                let orders = orders(factors);
                let fits: Vec<_> = orders.iter().map(|order| elements.fit(&function.statement, order)).collect();
                let most = fits.iter().filter_map(|fit| fit.as_ref().ok()).max();
                match fits.iter().zip(&orders).find(|(fit, _)| fit.as_ref().ok() == most && most.is_some()) {
                    Some((_, order)) => {
                        flattened.made.insert(name.clone());
                        elements.take(&mut function.statement, order);
                        declarators(function, &mut |declarator| dimensions(declarator, name, order));
                    }
                    None => {
                        if let Some(Err(why)) = fits.into_iter().next() {
                            flattened.refused.insert(name.clone(), why);
                        }
                    }
                }
            }
        }
    }
}

/// Whether the product of these is an extent as it is written, of one size and a number. An array like that has rows only where its elements
/// are no sums of iterators without them.
fn is_affine(extents: &[Polynomial]) -> bool {
    extents.iter().filter(|extent| extent.as_constant().is_none()).count() < 2
}

/// The name of an array whose extent has several factors, of which one is a quotient that is no constant.
fn divided_extent(declarator: &Node<Declarator>) -> Option<(String, Span)> {
    let [only] = &derived(declarator)[..] else { return None };
    let all = factors(extent(only)?);
    let is_quotient = |factor: &&&Node<Expression>| {
        matches!(operation(factor), Some((BinaryOperator::Divide | BinaryOperator::Modulo, _)))
            && constant(factor).is_none()
    };
    let divided = all.iter().find(is_quotient).filter(|_| all.len() > 1)?;
    Some((identifier(&declarator.node)?.node.name.clone(), divided.span))
}

/// The arrays that a body gives lists of values.
fn lists(body: &Node<Statement>) -> HashSet<String> {
    struct Lists(HashSet<String>);
    impl<'ast> Visit<'ast> for Lists {
        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, _: &'ast Span) {
            if declarator.initializer.is_some() {
                self.0.extend(identifier(&declarator.declarator.node).map(|name| name.node.name.clone()));
            }
        }
    }
    let mut lists = Lists(HashSet::new());
    lists.visit_statement(&body.node, &body.span);
    lists.0
}

/// Whether all that a body does with a pointer is to read and write `*p`, or `p[0]`.
pub fn is_first_alone(body: &Node<Statement>, name: &str) -> bool {
    struct Firsts<'n>(&'n str, usize);
    impl Firsts<'_> {
        fn is_it(&self, node: &Node<Expression>) -> bool {
            variable(node) == Some(self.0)
        }
    }
    impl<'ast> Visit<'ast> for Firsts<'_> {
        fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast Span) {
            self.1 += usize::from(match expression {
                Expression::BinaryOperator(own) => {
                    own.node.operator.node == BinaryOperator::Index
                        && self.is_it(&own.node.lhs)
                        && constant(&own.node.rhs) == Some(0)
                }
                Expression::UnaryOperator(own) => {
                    own.node.operator.node == UnaryOperator::Indirection && self.is_it(&own.node.operand)
                }
                _ => false,
            });
            visit::visit_expression(self, expression, span);
        }
    }
    let mut firsts = Firsts(name, 0);
    firsts.visit_statement(&body.node, &body.span);
    firsts.1 > 0 && firsts.1 == names(body, name)
}

/// How a body multiplies by sizes.
#[derive(Default)]
struct Multiplied {
    /// Whether it has products of them, or divides by them.
    any: bool,
    /// Those by which it multiplies what is no size.
    lengths: HashSet<String>,
}

impl Multiplied {
    fn of(body: &Node<Statement>, sizes: &HashSet<String>) -> Multiplied {
        struct Products<'s>(&'s HashSet<String>, Multiplied);
        impl<'ast> Visit<'ast> for Products<'_> {
            fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
                let Products(sizes, found) = self;
                let size = |side| variable(side).filter(|name| sizes.contains(*name));
                match (&o.operator.node, size(&o.lhs), size(&o.rhs)) {
                    (BinaryOperator::Multiply, Some(only), None) | (BinaryOperator::Multiply, None, Some(only)) => {
                        found.any = true;
                        found.lengths.insert(only.to_string());
                    }
                    (BinaryOperator::Multiply, Some(_), Some(_))
                    | (BinaryOperator::Divide | BinaryOperator::Modulo, _, Some(_)) => found.any = true,
                    _ => {}
                }
                visit::visit_binary_operator_expression(self, o, span);
            }
        }
        let mut products = Products(sizes, Multiplied::default());
        products.visit_statement(&body.node, &body.span);
        products.1
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
            let factor = |word: &str| match word.parse() {
                Ok(number) => Polynomial::constant(number),
                Err(_) => Polynomial::variable(word),
            };
            let length = |words: &String| {
                let mut factors = words.split('*').map(factor);
                factors.try_fold(Polynomial::constant(1), |product, factor| product.times(&factor))
            };
            Extents::Shape(shape.iter().map(length).collect::<Option<Vec<_>>>()?)
        }
        [only] => {
            let factors: Option<Vec<_>> = factors(extent(only)?).into_iter().map(value).collect();
            Extents::Product(factors.filter(|factors| factors.len() > 1)?)
        }
        [first, ..] if extent(first).is_some_and(|first| is_of_sizes(first, &value)) => {
            Extents::Product(factors(extent(first)?).into_iter().map(value).collect::<Option<_>>()?)
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

/// Whether an extent is a product of sums over several sizes, and so none of an array of one dimension.
fn is_of_sizes(extent: &Node<Expression>, value: &dyn Fn(&Node<Expression>) -> Option<Polynomial>) -> bool {
    let all: Option<Vec<Polynomial>> = factors(extent).into_iter().map(value).collect();
    all.is_some_and(|all| !is_affine(&all))
}

/// The dimensions that a product of extents may be, those first that are written like that.
fn orders(factors: &[Polynomial]) -> Vec<Vec<Polynomial>> {
    let (constants, sizes): (Vec<_>, Vec<_>) = factors.iter().partition(|factor| factor.as_constant().is_some());
    if sizes.is_empty() || sizes.len() > FACTORS {
        return vec![];
    }
    let constant = constants.iter().try_fold(Polynomial::constant(1), |product, factor| product.times(factor));
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
    // The constant as two factors.
    let in_two: Vec<[Polynomial; 2]> = match &constants[..] {
        [first, second] => vec![[(*first).clone(), (*second).clone()], [(*second).clone(), (*first).clone()]],
        [only] => {
            let whole = only.as_constant().unwrap_or(1);
            let divisors = (2..=16).filter(|by| whole > *by && whole % by == 0);
            divisors.map(|by| [by, whole / by].map(Polynomial::constant)).collect()
        }
        _ => vec![],
    };
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
        // Pictures of twice the rows and twice the columns.
        let pairs = (1..sizes.len()).rev().flat_map(|l| (0..l).rev().map(move |k| (k, l)));
        for ((k, l), [a, b]) in pairs.flat_map(|pair| in_two.iter().map(move |two| (pair, two))) {
            if let (Some(rows), Some(columns)) = (sizes[k].times(a), sizes[l].times(b)) {
                let mut own = sizes.clone();
                (own[k], own[l]) = (rows, columns);
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

/// How the elements of an array that is one in C are named.
struct Elements<'e> {
    name: &'e str,
    integers: &'e dyn Integers,
    sizes: &'e HashSet<String>,
    loops: &'e Loops,
}

impl Elements<'_> {
    fn parts(&self, subscript: &Node<Expression>, extents: &[Polynomial]) -> Option<Vec<Polynomial>> {
        Polynomial::of(subscript, self.integers, true).and_then(|place| split(&place, extents))
    }

    /// Whether all that the body names of the array is elements whose subscripts are sums of the dimensions' multiples: how many
    /// dimensions but the last are gone through, how many loops end where a dimension does, and how many subscripts the loops' ends
    /// keep below their extents. One of the first two says that the array is of such rows. Errors: the first element that is not like that.
    fn fit(&self, body: &Node<Statement>, extents: &[Polynomial]) -> Result<(usize, usize, usize), Unlike> {
        let span = Span::none();
        let shown = |all: &[Polynomial]| all.iter().map(|e| e.text()).collect::<Vec<_>>();
        let (name, all) = (self.name, shown(extents));
        let row = shown(&extents[1..]).join(" * ");
        let rewritten = format!(
            "write its elements as `{name}[y * {row} + x]` in loops over `y` and `x`, or declare `{name}[{}]` and write `{name}[y][x]`",
            all.join("][")
        );
        let mut rows = vec![false; extents.len()];
        let (mut elements, mut ends, mut inside, mut wrong, mut first) = (0, 0, 0, None, None);
        // The walker changes what it is given.
        let mut copy = body.clone();
        each_element(&mut copy, name, &mut |subscripts| {
            elements += 1;
            // Those behind it are of dimensions that C has.
            let only = &subscripts[0];
            first.get_or_insert(only.span);
            let parts = self.parts(only, extents);
            let Some(parts) = parts.filter(|parts| !parts.iter().any(|part| part.multiplies(self.sizes))) else {
                wrong.get_or_insert((only.span, self.unlike(only, &row)));
                return;
            };
            rows.iter_mut().zip(&parts).for_each(|(row, part)| *row |= part.as_constant().is_none());
            ends += parts.iter().zip(extents).filter(|(part, extent)| self.is_through(part, extent)).count();
            inside += parts.iter().zip(extents).filter(|(part, extent)| self.is_inside(part, extent)).count();
        });
        if let Some((span, why)) = wrong {
            return Err((span, why, rewritten));
        }
        if elements != names(body, name) {
            let why = format!("the array `{name}` is used in another way than by its elements");
            return Err((span, why, format!("declare it as `{name}[{}]`", all.join("]["))));
        }
        let through = rows[..rows.len() - 1].iter().filter(|row| **row).count();
        if through < rows.len() - 1 && (ends == 0 || is_affine(extents)) {
            let loops = self.loops.unlike.iter().find(|(node, _)| names(node, name) > 0);
            if let Some((node, why)) = loops {
                let why = format!("the loop over its elements here is none over rows of `{row}`: {why}");
                return Err((node.span, why, rewritten));
            }
            let why = format!("no element of `{name}` is written as one in a row of `{row}`");
            let loops = format!(
                "{rewritten}; of loops over all elements, up or down, those from 0, 1 or a row on are taken, to the end of a row or the element before"
            );
            return Err((first.unwrap_or(span), why, loops));
        }
        Ok((through, ends, inside))
    }

    /// Whether a subscript stays below an extent, as far as loops that end before sums of sizes tell.
    fn is_inside(&self, part: &Polynomial, extent: &Polynomial) -> bool {
        let one = Polynomial::constant(1);
        let last = |name: &str| match self.loops.ends.get(name).map(Vec::as_slice) {
            Some([end, others @ ..]) if others.iter().all(|other| other == end) => end.plus(&one, -1),
            _ => None,
        };
        let room = part.with(&last).and_then(|largest| extent.plus(&largest, -1)?.plus(&one, -1));
        room.is_some_and(|room| room.terms().all(|(_, count)| count > 0))
    }

    /// Whether a subscript goes through a dimension from its beginning to its end.
    fn is_through(&self, part: &Polynomial, extent: &Polynomial) -> bool {
        let mut terms = part.terms();
        match (terms.next(), terms.next()) {
            (Some(([name], 1)), None) => self.loops.ends.get(name).is_some_and(|ends| ends.contains(extent)),
            _ => false,
        }
    }

    /// Why a subscript names no row and no place in it.
    fn unlike(&self, subscript: &Node<Expression>, row: &str) -> String {
        let name = self.name;
        match variable(subscript) {
            Some(own) => format!("of `{own}`, burstc does not know what row of `{row}` elements of `{name}` it is in"),
            None => format!("this place in `{name}` is no sum of a multiple of `{row}` and a place in the row"),
        }
    }

    fn take(&self, body: &mut Node<Statement>, extents: &[Polynomial]) {
        each_element(body, self.name, &mut |subscripts| {
            let Some(only) = subscripts.first() else { return };
            let span = only.span;
            if let Some(parts) = self.parts(only, extents) {
                let own = match self.crossed(&parts, extents, span) {
                    Some(crossed) => crossed,
                    None => parts.iter().map(|part| part.expression(span)).collect(),
                };
                subscripts.splice(0..1, own);
            }
        });
    }

    /// The subscripts of an element before or behind that of a loop over many rows, which may be in the row before or the next.
    fn crossed(&self, parts: &[Polynomial], extents: &[Polynomial], span: Span) -> Option<Vec<Node<Expression>>> {
        let ([rows, place], [_, row]) = (parts, extents) else { return None };
        let by = place.constant_term();
        let own = place.plus(&Polynomial::constant(by), -1)?;
        let mut terms = own.terms();
        let is_crossing = match (terms.next(), terms.next()) {
            (Some(([name], 1)), None) => self.loops.crossing.contains(name) || self.loops.leaves(name, by, row),
            _ => false,
        };
        if by == 0 || !is_crossing {
            return None;
        }
        let (is_other, factor) = match by < 0 {
            true => (binary(BinaryOperator::Less, place.expression(span), number("0", span), span), -1),
            false => (binary(BinaryOperator::GreaterOrEqual, place.expression(span), row.expression(span), span), 1),
        };
        let other = [rows.plus(&Polynomial::constant(1), factor)?, place.plus(row, -factor)?];
        let both = other.iter().zip([rows, place]).map(|(other, own)| {
            let own = ConditionalExpression {
                condition: Box::new(is_other.clone()),
                then_expression: Box::new(other.expression(span)),
                else_expression: Box::new(own.expression(span)),
            };
            Node::new(Expression::Conditional(Box::new(Node::new(own, span))), span)
        });
        Some(both.collect())
    }
}

/// How often a name stands in a body.
pub fn names(body: &Node<Statement>, name: &str) -> usize {
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
fn marked(
    body: &mut Node<Statement>,
    name: &str,
    extents: &[Polynomial],
    integers: &dyn Integers,
    may_be_whole: bool,
) -> bool {
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
    let is_whole = may_be_whole && all_marked && !all_split && constants.is_some() && elements == names(body, name);
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
                let mut inner = 1i64;
                let mut own = vec![];
                for row in rows.iter().rev() {
                    let whole = match inner {
                        1 => flat.clone(),
                        _ => binary(BinaryOperator::Divide, flat.clone(), constant(inner), span),
                    };
                    own.push(binary(BinaryOperator::Modulo, whole, constant(*row), span));
                    // The C compiler has refused arrays that are larger.
                    inner = inner.saturating_mul(*row);
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
        declarator.node.derived.splice(0..1, extents.iter().map(|extent| array_of(extent.expression(span), span)));
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

/// `a[h][w]` as `a[h * w]`.
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
