//! A page per run: one HTML file with everything that burstc knows of it, readable without a network and on paper. Its
//! data are the JSON of `--json`, in a block of its own; beside it is what the pictures are drawn of ([`Pictures`]).

mod footprint;
pub mod html;
mod lives;
mod order;
mod pictures;
mod roofline;
mod source;

use std::collections::BTreeMap;

use serde_json::Value;

use crate::board::{Board, Memory};
use crate::offload::Offload;
use crate::report::area::{self, Area};
use crate::report::{RunReport, TilingReport, buffer_reports};
use crate::simulate::job::{self, Placement};
use crate::simulate::timeline::Timeline;
use crate::source::program::Program;
use html::{escaped, json_block, table};
pub use lives::{Live, Lives};
pub use order::Order;
pub use pictures::{BufferPicture, Pictures, Region, Tile, TileArray, TileBuffer};
pub use roofline::Roofline;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = concat!(
    "\"use strict\";\n(function () {\n",
    include_str!("script/draw.js"),
    include_str!("script/order.js"),
    include_str!("script/buffers.js"),
    include_str!("script/lives.js"),
    include_str!("script/tiles.js"),
    include_str!("script/banks.js"),
    include_str!("script/timeline.js"),
    include_str!("script/roofline.js"),
    include_str!("script/bursts.js"),
    include_str!("script/page.js"),
    "})();\n"
);

/// Nothing but what is in the file: no network, no plug-ins, no forms.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'";

/// Slices of a run's timeline, each about 30 bytes on the page, and twice as many with banks.
const SLICES: usize = 8192;

/// The place for the timeline, which the script draws.
const TIMELINE: &str = "<p>How many cycles of each slice of time a process is busy, where words of load and store are those on the memory's \
    bus, in and out; below, from where to where each tile is in its hands, the first 2,000 of them.</p>\n\
    <p class=\"slide\"><label>zoom <input id=\"zoom\" type=\"range\" min=\"0\" max=\"100\" value=\"0\"></label> \
    <label>at <input id=\"at\" type=\"range\" min=\"0\" max=\"1000\" value=\"0\"></label> <output id=\"timeline-cycles\"></output></p>\n\
    <div id=\"timeline-picture\" class=\"picture\"></div>\n\
    <p class=\"legend\"><span class=\"part\"><span class=\"key w-busy\"></span>moves words, or computes</span> \
    <span class=\"part\"><span class=\"key w-word\"></span>waits for words</span> \
    <span class=\"part\"><span class=\"key w-value\"></span>waits for values or ports</span> \
    <span class=\"part\"><span class=\"key w-row\"></span>waits for rows</span> \
    <span class=\"part\"><span class=\"key w-tile\"></span>waits for tiles</span> \
    <span class=\"part\"><span class=\"key tile0\"></span><span class=\"key tile1\"></span>tiles, in turn</span></p>\n\
    <noscript><p>The timeline is drawn by a script.</p></noscript>";

/// The place for the banks of a native memory, over the cycles that the timeline shows.
const BANKS: &str = "<p>Of each bank the rows that words were in, and below how many column commands there were per cycle: to a row that had one \
    since it was opened, or the first one after an activate. Zoom and place are those of the timeline above.</p>\n\
    <div id=\"banks-picture\" class=\"picture\"></div>\n\
    <p class=\"legend\"><span class=\"part\"><span class=\"key rows\"></span>rows</span> \
    <span class=\"part\"><span class=\"key w-busy\"></span>hits</span> \
    <span class=\"part\"><span class=\"key w-value\"></span>misses</span> \
    <span class=\"part\"><span class=\"key w-row\"></span>between reading and writing</span> \
    <span class=\"part\"><span class=\"key w-word\"></span>refreshes</span></p>\n\
    <p class=\"legend\" id=\"banks-name\"></p>";

/// The place for the words that are alive.
const LIVES: &str = "<p>Words of each buffer that hold a value which somebody still wants: since it was loaded, before the first iteration of its tile, or \
    written, until it is read or stored for the last time. What is loaded ahead, and what waits to be stored, comes on top of it.</p>\n\
    <div id=\"lives-picture\" class=\"picture pictures\"></div>\n<p class=\"legend\" id=\"lives-name\"></p>";

/// What a page tells of.
pub struct Page<'a> {
    pub program: &'a Program,
    pub offload: &'a Offload,
    pub board: &'a Board,
    /// Of the run, or for want of one those that the kernel is usually run with.
    pub sizes: &'a BTreeMap<String, i64>,
    /// The run's, where there was one.
    pub report: Option<&'a RunReport>,
    /// What its processes did when, where the bench told.
    pub timeline: Option<&'a Timeline>,
    /// Where its arrays lay.
    pub placement: Option<&'a Placement>,
    /// What `--json` gives.
    pub json: &'a str,
    /// What the terminal shows.
    pub text: &'a str,
}

impl Page<'_> {
    /// The whole file; `command` made it, word for word, to be pasted into a shell.
    pub fn html(&self, command: &str) -> serde_json::Result<String> {
        let mut pictures = Pictures::of(self.offload, self.sizes);
        pictures.roofline = self.report.and_then(|r| Roofline::of(self.offload, r, self.sizes));
        let told = self.timeline.filter(|timeline| !timeline.slices.is_empty());
        pictures.timeline = told.map(|timeline| {
            let mut timeline = timeline.clone().within(SLICES);
            // Without the end mark.
            timeline.tiles.truncate(pictures.tile_count as usize);
            timeline
        });
        pictures.regions = self.regions();
        let name = escaped(&self.offload.kernel.name);
        let mut body = self.head(&name);
        body.push_str(&self.processes());
        if pictures.timeline.is_some() {
            body.push_str(&section("timeline", "Timeline", TIMELINE));
        }
        if pictures.timeline.as_ref().is_some_and(|timeline| !timeline.banks.is_empty()) {
            body.push_str(&section("banks", "Banks and rows of the memory", BANKS));
        }
        body.push_str(&section("source", "The source, and what became of it", &source::listing(self, &pictures)));
        body.push_str(&section("directives", "Directives to paste", &self.directives()));
        body.push_str(&tiles(&pictures));
        if pictures.lives.is_some() {
            body.push_str(&section("lives", "Words alive in the buffers", LIVES));
        }
        if pictures.roofline.is_some() {
            body.push_str(&section("roofline", "Roofline", "<div id=\"roofline-picture\" class=\"picture\"></div>"));
        }
        let taken = self.buffers() + &self.taken();
        body.push_str(&section("buffers", "Buffers, and what of the board is taken", &taken));
        if let Some(report) = self.report {
            body.push_str(&section("memory", "Bursts and rows of the memory", &memory(report)));
        }
        body.push_str(&section("report", "The report", &format!("<pre>{}</pre>", escaped(self.text))));
        body.push_str(&self.figures()?);
        let repeat = format!(
            "<pre>{}</pre><p>burstc {}, board {}{}</p>",
            escaped(command),
            env!("CARGO_PKG_VERSION"),
            escaped(&self.board.name),
            self.report.map_or(String::new(), |r| format!(", {}, seed {}", r.simulator, r.seed))
        );
        body.push_str(&section("repeat", "How to repeat it", &repeat));
        body.push_str(&json_block("data", self.json));
        body.push_str(&json_block("pictures", &serde_json::to_string(&pictures)?));
        Ok(document(&format!("{name} on {}", escaped(&self.board.name)), &body, SCRIPT))
    }

    /// What ran, how it ended, and the figures that people look for first.
    fn head(&self, name: &str) -> String {
        let sizes: Vec<String> = match self.report {
            Some(report) => report.arguments.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
            None => self.sizes.iter().map(|(name, value)| format!("{name} = {value}")).collect(),
        };
        let with = if sizes.is_empty() { String::new() } else { format!(" with {}", escaped(&sizes.join(", "))) };
        let mut html =
            format!("<header><h1>{name}{with}</h1><p>{}, on {}</p>\n", self.file(), escaped(&self.board.title));
        let Some(report) = self.report else {
            return html + "<p class=\"verdict\">analysed, not simulated</p></header>\n";
        };
        let verdict = match report.detail.is_empty() {
            true => "pass: every word of memory is as expected".to_string(),
            false => escaped(&report.detail),
        };
        let class = if report.detail.is_empty() { "pass" } else { "fail" };
        html.push_str(&format!("<p class=\"verdict {class}\">{verdict}</p>\n<dl class=\"first\">"));
        let mut figure = |label: &str, value: String| {
            html.push_str(&format!("<div><dt>{label}</dt><dd>{value}</dd></div>"));
        };
        figure("cycles", number(&report.cycles.to_string()));
        figure("time", number(&format!("{:.2}", report.time_us)) + " µs");
        figure("cycles per iteration", format!("{:.3}", report.cycles_per_iteration));
        figure("of the bound", format!("{:.2} ({})", report.bound.share, escaped(&report.bound.limit)));
        if let Some(speedup) = report.speedup {
            figure("over direct accesses", format!("{speedup:.2} ×"));
        }
        html + "</dl></header>\n"
    }

    /// Where the arrays lie in a memory of banks and rows; nothing where there are none, or no run.
    fn regions(&self) -> Vec<Region> {
        let row_bytes = match &self.board.memory {
            Memory::DdrSdram(ddr) => ddr.banks * ddr.page_bytes,
            Memory::SdrSdram(sdr) => sdr.banks * sdr.page_bytes,
            Memory::Axi4(_) | Memory::AvalonMm(_) => return vec![],
        };
        let own =
            self.placement.into_iter().flat_map(|placement| &placement.regions).filter(|own| own.base < own.end());
        let region = |own: &job::Region| Region {
            array: own.name.clone(),
            rows: [own.base / row_bytes, (own.end() - 1) / row_bytes],
        };
        let mut regions: Vec<Region> = own.filter(|own| !own.local).map(region).collect();
        regions.sort_by_key(|region| region.rows);
        regions
    }

    /// The buffers with their mappings, and the block RAMs of each.
    fn buffers(&self) -> String {
        let head = ["array", "mapping", "words", "copies", "block RAMs, estimated"];
        let mut rows = vec![head.map(String::from).to_vec()];
        for (report, buffer) in buffer_reports(self.offload).iter().zip(&self.offload.buffers) {
            let blocks = area::of_buffers(&self.offload.kernel, std::slice::from_ref(buffer), &self.board.device);
            rows.push(vec![
                escaped(&report.array),
                format!("<code>{}</code>", escaped(&report.mapping)),
                number(&report.words.to_string()),
                report.copies.to_string(),
                number(&blocks.to_string()),
            ]);
        }
        table("buffers", &rows)
    }

    fn file(&self) -> String {
        escaped(&crate::printable::on_one_line(&self.program.user.path))
    }

    /// How load, compute and store spent the run, as bars that add up to it.
    fn processes(&self) -> String {
        let Some(report) = self.report.filter(|report| report.cycles > 0) else { return String::new() };
        let own = &report.processes;
        let transfer = |busy: u64, without: u64| {
            let busy = busy.min(report.cycles);
            let without = without.min(busy);
            vec![("moves words", "busy", busy - without), ("waits for words", "word", without)]
        };
        let compute = vec![
            ("computes", "busy", own.compute_busy),
            ("waits for values or ports", "value", own.compute_stall),
            ("waits for rows", "row", own.compute_idle),
        ];
        let all = [
            ("load", transfer(own.load_busy, own.load_without_word)),
            ("compute", compute),
            ("store", transfer(own.store_busy, own.store_without_word)),
        ];
        let mut html = String::new();
        for (process, parts) in all {
            let (mut bars, mut words, mut at) = (String::new(), vec![], 0.0);
            let rest = report.cycles.saturating_sub(parts.iter().map(|part| part.2).sum());
            for (what, class, cycles) in parts.into_iter().chain([("waits for tiles", "tile", rest)]) {
                let share = 100.0 * cycles as f64 / report.cycles as f64;
                if cycles == 0 {
                    continue;
                }
                bars.push_str(&format!("<rect class=\"w-{class}\" x=\"{at:.3}\" width=\"{share:.3}\" height=\"10\"/>"));
                let key = format!("<span class=\"key w-{class}\"></span>");
                words.push(format!("<span class=\"part\">{key}{what} {share:.1} %</span>"));
                at += share;
            }
            html.push_str(&format!(
                "<div class=\"process\"><b>{process}</b><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" \
                 role=\"img\" aria-label=\"{process}\">{bars}</svg><p>{}</p></div>\n",
                words.join(" ")
            ));
        }
        section("processes", "Where the cycles went", &html)
    }

    /// What the design takes of the board, as bars over what there is.
    fn taken(&self) -> String {
        let (device, area) = (&self.board.device, Area::of(self.offload, &self.board.device));
        let bits = TilingReport::new(self.offload, self.board);
        let parts = [
            ("bits of the buffers", bits.buffer_bits, bits.block_ram_bits),
            ("block RAMs, estimated", area.blocks, device.blocks()),
            ("look-up tables, estimated", area.aluts, device.aluts),
            ("multipliers, estimated", area.multipliers, device.dsp_18x18),
        ];
        let bar = |(what, taken, all): (&str, u64, u64)| {
            let share = 100.0 * taken as f64 / all.max(1) as f64;
            let class = if taken > all { "over" } else { "busy" };
            format!(
                "<div class=\"process\" data-taken=\"{taken}\" data-all=\"{all}\">\
                 <svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{what}\">\
                 <rect class=\"w-tile\" width=\"100\" height=\"10\"/>\
                 <rect class=\"w-{class}\" width=\"{:.3}\" height=\"10\"/></svg><p>{} of {} {what} ({share:.1} %), {} free</p></div>\n",
                share.min(100.0),
                number(&taken.to_string()),
                number(&all.to_string()),
                number(&all.saturating_sub(taken).to_string()),
            )
        };
        parts.into_iter().map(bar).collect()
    }

    fn directives(&self) -> String {
        let report = TilingReport::new(self.offload, self.board);
        let chosen = if report.chosen { format!("tiles {}", report.reason()) } else { "as in the source".to_string() };
        format!("<p>{}</p><pre>{}</pre>", escaped(&chosen), escaped(&report.directives.join("\n")))
    }

    /// Every figure of the JSON, by its path.
    fn figures(&self) -> serde_json::Result<String> {
        if self.report.is_none() {
            return Ok(String::new());
        }
        let mut found = vec![];
        let document = serde_json::from_str(self.json)?;
        flatten("", &document, &mut found);
        let rows: Vec<String> = found
            .iter()
            .map(|(path, value)| {
                let shown = match value {
                    Value::Number(value) => number(&value.to_string()),
                    Value::String(text) => escaped(text),
                    other => escaped(&other.to_string()),
                };
                format!("<tr><td>{}</td><td data-field=\"{0}\">{shown}</td></tr>\n", escaped(path))
            })
            .collect();
        let table = format!("<div class=\"wide\"><table class=\"figures\">{}</table></div>", rows.concat());
        Ok(section(
            "figures",
            "All figures",
            &format!("<details open><summary>as --json has them</summary>{table}</details>"),
        ))
    }
}

/// A whole file, with a title and a body that are HTML.
pub fn document(title: &str, body: &str, script: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}<script>\n{script}</script>\n\
         </body>\n</html>\n"
    )
}

pub fn section(id: &str, title: &str, html: &str) -> String {
    format!("<section id=\"{id}\"><h2>{title}</h2>\n{html}</section>\n")
}

/// A number as JSON has it, its integer part in groups of three.
pub fn number(text: &str) -> String {
    let (integer, rest) = text.find(['.', 'e', 'E']).map_or((text, ""), |at| text.split_at(at));
    let (sign, digits) = integer.strip_prefix('-').map_or(("", integer), |digits| ("-", digits));
    let first = digits.len() % 3;
    let mut groups: Vec<&str> = if first > 0 { vec![&digits[..first]] } else { vec![] };
    groups.extend((first..digits.len()).step_by(3).map(|at| &digits[at..at + 3]));
    format!("{sign}{}{rest}", groups.join(","))
}

/// The values of a document with their paths: `ddr.bytes_read`, `buffers[0].words`.
fn flatten<'a>(path: &str, value: &'a Value, found: &mut Vec<(String, &'a Value)>) {
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                let dot = if path.is_empty() { "" } else { "." };
                flatten(&format!("{path}{dot}{name}"), member, found);
            }
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(k, item)| flatten(&format!("{path}[{k}]"), item, found));
        }
        _ => found.push((path.to_string(), value)),
    }
}

/// The place for the pictures of tiles, which the script draws.
fn tiles(pictures: &Pictures) -> String {
    let Some(last) = pictures.shown.len().checked_sub(1) else {
        let html = "<p>There are no tiles at these sizes, or too many to follow.</p>";
        return section("tiles", "Tiles", html);
    };
    let all = pictures.tile_count;
    let shown = match pictures.shown.len() as u64 {
        1 if all == 1 => "The run is one tile.".to_string(),
        shown if shown == all => format!("All {} tiles of the run.", number(&all.to_string())),
        shown => format!("{shown} of the run's {} tiles.", number(&all.to_string())),
    };
    let html = format!(
        "<p>{shown} Load(T) holds what a tile reads and nobody has brought yet, Store(T) what later tiles of the strip do \
         not write again; between them is what stays on chip.</p>\n\
         <p class=\"slide\"><label>tile <input id=\"tile\" type=\"range\" min=\"0\" max=\"{last}\" value=\"0\"></label> \
         <output id=\"tile-name\"></output></p>\n<div id=\"tile-space\" class=\"picture\"></div>\n\
         <p class=\"legend\"><span class=\"part\"><span class=\"key c-load\"></span>loaded</span> \
         <span class=\"part\"><span class=\"key c-reuse\"></span>reused</span> \
         <span class=\"part\"><span class=\"key c-touch\"></span>touched otherwise</span> \
         <span class=\"part\"><span class=\"key c-store\"></span>stored (outlined)</span></p>\n\
         <div id=\"tile-arrays\"></div>\n\
         <h3 id=\"chip\">Where the cells lie on chip</h3>\n<p><output id=\"cell-place\"></output></p>\n<div id=\"tile-buffers\" class=\"pictures\"></div>\n\
         <h3 id=\"order\">The order of the iterations</h3>\n<p class=\"slide\" id=\"order-slide\"><label>date <input id=\"date\" type=\"range\" min=\"0\" max=\"1000\" \
         value=\"1000\"></label> <button id=\"play\" type=\"button\">play</button> <output id=\"date-name\"></output></p>\n\
         <p class=\"legend\"><span class=\"part\">first <span id=\"dates-key\"></span> last</span> \
         <span class=\"part\"><span class=\"key to-come\"></span>still to come</span> \
         <span class=\"part\">iterations that start together have one date</span></p>\n\
         <div id=\"tile-order\" class=\"pictures\"></div>\n<noscript><p>The pictures are drawn by a script.</p></noscript>"
    );
    section("tiles", "Tiles", &html)
}

/// How long bursts on a bus are, or how often a device's rows change.
fn memory(report: &RunReport) -> String {
    let each =
        |all: u64, parts: u64| if parts == 0 { String::new() } else { format!("{:.1}", all as f64 / parts as f64) };
    let count = |value: u64| number(&value.to_string());
    let Some(bus) = &report.bus else {
        let ddr = &report.ddr;
        let head = ["", "row hits", "row misses", "column commands per row", "turnarounds", "refreshes"];
        let row =
            |what: String, hits: u64, misses: u64| vec![what, count(hits), count(misses), each(hits + misses, misses)];
        let mut rows = vec![head.map(String::from).to_vec(), row("all".to_string(), ddr.row_hits, ddr.row_misses)];
        rows[1].extend([count(ddr.turnarounds), count(ddr.refreshes)]);
        let banks = ddr.banks.iter().enumerate();
        rows.extend(banks.map(|(number, bank)| row(format!("bank {number}"), bank.row_hits, bank.row_misses)));
        return table("memory", &rows);
    };
    let row = |what: &str, bursts: u64, beats: u64| vec![what.into(), count(bursts), count(beats), each(beats, bursts)];
    let head = ["", "bursts", "beats", "beats per burst"].map(String::from).to_vec();
    let read = row("read", bus.read_bursts, bus.read_beats);
    let all = table("memory", &[head, read, row("written", bus.write_bursts, bus.write_beats)]);
    if bus.lengths.is_empty() {
        return all;
    }
    let mut rows = vec![["beats", "bursts read", "bursts written"].map(String::from).to_vec()];
    rows.extend(bus.lengths.iter().map(|own| [own.beats, own.read_bursts, own.write_bursts].map(count).to_vec()));
    all + "<p>Bursts by their length in beats:</p>\n<div id=\"bursts-picture\" class=\"picture\"></div>\n\
           <p class=\"legend\"><span class=\"part\"><span class=\"key w-busy\"></span>read</span> \
           <span class=\"part\"><span class=\"key w-value\"></span>written</span></p>\n<details><summary>as a table</summary>"
        + &table("lengths", &rows)
        + "</details>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_groups_and_stay_what_they_are() {
        for (text, shown) in [
            ("0", "0"),
            ("999", "999"),
            ("1000", "1,000"),
            ("-1234567", "-1,234,567"),
            ("1234.56789", "1,234.56789"),
            ("1e-7", "1e-7"),
        ] {
            assert_eq!(number(text), shown);
            assert_eq!(shown.replace(',', ""), text);
        }
    }
}
