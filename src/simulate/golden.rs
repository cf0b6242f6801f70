//! The oracle: the kernel's own source, compiled by the C compiler and run on the same memory as the accelerator.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
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
use crate::simulate::indices::{self, Sought};
use crate::simulate::job::Job;
use crate::source::kernel::{Argument, BinaryOp, Expr, Kernel};
use crate::source::{self, Source};

/// Reads the memory, calls the kernel, writes the memory, and prints what the host computes. Arguments: image before,
/// image after, then one number per argument of the kernel. `BURSTC_APART` holds `start` or `end`, then base and bytes of each
/// array: they lie apart, between pages that nobody may touch, at the start of their pages or at the end.
const DRIVER: &str = r#"
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void burstc_call(unsigned char *memory, const unsigned long long *values);
int burstc_host(const unsigned long long *values, unsigned long long *results);

static unsigned long long values[256];
static unsigned long long results[256];

static struct {
    unsigned long long base, bytes;
    unsigned char *own, *low, *high;
} apart[256];
static int arrays;

/* Where the kernel has the array at `base`. */
void *burstc_array(unsigned char *memory, unsigned long long base)
{
    for (int i = 0; i < arrays; i++)
        if (apart[i].base == base)
            return apart[i].own;
    return memory + base;
}

static void outside(int signal_number, siginfo_t *info, void *context)
{
    unsigned char *place = info->si_addr;
    (void)context;
    for (int i = 0; i < arrays; i++)
        if (place >= apart[i].low && place < apart[i].high) {
            printf("%llu %lld\n", apart[i].base, (long long)(place - apart[i].own));
            fflush(stdout);
            _exit(OUTSIDE);
        }
    signal(signal_number, SIG_DFL);
}

static int take_apart(unsigned char *memory, char *list)
{
    const size_t guard = (size_t)16 << 20, page = (size_t)sysconf(_SC_PAGESIZE);
    int to_the_end = list[0] == 'e';
    while (*list && *list != ' ')
        list++;
    while (*list && arrays < 256) {
        unsigned long long base = strtoull(list, &list, 10), bytes = strtoull(list, &list, 10);
        size_t room = (bytes + page) / page * page;
        unsigned char *low = mmap(0, room + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (low == MAP_FAILED || mprotect(low + guard, room, PROT_READ | PROT_WRITE))
            return 0;
        apart[arrays].base = base;
        apart[arrays].bytes = bytes;
        apart[arrays].own = low + guard + (to_the_end ? room - bytes : 0);
        apart[arrays].low = low;
        apart[arrays].high = low + room + 2 * guard;
        memcpy(apart[arrays++].own, memory + base, bytes);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = outside;
    action.sa_flags = SA_SIGINFO;
    return !sigaction(SIGSEGV, &action, 0);
}

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
    if (getenv("BURSTC_APART") && !take_apart(memory, getenv("BURSTC_APART")))
        return 68;
    int count = burstc_host(values, results);
    for (int i = 0; i < count; i++)
        printf("%llu\n", results[i]);
    burstc_call(memory, values);
    for (int i = 0; i < arrays; i++)
        memcpy(memory + apart[i].base, apart[i].own, apart[i].bytes);
    FILE *after = fopen(argv[2], "wb");
    if (!after || fwrite(memory, 1, (size_t)size, after) != (size_t)size || fclose(after))
        return 67;
    return 0;
}
"#;

/// The variable that [`DRIVER`] reads.
const APART: &str = "BURSTC_APART";

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
/// The exit code of [`DRIVER`] where the kernel leaves an array; where that and how far from its start in bytes, it prints.
const OUTSIDE: i32 = 71;
/// So many values are tried, to have random data end a loop that looks for one.
const TRIES: usize = 40;
/// What finds the cause of a difference: operations that C leaves undefined, told on standard error where they happen.
const SANITIZED: [&str; 3] = ["-O1", "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=alignment"];
/// The help where the sanitizers find nothing.
pub const NO_CAUSE: &str = "what the kernel does may be undefined in C";
/// The longest run, unless [`Golden::within`] says otherwise.
const LONGEST: Duration = Duration::from_secs(1800);
/// The longest run that goes on outside of its arrays.
const BRIEFLY: Duration = Duration::from_secs(10);
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
    /// What its loops may look for.
    sought: Sought,
    longest: Duration,
}

/// How one program ended.
#[derive(PartialEq)]
enum Run {
    /// The memory after it, and what the host computes.
    Done { image: Vec<u8>, host: Vec<u64> },
    /// Stopped by a division.
    Division,
    /// Stopped where it leaves an array that lies apart.
    Outside(Outside),
    /// Stopped by another signal.
    Signal(i32),
    /// There is no room to lay the arrays apart.
    NoRoom,
}

/// Where a program leaves an array, which C leaves undefined.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Index into [`super::job::Placement::regions`].
    region: usize,
    array: String,
    /// Counted in all of the array's elements.
    element: i64,
    elements: i64,
}

impl Outside {
    /// Elements from the array to where it is left.
    fn distance(&self) -> i64 {
        if self.element < 0 { -self.element } else { self.element - self.elements }
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Outside { array, element, elements, .. } = self;
        match *element < 0 {
            true => write!(f, "it leaves its array `{array}`: it reads or writes {} elements in front of it", -element),
            false => write!(
                f,
                "it leaves its array `{array}`: it reads or writes element {element} of {elements}, counted from 0"
            ),
        }
    }
}

/// How a program is run.
#[derive(Clone, Copy)]
struct Way {
    /// Its arrays lie apart.
    apart: bool,
    longest: Duration,
}

/// How a kernel ended as C programs.
enum Ended {
    /// The memory after it.
    Done(Vec<u8>),
    Division,
    Outside(Outside),
    Signal(i32),
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
            sought: indices::sought(kernel),
            longest: LONGEST,
        };
        std::fs::write(golden.path("kernel.c"), wrapper(source, kernel))?;
        std::fs::write(
            golden.path("driver.c"),
            format!(
                "#define PAGE {PAGE_BYTES}\n#define OUTSIDE {OUTSIDE}\n{DRIVER}{SQUARES}{}{}",
                remarks(),
                host_function(kernel)
            ),
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

    /// The same for runs that go on outside of its arrays.
    pub fn briefly(self) -> Golden {
        let longest = self.longest.min(BRIEFLY);
        self.within(longest)
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
        let ended = match self.execute(job, self.apart())? {
            // What is read there may change nothing.
            Ended::Outside(outside) => {
                match self.execute(job, Way { apart: false, longest: self.longest.min(BRIEFLY) }) {
                    Ok(Ended::Signal(_)) | Err(_) => Ended::Outside(outside),
                    Ok(ended) => ended,
                }
            }
            ended => ended,
        };
        match ended {
            Ended::Done(image) => Ok(image),
            Ended::Outside(outside) => Err(self.left(&outside).into()),
            Ended::Signal(signal) => {
                let message = format!("the kernel, run as a C program, is stopped by signal {signal}");
                Err(self.refused(message).help("a subscript may lie outside its array").into())
            }
            Ended::Division => Err(Diagnostic::new(
                "the kernel, run as a C program, divides by zero (or overflows a division)",
            )
            .at(self.division.0, self.division.1.as_str())
            .help("C leaves this undefined: give the divisor a range without 0 (--data NAME=1..100), or another --seed")
            .into()),
        }
    }

    /// [`Golden::run`], but where the kernel divides by zero, the zeros of the job's random data are replaced first, and where it
    /// leaves an array, values that its loops may look for are put into that.
    pub fn expected(&self, job: &mut Job) -> Result<Vec<u8>> {
        let drawn = job.image.clone();
        let mut tried = BTreeMap::new();
        for _ in 0..TRIES {
            match self.execute(job, self.apart())? {
                Ended::Done(image) => return Ok(image),
                Ended::Division => {
                    job.replace_zeros();
                    return self.run(job);
                }
                Ended::Signal(_) => return self.run(job),
                Ended::Outside(outside) => {
                    let next = tried.entry(outside.region).or_insert(0);
                    let values = self.sought.in_region(job, outside.region);
                    let Some(values) = values.get(*next) else { break };
                    job.plant(outside.region, values, outside.element < 0);
                    *next += 1;
                }
            }
        }
        job.image = drawn;
        self.run(job)
    }

    fn left(&self, outside: &Outside) -> Diagnostic {
        let help =
            "C leaves this undefined: give the array other data, as with --data NAME=LOW..HIGH, or bound the loop in C";
        self.refused(format!("with these data the kernel, run as a C program, is wrong: {outside}")).help(help)
    }

    /// How programs are run first.
    fn apart(&self) -> Way {
        Way { apart: true, longest: self.longest }
    }

    /// The memory after the kernel has run.
    fn execute(&self, job: &mut Job, way: Way) -> Result<Ended> {
        std::fs::write(self.path("before.bin"), job.placement.to_c(job.image.clone()))?;
        let plain = match self.run_program(LEVELS[0], job, way)? {
            // One level sees it at once, the other where a page ends, or never: nothing holds the compiler to end such a loop.
            Run::Outside(one) => {
                let brief = Way { longest: way.longest.min(BRIEFLY), ..way };
                return Ok(Ended::Outside(match self.run_program(LEVELS[1], job, brief) {
                    Ok(Run::Outside(other)) if other.distance() < one.distance() => other,
                    _ => one,
                }));
            }
            plain => plain,
        };
        let (image, host, other, other_host) = match (plain, self.run_program(LEVELS[1], job, way)?) {
            (Run::Outside(outside), _) | (_, Run::Outside(outside)) => return Ok(Ended::Outside(outside)),
            (Run::Division, _) | (_, Run::Division) => return Ok(Ended::Division),
            (Run::Signal(signal), _) | (_, Run::Signal(signal)) => return Ok(Ended::Signal(signal)),
            (Run::NoRoom, _) | (_, Run::NoRoom) => return self.execute(job, Way { apart: false, ..way }),
            (Run::Done { image, host }, Run::Done { image: other, host: other_host }) => {
                (image, host, other, other_host)
            }
        };
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
        Ok(Ended::Done(image))
    }

    fn run_program(&self, level: &str, job: &Job, Way { apart, longest }: Way) -> Result<Run> {
        let program = program(level);
        let after = self.path(&format!("{program}.after"));
        let mut command = Command::new(self.path(&program));
        command.arg(self.path("before.bin")).arg(&after).args(job.arguments.iter().map(u64::to_string));
        command.env_remove(APART);
        if apart {
            // Vectors are at home where a page begins; one level sees what is in front of an array, the other what is behind.
            let side = if level == LEVELS[0] { "end" } else { "start" };
            let arrays = job.placement.regions.iter().filter(|region| !region.local);
            let arrays = arrays.map(|region| format!(" {} {}", region.base, region.layout.in_c().bytes()));
            command.env(APART, format!("{side}{}", arrays.collect::<String>()));
        }
        let limits = Limits { time: Some(longest), ..self.limits() };
        let ended = process::run(&mut command, limits).context("cannot run the compiled kernel")?;
        match (ended.cut, ended.status.success(), ended.status.signal()) {
            (None, true, _) => {}
            (Some(Cut::Time | Cut::Processor), ..) => {
                let seconds = longest.as_secs();
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
            (None, false, Some(signal)) => return Ok(Run::Signal(signal)),
            (None, false, None) if apart && ended.status.code() == Some(OUTSIDE) => {
                let printed = String::from_utf8_lossy(&ended.stdout);
                let place = printed.lines().last().and_then(|line| line.split_once(' '));
                let place = place.and_then(|(base, offset)| Some((base.parse().ok()?, offset.parse().ok()?)));
                let (base, offset): (u64, i64) = place.context("where the compiled kernel leaves an array")?;
                let region = job.placement.regions.iter().position(|region| region.base == base && !region.local);
                let region = region.context("the array that the compiled kernel leaves")?;
                let own = &job.placement.regions[region];
                let bytes = i64::from(own.element.bytes());
                return Ok(Run::Outside(Outside {
                    region,
                    array: own.name.clone(),
                    element: offset.div_euclid(bytes),
                    elements: own.layout.in_c().bytes() as i64 / bytes,
                }));
            }
            (None, false, None) if apart => return Ok(Run::NoRoom),
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
        let left = LEVELS.into_iter().find_map(|level| match self.run_program(level, job, self.apart()) {
            Ok(Run::Outside(outside)) => Some(outside.to_string()),
            _ => None,
        });
        left.or_else(|| self.cause(job))
    }

    /// The first undefined operation that the compiler's sanitizer sees, if it has one.
    fn cause(&self, job: &Job) -> Option<String> {
        let name = "sanitized";
        self.compile(name, &SANITIZED).ok().filter(|output| output.status.success())?;
        let mut command = Command::new(self.path(name));
        command.arg(self.path("before.bin")).arg(self.path("sanitized.after"));
        command.args(job.arguments.iter().map(u64::to_string)).env_remove(APART);
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
        Argument::Array(_) => format!("burstc_array(burstc_memory, burstc_values[{index}])"),
        Argument::Scalar(s) if kernel.scalars[*s].ty.floating => {
            format!("*(const {} *)&burstc_values[{index}]", kernel.scalars[*s].ty)
        }
        Argument::Parameter(_) | Argument::Scalar(_) => format!("burstc_values[{index}]"),
    };
    let arguments: Vec<String> = kernel.arguments.iter().enumerate().map(argument).collect();
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "void *burstc_array(unsigned char *memory, unsigned long long base);\n\
         void burstc_call(unsigned char *burstc_memory, const unsigned long long *burstc_values)\n{{\n    {}({});\n}}\n",
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

    /// What a kernel of the text leaves of its random data, and whether these are as they were drawn.
    fn after(text: &str) -> Result<(Vec<u8>, Job, bool)> {
        let read = crate::source::parse(&source(text))?;
        let mut job = Job::new(&read, &samples::set(&[]), 16 << 20, 7)?;
        let drawn = job.image.clone();
        let image = Golden::build(&source(text), &read)?.expected(&mut job)?;
        let is_drawn = job.image == drawn;
        Ok((image, job, is_drawn))
    }

    /// Loops that look for a value which random data do not have, from either end, find it, and nothing is read outside of an array.
    #[test]
    fn loops_find_what_they_look_for() {
        let up = "void f(const int x[40], int y[1]) { int i = 0; while (x[i] != -77) i++; y[0] = i; }";
        let down = "void f(const float x[40], float t, int y[1]) { int i = 39; while (x[i] != t) i--; y[0] = i; }";
        let kept =
            "void f(const int x[40], int y[1]) { int i = 0, c = x[0]; while (c > -2147483000) c = x[++i]; y[0] = i; }";
        let rows = "void f(const int x[4][9], int y[4]) { for (int r = 0; r < 4; r++) { int i = 0; while (x[r][i] != 5) i++; y[r] = i; } }";
        let twos = "void f(const int x[40], int y[1]) { int i = 0; while (x[i] != 5) i += 2; y[0] = i; }";
        let counted = "void f(const int x[40], int y[4]) { for (int k = 0; k < 4; k++) { int i = 0; while (x[i] != k) i++; y[k] = i; } }";
        let others = "void f(const int x[40], const int t[4], int y[4]) { for (int k = 0; k < 4; k++) { int i = 0; while (x[i] != t[k]) i++; y[k] = i; } }";
        let again = "void f(const int x[40], int y[1]) { int i = 0; while (x[i] != 3) i++; i++; while (x[i] != 3) i++; y[0] = i; }";
        let members = "void f(const int x[20][2], int y[1]) { int i = 0; while (x[i][0] != 5) i++; y[0] = i; }";
        for text in [up, down, kept, rows, twos, counted, others, again, members] {
            let (image, job, is_drawn) = after(text).unwrap();
            let y = job.placement.regions.iter().find(|region| region.name == "y").unwrap();
            for place in (y.base..y.end()).step_by(4) {
                let found = i32::from_le_bytes(image[place as usize..][..4].try_into().unwrap());
                assert!(!is_drawn && (0..40).contains(&found), "{text}: {found}");
            }
        }
        // Nothing is put where nothing is missed.
        let (.., is_drawn) =
            after("void f(const int x[40], int y[40]) { for (int i = 0; i < 40; i++) y[i] = x[i] == 3; }").unwrap();
        assert!(is_drawn);
    }

    /// What is read outside of an array is named where the run is stopped by it or differs; alone, it changes nothing.
    #[test]
    fn what_leaves_its_array_is_named() {
        let far = "void f(const volatile int x[40], int y[1]) { int i = 0; while (x[i] * x[i] != 3) i++; y[0] = i; }";
        let golden = |text: &str, kernel: &Kernel| Golden::build(&source(text), kernel).unwrap();
        let kernel = crate::source::parse(&source(
            "void f(const int x[40], int y[1]) { for (int i = 39; i < 40; i++) y[0] = x[i]; }",
        ))
        .unwrap();
        let mut job = Job::new(&kernel, &samples::set(&[]), 16 << 20, 7).unwrap();
        let error = golden(far, &kernel).run(&mut job).unwrap_err();
        let told = error.downcast::<Diagnostic>().unwrap().message;
        assert!(
            told.ends_with("it leaves its array `x`: it reads or writes element 40 of 40, counted from 0"),
            "{told}"
        );
        let near = "void f(const int x[40], int y[1]) { volatile int unused = x[-3]; y[0] = x[39]; }";
        let image = golden(near, &kernel).run(&mut job).unwrap();
        let plain = golden("void f(const int x[40], int y[1]) { y[0] = x[39]; }", &kernel).run(&mut job).unwrap();
        assert_eq!(job.placement.mismatch(&image, &plain), None);
        let cause = golden(near, &kernel).undefined(&job).unwrap();
        assert_eq!(cause, "it leaves its array `x`: it reads or writes 3 elements in front of it");
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
