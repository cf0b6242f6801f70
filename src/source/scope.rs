//! What the names in the kernel stand for, place by place.

use std::collections::HashMap;

use lang_c::ast::TranslationUnit;

use super::kernel::{Array, Expr, IntType};
use super::map::SourceMap;
use super::types::{Types, enumerations};
use crate::diagnostic::{Diagnostic, Span};
use crate::suggest;

pub type Checked<T> = Result<T, Diagnostic>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Name {
    /// Of an enclosing loop.
    Iterator(IntType),
    Parameter(IntType),
    /// Index into `Kernel::scalars`.
    Scalar(usize, IntType),
    /// Index into `Kernel::arrays`.
    Array(usize),
    Enumerator(i64),
    /// A local integer that is no iterator at this place.
    Local(IntType),
}

pub struct Scope<'a> {
    pub map: &'a SourceMap<'a>,
    pub types: &'a Types,
    pub arrays: Vec<Array>,
    /// Arguments and enumerators.
    names: HashMap<String, Name>,
    /// Local declarations, innermost last.
    locals: Vec<(String, Name)>,
}

impl<'a> Scope<'a> {
    /// Knows the file's enumerators only.
    pub fn new(map: &'a SourceMap<'a>, types: &'a Types, unit: &TranslationUnit) -> Self {
        let mut scope = Scope { map, types, arrays: vec![], names: HashMap::new(), locals: vec![] };
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
                    scope.define(&enumerator.node.identifier.node.name, Name::Enumerator(value));
                }
                next = value.checked_add(1);
            }
        }
        scope
    }

    pub fn lookup(&self, name: &str) -> Option<Name> {
        let local = self.locals.iter().rev().find(|(local, _)| local == name);
        local.map(|(_, meaning)| *meaning).or_else(|| self.names.get(name).copied())
    }

    /// An argument or enumerator.
    pub fn define(&mut self, name: &str, meaning: Name) {
        self.names.insert(name.to_string(), meaning);
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

    pub fn span(&self, bytes: lang_c::span::Span) -> Span {
        self.map.span(bytes)
    }
}

/// What a name is, for the words that isl keeps to itself and the names that the analysis gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Naming {
    Function,
    Scalar,
    Array,
    /// Iterators and size parameters.
    Variable,
}

/// Words of isl's notation, in any case.
const ISL_WORDS: [&str; 18] = [
    "exists", "and", "or", "implies", "not", "infty", "infinity", "nan", "min", "max", "rat", "true", "false", "ceild",
    "floord", "mod", "ceil", "floor",
];

/// Refuses a name that the analysis or Verilog could not carry.
pub fn check_name(name: &str, naming: Naming, span: Span) -> Checked<()> {
    let numbered = |letter| {
        name.strip_prefix(letter).is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()))
    };
    let analysed = matches!(naming, Naming::Array | Naming::Variable);
    let why = if analysed && ISL_WORDS.iter().any(|word| name.eq_ignore_ascii_case(word)) {
        "it is a word of the notation that burstc prints sets in"
    } else if naming == Naming::Variable && numbered('T') {
        "burstc names tile indices T0, T1, …"
    } else if naming == Naming::Array && numbered('S') {
        "burstc names statements S0, S1, …"
    } else {
        return Ok(());
    };
    Err(Diagnostic::new(format!("the name `{name}` is taken: {why}")).at(span, "reserved").help("rename it"))
}

/// The one of `known` that `word` was probably meant to be: [`suggest::nearest`], if they share a letter.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    suggest::nearest(word, known)
        .filter(|near| near.chars().any(|c| word.to_lowercase().contains(c.to_ascii_lowercase())))
}
