//! The program as written, as a schedule tree.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::polyhedral::Program;
use crate::polyhedral::isl::schedule::Tree;

/// One loop per band; positions in a loop's body are sequences.
pub fn tree(program: &Program) -> Tree {
    let dates: Vec<(String, Vec<Affine>)> =
        program.statements.iter().map(|statement| (statement.name.clone(), statement.order.clone())).collect();
    let all: Vec<&(String, Vec<Affine>)> = dates.iter().collect();
    below(&all, 0)
}

/// The tree of the dates' dimensions from `level` on.
fn below(dates: &[&(String, Vec<Affine>)], level: usize) -> Tree {
    let Some(rows) = dates.iter().map(|(_, date)| date.get(level)).collect::<Option<Vec<_>>>() else {
        return Tree::Leaf;
    };
    if rows.iter().any(|row| !row.is_constant()) {
        let members = dates.iter().map(|(name, date)| (name.clone(), vec![date[level].clone()])).collect();
        return Tree::Band { permutable: true, members, child: Box::new(below(dates, level + 1)) };
    }
    let mut positions: BTreeMap<i64, Vec<&(String, Vec<Affine>)>> = BTreeMap::new();
    for (row, date) in rows.iter().zip(dates) {
        positions.entry(row.constant).or_default().push(date);
    }
    if positions.len() <= 1 {
        return below(dates, level + 1);
    }
    let children = positions.into_values().map(|group| {
        let names = group.iter().map(|(name, _)| name.clone()).collect();
        (names, below(&group, level + 1))
    });
    Tree::Sequence(children.collect())
}
