//! Sets and relations from isl's notation, and from constraints over names.

use anyhow::{Context as _, Result, anyhow, bail};
use isl_rs::DimType;

use super::{BasicSet, Constraint, Context, Map, Set, Tuple};
use crate::affine::Affine;

impl Context {
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
