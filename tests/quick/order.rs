//! Orders inside tiles that somebody asks for: what is legal runs as the program does, and what is printed is read again.

use std::collections::BTreeMap;

use burstc::choose_lanes::Request;
use burstc::diagnostic::Diagnostic;
use burstc::offload::Offload;
use burstc::source::{Source, directive_text};
use burstc::{Options, analyze, board};

use crate::common::root;
use crate::kernels::pipeline;

fn analyzed(text: &str) -> anyhow::Result<Offload> {
    let source = Source { path: "k.c".into(), text: text.into(), cpp_args: vec![] };
    analyze(&source, &board::load("zcu104")?, &Options::default())
}

/// Runs it on the naive machine, against the program as written.
fn check(offload: &Offload, sizes: &[i64]) {
    let names = offload.kernel.parameters.iter().map(|parameter| parameter.name.clone());
    pipeline::check(offload, &names.zip(sizes.iter().copied()).collect::<BTreeMap<_, _>>());
}

fn gemm(directive: &str) -> String {
    format!(
        "#pragma burstc size(N: 12, max 40)\nvoid gemm(int N, int a[N][N], int b[N][N], int c[N][N])\n{{\n\
         #pragma burstc {directive}\nfor (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++)\n\
         for (int k = 0; k < N; k++)\nc[i][j] += a[i][k] * b[k][j];\n}}\n"
    )
}

#[test]
fn every_order_of_three_loops_is_that_of_the_tiles() {
    for order in ["i, j, k", "i, k, j", "j, i, k", "j, k, i", "k, i, j", "k, j, i", "i + j, i, k", "2*i + k, i, j"] {
        for tile in ["tile(i:4, j:4, k:4)", "schedule((i,j,k) -> (j, i, k)) tile(3, 5, 2)"] {
            let offload = analyzed(&gemm(&format!("{tile} order({order})"))).unwrap();
            assert_eq!(offload.bands.raw[0].compute.order, format!("({order})"), "{tile}");
            for n in [0, 1, 7, 12] {
                check(&offload, &[n]);
            }
        }
        // Of lanes along j or i, the ones that are possible in this order.
        if !order.contains('+') {
            let offload = analyzed(&gemm(&format!("tile(i:8, j:8, k:8) lanes(4) order({order})"))).unwrap();
            let text = &offload.bands.raw[0].compute.order;
            assert!(offload.bands.raw[0].compute.lanes.is_some() && *text == format!("({order})"), "{text}");
        }
    }
    // Along a dimension of tile size 1 a tile has one value: it may be left out.
    let offload = analyzed(&gemm("tile(i:4, j:1, k:4) order(k, i)")).unwrap();
    assert_eq!(offload.bands.raw[0].compute.order, "(j, k, i)");
    check(&offload, &[9]);
}

const ROWS: &str = "#pragma burstc size(N: 12, max 40)\nvoid rows(int N, int a[N][N], int b[N])\n{\n\
    #pragma burstc DIRECTIVE\nfor (int i = 0; i < N; i++) {\nb[i] = i;\nfor (int j = 0; j < N; j++)\nb[i] += a[i][j];\n}\n}\n";

#[test]
fn statements_have_places_among_the_others() {
    let rows = |order: &str| analyzed(&ROWS.replace("DIRECTIVE", &format!("tile(i:4, j:4) order({order})")));
    for (order, text) in [
        ("S0[i] -> (i, 0); S1[i,j] -> (i, 1, j)", "S0 (i, 0, 0), S1 (i, 1, j)"),
        ("S0[i] -> (0, i); S1[i,j] -> (1, j, i)", "S0 (0, i, 0), S1 (1, j, i)"),
        ("S1[x,y] -> (x, y, 7); S0[i] -> (i, 0, 3)", "S0 (i, 0, 0), S1 (i, j, 1)"),
    ] {
        let offload = rows(order).unwrap();
        assert_eq!(offload.bands.raw[0].compute.order, text);
        for n in [0, 1, 5, 12] {
            check(&offload, &[n]);
        }
    }
    // Where the places are left out burstc chooses them.
    for order in ["i, j", "j, i"] {
        let offload = rows(order).unwrap();
        assert!(!offload.bands.raw[0].compute.dates.is_empty());
        check(&offload, &[11]);
    }
}

/// What `analyze` prints, pasted, is the same hardware: waves, statements that take turns, loops that θ leaves open, loops that count down.
#[test]
fn what_is_printed_is_read_again() {
    let board = board::load("stratix2-ddr400").unwrap();
    let mut waves = 0;
    for name in
        ["lcs", "gemm", "lu", "syrk", "gemver", "jacobi_1d", "symm", "nussinov", "imperfect", "seidel", "local_arrays"]
    {
        let source = Source::read(&root(&format!("tests/kernels/{name}.c")), vec![]).unwrap();
        let bare = source.text.lines().filter(|l| !l.contains("burstc tile") && !l.contains("burstc schedule"));
        let text = bare.collect::<Vec<_>>().join("\n") + "\n";
        // Lines to paste into, as places in the source are part of what is compared.
        let (head, rest) = text.split_at(text.find("\n    for").unwrap() + 1);
        let room = 8;
        let text = head.to_string() + &"\n".repeat(room) + rest;
        let options = Options { lanes: Some(Request::Usual), ..Options::default() };
        let source = Source { text, ..source };
        let own = analyze(&source, &board, &options).unwrap();
        if own.kernel.statements().iter().any(|statement| !statement.also.is_empty()) {
            continue;
        }
        let pragma = |band: &burstc::offload::Band| {
            let order = own.order_text(band).unwrap_or_default();
            waves += usize::from(order.contains('+'));
            format!("{} {order}\n", directive_text(&band.tiling, &own.kernel))
        };
        let pasted: String = own.bands.iter().map(pragma).collect();
        let again = format!("{head}{pasted}{}{rest}", "\n".repeat(room - own.bands.len()));
        let again = Source { text: again, ..source.clone() };
        let again = analyze(&again, &board, &options).unwrap_or_else(|error| panic!("{name}: {error:#}\n{pasted}"));
        for (own, again) in own.bands.iter().zip(&again.bands) {
            assert_eq!(own.compute, again.compute, "{name}: {pasted}");
        }
        assert_eq!(own.buffers, again.buffers, "{name}");
        // An order that was asked for is part of what is printed of the tiles.
        let order = again.bands.iter().map(|band| directive_text(&band.tiling, &again.kernel)).collect::<String>();
        assert_eq!(order.matches(" order(").count(), again.bands.iter().filter(|b| b.tiling.order.is_some()).count());
    }
    assert!(waves > 0);
}

fn refusal(text: &str) -> Diagnostic {
    analyzed(text).unwrap_err().downcast().unwrap()
}

#[test]
fn what_is_no_order_is_refused_with_the_reason() {
    for (directive, message, help) in [
        ("tile(i:4, j:4, k:4) order(i, j)", "`k` is missing", "here (i, j, k)"),
        ("tile(i:4, j:4, k:4) order(i, i, k)", "`i` is no dimension of it, or one that is there before", "once"),
        ("tile(i:4, j:4, k:4) order(i - j, j, k)", "`i - j` is no dimension", "factors 1 and 2"),
        ("tile(i:4, j:4, k:4) order(i, i + j, k)", "`i + j` is a sum that stands for none", "in front of its other"),
        (
            "tile(i:4, j:4, k:4) order(i + j, i + k, j)",
            "`i + k` is a sum that stands for none",
            "in front of its other",
        ),
        ("tile(i:4, j:4, k:4) order(i, x, k)", "`x` is neither an iterator nor a size", "the names are"),
        ("tile(i:4, j:4, k:4) order(i, j, k) order(i, k, j)", "a second `order`", "one order"),
        ("order(i, j, k)", "an order without tiles", "order(j, i)"),
        ("tile(i:4, j:4, k:4) order(S1[i,j,k] -> (i, j, k))", "there is no statement `S1`", "S0 is"),
        ("tile(i:4, j:4, k:4) order(S0[i,j] -> (i, j))", "is given 2 iterators", "S0[i,j,k]"),
        ("tile(i:4, j:4, k:4) order", "`(` was expected", "order(k, i, j)"),
    ] {
        let found = refusal(&gemm(directive));
        assert!(found.message.contains(message), "{directive}: {found:?}");
        assert!(found.help.contains(help), "{directive}: {found:?}");
        assert_eq!(found.span.map(|span| span.line), Some(4), "{directive}");
    }
    let rows = |directive: &str| refusal(&ROWS.replace("DIRECTIVE", directive));
    let found = rows("schedule(S0[i] -> (i, 0); S1[i,j] -> (i, j)) tile(4, 4) order(i, j)");
    assert!(found.message.contains("2 statements, and the order names none"), "{found:?}");
    let found = rows("tile(i:4, j:4) order(S0[i] -> (i, 0))");
    assert!(found.message.contains("leaves out the statement `S1`"), "{found:?}");
}

/// Counted over the dependences of a small program: of the orders that are refused each reverses one, of the others none.
#[test]
fn orders_that_reverse_a_dependence_are_refused() {
    // S1 reads in (i, j) what S0 has written in i: its place is behind S0's wherever they run in one iteration of i.
    for (order, is_legal) in [
        ("S0[i] -> (i, 1, 0); S1[i,j] -> (i, 0, j)", false),
        ("S0[i] -> (1, i, 0); S1[i,j] -> (0, i, j)", false),
        ("S0[i] -> (i, 0, 1); S1[i,j] -> (i, j, 0)", false),
        ("S0[i] -> (0, i, 0); S1[i,j] -> (1, i, j)", true),
    ] {
        let found = analyzed(&ROWS.replace("DIRECTIVE", &format!("tile(i:4, j:4) order({order})")));
        match is_legal {
            true => check(&found.unwrap(), &[9]),
            false => {
                let found: Diagnostic = found.unwrap_err().downcast().unwrap();
                assert!(found.message.contains("reverses a dependence: flow dependence of S1 on S0"), "{found:?}");
                assert!(found.help.contains("further out") && found.span.is_some(), "{found:?}");
            }
        }
    }
    // θ leaves j and k open: (1, -1) along them is kept where j is outside of k.
    let open = |order: &str| {
        format!(
            "#pragma burstc size(N: 9, max 20)\nvoid open(int N, int a[N + 1][N + 1][N + 1])\n{{\n\
             #pragma burstc schedule((i,j,k) -> (i)) tile(4) order({order})\nfor (int i = 0; i < N; i++)\n\
             for (int j = 1; j <= N; j++)\nfor (int k = 0; k < N; k++)\na[i][j][k] += a[i][j - 1][k + 1];\n}}\n"
        )
    };
    for order in ["i, j, k", "i, k, j", "j, i, k", "j, k, i", "k, i, j", "k, j, i"] {
        let found = analyzed(&open(order));
        // By enumeration: (i, j, k) comes behind (i, j - 1, k + 1).
        let place = |values: [i64; 3]| {
            order
                .split(", ")
                .map(|name| values[["i", "j", "k"].iter().position(|own| *own == name).unwrap()])
                .collect::<Vec<_>>()
        };
        let is_kept = (0..3).all(|j| (0..3).all(|k| place([0, j, k + 1]) < place([0, j + 1, k])));
        match found {
            Ok(offload) => {
                assert!(is_kept, "{order}");
                check(&offload, &[7]);
            }
            Err(error) => {
                let found: Diagnostic = error.downcast().unwrap();
                assert!(!is_kept && found.message.contains("reverses a dependence: flow"), "{order}: {found:?}");
            }
        }
    }
}
