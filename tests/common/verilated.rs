//! Benches under Verilator that are not an accelerator's.

use std::path::{Path, PathBuf};
use std::process::Command;

use burstc::simulate::verilator;
use tempfile::TempDir;

/// A compiled bench.
pub struct Bench {
    folder: TempDir,
}

impl Bench {
    /// Compiles the module `top` of `files`, which include others from `sim/`, and the cells that they use. Programs whose C++ was compiled before are kept
    /// beside those of the accelerators.
    pub fn new(top: &str, files: &[PathBuf]) -> Bench {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new("verilator")
            .args(["--cc", "--exe", "--main", "--timing", "-O3", "-Wno-fatal", "-Wno-lint", "-Wno-style"])
            .args(verilator::SPLIT)
            .args(["--top-module", top, "-Mdir", verilator::FOLDER, "-o", verilator::PROGRAM])
            .arg(concat!("-I", env!("CARGO_MANIFEST_DIR"), "/sim"))
            .args(["-y", concat!(env!("CARGO_MANIFEST_DIR"), "/rtl-templates")])
            .args(files)
            .current_dir(&folder)
            .output()
            .expect("verilator runs");
        assert!(output.status.success(), "{top}: {}", String::from_utf8_lossy(&output.stderr));
        let kept = verilator::Kept::new(&Path::new(env!("CARGO_TARGET_TMPDIR")).join("verilator"), None);
        let output = verilator::compile(folder.path(), top, &[], Some(&kept), |command| Ok(command.output()?));
        if let Some(output) = output.expect("the C++ compiler runs") {
            assert!(output.status.success(), "{top}: {}", String::from_utf8_lossy(&output.stderr));
        }
        Bench { folder }
    }

    /// What a run prints.
    pub fn run(&self, arguments: &[String]) -> String {
        let program = self.folder.path().join(verilator::FOLDER).join(verilator::PROGRAM);
        let output = Command::new(program).args(arguments).output().expect("the bench runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}
