//! What stands between the accelerator and its memory.

/// The way to memory, as the hardware needs to know it. A number alone stands for the native DDR controller and the bits
/// of its word address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interface {
    /// Bits of the address of a 32-bit word.
    pub address_width: u32,
    /// A bus master in place of the DDR controller.
    pub bus: Option<Bus>,
}

impl From<u32> for Interface {
    fn from(address_width: u32) -> Interface {
        Interface { address_width, bus: None }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    pub kind: BusKind,
    /// 32 to 512, a power of two.
    pub data_bits: u32,
    /// Beats of the longest burst, a power of two.
    pub burst: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BusKind {
    Axi4,
    AvalonMm,
}

impl Bus {
    /// log2 of the 32-bit words of a beat.
    pub fn beat_width(self) -> u32 {
        (self.data_bits / 32).trailing_zeros()
    }

    /// log2 of the beats of the longest burst, which stays within 4 KB.
    pub fn burst_width(self) -> u32 {
        self.burst.trailing_zeros().min(10 - self.beat_width())
    }
}
