//! No input makes the room panic, and every diagnostic points into the file.

use proptest::prelude::*;

use super::source;
use crate::diagnostic::Diagnostic;
use crate::diagnostic_render::render;
use crate::source::token::{Tokens, tokenize};
use crate::source::{check_nesting, lower, parse, preprocess};

const EXAMPLES: [&str; 8] = [
    include_str!("../../../examples/dma.c"),
    include_str!("../../../examples/matmul.c"),
    include_str!("../../../examples/polymul.c"),
    include_str!("../../../examples/polymul_skewed.c"),
    include_str!("../../../examples/vecsum.c"),
    "enum { A = 3, B = A * 2 };\ntypedef unsigned char byte;\n#pragma burstc size(N: 8, max 16) size(M: max 9)\n\
     void f(int N, long M, byte s, byte a[N][M + 1], short b[2 * N])\n{\n    int i, j;\n    \
     for (i = 0; i < N; i++) {\n        b[i] = s ? ~a[i][0] : 'x';\n        for (j = i; M >= j && j <= 4; ++j)\n            \
     a[i][j] ^= (int)b[i - j + N] >> 3 | !s && b[0] % 7 != (N << 1) * -s;\n        a[i][0]++;\n    }\n}\n",
    "#define MIN(a, b) ((a) < (b) ? (a) : (b))\nstatic int clamp(int x, short y) { int t = x; if (t < 0) return 0; t += y; \
     return t > 9 ? 9 : t; }\nstatic const int three = 3;\n#pragma burstc size(n: 5, max 9) extent(p: 2 * n)\n\
     #pragma burstc tile(i:2, j:3)\nstatic void f(int n, _Bool q, int *restrict p, int a[n][n])\n{\n#pragma scop\n    \
     for (int i = n - 1; i >= 0; i -= 2) {\n        int t = p[i], h = i / 2, w[4][n];\n        \
     for (int j = 0; j < MIN(i, n - 2) && j != three; j++) {\n            w[1][j] = clamp(t, a[h][j % 3]);\n            \
     if (!(i + j > 4 || i == j) && (i & 3) != 2) t += w[1][j]; else { p[i] -= 2.0; t += q; a[i][j] /= 3.0; }\n        }\n    \
     }\n#pragma endscop\n}\nint main(void) { for (;;) ; }\n",
    "#pragma burstc schedule(S0[i] -> (i, 0); S1[i,j] -> (i, j + 1)) tile(4, 4)\n\
     #pragma burstc schedule(S2[] -> (1)) tile(1)\nvoid f(unsigned n, long a[n], short b[n])\n{\n    unsigned i, j;\n    \
     for (i = 0; i < n; i++) {\n        a[i] = 0.0;\n        for (j = i; j < n; j += 3)\n            a[i] += b[j];\n    }\n    \
     b[0] = 1;\n}\n",
];

/// Takes any directive.
const KERNEL: &str = "void f(int N, int M, int a[N][M])\n{\n    for (int i = 0; i < N; i++)\n        \
                      for (int j = 0; j < M; j++)\n            a[i][j] = 1;\n}\n";

/// Words that change much.
const WORDS: [&str; 82] = [
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ";",
    ",",
    ":",
    "?",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "<",
    ">",
    "<=",
    ">=",
    "==",
    "!=",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "~",
    "!",
    "=",
    "+=",
    "<<=",
    "++",
    "--",
    "->",
    ".",
    "...",
    "0",
    "1",
    "-1",
    "0x",
    "9223372036854775807",
    "18446744073709551615u",
    "1099511627776",
    "08",
    "1.5",
    "'a'",
    "''",
    "'\\",
    "\"s\"",
    "i",
    "j",
    "N",
    "M",
    "a",
    "b",
    "int",
    "void",
    "for",
    "if",
    "return",
    "sizeof",
    "(long)",
    "unsigned",
    "tile",
    "schedule",
    "size",
    "max",
    "burstc",
    "\n#pragma burstc ",
    "else",
    "static",
    "const",
    "extent",
    "S0",
    "S1",
    "t",
    "clamp",
    "1.0",
    "\n#pragma scop\n",
    "\n",
];

/// Checks what comes out; `Err` is a failure of the test.
fn check(text: &str, result: anyhow::Result<impl Sized>) -> Result<(), TestCaseError> {
    let Err(error) = result else { return Ok(()) };
    let Some(diagnostic) = error.downcast_ref::<Diagnostic>() else {
        return Err(TestCaseError::fail(format!("no diagnostic but {error:#}")));
    };
    prop_assert!(!diagnostic.message.is_empty() && !diagnostic.message.contains('\n'), "{diagnostic:?}");
    if let Some(span) = diagnostic.span {
        let lines = text.split('\n').count();
        let width = text.split('\n').nth(span.line.wrapping_sub(1)).map(|line| line.chars().count());
        let inside = width.is_some_and(|width| span.column >= 1 && span.column + span.length <= width + 2);
        prop_assert!(inside || span.line == lines + 1, "{diagnostic:?} of {lines} lines\n{text}");
    }
    prop_assert!(render(diagnostic, "kernel.c", text).contains("kernel.c") || diagnostic.span.is_none());
    Ok(())
}

/// Everything behind the C compiler, which would refuse most of what is tried here.
fn check_behind_the_compiler(text: &str) -> Result<(), TestCaseError> {
    let original: Tokens = tokenize(text);
    let output = format!("# 1 \"<stdin>\"\n{}", text.replace("#include <stdint.h>", "typedef int int32_t;"));
    let preprocessed = preprocess::read(text, &original, output, &[]);
    let lowered = std::thread::scope(|scope| {
        let work = || check_nesting(&preprocessed).and_then(|()| lower(&preprocessed));
        std::thread::Builder::new().stack_size(64 << 20).spawn_scoped(scope, work).unwrap().join()
    });
    match lowered {
        Ok(kernel) => check(text, kernel.map_err(anyhow::Error::from)),
        Err(_) => Err(TestCaseError::fail(format!("panicked on\n{text}"))),
    }
}

#[derive(Clone, Debug)]
enum Edit {
    Remove,
    Double,
    Replace(usize),
    Insert(usize),
    Exchange(usize),
}

fn edit() -> impl Strategy<Value = (usize, Edit)> {
    let edit = prop_oneof![
        Just(Edit::Remove),
        Just(Edit::Double),
        (0..WORDS.len()).prop_map(Edit::Replace),
        (0..WORDS.len()).prop_map(Edit::Insert),
        any::<usize>().prop_map(Edit::Exchange),
    ];
    (any::<usize>(), edit)
}

/// An example with some of its tokens changed, and without comments.
fn mutated(example: usize, edits: &[(usize, Edit)]) -> String {
    let text = EXAMPLES[example % EXAMPLES.len()];
    let lexed = tokenize(text);
    let mut tokens: Vec<_> = lexed.tokens.iter().chain(lexed.directives.iter().flatten()).collect();
    tokens.sort_by_key(|token| token.start);
    let mut parts: Vec<String> = Vec::new();
    let mut line = 1;
    for token in tokens {
        let breaks = "\n".repeat(token.line - line);
        parts.push(format!("{breaks}{}", token.text(text)));
        line = token.line;
    }
    for (place, edit) in edits {
        let at = place % parts.len().max(1);
        match edit {
            Edit::Remove if parts.len() > 1 => drop(parts.remove(at)),
            Edit::Remove => {}
            Edit::Double => parts.insert(at, parts[at].clone()),
            Edit::Replace(word) => parts[at] = WORDS[*word].to_string(),
            Edit::Insert(word) => parts.insert(at, WORDS[*word].to_string()),
            Edit::Exchange(other) => {
                let other = other % parts.len();
                parts.swap(at, other);
            }
        }
    }
    parts.join(" ").replace(" \n", "\n") + "\n"
}

#[test]
fn the_examples_are_accepted() {
    for text in EXAMPLES {
        super::kernel(text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn mutated_examples_behind_the_compiler(example: usize, edits in prop::collection::vec(edit(), 1..6)) {
        check_behind_the_compiler(&mutated(example, &edits))?;
    }

    #[test]
    fn directives_of_random_words(words in prop::collection::vec(0..WORDS.len(), 0..24)) {
        let words: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        check_behind_the_compiler(&format!("#pragma burstc {}\n{}", words.join(" "), KERNEL))?;
    }

    #[test]
    fn statements_of_random_words(words in prop::collection::vec(0..WORDS.len(), 0..24)) {
        let words: Vec<&str> = words.into_iter().map(|word| WORDS[word]).collect();
        check_behind_the_compiler(&format!(
            "void f(int N, int a[N], int b[N][N])\n{{\n    for (int i = 0; i < N; i++)\n        a[i] = {};\n}}\n",
            words.join(" ")
        ))?;
    }

    #[test]
    fn any_text_behind_the_compiler(text in "[ -~\n]{0,200}") {
        check_behind_the_compiler(&text)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        check(&text, parse(&source(&text)))?;
    }

    #[test]
    fn mutated_examples(example: usize, edits in prop::collection::vec(edit(), 1..4)) {
        let text = mutated(example, &edits);
        check(&text, parse(&source(&text)))?;
    }

    #[test]
    fn examples_with_damaged_bytes(example in 0..EXAMPLES.len(), damage in prop::collection::vec((any::<usize>(), any::<u8>()), 1..4)) {
        let mut bytes = EXAMPLES[example].as_bytes().to_vec();
        for (place, byte) in damage {
            let place = place % bytes.len();
            bytes[place] = byte;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        check(&text, parse(&source(&text)))?;
    }
}
