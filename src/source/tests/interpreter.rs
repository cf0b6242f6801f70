//! Runs a kernel as it is represented, in the order of the text.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};

use crate::affine::Affine;
use crate::ids::ArrayId;
use crate::source::evaluate::{evaluate, wrap};
use crate::source::kernel::{Access, Condition, Expr, HostValue, Kernel, Node, Statement, Storage};

/// A cell of local memory: the array, the iterations of the loops around its declaration, the subscripts.
type Cell = (ArrayId, Vec<i64>, Vec<i64>);

/// What local memory holds before it is written, in some type.
const UNDEFINED: i64 = 85;

pub struct Interpreter<'k> {
    kernel: &'k Kernel,
    scalars: Vec<i64>,
    /// Sizes and iterators.
    values: RefCell<BTreeMap<String, i64>>,
    /// The argument arrays, row-major.
    arguments: RefCell<Vec<Vec<i64>>>,
    locals: RefCell<HashMap<Cell, i64>>,
}

/// The argument arrays after `kernel` has run. Panics where it leaves an array, reads local memory that was never
/// written, or breaks a promise of the representation.
pub fn run(kernel: &Kernel, sizes: BTreeMap<String, i64>, scalars: Vec<i64>, arrays: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    let mut interpreter = Interpreter {
        kernel,
        scalars,
        values: RefCell::new(sizes),
        arguments: RefCell::new(arrays),
        locals: RefCell::default(),
    };
    interpreter.scalars.extend(interpreter.registers());
    interpreter.nodes(&kernel.body);
    interpreter.arguments.into_inner()
}

impl Interpreter<'_> {
    /// What the host computes for registers.
    fn registers(&self) -> Vec<i64> {
        let mut known = self.scalars.clone();
        for step in &self.kernel.host {
            let HostValue::Expression(value) = &step.value else { panic!("`{}` calls a function", step.name) };
            let no_array = &mut |_: &Access| panic!("the host reads an array");
            known.push(evaluate(value, no_array, &|scalar| known[scalar], &|name| self.value(name)));
        }
        let steps = self.kernel.host.iter().zip(&known[self.scalars.len()..]);
        steps.filter(|(step, _)| step.scalar.is_some()).map(|(_, value)| *value).collect()
    }

    fn value(&self, name: &str) -> i64 {
        if let Some(value) = self.values.borrow().get(name) {
            return *value;
        }
        let quotient = self.kernel.quotients.iter().find(|quotient| quotient.name == name);
        let quotient = quotient.unwrap_or_else(|| panic!("`{name}` has no value here"));
        let numerator = self.affine(&quotient.numerator);
        assert!(quotient.divisor >= 2, "{numerator} / {}", quotient.divisor);
        quotient.of(numerator)
    }

    fn affine(&self, affine: &Affine) -> i64 {
        affine.evaluate(|name| self.value(name))
    }

    fn holds(&self, condition: &Condition) -> bool {
        match condition {
            Condition::NonNegative(value) => self.affine(value) >= 0,
            Condition::Zero(value) => self.affine(value) == 0,
            Condition::All(all) => all.iter().all(|condition| self.holds(condition)),
            Condition::Any(any) => any.iter().any(|condition| self.holds(condition)),
            Condition::Not(inner) => !self.holds(inner),
        }
    }

    fn nodes(&self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Statement(statement) => self.statement(statement),
                Node::If(inner) => {
                    if self.holds(&inner.condition) {
                        self.nodes(&inner.body);
                    }
                }
                Node::Loop(l) => {
                    let first = l.lower.iter().map(|bound| self.affine(bound)).max().expect("a lower bound");
                    let last = l.upper.iter().map(|bound| self.affine(bound)).min().expect("an upper bound");
                    for i in first..=last {
                        assert_eq!(wrap(i, l.ty), i, "`{}` does not hold its value", l.iterator);
                        let hidden = self.values.borrow_mut().insert(l.iterator.clone(), i);
                        assert_eq!(hidden, None, "`{}` is taken", l.iterator);
                        self.nodes(&l.body);
                        self.values.borrow_mut().remove(&l.iterator);
                    }
                }
            }
        }
    }

    /// The element's place among the arguments, or in local memory.
    fn cell(&self, access: &Access) -> Result<(usize, usize), Cell> {
        let array = &self.kernel.arrays[access.array];
        assert_eq!(access.subscripts.len(), array.extents.len(), "{}", array.name);
        let subscripts: Vec<i64> = access.subscripts.iter().map(|subscript| self.affine(subscript)).collect();
        let mut place = 0;
        for (subscript, extent) in subscripts.iter().zip(&array.extents) {
            let extent = self.affine(extent);
            assert!((0..extent).contains(subscript), "{}[{subscript}] of {extent}", array.name);
            place = place * extent + subscript;
        }
        match &array.storage {
            Storage::Argument => Ok((access.array.0, place as usize)),
            Storage::Local { declared_in, .. } => {
                Err((access.array, declared_in.iter().map(|name| self.value(name)).collect(), subscripts))
            }
        }
    }

    fn statement(&self, statement: &Statement) {
        let read = &mut |access: &Access| match self.cell(access) {
            Ok((array, place)) => self.arguments.borrow()[array][place],
            // What data keep from being written for the first time stays as it is: nobody may look at it.
            Err(cell)
                if (access.array, &access.subscripts) == (statement.target.array, &statement.target.subscripts) =>
            {
                self.locals.borrow().get(&cell).copied().unwrap_or(UNDEFINED)
            }
            Err(cell) => *self.locals.borrow().get(&cell).expect("local memory is written before it is read"),
        };
        let mut told = |value: &Expr| evaluate(value, read, &|scalar| self.scalars[scalar], &|name| self.value(name));
        // Nothing of the value is looked at where nothing is written.
        if matches!(&statement.value, Expr::Scatter { only_if: Some(only_if), .. } if told(only_if) == 0) {
            return;
        }
        let value = told(&statement.value);
        let target = match &statement.value {
            Expr::Scatter { place, .. } => {
                let subscripts = place.subscripts.iter().map(|subscript| Affine::constant(told(subscript))).collect();
                Access { array: place.array, subscripts, guard: None, span: place.span }
            }
            _ => statement.target.clone(),
        };
        let element = self.kernel.arrays[statement.target.array].element;
        assert_eq!(statement.value.ty(), element, "{}", statement.text);
        assert_eq!(value, wrap(value, element), "not normalised: {}", statement.text);
        match self.cell(&target) {
            Ok((array, place)) => self.arguments.borrow_mut()[array][place] = value,
            Err(cell) => drop(self.locals.borrow_mut().insert(cell, value)),
        }
    }
}
