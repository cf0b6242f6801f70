//! The handshakes of generated modules, of a matrix product and a stencil at tiny sizes: what the generator prints under `FORMAL`.
//!
//! Every module is proved by itself, with the cells inside it; the accelerator then shows that its parts keep what they assume of each
//! other. What is assumed of the accelerator's surroundings is `A_RUN`, and that a word from memory waits until it is taken.

use std::path::Path;
use std::process::Command;

use crate::By::{Abc, QuickSteps};
use crate::solver::Files;
use crate::{Mutation, Proof, mutation, prove_module};

/// A run begins when none is under way, and its size stays.
const A_RUN: &str = "    (* anyconst *) wire [2:0] size;
    reg under_way_reg;
    always @(posedge clk) under_way_reg <= !rst && (start || (under_way_reg && !done));
    always @* assume (arg_N == size && !(start && under_way_reg));";

/// For covers and mutations alone: a run begins at once, and so do memory's words.
const QUICK: &str = "    always @* assume (s_read_valid && start == !under_way_reg);";

const MATMUL: &str = "#include <stdint.h>
#pragma burstc size(N: 2, max 2)
void matmul(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N])
{
#pragma burstc tile(i:1, j:1, k:1)
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                c[i][j] += a[i][k] * b[k][j];
}
";

const STENCIL: &str = "#include <stdint.h>
#pragma burstc size(N: 4, max 4)
void stencil(int N, int32_t a[N], int32_t b[N])
{
#pragma burstc tile(i:1)
    for (int i = 1; i < N - 1; i++)
        b[i] = a[i - 1] + 2 * a[i] + a[i + 1];
}
";

const ROWS: &[Mutation] = &[
    mutation(
        "assign m_row_valid = state == END ||",
        "assign m_row_valid = (state == END && !m_row_ready) ||",
        &["!m_row_waits || m_row_valid"],
    ),
    mutation(
        "assign m_row_first = first;",
        "assign m_row_first = first ^ m_row_ready;",
        &["!m_row_waits || m_row_word"],
    ),
];

/// Rows that come out of a pipeline.
const COMPUTE_ROWS: &[Mutation] = &[
    mutation(
        "assign m_row_valid = (state == END && rows_are_given) ||",
        "assign m_row_valid = (state == END && rows_are_given && !m_row_ready) ||",
        &["!m_row_waits || m_row_valid"],
    ),
    ROWS[1],
];

const TILE_VALID: Mutation = mutation(
    "assign m_tile_valid = tile_valid;",
    "assign m_tile_valid = tile_valid && !m_tile_ready;",
    &["!m_tile_waits || m_tile_valid"],
);

const MATMUL_TILES: &[Mutation] = &[
    TILE_VALID,
    mutation(
        "assign m_tile_first = strip_starts;",
        "assign m_tile_first = strip_starts ^ m_tile_ready;",
        &["!m_tile_waits || m_tile_word"],
    ),
];

const STENCIL_TILES: &[Mutation] = &[
    TILE_VALID,
    mutation(
        "assign m_tile_data = {tile_T0, tile_end};",
        "assign m_tile_data = {tile_T0, tile_end ^ m_tile_ready};",
        &["!m_tile_waits || m_tile_data"],
    ),
];

/// A process gives a tile on before it has its token, and takes it back.
const FINISHED_VALID: Mutation = mutation(
    "assign m_tile_valid = under_way_valid && token_valid;",
    "assign m_tile_valid = under_way_valid && !m_tile_ready;",
    &["!m_tile_waits || m_tile_valid"],
);

/// The tile that a process gives on changes while it waits.
const FINISHED_DATA: Mutation = mutation(
    "assign m_tile_data = under_way_tile;",
    "assign m_tile_data = under_way_tile ^ m_tile_ready;",
    &["!m_tile_waits || m_tile_data"],
);

/// A command's address changes while it waits.
const COMMAND_ADDRESS: Mutation = mutation(
    "assign m_cmd_address = burst_address;",
    "assign m_cmd_address = burst_address ^ m_cmd_ready;",
    &["!m_cmd_waits || m_cmd_word"],
);

const MATMUL_LOAD: &[Mutation] = &[
    FINISHED_VALID,
    FINISHED_DATA,
    mutation(
        "assign m_cmd_valid = burst_state == ISSUE && row_valid;",
        "assign m_cmd_valid = burst_state == ISSUE && !m_cmd_ready;",
        &["!m_cmd_waits || m_cmd_valid"],
    ),
    COMMAND_ADDRESS,
    mutation(
        "wire may_start = tiles_ahead_of_compute < 2'd2 &&",
        "wire may_start =",
        &["!(&tiles_ahead_of_compute_before"],
    ),
    mutation("&& tiles_ahead_of_store != 2'd3;", ";", &["!(&tiles_ahead_of_store_before"]),
    mutation(
        "assign m_fill_a_valid = filling &&",
        "assign m_fill_a_valid = filling && !m_fill_a_ready &&",
        &["!m_fill_a_waits || m_fill_a_valid"],
    ),
    mutation(
        "assign m_fill_b_valid = filling &&",
        "assign m_fill_b_valid = filling && !m_fill_b_ready &&",
        &["!m_fill_b_waits || m_fill_b_valid"],
    ),
    mutation(
        "assign m_fill_c_valid = filling &&",
        "assign m_fill_c_valid = filling && !m_fill_c_ready &&",
        &["!m_fill_c_waits || m_fill_c_valid"],
    ),
    mutation(
        "        if (s_read_valid && s_read_ready) begin",
        "        if (1'b1) begin",
        &["!m_fill_a_waits || m_fill_a_word", "!m_fill_b_waits || m_fill_b_word", "!m_fill_c_waits || m_fill_c_word"],
    ),
];

const STENCIL_LOAD: &[Mutation] = &[
    FINISHED_VALID,
    FINISHED_DATA,
    MATMUL_LOAD[2],
    COMMAND_ADDRESS,
    MATMUL_LOAD[4],
    MATMUL_LOAD[5],
    mutation(
        "assign m_fill_a_valid = filling;",
        "assign m_fill_a_valid = filling && !m_fill_a_ready;",
        &["!m_fill_a_waits || m_fill_a_valid"],
    ),
    mutation(
        "        if (s_read_valid && s_read_ready) begin",
        "        if (1'b1) begin",
        &["!m_fill_a_waits || m_fill_a_word"],
    ),
];

const COMPUTE: &[Mutation] = &[
    FINISHED_VALID,
    FINISHED_DATA,
    mutation(
        "wire may_start = tiles_ahead_of_store < 2'd2;",
        "wire may_start = 1'b1;",
        &["!(&tiles_ahead_of_store_before"],
    ),
];

const STORE: &[Mutation] = &[
    mutation(
        "assign m_cmd_valid = burst_state == ISSUE && row_valid;",
        "assign m_cmd_valid = burst_state == ISSUE && row_valid && !m_cmd_ready;",
        &["!m_cmd_waits || m_cmd_valid"],
    ),
    COMMAND_ADDRESS,
    mutation(
        "assign m_write_valid = outgoing_valid;",
        "assign m_write_valid = outgoing_valid && !m_write_ready;",
        &["!m_write_waits || m_write_valid"],
    ),
    mutation(
        "assign m_write_data = outgoing_data;",
        "assign m_write_data = outgoing_data ^ m_write_ready;",
        &["!m_write_waits || m_write_word"],
    ),
    mutation("if (drain_step && !(outgoing_valid && outgoing_ready)) begin", "if (1'b1) begin", &["credit_before"]),
    mutation("credit <= credit - 4'd1;", "credit <= credit + 4'd7;", &["!(&credit_before"]),
    mutation(
        "end else if (m_stored && !(s_tile_valid && s_tile_ready)) begin",
        "end else if (1'b1) begin",
        &["tiles_inside_before"],
    ),
];

const ACCELERATOR: &[Mutation] = &[
    mutation(
        ".m_cmd_ready(m_cmd_ready),",
        ".m_cmd_ready(1'b1),",
        &["!m_cmd_waits || m_cmd_valid", "!m_cmd_waits || m_cmd_word"],
    ),
    mutation(
        ".m_write_ready(m_write_ready),",
        ".m_write_ready(1'b1),",
        &["!m_write_waits || m_write_valid", "!m_write_waits || m_write_word"],
    ),
    mutation(".s_tile_valid(computed_valid),", ".s_tile_valid(loaded_valid),", &["!token_stored", "!store_cmd_valid"]),
];

const fn part(cell: &'static str, steps: usize, mutations: &'static [Mutation]) -> Proof {
    Proof { cell, parameters: &[""], steps, by: Abc(&[]), cover_steps: 35, mutations }
}

/// That the credits stay below what their register holds, and that no more tiles leave than came, takes invariants over all
/// that is under way.
const fn store(cell: &'static str) -> Proof {
    Proof { by: Abc(&[&["!(&credit_before", "tiles_inside_before"]]), ..part(cell, 30, STORE) }
}

const fn whole(cell: &'static str, steps: usize, quick: usize, cover_steps: usize) -> Proof {
    Proof { cell, parameters: &[""], steps, by: QuickSteps(quick), cover_steps, mutations: ACCELERATOR }
}

const MATMUL_PROOFS: &[Proof] = &[
    part("matmul_tile_rows", 20, ROWS),
    part("matmul_tiles", 20, MATMUL_TILES),
    part("matmul_load_rows", 20, ROWS),
    part("matmul_load", 30, MATMUL_LOAD),
    part("matmul_compute_rows", 20, COMPUTE_ROWS),
    part("matmul_compute", 30, COMPUTE),
    part("matmul_store_rows", 20, ROWS),
    store("matmul_store"),
    whole("matmul_accelerator", 40, 60, 90),
];

const STENCIL_PROOFS: &[Proof] = &[
    part("stencil_tile_rows", 20, ROWS),
    part("stencil_tiles", 20, STENCIL_TILES),
    part("stencil_load_rows", 20, ROWS),
    part("stencil_load", 30, STENCIL_LOAD),
    part("stencil_compute_rows", 20, COMPUTE_ROWS),
    part("stencil_compute", 30, COMPUTE),
    part("stencil_store_rows", 20, ROWS),
    store("stencil_store"),
    whole("stencil_accelerator", 50, 60, 60),
];

/// Builds a kernel and proves its modules.
fn prove_kernel(name: &str, source: &str, proofs: &[Proof]) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(format!("{name}.c"));
    std::fs::write(&file, source).expect("the folder is writable");
    let out = folder.path().join("out");
    let output = Command::new(env!("CARGO_BIN_EXE_burstc"))
        .arg("build")
        .arg(&file)
        .args(["--board", "stratix2-ddr400", "--out"])
        .arg(&out)
        .output()
        .expect("burstc runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let modules = out.join("rtl");
    for proof in proofs {
        match proof.by {
            QuickSteps(_) => {
                let files = Files::of_whole(&modules, proof.cell).with(A_RUN);
                prove_module(proof, &files, &files.clone().with(QUICK));
            }
            _ => prove_module(proof, &Files::in_folder(&modules, proof.cell), &Files::in_folder(&modules, proof.cell)),
        }
    }
    every_module_is_proved(&modules, name, proofs);
}

/// All generated modules with properties have a proof.
fn every_module_is_proved(modules: &Path, name: &str, proofs: &[Proof]) {
    let generated = crate::solver::modules(modules).into_iter().filter(|module| module.starts_with(name));
    let stated = generated.filter(|module| Files::in_folder(modules, module).assertions().next().is_some());
    let missing: Vec<String> = stated.filter(|module| proofs.iter().all(|proof| proof.cell != module)).collect();
    assert!(missing.is_empty(), "no proof runs of {missing:?}");
}

#[test]
fn handshakes_of_a_matrix_product() {
    prove_kernel("matmul", MATMUL, MATMUL_PROOFS);
}

#[test]
fn handshakes_of_a_stencil() {
    prove_kernel("stencil", STENCIL, STENCIL_PROOFS);
}
