//! Which arithmetic type a C declaration names.

use std::collections::HashMap;
use std::fmt;

use lang_c::ast::{
    Constant, Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, EnumType, Enumerator, Expression,
    ExternalDeclaration, FunctionDefinition, Initializer, IntegerBase, SpecifierQualifier, StorageClassSpecifier,
    TranslationUnit, TypeName, TypeQualifier, TypeSpecifier, UnaryOperator,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::kernel::ScalarType;

/// A C type as far as burstc distinguishes types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CType {
    Int(ScalarType),
    /// `float` or `double`.
    Float(ScalarType),
    /// `_Bool`: a byte that is 0 or 1.
    Bool,
    Void,
    /// Unsupported, in words: "a structure type".
    Other(String),
}

/// What is said of a structure.
pub const STRUCTURE: &str = "a structure type";
/// What is said of `typeof`.
pub const TYPEOF: &str = "a `typeof` type";
/// What is said of a complex number.
pub const COMPLEX: &str = "a complex or extended floating-point type";

impl CType {
    /// How a value of the type is kept, where it is an integer.
    pub fn integer(&self) -> Option<ScalarType> {
        match self {
            CType::Int(ty) => Some(*ty),
            CType::Bool => Some(ScalarType::integer(8, false)),
            CType::Float(_) | CType::Void | CType::Other(_) => None,
        }
    }

    /// How a value of the type is kept, where it is a number.
    pub fn arithmetic(&self) -> Option<ScalarType> {
        match self {
            CType::Float(ty) => Some(*ty),
            _ => self.integer(),
        }
    }

    /// Whether a string is a row of elements of the type.
    pub fn is_character(&self) -> bool {
        matches!(self, CType::Int(ty) if ty.bits == 8)
    }

    /// The C type of values that are kept as `ty`.
    pub fn of(ty: ScalarType) -> CType {
        if ty.floating { CType::Float(ty) } else { CType::Int(ty) }
    }
}

/// In the words of a diagnostic, after "has" or "to".
impl fmt::Display for CType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CType::Int(ty) | CType::Float(ty) => write!(f, "the type `{ty}`"),
            CType::Bool => f.write_str("the type `_Bool`"),
            CType::Void => f.write_str("the type `void`"),
            CType::Other(words) => f.write_str(words),
        }
    }
}

/// The file's typedefs, and what the compiler's target decides.
pub struct Types {
    typedefs: HashMap<String, CType>,
    /// The file's enumerations by their tags.
    enumerations: HashMap<String, CType>,
    pub char: ScalarType,
    /// `long`: 64 bits, except where the target says otherwise.
    pub long: ScalarType,
    /// Structures are still to be written out.
    pub has_structures: bool,
}

impl Types {
    /// Reads the typedefs of the file and its headers.
    pub fn new(unit: &TranslationUnit, char_is_signed: bool, long_bits: u32) -> Self {
        let char = ScalarType::integer(8, char_is_signed);
        let long = ScalarType::integer(long_bits, true);
        let mut types =
            Types { typedefs: HashMap::new(), enumerations: HashMap::new(), char, long, has_structures: false };
        for external in &unit.0 {
            if let ExternalDeclaration::Declaration(declaration) = &external.node {
                types.declare(&declaration.node);
            }
        }
        types
    }

    fn declare(&mut self, declaration: &Declaration) {
        for specifier in &declaration.specifiers {
            if let DeclarationSpecifier::TypeSpecifier(Node { node: TypeSpecifier::Enum(enumeration), .. }) =
                &specifier.node
                && let (Some(tag), false) = (&enumeration.node.identifier, enumeration.node.enumerators.is_empty())
            {
                self.enumerations.insert(tag.node.name.clone(), enumeration_type(&enumeration.node.enumerators));
            }
        }
        if !is_typedef(declaration) {
            return;
        }
        let base = self.of_declaration(&declaration.specifiers);
        for declarator in &declaration.declarators {
            let declarator = &declarator.node.declarator.node;
            if let DeclaratorKind::Identifier(name) = &declarator.kind.node {
                let derived = !declarator.derived.is_empty();
                let ty = if derived {
                    // Arrays and pointers are written out before (`typedefs.rs`), where names mean one thing.
                    CType::Other(
                        "a typedef of a function, or of an array whose extent means another thing here, as its type"
                            .into(),
                    )
                } else {
                    base.clone()
                };
                self.typedefs.insert(name.node.name.clone(), ty);
            }
        }
    }

    pub fn of_declaration(&self, specifiers: &[Node<DeclarationSpecifier>]) -> CType {
        self.resolve(specifiers.iter().filter_map(|s| match &s.node {
            DeclarationSpecifier::TypeSpecifier(specifier) => Some(&specifier.node),
            _ => None,
        }))
    }

    pub fn of_specifiers(&self, specifiers: &[&Node<TypeSpecifier>]) -> CType {
        self.resolve(specifiers.iter().map(|specifier| &specifier.node))
    }

    /// The type of a cast.
    pub fn of_name(&self, name: &TypeName) -> CType {
        if name.declarator.is_some() {
            return CType::Other("a pointer type".into());
        }
        self.resolve(name.specifiers.iter().filter_map(|s| match &s.node {
            SpecifierQualifier::TypeSpecifier(specifier) => Some(&specifier.node),
            _ => None,
        }))
    }

    fn enumeration(&self, enumeration: &EnumType) -> CType {
        let tag = enumeration.identifier.as_ref().map(|tag| &tag.node.name);
        match (tag.and_then(|tag| self.enumerations.get(tag)), enumeration.enumerators.is_empty()) {
            (Some(known), _) => known.clone(),
            (None, false) => enumeration_type(&enumeration.enumerators),
            (None, true) => CType::Other("an enumeration type that the file does not define".into()),
        }
    }

    fn resolve<'s>(&self, specifiers: impl Iterator<Item = &'s TypeSpecifier>) -> CType {
        let (mut signed, mut unsigned, mut char, mut short, mut long, mut int) = (false, false, false, false, 0, false);
        let (mut floating, mut other) = (None, None);
        for specifier in specifiers {
            match specifier {
                TypeSpecifier::Signed => signed = true,
                TypeSpecifier::Unsigned => unsigned = true,
                TypeSpecifier::Char => char = true,
                TypeSpecifier::Short => short = true,
                TypeSpecifier::Long => long += 1,
                TypeSpecifier::Int => int = true,
                TypeSpecifier::Void => return CType::Void,
                TypeSpecifier::TypedefName(name) => {
                    let unknown = || CType::Other(format!("the type `{}`", name.node.name));
                    return self.typedefs.get(&name.node.name).cloned().unwrap_or_else(unknown);
                }
                TypeSpecifier::Float => floating = Some(ScalarType::FLOAT),
                TypeSpecifier::Double => floating = Some(ScalarType::DOUBLE),
                TypeSpecifier::Complex | TypeSpecifier::TS18661Float(_) => {
                    other = Some(COMPLEX);
                }
                TypeSpecifier::Bool => return CType::Bool,
                TypeSpecifier::Struct(_) => other = Some(STRUCTURE),
                TypeSpecifier::Enum(enumeration) => return self.enumeration(&enumeration.node),
                TypeSpecifier::Atomic(_) => other = Some("an atomic type"),
                TypeSpecifier::TypeOf(_) => other = Some(TYPEOF),
            }
        }
        if let Some(other) = other {
            return CType::Other(other.into());
        }
        if let Some(ty) = floating {
            return if long > 0 { CType::Other("the type `long double`".into()) } else { CType::Float(ty) };
        }
        let bits = match (char, short, long) {
            (true, _, _) => 8,
            (_, true, _) => 16,
            (_, _, 0) => 32,
            (_, _, 1) => self.long.bits,
            _ => 64,
        };
        match (char, signed || int || short || long > 0, unsigned) {
            (true, false, false) => CType::Int(self.char),
            (false, false, false) => CType::Other("an unknown type".into()),
            _ => CType::Int(ScalarType::integer(bits, !unsigned)),
        }
    }
}

/// The type of an enumeration's variables: what the compilers of Linux take, `unsigned` unless an enumerator is
/// negative. Enumerators themselves are `int`.
fn enumeration_type(enumerators: &[Node<Enumerator>]) -> CType {
    let mut signed = false;
    for value in enumerators.iter().filter_map(|enumerator| enumerator.node.expression.as_ref()) {
        let magnitude = match &value.node {
            Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Minus => {
                signed = true;
                &unary.node.operand
            }
            _ => value,
        };
        let is_small = match &magnitude.node {
            Expression::Constant(constant) => match &constant.node {
                Constant::Integer(integer) => match integer.base {
                    IntegerBase::Decimal => integer.number.parse::<i32>().is_ok(),
                    IntegerBase::Octal => integer.number.len() <= 10,
                    // Seven digits, or 31 of zeros and ones; the parser leaves the prefix away.
                    IntegerBase::Hexadecimal => integer.number.len() <= 7,
                    IntegerBase::Binary => integer.number.len() <= 31,
                },
                Constant::Character(_) | Constant::Float(_) => false,
            },
            _ => false,
        };
        if !is_small {
            return CType::Other("an enumeration type whose values are no plain integers".into());
        }
    }
    CType::Int(ScalarType::integer(32, signed))
}

pub fn is_typedef(declaration: &Declaration) -> bool {
    declaration.specifiers.iter().any(
        |s| matches!(&s.node, DeclarationSpecifier::StorageClass(class) if class.node == StorageClassSpecifier::Typedef),
    )
}

/// Makes the enumerations that functions define those of the file, in front of their functions, where no name means two things.
pub fn hoist_enumerations(unit: &mut TranslationUnit) {
    struct Local(Vec<Node<TypeSpecifier>>, HashMap<String, usize>);
    impl<'ast> Visit<'ast> for Local {
        fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast Span) {
            for specifier in &declaration.specifiers {
                if let DeclarationSpecifier::TypeSpecifier(own) = &specifier.node
                    && let TypeSpecifier::Enum(enumeration) = &own.node
                    && !enumeration.node.enumerators.is_empty()
                {
                    self.0.push(own.clone());
                }
            }
            visit::visit_declaration(self, declaration, span);
        }
        fn visit_enumerator(&mut self, enumerator: &'ast Enumerator, span: &'ast Span) {
            *self.1.entry(enumerator.identifier.node.name.clone()).or_default() += 1;
            visit::visit_enumerator(self, enumerator, span);
        }
        fn visit_declarator(&mut self, declarator: &'ast Declarator, span: &'ast Span) {
            if let Some(name) = super::function::identifier(declarator) {
                *self.1.entry(name.node.name.clone()).or_default() += 1;
            }
            visit::visit_declarator(self, declarator, span);
        }
    }
    let mut all = Local(vec![], HashMap::new());
    for external in &unit.0 {
        all.visit_external_declaration(&external.node, &external.span);
    }
    let mut done = vec![];
    for external in std::mem::take(&mut unit.0) {
        if let ExternalDeclaration::FunctionDefinition(function) = &external.node {
            let mut own = Local(vec![], HashMap::new());
            own.visit_statement(&function.node.statement.node, &function.node.statement.span);
            for specifier in own.0 {
                let TypeSpecifier::Enum(enumeration) = &specifier.node else { continue };
                let times = |name: &str| all.1.get(name).copied().unwrap_or_default();
                if enumeration.node.enumerators.iter().any(|one| times(&one.node.identifier.node.name) != 1) {
                    continue;
                }
                let span = specifier.span;
                let specifiers = vec![Node::new(DeclarationSpecifier::TypeSpecifier(specifier), span)];
                let declaration = Node::new(Declaration { specifiers, declarators: vec![] }, span);
                done.push(Node::new(ExternalDeclaration::Declaration(declaration), span));
            }
        }
        done.push(external);
    }
    unit.0 = done;
}

/// The file's enumerations, also those of its headers.
pub fn enumerations(unit: &TranslationUnit) -> Vec<&[Node<Enumerator>]> {
    let declarations = unit.0.iter().filter_map(|external| match &external.node {
        ExternalDeclaration::Declaration(declaration) => Some(&declaration.node),
        _ => None,
    });
    let specifiers = declarations.flat_map(|declaration| &declaration.specifiers);
    specifiers
        .filter_map(|specifier| match &specifier.node {
            DeclarationSpecifier::TypeSpecifier(specifier) => match &specifier.node {
                TypeSpecifier::Enum(enumeration) => Some(enumeration.node.enumerators.as_slice()),
                _ => None,
            },
            _ => None,
        })
        .collect()
}

/// The file's functions that have a body, also those of its headers.
pub fn functions(unit: &TranslationUnit) -> Vec<&Node<FunctionDefinition>> {
    let functions = unit.0.iter().filter_map(|external| match &external.node {
        ExternalDeclaration::FunctionDefinition(function) => Some(function),
        _ => None,
    });
    functions.collect()
}

/// The file's constants: `static const int N = 5;`.
pub fn constants<'u>(unit: &'u TranslationUnit, types: &Types) -> Vec<(&'u str, CType, &'u Node<Expression>)> {
    let declarations = unit.0.iter().filter_map(|external| match &external.node {
        ExternalDeclaration::Declaration(declaration) if is_const(&declaration.node) => Some(&declaration.node),
        _ => None,
    });
    let mut found = vec![];
    for declaration in declarations {
        let ty = types.of_declaration(&declaration.specifiers);
        for declarator in &declaration.declarators {
            let (name, value) = (&declarator.node.declarator.node, &declarator.node.initializer);
            if let (DeclaratorKind::Identifier(name), true, Some(value)) =
                (&name.kind.node, name.derived.is_empty(), value)
                && let Initializer::Expression(value) = &value.node
            {
                found.push((name.node.name.as_str(), ty.clone(), &**value));
            }
        }
    }
    found
}

pub fn is_const(declaration: &Declaration) -> bool {
    declaration.specifiers.iter().any(
        |s| matches!(&s.node, DeclarationSpecifier::TypeQualifier(qualifier) if qualifier.node == TypeQualifier::Const),
    )
}
