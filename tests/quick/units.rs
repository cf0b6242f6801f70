//! Units: along which loops they run, whose the cells are, what is refused, and that the verifier sees what is wrong.

use burstc::choose_lanes::{Request, UnitsRequest, analyze_in_units};
use burstc::diagnostic::Diagnostic;
use burstc::offload::{Offload, Owner};
use burstc::report::area::Area;
use burstc::source::kernel::Kernel;
use burstc::source::{self, Source};
use burstc::verify::verify;
use burstc::{analysis, board};

fn parsed(text: &str) -> Kernel {
    let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
    source::parse(&source).unwrap_or_else(|error| panic!("{error:#}\n{text}"))
}

fn analyzed(text: &str) -> Offload {
    let fabric = board::load("stratix2-ddr400").unwrap().fabric();
    let offload = analysis::analyze(&parsed(text), &fabric).unwrap_or_else(|error| panic!("{error:#}\n{text}"));
    verify(&offload).unwrap_or_else(|faults| panic!("{faults:?}"));
    offload
}

/// A product of matrices with this directive.
fn product(directive: &str) -> String {
    format!(
        "#pragma burstc size(N: 30, max 64)
        void mm(int N, const int a[N][N], const int b[N][N], int c[N][N]) {{
        #pragma burstc {directive}
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++)
                    for (int k = 0; k < N; k++)
                        c[i][j] += a[i][k] * b[k][j];
        }}"
    )
}

fn owner(offload: &Offload, array: &str) -> Option<Owner> {
    let buffer = offload.buffers.iter().find(|b| offload.kernel.arrays[b.array].name == array);
    buffer.unwrap_or_else(|| panic!("no buffer of {array}")).owner
}

/// Who writes a cell is told by a subscript; what nobody writes and all read, all have. A unit's memories leave its number out.
#[test]
fn cells_belong_to_units() {
    let of = |subscript, count, offset, shared| Some(Owner { subscript, count, offset, shared });
    let rows = analyzed(&product("tile(i:8, j:8, k:8) units(i:4)"));
    let owners = ["a", "b", "c"].map(|array| owner(&rows, array));
    assert_eq!(owners, [of(0, 4, 0, false), None, of(0, 4, 0, false)]);
    let columns = analyzed(&product("tile(i:8, j:8, k:8) units(j:2)"));
    assert_eq!(["a", "b", "c"].map(|array| owner(&columns, array)), [None, of(1, 2, 0, false), of(1, 2, 0, false)]);
    let one = analyzed(&product("tile(i:8, j:8, k:8)"));
    for (buffer, single) in rows.buffers.iter().zip(&one.buffers) {
        let parts = if buffer.owner.is_some() { 4 } else { 1 };
        assert_eq!(buffer.words() * parts, single.words());
        assert_eq!(buffer.memories(), 4 * single.memories());
    }
    // The first loop that will do.
    let chosen = analyzed(&product("tile(i:8, j:8, k:8) units(8)"));
    assert_eq!(chosen.bands.iter().next().unwrap().compute.units.as_ref().unwrap().along, "i");
    let chosen = analyzed(&product("tile(i:4, j:8, k:8) units(8)"));
    assert_eq!(chosen.bands.iter().next().unwrap().compute.units.as_ref().unwrap().along, "j");
    let text = "#pragma burstc size(N: max 64)
        struct point { int x, sum; };
        void f(int N, struct point p[N], const int a[N], int y[N + 3]) {
        #pragma burstc tile(i:16, j:16) units(i:4)
            for (int i = 0; i < N; i++)
                for (int j = 0; j < N; j++) { p[i].sum += p[j].x; y[i + 3] ^= a[i] + a[j]; }
        }";
    let apart = analyzed(text);
    assert_eq!(owner(&apart, "p"), of(0, 4, 0, true));
    assert_eq!(owner(&apart, "y"), of(0, 4, 3, false));
    assert_eq!(owner(&apart, "a"), None);
}

/// Directives that are printed give the same hardware where they are pasted, also beside a schedule.
#[test]
fn directives_are_pasted() {
    let offload = analyzed(&product("tile(i:8, j:8, k:8) units(j:4)"));
    let [directive] = &offload.directives()[..] else { panic!("one band") };
    assert!(directive.contains(" units(1, 4, 1)"), "{directive}");
    let pasted = analyzed(&product(directive.strip_prefix("#pragma burstc ").unwrap()));
    for (own, pasted) in offload.bands.iter().zip(&pasted.bands) {
        assert_eq!(own.compute, pasted.compute);
        assert_eq!(own.transfers, pasted.transfers);
    }
    assert_eq!(pasted.buffers, offload.buffers);
}

#[test]
fn refusals() {
    let fabric = board::load("stratix2-ddr400").unwrap().fabric();
    let message = |text: &str| {
        let source = Source { path: "kernel.c".into(), text: text.into(), cpp_args: vec![] };
        let refused = source::parse(&source).and_then(|kernel| analysis::analyze(&kernel, &fabric).map(drop));
        let error = refused.expect_err(text);
        error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("{error:#}")).message.clone()
    };
    for (directive, expected) in [
        (
            "tile(i:8, j:8, k:8) units(k:4)",
            "no 4 units along `k`: no subscript of `c` tells the unit in all references",
        ),
        ("tile(i:2, j:8, k:8) units(i:4)", "no 4 units along `i`: a tile has 2 values there"),
        ("tile(i:2, j:2, k:8) units(4)", "no 4 units along `i`: a tile has 2 values there"),
        ("tile(i:8, j:8, k:8) units(3)", "3 units"),
        ("tile(i:8, j:8, k:8) units(128)", "128 units"),
        ("tile(i:8, j:8, k:8) units(l:4)", "no tile size for `l`"),
        ("tile(i:8, j:8, k:8) units(i:2, j:2)", "units along several loops"),
        ("tile(i:8, j:8, k:8) units(2) units(2)", "a second `units` in one directive"),
        ("tile(i:8, j:8, k:8) units(2) lanes(2)", "2 lanes and 2 units in one band"),
        ("units(2)", "units without tiles"),
        ("schedule((i,j,k) -> (i,j,k)) tile(8, 8, 8) units(2, 1)", "units that do not say along which loop"),
    ] {
        assert_eq!(message(&product(directive)), expected, "{directive}");
    }
    let two = |first: &str, second: &str| {
        format!(
            "#pragma burstc size(N: 20, max 40)
            void f(int N, const int a[N][N], int t[N][N]) {{
            #pragma burstc tile(i:8, j:8) {first}
                for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) t[i][j] = a[i][j];
            #pragma burstc tile(i:8, j:8) {second}
                for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) t[i][j] += a[j][i];
            }}"
        )
    };
    assert_eq!(message(&two("units(i:2)", "units(i:4)")), "2 units in one band, and 4 in another");
    assert_eq!(message(&two("units(i:2)", "")), "2 units in one band, and 1 in another");
    let apart = "no 2 units: the bands that write `t` would give its cells to different units";
    assert_eq!(message(&two("units(i:2)", "units(j:2)")), apart);
    let by_data = "void k(unsigned char x[8][8], unsigned char h[8][16])\n{\n#pragma burstc tile(i:8, j:8) units(i:4)\n\
                   for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) h[i][x[i][j] & 15] += 1;\n}\n";
    assert_eq!(message(by_data), "no 4 units along `i`: `h` is written, and has subscripts of data");
    // The loop has its iterator's name, also where the band's first statement stands outside of it.
    let outside = "#pragma burstc size(N: 20, max 40)
        #pragma burstc schedule(S0[] -> (0); S1[k] -> (k + 1)) tile(8) units(2)
        void f(int N, const int a[N], int y[N]) {
            y[0] = 5;
            for (int k = 1; k < N; k++) y[k] = a[k];
        }";
    assert_eq!(message(outside), "no 2 units along `k`: not all statements of the band run along it");
}

/// A cell of another unit, an iteration that nobody runs, and one too many are found.
#[test]
fn the_verifier_sees_units() {
    let offload = analyzed(&product("tile(i:8, j:8, k:8) units(i:4)"));
    let finds = |change: &dyn Fn(&mut Offload), fault: &str| {
        let mut changed = offload.clone();
        change(&mut changed);
        let faults = verify(&changed).expect_err(fault);
        assert!(faults.iter().any(|own| own.starts_with("units: ") && own.contains(fault)), "{faults:?}");
    };
    let units = |offload: &mut Offload| offload.bands.iter_mut().next().unwrap().compute.units.take().unwrap();
    finds(&|o| o.buffers[2].owner.as_mut().unwrap().offset = 1, "accesses a cell of c of another unit");
    finds(&|o| o.buffers[2].owner = None, "all have c, which is written");
    finds(&|o| o.buffers[1].units = 2, "2 have a memory of b");
    finds(&|o| drop(units(o)), "4 have a memory of a");
    finds(
        &|o| {
            let mut own = units(o);
            own.scan.pieces[0].levels.last_mut().unwrap().upper.iter_mut().for_each(|b| b.numerator.constant -= 1);
            o.bands.iter_mut().next().unwrap().compute.units = Some(own);
        },
        "no unit of band 0 runs",
    );
    finds(
        &|o| {
            let mut own = units(o);
            own.scan = o.bands.iter().next().unwrap().compute.scan.clone();
            o.bands.iter_mut().next().unwrap().compute.units = Some(own);
        },
        "accesses a cell of",
    );
}

/// `--units`: in tiles that are chosen, which grow where they are too short; as many as make the run shorter.
#[test]
fn units_of_the_command_line() {
    let board = board::load("generic-axi4").unwrap();
    let text = product("").replace("#pragma burstc \n", "\n");
    let asked = |text: &str, units| analyze_in_units(&parsed(text), &board, Some(Request::Usual), Some(units));
    let count = |offload: &Offload| offload.units();
    for units in [2, 16] {
        let offload = asked(&text, UnitsRequest::Count(units)).unwrap();
        verify(&offload).unwrap();
        assert_eq!(count(&offload), units);
        // Lanes are for one unit.
        assert_eq!(offload.most_lanes(), None);
    }
    assert_eq!(count(&asked(&text, UnitsRequest::Count(1)).unwrap()), 1);
    // Sums for which there are no lanes; where there are, they are as good.
    let bodies = "#pragma burstc size(N: 128, max 128)
        void f(int N, const float x[N], const float m[N], float f[N]) {
            for (int i = 0; i < N; i++) {
                float s = 0;
                for (int j = 0; j < N; j++) {
                    float d = x[j] - x[i];
                    if (d > 0.0f) s += m[j] / (d * d + 1.0f);
                    else s -= m[j] / (d * d + 1.0f);
                }
                f[i] = s;
            }
        }";
    assert!(count(&asked(bodies, UnitsRequest::Automatic).unwrap()) >= 4);
    assert!(asked(&text, UnitsRequest::Automatic).unwrap().most_lanes() > Some(1));
    let usual = analyze_in_units(&parsed(bodies), &board, Some(Request::Usual), None).unwrap();
    assert!(count(&usual) >= 4);
    assert!(usual.units_note.is_some());
    let lanes =
        analyze_in_units(&parsed(&text), &board, Some(Request::Count(4)), Some(UnitsRequest::Automatic)).unwrap();
    assert_eq!((lanes.most_lanes(), count(&lanes)), (Some(4), 1));
    // What directives say, in another number.
    let given = asked(&product("tile(i:8, j:8, k:8) units(j:2)"), UnitsRequest::Count(4)).unwrap();
    let own = given.bands.iter().next().unwrap().compute.units.as_ref().unwrap();
    assert_eq!((own.count, own.along.as_str()), (4, "j"));
    // The memory is as busy with one.
    let copy = "#pragma burstc size(N: 4096, max 4096)
        void f(int N, const int a[N], int b[N]) { for (int i = 0; i < N; i++) b[i] = a[i]; }";
    assert!(count(&asked(copy, UnitsRequest::Automatic).unwrap()) <= 2);
    // Each unit has multipliers of its own.
    let four = asked(&text, UnitsRequest::Count(4)).unwrap();
    let one = asked(&text, UnitsRequest::Count(1)).unwrap();
    let multipliers = |offload: &Offload| Area::of(offload, &board.device).multipliers;
    assert_eq!(multipliers(&four) * one.most_lanes().unwrap_or(1) as u64, multipliers(&one) * 4);
    let small = board::load("ulx3s").unwrap();
    let error = analyze_in_units(&parsed(&text), &small, None, Some(UnitsRequest::Count(64))).unwrap_err();
    let diagnostic = error.downcast_ref::<Diagnostic>().unwrap_or_else(|| panic!("{error:#}"));
    assert!(diagnostic.message.starts_with("64 units need "), "{}", diagnostic.message);
    let error = analyze_in_units(&parsed(&text), &board, Some(Request::Count(2)), Some(UnitsRequest::Count(2)));
    assert_eq!(error.unwrap_err().to_string().lines().next(), Some("2 lanes and 2 units"));
}
