//! One lowered expression as Verilog text.
//!
//! Verilog takes an expression's width and sign from its surroundings. So that they cannot change a meaning, every
//! operand whose width the surroundings decide is printed with exactly that width, and sign matters in three places
//! only: ordered comparisons, arithmetic right shifts and products of narrow operands. There the text's own sign is
//! tracked, and `$signed()` and `$unsigned()` stand where it is not the one that is meant.

use std::collections::{BTreeMap, HashMap};

use super::expr::{Binary, Comparison, Expr, Op};
use super::lower::strip;
use super::module::Field;
use super::types::Type;

/// How tightly a text binds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Level {
    Primary,
    /// `!x`, `~x`.
    Invert,
    /// `-x`, `-8'sd5`.
    Minus,
    /// `|x`, `&x`.
    Reduction,
    Product,
    Sum,
    Shift,
    Comparison,
    Bitwise(Binary),
    LogicalAnd,
    LogicalOr,
    Choice,
}

/// Text with soft line breaks: a character of a private range, which says how deep the break lies.
struct Text {
    text: String,
    level: Level,
    /// Whether Verilog takes it as signed.
    signed: bool,
}

/// A name that stands for a value.
#[derive(Clone, Debug)]
pub(super) struct Identifier {
    pub name: String,
    pub ty: Type,
}

/// Which bits of each name the printed text reads.
pub(super) type ReadBits = BTreeMap<String, Vec<bool>>;

#[derive(Default)]
pub(super) struct Writer {
    /// Nodes that have a wire of their own.
    pub named: HashMap<*const (), Identifier>,
    pub read: ReadBits,
    /// The fields of words, by the words' names.
    pub fields: HashMap<String, Vec<Field>>,
    /// The fields that the text names, with their places.
    pub places: BTreeMap<String, u32>,
}

/// Whether it is a product of operands narrower than itself, which prints only as the whole of an assignment's value.
pub(super) fn is_widening_product(e: &Expr) -> bool {
    matches!(e.op(), Op::Multiply(a, b) if a.width() < e.width() || b.width() < e.width())
}

/// Whether it prints as a text whose width the surroundings cannot change.
pub(super) fn is_self_contained(e: &Expr) -> bool {
    matches!(
        strip(e).op(),
        Op::Constant(_) | Op::Signal(_) | Op::Parameter(_) | Op::Slice(..) | Op::Concat(_) | Op::Replicate(..)
    )
}

impl Writer {
    /// As the whole right-hand side of an assignment to a target of that sign.
    pub fn assigned(&mut self, e: &Expr, signed: bool) -> String {
        let bare = strip(e);
        if is_widening_product(bare)
            && !self.named.contains_key(&bare.id())
            && let Op::Multiply(a, b) = bare.op()
        {
            return self.widening_product(a, b, bare.width());
        }
        self.text(e, signed, true, 0).text
    }

    /// Where it is a condition or a port's value.
    pub fn alone(&mut self, e: &Expr) -> String {
        self.text(e, e.ty().signed, true, 0).text
    }

    /// Where it is a case's subject; the labels' sign reaches it.
    pub fn subject(&mut self, e: &Expr) -> String {
        self.text(e, e.ty().signed, false, 0).text
    }

    pub fn read_all(&mut self, name: &str, width: u32) {
        self.read_bits(name, width, width - 1, 0);
    }

    fn read_bits(&mut self, name: &str, width: u32, high: u32, low: u32) {
        if !self.read.contains_key(name) {
            self.read.insert(name.to_string(), vec![false; width as usize]);
        }
        let bits = self.read.get_mut(name).expect("just inserted");
        bits[low as usize..=high as usize].fill(true);
    }

    fn identifier(&self, e: &Expr) -> Option<Identifier> {
        match e.op() {
            Op::Signal(signal) => Some(Identifier { name: signal.name().to_string(), ty: signal.ty() }),
            _ => self.named.get(&e.id()).cloned(),
        }
    }

    /// `signed` is the sign that suits the surroundings, which decides how constants look. `own` is set where the
    /// surroundings' sign cannot reach the text.
    fn text(&mut self, e: &Expr, signed: bool, own: bool, depth: u32) -> Text {
        let e = strip(e);
        if let Some(identifier) = self.identifier(e) {
            self.read_all(&identifier.name, identifier.ty.width);
            return Text { text: identifier.name, level: Level::Primary, signed: identifier.ty.signed };
        }
        let plain = |text: String, level: Level| Text { text, level, signed: false };
        match e.op() {
            Op::Constant(value) => constant(*value, e.ty(), signed),
            Op::Parameter(parameter) => {
                Text { text: parameter.name().to_string(), level: Level::Primary, signed: parameter.ty().signed }
            }
            Op::Not(a) => {
                let (sign, own) = if e.width() == 1 { ("!", true) } else { ("~", false) };
                let a = self.text(a, signed, own, depth + 1);
                let text = format!("{sign}{}", grouped(&a, a.level != Level::Primary));
                Text { text, level: Level::Invert, signed: a.signed && e.width() > 1 }
            }
            Op::Negate(a) => {
                let a = self.text(a, signed, false, depth + 1);
                let text = format!("-{}", grouped(&a, a.level != Level::Primary));
                Text { text, level: Level::Minus, signed: a.signed }
            }
            Op::Binary(operator @ (Binary::And | Binary::Or), a, b) if e.width() == 1 => {
                let (symbol, level) =
                    if *operator == Binary::And { ("&&", Level::LogicalAnd) } else { ("||", Level::LogicalOr) };
                self.logical(symbol, level, a, b, depth)
            }
            Op::Binary(operator, a, b) => self.binary(*operator, a, b, signed, depth),
            Op::Multiply(a, b) => {
                let a = self.text(a, signed, false, depth + 1);
                let b = self.text(b, signed, false, depth + 1);
                let left = grouped(&a, !matches!(a.level, Level::Primary | Level::Product | Level::Invert));
                let right = grouped(&b, !matches!(b.level, Level::Primary | Level::Invert));
                let text = format!("{left}{}* {right}", soft(depth));
                Text { text, level: Level::Product, signed: a.signed && b.signed }
            }
            Op::ShiftLeft(value, amount) => {
                let value = self.text(value, signed, false, depth + 1);
                let text = format!("{} << {}", shifted(&value), self.amount(amount, depth));
                Text { text, level: Level::Shift, signed: value.signed }
            }
            Op::ShiftRight(value, amount) if e.ty().signed => {
                let value = self.signed(value, depth + 1);
                let text = format!("{} >>> {}", shifted(&value), self.amount(amount, depth));
                let text = Text { text, level: Level::Shift, signed: true };
                if own { text } else { call("$signed", &text) }
            }
            Op::ShiftRight(value, amount) => {
                let value = self.text(value, false, false, depth + 1);
                let text = format!("{} >> {}", shifted(&value), self.amount(amount, depth));
                Text { text, level: Level::Shift, signed: value.signed }
            }
            Op::Compare(comparison, a, b) => self.comparison(*comparison, a, b, depth),
            Op::Select(condition, then, otherwise) => {
                let condition = self.text(condition, false, true, depth + 1);
                let then = self.text(then, signed, false, depth + 1);
                let otherwise = self.text(otherwise, signed, false, depth);
                let text = format!(
                    "{}{mark}? {}{mark}: {}",
                    grouped(&condition, !matches!(condition.level, Level::Primary | Level::Invert)),
                    grouped(&then, then.level == Level::Choice),
                    otherwise.text,
                    mark = hard(depth),
                );
                Text { text, level: Level::Choice, signed: then.signed && otherwise.signed }
            }
            Op::Concat(parts) => {
                let parts: Vec<String> =
                    parts.iter().map(|part| self.text(part, false, true, depth + 1).text).collect();
                plain(format!("{{{}}}", parts.join(&format!(",{}", soft(depth)))), Level::Primary)
            }
            Op::Replicate(n, inner) => {
                let braced = matches!(strip(inner).op(), Op::Concat(_)) && self.identifier(strip(inner)).is_none();
                let inner = self.text(inner, false, true, depth + 1).text;
                plain(if braced { format!("{{{n}{inner}}}") } else { format!("{{{n}{{{inner}}}}}") }, Level::Primary)
            }
            Op::Slice(inner, high, low) => {
                let identifier = self.identifier(strip(inner)).expect("bits are selected from what has a name");
                self.read_bits(&identifier.name, identifier.ty.width, *high, *low);
                let range = self.range(&identifier.name, *high, *low);
                plain(format!("{}[{range}]", identifier.name), Level::Primary)
            }
            Op::ReduceOr(a) | Op::ReduceAnd(a) => {
                let a = self.text(a, false, true, depth + 1);
                let symbol = if matches!(e.op(), Op::ReduceOr(_)) { '|' } else { '&' };
                plain(format!("{symbol}{}", grouped(&a, a.level != Level::Primary)), Level::Reduction)
            }
            Op::Signal(_) | Op::Extend(_) | Op::Cast(_) => unreachable!("names and lowering leave none"),
        }
    }

    /// What stands between brackets: bits by number, or by the field that they are of.
    fn range(&mut self, word: &str, high: u32, low: u32) -> String {
        // Bits of one field, or several whole ones side by side.
        let fields = self.fields.get(word).map_or(&[][..], |fields| fields);
        let ends = fields.iter().any(|field| field.low + field.width == high + 1);
        let of = |field: &&Field| (field.low <= low && high < field.low + field.width) || (field.low == low && ends);
        let Some(field) = fields.iter().find(of).cloned() else {
            return if high == low { format!("{high}") } else { format!("{high}:{low}") };
        };
        self.places.insert(field.name.clone(), field.low);
        let from = match low - field.low {
            0 => field.name,
            offset => format!("{} + {offset}", field.name),
        };
        if high == low { from } else { format!("{from} +: {}", high - low + 1) }
    }

    /// The text, made signed where it is not.
    fn signed(&mut self, e: &Expr, depth: u32) -> Text {
        let text = self.text(e, true, false, depth);
        if text.signed { text } else { call("$signed", &self.text(e, true, true, depth)) }
    }

    fn amount(&mut self, amount: &Expr, depth: u32) -> String {
        match amount.as_constant() {
            Some(n) => n.to_string(),
            None => {
                let amount = self.text(amount, false, true, depth + 1);
                grouped(&amount, !matches!(amount.level, Level::Primary | Level::Invert))
            }
        }
    }

    fn logical(&mut self, symbol: &str, level: Level, a: &Expr, b: &Expr, depth: u32) -> Text {
        let mut side = |e: &Expr| {
            let same = matches!(
                (strip(e).op(), level),
                (Op::Binary(Binary::And, ..), Level::LogicalAnd) | (Op::Binary(Binary::Or, ..), Level::LogicalOr)
            );
            let text = self.text(e, false, true, if same { depth } else { depth + 1 });
            let open = matches!(text.level, Level::Primary | Level::Invert | Level::Comparison) || text.level == level;
            grouped(&text, !open)
        };
        Text { text: format!("{}{}{symbol} {}", side(a), soft(depth), side(b)), level, signed: false }
    }

    fn binary(&mut self, operator: Binary, a: &Expr, b: &Expr, signed: bool, depth: u32) -> Text {
        let chained = |e: &Expr| match (strip(e).op(), operator) {
            (Op::Binary(inner, ..), Binary::Add | Binary::Subtract) => {
                matches!(inner, Binary::Add | Binary::Subtract)
            }
            (Op::Binary(inner, ..), _) => *inner == operator,
            _ => false,
        };
        let left_depth = if chained(a) && !self.named.contains_key(&strip(a).id()) { depth } else { depth + 1 };
        let left = self.text(a, signed, false, left_depth);
        // Adding a negative constant is subtracting its magnitude.
        let negated = match (operator, strip(b).as_constant()) {
            (Binary::Add | Binary::Subtract, Some(value)) if value < 0 => value.checked_neg(),
            _ => None,
        };
        let (operator, right) = match negated {
            Some(magnitude) => {
                let flipped = if operator == Binary::Add { Binary::Subtract } else { Binary::Add };
                let ty = Type { width: b.width(), signed: false };
                (flipped, constant(magnitude, ty, signed))
            }
            None => (operator, self.text(b, signed, false, depth + 1)),
        };
        let signed = left.signed && right.signed;
        let (symbol, level) = match operator {
            Binary::Add => ("+", Level::Sum),
            Binary::Subtract => ("-", Level::Sum),
            Binary::And => ("&", Level::Bitwise(operator)),
            Binary::Or => ("|", Level::Bitwise(operator)),
            Binary::Xor => ("^", Level::Bitwise(operator)),
        };
        let open = |text: &Text, left: bool| match text.level {
            Level::Primary | Level::Invert => true,
            Level::Product => level == Level::Sum,
            Level::Minus => left && level == Level::Sum,
            other => left && other == level,
        };
        let text = format!(
            "{}{}{symbol} {}",
            grouped(&left, !open(&left, true)),
            soft(depth),
            grouped(&right, !open(&right, false))
        );
        Text { text, level, signed }
    }

    fn comparison(&mut self, comparison: Comparison, a: &Expr, b: &Expr, depth: u32) -> Text {
        let symbol = match comparison {
            Comparison::Equal => "==",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        };
        let ordered = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let signed = a.ty().signed;
        let (left, right) = if ordered && signed {
            (self.signed(a, depth + 1), self.signed(b, depth + 1))
        } else {
            let left = self.text(a, signed, false, depth + 1);
            let right = self.text(b, signed, false, depth + 1);
            if ordered && left.signed && right.signed {
                (call("$unsigned", &self.text(a, false, true, depth + 1)), right)
            } else {
                (left, right)
            }
        };
        let open = |text: &Text| {
            matches!(text.level, Level::Primary | Level::Invert | Level::Minus | Level::Product | Level::Sum)
        };
        let text =
            format!("{}{}{symbol} {}", grouped(&left, !open(&left)), soft(depth), grouped(&right, !open(&right)));
        Text { text, level: Level::Comparison, signed: false }
    }

    /// A product that the target's width extends; the operands' signs decide how.
    fn widening_product(&mut self, a: &Expr, b: &Expr, width: u32) -> String {
        let signed = [a, b].iter().any(|e| e.ty().signed && e.width() < width);
        let (left, right) = if signed {
            (self.signed_factor(a, width), self.signed_factor(b, width))
        } else {
            let left = self.text(a, false, false, 1);
            let right = self.text(b, false, false, 1);
            if left.signed && right.signed { (call("$unsigned", &left), right) } else { (left, right) }
        };
        let open = |text: &Text| matches!(text.level, Level::Primary | Level::Invert | Level::Minus);
        format!("{}{}* {}", grouped(&left, !open(&left)), soft(0), grouped(&right, !open(&right)))
    }

    fn signed_factor(&mut self, e: &Expr, width: u32) -> Text {
        // A minus sign would be applied at the product's width, after the extension.
        if let Some(value) = e.as_constant().filter(|value| *value < 0) {
            return constant(value, Type::signed(width), true);
        }
        if e.ty().signed || e.width() == width {
            return self.signed(e, 1);
        }
        let wider = Type::signed(e.width() + 1);
        match e.as_constant() {
            Some(value) => constant(value, wider, true),
            None => {
                let text = self.text(&Expr::concat(&[Expr::bit(false), e.clone()]), false, true, 1);
                call("$signed", &text)
            }
        }
    }
}

fn grouped(text: &Text, parentheses: bool) -> String {
    if parentheses { format!("({})", text.text) } else { text.text.clone() }
}

fn shifted(value: &Text) -> String {
    grouped(value, !matches!(value.level, Level::Primary | Level::Invert))
}

fn call(function: &str, argument: &Text) -> Text {
    Text { text: format!("{function}({})", argument.text), level: Level::Primary, signed: function == "$signed" }
}

/// A sized constant; `signed` asks for the signed form.
fn constant(value: i128, ty: Type, signed: bool) -> Text {
    let width = ty.width;
    let modulus = 1i128.checked_shl(width).filter(|p| width < 127 && *p > 0);
    if signed && width > 1 {
        let value = match modulus {
            Some(modulus) if value >= modulus / 2 => value - modulus,
            _ => value,
        };
        let (sign, level) = if value < 0 { ("-", Level::Minus) } else { ("", Level::Primary) };
        return Text { text: format!("{sign}{width}'sd{}", value.unsigned_abs()), level, signed: true };
    }
    let value = modulus.map_or(value, |modulus| value.rem_euclid(modulus));
    let text = match (width, value) {
        (1, _) => format!("1'b{value}"),
        _ if value < 0 => format!("-{width}'d{}", value.unsigned_abs()),
        (33.., 65536..) => format!("{width}'h{value:x}"),
        _ => format!("{width}'d{value}"),
    };
    Text { text, level: if value < 0 { Level::Minus } else { Level::Primary }, signed: false }
}

/// `value` as `ty` prints it.
pub(super) fn literal(value: i128, ty: Type) -> String {
    constant(value, ty, ty.signed).text
}

const FIRST_MARK: u32 = 0xE000;
const MOST_MARKS: u32 = 0x1800;

/// Where a line may break, if the line is too long.
pub(super) fn soft(depth: u32) -> char {
    mark(2 * depth + 1)
}

/// Where a line breaks, if it breaks at this depth at all.
fn hard(depth: u32) -> char {
    mark(2 * depth)
}

fn mark(n: u32) -> char {
    char::from_u32(FIRST_MARK + n.min(MOST_MARKS)).expect("the range is a private one")
}

fn is_mark(c: char) -> Option<u32> {
    (FIRST_MARK..=FIRST_MARK + MOST_MARKS).contains(&(c as u32)).then(|| c as u32 - FIRST_MARK)
}

/// The text in lines of at most `limit` characters where its breaks allow; continuation lines are indented deeper.
pub(super) fn layout(text: &str, indent: usize, limit: usize) -> Vec<String> {
    if indent + text.chars().count() <= limit || !text.chars().any(|c| is_mark(c).is_some()) {
        let flat: String = text.chars().map(|c| if is_mark(c).is_some() { ' ' } else { c }).collect();
        return vec![format!("{}{flat}", " ".repeat(indent))];
    }
    let outermost = text.chars().filter_map(is_mark).map(|n| n / 2).min().expect("there is a mark");
    let mut lines: Vec<String> = vec![];
    let mut line = String::new();
    let mut rest = text;
    // Fill lines at soft breaks of the outermost depth; always break at hard ones.
    while !rest.is_empty() {
        let end = rest.char_indices().skip(1).find(|(_, c)| is_mark(*c).is_some_and(|n| n / 2 == outermost));
        let (piece, next) = rest.split_at(end.map_or(rest.len(), |(i, _)| i));
        let deeper = if lines.is_empty() { indent } else { indent + 4 };
        let breaks = piece.chars().next().and_then(is_mark);
        let full = deeper + line.chars().count() + piece.chars().count() > limit;
        if breaks.is_some_and(|n| n % 2 == 0 || full) {
            lines.push(std::mem::take(&mut line));
            line.push_str(piece.trim_start_matches(|c| is_mark(c).is_some()));
        } else {
            line.push_str(piece);
        }
        rest = next;
    }
    lines.push(line);
    let pieces = lines.into_iter().enumerate();
    pieces
        .flat_map(|(i, line)| {
            let deeper = if i == 0 { indent } else { indent + 4 };
            // A line that still holds outermost breaks fits; one that does not may have deeper ones.
            layout(&line, deeper, limit)
        })
        .collect()
}
