//! What the names in the kernel stand for, place by place.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use lang_c::ast::{FunctionDefinition, TranslationUnit};
use lang_c::span::Node;

use super::function::identifier;
use super::kernel::{self, Array, Condition, Expr, HostStep, Obligation, Quotient, ScalarType};
use super::map::SourceMap;
use super::obligations::Around;
use super::table::Table;
use super::types::{Types, constants, enumerations, functions};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::{ArrayId, ByArray};
use crate::suggest;

pub type Checked<T> = Result<T, Diagnostic>;

#[derive(Clone, Debug, PartialEq)]
pub enum Name {
    /// The counter of an enclosing loop. Its value is affine in the iterators of the kernel's loops.
    Iterator(Affine, ScalarType),
    Parameter(ScalarType),
    /// Index into `Kernel::scalars`.
    Scalar(usize, ScalarType),
    /// Index into `Kernel::arrays`; a local scalar is an array without extents.
    Array(ArrayId),
    /// Stands for an expression: enumerators, constants, locals that never change, arguments of inlined functions.
    Value(Expr),
    /// An array of constants.
    Table(Table),
    /// A local integer that counts loops, but none around this place.
    Counter(ScalarType),
    /// A local integer that is never given a value.
    Unset,
    /// A local integer whose value the text does not tell at this place.
    Unknown,
}

/// A loop around the place that is being read, as the kernel has it.
#[derive(Clone, Debug)]
pub struct Enclosing {
    pub iterator: String,
    /// Its type, where the user knows it.
    pub ty: Option<ScalarType>,
    /// Its type is without sign, so it is never below 0.
    pub is_unsigned: bool,
    pub lower: Vec<Affine>,
    pub upper: Vec<Affine>,
}

#[derive(Clone)]
pub struct Scope<'a> {
    pub map: &'a SourceMap<'a>,
    pub types: &'a Types,
    pub arrays: ByArray<Array>,
    pub quotients: Vec<Quotient>,
    /// How many scalar arguments there are; `Expr::Scalar` counts the steps of `host` on from there.
    pub scalar_arguments: usize,
    /// What sizes may be.
    pub sizes: HashMap<String, (i64, i64)>,
    pub host: Vec<HostStep>,
    /// The loops around this place, outermost first.
    pub loops: Vec<Enclosing>,
    pub obligations: Vec<Obligation>,
    pub around: Around,
    /// The conditions of `?:`, `&&` and `||` around this place.
    pub guards: Vec<Condition>,
    /// The condition of a `?:` that keeps the expression which was refused last from being affine.
    pub choice: Option<Expr>,
    /// The local variable without a value that was read last, by its place among the local names, and where.
    pub unset: Cell<Option<(usize, Span)>>,
    /// Conditions of `?:` around this place with the side that is read here, see [`super::choice`].
    pub chosen: Vec<(Expr, bool)>,
    /// Values that lie within their types: the iterators of the loops around this place.
    pub exact: Vec<(Affine, ScalarType)>,
    /// What the values of local variables that became affine expressions were made under.
    pub definitions: HashMap<(Affine, ScalarType), Vec<Obligation>>,
    /// Functions that may be called.
    pub functions: HashMap<&'a str, &'a Node<FunctionDefinition>>,
    /// The functions that are being inlined, outermost first, and the place of the outermost call.
    pub calls: Vec<&'a str>,
    pub call_span: Option<Span>,
    /// How many calls have been inlined since that one.
    pub inlined: usize,
    /// The contents of tables.
    pub tables: Vec<Arc<kernel::Table>>,
    /// Arrays that C has in one dimension.
    pub flattened: super::flat::Flattened,
    /// Values that counters have behind their loops are looked for.
    pub behind: bool,
    /// The file's enumerators and constants.
    globals: HashMap<String, Name>,
    /// The kernel's arguments.
    arguments: HashMap<String, Name>,
    /// Local declarations, innermost last.
    locals: Vec<(String, Name)>,
    /// Names of the kernel's text and those made up.
    taken: HashSet<String>,
    /// Names of arguments, loops and local memory.
    given: HashSet<String>,
}

impl<'a> Scope<'a> {
    /// Knows the file's enumerators, constants and functions only. No name that it makes up is among `taken`, the names
    /// of the kernel's text; `given` are those of its arguments and loops.
    pub fn new(
        map: &'a SourceMap<'a>,
        types: &'a Types,
        unit: &'a TranslationUnit,
        taken: HashSet<String>,
        given: HashSet<String>,
    ) -> Self {
        let mut scope = Scope {
            map,
            types,
            arrays: ByArray::new(),
            quotients: vec![],
            scalar_arguments: 0,
            sizes: HashMap::new(),
            host: vec![],
            loops: vec![],
            obligations: vec![],
            around: Around::default(),
            guards: vec![],
            choice: None,
            unset: Cell::new(None),
            chosen: vec![],
            exact: vec![],
            definitions: HashMap::new(),
            functions: HashMap::new(),
            calls: vec![],
            call_span: None,
            inlined: 0,
            tables: vec![],
            flattened: Default::default(),
            behind: false,
            globals: HashMap::new(),
            arguments: HashMap::new(),
            locals: vec![],
            taken,
            given,
        };
        for function in functions(unit) {
            if let Some(name) = identifier(&function.node.declarator.node) {
                scope.functions.insert(&name.node.name, function);
            }
        }
        for enumeration in enumerations(unit) {
            let mut next = Some(0i64);
            for enumerator in enumeration {
                if let Some(expression) = &enumerator.node.expression {
                    next = match scope.expression(expression) {
                        Ok(Expr::Constant { value, .. }) => Some(value),
                        _ => None,
                    };
                }
                let Some(value) = next else { continue };
                if i32::try_from(value).is_ok() {
                    let value = Expr::Constant { value, ty: ScalarType::I32 };
                    scope.globals.insert(enumerator.node.identifier.node.name.clone(), Name::Value(value));
                }
                next = value.checked_add(1);
            }
        }
        for (name, ty, value) in constants(unit, types) {
            if let Ok(value @ Expr::Constant { .. }) = scope.converted(value, &ty) {
                scope.globals.insert(name.to_string(), Name::Value(value));
            }
        }
        scope.declare_tables(unit);
        scope
    }

    /// A table of the file.
    pub fn declare_global(&mut self, meaning: Name) {
        if let Name::Table(table) = &meaning {
            self.globals.insert(table.name.clone(), meaning);
        }
    }

    pub fn lookup(&self, name: &str) -> Option<Name> {
        let local = self.locals.iter().rev().find(|(known, _)| known == name);
        let argument = || self.arguments.get(name).filter(|_| self.calls.is_empty());
        local.map(|(_, meaning)| meaning).or_else(argument).or_else(|| self.globals.get(name)).cloned()
    }

    /// `base`, or `base_1`, `base_2`, …: a name that nothing else has.
    pub fn fresh(&mut self, base: &str) -> String {
        let mut name = base.to_string();
        let mut number = 0;
        while !self.taken.insert(name.clone()) {
            number += 1;
            name = format!("{base}_{number}");
        }
        name
    }

    /// Whether the file has the name, or some other that was made up.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// `name`, or a variant of it where something else of the kernel has it already.
    pub fn own(&mut self, name: &str) -> String {
        if !self.given.insert(name.to_string()) {
            return self.fresh(name);
        }
        // Names that no text has are taken from here on.
        self.taken.insert(name.to_string());
        name.to_string()
    }

    /// `numerator / divisor`, rounded towards zero if it `truncates`, otherwise down: a quotient's name, or what needs
    /// none.
    pub fn quotient(&mut self, numerator: Affine, divisor: i64, truncates: bool, span: Span) -> Affine {
        let gcd = numerator.terms.values().chain([&numerator.constant]).fold(divisor, |gcd, c| greatest(gcd, *c));
        let divided = |c: i64| c / gcd;
        let terms = numerator.terms.into_iter().map(|(name, c)| (name, divided(c))).collect();
        let numerator = Affine { terms, constant: divided(numerator.constant) };
        let divisor = divided(divisor);
        if divisor == 1 {
            return numerator;
        }
        let truncates = truncates && !self.non_negative(&numerator);
        let mut quotient = Quotient { name: String::new(), numerator, divisor, truncates, span };
        if quotient.numerator.is_constant() {
            return Affine::constant(quotient.of(quotient.numerator.constant));
        }
        let same = |q: &&Quotient| {
            (&q.numerator, q.divisor, q.truncates) == (&quotient.numerator, quotient.divisor, quotient.truncates)
        };
        let name = match self.quotients.iter().find(same) {
            Some(known) => known.name.clone(),
            None => {
                let names: Vec<&str> = quotient.numerator.terms.keys().map(String::as_str).collect();
                quotient.name = self.fresh(&format!("{}_div_{divisor}", names.join("_")));
                self.quotients.push(quotient);
                self.quotients[self.quotients.len() - 1].name.clone()
            }
        };
        Affine::variable(name)
    }

    pub fn is_quotient(&self, name: &str) -> bool {
        self.quotients.iter().any(|quotient| quotient.name == name)
    }

    /// Whether the value is at least 0 for all sizes in every iteration, as far as the bounds show it.
    pub fn non_negative(&self, value: &Affine) -> bool {
        // Inside a loop, its last value is not below its first.
        let ranges = self.loops.iter().flat_map(|l| l.upper.iter().zip(l.lower.iter().cycle()));
        let mut without = ranges.map(|(last, first)| value.clone() - (last.clone() - first.clone()));
        self.shown_non_negative(value, &self.loops) || without.any(|rest| self.shown_non_negative(&rest, &self.loops))
    }

    /// Whether bounds of `loops` put in for their iterators make a sum of sizes and quotients that is at least 0.
    fn shown_non_negative(&self, value: &Affine, loops: &[Enclosing]) -> bool {
        let Some((inner, outer)) = loops.split_last() else {
            let quotient = |name: &String| self.quotients.iter().find(|quotient| quotient.name == *name);
            let is_non_negative =
                |name| quotient(name).is_none_or(|q| self.shown_non_negative(&q.numerator, &self.loops));
            return value.constant >= 0 && value.terms.iter().all(|(name, c)| *c > 0 && is_non_negative(name));
        };
        let c = value.coefficient(&inner.iterator);
        if c == 0 {
            return self.shown_non_negative(value, outer);
        }
        let zero = Affine::default();
        let bounds = if c < 0 { &inner.upper } else { &inner.lower };
        let least = (c > 0 && inner.is_unsigned).then_some(&zero);
        bounds.iter().take(2).chain(least).any(|bound| {
            let of = |name: &str| if name == inner.iterator { bound.clone() } else { Affine::variable(name) };
            self.shown_non_negative(&value.substitute(of), outer)
        })
    }

    /// An argument of the kernel.
    pub fn define(&mut self, name: &str, meaning: Name) {
        self.arguments.insert(name.to_string(), meaning);
    }

    /// What an argument of the kernel is, wherever one is.
    pub fn argument(&self, name: &str) -> Option<&Name> {
        self.arguments.get(name)
    }

    /// Whether it is one of the kernel's sizes, wherever one is.
    pub fn is_size(&self, name: &str) -> bool {
        matches!(self.arguments.get(name), Some(Name::Parameter(_)))
    }

    /// A declaration inside the function; [`Scope::leave`] ends it.
    pub fn declare(&mut self, name: &str, meaning: Name) {
        self.locals.push((name.to_string(), meaning));
    }

    pub fn enter(&self) -> usize {
        self.locals.len()
    }

    /// Ends what was declared since [`Scope::enter`] gave `mark`.
    pub fn leave(&mut self, mark: usize) {
        self.locals.truncate(mark);
    }

    /// Hides all local declarations, as a function's body does those of its caller. [`Scope::unhide`] takes them back.
    pub fn hide(&mut self) -> Vec<(String, Name)> {
        std::mem::take(&mut self.locals)
    }

    pub fn unhide(&mut self, locals: Vec<(String, Name)>) {
        self.locals = locals;
    }

    /// The array that is the local scalar `name`.
    pub fn local_scalar(&self, name: &str) -> Option<ArrayId> {
        match self.lookup(name) {
            Some(Name::Array(array)) if self.arrays[array].extents.is_empty() => Some(array),
            _ => None,
        }
    }

    /// The place of a local name, for [`Scope::assign_local`].
    pub fn local_index(&self, name: &str) -> Option<usize> {
        self.locals.iter().rposition(|(known, _)| known == name)
    }

    /// What the local name at a place stands for.
    pub fn local_at(&self, place: usize) -> Name {
        self.locals[place].1.clone()
    }

    pub fn assign_local(&mut self, place: usize, meaning: Name) {
        self.locals[place].1 = meaning;
    }

    /// The place in the user's file; inside an inlined function, that of the call.
    pub fn span(&self, bytes: lang_c::span::Span) -> Span {
        self.call_span.unwrap_or_else(|| self.map.span(bytes))
    }
}

/// The greatest common divisor.
fn greatest(a: i64, b: i64) -> i64 {
    if b == 0 { a.abs() } else { greatest(b, a % b) }
}

/// Characters of the longest name: those of modules, files and signals are made of two and more.
const LONGEST_NAME: usize = 80;

/// Refuses a name that a file system could not carry. Any other will do: isl never reads one, the analysis makes its own
/// beside it ([`super::kernel::Kernel::tile_names`]), and those of Verilog are made legal where it is printed.
pub fn check_name(name: &str, span: Span) -> Checked<()> {
    if name.len() <= LONGEST_NAME {
        return Ok(());
    }
    let beginning: String = name.chars().take(20).collect();
    Err(Diagnostic::new(format!(
        "the name `{beginning}…` has {} characters, more than {LONGEST_NAME}: modules and files are called by it",
        name.len()
    ))
    .at(span, "too long")
    .help("shorten it"))
}

/// The one of `known` that `word` was probably meant to be: [`suggest::nearest`], if they share a letter.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    suggest::nearest(word, known)
        .filter(|near| near.chars().any(|c| word.to_lowercase().contains(c.to_ascii_lowercase())))
}
