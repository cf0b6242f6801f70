//! The files of an output folder that a vendor's or FuseSoC's tools read, for accelerators behind a bus.

use anyhow::Result;

use super::Project;
use super::folder::File;
use super::template::fill;
use crate::board::Toolchain;
use crate::hardware::{self, Bus, BusKind};
use crate::report;

const SDC: &str = include_str!("../../constraints/bus.sdc");
const QSF: &str = include_str!("../../constraints/bus.qsf");
const QPF: &str = include_str!("../../constraints/quartus.qpf");
const PLATFORM_DESIGNER: &str = include_str!("../../constraints/platform_designer.tcl");
const XDC: &str = include_str!("../../constraints/bus.xdc");
const VIVADO_PROJECT: &str = include_str!("../../constraints/vivado_project.tcl");
const VIVADO_IP: &str = include_str!("../../constraints/vivado_ip.tcl");
const FUSESOC: &str = include_str!("../../constraints/fusesoc.core");

/// Project, constraints and component files for the board's toolchain, and the FuseSoC core; the bench's image has `bytes`.
pub fn files(project: &Project, bus: Bus, bytes: usize) -> Result<Vec<File>> {
    let (board, sources, max_cycles) = (project.board, project.files, project.max_cycles);
    let kernel: &str = &project.offload.kernel.name;
    let top = hardware::top_name(kernel);
    let period = board.cycle_ns();
    let names: Vec<&str> = sources.iter().map(|file| file.name.as_str()).collect();
    let masters: Vec<String> = project.offload.ports_used().into_iter().map(report::master).collect();
    let own = |name: &'static str| {
        let value = match name {
            "kernel" => kernel.to_string(),
            "top" => top.clone(),
            "title" => board.title.clone(),
            "family" => board.device.family.clone(),
            "part" => board.device.part.clone(),
            "period_ns" => format!("{period:.3}"),
            "half_period_ns" => format!("{:.3}", period / 2.0),
            "files" => names.join(" "),
            "masters" => masters.join(", "),
            "interfaces" => format!("{} s_axil", masters.join(" ")),
            _ => unreachable!("a template asks for {name}"),
        };
        (name, value)
    };
    let bench = project.bench();
    let listed = |folder: &str, names: &mut dyn Iterator<Item = &str>| -> String {
        names.map(|name| format!("      - {folder}/{name}")).collect::<Vec<_>>().join("\n")
    };
    let defines = std::iter::once(format!("-DTOP={top}")).chain(bench.defines());
    let core = [
        own("kernel"),
        own("top"),
        own("title"),
        ("rtl", listed("rtl", &mut names.iter().copied())),
        ("bench", listed("sim", &mut bench.names())),
        ("bytes", bytes.to_string()),
        ("max_cycles", max_cycles.min(i32::MAX as u64).to_string()),
        ("latency", board.memory.bus().map_or(0, |port| port.latency).to_string()),
        ("total", board.memory.bus().map_or(0, |port| port.beats_per_million()).to_string()),
        ("defines", defines.map(|define| format!(", {define}")).collect()),
    ];
    let mut files = vec![File::new(format!("{kernel}.core"), fill(FUSESOC, &core)?)];
    match board.device.toolchain {
        Toolchain::Any | Toolchain::NextpnrEcp5 => {}
        Toolchain::Quartus => {
            let source = |name: &&str| format!("set_global_assignment -name VERILOG_FILE ../rtl/{name}");
            let sources = names.iter().map(source).collect::<Vec<_>>().join("\n");
            let qsf = [own("kernel"), own("top"), own("title"), own("family"), own("part"), ("files", sources)];
            let sdc = [own("top"), own("title"), own("period_ns"), own("half_period_ns")];
            files.push(File::new(format!("constraints/{kernel}.sdc"), fill(SDC, &sdc)?));
            files.push(File::new(format!("quartus/{kernel}.qpf"), fill(QPF, &[own("kernel")])?));
            files.push(File::new(format!("quartus/{kernel}.qsf"), fill(QSF, &qsf)?));
            if bus.kind == BusKind::AvalonMm {
                let component = [
                    own("kernel"),
                    own("top"),
                    own("title"),
                    own("files"),
                    ("address_bits", board.memory.link().byte_address_width().to_string()),
                    ("burstcount_bits", (bus.burst_width() + 1).to_string()),
                    ("data_bits", bus.data_bits.to_string()),
                    ("lanes", (bus.data_bits / 8).to_string()),
                ];
                files.push(File::new(format!("quartus/{kernel}_hw.tcl"), fill(PLATFORM_DESIGNER, &component)?));
            }
        }
        Toolchain::Vivado => {
            let values = || [own("kernel"), own("top"), own("title"), own("part"), own("files")];
            let xdc = [own("top"), own("title"), own("period_ns")];
            files.push(File::new(format!("constraints/{kernel}.xdc"), fill(XDC, &xdc)?));
            files.push(File::new(format!("vivado/{kernel}_project.tcl"), fill(VIVADO_PROJECT, &values())?));
            let ip: Vec<_> = values().into_iter().chain([own("masters"), own("interfaces")]).collect();
            files.push(File::new(format!("vivado/{kernel}_ip.tcl"), fill(VIVADO_IP, &ip)?));
        }
    }
    Ok(files)
}
