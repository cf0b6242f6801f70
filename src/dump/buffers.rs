//! Buffers: conflicts, moduli, lattice, slots, banks, copies, windows.

use std::fmt::Write as _;

use super::array_name;
use crate::affine::Affine;
use crate::buffer::mapping_text;
use crate::offload::{Buffer, Mapping, Offload, Owner};
use crate::source::kernel::Kernel;

pub fn text(offload: &Offload) -> String {
    let kernel = &offload.kernel;
    let mut text = "# buffers: where the cells of each array lie on chip\n".to_string();
    for buffer in &offload.buffers {
        let name = array_name(kernel, buffer.array);
        let element = kernel.arrays[buffer.array].element;
        let _ = writeln!(text, "\nbuffer {name}: {} words of {element}", buffer.words());
        let _ = writeln!(text, "    σ: {}", mapping_text(kernel, buffer));
        for ((number, band), mapping) in offload.bands.iter_enumerated().zip(&buffer.mappings) {
            let Some(mapping) = mapping else { continue };
            let _ = writeln!(text, "    band {number}:");
            let conflicts = format!("DS({name})");
            match band.sets.iter().find(|set| set.name == conflicts) {
                Some(set) => super::set(&mut text, 8, "conflicts", &set.isl),
                None => text.push_str("        conflicts: in too many pieces to show\n"),
            }
            of_mapping(&mut text, mapping);
        }
        memories(&mut text, kernel, buffer);
    }
    for window in &offload.windows {
        let access = |subscripts: &[Affine]| {
            let subscripts: String = subscripts.iter().map(|s| format!("[{s}]")).collect();
            format!("{}{subscripts}", array_name(kernel, window.array))
        };
        let statement = &kernel.statements()[window.statement].name;
        let _ = writeln!(text, "\nwindow of {statement}: {} is read, and", access(&window.leader));
        for follower in &window.followers {
            let _ = writeln!(
                text,
                "    {} is what it was {} iterations before",
                access(&follower.subscripts),
                follower.delay
            );
        }
    }
    text
}

fn of_mapping(text: &mut String, mapping: &Mapping) {
    let list = |values: &[i64]| values.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let _ = writeln!(text, "        moduli: {} (exact {})", list(&mapping.moduli), list(&mapping.exact_moduli));
    if mapping.slots > 1 {
        let by = if mapping.by_strips { " of strips" } else { "" };
        let _ = writeln!(text, "        slots: {}{by}", mapping.slots);
    }
    if !mapping.skew.is_empty() {
        let rows: Vec<String> = mapping.skew.iter().map(|row| format!("({})", list(row))).collect();
        let instead = list(&mapping.successive_moduli);
        let _ = writeln!(text, "        lattice: S = {}; successive modulo would take {instead}", rows.join(" "));
    }
    let _ = writeln!(text, "        words: {}", mapping.words());
}

fn memories(text: &mut String, kernel: &Kernel, buffer: &Buffer) {
    let own = if buffer.store_copy { ", and one for the store process" } else { "" };
    let _ = writeln!(text, "    memories: {}{own}", buffer.copies);
    if buffer.units > 1 {
        let whose = match buffer.owner {
            None => ", each with all cells".to_string(),
            Some(Owner { subscript, count, offset, shared }) => {
                let all = if shared { ", and all that is loaded in each" } else { "" };
                format!(", cell x of unit (x[{subscript}] - {offset}) mod {count}{all}")
            }
        };
        let _ = writeln!(text, "    units: {}{whose}", buffer.units);
    }
    if buffer.skewed {
        let _ = writeln!(text, "    banks: {}, by the sum of these residues", buffer.bank_count());
    }
    for banks in buffer.bank_axes() {
        let _ = writeln!(text, "    banks: {}, by subscript {} of the lanes", banks.count, banks.subscript);
    }
    if let Some(partition) = &buffer.partition {
        let weights: Vec<String> = partition.weights.iter().map(i64::to_string).collect();
        let name = array_name(kernel, buffer.array);
        let _ = writeln!(text, "    banks: {}, weights ({}) of σ({name})", partition.count, weights.join(", "));
    }
}
