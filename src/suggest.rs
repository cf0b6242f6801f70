//! "Did you mean …?": the known name nearest to what the user typed.

/// The candidate with the smallest edit distance to `word`, if it is near enough to be a slip of the finger: at most a
/// third of the word, and at least one edit, is allowed to differ.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// The sentence that ends a message about an unknown `word`: the nearest name where one is near, then all of them.
pub fn known<'a>(what: &str, word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let list = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    match nearest(word, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? Known {what}: {list}"),
        None => format!("known {what}: {list}"),
    }
}

/// Levenshtein's distance, in characters; a swap of two neighbours counts as one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                replaced.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(swapped)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_what_is_near() {
        let names = ["stratix2-ddr400", "verilator"];
        assert_eq!(nearest("stratix2-ddr40", names), Some("stratix2-ddr400"));
        assert_eq!(nearest("Verilator", names), Some("verilator"));
        assert_eq!(nearest("veirlator", names), Some("verilator"));
        assert_eq!(nearest("cyclone", names), None);
        assert_eq!(distance("", "abc"), 3);
    }

    #[test]
    fn always_lists_what_is_known() {
        assert_eq!(known("names", "M", ["N", "alpha"]), "did you mean `N`? Known names: N, alpha");
        assert_eq!(known("names", "beta", []), "known names: none");
    }
}
