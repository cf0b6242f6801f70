//! Sets.

use anyhow::{Result, anyhow};
use isl_rs::DimType;

use super::object::{coalesces, object, operations, predicates};
use super::{BasicSet, Bounded, Context, Map};
use crate::affine::Affine;

object!(
    /// `isl_set`: a union of integer polyhedra in one space.
    Set
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

    /// A convex superset without quantified variables; the set itself where that is possible.
    pub fn convex(&self) -> Result<BasicSet> {
        let set = self.coalesce()?.remove_divs()?.coalesce()?;
        match &set.pieces()?[..] {
            [piece] => Ok(piece.clone()),
            _ => set.simple_hull()?.remove_divs(),
        }
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
