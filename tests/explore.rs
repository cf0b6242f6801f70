//! `burstc explore` with simulations, its shards by GNU parallel and as a Slurm array, and what the front leaves out.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use burstc::board;
use burstc::explore::{Candidate, Finding, Line};
use burstc::report::RunReport;
use burstc::simulate::Verdict;
use tempfile::TempDir;

/// A product of a matrix and a vector.
const KERNEL: &str = "#include <stdint.h>\n\
    #pragma burstc size(N: 12, max 64) size(M: 10, max 64)\n\
    void mv(int N, int M, int32_t a[N][M], int32_t x[M], int32_t y[N])\n\
    {\n\
        for (int i = 0; i < N; i++)\n\
            for (int j = 0; j < M; j++)\n\
                y[i] += a[i][j] * x[j];\n\
    }\n";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mv.c"), KERNEL).unwrap();
    folder
}

fn burstc(folder: &TempDir, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_burstc"));
    command.env_remove("CC").env("NO_COLOR", "1").current_dir(folder).args(arguments);
    command
}

fn done(command: &mut Command) -> Output {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn printed(command: &mut Command) -> String {
    String::from_utf8(done(command).stdout).unwrap()
}

/// What the lines of a file tell, without the first.
fn findings(folder: &TempDir, name: &str) -> Vec<Line> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap();
    text.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The designs of a file that were simulated.
fn simulated(folder: &TempDir, name: &str) -> Vec<Candidate> {
    let board = board::load("stratix2-ddr400").unwrap();
    let lines = findings(folder, name);
    let estimate = |directives: &Vec<String>| {
        let own = lines.iter().filter(|line| line.directives == *directives);
        own.filter_map(|line| if let Finding::Estimate(own) = &line.finding { Some(own.clone()) } else { None }).next()
    };
    let mut found = vec![];
    for (place, line) in lines.iter().enumerate() {
        let Finding::Simulated(own) = &line.finding else { continue };
        assert_eq!(own.result, Verdict::Pass, "{:?}", line.directives);
        let estimate = estimate(&line.directives).unwrap();
        let (logic, memory) = (estimate.logic(&board.device), estimate.memory(&board));
        let ports = estimate.port_bits as f64;
        found.push(Candidate { place, cycles: own.cycles as f64, logic, memory, ports });
    }
    found
}

/// The cycles in the first column of the table's rows.
fn rows(table: &str) -> Vec<u64> {
    let head = table.lines().position(|line| line.trim_start().starts_with("cycles")).unwrap();
    let rows = table.lines().skip(head + 1).take_while(|line| !line.is_empty());
    rows.filter_map(|line| line.strip_prefix("     ")?.split_whitespace().next()?.parse().ok()).collect()
}

#[test]
fn the_front_has_a_design_no_slower_than_that_of_run() {
    let folder = folder();
    let report = printed(&mut burstc(&folder, &["run", "mv.c", "--json", "-"]));
    let report: RunReport = serde_json::from_str(&report).unwrap();
    let arguments = ["explore", "mv.c", "--limit", "10", "--simulate", "4", "--out", "a.jsonl", "--html", "a.html"];
    let table = printed(&mut burstc(&folder, &arguments));
    assert!(table.contains(" 4 simulated"), "{table}");
    assert!(rows(&table)[0] <= report.cycles, "{table}");
    // The file as it is takes what the run takes.
    assert!(table.contains(&format!("the file as it is takes {} cycles", report.cycles)), "{table}");
    let own = findings(&folder, "a.jsonl").into_iter().find_map(|line| match line.finding {
        Finding::Simulated(own) if line.directives.is_empty() => Some(own.cycles),
        _ => None,
    });
    assert_eq!(own, Some(report.cycles));
    // The page has the table, and every design that there is.
    let page = fs::read_to_string(folder.path().join("a.html")).unwrap();
    let first = table.lines().next().unwrap();
    assert!(page.contains(first) && !page.contains("http://") && !page.contains("https://"));
    let estimates = findings(&folder, "a.jsonl").iter().filter(|l| matches!(l.finding, Finding::Estimate(_))).count();
    assert_eq!(page.matches("<circle class=\"design").count(), 2 * estimates);
    assert_eq!(page.matches("<circle class=\"design simulated").count(), 2 * 4);
    // No simulation is done again, and other designs are simulated beside those.
    let lines = findings(&folder, "a.jsonl").len();
    assert_eq!(printed(&mut burstc(&folder, &arguments)), table);
    assert_eq!(findings(&folder, "a.jsonl").len(), lines);
    done(&mut burstc(&folder, &["explore", "mv.c", "--limit", "10", "--simulate", "5", "--out", "a.jsonl"]));
    assert_eq!(findings(&folder, "a.jsonl").len(), lines + 1);
}

/// Behind a bus, designs have other ports, too: what a line says, given to `run` as arguments and directives, takes the same
/// cycles, and the folder of one that is picked is that of `build`.
#[test]
#[ignore = "slow: make test"]
fn other_ports_are_those_of_the_command_line() {
    let folder = folder();
    let explore = ["explore", "mv.c", "--board", "generic-axi4", "--set", "N=12", "--set", "M=10", "--limit", "24"];
    let rest = ["--simulate", "all", "--out", "a.jsonl", "--pick", "fastest", "--output", "fastest"];
    let table = printed(burstc(&folder, &explore).args(rest));
    let lines = findings(&folder, "a.jsonl");
    let is_other = |line: &&Line| line.directives.first().is_some_and(|own| own.starts_with("--bus-bits "));
    // What `run` takes with what a design is called.
    let told = |arguments: &[&str], directives: &[String]| {
        let (ports, pasted): (Vec<&String>, Vec<&String>) = directives.iter().partition(|own| own.starts_with("--"));
        let pasted: String = pasted.into_iter().map(|own| own.to_string() + "\n").collect();
        let text = KERNEL.replacen("{\n", &format!("{{\n{pasted}"), 1);
        fs::write(folder.path().join("pasted.c"), text).unwrap();
        let mut command = burstc(&folder, arguments);
        command.args(["pasted.c", "--board", "generic-axi4"]).args(ports.into_iter().flat_map(|own| own.split(' ')));
        printed(&mut command)
    };
    let simulated = |line: &Line| match &line.finding {
        Finding::Simulated(own) => Some(own.cycles),
        _ => None,
    };
    let mut shapes = BTreeSet::new();
    for line in lines.iter().filter(is_other) {
        let Some(cycles) = simulated(line) else { continue };
        let report = told(&["run", "--set", "N=12", "--set", "M=10", "--json", "-"], &line.directives);
        let report: RunReport = serde_json::from_str(&report).unwrap();
        assert_eq!(report.cycles, cycles, "{:?}", line.directives);
        // The bits that were counted are those of the ports that the accelerator has.
        let bus = report.bus.unwrap();
        let estimate = lines.iter().find_map(|own| match &own.finding {
            Finding::Estimate(estimate) if own.directives == line.directives => Some(estimate.port_bits),
            _ => None,
        });
        let bits = u64::from(bus.data_bits) * bus.ports.len().max(1) as u64;
        assert_eq!(estimate, Some(bits), "{:?}", line.directives);
        shapes.insert((line.directives.len(), bits));
    }
    // Some with what burstc chooses behind such ports, some with directives; ports of several widths.
    assert!(shapes.iter().any(|(parts, _)| *parts == 1) && shapes.iter().any(|(parts, _)| *parts > 1), "{shapes:?}");
    assert!(shapes.iter().map(|(_, bits)| bits).collect::<BTreeSet<_>>().len() > 2, "{shapes:?}");
    // The fastest is the first of the front.
    let fastest: Vec<&Line> = lines.iter().filter(|line| simulated(line) == rows(&table).first().copied()).collect();
    let directives = fastest.iter().map(|line| &line.directives).find(|own| {
        let shown: Vec<String> = own.iter().map(|text| format!("    {text}\n")).collect();
        !own.is_empty() && table.contains(&shown.concat())
    });
    let directives = directives.unwrap_or_else(|| panic!("{table}"));
    assert!(directives[0].starts_with("--bus-bits"), "the fastest is one with other ports here: {table}");
    told(&["build", "--out", "built"], directives);
    // Without comments, which tell lines of the file.
    let verilog = |name: &str| {
        let entries = fs::read_dir(folder.path().join(name).join("rtl")).unwrap().map(|entry| entry.unwrap().path());
        let text = |path: &PathBuf| -> Vec<String> {
            let text = fs::read_to_string(path).unwrap();
            text.lines().filter(|line| !line.trim_start().starts_with("//")).map(str::to_string).collect()
        };
        entries.map(|path| (path.file_name().unwrap().to_owned(), text(&path))).collect::<BTreeMap<_, _>>()
    };
    assert!(verilog("fastest") == verilog("built"), "{directives:?}");
    // What is given stays.
    let fixed = ["--bus-bits", "64", "--ports", "2", "--port", "a=1", "--simulate", "0", "--out", "fixed.jsonl"];
    printed(burstc(&folder, &explore).args(fixed));
    assert!(!findings(&folder, "fixed.jsonl").iter().any(|line| is_other(&line)));
}

/// All designs of a small space are simulated: none that is far from the front by its estimate is better than all near it by
/// more than 5 %.
#[test]
#[ignore = "slow: make test"]
fn nothing_that_was_not_simulated_is_better() {
    let folder = folder();
    let explore = ["explore", "mv.c", "--set", "N=40", "--set", "M=40", "--limit", "26", "--out"];
    let told = printed(burstc(&folder, &explore).args(["few.jsonl", "--simulate", "0"]));
    let near: usize = told.split(" near the front").next().unwrap().rsplit(' ').next().unwrap().parse().unwrap();
    printed(burstc(&folder, &explore).args(["few.jsonl", "--simulate", &near.to_string()]));
    fs::copy(folder.path().join("few.jsonl"), folder.path().join("all.jsonl")).unwrap();
    printed(burstc(&folder, &explore).args(["all.jsonl", "--simulate", "all"]));
    let (few, all) = (simulated(&folder, "few.jsonl"), simulated(&folder, "all.jsonl"));
    assert!(few.len() == near && near < all.len() && all.len() > 20, "{near} of {}", all.len());
    let is_as_good = |own: &Candidate, other: &Candidate| {
        own.cycles <= 1.05 * other.cycles && own.logic <= 1.05 * other.logic && own.memory <= 1.05 * other.memory
    };
    let better = all.iter().filter(|other| !few.iter().any(|own| is_as_good(own, other))).collect::<Vec<_>>();
    assert!(better.is_empty(), "{better:#?}\n{few:#?}");
}

/// Ends a process as the system does where memory is short, once its file has some lines.
fn killed(folder: &TempDir, command: &mut Command, file: &str) {
    let mut child = command.stdout(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while fs::read_to_string(folder.path().join(file)).map_or(0, |text| text.lines().count()) < 3 {
        assert!(begin.elapsed() < Duration::from_secs(120), "no line after two minutes");
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("SKIPPED: there is no {program}");
    }
    found
}

const EXPLORE: [&str; 6] = ["explore", "mv.c", "--limit", "16", "--simulate", "3"];

/// The recipe of the README, one of whose processes is killed and repeated.
#[test]
fn gnu_parallel_on_one_machine() {
    if !is_there("parallel") {
        return;
    }
    let folder = folder();
    let whole = printed(&mut burstc(&folder, &EXPLORE));
    let second = ["--shard", "2/3", "--out", "part2.jsonl"];
    killed(&folder, burstc(&folder, &EXPLORE).args(second), "part2.jsonl");
    let before = fs::read_to_string(folder.path().join("part2.jsonl")).unwrap();
    let mut parallel = Command::new("parallel");
    parallel.current_dir(&folder).env("HOME", folder.path()).args(["--will-cite", "-j2"]);
    parallel.arg(env!("CARGO_BIN_EXE_burstc")).args(EXPLORE);
    done(parallel.args(["--shard", "{}/3", "--out", "part{}.jsonl", ":::", "1", "2", "3"]));
    let after = fs::read_to_string(folder.path().join("part2.jsonl")).unwrap();
    let kept = &before[..=before.rfind('\n').unwrap()];
    assert!(after.starts_with(kept), "whole lines stay as they are");
    let merge = ["--merge", "part1.jsonl", "part2.jsonl", "part3.jsonl"];
    assert_eq!(printed(burstc(&folder, &EXPLORE).args(merge)), whole);
}

/// Slurm on this machine alone, with files, ports and keys of its own.
struct Cluster {
    folder: TempDir,
    daemons: Vec<Child>,
}

impl Cluster {
    /// `None` where Debian's slurm-wlm and munge are not installed, or the user is not root, who starts them.
    fn start() -> Option<Cluster> {
        let id = printed(Command::new("id").arg("-u"));
        let programs = ["munged", "slurmctld", "slurmd", "sbatch"];
        let all =
            |program: &&str| ["/usr/sbin", "/usr/bin"].iter().any(|folder| Path::new(folder).join(program).exists());
        if id.trim() != "0" || !programs.iter().all(all) {
            println!("SKIPPED: it needs root, and the Debian packages slurm-wlm and munge");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().display();
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let host = printed(Command::new("hostname").arg("-s"));
        let host = host.trim();
        fs::write(folder.path().join("key"), [7u8; 64]).unwrap();
        done(Command::new("chmod").arg("600").arg(folder.path().join("key")));
        done(Command::new("chmod").arg("755").arg(folder.path()));
        for own in ["state", "spool"] {
            fs::create_dir(folder.path().join(own)).unwrap();
        }
        let configuration = format!(
            "ClusterName=test\nSlurmctldHost={host}(127.0.0.1)\nSlurmctldPort={}\nSlurmdPort={}\nSlurmUser=root\n\
             SlurmdUser=root\nAuthType=auth/munge\nAuthInfo=socket={place}/munge.sock\nCredType=cred/munge\n\
             StateSaveLocation={place}/state\nSlurmdSpoolDir={place}/spool\nSlurmctldPidFile={place}/ctld.pid\n\
             SlurmdPidFile={place}/d.pid\nSlurmctldLogFile={place}/ctld.log\nSlurmdLogFile={place}/d.log\n\
             ProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\nMpiDefault=none\n\
             JobAcctGatherType=jobacct_gather/none\nAccountingStorageType=accounting_storage/none\n\
             SelectType=select/cons_tres\nSelectTypeParameters=CR_Core\nReturnToService=2\n\
             NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN\n\
             PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n",
            free(),
            free()
        );
        fs::write(folder.path().join("slurm.conf"), configuration).unwrap();
        let mut cluster = Cluster { folder, daemons: vec![] };
        let file = |name: &str, cluster: &Cluster| cluster.folder.path().join(name).display().to_string();
        let mut munge = Command::new("/usr/sbin/munged");
        for (option, name) in [
            ("--key-file", "key"),
            ("--socket", "munge.sock"),
            ("--pid-file", "munge.pid"),
            ("--log-file", "munge.log"),
            ("--seed-file", "munge.seed"),
        ] {
            munge.arg(format!("{option}={}", file(name, &cluster)));
        }
        cluster.daemon(munge.args(["--foreground", "--force"]));
        let configuration = file("slurm.conf", &cluster);
        cluster.daemon(Command::new("/usr/sbin/slurmctld").args(["-D", "-f", &configuration]));
        cluster.daemon(Command::new("/usr/sbin/slurmd").args(["-D", "-f", &configuration, "-N", host]));
        Some(cluster)
    }

    fn daemon(&mut self, command: &mut Command) {
        self.daemons.push(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    }

    /// Waits for the end of an array of the tasks; whether all succeeded.
    fn array(&self, folder: &TempDir, tasks: &str) -> bool {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scripts/explore.sbatch");
        let mut sbatch = Command::new("sbatch");
        sbatch.current_dir(folder).env("SLURM_CONF", self.folder.path().join("slurm.conf"));
        sbatch.env("BURSTC", env!("CARGO_BIN_EXE_burstc")).args(["--wait", "--quiet"]);
        sbatch.arg(format!("--array={tasks}")).arg(script).arg("3").args(&EXPLORE[1..]);
        let begin = Instant::now();
        loop {
            let output = sbatch.output().unwrap();
            let told = String::from_utf8_lossy(&output.stderr).to_string();
            // The daemons take a moment to begin.
            let is_early =
                told.contains("Unable to contact") || told.contains("Connection refused") || told.contains("munge");
            if output.status.success() || !is_early || begin.elapsed() > Duration::from_secs(60) {
                assert!(told.is_empty() || !is_early, "{told}");
                return output.status.success();
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The node before what it talks to.
        for daemon in self.daemons.iter_mut().rev() {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

/// An array as in `scripts/explore.sbatch`, one of whose tasks is killed and repeated.
#[test]
#[ignore = "slow: make test"]
fn a_slurm_array_on_one_machine() {
    let Some(cluster) = Cluster::start() else { return };
    let folder = folder();
    let whole = printed(&mut burstc(&folder, &EXPLORE));
    assert!(cluster.array(&folder, "1,3"), "tasks 1 and 3");
    killed(&folder, burstc(&folder, &EXPLORE).args(["--shard", "2/3", "--out", "part2.jsonl"]), "part2.jsonl");
    let merge = ["--merge", "part1.jsonl", "part2.jsonl", "part3.jsonl"];
    assert_eq!(burstc(&folder, &EXPLORE).args(merge).output().unwrap().status.code(), Some(2), "a part is missing");
    assert!(cluster.array(&folder, "2"), "task 2");
    assert_eq!(printed(burstc(&folder, &EXPLORE).args(merge)), whole);
}
