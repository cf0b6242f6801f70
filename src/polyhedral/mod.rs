//! `Kernel` to [`Program`]: statements, domains, accesses, schedule and dependences as isl objects. Everything is
//! parametric in the size parameters.

mod computed;
mod copies;
mod dead;
mod domain;
mod expand;

pub mod extract;
mod filled;
pub mod flow;
mod implied;
mod inside;
mod interleaved;
pub mod isl;
mod join;
mod kept;
mod masked;
mod merge;
mod private;
pub mod scan;
mod slant;
mod uses;

pub use copies::settled;
pub use dead::{require_no_lasting_values, runs};
pub use domain::settle_domain;
pub use expand::expand_locals;
pub(crate) use expand::{is_taken, rewrite_reads, rewrite_statements};
pub use extract::{dimension_names, extract};
pub use filled::{Apart, filled};
pub use implied::implied_bounds;
pub use inside::within_arrays;
pub use interleaved::{MOST_APART, interleaved};
pub use join::join_statements;
pub use masked::masked;
pub use merge::writes_merged;
pub use private::privatized;
pub use slant::slanted;
pub use uses::uses_apart;

use std::fmt;

use anyhow::Result;

use crate::affine::Affine;
use crate::diagnostic::Span;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::source::kernel::Kernel;
use isl::{Context, Map, Set};

/// A kernel in the polyhedral model.
pub struct Program {
    /// isl's context: everything of one analysis lives in it.
    pub isl: Context,
    /// Names of the size parameters, outermost space of every set.
    pub parameters: Vec<String>,
    /// `[N] -> { : N >= 0 }`: what holds of every run's sizes but for their upper bounds: lower ones, and the kernel's
    /// domain.
    pub sizes: Set,
    /// `[N] -> { : 0 <= N <= 1024 }`: with the upper bounds, as far as the parameters have them.
    pub bounded_sizes: Set,
    /// The dimension of the statements' schedules in which each loop level runs, outermost first.
    pub loop_dimensions: Vec<usize>,
    pub statements: ByStatement<Statement>,
    pub dependences: Vec<Dependence>,
}

impl Program {
    /// The smallest and the largest value of `value`, over sizes and iterators of a statement of `kernel`, at the sizes that the
    /// user runs; `None` where there is none, or no bound.
    ///
    /// # Errors
    /// isl's.
    pub fn usual_range(&self, kernel: &Kernel, statement: StatementId, value: &Affine) -> Result<Option<(i64, i64)>> {
        let usual = |name: &str| {
            let size = kernel.parameters.iter().find(|p| p.name == name)?;
            size.default.or(size.max)
        };
        let Statement { domain, iterators, .. } = &self.statements[statement];
        let value = value.substitute(|name| usual(name).map_or(Affine::variable(name), Affine::constant));
        if value.terms.keys().any(|name| !iterators.contains(name)) {
            return Ok(None);
        }
        let mut domain = domain.clone();
        for parameter in &self.parameters {
            if let Some(size) = usual(parameter) {
                domain = domain.fix_parameter(parameter, size)?;
            }
        }
        let high = domain.largest(iterators, &value)?.finite();
        let low = domain.largest(iterators, &-value.clone())?.finite();
        Ok(low.zip(high).map(|(low, high)| (value.constant - low, value.constant + high)))
    }
}

pub struct Statement {
    /// `S0`
    pub name: String,
    /// Outermost loop first.
    pub iterators: Vec<String>,
    /// `[N] -> { S0[i, j, k] : 0 <= i < N and … }`
    pub domain: Set,
    /// `[N] -> { S0[i, j, k] -> [i, j, k] }`: the order as written. Where there are several statements, textual
    /// positions stand between the iterators.
    pub schedule: Map,
    /// The same as expressions.
    pub order: Vec<Affine>,
    /// Each array reference once; reads of an instance happen before its write.
    pub accesses: Vec<Access>,
    pub span: Span,
}

/// One array reference. `must` is a part of `may`; they are equal where the reference depends on sizes and iterators
/// alone. What comes after a write takes what it may touch for a dependence and for what to store, and what it must
/// touch for a kill: only that surely replaces the value before it (RR-7697 section 4).
pub struct Access {
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    pub write: bool,
    /// As the program writes them, over iterators and sizes; `None` where quotients or data are in them.
    pub subscripts: Option<Vec<Affine>>,
    /// The same with quotients; nothing where data are in them.
    pub written: Vec<Affine>,
    /// `[N] -> { S0[i, j, k] -> a[i, k] }` over the domain: the cells that may be touched, with those that are moved along ([`filled`]).
    pub may: Map,
    /// The same shape: the cells that are touched whatever the data.
    pub must: Map,
}

/// Of which accesses a relation is the union.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Touch {
    /// The reads that may happen.
    Read,
    /// The writes that may happen.
    Write,
    /// The writes that happen whatever the data: kills.
    SureWrite,
}

impl Access {
    /// Whether a dimension tells, by constants, that both never name the same cell.
    pub fn is_apart(&self, other: &Access) -> bool {
        let differ = |dimension| self.constant(dimension).zip(other.constant(dimension)).is_some_and(|(a, b)| a != b);
        self.array != other.array || (0..self.written.len()).any(differ)
    }

    /// The subscript of a dimension, where it is a constant.
    pub fn constant(&self, dimension: usize) -> Option<i64> {
        let written = self.written.get(dimension)?;
        written.is_constant().then_some(written.constant)
    }

    /// The access as part of a union of accesses of one sort; `None` where it is of another.
    pub fn relation(&self, touch: Touch) -> Option<&Map> {
        match (touch, self.write) {
            (Touch::Read, false) | (Touch::Write, true) => Some(&self.may),
            (Touch::SureWrite, true) => Some(&self.must),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependenceKind {
    /// A read after a write.
    Flow,
    /// A write after a read.
    Anti,
    /// A write after a write.
    Output,
}

impl fmt::Display for DependenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DependenceKind::Flow => "flow",
            DependenceKind::Anti => "anti",
            DependenceKind::Output => "output",
        })
    }
}

/// All pairs of instances that touch one cell, one of them writing, in the order of the schedule (memory-based).
pub struct Dependence {
    pub kind: DependenceKind,
    /// Indices into `Program::statements`.
    pub source: StatementId,
    pub sink: StatementId,
    /// Index into `Kernel::arrays`.
    pub array: ArrayId,
    /// `[N] -> { S0[i, j, k] -> S0[i', j', k'] : … }`
    pub relation: Map,
}

impl Statement {
    /// The union of the statement's accesses of one array, `None` where there is none of that sort.
    pub fn accesses_of(&self, array: ArrayId, touch: Touch) -> anyhow::Result<Option<Map>> {
        self.accesses_among(array, touch, |_| true)
    }

    /// The same of those accesses that `is_one` lets through.
    pub fn accesses_among(
        &self,
        array: ArrayId,
        touch: Touch,
        is_one: impl Fn(&Access) -> bool,
    ) -> anyhow::Result<Option<Map>> {
        let mut union: Option<Map> = None;
        let accesses = self.accesses.iter().filter(|access| access.array == array && is_one(access));
        for relation in accesses.filter_map(|access| access.relation(touch)) {
            flow::add(&mut union, relation.clone())?;
        }
        Ok(union)
    }

    /// Whether all writes of the statement to the array happen whatever the data.
    pub fn surely_writes(&self, array: ArrayId) -> anyhow::Result<bool> {
        for access in self.accesses.iter().filter(|a| a.array == array && a.write) {
            if !access.may.is_equal(&access.must)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
