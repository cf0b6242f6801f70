//! The walk as a program, an instruction per cycle: one adder sums up the terms of a bound, registers hold the
//! tightest lower and upper one so far. Neither area nor clock grow with the number of pieces; time does, so that
//! loops with short rows in simple sets are better served by a state machine.
//!
//! ```text
//! pc ─▶ ROM ─▶ fetched ─▶ instruction ─▶ operand ─▶ shifted ─▶ sum ─▶ low, high
//!                             └─ control: waits for the terms before it, then acts; a jump takes three cycles
//! ```

use crate::hardware::circuit::scope::{Scope, rounded_up};
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::context::Context;
use crate::hardware::walk::rows::{Row, RowPorts};
use crate::hardware::walk::scanner::Frame;
use crate::hardware::walk::scanner::program::{Complete, Instruction, Operand, Program, Term};
use crate::hardware::walk::tree::Tree;
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

/// Codes of the instructions other than terms.
const DIVIDE: i128 = 0;
const GUARD: i128 = 1;
const OPEN: i128 = 2;
const ROW: i128 = 3;
const STEP: i128 = 4;
const JUMP: i128 = 5;
const END: i128 = 6;

/// The fields of an instruction, from its bit 0 on.
struct Layout {
    /// A constant, an address, a divisor or a kind.
    value: u32,
    /// An operand: 0 for the value, else its place from 1 on; or the register of a loop.
    operand: u32,
    shift: u32,
}

/// Above those: of a term whether it is the first, is subtracted, halves the sum, completes a bound, an upper one, the
/// first one; of another instruction its code in bits 0 to 2, and in bit 3 whether rows follow. The highest bit tells
/// them apart.
const FLAGS: u32 = 6;
/// The flags of a term that tell of a bound.
const BOUND_FLAGS: u32 = 3;

impl Layout {
    fn of(program: &Program, operands: &[&Operand], loops: usize, word: Type) -> Layout {
        let bits = |most: usize| Type::for_range(0, most as i64).width;
        let shifts = program.instructions.iter().filter_map(|i| match i {
            Instruction::Sum(Term::Add { shift, .. }, _) => Some(*shift as usize),
            _ => None,
        });
        let kinds = program.instructions.iter().filter_map(|i| match i {
            Instruction::Row(kind) => Some(kind.0),
            _ => None,
        });
        Layout {
            value: word.width.max(bits(program.instructions.len())).max(bits(kinds.max().unwrap_or(0))),
            operand: bits(operands.len().max(loops)),
            shift: bits(shifts.max().unwrap_or(0)),
        }
    }

    fn width(&self) -> u32 {
        self.value + self.operand + self.shift + FLAGS + 1
    }

    fn encode(&self, instruction: &Instruction<usize>, operands: &[&Operand]) -> Expr {
        let (mut value, mut operand, mut shift, mut flags, mut control) = (0, 0, 0, 0, true);
        let code = match instruction {
            Instruction::Sum(term, complete) => {
                control = false;
                let (mut is_first, mut is_minus) = (false, false);
                if let Term::Add { first, minus, operand: of, shift: by } = term {
                    (is_first, is_minus, shift) = (*first, *minus, *by);
                    match of {
                        Operand::Constant(constant) => value = *constant,
                        _ => operand = operands.iter().position(|o| *o == of).map_or(0, |place| place + 1),
                    }
                }
                let Complete { upper, first: replaces } = complete.unwrap_or(Complete { upper: false, first: false });
                let bits = [is_first, is_minus, *term == Term::Halve, complete.is_some(), upper, replaces];
                bits.iter().enumerate().map(|(k, bit)| i128::from(*bit) << k).sum()
            }
            Instruction::Divide(divisor) => {
                value = *divisor;
                DIVIDE
            }
            Instruction::Guard(place) => {
                value = *place as i64;
                GUARD
            }
            Instruction::Open(register, place) => {
                (operand, value) = (*register, *place as i64);
                OPEN
            }
            Instruction::Row(kind) => {
                value = kind.0 as i64;
                ROW
            }
            Instruction::Step { register, again, follows } => {
                (operand, value) = (*register, *again as i64);
                flags = i128::from(*follows) << 3;
                STEP
            }
            Instruction::Jump(place) => {
                value = *place as i64;
                JUMP
            }
            Instruction::End => END,
        };
        let fields = [
            (i128::from(value).rem_euclid(1 << self.value), self.value),
            (operand as i128, self.operand),
            (i128::from(shift), self.shift),
            (code | flags, FLAGS),
            (i128::from(control), 1),
        ];
        let mut place = 0;
        let mut word = 0;
        for (field, width) in fields {
            word |= field << place;
            place += width;
        }
        Expr::constant(word, Type::unsigned(place))
    }
}

/// The registers of a loop.
struct Loop {
    index: Signal,
    last: Signal,
}

/// The fields of the instruction that is carried out, and whether there is one.
struct Fields {
    valid: Signal,
    value: Signal,
    operand: Signal,
    shift: Signal,
    flags: Signal,
    is_control: Signal,
}

impl Fields {
    fn declare(m: &mut Module, layout: &Layout, instruction: &Signal, valid: Signal) -> Fields {
        let mut low = 0;
        let mut field = |m: &mut Module, name: &str, width: u32| {
            low += width;
            m.define(name, &instruction.e().slice(low - 1, low - width))
        };
        Fields {
            valid,
            value: field(m, "value", layout.value),
            operand: field(m, "operand", layout.operand),
            shift: field(m, "shift", layout.shift),
            flags: field(m, "flags", FLAGS),
            is_control: field(m, "is_control", 1),
        }
    }

    /// The instruction is this one, if it is no term.
    fn is(&self, code: i128) -> Expr {
        self.flags.e().slice(2, 0).eq(&Expr::constant(code, Type::unsigned(3)))
    }

    /// The instruction is about this loop.
    fn is_of(&self, register: usize) -> Expr {
        self.operand.e().eq(&Expr::constant(register as i128, self.operand.ty()))
    }
}

/// Adds to a module the walk of `tree`.
pub fn build(m: &mut Module, context: &Context, tree: &Tree, frame: Frame) {
    let Frame { mut scope, tile, tile_end, tile_band, mut latch, row, outputs } = frame;
    let bands = context.band.as_ref().map_or(1, |band| band.range.1 as usize + 1);
    let program = Program::new(tree, bands);
    let band = tile_band.map(|input| {
        let register = m.reg("band", input.ty());
        latch.push(assign(&register, &input.e()));
        register
    });
    let mut loops = vec![];
    for level in tree.registers() {
        let index = m.reg(&level.name(), level.ty());
        scope.bind(&level.variable, &index, level.range);
        loops.push(Loop { index, last: m.reg(&format!("{}_last", level.name()), level.ty()) });
    }
    let word = sum_type(tree, &scope, bands);
    let operands: Vec<&Operand> = program.operands().into_iter().collect();
    let layout = Layout::of(&program, &operands, loops.len(), word);

    let running = m.reg("running", Type::BIT);
    let address = Type::for_range(0, program.instructions.len() as i64 - 1);
    let pc = m.reg("pc", address);
    let fetched = m.reg("fetched", Type::unsigned(layout.width()));
    let fetched_valid = m.reg("fetched_valid", Type::BIT);
    let instruction = m.reg("instruction", Type::unsigned(layout.width()));
    let valid = m.reg("instruction_valid", Type::BIT);
    let fields = Fields::declare(m, &layout, &instruction, valid.clone());
    let of = |operand: &Operand| match operand {
        Operand::Constant(_) => fields.value.e().resize(Type::signed(layout.value)).resize(word),
        Operand::Band => band.as_ref().map_or(Expr::bit(false), |b| b.e()).resize(word),
        Operand::Variable(variable) => scope.affine_as(&Affine::variable(variable), word),
    };
    let chosen = operands.iter().map(|operand| of(operand)).collect();
    let sum = Sum::declare(m, &fields, word, (of(&Operand::Constant(0)), chosen));

    // Control acts when the terms before it have come through.
    let acts = m.define("acts", &valid.e().and(&fields.is_control.e()).and(&sum.busy.e().not()));
    let row_valid = m.reg("row_valid", Type::BIT);
    let row_free = m.define("row_free", &row_valid.e().not().or(&row.ready.e()));
    let gives = m.define("gives", &fields.is(ROW).and(&sum.some).or(&fields.is(END)));
    let quotient = Quotient::declare(m, &program, word);
    let mut waits = gives.e().and(&row_free.e().not());
    if let Some(quotient) = &quotient {
        waits = waits.or(&fields.is(DIVIDE).and(&quotient.done.e().not()));
    }
    let acted = m.define("acted", &acts.e().and(&waits.not()));
    let ends_loop = loops.iter().enumerate().fold(Expr::bit(true), |other, (k, registers)| {
        fields.is_of(k).select(&registers.index.e().eq(&registers.last.e()), &other)
    });
    let steps = m.define("steps", &acts.e().and(&fields.is(STEP)).and(&ends_loop.not()));
    let negative = sum.upper.index(word.width - 1);
    let branches = fields.is(GUARD).and(&negative).or(&fields.is(OPEN).and(&sum.some.not())).or(&fields.is(JUMP));
    let jumps = m.define("jumps", &steps.e().or(&acts.e().and(&branches)));
    let ends = m.define("ends", &acted.e().and(&fields.is(END)));
    let passes = m.define("passes", &valid.e().not().or(&fields.is_control.e().not()).or(&acted.e()));

    let idle = running.e().not().and(&row_valid.e().not());
    m.assign(&tile.ready, &idle);
    let mut begin = latch;
    let end = program.instructions.iter().position(|i| *i == Instruction::End).unwrap_or(0);
    let (start, end) = (Expr::constant(0, address), Expr::constant(end as i128, address));
    begin.push(assign(&pc, &tile_end.as_ref().map_or(start.clone(), |input| input.e().select(&end, &start))));
    begin.push(assign(&running, &Expr::bit(true)));
    let flush = vec![assign(&fetched_valid, &Expr::bit(false)), assign(&valid, &Expr::bit(false))];
    let jump = [flush.clone(), vec![assign(&pc, &fields.value.e().resize(address))]].concat();
    let stop = [flush, vec![assign(&running, &Expr::bit(false))]].concat();
    let go_on = vec![
        assign(&pc, &pc.e().incremented()),
        assign(&fetched_valid, &Expr::bit(true)),
        assign(&instruction, &fetched.e()),
        assign(&valid, &fetched_valid.e()),
    ];
    let run = when_else(jumps.e(), jump, vec![when_else(ends.e(), stop, vec![when(passes.e(), go_on)])]);
    m.clocked(
        "",
        vec![(running.clone(), 0), (fetched_valid.clone(), 0), (valid.clone(), 0)],
        vec![when_else(running.e(), vec![run], vec![when(idle.and(&tile.valid.e()), begin)])],
    );
    rom(m, &program, |i| layout.encode(i, &operands), (&pc, &fetched, &passes.e()));

    let mut body = vec![];
    for (k, Loop { index, last }) in loops.iter().enumerate() {
        let open =
            vec![assign(index, &sum.lower.e().resize(index.ty())), assign(last, &sum.upper.e().resize(last.ty()))];
        body.push(when(acts.e().and(&fields.is(OPEN)).and(&fields.is_of(k)), open));
        let next = vec![assign(index, &index.e().incremented())];
        body.push(when(steps.e().and(&fields.is_of(k)), next));
    }
    m.clocked("", vec![], body);
    let division = quotient.map(|quotient| quotient.statements(m, &fields, &acts, &sum.sum));
    sum.accumulate(m, division.unwrap_or_default());

    let given = m.define("given", &acted.e().and(&gives.e()));
    let moments = Moments { acted, given, steps, row_valid };
    give_rows(m, tree, (&fields, &sum, &loops), moments, (&row, &outputs));
}

/// When something happens that rows are about.
struct Moments {
    /// The instruction under way is carried out, if it is no term.
    acted: Signal,
    /// It gives a row or the end of the tile.
    given: Signal,
    /// A loop goes to its next iteration.
    steps: Signal,
    row_valid: Signal,
}

/// The row that is given stays until it is taken, while the program goes on.
fn give_rows(
    m: &mut Module,
    tree: &Tree,
    (fields, sum, loops): (&Fields, &Sum, &[Loop]),
    moments: Moments,
    (row, outputs): (&Stream, &RowPorts),
) {
    let Moments { acted, given, steps, row_valid } = moments;
    let format = &tree.format;
    let mut payload = vec![];
    let mut keep = |m: &mut Module, name: &str, value: Expr| {
        let register = m.reg(&format!("row_{name}"), value.ty());
        payload.push(assign(&register, &value));
        register.e()
    };
    let end = keep(m, "end", fields.is(END));
    let kind = match format.has_kinds() {
        true => keep(m, "kind", fields.value.e().resize(format.kind_type())),
        false => Expr::constant(0, format.kind_type()),
    };
    let outer = loops.iter().zip(tree.outer()).map(|(l, level)| keep(m, &level.name(), l.index.e())).collect();
    let first = keep(m, "first", sum.lower.e().resize(format.inner.ty()));
    let last = keep(m, "last", sum.upper.e().resize(format.inner.ty()));
    let follows = match format.follows {
        false => Expr::bit(false),
        true => {
            let (follows, had_row) = (m.reg("follows", Type::BIT), m.reg("had_row", Type::BIT));
            let is_row = acted.e().and(&fields.is(ROW));
            let after_row = vec![assign(&had_row, &sum.some), assign(&follows, &Expr::bit(false))];
            let after_step = vec![when(steps.e(), vec![assign(&follows, &fields.flags.index(3).and(&had_row.e()))])];
            m.clocked("", vec![(follows.clone(), 0)], vec![when_else(is_row, after_row, after_step)]);
            keep(m, "follows", follows.e())
        }
    };
    m.clocked("", vec![], vec![when(given.e(), payload)]);
    let full = vec![when_else(
        given.e(),
        vec![assign(&row_valid, &Expr::bit(true))],
        vec![when(row.ready.e(), vec![assign(&row_valid, &Expr::bit(false))])],
    )];
    m.clocked("", vec![(row_valid.clone(), 0)], full);
    m.assign(&row.valid, &row_valid.e());
    outputs.drive(m, &Row { end, kind, outer, first, last, follows, more: Expr::bit(false) });
}

/// A type that holds every bound and every guard, before and after its division, and every constant on the way.
fn sum_type(tree: &Tree, scope: &Scope, bands: usize) -> Type {
    let mut ranges = vec![(-1, bands as i64)];
    for piece in tree.pieces.iter().map(|p| &p.piece) {
        let lower = piece.levels.iter().flat_map(|l| l.lower.iter().map(rounded_up));
        let bounds = lower.chain(piece.levels.iter().flat_map(|l| l.upper.iter().cloned()));
        ranges.extend(bounds.flat_map(|b| [scope.range(&b.numerator), (b.divisor, b.divisor)]));
        ranges.extend(piece.guards.iter().map(|g| scope.range(g)));
    }
    let (low, high) = ranges.into_iter().reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((-1, 0));
    Type::for_range(low, high)
}

/// The instruction at `pc`, a cycle later.
fn rom(
    m: &mut Module,
    program: &Program,
    encode: impl Fn(&Instruction<usize>) -> Expr,
    (pc, fetched, enable): (&Signal, &Signal, &Expr),
) {
    let arm = |(place, instruction): (usize, &Instruction<usize>)| {
        let mut body: Vec<Statement> =
            program.comments.get(&place).map(|text| Statement::Comment(text.clone())).into_iter().collect();
        body.push(assign(fetched, &encode(instruction)));
        (vec![Label::Value(place as i128)], body)
    };
    let arms = program.instructions.iter().enumerate().map(arm).collect();
    let default = vec![assign(fetched, &encode(&Instruction::End))];
    m.clocked("The program.", vec![], vec![when(enable.clone(), vec![case(pc.e(), arms, default)])]);
}

/// Terms become bounds, each register a cycle behind the one before.
struct Sum {
    sum: Signal,
    lower: Signal,
    upper: Signal,
    /// `lower <= upper`, when nothing is under way.
    some: Expr,
    /// Some term is under way.
    busy: Signal,
    /// The sum takes `next`.
    adds: Signal,
    next: Expr,
}

impl Sum {
    /// `values` has what an operand field of 0 stands for, and those from 1 on.
    fn declare(m: &mut Module, fields: &Fields, word: Type, values: (Expr, Vec<Expr>)) -> Sum {
        let stages = ["operand_valid", "shifted_valid", "sum_valid", "bounds_valid"].map(|name| m.reg(name, Type::BIT));
        let [_, shifted_valid, sum_valid, _] = &stages;
        let busy = stages.iter().fold(Expr::bit(false), |busy, stage| busy.or(&stage.e()));
        let busy = m.define("busy", &busy);
        let operand_value = m.reg("operand_value", word);
        let operand_shift = m.reg("operand_shift", fields.shift.ty());
        let operand_flags = m.reg("operand_flags", fields.flags.ty());
        let shifted = m.reg("shifted", word);
        let shifted_flags = m.reg("shifted_flags", fields.flags.ty());
        let sum = m.reg("sum", word);
        let bound_flags = m.reg("bound_flags", Type::unsigned(BOUND_FLAGS));
        let (lower, upper) = (m.reg("lower", word), m.reg("upper", word));
        let crossed = m.reg("bounds_crossed", Type::BIT);
        let some = crossed.e().not();

        let chosen =
            |(k, value): (usize, &Expr)| (vec![Label::Value(k as i128 + 1)], vec![assign(&operand_value, value)]);
        let choice = case(
            fields.operand.e(),
            values.1.iter().enumerate().map(chosen).collect(),
            vec![assign(&operand_value, &values.0)],
        );
        let all = |bit: Expr| bit.select(&Expr::constant(-1, word), &Expr::constant(0, word));
        let [completes, is_upper, replaces] = [0, 1, 2].map(|bit| bound_flags.index(bit));
        let lower_is_tighter = is_upper.not().and(&replaces.or(&sum.e().gt(&lower.e())));
        let upper_is_tighter = is_upper.and(&replaces.or(&sum.e().lt(&upper.e())));
        let tighten = vec![
            when(lower_is_tighter, vec![assign(&lower, &sum.e())]),
            when(upper_is_tighter, vec![assign(&upper, &sum.e())]),
        ];
        let mut body = vec![assign(&stages[0], &fields.valid.e().and(&fields.is_control.e().not()))];
        body.extend(stages.windows(2).map(|pair| assign(&pair[1], &pair[0].e())));
        m.clocked("", stages.iter().map(|stage| (stage.clone(), 0)).collect(), body);
        let body = vec![
            choice,
            assign(&operand_shift, &fields.shift.e()),
            assign(&operand_flags, &fields.flags.e()),
            // Minus a term is its complement and one more.
            assign(&shifted, &operand_value.e().shl(&operand_shift.e(), word).xor(&all(operand_flags.index(1)))),
            assign(&shifted_flags, &operand_flags.e()),
            assign(&bound_flags, &shifted_flags.e().slice(FLAGS - 1, FLAGS - BOUND_FLAGS)),
            when(sum_valid.e().and(&completes), tighten),
            assign(&crossed, &upper.e().lt(&lower.e())),
        ];
        m.clocked("Terms: operand, shift, sum, bound.", vec![], body);
        let before = shifted_flags.index(0).select(&Expr::constant(0, word), &sum.e());
        let carry = shifted_flags.index(1).resize(Type::unsigned(word.width));
        let next = before.add(&shifted.e(), word).add(&carry, word);
        let next = shifted_flags.index(2).select(&sum.e().shr_const(1), &next);
        Sum { adds: shifted_valid.clone(), sum, lower, upper, some, busy, next }
    }

    /// The sum takes terms, and what a division does.
    fn accumulate(&self, m: &mut Module, division: Vec<Statement>) {
        m.clocked("", vec![], vec![when_else(self.adds.e(), vec![assign(&self.sum, &self.next)], division)]);
    }
}

/// Divides the sum by a constant, rounding down, a bit of the quotient per cycle.
struct Quotient {
    rest: Signal,
    /// The sum was negative. The quotient of its complement is the complement of the one wanted.
    negative: Signal,
    under_way: Signal,
    left: Signal,
    done: Signal,
}

impl Quotient {
    /// `None` where nothing is divided.
    fn declare(m: &mut Module, program: &Program, word: Type) -> Option<Quotient> {
        program.instructions.iter().any(|i| matches!(i, Instruction::Divide(_))).then(|| Quotient {
            rest: m.reg("rest", Type::unsigned(word.width)),
            negative: m.reg("sum_was_negative", Type::BIT),
            under_way: m.reg("divides", Type::BIT),
            left: m.reg("bits_left", Type::for_range(0, i64::from(word.width))),
            done: m.reg("divided", Type::BIT),
        })
    }

    /// What happens to the sum, and counts the bits.
    fn statements(&self, m: &mut Module, fields: &Fields, acts: &Signal, sum: &Signal) -> Vec<Statement> {
        let Quotient { rest, negative, under_way, left, done } = self;
        let word = sum.ty();
        let here = m.define("divide", &acts.e().and(&fields.is(DIVIDE)));
        let wide = Type::unsigned(word.width + 1);
        let bits = Expr::concat(&[rest.e(), sum.index(word.width - 1)]);
        let divisor = fields.value.e().resize(rest.ty()).resize(wide);
        let fits = m.define("divisor_fits", &bits.ge(&divisor));
        let after = fits.select(&bits.sub(&divisor, wide), &bits).slice(word.width - 1, 0);
        let with_digit = Expr::concat(&[sum.e().slice(word.width - 2, 0), fits.e()]).resize(word);
        let sign = sum.index(word.width - 1);
        let complement = |when_negative: Expr| when(when_negative, vec![assign(sum, &sum.e().not())]);
        let all = Expr::constant(i128::from(word.width), left.ty());
        let last = left.e().eq(&Expr::constant(1, left.ty()));
        let fewer = left.e().decremented();
        let begins = m.define("division_begins", &here.e().and(&done.e().not()));
        let count = vec![
            assign(done, &under_way.e().and(&last)),
            when_else(
                under_way.e(),
                vec![assign(left, &fewer), assign(under_way, &last.not())],
                vec![assign(left, &all), assign(under_way, &begins.e())],
            ),
        ];
        m.clocked("", vec![(under_way.clone(), 0), (done.clone(), 0)], count);
        let begin =
            vec![assign(rest, &Expr::constant(0, rest.ty())), assign(negative, &sign), complement(sign.clone())];
        let step = vec![assign(rest, &after), assign(sum, &with_digit)];
        let otherwise = when_else(begins.e(), begin, vec![when(here.e(), vec![complement(negative.e())])]);
        vec![when_else(under_way.e(), step, vec![otherwise])]
    }
}
