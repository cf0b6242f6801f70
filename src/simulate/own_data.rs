//! A program's own data: it runs natively up to the region that is the kernel, and through it once.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::affine::Affine;
use crate::diagnostic::Diagnostic;
use crate::printable::on_one_line;
use crate::process::{self, Cut, Limits, Scratch};
use crate::simulate::golden::remarks;
use crate::simulate::job::Job;
use crate::simulate::number::Number;
use crate::source;
use crate::source::kernel::{Argument, Kernel, ScalarType};
use crate::source::program::{Place, Program};

/// What the program calls where the region begins and ends. Whatever it prints goes nowhere.
const WRITER: &str = r#"
#include <stdio.h>
#include <stdlib.h>

static FILE *burstc_file;

__attribute__((constructor)) static void burstc_silence(void)
{
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
        _Exit(67);
}

void burstc_open(int after)
{
    burstc_file = fopen(after ? AFTER : BEFORE, "wb");
    if (!burstc_file)
        _Exit(67);
}

void burstc_put(const void *data, unsigned long long bytes)
{
    if (fwrite(&bytes, 8, 1, burstc_file) != 1 || fwrite(data, 1, bytes, burstc_file) != bytes)
        _Exit(67);
}

void burstc_close(int after)
{
    if (fclose(burstc_file))
        _Exit(67);
    if (after)
        _Exit(0);
}
"#;

/// The longest that a program may take to get there.
const LONGEST: Duration = Duration::from_secs(300);

/// The data of a kernel's arguments where its region begins and where it ends, in the order of `Kernel::arguments`.
#[derive(Clone, Debug)]
pub struct OwnData {
    before: Vec<Vec<u8>>,
    after: Vec<Vec<u8>>,
}

impl OwnData {
    /// Runs the program. Errors: a [`Diagnostic`] where it cannot be compiled by itself, or does not get to the region's
    /// end.
    pub fn of(program: &Program, kernel: &Kernel) -> Result<OwnData> {
        let refuse = |message: &str, help: &str| {
            Err(Diagnostic::new(format!("--own-data: {message}")).at(kernel.span, "this region").help(help).into())
        };
        let Some(place) = &program.region else {
            return refuse(
                "the file has several regions, or none, or the function returns in several places",
                "choose one with --region LINE, or return at the function's end only",
            );
        };
        let folder = Scratch::new("burstc-own-")?;
        let path = |name: &str| folder.path().join(name);
        let quoted = |name: &str| format!("{:?}", path(name).to_string_lossy());
        std::fs::write(path("program.c"), with_writes(program, place, kernel))?;
        let files = format!("#define BEFORE {}\n#define AFTER {}\n", quoted("before"), quoted("after"));
        std::fs::write(path("writer.c"), format!("{files}{WRITER}{}", remarks()))?;
        let mut compiled = None;
        for options in [&["-fopenmp"][..], &[]] {
            let mut command = source::compiler_command(&program.source);
            command.args(["-std=gnu11", "-w", "-O1", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off"]);
            command.args(options).args([path("program.c"), path("writer.c")]).arg("-o").arg(path("program")).arg("-lm");
            let output = source::run_compiler(&mut command, String::new())?;
            let is_done = output.status.success();
            compiled = Some(output);
            if is_done {
                break;
            }
        }
        if let Some(output) = compiled.filter(|output| !output.status.success()) {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            let reason = told.lines().find(|line| line.contains("undefined reference") || line.contains("error"));
            let help = format!("the C compiler says: {}", on_one_line(reason.unwrap_or(&told)));
            return refuse("the file is no whole program", &help);
        }
        let limits = Limits { time: Some(LONGEST), output: Some(1 << 20), deep_stack: true, ..Limits::default() };
        let mut command = Command::new(path("program"));
        command.env("OMP_NUM_THREADS", "1");
        let ended = process::run(&mut command, limits).context("cannot run the program")?;
        if matches!(ended.cut, Some(Cut::Time)) {
            let message = format!("the program is not at the region's end after {} seconds", LONGEST.as_secs());
            return refuse(&message, "choose smaller sizes, as with --redefine N=64");
        }
        if let Some(signal) = ended.status.signal() {
            return refuse(
                &format!("the program is stopped by signal {signal}"),
                "does it run by itself, without arguments?",
            );
        }
        let (Ok(before), Ok(after)) = (std::fs::read(path("before")), std::fs::read(path("after"))) else {
            let help = "it runs without arguments and input; the region must be reached and left at its end";
            return refuse("the program ends before the region does", help);
        };
        let (before, after) = (parts(&before), parts(&after));
        if before.len() != kernel.arguments.len() || after.len() != before.len() {
            return refuse("the program ends before the region does", "the region must be left at its end");
        }
        Ok(OwnData { before, after })
    }

    /// The values of sizes and scalar arguments.
    pub fn settings(&self, kernel: &Kernel) -> Vec<(String, Number)> {
        let value = |(argument, bytes): (&Argument, &Vec<u8>)| {
            let (name, ty) = named(kernel, argument)?;
            let raw = bytes.iter().take(8).rev().fold(0, |raw, byte| raw << 8 | u64::from(*byte));
            Some((name.to_string(), Number::of(raw, ty)))
        };
        kernel.arguments.iter().zip(&self.before).filter_map(value).collect()
    }

    /// Puts the arrays into the job's memory. `read` is the kernel whose arguments the data are of, `kernel` the job's.
    pub fn fill(&self, read: &Kernel, kernel: &Kernel, job: &mut Job) -> Result<()> {
        let image = std::mem::take(&mut job.image);
        job.image = self.placed(read, kernel, job, image, &self.before)?;
        Ok(())
    }

    /// Demands that the kernel leaves what the program does at the region's end.
    pub fn check(&self, read: &Kernel, kernel: &Kernel, job: &Job, image: &[u8]) -> Result<()> {
        let own = self.placed(read, kernel, job, image.to_vec(), &self.after)?;
        match job.placement.mismatch(&own, image) {
            None => Ok(()),
            Some(mismatch) => Err(Diagnostic::new(format!(
                "--own-data: in the program itself the region leaves other data than as a kernel of its own: {mismatch}"
            ))
            .at(kernel.span, "this region")
            .help("do two of its arrays share memory, or does the region read what it does not name?")
            .into()),
        }
    }

    fn placed(&self, read: &Kernel, kernel: &Kernel, job: &Job, image: Vec<u8>, data: &[Vec<u8>]) -> Result<Vec<u8>> {
        let mut image = job.placement.to_c(image);
        for (argument, bytes) in read.arguments.iter().zip(data) {
            let Argument::Array(array) = argument else { continue };
            let name = &read.arrays[*array].name;
            let regions = || job.placement.regions.iter().filter(|region| !region.local);
            let Some(region) = regions().find(|region| kernel.arrays[region.array].name == *name) else { continue };
            let (base, expected) = (region.base as usize, region.layout.in_c().bytes() as usize);
            if bytes.len() != expected {
                return Err(Diagnostic::new(format!(
                    "--own-data: `{name}` has {} bytes in the program, and {expected} in the kernel",
                    bytes.len()
                ))
                .at(read.arrays[*array].span, "this array")
                .help("is its type the same everywhere?")
                .into());
            }
            image[base..base + expected].copy_from_slice(bytes);
        }
        Ok(job.placement.from_c(image))
    }
}

/// The name and type of a size or scalar.
fn named<'k>(kernel: &'k Kernel, argument: &Argument) -> Option<(&'k str, ScalarType)> {
    match argument {
        Argument::Parameter(p) => Some((&kernel.parameters[*p].name, kernel.parameters[*p].ty)),
        Argument::Scalar(s) => Some((&kernel.scalars[*s].name, kernel.scalars[*s].ty)),
        Argument::Array(_) => None,
    }
}

/// The parts of a file, each behind its length.
fn parts(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut all = vec![];
    while let Some((length, rest)) = bytes.split_first_chunk::<8>() {
        let length = u64::from_le_bytes(*length) as usize;
        let Some((part, rest)) = rest.split_at_checked(length) else { break };
        all.push(part.to_vec());
        bytes = rest;
    }
    all
}

/// The program with calls that write the arguments' data where the region begins and where it ends.
fn with_writes(program: &Program, place: &Place, kernel: &Kernel) -> String {
    let writes = |after: u8| {
        let mut writes = String::new();
        for argument in &kernel.arguments {
            let name = match argument {
                Argument::Array(array) => kernel.arrays[*array].name.as_str(),
                other => named(kernel, other).map_or("", |(name, _)| name),
            };
            if let Some(returned) = place.returned.as_ref().filter(|returned| returned.array == name) {
                // Nothing is known of it before.
                let (ty, value) = (&returned.ty, if after == 0 { "0" } else { &returned.text });
                let _ = write!(
                    writes,
                    "{{ {ty} burstc_copy = {value}; burstc_put((const void *)&burstc_copy, sizeof burstc_copy); }} "
                );
                continue;
            }
            let renamed = place.results.iter().chain(&place.firsts).find(|(_, new)| new == name);
            let variable = renamed.map_or(name, |(variable, _)| variable);
            // Writing to a String cannot fail.
            let _ = match argument {
                Argument::Array(array) if renamed.is_none() => {
                    let array = &kernel.arrays[*array];
                    let extents: Vec<String> =
                        array.layout().in_c().digits.iter().map(|digit| in_c(&digit.radix)).collect();
                    let count = if extents.is_empty() { "1".to_string() } else { extents.join(" * ") };
                    write!(writes, "burstc_put((const void *)({variable}), {}ull * {count}); ", array.element.bytes())
                }
                _ => write!(
                    writes,
                    "{{ __typeof__({variable}) burstc_copy = {variable}; burstc_put((const void *)&burstc_copy, sizeof burstc_copy); }} "
                ),
            };
        }
        writes
    };
    let at = |after: u8| format!("\n{{ burstc_open({after}); {}burstc_close({after}); }}\n", writes(after));
    let path = on_one_line(&program.source.path).replace('\\', "\\\\").replace('"', "\\\"");
    let text = &place.text;
    format!(
        "extern void burstc_open(int);\nextern void burstc_put(const void *, unsigned long long);\n\
         extern void burstc_close(int);\n#line 1 \"{path}\"\n{}{}{}{}{}\n",
        &text[..place.begin],
        at(0),
        &text[place.begin..place.end],
        at(1),
        &text[place.end..],
    )
}

fn in_c(extent: &Affine) -> String {
    let terms = extent.terms.iter().map(|(name, factor)| format!("{factor}ll * (long long){name} + "));
    format!("({}{}ll)", terms.collect::<String>(), extent.constant)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::simulate::golden::Golden;
    use crate::source::program::{Choice, choose};
    use crate::source::{Source, parse};

    type Ran = (Vec<(String, Number)>, Job, Vec<u8>);

    /// Runs the program and the kernel on its data: the values of sizes and scalars, the job's memory before, and what
    /// the kernel leaves there.
    fn own(text: &str) -> Result<Ran> {
        let user = Source { path: "program.c".into(), text: text.into(), cpp_args: vec![] };
        let program = choose(&user, &Choice::default())?;
        let mut kernel = parse(&program.source)?;
        kernel.parameters.iter_mut().for_each(|parameter| parameter.max = Some(100));
        let own = OwnData::of(&program, &kernel)?;
        let settings = own.settings(&kernel);
        let set: BTreeMap<String, Number> = settings.iter().cloned().collect();
        let mut job = Job::new(&kernel, &set, 16 << 20, 1)?;
        own.fill(&kernel, &kernel, &mut job)?;
        let after = Golden::build(&program.source, &kernel)?.run(&mut job)?;
        own.check(&kernel, &kernel, &job, &after)?;
        Ok((settings, job, after))
    }

    fn words(job: &Job, image: &[u8], array: usize) -> Vec<i32> {
        let region = &job.placement.regions[array];
        let bytes = &image[region.base as usize..(region.base + region.bytes()) as usize];
        bytes.as_chunks::<4>().0.iter().map(|word| i32::from_le_bytes(*word)).collect()
    }

    const PROGRAM: &str = "#include <stdio.h>\nint a[4], s, n, i;\nint main(int argc, char **argv) {\n\
        n = argc + 2; s = 5; float f = 0.5f;\nprintf(\"nothing\\n\");\nfor (i = 0; i < 4; i++) a[i] = i * i;\n\
        #pragma scop\nfor (i = 0; i < n; i++) { s += a[i]; a[i] = f * s; }\n#pragma endscop\n\
        printf(\"%d\\n\", s);\nreturn 0; }\n";

    #[test]
    fn the_programs_own() {
        let (settings, job, after) = own(PROGRAM).unwrap_or_else(|error| panic!("{error:#}"));
        let value = |name: &str| settings.iter().find(|(own, _)| own == name).map(|(_, value)| value.value());
        assert_eq!((value("n"), value("f")), (Some(3.0), Some(0.5)));
        // `s_out` comes first: it is used first.
        let arguments = job.placement.regions.iter().filter(|region| !region.local);
        let names: Vec<&str> = arguments.map(|region| region.name.as_str()).collect();
        assert_eq!(names, ["s_out", "a"]);
        assert_eq!((words(&job, &job.image, 0), words(&job, &job.image, 1)), (vec![5], vec![0, 1, 4, 9]));
        assert_eq!((words(&job, &after, 0), words(&job, &after, 1)), (vec![10], vec![2, 3, 5, 9]));
    }

    #[test]
    fn programs_that_do_not_get_there() {
        for (text, message) in [
            (PROGRAM.replace("s = 5;", "s = 5; return 1;"), "ends before the region does"),
            (PROGRAM.replace("s = 5;", "s = 5; s = *(int *)0;"), "stopped by signal 11"),
            (PROGRAM.replace("s = 5;", "s = elsewhere();"), "no whole program"),
        ] {
            let error = own(&text).expect_err("it has no data");
            assert!(error.is::<Diagnostic>() && error.to_string().contains(message), "{error:#}\n{text}");
        }
    }

    /// Structures alone and in arrays, without names and local ones, and helpers that use and change them.
    #[test]
    fn structures() {
        let text = "struct config { int gain, bias, taps[4]; } config = {2, 7, {1, 2, 3, 4}};\n\
            static struct { int from[8]; int to[8]; } table;\nstruct { short left, right; } audio[8];\nint out[8];\n\
            static int amplified(int x) { return x * config.gain; }\n\
            static void grow(int by) { config.bias += by; table.to[0]++; }\n\
            int main(void) {\nstruct sum { int all, largest; } sum = {1, 2};\n\
            for (int i = 0; i < 8; i++) { audio[i].left = i; audio[i].right = -i; table.from[i] = 3 * i; }\n\
            #pragma scop\nfor (int i = 0; i < 8; i++) {\n\
            out[i] = amplified(audio[i].left) + config.bias * audio[i].right + config.taps[i % 4];\n\
            table.to[i] += table.from[i]; sum.all += out[i]; if (out[i] > sum.largest) sum.largest = out[i];\n\
            grow(i); }\n#pragma endscop\nreturn sum.all + sum.largest; }\n";
        let (_, job, after) = own(text).unwrap_or_else(|error| panic!("{error:#}"));
        let (mut bias, mut out, mut to, mut all, mut largest) = (7, vec![], vec![], 1, 2);
        let mut grown = 0;
        for i in 0..8 {
            out.push(i * 2 - bias * i + i % 4 + 1);
            to.push(3 * i);
            all += out[i as usize];
            largest = largest.max(out[i as usize]);
            bias += i;
            grown += 1;
        }
        to[0] += grown;
        let of = |name: &str| {
            let array = job.placement.regions.iter().position(|region| region.name == name);
            words(&job, &after, array.unwrap_or_else(|| panic!("no {name}")))
        };
        assert_eq!((of("out"), of("sum_out")), (out, vec![all, largest]));
        assert_eq!(of("table_out")[8..], to);
        assert_eq!(of("config_out"), [2, bias, 1, 2, 3, 4]);
    }

    /// Arrays that share memory are two for the kernel.
    #[test]
    fn shared_memory_shows() {
        let text = "int m[8];\nvoid k(int a[4], int b[4]) {\nfor (int i = 0; i < 4; i++) b[i] = a[i] + 1;\n}\n\
                    int main(void) { k(m, m + 1); return 0; }\n";
        let error = own(text).expect_err("they overlap");
        assert!(error.to_string().contains("leaves other data"), "{error:#}");
        own(&text.replace("m + 1", "m + 4")).unwrap_or_else(|error| panic!("{error:#}"));
    }
}
