//! The JSON that burstc writes keeps its shape: every field that appears in it is listed under the number of its schema.

use std::collections::{BTreeMap, BTreeSet};

use burstc::offload::Placed;
use burstc::project::BuildReport;
use burstc::report::count::Work;
use burstc::report::{self, Bound, Estimate, Facts, RunReport, SCHEMA};
use burstc::simulate::Verdict;
use burstc::simulate::bench::MemoryModel;
use burstc::simulate::number::Number;
use burstc::simulate::simulator::{Counters, PortCounters, Simulator};
use burstc::source::Source;
use burstc::{Options, analyze, board};
use serde_json::Value;

use crate::common::root;

/// Where the fields of a schema are listed: `document structure.field`, a line each, sorted.
fn list(schema: u32) -> String {
    format!("tests/quick/json_schema_{schema}.txt")
}

/// Kernels that between them have every sort of loop, statement, buffer and register.
const KERNELS: &str = "gaps guards windows lanes_fir lanes_dot seidel local_arrays host_scalars conditions quotients \
    negative_quotients typed_bounds float_arithmetic logic float_lanes jacobi_1d offsets dead_stores lanes_grid_triangle \
    table_fir uses gather_rows scatter histogram_hashed slices slices_halo orders csr_float relu_out \
    units_records mvt equalize";

/// The pairs of a structure and a field in it; a structure is called as the field that holds it. Names of the user's, in
/// `arguments` and `terms`, count as one.
fn fields(document: &str, structure: &str, value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| fields(document, structure, item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                let name = if ["arguments", "terms"].contains(&structure) { "*" } else { name };
                found.insert(format!("{document} {structure}.{name}"));
                fields(document, name, member, found);
            }
        }
        _ => {}
    }
}

fn all_fields() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut add = |document: &str, json: String| {
        let value: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["schema"], SCHEMA, "{document}");
        assert!(json.starts_with("{\n  \"schema\": "), "{document} begins with another field");
        fields(document, "", &value, &mut found);
    };
    let bus = board::load("generic-axi4").unwrap();
    let several = bus.clone().with_ports(4).unwrap();
    let boards = board::names().into_iter().map(|name| board::load(name).unwrap()).collect::<Vec<_>>();
    for name in KERNELS.split_whitespace() {
        let source = Source::read(&root(&format!("tests/kernels/{name}.c")), vec![]).unwrap();
        // An array that somebody has put on a port.
        let (bus, ports) = if name == "lanes_fir" { (&several, vec![("x".to_string(), 1)]) } else { (&bus, vec![]) };
        let ports = ports.into_iter().collect();
        let options = Options { allow_reassociation: true, ports, ..Options::default() };
        let mut offload = analyze(&source, bus, &options).unwrap_or_else(|error| panic!("{name}: {error:#}"));
        add("analyze", report::json(&offload).unwrap());
        offload.lanes_note = Some("a note".to_string());
        let [kind, style] = ["UltraRAM", "ultra"].map(String::from);
        offload.buffers[0].placed = Some(Placed { kind, style, memories: 1 });
        add("analyze", report::json(&offload).unwrap());
        let ports = vec![PortCounters::default(); 4];
        let counters = Counters { ports, banks: vec![[0; 2]; 4], lengths: vec![[16, 1, 1]], ..Counters::default() };
        let run = RunReport::new(Facts {
            offload: &offload,
            board: bus,
            simulator: Simulator::Icarus,
            memory: MemoryModel { stalls: Some(1), ..MemoryModel::default() },
            verdict: Verdict::Pass,
            detail: String::new(),
            counters: &counters,
            direct: Some(&counters),
            work: Work::default(),
            moved: vec![[1, 2]; 4],
            bound: Bound::default(),
            estimate: Estimate::default(),
            seed: 1,
            arguments: BTreeMap::from([("N".to_string(), Number::Whole(8))]),
            generate_ms: 12,
            difference: Some(0.5),
        });
        add("run", run.to_json().unwrap());
        for board in &boards {
            add("build", BuildReport::new(&offload, board, "top").to_json().unwrap());
        }
    }
    found
}

/// After a change of the JSON: raise `SCHEMA`, say in docs/JSON.md what changed, and write the list of the new number with
/// BURSTC_BLESS=1. Lists of older numbers stay as they are.
#[test]
fn a_change_of_the_json_raises_its_number() {
    let found: String = all_fields().into_iter().map(|field| field + "\n").collect();
    let path = root(&list(SCHEMA));
    if std::env::var_os("BURSTC_BLESS").is_some() && !path.exists() {
        std::fs::write(&path, &found).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let (known, found): (BTreeSet<&str>, BTreeSet<&str>) = (known.lines().collect(), found.lines().collect());
    let added: Vec<_> = found.difference(&known).collect();
    let removed: Vec<_> = known.difference(&found).collect();
    assert!(added.is_empty() && removed.is_empty(), "schema {SCHEMA}: added {added:#?}, removed {removed:#?}");
    assert!(!root(&list(SCHEMA + 1)).exists());
}

/// Every field of the reports, and of the analysis' own structures, is explained; every number has its paragraph.
#[test]
fn the_documents_explain_the_fields() {
    let text = std::fs::read_to_string(root("docs/JSON.md")).unwrap();
    for number in 1..=SCHEMA {
        assert!(text.contains(&format!("\n### {number}\n")), "what schema {number} changed");
    }
    let all = all_fields();
    let top = all.iter().filter(|field| field.starts_with("run ") || field.contains(" ."));
    for field in top {
        let (structure, name) = field.split_once(' ').unwrap().1.split_once('.').unwrap();
        let explained = name == "*" || text.contains(&format!("`{name}`"));
        assert!(explained, "docs/JSON.md says nothing of `{name}` in `{structure}`");
    }
}
