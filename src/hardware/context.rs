//! What every process of the accelerator knows: sizes, tile indices, arrays, and the types of their signals.

use crate::affine::Affine;
use crate::hardware::link::{Bus, Link};
use crate::hardware::scope::Scope;
use crate::hardware::tile_bounds::{self, TileBound};
use crate::offload::{Buffer, Mapping, Offload};
use crate::rtl::{Expr, Module, Signal, Type};
use crate::source::kernel::{Array, Kernel, ScalarType};

/// A name with the closed interval of its value; its signal's type follows from the interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranged {
    pub name: String,
    pub range: (i64, i64),
}

impl Ranged {
    pub fn new(name: impl Into<String>, range: (i64, i64)) -> Self {
        Ranged { name: name.into(), range }
    }

    pub fn ty(&self) -> Type {
        Type::for_range(self.range.0, self.range.1)
    }
}

/// Widths of the memory port.
#[derive(Clone, Copy, Debug)]
pub struct PortWidths {
    /// Bits of a word address.
    pub address: u32,
    /// Bits of a burst length in words.
    pub length: u32,
}

impl PortWidths {
    /// Bits of a byte address.
    pub fn byte_address(self) -> u32 {
        self.address + 2
    }
}

/// The kernel as the hardware sees it.
pub struct Context<'a> {
    pub kernel: &'a Kernel,
    pub parameters: Vec<Ranged>,
    /// The band of a tile, where there are several.
    pub band: Option<Ranged>,
    /// The indices of a tile, `T0`, `T1`, …, as many as the widest band has; those of a narrower band are 0 from its
    /// last on.
    pub tile: Vec<Ranged>,
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
        let parameters =
            kernel.parameters.iter().map(|p| Ranged::new(&p.name, (p.min, p.max.unwrap_or(p.min)))).collect();
        let bands = offload.bands.len() as i64;
        let band = (bands > 1).then(|| Ranged::new("band", (0, bands - 1)));
        let dimensions = offload.bands.iter().map(|b| b.tiling.sizes.len()).max().unwrap_or(0);
        let tile = (0..dimensions).map(|d| Ranged::new(format!("T{d}"), tile_range(offload, d))).collect();
        let port = PortWidths { address: link.address_width(), length: 1 };
        let mut context = Context { kernel, parameters, band, tile, tile_bounds: vec![], port, link, bus: link.bus() };
        context.tile_bounds = tile_bounds::shared(&context, offload);
        let longest =
            offload.buffers.iter().map(|b| longest_row(b) * (kernel.arrays[b.array].element.bytes() as i64)).max();
        // A byte range of that many bytes touches at most one word more than it fills.
        let words = (longest.unwrap_or(0) + 3) / 4 + 1;
        Context { port: PortWidths { length: Type::for_range(0, words).width, ..context.port }, ..context }
    }

    /// Inputs `arg_<name>` for the size parameters, bound in a new scope.
    pub fn parameter_inputs(&self, module: &mut Module) -> Scope {
        let mut scope = Scope::default();
        for parameter in &self.parameters {
            let input = module.input(&format!("arg_{}", parameter.name), parameter.ty());
            module.waive_unused(&input);
            scope.bind(&parameter.name, &input, parameter.range);
        }
        scope
    }

    /// Inputs `arg_<name>` for the scalar arguments.
    pub fn scalar_inputs(&self, module: &mut Module) -> Vec<Expr> {
        let input = |s: &crate::source::kernel::Scalar| {
            let input = module.input(&format!("arg_{}", s.name), rtl_type(s.ty));
            module.waive_unused(&input);
            Expr::from(&input)
        };
        self.kernel.scalars.iter().map(input).collect()
    }

    /// What tells one tile from another, its band and its indices, and the bounds that come with it.
    pub fn tile_fields(&self) -> impl Iterator<Item = &Ranged> {
        self.band.iter().chain(&self.tile).chain(self.tile_bounds.iter().map(|b| &b.field))
    }

    /// The wide word in which a tile travels between processes: its fields, then its end mark in bit 0.
    pub fn tile_width(&self) -> u32 {
        self.tile_fields().map(|t| t.ty().width).sum::<u32>() + 1
    }

    /// The terms of `affine` in tile indices, without a constant.
    pub fn tile_part(&self, affine: &Affine) -> Affine {
        let is_tile = |name: &str| self.tile.iter().any(|t| t.name == name);
        let terms = affine.terms.iter().filter(|(name, _)| is_tile(name));
        Affine { terms: terms.map(|(name, &c)| (name.clone(), c)).collect(), constant: 0 }
    }

    /// Parameters of the controller or bus master behind the port.
    pub fn controller_parameters(&self) -> Vec<(&'static str, i128)> {
        let widths = [("ADDRESS_WIDTH", self.port.address.into()), ("LENGTH_WIDTH", self.port.length.into())];
        widths.into_iter().chain(self.link.parameters()).collect()
    }

    pub fn array(&self, array: usize) -> &'a Array {
        &self.kernel.arrays[array]
    }
}

/// The longest row of a transfer, in elements: its cells are in the buffer at the same time and differ in the last
/// subscript only, so they are at most as many as that subscript has residues.
pub fn longest_row(buffer: &Buffer) -> i64 {
    let last = |mapping: &Mapping| mapping.moduli.last().copied();
    buffer.mappings.iter().flatten().filter_map(last).max().unwrap_or(1)
}

pub fn rtl_type(ty: ScalarType) -> Type {
    Type { width: ty.bits, signed: ty.signed }
}

/// The union of what tile index `dimension` takes over all bands.
fn tile_range(offload: &Offload, dimension: usize) -> (i64, i64) {
    let ranges = offload.tiles.pieces.iter().map(|p| p.levels.get(dimension).map_or((0, 0), |l| l.range));
    ranges.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).unwrap_or((0, 0))
}

/// A ready/valid stream seen from inside a module.
#[derive(Clone)]
pub struct Stream {
    pub valid: Signal,
    pub ready: Signal,
}

impl Stream {
    /// A stream into the module: `s_<group>_valid`, `s_<group>_ready`.
    pub fn slave(module: &mut Module, group: &str) -> Stream {
        Stream {
            valid: module.input(&format!("s_{group}_valid"), Type::BIT),
            ready: module.output(&format!("s_{group}_ready"), Type::BIT),
        }
    }

    /// A stream out of the module: `m_<group>_valid`, `m_<group>_ready`.
    pub fn master(module: &mut Module, group: &str) -> Stream {
        Stream {
            valid: module.output(&format!("m_{group}_valid"), Type::BIT),
            ready: module.input(&format!("m_{group}_ready"), Type::BIT),
        }
    }

    /// Two wires that join instances.
    pub fn wires(module: &mut Module, name: &str) -> Stream {
        Stream {
            valid: module.wire(&format!("{name}_valid"), Type::BIT),
            ready: module.wire(&format!("{name}_ready"), Type::BIT),
        }
    }

    /// A word moves in this cycle.
    pub fn fires(&self) -> Expr {
        self.valid.e().and(&self.ready.e())
    }
}
