//! Tables of constants: a module each, which synthesis takes for a memory with contents, or for logic where it is small.

use std::sync::Arc;

use crate::hardware::circuit::cells;
use crate::hardware::context::Context;
use crate::rtl::{Connection, Expr as Rtl, Label, Module, Signal, Type, assign, case};
use crate::source::kernel::{Expr, Table};

/// The bits that tell a place.
pub fn index_bits(table: &Table) -> u32 {
    Type::for_range(0, table.values.len() as i64 - 1).width
}

fn name(kernel: &str, table: &Table) -> String {
    format!("{kernel}_table_{}", table.name)
}

/// A wire for a value.
pub fn output(m: &mut Module, table: &Table) -> Signal {
    m.wire(&format!("{}_value", table.name), Type::unsigned(table.element.bits))
}

/// The table beside the datapath that is built in `m`.
pub fn instance(m: &mut Module, kernel: &str, table: &Table, index: &Rtl, output: &Signal) {
    let ports = vec![
        ("clk".to_string(), Connection::In(cells::port(m, "clk"))),
        ("s_index".to_string(), Connection::In(index.clone())),
        ("m_value".to_string(), Connection::Out(output.clone())),
    ];
    m.instance(&name(kernel, table), &format!("u_{}", table.name), vec![], ports);
}

/// The modules of the kernel's tables.
pub fn modules(context: &Context) -> Vec<Module> {
    let mut tables: Vec<&Arc<Table>> = vec![];
    for table in context.kernel.statements().iter().flat_map(|s| s.values()).flat_map(Expr::tables) {
        if !tables.iter().any(|known| known.name == table.name) {
            tables.push(table);
        }
    }
    tables.into_iter().map(|table| module(&context.kernel.name, table)).collect()
}

fn module(kernel: &str, table: &Table) -> Module {
    let mut m = Module::new(&name(kernel, table));
    m.describe(&format!(
        "The table {} of {} constants. A value comes two cycles behind its place; beside the places it is 0.",
        table.name,
        table.values.len()
    ));
    let ty = Type::unsigned(table.element.bits);
    m.input("clk", Type::BIT);
    let index = m.input("s_index", Type::unsigned(index_bits(table)));
    let value = m.output_reg("m_value", ty);
    let word = m.reg("word", ty);
    let take = |value: i128| vec![assign(&word, &Rtl::wrapping(value, ty))];
    let arms = table.values.iter().enumerate();
    let arms = arms.map(|(place, own)| (vec![Label::Value(place as i128)], take((*own).into()))).collect();
    m.clocked("", vec![], vec![case(index.e(), arms, take(0)), assign(&value, &word.e())]);
    m
}
