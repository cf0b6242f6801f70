//! All bands in one strip: what one leaves on chip the next one finds there.

use anyhow::Result;

use super::{Choice, Found, hold_lanes};
use crate::affine::Affine;
use crate::ids::BandId;
use crate::source::kernel::{LanesAlong, LanesDirective, Schedule, TilingDirective};

/// isl's operations for the first tiles that are looked at.
const OPERATIONS: u64 = 2_000_000;
/// All bands are in one strip with at most this part of the cycles.
const WORTH_IT: f64 = 0.95;

impl<F: Fn(&TilingDirective) -> bool> Choice<'_, F> {
    /// `apart`, or all its bands as one, whose first dimension tells them apart and whose tiles are one strip: arrays that fit on chip
    /// as a whole are loaded once before, and stored once behind, all that uses them.
    pub(super) fn in_one_strip(&self, apart: Found) -> Result<Found> {
        let bands: Vec<BandId> = apart.offload.bands.keys().collect();
        if !self.kernel.tilings.is_empty() || bands.len() == 1 {
            return Ok(apart);
        }
        let cycles = |band: &BandId| apart.expected.by_band[*band];
        let longest = bands.iter().max_by(|a, b| cycles(a).total_cmp(&cycles(b))).map_or(0, |band| band.0);
        let Some(tiling) = in_one_band(&apart.offload.tilings_as_written(), longest) else { return Ok(apart) };
        let mut left = OPERATIONS;
        let Ok(found) = self.in_others(&[tiling], apart.count, &mut left)? else { return Ok(apart) };
        let found = self.in_better_tiles(found, false)?;
        Ok(if found.cycles() < WORTH_IT * apart.cycles() { found } else { apart })
    }
}

/// The tilings' bands one after the other in one, in one strip, with the lanes of the one at place `longest`; `None` where lanes lie
/// along loops that a schedule leaves open. What must be in its order, in tiles of one value, comes first, then those dimensions along
/// which lanes lie: all bands have them in the same place.
fn in_one_band(tilings: &[TilingDirective], longest: usize) -> Option<TilingDirective> {
    let numbers: Vec<Option<i64>> = tilings.iter().map(number).collect();
    let are_told = numbers.windows(2).all(|two| matches!(two, [Some(one), Some(next)] if one < next));
    let orders = tilings.iter().map(in_order).collect::<Option<Vec<_>>>()?;
    let single = |tiling: &TilingDirective, order: &[usize]| order.iter().filter(|k| tiling.sizes[**k] == 1).count();
    let all = || tilings.iter().zip(&orders);
    // A dimension that tells them apart, where the first one does not.
    let added = usize::from(!are_told);
    let before = added + all().map(|(tiling, order)| single(tiling, order)).max()?;
    let rank = before + all().map(|(tiling, order)| order.len() - single(tiling, order)).max()?;
    let (mut sizes, mut schedules) = (vec![1; rank], vec![]);
    for (number, (tiling, order)) in all().enumerate() {
        let places = (added..).take(single(tiling, order)).chain(before..);
        let places: Vec<(usize, usize)> = places.zip(order.iter().copied()).collect();
        for (place, k) in &places {
            sizes[*place] = sizes[*place].max(tiling.sizes[*k]);
        }
        for Schedule { statement, theta } in &tiling.schedules {
            let mut own = vec![Affine::constant(0); rank];
            if added == 1 {
                own[0] = Affine::constant(number as i64);
            }
            places.iter().for_each(|(place, k)| own[*place] = theta[*k].clone());
            schedules.push(Schedule { statement: statement.clone(), theta: own });
        }
    }
    let own = &tilings[longest];
    let lanes = own.lanes.map(|lanes| match lanes.along {
        None => lanes,
        Some(both) => {
            let place = |along: LanesAlong| {
                let place = orders[longest].iter().position(|k| *k == along.dimension).unwrap_or_default();
                LanesAlong { dimension: before + place - single(own, &orders[longest]), ..along }
            };
            LanesDirective::in_two(both.map(place), lanes.span)
        }
    });
    let mut all = TilingDirective { schedules, sizes, strip: rank, lanes, units: None, order: None, span: own.span };
    hold_lanes(&mut all);
    Some(all)
}

/// A tiling's dimensions: those of one value, then those along which its lanes lie, and the others. `None` where they lie along others.
fn in_order(tiling: &TilingDirective) -> Option<Vec<usize>> {
    let along: Vec<usize> =
        tiling.lanes.and_then(|lanes| lanes.along).into_iter().flatten().map(|along| along.dimension).collect();
    let rank = |k: &usize| match along.iter().position(|own| own == k) {
        _ if tiling.sizes[*k] == 1 => 0,
        Some(place) => 1 + place,
        None => 1 + along.len(),
    };
    let mut order: Vec<usize> = (0..tiling.sizes.len()).collect();
    order.sort_by_key(rank);
    along.iter().all(|k| tiling.sizes.get(*k).is_some_and(|size| *size > 1)).then_some(order)
}

/// The constant that a band's first dimension is.
fn number(tiling: &TilingDirective) -> Option<i64> {
    let mut firsts = tiling.schedules.iter().map(|schedule| schedule.theta.first());
    let first = firsts.next()??;
    (first.is_constant() && firsts.all(|other| other == Some(first))).then_some(first.constant)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::report::count::Work;
    use crate::source::{self, Source};

    /// Two products, the second of what the first leaves: apart, `e` is stored and loaded again. Their lanes lie along other dimensions.
    #[test]
    fn what_one_band_leaves_on_chip_the_next_one_finds_there() {
        let text = "#pragma burstc size(N: 32, max 32)
             void k(int N, int a[N][N], int b[N][N], int e[N][N], int g[N][N])
             {
             #pragma burstc schedule(S0[i,j] -> (3, i, j, 0); S1[i,j,k] -> (3, i, j, k)) tile(1, 8, 8, 8) lanes(1, 4, 8, 1)
             #pragma burstc schedule(S2[i,j] -> (4, i, 0, j); S3[i,j,k] -> (4, i, k, j)) tile(1, 8, 8, 16) lanes(1, 4, 1, 8)
                 for (int i = 0; i < N; i++)
                     for (int j = 0; j < N; j++) {
                         e[i][j] = 0;
                         for (int k = 0; k < N; k++)
                             e[i][j] += a[i][k] * b[k][j];
                     }
                 for (int i = 0; i < N; i++)
                     for (int j = 0; j < N; j++) {
                         g[i][j] = 0;
                         for (int k = 0; k < N; k++)
                             g[i][j] += e[i][k] * b[k][j];
                     }
             }";
        let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
        let mut kernel = source::parse(&source).unwrap();
        let moved = |kernel: &crate::source::kernel::Kernel| {
            let board = crate::board::load("zcu104").unwrap();
            let offload = crate::analysis::analyze(kernel, &board.fabric()).unwrap();
            let work = Work::of(&offload, &BTreeMap::from([("N".to_string(), 32)]));
            (work.bytes_read / 4, work.bytes_written / 4, offload.most_lanes())
        };
        assert!(moved(&kernel).0 > 2 * 1024, "apart, `e` is loaded by the second");
        let one = in_one_band(&kernel.tilings, 1).unwrap();
        assert_eq!(one.sizes, [1, 8, 16, 8]);
        kernel.tilings = vec![one];
        // a and b, and then e and g.
        assert_eq!(moved(&kernel), (2 * 1024, 2 * 1024, Some(32)));
    }
}
