//! Takes out of a design what nobody reads: a register that would be carried along for nobody, a field of a word that
//! waits in a FIFO, a port that its module has no use for. Generators may so declare what a process could need, and what
//! is left is needed.
//!
//! A bit is needed where an output of the last module depends on it, by way of registers, conditions and instances. A
//! library cell needs all its inputs, but a `fifo` only the bits of its words that are read behind it. Signals lose the
//! bits that are not needed, and those without any go, with their ports and assignments. The last module keeps its ports,
//! and what a library cell drives keeps its width; what stays unread of those is waived.

use std::collections::{HashMap, HashSet};

use super::expr::{Expr, Op};
use super::lower::{lower, strip};
use super::module::{Connection, Design, Field, Instance, Item, Module, Signal, Statement};
use super::types::Type;

/// Rounds after which nothing changes: what is taken out of one module settles conditions in another.
const MOST_ROUNDS: usize = 20;

/// The library cell whose words may lose bits, which lie side by side in no order that it would know.
const FIFO: &str = "fifo";

/// Which bits of a signal are needed, the lowest first.
type Bits = Vec<bool>;

/// Takes out what nobody reads; the last module is the one whose ports are wanted. What is read only by expressions that
/// the printer simplifies away is left, and waived.
pub fn trim(design: &mut Design) {
    take_out(design);
    design.modules.iter_mut().for_each(|module| module.trimmed = true);
}

fn take_out(design: &mut Design) {
    for _ in 0..MOST_ROUNDS {
        for module in &mut design.modules {
            module.items = lower(module);
        }
        let needs = Needs::of(design);
        let all_needed = needs.bits.iter().flatten().flatten().all(|bit| *bit);
        if all_needed && needs.without_use.iter().all(HashSet::is_empty) {
            return;
        }
        let before: Vec<usize> = design.modules.iter().map(size).collect();
        design.modules = (0..design.modules.len()).map(|m| Trimmer::new(design, &needs, m).module()).collect();
        if design.modules.iter().map(size).eq(before) {
            return;
        }
    }
}

/// Grows with what a module has.
fn size(module: &Module) -> usize {
    module.signals.iter().map(|signal| signal.width() as usize).sum::<usize>() + module.items.len()
}

/// What is needed of a design.
struct Needs {
    /// By module, signal and bit.
    bits: Vec<Vec<Bits>>,
    /// By module the places of items that are instances of library cells whose outputs nobody reads.
    without_use: Vec<HashSet<usize>>,
}

impl Needs {
    fn of(design: &Design) -> Needs {
        let none = |module: &Module| module.signals.iter().map(|s| vec![false; s.width() as usize]).collect();
        let mut bits: Vec<Vec<Bits>> = design.modules.iter().map(none).collect();
        let Some(last) = design.modules.len().checked_sub(1) else { return Needs { bits, without_use: vec![] } };
        for port in design.modules[last].ports() {
            bits[last][port.index()].fill(true);
        }
        let place: HashMap<&str, usize> = design.modules.iter().enumerate().map(|(i, m)| (m.name(), i)).collect();
        let assignments: Vec<Vec<Assignment>> = design.modules.iter().map(assignments).collect();
        let of_target: Vec<Vec<Vec<usize>>> =
            assignments.iter().zip(&bits).map(|(all, bits)| by_target(all, bits.len())).collect();
        let is_cell = |instance: &&Instance| !place.contains_key(instance.module.as_str());
        let of_output: Vec<HashMap<usize, &Instance>> =
            design.modules.iter().map(|module| by_output(module, is_cell)).collect();
        let mut whole: Vec<HashSet<*const ()>> = vec![HashSet::new(); design.modules.len()];
        let mut done: Vec<Vec<u32>> = assignments.iter().map(|a| vec![0; a.len()]).collect();
        loop {
            let before = count(&bits);
            for (m, module) in design.modules.iter().enumerate() {
                // Assignments mostly stand behind what they read. Those whose targets are wanted by others come again.
                let mut queue: Vec<usize> = (0..assignments[m].len()).collect();
                // The cells between them, likewise: in a chain of cells the need goes from the last to the first.
                let mut cells: Vec<&Instance> = vec![];
                let mut changed: Vec<usize> = vec![];
                loop {
                    for signal in changed.drain(..) {
                        queue.extend(&of_target[m][signal]);
                        cells.extend(of_output[m].get(&signal));
                    }
                    let Some(index) = queue.pop() else {
                        let Some(cell) = cells.pop() else { break };
                        of_cell(cell, &mut bits[m], &mut whole[m], &mut changed);
                        continue;
                    };
                    let assignment = &assignments[m][index];
                    let wanted = &mut bits[m][assignment.target];
                    // What carries into the bits that are wanted is computed with them.
                    if assignment.is_computed
                        && let Some(highest) = wanted.iter().rposition(|bit| *bit)
                    {
                        wanted[..highest].fill(true);
                    }
                    let wanted = wanted.clone();
                    let wanted_bits = ones(&wanted);
                    if wanted_bits > std::mem::replace(&mut done[m][index], wanted_bits) {
                        let mut wants = Wants { bits: &mut bits[m], whole: &mut whole[m], changed: &mut changed };
                        wants.need(assignment.value, &wanted);
                        assignment.conditions.iter().for_each(|c| wants.need_all(c));
                    }
                }
                for item in &module.items {
                    match item {
                        // Reset is asked of whatever has some.
                        Item::Clocked { resets, .. } => {
                            let needed = |(register, _): &(Signal, i128)| bits[m][register.index()].contains(&true);
                            let clocks = if resets.iter().any(needed) { &["clk", "rst"][..] } else { &["clk"] };
                            for port in clocks.iter().filter_map(|name| module.port(name)) {
                                bits[m][port.index()].fill(true);
                            }
                        }
                        Item::Instance(instance) => match place.get(instance.module.as_str()) {
                            Some(&child) => of_module(design, (m, child), instance, &mut bits, &mut whole[m]),
                            None => of_cell(instance, &mut bits[m], &mut whole[m], &mut changed),
                        },
                        _ => {}
                    }
                }
            }
            if count(&bits) == before {
                break;
            }
        }
        let unused = |(m, module): (usize, &Module)| {
            let cells = module.items.iter().enumerate().filter(|(_, item)| match item {
                Item::Instance(i) => !place.contains_key(i.module.as_str()) && !is_used(i, &bits[m]),
                _ => false,
            });
            cells.map(|(place, _)| place).collect()
        };
        let without_use = design.modules.iter().enumerate().map(unused).collect();
        Needs { bits, without_use }
    }
}

fn count(bits: &[Vec<Bits>]) -> u32 {
    bits.iter().flatten().map(|bits| ones(bits)).sum()
}

/// A value that a signal takes, and the conditions around it.
struct Assignment<'a> {
    target: usize,
    value: &'a Expr,
    conditions: Vec<&'a Expr>,
    /// A wire for more than bits of signals side by side.
    is_computed: bool,
}

fn assignments(module: &Module) -> Vec<Assignment<'_>> {
    let mut found = vec![];
    for item in &module.items {
        match item {
            Item::Assign(target, value) => {
                let bare = strip(value).op();
                let is_computed = !matches!(bare, Op::Signal(_) | Op::Slice(..) | Op::Concat(_) | Op::Constant(_));
                found.push(Assignment { target: target.index(), value, conditions: vec![], is_computed });
            }
            Item::Clocked { body, .. } | Item::Combinational { body, .. } => collect(body, &mut vec![], &mut found),
            _ => {}
        }
    }
    found
}

fn collect<'a>(body: &'a [Statement], conditions: &mut Vec<&'a Expr>, found: &mut Vec<Assignment<'a>>) {
    for statement in body {
        match statement {
            Statement::Assign(target, value) => {
                let conditions = conditions.clone();
                found.push(Assignment { target: target.index(), value, conditions, is_computed: false });
            }
            Statement::If { condition, then, otherwise } => {
                conditions.push(condition);
                collect(then, conditions, found);
                collect(otherwise, conditions, found);
                conditions.pop();
            }
            Statement::Case { subject, arms, default } => {
                conditions.push(subject);
                arms.iter().for_each(|(_, body)| collect(body, conditions, found));
                collect(default, conditions, found);
                conditions.pop();
            }
            Statement::Comment(_) => {}
        }
    }
}

/// The assignments to every signal.
fn by_target(assignments: &[Assignment], signals: usize) -> Vec<Vec<usize>> {
    let mut found = vec![vec![]; signals];
    assignments.iter().enumerate().for_each(|(index, assignment)| found[assignment.target].push(index));
    found
}

/// The instances that `is_cell` chooses, by the signals that they drive.
fn by_output<'m>(module: &'m Module, is_cell: impl Fn(&&Instance) -> bool) -> HashMap<usize, &'m Instance> {
    let instances = module.items.iter().filter_map(|item| match item {
        Item::Instance(instance) => Some(instance),
        _ => None,
    });
    let outputs = |cell: &'m Instance| {
        let driven = cell.ports.iter().filter_map(|(_, connection)| match connection {
            Connection::Out(wire) => Some(wire.index()),
            _ => None,
        });
        driven.map(move |signal| (signal, cell))
    };
    instances.filter(is_cell).flat_map(outputs).collect()
}

/// What a module needs so far.
struct Wants<'w> {
    bits: &'w mut [Bits],
    /// The expressions of which everything is needed.
    whole: &'w mut HashSet<*const ()>,
    /// Signals of which more is needed than before.
    changed: &'w mut Vec<usize>,
}

impl Wants<'_> {
    /// What `e` reads so that its bits `wanted` can be told.
    fn need(&mut self, e: &Expr, wanted: &[bool]) {
        if !wanted.contains(&true) {
            return;
        }
        match e.op() {
            Op::Constant(_) | Op::Parameter(_) => {}
            Op::Signal(signal) => {
                let bits = &mut self.bits[signal.index()];
                if bits.iter().zip(wanted).any(|(bit, wanted)| *wanted && !bit) {
                    self.changed.push(signal.index());
                    bits.iter_mut().zip(wanted).for_each(|(bit, wanted)| *bit |= wanted);
                }
            }
            Op::Cast(inner) => self.need(inner, wanted),
            Op::Slice(inner, high, low) => {
                let mut inside = vec![false; inner.width() as usize];
                inside[*low as usize..=*high as usize].copy_from_slice(wanted);
                self.need(inner, &inside);
            }
            Op::Concat(parts) => {
                let mut low = 0;
                for part in parts.iter().rev() {
                    let high = low + part.width() as usize;
                    self.need(part, &wanted[low..high]);
                    low = high;
                }
            }
            _ => self.need_all(e),
        }
    }

    /// What `e` reads.
    fn need_all(&mut self, e: &Expr) {
        if !self.whole.insert(e.id()) {
            return;
        }
        match e.op() {
            Op::Signal(_) | Op::Cast(_) | Op::Slice(..) | Op::Concat(_) => {
                self.need(e, &vec![true; e.width() as usize]);
            }
            _ => e.operands().into_iter().for_each(|operand| self.need_all(operand)),
        }
    }
}

/// Ports of an instance of a generated module: needed inside where they are outside, and the other way round.
fn of_module(
    design: &Design,
    (parent, child): (usize, usize),
    instance: &Instance,
    bits: &mut [Vec<Bits>],
    whole: &mut HashSet<*const ()>,
) {
    for (name, connection) in &instance.ports {
        let Some(port) = design.modules[child].port(name).map(Signal::index) else { continue };
        match connection {
            Connection::In(value) => {
                let wanted = bits[child][port].clone();
                Wants { bits: &mut bits[parent], whole, changed: &mut vec![] }.need(value, &wanted);
            }
            // Both ends have one width.
            Connection::Out(wire) => {
                let either: Bits =
                    bits[child][port].iter().zip(&bits[parent][wire.index()]).map(|(a, b)| a | b).collect();
                bits[parent][wire.index()].clone_from(&either);
                bits[child][port] = either;
            }
            Connection::Open => {}
        }
    }
}

/// Inputs of an instance of a library cell, where something reads what it gives; `changed` gets the signals of which more is
/// needed.
fn of_cell(instance: &Instance, bits: &mut [Bits], whole: &mut HashSet<*const ()>, changed: &mut Vec<usize>) {
    if !is_used(instance, bits) {
        return;
    }
    let word = (instance.module == FIFO).then(|| instance.ports.iter().find(|(name, _)| name == "m_data")).flatten();
    for (name, connection) in &instance.ports {
        match (connection, word) {
            (Connection::In(value), Some((_, Connection::Out(word)))) if name == "s_data" => {
                // A word has a bit at least.
                if !bits[word.index()].contains(&true) {
                    bits[word.index()][0] = true;
                }
                let wanted = bits[word.index()].clone();
                Wants { bits, whole, changed: &mut *changed }.need(value, &wanted);
            }
            (Connection::In(value), _) => Wants { bits, whole, changed: &mut *changed }.need_all(value),
            // What a cell gives has the width that it has.
            (Connection::Out(wire), None) if bits[wire.index()].contains(&true) => bits[wire.index()].fill(true),
            _ => {}
        }
    }
}

/// Whether something reads what a cell gives, or it gives nothing.
fn is_used(instance: &Instance, bits: &[Bits]) -> bool {
    let outputs = || instance.ports.iter().filter(|(_, connection)| !matches!(connection, Connection::In(_)));
    outputs().next().is_none()
        || outputs().any(|(_, connection)| match connection {
            Connection::Out(wire) => bits[wire.index()].contains(&true),
            _ => false,
        })
}

/// Writes a module anew with what is needed.
struct Trimmer<'a> {
    design: &'a Design,
    needs: &'a Needs,
    index: usize,
    module: &'a Module,
    /// The new signals, by old index.
    signals: Vec<Option<Signal>>,
    done: HashMap<*const (), Expr>,
}

impl<'a> Trimmer<'a> {
    fn new(design: &'a Design, needs: &'a Needs, index: usize) -> Self {
        let module = &design.modules[index];
        let mut place = 0;
        let new = |old: &Signal| {
            let kept = ones(&needs.bits[index][old.index()]);
            let ty = if kept == old.width() { old.ty() } else { Type::unsigned(kept.max(1)) };
            (kept > 0).then(|| {
                place += 1;
                old.with(ty, place - 1)
            })
        };
        let signals = module.signals.iter().map(new).collect();
        Trimmer { design, needs, index, module, signals, done: HashMap::new() }
    }

    /// The bits that a signal keeps.
    fn left(&self, signal: &Signal) -> &'a [bool] {
        &self.needs.bits[self.index][signal.index()]
    }

    fn module(mut self) -> Module {
        let mut items: Vec<Item> = vec![];
        for (place, item) in self.module.items.iter().enumerate() {
            if !self.needs.without_use[self.index].contains(&place) {
                items.extend(self.item(item));
            }
        }
        // A heading of nothing.
        let headings = items.iter().map(|item| matches!(item, Item::Comment(_))).collect::<Vec<_>>();
        let mut place = 0;
        items.retain(|_| {
            place += 1;
            !headings[place - 1] || headings.get(place) == Some(&false)
        });
        let module = self.module;
        let signals: Vec<Signal> = self.signals.iter().flatten().cloned().collect();
        let still = |signal: &Signal| self.signals[signal.index()].clone();
        let remarks = module.remarks.iter().filter_map(|(s, text)| Some((still(s)?, text.clone()))).collect();
        let fields = module.fields.iter().filter_map(|(s, fields)| Some((still(s)?, self.fields(s, fields)))).collect();
        let rules = module.rules.iter().filter_map(|rule| rule.map(still)).collect();
        let shown = module.shown.iter().filter_map(|(group, s)| Some((group.clone(), still(s)?))).collect();
        Module { items, signals, remarks, fields, rules, shown, ..module.like() }
    }

    /// The fields of a signal where they lie now.
    fn fields(&self, signal: &Signal, fields: &[Field]) -> Vec<Field> {
        let left = self.left(signal);
        let moved = |field: &Field| {
            let width = ones(&left[field.low as usize..(field.low + field.width) as usize]);
            (width > 0).then(|| Field { low: ones(&left[..field.low as usize]), width, ..field.clone() })
        };
        fields.iter().filter_map(moved).collect()
    }

    fn item(&mut self, item: &Item) -> Option<Item> {
        Some(match item {
            Item::Comment(_) | Item::Parameter(_) => item.clone(),
            Item::Declare(signal) => Item::Declare(self.signals[signal.index()].clone()?),
            Item::Assign(target, value) => {
                Item::Assign(self.signals[target.index()].clone()?, self.kept(target, value))
            }
            Item::Clocked { comment, resets, body } => {
                let resets: Vec<(Signal, i128)> = resets
                    .iter()
                    .filter_map(|(register, value)| {
                        let new = self.signals[register.index()].clone()?;
                        let value = self.kept(register, &Expr::constant(*value, register.ty())).as_constant()?;
                        Some((new, value))
                    })
                    .collect();
                let body = self.body(body);
                if resets.is_empty() && !assigns(&body) {
                    return None;
                }
                Item::Clocked { comment: comment.clone(), resets, body }
            }
            Item::Combinational { comment, body } => {
                let body = self.body(body);
                if !assigns(&body) {
                    return None;
                }
                Item::Combinational { comment: comment.clone(), body }
            }
            Item::Instance(instance) => self.instance(instance)?,
        })
    }

    fn body(&mut self, body: &[Statement]) -> Vec<Statement> {
        let mut new = vec![];
        for statement in body {
            match statement {
                Statement::Comment(_) => new.push(statement.clone()),
                Statement::Assign(target, value) => {
                    if let Some(signal) = self.signals[target.index()].clone() {
                        new.push(Statement::Assign(signal, self.kept(target, value)));
                    }
                }
                Statement::If { condition, then, otherwise } => {
                    let (then, otherwise) = (self.body(then), self.body(otherwise));
                    if assigns(&then) || assigns(&otherwise) {
                        new.push(Statement::If { condition: self.value(condition), then, otherwise });
                    }
                }
                Statement::Case { subject, arms, default } => {
                    let arms: Vec<_> = arms.iter().map(|(labels, body)| (labels.clone(), self.body(body))).collect();
                    let default = self.body(default);
                    if assigns(&default) || arms.iter().any(|(_, body)| assigns(body)) {
                        new.push(Statement::Case { subject: self.value(subject), arms, default });
                    }
                }
            }
        }
        new
    }

    fn instance(&mut self, instance: &Instance) -> Option<Item> {
        let mut instance = instance.clone();
        let child = self.design.modules.iter().position(|child| child.name() == instance.module);
        let mut word = None;
        if child.is_none() && instance.module == FIFO {
            word = instance.ports.iter().find_map(|(name, connection)| match connection {
                Connection::Out(wire) if name == "m_data" => Some(wire.clone()),
                _ => None,
            });
        }
        let mut ports = vec![];
        for (name, connection) in &instance.ports {
            let inside = child.map(|child| {
                let port = self.design.modules[child].port(name).expect("instances have the ports of their modules");
                self.needs.bits[child][port.index()].clone()
            });
            let connection = match (connection, inside) {
                (_, Some(needed)) if !needed.contains(&true) => continue,
                (Connection::In(value), Some(needed)) => Connection::In(self.bits(value, &needed)),
                (Connection::In(value), None) => match &word {
                    Some(word) if name == "s_data" => Connection::In(self.kept(word, value)),
                    _ => Connection::In(self.value(value)),
                },
                (Connection::Out(wire), _) => match &self.signals[wire.index()] {
                    Some(wire) => Connection::Out(wire.clone()),
                    None => Connection::Open,
                },
                (Connection::Open, _) => Connection::Open,
            };
            ports.push((name.clone(), connection));
        }
        if let Some(word) = &word {
            let width = self.signals[word.index()].as_ref().map_or(1, Signal::width);
            instance.parameters.iter_mut().filter(|(name, _)| name == "WIDTH").for_each(|(_, w)| *w = width.into());
        }
        // Nothing of a module's outputs is wanted: nothing of the module is.
        if child.is_some() && ports.iter().all(|(_, connection)| matches!(connection, Connection::In(_))) {
            return None;
        }
        instance.ports = ports;
        Some(Item::Instance(instance))
    }

    /// The bits of `value` that `target` keeps.
    fn kept(&mut self, target: &Signal, value: &Expr) -> Expr {
        let left = self.left(target);
        let value = self.bits(value, left);
        match &self.signals[target.index()] {
            Some(signal) if left.contains(&false) => value.resize(signal.ty()),
            _ => value,
        }
    }

    /// The bits `wanted` of `value` side by side; all of it where all are wanted.
    fn bits(&mut self, value: &Expr, wanted: &[bool]) -> Expr {
        let value = self.value(value);
        if wanted.iter().all(|bit| *bit) {
            return value;
        }
        let parts: Vec<Expr> =
            runs(wanted).filter(|(_, _, bit)| *bit).map(|(high, low, _)| value.slice(high, low)).collect();
        Expr::concat(&parts)
    }

    /// The value over the new signals. Bits that are gone are not read, whatever stands in their place.
    fn value(&mut self, e: &Expr) -> Expr {
        if let Some(done) = self.done.get(&e.id()) {
            return done.clone();
        }
        let done = match e.op() {
            Op::Signal(signal) => self.in_place(signal),
            Op::Slice(inner, high, low) if matches!(strip(inner).op(), Op::Signal(_)) => {
                let Op::Signal(signal) = strip(inner).op() else { unreachable!("the guard says so") };
                let left = self.left(signal);
                let below = ones(&left[..*low as usize]);
                match &self.signals[signal.index()] {
                    Some(new) if left[*low as usize..=*high as usize].iter().all(|bit| *bit) => {
                        new.e().slice(below + high - low, below)
                    }
                    _ => self.in_place(signal).slice(*high, *low),
                }
            }
            _ => {
                let operands: Vec<Expr> = e.operands().into_iter().map(|operand| self.value(operand)).collect();
                if operands.is_empty() { e.clone() } else { e.with_operands(&operands) }
            }
        };
        self.done.insert(e.id(), done.clone());
        done
    }

    /// What is left of a signal, each bit where it was.
    fn in_place(&self, signal: &Signal) -> Expr {
        let left = self.left(signal);
        let Some(new) = &self.signals[signal.index()] else { return Expr::constant(0, signal.ty()) };
        if left.iter().all(|bit| *bit) {
            return new.e();
        }
        let mut high = new.width();
        let parts: Vec<Expr> = runs(left)
            .map(|(top, bottom, bit)| {
                let width = top - bottom + 1;
                if !bit {
                    return Expr::constant(0, Type::unsigned(width));
                }
                high -= width;
                new.e().slice(high + width - 1, high)
            })
            .collect();
        Expr::concat(&parts).resize(signal.ty())
    }
}

fn ones(bits: &[bool]) -> u32 {
    bits.iter().filter(|bit| **bit).count() as u32
}

/// Runs of equal bits, the highest first: their highest and lowest place, and the bit.
fn runs(bits: &[bool]) -> impl Iterator<Item = (u32, u32, bool)> {
    let mut runs = vec![];
    let mut high = bits.len();
    while high > 0 {
        let bit = bits[high - 1];
        let low = bits[..high].iter().rposition(|b| *b != bit).map_or(0, |other| other + 1);
        runs.push((high as u32 - 1, low as u32, bit));
        high = low;
    }
    runs.into_iter()
}

fn assigns(body: &[Statement]) -> bool {
    body.iter().any(|statement| !matches!(statement, Statement::Comment(_)))
}
