//! Every cell of `rtl-templates/` begins and is made as all are: licence, header, parameter checks.

use std::path::Path;

/// Name and text of every cell.
fn cells() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rtl-templates");
    let files = std::fs::read_dir(folder).expect("the cells are here").map(|entry| entry.expect("readable").path());
    let verilog = files.filter(|path| path.extension().is_some_and(|extension| extension == "v"));
    let cell = |path: std::path::PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).expect("the cell is readable"))
    };
    verilog.map(cell).collect()
}

/// What a cell's text lacks of what all have.
fn faults(name: &str, text: &str) -> Vec<String> {
    let mut faults = vec![];
    let mut want = |has: bool, what: &str| {
        if !has {
            faults.push(format!("{name}: {what}"));
        }
    };
    let header = text.split("`default_nettype none").next().unwrap_or_default();
    let design = text.split("`ifdef FORMAL").next().unwrap_or_default();
    want(text.starts_with("// SPDX-License-Identifier: MIT OR Apache-2.0\n"), "no SPDX line");
    want(header.contains(&format!("\n// {name}: ")), "its header does not begin with its name and purpose");
    want(
        header.contains("\n// Latency ") || header.contains("\n// Handshake "),
        "no latency or handshake in its header",
    );
    let bits = ["count_bits", "address_bits", " bits(", " log2("];
    want(bits.iter().all(|helper| !design.contains(helper)), "a helper in place of $clog2");
    let has_parameters = design.contains(&format!("module {name} #("));
    want(!has_parameters || header.contains("\n// Parameters "), "no parameters in its header");
    want(!has_parameters || design.contains(&format!(" {name}_error_")), "no check of its parameters");
    want(resets_last(text), "a reset that is not the last in its block");
    let conditions = text.lines().map(str::trim).filter(|l| l.starts_with("if (") || l.starts_with("end else if ("));
    let mut processes = conditions.filter(|line| !line.contains("begin : "));
    let of_bits = |line: &str| [" & ", " | ", "(~", " ~"].iter().any(|operator| line.contains(operator));
    let is_whole = |line: &str| line.matches('(').count() == line.matches(')').count();
    let is_fault = |line: &str| of_bits(line) || (is_whole(line) && !line.ends_with(" begin"));
    want(!processes.any(is_fault), "a condition of bits, or without begin");
    want(text.trim_end().ends_with("`default_nettype wire"), "the default net type stays none after it");
    faults
}

/// Whether every reset stands behind all else that its block assigns, as in generated modules: it overrides, and what is not
/// reset moves without it.
fn resets_last(text: &str) -> bool {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines.iter().enumerate().filter(|(_, line)| line.trim_start().starts_with("if (rst")).all(|(place, line)| {
        let mut behind = lines[place + 1..].iter().skip_while(|other| indent(other) > indent(line));
        let ends = |line: Option<&&str>| line.is_some_and(|line| line.trim() == "end");
        ends(behind.next()) && behind.next().is_some_and(|next| next.trim() == "end" && indent(next) < indent(line))
    })
}

#[test]
fn all_cells_are_made_to_one_standard() {
    let cells = cells();
    assert!(cells.len() > 40);
    let faults: Vec<String> = cells.iter().flat_map(|(name, text)| faults(name, text)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_a_cell_lacks_is_seen() {
    let (name, text) = cells().into_iter().find(|(name, _)| name == "fifo").expect("the cell");
    assert!(faults(&name, &text).is_empty());
    for (from, to) in [
        ("SPDX", "SPD"),
        ("// fifo: ", "// a queue: "),
        ("// Parameters", "//"),
        ("fifo_error_", "wrong_"),
        ("if (fetch) begin", "if (~fetch) begin"),
        ("if (fetch) begin", "if (fetch)"),
        ("if (push) begin", "if (rst) begin"),
        ("nettype wire", "nettype none"),
    ] {
        assert!(!faults(&name, &text.replace(from, to)).is_empty(), "{from}");
    }
}
