//! What nobody reads is taken out, whatever carries it; and what is left computes the same.

use crate::rtl::tests::golden::tools_accept;
use crate::rtl::*;

fn library(name: &str) -> Header {
    let path = format!("{}/rtl-templates/{name}.v", env!("CARGO_MANIFEST_DIR"));
    Header::parse(&std::fs::read_to_string(path).expect("a library cell")).expect("it is in style")
}

fn connect(ports: Vec<(&str, Connection)>) -> Vec<(String, Connection)> {
    ports.into_iter().map(|(name, connection)| (name.to_string(), connection)).collect()
}

/// A child that delays a word of four bytes, counts for nobody, and has an input without use; around it a FIFO of its
/// words, of which one byte and one bit are wanted.
fn wasteful() -> Design {
    let byte = |n: u32| Type::unsigned(8 * n);
    let mut child = Module::new("child");
    for name in ["clk", "rst"] {
        child.input(name, Type::BIT);
    }
    let data = child.input("s_data", byte(4));
    child.input("unwanted", byte(1));
    let delayed = child.output_reg("m_data", byte(4));
    child.clocked("", vec![], vec![assign(&delayed, &data)]);
    child.comment("Counts for nobody.");
    let count = child.reg("count", byte(1));
    child.clocked("", vec![(count.clone(), 0)], vec![assign(&count, &count.incremented())]);

    let mut m = Module::new("parent");
    let [clk, rst] = ["clk", "rst"].map(|name| m.input(name, Type::BIT).e());
    let data = m.input("s_data", byte(4));
    let (wanted, flag) = (m.output("wanted", byte(1)), m.output("flag", Type::BIT));
    let delayed = m.wire("delayed", byte(4));
    let ports = vec![
        ("clk", Connection::In(clk.clone())),
        ("rst", Connection::In(rst.clone())),
        ("s_data", Connection::In(data.e())),
        ("unwanted", Connection::In(data.slice(7, 0))),
        ("m_data", Connection::Out(delayed.clone())),
    ];
    m.instance("child", "u_child", vec![], connect(ports));
    let [valid, ready] = ["valid", "ready"].map(|name| m.wire(name, Type::BIT));
    let word = m.wire("word", byte(4));
    let ports = vec![
        ("clk", Connection::In(clk)),
        ("rst", Connection::In(rst)),
        ("s_valid", Connection::In(Expr::bit(true))),
        ("s_ready", Connection::Out(ready)),
        ("s_data", Connection::In(delayed.e())),
        ("m_valid", Connection::Out(valid.clone())),
        ("m_ready", Connection::In(valid.e())),
        ("m_data", Connection::Out(word.clone())),
    ];
    m.instance("fifo", "u_words", vec![("WIDTH", 32), ("DEPTH", 4)], connect(ports));
    m.assign(&wanted, &word.slice(15, 8));
    m.assign(&flag, &word.e().index(31));
    Design { modules: vec![child, m], library: vec![library("fifo")] }
}

#[test]
fn nobody_carries_what_nobody_reads() {
    let mut design = wasteful();
    let complaints = verify(&design).expect_err("bits are unread");
    assert!(complaints.iter().any(|c| c.contains("`unwanted` is never read")), "{complaints:#?}");
    trim(&mut design);
    let [child, parent] = &design.modules[..] else { panic!("two modules") };
    let ports: Vec<(String, u32)> = child.interface().into_iter().map(|p| (p.name, p.width)).collect();
    assert_eq!(ports, [("clk".to_string(), 1), ("s_data".into(), 9), ("m_data".into(), 9)]);
    assert!(!print(child).contains("count") && !print(child).contains("nobody"), "{}", print(child));
    let text = print(parent);
    for line in [".WIDTH(9)", ".s_data({s_data[31], s_data[15:8]})", "assign wanted = word[7:0];", ".s_ready()"] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Its ports are the same whoever reads them.
    assert!(text.contains("input  wire [31:0] s_data") && text.contains("wire unused = &{1'b0, s_data};"), "{text}");
    assert_eq!(verify(&design), Ok(()));
}

/// A bit of a sum needs those below it, and only those; its highest bit needs all, which are waived.
#[test]
fn what_carries_is_kept() {
    let word = Type::unsigned(8);
    let mut m = Module::new("sums");
    let [a, b] = ["a", "b"].map(|name| m.input(name, word));
    let (low, high) = (m.output("low", Type::unsigned(2)), m.output("high", Type::BIT));
    let sum = m.define("sum", &a.add(&b, word));
    let difference = m.define("difference", &a.sub(&b, word));
    m.assign(&low, &sum.slice(3, 2));
    m.assign(&high, &difference.e().index(7));
    let mut design = Design { modules: vec![m], library: vec![] };
    trim(&mut design);
    let text = print(&design.modules[0]);
    assert!(text.contains("wire [3:0] sum = a[3:0] + b[3:0];"), "{text}");
    assert!(text.contains("wire [7:0] difference = a - b;"), "{text}");
    tools_accept(&design);
}
