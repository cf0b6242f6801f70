//! Which operators of different statements are one.
//!
//! At most one instance starts per cycle, so two statements whose operators take their operands in the same stage never
//! want them in the same cycle. Where the stages differ, the earlier operator may take its operands later, when the
//! others can. Operators of one statement meet in every cycle and are never one.
//!
//! The stages of a pipeline are the longest paths through it. They are measured by building the statement once as it is
//! and once with each of its operators put off ([`Rehearsal`]); after that, an assignment is tried on the measures alone.

use crate::hardware::datapath::Operator;

/// An operator of a statement, in the order of evaluation.
#[derive(Clone)]
pub struct Use {
    pub operator: Operator,
    pub operands: Vec<Operand>,
    /// Takes its operands in this stage.
    pub stage: u32,
}

#[derive(Clone)]
pub struct Operand {
    pub bits: u32,
    /// Where it is there; `None` for what never changes.
    pub stage: Option<u32>,
    pub constant: Option<i128>,
}

/// A statement's pipeline, built to be measured.
pub struct Rehearsal {
    pub uses: Vec<Use>,
    /// The stage of the result.
    pub end: u32,
    /// Has a serial divider.
    pub divides: bool,
}

/// Where an operator is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The stage in which it takes its operands, or a later one where they come later.
    pub stage: u32,
    /// The number of the cell that it shares with operators of other statements.
    pub cell: Option<usize>,
}

/// The place of every statement's operators; those that have none are alone and take their operands at once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub places: Vec<Vec<Place>>,
}

impl Plan {
    pub fn place(&self, statement: usize, operator: usize) -> Place {
        self.places.get(statement).and_then(|places| places.get(operator)).copied().unwrap_or_default()
    }

    /// The same in lane `lane`, where the statements share as they do in lane 0, and no lane with another.
    pub fn in_lane(&self, statement: usize, operator: usize, lane: usize) -> Place {
        let place = self.place(statement, operator);
        let cells = || self.places.iter().flatten().filter_map(|place| place.cell).max().map_or(0, |last| last + 1);
        Place { cell: place.cell.map(|cell| if lane == 0 { cell } else { lane * cells() + cell }), ..place }
    }

    /// One statement, whose operator number `operator` waits until `stage`.
    fn putting_off(operator: usize, stage: u32) -> Plan {
        let mut places = vec![Place::default(); operator];
        places.push(Place { stage, cell: None });
        Plan { places: vec![places] }
    }

    /// The plan for `statements` pipelines. `rehearse` builds one of them, in a plan for it alone; `may_end` tells whether
    /// the pipelines' results may come in these stages, all later than necessary by no more than the longest of them is.
    pub fn new(
        statements: usize,
        rehearse: impl Fn(usize, Plan) -> Rehearsal,
        mut may_end: impl FnMut(&[u32]) -> bool,
    ) -> Plan {
        let measures: Vec<Measures> = (0..statements).map(|s| Measures::of(|plan| rehearse(s, plan))).collect();
        // Whether it pays to wait, and costs no cycle, may show only when whole chains of operators, and all statements
        // with them, have been put off.
        let mut best: Option<Assignment> = None;
        for (waiting_counts, at_once) in [(true, true), (true, false), (false, true), (false, false)] {
            let mut assignment = Assignment::new(&measures, waiting_counts);
            assignment.fill(&mut |ends| !at_once || may_end(ends));
            let is_legal = at_once || may_end(&assignment.stages.ends);
            if is_legal && best.as_ref().is_none_or(|best| assignment.cost() < best.cost()) {
                best = Some(assignment);
            }
        }
        best.expect("the first one is legal").plan()
    }
}

/// What a statement's pipeline does as its operators are put off.
struct Measures {
    uses: Vec<Use>,
    end: u32,
    divides: bool,
    /// Cycles from the operands of the first operator to those of the second, where one needs the other.
    between: Vec<Vec<Option<u32>>>,
    /// The same to each operand of the second.
    to_operands: Vec<Vec<Vec<Option<u32>>>>,
    /// Cycles from the operands of an operator to the result.
    to_end: Vec<u32>,
}

impl Measures {
    fn of(rehearse: impl Fn(Plan) -> Rehearsal) -> Measures {
        let Rehearsal { uses, end, divides } = rehearse(Plan::default());
        // Whatever comes behind the end comes from the operator that is put off.
        let late = end + 1;
        let since = |stage: u32| stage.checked_sub(late);
        let mut measures =
            Measures { between: vec![], to_operands: vec![], to_end: vec![], uses: uses.clone(), end, divides };
        for operator in 0..uses.len() {
            let other = rehearse(Plan::putting_off(operator, late));
            let operands = |u: &Use| u.operands.iter().map(|o| o.stage.and_then(since)).collect();
            measures.between.push(other.uses.iter().map(|u| since(u.stage)).collect());
            measures.to_operands.push(other.uses.iter().map(operands).collect());
            measures.to_end.push(other.end.saturating_sub(late));
        }
        measures
    }
}

/// Operators of different statements in one cell: statement and operator of each.
type Cell = Vec<(usize, usize)>;

/// An assignment of operators to cells, as far as it has come.
struct Assignment<'a> {
    measures: &'a [Measures],
    /// The latest end that a statement may have.
    latest: Vec<u32>,
    cells: Vec<Cell>,
    stages: Stages,
    /// Whether an operator joins a cell only where that costs less than the registers in which operands wait for it.
    waiting_counts: bool,
    /// Pairs of operators that may still be looked at; what is left then stays alone.
    work: usize,
}

/// The least stages in which operators can take their operands, and the ends of the statements.
struct Stages {
    operators: Vec<Vec<u32>>,
    ends: Vec<u32>,
}

impl<'a> Assignment<'a> {
    /// Every operator alone.
    fn new(measures: &'a [Measures], waiting_counts: bool) -> Self {
        // A division waits beside the others; it does not become longer, and the others not longer for it.
        let longest = measures.iter().filter(|m| !m.divides).map(|m| m.end).max().unwrap_or(0);
        let latest = measures.iter().map(|m| if m.divides { m.end } else { longest }).collect();
        let stages = Stages {
            operators: measures.iter().map(|m| m.uses.iter().map(|u| u.stage).collect()).collect(),
            ends: measures.iter().map(|m| m.end).collect(),
        };
        Assignment { measures, latest, cells: vec![], stages, waiting_counts, work: MOST_WORK }
    }

    fn get(&self, (statement, operator): (usize, usize)) -> &'a Use {
        &self.measures[statement].uses[operator]
    }

    /// The operators' stages where all of a cell take their operands together; `None` where some end would be too late.
    fn stages(&self, cells: &[Cell]) -> Option<Stages> {
        let mut operators: Vec<Vec<u32>> =
            self.measures.iter().map(|m| m.uses.iter().map(|u| u.stage).collect()).collect();
        loop {
            let mut is_settled = true;
            let mut raise = |stage: &mut u32, to: u32| {
                is_settled &= *stage >= to;
                *stage = to.max(*stage);
            };
            for (measures, stages) in self.measures.iter().zip(&mut operators) {
                for (from, between) in measures.between.iter().enumerate() {
                    for (to, cycles) in between.iter().enumerate().filter(|(to, _)| *to != from) {
                        let start = stages[from];
                        cycles.iter().for_each(|cycles| raise(&mut stages[to], start + cycles));
                    }
                }
            }
            for cell in cells {
                let last = cell.iter().map(|&(s, u)| operators[s][u]).max().unwrap_or(0);
                cell.iter().for_each(|&(s, u)| raise(&mut operators[s][u], last));
            }
            let mut ends = vec![];
            for (measures, stages) in self.measures.iter().zip(&operators) {
                let own = stages.iter().zip(&measures.to_end).map(|(stage, cycles)| stage + cycles).max();
                ends.push(own.unwrap_or(0).max(measures.end));
            }
            if ends.iter().zip(&self.latest).any(|(end, latest)| end > latest) {
                return None;
            }
            if is_settled {
                return Some(Stages { operators, ends });
            }
        }
    }

    /// The stage in which operand `index` of an operator is there, and the operator that it comes from without logic in
    /// between; `None` for an operand that never changes.
    fn there(&self, stages: &Stages, (s, u): (usize, usize), index: usize) -> Option<(u32, Option<usize>)> {
        let mut there = (self.get((s, u)).operands[index].stage?, None);
        for from in (0..self.measures[s].uses.len()).filter(|from| *from != u) {
            let Some(cycles) = self.measures[s].to_operands[from][u][index] else { continue };
            let stage = stages.operators[s][from] + cycles;
            if stage >= there.0 {
                let at_once = cycles == self.get((s, from)).operator.latency();
                there = (stage, at_once.then_some(from));
            }
        }
        Some(there)
    }

    /// Bits of registers in which the operands of a cell wait. What comes from one cell waits once, and so does what the
    /// multiplexer has chosen.
    fn waiting(&self, cell_of: &[Vec<Option<usize>>], stages: &Stages, users: &[(usize, usize)]) -> i64 {
        let at = |(s, u): (usize, usize)| stages.operators[s][u];
        let mut bits = 0;
        for (index, operand) in self.get(users[0]).operands.iter().enumerate() {
            let there: Vec<_> = users.iter().filter_map(|&u| Some((u, self.there(stages, u, index)?))).collect();
            let Some(all) = there.iter().map(|(_, (stage, _))| *stage).max() else { continue };
            let mut known = vec![];
            let mut cycles = at(users[0]) - all;
            for ((s, _), (stage, from)) in there {
                let source = from.and_then(|from| cell_of[s][from]);
                if source.is_none() || !known.contains(&source) {
                    cycles += all - stage;
                    known.push(source);
                }
            }
            bits += i64::from(operand.bits) * i64::from(cycles);
        }
        bits
    }

    /// What a cell costs in ALUTs, without the registers in which operands wait.
    fn circuit(&self, users: &[(usize, usize)]) -> i64 {
        let constant = |u: &(usize, usize), index: usize| self.get(*u).operands[index].constant;
        let first = self.get(users[0]);
        let common =
            |index: usize| constant(&users[0], index).filter(|c| users.iter().all(|u| constant(u, index) == Some(*c)));
        let constants: Vec<Option<i128>> = (0..first.operands.len()).map(common).collect();
        let mut cost = first.operator.cost(&constants);
        for (index, _) in constants.iter().enumerate().filter(|(_, c)| c.is_none()) {
            for user in &users[1..] {
                let bits = i64::from(first.operands[index].bits);
                // Among constants, about half of the bits are equal.
                cost += if constant(user, index).is_some() { bits / 2 } else { bits };
            }
        }
        cost
    }

    /// What all operators cost in ALUTs, and the registers in which operands wait.
    fn costs(&self, cells: &[Cell], stages: &Stages) -> (i64, i64) {
        let mut cell_of: Vec<Vec<Option<usize>>> = self.measures.iter().map(|m| vec![None; m.uses.len()]).collect();
        for (number, cell) in cells.iter().enumerate() {
            cell.iter().for_each(|&(s, u)| cell_of[s][u] = Some(number));
        }
        let all = self.measures.iter().enumerate().flat_map(|(s, m)| (0..m.uses.len()).map(move |u| (s, u)));
        let alone: Vec<Cell> = all.filter(|&(s, u)| cell_of[s][u].is_none()).map(|u| vec![u]).collect();
        let all = || cells.iter().chain(&alone);
        let waiting: i64 = all().map(|cell| self.waiting(&cell_of, stages, cell)).sum();
        (all().map(|cell| self.circuit(cell)).sum(), waiting / REGISTERS_PER_ALUT)
    }

    fn cost(&self) -> i64 {
        let (operators, waiting) = self.costs(&self.cells, &self.stages);
        operators + waiting
    }

    /// Goes through the operators, expensive ones first; each joins the cell where that saves most, or has its own.
    fn fill(&mut self, may_end: &mut dyn FnMut(&[u32]) -> bool) {
        let mut operators: Vec<&Operator> = vec![];
        for operator in self.measures.iter().flat_map(|m| &m.uses).map(|u| &u.operator) {
            if !operators.contains(&operator) {
                operators.push(operator);
            }
        }
        operators.sort_by_key(|operator| std::cmp::Reverse(operator.cost(&[])));
        for operator in operators {
            let own = |s: usize| -> Vec<usize> {
                let uses = self.measures[s].uses.iter().enumerate();
                uses.filter(|(_, u)| u.operator == *operator).map(|(u, _)| u).collect()
            };
            let mut statements: Vec<(usize, Vec<usize>)> = (0..self.measures.len()).map(|s| (s, own(s))).collect();
            statements.sort_by_key(|(s, own)| std::cmp::Reverse((own.len(), self.measures[*s].end)));
            let first = self.cells.len();
            for (s, mut uses) in statements {
                uses.sort_by_key(|&u| self.stages.operators[s][u]);
                let others = first..self.cells.len();
                for u in uses {
                    self.join_or_open(others.clone(), (s, u), may_end);
                }
            }
        }
    }

    /// Puts an operator into the best of the cells `others`, or into a new one.
    fn join_or_open(
        &mut self,
        others: std::ops::Range<usize>,
        user: (usize, usize),
        may_end: &mut dyn FnMut(&[u32]) -> bool,
    ) {
        let pairs: usize = self.measures.iter().map(|m| m.uses.len() * m.uses.len()).sum();
        let mut best: Option<((i64, i64), usize, Stages)> = None;
        let others: Vec<usize> = others.filter(|&c| self.cells[c].iter().all(|(other, _)| *other != user.0)).collect();
        let others = &others[..others.len().min(self.work / pairs.max(1))];
        self.work -= others.len() * pairs;
        let (operators, waiting) = if others.is_empty() { (0, 0) } else { self.costs(&self.cells, &self.stages) };
        for &cell in others {
            let mut cells = self.cells.clone();
            cells[cell].push(user);
            let Some(stages) = self.stages(&cells) else { continue };
            let (operators_then, waiting_then) = self.costs(&cells, &stages);
            let gain = operators - operators_then + if self.waiting_counts { waiting - waiting_then } else { 0 };
            // Of equal ones, the cell for which less waits.
            let order = (gain, -waiting_then);
            let is_best = best.as_ref().is_none_or(|(most, ..)| order > *most);
            let pays = gain * LEAST_GAIN > self.circuit(&[user]);
            if pays && is_best && (stages.ends == self.stages.ends || may_end(&stages.ends)) {
                best = Some((order, cell, stages));
            }
        }
        match best {
            Some((_, cell, stages)) => {
                self.cells[cell].push(user);
                self.stages = stages;
            }
            None => self.cells.push(vec![user]),
        }
    }

    fn plan(&self) -> Plan {
        let mut places: Vec<Vec<Place>> = self.measures.iter().map(|m| vec![Place::default(); m.uses.len()]).collect();
        for (number, cell) in self.cells.iter().filter(|cell| cell.len() > 1).enumerate() {
            for &(s, u) in cell {
                places[s][u] = Place { stage: self.stages.operators[s][u], cell: Some(number) };
            }
        }
        Plan { places }
    }
}

/// Registers that come with as much logic as an ALUT.
pub const REGISTERS_PER_ALUT: i64 = 2;

/// Pairs of operators that are looked at for one assignment, about a second long.
const MOST_WORK: usize = 50_000_000;

/// A cell is shared where this many times what it saves is more than what it costs.
const LEAST_GAIN: i64 = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hardware::datapath::float::arithmetic;
    use crate::source::kernel::{BinaryOp, ScalarType};

    /// An operand: a word of stage 2, what never changes, or the result of an operator before.
    #[derive(Clone, Copy)]
    enum Input {
        Word,
        Scalar,
        Result(usize),
    }
    use Input::{Result, Scalar, Word};

    type Pipeline = Vec<(BinaryOp, [Input; 2])>;

    fn operator(op: BinaryOp) -> Operator {
        Operator::Cell(arithmetic(op, ScalarType::FLOAT))
    }

    /// The pipeline in a plan for it alone, its last operator the result.
    fn rehearse(pipeline: &Pipeline, plan: Plan) -> Rehearsal {
        let mut uses: Vec<Use> = vec![];
        for (number, (op, inputs)) in pipeline.iter().enumerate() {
            let there = |input: &Input| match input {
                Word => Some(2),
                Scalar => None,
                Result(from) => Some(uses[*from].stage + uses[*from].operator.latency()),
            };
            let operands: Vec<Operand> =
                inputs.iter().map(|input| Operand { bits: 32, stage: there(input), constant: None }).collect();
            let earliest = operands.iter().filter_map(|o| o.stage).max().unwrap_or(1);
            let stage = earliest.max(plan.place(0, number).stage);
            uses.push(Use { operator: operator(*op), operands, stage });
        }
        let end = uses.last().map_or(2, |last| last.stage + last.operator.latency());
        Rehearsal { uses, end, divides: false }
    }

    /// The plan, in which the cells are sound: operators of one kind and one stage, none twice of a statement, all of them
    /// there by then.
    fn plan(pipelines: &[Pipeline], may_end: bool) -> Plan {
        let alone: Vec<u32> = pipelines.iter().map(|p| rehearse(p, Plan::default()).end).collect();
        let longest = alone.iter().max().copied().unwrap_or(0);
        let plan = Plan::new(
            pipelines.len(),
            |s, plan| rehearse(&pipelines[s], plan),
            |ends| ends.iter().all(|end| *end <= longest) && (may_end || ends == alone),
        );
        let mut cells: std::collections::BTreeMap<usize, Vec<(usize, u32, BinaryOp)>> = Default::default();
        for (s, pipeline) in pipelines.iter().enumerate() {
            let own = Plan { places: vec![plan.places[s].clone()] };
            let Rehearsal { uses, end, .. } = rehearse(pipeline, own);
            assert!(end == alone[s] || (may_end && end <= longest), "statement {s} ends in {end}");
            for (u, (op, _)) in pipeline.iter().enumerate() {
                let place = plan.place(s, u);
                if let Some(cell) = place.cell {
                    assert_eq!(uses[u].stage, place.stage, "operator {u} of statement {s}");
                    cells.entry(cell).or_default().push((s, place.stage, *op));
                }
            }
        }
        for users in cells.values() {
            assert!(users.len() > 1);
            assert!(users.iter().all(|(_, stage, op)| (*stage, *op) == (users[0].1, users[0].2)), "{users:?}");
            assert!(users.windows(2).all(|pair| pair[0].0 != pair[1].0), "{users:?}");
        }
        plan
    }

    /// Circuits of one kind.
    fn count(pipelines: &[Pipeline], plan: &Plan, op: BinaryOp) -> usize {
        let mut cells = std::collections::BTreeSet::new();
        for (s, pipeline) in pipelines.iter().enumerate() {
            for (u, _) in pipeline.iter().enumerate().filter(|(_, (own, _))| *own == op) {
                cells.insert(plan.place(s, u).cell.ok_or((s, u)));
            }
        }
        cells.len()
    }

    /// `x + 2 (y - z)`
    fn update() -> Pipeline {
        vec![
            (BinaryOp::Add, [Word, Word]),
            (BinaryOp::Multiply, [Scalar, Result(0)]),
            (BinaryOp::Add, [Word, Result(1)]),
        ]
    }

    #[test]
    fn equal_statements_share_all_they_have() {
        let pipelines = vec![update(); 4];
        let plan = plan(&pipelines, false);
        assert_eq!((count(&pipelines, &plan, BinaryOp::Add), count(&pipelines, &plan, BinaryOp::Multiply)), (2, 1));
    }

    /// The product of the second comes behind its sum, in stage 10. The first has one that may wait: the sum of both
    /// products needs the other of them, which takes its operands behind a product, in stage 11.
    #[test]
    fn an_operator_waits_where_its_statement_does_not_become_longer() {
        let first = vec![
            (BinaryOp::Multiply, [Word, Word]),
            (BinaryOp::Multiply, [Word, Word]),
            (BinaryOp::Multiply, [Result(1), Word]),
            (BinaryOp::Add, [Result(0), Result(2)]),
        ];
        let second = vec![(BinaryOp::Add, [Word, Word]), (BinaryOp::Multiply, [Result(0), Word])];
        let pipelines = vec![first, second];
        let plan = plan(&pipelines, false);
        assert_eq!(count(&pipelines, &plan, BinaryOp::Multiply), 3);
        assert_eq!(plan.place(0, 0), Place { stage: 10, ..plan.place(1, 1) });
    }

    /// Only the longest statement has its product behind two sums.
    #[test]
    fn statements_become_longer_only_where_they_may() {
        let long = vec![
            (BinaryOp::Add, [Word, Word]),
            (BinaryOp::Add, [Result(0), Word]),
            (BinaryOp::Add, [Result(1), Word]),
            (BinaryOp::Multiply, [Scalar, Result(2)]),
            (BinaryOp::Add, [Word, Result(3)]),
        ];
        let pipelines = vec![update(), update(), long];
        let of = |may_end| {
            let plan = plan(&pipelines, may_end);
            (count(&pipelines, &plan, BinaryOp::Add), count(&pipelines, &plan, BinaryOp::Multiply))
        };
        // The sum in stage 2 is everybody's; the last one of the short statements is not.
        assert_eq!(of(false), (5, 2));
        assert_eq!(of(true), (4, 1));
    }

    /// A statement's own operators meet in every cycle, in whatever stages they are.
    #[test]
    fn operators_of_one_statement_are_never_one() {
        let chain = vec![(BinaryOp::Add, [Word, Word]), (BinaryOp::Add, [Result(0), Word])];
        let pipelines = vec![chain, vec![(BinaryOp::Add, [Word, Word])]];
        let sums = plan(&pipelines, true);
        assert_eq!(count(&pipelines, &sums, BinaryOp::Add), 2);
        let products = vec![
            (BinaryOp::Multiply, [Word, Word]),
            (BinaryOp::Multiply, [Word, Word]),
            (BinaryOp::Add, [Result(0), Result(1)]),
        ];
        let pipelines = vec![products.clone(), products];
        let side_by_side = plan(&pipelines, true);
        assert_eq!(count(&pipelines, &side_by_side, BinaryOp::Multiply), 2);
    }

    /// A comparison is about as large as the multiplexers of its operands.
    #[test]
    fn what_is_no_larger_than_its_multiplexers_is_not_shared() {
        assert!(operator(BinaryOp::Add).cost(&[]) > 64 * LEAST_GAIN);
        let add = plan(&[vec![(BinaryOp::Add, [Word, Word])], vec![(BinaryOp::Add, [Word, Word])]], false);
        assert_eq!(add.place(0, 0).cell, Some(0));
        let types = [crate::rtl::Type::unsigned(32); 2];
        let rehearse = |width| {
            move |_: usize, plan: Plan| {
                let ty = crate::rtl::Type::unsigned(width);
                let operand = Operand { bits: 200, stage: Some(2), constant: None };
                let operator = Operator::Product(types, ty);
                let stage = plan.place(0, 0).stage.max(2);
                let end = stage + operator.latency();
                Rehearsal { uses: vec![Use { operator, operands: vec![operand; 2], stage }], end, divides: false }
            }
        };
        // One block of 200 ALUTs against 400 of multiplexers, and ten blocks.
        assert_eq!(Plan::new(2, rehearse(18), |_| true).place(0, 0).cell, None);
        assert_eq!(Plan::new(2, rehearse(64), |_| true).place(0, 0).cell, Some(0));
    }
}
