//! The C header: register map, and a driver of a few lines.

use std::fmt::Write as _;

use crate::affine::Affine;
use crate::hardware::{BASE_ALIGNMENT, argument_words, status};
use crate::host;
use crate::layout::{Order, Slices};
use crate::project::registers::{Register, registers};
use crate::source::kernel::{Argument, Array, Kernel, SizeCondition};
use crate::word::RegisterWord;

/// Text of `<kernel>.h` for an accelerator that addresses `memory_bytes` of memory; `bus` adds the interrupt of those
/// behind a bus.
pub fn text(kernel: &Kernel, memory_bytes: u64, bus: bool) -> String {
    let name = &kernel.name;
    let upper = name.to_uppercase();
    let driver = Driver::new(kernel, &upper);
    let Driver { map, bounds, parameters, .. } = &driver;
    let computed = match kernel.host.is_empty() {
        true => "",
        false => {
            "Then values that the driver computes from the\n   arguments, as the C program does (compile without \
             -ffast-math, with -ffp-contract=off). "
        }
    };
    let locals = match registers(kernel).iter().any(|register| register.local_bytes.is_some()) {
        true => "Then the byte addresses of memory that the\n   accelerator takes for local arrays. ",
        false => "",
    };
    let includes = format!(
        "{}{}#include <stdint.h>\n{}",
        host::includes(kernel),
        if parameters.contains("bool ") { "#include <stdbool.h>\n" } else { "" },
        if driver.float_bits.is_empty() { "" } else { "#include <string.h>\n" },
    );
    let bits: String = status::STATUS.iter().filter(|bit| bus || !bit.on_bus).fold(String::new(), |mut text, bit| {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "#define {upper}_{} 0x{:x}u /* {} */", bit.name, 1 << bit.bit, bit.meaning);
        text
    });
    let errors = status::STATUS.iter().filter(|bit| bit.is_error && (bus || !bit.on_bus));
    let errors = errors.fold(0, |mask, bit| mask | 1 << bit.bit);
    let (interrupt, calls_of_bus) = if bus { of_bus(name, &upper) } else { Default::default() };
    let control = status::CONTROL;
    let functions = functions(kernel, &upper, &driver);
    let conditions = conditions(kernel);
    let memory = constant(memory_bytes.into());
    let register_bits = RegisterWord::BITS;
    format!(
        r#"/* Registers of the accelerator {name}, and a driver. `registers` is where the register bus appears in the
   processor's memory: {register_bits}-bit words, indices below. */
#ifndef BURSTC_{upper}_H
#define BURSTC_{upper}_H

{includes}
#define {upper}_CONTROL {control}       /* write: bit 0 starts, a 1 to an error's bit clears it; read: the status word */
#define {upper}_CYCLES 1        /* from start to done */
#define {upper}_LOAD_BUSY 2     /* cycles */
#define {upper}_COMPUTE_BUSY 3
#define {upper}_COMPUTE_STALL 4
#define {upper}_STORE_BUSY 5
{interrupt}
/* The status word. Errors stay until the next start or until they are cleared. */
{bits}
#define {upper}_ERRORS 0x{errors:x}u /* all of them */

/* Arguments in the order of the C prototype; an array's is its byte address in the accelerator's memory, a multiple of
   {BASE_ALIGNMENT}. Scalars and sizes of 64 bits take two words, low word first. {computed}{locals}*/
{map}
/* The sizes for which the accelerator was built. {conditions}*/
{bounds}
/* What the accelerator can address, from 0 on. */
#define {upper}_MEMORY_BYTES {memory}

{functions}{calls_of_bus}
#endif
"#,
    )
}

/// The driver's functions, but those for the bus.
fn functions(kernel: &Kernel, upper: &str, driver: &Driver) -> String {
    let name = &kernel.name;
    let definitions = host::definitions(kernel);
    let Driver { parameters, check, writes, float_bits, packing, .. } = driver;
    let (alignment, start) = (BASE_ALIGNMENT - 1, 1 << status::START);
    format!(
        r#"/* How a register is read and written. Where {upper}_OWN_ACCESS is defined, the program has these two itself. */
#ifndef {upper}_OWN_ACCESS
static inline uint32_t {name}_read32(const volatile uint32_t *registers, uint32_t word)
{{
    return registers[word];
}}

static inline void {name}_write32(volatile uint32_t *registers, uint32_t word, uint32_t value)
{{
    registers[word] = value;
}}
#endif

static inline int {name}_is_outside(uint64_t value, uint64_t min, uint64_t max)
{{
    return value < min || value > max;
}}

static inline int {name}_is_misplaced(uint64_t base, uint64_t bytes)
{{
    return (base & {alignment}u) != 0 || base > {upper}_MEMORY_BYTES || bytes > {upper}_MEMORY_BYTES - base;
}}

static inline uint64_t {name}_extent(int64_t extent)
{{
    return extent > 0 ? (uint64_t)extent : 0;
}}
{float_bits}{packing}
/* Whether the accelerator takes these arguments: 0, or {upper}_SIZE_ERROR where a size is out of its bounds or the sizes
   violate a condition, and {upper}_ALIGNMENT_ERROR where an array's base is no multiple of {BASE_ALIGNMENT}, or the array is not all
   inside the memory. */
static inline uint32_t {name}_check({checked})
{{
    uint32_t errors = 0;
{check}    return errors;
}}

/* Starts the accelerator and returns 0; or returns what {name}_check does, or {upper}_BUSY while a run is under way, and
   starts nothing. The accelerator waits for its memory to be ready. */
static inline uint32_t {name}_start(volatile uint32_t *registers{parameters})
{{
    const uint32_t errors = {name}_check({names});
    if (errors != 0)
        return errors;
    if (({name}_read32(registers, {upper}_CONTROL) & {upper}_BUSY) != 0)
        return {upper}_BUSY;
{definitions}{writes}    {name}_write32(registers, {upper}_CONTROL, {start});
    return 0;
}}

/* Whether the last start led to a run, which has ended. */
static inline int {name}_done(const volatile uint32_t *registers)
{{
    return ({name}_read32(registers, {upper}_CONTROL) & {upper}_DONE) != 0;
}}

/* Waits for the end and returns the number of cycles it took; 0 if the accelerator has refused to run. */
static inline uint32_t {name}_wait(const volatile uint32_t *registers)
{{
    while (({name}_read32(registers, {upper}_CONTROL) & {upper}_BUSY) != 0) {{
    }}
    return {name}_done(registers) ? {name}_read32(registers, {upper}_CYCLES) : 0;
}}

/* The errors since the start, bits of the status word; 0 if there were none. */
static inline uint32_t {name}_errors(const volatile uint32_t *registers)
{{
    return {name}_read32(registers, {upper}_CONTROL) & {upper}_ERRORS;
}}

static inline void {name}_clear_errors(volatile uint32_t *registers)
{{
    {name}_write32(registers, {upper}_CONTROL, {upper}_ERRORS);
}}
"#,
        checked = parameters.strip_prefix(", ").unwrap_or("void"),
        names = driver.names.join(", "),
    )
}

/// The parts of the driver that go through the arguments.
#[derive(Default)]
struct Driver {
    /// Macros of the registers' words, and of the bounds of sizes.
    map: String,
    bounds: String,
    /// `, int32_t arg_N, uint32_t arg_a`, and the names in it.
    parameters: String,
    names: Vec<String>,
    /// Statements that set bits of `errors`, and those that write the registers.
    check: String,
    writes: String,
    /// Functions for the bits of floating-point numbers.
    float_bits: String,
    /// Functions that move arrays into slices and back.
    packing: String,
}

/// Those of an argument in slices.
fn packing(kernel: &Kernel, array: &Array, Slices { width, lead }: Slices) -> String {
    let (name, own, element) = (&kernel.name, &array.name, array.element);
    let extents: Vec<String> =
        array.extents.iter().map(|e| format!("{name}_extent({})", host::affine(kernel, e))).collect();
    let Some((columns, rows)) = extents.split_last() else { return String::new() };
    let sizes: String = kernel.parameters.iter().map(|p| format!(", {} {}", p.ty, host::argument(&p.name))).collect();
    let unused: String =
        kernel.parameters.iter().map(|p| format!("    (void){};\n", host::argument(&p.name))).collect();
    let rows = rows.join(" * ");
    let place = format!("packed[((column + {lead}) / {width} * rows + row) * {width} + (column + {lead}) % {width}]");
    let function = |what: &str, arguments: &str, moves: &str| {
        format!(
            "static inline void {name}_{what}_{own}({arguments}{sizes})\n{{\n{unused}    \
             const uint64_t rows = {rows}, columns = {columns};\n    \
             for (uint64_t row = 0; row < rows; row++)\n        \
             for (uint64_t column = 0; column < columns; column++)\n            {moves};\n}}\n"
        )
    };
    let cell = "array[row * columns + column]";
    format!(
        "\n/* In the accelerator's memory `{own}` lies in slices of {width} columns, each with all of its rows one behind the other. The first \
         and the last slice\n   are as wide: {}.\n   These move the array to there from where C has it, and back. */\n{}\n{}",
        format_args!(
            "{} bytes",
            array.layout().bytes_text(array.layout().element_bytes.to_string(), |e| format!("({e})"))
        ),
        function("pack", &format!("{element} *packed, const {element} *array"), &format!("{place} = {cell}")),
        function("unpack", &format!("{element} *array, const {element} *packed"), &format!("{cell} = {place}")),
    )
}

impl Driver {
    fn new(kernel: &Kernel, upper: &str) -> Driver {
        let name = &kernel.name;
        let mut driver = Driver::default();
        let (mut of_sizes, mut of_bases) = (String::new(), String::new());
        // Writing to a String cannot fail.
        for ((argument, ..), register) in argument_words(kernel).into_iter().zip(registers(kernel)) {
            let Register { word, words, c_type, symbol, .. } = &register;
            let index = format!("{upper}_{symbol}_{}", if register.base { "BASE" } else { "ARG" });
            let note = match (argument, &register.local_bytes) {
                (_, Some(bytes)) => format!(" /* local, {bytes} bytes */"),
                (Argument::Array(a), None) => match kernel.arrays[a].order {
                    Order::RowMajor => String::new(),
                    Order::ColumnMajor => " /* the first subscript counts fastest */".to_string(),
                    Order::Slices(slices) => {
                        driver.packing.push_str(&packing(kernel, &kernel.arrays[a], slices));
                        format!(
                            " /* in slices of {} columns, see {name}_pack_{} */",
                            slices.width, kernel.arrays[a].name
                        )
                    }
                },
                _ => String::new(),
            };
            let _ = writeln!(driver.map, "#define {index} {word}{note}");
            let variable = match register.computed {
                Some(_) => host::step(&register.name),
                None => host::argument(&register.name),
            };
            if register.computed.is_none() {
                let _ = write!(driver.parameters, ", {c_type} {variable}");
                driver.names.push(variable.clone());
            }
            match argument {
                Argument::Parameter(p) => {
                    let (min, max) = kernel.parameters[p].range();
                    let (min, max) = (constant(min.into()), constant(max.into()));
                    let (least, most) = (format!("{upper}_{symbol}_MIN"), format!("{upper}_{symbol}_MAX"));
                    let _ = writeln!(driver.bounds, "#define {least} {min}\n#define {most} {max}");
                    // A negative size is a very large one.
                    let _ = writeln!(
                        of_sizes,
                        "    if ({name}_is_outside((uint64_t){variable}, {least}, {most}))\n        \
                         errors |= {upper}_SIZE_ERROR;"
                    );
                }
                Argument::Array(array) => {
                    let array = &kernel.arrays[array];
                    let extent = |e: &Affine| format!("{name}_extent({})", host::affine(kernel, e));
                    let layout = array.layout();
                    let bytes = layout.bytes_text(format!("UINT64_C({})", layout.element_bytes), extent);
                    let _ = writeln!(
                        of_bases,
                        "    if ({name}_is_misplaced({variable}, errors != 0 ? 0 : {bytes}))\n        \
                         misplaced = {upper}_ALIGNMENT_ERROR;"
                    );
                }
                Argument::Scalar(_) if register.computed.is_none() => {
                    let _ = writeln!(of_sizes, "    (void){variable};");
                }
                Argument::Scalar(_) => {}
            }
            // A floating-point number's encoding, not its value.
            let value = match c_type.as_str() {
                "float" | "double" => {
                    let bits = RegisterWord::BITS * words;
                    let function = format!("{name}_{c_type}_bits");
                    if !driver.float_bits.contains(&function) {
                        let _ = writeln!(
                            driver.float_bits,
                            "\nstatic inline uint{bits}_t {function}({c_type} number)\n{{\n    uint{bits}_t bits;\n    \
                             memcpy(&bits, &number, sizeof bits);\n    return bits;\n}}"
                        );
                    }
                    format!("{function}({variable})")
                }
                _ => variable,
            };
            let _ = writeln!(driver.writes, "    {name}_write32(registers, {index}, (uint32_t){value});");
            if *words == 2 {
                let _ = writeln!(
                    driver.writes,
                    "    {name}_write32(registers, {index} + 1, (uint32_t)((uint64_t){value} >> {}));",
                    RegisterWord::BITS
                );
            }
        }
        driver.check = of_sizes;
        for condition in kernel.domain.iter().map(SizeCondition::reduced) {
            // The few whose values 64 bits do not hold are left to the hardware.
            let size = |n: &str| kernel.parameters.iter().find(|p| p.name == n).map_or((0, 0), |p| p.range());
            let (low, high) = condition.value.range(size);
            if low > i64::MIN / 2 && high < i64::MAX / 2 {
                let value = host::affine(kernel, &condition.value);
                let _ = writeln!(
                    driver.check,
                    "    if (errors == 0 && {value} < 0)\n        errors |= {upper}_SIZE_ERROR;"
                );
            }
        }
        if !of_bases.is_empty() {
            let _ = write!(driver.check, "    uint32_t misplaced = 0;\n{of_bases}    errors |= misplaced;\n");
        }
        driver
    }
}

/// The conditions for a comment.
fn conditions(kernel: &Kernel) -> String {
    let condition = |c: &SizeCondition| format!("\n   {}: {}", c.text(), c.reason.replace("*/", "* /"));
    match kernel.domain.is_empty() {
        true => String::new(),
        false => format!("They must satisfy{}\n", kernel.domain.iter().map(condition).collect::<String>()),
    }
}

/// A constant that is not negative.
fn constant(value: i128) -> String {
    if value <= i128::from(i32::MAX) { value.to_string() } else { format!("UINT64_C({value})") }
}

/// Macros and functions of the interrupt.
fn of_bus(name: &str, upper: &str) -> (String, String) {
    let word = status::INTERRUPT;
    let macros = format!(
        "#define {upper}_INTERRUPT {word}     /* bit 0 enables; bit 1 pending, write 1 to acknowledge */\n\n\
         #define {upper}_INTERRUPT_ENABLE 1u\n#define {upper}_INTERRUPT_PENDING 2u\n"
    );
    let functions = format!(
        "\n/* The interrupt at the end of a run, or where one is refused: enable it, and acknowledge it in the handler. */\n\
         static inline void {name}_enable_interrupt(volatile uint32_t *registers)\n\
         {{\n    {name}_write32(registers, {upper}_INTERRUPT, {upper}_INTERRUPT_ENABLE);\n}}\n\n\
         static inline void {name}_acknowledge_interrupt(volatile uint32_t *registers)\n\
         {{\n    {name}_write32(registers, {upper}_INTERRUPT, {upper}_INTERRUPT_ENABLE | {upper}_INTERRUPT_PENDING);\n}}\n"
    );
    (macros, functions)
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::process::Command;

    use super::*;
    use crate::simulate::golden::Golden;
    use crate::simulate::job::Job;
    use crate::simulate::samples;
    use crate::source::{self, Source};

    /// What the program `main.c` of a folder prints.
    fn run(folder: &Path) -> String {
        let compiled = Command::new(source::compiler())
            .args(["-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "-o", "main", "-lm"])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let output = Command::new(folder.join("main")).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    }

    /// The driver, run on an array in place of the registers.
    #[test]
    fn driver_writes_what_the_bench_writes() {
        let folder = tempfile::tempdir().unwrap();
        let kernel = samples::scale();
        std::fs::write(folder.path().join("scale.h"), text(&kernel, 16 << 20, true)).unwrap();
        let program = r#"
#include "scale.h"
#include <stdio.h>
int main(void)
{
    uint32_t registers[32] = {0};
    scale_start(registers, 100, -3, 0x1000, -1, 0x2000);
    for (int i = 0; i < 14; i++)
        printf("%x ", registers[i]);
    registers[SCALE_CONTROL] = SCALE_DONE;
    registers[SCALE_CYCLES] = 77;
    scale_enable_interrupt(registers);
    if (scale_errors(registers) != 0 || registers[7] != 1)
        return 2;
    registers[SCALE_CONTROL] |= SCALE_WRITE_SLVERR;
    if (scale_errors(registers) != SCALE_WRITE_SLVERR)
        return 3;
    scale_acknowledge_interrupt(registers);
    return scale_wait(registers) != 77 || registers[7] != 3;
}
"#;
        std::fs::write(folder.path().join("main.c"), program).unwrap();
        assert_eq!(run(folder.path()), "1 0 0 0 0 0 0 0 64 fffffffd ffffffff 1000 ffffffff 2000 ");
    }

    /// Cells go where the layout says, nothing else is touched, and they come back.
    #[test]
    fn arrays_are_packed_into_slices() {
        let text = "#include <stdint.h>\n#pragma burstc size(n: max 64) size(m: max 64)\n\
                    void f(int n, int m, const int16_t a[n][2][m + 1], float b[n][m])\n{\n    for (int i = 0; i < n; i++)\n\
                    for (int j = 0; j < m; j++)\n            b[i][j] = a[i][1][j];\n}\n";
        let mut kernel = source::parse(&Source { path: "f.c".into(), text: text.into(), cpp_args: vec![] }).unwrap();
        for (name, slices) in [("a", Slices { width: 4, lead: 3 }), ("b", Slices { width: 5, lead: 0 })] {
            kernel.arrays.iter_mut().find(|array| array.name == name).unwrap().order = Order::Slices(slices);
        }
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("f.h"), super::text(&kernel, 16 << 20, false)).unwrap();
        let program = r#"
#include "f.h"
#include <stdio.h>
static int16_t a[3 * 2 * 8], back[3 * 2 * 8], packed[3 * 2 * 12];
static float b[3 * 7], packed_b[3 * 10];
int main(void)
{
    for (int k = 0; k < 3 * 2 * 8; k++)
        a[k] = (int16_t)k;
    for (int k = 0; k < 3 * 2 * 12; k++)
        packed[k] = -1;
    for (int k = 0; k < 3 * 7; k++)
        b[k] = (float)k;
    for (int k = 0; k < 3 * 10; k++)
        packed_b[k] = -1;
    f_pack_a(packed, a, 3, 7);
    f_pack_b(packed_b, b, 3, 7);
    for (int k = 0; k < 3 * 2 * 12; k++)
        printf("%d ", packed[k]);
    for (int k = 0; k < 3 * 10; k++)
        printf("%g ", (double)packed_b[k]);
    f_unpack_a(back, packed, 3, 7);
    for (int k = 0; k < 3 * 2 * 8; k++)
        if (back[k] != k)
            return 1;
    return 0;
}
"#;
        std::fs::write(folder.path().join("main.c"), program).unwrap();
        let mut expected = String::new();
        for (array, extents) in kernel.arrays.iter().zip([vec![3u64, 2, 8], vec![3, 7]]) {
            let sizes = |name: &str| if name == "n" { 3 } else { 7 };
            let layout = array.layout().map(|extent| extent.evaluate(sizes) as u64);
            let element = u64::from(layout.element_bytes);
            let mut places = vec![-1; layout.bytes() as usize / element as usize];
            for cell in 0..extents.iter().product() {
                let subscript = |k: usize| cell / extents[k + 1..].iter().product::<u64>() % extents[k];
                places[(layout.offset(subscript) / element) as usize] = cell as i64;
            }
            places.iter().for_each(|place| expected += &format!("{place} "));
        }
        assert_eq!(run(folder.path()), expected);
    }

    /// A plain array takes the place of the registers: what the driver refuses, it has not started.
    #[test]
    fn driver_refuses_what_the_hardware_would() {
        let text = "#include <stdint.h>\n#pragma burstc size(n: 8, min 3, max 64) size(N: max 5000000000) size(m: max 255)\n\
                    void f(int n, int64_t N, uint8_t m, _Bool q, float x, double y, int8_t c, const int32_t a[2 * n],\n\
                    double A[n][m])\n{\n    for (int i = 0; i < n; i++)\n        for (int j = 0; j < m; j++)\n            \
                    A[i][j] += q ? a[i] * x : y + c + N;\n}\n";
        let mut kernel = source::parse(&Source { path: "f.c".into(), text: text.into(), cpp_args: vec![] }).unwrap();
        let value = Affine::variable("n") * 6 - Affine::variable("m") * 4 + Affine::constant(1000);
        kernel.domain.push(SizeCondition { value, reason: "6 n - 4 m wraps */".into(), span: Default::default() });
        let program = r#"
#include "f.h"
#include <stdio.h>
#define CHECK(condition) if (!(condition)) { printf("%s\n", #condition); return 1; }
int main(void)
{
    uint32_t registers[64] = {0};
    CHECK(F_N_MIN == 3 && F_N_MAX == 64 && F_N_2_MIN == 0 && F_N_2_MAX == UINT64_C(5000000000));
    CHECK(F_N_ARG == 8 && F_N_2_ARG == 9 && F_M_ARG == 11 && F_Q_ARG == 12);
    CHECK(F_A_BASE != F_A_2_BASE);
    CHECK(f_start(registers, 2, 1, 1, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, 65, 1, 1, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, -1, 1, 1, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, 3, -1, 1, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, 3, INT64_C(5000000001), 1, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, 3, 1, 255, 1, 1, 1, 1, 0, 4096) == F_SIZE_ERROR);
    CHECK(f_start(registers, 3, 1, 1, 1, 1, 1, 1, 4, 4096) == F_ALIGNMENT_ERROR);
    CHECK(f_start(registers, 3, 1, 1, 1, 1, 1, 1, 0, 4097) == F_ALIGNMENT_ERROR);
    CHECK(f_start(registers, 3, 1, 1, 1, 1, 1, 1, 0, F_MEMORY_BYTES - 16) == F_ALIGNMENT_ERROR);
    CHECK(f_start(registers, 2, 1, 1, 1, 1, 1, 1, 0, 4097) == (F_SIZE_ERROR | F_ALIGNMENT_ERROR));
    for (int i = 0; i < 64; i++)
        CHECK(registers[i] == 0);
    CHECK(f_check(3, 1, 254, 1, 1, 1, 1, 0, 4096) == 0);
    CHECK(f_start(registers, 3, INT64_C(5000000000), 1, 159, 1, 1, -1, 0, F_MEMORY_BYTES - 24) == 0);
    CHECK(registers[F_CONTROL] == 1 && registers[F_N_ARG] == 3 && registers[F_Q_ARG] == 1);
    CHECK(registers[F_N_2_ARG] == 705032704 && registers[F_N_2_ARG + 1] == 1);
    CHECK(registers[F_X_ARG] == 0x3f800000 && registers[F_Y_ARG + 1] == 0x3ff00000);
    CHECK(f_start(registers, 3, 1, 1, 0, 1, 1, 1, 0, 4096) == F_BUSY);
    registers[F_CONTROL] = F_MEMORY_READY | F_SIZE_ERROR;
    CHECK(f_wait(registers) == 0 && !f_done(registers) && f_errors(registers) == F_SIZE_ERROR);
    f_clear_errors(registers);
    CHECK(registers[F_CONTROL] == F_ERRORS);
    registers[F_CONTROL] = F_MEMORY_READY | F_DONE;
    registers[F_CYCLES] = 9;
    CHECK(f_wait(registers) == 9 && f_done(registers) && f_errors(registers) == 0);
    return 0;
}
"#;
        for bus in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("f.h"), super::text(&kernel, 16 << 20, bus)).unwrap();
            std::fs::write(folder.path().join("main.c"), program).unwrap();
            assert_eq!(run(folder.path()), "");
            // The same as C++.
            let strict = ["-x", "c++", "-Wall", "-Wextra", "-Werror", "-pedantic", "main.c", "-o", "main"];
            let compiled = Command::new("g++").args(strict).current_dir(folder.path()).output().unwrap();
            assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
            assert!(Command::new(folder.path().join("main")).output().unwrap().status.success());
        }
    }

    /// What the driver computes is what the simulation writes.
    #[test]
    fn driver_computes_the_values_of_the_host() {
        let folder = tempfile::tempdir().unwrap();
        let text = "#include <math.h>\n#include <stdint.h>\n\
                    void f(int n, double s, float t, int64_t u, double a[n])\n{\n    double k, l;\n    \
                    k = pow(2.0, -s);\n    l = k * (-exp(t) + -0.0) / (s > 1 ? n : 3) - 1e-310;\n    \
                    for (int i = 0; i < n; i++)\n        a[i] = a[i] * k + l * cosf(t) - (u * 3 - INT64_MIN);\n}\n";
        let source = Source { path: "f.c".into(), text: text.into(), cpp_args: vec![] };
        let kernel = source::parse(&source).unwrap();
        let set = samples::set(&[("n", 5), ("s", 3), ("t", -2), ("u", -9)]);
        let mut job = Job::new(&kernel, &set, 16 << 20, 1).unwrap();
        Golden::build(&source, &kernel).unwrap().run(&mut job).unwrap();
        std::fs::write(folder.path().join("f.h"), super::text(&kernel, 16 << 20, false)).unwrap();
        let program = "#include \"f.h\"\n#include <stdio.h>\nint main(void)\n{\n    uint32_t registers[64] = {0};\n    \
                       f_start(registers, 5, 3.0, -2.0f, -9, 0x1000);\n    \
                       for (int i = 8; i < 64; i++)\n        printf(\"%x \", registers[i]);\n    return 0;\n}\n";
        std::fs::write(folder.path().join("main.c"), program).unwrap();
        let printed = run(folder.path());
        let written: Vec<String> = job.registers(&kernel).iter().map(|(_, value)| format!("{value:x}")).collect();
        assert!(kernel.host.len() >= 4 && written.len() >= 10, "{:?}", kernel.host);
        assert!(printed.starts_with(&format!("{} 0 ", written.join(" "))), "{printed}\n{}", written.join(" "));
    }
}
