//! Reads that repeat what the same row has read some iterations before.

use crate::affine::Affine;
use crate::ids::{ByBand, ByStatement, StatementId};
use crate::offload::{Band, Follower, Piece, Window};
use crate::source::kernel::{BinaryOp, Expr, Kernel, Statement, distance};

/// A row begins with as many iterations as the longest delay that only read: at most this part of the row.
pub const SHARE_OF_ROW: i64 = 64;
/// The same where buffers would not fit otherwise.
pub const LARGE_SHARE_OF_ROW: i64 = 16;

/// All windows that the rows of the bands allow; `rows` has the most iterations of the rows of each band's statements, and
/// `extents` how many values every iterator of a statement takes, where that is to be looked at. A row is at least `share` times as
/// long as the delays. In lanes whole groups of words slide, along rows that groups lie across, or from group to group.
pub fn windows(
    kernel: &Kernel,
    bands: &ByBand<Band>,
    rows: &ByBand<Vec<i64>>,
    extents: Option<&ByStatement<Vec<Option<i64>>>>,
    share: i64,
) -> Vec<Window> {
    let (statements, iterators) = (kernel.statements(), kernel.iterators());
    let mut found = vec![];
    for (band, rows) in bands.iter().zip(rows) {
        for (&s, row) in band.statements.iter().zip(rows) {
            // A row is one unit's.
            let own = band.compute.units.as_ref().map_or(&band.compute.scan, |units| &units.scan);
            let (Some(step), whole) = (step(&own.pieces, s), step(&band.compute.scan.pieces, s)) else { continue };
            let units =
                band.compute.units.as_ref().filter(|_| whole.as_ref() != Some(&step)).map_or(1, |units| units.count);
            // A division by a variable starts with its instance, whether that writes or not.
            if statements[s].values().any(divides) {
                continue;
            }
            let along = |subscript: &Affine| {
                let is_linear = kernel.quotients.iter().all(|q| subscript.coefficient(&q.name) == 0);
                is_linear.then(|| subscript.gain(&iterators[s], &step))
            };
            // Of a row of groups there are as many times fewer as a group has lanes along it.
            let lanes = band
                .lanes(s)
                .map(|shape| [(&shape.steps, shape.count / shape.inner), (&shape.inner_steps, shape.inner)]);
            let along_row = |(own, count): &(&Vec<i64>, i64)| {
                step.iter().eq(own.iter().map(|own| own * count).collect::<Vec<_>>().iter())
            };
            let row = lanes.into_iter().flatten().find(along_row).map_or(*row / units, |(_, count)| row / count);
            let of_iterators = extents.into_iter().flat_map(|extents| extents[s].iter().zip(&step));
            let row = of_iterators.fold(row, |row, (extent, step)| match extent {
                Some(extent) if *step != 0 => row.min((extent - 1) / step.abs() + 1),
                _ => row,
            });
            found.extend(of_statement(s, statements[s], along, row / share));
        }
    }
    found
}

/// The windows of a statement; `along` is what a subscript gains from one iteration of a row to the next.
fn of_statement(
    statement: StatementId,
    text: &Statement,
    along: impl Fn(&Affine) -> Option<i64>,
    longest: i64,
) -> Vec<Window> {
    let mut windows: Vec<Window> = vec![];
    let mut references = text.references();
    // The first iterations of a window read what nobody has checked.
    if text.depends_on_data() {
        return vec![];
    }
    // What a guarded reference reads may not be there.
    references.retain(|r| !text.writes_to(r.array) && r.guard.is_none());
    // Iterations by which the first reference is ahead of the second.
    let ahead = |a: &[Affine], b: &[Affine]| -> Option<i64> {
        let gains: Vec<i64> = a.iter().map(&along).collect::<Option<_>>()?;
        let (position, gain) = gains.iter().enumerate().find(|(_, gain)| **gain != 0)?;
        let distance = distance(a, b)?;
        let delay = distance[position] / gain;
        (distance.iter().zip(&gains).all(|(d, gain)| *d == delay * gain)).then_some(delay)
    };
    while let Some(first) = references.first() {
        let (array, first) = (first.array, first.subscripts.clone());
        // Those of one line, the foremost first.
        let mut line: Vec<(i64, Vec<Affine>)> = vec![];
        references.retain(|r| {
            let delay = match r.subscripts == first {
                _ if r.array != array => None,
                true => Some(0),
                false => ahead(&first, &r.subscripts),
            };
            line.extend(delay.map(|delay| (delay, r.subscripts.clone())));
            delay.is_none()
        });
        line.sort_by_key(|(delay, _)| *delay);
        let mut line = line.into_iter().peekable();
        while let Some((leads, leader)) = line.next() {
            let mut followers = vec![];
            while let Some((delay, subscripts)) = line.next_if(|(delay, _)| delay - leads <= longest) {
                followers.push(Follower { subscripts, delay: delay - leads });
            }
            if !followers.is_empty() {
                windows.push(Window { statement, array, leader, followers });
            }
        }
    }
    windows
}

/// What the iterators of a statement gain from one iteration of a row to the next; `None` where that differs from piece
/// to piece, or where rows have one iteration.
fn step(pieces: &[Piece], statement: StatementId) -> Option<Vec<i64>> {
    let mut step = None;
    for (p, piece) in pieces.iter().enumerate().filter(|(_, piece)| piece.leaf.statement() == statement) {
        let is_own = pieces.get(p + 1).is_none_or(|next| next.shared < piece.levels.len());
        let row = piece.levels.last().filter(|_| is_own)?;
        let own: Vec<i64> = piece.point.iter().map(|i| i.coefficient(&row.name)).collect();
        if step.get_or_insert_with(|| own.clone()) != &own {
            return None;
        }
    }
    step
}

fn divides(expr: &Expr) -> bool {
    let own = match expr {
        Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, ty, .. } => !ty.floating,
        _ => false,
    };
    own || expr.operands().into_iter().any(divides)
}
