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

#[test]
fn state_machine_prints_as_written() {
    let design = example();
    assert_eq!(verify(&design), Ok(()));
    let folder = tempfile::tempdir().expect("a folder for the run");
    write(&design, folder.path());
    println!("{}{}", print(&design.modules[1]), print(&design.modules[0]));
    lint(folder.path(), "word_counter", &[]);
    yosys_check(folder.path(), "word_counter");
    icarus_compile(folder.path(), &["-o", "out.vvp", "word_counter.v", "increment.v"]);
}
