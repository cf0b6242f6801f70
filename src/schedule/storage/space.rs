//! The common iteration space of all statements (DTSE section 4.3.1), whose dimensions an order permutes.

use anyhow::Result;
use serde::Serialize;

use crate::affine::Affine;
use crate::ids::{ByStatement, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::{Map, Set, Tuple};

/// How the loops of the source make one space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// Loops with one iterator are one dimension, over all nests.
    Fused,
    /// The same, but the nests run one after the other.
    Nests,
    /// The source's order, which alone is legal.
    AsWritten,
}

/// A place for every instance of every statement.
pub struct Space {
    pub form: Form,
    /// Names of the dimensions, as the source has them from outside in; those without a loop have none.
    pub dimensions: Vec<Option<String>>,
    /// Per statement a value per dimension, affine in its iterators.
    pub places: ByStatement<Vec<Affine>>,
}

impl Space {
    /// The space of this form, over the instances of every statement.
    ///
    /// # Errors
    /// isl's.
    pub fn new(program: &Program, instances: &[Set], form: Form) -> Result<Self> {
        let loops = loops(program);
        let value = |s: StatementId, name: &String| -> Result<Affine> {
            match program.statements[s].iterators.contains(name) {
                true => Ok(Affine::variable(name)),
                false => beside(program, instances, s, name),
            }
        };
        let fused = |s: StatementId| loops.iter().map(|name| value(s, name)).collect::<Result<Vec<_>>>();
        let named = loops.iter().cloned().map(Some);
        let statements = program.statements.keys();
        let (dimensions, places): (Vec<Option<String>>, ByStatement<Vec<Affine>>) = match form {
            Form::Fused => (named.collect(), statements.map(fused).collect::<Result<_>>()?),
            Form::Nests => {
                let nest = |s: StatementId| {
                    let number = program.statements[s].order.first().filter(|first| first.is_constant());
                    number.cloned().unwrap_or_default()
                };
                let places = statements.map(|s| Ok([vec![nest(s)], fused(s)?].concat())).collect::<Result<_>>()?;
                ([None].into_iter().chain(named).collect(), places)
            }
            Form::AsWritten => {
                let places: ByStatement<Vec<Affine>> =
                    program.statements.iter().map(|statement| statement.order.clone()).collect();
                // Dimensions are called as the deepest nest calls them.
                let mut deepest: Vec<StatementId> = program.statements.keys().collect();
                deepest.sort_by_key(|s| std::cmp::Reverse(program.statements[*s].iterators.len()));
                let names = |d: usize| {
                    let mut of = deepest.iter().filter_map(|s| places[*s].get(d)?.terms.keys().next());
                    of.find(|name| loops.contains(name)).cloned()
                };
                let n = places.iter().map(Vec::len).max().unwrap_or(0);
                ((0..n).map(names).collect(), places)
            }
        };
        Ok(Space { form, dimensions, places })
    }

    /// How many outermost dimensions stay where they are, whatever the order.
    pub fn fixed(&self) -> usize {
        match self.form {
            Form::Fused => 0,
            Form::Nests => 1,
            Form::AsWritten => self.dimensions.len(),
        }
    }

    /// The position of the loop called `name`.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.dimensions.iter().position(|dimension| dimension.as_deref() == Some(name))
    }

    /// Dimensions as text; what stands for nests has a name of its own.
    pub fn name(&self, dimension: usize) -> String {
        self.dimensions[dimension].clone().unwrap_or_else(|| "nest".to_string())
    }

    /// `{ S0[i, j] -> [places] }`
    ///
    /// # Errors
    /// isl's.
    pub fn map(&self, program: &Program, statement: StatementId) -> Result<Map> {
        let own = &program.statements[statement];
        let tuple = Tuple { name: &own.name, dimensions: &own.iterators };
        program.isl.function(&[], tuple, Tuple::anonymous(), &self.places[statement])
    }
}

/// The iterators of all statements, such that every nest's come from outside in where that can be.
fn loops(program: &Program) -> Vec<String> {
    let mut left: Vec<&String> = vec![];
    for name in program.statements.iter().flat_map(|statement| &statement.iterators) {
        if !left.contains(&name) {
            left.push(name);
        }
    }
    let mut found: Vec<String> = vec![];
    while !left.is_empty() {
        let is_first = |name: &String| {
            let outside = |statement: &crate::polyhedral::Statement| {
                let around = statement.iterators.iter().take_while(|own| *own != name).any(|own| !found.contains(own));
                !statement.iterators.contains(name) || !around
            };
            program.statements.iter().all(outside)
        };
        let first = left.iter().position(|name| is_first(name)).unwrap_or(0);
        found.push(left.remove(first).clone());
    }
    found
}

/// Where a statement without the loop `name` stands along it: one before its first value where the loop's statements come
/// later in the text, one behind its last value otherwise.
fn beside(program: &Program, instances: &[Set], statement: StatementId, name: &str) -> Result<Affine> {
    let (mut low, mut high, mut later) = (i64::MAX, i64::MIN, true);
    for (s, other) in program.statements.iter_enumerated() {
        let Some(position) = other.iterators.iter().position(|own| own == name) else { continue };
        let set = &instances[s.0];
        if let (Some(least), Some(most)) = (set.minimum(position)?.finite(), set.maximum(position)?.finite()) {
            (low, high) = (low.min(least), high.max(most));
            later &= s > statement;
        }
    }
    Ok(Affine::constant(match (low <= high, later) {
        (false, _) => 0,
        (true, true) => low - 1,
        (true, false) => high + 1,
    }))
}
