//! Modules: ports, wires, registers, processes and instances, in the order in which they will be printed.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;

use super::expr::{Expr, Op};
use super::header::Header;
use super::names::Names;
use super::properties::Rule;
use super::types::Type;

/// What a signal was declared as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Input,
    /// Driven by an assignment, an instance or a combinational block.
    Output,
    /// Driven by one clocked or combinational block.
    OutputReg,
    /// Driven by an assignment, an instance or a combinational block.
    Wire,
    /// Driven by one clocked or combinational block.
    Reg,
}

impl Kind {
    pub fn is_port(self) -> bool {
        matches!(self, Kind::Input | Kind::Output | Kind::OutputReg)
    }

    pub fn is_output(self) -> bool {
        matches!(self, Kind::Output | Kind::OutputReg)
    }
}

/// A port as its module's surroundings see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    pub name: String,
    /// Bits.
    pub width: u32,
    pub is_output: bool,
}

struct SignalData {
    name: String,
    ty: Type,
    kind: Kind,
    index: usize,
}

/// A port, wire or register of one module. It stands for its value wherever an [`Expr`] is wanted.
#[derive(Clone)]
pub struct Signal {
    data: Rc<SignalData>,
    value: Option<Expr>,
}

impl Signal {
    fn new(name: String, ty: Type, kind: Kind, index: usize) -> Signal {
        let data = Rc::new(SignalData { name, ty, kind, index });
        let value = Expr::new(Op::Signal(Signal { data: data.clone(), value: None }), ty);
        Signal { data, value: Some(value) }
    }

    /// The same in another place of its module, or of another module, with another type.
    pub(super) fn with(&self, ty: Type, index: usize) -> Signal {
        Signal::new(self.data.name.clone(), ty, self.data.kind, index)
    }

    pub fn name(&self) -> &str {
        &self.data.name
    }

    pub fn ty(&self) -> Type {
        self.data.ty
    }

    pub fn width(&self) -> u32 {
        self.data.ty.width
    }

    pub fn kind(&self) -> Kind {
        self.data.kind
    }

    /// The signal's value.
    pub fn e(&self) -> Expr {
        match &self.value {
            Some(value) => value.clone(),
            None => Expr::new(Op::Signal(self.clone()), self.ty()),
        }
    }

    /// The comparison in hardware, as of every expression; in Rust, signals are equal where they are the same one.
    pub fn eq(&self, other: &Expr) -> Expr {
        self.e().eq(other)
    }

    /// Whether both are the same signal of the same module.
    pub fn same(&self, other: &Signal) -> bool {
        Rc::ptr_eq(&self.data, &other.data)
    }

    /// Place in its module's list of signals.
    pub(super) fn index(&self) -> usize {
        self.data.index
    }

    fn address(&self) -> *const () {
        Rc::as_ptr(&self.data).cast()
    }
}

impl PartialEq for Signal {
    fn eq(&self, other: &Signal) -> bool {
        self.same(other)
    }
}

impl Eq for Signal {}

impl Hash for Signal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

impl Deref for Signal {
    type Target = Expr;

    fn deref(&self) -> &Expr {
        self.value.as_ref().expect("signals that leave the module carry their value")
    }
}

impl From<&Signal> for Expr {
    fn from(signal: &Signal) -> Expr {
        signal.e()
    }
}

impl From<Signal> for Expr {
    fn from(signal: Signal) -> Expr {
        signal.e()
    }
}

impl std::fmt::Debug for Signal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.name())
    }
}

struct ParameterData {
    name: String,
    value: i128,
    ty: Type,
}

/// A named constant of one module.
#[derive(Clone)]
pub(super) struct Parameter(Rc<ParameterData>);

impl Parameter {
    pub fn name(&self) -> &str {
        &self.0.name
    }

    pub fn value(&self) -> i128 {
        self.0.value
    }

    pub fn ty(&self) -> Type {
        self.0.ty
    }

    pub fn address(&self) -> *const () {
        Rc::as_ptr(&self.0).cast()
    }
}

impl PartialEq for Parameter {
    fn eq(&self, other: &Parameter) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Parameter {}

impl Hash for Parameter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.address().hash(state);
    }
}

/// What a case arm answers to: a plain value, or a constant made by [`Module::localparam`] or [`Expr::constant`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    Value(i128),
    Named(Expr),
}

impl Label {
    /// The label's value; `None` if a named label is not constant.
    pub fn value(&self) -> Option<i128> {
        match self {
            Label::Value(value) => Some(*value),
            Label::Named(constant) => constant.known_value(),
        }
    }
}

impl From<i128> for Label {
    fn from(value: i128) -> Label {
        Label::Value(value)
    }
}

impl From<Expr> for Label {
    fn from(constant: Expr) -> Label {
        Label::Named(constant)
    }
}

impl From<&Expr> for Label {
    fn from(constant: &Expr) -> Label {
        Label::Named(constant.clone())
    }
}

/// A statement of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// Nonblocking in clocked processes, blocking in combinational ones.
    Assign(Signal, Expr),
    If {
        condition: Expr,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    Case {
        subject: Expr,
        arms: Vec<(Vec<Label>, Vec<Statement>)>,
        default: Vec<Statement>,
    },
    Comment(String),
}

/// `target` takes `value`.
pub fn assign(target: &Signal, value: &Expr) -> Statement {
    Statement::Assign(target.clone(), value.clone())
}

/// `then` where `condition` holds.
pub fn when(condition: impl Into<Expr>, then: Vec<Statement>) -> Statement {
    when_else(condition, then, vec![])
}

/// `then` where `condition` holds, else `otherwise`.
pub fn when_else(condition: impl Into<Expr>, then: Vec<Statement>, otherwise: Vec<Statement>) -> Statement {
    Statement::If { condition: condition.into(), then, otherwise }
}

/// The arm whose labels hold the value of `subject`, else `default`.
pub fn case(subject: impl Into<Expr>, arms: Vec<(Vec<Label>, Vec<Statement>)>, default: Vec<Statement>) -> Statement {
    Statement::Case { subject: subject.into(), arms, default }
}

/// What an instance's port is joined to.
#[derive(Clone, Debug)]
pub enum Connection {
    /// An input of the instance takes the value.
    In(Expr),
    /// An output of the instance drives the wire.
    Out(Signal),
    /// An output of the instance that nobody reads.
    Open,
}

#[derive(Clone)]
pub(super) struct Instance {
    pub module: String,
    pub name: String,
    pub parameters: Vec<(String, i128)>,
    pub ports: Vec<(String, Connection)>,
    /// An attribute with its text.
    pub attribute: Option<(&'static str, String)>,
}

#[derive(Clone)]
pub(super) enum Item {
    Comment(String),
    Declare(Signal),
    Parameter(Parameter),
    Assign(Signal, Expr),
    Clocked { comment: String, resets: Vec<(Signal, i128)>, body: Vec<Statement> },
    Combinational { comment: String, body: Vec<Statement> },
    Instance(Instance),
}

/// Bits of a word that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub name: String,
    /// The lowest bit.
    pub low: u32,
    /// Bits.
    pub width: u32,
}

/// One module. Items keep the order in which they were added; a signal is declared before anything that reads it,
/// because an expression can only be made from a signal that exists.
pub struct Module {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) signals: Vec<Signal>,
    pub(super) items: Vec<Item>,
    pub(super) waived: Vec<Signal>,
    /// Nobody needs what is unread still: all of it is so on purpose.
    pub(super) trimmed: bool,
    /// What ports are for.
    pub(super) remarks: Vec<(Signal, String)>,
    /// How words are put together.
    pub(super) fields: Vec<(Signal, Vec<Field>)>,
    pub(super) names: Names,
    /// Whether two ports were asked for by one name.
    pub(super) ports_clash: bool,
    /// What its properties are, beside those of its streams.
    pub(super) rules: Vec<Rule>,
    /// What people look at in a waveform, with the names of groups.
    pub(super) shown: Vec<(String, Signal)>,
}

impl Module {
    pub fn new(name: &str) -> Module {
        let mut names = Names::default();
        let name = names.unique(name);
        Module {
            name,
            description: String::new(),
            signals: vec![],
            items: vec![],
            waived: vec![],
            trimmed: false,
            remarks: vec![],
            fields: vec![],
            names,
            ports_clash: false,
            rules: vec![],
            shown: vec![],
        }
    }

    /// A module of the same name, description and names of things, and nothing in it.
    pub(super) fn like(&self) -> Module {
        let (description, names) = (self.description.clone(), self.names.clone());
        Module { description, names, ports_clash: self.ports_clash, name: self.name.clone(), ..Module::new("empty") }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds lines to the header comment.
    pub fn describe(&mut self, text: &str) {
        if !self.description.is_empty() {
            self.description.push('\n');
        }
        self.description.push_str(text);
    }

    /// A comment that opens a section of the items that follow.
    pub fn comment(&mut self, text: &str) {
        self.items.push(Item::Comment(text.to_string()));
    }

    fn signal(&mut self, name: &str, ty: Type, kind: Kind) -> Signal {
        let signal = Signal::new(self.names.unique(name), ty, kind, self.signals.len());
        self.ports_clash |= kind.is_port() && signal.name() != super::names::legal(name);
        self.signals.push(signal.clone());
        if !kind.is_port() {
            self.items.push(Item::Declare(signal.clone()));
        }
        signal
    }

    /// An input port. As with every name, the signal's may differ from `name` where that is reserved or taken.
    pub fn input(&mut self, name: &str, ty: Type) -> Signal {
        self.signal(name, ty, Kind::Input)
    }

    /// An output port driven by an assignment, an instance or a combinational block.
    pub fn output(&mut self, name: &str, ty: Type) -> Signal {
        self.signal(name, ty, Kind::Output)
    }

    /// An output port driven by a process.
    pub fn output_reg(&mut self, name: &str, ty: Type) -> Signal {
        self.signal(name, ty, Kind::OutputReg)
    }

    /// A wire driven by an assignment, an instance or a combinational block.
    pub fn wire(&mut self, name: &str, ty: Type) -> Signal {
        self.signal(name, ty, Kind::Wire)
    }

    /// A variable driven by one process; a flip-flop if the process is clocked.
    pub fn reg(&mut self, name: &str, ty: Type) -> Signal {
        self.signal(name, ty, Kind::Reg)
    }

    /// Drives `target` with `value`, which has its width.
    pub fn assign(&mut self, target: &Signal, value: &Expr) {
        self.items.push(Item::Assign(target.clone(), value.clone()));
    }

    /// The value that bits of registers get with the next edge; `None` where something is computed behind the registers, or one of
    /// them does not take a value in every cycle.
    pub fn next_value(&self, value: &Expr) -> Option<Expr> {
        if !value.is_wiring() {
            return None;
        }
        let Some(register) = value.as_signal() else {
            let operands: Option<Vec<Expr>> = value.operands().into_iter().map(|o| self.next_value(o)).collect();
            return operands.map(|operands| value.with_operands(&operands));
        };
        let bodies = self.items.iter().filter_map(|item| match item {
            Item::Clocked { resets, body, .. } if !resets.iter().any(|(reset, _)| reset.same(register)) => Some(body),
            _ => None,
        });
        let mut taken = bodies.flatten().filter_map(|statement| match statement {
            Statement::Assign(target, value) if target.same(register) => Some(value),
            _ => None,
        });
        Some(taken.next()?.resize(register.ty()))
    }

    /// A wire of the value's type, driven by it.
    pub fn define(&mut self, name: &str, value: &Expr) -> Signal {
        let wire = self.wire(name, value.ty());
        self.assign(&wire, value);
        wire
    }

    /// A constant that is printed by its name where it is read; one that nobody reads is not printed.
    ///
    /// # Panics
    /// If `ty` does not hold `value`.
    pub fn localparam(&mut self, name: &str, value: i128, ty: Type) -> Expr {
        assert!(ty.holds(value), "{value} does not fit into {ty:?}");
        let parameter = Parameter(Rc::new(ParameterData { name: self.names.unique(name), value, ty }));
        self.items.push(Item::Parameter(parameter.clone()));
        Expr::new(Op::Parameter(parameter), ty)
    }

    /// Registers that take their values at the rising edge of the input `clk`. While the input `rst` is high, those of
    /// `resets` take their reset values instead; the others are not reset.
    pub fn clocked(&mut self, comment: &str, resets: Vec<(Signal, i128)>, body: Vec<Statement>) {
        self.items.push(Item::Clocked { comment: comment.to_string(), resets, body });
    }

    /// Combinational logic: the targets take their defaults, then what `body` assigns. `body` reads none of the
    /// block's targets.
    pub fn combinational(&mut self, comment: &str, defaults: Vec<(Signal, Expr)>, body: Vec<Statement>) {
        let defaults = defaults.into_iter().map(|(target, value)| Statement::Assign(target, value));
        let body = defaults.chain(body).collect();
        self.items.push(Item::Combinational { comment: comment.to_string(), body });
    }

    /// An instance of another generated module or of a library module.
    pub fn instance(
        &mut self,
        module: &str,
        name: &str,
        parameters: Vec<(&str, i128)>,
        ports: Vec<(String, Connection)>,
    ) {
        let instance = Instance {
            module: super::names::legal(module),
            name: self.names.unique(name),
            parameters: parameters.into_iter().map(|(name, value)| (name.to_string(), value)).collect(),
            ports: ports.into_iter().map(|(name, connection)| (super::names::legal(&name), connection)).collect(),
            attribute: None,
        };
        self.items.push(Item::Instance(instance));
    }

    /// Gives the instance that was added last an attribute for tools, a text of letters, digits and the like.
    pub fn attribute(&mut self, name: &'static str, text: &str) {
        if let Some(Item::Instance(instance)) = self.items.last_mut() {
            instance.attribute = Some((name, text.to_string()));
        }
    }

    /// What a port is for, printed beside it.
    pub fn remark(&mut self, port: &Signal, text: &str) {
        self.remarks.push((port.clone(), text.to_string()));
    }

    /// What a port is for.
    pub fn remark_of(&self, port: &Signal) -> Option<&str> {
        self.remarks.iter().find(|(of, _)| of.same(port)).map(|(_, text)| text.as_str())
    }

    /// Puts signals into a group of the views of waveforms ([`super::shown`]).
    pub fn show<'s>(&mut self, group: &str, signals: impl IntoIterator<Item = &'s Signal>) {
        self.shown.extend(signals.into_iter().map(|signal| (group.to_string(), signal.clone())));
    }

    /// The fields of a word, the highest first, which take all its bits. Where a field is read, its place is a named
    /// constant: `<of>_<field>_LSB`, or `<of>_<field>` of a single bit.
    ///
    /// # Panics
    /// If the fields are not as wide as the word.
    pub fn fields(&mut self, of: &str, word: &Signal, fields: impl IntoIterator<Item = (impl AsRef<str>, u32)>) {
        let mut low = word.width();
        let mut named = vec![];
        for (name, width) in fields {
            low -= width;
            let place = if width == 1 { "" } else { "_lsb" };
            let name = super::names::legal(&format!("{of}_{}{place}", name.as_ref())).to_uppercase();
            named.push(Field { name, low, width });
        }
        assert_eq!(low, 0, "the fields of `{}` are all its bits", word.name());
        self.fields.push((word.clone(), named));
    }

    /// States that `register`, which goes up and down by one, never goes round; that is assumed of it where what counts it is from
    /// outside. Printed under `FORMAL`.
    pub fn counts(&mut self, register: &Signal, up_from_outside: bool, down_from_outside: bool) {
        self.rules.push(Rule::Counts { register: register.clone(), up_from_outside, down_from_outside });
    }

    /// States that there are never more pulses of `second` than of `first`, and that `held` is low while there are as many.
    /// Printed under `FORMAL`.
    pub fn follows(&mut self, first: &Signal, second: &Signal, held: &Signal) {
        let [first, second, held] = [first, second, held].map(Signal::clone);
        self.rules.push(Rule::Follows { first, second, held });
    }

    /// A name that is not yet taken, made from `base`. The next signal or instance asked for by that name gets it.
    pub fn fresh(&mut self, base: &str) -> String {
        self.names.reserve(base)
    }

    /// States that bits of `signal` are unread on purpose, where nothing is trimmed.
    #[cfg(test)]
    pub(super) fn waive_unused(&mut self, signal: &Signal) {
        if !self.waived.iter().any(|waived| waived.same(signal)) {
            self.waived.push(signal.clone());
        }
    }

    /// The ports in order of declaration.
    pub fn ports(&self) -> impl Iterator<Item = &Signal> {
        self.signals.iter().filter(|signal| signal.kind().is_port())
    }

    /// Whether a port has another name than it was asked for by, so that surroundings do not find it.
    pub fn ports_clash(&self) -> bool {
        self.ports_clash
    }

    /// The same without what belongs to this module alone.
    pub fn interface(&self) -> Vec<Port> {
        let port = |signal: &Signal| Port {
            name: signal.name().to_string(),
            width: signal.width(),
            is_output: signal.kind().is_output(),
        };
        self.ports().map(port).collect()
    }

    pub fn port(&self, name: &str) -> Option<&Signal> {
        self.ports().find(|port| port.name() == name)
    }

    /// The modules that this one instantiates, in order, each once.
    pub fn instantiated(&self) -> Vec<&str> {
        let mut modules: Vec<&str> = vec![];
        for item in &self.items {
            if let Item::Instance(instance) = item
                && !modules.contains(&instance.module.as_str())
            {
                modules.push(&instance.module);
            }
        }
        modules
    }
}

/// Everything that is generated for one kernel.
#[derive(Default)]
pub struct Design {
    pub modules: Vec<Module>,
    /// The hand-written modules that are instantiated.
    pub library: Vec<Header>,
}
