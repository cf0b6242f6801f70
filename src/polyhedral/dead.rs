//! Dead code goes once, before anything else looks at the kernel: statements without an instance, and those that write
//! only local variables whose values nobody uses. Whatever comes after may rely on every statement running for some
//! sizes, and on every value of a local array being read.

use anyhow::Result;

use super::Program;
use super::copies::copied;
use super::extract::{ever_run, places, sizes_with_elements, statements};
use super::isl::{Map, Set};
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, ByArray, ByStatement, StatementId};
use crate::offload::is_by_data;
use crate::source::kernel::{self, Access, BinaryOp, Expr, Kernel, Node, Storage};

/// isl's operations for the values of all local arrays. Past them no value is called unused and none undefined, which
/// is always legal.
const OPERATIONS: u64 = 2_000_000;

/// `kernel` without statements that never run or whose results nobody uses, without loops and conditions around
/// nothing, and without local arrays that are then left. Arguments stay, used or not: they have registers. Statements
/// keep their names.
///
/// # Errors
/// A [`Diagnostic`] where nothing is left, and where a local variable is surely read before it is written. Those of
/// [`super::extract()`] for kernels with local variables.
pub fn without_dead_code(kernel: &Kernel) -> Result<Kernel> {
    live(kernel, false)
}

/// The same, where a copy of an element without a value into another local variable is no fault: nobody may use it there.
pub(super) fn live_with_empty_copies(kernel: &Kernel) -> Result<Kernel> {
    live(kernel, true)
}

/// Refuses a local array that is `static` in C, where something may read what an earlier call has left there.
///
/// # Errors
/// A [`Diagnostic`] at the word.
pub fn require_no_lasting_values(kernel: &Kernel) -> Result<()> {
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        let Some(span) = declaration.lasting else { continue };
        if is_by_data(kernel, array) || !is_written_before_read(kernel, array)? {
            return Err(lasts(&declaration.name).at(span, "here").into());
        }
    }
    Ok(())
}

fn lasts(name: &str) -> Diagnostic {
    Diagnostic::new(format!("`{name}` keeps its values between calls, and they may be read")).help(format!(
        "write what is read of `{name}` before, in every call; without `static`, it may begin with an initializer; what calls hand on is an \
         argument"
    ))
}

fn live(kernel: &Kernel, has_empty_copies: bool) -> Result<Kernel> {
    let first = kernel.statements().first().map(|s| s.span).unwrap_or_default();
    let runs = ever_run(kernel)?;
    if !runs.contains(&true) {
        return Err(Diagnostic::new("the loops never run, whatever the sizes up to their bounds")
            .at(first, "never executed")
            .help("check the loops' bounds, and the bounds of the sizes")
            .into());
    }
    let kernel = keep(kernel, &runs);
    if kernel.arrays.iter().all(|a| a.storage == Storage::Argument) {
        return Ok(kernel);
    }
    let used = used(&kernel, has_empty_copies)?;
    if !used.contains(&true) {
        return Err(Diagnostic::new(format!("the function `{}` writes nothing that its caller sees", kernel.name))
            .at(first, "nobody reads the result")
            .help("burstc compiles loops around assignments to arrays that are arguments")
            .into());
    }
    Ok(keep(&kernel, &used))
}

/// Whether any statement has an instance for some sizes within their bounds.
pub fn runs(kernel: &Kernel) -> Result<bool> {
    Ok(ever_run(kernel)?.contains(&true))
}

/// By statement, whether what it writes reaches an argument.
fn used(kernel: &Kernel, has_empty_copies: bool) -> Result<ByStatement<bool>> {
    let program = statements(kernel)?;
    let flow = program.isl.within(OPERATIONS, || local_flow(&program, kernel, has_empty_copies))?;
    let statements = kernel.statements();
    let mut used: ByStatement<bool> =
        statements.iter().map(|s| kernel.arrays[s.target.array].storage == Storage::Argument).collect();
    let Some(flow) = flow else { return Ok(vec![true; statements.len()].into()) };
    if let Some(undefined) = flow.undefined {
        return Err(undefined.into());
    }
    while let Some(&(source, _)) = flow.pairs.iter().find(|&&(source, sink)| used[sink] && !used[source]) {
        used[source] = true;
    }
    Ok(used)
}

/// How values of local arrays pass between statements.
struct Flow {
    /// Statements of which the first writes a cell that the second reads later.
    pairs: Vec<(StatementId, StatementId)>,
    /// A read of a cell that has not been written.
    undefined: Option<Diagnostic>,
}

fn local_flow(program: &Program, kernel: &Kernel, has_empty_copies: bool) -> Result<Flow> {
    let (sources, places) = (kernel.statements(), places(kernel));
    let sizes = sizes_with_elements(program, kernel)?;
    let mut flow = Flow { pairs: vec![], undefined: None };
    for (sink, statement) in sources.iter_enumerated() {
        // Which cells are read where data tell the place, nobody knows here.
        for read in
            program.statements[sink].accesses.iter().filter(|access| !access.write && access.subscripts.is_none())
        {
            let Storage::Local { declared_in, .. } = &kernel.arrays[read.array].storage else { continue };
            let mut is_written = false;
            for source in sources.keys().filter(|&s| sources[s].target.array == read.array) {
                let pairs = written_before(program, (source, sink), &read.may, declared_in.len())?;
                if pairs.is_empty()? {
                    continue;
                }
                is_written = true;
                if !flow.pairs.contains(&(source, sink)) {
                    flow.pairs.push((source, sink));
                }
            }
            if !is_written && flow.undefined.is_none() {
                let kernel::Array { name, lasting, .. } = &kernel.arrays[read.array];
                let what = format!("`{name}` is read before it is written: its value is undefined in C");
                let refused = Diagnostic::new(what).at(statement.span, "nothing has been written there");
                let refused = refused.help(format!("give the elements of `{name}` values first"));
                flow.undefined = Some(lasting.map_or(refused, |span| lasts(name).at(span, "here")));
            }
        }
        // The model has a statement's write first, then its references.
        for (reference, read) in statement.references().into_iter().zip(&program.statements[sink].accesses[1..]) {
            let array = &kernel.arrays[reference.array];
            let Storage::Local { declared_in, .. } = &array.storage else { continue };
            let mut undefined = read.may.domain()?.intersect_params(&sizes)?;
            let writers = sources.keys().filter(|&s| sources[s].target.array == reference.array);
            for source in writers {
                // A value that may be written is perhaps used; and only what surely nobody has written is refused.
                let pairs = written_before(program, (source, sink), &read.may, declared_in.len())?;
                if pairs.is_empty()? {
                    continue;
                }
                if !flow.pairs.contains(&(source, sink)) {
                    flow.pairs.push((source, sink));
                }
                undefined = undefined.subtract(&pairs.domain()?)?;
            }
            let is_empty_copy = has_empty_copies
                && kernel.arrays[statement.target.array].storage != Storage::Argument
                && copied(&statement.value).is_some();
            if flow.undefined.is_none()
                && !is_empty_copy
                && is_sure(&statement.value, reference)
                && !undefined.is_empty()?
            {
                let names = program.parameters.iter().chain(&program.statements[sink].iterators).cloned();
                flow.undefined =
                    Some(refusal(kernel, reference, names.collect(), &undefined, places[sink].loops.len())?);
            }
        }
    }
    Ok(flow)
}

/// Whether every read of a local array, evaluated or not, finds a value that its own iteration of the loops around the declaration has
/// written, for all sizes. `false` where that takes too long to tell.
pub(super) fn is_written_before_read(kernel: &Kernel, array: ArrayId) -> Result<bool> {
    let program = statements(kernel)?;
    let told = program.isl.within(OPERATIONS, || -> Result<bool> {
        let sources = kernel.statements();
        let Storage::Local { declared_in, .. } = &kernel.arrays[array].storage else { return Ok(false) };
        let sizes = sizes_with_elements(&program, kernel)?;
        for (sink, statement) in sources.iter_enumerated() {
            let own = statement.references().into_iter().zip(&program.statements[sink].accesses[1..]);
            for (_, read) in own.filter(|(reference, _)| reference.array == array) {
                let mut undefined = read.may.domain()?.intersect_params(&sizes)?;
                for source in sources.keys().filter(|&s| sources[s].target.array == array) {
                    // What reads its target may leave what was there.
                    if sources[source].reads().into_iter().any(|read| read.array == array) {
                        continue;
                    }
                    let pairs = written_before(&program, (source, sink), &read.may, declared_in.len())?;
                    undefined = undefined.subtract(&pairs.domain()?)?;
                }
                if !undefined.is_empty()? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    })?;
    Ok(told.unwrap_or(false))
}

/// `{ instance of the sink -> instance of the source before it that writes what it reads }`, both in one iteration of the outer `loops`.
fn written_before(program: &Program, pair: (StatementId, StatementId), read: &Map, loops: usize) -> Result<Map> {
    let write = &program.statements[pair.0].accesses[0].may;
    read.apply_range(&write.reverse()?)?.intersect(&earlier(program, pair, loops)?)
}

/// `{ instance of the sink -> instance of the source before it }`, both in one iteration of the outer `loops`.
fn earlier(program: &Program, (source, sink): (StatementId, StatementId), loops: usize) -> Result<Map> {
    let dimensions = program.statements[sink].order.len();
    let (source, sink) = (&program.statements[source].schedule, &program.statements[sink].schedule);
    let before = sink.lex_gt_map(source)?;
    let Some(last) = loops.checked_sub(1).and_then(|l| program.loop_dimensions.get(l)) else { return Ok(before) };
    let outer = |schedule: &Map| schedule.project_out_outputs(last + 1, dimensions - last - 1);
    before.intersect(&outer(sink)?.apply_range(&outer(source)?.reverse()?)?)
}

fn refusal(kernel: &Kernel, read: &Access, names: Vec<String>, undefined: &Set, loops: usize) -> Result<Diagnostic> {
    let point = undefined.parameters_to_dimensions()?.least_point()?.unwrap_or_default();
    let example: Vec<(String, i64)> = names.into_iter().zip(point).collect();
    let place = match example.is_empty() {
        true => String::new(),
        false => format!(" for {}", kernel.example(&example)),
    };
    let array = &kernel.arrays[read.array];
    let name = &array.name;
    let what = if array.extents.is_empty() { format!("`{name}`") } else { format!("the element of `{name}`") };
    if array.lasting.is_some() {
        return Ok(lasts(name).at(read.span, "read before this call has written it"));
    }
    let scope = if loops > 0 { " in every iteration that reads it" } else { "" };
    Ok(Diagnostic::new(format!("`{name}` is read before it is written{place}: its value is undefined in C"))
        .at(read.span, "nothing has been written there")
        .help(format!("give {what} a value first{scope}")))
}

/// Whether C evaluates the reference whenever it evaluates `value`: not where it stands behind a condition alone.
fn is_sure(value: &Expr, reference: &Access) -> bool {
    match value {
        Expr::Read { access, .. } => (access.array, &access.subscripts) == (reference.array, &reference.subscripts),
        Expr::Select { condition, .. }
        | Expr::Scatter { only_if: Some(condition), .. }
        | Expr::Masked { only_if: condition, .. } => is_sure(condition, reference),
        Expr::Binary { op: BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, .. } => is_sure(left, reference),
        _ => value.operands().into_iter().any(|operand| is_sure(operand, reference)),
    }
}

/// The statements for which `kept` holds, what is around them, the arguments, and the local arrays that they touch.
fn keep(kernel: &Kernel, kept: &ByStatement<bool>) -> Kernel {
    if kept.iter().all(|kept| *kept) {
        return kernel.clone();
    }
    let mut kernel = kernel.clone();
    let names: Vec<String> =
        kernel.statements().iter().zip(kept).filter(|(_, kept)| **kept).map(|(s, _)| s.name.clone()).collect();
    keep_named(&mut kernel, &names);
    let statements = kernel.statements();
    let touched: Vec<ArrayId> = statements.iter().flat_map(|s| s.value.arrays().chain([s.target.array])).collect();
    let stays = |array: ArrayId| kernel.arrays[array].storage == Storage::Argument || touched.contains(&array);
    let stay: ByArray<ArrayId> = kernel.arrays.keys().filter(|&array| stays(array)).collect();
    kernel.arrays = stay.iter().map(|&array| kernel.arrays[array].clone()).collect();
    // Arguments come first and all stay: only indices of local arrays change.
    let place = |known: ArrayId| stay.position(|&array| array == known).expect("a touched array stays");
    super::expand::rewrite(&mut kernel.body, &mut |access| access.array = place(access.array));
    super::expand::rewrite_places(&mut kernel.body, &mut |gathered| gathered.array = place(gathered.array));
    kernel
}

/// Takes out all other statements, and what directives say of them.
pub(super) fn keep_named(kernel: &mut Kernel, names: &[String]) {
    prune(&mut kernel.body, names);
    for tiling in &mut kernel.tilings {
        tiling.schedules.retain(|schedule| names.contains(&schedule.statement));
    }
    kernel.tilings.retain(|tiling| !tiling.schedules.is_empty());
}

fn prune(nodes: &mut Vec<Node>, names: &[String]) {
    nodes.retain_mut(|node| match node {
        Node::Loop(inner) => {
            prune(&mut inner.body, names);
            !inner.body.is_empty()
        }
        Node::If(inner) => {
            prune(&mut inner.body, names);
            !inner.body.is_empty()
        }
        Node::Statement(statement) => names.contains(&statement.name),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};

    /// The function `k` with the body, for an N up to 16 and the arrays `a[N]` and `b[N]`.
    fn live(body: &str) -> Result<Kernel> {
        let text = format!("#pragma burstc size(N: 5, max 16)\nvoid k(int N, int a[N], int b[N])\n{{\n{body}\n}}\n");
        without_dead_code(&source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] })?)
    }

    fn kept(body: &str) -> (Vec<String>, Vec<String>) {
        let kernel = live(body).unwrap_or_else(|error| panic!("{body}: {error}"));
        let statements = kernel.statements().iter().map(|s| s.name.clone()).collect();
        (statements, kernel.arrays.iter().map(|a| a.name.clone()).collect())
    }

    fn refused(body: &str) -> (String, Option<usize>) {
        let error = live(body).expect_err(body);
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("no diagnostic: {error:#}"));
        (diagnostic.message.clone(), diagnostic.span.map(|span| span.line))
    }

    #[test]
    fn what_never_runs_goes() {
        let loops = "for (int i = 0; i < N; i++) { if (i < 0) b[i] = 5; a[i] += 1; }";
        let (statements, arrays) = kept(loops);
        assert_eq!((statements, arrays), (vec!["S1".to_string()], vec!["a".to_string(), "b".to_string()]));
        assert_eq!(kept("for (int i = 20; i < N; i++) a[i] = 0;\nfor (int i = 0; i < N; i++) b[i] = a[i];").0, ["S1"]);
        assert_eq!(
            refused("for (int i = N; i < N; i++)\n a[i] = 0;"),
            ("the loops never run, whatever the sizes up to their bounds".to_string(), Some(5))
        );
    }

    #[test]
    fn directives_of_what_goes_go_with_it() {
        let kernel = live(
            "#pragma burstc tile(i:4)\nfor (int i = 0; i < N; i++) a[i] += 1;\n\
             #pragma burstc tile(i:4)\nfor (int i = 20; i < N; i++) b[i] += 1;",
        );
        assert_eq!(kernel.expect("a kernel").tilings.len(), 1);
    }

    /// The C program begins with what the call before has left, or the initializer of the first one; the hardware with anything.
    #[test]
    fn nobody_reads_what_calls_leave() {
        let lasts = |body: &str| {
            let text = format!(
                "#pragma burstc size(N: 5, min 2, max 16)\nvoid k(int N, int a[N], int b[N])\n{{\n{body}\n}}\n"
            );
            let kernel = source::parse(&Source { path: "k.c".into(), text, cpp_args: vec![] }).expect(body);
            let message = |error: anyhow::Error| error.downcast_ref::<Diagnostic>().expect(body).message.clone();
            crate::polyhedral::settled(&kernel)
                .and_then(|kernel| require_no_lasting_values(&kernel))
                .map_err(message)
                .err()
        };
        let refused = |name: &str| Some(format!("`{name}` keeps its values between calls, and they may be read"));
        for (body, expected) in [
            (
                "static int t[16]; for (int i = 0; i < N; i++) t[i] = a[i]; for (int i = 0; i < N; i++) b[i] = t[N - 1 - i];",
                None,
            ),
            (
                "static int t[2] = {3, 4}; for (int i = 0; i < N; i++) { t[1] = t[0]; t[0] = 2 * a[i]; if (i > 0) b[i] = t[1]; }",
                None,
            ),
            (
                "static int t[2] = {3, 4}; for (int i = 0; i < N; i++) { t[1] = t[0]; t[0] = 2 * a[i]; b[i] = t[1]; }",
                refused("t"),
            ),
            ("static int t[16] = {0}; for (int i = 0; i < N; i++) { b[i] = t[i]; t[i] = a[i]; }", refused("t")),
            // Data may leave it as it was, and where they tell the place, nobody knows.
            (
                "static int t[16]; for (int i = 0; i < N; i++) { if (a[i] > 0) t[i] = a[i]; b[i] += t[i]; }",
                refused("t"),
            ),
            (
                "static int t[16]; for (int i = 0; i < N; i++) { t[a[i] & 15] = a[i]; b[i] = t[b[i] & 15]; }",
                refused("t"),
            ),
            (
                "static int t[16]; for (int i = 0; i < N; i++) { t[i] = 1; b[i] = a[i] > 0 ? t[a[i] & 7] : 0; }",
                refused("t"),
            ),
            // One of them for all iterations of the loop around it.
            (
                "for (int i = 0; i < N; i++) { static int t[16]; if (i == 0) for (int j = 0; j < N; j++) t[j] = a[j]; b[i] = t[i]; }",
                None,
            ),
            ("for (int i = 0; i < N; i++) { static int t[16]; t[i] = a[i]; b[i] = i < 3 ? t[i] : t[i - 3]; }", None),
        ] {
            assert_eq!(lasts(body), expected, "{body}");
        }
    }

    #[test]
    fn values_that_nobody_uses_go() {
        // u feeds t, which nobody reads.
        let body = "int t[16]; int u[16];\nfor (int i = 0; i < N; i++) { u[i] = a[i]; t[i] = u[i]; a[i] += 1; }";
        assert_eq!(kept(body), (vec!["S2".to_string()], vec!["a".to_string(), "b".to_string()]));
        // The last sum is never read, the first one is.
        let body = "int s = 0;\nfor (int i = 0; i < N; i++) s += a[i];\na[0] = s;\n\
                    s = 5;\nfor (int i = 0; i < N; i++) s += a[i];";
        assert_eq!(kept(body).0, ["S0", "S1", "S2"]);
        let message = "the function `k` writes nothing that its caller sees";
        // Where data tell the place, every write before may be read.
        let body = "int t[16]; int u[16];\nfor (int i = 0; i < N; i++) { u[i] = a[i]; t[i] = i; }\n\
                    for (int i = 0; i < N; i++) a[i] = t[b[i]];";
        assert_eq!(kept(body).0, ["S1", "S2"]);
        let body = "int t[16];\nfor (int i = 0; i < N; i++) a[i] = t[b[i]];";
        assert_eq!(refused(body).0, "`t` is read before it is written: its value is undefined in C");
        assert_eq!(refused("int s = 0;\nfor (int i = 0; i < N; i++) s += a[i];"), (message.to_string(), Some(4)));
    }

    #[test]
    fn locals_that_are_read_before_they_are_written() {
        let undefined = |name: &str, place: &str| {
            format!("`{name}` is read before it is written for {place}: its value is undefined in C")
        };
        for (body, name, place) in [
            ("int s;\nfor (int i = 0; i < N; i++) { a[i] = s; s = 5; }", "s", "N = 1, i = 0"),
            ("int s;\nfor (int i = 0; i < N; i++) s += a[i];\na[0] = s;", "s", "N = 1, i = 0"),
            // Each iteration has its own t.
            ("for (int i = 0; i < N; i++) { int t;\nif (i == 0) t = 5; a[i] = t; }", "t", "N = 2, i = 1"),
            (
                "int t[17];\nfor (int i = 0; i < N; i++) t[i] = 1; for (int i = 0; i < N; i++) a[i] = t[i + 1];",
                "t",
                "N = 1, i = 0",
            ),
        ] {
            assert_eq!(refused(body), (undefined(name, place), Some(5)), "{body}");
        }
        for fine in [
            "int t;\nfor (int i = 0; i < N; i++) { if (i == 0) t = 5; a[i] += t; t = a[i]; }",
            // C does not look at t in the first iteration.
            "int t;\nfor (int i = 0; i < N; i++) { t = i > 0 ? t + a[i] : a[i]; a[i] = t; }",
            "int t[17];\nfor (int i = 0; i <= N; i++) t[i] = i; for (int i = 0; i < N; i++) a[i] = t[i + 1];",
            "int t[17];\nfor (int i = 0; i <= N; i++) t[i] = i; for (int i = 0; i < N; i++) a[i] = t[b[i]];",
        ] {
            kept(fine);
        }
    }
}
