//! Simulation of the accelerator on random data, and the comparison with the C compiler's own execution.
//!
//! A [`job::Job`] is the data of one run; [`golden::Golden`] says what memory must hold after it; a
//! [`simulator::Simulation`] says what it does hold; [`judge`] compares.

pub mod bench;
pub mod golden;
pub mod indices;
pub mod job;
pub mod number;
pub mod own_data;
pub mod random;
pub mod reordered;
#[cfg(test)]
pub mod samples;
pub mod simulator;
#[cfg(test)]
mod tests;
pub mod timeline;
pub mod verilator;
pub mod view;

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::hardware::status;
use job::{Job, Mismatch};
use simulator::RunOutput;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Pass,
    /// The memory differs from what the C program leaves.
    Mismatch(Mismatch),
    /// The device's timing was violated: the first complaint, which names rule and clock, and how many there are.
    Violation {
        first: String,
        count: u64,
    },
    /// An unknown bit, or a write beyond the arrays, at the accelerator's memory port: the first one.
    Port {
        first: String,
    },
    /// The bus answered accesses with errors: bit 0 SLVERR and bit 1 DECERR to a read, bits 2 and 3 to a write.
    Refused {
        status: u64,
    },
    /// The accelerator did not run, for these bits of the status word.
    NotStarted {
        status: u64,
    },
    /// A subscript that depends on data has left its array.
    Subscript,
    /// Memory holds unknown bits (four-state simulators): the first element, its byte address, and how many bytes.
    Unknown {
        element: String,
        address: u64,
        count: usize,
    },
    /// Not done after so many cycles.
    TimedOut {
        cycles: u64,
    },
}

/// [`Outcome`] in one word, for the JSON report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Pass,
    Mismatch,
    TimingViolation,
    PortFault,
    BusError,
    NotStarted,
    IndexError,
    Unknown,
    TimeOut,
}

impl Outcome {
    pub fn verdict(&self) -> Verdict {
        match self {
            Outcome::Pass => Verdict::Pass,
            Outcome::Mismatch(_) => Verdict::Mismatch,
            Outcome::Violation { .. } => Verdict::TimingViolation,
            Outcome::Port { .. } => Verdict::PortFault,
            Outcome::Refused { .. } => Verdict::BusError,
            Outcome::NotStarted { .. } => Verdict::NotStarted,
            Outcome::Subscript => Verdict::IndexError,
            Outcome::Unknown { .. } => Verdict::Unknown,
            Outcome::TimedOut { .. } => Verdict::TimeOut,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Pass => write!(f, "pass"),
            Outcome::Mismatch(mismatch) => write!(f, "mismatch: {mismatch}"),
            Outcome::Violation { first, count } => {
                let (protocol, rest) = first.split_once(' ').unwrap_or_default();
                match protocol {
                    "axi4" | "avalon" => write!(f, "{protocol} protocol violated: {rest}")?,
                    _ => write!(f, "memory timing violated: {first}")?,
                }

                if *count > 1 { write!(f, "; {count} violations") } else { Ok(()) }
            }
            Outcome::Port { first } => write!(f, "fault at the memory port: {first}"),
            Outcome::Refused { status } => {
                write!(f, "the bus answered with {}", meanings(status << status::BUS_ERROR))
            }
            Outcome::NotStarted { status } => write!(f, "the accelerator did not run: {}", meanings(*status)),
            Outcome::Subscript => write!(f, "{}", meanings(1 << status::INDEX_ERROR)),
            Outcome::Unknown { element, address, count } => {
                write!(f, "memory holds unknown bits: {element} (address 0x{address:06x}); {count} bytes")
            }
            Outcome::TimedOut { cycles } => write!(f, "time-out: not done after {cycles} cycles"),
        }
    }
}

/// What the error bits of a status word mean.
fn meanings(status: u64) -> String {
    let set = status::STATUS.iter().filter(|bit| bit.is_error && status >> bit.bit & 1 == 1);
    let meanings: Vec<&str> = set.map(|bit| bit.meaning).collect();
    if meanings.is_empty() { "no error is set".to_string() } else { meanings.join(", ") }
}

/// Judges a run. What may be the cause of another fault comes before it: a violated device may return anything.
pub fn judge(job: &Job, expected: &[u8], output: &RunOutput, max_cycles: u64) -> Outcome {
    let placement = &job.placement;
    if output.counters.timing_violations > 0 || !output.violations.is_empty() {
        let first = output.violations.first().cloned().unwrap_or_else(|| "no message".to_string());
        return Outcome::Violation { first, count: output.counters.timing_violations };
    }
    if let Some(first) = output.port_faults.first() {
        return Outcome::Port { first: first.clone() };
    }
    let status = output.counters.status;
    if status::bus_errors(status) != 0 {
        return Outcome::Refused { status: status::bus_errors(status) };
    }
    if output.timed_out {
        return Outcome::TimedOut { cycles: max_cycles };
    }
    if status >> status::DONE & 1 == 0 {
        return Outcome::NotStarted { status: status & u64::from(status::errors()) };
    }
    if status >> status::INDEX_ERROR & 1 == 1 {
        return Outcome::Subscript;
    }
    let unknown: Vec<u64> = output.unknown.iter().copied().filter(|a| !placement.is_local(*a)).collect();
    if let Some(address) = unknown.first() {
        let element = placement.describe(*address);
        return Outcome::Unknown { element, address: *address, count: unknown.len() };
    }
    match placement.mismatch(&job.accepted(expected, &output.image), &output.image) {
        Some(mismatch) => Outcome::Mismatch(mismatch),
        None => Outcome::Pass,
    }
}

#[cfg(test)]
mod judge_tests {
    use super::*;

    #[test]
    fn causes_are_told_before_their_effects() {
        let job = Job::new(&samples::matmul(), &samples::set(&[("N", 4)]), 16 << 20, 1).unwrap();
        let mut output = RunOutput { image: job.image.clone(), ..Default::default() };
        output.counters.status = 1 << status::DONE | 1 << status::MEMORY_READY;
        let verdict = |output: &RunOutput| judge(&job, &job.image, output, 99).verdict();
        assert_eq!(verdict(&output), Verdict::Pass);
        output.image[4100] ^= 1;
        assert_eq!(verdict(&output), Verdict::Mismatch);
        output.unknown = vec![4100];
        let outcome = judge(&job, &job.image, &output, 99);
        assert_eq!(outcome.to_string(), "memory holds unknown bits: a[0][1] (address 0x001004); 1 bytes");
        output.counters.status |= 1 << status::INDEX_ERROR;
        assert_eq!(verdict(&output), Verdict::IndexError);
        output.counters.status = 1 << status::SIZE_ERROR;
        let outcome = judge(&job, &job.image, &output, 99);
        assert_eq!(outcome.verdict(), Verdict::NotStarted);
        assert!(outcome.to_string().starts_with("the accelerator did not run: refused: a size is out"), "{outcome}");
        output.timed_out = true;
        assert_eq!(verdict(&output), Verdict::TimeOut);
        output.port_faults = vec!["unknown command at cycle 3".into()];
        assert_eq!(verdict(&output), Verdict::PortFault);
        output.violations = vec!["tRCD at 3 clock 4: read".into()];
        output.counters.timing_violations = 2;
        let outcome = judge(&job, &job.image, &output, 99);
        assert_eq!(outcome.to_string(), "memory timing violated: tRCD at 3 clock 4: read; 2 violations");
    }
}
