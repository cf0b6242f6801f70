//! Orders of dimensions.

/// Up to this many dimensions of a tile are tried in all orders, more of them in as many orders as they are.
pub(super) const PERMUTED: usize = 4;

/// All orders of `items`, lexicographically; of many items, one order with each of them last.
pub(super) fn orders(items: &[usize]) -> Vec<Vec<usize>> {
    if items.len() <= PERMUTED {
        return permutations(items);
    }
    let ends_with = |last: &usize| items.iter().filter(|item| *item != last).chain([last]).copied().collect();
    items.iter().rev().map(ends_with).collect()
}

/// All orders of `items`, lexicographically.
fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    let mut all = vec![vec![]];
    for _ in items {
        all = all
            .into_iter()
            .flat_map(|prefix: Vec<usize>| {
                let rest: Vec<usize> = items.iter().copied().filter(|k| !prefix.contains(k)).collect();
                rest.into_iter().map(move |k| prefix.iter().copied().chain([k]).collect())
            })
            .collect();
    }
    all
}
