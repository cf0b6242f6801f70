//! Offloads put together by tests, so that the hardware is tested apart from the analysis: statements come from the
//! front end, scans from the test, and the C compiler runs the same program.
#![allow(dead_code)] // each test binary uses its part

use std::collections::BTreeMap;
use std::process::Command;

use burstc::affine::Affine;
use burstc::hardware::{self, Ddr, Link, VerilogFile};
use burstc::ids::StatementId;
use burstc::offload::{Bound, Level, Offload, Piece, Scan};
use burstc::rtl;
use burstc::simulate::bench::Bench;
use burstc::simulate::golden::Golden;
use burstc::simulate::job::Job;
use burstc::simulate::number::Number;
use burstc::simulate::simulator::{self, RunInputs, Simulation, Simulator};
use burstc::simulate::{Outcome, judge};
use burstc::source::kernel::{Access, Argument, Expr, Kernel, Node, Statement, Storage};
use burstc::source::{self, Source};

const CAPACITY: u64 = 16 << 20;

/// Reads `2*i + j - N - 1`.
pub fn affine(text: &str) -> Affine {
    let text = text.replace(' ', "").replace('-', "+-");
    let mut sum = Affine::default();
    for term in text.split('+').filter(|t| !t.is_empty()) {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |t| (-1, t));
        match term.split_once('*') {
            Some((factor, name)) => sum.add_term(name, sign * factor.parse::<i64>().unwrap()),
            None => match term.parse::<i64>() {
                Ok(constant) => sum.constant += sign * constant,
                Err(_) => sum.add_term(term, sign),
            },
        }
    }
    sum
}

/// Reads `i = max(0, 4*T0) .. min(N - 1, 4*T0 + 3) in 0..99` written as `i: 0, 4*T0 .. N - 1, 4*T0 + 3 in 0..99`.
pub fn level(text: &str) -> Level {
    let (name, rest) = text.split_once(':').unwrap();
    let (bounds, range) = rest.split_once(" in ").unwrap();
    let (lower, upper) = bounds.split_once(" .. ").unwrap();
    let side = |text: &str| text.split(',').map(|t| Bound { numerator: affine(t), divisor: 1 }).collect();
    let (low, high) = range.split_once("..").unwrap();
    Level {
        name: name.trim().to_string(),
        lower: side(lower),
        upper: side(upper),
        range: (low.trim().parse().unwrap(), high.trim().parse().unwrap()),
    }
}

/// A piece whose levels are given as [`level`] reads them; the point is given by affine expressions.
pub fn piece(leaf: usize, shared: usize, guards: &[&str], levels: &[&str], point: &[&str]) -> Piece {
    Piece {
        shared,
        leaf: StatementId(leaf).into(),
        guards: guards.iter().map(|g| affine(g)).collect(),
        levels: levels.iter().map(|l| level(l)).collect(),
        point: point.iter().map(|p| affine(p)).collect(),
        slacks: vec![],
        parts: vec![],
    }
}

pub fn scan(pieces: Vec<Piece>) -> Scan {
    Scan { pieces }
}

/// `headers` and one function `name` with `arguments` around `body`.
pub fn source(name: &str, headers: &str, arguments: &str, body: &str) -> Source {
    let text = format!("#include <stdint.h>\n{headers}\nvoid {name}({arguments})\n{{\n{body}\n}}\n");
    Source { path: format!("{name}.c"), text, cpp_args: vec![] }
}

pub fn parse(source: &Source) -> Kernel {
    let mut kernel = source::parse(source).unwrap_or_else(|e| panic!("{e:?}\n{}", source.text));
    for parameter in &mut kernel.parameters {
        parameter.max = parameter.max.or(Some(64));
    }
    kernel
}

/// The kernels of one program whose nests are parsed one by one: the body of the first with those of the others.
pub fn joined(parts: Vec<Kernel>) -> Kernel {
    let mut parts = parts.into_iter();
    let mut kernel = parts.next().unwrap();
    parts.for_each(|part| kernel.body.extend(part.body));
    number_statements(&mut kernel.body, &mut 0);
    kernel
}

fn number_statements(nodes: &mut [Node], next: &mut usize) {
    for node in nodes {
        match node {
            Node::Loop(inner) => number_statements(&mut inner.body, next),
            Node::If(inner) => number_statements(&mut inner.body, next),
            Node::Statement(Statement { name, .. }) => {
                *name = format!("S{next}");
                *next += 1;
            }
        }
    }
}

/// Calls `edit` on every expression of the kernel.
pub fn edit_expressions(kernel: &mut Kernel, edit: &mut dyn FnMut(&mut Expr)) {
    fn inside(expr: &mut Expr, edit: &mut dyn FnMut(&mut Expr)) {
        edit(expr);
        match expr {
            Expr::Constant { .. } | Expr::Read { .. } | Expr::Scalar { .. } | Expr::Index { .. } => {}
            Expr::Unary { operand, .. } | Expr::Cast { operand, .. } | Expr::Lookup { index: operand, .. } => {
                inside(operand, edit);
            }
            Expr::Gather { .. } | Expr::Scatter { .. } | Expr::Masked { .. } => {
                expr.operands_mut().into_iter().for_each(|e| inside(e, edit));
            }
            Expr::Binary { left, right, .. } => [left, right].into_iter().for_each(|e| inside(e, edit)),
            Expr::Select { condition, then, otherwise, .. } => {
                [condition, then, otherwise].into_iter().for_each(|e| inside(e, edit));
            }
        }
    }
    edit_statements(&mut kernel.body, &mut |statement| inside(&mut statement.value, edit));
}

/// Calls `edit` on every access of the kernel.
pub fn edit_accesses(kernel: &mut Kernel, edit: &mut dyn FnMut(&mut Access)) {
    edit_statements(&mut kernel.body, &mut |statement| edit(&mut statement.target));
    edit_expressions(kernel, &mut |expr| {
        if let Expr::Read { access, .. } = expr {
            edit(access);
        }
    });
}

fn edit_statements(nodes: &mut [Node], edit: &mut dyn FnMut(&mut Statement)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => edit_statements(&mut inner.body, edit),
            Node::If(inner) => edit_statements(&mut inner.body, edit),
            Node::Statement(statement) => edit(statement),
        }
    }
}

/// Makes an array argument a local array; one of one element a local scalar.
pub fn make_local(kernel: &mut Kernel, name: &str) {
    let array = kernel.arrays.position(|a| a.name == name).unwrap();
    kernel.arguments.retain(|a| *a != Argument::Array(array));
    let data = &mut kernel.arrays[array];
    data.storage = Storage::Local { declared_in: vec![], expanded: 0, transferred: false };
    if data.extents == [Affine::constant(1)] {
        data.extents.clear();
        edit_accesses(kernel, &mut |access| {
            if access.array == array {
                access.subscripts.clear();
            }
        });
    }
}

/// The Verilog of an offload, its top module, verified; accelerator or direct version.
pub fn verilog(offload: &Offload, direct: bool) -> (Vec<VerilogFile>, String) {
    let generate = if direct { hardware::generate_direct } else { hardware::generate };
    let design = generate(offload, Link::Ddr(Ddr::DDR400B)).unwrap();
    if let Err(faults) = rtl::verify(&design) {
        panic!("{}", faults.join("\n"));
    }
    let file = |m: &rtl::Module| VerilogFile { name: format!("{}.v", m.name()), text: rtl::print(m) };
    let files = design.modules.iter().map(file).chain(hardware::files(&design.library)).collect();
    let name = &offload.kernel.name;
    (files, if direct { format!("{name}_direct_top") } else { format!("{name}_top") })
}

/// Verilator's lint and Yosys' checks find nothing.
pub fn lint(files: &[VerilogFile], top: &str) {
    let folder = tempfile::tempdir().unwrap();
    let write = |file: &VerilogFile| {
        let path = folder.path().join(&file.name);
        std::fs::write(&path, &file.text).unwrap();
        path.display().to_string()
    };
    let names: Vec<String> = files.iter().map(write).collect();
    let script = format!(
        "read_verilog {}; hierarchy -check -top {top}; proc; flatten; opt_clean; check -assert; \
         select -assert-none t:$dlatch t:$adlatch t:$dlatchsr; scc -expect 0",
        names.join(" ")
    );
    let verilator = ["--lint-only", "-Wall", "--top-module", top].map(str::to_string);
    for (tool, arguments) in
        [("verilator", [verilator.to_vec(), names].concat()), ("yosys", vec!["-q".into(), "-p".into(), script])]
    {
        let output = Command::new(tool).args(arguments).output().unwrap();
        let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let complaint = text.lines().find(|l| l.contains("Warning") || l.contains("rror"));
        assert!(output.status.success() && complaint.is_none(), "{tool}\n{text}");
    }
}

/// An offload on one simulator, beside its C program.
pub struct Rig {
    kernel: Kernel,
    golden: Golden,
    simulation: Simulation,
    _work: tempfile::TempDir,
}

impl Rig {
    pub fn new(source: &Source, offload: &Offload, simulator: Simulator, direct: bool) -> Rig {
        let (files, top) = verilog(offload, direct);
        let work = tempfile::tempdir().unwrap();
        let bench = Bench::new(Link::Ddr(Ddr::DDR400B), 10_000).just_holding(0);
        let (bench, files) = bench.soon_ready(&files);
        let simulation = simulator::build_in(bench, &files, &top, simulator, None, work.path(), None).unwrap();
        let golden = Golden::build(source, &offload.kernel).unwrap();
        Rig { kernel: offload.kernel.clone(), golden, simulation, _work: work }
    }

    /// Demands that all of memory is as the C program leaves it; tells whether that is not as it was.
    pub fn run(&self, set: &[(&str, i128)], seed: u64) -> bool {
        let set: BTreeMap<String, Number> = set.iter().map(|(n, v)| (n.to_string(), Number::Whole(*v))).collect();
        let mut job = Job::new(&self.kernel, &set, CAPACITY, seed).unwrap();
        let expected = self.golden.expected(&mut job).unwrap();
        let registers = job.registers(&self.kernel);
        let inputs = RunInputs { image: &job.image, registers: &registers, max_cycles: 1_000_000, waveform: None };
        let output = self.simulation.run(&inputs).unwrap();
        let outcome = judge(&job, &expected, &output, inputs.max_cycles);
        assert_eq!(outcome, Outcome::Pass, "{} {set:?}, seed {seed}: {outcome}", self.kernel.name);
        expected != job.image
    }
}
