//! The designs as a page: a plot of cycles over logic and one over block RAM, and the front as a table. One file that needs no
//! network, in the manner of [`crate::page`].

use serde::Serialize;
use svg::Node as _;
use svg::node::element::{Circle, SVG, Title};

use super::{Candidate, Row, Summary};
use crate::page::draw::{Anchor, line, picture, short as short_length, text};
use crate::page::html::{escaped, json_block, table};
use crate::page::{document, number, section};

const SCRIPT: &str = include_str!("explore.js");

/// Points of a plot; of more, those that were not simulated are left out.
const MOST: usize = 3000;

/// Width and height of a plot, and the room for its axes.
const SIZE: [f64; 2] = [560.0, 380.0];
const EDGE: f64 = 56.0;
/// Right of the plot: half of the last number below it, which is larger on a phone.
const RIGHT: f64 = 28.0;

/// What a page tells of.
pub struct Page<'a> {
    pub summary: &'a Summary<'a>,
    /// All designs that can be made.
    pub rows: &'a [Row],
    /// What the terminal shows.
    pub text: &'a str,
}

/// A design, for the script.
#[derive(Serialize)]
struct Shown {
    place: usize,
    figures: String,
    directives: Vec<String>,
}

/// One of the two plots.
struct Plot {
    title: &'static str,
    part: fn(&Candidate) -> f64,
}

impl Page<'_> {
    /// The whole file; `command` made it, word for word.
    ///
    /// # Errors
    /// None for texts and numbers.
    pub fn html(&self, command: &str) -> serde_json::Result<String> {
        let Summary { kernel, board, sizes, front, .. } = self.summary;
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by_key(|row| (row.simulated.is_none(), row.candidate.place));
        rows.truncate(MOST);
        let name = escaped(kernel);
        let with = if sizes.is_empty() { String::new() } else { format!(" with {}", escaped(sizes)) };
        let mut body = format!("<header><h1>Designs of {name}{with}</h1><p>on {}</p>\n", escaped(&board.title));
        body.push_str(&format!("<p>{}</p></header>\n", escaped(&self.summary.counts())));
        let plots = [
            Plot { title: "logic, part of the board's look-up tables or multipliers", part: |own| own.logic },
            Plot { title: "block RAM, part of the board's blocks or bits", part: |own| own.memory },
        ];
        let drawn: String = plots.iter().map(|plot| self.plot(plot, &rows)).collect();
        let legend = "<p class=\"legend\"><span class=\"part\"><span class=\"key c-touch\"></span>estimated</span> \
            <span class=\"part\"><span class=\"key c-load\"></span>simulated</span> \
            <span class=\"part\"><span class=\"key c-reuse\"></span>on the front</span> \
            <span class=\"part\"><span class=\"key chosen\"></span>chosen by a click</span> \
            <span class=\"part\">with a ring: what <code>burstc run</code> does</span></p>\n";
        let hint = "<div id=\"shown\"><p>A click or a tap on a design shows its directives.</p></div>\n";
        body.push_str(&section(
            "plots-of-designs",
            "Cycles and area",
            &format!("<div id=\"plots\" class=\"picture\">{drawn}</div>\n{legend}{hint}"),
        ));
        body.push_str(&section("front", "The front", &self.front(front)));
        body.push_str(&section("table", "As in the terminal", &format!("<pre>{}</pre>", escaped(self.text))));
        let repeat = format!("<pre>{}</pre><p>burstc {}</p>", escaped(command), env!("CARGO_PKG_VERSION"));
        body.push_str(&section("repeat", "How to repeat it", &repeat));
        let shown: Vec<Shown> = rows
            .iter()
            .map(|row| Shown { place: row.candidate.place, figures: figures(row), directives: row.text() })
            .collect();
        body.push_str(&json_block("designs", &serde_json::to_string(&shown)?));
        Ok(document(&format!("designs of {name} on {}", escaped(&board.name)), "", &body, SCRIPT))
    }

    fn front(&self, front: &[Row]) -> String {
        let port = self.summary.board.memory.bus().map(|_| "port bits");
        let head = ["cycles", "estimated", "bytes", "ALUTs", "DSP", "block RAMs", "bits in them"];
        let head = head.into_iter().chain(port).chain(["is", "directives"]);
        let candidates: Vec<Candidate> = front.iter().map(|row| row.candidate).collect();
        let row = |row: &Row| -> Vec<String> {
            let own = &row.estimate;
            let simulated = row.simulated.as_ref().map_or("-".to_string(), |own| number(&own.cycles.to_string()));
            let bytes = own.bytes.map_or("-".to_string(), |bytes| number(&bytes.to_string()));
            let of = [own.aluts, own.multipliers, own.block_rams, own.block_ram_bits];
            let of = of.map(|value| number(&value.to_string()));
            let begin = [simulated, number(&own.cycles.to_string()), bytes];
            let end = [row.marks(&candidates).join(", "), format!("<pre>{}</pre>", escaped(&row.text().join("\n")))];
            let ports = port.map(|_| number(&own.port_bits.to_string()));
            begin.into_iter().chain(of).chain(ports).chain(end).collect()
        };
        let head = head.map(str::to_string).collect();
        table("front", &[head].into_iter().chain(front.iter().map(row)).collect::<Vec<_>>())
    }

    fn plot(&self, plot: &Plot, rows: &[&Row]) -> String {
        let across = Axis::of(rows.iter().map(|row| (plot.part)(&row.candidate)), EDGE, SIZE[0] - RIGHT);
        let up = Axis::of(rows.iter().map(|row| row.cycles() as f64), SIZE[1] - EDGE, 16.0);
        let mut svg = axes(&across, &up).set("role", "group").set("aria-label", format!("cycles over {}", plot.title));
        // What is on the front lies over what is not.
        let mut order: Vec<&&Row> = rows.iter().collect();
        order.sort_by_key(|row| (self.is_on_front(row), row.simulated.is_some()));
        for row in order {
            let [x, y] = [across.at((plot.part)(&row.candidate)), up.at(row.cycles() as f64)];
            svg.append(self.design(row).set("cx", short_length(x)).set("cy", short_length(y)));
        }
        format!("<figure><figcaption>cycles over {}</figcaption>\n{svg}</figure>\n", plot.title)
    }

    fn is_on_front(&self, row: &Row) -> bool {
        self.summary.front.iter().any(|own| own.candidate.place == row.candidate.place)
    }

    /// A design as a point, which a click or the keyboard shows.
    fn design(&self, row: &Row) -> Circle {
        let mut class = "design".to_string();
        for (holds, name) in [
            (row.simulated.is_some(), " simulated"),
            (self.is_on_front(row), " front"),
            (row.directives.is_empty(), " run"),
        ] {
            class.push_str(if holds { name } else { "" });
        }
        let own = Circle::new().set("class", class).set("data-place", row.candidate.place).set("r", 5);
        own.set("tabindex", 0).set("role", "button").add(Title::new(figures(row)))
    }
}

/// A plot without its points.
fn axes(across: &Axis, up: &Axis) -> SVG {
    let mut svg = picture("", SIZE);
    for value in up.ticks(30.0) {
        svg.append(text(EDGE - 6.0, up.at(value) + 4.0, Anchor::End, &short(value)));
    }
    for value in across.ticks(80.0) {
        // As it is written: no 0.8999999999999999.
        let part = format!("{} %", (1e6 * value).round() / 1e4);
        svg.append(text(short_length(across.at(value)), SIZE[1] - EDGE + 22.0, Anchor::Middle, &part));
    }
    let (low, left, right) = (SIZE[1] - EDGE + 2.0, EDGE - 2.0, SIZE[0] - RIGHT);
    svg.append(line("axis", format!("M{left} 16V{low}H{right}")).set("fill", "none"));
    svg
}

/// What a design takes, on one line.
fn figures(row: &Row) -> String {
    let own = &row.estimate;
    let count = |value: u64| number(&value.to_string());
    let cycles = match &row.simulated {
        Some(seen) => format!("{} cycles simulated, {} estimated", count(seen.cycles), count(own.cycles)),
        None => format!("{} cycles estimated", count(own.cycles)),
    };
    let bytes = own.bytes.map_or(String::new(), |bytes| format!(", {} bytes", count(bytes)));
    let [aluts, multipliers, blocks, bits] =
        [own.aluts, own.multipliers, own.block_rams, own.block_ram_bits].map(count);
    let ports = if own.port_bits == 0 { String::new() } else { format!(", {} bits of ports", count(own.port_bits)) };
    format!("{cycles}{bytes}; {aluts} ALUTs, {multipliers} DSP, {blocks} block RAMs, {bits} bits{ports}")
}

/// A tick in few letters: `500k`, `2M`.
fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let unit = units.into_iter().find(|(unit, _)| value >= *unit);
    unit.map_or(value.to_string(), |(unit, letter)| format!("{}{letter}", value / unit))
}

/// Logarithms from one place to another.
struct Axis {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Axis {
    fn of(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Axis {
        let positive = || values.clone().filter(|value| *value > 0.0);
        let least = positive().fold(f64::INFINITY, f64::min);
        let most = positive().fold(0.0, f64::max);
        match most > 0.0 {
            true => Axis { least: least / 1.1, most: most * 1.1, from, to },
            false => Axis { least: 0.5, most: 1.0, from, to },
        }
    }

    /// Nothing lies at the begin.
    fn at(&self, value: f64) -> f64 {
        let along = (value.max(self.least) / self.least).ln() / (self.most / self.least).ln();
        self.from + along * (self.to - self.from)
    }

    /// Powers of ten, twos and fives of them, as many as stand so far apart.
    fn ticks(&self, apart: f64) -> Vec<f64> {
        let powers = (self.least.log10().floor() as i32)..=(self.most.log10().ceil() as i32);
        // Written and read, so that 0.03 is no 0.030000000000000002.
        let value = |digit: u8, power: i32| format!("{digit}e{power}").parse().unwrap_or(0.0);
        let ticks = |digits: &[u8]| -> Vec<f64> {
            let all = powers.clone().flat_map(|power| digits.iter().map(move |digit| value(*digit, power)));
            all.filter(|value| (self.least..=self.most).contains(value)).collect()
        };
        let few = [&[1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[1, 2, 5], &[1, 3], &[1]].map(ticks);
        let is_apart = |all: &&Vec<f64>| all.windows(2).all(|two| (self.at(two[1]) - self.at(two[0])).abs() >= apart);
        let fitting = few.iter().find(is_apart);
        fitting.unwrap_or(&few[3]).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_ticks_between_their_ends() {
        let axis = Axis::of([100.0, 5000.0].into_iter(), 0.0, 300.0);
        assert_eq!(axis.ticks(20.0), [100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]);
        // 300 for a factor of 60.5: 160 for one of nine.
        assert_eq!(axis.ticks(60.0), [100.0, 300.0, 1000.0, 3000.0]);
        assert_eq!(axis.ticks(100.0), [100.0, 1000.0]);
        assert!(axis.at(100.0) > 0.0 && axis.at(100.0) < 10.0 && axis.at(5000.0) < 300.0);
        assert_eq!(axis.at(0.0), 0.0);
        let narrow = Axis::of([0.031, 0.034].into_iter(), 0.0, 1.0);
        assert_eq!(narrow.ticks(0.1), [0.03]);
        assert_eq!([800.0, 5000.0, 1e6, 2e9].map(short), ["800", "5k", "1M", "2G"]);
        // Nothing at all is no reason to fail.
        assert!(Axis::of([0.0].into_iter(), 0.0, 1.0).at(0.7).is_finite());
    }
}
