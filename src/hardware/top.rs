//! Registers, accelerator and memory controller joined: what a board design instantiates.

use crate::hardware::accelerator::{COUNTERS, MemoryPort};
use crate::hardware::cells::clocking;
use crate::hardware::context::{Context, Stream, rtl_type};
use crate::rtl::{Connection, Expr, Label, Module, Signal, Statement, Type, assign, case, when};
use crate::source::kernel::{Argument, Kernel, Storage};

/// First word of the arguments in the register map.
pub const FIRST_ARGUMENT: u32 = 8;

/// The words of the register map: the arguments in the order of the C prototype, then the bases of the local arrays,
/// which may need a place in memory. `(argument, first word, number of words)`.
pub fn argument_words(kernel: &Kernel) -> Vec<(Argument, u32, u32)> {
    let mut next = FIRST_ARGUMENT;
    let words = |argument: &Argument| match argument {
        Argument::Scalar(s) if kernel.scalars[*s].ty.bits > 32 => 2,
        _ => 1,
    };
    let place = |argument: &Argument| {
        let first = next;
        next += words(argument);
        (*argument, first, words(argument))
    };
    let local = (0..kernel.arrays.len()).filter(|&a| kernel.arrays[a].storage != Storage::Argument);
    let all: Vec<Argument> = kernel.arguments.iter().copied().chain(local.map(Argument::Array)).collect();
    all.iter().map(place).collect()
}

/// `<kernel>_registers`: the register map of docs/ARCHITECTURE.md.
pub fn registers(context: &Context) -> Module {
    let kernel = context.kernel;
    let mut m = Module::new(&format!("{}_registers", kernel.name));
    m.describe(&format!(
        "Registers of {}: control, counters, arguments. Reads are combinational, those of counters a\n\
         cycle behind the address and after a run.",
        kernel.name
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    m.comment("Register bus: word addresses");
    let word = Type::unsigned(32);
    let write = m.input("s_reg_write", Type::BIT);
    let address = m.input("s_reg_address", Type::unsigned(8));
    let data = m.input("s_reg_data", word);
    m.waive_unused(&data);
    let read = m.output_reg("m_reg_data", word);
    m.comment("Accelerator");
    let start = m.output_reg("start", Type::BIT);
    let done = m.input("done", Type::BIT);
    let ready = m.input("memory_ready", Type::BIT);
    let counter = m.input("counter", word);

    let at = |index: u32| address.e().eq(&Expr::constant(index as i128, address.ty()));
    let busy = m.reg("busy", Type::BIT);
    let begin = write.e().and(&at(0)).and(&data.e().index(0)).and(&ready.e()).and(&busy.e().not());
    let begin = m.define("begin", &begin);
    // `done` falls one cycle after `start`, so a start still on its way keeps `busy` up.
    m.clocked(
        "",
        vec![(start.clone(), 0), (busy.clone(), 0)],
        vec![
            assign(&start, &begin.e()),
            crate::rtl::when_else(
                begin.e(),
                vec![assign(&busy, &Expr::bit(true))],
                vec![when(done.e().and(&start.e().not()), vec![assign(&busy, &Expr::bit(false))])],
            ),
        ],
    );

    let status = Expr::concat(&[ready.e(), done.e().and(&busy.e().not()), busy.e()]).resize(word);
    let mut arms: Vec<(Vec<Label>, Vec<Statement>)> = vec![];
    let index = |i: u32| vec![Label::Value(i as i128)];
    arms.push((index(0), vec![assign(&read, &status)]));
    for i in 0..COUNTERS.len() {
        arms.push((index(1 + i as u32), vec![assign(&read, &counter.e())]));
    }
    let mut writes = vec![];
    for (argument, first, words) in argument_words(kernel) {
        let (name, ty) = argument_port(context, argument);
        let register = m.output_reg(&name, ty);
        for part in 0..words {
            let low = 32 * part;
            let high = (low + 31).min(ty.width - 1);
            let mine = data.e().slice(high - low, 0);
            let value = match words {
                1 => mine.resize(ty),
                _ => {
                    let other = if part == 0 { register.e().slice(63, 32) } else { register.e().slice(31, 0) };
                    let both = if part == 0 { [other, mine] } else { [mine, other] };
                    Expr::concat(&both).resize(ty)
                }
            };
            writes.push(when(write.e().and(&at(first + part)), vec![assign(&register, &value)]));
            // A signed argument reads back sign-extended.
            let value = if words == 1 { register.e().resize(word) } else { register.e().slice(high, low) };
            arms.push((index(first + part), vec![assign(&read, &value.resize(word))]));
        }
    }
    m.clocked("Arguments", vec![], writes);
    let zero = Expr::constant(0, word);
    m.combinational("", vec![(read.clone(), zero.clone())], vec![case(address.e(), arms, vec![assign(&read, &zero)])]);
    m
}

/// The accelerator's port for an argument.
fn argument_port(context: &Context, argument: Argument) -> (String, Type) {
    match argument {
        Argument::Parameter(p) => (format!("arg_{}", context.parameters[p].name), context.parameters[p].ty()),
        Argument::Scalar(s) => {
            let scalar = &context.kernel.scalars[s];
            (format!("arg_{}", scalar.name), rtl_type(scalar.ty))
        }
        Argument::Array(a) => (format!("base_{}", context.array(a).name), Type::unsigned(context.port.byte_address())),
    }
}

/// Ports on the PHY side of `ddr_controller`, which the top passes through: name, type, driven by the controller.
pub fn phy_ports() -> Vec<(&'static str, Type, bool)> {
    let bits = Type::unsigned;
    vec![
        ("phy_cke", bits(1), true),
        ("phy_command_0", bits(3), true),
        ("phy_bank_0", bits(2), true),
        ("phy_address_0", bits(12), true),
        ("phy_command_1", bits(3), true),
        ("phy_bank_1", bits(2), true),
        ("phy_address_1", bits(12), true),
        ("phy_write_enable", bits(1), true),
        ("phy_write_data", bits(32), true),
        ("phy_write_mask", bits(4), true),
        ("phy_read_enable", bits(1), true),
        ("phy_read_valid", bits(1), false),
        ("phy_read_data", bits(32), false),
    ]
}

/// `<kernel>_top` around the module `core` (`<kernel>_accelerator` or `<kernel>_direct`).
pub fn top(context: &Context, name: &str, core: &str) -> Module {
    let kernel = context.kernel;
    let mut m = Module::new(name);
    m.describe(&format!("{core} with its registers and the DDR controller; the PHY side goes to the vendor's PHY."));
    let word = Type::unsigned(32);
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    m.comment("Register bus");
    let write = m.input("s_reg_write", Type::BIT);
    let address = m.input("s_reg_address", Type::unsigned(8));
    let data = m.input("s_reg_data", word);
    let read = m.output("m_reg_data", word);
    m.comment("PHY");
    let phy: Vec<(Signal, bool)> = phy_ports()
        .into_iter()
        .map(|(name, ty, driven)| (if driven { m.output(name, ty) } else { m.input(name, ty) }, driven))
        .collect();

    m.comment("Between them");
    let wire = |m: &mut Module, name: &str, ty: Type| m.wire(name, ty);
    let control: Vec<Signal> =
        ["start", "done", "memory_ready", "memory_idle"].map(|n| wire(&mut m, n, Type::BIT)).into();
    let counter = wire(&mut m, "counter", word);
    let arguments: Vec<(String, Signal)> = argument_words(kernel)
        .into_iter()
        .map(|(argument, ..)| {
            let (name, ty) = argument_port(context, argument);
            let signal = wire(&mut m, &name, ty);
            (name, signal)
        })
        .collect();
    let command = Stream::wires(&mut m, "cmd");
    let command_write = wire(&mut m, "cmd_write", Type::BIT);
    let command_address = wire(&mut m, "cmd_address", Type::unsigned(context.port.address));
    let command_length = wire(&mut m, "cmd_length", Type::unsigned(context.port.length));
    let words = Stream::wires(&mut m, "write");
    let port = MemoryPort {
        command,
        write: command_write,
        address: command_address,
        length: command_length,
        data: words,
        write_data: wire(&mut m, "write_data", word),
        strobe: wire(&mut m, "write_strobe", Type::unsigned(4)),
        read: Stream::wires(&mut m, "read"),
        read_data: wire(&mut m, "read_data", word),
    };

    let input = |s: &Signal| Connection::In(s.e());
    let output = |s: &Signal| Connection::Out(s.clone());
    let mut ports = clocking(&m);
    ports.extend([
        ("s_reg_write".to_string(), input(&write)),
        ("s_reg_address".into(), input(&address)),
        ("s_reg_data".into(), input(&data)),
        ("m_reg_data".into(), output(&read)),
        ("start".into(), output(&control[0])),
        ("done".into(), input(&control[1])),
        ("memory_ready".into(), input(&control[2])),
    ]);
    ports.push(("counter".into(), input(&counter)));
    ports.extend(arguments.iter().map(|(n, s)| (n.clone(), output(s))));
    m.instance(&format!("{}_registers", kernel.name), "u_registers", vec![], ports);

    let mut ports = clocking(&m);
    ports.extend([
        ("start".to_string(), input(&control[0])),
        ("done".into(), output(&control[1])),
        ("memory_idle".into(), input(&control[3])),
    ]);
    ports.push(("s_counter_index".into(), Connection::In(address.e().slice(2, 0))));
    ports.push(("m_counter".into(), output(&counter)));
    ports.extend(arguments.iter().map(|(n, s)| (n.clone(), input(s))));
    ports.extend(sides(&port, "m_", "s_", true));
    m.instance(core, "u_accelerator", vec![], ports);

    let mut ports = clocking(&m);
    ports.extend([("ready".to_string(), output(&control[2])), ("idle".into(), output(&control[3]))]);
    ports.extend(sides(&port, "s_", "m_", false));
    ports.extend(phy.iter().map(|(s, driven)| (s.name().to_string(), if *driven { output(s) } else { input(s) })));
    let widths = [("ADDRESS_WIDTH", context.port.address as i128), ("LENGTH_WIDTH", context.port.length as i128)];
    m.instance("ddr_controller", "u_controller", widths.to_vec(), ports);
    m
}

/// The memory port as seen by its master (`master` true) or slave; `out` and `back` are the prefixes of the streams
/// that leave the master and of the one that comes back.
fn sides(port: &MemoryPort, out: &str, back: &str, master: bool) -> Vec<(String, Connection)> {
    let forward = |s: &Signal| if master { Connection::Out(s.clone()) } else { Connection::In(s.e()) };
    let backward = |s: &Signal| if master { Connection::In(s.e()) } else { Connection::Out(s.clone()) };
    vec![
        (format!("{out}cmd_valid"), forward(&port.command.valid)),
        (format!("{out}cmd_ready"), backward(&port.command.ready)),
        (format!("{out}cmd_write"), forward(&port.write)),
        (format!("{out}cmd_address"), forward(&port.address)),
        (format!("{out}cmd_length"), forward(&port.length)),
        (format!("{out}write_valid"), forward(&port.data.valid)),
        (format!("{out}write_ready"), backward(&port.data.ready)),
        (format!("{out}write_data"), forward(&port.write_data)),
        (format!("{out}write_strobe"), forward(&port.strobe)),
        (format!("{back}read_valid"), backward(&port.read.valid)),
        (format!("{back}read_ready"), forward(&port.read.ready)),
        (format!("{back}read_data"), backward(&port.read_data)),
    ]
}
