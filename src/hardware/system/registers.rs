//! The registers of an accelerator: start, status, counters, arguments, and the check of the arguments before a run; on a
//! bus an interrupt, too.

use crate::hardware::circuit::cells::port;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::scope::signed_digits;
use crate::hardware::circuit::variable::Var;
use crate::hardware::context::Context;
use crate::hardware::interface::status::{
    ALIGNMENT_ERROR, BUS_ERROR, BUS_ERRORS, BUSY, CONTROL, DONE, FIRST_ARGUMENT, INDEX_ERROR, INTERRUPT, MEMORY_READY,
    SIZE_ERROR, START,
};
use crate::hardware::system::accelerator::COUNTERS;
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};
use crate::source::kernel::{Argument, Kernel, ScalarType, SizeCondition, Storage};
use crate::word::{RegisterWord, Word};

/// Bases are multiples of this many bytes: of the widest element, so that no element lies across the words that hold
/// it, and of the memory port's word, so that arrays of elements that fill it need no packing.
pub const BASE_ALIGNMENT: u32 = {
    let (element, word) = (ScalarType::WIDEST.bits / 8, Word::PORT.bytes());
    if element > word { element } else { word }
};

/// The words of the register map: the arguments in the order of the C prototype, then the values that the host computes,
/// then the bases of the local arrays, which may need a place in memory. `(argument, first word, number of words)`.
pub fn argument_words(kernel: &Kernel) -> Vec<(Argument, u32, u32)> {
    let mut next = FIRST_ARGUMENT;
    let words = |argument: &Argument| match argument {
        Argument::Scalar(s) => RegisterWord::holding(kernel.scalars[*s].ty.bits),
        Argument::Parameter(p) => RegisterWord::holding(kernel.parameters[*p].ty.bits),
        Argument::Array(_) => 1,
    };
    let place = |argument: &Argument| {
        let first = next;
        next += words(argument);
        (*argument, first, words(argument))
    };
    let local = kernel.arrays.keys().filter(|&a| kernel.arrays[a].storage != Storage::Argument);
    let host = (kernel.scalar_arguments()..kernel.scalars.len()).map(Argument::Scalar);
    let all: Vec<Argument> = kernel.arguments.iter().copied().chain(host).chain(local.map(Argument::Array)).collect();
    all.iter().map(place).collect()
}

/// `<kernel>_registers`: the register map of docs/ARCHITECTURE.md.
pub fn registers(context: &Context) -> Module {
    let kernel = context.kernel;
    let mut m = Module::new(&format!("{}_registers", kernel.name));
    m.describe(&format!(
        "Registers of {}: control and status, counters, arguments. A start checks sizes and bases,\n\
         and is refused where they are not what the accelerator was built for. Reads are combinational,\n\
         those of counters a cycle behind the address and after a run.",
        kernel.name
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    m.comment("Register bus: word addresses");
    let word = RegisterWord::data();
    let write = m.input("s_reg_write", Type::BIT);
    let address = m.input("s_reg_address", RegisterWord::index());
    let data = m.input("s_reg_data", word);
    let read = m.output_reg("m_reg_data", word);
    m.comment("Accelerator");
    let start = m.output_reg("start", Type::BIT);
    let done = m.input("done", Type::BIT);
    let ready = m.input("memory_ready", Type::BIT);
    let counter = m.input("counter", word);
    let index_raised = context.checks_subscripts().then(|| m.input("index_error", Type::BIT));
    let bus_errors = context.bus.map(|_| m.input("status", Type::unsigned(BUS_ERRORS)));

    let at = |index: u32| address.e().eq(&Expr::constant(index as i128, address.ty()));
    let set = |register: &Signal, value: bool| assign(register, &Expr::bit(value));
    let control = m.define("control", &write.e().and(&at(CONTROL)));
    let busy = m.reg("busy", Type::BIT);
    let begin = m.define("begins", &control.e().and(&data.e().index(START)).and(&busy.e().not()));

    let mut arms: Vec<(Vec<Label>, Vec<Statement>)> = vec![];
    let index = |i: u32| vec![Label::Value(i as i128)];
    let arguments = arguments(context, &mut m, &write.e().and(&busy.e().not()), &address, &data);

    m.comment("The check before a run");
    let checking = m.reg("checking", Type::BIT);
    let (size_is_wrong, base_is_wrong) = arguments.wrong(&mut m);
    let domain = domain(context, &mut m, &begin, &checking);
    let wrong_size = domain.as_ref().map_or(size_is_wrong.e(), |domain| size_is_wrong.e().or(&domain.violated));
    let checked = domain.as_ref().map_or(checking.e(), |domain| checking.e().and(&domain.ends));
    let refused = m.define("refused", &checked.and(&wrong_size.or(&base_is_wrong.e())));
    let accepted = m.define("accepted", &checked.and(&refused.e().not()).and(&ready.e()));

    // `done` falls one cycle after `start`, so a start still on its way keeps `busy` up.
    let ends = busy.e().and(&checking.e().not()).and(&done.e()).and(&start.e().not());
    let ends = m.define("ends", &ends);
    let complete = m.reg("complete", Type::BIT);
    let size_error = m.reg("size_error", Type::BIT);
    let alignment_error = m.reg("alignment_error", Type::BIT);
    let cleared = |bit: u32| begin.e().or(&control.e().and(&data.e().index(bit)));
    m.clocked(
        "",
        [&start, &busy, &checking, &complete, &size_error, &alignment_error].map(|s| (s.clone(), 0)).into(),
        vec![
            assign(&start, &accepted.e()),
            when(cleared(SIZE_ERROR), vec![set(&size_error, false)]),
            when(cleared(ALIGNMENT_ERROR), vec![set(&alignment_error, false)]),
            when(begin.e(), vec![set(&busy, true), set(&checking, true), set(&complete, false)]),
            when(accepted.e().or(&refused.e()), vec![set(&checking, false)]),
            when_else(
                refused.e(),
                vec![
                    set(&busy, false),
                    when(wrong_size.clone(), vec![set(&size_error, true)]),
                    when(base_is_wrong.e(), vec![set(&alignment_error, true)]),
                ],
                vec![when(ends.e(), vec![set(&busy, false), set(&complete, true)])],
            ),
        ],
    );

    let index_error = index_raised.map(|raised| {
        let register = m.reg("index_error_seen", Type::BIT);
        let cleared = cleared(INDEX_ERROR);
        let raise = when_else(raised.e(), vec![set(&register, true)], vec![when(cleared, vec![set(&register, false)])]);
        m.clocked("Some subscript has left its array.", vec![(register.clone(), 0)], vec![raise]);
        register.e()
    });

    let bits = [
        (BUSY, busy.e()),
        (DONE, complete.e()),
        (MEMORY_READY, ready.e()),
        (SIZE_ERROR, size_error.e()),
        (ALIGNMENT_ERROR, alignment_error.e()),
        (INDEX_ERROR, index_error.unwrap_or(Expr::bit(false))),
    ];
    let status = status_word(&bits, bus_errors.as_ref());
    arms.push((index(CONTROL), vec![assign(&read, &status)]));
    for i in 0..COUNTERS.len() {
        arms.push((index(1 + i as u32), vec![assign(&read, &counter.e())]));
    }
    arms.extend(arguments.words.iter().map(|(place, value)| (index(*place), vec![assign(&read, value)])));
    if context.bus.is_some() {
        m.comment(
            "Errors of the bus are the master's. The interrupt: from a run's end or refusal until it is acknowledged",
        );
        let clear = m.output("clear", Type::unsigned(BUS_ERRORS));
        let given = data.e().slice(BUS_ERROR + BUS_ERRORS - 1, BUS_ERROR);
        m.assign(&clear, &begin.e().replicate(BUS_ERRORS).or(&control.e().replicate(BUS_ERRORS).and(&given)));
        let written = write.e().and(&at(INTERRUPT));
        let interrupt = interrupt(&mut m, (&written, &data), &begin.e(), &ends.e().or(&refused.e()));
        arms.push((index(INTERRUPT), vec![assign(&read, &interrupt.resize(word))]));
    }
    let zero = Expr::constant(0, word);
    m.combinational("", vec![(read.clone(), zero.clone())], vec![case(address.e(), arms, vec![assign(&read, &zero)])]);
    m
}

/// The status word of its bits and their places; those of the bus, where there is one, are the master's.
fn status_word(bits: &[(u32, Expr)], bus_errors: Option<&Signal>) -> Expr {
    let of_bus = bus_errors.iter().flat_map(|errors| (0..BUS_ERRORS).map(|k| (BUS_ERROR + k, errors.e().index(k))));
    let bits: Vec<(u32, Expr)> = bits.iter().cloned().chain(of_bus).collect();
    let bit = |place: u32| bits.iter().find(|(b, _)| *b == place).map_or(Expr::bit(false), |(_, value)| value.clone());
    Expr::concat(&(0..RegisterWord::BITS).rev().map(bit).collect::<Vec<_>>())
}

/// The interrupt of an accelerator behind a bus: pending from `raised` until it is acknowledged or a run `begins`. Returns
/// what its register reads.
fn interrupt(m: &mut Module, (written, data): (&Expr, &Signal), begins: &Expr, raised: &Expr) -> Expr {
    let interrupt = m.output("irq", Type::BIT);
    let enable = m.reg("interrupt_enable", Type::BIT);
    let pending = m.reg("interrupt_pending", Type::BIT);
    let set = |value: bool| assign(&pending, &Expr::bit(value));
    m.clocked(
        "",
        vec![(enable.clone(), 0), (pending.clone(), 0)],
        vec![
            when(written.clone(), vec![assign(&enable, &data.e().index(0))]),
            when(begins.or(&written.and(&data.e().index(1))), vec![set(false)]),
            when(raised.clone(), vec![set(true)]),
        ],
    );
    m.assign(&interrupt, &enable.e().and(&pending.e()));
    Expr::concat(&[pending.e(), enable.e()])
}

/// The registers of the arguments.
struct Arguments {
    /// What each word reads.
    words: Vec<(u32, Expr)>,
    /// Bits that are high for sizes out of their bounds, and for bases that no array can have.
    wrong_sizes: Vec<Expr>,
    wrong_bases: Vec<Expr>,
}

impl Arguments {
    /// Whether any size is out of its bounds, and any base one that no array can have.
    fn wrong(&self, m: &mut Module) -> (Signal, Signal) {
        let size_is_wrong = m.reg("size_is_wrong", Type::BIT);
        let base_is_wrong = m.reg("base_is_wrong", Type::BIT);
        m.clocked(
            "Registers hold what was written, so that nothing is overlooked.",
            vec![],
            vec![
                assign(&size_is_wrong, &Expr::any(&self.wrong_sizes)),
                assign(&base_is_wrong, &Expr::any(&self.wrong_bases)),
            ],
        );
        (size_is_wrong, base_is_wrong)
    }
}

/// Declares them; `write` is high when one may be written. Sizes and bases are kept as written, whatever of them the
/// accelerator takes; of scalars, what C's conversion to their type leaves: the low bits, and of `_Bool` whether any is 1.
fn arguments(context: &Context, m: &mut Module, write: &Expr, address: &Signal, data: &Signal) -> Arguments {
    let kernel = context.kernel;
    let word = RegisterWord::data();
    let (mut writes, mut read, mut wrong_sizes, mut wrong_bases) = (vec![], vec![], vec![], vec![]);
    for (argument, first, words) in argument_words(kernel) {
        let (name, ty) = argument_port(context, argument);
        let is_scalar = matches!(argument, Argument::Scalar(_));
        let register = match is_scalar {
            true => m.output_reg(&name, ty),
            false => {
                let port = m.output(&name, ty);
                // Both begin with what no other signal here begins with.
                let whole = m.reg(&format!("whole_{name}"), Type::unsigned(RegisterWord::BITS * words));
                m.assign(&port, &whole.e().resize(ty));
                whole
            }
        };
        match argument {
            Argument::Parameter(p) => {
                let (low, high) = context.names.parameters[p].range;
                let bound = |value: i64| Expr::constant(value.into(), register.ty());
                if low > 0 {
                    wrong_sizes.push(register.e().lt(&bound(low)));
                }
                wrong_sizes.push(register.e().gt(&bound(high)));
            }
            Argument::Array(_) => {
                wrong_bases.push(register.e().slice(BASE_ALIGNMENT.trailing_zeros() - 1, 0).reduce_or());
                if ty.width < register.width() {
                    wrong_bases.push(register.e().slice(register.width() - 1, ty.width).reduce_or());
                }
            }
            Argument::Scalar(_) => {}
        }
        let is_boolean = matches!(argument, Argument::Scalar(s) if kernel.scalars[s].boolean);
        for part in 0..words {
            let low = RegisterWord::BITS * part;
            let high = (low + RegisterWord::BITS).min(register.width()) - 1;
            let mine = if is_boolean { data.e().reduce_or().resize(word) } else { data.e() }.slice(high - low, 0);
            let value = match words {
                1 => mine.resize(register.ty()),
                _ => {
                    let top = register.width() - 1;
                    let (high, low) = if part == 0 { (top, word.width) } else { (word.width - 1, 0) };
                    let other = register.e().slice(high, low);
                    let both = if part == 0 { [other, mine] } else { [mine, other] };
                    Expr::concat(&both).resize(register.ty())
                }
            };
            let at = address.e().eq(&Expr::constant((first + part).into(), address.ty()));
            writes.push(when(write.and(&at), vec![assign(&register, &value)]));
            // A signed argument reads back sign-extended.
            let value = if words == 1 { register.e().resize(word) } else { register.e().slice(high, low) };
            read.push((first + part, value.resize(word)));
        }
    }
    m.clocked("Arguments, which do not change during a run", vec![], writes);
    Arguments { words: read, wrong_sizes, wrong_bases }
}

/// The check of the conditions on sizes: the sums of their terms, an addition per cycle.
struct Domain {
    /// Some condition does not hold; valid when `ends` is high.
    violated: Expr,
    ends: Expr,
}

/// A step of the sum.
enum Step {
    /// A condition's sum begins with its constant.
    Begin(i128),
    /// The sum gains a size times a power of two, or its bits inverted, which is the negative less 1.
    Add { parameter: usize, shift: u32, minus: bool },
}

/// The steps for all conditions, and the width of the sums. Conditions are divided by what their factors have in common.
fn steps(context: &Context, conditions: &[SizeCondition]) -> (Vec<Step>, u32) {
    let (mut steps, mut width) = (vec![], 1);
    for condition in conditions {
        let value = &condition.reduced().value;
        let (mut low, mut high) = (i128::from(value.constant), i128::from(value.constant));
        let mut most = 0;
        let mut adds = vec![];
        for (name, &factor) in &value.terms {
            let place = context
                .names
                .parameters
                .iter()
                .position(|p| p.variable == Var::Size(name.clone()))
                .expect("conditions name sizes");
            let largest = i128::from(context.names.parameters[place].range.1) * i128::from(factor);
            (low, high) = (low + largest.min(0), high + largest.max(0));
            most = most.max(2 * i128::from(factor).abs());
            let add = |(shift, minus)| Step::Add { parameter: place, shift, minus };
            adds.extend(signed_digits(factor.into()).into_iter().map(add));
        }
        let inverted = adds.iter().filter(|add| matches!(add, Step::Add { minus: true, .. })).count();
        let first = i128::from(value.constant) + inverted as i128;
        steps.push(Step::Begin(first));
        steps.extend(adds);
        // The sum itself, in which partial sums may wrap, and every operand; a bit for the sign.
        let most = [low, high, first].into_iter().fold(most, |most, value| most.max(value.abs()));
        width = width.max(128 - most.leading_zeros() + 1);
    }
    (steps, width)
}

/// The adder, where the kernel's domain has conditions. Sizes out of their bounds make nonsense of the sums, but they are
/// refused anyway.
fn domain(context: &Context, m: &mut Module, begin: &Signal, checking: &Signal) -> Option<Domain> {
    let conditions = &context.kernel.domain;
    if conditions.is_empty() {
        return None;
    }
    let (steps, width) = steps(context, conditions);
    let last = steps.len() as i128;
    let count = Type::unsigned(128 - last.leading_zeros());
    let sum_type = Type::signed(width);
    let step = m.reg("step", count);
    let sum = m.reg("sum", sum_type);
    let violated = m.reg("is_violated", Type::BIT);
    let operand = m.wire("operand", sum_type);
    let anew = m.wire("begins_sum", Type::BIT);
    let arm = |(place, step): (usize, &Step)| {
        let (value, is_first) = match step {
            Step::Begin(constant) => (Expr::constant(*constant, sum_type), true),
            Step::Add { parameter, shift, minus } => {
                let parameter = &context.names.parameters[*parameter];
                let size = port(m, &format!("arg_{}", parameter.name()));
                let term = size.resize(Type::unsigned(width)).resize(sum_type).shl_const(*shift, sum_type);
                (if *minus { term.not() } else { term }, false)
            }
        };
        (vec![Label::Value(place as i128)], vec![assign(&operand, &value), assign(&anew, &Expr::bit(is_first))])
    };
    let arms: Vec<_> = steps.iter().enumerate().map(arm).collect();
    let nothing = vec![(operand.clone(), Expr::constant(0, sum_type)), (anew.clone(), Expr::bit(true))];
    let texts: Vec<String> = conditions.iter().map(SizeCondition::text).collect();
    m.combinational(&format!("Sizes must satisfy {}", texts.join(", ")), nothing, vec![case(step.e(), arms, vec![])]);
    let negative = sum.e().index(width - 1);
    let ends = step.e().eq(&Expr::constant(last, count));
    let next = step.e().add(&Expr::constant(1, count), count);
    m.clocked(
        "",
        vec![],
        vec![
            assign(&sum, &anew.e().select(&Expr::constant(0, sum_type), &sum.e()).add(&operand.e(), sum_type)),
            when_else(
                begin.e(),
                vec![assign(&step, &Expr::constant(0, count)), assign(&violated, &Expr::bit(false))],
                vec![
                    when(checking.e().and(&ends.not()), vec![assign(&step, &next)]),
                    // A sum is complete when the next one begins. Before the first one there is none.
                    when(
                        anew.e().and(&step.e().is_zero().not()).and(&negative),
                        vec![assign(&violated, &Expr::bit(true))],
                    ),
                ],
            ),
        ],
    );
    // The last sum is complete at the end.
    Some(Domain { violated: violated.e().or(&negative), ends })
}

/// The accelerator's port for an argument.
pub fn argument_port(context: &Context, argument: Argument) -> (String, Type) {
    match argument {
        Argument::Parameter(p) => {
            (format!("arg_{}", context.names.parameters[p].name()), context.names.parameters[p].ty())
        }
        Argument::Scalar(s) => {
            let scalar = &context.kernel.scalars[s];
            (format!("arg_{}", scalar.name), rtl_type(scalar.ty))
        }
        Argument::Array(a) => (format!("base_{}", context.array(a).name), Type::unsigned(context.port.byte_address())),
    }
}
