//! What is known of many designs of one kernel: which there are, what each is estimated to take and was seen to take, and which
//! of them nobody beats. Analysis and simulation of a design are the command's.

mod front;
mod journal;
mod page;
mod ports;
mod space;
mod table;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::{Board, Device};
use crate::simulate::Verdict;
use crate::source::kernel::TilingDirective;
pub use front::{Candidate, Pick, front, near, pick};
pub use journal::{Finding, Head, Journal, Line, SCHEMA};
pub use page::Page;
pub use ports::{Fixed, Ports};
pub use space::{Wanted, designs};
pub use table::{Row, Summary};

/// One way to make the kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// In place of the source's directives; `None` for what `burstc run` makes of the file as it is.
    pub tilings: Option<Vec<TilingDirective>>,
    /// In place of the board's.
    pub ports: Option<Ports>,
    /// Arguments that lie by tiles in memory, beside those of the source.
    pub layouts: Vec<String>,
    /// Whether arrays have a buffer for each of their uses, where that is said.
    pub uses: Option<bool>,
    /// The same as text: arguments of burstc where ports are others than the board's, and lines to paste, one per band, one for
    /// layouts, one for uses. Empty for what `burstc run` makes of the file as it is.
    pub directives: Vec<String>,
}

/// What a design is expected to take at the sizes of the exploration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    pub cycles: u64,
    /// Of Load and Store; nothing where counting them takes too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// Bits of the buffers with their copies, and block RAMs.
    pub block_ram_bits: u64,
    pub block_rams: u64,
    pub aluts: u64,
    /// Of 18 x 18 bits.
    pub multipliers: u64,
    /// Behind a bus the bits of all ports that the accelerator has.
    #[serde(default, skip_serializing_if = "is_none")]
    pub port_bits: u64,
    /// Of the file as it is: the tiles and lanes that it has, or that burstc chose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chosen: Vec<String>,
}

/// How a simulation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Simulated {
    pub result: Verdict,
    /// From start to done.
    pub cycles: u64,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
}

impl Estimate {
    /// What of the board's logic is taken: look-up tables or multipliers, of whichever more.
    pub fn logic(&self, device: &Device) -> f64 {
        part(self.aluts, device.aluts).max(part(self.multipliers, device.dsp_18x18))
    }

    /// What of its block RAM is taken: blocks or bits, of whichever more.
    pub fn memory(&self, board: &Board) -> f64 {
        part(self.block_rams, board.device.blocks()).max(part(self.block_ram_bits, board.block_ram_bits()))
    }
}

fn is_none(bits: &u64) -> bool {
    *bits == 0
}

fn part(taken: u64, all: u64) -> f64 {
    taken as f64 / all.max(1) as f64
}

/// `2/8`: the second of eight parts of the designs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    pub number: usize,
    pub count: usize,
}

impl Shard {
    /// All of them.
    pub const WHOLE: Shard = Shard { number: 1, count: 1 };

    /// Whether the design at this place of the list is the shard's. Neighbours in the list, which take about as long, are different
    /// shards'.
    pub fn has(self, place: usize) -> bool {
        place % self.count == self.number - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        const MOST: usize = 100_000;
        let numbers = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
        match numbers {
            Some((number, count)) if 1 <= number && number <= count && count <= MOST => Ok(Shard { number, count }),
            _ => Err(format!("`{text}` is not of the form K/N, as in 3/64, with K from 1 to N")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read_and_share_everything() {
        let shard: Shard = "3/4".parse().expect("a shard");
        assert_eq!((shard, shard.to_string().as_str()), (Shard { number: 3, count: 4 }, "3/4"));
        for wrong in ["", "3", "0/4", "5/4", "1/0", "-1/4", "a/b", "1/2/3", "1/1000000"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
        for place in 0..40 {
            let owners = (1..=7).filter(|number| Shard { number: *number, count: 7 }.has(place));
            assert_eq!(owners.count(), 1);
            assert!(Shard::WHOLE.has(place));
        }
    }
}
