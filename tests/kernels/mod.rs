//! Kernels for tests, written in one line each.
#![allow(dead_code)]

mod machine;
pub mod pipeline;

use burstc::affine::Affine;
use burstc::buffer::reads::{Blocks, Fabric};
use burstc::diagnostic::Span;
use burstc::ids::ByArray;
use burstc::offload::{Band, Offload};
use burstc::source::kernel::{
    Access, Argument, Array, BinaryOp, Expr, Kernel, Loop, Node, ScalarType, Schedule, SizeParameter, Statement,
    Storage, TilingDirective,
};

/// The analysis for a chip that is large enough.
pub fn analyze(kernel: &Kernel) -> anyhow::Result<Offload> {
    burstc::analysis::analyze(kernel, &fabric(1 << 40))
}

/// The only band.
pub fn band(offload: &Offload) -> &Band {
    let [band] = &offload.bands.raw[..] else { panic!("{} bands", offload.bands.len()) };
    band
}

/// A chip with so many bits of block RAM.
pub fn fabric(bits: u64) -> Fabric {
    Fabric { blocks: vec![Blocks::of_any_tool(bits.div_ceil(10240), 10240, 40)], aluts: bits / 64, beat_bits: 32 }
}

/// Reads `2*i + j - N - 1`.
pub fn affine(text: &str) -> Affine {
    let text = text.replace(' ', "").replace('-', "+-");
    let mut sum = Affine::default();
    for term in text.split('+').filter(|t| !t.is_empty()) {
        let (sign, term) = term.strip_prefix('-').map_or((1, term), |t| (-1, t));
        match term.split_once('*') {
            Some((factor, name)) => sum.add_term(name, sign * factor.parse::<i64>().unwrap()),
            None => match term.parse::<i64>() {
                Ok(constant) => sum.constant += sign * constant,
                Err(_) => sum.add_term(term, sign),
            },
        }
    }
    sum
}

pub fn affines(text: &str) -> Vec<Affine> {
    text.split(',').filter(|t| !t.trim().is_empty()).map(affine).collect()
}

/// Reads `c[i][2*j + 1]`.
fn subscripted(text: &str) -> (String, Vec<Affine>) {
    let mut parts = text.trim().split('[');
    let name = parts.next().unwrap().trim().to_string();
    (name, parts.map(|p| affine(p.trim_end().trim_end_matches(']'))).collect())
}

fn span(line: usize) -> Span {
    Span { line, column: 5, length: 3 }
}

/// One perfect nest. `parameters`: `N:1024`; `arrays`: `a[N][N] b[N][N]`; `loops`: `i:0..N - 1; j:i,2..N - 1`
/// (inclusive, commas for max and min); `target`: `c[i][j]`; `reads`: `c[i][j] a[i][k]`.
pub fn nest(name: &str, parameters: &str, arrays: &str, loops: &str, target: &str, reads: &str) -> Kernel {
    let parameters: Vec<SizeParameter> = parameters
        .split_whitespace()
        .map(|p| {
            let (name, max) = p.split_once(':').map_or((p, None), |(n, m)| (n, Some(m.parse().unwrap())));
            SizeParameter {
                name: name.to_string(),
                ty: ScalarType::I32,
                boolean: false,
                default: None,
                min: 0,
                max,
                is_assumed: false,
                span: span(2),
            }
        })
        .collect();
    let arrays: ByArray<Array> = arrays
        .split(';')
        .map(subscripted)
        .map(|(name, extents)| Array::new(name, ScalarType::I32, extents, Storage::Argument, span(2)))
        .collect();
    let access = |text: &str| {
        let (name, subscripts) = subscripted(text);
        Access { array: arrays.position(|a| a.name == name).unwrap(), subscripts, guard: None, span: span(9) }
    };
    let value = reads
        .split(';')
        .filter(|r| !r.trim().is_empty())
        .map(|r| Expr::Read { access: access(r), ty: ScalarType::I32 })
        .reduce(|left, right| Expr::Binary {
            op: BinaryOp::Add,
            left: Box::new(left),
            right: Box::new(right),
            ty: ScalarType::I32,
        })
        .unwrap_or(Expr::Constant { value: 0, ty: ScalarType::I32 });
    let statement = Statement {
        name: "S0".to_string(),
        target: access(target),
        value,
        also: vec![],
        text: format!("{target} = {reads}"),
        span: span(9),
    };
    let mut body = vec![Node::Statement(statement)];
    for (depth, text) in loops.split(';').enumerate().collect::<Vec<_>>().into_iter().rev() {
        let (iterator, bounds) = text.trim().split_once(':').unwrap();
        let (lower, upper) = bounds.split_once("..").unwrap();
        body = vec![Node::Loop(Loop {
            iterator: iterator.to_string(),
            ty: ScalarType::I32,
            lower: affines(lower),
            upper: affines(upper),
            body,
            span: span(5 + depth),
        })];
    }
    let arguments = (0..parameters.len()).map(Argument::Parameter).chain(arrays.keys().map(Argument::Array)).collect();
    Kernel {
        name: name.to_string(),
        span: span(3),
        arguments,
        parameters,
        scalars: vec![],
        host: vec![],
        domain: vec![],
        obligations: vec![],
        reassociates: false,
        keeps_stores: false,
        without_masks: false,
        uses: None,
        has_wires: false,
        panels: Default::default(),
        ports: Default::default(),
        arrays,
        body,
        quotients: vec![],
        made: Default::default(),
        beyond: vec![],
        tilings: vec![],
    }
}

pub fn tiled(mut kernel: Kernel, theta: &str, sizes: &[i64]) -> Kernel {
    let schedules = vec![Schedule { statement: "S0".to_string(), theta: affines(theta) }];
    kernel.tilings = vec![TilingDirective {
        schedules,
        sizes: sizes.to_vec(),
        strip: 1,
        lanes: None,
        units: None,
        order: None,
        span: span(4),
    }];
    kernel
}

pub fn matmul_nest() -> Kernel {
    let loops = "i:0..N - 1; j:0..N - 1; k:0..N - 1";
    nest("matmul", "N:1024", "a[N][N]; b[N][N]; c[N][N]", loops, "c[i][j]", "c[i][j]; a[i][k]; b[k][j]")
}

pub fn polymul_nest() -> Kernel {
    nest("polymul", "N:4096", "a[N + 1]; b[N + 1]; c[2*N + 1]", "i:0..N; j:0..N", "c[i + j]", "c[i + j]; a[i]; b[j]")
}

pub fn matmul(sizes: &[i64]) -> Kernel {
    tiled(matmul_nest(), "i, j, k", sizes)
}

/// Figure 1 (a) of RR-7697.
pub fn polymul(sizes: &[i64]) -> Kernel {
    tiled(polymul_nest(), "N - j, i", sizes)
}

/// Figure 1 (b) of RR-7697.
pub fn polymul_skewed(sizes: &[i64]) -> Kernel {
    tiled(polymul_nest(), "i + j, i", sizes)
}

pub fn dma(sizes: &[i64]) -> Kernel {
    tiled(nest("dma", "N:1048576", "a[N]; b[N]", "i:0..N - 1", "b[i]", "a[i]"), "i", sizes)
}

pub fn vecsum(sizes: &[i64]) -> Kernel {
    tiled(nest("vecsum", "N:1048576", "a[N]; b[N]; c[N]", "i:0..N - 1", "c[i]", "a[i]; b[i]"), "i", sizes)
}
