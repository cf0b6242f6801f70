//! Rows to bursts: the address and length in memory of every row of Load or Store.

use crate::affine::Affine;
use crate::hardware::buffers::buffer_of;
use crate::hardware::cells::port as port_of;
use crate::hardware::context::{Context, Stream, longest_row};
use crate::hardware::rows::{Row, RowFormat, RowKind};
use crate::hardware::scope::Scope;
use crate::offload::Offload;
use crate::rtl::{Connection, Expr, Label, Module, Signal, Statement, Type, assign, case, when, when_else};

/// A stream that tells the packer or unpacker how the elements of a burst lie in its words.
pub struct LayoutStream {
    pub stream: Stream,
    /// log2 of the element's bytes.
    pub size: Signal,
    /// Byte offset of the first element in the first word.
    pub offset: Signal,
    /// Number of elements.
    pub count: Signal,
}

/// Adds the circuit that turns `rows` into commands `m_cmd_*` (in order, `last` on the last of a tile) and passes the
/// rows themselves on to `descriptors`. `rows` come with what holds them back, if anything does; `arrays[kind]` is the
/// array of each row kind. Where some element is not one word long, every command is followed by its layout for a packer
/// or unpacker.
///
/// Addresses are Horner's rule on the subscripts, one serial multiplication per dimension beyond the first: no
/// multiplier block, and hidden behind the data of the rows before.
#[allow(clippy::too_many_arguments)]
pub fn bursts(
    context: &Context,
    offload: &Offload,
    m: &mut Module,
    scope: &Scope,
    format: &RowFormat,
    arrays: &[usize],
    rows: (&Stream, &Row, Option<&Expr>),
    descriptors: &Stream,
) -> Option<LayoutStream> {
    let (rows, row, held) = rows;
    let port = context.port;
    let byte = Type::unsigned(port.byte_address());
    let sizes: Vec<u32> = arrays.iter().map(|&a| context.array(a).element.bytes().trailing_zeros()).collect();
    let mixed = sizes.iter().any(|&s| s != 2);

    m.comment("Bursts: one command per row.");
    let command = Stream::master(m, "cmd");
    let m_address = m.output("m_cmd_address", Type::unsigned(port.address));
    let m_length = m.output("m_cmd_length", Type::unsigned(port.length));
    let m_last = m.output("m_cmd_last", Type::BIT);

    let bases: Vec<Expr> = {
        let mut inputs: Vec<(usize, Signal)> = vec![];
        for &array in arrays {
            if inputs.iter().all(|(a, _)| *a != array) {
                inputs.push((array, m.input(&format!("base_{}", context.array(array).name), byte)));
            }
        }
        arrays.iter().map(|a| inputs.iter().find(|(b, _)| a == b).expect("declared above").1.e()).collect()
    };

    let ranks: Vec<usize> = format.kinds.iter().map(|k| k.point.len()).collect();
    let rank = ranks.iter().copied().max().unwrap_or(1);
    let mut names = vec!["TAKE".to_string()];
    names.extend((1..rank).map(|d| format!("MULTIPLY_{d}")));
    names.extend(["ADDRESS".to_string(), "ISSUE".to_string()]);
    if mixed {
        names.push("LAYOUT".to_string());
    }
    let state_type = Type::for_range(0, names.len() as i64 - 1);
    let codes: Vec<Expr> =
        names.iter().enumerate().map(|(code, n)| m.localparam(n, code as i128, state_type)).collect();
    let code = |name: &str| codes[names.iter().position(|n| n == name).expect("a named state")].clone();
    let state = m.reg("burst_state", state_type);
    let in_state = |name: &str| state.e().eq(&code(name));

    // The row under way, until its command is out.
    let kind_reg = format.has_kinds().then(|| m.reg("burst_kind", format.kind_type()));
    let kind = kind_reg.as_ref().map_or_else(|| Expr::constant(0, format.kind_type()), |k| k.e());
    let outer: Vec<Signal> = format.outer.iter().map(|o| m.reg(&format!("burst_{}", o.name), o.ty())).collect();
    // Kinds may differ in nothing that counts here.
    kind_reg.iter().chain(&outer).for_each(|s| m.waive_unused(s));
    let first = m.reg("burst_first", format.inner.ty());
    let longest = arrays.iter().map(|&a| longest_row(buffer_of(offload, a))).max().unwrap_or(1);
    let elements = Type::for_range(0, longest);
    let count = m.reg("burst_count", elements);
    let linear = (rank > 1).then(|| m.reg("burst_element", byte));
    let address = m.reg("burst_address", byte);

    let outer_values: Vec<Expr> = outer.iter().map(|o| o.e()).collect();
    let at_first = format.scope(scope, &outer_values, &first.e());
    let choose = |values: Vec<Expr>| format.by_kind(&kind, values.into_iter().enumerate());
    let subscript = |d: usize| {
        let of = |k: &RowKind| k.point.get(d).cloned().unwrap_or_default();
        choose(format.kinds.iter().map(|k| at_first.affine_as(&of(k), byte)).collect())
    };

    let after_take = if rank > 1 { code("MULTIPLY_1") } else { code("ADDRESS") };
    let mut take = vec![assign(&first, &row.first), assign(&state, &after_take)];
    take.push(assign(&count, &row.last.sub(&row.first, elements).add(&Expr::constant(1, elements), elements)));
    take.extend(kind_reg.iter().map(|register| assign(register, &row.kind)));
    take.extend(outer.iter().zip(&row.outer).map(|(r, v)| assign(r, v)));
    let mut arms: Vec<(Vec<Label>, Vec<Statement>)> =
        vec![(vec![code("TAKE").into()], vec![when(rows.fires().and(&row.end.not()), take)])];

    if rank > 1 {
        let request = Stream::wires(m, "multiply");
        let result = Stream::wires(m, "product");
        let product = m.wire("product", byte);
        let asked = m.reg("multiply_asked", Type::BIT);
        let multiplying = m.wire("multiplying", Type::BIT);
        let any = (1..rank).map(|d| in_state(&format!("MULTIPLY_{d}"))).reduce(|a, b| a.or(&b)).expect("rank > 1");
        m.assign(&multiplying, &any);
        m.assign(&request.valid, &multiplying.e().and(&asked.e().not()));
        m.assign(&result.ready, &multiplying.e());
        let by_step = |value: &dyn Fn(usize) -> Expr| {
            (1..rank - 1)
                .rev()
                .fold(value(rank - 1), |other, d| in_state(&format!("MULTIPLY_{d}")).select(&value(d), &other))
        };
        let extent = |d: usize| {
            let of = |k: usize| context.array(arrays[k]).extents.get(d).cloned().unwrap_or(Affine::constant(1));
            choose((0..arrays.len()).map(|k| scope.affine_as(&of(k), byte)).collect())
        };
        let a = by_step(&|d| match &linear {
            Some(linear) if d > 1 => linear.e(),
            _ => subscript(0),
        });
        let b = by_step(&extent);
        let c = by_step(&subscript);
        let width = byte.width as i128;
        m.instance(
            "multiply_serial",
            "u_multiply",
            vec![("A_WIDTH", width), ("B_WIDTH", width), ("RESULT_WIDTH", width)],
            vec![
                ("clk".into(), Connection::In(port_of(m, "clk"))),
                ("rst".into(), Connection::In(port_of(m, "rst"))),
                ("s_valid".into(), Connection::In(request.valid.e())),
                ("s_ready".into(), Connection::Out(request.ready.clone())),
                ("s_a".into(), Connection::In(a)),
                ("s_b".into(), Connection::In(b)),
                ("s_c".into(), Connection::In(c)),
                ("m_valid".into(), Connection::Out(result.valid.clone())),
                ("m_ready".into(), Connection::In(result.ready.e())),
                ("m_result".into(), Connection::Out(product.clone())),
            ],
        );
        m.clocked(
            "",
            vec![(asked.clone(), 0)],
            vec![when_else(
                result.fires(),
                vec![assign(&asked, &Expr::bit(false))],
                vec![when(request.fires(), vec![assign(&asked, &Expr::bit(true))])],
            )],
        );
        for d in 1..rank {
            let next = if d + 1 < rank {
                let deeper = (0..ranks.len()).filter(|&k| ranks[k] > d + 1);
                let more = deeper
                    .map(|k| kind.eq(&Expr::constant(k as i128, format.kind_type())))
                    .reduce(|a, b| a.or(&b))
                    .expect("some kind has this rank");
                let more = if format.kinds.len() == 1 { Expr::bit(true) } else { more };
                more.select(&code(&format!("MULTIPLY_{}", d + 1)), &code("ADDRESS"))
            } else {
                code("ADDRESS")
            };
            // A kind of rank 1 passes through MULTIPLY_1 with extent 1 and subscript 0 in place of a second one.
            let mut keep = vec![assign(&state, &next)];
            keep.extend(linear.iter().map(|linear| assign(linear, &product.e())));
            arms.push((vec![code(&format!("MULTIPLY_{d}")).into()], vec![when(result.valid.e(), keep)]));
        }
    }
    let element = linear.as_ref().map_or_else(|| subscript(0), |linear| linear.e());
    let scaled = choose(sizes.iter().map(|&s| element.shl_const(s, byte)).collect());
    arms.push((
        vec![code("ADDRESS").into()],
        vec![assign(&address, &choose(bases).add(&scaled, byte)), assign(&state, &code("ISSUE"))],
    ));
    // The next row is looked at before a command goes out: an end mark there makes this command the last.
    let after_issue = if mixed { code("LAYOUT") } else { code("TAKE") };
    arms.push((vec![code("ISSUE").into()], vec![when(command.fires(), vec![assign(&state, &after_issue)])]));

    m.assign(&command.valid, &in_state("ISSUE").and(&rows.valid.e()));
    m.assign(&m_last, &row.end);
    m.assign(&m_address, &address.e().slice(byte.width - 1, 2));
    let length = Type::unsigned(port.length);
    let bytes = Type::unsigned(port.length + 3);
    let size = choose(sizes.iter().map(|&s| Expr::constant(s as i128, Type::unsigned(2))).collect());
    let offset = address.e().slice(1, 0);
    if mixed {
        let covered = choose(sizes.iter().map(|&s| count.e().shl_const(s, bytes)).collect());
        let rounded = covered.add(&offset, bytes).add(&Expr::constant(3, bytes), bytes);
        let words = m.define("burst_bytes", &rounded);
        m.waive_unused(&words);
        m.assign(&m_length, &words.e().shr_const(2).resize(length));
    } else {
        m.waive_unused(&address);
        m.assign(&m_length, &count.e().resize(length));
    }
    let takes = held.into_iter().fold(in_state("TAKE"), |takes, held| takes.and(&held.not()));
    m.assign(&descriptors.valid, &takes.and(&rows.valid.e()));
    m.assign(&rows.ready, &takes.and(&descriptors.ready.e()));

    let layout = mixed.then(|| {
        let stream = Stream::wires(m, "layout");
        m.assign(&stream.valid, &in_state("LAYOUT"));
        arms.push((vec![code("LAYOUT").into()], vec![when(stream.ready.e(), vec![assign(&state, &code("TAKE"))])]));
        let mut wire = |name: &str, value: &Expr| m.define(name, value);
        LayoutStream {
            stream,
            size: wire("layout_size", &size),
            offset: wire("layout_offset", &offset),
            count: wire("layout_count", &count.e()),
        }
    });
    let reset = assign(&state, &code("TAKE"));
    m.clocked("", vec![(state.clone(), 0)], vec![case(state.e(), arms, vec![reset])]);
    layout
}
