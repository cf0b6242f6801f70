//! Names of modules and of the ports between them are made of the C program's. Where two come out alike, for `a` in copy 0
//! and `a_0`, or for `a` and `A` as files, the arrays get a number that no other name can have.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::hardware::circuit::library;
use crate::offload::Offload;
use crate::rtl::Design;

/// Modules of the simulation that stand beside the accelerator's in one folder or one simulator.
const BENCHES: [&str; 3] = ["tb_accelerator", "tb_board", "tb_bus"];

/// What the modules of a kernel are called behind its name, the buffers apart.
const MODULES: [&str; 14] = [
    "tiles",
    "tile_rows",
    "load",
    "load_rows",
    "compute",
    "compute_rows",
    "store",
    "store_rows",
    "accelerator",
    "direct",
    "direct_rows",
    "registers",
    "top",
    "board",
];

/// What the modules of the function `name` begin with: the name itself, but where a library cell or a bench is called
/// so.
pub fn prefix(name: &str) -> String {
    let foreign: BTreeSet<String> = library::names().chain(BENCHES).map(|module| module.to_ascii_lowercase()).collect();
    let mut prefix = name.to_string();
    let is_taken = |prefix: &str| {
        MODULES.iter().any(|module| foreign.contains(&format!("{prefix}_{module}").to_ascii_lowercase()))
    };
    while is_taken(&prefix) {
        prefix.push('_');
    }
    prefix
}

/// What the names of a unit's signals begin with: nothing where there is one.
pub fn of_unit(units: i64, unit: i64) -> String {
    if units > 1 { format!("unit{unit}_") } else { String::new() }
}

/// The top of the accelerator of the function `kernel`.
pub fn top(kernel: &str) -> String {
    format!("{}_top", prefix(kernel))
}

/// The top of the direct version.
pub fn direct_top(kernel: &str) -> String {
    format!("{}_direct_top", prefix(kernel))
}

/// What `build` makes of `offload`, whose kernel may get other names for it.
pub fn without_clash(offload: &Offload, build: impl Fn(&Offload) -> Design) -> Design {
    let mut named = Cow::Borrowed(offload);
    let prefix = prefix(&offload.kernel.name);
    if prefix != offload.kernel.name {
        named.to_mut().kernel.name = prefix;
    }
    let design = build(&named);
    if !clashes(&design) {
        return design;
    }
    // What stands behind an array's name has no two marks in a row, so the last ones tell its number.
    for (number, array) in named.to_mut().kernel.arrays.iter_mut().enumerate() {
        array.name = format!("{}__{number}", array.name);
    }
    build(&named)
}

fn clashes(design: &Design) -> bool {
    let mut names = BTreeSet::new();
    let modules = design.modules.iter();
    modules
        .fold(false, |clash, module| clash | module.ports_clash() | !names.insert(module.name().to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_called_like_a_bench_or_a_cell() {
        assert_eq!([top("matmul"), top("fifo"), top("tb")], ["matmul_top", "fifo_top", "tb__top"]);
        assert_eq!(direct_top("TB"), "TB__direct_top");
    }
}
