//! The sizes of `build`'s sample data, small enough for the C program to end soon, and of a run where nobody gives one.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::offload::Offload;
use crate::report::count::operations;
use crate::simulate::job::Placement;
use crate::simulate::number::Number;
use crate::source::kernel::{Kernel, SizeParameter};

/// Size of a parameter without a default.
const SIZE: i64 = 32;
/// So many sizes from each bound are tried where the kernel has conditions.
const CANDIDATES: i64 = 256;
/// Operations and accesses of the C program; without optimisation it does them in some tenths of a second.
const OPERATIONS: u64 = 20_000_000;
/// Loops to look into for the count of them.
const STEPS: u64 = 500_000;
/// Bytes of memory that the sample data may take, of which the folder holds the text.
const BYTES: u64 = 16 << 20;

/// What the C program for the sample data is to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub sizes: BTreeMap<String, i64>,
    /// The defaults of the sizes that are smaller than theirs.
    pub reduced: BTreeMap<String, i64>,
    /// Give it up after so long: five seconds and 20 ns per operation, 20 seconds at most.
    pub longest: Duration,
    /// The program may take longer, so that nobody runs it; otherwise one that has not ended by then never does.
    pub is_long: bool,
}

/// Nobody waits longer for the C program.
const LONGEST: Duration = Duration::from_secs(20);

impl Sample {
    /// The defaults, halved together until the C program ends soon or they are at their lower bounds.
    pub fn of(offload: &Offload) -> Sample {
        let kernel = &offload.kernel;
        let all = defaults(kernel);
        let mut candidates = (0..32).map(|shift| halved(kernel, &all, shift)).collect::<Vec<_>>();
        candidates.dedup();
        let is_defined = |sizes: &BTreeMap<String, i64>| {
            kernel.domain.iter().all(|c| c.holds(|name| sizes.get(name).copied().unwrap_or(0)))
        };
        let soon = candidates.iter().position(|sizes| {
            let fits = || Placement::new(kernel, sizes, BYTES).is_ok();
            is_defined(sizes) && fits() && operations(offload, sizes, STEPS).is_some_and(|count| count <= OPERATIONS)
        });
        // The smallest where the C program takes long at all of them.
        let defined = || candidates.iter().rposition(&is_defined);
        let sizes = candidates.swap_remove(soon.or_else(defined).unwrap_or(0));
        let reduced = all.into_iter().filter(|(name, value)| sizes[name] != *value).collect();
        // At 20 ns per operation, on top of what any program takes on a busy machine.
        let count = operations(offload, &sizes, STEPS).unwrap_or(u64::MAX);
        let longest = Duration::from_secs(5).saturating_add(Duration::from_nanos(count.saturating_mul(20)));
        Sample { sizes, reduced, longest: longest.min(LONGEST), is_long: longest > LONGEST }
    }

    /// The sizes as [`crate::simulate::job::Job`] takes them.
    pub fn settings(&self) -> BTreeMap<String, Number> {
        self.sizes.iter().map(|(name, value)| (name.clone(), Number::Whole((*value).into()))).collect()
    }

    /// Why the sizes are not the defaults, as a line of output; empty where they are.
    pub fn note(&self) -> String {
        if self.reduced.is_empty() {
            return String::new();
        }
        let list = |sizes: &mut dyn Iterator<Item = (&String, i64)>| {
            sizes.map(|(name, value)| format!("{name} = {value}")).collect::<Vec<_>>().join(", ")
        };
        let used = list(&mut self.reduced.keys().map(|name| (name, self.sizes[name])));
        let instead = list(&mut self.reduced.iter().map(|(name, value)| (name, *value)));
        format!("sample data for the bench at {used}: at {instead} the C program takes long\n")
    }
}

/// `set`, and for every size that has no value there and no default a small one, in the kernel's domain where there is one.
pub fn completed(kernel: &Kernel, mut set: BTreeMap<String, Number>) -> BTreeMap<String, Number> {
    let mut given = kernel.clone();
    for parameter in &mut given.parameters {
        let value = set.get(&parameter.name).and_then(|value| value.whole());
        parameter.default = value.and_then(|value| i64::try_from(value).ok()).or(parameter.default);
    }
    let open = given.parameters.iter().filter(|parameter| parameter.default.is_none());
    let sizes = defaults(&given);
    set.extend(open.map(|parameter| (parameter.name.clone(), Number::Whole(sizes[&parameter.name].into()))));
    set
}

/// The default of every size, or a small one. Where these are outside the kernel's domain, the nearest of a few others that
/// are not; a default is the user's word and stays.
fn defaults(kernel: &Kernel) -> BTreeMap<String, i64> {
    let usual = |p: &SizeParameter| p.default.unwrap_or(SIZE.clamp(p.range().0, p.range().1));
    let mut sizes: BTreeMap<String, i64> = kernel.parameters.iter().map(|p| (p.name.clone(), usual(p))).collect();
    let violated = |sizes: &BTreeMap<String, i64>| kernel.domain.iter().filter(|c| !c.holds(|n| sizes[n])).count();
    // One size at a time, as long as fewer conditions are violated.
    let mut left = violated(&sizes);
    while left > 0 {
        let mut best: Option<(usize, i64, &String, i64)> = None;
        for parameter in kernel.parameters.iter().filter(|p| p.default.is_none()) {
            let (min, max) = parameter.range();
            let low = min..=max.min(min.saturating_add(CANDIDATES));
            for value in low.chain(max.saturating_sub(CANDIDATES).max(min)..=max) {
                let mut tried = sizes.clone();
                tried.insert(parameter.name.clone(), value);
                let candidate = (violated(&tried), (value - SIZE).abs(), &parameter.name, value);
                best = best.into_iter().chain([candidate]).min();
            }
        }
        let Some((count, _, name, value)) = best.filter(|(count, ..)| *count < left) else { break };
        left = count;
        sizes.insert(name.clone(), value);
    }
    sizes
}

/// Sizes divided by a power of two, but not below their lower bounds and not to nothing.
fn halved(kernel: &Kernel, all: &BTreeMap<String, i64>, shift: u32) -> BTreeMap<String, i64> {
    let least = |name: &str| kernel.parameters.iter().find(|p| p.name == name).map_or(0, |p| p.min);
    all.iter().map(|(name, value)| (name.clone(), (value >> shift).max(least(name)).max(4.min(*value)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;
    use crate::simulate::samples;
    use crate::source::kernel::SizeCondition;

    #[test]
    fn defaults_lie_in_bounds_and_domain() {
        let mut kernel = samples::matmul();
        let size = |kernel: &Kernel| defaults(kernel)["N"];
        assert_eq!(size(&kernel), 32);
        (kernel.parameters[0].min, kernel.parameters[0].max) = (40, Some(100));
        assert_eq!(size(&kernel), 40);
        let value = Affine::variable("N") * 2 - Affine::constant(101);
        kernel.domain = vec![SizeCondition { value, reason: String::new(), span: Default::default() }];
        assert_eq!(size(&kernel), 51);
        kernel.parameters[0].default = Some(45);
        assert_eq!(size(&kernel), 45);
    }

    #[test]
    fn what_nobody_gives_is_small_and_in_the_domain() {
        let mut kernel = samples::matmul();
        let value = |kernel: &Kernel, set: &[(&str, i128)]| {
            let set = set.iter().map(|(name, value)| (name.to_string(), Number::Whole(*value))).collect();
            completed(kernel, set).get("N").and_then(|value| value.whole())
        };
        assert_eq!(value(&kernel, &[]), Some(32));
        assert_eq!(value(&kernel, &[("N", 7)]), Some(7));
        kernel.parameters[0].max = Some(16);
        assert_eq!(value(&kernel, &[]), Some(16));
        kernel.parameters[0].default = Some(9);
        assert_eq!(value(&kernel, &[]), None);
    }
}
