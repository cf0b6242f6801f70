//! The output folder: Verilog, bench with sample data, constraints, project files, C header, README. Written whole or
//! not at all.

mod drivers;
mod ecp5;
pub mod folder;
mod header;
mod registers;
mod rust_hdl;
mod summary;
mod template;
mod tools;

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Result, bail};

use crate::board::{Board, Toolchain};
use crate::hardware::{self, BASE_ALIGNMENT, BusKind, Link, VerilogFile, argument_words, status};
use crate::offload::Offload;
use crate::report;
use crate::rtl::Port;
use crate::simulate::bench::{Bench, MemoryModel};
use crate::simulate::job::{Job, Region};
use crate::simulate::simulator::{hex, register_lines};
use crate::source::kernel::Argument;
pub use folder::File;
pub use summary::BuildReport;
use template::fill;

const SDC: &str = include_str!("../../constraints/stratix2.sdc");
const QSF: &str = include_str!("../../constraints/stratix2.qsf");
const QPF: &str = include_str!("../../constraints/quartus.qpf");
const RUN_SCRIPT: &str = include_str!("../../sim/run.sh");
const COMPARE: &str = include_str!("../../sim/compare.awk");
const README: &str = include_str!("readme.md");
const README_BUS: &str = include_str!("readme_bus.md");
const README_ECP5: &str = include_str!("readme_ecp5.md");

/// The device's pins, by the names of its model, with their widths.
const DEVICE_PINS: [(&str, usize); 12] = [
    ("ddr_ck", 1),
    ("ddr_ck_n", 1),
    ("ddr_cke", 1),
    ("ddr_cs_n", 1),
    ("ddr_ras_n", 1),
    ("ddr_cas_n", 1),
    ("ddr_we_n", 1),
    ("ddr_ba", 2),
    ("ddr_a", 12),
    ("ddr_dm", 1),
    ("ddr_dq", 8),
    ("ddr_dqs", 1),
];

/// What goes into the folder.
#[derive(Clone, Copy, Debug)]
pub struct Project<'a> {
    pub offload: &'a Offload,
    pub board: &'a Board,
    /// The accelerator with its cells; the module `<kernel>_top` is among them.
    pub files: &'a [VerilogFile],
    /// The direct version, if wanted; files that it shares with the accelerator are left out of its folder.
    pub direct_files: &'a [VerilogFile],
    /// The ports of `<kernel>_top`, where a rust-hdl component is wanted.
    pub rust_hdl: Option<&'a [Port]>,
    /// Data for the bench, if it has any.
    pub sample: &'a Job,
    /// Empty where that is not known: the C program takes too long.
    pub expected: &'a [u8],
    /// The bench gives up so many cycles after the start.
    pub max_cycles: u64,
    /// Text of `report.json`.
    pub report: &'a str,
}

impl Project<'_> {
    /// Those of the bench's memory.
    fn bytes(&self) -> usize {
        self.sample.placement.image_bytes as usize
    }

    /// What the README says where there are no results to compare with, or no data.
    fn unknown(&self) -> &str {
        if self.sample.image.is_empty() {
            return " (without data: the arrays are too large for them; put your own into `sim/data/before.hex`, a byte a line in hexadecimal)";
        }
        if self.expected.is_empty() { " (without results to compare with: the C program takes too long)" } else { "" }
    }

    /// Every file of the folder.
    pub fn files(&self) -> Result<Vec<File>> {
        let kernel = &self.offload.kernel;
        let name = &kernel.name;
        let mut files = Vec::new();
        for file in self.files {
            files.push(File::new(format!("rtl/{}", file.name), file.text.as_str()));
        }
        for file in self.direct_files.iter().filter(|file| !self.files.contains(file)) {
            files.push(File::new(format!("rtl/direct/{}", file.name), file.text.as_str()));
        }
        for (name, text) in self.bench().files() {
            files.push(File::new(format!("sim/{name}"), text));
        }
        files.push(File::executable("sim/run.sh", self.run_script()?));
        files.push(File::new("sim/compare.awk", COMPARE));
        if !self.sample.image.is_empty() {
            files.push(File::new("sim/data/before.hex", hex(&self.sample.image)));
        }
        let compared = self.sample.placement.compared_bytes() as usize;
        if let Some(expected) = self.expected.get(..compared) {
            files.push(File::new("sim/data/expected.hex", hex(expected)));
        }
        files.push(File::new("sim/data/registers.txt", register_lines(&self.sample.registers(kernel))));
        let bus = self.board.memory.link().bus();
        match (bus, self.board.device.toolchain) {
            (Some(bus), _) => {
                let bytes = self.bytes();
                files.extend(tools::files(self, bus, bytes)?);
                if bus.kind == BusKind::Axi4 {
                    files.extend(drivers::files(self, bus)?);
                }
            }
            (None, Toolchain::Quartus) => {
                files.push(File::new(format!("constraints/{name}.sdc"), self.sdc()?));
                files.push(File::new(format!("quartus/{name}.qpf"), fill(QPF, &[("kernel", name.clone())])?));
                files.push(File::new(format!("quartus/{name}.qsf"), self.qsf()?));
            }
            (None, Toolchain::NextpnrEcp5) => {
                if let (Some(pins), Link::Sdr(sdr)) = (&self.board.pins, self.board.memory.link()) {
                    let sample = ecp5::Sample {
                        registers: self.sample.registers(kernel),
                        bytes: self.bytes(),
                        compared_bytes: self.sample.placement.compared_bytes(),
                        max_cycles: self.max_cycles,
                    };
                    let modules = hardware::module_prefix(name);
                    files.extend(ecp5::files(self.board, pins, sdr, &modules, &sample)?);
                }
            }
            (None, Toolchain::Any | Toolchain::Vivado) => {}
        }
        if let Some(ports) = self.rust_hdl {
            let component = rust_hdl::component(name, ports, self.files)?;
            files.push(File::new(format!("rust-hdl/{name}.rs"), component));
        }
        files.push(File::new(
            format!("{name}.h"),
            header::text(kernel, 1 << self.board.memory.link().byte_address_width(), bus.is_some()),
        ));
        files.push(File::new("README.md", self.readme()?));
        files.push(File::new("report.json", self.report));
        let mut paths = BTreeMap::new();
        for file in &files {
            if paths.insert(&file.path, ()).is_some() {
                bail!("two files of the output folder are called {}", file.path);
            }
        }
        Ok(files)
    }

    fn bench(&self) -> Bench {
        Bench::of(self.board).with_ports(&self.offload.ports_used()).just_holding(self.bytes() as u64)
    }

    /// `<kernel>_top`
    fn top(&self) -> String {
        hardware::top_name(&self.offload.kernel.name)
    }

    fn run_script(&self) -> Result<String> {
        let compared = self.sample.placement.compared_bytes();
        let is_compared = |region: &&Region| region.element.floating && region.base < compared;
        let floats = self.sample.placement.regions.iter().filter(is_compared);
        let floats = floats.map(|r| format!("{}:{}:{}", r.base, r.bytes(), r.element.bytes()));
        let settings = MemoryModel::default().on(self.board).arguments();
        let values = [
            ("top", self.top()),
            ("bytes", self.bytes().to_string()),
            ("compared_bytes", self.sample.placement.compared_bytes().to_string()),
            ("floats", floats.collect::<Vec<_>>().join(" ")),
            ("bench", self.bench().names().collect::<Vec<_>>().join(" ")),
            ("defines", self.bench().defines().iter().map(|define| format!(" {define}")).collect()),
            // The first setting of a name counts.
            ("memory", settings.iter().map(|setting| format!(" {setting}")).collect()),
            ("max_cycles", self.max_cycles.min(i32::MAX as u64).to_string()),
        ];
        fill(RUN_SCRIPT, &values)
    }

    fn sdc(&self) -> Result<String> {
        let period = self.board.cycle_ns();
        let values = [
            ("top", self.top()),
            ("title", self.board.title.clone()),
            ("period_ns", format!("{period:.3}")),
            ("half_period_ns", format!("{:.3}", period / 2.0)),
        ];
        fill(SDC, &values)
    }

    fn qsf(&self) -> Result<String> {
        let device = &self.board.device;
        let source = |file: &VerilogFile| format!("set_global_assignment -name VERILOG_FILE ../rtl/{}", file.name);
        let sources: Vec<String> = self.files.iter().map(source).collect();
        let pins = DEVICE_PINS.iter().flat_map(|(pin, width)| match width {
            1 => vec![pin.to_string()],
            _ => (0..*width).map(|bit| format!("{pin}[{bit}]")).collect(),
        });
        let site = |pin: String| {
            format!(
                "# set_location_assignment PIN_<site> -to {pin}\n\
                 # set_instance_assignment -name IO_STANDARD \"SSTL-2 CLASS I\" -to {pin}"
            )
        };
        let values = [
            ("top", self.top()),
            ("title", self.board.title.clone()),
            ("family", device.family.clone()),
            ("part", device.part.clone()),
            ("files", sources.join("\n")),
            ("kernel", self.offload.kernel.name.clone()),
            ("pins", pins.map(site).collect::<Vec<_>>().join("\n")),
        ];
        fill(QSF, &values)
    }

    /// The AXI4 masters, of a board with so many ports.
    fn masters(&self, ports: u32) -> String {
        let own = |port: u32| {
            let arrays: Vec<String> =
                report::ports::arrays(self.offload, port).iter().map(|array| format!("`{array}`")).collect();
            format!("`{}_*` (port {port}: {})", report::master(port), arrays.join(", "))
        };
        let used = self.offload.ports_used();
        match ports {
            1 => "AXI4 master `m_axi_*`".to_string(),
            _ => format!(
                "AXI4 masters {} for {} of the board's {ports} ports, which must all see the same memory, each",
                used.iter().map(|port| own(*port)).collect::<Vec<_>>().join(", "),
                used.len()
            ),
        }
    }

    fn readme(&self) -> Result<String> {
        let kernel = &self.offload.kernel;
        let mut rows = String::new();
        for ((argument, ..), register) in argument_words(kernel).into_iter().zip(registers::registers(kernel)) {
            let words = match register.words {
                1 => register.word.to_string(),
                _ => format!("{}, {}", register.word, register.word + 1),
            };
            let meaning = if let Some(bytes) = &register.local_bytes {
                format!("byte address of memory for the local array, {bytes} bytes, a multiple of {BASE_ALIGNMENT}")
            } else if let Some(computed) = &register.computed {
                format!("scalar, {}, which the driver computes: `{computed}`", register.c_type)
            } else if register.base {
                format!("byte address of the array, a multiple of {BASE_ALIGNMENT}")
            } else {
                match argument {
                    Argument::Parameter(p) => {
                        let (min, max) = kernel.parameters[p].range();
                        format!("size, {min} to {max}")
                    }
                    _ => format!("scalar, {}", register.c_type),
                }
            };
            // Writing to a String cannot fail.
            let _ = writeln!(rows, "| {words} | `{}`: {meaning} |", register.name);
        }
        if !kernel.domain.is_empty() {
            let conditions = kernel.domain.iter().map(|c| format!("`{}` ({})", c.text(), c.reason));
            let _ = writeln!(rows, "\nSizes must satisfy {}.", conditions.collect::<Vec<_>>().join(", "));
        }
        let sizes: Vec<String> = self.sample.scalars(kernel).iter().map(|(n, v)| format!("{n} = {v}")).collect();
        let mut values = vec![
            ("kernel", kernel.name.clone()),
            ("top", self.top()),
            ("title", self.board.title.clone()),
            ("clock_mhz", self.board.clock_mhz.to_string()),
            ("arguments", rows.trim_end().to_string()),
            ("status", status::table(self.board.memory.link().bus().is_some()).trim_end().to_string()),
            (
                "sizes",
                format!(
                    "{}{}",
                    if sizes.is_empty() { "no arguments".to_string() } else { sizes.join(", ") },
                    self.unknown()
                ),
            ),
        ];
        let Some(bus) = self.board.memory.link().bus() else {
            let native = if self.board.pins.is_some() { README_ECP5 } else { README };
            return fill(native, &values);
        };
        let tools = match self.board.device.toolchain {
            Toolchain::Any | Toolchain::NextpnrEcp5 => "",
            Toolchain::Quartus => {
                "| `constraints/` | timing constraints |\n\
                 | `quartus/` | Quartus project of the accelerator alone, and its component for Platform Designer; written \
                 for Quartus Prime 20.1, not run by us |\n"
            }
            Toolchain::Vivado => {
                "| `constraints/` | timing constraints |\n\
                 | `vivado/` | Tcl that makes a project of the accelerator alone, or packages it as IP; written for Vivado \
                 2022.1, not run by us |\n"
            }
        };
        let ports = match bus.kind {
            BusKind::Axi4 => format!(
                "Memory: {} of {} bits, INCR bursts of up to {} beats that do not cross 4 KB, ID 0. \
                 Control: AXI4-Lite\nslave `s_axil_*`, 10 address bits. Interrupt: `irq`, level.",
                self.masters(bus.ports),
                bus.data_bits,
                1 << bus.burst_width()
            ),
            BusKind::AvalonMm => format!(
                "Memory: Avalon-MM master `avm_*` of {} bits, bursts of up to {} beats, pipelined reads. Control: Avalon-MM \
                 slave\n`avs_*`, word addresses. Interrupt: `irq`, level.",
                bus.data_bits,
                1 << bus.burst_width()
            ),
        };
        let drivers = if bus.kind == BusKind::Axi4 { drivers::row(kernel) } else { String::new() };
        values.push(("tools", format!("{tools}{drivers}").trim_end().to_string()));
        values.push(("ports", ports));
        Ok(fill(README_BUS, &values)?.replace("\n\n| `", "\n| `"))
    }
}

#[cfg(test)]
mod profile_tests;
#[cfg(test)]
mod tests;
