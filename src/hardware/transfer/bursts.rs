//! Rows to bursts: the address and length in memory of every row of Load or Store.

use crate::affine::Affine;
use crate::hardware::buffers::address::buffer_of;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::context::longest_row;
use crate::hardware::transfer::packing::{RowPacking, WIDEST_SIZE, element_size};
use crate::hardware::transfer::stage::TransferStage;
use crate::layout::Layout;
use crate::rtl::{Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

impl TransferStage<'_> {
    /// Adds the circuit that turns rows into commands `m_cmd_*` (in order, `last` on the last of a tile) and passes the
    /// rows themselves on to `descriptors`. Where some element is not one word long, every command is followed by how its
    /// elements lie in the words, for a packer or unpacker.
    ///
    /// The address of a row that follows on the one before is that one's and the pitch. Any other is Horner's rule on the
    /// digits of its layout ([`Layout::place`]), bit by bit in the same adder, while the data of the rows before are on their way.
    pub fn bursts(&self, m: &mut Module, descriptors: &Stream) -> Option<RowPacking> {
        let TransferStage { context, scope, format, kind_arrays: arrays, rows, row, held } = self;
        let offload = context.offload;
        let port = context.port;
        let sizes: Vec<u32> = arrays.iter().map(|&a| context.array(a).element.bytes().trailing_zeros()).collect();
        let word = port.word;
        let mixed = sizes.iter().any(|&s| s != word.shift());
        // Addresses count words where every element is one.
        let unit = Type::unsigned(if mixed { port.byte_address() } else { port.address });
        let shift = |k: usize| if mixed { sizes[k] } else { 0 };

        m.comment("Bursts: one command per row.");
        let command = Stream::master(m, "cmd");
        let m_address = m.output("m_cmd_address", Type::unsigned(port.address));
        let m_length = m.output("m_cmd_length", Type::unsigned(port.length));
        let m_last = m.output("m_cmd_last", Type::BIT);

        let mut bases: Vec<(usize, Signal)> = vec![];
        for &array in arrays {
            if bases.iter().all(|(a, _)| *a != array) {
                let base = m.input(&format!("base_{}", context.array(array).name), Type::unsigned(port.byte_address()));
                // The low bits of a base are 0.
                bases.push((array, base));
            }
        }
        let by_kind = |value: &dyn Fn(usize) -> Expr| {
            format.by_kind(&row.kind, (0..arrays.len()).map(|k| (k, value(k))).collect::<Vec<_>>())
        };
        let base = by_kind(&|k| {
            let base = bases.iter().find(|(a, _)| *a == arrays[k]).expect("declared above").1.e();
            if mixed { base } else { word.address_of(&base) }
        });
        let at_first = format.scope(scope, &row.outer, &row.first);
        // A scalar counts as an array of one element.
        let layouts: Vec<Layout> = arrays.iter().map(|&a| context.array(a).layout()).collect();
        let digit = |k: usize, d: usize| {
            let digit = layouts[k].digits.get(d);
            digit.map_or(Affine::default(), |digit| format.kinds[k].point[digit.subscript].clone())
        };
        let digit_value = |d: usize| by_kind(&|k| at_first.affine_as(&digit(k, d), unit));
        let radix = |k: usize, d: usize| {
            let digit = layouts[k].digits.get(d);
            scope.affine_as(&digit.map_or(Affine::constant(1), |digit| digit.radix.clone()), unit)
        };

        let ranks: Vec<usize> = layouts.iter().map(|layout| layout.digits.len().max(1)).collect();
        let rank = ranks.iter().copied().max().unwrap_or(1);
        let mut names = vec!["TAKE".to_string()];
        for d in 1..rank {
            names.extend((d > 1).then(|| format!("FACTOR_{d}")));
            names.extend([format!("MULTIPLY_{d}"), format!("ADD_{d}")]);
        }
        names.extend((rank > 1).then(|| "BASE".to_string()));
        names.push("ISSUE".to_string());
        names.extend(mixed.then(|| "LAYOUT".to_string()));
        let state_type = Type::for_range(0, names.len() as i64 - 1);
        let codes: Vec<Expr> =
            names.iter().enumerate().map(|(code, n)| m.localparam(n, code as i128, state_type)).collect();
        let code = |name: &str| codes[names.iter().position(|n| n == name).expect("a named state")].clone();
        let state = m.reg("burst_state", state_type);
        let in_state = |name: &str| state.e().eq(&code(name));
        let goto = |name: &str| assign(&state, &code(name));

        // The command under way; the row itself waits at the scanner until its address is known.
        let longest = arrays.iter().map(|&a| longest_row(buffer_of(offload, a))).max().unwrap_or(1);
        let elements = Type::for_range(0, longest);
        let count = m.reg("burst_count", elements);
        let address = m.reg("burst_address", unit);
        let size_type = element_size();
        let size_of = by_kind(&|k| Expr::constant(sizes[k].into(), size_type));
        let size_reg = (mixed && size_of.as_constant().is_none()).then(|| m.reg("burst_size", size_type));
        let size = size_reg.as_ref().map_or_else(|| size_of.clone(), |s| s.e());
        let mut taken =
            vec![assign(&count, &row.last.sub(&row.first, elements).add(&Expr::constant(1, elements), elements))];
        taken.extend(size_reg.iter().map(|register| assign(register, &size_of)));
        taken.push(goto("ISSUE"));
        let scaled = |value: &Expr| by_kind(&|k| value.shl_const(shift(k), unit));

        let may_take;
        let mut issued = vec![];
        let mut arms: Vec<(Vec<Label>, Vec<Statement>)> = vec![];
        if rank == 1 {
            may_take = in_state("TAKE");
            taken.push(assign(&address, &base.add(&scaled(&digit_value(0)), unit)));
            arms.push((vec![code("TAKE").into()], vec![when(rows.fires().and(&row.end.not()), taken)]));
        } else {
            let follows = m.define("row_follows", &row.follows.and(&row.end.not()));
            may_take = in_state("BASE").or(&in_state("TAKE").and(&row.end.or(&follows.e())));
            // The factor of the next multiplication, its highest bit first; a one behind the lowest bit marks the end.
            let first_factor = (0..arrays.len()).map(|k| {
                let (_, high) = at_first.range(&digit(k, 0));
                Type::for_range(0, high.max(1)).width.min(unit.width)
            });
            let factor_width = if rank > 2 { unit.width } else { first_factor.max().unwrap_or(unit.width) };
            let factor = m.reg("burst_factor", Type::unsigned(factor_width + 1));
            let factor_of = |value: &Expr| {
                let value = value.resize(Type::unsigned(factor_width));
                assign(&factor, &Expr::concat(&[value, Expr::constant(1, Type::BIT)]))
            };
            let multiplying =
                (1..rank).map(|d| in_state(&format!("MULTIPLY_{d}"))).reduce(|a, b| a.or(&b)).expect("rank > 1");
            let multiplying = m.define("multiplying", &multiplying);
            let zero = Expr::constant(0, unit);
            // What the next state adds stands in a register; before a row is looked at, what one that follows needs.
            let addend = m.reg("burst_addend", unit);
            let of_radix = |d: usize| by_kind(&|k| radix(k, d));
            let digit_of = |digit: &Expr, d: usize| assign(&addend, &digit.select(&of_radix(d), &zero));
            let top = |value: &Expr| value.resize(Type::unsigned(factor_width)).index(factor_width - 1);
            let pitch = |k: usize| layouts[k].pitch().cloned().unwrap_or(Affine::constant(1));
            let follow = by_kind(&|k| scope.affine_as(&pitch(k), unit).shl_const(shift(k), unit));
            issued.push(assign(&addend, &follow));
            let twice = address.e().shl_const(1, unit);
            let own = if mixed { in_state("BASE").select(&scaled(&address.e()), &address.e()) } else { address.e() };
            let sum = m.define("burst_sum", &multiplying.e().select(&twice, &own).add(&addend.e(), unit));
            let keep = assign(&address, &sum.e());

            taken.push(keep.clone());
            // A subscript alone needs no product.
            let is_of_rank = |test: &dyn Fn(usize) -> bool| by_kind(&|k| Expr::bit(test(ranks[k])));
            let alone = is_of_rank(&|rank| rank == 1);
            let begin = vec![
                factor_of(&digit_value(0)),
                assign(&address, &alone.select(&digit_value(0), &zero)),
                assign(&state, &alone.select(&code("BASE"), &code("MULTIPLY_1"))),
                assign(&addend, &alone.select(&base, &top(&digit_value(0)).select(&of_radix(1), &zero))),
            ];
            let other = when(rows.valid.e().and(&row.end.not()), begin);
            let next = when_else(follows.e(), vec![when(rows.fires(), taken.clone())], vec![other]);
            arms.push((vec![code("TAKE").into()], vec![next]));
            for d in 1..rank {
                let is_done = factor.e().slice(factor_width - 1, 0).is_zero();
                let shifted = assign(&factor, &factor.e().shl_const(1, factor.ty()));
                let done = vec![goto(&format!("ADD_{d}")), assign(&addend, &digit_value(d))];
                let next_digit = digit_of(&factor.e().index(factor_width - 1), d);
                let step = when_else(is_done, done, vec![keep.clone(), shifted, next_digit]);
                arms.push((vec![code(&format!("MULTIPLY_{d}")).into()], vec![step]));
                let next = if d + 1 < rank {
                    let more = is_of_rank(&|rank| rank > d + 1);
                    more.select(&code(&format!("FACTOR_{}", d + 1)), &code("BASE"))
                } else {
                    code("BASE")
                };
                let add = vec![keep.clone(), assign(&state, &next), assign(&addend, &base)];
                arms.push((vec![code(&format!("ADD_{d}")).into()], add));
                if d > 1 {
                    let first_digit = digit_of(&top(&address.e()), d);
                    let load = vec![
                        factor_of(&address.e()),
                        assign(&address, &zero),
                        goto(&format!("MULTIPLY_{d}")),
                        first_digit,
                    ];
                    arms.push((vec![code(&format!("FACTOR_{d}")).into()], load));
                }
            }
            arms.push((vec![code("BASE").into()], vec![when(rows.fires(), taken)]));
        }
        // The next row is looked at before a command goes out: an end mark there makes this command the last.
        let after_issue = if mixed { "LAYOUT" } else { "TAKE" };
        issued.push(goto(after_issue));
        arms.push((vec![code("ISSUE").into()], vec![when(command.fires(), issued)]));

        m.assign(&command.valid, &in_state("ISSUE").and(&rows.valid.e()));
        m.assign(&m_last, &row.end);
        let length = Type::unsigned(port.length);
        // A word more than the longest length, for what rounds up.
        let bytes = Type::unsigned(port.length + word.shift() + 1);
        if mixed {
            let offset = word.offset_of(&address.e());
            let covered = (0..=WIDEST_SIZE).map(|s| (s, count.e().shl_const(s, bytes)));
            let covered = match size.as_constant() {
                Some(size) => count.e().shl_const(size as u32, bytes),
                None => {
                    covered
                        .reduce(|(_, other), (s, value)| {
                            (s, size.eq(&Expr::constant(s.into(), size_type)).select(&value, &other))
                        })
                        .expect("elements have sizes")
                        .1
                }
            };
            let rounded = covered.add(&offset, bytes).add(&Expr::constant((word.bytes() - 1).into(), bytes), bytes);
            let words = m.define("burst_bytes", &rounded);
            m.assign(&m_address, &word.address_of(&address.e()));
            m.assign(&m_length, &words.e().shr_const(word.shift()).resize(length));
        } else {
            m.assign(&m_address, &address.e());
            m.assign(&m_length, &count.e().resize(length));
        }
        let takes = held.iter().fold(may_take, |takes, held| takes.and(&held.not()));
        m.assign(&descriptors.valid, &takes.and(&rows.valid.e()));
        m.assign(&rows.ready, &takes.and(&descriptors.ready.e()));

        let layout = mixed.then(|| {
            let stream = Stream::wires(m, "layout");
            m.assign(&stream.valid, &in_state("LAYOUT"));
            arms.push((vec![code("LAYOUT").into()], vec![when(stream.ready.e(), vec![goto("TAKE")])]));
            let mut wire = |name: &str, value: &Expr| m.define(name, value);
            RowPacking {
                stream,
                size: wire("layout_size", &size),
                offset: wire("layout_offset", &word.offset_of(&address.e())),
                count: wire("layout_count", &count.e()),
            }
        });
        let reset = goto("TAKE");
        m.clocked("", vec![(state.clone(), 0)], vec![case(state.e(), arms, vec![reset])]);
        layout
    }
}
