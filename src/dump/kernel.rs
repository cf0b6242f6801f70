//! The kernel as a function in C that computes the same. Sizes and iterators are integers of 64 bits, as the analysis
//! takes them to be of any size; conversions of data are explicit. Statements have their names as labels.

use std::fmt::Write as _;

use crate::affine::Affine;
use crate::host::{self, Names};
use crate::ids::ArrayId;
use crate::source::kernel::{
    Access, Argument, Condition, Expr, HostStep, Kernel, Node, ScalarType, SizeParameter, Statement, Storage, Table,
};

pub fn text(kernel: &Kernel) -> String {
    // The text is C: the stage's line is a comment.
    let mut text = format!("// # kernel: `{}` as the analysis takes it\n", kernel.name);
    for line in ["#include <math.h>", "#include <stdint.h>", "#define max(a, b) ((a) > (b) ? (a) : (b))"] {
        let _ = writeln!(text, "{line}");
    }
    text.push_str("#define min(a, b) ((a) < (b) ? (a) : (b))\n");
    // Numerators may be negative, divisors are not.
    text.push_str("#define floord(n, d) ((n) / (d) - ((n) % (d) < 0))\n\n");
    if !kernel.parameters.is_empty() {
        let bounds: Vec<String> = kernel.parameters.iter().map(SizeParameter::interval).collect();
        let _ = writeln!(text, "// sizes: {}", bounds.join(", "));
    }
    for condition in &kernel.domain {
        let _ = writeln!(text, "//     {}: {}", condition.text(), condition.reason);
    }
    tables(kernel, &mut text);
    let arguments: Vec<String> = kernel.arguments.iter().map(|argument| declaration(kernel, argument)).collect();
    let _ = writeln!(text, "void {}({})\n{{", kernel.name, arguments.join(", "));
    for step in &kernel.host {
        let _ = writeln!(text, "    const {} {} = {};", step.ty, step.name, step_value(kernel, step));
    }
    for array in kernel.arrays.iter().filter(|array| array.storage != Storage::Argument) {
        let _ = writeln!(text, "    {};", declared(kernel, &array.name, array.element, array.boolean, &array.extents));
    }
    nodes(kernel, &kernel.body, 1, &mut text);
    text.push_str("}\n");
    text
}

/// The tables that statements read, one after the other.
fn tables(kernel: &Kernel, text: &mut String) {
    let mut known: Vec<&str> = vec![];
    for statement in kernel.statements() {
        for table in statement.writes().flat_map(|(_, value)| value.tables()) {
            if known.contains(&table.name.as_str()) {
                continue;
            }
            known.push(&table.name);
            let value = |value: &i64| {
                host::expression(&InStatements(kernel), &Expr::Constant { value: *value, ty: table.element })
            };
            let values: Vec<String> = table.values.iter().map(value).collect();
            let _ = writeln!(text, "static const {} {}[] = {{{}}};", table.element, table.name, values.join(", "));
        }
    }
}

fn step_value(kernel: &Kernel, step: &HostStep) -> String {
    host::step_text(&InSteps(kernel), &step.value)
}

fn declaration(kernel: &Kernel, argument: &Argument) -> String {
    match argument {
        Argument::Parameter(p) => format!("int64_t {}", kernel.parameters[*p].name),
        Argument::Scalar(s) => {
            let scalar = &kernel.scalars[*s];
            declared(kernel, &scalar.name, scalar.ty, scalar.boolean, &[])
        }
        Argument::Array(a) => {
            let array = &kernel.arrays[*a];
            declared(kernel, &array.name, array.element, array.boolean, &array.extents)
        }
    }
}

fn declared(kernel: &Kernel, name: &str, ty: ScalarType, boolean: bool, extents: &[Affine]) -> String {
    let extents: String = extents.iter().map(|extent| format!("[{}]", affine(kernel, extent))).collect();
    match boolean {
        true => format!("_Bool {name}{extents}"),
        false => format!("{ty} {name}{extents}"),
    }
}

fn nodes(kernel: &Kernel, nodes: &[Node], depth: usize, text: &mut String) {
    let indent = 4 * depth;
    for node in nodes {
        match node {
            Node::Loop(inner) => {
                let i = &inner.iterator;
                let (lower, upper) = (extreme(kernel, "max", &inner.lower), extreme(kernel, "min", &inner.upper));
                let _ = writeln!(text, "{:indent$}for (int64_t {i} = {lower}; {i} <= {upper}; {i}++) {{", "");
                self::nodes(kernel, &inner.body, depth + 1, text);
                let _ = writeln!(text, "{:indent$}}}", "");
            }
            Node::If(inner) => {
                let _ = writeln!(text, "{:indent$}if ({}) {{", "", condition(kernel, &inner.condition));
                self::nodes(kernel, &inner.body, depth + 1, text);
                let _ = writeln!(text, "{:indent$}}}", "");
            }
            Node::Statement(statement) => {
                let _ = writeln!(text, "{:indent$}{}: {}", "", statement.name, assignment(kernel, statement));
            }
        }
    }
}

/// `c[i][j] = (c[i][j] + 1);  // line 9`
fn assignment(kernel: &Kernel, statement: &Statement) -> String {
    let names = InStatements(kernel);
    let write = |(target, value): (&Access, &Expr)| {
        let (condition, target) = match value {
            Expr::Scatter { place, only_if, .. } => (only_if.as_deref(), host::gathered(&names, place)),
            Expr::Masked { only_if, .. } => (Some(&**only_if), names.element(target)),
            _ => (None, names.element(target)),
        };
        let condition = condition.map_or(String::new(), |c| format!("if ({}) ", host::expression(&names, c)));
        format!("{condition}{target} = {};", host::expression(&names, value))
    };
    let writes: Vec<String> = statement.writes().map(write).collect();
    format!("{}  // line {}", writes.join(" together with "), statement.span.line)
}

/// `max(a, max(b, c))`
fn extreme(kernel: &Kernel, of: &str, values: &[Affine]) -> String {
    let texts: Vec<String> = values.iter().map(|value| affine(kernel, value)).collect();
    super::loops::nested(of, &texts)
}

fn condition(kernel: &Kernel, of: &Condition) -> String {
    let joined = |parts: &[Condition], operator: &str, none: &str| match parts {
        [] => none.to_string(),
        parts => {
            let parts: Vec<String> = parts.iter().map(|part| format!("({})", condition(kernel, part))).collect();
            parts.join(operator)
        }
    };
    match of {
        Condition::NonNegative(value) => format!("{} >= 0", affine(kernel, value)),
        Condition::Zero(value) => format!("{} == 0", affine(kernel, value)),
        Condition::All(parts) => joined(parts, " && ", "1"),
        Condition::Any(parts) => joined(parts, " || ", "0"),
        Condition::Not(part) => format!("!({})", condition(kernel, part)),
    }
}

/// With the quotients that it names written out.
fn affine(kernel: &Kernel, value: &Affine) -> String {
    let quotients = kernel.quotients.iter().filter(|quotient| value.coefficient(&quotient.name) != 0);
    let mut rest = value.clone();
    let mut texts = vec![];
    for quotient in quotients {
        let factor = value.coefficient(&quotient.name);
        rest.add_term(&quotient.name, -factor);
        let numerator = affine(kernel, &quotient.numerator);
        let text = match quotient.truncates {
            true => format!("({numerator}) / {}", quotient.divisor),
            false => format!("floord({numerator}, {})", quotient.divisor),
        };
        texts.push(if factor == 1 { text } else { format!("({factor}) * ({text})") });
    }
    if rest != Affine::default() || texts.is_empty() {
        texts.push(rest.to_string());
    }
    texts.join(" + ")
}

/// Names of the arguments; a number of a scalar in a statement is that of its register.
struct InStatements<'a>(&'a Kernel);

impl Names for InStatements<'_> {
    fn scalar(&self, scalar: usize) -> String {
        self.0.scalars[scalar].name.clone()
    }

    fn element(&self, access: &Access) -> String {
        let array = &self.0.arrays[access.array];
        let subscripts: String = access.subscripts.iter().map(|s| format!("[{}]", affine(self.0, s))).collect();
        format!("{}{subscripts}", array.name)
    }

    fn array(&self, array: ArrayId) -> String {
        self.0.arrays[array].name.clone()
    }

    fn affine(&self, value: &Affine) -> String {
        format!("({})", affine(self.0, value))
    }

    fn table(&self, table: &Table) -> String {
        table.name.clone()
    }
}

/// The same in a step of the host, where it counts the arguments, then the steps.
struct InSteps<'a>(&'a Kernel);

impl Names for InSteps<'_> {
    fn scalar(&self, scalar: usize) -> String {
        match scalar.checked_sub(self.0.scalar_arguments()) {
            Some(step) => self.0.host[step].name.clone(),
            None => self.0.scalars[scalar].name.clone(),
        }
    }

    fn element(&self, access: &Access) -> String {
        InStatements(self.0).element(access)
    }

    fn affine(&self, value: &Affine) -> String {
        InStatements(self.0).affine(value)
    }

    fn table(&self, table: &Table) -> String {
        table.name.clone()
    }
}
