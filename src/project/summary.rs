//! The result of `burstc build`: what the folder holds, as data.

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::offload::Offload;
use crate::project::registers::{Register, registers};
use crate::report::{self, BufferReport, ConditionReport, ParameterReport, TilingReport, buffer_reports, ports};

/// `report.json` of an output folder. The same input gives the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BuildReport {
    pub kernel: String,
    pub board: String,
    pub device: String,
    /// All of the board's profile.
    pub profile: Board,
    /// Version of burstc.
    pub burstc: String,
    /// The module at the top of the Verilog.
    pub top: String,
    pub parameters: Vec<ParameterReport>,
    /// What sizes must satisfy beside their bounds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionReport>,
    pub registers: Vec<Register>,
    pub tiling: TilingReport,
    pub buffers: Vec<BufferReport>,
    /// Where the board has several memory ports, those of the accelerator.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<MasterReport>,
}

/// A memory port of the accelerator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MasterReport {
    /// Its number on the board.
    pub port: u32,
    /// What its signals begin with.
    pub master: String,
    pub arrays: Vec<String>,
}

impl MasterReport {
    /// Nothing where the board has one port.
    pub fn all(offload: &Offload, board: &Board) -> Vec<MasterReport> {
        if board.memory.bus().is_none_or(|bus| bus.ports == 1) {
            return vec![];
        }
        let report = |port| MasterReport { port, master: report::master(port), arrays: ports::arrays(offload, port) };
        offload.ports_used().into_iter().map(report).collect()
    }
}

impl BuildReport {
    pub fn new(offload: &Offload, board: &Board, top: &str) -> BuildReport {
        let kernel = &offload.kernel;
        BuildReport {
            kernel: kernel.name.clone(),
            board: board.name.clone(),
            device: board.device.part.clone(),
            profile: board.clone(),
            burstc: env!("CARGO_PKG_VERSION").to_string(),
            top: top.to_string(),
            parameters: ParameterReport::all(kernel),
            conditions: ConditionReport::all(kernel),
            registers: registers(kernel),
            tiling: TilingReport::new(offload, board),
            buffers: buffer_reports(offload),
            ports: MasterReport::all(offload, board),
        }
    }

    /// Indented JSON with a final newline.
    pub fn to_json(&self) -> serde_json::Result<String> {
        report::json(self)
    }
}
