//! The kernel's function: which one of the file it is, and its arguments.

use std::collections::HashSet;

use lang_c::ast::{
    ArraySize, DeclarationSpecifier, Declarator, DeclaratorKind, DerivedDeclarator, DoWhileStatement, Ellipsis,
    Expression, ExternalDeclaration, ForInitializer, ForStatement, FunctionDeclarator, FunctionDefinition,
    FunctionSpecifier, Identifier, ParameterDeclaration, PointerQualifier, Statement, StorageClassSpecifier,
    TranslationUnit, TypeQualifier, WhileStatement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::kernel::IntType;
use super::map::SourceMap;
use super::scope::{Checked, Naming, check_name};
use super::types::{CType, Types};
use crate::diagnostic::{Diagnostic, Span};

/// The one function of the user's file.
pub struct Function<'u> {
    pub name: String,
    pub name_span: Span,
    pub body: &'u Node<Statement>,
    pub arguments: Vec<RawArgument<'u>>,
    /// Bytes of the preprocessed text.
    pub bytes: ByteSpan,
}

/// An argument before it is known which integers are sizes.
pub struct RawArgument<'u> {
    pub name: String,
    pub ty: IntType,
    pub span: Span,
    /// Extents of an array, outermost first; `None` for an integer.
    pub extents: Option<Vec<&'u Node<Expression>>>,
}

/// Finds the kernel. Refuses a file without functions or with several.
pub fn find<'u>(unit: &'u TranslationUnit, map: &SourceMap, types: &Types) -> Checked<Function<'u>> {
    let functions: Vec<_> = unit
        .0
        .iter()
        .filter_map(|external| match &external.node {
            ExternalDeclaration::FunctionDefinition(function) if map.is_main(external.span) => Some(function),
            _ => None,
        })
        .collect();
    let named = |function: &Node<FunctionDefinition>| match identifier(&function.node.declarator.node) {
        Some(name) => (name.node.name.clone(), map.span(name.span)),
        None => ("?".into(), map.span(function.span)),
    };
    let (with_loops, without): (Vec<&&_>, Vec<_>) = functions.iter().partition(|f| has_loop(&f.node));
    match (functions[..].first(), with_loops[..].first()) {
        (None, _) => {
            Err(Diagnostic::new("the file defines no function").help("burstc compiles one function with a loop nest"))
        }
        (Some(only), _) if functions.len() == 1 => function(only, map, types),
        (_, Some(first)) if with_loops.len() > 1 => {
            let names: Vec<String> = with_loops.iter().map(|f| format!("`{}`", named(f).0)).collect();
            Err(Diagnostic::new(format!("the file has several functions with loops: {}", names.join(", ")))
                .at(named(with_loops[1]).1, format!("besides `{}`", named(first).0))
                .help("keep one kernel in a file; hide the others from burstc with #ifdef"))
        }
        (_, Some(kernel)) => {
            let (name, span) = named(without.first().unwrap_or(kernel));
            Err(Diagnostic::new(format!("helper functions are not supported yet: `{name}`"))
                .at(span, format!("besides the kernel `{}`", named(kernel).0))
                .help("write its expression into the kernel, or make it a macro"))
        }
        (Some(first), None) => Err(Diagnostic::new("no function of the file has a loop")
            .at(named(first).1, "no loop")
            .help("burstc compiles one function with a loop nest")),
    }
}

fn has_loop(function: &FunctionDefinition) -> bool {
    struct Loops(bool);
    impl<'ast> Visit<'ast> for Loops {
        fn visit_for_statement(&mut self, _: &'ast ForStatement, _: &'ast ByteSpan) {
            self.0 = true;
        }
        fn visit_while_statement(&mut self, _: &'ast WhileStatement, _: &'ast ByteSpan) {
            self.0 = true;
        }
        fn visit_do_while_statement(&mut self, _: &'ast DoWhileStatement, _: &'ast ByteSpan) {
            self.0 = true;
        }
    }
    let mut loops = Loops(false);
    loops.visit_statement(&function.statement.node, &function.statement.span);
    loops.0
}

/// The name that a declarator declares.
pub fn identifier(declarator: &Declarator) -> Option<&Node<Identifier>> {
    match &declarator.kind.node {
        DeclaratorKind::Identifier(name) => Some(name),
        DeclaratorKind::Declarator(inner) => identifier(&inner.node),
        DeclaratorKind::Abstract => None,
    }
}

fn function<'u>(definition: &'u Node<FunctionDefinition>, map: &SourceMap, types: &Types) -> Checked<Function<'u>> {
    let declarator = &definition.node.declarator;
    let derived = derived(declarator);
    let prototype = match derived[..] {
        [Node { node: DerivedDeclarator::Function(prototype), .. }] => Some(prototype),
        _ => None,
    };
    let (Some(name), Some(prototype)) = (identifier(&declarator.node), prototype) else {
        let old = derived.iter().any(|d| matches!(d.node, DerivedDeclarator::KRFunction(_)));
        return Err(match old {
            true => Diagnostic::new("the function's arguments have no types")
                .at(map.span(declarator.span), "K&R style")
                .help("declare them as in `void f(int N, int32_t a[N])`"),
            false => Diagnostic::new("the kernel must return void")
                .at(map.span(declarator.span), "does not return void")
                .help("write results into an array"),
        });
    };
    let (name, name_span) = (name.node.name.clone(), map.span(name.span));
    check_name(&name, Naming::Function, name_span)?;
    for specifier in &definition.node.specifiers {
        let word = match &specifier.node {
            DeclarationSpecifier::StorageClass(class) if class.node == StorageClassSpecifier::Static => "static",
            DeclarationSpecifier::Function(f) if f.node == FunctionSpecifier::Inline => "inline",
            _ => continue,
        };
        return Err(Diagnostic::new(format!("the kernel `{name}` is {word}, so other files cannot call it"))
            .at(map.span(specifier.span), "here")
            .help(format!("remove `{word}`: the simulation and the driver call the function by its name")));
    }
    let returns = types.of_declaration(&definition.node.specifiers);
    if returns != CType::Void {
        let place = definition.node.specifiers.first().map_or(declarator.span, |first| first.span);
        return Err(Diagnostic::new(format!("the kernel must return void, and `{name}` returns {returns}"))
            .at(map.span(place), "not void")
            .help("write the result into an array"));
    }
    let arguments = arguments(prototype, map, types)?;
    Ok(Function { name, name_span, body: &definition.node.statement, arguments, bytes: definition.span })
}

/// What a declarator adds to its name, outermost first.
fn derived(declarator: &Node<Declarator>) -> Vec<&Node<DerivedDeclarator>> {
    let mut all: Vec<&Node<DerivedDeclarator>> = match &declarator.node.kind.node {
        DeclaratorKind::Declarator(inner) => derived(inner),
        _ => vec![],
    };
    all.extend(&declarator.node.derived);
    all
}

fn arguments<'u>(
    prototype: &'u Node<FunctionDeclarator>,
    map: &SourceMap,
    types: &Types,
) -> Checked<Vec<RawArgument<'u>>> {
    if prototype.node.ellipsis == Ellipsis::Some {
        return Err(Diagnostic::new("the kernel takes a variable number of arguments")
            .at(map.span(prototype.span), "`...`")
            .help("name every argument"));
    }
    let mut arguments: Vec<RawArgument> = Vec::new();
    for parameter in &prototype.node.parameters {
        let nothing = parameter.node.declarator.is_none();
        if nothing && types.of_declaration(&parameter.node.specifiers) == CType::Void {
            continue;
        }
        let argument = argument(parameter, map, types)?;
        if arguments.iter().any(|other| other.name == argument.name) {
            return Err(Diagnostic::new(format!("two arguments are called `{}`", argument.name))
                .at(argument.span, "again")
                .help("rename one"));
        }
        arguments.push(argument);
    }
    Ok(arguments)
}

fn argument<'u>(parameter: &'u Node<ParameterDeclaration>, map: &SourceMap, types: &Types) -> Checked<RawArgument<'u>> {
    let whole = map.span(parameter.span);
    let declarator = parameter.node.declarator.as_ref();
    let Some((declarator, name)) = declarator.and_then(|d| Some((d, identifier(&d.node)?))) else {
        return Err(Diagnostic::new("an argument has no name").at(whole, "no name").help("name it"));
    };
    let span = map.span(name.span);
    let name = name.node.name.clone();
    for specifier in &parameter.node.specifiers {
        if let DeclarationSpecifier::TypeQualifier(qualifier) = &specifier.node
            && matches!(qualifier.node, TypeQualifier::Volatile | TypeQualifier::Atomic)
        {
            return Err(Diagnostic::new(format!("the argument `{name}` is volatile or atomic"))
                .at(map.span(qualifier.span), "here")
                .help("the accelerator reads and writes whole tiles; drop the qualifier"));
        }
    }
    let mut extents: Option<Vec<&'u Node<Expression>>> = None;
    for derived in derived(declarator) {
        let array = match &derived.node {
            DerivedDeclarator::Array(array) => array,
            DerivedDeclarator::Pointer(qualifiers) => {
                let restrict = qualifiers.iter().any(
                    |q| matches!(&q.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Restrict),
                );
                let why = if restrict { "its extent is unknown" } else { "it may alias, and its extent is unknown" };
                return Err(Diagnostic::new(format!("the argument `{name}` is a pointer: {why}"))
                    .at(whole, "pointer")
                    .help(format!("declare its extent, as in `{name}[N]`")));
            }
            _ => {
                return Err(Diagnostic::new(format!("the argument `{name}` is a function"))
                    .at(whole, "function")
                    .help("arguments are integers and arrays of integers"));
            }
        };
        match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                extents.get_or_insert_default().push(size);
            }
            ArraySize::Unknown | ArraySize::VariableUnknown => {
                return Err(Diagnostic::new(format!("the array `{name}` has a dimension without extent"))
                    .at(map.span(derived.span), "no extent")
                    .help("give the extent of every dimension, as in `a[N][N]`"));
            }
        }
    }
    let ty = match types.of_declaration(&parameter.node.specifiers) {
        CType::Int(ty) => ty,
        other => {
            return Err(Diagnostic::new(format!("the argument `{name}` has {other}: integers only for now"))
                .at(whole, "not an integer type")
                .help("use one of <stdint.h>'s types; fixed point serves for fractions"));
        }
    };
    Ok(RawArgument { name, ty, span, extents })
}

/// Every name in an extent or a loop bound: the integers among them are sizes.
pub fn names_in_sizes(function: &Function) -> HashSet<String> {
    struct Bounds(Names);
    impl<'ast> Visit<'ast> for Bounds {
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast ByteSpan) {
            if !matches!(f.initializer.node, ForInitializer::StaticAssert(_)) {
                self.0.visit_for_initializer(&f.initializer.node, &f.initializer.span);
            }
            if let Some(condition) = &f.condition {
                self.0.visit_expression(&condition.node, &condition.span);
            }
            visit::visit_for_statement(self, f, span);
        }
    }
    let mut bounds = Bounds(Names::default());
    bounds.visit_statement(&function.body.node, &function.body.span);
    for extent in function.arguments.iter().filter_map(|a| a.extents.as_ref()).flatten() {
        bounds.0.visit_expression(&extent.node, &extent.span);
    }
    bounds.0.0
}

#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast ByteSpan) {
        self.0.insert(identifier.name.clone());
    }
}
