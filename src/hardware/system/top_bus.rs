//! The top of an accelerator on a bus: control slave, registers, accelerator and bus master.

use crate::hardware::circuit::cells::clocking;
use crate::hardware::context::Context;
use crate::hardware::interface::link::{Bus, BusKind, port_suffix};
use crate::hardware::interface::status::BUS_ERRORS;
use crate::hardware::system::memory_port::MemoryPort;
use crate::hardware::system::registers::{argument_port, argument_words};
use crate::rtl::{Connection, Expr, Module, Signal, Type};
use crate::word::RegisterWord;

/// A port of the top that goes straight to a cell: name, type, driven by the cell.
type Pin = (&'static str, Type, bool);

/// The ports of the bus master `bus`.
pub fn master_pins(context: &Context, bus: Bus) -> Vec<Pin> {
    let bits = Type::unsigned;
    let address = bits(context.port.byte_address());
    let (data, strobe) = (bits(bus.data_bits), bits(bus.data_bits / 8));
    match bus.kind {
        BusKind::Axi4 => vec![
            ("m_axi_arid", bits(1), true),
            ("m_axi_araddr", address, true),
            ("m_axi_arlen", bits(8), true),
            ("m_axi_arsize", bits(3), true),
            ("m_axi_arburst", bits(2), true),
            ("m_axi_arlock", bits(1), true),
            ("m_axi_arcache", bits(4), true),
            ("m_axi_arprot", bits(3), true),
            ("m_axi_arvalid", bits(1), true),
            ("m_axi_arready", bits(1), false),
            ("m_axi_rid", bits(1), false),
            ("m_axi_rdata", data, false),
            ("m_axi_rresp", bits(2), false),
            ("m_axi_rlast", bits(1), false),
            ("m_axi_rvalid", bits(1), false),
            ("m_axi_rready", bits(1), true),
            ("m_axi_awid", bits(1), true),
            ("m_axi_awaddr", address, true),
            ("m_axi_awlen", bits(8), true),
            ("m_axi_awsize", bits(3), true),
            ("m_axi_awburst", bits(2), true),
            ("m_axi_awlock", bits(1), true),
            ("m_axi_awcache", bits(4), true),
            ("m_axi_awprot", bits(3), true),
            ("m_axi_awvalid", bits(1), true),
            ("m_axi_awready", bits(1), false),
            ("m_axi_wdata", data, true),
            ("m_axi_wstrb", strobe, true),
            ("m_axi_wlast", bits(1), true),
            ("m_axi_wvalid", bits(1), true),
            ("m_axi_wready", bits(1), false),
            ("m_axi_bid", bits(1), false),
            ("m_axi_bresp", bits(2), false),
            ("m_axi_bvalid", bits(1), false),
            ("m_axi_bready", bits(1), true),
        ],
        BusKind::AvalonMm => vec![
            ("avm_address", address, true),
            ("avm_burstcount", bits(bus.burst_width() + 1), true),
            ("avm_read", bits(1), true),
            ("avm_write", bits(1), true),
            ("avm_writedata", data, true),
            ("avm_byteenable", strobe, true),
            ("avm_waitrequest", bits(1), false),
            ("avm_readdata", data, false),
            ("avm_readdatavalid", bits(1), false),
        ],
    }
}

/// The ports of the control slave.
pub fn slave_pins(kind: BusKind) -> Vec<Pin> {
    let bits = Type::unsigned;
    let (word, bytes) = (RegisterWord::data(), bits(RegisterWord::BYTES));
    let (index, address) = (RegisterWord::index(), bits(RegisterWord::BYTE_ADDRESS_BITS));
    match kind {
        BusKind::Axi4 => vec![
            ("s_axil_awvalid", bits(1), false),
            ("s_axil_awready", bits(1), true),
            ("s_axil_awaddr", address, false),
            ("s_axil_wvalid", bits(1), false),
            ("s_axil_wready", bits(1), true),
            ("s_axil_wdata", word, false),
            ("s_axil_wstrb", bytes, false),
            ("s_axil_bvalid", bits(1), true),
            ("s_axil_bready", bits(1), false),
            ("s_axil_bresp", bits(2), true),
            ("s_axil_arvalid", bits(1), false),
            ("s_axil_arready", bits(1), true),
            ("s_axil_araddr", address, false),
            ("s_axil_rvalid", bits(1), true),
            ("s_axil_rready", bits(1), false),
            ("s_axil_rdata", word, true),
            ("s_axil_rresp", bits(2), true),
        ],
        BusKind::AvalonMm => vec![
            ("avs_address", index, false),
            ("avs_read", bits(1), false),
            ("avs_write", bits(1), false),
            ("avs_writedata", word, false),
            ("avs_byteenable", bytes, false),
            ("avs_readdata", word, true),
            ("avs_waitrequest", bits(1), true),
        ],
    }
}

/// `<kernel>_top` around the module `core` (`<kernel>_accelerator` or `<kernel>_direct`).
pub fn top(context: &Context, bus: Bus, name: &str, core: &str) -> Module {
    let kernel = context.kernel;
    let (title, slave) = match bus.kind {
        BusKind::Axi4 => ("AXI4", "axi4_lite_slave"),
        BusKind::AvalonMm => ("Avalon-MM", "avalon_slave"),
    };
    let mut m = Module::new(name);
    m.describe(&format!("{core} with its registers behind a control slave, and an {title} master to memory."));
    let word = RegisterWord::data();
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let interrupt = m.output("irq", Type::BIT);
    let several = context.ports.len() > 1;
    // The ports of a cell, as ports of the top: those of memory port 1 are `m_axi1_*`.
    let mut declare = |about: &str, pins: Vec<Pin>, suffix: &str| -> Vec<(String, Connection)> {
        m.comment(about);
        let connect = |(name, ty, driven): Pin| {
            let own = name.replacen("m_axi_", &format!("m_axi{suffix}_"), 1);
            let connection =
                if driven { Connection::Out(m.output(&own, ty)) } else { Connection::In(m.input(&own, ty).e()) };
            (name.to_string(), connection)
        };
        pins.into_iter().map(connect).collect()
    };
    let control = declare("Control", slave_pins(bus.kind), "");
    let masters: Vec<Vec<(String, Connection)>> = (context.ports.iter())
        .map(|&port| {
            let about = if several { format!("Memory, port {port}") } else { "Memory".to_string() };
            declare(&about, master_pins(context, bus), &port_suffix(port))
        })
        .collect();

    m.comment("Between them");
    let mut wire = |name: &str, ty: Type| m.wire(name, ty);
    let [write, start, done, idle] = ["reg_write", "start", "done", "memory_idle"].map(|name| wire(name, Type::BIT));
    let address = wire("reg_address", RegisterWord::index());
    let [data, read, counter] = ["reg_data", "reg_read", "counter"].map(|name| wire(name, word));
    let [status, clear] = ["status", "clear"].map(|name| wire(name, Type::unsigned(BUS_ERRORS)));
    let index_error = context.checks_subscripts().then(|| wire("index_error", Type::BIT));
    let arguments: Vec<(String, Signal)> = argument_words(kernel)
        .into_iter()
        .map(|(argument, ..)| {
            let (name, ty) = argument_port(context, argument);
            let signal = wire(&name, ty);
            (name, signal)
        })
        .collect();
    let ports_of_memory: Vec<MemoryPort> =
        context.ports.iter().map(|&port| MemoryPort::wires(&mut m, context, port)).collect();

    let input = |s: &Signal| Connection::In(s.e());
    let output = |s: &Signal| Connection::Out(s.clone());
    let named = |ports: Vec<(&str, Connection)>| ports.into_iter().map(|(n, c)| (n.to_string(), c)).collect::<Vec<_>>();

    let mut ports = clocking(&m);
    ports.extend(control);
    ports.extend(named(vec![
        ("m_reg_write", output(&write)),
        ("m_reg_address", output(&address)),
        ("m_reg_data", output(&data)),
        ("s_reg_data", input(&read)),
    ]));
    m.instance(slave, "u_control", vec![], ports);

    let mut ports = clocking(&m);
    ports.extend(named(vec![
        ("s_reg_write", input(&write)),
        ("s_reg_address", input(&address)),
        ("s_reg_data", input(&data)),
        ("m_reg_data", output(&read)),
        ("start", output(&start)),
        ("done", input(&done)),
        ("memory_ready", Connection::In(Expr::bit(true))),
        ("counter", input(&counter)),
        ("status", input(&status)),
        ("clear", output(&clear)),
        ("irq", output(&interrupt)),
    ]));
    ports.extend(index_error.iter().map(|error| ("index_error".to_string(), input(error))));
    ports.extend(arguments.iter().map(|(n, s)| (n.clone(), output(s))));
    m.instance(&format!("{}_registers", kernel.name), "u_registers", vec![], ports);

    let mut ports = clocking(&m);
    ports.extend(named(vec![
        ("start", input(&start)),
        ("done", output(&done)),
        ("memory_idle", input(&idle)),
        ("s_counter_index", Connection::In(address.e().slice(2, 0))),
        ("m_counter", output(&counter)),
    ]));
    ports.extend(index_error.iter().map(|error| ("m_index_error".to_string(), output(error))));
    ports.extend(arguments.iter().map(|(n, s)| (n.clone(), input(s))));
    ports.extend(ports_of_memory.iter().flat_map(|port| port.connections(true)));
    m.instance(core, "u_accelerator", vec![], ports);

    let link = Between { clear, status, idle };
    join_masters(&mut m, context, bus, &ports_of_memory, masters, &link);
    m
}

/// What the registers and the accelerator have to do with the bus masters.
struct Between {
    clear: Signal,
    status: Signal,
    idle: Signal,
}

/// A bus master per memory port, whose ports `pins` are the top's. Errors are of any of them; idle are all.
fn join_masters(
    m: &mut Module,
    context: &Context,
    bus: Bus,
    memory: &[MemoryPort],
    pins: Vec<Vec<(String, Connection)>>,
    between: &Between,
) {
    let several = memory.len() > 1;
    let output = |s: &Signal| Connection::Out(s.clone());
    let (mut idles, mut errors) = (vec![], vec![]);
    for ((port, memory), pins) in context.ports.iter().zip(memory).zip(pins) {
        let suffix = port_suffix(*port);
        let Between { clear, status, idle } = between;
        let (idle, status) = match several {
            false => (idle.clone(), status.clone()),
            true => (m.wire(&format!("idle{suffix}"), Type::BIT), m.wire(&format!("status{suffix}"), status.ty())),
        };
        let mut ports = clocking(m);
        ports.push(("idle".into(), output(&idle)));
        match bus.kind {
            BusKind::Axi4 => {
                ports.push(("clear".into(), Connection::In(clear.e())));
                ports.push(("status".into(), output(&status)));
            }
            // The bus has no error responses.
            BusKind::AvalonMm => {
                m.assign(&status, &Expr::constant(0, status.ty()));
            }
        }
        ports.extend(memory.connections(false));
        ports.extend(pins);
        let name = format!("u_master{suffix}");
        m.instance(context.link.controller(), &name, context.controller_parameters(), ports);
        idles.push(idle.e());
        errors.push(status.e());
    }
    if several {
        let all = |own: Vec<Expr>, join: fn(Expr, Expr) -> Expr| own.into_iter().reduce(join).expect("a port");
        m.assign(&between.idle, &all(idles, |a, b| a.and(&b)));
        m.assign(&between.status, &all(errors, |a, b| a.or(&b)));
    }
}
