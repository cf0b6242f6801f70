//! Modular mappings as people read them.

use crate::buffer;
use crate::offload::{Buffer, Mapping, Offload};
use crate::report::BufferReport;

/// Every buffer and its mapping in the words of the source.
pub fn buffer_reports(offload: &Offload) -> Vec<BufferReport> {
    offload.buffers.iter().map(|buffer| buffer_report(offload, buffer)).collect()
}

fn buffer_report(offload: &Offload, buffer: &Buffer) -> BufferReport {
    BufferReport {
        array: offload.kernel.arrays[buffer.array].name.clone(),
        mapping: buffer::mapping_text(&offload.kernel, buffer),
        words: buffer.words(),
        copies: buffer.memories(),
        successive_words: successive_words(buffer),
        placed: buffer.placed.clone(),
        masked: offload.kernel.arrays[buffer.array].masked,
    }
}

/// Words of the buffer if every mapping of it were successive modulo, where they are more.
fn successive_words(buffer: &Buffer) -> Option<i64> {
    let mappings = || buffer.mappings.iter().flatten();
    let words = |mapping: &Mapping| mapping.successive_words().unwrap_or(mapping.words());
    mappings().map(words).max().filter(|successive| *successive > buffer.words())
}
