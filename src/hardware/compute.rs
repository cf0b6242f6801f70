//! The compute process: walks the iterations of a tile, one per cycle, reading and writing the buffers.

use anyhow::Result;

use crate::affine::Affine;
use crate::hardware::buffers;
use crate::hardware::cells;
use crate::hardware::context::{Context, Stream, rtl_type};
use crate::hardware::datapath::{Datapath, Leaves, Value};
use crate::hardware::load::buffer_of;
use crate::hardware::scanner::{RowPorts, closed_rows, scanner};
use crate::hardware::scope::Scope;
use crate::hardware::walker::Walker;
use crate::offload::Offload;
use crate::rtl::{Expr as Rtl, Module, Signal, Statement, Type, assign, when};
use crate::source::kernel::{Access, IntType, Kernel, Statement as Assignment};

/// What the accelerator must connect: every read has a copy of its buffer to itself.
pub struct ComputePorts {
    /// `(array, copy)`: ports `m_read_<array>_<copy>_address` and, one cycle later, `s_read_<array>_<copy>_data`.
    pub reads: Vec<(usize, usize)>,
    /// The array with ports `m_write_<array>_valid`, `_address`, `_data`.
    pub write: usize,
}

/// Rows that the scanner may be ahead of the pipeline.
const ROWS_AHEAD: i128 = 4;

/// The stage in which a buffer's word arrives: 1 holds the addresses, 2 the words.
const READ_STAGE: u32 = 2;

/// The one statement of a perfect nest.
pub fn statement(kernel: &Kernel) -> &Assignment {
    kernel.statements().into_iter().next().expect("the analysis refuses a kernel without statement")
}

/// The leaves of the statement inside a tile: words of the buffers, and indices.
struct BufferLeaves<'a> {
    reads: Vec<(&'a Access, Signal)>,
    scalars: Vec<Rtl>,
    /// Indices as affine expressions of the scan, evaluated at the walker.
    point: &'a dyn Fn(&Affine) -> Affine,
    at_walker: Scope,
    /// Loads of stage 1.
    candidate: Vec<Statement>,
}

impl Leaves for BufferLeaves<'_> {
    fn read(&mut self, _: &mut Module, access: &Access) -> Value {
        let of = |(a, _): &&(&Access, Signal)| (a.array, &a.subscripts) == (access.array, &access.subscripts);
        let (_, data) = self.reads.iter().find(of).expect("every reference has a port");
        Value { expr: data.e(), stage: Some(READ_STAGE) }
    }

    fn scalar(&self, scalar: usize) -> Rtl {
        self.scalars[scalar].clone()
    }

    fn index(&mut self, m: &mut Module, value: &Affine, ty: IntType) -> Value {
        let value = self.at_walker.affine(&(self.point)(value)).resize(rtl_type(ty));
        let register = m.reg("index", value.ty());
        m.waive_unused(&register);
        self.candidate.push(assign(&register, &value));
        Value { expr: register.e(), stage: Some(1) }
    }
}

/// The modules of the compute process: the scanner of its rows, and the process.
pub fn compute(context: &Context, offload: &Offload) -> Result<(Vec<Module>, ComputePorts)> {
    let kernel = context.kernel;
    let statement = statement(kernel);
    let about = format!(
        "Walks the iterations of a tile in the order {}.\n{}: {}",
        offload.band().compute.order,
        statement.name,
        statement.text
    );
    let scans = [closed_rows(context, &offload.band().compute.scan)];
    let (rows_module, format) = scanner(context, &format!("{}_compute_rows", kernel.name), &about, true, &scans);

    let mut m = Module::new(&format!("{}_compute", kernel.name));
    m.describe(&format!(
        "Compute process of {}, line {}: {}\n\
         One iteration per cycle on the buffers. Tile T starts when Load(T) and Store(T-2) are done.",
        kernel.name, statement.span.line, statement.text
    ));
    m.input("clk", Type::BIT);
    m.input("rst", Type::BIT);
    let scope = context.parameter_inputs(&mut m);
    let scalars = context.scalar_inputs(&mut m);

    m.comment("Tiles in from the load process, and on to the store process once they are computed.");
    let tile = Stream::slave(&mut m, "tile");
    let tile_data = m.input("s_tile_data", Type::unsigned(context.tile_width()));
    let computed = Stream::master(&mut m, "tile");
    let computed_data = m.output("m_tile_data", Type::unsigned(context.tile_width()));
    let stored = m.input("s_stored", Type::BIT);
    let ahead = m.reg("tiles_ahead_of_store", Type::unsigned(2));
    let may_start = m.wire("may_start", Type::BIT);
    m.assign(&may_start, &ahead.e().lt(&Rtl::constant(2, ahead.ty())));
    let scan_tile = Stream::wires(&mut m, "scan_tile");
    let wait_tile = Stream::wires(&mut m, "wait_tile");
    m.assign(&tile.ready, &may_start.e().and(&scan_tile.ready.e()).and(&wait_tile.ready.e()));
    m.assign(&scan_tile.valid, &tile.valid.e().and(&may_start.e()).and(&wait_tile.ready.e()));
    m.assign(&wait_tile.valid, &tile.valid.e().and(&may_start.e()).and(&scan_tile.ready.e()));
    cells::up_down(&mut m, &ahead, &tile.fires(), &stored.e());

    let rows = Stream::wires(&mut m, "row");
    let row_wires = RowPorts::declare(&mut m, &format, "row_", false);
    cells::connect_scanner(context, &mut m, &rows_module, (&scan_tile, Some(&tile_data)), &rows, &row_wires);
    m.comment("Rows wait here, so that the next one is ready when the present one ends.");
    let waiting = Stream::wires(&mut m, "waiting");
    let packed = format.pack(&row_wires.row(&format));
    let waiting_row = cells::fifo(&mut m, "u_rows", ROWS_AHEAD, (&rows, &packed), &waiting, "waiting_row");
    let waiting_row = format.unpack(&waiting_row);

    m.comment("Stage 0: the iteration.");
    let walker = Walker::declare(&mut m, &format, "iteration");
    let at_walker = format.scope(&scope, &walker.outer(), &walker.index.e());
    let visited = &format.kinds.first().expect("a kernel has iterations").point;
    anyhow::ensure!(format.kinds.len() == 1, "the iterations of a tile have several shapes");
    let iterators = kernel.iterators().remove(0);
    let point = |affine: &Affine| at_point(affine, &iterators, visited);

    m.comment("Stage 1: its addresses.");
    let candidate = m.reg("candidate", Type::BIT);
    let candidate_end = m.reg("candidate_end", Type::BIT);
    let mut loads: Vec<Statement> = vec![];
    let mut reads = vec![];
    let mut ports = vec![];
    let mut read_addresses = vec![];
    for access in statement.references() {
        let name = &context.array(access.array).name;
        let copy = ports.iter().filter(|(array, _)| *array == access.array).count();
        let buffer = buffer_of(offload, access.array);
        let address = m.output_reg(&format!("m_read_{name}_{copy}_address"), buffers::address_type(buffer));
        let subscripts: Vec<Affine> = access.subscripts.iter().map(&point).collect();
        loads.push(assign(&address, &buffers::address(buffer, &subscripts, &at_walker)));
        let data = m.input(&format!("s_read_{name}_{copy}_data"), rtl_type(context.array(access.array).element));
        m.waive_unused(&data);
        reads.push((access, data));
        read_addresses.push((access.array, address));
        ports.push((access.array, copy));
    }
    let target = statement.target.array;
    let buffer = buffer_of(offload, target);
    let target_name = &context.array(target).name;
    let write_address = m.reg("write_address_1", buffers::address_type(buffer));
    let subscripts: Vec<Affine> = statement.target.subscripts.iter().map(&point).collect();
    loads.push(assign(&write_address, &buffers::address(buffer, &subscripts, &at_walker)));

    m.comment(&format!("The datapath of {}: {}", statement.name, statement.text));
    let mut leaves = BufferLeaves { reads, scalars, point: &point, at_walker: at_walker.clone(), candidate: vec![] };
    let mut datapath = Datapath::new(statement.span);
    let value = datapath.evaluate(&mut m, &statement.value, &mut leaves)?;
    // The write comes at the earliest one stage behind the addresses.
    let write_stage = value.stage.unwrap_or(READ_STAGE).max(READ_STAGE);
    let data = datapath.at(&mut m, &value, write_stage);
    loads.extend(leaves.candidate);

    m.comment("Which iterations are under way, stage by stage.");
    let fire = m.wire("fire", Type::BIT);
    let (mut valid, mut end, mut address) = (fire.e(), candidate_end.e(), write_address.e());
    let mut shift = vec![];
    let mut resets = vec![];
    let mut pending = vec![];
    for stage in READ_STAGE..=write_stage {
        let valid_reg = m.reg(&format!("valid_{stage}"), Type::BIT);
        let end_reg = m.reg(&format!("end_{stage}"), Type::BIT);
        let address_reg = m.reg(&format!("write_address_{stage}"), address.ty());
        shift.extend([assign(&valid_reg, &valid), assign(&end_reg, &end), assign(&address_reg, &address)]);
        resets.extend([(valid_reg.clone(), 0), (end_reg.clone(), 0)]);
        pending.push((valid_reg.e(), address_reg.e()));
        (valid, end, address) = (valid_reg.e(), end_reg.e(), address_reg.e());
    }
    m.clocked("", resets, shift);
    let write_valid = m.output(&format!("m_write_{target_name}_valid"), Type::BIT);
    let write_to = m.output(&format!("m_write_{target_name}_address"), address.ty());
    let write_data =
        m.output(&format!("m_write_{target_name}_data"), Type::unsigned(context.array(target).element.bits));
    m.assign(&write_valid, &valid);
    m.assign(&write_to, &address);
    m.assign(&write_data, &data.resize(write_data.ty()));

    m.comment("An iteration waits while a word it reads is still on its way to the buffer, or while a port is lent.");
    let hold = m.input("s_hold", Type::BIT);
    let conflicts = read_addresses
        .iter()
        .filter(|(array, _)| *array == target)
        .flat_map(|(_, read)| pending.iter().map(move |(valid, address)| valid.and(&read.e().eq(address))));
    let hazard = conflicts.reduce(|a, b| a.or(&b)).unwrap_or_else(|| Rtl::bit(false));
    let hazard = m.define("hazard", &hazard);
    m.assign(&fire, &candidate.e().and(&hold.e().or(&hazard.e()).not()));
    let moves = m.wire("stage_1_moves", Type::BIT);
    m.assign(&moves, &candidate.e().not().or(&fire.e()));
    let step = m.wire("step", Type::BIT);
    m.assign(&step, &walker.has_element().and(&moves.e()));
    let end_taken = walker.has_end().and(&moves.e());
    walker.connect(&mut m, "", &waiting, &waiting_row, &step.e(), &end_taken);
    m.clocked(
        "",
        vec![(candidate.clone(), 0), (candidate_end.clone(), 0)],
        vec![
            assign(&candidate_end, &end_taken),
            when(moves.e(), vec![assign(&candidate, &step.e())]),
            when(step.e(), loads),
        ],
    );
    datapath.finish(&mut m);

    m.comment("A tile is handed over when its end mark has come through the pipeline.");
    let done = Stream::wires(&mut m, "tile_done");
    m.assign(&done.valid, &end);
    m.waive_unused(&done.ready);
    cells::hand_over(&mut m, context, (&wait_tile, &tile_data), &done, (&computed, &computed_data));
    let token = m.output("m_computed", Type::BIT);
    m.assign(&token, &end);
    let busy = m.output("busy", Type::BIT);
    m.assign(&busy, &fire.e());
    let stall = m.output("stall", Type::BIT);
    m.assign(&stall, &candidate.e().and(&fire.e().not()));
    Ok((vec![rows_module, m], ComputePorts { reads: ports, write: target }))
}

/// `affine` over iterators and sizes, rewritten over the scan's registers: iterator i is `point[i]`.
fn at_point(affine: &Affine, iterators: &[String], point: &[Affine]) -> Affine {
    affine.substitute(|name| match iterators.iter().position(|i| i == name) {
        Some(index) => point[index].clone(),
        None => Affine::variable(name),
    })
}
