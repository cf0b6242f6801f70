//! What every process of the accelerator knows: sizes, tile indices, arrays, and the types of their signals.

use std::borrow::Cow;

use crate::hardware::circuit::ranged::{Ranged, rtl_type};
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::{Affine, Var, over_sizes};
use crate::hardware::interface::link::{Bus, Link};
use crate::hardware::tile::Names;
use crate::hardware::tile::bounds::{self, TileBound};
use crate::ids::ArrayId;
use crate::layout::Layout;
use crate::offload::{Buffer, Mapping, Offload, Scan, Transfer};
use crate::rtl::{Expr, Module, Signal, Type};
use crate::source::kernel::{Array, Kernel};
use crate::word::Word;

/// Widths of the memory port.
#[derive(Clone, Copy, Debug)]
pub struct PortWidths {
    pub word: Word,
    /// Bits of a word address.
    pub address: u32,
    /// Bits of a burst length in words.
    pub length: u32,
}

impl PortWidths {
    /// Bits of a byte address.
    pub fn byte_address(self) -> u32 {
        self.address + self.word.shift()
    }
}

/// So many beats make a line worth its registers.
const BEATS_OF_A_LINE: u32 = 4;

/// What loads and stores move per cycle.
#[derive(Clone, Copy, Debug)]
pub struct Beats {
    /// Of the memory port.
    pub word: Word,
    /// Whether words, or beats of buffers, have several elements.
    pub whole: bool,
}

impl Beats {
    /// Elements one by one.
    pub const ELEMENTS: Beats = Beats { word: Word::PORT, whole: false };

    /// As wide as the buffers can make use of.
    pub fn of(offload: &Offload, link: Link) -> Beats {
        let element = |buffer: &Buffer| offload.kernel.arrays[buffer.array].element.bits;
        let all = transferred(offload).map(|buffer| side_by_side(offload, buffer) * element(buffer));
        let bits = all.max().unwrap_or(0).clamp(Word::PORT.bits(), link.widest_word().bits());
        let beats = Beats { word: Word::of_bits(bits), whole: true };
        let several = |buffer: &Buffer| beats.elements(offload, buffer) > 1;
        // No word is less than an element.
        let holds = transferred(offload).all(|buffer| element(buffer) <= bits);
        if holds && (beats.word != Word::PORT || transferred(offload).any(several)) { beats } else { Beats::ELEMENTS }
    }

    /// Elements that `buffer` takes or gives per cycle: a power of two.
    pub fn elements(self, offload: &Offload, buffer: &Buffer) -> u32 {
        let element = offload.kernel.arrays[buffer.array].element.bits;
        if self.whole { side_by_side(offload, buffer).min(self.word.bits() / element).max(1) } else { 1 }
    }

    /// Elements of a line of `buffer`, where the iterations write through the port that loads fill it through: a line takes that for one
    /// cycle, and several beats come to one. `None` where beats fill the buffer.
    pub fn filled_line(self, offload: &Offload, buffer: &Buffer) -> Option<u32> {
        let is_loaded = |t: &Transfer| t.array == buffer.array && !t.load.pieces.is_empty();
        let is_shared = offload.kernel.is_written(buffer.array) && transfers(offload).any(is_loaded);
        self.line(offload, buffer).filter(|_| is_shared)
    }

    /// The same where they read through the port that stores drain it through.
    pub fn drained_line(self, offload: &Offload, buffer: &Buffer) -> Option<u32> {
        let is_stored = |t: &Transfer| t.array == buffer.array && !t.store.pieces.is_empty();
        let is_read =
            || offload.kernel.statements().iter().any(|s| s.references().iter().any(|r| r.array == buffer.array));
        let is_shared = !buffer.store_copy && transfers(offload).any(is_stored) && is_read();
        self.line(offload, buffer).filter(|_| is_shared)
    }

    /// The neighbours in memory that lie in banks of their own, where those are several beats.
    fn line(self, offload: &Offload, buffer: &Buffer) -> Option<u32> {
        let line = side_by_side(offload, buffer);
        (!buffer.skewed && line >= BEATS_OF_A_LINE * self.elements(offload, buffer)).then_some(line)
    }

    /// Bytes that memory may fill or drain per cycle, summed over all buffers.
    pub fn bytes(self, offload: &Offload) -> u32 {
        let element = |buffer: &Buffer| offload.kernel.arrays[buffer.array].element.bytes();
        transferred(offload).map(|buffer| self.elements(offload, buffer) * element(buffer)).sum()
    }
}

/// The kernel as the hardware sees it.
pub struct Context<'a> {
    pub offload: &'a Offload,
    pub kernel: &'a Kernel,
    pub names: Names,
    /// The band of a tile, where there are several.
    pub band: Option<Ranged>,
    /// What travels with a tile because several processes need it.
    pub tile_bounds: Vec<TileBound>,
    /// The low bit of the number of a tile's strip, where strips have places of their own.
    pub strip: Option<Ranged>,
    pub port: PortWidths,
    pub beats: Beats,
    /// What is behind the port.
    pub link: Link,
    /// The bus, if that is one: loads and stores then go to memory apart.
    pub bus: Option<Bus>,
    /// The ports that words move through, by their numbers: one, but for buses of several.
    pub ports: Vec<u32>,
}

impl<'a> Context<'a> {
    /// For a memory port of 32 bits, through which elements go one by one.
    pub fn new(offload: &'a Offload, link: Link) -> Self {
        // One word at a time has no use for several.
        Context::with(offload, link, Beats::ELEMENTS, vec![0])
    }

    /// The same for the compute process of a unit: `offload` is that of [`of_unit`].
    pub fn of_unit(&self, offload: &'a Offload) -> Context<'a> {
        let mut names = self.names.clone();
        let units = self.offload.first_units();
        names.parameters.extend(units.map(|units| Ranged::new(Var::Size(units.name.clone()), (0, units.count - 1))));
        Context {
            offload,
            kernel: &offload.kernel,
            names,
            band: self.band.clone(),
            tile_bounds: self.tile_bounds.clone(),
            strip: self.strip.clone(),
            ports: self.ports.clone(),
            ..*self
        }
    }

    /// For a memory port as wide as the buffers can make use of.
    pub fn with_beats(offload: &'a Offload, link: Link) -> Self {
        Context::with(offload, link, Beats::of(offload, link), offload.ports_used())
    }

    fn with(offload: &'a Offload, link: Link, beats: Beats, ports: Vec<u32>) -> Self {
        let kernel = &offload.kernel;
        let size = |name: &String| Var::Size(name.clone());
        let parameters =
            kernel.parameters.iter().map(|p| Ranged::new(size(&p.name), (p.min, p.max.unwrap_or(p.min)))).collect();
        let bands = offload.bands.len() as i64;
        let band = (bands > 1).then(|| Ranged::new(Var::Band, (0, bands - 1)));
        let dimensions = offload.bands.iter().map(|b| b.tiling.sizes.len()).max().unwrap_or(0);
        let names = kernel.tile_names(dimensions);
        let index = |(d, name): (usize, String)| Ranged::new(Var::Tile(name), tile_range(offload, d));
        let tile = names.into_iter().enumerate().map(index).collect();
        let names = Names { parameters, tile };
        let tile_bounds = bounds::shared(&names, offload);
        let mut mappings = offload.buffers.iter().flat_map(|buffer| buffer.mappings.iter().flatten());
        let strip = mappings.any(|mapping| mapping.by_strips).then(|| Ranged::new(Var::Strip, (0, 1)));
        let longest = offload
            .buffers
            .iter()
            .map(|b| longest_burst(kernel, b) * (kernel.arrays[b.array].element.bytes() as i64))
            .max();
        let word = beats.word;
        // A byte range of that many bytes touches at most one word more than it fills.
        let words = word.holding(longest.unwrap_or(0) as u64) + 1;
        let address = link.byte_address_width() - word.shift();
        let port = PortWidths { word, address, length: Type::for_range(0, words as i64).width };
        Context { offload, kernel, names, band, tile_bounds, strip, port, beats, link, bus: link.bus(), ports }
    }

    /// Inputs `arg_<name>` for the size parameters, bound in a new scope.
    pub fn parameter_inputs(&self, module: &mut Module) -> Scope {
        let mut scope = Scope::default();
        for parameter in &self.names.parameters {
            let input = module.input(&format!("arg_{}", parameter.name()), parameter.ty());
            scope.bind(&parameter.variable, &input, parameter.range);
        }
        scope
    }

    /// Whether subscripts depend on data: they are compared with their arrays' extents.
    pub fn checks_subscripts(&self) -> bool {
        self.kernel.depends_on_data()
    }

    /// Inputs `arg_<name>` for the scalar arguments.
    pub fn scalar_inputs(&self, module: &mut Module) -> Vec<Expr> {
        let input = |s: &crate::source::kernel::Scalar| {
            let input = module.input(&format!("arg_{}", s.name), rtl_type(s.ty));
            Expr::from(&input)
        };
        self.kernel.scalars.iter().map(input).collect()
    }

    /// What tells one tile from another, its band and its indices, the bounds that come with it, and its strip's slot.
    pub fn tile_fields(&self) -> impl Iterator<Item = &Ranged> {
        let bounds = self.tile_bounds.iter().map(|b| &b.field);
        self.band.iter().chain(&self.names.tile).chain(bounds).chain(&self.strip)
    }

    /// The slot of its strip that comes with a tile.
    pub fn strip_of(&self, tile: &Signal) -> Option<Expr> {
        // The end mark is bit 0.
        self.strip.as_ref().map(|_| tile.e().index(1))
    }

    /// The wide word in which a tile travels between processes: its fields, then its end mark in bit 0.
    pub fn tile_width(&self) -> u32 {
        self.tile_fields().map(|t| t.ty().width).sum::<u32>() + 1
    }

    /// The names and widths of what [`Context::tile_width`] counts, for a word that is a tile.
    pub fn tile_layout(&self) -> impl Iterator<Item = (String, u32)> {
        self.tile_fields().map(|field| (field.name(), field.ty().width)).chain([("end".to_string(), 1)])
    }

    /// Parameters of the controller or bus master behind the port.
    pub fn controller_parameters(&self) -> Vec<(&'static str, i128)> {
        let widths = [("ADDRESS_WIDTH", self.port.address.into()), ("LENGTH_WIDTH", self.port.length.into())];
        widths.into_iter().chain(self.link.parameters(self.port.word)).collect()
    }

    /// Of [`Context::ports`] those with a load process: where there is nothing to load, the first has one, which hands tiles on.
    pub fn loading(&self) -> Vec<u32> {
        let loading = self.moving(|transfer| &transfer.load);
        if loading.is_empty() { vec![self.ports[0]] } else { loading }
    }

    /// Those with a store process.
    pub fn storing(&self) -> Vec<u32> {
        self.moving(|transfer| &transfer.store)
    }

    fn moving(&self, scan: impl Fn(&Transfer) -> &Scan) -> Vec<u32> {
        let transfers = || self.offload.bands.iter().flat_map(|band| &band.transfers);
        let moves = |port: u32| transfers().any(|t| self.offload.port(t.array) == port && !scan(t).pieces.is_empty());
        self.ports.iter().copied().filter(|&port| moves(port)).collect()
    }

    pub fn array(&self, array: ArrayId) -> &'a Array {
        &self.kernel.arrays[array]
    }

    /// The port that has the address of its first cell.
    pub fn base_name(&self, array: ArrayId) -> String {
        format!("base_{}", self.array(self.kernel.memory_of(array)).name)
    }

    /// Where its cells lie in memory.
    pub fn layout(&self, array: ArrayId) -> Layout<Affine> {
        self.array(array).layout().map(over_sizes)
    }
}

/// What the compute process of one unit walks, which the names of its context have the number of.
pub fn of_unit(offload: &Offload) -> Cow<'_, Offload> {
    if offload.units() == 1 {
        return Cow::Borrowed(offload);
    }
    let mut own = offload.clone();
    for compute in own.bands.iter_mut().map(|band| &mut band.compute) {
        compute.scan = compute.units.as_ref().map_or_else(|| compute.scan.clone(), |units| units.scan.clone());
    }
    Cow::Owned(own)
}

/// The buffers that memory fills or that are drained into it.
fn transferred(offload: &Offload) -> impl Iterator<Item = &Buffer> {
    let moves = |array: ArrayId| transfers(offload).any(|t| t.array == array);
    offload.buffers.iter().filter(move |buffer| moves(buffer.array))
}

fn transfers(offload: &Offload) -> impl Iterator<Item = &Transfer> {
    offload.bands.iter().flat_map(|band| &band.transfers)
}

/// How many neighbours in memory lie in banks of their own: a power of two.
fn side_by_side(offload: &Offload, buffer: &Buffer) -> u32 {
    let innermost = offload.kernel.arrays[buffer.array].layout().innermost();
    // Rows run along the buffer's last subscript.
    let last = buffer.common_mapping().and_then(|mapping| mapping.moduli.len().checked_sub(1));
    let along = |subscript: usize| Some(subscript) == innermost && Some(subscript) == last;
    buffer.bank_axes().into_iter().find(|banks| along(banks.subscript)).map_or(1, |banks| banks.count as u32)
}

/// The longest row of a transfer, in elements: its cells are in the buffer at the same time and differ in the last
/// subscript only, so they are at most as many as that subscript has residues.
pub fn longest_row(buffer: &Buffer) -> i64 {
    let last = |mapping: &Mapping| mapping.moduli.last().copied();
    buffer.mappings.iter().flatten().filter_map(last).max().unwrap_or(1)
}

/// The elements of the longest burst: a row, or full rows of a slice ([`Layout::slices`]) that follow on each other, all of which
/// are in the buffer at the same time.
pub fn longest_burst(kernel: &Kernel, buffer: &Buffer) -> i64 {
    let is_cut = kernel.arrays[buffer.array].layout().slices().is_some();
    let words = buffer.mappings.iter().flatten().map(Mapping::words).max().filter(|_| is_cut);
    longest_row(buffer).max(words.unwrap_or(0))
}

/// The union of what tile index `dimension` takes over all bands.
fn tile_range(offload: &Offload, dimension: usize) -> (i64, i64) {
    let ranges = offload.tiles.pieces.iter().map(|p| p.levels.get(dimension).map_or((0, 0), |l| l.range));
    ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
}
