//! Which memory port every array is reached by, where the board has several.

use std::collections::BTreeMap;

use super::count;
use crate::board::Board;
use crate::ids::{ArrayId, ByArray};
use crate::offload::Offload;

/// Arrays for which all placements are looked at.
const LOOKED_AT: usize = 9;

/// Loops that are counted.
const STEPS: u64 = 20_000_000;

/// Bytes of loads and of stores.
pub type Moved = [u64; 2];

/// What every port moves, by its number: as many as the board has, 1 where it has no bus.
pub fn moved(offload: &Offload, arrays: &ByArray<Moved>) -> Vec<Moved> {
    let most = arrays.keys().map(|array| offload.port(array)).max().unwrap_or(0);
    let mut all = vec![[0; 2]; most as usize + 1];
    for (array, moved) in arrays.iter_enumerated() {
        add(&mut all[offload.port(array) as usize], moved);
    }
    all
}

/// What every port moves in a run of these sizes; nothing where there is one port.
pub fn of_run(offload: &Offload, sizes: &BTreeMap<String, i64>) -> Vec<Moved> {
    match &offload.ports_used()[..] {
        [_] => vec![],
        _ => count::moved(offload, sizes, u64::MAX).map(|arrays| moved(offload, &arrays)).unwrap_or_default(),
    }
}

/// The names of the arrays whose words move through a port.
pub fn arrays(offload: &Offload, port: u32) -> Vec<String> {
    let kernel = &offload.kernel;
    let transfers = || offload.bands.iter().flat_map(|band| &band.transfers);
    let moves = |array: ArrayId| transfers().any(|t| kernel.memory_of(t.array) == array);
    let own = kernel.arrays.keys().filter(|array| kernel.memory_of(*array) == *array);
    own.filter(|array| offload.port(*array) == port && moves(*array)).map(|a| kernel.arrays[a].name.clone()).collect()
}

fn add(sum: &mut Moved, more: &Moved) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Puts arrays on the ports of the board where nobody did ([`Kernel::ports`](crate::source::kernel::Kernel::ports)): so that the
/// busiest direction of any port moves the fewest bytes, then so that the busiest port does, both directions together. The
/// largest arrays come first, to the lowest numbers.
pub fn place(offload: &mut Offload, board: &Board) {
    let ports = board.memory.bus().map_or(1, |bus| bus.ports);
    if ports == 1 {
        return;
    }
    let kernel = &offload.kernel;
    let sizes = kernel.usual_sizes();
    let mut memories: ByArray<Moved> = vec![[0; 2]; kernel.arrays.len()].into();
    let arrays = count::moved(offload, &sizes, STEPS).unwrap_or_else(|| whole(offload, &sizes));
    for (array, moved) in arrays.iter_enumerated() {
        add(&mut memories[kernel.memory_of(array)], moved);
    }
    let given = |array: ArrayId| kernel.ports.get(&kernel.arrays[array].name).copied();
    let mut placed = Placed { by_array: vec![0; kernel.arrays.len()].into(), moved: vec![[0; 2]; ports as usize] };
    for array in kernel.arrays.keys() {
        if let Some(port) = given(array) {
            placed.put(array, port, &memories[array]);
        }
    }
    let mut free: Vec<(ArrayId, Moved)> =
        memories.into_iter_enumerated().filter(|(array, moved)| given(*array).is_none() && *moved != [0; 2]).collect();
    free.sort_by_key(|(_, moved)| std::cmp::Reverse(moved[0] + moved[1]));
    offload.ports = best(&placed, &free).by_array;
}

/// Every array once, as often as it is transferred at all, where there is more to move than can be counted.
fn whole(offload: &Offload, sizes: &BTreeMap<String, i64>) -> ByArray<Moved> {
    let mut all: ByArray<Moved> = vec![[0; 2]; offload.kernel.arrays.len()].into();
    for transfer in offload.bands.iter().flat_map(|band| &band.transfers) {
        let array = &offload.kernel.arrays[transfer.array];
        let extent = |e: &crate::affine::Affine| e.evaluate(|name| sizes.get(name).copied().unwrap_or(1)).max(1) as u64;
        let bytes = u64::try_from(array.layout().map(extent).bytes()).unwrap_or(u64::MAX);
        for (sum, scan) in all[transfer.array].iter_mut().zip([&transfer.load, &transfer.store]) {
            *sum = (*sum).max(if scan.pieces.is_empty() { 0 } else { bytes.min(u64::from(u32::MAX)) });
        }
    }
    all
}

/// Arrays on ports.
#[derive(Clone)]
struct Placed {
    by_array: ByArray<u32>,
    /// By port.
    moved: Vec<Moved>,
}

impl Placed {
    fn put(&mut self, array: ArrayId, port: u32, moved: &Moved) {
        self.by_array[array] = port;
        add(&mut self.moved[port as usize], moved);
    }

    /// What is to be small, the first most of all; the number of busiest ports keeps what is left apart.
    fn cost(&self) -> (u64, u64, u128) {
        let direction = self.moved.iter().flatten().copied().max().unwrap_or(0);
        let together = |moved: &Moved| moved[0] + moved[1];
        let port = self.moved.iter().map(together).max().unwrap_or(0);
        (direction, port, self.moved.iter().map(|moved| u128::from(together(moved)).pow(2)).sum())
    }

    /// The ports that have something, and the first that has nothing: all others of those are as good.
    fn candidates(&self) -> Vec<u32> {
        let all = || (0..).zip(&self.moved);
        let unused = all().find(|(_, moved)| **moved == [0; 2]).map(|(port, _)| port);
        all().filter(|(port, moved)| **moved != [0; 2] || Some(*port) == unused).map(|(port, _)| port).collect()
    }
}

/// The best of the ways to put `free` where `placed` has room: of all, or array by array where there are many.
fn best(placed: &Placed, free: &[(ArrayId, Moved)]) -> Placed {
    let Some(((array, moved), rest)) = free.split_first() else { return placed.clone() };
    let with = |port: &u32| {
        let mut placed = placed.clone();
        placed.put(*array, *port, moved);
        placed
    };
    let candidates = placed.candidates();
    if free.len() > LOOKED_AT {
        let next = candidates.iter().map(with).min_by_key(Placed::cost);
        return best(&next.expect("a board has a port"), rest);
    }
    let all = candidates.iter().map(|port| best(&with(port), rest));
    all.min_by_key(Placed::cost).expect("a board has a port")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placed(ports: usize, all: &[Moved]) -> Vec<u32> {
        let none = Placed { by_array: vec![0; all.len()].into(), moved: vec![[0; 2]; ports] };
        let mut free: Vec<(ArrayId, Moved)> =
            all.iter().enumerate().map(|(array, moved)| (ArrayId(array), *moved)).collect();
        free.sort_by_key(|(_, moved)| std::cmp::Reverse(moved[0] + moved[1]));
        best(&none, &free).by_array.raw
    }

    /// The busiest direction of all ways, counted out.
    fn least(ports: u64, all: &[Moved]) -> u64 {
        let ways = (0..ports.pow(all.len() as u32)).map(|way| {
            let mut moved = vec![[0; 2]; ports as usize];
            for (place, own) in all.iter().enumerate() {
                add(&mut moved[(way / ports.pow(place as u32) % ports) as usize], own);
            }
            moved.into_iter().flatten().max().unwrap_or(0)
        });
        ways.min().expect("a way")
    }

    #[test]
    fn arrays_apart_where_there_are_ports() {
        assert_eq!(placed(4, &[[9, 0], [9, 0], [9, 0], [0, 9]]), [0, 1, 2, 3]);
        // Loads and stores share nothing but the port.
        assert_eq!(placed(2, &[[6, 0], [0, 9], [6, 0], [0, 9]]), [0, 0, 1, 1]);
        assert_eq!(placed(3, &[[1, 1], [8, 8], [5, 0]]), [2, 0, 1]);
    }

    #[test]
    fn no_other_way_is_better() {
        let mut state = 7u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % below
        };
        for ports in 2..4 {
            for _ in 0..40 {
                let all: Vec<Moved> = (0..1 + draw(6)).map(|_| [draw(20), draw(20)]).collect();
                let own = placed(ports as usize, &all);
                let mut moved = vec![[0; 2]; ports as usize];
                own.iter().zip(&all).for_each(|(port, own)| add(&mut moved[*port as usize], own));
                assert_eq!(moved.into_iter().flatten().max(), Some(least(ports, &all)), "{all:?} on {own:?}");
            }
        }
    }
}
