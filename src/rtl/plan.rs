//! What the printer must know of all items before it prints the first.

use std::collections::{HashMap, HashSet};

use super::expr::{Expr, Op};
use super::lower::{strip, visit_labels, visit_statements};
use super::module::{Connection, Item, Label, Parameter, Signal, Statement};
use super::text::{is_self_contained, is_widening_product};
use super::types::Type;

/// Operators from which on an expression that is read more than once gets a wire of its own.
const SHARED_SIZE: u32 = 4;

/// The signals that processes assign, by index.
pub(super) fn procedural_targets(items: &[Item]) -> HashSet<usize> {
    let mut targets = HashSet::new();
    for item in items {
        if let Item::Clocked { body, .. } | Item::Combinational { body, .. } = item {
            visit_statements(body, &mut |_, target| targets.extend(target.map(Signal::index)));
        }
        if let Item::Clocked { resets, .. } = item {
            targets.extend(resets.iter().map(|(register, _)| register.index()));
        }
    }
    targets
}

/// Every expression that the items print, and whether it is the whole value of an assignment.
fn for_each_root<'a>(items: &'a [Item], visit: &mut impl FnMut(&'a Expr, bool)) {
    for item in items {
        match item {
            Item::Assign(_, value) => visit(value, true),
            Item::Clocked { body, .. } | Item::Combinational { body, .. } => {
                visit_statements(body, &mut |e, target| visit(e, target.is_some()));
            }
            Item::Instance(instance) => {
                for (_, connection) in &instance.ports {
                    if let Connection::In(value) = connection {
                        visit(value, false);
                    }
                }
            }
            Item::Comment(_) | Item::Declare(_) | Item::Parameter(_) => {}
        }
    }
}

/// The named constants that the items print.
pub(super) fn read_parameters(items: &[Item]) -> HashSet<*const ()> {
    let mut read = HashSet::new();
    for_each_root(items, &mut |e, _| read_parameters_of(e, &mut HashSet::new(), &mut read));
    for item in items {
        if let Item::Clocked { body, .. } | Item::Combinational { body, .. } = item {
            visit_labels(body, &mut |label, _| {
                if let Label::Named(constant) = label {
                    read_parameters_of(constant, &mut HashSet::new(), &mut read);
                }
            });
        }
    }
    read
}

fn read_parameters_of(e: &Expr, visited: &mut HashSet<*const ()>, read: &mut HashSet<*const ()>) {
    if !visited.insert(e.id()) {
        return;
    }
    if let Op::Parameter(parameter) = e.op() {
        read.insert(parameter.address());
    }
    e.operands().into_iter().for_each(|operand| read_parameters_of(operand, visited, read));
}

/// The named constant by which `body` calls the reset value of `register`: one that it assigns to the register, or
/// under which a case over the register has an arm.
pub(super) fn reset_name(body: &[Statement], register: &Signal, value: i128) -> Option<Parameter> {
    let mut found: Option<Parameter> = None;
    visit_statements(body, &mut |e, target| {
        if target.is_some_and(|target| target.same(register)) {
            find_parameter(e, register.ty(), value, &mut found);
        }
    });
    visit_labels(body, &mut |label, subject| {
        if let (Label::Named(constant), Op::Signal(signal)) = (label, strip(subject).op())
            && signal.same(register)
        {
            find_parameter(constant, register.ty(), value, &mut found);
        }
    });
    found
}

fn find_parameter(e: &Expr, ty: Type, value: i128, found: &mut Option<Parameter>) {
    match strip(e).op() {
        Op::Parameter(parameter) if parameter.ty() == ty && parameter.value() == value => {
            found.get_or_insert_with(|| parameter.clone());
        }
        Op::Select(_, then, otherwise) => {
            find_parameter(then, ty, value, found);
            find_parameter(otherwise, ty, value, found);
        }
        _ => {}
    }
}

/// The nodes that need a wire: bits of them are selected, or they are products of narrow operands inside something
/// else, or they are large and read more than once.
pub(super) fn wired_nodes(items: &[Item]) -> HashSet<*const ()> {
    let mut plan = Plan::default();
    for_each_root(items, &mut |e, assigned| {
        let e = strip(e);
        *plan.uses.entry(e.id()).or_default() += 1;
        if !assigned && is_widening_product(e) {
            plan.wired.insert(e.id());
        }
        plan.count(e);
    });
    for_each_root(items, &mut |e, _| {
        plan.size(strip(e));
    });
    plan.wired
}

#[derive(Default)]
struct Plan {
    uses: HashMap<*const (), u32>,
    counted: HashSet<*const ()>,
    sizes: HashMap<*const (), u32>,
    wired: HashSet<*const ()>,
}

impl Plan {
    fn count(&mut self, e: &Expr) {
        if !self.counted.insert(e.id()) {
            return;
        }
        for operand in e.operands() {
            let operand = strip(operand);
            *self.uses.entry(operand.id()).or_default() += 1;
            let selected = matches!(e.op(), Op::Slice(..)) && !matches!(operand.op(), Op::Signal(_));
            let factor = is_widening_product(e) && operand.width() < e.width() && !is_self_contained(operand);
            if selected || factor || is_widening_product(operand) {
                self.wired.insert(operand.id());
            }
            self.count(operand);
        }
    }

    /// Operators in the text of `e`, those behind wires of their own not counted.
    fn size(&mut self, e: &Expr) -> u32 {
        if let Some(size) = self.sizes.get(&e.id()) {
            return *size;
        }
        let mut size = match e.op() {
            Op::Constant(_) | Op::Signal(_) | Op::Parameter(_) | Op::Slice(..) => 0,
            _ => 1,
        };
        for operand in e.operands() {
            size += self.size(strip(operand));
        }
        if size >= SHARED_SIZE && self.uses[&e.id()] > 1 {
            self.wired.insert(e.id());
        }
        if self.wired.contains(&e.id()) {
            size = 0;
        }
        self.sizes.insert(e.id(), size);
        size
    }
}
