//! The statement instance that a walker holds: the affine expressions of the source over the registers of a row.

use crate::affine;
use crate::hardware::circuit::scope::Scope;
use crate::hardware::circuit::variable::{Affine, Bound, Var};
use crate::hardware::context::Context;
use crate::hardware::walk::rows::RowFormat;
use crate::hardware::walk::walker::Walker;
use crate::ids::{BandId, ByKind, KindId, StatementId};
use crate::rtl::{Expr, Module, Type};
use crate::source::kernel::{self, Condition};

/// Rows of one kind: instances of one statement of one band, whose iterators follow from the row in one way.
pub struct InstanceKind {
    pub statement: StatementId,
    pub band: BandId,
    /// The registers of the row, the sizes, and the quotients that the statement uses.
    pub scope: Scope,
    iterators: Vec<String>,
    /// Those in scope.
    quotients: Vec<String>,
    point: Vec<Affine>,
    /// The slack of every mask of a statement in lanes.
    pub slacks: Vec<Affine>,
}

impl InstanceKind {
    /// An affine expression over iterators, sizes and quotients, rewritten over the scope.
    pub fn affine(&self, affine: &affine::Affine) -> Affine {
        let is_quotient = |name: &str| self.quotients.iter().any(|quotient| quotient == name);
        affine.substitute(|name| match self.iterators.iter().position(|i| i == name) {
            Some(index) => self.point[index].clone(),
            None if is_quotient(name) => Affine::variable(Var::Quotient(name.to_string())),
            None => Affine::variable(Var::Size(name.to_string())),
        })
    }

    /// Adds the circuit of a quotient.
    fn bind(&mut self, m: &mut Module, quotient: &kernel::Quotient) {
        let (name, divisor) = (&quotient.name, quotient.divisor);
        let mut bound = Bound { numerator: self.affine(&quotient.numerator), divisor };
        let (low, high) = self.scope.range(&bound.numerator);
        if quotient.truncates
            && let Some(nonnegative) = self.scope.nonnegative(&bound.numerator)
        {
            // Rounded up where it is negative.
            let addend = Type::for_range(0, divisor - 1);
            let up = nonnegative.select(&Expr::constant(0, addend), &Expr::constant((divisor - 1).into(), addend));
            let rounding = Var::Rounding(name.clone());
            self.scope.bind(&rounding, m.define(&rounding.signal(), &up), (0, divisor - 1));
            bound.numerator.add_term(&rounding, 1);
        }
        let value = m.define(name, &self.scope.floor_divide(&bound));
        self.scope.bind(&Var::Quotient(name.clone()), &value, (quotient.of(low), quotient.of(high)));
        self.quotients.push(name.clone());
    }

    /// Whether `condition` holds.
    pub fn holds(&self, condition: &Condition) -> Expr {
        let parts = |parts: &[Condition]| parts.iter().map(|part| self.holds(part)).collect::<Vec<_>>();
        match condition {
            Condition::NonNegative(value) => {
                self.scope.nonnegative(&self.affine(value)).unwrap_or_else(|| Expr::bit(true))
            }
            Condition::Zero(value) => {
                let value = self.scope.affine(&self.affine(value));
                value.eq(&Expr::constant(0, value.ty()))
            }
            Condition::All(all) => parts(all).into_iter().fold(Expr::bit(true), |all, part| all.and(&part)),
            Condition::Any(any) => parts(any).into_iter().fold(Expr::bit(false), |any, part| any.or(&part)),
            Condition::Not(part) => self.holds(part).not(),
        }
    }

    pub fn affines(&self, affines: &[affine::Affine]) -> Vec<Affine> {
        affines.iter().map(|a| self.affine(a)).collect()
    }
}

/// All kinds of instances that a walker may hold.
pub struct Instances<'a> {
    format: &'a RowFormat,
    kind: Expr,
    kinds: ByKind<InstanceKind>,
    /// Indices of the statements that have instances, in textual order.
    pub statements: Vec<StatementId>,
}

impl<'a> Instances<'a> {
    /// Adds the circuits of the quotients to `m`; `sizes` has the size parameters.
    pub fn new(context: &Context, m: &mut Module, format: &'a RowFormat, walker: &Walker, sizes: &Scope) -> Self {
        let row = format.scope(sizes, &walker.outer(), &walker.index.e());
        Instances::over(context, m, format, walker.kind(), row)
    }

    /// The same of the instance whose kind is `kind`, with the registers of `row`.
    pub fn over(context: &Context, m: &mut Module, format: &'a RowFormat, chosen: Expr, row: Scope) -> Self {
        let kernel = context.kernel;
        let (all, iterators) = (kernel.statements(), kernel.iterators());
        let mut kinds = ByKind::new();
        for kind in &format.kinds {
            let mut instance = InstanceKind {
                statement: kind.leaf.statement(),
                band: kind.band,
                scope: row.clone(),
                iterators: iterators[kind.leaf.statement()].clone(),
                quotients: vec![],
                point: kind.point.clone(),
                slacks: kind.slacks.clone(),
            };
            let used = used_names(all[kind.leaf.statement()]);
            for quotient in needed_quotients(&kernel.quotients, used) {
                instance.bind(m, quotient);
            }
            kinds.push(instance);
        }
        let mut statements: Vec<StatementId> = kinds.iter().map(|k| k.statement).collect();
        statements.sort_unstable();
        statements.dedup();
        Instances { format, kind: chosen, kinds, statements }
    }

    pub fn kinds(&self) -> impl Iterator<Item = (KindId, &InstanceKind)> {
        self.kinds.iter_enumerated()
    }

    /// The kinds of a statement's instances.
    pub fn kinds_of(&self, statement: StatementId) -> impl Iterator<Item = &InstanceKind> {
        self.kinds.iter().filter(move |kind| kind.statement == statement)
    }

    /// The value for the instance at hand, of one of `statements`.
    pub fn choose(&self, statements: &[StatementId], value: impl Fn(&InstanceKind) -> Expr) -> Expr {
        let chosen = self.kinds.iter_enumerated().filter(|(_, k)| statements.contains(&k.statement));
        self.format.by_kind(&self.kind, chosen.map(|(index, kind)| (index, value(kind))))
    }

    /// The value for the row at hand, of whichever kind.
    pub fn by_kind(&self, value: impl Fn(KindId, &InstanceKind) -> Expr) -> Expr {
        self.format
            .by_kind(&self.kind, self.kinds.iter_enumerated().map(|(kind, instance)| (kind, value(kind, instance))))
    }

    /// The value for the row at hand, which counts where that is of one of `kinds`.
    pub fn of_kinds(&self, kinds: &[KindId], value: impl Fn(KindId, &InstanceKind) -> Expr) -> Expr {
        let chosen = self.kinds.iter_enumerated().filter(|(kind, _)| kinds.contains(kind));
        self.format.by_kind(&self.kind, chosen.map(|(kind, instance)| (kind, value(kind, instance))))
    }

    /// The type of a statement's number among those that have instances.
    pub fn number_type(&self) -> Type {
        Type::for_range(0, (self.statements.len() as i64 - 1).max(1))
    }

    /// The number, among those that have instances, of the statement at hand.
    pub fn number(&self) -> Expr {
        self.choose(&self.statements, |kind| self.number_of(kind.statement))
    }

    /// The number of a statement among those that have instances.
    pub fn number_of(&self, statement: StatementId) -> Expr {
        let number = self.statements.iter().position(|s| *s == statement).expect("a statement with instances");
        Expr::constant(number as i128, self.number_type())
    }

    /// Whether `number`, absent where there is one statement only, is that of one of `statements`.
    pub fn is_one_of(&self, number: Option<&Expr>, statements: &[StatementId]) -> Expr {
        let Some(number) = number else { return Expr::bit(!statements.is_empty()) };
        if self.statements.iter().all(|s| statements.contains(s)) {
            return Expr::bit(true);
        }
        Expr::any(&statements.iter().map(|&s| number.eq(&self.number_of(s))).collect::<Vec<_>>())
    }
}

/// The names in the subscripts and index values of a statement.
fn used_names(statement: &kernel::Statement) -> Vec<String> {
    fn collect(expr: &kernel::Expr, names: &mut Vec<String>) {
        match expr {
            kernel::Expr::Read { access, .. } => {
                let guard = access.guard.iter().flat_map(|guard| guard.affines());
                names.extend(access.subscripts.iter().chain(guard).flat_map(|s| s.terms.keys().cloned()));
            }
            kernel::Expr::Index { value, .. } => names.extend(value.terms.keys().cloned()),
            _ => expr.operands().into_iter().for_each(|operand| collect(operand, names)),
        }
    }
    let targets = statement.targets().flat_map(|target| &target.subscripts);
    let mut names: Vec<String> = targets.flat_map(|s| s.terms.keys().cloned()).collect();
    statement.values().for_each(|value| collect(value, &mut names));
    names
}

/// The quotients among `names`, and those that their numerators name, in the order of the kernel.
fn needed_quotients(quotients: &[kernel::Quotient], mut names: Vec<String>) -> Vec<&kernel::Quotient> {
    let mut needed = vec![];
    // A numerator names earlier quotients only.
    for quotient in quotients.iter().rev() {
        if names.contains(&quotient.name) {
            names.extend(quotient.numerator.terms.keys().cloned());
            needed.push(quotient);
        }
    }
    needed.reverse();
    needed
}
