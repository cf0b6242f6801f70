//! Mutated C files through `build`: whatever they are, they are built (exit code 0) or refused (2), soon, and in little
//! memory.

mod mutate;
#[path = "../common/processor.rs"]
mod processor;

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mutate::{Random, mutated};

/// Processor time of burstc itself, on the machine on which it was set; the clock of the wall depends on what else the machine does.
const SECONDS: f64 = 10.0;
/// Resident memory of burstc itself.
const MEGABYTES: u64 = 1024;
/// After so long it is given up.
const LATE: Duration = Duration::from_secs(300);

/// How a build ended.
#[derive(Clone, Debug, Default)]
struct Ended {
    code: Option<i32>,
    error: String,
    seconds: f64,
    megabytes: u64,
    late: bool,
    left: bool,
}

impl Ended {
    /// What must not be, in words that are alike for failures of one cause; on a machine that takes so many times as long.
    fn fault(&self, slowness: f64) -> Option<String> {
        if self.late {
            return Some("does not end".to_string());
        }
        match self.code {
            Some(0 | 2) => {}
            code => {
                let mut lines = self.error.lines().skip_while(|line| !line.contains("error"));
                let told = [lines.next().unwrap_or("no message"), lines.next().unwrap_or("")].join(" ");
                return Some(format!("exit code {code:?}: {}", told.trim()));
            }
        }
        if self.code == Some(2) && (self.left || !self.error.contains("help:")) {
            return Some(if self.left { "left a folder behind" } else { "refused without help" }.to_string());
        }
        if self.seconds > SECONDS * slowness {
            return Some(format!("takes more than {SECONDS} seconds"));
        }
        (self.megabytes > MEGABYTES).then(|| format!("takes more than {MEGABYTES} MB"))
    }
}

/// Builds the file in its folder. Time and memory are looked at every few milliseconds.
fn build(folder: &Path) -> Ended {
    let error = folder.join("stderr");
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.args(["build", "k.c", "--out", "out"]).current_dir(folder).env("NO_COLOR", "1").process_group(0);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(std::fs::File::create(&error).unwrap());
    let mut child = command.spawn().unwrap();
    let (begin, pid) = (Instant::now(), child.id());
    let mut ended = Ended::default();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            ended.code = status.code();
            break;
        }
        let proc = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap_or_default();
        let (stat, status) = (proc("stat"), proc("status"));
        let fields: Vec<u64> =
            stat.rsplit(") ").next().unwrap_or("").split(' ').map(|f| f.parse().unwrap_or(0)).collect();
        if let [user, system] = fields.get(11..13).unwrap_or(&[])[..] {
            // In hundredths of a second on Linux.
            ended.seconds = (user + system) as f64 / 100.0;
        }
        let high = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("");
        let kilobytes: u64 = high.trim().trim_end_matches(" kB").parse().unwrap_or(0);
        ended.megabytes = ended.megabytes.max(kilobytes >> 10);
        if begin.elapsed() > LATE || ended.seconds > 3.0 * SECONDS || ended.megabytes > 4 * MEGABYTES {
            // It ends its own children.
            Command::new("kill").arg(pid.to_string()).status().unwrap();
            child.wait().unwrap();
            ended.late = true;
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    ended.error = String::from_utf8_lossy(&std::fs::read(&error).unwrap()).into_owned();
    ended.left = folder.join("out").exists();
    ended
}

/// The kernels that are changed, in the order of their names.
fn kernels() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = |folder: &str| std::fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = files("examples").chain(files("tests/kernels")).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "c"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

fn mutation(kernels: &[String], seed: u64) -> Vec<u8> {
    let mut random = Random::new(seed);
    let kernel = &kernels[random.below(kernels.len())];
    mutated(kernel, &mut random)
}

/// Builds the mutations of seeds `first ..`; the failures by their cause, with their seeds. Their files are kept.
fn check(first: u64, count: u64) -> BTreeMap<String, Vec<u64>> {
    let kernels = kernels();
    let next = AtomicU64::new(first);
    let failures = Mutex::new(BTreeMap::<String, Vec<u64>>::new());
    let all = Mutex::new(vec![]);
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutations");
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= first + count {
                        break;
                    }
                    let folder = tempfile::tempdir().unwrap();
                    std::fs::write(folder.path().join("k.c"), mutation(&kernels, seed)).unwrap();
                    let ended = build(folder.path());
                    if let Some(fault) = ended.fault(processor::slowness()) {
                        std::fs::create_dir_all(&kept).unwrap();
                        std::fs::copy(folder.path().join("k.c"), kept.join(format!("{seed}.c"))).unwrap();
                        println!("seed {seed}: {fault} ({:.1} s, {} MB)", ended.seconds, ended.megabytes);
                        failures.lock().unwrap().entry(fault).or_default().push(seed);
                    }
                    all.lock().unwrap().push(ended);
                }
            });
        }
    });
    let all = all.into_inner().unwrap();
    let with = |code: i32| all.iter().filter(|ended| ended.code == Some(code)).count();
    let not_c = all.iter().filter(|ended| ended.error.contains("refuses the file")).count();
    let seconds = all.iter().map(|ended| ended.seconds).fold(0.0, f64::max);
    let megabytes = all.iter().map(|ended| ended.megabytes).max().unwrap_or(0);
    println!(
        "{} mutations, seeds {first} to {}: {} built, {} refused ({not_c} of them no C), {} others; at most {seconds:.1} s and \
         {megabytes} MB",
        all.len(),
        first + count - 1,
        with(0),
        with(2),
        all.len() - with(0) - with(2)
    );
    let failures = failures.into_inner().unwrap();
    if !failures.is_empty() {
        println!("their files are in {}", kept.display());
    }
    failures
}

#[test]
fn a_hundred_mutations_are_built_or_refused() {
    let failures = check(1, 100);
    assert!(failures.is_empty(), "{failures:#?}");
}

/// `make mutations COUNT=10000 SEED=1`
#[test]
#[ignore = "as many as are asked for"]
fn many_mutations_are_built_or_refused() {
    let number = |name: &str, otherwise| std::env::var(name).map_or(otherwise, |text| text.parse().expect("a number"));
    let failures = check(number("BURSTC_MUTATIONS_SEED", 1000), number("BURSTC_MUTATIONS_COUNT", 2000));
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Most mutations are C still, and many are built: else they would try nothing but the C compiler.
#[test]
fn mutations_differ_and_repeat() {
    let kernels = kernels();
    let texts: Vec<Vec<u8>> = (0..200).map(|seed| mutation(&kernels, seed)).collect();
    assert_eq!(texts, (0..200).map(|seed| mutation(&kernels, seed)).collect::<Vec<_>>());
    let different: std::collections::BTreeSet<&Vec<u8>> = texts.iter().collect();
    assert!(different.len() > 195, "{}", different.len());
}

#[test]
fn faults_are_told_apart() {
    let ended = Ended { code: Some(2), error: "  help: x".into(), ..Ended::default() };
    assert_eq!(ended.fault(1.0), None);
    assert!(Ended { error: String::new(), ..ended.clone() }.fault(1.0).unwrap().contains("without help"));
    assert!(Ended { left: true, ..ended.clone() }.fault(1.0).unwrap().contains("left"));
    assert!(Ended { seconds: 11.0, ..ended.clone() }.fault(1.0).unwrap().contains("seconds"));
    assert_eq!(Ended { seconds: 11.0, ..ended.clone() }.fault(1.2), None);
    assert!(Ended { megabytes: 1025, ..ended.clone() }.fault(1.0).unwrap().contains("MB"));
    assert!(Ended { code: Some(70), error: "error: x".into(), ..ended.clone() }.fault(1.0).unwrap().contains("70"));
    assert!(Ended { code: None, late: true, ..ended }.fault(1.0).unwrap().contains("end"));
}
