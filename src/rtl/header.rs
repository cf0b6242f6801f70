//! The header of a hand-written module: its parameters and ports, read from the Verilog text.
//!
//! The cells are written in one style, a parameter or a port per line:
//!
//! ```text
//! module <name> #(
//!     parameter integer <NAME> = <number>,
//! ) (
//!     input  wire [<expression>:<expression>] <name>,
//!     output reg                              <name>
//! );
//! ```
//!
//! where expressions are of numbers, parameters, `+`, `-`, `*`, `<<` and parentheses.

use std::collections::BTreeMap;

/// What a hand-written module shows to those that instantiate it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    /// With the values that they have where an instance gives none.
    parameters: Vec<(String, i128)>,
    ports: Vec<HeaderPort>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HeaderPort {
    name: String,
    /// An input, and nothing else.
    input: bool,
    /// The text of the highest and the lowest bit's number; one bit without.
    range: Option<(String, String)>,
}

/// A port of an instance, for its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellPort<'a> {
    pub name: &'a str,
    pub input: bool,
    /// Bits.
    pub width: u32,
}

impl Header {
    /// Reads the header of the module in `text`.
    ///
    /// # Errors
    /// The text leaves the style; the message quotes the line.
    pub fn parse(text: &str) -> Result<Header, String> {
        let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line).trim());
        // Directives for tools stand in comments or on lines of their own.
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('`') && !line.starts_with("/*"));
        let mut lines = lines.skip_while(|line| !line.starts_with("module "));
        let first = lines.next().ok_or("there is no module")?;
        let name: String = first["module ".len()..].trim_end_matches(['#', '(', ' ']).to_string();
        let mut header = Header { name, parameters: vec![], ports: vec![] };
        for line in lines {
            let item = line.trim_end_matches(',').trim();
            let wrong = || format!("`{}`: cannot read `{line}`", header.name);
            let words: Vec<&str> = item.split_whitespace().collect();
            match words.as_slice() {
                [");"] => return Ok(header),
                [")", "("] => {}
                ["parameter", "integer", name, "=", value] => {
                    let value = value.parse().map_err(|_| wrong())?;
                    header.parameters.push(((*name).to_string(), value));
                }
                [direction @ ("input" | "output" | "inout"), "wire" | "reg", .., name] => {
                    let range = match item.split_once('[') {
                        None => None,
                        Some((_, rest)) => {
                            let (range, _) = rest.split_once(']').ok_or_else(wrong)?;
                            let (high, low) = range.split_once(':').ok_or_else(wrong)?;
                            Some((high.to_string(), low.to_string()))
                        }
                    };
                    let port = HeaderPort { name: (*name).to_string(), input: *direction == "input", range };
                    header.ports.push(port);
                }
                _ => return Err(wrong()),
            }
        }
        Err(format!("`{}`: the list of ports does not end", header.name))
    }

    /// The ports of an instance with these parameters, in the order of the header.
    ///
    /// # Errors
    /// What is wrong with the instance, as the end of a sentence: it has no such parameter, or with them a port has no
    /// width.
    pub fn ports(&self, parameters: &[(String, i128)]) -> Result<Vec<CellPort<'_>>, String> {
        let mut values: BTreeMap<&str, i128> = self.parameters.iter().map(|(n, v)| (n.as_str(), *v)).collect();
        for (name, value) in parameters {
            match values.get_mut(name.as_str()) {
                Some(slot) => *slot = *value,
                None => return Err(format!("sets `{name}`, but `{}` has no such parameter", self.name)),
            }
        }
        self.ports.iter().map(|port| self.port(port, &values)).collect()
    }

    fn port<'a>(&self, port: &'a HeaderPort, values: &BTreeMap<&str, i128>) -> Result<CellPort<'a>, String> {
        let width = match &port.range {
            None => Some(1),
            Some((high, low)) => evaluate(high, values).zip(evaluate(low, values)).map(|(high, low)| high - low + 1),
        };
        let width = width.filter(|width| *width > 0).and_then(|width| u32::try_from(width).ok());
        let width =
            width.ok_or_else(|| format!("gives port `{}` of `{}` no width: {values:?}", port.name, self.name))?;
        Ok(CellPort { name: &port.name, input: port.input, width })
    }
}

fn evaluate(text: &str, values: &BTreeMap<&str, i128>) -> Option<i128> {
    let mut rest = text.trim();
    let value = shifted(&mut rest, values)?;
    rest.is_empty().then_some(value)
}

/// Takes `token` off the front of the text, with the blanks behind it.
fn take(rest: &mut &str, token: &str) -> bool {
    let taken = rest.strip_prefix(token);
    *rest = taken.map_or(*rest, str::trim_start);
    taken.is_some()
}

fn shifted(rest: &mut &str, values: &BTreeMap<&str, i128>) -> Option<i128> {
    let mut value = sum(rest, values)?;
    while take(rest, "<<") {
        let places = u32::try_from(sum(rest, values)?).ok().filter(|places| *places < 64)?;
        value = value.checked_mul(1 << places)?;
    }
    Some(value)
}

fn sum(rest: &mut &str, values: &BTreeMap<&str, i128>) -> Option<i128> {
    let mut value = product(rest, values)?;
    loop {
        if take(rest, "+") {
            value = value.checked_add(product(rest, values)?)?;
        } else if take(rest, "-") {
            value = value.checked_sub(product(rest, values)?)?;
        } else {
            return Some(value);
        }
    }
}

fn product(rest: &mut &str, values: &BTreeMap<&str, i128>) -> Option<i128> {
    let mut value = factor(rest, values)?;
    while take(rest, "*") {
        value = value.checked_mul(factor(rest, values)?)?;
    }
    Some(value)
}

fn factor(rest: &mut &str, values: &BTreeMap<&str, i128>) -> Option<i128> {
    if take(rest, "(") {
        let value = shifted(rest, values)?;
        return take(rest, ")").then_some(value);
    }
    let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
    let (word, behind) = rest.split_at(end);
    *rest = behind.trim_start();
    word.parse().ok().or_else(|| values.get(word).copied())
}
