//! Lanes: what differs from lane to lane in an iteration, and how the terms of a reduction come together.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::hardware::buffers::banks::{Rotation, Rotations, joined};
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::variable as circuit;
use crate::hardware::compute::instances::Instances;
use crate::hardware::datapath::{Datapath, GatherPort, Leaves, Place, Value};
use crate::ids::{ArrayId, ByStatement, StatementId};
use crate::offload::{Banks, Buffer, LaneShape, Offload, Reduction, ReductionOp};
use crate::operators;
use crate::rtl::{Expr, Module, Signal, Type};
use crate::source::kernel::{Access, Expr as Operation, Gather, ScalarType};

/// The stage in which it is there which lanes run: slacks are taken to stage 1, and compared there.
pub const RUNNING_STAGE: u32 = 2;

/// The lanes of the compute process.
pub struct Lanes<'a> {
    /// By statement.
    statements: ByStatement<LanesOf<'a>>,
}

/// The lanes of one statement: one without a directive.
pub struct LanesOf<'a> {
    pub count: i64,
    shape: Option<&'a LaneShape>,
    iterators: Vec<String>,
}

impl<'a> Lanes<'a> {
    pub fn new(offload: &'a Offload) -> Self {
        let of = |(statement, iterators): (StatementId, Vec<String>)| {
            let shape = offload.lanes(statement);
            LanesOf { count: shape.map_or(1, |shape| shape.count), shape, iterators }
        };
        Lanes { statements: offload.kernel.iterators().into_iter_enumerated().map(of).collect() }
    }

    pub fn of(&self, statement: StatementId) -> &LanesOf<'a> {
        &self.statements[statement]
    }

    /// Where the groups begin that statements access through one port, each with its reference.
    pub fn rotation(
        &self,
        users: &[(StatementId, &Access)],
        buffer: &Buffer,
        instances: &Instances,
    ) -> Option<Rotations> {
        let axes = buffer.bank_axes();
        let along = |banks: &Banks| {
            let mut places: Vec<Option<u32>> = vec![];
            for (statement, access) in users {
                // In skewed storage only groups along this subscript begin in a bank along it.
                if buffer.skewed && !self.of(*statement).moves_along(access, banks.subscript) {
                    continue;
                }
                let subscripts = self.of(*statement).subscripts(access, buffer);
                places.extend(instances.kinds_of(*statement).map(|kind| {
                    let affine = kind.affine(&subscripts[banks.subscript]);
                    let aligned = affine.terms.values().all(|c| c % banks.count == 0);
                    aligned.then(|| affine.constant.rem_euclid(banks.count) as u32)
                }));
            }
            match places.split_first() {
                Some((Some(first), others)) if others.iter().all(|p| *p == Some(*first)) => Rotation::Always(*first),
                _ if !users.iter().any(|(s, a)| self.of(*s).moves_along(a, banks.subscript)) => Rotation::Word,
                _ => Rotation::ByAddress,
            }
        };
        let moves = |banks: &Banks| users.iter().any(|(s, access)| self.of(*s).moves_along(access, banks.subscript));
        let lines = || (0..axes.len()).filter(|&axis| moves(&axes[axis])).collect();
        let lines = if buffer.skewed { lines() } else { vec![] };
        (!axes.is_empty()).then(|| Rotations::new(axes.iter().map(along).collect(), lines))
    }

    /// How many neighbours lanes access along a subscript with more banks, where these begin at a multiple of that always.
    pub fn aligned(
        &self,
        (statement, access): (StatementId, &Access),
        buffer: &Buffer,
        banks: &Banks,
        instances: &Instances,
    ) -> Option<u32> {
        let own = self.of(statement);
        let counts = own.shape.filter(|_| !buffer.skewed)?.counts();
        let count = match own.gains(&access.subscripts[banks.subscript]) {
            [1 | -1, 0] => counts[0],
            [0, 1 | -1] => *counts.get(1)?,
            _ => return None,
        };
        let first = &own.subscripts(access, buffer)[banks.subscript];
        let is_aligned =
            |affine: circuit::Affine| affine.terms.values().chain([&affine.constant]).all(|value| value % count == 0);
        let all_are = instances.kinds_of(statement).all(|kind| is_aligned(kind.affine(first)));
        (count < banks.count && all_are).then_some(count as u32)
    }

    /// Which of the subscripts that groups of a port lie along those of a statement do, a number of [`Rotations::told`].
    pub fn line(&self, statement: StatementId, access: &Access, buffer: &Buffer, rotations: &Rotations) -> i128 {
        let axes = buffer.bank_axes();
        let moves = |axis: &usize| self.of(statement).moves_along(access, axes[*axis].subscript);
        rotations.lines().iter().position(moves).unwrap_or(0) as i128
    }

    /// A bit per lane, lane 0 lowest: whether it runs in the iteration in stage 1, which is of statement `number`. `None` where
    /// all lanes always run. `loads` gets the slacks that stage 1 takes.
    pub fn running(
        &self,
        m: &mut Module,
        instances: &Instances,
        number: Option<&Expr>,
        loads: &mut Vec<(Signal, Expr)>,
    ) -> Option<Expr> {
        let masked = |s: &&StatementId| self.of(**s).is_masked();
        let own: Vec<StatementId> = instances.statements.iter().copied().filter(|s| masked(&s)).collect();
        let all: Vec<Expr> = own.iter().map(|&s| self.of(s).running(m, s, instances, loads)).collect();
        let widest = all.iter().map(Expr::width).max()?;
        let always = Expr::bit(true).replicate(widest);
        let choose = |other: Expr, (s, bits): (&StatementId, &Expr)| {
            instances.is_one_of(number, &[*s]).select(&bits.resize(always.ty()), &other)
        };
        Some(own.iter().zip(&all).fold(always.clone(), choose))
    }
}

impl<'a> LanesOf<'a> {
    pub fn reduction(&self) -> Option<&'a Reduction> {
        self.shape.and_then(|shape| shape.reduction.as_ref())
    }

    /// Whether some lane may not run.
    pub fn is_masked(&self) -> bool {
        self.shape.is_some_and(|shape| !shape.masks.is_empty())
    }

    /// What an expression over iterators gains from lane to lane along both dimensions, the second is 0 where there is one.
    fn gains(&self, affine: &Affine) -> [i64; 2] {
        self.shape.map_or([0, 0], |shape| shape.gain(affine, &self.iterators))
    }

    /// What it gains from lane 0 to lane `lane`.
    fn gained(&self, affine: &Affine, lane: i64) -> i64 {
        let [step, inner] = self.gains(affine);
        self.shape.map_or(0, |shape| shape.gained(lane, step, inner))
    }

    /// The expression in lane `lane`, where `affine` is that of lane 0.
    pub fn at(&self, affine: &Affine, lane: i64) -> Affine {
        affine.clone() + Affine::constant(self.gained(affine, lane))
    }

    /// The least that an expression gains in some lane: 0 or less.
    fn least(&self, affine: &Affine) -> i64 {
        let [step, inner] = self.gains(affine);
        let of = |shape: &LaneShape| shape.gained(self.count - 1, step.min(0), inner.min(0));
        self.shape.map_or(0, of)
    }

    /// Whether lanes access different cells along a subscript.
    pub fn moves_along(&self, access: &Access, subscript: usize) -> bool {
        self.gains(&access.subscripts[subscript]) != [0, 0]
    }

    /// The word of a group that lane `lane` has. A group is a box of neighbours, as many along each subscript as there are
    /// banks; its words are counted along the last of those subscripts first.
    pub fn word(&self, lane: i64, access: &Access, buffer: &Buffer) -> usize {
        let place = |banks: &Banks| {
            let subscript = &access.subscripts[banks.subscript];
            self.gained(subscript, lane) - self.least(subscript)
        };
        let axes = buffer.bank_axes();
        if buffer.skewed {
            // Only along one of them the lanes lie apart.
            return axes.iter().map(place).sum::<i64>() as usize;
        }
        axes.iter().fold(0, |word, banks| word * banks.count + place(banks)) as usize
    }

    /// The subscripts of word 0 of an access's group.
    pub fn subscripts(&self, access: &Access, buffer: &Buffer) -> Vec<Affine> {
        let mut subscripts = access.subscripts.clone();
        for Banks { subscript, .. } in buffer.bank_axes() {
            subscripts[subscript] =
                subscripts[subscript].clone() + Affine::constant(self.least(&subscripts[subscript]));
        }
        subscripts
    }

    /// What the lanes' results are for the buffer's write port, see [`Written`]; `running` has a bit per lane.
    pub fn written(
        &self,
        target: &Access,
        buffer: &Buffer,
        data: Vec<Expr>,
        running: Option<Expr>,
    ) -> (Expr, Option<Expr>) {
        let [only] = &data[..] else {
            // Where iterations lie closer than the lanes are wide, as those of `a[3 i + c]` with four values of `c`, several lanes have a
            // word, of which one runs at most.
            let mut lanes_of: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
            for lane in 0..self.count {
                lanes_of.entry(self.word(lane, target, buffer)).or_default().push(lane as u32);
            }
            let words = buffer.bank_count() as usize;
            let ordered = |of: &dyn Fn(&[u32]) -> Expr, none: Expr| {
                let word = |word| lanes_of.get(&word).map_or(none.clone(), |lanes| of(lanes));
                joined(&(0..words).map(word).collect::<Vec<_>>())
            };
            // A group may have words that are no lane's.
            let all = (lanes_of.len() < words).then(|| Expr::bit(true).replicate(self.count as u32));
            let running = running.or(all);
            let value = |lane: u32| data[lane as usize].clone();
            let runs = |lane: u32| running.as_ref().map_or(Expr::bit(true), |bits| bits.index(lane));
            let chosen = |lanes: &[u32]| {
                let first = value(lanes[0]);
                lanes[1..].iter().fold(first, |other, lane| runs(*lane).select(&value(*lane), &other))
            };
            let any = |lanes: &[u32]| lanes[1..].iter().fold(runs(lanes[0]), |all, lane| all.or(&runs(*lane)));
            let enables = running.is_some().then(|| ordered(&any, Expr::bit(false)));
            return (ordered(&chosen, Expr::constant(0, data[0].ty())), enables);
        };
        match buffer.bank_count() {
            1 => (only.clone(), running),
            words => {
                // Word 0 of a group alone.
                let first = running.map_or(Expr::bit(true), |bits| Expr::reduce_or(&bits));
                (only.clone(), Some(first.resize(Type::unsigned(words as u32))))
            }
        }
    }

    /// A bit per lane of a statement with masks, lane 0 lowest: whether it runs in the iteration in stage 1.
    fn running(
        &self,
        m: &mut Module,
        statement: StatementId,
        instances: &Instances,
        loads: &mut Vec<(Signal, Expr)>,
    ) -> Expr {
        let mut conditions: Vec<Vec<Expr>> = vec![vec![]; self.count as usize];
        let Some(shape) = self.shape else { return Expr::bit(true) };
        for (index, step) in shape.masks.iter().enumerate() {
            let next = instances.choose(&[statement], |kind| kind.scope.affine(&kind.slacks[index]));
            let slack = m.reg("candidate_slack", next.ty());
            loads.push((slack.clone(), next));
            let inner = shape.inner_masks.get(index).copied().unwrap_or(0);
            for (lane, conditions) in conditions.iter_mut().enumerate() {
                let least = -shape.gained(lane as i64, *step, inner);
                conditions
                    .push(slack.e().ge(&Expr::constant(least.into(), Type::for_range(least.min(-1), least.max(0)))));
            }
        }
        Expr::concat(&conditions.iter().rev().map(|c| Expr::all(c)).collect::<Vec<_>>())
    }
}

/// What an instance writes to an array, as many lanes as it has.
pub struct Written {
    pub statement: StatementId,
    pub array: ArrayId,
    /// A word, or a group of words.
    pub data: Expr,
    /// Which words are written, or which lanes had a part in the only one; `None` for all.
    pub words: Option<Expr>,
    /// Where, if the subscripts depend on data.
    pub address: Option<Expr>,
}

/// `target op (term 0 op term 1 op …)`; a term counts where its lane runs, a bit of `running` in stage [`RUNNING_STAGE`].
pub fn reduce(
    m: &mut Module,
    datapath: &mut Datapath,
    reduction: &Reduction,
    element: ScalarType,
    target: &Value,
    terms: Vec<Value>,
    running: Option<&Expr>,
) -> Value {
    let ty = rtl_type(element);
    let stage = terms.iter().filter_map(|term| term.stage).max().unwrap_or(1).max(RUNNING_STAGE);
    let running = running.map(|bits| datapath.at(m, &Value { expr: bits.clone(), stage: Some(RUNNING_STAGE) }, stage));
    let identity = match element.floating {
        true => Expr::wrapping(reduction.floating_identity(element).into(), ty),
        false => Expr::constant(identity(reduction.operator, ty), ty),
    };
    let mut values: Vec<Value> = vec![];
    for (lane, term) in terms.iter().enumerate() {
        let term = datapath.at(m, term, stage).resize(ty);
        let expr = match &running {
            Some(bits) => bits.index(lane as u32).select(&term, &identity),
            None => term,
        };
        values.push(Value { expr, stage: Some(stage) });
    }
    if element.floating {
        while values.len() > 1 {
            let both = reduction.combined(place(0, element), place(1, element));
            values = values.chunks(2).map(|pair| datapath.evaluate(m, &both, &mut Pair(pair))).collect();
        }
        let update = reduction.updated(place(0, element), place(1, element));
        return datapath.evaluate(m, &update, &mut Pair(&[target.clone(), values.remove(0)]));
    }
    while values.len() > 1 {
        values = values.chunks(2).map(|pair| combine(m, datapath, reduction.operator, ty, pair)).collect();
    }
    let all = values.remove(0);
    let (both, stage) = datapath.align(m, vec![target.clone(), all]);
    let pair: Vec<Value> = both.into_iter().map(|expr| Value { expr: expr.resize(ty), stage }).collect();
    match reduction.subtracts {
        true => datapath.register(m, "difference", pair[0].expr.sub(&pair[1].expr, ty), stage, 1),
        false => combine(m, datapath, reduction.operator, ty, &pair),
    }
}

/// The operand number `index` of an operation on a [`Pair`].
fn place(index: usize, ty: ScalarType) -> Operation {
    Operation::Read {
        access: Access { array: ArrayId(index), subscripts: vec![], guard: None, span: Default::default() },
        ty,
    }
}

/// Two values as the leaves of an operation.
struct Pair<'v>(&'v [Value]);

impl Leaves for Pair<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        self.0[access.array.0].clone()
    }

    fn gather(&mut self, _: &mut Module, _: &Gather, _: &[Expr]) -> GatherPort {
        unreachable!("both are places")
    }

    fn place(&self, _: &Gather, _: &[Expr]) -> Place {
        unreachable!("both are places")
    }

    fn scalar(&self, _: usize) -> Expr {
        unreachable!("both are places")
    }

    fn index(&mut self, _: &mut Module, _: &Affine, _: ScalarType) -> Value {
        unreachable!("both are places")
    }
}

/// Both values of one stage in one.
fn combine(m: &mut Module, datapath: &mut Datapath, operator: ReductionOp, ty: Type, pair: &[Value]) -> Value {
    let (a, b, stage) = (&pair[0].expr, &pair[1].expr, pair[0].stage);
    let (result, latency) = match operator {
        ReductionOp::Add => (a.add(b, ty), 1),
        ReductionOp::Multiply => (a.mul(b, ty), operators::MULTIPLY),
        ReductionOp::And => (a.and(b).resize(ty), 1),
        ReductionOp::Or => (a.or(b).resize(ty), 1),
        ReductionOp::Xor => (a.xor(b).resize(ty), 1),
        ReductionOp::Minimum => (a.lt(b).select(a, b), 1),
        ReductionOp::Maximum => (a.lt(b).select(b, a), 1),
    };
    datapath.register(m, "combined", result, stage, latency)
}

/// The value that changes nothing.
fn identity(operator: ReductionOp, ty: Type) -> i128 {
    let (low, high) = ty.range();
    match operator {
        ReductionOp::Add | ReductionOp::Or | ReductionOp::Xor => 0,
        ReductionOp::Multiply => 1,
        ReductionOp::And if ty.signed => -1,
        ReductionOp::And | ReductionOp::Minimum => high,
        ReductionOp::Maximum => low,
    }
}
