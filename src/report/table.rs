//! The report as a table: labels on the left, figures with their units on the right.

use std::fmt::Write as _;
use std::path::Path;

use super::{BusReport, DdrReport, ParameterReport, Places, RunReport};
use crate::simulate::Verdict;
use crate::simulate::number::Number;
use crate::simulate::simulator::Waveform;

/// Width of the labels on the left.
const LABEL: usize = 16;

pub fn render(report: &RunReport, places: &Places) -> String {
    let mut table = Table::default();
    result(&mut table, report);
    time(&mut table, report);
    processes(&mut table, report);
    memory(&mut table, report);
    choices(&mut table, report);
    table.row("generated in", &format!("{} ms", grouped(report.generate_ms)));
    let mut place = |label: &str, path: &Option<std::path::PathBuf>| {
        if let Some(path) = path {
            table.row(label, &shown(path));
        }
    };
    place("Verilog", &places.verilog);
    if let Some((format, path)) = &places.waveform {
        place(if *format == Waveform::Vcd { "VCD" } else { "FST" }, &Some(path.clone()));
    }
    place("view", &places.view);
    place("JSON", &places.json);
    place("page", &places.html);
    table.text
}

/// What was run, and whether memory is as it should be.
fn result(table: &mut Table, report: &RunReport) {
    let arguments: Vec<String> = report.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let with = if arguments.is_empty() { String::new() } else { format!(" with {}", arguments.join(", ")) };
    table.line(&format!("{}{with} on {} ({}, seed {})", report.kernel, report.board, report.simulator, report.seed));
    table.gap();
    let result = match report.result {
        Verdict::Pass if report.difference.is_some() => {
            "pass: every word of memory is as the C program's operations leave it in the order of the lanes"
        }
        Verdict::Pass => "pass: every word of memory is as the C program leaves it",
        _ => report.detail.as_str(),
    };
    table.row("result", result);
    if let Some(difference) = report.difference {
        let share = format!("{difference:.1e} of the array's largest magnitude");
        table.row("", &format!("with --allow-reassociation, results differ from the C program's by up to {share}"));
    }
}

/// A part of the run's cycles in percent.
fn share(report: &RunReport, cycles: u64) -> String {
    match report.cycles {
        0 => "0 %".to_string(),
        all => format!("{} %", fixed(100.0 * cycles as f64 / all as f64, 1)),
    }
}

/// Cycles and iterations.
fn time(table: &mut Table, report: &RunReport) {
    let clock = trimmed(report.clock_mhz, 3);
    table.row("cycles", &format!("{} = {} us at {clock} MHz", grouped(report.cycles), fixed(report.time_us, 2)));
    let each = fixed(report.cycles_per_iteration, 3);
    let has_several = report.tiling.lanes.is_some() || report.tiling.units.is_some();
    let per_cycle = match report.cycles {
        1.. if has_several => format!(" ({} per cycle)", fixed(report.iterations as f64 / report.cycles as f64, 2)),
        _ => String::new(),
    };
    table.row("iterations", &format!("{}, {each} cycles each{per_cycle}", grouped(report.iterations)));
}

/// What the processes did, what bounds them, and what they waited for.
fn processes(table: &mut Table, report: &RunReport) {
    let share = |cycles| share(report, cycles);
    let processes = &report.processes;
    table.row(
        "busy",
        &format!(
            "load {}, compute {} (stalled {}), store {}",
            share(processes.load_busy),
            share(processes.compute_busy),
            share(processes.compute_stall),
            share(processes.store_busy)
        ),
    );
    bound(table, report);
    let idle = |busy: u64| share(report.cycles.saturating_sub(busy));
    table.row(
        "waits",
        &format!(
            "load {} for tiles, {} for words; store {} for tiles, {} for words",
            idle(processes.load_busy),
            share(processes.load_without_word),
            idle(processes.store_busy),
            share(processes.store_without_word)
        ),
    );
    let compute = (share(processes.compute_idle), share(processes.compute_stall));
    table.row("", &format!("compute {} for rows, {} for values and ports", compute.0, compute.1));
}

/// What limits the run, and what was estimated for it.
fn bound(table: &mut Table, report: &RunReport) {
    let cycles = |what: &str, cycles: u64| format!("{what} {}", grouped(cycles));
    let bound = &report.bound.cycles;
    let at_least = if bound.dependences_whole { "dependences" } else { "dependences at least" };
    table.row(
        "bound",
        &format!(
            "{} of what the {} would allow; cycles of {}, {}, {}",
            fixed(report.bound.share, 2),
            report.bound.limit,
            cycles("the memory", bound.memory),
            cycles("the datapath", bound.datapath),
            cycles(at_least, bound.dependences)
        ),
    );
    let estimate = &report.estimate;
    let expected = match report.cycles {
        0 => String::new(),
        all => format!(": {} of the run's", fixed(estimate.cycles() as f64 / all as f64, 2)),
    };
    table.row(
        "estimate",
        &format!(
            "{}, {}{expected}",
            cycles("cycles of the computation", estimate.compute_cycles),
            cycles("the memory", estimate.memory_cycles)
        ),
    );
}

/// What went to memory and came from there, and how long word by word would take.
fn memory(table: &mut Table, report: &RunReport) {
    match &report.bus {
        None => ddr(table, report),
        Some(bus) => self::bus(table, bus, &report.ddr),
    }
    if let Some(direct) = &report.direct {
        table.row(
            "direct accesses",
            &format!(
                "{} cycles = {} us, {} ns per access",
                grouped(direct.cycles),
                fixed(direct.time_us, 2),
                fixed(direct.ns_per_access, 1)
            ),
        );
    }
    if let Some(speedup) = report.speedup {
        table.row("speed-up", &format!("{} over direct accesses", fixed(speedup, 2)));
    }
}

/// What was chosen: bounds of sizes, tiles, lanes, buffers.
fn choices(table: &mut Table, report: &RunReport) {
    // What people need not guess: a size may be anything from 0 to its bound otherwise.
    let bounded: Vec<String> = report.parameters.iter().filter(|p| p.min > 0).map(bounds).collect();
    let conditions = report.conditions.iter().map(|c| format!("{}: {}", c.condition, c.reason));
    let sizes = (!bounded.is_empty()).then(|| bounded.join(", "));
    for (index, line) in sizes.into_iter().chain(conditions).enumerate() {
        table.row(if index == 0 { "sizes" } else { "" }, &line);
    }
    if report.tiling.chosen {
        table.row("tiles", &report.tiling.reason());
        report.tiling.directives.iter().for_each(|directive| table.row("", directive));
    }
    if let Some(lanes) = &report.tiling.lanes {
        table.row("lanes", &format!("{}{}", lanes.text(grouped), other_sizes(report)));
        if lanes.reassociates {
            table.row("", "they combine floating-point numbers in another order: results may differ");
        }
        lanes.reason.iter().for_each(|reason| table.row("", &format!("chosen: {reason}")));
    }
    if let Some(units) = &report.tiling.units {
        table.row("units", &units.text());
        units.reason.iter().for_each(|reason| table.row("", &format!("chosen: {reason}")));
    }
    let width = report.buffers.iter().map(|buffer| buffer.mapping.chars().count()).max().unwrap_or(0);
    for (index, buffer) in report.buffers.iter().enumerate() {
        let label = if index == 0 { "buffers" } else { "" };
        let words = |words: i64| grouped(words.max(0) as u64);
        let instead = buffer.successive_words.map_or(String::new(), |s| format!(", {} by successive modulo", words(s)));
        let memories = buffer.memories();
        table.row(label, &format!("{:<width$}  {:>8} words{memories}{instead}", buffer.mapping, words(buffer.words)));
    }
}

/// `N from 1 to 64`
/// The usual sizes, for which lanes are chosen, where the run has others: ` (with N = 64)`.
fn other_sizes(report: &RunReport) -> String {
    let usual = |p: &ParameterReport| p.default.or(p.max).unwrap_or(1);
    let is_such =
        |p: &ParameterReport| report.arguments.get(&p.name).is_none_or(|own| *own == Number::Whole(usual(p).into()));
    if report.parameters.iter().all(is_such) {
        return String::new();
    }
    let sizes: Vec<String> = report.parameters.iter().map(|p| format!("{} = {}", p.name, usual(p))).collect();
    format!(" (with {})", sizes.join(", "))
}

fn bounds(parameter: &ParameterReport) -> String {
    let to = parameter.max.map_or("on".to_string(), |max| format!("to {max}"));
    format!("{} from {} {to}", parameter.name, parameter.min)
}

fn ddr(table: &mut Table, report: &RunReport) {
    let ddr = &report.ddr;
    table.row(
        &ddr.kind,
        &format!(
            "{} % of {} MB/s: {} bytes read, {} bytes written",
            fixed(100.0 * ddr.utilisation, 1),
            trimmed(ddr.peak_mb_s, 1),
            grouped(ddr.bytes_read),
            grouped(ddr.bytes_written)
        ),
    );
    table.row(
        "",
        &format!(
            "{} % while loading; row hits {}, row misses {}, turnarounds {}, refreshes {}, timing violations {}",
            fixed(100.0 * ddr.utilisation_loading, 1),
            grouped(ddr.row_hits),
            grouped(ddr.row_misses),
            grouped(ddr.turnarounds),
            grouped(ddr.refreshes),
            grouped(ddr.timing_violations)
        ),
    );
}

fn bus(table: &mut Table, bus: &BusReport, ddr: &DdrReport) {
    table.row(
        &bus.kind,
        &format!(
            "{}{} bits, read {} %, write {} % of {} MB/s each: {} bytes read, {} bytes written",
            if bus.ports.is_empty() { String::new() } else { format!("{} ports of ", bus.ports.len()) },
            bus.data_bits,
            fixed(100.0 * bus.read_utilisation, 1),
            fixed(100.0 * bus.write_utilisation, 1),
            trimmed(bus.peak_mb_s * bus.ports.len().max(1) as f64, 1),
            grouped(ddr.bytes_read),
            grouped(ddr.bytes_written)
        ),
    );
    table.row(
        "",
        &format!(
            "{} beats in {} read bursts, {} in {} write bursts, protocol violations {}",
            grouped(bus.read_beats),
            grouped(bus.read_bursts),
            grouped(bus.write_beats),
            grouped(bus.write_bursts),
            grouped(ddr.timing_violations)
        ),
    );
    for port in &bus.ports {
        table.row(
            "",
            &format!(
                "port {}, {}: read {} %, write {} %; {} beats in {} read bursts, {} in {} write bursts",
                port.port,
                port.arrays.join(", "),
                fixed(100.0 * port.read_utilisation, 1),
                fixed(100.0 * port.write_utilisation, 1),
                grouped(port.read_beats),
                grouped(port.read_bursts),
                grouped(port.write_beats),
                grouped(port.write_bursts)
            ),
        );
    }
    let bandwidth =
        if bus.bandwidth < 100 { format!(", data in {} % of the cycles", bus.bandwidth) } else { String::new() };
    let stalls = bus.stalls.map_or(String::new(), |seed| format!(", back-pressure from seed {seed}"));
    table.row("", &format!("memory with a latency of {} cycles{bandwidth}{stalls}", bus.latency));
}

#[derive(Default)]
struct Table {
    text: String,
}

impl Table {
    fn line(&mut self, text: &str) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.text, "{text}");
    }

    fn gap(&mut self) {
        self.text.push('\n');
    }

    fn row(&mut self, label: &str, value: &str) {
        self.line(format!("  {label:<LABEL$}  {value}").trim_end());
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// `1234567` as `1,234,567`.
fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let first = (digits.len() - 1) % 3 + 1;
    let mut text = digits[..first].to_string();
    for start in (first..digits.len()).step_by(3) {
        text.push(',');
        text.push_str(&digits[start..start + 3]);
    }
    text
}

/// With so many decimals, and the integer part grouped.
fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.split_once('.') {
        Some((integer, fraction)) => match integer.parse() {
            Ok(integer) => format!("{}.{fraction}", grouped(integer)),
            Err(_) => text,
        },
        None => text,
    }
}

/// With at most so many decimals.
fn trimmed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(1000), "1,000");
        assert_eq!(grouped(12_345_678), "12,345,678");
        assert_eq!(fixed(2885.456, 2), "2,885.46");
        assert_eq!(trimmed(100.0, 3), "100");
        assert_eq!(trimmed(133.25, 3), "133.25");
    }
}
