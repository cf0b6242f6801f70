//! From a schedule tree to bands.

use std::collections::BTreeMap;

use anyhow::{Result, anyhow};

use super::BandPlan;
use super::legality::Pairs;
use super::skew::skew;
use crate::affine::Affine;
use crate::ids::{ByBand, StatementId};
use crate::polyhedral::Program;
use crate::polyhedral::isl::Tuple;
use crate::polyhedral::isl::schedule::Tree;

/// One dimension of θ, by statement. A statement that a tree gives no value runs between the others' instances.
pub type Row = BTreeMap<StatementId, Affine>;

/// How many band nodes lie above each other on the longest way down.
pub fn depth(tree: &Tree) -> usize {
    match tree {
        Tree::Leaf => 0,
        Tree::Band { child, .. } => 1 + depth(child),
        Tree::Sequence(children) => children.iter().map(|(_, child)| depth(child)).max().unwrap_or(0),
    }
}

/// Whether parts of it run one after the other.
pub fn has_sequence(tree: &Tree) -> bool {
    match tree {
        Tree::Leaf => false,
        Tree::Band { child, .. } => has_sequence(child),
        Tree::Sequence(_) => true,
    }
}

/// How a tree is cut.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Loops in which dependences go backwards are skewed and shifted.
    pub skewed: bool,
    /// The children of a sequence become one band where they can share a dimension, instead of one band each.
    pub fused: bool,
}

/// Cuts the tree into bands: the outermost `serial` band nodes on every way down, but not the last, run one value after
/// the other; the next one and all below it are tiled together as far as the dependences allow, in one of these styles.
///
/// # Errors
/// Only isl's.
pub fn bands(program: &Program, tree: &Tree, serial: usize, style: Style) -> Result<ByBand<BandPlan>> {
    let statements: Vec<StatementId> = program.statements.keys().collect();
    let mut plans = ByBand::new();
    Cut { program, style, plans: &mut plans }.cut(tree, &statements, &[], serial)?;
    drop_constants(&mut plans);
    Ok(plans)
}

struct Cut<'a> {
    program: &'a Program,
    style: Style,
    plans: &'a mut ByBand<BandPlan>,
}

impl Cut<'_> {
    fn cut(&mut self, tree: &Tree, statements: &[StatementId], prefix: &[Row], serial: usize) -> Result<()> {
        match tree {
            Tree::Leaf => self.plans.push(plan(statements, prefix, &[])),
            Tree::Sequence(children) => {
                let tiled = match self.style.fused && serial == 0 {
                    true => self.tileable(flatten(self.program, tree)?, statements, prefix)?,
                    false => vec![],
                };
                if !tiled.is_empty() {
                    self.plans.push(plan(statements, prefix, &tiled));
                    return Ok(());
                }
                for (position, (names, child)) in children.iter().enumerate() {
                    let statements = numbers(self.program, names, statements)?;
                    let mut prefix = prefix.to_vec();
                    prefix.push(statements.iter().map(|s| (*s, Affine::constant(position as i64))).collect());
                    self.cut(child, &statements, &prefix, serial)?;
                }
            }
            Tree::Band { child, .. } => {
                let tiled = match serial == 0 || depth(child) == 0 {
                    true => self.tileable(flatten(self.program, tree)?, statements, prefix)?,
                    false => vec![],
                };
                if !tiled.is_empty() {
                    self.plans.push(plan(statements, prefix, &tiled));
                    return Ok(());
                }
                let mut prefix = prefix.to_vec();
                prefix.extend(members(self.program, tree));
                self.cut(child, statements, &prefix, serial.saturating_sub(1))?;
            }
        }
        Ok(())
    }

    /// The dimensions in which no pair of instances goes backwards, as far as the prefix has not put them in order. Any
    /// set of them is permutable.
    fn tileable(&self, rows: Vec<Row>, statements: &[StatementId], prefix: &[Row]) -> Result<Vec<Row>> {
        let program = self.program;
        let mut left = vec![];
        for dependence in &program.dependences {
            if !statements.contains(&dependence.source) || !statements.contains(&dependence.sink) {
                continue;
            }
            let mut pairs = Pairs::new(program, dependence);
            for row in prefix {
                let value = |statement| row.get(&statement).cloned().unwrap_or_default();
                pairs.keep_equal(&value(pairs.source), &value(pairs.sink))?;
            }
            if !pairs.is_empty()? {
                left.push(pairs);
            }
        }
        let mut tileable: Vec<Row> = vec![];
        for row in rows {
            let row = complete(program, row, statements, &left)?;
            let forward = match is_forward(&row, &left)? {
                true => Some(row),
                false if self.style.skewed => skew(&row, &tileable, &left)?,
                false => None,
            };
            tileable.extend(forward.filter(|row| !tileable.contains(row)));
        }
        Ok(tileable)
    }
}

fn plan(statements: &[StatementId], prefix: &[Row], tiled: &[Row]) -> BandPlan {
    let row = |row: &Row, statement: &StatementId| row.get(statement).cloned().unwrap_or_default();
    // A statement outside of all loops has a tile of its own, too.
    let nothing = [Row::new()];
    let prefix = if prefix.is_empty() && tiled.is_empty() { &nothing } else { prefix };
    let theta = |s: &StatementId| prefix.iter().chain(tiled).map(|r| row(r, s)).collect();
    BandPlan {
        statements: statements.to_vec(),
        theta: statements.iter().map(theta).collect(),
        tileable: prefix.iter().map(|_| false).chain(tiled.iter().map(|_| true)).collect(),
    }
}

fn numbers(program: &Program, names: &[String], among: &[StatementId]) -> Result<Vec<StatementId>> {
    let found: Vec<StatementId> =
        among.iter().copied().filter(|s| names.contains(&program.statements[*s].name)).collect();
    match found.len() == names.len() {
        true => Ok(found),
        false => Err(anyhow!("internal error: a schedule of unknown statements")),
    }
}

/// The members of a band node.
fn members(program: &Program, tree: &Tree) -> Vec<Row> {
    let Tree::Band { members, .. } = tree else {
        return vec![];
    };
    let count = members.values().map(Vec::len).max().unwrap_or(0);
    let mut rows = vec![Row::new(); count];
    for (number, statement) in program.statements.iter_enumerated() {
        for (row, value) in rows.iter_mut().zip(members.get(&statement.name).into_iter().flatten()) {
            row.insert(number, value.clone());
        }
    }
    rows
}

/// All loops of the tree as dimensions, those of a sequence's children side by side.
fn flatten(program: &Program, tree: &Tree) -> Result<Vec<Row>> {
    Ok(match tree {
        Tree::Leaf => vec![],
        Tree::Band { child, .. } => {
            let mut rows = members(program, tree);
            rows.extend(flatten(program, child)?);
            rows
        }
        Tree::Sequence(children) => {
            let mut rows: Vec<Row> = vec![];
            for (_, child) in children {
                for (position, row) in flatten(program, child)?.into_iter().enumerate() {
                    if position == rows.len() {
                        rows.push(Row::new());
                    }
                    rows[position].extend(row);
                }
            }
            rows
        }
    })
}

/// No pair between statements that have a value goes backwards.
pub fn is_forward(row: &Row, pairs: &[Pairs]) -> Result<bool> {
    for pairs in pairs {
        if let (Some(source), Some(sink)) = (row.get(&pairs.source), row.get(&pairs.sink))
            && pairs.go_backwards(source, sink)?
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Gives the statements without a value one that keeps the row legal, where there is such a one: the end of the loop
/// around the instances that depend on them, or on which they depend. In `{ x[i] = 0; for (j…) x[i] += …; }` the first
/// statement gets the lower bound of j.
fn complete(program: &Program, mut row: Row, statements: &[StatementId], pairs: &[Pairs]) -> Result<Row> {
    for &statement in statements {
        if row.contains_key(&statement) {
            continue;
        }
        let mut values = vec![];
        for pairs in pairs {
            let (relation, other, is_source) = match (pairs.source == statement, pairs.sink == statement) {
                (true, false) => (pairs.relation().clone(), pairs.sink, true),
                (false, true) => (pairs.relation().reverse()?, pairs.source, false),
                _ => continue,
            };
            let Some(value) = row.get(&other) else {
                continue;
            };
            let tuple =
                Tuple { name: &program.statements[other].name, dimensions: &program.statements[other].iterators };
            let function =
                program.isl.function(&program.parameters, tuple, Tuple::anonymous(), std::slice::from_ref(value))?;
            let reached = relation.apply_range(&function)?;
            let end = if is_source { reached.lexmin()? } else { reached.lexmax()? };
            values.extend(end.affine_outputs(&program.statements[statement].iterators)?.into_iter().flatten());
        }
        values.push(Affine::default());
        for value in values {
            row.insert(statement, value);
            if is_forward(&row, pairs)? {
                break;
            }
        }
    }
    Ok(row)
}

/// Drops sequential dimensions in which all bands have one constant, and tileable ones that are constant in their band.
fn drop_constants(plans: &mut ByBand<BandPlan>) {
    let longest = plans.iter().map(|p| p.tileable.len()).max().unwrap_or(0);
    for position in (0..longest).rev() {
        let everywhere = plans.iter().all(|p| p.serial() > position)
            && is_constant(plans.iter().flat_map(|p| &p.theta).map(|theta| &theta[position]));
        for plan in plans.iter_mut() {
            let is_idle = plan.tileable.get(position) == Some(&true)
                && is_constant(plan.theta.iter().map(|theta| &theta[position]));
            if (everywhere || is_idle) && plan.tileable.len() > 1 {
                plan.tileable.remove(position);
                for theta in &mut plan.theta {
                    theta.remove(position);
                }
            }
        }
    }
}

/// Whether all rows are one constant.
fn is_constant<'a>(mut rows: impl Iterator<Item = &'a Affine>) -> bool {
    rows.next().is_some_and(|first| first.is_constant() && rows.all(|row| row == first))
}
