//! Programs as C text.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use burstc::affine::Affine;

use super::program::{Access, Assign, Condition, Expr, For, Layout, Node, Program, Scope, Subscript};

/// The arguments of a program by name, in the order of the prototype.
pub struct Text {
    /// The whole file, one function called `name`.
    pub c: String,
    /// Indices of the sizes that are arguments.
    pub sizes: Vec<usize>,
    /// Prototypes of the arrays, such as `int32_t a[N + 1]`, each with its name.
    pub arrays: Vec<(String, String)>,
    /// Number of scalar arguments.
    pub scalars: usize,
}

pub fn array_name(array: usize) -> String {
    ["a", "b", "c", "d"][array].to_string()
}

/// A function called `name`.
pub fn text(program: &Program, name: &str) -> Text {
    let layout = Layout::of(program);
    let mut printer = Printer { layout: &layout, text: String::new() };
    printer.block(&program.body, &Scope::new(&program.sizes), 1);
    let body = printer.text;
    let arrays: Vec<(String, String)> = layout
        .extents
        .iter()
        .enumerate()
        .filter_map(|(array, extents)| {
            let extents: String = extents.as_ref()?.iter().map(|extent| format!("[{extent}]")).collect();
            let name = array_name(array);
            Some((name.clone(), format!("{} {name}{extents}", program.arrays[array].element)))
        })
        .collect();
    let mut names = BTreeSet::new();
    used(&program.body, &mut names);
    layout.extents.iter().flatten().flatten().for_each(|extent| names.extend(extent.terms.keys().cloned()));
    let scalars: Vec<usize> = (0..program.scalars.len()).filter(|s| body.contains(&scalar_name(*s))).collect();
    let sizes: Vec<usize> = (0..program.sizes.len()).filter(|s| names.contains(&program.sizes[*s].name)).collect();
    let mut c = String::from("#include <stdint.h>\n");
    for (name, comparison) in [("MIN", "<"), ("MAX", ">")] {
        if body.contains(&format!("{name}(")) {
            // Writing to a String cannot fail.
            let _ = writeln!(c, "#define {name}(a, b) ((a) {comparison} (b) ? (a) : (b))");
        }
    }
    for &s in &sizes {
        let first = program.runs.first().map_or(0, |run| run[s]);
        let _ = writeln!(c, "#pragma burstc size({}: {first}, max {})", program.sizes[s].name, program.sizes[s].max);
    }
    let arguments = sizes.iter().map(|s| format!("int {}", program.sizes[*s].name));
    let arguments = arguments.chain(arrays.iter().map(|(_, prototype)| prototype.clone()));
    let arguments = arguments.chain(scalars.iter().map(|s| format!("{} {}", program.scalars[*s], scalar_name(*s))));
    let _ = write!(c, "void {name}({})\n{{\n{body}}}\n", arguments.collect::<Vec<_>>().join(", "));
    Text { c, sizes, arrays, scalars: scalars.len() }
}

fn scalar_name(scalar: usize) -> String {
    format!("scalar{scalar}")
}

/// Names in bounds, conditions and subscripts.
fn used(nodes: &[Node], names: &mut BTreeSet<String>) {
    fn condition_names(condition: &Condition, names: &mut BTreeSet<String>) {
        match condition {
            Condition::NonNegative(a) | Condition::Zero(a) | Condition::Multiple(a, _) => {
                names.extend(a.terms.keys().cloned());
            }
            Condition::And(a, b) | Condition::Or(a, b) => {
                condition_names(a, names);
                condition_names(b, names);
            }
            Condition::Not(a) => condition_names(a, names),
        }
    }
    let access_names = |access: &Access, names: &mut BTreeSet<String>| {
        for subscript in &access.subscripts {
            let (Subscript::Affine(a) | Subscript::Quotient(a, _) | Subscript::Remainder(a, _)) = subscript;
            names.extend(a.terms.keys().cloned());
        }
    };
    for node in nodes {
        match node {
            Node::For(inner) => {
                let bounds = inner.lower.iter().chain(&inner.upper);
                bounds.for_each(|bound| names.extend(bound.terms.keys().cloned()));
                used(&inner.body, names);
            }
            Node::If(inner) => {
                condition_names(&inner.condition, names);
                used(&inner.then, names);
                used(&inner.otherwise, names);
            }
            Node::Assign(assign) => {
                access_names(&assign.target, names);
                assign.value.reads().into_iter().for_each(|access| access_names(access, names));
            }
        }
    }
}

struct Printer<'l> {
    layout: &'l Layout,
    text: String,
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * depth);
    }

    fn block(&mut self, nodes: &[Node], scope: &Scope, depth: usize) {
        for node in nodes {
            match node {
                Node::For(inner) => {
                    let tiled = if depth == 1 { Program::tiled(node) } else { vec![] };
                    if !tiled.is_empty() {
                        let tile = |f: &&For| format!("{}:{}", f.iterator, f.tile.unwrap_or(1));
                        let tiles: Vec<String> = tiled.iter().map(tile).collect();
                        let _ = writeln!(self.text, "#pragma burstc tile({})", tiles.join(", "));
                    }
                    self.line(depth, &format!("{} {{", head(inner)));
                    self.block(&inner.body, &scope.inside(inner), depth + 1);
                    self.line(depth, "}");
                }
                Node::If(inner) => {
                    self.line(depth, &format!("if ({}) {{", condition(&inner.condition, scope)));
                    self.block(&inner.then, scope, depth + 1);
                    if !inner.otherwise.is_empty() {
                        self.line(depth, "} else {");
                        self.block(&inner.otherwise, scope, depth + 1);
                    }
                    self.line(depth, "}");
                }
                Node::Assign(assign) => {
                    let Assign { target, operator, value } = assign;
                    let line = format!("{} {operator} {};", self.access(target, scope), self.expr(value, scope));
                    self.line(depth, &line);
                }
            }
        }
    }

    fn access(&self, access: &Access, scope: &Scope) -> String {
        let mut text = array_name(access.array);
        for (dimension, subscript) in access.subscripts.iter().enumerate() {
            let _ = match subscript {
                Subscript::Affine(value) => {
                    let shift = self.layout.shifts[access.array][dimension].clone();
                    write!(text, "[{}]", value.clone() + shift)
                }
                Subscript::Quotient(value, divisor) => write!(text, "[({}) / {divisor}]", scope.raised(value)),
                Subscript::Remainder(value, divisor) => write!(text, "[({}) % {divisor}]", scope.raised(value)),
            };
        }
        text
    }

    fn expr(&self, expr: &Expr, scope: &Scope) -> String {
        let of = |operand: &Expr| self.expr(operand, scope);
        match expr {
            Expr::Constant(value) if *value < 0 => format!("({value})"),
            Expr::Constant(value) => value.to_string(),
            Expr::Read(access) => self.access(access, scope),
            Expr::Scalar(scalar) => scalar_name(*scalar),
            Expr::Index(value) => format!("({value})"),
            Expr::Unary(operator, a) => format!("{operator}({})", of(a)),
            Expr::Binary(operator, a, b) => format!("({} {operator} {})", of(a), of(b)),
            Expr::Shift(operator, a, b) => format!("({} {operator} ({} & 7))", of(a), of(b)),
            Expr::Divide(operator, a, divisor) => format!("({} {operator} ({divisor}))", of(a)),
            Expr::Select(a, b, c) => format!("({} ? {} : {})", of(a), of(b), of(c)),
            Expr::Cast(ty, a) => format!("({ty})({})", of(a)),
        }
    }
}

fn head(inner: &For) -> String {
    let fold = |name: &str, bounds: &[Affine]| {
        let mut bounds = bounds.iter().rev().map(Affine::to_string);
        let last = bounds.next().unwrap_or_default();
        bounds.fold(last, |text, bound| format!("{name}({bound}, {text})"))
    };
    let (low, high) = (fold("MAX", &inner.lower), fold("MIN", &inner.upper));
    let i = &inner.iterator;
    match (inner.descending, inner.step) {
        (false, 1) => format!("for (int {i} = {low}; {i} <= {high}; {i}++)"),
        (false, step) => format!("for (int {i} = {low}; {i} <= {high}; {i} += {step})"),
        (true, 1) => format!("for (int {i} = {high}; {i} >= {low}; {i}--)"),
        (true, step) => format!("for (int {i} = {high}; {i} >= {low}; {i} -= {step})"),
    }
}

fn condition(c: &Condition, scope: &Scope) -> String {
    match c {
        Condition::NonNegative(value) => format!("{value} >= 0"),
        Condition::Zero(value) => format!("{value} == 0"),
        Condition::Multiple(value, divisor) => format!("({}) % {divisor} == 0", scope.raised(value)),
        Condition::And(a, b) => format!("({}) && ({})", condition(a, scope), condition(b, scope)),
        Condition::Or(a, b) => format!("({}) || ({})", condition(a, scope), condition(b, scope)),
        Condition::Not(a) => format!("!({})", condition(a, scope)),
    }
}
