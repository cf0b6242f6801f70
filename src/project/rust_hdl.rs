//! The accelerator as a component of rust-hdl (<https://crates.io/crates/rust-hdl>): a `LogicBlock` with the ports of
//! `<kernel>_top`, whose `hdl` is a `Verilog::Wrapper` around it.

use anyhow::Result;

use super::template::fill;
use crate::hardware::{self, VerilogFile};
use crate::rtl::Port;

const COMPONENT: &str = include_str!("rust_hdl.rs.txt");

/// The text of `rust-hdl/<kernel>.rs`, which reads `files` in `../rtl` when it is compiled.
pub fn component(kernel: &str, ports: &[Port], files: &[VerilogFile]) -> Result<String> {
    let lines = |line: &dyn Fn(&Port) -> String, separator: &str| {
        let all: Vec<String> = ports.iter().map(line).collect();
        all.join(separator)
    };
    let declaration = |port: &Port| {
        let direction = if port.is_output { "Out" } else { "In" };
        let kind = match (port.name.as_str(), port.width) {
            ("clk", _) => "Clock".to_string(),
            (_, 1) => "Bit".to_string(),
            (_, width) => format!("Bits<{width}>"),
        };
        format!("    pub {}: Signal<{direction}, {kind}>,", port.name)
    };
    let outputs = ports.iter().filter(|port| port.is_output);
    let values = [
        ("version", env!("CARGO_PKG_VERSION").to_string()),
        ("kernel", kernel.to_string()),
        ("top", hardware::top_name(kernel)),
        ("name", type_name(kernel)),
        ("ports", lines(&declaration, "\n")),
        (
            "outputs",
            outputs.map(|port| format!("        self.{}.connect();", port.name)).collect::<Vec<_>>().join("\n"),
        ),
        ("connections", lines(&|port| format!("    .{0}({0})", port.name), ",\n")),
        ("count", files.len().to_string()),
        ("files", files.iter().map(file).collect::<Vec<_>>().join("\n")),
    ];
    fill(COMPONENT, &values)
}

/// A name for the guard around a file, and its text.
fn file(file: &VerilogFile) -> String {
    let guard = file.name.trim_end_matches(".v").to_uppercase();
    format!("    (\"BURSTC_{guard}\", include_str!(\"../rtl/{}\")),", file.name)
}

/// `float_gemm` is `FloatGemm`.
fn type_name(kernel: &str) -> String {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    let name: String = kernel.split('_').map(capitalised).collect();
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) { name } else { format!("Kernel{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_rust_types() {
        for (kernel, name) in [("dma", "Dma"), ("float_gemm", "FloatGemm"), ("_3mm", "Kernel3mm"), ("_", "Kernel")] {
            assert_eq!(type_name(kernel), name);
        }
    }
}
