//! The operators that statements may have in common: where each is, and the circuits of those that are shared.

use std::sync::Arc;

use super::{Datapath, Value, table};
use crate::hardware::datapath::divide;
use crate::hardware::datapath::float::Cell;
use crate::hardware::datapath::plan::{Operand, REGISTERS_PER_ALUT, Use};
use crate::operators::{LOOKUP, product_latency};
use crate::rtl::{Expr as Rtl, Module, Signal, Type};
use crate::source::kernel::Table;

/// An operator that takes operands in every cycle. Equal ones are alike in everything but their operands.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Operator {
    /// Of floating-point numbers, or a division of integers.
    Cell(Cell),
    /// The product of factors of these types, in the last type.
    Product([Type; 2], Type),
    /// A table of constants.
    Lookup(Arc<Table>),
}

impl Operator {
    /// Cycles from the operands to the results.
    pub fn latency(&self) -> u32 {
        match self {
            Operator::Cell(cell) => cell.latency,
            Operator::Product(_, ty) => product_latency(ty.width),
            Operator::Lookup(_) => LOOKUP,
        }
    }

    /// What it does, as the name of its wires.
    fn name(&self) -> &str {
        match self {
            Operator::Cell(cell) => cell.module,
            Operator::Product(..) => "product",
            Operator::Lookup(table) => &table.name,
        }
    }

    /// About what it costs in ALUTs, with registers and multipliers counted by what a device has of them: the cells as
    /// Yosys maps them to Cyclone V, for `float` and `double`. `constants` are the operands that never change.
    pub fn cost(&self, constants: &[Option<i128>]) -> i64 {
        /// Of a multiplier of 18 x 18 bits.
        const MULTIPLIER: i64 = 200;
        let cell = match self {
            Operator::Cell(cell) => cell,
            Operator::Product([a, b], ty) => {
                let digits = |width: u32| i64::from(width.min(ty.width).div_ceil(18));
                return MULTIPLIER
                    * (digits(a.width) * digits(b.width)).min(digits(ty.width) * (digits(ty.width) + 1) / 2);
            }
            // A bit of block RAM for a hundredth of what it would be in look-up tables.
            Operator::Lookup(table) => return i64::from(table.element.bits) + table.bits() as i64 / 64,
        };
        let is_double = cell.is_double();
        let of = |aluts: [i64; 2], registers: [i64; 2]| {
            let index = usize::from(is_double);
            aluts[index] + registers[index] / REGISTERS_PER_ALUT
        };
        match cell.module {
            "fp_add" => of([440, 925], [395, 874]),
            "fp_multiply" => {
                // The significand of a power of two has no other digit than the hidden one.
                let fraction = (1i128 << if is_double { 52 } else { 23 }) - 1;
                let shifts = constants.iter().flatten().any(|c| c & fraction == 0);
                let multipliers = if is_double { 9 } else { 4 };
                of([321, 1006], [578, 1308]) + if shifts { 0 } else { MULTIPLIER * multipliers }
            }
            // By 1/8, in the middle of what powers take.
            "fp_scale" => of([119, 225], [67, 131]),
            // A row of a subtractor and a multiplexer per bit: 1,531 and 2,738 for 32.
            "divide_pipelined" => {
                let bits = i64::from(cell.bits());
                bits * bits * 3 / 2 + bits * bits * 27 / 10 / REGISTERS_PER_ALUT
            }
            "fp_divide" => of([1707, 6961], [2280, 8847]),
            "fp_sqrt" => of([1502, 6434], [1430, 6122]),
            "fp_compare" => of([75, 149], [2, 2]),
            "fp_from_int" => of([251, 284], [145, 180]),
            "fp_to_int" => of([213, 233], [108, 108]),
            "fp_widen" => of([122, 122], [73, 73]),
            _ => of([181, 181], [264, 264]),
        }
    }

    /// Wires for the results.
    fn outputs(&self, m: &mut Module) -> Vec<Signal> {
        match self {
            Operator::Cell(cell) => cell.outputs(m),
            Operator::Product(_, ty) => {
                let wire = m.wire(self.name(), *ty);
                vec![wire]
            }
            Operator::Lookup(table) => vec![table::output(m, table)],
        }
    }
}

/// What is built when all statements are known.
#[derive(Default)]
pub struct Shared {
    /// By number of the cell in the plan.
    cells: Vec<Option<SharedCell>>,
    dividers: Vec<Divider>,
}

struct SharedCell {
    operator: Operator,
    stage: u32,
    outputs: Vec<Signal>,
    /// The statements that use it, each with its operands.
    users: Vec<(usize, Vec<Value>)>,
}

/// A serial divider. One instance that divides is under way at a time, whatever it writes, so every statement finds it free.
struct Divider {
    operand: Type,
    outputs: [Signal; 2],
    /// The statements that use it, each with what starts it and its operands.
    users: Vec<(usize, Rtl, [Rtl; 2])>,
}

impl Shared {
    /// Whether a cell is what the plan means. Lanes that are not like lane 0, as some operand is constant there, have an operator
    /// of their own where it is not.
    fn takes(&self, cell: usize, operator: &Operator, stage: u32) -> bool {
        let known = self.cells.get(cell).and_then(Option::as_ref);
        known.is_none_or(|known| (&known.operator, known.stage) == (operator, stage))
    }
}

impl Datapath {
    /// The results of an operator for operands that wait for the latest of them, and their stage. Equal operators of a
    /// statement with equal operands are one. Operands that never change count as those of stage 1, so that the results
    /// are there in time.
    pub fn operator(&mut self, m: &mut Module, operator: Operator, values: Vec<Value>) -> (Vec<Rtl>, u32) {
        let key = (operator.clone(), values.iter().map(|v| (v.expr.clone(), v.stage)).collect::<Vec<_>>());
        let place = match self.lane.number {
            None => self.plan.place(self.present, self.pipelines[self.present].uses.len()),
            Some(lane) => self.plan.in_lane(self.present, self.lane.known.len(), lane),
        };
        let earliest = values.iter().filter_map(|v| v.stage).max().unwrap_or(1);
        let stage = earliest.max(place.stage);
        // What a lane before has made from the same operands does if it is there in time for what this lane's is planned for.
        let is_new = self.lane.number.is_some() && !self.lane.known.contains(&key);
        let known = self.pipelines[self.present].results.get(&key);
        if let Some(known) = known.filter(|(_, end)| !is_new || *end <= stage + operator.latency()).cloned() {
            if is_new {
                self.lane.known.insert(key);
            }
            return known;
        }
        if is_new {
            self.lane.known.insert(key.clone());
        }
        let operand = |v: &Value| Operand { bits: v.expr.width(), stage: v.stage, constant: v.expr.as_constant() };
        let operands = values.iter().map(operand).collect();
        self.pipeline().uses.push(Use { operator: operator.clone(), operands, stage });
        let ends = stage + operator.latency();
        let results: Vec<Rtl> = match place.cell.filter(|cell| self.shared.takes(*cell, &operator, stage)) {
            None => {
                let operands: Vec<Rtl> = values.iter().map(|v| self.at(m, v, stage)).collect();
                match &operator {
                    Operator::Cell(cell) => {
                        let outputs = cell.outputs(m);
                        cell.instance(m, &operands, &outputs);
                        outputs.iter().map(|o| o.e()).collect()
                    }
                    Operator::Product(_, ty) => {
                        let product = self.registered_product(m, &operands, Some(stage), *ty);
                        assert_eq!(product.stage, Some(ends), "internal error: a product of another latency");
                        vec![product.expr]
                    }
                    Operator::Lookup(table) => {
                        let output = table::output(m, table);
                        table::instance(m, &self.kernel, table, &operands[0], &output);
                        vec![output.e()]
                    }
                }
            }
            Some(number) => {
                let present = self.present;
                let cells = &mut self.shared.cells;
                if cells.len() <= number {
                    cells.resize_with(number + 1, || None);
                }
                let cell = cells[number].get_or_insert_with(|| {
                    let outputs = operator.outputs(m);
                    SharedCell { operator, stage, outputs, users: vec![] }
                });
                cell.users.push((present, values));
                cell.outputs.iter().map(|o| o.e()).collect()
            }
        };
        self.pipeline().results.insert(key, (results.clone(), ends));
        (results, ends)
    }

    /// Quotient and remainder of a serial divider of the present statement, whose operands are there in `stage`.
    pub fn serial_division(&mut self, m: &mut Module, operand: Type, operands: [Rtl; 2], stage: u32) -> [Signal; 2] {
        let present = self.present;
        let start = self.valid_in(m, stage);
        self.pipeline().divisions += 1;
        let dividers = &mut self.shared.dividers;
        let is_free = |d: &Divider| d.operand == operand && d.users.iter().all(|(user, ..)| *user != present);
        let place = dividers.iter().position(is_free).unwrap_or_else(|| {
            dividers.push(Divider { operand, outputs: divide::serial_outputs(m, operand), users: vec![] });
            dividers.len() - 1
        });
        dividers[place].users.push((present, start, operands));
        dividers[place].outputs.clone()
    }

    /// Builds what statements share, and the dividers.
    pub(super) fn build_shared(&mut self, m: &mut Module) {
        let Shared { cells, dividers } = std::mem::take(&mut self.shared);
        for Divider { operand, outputs, users } in dividers {
            if users.len() > 1 {
                m.comment(&format!("{} divide one at a time.", self.names(users.iter().map(|(user, ..)| *user))));
            }
            let starts: Vec<Rtl> = users.iter().map(|(_, start, _)| start.clone()).collect();
            let ((_, _, last), others) = users.split_last().expect("a statement divides");
            let chosen = [0, 1].map(|index| {
                let other =
                    |other: Rtl, (_, start, operands): &(usize, Rtl, [Rtl; 2])| start.select(&operands[index], &other);
                others.iter().rev().fold(last[index].clone(), other).resize(operand)
            });
            divide::serial_instance(m, Rtl::any(&starts), chosen, &outputs);
        }
        for cell in cells.into_iter().flatten() {
            let users = self.names(cell.users.iter().map(|(user, _)| *user));
            m.comment(&format!("The {} of {users} with operands in stage {}.", cell.operator.name(), cell.stage));
            let operands = (0..cell.users[0].1.len()).map(|index| self.choose(m, &cell, index)).collect::<Vec<_>>();
            match &cell.operator {
                Operator::Cell(float) => float.instance(m, &operands, &cell.outputs),
                Operator::Product(_, ty) => {
                    let product = self.registered_product(m, &operands, Some(cell.stage), *ty);
                    m.assign(&cell.outputs[0], &product.expr);
                }
                Operator::Lookup(table) => table::instance(m, &self.kernel, table, &operands[0], &cell.outputs[0]),
            }
        }
    }

    /// Operand `index` of a shared cell: that of the statement whose instance is in the cell's stage.
    fn choose(&mut self, m: &mut Module, cell: &SharedCell, index: usize) -> Rtl {
        let values: Vec<(usize, &Value)> = cell.users.iter().map(|(user, values)| (*user, &values[index])).collect();
        // The multiplexer comes as soon as all could be there, so that operands wait once for all statements. The one
        // instance that divides keeps its operands in a register without that.
        let any_divides = values.iter().any(|(user, _)| self.pipelines[*user].divisions > 0);
        let there = values.iter().filter_map(|(_, value)| value.stage).max();
        let stage = there.filter(|_| !any_divides).unwrap_or(cell.stage);
        // Equal operands are one, so that whole chains of operators are shared without a multiplexer in between.
        let mut groups: Vec<(Rtl, Vec<usize>)> = vec![];
        for (user, value) in values {
            self.resume(user);
            let mut expr = self.at(m, value, stage);
            if let Operator::Cell(_) = cell.operator {
                expr = expr.resize(Type::unsigned(expr.width()));
            }
            match groups.iter_mut().find(|(other, _)| *other == expr) {
                Some((_, users)) => users.push(user),
                None => groups.push((expr, vec![user])),
            }
        }
        groups.sort_by_key(|(_, users)| users.len());
        let (last, _) = groups.pop().expect("a shared cell has users");
        if groups.is_empty() {
            return self.at(m, &Value { expr: last, stage: there.map(|_| stage) }, cell.stage);
        }
        // Whose operand it is is found a stage before, so that the multiplexer begins at a register.
        let before = stage.saturating_sub(1).max(1);
        let number = self.number_in(m, before);
        let mut chosen = last;
        for (expr, users) in groups.iter().rev() {
            let is_user = |user: &usize| number.eq(&Rtl::constant(*user as i128, number.ty()));
            let uses = Rtl::any(&users.iter().map(is_user).collect::<Vec<_>>());
            chosen = self.delay(m, "uses", before, &uses, stage).select(expr, &chosen);
        }
        let port = match &cell.operator {
            Operator::Cell(float) => float.inputs[index].trim_start_matches("s_"),
            Operator::Product(..) => ["left", "right"][index],
            Operator::Lookup(_) => "index",
        };
        let chosen = m.define(&format!("{}_{port}", cell.operator.name()), &chosen);
        self.at(m, &Value { expr: chosen.e(), stage: Some(stage) }, cell.stage)
    }

    /// `S0, S1 and S3`.
    fn names(&self, statements: impl Iterator<Item = usize>) -> String {
        let names: Vec<&str> = statements.map(|s| self.pipelines[s].name.as_str()).collect();
        match names.split_last() {
            Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
            _ => names.concat(),
        }
    }
}
