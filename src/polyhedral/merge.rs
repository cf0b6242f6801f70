//! One write for several of a cell in one iteration. In
//!
//! ```c
//! if (x[i] > 7) y[i] = 1; else y[i] = x[i] + 2;
//! ```
//!
//! every branch is a statement that keeps `y[i]` where it does not run, and so loads it. The later one takes the value of the earlier
//! in place of what it keeps: `y[i] = x[i] > 7 ? 1 : x[i] + 2`, one statement which keeps nothing, as its conditions show
//! (RR-7697 section 4: what is written whatever the data is written surely). The same of `y[i] = 0; if (c) y[i] = x[i];`.

use super::dead::keep_named;
use super::kept::Kept;
use crate::source::kernel::{Access, BinaryOp, Expr, Gather, Kernel, Node, Statement, UnaryOp};

/// Statements of which one is made.
const MOST: usize = 16;

/// Expressions in the value of such a one.
const LARGEST: usize = 300;

/// What conditions are made of, where it is asked what they imply.
const MOST_ATOMS: usize = 6;

/// `kernel`, whose statements have one write each, with one in place of several to one cell; `None` where there are none.
pub fn writes_merged(kernel: &Kernel) -> Option<Kernel> {
    let mut merged = kernel.clone();
    let mut gone = vec![];
    in_nodes(kernel, &mut merged.body, &mut gone);
    if gone.is_empty() {
        return None;
    }
    // What a directive says of the earlier alone is said of the one that is left.
    for (early, late) in &gone {
        let mut all = merged.tilings.iter_mut().flat_map(|tiling| &mut tiling.schedules).collect::<Vec<_>>();
        if all.iter().all(|schedule| schedule.statement != *late) {
            all.iter_mut().filter(|own| own.statement == *early).for_each(|own| own.statement = late.clone());
        }
    }
    let names: Vec<String> = merged.statements().iter().map(|own| own.name.clone()).collect();
    let stay: Vec<String> = names.into_iter().filter(|name| gone.iter().all(|(early, _)| early != name)).collect();
    keep_named(&mut merged, &stay);
    Some(merged)
}

/// Moves values into later statements of the same list; `gone` gets the names of those that are left over, each with that of the later.
fn in_nodes(kernel: &Kernel, nodes: &mut [Node], gone: &mut Vec<(String, String)>) {
    for node in nodes.iter_mut() {
        match node {
            Node::Loop(inner) => in_nodes(kernel, &mut inner.body, gone),
            Node::If(inner) => in_nodes(kernel, &mut inner.body, gone),
            Node::Statement(_) => {}
        }
    }
    // How many statements each stands for.
    let mut counts = vec![1; nodes.len()];
    for late in 1..nodes.len() {
        let Some((early, value)) = before(kernel, nodes, late, gone) else { continue };
        let count = counts[early] + counts[late];
        let [Node::Statement(first), Node::Statement(second)] =
            nodes.get_disjoint_mut([early, late]).expect("two of them")
        else {
            continue;
        };
        if count > MOST || size(&value) > LARGEST {
            continue;
        }
        counts[late] = count;
        second.value = value;
        second.text = Statement::text_of_all([first.text.as_str(), second.text.as_str()]);
        gone.push((first.name.clone(), second.name.clone()));
    }
}

/// The statement in front of `late` whose write it makes unseen, and what it writes then.
fn before(kernel: &Kernel, nodes: &[Node], late: usize, gone: &[(String, String)]) -> Option<(usize, Expr)> {
    let Node::Statement(second) = &nodes[late] else { return None };
    if !is_plain(kernel, second) || !matches!(Kept::of(&second.value, &second.target), Some(Kept::Unless(..))) {
        return None;
    }
    let gathers = |own: &Statement| own.gathers().into_iter().any(|gather| gather.array == second.target.array);
    // It may look at what the earlier writes.
    if gathers(second) {
        return None;
    }
    let touches = |own: &Statement| gathers(own) || own.accesses().any(|access| access.array == second.target.array);
    let mut between: Vec<&Statement> = vec![];
    for place in (0..late).rev() {
        let Node::Statement(first) = &nodes[place] else { return None };
        if gone.iter().any(|(early, _)| *early == first.name) {
            continue;
        }
        if !touches(first) {
            between.push(first);
            continue;
        }
        let is_same = is_plain(kernel, first) && first.target.subscripts == second.target.subscripts;
        let is_kept = || matches!(Kept::of(&first.value, &first.target), Some(Kept::Unless(..) | Kept::Never(_)));
        let changes = |access: &Access| between.iter().any(|own| own.writes_to(access.array));
        let gathered = |gather: &Gather| between.iter().any(|own| own.writes_to(gather.array));
        let is_free = || !first.reads().into_iter().any(changes) && !first.gathers().into_iter().any(gathered);
        if !is_same || first.target.array != second.target.array || !is_kept() || !is_free() {
            return None;
        }
        return merged(first, second).map(|value| (place, value));
    }
    None
}

/// Whether it has one write, at subscripts that are known, and data cut nothing out of its rows.
fn is_plain(kernel: &Kernel, statement: &Statement) -> bool {
    statement.also.is_empty() && statement.scatter().is_none() && kernel.limits(statement).is_none()
}

/// Expressions in a value, itself included.
fn size(value: &Expr) -> usize {
    1 + value.operands().into_iter().map(size).sum::<usize>()
}

/// The value of `second` behind `first`; `None` where an index that leaves its array would go unseen.
fn merged(first: &Statement, second: &Statement) -> Option<Expr> {
    let value = simplified(&with_kept(&second.value, &second.target, &first.value), &mut vec![]);
    let told = |own: &Expr| own.gathers().len() + own.told().len();
    if told(&first.value) == 0 {
        return Some(value);
    }
    // What data name is looked at as before where the second writes elsewhere, and looks at what the first decides by.
    let keeps = |own: &Expr, target: &Access| Kept::of(own, target) == Some(Kept::Always);
    let decides = |own: &Statement| match &own.value {
        Expr::Select { condition, otherwise, .. } if keeps(otherwise, &own.target) => Some((**condition).clone()),
        _ => None,
    };
    let (first, second) = (decides(first)?, decides(second)?);
    let is_seen = |gather: &&Gather| second.gathers().iter().any(|other| gather.is_same(other));
    let apart = implies(&[(&first, true)], &second) == Some(false);
    (apart && first.told().is_empty() && first.gathers().iter().all(is_seen)).then_some(value)
}

/// `expr` with `value` in place of what it keeps of the target.
fn with_kept(expr: &Expr, target: &Access, value: &Expr) -> Expr {
    match expr {
        Expr::Read { access, .. } if access.array == target.array => value.clone(),
        _ => {
            let mut new = expr.clone();
            for operand in new.operands_mut() {
                *operand = with_kept(operand, target, value);
            }
            new
        }
    }
}

/// Without choices that those around them decide; `path` has the conditions around, and whether each holds.
fn simplified(expr: &Expr, path: &mut Vec<(Expr, bool)>) -> Expr {
    let Expr::Select { condition, then, otherwise, ty } = expr else { return expr.clone() };
    let around: Vec<(&Expr, bool)> = path.iter().map(|(condition, holds)| (condition, *holds)).collect();
    if let Some(holds) = implies(&around, condition) {
        return simplified(if holds { then } else { otherwise }, path);
    }
    let mut of = |side: &Expr, holds: bool| {
        path.push(((**condition).clone(), holds));
        let value = simplified(side, path);
        path.pop();
        Box::new(value)
    };
    let (then, otherwise) = (of(then, true), of(otherwise, false));
    Expr::Select { condition: condition.clone(), then, otherwise, ty: *ty }
}

/// What `condition` is wherever the others are as said, if that follows from how they are put together.
fn implies(around: &[(&Expr, bool)], condition: &Expr) -> Option<bool> {
    let mut atoms = vec![];
    let all = || around.iter().map(|(own, _)| *own).chain([condition]);
    all().for_each(|own| parts(own, &mut atoms));
    if atoms.len() > MOST_ATOMS {
        return None;
    }
    let mut seen = [false; 2];
    for values in 0..1u32 << atoms.len() {
        if around.iter().all(|(own, holds)| truth(own, &atoms, values) == *holds) {
            seen[usize::from(truth(condition, &atoms, values))] = true;
        }
    }
    match seen {
        [false, true] => Some(true),
        [true, false] => Some(false),
        _ => None,
    }
}

/// What a condition asks of others: their truth alone decides its own.
fn asked(condition: &Expr) -> Option<Vec<&Expr>> {
    match condition {
        Expr::Unary { op: UnaryOp::Not, operand, .. } => Some(vec![operand]),
        Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right, .. } => Some(vec![left, right]),
        Expr::Cast { operand, .. } if is_truth(operand) => Some(vec![operand]),
        Expr::Select { condition, then, otherwise, .. } => Some(vec![condition, then, otherwise]),
        _ => None,
    }
}

/// Whether a value is 0 or 1.
fn is_truth(value: &Expr) -> bool {
    match value {
        Expr::Unary { op, .. } => *op == UnaryOp::Not,
        Expr::Binary { op, .. } => matches!(
            op,
            BinaryOp::LogicalAnd
                | BinaryOp::LogicalOr
                | BinaryOp::Less
                | BinaryOp::LessEqual
                | BinaryOp::Equal
                | BinaryOp::NotEqual
        ),
        Expr::Cast { operand, .. } => is_truth(operand),
        Expr::Select { then, otherwise, .. } => is_truth(then) && is_truth(otherwise),
        Expr::Constant { value, .. } => matches!(value, 0 | 1),
        _ => false,
    }
}

/// The conditions that others are made of, each once.
fn parts<'e>(condition: &'e Expr, atoms: &mut Vec<&'e Expr>) {
    match asked(condition) {
        Some(operands) => operands.into_iter().for_each(|operand| parts(operand, atoms)),
        None if matches!(condition, Expr::Constant { .. }) => {}
        None if atoms.iter().any(|known| known.is_same(condition)) => {}
        None => atoms.push(condition),
    }
}

/// Whether a condition holds where those that it is made of do whose bits are set.
fn truth(condition: &Expr, atoms: &[&Expr], values: u32) -> bool {
    let of = |operand: &Expr| truth(operand, atoms, values);
    match condition {
        Expr::Constant { value, .. } => *value != 0,
        Expr::Unary { op: UnaryOp::Not, operand, .. } => !of(operand),
        Expr::Binary { op: BinaryOp::LogicalAnd, left, right, .. } => of(left) && of(right),
        Expr::Binary { op: BinaryOp::LogicalOr, left, right, .. } => of(left) || of(right),
        Expr::Cast { operand, .. } if is_truth(operand) => of(operand),
        Expr::Select { condition, then, otherwise, .. } => {
            if of(condition) {
                of(then)
            } else {
                of(otherwise)
            }
        }
        _ => {
            let own = atoms.iter().position(|atom| atom.is_same(condition)).expect("an atom");
            values >> own & 1 == 1
        }
    }
}
