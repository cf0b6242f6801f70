//! Reads at subscripts that depend on data: the port of a buffer in the middle of the pipeline. Its address is there a cycle
//! behind the subscripts, the word comes out of block RAM in the next one and into a register behind it.
//!
//! A subscript that leaves its array gives 0, and raises the error bit where C evaluates the read.

use crate::hardware::datapath::{Datapath, Leaves, Value};
use crate::operators::GATHER;
use crate::rtl::{Expr as Rtl, Module, Signal, assign};
use crate::source::kernel::Gather;

/// A port of a buffer, for subscripts of one stage.
pub struct GatherPort {
    pub place: Place,
    /// The register that has the cell's place a cycle later.
    pub address: Signal,
    /// What comes out of the buffer, a cycle behind the address.
    pub data: Rtl,
}

/// A cell's place in a buffer.
pub struct Place {
    pub address: Rtl,
    /// Whether a subscript leaves the array; `None` where none can.
    pub outside: Option<Rtl>,
}

/// A read that is there once in its statement, however often that evaluates it.
#[derive(Clone)]
pub struct Gathered {
    /// Index into the pipelines.
    statement: usize,
    gather: Gather,
    word: Value,
    outside: Option<Value>,
}

impl Gathered {
    /// Whether a statement reads there.
    pub(super) fn is_of(&self, statement: usize, place: &Gather) -> bool {
        self.statement == statement && self.gather.is_same(place)
    }

    /// The stage of its subscripts.
    pub(super) fn stage(&self) -> u32 {
        self.word.stage.expect("a word has a stage") - GATHER
    }
}

impl Datapath {
    pub(super) fn gather(&mut self, m: &mut Module, gather: &Gather, leaves: &mut dyn Leaves) -> Value {
        let is_known = |known: &&Gathered| known.statement == self.present && known.gather.is_same(gather);
        let found = match self.gathered.iter().find(is_known) {
            Some(known) => known.clone(),
            None => {
                let new = self.new_gather(m, gather, leaves);
                self.gathered.push(new.clone());
                new
            }
        };
        if let Some(outside) = found.outside {
            self.raise(m, outside);
        }
        found.word
    }

    fn new_gather(&mut self, m: &mut Module, gather: &Gather, leaves: &mut dyn Leaves) -> Gathered {
        let subscripts = gather.subscripts.iter().map(|subscript| self.evaluate(m, subscript, leaves)).collect();
        let (subscripts, stage) = self.align(m, subscripts);
        // What stands for data may have turned out to be an argument.
        let mut stage = stage.unwrap_or(1);
        let mut subscripts = subscripts;
        if let Some((_, least)) = self.update.clone().filter(|(update, least)| update.is_same(gather) && *least > stage)
        {
            let later = subscripts.into_iter().map(|expr| self.at(m, &Value { expr, stage: Some(stage) }, least));
            subscripts = later.collect();
            stage = least;
        }
        let port = leaves.gather(m, gather, &subscripts);
        let word = m.reg("gathered", port.data.ty());
        let outside = port.place.outside.map(|outside| self.register(m, "is_outside", outside, Some(stage), 1));
        let data = match &outside {
            Some(outside) => {
                let outside = self.at(m, outside, stage + GATHER - 1);
                outside.select(&Rtl::constant(0, port.data.ty()), &port.data)
            }
            None => port.data.clone(),
        };
        self.pipeline().registers.extend([assign(&port.address, &port.place.address), assign(&word, &data)]);
        let word = Value { expr: word.e(), stage: Some(stage + GATHER) };
        Gathered { statement: self.present, gather: gather.clone(), word, outside }
    }

    /// Raises the error bit where `outside` holds of an instance that takes this way through its conditions.
    pub(super) fn raise(&mut self, m: &mut Module, outside: Value) {
        let ways: Vec<bool> = self.conditions.iter().map(|(_, way)| *way).collect();
        let mut values = vec![outside];
        values.extend(self.conditions.iter().map(|(condition, _)| condition.clone()));
        let (values, stage) = self.align(m, values);
        let stage = stage.expect("a subscript depends on data");
        let mut error = values[0].and(&self.valid_in(m, stage));
        for (condition, way) in values[1..].iter().zip(ways) {
            let fails = condition.is_zero();
            error = error.and(&if way { fails.not() } else { fails });
        }
        let error = self.register(m, "index_error", error, Some(stage), 1);
        self.index_errors.push(error.expr);
    }
}
