//! A kernel with sizes in place of its large constants, for isl's scheduler.
//!
//! What comes out is a guess: every schedule is checked against the dependences of the kernel itself.

use std::collections::BTreeMap;

use anyhow::Result;

use super::trees;
use crate::affine::{Affine, fresh};
use crate::diagnostic::Diagnostic;
use crate::polyhedral::isl::Exhausted;
use crate::polyhedral::isl::schedule::Tree;
use crate::polyhedral::{self, Program};
use crate::source::kernel::{Kernel, Node, ScalarType, SizeParameter};

/// Constants from here on become sizes; smaller ones are the widths of stencils and filters.
const LARGE: i64 = 16;
/// A constant that is so close to an extent is that extent and a small number: `79` is `80 - 1`.
const CLOSE: i64 = 4;

pub struct Generic {
    kernel: Kernel,
    /// The sizes, with the constants that they stand for.
    constants: BTreeMap<String, i64>,
}

/// `None` where there is no large constant in a bound or extent.
pub fn generic(kernel: &Kernel) -> Option<Generic> {
    let mut values: Vec<i64> = kernel.arrays.iter().flat_map(|a| &a.extents).map(|e| e.constant).collect();
    values.retain(|value| *value >= LARGE);
    values.sort_unstable();
    // Of close values the smallest is the size: rows with a border are its own and a bit.
    let mut sizes: Vec<i64> = vec![];
    for value in values {
        if sizes.last().is_none_or(|last| value - last > CLOSE) {
            sizes.push(value);
        }
    }
    if sizes.is_empty() {
        return None;
    }
    let mut kernel = kernel.clone();
    let mut constants = BTreeMap::new();
    let taken: Vec<String> = kernel.iterators().into_iter().flatten().collect();
    for (number, size) in sizes.iter().enumerate() {
        let is_taken = |name: &String| taken.contains(name) || kernel.parameters.iter().any(|p| p.name == *name);
        let name = fresh(format!("extent_{number}"), is_taken);
        kernel.parameters.push(SizeParameter {
            name: name.clone(),
            boolean: false,
            ty: ScalarType::I32,
            default: None,
            min: 0,
            max: Some(*size),
            is_assumed: false,
            span: Default::default(),
        });
        constants.insert(name, *size);
    }
    let replace = |affine: &mut Affine| {
        let near = constants.iter().map(|(name, size)| (name, affine.constant - size));
        if let Some((name, rest)) = near.filter(|(_, rest)| rest.abs() <= CLOSE).min_by_key(|(_, rest)| rest.abs()) {
            affine.constant = rest;
            affine.add_term(name, 1);
        }
    };
    kernel.arrays.iter_mut().flat_map(|array| &mut array.extents).for_each(replace);
    bounds(&mut kernel.body, &replace);
    Some(Generic { kernel, constants })
}

fn bounds(nodes: &mut [Node], replace: &dyn Fn(&mut Affine)) {
    for node in nodes {
        match node {
            Node::Loop(inner) => {
                inner.upper.iter_mut().chain(&mut inner.lower).for_each(replace);
                bounds(&mut inner.body, replace);
            }
            Node::If(inner) => bounds(&mut inner.body, replace),
            Node::Statement(_) => {}
        }
    }
}

impl Generic {
    /// isl's schedule trees for it, with the constants in place again; those of `program` itself where the kernel has no
    /// meaning with other sizes.
    pub fn trees(&self, program: &Program) -> Result<Vec<Tree>> {
        let generic = match polyhedral::extract(&self.kernel) {
            Ok(generic) => generic,
            Err(error) if error.is::<Diagnostic>() || error.is::<Exhausted>() => return trees(program),
            Err(error) => return Err(error),
        };
        Ok(trees(&generic)?.into_iter().map(|tree| self.with_constants(tree)).collect())
    }

    fn with_constants(&self, tree: Tree) -> Tree {
        let value = |name: &str| match self.constants.get(name) {
            Some(value) => Affine::constant(*value),
            None => Affine::variable(name),
        };
        match tree {
            Tree::Leaf => Tree::Leaf,
            Tree::Band { permutable, members, child } => Tree::Band {
                permutable,
                members: members
                    .into_iter()
                    .map(|(name, rows)| (name, rows.iter().map(|row| row.substitute(value)).collect()))
                    .collect(),
                child: Box::new(self.with_constants(*child)),
            },
            Tree::Sequence(children) => {
                Tree::Sequence(children.into_iter().map(|(names, child)| (names, self.with_constants(child))).collect())
            }
        }
    }
}
