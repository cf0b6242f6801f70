//! The oracle: the kernel's own source, compiled by the C compiler and run on the same memory as the accelerator.

use std::fmt::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::diagnostic::{Diagnostic, Span};
use crate::host;
use crate::layout::PAGE_BYTES;
use crate::printable::on_one_line;
use crate::process::{self, Cut, Limits, Scratch};
use crate::simulate::job::Job;
use crate::source::kernel::{Argument, BinaryOp, Expr, Kernel};
use crate::source::{self, Source};

/// Reads the memory, calls the kernel, writes the memory, and prints what the host computes. Arguments: image before,
/// image after, then one number per argument of the kernel.
const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>

void burstc_call(unsigned char *memory, const unsigned long long *values);
int burstc_host(const unsigned long long *values, unsigned long long *results);

static unsigned long long values[256];
static unsigned long long results[256];

int main(int argc, char **argv)
{
    if (argc < 3 || argc > 3 + 256)
        return 64;
    FILE *before = fopen(argv[1], "rb");
    if (!before || fseek(before, 0, SEEK_END))
        return 65;
    long size = ftell(before);
    rewind(before);
    unsigned char *memory = aligned_alloc(PAGE, ((size_t)size + PAGE) / PAGE * PAGE);
    if (!memory || fread(memory, 1, (size_t)size, before) != (size_t)size)
        return 66;
    for (int i = 3; i < argc; i++)
        values[i - 3] = strtoull(argv[i], NULL, 10);
    int count = burstc_host(values, results);
    for (int i = 0; i < count; i++)
        printf("%llu\n", results[i]);
    burstc_call(memory, values);
    FILE *after = fopen(argv[2], "wb");
    if (!after || fwrite(memory, 1, (size_t)size, after) != (size_t)size || fclose(after))
        return 67;
    return 0;
}
"#;

/// Squares are products, as compilers make them; the library's last bit may be another.
const SQUARES: &str = r#"
double __real_pow(double x, double y);
float __real_powf(float x, float y);
double __wrap_pow(double x, double y) { return y == 2 ? x * x : __real_pow(x, y); }
float __wrap_powf(float x, float y) { return y == 2 ? x * x : __real_powf(x, y); }
"#;

/// The levels of optimisation at which the kernel runs. Where the results differ, one of them is not what C says, and
/// nobody knows which.
const LEVELS: [&str; 2] = ["-O0", "-O2"];
/// What finds the cause of a difference: operations that C leaves undefined, told on standard error where they happen.
const SANITIZED: [&str; 3] = ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=alignment"];
/// The help where the sanitizers find nothing.
pub const NO_CAUSE: &str = "what the kernel does may be undefined in C";
/// The longest run, unless [`Golden::within`] says otherwise.
const LONGEST: Duration = Duration::from_secs(1800);
/// More than the results that [`DRIVER`] prints; a kernel of which a `printf` is left would fill a pipe.
const PRINTED: usize = 1 << 20;

/// The kernel as native programs, one per level of optimisation.
pub struct Golden {
    folder: Scratch,
    source: Source,
    /// The kernel's place in it.
    kernel: Span,
    name: String,
    /// The statement that divides, if there is one only; otherwise the kernel; and what is there.
    division: (Span, String),
    longest: Duration,
}

/// How one program ended.
#[derive(PartialEq)]
enum Run {
    /// The memory after it, and what the host computes.
    Done { image: Vec<u8>, host: Vec<u64> },
    /// Stopped by a division.
    Division,
}

/// Where a kernel may divide by zero: its only statement that divides integers by what is not constant, or all of it.
fn division(kernel: &Kernel) -> (Span, String) {
    fn divides(expr: &Expr) -> bool {
        let own = match expr {
            Expr::Binary { op: BinaryOp::Divide | BinaryOp::Remainder, right, ty, .. } => {
                !ty.floating && !matches!(**right, Expr::Constant { value, .. } if value != -1)
            }
            _ => false,
        };
        own || expr.operands().into_iter().any(divides)
    }
    let statements = kernel.statements();
    let mut dividing = statements.iter().filter(|statement| statement.values().any(divides));
    match (dividing.next(), dividing.next()) {
        (Some(statement), None) if kernel.host.is_empty() => (statement.span, "divides".to_string()),
        _ => (kernel.span, format!("a division of `{}`", kernel.name)),
    }
}

impl Golden {
    /// Compiles the kernel's source as the user wrote it. Signed overflow wraps, as in the hardware.
    pub fn build(source: &Source, kernel: &Kernel) -> Result<Golden> {
        let golden = Golden {
            folder: Scratch::new("burstc-golden-")?,
            source: source.clone(),
            kernel: kernel.span,
            name: kernel.name.clone(),
            division: division(kernel),
            longest: LONGEST,
        };
        std::fs::write(golden.path("kernel.c"), wrapper(source, kernel))?;
        std::fs::write(
            golden.path("driver.c"),
            format!("#define PAGE {PAGE_BYTES}\n{DRIVER}{SQUARES}{}{}", remarks(), host_function(kernel)),
        )?;
        let compiled = side_by_side(|level| golden.compile(&program(level), &[level]));
        for output in compiled {
            let output = output?;
            if !output.status.success() {
                let complaint = String::from_utf8_lossy(&output.stderr);
                return Err(Diagnostic::new(format!("the C compiler refuses {}", on_one_line(&source.path)))
                    .at(kernel.span, format!("for `{}`", kernel.name))
                    .help(complaint.trim().to_string())
                    .into());
            }
        }
        Ok(golden)
    }

    /// Gives up a run after so long.
    pub fn within(self, longest: Duration) -> Golden {
        Golden { longest, ..self }
    }

    fn refused(&self, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(message).at(self.kernel, format!("`{}` begins here", self.name))
    }

    fn limits(&self) -> Limits {
        Limits { time: Some(self.longest), output: Some(PRINTED), deep_stack: true, ..Limits::default() }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn compile(&self, program: &str, options: &[&str]) -> Result<Output> {
        let mut command = source::compiler_command(&self.source);
        command
            .args(["-std=gnu11", "-w", "-fwrapv", "-fno-strict-aliasing"])
            .args(options)
            // Every operation of C is rounded by itself, and functions of the library do not depend on the level.
            .args(["-ffp-contract=off", "-fno-fast-math", "-fno-builtin"])
            // Other functions of the file may call what is not here.
            .args(["-ffunction-sections", "-Wl,--gc-sections"])
            .args(["-Wl,--wrap=pow", "-Wl,--wrap=powf"])
            .args([self.path("kernel.c"), self.path("driver.c")])
            .arg("-o")
            .arg(self.path(program))
            .arg("-lm");
        let output = source::run_compiler(&mut command, String::new())?;
        // Functions that are `inline` and nothing else are nowhere unless the compiler puts them in place of their calls.
        let missing = "undefined reference";
        if output.status.success() || !String::from_utf8_lossy(&output.stderr).contains(missing) {
            return Ok(output);
        }
        source::run_compiler(command.arg("-Dinline="), String::new())
    }

    /// The memory after the kernel has run on `job`, which learns what the host computes. A division by zero, which C
    /// leaves undefined, a run without end, and results that depend on the compiler's optimisation are `Diagnostic`s.
    pub fn run(&self, job: &mut Job) -> Result<Vec<u8>> {
        self.execute(job)?.ok_or_else(|| {
            Diagnostic::new("the kernel, run as a C program, divides by zero (or overflows a division)")
                .at(self.division.0, self.division.1.as_str())
                .help("C leaves this undefined: give the divisor a range without 0 (--data NAME=1..100), or another --seed")
                .into()
        })
    }

    /// [`Golden::run`], but where the kernel divides by zero, the zeros of the job's random data are replaced first.
    pub fn expected(&self, job: &mut Job) -> Result<Vec<u8>> {
        match self.execute(job)? {
            Some(image) => Ok(image),
            None => {
                job.replace_zeros();
                self.run(job)
            }
        }
    }

    /// The memory after the kernel has run, or `None` where it was stopped by a division.
    fn execute(&self, job: &mut Job) -> Result<Option<Vec<u8>>> {
        std::fs::write(self.path("before.bin"), job.placement.to_c(job.image.clone()))?;
        let [plain, optimised] = side_by_side(|level| self.run_program(&program(level), job));
        let Run::Done { image, host } = plain? else { return Ok(None) };
        let Run::Done { image: other, host: other_host } = optimised? else { return Ok(None) };
        let place = match job.placement.mismatch(&image, &other) {
            Some(mismatch) => Some(mismatch.place()),
            None => (host != other_host).then(|| "what the host computes".to_string()),
        };
        if let Some(place) = place {
            let cause = self.cause(job).unwrap_or_else(|| NO_CAUSE.to_string());
            let compiler = source::compiler();
            return Err(self.refused(format!(
                "the kernel, run as a C program, leaves another value in {place} with `{compiler} -O0` than with `-O2`"
            ))
            .help(format!(
                "{cause}, or the compiler has a fault; while they differ, burstc has nothing to compare with. Another \
                 compiler may help: CC=clang"
            ))
            .into());
        }
        job.host = host;
        Ok(Some(image))
    }

    fn run_program(&self, program: &str, job: &Job) -> Result<Run> {
        let after = self.path(&format!("{program}.after"));
        let mut command = Command::new(self.path(program));
        command.arg(self.path("before.bin")).arg(&after).args(job.arguments.iter().map(u64::to_string));
        let ended = process::run(&mut command, self.limits()).context("cannot run the compiled kernel")?;
        match (ended.cut, ended.status.success(), ended.status.signal()) {
            (None, true, _) => {}
            (Some(Cut::Time | Cut::Processor), ..) => {
                let seconds = self.longest.as_secs();
                let message = format!(
                    "the kernel, run as a C program, has not ended after {seconds} seconds{}",
                    job.sizes_text()
                );
                let help = "choose smaller sizes, or look for a loop that does not end in C";
                return Err(self.refused(message).help(help).into());
            }
            (Some(Cut::Output), ..) => {
                return Err(self.refused("the kernel, run as a C program, prints").help("take out what prints").into());
            }
            (None, false, Some(SIGFPE)) => return Ok(Run::Division),
            (None, false, Some(signal)) => {
                let message = format!("the kernel, run as a C program, is stopped by signal {signal}");
                let refused = self.refused(message);
                return Err(refused.help("a subscript may lie outside its array").into());
            }
            (None, false, None) => bail!("the compiled kernel ends with {}", ended.status),
        }
        let printed = String::from_utf8_lossy(&ended.stdout);
        let host = printed.lines().map(str::parse).collect::<Result<_, _>>().context("what the host computes")?;
        let image = std::fs::read(&after)?;
        if image.len() != job.image.len() {
            bail!("the compiled kernel left {} bytes of memory instead of {}", image.len(), job.image.len());
        }
        Ok(Run::Done { image: job.placement.from_c(image), host })
    }

    /// What of the run on `job` C leaves undefined, so that no result is wrong; `None` where nothing is known.
    pub fn undefined(&self, job: &Job) -> Option<String> {
        std::fs::write(self.path("before.bin"), job.placement.to_c(job.image.clone())).ok()?;
        self.cause(job)
    }

    /// The first undefined operation that the compiler's sanitizer sees, if it has one.
    fn cause(&self, job: &Job) -> Option<String> {
        let name = "sanitized";
        self.compile(name, &SANITIZED).ok().filter(|output| output.status.success())?;
        let mut command = Command::new(self.path(name));
        command.arg(self.path("before.bin")).arg(self.path("sanitized.after"));
        command.args(job.arguments.iter().map(u64::to_string));
        let ended = process::run(&mut command, self.limits()).ok()?;
        let told = String::from_utf8_lossy(&ended.stderr).into_owned();
        let error = told.lines().find_map(|line| line.split_once(" runtime error: "))?;
        Some(format!("{} {}", error.0, error.1))
    }
}

/// Does something for both levels at once.
fn side_by_side<T: Send>(act: impl Fn(&'static str) -> T + Sync) -> [T; 2] {
    std::thread::scope(|scope| {
        let other = scope.spawn(|| act(LEVELS[1]));
        let first = act(LEVELS[0]);
        match other.join() {
            Ok(other) => [first, other],
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// The functions that do nothing, where nobody else defines them.
pub fn remarks() -> String {
    source::REMARKS.map(|name| format!("__attribute__((weak)) void {name}(void) {{}}\n")).concat()
}

/// The program of a level.
fn program(level: &str) -> String {
    format!("golden{level}")
}

/// The user's text and, in the same translation unit so that `static` functions work too, a call with the arguments
/// from an array. A `main` of the user's steps aside.
fn wrapper(source: &Source, kernel: &Kernel) -> String {
    let path = on_one_line(&source.path).replace('\\', "\\\\").replace('"', "\\\"");
    // The last line of the text may end in a backslash.
    let mut text = format!("#define main burstc_user_main\n#line 1 \"{path}\"\n{}\n\n", source.text);
    let argument = |(index, argument): (usize, &Argument)| match argument {
        Argument::Array(_) => format!("(void *)(burstc_memory + burstc_values[{index}])"),
        Argument::Scalar(s) if kernel.scalars[*s].ty.floating => {
            format!("*(const {} *)&burstc_values[{index}]", kernel.scalars[*s].ty)
        }
        Argument::Parameter(_) | Argument::Scalar(_) => format!("burstc_values[{index}]"),
    };
    let arguments: Vec<String> = kernel.arguments.iter().enumerate().map(argument).collect();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "void burstc_call(unsigned char *burstc_memory, const unsigned long long *burstc_values)\n{{\n    {}({});\n}}\n",
        kernel.name,
        arguments.join(", ")
    );
    text
}

/// `burstc_host`: the values of the registers that the host computes, in the order of `Kernel::scalars`, and their number.
/// It is compiled without the user's text, whose macros could change it.
fn host_function(kernel: &Kernel) -> String {
    let mut text = format!("{}#include <stdint.h>\n#include <string.h>\n", host::includes(kernel));
    text.push_str("int burstc_host(const unsigned long long *values, unsigned long long *results)\n{\n");
    for (index, argument) in kernel.arguments.iter().enumerate() {
        let (name, ty) = match argument {
            Argument::Parameter(p) => (&kernel.parameters[*p].name, kernel.parameters[*p].ty),
            Argument::Scalar(s) => (&kernel.scalars[*s].name, kernel.scalars[*s].ty),
            Argument::Array(_) => continue,
        };
        let name = host::argument(name);
        let _ = match ty.floating {
            true => writeln!(text, "    {ty} {name};\n    memcpy(&{name}, &values[{index}], sizeof {name});"),
            false => writeln!(text, "    {ty} {name} = ({ty})values[{index}];"),
        };
    }
    text.push_str(&host::definitions(kernel));
    let registers = kernel.host.iter().filter(|step| step.scalar.is_some());
    for (index, step) in registers.clone().enumerate() {
        let _ = writeln!(text, "    memcpy(&results[{index}], &{0}, sizeof {0});", host::variable(step));
    }
    let _ = writeln!(text, "    return {};\n}}", registers.count());
    text
}

/// The signal of a division that the processor cannot do.
const SIGFPE: i32 = 8;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::samples;

    fn source(text: &str) -> Source {
        Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] }
    }

    const MATMUL: &str = include_str!("../../examples/matmul.c");

    #[test]
    fn runs_the_users_text() {
        let kernel = samples::matmul();
        let mut job = Job::new(&kernel, &samples::set(&[("N", 5)]), 16 << 20, 7).unwrap();
        let after = Golden::build(&source(MATMUL), &kernel).unwrap().expected(&mut job).unwrap();
        let word = |image: &[u8], array: usize, i: u64, j: u64| {
            let at = (job.placement.regions[array].base + (i * 5 + j) * 4) as usize;
            i32::from_le_bytes(image[at..at + 4].try_into().unwrap())
        };
        let mut expected = job.image.clone();
        for (i, j) in (0..5).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let sum = (0..5).fold(word(&job.image, 2, i, j), |sum, k| {
                sum.wrapping_add(word(&job.image, 0, i, k).wrapping_mul(word(&job.image, 1, k, j)))
            });
            let at = (job.placement.regions[2].base + (i * 5 + j) * 4) as usize;
            expected[at..at + 4].copy_from_slice(&sum.to_le_bytes());
        }
        assert_eq!(job.placement.mismatch(&expected, &after), None);
    }

    #[test]
    fn static_functions_mixed_types_and_a_main_of_the_users() {
        let text = "#include <stdint.h>\n#include <stdio.h>\nvoid elsewhere(void);\nvoid other(void) { elsewhere(); }\n\
                    static void scale(int N, int64_t alpha, int16_t a[N], int8_t beta, int64_t b[2*N+1])\n\
                    { for (int i = 0; i < N; i++) b[2*i] = alpha * a[i] + beta; }\n\
                    int main(void) { return 3; }";
        let kernel = samples::scale();
        let set = samples::set(&[("N", 3), ("alpha", -4_000_000_000), ("beta", -128)]);
        let mut job = Job::new(&kernel, &set, 16 << 20, 7).unwrap();
        let after = Golden::build(&source(text), &kernel).unwrap().expected(&mut job).unwrap();
        let (a, b) = (job.placement.regions[0].base as usize, job.placement.regions[1].base as usize);
        let a1 = i16::from_le_bytes(job.image[a + 2..a + 4].try_into().unwrap());
        let b2 = i64::from_le_bytes(after[b + 16..b + 24].try_into().unwrap());
        assert_eq!(b2, -4_000_000_000 * i64::from(a1) - 128);
        assert_eq!(after[b + 8..b + 16], job.image[b + 8..b + 16]);
    }

    /// More than the 8 MB that a stack has unless one asks.
    #[test]
    fn local_arrays_have_room() {
        let text = "void scale(int N, long alpha, short *a, signed char beta, long *b)\n\
                    { volatile int t[5000][1000]; t[0][0] = t[4999][999] = N; b[0] = t[0][0] + t[4999][999]; }";
        let kernel = samples::scale();
        let mut job = Job::new(&kernel, &samples::set(&[("N", 3)]), 16 << 20, 7).unwrap();
        let after = Golden::build(&source(text), &kernel).unwrap().expected(&mut job).unwrap();
        assert_eq!(after[job.placement.regions[1].base as usize], 6);
    }

    #[test]
    fn division_by_zero_is_told() {
        let text = "void scale(int N, long alpha, short *a, signed char beta, long *b) { b[0] = N / alpha; }";
        let kernel = samples::scale();
        let mut job = Job::new(&kernel, &samples::set(&[("N", 3), ("alpha", 0)]), 16 << 20, 7).unwrap();
        let error = Golden::build(&source(text), &kernel).unwrap().expected(&mut job).unwrap_err();
        assert!(error.to_string().contains("divides by zero"), "{error}");
    }

    #[test]
    fn a_division_is_shown_where_there_is_one_only() {
        let place = |body: &str| {
            let text = format!("void f(int n, int a[64], int b[64])\n{{\nfor (int i = 0; i < 64; i++)\n{body}\n}}");
            let (span, label) = division(&crate::source::parse(&source(&text)).unwrap());
            (span.line, label)
        };
        assert_eq!(place("a[i] = 7 / b[i];"), (4, "divides".to_string()));
        assert_eq!(place("{ a[i] = b[i] / 3; b[i] =\n1 % a[i]; }"), (4, "divides".to_string()));
        assert_eq!(place("a[i] = b[i] / -1;"), (4, "divides".to_string()));
        let anywhere = (1, "a division of `f`".to_string());
        assert_eq!(place("{ a[i] = n / b[i]; b[i] = 1 % a[i]; }"), anywhere);
    }

    #[test]
    fn zeros_among_random_divisors_are_replaced() {
        let text = "void scale(int N, long alpha, short *a, signed char beta, long *b)\n\
                    { for (int i = 0; i < N; i++) a[i] = i / a[i]; }";
        let kernel = samples::scale();
        let mut job = Job::new(&kernel, &samples::set(&[("N", 3)]), 16 << 20, 7).unwrap();
        let a = job.placement.regions[0].base as usize;
        job.image[a + 2..a + 4].fill(0);
        let after = Golden::build(&source(text), &kernel).unwrap().expected(&mut job).unwrap();
        assert_eq!((job.image[a + 2], job.image[a + 3], after[a + 2]), (1, 0, 1));
    }
}
