//! Drivers of accelerators behind AXI4, run against the accelerator's own Verilog: Verilator makes a library of it, in which registers
//! are read and written through the AXI4-Lite slave, and whose masters find the drivers' buffers. Results are the kernel's,
//! compiled by the C compiler.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn said(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}\n{text}");
    text
}

/// In `folder`, the project `out` of tests/drivers/blend.c for a board, its accelerator `model.so`, and the kernel `kernel.so`.
fn build(folder: &Path, board: &[&str], masters: &[&str], bytes: u32) {
    let mut burstc = Command::new(env!("CARGO_BIN_EXE_burstc"));
    burstc.arg("build").arg(root("tests/drivers/blend.c")).args(board).args(["--quiet", "--out", "out"]);
    said(burstc.current_dir(folder));
    let sources = std::fs::read_dir(folder.join("out/rtl")).unwrap().map(|entry| entry.unwrap().path());
    let mut verilator = Command::new("verilator");
    verilator.args([
        "--cc",
        "--build",
        "-O3",
        "--no-timing",
        "-Wno-fatal",
        "-Wno-lint",
        "--prefix",
        "Vmodel",
        "-Mdir",
        "model",
    ]);
    verilator.args(["-CFLAGS", "-fPIC -O1", "--top-module", "blend_top"]);
    said(verilator.args(sources.filter(|path| path.extension().is_some_and(|end| end == "v"))).current_dir(folder));
    let include = said(Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"])).trim().to_string() + "/include";
    let ports: String = masters.iter().map(|master| format!(" X({master})")).collect();
    let mut library = Command::new("g++");
    library
        .args(["-shared", "-fPIC", "-O1", "-pthread", "-Imodel"])
        .args([format!("-I{include}"), format!("-I{include}/vltstd")]);
    library.args([format!("-DPORTS(X)={ports}"), format!("-DDATA_BYTES={bytes}")]);
    library.arg(root("tests/drivers/model.cpp")).args(["model/Vmodel__ALL.a"]);
    library.args(["verilated.cpp", "verilated_threads.cpp"].map(|name| format!("{include}/{name}")));
    said(library.args(["-o", "model.so"]).current_dir(folder));
    let mut kernel = Command::new("cc");
    kernel.args(["-shared", "-fPIC", "-O1", "-ffp-contract=off", "-Wno-unknown-pragmas", "-o", "kernel.so"]);
    said(kernel.arg(root("tests/drivers/blend.c")).current_dir(folder));
}

/// /dev and /sys are those of the folder `root`.
fn linux(folder: &Path, is_short: bool) {
    let devices = folder.join("root/dev");
    let uio = folder.join("root/sys/class/uio/uio0/maps/map0");
    let buffer = folder.join("root/sys/class/u-dma-buf/udmabuf0");
    for folder in [&devices, &uio, &buffer] {
        std::fs::create_dir_all(folder).unwrap();
    }
    std::fs::write(devices.join("uio0"), [0; 4096]).unwrap();
    std::fs::write(devices.join("udmabuf0"), [0; 65536]).unwrap();
    std::fs::write(uio.join("size"), "0x00001000\n").unwrap();
    std::fs::write(buffer.join("phys_addr"), "0x10000000\n").unwrap();
    std::fs::write(buffer.join("size"), "65536\n").unwrap();
    let mut compiler = Command::new("cc");
    compiler.arg(format!("-DBLEND_IS_SHORT={}", u8::from(is_short)));
    compiler.args(["-std=gnu99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "-I.", "-DBLEND_ROOT=\"root\""]);
    compiler.arg(root("tests/drivers/blend_linux.c")).args(["./model.so", "./kernel.so", "-o", "linux"]);
    said(compiler.current_dir(folder));
    // It may be a program in C++.
    std::fs::write(folder.join("linux.cc"), "#include \"out/drivers/blend_linux.h\"\n").unwrap();
    let mut compiler = Command::new("c++");
    said(compiler.args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "linux.cc"]).current_dir(folder));
    assert_eq!(said(Command::new("./linux").current_dir(folder)), "all is well\n");
}

/// The stub of PYNQ stands in front of the same library.
fn pynq(folder: &Path) {
    std::fs::copy(folder.join("out/drivers/blend_pynq.py"), folder.join("blend_pynq_driver.py")).unwrap();
    // `make litex` runs one in a SoC.
    let mut compiled = Command::new("/usr/bin/python3");
    said(compiled.args(["-m", "py_compile", "out/drivers/blend_litex.py"]).current_dir(folder));
    // Debian's, which has its numpy.
    let mut python = Command::new("/usr/bin/python3");
    python.arg(root("tests/drivers/blend_pynq.py")).env("PYTHONDONTWRITEBYTECODE", "1");
    python.env("PYTHONPATH", format!("{}:{}", folder.display(), root("tests/drivers").display()));
    python.env("MODEL", folder.join("model.so")).env("KERNEL", folder.join("kernel.so"));
    assert_eq!(said(python.current_dir(folder)), "all is well\n");
}

#[test]
fn drivers_run_the_accelerator() {
    let folder = tempfile::tempdir().unwrap();
    build(folder.path(), &["--board", "generic-axi4", "--bus-bits", "32"], &["m_axi"], 4);
    linux(folder.path(), false);
    pynq(folder.path());
}

#[test]
#[ignore = "slow: make test"]
fn drivers_run_an_accelerator_of_several_ports() {
    let folder = tempfile::tempdir().unwrap();
    let ports = ["--board", "pynq-z2", "--port", "a=1", "--port", "b=2", "--port", "c=0", "--port", "rows=2"];
    build(folder.path(), &ports, &["m_axi", "m_axi1", "m_axi2"], 8);
    linux(folder.path(), true);
    pynq(folder.path());
}
