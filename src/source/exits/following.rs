//! How often loops run at most whose counters begin with what constants tell, or are small numbers: all that can happen to them is followed,
//! whatever data decide.
//!
//! ```c
//! lo = 0; hi = 8; while (lo + 1 < hi) { mid = (lo + hi) / 2; if (v >= t[mid]) lo = mid; else hi = mid; }
//! ```
//!
//! has 15 pairs of `lo` and `hi`, and the longest way through them has 3 rounds.

use lang_c::ast::{BlockItem, Expression, Statement};
use lang_c::span::Node;

use super::data::{Data, given_by_statements};
use super::nearing::{changes_of, leaving, step_in};
use super::reached::behind;
use crate::source::breaks::is_always;
use crate::source::canonical::{names_in, stepped};
use crate::source::known::{Declared, changed};
use crate::source::machine::{Machine, State, States, deciding};
use crate::source::plain::block;
use crate::source::types::Types;

type Items = [Node<BlockItem>];

/// How many states a loop begins in at most.
const STARTS: usize = 1 << 10;
/// The most rounds.
const MOST: usize = 1 << 12;

/// A loop and the body of its function.
pub struct Following<'l> {
    pub data: &'l Data<'l>,
    pub declared: &'l Declared,
    pub types: &'l Types,
    pub condition: &'l Node<Expression>,
    /// The condition is looked at behind the body.
    pub is_do: bool,
    pub whole: &'l Node<Statement>,
}

/// How often a loop runs.
pub enum Rounds {
    /// It counts, and others may see how far.
    Count(i64),
    Most(i64),
    Unknown,
}

impl Following<'_> {
    /// The most rounds of the loop with this body, behind these items.
    pub fn rounds(&self, body: &Items, before: &Items) -> Rounds {
        let machine = Machine::of(self.declared, self.types, &deciding(self.condition, body));
        let all = changed(&block(body.to_vec(), self.condition.span));
        let moved: Vec<&String> = machine.names().filter(|name| all.contains(name)).collect();
        let rounds = || machine.rounds(self.condition, self.is_do, body, self.starts(&machine, &moved, before));
        // What nothing moves in the machine goes on for ever, or ends for other reasons.
        match (!moved.is_empty()).then(rounds).flatten().filter(|rounds| rounds.len() <= MOST) {
            Some(rounds) if self.is_left(body) && self.counts(&rounds, &moved, body) => {
                Rounds::Count(rounds.len() as i64)
            }
            Some(rounds) => Rounds::Most(rounds.len() as i64),
            None => Rounds::Unknown,
        }
    }

    /// The states that the loop may begin in.
    fn starts(&self, machine: &Machine, moved: &[&String], before: &Items) -> States {
        let mut states: States = [machine.behind(before)].into();
        for name in moved {
            let Some(ty) = machine.integer(name) else { continue };
            let (low, high) = behind(self.declared, before, name).unwrap_or(ty.limits());
            let is_unknown = states.iter().any(|state| !state.contains_key(*name));
            let is_small = high.checked_sub(low).is_some_and(|span| span < (STARTS / states.len()) as i64);
            if is_unknown && is_small {
                let with = |state: &State, value: i64| {
                    let mut state = state.clone();
                    state.insert((*name).clone(), value);
                    state
                };
                states = states.iter().flat_map(|state| (low..=high).map(|value| with(state, value))).collect();
            }
        }
        states
    }

    /// Whether others find the end of a loop that counts: where it has a condition before its rounds, or a `break` on no data that comes before
    /// those on data.
    fn is_left(&self, body: &Items) -> bool {
        let is_data = |condition: &Node<Expression>| self.data.is_in(condition);
        let first = body.first().and_then(leaving);
        match (is_always(self.condition), self.is_do) {
            (true, _) => first.is_some_and(|first| !is_data(first)) || !body.iter().filter_map(leaving).any(is_data),
            (false, is_do) => !(is_do && is_data(self.condition)),
        }
    }

    /// Whether a loop is one that counts: of what it goes by something begins with one number, and is added to, or multiplied and divided under
    /// a condition that no data decide, once in every round, and does not come round.
    fn counts(&self, rounds: &[States], moved: &[&String], body: &Items) -> bool {
        let names = names_in(self.condition);
        let is_told = !self.data.is_in(self.condition) && names.iter().all(|name| self.is_steady(name, moved));
        let is_step = |item: &Node<BlockItem>, name: &str| match &item.node {
            BlockItem::Statement(Node { node: Statement::Expression(Some(own)), .. }) => {
                step_in(item, name).is_some() || is_told && stepped(own) == Some(name)
            }
            _ => false,
        };
        let counts = |name: &str| {
            let mut ways = body.iter().filter(|item| changes_of(item, name));
            let is_one = ways.next().is_some_and(|item| is_step(item, name)) && ways.next().is_none();
            let one = |states: &States| match states.iter().map(|state| state.get(name)).collect::<Vec<_>>()[..] {
                [first, ref others @ ..] => first.copied().filter(|_| others.iter().all(|other| *other == first)),
                [] => None,
            };
            let values: Option<Vec<i64>> = rounds.iter().map(one).collect();
            let goes_on = |values: Vec<i64>| {
                values.windows(2).all(|two| two[0] < two[1]) || values.windows(2).all(|two| two[0] > two[1])
            };
            is_one && values.is_some_and(goes_on)
        };
        let named: Vec<&&String> = moved.iter().filter(|name| names.contains(name)).collect();
        match named.is_empty() {
            true => moved.iter().any(|name| counts(name)),
            false => named.into_iter().any(|name| counts(name)),
        }
    }

    /// Whether a variable is a size, or what a loop counts with.
    fn is_steady(&self, name: &String, moved: &[&String]) -> bool {
        let given = || given_by_statements(self.whole).contains(name);
        self.declared.is_constant_argument(name) || moved.contains(&name) || !given()
    }
}
