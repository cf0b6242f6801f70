//! Operations per byte, and what port, datapath and dependences allow.

use std::collections::BTreeMap;

use crate::ids::ArrayId;
use crate::offload::Offload;
use crate::report::RunReport;
use crate::report::count;
use crate::source::kernel::{Expr, Statement};

/// Operations are those of the C program: arithmetic, comparisons, choices; no conversions, no addresses.
#[derive(Clone, Debug, PartialEq)]
pub struct Roofline {
    pub operations: u64,
    /// Bytes per cycle that port and memory allow for what this run reads and writes.
    pub port: f64,
    /// Operations per cycle that datapath and dependences allow this design, whatever the memory.
    pub datapath: f64,
    pub dependences: f64,
    /// The run, the bound on it, and with `--direct` the direct version.
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    pub name: String,
    /// Read and written.
    pub bytes: u64,
    pub cycles: u64,
    /// Operations over bytes, and over cycles.
    pub per_byte: f64,
    pub per_cycle: f64,
}

impl Roofline {
    /// Of a run that moved and computed something.
    pub fn of(offload: &Offload, report: &RunReport, sizes: &BTreeMap<String, i64>) -> Option<Roofline> {
        let iterations = count::iterations(offload, sizes);
        let statements = offload.kernel.statements();
        let each = |statement: &Statement| statement.values().map(operations).sum::<u64>();
        let operations =
            statements.iter().zip(&iterations).map(|(s, times)| times.saturating_mul(each(s))).sum::<u64>();
        let bytes = report.ddr.bytes_read + report.ddr.bytes_written;
        if operations == 0 || bytes == 0 || report.cycles == 0 {
            return None;
        }
        let point = |name: &str, bytes: u64, cycles: u64| Point {
            name: name.to_string(),
            bytes,
            cycles,
            per_byte: operations as f64 / bytes.max(1) as f64,
            per_cycle: operations as f64 / cycles.max(1) as f64,
        };
        let bound = &report.bound.cycles;
        let mut points = vec![point("this run", bytes, report.cycles), point("bound", bytes, bound.largest().1)];
        if let Some(direct) = &report.direct {
            let width = |array: ArrayId| u64::from(offload.kernel.arrays[array].element.bytes());
            let own = |(statement, times): (&&Statement, &u64)| {
                let gathered = statement.gathers().into_iter().map(|gather| gather.array);
                let arrays = statement.accesses().map(|access| access.array).chain(gathered);
                times * arrays.map(width).sum::<u64>()
            };
            points.push(point("direct", statements.iter().zip(&iterations).map(own).sum(), direct.cycles));
        }
        let most = |cycles: u64| operations as f64 / cycles.max(1) as f64;
        Some(Roofline {
            operations,
            port: bytes as f64 / bound.memory.max(1) as f64,
            datapath: most(bound.datapath),
            dependences: most(bound.dependences),
            points,
        })
    }
}

/// Operators of an expression that compute something.
fn operations(value: &Expr) -> u64 {
    let own = matches!(value, Expr::Unary { .. } | Expr::Binary { .. } | Expr::Select { .. });
    u64::from(own) + value.operands().into_iter().map(operations).sum::<u64>()
}
