//! Size parameters, and the conditions on them under which the kernel means what the C program does.

use serde::{Deserialize, Serialize};

use super::ScalarType;
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};

/// A size: a register of the hardware. Its value is never negative.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SizeParameter {
    pub name: String,
    pub ty: ScalarType,
    /// A `_Bool`: a call makes 0 or 1 of what it is given.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub boolean: bool,
    /// Value of a run where `--set` gives none.
    pub default: Option<i64>,
    /// Smallest value of a run (inclusive), at least 0.
    #[serde(default)]
    pub min: i64,
    /// Largest value the hardware is built for (inclusive); `None` until a directive or the command line says.
    pub max: Option<i64>,
    /// Whether `max` is burstc's, because nothing in the source or on the command line says how large it can be.
    #[serde(skip)]
    pub is_assumed: bool,
    pub span: Span,
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

    /// What to say of the bounds that nobody gave; `None` where there are none of these.
    pub fn assumed(parameters: &[SizeParameter]) -> Option<String> {
        let assumed: Vec<&SizeParameter> = parameters.iter().filter(|parameter| parameter.is_assumed).collect();
        let first = assumed.first()?;
        let bounds: Vec<String> = assumed.iter().map(|p| format!("{} = {}", p.name, p.range().1)).collect();
        let (name, more) = (&first.name, 2 * first.range().1);
        Some(format!(
            "nothing says how large sizes can be: the hardware is built for up to {}; to change that, give `--max \
             {name}={more}` or write `#pragma burstc size({name}: 128, max {more})` above the function",
            bounds.join(", ")
        ))
    }

    /// The largest of all values: what the type and a signed word of 32 bits hold.
    pub fn limit(&self) -> i64 {
        let bits = if self.boolean { 1 } else { self.ty.bits - u32::from(self.ty.signed) };
        if bits >= 31 { i64::from(i32::MAX) } else { (1 << bits) - 1 }
    }

    /// The bound that nobody has to give: a type of 16 bits at most says enough.
    pub fn narrow(&self) -> Option<i64> {
        (self.ty.bits <= 16).then(|| self.limit())
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

/// What sizes must satisfy beside their own bounds for the C program to mean what the hardware does: `value >= 0`, where
/// `value` is affine in the size parameters. Sizes outside the domain are refused before a run starts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeCondition {
    pub value: Affine,
    /// For people: `"N - 9 wraps around below 0 (line 12)"`.
    pub reason: String,
    pub span: Span,
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

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
