//! Makes sure that the integers of the analysis are the values that C computes: discharges the kernel's obligations, or
//! turns them into conditions on its sizes.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Result;

use super::extract::{holds, holds_with_quotients, quotients_among, value_in, with_elements};
use super::isl::{BasicSet, Constraint, Context, Set, Tuple};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::source::kernel::{Broken, Condition, Kernel, Obligation, Quotient, SizeCondition, Surroundings};

/// Operations of isl for one obligation.
const OPERATIONS: u64 = 2_000_000;

/// Discharges the obligations of `kernel`: those that are met for some sizes only become conditions of its domain.
///
/// # Errors
/// A [`Diagnostic`] where no condition on the sizes helps, or the sizes' defaults are excluded.
pub fn settle_domain(kernel: &mut Kernel) -> Result<()> {
    settle(kernel, &[])
}

/// The same among the sizes at which every array of the caller has an element.
///
/// # Errors
/// As [`settle_domain`].
pub fn settle_subscripts(kernel: &mut Kernel) -> Result<()> {
    let with_elements = with_elements(kernel);
    settle(kernel, &with_elements)
}

/// Among the sizes for which `among` holds.
fn settle(kernel: &mut Kernel, among: &[Constraint]) -> Result<()> {
    let obligations = std::mem::take(&mut kernel.obligations);
    let mut settling = Settling::new(kernel)?;
    settling.sizes = settling.sizes.intersect(&settling.isl.parameter_set(&settling.parameters, among)?)?;
    for obligation in &obligations {
        settling.discharge(obligation)?;
    }
    let domain = settling.domain;
    kernel.domain.extend(domain);
    Ok(())
}

/// Closed intervals of sizes and iterators.
type Ranges = BTreeMap<String, (i64, i64)>;

struct Settling<'a> {
    kernel: &'a Kernel,
    isl: Context,
    parameters: Vec<String>,
    /// The sizes within their bounds and the domain as far as it is known.
    sizes: Set,
    domain: Vec<SizeCondition>,
    size_ranges: Ranges,
    /// The last surroundings with their iterators' ranges, and what they are in isl.
    ranges: Option<(Arc<Surroundings>, Ranges)>,
    place: Option<(Arc<Surroundings>, Vec<String>, Set)>,
}

impl<'a> Settling<'a> {
    fn new(kernel: &'a Kernel) -> Result<Self> {
        let isl = Context::of_sizes(kernel.parameters.len())?;
        let parameters: Vec<String> = kernel.parameters.iter().map(|p| p.name.clone()).collect();
        let size_ranges: Ranges =
            kernel.parameters.iter().map(|p| (p.name.clone(), (p.min, p.max.unwrap_or(p.ty.limits().1)))).collect();
        let mut constraints = vec![];
        for (name, (min, max)) in &size_ranges {
            constraints.push(Constraint::at_most(Affine::constant(*min), Affine::variable(name)));
            constraints.push(Constraint::at_most(Affine::variable(name), Affine::constant(*max)));
        }
        constraints.extend(kernel.domain.iter().map(|condition| Constraint::NonNegative(condition.value.clone())));
        let sizes = isl.parameter_set(&parameters, &constraints)?;
        let (ranges, place) = (None, None);
        Ok(Settling { kernel, isl, parameters, sizes, domain: vec![], size_ranges, ranges, place })
    }

    fn discharge(&mut self, obligation: &Obligation) -> Result<()> {
        let kernel = self.kernel;
        let ranges = self.ranges(&obligation.surroundings);
        let range = obligation.value.range(|name| range_of(kernel, ranges, name));
        for below in [true, false] {
            if if below { range.0 >= obligation.least } else { range.1 <= obligation.most } {
                continue;
            }
            let isl = self.isl.clone();
            if isl.within(OPERATIONS, || self.exclude(obligation, below))?.is_none() {
                return Err(self.refusal(obligation, below, "may").help(help(obligation)).into());
            }
        }
        Ok(())
    }

    /// The intervals of sizes and iterators.
    fn ranges(&mut self, surroundings: &Arc<Surroundings>) -> &Ranges {
        if !self.ranges.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, surroundings)) {
            let mut ranges = self.size_ranges.clone();
            // Conditions may name iterators whose bounds come later.
            for _ in 0..2 {
                for condition in &surroundings.conditions {
                    narrow(self.kernel, &mut ranges, condition);
                }
            }
            self.ranges = Some((surroundings.clone(), ranges));
        }
        &self.ranges.as_ref().expect("just set").1
    }

    /// The iterations of the surroundings with the values of quotients; names of both.
    fn place(&mut self, obligation: &Obligation) -> Result<(Vec<String>, Set)> {
        let surroundings = &obligation.surroundings;
        let quotients = quotients_among(
            self.kernel,
            surroundings.conditions.iter().flat_map(Condition::affines).chain([&obligation.value]),
        );
        let names: Vec<String> =
            surroundings.iterators.iter().cloned().chain(quotients.iter().map(|q| q.name.clone())).collect();
        if let Some((known, of, place)) = &self.place
            && Arc::ptr_eq(known, surroundings)
            && *of == names
        {
            return Ok((names, place.clone()));
        }
        let tuple = Tuple::unnamed(&names);
        let mut place = self.isl.set(&self.parameters, tuple, &[])?.intersect_params(&self.sizes)?;
        for condition in &surroundings.conditions {
            place = place.intersect(&holds(&self.isl, &self.parameters, tuple, condition)?)?;
        }
        let place = holds_with_quotients(&self.isl, &self.parameters, tuple, place, &quotients)?.coalesce()?;
        self.place = Some((surroundings.clone(), names.clone(), place.clone()));
        Ok((names, place))
    }

    /// Excludes the sizes for which the value is below, or above, where it should be.
    fn exclude(&mut self, obligation: &Obligation, below: bool) -> Result<()> {
        let (names, place) = self.place(obligation)?;
        let violation = match below {
            true => Constraint::at_most(obligation.value.clone(), Affine::constant(obligation.least - 1)),
            false => Constraint::at_most(Affine::constant(obligation.most + 1), obligation.value.clone()),
        };
        let violated = self.isl.set(&self.parameters, Tuple::unnamed(&names), &[violation])?.intersect(&place)?;
        let violated = violated.intersect_params(&self.sizes)?;
        if violated.is_empty()? {
            return Ok(());
        }
        let evaluated = place.params()?.intersect(&self.sizes)?;
        let bad = violated.params()?.coalesce()?;
        let chosen = match self.conditions(&bad, &evaluated)? {
            Some(chosen) => Some(chosen),
            // What only existentially quantified variables express is no condition for hardware.
            None => self.conditions(&bad.remove_divs()?, &evaluated)?,
        };
        let example = violated.parameters_to_dimensions()?.least_point()?.unwrap_or_default();
        let example: Vec<(String, i64)> = self.parameters.iter().chain(&names).cloned().zip(example).collect();
        let shown = self.parameters.len() + obligation.surroundings.iterators.len();
        let (at, value) =
            (self.kernel.example(&example[..shown]), obligation.value.evaluate(|name| value_in(&example)(name)));
        let at = if at.is_empty() { String::new() } else { format!(": for {at} it is {value}") };
        let Some(chosen) = chosen else {
            return Err(self.refusal(obligation, below, &at).help(help(obligation)).into());
        };
        let conditions = self.isl.parameter_set(&self.parameters, &chosen)?;
        let sizes = self.sizes.intersect(&conditions)?;
        if self.default_set(&sizes)?.is_some_and(|left| !left) && self.default_set(&self.sizes)?.is_none_or(|had| had) {
            let text: Vec<String> = chosen.iter().map(|c| format!("{} >= 0", c.affine())).collect();
            return Err(self
                .refusal(obligation, below, &at)
                .help(format!("the default sizes are among those; the kernel serves sizes with {}", text.join(" and ")))
                .into());
        }
        self.sizes = sizes;
        self.place = None;
        let reason = format!("{} (line {})", effect(self.kernel, obligation, below), obligation.span.line);
        for constraint in chosen {
            let affine = constraint.affine().clone();
            let opposite = matches!(constraint, Constraint::Zero(_)).then(|| -affine.clone());
            for value in [affine].into_iter().chain(opposite) {
                if self.domain.iter().any(|known| known.value == value) {
                    continue;
                }
                self.domain.push(SizeCondition { value, reason: reason.clone(), span: obligation.span });
            }
        }
        Ok(())
    }

    /// Whether the sizes' defaults are in `sizes`, where all have one.
    fn default_set(&self, sizes: &Set) -> Result<Option<bool>> {
        let mut point = sizes.clone();
        for parameter in &self.kernel.parameters {
            let Some(default) = parameter.default else { return Ok(None) };
            point = point.fix_parameter(&parameter.name, default)?;
        }
        Ok(Some(!point.is_empty()?))
    }

    /// Affine conditions that leave none of the `bad` sizes, but some of those for which the value is `evaluated`.
    fn conditions(&self, bad: &Set, evaluated: &Set) -> Result<Option<Vec<Constraint>>> {
        let good = self.sizes.subtract(bad)?.coalesce()?;
        let mut best: Option<((bool, bool), Vec<Constraint>)> = None;
        for piece in good.pieces()? {
            let Some(constraints) = self.simplest(&piece, bad)? else { continue };
            let set = self.isl.parameter_set(&self.parameters, &constraints)?.intersect(&self.sizes)?;
            if set.is_disjoint(evaluated)? {
                continue;
            }
            let mut largest = set.clone();
            for (name, (_, max)) in &self.size_ranges {
                largest = largest.fix_parameter(name, *max)?;
            }
            let rank = (self.default_set(&set)? != Some(false), !largest.is_empty()?);
            if best.as_ref().is_none_or(|(known, _)| rank > *known) {
                best = Some((rank, constraints));
            }
        }
        Ok(best.map(|(_, constraints)| constraints))
    }

    /// As few as possible of the constraints of a convex set without `bad` sizes: the rest holds, or needs not hold.
    /// `None` where affine constraints do not describe it.
    fn simplest(&self, piece: &BasicSet, bad: &Set) -> Result<Option<Vec<Constraint>>> {
        if piece.locals()? > 0 {
            return Ok(None);
        }
        let mut constraints = piece.constraints(&[])?;
        let mut position = 0;
        while position < constraints.len() {
            let mut fewer = constraints.clone();
            fewer.remove(position);
            let set = self.isl.parameter_set(&self.parameters, &fewer)?.intersect(&self.sizes)?;
            if set.is_disjoint(bad)? { constraints = fewer } else { position += 1 }
        }
        Ok(Some(constraints))
    }

    fn refusal(&self, obligation: &Obligation, below: bool, at: &str) -> Diagnostic {
        let message = match at {
            "may" => format!("{}, or might: this is too much to check", effect(self.kernel, obligation, below)),
            at => format!("{}{at}", effect(self.kernel, obligation, below)),
        };
        let label = match obligation.broken {
            Broken::Wraps(ty) => format!("C computes with `{ty}` here"),
            Broken::Overflows(ty) => format!("C computes with `{ty}` here and leaves this undefined"),
            Broken::Passes | Broken::Misses => "this loop does not end in C".to_string(),
            Broken::Leaves => "outside of the array".to_string(),
        };
        Diagnostic::new(message).at(obligation.span, label)
    }
}

const HELP: &str = "compute in a type that holds all values, such as `int` for small sizes, or tighten the bounds of the \
                    loop or of the sizes, as in `#pragma burstc size(N: 64, max 128)`";

fn help(obligation: &Obligation) -> &'static str {
    match obligation.broken {
        Broken::Misses => "compare with `<` or `>`, or say by the size how many steps there are, as in `i != 2 * n`",
        _ => HELP,
    }
}

/// What happens where an obligation is not met.
fn effect(kernel: &Kernel, obligation: &Obligation, below: bool) -> String {
    let written = kernel.as_written(&obligation.value);
    let is_made = |name: &String| kernel.made.contains_key(name) || kernel.quotients.iter().any(|q| q.name == *name);
    let value = match &obligation.shown {
        Some(shown) => format!("`{shown}`"),
        None if written.terms.keys().any(is_made) => "a value".to_string(),
        None => format!("`{written}`"),
    };
    match obligation.broken {
        Broken::Wraps(ty) if !ty.signed && below => format!("{value} wraps around below 0"),
        Broken::Wraps(ty) if !ty.signed => format!("{value} wraps around above {}", ty.limits().1),
        Broken::Wraps(ty) => format!("{value} does not fit `{ty}`"),
        Broken::Overflows(ty) => format!("{value} overflows `{ty}`"),
        Broken::Leaves => format!("the subscript {value} leaves its array"),
        Broken::Passes => "the loop begins beyond the bound that it compares with `!=`".to_string(),
        Broken::Misses => "the loop steps over the bound that it compares with `!=`".to_string(),
    }
}

/// The interval of a size, iterator or quotient.
fn range_of(kernel: &Kernel, ranges: &Ranges, name: &str) -> (i64, i64) {
    if let Some(range) = ranges.get(name) {
        return *range;
    }
    match kernel.quotients.iter().find(|quotient| quotient.name == name) {
        Some(quotient) => {
            let (low, high) = quotient.numerator.range(|name| range_of(kernel, ranges, name));
            let of = |value: i64| if is_known(value) { Quotient::of(quotient, value) } else { value };
            (of(low), of(high))
        }
        None => (i64::MIN, i64::MAX),
    }
}

/// Numbers beyond are sums that were cut off.
fn is_known(value: i64) -> bool {
    value.unsigned_abs() < 1 << 62
}

/// Narrows the intervals to where `condition` holds, or more.
fn narrow(kernel: &Kernel, ranges: &mut Ranges, condition: &Condition) {
    match condition {
        Condition::NonNegative(affine) => narrow_side(kernel, ranges, affine),
        Condition::Zero(affine) => {
            narrow_side(kernel, ranges, affine);
            narrow_side(kernel, ranges, &-affine.clone());
        }
        Condition::All(parts) => parts.iter().for_each(|part| narrow(kernel, ranges, part)),
        Condition::Any(parts) => {
            let mut hull: Option<Ranges> = None;
            for part in parts {
                let mut own = ranges.clone();
                narrow(kernel, &mut own, part);
                hull = Some(match hull {
                    None => own,
                    // An interval that only some of the parts know is none.
                    Some(known) => known
                        .into_iter()
                        .filter_map(|(name, (a, b))| own.get(&name).map(|(c, d)| (name, (a.min(*c), b.max(*d)))))
                        .collect(),
                });
            }
            if let Some(hull) = hull {
                *ranges = hull;
            }
        }
        Condition::Not(_) => {}
    }
}

/// Narrows the intervals to where `affine` is at least 0.
fn narrow_side(kernel: &Kernel, ranges: &mut Ranges, affine: &Affine) {
    for (name, &c) in &affine.terms {
        if kernel.quotients.iter().any(|quotient| quotient.name == *name) {
            continue;
        }
        let rest = affine.clone() - Affine::variable(name) * c;
        let (_, most) = rest.range(|name| range_of(kernel, ranges, name));
        if !is_known(most) {
            continue;
        }
        let (low, high) = range_of(kernel, ranges, name);
        // c * name >= -most
        let narrowed = match c > 0 {
            true => (low.max(-most.div_euclid(c)), high),
            false => (low, high.min(most.div_euclid(-c))),
        };
        ranges.insert(name.clone(), narrowed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Source, parse};

    /// The domain of a kernel as text, or what is said of it.
    fn settled(text: &str) -> Result<Vec<String>, Diagnostic> {
        let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
        let mut kernel = parse(&source).map_err(|error| error.downcast::<Diagnostic>().expect("a diagnostic"))?;
        kernel.parameters.iter_mut().for_each(|p| p.max = p.max.or(Some(1000)));
        settle_domain(&mut kernel).map_err(|error| error.downcast::<Diagnostic>().expect("a diagnostic"))?;
        Ok(kernel.domain.iter().map(|condition| format!("{} >= 0: {}", condition.value, condition.reason)).collect())
    }

    /// A kernel over unsigned sizes `n` and `m` and an int size `k`; its text stands on line 5.
    fn body(text: &str) -> String {
        format!(
            "#include <stdint.h>\n#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n\
             static int min(int a, int b) {{ return a < b ? a : b; }} void f(unsigned n, unsigned m, int k, int a[3000][8]) {{\n\
             {text} if (n + m + k == 0) a[0][0] = 1; }}"
        )
    }

    #[test]
    fn sizes_that_wrap_are_excluded() {
        for (text, expected) in [
            ("for (unsigned i = 0; i < n - 1; i++) a[i][0] = 1;", "n - 1 >= 0: `n - 1` wraps around below 0 (line 5)"),
            ("unsigned w = n - 9; for (unsigned i = 0; i < w; i++) a[i][0] = 1;", "n - 9 >= 0: `n - 9` wraps"),
            ("for (unsigned i = 0; i < n && i < n - m; i++) a[i][0] = 1;", "n - m >= 0: `n - m` wraps"),
            ("for (uint8_t i = 0; i < k; i++) a[i][0] = 1;", "-k + 255 >= 0: `i + 1` wraps around above 255"),
            ("for (uint8_t i = k; i > 0; i--) a[i][0] = 1;", "-k + 255 >= 0: `k` wraps around above 255"),
            ("for (int8_t i = 0; i < k; i++) a[i][0] = 1;", "-k + 127 >= 0: `i + 1` does not fit `int8_t`"),
            ("for (int i = 2; i != k; i++) a[i][0] = 1;", "k - 2 >= 0: the loop begins beyond the bound"),
            ("for (int i = 0; i < k; i++) if (i < n - 5) a[i][0] = 1;", "n - 5 >= 0: `n - 5` wraps"),
            ("for (int i = 0; i < k; i++) a[i + (n - 5) / 2][0] = 1;", "n - 5 >= 0: `n - 5` wraps"),
            ("for (int i = 0; i < min(k, 4294968L * k); i++) a[i][0] = 1;", "-k + 499 >= 0: `4294968*k` does not fit"),
            ("for (unsigned i = MAX(n - 9, 3u); i < n; i++) a[i][0] = 1;", "n - 9 >= 0: `n - 9` wraps around below 0"),
            ("for (unsigned i = n; i >= m; i--) a[i][0] = 1;", "m - 1 >= 0: `i - 1` wraps around below 0"),
            ("for (int i = 0; i < k; i++) a[(int8_t)i][0] = 1;", "-k + 128 >= 0: `i` does not fit `int8_t`"),
        ] {
            let found = settled(&body(text)).unwrap_or_else(|refused| panic!("{refused:?}\n{text}"));
            assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}\n{text}");
        }
    }

    #[test]
    fn what_never_wraps_needs_nothing() {
        for text in [
            "for (unsigned i = 0; i + 1 < n; i++) a[i][0] = 1;",
            "for (unsigned i = n; i > 0; i--) a[i - 1][0] = 1;",
            "for (size_t i = 0; i < n; i += 3) a[i][0] = 1;",
            "for (unsigned i = 0; i < n; i++) if (i > 0 && i - 1 < m) a[i - 1][0] = 1; else a[i][0] = 2;",
            "for (unsigned i = 0; i < n; i++) { unsigned p = i - 1; if (i >= 1) a[p][0] = 1; a[i][0] = p; }",
            "for (uint8_t i = 0; i < 255; i++) a[i][0] = 1;",
            "for (int i = -4; i < k; i++) a[i + 4][0] = 1;",
            "for (int i = 0; i < k; i++) a[i + (unsigned)k - k][0] = 1;",
            "for (int i = 0; i != k; i++) a[i][0] = 1;",
            "for (int i = 0; i < k; i++) a[i][0] = (unsigned)i - 1;",
            "for (int i = 0; i < min(k, (long)n + m); i++) a[i][0] = 1;",
            "for (unsigned i = n > 9 ? n - 9 : 0; i < n; i++) a[i][0] = 1;",
            "for (unsigned i = MAX(n, 9u) - 9; i < n; i++) a[i][0] = 1;",
            "for (unsigned i = 0; i < n; i++) for (unsigned j = i > 3 ? i - 3 : 0; j < i; j++) a[j][0] = 1;",
            "for (unsigned i = 0; i < n; i++) for (size_t j = i < 4 ? 0 : i - 4; j < MIN(i + 5, n); j++) a[j][0] = 1;",
            "for (uint8_t i = 0; i < MIN(k, 200); i++) a[i][0] = 1;",
            "for (uint8_t i = MIN(k, 200); i > 0; i--) a[i][0] = 1;",
            "for (uint8_t i = 0; i < 8; i++) for (int j = MAX(i - 4, 0); j < 9; j += 2) a[j][i] = 1;",
        ] {
            let text = text.replace("size_t", "unsigned long");
            assert_eq!(settled(&body(&text)), Ok(vec![]), "{text}");
        }
    }

    #[test]
    fn what_always_wraps_is_refused() {
        for (text, message) in [
            ("for (int i = -4; i < n; i++) a[i + 4][0] = 1;", "wraps around below 0: for n = 0, m = 0, k = 0, i = -4"),
            ("for (uint8_t i = 0; i < 300; i++) a[i][0] = 1;", "`i + 1` wraps around above 255"),
            ("for (int8_t i = 0; i <= 127; i++) a[i][0] = 1;", "`i + 1` does not fit `int8_t`"),
            ("for (unsigned i = n; i > 0; i -= 2) a[i][0] = 1;", "wraps around below 0"),
            ("for (int i = 0; i < k; i++) { unsigned p = i - 1; a[p / 2][0] = 1; }", "`i - 1` wraps around below 0"),
            ("for (int i = 0; i < k; i++) for (unsigned j = i - 1; j < 5; j++) a[j][0] = 1;", "`i - 1` wraps"),
            ("for (int i = 0; i < k; i++) if (i - 9u < 4294967290u) a[i][0] = 1;", "`i - 9` wraps around below 0"),
            (
                "for (int i = 1; i < 4; i++) if (i * 65536u * 65536u < 5) a[i][0] = 1;",
                "`4294967296*i` wraps around above",
            ),
            (
                "const int w[3] = {1, 2}; for (int i = 0; i < 4; i++) a[i][0] = w[i];",
                "the subscript `i` leaves its array",
            ),
            ("for (int i = 1; i < 4; i++) if (i * 1000000000 < k) a[i][0] = 1;", "`1000000000*i` overflows `int32_t`"),
        ] {
            match settled(&body(text)) {
                Err(refused) => assert!(refused.message.contains(message), "{refused:?}\n{text}"),
                Ok(domain) => panic!("{domain:?}\n{text}"),
            }
        }
    }

    #[test]
    fn defaults_are_not_excluded() {
        let text = "#pragma burstc size(n: 300, max 1000)\nvoid f(int n, int a[n]) {\n\
                    for (unsigned char i = 0; i < n; i++) a[i] = 1; }";
        let refused = settled(text).unwrap_err();
        assert_eq!(refused.message, "`i + 1` wraps around above 255: for n = 256, i = 255 it is 256");
        assert_eq!(refused.span.map(|span| span.line), Some(3));
        assert!(refused.help.contains("-n + 255 >= 0"), "{refused:?}");
        assert_eq!(settled(&text.replace("300", "200")).map(|domain| domain.len()), Ok(1));
    }
}
