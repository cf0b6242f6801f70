//! What a run found: data first (JSON), then a table for people.

pub mod area;
mod bound;
pub mod count;
pub mod demand;
pub mod expected;
mod mapping;
pub mod ports;
mod table;
mod tiling;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::board::Board;
use crate::hardware::{Beats, port_suffix, status};
use crate::offload::{Offload, Placed};
use crate::simulate::Verdict;
use crate::simulate::bench::MemoryModel;
use crate::simulate::number::Number;
use crate::simulate::simulator::{Counters, PortCounters, Simulator, Waveform};
use crate::source::kernel::{Kernel, SizeCondition, SizeParameter};
pub use bound::Bound;
use count::Work;
use expected::Expected;
pub use mapping::buffer_reports;
pub use tiling::TilingReport;

/// The number of the shape of all JSON that burstc writes: it grows when a field is added, renamed, removed, or changes its
/// meaning. `docs/JSON.md` says what the fields mean, and what changed with each number.
pub const SCHEMA: u32 = 21;

/// Indented JSON with a final newline, whose first field is the number of its shape.
pub fn json(value: &impl Serialize) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct Numbered<'a, T> {
        schema: u32,
        #[serde(flatten)]
        value: &'a T,
    }
    Ok(serde_json::to_string_pretty(&Numbered { schema: SCHEMA, value })? + "\n")
}

/// The result of `burstc run`. Field names and their order are the interface of `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    pub kernel: String,
    pub board: String,
    pub simulator: Simulator,
    pub result: Verdict,
    pub clock_mhz: f64,
    /// From start to done.
    pub cycles: u64,
    /// From start to done.
    pub time_us: f64,
    /// Executions of the loop body.
    pub iterations: u64,
    pub cycles_per_iteration: f64,
    pub ddr: DdrReport,
    /// The bus, if the memory is behind one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<BusReport>,
    /// The direct version of the same kernel on the same data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direct: Option<DirectReport>,
    /// Time of the direct version over the time of the accelerator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speedup: Option<f64>,
    pub tiling: TilingReport,
    pub buffers: Vec<BufferReport>,
    /// From C to Verilog, without simulation.
    pub generate_ms: u64,
    /// Seed of the random data.
    pub seed: u64,
    /// Values of the scalar arguments.
    pub arguments: BTreeMap<String, Number>,
    /// Cycles in which each process was busy, from start to done.
    pub processes: ProcessReport,
    #[serde(default)]
    pub bound: BoundReport,
    #[serde(default)]
    pub estimate: Estimate,
    /// The sizes that the hardware takes.
    #[serde(default)]
    pub parameters: Vec<ParameterReport>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<ConditionReport>,
    /// Where lanes combine floating-point numbers in another order than the C program: the largest difference from what
    /// that leaves, over the largest magnitude in the array.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// What went wrong, in words; empty when the run passed.
    pub detail: String,
}

/// The memory, from start to done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DdrReport {
    /// The memory's kind in one word.
    #[serde(default)]
    pub kind: String,
    pub peak_mb_s: f64,
    /// Bytes that the Load sets name.
    pub bytes_read: u64,
    /// Bytes that the Store sets name.
    pub bytes_written: u64,
    /// (bytes read + bytes written) / (time from start to done x peak).
    pub utilisation: f64,
    /// bytes read / (time in which the load process was busy x peak): what the memory gives while a tile is loaded. Of
    /// a kernel that also stores, it holds the waiting for stores.
    #[serde(default)]
    pub utilisation_loading: f64,
    pub row_hits: u64,
    pub row_misses: u64,
    pub turnarounds: u64,
    pub refreshes: u64,
    /// Row hits and misses of each bank, from number 0 on; none of a memory behind a bus.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub banks: Vec<BankReport>,
    /// Of the whole run, power-up included, and of the direct version's too.
    pub timing_violations: u64,
}

/// A bank of the memory, from start to done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BankReport {
    pub row_hits: u64,
    pub row_misses: u64,
}

/// Bursts of one length, of all ports, from start to done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthReport {
    pub beats: u64,
    pub read_bursts: u64,
    pub write_bursts: u64,
}

/// A bus, from start to done, and the memory behind it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BusReport {
    pub kind: String,
    /// Of each direction.
    pub data_bits: u32,
    pub peak_mb_s: f64,
    /// What the simulated memory was: cycles to the first data, per cent of the cycles with data, seed of back-pressure.
    pub latency: u32,
    pub bandwidth: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalls: Option<u32>,
    /// Bytes of the Load sets over (time from start to done x peak of all ports that the accelerator has).
    pub read_utilisation: f64,
    /// Bytes of the Store sets over the same.
    pub write_utilisation: f64,
    pub read_bursts: u64,
    pub read_beats: u64,
    pub write_bursts: u64,
    pub write_beats: u64,
    /// The lengths that bursts had, in ascending order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lengths: Vec<LengthReport>,
    /// What moved through each port, where the accelerator has several.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ports: Vec<PortReport>,
    /// Error responses: bit 0 SLVERR and bit 1 DECERR to a read, bits 2 and 3 to a write.
    pub status: u64,
}

/// A memory port of the accelerator, from start to done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortReport {
    /// Its number on the board.
    pub port: u32,
    /// What its signals begin with.
    pub master: String,
    pub arrays: Vec<String>,
    /// Bytes of its arrays' Load sets over (time from start to done x peak of a port).
    pub read_utilisation: f64,
    /// Bytes of their Store sets over the same.
    pub write_utilisation: f64,
    pub read_bursts: u64,
    pub read_beats: u64,
    pub write_bursts: u64,
    pub write_beats: u64,
}

impl PortReport {
    /// Those of `counters`; `moved` are the bytes of the sets by the number of the port, `utilisation` what bytes are of a port.
    fn all(
        offload: &Offload,
        counters: &Counters,
        moved: &[ports::Moved],
        utilisation: &dyn Fn(u64) -> f64,
    ) -> Vec<PortReport> {
        let report = |(port, counters): (u32, &PortCounters)| {
            let [read, written] = moved.get(port as usize).copied().unwrap_or_default();
            PortReport {
                port,
                master: master(port),
                arrays: ports::arrays(offload, port),
                read_utilisation: utilisation(read),
                write_utilisation: utilisation(written),
                read_bursts: counters.read_bursts,
                read_beats: counters.reads,
                write_bursts: counters.write_bursts,
                write_beats: counters.writes,
            }
        };
        offload.ports_used().into_iter().zip(&counters.ports).map(report).collect()
    }
}

/// What the signals of an AXI4 port begin with.
pub fn master(port: u32) -> String {
    format!("m_axi{}", port_suffix(port))
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DirectReport {
    pub cycles: u64,
    pub time_us: f64,
    /// Time per read or write of an array element in the source.
    pub ns_per_access: f64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferReport {
    pub array: String,
    /// `a[i, k] -> [i mod 32, k mod 64]`
    pub mapping: String,
    /// Elements of the array that the buffer holds.
    pub words: i64,
    /// Memories that hold all of it, for reads in one cycle.
    pub copies: usize,
    /// Words under successive modulo, where a lattice takes fewer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub successive_words: Option<i64>,
    /// Of all its memories those that lie in a kind of block RAM which tools have to be told of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub placed: Option<Placed>,
    /// A bit in each word tells whether data had it written; what memory has of the others stays.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub masked: bool,
}

impl BufferReport {
    /// `, 6 copies, 5 of them in UltraRAM`, or `, each with a written bit`, behind the words.
    pub fn memories(&self) -> String {
        let copies = if self.copies > 1 { format!(", {} copies", self.copies) } else { String::new() };
        let of = |Placed { kind, memories, .. }: &Placed| match self.copies {
            1 => format!(", in {kind}"),
            _ => format!(", {memories} of them in {kind}"),
        };
        let bit = if self.masked { ", each with a written bit" } else { "" };
        copies + &self.placed.as_ref().map_or(String::new(), of) + bit
    }
}

/// A size parameter: one Verilog serves every value from `min` to `max`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParameterReport {
    pub name: String,
    #[serde(default)]
    pub min: i64,
    pub max: Option<i64>,
    pub default: Option<i64>,
}

impl ParameterReport {
    pub fn all(kernel: &Kernel) -> Vec<ParameterReport> {
        let report =
            |p: &SizeParameter| ParameterReport { name: p.name.clone(), min: p.min, max: p.max, default: p.default };
        kernel.parameters.iter().map(report).collect()
    }
}

/// What sizes must satisfy beside their bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConditionReport {
    /// `N >= 9`
    pub condition: String,
    pub reason: String,
    /// In the source.
    pub line: usize,
}

impl ConditionReport {
    pub fn all(kernel: &Kernel) -> Vec<ConditionReport> {
        let report =
            |c: &SizeCondition| ConditionReport { condition: c.text(), reason: c.reason.clone(), line: c.span.line };
        kernel.domain.iter().map(report).collect()
    }
}

/// Cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessReport {
    pub load_busy: u64,
    pub compute_busy: u64,
    /// An iteration waits for values under way, or for a port that is lent to a transfer.
    pub compute_stall: u64,
    pub store_busy: u64,
    /// Busy, but without a word: the memory has the next one not yet, or the buffers cannot take it.
    #[serde(default)]
    pub load_without_word: u64,
    #[serde(default)]
    pub store_without_word: u64,
    /// There is no iteration: no tile is there, or no row of it.
    #[serde(default)]
    pub compute_idle: u64,
}

/// What was expected of a run before it ([`Expected`]): each with what stands alone of the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Estimate {
    /// The iterations of every band with rows that are short and values that are waited for.
    pub compute_cycles: u64,
    /// The rows of the Load and Store sets.
    pub memory_cycles: u64,
}

impl Estimate {
    pub fn of(offload: &Offload, board: &Board, sizes: &BTreeMap<String, i64>) -> Estimate {
        let expected = Expected::of(offload, board, sizes);
        let [compute_cycles, memory_cycles] = [expected.computing(), expected.moving()].map(|own| own.round() as u64);
        Estimate { compute_cycles, memory_cycles }
    }

    /// Of the run: computation and memory overlap.
    pub fn cycles(&self) -> u64 {
        self.compute_cycles.max(self.memory_cycles)
    }
}

/// The cycles that memory, datapath and dependences would each allow ([`Bound`]), and what was reached of the largest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BoundReport {
    #[serde(flatten)]
    pub cycles: Bound,
    /// The largest of them: `memory`, `datapath` or `dependences`.
    pub limit: String,
    /// That over the cycles of the run.
    pub share: f64,
}

/// Where a run left its files, for the table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Places {
    pub verilog: Option<PathBuf>,
    pub waveform: Option<(Waveform, PathBuf)>,
    /// For GTKWave.
    pub view: Option<PathBuf>,
    pub json: Option<PathBuf>,
    pub html: Option<PathBuf>,
}

/// Everything that [`RunReport::new`] puts together.
pub struct Facts<'a> {
    pub offload: &'a Offload,
    pub board: &'a Board,
    pub simulator: Simulator,
    pub verdict: Verdict,
    pub detail: String,
    pub counters: &'a Counters,
    /// How the memory behind a bus behaved.
    pub memory: MemoryModel,
    pub direct: Option<&'a Counters>,
    pub work: Work,
    /// Bytes by the number of the memory port, where there are several.
    pub moved: Vec<ports::Moved>,
    pub bound: Bound,
    pub estimate: Estimate,
    pub seed: u64,
    pub arguments: BTreeMap<String, Number>,
    pub generate_ms: u64,
    /// See [`RunReport::difference`].
    pub difference: Option<f64>,
}

impl RunReport {
    pub fn new(facts: Facts) -> RunReport {
        let Facts { offload, board, counters, work, .. } = facts;
        let time_us = |cycles: u64| cycles as f64 / board.clock_mhz;
        let direct = facts.direct.map(|direct| DirectReport {
            cycles: direct.cycles,
            time_us: time_us(direct.cycles),
            ns_per_access: ratio(1000.0 * time_us(direct.cycles), work.accesses as f64),
        });
        let bytes = (work.bytes_read + work.bytes_written) as f64;
        let word = Beats::of(offload, board.memory.link()).word;
        // Ports move their words side by side.
        let busiest =
            |direction: usize, all: u64| facts.moved.iter().map(|moved| moved[direction]).max().unwrap_or(all);
        let words = [busiest(0, work.bytes_read), busiest(1, work.bytes_written)].map(|bytes| word.holding(bytes));
        let ports = offload.ports_used().len() as u64;
        let banks = counters
            .banks
            .iter()
            .map(|[row_hits, row_misses]| BankReport { row_hits: *row_hits, row_misses: *row_misses });
        let lengths = counters.lengths.iter().map(|[beats, read_bursts, write_bursts]| LengthReport {
            beats: *beats,
            read_bursts: *read_bursts,
            write_bursts: *write_bursts,
        });
        RunReport {
            kernel: offload.kernel.name.clone(),
            board: board.name.clone(),
            simulator: facts.simulator,
            result: facts.verdict,
            clock_mhz: board.clock_mhz,
            cycles: counters.cycles,
            time_us: time_us(counters.cycles),
            iterations: work.iterations,
            cycles_per_iteration: ratio(counters.cycles as f64, work.iterations as f64),
            ddr: DdrReport {
                kind: board.memory.name().to_string(),
                peak_mb_s: board.memory.peak_mb_s(),
                bytes_read: work.bytes_read,
                bytes_written: work.bytes_written,
                // Megabytes per second are bytes per microsecond.
                utilisation: ratio(bytes, time_us(counters.cycles) * board.memory.peak_mb_s()),
                utilisation_loading: ratio(
                    work.bytes_read as f64,
                    time_us(counters.load_busy) * board.memory.peak_mb_s(),
                ),
                row_hits: counters.row_hits,
                row_misses: counters.row_misses,
                turnarounds: counters.turnarounds,
                refreshes: counters.refreshes,
                banks: banks.collect(),
                timing_violations: counters.timing_violations + facts.direct.map_or(0, |d| d.timing_violations),
            },
            bus: board.memory.bus().map(|port| {
                let utilisation = |bytes: u64| ratio(bytes as f64, time_us(counters.cycles) * port.peak_mb_s);
                BusReport {
                    kind: board.memory.name().to_string(),
                    data_bits: port.data_bits,
                    peak_mb_s: port.peak_mb_s,
                    latency: facts.memory.latency.unwrap_or(port.latency),
                    bandwidth: facts.memory.bandwidth.unwrap_or(100),
                    stalls: facts.memory.stalls,
                    read_utilisation: utilisation(work.bytes_read) / ports as f64,
                    write_utilisation: utilisation(work.bytes_written) / ports as f64,
                    read_bursts: counters.read_bursts,
                    read_beats: counters.reads,
                    write_bursts: counters.write_bursts,
                    write_beats: counters.writes,
                    lengths: lengths.collect(),
                    ports: PortReport::all(offload, counters, &facts.moved, &utilisation),
                    status: status::bus_errors(counters.status),
                }
            }),
            speedup: direct.as_ref().map(|direct| ratio(direct.cycles as f64, counters.cycles as f64)),
            direct,
            tiling: TilingReport::new(offload, board),
            buffers: buffer_reports(offload),
            generate_ms: facts.generate_ms,
            seed: facts.seed,
            arguments: facts.arguments,
            processes: ProcessReport {
                load_busy: counters.load_busy,
                compute_busy: counters.compute_busy,
                compute_stall: counters.compute_stall,
                store_busy: counters.store_busy,
                load_without_word: counters.load_busy.saturating_sub(words[0]),
                store_without_word: counters.store_busy.saturating_sub(words[1]),
                compute_idle: counters.cycles.saturating_sub(counters.compute_busy + counters.compute_stall),
            },
            bound: BoundReport {
                cycles: facts.bound,
                limit: facts.bound.largest().0.to_string(),
                share: ratio(facts.bound.largest().1 as f64, counters.cycles as f64),
            },
            estimate: facts.estimate,
            parameters: ParameterReport::all(&offload.kernel),
            conditions: ConditionReport::all(&offload.kernel),
            difference: facts.difference,
            detail: facts.detail,
        }
    }

    /// Indented JSON with a final newline.
    pub fn to_json(&self) -> serde_json::Result<String> {
        json(self)
    }

    /// The table for people.
    pub fn table(&self, places: &Places) -> String {
        table::render(self, places)
    }
}

/// 0 where nothing was done, so that JSON holds a number.
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::affine::Affine;
    use crate::ids::ArrayId;
    use crate::offload::{Buffer, Mapping, Scan};
    use crate::source::kernel::{Array, ScalarType, Storage};

    fn offload() -> Offload {
        let extents = vec![Affine::constant(64), Affine::constant(64)];
        let array = Array::new("a".into(), ScalarType::I32, extents, Storage::Argument, Default::default());
        Offload {
            kernel: Kernel {
                name: "matmul".into(),
                span: Default::default(),
                arguments: vec![],
                parameters: vec![],
                scalars: vec![],
                host: vec![],
                domain: vec![],
                obligations: vec![],
                reassociates: false,
                keeps_stores: false,
                without_masks: false,
                uses: None,
                has_wires: false,
                panels: Default::default(),
                ports: Default::default(),
                arrays: vec![array].into(),
                body: vec![],
                quotients: vec![],
                made: Default::default(),
                beyond: vec![],
                tilings: vec![],
            },
            bands: Default::default(),
            tiles: Scan { pieces: vec![] },
            source_order: Scan { pieces: vec![] },
            buffers: vec![Buffer::new(
                ArrayId(0),
                vec![Some(Mapping::successive(vec![32, 64], vec![32, 64], 1))].into(),
            )],
            windows: vec![],
            strips_depend: false,
            written: vec![],
            lanes_note: None,
            units_note: None,
            strips_note: None,
            ports: Default::default(),
        }
    }

    fn report(direct: bool) -> RunReport {
        let counters = Counters { cycles: 1_000, load_busy: 500, row_hits: 7, ..Default::default() };
        let slow = Counters { cycles: 8_000, timing_violations: 1, ..Default::default() };
        RunReport::new(Facts {
            offload: &offload(),
            board: &crate::board::load("stratix2-ddr400").unwrap(),
            simulator: Simulator::Verilator,
            memory: MemoryModel::default(),
            verdict: Verdict::Pass,
            detail: String::new(),
            counters: &counters,
            direct: direct.then_some(&slow),
            work: Work { iterations: 500, starts: 500, accesses: 1_000, bytes_read: 1_500, bytes_written: 500 },
            moved: vec![],
            bound: Bound { memory: 500, datapath: 450, dependences: 12, dependences_whole: true, ..Bound::default() },
            estimate: Estimate { compute_cycles: 900, memory_cycles: 500 },
            seed: 1,
            arguments: BTreeMap::from([("N".to_string(), Number::Whole(8))]),
            generate_ms: 12,
            difference: None,
        })
    }

    #[test]
    fn figures_follow_from_their_definitions() {
        let report = report(true);
        assert_eq!(report.time_us, 10.0);
        assert_eq!(report.cycles_per_iteration, 2.0);
        // 2000 bytes in 10 us are 200 MB/s.
        assert_eq!(report.ddr.utilisation, 0.5);
        // 1500 bytes in 5 us.
        assert_eq!(report.ddr.utilisation_loading, 0.75);
        assert_eq!(report.direct.as_ref().unwrap().ns_per_access, 80.0);
        assert_eq!(report.speedup, Some(8.0));
        assert_eq!(report.ddr.timing_violations, 1);
        assert_eq!(report.buffers[0].mapping, "a[x0, x1] -> [x0 mod 32, x1 mod 64]");
        assert_eq!(report.buffers[0].words, 2048);
    }

    #[test]
    fn json_has_the_promised_names_in_their_order() {
        let json = report(true).to_json().unwrap();
        let names = [
            "kernel",
            "board",
            "simulator",
            "result",
            "clock_mhz",
            "cycles",
            "time_us",
            "iterations",
            "cycles_per_iteration",
            "ddr",
            "peak_mb_s",
            "bytes_read",
            "bytes_written",
            "utilisation",
            "utilisation_loading",
            "row_hits",
            "row_misses",
            "turnarounds",
            "refreshes",
            "timing_violations",
            "direct",
            "cycles",
            "time_us",
            "ns_per_access",
            "speedup",
            "buffers",
            "array",
            "mapping",
            "words",
            "generate_ms",
        ];
        let mut rest = json.as_str();
        for name in names {
            let key = format!("\"{name}\":");
            let at = rest.find(&key).unwrap_or_else(|| panic!("{name} is missing or out of order in {json}"));
            rest = &rest[at + key.len()..];
        }
        assert!(json.contains("\"simulator\": \"verilator\"") && json.contains("\"result\": \"pass\""), "{json}");
        let back: RunReport = serde_json::from_str(&json).unwrap();
        assert_eq!(back, report(true));
    }

    #[test]
    fn without_direct_neither_direct_nor_speedup() {
        let json = report(false).to_json().unwrap();
        assert!(!json.contains("\"direct\"") && !json.contains("\"speedup\""), "{json}");
    }

    #[test]
    fn table_tells_every_figure() {
        let places = Places { waveform: Some((Waveform::Vcd, "out.vcd".into())), ..Default::default() };
        let table = report(true).table(&places);
        for part in [
            "matmul with N = 8 on stratix2-ddr400",
            "1,000 = 10.00 us at 100 MHz",
            "500, 2.000 cycles each",
            "50.0 % of 400 MB/s: 1,500 bytes read, 500 bytes written",
            "75.0 % while loading",
            "8,000 cycles = 80.00 us, 80.0 ns per access",
            "8.00 over direct accesses",
            "2,048 words",
            "out.vcd",
        ] {
            assert!(table.contains(part), "{part} is not in\n{table}");
        }
    }
}
