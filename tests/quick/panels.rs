//! A matrix that is updated by a row and a column of itself: where no buffers fit, both have local arrays, which
//! `tests/kernels/panels.c` and the random programs of that kind compare with the C program.

use burstc::buffer::blocks;
use burstc::choose_lanes::Request;
use burstc::offload::Offload;
use burstc::source::Source;
use burstc::source::kernel::Storage;
use burstc::{Options, analyze, board};

const BOARD: &str = "stratix2-ddr400";

fn analyzed(text: String) -> anyhow::Result<Offload> {
    analyze(&Source { path: "k.c".into(), text, cpp_args: vec![] }, &board::load(BOARD)?, &Options::default())
}

/// All shortest paths of PolyBench MEDIUM.
fn floyd_warshall(element: &str, directives: &str) -> anyhow::Result<Offload> {
    analyzed(format!(
        "#pragma burstc size(n: 500, max 500)
         void k(int n, {element} path[500][500])
         {{
         {directives}
             for (int k = 0; k < n; k++)
                 for (int i = 0; i < n; i++)
                     for (int j = 0; j < n; j++)
                         path[i][j] = path[i][j] < path[i][k] + path[k][j] ? path[i][j] : path[i][k] + path[k][j];
         }}"
    ))
}

/// The array is on chip as a whole, once for three references, where that has room: 500 x 512 words of 32 bits. Of 64 bits it is in
/// tiles, of which a strip has a row or a column of the array, and a block in tiles before and behind.
#[test]
fn shortest_paths_fit_the_block_ram() {
    let room = u128::from(board::load(BOARD).unwrap().block_ram_bits());
    for (element, most) in [("float", 512 * 512), ("double", 512 * 64)] {
        let offload = floyd_warshall(element, "").unwrap();
        assert!(blocks::bits(&offload.kernel, &offload.buffers) <= room, "{element}");
        let own = offload.buffers.iter().find(|buffer| offload.kernel.arrays[buffer.array].name == "path").unwrap();
        assert!(own.memories() as i64 * own.words() <= most, "{element}: {} words", own.words());
        let is_local = |array: &&burstc::source::kernel::Array| array.storage != Storage::Argument;
        assert_eq!(offload.kernel.arrays.iter().filter(is_local).count(), 2);
        // What is printed makes the same hardware.
        let printed: Vec<String> =
            offload.bands.iter().map(|band| burstc::source::directive_text(&band.tiling, &offload.kernel)).collect();
        assert!(printed.iter().all(|text| text.ends_with(" panels(path)")), "{printed:?}");
        let pasted = floyd_warshall(element, &printed.join("\n")).unwrap();
        assert_eq!((pasted.buffers, pasted.tiles), (offload.buffers, offload.tiles), "{element}");
    }
}

/// Where the buffers fit without panels there are none; and where panels would not help, the refusal is that of the kernel.
#[test]
fn panels_are_for_what_does_not_fit() {
    let update = |most: i64, value: &str| {
        analyzed(format!(
            "#pragma burstc size(n: max {most})
             void k(int n, double d[n][n], double c[n][n])
             {{
             #pragma burstc tile(k:1, i:{most}, j:{most})
                 for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) d[i][j] += {value};
             }}"
        ))
    };
    assert_eq!(update(40, "d[i][k] * d[k][j]").unwrap().kernel.arrays.len(), 2);
    let refused = update(1024, "d[i][k] * d[k][j]").expect_err("tiles that somebody gave stay");
    assert!(format!("{refused:#}").contains("bits of block RAM"), "{refused:#}");
}

/// `d[i][k + 1]` and `d[i][k]` are columns of their own; `d[i][j]` and `c` are none; a row that every iteration writes is none.
#[test]
fn panels_are_rows_and_columns_that_a_loop_fixes() {
    let panels = |value: &str, target: &str| {
        let text = format!(
            "#pragma burstc size(n: max 40)
             #pragma burstc panels(d)
             void k(int n, int d[n + 1][n + 1], int c[n + 1][n + 1])
             {{
                 for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {target} += {value};
             }}"
        );
        analyzed(text).map(|offload| offload.kernel.arrays.len() - 2)
    };
    assert_eq!(panels("d[i][k] * d[i][k + 1]", "d[i][j]").unwrap(), 2);
    assert_eq!(panels("d[i][k] * c[k][j] + d[i][j]", "d[i][j]").unwrap(), 1);
    assert_eq!(panels("d[n - k][j] + d[k][j]", "d[i][j]").unwrap(), 2);
    for (value, target) in [("c[i][k] * c[k][j]", "d[i][j]"), ("d[i][k]", "c[i][j]"), ("d[k][j]", "d[k][i]")] {
        let refused = panels(value, target).err().unwrap_or_else(|| panic!("{target} += {value} has panels"));
        assert!(format!("{refused:#}").contains("`d` has no panels"), "{refused:#}");
    }
}

/// Where the statements read a row that is in the middle of those that they write, lanes are possible with panels only: along j, as the
/// loops are cut at the row and at the column.
#[test]
fn panels_are_for_lanes() {
    let paths = |request: Option<Request>| {
        let text = "#pragma burstc size(n: 96, max 96)
             void k(int n, float d[n][n])
             {
                 for (int k = 0; k < n; k++)
                     for (int i = 0; i < n; i++)
                         for (int j = 0; j < n; j++)
                             d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];
             }";
        let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
        let board = board::load("zcu104").unwrap();
        analyze(&source, &board, &Options { lanes: request, ..Options::default() }).unwrap()
    };
    let count = |offload: &Offload| {
        offload.bands.iter().filter_map(|band| band.compute.lanes.as_ref()).map(|lanes| lanes.count).max()
    };
    let (chosen, alone) = (paths(Some(Request::Automatic)), paths(Some(Request::Count(1))));
    assert!(count(&chosen) >= Some(8), "{:?}", count(&chosen));
    assert_eq!((count(&alone), alone.kernel.arrays.len()), (None, 1), "one lane needs no panels");
    assert_eq!(count(&paths(Some(Request::Count(4)))), Some(4));
}
