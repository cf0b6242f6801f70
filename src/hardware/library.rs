//! The hand-written cells of `rtl-templates/`, embedded so that the program needs no files beside it.

/// A Verilog file: its name without folder, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerilogFile {
    pub name: String,
    pub text: String,
}

macro_rules! cells {
    ($($name:literal),* $(,)?) => {
        /// Module name and text of every cell, in alphabetical order.
        const CELLS: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../rtl-templates/", $name, ".v")))),*
        ];
    };
}

cells![
    "ddr_controller",
    "ddr_read_fifo",
    "ddr_sequencer",
    "ddr_splitter",
    "ddr_timer",
    "dual_port_ram",
    "fifo",
    "memory_arbiter",
    "multiply_serial",
    "stream_register",
    "token_fifo",
    "word_packer",
    "word_unpacker",
];

/// The files of the named cells and of every cell they instantiate, in alphabetical order.
pub fn files(names: &[String]) -> Vec<VerilogFile> {
    let mut wanted: Vec<bool> = CELLS.iter().map(|(name, _)| names.iter().any(|n| n == name)).collect();
    // A cell that names another as the first word of a line instantiates it.
    loop {
        let missing = (0..CELLS.len()).find(|&i| {
            !wanted[i] && (0..CELLS.len()).any(|j| wanted[j] && instantiates(CELLS[j].1, CELLS[i].0))
        });
        match missing {
            Some(index) => wanted[index] = true,
            None => break,
        }
    }
    let file = |(name, text): &(&str, &str)| VerilogFile { name: format!("{name}.v"), text: text.to_string() };
    CELLS.iter().zip(&wanted).filter(|(_, w)| **w).map(|(c, _)| file(c)).collect()
}

fn instantiates(text: &str, cell: &str) -> bool {
    text.lines().any(|line| line.split_whitespace().next() == Some(cell))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_brings_the_cells_it_needs() {
        let names: Vec<String> = files(&["ddr_controller".to_string()]).into_iter().map(|f| f.name).collect();
        assert!(names.contains(&"ddr_splitter.v".to_string()), "{names:?}");
        assert!(!names.contains(&"word_packer.v".to_string()), "{names:?}");
    }
}
