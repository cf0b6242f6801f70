//! Drivers of accelerators behind AXI4, beside the C header: for C programs under Linux, for PYNQ, and a module for LiteX.

use std::fmt::Write as _;

use anyhow::Result;

use super::Project;
use super::folder::File;
use super::registers::{Register, registers};
use super::template::fill;
use crate::affine::Affine;
use crate::hardware::{self, BASE_ALIGNMENT, Bus, argument_words, status};
use crate::host;
use crate::layout::Order;
use crate::report;
use crate::source::kernel::{Argument, Array, Kernel, SizeCondition};

const LINUX: &str = include_str!("linux.h");
const LITEX: &str = include_str!("litex.py");
const PYNQ: &str = include_str!("pynq.py");

/// The drivers of the accelerator behind `bus`.
pub fn files(project: &Project, bus: Bus) -> Result<Vec<File>> {
    let (kernel, address_bits) = (&project.offload.kernel, project.board.memory.link().byte_address_width());
    let name = &kernel.name;
    let mut files = vec![File::new(format!("drivers/{name}_linux.h"), linux(kernel)?)];
    if without_pynq(kernel).is_none() {
        files.push(File::new(format!("drivers/{name}_pynq.py"), pynq(kernel, 1 << address_bits)?));
    }
    let sources: Vec<&str> = project.files.iter().map(|file| file.name.as_str()).collect();
    let masters: Vec<String> =
        project.offload.ports_used().into_iter().map(|port| format!("\"{}\"", report::master(port))).collect();
    let values = [
        ("kernel", name.clone()),
        ("class", class(kernel)),
        ("sources", sources.join("\n")),
        ("data_bits", bus.data_bits.to_string()),
        ("address_bits", address_bits.to_string()),
        ("count", masters.len().to_string()),
        ("masters", masters.join(", ")),
        ("top", hardware::top_name(name)),
    ];
    files.push(File::new(format!("drivers/{name}_litex.py"), fill(LITEX, &values)?));
    Ok(files)
}

/// What a class in Python is called.
fn class(kernel: &Kernel) -> String {
    let mut class = kernel.name.clone();
    class[..1].make_ascii_uppercase();
    class
}

/// Why there is no class for PYNQ, where there is none. Python does not compute as C does, and packs no slices.
fn without_pynq(kernel: &Kernel) -> Option<&'static str> {
    let has_slices = kernel.arrays.iter().any(|array| array.layout().slices().is_some());
    match kernel.host.is_empty() {
        false => Some("the driver computes values of the arguments, as C does"),
        true => has_slices.then_some("an array lies in slices, which the header packs"),
    }
}

/// What README says of the folder.
pub fn row(kernel: &Kernel) -> String {
    let name = &kernel.name;
    let pynq = match without_pynq(kernel) {
        None => format!(", `{name}_pynq.py` a class for PYNQ that takes numpy arrays"),
        Some(why) => format!(", none for PYNQ: {why}"),
    };
    format!(
        "| `drivers/` | `{name}_linux.h` runs it from C under Linux, registers through UIO, arrays in a buffer of u-dma-buf{pynq}; `{name}_litex.py` puts it into a SoC of LiteX |\n"
    )
}

/// The arguments and local arrays with their registers, but not what the host computes.
fn places(kernel: &Kernel) -> Vec<(Argument, Register)> {
    let all = argument_words(kernel).into_iter().map(|(argument, ..)| argument).zip(registers(kernel));
    all.filter(|(_, register)| register.computed.is_none()).collect()
}

/// The function in C, on one line.
fn prototype(kernel: &Kernel) -> String {
    let argument = |(argument, register): &(Argument, Register)| match argument {
        Argument::Array(a) => {
            let extents: String = kernel.arrays[*a].extents_in_c().iter().map(|extent| format!("[{extent}]")).collect();
            format!("{} {}{extents}", kernel.arrays[*a].element, register.name)
        }
        _ => format!("{} {}", register.c_type, register.name),
    };
    let places = places(kernel);
    let arguments = places.iter().filter(|(_, register)| register.local_bytes.is_none()).map(argument);
    format!("{}({})", kernel.name, arguments.collect::<Vec<_>>().join(", "))
}

fn is_written(kernel: &Kernel, array: crate::ids::ArrayId) -> bool {
    kernel.statements().into_iter().any(|statement| statement.targets().any(|target| target.array == array))
}

fn linux(kernel: &Kernel) -> Result<String> {
    let (name, upper) = (&kernel.name, kernel.name.to_uppercase());
    let (mut parameters, mut checks, mut started) = (String::new(), String::new(), String::new());
    let (mut placed, mut packed) = (String::new(), vec![]);
    let fail = |text: &str, values: &str| {
        format!(
            "        snprintf(device->message, sizeof device->message, \"{text}\"{values});\n        return -1;\n    }}\n"
        )
    };
    // Writing to a String cannot fail.
    for (argument, Register { name: own, symbol, c_type, local_bytes, .. }) in &places(kernel) {
        let variable = host::argument(own);
        match argument {
            Argument::Array(a) => {
                let array = &kernel.arrays[*a];
                let extent = |e: &Affine| format!("{name}_extent({})", host::affine(kernel, e));
                let bytes = array.layout().bytes_text(format!("UINT64_C({})", array.layout().element_bytes), extent);
                let _ = writeln!(placed, "    uint32_t base_{own};");
                if array.layout().slices().is_some() {
                    packed.push(format!("{name}_pack_{own}"));
                }
                if local_bytes.is_none() {
                    let constant = if is_written(kernel, *a) { "" } else { "const " };
                    let _ = write!(parameters, ", {constant}{} *{variable}", array.element);
                } else {
                    // The rest of the buffer, for this run alone.
                    let _ = writeln!(placed, "    const void *{variable} = {name}_allocate(device, {bytes});");
                    let _ = writeln!(
                        placed,
                        "    if ({variable} == NULL) {{\n        device->used = used;\n        return -1;\n    }}"
                    );
                }
                let _ = writeln!(
                    placed,
                    "    if ({name}_place(device, \"{own}\", {variable}, {bytes}, &base_{own}) != 0)\n        return -1;"
                );
                let _ = write!(started, ", base_{own}");
            }
            Argument::Parameter(p) => {
                let (min, max) = kernel.parameters[*p].range();
                let _ = write!(parameters, ", {c_type} {variable}");
                let _ = write!(started, ", {variable}");
                let _ = writeln!(
                    checks,
                    "    if ({name}_is_outside((uint64_t){variable}, {upper}_{symbol}_MIN, {upper}_{symbol}_MAX)) {{"
                );
                let text = format!("{own} = %\" PRId64 \" is not from {min} to {max}");
                checks.push_str(&fail(&text, &format!(", (int64_t){variable}")));
            }
            Argument::Scalar(_) => {
                let _ = write!(parameters, ", {c_type} {variable}");
                let _ = write!(started, ", {variable}");
            }
        }
    }
    for condition in kernel.domain.iter().map(SizeCondition::reduced) {
        let _ = writeln!(checks, "    if ({} < 0) {{", host::affine(kernel, &condition.value));
        checks.push_str(&fail(&format!("the sizes must satisfy {}", condition.text().replace('%', "%%")), ""));
    }
    if places(kernel).iter().any(|(_, register)| register.local_bytes.is_some()) {
        checks.push_str("    const size_t used = device->used;\n");
        placed.push_str("    device->used = used;\n");
    }
    let errors = status::STATUS.iter().filter(|bit| bit.is_error);
    let errors = errors.map(|bit| format!("        {{{upper}_{}, \"{}\"}},", bit.name, bit.meaning));
    let values = [
        ("kernel", name.clone()),
        ("upper", upper.clone()),
        ("errors", errors.collect::<Vec<_>>().join("\n")),
        ("prototype", prototype(kernel)),
        ("packed", if packed.is_empty() { String::new() } else { format!(", as {} leave them", packed.join(", ")) }),
        ("parameters", parameters),
        ("checks", checks + &placed),
        ("started", started),
    ];
    fill(LINUX, &values)
}

/// A name that Python takes, and that is none of the class's.
fn python(name: &str) -> String {
    const TAKEN: [&str; 35] = [
        "and", "as", "assert", "async", "await", "class", "def", "del", "elif", "except", "False", "finally", "from",
        "global", "import", "in", "is", "lambda", "None", "nonlocal", "not", "or", "pass", "raise", "True", "try",
        "with", "yield", "self", "np", "pynq", "asyncio", "struct", "time", "max",
    ];
    if TAKEN.contains(&name) { format!("{name}_") } else { name.to_string() }
}

/// A sum of sizes, and of quotients of sizes, in Python.
fn python_affine(kernel: &Kernel, value: &Affine) -> String {
    let term = |(name, factor): (&String, &i64)| {
        let own = match kernel.quotients.iter().find(|quotient| quotient.name == *name) {
            Some(quotient) => {
                let (numerator, divisor) = (python_affine(kernel, &quotient.numerator), quotient.divisor);
                match quotient.truncates {
                    true => format!("({numerator} // {divisor} if {numerator} >= 0 else -(-{numerator} // {divisor}))"),
                    false => format!("({numerator} // {divisor})"),
                }
            }
            None => python(name),
        };
        if *factor == 1 { own } else { format!("{factor} * {own}") }
    };
    let mut terms: Vec<String> = value.terms.iter().map(term).collect();
    if value.constant != 0 || terms.is_empty() {
        terms.push(value.constant.to_string());
    }
    if terms.len() == 1 { terms.swap_remove(0) } else { format!("({})", terms.join(" + ")) }
}

/// What numpy calls the elements of an array.
fn dtype(array: &Array) -> String {
    let kind = match (array.element.floating, array.element.signed) {
        (true, _) => "float",
        (false, true) => "int",
        (false, false) => "uint",
    };
    format!("{kind}{}", array.element.bits)
}

fn pynq(kernel: &Kernel, memory_bytes: u64) -> Result<String> {
    let places = places(kernel);
    let (mut parameters, mut body, mut names) = (String::new(), String::new(), vec![]);
    let (mut words, mut arrays) = (vec![], String::new());
    // Writing to a String cannot fail.
    for (argument, register) in &places {
        let variable = python(&register.name);
        let (own, word) = (&register.name, register.word);
        if register.local_bytes.is_none() {
            let _ = write!(parameters, ", {variable}");
            names.push(variable.clone());
        }
        let mut number = |value: String| {
            words.push(match register.words {
                1 => format!("{word}: {value} & 0xFFFFFFFF"),
                _ => format!("{word}: {value} & 0xFFFFFFFF, {}: {value} >> 32 & 0xFFFFFFFF", word + 1),
            });
        };
        match argument {
            Argument::Parameter(p) => {
                let (min, max) = kernel.parameters[*p].range();
                let _ = writeln!(body, "        {variable} = self._integer(\"{own}\", {variable}, {min}, {max})");
                number(variable);
            }
            Argument::Scalar(s) => {
                let (ty, boolean) = (kernel.scalars[*s].ty, kernel.scalars[*s].boolean);
                if boolean {
                    number(format!("int(bool({variable}))"));
                } else if ty.floating {
                    number(format!("self._bits(\"{}\", {variable})", if ty.bits == 32 { "f" } else { "d" }));
                } else {
                    let (low, high) = match ty.signed {
                        true => (-(1i128 << (ty.bits - 1)), (1i128 << (ty.bits - 1)) - 1),
                        false => (0, (1i128 << ty.bits) - 1),
                    };
                    let _ = writeln!(body, "        {variable} = self._integer(\"{own}\", {variable}, {low}, {high})");
                    number(variable);
                }
            }
            Argument::Array(a) => {
                let array = &kernel.arrays[*a];
                let extents = array.extents_in_c();
                let extents: String =
                    extents.iter().map(|extent| format!("{}, ", python_affine(kernel, extent))).collect();
                let shape = format!("({})", extents.trim_end());
                let order = if array.order == Order::ColumnMajor { "F" } else { "C" };
                let _ = match register.local_bytes {
                    None => {
                        let written = if is_written(kernel, *a) { "True" } else { "False" };
                        let kind = dtype(array);
                        writeln!(
                            arrays,
                            "            {word}: self._array(\"{own}\", {variable}, \"{kind}\", {shape}, \"{order}\", {written}),"
                        )
                    }
                    Some(_) => {
                        writeln!(
                            arrays,
                            "            {word}: (None, np.dtype(\"{}\"), {shape}, \"{order}\", False),",
                            dtype(array)
                        )
                    }
                };
            }
        }
    }
    for condition in kernel.domain.iter().map(SizeCondition::reduced) {
        let value = python_affine(kernel, &condition.value);
        let _ = writeln!(body, "        self._holds({value} >= 0, \"{}\")", condition.text());
    }
    let _ =
        writeln!(body, "        arrays = {{\n{arrays}        }}\n        self._run({{{}}}, arrays)", words.join(", "));
    let errors = status::STATUS.iter().filter(|bit| bit.is_error);
    let errors = errors.map(|bit| format!("        {:#x}: \"{}\",", 1u32 << bit.bit, bit.meaning));
    let bit = |name: &str| {
        let bit = status::STATUS.iter().find(|bit| bit.name == name).expect("a bit of the status word");
        format!("{:#x}", 1u32 << bit.bit)
    };
    let values = [
        ("kernel", kernel.name.clone()),
        ("class", class(kernel)),
        ("names", names.join(", ")),
        ("prototype", prototype(kernel)),
        ("errors", errors.collect::<Vec<_>>().join("\n")),
        ("parameters", parameters),
        ("body", body),
        ("busy", bit("BUSY")),
        ("done", bit("DONE")),
        ("start", (1u32 << status::START).to_string()),
        ("interrupt", (4 * status::INTERRUPT).to_string()),
        // Enables it, too.
        ("acknowledge", "3".to_string()),
        ("memory_bytes", format!("{memory_bytes:#x}")),
        ("alignment", BASE_ALIGNMENT.to_string()),
    ];
    fill(PYNQ, &values)
}
