//! A page per run: one HTML file with everything that burstc knows of it, readable without a network and on paper. Its
//! data are the JSON of `--json`, in a block of its own. Its pictures ([`Pictures`] says what of) are drawn as SVG by `draw`; the script shows what
//! belongs to another tile, and other cycles.

pub mod draw;
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
const SCRIPT: &str = include_str!("page.js");

/// Nothing but what is in the file: no network, no plug-ins, no forms.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; \
    base-uri 'none'; form-action 'none'";

/// Slices of a run's timeline, each at most 50 bytes on the page, and four times as many with banks.
const SLICES: usize = 4096;

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
        if let Some(timeline) = &pictures.timeline {
            body.push_str(&section("timeline", "Timeline", &draw::timeline::html(timeline)));
        }
        if let Some(timeline) = pictures.timeline.as_ref().filter(|timeline| !timeline.banks.is_empty()) {
            let html = draw::banks::html(timeline, &pictures.regions);
            body.push_str(&section("banks", "Banks and rows of the memory", &html));
        }
        body.push_str(&section("source", "The source, and what became of it", &source::listing(self, &pictures)));
        body.push_str(&section("directives", "Directives to paste", &self.directives()));
        body.push_str(&draw::tiles::html(&pictures)?);
        if let Some(lives) = &pictures.lives {
            body.push_str(&section("lives", "Words alive in the buffers", &draw::lives::html(lives, &pictures)));
        }
        if let Some(roofline) = &pictures.roofline {
            body.push_str(&section("roofline", "Roofline", &draw::roofline::html(roofline)));
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
        let style = draw::order::style();
        Ok(document(&format!("{name} on {}", escaped(&self.board.name)), &style, &body, SCRIPT))
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

    /// How load, compute and store spent the run.
    fn processes(&self) -> String {
        let report = self.report.filter(|report| report.cycles > 0);
        report.map_or(String::new(), |own| section("processes", "Where the cycles went", &draw::bars::processes(own)))
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
        parts.into_iter().map(|(what, taken, all)| draw::bars::taken(what, taken, all)).collect()
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

/// A whole file, with a title and a body that are HTML, and what `page.css` does not have.
pub fn document(title: &str, style: &str, body: &str, script: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n\
         <noscript><style>.slide, .of-script {{ display: none; }}</style></noscript>\n</head>\n<body>\n{body}<script>\n{script}</script>\n\
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
    all + &draw::bursts::html(&bus.lengths)
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
