//! Tables and refusals of the command.

use super::*;
use crate::source::{self, Source};

/// Fig. 4.8 of DTSE.
const FIGURE: &str = "void figure(int in[6][6][3], int A[6][6][3], int B[6][6][3])
{
    for (int i = 0; i <= 5; i++)
        for (int j = 0; j <= 5; j++)
            for (int k = 0; k <= 2; k++) {
                A[i][j][k] = 2 * in[i][j][k];
                if (i >= 1 && j >= 2)
                    B[i][j][k] = 3 * A[i - 1][j - 2][k];
            }
}
";

fn of(text: &str, outer: &[&str], inner: &[&str], basic_sets: bool) -> Result<Document> {
    let kernel = source::parse(&Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] })?;
    let own = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
    let sizes = kernel.parameters.iter().map(|p| (p.name.clone(), p.default.unwrap_or(4))).collect();
    document(&kernel, sizes, &FixedOrder { outer: own(outer), inner: own(inner) }, basic_sets)
}

/// The bounds are counted for the chapter's figure.
#[test]
fn tables_name_part_vector_bounds_and_orders() {
    let text = text(&of(FIGURE, &[], &[], false).unwrap());
    let words = |line: &str| line.split_whitespace().map(String::from).collect::<Vec<_>>().join(" ");
    let lines: Vec<String> = text.lines().map(words).collect();
    assert_eq!(lines[0], "figure: values over i, j, k; 6 orders are legal");
    assert_eq!(lines[3], "A S0 -> S1 5 x 4 x 3 (1, 2, 0) 7 k, i, j 34");
    assert_eq!(lines[4], "skewed 2 k, 2i - j, i");
    assert_eq!(lines[7..], ["A 7 k, i, j 34 19", "all 7 k, i, j 34 19"]);
    let text = super::text(&of(FIGURE, &["k"], &[], false).unwrap());
    assert!(text.starts_with("figure: values over i, j, k; 2 orders are legal, k outermost\n"), "{text}");
}

#[test]
fn orders_that_cannot_be_are_refused() {
    let refused = |outer: &[&str], inner: &[&str]| {
        let error = of(FIGURE, outer, inner, false).err().unwrap();
        let diagnostic = error.downcast_ref::<Diagnostic>().unwrap();
        assert!(diagnostic.span.is_some());
        (diagnostic.message.clone(), diagnostic.help.clone())
    };
    let (message, help) = refused(&["row"], &[]);
    assert_eq!(message, "--outer row: `figure` has no loop of that name");
    assert_eq!(help, "known loops: i, j, k");
    assert_eq!(refused(&["i"], &["i"]).0, "the loop `i` is to have two places in the order");
    let backwards = "#pragma burstc size(N: 5, max 16)
void k(int N, int a[N + 1][N + 1])
{
    for (int i = 1; i < N; i++)
        for (int j = 1; j < N; j++)
            a[i][j] = 3 * a[i - 1][j + 1];
}
";
    let error = of(backwards, &["j"], &[], false).err().unwrap();
    let message = error.downcast_ref::<Diagnostic>().unwrap().message.clone();
    assert_eq!(message, "no order with these loops there keeps every value before its readers");
    assert_eq!(of(backwards, &["i"], &[], false).unwrap().legal_orders, 1);
}

/// Every field is explained.
#[test]
fn the_document_explains_the_fields() {
    fn names(value: &serde_json::Value, found: &mut Vec<String>) {
        match value {
            serde_json::Value::Array(items) => items.iter().for_each(|item| names(item, found)),
            serde_json::Value::Object(members) => {
                for (name, member) in members {
                    found.push(name.clone());
                    names(member, found);
                }
            }
            _ => {}
        }
    }
    let explained = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/JSON.md")).unwrap();
    let section = explained.split("## burstc estimate").nth(1).unwrap().split("\n## ").next().unwrap();
    let document = serde_json::to_value(of(FIGURE, &["k"], &[], true).unwrap()).unwrap();
    assert_eq!(document["schema"], SCHEMA);
    let mut found = vec![];
    names(&document, &mut found);
    assert!(found.len() > 40, "{found:?}");
    for name in found {
        assert!(section.contains(&format!("`{name}`")), "docs/JSON.md says nothing of `{name}`");
    }
}
