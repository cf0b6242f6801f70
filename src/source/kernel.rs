//! The kernel as written: what the parser hands to the polyhedral model. Affine expressions name iterators and size
//! parameters; everything else in the statements is a typed expression tree with C's conversions made explicit.

mod array;
mod endings;
mod expression;
mod host;
mod limits;
mod mask;
mod obligation;
mod sizes;
mod table;
mod tiling;

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByArray, ByStatement};
pub use array::{Array, Storage};
pub use endings::Needed;
pub use expression::{Access, BinaryOp, Expr, Gather, ScalarType, UnaryOp, distance};
pub use host::{HostStep, HostValue, Scalar};
pub use limits::{Limits, hoisted};
pub use obligation::{Beyond, Broken, Obligation, Surroundings};
pub use sizes::{SizeCondition, SizeParameter};
pub use table::Table;
pub use tiling::{LanesAlong, LanesDirective, OrderDirective, Schedule, TilingDirective, UnitsDirective};

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The C function's name.
    pub name: String,
    /// Where the source names it.
    #[serde(skip)]
    pub span: Span,
    /// The arguments in the order of the C prototype.
    pub arguments: Vec<Argument>,
    /// Integer arguments that bounds and extents use.
    pub parameters: Vec<SizeParameter>,
    /// The sizes for which the kernel is defined: all of these hold, and every parameter lies in `min ..= max`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub domain: Vec<SizeCondition>,
    /// What the analysis has to make sure of, or to make a condition of `domain`, before it trusts the integers in the
    /// kernel's affine expressions.
    #[serde(skip)]
    pub obligations: Vec<Obligation>,
    /// The other scalar arguments, then the values of the host that statements read: each a register.
    pub scalars: Vec<Scalar>,
    /// What the host computes from the arguments before a run, in this order.
    #[serde(default)]
    pub host: Vec<HostStep>,
    /// The arguments' arrays, then the local ones.
    pub arrays: ByArray<Array>,
    /// Names that affine expressions use beside iterators and size parameters.
    #[serde(default)]
    pub quotients: Vec<Quotient>,
    pub body: Vec<Node>,
    /// Iterators that burstc made, each with the user's and its value: `i_step`, `(i, n - 1 - i_step)`.
    #[serde(skip)]
    pub made: BTreeMap<String, (String, Affine)>,
    /// Accesses that are left out where they would leave their array.
    #[serde(skip)]
    pub beyond: Vec<Beyond>,
    /// Whether lanes may combine floating-point numbers in another order than the source.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reassociates: bool,
    /// Whether what a later strip overwrites is stored too: `#pragma burstc stores(all)`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub keeps_stores: bool,
    /// Whether cells that data decide to write are loaded first: `#pragma burstc masks(none)`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_masks: bool,
    /// Whether arrays that are read along several directions have a buffer for each; where nobody says so, burstc chooses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uses: Option<UsesDirective>,
    /// Whether statements are numbered without temporaries that are wires, of which there are some.
    #[serde(skip)]
    pub has_wires: bool,
    /// Arguments whose panels are in local arrays, of which the statements are numbered, too: `#pragma burstc panels(a)`.
    #[serde(skip)]
    pub panels: BTreeSet<ArrayId>,
    /// Arrays that somebody has put on a memory port, by name.
    #[serde(skip)]
    pub ports: BTreeMap<String, u32>,
    /// One per band, in the order in which the bands run; every statement is in exactly one. Empty: burstc chooses.
    #[serde(default)]
    pub tilings: Vec<TilingDirective>,
}

/// `uses(apart)`, or `uses(together)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsesDirective {
    pub apart: bool,
    pub span: Span,
}

impl Kernel {
    /// The array that has the memory of `array`: itself, or the argument of which it is another use.
    pub fn memory_of(&self, array: ArrayId) -> ArrayId {
        self.arrays[array].use_of.unwrap_or(array)
    }

    /// Whether some subscript depends on data.
    pub fn depends_on_data(&self) -> bool {
        self.statements().iter().any(|statement| statement.depends_on_data())
    }

    /// Why there is no direct version of it, where there is none.
    pub fn without_direct_version(&self) -> Option<&'static str> {
        let is_odd = |array: &Array| array.layout().slices().is_some_and(|slices| !slices.width.is_power_of_two());
        match self.depends_on_data() {
            true => Some("subscripts depend on data"),
            false => self.arrays.iter().any(is_odd).then_some("an array lies in slices whose width is no power of two"),
        }
    }

    /// Whether a statement writes the array at subscripts that depend on data.
    pub fn is_scattered(&self, array: ArrayId) -> bool {
        self.statements().iter().any(|statement| statement.scatter().is_some_and(|place| place.array == array))
    }

    /// Whether some statement writes an array.
    pub fn is_written(&self, array: ArrayId) -> bool {
        self.statements().iter().any(|statement| statement.writes_to(array))
    }

    /// The statements in textual order.
    pub fn statements(&self) -> ByStatement<&Statement> {
        self.body.iter().flat_map(Node::statements).collect()
    }

    /// Whether a statement is in more than three loops: what isl does takes far longer then.
    pub fn is_deep(&self) -> bool {
        self.iterators().iter().any(|iterators| iterators.len() > 3)
    }

    /// The iterators of the loops around every statement, outermost first; statements in textual order.
    pub fn iterators(&self) -> ByStatement<Vec<String>> {
        fn collect(nodes: &[Node], outer: &mut Vec<String>, found: &mut ByStatement<Vec<String>>) {
            for node in nodes {
                match node {
                    Node::Loop(inner) => {
                        outer.push(inner.iterator.clone());
                        collect(&inner.body, outer, found);
                        outer.pop();
                    }
                    Node::If(inner) => collect(&inner.body, outer, found),
                    Node::Statement(_) => found.push(outer.clone()),
                }
            }
        }
        let mut found = ByStatement::new();
        collect(&self.body, &mut vec![], &mut found);
        found
    }

    /// The expression as the user may have written it: over the user's iterators instead of those that burstc made, as
    /// far as that needs no fractions.
    pub fn as_written(&self, affine: &Affine) -> Affine {
        let mut written = affine.clone();
        // Values name iterators of outer loops.
        for _ in 0..=self.made.len() {
            let replaced = written.terms.iter().find_map(|(name, &c)| {
                let (user, value) = self.made.get(name)?;
                let own = value.coefficient(name);
                (own != 0 && c % own == 0).then(|| (user, value, c / own))
            });
            let Some((user, value, factor)) = replaced else { break };
            // The user's name is no other loop's here: two loops around one place never share it.
            written = written.clone() - value.clone() * factor + Affine::variable(user) * factor;
        }
        written
    }

    /// `N = 1, i = 0`: the values of sizes and iterators, the user's, for people.
    pub fn example(&self, values: &[(String, i64)]) -> String {
        let value = |name: &str| values.iter().find(|(known, _)| known == name).map_or(0, |(_, value)| *value);
        let pairs = values.iter().map(|(name, own)| match self.made.get(name) {
            Some((user, source)) => format!("{user} = {}", source.evaluate(value)),
            None => format!("{name} = {own}"),
        });
        pairs.collect::<Vec<_>>().join(", ")
    }

    /// The first `count` indices of a tile: `T0`, `T1`, …, or `TT0`, … where the source has a name `T0`.
    pub fn tile_names(&self, count: usize) -> Vec<String> {
        fn taken(nodes: &[Node], is_taken: &impl Fn(&str) -> bool) -> bool {
            nodes.iter().any(|node| match node {
                Node::Loop(inner) => is_taken(&inner.iterator) || taken(&inner.body, is_taken),
                Node::If(inner) => taken(&inner.body, is_taken),
                Node::Statement(_) => false,
            })
        }
        let mut letters = "T".to_string();
        loop {
            let is_taken = |name: &str| name.strip_prefix(&letters).is_some_and(is_number);
            if !self.parameters.iter().any(|p| is_taken(&p.name)) && !taken(&self.body, &is_taken) {
                return (0..count).map(|index| format!("{letters}{index}")).collect();
            }
            letters.push('T');
        }
    }

    /// How many of `scalars` are arguments; the others are values of the host.
    pub fn scalar_arguments(&self) -> usize {
        self.arguments.iter().filter(|argument| matches!(argument, Argument::Scalar(_))).count()
    }

    /// Why a run with these sizes is refused: a size beyond its bounds, or outside the kernel's domain.
    pub fn refusal(&self, size: impl Fn(&str) -> i64) -> Option<Diagnostic> {
        for parameter in &self.parameters {
            let (name, value, (min, max)) = (&parameter.name, size(&parameter.name), parameter.range());
            if value < min || value > max {
                let option = if value < min { "--min" } else { "--max" };
                return Some(
                    Diagnostic::new(format!("the size `{name}` is {value}, but the hardware is for {min} to {max}"))
                        .at(parameter.span, format!("{min} to {max}"))
                        .help(format!("choose another, --set {name}=…, or move the bound: {option} {name}={value}")),
                );
            }
        }
        let violated = self.domain.iter().find(|condition| !condition.holds(&size))?;
        let names: Vec<&String> = violated.value.terms.keys().collect();
        let values: Vec<String> = names.iter().map(|name| format!("{name} = {}", size(name))).collect();
        let settings: Vec<String> = names.iter().map(|name| format!("--set {name}=…")).collect();
        Some(
            Diagnostic::new(format!("`{}` is not defined for {}: {}", self.name, values.join(", "), violated.reason))
                .at(violated.span, format!("needs {}", violated.text()))
                .help(format!("choose sizes with {}: {}", violated.text(), settings.join(" "))),
        )
    }

    /// The most read references to `array` that a statement has, at least 1.
    fn read_references(&self, array: ArrayId) -> usize {
        self.references_to(array).map(|references| references.len()).max().unwrap_or(0).max(1)
    }

    /// Whether the subscripts of the read references to `array` differ by constants inside every statement.
    fn reads_uniformly(&self, array: ArrayId) -> bool {
        self.references_to(array).all(|references| {
            references.windows(2).all(|pair| distance(&pair[0].subscripts, &pair[1].subscripts).is_some())
        })
    }

    /// Copies of the buffer of `array` that its reads want at least: banks serve those at constant distances.
    pub fn least_copies(&self, array: ArrayId) -> usize {
        if self.reads_uniformly(array) { 1 } else { self.read_references(array) }
    }

    /// The distinct read references to `array` of every statement.
    fn references_to<'a>(&'a self, array: ArrayId) -> impl Iterator<Item = Vec<&'a Access>> {
        let of = move |s: &'a Statement| s.references().into_iter().filter(|r| r.array == array).collect();
        self.statements().into_iter().map(of)
    }
}

/// Whether a name ends in this as in its number.
fn is_number(rest: &str) -> bool {
    !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit())
}

/// One argument of the C function: an index into `parameters`, `scalars` or `arrays`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Argument {
    Parameter(usize),
    Scalar(usize),
    Array(ArrayId),
}

/// `name = numerator / divisor` with `divisor` at least 2, wherever an affine expression names it. The numerator names
/// iterators, size parameters and earlier quotients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quotient {
    pub name: String,
    pub numerator: Affine,
    pub divisor: i64,
    /// Rounded towards zero, as C's `/` does it, where the numerator can be negative; otherwise down, as `>>` does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncates: bool,
    pub span: Span,
}

impl Quotient {
    /// The quotient of a numerator of value `numerator`.
    pub fn of(&self, numerator: i64) -> i64 {
        if self.truncates { numerator / self.divisor } else { numerator.div_euclid(self.divisor) }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Node {
    Loop(Loop),
    If(If),
    Statement(Statement),
}

impl Node {
    /// The statements in it, in textual order.
    pub fn statements(&self) -> Vec<&Statement> {
        match self {
            Node::Loop(Loop { body, .. }) | Node::If(If { body, .. }) => {
                body.iter().flat_map(Node::statements).collect()
            }
            Node::Statement(statement) => vec![statement],
        }
    }
}

/// `if (condition) body`. An `else` is a second `If` with the condition negated.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct If {
    pub condition: Condition,
    pub body: Vec<Node>,
    pub span: Span,
}

/// A condition on enclosing iterators, size parameters and quotients.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Condition {
    /// At least 0.
    NonNegative(Affine),
    /// Exactly 0.
    Zero(Affine),
    All(Vec<Condition>),
    Any(Vec<Condition>),
    Not(Box<Condition>),
}

impl Condition {
    /// The affine expressions in it.
    pub fn affines(&self) -> Vec<&Affine> {
        match self {
            Condition::NonNegative(affine) | Condition::Zero(affine) => vec![affine],
            Condition::All(parts) | Condition::Any(parts) => parts.iter().flat_map(Condition::affines).collect(),
            Condition::Not(part) => part.affines(),
        }
    }

    /// Puts values in place of names.
    pub fn substitute(&mut self, value: &impl Fn(&str) -> Affine) {
        match self {
            Condition::NonNegative(affine) | Condition::Zero(affine) => *affine = affine.substitute(value),
            Condition::All(parts) | Condition::Any(parts) => parts.iter_mut().for_each(|part| part.substitute(value)),
            Condition::Not(part) => part.substitute(value),
        }
    }

    /// Whether it holds, where constants tell.
    pub fn is_known(&self) -> Option<bool> {
        match self {
            Condition::NonNegative(affine) => affine.is_constant().then_some(affine.constant >= 0),
            Condition::Zero(affine) => affine.is_constant().then_some(affine.constant == 0),
            Condition::Not(part) => part.is_known().map(|holds| !holds),
            Condition::All(parts) | Condition::Any(parts) => {
                let decides = matches!(self, Condition::Any(_));
                let known: Vec<Option<bool>> = parts.iter().map(Condition::is_known).collect();
                match known.contains(&Some(decides)) {
                    true => Some(decides),
                    false => known.iter().all(Option::is_some).then_some(!decides),
                }
            }
        }
    }
}

/// `for (iterator = max(lower); iterator <= min(upper); iterator++)`. Bounds are inclusive and name enclosing
/// iterators and size parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Loop {
    pub iterator: String,
    pub ty: ScalarType,
    pub lower: Vec<Affine>,
    pub upper: Vec<Affine>,
    pub body: Vec<Node>,
    pub span: Span,
}

/// `target = value`; a compound assignment reads its target inside `value`. Named S0, S1, … in textual order.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Statement {
    pub name: String,
    pub target: Access,
    /// Already converted to the target's element type.
    pub value: Expr,
    /// What an instance writes beside `target`, each into an array of its own. All values are of what was there before
    /// the instance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Write>,
    /// The statement's C text on one line, for comments.
    pub text: String,
    pub span: Span,
}

/// One write of a statement with several.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Write {
    pub target: Access,
    pub value: Expr,
    /// The statement as written that makes it.
    pub statement: String,
    /// That statement's iterators, outermost first.
    pub iterators: Vec<String>,
    /// Which iterator of the joined statement each of them is.
    pub places: Vec<usize>,
}

impl Statement {
    /// `target = from;`, unnamed: a copy between two of `arrays` of one element type.
    pub fn copy(target: Access, from: Access, arrays: &ByArray<Array>) -> Statement {
        let text = |access: &Access| {
            let subscripts: String = access.subscripts.iter().map(|subscript| format!("[{subscript}]")).collect();
            format!("{}{subscripts}", arrays[access.array].name)
        };
        Statement {
            name: String::new(),
            text: format!("{} = {};", text(&target), text(&from)),
            span: from.span,
            value: Expr::Read { ty: arrays[target.array].element, access: from },
            target,
            also: vec![],
        }
    }

    /// The C text of statements that become one, without what is said already.
    pub fn text_of_all<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
        texts.into_iter().fold(String::new(), |all, text| match (all.as_str(), all.contains(text)) {
            ("", _) => text.to_string(),
            (_, true) => all,
            (_, false) => format!("{all} {text}"),
        })
    }

    /// What an instance writes, with the values: `target` first.
    pub fn writes(&self) -> impl Iterator<Item = (&Access, &Expr)> {
        let others = self.also.iter().map(|write| (&write.target, &write.value));
        std::iter::once((&self.target, &self.value)).chain(others)
    }

    /// What an instance writes.
    pub fn targets(&self) -> impl Iterator<Item = &Access> {
        self.writes().map(|(target, _)| target)
    }

    /// The values that an instance writes.
    pub fn values(&self) -> impl Iterator<Item = &Expr> {
        self.writes().map(|(_, value)| value)
    }

    /// The distinct reads at subscripts that depend on data, in textual order.
    pub fn gathers(&self) -> Vec<&Gather> {
        let mut distinct: Vec<&Gather> = vec![];
        for gather in self.values().flat_map(Expr::gathers) {
            if distinct.iter().all(|known| !known.is_same(gather)) {
                distinct.push(gather);
            }
        }
        distinct
    }

    /// Where it writes, if the subscripts depend on data.
    pub fn scatter(&self) -> Option<&Gather> {
        match &self.value {
            Expr::Scatter { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Where it reads or writes at subscripts that depend on data.
    pub fn places_by_data(&self) -> impl Iterator<Item = &Gather> {
        self.gathers().into_iter().chain(self.scatter())
    }

    /// Whether some subscript or loop's bound depends on data, which may leave what is known of it.
    pub fn depends_on_data(&self) -> bool {
        self.places_by_data().next().is_some() || self.values().any(|value| !value.told().is_empty())
    }

    /// Every array read in the values at subscripts that are known without the data.
    pub fn reads(&self) -> Vec<&Access> {
        self.values().flat_map(Expr::reads).collect()
    }

    /// Every read and write.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads().into_iter().chain(self.targets())
    }

    /// Whether data may keep the only cell that an instance writes as it is.
    pub fn may_keep(&self) -> bool {
        self.also.is_empty() && limits::condition_of(&self.target, &self.value).is_some()
    }

    /// Whether an instance writes to the array.
    pub fn writes_to(&self, array: ArrayId) -> bool {
        self.targets().any(|target| target.array == array)
    }

    /// Distinct array references that the values read, in textual order.
    pub fn references(&self) -> Vec<&Access> {
        let mut known = BTreeSet::new();
        let mut distinct = self.reads();
        distinct.retain(|access| known.insert((access.array, &access.subscripts)));
        distinct
    }
}
