//! The registers of an accelerator: start, done, counters, arguments; on a bus its errors and an interrupt, too.

use crate::hardware::accelerator::COUNTERS;
use crate::hardware::context::{Context, rtl_type};
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when};
use crate::source::kernel::{Argument, Kernel, Storage};

/// Errors that the bus answered with: {write DECERR, write SLVERR, read DECERR, read SLVERR}.
const STATUS: u32 = 6;
/// Bit 0 enables the interrupt; bit 1 is high while it is pending, and a 1 written there acknowledges it.
const INTERRUPT: u32 = 7;
/// First word of the arguments in the register map.
pub const FIRST_ARGUMENT: u32 = 8;

/// The words of the register map: the arguments in the order of the C prototype, then the values that the host computes,
/// then the bases of the local arrays, which may need a place in memory. `(argument, first word, number of words)`.
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
    let host = (kernel.scalar_arguments()..kernel.scalars.len()).map(Argument::Scalar);
    let all: Vec<Argument> = kernel.arguments.iter().copied().chain(host).chain(local.map(Argument::Array)).collect();
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
    if context.bus.is_some() {
        m.comment("Errors of the bus, and the interrupt: high from the end of a run until it is acknowledged");
        let status = m.input("status", Type::unsigned(4));
        let interrupt = m.output("irq", Type::BIT);
        let enable = m.reg("interrupt_enable", Type::BIT);
        let pending = m.reg("interrupt_pending", Type::BIT);
        let ends = busy.e().and(&done.e()).and(&start.e().not());
        let written = write.e().and(&at(INTERRUPT));
        let set = |register: &Signal, value: bool| assign(register, &Expr::bit(value));
        m.clocked(
            "",
            vec![(enable.clone(), 0), (pending.clone(), 0)],
            vec![
                when(written.clone(), vec![assign(&enable, &data.e().index(0))]),
                when(begin.e().or(&written.and(&data.e().index(1))), vec![set(&pending, false)]),
                when(ends, vec![set(&pending, true)]),
            ],
        );
        m.assign(&interrupt, &enable.e().and(&pending.e()));
        arms.push((index(STATUS), vec![assign(&read, &status.e().resize(word))]));
        arms.push((index(INTERRUPT), vec![assign(&read, &Expr::concat(&[pending.e(), enable.e()]).resize(word))]));
    }
    let zero = Expr::constant(0, word);
    m.combinational("", vec![(read.clone(), zero.clone())], vec![case(address.e(), arms, vec![assign(&read, &zero)])]);
    m
}

/// The accelerator's port for an argument.
pub fn argument_port(context: &Context, argument: Argument) -> (String, Type) {
    match argument {
        Argument::Parameter(p) => (format!("arg_{}", context.parameters[p].name), context.parameters[p].ty()),
        Argument::Scalar(s) => {
            let scalar = &context.kernel.scalars[s];
            (format!("arg_{}", scalar.name), rtl_type(scalar.ty))
        }
        Argument::Array(a) => (format!("base_{}", context.array(a).name), Type::unsigned(context.port.byte_address())),
    }
}
