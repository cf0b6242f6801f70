//! The verifier: what the printer and every tool after it may rely on.
//!
//! Of a design:
//! 1. Modules have distinct names, and none contains itself.
//!
//! Of each module:
//! 2. It reads and drives only signals and named constants of its own.
//! 3. A wire or an output has exactly one driver: an assignment, one output of one instance, or one combinational
//!    block. A register (`reg`, `output_reg`) is assigned in exactly one process. Inputs have no driver here.
//! 4. Both sides of an assignment have one width; a condition has one bit; case labels and reset values are values of
//!    what they belong to, and the labels of a case are distinct.
//! 5. Clocked processes have an input `clk`, and those with resets an input `rst`, of one bit.
//! 6. A combinational block gives each of its targets a value on every way through it (no latches), reads none of
//!    them, and reads something.
//! 7. An instance is of a module of the design or of a library module. Every port is connected once, in its direction
//!    and width, which for a library module may follow from its parameters; only outputs may stay open.
//! 8. Every bit of every input, wire and register is read. Waived are inputs of the last module, what a library cell gives
//!    beyond what is wanted, and low bits of a value that its high bits follow from: [`super::trim`] leaves no others.
//! 9. No signal depends on itself without a register between, also by way of instances of the design's modules.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::expr::{Expr, Op};
use super::header::CellPort;
use super::lower::{lower, visit_statements};
use super::module::{Connection, Design, Instance, Item, Kind, Label, Module, Signal, Statement};
use super::print::render;

/// Checks the invariants that the file's head lists.
///
/// # Errors
/// One message for every violation. They are faults of the generator, not of the user.
pub fn verify(design: &Design) -> Result<(), Vec<String>> {
    let mut errors = vec![];
    check_names(design, &mut errors);
    for module in &design.modules {
        let mut checker = Checker { design, module, errors: vec![] };
        checker.check();
        errors.extend(checker.errors.into_iter().map(|error| format!("module `{}`: {error}", module.name)));
    }
    if errors.is_empty() {
        check_loops(design, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_names(design: &Design, errors: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    for name in design.modules.iter().map(Module::name).chain(design.library.iter().map(|h| h.name.as_str())) {
        if !seen.insert(name) {
            errors.push(format!("two modules are called `{name}`"));
        }
    }
    for module in &design.modules {
        let mut inside = BTreeSet::new();
        let mut open = vec![module];
        while let Some(parent) = open.pop() {
            let children = design.modules.iter().filter(|child| parent.instantiated().contains(&child.name()));
            open.extend(children.filter(|child| inside.insert(child.name())));
        }
        if inside.contains(module.name()) {
            errors.push(format!("module `{}` contains itself", module.name));
        }
    }
}

/// What drives a signal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Driver {
    Assignment,
    Instance,
    Clocked,
    Combinational,
}

struct Checker<'a> {
    design: &'a Design,
    module: &'a Module,
    errors: Vec<String>,
}

impl Checker<'_> {
    fn check(&mut self) {
        let module = self.module;
        for item in &module.items {
            self.check_item(item);
        }
        for signal in &module.waived {
            self.check_own(signal);
        }
        self.check_drivers();
        // The rest reads the lowered and the printed form, which exist for well-formed modules only.
        if self.errors.is_empty() {
            self.check_combinational();
            self.check_driven();
            self.check_read();
        }
    }

    fn check_item(&mut self, item: &Item) {
        match item {
            Item::Comment(_) | Item::Declare(_) | Item::Parameter(_) => {}
            Item::Assign(target, value) => self.check_assignment(target, value),
            Item::Clocked { resets, body, .. } => {
                self.check_body(body);
                self.check_clock("clk");
                if !resets.is_empty() {
                    self.check_clock("rst");
                }
                for (register, value) in resets {
                    self.check_own(register);
                    if !register.ty().holds(*value) {
                        let bits = register.width();
                        self.errors.push(format!(
                            "`{}` has {bits} bits, not enough for its reset value {value}",
                            register.name()
                        ));
                    }
                }
            }
            Item::Combinational { body, .. } => self.check_body(body),
            Item::Instance(instance) => self.check_instance(instance),
        }
    }

    fn check_clock(&mut self, name: &str) {
        if !self.module.port(name).is_some_and(|port| port.kind() == Kind::Input && port.width() == 1) {
            self.errors.push(format!("a clocked process needs an input `{name}` of one bit"));
        }
    }

    /// The signal is the module's own.
    fn check_own(&mut self, signal: &Signal) {
        if !self.module.signals.get(signal.index()).is_some_and(|own| own.same(signal)) {
            self.errors.push(format!("`{}` is a signal of another module", signal.name()));
        }
    }

    fn check_expression(&mut self, e: &Expr) {
        let mut visited = HashSet::new();
        let mut open = vec![e];
        while let Some(e) = open.pop() {
            if !visited.insert(e.id()) {
                continue;
            }
            match e.op() {
                Op::Signal(signal) => self.check_own(signal),
                Op::Parameter(parameter) => {
                    let own = |item: &Item| match item {
                        Item::Parameter(own) => own.address() == parameter.address(),
                        _ => false,
                    };
                    if !self.module.items.iter().any(own) {
                        self.errors.push(format!("`{}` is a constant of another module", parameter.name()));
                    }
                }
                _ => open.extend(e.operands()),
            }
        }
    }

    fn check_assignment(&mut self, target: &Signal, value: &Expr) {
        self.check_own(target);
        self.check_expression(value);
        if target.width() != value.width() {
            self.errors.push(format!(
                "`{}` has {} bits and takes a value of {}: {value:?}",
                target.name(),
                target.width(),
                value.width()
            ));
        }
    }

    fn check_body(&mut self, body: &[Statement]) {
        for statement in body {
            match statement {
                Statement::Assign(target, value) => self.check_assignment(target, value),
                Statement::If { condition, then, otherwise } => {
                    self.check_expression(condition);
                    if condition.width() != 1 {
                        self.errors.push(format!("a condition has {} bits: {condition:?}", condition.width()));
                    }
                    self.check_body(then);
                    self.check_body(otherwise);
                }
                Statement::Case { subject, arms, default } => {
                    self.check_expression(subject);
                    self.check_labels(subject, arms.iter().flat_map(|(labels, _)| labels));
                    for (labels, body) in arms {
                        if labels.is_empty() {
                            self.errors.push(format!("a case of {subject:?} has an arm without labels"));
                        }
                        self.check_body(body);
                    }
                    self.check_body(default);
                }
                Statement::Comment(_) => {}
            }
        }
    }

    fn check_labels<'l>(&mut self, subject: &Expr, labels: impl Iterator<Item = &'l Label>) {
        let mut seen = BTreeSet::new();
        for label in labels {
            if let Label::Named(constant) = label {
                self.check_expression(constant);
            }
            let same_type = match label {
                Label::Named(constant) => constant.ty() == subject.ty(),
                Label::Value(_) => true,
            };
            match label.value() {
                Some(value) if same_type && subject.ty().holds(value) => {
                    if !seen.insert(value) {
                        self.errors.push(format!("a case of {subject:?} has two arms for {value}"));
                    }
                }
                _ => self.errors.push(format!("{label:?} is no value of the case's subject {subject:?}")),
            }
        }
    }

    fn check_instance(&mut self, instance: &Instance) {
        for (_, connection) in &instance.ports {
            match connection {
                Connection::In(value) => self.check_expression(value),
                Connection::Out(signal) => self.check_own(signal),
                Connection::Open => {}
            }
        }
        let name = &instance.name;
        let mut seen = BTreeSet::new();
        for (port, _) in &instance.ports {
            if !seen.insert(port) {
                self.errors.push(format!("instance `{name}` connects `{port}` twice"));
            }
        }
        let ports = match ports_of(self.design, instance) {
            Ok(ports) => ports,
            Err(why) => return self.errors.push(format!("instance `{name}` {why}")),
        };
        for port in &ports {
            if !instance.ports.iter().any(|(connected, _)| connected == port.name) {
                self.errors.push(format!("instance `{name}` leaves `{}` out", port.name));
            }
        }
        for (port_name, connection) in &instance.ports {
            let Some(port) = ports.iter().find(|port| port.name == port_name) else {
                self.errors.push(format!("instance `{name}`: `{}` has no port `{port_name}`", instance.module));
                continue;
            };
            let width = match connection {
                Connection::In(value) => value.width(),
                Connection::Out(signal) => signal.width(),
                Connection::Open => port.width,
            };
            if width != port.width {
                self.errors.push(format!(
                    "instance `{name}` connects {width} bits to `{port_name}`, which has {}",
                    port.width
                ));
            }
            if matches!(connection, Connection::In(_)) != port.input {
                self.errors.push(format!("instance `{name}` connects `{port_name}` against its direction"));
            }
        }
    }

    fn check_drivers(&mut self) {
        let mut drivers: BTreeMap<usize, Vec<Driver>> = BTreeMap::new();
        let mut drive = |signal: &Signal, driver| drivers.entry(signal.index()).or_default().push(driver);
        for item in &self.module.items {
            match item {
                Item::Assign(target, _) => drive(target, Driver::Assignment),
                Item::Instance(instance) => {
                    for (_, connection) in &instance.ports {
                        if let Connection::Out(signal) = connection {
                            drive(signal, Driver::Instance);
                        }
                    }
                }
                Item::Clocked { resets, body, .. } => {
                    let mut targets = targets(body);
                    targets.extend(resets.iter().map(|(register, _)| (register.index(), register)));
                    targets.values().for_each(|target| drive(target, Driver::Clocked));
                }
                Item::Combinational { body, .. } => {
                    targets(body).values().for_each(|target| drive(target, Driver::Combinational));
                }
                Item::Comment(_) | Item::Declare(_) | Item::Parameter(_) => {}
            }
        }
        for signal in &self.module.signals {
            let name = signal.name();
            let drivers = drivers.remove(&signal.index()).unwrap_or_default();
            if drivers.len() > 1 {
                self.errors.push(format!("`{name}` is driven {} times: {drivers:?}", drivers.len()));
            }
            for driver in drivers {
                let fault = match (signal.kind(), driver) {
                    (Kind::Input, _) => "an input, is driven",
                    (Kind::Output | Kind::Wire, Driver::Clocked) => "a wire, is assigned in a clocked process",
                    (Kind::OutputReg | Kind::Reg, Driver::Assignment) => "a register, is driven by an assignment",
                    (Kind::OutputReg | Kind::Reg, Driver::Instance) => "a register, is driven by an instance",
                    _ => continue,
                };
                self.errors.push(format!("`{name}`, {fault}"));
            }
        }
    }

    fn check_combinational(&mut self) {
        for item in lower(self.module) {
            let Item::Combinational { body, .. } = item else { continue };
            let assigned = assigned_on_every_path(&body);
            let mut reads = BTreeSet::new();
            visit_statements(&body, &mut |e, _| collect_reads(e, &mut reads));
            for (index, target) in targets(&body) {
                if !assigned.contains(&index) {
                    self.errors.push(format!("`{}` keeps its value on a way through its block", target.name()));
                }
                if reads.contains(&index) {
                    self.errors.push(format!("`{}` is read in the combinational block that drives it", target.name()));
                }
            }
            if reads.is_empty() {
                let names: Vec<&str> = targets(&body).values().map(|target| target.name()).collect();
                self.errors.push(format!("the combinational block of {names:?} reads nothing"));
            }
        }
    }

    fn check_driven(&mut self) {
        let mut driven: BTreeSet<usize> = BTreeSet::new();
        for item in lower(self.module) {
            match item {
                Item::Assign(target, _) => drop(driven.insert(target.index())),
                Item::Instance(instance) => {
                    for (_, connection) in &instance.ports {
                        if let Connection::Out(signal) = connection {
                            driven.insert(signal.index());
                        }
                    }
                }
                Item::Clocked { resets, body, .. } => {
                    driven.extend(targets(&body).keys());
                    driven.extend(resets.iter().map(|(register, _)| register.index()));
                }
                Item::Combinational { body, .. } => driven.extend(targets(&body).keys()),
                Item::Comment(_) | Item::Declare(_) | Item::Parameter(_) => {}
            }
        }
        for signal in &self.module.signals {
            if signal.kind() != Kind::Input && !driven.contains(&signal.index()) {
                self.errors.push(format!("`{}` is never driven", signal.name()));
            }
        }
    }

    fn check_read(&mut self) {
        if self.module.trimmed {
            return;
        }
        for (signal, bits) in render(self.module).unread {
            let name = signal.name();
            if bits.len() == signal.width() as usize {
                self.errors.push(format!("`{name}` is never read"));
            } else {
                let bits: Vec<String> = bits.iter().map(u32::to_string).collect();
                self.errors.push(format!("bits {} of `{name}` are never read", bits.join(", ")));
            }
        }
    }
}

/// The ports of the instance's module, under the instance's parameters; or what is wrong with it, as the end of a sentence.
fn ports_of<'d>(design: &'d Design, instance: &Instance) -> Result<Vec<CellPort<'d>>, String> {
    if let Some(header) = design.library.iter().find(|header| header.name == instance.module) {
        return header.ports(&instance.parameters);
    }
    let module = design.modules.iter().find(|module| module.name == instance.module);
    let module = module.ok_or_else(|| format!("is of an unknown module `{}`", instance.module))?;
    if let Some((parameter, _)) = instance.parameters.first() {
        return Err(format!("sets `{parameter}`, but `{}` has no parameters", module.name));
    }
    let port = |p: &'d Signal| CellPort { name: p.name(), input: p.kind() == Kind::Input, width: p.width() };
    Ok(module.ports().map(port).collect())
}

/// What the statements assign, by index.
fn targets(body: &[Statement]) -> BTreeMap<usize, &Signal> {
    let mut targets = BTreeMap::new();
    visit_statements(body, &mut |_, target| targets.extend(target.map(|target| (target.index(), target))));
    targets
}

fn assigned_on_every_path(body: &[Statement]) -> BTreeSet<usize> {
    let mut assigned = BTreeSet::new();
    for statement in body {
        match statement {
            Statement::Assign(target, _) => drop(assigned.insert(target.index())),
            Statement::If { then, otherwise, .. } => {
                assigned.extend(&assigned_on_every_path(then) & &assigned_on_every_path(otherwise));
            }
            Statement::Case { arms, default, .. } => {
                let default = assigned_on_every_path(default);
                let arms = arms.iter().map(|(_, body)| assigned_on_every_path(body));
                assigned.extend(arms.fold(default, |all, arm| &all & &arm));
            }
            Statement::Comment(_) => {}
        }
    }
    assigned
}

fn collect_reads(e: &Expr, reads: &mut BTreeSet<usize>) {
    let mut visited = HashSet::new();
    let mut open = vec![e];
    while let Some(e) = open.pop() {
        if !visited.insert(e.id()) {
            continue;
        }
        if let Op::Signal(signal) = e.op() {
            reads.insert(signal.index());
        }
        open.extend(e.operands());
    }
}

/// Of a module, for each output port the input ports on which it depends without a register between.
type Paths = BTreeMap<String, BTreeSet<String>>;

fn check_loops(design: &Design, errors: &mut Vec<String>) {
    let mut known: BTreeMap<String, Paths> = BTreeMap::new();
    // Children first; that no module contains itself is known.
    let mut open: Vec<&Module> = design.modules.iter().collect();
    while !open.is_empty() {
        let (ready, rest): (Vec<&Module>, Vec<&Module>) = open.into_iter().partition(|module| {
            let instantiated = module.instantiated();
            design.modules.iter().all(|child| !instantiated.contains(&child.name()) || known.contains_key(&child.name))
        });
        for module in ready {
            let sources = combinational_sources(module, &known);
            if let Some(cycle) = find_cycle(&sources) {
                let names: Vec<&str> = cycle.iter().map(|index| module.signals[*index].name()).collect();
                errors.push(format!("module `{}`: combinational loop {}", module.name, names.join(" <- ")));
            }
            known.insert(module.name.clone(), paths(module, &sources));
        }
        open = rest;
    }
}

/// For each signal the signals on which it depends without a register between, directly.
fn combinational_sources(module: &Module, known: &BTreeMap<String, Paths>) -> Vec<BTreeSet<usize>> {
    let mut sources = vec![BTreeSet::new(); module.signals.len()];
    for item in lower(module) {
        match item {
            Item::Assign(target, value) => {
                let mut reads = BTreeSet::new();
                collect_reads(&value, &mut reads);
                sources[target.index()].extend(reads);
            }
            Item::Combinational { body, .. } => collect_sources(&body, &BTreeSet::new(), &mut sources),
            Item::Instance(instance) => {
                for (port, connection) in &instance.ports {
                    let Connection::Out(signal) = connection else { continue };
                    let Some(inputs) = known.get(&instance.module).and_then(|paths| paths.get(port)) else { continue };
                    for (input, connection) in &instance.ports {
                        if let Connection::In(value) = connection
                            && inputs.contains(input)
                        {
                            let mut reads = BTreeSet::new();
                            collect_reads(value, &mut reads);
                            sources[signal.index()].extend(reads);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    sources
}

/// Each target depends on what it is assigned and on the conditions around that.
fn collect_sources(body: &[Statement], around: &BTreeSet<usize>, sources: &mut [BTreeSet<usize>]) {
    for statement in body {
        match statement {
            Statement::Assign(target, value) => {
                let mut reads = around.clone();
                collect_reads(value, &mut reads);
                sources[target.index()].extend(reads);
            }
            Statement::If { condition, then, otherwise } => {
                let mut around = around.clone();
                collect_reads(condition, &mut around);
                collect_sources(then, &around, sources);
                collect_sources(otherwise, &around, sources);
            }
            Statement::Case { subject, arms, default } => {
                let mut around = around.clone();
                collect_reads(subject, &mut around);
                for (_, body) in arms {
                    collect_sources(body, &around, sources);
                }
                collect_sources(default, &around, sources);
            }
            Statement::Comment(_) => {}
        }
    }
}

/// A cycle of the graph, its first node repeated at the end.
fn find_cycle(sources: &[BTreeSet<usize>]) -> Option<Vec<usize>> {
    fn visit(node: usize, sources: &[BTreeSet<usize>], path: &mut Vec<usize>, done: &mut [bool]) -> Option<Vec<usize>> {
        if let Some(start) = path.iter().position(|earlier| *earlier == node) {
            return Some(path[start..].iter().copied().chain([node]).collect());
        }
        if done[node] {
            return None;
        }
        path.push(node);
        let cycle = sources[node].iter().find_map(|source| visit(*source, sources, path, done));
        path.pop();
        done[node] = true;
        cycle
    }
    let mut done = vec![false; sources.len()];
    (0..sources.len()).find_map(|node| visit(node, sources, &mut vec![], &mut done))
}

fn paths(module: &Module, sources: &[BTreeSet<usize>]) -> Paths {
    let outputs = module.ports().filter(|port| port.kind().is_output());
    outputs
        .map(|output| {
            let mut reached = BTreeSet::from([output.index()]);
            let mut open = vec![output.index()];
            while let Some(node) = open.pop() {
                open.extend(sources[node].iter().filter(|source| reached.insert(**source)));
            }
            let inputs = reached.iter().map(|index| &module.signals[*index]);
            let inputs = inputs.filter(|signal| signal.kind() == Kind::Input);
            (output.name().to_string(), inputs.map(|signal| signal.name().to_string()).collect())
        })
        .collect()
}
