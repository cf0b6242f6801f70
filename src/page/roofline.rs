//! Operations per byte, and what port, datapath and dependences allow.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::offload::Offload;
use crate::report::RunReport;
use crate::report::count;
use crate::source::kernel::Expr;

/// Operations are those of the C program: arithmetic, comparisons, choices; no conversions, no addresses.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Roofline {
    pub operations: u64,
    /// Bytes per cycle of the board's port; of a bus in each direction.
    pub port: f64,
    /// Operations per cycle that datapath and dependences allow this design, whatever the memory.
    pub datapath: f64,
    pub dependences: f64,
    /// The run, the bound on it, and with `--direct` the direct version.
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub name: String,
    /// Over the port; of a bus in the direction that moves more.
    pub bytes: u64,
    pub cycles: u64,
    /// Operations over bytes, and over cycles.
    pub per_byte: f64,
    pub per_cycle: f64,
}

impl Roofline {
    /// Of a run that moved and computed something.
    pub fn of(offload: &Offload, board: &Board, report: &RunReport, sizes: &BTreeMap<String, i64>) -> Option<Roofline> {
        let iterations = count::iterations(offload, sizes);
        let statements = offload.kernel.statements();
        let each = |statement: &crate::source::kernel::Statement| statement.values().map(operations).sum::<u64>();
        let operations =
            statements.iter().zip(&iterations).map(|(s, times)| times.saturating_mul(each(s))).sum::<u64>();
        let busier = |read: u64, written: u64| if report.bus.is_some() { read.max(written) } else { read + written };
        let bytes = busier(report.ddr.bytes_read, report.ddr.bytes_written);
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
            let width = |array: crate::ids::ArrayId| u64::from(offload.kernel.arrays[array].element.bytes());
            let (mut read, mut written) = (0, 0);
            for (statement, times) in statements.iter().zip(&iterations) {
                read += times * statement.reads().iter().map(|access| width(access.array)).sum::<u64>();
                written += times * statement.targets().map(|access| width(access.array)).sum::<u64>();
            }
            points.push(point("direct", busier(read, written), direct.cycles));
        }
        let most = |cycles: u64| operations as f64 / cycles.max(1) as f64;
        let peak = report.bus.as_ref().map_or(report.ddr.peak_mb_s, |bus| bus.peak_mb_s);
        Some(Roofline {
            operations,
            port: peak / board.clock_mhz,
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
