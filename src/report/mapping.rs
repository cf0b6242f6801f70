//! Modular mappings as people read them.

use crate::buffer;
use crate::offload::{Buffer, Offload};
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
    }
}
