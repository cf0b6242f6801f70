//! Input that is refused: exit code 2, the source line, the cause, the remedy, and nothing left behind.

use assert_cmd::Command;

/// A kernel with the given directives, parameters and loop nest; its lines are counted from 1.
fn kernel(size: &str, parameters: &str, tile: &str, nest: &str) -> String {
    format!("#include <stdint.h>\n{size}\nvoid k({parameters})\n{{\n{tile}\n{nest}\n}}\n")
}

const SIZE: &str = "#pragma burstc size(N: 40, max 1000)";
const TILE: &str = "#pragma burstc tile(i:8)";
const VECTORS: &str = "int N, int32_t a[N], int32_t b[N]";

/// Refuses `text` with every one of `words` in its message.
fn refused(text: &str, words: &[&str]) {
    refused_with(text, &[], words);
}

fn refused_with(text: &str, options: &[&str], words: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.c"), text).expect("the folder is writable");
    for verb in [&["build", "k.c", "--out", "out"][..], &["run", "k.c"][..]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
        let assert = command.current_dir(&folder).env("NO_COLOR", "1").args(verb).args(options).assert().code(2);
        let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
        // Messages are wrapped.
        let flat = error.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(flat.contains(word), "{verb:?}: no {word:?} in\n{error}");
        }
        assert!(!flat.contains("panicked"), "{error}");
        let left: Vec<_> = std::fs::read_dir(&folder).expect("readable").collect();
        assert_eq!(left.len(), 1, "{verb:?} left something behind");
    }
}

#[test]
fn a_subscript_that_is_not_affine() {
    let nest = "for (int i = 0; i < N; i++)\n    b[i] = a[i * i];";
    refused(&kernel(SIZE, VECTORS, TILE, nest), &["k.c:7", "affine", "help:"]);
}

#[test]
fn an_illegal_theta_names_the_dependence() {
    let parameters = "int N, int32_t a[N + 1][N + 1]";
    let tile = "#pragma burstc schedule((i,j) -> (i, j)) tile(4, 4)";
    let nest = "for (int i = 1; i < N; i++)\n    for (int j = 0; j < N; j++)\n        a[i][j] = a[i - 1][j + 1] + 1;";
    refused(&kernel(SIZE, parameters, tile, nest), &["k.c:5", "S0", "a", "(1, -1)", "help:"]);
}

#[test]
fn tiles_that_need_more_block_ram_than_there_is() {
    let text = kernel(
        "#pragma burstc size(N: 40, max 1000000)",
        VECTORS,
        "#pragma burstc tile(i:200000)",
        "for (int i = 0; i < N; i++)\n    b[i] = a[i];",
    );
    refused(&text, &["k.c:5", "bits of block RAM", "board has 9383040", "smaller tiles"]);
}

/// Nobody gave tiles: the place is the array that needs most.
#[test]
fn kernels_that_need_more_block_ram_than_there_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let board = folder.path().join("small.toml");
    let usual = std::fs::read_to_string("boards/generic-axi4.toml").expect("a profile");
    let small = usual.replace("count = 128", "count = 1").replace("bits = 18432", "bits = 64");
    std::fs::write(&board, small).expect("the folder is writable");
    let vectors = "int N, int16_t a[N],\n    int32_t b[N]";
    let text = kernel(SIZE, vectors, "", "for (int i = 0; i < N; i++)\n    b[i] = a[i];");
    let words = ["k.c:4", "`b` needs the largest buffer", "bits of block RAM", "board has 64", "smaller tiles"];
    refused_with(&text, &["--board", &board.to_string_lossy()], &words);
}

#[test]
fn arrays_beyond_the_memory() {
    let text = kernel(
        "#pragma burstc size(N: 40, max 9000000)",
        VECTORS,
        TILE,
        "for (int i = 0; i < N; i++)\n    b[i] = a[i];",
    );
    refused(&text, &["k.c:3", "72007680 bytes", "16777216", "--max N="]);
}

#[test]
fn an_unknown_directive() {
    let text = kernel(SIZE, VECTORS, "#pragma burstc tiel(i:8)", "for (int i = 0; i < N; i++)\n    b[i] = a[i];");
    refused(&text, &["k.c:5", "tiel", "did you mean `tile`"]);
}

#[test]
fn an_unknown_board() {
    let text = kernel(SIZE, VECTORS, TILE, "for (int i = 0; i < N; i++)\n    b[i] = a[i];");
    refused_with(&text, &["--board", "stratix"], &["stratix", "stratix2-ddr400"]);
}

#[test]
fn a_while_loop() {
    refused(&kernel(SIZE, VECTORS, TILE, "int i = 0;\nwhile (i < N)\n    b[i] = a[i++];"), &["k.c:", "help:"]);
    refused(
        &kernel(SIZE, VECTORS, TILE, "while (N > 0)\n    b[0] = a[0];"),
        &["k.c:6", "changes nothing", "while (i < n)"],
    );
}

#[test]
fn pointers_that_may_alias() {
    let text = kernel(SIZE, "int N, int32_t *a, int32_t b[N]", TILE, "for (int i = 0; i < N; i++)\n    b[i] = a[i];");
    refused(&text, &["k.c:3", "alias", "a[N]"]);
}

#[test]
fn a_parameter_without_a_bound() {
    let text = kernel("", VECTORS, TILE, "for (int i = 0; i < N; i++)\n    b[i] = a[i];");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("k.c"), text).expect("the folder is writable");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    let assert = command.current_dir(&folder).args(["build", "k.c", "--out", "out"]).assert().code(2);
    let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    for word in ["k.c:3", "no bound", "size(N: 128, max 4096)", "--max N=4096"] {
        assert!(error.contains(word), "no {word:?} in\n{error}");
    }
    assert!(!folder.path().join("out").exists());
}

#[test]
fn loops_that_never_run() {
    let nest = "for (int i = 5; i < 3; i++)\n    b[i] = a[i];";
    refused(&kernel(SIZE, "int N, int32_t a[N + 5], int32_t b[N + 5]", TILE, nest), &["k.c:7", "never", "help:"]);
}

#[test]
fn files_that_are_missing_empty_or_not_c() {
    refused("", &["empty"]);
    refused("#include <stdint.h>\n\nint32_t x;\n", &["k.c:3", "defines no function", "help:"]);
    refused("\u{7f}ELF\u{1}\u{2} nonsense {{{", &["k.c"]);
    refused("fn main() { println!(\"not C\"); }\n", &["k.c:1"]);
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    let assert = command.current_dir(&folder).args(["build", "gone.c", "--out", "out"]).assert().code(2);
    let error = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(error.contains("gone.c"), "{error}");
    assert_eq!(std::fs::read_dir(&folder).expect("readable").count(), 0);
}
