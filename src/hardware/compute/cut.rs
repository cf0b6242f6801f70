//! Rows whose lengths only the data tell: of `for (j = ptr[i]; j < ptr[i + 1]; j++)`. Before a row is walked, the elements that
//! are its limits are read, and what lies beyond them is cut off: iterations that would leave everything as it is. A row
//! of which nothing is left goes no further. A row that an error of the data is in stays whole, so that its iterations tell.
//!
//! A row per cycle:
//!
//! ```text
//! row ─▶ addresses ─▶ memory ─▶ limits ─▶ first, last ─▶ FIFO ─▶ walker
//! ```

use crate::hardware::buffers::address::{self, StripQueue, TileNumber, buffer_of};
use crate::hardware::buffers::banks::Fields;
use crate::hardware::circuit::cells;
use crate::hardware::circuit::ranged::rtl_type;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::stream::Stream;
use crate::hardware::circuit::variable::Affine;
use crate::hardware::compute::instances::{InstanceKind, Instances};
use crate::hardware::compute::process::ComputeRead;
use crate::hardware::context::Context;
use crate::hardware::walk::rows::{Row, RowFormat};
use crate::ids::{ArrayId, KindId};
use crate::offload::{limit_count, port_count};
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign};
use crate::source::kernel::{Access, Limits};

/// Rows between the scanner and the walker, at most.
const ROWS: i128 = 16;

/// Rows of a kind with limits.
pub struct Cut<'a> {
    kind: KindId,
    limits: Limits<'a>,
    /// What the iterator is at the row's index 0.
    rest: Affine,
}

/// An element that is read for the rows of some kinds.
struct Element<'a> {
    access: &'a Access,
    is_least: bool,
    array: ArrayId,
    copy: usize,
    kinds: Vec<KindId>,
    data: Signal,
}

impl Element<'_> {
    /// The values that its type has.
    fn values(&self) -> (i64, i64) {
        let bits = self.data.width();
        match self.data.ty().signed {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        }
    }
}

/// How rows of each kind are cut that data cut at all.
pub fn cuts<'a>(context: &Context<'a>, format: &RowFormat) -> Vec<Cut<'a>> {
    // What kinds there are is known without a circuit.
    let mut scratch = crate::hardware::datapath::scratch();
    let sizes = context.parameter_inputs(&mut scratch);
    let packed = scratch.wire("row", Type::unsigned(format.width()));
    let row = format.unpack(&mut scratch, &packed);
    let scope = format.scope(&sizes, &row.outer, &row.first);
    let instances = Instances::over(context, &mut scratch, format, row.kind.clone(), scope);
    instances.kinds().filter_map(|(kind, instance)| of_kind(context, format, kind, instance)).collect()
}

/// The rows, and what they are cut by; without [`cuts`], as they come. `strips` are those of their tiles.
pub fn cut<'a>(
    context: &Context<'a>,
    m: &mut Module,
    (format, sizes): (&'a RowFormat, &Scope),
    (cuts, strips): (&[Cut<'a>], Option<StripQueue>),
    rows: (Stream, Row),
) -> (Stream, Row, Vec<ComputeRead>) {
    if cuts.is_empty() {
        return (rows.0, rows.1, vec![]);
    }
    let (waiting, row) = rows;
    let scope = |row: &Row| format.scope(sizes, &row.outer, &row.first);
    m.comment("What data say is no iteration is cut off the rows.");
    let instances = Instances::over(context, m, format, row.kind.clone(), scope(&row));
    let tile = TileNumber::declare(m, context.offload, strips);
    let in_flight = m.reg("rows_cut", Type::for_range(0, ROWS as i64));
    let loaded = context.bus.map(|_| cells::port(m, "s_loaded"));
    let may_cut = m.wire("may_cut", Type::BIT);
    let takes = m.define("takes_row", &waiting.valid.e().and(&may_cut.e()));
    m.assign(&waiting.ready, &may_cut.e());
    let ends = m.define("cuts_end", &takes.e().and(&row.end));
    let is_there = match &loaded {
        None => Rtl::bit(true),
        Some(loaded) => {
            let tiles = m.reg("tiles_to_cut", Type::unsigned(2));
            cells::up_down(m, &tiles, loaded, &ends.e());
            tiles.e().is_zero().not()
        }
    };
    let is_there = is_there.and(&tile.is_known());
    m.assign(&may_cut, &is_there.and(&in_flight.e().lt(&Rtl::constant(ROWS, in_flight.ty()))));
    tile.connect(m, &ends.e());

    let elements = read(context, m, cuts, &instances, &tile);
    // The row, while its limits are read: with the addresses, with the words, with the limits, with where they cut it.
    let mut registers = vec![];
    let mut resets = vec![];
    let (mut packed, mut valid) = (format.pack(&row), takes.e());
    let mut stages = vec![];
    for _ in 0..4 {
        let register = m.reg("row_to_cut", packed.ty());
        let there = m.reg("is_row_to_cut", Type::BIT);
        registers.extend([assign(&register, &packed), assign(&there, &valid)]);
        resets.push((there.clone(), 0));
        (packed, valid) = (register.e(), there.e());
        stages.push(register);
    }
    let mut limits = vec![];
    for element in &elements {
        let register = m.reg("limit", element.data.ty());
        registers.push(assign(&register, &element.data.e()));
        limits.push(register);
    }
    let with_limits = format.unpack(m, &stages[2]);
    let instances = Instances::over(context, m, format, with_limits.kind.clone(), scope(&with_limits));
    let ends = ends_of(m, cuts, (&elements, &limits), &instances, &mut registers);
    let row = format.unpack(m, &stages[3]);
    let instances = Instances::over(context, m, format, row.kind.clone(), scope(&row));
    let (first, last, stays) = what_is_left(m, cuts, (&elements, &ends), &instances, &row);
    let cut_row = Row { first: first.clone(), last: last.clone(), ..row.clone() };
    let kept = Stream::wires(m, "kept");
    let data = m.reg("kept_row", packed.ty());
    let is_kept = m.reg("is_kept", Type::BIT);
    let stays = m.define("stays", &valid.and(&row.end.or(&stays)));
    let dropped = m.define("is_dropped", &valid.and(&stays.e().not()));
    registers.extend([assign(&data, &format.pack(&cut_row)), assign(&is_kept, &stays.e())]);
    resets.push((is_kept.clone(), 0));
    m.assign(&kept.valid, &is_kept.e());
    let cut = Stream::wires(m, "cut");
    let word = cells::fifo(m, "u_cut", ROWS, (&kept, &data.e()), &cut, "cut_row");
    // There is room in the FIFO for all rows that were taken.
    let wide = Type { width: in_flight.width() + 2, signed: true };
    let count = in_flight.e().resize(wide).add(&takes.e().resize(wide), wide);
    let fewer = cut.fires().resize(wide).add(&dropped.e().resize(wide), wide);
    registers.push(assign(&in_flight, &count.sub(&fewer, wide).resize(in_flight.ty())));
    resets.push((in_flight.clone(), 0));
    m.clocked("", resets, registers);
    let reads = elements.iter().map(|e| ComputeRead { array: e.array, copy: e.copy, rotation: None, optional: false });
    (cut, format.unpack(m, &word), reads.collect())
}

/// How rows of a kind are cut: where the iterator counts along them.
fn of_kind<'a>(context: &Context<'a>, format: &RowFormat, kind: KindId, instance: &InstanceKind) -> Option<Cut<'a>> {
    let statements = context.kernel.statements();
    let limits = context.kernel.limits(statements[instance.statement])?;
    let value = instance.affine(&crate::affine::Affine::variable(limits.iterator));
    let own = Affine::variable(format.inner.variable.clone());
    let rest = value - own;
    let is_along = rest.coefficient(&format.inner.variable) == 0;
    let moves = |(access, _): (&Access, bool)| {
        instance.affines(&access.subscripts).iter().any(|subscript| subscript.coefficient(&format.inner.variable) != 0)
    };
    // Lanes of other statements have put it in banks, which give groups.
    let is_banked = |(access, _): (&Access, bool)| Fields::of(buffer_of(context.offload, access.array)).is_some();
    if limits.elements().any(is_banked) {
        return None;
    }
    (is_along && !limits.elements().any(moves) && context.offload.lanes(instance.statement).is_none()).then_some(Cut {
        kind,
        limits,
        rest,
    })
}

/// The ports by which limits are read, with their addresses.
fn read<'a>(
    context: &Context<'a>,
    m: &mut Module,
    cuts: &[Cut<'a>],
    instances: &Instances,
    tile: &TileNumber,
) -> Vec<Element<'a>> {
    let mut elements: Vec<Element> = vec![];
    let kinds: Vec<(KindId, &InstanceKind)> = instances.kinds().collect();
    let statement = |kind: KindId| kinds.iter().find(|(k, _)| *k == kind).map(|(_, instance)| instance.statement);
    for cut in cuts {
        let limits = &cut.limits;
        let least = limits.least.map(|access| (access, true));
        for (access, is_least) in least.into_iter().chain(limits.most.map(|(access, _)| (access, false))) {
            // A statement's rows of all kinds read through one port.
            let is_same = |e: &&mut Element| {
                e.is_least == is_least && std::ptr::eq(e.access, access) && statement(e.kinds[0]) == statement(cut.kind)
            };
            if let Some(known) = elements.iter_mut().find(is_same) {
                known.kinds.push(cut.kind);
                continue;
            }
            let array = access.array;
            let before = elements.iter().filter(|e| e.array == array).count();
            let all = port_count(context.kernel, &context.offload.windows, array);
            let copy = all - limit_count(context.kernel, array) + before;
            let name = format!("read_{}_{copy}", context.array(array).name);
            let data = m.input(&format!("s_{name}_data"), rtl_type(context.array(array).element));
            elements.push(Element { access, is_least, array, copy, kinds: vec![cut.kind], data });
        }
    }
    for element in &elements {
        let buffer = buffer_of(context.offload, element.array);
        let name = format!("m_read_{}_{}_address", context.array(element.array).name, element.copy);
        let register = m.output_reg(&name, address::address_type(buffer));
        let cell = |_: KindId, instance: &InstanceKind| {
            let cell = instance.affines(&element.access.subscripts);
            address::address(buffer, instance.band, &cell, &instance.scope, tile)
        };
        let address = instances.of_kinds(&element.kinds, cell);
        m.clocked("", vec![], vec![assign(&register, &address)]);
    }
    elements
}

/// Where an element cuts a row.
struct End {
    /// The row's index there: the first or the last that is left.
    at: Signal,
    /// The element is an error, which the row's iterations have to tell.
    is_error: Signal,
}

/// Where every element cuts the row at hand, in registers.
fn ends_of(
    m: &mut Module,
    cuts: &[Cut],
    (elements, limits): (&[Element], &[Signal]),
    instances: &Instances,
    registers: &mut Vec<Statement>,
) -> Vec<End> {
    let of = |kind: KindId| cuts.iter().find(|cut| cut.kind == kind).expect("a kind of rows that data cut");
    let mut ends = vec![];
    for (element, limit) in elements.iter().zip(limits) {
        // The element is the value behind the last one where the comparison is strict.
        let strict = |cut: &Cut| !element.is_least && cut.limits.most.is_some_and(|(_, strict)| strict);
        let rest = |cut: &Cut| cut.rest.clone() + Affine::constant(i64::from(strict(cut)));
        let known = |cut: &Cut, instance: &InstanceKind| -> Vec<Affine> {
            cut.limits.told[usize::from(!element.is_least)].iter().map(|told| instance.affine(told)).collect()
        };
        let own = || instances.kinds().filter(|(kind, _)| element.kinds.contains(kind));
        let ranges = own().flat_map(|(kind, instance)| {
            let of_kind = known(of(kind), instance).into_iter().chain([rest(of(kind))]);
            of_kind.map(|value| instance.scope.range(&value)).collect::<Vec<_>>()
        });
        let (low, high) = ranges.fold((0, 1), |(low, high), (l, h)| (low.min(l), high.max(h)));
        let value = element.values();
        let wide = Type::for_range((value.0 - high).min(low), (value.1 - low + 1).max(high));
        let limit = limit.e().resize(wide);
        let rest = instances.of_kinds(&element.kinds, |kind, instance| instance.scope.affine_as(&rest(of(kind)), wide));
        let at = m.reg("cut_at", wide);
        let error = instances.of_kinds(&element.kinds, |kind, instance| {
            let leaves = known(of(kind), instance).into_iter().map(|known| {
                let known = instance.scope.affine_as(&known, wide);
                let behind = i128::from(!element.is_least && !strict(of(kind)));
                match element.is_least {
                    true => limit.lt(&known),
                    false => limit.add(&Rtl::constant(behind, wide), wide).gt(&known),
                }
            });
            Rtl::any(&leaves.collect::<Vec<_>>())
        });
        let is_error = m.reg("is_no_limit", Type::BIT);
        registers.extend([assign(&at, &limit.sub(&rest, wide)), assign(&is_error, &error)]);
        ends.push(End { at, is_error });
    }
    ends
}

/// The first and the last index of what is left of a row, and whether anything is.
fn what_is_left(
    m: &mut Module,
    cuts: &[Cut],
    (elements, ends): (&[Element], &[End]),
    instances: &Instances,
    row: &Row,
) -> (Rtl, Rtl, Rtl) {
    let is_of = |kinds: &[KindId]| instances.by_kind(|kind, _| Rtl::bit(kinds.contains(&kind)));
    let kinds: Vec<KindId> = cuts.iter().map(|cut| cut.kind).collect();
    let (mut first, mut last, mut whole) = (row.first.clone(), row.last.clone(), is_of(&kinds).not());
    let mut beyond = vec![];
    for (element, end) in elements.iter().zip(ends) {
        let own = is_of(&element.kinds);
        whole = whole.or(&own.and(&end.is_error.e()));
        let at = end.at.e();
        let inner = row.first.ty();
        let wide = Type { width: at.ty().width.max(inner.width + 1), signed: true };
        let (wide_at, row_first, row_last) = (at.resize(wide), row.first.resize(wide), row.last.resize(wide));
        let (cuts_off, nothing) = match element.is_least {
            true => (wide_at.gt(&row_first), wide_at.gt(&row_last)),
            false => (wide_at.lt(&row_last), wide_at.lt(&row_first)),
        };
        beyond.push(own.and(&nothing));
        let side = if element.is_least { &mut first } else { &mut last };
        *side = own.and(&cuts_off).select(&at.resize(inner), side);
    }
    let whole = m.define("stays_whole", &whole).e();
    let first = m.define("first_left", &whole.select(&row.first, &first)).e();
    let last = m.define("last_left", &whole.select(&row.last, &last)).e();
    let is_empty = Rtl::any(&beyond).or(&first.gt(&last));
    (first, last, whole.or(&is_empty.not()))
}
