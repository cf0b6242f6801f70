//! Random programs of reads, writes and writes that may happen, in the tiles of a strip: every cell has a program of its own. Load and Store by
//! sets are those by minimum, they leave the memory as the program does whichever of its writes happen, and none of them can be left out.

use std::collections::BTreeSet;

use super::*;
use crate::polyhedral::{self, Program};
use crate::simulate::random::SplitMix;
use crate::source::{self, Source};
use crate::tiling;

/// Tiles of the strip, and cells.
const N: i64 = 4;

/// What the statements of an iteration do with a cell, in their order: read it, write it, read it and write it.
const WRITES: [bool; 4] = [false, true, false, true];

/// An access of a cell, in its tile.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    Read,
    Write,
    /// It may happen.
    Perhaps,
}

/// A cell's program: the accesses of every tile.
type CellProgram = Vec<Vec<Use>>;

/// Where words come from: 0 what the memory has at first, others a write each; `None` on chip for nothing that was loaded.
type Word = Option<usize>;

/// The program with the writes that happen: what its reads see, and the last word.
fn as_written(program: &CellProgram, happens: &[bool]) -> (Vec<Word>, Word) {
    let everything: BTreeSet<i64> = (0..N).collect();
    // One tile that loads the cell first is the program itself.
    let together = vec![program.iter().flatten().copied().collect()];
    in_tiles(&together, happens, &everything, &everything)
}

/// The same in tiles, those of `loads` and `stores` with transfers.
fn in_tiles(
    program: &CellProgram,
    happens: &[bool],
    loads: &BTreeSet<i64>,
    stores: &BTreeSet<i64>,
) -> (Vec<Word>, Word) {
    let (mut memory, mut chip, mut seen) = (Some(0), None, vec![]);
    let (mut writes, mut perhaps) = (0, happens.iter());
    for (tile, touches) in (0..).zip(program) {
        if loads.contains(&tile) {
            chip = memory;
        }
        for touch in touches {
            writes += 1;
            match touch {
                Use::Read => seen.push(chip),
                Use::Write => chip = Some(writes),
                Use::Perhaps if *perhaps.next().expect("one for each") => chip = Some(writes),
                Use::Perhaps => {}
            }
        }
        if stores.contains(&tile) {
            memory = chip;
        }
    }
    (seen, memory)
}

/// Whether the transfers are right whichever writes happen.
fn is_right(program: &CellProgram, loads: &BTreeSet<i64>, stores: &BTreeSet<i64>) -> bool {
    let perhaps = program.iter().flatten().filter(|touch| **touch == Use::Perhaps).count();
    (0..1usize << perhaps).all(|number| {
        let happens: Vec<bool> = (0..perhaps).map(|k| number >> k & 1 == 1).collect();
        let (seen, last) = as_written(program, &happens);
        let touches = |touch: &Use| *touch != Use::Read;
        // A cell that nobody writes stays as it is.
        let last = if program.iter().flatten().any(touches) { last } else { Some(0) };
        in_tiles(program, &happens, loads, stores) == (seen, last)
    })
}

/// The programs of the cells, and the analysis of all of them.
struct Case {
    cells: Vec<CellProgram>,
    program: Program,
    kernel: Kernel,
}

/// Random accesses of every cell in every tile: how many there are, and how many of the writes are sure, differs from seed to seed.
fn case(seed: u64) -> Case {
    let text = "#pragma burstc size(N: 4, max 4)\nvoid k(int N, int b[N], int c[N][N], int d[N][N])\n{\n\
                #pragma burstc tile(t:1, p:4) strip(2)\nfor (int t = 0; t < N; t++) for (int p = 0; p < N; p++) {\n\
                c[t][p] = b[p]; b[p] = t; d[t][p] = b[p]; b[p] = t + p;\n}\n}\n";
    let kernel = source::parse(&Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] }).unwrap();
    let mut program = polyhedral::extract(&kernel).unwrap();
    let mut dice = SplitMix::named(seed, "may and must");
    let (often, surely) = (2 + dice.draw() % 5, dice.draw() % 8);
    let mut cells: Vec<CellProgram> = vec![vec![vec![]; N as usize]; N as usize];
    for (statement, writes) in program.statements.iter_mut().zip(WRITES) {
        let (mut all, mut sure) = (vec![], vec![]);
        for t in 0..N {
            for p in 0..N {
                let point = format!("(t = {t} and p = {p})");
                let is_there = dice.draw() % 8 < often;
                let is_sure = !writes || dice.draw() % 8 < surely;
                if is_there {
                    let touch = if !writes {
                        Use::Read
                    } else if is_sure {
                        Use::Write
                    } else {
                        Use::Perhaps
                    };
                    cells[p as usize][t as usize].push(touch);
                    all.push(point.clone());
                }
                if is_there && is_sure {
                    sure.push(point);
                }
            }
        }
        let set = |points: &[String]| {
            let points = if points.is_empty() { "false".to_string() } else { points.join(" or ") };
            program.isl.parse_set(&format!("[N] -> {{ {}[t, p] : N = {N} and ({points}) }}", statement.name)).unwrap()
        };
        let (all, sure) = (set(&all), set(&sure));
        statement.domain = statement.domain.intersect(&all).unwrap();
        statement.schedule = statement.schedule.intersect_domain(&all).unwrap();
        for access in &mut statement.accesses {
            access.may = access.may.intersect_domain(&all).unwrap();
            access.must = access.must.intersect_domain(if access.write { &sure } else { &all }).unwrap();
        }
    }
    Case { cells, program, kernel }
}

impl Case {
    /// Programs that were looked at.
    fn check(&self) -> usize {
        let mut bands = tiling::apply(&self.program, &self.kernel, &self.kernel.tilings).unwrap();
        let band = bands.raw.remove(0);
        let array = self.kernel.arrays.position(|array| array.name == "b").unwrap();
        let Some(accesses) = Accesses::all(&self.program, &band, array).unwrap() else { return 0 };
        let live_in = live_in(&band.instances, &accesses.reads, accesses.sure_writes()).unwrap();
        let out = band.instances.apply_range(&accesses.writes).unwrap();
        let sure_out = accesses.sure_writes.as_ref().map(|sure| band.instances.apply_range(sure).unwrap());
        let (load, store) = by_sets(&band, &live_in, &out, sure_out.as_ref()).unwrap();
        let by_cells = live_in_by_cells(&band.instances, &accesses.reads, accesses.sure_writes()).unwrap();
        assert!(by_cells.is_equal(&live_in).unwrap(), "{by_cells} by cells, {live_in} by instances");
        let minimum = Operations::new(&band).unwrap().by_minimum(&band, &accesses).unwrap();
        assert!(
            load.is_equal(&minimum.0).unwrap(),
            "loads {load} by sets, {} by minimum, of {:?}",
            minimum.0,
            self.cells
        );
        assert!(store.is_equal(&minimum.1).unwrap(), "stores {store} by sets, {} by minimum", minimum.1);
        for (p, program) in (0..).zip(&self.cells) {
            let tiles = |map: &Map| -> BTreeSet<i64> {
                let is_in = |t: &i64| {
                    let pair =
                        self.program.isl.parse_map(&format!("[N] -> {{ T[{t}, 0] -> b[{p}] : N = {N} }}")).unwrap();
                    pair.is_subset(map).unwrap()
                };
                (0..N).filter(is_in).collect()
            };
            let (loads, stores) = (tiles(&load), tiles(&store));
            assert!(is_right(program, &loads, &stores), "{program:?} with loads in {loads:?}, stores in {stores:?}");
            for (what, all) in [("load", &loads), ("store", &stores)] {
                for tile in all {
                    let fewer: BTreeSet<i64> = all.iter().copied().filter(|own| own != tile).collect();
                    let with = if what == "load" { (&fewer, &stores) } else { (&loads, &fewer) };
                    assert!(
                        !is_right(program, with.0, with.1),
                        "{program:?}: the {what} in {tile} of {all:?} is useless"
                    );
                }
            }
        }
        self.cells.len()
    }
}

#[test]
fn programs_of_writes_that_may_happen() {
    assert!((0..60).map(|seed| case(seed).check()).sum::<usize>() >= 200);
}

/// The 20,000 programs of the paper's table of cases.
#[test]
#[ignore = "make soak"]
fn many_programs_of_writes_that_may_happen() {
    assert!((1_000..6_100).map(|seed| case(seed).check()).sum::<usize>() >= 20_000);
}

/// The table that was worked by hand: what the first formula of RR-7697 section 4.2 loses.
#[test]
fn brute_force_knows_what_must_be_loaded() {
    use Use::{Perhaps, Read, Write};
    let set = |tiles: &[i64]| tiles.iter().copied().collect::<BTreeSet<i64>>();
    for (program, loads, stores) in [
        ([Perhaps, Perhaps, Read], set(&[0]), set(&[1])),
        ([Perhaps, Write, Read], set(&[]), set(&[1])),
        ([Perhaps, Read, Write], set(&[0]), set(&[2])),
        ([Perhaps, Write, Perhaps], set(&[]), set(&[2])),
    ] {
        let program: CellProgram = program.iter().map(|touch| vec![*touch]).collect();
        assert!(is_right(&program, &loads, &stores), "{program:?}");
        let without = is_right(&program, &set(&[]), &stores);
        assert_eq!(without, loads.is_empty(), "{program:?} without its load");
    }
}
