//! The arrays of a kernel: the classes of what its bands load and store, what they would save, and why some have none.

use std::collections::BTreeMap;

use anyhow::Result;

use super::lattice::Lattice;
use super::{Mars, Reason, Refusal, Slices, cells};
use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::ids::{ArrayId, BandId};
use crate::layout;
use crate::offload::Offload;
use crate::polyhedral::isl::{Context, Map};
use crate::source::kernel::{Access, Kernel};

/// What is loaded or stored of an array in the tiles of a band.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    pub band: BandId,
    /// Itself, or another use of it.
    pub array: ArrayId,
    pub is_store: bool,
}

/// An array that tiles load or store.
#[derive(Clone, Debug)]
pub struct Array {
    pub array: ArrayId,
    /// The relations, and of each what a tile in the middle moves: bursts in rows. Where a relation has none, there are none
    /// at all, but for [`Reason::Many`].
    pub moved: Vec<(Moved, Option<u64>)>,
    pub mars: Result<Mars, Refusal>,
    /// The slices of its last subscript that tiles step by, where there are classes and tiles step along it.
    pub slices: Option<Slices>,
}

/// isl's operations for one array.
const OPERATIONS: u64 = 500_000;

/// Chooses the order of the arrays that are to lie by tiles: [`Slices`], for every use of them.
///
/// # Errors
/// A [`Diagnostic`] where rows are kept: there are no classes, or slices need no fewer bursts. isl's otherwise.
pub fn choose_layouts(offload: &mut Offload) -> Result<()> {
    for array in offload.kernel.arrays.keys().collect::<Vec<ArrayId>>() {
        let declaration = &offload.kernel.arrays[array];
        let Some(span) = declaration.by_tiles.filter(|_| declaration.use_of.is_none()) else { continue };
        let found = if offload.kernel.arrays[array].extents.is_empty() { None } else { of_array(offload, array)? };
        let name = &offload.kernel.arrays[array].name;
        let why = match &found {
            None => "no tile loads or stores a cell of it".to_string(),
            Some(found) => match (found.slices, found.in_rows()) {
                (Some(slices), _) if found.gains_by_tiles() => {
                    for own in offload.kernel.arrays.keys().collect::<Vec<ArrayId>>() {
                        if offload.kernel.memory_of(own) == array {
                            offload.kernel.arrays[own].order = layout::Order::Slices(slices.cut);
                        }
                    }
                    continue;
                }
                (slices, rows) => found.why_not(offload).unwrap_or_else(|| {
                    let rows =
                        rows.map_or(String::new(), |rows| format!("what a tile moves is {} in rows, ", bursts(rows)));
                    match slices {
                        Some(slices) => {
                            format!("{rows}{} in slices of {} columns", bursts(slices.bursts), slices.cut.width)
                        }
                        None => format!("{rows}and no tile steps along its last subscript"),
                    }
                }),
            },
        };
        return Err(Diagnostic::new(format!("`{name}` has no layout by tiles: {why}"))
            .at(span, "rows are kept")
            .help("leave out `layout`, or give other tiles; `burstc analyze --dump layouts` shows what tiles move")
            .into());
    }
    Ok(())
}

/// `1 burst`
fn bursts(bursts: u64) -> String {
    if bursts == 1 { "1 burst".to_string() } else { format!("{bursts} bursts") }
}

/// All arrays of which some tile loads or stores cells, scalars left out, at the largest sizes, or, where nothing runs at these,
/// at the usual ones.
///
/// # Errors
/// isl's.
pub fn of_offload(offload: &Offload) -> Result<Vec<Array>> {
    let kernel = &offload.kernel;
    let mut found = vec![];
    for (array, declaration) in kernel.arrays.iter_enumerated() {
        // Classes follow C's rows.
        if declaration.use_of.is_none() && declaration.slant.is_none() && !declaration.extents.is_empty() {
            found.extend(of_array(offload, array)?);
        }
    }
    Ok(found)
}

/// `None` where no tile moves a cell of it.
fn of_array(offload: &Offload, array: ArrayId) -> Result<Option<Array>> {
    let parameters = &offload.kernel.parameters;
    let largest = parameters.iter().map(|p| (p.name.clone(), p.max.or(p.default).unwrap_or(p.min))).collect();
    let usual = offload.kernel.usual_sizes();
    for sizes in [&largest, &usual] {
        let isl = Context::of_sizes(parameters.len())?;
        let all = moved(offload, array);
        let few = |moved: &[Moved]| moved.iter().map(|moved| (*moved, None)).collect();
        let found = isl.within(OPERATIONS, || {
            let mut relations = vec![];
            for moved in &all {
                let relation = relation(offload, *moved, &isl, sizes)?;
                if !relation.is_empty()? {
                    relations.push((*moved, relation));
                }
            }
            of_relations(&offload.kernel, array, relations, sizes)
        })?;
        match found {
            Some(None) => {}
            Some(found) => return Ok(found),
            None => {
                let mars = Err(Refusal { relation: 0, reason: Reason::Many });
                return Ok(Some(Array { array, moved: few(&all), mars, slices: None }));
            }
        }
    }
    Ok(None)
}

fn of_relations(
    kernel: &Kernel,
    array: ArrayId,
    relations: Vec<(Moved, Map)>,
    sizes: &BTreeMap<String, i64>,
) -> Result<Option<Array>> {
    if relations.is_empty() {
        return Ok(None);
    }
    let value = |extent: &Affine| extent.evaluate(|name| sizes.get(name).copied().unwrap_or(0));
    // Rows are what there is without slices.
    let layout = kernel.arrays[array].layout();
    let layout = if layout.slices().is_some() { layout.in_c() } else { layout };
    let digits: Vec<(usize, i64)> = layout.digits.iter().map(|digit| (digit.subscript, value(&digit.radix))).collect();
    let (moved, maps): (Vec<Moved>, Vec<Map>) = relations.into_iter().unzip();
    let mars = Mars::new(&maps)?;
    let (mut rows, mut all) = (vec![], vec![]);
    for map in &maps {
        let at = super::footprint::middle_cells(map)?;
        rows.push(Some(cells::runs(&at, &cells::next(&at, &digits)?)?));
        all.push(at);
    }
    let slices = match &mars {
        Ok(mars) => Slices::new(mars, &all)?,
        Err(_) => None,
    };
    Ok(Some(Array { array, moved: moved.into_iter().zip(rows).collect(), mars, slices }))
}

/// What the bands load and store of the memory of `array`.
fn moved(offload: &Offload, array: ArrayId) -> Vec<Moved> {
    let mut found = vec![];
    for (band, own) in offload.bands.iter_enumerated() {
        for transfer in own.transfers.iter().filter(|transfer| offload.kernel.memory_of(transfer.array) == array) {
            for (is_store, scan) in [(false, &transfer.load), (true, &transfer.store)] {
                if !scan.pieces.is_empty() {
                    found.push(Moved { band, array: transfer.array, is_store });
                }
            }
        }
    }
    found
}

/// `{ T[T0, T1] -> a[x0, x1] }` at sizes.
fn relation(offload: &Offload, moved: Moved, isl: &Context, sizes: &BTreeMap<String, i64>) -> Result<Map> {
    let what = if moved.is_store { "Store" } else { "Load" };
    let name = format!("{what}({})", offload.kernel.arrays[moved.array].name);
    let text = |name: &str| offload.bands[moved.band].sets.iter().find(|set| set.name == name).map(|set| &set.isl);
    let missing = || anyhow::anyhow!("internal error: no set {name}");
    let map = isl.parse_map(text(&name).ok_or_else(missing)?)?;
    let tiles = isl.parse_set(text("tiles").ok_or_else(missing)?)?;
    let mut all = map.intersect_domain(&tiles)?.wrap()?;
    for (name, value) in sizes {
        all = all.fix_parameter(name, *value)?;
    }
    all.project_out_all_params()?.coalesce()?.unwrap()
}

impl Array {
    /// Whether slices need fewer bursts of a tile in the middle than rows do.
    pub fn gains_by_tiles(&self) -> bool {
        matches!((self.slices, self.in_rows()), (Some(slices), Some(rows)) if slices.bursts < rows)
    }

    /// Bursts that a tile in the middle needs in rows and in classes, of all relations; `None` where there are no classes.
    pub fn bursts(&self) -> Option<(u64, u64)> {
        let mars = self.mars.as_ref().ok()?;
        Some((self.in_rows()?, mars.relations.iter().map(|part| part.runs.len() as u64).sum()))
    }

    /// Bursts that a tile in the middle needs in rows, of all relations.
    pub fn in_rows(&self) -> Option<u64> {
        self.moved.iter().map(|(_, rows)| *rows).sum()
    }

    /// `32 bursts in rows, 1 in classes`, or why the array keeps its rows, for people.
    pub fn text(&self, offload: &Offload) -> String {
        let in_rows = self.in_rows().map_or("in rows".to_string(), |rows| format!("{} in rows", bursts(rows)));
        match (self.bursts(), self.why_not(offload)) {
            (Some((rows, classes)), _) if classes < rows => format!("{in_rows}, {classes} in classes"),
            (Some(_), _) => format!("{in_rows}, and no fewer in classes"),
            (None, why) => format!("{in_rows}, no classes: {}", why.unwrap_or_default()),
        }
    }

    /// Why there are no classes, for people.
    pub fn why_not(&self, offload: &Offload) -> Option<String> {
        let Refusal { relation, reason } = self.mars.as_ref().err()?;
        let (moved, _) = self.moved[*relation];
        let band = if offload.bands.len() > 1 { format!(" of band {}", moved.band) } else { String::new() };
        let what = if moved.is_store { "stored" } else { "loaded" };
        Some(match reason {
            Reason::Unbounded => "its cells have no end".to_string(),
            Reason::FewTiles { dimension, tiles } => {
                format!("{tiles} tiles along T{dimension}{band}: what is {what} has another shape in each")
            }
            Reason::NotIntegral { dimension, tiles, step } => {
                let step: Vec<String> = step.iter().map(i64::to_string).collect();
                format!(
                    "what is {what} moves by ({}) cells over {tiles} tiles along T{dimension}{band}, and so by no whole number \
                     of cells from one to the next: even tile sizes may help",
                    step.join(", ")
                )
            }
            Reason::NotShiftInvariant { dimension } => match null_spaces(offload, self.array) {
                Some([one, other]) => format!(
                    "{one} and {other} move in different directions from tile to tile (their null spaces differ)"
                ),
                None => format!("what is {what} changes its shape from tile to tile along T{dimension}{band}"),
            },
            Reason::Steps => {
                let (first, _) = self.moved[0];
                let of = |moved: Moved| {
                    let what = if moved.is_store { "Store" } else { "Load" };
                    let name = &offload.kernel.arrays[moved.array].name;
                    let band = if offload.bands.len() > 1 { format!(" of band {}", moved.band) } else { String::new() };
                    format!("{what}({name}){band}")
                };
                format!("{} and {} move by different steps from tile to tile", of(first), of(moved))
            }
            Reason::Many => "tiles that share cells, or their pieces, are too many".to_string(),
        })
    }
}

/// Two references of one statement to the memory of `array` whose linear parts have different null spaces, for people.
fn null_spaces(offload: &Offload, array: ArrayId) -> Option<[String; 2]> {
    let kernel = &offload.kernel;
    let iterators = kernel.iterators();
    let linear = |access: &Access, iterators: &[String]| -> Vec<Vec<i64>> {
        let row = |subscript: &Affine| iterators.iter().map(|name| subscript.coefficient(name)).collect();
        access.subscripts.iter().map(row).collect()
    };
    let rank = |rows: &[Vec<i64>]| Lattice::new(rows).rows().len();
    for (statement, iterators) in kernel.statements().iter().zip(&iterators) {
        let accesses: Vec<&Access> =
            statement.accesses().filter(|access| kernel.memory_of(access.array) == array).collect();
        let Some((first, others)) = accesses.split_first() else { continue };
        let own = linear(first, iterators);
        for other in others {
            let both: Vec<Vec<i64>> = own.iter().cloned().chain(linear(other, iterators)).collect();
            if rank(&both) != rank(&own) || rank(&both) != rank(&linear(other, iterators)) {
                let text = |access: &Access| {
                    let subscripts = access.subscripts.iter().map(|subscript| format!("[{subscript}]"));
                    format!("{}{}", kernel.arrays[access.array].name, subscripts.collect::<String>())
                };
                return Some([text(first), text(other)]);
            }
        }
    }
    None
}
