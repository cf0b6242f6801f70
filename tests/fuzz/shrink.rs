//! From a program that fails to a small one that fails in the same way.

use burstc::affine::Affine;
use burstc::source::kernel::ScalarType;

use crate::program::{Access, Branch, Condition, Expr, For, If, Jump, Memory, Node, Program, Style, Subscript};

/// Applies simplifications after which the program still `fails`, until none is left or `budget` programs have been
/// tried. `fails` may simplify the program further itself.
pub fn shrink(mut program: Program, mut budget: usize, fails: &mut dyn FnMut(&mut Program) -> bool) -> Program {
    loop {
        let before = program.clone();
        let mut next = 0;
        // What has been tried without success is mostly tried again only when all the rest has.
        while let Some(mut candidate) = candidates(&program).into_iter().nth(next) {
            if candidate == program || candidate.statements() == 0 {
                next += 1;
                continue;
            }
            if budget == 0 {
                return program;
            }
            budget -= 1;
            if fails(&mut candidate) {
                program = candidate;
            } else {
                next += 1;
            }
        }
        if program == before {
            return program;
        }
    }
}

/// Programs that are one step simpler, the largest steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let with_body = |body: Vec<Node>| Program { body, ..program.clone() };
    let mut found = vec![program.without_lanes(), program.without_tiles(), program.without_long_strips()];
    found.push(Program { structures: false, ..program.clone() });
    found.push(Program { flat: false, ..program.clone() });
    found.push(Program { schedule: None, ..program.clone() });
    found.push(Program { memory: Memory::Ddr400, ..program.clone() });
    for size in 0..program.sizes.len() {
        let mut candidate = program.clone();
        candidate.sizes[size].ty = ScalarType::I32;
        found.push(candidate);
    }
    found.extend(blocks(&program.body).into_iter().map(with_body));
    for index in 0..program.runs.len() {
        if program.runs.len() > 1 {
            let mut fewer = program.clone();
            fewer.runs.remove(index);
            found.push(fewer);
        }
    }
    for size in 0..program.sizes.len() {
        let max = program.sizes[size].max;
        for smaller in [max / 2, max - 1] {
            if (1..max).contains(&smaller) {
                let mut candidate = program.clone();
                candidate.sizes[size].max = smaller;
                candidate.runs.iter_mut().for_each(|run| run[size] = run[size].min(smaller));
                found.push(candidate);
            }
        }
        for run in 0..program.runs.len() {
            let value = program.runs[run][size];
            for smaller in [value / 2, value - 1] {
                if (0..value).contains(&smaller) {
                    let mut candidate = program.clone();
                    candidate.runs[run][size] = smaller;
                    found.push(candidate);
                }
            }
        }
    }
    for array in 0..program.arrays.len() {
        let mut candidate = program.clone();
        candidate.arrays[array].element = ScalarType::I32;
        found.push(candidate);
    }
    found
}

/// A list of nodes with one of them left out, opened or simplified.
fn blocks(nodes: &[Node]) -> Vec<Vec<Node>> {
    let mut found = vec![];
    for (index, node) in nodes.iter().enumerate() {
        let replaced = |by: Vec<Node>| {
            let mut nodes = nodes.to_vec();
            nodes.splice(index..=index, by);
            nodes
        };
        found.push(replaced(vec![]));
        found.extend(simpler_node(node).into_iter().map(replaced));
    }
    found
}

fn simpler_node(node: &Node) -> Vec<Vec<Node>> {
    match node {
        Node::For(inner) => simpler_loop(inner),
        Node::If(inner) => {
            let mut found = vec![inner.then.clone(), inner.otherwise.clone()];
            let with = |condition, then, otherwise| vec![Node::If(If { condition, then, otherwise })];
            let (condition, then, otherwise) = (&inner.condition, &inner.then, &inner.otherwise);
            found.extend(blocks(then).into_iter().map(|then| with(condition.clone(), then, otherwise.clone())));
            found.extend(blocks(otherwise).into_iter().map(|other| with(condition.clone(), then.clone(), other)));
            found.extend(simpler_condition(condition).into_iter().map(|c| with(c, then.clone(), otherwise.clone())));
            found
        }
        Node::Branch(branch) => {
            let mut found = vec![branch.then.clone(), branch.otherwise.clone()];
            let with = |condition, then, otherwise| vec![Node::Branch(Branch { condition, then, otherwise })];
            let Branch { condition, then, otherwise } = branch;
            found.extend(blocks(then).into_iter().map(|then| with(condition.clone(), then, otherwise.clone())));
            found.extend(blocks(otherwise).into_iter().map(|other| with(condition.clone(), then.clone(), other)));
            found.extend(simpler_expr(condition).into_iter().map(|c| with(c, then.clone(), otherwise.clone())));
            found
        }
        Node::Jump(jump) => {
            let with = |condition| vec![Node::Jump(Jump { condition, ..jump.clone() })];
            simpler_condition(&jump.condition).into_iter().map(with).collect()
        }
        Node::Declare(local, value) => {
            simpler_expr(value).into_iter().map(|value| vec![Node::Declare(*local, value)]).collect()
        }
        Node::Assign(assign) => {
            let mut found = vec![];
            if assign.operator != "=" {
                let mut plain = assign.clone();
                plain.operator = "=";
                found.push(plain);
            }
            for value in simpler_expr(&assign.value) {
                let mut candidate = assign.clone();
                candidate.value = value;
                found.push(candidate);
            }
            for target in simpler_access(&assign.target) {
                let mut candidate = assign.clone();
                candidate.target = target;
                found.push(candidate);
            }
            found.into_iter().map(|assign| vec![Node::Assign(assign)]).collect()
        }
    }
}

fn simpler_loop(inner: &For) -> Vec<Vec<Node>> {
    let mut found = vec![];
    // Its body alone, with 0 for the iterator.
    let mut body = inner.body.clone();
    body.iter_mut().for_each(|node| without(node, &inner.iterator));
    found.push(body);
    if inner.counter.is_some() {
        // Without the counter, and 0 in its place.
        let mut candidate = inner.clone();
        let counter = candidate.counter.take().map(|counter| counter.name).unwrap_or_default();
        candidate.body.iter_mut().for_each(|node| without(node, &counter));
        found.push(vec![Node::For(candidate)]);
    }
    let mut push = |change: &dyn Fn(&mut For)| {
        let mut candidate = inner.clone();
        change(&mut candidate);
        found.push(vec![Node::For(candidate)]);
    };
    for body in blocks(&inner.body) {
        push(&|f| f.body = body.clone());
    }
    push(&|f| f.step = 1);
    push(&|f| f.descending = false);
    push(&|f| f.ty = ScalarType::I32);
    push(&|f| f.strict = false);
    push(&|f| f.choice = None);
    push(&|f| f.at_least_once = false);
    push(&|f| f.form = super::program::Form::For);
    push(&|f| f.data[0] = None);
    push(&|f| f.data[1] = None);
    push(&|f| f.stated = false);
    push(&|f| f.left = false);
    push(&|f| f.uneven = None);
    if let Some(tile) = inner.tile.filter(|tile| *tile > 1) {
        push(&|f| f.tile = Some(tile / 2));
    }
    for index in 0..inner.lower.len() {
        if inner.lower.len() > 1 {
            push(&|f| drop(f.lower.remove(index)));
        }
        for bound in simpler_affine(&inner.lower[index]) {
            push(&|f| f.lower[index] = bound.clone());
        }
    }
    for index in 0..inner.upper.len() {
        if inner.upper.len() > 1 {
            push(&|f| drop(f.upper.remove(index)));
        }
        for bound in simpler_affine(&inner.upper[index]) {
            push(&|f| f.upper[index] = bound.clone());
        }
    }
    found
}

fn simpler_condition(condition: &Condition) -> Vec<Condition> {
    let each = |value: &Affine, make: &dyn Fn(Affine) -> Condition| -> Vec<Condition> {
        simpler_affine(value).into_iter().map(make).collect()
    };
    match condition {
        Condition::NonNegative(value) => each(value, &Condition::NonNegative),
        Condition::Zero(value) => each(value, &Condition::Zero),
        Condition::Multiple(value, divisor) => each(value, &|value| Condition::Multiple(value, *divisor)),
        Condition::And(a, b) | Condition::Or(a, b) => vec![(**a).clone(), (**b).clone()],
        Condition::Not(a) => vec![(**a).clone()],
    }
}

fn simpler_access(access: &Access) -> Vec<Access> {
    let mut found = vec![Access { style: Style::Brackets, ..access.clone() }];
    for (dimension, subscript) in access.subscripts.iter().enumerate() {
        let simpler: Vec<Subscript> = match subscript {
            Subscript::Affine(value) => simpler_affine(value).into_iter().map(Subscript::Affine).collect(),
            Subscript::Quotient(value, _)
            | Subscript::Remainder(value, _)
            | Subscript::Shifted(value, _)
            | Subscript::Masked(value, _) => vec![Subscript::Affine(value.clone())],
            Subscript::Data(_) => vec![Subscript::Affine(Affine::default())],
            Subscript::Choice(..) | Subscript::Step(_) => {
                subscript.plain_values().into_iter().map(Subscript::Affine).collect()
            }
        };
        for subscript in simpler {
            let mut candidate = access.clone();
            candidate.subscripts[dimension] = subscript;
            found.push(candidate);
        }
    }
    found
}

fn simpler_expr(expr: &Expr) -> Vec<Expr> {
    let mut found: Vec<Expr> = expr.operands().into_iter().cloned().collect();
    match expr {
        Expr::Constant(value) if [0, 1].contains(value) => {}
        Expr::Constant(_) | Expr::Scalar(_) | Expr::Index(_) => found.push(Expr::Constant(1)),
        Expr::Read(access) => {
            found.push(Expr::Constant(1));
            found.extend(simpler_access(access).into_iter().map(Expr::Read));
        }
        _ => found.push(Expr::Constant(0)),
    }
    for index in 0..expr.operands().len() {
        for operand in simpler_expr(expr.operands()[index]) {
            let mut candidate = expr.clone();
            *candidate.operands_mut()[index] = operand;
            found.push(candidate);
        }
    }
    found
}

/// Without one of its terms, with coefficients of 1, without its constant.
fn simpler_affine(value: &Affine) -> Vec<Affine> {
    let mut found = vec![];
    for (name, &factor) in &value.terms {
        let mut candidate = value.clone();
        candidate.add_term(name, -factor);
        found.push(candidate);
        if factor.abs() > 1 {
            let mut candidate = value.clone();
            candidate.add_term(name, factor.signum() - factor);
            found.push(candidate);
        }
    }
    if value.constant != 0 {
        found.push(Affine { constant: 0, ..value.clone() });
    }
    found
}

/// Puts 0 for an iterator in everything that a node holds.
fn without(node: &mut Node, iterator: &str) {
    let strip = |value: &mut Affine| {
        value.terms.remove(iterator);
    };
    match node {
        Node::For(inner) => {
            // A tiling names all loops from the outermost one on.
            inner.tile = None;
            inner.lower.iter_mut().chain(&mut inner.upper).for_each(strip);
            if let Some((condition, other)) = &mut inner.choice {
                without_in_condition(condition, iterator);
                strip(other);
            }
            inner.counter.iter_mut().for_each(|counter| strip(&mut counter.first));
            inner.body.iter_mut().for_each(|node| without(node, iterator));
        }
        Node::If(inner) => {
            without_in_condition(&mut inner.condition, iterator);
            inner.then.iter_mut().chain(&mut inner.otherwise).for_each(|node| without(node, iterator));
        }
        Node::Branch(branch) => {
            without_in_expr(&mut branch.condition, iterator);
            branch.then.iter_mut().chain(&mut branch.otherwise).for_each(|node| without(node, iterator));
        }
        Node::Jump(jump) => without_in_condition(&mut jump.condition, iterator),
        Node::Assign(assign) => {
            without_in_access(&mut assign.target, iterator);
            without_in_expr(&mut assign.value, iterator);
        }
        Node::Declare(_, value) => without_in_expr(value, iterator),
    }
}

fn without_in_condition(condition: &mut Condition, iterator: &str) {
    match condition {
        Condition::NonNegative(value) | Condition::Zero(value) | Condition::Multiple(value, _) => {
            value.terms.remove(iterator);
        }
        Condition::And(a, b) | Condition::Or(a, b) => {
            without_in_condition(a, iterator);
            without_in_condition(b, iterator);
        }
        Condition::Not(a) => without_in_condition(a, iterator),
    }
}

fn without_in_access(access: &mut Access, iterator: &str) {
    for subscript in &mut access.subscripts {
        match subscript {
            Subscript::Affine(value)
            | Subscript::Quotient(value, _)
            | Subscript::Remainder(value, _)
            | Subscript::Shifted(value, _)
            | Subscript::Masked(value, _) => drop(value.terms.remove(iterator)),
            Subscript::Choice(condition, then, otherwise) => {
                without_in_condition(condition, iterator);
                then.terms.remove(iterator);
                otherwise.terms.remove(iterator);
            }
            Subscript::Step(counter) if counter == iterator => *subscript = Subscript::Affine(Affine::default()),
            Subscript::Step(_) | Subscript::Data(_) => {}
        }
    }
}

fn without_in_expr(expr: &mut Expr, iterator: &str) {
    match expr {
        Expr::Read(access) => without_in_access(access, iterator),
        Expr::Index(value) => {
            value.terms.remove(iterator);
        }
        _ => expr.operands_mut().into_iter().for_each(|operand| without_in_expr(operand, iterator)),
    }
}
