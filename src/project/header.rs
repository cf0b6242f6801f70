//! The C header: register map, and a driver of a few lines.

use std::fmt::Write as _;

use crate::host;
use crate::project::registers::{Register, registers};
use crate::source::kernel::Kernel;

/// Text of `<kernel>.h`; `bus` adds the registers of accelerators behind a bus.
pub fn text(kernel: &Kernel, bus: bool) -> String {
    let name = &kernel.name;
    let upper = name.to_uppercase();
    let mut map = String::new();
    let mut parameters = String::new();
    let mut writes = String::new();
    // Writing to a String cannot fail.
    for register in registers(kernel) {
        let Register { name: argument, word, words, c_type, .. } = &register;
        let suffix = if register.base { "BASE" } else { "ARG" };
        let index = format!("{upper}_{}_{suffix}", argument.to_uppercase());
        let note = register.local_bytes.as_ref().map_or(String::new(), |bytes| format!(" /* local, {bytes} bytes */"));
        let _ = writeln!(map, "#define {index} {word}{note}");
        let variable = match register.computed {
            Some(_) => host::step(argument),
            None => host::argument(argument),
        };
        if register.computed.is_none() {
            let _ = write!(parameters, ", {c_type} {variable}");
        }
        // A floating-point number's encoding, not its value.
        let value = match c_type.as_str() {
            "float" => format!("((union {{ float number; uint32_t bits; }}){{{variable}}}).bits"),
            "double" => format!("((union {{ double number; uint64_t bits; }}){{{variable}}}).bits"),
            _ => variable,
        };
        let _ = writeln!(writes, "    registers[{index}] = (uint32_t){value};");
        if *words == 2 {
            let _ = writeln!(writes, "    registers[{index} + 1] = (uint32_t)((uint64_t){value} >> 32);");
        }
    }
    let computed = match kernel.host.is_empty() {
        true => "",
        false => {
            "Then values that the driver computes from the\n   arguments, as the C program does (compile without \
             -ffast-math, with -ffp-contract=off). "
        }
    };
    let (includes, definitions) = (host::includes(kernel), host::definitions(kernel));
    let of_bus = match bus {
        true => format!(
            "#define {upper}_STATUS 6        /* errors of the bus since the start, below */\n\
             #define {upper}_INTERRUPT 7     /* bit 0 enables; bit 1 pending, write 1 to acknowledge */\n"
        ),
        false => String::new(),
    };
    let bits_of_bus = match bus {
        true => format!(
            "\n#define {upper}_READ_SLVERR 1u\n#define {upper}_READ_DECERR 2u\n\
             #define {upper}_WRITE_SLVERR 4u\n#define {upper}_WRITE_DECERR 8u\n\n\
             #define {upper}_INTERRUPT_ENABLE 1u\n#define {upper}_INTERRUPT_PENDING 2u\n"
        ),
        false => String::new(),
    };
    let calls_of_bus = match bus {
        true => format!(
            "\n/* Errors that the bus answered with since the start; 0 if there were none. */\n\
             static inline uint32_t {name}_errors(const volatile uint32_t *registers)\n\
             {{\n    return registers[{upper}_STATUS];\n}}\n\n\
             /* The interrupt at the end of a run: enable it, and acknowledge it in the handler. */\n\
             static inline void {name}_enable_interrupt(volatile uint32_t *registers)\n\
             {{\n    registers[{upper}_INTERRUPT] = {upper}_INTERRUPT_ENABLE;\n}}\n\n\
             static inline void {name}_acknowledge_interrupt(volatile uint32_t *registers)\n\
             {{\n    registers[{upper}_INTERRUPT] = {upper}_INTERRUPT_ENABLE | {upper}_INTERRUPT_PENDING;\n}}\n"
        ),
        false => String::new(),
    };
    let locals = match registers(kernel).iter().any(|register| register.local_bytes.is_some()) {
        true => "Then the byte addresses of memory that the\n   accelerator takes for local arrays. ",
        false => "",
    };
    format!(
        r#"/* Registers of the accelerator {name}, and a driver. `registers` is where the register bus appears in the
   processor's memory: 32-bit words, indices below. */
#ifndef BURSTC_{upper}_H
#define BURSTC_{upper}_H

{includes}#include <stdint.h>

#define {upper}_CONTROL 0       /* write: bit 0 starts; read: the bits below */
#define {upper}_CYCLES 1        /* from start to done */
#define {upper}_LOAD_BUSY 2     /* cycles */
#define {upper}_COMPUTE_BUSY 3
#define {upper}_COMPUTE_STALL 4
#define {upper}_STORE_BUSY 5
{of_bus}
#define {upper}_BUSY 1u
#define {upper}_DONE 2u
#define {upper}_MEMORY_READY 4u
{bits_of_bus}
/* Arguments in the order of the C prototype; an array's is its byte address in the accelerator's memory, a multiple of
   8. Scalars of 64 bits take two words, low word first. {computed}{locals}*/
{map}
/* Starts the accelerator; it must not be busy, and the memory must be ready. */
static inline void {name}_start(volatile uint32_t *registers{parameters})
{{
{definitions}{writes}    registers[{upper}_CONTROL] = 1;
}}

static inline int {name}_done(const volatile uint32_t *registers)
{{
    return (registers[{upper}_CONTROL] & {upper}_DONE) != 0;
}}

/* Waits for the end and returns the number of cycles it took. */
static inline uint32_t {name}_wait(const volatile uint32_t *registers)
{{
    while (!{name}_done(registers)) {{
    }}
    return registers[{upper}_CYCLES];
}}
{calls_of_bus}
#endif
"#
    )
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
        std::fs::write(folder.path().join("scale.h"), text(&kernel, true)).unwrap();
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
    registers[SCALE_STATUS] = SCALE_WRITE_SLVERR;
    scale_enable_interrupt(registers);
    if (scale_errors(registers) != 4 || registers[7] != 1)
        return 2;
    scale_acknowledge_interrupt(registers);
    return scale_wait(registers) != 77 || registers[7] != 3;
}
"#;
        std::fs::write(folder.path().join("main.c"), program).unwrap();
        assert_eq!(run(folder.path()), "1 0 0 0 0 0 0 0 64 fffffffd ffffffff 1000 ffffffff 2000 ");
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
        std::fs::write(folder.path().join("f.h"), super::text(&kernel, false)).unwrap();
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
