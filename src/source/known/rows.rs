//! Loops over all elements of rows as loops over rows and columns, and the heads of loops.

use std::collections::HashSet;

use lang_c::ast::{
    BinaryOperator, BinaryOperatorExpression, BlockItem, ConditionalExpression, Declaration, DeclarationSpecifier,
    Declarator, DeclaratorKind, DoWhileStatement, Expression, ForInitializer, ForStatement, IfStatement,
    InitDeclarator, Initializer, Statement, TypeSpecifier, UnaryOperator, UnaryOperatorExpression, WhileStatement,
};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};

use super::super::canonical::names_in;
use super::super::flat::{constant, expressions};
use super::super::function::identifier;
use super::super::kernel::ScalarType;
use super::super::nest::operation;
use super::super::plain::{binary, number, variable};
use super::super::polynomial::{Polynomial, changes};
use super::{Known, Variable, changed};

impl Known<'_> {
    /// A loop over rows where C has one over all of their elements: from `y * w` to `(y + 1) * w` it counts the columns, and up
    /// to `h * w` it is two.
    pub fn reshaped(&mut self, f: &ForStatement, span: Span) -> Option<Node<Statement>> {
        let head = self.limits(f)?;
        let Limits { name, first, end, operator, is_down } = &head;
        let is_large = Polynomial::has_products;
        if !is_large(first) && !is_large(end) || !self.declared.has_bits(name, 32) {
            return None;
        }
        // They have these values in all iterations.
        let changed = changed(&f.statement);
        let limit: HashSet<String> = f.condition.iter().flat_map(|condition| names_in(condition)).collect();
        let stays = |own: &String| !first.mentions(own) && !end.mentions(own) && !limit.contains(own);
        if changed.iter().any(|own| !stays(own) || own == name) || self.declared.addressed.contains(name) {
            return None;
        }
        let names = || [first, end].into_iter().flat_map(Polynomial::names).chain([name.clone()]);
        let are_signed = names().all(|name| self.declared.is_signed(&name));
        if !(are_signed || self.is_not_negative(first) && self.is_not_negative(end)) {
            return None;
        }
        let variable = self.declared.names.get(name)?.clone();
        let is_declared = matches!(f.initializer.node, ForInitializer::Declaration(_));
        if variable.iter().any(|own| own.ty != variable[0].ty) || !is_declared && !is_of_heads(&self.whole, name) {
            return None;
        }
        let count = end.plus(first, -1)?;
        let (ty, specifiers) = self.type_of_rows(&variable[0], first, end, span);
        let one = Polynomial::constant(1);
        // The loops' variables, outermost first, where they begin and end; and what is above 0 in the iterations that C has.
        let (mut value, mut limits, mut above) = (first.clone(), vec![], vec![]);
        if !is_large(&count) {
            let own = self.declared.fresh(name, &specifiers, ty);
            value = value.plus(&Polynomial::variable(&own), 1)?;
            limits.push((own, Polynomial::default(), count));
        } else {
            let all = self.all_rows(first, end, &divisors(&f.statement))?;
            let (skipped, left, rows) = (all.skipped, all.left, all.rows);
            value = Polynomial::default();
            for (k, (first, end)) in rows.into_iter().enumerate() {
                let own = self.declared.fresh(name, &specifiers, ty);
                // How many rows there are says nothing of a place.
                let before = if k == 0 { value } else { value.times(&end)? };
                value = before.plus(&Polynomial::variable(&own), 1)?;
                limits.push((own, first, end));
            }
            let variables = limits.iter().map(|(own, first, _)| Polynomial::variable(own).plus(first, -1));
            let begun = variables.collect::<Option<Vec<_>>>()?;
            let sum =
                |parts: &[Polynomial]| parts.iter().try_fold(Polynomial::default(), |sum, part| sum.plus(part, 1));
            if skipped == 1 {
                above.push(sum(&begun)?);
            }
            if left == 1 {
                let rest = |(own, _, end): &(String, Polynomial, Polynomial)| {
                    end.plus(&Polynomial::variable(own), -1)?.plus(&one, -1)
                };
                above.push(sum(&limits.iter().map(rest).collect::<Option<Vec<_>>>()?)?);
            }
            value = value.plus(&Polynomial::constant(all.moved), 1)?;
        }
        self.made.push(value.clone());
        if !has_condition_on(&f.statement, &changed) {
            self.loops.crossing.extend(limits.last().map(|(own, ..)| own.clone()));
        }
        let declares = |specifiers: Vec<_>, name: &str, value: Node<Expression>| {
            let own = lang_c::ast::Identifier { name: name.to_string() };
            let kind = Node::new(DeclaratorKind::Identifier(Node::new(own, span)), span);
            let declarator = Node::new(Declarator { kind, derived: vec![], extensions: vec![] }, span);
            let initializer = Some(Node::new(Initializer::Expression(Box::new(value)), span));
            let declarators = vec![Node::new(InitDeclarator { declarator, initializer }, span)];
            Node::new(Declaration { specifiers, declarators }, span)
        };
        let named = |name: &str| Polynomial::variable(name).expression(span);
        let own = declares(variable[0].specifiers.clone(), name, value.expression(span));
        let mut inner = (*f.statement).clone();
        for value in above {
            let condition = Box::new(binary(BinaryOperator::Greater, value.expression(span), number("0", span), span));
            let own = IfStatement { condition, then_statement: Box::new(inner), else_statement: None };
            inner = Node::new(Statement::If(Node::new(own, f.statement.span)), f.statement.span);
        }
        let body = Statement::Compound(vec![
            Node::new(BlockItem::Declaration(own), span),
            Node::new(BlockItem::Statement(inner), f.statement.span),
        ]);
        let body = Node::new(body, f.statement.span);
        // The sizes of arrays are not below 0.
        let up = if first.is_zero() { BinaryOperator::Less } else { operator.clone() };
        limits.into_iter().rev().try_fold(body, |body, (name, begin, limit)| {
            let (first, operator, limit, step) = match is_down {
                false => (begin, up.clone(), limit, UnaryOperator::PostIncrement),
                true => (limit.plus(&one, -1)?, BinaryOperator::GreaterOrEqual, begin, UnaryOperator::PostDecrement),
            };
            let condition = binary(operator, named(&name), limit.expression(span), span);
            let step = UnaryOperatorExpression { operator: Node::new(step, span), operand: Box::new(named(&name)) };
            let step = Node::new(Expression::UnaryOperator(Box::new(Node::new(step, span))), span);
            let first = declares(specifiers.clone(), &name, first.expression(span));
            let initializer = Node::new(ForInitializer::Declaration(first), span);
            let (condition, step) = (Some(Box::new(condition)), Some(Box::new(step)));
            let f = ForStatement { initializer, condition, step, statement: Box::new(body) };
            Some(Node::new(Statement::For(Node::new(f, span)), span))
        })
    }

    /// The rows between two places, or all but the first or the last element of them.
    fn all_rows(&self, first: &Polynomial, end: &Polynomial, divisors: &HashSet<String>) -> Option<AllRows> {
        let one = Polynomial::constant(1);
        // From 1 to all of them, as a loop counts that goes down to 0: the elements lie one before.
        let moved = first.constant_term();
        let by = Polynomial::constant(moved);
        if moved != 0
            && let Some(rows) = self.rows(&first.plus(&by, -1)?, &end.plus(&by, -1)?, divisors)
        {
            return Some(AllRows { rows, moved, skipped: 0, left: 0 });
        }
        // All but the first element, or the last: rows have one at least where they are gone through.
        let skipped = moved;
        if !(0..=1).contains(&skipped) {
            return None;
        }
        let first = first.plus(&one, skipped.checked_neg()?)?;
        let rows = |left: i64| self.rows(&first, &end.plus(&one, left)?, divisors);
        let (left, rows) = (0..=1).find_map(|left| Some((left, rows(left)?)))?;
        Some(AllRows { rows, moved: 0, skipped, left })
    }

    /// The type of the variables of rows and columns: that of the places themselves where the limits have it too.
    fn type_of_rows(
        &self,
        variable: &Variable,
        first: &Polynomial,
        end: &Polynomial,
        span: Span,
    ) -> (Option<ScalarType>, Vec<Node<DeclarationSpecifier>>) {
        let limits = || first.names().into_iter().chain(end.names());
        let is_own = |name: String| {
            let all = self.declared.names.get(&name);
            all.is_some_and(|all| all.iter().all(|own| own.ty == variable.ty))
        };
        if variable.ty.is_some_and(|ty| ty.signed) && limits().all(is_own) {
            return (variable.ty, variable.specifiers.clone());
        }
        let long = || Node::new(DeclarationSpecifier::TypeSpecifier(Node::new(TypeSpecifier::Long, span)), span);
        (Some(ScalarType::integer(64, true)), vec![long(), long()])
    }

    /// Why a loop to a product of sizes is none over rows; `None` where it is none to one.
    pub fn unlike_rows(&self, f: &ForStatement) -> Option<String> {
        let mut is_large = false;
        let parts = f.condition.iter().map(|own| (**own).clone()).chain(match &f.initializer.node {
            ForInitializer::Expression(first) => Some((**first).clone()),
            ForInitializer::Declaration(declaration) => {
                let first = declaration.node.declarators.first().and_then(|own| own.node.initializer.as_ref());
                first.and_then(|first| match &first.node {
                    Initializer::Expression(first) => Some((**first).clone()),
                    _ => None,
                })
            }
            _ => None,
        });
        for part in parts {
            let mut own = Node::new(Statement::Expression(Some(Box::new(part.clone()))), part.span);
            expressions(&mut own, &mut |inner| {
                is_large |= self.value_of(inner).is_some_and(|value| value.has_products());
                false
            });
        }
        if !is_large {
            return None;
        }
        let condition = f.condition.as_ref().and_then(|condition| operation(condition));
        let why = match (self.limits(f), condition) {
            (Some(limits), _) => {
                let is_declared = matches!(f.initializer.node, ForInitializer::Declaration(_));
                match changed(&f.statement) {
                    changed if changed.contains(&limits.name) => {
                        format!("its variable `{}` changes in it", limits.name)
                    }
                    _ if !is_declared && !is_of_heads(&self.whole, &limits.name) => {
                        format!("its variable `{}` is used behind it", limits.name)
                    }
                    _ => "it does not go from the beginning of a row to the end of one".to_string(),
                }
            }
            (None, Some((BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr, _))) => {
                "it ends on several conditions, of which a `break` may be one".to_string()
            }
            (None, _) => "it does not count by 1 between products of sizes".to_string(),
        };
        Some(why)
    }

    /// The loops over rows that one over all of their elements is, outermost first: where each begins and ends.
    fn rows(
        &self,
        first: &Polynomial,
        end: &Polynomial,
        divisors: &HashSet<String>,
    ) -> Option<Vec<(Polynomial, Polynomial)>> {
        let mut terms = end.terms();
        let only = terms.next().filter(|_| terms.next().is_none());
        // An argument that bounds a loop is a size.
        let is_size = |name: &String| self.wanted.sizes.contains(name) || self.declared.is_constant_argument(name);
        // Rows with a border: all of such an array.
        let is_all = |shape: &&Vec<Polynomial>| {
            let product = shape.iter().try_fold(Polynomial::constant(1), |product, extent| product.times(extent));
            let mut terms = shape.iter().flat_map(Polynomial::terms);
            product.is_some_and(|product| product == *end) && terms.all(|(term, by)| by > 0 && term.iter().all(is_size))
        };
        if only.is_none()
            && first.is_zero()
            && let Some(shape) = self.wanted.shapes.iter().find(is_all)
        {
            return Some(shape.iter().map(|extent| (Polynomial::default(), extent.clone())).collect());
        }
        if let Some((term, by)) = only.filter(|_| first.is_zero())
            && by > 0
            && term.iter().all(is_size)
        {
            let is_same = |sizes: &&Vec<String>| {
                let mut sizes = (*sizes).clone();
                sizes.sort();
                sizes == term
            };
            let mut orders: Vec<Vec<String>> = self.wanted.products.iter().filter(is_same).cloned().collect();
            orders.extend([term.to_vec(), term.iter().rev().cloned().collect()]);
            // What the body divides by is the length of a row.
            let divides = |order: &&Vec<String>| order.last().is_some_and(|size| divisors.contains(size));
            let sizes = orders.iter().find(divides).or(orders.first()).cloned()?;
            let own = |(k, size): (usize, &String)| {
                let by = if k + 1 == sizes.len() { by } else { 1 };
                Some((Polynomial::default(), Polynomial::variable(size).times(&Polynomial::constant(by))?))
            };
            return sizes.iter().enumerate().map(own).collect();
        }
        // From the beginning of a row to the end of one: the rows between may be in a plane.
        self.wanted.products.iter().flat_map(|sizes| sizes.iter().rev()).find_map(|size| {
            let row = Polynomial::variable(size);
            let [begin, is_begin] = first.divided(&row)?;
            let [end, is_end] = end.divided(&row)?;
            let fits = is_begin.is_zero() && is_end.is_zero() && !begin.mentions(size) && !end.mentions(size);
            fits.then(|| vec![(begin, end), (Polynomial::default(), row)])
        })
    }

    /// The head of a loop that counts by 1.
    pub fn head(&self, f: &ForStatement) -> Option<Head> {
        let Limits { name, first, end, operator, is_down } = self.limits(f)?;
        let head = Head { name, first, end, is_down };
        let ends = operator == BinaryOperator::Less || head.is_never_short(&self.wanted.sizes);
        let is_free = !self.declared.addressed.contains(&head.name);
        (ends && is_free && self.declared.has_bits(&head.name, 8)).then_some(head)
    }

    /// Where a loop that counts by 1 begins, and what it ends before; where it counts down, the same of the values that its variable has.
    fn limits(&self, f: &ForStatement) -> Option<Limits> {
        let (name, first) = match &f.initializer.node {
            ForInitializer::Declaration(declaration) => {
                let [only] = &declaration.node.declarators[..] else { return None };
                let Initializer::Expression(first) = &only.node.initializer.as_ref()?.node else { return None };
                (identifier(&only.node.declarator.node)?.node.name.clone(), self.value_of(first)?)
            }
            ForInitializer::Expression(first) => match operation(first)? {
                (BinaryOperator::Assign, o) => (variable(&o.lhs)?.to_string(), self.value_of(&o.rhs)?),
                _ => return None,
            },
            _ => return None,
        };
        if f.step.is_none() {
            let end = first;
            let first = Polynomial::default();
            let is_own = counted_down(f.condition.as_ref()?, self.declared.is_signed(&name)) == Some(&name);
            return is_own.then_some(Limits { name, first, end, operator: BinaryOperator::Less, is_down: true });
        }
        let is_one = |by: &Node<Expression>| self.value_of(by).and_then(|by| by.as_constant()) == Some(1);
        let is_down = match &f.step.as_ref()?.node {
            Expression::UnaryOperator(unary) if variable(&unary.node.operand) == Some(&name) => {
                match unary.node.operator.node {
                    UnaryOperator::PostIncrement | UnaryOperator::PreIncrement => false,
                    UnaryOperator::PostDecrement | UnaryOperator::PreDecrement => true,
                    _ => return None,
                }
            }
            _ => match operation(f.step.as_ref()?)? {
                (BinaryOperator::AssignPlus, o) if variable(&o.lhs) == Some(&name) && is_one(&o.rhs) => false,
                (BinaryOperator::AssignMinus, o) if variable(&o.lhs) == Some(&name) && is_one(&o.rhs) => true,
                _ => return None,
            },
        };
        let (operator, o) = operation(f.condition.as_ref()?)?;
        let limit = (variable(&o.lhs) == Some(&name) && !changes(&o.rhs)).then(|| self.value_of(&o.rhs))??;
        let one = Polynomial::constant(1);
        let (operator, first, end) = match (operator, is_down) {
            (operator @ (BinaryOperator::Less | BinaryOperator::NotEquals), false) => (operator, first, limit),
            (BinaryOperator::LessOrEqual, false) => (BinaryOperator::Less, first, limit.plus(&one, 1)?),
            // Below 0 it comes to an end if it has a sign.
            (BinaryOperator::GreaterOrEqual, true) if self.declared.is_signed(&name) => {
                (BinaryOperator::Less, limit, first.plus(&one, 1)?)
            }
            // At 0 it ends without a sign, too.
            (BinaryOperator::Greater | BinaryOperator::NotEquals, true) if limit.is_zero() => {
                (BinaryOperator::Less, one.clone(), first.plus(&one, 1)?)
            }
            (BinaryOperator::Greater, true) if self.declared.is_signed(&name) => {
                (BinaryOperator::Less, limit.plus(&one, 1)?, first.plus(&one, 1)?)
            }
            _ => return None,
        };
        Some(Limits { name, first, end, operator, is_down })
    }
}

/// Where variables for rows, columns and so on begin and end, outermost first.
struct AllRows {
    rows: Vec<(Polynomial, Polynomial)>,
    /// What the loop's variable is more than the place.
    moved: i64,
    /// How many elements there are before the first, and behind the last.
    skipped: i64,
    left: i64,
}

/// The variable of a loop, the least of its values and what they end before, by `<` or `!=`.
struct Limits {
    name: String,
    first: Polynomial,
    end: Polynomial,
    operator: BinaryOperator,
    is_down: bool,
}

/// A loop from `first` to one before `end`, or back.
pub struct Head {
    pub name: String,
    pub first: Polynomial,
    pub end: Polynomial,
    pub is_down: bool,
}

impl Head {
    /// How many iterations are over.
    pub fn over(&self) -> Option<Polynomial> {
        let iterator = Polynomial::variable(&self.name);
        match self.is_down {
            false => iterator.plus(&self.first, -1),
            true => self.end.plus(&Polynomial::constant(1), -1)?.plus(&iterator, -1),
        }
    }

    /// Whether the end is never before the beginning.
    pub fn is_never_short(&self, sizes: &HashSet<String>) -> bool {
        let Some(first) = self.first.as_constant() else { return false };
        match self.end.as_constant() {
            Some(end) => first <= end,
            // The sizes of arrays are not below 0.
            None => {
                let mut terms = self.end.terms();
                first <= 0 && terms.all(|(term, count)| count > 0 && term.iter().all(|name| sizes.contains(name)))
            }
        }
    }
}

/// The variable of a condition that counts it down to 0: `i--`, `i-- > 0`, `i-- != 0`, or `--i >= 0` of one that has a sign.
fn counted_down(condition: &Node<Expression>, is_signed: bool) -> Option<&str> {
    let by = |node: &Node<Expression>, expected| matches!(&node.node, Expression::UnaryOperator(unary) if unary.node.operator.node == expected);
    let counted = match operation(condition) {
        None if by(condition, UnaryOperator::PostDecrement) => condition,
        Some((operator, o)) if constant(&o.rhs) == Some(0) => match operator {
            BinaryOperator::Greater | BinaryOperator::NotEquals if by(&o.lhs, UnaryOperator::PostDecrement) => &o.lhs,
            BinaryOperator::GreaterOrEqual if is_signed && by(&o.lhs, UnaryOperator::PreDecrement) => &o.lhs,
            _ => return None,
        },
        _ => return None,
    };
    match &counted.node {
        Expression::UnaryOperator(unary) => variable(&unary.node.operand),
        _ => None,
    }
}

/// Whether a variable is named in loops only that begin with it, and where it is declared.
fn is_of_heads(body: &Node<Statement>, name: &str) -> bool {
    struct Outside<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Outside<'_> {
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast Span) {
            let is_own = match &f.initializer.node {
                ForInitializer::Expression(first) => match operation(first) {
                    Some((BinaryOperator::Assign, o)) if variable(&o.lhs) == Some(self.0) => {
                        self.visit_expression(&o.rhs.node, &o.rhs.span);
                        true
                    }
                    _ => false,
                },
                _ => false,
            };
            if !is_own {
                visit::visit_for_statement(self, f, span);
            }
        }
        fn visit_declarator(&mut self, _: &'ast Declarator, _: &'ast Span) {}
        fn visit_identifier(&mut self, identifier: &'ast lang_c::ast::Identifier, _: &'ast Span) {
            self.1 |= identifier.name == self.0;
        }
    }
    let mut outside = Outside(name, false);
    outside.visit_statement(&body.node, &body.span);
    !outside.1
}

/// The variables that a statement divides by.
fn divisors(body: &Node<Statement>) -> HashSet<String> {
    struct Divisors(HashSet<String>);
    impl<'ast> Visit<'ast> for Divisors {
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            if matches!(o.operator.node, BinaryOperator::Divide | BinaryOperator::Modulo) {
                self.0.extend(variable(&o.rhs).map(str::to_string));
            }
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut divisors = Divisors(HashSet::new());
    divisors.visit_statement(&body.node, &body.span);
    divisors.0
}

/// Whether a statement has a condition on columns: that names one of these, or takes a remainder.
pub fn has_condition_on(body: &Node<Statement>, names: &[String]) -> bool {
    struct Conditions<'n>(&'n [String], bool);
    impl Conditions<'_> {
        fn look(&mut self, condition: &Node<Expression>) {
            let own = condition.clone();
            let mut inside = Node::new(Statement::Expression(Some(Box::new(own.clone()))), own.span);
            expressions(&mut inside, &mut |part| {
                self.1 |= matches!(operation(part), Some((BinaryOperator::Modulo, _)));
                false
            });
            self.1 |= names_in(&own).iter().any(|name| self.0.contains(name));
        }
    }
    impl<'ast> Visit<'ast> for Conditions<'_> {
        fn visit_if_statement(&mut self, branch: &'ast IfStatement, span: &'ast Span) {
            self.look(&branch.condition);
            visit::visit_if_statement(self, branch, span);
        }
        fn visit_conditional_expression(&mut self, c: &'ast ConditionalExpression, span: &'ast Span) {
            self.look(&c.condition);
            visit::visit_conditional_expression(self, c, span);
        }
        fn visit_binary_operator_expression(&mut self, o: &'ast BinaryOperatorExpression, span: &'ast Span) {
            if matches!(o.operator.node, BinaryOperator::LogicalAnd | BinaryOperator::LogicalOr) {
                self.look(&o.lhs);
            }
            visit::visit_binary_operator_expression(self, o, span);
        }
    }
    let mut conditions = Conditions(names, false);
    conditions.visit_statement(&body.node, &body.span);
    conditions.1
}

/// Whether a variable bounds loops of a statement.
pub fn bounds(body: &Node<Statement>, name: &str) -> bool {
    struct Bounds<'n>(&'n str, bool);
    impl<'ast> Visit<'ast> for Bounds<'_> {
        fn visit_for_statement(&mut self, f: &'ast ForStatement, span: &'ast Span) {
            let limit = f.condition.iter().flat_map(|condition| names_in(condition));
            let begin = match &f.initializer.node {
                ForInitializer::Expression(first) => names_in(first),
                ForInitializer::Declaration(declaration) => {
                    let values = declaration.node.declarators.iter().filter_map(|own| own.node.initializer.as_ref());
                    values
                        .flat_map(|value| match &value.node {
                            Initializer::Expression(value) => names_in(value),
                            Initializer::List(_) => vec![],
                        })
                        .collect()
                }
                _ => vec![],
            };
            self.1 |= limit.chain(begin).any(|own| own == self.0);
            visit::visit_for_statement(self, f, span);
        }
        fn visit_while_statement(&mut self, w: &'ast WhileStatement, span: &'ast Span) {
            self.1 |= names_in(&w.expression).iter().any(|own| own == self.0);
            visit::visit_while_statement(self, w, span);
        }
        fn visit_do_while_statement(&mut self, w: &'ast DoWhileStatement, span: &'ast Span) {
            self.1 |= names_in(&w.expression).iter().any(|own| own == self.0);
            visit::visit_do_while_statement(self, w, span);
        }
    }
    let mut bounds = Bounds(name, false);
    bounds.visit_statement(&body.node, &body.span);
    bounds.1
}
