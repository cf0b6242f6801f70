//! Where iterations and transfers wait for one another: at the first and the last tile of a band, and between strips of it.

use std::ops::ControlFlow;

use super::{PortRows, Transfers, Way, no_rows};
use crate::ids::{BandId, ByBand};
use crate::offload::{Band, Offload, Transfer, Wait};
use crate::walk::{self, Values};

/// Tiles that are walked.
const WALKED: u64 = 20_000;
/// Ends of which each counts, and further on every so many.
const EACH: u64 = 16;

/// Iterations wait for the loads of a tile and for the stores of the one before: what these take, and how often that is.
pub struct End {
    pub times: f64,
    pub load: Vec<PortRows>,
    pub store: Vec<PortRows>,
    /// Per statement of the band, the cycles in which ports that it uses are lent meanwhile.
    pub lent: Vec<f64>,
    loads: u64,
    stores: u64,
}

/// The ends of a band.
struct Ends {
    /// Tiles of another band, or none, come before the first and behind the last of these.
    band: End,
    /// Of strips that follow one of the same band.
    strip: End,
}

/// The ends of every band's tiles, in the order in which the hardware walks them.
pub fn ends(offload: &Offload, rows: &Transfers, values: &mut Values) -> ByBand<[End; 2]> {
    let mut all: ByBand<Ends> = offload.bands.iter().map(|band| Ends::new(offload, band)).collect();
    let mut before: Option<(BandId, Vec<i64>)> = None;
    let mut walked = 0;
    let outcome = walk::in_order(&offload.tiles.pieces, values, |piece, values| {
        walked += 1;
        if walked > WALKED {
            return ControlFlow::Break(());
        }
        let number = piece.leaf.band();
        let tile: Vec<i64> = piece.point.iter().map(|index| values.evaluate(index)).collect();
        let (band, strip) = (&offload.bands[number], offload.bands[number].tiling.strip_indices());
        match &before {
            Some((last, tile_before)) if *last == number => {
                if tile_before[..strip] != tile[..strip] {
                    let is_waiting = |transfer: &Transfer| transfer.wait >= Wait::Computed;
                    let waits = band.transfers.iter().any(|own| is_waiting(own) && !own.load.pieces.is_empty());
                    if waits || band.compute_waits {
                        all[number].strip.begin(offload, (band, &tile), rows, values, is_waiting);
                    }
                    if band.compute_waits || band.transfers.iter().any(|transfer| transfer.wait == Wait::Stored) {
                        all[number].strip.end(offload, (band, tile_before), rows, values);
                    }
                }
            }
            other => {
                if let Some((last, tile)) = other {
                    all[*last].band.end(offload, (&offload.bands[*last], tile), rows, values);
                }
                all[number].band.begin(offload, (band, &tile), rows, values, |_| true);
            }
        }
        before = Some((number, tile));
        ControlFlow::Continue(())
    });
    if let Some((last, tile)) = &before {
        all[*last].band.end(offload, (&offload.bands[*last], tile), rows, values);
    }
    let share = match outcome {
        ControlFlow::Continue(()) => 1.0,
        ControlFlow::Break(()) => {
            let mut steps = super::STEPS;
            let count = |piece| walk::count(piece, values, &mut steps).unwrap_or(super::STEPS);
            offload.tiles.pieces.iter().map(count).sum::<u64>() as f64 / WALKED as f64
        }
    };
    all.into_iter().map(|own| [own.band.mean(share), own.strip.mean(share)]).collect()
}

impl Ends {
    fn new(offload: &Offload, band: &Band) -> Self {
        let none = || End {
            times: 0.0,
            load: no_rows(offload),
            store: no_rows(offload),
            lent: vec![0.0; band.statements.len()],
            loads: 0,
            stores: 0,
        };
        Ends { band: none(), strip: none() }
    }
}

impl End {
    /// Before this tile, whose transfers `which` are waited for.
    fn begin(
        &mut self,
        offload: &Offload,
        (band, tile): (&Band, &[i64]),
        rows: &Transfers,
        values: &mut Values,
        which: impl Fn(&Transfer) -> bool,
    ) {
        self.times += 1.0;
        if counts(self.times as u64) {
            self.loads += 1;
            let waited_for = band.transfers.iter().filter(|transfer| which(transfer));
            add(offload, (band, tile), (rows, values), (&mut self.load, &mut self.lent, Way::Load), waited_for);
        }
    }

    /// Behind this tile.
    fn end(&mut self, offload: &Offload, (band, tile): (&Band, &[i64]), rows: &Transfers, values: &mut Values) {
        if counts(self.times as u64) {
            self.stores += 1;
            let all = band.transfers.iter();
            add(offload, (band, tile), (rows, values), (&mut self.store, &mut self.lent, Way::Store), all);
        }
    }

    /// Of what was looked at, with all ends that there are where so many of them were walked.
    fn mean(mut self, share: f64) -> End {
        self.times *= share;
        self.lent.iter_mut().for_each(|sum| *sum /= self.loads.max(self.stores).max(1) as f64);
        for (ports, count) in [(&mut self.load, self.loads), (&mut self.store, self.stores)] {
            for port in ports {
                for sum in port.sums_mut() {
                    *sum /= count.max(1) as f64;
                }
            }
        }
        self
    }
}

fn counts(number: u64) -> bool {
    number <= EACH || number.is_multiple_of(EACH)
}

/// Adds what a tile moves.
fn add<'a>(
    offload: &Offload,
    (band, tile): (&Band, &[i64]),
    (rows, values): (&Transfers, &mut Values),
    (ports, taken, way): (&mut [PortRows], &mut [f64], Way),
    transfers: impl Iterator<Item = &'a Transfer>,
) {
    let place = values.enter_tile(&offload.kernel, tile);
    let transfers: Vec<&Transfer> = transfers.collect();
    let pieces: usize = transfers.iter().map(|own| own.load.pieces.len().max(own.store.pieces.len())).sum();
    let budget = super::STEPS_AT_ENDS / pieces.max(1) as f64;
    super::moved(offload, (band, rows), transfers.into_iter().map(|t| (t, way)), values, (ports, taken), budget);
    values.stack.truncate(place);
}
