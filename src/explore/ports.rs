//! The ports of a memory behind a bus, as far as a board lets one choose them.

use crate::board::{Board, Memory, Toolchain};

/// Width and number of the ports, as `--bus-bits` and `--ports` give them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ports {
    pub bits: u32,
    /// Nothing where there is one and cannot be another number.
    pub count: Option<u32>,
}

/// What of them somebody has chosen already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    pub bits: bool,
    pub count: bool,
}

impl Ports {
    const LEAST_BITS: u32 = 32;
    /// What is looked at where the FPGA may be any: the widest bus that there is, and as many ports as such chips have.
    const MOST_BITS: u32 = 512;
    const MOST_PORTS: u32 = 4;

    /// Those of a board, where its memory is behind a bus.
    pub fn of(board: &Board) -> Option<Ports> {
        let bus = board.memory.bus()?;
        let count = matches!(board.memory, Memory::Axi4(_)).then_some(bus.ports);
        Some(Ports { bits: bus.data_bits, count })
    }

    /// All others that a board has: powers of two up to its own, and any where the FPGA may be any.
    pub fn choices(board: &Board, fixed: Fixed) -> Vec<Ports> {
        let Some(own) = Ports::of(board) else { return vec![] };
        let is_any = board.device.toolchain == Toolchain::Any;
        let powers = |least: u32, own: u32, any: u32, is_fixed: bool| -> Vec<u32> {
            let most = if is_any { own.max(any) } else { own };
            let mut all: Vec<u32> =
                std::iter::successors(Some(least), |own| Some(2 * own)).take_while(|own| *own <= most).collect();
            all.push(own);
            all.sort_unstable();
            all.dedup();
            if is_fixed { vec![own] } else { all }
        };
        let counts = match own.count {
            Some(count) => powers(1, count, Ports::MOST_PORTS, fixed.count).into_iter().map(Some).collect(),
            None => vec![None],
        };
        let widths = powers(Ports::LEAST_BITS, own.bits, Ports::MOST_BITS, fixed.bits);
        let all = widths.into_iter().flat_map(|bits| counts.iter().map(move |count| Ports { bits, count: *count }));
        all.filter(|ports| *ports != own).collect()
    }

    /// The arguments that choose them.
    pub fn text(self) -> String {
        let count = self.count.map_or(String::new(), |count| format!(" --ports {count}"));
        format!("--bus-bits {}{count}", self.bits)
    }

    /// How far they are from others: powers of two.
    pub fn distance(self, other: Ports) -> u32 {
        let apart = |a: u32, b: u32| (f64::from(a).log2() - f64::from(b).log2()).abs().round() as u32;
        apart(self.bits, other.bits) + apart(self.count.unwrap_or(1), other.count.unwrap_or(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board;

    fn choices(name: &str, bits: bool, count: bool) -> Vec<(u32, Option<u32>)> {
        let all = Ports::choices(&board::load(name).unwrap(), Fixed { bits, count });
        all.into_iter().map(|own| (own.bits, own.count)).collect()
    }

    #[test]
    fn a_board_has_what_is_no_more_than_its_own() {
        assert_eq!(choices("stratix2-ddr400", false, false), []);
        assert_eq!(choices("zcu104", false, false), [(32, Some(1)), (64, Some(1))]);
        let pynq = [(32, Some(1)), (32, Some(2)), (32, Some(4)), (64, Some(1)), (64, Some(2))];
        assert_eq!(choices("pynq-z2", false, false), pynq);
        assert_eq!(choices("pynq-z2", true, false), pynq[3..]);
        assert_eq!(choices("pynq-z2", false, true), [(32, Some(4))]);
        assert_eq!(choices("pynq-z2", true, true), []);
        // Any width and a few ports where the FPGA may be any; the bus of Avalon-MM has one port.
        assert_eq!(choices("generic-axi4", false, false).len(), 5 * 3 - 1);
        assert_eq!(choices("generic-avalon", false, false), [64, 128, 256, 512].map(|bits| (bits, None)));
        let mut texts = Ports::choices(&board::load("pynq-z2").unwrap(), Fixed::default()).into_iter().map(Ports::text);
        assert_eq!(texts.next_back().as_deref(), Some("--bus-bits 64 --ports 2"));
    }
}
