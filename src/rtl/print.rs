//! A module as Verilog-2001 text.

use std::collections::{HashMap, HashSet};

use super::expr::{Binary, Expr, Op};
use super::lower::{lower, strip, visit_statements};
use super::module::{Connection, Field, Instance, Item, Kind, Label, Module, Parameter, Signal, Statement};
use super::names::Names;
use super::plan::{procedural_targets, read_parameters, reset_name, wired_nodes};
use super::properties;
use super::text::{Identifier, Writer, layout, literal};
use super::types::Type;

/// Longest line that is not broken, where it can be.
pub(super) const LINE_LIMIT: usize = 110;

/// The module's Verilog. Equal modules give equal bytes. The design ought to have passed [`super::verify`].
///
/// # Panics
/// If an assignment's sides differ in width: an internal error of the caller.
pub fn print(module: &Module) -> String {
    render(module).text
}

/// A printed module, and what the text leaves unread.
pub(super) struct Rendered {
    pub text: String,
    /// Inputs, wires and registers with the bits that nothing reads and no waiver names.
    pub unread: Vec<(Signal, Vec<u32>)>,
}

pub(super) fn render(module: &Module) -> Rendered {
    let items = lower(module);
    let wired = wired_nodes(&items);
    let mut names = module.names.clone();
    let fields = named_fields(module, &mut names);
    let mut printer = Printer {
        module,
        wired,
        procedural: procedural_targets(&items),
        parameters: read_parameters(&items),
        writer: Writer { fields, ..Writer::default() },
        names,
        own_wires: vec![],
        visited: HashSet::new(),
        blocks: vec![],
    };
    printer.items(&items);
    printer.finish()
}

/// The fields of the module's words, each with a name that no other thing of the module has, nor a field elsewhere.
fn named_fields(module: &Module, names: &mut Names) -> HashMap<String, Vec<Field>> {
    let mut known: HashMap<(String, u32), String> = HashMap::new();
    let mut named = |field: &Field| {
        let name = known.entry((field.name.clone(), field.low)).or_insert_with(|| names.unique(&field.name));
        Field { name: name.clone(), ..field.clone() }
    };
    module
        .fields
        .iter()
        .map(|(word, fields)| (word.name().to_string(), fields.iter().map(&mut named).collect()))
        .collect()
}

/// Blocks of different sorts are set apart by a blank line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Constants,
    Wiring,
    Comment,
    Process,
}

struct Printer<'a> {
    module: &'a Module,
    /// Nodes that need a wire of their own.
    wired: HashSet<*const ()>,
    /// Signals that a process assigns, by index.
    procedural: HashSet<usize>,
    parameters: HashSet<*const ()>,
    writer: Writer,
    names: Names,
    own_wires: Vec<Identifier>,
    visited: HashSet<*const ()>,
    blocks: Vec<(Sort, Vec<String>)>,
}

impl Printer<'_> {
    fn items(&mut self, items: &[Item]) {
        let mut i = 0;
        while i < items.len() {
            match (&items[i], items.get(i + 1)) {
                // A wire that is assigned at once is declared with its value.
                (Item::Declare(wire), Some(Item::Assign(target, value)))
                    if wire.same(target) && !self.is_procedural(wire) =>
                {
                    self.assignment(target, value, &declaration("wire", target.ty(), target.name()));
                    i += 1;
                }
                (Item::Declare(signal), _) => {
                    let keyword = if self.is_procedural(signal) { "reg" } else { "wire" };
                    let line = format!("    {};", declaration(keyword, signal.ty(), signal.name()));
                    self.push(Sort::Wiring, vec![line]);
                }
                (Item::Assign(target, value), _) => {
                    self.assignment(target, value, &format!("assign {}", target.name()));
                }
                (Item::Parameter(parameter), _) => self.parameter(parameter),
                (Item::Comment(text), _) => self.push(Sort::Comment, comment(text, 4)),
                (Item::Clocked { comment, resets, body }, _) => self.clocked(comment, resets, body),
                (Item::Combinational { comment, body }, _) => self.combinational(comment, body),
                (Item::Instance(instance), _) => self.instance(instance),
            }
            i += 1;
        }
    }

    fn push(&mut self, sort: Sort, lines: Vec<String>) {
        self.blocks.push((sort, lines));
    }

    fn is_procedural(&self, signal: &Signal) -> bool {
        self.procedural.contains(&signal.index())
    }

    fn parameter(&mut self, parameter: &Parameter) {
        if self.parameters.contains(&parameter.address()) {
            let value = literal(parameter.value(), parameter.ty());
            let declared = declaration("localparam", parameter.ty(), parameter.name());
            self.push(Sort::Constants, vec![format!("    {declared} = {value};")]);
        }
    }

    fn assignment(&mut self, target: &Signal, value: &Expr, head: &str) {
        assert_eq!(target.width(), value.width(), "`{}` takes a value of another width", target.name());
        let bare = strip(value).clone();
        // A shared value that a wire is assigned has a name already: the wire's.
        let shared = self.wired.contains(&bare.id()) && !self.writer.named.contains_key(&bare.id());
        if shared {
            self.wires_of_operands(&bare, target.name());
        } else {
            self.wires(value, target.name());
        }
        let text = self.writer.assigned(value, target.ty().signed);
        if shared {
            let identifier = Identifier { name: target.name().to_string(), ty: target.ty() };
            self.writer.named.insert(bare.id(), identifier);
        }
        self.push(Sort::Wiring, layout(&format!("{head} = {text};"), 4, LINE_LIMIT));
    }

    /// Declares the wires which the expression's parts need and do not have yet.
    fn wires(&mut self, e: &Expr, hint: &str) {
        let e = strip(e);
        if !self.visited.insert(e.id()) {
            return;
        }
        self.wires_of_operands(e, hint);
        if !self.wired.contains(&e.id()) || self.writer.named.contains_key(&e.id()) {
            return;
        }
        let base = match (hint, purpose(e)) {
            ("", purpose) => purpose.to_string(),
            (hint, purpose) => format!("{hint}_{purpose}"),
        };
        let identifier = Identifier { name: self.names.unique(&base), ty: e.ty() };
        let value = self.writer.assigned(e, e.ty().signed);
        let head = declaration("wire", identifier.ty, &identifier.name);
        self.push(Sort::Wiring, layout(&format!("{head} = {value};"), 4, LINE_LIMIT));
        self.own_wires.push(identifier.clone());
        self.writer.named.insert(e.id(), identifier);
    }

    fn wires_of_operands(&mut self, e: &Expr, hint: &str) {
        for operand in e.operands() {
            self.wires(operand, hint);
        }
    }

    fn wires_of_statements(&mut self, body: &[Statement]) {
        let mut values: Vec<(Expr, String)> = vec![];
        visit_statements(body, &mut |e, target| {
            values.push((e.clone(), target.map_or(String::new(), |target| target.name().to_string())));
        });
        for (e, hint) in &values {
            self.wires(e, hint);
        }
    }

    fn clocked(&mut self, text: &str, resets: &[(Signal, i128)], body: &[Statement]) {
        self.wires_of_statements(body);
        let mut lines = comment(text, 4);
        lines.push("    always @(posedge clk) begin".into());
        self.writer.read_all("clk", 1);
        let reset_lines: Vec<String> = resets
            .iter()
            .map(|(register, value)| {
                let value = match reset_name(body, register, *value) {
                    Some(parameter) => parameter.name().to_string(),
                    None => literal(*value, register.ty()),
                };
                format!("            {} <= {value};", register.name())
            })
            .collect();
        if !resets.is_empty() {
            self.writer.read_all("rst", 1);
        }
        // Reset stands last, so that it holds none but its own registers.
        self.statements(body, 8, "<=", &mut lines);
        if !resets.is_empty() {
            lines.push("        if (rst) begin".into());
            lines.extend(reset_lines);
            lines.push("        end".into());
        }
        lines.push("    end".into());
        self.push(Sort::Process, lines);
    }

    fn combinational(&mut self, text: &str, body: &[Statement]) {
        self.wires_of_statements(body);
        let mut lines = comment(text, 4);
        lines.push("    always @* begin".into());
        self.statements(body, 8, "=", &mut lines);
        lines.push("    end".into());
        self.push(Sort::Process, lines);
    }

    fn statements(&mut self, body: &[Statement], indent: usize, sign: &str, lines: &mut Vec<String>) {
        for statement in body {
            match statement {
                Statement::Assign(target, value) => {
                    lines.extend(self.statement_line(target, value, indent, sign));
                }
                Statement::If { condition, then, otherwise } => {
                    let head = format!("if ({}) begin", self.writer.alone(condition));
                    lines.extend(layout(&head, indent, LINE_LIMIT));
                    self.statements(then, indent + 4, sign, lines);
                    self.otherwise(otherwise, indent, sign, lines);
                }
                Statement::Case { subject, arms, default } => {
                    self.case(subject, arms, default, indent, sign, lines);
                }
                Statement::Comment(text) => lines.extend(comment(text, indent)),
            }
        }
    }

    fn statement_line(&mut self, target: &Signal, value: &Expr, indent: usize, sign: &str) -> Vec<String> {
        assert_eq!(target.width(), value.width(), "`{}` takes a value of another width", target.name());
        let value = self.writer.assigned(value, target.ty().signed);
        layout(&format!("{} {sign} {value};", target.name()), indent, LINE_LIMIT)
    }

    /// What follows the statements of an `if`: a chain of `else if`, an `else`, and the last `end`.
    fn otherwise(&mut self, otherwise: &[Statement], indent: usize, sign: &str, lines: &mut Vec<String>) {
        match otherwise {
            [] => {}
            [Statement::If { condition, then, otherwise }] => {
                let head = format!("end else if ({}) begin", self.writer.alone(condition));
                lines.extend(layout(&head, indent, LINE_LIMIT));
                self.statements(then, indent + 4, sign, lines);
                return self.otherwise(otherwise, indent, sign, lines);
            }
            body => {
                lines.push(format!("{}end else begin", " ".repeat(indent)));
                self.statements(body, indent + 4, sign, lines);
            }
        }
        lines.push(format!("{}end", " ".repeat(indent)));
    }

    fn case(
        &mut self,
        subject: &Expr,
        arms: &[(Vec<Label>, Vec<Statement>)],
        default: &[Statement],
        indent: usize,
        sign: &str,
        lines: &mut Vec<String>,
    ) {
        lines.extend(layout(&format!("case ({})", self.writer.subject(subject)), indent, LINE_LIMIT));
        for (labels, body) in arms {
            let labels: Vec<String> = labels.iter().map(|label| label_text(label, subject.ty())).collect();
            self.arm(&labels.join(", "), body, indent + 4, sign, lines);
        }
        self.arm("default", default, indent + 4, sign, lines);
        lines.push(format!("{}endcase", " ".repeat(indent)));
    }

    fn arm(&mut self, head: &str, body: &[Statement], indent: usize, sign: &str, lines: &mut Vec<String>) {
        let margin = " ".repeat(indent);
        match body {
            [] => lines.push(format!("{margin}{head}: ;")),
            [Statement::Assign(target, value)] => {
                let line = self.statement_line(target, value, 0, sign);
                match line.as_slice() {
                    [line] if indent + head.len() + 2 + line.len() <= LINE_LIMIT => {
                        lines.push(format!("{margin}{head}: {line}"));
                    }
                    _ => self.block_arm(head, body, indent, sign, lines),
                }
            }
            _ => self.block_arm(head, body, indent, sign, lines),
        }
    }

    fn block_arm(&mut self, head: &str, body: &[Statement], indent: usize, sign: &str, lines: &mut Vec<String>) {
        lines.push(format!("{}{head}: begin", " ".repeat(indent)));
        self.statements(body, indent + 4, sign, lines);
        lines.push(format!("{}end", " ".repeat(indent)));
    }

    fn instance(&mut self, instance: &Instance) {
        for (port, connection) in &instance.ports {
            if let Connection::In(value) = connection {
                self.wires(value, &format!("{}_{port}", instance.name));
            }
        }
        let mut lines = vec![];
        let open = instance.ports.iter().any(|(_, connection)| matches!(connection, Connection::Open));
        if open {
            lines.push("    // verilator lint_off PINCONNECTEMPTY".into());
        }
        if let Some((attribute, text)) = &instance.attribute {
            lines.push(format!("    (* {attribute} = \"{text}\" *)"));
        }
        if instance.parameters.is_empty() {
            lines.push(format!("    {} {} (", instance.module, instance.name));
        } else {
            lines.push(format!("    {} #(", instance.module));
            let values: Vec<String> = instance
                .parameters
                .iter()
                .map(|(name, value)| format!("        .{name}({})", parameter_value(*value)))
                .collect();
            lines.extend(separated(values));
            lines.push(format!("    ) {} (", instance.name));
        }
        let ports: Vec<String> = instance
            .ports
            .iter()
            .map(|(port, connection)| {
                let value = match connection {
                    Connection::In(value) => self.writer.alone(value),
                    Connection::Out(signal) => signal.name().to_string(),
                    Connection::Open => String::new(),
                };
                layout(&format!(".{port}({value})"), 8, LINE_LIMIT).join("\n")
            })
            .collect();
        lines.extend(separated(ports));
        lines.push("    );".into());
        if open {
            lines.push("    // verilator lint_on PINCONNECTEMPTY".into());
        }
        self.push(Sort::Process, lines);
    }

    /// Names what stays unread on purpose, and puts the file together.
    fn finish(mut self) -> Rendered {
        let unread_bits = |writer: &Writer, name: &str, width: u32| -> Vec<u32> {
            match writer.read.get(name) {
                Some(bits) => (0..width).filter(|bit| !bits[*bit as usize]).collect(),
                None => (0..width).collect(),
            }
        };
        let mut unread = vec![];
        let mut waived = vec![];
        for signal in self.module.signals.iter().filter(|signal| !signal.kind().is_output()) {
            let bits = unread_bits(&self.writer, signal.name(), signal.width());
            if !bits.is_empty() {
                match self.module.trimmed || self.module.waived.iter().any(|waived| waived.same(signal)) {
                    true => waived.push(signal.name().to_string()),
                    false => unread.push((signal.clone(), bits)),
                }
            }
        }
        for wire in &self.own_wires {
            if !unread_bits(&self.writer, &wire.name, wire.ty.width).is_empty() {
                waived.push(wire.name.clone());
            }
        }
        if !waived.is_empty() {
            let name = self.names.unique("unused");
            let mut lines = comment("Unread on purpose; the name keeps lint quiet.", 4);
            let list = waived.join(&format!(",{}", super::text::soft(0)));
            lines.extend(layout(&format!("wire {name} = &{{1'b0, {list}}};"), 4, LINE_LIMIT));
            self.push(Sort::Process, lines);
        }
        let properties = properties::tail(self.module, &mut self.names);
        Rendered { text: self.file(&properties), unread }
    }

    fn file(&self, properties: &[String]) -> String {
        let mut lines = vec!["`default_nettype none".to_string(), String::new()];
        lines.extend(comment(&self.module.description, 0));
        lines.extend(self.head());
        let mut before: Option<Sort> = None;
        if !self.writer.places.is_empty() {
            lines.extend(comment("Fields of words: their lowest bits.", 4));
            // From the top of a word downwards.
            let mut places: Vec<(&String, &u32)> = self.writer.places.iter().collect();
            let group = |name: &str| name.split('_').next().unwrap_or_default().to_string();
            places.sort_by_key(|(name, low)| (group(name), std::cmp::Reverse(**low), (*name).clone()));
            lines.extend(places.iter().map(|(name, low)| format!("    localparam integer {name} = {low};")));
            before = Some(Sort::Constants);
        }
        for (sort, block) in &self.blocks {
            let apart = match (before, *sort) {
                (None | Some(Sort::Comment), _) => false,
                (Some(before), sort) => before != sort || matches!(sort, Sort::Process | Sort::Comment),
            };
            if apart {
                lines.push(String::new());
            }
            lines.extend(block.iter().cloned());
            before = Some(*sort);
        }
        lines.extend(properties.iter().cloned());
        lines.extend(["endmodule".to_string(), String::new(), "`default_nettype wire".to_string()]);
        lines.join("\n") + "\n"
    }

    /// The module's first line and its ports, their types and names in columns.
    fn head(&self) -> Vec<String> {
        let module = self.module;
        let rows: Vec<(&str, String, &str)> = module
            .ports()
            .map(|port| {
                let keyword = match port.kind() {
                    Kind::Input => "input  wire",
                    _ if self.is_procedural(port) => "output reg ",
                    _ => "output wire",
                };
                (keyword, port.ty().to_string(), port.name())
            })
            .collect();
        if rows.is_empty() {
            return vec![format!("module {};", module.name)];
        }
        let column = rows.iter().map(|(_, ty, _)| ty.len()).max().unwrap_or(0);
        let mut lines = vec![format!("module {} (", module.name)];
        lines.extend(separated(
            rows.iter()
                .map(|(keyword, ty, name)| match column {
                    0 => format!("    {keyword} {name}"),
                    // The sign stands left and the range right, so that ranges end in one column.
                    _ => format!("    {keyword} {} {name}", column_type(ty, column)),
                })
                .collect(),
        ));
        // What a port is for stands beside it, in a column of its own.
        let width = lines[1..].iter().map(String::len).max().unwrap_or(0);
        for (line, port) in lines[1..].iter_mut().zip(module.ports()) {
            if let Some(text) = module.remark_of(port) {
                *line = format!("{line:width$}  // {text}");
            }
        }
        lines.push(");".into());
        lines
    }
}

fn column_type(ty: &str, column: usize) -> String {
    match ty.strip_prefix("signed ") {
        Some(range) => format!("signed {range:>rest$}", rest = column - "signed ".len()),
        None => format!("{ty:>column$}"),
    }
}

/// All but the last with a comma.
fn separated(mut rows: Vec<String>) -> Vec<String> {
    let last = rows.len().saturating_sub(1);
    rows.iter_mut().take(last).for_each(|row| row.push(','));
    rows
}

fn declaration(keyword: &str, ty: Type, name: &str) -> String {
    match ty.to_string().as_str() {
        "" => format!("{keyword} {name}"),
        ty => format!("{keyword} {ty} {name}"),
    }
}

/// Broken between words at the line's width: sets can be long, and a scanner of a tool has an end to its buffer.
fn comment(text: &str, indent: usize) -> Vec<String> {
    let margin = " ".repeat(indent);
    let mut lines = vec![];
    for paragraph in text.lines() {
        let mut line = format!("{margin}//");
        let mut has_words = false;
        for word in paragraph.split(' ') {
            if has_words && line.len() + 1 + word.len() > LINE_LIMIT {
                lines.push(std::mem::replace(&mut line, format!("{margin}//   ")));
            }
            line.push(' ');
            line.push_str(word);
            has_words = true;
        }
        lines.push(line.trim_end().to_string());
    }
    lines
}

fn label_text(label: &Label, ty: Type) -> String {
    match label {
        Label::Value(value) => literal(*value, ty),
        Label::Named(constant) => match strip(constant).op() {
            Op::Parameter(parameter) => parameter.name().to_string(),
            _ => literal(constant.known_value().expect("labels are constants"), ty),
        },
    }
}

/// A module parameter: plain where 32 bits hold it.
fn parameter_value(value: i128) -> String {
    match i32::try_from(value) {
        Ok(value) => value.to_string(),
        Err(_) if value < 0 => literal(value, Type::signed(64)),
        Err(_) => format!("64'd{value}"),
    }
}

/// The end of the name of a wire for `e`.
fn purpose(e: &Expr) -> &'static str {
    match e.op() {
        Op::Binary(Binary::Add, ..) => "sum",
        Op::Binary(Binary::Subtract, ..) => "difference",
        Op::Negate(_) => "negated",
        Op::Multiply(..) => "product",
        Op::ShiftLeft(..) | Op::ShiftRight(..) => "shifted",
        Op::Select(..) => "choice",
        Op::Compare(..) | Op::ReduceOr(_) | Op::ReduceAnd(_) => "condition",
        Op::Binary(..) | Op::Not(_) if e.width() == 1 => "condition",
        _ => "bits",
    }
}
