//! The hand-written cells of `rtl-templates/`, embedded so that the program needs no files beside it.

use std::sync::LazyLock;

use include_dir::{Dir, include_dir};

use crate::rtl::Header;

/// A Verilog file: its name without folder, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    pub name: String,
    pub text: String,
}

static CELLS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/rtl-templates");

/// Module name and text of every cell, in alphabetical order.
fn cells() -> Vec<(&'static str, &'static str)> {
    let verilog = CELLS.files().filter(|f| f.path().extension().is_some_and(|e| e == "v"));
    let mut cells: Vec<_> =
        verilog.filter_map(|f| Some((f.path().file_stem()?.to_str()?, f.contents_utf8()?))).collect();
    cells.sort_unstable();
    cells
}

/// The names of all cells.
pub fn names() -> impl Iterator<Item = &'static str> {
    cells().into_iter().map(|(name, _)| name)
}

/// The headers of those of the named modules that are cells. Every cell's is read once.
pub fn headers(names: &[String]) -> Vec<Header> {
    static HEADERS: LazyLock<Vec<Header>> = LazyLock::new(|| {
        let header = |(_, text): &(_, &str)| Header::parse(text).expect("the cells are written in one style");
        cells().iter().map(header).collect()
    });
    HEADERS.iter().filter(|header| names.contains(&header.name)).cloned().collect()
}

/// The files of the cells and of every cell they instantiate, in alphabetical order.
pub fn files(library: &[Header]) -> Vec<VerilogFile> {
    let cells = cells();
    let mut wanted: Vec<bool> = cells.iter().map(|(name, _)| library.iter().any(|h| h.name == *name)).collect();
    let missing = |wanted: &[bool]| {
        let needs = |i: usize| (0..cells.len()).any(|j| wanted[j] && instantiates(cells[j].1, cells[i].0));
        (0..cells.len()).find(|&i| !wanted[i] && needs(i))
    };
    while let Some(index) = missing(&wanted) {
        wanted[index] = true;
    }
    let file = |(name, text): &(&str, &str)| VerilogFile { name: format!("{name}.v"), text: text.to_string() };
    cells.iter().zip(&wanted).filter(|(_, w)| **w).map(|(c, _)| file(c)).collect()
}

/// A cell that names another as the first word of a line instantiates it.
fn instantiates(text: &str, cell: &str) -> bool {
    text.lines().any(|line| is_instance(line, cell))
}

/// Whether an instance of the cell begins in this line of a cell or a generated module.
pub fn is_instance(line: &str, cell: &str) -> bool {
    line.split_whitespace().next() == Some(cell)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_brings_the_cells_it_needs() {
        let names: Vec<String> = files(&headers(&["ddr_controller".to_string()])).into_iter().map(|f| f.name).collect();
        assert!(names.contains(&"page_splitter.v".to_string()), "{names:?}");
        assert!(!names.contains(&"word_packer.v".to_string()), "{names:?}");
    }

    #[test]
    fn every_cell_has_a_header_of_its_name_with_ports() {
        for (name, text) in cells() {
            let header = Header::parse(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(header.name, name);
            let ports = header.ports(&[]).unwrap_or_else(|error| panic!("{error}"));
            let is_port = |line: &&str| ["    input ", "    output ", "    inout "].iter().any(|d| line.starts_with(d));
            let ends = text.lines().filter(is_port).count();
            assert_eq!(ports.len(), ends, "{name}: {ports:?}");
        }
    }
}
