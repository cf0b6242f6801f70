//! Bands that have a buffer of an array each. The banks of a buffer take their places from one mapping, so bands that share one share
//! the moduli: where one band keeps rows of an image on chip and another columns, all of it would be. Bands never overlap, and values
//! pass from one to the next through the memory, so nothing but block RAM speaks for one buffer.

use std::collections::BTreeMap;

use super::Allocation;
use crate::affine::fresh;
use crate::ids::{ArrayId, BandId, ByBand};
use crate::offload::{Compute, is_by_data, limit_count};
use crate::polyhedral::{is_taken, rewrite_reads, rewrite_statements};
use crate::source::kernel::{self, Access, Kernel, Storage};
use crate::tiling::Band;

/// Buffers apart take at most this part of the words that one for all takes: each costs logic of its own.
const WORTH_IT: f64 = 0.5;

/// The buffer of an array in banks that each band has, by its number, and its moduli, where the bands' `own` are these: bands share one
/// where it takes no more words than one of them alone, and all do where buffers apart are not worth it.
pub(super) fn shared(kernel: &Kernel, array: ArrayId, own: &[&[i64]]) -> Vec<(usize, Vec<i64>)> {
    let words = |moduli: &[i64]| moduli.iter().product::<i64>();
    let mut buffers: Vec<Vec<i64>> = vec![];
    let mut numbers = vec![];
    for moduli in own {
        let takes_no_more = |known: &Vec<i64>| words(&larger(known, moduli)) <= words(known).max(words(moduli));
        let number = buffers.iter().position(takes_no_more).unwrap_or_else(|| {
            buffers.push(moduli.to_vec());
            buffers.len() - 1
        });
        buffers[number] = larger(&buffers[number], moduli);
        numbers.push(number);
    }
    let together = buffers.iter().cloned().reduce(|one, other| larger(&one, &other)).unwrap_or_default();
    let apart: i64 = buffers.iter().map(|moduli| words(moduli)).sum();
    match may_have_several(kernel, array) && apart as f64 <= WORTH_IT * words(&together) as f64 {
        true => numbers.into_iter().map(|number| (number, buffers[number].clone())).collect(),
        false => own.iter().map(|_| (0, together.clone())).collect(),
    }
}

/// Only arguments have uses, and what data point into is one buffer for all.
fn may_have_several(kernel: &Kernel, array: ArrayId) -> bool {
    let own = &kernel.arrays[array];
    let is_plain = own.storage == Storage::Argument && own.by_tiles.is_none();
    is_plain && !is_by_data(kernel, array) && limit_count(kernel, array) == 0
}

fn larger(one: &[i64], other: &[i64]) -> Vec<i64> {
    one.iter().zip(other).map(|(one, other)| *one.max(other)).collect()
}

/// A kernel in which every array has one buffer: the second and further ones are other uses of it ([`kernel::Array::use_of`]).
pub struct Apart {
    pub kernel: Kernel,
    uses: BTreeMap<(BandId, ArrayId), ArrayId>,
}

impl Apart {
    pub fn new(kernel: &Kernel, bands: &ByBand<Band>, allocations: &ByBand<Vec<Allocation>>) -> Apart {
        let mut apart = Apart { kernel: kernel.clone(), uses: BTreeMap::new() };
        let mut known: BTreeMap<(ArrayId, usize), ArrayId> = BTreeMap::new();
        for (band, own) in allocations.iter_enumerated() {
            for Allocation { array, number, .. } in own.iter().filter(|own| own.number > 0) {
                let arrays = &mut apart.kernel;
                let other = *known.entry((*array, *number)).or_insert_with(|| {
                    let declaration = &kernel.arrays[*array];
                    let name = format!("{}_band{}", declaration.name, band.0);
                    let name = fresh(name, |name| is_taken(arrays, name));
                    let use_of = Some(kernel.memory_of(*array));
                    arrays.arrays.push_and_get_key(kernel::Array { name, use_of, ..declaration.clone() })
                });
                apart.uses.insert((band, *array), other);
            }
        }
        let Apart { kernel, uses } = &mut apart;
        let mut statements = kernel.statements().keys().collect::<Vec<_>>().into_iter();
        rewrite_statements(&mut kernel.body, &mut |statement| {
            let own = statements.next().and_then(|s| bands.iter_enumerated().find(|(_, b)| b.statements.contains(&s)));
            let Some((band, _)) = own else { return };
            let mut rename = |access: &mut Access| access.array = of(uses, band, access.array);
            rename(&mut statement.target);
            rewrite_reads(&mut statement.value, &mut rename);
            for write in &mut statement.also {
                rename(&mut write.target);
                rewrite_reads(&mut write.value, &mut rename);
            }
        });
        apart
    }

    /// Whether some band has a buffer of its own.
    pub fn is_any(&self) -> bool {
        !self.uses.is_empty()
    }

    /// The array that a band has in place of this one.
    pub fn of(&self, band: BandId, array: ArrayId) -> ArrayId {
        of(&self.uses, band, array)
    }

    /// What a band computes, of its arrays: lanes that update one cell have a value of their own.
    pub fn renamed(&self, band: BandId, mut compute: Compute) -> Compute {
        let lanes = compute.lanes.iter_mut().flat_map(|lanes| &mut lanes.per_statement).flatten();
        for reduction in lanes.filter_map(|shape| shape.reduction.as_mut()) {
            rewrite_reads(&mut reduction.term, &mut |access| access.array = self.of(band, access.array));
        }
        compute
    }
}

fn of(uses: &BTreeMap<(BandId, ArrayId), ArrayId>, band: BandId, array: ArrayId) -> ArrayId {
    uses.get(&(band, array)).copied().unwrap_or(array)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use crate::board;
    use crate::offload::{Buffer, Offload};
    use crate::source::kernel::Node;
    use crate::verify::verify;
    use crate::{analysis, source};

    /// Rows of `y` in one band of tiles, columns in the other.
    fn rows_and_columns(max: i64) -> Offload {
        let text = format!(
            "#pragma burstc size(N: 20, max {max})
            #pragma burstc schedule(S0[i,j] -> (0, i)) tile(1, 8) lanes(4)
            #pragma burstc schedule(S1[j,i] -> (1, j)) tile(1, 8) lanes(4)
            void f(int N, const int a[N][N], int y[N][N]) {{
                for (int i = 0; i < N; i++)
                    for (int j = 0; j < N; j++)
                        y[i][j] = a[i][j];
                for (int j = 0; j < N; j++)
                    for (int i = 1; i < N; i++)
                        y[i][j] += y[i - 1][j];
            }}"
        );
        let source = source::Source { path: "f.c".into(), text, cpp_args: vec![] };
        let kernel = source::parse(&source).unwrap();
        analysis::analyze(&kernel, &board::load("generic-axi4").unwrap().fabric()).unwrap()
    }

    /// The moduli of the buffers, by name.
    fn moduli(offload: &Offload) -> BTreeMap<&str, Vec<i64>> {
        let of = |buffer: &Buffer| {
            let name = &offload.kernel.arrays[buffer.array].name;
            (&name[..], buffer.common_mapping().expect("bands agree on what is in banks").moduli.clone())
        };
        offload.buffers.iter().map(of).collect()
    }

    /// A tile of eight rows and the next one, which is loaded beside it or still being stored, have up to 24 rows: 32 with whole bits. One
    /// buffer for both bands would have to keep all cells apart.
    #[test]
    fn bands_have_a_buffer_each_where_one_would_hold_the_whole_array() {
        let offload = rows_and_columns(256);
        let found = moduli(&offload);
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["a", "y", "y_band1"]);
        assert!(found["y"][0] <= 32 && found["y"][1] == 256, "{found:?}");
        assert!(found["y_band1"][0] == 256 && found["y_band1"][1] <= 32, "{found:?}");
        assert_eq!(verify(&offload), Ok(()));
        // The statements as written have the array itself.
        let written = offload.as_written();
        assert!(written.statements().iter().all(|s| s.accesses().all(|access| access.array.0 < 2)));
    }

    /// Where all of the array is little, bands share a buffer.
    #[test]
    fn bands_share_a_buffer_that_is_little_larger() {
        let offload = rows_and_columns(32);
        assert_eq!(moduli(&offload).keys().copied().collect::<Vec<_>>(), ["a", "y"]);
        assert_eq!(verify(&offload), Ok(()));
    }

    /// A band that writes one of the uses and reads another would read what is no longer so.
    #[test]
    fn a_band_that_writes_has_one_use() {
        let mut offload = rows_and_columns(256);
        let Node::Loop(outer) = &mut offload.kernel.body[1] else { panic!("a loop") };
        let Node::Loop(inner) = &mut outer.body[0] else { panic!("a loop") };
        let Node::Statement(statement) = &mut inner.body[0] else { panic!("a statement") };
        statement.target.array = 1.into();
        let faults = verify(&offload).unwrap_err();
        assert!(faults.iter().any(|fault| fault.starts_with("uses: y_band1")), "{faults:?}");
    }
}
