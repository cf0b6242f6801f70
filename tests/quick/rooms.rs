//! The order of rooms that ARCHITECTURE's tables state: no room imports one further down.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// The rooms of the first table behind `heading`, in its order.
fn table(heading: &str) -> Vec<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/ARCHITECTURE.md")).unwrap();
    let rows = text.lines().skip_while(|line| *line != heading).skip_while(|line| !line.starts_with("| `"));
    rows.map_while(|line| line.strip_prefix("| `")?.split_once('`').map(|(room, _)| room.to_string())).collect()
}

/// Rust files below `folder`, but tests.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().to_string();
        if name.ends_with("tests") {
            continue;
        }
        match path.is_dir() {
            true => files(&path, found),
            false => found.push(path),
        }
    }
}

/// What `text` names behind `prefix`, groups in braces resolved, comments and unit tests left out.
fn imports(text: &str, prefix: &str) -> BTreeSet<String> {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let code = code.split("#[cfg(test)]\nmod").next().unwrap();
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let mut depth = 0;
        let mut word = String::new();
        // At depth 0 (no brace) the first word counts, at depth 1 the first of every item.
        let mut begins = true;
        for c in rest.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                c if c.is_alphanumeric() || c == '_' => {
                    if begins {
                        word.push(c);
                    }
                    continue;
                }
                _ => {}
            }
            if !word.is_empty() {
                found.insert(std::mem::take(&mut word));
            }
            begins = match c {
                ',' | '{' => depth == 1,
                c => begins && c.is_whitespace(),
            };
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// The most `super::` in a row, comments and unit tests left out.
fn climbs(text: &str) -> usize {
    let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let code = code.split("#[cfg(test)]\nmod").next().unwrap();
    let mut most = 0;
    for (at, _) in code.match_indices("super::") {
        most = most.max(code[at..].split("super::").skip(1).take_while(|between| between.is_empty()).count() + 1);
    }
    most
}

/// Imports of rooms further down, of all files below `folder`, whose rooms are `rooms` and are named behind `prefix`.
fn against_the_order(folder: &str, prefixes: &[&str], rooms: &[String]) -> Vec<String> {
    let root = Path::new(ROOT).join(folder);
    let mut all = vec![];
    files(&root, &mut all);
    let place: BTreeMap<&str, usize> = rooms.iter().enumerate().map(|(k, room)| (room.as_str(), k)).collect();
    assert!(place.len() > 8, "{rooms:?}");
    let (mut faults, mut seen) = (vec![], BTreeSet::new());
    for path in all {
        let relative = path.strip_prefix(&root).unwrap().with_extension("");
        let own = relative.iter().next().unwrap().to_string_lossy().to_string();
        if ["lib", "mod"].contains(&own.as_str()) {
            continue;
        }
        let Some(&here) = place.get(own.as_str()) else {
            faults.push(format!("{own} is no room of the table"));
            continue;
        };
        let text = std::fs::read_to_string(&path).unwrap();
        // `super` must not lead around the names that are looked for.
        let modules = relative.iter().filter(|module| *module != "mod").count();
        if climbs(&text) >= modules {
            faults.push(format!("{} leaves its room by super", relative.display()));
        }
        seen.insert(own);
        for other in prefixes.iter().flat_map(|prefix| imports(&text, prefix)) {
            if place.get(other.as_str()).is_some_and(|&there| there > here) {
                faults.push(format!("{} imports {other}", relative.display()));
            }
        }
    }
    faults.extend(rooms.iter().filter(|room| !seen.contains(*room)).map(|room| format!("there is no room {room}")));
    faults
}

#[test]
fn no_room_imports_one_further_down() {
    let faults = against_the_order("src", &["crate::", "burstc::"], &table("## Rooms"));
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn no_room_of_the_hardware_imports_one_further_down() {
    let rooms = table("## Inside the accelerator (`src/hardware/`)");
    let faults = against_the_order("src/hardware", &["crate::hardware::"], &rooms);
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn ways_up_are_counted() {
    let text = "use super::super::a;\n// super::super::super::b\nlet x = super::c();\n#[cfg(test)]\nmod tests { use super::super::super::d; }";
    assert_eq!(climbs(text), 2);
    assert_eq!(climbs("use crate::a;"), 0);
}

#[test]
fn imports_are_found_in_groups_too() {
    let text =
        "use crate::{Options, board, budget::{watch, phase}, process};\n// crate::main\nlet x = crate::walk::f();";
    let expected = ["Options", "board", "budget", "process", "walk"].map(String::from);
    assert_eq!(imports(text, "crate::"), BTreeSet::from(expected));
}
