//! Every rule of the verifier, broken once.

use crate::rtl::*;

const BYTE: Type = Type { width: 8, signed: false };

const CELL: &str = "// library_cell: what instances of the library are checked against
`default_nettype none

module library_cell #(
    parameter integer WIDTH = 8,
    parameter integer LOG   = 1
) (
    input  wire                        clk,
    input  wire [2*(WIDTH-1)+1:0]      s_data,  // twice
    output reg                         m_valid,
    output wire [(WIDTH<<LOG)-1:WIDTH] m_data
);
";

/// A module with clock, reset, an input and an output register that follows it: nothing to complain about.
fn sound(name: &str) -> (Module, Signal) {
    let mut m = Module::new(name);
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let a = m.input("a", BYTE);
    let followed = m.output_reg("followed", BYTE);
    m.clocked("", vec![(followed.clone(), 0)], vec![assign(&followed, &a)]);
    (m, a)
}

/// The complaints about a sound module to which `change` was done.
fn complaints(change: impl FnOnce(&mut Module, &Signal)) -> Vec<String> {
    let (mut m, a) = sound("tested");
    change(&mut m, &a);
    verify(&Design { modules: vec![m], library: vec![Header::parse(CELL).expect("it is in style")] })
        .err()
        .unwrap_or_default()
}

#[track_caller]
fn expect(expected: &str, change: impl FnOnce(&mut Module, &Signal)) {
    let complaints = complaints(change);
    assert!(complaints.iter().any(|complaint| complaint.contains(expected)), "{expected}: {complaints:#?}");
}

fn bytes(value: i128) -> Expr {
    Expr::constant(value, BYTE)
}

#[test]
fn sound_modules_pass() {
    assert_eq!(complaints(|_, _| {}), Vec::<String>::new());
}

#[test]
fn modules_have_distinct_names_and_do_not_contain_themselves() {
    let design = Design { modules: vec![sound("twin").0, sound("twin").0], library: vec![] };
    assert!(verify(&design).is_err_and(|e| e.contains(&"two modules are called `twin`".to_string())));

    let parent = |name: &str, child: &str| {
        let mut m = Module::new(name);
        m.instance(child, "inner", vec![], vec![]);
        m
    };
    let design = Design { modules: vec![parent("a", "b"), parent("b", "a")], library: vec![] };
    assert!(verify(&design).is_err_and(|e| e.contains(&"module `a` contains itself".to_string())));
}

#[test]
fn signals_and_constants_are_the_modules_own() {
    let (mut other, foreign) = sound("other");
    let constant = other.localparam("FOREIGN", 3, BYTE);
    expect("`a` is a signal of another module", |m, _| {
        let y = m.output("y", BYTE);
        m.assign(&y, &foreign);
    });
    expect("`a` is a signal of another module", |m, a| m.assign(&foreign, a));
    expect("`FOREIGN` is a constant of another module", |m, a| {
        let y = m.output("y", BYTE);
        m.assign(&y, &a.add(&constant, BYTE));
    });
}

#[test]
fn everything_has_one_driver_of_its_kind() {
    expect("`y` is driven 2 times: [Assignment, Instance]", |m, a| {
        let y = m.output("y", BYTE);
        m.assign(&y, a);
        m.instance("library_cell", "u", vec![], vec![("q".into(), Connection::Out(y.clone()))]);
    });
    expect("`y` is driven 2 times: [Clocked, Clocked]", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![], vec![assign(&y, a)]);
        m.clocked("", vec![], vec![assign(&y, a)]);
    });
    expect("`a`, an input, is driven", |m, a| m.assign(a, &bytes(0)));
    expect("`y`, a wire, is assigned in a clocked process", |m, a| {
        let y = m.output("y", BYTE);
        m.clocked("", vec![], vec![assign(&y, a)]);
    });
    expect("`y`, a register, is driven by an assignment", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.assign(&y, a);
    });
    expect("`y`, a register, is driven by an instance", |m, _| {
        let y = m.output_reg("y", BYTE);
        m.instance("library_cell", "u", vec![], vec![("q".into(), Connection::Out(y.clone()))]);
    });
    expect("`y` is never driven", |m, _| drop(m.output("y", BYTE)));
    expect("`w` is never driven", |m, _| {
        let y = m.output("y", BYTE);
        let w = m.wire("w", BYTE);
        m.assign(&y, &w);
    });
    // Its only assignment can never happen.
    expect("`y` is never driven", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![], vec![when(Expr::bit(false), vec![assign(&y, a)])]);
    });
}

#[test]
fn widths_and_values_fit() {
    expect("`y` has 9 bits and takes a value of 8", |m, a| {
        let y = m.output("y", Type::unsigned(9));
        m.assign(&y, a);
    });
    expect("a condition has 8 bits", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![], vec![when(a, vec![assign(&y, a)])]);
    });
    expect("is no value of the case's subject", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![], vec![case(a, vec![(vec![256.into()], vec![assign(&y, a)])], vec![])]);
    });
    expect("is no value of the case's subject", |m, a| {
        let y = m.output_reg("y", BYTE);
        let narrow = m.localparam("NARROW", 1, Type::BIT);
        m.clocked("", vec![], vec![case(a, vec![(vec![narrow.into()], vec![assign(&y, a)])], vec![])]);
    });
    expect("has two arms for 7", |m, a| {
        let y = m.output_reg("y", BYTE);
        let arm = |label: Label| (vec![label], vec![assign(&y, a)]);
        let seven = m.localparam("SEVEN", 7, BYTE);
        m.clocked("", vec![], vec![case(a, vec![arm(7.into()), arm(seven.into())], vec![])]);
    });
    expect("has an arm without labels", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![], vec![case(a, vec![(vec![], vec![assign(&y, a)])], vec![])]);
    });
    expect("not enough for its reset value 256", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.clocked("", vec![(y.clone(), 256)], vec![assign(&y, a)]);
    });
}

#[test]
fn clocked_processes_have_their_inputs() {
    let mut m = Module::new("no_clock");
    let y = m.output_reg("y", BYTE);
    m.clocked("", vec![(y.clone(), 0)], vec![assign(&y, &bytes(1))]);
    let errors = verify(&Design { modules: vec![m], library: vec![] }).expect_err("there is no clock");
    assert!(errors[0].contains("an input `clk` of one bit") && errors[1].contains("an input `rst` of one bit"));
}

#[test]
fn combinational_blocks_are_combinational() {
    expect("`y` keeps its value on a way through its block", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.combinational("", vec![], vec![when(a.is_zero(), vec![assign(&y, a)])]);
    });
    expect("`y` keeps its value on a way through its block", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.combinational("", vec![], vec![case(a, vec![(vec![1.into()], vec![assign(&y, a)])], vec![])]);
    });
    expect("`y` is read in the combinational block that drives it", |m, a| {
        let y = m.output_reg("y", BYTE);
        m.combinational("", vec![(y.clone(), a.e())], vec![assign(&y, &y.add(&bytes(1), BYTE))]);
    });
    // A block that reads nothing but still decides something.
    expect("reads nothing", |m, _| {
        let y = m.output_reg("y", BYTE);
        let mode = m.localparam("MODE", 2, BYTE);
        m.combinational("", vec![(y.clone(), bytes(0))], vec![when(mode.eq(&bytes(3)), vec![assign(&y, &mode)])]);
    });
}

#[test]
fn constant_combinational_blocks_become_assignments() {
    let (mut m, _) = sound("tested");
    let y = m.output_reg("y", BYTE);
    let never = vec![when(Expr::bit(false), vec![assign(&y, &bytes(9))])];
    m.combinational("Nothing to decide.", vec![(y.clone(), bytes(4))], never);
    assert!(print(&m).contains("    // Nothing to decide.\n    assign y = 8'd4;\n"));
    assert_eq!(verify(&Design { modules: vec![m], library: vec![] }), Ok(()));
}

#[test]
fn instances_fit_their_modules() {
    let instance = |ports: Vec<(&'static str, Connection)>| {
        let (mut m, a) = sound("parent");
        let ports = ports.into_iter().map(|(name, connection)| (name.to_string(), connection));
        let clock = ["clk", "rst"].map(|name| (name.to_string(), Connection::In(m.port(name).expect("it has it").e())));
        m.instance("child", "u", vec![], clock.into_iter().chain(ports).collect());
        m.waive_unused(&a);
        verify(&Design { modules: vec![m, sound("child").0], library: vec![] }).err().unwrap_or_default()
    };
    let good = || ("followed", Connection::Open);
    assert_eq!(instance(vec![("a", Connection::In(bytes(1))), good()]), Vec::<String>::new());
    let complains = |expected: &str, ports| {
        let errors = instance(ports);
        assert!(errors.iter().any(|error| error.contains(expected)), "{expected}: {errors:#?}");
    };
    complains("leaves `a` out", vec![good()]);
    complains("has no port `b`", vec![("a", Connection::In(bytes(1))), ("b", Connection::Open), good()]);
    complains("connects `a` twice", vec![("a", Connection::In(bytes(1))), ("a", Connection::In(bytes(1))), good()]);
    complains("connects 1 bits to `a`, which has 8", vec![("a", Connection::In(Expr::bit(true))), good()]);
    complains("connects `a` against its direction", vec![("a", Connection::Open), good()]);
    let input = Connection::In(bytes(1));
    complains("connects `followed` against its direction", vec![("a", input.clone()), ("followed", input)]);

    expect("instance `u` is of an unknown module `nothing`", |m, _| m.instance("nothing", "u", vec![], vec![]));
    let (mut m, a) = sound("parent");
    m.waive_unused(&a);
    m.instance("child", "u", vec![("WIDTH", 3)], vec![]);
    let errors = verify(&Design { modules: vec![m, sound("child").0], library: vec![] }).expect_err("it has none");
    assert!(errors.iter().any(|error| error.contains("sets `WIDTH`, but `child` has no parameters")), "{errors:#?}");
}

/// An instance of `CELL`, right but for what `change` does to its parameters and connections.
fn cell_with(
    change: impl FnOnce(&mut Vec<(&'static str, i128)>, &mut Vec<(String, Connection)>),
) -> impl FnOnce(&mut Module, &Signal) {
    |m, a| {
        let wide = m.wire("wide", Type { width: 4, signed: false });
        m.waive_unused(&wide);
        let twice = Expr::constant(0, BYTE);
        let clock = m.port("clk").expect("it has a clock").e();
        let mut parameters = vec![("WIDTH", 4)];
        let mut ports = vec![
            ("clk".to_string(), Connection::In(clock)),
            ("s_data".to_string(), Connection::In(twice)),
            ("m_valid".to_string(), Connection::Open),
            ("m_data".to_string(), Connection::Out(wide)),
        ];
        change(&mut parameters, &mut ports);
        m.instance("library_cell", "u", parameters, ports);
        m.waive_unused(a);
    }
}

#[test]
fn instances_fit_the_cells_of_the_library() {
    assert_eq!(complaints(cell_with(|_, _| {})), Vec::<String>::new());

    expect("`library_cell` has no port `s_date`", cell_with(|_, ports| ports[1].0 = "s_date".to_string()));
    expect("instance `u` leaves `s_data` out", cell_with(|_, ports| drop(ports.remove(1))));
    expect("instance `u` leaves `m_valid` out", cell_with(|_, ports| drop(ports.remove(2))));
    expect("connects 1 bits to `s_data`, which has 8", cell_with(|_, p| p[1].1 = Connection::In(Expr::bit(false))));
    expect("connects `s_data` against its direction", cell_with(|_, ports| ports[1].1 = Connection::Open));
    expect("connects `m_valid` against its direction", cell_with(|_, p| p[2].1 = Connection::In(Expr::bit(false))));
    expect("connects `clk` twice", cell_with(|_, ports| ports.push(ports[0].clone())));

    // Widths follow the parameters, and the header's values where there are none.
    expect("connects 8 bits to `s_data`, which has 6", cell_with(|parameters, _| parameters[0].1 = 3));
    expect("connects 4 bits to `m_data`, which has 12", cell_with(|parameters, _| parameters.push(("LOG", 2))));
    expect("connects 8 bits to `s_data`, which has 16", cell_with(|parameters, _| parameters.clear()));
    expect(
        "sets `WITH`, but `library_cell` has no such parameter",
        cell_with(|parameters, _| parameters[0].0 = "WITH"),
    );
    expect("gives port `m_data` of `library_cell` no width", cell_with(|parameters, _| parameters.push(("LOG", 0))));
}

#[test]
fn headers_that_leave_the_style_are_not_guessed_at() {
    let refused = |from: &str, to: &str| Header::parse(&CELL.replace(from, to)).expect_err("it leaves the style");
    assert!(refused("output reg  ", "signed reg  ").contains("cannot read `signed reg"));
    assert!(refused("LOG   = 1", "LOG   = WIDTH").contains("cannot read `parameter integer LOG"));
    assert!(refused(");", "").contains("does not end"));
    assert!(Header::parse("// nothing").is_err());
}

#[test]
fn every_bit_is_read_or_waived() {
    expect("`b` is never read", |m, _| drop(m.input("b", BYTE)));
    expect("bits 0, 7 of `b` are never read", |m, _| {
        let b = m.input("b", BYTE);
        let y = m.output("y", Type::unsigned(6));
        m.assign(&y, &b.slice(6, 1));
    });
    let none = complaints(|m, _| {
        let b = m.input("b", BYTE);
        m.waive_unused(&b);
    });
    assert_eq!(none, Vec::<String>::new());
}

#[test]
fn nothing_depends_on_itself_within_a_cycle() {
    expect("combinational loop x <- y <- x", |m, a| {
        let x = m.wire("x", BYTE);
        let y = m.reg("y", BYTE);
        m.assign(&x, &y.add(a, BYTE));
        m.combinational("", vec![(y.clone(), bytes(0))], vec![when(x.is_zero(), vec![assign(&y, a)])]);
    });
    // Two targets of one block that do not depend on each other make no loop.
    let none = complaints(|m, a| {
        let x = m.reg("x", BYTE);
        let y = m.output_reg("y", BYTE);
        let from_x = m.define("from_x", &x.add(a, BYTE));
        m.combinational("", vec![], vec![assign(&x, a), assign(&y, &from_x)]);
    });
    assert_eq!(none, Vec::<String>::new());

    // Through an instance.
    let mut child = Module::new("child");
    let input = child.input("i", BYTE);
    let output = child.output("o", BYTE);
    child.assign(&output, &input.not());
    let (mut m, a) = sound("parent");
    let looped = m.wire("looped", BYTE);
    let value = looped.and(&a);
    m.instance(
        "child",
        "u",
        vec![],
        vec![("i".into(), Connection::In(value)), ("o".into(), Connection::Out(looped.clone()))],
    );
    let errors = verify(&Design { modules: vec![m, child], library: vec![] }).expect_err("it is a loop");
    assert_eq!(errors, ["module `parent`: combinational loop looped <- looped"]);
}
