//! The kernel's function: which one of the file it is, and its arguments.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use lang_c::ast::{
    ArraySize, BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration, DeclarationSpecifier, Declarator,
    DeclaratorKind, DerivedDeclarator, DoWhileStatement, Ellipsis, Expression, ForInitializer, ForStatement,
    FunctionDeclarator, FunctionDefinition, FunctionSpecifier, Identifier, IfStatement, InitDeclarator, Initializer,
    ParameterDeclaration, PointerQualifier, Statement, StorageClassSpecifier, TranslationUnit, TypeQualifier,
    UnaryOperator, WhileStatement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::kernel::ScalarType;
use super::loops::steps;
use super::map::SourceMap;
use super::nest::{assignment, is_return, operation};
use super::preprocess::Preprocessed;
use super::scope::{Checked, check_name};
use super::types::{COMPLEX, CType, STRUCTURE, TYPEOF, Types, functions, is_const};
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
    pub ty: ScalarType,
    pub span: Span,
    pub is_bool: bool,
    /// Extents of an array, outermost first; `None` for an integer.
    pub extents: Option<Vec<&'u Node<Expression>>>,
    /// A pointer's first extent is not among them: a directive gives it.
    pub pointer: Option<Pointer>,
}

/// A pointer argument.
#[derive(Clone, Copy, Debug)]
pub struct Pointer {
    pub is_restrict: bool,
    /// The whole argument.
    pub span: Span,
}

/// Finds the kernel: the function with `#pragma scop`, or else `known`, or the only one with a loop. `regions` are the
/// scop regions, in bytes.
pub fn find<'u>(
    unit: &'u TranslationUnit,
    preprocessed: &Preprocessed,
    types: &Types,
    regions: &[Region],
    known: Option<&str>,
) -> Checked<Function<'u>> {
    let map = &preprocessed.map;
    let all = functions(unit);
    if let Some(first) = regions.first() {
        let surrounds = |f: &Node<FunctionDefinition>, region: &Region| {
            f.span.start <= region.bytes.start && region.bytes.end <= f.span.end
        };
        let Some(kernel) = all.iter().find(|f| surrounds(f, first)) else {
            return Err(Diagnostic::new(
                "`#pragma scop` stands outside of every function, or does not end in the same",
            )
            .at(first.span, "here")
            .help("put `#pragma scop` and `#pragma endscop` around the loops of one function"));
        };
        if let Some(other) = regions.iter().find(|region| !surrounds(kernel, region)) {
            return Err(Diagnostic::new("the file marks regions of several functions with `#pragma scop`")
                .at(other.span, "another function")
                .help("keep one kernel in a file; hide the others from burstc with #ifdef"));
        }
        require_declarations_outside(kernel, regions, preprocessed)?;
        return function(kernel, map, types);
    }
    let mut functions: Vec<_> = all.into_iter().filter(|function| map.is_main(function.span)).collect();
    if let Some(known) = known {
        functions.retain(|f| identifier(&f.node.declarator.node).is_some_and(|name| name.node.name == known));
    }
    let named = |function: &Node<FunctionDefinition>| match identifier(&function.node.declarator.node) {
        Some(name) => (name.node.name.clone(), map.span(name.span)),
        None => ("?".into(), map.span(function.span)),
    };
    // The program around the kernel may have loops too; a kernel returns nothing.
    let candidates = candidates(&functions).into_iter().filter(|f| named(f).0 != "main");
    let (void, others): (Vec<_>, Vec<_>) =
        candidates.partition(|f: &&_| types.of_declaration(&f.node.specifiers) == CType::Void);
    let kernels = uncalled(if void.is_empty() { others } else { void });
    match (&functions[..], &kernels[..]) {
        ([], _) => {
            let own = unit.0.iter().find(|declaration| map.is_main(declaration.span));
            let first = own.map(|declaration| map.span(declaration.span));
            Err(Diagnostic::new("the file defines no function")
                .at(first.unwrap_or(Span { line: 1, column: 1, length: 0 }), "no function here")
                .help("burstc compiles one function with a loop nest"))
        }
        ([only], _) => function(only, map, types),
        (_, [kernel]) => function(kernel, map, types),
        (_, [first, second, ..]) => {
            let names: Vec<String> = kernels.iter().map(|f| format!("`{}`", named(f).0)).collect();
            Err(Diagnostic::new(several(&functions, &names))
                .at(named(second).1, format!("besides `{}`", named(first).0))
                .help("put `#pragma scop` and `#pragma endscop` around the kernel's loops, or hide the others with #ifdef"))
        }
        ([first, ..], []) => Err(Diagnostic::new("no function but `main` has a loop")
            .at(named(first).1, "no loop")
            .help("burstc compiles one function with a loop nest")),
    }
}

/// That a file has several functions that may be the kernel.
pub fn several(all: &[&Node<FunctionDefinition>], names: &[String]) -> String {
    let what = if looping(all).is_empty() { "functions, and none has a loop" } else { "functions with loops" };
    format!("the file has several {what}: {}", names.join(", "))
}

/// The functions of which one may be the kernel: those with loops, or all where none has one.
pub fn candidates<'u>(all: &[&'u Node<FunctionDefinition>]) -> Vec<&'u Node<FunctionDefinition>> {
    let with_loops = looping(all);
    if with_loops.is_empty() { all.to_vec() } else { with_loops }
}

/// The functions that have a loop, or call one of these that has.
pub fn looping<'u>(all: &[&'u Node<FunctionDefinition>]) -> Vec<&'u Node<FunctionDefinition>> {
    let mut found: Vec<bool> = all.iter().map(|function| has_loop(&function.node.statement)).collect();
    let name = |k: usize| identifier(&all[k].node.declarator.node).map(|name| name.node.name.as_str());
    let bodies: Vec<HashSet<String>> = all.iter().map(|function| words(function)).collect();
    while let Some(next) = (0..all.len()).find(|&k| {
        let calls = |other: usize| name(other).is_some_and(|name| bodies[k].contains(name));
        !found[k] && (0..all.len()).any(|other| found[other] && other != k && calls(other))
    }) {
        found[next] = true;
    }
    all.iter().zip(found).filter(|(_, found)| *found).map(|(function, _)| *function).collect()
}

/// The names in a function's body.
fn words(function: &Node<FunctionDefinition>) -> HashSet<String> {
    let mut names = Names::default();
    names.visit_statement(&function.node.statement.node, &function.node.statement.span);
    names.0
}

/// The one function that none of the others calls; all of them where there is no such one.
pub fn uncalled(all: Vec<&Node<FunctionDefinition>>) -> Vec<&Node<FunctionDefinition>> {
    let bodies: Vec<HashSet<String>> = all.iter().map(|function| words(function)).collect();
    let is_called = |k: usize| {
        let name = identifier(&all[k].node.declarator.node).map_or("", |name| name.node.name.as_str());
        bodies.iter().enumerate().any(|(other, body)| other != k && body.contains(name))
    };
    match (0..all.len()).filter(|k| !is_called(*k)).collect::<Vec<_>>()[..] {
        [only] => vec![all[only]],
        _ => all,
    }
}

/// What `#pragma scop` and `#pragma endscop` surround.
#[derive(Clone, Debug)]
pub struct Region {
    /// Bytes of the preprocessed text.
    pub bytes: Range<usize>,
    /// The place of `scop`.
    pub span: Span,
}

/// What stands outside of the regions would not be compiled; declarations do no harm.
pub fn require_declarations_outside(
    function: &Node<FunctionDefinition>,
    regions: &[Region],
    preprocessed: &Preprocessed,
) -> Checked<()> {
    let Statement::Compound(items) = &function.node.statement.node else { return Ok(()) };
    for item in items {
        let start = item.span.start;
        // The parser adds what it has looked at to find the end, as behind an `if` without `else`.
        let end = preprocessed.end(item.span);
        let harmless = matches!(
            &item.node,
            BlockItem::Declaration(_)
                | BlockItem::StaticAssert(_)
                | BlockItem::Statement(Node { node: Statement::Expression(None), .. })
        ) || is_return(item);
        let inside = regions.iter().any(|region| region.bytes.start <= start && end <= region.bytes.end);
        let cut = regions.iter().find(|r| start < r.bytes.start && r.bytes.start < end);
        match cut {
            Some(region) => {
                return Err(Diagnostic::new("`#pragma scop` begins inside a statement")
                    .at(region.span, "inside a loop or block")
                    .help("put it before the outermost loop"));
            }
            None if harmless || inside => {}
            None => {
                return Err(Diagnostic::new("a statement of the kernel stands outside of its `#pragma scop` region")
                    .at(preprocessed.map.span(ByteSpan::span(start, start + 1)), "outside")
                    .help(
                        "move it into the region, or the region's pragmas around it; declarations may stand outside",
                    ));
            }
        }
    }
    Ok(())
}

/// Whether a function's body has a loop of any kind.
pub fn has_loop(body: &Node<Statement>) -> bool {
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
    loops.visit_statement(&body.node, &body.span);
    loops.0
}

/// All names in a function.
pub fn names_of(function: &FunctionDefinition) -> HashSet<String> {
    struct Names(HashSet<String>);
    impl<'ast> Visit<'ast> for Names {
        fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast ByteSpan) {
            self.0.insert(identifier.name.clone());
        }
    }
    let mut names = Names(HashSet::new());
    names.visit_function_definition(function, &ByteSpan::none());
    names.0
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
        let old = derived.iter().any(|d| matches!(&d.node, DerivedDeclarator::KRFunction(names) if !names.is_empty()));
        let silent = derived.iter().any(|d| matches!(d.node, DerivedDeclarator::KRFunction(_)));
        if silent && !old {
            return Err(Diagnostic::new("the kernel has no arguments, so its caller sees nothing of what it does")
                .at(map.span(declarator.span), "no arguments")
                .help("make its arrays arguments, or put `#pragma scop` and `#pragma endscop` around its loops"));
        }
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
    check_name(&name, name_span)?;
    for specifier in &definition.node.specifiers {
        let is_static = definition.node.specifiers.iter().any(|other| {
            matches!(&other.node, DeclarationSpecifier::StorageClass(c) if c.node == StorageClassSpecifier::Static)
        });
        if let DeclarationSpecifier::Function(f) = &specifier.node
            && f.node == FunctionSpecifier::Inline
            && !is_static
        {
            return Err(Diagnostic::new(format!("the kernel `{name}` is inline, so nothing may be there to call"))
                .at(map.span(specifier.span), "here")
                .help("remove `inline`, or add `static`"));
        }
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

/// What a declarator adds to its name, outermost first: `*a[8]` is an array of pointers, `(*a)[8]` a pointer to an
/// array.
pub fn derived(declarator: &Node<Declarator>) -> Vec<&Node<DerivedDeclarator>> {
    let mut all: Vec<&Node<DerivedDeclarator>> = match &declarator.node.kind.node {
        DeclaratorKind::Declarator(inner) => derived(inner),
        _ => vec![],
    };
    let is_pointer = |d: &&Node<DerivedDeclarator>| matches!(d.node, DerivedDeclarator::Pointer(_));
    let (pointers, others): (Vec<_>, Vec<_>) = declarator.node.derived.iter().partition(is_pointer);
    all.extend(others);
    all.extend(pointers.into_iter().rev());
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
            && qualifier.node == TypeQualifier::Atomic
        {
            return Err(Diagnostic::new(format!("the argument `{name}` is atomic"))
                .at(map.span(qualifier.span), "here")
                .help("the accelerator reads and writes whole tiles; drop the qualifier"));
        }
    }
    let mut extents: Option<Vec<&'u Node<Expression>>> = None;
    let mut pointer = None;
    for derived in derived(declarator) {
        let array = match &derived.node {
            DerivedDeclarator::Array(array) => array,
            DerivedDeclarator::Pointer(qualifiers) if pointer.is_none() && extents.is_none() => {
                let is_restrict = qualifiers.iter().any(
                    |q| matches!(&q.node, PointerQualifier::TypeQualifier(q) if q.node == TypeQualifier::Restrict),
                );
                pointer = Some(Pointer { is_restrict, span: whole });
                extents = Some(vec![]);
                continue;
            }
            DerivedDeclarator::Pointer(_) => {
                return Err(Diagnostic::new(format!("the argument `{name}` points to pointers"))
                    .at(whole, "pointer to pointers")
                    .help("use an array of several dimensions, as in `a[N][M]`, or one array for each pointer"));
            }
            _ => {
                return Err(Diagnostic::new(format!("the argument `{name}` is a function"))
                    .at(whole, "function")
                    .help("arguments are numbers and arrays of numbers"));
            }
        };
        match &array.node.size {
            ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => {
                extents.get_or_insert_default().push(size);
            }
            // As an argument, `a[]` is a pointer.
            ArraySize::Unknown if extents.is_none() => {
                let is_restrict = array.node.qualifiers.iter().any(|q| q.node == TypeQualifier::Restrict);
                pointer = Some(Pointer { is_restrict, span: map.span(derived.span) });
                extents = Some(vec![]);
            }
            ArraySize::Unknown | ArraySize::VariableUnknown => {
                return Err(Diagnostic::new(format!("the array `{name}` has a dimension without extent"))
                    .at(map.span(derived.span), "no extent")
                    .help("give the extent of every dimension, as in `a[N][N]`"));
            }
        }
    }
    let declared = types.of_declaration(&parameter.node.specifiers);
    let is_structure = |words: &str| matches!(words, STRUCTURE | TYPEOF);
    let structure = types.has_structures && matches!(&declared, CType::Other(words) if is_structure(words));
    let Some(ty) = declared.arithmetic().or(structure.then_some(ScalarType::I32)) else {
        return Err(Diagnostic::new(format!("the argument `{name}` has {declared}"))
            .at(whole, "not an arithmetic type")
            .help(match &declared {
                CType::Other(words) if words == COMPLEX => {
                    "use `struct { float re, im; }`, and write products by hand: C's own look for infinities in what is no \
                     number"
                }
                _ => "use one of <stdint.h>'s types, `float` or `double`",
            }));
    };
    Ok(RawArgument { name, ty, span, is_bool: declared == CType::Bool, extents, pointer })
}

/// Every name in an extent, a loop bound or the condition of an `if`, also by way of local variables: the integer
/// arguments among them are sizes.
pub fn names_in_sizes(function: &Function) -> HashSet<String> {
    #[derive(Default)]
    struct Bounds<'ast> {
        names: Names,
        /// What local variables begin with.
        locals: HashMap<&'ast str, Names>,
        /// What they are assigned.
        assigned: HashMap<&'ast str, Names>,
        /// The names in every comparison of a condition.
        comparisons: Vec<HashSet<String>>,
        /// Variables that no affine expression tells: remainders by what is not constant, what loops shift, multiply and mask, and arrays.
        odd: HashSet<&'ast str>,
        loops: usize,
    }
    impl<'ast> Visit<'ast> for Bounds<'ast> {
        fn visit_statement(&mut self, statement: &'ast Statement, span: &'ast ByteSpan) {
            let own = matches!(statement, Statement::For(_) | Statement::While(_) | Statement::DoWhile(_));
            self.loops += usize::from(own);
            visit::visit_statement(self, statement, span);
            self.loops -= usize::from(own);
        }
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast ByteSpan) {
            if !matches!(f.initializer.node, ForInitializer::StaticAssert(_)) {
                self.names.visit_for_initializer(&f.initializer.node, &f.initializer.span);
            }
            if let Some(condition) = &f.condition {
                self.names.visit_expression(&condition.node, &condition.span);
            }
            visit::visit_for_statement(self, f, span);
        }
        fn visit_if_statement(&mut self, branch: &'ast IfStatement, span: &'ast ByteSpan) {
            comparisons(&branch.condition, &mut self.comparisons);
            visit::visit_if_statement(self, branch, span);
        }
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast ByteSpan) {
            if let (Some(_), Expression::Identifier(name)) = (assignment(&o.operator.node), &o.lhs.node) {
                self.assigned.entry(&name.node.name).or_default().visit_expression(&o.rhs.node, &o.rhs.span);
                use BinaryOperator::{Assign, AssignMinus, AssignPlus};
                let adds = matches!(o.operator.node, Assign | AssignPlus | AssignMinus);
                if self.loops > 0 && !adds || is_divided(&o.rhs) {
                    self.odd.insert(&name.node.name);
                }
            }
            visit::visit_binary_operator_expression(self, o, span);
        }
        fn visit_declaration(&mut self, declaration: &'ast Declaration, span: &'ast ByteSpan) {
            if !is_const(declaration) {
                let arrays = declaration.declarators.iter().map(|own| &own.node.declarator);
                let arrays = arrays.filter(|own| !derived(own).is_empty()).filter_map(|own| identifier(&own.node));
                self.odd.extend(arrays.map(|name| name.node.name.as_str()));
            }
            visit::visit_declaration(self, declaration, span);
        }
        fn visit_array_size(&mut self, size: &'ast ArraySize, span: &'ast ByteSpan) {
            self.names.visit_array_size(size, span);
        }
        fn visit_init_declarator(&mut self, declarator: &'ast InitDeclarator, span: &'ast ByteSpan) {
            if let (Some(name), Some(first)) = (identifier(&declarator.declarator.node), &declarator.initializer) {
                self.locals.entry(&name.node.name).or_default().visit_initializer(&first.node, &first.span);
                if matches!(&first.node, Initializer::Expression(value) if is_divided(value)) {
                    self.odd.insert(&name.node.name);
                }
            }
            visit::visit_init_declarator(self, declarator, span);
        }
    }
    let mut bounds = Bounds::default();
    bounds.visit_statement(&function.body.node, &function.body.span);
    for extent in function.arguments.iter().filter_map(|a| a.extents.as_ref()).flatten() {
        bounds.names.visit_expression(&extent.node, &extent.span);
    }
    let Bounds { names: Names(mut names), mut locals, assigned, comparisons, odd, .. } = bounds;
    // Comparisons with data are decided by the data.
    let mut data: HashSet<&str> =
        function.arguments.iter().filter(|a| a.extents.is_some()).map(|a| a.name.as_str()).collect();
    data.extend(odd);
    loop {
        let known = data.len();
        let values = locals.iter().chain(&assigned);
        data.extend(
            values
                .filter(|(_, value)| value.0.iter().any(|n| data.contains(n.as_str())))
                .map(|(n, _)| *n)
                .collect::<Vec<_>>(),
        );
        if data.len() == known {
            break;
        }
    }
    let decided = comparisons.into_iter().filter(|names| !names.iter().any(|name| data.contains(name.as_str())));
    names.extend(decided.flatten());
    let mut pending: Vec<String> = names.iter().cloned().collect();
    while let Some(name) = pending.pop() {
        for inner in locals.remove(name.as_str()).unwrap_or_default().0 {
            if names.insert(inner.clone()) {
                pending.push(inner);
            }
        }
    }
    names
}

/// Whether something in an expression is divided by what is no number.
fn is_divided(value: &Node<Expression>) -> bool {
    struct Search(bool);
    impl<'ast> Visit<'ast> for Search {
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast ByteSpan) {
            let divides = matches!(o.operator.node, BinaryOperator::Divide | BinaryOperator::Modulo);
            let mut names = Names::default();
            names.visit_expression(&o.rhs.node, &o.rhs.span);
            self.0 |= divides && !names.0.is_empty();
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut search = Search(false);
    search.visit_expression(&value.node, &value.span);
    search.0
}

/// The names in each of the comparisons that `&&`, `||` and `!` join.
fn comparisons(condition: &Node<Expression>, found: &mut Vec<HashSet<String>>) {
    match &condition.node {
        Expression::BinaryOperator(o)
            if matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
        {
            comparisons(&o.node.lhs, found);
            comparisons(&o.node.rhs, found);
        }
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Negate => {
            comparisons(&unary.node.operand, found);
        }
        _ => {
            let mut names = Names::default();
            names.visit_expression(&condition.node, &condition.span);
            found.push(names.0);
        }
    }
}

/// The names that loops of the function count with.
pub fn counters(function: &Function) -> HashSet<String> {
    struct Counters(HashSet<String>);
    impl<'ast> Visit<'ast> for Counters {
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast ByteSpan) {
            match &f.initializer.node {
                ForInitializer::Declaration(declaration) => {
                    let names = declaration.node.declarators.iter();
                    let names = names.filter_map(|d| identifier(&d.node.declarator.node));
                    self.0.extend(names.map(|name| name.node.name.clone()));
                }
                ForInitializer::Expression(first) => {
                    for (_, first) in steps(first).into_iter().filter_map(operation) {
                        if let Expression::Identifier(name) = &first.lhs.node {
                            self.0.insert(name.node.name.clone());
                        }
                    }
                }
                ForInitializer::Empty => {}
                ForInitializer::StaticAssert(_) => return,
            }
            visit::visit_for_statement(self, f, span);
        }
    }
    let mut counters = Counters(HashSet::new());
    counters.visit_statement(&function.body.node, &function.body.span);
    counters.0
}

#[derive(Default)]
struct Names(HashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_identifier(&mut self, identifier: &'ast Identifier, _: &'ast ByteSpan) {
        self.0.insert(identifier.name.clone());
    }
}
