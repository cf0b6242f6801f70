//! `burstc analyze --placement`: where statements stand in one common space, before and after values have been given short
//! ways, and the order of that space that takes the fewest words.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::Result;

use super::sample;
use crate::affine::Affine;
use crate::budget;
use crate::diagnostic::Diagnostic;
use crate::ids::StatementId;
use crate::polyhedral;
use crate::schedule::placement::{Cone, Costs, Graph, Ordered, Placement, orders, plan, search, theta};
use crate::schedule::storage::{Flow, instances, parametric_flows};
use crate::schedule::{BandPlan, storage::Peak};
use crate::source::directive_text;
use crate::source::kernel::{Kernel, Schedule, SizeParameter, TilingDirective};

/// Reads of values up to which placements are compared; sizes are halved until there are no more.
const READS: usize = 1_500;
/// Orders that are shown to the judge of schedules.
const JUDGED: usize = 24;
/// Tile size of what may be tiled, in the directive that is printed.
const TILE: i64 = 16;

/// The text of `--placement`.
///
/// # Errors
/// A [`Diagnostic`] for kernels that are too large or too deep; else isl's.
pub fn text(kernel: &Kernel) -> Result<String> {
    budget::begin("the dependences");
    let kernel = &polyhedral::expand_locals(&Kernel { tilings: vec![], ..kernel.clone() })?;
    let program = polyhedral::extract(kernel)?;
    budget::begin("the placement");
    let flows = parametric_flows(&program)?;
    if flows.is_empty() {
        return Ok(format!("{}: no value that is written is read\n", kernel.name));
    }
    let (sizes, graph) = small(kernel, &program, &flows)?;
    let Some(placed) = search(&graph) else {
        return Err(Diagnostic::new(format!("statements of `{}` stand in more than four loops", kernel.name))
            .at(kernel.span, "this kernel")
            .help("placements are looked for up to four")
            .into());
    };
    let axes: Vec<String> = (1..=graph.dimensions).map(|d| format!("x{d}")).collect();
    let mut text = format!("{}: placement over {}", kernel.name, axes.join(", "));
    if !sizes.is_empty() {
        let sizes: Vec<String> = sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = write!(text, " at {}", sizes.join(", "));
    }
    let uniform = |placement: &Placement| graph.edges.iter().filter(|edge| placement.rank_of(edge) == 0).count();
    let flows_of_values = match graph.edges.len() {
        1 => "1 flow".to_string(),
        several => format!("{several} flows"),
    };
    let _ = writeln!(text, ", {flows_of_values} of values\n");
    let mut rows = vec![["", "uniform", "locality", "reuse", "cone", "ordering vector"].map(String::from)];
    let written = Placement::side_by_side(&graph);
    for (name, placement) in [("as written", &written), ("placed", &placed)] {
        let costs = Costs::new(&graph, placement);
        let (uniform, ordering) = (uniform(placement), costs.cone.ordering.as_ref());
        rows.push([
            name.to_string(),
            uniform.to_string(),
            costs.locality.to_string(),
            costs.reuse.to_string(),
            cone(&costs.cone),
            ordering.map_or("none".to_string(), |vector| format!("({})", list(vector))),
        ]);
    }
    text += &super::estimate::table(rows);
    text.push('\n');
    let places = theta(&program, &graph, &placed, &flows)?;
    for (s, statement) in program.statements.iter_enumerated() {
        let place: Vec<String> = places[s.0].iter().map(ToString::to_string).collect();
        let _ = writeln!(text, "    {}[{}] -> ({})", statement.name, statement.iterators.join(", "), place.join(", "));
    }
    let orders = orders(&graph, &placed, &Costs::new(&graph, &placed));
    text += &order_text(&orders, &axes);
    text += &match judged(&program, &places, &orders)? {
        Some((order, plan)) => {
            let along = rows_text(&order.rows, &axes);
            let Peak { in_place, .. } = order.peak;
            format!(
                "legal for all sizes: {along}, {in_place} words; as a directive\n    {}\n",
                directive(kernel, &program, &plan)
            )
        }
        None => "legal for all sizes: none of the orders, as one band\n".to_string(),
    };
    Ok(text)
}

/// The graph at the usual sizes, or at smaller ones.
fn small(kernel: &Kernel, program: &polyhedral::Program, flows: &[Flow]) -> Result<(BTreeMap<String, i64>, Graph)> {
    let completed = sample::completed(kernel, BTreeMap::new());
    let usual = |p: &SizeParameter| {
        let given = completed.get(&p.name).and_then(|value| i64::try_from(value.whole()?).ok());
        p.default.or(given).unwrap_or(p.min)
    };
    for shift in 0..32 {
        let halved = |p: &SizeParameter| (usual(p) >> shift).max(p.min).max(usual(p).min(4));
        let sizes: BTreeMap<String, i64> = kernel.parameters.iter().map(|p| (p.name.clone(), halved(p))).collect();
        if kernel.refusal(|name| sizes[name]).is_some() {
            continue;
        }
        let at: Vec<Flow> = flows.iter().map(|flow| flow.at(program, &sizes)).collect::<Result<_>>()?;
        if let Some(graph) = Graph::new(program, &instances(program, &sizes)?, &at, READS)? {
            return Ok((sizes, graph));
        }
    }
    Err(Diagnostic::new(format!("`{}` reads more than {READS} values at its smallest sizes", kernel.name))
        .at(kernel.span, "this kernel")
        .help("placements are compared value by value: make constant bounds sizes, or lower their --min")
        .into())
}

fn cone(cone: &Cone) -> String {
    match cone.angle {
        Some(angle) => format!("{:.0}°", angle.to_degrees()),
        None => format!("{} directions in {} dimensions", cone.directions.len(), cone.dimension),
    }
}

fn list(values: &[i64]) -> String {
    values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")
}

/// `x2, x1 + x2`
fn rows_text(rows: &[Vec<i64>], axes: &[String]) -> String {
    let row = |row: &Vec<i64>| {
        let terms = axes.iter().zip(row).map(|(axis, factor)| Affine::variable(axis) * *factor);
        terms.fold(Affine::default(), |sum, term| sum + term).to_string()
    };
    rows.iter().map(row).collect::<Vec<_>>().join(", ")
}

fn order_text(orders: &[Ordered], axes: &[String]) -> String {
    let (Some(best), Some(worst)) = (orders.first(), orders.last()) else {
        return "\nno order of these dimensions keeps every value before its readers\n".to_string();
    };
    let (along, Peak { in_place, during }) = (rows_text(&best.rows, axes), best.peak);
    format!(
        "\nfewest words: {in_place} in the order {along}, {during} where results take no operand's place; {} in the worst of {}\n",
        worst.peak.in_place,
        orders.len()
    )
}

/// The first of `orders` that is legal with all dependences, those through memory too.
fn judged<'a>(
    program: &polyhedral::Program,
    places: &[Vec<Affine>],
    orders: &'a [Ordered],
) -> Result<Option<(&'a Ordered, BandPlan)>> {
    for order in orders.iter().take(JUDGED) {
        if let Some(plan) = plan(program, places, &order.rows)? {
            return Ok(Some((order, plan)));
        }
    }
    Ok(None)
}

/// The band as a pragma.
fn directive(kernel: &Kernel, program: &polyhedral::Program, plan: &BandPlan) -> String {
    let schedule = |(s, theta): (&StatementId, &Vec<Affine>)| Schedule {
        statement: program.statements[*s].name.clone(),
        theta: theta.clone(),
    };
    let tiling = TilingDirective {
        schedules: plan.statements.iter().zip(&plan.theta).map(schedule).collect(),
        sizes: plan.tileable.iter().map(|tileable| if *tileable { TILE } else { 1 }).collect(),
        strip: 1,
        lanes: None,
        units: None,
        order: None,
        span: kernel.span,
    };
    directive_text(&tiling, kernel)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{self, Source};
    use crate::tiling;

    /// Section 3.5.4.4 of DTSE.
    const EXAMPLE: &str = "#pragma burstc size(N: 5, max 16)
void example(int N, int in[N + 2][N + 2], int a[N + 2][N + 2], int b[N + 2][N + 2])
{
    for (int i = 1; i <= N; i++)
        for (int j = 1; j <= N - i + 1; j++)
            a[i][j] = 2 * in[i][j] + a[i - 1][j];
    for (int q = 1; q <= 1; q++)
        for (int p = 1; p <= N; p++)
            b[p][1] = 3 * a[N - p + 1][p] + a[N - p][p];
    for (int k = 1; k <= N; k++)
        for (int l = 1; l <= k; l++)
            b[k][l + 1] = 5 * b[k][l];
}
";

    fn kernel(text: &str) -> Kernel {
        source::parse(&Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] }).unwrap()
    }

    /// The costs are the chapter's; the directive is read again, and legal.
    #[test]
    fn costs_and_a_directive_are_printed() {
        let text = text(&kernel(EXAMPLE)).unwrap();
        let line = |word: &str| {
            let line = text.lines().find(|line| line.trim_start().starts_with(word)).unwrap();
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line("placed"), "placed 5 38 34 0° (1, 0)");
        assert_eq!(line("S1"), "S1[q, p] -> (N + q - p + 1, p)");
        assert!(line("fewest words").starts_with("fewest words: 2 in the order x2, x1, 3 where"), "{text}");
        let directive = line("#pragma");
        assert!(directive.ends_with("tile(16, 16)"), "{directive}");
        let again = kernel(&EXAMPLE.replacen('\n', &format!("\n{directive}\n"), 1));
        let program = polyhedral::extract(&again).unwrap();
        assert_eq!(tiling::apply(&program, &again, &again.tilings).unwrap().len(), 1);
    }
}
