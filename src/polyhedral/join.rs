//! Statements that can run in one cycle become one of several writes: the two products of `bicg`, real and imaginary
//! parts, copies from scalar to scalar. Both have the same iterations, up to the order of the loops, and the second comes
//! to the place of the first: then every dependence must still lead forwards. Inside an instance all reads come before all
//! writes, so that a value which the second takes from the first is a wire: the first's expression in its place.

use std::collections::BTreeSet;

use anyhow::Result;

use super::expand::rewrite_statements;
use super::extract::{Place, places};
use super::isl::{Map, Tuple};
use super::{DependenceKind, Program};
use crate::affine::Affine;
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::operators::is_serial;
use crate::source::kernel::{Access, Condition, Expr, Kernel, Node, Statement, Write, distance};

/// Loops up to which other orders of them are tried.
const PERMUTED: usize = 3;

/// Operands and operators of all values of a statement.
const MOST_NODES: usize = 1000;

/// isl's operations for all of it.
const OPERATIONS: u64 = 500_000;

/// `kernel`, of which `program` is the model, with statements joined as far as that takes no further copy of a buffer;
/// `None` where there are none to join.
pub fn join_statements(kernel: &Kernel, program: &Program) -> Result<Option<Kernel>> {
    let places = places(kernel);
    let mut joiner = Joiner {
        kernel,
        program,
        places: &places,
        dates: program.statements.iter().map(|s| s.schedule.clone()).collect(),
        groups: vec![],
    };
    // What was found before the limit is as good.
    let _ = program.isl.within(OPERATIONS, || joiner.join())?;
    Ok(joiner.groups.iter().any(|group| group.members.len() > 1).then(|| joiner.joined()))
}

struct Joiner<'a> {
    kernel: &'a Kernel,
    program: &'a Program,
    places: &'a ByStatement<Place<'a>>,
    /// When the instances of every statement run: `{ S0[i, j] -> [i, j, 0] }`.
    dates: ByStatement<Map>,
    groups: Vec<Group>,
}

/// Statements in one: the first has the place and the iterators.
struct Group {
    members: Vec<StatementId>,
    /// Parallel to them, over the first's iterators and what was there before the instance.
    writes: Vec<Write>,
}

/// What lies between two statements in one instance.
#[derive(Default)]
struct Within {
    /// The second reads what the first has written.
    flow: bool,
    /// The second writes what the first has read.
    anti: bool,
}

impl Joiner<'_> {
    fn join(&mut self) -> Result<()> {
        for s in self.places.keys() {
            let mut found = None;
            for group in 0..self.groups.len() {
                if let Some(write) = self.attempt(group, s)? {
                    found = Some((group, write));
                    break;
                }
            }
            match found {
                Some((group, (write, date))) => {
                    self.dates[s] = date;
                    self.groups[group].members.push(s);
                    self.groups[group].writes.push(write);
                }
                None => {
                    let plain: Vec<usize> = (0..self.places[s].loops.len()).collect();
                    let write = self.write(s, &plain);
                    self.groups.push(Group { members: vec![s], writes: vec![write] });
                }
            }
        }
        Ok(())
    }

    /// What a statement writes, by itself.
    fn write(&self, s: StatementId, places: &[usize]) -> Write {
        let statement = self.places[s].statement;
        Write {
            target: statement.target.clone(),
            value: statement.value.clone(),
            statement: statement.name.clone(),
            iterators: self.places[s].loops.iter().map(|l| l.iterator.clone()).collect(),
            places: places.to_vec(),
        }
    }

    /// The write and the dates of a statement as a member of a group, if it can be one.
    fn attempt(&self, group: usize, s: StatementId) -> Result<Option<(Write, Map)>> {
        let group = &self.groups[group];
        let (first, statement) = (group.members[0], self.places[s].statement);
        let (own, others) = (&self.places[s].loops, &self.places[first].loops);
        let is_new = group.writes.iter().all(|write| write.target.array != statement.target.array);
        if own.is_empty() || own.len() != others.len() || !is_new {
            return Ok(None);
        }
        let members = group.members.iter().map(|&m| &self.places[m].statement.value);
        if members.chain([&statement.value]).any(|value| is_serial(value) || matches!(value, Expr::Scatter { .. })) {
            return Ok(None);
        }
        // What is gathered is read in the middle of the pipeline: no wire has it, and a write in the same instance would come too early.
        let all = || group.members.iter().chain([&s]).map(|&m| self.places[m].statement);
        if all().flat_map(|member| member.gathers()).any(|gather| all().any(|other| other.writes_to(gather.array))) {
            return Ok(None);
        }
        // Far apart, there must be a word that both use.
        let is_beside = own.iter().zip(others).all(|(a, b)| std::ptr::eq(*a, *b));
        let used: BTreeSet<ArrayId> = statement.accesses().map(|access| access.array).collect();
        let full = |access: &Access| access.subscripts.len() >= own.len() && used.contains(&access.array);
        if !is_beside && !group.members.iter().any(|&m| self.places[m].statement.accesses().any(full)) {
            return Ok(None);
        }
        for permutation in permutations(own.len()) {
            let is_plain =
                permutation.iter().enumerate().all(|(k, p)| k == *p && own[k].iterator == others[k].iterator);
            if !is_plain && self.uses_quotients(s) {
                continue;
            }
            if let Some(found) = self.attempt_along(group, s, &permutation)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The same where iterator `k` of the statement is iterator `permutation[k]` of the first.
    fn attempt_along(&self, group: &Group, s: StatementId, permutation: &[usize]) -> Result<Option<(Write, Map)>> {
        let (program, first) = (self.program, group.members[0]);
        let (own, leader) = (&program.statements[s], &program.statements[first]);
        let values: Vec<Affine> = (0..permutation.len())
            .map(|l| {
                permutation
                    .iter()
                    .position(|p| *p == l)
                    .map_or(Affine::default(), |k| Affine::variable(&own.iterators[k]))
            })
            .collect();
        let tuple = |s: StatementId| {
            let statement = &program.statements[s];
            Tuple { name: &statement.name, dimensions: &statement.iterators }
        };
        let to_leader = program.isl.function(&program.parameters, tuple(s), tuple(first), &values)?;
        if !own.domain.apply(&to_leader)?.is_equal(&leader.domain)? {
            return Ok(None);
        }
        let renamed = |name: &str| match own.iterators.iter().position(|iterator| iterator == name) {
            Some(k) => Affine::variable(&leader.iterators[permutation[k]]),
            None => Affine::variable(name),
        };
        let mut write = self.write(s, permutation);
        write.target.substitute(&renamed);
        write.value.substitute_indices(&renamed);
        let mut dates = self.dates.clone();
        dates[s] = to_leader.apply_range(&self.dates[first])?.intersect_domain(&own.domain)?;
        let Some(between) = self.between(group, s, &dates)? else { return Ok(None) };
        let mut wires: Vec<&Write> = vec![];
        for (known, [before, after]) in group.writes.iter().zip(&between) {
            // The source has the members in their order, or they have nothing to do with one another.
            if after.flow || (before.flow && after.anti) {
                return Ok(None);
            }
            if before.flow {
                let target = &known.target;
                let apart = |access: &Access| {
                    let distance = distance(&access.subscripts, &target.subscripts);
                    access.subscripts == target.subscripts || distance.is_some_and(|d| d.iter().any(|d| *d != 0))
                };
                if !write.value.reads().into_iter().filter(|a| a.array == target.array).all(apart) {
                    return Ok(None);
                }
                wires.push(known);
            }
        }
        if !wire(&mut write.value, &wires) {
            return Ok(None);
        }
        let all = || group.writes.iter().chain([&write]);
        let fits =
            all().map(|write| nodes(&write.value)).sum::<usize>() <= MOST_NODES && self.has_ports(group, s, &write);
        Ok(fits.then(|| (write, dates.swap_remove(s))))
    }

    /// What lies between every member of the group and statement `s`, and between `s` and the member, in one instance;
    /// `None` where some dependence would lead back.
    fn between(&self, group: &Group, s: StatementId, dates: &ByStatement<Map>) -> Result<Option<Vec<[Within; 2]>>> {
        let mut between: Vec<[Within; 2]> = group.members.iter().map(|_| Default::default()).collect();
        for dependence in self.program.dependences.iter().filter(|d| d.source == s || d.sink == s) {
            let (source, sink) = (&dates[dependence.source], &dates[dependence.sink]);
            let rest = dependence.relation.subtract(&source.lex_lt_map(sink)?)?;
            if rest.is_empty()? {
                continue;
            }
            let other = if dependence.source == s { dependence.sink } else { dependence.source };
            let Some(member) = group.members.iter().position(|m| *m == other) else { return Ok(None) };
            if !rest.is_subset(&source.apply_range(&sink.reverse()?)?)? {
                return Ok(None);
            }
            let within = &mut between[member][usize::from(dependence.source == s)];
            match dependence.kind {
                DependenceKind::Flow => within.flow = true,
                DependenceKind::Anti => within.anti = true,
                DependenceKind::Output => return Ok(None),
            }
        }
        Ok(Some(between))
    }

    /// Whether the buffers serve the joined statement's reads as they do those of its parts.
    fn has_ports(&self, group: &Group, s: StatementId, write: &Write) -> bool {
        let all: Vec<&Write> = group.writes.iter().chain([write]).collect();
        let members: Vec<_> = group.members.iter().chain([&s]).map(|&m| self.places[m].statement).collect();
        let reads = |array: ArrayId| {
            let accesses = all.iter().flat_map(|write| write.value.reads()).filter(|access| access.array == array);
            let mut distinct: Vec<&Vec<Affine>> = accesses.map(|access| &access.subscripts).collect();
            distinct.sort();
            distinct.dedup();
            distinct.len()
        };
        let arrays: BTreeSet<ArrayId> = all.iter().flat_map(|write| write.value.reads()).map(|a| a.array).collect();
        arrays.into_iter().all(|array| {
            let is_written = all.iter().any(|write| write.target.array == array);
            // What is written slides through no window.
            let before = members.iter().filter(|member| !is_written || member.writes_to(array));
            let before = before.map(|member| member.references().iter().filter(|r| r.array == array).count());
            reads(array) <= before.max().unwrap_or(0).max(1)
        })
    }

    /// Whether expressions of the statement name a value that is made of its iterators under their own names.
    fn uses_quotients(&self, s: StatementId) -> bool {
        let statement = self.places[s].statement;
        let guards = statement.reads().into_iter().filter_map(|read| read.guard.as_ref()).flat_map(Condition::affines);
        let subscripts = statement.accesses().flat_map(|access| &access.subscripts);
        let mut all = subscripts.chain(statement.value.indices()).chain(guards);
        all.any(|affine| self.kernel.quotients.iter().any(|quotient| affine.coefficient(&quotient.name) != 0))
    }

    fn joined(&self) -> Kernel {
        let mut kernel = self.kernel.clone();
        let mut number = StatementId(0);
        rewrite_statements(&mut kernel.body, &mut |statement| {
            let group = self.groups.iter().find(|group| group.members[0] == number);
            if let Some(Group { members, writes }) = group.filter(|group| group.members.len() > 1) {
                statement.also = writes[1..].to_vec();
                let texts = members.iter().map(|&m| self.places[m].statement.text.as_str());
                statement.text = Statement::text_of_all(texts);
            }
            number.0 += 1;
        });
        let followers = self.groups.iter().flat_map(|group| &group.members[1..]);
        let followers: Vec<&str> = followers.map(|&s| self.places[s].statement.name.as_str()).collect();
        without(&mut kernel.body, &followers);
        kernel
    }
}

/// Takes statements out, and loops that nothing is left of.
fn without(nodes: &mut Vec<Node>, names: &[&str]) {
    nodes.retain_mut(|node| {
        let body = match node {
            Node::Loop(inner) => &mut inner.body,
            Node::If(inner) => &mut inner.body,
            Node::Statement(statement) => return !names.contains(&statement.name.as_str()),
        };
        without(body, names);
        !body.is_empty()
    });
}

/// All orders of `0..n`, the plain one first; that alone beyond [`PERMUTED`].
fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n > PERMUTED {
        return vec![(0..n).collect()];
    }
    (0..n).fold(vec![vec![]], |shorter: Vec<Vec<usize>>, _| {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            (0..n).filter(|k| !order.contains(k)).map(|k| order.iter().copied().chain([k]).collect()).collect()
        };
        shorter.iter().flat_map(longer).collect()
    })
}

fn nodes(expr: &Expr) -> usize {
    1 + expr.operands().into_iter().map(nodes).sum::<usize>()
}

/// Puts the values of writes in place of the reads of their targets, all at once: what is read there is what was there
/// before. Tells whether all of them are of their types.
fn wire(expr: &mut Expr, from: &[&Write]) -> bool {
    if let Expr::Read { access, ty } = expr {
        let is_target = |w: &&&Write| (w.target.array, &w.target.subscripts) == (access.array, &access.subscripts);
        let Some(write) = from.iter().find(is_target) else { return true };
        let is_same = *ty == write.value.ty();
        *expr = write.value.clone();
        return is_same;
    }
    // Every operand is wired, also behind one that is not.
    let wired: Vec<bool> = expr.operands_mut().into_iter().map(|operand| wire(operand, from)).collect();
    wired.into_iter().all(|wired| wired)
}
