//! Relations.

use anyhow::Result;
use isl_rs::DimType;

use super::object::{coalesces, object, operations, predicates};
use super::{Context, Set};

object!(
    /// `isl_map`: a relation between two spaces.
    Map
);

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

    /// Every point of `domain` with every point of `range`.
    pub fn of_all(domain: &Set, range: &Set) -> Result<Map> {
        Map::own(&domain.context, isl_rs::Map::from_domain_and_range(domain.take()?, range.take()?))
    }

    /// All pairs that there are between the same spaces.
    pub fn universe(&self) -> Result<Map> {
        let space = self.context.settle(self.object.get_space())?;
        Map::own(&self.context, isl_rs::Map::universe(space))
    }

    /// The range in an unnamed tuple.
    pub fn without_output_name(&self) -> Result<Map> {
        let map = self.take()?;
        match self.context.settle(map.has_tuple_id(DimType::Out))? {
            true => Map::own(&self.context, map.reset_tuple_id(DimType::Out)),
            false => Ok(self.clone()),
        }
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
