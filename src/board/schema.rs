//! What a profile may hold: every key with its range and unit. Profiles are checked against these tables before anything
//! reads them, because their values become parameters of Verilog, and their texts lines of constraints, scripts and
//! Makefiles.

use std::ops::RangeInclusive;

use toml::de::{DeTable, DeValue};

use crate::offload::MOST_PORTS;
use crate::suggest;
use crate::word::Word;

/// What a key may hold.
pub enum Rule {
    /// A whole number in a range, with its unit or what the range comes from.
    Whole(RangeInclusive<u64>, &'static str),
    /// A power of two in a range.
    Power(RangeInclusive<u64>, &'static str),
    /// A number in a range.
    Real(RangeInclusive<f64>, &'static str),
    Text(&'static Text),
    OneOf(&'static [&'static str]),
    /// So many of one kind.
    List(RangeInclusive<usize>, &'static Rule),
    Table(&'static [Field]),
    /// A table whose other keys follow from its key `kind`.
    Kinds(&'static [(&'static str, &'static [Field])]),
}

pub struct Field {
    pub key: &'static str,
    pub rule: Rule,
    pub optional: bool,
}

/// Which characters a text may have, so that it is one word or line in every file that it goes into.
pub struct Text {
    /// In words.
    characters: &'static str,
    allowed: fn(char) -> bool,
    longest: usize,
}

/// A breach: the byte of the profile's text where it is, and what is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    pub at: usize,
    pub message: String,
}

const fn field(key: &'static str, rule: Rule) -> Field {
    Field { key, rule, optional: false }
}

const NAME: Text = Text {
    characters: "letters, digits, `-`, `_` and `.`",
    allowed: |c| c.is_ascii_alphanumeric() || "-_.".contains(c),
    longest: 64,
};

/// Goes into comments of SDC, QSF, Tcl, Verilog and Makefiles, and into a plain scalar of YAML.
const TITLE: Text = Text {
    characters: "letters, digits, blanks and , . + - _ / ( ) & @",
    allowed: |c| c.is_alphanumeric() || " ,.+-_/()&@".contains(c),
    longest: 120,
};

const WORDS: Text = Text {
    characters: "letters, digits, blanks and . + - _",
    allowed: |c| c.is_ascii_alphanumeric() || " .+-_".contains(c),
    longest: 40,
};

const PART: Text = Text {
    characters: "letters, digits, `-` and `_`",
    allowed: |c| c.is_ascii_alphanumeric() || "-_".contains(c),
    longest: 40,
};

const SITE: Text = Text { characters: "letters and digits", allowed: |c| c.is_ascii_alphanumeric(), longest: 8 };

const PIN: Rule = Rule::Text(&SITE);

/// The whole profile.
pub const PROFILE: &[Field] = &[
    field("name", Rule::Text(&NAME)),
    field("title", Rule::Text(&TITLE)),
    field("clock_mhz", CLOCK),
    field("device", Rule::Table(DEVICE)),
    field("memory", Rule::Kinds(MEMORY)),
    Field { key: "pins", rule: Rule::Table(PINS), optional: true },
];

const CLOCK: Rule = Rule::Real(1.0..=1000.0, "MHz");

const DEVICE: &[Field] = &[
    field("toolchain", Rule::OneOf(&["any", "quartus", "vivado", "nextpnr-ecp5"])),
    field("family", Rule::Text(&WORDS)),
    field("part", Rule::Text(&PART)),
    field("aluts", Rule::Whole(1..=100_000_000, "look-up tables")),
    field("registers", Rule::Whole(1..=100_000_000, "flip-flops")),
    field("dsp_18x18", Rule::Whole(0..=1_000_000, "multipliers")),
    field("block_ram", Rule::List(1..=16, &Rule::Table(BLOCK_RAM))),
];

const BLOCK_RAM: &[Field] = &[
    field("kind", Rule::Text(&WORDS)),
    field("count", Rule::Whole(1..=1_000_000, "blocks")),
    field("bits", Rule::Whole(64..=1_000_000_000, "bits of a block")),
    field("max_width", Rule::Whole(1..=4096, "bits of a word")),
    Field { key: "min_width", rule: Rule::Whole(1..=4096, "bits of a word"), optional: true },
    Field { key: "style", rule: Rule::Text(&PART), optional: true },
];

const MEMORY: &[(&str, &[Field])] =
    &[("ddr-sdram", DDR_SDRAM), ("sdr-sdram", SDR_SDRAM), ("axi4", AXI4), ("avalon-mm", AVALON_MM)];

/// The controller is for one x8 device of four banks with pages of 1 KB; its row addresses have 12 bits.
const DDR_SDRAM: &[Field] = &[
    field("capacity_bytes", Rule::Power(8192..=1 << 24, "bytes")),
    field("clock_mhz", Rule::Real(125.0..=200.0, "MHz, DDR-266 to DDR-400")),
    field("data_bits", Rule::Whole(8..=8, "bits, as the controller drives one x8 device")),
    PEAK,
    field("address_width", Rule::Whole(11..=22, "bits")),
    BANKS,
    field("rows", Rule::Power(2..=4096, "rows")),
    PAGE_BYTES,
    field("timing", Rule::Table(DDR_TIMING)),
];

/// The geometry that the cells of both native controllers are for.
const BANKS: Field = field("banks", Rule::Whole(4..=4, "banks, as the controller knows"));
const PAGE_BYTES: Field = field("page_bytes", Rule::Whole(1024..=1024, "bytes, as the controller knows"));

/// What the controller counts and the models of PHY and device have.
const DDR_TIMING: &[Field] = &[
    field("cas", Rule::Whole(3..=3, "clocks, as the models of PHY and device have")),
    field("rcd", CLOCKS),
    field("rp", CLOCKS),
    field("ras", CLOCKS),
    field("ras_max", Rule::Whole(100..=1_000_000, "clocks of the memory")),
    field("rc", CLOCKS),
    field("rfc", CLOCKS),
    field("rrd", CLOCKS),
    field("wr", Rule::Whole(1..=27, "clocks of the memory")),
    field("wtr", Rule::Whole(1..=27, "clocks of the memory")),
    field("mrd", CLOCKS),
    field("refi", Rule::Whole(32..=100_000, "clocks of the memory")),
];

const CLOCKS: Rule = Rule::Whole(1..=30, "clocks of the memory");

/// As DDR, with 13 bits of row address.
const SDR_SDRAM: &[Field] = &[
    field("capacity_bytes", Rule::Power(8192..=1 << 25, "bytes")),
    field("clock_mhz", CLOCK),
    field("data_bits", Rule::Whole(16..=16, "bits, as the controller drives one x16 device")),
    PEAK,
    field("address_width", Rule::Whole(11..=23, "bits")),
    BANKS,
    field("rows", Rule::Power(2..=8192, "rows")),
    PAGE_BYTES,
    field("timing", Rule::Table(SDR_TIMING)),
];

const SDR_TIMING: &[Field] = &[
    field("cas", Rule::Whole(2..=3, "clocks")),
    field("clock_ns", Rule::Real(1.0..=100.0, "ns")),
    field("rcd_ns", NANOSECONDS),
    field("rp_ns", NANOSECONDS),
    field("ras_ns", NANOSECONDS),
    field("ras_max_ns", Rule::Real(1000.0..=1e7, "ns")),
    field("rc_ns", NANOSECONDS),
    field("rfc_ns", NANOSECONDS),
    field("rrd_ns", NANOSECONDS),
    field("wr_ns", NANOSECONDS),
    field("mrd_ns", NANOSECONDS),
    field("init_us", Rule::Real(1.0..=500.0, "us")),
    field("refresh_ms", Rule::Real(0.1..=1000.0, "ms")),
];

const NANOSECONDS: Rule = Rule::Real(1.0..=1000.0, "ns");

/// Widths that a bus may have.
pub const BUS_BITS: RangeInclusive<u64> = Word::PORT.bits() as u64..=512;

const AXI4: &[Field] = &[
    field("capacity_bytes", Rule::Whole(4096..=1 << 32, "bytes")),
    field("data_bits", Rule::Power(BUS_BITS, "bits")),
    PEAK,
    PEAK_TOTAL,
    field("address_bits", Rule::Whole(16..=32, "bits")),
    field("burst", Rule::Power(2..=256, "beats")),
    field("latency", Rule::Whole(1..=10_000, "cycles")),
    Field { key: "ports", rule: Rule::Whole(PORTS, "ports"), optional: true },
];

/// As [`AXI4`], but for the ports: there is one.
const AVALON_MM: &[Field] = match AXI4.split_last() {
    Some((_, one_port)) => one_port,
    None => &[],
};

/// Ports that a board may have.
pub const PORTS: RangeInclusive<u64> = 1..=MOST_PORTS as u64;

/// Clock and width give it: up to 512 bits at 1 GHz.
const PEAK: Field = field("peak_mb_s", Rule::Real(0.1..=1e6, "MB/s"));

/// Of the memory behind a bus.
const PEAK_TOTAL: Field = field("peak_total_mb_s", Rule::Real(0.1..=1e6, "MB/s"));

const PINS: &[Field] = &[
    field("oscillator", PIN),
    field("oscillator_mhz", Rule::Real(1.0..=400.0, "MHz")),
    field("start", PIN),
    field("ready", PIN),
    field("busy", PIN),
    field("done", PIN),
    field("keep_high", PIN),
    field("sdram", Rule::Table(SDRAM_PINS)),
];

const SDRAM_PINS: &[Field] = &[
    field("clk", PIN),
    field("cke", PIN),
    field("csn", PIN),
    field("rasn", PIN),
    field("casn", PIN),
    field("wen", PIN),
    field("ba", Rule::List(2..=2, &PIN)),
    field("a", Rule::List(13..=13, &PIN)),
    field("dqm", Rule::List(2..=2, &PIN)),
    field("d", Rule::List(16..=16, &PIN)),
];

/// Checks a profile. The first breach, in the order of the tables above but for unknown keys, which come first.
pub fn check(profile: &DeTable) -> Result<(), Fault> {
    check_table(profile, PROFILE, "", 0)
}

/// `path` names the table and ends in a point, or is empty; `at` is where it begins.
fn check_table(table: &DeTable, fields: &[Field], path: &str, at: usize) -> Result<(), Fault> {
    for key in table.keys() {
        let name = key.get_ref().as_ref();
        if fields.iter().all(|field| field.key != name) {
            let place = if path.is_empty() { String::new() } else { format!("[{}] ", &path[..path.len() - 1]) };
            let known = suggest::known("keys", name, fields.iter().map(|field| field.key));
            return Err(Fault {
                at: key.span().start,
                message: format!("unknown key {place}{}; {known}", quoted(name)),
            });
        }
    }
    for field in fields {
        let path = format!("{path}{}", field.key);
        match table.get(field.key) {
            Some(value) => check_value(value.get_ref(), &field.rule, &path, value.span().start)?,
            None if field.optional => {}
            None => return Err(Fault { at, message: format!("{path} is missing; {}", field.rule.wanted()) }),
        }
    }
    Ok(())
}

fn check_value(value: &DeValue, rule: &Rule, path: &str, at: usize) -> Result<(), Fault> {
    let holds = match (rule, value) {
        (Rule::Whole(range, _), DeValue::Integer(_)) => whole(value).is_some_and(|v| range.contains(&v)),
        (Rule::Power(range, _), DeValue::Integer(_)) => {
            whole(value).is_some_and(|v| range.contains(&v) && v.is_power_of_two())
        }
        (Rule::Real(range, _), DeValue::Integer(_) | DeValue::Float(_)) => {
            real(value).is_some_and(|v| range.contains(&v))
        }
        (Rule::Text(text), DeValue::String(string)) => text.holds(string),
        (Rule::OneOf(words), DeValue::String(string)) => words.contains(&string.as_ref()),
        (Rule::List(length, rule), DeValue::Array(items)) if length.contains(&items.len()) => {
            for (index, item) in items.iter().enumerate() {
                check_value(item.get_ref(), rule, &format!("{path}[{index}]"), item.span().start)?;
            }
            true
        }
        (Rule::Table(fields), DeValue::Table(table)) => return check_table(table, fields, &format!("{path}."), at),
        (Rule::Kinds(kinds), DeValue::Table(table)) => {
            let names: Vec<&'static str> = kinds.iter().map(|(name, _)| *name).collect();
            let kind = table.get("kind").map(|kind| (kind.get_ref().as_str().unwrap_or_default(), kind.span().start));
            let Some((_, fields)) = kinds.iter().find(|(name, _)| kind.is_some_and(|(kind, _)| kind == *name)) else {
                let (word, at) = kind.unwrap_or(("", at));
                let known = suggest::known("kinds", word, names);
                return Err(Fault { at, message: format!("{path}.kind is {}; {known}", quoted(word)) });
            };
            let mut rest = table.clone();
            rest.remove("kind");
            return check_table(&rest, fields, &format!("{path}."), at);
        }
        _ => false,
    };
    if holds { Ok(()) } else { Err(Fault { at, message: format!("{path} is {}; {}", shown(value), rule.wanted()) }) }
}

impl Rule {
    /// `allowed are 1 to 30 clocks`
    fn wanted(&self) -> String {
        let range = |low: &dyn std::fmt::Display, high: &dyn std::fmt::Display, same: bool, unit: &str| match same {
            true => format!("allowed is {low} {unit}"),
            false => format!("allowed are {low} to {high} {unit}"),
        };
        match self {
            Rule::Whole(r, unit) => range(r.start(), r.end(), r.start() == r.end(), unit),
            Rule::Power(r, unit) => {
                format!("allowed are powers of two from {} to {} {unit}", r.start(), r.end())
            }
            Rule::Real(r, unit) => range(r.start(), r.end(), false, unit),
            Rule::Text(text) => format!("allowed are 1 to {} characters: {}", text.longest, text.characters),
            Rule::OneOf(words) => format!("allowed are {}", words.join(", ")),
            Rule::List(length, _) if length.start() == length.end() => {
                format!("allowed is a list of {}", length.start())
            }
            Rule::List(length, _) => format!("allowed is a list of {} to {}", length.start(), length.end()),
            Rule::Table(fields) => {
                let keys: Vec<&str> = fields.iter().map(|field| field.key).collect();
                format!("allowed is a table of {}", keys.join(", "))
            }
            Rule::Kinds(_) => "allowed is a table with a key kind".to_string(),
        }
    }
}

impl Text {
    fn holds(&self, text: &str) -> bool {
        let blank = text.starts_with(' ') || text.ends_with(' ');
        !text.is_empty() && !blank && text.chars().count() <= self.longest && text.chars().all(self.allowed)
    }
}

/// A number of at most 64 bits without a sign, in any of TOML's notations.
fn whole(value: &DeValue) -> Option<u64> {
    value.as_integer().and_then(|integer| u64::from_str_radix(integer.as_str(), integer.radix()).ok())
}

fn real(value: &DeValue) -> Option<f64> {
    match value {
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => whole(value).map(|whole| whole as f64),
    }
}

/// A value as a message names it, on one line and not too long.
fn shown(value: &DeValue) -> String {
    match value {
        DeValue::Integer(integer) => match whole(value) {
            Some(whole) => whole.to_string(),
            None => cut(integer.as_str()),
        },
        DeValue::Float(float) => cut(float.as_str()),
        DeValue::String(string) => quoted(string),
        DeValue::Boolean(boolean) => boolean.to_string(),
        DeValue::Datetime(_) => "a date".to_string(),
        DeValue::Array(items) => format!("a list of {}", items.len()),
        DeValue::Table(_) => "a table".to_string(),
    }
}

fn quoted(text: &str) -> String {
    format!("`{}`", cut(&text.escape_debug().to_string()))
}

fn cut(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(from: &str, to: &str) -> String {
        let text = include_str!("../../boards/ulx3s.toml");
        assert!(text.contains(from), "{from}");
        let text = text.replacen(from, to, 1);
        check(DeTable::parse(&text).unwrap().get_ref()).unwrap_err().message
    }

    #[test]
    fn breaches_name_key_value_and_range() {
        let clocks = "memory.timing.cas is 9223372036854775807; allowed are 2 to 3 clocks";
        assert_eq!(message("cas = 3", "cas = 9223372036854775807"), clocks);
        assert_eq!(message("cas = 3", "cas = 3.0"), "memory.timing.cas is 3.0; allowed are 2 to 3 clocks");
        assert_eq!(message("rcd_ns = 21.0", "rcd_ns = nan"), "memory.timing.rcd_ns is nan; allowed are 1 to 1000 ns");
        assert_eq!(message("rcd_ns = 21.0", ""), "memory.timing.rcd_ns is missing; allowed are 1 to 1000 ns");
        assert_eq!(
            message("count = 208", "count = 0"),
            "device.block_ram[0].count is 0; allowed are 1 to 1000000 blocks"
        );
        assert_eq!(
            message("aluts = 83640", "aluts = -1"),
            "device.aluts is -1; allowed are 1 to 100000000 look-up tables"
        );
        let kinds =
            "memory.kind is `sdr-sdrm`; did you mean `sdr-sdram`? Known kinds: ddr-sdram, sdr-sdram, axi4, avalon-mm";
        assert_eq!(message("\"sdr-sdram\"", "\"sdr-sdrm\""), kinds);
        assert!(message("[memory.timing]", "[memory.timnig]").contains("did you mean `timing`?"));
    }

    #[test]
    fn texts_stay_one_word_or_line() {
        for bad in [
            "\\n", "\\r", "\\u0000", "\\u001b", "\\u0085", "\\u2028", "\\u202e", "\\\"", "\\\\", "$(x)", "[exit]", "`",
            ";", "#", "{", ": ",
        ] {
            for (from, start) in
                [("title = \"", "title"), ("family = \"", "device.family"), ("part = \"", "device.part")]
            {
                let said = message(from, &format!("{from}x{bad}"));
                assert!(said.starts_with(&format!("{start} is `x")) && !said.contains('\n'), "{bad}: {said}");
            }
            assert!(message("oscillator = \"", &format!("oscillator = \"{bad}")).starts_with("pins.oscillator is"));
        }
        assert!(message("title = \"ULX3S", &format!("title = \"{}", "x".repeat(500))).len() < 250);
    }
}
