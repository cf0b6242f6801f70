//! The benches: what stands around an accelerator in a simulation, by the way to its memory.

use std::fmt::Write as _;

use crate::board::Board;
use crate::hardware::{Bus, BusKind, Ddr, Link, VerilogFile, port_suffix};

/// Bytes of the memory that a bench has for small data, the same for all so that one build serves every size.
const USUAL_BYTES: u64 = 16 << 20;

/// Bytes of the least memory, which Icarus makes in no time; more than most images of tests.
const FEW_BYTES: u64 = 1 << 18;

/// A bench and its models: the PHY and device model of the native DDR controller; models of the device and of ECP5's I/O
/// cells around the native SDR controller and its PHY; memory model and protocol checker of a bus. Its module is
/// [`Bench::TOP`] for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bench {
    link: Link,
    /// What simulated memory holds from address 0. Nothing of the run lies beyond the image of its data, so memory need
    /// not be as large as the board's.
    memory_bytes: u64,
    /// Period of the accelerator's clock.
    clock_ps: u64,
    /// The native DDR memory is ready after [`Bench::SOON`] rather than 200 us.
    soon_ready: bool,
    /// It tells what the processes do, in slices of so many cycles.
    slice: Option<u64>,
    /// The memory ports that the accelerator has, a bit for each of their numbers.
    ports: u32,
}

/// Name and text of a file.
type File = (&'static str, &'static str);

const DDR: &[File] = &[
    ("tb_accelerator.v", include_str!("../../sim/tb_accelerator.v")),
    ("ddr_phy_behavioural.v", include_str!("../../sim/ddr_phy_behavioural.v")),
    ("ddr_sdram.v", include_str!("../../sim/ddr_sdram.v")),
];

const SDR: &[File] = &[
    ("tb_accelerator.v", include_str!("../../sim/tb_sdr.v")),
    ("sdr_sdram.v", include_str!("../../sim/sdr_sdram.v")),
    ("BB.v", include_str!("../../sim/ecp5/BB.v")),
    ("IFS1P3BX.v", include_str!("../../sim/ecp5/IFS1P3BX.v")),
    ("ODDRX1F.v", include_str!("../../sim/ecp5/ODDRX1F.v")),
    ("OFS1P3BX.v", include_str!("../../sim/ecp5/OFS1P3BX.v")),
];

const AXI4: &[File] = &[
    ("tb_accelerator.v", include_str!("../../sim/tb_bus.v")),
    ("axi4_control.v", include_str!("../../sim/axi4_control.v")),
    ("axi4_memory.v", include_str!("../../sim/axi4_memory.v")),
    ("axi4_checker.v", include_str!("../../sim/axi4_checker.v")),
];

const AVALON: &[File] = &[
    ("tb_accelerator.v", include_str!("../../sim/tb_bus.v")),
    ("avalon_control.v", include_str!("../../sim/avalon_control.v")),
    ("avalon_memory.v", include_str!("../../sim/avalon_memory.v")),
    ("avalon_checker.v", include_str!("../../sim/avalon_checker.v")),
];

/// Lines that benches have in common, by the name in their `include`.
const INCLUDES: &[File] = &[
    ("native_bench.vh", include_str!("../../sim/native_bench.vh")),
    ("run_bench.vh", include_str!("../../sim/run_bench.vh")),
    ("timeline.vh", include_str!("../../sim/timeline.vh")),
];

/// Channels of an AXI4 port, with the bits of their parts, of which addresses and data have the bus's.
const PINS: [(&str, &[(&str, &str)]); 5] = [
    ("ar", &ADDRESSES),
    ("r", &[("id", "1"), ("data", "`BUS_BITS"), ("resp", "2"), ("last", "1"), ("valid", "1"), ("ready", "1")]),
    ("aw", &ADDRESSES),
    ("w", &[("data", "`BUS_BITS"), ("strb", "`BUS_BITS/8"), ("last", "1"), ("valid", "1"), ("ready", "1")]),
    ("b", &[("id", "1"), ("resp", "2"), ("valid", "1"), ("ready", "1")]),
];

/// Of a channel of addresses, for writes as for reads.
const ADDRESSES: [(&str, &str); 10] = [
    ("id", "1"),
    ("addr", "`ADDRESS_BITS"),
    ("len", "8"),
    ("size", "3"),
    ("burst", "2"),
    ("lock", "1"),
    ("cache", "4"),
    ("prot", "3"),
    ("valid", "1"),
    ("ready", "1"),
];

/// What the bench looks at of the accelerator's memory ports: its name there, and in the bench with the bits of a port; what
/// has none is a bit of a vector.
const LOOKED_AT: [(&str, &str, &str, u32); 10] = [
    ("m_store", "_address", "store_address", 32),
    ("m_store", "_length", "store_length", 32),
    ("m_load", "_address", "load_address", 32),
    ("m_load", "_length", "load_length", 32),
    // A word has up to 512 bits.
    ("m_write", "_data", "write_data", 512),
    ("m_write", "_strobe", "strobe", 64),
    ("m_load", "_valid", "load_valid", 0),
    ("m_store", "_valid", "store_valid", 0),
    ("m_write", "_valid", "write_valid", 0),
    ("s_read", "_ready", "read_ready", 0),
];

/// The text with the included lines in their places, so that a folder has a bench in one file, and simulators need no path.
fn whole(text: &str, bench: Bench) -> String {
    let line = |line: &str| match line.strip_prefix("`include \"").and_then(|rest| rest.strip_suffix("\"\n")) {
        None => line.to_string(),
        Some("bench_pins.vh") => bench.pins(),
        Some("bench_ports.vh") => bench.looked_at(),
        Some(name) => match INCLUDES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => whole(text, bench),
            None => panic!("no bench includes {name}"),
        },
    };
    text.split_inclusive('\n').map(line).collect()
}

impl Bench {
    /// The bench's module.
    pub const TOP: &'static str = "tb_accelerator";

    /// The bench of accelerators for a board.
    pub fn of(board: &Board) -> Bench {
        Bench::new(board.memory.link(), board.clock_ps())
    }

    /// The bench of an accelerator behind `link`, whose clock has a period of `clock_ps`.
    pub fn new(link: Link, clock_ps: u64) -> Bench {
        Bench { link, memory_bytes: USUAL_BYTES, clock_ps, soon_ready: false, slice: None, ports: 1 }
    }

    /// Around an accelerator with these memory ports ([`Offload::ports_used`](crate::offload::Offload::ports_used)); else it has
    /// the first one alone, as direct versions have.
    pub fn with_ports(self, ports: &[u32]) -> Bench {
        Bench { ports: ports.iter().fold(0, |all, port| all | 1 << port), ..self }
    }

    /// The numbers of the ports.
    fn ports(self) -> impl Iterator<Item = u32> {
        (0..u32::BITS).filter(move |port| self.ports >> port & 1 == 1)
    }

    /// With a memory that holds an image of `bytes`.
    pub fn holding(self, bytes: u64) -> Bench {
        Bench { memory_bytes: bytes.next_power_of_two().max(self.memory_bytes), ..self }
    }

    /// With as little memory as holds an image of `bytes`: Icarus makes every byte of it anew in each run, half a second
    /// for what is usual. Another build than that of another image.
    pub fn just_holding(self, bytes: u64) -> Bench {
        Bench { memory_bytes: bytes.next_power_of_two().max(FEW_BYTES), ..self }
    }

    /// Telling of the accelerator, not of a direct version, what its processes do: once per `cycles`, at least 1
    /// ([`Timeline`](super::timeline::Timeline)).
    pub fn telling_every(self, cycles: u64) -> Bench {
        Bench { slice: Some(cycles), ..self }
    }

    /// Clocks of the memory.
    const SOON: u64 = 200;

    /// For tests of many accelerators with DDR: power-up is short in the device's model and in the controller, whose
    /// parameter stands in the text of `files`. It takes Icarus most of a short run otherwise.
    pub fn soon_ready(self, files: &[VerilogFile]) -> (Bench, Vec<VerilogFile>) {
        let Link::Ddr(ddr) = self.link else { return (self, files.to_vec()) };
        let (usual, soon) = (format!("({})", ddr.init_clocks()), format!("({})", Bench::SOON));
        let mut replaced = 0;
        let mut line = |line: &str| {
            let wanted = line.trim_start().starts_with(".INIT_CLOCKS") && line.contains(&usual);
            replaced += usize::from(wanted);
            if wanted { line.replace(&usual, &soon) } else { line.to_string() }
        };
        let mut file = |file: &VerilogFile| {
            let text: String = file.text.split_inclusive('\n').map(&mut line).collect();
            VerilogFile { text, ..file.clone() }
        };
        let files = files.iter().map(&mut file).collect();
        assert!(replaced > 0, "no controller has a parameter INIT_CLOCKS");
        (Bench { soon_ready: true, ..self }, files)
    }

    /// Bytes of the memory that a run may touch, from address 0.
    pub fn memory_bytes(self) -> u64 {
        self.memory_bytes
    }

    /// The names of the files, the one of [`Bench::TOP`] first.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.parts().iter().map(|(name, _)| *name)
    }

    /// The same with their texts.
    pub fn files(self) -> impl Iterator<Item = (&'static str, String)> {
        self.parts().iter().map(move |(name, text)| (*name, whole(text, self)))
    }

    fn parts(self) -> &'static [File] {
        match self.link {
            Link::Ddr(_) => DDR,
            Link::Sdr(_) => SDR,
            Link::Bus(Bus { kind: BusKind::Axi4, .. }) => AXI4,
            Link::Bus(Bus { kind: BusKind::AvalonMm, .. }) => AVALON,
        }
    }

    /// Connections of the top's AXI4 ports, beside each other in the bench's vectors.
    fn pins(self) -> String {
        let pin = |place: usize, port: u32, name: &str, bits: &str| {
            let own = if bits == "1" { format!("[{place}]") } else { format!("[{place}*({bits}) +: {bits}]") };
            format!("        .m_axi{}_{name} ({name}{own})", port_suffix(port))
        };
        let of_port = |(place, port): (usize, u32)| {
            PINS.iter().flat_map(move |(channel, parts)| {
                parts.iter().map(move |(part, bits)| pin(place, port, &format!("{channel}{part}"), bits))
            })
        };
        self.ports().enumerate().flat_map(of_port).collect::<Vec<_>>().join(",\n") + "\n"
    }

    /// Wires for what the bench looks at of the accelerator's ports.
    fn looked_at(self) -> String {
        let mut text =
            String::from("    /* verilator lint_off WIDTH */ // the board sets the widths of addresses and lengths\n");
        for (group, what, name, bits) in LOOKED_AT {
            let range = if bits == 0 { String::new() } else { format!("[{}:0] ", bits - 1) };
            // Writing to a String cannot fail.
            let _ = match bits {
                0 => writeln!(text, "    wire [`PORTS-1:0] {name};"),
                _ => writeln!(text, "    wire {range}{name} [0:`PORTS-1];"),
            };
            for (place, port) in self.ports().enumerate() {
                let own = format!("dut.u_accelerator.{group}{}{what}", port_suffix(port));
                let _ = writeln!(text, "    assign {name}[{place}] = {own};");
            }
        }
        let first = port_suffix(self.ports().next().unwrap_or(0));
        let _ = writeln!(text, "    wire [31:0] word_bytes = $bits(dut.u_accelerator.m_write{first}_strobe);");
        if self.slice.is_some() {
            for (name, stream) in [("word_comes", "m_read"), ("word_goes", "s_write")] {
                let moves = |port: u32| {
                    let cell = format!("dut.u_master{}.{stream}", port_suffix(port));
                    format!("({cell}_valid && {cell}_ready)")
                };
                let any = self.ports().map(moves).collect::<Vec<_>>().join(" || ");
                let _ = writeln!(text, "    wire {name} = {any};");
            }
        }
        text + "    /* verilator lint_on WIDTH */\n"
    }

    fn device_parameters(self, ddr: &Ddr) -> String {
        let parameters = ddr.device_parameters();
        match self.soon_ready {
            true => {
                let init = |clocks: u64| format!(".INIT_CLOCKS({clocks})");
                parameters.replace(&init(ddr.init_clocks()), &init(Bench::SOON))
            }
            false => parameters,
        }
    }

    /// Macros that the files want, as a simulator's options.
    pub fn defines(self) -> Vec<String> {
        let mut defines = vec![format!("-DMEMORY_BYTES={}", self.memory_bytes)];
        defines.extend(self.slice.map(|cycles| format!("-DBURSTC_TIMELINE={cycles}")));
        match self.link {
            Link::Ddr(ddr) => defines.extend([
                format!("-DDDR_PERIOD_PS={}", ddr.clock_ps),
                format!("-DDDR_CONTROLLER={}", ddr.controller_parameters()),
                format!("-DDDR_DEVICE={}", self.device_parameters(&ddr)),
                // The image's addresses lie where the device's do, but for banks, which change places.
                format!("-DDDR_BYTES={}", self.memory_bytes.min(USUAL_BYTES)),
            ]),
            Link::Sdr(sdr) => defines.extend([
                format!("-DSDR_PERIOD_PS={}", sdr.clock_ps),
                format!("-DSDR_CAS_LATENCY={}", sdr.cas),
                format!("-DSDR_DEVICE={}", sdr.device_parameters()),
            ]),
            Link::Bus(bus) => {
                defines.extend([
                    format!("-DCLOCK_PS={}", self.clock_ps),
                    format!("-DBUS_BITS={}", bus.data_bits),
                    format!("-DADDRESS_BITS={}", self.link.byte_address_width()),
                ]);
                if self.ports().count() > 1 {
                    defines.push(format!("-DPORTS={}", self.ports().count()));
                }
                if bus.kind == BusKind::AvalonMm {
                    defines.push("-DBURSTC_AVALON".to_string());
                    defines.push(format!("-DBURSTCOUNT_BITS={}", bus.burst_width() + 1));
                }
            }
        }
        defines
    }
}

/// How the memory behind a bus behaves in a run; the native DDR model has its device's timing instead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MemoryModel {
    /// Cycles from an address to its first data, and from the last data to a response; 30 if absent.
    pub latency: Option<u32>,
    /// Per cent of the cycles in which a direction moves data; 100 if absent.
    pub bandwidth: Option<u32>,
    /// Beats that both directions of all ports together move in a million cycles at most; two million per port if absent.
    pub total: Option<u32>,
    /// Seed of random back-pressure on every channel; none if absent.
    pub stalls: Option<u32>,
    /// Accesses that begin in the 4 KB page of this address get SLVERR, or DECERR if it is odd (AXI4).
    pub fault: Option<u32>,
}

impl MemoryModel {
    /// With the figures of the board where this has none.
    pub fn on(self, board: &Board) -> MemoryModel {
        let Some(port) = board.memory.bus() else { return self };
        MemoryModel {
            latency: self.latency.or(Some(port.latency)),
            total: self.total.or(Some(port.beats_per_million())),
            ..self
        }
    }

    /// The simulation's arguments.
    pub fn arguments(self) -> Vec<String> {
        let settings =
            [("latency", self.latency), ("bandwidth", self.bandwidth), ("total", self.total), ("stalls", self.stalls)];
        let settings = settings.iter().filter_map(|(name, value)| Some(format!("+{name}={}", (*value)?)));
        settings.chain(self.fault.map(|address| format!("+fault={address:x}"))).collect()
    }
}
