//! Whole modules as text.

use super::tools::{icarus_compile, lint, yosys_check};
use crate::rtl::*;

/// A counter of words with a state machine, an output stream and a child.
pub fn example() -> Design {
    let mut child = Module::new("increment");
    child.describe("Adds one. Latency 0.");
    let input = child.input("value", Type::unsigned(8));
    let output = child.output("next", Type::unsigned(8));
    child.assign(&output, &input.add(&Expr::constant(1, Type::unsigned(8)), output.ty()));
    let carry = child.output("carry", Type::BIT);
    child.assign(&carry, &input.eq(&Expr::constant(255, Type::unsigned(8))));

    let mut m = Module::new("word_counter");
    m.describe("Counts the words of a burst and adds up their products with a weight.\nLatency: one cycle.");
    let _clk = m.input("clk", Type::BIT);
    let _rst = m.input("rst", Type::BIT);
    let start = m.input("start", Type::BIT);
    let length = m.input("length", Type::unsigned(8));
    let valid = m.input("s_valid", Type::BIT);
    let ready = m.output("s_ready", Type::BIT);
    let data = m.input("s_data", Type::signed(12));
    let done = m.output_reg("done", Type::BIT);
    let total = m.output_reg("total", Type::signed(24));
    let nearly = m.output_reg("nearly", Type::BIT);

    let state_type = Type::unsigned(2);
    let idle = m.localparam("IDLE", 0, state_type);
    let run = m.localparam("RUN", 1, state_type);
    let last = m.localparam("LAST", 2, state_type);
    m.comment("State");
    let state = m.reg("state", state_type);
    let count = m.reg("count", Type::unsigned(8));
    let next_count = m.wire("count_next", Type::unsigned(8));
    let transfer = m.define("transfer", &valid.and(&ready));
    m.assign(&ready, &state.eq(&run).or(&state.eq(&last)));
    m.instance(
        "increment",
        "count_increment",
        vec![],
        vec![
            ("value".into(), Connection::In(count.e())),
            ("next".into(), Connection::Out(next_count.clone())),
            ("carry".into(), Connection::Open),
        ],
    );
    let weight = Expr::constant(-37, Type::signed(8));
    let sum = total.add(&data.mul(&weight, Type::signed(20)), total.ty());
    m.clocked(
        "The state machine.",
        vec![(state.clone(), 0), (done.clone(), 0)],
        vec![
            assign(&done, &Expr::bit(false)),
            case(
                &state,
                vec![
                    (
                        vec![(&idle).into()],
                        vec![when(
                            &start,
                            vec![
                                assign(&count, &Expr::constant(0, count.ty())),
                                assign(&total, &Expr::constant(0, total.ty())),
                                assign(&state, &run),
                            ],
                        )],
                    ),
                    (
                        vec![(&run).into(), (&last).into()],
                        vec![when(
                            &transfer,
                            vec![
                                assign(&count, &next_count),
                                assign(&total, &sum),
                                when_else(
                                    next_count.eq(&length),
                                    vec![assign(&state, &idle), assign(&done, &Expr::bit(true))],
                                    vec![when(
                                        length
                                            .sub(&next_count, Type::signed(9))
                                            .lt(&Expr::constant(2, Type::unsigned(2))),
                                        vec![assign(&state, &last)],
                                    )],
                                ),
                            ],
                        )],
                    ),
                ],
                vec![assign(&state, &idle)],
            ),
        ],
    );
    m.combinational(
        "Whether the last word is near.",
        vec![(nearly.clone(), Expr::bit(false))],
        vec![when(state.eq(&last), vec![assign(&nearly, &data.shr_const(4).gt(&count))])],
    );
    Design { modules: vec![child, m], library: vec![] }
}

fn write(design: &Design, folder: &std::path::Path) {
    for module in &design.modules {
        std::fs::write(folder.join(format!("{}.v", module.name())), print(module)).expect("the folder is ours");
    }
}

/// Lint without a warning, Yosys and Icarus; `design`'s last module is the top.
pub(super) fn tools_accept(design: &Design) {
    assert_eq!(verify(design), Ok(()));
    let folder = tempfile::tempdir().expect("a folder for the run");
    write(design, folder.path());
    let top = design.modules.last().expect("there is one").name();
    lint(folder.path(), top, &[]);
    yosys_check(folder.path(), top);
    let files: Vec<String> = design.modules.iter().map(|module| format!("{}.v", module.name())).collect();
    let files = files.iter().map(String::as_str);
    icarus_compile(folder.path(), &["-o", "out.vvp"].into_iter().chain(files).collect::<Vec<_>>());
}

/// `word_counter.v` beside this file; `BLESS=1` writes it anew.
#[test]
fn state_machine_prints_as_written() {
    let text = print(&example().modules[1]);
    assert_eq!(text, print(&example().modules[1]), "the same bytes every time");
    if std::env::var_os("BLESS").is_some() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/rtl/tests/word_counter.v");
        std::fs::write(file, &text).expect("the file can be written");
    } else {
        assert_eq!(text, include_str!("word_counter.v"));
    }
    tools_accept(&example());
}

/// The text of `value`, assigned to an output of a module whose signals `value` makes.
fn assigned(value: impl FnOnce(&mut Module) -> Expr) -> String {
    let mut m = Module::new("m");
    let value = value(&mut m);
    let y = m.output("y", value.ty());
    m.assign(&y, &value);
    let text = print(&m);
    let body = text.split("\n);\n").nth(1).expect("the ports end").split("endmodule").next().expect("the body ends");
    body.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

#[test]
fn expressions_read_as_one_would_write_them() {
    type Made = fn(&mut Module) -> Expr;
    let table: [(Made, &str); 16] = [
        (|m| m.input("a", Type::unsigned(8)).add(&Expr::constant(0, Type::BIT), Type::unsigned(8)), "assign y = a;"),
        (|m| m.input("a", Type::BIT).and(&Expr::bit(true)).not(), "assign y = !a;"),
        (|m| m.input("a", Type::unsigned(8)).lt(&Expr::constant(300, Type::unsigned(9))), "assign y = 1'b1;"),
        (|m| m.input("a", Type::unsigned(8)).le(&Expr::constant(0, Type::BIT)), "assign y = a == 8'd0;"),
        (|m| m.input("a", Type::BIT).eq(&Expr::bit(false)), "assign y = !a;"),
        (|m| m.input("a", Type::unsigned(8)).lt(&m.input("b", Type::unsigned(8))).not(), "assign y = a >= b;"),
        (
            |m| m.input("a", Type::unsigned(8)).lt(&m.input("b", Type::signed(6))),
            "assign y = $signed({1'b0, a}) < $signed({{3{b[5]}}, b});",
        ),
        (
            |m| m.input("a", Type::signed(8)).add(&Expr::constant(-3, Type::signed(3)), Type::signed(8)),
            "assign y = a - 8'sd3;",
        ),
        (
            |m| m.input("a", Type::signed(8)).mul(&m.input("b", Type::unsigned(4)), Type::signed(13)),
            "assign y = a * $signed({1'b0, b});",
        ),
        (
            |m| m.input("a", Type::unsigned(8)).mul(&Expr::constant(4, Type::unsigned(3)), Type::unsigned(10)),
            "assign y = {a, 2'd0};",
        ),
        (
            |m| m.input("a", Type::unsigned(8)).add(&m.input("b", Type::unsigned(8)), Type::unsigned(9)).slice(3, 0),
            "assign y = a[3:0] + b[3:0];",
        ),
        (
            |m| m.input("a", Type::unsigned(8)).add(&m.input("b", Type::unsigned(8)), Type::unsigned(9)).index(8),
            "wire [8:0] y_sum = {1'b0, a} + {1'b0, b};\nassign y = y_sum[8];\n\
             // Unread on purpose; the name keeps lint quiet.\nwire unused = &{1'b0, y_sum};",
        ),
        (
            |m| {
                let c = m.input("c", Type::BIT);
                let inner = c.and(&m.input("d", Type::BIT)).select(&m.input("b", Type::BIT), &c);
                m.input("e", Type::unsigned(2)).is_zero().select(&m.input("a", Type::BIT), &inner)
            },
            "assign y = (e == 2'd0) ? a : (c && d) ? b : c;",
        ),
        (
            |m| {
                let a = m.input("a", Type::signed(8));
                a.shr(&m.input("n", Type::unsigned(3))).add(&m.input("b", Type::unsigned(8)), Type::unsigned(8))
            },
            "assign y = $signed(a >>> n) + b;",
        ),
        (
            |m| {
                let [a, b, c] = ["a", "b", "c"].map(|name| m.input(name, Type::BIT).e());
                Expr::any(&[a.and(&b), b.and(&c.not())])
            },
            "assign y = (a && b) || (b && !c);",
        ),
        (
            // A large part that is read twice has a wire.
            |m| {
                let [a, b, c, d, e] = ["a", "b", "c", "d", "e"].map(|name| m.input(name, Type::unsigned(4)).e());
                let ty = Type::unsigned(4);
                let large = a.add(&b, ty).xor(&c.add(&d, ty)).sub(&e, ty);
                large.lt(&a).and(&large.gt(&e))
            },
            "wire [3:0] y_difference = ((a + b) ^ (c + d)) - e;\nassign y = y_difference < a && e < y_difference;",
        ),
    ];
    for (value, expected) in table {
        assert_eq!(assigned(value), expected);
    }
}

#[test]
fn long_lines_break_at_operators() {
    let text = assigned(|m| {
        let conditions: Vec<Expr> = (0..6)
            .map(|i| {
                let address = m.input(&format!("write_address_of_stage_{i}"), Type::unsigned(10));
                m.input(&format!("valid_of_stage_{i}"), Type::BIT)
                    .and(&address.eq(&m.input("read_address", address.ty())))
            })
            .collect();
        Expr::any(&conditions)
    });
    assert!(
        text.lines().count() > 3 && text.lines().skip(1).all(|line| line.starts_with("|| (valid_of_stage_")),
        "{text}"
    );
}

#[test]
fn reserved_words_are_avoided() {
    let mut m = Module::new("table");
    let words: Vec<&str> = crate::rtl::names::reserved_words().collect();
    for word in &words {
        let input = m.input(word, Type::BIT);
        assert_ne!(input.name(), *word);
        m.waive_unused(&input);
    }
    let y = m.output("output", Type::BIT);
    m.assign(&y, &Expr::bit(true));
    assert_eq!((m.name(), m.ports().count()), ("table_", words.len() + 1));
    tools_accept(&Design { modules: vec![m], library: vec![] });
}

/// Wider than any integer of the host.
#[test]
fn wide_values_print() {
    let mut m = Module::new("wide");
    let a = m.input("a", Type::signed(200));
    let b = m.input("b", Type::unsigned(150));
    let amount = m.input("amount", Type::unsigned(40));
    let values = [
        a.add(&Expr::constant(-1, Type::signed(200)), Type::signed(201)),
        a.sub(&b, Type::signed(201)),
        b.mul(&a, Type::signed(350)),
        a.lt(&b),
        a.eq(&Expr::constant(-5, Type::signed(4))),
        b.ge(&Expr::constant(1 << 100, Type::unsigned(101))),
        b.le(&Expr::constant(i128::MAX, Type::unsigned(127))),
        Expr::bit(true).replicate(180),
        Expr::constant(-7, Type::signed(190)).slice(160, 1),
        a.and(&Expr::constant(-2, Type::signed(200))),
        b.shl(&amount, Type::unsigned(160)),
        a.shr(&amount),
        b.not().reduce_and(),
        Expr::concat(&[a.e(), Expr::constant(0, Type::unsigned(30)), b.slice(149, 100)]),
    ];
    for (i, value) in values.iter().enumerate() {
        let y = m.output(&format!("y{i}"), value.ty());
        m.assign(&y, value);
    }
    tools_accept(&Design { modules: vec![m], library: vec![] });
}

/// A set of forty thousand characters in a comment: Icarus has a buffer of sixteen thousand for a line.
#[test]
fn long_comments_break_between_words() {
    let set = (0..4000).map(|k| format!("{k} <= x{k}")).collect::<Vec<_>>().join(" or ");
    let mut m = Module::new("about");
    m.describe(&format!("Walks a set.\n{{ {set} }}\n\nLatency 0."));
    let input = m.input("value", Type::BIT);
    let output = m.output("same", Type::BIT);
    m.assign(&output, &input.e());
    let text = print(&m);
    let lines = text.lines().filter(|line| line.starts_with("//"));
    assert!(lines.clone().all(|line| line.len() <= 110));
    let words = lines.flat_map(|line| line[2..].split_whitespace()).collect::<Vec<_>>().join(" ");
    assert_eq!(words, format!("Walks a set. {{ {set} }} Latency 0."));
    tools_accept(&Design { modules: vec![m], library: vec![] });
}

/// Two products of the same factors, one cut to fewer bits, print alike in messages, and are not the same value.
#[test]
fn expressions_are_equal_by_structure_and_type() {
    let mut m = Module::new("equality");
    let [a, b] = ["a", "b"].map(|name| m.input(name, Type::unsigned(8)));
    let product = |width| a.mul(&b, Type::unsigned(width));
    assert!(product(16) == product(16) && product(16) != product(12));
    assert_eq!(format!("{:?}", product(16)), format!("{:?}", product(12)));
    let other = Module::new("other").input("a", Type::unsigned(8));
    assert!(a.e() == a.e() && a.e() != b.e() && a.e() != other.e());
    let assigned = |width| assign(&b, &product(width).slice(7, 0));
    assert!(assigned(16) == assigned(16) && assigned(16) != assigned(12));
}

/// What a port is for stands beside it; where bits of a word are a field, its place has a name.
#[test]
fn ports_have_remarks_and_words_have_fields() {
    let mut m = Module::new("fields");
    let word = m.input("word", Type::unsigned(10));
    m.remark(&word, "two numbers and a mark");
    m.fields("word", &word, [("high", 5), ("low", 4), ("end", 1)]);
    let values =
        [word.slice(9, 5), word.slice(4, 1), word.slice(0, 0), word.slice(3, 2), word.slice(9, 1), word.slice(6, 4)];
    for (n, value) in values.iter().enumerate() {
        let y = m.output(&format!("y{n}"), value.ty());
        m.assign(&y, value);
    }
    let text = print(&m);
    for line in [
        "    input  wire [9:0] word,  // two numbers and a mark",
        "    localparam integer WORD_HIGH_LSB = 5;\n    localparam integer WORD_LOW_LSB = 1;\n    localparam integer WORD_END = 0;",
        "assign y0 = word[WORD_HIGH_LSB +: 5];",
        "assign y1 = word[WORD_LOW_LSB +: 4];",
        "assign y2 = word[WORD_END];",
        "assign y3 = word[WORD_LOW_LSB + 1 +: 2];",
        "assign y4 = word[WORD_LOW_LSB +: 9];",
        "assign y5 = word[6:4];",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    tools_accept(&Design { modules: vec![m], library: vec![] });
}

/// What arms of a case have in common stands outside; equal choices are one; nothing asks a sign what a comparison says.
#[test]
fn cases_and_conditions_are_merged() {
    let mut m = Module::new("merged");
    let clk = m.input("clk", Type::BIT);
    let [kind, a, b] = ["kind", "a", "b"].map(|name| m.input(name, Type::unsigned(2)));
    let [x, y] = ["x", "y"].map(|name| m.output_reg(name, Type::unsigned(2)));
    let same = m.output("same", Type::BIT);
    m.assign(&same, &a.ge(&b).and(&b.ge(&a)));
    let step = |value: &Signal| vec![when(clk.e(), vec![assign(&x, &a), assign(&y, value)])];
    m.clocked("", vec![], vec![case(&kind, vec![(vec![0.into()], step(&a)), (vec![1.into()], step(&b))], step(&a))]);
    let text = print(&m);
    assert!(text.contains("assign same = a == b;"), "{text}");
    let block = "        if (clk) begin\n            x <= a;\n            case (kind)\n                2'd1: y <= b;\n                default: y <= a;";
    assert!(text.contains(block), "{text}");
}
