//! The roofline: operations per cycle over operations per byte, both as logarithms, under what memory and datapath allow.

use svg::Node as _;
use svg::node::element::{Circle, ClipPath, Group, SVG};

use super::{Anchor, line, picture, rectangle, short, text};
use crate::page::html::{escaped, table};
use crate::page::number;
use crate::page::roofline::{Point, Roofline};

const SIZE: [f64; 2] = [400.0, 310.0];
const LEFT: f64 = 48.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 24.0;
const BOTTOM: f64 = 40.0;

/// The picture, its figures as a table, and where they come from.
pub fn html(roof: &Roofline) -> String {
    let head = ["", "operations per byte", "operations per cycle", "bytes", "cycles"].map(String::from).to_vec();
    let row = |p: &Point| {
        let parts = [p.per_byte, p.per_cycle].map(|part| format!("{part:.3}"));
        let counts = [p.bytes, p.cycles].map(|count| number(&count.to_string()));
        [vec![escaped(&p.name)], parts.to_vec(), counts.to_vec()].concat()
    };
    let rows: Vec<_> = [head].into_iter().chain(roof.points.iter().map(row)).collect();
    format!(
        "<div id=\"roofline-picture\" class=\"picture charts\">{}</div>\n{}<p class=\"legend\">{} operations of the C program; the port \
         moves {} bytes per cycle.</p>\n",
        draw(roof),
        table("roofline", &rows),
        number(&roof.operations.to_string()),
        (1000.0 * roof.port).round() / 1000.0,
    )
}

/// Powers of ten from one to another, along the picture.
struct Decades {
    ends: [i32; 2],
    from: f64,
    to: f64,
}

impl Decades {
    /// Around all values, with room on both sides.
    fn around(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Decades {
        let positive = || values.clone().filter(|value| *value > 0.0 && value.is_finite()).map(f64::log10);
        let (low, high) = (positive().fold(f64::INFINITY, f64::min), positive().fold(f64::NEG_INFINITY, f64::max));
        let ends = if low <= high { [(low - 0.3).floor() as i32, (high + 0.3).ceil() as i32] } else { [0, 1] };
        Decades { ends, from, to }
    }

    fn at(&self, value: f64) -> f64 {
        let [low, high] = self.ends.map(f64::from);
        self.from + (value.log10() - low) / (high - low) * (self.to - self.from)
    }

    fn low(&self) -> f64 {
        10f64.powi(self.ends[0])
    }

    fn high(&self) -> f64 {
        10f64.powi(self.ends[1])
    }

    /// Each with its text.
    fn all(&self) -> impl Iterator<Item = (f64, String)> {
        // Written and read, so that 0.001 is no 0.0009999.
        let value = |power: i32| format!("1e{power}").parse::<f64>().unwrap_or(0.0);
        (self.ends[0]..=self.ends[1]).map(move |power| (value(power), number(&value(power).to_string())))
    }
}

fn draw(roof: &Roofline) -> SVG {
    let ridge = roof.datapath / roof.port;
    let (low, right) = (SIZE[1] - BOTTOM, SIZE[0] - RIGHT);
    let x = Decades::around(roof.points.iter().map(|p| p.per_byte).chain([ridge]), LEFT, right);
    let y = Decades::around(roof.points.iter().map(|p| p.per_cycle).chain([roof.datapath]), low, TOP);
    let mut svg = axes(&x, &y);
    let clip = ClipPath::new().set("id", "inside").add(rectangle([LEFT, TOP - 4.0, right - LEFT, low - TOP + 4.0], ""));
    svg.append(clip);
    // The port's slope up to what the datapath allows.
    let knee = ridge.clamp(x.low(), x.high());
    let point = |at: f64, height: f64| format!("{} {}", short(x.at(at)), short(y.at(height)));
    let flat = roof.datapath.max(knee * roof.port);
    let slope = [point(x.low(), x.low() * roof.port), point(knee, knee * roof.port), point(x.high(), flat)];
    let mut inside = Group::new().set("clip-path", "url(#inside)").add(line("roof", format!("M{}", slope.join("L"))));
    svg.append(text(right - 4.0, y.at(roof.datapath) - 6.0, Anchor::End, "datapath"));
    // Far above everything else it says nothing.
    if roof.dependences < y.high() {
        let d = format!("M{}H{}", point(x.low(), roof.dependences), short(x.at(x.high())));
        inside.append(line("roof other", d));
        svg.append(text(LEFT + 8.0, y.at(roof.dependences) - 6.0, Anchor::Start, "dependences"));
    }
    svg.append(inside);
    let seen = x.low().max(y.low() / roof.port);
    let ends = [seen, knee].map(|at| [x.at(at), y.at(at * roof.port)]);
    let points: Vec<[f64; 2]> = roof.points.iter().map(|p| [x.at(p.per_byte), y.at(p.per_cycle)]).collect();
    name_slope(&mut svg, ends, &points);
    name_points(&mut svg, roof, &points);
    svg
}

/// Lines and numbers of the decades.
fn axes(x: &Decades, y: &Decades) -> SVG {
    let (low, right) = (SIZE[1] - BOTTOM, SIZE[0] - RIGHT);
    let mut svg = picture("roofline", SIZE);
    for (value, written) in x.all() {
        let at = short(x.at(value));
        svg.append(line("grid", format!("M{at} {TOP}V{low}")));
        svg.append(text(at, low + 16.0, Anchor::Middle, &written));
    }
    for (value, written) in y.all() {
        let at = y.at(value);
        svg.append(line("grid", format!("M{LEFT} {}H{right}", short(at))));
        svg.append(text(LEFT - 8.0, at + 4.0, Anchor::End, &written));
    }
    svg.append(line("axis", format!("M{LEFT} {TOP}V{low}H{right}")).set("fill", "none"));
    svg.append(text(right, SIZE[1] - 6.0, Anchor::End, "operations per byte"));
    svg.append(text(0, 12.0, Anchor::Start, "operations per cycle"));
    svg
}

/// The slope's name stands on it, where it is farthest from the points.
fn name_slope(svg: &mut SVG, [[sx, sy], [kx, ky]]: [[f64; 2]; 2], points: &[[f64; 2]]) {
    if kx - sx <= 60.0 {
        return;
    }
    let on = |part: f64| [sx + part * (kx - sx), sy + part * (ky - sy)];
    let free = |part: f64| {
        let [x, y] = on(part);
        points.iter().map(|p| (p[0] - x).hypot(p[1] - y)).fold(f64::INFINITY, f64::min)
    };
    // The axes' numbers stand beside and below.
    let clear = |part: &f64| on(*part)[0] > LEFT + 32.0 && on(*part)[1] < SIZE[1] - BOTTOM - 24.0;
    let parts = [0.5, 0.25, 0.75].into_iter().filter(clear);
    let part = parts.reduce(|best, other| if free(other) > free(best) { other } else { best }).unwrap_or(0.75);
    let [x, y] = on(part).map(short);
    let turn = short((ky - sy).atan2(kx - sx).to_degrees());
    let mut own = text(x.clone(), on(part)[1] - 7.0, Anchor::Middle, "memory");
    own.assign("transform", format!("rotate({turn} {x} {y})"));
    svg.append(own);
}

/// The bound lies on the roof, the run under it: their names stand on different sides. The bound is drawn first, and larger, as a run may
/// reach it.
fn name_points(svg: &mut SVG, roof: &Roofline, points: &[[f64; 2]]) {
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|k| *k != 1);
    for k in order {
        let ([x, y], is_bound) = (points[k], k == 1);
        let class = ["c-load", "c-reuse", "c-touch"][k.min(2)];
        let circle = Circle::new().set("class", class).set("cx", short(x)).set("cy", short(y));
        svg.append(circle.set("r", if is_bound { 7 } else { 5 }));
        let is_before = is_bound && x > LEFT + 60.0;
        let anchor = if is_before { Anchor::End } else { Anchor::Start };
        let aside = short(x + if is_before { -8.0 } else { 9.0 });
        let mut own = text(aside, y + if is_bound { -8.0 } else { 15.0 }, anchor, &roof.points[k].name);
        own.get_attributes_mut().remove("class");
        svg.append(own);
    }
}
