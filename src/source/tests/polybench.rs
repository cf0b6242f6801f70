//! The integer kernels of PolyBench/C 4.2.1, as they are. `POLYBENCH` names the suite's folder.

use std::path::Path;

use super::native::compare_source;
use crate::source::{Source, parse};

/// Kernels that make sense in integers.
const KERNELS: [&str; 17] = [
    "linear-algebra/kernels/2mm/2mm.c",
    "linear-algebra/kernels/3mm/3mm.c",
    "linear-algebra/kernels/atax/atax.c",
    "linear-algebra/kernels/bicg/bicg.c",
    "datamining/covariance/covariance.c",
    "linear-algebra/kernels/doitgen/doitgen.c",
    "medley/floyd-warshall/floyd-warshall.c",
    "linear-algebra/blas/gemm/gemm.c",
    "linear-algebra/blas/gemver/gemver.c",
    "linear-algebra/blas/gesummv/gesummv.c",
    "linear-algebra/kernels/mvt/mvt.c",
    "medley/nussinov/nussinov.c",
    "linear-algebra/blas/symm/symm.c",
    "linear-algebra/blas/syr2k/syr2k.c",
    "linear-algebra/blas/syrk/syrk.c",
    "linear-algebra/blas/trmm/trmm.c",
    "linear-algebra/solvers/trisolv/trisolv.c",
];

#[test]
fn integer_kernels() {
    let Some(folder) = std::env::var_os("POLYBENCH") else {
        eprintln!("skipped: POLYBENCH does not name the folder of PolyBench/C 4.2.1");
        return;
    };
    let folder = Path::new(&folder);
    for variant in
        [&[][..], &["-DPOLYBENCH_USE_C99_PROTO"], &["-DPOLYBENCH_USE_C99_PROTO", "-DPOLYBENCH_USE_SCALAR_LB"]]
    {
        for kernel in KERNELS {
            let utilities = folder.join("utilities");
            let mut cpp_args = vec!["-I".to_string(), utilities.display().to_string()];
            let options = ["-DDATA_TYPE_IS_INT", "-DSCALAR_VAL(x)=x", "-DMINI_DATASET"];
            cpp_args.extend(options.iter().chain(variant).map(|option| option.to_string()));
            if kernel.ends_with("trisolv.c") {
                // The diagonal is divided by, and must not be 0.
                cpp_args.push("-DL=divisors".into());
            }
            let source = Source::read(&folder.join(kernel), cpp_args).unwrap();
            let parsed = parse(&source).unwrap_or_else(|error| {
                panic!("{kernel} {variant:?}: {error} {:?}", error.downcast_ref::<crate::diagnostic::Diagnostic>())
            });
            // With SCALAR_LB the loops run to the constants of the data set, 60 at most.
            let (count, fixed) = (parsed.parameters.len(), variant.len() > 1);
            let sizes = if fixed { vec![vec![60; count]] } else { vec![vec![8; count], vec![5; count]] };
            compare_source(&source, &sizes);
        }
    }
}
