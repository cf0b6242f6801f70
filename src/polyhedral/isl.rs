//! A thin façade over isl: the only user of `isl_rs` in the crate.
//!
//! Operations take references and give `anyhow` results that carry isl's own message; every object keeps its context
//! alive, clones by reference count and prints as isl prints it. isl contexts are not thread-safe, and neither are
//! these types: one context per analysis, on one thread.

mod defining_equality;
pub mod schedule;

use std::ffi::c_void;
use std::fmt;
use std::rc::Rc;

use anyhow::{Context as _, Result, anyhow, bail};
use isl_rs::{DimType, Error, LibISLError, Options, Val};

use crate::affine::Affine;

unsafe extern "C" {
    fn free(pointer: *mut c_void);
    /// Counts one operation; negative where the limit is reached.
    fn isl_ctx_next_operation(context: *mut c_void) -> i32;
}

/// isl's operations for all of one analysis: five to ten seconds, and the same result on every machine. Kernels of
/// PolyBench take up to 1.3 million, five convolution layers in a row 5 million.
const ALL_OPERATIONS: u64 = 10_000_000;

/// `isl_ctx`, with errors reported to the caller instead of printed.
#[derive(Clone)]
pub struct Context(Rc<isl_rs::Context>);

/// One constraint over named integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// The expression is 0.
    Zero(Affine),
    /// The expression is at least 0.
    NonNegative(Affine),
}

impl Constraint {
    pub fn affine(&self) -> &Affine {
        match self {
            Constraint::Zero(affine) | Constraint::NonNegative(affine) => affine,
        }
    }

    /// `left <= right`
    pub fn at_most(left: Affine, right: Affine) -> Self {
        Constraint::NonNegative(right - left)
    }
}

/// The name and the dimensions of a tuple: `S0[i, j, k]`.
#[derive(Clone, Copy)]
pub struct Tuple<'a> {
    pub name: &'a str,
    pub dimensions: &'a [String],
}

const ON_ERROR_CONTINUE: i32 = 1;

impl<'a> Tuple<'a> {
    /// A tuple without a name: `[t0, t1]`.
    pub fn unnamed(dimensions: &'a [String]) -> Self {
        Tuple { name: "", dimensions }
    }

    /// The range of a function whose dimensions need no names.
    pub fn anonymous() -> Self {
        Tuple { name: "", dimensions: &[] }
    }
}

/// isl has used up the operations it was given: those of a [`Context::within`], or of the whole analysis.
#[derive(Debug)]
pub struct Exhausted;

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("isl: too many operations")
    }
}

impl std::error::Error for Exhausted {}

/// What isl says of an operation that it did not do.
#[derive(Debug)]
pub struct Failure {
    /// isl's own class of it.
    pub kind: Error,
    message: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "isl: {}", self.message)
    }
}

impl std::error::Error for Failure {}

impl Context {
    pub fn new() -> Result<Self> {
        let context = isl_rs::Context::alloc();
        if context.ptr == 0 {
            return Err(anyhow!("isl gives no context"));
        }
        let context = Context(Rc::new(context));
        context.settle(Options::set_on_error(&context.0, ON_ERROR_CONTINUE))?;
        context.0.set_max_operations(ALL_OPERATIONS);
        Ok(context)
    }

    /// Turns isl's error into ours, and forgets it in the context: a later call would report it again.
    fn settle<T>(&self, result: Result<T, LibISLError>) -> Result<T> {
        result.map_err(|error| {
            // The error's kind is private; it is printed first. What comes behind the limit may have another one, as what
            // isl's parser makes of it.
            let is_over = self.0.last_error() == Error::Quota || error.to_string().starts_with("[Quota]");
            if is_over || unsafe { isl_ctx_next_operation(self.0.ptr as *mut c_void) } < 0 {
                self.0.reset_error();
                return anyhow!(Exhausted);
            }
            let kind = self.0.last_error();
            if kind == Error::None_ {
                // The library has taken the error out of the context already.
                let text = error.to_string();
                let is_of = |name: &str| text.starts_with(name);
                let kind = match () {
                    _ if is_of("[Unknown]") => Error::Unknown,
                    _ if is_of("[Internal]") => Error::Internal,
                    _ => kind,
                };
                return anyhow!(Failure { kind, message: error.to_string() });
            }
            let message = format!("{error}: {}", self.0.last_error_msg());
            self.0.reset_error();
            anyhow!(Failure { kind, message })
        })
    }

    /// What `compute` gives, or `None` where isl needs more than `operations` of its own for it: the same on every
    /// machine. A hundred thousand take about a tenth of a second. Calls nest: what is done inside counts outside, too, and
    /// where it is the outer limit that is reached, the error goes on to there.
    pub fn within<T>(&self, operations: u64, compute: impl FnOnce() -> Result<T>) -> Result<Option<T>> {
        let outer = self.0.get_max_operations();
        let own = self.operations() + operations;
        if own >= outer {
            return compute().map(Some);
        }
        self.0.set_max_operations(own);
        let result = compute();
        self.0.set_max_operations(outer);
        match result {
            Err(error) if error.is::<Exhausted>() => Ok(None),
            result => result.map(Some),
        }
    }

    /// How many operations isl has done, give or take those of this call: it does not tell by itself, but counts one
    /// more where its limit is higher.
    pub fn operations(&self) -> u64 {
        let limit = self.0.get_max_operations();
        let (mut least, mut most) = (0, limit);
        while least < most {
            let middle = least + (most - least) / 2;
            self.0.set_max_operations(middle + 1);
            if unsafe { isl_ctx_next_operation(self.0.ptr as *mut c_void) } < 0 {
                self.0.reset_error();
                least = middle + 1;
            } else {
                (least, most) = (least + 1, middle + 1);
            }
        }
        self.0.set_max_operations(limit);
        least
    }

    fn value(&self, integer: i64) -> Result<Val> {
        self.settle(Val::int_from_si(&self.0, integer))
    }

    fn integer(&self, value: &Val) -> Result<Bounded> {
        if self.settle(value.is_int())? {
            return Ok(Bounded::Finite(self.settle(value.get_num_si())?));
        }
        if self.settle(value.is_infty())? || self.settle(value.is_neginfty())? {
            return Ok(Bounded::Infinite);
        }
        Ok(Bounded::Empty)
    }

    /// Reads isl's notation: `[N] -> { S0[i] : 0 <= i < N }`.
    pub fn parse_set(&self, text: &str) -> Result<Set> {
        Set::own(self, isl_rs::Set::read_from_str(&self.0, text)).with_context(|| format!("reading {text}"))
    }

    /// Reads isl's notation: `[N] -> { S0[i] -> a[i] }`.
    pub fn parse_map(&self, text: &str) -> Result<Map> {
        Map::own(self, isl_rs::Map::read_from_str(&self.0, text)).with_context(|| format!("reading {text}"))
    }

    /// `[parameters] -> { tuple : constraints }`. Names may be any text, also words that isl's parser reserves.
    pub fn set(&self, parameters: &[String], tuple: Tuple, constraints: &[Constraint]) -> Result<Set> {
        self.basic_set(parameters, tuple, constraints)?.to_set()
    }

    /// The same as one convex piece.
    pub fn basic_set(&self, parameters: &[String], tuple: Tuple, constraints: &[Constraint]) -> Result<BasicSet> {
        let n = tuple.dimensions.len();
        let mut space = self.settle(isl_rs::Space::set_alloc(&self.0, parameters.len() as u32, n as u32))?;
        space = self.name(space, DimType::Param, parameters)?;
        if !tuple.name.is_empty() {
            space = self.settle(space.set_tuple_name(DimType::Set, tuple.name))?;
        }
        space = self.name(space, DimType::Set, tuple.dimensions)?;
        let (zero, nonnegative): (Vec<_>, Vec<_>) = constraints.iter().partition(|c| matches!(c, Constraint::Zero(_)));
        let columns: Vec<&String> = parameters.iter().chain(tuple.dimensions).collect();
        let (zero, nonnegative) = (self.matrix(&zero, &columns)?, self.matrix(&nonnegative, &columns)?);
        let [constant, first, second, floors] = [DimType::Cst, DimType::Param, DimType::Set, DimType::Div];
        // All at once: isl simplifies the whole after every single one that is added.
        let set = isl_rs::BasicSet::from_constraint_matrices(space, zero, nonnegative, constant, first, second, floors);
        BasicSet::own(self, set)
    }

    /// A row per constraint: its constant, then the coefficients of `columns`.
    fn matrix(&self, constraints: &[&Constraint], columns: &[&String]) -> Result<isl_rs::Mat> {
        let (n_rows, n_columns) = (constraints.len() as u32, columns.len() as u32 + 1);
        let mut matrix = self.settle(isl_rs::Mat::alloc(&self.0, n_rows, n_columns))?;
        for (row, constraint) in constraints.iter().enumerate() {
            let affine = constraint.affine();
            if let Some(name) = affine.terms.keys().find(|name| !columns.contains(name)) {
                bail!("{name} in {affine} is not in scope");
            }
            let coefficients = columns.iter().map(|name| affine.coefficient(name));
            for (column, value) in [affine.constant].into_iter().chain(coefficients).enumerate() {
                let value = self.value(value)?;
                matrix = self.settle(matrix.set_element_val(row as i32, column as i32, value))?;
            }
        }
        Ok(matrix)
    }

    /// `[parameters] -> { : constraints }`
    pub fn parameter_set(&self, parameters: &[String], constraints: &[Constraint]) -> Result<Set> {
        let set = self.set(parameters, Tuple::anonymous(), constraints)?;
        Set::own(self, set.take()?.params())
    }

    /// `[parameters] -> { domain -> range : constraints }`; no dimension of the range has the name of one of the
    /// domain.
    pub fn map(&self, parameters: &[String], domain: Tuple, range: Tuple, constraints: &[Constraint]) -> Result<Map> {
        let space = self.map_space(parameters, domain, range.name, range.dimensions.len())?;
        let space = self.name(space, DimType::Out, range.dimensions)?;
        let names = [(DimType::In, domain.dimensions), (DimType::Out, range.dimensions), (DimType::Param, parameters)];
        self.constrained_map(space, constraints, &names)
    }

    /// `[parameters] -> { domain -> range[values] }`; the range's dimensions may go without names.
    pub fn function(&self, parameters: &[String], domain: Tuple, range: Tuple, values: &[Affine]) -> Result<Map> {
        let space = self.map_space(parameters, domain, range.name, values.len())?;
        let space = self.name(space, DimType::Out, range.dimensions)?;
        let locals = self.settle(isl_rs::LocalSpace::from_space(self.settle(space.copy())?))?;
        let mut map = self.settle(isl_rs::BasicMap::universe(space))?;
        for (position, value) in values.iter().enumerate() {
            let equality = Constraint::Zero(-value.clone());
            let names = [(DimType::In, domain.dimensions), (DimType::Param, parameters)];
            let row = self.constraint(self.settle(locals.copy())?, &equality, &names)?;
            let one = self.value(1)?;
            let row = self.settle(row.set_coefficient_val(DimType::Out, position as i32, one))?;
            map = self.settle(map.add_constraint(row))?;
        }
        Map::own(self, isl_rs::Map::from_basic_map(map))
    }

    fn map_space(&self, parameters: &[String], domain: Tuple, range: &str, n_out: usize) -> Result<isl_rs::Space> {
        let n_in = domain.dimensions.len() as u32;
        let mut space = self.settle(isl_rs::Space::alloc(&self.0, parameters.len() as u32, n_in, n_out as u32))?;
        space = self.name(space, DimType::Param, parameters)?;
        if !domain.name.is_empty() {
            space = self.settle(space.set_tuple_name(DimType::In, domain.name))?;
        }
        if !range.is_empty() {
            space = self.settle(space.set_tuple_name(DimType::Out, range))?;
        }
        self.name(space, DimType::In, domain.dimensions)
    }

    fn constrained_map(
        &self,
        space: isl_rs::Space,
        constraints: &[Constraint],
        names: &[(DimType, &[String])],
    ) -> Result<Map> {
        let locals = self.settle(isl_rs::LocalSpace::from_space(self.settle(space.copy())?))?;
        let mut map = self.settle(isl_rs::BasicMap::universe(space))?;
        for constraint in constraints {
            let row = self.constraint(self.settle(locals.copy())?, constraint, names)?;
            map = self.settle(map.add_constraint(row))?;
        }
        Map::own(self, isl_rs::Map::from_basic_map(map))
    }

    fn name(&self, mut space: isl_rs::Space, kind: DimType, names: &[String]) -> Result<isl_rs::Space> {
        for (position, name) in names.iter().enumerate() {
            space = self.settle(space.set_dim_name(kind, position as u32, name))?;
        }
        Ok(space)
    }

    /// The first group of `names` that knows a name has it.
    fn constraint(
        &self,
        locals: isl_rs::LocalSpace,
        constraint: &Constraint,
        names: &[(DimType, &[String])],
    ) -> Result<isl_rs::Constraint> {
        let affine = constraint.affine();
        let mut row = self.settle(match constraint {
            Constraint::Zero(_) => isl_rs::Constraint::alloc_equality(locals),
            Constraint::NonNegative(_) => isl_rs::Constraint::alloc_inequality(locals),
        })?;
        for (name, &coefficient) in &affine.terms {
            let (kind, position) = names
                .iter()
                .find_map(|(kind, group)| group.iter().position(|n| n == name).map(|p| (*kind, p)))
                .ok_or_else(|| anyhow!("{name} in {affine} is not in scope"))?;
            let value = self.value(coefficient)?;
            row = self.settle(row.set_coefficient_val(kind, position as i32, value))?;
        }
        self.settle(row.set_constant_val(self.value(affine.constant)?))
    }
}

/// What an optimisation gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bounded {
    Finite(i64),
    Infinite,
    /// There is no point.
    Empty,
}

impl Bounded {
    pub fn finite(self) -> Option<i64> {
        match self {
            Bounded::Finite(value) => Some(value),
            _ => None,
        }
    }
}

/// Struct, ownership, clone and print of one isl type.
macro_rules! object {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone)]
        pub struct $name {
            object: Rc<isl_rs::$name>,
            context: Context,
        }

        impl $name {
            fn own(context: &Context, result: Result<isl_rs::$name, LibISLError>) -> Result<Self> {
                Ok($name { object: Rc::new(context.settle(result)?), context: context.clone() })
            }

            /// A copy for an operation that consumes it.
            fn take(&self) -> Result<isl_rs::$name> {
                self.context.settle(self.object.copy())
            }

            pub fn context(&self) -> &Context {
                &self.context
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let text = self.context.settle(self.object.to_str()).map_err(|_| fmt::Error)?;
                let result = f.write_str(text);
                // isl hands the string over and isl_rs never frees it; `text` is not used after this line.
                unsafe { free(text.as_ptr() as *mut c_void) };
                result
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{self}")
            }
        }
    };
}

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $kind:ident),*) -> $result:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(&self, $($argument: &$kind),*) -> Result<$result> {
                $result::own(&self.context, self.take()?.$name($($argument.take()?),*))
            }
        )*
    };
}

macro_rules! coalesces {
    () => {
        /// The same points in fewer pieces, or in as many where isl gives up on it: isl 0.27 takes variables out of a
        /// piece while it still looks at it, and refuses ("total dimensionality changed unexpectedly").
        pub fn coalesce(&self) -> Result<Self> {
            match Self::own(&self.context, self.take()?.coalesce()) {
                Err(error) if error.downcast_ref::<Failure>().is_some_and(|f| f.kind == Error::Internal) => {
                    Ok(self.clone())
                }
                result => result,
            }
        }
    };
}

macro_rules! predicates {
    ($($name:ident($($argument:ident: $kind:ident),*);)*) => {
        $(
            pub fn $name(&self, $($argument: &$kind),*) -> Result<bool> {
                self.context.settle(self.object.$name($(&$argument.object),*))
            }
        )*
    };
}

object!(
    /// `isl_set`: a union of integer polyhedra in one space.
    Set
);
object!(
    /// `isl_basic_set`: the integer points of one polyhedron.
    BasicSet
);
object!(
    /// `isl_map`: a relation between two spaces.
    Map
);

impl Set {
    coalesces!();

    operations! {
        intersect(other: Set) -> Set;
        /// `other` is a set of parameters.
        intersect_params(other: Set) -> Set;
        union(other: Set) -> Set;
        subtract(other: Set) -> Set;
        apply(map: Map) -> Set;
        gist(context: Set) -> Set;
        gist_params(context: Set) -> Set;
        make_disjoint() -> Set;
        /// Gives every existentially quantified variable its value as a floor.
        compute_divs() -> Set;
        /// Drops what only existentially quantified variables express: a superset.
        remove_divs() -> Set;
        remove_redundancies() -> Set;
        detect_equalities() -> Set;
        lexmin() -> Set;
        lexmax() -> Set;
        /// The parameters for which there is a point.
        params() -> Set;
        /// The same points as a relation between the two halves of the wrapped space.
        unwrap() -> Map;
        identity() -> Map;
        /// The same points in one flat tuple.
        flatten() -> Set;
        project_out_all_params() -> Set;
        simple_hull() -> BasicSet;
    }

    predicates! {
        is_empty();
        is_equal(other: Set);
        is_subset(other: Set);
        is_disjoint(other: Set);
    }

    pub fn dimensions(&self) -> Result<usize> {
        Ok(self.context.settle(self.object.dim(DimType::Set))? as usize)
    }

    /// The parameters' names, in isl's order.
    pub fn parameters(&self) -> Result<Vec<String>> {
        let n = self.context.settle(self.object.dim(DimType::Param))?;
        (0..n as u32)
            .map(|p| Ok(self.context.settle(self.object.get_dim_name(DimType::Param, p))?.to_string()))
            .collect()
    }

    pub fn pieces(&self) -> Result<Vec<BasicSet>> {
        let list = self.context.settle(self.object.get_basic_set_list())?;
        let n = self.context.settle(list.size())?;
        (0..n).map(|i| BasicSet::own(&self.context, list.get_at(i))).collect()
    }

    pub fn project_out(&self, first: usize, n: usize) -> Result<Set> {
        Set::own(&self.context, self.take()?.project_out(DimType::Set, first as u32, n as u32))
    }

    /// The points whose dimension `position` is `value`.
    pub fn fix(&self, position: usize, value: i64) -> Result<Set> {
        let value = self.context.value(value)?;
        Set::own(&self.context, self.take()?.fix_val(DimType::Set, position as u32, value))
    }

    /// The points where parameter `name` has `value`.
    pub fn fix_parameter(&self, name: &str, value: i64) -> Result<Set> {
        match self.parameters()?.iter().position(|n| n == name) {
            Some(position) => {
                let value = self.context.value(value)?;
                Set::own(&self.context, self.take()?.fix_val(DimType::Param, position as u32, value))
            }
            None => Ok(self.clone()),
        }
    }

    /// The largest value of `objective`, over the dimensions `names` and the parameters.
    pub fn largest(&self, names: &[String], objective: &Affine) -> Result<Bounded> {
        let set = self.without_tuple_name()?;
        let space = self.context.settle(set.object.get_space())?;
        let locals = self.context.settle(isl_rs::LocalSpace::from_space(space))?;
        let mut aff = self.context.settle(isl_rs::Aff::zero_on_domain(locals))?;
        for (name, &coefficient) in &objective.terms {
            let position = names.iter().position(|n| n == name).ok_or_else(|| anyhow!("{name} is not in scope"))?;
            let value = self.context.value(coefficient)?;
            aff = self.context.settle(aff.set_coefficient_val(DimType::In, position as i32, value))?;
        }
        let value = self.context.settle(set.object.max_val(&aff))?;
        self.context.integer(&value)
    }

    /// The points where two dimensions are equal.
    pub fn equate(&self, one: usize, other: usize) -> Result<Set> {
        Set::own(&self.context, self.take()?.equate(DimType::Set, one as i32, DimType::Set, other as i32))
    }

    /// The largest value of a dimension over all points and parameters.
    pub fn maximum(&self, position: usize) -> Result<Bounded> {
        let value = self.context.settle(self.take()?.dim_max_val(position as i32))?;
        self.context.integer(&value)
    }

    /// The smallest value of a dimension over all points and parameters.
    pub fn minimum(&self, position: usize) -> Result<Bounded> {
        let value = self.context.settle(self.take()?.dim_min_val(position as i32))?;
        self.context.integer(&value)
    }

    /// The same set with parameters as leading dimensions of an unnamed space.
    pub fn parameters_to_dimensions(&self) -> Result<Set> {
        let n = self.context.settle(self.object.dim(DimType::Param))? as u32;
        let set = self.without_tuple_name()?.take()?;
        Set::own(&self.context, set.move_dims(DimType::Set, 0, DimType::Param, 0, n))
    }

    /// The set with dimensions of value 0 behind its own, `n` in all.
    pub fn padded_with_zeros(&self, n: usize) -> Result<Set> {
        let own = self.dimensions()?;
        let mut set = self.context.settle(self.take()?.add_dims(DimType::Set, (n - own) as u32))?;
        for position in own..n {
            set = self.context.settle(set.fix_si(DimType::Set, position as u32, 0))?;
        }
        Set::own(&self.context, Ok(set))
    }

    /// The set with one dimension as the last parameter, called `name`.
    pub fn dimension_to_parameter(&self, position: usize, name: &str) -> Result<Set> {
        let n = self.context.settle(self.object.dim(DimType::Param))? as u32;
        let set = self.without_tuple_name()?.take()?;
        let set = self.context.settle(set.move_dims(DimType::Param, n, DimType::Set, position as u32, 1))?;
        Set::own(&self.context, set.set_dim_name(DimType::Param, n, name))
    }

    /// Names the dimensions, for printing.
    pub fn name_dimensions(&self, names: &[String]) -> Result<Set> {
        let mut set = self.take()?;
        for (position, name) in names.iter().enumerate() {
            set = self.context.settle(set.set_dim_name(DimType::Set, position as u32, name))?;
        }
        Set::own(&self.context, Ok(set))
    }

    pub fn without_tuple_name(&self) -> Result<Set> {
        let set = self.take()?;
        if self.context.settle(set.has_tuple_id())? {
            return Set::own(&self.context, set.reset_tuple_id());
        }
        Ok(self.clone())
    }

    /// Some point, `None` where there is none; the parameters must have been fixed or turned into dimensions.
    pub fn sample(&self) -> Result<Option<Vec<i64>>> {
        if self.is_empty()? {
            return Ok(None);
        }
        let point = self.context.settle(self.take()?.sample_point())?;
        let mut coordinates = vec![];
        for position in 0..self.dimensions()? {
            let value = self.context.settle(point.get_coordinate_val(DimType::Set, position as i32))?;
            coordinates.push(self.context.integer(&value)?.finite().ok_or_else(|| anyhow!("isl: no integer point"))?);
        }
        Ok(Some(coordinates))
    }

    /// The lexicographically smallest point, for examples in messages, or just some point where a dimension has no end;
    /// `None` where there is none. The parameters must have been fixed or turned into dimensions. One optimisation per
    /// dimension: isl's own parametric one may add cuts without end where constants are large, and does not count them.
    pub fn least_point(&self) -> Result<Option<Vec<i64>>> {
        let mut left = self.clone();
        for position in 0..self.dimensions()? {
            let Bounded::Finite(least) = left.minimum(position)? else { break };
            let least = self.context.value(least)?;
            let next = Set::own(&self.context, left.take()?.fix_val(DimType::Set, position as u32, least))?;
            // isl's optimum may be that of a piece without points.
            if next.is_empty()? {
                break;
            }
            left = next;
        }
        left.sample()
    }

    /// The number of points; the parameters must have been fixed.
    pub fn count(&self) -> Result<Bounded> {
        let value = self.context.settle(self.object.count_val())?;
        self.context.integer(&value)
    }
}

/// `floor(numerator / denominator)`: the value of an existentially quantified variable.
#[derive(Clone, Debug)]
pub struct Division {
    pub numerator: Affine,
    pub denominator: i64,
}

impl BasicSet {
    operations! {
        intersect(other: BasicSet) -> BasicSet;
        gist(context: BasicSet) -> BasicSet;
        remove_divs() -> BasicSet;
        remove_redundancies() -> BasicSet;
        detect_equalities() -> BasicSet;
        to_set() -> Set;
    }

    predicates! {
        is_empty();
        is_disjoint(other: BasicSet);
    }

    pub fn dimensions(&self) -> Result<usize> {
        Ok(self.context.settle(self.object.dim(DimType::Set))? as usize)
    }

    pub fn project_out(&self, first: usize, n: usize) -> Result<BasicSet> {
        BasicSet::own(&self.context, self.take()?.project_out(DimType::Set, first as u32, n as u32))
    }

    fn parameters(&self) -> Result<Vec<String>> {
        self.to_set()?.parameters()
    }

    /// The existentially quantified variables; `names` are those of the dimensions followed by those of the
    /// variables. `None` for a variable that is no floor.
    pub fn divisions(&self, names: &[String]) -> Result<Vec<Option<Division>>> {
        let n = self.context.settle(self.object.dim(DimType::Div))?;
        let parameters = self.parameters()?;
        let dimensions = self.dimensions()?;
        let groups = [
            (DimType::Param, &parameters[..]),
            (DimType::In, &names[..dimensions]),
            (DimType::Div, &names[dimensions..]),
        ];
        (0..n)
            .map(|position| {
                let floor = self.context.settle(self.object.get_div(position))?;
                if self.context.settle(floor.is_nan())? {
                    return Ok(None);
                }
                let denominator = self.context.settle(floor.get_denominator_val())?;
                let scaled = |value: Val| -> Result<i64> {
                    let product = self.context.settle(value.mul(self.context.settle(denominator.copy())?))?;
                    self.context.integer(&product)?.finite().ok_or_else(|| anyhow!("isl: a fraction in a floor"))
                };
                let mut numerator = Affine::constant(scaled(self.context.settle(floor.get_constant_val())?)?);
                for (kind, group) in groups {
                    // A floor is written over the variables before it.
                    let known = self.context.settle(floor.dim(kind))?.max(0) as usize;
                    for (p, name) in group.iter().enumerate().take(known) {
                        let value = self.context.settle(floor.get_coefficient_val(kind, p as i32))?;
                        numerator.add_term(name, scaled(value)?);
                    }
                }
                let denominator = self.context.integer(&denominator)?.finite().unwrap_or(1);
                Ok(Some(Division { numerator, denominator }))
            })
            .collect()
    }

    /// The constraints; `names` are those of the dimensions followed by those of the existentially quantified
    /// variables.
    pub fn constraints(&self, names: &[String]) -> Result<Vec<Constraint>> {
        let list = self.context.settle(self.object.get_constraint_list())?;
        let n = self.context.settle(list.size())?;
        let parameters = self.parameters()?;
        let dimensions = self.dimensions()?;
        let groups = [
            (DimType::Param, &parameters[..]),
            (DimType::Set, &names[..dimensions]),
            (DimType::Div, &names[dimensions..]),
        ];
        let integer = |value: Result<Val, LibISLError>| -> Result<i64> {
            let value = self.context.settle(value)?;
            self.context.integer(&value)?.finite().ok_or_else(|| anyhow!("isl: a constraint that is not integral"))
        };
        (0..n)
            .map(|i| {
                let row = self.context.settle(list.get_at(i))?;
                let mut affine = Affine::constant(integer(row.get_constant_val())?);
                for (kind, group) in groups {
                    let known = self.context.settle(row.dim(kind))?.max(0) as usize;
                    for (p, name) in group.iter().enumerate().take(known) {
                        affine.add_term(name, integer(row.get_coefficient_val(kind, p as i32))?);
                    }
                }
                let equality = self.context.settle(row.is_equality())?;
                Ok(if equality { Constraint::Zero(affine) } else { Constraint::NonNegative(affine) })
            })
            .collect()
    }

    /// The number of existentially quantified variables.
    pub fn locals(&self) -> Result<usize> {
        Ok(self.context.settle(self.object.dim(DimType::Div))? as usize)
    }
}

impl Map {
    coalesces!();

    operations! {
        intersect(other: Map) -> Map;
        intersect_params(other: Set) -> Map;
        intersect_domain(domain: Set) -> Map;
        intersect_range(range: Set) -> Map;
        union(other: Map) -> Map;
        subtract(other: Map) -> Map;
        reverse() -> Map;
        /// `A -> B` and `B -> C` give `A -> C`.
        apply_range(other: Map) -> Map;
        /// `A -> B` and `A -> C` give `B -> C`.
        apply_domain(other: Map) -> Map;
        /// `A -> B` and `A -> C` give `A -> [B -> C]`.
        range_product(other: Map) -> Map;
        /// The same with the ranges' dimensions side by side in one unnamed tuple.
        flat_range_product(other: Map) -> Map;
        /// `A -> B` and `C -> D` give `[A -> C] -> [B -> D]`.
        product(other: Map) -> Map;
        /// `[A -> B] -> A`
        domain_map() -> Map;
        /// `[A -> B] -> B`
        range_map() -> Map;
        domain() -> Set;
        range() -> Set;
        wrap() -> Set;
        /// `[A -> B] -> C` becomes `A -> [B -> C]`.
        curry() -> Map;
        /// `A -> [B -> C]` becomes `[A -> B] -> C`.
        uncurry() -> Map;
        /// `[A -> B] -> C` becomes `[B -> A] -> C`.
        domain_reverse() -> Map;
        /// `A -> B` and `C -> B` give the pairs `A -> C` whose images compare.
        lex_lt_map(other: Map) -> Map;
        lex_gt_map(other: Map) -> Map;
        lexmin() -> Map;
        lexmax() -> Map;
        /// A superset without existentially quantified variables.
        remove_divs() -> Map;
        deltas() -> Set;
        gist(context: Map) -> Map;
        gist_domain(context: Set) -> Map;
        gist_params(context: Set) -> Map;
        remove_redundancies() -> Map;
    }

    predicates! {
        is_empty();
        is_equal(other: Map);
        is_subset(other: Map);
        is_disjoint(other: Map);
        is_injective();
        is_single_valued();
    }

    /// The pairs whose image has `value` in its dimension `position`.
    pub fn fix_output(&self, position: usize, value: i64) -> Result<Map> {
        let value = self.context.value(value)?;
        Map::own(&self.context, self.take()?.fix_val(DimType::Out, position as u32, value))
    }

    pub fn project_out_outputs(&self, first: usize, n: usize) -> Result<Map> {
        Map::own(&self.context, self.take()?.project_out(DimType::Out, first as u32, n as u32))
    }

    /// One convex relation without existentially quantified variables that holds this one.
    pub fn convex(&self) -> Result<Map> {
        let plain = Map::own(&self.context, self.take()?.remove_divs())?.coalesce()?;
        let hull = self.context.settle(plain.take()?.simple_hull())?;
        Map::own(&self.context, isl_rs::Map::from_basic_map(hull))
    }

    /// The image of the domain's point, whose dimensions become the parameters `names`.
    pub fn image_of(&self, names: &[String]) -> Result<Set> {
        let n = names.len() as u32;
        let first = self.context.settle(self.object.dim(DimType::Param))? as u32;
        let mut map = self.context.settle(self.take()?.move_dims(DimType::Param, first, DimType::In, 0, n))?;
        for (position, name) in names.iter().enumerate() {
            map = self.context.settle(map.set_dim_name(DimType::Param, first + position as u32, name))?;
        }
        Set::own(&self.context, map.range())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_carry_isl_s_message_and_do_not_stick() {
        let isl = Context::new().unwrap();
        let error = isl.parse_set("{ [i] : i >> }").unwrap_err();
        assert!(
            format!("{error:#}").contains("unexpected token") || format!("{error:#}").contains("syntax"),
            "{error:#}"
        );
        let one = isl.parse_set("{ A[i] }").unwrap();
        let other = isl.parse_set("{ B[i, j] }").unwrap();
        let error = one.union(&other).unwrap_err();
        assert!(error.to_string().contains("spaces"), "{error}");
        assert!(one.is_equal(&one).unwrap());
    }

    #[test]
    fn limits_nest() {
        let isl = Context::new().unwrap();
        let set = isl.parse_set("[N] -> { [i, j] : 0 <= i < j < N }").unwrap();
        let other = isl.parse_set("[N] -> { [i, j] : 0 <= j < N and i mod 3 = 0 }").unwrap();
        let work = |rounds: usize| -> Result<()> { (0..rounds).try_for_each(|_| set.subtract(&other).map(drop)) };
        let before = isl.operations();
        work(1).unwrap();
        let each = isl.operations() - before;
        assert!((50..5_000).contains(&each), "{each}");
        assert!(isl.within(3 * each, || work(1)).unwrap().is_some());
        assert!(isl.within(3 * each, || work(9)).unwrap().is_none());
        // What is done inside counts outside, also where it was given up.
        let inside = || isl.within(3 * each, || work(9));
        let outside = isl.within(7 * each, || (0..4).try_for_each(|_| inside().map(drop))).unwrap();
        assert!(outside.is_none());
        let outside = isl.within(20 * each, || (0..4).try_for_each(|_| inside().map(drop))).unwrap();
        assert!(outside.is_some());
        // The limit of all is not one that an inner call is asked for.
        assert!(isl.within(u64::MAX / 2, || work(1)).unwrap().is_some());
        isl.0.set_max_operations(isl.operations() + each);
        assert!(isl.within(9 * each, || work(3)).unwrap_err().is::<Exhausted>());
    }

    #[test]
    fn objects_clone_print_and_outlive_their_context() {
        let set = {
            let isl = Context::new().unwrap();
            isl.parse_set("[N] -> { S0[i] : 0 <= i < N }").unwrap()
        };
        let copy = set.clone();
        drop(set);
        assert_eq!(copy.to_string(), "[N] -> { S0[i] : 0 <= i < N }");
        assert_eq!(copy.fix_parameter("N", 7).unwrap().count().unwrap(), Bounded::Finite(7));
    }

    #[test]
    fn builds_what_isl_reads() {
        let isl = Context::new().unwrap();
        // Words of isl's own notation are names like any other.
        let (parameters, iterators) = (["max".to_string()], ["mod".to_string(), "j".to_string()]);
        let domain = Tuple { name: "S0", dimensions: &iterators };
        let below = Constraint::at_most(Affine::variable("mod") * 2, Affine::variable("max") - Affine::constant(1));
        let set = isl.set(&parameters, domain, &[below, Constraint::Zero(Affine::variable("j"))]).unwrap();
        assert_eq!(set.to_string(), "[max] -> { S0[mod, j = 0] : 2mod < max }");
        let value = Affine::variable("j") - Affine::variable("max") + Affine::constant(2);
        let map = isl.function(&parameters, domain, Tuple::anonymous(), &[value]).unwrap();
        let image = map.intersect_domain(&set).unwrap().range().unwrap().fix_parameter("max", 5).unwrap();
        assert_eq!((image.minimum(0).unwrap(), image.maximum(0).unwrap()), (Bounded::Finite(-3), Bounded::Finite(-3)));
        let unknown = [Constraint::Zero(Affine::variable("k"))];
        let error = isl.set(&parameters, domain, &unknown).unwrap_err();
        assert_eq!(error.to_string(), "k in k is not in scope");
    }

    #[test]
    fn optima_tell_empty_from_endless() {
        let isl = Context::new().unwrap();
        let set = isl.parse_set("[N] -> { [i] : 3 <= i <= N }").unwrap();
        assert_eq!(set.minimum(0).unwrap(), Bounded::Finite(3));
        assert_eq!(set.maximum(0).unwrap(), Bounded::Infinite);
        assert_eq!(set.subtract(&set).unwrap().maximum(0).unwrap(), Bounded::Empty);
        assert_eq!(set.fix_parameter("N", 2).unwrap().sample().unwrap(), None);
    }

    #[test]
    fn the_least_point_is_the_first_of_all_points() {
        let isl = Context::new().unwrap();
        let set = isl.parse_set("{ [i, j, k] : i + j >= 3 and 2i + k = 7 and -4 <= j <= 5 and 0 <= k <= 4 }").unwrap();
        let holds =
            |i: i64, j: i64, k: i64| i + j >= 3 && 2 * i + k == 7 && (-4..=5).contains(&j) && (0..=4).contains(&k);
        let points = (-9..9).flat_map(|i| (-9..9).flat_map(move |j| (-9..9).map(move |k| (i, j, k))));
        let (i, j, k) = points.into_iter().find(|(i, j, k)| holds(*i, *j, *k)).unwrap();
        assert_eq!(set.least_point().unwrap(), Some(vec![i, j, k]));
        assert_eq!(set.subtract(&set).unwrap().least_point().unwrap(), None);
        // A piece that is empty where the first dimension is 0.
        let text = "{ [N, M, j] : 0 <= N <= 2 and 2 <= M <= 3 and N - 1 <= j and 0 <= j < N; [N, M, 0] : 0 <= N <= 1 and 2 <= M <= 3 }";
        let set = isl.parse_set(text).unwrap();
        let point = set.least_point().unwrap().expect("it has points");
        assert!((0..=2).contains(&point[0]) && (2..=3).contains(&point[1]) && point[2] >= 0);
        let endless = isl.parse_set("{ [i, j] : i <= 2 and j >= 2i }").unwrap();
        assert!(endless.least_point().unwrap().is_some_and(|point| point[0] <= 2 && point[1] >= 2 * point[0]));
    }
}
