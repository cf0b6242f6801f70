//! Kernels that this room's tests share, without the front end.

use std::collections::BTreeMap;

use crate::affine::Affine;
use crate::hardware::{self, VerilogFile};
use crate::ids::{ArrayId, ByArray};
use crate::simulate::number::Number;
use crate::source::kernel::{Argument, Array, Kernel, Scalar, ScalarType, SizeParameter, Storage};

fn size(name: &str) -> SizeParameter {
    SizeParameter {
        name: name.into(),
        ty: ScalarType::I32,
        boolean: false,
        default: None,
        min: 0,
        max: None,
        is_assumed: false,
        span: Default::default(),
    }
}

fn array(name: &str, bits: u32, extents: Vec<Affine>) -> Array {
    Array::new(name.into(), ScalarType::integer(bits, true), extents, Storage::Argument, Default::default())
}

fn kernel(name: &str) -> Kernel {
    Kernel {
        name: name.into(),
        span: Default::default(),
        arguments: vec![],
        parameters: vec![size("N")],
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
        arrays: ByArray::new(),
        body: vec![],
        quotients: vec![],
        made: Default::default(),
        beyond: vec![],
        tilings: vec![],
    }
}

/// `void matmul(int N, int32_t a[N][N], int32_t b[N][N], int32_t c[N][N])`, without its body.
pub fn matmul() -> Kernel {
    let n = || Affine::variable("N");
    Kernel {
        arguments: vec![
            Argument::Parameter(0),
            Argument::Array(ArrayId(0)),
            Argument::Array(ArrayId(1)),
            Argument::Array(ArrayId(2)),
        ],
        arrays: ["a", "b", "c"].map(|name| array(name, 32, vec![n(), n()])).to_vec().into(),
        ..kernel("matmul")
    }
}

/// `void copy(int N, int32_t a[N], int32_t b[N])`, without its body.
pub fn copy() -> Kernel {
    Kernel {
        arguments: vec![Argument::Parameter(0), Argument::Array(ArrayId(0)), Argument::Array(ArrayId(1))],
        arrays: ["a", "b"].map(|name| array(name, 32, vec![Affine::variable("N")])).to_vec().into(),
        ..kernel("copy")
    }
}

/// `void scale(int N, int64_t alpha, int16_t a[N], int8_t beta, int64_t b[2*N+1])`, without its body.
pub fn scale() -> Kernel {
    let scalar = |name: &str, bits| Scalar {
        name: name.into(),
        ty: ScalarType::integer(bits, true),
        boolean: false,
        span: Default::default(),
    };
    Kernel {
        arguments: vec![
            Argument::Parameter(0),
            Argument::Scalar(0),
            Argument::Array(ArrayId(0)),
            Argument::Scalar(1),
            Argument::Array(ArrayId(1)),
        ],
        scalars: vec![scalar("alpha", 64), scalar("beta", 8)],
        arrays: vec![
            array("a", 16, vec![Affine::variable("N")]),
            array("b", 64, vec![Affine::variable("N") * 2 + Affine::constant(1)]),
        ]
        .into(),
        ..kernel("scale")
    }
}

pub fn set(values: &[(&str, i128)]) -> BTreeMap<String, Number> {
    values.iter().map(|(name, value)| (name.to_string(), Number::Whole(*value))).collect()
}

/// An accelerator for [`copy`] written by hand, `copy_top`, with the cells it needs.
pub fn copy_design() -> Vec<VerilogFile> {
    let file = |name: &str, text: &str| VerilogFile { name: name.to_string(), text: text.to_string() };
    let mut files = vec![
        file("copy_accelerator.v", include_str!("fixtures/copy_accelerator.v")),
        file("copy_top.v", include_str!("fixtures/copy_top.v")),
    ];
    files.extend(hardware::files(&hardware::headers(&["ddr_controller".to_string(), "fifo".to_string()])));
    files
}
