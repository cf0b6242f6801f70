//! The front as a table for people.

use super::{Candidate, Estimate, Pick, Simulated, pick};
use crate::board::Board;

/// A design of the front.
#[derive(Clone, Debug)]
pub struct Row {
    pub candidate: Candidate,
    pub directives: Vec<String>,
    pub estimate: Estimate,
    /// Without a simulation the estimate is what is known.
    pub simulated: Option<Simulated>,
}

impl Row {
    /// Of a simulation, where there was one.
    pub fn cycles(&self) -> u64 {
        self.simulated.as_ref().map_or(self.estimate.cycles, |own| own.cycles)
    }

    /// What `pick` would take among `front`, in words.
    pub fn marks(&self, front: &[Candidate]) -> Vec<&'static str> {
        let mut marks: Vec<&str> = Pick::ALL
            .into_iter()
            .filter(|own| pick(front, *own).is_some_and(|own| own.place == self.candidate.place))
            .map(Pick::name)
            .collect();
        marks.extend(self.directives.is_empty().then_some("run"));
        marks
    }

    /// The text to paste, or what stands for it.
    pub fn text(&self) -> Vec<String> {
        match self.directives.is_empty() {
            true => {
                let head = "the file as it is, in which `burstc run` has".to_string();
                [head].into_iter().chain(self.estimate.chosen.clone()).collect()
            }
            // Other ports, and what burstc chooses behind them.
            false => self.directives.iter().chain(&self.estimate.chosen).cloned().collect(),
        }
    }
}

/// All of an exploration.
#[derive(Clone, Debug)]
pub struct Summary<'a> {
    pub kernel: &'a str,
    pub board: &'a Board,
    /// `N = 32, M = 16`
    pub sizes: String,
    pub designs: usize,
    /// Of the designs, those that cannot be made.
    pub refused: usize,
    /// Of the designs, those that nobody has looked at.
    pub left: usize,
    pub near: usize,
    pub simulated: usize,
    /// The fastest first.
    pub front: Vec<Row>,
    /// The design that `burstc run` makes, whether it is in the front or not.
    pub usual: Option<Row>,
}

impl Summary<'_> {
    /// How many designs there are, and what became of them.
    pub fn counts(&self) -> String {
        let with = if self.sizes.is_empty() { String::new() } else { format!(" with {}", self.sizes) };
        let left = match self.left {
            0 => String::new(),
            left => format!(", {left} not looked at"),
        };
        format!(
            "{} on {}{with}: {} designs, {} refused{left}; {} near the front by their estimates, {} simulated",
            self.kernel, self.board.name, self.designs, self.refused, self.near, self.simulated
        )
    }

    /// Designs of the front as columns and directives.
    pub fn table(&self) -> String {
        let mut lines = vec![self.counts(), String::new()];
        let device = &self.board.device;
        let candidates: Vec<Candidate> = self.front.iter().map(|row| row.candidate).collect();
        let has_ports = self.board.memory.bus().is_some();
        let port = |text: &str| if has_ports { format!("{text:>11}") } else { String::new() };
        lines.push(format!(
            "{:>12}{:>12}{:>12}{:>9}{:>6}{:>12}{:>14}{}  {}",
            "cycles",
            "estimated",
            "bytes",
            "ALUTs",
            "DSP",
            "block RAMs",
            "bits in them",
            port("port bits"),
            "is"
        ));
        for row in &self.front {
            let Estimate { cycles, bytes, block_ram_bits, block_rams, aluts, multipliers, port_bits, .. } =
                &row.estimate;
            let ports = port(&port_bits.to_string());
            let seen = row.simulated.as_ref().map_or("-".to_string(), |own| own.cycles.to_string());
            let bytes = bytes.map_or("-".to_string(), |bytes| bytes.to_string());
            let marks = row.marks(&candidates).join(", ");
            let line = format!(
                "{seen:>12}{cycles:>12}{bytes:>12}{aluts:>9}{multipliers:>6}{block_rams:>12}{block_ram_bits:>14}{ports}  {marks}"
            );
            lines.push(line.trim_end().to_string());
            lines.extend(row.text().into_iter().map(|text| format!("    {text}")));
        }
        if self.front.is_empty() {
            lines.push("no design that works is known".to_string());
        }
        lines.push(String::new());
        lines.push(format!(
            "of the board's {} ALUTs, {} DSP (18 x 18) and {} block RAMs",
            device.aluts,
            device.dsp_18x18,
            device.blocks()
        ));
        if let Some(usual) = &self.usual {
            let best = self.front.first().map_or(usual.cycles(), Row::cycles);
            lines.push(format!(
                "the file as it is takes {} cycles, {:.2} times those of the fastest here",
                usual.cycles(),
                usual.cycles() as f64 / best.max(1) as f64
            ));
        }
        lines.join("\n") + "\n"
    }
}
