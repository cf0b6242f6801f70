//! isl's scheduler: constraints in, a schedule tree as plain data out.

use std::collections::BTreeMap;
use std::fmt;

use anyhow::{Result, bail};
use isl_rs::{DimType, Error, Options, ScheduleNode, ScheduleNodeType};

use super::{Bounded, Context, Failure, Map, Set, Tuple};
use crate::affine::Affine;

/// How far the scheduler goes in running statements together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fusion {
    /// Each strongly connected component of the dependences alone.
    Separate,
    /// Components that are close run together where this costs no dimension of a band.
    Moderate,
    /// All statements together as far as the dependences allow.
    Whole,
}

/// What the scheduler has to respect and what it should bring close.
pub struct Problem<'a> {
    /// Each statement's tuple and domain.
    pub statements: &'a [(Tuple<'a>, Set)],
    /// Values of the parameters: a set of parameters.
    pub context: &'a Set,
    /// Pairs whose order stays.
    pub validity: &'a [Map],
    /// Pairs that should be close.
    pub proximity: &'a [Map],
    /// Whether loops without a dependence are looked for first, at the cost of distances.
    pub parallel: bool,
    pub fusion: Fusion,
    /// Operations, as isl counts them, after which the scheduler gives up: the same on every machine. Ten
    /// thousand take some milliseconds, but operations on large numbers take longer.
    pub effort: u64,
}

/// A schedule tree (Verdoolaege et al., IMPACT 2014) without what burstc does not need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// Loops around `child`.
    Band {
        /// No dependence that reaches this band has a negative distance in any of its members.
        permutable: bool,
        /// By statement name, one expression per member.
        members: BTreeMap<String, Vec<Affine>>,
        child: Box<Tree>,
    },
    /// The children run one after the other, each for the statements it names.
    Sequence(Vec<(Vec<String>, Tree)>),
    Leaf,
}

/// What a schedule of isl's has, and burstc cannot use.
#[derive(Debug)]
struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "isl: a schedule with {}", self.0)
    }
}

impl std::error::Error for Unusable {}

impl Context {
    /// Runs isl's scheduler; `None` where it gives up, or its result is not affine.
    pub fn schedule(&self, problem: &Problem) -> Result<Option<Tree>> {
        let flag = |set: fn(&isl_rs::Context, i32) -> Result<isl_rs::Stat, isl_rs::LibISLError>, value: bool| {
            self.settle(set(&self.0, value as i32))
        };
        flag(Options::set_schedule_serialize_sccs, problem.fusion == Fusion::Separate)?;
        flag(Options::set_schedule_maximize_band_depth, problem.fusion != Fusion::Separate)?;
        flag(Options::set_schedule_whole_component, problem.fusion == Fusion::Whole)?;
        flag(Options::set_schedule_separate_components, problem.fusion != Fusion::Whole)?;

        let Some(Some(root)) = self.within(problem.effort, || self.root(problem))? else { return Ok(None) };
        match self.tree(root, problem.statements) {
            Err(error) if error.is::<Unusable>() => Ok(None),
            tree => tree.map(Some),
        }
    }

    /// `None` where the scheduler's heuristic ends in a corner; the program has other schedules.
    fn root(&self, problem: &Problem) -> Result<Option<ScheduleNode>> {
        let mut domain = self.settle(isl_rs::UnionSet::empty_ctx(&self.0))?;
        for (_, set) in problem.statements {
            domain = self.settle(domain.add_set(set.take()?))?;
        }
        let union = |maps: &[Map]| -> Result<isl_rs::UnionMap> {
            let mut union = self.settle(isl_rs::UnionMap::empty_ctx(&self.0))?;
            for map in maps {
                union = self.settle(union.add_map(map.take()?))?;
            }
            Ok(union)
        };
        let constraints = self.settle(isl_rs::ScheduleConstraints::on_domain(domain))?;
        let constraints = self.settle(constraints.set_context(problem.context.take()?))?;
        let constraints = self.settle(constraints.set_validity(union(problem.validity)?))?;
        let coincidence = if problem.parallel { problem.validity } else { &[] };
        let constraints = self.settle(constraints.set_coincidence(union(coincidence)?))?;
        let constraints = self.settle(constraints.set_proximity(union(problem.proximity)?))?;
        let schedule = match self.settle(constraints.compute_schedule()) {
            // Neither memory, nor misuse, nor a limit: what isl itself has no class for.
            Err(error) if error.downcast_ref::<Failure>().is_some_and(|failure| failure.kind == Error::Unknown) => {
                return Ok(None);
            }
            schedule => schedule?,
        };
        self.settle(schedule.get_root()).map(Some)
    }

    fn tree(&self, node: ScheduleNode, statements: &[(Tuple, Set)]) -> Result<Tree> {
        let only_child = |node: ScheduleNode| self.tree(self.settle(node.first_child())?, statements);
        Ok(match self.settle(node.get_type())? {
            ScheduleNodeType::Leaf => Tree::Leaf,
            ScheduleNodeType::Domain | ScheduleNodeType::Context | ScheduleNodeType::Filter => only_child(node)?,
            ScheduleNodeType::Band => Tree::Band {
                permutable: self.settle(node.band_get_permutable())?,
                members: self.members(&node, statements)?,
                child: Box::new(only_child(node)?),
            },
            kind @ (ScheduleNodeType::Sequence | ScheduleNodeType::Set) => {
                let mut children = vec![];
                for position in 0..self.settle(node.n_children())? {
                    let child = self.settle(node.get_child(position))?;
                    children.push((self.filtered(&child)?, self.tree(child, statements)?));
                }
                if kind == ScheduleNodeType::Set {
                    // Any order will do: that of the statements is the same on every run.
                    children.sort_by_key(|(names, _)| {
                        statements.iter().position(|(tuple, _)| names.iter().any(|name| name == tuple.name))
                    });
                }
                Tree::Sequence(children)
            }
            other => bail!(Unusable(format!("a node {other:?}"))),
        })
    }

    /// The statements that a filter node lets through.
    fn filtered(&self, node: &ScheduleNode) -> Result<Vec<String>> {
        let sets = self.settle(self.settle(node.filter_get_filter())?.get_set_list())?;
        (0..self.settle(sets.size())?)
            .map(|position| {
                let set = self.settle(sets.get_at(position))?;
                Ok(self.settle(set.get_tuple_name())?.to_string())
            })
            .collect()
    }

    fn members(&self, node: &ScheduleNode, statements: &[(Tuple, Set)]) -> Result<BTreeMap<String, Vec<Affine>>> {
        let mut members: BTreeMap<String, Vec<Affine>> = BTreeMap::new();
        let partial = self.settle(node.band_get_partial_schedule())?;
        for position in 0..self.settle(node.band_n_member())? {
            let rows = self.settle(self.settle(partial.get_at(position))?.get_pw_aff_list())?;
            for index in 0..self.settle(rows.size())? {
                let row = self.settle(rows.get_at(index))?;
                let id = self.settle(row.get_tuple_id(DimType::In))?;
                let name = self.settle(id.get_name())?;
                let Some((tuple, _)) = statements.iter().find(|(tuple, _)| tuple.name == name) else {
                    bail!("isl: a schedule of an unknown statement {name}");
                };
                if !self.settle(row.isa_aff())? {
                    bail!(Unusable("pieces".to_string()));
                }
                let row = self.affine(&self.settle(row.as_aff())?, tuple.dimensions)?;
                members.entry(name.to_string()).or_default().push(row);
            }
        }
        Ok(members)
    }

    /// An affine function with integer coefficients, over the names of its dimensions and parameters.
    fn affine(&self, function: &isl_rs::Aff, dimensions: &[String]) -> Result<Affine> {
        let integer = |value: isl_rs::Val| -> Result<i64> {
            match self.integer(&value)? {
                Bounded::Finite(value) => Ok(value),
                _ => Err(Unusable("fractions".to_string()).into()),
            }
        };
        let mut affine = Affine::constant(integer(self.settle(function.get_constant_val())?)?);
        for (position, name) in dimensions.iter().enumerate() {
            affine.add_term(name, integer(self.settle(function.get_coefficient_val(DimType::In, position as i32))?)?);
        }
        for position in 0..self.settle(function.dim(DimType::Param))? {
            let coefficient = integer(self.settle(function.get_coefficient_val(DimType::Param, position))?)?;
            affine.add_term(self.settle(function.get_dim_name(DimType::Param, position as u32))?, coefficient);
        }
        for position in 0..self.settle(function.dim(DimType::Div))? {
            if integer(self.settle(function.get_coefficient_val(DimType::Div, position))?)? != 0 {
                bail!(Unusable("floors".to_string()));
            }
        }
        Ok(affine)
    }
}

impl Map {
    /// The map as affine functions of its domain's dimensions, which have the names given, and of the parameters;
    /// `None` where some output is no such function all over the domain.
    pub fn affine_outputs(&self, dimensions: &[String]) -> Result<Option<Vec<Affine>>> {
        let context = self.context();
        // Equal functions on several pieces are one function on their hull.
        let hull = context.settle(self.take()?.affine_hull())?;
        let hull = Map::own(context, isl_rs::Map::from_basic_map(hull))?;
        if hull.is_empty()? || !hull.is_single_valued()? {
            return Ok(None);
        }
        // Without the domain's strides, which isl would put into the outputs: 2 floor(i / 2) for an even i.
        let bare = hull.gist_domain(&hull.domain()?)?;
        let functions = context.settle(isl_rs::PwMultiAff::from_map(bare.take()?))?;
        let mut outputs = vec![];
        for position in 0..context.settle(functions.dim(DimType::Out))? {
            let function = context.settle(functions.get_at(position))?;
            if !context.settle(function.isa_aff())? {
                return Ok(None);
            }
            match context.affine(&context.settle(function.as_aff())?, dimensions) {
                Ok(affine) => outputs.push(affine),
                Err(error) if error.is::<Unusable>() => return Ok(None),
                Err(error) => return Err(error),
            }
        }
        Ok(Some(outputs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_string).collect()
    }

    fn schedule(fusion: Fusion, effort: u64) -> Result<Option<Tree>> {
        let isl = Context::new()?;
        let iterators = names("i j");
        let domain = isl.parse_set("[N] -> { S0[i, j] : 0 <= i < N and 0 <= j < N }")?;
        let relation = isl.parse_map("[N] -> { S0[i, j] -> S0[i + 1, j - 1] : 0 <= i < N - 1 and 0 < j < N }")?;
        isl.schedule(&Problem {
            statements: &[(Tuple { name: "S0", dimensions: &iterators }, domain)],
            context: &isl.parse_set("[N] -> { : N >= 0 }")?,
            validity: std::slice::from_ref(&relation),
            proximity: std::slice::from_ref(&relation),
            parallel: true,
            fusion,
            effort,
        })
    }

    #[test]
    fn skews_where_a_dependence_needs_it() {
        for fusion in [Fusion::Separate, Fusion::Moderate, Fusion::Whole] {
            let Some(Tree::Band { permutable, members, child }) = schedule(fusion, 100_000).unwrap() else {
                panic!("no band");
            };
            let (i, j) = (Affine::variable("i"), Affine::variable("j"));
            assert!(permutable && *child == Tree::Leaf);
            assert_eq!(members["S0"].len(), 2);
            assert!(members["S0"].contains(&(i + j)), "{members:?}");
        }
    }

    #[test]
    fn gives_up_and_can_go_on() {
        assert!(schedule(Fusion::Moderate, 10).unwrap().is_none());
        assert!(schedule(Fusion::Moderate, 100_000).unwrap().is_some());
    }

    #[test]
    fn functions_are_affine_or_none() {
        let isl = Context::new().unwrap();
        let outputs = |text: &str| {
            let outputs = isl.parse_map(text).unwrap().affine_outputs(&names("i j")).unwrap();
            outputs.map(|o| o.iter().map(|a| a.to_string()).collect::<Vec<_>>().join(", "))
        };
        let some = |text: &str| Some(text.to_string());
        assert_eq!(outputs("[N] -> { S[i, j] -> [2i - j + N, 3] : 0 <= i, j < N }"), some("N + 2*i - j, 3"));
        assert_eq!(
            outputs("{ S[i, j] -> [i + j] : i < 3; S[i, j] -> [i + j] : i > 7 and j mod 3 = 0 }"),
            some("i + j")
        );
        assert_eq!(outputs("{ S[i, j] -> [i] : 0 <= i < 100 and i mod 2 = 0 and 0 <= j <= i }"), some("i"));
        assert_eq!(outputs("{ S[i, j] -> [floor(i / 2)] : 0 <= i, j < 10 }"), None);
        assert_eq!(outputs("{ S[i, j] -> [o] : 0 <= i, j < 10 and 0 <= o <= i }"), None);
        assert_eq!(outputs("{ S[i, j] -> [0] : i < j; S[i, j] -> [1] : i >= j }"), None);
    }
}
