//! Buffers that are no larger than they must be: slots of tiles by counting the tiles that have cells on chip, and first
//! subscripts that need no modulo. The expected words are counted by hand.

use std::collections::BTreeMap;

use burstc::ids::BandId;
use burstc::offload::Offload;
use burstc::source::Source;
use burstc::{Options, analyze, board, choose_lanes};

use crate::kernels::pipeline;

fn analyzed(text: String, lanes: i64) -> Offload {
    let source = Source { path: "k.c".into(), text, cpp_args: vec![] };
    let options = Options { lanes: Some(choose_lanes::Request::Count(lanes)), ..Options::default() };
    analyze(&source, &board::load("stratix2-ddr400").unwrap(), &options).unwrap()
}

fn words(offload: &Offload, name: &str) -> i64 {
    let buffer = offload.buffers.iter().find(|buffer| offload.kernel.arrays[buffer.array].name == name);
    buffer.unwrap().words()
}

fn check(offload: &Offload, sizes: &[i64]) {
    sizes.iter().for_each(|n| pipeline::check(offload, &BTreeMap::from([("N".to_string(), *n)])));
}

/// Of what is loaded and stored, a tile's cells are on chip with those of the tile before and those of the tile behind: three
/// slots. What is loaded only has two.
#[test]
fn tiles_take_three_slots_in_turn() {
    let offload = analyzed(
        "#pragma burstc size(N: 40, max 500)
         void k(int N, int a[N][N], int c[N][N])
         {
         #pragma burstc tile(i:16, j:16)
             for (int i = 0; i < N; i++)
                 for (int j = 0; j < N; j++)
                     c[i][j] += 3 * a[i][j];
         }"
        .into(),
        1,
    );
    assert_eq!([words(&offload, "a"), words(&offload, "c")], [2 * 16 * 16, 3 * 16 * 16]);
    check(&offload, &[1, 16, 17, 50, 70]);
}

/// All of x stays on chip: N words, in a multiple of 16 or of the banks; of b all rows of a block of columns.
#[test]
fn memories_end_behind_the_last_row() {
    let text = |most: i64| {
        format!(
            "#pragma burstc size(N: 40, max {most})
             void k(int N, int a[N][N], int b[N][N], int x[N])
             {{
             #pragma burstc tile(i:16, j:16, k:16) strip(2)
                 for (int j = 0; j < N; j++)
                     for (int i = 0; i < N; i++)
                         for (int k = 0; k < N; k++)
                             a[i][j] += b[k][j] * x[k];
             }}"
        )
    };
    for (most, rows, of_eight) in
        [(600, 608, 608), (512, 512, 512), (513, 528, 528), (1000, 1008, 1008), (1010, 1024, 1024)]
    {
        // In lanes strips have two places in turn, whose memories are a power of two long.
        for (lanes, rows) in [(1, rows), (8, 2 * (of_eight as u64).next_power_of_two() as i64)] {
            let offload = analyzed(text(most), lanes);
            assert_eq!(words(&offload, "x"), rows, "up to {most}, {lanes} lanes");
            let x = offload.buffers.iter().find(|b| offload.kernel.arrays[b.array].name == "x").unwrap();
            assert_eq!(x.mappings[BandId(0)].as_ref().unwrap().exact_moduli, [most]);
        }
    }
    check(&analyzed(text(600), 1), &[1, 16, 33]);
}
