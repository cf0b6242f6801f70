//! What every process of the accelerator knows: sizes, tile indices, arrays, and the types of their signals.

use crate::hardware::circuit::ranged::{Ranged, rtl_type};
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::{Affine, Var, over_sizes};
use crate::hardware::interface::link::{Bus, Link};
use crate::hardware::tile::Names;
use crate::hardware::tile::bounds::{self, TileBound};
use crate::ids::ArrayId;
use crate::layout::Layout;
use crate::offload::{Buffer, Mapping, Offload};
use crate::rtl::{Expr, Module, Type};
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

/// The kernel as the hardware sees it.
pub struct Context<'a> {
    pub offload: &'a Offload,
    pub kernel: &'a Kernel,
    pub names: Names,
    /// The band of a tile, where there are several.
    pub band: Option<Ranged>,
    /// What travels with a tile because several processes need it.
    pub tile_bounds: Vec<TileBound>,
    pub port: PortWidths,
    /// What is behind the port.
    pub link: Link,
    /// The bus, if that is one: loads and stores then go to memory apart.
    pub bus: Option<Bus>,
}

impl<'a> Context<'a> {
    pub fn new(offload: &'a Offload, link: Link) -> Self {
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
        let longest =
            offload.buffers.iter().map(|b| longest_row(b) * (kernel.arrays[b.array].element.bytes() as i64)).max();
        let word = link.word();
        // A byte range of that many bytes touches at most one word more than it fills.
        let words = word.holding(longest.unwrap_or(0) as u64) + 1;
        let port = PortWidths { word, address: link.address_width(), length: Type::for_range(0, words as i64).width };
        Context { offload, kernel, names, band, tile_bounds, port, link, bus: link.bus() }
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

    /// Inputs `arg_<name>` for the scalar arguments.
    pub fn scalar_inputs(&self, module: &mut Module) -> Vec<Expr> {
        let input = |s: &crate::source::kernel::Scalar| {
            let input = module.input(&format!("arg_{}", s.name), rtl_type(s.ty));
            Expr::from(&input)
        };
        self.kernel.scalars.iter().map(input).collect()
    }

    /// What tells one tile from another, its band and its indices, and the bounds that come with it.
    pub fn tile_fields(&self) -> impl Iterator<Item = &Ranged> {
        self.band.iter().chain(&self.names.tile).chain(self.tile_bounds.iter().map(|b| &b.field))
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
        widths.into_iter().chain(self.link.parameters()).collect()
    }

    pub fn array(&self, array: ArrayId) -> &'a Array {
        &self.kernel.arrays[array]
    }

    /// Where its cells lie in memory.
    pub fn layout(&self, array: ArrayId) -> Layout<Affine> {
        self.array(array).layout().map(over_sizes)
    }
}

/// The longest row of a transfer, in elements: its cells are in the buffer at the same time and differ in the last
/// subscript only, so they are at most as many as that subscript has residues.
pub fn longest_row(buffer: &Buffer) -> i64 {
    let last = |mapping: &Mapping| mapping.moduli.last().copied();
    buffer.mappings.iter().flatten().filter_map(last).max().unwrap_or(1)
}

/// The union of what tile index `dimension` takes over all bands.
fn tile_range(offload: &Offload, dimension: usize) -> (i64, i64) {
    let ranges = offload.tiles.pieces.iter().map(|p| p.levels.get(dimension).map_or((0, 0), |l| l.range));
    ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
}
