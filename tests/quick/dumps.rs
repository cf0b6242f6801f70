//! `burstc analyze --dump`: the texts mean what the data they are made of mean. The kernel is compiled by the C compiler
//! and leaves the memory that the source leaves; the loop nests are compiled too, and visit the points of the sets
//! printed beside them; those parse again with isl and are the papers'; the RTL's outline has the ports that the Verilog
//! has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::process::Command;

use burstc::board::{self, Board};
use burstc::dump::{self, Stage};
use burstc::ids::StatementId;
use burstc::offload::Offload;
use burstc::polyhedral::isl::{Context, Map, Set};
use burstc::rtl::Header;
use burstc::simulate::golden::Golden;
use burstc::simulate::job::Job;
use burstc::source::Source;
use burstc::{Options, analyze, compile};

use crate::common::root;

fn board() -> Board {
    board::load("stratix2-ddr400").unwrap()
}

fn source(path: &str) -> Source {
    Source::read(&root(path), vec![]).unwrap()
}

fn text(source: &Source, stage: Stage) -> String {
    let dumped = dump::text(&[stage], source, &board(), &Options::default());
    dumped.unwrap_or_else(|error| panic!("{}: {error:#}", source.path))
}

/// Conditions, quotients, types, local arrays, values of the host: what the memory holds after a run of the printed kernel is what the
/// source leaves.
#[test]
fn a_printed_kernel_does_what_its_source_does() {
    let kernels = "cases_and_tables conditions conversions helpers host_scalars local_arrays logic min_max_bounds negative_quotients steps";
    for name in kernels.split_whitespace() {
        let source = source(&format!("tests/kernels/{name}.c"));
        let kernel = analyze(&source, &board(), &Options::default()).unwrap().kernel;
        let printed = Source { text: text(&source, Stage::Kernel), ..source.clone() };
        let after = |source: &Source| {
            let mut job = Job::new(&kernel, &BTreeMap::new(), 16 << 20, 3).unwrap();
            let image = Golden::build(source, &kernel).unwrap_or_else(|e| panic!("{name}: {e:#}")).expected(&mut job);
            (image.unwrap_or_else(|e| panic!("{name}: {e:#}")), job)
        };
        let ((expected, job), (got, _)) = (after(&source), after(&printed));
        assert_ne!(expected, job.image, "{name} does nothing");
        let mismatch = job.placement.mismatch(&expected, &got).map(|m| m.place());
        assert_eq!(mismatch, None, "{name}:\n{}", printed.text);
    }
}

/// What the loops of a text print, run as C: a line `name a b c` per call.
struct Loops(String);

impl Loops {
    fn new(names: &[String]) -> Loops {
        let mut text = "#include <stdio.h>\n\
            #define max(a, b) ((a) > (b) ? (a) : (b))\n\
            #define min(a, b) ((a) < (b) ? (a) : (b))\n\
            #define floord(n, d) ((n) / (d) - ((n) % (d) < 0))\n\
            #define ceild(n, d) (-floord(-(n), (d)))\n\
            static void visit(const char *name, int count, const long *point)\n\
            {\n    printf(\"%s\", name);\n    for (int k = 0; k < count; k++)\n        printf(\" %ld\", point[k]);\n\
            \n    printf(\"\\n\");\n}\n"
            .to_string();
        for name in names {
            let _ = writeln!(
                text,
                "#define {name}(...) visit(\"{name}\", (int)(sizeof (long[]){{__VA_ARGS__}} / sizeof(long)), (const \
                 long[]){{__VA_ARGS__}})"
            );
        }
        Loops(text)
    }

    /// The calls of `loops`, for each of `values` of the names in `names`.
    fn calls(&self, loops: &str, names: &[String], values: &[Vec<i64>]) -> Vec<Vec<(String, Vec<i64>)>> {
        let folder = tempfile::tempdir().unwrap();
        let mut text = self.0.clone();
        let table: Vec<String> = values.iter().flatten().map(i64::to_string).collect();
        let _ = writeln!(text, "static const long table[] = {{{}}};\nint main(void)\n{{", table.join(", "));
        for name in variables(loops).iter().chain(names) {
            let _ = writeln!(text, "    long {name} = 0;\n    (void){name};");
        }
        let (rows, width) = (values.len(), names.len());
        let _ = writeln!(text, "    for (const long *row = table; row < table + {rows} * {width}; row += {width}) {{");
        for (k, name) in names.iter().enumerate() {
            let _ = writeln!(text, "    {name} = row[{k}];");
        }
        let _ = writeln!(text, "{loops}\n    printf(\"end\\n\");\n    }}\n    return 0;\n}}");
        let (path, program) = (folder.path().join("loops.c"), folder.path().join("loops"));
        std::fs::write(&path, &text).unwrap();
        let output = Command::new("cc").arg(&path).arg("-o").arg(&program).output().unwrap();
        assert!(output.status.success(), "{}\n{text}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
        let call = |line: &str| {
            let mut words = line.split(' ');
            (words.next().unwrap().to_string(), words.map(|w| w.parse().unwrap()).collect())
        };
        let lines: Vec<&str> = printed.lines().collect();
        let runs: Vec<_> =
            lines.split(|line| *line == "end").map(|run| run.iter().map(|l| call(l)).collect()).collect();
        assert_eq!(runs.len(), rows + 1);
        runs.into_iter().take(rows).collect()
    }
}

/// The variables of the loops in a text.
fn variables(text: &str) -> Vec<String> {
    let heads = text.lines().filter_map(|line| line.trim().strip_prefix("for ("));
    let names: BTreeSet<String> =
        heads.map(|head| head.trim_start_matches("long ").split(' ').next().unwrap().to_string()).collect();
    names.into_iter().collect()
}

/// The part of a text behind the line `title`, up to an empty one; of a title with more behind it, too.
fn section(text: &str, title: &str) -> String {
    let mut lines = text.lines().skip_while(|line| !line.starts_with(title));
    assert!(lines.next().is_some(), "no `{title}` in\n{text}");
    lines.take_while(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

/// What stands behind `name: ` in the first line that begins so.
fn value<'a>(text: &'a str, name: &str) -> &'a str {
    let found = text.lines().find_map(|line| line.trim().strip_prefix(name)?.strip_prefix(": "));
    found.unwrap_or_else(|| panic!("no `{name}` in\n{text}"))
}

fn points(isl: &Context, array: &str, points: &[Vec<i64>]) -> Set {
    let point = |point: &Vec<i64>| {
        let point: Vec<String> = point.iter().map(i64::to_string).collect();
        format!("{array}[{}]", point.join(", "))
    };
    let text: Vec<String> = points.iter().map(point).collect();
    isl.parse_set(&format!("{{ {} }}", text.join("; "))).unwrap()
}

/// The loops of Load and Store, for all tiles of a size, visit each cell of the printed sets once.
fn check_transfers(source: &Source, n: i64) {
    let (transfers, bands) = (text(source, Stage::Transfers), text(source, Stage::Bands));
    let offload = analyze(source, &board(), &Options::default()).unwrap();
    let isl = Context::new().unwrap();
    let tiles = text(source, Stage::Offload);
    let loops = Loops::new(&["band0".to_string()]);
    let nest = section(&tiles, "tiles:");
    let tiles = loops.calls(&nest, &["N".to_string()], &[vec![n]]).remove(0);
    let tiles: Vec<Vec<i64>> = tiles.into_iter().map(|(_, tile)| tile).collect();
    let names: Vec<String> = (0..tiles[0].len()).map(|k| format!("T{k}")).chain(["N".to_string()]).collect();
    let values: Vec<Vec<i64>> = tiles.iter().map(|tile| tile.iter().copied().chain([n]).collect()).collect();
    assert!(tiles.len() > 3, "few tiles: {tiles:?}");
    let existing = isl.parse_set(value(&bands, "tiles")).unwrap();
    let mut moved = 0;
    for array in &offload.kernel.arrays {
        for what in ["Load", "Store"] {
            let section = section(&transfers, &format!("band 0, {what}({}):", array.name));
            let map = isl.parse_map(value(&section, "set")).unwrap().intersect_domain(&existing).unwrap();
            let nest: String = section.lines().skip(1).map(|line| format!("{line}\n")).collect();
            let loops = Loops::new(std::slice::from_ref(&array.name));
            for (tile, visited) in tiles.iter().zip(loops.calls(&nest, &names, &values)) {
                let visited: Vec<Vec<i64>> = visited.into_iter().map(|(_, point)| point).collect();
                let distinct: BTreeSet<&Vec<i64>> = visited.iter().collect();
                assert_eq!(distinct.len(), visited.len(), "{what}({}) visits a cell twice in {tile:?}", array.name);
                moved += visited.len();
                let here = points(&isl, "T", std::slice::from_ref(tile));
                let expected = map.intersect_domain(&here).unwrap().range().unwrap();
                let expected = expected.fix_parameter("N", n).unwrap().project_out_all_params().unwrap();
                let same = match visited.is_empty() {
                    true => expected.is_empty().unwrap(),
                    false => expected.is_equal(&points(&isl, &array.name, &visited)).unwrap(),
                };
                assert!(same, "{what}({}) in {tile:?}: {expected} by the set, {visited:?} by the loops", array.name);
            }
        }
    }
    assert!(moved > 100, "{moved} cells");
}

fn of_text(name: &str, text: &str) -> Source {
    Source { path: format!("{name}.c"), text: text.to_string(), cpp_args: vec![] }
}

fn matmul(tile: &str) -> Source {
    let text = std::fs::read_to_string(root("examples/matmul.c")).unwrap();
    of_text("matmul", &text.replace("tile(i:32, j:32, k:32)", tile))
}

#[test]
fn loops_of_transfers_visit_the_sets_printed_beside_them() {
    check_transfers(&matmul("tile(i:4, j:3, k:5)"), 7);
    // Skewed tiles: guards, several pieces, quotients.
    let text = std::fs::read_to_string(root("examples/polymul_skewed.c")).unwrap();
    let smaller = text.replace("tile(10, 10)", "tile(3, 4)").replace("tile(100, 100)", "tile(3, 4)");
    check_transfers(&of_text("polymul_skewed", &smaller), 9);
}

/// Every instance once, in the order of the program as the printed kernel has it; those of the tiles are the same.
#[test]
fn loops_of_iterations_visit_what_the_printed_kernel_executes() {
    for name in ["imperfect", "gaps", "sequence", "lanes_fir", "lanes_triangle", "quotients"] {
        let source = source(&format!("tests/kernels/{name}.c"));
        let (kernel, printed) = (text(&source, Stage::Kernel), text(&source, Stage::Offload));
        let offload: Offload = analyze(&source, &board(), &Options::default()).unwrap();
        let names: Vec<String> = offload.kernel.statements().iter().map(|s| s.name.clone()).collect();
        let bands: Vec<String> = (0..offload.bands.len()).map(|b| format!("band{b}")).collect();
        let loops = Loops::new(&[names.clone(), bands].concat());
        // The body, with a call in place of each assignment.
        let body = kernel.split_once("\n{\n").unwrap().1.rsplit_once('}').unwrap().0;
        let mut calls = String::new();
        for line in body.lines() {
            match names.iter().position(|n| line.trim().starts_with(&format!("{n}: "))) {
                Some(s) => {
                    let _ = writeln!(calls, "{}({});", names[s], offload.kernel.iterators()[StatementId(s)].join(", "));
                }
                None if ["for", "if", "}"].iter().any(|w| line.trim().starts_with(w)) => {
                    // Loops that declare their variable.
                    let _ = writeln!(calls, "{}", line.replace("int64_t", "long"));
                }
                None => {}
            }
        }
        let parameters = &offload.kernel.parameters;
        let sizes: Vec<String> = parameters.iter().map(|p| p.name.clone()).collect();
        let values: Vec<i64> = parameters.iter().map(|p| p.default.unwrap_or(9).min(23)).collect();
        let run = |nest: &str| loops.calls(nest, &sizes, std::slice::from_ref(&values)).remove(0);
        let executed = run(&calls);
        assert!(executed.len() > 20, "{name}: {} instances", executed.len());
        let (mut ordered, mut source) = (run(&section(&printed, "order of the source:")), executed.clone());
        // Where instances do not depend on each other, their order may be another.
        if name == "quotients" {
            ordered.sort();
            source.sort();
        }
        assert_eq!(ordered, source, "{name}");
        let tiles = run(&section(&printed, "tiles:"));
        let mut in_tiles = vec![];
        for number in 0..offload.bands.len() {
            let own: Vec<&Vec<i64>> =
                tiles.iter().filter(|(band, _)| *band == format!("band{number}")).map(|(_, tile)| tile).collect();
            let indices = (0..own.first().map_or(0, |tile| tile.len())).map(|k| format!("T{k}"));
            let names: Vec<String> = sizes.iter().cloned().chain(indices).collect();
            let values: Vec<Vec<i64>> =
                own.iter().map(|tile| values.iter().chain(tile.iter()).copied().collect()).collect();
            let nest = section(&printed, &format!("band {number}, Compute"));
            in_tiles.extend(loops.calls(&nest, &names, &values).into_iter().flatten());
        }
        let mut expected = executed;
        expected.sort();
        in_tiles.sort();
        assert_eq!(in_tiles, expected, "{name}");
    }
}

/// RR-7697 section 3.3 and RR-7648 section III-B, from the texts alone.
#[test]
fn printed_sets_are_the_papers() {
    let source = matmul("tile(i:32, j:32, k:32)");
    let isl = Context::new().unwrap();
    let program = text(&source, Stage::Program);
    let set = |text: &str| isl.parse_set(text).unwrap();
    let map = |text: &str| -> Map { isl.parse_map(text).unwrap() };
    let cube = "0 <= i < N and 0 <= j < N and 0 <= k < N";
    let domain = set(value(&program, "domain"));
    assert!(domain.is_equal(&set(&format!("[N] -> {{ S0[i, j, k] : {cube} }}"))).unwrap(), "{program}");
    for (name, expected) in [
        ("schedule", "{ S0[i, j, k] -> [i, j, k] }"),
        ("reads a", "{ S0[i, j, k] -> a[i, k] }"),
        ("reads b", "{ S0[i, j, k] -> b[k, j] }"),
        ("writes c", "{ S0[i, j, k] -> c[i, j] }"),
    ] {
        assert!(map(value(&program, name)).is_equal(&map(expected)).unwrap(), "{name} in\n{program}");
    }
    let flow = format!("[N] -> {{ S0[i, j, k] -> S0[i, j, k'] : {cube} and k < k' < N }}");
    assert!(map(value(&program, "flow of S0 on S0 through c")).is_equal(&map(&flow)).unwrap(), "{program}");

    let bands = text(&source, Stage::Bands);
    let tiles = set(value(&bands, "tiles"));
    assert!(map(value(&bands, "order of S0")).is_equal(&map("{ S0[i, j, k] -> D[k, i, j] }")).unwrap(), "{bands}");
    let distances = value(&bands, "flow of S0 on S0 through c");
    assert_eq!(distances, "(0, 0, 1) to (0, 0, 1023): nothing goes back");

    let transfers = text(&source, Stage::Transfers);
    let inside = "0 <= I and 0 <= J and 0 <= K and 32I < N and 32J < N and 32K < N";
    let block = |x: &str, t: &str| format!("32{t} <= {x} <= 32{t} + 31 and {x} < N");
    for (title, expected) in [
        ("Load(a)", format!("T[I, J, K] -> a[i, k] : {} and {}", block("i", "I"), block("k", "K"))),
        ("Load(c)", format!("T[I, J, 0] -> c[i, j] : {} and {} and K = 0", block("i", "I"), block("j", "J"))),
        ("Store(c)", format!("T[I, J, K] -> c[i, j] : {} and {} and 32K + 32 >= N", block("i", "I"), block("j", "J"))),
    ] {
        let expected = format!("[N] -> {{ {} and {inside} }}", expected.replace("T[I, J, 0]", "T[I, J, K]"));
        let section = section(&transfers, &format!("band 0, {title}:"));
        let got = map(value(&section, "set")).intersect_domain(&tiles).unwrap();
        assert!(got.is_equal(&map(&expected)).unwrap(), "{title}: {got}");
    }

    let buffers = text(&source, Stage::Buffers);
    for (array, differences, moduli) in [
        ("a", "{ a[i, k] : -31 <= i <= 31 and -63 <= k <= 63 }", "32, 32 (exact 32, 32)"),
        ("b", "{ b[k, j] : -63 <= k <= 63 and -31 <= j <= 31 }", "32, 32 (exact 32, 32)"),
        ("c", "{ c[i, j] : -31 <= i <= 31 and -31 <= j <= 31 }", "32, 32 (exact 32, 32)"),
    ] {
        let title = format!("buffer {array}:");
        let own: String = section(&buffers, &title);
        assert!(set(value(&own, "conflicts")).is_equal(&set(differences)).unwrap(), "{own}");
        assert_eq!(value(&own, "moduli"), moduli);
    }
}

/// The ports of every module, from its streams and lines, are those of its Verilog.
#[test]
fn the_outline_of_rtl_has_the_ports_of_the_verilog() {
    for path in ["examples/matmul.c", "tests/kernels/sequence.c", "tests/kernels/conv3x3.c"] {
        let source = source(path);
        let printed = text(&source, Stage::Rtl);
        let accelerator = compile(&source, &board(), &Options::default()).unwrap();
        let modules: Vec<&str> = printed.split("\nmodule ").skip(1).collect();
        assert!(modules.len() > 8, "{printed}");
        for module in modules {
            let name = module.lines().next().unwrap();
            let file = accelerator.files.iter().find(|file| file.name == format!("{name}.v")).expect(name);
            let header = Header::parse(&file.text).unwrap();
            let expected: BTreeSet<(String, bool, u32)> =
                header.ports(&[]).unwrap().iter().map(|p| (p.name.to_string(), p.input, p.width)).collect();
            assert_eq!(outlined(module), expected, "{name}");
            // Registers that are there are declared as such.
            for line in module.lines().filter_map(|line| line.strip_prefix("    reg ")) {
                let register = line.split([' ', '[']).next().unwrap();
                let declared = |l: &str| {
                    let words: Vec<&str> = l.split([' ', ';', ',']).filter(|w| !w.is_empty()).collect();
                    words.contains(&"reg") && words.contains(&register)
                };
                assert!(file.text.lines().any(declared), "{name} has no register {register}");
            }
        }
    }
}

/// Name, whether it is an input, and bits of every port that an outline tells.
fn outlined(module: &str) -> BTreeSet<(String, bool, u32)> {
    let sized = |text: &str| match text.trim_end_matches(']').split_once('[') {
        Some((name, bits)) => (name.to_string(), bits.parse().unwrap()),
        None => (text.to_string(), 1),
    };
    let mut ports = BTreeSet::new();
    for line in module.lines().map(str::trim) {
        let (input, rest) = match line.split_once(' ') {
            Some(("in", rest)) => (true, rest),
            Some(("out", rest)) => (false, rest),
            _ => continue,
        };
        let Some(stream) = rest.strip_prefix("stream ") else {
            let (name, bits) = sized(rest);
            ports.insert((name, input, bits));
            continue;
        };
        let (group, payload) = stream.split_once(": ").unwrap_or((stream, ""));
        ports.insert((format!("{group}_valid"), input, 1));
        ports.insert((format!("{group}_ready"), !input, 1));
        for field in payload.split(", ").filter(|field| !field.is_empty()) {
            let (name, bits) = sized(field);
            ports.insert((format!("{group}_{name}"), input, bits));
        }
    }
    ports
}

/// A refused kernel is printed as far as the stages go, and a refusal names what it always does.
#[test]
fn what_a_later_stage_refuses_is_printed_before_it() {
    let text = "void k(int N, int a[N])\n{\n#pragma burstc tile(i:0 - 4)\n    for (int i = 1; i < N; i++)\n        a[i] = \
                a[i - 1] + 1;\n}\n";
    let backwards = of_text("k", &text.replace("tile(i:0 - 4)", "schedule((i) -> (-i)) tile(4)"));
    let options = Options { max: BTreeMap::from([("N".to_string(), 64)]), ..Options::default() };
    let printed = dump::text(&[Stage::Kernel, Stage::Program], &backwards, &board(), &options).unwrap();
    assert!(printed.contains("S0: a[i] = (a[i - 1] + 1);") && printed.contains("# program"), "{printed}");
    let refused = dump::text(&[Stage::Kernel, Stage::Bands], &backwards, &board(), &options).unwrap_err();
    assert!(refused.to_string().contains("reverses a dependence"), "{refused:#}");
}

/// All stages of one call, in its order; the same text every time.
#[test]
fn stages_come_in_the_order_of_the_command_line() {
    let source = matmul("tile(i:8, j:8, k:8)");
    let stages = [Stage::Rtl, Stage::Kernel, Stage::Buffers];
    let printed = || dump::text(&stages, &source, &board(), &Options::default()).unwrap();
    let printed = [printed(), printed()];
    assert_eq!(printed[0], printed[1]);
    let titles: Vec<&str> = printed[0].lines().filter_map(|l| l.trim_start_matches("// ").strip_prefix("# ")).collect();
    let begin: Vec<&str> = titles.iter().map(|title| title.split(':').next().unwrap()).collect();
    assert_eq!(begin, ["rtl", "kernel", "buffers"]);
}
