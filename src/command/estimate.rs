//! `burstc estimate`: the words that values take while the order of the loops is partly open.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;
use serde::Serialize;

use super::progress::Progress;
use super::{Assignment, Input, PASSED, options, print, sample, values, watched};
use crate::diagnostic::{Diagnostic, Fault};
use crate::ids::{ArrayId, StatementId};
use crate::polyhedral;
use crate::schedule::storage::{
    self, BasicSet, Bounds, Dependence, Estimate as Storage, FixedOrder, Flow, Form, MOST_FREE, NoEstimate, OfValues,
};
use crate::source::kernel::Kernel;
use crate::source::program::Program;
use crate::{budget, prepare_read, suggest};

#[derive(Clone, Debug)]
pub struct Estimate {
    pub input: Input,
    /// Values of scalar arguments.
    pub set: Vec<Assignment>,
    /// Loops that are fixed outermost, by their iterators, outermost first.
    pub outer: Vec<String>,
    /// Loops that are fixed innermost, the innermost last.
    pub inner: Vec<String>,
    /// Values apart by their readers.
    pub basic_sets: bool,
    pub json: bool,
}

/// The number of the JSON's shape: of this command alone.
const SCHEMA: u32 = 1;

#[derive(Serialize)]
struct Document {
    schema: u32,
    kernel: String,
    sizes: BTreeMap<String, i64>,
    dimensions: Vec<String>,
    space: Form,
    outer: Vec<String>,
    inner: Vec<String>,
    legal_orders: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    basic_sets: Option<BasicSets>,
    dependences: Vec<DependenceRow>,
    arrays: Vec<ValuesRow>,
    total: ValuesRow,
}

#[derive(Serialize)]
struct BasicSets {
    sets: Vec<BasicSetRow>,
    /// Left out where sets wait for each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    traversal: Option<i64>,
}

#[derive(Serialize)]
struct BasicSetRow {
    name: String,
    statement: String,
    size: i64,
    readers: Vec<String>,
}

#[derive(Serialize)]
struct DependenceRow {
    array: String,
    source: String,
    sink: String,
    sink_line: usize,
    part: Vec<i64>,
    orthogonal: bool,
    least_vector: Vec<i64>,
    vector: Vec<i64>,
    #[serde(flatten)]
    bounds: BoundsRow,
    #[serde(skip_serializing_if = "Option::is_none")]
    skewed: Option<Skewed>,
}

#[derive(Serialize)]
struct BoundsRow {
    lower: i64,
    upper: i64,
    order: Vec<String>,
}

#[derive(Serialize)]
struct Skewed {
    order: Vec<String>,
    needs: i64,
}

#[derive(Serialize)]
struct ValuesRow {
    #[serde(skip_serializing_if = "Option::is_none")]
    array: Option<String>,
    #[serde(flatten)]
    bounds: BoundsRow,
    counted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_written: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    as_written_during: Option<i64>,
}

pub fn estimate(estimate: &Estimate, program: &Program) -> Result<u8> {
    let source = &program.source;
    let board = estimate.input.board()?;
    let progress = Progress::in_terminal(estimate.input.quiet);
    progress.step("estimating the storage");
    let document = watched(program, || {
        let read = crate::read(source)?;
        let set = values::settings(&read.kernel, &estimate.set, &estimate.input.bounds(&read.kernel)?)?;
        let options = options(&read.kernel, &estimate.input, &set)?;
        let kernel = prepare_read(read, &board, &options)?;
        let set = sample::completed(&kernel, set);
        let size = |name: &str| {
            let parameter = kernel.parameters.iter().find(|parameter| parameter.name == name);
            let given = set.get(name).and_then(|value| i64::try_from(value.whole()?).ok());
            given.or(parameter.and_then(|parameter| parameter.default)).unwrap_or(0)
        };
        if let Some(refusal) = kernel.refusal(size) {
            return Err(refusal.into());
        }
        let sizes = kernel.parameters.iter().map(|p| (p.name.clone(), size(&p.name))).collect();
        let fixed = FixedOrder { outer: estimate.outer.clone(), inner: estimate.inner.clone() };
        let document = document(&kernel, sizes, &fixed, estimate.basic_sets);
        document.map_err(|error| Fault::of(budget::refusal(error, &kernel)))
    })?;
    drop(progress);
    print(&match estimate.json {
        true => serde_json::to_string_pretty(&document)? + "\n",
        false => text(&document),
    })?;
    Ok(PASSED)
}

/// Everything that is estimated of `kernel` at these sizes.
///
/// # Errors
/// A [`Diagnostic`] for what is wrong with `fixed`; else isl's.
fn document(
    kernel: &Kernel,
    sizes: BTreeMap<String, i64>,
    fixed: &FixedOrder,
    with_basic_sets: bool,
) -> Result<Document> {
    require_distinct(kernel, fixed)?;
    budget::begin("the dependences");
    let program = polyhedral::extract(kernel)?;
    budget::begin("the storage");
    let instances = storage::instances(&program, &sizes)?;
    let mut flows = storage::flows(&program, &sizes)?;
    let mut sets = None;
    if with_basic_sets {
        let basic = storage::basic_sets(&program, &instances, &flows)?;
        let split = storage::split(&basic, &flows)?;
        let whole = std::mem::replace(&mut flows, split.iter().map(|(_, flow)| flow.clone()).collect());
        sets = Some((basic, split, whole));
    }
    let storage = match storage::estimate(&program, &instances, &flows, fixed)? {
        Ok(storage) => storage,
        Err(why) => return Err(refusal(kernel, fixed, why).into()),
    };
    let basic_sets = match sets {
        Some((sets, split, whole)) => Some(basic_set_rows(kernel, &program, &storage, &sets, &split, &whole)?),
        None => None,
    };
    let names = Names { kernel, program: &program, storage: &storage };
    Ok(Document {
        schema: SCHEMA,
        kernel: kernel.name.clone(),
        sizes,
        dimensions: (0..storage.space.dimensions.len()).map(|d| storage.space.name(d)).collect(),
        space: storage.space.form,
        outer: fixed.outer.clone(),
        inner: fixed.inner.clone(),
        legal_orders: storage.orders.len(),
        basic_sets,
        dependences: (0..storage.dependences.len()).map(|k| names.dependence(k)).collect(),
        arrays: storage.of_arrays.iter().map(|(array, of)| names.values(Some(*array), of)).collect(),
        total: names.values(None, &storage.total),
    })
}

fn require_distinct(kernel: &Kernel, fixed: &FixedOrder) -> Result<()> {
    let all: Vec<&String> = fixed.outer.iter().chain(&fixed.inner).collect();
    match all.iter().enumerate().find(|(place, name)| all[..*place].contains(name)) {
        Some((_, name)) => Err(Diagnostic::new(format!("the loop `{name}` is to have two places in the order"))
            .at(kernel.span, "of this kernel")
            .help("name it once, in --outer or in --inner")
            .into()),
        None => Ok(()),
    }
}

fn refusal(kernel: &Kernel, fixed: &FixedOrder, why: NoEstimate) -> Diagnostic {
    let at = |diagnostic: Diagnostic| diagnostic.at(kernel.span, "this kernel");
    match why {
        NoEstimate::Unknown(name, known) => {
            let option = if fixed.outer.contains(&name) { "--outer" } else { "--inner" };
            at(Diagnostic::new(format!("{option} {name}: `{}` has no loop of that name", kernel.name)))
                .help(suggest::known("loops", &name, known.iter().map(String::as_str)))
        }
        NoEstimate::TooManyFree(free) => {
            at(Diagnostic::new(format!("{} loops have no place in the order yet: {}", free.len(), free.join(", "))))
                .help(format!("fix some with --outer or --inner: all orders of {MOST_FREE} loops are looked at"))
        }
        NoEstimate::NoOrder(true) => {
            at(Diagnostic::new("no order but the source's keeps every value before its readers"))
                .help("leave --outer and --inner out")
        }
        NoEstimate::NoOrder(false) => {
            at(Diagnostic::new("no order with these loops there keeps every value before its readers"))
                .help("fix fewer loops, or others")
        }
    }
}

/// What numbers stand for.
struct Names<'a> {
    kernel: &'a Kernel,
    program: &'a polyhedral::Program,
    storage: &'a Storage,
}

impl Names<'_> {
    fn all(&self) -> Vec<String> {
        (0..self.storage.space.dimensions.len()).map(|d| self.storage.space.name(d)).collect()
    }

    fn bounds(&self, bounds: &Bounds) -> BoundsRow {
        let order = bounds.order.iter().map(|d| self.storage.space.name(*d)).collect();
        BoundsRow { lower: bounds.lower, upper: bounds.upper, order }
    }

    fn dependence(&self, k: usize) -> DependenceRow {
        let (dependence, of): (&Dependence, _) = (&self.storage.dependences[k], &self.storage.of_dependences[k]);
        let statement = |s: StatementId| self.program.statements[s].name.clone();
        let (least, most) = dependence.steps();
        let skewed = of.skewed.as_ref().map(|(rows, needs)| Skewed {
            order: rows.iter().map(|row| row.text(&self.all())).collect(),
            needs: *needs,
        });
        DependenceRow {
            array: self.kernel.arrays[dependence.array].name.clone(),
            source: statement(dependence.source),
            sink: statement(dependence.sink),
            sink_line: self.program.statements[dependence.sink].span.line,
            part: dependence.lengths.clone(),
            orthogonal: dependence.orthogonal,
            least_vector: least.to_vec(),
            vector: most.to_vec(),
            bounds: self.bounds(&of.bounds),
            skewed,
        }
    }

    fn values(&self, array: Option<ArrayId>, of: &OfValues) -> ValuesRow {
        ValuesRow {
            array: array.map(|array| self.kernel.arrays[array].name.clone()),
            bounds: self.bounds(&of.bounds),
            counted: of.counted,
            as_written: of.as_written.map(|peak| peak.in_place),
            as_written_during: of.as_written.map(|peak| peak.during),
        }
    }
}

/// The basic sets, those of an array counted from 0, and the largest sum of them that is alive.
fn basic_set_rows(
    kernel: &Kernel,
    program: &polyhedral::Program,
    storage: &Storage,
    sets: &[BasicSet],
    split: &[(usize, Flow)],
    whole: &[Flow],
) -> Result<BasicSets> {
    let mut rows: Vec<BasicSetRow> = vec![];
    for (number, set) in sets.iter().enumerate() {
        let before = sets[..number].iter().filter(|other| other.array == set.array).count();
        let readers = set.readers.iter().map(|k| program.statements[whole[*k].sink].name.clone());
        rows.push(BasicSetRow {
            name: format!("{}({before})", kernel.arrays[set.array].name),
            statement: program.statements[set.source].name.clone(),
            size: set.size()?,
            readers: readers.collect(),
        });
    }
    let alone: Vec<i64> = storage.of_dependences.iter().map(|of| of.bounds.lower).collect();
    Ok(BasicSets { sets: rows, traversal: storage::traversal(sets, split, &alone)? })
}

/// The document as tables.
fn text(document: &Document) -> String {
    let mut text = format!("{}: values over {}", document.kernel, document.dimensions.join(", "));
    if !document.sizes.is_empty() {
        let sizes: Vec<String> = document.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = write!(text, " at {}", sizes.join(", "));
    }
    let orders = match document.legal_orders {
        1 => "1 order is legal".to_string(),
        orders => format!("{orders} orders are legal"),
    };
    text += match document.space {
        Form::Fused => "",
        Form::Nests => ", one nest after the other",
        Form::AsWritten => ", as the source has them",
    };
    let _ = write!(text, "; {orders}");
    for (names, place) in [(&document.outer, "outermost"), (&document.inner, "innermost")] {
        if !names.is_empty() {
            let _ = write!(text, ", {} {place}", names.join(", "));
        }
    }
    text.push_str("\n\n");
    if let Some(basic) = &document.basic_sets {
        let head = ["basic set", "written by", "values", "read by"].map(String::from);
        let row =
            |set: &BasicSetRow| [set.name.clone(), set.statement.clone(), set.size.to_string(), set.readers.join(", ")];
        text += &table([head].into_iter().chain(basic.sets.iter().map(row)).collect());
        if let Some(traversal) = basic.traversal {
            let _ = writeln!(text, "whole sets, one after the other: {traversal} words");
        }
        text.push('\n');
    }
    if document.dependences.is_empty() {
        text.push_str("no value that is written is read\n");
        return text;
    }
    let head = ["value", "part", "vector", "lower", "in the order", "upper"].map(String::from);
    let mut rows = vec![head];
    for row in &document.dependences {
        let part: Vec<String> = row.part.iter().map(i64::to_string).collect();
        let mark = if row.orthogonal { "" } else { " box" };
        rows.push([
            format!("{} {} -> {}", row.array, row.source, row.sink),
            part.join(" x ") + mark,
            vectors(&row.least_vector, &row.vector),
            row.bounds.lower.to_string(),
            row.bounds.order.join(", "),
            row.bounds.upper.to_string(),
        ]);
        if let Some(skewed) = &row.skewed {
            let none = String::new;
            rows.push([none(), none(), "skewed".into(), skewed.needs.to_string(), skewed.order.join(", "), none()]);
        }
    }
    text += &table(rows);
    text.push('\n');
    let head = ["words", "lower", "in the order", "upper", "as written"].map(String::from);
    let row = |of: &ValuesRow| {
        let sign = if of.counted { "" } else { "<= " };
        let written = of.as_written.map_or("-".to_string(), |words| words.to_string());
        let (lower, upper) = (format!("{sign}{}", of.bounds.lower), format!("{sign}{}", of.bounds.upper));
        [of.array.clone().unwrap_or("all".into()), lower, of.bounds.order.join(", "), upper, written]
    };
    let rows = [head].into_iter().chain(document.arrays.iter().chain([&document.total]).map(row));
    text + &table(rows.collect())
}

/// `(0, 2, 0)`, or from the least to the largest step where they differ: `(0, 1..3)`.
fn vectors(least: &[i64], most: &[i64]) -> String {
    let step = |(low, high): (&i64, &i64)| if low == high { low.to_string() } else { format!("{low}..{high}") };
    let steps: Vec<String> = least.iter().zip(most).map(step).collect();
    format!("({})", steps.join(", "))
}

/// Rows with columns two spaces apart, indented.
pub fn table<const N: usize>(rows: Vec<[String; N]>) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..N).map(width).collect();
    let line = |row: &[String; N]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        format!("    {}", cells.collect::<Vec<_>>().join("  ")).trim_end().to_string() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests;
