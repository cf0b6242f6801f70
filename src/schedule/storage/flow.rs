//! Where values flow: from the instance that writes them to those that read them, at given sizes.

use std::collections::BTreeMap;

use anyhow::Result;

use crate::affine::Affine;
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::flow::last_writes_of;
use crate::polyhedral::isl::{Constraint, Map, Set};

/// The values of one statement that one of a statement's reads sees (value-based flow, after Feautrier 1991).
#[derive(Clone)]
pub struct Flow {
    pub array: ArrayId,
    pub source: StatementId,
    pub sink: StatementId,
    /// `[N] -> { S0[i, j] -> S1[i', j'] }`, or without sizes.
    pub relation: Map,
}

impl Flow {
    /// The same at the sizes of these values.
    ///
    /// # Errors
    /// isl's.
    pub fn at(&self, program: &Program, sizes: &BTreeMap<String, i64>) -> Result<Flow> {
        let relation = self.relation.intersect_params(&fixed(program, sizes)?)?;
        Ok(Flow { relation: relation.wrap()?.project_out_all_params()?.unwrap()?.coalesce()?, ..self.clone() })
    }
}

/// All of them, in the order of the readers, whatever the sizes are.
///
/// # Errors
/// isl's.
pub fn parametric_flows(program: &Program) -> Result<Vec<Flow>> {
    let mut flows = vec![];
    for (sink, reader) in program.statements.iter_enumerated() {
        for access in reader.accesses.iter().filter(|access| !access.write) {
            let reads = access.may.apply_domain(&reader.schedule)?;
            let Some(last) = last_writes_of(program, access.array, &reads)? else { continue };
            let last = last.reverse()?.apply_range(&reader.schedule.reverse()?)?;
            for (source, writer) in program.statements.iter_enumerated() {
                let relation = last.apply_domain(&writer.schedule.reverse()?)?;
                if !relation.is_empty()? {
                    flows.push(Flow { array: access.array, source, sink, relation });
                }
            }
        }
    }
    Ok(flows)
}

/// Those that there are at the sizes of these values.
///
/// # Errors
/// isl's.
pub fn flows(program: &Program, sizes: &BTreeMap<String, i64>) -> Result<Vec<Flow>> {
    let mut found = vec![];
    for flow in parametric_flows(program)? {
        let flow = flow.at(program, sizes)?;
        if !flow.relation.is_empty()? {
            found.push(flow);
        }
    }
    Ok(found)
}

/// The instances of every statement, without sizes.
///
/// # Errors
/// isl's.
pub fn instances(program: &Program, sizes: &BTreeMap<String, i64>) -> Result<Vec<Set>> {
    let fixed = fixed(program, sizes)?;
    let domain = |set: &Set| set.intersect_params(&fixed)?.project_out_all_params();
    program.statements.iter().map(|statement| domain(&statement.domain)).collect()
}

/// `[N] -> { : N = 8 }`
fn fixed(program: &Program, sizes: &BTreeMap<String, i64>) -> Result<Set> {
    let is = |(name, value): (&String, &i64)| Constraint::Zero(Affine::variable(name) - Affine::constant(*value));
    let known = sizes.iter().filter(|(name, _)| program.parameters.contains(name));
    program.isl.parameter_set(&program.parameters, &known.map(is).collect::<Vec<_>>())
}
