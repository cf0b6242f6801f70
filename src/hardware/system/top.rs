//! Registers, accelerator and memory controller or bus master joined: what a board design instantiates.

use crate::hardware::circuit::cells::clocking;
use crate::hardware::context::Context;
use crate::hardware::interface::link::Link;
use crate::hardware::system::memory_port::MemoryPort;
use crate::hardware::system::registers::{argument_port, argument_words};
use crate::hardware::system::top_bus;
use crate::rtl::{Connection, Module, Signal, Type};
use crate::word::RegisterWord;

/// `<kernel>_top` around the module `core` (`<kernel>_accelerator` or `<kernel>_direct`).
pub fn top(context: &Context, name: &str, core: &str) -> Module {
    let (memory, phy) = match context.link {
        Link::Bus(bus) => return top_bus::top(context, bus, name, core),
        Link::Sdr(_) => ("SDR", "sdr_phy_ecp5 or another"),
        Link::Ddr(_) => ("DDR", "the vendor's"),
    };
    let kernel = context.kernel;
    let mut m = Module::new(name);
    m.describe(&format!("{core} with its registers and the {memory} controller; the PHY side goes to {phy} PHY."));
    let word = RegisterWord::data();
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    m.comment("Register bus");
    let write = m.input("s_reg_write", Type::BIT);
    let address = m.input("s_reg_address", RegisterWord::index());
    let data = m.input("s_reg_data", word);
    let read = m.output("m_reg_data", word);
    m.comment("PHY");
    let phy: Vec<(Signal, bool)> = context
        .link
        .phy_ports()
        .into_iter()
        .map(|(name, ty, driven)| (if driven { m.output(name, ty) } else { m.input(name, ty) }, driven))
        .collect();

    m.comment("Between them");
    let wire = |m: &mut Module, name: &str, ty: Type| m.wire(name, ty);
    let control: Vec<Signal> =
        ["start", "done", "memory_ready", "memory_idle"].map(|n| wire(&mut m, n, Type::BIT)).into();
    let counter = wire(&mut m, "counter", word);
    let index_error = context.checks_subscripts().then(|| wire(&mut m, "index_error", Type::BIT));
    let arguments: Vec<(String, Signal)> = argument_words(kernel)
        .into_iter()
        .map(|(argument, ..)| {
            let (name, ty) = argument_port(context, argument);
            let signal = wire(&mut m, &name, ty);
            (name, signal)
        })
        .collect();
    let port = MemoryPort::wires(&mut m, context, 0);

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
    ports.extend(index_error.iter().map(|error| ("index_error".to_string(), input(error))));
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
    ports.extend(index_error.iter().map(|error| ("m_index_error".to_string(), output(error))));
    ports.extend(arguments.iter().map(|(n, s)| (n.clone(), input(s))));
    ports.extend(port.connections(true));
    m.instance(core, "u_accelerator", vec![], ports);

    let mut ports = clocking(&m);
    ports.extend([("ready".to_string(), output(&control[2])), ("idle".into(), output(&control[3]))]);
    ports.extend(port.connections(false));
    ports.extend(phy.iter().map(|(s, driven)| (s.name().to_string(), if *driven { output(s) } else { input(s) })));
    m.instance(context.link.controller(), "u_controller", context.controller_parameters(), ports);
    m
}
