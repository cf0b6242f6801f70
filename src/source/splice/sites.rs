//! Where calls stand: as a statement, as what is assigned or what a variable begins with, or inside of an expression,
//! from where a call that changes nothing goes into a variable before the statement.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, CallExpression, Declaration, DerivedDeclarator, Expression,
    FunctionDefinition, IfStatement, InitDeclarator, Initializer, ParameterDeclaration, Statement, UnaryOperator,
};
use lang_c::span::{Node, Span as ByteSpan};
use lang_c::visit::{self, Visit};

use super::super::canonical::{Calls, has_call, names_in};
use super::super::function::{derived, identifier};
use super::super::inline::calls_itself;
use super::super::nest::{assignment, counts, target_of};
use super::super::preprocess::Splice;
use super::super::program::{Changed, Free};
use super::super::structs::type_specifiers;
use super::{Call, Piece, Splicer, Token};

/// A statement with calls.
pub struct Site<'u> {
    span: ByteSpan,
    kind: Kind<'u>,
    /// It stands in a list of statements, where others may stand before it.
    is_listed: bool,
}

enum Kind<'u> {
    /// `f(a);`
    Alone(&'u Node<Expression>),
    /// `x = f(a);`, `x = f(a) + 1;`
    Assigned(&'u BinaryOperatorExpression),
    /// `int x = f(a);` in a list of statements.
    Declared(&'u Declaration),
    /// `if (f(a))`
    Condition(&'u IfStatement),
    /// `while (f(a))`, `for (…; f(a); f(b))`
    Head { condition: Option<&'u Node<Expression>>, step: Option<&'u Node<Expression>>, body: &'u Node<Statement> },
    /// `do … while (f(a));`
    Foot(&'u Node<Expression>, &'u Node<Statement>),
    /// `switch (f(a))`
    Value(&'u Node<Expression>),
}

#[derive(Default)]
pub struct Sites<'u> {
    pub all: Vec<Site<'u>>,
    /// The last statement that stands in a list of such.
    listed: Option<ByteSpan>,
}

impl<'u> Visit<'u> for Sites<'u> {
    fn visit_block_item(&mut self, item: &'u BlockItem, span: &'u ByteSpan) {
        if let BlockItem::Declaration(declaration) = item {
            self.all.push(Site { span: declaration.span, kind: Kind::Declared(&declaration.node), is_listed: true });
        }
        if let BlockItem::Statement(own) = item {
            self.listed = Some(own.span);
        }
        visit::visit_block_item(self, item, span);
    }

    fn visit_statement(&mut self, statement: &'u Statement, span: &'u ByteSpan) {
        let kind = match statement {
            Statement::Expression(Some(expression)) => match &expression.node {
                Expression::BinaryOperator(o) if assignment(&o.node.operator.node).is_some() => {
                    Some(Kind::Assigned(&o.node))
                }
                _ => Some(Kind::Alone(expression)),
            },
            Statement::If(branch) => Some(Kind::Condition(&branch.node)),
            Statement::Switch(switch) => Some(Kind::Value(&switch.node.expression)),
            Statement::While(w) => {
                Some(Kind::Head { condition: Some(&w.node.expression), step: None, body: &w.node.statement })
            }
            Statement::DoWhile(w) => Some(Kind::Foot(&w.node.expression, &w.node.statement)),
            Statement::For(f) => Some(Kind::Head {
                condition: f.node.condition.as_deref(),
                step: f.node.step.as_deref(),
                body: &f.node.statement,
            }),
            _ => None,
        };
        let is_listed = self.listed.take() == Some(*span);
        self.all.extend(kind.map(|kind| Site { span: *span, kind, is_listed }));
        visit::visit_statement(self, statement, span);
    }
}

/// How deep calls in the bodies of calls are looked at.
const DEPTH: usize = 8;

/// A condition, and whether it holds or not where what depends on it is evaluated.
type Guard<'u> = (&'u Node<Expression>, bool);

/// The calls of an expression for which bodies are to stand, none inside of another, and under which conditions they are evaluated.
struct Inner<'f, 'u> {
    /// Whether a call stays where it is.
    stays: &'f dyn Fn(&CallExpression) -> bool,
    calls: Vec<(&'u CallExpression, ByteSpan, Vec<Guard<'u>>)>,
    around: Vec<Guard<'u>>,
    /// Pairs of which the second is evaluated when all that the first does is done, or not at all.
    ordered: Vec<(ByteSpan, ByteSpan)>,
}

impl<'f, 'u> Inner<'f, 'u> {
    fn new(stays: &'f dyn Fn(&CallExpression) -> bool) -> Self {
        Inner { stays, calls: vec![], around: vec![], ordered: vec![] }
    }

    fn under(&mut self, guard: Guard<'u>, node: &'u Node<Expression>) {
        self.around.push(guard);
        self.visit_expression(&node.node, &node.span);
        self.around.pop();
    }
}

impl<'u> Visit<'u> for Inner<'_, 'u> {
    fn visit_expression(&mut self, expression: &'u Expression, span: &'u ByteSpan) {
        match expression {
            Expression::Call(call) if (self.stays)(&call.node) => visit::visit_expression(self, expression, span),
            Expression::Call(call) => self.calls.push((&call.node, *span, self.around.clone())),
            Expression::Conditional(choice) => {
                let condition = &*choice.node.condition;
                self.visit_expression(&condition.node, &condition.span);
                let (then, otherwise) = (&choice.node.then_expression, &choice.node.else_expression);
                self.under((condition, true), then);
                self.under((condition, false), otherwise);
                let (first, then, otherwise) = (condition.span, then.span, otherwise.span);
                self.ordered.extend([(first, then), (first, otherwise), (then, otherwise), (otherwise, then)]);
            }
            Expression::BinaryOperator(o)
                if matches!(o.node.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) =>
            {
                self.visit_expression(&o.node.lhs.node, &o.node.lhs.span);
                self.under((&*o.node.lhs, o.node.operator.node == BinaryOperator::LogicalAnd), &o.node.rhs);
                self.ordered.push((o.node.lhs.span, o.node.rhs.span));
            }
            Expression::Comma(_) | Expression::SizeOfTy(_) | Expression::SizeOfVal(_) | Expression::Statement(_) => {}
            _ => visit::visit_expression(self, expression, span),
        }
    }
}

/// The variables that a body writes, also by subscripts, members and pointers.
#[derive(Clone, Default)]
pub struct Written {
    pub names: HashSet<String>,
    /// Those that stand where subscripts do, as `a` does in `i[a]`.
    pub subscripts: HashSet<String>,
    /// Names that are no subscripts, whatever stands behind them.
    pub arrays: HashSet<String>,
    /// Those of `names` by which other places are written than the variables themselves: `p` of `*p++ = x`, but not of `p++`.
    pub through: HashSet<String>,
}

impl Written {
    fn may_have(&self, name: &str) -> bool {
        self.names.contains(name) || self.subscripts.contains(name)
    }
}

impl<'ast> Visit<'ast> for Written {
    fn visit_expression(&mut self, expression: &'ast Expression, span: &'ast ByteSpan) {
        let target = target_of(expression);
        let is_variable = target.is_some_and(|target| matches!(target.node, Expression::Identifier(_)));
        let mut roots = target.map_or(vec![], |target| vec![(target, false)]);
        while let Some((node, is_subscript)) = roots.pop() {
            let own = |node| (node, is_subscript);
            match &node.node {
                Expression::Identifier(name) => {
                    let names = if is_subscript { &mut self.subscripts } else { &mut self.names };
                    names.insert(name.node.name.clone());
                    self.through.extend((!is_variable).then(|| name.node.name.clone()));
                }
                Expression::Member(member) => roots.push(own(&*member.node.expression)),
                Expression::UnaryOperator(unary) => roots.push(own(&*unary.node.operand)),
                Expression::Cast(cast) => roots.push(own(&*cast.node.expression)),
                Expression::BinaryOperator(o) if o.node.operator.node == BinaryOperator::Index => {
                    let is_array = matches!(&o.node.lhs.node, Expression::Identifier(name) if self.arrays.contains(&name.node.name));
                    roots.push(own(&*o.node.lhs));
                    roots.extend((!is_array).then_some((&*o.node.rhs, true)));
                }
                // Others make no places.
                Expression::BinaryOperator(o)
                    if matches!(o.node.operator.node, BinaryOperator::Plus | BinaryOperator::Minus)
                        || assignment(&o.node.operator.node).is_some() =>
                {
                    roots.extend([own(&*o.node.lhs), own(&*o.node.rhs)]);
                }
                Expression::Conditional(c) => {
                    roots.extend([own(&*c.node.then_expression), own(&*c.node.else_expression)]);
                }
                _ => {}
            }
        }
        // A call may write what it gets.
        if let Expression::Call(call) = expression {
            for argument in &call.node.arguments {
                if let Expression::Identifier(name) = &argument.node {
                    self.names.insert(name.node.name.clone());
                }
            }
        }
        visit::visit_expression(self, expression, span);
    }
}

/// Whether an expression changes nothing, and calls nobody.
pub fn is_silent(node: &Node<Expression>) -> bool {
    let mut written = Written::default();
    written.visit_expression(&node.node, &node.span);
    !has_call(node) && written.names.is_empty() && written.subscripts.is_empty()
}

pub fn parameters(callee: &FunctionDefinition) -> Vec<&Node<ParameterDeclaration>> {
    let prototype = derived(&callee.declarator).into_iter().find_map(|part| match &part.node {
        DerivedDeclarator::Function(prototype) => Some(&prototype.node.parameters),
        _ => None,
    });
    prototype.into_iter().flatten().collect()
}

/// The pointers that a body declares.
fn declared_pointers(body: &Node<Statement>) -> HashSet<String> {
    struct Pointers(HashSet<String>);
    impl<'ast> Visit<'ast> for Pointers {
        fn visit_init_declarator(&mut self, own: &'ast InitDeclarator, span: &'ast ByteSpan) {
            let is_pointer = |part: &&Node<DerivedDeclarator>| matches!(part.node, DerivedDeclarator::Pointer(_));
            if derived(&own.declarator).iter().any(is_pointer)
                && let Some(name) = identifier(&own.declarator.node)
            {
                self.0.insert(name.node.name.clone());
            }
            visit::visit_init_declarator(self, own, span);
        }
    }
    let mut found = Pointers(HashSet::new());
    found.visit_statement(&body.node, &body.span);
    found.0
}

/// Whether an expression is a place that one of some pointers leads to: `p`, `p + 1`, `&p[i]`.
fn is_place_of(node: &Node<Expression>, pointers: &HashSet<String>) -> bool {
    let is_place = |node: &Node<Expression>| is_place_of(node, pointers);
    match &node.node {
        Expression::Identifier(name) => pointers.contains(&name.node.name),
        Expression::Cast(cast) => is_place(&cast.node.expression),
        Expression::UnaryOperator(unary) if unary.node.operator.node == UnaryOperator::Address => {
            names_in(&unary.node.operand).iter().any(|name| pointers.contains(name))
        }
        Expression::UnaryOperator(unary) => counts(&unary.node.operator.node) && is_place(&unary.node.operand),
        Expression::BinaryOperator(o) => {
            matches!(o.node.operator.node, BinaryOperator::Plus | BinaryOperator::Minus)
                && (is_place(&o.node.lhs) || is_place(&o.node.rhs))
        }
        Expression::Conditional(c) => is_place(&c.node.then_expression) || is_place(&c.node.else_expression),
        _ => false,
    }
}

/// The arguments of a call that are no values, but places.
fn places<'n>(callee: &FunctionDefinition, call: &'n CallExpression) -> Vec<&'n Node<Expression>> {
    let is_place = |p: &Node<ParameterDeclaration>| p.node.declarator.as_ref().is_some_and(|d| !derived(d).is_empty());
    parameters(callee).into_iter().zip(&call.arguments).filter(|(p, _)| is_place(p)).map(|(_, own)| own).collect()
}

impl<'u> Splicer<'_, '_, 'u> {
    /// Whether a call is an expression, of numbers alone, or of a function that is not here.
    fn stays(&self, call: &CallExpression) -> bool {
        let Some(callee) = self.callee(call) else { return true };
        let is_record = |p: &&Node<ParameterDeclaration>| self.is_record(&p.node.specifiers);
        !self.has_whole(call) && self.gives_number(callee) && !parameters(callee).iter().any(is_record)
    }

    /// The statement at `span` with what a comma in front of its value separates before it: `x = (f(), g());` as `f(); x = g();`.
    fn in_turn(&self, value: &Node<Expression>, span: ByteSpan, is_bare: bool) -> Option<Vec<Splice>> {
        let Expression::Comma(parts) = &value.node else { return None };
        let (last, first) = parts.split_last().filter(|_| has_call(value))?;
        let here = ByteSpan::span(span.start, span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let part = |part: &Node<Expression>| self.pieces(self.preprocessed.balanced(part.span));
        let mut before: Vec<Piece> = if is_bare { vec![] } else { vec![word("{")] };
        before.extend(first.iter().flat_map(|own| [part(own), vec![word(";")]].concat()));
        let whole = self.preprocessed.balanced(value.span);
        let kept = [vec![word("(")], part(last), vec![word(")")]].concat();
        let mut edits = vec![(span.start..span.start, before), (whole.start..whole.end, kept)];
        if !is_bare {
            let end = self.preprocessed.end(span);
            edits.push((end..end, vec![word("}")]));
        }
        Some(edits)
    }

    /// What takes the place of the calls of a statement.
    pub fn site(&self, site: &Site<'u>, round: usize, number: &mut usize) -> Vec<Splice> {
        let bytes = site.span.start..self.preprocessed.end(site.span);
        let mut spliced = |call: Call<'u>| {
            *number += 1;
            let callee = self.callee(call.call)?;
            // Its calls would never end.
            if calls_itself(identifier(&callee.declarator.node)?.node.name.as_str(), &self.bodies) {
                return None;
            }
            self.body(&call, callee, &format!("_{}_{number}", round + 1))
        };
        let pieces = |span: ByteSpan| self.pieces(self.preprocessed.balanced(span));
        match &site.kind {
            Kind::Alone(node) => match &node.node {
                Expression::Call(call) => {
                    if let Some(pieces) = spliced(Call { span: site.span, call: &call.node, target: None }) {
                        return vec![(bytes, pieces)];
                    }
                }
                // `f(), g();` becomes `{ f(); g(); }`, whose calls the next round takes.
                Expression::Comma(parts) if has_call(node) => {
                    let here = ByteSpan::span(site.span.start, site.span.start + 1);
                    let word = |text: &str| (text.to_string(), here);
                    let one = |part: &Node<Expression>| [pieces(part.span), vec![word(";")]].concat();
                    let all = parts.iter().flat_map(one);
                    return vec![(bytes, [word("{")].into_iter().chain(all).chain([word("}")]).collect())];
                }
                _ => {}
            },
            Kind::Assigned(o) => {
                if let Some(edits) = self.in_turn(&o.rhs, site.span, false) {
                    return edits;
                }
                if let Expression::Call(call) = &o.rhs.node {
                    let target = Some((pieces(o.lhs.span), self.pieces(o.operator.span)));
                    if let Some(pieces) = spliced(Call { span: site.span, call: &call.node, target }) {
                        return vec![(bytes, pieces)];
                    }
                }
            }
            Kind::Declared(declaration) => {
                if let Some(edits) = self.declared_with(declaration, site.span, &mut spliced) {
                    return edits;
                }
            }
            Kind::Condition(branch) => {
                if let Some(edits) = self.in_turn(&branch.condition, site.span, site.is_listed) {
                    return edits;
                }
            }
            Kind::Head { condition, step, body } => {
                let edits = condition.map_or(vec![], |condition| self.head(condition, body));
                return if edits.is_empty() { step.map_or(vec![], |step| self.step(step, body)) } else { edits };
            }
            Kind::Foot(condition, body) => return self.foot(condition, body, site.span, site.is_listed),
            Kind::Value(value) => {
                if let Some(edits) = self.in_turn(value, site.span, false) {
                    return edits;
                }
            }
        }
        let mut edits = self.hoisted(site, bytes, &mut spliced);
        if let Kind::Condition(branch) = &site.kind
            && edits.is_empty()
        {
            edits = self.branch(branch, site.span, site.is_listed, number);
        }
        if !edits.is_empty() {
            return edits;
        }
        let (value, is_bare) = match &site.kind {
            Kind::Alone(value) | Kind::Value(value) => (*value, false),
            Kind::Assigned(o) => (&*o.rhs, false),
            Kind::Condition(branch) => (&*branch.condition, site.is_listed),
            Kind::Declared(Declaration { declarators, .. }) => match &declarators[..] {
                [Node { node: InitDeclarator { initializer: Some(first), .. }, .. }] => match &first.node {
                    Initializer::Expression(value) => (&**value, true),
                    Initializer::List(_) => return vec![],
                },
                _ => return vec![],
            },
            Kind::Head { .. } | Kind::Foot(..) => return vec![],
        };
        self.linear(value, site.span, is_bare, number).unwrap_or_default()
    }

    pub fn callee(&self, call: &CallExpression) -> Option<&'u FunctionDefinition> {
        let Expression::Identifier(name) = &call.callee.node else { return None };
        self.bodies.get(name.node.name.as_str()).map(|callee| &callee.node)
    }

    /// `int x = f(a);` as `int x; { … x = …; }`.
    fn declared_with(
        &self,
        declaration: &'u Declaration,
        span: ByteSpan,
        spliced: &mut impl FnMut(Call<'u>) -> Option<Vec<Piece>>,
    ) -> Option<Vec<Splice>> {
        let [only] = &declaration.declarators[..] else { return self.one_by_one(declaration, span) };
        let declarator = &only.node.declarator;
        let name = identifier(&declarator.node).filter(|_| derived(declarator).is_empty())?;
        let Initializer::Expression(first) = &only.node.initializer.as_ref()?.node else { return None };
        if let Some(edits) = self.in_turn(first, span, true) {
            return Some(edits);
        }
        let Expression::Call(call) = &first.node else { return None };
        let own = |text: &str| (text.to_string(), name.span);
        let target = Some((vec![own(&name.node.name)], vec![own("=")]));
        let body = spliced(Call { span, call: &call.node, target })?;
        let end = self.preprocessed.end(span);
        let mut edits = self.without_const(declaration)?;
        edits.push((self.preprocessed.end(declarator.span)..end, [vec![own(";")], body].concat()));
        Some(edits)
    }

    /// `int x = f(a), y = g(x);` as two declarations.
    fn one_by_one(&self, declaration: &'u Declaration, span: ByteSpan) -> Option<Vec<Splice>> {
        let takes_more = |call: &CallExpression| {
            self.callee(call).is_some_and(|callee| {
                self.is_record(&callee.specifiers)
                    || parameters(callee).iter().any(|p| {
                        self.is_record(&p.node.specifiers)
                            || p.node.declarator.as_ref().is_some_and(|d| !derived(d).is_empty())
                    })
            })
        };
        let mut calls = Calls::default();
        for first in declaration.declarators.iter().filter_map(|d| d.node.initializer.as_ref()) {
            calls.visit_initializer(&first.node, &first.span);
        }
        let specifiers: Vec<Piece> = declaration.specifiers.iter().flat_map(|s| self.pieces(s.span)).collect();
        if !calls.0.iter().any(|call| takes_more(call)) || specifiers.iter().any(|(text, _)| text == "{") {
            return None;
        }
        let mut pieces = vec![];
        for declarator in &declaration.declarators {
            pieces.extend(specifiers.clone());
            pieces.extend(self.pieces(self.preprocessed.balanced(declarator.span)));
            pieces.push((";".to_string(), ByteSpan::span(declarator.span.start, declarator.span.start + 1)));
        }
        Some(vec![(span.start..self.preprocessed.end(span), pieces)])
    }

    /// What a declaration of a variable that gets its value later leaves out; nothing can for a static one.
    fn without_const(&self, declaration: &Declaration) -> Option<Vec<Splice>> {
        let words = declaration.specifiers.iter().flat_map(|specifier| self.tokens(specifier.span));
        let words: Vec<_> = words.collect();
        let has = |word: &str| words.iter().any(|token| self.text(token) == word);
        (!has("static") && !has("extern")).then_some(())?;
        let consts = words.iter().filter(|token| self.text(token) == "const");
        Some(consts.map(|token| (token.start..token.end, vec![])).collect())
    }

    /// Calls inside of expressions: their values are there before the statement.
    fn hoisted(
        &self,
        site: &Site<'u>,
        bytes: std::ops::Range<usize>,
        spliced: &mut impl FnMut(Call<'u>) -> Option<Vec<Piece>>,
    ) -> Vec<Splice> {
        let stays = |call: &CallExpression| self.stays(call);
        let mut inner = Inner::new(&stays);
        let is_declared = match &site.kind {
            Kind::Alone(node) => {
                inner.visit_expression(&node.node, &node.span);
                false
            }
            Kind::Condition(branch) => {
                inner.visit_expression(&branch.condition.node, &branch.condition.span);
                false
            }
            Kind::Value(node) => {
                inner.visit_expression(&node.node, &node.span);
                false
            }
            Kind::Head { .. } | Kind::Foot(..) => return vec![],
            Kind::Assigned(o) => {
                inner.visit_expression(&o.lhs.node, &o.lhs.span);
                inner.visit_expression(&o.rhs.node, &o.rhs.span);
                false
            }
            Kind::Declared(declaration) => {
                // A later variable may begin with an earlier one's value.
                if let [only] = &declaration.declarators[..]
                    && let Some(first) = &only.node.initializer
                {
                    inner.visit_initializer(&first.node, &first.span);
                }
                true
            }
        };
        let here = ByteSpan::span(site.span.start, site.span.start + 1);
        let word = |text: &str| (text.to_string(), here);
        let (mut edits, mut before): (Vec<Splice>, Vec<Piece>) = (vec![], vec![]);
        let (sure, perhaps): (Vec<_>, Vec<_>) = inner.calls.into_iter().partition(|(.., guards)| guards.is_empty());
        let is_free = |callee: &FunctionDefinition, call: &CallExpression, span: ByteSpan| {
            self.is_pure(callee, 0) || self.is_alone(site, callee, call, span, &inner.ordered)
        };
        let mut all: Vec<_> = sure
            .into_iter()
            .filter(|(call, span, _)| self.callee(call).is_some_and(|callee| is_free(callee, call, *span)))
            .collect();
        // A condition is taken apart elsewhere; others have their own calls before them.
        if all.is_empty() && !matches!(site.kind, Kind::Condition(_)) {
            let is_free = |call: &CallExpression, span: ByteSpan, guards: &[Guard]| {
                self.callee(call).is_some_and(|callee| {
                    let stays = || self.is_pure(callee, 0) || self.leaves_guards(callee, call, guards);
                    is_free(callee, call, span) && !self.is_record(&callee.specifiers) && stays()
                }) && self.has_whole(call)
                    && guards.iter().all(|(condition, _)| is_silent(condition))
            };
            all.extend(perhaps.into_iter().filter(|(call, span, guards)| is_free(call, *span, guards)));
        }
        for (call, span, guards) in all {
            let Some(callee) = self.callee(call) else { continue };
            let name = format!("{}_{}", self.fresh(call), span.start);
            let target = Some((vec![word(&name)], vec![word("=")]));
            let Some(body) = spliced(Call { span: site.span, call, target }) else { continue };
            before.extend(type_specifiers(&callee.specifiers).iter().flat_map(|s| self.pieces(s.span)));
            before.push(word(&name));
            if !guards.is_empty() {
                before.extend(["=", "0"].map(word));
            }
            before.push(word(";"));
            for (condition, holds) in guards {
                let sign = if holds { "" } else { "!" };
                before.extend(["if", "(", sign, "("].into_iter().filter(|text| !text.is_empty()).map(word));
                before.extend(self.pieces(self.preprocessed.balanced(condition.span)));
                before.extend([")", ")"].map(word));
            }
            before.extend(body);
            let bytes = self.preprocessed.balanced(span);
            edits.push((bytes.start..bytes.end, vec![word(&name)]));
        }
        if edits.is_empty() {
            return vec![];
        }
        // Around a jump, braces would hide what it leaves.
        let is_bare = is_declared || site.is_listed && matches!(site.kind, Kind::Condition(_));
        if !is_bare {
            before.insert(0, word("{"));
            edits.push((bytes.end..bytes.end, vec![word("}")]));
        }
        edits.push((bytes.start..bytes.start, before));
        edits
    }

    /// Whether nothing else in the expressions around a call that may be evaluated before it names what it may change by the places
    /// that it gets; `ordered` as [`Inner`] has it.
    fn is_alone(
        &self,
        site: &Site<'u>,
        callee: &FunctionDefinition,
        call: &CallExpression,
        span: ByteSpan,
        ordered: &[(ByteSpan, ByteSpan)],
    ) -> bool {
        let around = match &site.kind {
            Kind::Condition(branch) => self.preprocessed.balanced(branch.condition.span),
            Kind::Value(value) => self.preprocessed.balanced(value.span),
            _ => ByteSpan::span(site.span.start, self.preprocessed.end(site.span)),
        };
        let own = self.preprocessed.balanced(span);
        let named: HashSet<&str> = places(callee, call)
            .into_iter()
            .flat_map(|argument| self.tokens(self.preprocessed.balanced(argument.span)))
            .filter(|token| token.kind == super::Kind::Word)
            .map(|token| self.text(token))
            .collect();
        let is_in = |start: usize, bytes: &ByteSpan| (bytes.start..bytes.end).contains(&start);
        let whole = |bytes: &ByteSpan| self.preprocessed.balanced(*bytes);
        let behind = ordered.iter().filter(|(first, _)| is_in(span.start, &whole(first)));
        let behind: Vec<ByteSpan> = behind.map(|(_, then)| whole(then)).collect();
        let is_other =
            |token: &&Token| !is_in(token.start, &own) && !behind.iter().any(|bytes| is_in(token.start, bytes));
        let others = self.tokens(around).iter().filter(is_other);
        let is_named = others.into_iter().any(|token| named.contains(self.text(token)));
        !is_named && self.changes_places_only(callee, 0)
    }

    /// Whether conditions are the same when a call is done that stands under them: they look at no memory, or it gets the places of single
    /// variables that have no other names, or neither goes through pointers that the caller sets: arrays are apart.
    fn leaves_guards(&self, callee: &FunctionDefinition, call: &CallExpression, guards: &[Guard]) -> bool {
        let text = |token: &Token| self.text(token).to_string();
        let is_memory = |token: &Token| matches!(self.text(token), "[" | "*" | "->");
        let looks =
            |(condition, _): &Guard| self.tokens(self.preprocessed.balanced(condition.span)).iter().any(is_memory);
        let own = self.tokens(ByteSpan::span(
            self.caller.statement.span.start,
            self.preprocessed.end(self.caller.statement.span),
        ));
        let is_single = |argument: &Node<Expression>| match self.tokens(self.preprocessed.balanced(argument.span)) {
            [and, name] if self.text(and) == "&" => {
                let place = ["=".to_string(), "&".into(), text(name)];
                !own.windows(3).any(|words| words.iter().map(text).eq(place.iter().cloned()))
            }
            _ => false,
        };
        let moving = self.pointers();
        let has_pointer = |node: &Node<Expression>| {
            let tokens = self.tokens(self.preprocessed.balanced(node.span));
            tokens.iter().any(|token| moving.contains(self.text(token)))
        };
        let all = places(callee, call);
        let are_apart =
            || !guards.iter().any(|(own, _)| has_pointer(own)) && !all.iter().any(|argument| has_pointer(argument));
        !guards.iter().any(looks) || all.iter().all(|argument| is_single(argument)) || are_apart()
    }

    /// The pointers that the caller declares, and its arguments that it changes.
    fn pointers(&self) -> HashSet<String> {
        let body = &self.caller.statement;
        let mut found = declared_pointers(body);
        let mut changed = Changed::default();
        changed.visit_statement(&body.node, &body.span);
        let arguments =
            parameters(self.caller).into_iter().filter_map(|own| identifier(&own.node.declarator.as_ref()?.node));
        found.extend(arguments.map(|name| name.node.name.clone()).filter(|name| changed.0.contains(name)));
        found
    }

    /// Whether a helper changes nothing but its own variables and what it gets places of, also by those that it calls.
    pub fn changes_places_only(&self, callee: &FunctionDefinition, depth: usize) -> bool {
        let mut written = Written::default();
        written.visit_statement(&callee.statement.node, &callee.statement.span);
        let free = Free::of_items(&super::super::plain::listed(&callee.statement));
        let of_others = |name: &String| {
            let is_own = |p: &&Node<ParameterDeclaration>| {
                let declarator = p.node.declarator.as_ref();
                declarator.and_then(|d| identifier(&d.node)).is_some_and(|own| own.node.name == *name)
            };
            !parameters(callee).iter().any(is_own)
        };
        // What another changes is among the places that it gets here.
        let is_others = |token: &Token| free.names.iter().any(|name| of_others(name) && self.text(token) == name);
        let is_harmless = |call: &&CallExpression| {
            let Some(own) = self.callee(call) else { return true };
            let places = places(own, call);
            let gets_others =
                places.iter().any(|a| self.tokens(self.preprocessed.balanced(a.span)).iter().any(is_others));
            self.is_pure(own, 0) || !gets_others && depth < DEPTH && self.changes_places_only(own, depth + 1)
        };
        let mut calls = Calls::default();
        calls.visit_statement(&callee.statement.node, &callee.statement.span);
        calls.0.iter().all(is_harmless) && !free.names.iter().any(|name| of_others(name) && written.may_have(name))
    }

    /// The beginning of a name that nobody has.
    fn fresh(&self, call: &CallExpression) -> String {
        let Expression::Identifier(name) = &call.callee.node else { return "value".into() };
        let mut own = format!("{}_value", name.node.name);
        while self.preprocessed.text.contains(&format!("{own}_")) {
            own.push('_');
            if own.len() > 200 {
                break;
            }
        }
        own
    }

    /// Whether a helper changes nothing but its own variables.
    fn is_pure(&self, callee: &FunctionDefinition, depth: usize) -> bool {
        let mut written = Written::default();
        written.visit_statement(&callee.statement.node, &callee.statement.span);
        let mut called = Calls::default();
        called.visit_statement(&callee.statement.node, &callee.statement.span);
        let own = parameters(callee).into_iter().filter_map(|p| p.node.declarator.as_ref());
        let own = own.filter(|d| !derived(d).is_empty());
        let mut pointers: HashSet<String> = own.filter_map(|d| Some(identifier(&d.node)?.node.name.clone())).collect();
        pointers.extend(declared_pointers(&callee.statement));
        let inner = called.0.iter().all(|call| match &call.callee.node {
            Expression::Identifier(name) => match self.bodies.get(name.node.name.as_str()) {
                Some(own) => depth < DEPTH && self.is_pure(&own.node, depth + 1),
                None => !call.arguments.iter().any(|argument| is_place_of(argument, &pointers)),
            },
            _ => false,
        });
        inner && !pointers.iter().any(|name| written.through.contains(name))
    }

    /// Whether the helper writes what tells the place that it gets: `f(&a[t.k], &t)`.
    pub fn moves_places(
        &self,
        callee: &FunctionDefinition,
        parameters: &[&Node<ParameterDeclaration>],
        call: &Call,
    ) -> bool {
        let mut written = Written::default();
        written.visit_statement(&callee.statement.node, &callee.statement.span);
        let words = |node: &Node<Expression>| -> Vec<String> {
            let tokens = self.tokens(self.preprocessed.balanced(node.span));
            tokens.iter().filter(|t| t.kind == super::Kind::Word).map(|t| self.text(t).to_string()).collect()
        };
        let pairs: Vec<_> = parameters
            .iter()
            .zip(&call.call.arguments)
            .filter_map(|(p, argument)| {
                let declarator = p.node.declarator.as_ref().filter(|d| !derived(d).is_empty())?;
                Some((identifier(&declarator.node)?.node.name.as_str(), words(argument)))
            })
            .collect();
        let changed: HashSet<&String> =
            pairs.iter().filter(|(name, _)| written.may_have(name)).filter_map(|(_, words)| words.first()).collect();
        pairs.iter().any(|(_, words)| words.iter().skip(1).any(|word| changed.contains(word)))
    }
}
