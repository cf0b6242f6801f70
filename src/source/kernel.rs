//! The kernel as written: what the parser hands to the polyhedral model. Affine expressions name iterators and size
//! parameters; everything else in the statements is a typed expression tree with C's conversions made explicit.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByArray, ByStatement};
use crate::layout::{Layout, Order};

/// A C arithmetic type: `int32_t` is `{ bits: 32, signed: true }`, `float` `{ bits: 32, floating: true }`. Values of
/// `float` and `double` are kept as the bits of their IEEE 754 encoding, which count as unsigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ScalarType {
    pub bits: u32,
    pub signed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floating: bool,
}

impl ScalarType {
    pub const I32: ScalarType = ScalarType::integer(32, true);
    pub const FLOAT: ScalarType = ScalarType { bits: 32, signed: false, floating: true };
    /// No type has more bits.
    pub const WIDEST: ScalarType = ScalarType::integer(64, false);
    pub const DOUBLE: ScalarType = ScalarType { bits: 64, signed: false, floating: true };

    pub const fn integer(bits: u32, signed: bool) -> ScalarType {
        ScalarType { bits, signed, floating: false }
    }

    pub fn bytes(self) -> u32 {
        self.bits / 8
    }

    /// The smallest and the largest value of an integer type that the analysis counts on. Of 64 bits it uses 63: sums
    /// of few such numbers are exact in `i64`.
    pub fn limits(self) -> (i64, i64) {
        let most = 1i64 << self.bits.min(63).saturating_sub(u32::from(self.signed || self.bits == 64));
        if self.signed { (-most, most - 1) } else { (0, most - 1) }
    }
}

/// Prints the `<stdint.h>` name, or C's keyword.
impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.floating {
            return f.write_str(if self.bits == 32 { "float" } else { "double" });
        }
        write!(f, "{}int{}_t", if self.signed { "" } else { "u" }, self.bits)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kernel {
    /// The C function's name.
    pub name: String,
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
    /// Whether lanes may combine floating-point numbers in another order than the source.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reassociates: bool,
    /// One per band, in the order in which the bands run; every statement is in exactly one. Empty: burstc chooses.
    #[serde(default)]
    pub tilings: Vec<TilingDirective>,
}

impl Kernel {
    /// The statements in textual order.
    pub fn statements(&self) -> ByStatement<&Statement> {
        fn collect<'a>(nodes: &'a [Node], found: &mut ByStatement<&'a Statement>) {
            for node in nodes {
                match node {
                    Node::Loop(inner) => collect(&inner.body, found),
                    Node::If(inner) => collect(&inner.body, found),
                    Node::Statement(statement) => found.push(statement),
                }
            }
        }
        let mut found = ByStatement::new();
        collect(&self.body, &mut found);
        found
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

/// What sizes must satisfy beside their own bounds for the C program to mean what the hardware does: `value >= 0`, where
/// `value` is affine in the size parameters. Sizes outside the domain are refused before a run starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCondition {
    pub value: Affine,
    /// For people: `"N - 9 wraps around below 0 (line 12)"`.
    pub reason: String,
    pub span: Span,
}

/// `least <= value <= most`, wherever the program evaluates an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Obligation {
    pub value: Affine,
    pub least: i64,
    pub most: i64,
    /// What C does otherwise.
    pub broken: Broken,
    /// The value as C has it, where that is not what [`Kernel::as_written`] makes of it.
    pub shown: Option<String>,
    pub surroundings: Arc<Surroundings>,
    pub span: Span,
}

impl Obligation {
    /// Whether both demand the same at one place.
    pub fn is_same(&self, other: &Obligation) -> bool {
        let own = (&self.value, self.least, self.most, self.broken);
        own == (&other.value, other.least, other.most, other.broken)
            && (Arc::ptr_eq(&self.surroundings, &other.surroundings) || self.surroundings == other.surroundings)
    }

    /// Whether C gives the value another meaning where it leaves the interval, and not none at all.
    pub fn has_meaning(&self) -> bool {
        !matches!(self.broken, Broken::Overflows(_) | Broken::Leaves)
    }
}

/// What an obligation guards against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// The value wraps around in the type.
    Wraps(ScalarType),
    /// A sum, difference or product of a type with sign: undefined in C.
    Overflows(ScalarType),
    /// A loop that ends on `!=` begins beyond its bound.
    Passes,
    /// A subscript is outside of a table of constants: undefined in C.
    Leaves,
}

/// Where an expression is evaluated: in all iterations of the loops around it for which all of the conditions hold.
/// The loops' bounds are among them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surroundings {
    pub iterators: Vec<String>,
    pub conditions: Vec<Condition>,
}

/// A size: a register of the hardware. Its value is never negative.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeParameter {
    pub name: String,
    pub ty: ScalarType,
    /// Value of a run where `--set` gives none.
    pub default: Option<i64>,
    /// Smallest value of a run (inclusive), at least 0.
    #[serde(default)]
    pub min: i64,
    /// Largest value the hardware is built for (inclusive); `None` until a directive or the command line says.
    pub max: Option<i64>,
    pub span: Span,
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

impl SizeParameter {
    /// The refusal of a size without an upper bound.
    pub fn without_bound(&self) -> Diagnostic {
        let name = &self.name;
        let message = format!("the size parameter `{name}` has no bound: the hardware is built for sizes up to one");
        Diagnostic::new(message).at(self.span, "how large can it be?").help(format!(
            "write `#pragma burstc size({name}: 128, max 4096)` above the function, or give `--max {name}=4096`"
        ))
    }

    /// The bound that nobody gave: what the type and a signed word of 32 bits hold.
    pub fn limit(&self) -> i64 {
        let bits = self.ty.bits - u32::from(self.ty.signed);
        if bits >= 31 { i64::from(i32::MAX) } else { (1 << bits) - 1 }
    }

    /// `min ..= max`, as far as there is a maximum.
    pub fn range(&self) -> (i64, i64) {
        (self.min, self.max.unwrap_or(self.limit()))
    }

    /// `N from 1 to 64`, for people.
    pub fn interval(&self) -> String {
        match self.max {
            Some(max) => format!("{} from {} to {max}", self.name, self.min),
            None => format!("{} from {} on", self.name, self.min),
        }
    }
}

impl SizeCondition {
    /// Whether sizes satisfy it. In 128 bits, because a driver may have asked for any.
    pub fn holds(&self, size: impl Fn(&str) -> i64) -> bool {
        let term = |(name, factor): (&String, &i64)| i128::from(*factor).saturating_mul(i128::from(size(name)));
        let terms = self.value.terms.iter().map(term);
        terms.fold(i128::from(self.value.constant), i128::saturating_add) >= 0
    }

    /// The same condition divided by what its factors have in common, so that its values are small.
    pub fn reduced(&self) -> SizeCondition {
        let common = self.value.terms.values().fold(0u64, |a, b| gcd(a, b.unsigned_abs()));
        let mut value = self.value.clone();
        if let Ok(common @ 2..) = i64::try_from(common) {
            value.terms.values_mut().for_each(|factor| *factor /= common);
            value.constant = value.constant.div_euclid(common);
        }
        SizeCondition { value, ..self.clone() }
    }

    /// The condition as C and people read it, with everything on the side where it is positive: `M + 8 >= N`.
    pub fn text(&self) -> String {
        self.value.at_least_zero()
    }
}

/// A scalar that is data, not size.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scalar {
    pub name: String,
    pub ty: ScalarType,
    /// `_Bool`: 0 or 1, whatever is written to its register.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub boolean: bool,
    pub span: Span,
}

/// `ty name = value`, computed by the host before a run from sizes and scalar arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HostStep {
    pub name: String,
    pub ty: ScalarType,
    pub value: HostValue,
    /// Index into `Kernel::scalars` of the register that takes it; none where only later steps use it.
    pub scalar: Option<usize>,
    pub span: Span,
}

/// What a step computes. `Expr::Scalar` in it counts the scalar arguments, then the steps before; nothing in it reads an
/// array or names an iterator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum HostValue {
    Expression(Expr),
    /// A call of a function of <math.h>, whose parameters have the types of the arguments.
    Call {
        function: String,
        arguments: Vec<Expr>,
    },
}

impl HostValue {
    /// The expressions in it, left to right.
    pub fn expressions(&self) -> &[Expr] {
        match self {
            HostValue::Expression(value) => std::slice::from_ref(value),
            HostValue::Call { arguments, .. } => arguments,
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Array {
    pub name: String,
    pub element: ScalarType,
    /// Elements are `_Bool`: 0 or 1.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub boolean: bool,
    /// Extents over the size parameters, in the order of the subscripts. A local scalar has none.
    pub extents: Vec<Affine>,
    /// How its cells lie in the accelerator's memory.
    #[serde(default)]
    pub order: Order,
    #[serde(default)]
    pub storage: Storage,
    pub span: Span,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// An argument: memory of the caller.
    #[default]
    Argument,
    /// A local array or scalar: nobody sees it outside. `declared_in` names the iterators of the loops around its
    /// declaration, outermost first; every iteration of them has an instance of its own. The first `expanded`
    /// dimensions came from the analysis: in the order of the source, all instances along them may share one place.
    /// `transferred` is set where the accelerator keeps it in memory between tiles: then every instance has a place.
    Local {
        declared_in: Vec<String>,
        #[serde(default)]
        expanded: usize,
        #[serde(default)]
        transferred: bool,
    },
}

impl Array {
    /// The leading dimensions that came from the analysis, of which the order of the source needs one instance.
    pub fn expanded(&self) -> usize {
        match self.storage {
            Storage::Argument => 0,
            Storage::Local { expanded, .. } => expanded,
        }
    }

    /// Where its cells lie in memory.
    pub fn layout(&self) -> Layout {
        match self.storage {
            Storage::Local { transferred: false, .. } => self.layout_of_an_instance(),
            _ => Layout::new(self.order, self.element.bytes(), 0, &self.extents),
        }
    }

    /// The same where all instances, which come one after the other, use one place: the order of the source needs no more.
    pub fn layout_of_an_instance(&self) -> Layout {
        let first = self.expanded();
        Layout::new(self.order, self.element.bytes(), first, &self.extents[first..])
    }
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

    /// Every array read in the values.
    pub fn reads(&self) -> Vec<&Access> {
        self.values().flat_map(Expr::reads).collect()
    }

    /// Every read and write.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.reads().into_iter().chain(self.targets())
    }

    /// Whether an instance writes to the array.
    pub fn writes_to(&self, array: ArrayId) -> bool {
        self.targets().any(|target| target.array == array)
    }

    /// Distinct array references that the values read, in textual order.
    pub fn references(&self) -> Vec<&Access> {
        let mut distinct: Vec<&Access> = vec![];
        for access in self.reads() {
            if distinct.iter().all(|d| (d.array, &d.subscripts) != (access.array, &access.subscripts)) {
                distinct.push(access);
            }
        }
        distinct
    }
}

/// `a - b` of two references to an array, where it is constant.
pub fn distance(a: &[Affine], b: &[Affine]) -> Option<Vec<i64>> {
    let differences = a.iter().zip(b).map(|(a, b)| a.clone() - b.clone());
    differences.map(|d| d.is_constant().then_some(d.constant)).collect()
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Access {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    pub subscripts: Vec<Affine>,
    /// A read inside `?:`, `&&` or `||` happens where this holds: elsewhere there may be no such element.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub guard: Option<Condition>,
    pub span: Span,
}

/// A typed expression. Operands of an operator have been converted (C11 6.3.1): both sides of `+` have the type of
/// the node, both sides of a comparison have one common type and the node is `int`, shifts have the left side's
/// promoted type. Signed overflow wraps. Conditions and the operands of `!`, `&&` and `||` are integers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// Of a floating-point type, the bits of its encoding.
    Constant {
        value: i64,
        ty: ScalarType,
    },
    Read {
        access: Access,
        ty: ScalarType,
    },
    /// Index into `Kernel::scalars`; in a [`HostStep`] as told there.
    Scalar {
        scalar: usize,
        ty: ScalarType,
    },
    /// An affine combination of iterators and size parameters used as data.
    Index {
        value: Affine,
        ty: ScalarType,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        ty: ScalarType,
    },
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        ty: ScalarType,
    },
    Select {
        condition: Box<Expr>,
        then: Box<Expr>,
        otherwise: Box<Expr>,
        ty: ScalarType,
    },
    /// Conversion to `ty`: truncation, sign or zero extension by the operand's signedness; of floating-point numbers as
    /// C has it.
    Cast {
        operand: Box<Expr>,
        ty: ScalarType,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    Negate,
    /// `~`
    Complement,
    /// `!`, result 0 or 1 of type `int`
    Not,
    /// `fabs`, of floating-point numbers
    Absolute,
    /// `sqrt`, of floating-point numbers
    SquareRoot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    And,
    Or,
    Xor,
    ShiftLeft,
    /// Arithmetic where the left side is signed.
    ShiftRight,
    Less,
    LessEqual,
    Equal,
    NotEqual,
    /// `&&` and `||` on operands without side effects; result 0 or 1 of type `int`.
    LogicalAnd,
    LogicalOr,
}

impl Expr {
    pub fn ty(&self) -> ScalarType {
        match self {
            Expr::Constant { ty, .. }
            | Expr::Read { ty, .. }
            | Expr::Scalar { ty, .. }
            | Expr::Index { ty, .. }
            | Expr::Unary { ty, .. }
            | Expr::Binary { ty, .. }
            | Expr::Select { ty, .. }
            | Expr::Cast { ty, .. } => *ty,
        }
    }

    /// The operands, left to right.
    pub fn operands(&self) -> Vec<&Expr> {
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => vec![],
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
        }
    }

    /// The operands, left to right, to change.
    pub fn operands_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => vec![],
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } => vec![operand],
            Expr::Binary { left, right, .. } => vec![left, right],
            Expr::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
        }
    }

    /// The affine values used as data, left to right.
    pub fn indices(&self) -> Vec<&Affine> {
        match self {
            Expr::Index { value, .. } => vec![value],
            _ => self.operands().into_iter().flat_map(Expr::indices).collect(),
        }
    }

    /// Every array read in the expression, left to right.
    pub fn reads(&self) -> Vec<&Access> {
        match self {
            Expr::Read { access, .. } => vec![access],
            _ => self.operands().into_iter().flat_map(Expr::reads).collect(),
        }
    }
}

/// The affine θ and tile sizes of one band: `tile(i:32, j:32)` is θ = (i, j). Tiles of all bands run in lexicographic
/// order of `floor(θ_k / size_k)`, shorter ones padded with 0; a dimension of size 1 runs one value after the other, so
/// constants there put bands in sequence. A strip is the tiles of a band that agree in all dimensions but the last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TilingDirective {
    /// θ of every statement of the band, by name, all of one length.
    pub schedules: Vec<Schedule>,
    /// Tile size per dimension of θ, at least 1.
    pub sizes: Vec<i64>,
    /// Iterations side by side, where somebody asks for more than one.
    #[serde(default)]
    pub lanes: Option<LanesDirective>,
    pub span: Span,
}

impl TilingDirective {
    /// The same for the statements of `kernel` as they were before some became one, each with its iterators.
    pub fn as_written(&self, kernel: &Kernel) -> (TilingDirective, Vec<Vec<String>>) {
        let (statements, iterators) = (kernel.statements(), kernel.iterators());
        let (mut written, mut names) = (TilingDirective { schedules: vec![], ..self.clone() }, vec![]);
        for schedule in &self.schedules {
            let place = statements.position(|s| s.name == schedule.statement);
            written.schedules.push(schedule.clone());
            names.push(place.map(|place| iterators[place].clone()).unwrap_or_default());
            let Some(place) = place else { continue };
            for write in &statements[place].also {
                let own = |name: &str| {
                    let place = iterators[place].iter().position(|iterator| iterator == name);
                    let own = place.and_then(|place| write.places.iter().position(|p| *p == place));
                    Affine::variable(own.map_or(name, |own| &write.iterators[own]))
                };
                let theta = schedule.theta.iter().map(|value| value.substitute(own)).collect();
                written.schedules.push(Schedule { statement: write.statement.clone(), theta });
                names.push(write.iterators.clone());
            }
        }
        (written, names)
    }
}

/// `lanes(16)`: so many iterations of a band per cycle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanesDirective {
    /// A power of two.
    pub count: i64,
    pub span: Span,
}

impl LanesDirective {
    pub const MOST: i64 = 256;

    /// Whether the hardware can be built for so many.
    pub fn allows(count: i64) -> bool {
        (1..=LanesDirective::MOST).contains(&count) && count.count_ones() == 1
    }
}

/// θ of one statement over its iterators and the size parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Schedule {
    pub statement: String,
    pub theta: Vec<Affine>,
}
