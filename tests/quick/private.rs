//! Arguments that every iteration of some loops writes before it reads them: local arrays take their place, and what the last
//! iteration leaves is the caller's.

use burstc::board;
use burstc::choose_lanes::Request;
use burstc::offload::Offload;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use burstc::source::kernel::{Node, Storage};
use burstc::{Options, analyze};

use crate::common::{Data, Rig, Subject};

const BOARD: &str = "generic-axi4";

/// A matrix product row by row, whose row is an argument that is used again: the condition of the loops over its cells, what stands
/// before the products, and what behind the row.
fn text(cells: &str, first: &str, behind: &str) -> String {
    format!(
        "#pragma burstc size(R: 8, max 32) size(Q: 24, max 32) size(P: 20, max 32)
         void k(int R, int Q, int P, float a[32][32][32], float c[32][32], float sum[40])
         {{
             for (int r = 0; r < R; r++)
                 for (int q = 0; q < Q; q++) {{
                     for (int p = 0; {cells}; p++) {{
                         {first}
                         for (int s = 0; s < P; s++)
                             sum[p] += a[r][q][s] * c[s][p];
                     }}
                     for (int p = 0; {cells}; p++)
                         a[r][q][p] = sum[p];
                     {behind}
                 }}
         }}"
    )
}

fn source(text: &str) -> Source {
    Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] }
}

fn options(lanes: i64) -> Options {
    Options { lanes: Some(Request::Count(lanes)), ..Options::default() }
}

fn analyzed(text: &str) -> Offload {
    analyze(&source(text), &board::load(BOARD).unwrap(), &options(1)).unwrap()
}

/// How many statements copy the local array back, and under a condition.
fn copies(offload: &Offload) -> (usize, usize) {
    fn count(nodes: &[Node], conditional: bool, copies: &mut (usize, usize)) {
        for node in nodes {
            match node {
                Node::Loop(inner) => count(&inner.body, conditional, copies),
                Node::If(inner) => count(&inner.body, true, copies),
                // It may be one with another statement of the same loops.
                Node::Statement(own) if own.text.contains("sum[p] = sum_private[p]") => {
                    copies.0 += 1;
                    copies.1 += usize::from(conditional);
                }
                Node::Statement(_) => {}
            }
        }
    }
    let mut copies_of = (0, 0);
    count(&offload.kernel.body, false, &mut copies_of);
    copies_of
}

const SET: &str = "sum[p] = 0.0f;";

/// The last iteration leaves all cells where each writes as many, and the loops end alike: then it alone copies them. Every word is
/// as the C program leaves it, with one lane and with four.
#[test]
fn what_iterations_leave_for_themselves_is_theirs() {
    let all = [
        ("a rectangle", text("p < P", SET, ""), (1, 1)),
        // The last iteration writes the most cells, and the fewest; none of some rows.
        ("more and more", text("p <= q && p < P", SET, ""), (1, 0)),
        ("fewer and fewer", text("p < P - q", SET, ""), (1, 0)),
    ];
    for (what, text, wanted) in all {
        let offload = analyzed(&text);
        assert_eq!(copies(&offload), wanted, "{what}");
        for lanes in [1, 4] {
            let subject = Subject::on(board::load(BOARD).unwrap(), &source(&text), &options(lanes)).unwrap();
            subject.lint(true);
            let mut rig = Rig::of(&subject, Simulator::Icarus, false).unwrap();
            for (seed, set) in [(1, &[("R", 5), ("Q", 6), ("P", 7)][..]), (2, &[("R", 2), ("Q", 8), ("P", 3)])] {
                rig.model.stalls = Some(seed as u32);
                rig.run_on(Data { set, ranges: &[], seed });
            }
            rig.run_on(Data { set: &[("R", 0), ("Q", 4), ("P", 4)], ranges: &[], seed: 3 });
        }
    }
}

/// Where an iteration reads what another one left, or another nest does, the argument stays.
#[test]
fn what_is_handed_on_is_the_argument() {
    let all = [
        ("a first value from the iteration before", text("p < P", "", "")),
        ("cells that are not written first", text("p < P", SET, "a[r][q][31] = sum[P];")),
        ("every other one is written", text("p < P", "if (q != 2) sum[p] = 0.0f;", "")),
        ("written under a condition on data", text("p < P", "if (a[r][q][p] > 0.0f) sum[p] = 0.0f;", "")),
    ];
    for (what, text) in all {
        let offload = analyzed(&text);
        assert_eq!(copies(&offload), (0, 0), "{what}");
        assert!(offload.kernel.arrays.iter().all(|array| array.storage == Storage::Argument), "{what}");
    }
}
