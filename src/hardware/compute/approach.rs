//! Stages between the walker and stage 1, each of which costs a cycle per tile as an instance passes it as it passes stage 1. One is
//! for addresses that are sums: there they are registers before they are compared with the writes under way. Where so many are
//! compared that they do not come together in the same cycle, another one lies before it: addresses are compared there, and what
//! they met goes along with the instance.
//!
//! ```text
//! walker ─▶ far: addresses ─▶ coming: what they met, a bit for each write under way ─▶ stage 1: whether it waits
//! ```

use crate::hardware::compute::candidate::Candidate;
use crate::hardware::compute::ports::ReadPort;
use crate::hardware::compute::process::Process;
use crate::ids::StatementId;
use crate::rtl::{Expr as Rtl, Module, Signal, Type, assign, when};

pub struct Approach {
    stage: Option<Stage>,
}

struct Stage {
    /// It holds an instance, or an end mark.
    coming: Signal,
    end: Signal,
    /// What passes it.
    held: Vec<Held>,
    /// The stage before.
    far: Option<Far>,
}

/// A value of an instance.
struct Held {
    /// Where the instance is before stage 1.
    register: Signal,
    /// In the stage before, where there is one.
    far: Option<Signal>,
    /// What the walker has.
    value: Rtl,
}

struct Far {
    coming: Signal,
    end: Signal,
    /// What is before stage 1 leaves there, or nothing is; to be assigned.
    moves: Signal,
}

/// Comparisons of addresses with writes under way from which on they take a cycle of their own.
const MANY: u32 = 128;

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

    /// For `comparisons` of an instance's addresses with writes under way.
    pub fn declare(m: &mut Module, comparisons: u32) -> Approach {
        m.comment("An iteration approaches stage 1: its addresses are computed.");
        let mut stage = |name: &str| (m.reg(name, Type::BIT), m.reg(&format!("{name}_end"), Type::BIT));
        let (coming, end) = stage("coming");
        let far = (comparisons >= MANY).then(|| stage("far"));
        let far = far.map(|(coming, end)| Far { coming, end, moves: m.wire("approach_moves", Type::BIT) });
        Approach { stage: Some(Stage { coming, end, held: vec![], far }) }
    }

    /// Where an instance is compared before it comes to the stage before stage 1: whether that takes the next one, and whether it
    /// holds an instance.
    pub fn compares(&self) -> Option<(Rtl, Rtl)> {
        let stage = self.stage.as_ref()?;
        stage.far.as_ref().map(|far| (far.moves.e(), stage.coming.e()))
    }

    /// A value that [`Approach::hold`] gave, of the instance whose addresses are compared.
    pub fn compared(&self, value: &Rtl) -> Rtl {
        let held = self.stage.iter().flat_map(|stage| &stage.held);
        let own = held.filter(|held| value.signal() == Some(&held.register)).find_map(|held| held.far.as_ref());
        own.map_or_else(|| value.clone(), Signal::e)
    }

    pub fn is_there(&self) -> bool {
        self.stage.is_some()
    }

    /// A value of the instance that the walker holds, as stage 1 takes it.
    pub fn hold(&mut self, m: &mut Module, name: &str, value: Rtl) -> Rtl {
        let Some(Stage { held, far, .. }) = &mut self.stage else { return value };
        if value.as_constant().is_some() || held.iter().any(|held| value.signal() == Some(&held.register)) {
            return value;
        }
        if let Some(known) = held.iter().find(|held| held.value == value) {
            return known.register.e();
        }
        let register = m.reg(name, value.ty());
        let far = far.as_ref().map(|_| m.reg(&format!("far_{name}"), value.ty()));
        held.push(Held { register: register.clone(), far, value });
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
        let Some(Stage { coming, end: coming_end, held, far }) = self.stage else {
            m.assign(step, &element.and(moves));
            m.assign(end_taken, &end.and(moves).and(passes));
            return Passes { enters: step.e(), end: end_taken.e() };
        };
        let enters = coming.e().and(moves);
        let ends = coming_end.e().and(moves).and(passes);
        let frees = coming.e().or(&coming_end.e()).not().or(&enters).or(&ends);
        // What comes while the stage waits goes to a second set of registers, so that the walker never waits for what is decided
        // in stage 1 in the same cycle.
        let second = m.reg("coming_second", Type::BIT);
        let second_end = m.reg("coming_second_end", Type::BIT);
        // The first stage behind the walker, and when it takes something.
        let (first, first_end, free) = match &far {
            None => (&coming, &coming_end, m.define("approach_is_free", &frees).e()),
            Some(far) => {
                m.assign(&far.moves, &frees);
                let free = far.coming.e().or(&far.end.e()).not().or(&far.moves.e());
                (&far.coming, &far.end, m.define("approach_is_free", &free).e())
            }
        };
        m.assign(step, &element.and(&second.e().not()));
        m.assign(end_taken, &end.and(&second.e().not()));
        let (mut first_takes, mut second_takes) = (vec![], vec![assign(&second_end, &end_taken.e())]);
        let mut goes_on = vec![];
        for Held { register, far, value } in &held {
            let behind = m.reg(&format!("{}_second", register.name()), register.ty());
            let first = far.as_ref().unwrap_or(register);
            first_takes.push(assign(first, &second.e().select(&behind.e(), value)));
            second_takes.push(assign(&behind, value));
            goes_on.extend(far.iter().map(|far| assign(register, &far.e())));
        }
        let both = step.e().or(&end_taken.e());
        let is = |of_second: Rtl, of_walker: Rtl| second.e().select(&of_second, &of_walker);
        first_takes.push(assign(first, &is(second_end.e().not(), step.e())));
        first_takes.push(assign(first_end, &is(second_end.e(), end_taken.e())));
        let mut resets = [first, first_end, &second].map(|register| (register.clone(), 0)).to_vec();
        let mut body = vec![
            assign(&second, &free.not().and(&second.e().or(&both))),
            when(free, first_takes),
            when(second.e().not(), second_takes),
        ];
        if let Some(far) = &far {
            goes_on.extend([assign(&coming, &far.coming.e()), assign(&coming_end, &far.end.e())]);
            resets.extend([&coming, &coming_end].map(|register| (register.clone(), 0)));
            body.push(when(far.moves.e(), goes_on));
        }
        m.clocked("", resets, body);
        Passes { enters, end: ends }
    }
}

/// Whether addresses that are compared with the writes under way are sums; `candidate` has them.
pub fn is_worth_it(process: &Process, candidate: &Candidate) -> bool {
    let targets = process.targets();
    candidate.ports.iter().any(|port| targets.contains(&port.array) && port.is_sum)
}

/// How many comparisons of addresses with writes under way an instance of `candidate` takes: those of each port with every cycle
/// of the longest statement that writes its array, where that takes `cycles`.
pub fn comparisons(process: &Process, candidate: &Candidate, cycles: &dyn Fn(StatementId) -> u32) -> u32 {
    let of = |port: &ReadPort| process.writers_of(port.array).into_iter().map(cycles).max().unwrap_or(0);
    candidate.ports.iter().map(of).sum()
}
