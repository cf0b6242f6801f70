//! Programs as C text.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt::Write as _;

use burstc::affine::Affine;
use burstc::simulate::random::SplitMix;
use burstc::source::kernel::ScalarType;

use super::program::{
    Access, Assign, Condition, Expr, For, Form, Layout, Node, Program, Scope, Style, Subscript, Uneven, larger,
};

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

pub fn array_name(program: &Program, array: usize) -> String {
    match program.arrays[array].local {
        true => format!("local{array}"),
        false => ["a", "b", "c", "d", "e"][array].to_string(),
    }
}

/// Arguments that are one array of structures: their members, each with the array that it stands for.
struct Group {
    /// The variable, and the ending of the structure's name.
    name: String,
    extents: Vec<Affine>,
    members: Vec<usize>,
}

/// The members of structures are called as the arrays would be.
fn groups(program: &Program, layout: &Layout) -> Vec<Group> {
    let mut groups: Vec<Group> = vec![];
    if !program.structures {
        return groups;
    }
    for (array, extents) in layout.extents.iter().enumerate() {
        let Some(extents) = extents.as_ref().filter(|_| program.is_structure(array)) else { continue };
        let ty = program.arrays[array].element;
        // A last dimension of a few elements may be an array in the structure.
        let is_short = extents.len() > 1 && extents.last().is_some_and(|last| last.is_constant() && last.constant <= 8);
        let ranks = [extents.len(), extents.len() - usize::from(is_short)];
        let known = groups
            .iter_mut()
            .find(|group| program.arrays[group.members[0]].element == ty && ranks.contains(&group.extents.len()));
        match known {
            Some(group) => {
                group.members.push(array);
                group.extents = group.extents.iter().zip(extents).map(|(a, b)| larger(a, b)).collect();
            }
            None => groups.push(Group {
                name: format!("s{}", groups.len()),
                extents: extents[..ranks[1]].to_vec(),
                members: vec![array],
            }),
        }
    }
    groups
}

/// The structure of a group. One of a single member has another that nobody uses.
fn definition(program: &Program, layout: &Layout, group: &Group, function: &str) -> String {
    let ty = program.arrays[group.members[0]].element;
    let mut members: Vec<String> = group
        .members
        .iter()
        .map(|&array| {
            let inner = layout.extents[array].iter().flatten().skip(group.extents.len());
            let extents: String = inner.map(|extent| format!("[{extent}]")).collect();
            format!("{}{extents}", array_name(program, array))
        })
        .collect();
    if members.len() == 1 {
        members.push("other".to_string());
    }
    format!("struct {function}_{} {{ {ty} {}; }};\n", group.name, members.join(", "))
}

/// The elements of an array that are bounds of loops.
const ROWS: i64 = 256;
/// What [`stated`] gives at most.
const LARGEST_STATED: i64 = 99;

/// A function called `name`.
pub fn text(program: &Program, name: &str) -> Text {
    let layout = Layout::of(program);
    let groups = groups(program, &layout);
    let flat = Flat { dice: SplitMix::named(program.seed, "places"), before: vec![], count: 0 };
    let mut printer = Printer {
        program,
        layout: &layout,
        groups: &groups,
        function: name,
        flat: RefCell::new(flat),
        text: String::new(),
    };
    printer.block(&program.body, &Scope::new(&program.sizes), 1);
    let locals =
        layout.extents.iter().enumerate().filter(|(k, _)| program.arrays[*k].local && program.arrays[*k].rank > 0);
    let declared: String = locals
        .filter_map(|(array, extents)| {
            let extents: String = extents.as_ref()?.iter().map(|extent| format!("[{extent}]")).collect();
            Some(format!("    {} {}{extents};\n", program.arrays[array].element, array_name(program, array)))
        })
        .collect();
    let body = declared + &printer.text;
    let given = body.contains("given[").then(|| ("given".to_string(), "int16_t given[16]".to_string()));
    let left = body.contains("left[").then(|| ("left".to_string(), "int32_t left[16]".to_string()));
    let types = ["int8_t", "uint8_t", "int16_t", "int32_t"];
    let ty = types[(SplitMix::named(program.seed, "rows").draw() % types.len() as u64) as usize];
    let rows = body.contains("rows[").then(|| ("rows".to_string(), format!("{ty} rows[{ROWS}]")));
    let arrays: Vec<(String, String)> = layout
        .extents
        .iter()
        .enumerate()
        .filter(|(array, _)| !program.arrays[*array].local && !groups.iter().any(|g| g.members.contains(array)))
        .filter_map(|(array, extents)| {
            let extents = match &extents.as_ref()?[..] {
                [rows, columns] if program.flat => format!("[({rows}) * ({columns})]"),
                all => all.iter().map(|extent| format!("[{extent}]")).collect(),
            };
            let name = array_name(program, array);
            Some((name.clone(), format!("{} {name}{extents}", program.arrays[array].element)))
        })
        .chain(groups.iter().map(|group| {
            let extents: String = group.extents.iter().map(|extent| format!("[{extent}]")).collect();
            (group.name.clone(), format!("struct {name}_{} {}{extents}", group.name, group.name))
        }))
        .chain(given)
        .chain(left)
        .chain(rows)
        .collect();
    let mut names = BTreeSet::new();
    used(&program.body, &mut names);
    layout.extents.iter().flatten().flatten().for_each(|extent| names.extend(extent.terms.keys().cloned()));
    let scalars: Vec<usize> = (0..program.scalars.len()).filter(|s| body.contains(&scalar_name(*s))).collect();
    let sizes: Vec<usize> = (0..program.sizes.len()).filter(|s| names.contains(&program.sizes[*s].name)).collect();
    let mut c = String::from("#include <stdint.h>\nstatic const int fixed[] = {5, -1, [4] = 70000, -128, [7] = 3};\n");
    for (name, comparison) in [("MIN", "<"), ("MAX", ">")] {
        if body.contains(&format!("{name}(")) {
            // Writing to a String cannot fail.
            let _ = writeln!(c, "#define {name}(a, b) ((a) {comparison} (b) ? (a) : (b))");
        }
    }
    groups.iter().for_each(|group| c += &definition(program, &layout, group, name));
    for &s in &sizes {
        let first = program.runs.first().map_or(0, |run| run[s]);
        let _ = writeln!(c, "#pragma burstc size({}: {first}, max {})", program.sizes[s].name, stated(program, s));
    }
    if arrays.iter().any(|(name, _)| name == "rows") {
        c += "#pragma burstc range(rows: 0..15)\n";
    }
    if program.panels {
        c += "#pragma burstc panels(a)\n";
    }
    for name in program.by_tiles.iter().map(|array| array_name(program, *array)) {
        if arrays.iter().any(|(own, _)| *own == name) {
            let _ = writeln!(c, "#pragma burstc layout({name}: tiles)");
        }
    }
    let arguments = sizes.iter().map(|s| format!("{} {}", c_type(program.sizes[*s].ty), program.sizes[*s].name));
    let arguments = arguments.chain(arrays.iter().map(|(_, prototype)| prototype.clone()));
    let arguments = arguments.chain(scalars.iter().map(|s| format!("{} {}", program.scalars[*s], scalar_name(*s))));
    let _ = write!(c, "void {name}({})\n{{\n{body}}}\n", arguments.collect::<Vec<_>>().join(", "));
    Text { c, sizes, arrays, scalars: scalars.len() }
}

/// The bound that the program states for a size: now and then more than it ever is, so that arrays are long enough for memories
/// whose rows are shorter than their bits of an address allow.
fn stated(program: &Program, size: usize) -> i64 {
    let mut dice = SplitMix::named(program.seed, &format!("bound of {size}"));
    let larger = 40 + (dice.draw() % 60) as i64;
    if dice.draw().is_multiple_of(5) { program.sizes[size].max.max(larger) } else { program.sizes[size].max }
}

/// `int` where it is the 32-bit one, as people write it.
fn c_type(ty: ScalarType) -> String {
    if ty == ScalarType::I32 { "int".to_string() } else { ty.to_string() }
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
            match subscript {
                Subscript::Choice(condition, ..) => condition_names(condition, names),
                Subscript::Quotient(a, _)
                | Subscript::Remainder(a, _)
                | Subscript::Shifted(a, _)
                | Subscript::Masked(a, _) => names.extend(a.terms.keys().cloned()),
                Subscript::Affine(_) | Subscript::Step(_) | Subscript::Data(_) => {}
            }
            names.extend(subscript.plain_values().iter().flat_map(|value| value.terms.keys().cloned()));
        }
    };
    for node in nodes {
        match node {
            Node::For(inner) => {
                let bounds = inner.lower.iter().chain(&inner.upper);
                bounds.for_each(|bound| names.extend(bound.terms.keys().cloned()));
                if let Some((condition, other)) = &inner.choice {
                    condition_names(condition, names);
                    names.extend(other.terms.keys().cloned());
                }
                names.extend(inner.counter.iter().flat_map(|counter| counter.first.terms.keys().cloned()));
                used(&inner.body, names);
            }
            Node::If(inner) => {
                condition_names(&inner.condition, names);
                used(&inner.then, names);
                used(&inner.otherwise, names);
            }
            Node::Branch(branch) => {
                branch.condition.reads().into_iter().for_each(|access| access_names(access, names));
                used(&branch.then, names);
                used(&branch.otherwise, names);
            }
            Node::Jump(jump) => condition_names(&jump.condition, names),
            Node::Assign(assign) => {
                access_names(&assign.target, names);
                let index = assign.target.subscripts.iter().flat_map(Subscript::reads);
                index.for_each(|access| access_names(access, names));
                assign.value.reads().into_iter().for_each(|access| access_names(access, names));
            }
            Node::Declare(_, value) => value.reads().into_iter().for_each(|access| access_names(access, names)),
        }
    }
}

struct Printer<'l> {
    program: &'l Program,
    layout: &'l Layout,
    groups: &'l [Group],
    /// The kernel's name.
    function: &'l str,
    flat: RefCell<Flat>,
    text: String,
}

/// How places in arrays of rows in one dimension are written.
struct Flat {
    dice: SplitMix,
    /// What stands before the statement.
    before: Vec<String>,
    /// How many names have been made up.
    count: usize,
}

impl Flat {
    fn below(&mut self, count: u64) -> u64 {
        self.dice.draw() % count
    }

    fn name(&mut self, stem: &str) -> String {
        self.count += 1;
        format!("{stem}{}", self.count)
    }
}

impl Printer<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        for before in std::mem::take(&mut self.flat.borrow_mut().before) {
            let _ = writeln!(self.text, "{:1$}{before}", "", 4 * depth);
        }
        let _ = writeln!(self.text, "{:1$}{text}", "", 4 * depth);
    }

    fn block(&mut self, nodes: &[Node], scope: &Scope, depth: usize) {
        for node in nodes {
            match node {
                Node::For(inner) => {
                    let tiled = if depth == 1 { Program::tiled(node) } else { vec![] };
                    if !tiled.is_empty() {
                        let _ = writeln!(self.text, "#pragma burstc {}", self.tiling(&tiled));
                    }
                    if tiled.is_empty()
                        && let Some((head, names, second)) = self.collapsed(inner)
                    {
                        self.line(depth, &head);
                        names.iter().for_each(|name| self.line(depth + 1, name));
                        self.block(&second.body, &scope.inside(inner).inside(second), depth + 1);
                        self.line(depth, "}");
                        continue;
                    }
                    if let Some(counter) = &inner.counter {
                        self.line(depth, &format!("int {} = {};", counter.name, counter.first));
                    }
                    let [before, head, behind] = head(inner, scope);
                    self.line(depth, &format!("{before}{head} {{"));
                    let [first, last] = leaving(inner, scope);
                    first.iter().for_each(|line| self.line(depth + 1, line));
                    self.block(&inner.body, &scope.inside(inner), depth + 1);
                    last.iter().for_each(|line| self.line(depth + 1, line));
                    if let Some(counter) = inner.counter.as_ref().filter(|counter| !counter.inside) {
                        self.line(depth + 1, &format!("{} += {};", counter.name, counter.step));
                    }
                    self.line(depth, &format!("}}{behind}"));
                }
                Node::Branch(branch) => {
                    self.line(depth, &format!("if ({}) {{", self.expr(&branch.condition, scope)));
                    self.block(&branch.then, scope, depth + 1);
                    if !branch.otherwise.is_empty() {
                        self.line(depth, "} else {");
                        self.block(&branch.otherwise, scope, depth + 1);
                    }
                    self.line(depth, "}");
                }
                Node::Jump(jump) => {
                    self.line(depth, &format!("if ({}) {};", condition(&jump.condition, scope), jump.word));
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
                    if let Some(line) = self.whole_copy(assign, scope) {
                        self.line(depth, &line);
                        continue;
                    }
                    let line = format!("{} {operator} {};", self.access(target, scope), self.expr(value, scope));
                    self.line(depth, &line);
                }
                Node::Declare(local, value) => {
                    let (ty, name) = (c_type(self.program.arrays[*local].element), array_name(self.program, *local));
                    let value = self.expr(value, scope);
                    self.line(
                        depth,
                        &match self.program.structures {
                            true => format!("struct {{ short other; {ty} value; }} {name} = {{.value = {value}}};"),
                            false => format!("{ty} {name} = {value};"),
                        },
                    );
                }
            }
        }
    }

    /// The head of one loop over all elements of rows, and what the iterators of two are in it.
    fn collapsed<'f>(&self, inner: &'f For) -> Option<(String, [String; 2], &'f For)> {
        let [Node::For(second)] = &inner.body[..] else { return None };
        let size = |f: &For| {
            let plain =
                For { strict: f.strict, ..For::plain(&f.iterator, f.lower[0].clone(), f.upper[0].clone(), vec![]) };
            let size = self.program.sizes.iter().find(|size| {
                f.upper[0] == Affine::variable(&size.name) - Affine::constant(1) && f.lower[0] == Affine::default()
            })?;
            (For { body: vec![], ..f.clone() } == plain).then(|| size.name.clone())
        };
        let mut flat = self.flat.borrow_mut();
        if !self.program.flat || flat.below(2) == 0 {
            return None;
        }
        let (rows, columns) = (size(inner)?, size(second)?);
        let own = flat.name("all");
        let all = format!("{rows} * {columns}");
        let head = match flat.below(6) {
            0 => format!("for (int {own} = {all} - 1; {own} >= 0; {own}--) {{"),
            1 => format!("for (int {own} = {all}; {own}-- > 0;) {{"),
            2 => format!("for (int {own} = 0; {own} != {all}; ++{own}) {{"),
            _ => format!("for (int {own} = 0; {own} < {all}; {own}++) {{"),
        };
        let names = [
            format!("int {} = {own} / {columns};", inner.iterator),
            format!("int {} = {own} % {columns};", second.iterator),
        ];
        Some((head, names, second))
    }

    /// An element of an array of rows that has one dimension.
    fn flat_element(&self, access: &Access, scope: &Scope) -> Option<String> {
        let array = &self.program.arrays[access.array];
        let [_, columns] = &self.layout.extents[access.array].as_ref()?[..] else { return None };
        if !self.program.flat || array.local {
            return None;
        }
        let of = |dimension: usize| self.subscript(access, dimension, &access.subscripts[dimension], scope);
        let (name, row, place) = (array_name(self.program, access.array), of(0), of(1));
        let row = format!("({row}) * ({columns})");
        let mut flat = self.flat.borrow_mut();
        let (at, ty) = (flat.name("at"), array.element);
        let (before, element) = match flat.below(7) {
            0 => (format!("int {at} = {row} + {place};"), format!("{name}[{at}]")),
            1 => (format!("int {at} = {row}; {at} += {place};"), format!("{name}[{at}]")),
            2 => (format!("{ty} *{at} = {name} + {row};"), format!("{at}[{place}]")),
            3 => (format!("{ty} *{at} = &{name}[{row} + {place}];"), format!("(*{at})")),
            _ => return Some(format!("{name}[{row} + {place}]")),
        };
        flat.before.push(before);
        Some(element)
    }

    /// The directive of a nest, without its beginning.
    fn tiling(&self, tiled: &[&For]) -> String {
        let size = |inner: &&For| inner.tile.unwrap_or(1);
        let strip = match self.program.strip.min(tiled.len()) {
            0 | 1 => String::new(),
            dimensions => format!(" strip({dimensions})"),
        };
        if let Some(rows) = self.program.schedule.as_ref().filter(|rows| rows.len() == tiled.len()) {
            let row = |row: &Vec<i64>| {
                let terms = tiled.iter().zip(row);
                terms
                    .fold(Affine::default(), |sum, (inner, &k)| sum + Affine::variable(&inner.iterator) * k)
                    .to_string()
            };
            let iterators: Vec<&str> = tiled.iter().map(|inner| inner.iterator.as_str()).collect();
            let theta: Vec<String> = rows.iter().map(row).collect();
            let sizes: Vec<String> = tiled.iter().map(|inner| size(inner).to_string()).collect();
            let (iterators, theta, sizes) = (iterators.join(", "), theta.join(", "), sizes.join(", "));
            return format!("schedule(({iterators}) -> ({theta})) tile({sizes}){strip}");
        }
        let tiles: Vec<String> = tiled.iter().map(|inner| format!("{}:{}", inner.iterator, size(inner))).collect();
        format!("tile({}){strip}", tiles.join(", "))
    }

    fn access(&self, access: &Access, scope: &Scope) -> String {
        if let Some(text) = self.flat_element(access, scope) {
            return text;
        }
        let name = array_name(self.program, access.array);
        let element = |text: String, (dimension, subscript)| {
            let subscript = self.subscript(access, dimension, subscript, scope);
            match access.style {
                Style::Brackets => format!("{text}[{subscript}]"),
                Style::Pointer => format!("*({text} + ({subscript}))"),
                Style::Swapped => format!("({subscript})[{text}]"),
            }
        };
        let array = &self.program.arrays[access.array];
        let subscripts = access.subscripts.iter().enumerate();
        let text = match self.groups.iter().find(|group| group.members.contains(&access.array)) {
            Some(group) => {
                let outer = subscripts.clone().take(group.extents.len()).fold(group.name.clone(), element);
                subscripts.skip(group.extents.len()).fold(format!("({outer}).{name}"), element)
            }
            None if array.local && array.rank == 0 && self.program.structures => format!("{name}.value"),
            None => subscripts.fold(name, element),
        };
        if access.style == Style::Brackets { text } else { format!("({text})") }
    }

    /// An assignment to a member by way of a copy of the whole structure.
    fn whole_copy(&self, assign: &Assign, scope: &Scope) -> Option<String> {
        let Assign { target, operator, value } = assign;
        let group = self.groups.iter().find(|group| group.members.contains(&target.array))?;
        let is_plain = |subscript: &Subscript| matches!(subscript, Subscript::Affine(_));
        let is_outer = group.extents.len() == target.subscripts.len();
        if !self.program.copies_structures() || !is_outer || !target.subscripts.iter().all(is_plain) {
            return None;
        }
        let (member, value) = (array_name(self.program, target.array), self.expr(value, scope));
        let whole = self.access(&Access { style: Style::Brackets, ..target.clone() }, scope);
        let whole = whole.strip_suffix(&format!(".{member}"))?;
        let ty = format!("struct {}_{}", self.function, group.name);
        Some(format!("{{ {ty} copy = {whole}; copy.{member} {operator} {value}; {whole} = copy; }}"))
    }

    fn subscript(&self, access: &Access, dimension: usize, subscript: &Subscript, scope: &Scope) -> String {
        let shift = &self.layout.shifts[access.array][dimension];
        match subscript {
            Subscript::Affine(value) => (value.clone() + shift.clone()).to_string(),
            Subscript::Quotient(value, divisor) => format!("({}) / {divisor}", scope.raised(value)),
            Subscript::Remainder(value, divisor) => format!("({}) % {divisor}", scope.raised(value)),
            Subscript::Shifted(value, bits) => format!("({}) >> {bits}", scope.raised(value)),
            Subscript::Masked(value, bits) => format!("({}) & {}", scope.raised(value), (1 << bits) - 1),
            Subscript::Choice(c, then, otherwise) => {
                format!("({} ? {then} : {otherwise}) + {shift}", condition(c, scope))
            }
            Subscript::Step(counter) => format!("{counter}++ + {shift}"),
            Subscript::Data(index) => format!("({}) & 7", self.expr(index, scope)),
        }
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
            Expr::DivideBy(operator, a, b, least) => format!("({} {operator} (({} & 31) + ({least})))", of(a), of(b)),
            Expr::Select(a, b, c) => format!("({} ? {} : {})", of(a), of(b), of(c)),
            Expr::Cast(ty, a) => format!("({ty})({})", of(a)),
            Expr::Lookup(a) => format!("fixed[({}) & 7]", of(a)),
            Expr::Gather(a) => format!("given[({}) & 15]", of(a)),
        }
    }
}

/// What stands at the beginning and at the end of the body of a loop that its body leaves.
fn leaving(inner: &For, scope: &Scope) -> [Vec<String>; 2] {
    let plain = For { form: Form::For, data: Box::default(), left: false, ..inner.clone() };
    // `for (…; condition; change)`
    let [_, text, _] = head(&plain, scope);
    let mut parts = text.trim_end_matches(')').split("; ").skip(1);
    let (holds, change) = (parts.next().unwrap_or_default(), format!("{};", parts.next().unwrap_or_default()));
    let leave = format!("if (!({holds})) break;");
    if let Some(Uneven::Chase(index, is_down)) = inner.uneven.as_deref() {
        let (w, first) = (format!("{}_at", inner.iterator), scope.raised(index));
        let (goes_on, next) = match is_down {
            true => (format!("{w} > 0"), format!("given[{w}] & ({w} - 1)")),
            false => (format!("{w} < 16"), format!("2 * {w} + 1 + (given[{w}] & 1)")),
        };
        let around = format!("for (int {w} = given[({first}) & 15] & 15; {goes_on}; {w} = {next}) {{");
        return [vec![around], vec!["}".to_string()]];
    }
    match inner.form {
        Form::For => [vec![], vec![]],
        Form::BreakFirst => [vec![leave], vec![change]],
        Form::BreakLast => [vec![], vec![change, leave]],
    }
}

/// What stands before a loop, before its body, and behind it.
fn head(inner: &For, scope: &Scope) -> [String; 3] {
    let fold = |name: &str, bounds: &[Affine]| {
        let mut bounds = bounds.iter().rev().map(Affine::to_string);
        let last = bounds.next().unwrap_or_default();
        bounds.fold(last, |text, bound| format!("{name}({bound}, {text})"))
    };
    let (low, high) = (fold("MAX", &inner.lower), fold("MIN", &inner.upper));
    let (i, ty) = (&inner.iterator, c_type(inner.ty));
    let (first, last, comparison, sign) = match (inner.descending, inner.strict) {
        (false, false) => (low, high, "<=", '+'),
        (false, true) => (low, fold("MIN", &moved(&inner.upper, 1)), "<", '+'),
        (true, false) => (high, low, ">=", '-'),
        (true, true) => (high, fold("MAX", &moved(&inner.lower, -1)), ">", '-'),
    };
    let change = match (inner.step, inner.uneven.as_deref()) {
        (1, None | Some(Uneven::Chase(..))) => format!("{i}{sign}{sign}"),
        (step, None | Some(Uneven::Chase(..))) => format!("{i} {sign}= {step}"),
        (step, Some(Uneven::Counter(outer))) => format!("{i} {sign}= {outer} + {step}"),
        (step, Some(Uneven::Data(index))) => {
            format!("{i} {sign}= {step} + (given[({}) & 15] & 3)", scope.raised(index))
        }
    };
    let last = match &inner.choice {
        Some((c, other)) => format!("({} ? {last} : {other})", condition(c, scope)),
        None => last,
    };
    if inner.at_least_once {
        return [format!("{{ {ty} {i} = {first}; "), "do".to_string(), format!(" while (++{i} <= {last}); }}")];
    }
    match inner.form {
        Form::For => {}
        Form::BreakFirst => return [format!("{{ {ty} {i} = {first}; "), "while (1)".to_string(), " }".to_string()],
        Form::BreakLast => {
            let start = format!("{{ {ty} {i} = {first}; if ({i} {comparison} {last}) ");
            return [start, "for (;;)".to_string(), " }".to_string()];
        }
    }
    let element = |index: &Affine, mask: u32| {
        let index = scope.raised(index);
        match inner.stated && scope.interval(&index).1.range(|_| (0, LARGEST_STATED)).1 < ROWS {
            true => format!("rows[{index}]"),
            false => format!("(given[({index}) & 15] & {mask})"),
        }
    };
    let first = inner.data[0].as_ref().map_or(first, |index| element(index, 7));
    let also = inner.data[1].as_ref().map_or(String::new(), |index| {
        let comparison = if inner.descending { ">" } else { "<" };
        format!(" && {i} {comparison} {}", element(index, 15))
    });
    let rest = format!("{i} = {first}; {i} {comparison} {last}{also}; {change})");
    // The bounds' places name the iterator around it.
    let outer = inner.data.iter().flatten().find_map(|index| index.terms.keys().next());
    match outer.filter(|_| inner.left) {
        None => [String::new(), format!("for ({ty} {rest}"), String::new()],
        Some(outer) => {
            let behind = format!(" left[({outer}) & 15] += {i}; }}");
            [format!("{{ {ty} {i}; "), format!("for ({rest}"), behind]
        }
    }
}

fn moved(bounds: &[Affine], by: i64) -> Vec<Affine> {
    bounds.iter().map(|bound| bound.clone() + Affine::constant(by)).collect()
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
