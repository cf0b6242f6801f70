//! The memory port of an accelerator, as docs/ARCHITECTURE.md has it: one queue of commands, or loads and stores apart.

use crate::hardware::circuit::cells::{clocking, into, out_of};
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::Context;
use crate::hardware::interface::link::port_suffix;
use crate::hardware::transfer::load::TILES_ON_A_BUS;
use crate::rtl::{Connection, Expr, Module, Signal, Type};

/// Wires or ports of a memory port.
pub struct MemoryPort {
    /// What its names have behind the stream's.
    suffix: String,
    commands: CommandPort,
    pub data: Stream,
    pub write_data: Signal,
    pub strobe: Signal,
    pub read: Stream,
    pub read_data: Signal,
}

/// The way of the commands.
enum CommandPort {
    /// Done in the order in which they are accepted.
    Joined { stream: Stream, write: Signal, address: Signal, length: Signal },
    /// Loads and stores know nothing of each other; `written` is high for a cycle when the oldest store has taken effect.
    Apart { load: Bare, store: Bare, written: Signal },
}

/// A stream of commands of one direction.
struct Bare {
    stream: Stream,
    address: Signal,
    length: Signal,
}

impl Bare {
    fn shown(&self) -> [&Signal; 4] {
        [&self.stream.valid, &self.stream.ready, &self.address, &self.length]
    }

    fn never(&self, m: &mut Module) {
        for signal in [&self.stream.valid, &self.address, &self.length] {
            m.assign(signal, &Expr::constant(0, signal.ty()));
        }
    }
}

/// Makes the signals of the port, as ports of the accelerator or as wires of their names without prefix.
struct Make<'a> {
    module: &'a mut Module,
    ports: bool,
    suffix: String,
}

impl Make<'_> {
    /// `m_load_valid` is `m_load1_valid` of port 1.
    fn named(&self, name: &str) -> String {
        let (side, rest) = name.split_at(2);
        let (group, what) = rest.split_once('_').map_or((rest, String::new()), |(group, w)| (group, format!("_{w}")));
        format!("{side}{group}{}{what}", self.suffix)
    }

    fn leaves(&mut self, name: &str, ty: Type) -> Signal {
        let name = &self.named(name);
        if self.ports { self.module.output(name, ty) } else { self.module.wire(&name[2..], ty) }
    }

    fn comes(&mut self, name: &str, ty: Type) -> Signal {
        let name = &self.named(name);
        if self.ports { self.module.input(name, ty) } else { self.module.wire(&name[2..], ty) }
    }

    /// A stream out of the accelerator.
    fn stream(&mut self, group: &str) -> Stream {
        Stream {
            valid: self.leaves(&format!("m_{group}_valid"), Type::BIT),
            ready: self.comes(&format!("m_{group}_ready"), Type::BIT),
        }
    }

    fn bare(&mut self, context: &Context, group: &str) -> Bare {
        Bare {
            stream: self.stream(group),
            address: self.leaves(&format!("m_{group}_address"), Type::unsigned(context.port.address)),
            length: self.leaves(&format!("m_{group}_length"), Type::unsigned(context.port.length)),
        }
    }
}

impl MemoryPort {
    /// Declares port `port` as ports of the accelerator.
    pub fn declare(m: &mut Module, context: &Context, port: u32) -> MemoryPort {
        MemoryPort::make(&mut Make { module: m, ports: true, suffix: port_suffix(port) }, context)
    }

    /// Declares wires for it, named as the ports without prefix.
    pub fn wires(m: &mut Module, context: &Context, port: u32) -> MemoryPort {
        MemoryPort::make(&mut Make { module: m, ports: false, suffix: port_suffix(port) }, context)
    }

    fn make(make: &mut Make, context: &Context) -> MemoryPort {
        let commands = match context.bus {
            None => CommandPort::Joined {
                stream: make.stream("cmd"),
                write: make.leaves("m_cmd_write", Type::BIT),
                address: make.leaves("m_cmd_address", Type::unsigned(context.port.address)),
                length: make.leaves("m_cmd_length", Type::unsigned(context.port.length)),
            },
            Some(_) => CommandPort::Apart {
                load: make.bare(context, "load"),
                store: make.bare(context, "store"),
                written: make.comes("s_written", Type::BIT),
            },
        };
        MemoryPort {
            suffix: make.suffix.clone(),
            commands,
            data: make.stream("write"),
            write_data: make.leaves("m_write_data", context.port.word.data()),
            strobe: make.leaves("m_write_strobe", context.port.word.strobe()),
            read: Stream {
                valid: make.comes("s_read_valid", Type::BIT),
                ready: make.leaves("s_read_ready", Type::BIT),
            },
            read_data: make.comes("s_read_data", context.port.word.data()),
        }
    }

    /// The pulse of a store that has taken effect, where loads and stores go apart.
    pub fn written(&self) -> Option<&Signal> {
        match &self.commands {
            CommandPort::Joined { .. } => None,
            CommandPort::Apart { written, .. } => Some(written),
        }
    }

    /// Nothing waits to leave.
    pub fn quiet(&self) -> Expr {
        let commands = match &self.commands {
            CommandPort::Joined { stream, .. } => stream.valid.e().not(),
            CommandPort::Apart { store, .. } => store.stream.valid.e().not(),
        };
        commands.and(&self.data.valid.e().not())
    }

    /// Joins it, as ports, to a reading and a writing process: through an arbiter where there is one queue. Behind a bus either
    /// may be missing.
    pub fn connect(&self, m: &mut Module, context: &Context, reads: Option<&Commands>, writes: Option<&Commands>) {
        match &self.commands {
            CommandPort::Joined { stream, write, address, length } => {
                let mut ports = clocking(m);
                for (group, commands) in [("load", reads), ("store", writes)] {
                    let commands = commands.expect("one queue has both processes");
                    ports.extend(into(group, &commands.stream));
                    ports.push((format!("s_{group}_address"), Connection::In(commands.address.e())));
                    ports.push((format!("s_{group}_length"), Connection::In(commands.length.e())));
                    ports.push((format!("s_{group}_last"), Connection::In(commands.last.e())));
                }
                ports.extend(out_of("cmd", stream));
                for (name, signal) in [("write", write), ("address", address), ("length", length)] {
                    ports.push((format!("m_cmd_{name}"), Connection::Out(signal.clone())));
                }
                let widths =
                    [("ADDRESS_WIDTH", context.port.address as i128), ("LENGTH_WIDTH", context.port.length as i128)];
                m.instance("memory_arbiter", "u_arbiter", widths.to_vec(), ports);
            }
            CommandPort::Apart { load, store, .. } => {
                for (bare, commands) in [(load, reads), (store, writes)] {
                    let Some(commands) = commands else { continue };
                    m.assign(&bare.stream.valid, &commands.stream.valid.e());
                    m.assign(&commands.stream.ready, &bare.stream.ready.e());
                    m.assign(&bare.address, &commands.address.e());
                    m.assign(&bare.length, &commands.length.e());
                }
            }
        }
    }

    /// No process reads through it.
    pub fn never_loads(&self, m: &mut Module) {
        if let CommandPort::Apart { load, .. } = &self.commands {
            load.never(m);
        }
        m.assign(&self.read.ready, &Expr::bit(true));
    }

    /// No process writes through it.
    pub fn never_stores(&self, m: &mut Module) {
        if let CommandPort::Apart { store, .. } = &self.commands {
            store.never(m);
        }
        for signal in [&self.data.valid, &self.write_data, &self.strobe] {
            m.assign(signal, &Expr::constant(0, signal.ty()));
        }
    }

    /// For the view of a waveform.
    pub fn shown(&self) -> Vec<&Signal> {
        let mut shown = match &self.commands {
            CommandPort::Joined { stream, write, address, length } => {
                vec![&stream.valid, &stream.ready, write, address, length]
            }
            CommandPort::Apart { load, store, written } => {
                [load.shown().as_slice(), &store.shown(), &[written]].concat()
            }
        };
        shown.extend([&self.read.valid, &self.read.ready, &self.read_data]);
        shown.extend([&self.data.valid, &self.data.ready, &self.write_data, &self.strobe]);
        shown
    }

    /// Connections of the accelerator (`master`) or of what stands behind it.
    pub fn connections(&self, master: bool) -> Vec<(String, Connection)> {
        let (out, back) = if master { ("m_", "s_") } else { ("s_", "m_") };
        let forward = |s: &Signal| if master { Connection::Out(s.clone()) } else { Connection::In(s.e()) };
        let backward = |s: &Signal| if master { Connection::In(s.e()) } else { Connection::Out(s.clone()) };
        let suffix = if master { self.suffix.as_str() } else { "" };
        let mut ports = vec![];
        let stream = |ports: &mut Vec<(String, Connection)>, group: &str, stream: &Stream| {
            ports.push((format!("{out}{group}{suffix}_valid"), forward(&stream.valid)));
            ports.push((format!("{out}{group}{suffix}_ready"), backward(&stream.ready)));
        };
        match &self.commands {
            CommandPort::Joined { stream: commands, write, address, length } => {
                stream(&mut ports, "cmd", commands);
                for (name, signal) in [("write", write), ("address", address), ("length", length)] {
                    ports.push((format!("{out}cmd_{name}"), forward(signal)));
                }
            }
            CommandPort::Apart { load, store, written } => {
                for (group, bare) in [("load", load), ("store", store)] {
                    stream(&mut ports, group, &bare.stream);
                    ports.push((format!("{out}{group}{suffix}_address"), forward(&bare.address)));
                    ports.push((format!("{out}{group}{suffix}_length"), forward(&bare.length)));
                }
                ports.push((format!("{back}written{suffix}"), backward(written)));
            }
        }
        stream(&mut ports, "write", &self.data);
        ports.push((format!("{out}write{suffix}_data"), forward(&self.write_data)));
        ports.push((format!("{out}write{suffix}_strobe"), forward(&self.strobe)));
        ports.push((format!("{back}read{suffix}_valid"), backward(&self.read.valid)));
        ports.push((format!("{back}read{suffix}_ready"), forward(&self.read.ready)));
        ports.push((format!("{back}read{suffix}_data"), backward(&self.read_data)));
        ports
    }
}

/// Wires of a stream of commands from a process.
pub struct Commands {
    pub stream: Stream,
    pub address: Signal,
    pub length: Signal,
    pub last: Signal,
}

impl Commands {
    pub fn wires(m: &mut Module, context: &Context, prefix: &str) -> Commands {
        Commands {
            stream: Stream::wires(m, &format!("{prefix}_cmd")),
            address: m.wire(&format!("{prefix}_cmd_address"), Type::unsigned(context.port.address)),
            length: m.wire(&format!("{prefix}_cmd_length"), Type::unsigned(context.port.length)),
            last: m.wire(&format!("{prefix}_cmd_last"), Type::BIT),
        }
    }

    /// Asks for `length` words from `address` on while `valid`.
    pub fn give(&self, m: &mut Module, valid: &Expr, address: &Expr, length: &Expr) {
        m.assign(&self.stream.valid, valid);
        m.assign(&self.address, address);
        m.assign(&self.length, length);
    }

    /// For the view of a waveform.
    pub fn shown(&self) -> [&Signal; 4] {
        [&self.stream.valid, &self.stream.ready, &self.address, &self.length]
    }

    /// The ports of the process that makes the commands.
    pub fn connections(&self) -> Vec<(String, Connection)> {
        let mut ports = out_of("cmd", &self.stream);
        ports.extend([
            ("m_cmd_address".into(), Connection::Out(self.address.clone())),
            ("m_cmd_length".into(), Connection::Out(self.length.clone())),
            ("m_cmd_last".into(), Connection::Out(self.last.clone())),
        ]);
        ports
    }
}

/// Bits that count store commands under way, of which fewer than half their range may be: a bus master has at most 67, as
/// many bursts without a response as OUTSTANDING may be, 64, and three on their way to it.
const STORES_UNDER_WAY_BITS: i128 = 8;

/// `in_memory`, once per tile, when all stores that the tile's end mark (`stored`) has behind it have been written: those of the
/// port that `suffix` names.
pub fn track(m: &mut Module, suffix: &str, stores: &Commands, stored: &Signal, written: &Signal, in_memory: &Signal) {
    let mut ports = clocking(m);
    ports.extend([
        ("s_command".to_string(), Connection::In(stores.stream.fires())),
        ("s_written".into(), Connection::In(written.e())),
        ("s_end".into(), Connection::In(stored.e())),
        ("m_end".into(), Connection::Out(in_memory.clone())),
    ]);
    // As many end marks wait as there are tiles ahead of memory.
    let parameters = vec![("COUNT_WIDTH", STORES_UNDER_WAY_BITS), ("DEPTH", i128::from(TILES_ON_A_BUS))];
    m.instance("store_tracker", &format!("u_tracker{suffix}"), parameters, ports);
}
