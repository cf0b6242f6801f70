//! A stage between the walker and stage 1, for addresses that are sums: there they are registers before they are compared
//! with the writes under way. An instance passes it as it passes stage 1, so it costs a cycle per tile.

use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::process::Process;
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign, when};

pub struct Approach {
    stage: Option<Stage>,
}

struct Stage {
    /// It holds an instance, or an end mark.
    coming: Signal,
    end: Signal,
    /// Its registers, and what they take.
    held: Vec<(Signal, Rtl)>,
}

/// What goes from the walker to stage 1.
pub struct Passes {
    /// An instance enters stage 1, an end mark passes it.
    pub enters: Rtl,
    pub end: Rtl,
}

impl Approach {
    /// Without the stage.
    pub fn none() -> Approach {
        Approach { stage: None }
    }

    pub fn declare(m: &mut Module) -> Approach {
        m.comment("An iteration approaches stage 1: its addresses are computed.");
        let stage = Stage { coming: m.reg("coming", Type::BIT), end: m.reg("coming_end", Type::BIT), held: vec![] };
        Approach { stage: Some(stage) }
    }

    pub fn is_there(&self) -> bool {
        self.stage.is_some()
    }

    /// A value of the instance that the walker holds, as stage 1 takes it.
    pub fn hold(&mut self, m: &mut Module, name: &str, value: Rtl) -> Rtl {
        let Some(Stage { held, .. }) = &mut self.stage else { return value };
        if value.as_constant().is_some() || held.iter().any(|(register, _)| value.signal() == Some(register)) {
            return value;
        }
        if let Some((register, _)) = held.iter().find(|(_, other)| *other == value) {
            return register.e();
        }
        let register = m.reg(name, value.ty());
        held.push((register.clone(), value));
        register.e()
    }

    /// Joins walker and stage 1, which `moves`: the walker gives an element with `step` where it has an `element`, and an end
    /// mark with `end_taken` where it has one (`end`) and may. Stage 1 lets an end mark pass where `passes`.
    pub fn connect(
        self,
        m: &mut Module,
        (step, element): (&Signal, &Rtl),
        (end_taken, end): (&Signal, &Rtl),
        (moves, passes): (&Rtl, &Rtl),
    ) -> Passes {
        let Some(Stage { coming, end: coming_end, held }) = self.stage else {
            m.assign(step, &element.and(moves));
            m.assign(end_taken, &end.and(moves).and(passes));
            return Passes { enters: step.e(), end: end_taken.e() };
        };
        let enters = coming.e().and(moves);
        let ends = coming_end.e().and(moves).and(passes);
        // What comes while the stage waits goes to a second set of registers, so that the walker never waits for what is decided
        // in stage 1 in the same cycle.
        let second = m.reg("coming_second", Type::BIT);
        let second_end = m.reg("coming_second_end", Type::BIT);
        let free = m.define("approach_is_free", &coming.e().or(&coming_end.e()).not().or(&enters).or(&ends)).e();
        m.assign(step, &element.and(&second.e().not()));
        m.assign(end_taken, &end.and(&second.e().not()));
        let (mut first_takes, mut second_takes) = (vec![], vec![assign(&second_end, &end_taken.e())]);
        for (register, value) in &held {
            let behind = m.reg(&format!("{}_second", register.name()), register.ty());
            first_takes.push(assign(register, &second.e().select(&behind.e(), value)));
            second_takes.push(assign(&behind, value));
        }
        let both = step.e().or(&end_taken.e());
        let is = |of_second: Rtl, of_walker: Rtl| second.e().select(&of_second, &of_walker);
        first_takes.push(assign(&coming, &is(second_end.e().not(), step.e())));
        first_takes.push(assign(&coming_end, &is(second_end.e(), end_taken.e())));
        let resets = [&coming, &coming_end, &second].map(|register| (register.clone(), 0)).to_vec();
        let body = vec![
            assign(&second, &free.not().and(&second.e().or(&both))),
            when(free, first_takes),
            when(second.e().not(), second_takes),
        ];
        m.clocked("", resets, body);
        Passes { enters, end: ends }
    }
}

/// Whether addresses that are compared with the writes under way are sums; `candidate` has them.
pub fn is_worth_it(process: &Process, candidate: &Candidate) -> bool {
    let targets = process.targets();
    candidate.ports.iter().any(|port| targets.contains(&port.array) && port.is_sum)
}
