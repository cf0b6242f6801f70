//! Accelerators behind AXI4 and Avalon-MM: a few kernels on every width with random back-pressure under the protocol
//! checkers (`make buses` runs all of them), utilisation of the bus, and what a bus can answer. The checkers themselves
//! and the masters have benches of their own, which `tests/cells.sh` runs.

mod common;

use burstc::Options;
use burstc::board::{self, Board};
use burstc::choose_lanes::Request;
use burstc::report::count::Work;
use burstc::report::{Bound, Estimate};
use burstc::simulate::Outcome;
use burstc::simulate::simulator::Simulator;
use burstc::source::Source;
use common::{Data, Rig, Subject, root};

fn generic(kind: &str, bits: u32) -> Board {
    board::load(&format!("generic-{kind}")).unwrap().with_bus_bits(bits).unwrap()
}

fn rig(path: &str, board: Board, simulator: Simulator, direct: bool) -> Rig {
    let source = Source::read(&root(path), vec![]).unwrap();
    let subject = Subject::on(board, &source, &Options::default()).unwrap();
    Rig::of(&subject, simulator, direct).unwrap()
}

/// Kernels whose elements, strips and local arrays ask most of ordering and alignment.
fn back_pressure(kind: &str, bits: u32, simulator: Simulator) {
    let runs: [(&str, &[(&str, i128)]); 5] = [
        ("examples/matmul.c", &[("N", 33)]),
        ("tests/kernels/widths.c", &[("N", 33), ("bias", -1)]),
        ("tests/kernels/seidel_time.c", &[("T", 3), ("N", 13)]),
        ("tests/kernels/local_arrays.c", &[]),
        ("tests/kernels/fill.c", &[("N", 33)]),
    ];
    for (path, set) in runs {
        let mut rig = rig(path, generic(kind, bits), simulator, false);
        let set = if set.is_empty() { defaults(&rig) } else { set.to_vec() };
        for seed in if simulator == Simulator::Icarus { 1..2 } else { 1..4 } {
            rig.model.stalls = Some(seed);
            rig.run_on(Data { set: &set, ranges: &[], seed: seed.into() });
        }
    }
}

/// Small sizes.
fn defaults(rig: &Rig) -> Vec<(&'static str, i128)> {
    let names = rig.subject.accelerator.offload.kernel.parameters.iter().map(|p| &*p.name.clone().leak());
    names.zip([13, 9, 7]).collect()
}

#[test]
fn axi4_32() {
    back_pressure("axi4", 32, Simulator::Verilator);
}

#[test]
fn axi4_128() {
    back_pressure("axi4", 128, Simulator::Verilator);
}

/// Products of matrices in lanes along j: all lanes read one element of `a`, which comes in beats of four all the same, in rows of any
/// alignment. Of bytes there are 16 in a beat.
#[test]
fn what_all_lanes_read_alike_comes_in_beats() {
    for (element, n, most) in [("float", 32, 4), ("int8_t", 37, 16), ("int32_t", 29, 4)] {
        let text = format!(
            "#include <stdint.h>\n#pragma burstc size(N: {n}, max 64)\n\
             void product(int N, {element} a[N][N], {element} b[N][N], {element} c[N][N])\n{{\n\
             #pragma burstc schedule(S0[i,j,k] -> (i, k, j)) tile(8, 16, 64) lanes(16)\n\
             for (int i = 0; i < N; i++)\nfor (int j = 0; j < N; j++)\nfor (int k = 0; k < N; k++)\n\
             c[i][j] += a[i][k] * b[k][j];\n}}\n"
        );
        let source = Source { path: "product.c".to_string(), text, cpp_args: vec![] };
        let subject = Subject::on(generic("axi4", 128), &source, &Options::default()).unwrap();
        let kernel = &subject.accelerator.offload.kernel;
        let own = subject.accelerator.offload.buffers.iter().find(|buffer| kernel.arrays[buffer.array].name == "a");
        assert_eq!(own.unwrap().bank_count(), most, "{element}");
        let mut rig = Rig::of(&subject, Simulator::Verilator, false).unwrap();
        for seed in 1..4 {
            rig.model.stalls = Some(seed);
            rig.run_on(Data { set: &[("N", n)], ranges: &[], seed: seed.into() });
        }
    }
}

/// The kernel at `path` behind so many ports of 32 or more bits, its arrays where burstc puts them, but for those of `given`.
fn on_ports(path: &str, (ports, bits): (u32, u32), given: &[(&str, u32)], simulator: Simulator) -> Rig {
    let source = Source::read(&root(path), vec![]).unwrap();
    let given = given.iter().map(|(array, port)| (array.to_string(), *port)).collect();
    let options = Options { ports: given, ..Options::default() };
    let board = generic("axi4", bits).with_ports(ports).unwrap();
    Rig::of(&Subject::on(board, &source, &options).unwrap(), simulator, false).unwrap()
}

/// Several ports in front of one memory, each with back-pressure of its own: every word, whatever is loaded or stored first.
/// Elements of all sizes, updates in place over strips, arrays between bands, arrays that no port loads, a port in the middle
/// that has nothing.
#[test]
fn several_ports() {
    /// The kernel, ports and their bits, arrays on given ports, values, and the ports used.
    type Case = (&'static str, (u32, u32), &'static [(&'static str, u32)], &'static [(&'static str, i128)], usize);
    let runs: [Case; 9] = [
        ("tests/kernels/sum_of_three.c", (4, 32), &[], &[("N", 2500)], 4),
        ("tests/kernels/sum_of_three.c", (3, 32), &[("a", 2), ("d", 2), ("b", 0), ("c", 0)], &[("N", 1100)], 2),
        ("examples/matmul.c", (4, 64), &[], &[("N", 33)], 3),
        ("examples/jacobi_2d.c", (2, 32), &[], &[("T", 5), ("N", 34)], 2),
        ("tests/kernels/widths.c", (4, 32), &[], &[("N", 33), ("bias", -1)], 3),
        ("tests/kernels/seidel_time.c", (4, 32), &[("a", 3)], &[("T", 3), ("N", 13)], 1),
        ("tests/kernels/local_arrays.c", (2, 32), &[], &[], 2),
        ("tests/kernels/gemver.c", (4, 64), &[], &[("N", 21)], 4),
        ("tests/kernels/fill.c", (2, 32), &[("a", 1)], &[("N", 33)], 1),
    ];
    for (path, ports, given, set, used) in runs {
        let mut rig = on_ports(path, ports, given, Simulator::Verilator);
        let offload = &rig.subject.accelerator.offload;
        assert_eq!(offload.ports_used().len(), used, "{path}: {:?}", offload.ports);
        let set = if set.is_empty() { defaults(&rig) } else { set.to_vec() };
        for seed in 0..4 {
            rig.model.stalls = Some(seed);
            let shown = rig.run_on(Data { set: &set, ranges: &[], seed: seed.into() });
            let counters = &shown.counters;
            assert_eq!(counters.ports.len(), if used > 1 { used } else { 0 }, "{path}");
            if used > 1 {
                assert!(counters.ports.iter().all(|port| port.reads + port.writes > 0), "{path}: {counters:?}");
                assert_eq!(counters.ports.iter().map(|port| port.reads).sum::<u64>(), counters.reads);
                assert_eq!(counters.ports.iter().map(|port| port.writes).sum::<u64>(), counters.writes);
            }
        }
    }
}

/// d = a + b + c with an array per port: all four channels move a word in nearly every cycle, at the latency of generic-axi4. On
/// one port three words have to take turns.
#[test]
fn every_port_is_busy() {
    for (ports, most) in [(4, 70_400), (1, 201_000)] {
        let rig = on_ports("tests/kernels/sum_of_three.c", (ports, 32), &[], Simulator::Verilator);
        let counters = rig.run(&[("N", 65536)], 1).counters;
        assert!(counters.cycles <= most, "{ports} ports: {} cycles", counters.cycles);
        if ports > 1 {
            let moved: Vec<u64> = counters.ports.iter().map(|port| port.reads.max(port.writes)).collect();
            let least = moved.iter().map(|beats| *beats as f64 / counters.cycles as f64).fold(1.0, f64::min);
            assert!(least >= 0.93, "{least:.3} of a channel");
        }
    }
}

/// A memory that moves `total` beats in a million cycles serves all ports, none of which starves, and no run moves more.
#[test]
fn ports_share_the_memory() {
    let mut rig = on_ports("tests/kernels/sum_of_three.c", (4, 32), &[], Simulator::Verilator);
    for (total, stalls, least) in [(2_000_000, None, 0.94), (2_600_000, None, 0.94), (1_000_000, Some(1), 0.0)] {
        rig.model.total = Some(total);
        rig.model.stalls = stalls;
        let counters = rig.run(&[("N", 65536)], 1).counters;
        let room = counters.cycles as f64 * f64::from(total) / 1e6;
        let moved = (counters.reads + counters.writes) as f64;
        // What four ports have saved up before the run.
        assert!(moved <= room + 16.0 && moved >= least * room, "{total} {stalls:?}: {moved} of {room}");
    }
}

/// Four-state: no unknown bit reaches any port.
#[test]
fn nothing_is_unknown_on_ports() {
    let mut rig = on_ports("tests/kernels/widths.c", (4, 64), &[], Simulator::Icarus);
    rig.model.stalls = Some(1);
    rig.run(&[("N", 17), ("bias", -1)], 1);
}

#[test]
fn avalon_64() {
    back_pressure("avalon", 64, Simulator::Verilator);
}

/// Four-state: no unknown bit reaches the bus.
#[test]
fn nothing_is_unknown() {
    for (kind, bits) in [("axi4", 64), ("avalon", 32)] {
        let mut rig = rig("tests/kernels/widths.c", generic(kind, bits), Simulator::Icarus, false);
        rig.model.stalls = Some(1);
        rig.run(&[("N", 17), ("bias", -1)], 1);
    }
}

/// The direct version waits for responses before it reads what it wrote.
#[test]
fn direct_versions() {
    for (kind, bits) in [("axi4", 64), ("avalon", 32)] {
        let mut rig = rig("tests/kernels/widths.c", generic(kind, bits), Simulator::Verilator, true);
        rig.model.stalls = Some(2);
        rig.run(&[("N", 17), ("bias", -1)], 1);
        let mut rig = self::rig("tests/kernels/prefix_sum.c", generic(kind, bits), Simulator::Verilator, true);
        rig.model.stalls = Some(3);
        rig.run(&[("N", 77)], 1);
    }
}

/// Both directions of a bus at once, with a latency of 30 cycles.
#[test]
fn dma_fills_both_directions() {
    for (kind, least) in [("axi4", 0.95), ("avalon", 0.94)] {
        let rig = rig("examples/dma.c", generic(kind, 32), Simulator::Verilator, false);
        let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
        let utilisation = 65536.0 / cycles as f64;
        assert!(utilisation >= least, "{kind}: {cycles} cycles, {utilisation:.3} of each direction");
    }
}

/// As many lanes as the bus has elements move a beat per cycle and direction; one lane moves an element.
#[test]
fn lanes_fill_wide_buses() {
    for (kind, bits, least) in [("axi4", 128, 0.95), ("axi4", 512, 0.89), ("avalon", 128, 0.94)] {
        let text = std::fs::read_to_string(root("examples/dma.c")).unwrap();
        let lanes = bits / 32;
        let text = text.replace("tile(i:1024)", &format!("tile(i:1024) lanes({lanes})"));
        let source = Source { path: "dma.c".to_string(), text, cpp_args: vec![] };
        let subject = Subject::on(generic(kind, bits), &source, &Options::default()).unwrap();
        let rig = Rig::of(&subject, Simulator::Verilator, false).unwrap();
        let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
        let utilisation = 65536.0 / f64::from(lanes) / cycles as f64;
        assert!(utilisation >= least, "{kind} of {bits} bits: {cycles} cycles, {utilisation:.3} of each direction");
    }
}

/// A memory that moves `total` beats in a million cycles, in both directions together: no run moves more, and one that has
/// as many words to read as to write moves nearly all of them.
#[test]
fn both_directions_share_the_memory() {
    for (kind, total) in [("axi4", 1_000_000), ("axi4", 1_500_000), ("avalon", 1_000_000), ("avalon", 1_300_000)] {
        let mut rig = rig("examples/dma.c", generic(kind, 32), Simulator::Verilator, false);
        rig.model.total = Some(total);
        for (stalls, least) in [(None, 0.94), (Some(1), 0.0), (Some(2), 0.0)] {
            rig.model.stalls = stalls;
            let counters = rig.run(&[("N", 32768)], 1).counters;
            let room = counters.cycles as f64 * f64::from(total) / 1e6;
            let moved = (counters.reads + counters.writes) as f64;
            assert!(moved <= room + 4.0 && moved >= least * room, "{kind} {total} {stalls:?}: {moved} of {room}");
        }
    }
}

/// The memory of a profile: a port of 128 bits in front of a memory of as much for both directions. The bound and the
/// estimate say so, and the run comes near.
#[test]
fn arty_a7_moves_what_its_memory_does() {
    let text =
        std::fs::read_to_string(root("examples/dma.c")).unwrap().replace("tile(i:1024)", "tile(i:1024) lanes(4)");
    let source = Source { path: "dma.c".to_string(), text, cpp_args: vec![] };
    let subject = Subject::on(board::load("arty-a7").unwrap(), &source, &Options::default()).unwrap();
    let rig = Rig::of(&subject, Simulator::Verilator, false).unwrap();
    let cycles = rig.run(&[("N", 65536)], 1).counters.cycles;
    let (offload, board) = (&subject.accelerator.offload, board::load("arty-a7").unwrap());
    let sizes = [("N".to_string(), 65536)].into();
    let bound = Bound::of(offload, &board, &Work::of(offload, &sizes), &sizes);
    let estimate = Estimate::of(offload, &board, &sizes).memory_cycles;
    assert_eq!(bound.memory, 2 * 65536 / 4);
    assert!(cycles >= bound.memory && bound.memory as f64 >= 0.94 * cycles as f64, "{cycles}");
    assert!(estimate.abs_diff(cycles) <= cycles / 20, "{estimate} estimated, {cycles} cycles");
}

/// Loops of 24 leave lanes along one of them short rows: nobody asks, and lanes run along both. Every word with back-pressure,
/// also where a loop does not fill its lanes, and fewer cycles than with any number of lanes along one loop.
#[test]
fn short_loops_take_lanes_along_two() {
    let text = "#include <stdint.h>\n#pragma burstc size(N: 24, max 48)\n\
                void short_product(int N, const int32_t a[N][N], const int32_t b[N][N], int32_t c[N][N])\n{\n\
                for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) {\nc[i][j] = 0;\n\
                for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];\n}\n}\n";
    let source = Source { path: "short_product.c".into(), text: text.into(), cpp_args: vec![] };
    let with = |lanes: Request| {
        let options = Options { lanes: Some(lanes), ..Options::default() };
        let subject = Subject::on(board::load("zcu104").unwrap(), &source, &options)?;
        anyhow::Ok(Rig::of(&subject, Simulator::Verilator, false).unwrap())
    };
    let mut chosen = with(Request::Usual).unwrap();
    let offload = &chosen.subject.accelerator.offload;
    assert!(offload.bands.iter().any(|band| band.is_in_two()), "{:?} lanes along one loop", offload.most_lanes());
    let cycles = chosen.run(&[("N", 24)], 1).counters.cycles;
    for count in [16, 32] {
        let along_one = with(Request::Count(count)).unwrap().run(&[("N", 24)], 1).counters.cycles;
        assert!(10 * cycles < 9 * along_one, "{cycles} cycles, {along_one} with {count} lanes along one loop");
    }
    // Tiles have no loop of 64.
    assert!(with(Request::Count(64)).is_err());
    for (n, seed) in [(24, 1), (7, 2), (48, 3), (33, 1)] {
        chosen.model.stalls = Some(seed);
        chosen.run(&[("N", n)], seed.into());
    }
}

/// The bounds of rows and what is gathered are in the places of their strip, where strips of a band in lanes take two in turn: as
/// the command takes the kernel, with back-pressure.
#[test]
fn what_data_tell_is_looked_for_in_its_strip() {
    let source = Source::read(&root("tests/kernels/csr_float.c"), vec![]).unwrap();
    for board in [generic("axi4", 32), common::board()] {
        let is_on_a_bus = board.memory.link().bus().is_some();
        let options = Options { lanes: Some(Request::Usual), ..Options::default() };
        let subject = Subject::on(board, &source, &options).unwrap();
        let mappings = subject.accelerator.offload.buffers.iter().flat_map(|buffer| buffer.mappings.iter().flatten());
        assert!(mappings.into_iter().any(|mapping| mapping.by_strips), "no strips take turns");
        let mut rig = Rig::of(&subject, Simulator::Verilator, false).unwrap();
        for (sizes, seed) in [([("N", 30), ("nonzeros", 150)], 1), ([("N", 100), ("nonzeros", 300)], 2)] {
            rig.model.stalls = is_on_a_bus.then_some(seed);
            let started = rig.run(&sizes, seed.into()).counters.compute_busy;
            // A report tells what data left of the rows: each number is in one, and every row is begun and ended.
            let offload = &subject.accelerator.offload;
            let known = sizes.iter().map(|(name, size)| (name.to_string(), *size as i64)).collect();
            let work = Work::of(offload, &known).of_run(offload, &known, started);
            assert_eq!(i128::from(work.iterations), 2 * sizes[0].1 + sizes[1].1);
        }
    }
}

/// Elements of all widths that begin anywhere in a beat.
#[test]
fn beats_begin_anywhere() {
    for (kind, bits) in [("axi4", 64), ("axi4", 256), ("avalon", 128)] {
        for (path, set) in [
            ("tests/kernels/beats_bytes.c", [("N", 10), ("M", 37)]),
            ("tests/kernels/beats_mixed.c", [("N", 9), ("M", 41)]),
        ] {
            let mut rig = rig(path, generic(kind, bits), Simulator::Icarus, false);
            for seed in 1..3 {
                rig.model.stalls = Some(seed);
                rig.run_on(Data { set: &set, ranges: &[], seed: seed.into() });
            }
        }
    }
}

/// Latency of 40 cycles, one lane, 32 bits: a public C-to-Verilog compiler takes 52,738, 52,738, 82,141 and 848,867.
#[test]
fn cycles_at_latency_40() {
    let runs: [(&str, &str, &str, i128, u64); 4] = [
        ("dma", "tile(i:1024)", "tile(i:42)", 1024, 1_307),
        ("vecsum", "tile(i:1024)", "tile(i:48)", 1024, 2_400),
        ("matmul", "tile(i:32, j:32, k:32)", "tile(i:32, j:32, k:8)", 32, 36_500),
        ("matmul", "tile(i:32, j:32, k:32)", "tile(i:32, j:32, k:32)", 64, 275_000),
    ];
    for (example, tiles, others, n, most) in runs {
        let text = std::fs::read_to_string(root(&format!("examples/{example}.c"))).unwrap();
        assert!(text.contains(tiles), "{example}");
        let source = Source { path: format!("{example}.c"), text: text.replace(tiles, others), cpp_args: vec![] };
        let subject = Subject::on(generic("axi4", 32), &source, &Options::default()).unwrap();
        let mut rig = Rig::of(&subject, Simulator::Verilator, false).unwrap();
        rig.model.latency = Some(40);
        let cycles = rig.run(&[("N", n)], 1).counters.cycles;
        assert!(cycles <= most, "{example} at {n}: {cycles} cycles");
    }
}

/// An error response comes to the register, and to the user.
#[test]
fn errors_are_reported() {
    let mut rig = rig("examples/dma.c", generic("axi4", 32), Simulator::Verilator, false);
    rig.model.fault = Some(0x1000);
    let (outcome, _) = rig.attempt(Data { set: &[("N", 100)], ..Default::default() }).unwrap();
    assert_eq!(outcome, Outcome::Refused { status: 1 });
    assert_eq!(outcome.to_string(), "the bus answered with SLVERR to a read");
    rig.model.fault = Some(0x2001);
    let (outcome, _) = rig.attempt(Data { set: &[("N", 100)], ..Default::default() }).unwrap();
    assert_eq!(outcome, Outcome::Refused { status: 8 });
}
