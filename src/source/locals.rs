//! Local declarations: loop counters, names for affine values, and memory of the kernel's own.

use lang_c::ast::{
    ArraySize, BinaryOperator, BinaryOperatorExpression, BlockItem, Declaration, DeclarationSpecifier,
    DerivedDeclarator, DoWhileStatement, Expression, ForInitializer, ForStatement, InitDeclarator, Initializer,
    Statement as CStatement, StorageClassSpecifier, UnaryOperator, UnaryOperatorExpression, WhileStatement,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::canonical::names_in;
use super::extremum::is_truth;
use super::function::{derived, identifier};
use super::kernel::{Access, Array, Expr, Node as NestNode, Obligation, ScalarType, Storage};
use super::loops::steps;
use super::nest::{Nest, assignment, counts, is_name, operation};
use super::plain::variable;
use super::scope::{Checked, Name, check_name};
use super::track::Tracked;
use super::types::{CType, is_const, is_typedef};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::ids::ArrayId;

impl Nest<'_, '_> {
    /// Local variables of a block, whose items after the declaration are `rest`.
    pub fn declaration(
        &mut self,
        node: &Node<Declaration>,
        rest: &[Node<BlockItem>],
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        let declaration = &node.node;
        if is_typedef(declaration) {
            return Err(Diagnostic::new("types declared inside the function are not supported")
                .at(self.span(node.span), "local type")
                .help("move it before the function"));
        }
        let mut lasting = None;
        for specifier in &declaration.specifiers {
            if let DeclarationSpecifier::StorageClass(class) = &specifier.node
                && matches!(class.node, StorageClassSpecifier::Static | StorageClassSpecifier::Extern)
                && !is_const(declaration)
            {
                let is_array = |own: &Node<InitDeclarator>| !derived(&own.node.declarator).is_empty();
                let span = self.span(specifier.span);
                if class.node == StorageClassSpecifier::Extern || !declaration.declarators.iter().all(is_array) {
                    return Err(Diagnostic::new("a local variable keeps its value between calls")
                        .at(span, "here")
                        .help("pass it as an argument"));
                }
                lasting = Some(span);
            }
        }
        let ty = self.scope.types.of_declaration(&declaration.specifiers);
        for declarator in &declaration.declarators {
            let Some(name) = identifier(&declarator.node.declarator.node) else { continue };
            let name = name.node.name.as_str();
            let span = self.span(declarator.span);
            if ty.arithmetic().is_none() {
                return Err(Diagnostic::new(format!("the local variable `{name}` has {ty}"))
                    .at(span, "not a number")
                    .help("use one of <stdint.h>'s types, `float` or `double`"));
            }
            self.shadow(name, span)?;
            match derived(&declarator.node.declarator)[..] {
                [] => {
                    let whole = if declaration.declarators.len() == 1 { node.span } else { declarator.span };
                    self.local_scalar(name, &ty, declarator, whole, rest, nodes)?;
                }
                _ => match self.scope.table(declaration, declarator) {
                    Some(table) => self.scope.declare(name, Name::Table(table)),
                    None => self.local_array(name, &ty, declarator, lasting)?,
                },
            }
        }
        Ok(())
    }

    /// Refuses to hide an argument or an iterator.
    pub fn shadow(&self, name: &str, span: Span) -> Checked<()> {
        let what = match self.scope.lookup(name) {
            Some(Name::Iterator(..)) => "an enclosing loop's",
            Some(Name::Parameter(_) | Name::Scalar(..)) => "an argument's",
            Some(Name::Array(array)) if self.scope.arrays[array].storage == Storage::Argument => "an argument's",
            _ => return Ok(()),
        };
        Err(Diagnostic::new(format!("`{name}` is {what} name, and here it is declared again"))
            .at(span, "declared again")
            .help("rename one"))
    }

    fn local_scalar(
        &mut self,
        name: &str,
        ty: &CType,
        declarator: &Node<InitDeclarator>,
        whole: ByteSpan,
        rest: &[Node<BlockItem>],
        nodes: &mut Vec<NestNode>,
    ) -> Checked<()> {
        let span = self.span(declarator.span);
        let first = match declarator.node.initializer.as_ref().map(|initializer| &initializer.node) {
            None => None,
            Some(Initializer::Expression(first)) => Some(&**first),
            Some(Initializer::List(_)) => {
                return Err(Diagnostic::new(format!("the local variable `{name}` has an initializer list"))
                    .at(span, "list")
                    .help("give it a plain value"));
            }
        };
        let usage = Usage::of(name, rest);
        // A number that counts: where it is one of several affine values, its uses choose.
        if let (Usage { assigned: false, counts: false, places: true }, Some(first)) = (usage, first)
            && let Some(value) = self.chosen_value(first, ty)?
        {
            self.scope.declare(name, Name::Value(value));
            return Ok(());
        }
        if let Some(hosted) = self.hosted.get_mut(name) {
            *hosted = ty.clone();
            let value = first.map(|first| self.host_value(name, first, ty)).transpose()?;
            self.scope.declare(name, value.map_or(Name::Unset, Name::Value));
            return Ok(());
        }
        let may_count = self.scope.behind && usage.counts;
        if (usage.assigned && !usage.counts || may_count)
            && usage.places
            && ty.integer().is_some()
            && !self.memory_of.contains(&declarator.span.start)
        {
            let declared = declarator.span.start;
            let value = match first {
                Some(first) => {
                    let value = self.scope.converted(first, ty)?;
                    Name::Value(self.known_value(value, declared, span)?)
                }
                None => Name::Unset,
            };
            self.scope.declare(name, value);
            let place = self.scope.local_index(name).unwrap_or_default();
            self.tracked.push(Tracked { name: name.to_string(), ty: ty.clone(), place, declared });
            self.candidates.push(declared);
            return Ok(());
        }
        let meaning = match (usage, first) {
            // What it begins with is never read: a counter has a value in its loops only.
            (Usage { counts: true, .. }, _) => ty.integer().map(Name::Counter),
            (Usage { assigned: false, .. }, None) => Some(Name::Unset),
            (Usage { assigned: false, .. }, Some(first)) => self.affine_value(first, ty)?.map(Name::Value),
            (Usage { assigned: true, .. }, _) => None,
        };
        if let Some(meaning) = meaning {
            self.scope.declare(name, meaning);
            return Ok(());
        }
        let value = first.map(|first| self.scope.converted(first, ty)).transpose()?;
        let array = self.local_memory(name, ty, vec![], span);
        if let Some(value) = value {
            // It keeps this value.
            let range = (!usage.assigned && ty.integer().is_some()).then(|| self.holds_within(&value));
            self.scope.arrays[array].range = range.filter(|range| *range != value.ty().limits());
            let target = Access { array, subscripts: vec![], guard: None, span };
            let text = self.scope.map.text(whole);
            let text = if text.ends_with(';') { text } else { format!("{text};") };
            let statement = self.finish(target, value, text, declarator.span)?;
            nodes.push(NestNode::Statement(statement));
        }
        Ok(())
    }

    /// The value of a variable that is affine by its choices alone.
    fn chosen_value(&mut self, node: &Node<Expression>, ty: &CType) -> Checked<Option<Expr>> {
        let value = self.scope.converted(node, ty)?;
        let (span, known) = (self.span(node.span), self.scope.quotients.len());
        let is_one = self.scope.trial(|scope| scope.extremum(&value, span)).0.is_some();
        let is_choice = !is_one && size(&value) <= LARGEST && self.scope.is_affine_by_choice(&value, span);
        self.scope.quotients.truncate(known);
        Ok(is_choice.then_some(value))
    }

    /// What the host's variable `name` is assigned.
    pub fn host_value(&mut self, name: &str, node: &Node<Expression>, ty: &CType) -> Checked<Expr> {
        match self.affine_value(node, ty)? {
            Some(value) => Ok(value),
            None => {
                let value = self.scope.converted(node, ty)?;
                Ok(self.scope.host_variable(name, value, self.span(node.span)))
            }
        }
    }

    /// The value of a variable that never changes, where subscripts and bounds may use it.
    fn affine_value(&mut self, node: &Node<Expression>, ty: &CType) -> Checked<Option<Expr>> {
        let value = self.scope.converted(node, ty)?;
        Ok(self.affine_of(value, self.span(node.span)))
    }

    /// The value as subscripts and bounds may use it.
    pub fn affine_of(&mut self, value: Expr, span: Span) -> Option<Expr> {
        let known = self.scope.quotients.len();
        if matches!(value, Expr::Constant { .. }) {
            return Some(value);
        }
        let (bounds, obligations) = self.scope.trial(|scope| scope.extremum(&value, span));
        let Some(bounds) = bounds else {
            // A condition that iterators and sizes decide guards what stands under it.
            let is_decided = is_truth(&value)
                && size(&value) <= LARGEST
                && self.scope.trial(|scope| scope.known_condition(&value, span)).0.is_some();
            self.scope.quotients.truncate(known);
            return is_decided.then_some(value);
        };
        // Where it wraps around on the way, only the expression itself has C's value.
        let wraps = obligations.iter().any(Obligation::has_meaning);
        let ty = value.ty();
        match bounds.affine() {
            Some(affine) if !wraps => {
                let known = self.scope.definitions.entry((affine.clone(), ty)).or_default();
                known.extend(obligations);
                Some(Expr::Index { value: affine, ty })
            }
            _ => (!wraps || size(&value) <= LARGEST).then_some(value),
        }
    }

    /// One that is `lasting` begins with what the caller's first call gave it or an earlier one has left; that nobody reads it is
    /// seen where values are followed.
    fn local_array(
        &mut self,
        name: &str,
        ty: &CType,
        declarator: &Node<InitDeclarator>,
        lasting: Option<Span>,
    ) -> Checked<()> {
        let span = self.span(declarator.span);
        let parts = derived(&declarator.node.declarator);
        let is_pointer = parts.first().is_some_and(|part| matches!(part.node, DerivedDeclarator::Pointer(_)));
        if is_pointer {
            return Err(Diagnostic::new(format!("the local variable `{name}` is a pointer")).at(span, "pointer").help(
                "name the array itself, as in `a[k + i]` for `p[i]` with `p = &a[k]`; a pointer that moves is an integer, `int k = 0; … a[k++]`; \
                 arguments of helpers may be pointers",
            ));
        }
        if parts.iter().any(|part| matches!(part.node, DerivedDeclarator::Pointer(_))) {
            return Err(Diagnostic::new(format!("the local array `{name}` holds pointers"))
                .at(span, "array of pointers")
                .help("choose with one pointer, as in `const int *p = k == 0 ? a : b;`"));
        }
        if declarator.node.initializer.is_some() && lasting.is_none() {
            return Err(Diagnostic::new(format!("the local array `{name}` has an initializer"))
                .at(span, "initializer")
                .help(format!(
                    "assign its elements one by one; a table of up to {} constants is `const`",
                    super::table::LARGEST
                )));
        }
        let mut extents = vec![];
        for part in derived(&declarator.node.declarator) {
            let size = match &part.node {
                DerivedDeclarator::Array(array) => match &array.node.size {
                    ArraySize::VariableExpression(size) | ArraySize::StaticExpression(size) => size,
                    ArraySize::Unknown | ArraySize::VariableUnknown => {
                        return Err(Diagnostic::new(format!("the local array `{name}` has no extent"))
                            .at(span, "no extent")
                            .help("give the extent of every dimension"));
                    }
                },
                _ => {
                    return Err(Diagnostic::new(format!("the local variable `{name}` is no array of numbers"))
                        .at(span, "of another type")
                        .help("declare it with extents alone, as in `int t[8]`"));
                }
            };
            extents.push(self.scope.extent(size, name)?);
        }
        let array = self.local_memory(name, ty, extents, span);
        if lasting.is_some() {
            let own = &mut self.scope.arrays[array];
            own.lasting = lasting;
            own.storage = Storage::Local { declared_in: vec![], expanded: 0, transferred: false };
        }
        Ok(())
    }

    /// Declares memory of the kernel's own, under a name that nothing else has.
    fn local_memory(&mut self, name: &str, ty: &CType, extents: Vec<Affine>, span: Span) -> ArrayId {
        let unique = match check_name(name, span) {
            Ok(()) => self.scope.own(name),
            Err(_) => self.scope.fresh(&format!("{}_local", name.chars().take(40).collect::<String>())),
        };
        let array = self.memory(unique, ty, extents, span);
        self.scope.declare(name, Name::Array(array));
        array
    }

    /// Memory of the kernel's own that the user's text does not name.
    pub fn memory(&mut self, name: String, ty: &CType, extents: Vec<Affine>, span: Span) -> ArrayId {
        let element = ty.arithmetic().unwrap_or(ScalarType::I32);
        let declared_in = self.scope.loops.iter().map(|l| l.iterator.clone()).collect();
        let storage = Storage::Local { declared_in, expanded: 0, transferred: false };
        let (boolean, in_one) = (*ty == CType::Bool, self.scope.flattened.made.contains(&name));
        let array = Array { boolean, in_one, ..Array::new(name, element, extents, storage, span) };
        self.scope.arrays.push_and_get_key(array)
    }
}

/// The largest expression, in operators, that every use of a variable repeats.
pub const LARGEST: usize = 64;

pub fn size(expr: &Expr) -> usize {
    1 + expr.operands().into_iter().map(size).sum::<usize>()
}

/// How the block that declares a variable uses it.
#[derive(Clone, Copy, Default)]
pub struct Usage {
    /// Some loop counts with it.
    counts: bool,
    /// Something else changes it.
    assigned: bool,
    /// A subscript or the head of a loop uses it, or what a variable is assigned that they use.
    places: bool,
}

impl Usage {
    pub fn of(name: &str, items: &[Node<BlockItem>]) -> Usage {
        let mut search = Search::of(name);
        search.block(items);
        let (mut usage, mut seen, mut left) = (search.usage, search.receivers.clone(), search.receivers);
        while let Some(receiver) = left.pop().filter(|_| !usage.places) {
            let mut search = Search { anywhere: true, ..Search::of(&receiver) };
            search.block(items);
            usage.places = search.usage.places;
            let further: Vec<String> = search.receivers.into_iter().filter(|name| !seen.contains(name)).collect();
            seen.extend_from_slice(&further);
            left.extend(further);
        }
        usage
    }

    /// How a statement uses it.
    pub fn of_statement(name: &str, node: &Node<CStatement>) -> Usage {
        let mut search = Search::of(name);
        search.visit_statement(&node.node, &node.span);
        search.usage
    }

    /// Whether nothing changes it.
    pub fn is_constant(self) -> bool {
        !self.counts && !self.assigned
    }

    /// Whether the heads of loops alone change it.
    pub fn only_counts(self) -> bool {
        self.counts && !self.assigned
    }

    /// Whether subscripts or the heads of loops use it.
    pub fn is_place(self) -> bool {
        self.places
    }
}

struct Search<'n> {
    name: &'n str,
    usage: Usage,
    /// Variables of that name wherever they are declared.
    anywhere: bool,
    /// The variables whose values are made of it.
    receivers: Vec<String>,
}

impl<'n> Search<'n> {
    fn of(name: &'n str) -> Self {
        Search { name, usage: Usage::default(), anywhere: false, receivers: vec![] }
    }

    fn receive(&mut self, receiver: &str, value: &Node<Expression>) {
        if receiver != self.name && names_in(value).iter().any(|name| name == self.name) {
            self.receivers.push(receiver.to_string());
        }
    }
    fn block(&mut self, items: &[Node<BlockItem>]) {
        for item in items {
            // Another variable of the name hides this one.
            if !self.anywhere && matches!(&item.node, BlockItem::Declaration(d) if declares(&d.node, self.name)) {
                return;
            }
            self.visit_block_item(&item.node, &item.span);
        }
    }
}

impl<'ast> Visit<'ast> for Search<'_> {
    fn visit_statement(&mut self, statement: &'ast CStatement, span: &'ast ByteSpan) {
        match statement {
            CStatement::Compound(items) => self.block(items),
            _ => visit::visit_statement(self, statement, span),
        }
    }

    fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast ByteSpan) {
        let mut head = f.condition.as_deref().map(names_in).unwrap_or_default();
        match &f.initializer.node {
            ForInitializer::Expression(first) => head.extend(names_in(first)),
            ForInitializer::Declaration(declaration) => {
                let firsts = declaration.node.declarators.iter().filter_map(|d| d.node.initializer.as_ref());
                for first in firsts {
                    if let Initializer::Expression(first) = &first.node {
                        head.extend(names_in(first));
                    }
                }
            }
            _ => {}
        }
        self.usage.places |= head.iter().any(|name| name == self.name);
        match &f.initializer.node {
            ForInitializer::Declaration(declaration) if declares(&declaration.node, self.name) => {}
            ForInitializer::Expression(first)
                if steps(first).into_iter().filter_map(operation).any(|(_, first)| is_name(&first.lhs, self.name)) =>
            {
                self.usage.counts = true;
                self.visit_statement(&f.statement.node, &f.statement.span);
            }
            ForInitializer::StaticAssert(_) => self.visit_statement(&f.statement.node, &f.statement.span),
            _ => visit::visit_for_statement(self, f, span),
        }
    }

    fn visit_while_statement(&mut self, w: &'ast WhileStatement, span: &'ast ByteSpan) {
        self.usage.places |= names_in(&w.expression).iter().any(|name| name == self.name);
        visit::visit_while_statement(self, w, span);
    }

    fn visit_do_while_statement(&mut self, w: &'ast DoWhileStatement, span: &'ast ByteSpan) {
        self.usage.places |= names_in(&w.expression).iter().any(|name| name == self.name);
        visit::visit_do_while_statement(self, w, span);
    }

    fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast ByteSpan) {
        if assignment(&o.operator.node).is_some() {
            self.usage.assigned |= is_name(&o.lhs, self.name);
            if let Some(receiver) = variable(&o.lhs) {
                self.receive(receiver, &o.rhs);
            }
        }
        let is_subscript = o.operator.node == BinaryOperator::Index;
        self.usage.places |= is_subscript && names_in(&o.rhs).iter().any(|name| name == self.name);
        visit::visit_binary_operator_expression(self, o, span);
    }

    fn visit_init_declarator(&mut self, own: &'ast InitDeclarator, span: &'ast ByteSpan) {
        if let (Some(receiver), Some(Initializer::Expression(first))) =
            (identifier(&own.declarator.node), own.initializer.as_ref().map(|initializer| &initializer.node))
        {
            self.receive(&receiver.node.name, first);
        }
        visit::visit_init_declarator(self, own, span);
    }

    fn visit_unary_operator_expression(&mut self, unary: &'ast UnaryOperatorExpression, span: &'ast ByteSpan) {
        let changes = counts(&unary.operator.node) || unary.operator.node == UnaryOperator::Address;
        self.usage.assigned |= changes && is_name(&unary.operand, self.name);
        visit::visit_unary_operator_expression(self, unary, span);
    }
}

pub fn declares(declaration: &Declaration, name: &str) -> bool {
    let names = declaration.declarators.iter().filter_map(|d| identifier(&d.node.declarator.node));
    names.into_iter().any(|declared| declared.node.name == name)
}
