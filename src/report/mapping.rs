//! Modular mappings as people read them.

use crate::affine::Affine;
use crate::offload::{Buffer, Offload};
use crate::report::BufferReport;
use crate::source::kernel::Node;

/// Every buffer and its mapping in the words of the source.
pub fn buffer_reports(offload: &Offload) -> Vec<BufferReport> {
    offload.buffers.iter().map(|buffer| buffer_report(offload, buffer)).collect()
}

fn buffer_report(offload: &Offload, buffer: &Buffer) -> BufferReport {
    let array = &offload.kernel.arrays[buffer.array];
    let subscripts = subscript_names(offload, buffer);
    let residues: Vec<String> =
        subscripts.iter().zip(&buffer.moduli).map(|(name, modulus)| format!("{name} mod {modulus}")).collect();
    let name = &array.name;
    BufferReport {
        array: name.clone(),
        mapping: format!("{name}[{}] -> [{}]", subscripts.join(", "), residues.join(", ")),
        words: buffer.words(),
    }
}

/// Names for the subscripts of a buffer's array: the source's own where its accesses are plain iterators, and all
/// alike; `x0`, `x1`, … elsewhere.
fn subscript_names(offload: &Offload, buffer: &Buffer) -> Vec<String> {
    let mut accesses = Vec::new();
    collect_accesses(&offload.kernel.body, buffer.array, &mut accesses);
    let plain = |dimension: usize| {
        let mut names = accesses.iter().map(|subscripts| {
            let subscript = subscripts.get(dimension)?;
            match subscript.terms.iter().next() {
                Some((name, 1)) if subscript.terms.len() == 1 => Some(name.clone()),
                _ => None,
            }
        });
        let first = names.next()??;
        names.all(|name| name.as_ref() == Some(&first)).then_some(first)
    };
    let names: Vec<Option<String>> = (0..buffer.moduli.len()).map(plain).collect();
    let distinct = |d: usize| names[..d].iter().all(|earlier| earlier.is_none() || *earlier != names[d]);
    (0..names.len()).map(|d| names[d].clone().filter(|_| distinct(d)).unwrap_or_else(|| format!("x{d}"))).collect()
}

fn collect_accesses<'a>(nodes: &'a [Node], array: usize, accesses: &mut Vec<&'a [Affine]>) {
    for node in nodes {
        match node {
            Node::Loop(inner) => collect_accesses(&inner.body, array, accesses),
            Node::Statement(statement) => {
                let all = std::iter::once(&statement.target).chain(statement.value.reads());
                accesses.extend(all.filter(|access| access.array == array).map(|access| access.subscripts.as_slice()));
            }
        }
    }
}
