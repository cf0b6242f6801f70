//! Local arrays as variables: one that the text goes through element by element, as `v[1]`, `v[2]`, … of a sorting network or the
//! state of a cipher, becomes a scalar for every element. What loops with constant bounds do with it, they do iteration by
//! iteration then: each is read by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::evaluate::{evaluate, wrap};
use super::kernel::{Access, Array, BinaryOp, Expr, If, Loop, Node, Quotient, Storage};
use super::wires::{for_each, number_statements, without_unmentioned};
use crate::affine::{Affine, fresh};
use crate::ids::{ArrayId, ByArray};

/// The most elements of such an array.
const MOST: i64 = 64;
/// The most iterations of a loop that is read one by one.
const ITERATIONS: i64 = 32;
/// The most statements that the kernel has then.
const STATEMENTS: usize = 256;
/// Accesses at constant subscripts that an array has, at least, and of how many one is such.
const CONSTANT: usize = 8;
const OF: usize = 3;

/// The iterators of loops that are read one by one.
type Loops = BTreeSet<String>;

/// Puts scalars in the place of the arrays. What `beside` has for the nodes at the top goes with them.
pub fn elements<T: Clone>(
    nodes: &mut Vec<Node>,
    beside: &mut Vec<T>,
    arrays: &mut ByArray<Array>,
    quotients: &[Quotient],
) {
    let mut seen = Seen::default();
    seen.nodes(nodes, &mut vec![]);
    let (loops, chosen) = seen.choose(arrays, quotients);
    if chosen.is_empty() {
        return;
    }
    let mut unrolled = Unrolled { loops: &loops, chosen: &chosen, quotients, inside: BTreeSet::new(), is_known: true };
    let (mut list, mut places) = (vec![], vec![]);
    for (node, place) in nodes.iter().zip(beside.iter()) {
        unrolled.node(node, &mut BTreeMap::new(), &mut list);
        places.resize(list.len(), place.clone());
    }
    let Unrolled { inside: declared, is_known, .. } = unrolled;
    let mut count = 0;
    let mut are_inside = true;
    let mut inside = |access: &mut Access| {
        let extents = arrays[access.array].extents.iter().map(|extent| extent.constant);
        let is_inside = |(x, extent): (&Affine, i64)| x.is_constant() && (0..extent).contains(&x.constant);
        are_inside &= !chosen.contains(&access.array) || access.subscripts.iter().zip(extents).all(is_inside);
    };
    for_each(&mut list, &mut |statement| {
        count += 1;
        inside(&mut statement.target);
        each_read(&mut statement.value, &mut inside);
    });
    if !is_known || !are_inside || count > STATEMENTS {
        return;
    }
    (*nodes, *beside) = (list, places);
    // Iterations that stand one behind the other have one instance in turn.
    for array in declared {
        if let Storage::Local { declared_in, .. } = &mut arrays[array].storage {
            declared_in.retain(|iterator| !loops.contains(iterator));
        }
    }
    put_scalars(nodes, arrays, &chosen);
    without_unmentioned(nodes, arrays, |array| chosen.contains(&array));
    number_statements(nodes);
}

/// A scalar for every element of the arrays that the nodes name.
fn put_scalars(nodes: &mut [Node], arrays: &mut ByArray<Array>, chosen: &BTreeSet<ArrayId>) {
    let mut names: BTreeSet<String> = arrays.iter().map(|array| array.name.clone()).collect();
    let mut scalars: BTreeMap<(ArrayId, Vec<i64>), ArrayId> = BTreeMap::new();
    let mut scalar = |access: &mut Access| {
        if !chosen.contains(&access.array) {
            return;
        }
        let place: Vec<i64> = access.subscripts.drain(..).map(|subscript| subscript.constant).collect();
        let own = arrays[access.array].clone();
        access.array = *scalars.entry((access.array, place.clone())).or_insert_with(|| {
            let numbers: Vec<String> = place.iter().map(i64::to_string).collect();
            let name = fresh(format!("{}_{}", own.name, numbers.join("_")), |name| names.contains(name));
            names.insert(name.clone());
            let scalar = Array { name, extents: vec![], ..own };
            arrays.push_and_get_key(scalar)
        });
    };
    for_each(nodes, &mut |statement| {
        scalar(&mut statement.target);
        each_read(&mut statement.value, &mut scalar);
    });
}

/// Loops in whose place their iterations stand: those around accesses of the chosen arrays that name their iterators.
struct Unrolled<'a> {
    loops: &'a Loops,
    chosen: &'a BTreeSet<ArrayId>,
    quotients: &'a [Quotient],
    /// Arrays that are accessed in such a loop.
    inside: BTreeSet<ArrayId>,
    /// All bounds of such loops are constants, and not far apart.
    is_known: bool,
}

impl Unrolled<'_> {
    /// Adds what a node is where the iterators around it have values.
    fn node(&mut self, node: &Node, values: &mut BTreeMap<String, i64>, list: &mut Vec<Node>) {
        let mut body = vec![];
        match node {
            Node::Loop(inner) => {
                let all = |bounds: &[Affine]| -> Vec<Affine> {
                    bounds.iter().map(|bound| bound.substitute(|name: &str| self.value(name, values))).collect()
                };
                let (lower, upper) = (all(&inner.lower), all(&inner.upper));
                if !self.is_read_one_by_one(inner) {
                    inner.body.iter().for_each(|node| self.node(node, values, &mut body));
                    return list.push(Node::Loop(Loop { lower, upper, body, ..inner.clone() }));
                }
                let constants = lower.iter().chain(&upper).all(Affine::is_constant);
                let low = lower.iter().map(|bound| bound.constant).max().unwrap_or(0);
                let high = upper.iter().map(|bound| bound.constant).min().unwrap_or(-1);
                if !constants || high - low >= ITERATIONS || list.len() > STATEMENTS {
                    self.is_known = false;
                    return;
                }
                accessed(&inner.body, &mut |access| {
                    self.inside.insert(access.array);
                });
                for value in low..=high {
                    values.insert(inner.iterator.clone(), value);
                    inner.body.iter().for_each(|node| self.node(node, values, list));
                }
                values.remove(&inner.iterator);
            }
            Node::If(inner) => {
                let mut condition = inner.condition.clone();
                condition.substitute(&|name: &str| self.value(name, values));
                let holds = condition.is_known();
                if holds == Some(false) {
                    return;
                }
                inner.body.iter().for_each(|node| self.node(node, values, &mut body));
                match holds {
                    Some(_) => list.append(&mut body),
                    None => list.push(Node::If(If { condition, body, span: inner.span })),
                }
            }
            Node::Statement(statement) => {
                let mut own = statement.clone();
                own.target.substitute(&|name: &str| self.value(name, values));
                own.value.substitute_indices(&|name: &str| self.value(name, values));
                fold(&mut own.value);
                list.push(Node::Statement(own));
            }
        }
    }

    /// Some chosen array is accessed in the loop at a subscript that its iterator tells.
    fn is_read_one_by_one(&self, inner: &Loop) -> bool {
        let mut tells = false;
        accessed(&inner.body, &mut |access| {
            let names = |subscript: &Affine| subscript.terms.keys().any(|name| self.is_of(name, &inner.iterator));
            tells |= self.chosen.contains(&access.array) && access.subscripts.iter().any(names);
        });
        tells && self.loops.contains(&inner.iterator)
    }

    /// Whether a name is that of an iterator, or of a quotient of it.
    fn is_of(&self, name: &str, iterator: &str) -> bool {
        let quotient = self.quotients.iter().find(|quotient| quotient.name == name);
        name == iterator
            || quotient.is_some_and(|quotient| quotient.numerator.terms.keys().any(|name| self.is_of(name, iterator)))
    }

    /// What a name stands for: a quotient of values is one.
    fn value(&self, name: &str, values: &BTreeMap<String, i64>) -> Affine {
        if let Some(value) = values.get(name) {
            return Affine::constant(*value);
        }
        let quotient = self.quotients.iter().find(|quotient| quotient.name == name);
        let numerator = quotient.map(|quotient| quotient.numerator.substitute(|name: &str| self.value(name, values)));
        match quotient.zip(numerator) {
            Some((quotient, numerator)) if numerator.is_constant() => Affine::constant(quotient.of(numerator.constant)),
            _ => Affine::variable(name),
        }
    }
}

/// Constants in place of what is made of constants alone, and choices that they decide.
fn fold(expr: &mut Expr) {
    expr.operands_mut().into_iter().for_each(fold);
    let value = match expr {
        Expr::Index { value, ty } if value.is_constant() => {
            Expr::Constant { value: wrap(value.constant, *ty), ty: *ty }
        }
        Expr::Select { condition, then, otherwise, ty } if then.ty() == *ty && otherwise.ty() == *ty => {
            match **condition {
                Expr::Constant { value: 0, .. } => (**otherwise).clone(),
                Expr::Constant { .. } => (**then).clone(),
                _ => return,
            }
        }
        Expr::Unary { .. } | Expr::Binary { .. } | Expr::Cast { .. } => {
            let is_integer = |own: &&Expr| matches!(own, Expr::Constant { ty, .. } if !ty.floating);
            if expr.ty().floating || !expr.operands().iter().all(is_integer) || divides_by_zero(expr) {
                return;
            }
            let value = evaluate(expr, &mut |_| 0, &|_| 0, &|_| 0);
            Expr::Constant { value, ty: expr.ty() }
        }
        _ => return,
    };
    *expr = value;
}

/// C leaves that undefined: hardware makes of it what it does elsewhere.
fn divides_by_zero(expr: &Expr) -> bool {
    matches!(expr, Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, right, .. }
        if matches!(**right, Expr::Constant { value: 0, .. }))
}

fn accessed(nodes: &[Node], act: &mut impl FnMut(&Access)) {
    for node in nodes {
        match node {
            Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => accessed(body, act),
            Node::Statement(statement) => statement.accesses().for_each(&mut *act),
        }
    }
}

fn each_read(expr: &mut Expr, act: &mut impl FnMut(&mut Access)) {
    if let Expr::Read { access, .. } = expr {
        act(access);
    }
    expr.operands_mut().into_iter().for_each(|operand| each_read(operand, act));
}

/// Where an array is accessed.
struct Place {
    subscripts: Vec<Affine>,
    /// The iterators of the loops around it, outermost first, with the bounds of each.
    around: Vec<(String, Vec<Affine>)>,
}

/// What a kernel's body does with its arrays.
#[derive(Default)]
struct Seen {
    /// By array.
    accesses: BTreeMap<ArrayId, Vec<Place>>,
    /// Accessed where data tell.
    gathered: BTreeSet<ArrayId>,
}

impl Seen {
    fn nodes(&mut self, nodes: &[Node], around: &mut Vec<(String, Vec<Affine>)>) {
        for node in nodes {
            match node {
                Node::Loop(inner) => {
                    around.push((inner.iterator.clone(), inner.lower.iter().chain(&inner.upper).cloned().collect()));
                    self.nodes(&inner.body, around);
                    around.pop();
                }
                Node::If(inner) => self.nodes(&inner.body, around),
                Node::Statement(statement) => {
                    for access in statement.value.reads().into_iter().chain([&statement.target]) {
                        let place = Place { subscripts: access.subscripts.clone(), around: around.clone() };
                        self.accesses.entry(access.array).or_default().push(place);
                    }
                    self.gathered.extend(statement.places_by_data().map(|place| place.array));
                }
            }
        }
    }

    /// The arrays that become scalars, and the loops that they need one by one.
    fn choose(&self, arrays: &ByArray<Array>, quotients: &[Quotient]) -> (Loops, BTreeSet<ArrayId>) {
        let (mut loops, mut chosen) = (Loops::new(), BTreeSet::new());
        for (array, accesses) in &self.accesses {
            let constant = accesses.iter().filter(|place| place.subscripts.iter().all(Affine::is_constant)).count();
            if !self.may_be(&arrays[*array], *array) || constant < CONSTANT || constant * OF < accesses.len() {
                continue;
            }
            let mut own = loops.clone();
            if accesses.iter().all(|place| place.needs(&place.subscripts, quotients, &mut own)) {
                loops = own;
                chosen.insert(*array);
            }
        }
        (loops, chosen)
    }

    fn may_be(&self, array: &Array, number: ArrayId) -> bool {
        let extents = array.extents.iter().map(|extent| extent.is_constant().then_some(extent.constant));
        let elements = extents.collect::<Option<Vec<i64>>>().map(|extents| extents.iter().product::<i64>());
        matches!(array.storage, Storage::Local { .. })
            && !array.extents.is_empty()
            && !self.gathered.contains(&number)
            && elements.is_some_and(|elements| elements <= MOST)
    }
}

impl Place {
    /// Whether all values are known where loops are read one by one, which `loops` has then.
    fn needs(&self, values: &[Affine], quotients: &[Quotient], loops: &mut Loops) -> bool {
        values.iter().flat_map(|value| value.terms.keys()).all(|name| self.needs_name(name, quotients, loops))
    }

    fn needs_name(&self, name: &str, quotients: &[Quotient], loops: &mut Loops) -> bool {
        if let Some(quotient) = quotients.iter().find(|quotient| quotient.name == name) {
            return self.needs(std::slice::from_ref(&quotient.numerator), quotients, loops);
        }
        // What is divided by others' values would be another quotient in each iteration.
        let is_of_others = |own: &Quotient| own.numerator.coefficient(name) != 0 && own.numerator.terms.len() > 1;
        let Some((_, bounds)) = self.around.iter().rev().find(|(iterator, _)| iterator == name) else { return false };
        if quotients.iter().any(is_of_others) {
            return false;
        }
        loops.insert(name.to_string());
        self.needs(bounds, quotients, loops)
    }
}
