//! What joins several compute processes, the units, to the load and the store process, which see them as one: a tile goes to all of
//! them, and is computed when all have computed it; every unit has memories of its own for every buffer.

use crate::hardware::buffers::banks::Drained;
use crate::hardware::buffers::memories::{Drain, Fill};
use crate::hardware::circuit::cells;
use crate::hardware::circuit::stream::{Stream, fork};
use crate::hardware::context::Context;
use crate::hardware::interface::names::of_unit;
use crate::offload::{Buffer, Owner};
use crate::rtl::{Expr, Module, Signal, Type, assign};

/// Tiles that may wait before a unit.
const TILES: i128 = 2;

/// Gives every tile of `tile` to all units, each in a queue of its own.
pub fn give(m: &mut Module, units: i64, (tile, data): (&Stream, &Signal)) -> Vec<(Stream, Signal)> {
    m.comment("Tiles go to all units.");
    let names: Vec<String> = (0..units).map(|unit| format!("{}loaded", of_unit(units, unit))).collect();
    let queued: Vec<Stream> = names.iter().map(|name| Stream::wires(m, &format!("{name}_queued"))).collect();
    fork(m, tile, &Expr::bit(true), &queued.iter().collect::<Vec<_>>());
    let queue = |(name, queued): (&String, &Stream)| {
        let own = Stream::wires(m, name);
        let word = cells::fifo(m, &format!("u_{name}"), TILES, (queued, &data.e()), &own, &format!("{name}_data"));
        (own, word)
    };
    names.iter().zip(&queued).map(queue).collect()
}

/// Takes a tile from all units together; what it is, the first one says.
pub fn take(m: &mut Module, units: &[(Stream, Signal)], (tile, data): (&Stream, &Signal)) {
    m.comment("A tile goes on when all units hand it on.");
    let others = |except: Option<usize>| {
        let valid = units.iter().enumerate().filter(|(unit, _)| Some(*unit) != except).map(|(_, own)| own.0.valid.e());
        Expr::all(&valid.collect::<Vec<_>>())
    };
    m.assign(&tile.valid, &others(None));
    m.assign(data, &units[0].1.e());
    for (unit, (own, _)) in units.iter().enumerate() {
        m.assign(&own.ready, &tile.ready.e().and(&others(Some(unit))));
    }
}

/// The unit that a cell at `address` of the buffer belongs to; `None` where it is in the memories of all.
fn owner(m: &mut Module, buffer: &Buffer, name: &str, address: &Signal) -> Option<Signal> {
    let Owner { count, offset, .. } = buffer.owner?;
    let (low, bits) = buffer.unit_bits().expect("bands with units have the cells of an array in one place");
    let ty = Type::unsigned(bits);
    let residue = address.e().slice(low + bits - 1, low).resize(ty);
    let unit = match offset {
        0 => residue,
        _ => residue.add(&Expr::constant((count - offset).into(), ty), ty),
    };
    Some(m.define(&format!("{name}_unit"), &unit))
}

/// The same of a cell that is loaded, which may be for all.
fn filled(m: &mut Module, buffer: &Buffer, name: &str, address: &Signal) -> Option<Signal> {
    buffer.owner.filter(|owner| !owner.shared).and_then(|_| owner(m, buffer, name, address))
}

/// Whether it is this one.
fn is(owner: &Option<Signal>, unit: i64) -> Expr {
    match owner {
        None => Expr::bit(true),
        Some(owner) => owner.e().eq(&Expr::constant(unit.into(), owner.ty())),
    }
}

/// A fill for every unit, and whether it wants the unit's port: of the cells that belong to it, or of all where all units have them.
pub fn fills(m: &mut Module, context: &Context, buffer: &Buffer, fill: &Fill) -> Vec<(Fill, Signal)> {
    let name = format!("fill_{}", context.array(buffer.array).name);
    let owner = filled(m, buffer, &name, &fill.address);
    let streams: Vec<Stream> =
        (0..buffer.units).map(|unit| Stream::wires(m, &format!("{}{name}", of_unit(buffer.units, unit)))).collect();
    let ready: Vec<Expr> =
        (0..).zip(&streams).map(|(unit, stream)| is(&owner, unit).not().or(&stream.ready.e())).collect();
    let mut all = vec![];
    for (unit, stream) in streams.into_iter().enumerate() {
        let own = is(&owner, unit as i64);
        // All that take it do so in one cycle.
        let others = ready.iter().enumerate().filter(|(other, _)| *other != unit).map(|(_, ready)| ready.clone());
        let taken = Expr::all(&others.collect::<Vec<_>>());
        m.assign(&stream.valid, &Expr::all(&[fill.stream.valid.e(), own.clone(), taken]));
        let name = format!("{}{name}", of_unit(buffer.units, unit as i64));
        let asks = fill.asks.as_ref().map(|asks| m.define(&format!("{name}_asks"), &asks.e().and(&own)));
        let wants = m.define(&format!("{name}_wants"), &fill.stream.valid.e().and(&own));
        let fill = Fill {
            array: fill.array,
            stream,
            address: fill.address.clone(),
            beat: fill.beat,
            data: fill.data.clone(),
            elements: fill.elements.clone(),
            asks,
        };
        all.push((fill, wants));
    }
    m.assign(&fill.stream.ready, &Expr::all(&ready));
    all
}

/// The same of what is drained: a word comes from the unit that it belongs to.
pub fn drains(m: &mut Module, context: &Context, buffer: &Buffer, drain: &Drain) -> Vec<Drain> {
    let name = format!("drain_{}", context.array(buffer.array).name);
    let owner = owner(m, buffer, &name, &drain.address);
    // A word comes a cycle behind its address, or two.
    let cycles = if drain.drained.is_late(buffer) { 2 } else { 1 };
    let late = owner.as_ref().map(|owner| {
        (0..cycles).fold(owner.clone(), |owner, cycle| {
            let register = m.reg(&format!("{name}_unit_{cycle}"), owner.ty());
            m.clocked("", vec![], vec![assign(&register, &owner.e())]);
            register
        })
    });
    let mut all = vec![];
    for unit in 0..buffer.units {
        let name = format!("{}{name}", of_unit(buffer.units, unit));
        let valid = m.define(&format!("{name}_valid"), &drain.valid.e().and(&is(&owner, unit)));
        let data = m.wire(&format!("{name}_data"), drain.data.ty());
        all.push(Drain {
            array: drain.array,
            drained: Drained::of(context, drain.array),
            valid,
            asks: drain.asks.clone(),
            address: drain.address.clone(),
            data,
        });
    }
    let (first, others) = all.split_first().expect("there are several units");
    let chosen = others
        .iter()
        .enumerate()
        .fold(first.data.e(), |word, (place, own)| is(&late, place as i64 + 1).select(&own.data.e(), &word));
    m.assign(&drain.data, &chosen);
    all
}

/// Whether an iteration begins that writes the array, of the unit that the cell belongs to which fills its buffer.
pub fn takes(m: &mut Module, buffer: &Buffer, fill: Option<&Fill>, own: &[&Signal], all: &Signal) {
    let owner = fill.and_then(|fill| filled(m, buffer, &format!("{}_of", all.name()), &fill.address));
    let each = own.iter().enumerate().map(|(unit, takes)| takes.e().and(&is(&owner, unit as i64)));
    m.assign(all, &Expr::any(&each.collect::<Vec<_>>()));
}
