//! One run's data: the values of the arguments, the places of the arrays, the memory's content before.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use anyhow::Result;

use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::hardware;
use crate::ids::{ArrayId, ByArray};
use crate::layout::{Layout, PAGE_BYTES, whole_pages};
use crate::simulate::indices;
use crate::simulate::number::Number;
use crate::simulate::random::{self, Range, SplitMix};
use crate::source::kernel::{Argument, Kernel, ScalarType, Storage};
use crate::word::RegisterWord;

/// Bytes before, between and behind the arrays that must not change, at least, where the memory has room for them.
const GUARD: u64 = 64;
/// Bytes from address 0 that simulations hold at most, however large the board's memory is. Benches count in 32 bits.
const SIMULATED_BYTES: u64 = 1 << 30;
/// Rows of so many elements at most may be the members of a structure.
const SHORT: u64 = 8;

/// One array in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    pub name: String,
    /// Byte address of the first element.
    pub base: u64,
    pub element: ScalarType,
    pub layout: Layout<u64>,
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// A local array: the C program does not have it in this memory, so nothing is expected there.
    pub local: bool,
    /// Of each element nobody reads what is left: it is as it was, or as the C program leaves it.
    pub scratch: bool,
}

impl Region {
    pub fn bytes(&self) -> u64 {
        // All regions lie in the memory.
        self.layout.bytes() as u64
    }

    /// The address behind it.
    pub fn end(&self) -> u64 {
        self.base + self.bytes()
    }

    /// Subscripts of the element that holds the byte at `address`, which lies in the region.
    fn subscripts(&self, address: u64) -> Vec<u64> {
        self.layout.subscripts(address - self.base)
    }

    /// That of an access to which the first of [`Region::subscripts`] belongs.
    fn first_subscript(&self) -> usize {
        self.layout.digits.iter().map(|digit| digit.subscript).min().unwrap_or(0)
    }

    /// Takes the elements of `image` that are in `got` as they are in `before` from there.
    fn keep(&self, image: &mut [u8], before: &[u8], got: &[u8]) {
        let bytes = self.element.bytes() as usize;
        for start in (self.base as usize..self.end() as usize).step_by(bytes) {
            let element = start..start + bytes;
            if got[element.clone()] == before[element.clone()] {
                image[element.clone()].copy_from_slice(&before[element]);
            }
        }
    }

    /// Moves the region's elements in `image` to where C has them, or with `to_c` false from there. Nothing is lost: what is no
    /// cell's in slices comes behind the array in C.
    fn reorder(&self, image: &mut [u8], to_c: bool) {
        let c = self.layout.in_c();
        if c.digits == self.layout.digits {
            return;
        }
        let range = self.base as usize..self.end() as usize;
        let (old, size) = (image[range.clone()].to_vec(), self.element.bytes() as usize);
        let first = self.first_subscript();
        // Places that are no cell's lie behind C's array, in their order.
        let mut behind = c.bytes() as usize;
        for place in (0..range.len()).step_by(size) {
            let subscripts = self.layout.subscripts(place as u64);
            let in_c = match c.digits.iter().all(|digit| subscripts[digit.subscript - first] < digit.radix) {
                true => c.offset(|k| subscripts[k - first]) as usize,
                false => {
                    behind += size;
                    behind - size
                }
            };
            let (from, to) = if to_c { (place, in_c) } else { (in_c, place) };
            image[range.start + to..range.start + to + size].copy_from_slice(&old[from..from + size]);
        }
    }
}

/// Where the arrays lie: the arguments in the order of the C prototype, scratch arrays behind the others, then the local
/// ones.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    pub regions: Vec<Region>,
    /// The bytes from address 0 that hold the arrays and the guards around them.
    pub image_bytes: u64,
}

impl Placement {
    /// Places the kernel's arrays for the given sizes in a memory of `capacity` bytes, of which a simulation holds all that they
    /// take. Guards give way where only the arrays fit. Arrays beyond the capacity are a `Diagnostic`.
    pub fn new(kernel: &Kernel, sizes: &BTreeMap<String, i64>, capacity: u64) -> Result<Placement> {
        let limits = [(capacity, "the board's memory holds"), (SIMULATED_BYTES, "simulations hold at most")];
        Placement::within(kernel, sizes, &limits)
    }

    /// The same within such limits, the first of which is the capacity.
    fn within(kernel: &Kernel, sizes: &BTreeMap<String, i64>, limits: &[(u64, &str)]) -> Result<Placement> {
        let capacity = limits[0].0;
        let extent = |e: &Affine| evaluate(e, sizes).clamp(0, u64::MAX.into()) as u64;
        let wanted: ByArray<Layout<u64>> = kernel.arrays.iter().map(|a| a.layout().map(extent)).collect();
        let is_local = |array: ArrayId| kernel.arrays[array].storage != Storage::Argument;
        let arrays = hardware::argument_words(kernel).into_iter().filter_map(|(argument, ..)| match argument {
            Argument::Array(array) => Some(array),
            _ => None,
        });
        let mut order: Vec<ArrayId> = arrays.collect();
        order.sort_by_key(|&array| (is_local(array), kernel.arrays[array].scratch));
        // In 128 bits and saturating, because sizes beyond every memory are what this is to find.
        let place = |start: u64, guard: u64| {
            order.iter().fold((Vec::new(), u128::from(start)), |(mut bases, end), &array| {
                let base = whole_pages(end);
                bases.push((array, base));
                (bases, base.saturating_add(wanted[array].bytes()).saturating_add(u128::from(guard)))
            })
        };
        let fits = |(_, end): &(Vec<(ArrayId, u128)>, u128)| *end <= u128::from(capacity);
        let guarded = place(PAGE_BYTES, GUARD);
        let (bases, end) = if fits(&guarded) { guarded } else { place(0, 0) };
        for (limit, holder) in limits {
            if end > u128::from(*limit) {
                return Err(too_large(kernel, sizes, &wanted, end, &format!("{holder} {limit}")).into());
            }
        }
        let region = |(array, base): (ArrayId, u128)| Region {
            name: kernel.arrays[array].name.clone(),
            base: base as u64,
            element: kernel.arrays[array].element,
            layout: wanted[array].clone(),
            array,
            local: is_local(array),
            scratch: kernel.arrays[array].scratch,
        };
        let image_bytes = (end as u64).next_multiple_of(GUARD).min(capacity);
        Ok(Placement { regions: bases.into_iter().map(region).collect(), image_bytes })
    }

    /// The bytes from address 0 up to the scratch and local arrays, which lie behind all others.
    pub fn compared_bytes(&self) -> u64 {
        self.regions.iter().find(|r| r.local || r.scratch).map_or(self.image_bytes, |r| r.base)
    }

    /// Whether the byte at `address` belongs to a local array.
    pub fn is_local(&self, address: u64) -> bool {
        self.regions.iter().any(|r| r.local && (r.base..r.end()).contains(&address))
    }

    /// The region of an array, an index into `Kernel::arrays`.
    pub fn region(&self, array: ArrayId) -> &Region {
        self.regions.iter().find(|region| region.array == array).expect("every array has a place")
    }

    /// An image of the accelerator's memory with every array as C has it.
    pub fn to_c(&self, mut image: Vec<u8>) -> Vec<u8> {
        self.regions.iter().for_each(|region| region.reorder(&mut image, true));
        image
    }

    /// What [`Placement::to_c`] was made of.
    pub fn from_c(&self, mut image: Vec<u8>) -> Vec<u8> {
        self.regions.iter().for_each(|region| region.reorder(&mut image, false));
        image
    }

    /// The first difference between two images of the memory outside the local arrays, and how many elements differ.
    pub fn mismatch(&self, expected: &[u8], got: &[u8]) -> Option<Mismatch> {
        let place = |address: u64| self.regions.iter().find(|r| (r.base..r.end()).contains(&address));
        let is_cell = |address: u64| place(address).is_some_and(|region| region.layout.is_cell(address - region.base));
        let step = |address: u64| match place(address) {
            Some(region) => {
                let bytes = u64::from(region.element.bytes());
                (region.base + (address - region.base) / bytes * bytes, bytes, region.element)
            }
            None => (address, 1, ScalarType::integer(8, false)),
        };
        let mut count = 0;
        let mut first = None;
        let mut next = 0;
        while (next as usize) < expected.len().min(got.len()) {
            let (start, bytes, ty) = step(next);
            let range = start as usize..(start + bytes) as usize;
            if !is_same(&expected[range.clone()], &got[range], ty) && !self.is_local(start) {
                count += 1;
                first.get_or_insert(start);
            }
            next = start + bytes;
        }
        let address = first?;
        let (start, bytes, ty) = step(address);
        let range = start as usize..(start + bytes) as usize;
        Some(Mismatch {
            element: place(address)
                .filter(|_| is_cell(address))
                .map(|region| (region.name.clone(), region.subscripts(address))),
            address: start,
            expected: Number::of(raw(&expected[range.clone()]), ty),
            got: Number::of(raw(&got[range]), ty),
            count,
        })
    }

    /// The element at a byte address, as C writes it, or "outside every array".
    pub fn describe(&self, address: u64) -> String {
        match self.regions.iter().find(|r| (r.base..r.end()).contains(&address)) {
            Some(region) if region.layout.is_cell(address - region.base) => {
                element_text(&region.name, &region.subscripts(address))
            }
            Some(region) => format!("between the slices' cells of {}", region.name),
            None => "outside every array".to_string(),
        }
    }
}

/// The first element of memory that the accelerator left with another value than the C program.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch {
    /// Array and subscripts; `None` for a byte that belongs to no array.
    pub element: Option<(String, Vec<u64>)>,
    /// Byte address of the element.
    pub address: u64,
    pub expected: Number,
    pub got: Number,
    /// Elements (bytes, outside the arrays) that differ in the whole memory.
    pub count: u64,
}

impl Mismatch {
    /// The element, as C writes it.
    pub fn place(&self) -> String {
        match &self.element {
            Some((array, subscripts)) => element_text(array, subscripts),
            None => "a byte outside every array".to_string(),
        }
    }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.place())?;
        write!(f, " (address 0x{:06x}) is {}, expected {}", self.address, self.got, self.expected)?;
        match self.count {
            1 => Ok(()),
            count => write!(f, "; {count} elements differ"),
        }
    }
}

fn element_text(array: &str, subscripts: &[u64]) -> String {
    subscripts.iter().fold(array.to_string(), |text, subscript| format!("{text}[{subscript}]"))
}

/// Whether an element has the value that is expected. C leaves open which NaN an operation gives.
fn is_same(expected: &[u8], got: &[u8], ty: ScalarType) -> bool {
    let is_nan = |bytes| Number::of(raw(bytes), ty).value().is_nan();
    expected == got || (ty.floating && is_nan(expected) && is_nan(got))
}

/// The bits of a little-endian element.
fn raw(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

fn evaluate(extent: &Affine, sizes: &BTreeMap<String, i64>) -> i128 {
    extent.terms.iter().fold(i128::from(extent.constant), |sum, (name, coefficient)| {
        sum + i128::from(*coefficient) * i128::from(sizes.get(name).copied().unwrap_or(0))
    })
}

/// ` at N = 3, M = 4`, or nothing where there is no size.
fn at_sizes(sizes: &BTreeMap<String, i64>) -> String {
    let sizes: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    if sizes.is_empty() { String::new() } else { format!(" at {}", sizes.join(", ")) }
}

fn too_large(
    kernel: &Kernel,
    sizes: &BTreeMap<String, i64>,
    wanted: &ByArray<Layout<u64>>,
    end: u128,
    limit: &str,
) -> Diagnostic {
    let at = at_sizes(sizes);
    let largest = kernel.arrays.keys().max_by_key(|array| wanted[*array].bytes());
    let mut diagnostic = Diagnostic::new(format!(
        "the arrays need {} bytes{at}, but {limit}",
        if end == u128::MAX { "far too many".to_string() } else { end.to_string() }
    ))
    .help(match kernel.parameters.first() {
        Some(parameter) => format!("declare a smaller bound: --max {}=<number>", parameter.name),
        None => "make the arrays smaller".to_string(),
    });
    if let Some(array) = largest {
        diagnostic = diagnostic.at(kernel.arrays[array].span, format!("{} bytes", wanted[array].bytes()));
    }
    diagnostic
}

/// The sizes that are set, the others at their defaults, which the kernel has to be defined for.
fn chosen(kernel: &Kernel, set: &BTreeMap<String, Number>) -> Result<BTreeMap<String, i64>> {
    let mut sizes = BTreeMap::new();
    for parameter in &kernel.parameters {
        let set = set.get(&parameter.name).and_then(|value| value.whole());
        let value = set.or(parameter.default.map(i128::from));
        let Some(value) = value.and_then(|value| i64::try_from(value).ok()) else {
            return Err(Diagnostic::new(format!("the size `{}` has no value", parameter.name))
                .at(parameter.span, "no default here")
                .help(format!("give one: --set {}=<number>", parameter.name))
                .into());
        };
        sizes.insert(parameter.name.clone(), value);
    }
    if let Some(refusal) = kernel.refusal(|name| sizes[name]) {
        return Err(refusal.into());
    }
    Ok(sizes)
}

/// Everything that one run of a kernel starts from.
#[derive(Clone, Debug)]
pub struct Job {
    pub sizes: BTreeMap<String, i64>,
    pub placement: Placement,
    /// The arguments in the order of the C prototype, each as the bits of its type; an array's is its base.
    pub arguments: Vec<u64>,
    /// What the host computes for registers, in the order of `Kernel::scalars`, as [`super::golden::Golden`] gives it.
    pub host: Vec<u64>,
    /// The memory from address 0; empty in a job that nobody runs.
    pub image: Vec<u8>,
    /// Arrays and scalars whose data are drawn from a range.
    ranges: BTreeMap<String, Range>,
    /// Those of them whose range somebody has stated.
    stated: BTreeSet<String>,
}

impl Job {
    /// What the memory must hold where a run has left `got`: what C leaves, `expected`, but for the elements of scratch
    /// arrays that are as they were.
    pub fn accepted<'e>(&self, expected: &'e [u8], got: &[u8]) -> Cow<'e, [u8]> {
        let mut accepted = Cow::Borrowed(expected);
        for region in self.placement.regions.iter().filter(|region| region.scratch) {
            region.keep(accepted.to_mut(), &self.image, got);
        }
        accepted
    }

    /// Random data from `seed` in all of the memory that the placement covers, and in the scalars that `set` does not
    /// name. `set` holds values that fit their arguments; a size without one takes its default. A size without a value,
    /// sizes out of bounds or domain, and arrays beyond `capacity` bytes are `Diagnostic`s.
    pub fn new(kernel: &Kernel, set: &BTreeMap<String, Number>, capacity: u64, seed: u64) -> Result<Job> {
        Job::with_ranges(kernel, set, &BTreeMap::new(), capacity, seed)
    }

    /// [`Job::new`], but with data from `ranges` in the arrays and scalars that it names; data that are subscripts lie in
    /// their arrays without one. Each range lies within the
    /// type of its data.
    pub fn with_ranges(
        kernel: &Kernel,
        set: &BTreeMap<String, Number>,
        ranges: &BTreeMap<String, Range>,
        capacity: u64,
        seed: u64,
    ) -> Result<Job> {
        let sizes = chosen(kernel, set)?;
        let placement = Placement::new(kernel, &sizes, capacity)?;
        let mut job = Job::placed(kernel, (set, sizes), ranges, placement, seed);
        job.fill(kernel, seed);
        Ok(job)
    }

    /// The same without data in memory, for a kernel whose arrays a simulation need not hold.
    pub fn without_data(
        kernel: &Kernel,
        set: &BTreeMap<String, Number>,
        ranges: &BTreeMap<String, Range>,
        capacity: u64,
        seed: u64,
    ) -> Result<Job> {
        let sizes = chosen(kernel, set)?;
        let placement = Placement::within(kernel, &sizes, &[(capacity, "the board's memory holds")])?;
        Ok(Job::placed(kernel, (set, sizes), ranges, placement, seed))
    }

    fn placed(
        kernel: &Kernel,
        (set, sizes): (&BTreeMap<String, Number>, BTreeMap<String, i64>),
        ranges: &BTreeMap<String, Range>,
        placement: Placement,
        seed: u64,
    ) -> Job {
        let mut wanted = indices::ranges(kernel, &sizes);
        let stated = kernel.arrays.iter().filter_map(|array| Some((array.name.clone(), array.range?)));
        let stated: Vec<_> = stated.collect();
        let names = stated.iter().map(|(name, _)| name).chain(ranges.keys()).cloned().collect();
        let known = wanted.clone();
        wanted.extend(stated.into_iter().map(|(name, (low, high))| {
            let range = Range::whole(low.into(), high.into());
            let both = known.get(&name).and_then(|known| known.and(range));
            (name, both.unwrap_or(range))
        }));
        wanted.extend(ranges.iter().map(|(name, range)| (name.clone(), *range)));
        let ranges = wanted;
        let bases: BTreeMap<&str, u64> =
            placement.regions.iter().map(|region| (region.name.as_str(), region.base)).collect();
        let value = |argument: &Argument| match argument {
            Argument::Parameter(p) => sizes[&kernel.parameters[*p].name] as u64,
            Argument::Scalar(s) => {
                let scalar = &kernel.scalars[*s];
                let mut random = SplitMix::named(seed, &scalar.name);
                let value = match (set.get(&scalar.name), ranges.get(&scalar.name)) {
                    (Some(value), _) => value.bits(scalar.ty),
                    (None, range) if scalar.ty.floating => random.draw_float(range.copied(), scalar.ty),
                    (None, Some(range)) => random.draw_from(*range) as u64,
                    (None, None) if scalar.boolean => random.draw() & 1,
                    (None, None) => random.draw(),
                };
                // As C's conversion to `_Bool`.
                if scalar.boolean { u64::from(value != 0) } else { value }
            }
            Argument::Array(a) => bases[kernel.arrays[*a].name.as_str()],
        };
        let arguments = kernel.arguments.iter().map(value).collect();
        Job { sizes, placement, arguments, host: vec![], image: vec![], ranges, stated: names }
    }

    /// Draws the data of all arrays.
    fn fill(&mut self, kernel: &Kernel, seed: u64) {
        let mut image = vec![0; self.placement.image_bytes as usize];
        SplitMix::named(seed, "").fill(&mut image);
        let rising = indices::rising(kernel);
        let booleans: Vec<&str> = kernel.arrays.iter().filter(|a| a.boolean).map(|a| a.name.as_str()).collect();
        for region in &self.placement.regions {
            // C leaves open what a `_Bool` is that is neither 0 nor 1.
            let bit = booleans.contains(&region.name.as_str()).then_some(Range::whole(0, 1));
            let elements = &mut image[region.base as usize..region.end() as usize];
            let mut random = SplitMix::named(seed, &region.name);
            match self.ranges.get(&region.name).copied().or(bit) {
                range if region.element.floating => random.fill_floats(range, region.element, elements),
                Some(range) => random.fill_from(range, region.element.bytes() as usize, elements),
                None => random.fill(elements),
            }
            if let Some(range) = self.ranges.get(&region.name).filter(|_| rising.contains(&region.name)) {
                random::sort(*range, region.element, elements);
            }
        }
        self.image = image;
    }

    /// The sizes in words: ` at N = 3, M = 4`, or nothing where there is none.
    pub fn sizes_text(&self) -> String {
        at_sizes(&self.sizes)
    }

    /// Makes every 0 in the arrays a 1, except where a range was asked for.
    pub fn replace_zeros(&mut self) {
        for region in self.placement.regions.iter().filter(|region| !self.ranges.contains_key(&region.name)) {
            let range = region.base as usize..region.end() as usize;
            for element in self.image[range].chunks_mut(region.element.bytes() as usize) {
                if element.iter().all(|byte| *byte == 0) {
                    element[0] = 1;
                }
            }
        }
    }

    /// Whether a region's data may have a value: one of the range that was stated for them, if any.
    pub fn may_hold(&self, region: usize, value: Number) -> bool {
        let name = &self.placement.regions[region].name;
        let range = self.ranges.get(name).filter(|_| self.stated.contains(name));
        range.is_none_or(|range| (range.low.value()..=range.high.value()).contains(&value.value()))
    }

    /// The first elements of an array that is an argument.
    pub fn first_elements(&self, array: ArrayId, count: usize, ty: ScalarType) -> Vec<Number> {
        let region = self.placement.regions.iter().find(|region| region.array == array && !region.local);
        let size = region.map_or(1, |region| region.element.bytes() as usize);
        let bytes = region.map_or(0..0, |region| region.base as usize..(region.base + region.bytes()) as usize);
        let words = self.image.get(bytes).unwrap_or_default().chunks_exact(size).take(count);
        words.map(|word| Number::of(raw(word), ty)).collect()
    }

    /// Has each row of a region, and the last of several short ones, end in `values`, the bits of elements, the last one first, or begin
    /// with them, and puts some here and there into the half before. Half of a row at most is of them.
    pub fn plant(&mut self, region: usize, values: &[u64], at_the_start: bool) {
        let region = &self.placement.regions[region];
        let mut random = SplitMix::named(values.iter().fold(0, |sum, value| sum ^ value), &region.name);
        let c = region.layout.in_c();
        let first = region.first_subscript();
        let digits: Vec<(usize, u64)> =
            c.digits.iter().rev().map(|digit| (digit.subscript - first, digit.radix)).collect();
        let last = digits.first().copied().unwrap_or((0, 1));
        // Rows as short as those may be the members of structures.
        let outer = digits.get(1).copied().filter(|_| last.1 <= SHORT);
        let size = region.element.bytes() as usize;
        for place in (0..region.bytes() as usize).step_by(size) {
            let subscripts = region.layout.subscripts(place as u64);
            let from_end = |(dimension, radix): (usize, u64)| match (subscripts.get(dimension), at_the_start) {
                (Some(subscript), true) => *subscript,
                (Some(subscript), false) => radix.saturating_sub(1 + subscript),
                (None, _) => 0,
            };
            let at = |dimension: (usize, u64)| {
                let from_end = from_end(dimension);
                values.get(from_end as usize).filter(|_| from_end == 0 || 2 * from_end < dimension.1)
            };
            let own = at(last).or_else(|| outer.and_then(at));
            let here_and_there = 2 * from_end(last) < last.1 && random.draw().is_multiple_of(last.1);
            let own = own.or_else(|| values.get(random.draw() as usize % values.len()).filter(|_| here_and_there));
            if let Some(value) = own {
                let start = region.base as usize + place;
                self.image[start..start + size].copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
    }

    /// What is written to the register bus before the start: word index and value. What the host computes must be known.
    pub fn registers(&self, kernel: &Kernel) -> Vec<(u32, u32)> {
        assert_eq!(self.host.len(), kernel.scalars.len() - kernel.scalar_arguments(), "the C program has run");
        let mut writes = Vec::new();
        let local = self.placement.regions.iter().filter(|region| region.local).map(|region| region.base);
        let values = self.arguments.iter().chain(&self.host).copied().chain(local);
        for ((_, index, words), value) in hardware::argument_words(kernel).into_iter().zip(values) {
            writes.extend((0..words).map(|word| (index + word, (value >> (RegisterWord::BITS * word)) as u32)));
        }
        writes
    }

    /// The scalar arguments by name.
    pub fn scalars(&self, kernel: &Kernel) -> BTreeMap<String, Number> {
        let named = |(argument, raw): (&Argument, &u64)| match argument {
            Argument::Parameter(p) => {
                Some((kernel.parameters[*p].name.clone(), Number::Whole(i128::from(*raw as i64))))
            }
            Argument::Scalar(s) => Some((kernel.scalars[*s].name.clone(), Number::of(*raw, kernel.scalars[*s].ty))),
            Argument::Array(_) => None,
        };
        kernel.arguments.iter().zip(&self.arguments).filter_map(named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::samples;
    use crate::source::kernel::Array;

    #[test]
    fn arrays_lie_at_multiples_of_a_page_with_guards() {
        let job = Job::new(&samples::matmul(), &samples::set(&[("N", 32)]), 16 << 20, 1).unwrap();
        let bases: Vec<u64> = job.placement.regions.iter().map(|r| r.base).collect();
        // Each array fills a page exactly, so that its guard takes the next one.
        assert_eq!(bases, [4096, 3 * 4096, 5 * 4096]);
        assert_eq!(job.image.len(), 6 * 4096 + 64);
        assert_eq!(job.arguments, [32, 4096, 3 * 4096, 5 * 4096]);
        assert_eq!(job.registers(&samples::matmul()), [(8, 32), (9, 4096), (10, 12288), (11, 20480)]);
    }

    #[test]
    fn guards_give_way_before_arrays_do() {
        let kernel = samples::matmul();
        let sizes = BTreeMap::from([("N".to_string(), 32)]);
        let placement = Placement::new(&kernel, &sizes, 3 * 4096).unwrap();
        assert_eq!(placement.regions[0].base, 0);
        assert_eq!(placement.image_bytes, 3 * 4096);
        let error = Placement::new(&kernel, &sizes, 3 * 4096 - 1).unwrap_err();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        assert_eq!(diagnostic.message, "the arrays need 12288 bytes at N = 32, but the board's memory holds 12287");
        assert!(diagnostic.help.contains("--max N="));
    }

    #[test]
    fn huge_extents_do_not_overflow() {
        let sizes = BTreeMap::from([("N".to_string(), i64::MAX)]);
        assert!(Placement::new(&samples::matmul(), &sizes, 16 << 20).is_err());
    }

    #[test]
    fn no_elements_is_no_bytes() {
        let job = Job::new(&samples::matmul(), &samples::set(&[("N", 0)]), 16 << 20, 1).unwrap();
        assert!(job.placement.regions.iter().all(|r| r.bytes() == 0));
    }

    #[test]
    fn mismatch_names_the_element() {
        let job = Job::new(&samples::matmul(), &samples::set(&[("N", 8)]), 16 << 20, 1).unwrap();
        let mut got = job.image.clone();
        assert_eq!(job.placement.mismatch(&job.image, &got), None);
        let base = job.placement.regions[2].base as usize;
        got[base + (3 * 8 + 5) * 4 + 1] ^= 1;
        got[base + 200] ^= 1;
        let mismatch = job.placement.mismatch(&job.image, &got).unwrap();
        assert_eq!(mismatch.element, Some(("c".to_string(), vec![3, 5])));
        assert_eq!(mismatch.address, base as u64 + 116);
        assert_eq!(mismatch.count, 2);
        assert!(mismatch.to_string().starts_with("c[3][5] (address 0x003074) is "), "{mismatch}");
        let last = got.len() - 1;
        let mut outside = job.image.clone();
        outside[last] ^= 1;
        let mismatch = job.placement.mismatch(&job.image, &outside).unwrap();
        assert_eq!(mismatch.element, None);
        assert!(mismatch.to_string().starts_with("a byte outside every array"));
    }

    #[test]
    fn local_arrays_have_a_place_and_no_expectation() {
        let mut kernel = samples::copy();
        let local = kernel.arrays[ArrayId(1)].clone();
        kernel.arrays.push(Array {
            name: "t".into(),
            extents: vec![],
            storage: Storage::Local { declared_in: vec![], expanded: 0, transferred: false },
            ..local
        });
        let job = Job::new(&kernel, &samples::set(&[("N", 4)]), 16 << 20, 1).unwrap();
        let region = &job.placement.regions[2];
        assert_eq!((region.name.as_str(), region.base, region.bytes(), region.local), ("t", 3 * 4096, 4, true));
        assert_eq!(job.arguments, [4, 4096, 2 * 4096]);
        assert_eq!(job.registers(&kernel), [(8, 4), (9, 4096), (10, 8192), (11, 3 * 4096)]);
        let mut got = job.image.clone();
        got[region.base as usize + 1] ^= 1;
        assert_eq!(job.placement.mismatch(&job.image, &got), None);
        got[region.base as usize + 4] ^= 1;
        assert_eq!(job.placement.mismatch(&job.image, &got).map(|m| m.count), Some(1));
    }

    #[test]
    fn scalars_keep_their_range() {
        let kernel = samples::scale();
        let job = Job::new(&kernel, &samples::set(&[("N", 4), ("alpha", -3), ("beta", -1)]), 16 << 20, 1).unwrap();
        let registers = job.registers(&kernel);
        // N, alpha (64 bits), a, beta (8 bits), b.
        assert_eq!(registers[1], (9, -3i32 as u32));
        assert_eq!(registers[2], (10, u32::MAX));
        assert_eq!(registers[4].0, 12);
        assert_eq!(job.scalars(&kernel)["alpha"], Number::Whole(-3));
        assert_eq!(job.scalars(&kernel)["beta"], Number::Whole(-1));
        let random = Job::new(&kernel, &samples::set(&[("N", 4)]), 16 << 20, 1).unwrap();
        let again = Job::new(&kernel, &samples::set(&[("N", 4)]), 16 << 20, 1).unwrap();
        assert_eq!(random.image, again.image);
        assert!((-128..128).contains(&random.scalars(&kernel)["beta"].whole().unwrap()));
    }

    #[test]
    fn ranges_hold_for_arrays_and_scalars_and_leave_other_data_alone() {
        let kernel = samples::scale();
        let range = Range::whole;
        let ranges = BTreeMap::from([("a".to_string(), range(-3, 0)), ("alpha".to_string(), range(5, 6))]);
        let set = samples::set(&[("N", 50)]);
        let mut job = Job::with_ranges(&kernel, &set, &ranges, 16 << 20, 1).unwrap();
        let plain = Job::new(&kernel, &set, 16 << 20, 1).unwrap();
        let elements = |job: &Job, array: usize| {
            let region = &job.placement.regions[array];
            let bytes = job.image[region.base as usize..region.end() as usize].to_vec();
            bytes
                .chunks(region.element.bytes() as usize)
                .map(|e| Number::of(raw(e), region.element).whole().unwrap())
                .collect::<Vec<_>>()
        };
        let a = elements(&job, 0);
        assert!(a.iter().all(|value| (-3..=0).contains(value)) && a.contains(&0), "{a:?}");
        assert!((5..=6).contains(&job.scalars(&kernel)["alpha"].whole().unwrap()));
        assert_eq!(elements(&job, 1), elements(&plain, 1));
        assert_eq!(job.scalars(&kernel)["beta"], plain.scalars(&kernel)["beta"]);
        job.replace_zeros();
        assert_eq!(elements(&job, 0), a);
        // A value that is set is no random one.
        let set = samples::set(&[("N", 1), ("alpha", 9)]);
        assert_eq!(
            Job::with_ranges(&kernel, &set, &ranges, 16 << 20, 1).unwrap().scalars(&kernel)["alpha"],
            Number::Whole(9)
        );
    }

    #[test]
    fn sizes_out_of_bounds_or_domain_are_refused() {
        let mut kernel = samples::matmul();
        (kernel.parameters[0].min, kernel.parameters[0].max) = (2, Some(9));
        let value = Affine::variable("N") * 2 - Affine::constant(7);
        let reason = "2 * N - 7 wraps around".to_string();
        kernel.domain.push(crate::source::kernel::SizeCondition { value, reason, span: Default::default() });
        let told = |n: i128| {
            let error = Job::new(&kernel, &samples::set(&[("N", n)]), 16 << 20, 1).err()?;
            error.downcast_ref::<Diagnostic>().map(|d| (d.message.clone(), d.help.clone()))
        };
        assert_eq!(told(4), None);
        assert!(told(1).unwrap().0.ends_with("is 1, but the hardware is for 2 to 9"));
        assert!(told(10).unwrap().1.ends_with("--max N=10"));
        let (message, help) = told(3).unwrap();
        assert_eq!(message, "`matmul` is not defined for N = 3: 2 * N - 7 wraps around");
        assert_eq!(help, "choose sizes with 2*N >= 7: --set N=…");
    }

    #[test]
    fn booleans_are_0_or_1() {
        let mut kernel = samples::scale();
        (kernel.scalars[1].boolean, kernel.scalars[1].ty) = (true, ScalarType::integer(8, false));
        (kernel.arrays[ArrayId(0)].boolean, kernel.arrays[ArrayId(0)].element) = (true, ScalarType::integer(8, false));
        let job = |set: &[(&str, i128)], seed| Job::new(&kernel, &samples::set(set), 16 << 20, seed).unwrap();
        let data = job(&[("N", 100), ("beta", 159)], 1);
        let region = &data.placement.regions[0];
        let elements = &data.image[region.base as usize..][..100];
        assert!(elements.iter().all(|e| *e <= 1) && elements.contains(&0) && elements.contains(&1));
        assert_eq!(data.scalars(&kernel)["beta"], Number::Whole(1));
        let drawn: Vec<_> = (0..9).map(|seed| job(&[("N", 1)], seed).scalars(&kernel)["beta"]).collect();
        assert!(drawn.contains(&Number::Whole(0)) && drawn.contains(&Number::Whole(1)), "{drawn:?}");
    }

    #[test]
    fn a_size_without_a_value_is_refused() {
        let error = Job::new(&samples::matmul(), &BTreeMap::new(), 16 << 20, 1).unwrap_err();
        assert_eq!(error.downcast_ref::<Diagnostic>().unwrap().help, "give one: --set N=<number>");
    }
}
