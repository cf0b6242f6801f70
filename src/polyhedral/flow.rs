//! The value-based flow of an array: which write's value a read sees (array data-flow analysis, Feautrier 1991). It is that of the
//! source's order, and so of every order that keeps all dependences.

use anyhow::Result;

use super::isl::Map;
use super::{Program, Touch};
use crate::ids::{ArrayId, StatementId};

/// `{ [date of a read] -> [date of a write whose value it may read] }` of an array, over the order of the source; `None`
/// where nothing is read or nothing written. Reads without a write before them read garbage in C, or what was there before the kernel.
///
/// # Errors
/// isl's.
pub fn last_writes(program: &Program, array: ArrayId) -> Result<Option<Map>> {
    let Some(reads) = by_date(program, array, Touch::Read)? else { return Ok(None) };
    last_writes_of(program, array, &reads)
}

/// The same of some of the reads, `{ [date] -> c[m] }`.
///
/// # Errors
/// isl's.
pub fn last_writes_of(program: &Program, array: ArrayId, reads: &Map) -> Result<Option<Map>> {
    let Some(writes) = by_date(program, array, Touch::Write)? else { return Ok(None) };
    // The order of all dates, whatever they are: of those that there are it would have pieces for each two of theirs.
    let all = reads.universe()?;
    let dates = all.domain()?.identity()?;
    let later = dates.lex_gt_map(&dates)?;
    // An instance may read several cells: each has a last write of its own, `{ [read -> cell] -> write }`.
    let (reader, cell) = (reads.domain_map()?, reads.range_map()?);
    let earlier = all.domain_map()?.apply_range(&later)?;
    let before = |writes: &Map| cell.apply_range(&writes.reverse()?)?.intersect(&earlier);
    let pairs = before(&writes)?;
    let last = match by_date(program, array, Touch::SureWrite)? {
        Some(sure) if !sure.is_equal(&writes)? => {
            // What a sure write replaces is not read; what comes behind the last of them may be.
            let replaced = before(&sure)?.lexmax()?.apply_range(&later)?;
            pairs.subtract(&replaced)?
        }
        _ => pairs.lexmax()?,
    };
    Ok(Some(reader.reverse()?.apply_range(&last)?.coalesce()?))
}

/// What all statements touch of an array, `{ [date] -> c[m] }`; `None` where that is nothing.
fn by_date(program: &Program, array: ArrayId, touch: Touch) -> Result<Option<Map>> {
    let mut all = None;
    for statement in &program.statements {
        if let Some(accesses) = statement.accesses_of(array, touch)? {
            add(&mut all, accesses.apply_domain(&statement.schedule)?)?;
        }
    }
    Ok(all)
}

/// Puts a relation into a union that may be empty.
///
/// # Errors
/// isl's.
pub fn add(union: &mut Option<Map>, map: Map) -> Result<()> {
    *union = Some(match union.take() {
        Some(all) => all.union(&map)?,
        None => map,
    });
    Ok(())
}

/// Where a reference finds its value: a read that several writes may give a value has one of these for each, and becomes a choice between
/// them where every statement's values have a memory of their own (the GeCoS note, section 3.2: guarded accesses).
pub struct Producer {
    pub reader: StatementId,
    /// The reference, an index into the reader's `accesses`.
    pub access: usize,
    pub writer: StatementId,
    /// `[N] -> { S1[i, j] -> S0[i, j'] }`: the instance whose value it is; over its domain the reference reads this statement's values.
    pub pairs: Map,
}

/// The producers of all reads of an array, in the order of the statements and their references.
///
/// # Errors
/// isl's.
pub fn producers(program: &Program, array: ArrayId) -> Result<Vec<Producer>> {
    let mut found = vec![];
    for (reader, statement) in program.statements.iter_enumerated() {
        let reads = statement.accesses.iter().enumerate().filter(|(_, access)| access.array == array && !access.write);
        for (access, reference) in reads {
            let reads = reference.may.apply_domain(&statement.schedule)?;
            let Some(flow) = last_writes_of(program, array, &reads)? else { continue };
            let flow = flow.apply_domain(&statement.schedule.reverse()?)?;
            for (writer, other) in program.statements.iter_enumerated() {
                let pairs = flow.apply_range(&other.schedule.reverse()?)?.coalesce()?;
                if !pairs.is_empty()? {
                    found.push(Producer { reader, access, writer, pairs });
                }
            }
        }
    }
    Ok(found)
}
