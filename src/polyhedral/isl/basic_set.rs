//! Convex sets, and the constraints that they are.

use anyhow::{Result, anyhow};
use isl_rs::{DimType, LibISLError, Val};

use super::object::{object, operations, predicates};
use super::{Constraint, Context, Set};
use crate::affine::Affine;

object!(
    /// `isl_basic_set`: the integer points of one polyhedron.
    BasicSet
);

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
