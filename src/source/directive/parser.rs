//! The words of a directive.

use std::collections::{HashMap, HashSet};

use super::{
    DIRECTIVES, Dates, Directives, Extent, Named, NamedStatement, Order, Plain, Size, Strip, Sum, Tile, ValueRange,
    What, Written, check_depth, join,
};
use crate::affine::Affine;
use crate::diagnostic::{Diagnostic, Span};
use crate::source::affine_expression::{plus, times};
use crate::source::kernel::{LanesAlong, LanesDirective, UnitsDirective, UsesDirective};
use crate::source::preprocess::Word;
use crate::source::scope::{Checked, nearest};
use crate::source::token::{Kind, tokenize};

pub struct Parser<'w> {
    pub(super) words: &'w [Word],
    pub(super) at: usize,
    /// The word before `at`.
    pub(super) last: Span,
    pub(super) macros: &'w HashMap<String, String>,
    pub(super) reserved: &'w HashSet<&'w str>,
    /// Inside a macro's expansion, where names stand for themselves.
    pub(super) expanding: bool,
}

impl<'w> Parser<'w> {
    fn peek(&self) -> Option<&'w Word> {
        self.words.get(self.at)
    }

    fn text(&self) -> &'w str {
        self.peek().map_or("", |word| word.text.as_str())
    }

    fn next(&mut self) -> Option<&'w Word> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        self.last = word.span;
        Some(word)
    }

    fn accept(&mut self, text: &str) -> bool {
        let found = self.text() == text;
        if found {
            self.next();
        }
        found
    }

    /// The next word, or the point behind the last one.
    fn here(&self) -> Span {
        let Span { line, column, length } = self.last;
        self.peek().map_or(Span { line, column: column + length, length: 0 }, |word| word.span)
    }

    fn expected<T>(&self, what: &str, help: impl Into<String>) -> Checked<T> {
        let found = self.peek().map_or("the directive ends".into(), |word| format!("`{}` was found", word.text));
        Err(Diagnostic::new(format!("{what} was expected, and {found}"))
            .at(self.here(), format!("{what} expected"))
            .help(help))
    }

    fn expect(&mut self, text: &str, help: &str) -> Checked<()> {
        if self.accept(text) { Ok(()) } else { self.expected(&format!("`{text}`"), help) }
    }

    /// Reads a pragma that stands at byte `start`.
    pub fn directives(&mut self, start: usize, directives: &mut Directives) -> Checked<()> {
        if self.peek().is_none() {
            return self.expected("a directive", known());
        }
        let (mut lanes, mut units, mut strip, mut order) = (None, None, None, None);
        let earlier = directives.written.len();
        while let Some(word) = self.next() {
            let span = word.span;
            match word.text.as_str() {
                "tile" => {
                    let tile = self.tile(span)?;
                    directives.written.push(Written { start, what: What::Tile(tile) });
                }
                "schedule" => {
                    let what = self.schedule(span)?;
                    directives.written.push(Written { start, what });
                }
                "lanes" => {
                    let new = self.lanes(span)?;
                    let again = new.span;
                    once(&mut lanes, new, again, ("lanes", "a band has one number of lanes"))?;
                }
                "units" => {
                    let new = self.units(span)?;
                    let again = new.span;
                    once(&mut units, new, again, ("units", "a band has one number of units"))?;
                }
                "strip" => {
                    let new = self.strip(span)?;
                    let again = new.span;
                    once(&mut strip, new, again, ("strip", "the strips of a band run along one number of dimensions"))?;
                }
                "order" => {
                    let new = self.order(span)?;
                    let again = new.span;
                    once(&mut order, new, again, ("order", "the tiles of a band have one order inside"))?;
                }
                "extent" => self.extent(&mut directives.extents)?,
                "size" => self.size(&mut directives.sizes)?,
                "scratch" => self.scratch(&mut directives.scratch)?,
                "panels" => self.panels(&mut directives.panels)?,
                "range" => self.range(&mut directives.ranges)?,
                "layout" => self.layout(&mut directives.layouts)?,
                "uses" => {
                    let new = self.uses(span)?;
                    if directives.uses.replace(new).is_some() {
                        return Err(Diagnostic::new("a second `uses`")
                            .at(new.span, "again")
                            .help("a kernel has one, `uses(apart)` or `uses(together)`"));
                    }
                }
                "stores" => {
                    const HELP: &str = "write `stores(all)`: what a later tile overwrites is stored, too";
                    self.expect("(", HELP)?;
                    self.expect("all", HELP)?;
                    self.expect(")", HELP)?;
                    directives.keeps_stores = true;
                }
                "masks" => {
                    const HELP: &str = "write `masks(none)`: cells that data decide to write are loaded first";
                    self.expect("(", HELP)?;
                    self.expect("none", HELP)?;
                    self.expect(")", HELP)?;
                    directives.without_masks = true;
                }
                "rounds" => drop(self.rounds()?),
                "wires" => {
                    const HELP: &str =
                        "write `wires(all)`: schedules name the statements without temporaries that are wires";
                    self.expect("(", HELP)?;
                    self.expect("all", HELP)?;
                    self.expect(")", HELP)?;
                    directives.has_wires = true;
                }
                other => {
                    let near = nearest(other, DIRECTIVES.iter().map(|(name, _)| *name));
                    let help = match near.filter(|_| word.kind == Kind::Word) {
                        Some(near) => format!("did you mean `{near}`? {}", known()),
                        None => known(),
                    };
                    return Err(Diagnostic::new(format!("unknown directive `{other}`")).at(span, "unknown").help(help));
                }
            }
        }
        let tile = directives.written[earlier..].iter_mut().find_map(|written| match &mut written.what {
            What::Tile(tile) => Some(tile),
            _ => None,
        });
        belong(tile, Beside { lanes, units, strip, order })
    }

    /// `order(k, i, j)` or `order(S0[i] -> (i, 0); S1[i,j] -> (i, 1, j))`
    fn order(&mut self, start: Span) -> Checked<Order> {
        const HELP: &str = "write `order(k, i, j)`: the loops inside a tile, the outermost first; of several statements \
                            `order(S0[i] -> (i, 0); S1[i,j] -> (i, 1, j))`, as `burstc analyze` prints it";
        self.expect("(", HELP)?;
        let is_named = self.words.get(self.at + 1).is_some_and(|word| word.text == "[");
        let dates = match is_named {
            true => Dates::Named(self.statements(HELP)?),
            false => Dates::Plain(self.sums()?),
        };
        self.expect(")", HELP)?;
        Ok(Order { span: join(start, self.last), dates })
    }

    /// `strip(2)`
    fn strip(&mut self, start: Span) -> Checked<Strip> {
        const HELP: &str = "write `strip(2)`: what a tile leaves on chip serves the tiles along two dimensions";
        self.expect("(", HELP)?;
        let (dimensions, span) = self.integer("a number of dimensions", HELP)?;
        let Some(dimensions) = usize::try_from(dimensions).ok().filter(|dimensions| *dimensions > 0) else {
            return Err(Diagnostic::new(format!("a strip of {dimensions} dimensions"))
                .at(span, "less than 1")
                .help("a strip runs along at least the last dimension of the tiles"));
        };
        self.expect(")", HELP)?;
        Ok(Strip { dimensions, span: join(start, self.last) })
    }

    /// `lanes(16)`, `lanes(auto)`; `lanes(i:8, j:8)` or, beside a schedule, `lanes(8, 8, 1)`
    fn lanes(&mut self, start: Span) -> Checked<WrittenLanes> {
        const HELP: &str = "write `lanes(4)`: four iterations per cycle; or `lanes(i:4, j:4)`: four by four";
        self.expect("(", HELP)?;
        if self.accept("auto") {
            self.expect(")", HELP)?;
            return Ok(WrittenLanes { span: join(start, self.last), items: vec![] });
        }
        let items = self.counts("lanes", (LanesDirective::allows, LanesDirective::MOST), HELP)?;
        Ok(WrittenLanes { span: join(start, self.last), items })
    }

    /// `units(4)`, `units(i:4)` or, beside a schedule, `units(1, 4)`
    fn units(&mut self, start: Span) -> Checked<WrittenUnits> {
        const HELP: &str =
            "write `units(4)`: four compute processes share every tile; or `units(i:4)`: along that loop";
        self.expect("(", HELP)?;
        let items = self.counts("units", (UnitsDirective::allows, UnitsDirective::MOST), HELP)?;
        Ok(WrittenUnits { span: join(start, self.last), items })
    }

    /// `i:8, j:8)` or `8, 8)`: numbers that `allows`, up to `most`, of `what`.
    fn counts(
        &mut self,
        what: &str,
        (allows, most): (fn(i64) -> bool, i64),
        help: &str,
    ) -> Checked<Vec<(Option<Word>, i64, Span)>> {
        let mut items = Vec::new();
        loop {
            let name = self.label().then(|| self.next()).flatten().cloned();
            if name.is_some() {
                self.expect(":", help)?;
            }
            let (count, span) = self.integer(&format!("a number of {what}"), help)?;
            if !allows(count) {
                return Err(Diagnostic::new(format!("{count} {what}"))
                    .at(span, format!("not a power of two up to {most}"))
                    .help(format!("write `{what}(2)`, `{what}(4)`, `{what}(8)` …")));
            }
            items.push((name, count, span));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", help)?;
        Ok(items)
    }

    fn tile(&mut self, start: Span) -> Checked<Tile> {
        const HELP: &str = "write `tile(i:32, j:32)`, or `tile(10, 10)` beside a schedule";
        self.expect("(", HELP)?;
        let mut items = Vec::new();
        loop {
            let name = self.label().then(|| self.next()).flatten().cloned();
            if name.is_some() {
                self.expect(":", HELP)?;
            }
            let (size, span) = self.integer("a tile size", HELP)?;
            if size < 1 {
                return Err(Diagnostic::new(format!("a tile size of {size}"))
                    .at(span, "less than 1")
                    .help("a tile has at least one iteration in each dimension"));
            }
            items.push((name, size, span));
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")", HELP)?;
        Ok(Tile { span: join(start, self.last), items, lanes: None, units: None, strip: None, order: None })
    }

    /// Whether `name:` follows.
    fn label(&self) -> bool {
        self.peek().is_some_and(|word| word.kind == Kind::Word)
            && self.words.get(self.at + 1).is_some_and(|word| word.text == ":")
    }

    fn schedule(&mut self, start: Span) -> Checked<What> {
        const HELP: &str = "write `schedule((i,j) -> (i+j, i))`, or `schedule(S0[i] -> (i, 0); S1[i,j] -> (i, j))`";
        self.expect("(", HELP)?;
        if self.peek().is_none_or(|word| word.kind != Kind::Word) {
            let loops_start = self.here();
            self.expect("(", HELP)?;
            let loops = self.iterators(")", HELP)?;
            let loops_span = join(loops_start, self.last);
            let theta = self.theta(HELP)?;
            self.expect(")", HELP)?;
            return Ok(What::Plain(Plain { span: join(start, self.last), loops, loops_span, theta }));
        }
        let statements = self.statements(HELP)?;
        self.expect(")", HELP)?;
        Ok(What::Named(Named { span: join(start, self.last), statements }))
    }

    /// `S0[i] -> (i, 0); S1[i,j] -> (i, j)`
    fn statements(&mut self, help: &str) -> Checked<Vec<NamedStatement>> {
        let mut statements = Vec::new();
        loop {
            let Some(name) = self.next().cloned() else { return self.expected("a statement's name", help) };
            self.expect("[", help)?;
            let loops = self.iterators("]", help)?;
            let loops_span = join(name.span, self.last);
            let theta = self.theta(help)?;
            statements.push(NamedStatement { name, loops, loops_span, theta });
            if !self.accept(";") {
                return Ok(statements);
            }
            if self.peek().is_none_or(|word| word.kind != Kind::Word) {
                return self.expected("a statement's name", help);
            }
        }
    }

    /// `i, j` and the bracket behind them.
    fn iterators(&mut self, end: &str, help: &str) -> Checked<Vec<Word>> {
        let mut loops = Vec::new();
        if end == "]" && self.accept(end) {
            return Ok(loops);
        }
        loop {
            match self.peek() {
                Some(word) if word.kind == Kind::Word => loops.extend(self.next().cloned()),
                _ => return self.expected("a loop's iterator", help),
            }
            if !self.accept(",") {
                break;
            }
        }
        self.expect(end, help)?;
        Ok(loops)
    }

    /// `-> (N-j, i)`
    fn theta(&mut self, help: &str) -> Checked<Vec<Sum>> {
        self.expect("->", help)?;
        self.expect("(", help)?;
        let theta = self.sums()?;
        self.expect(")", help)?;
        Ok(theta)
    }

    fn sums(&mut self) -> Checked<Vec<Sum>> {
        let mut sums = Vec::new();
        loop {
            let start = self.here();
            let mut names = Vec::new();
            let value = self.sum(&mut names)?;
            sums.push(Sum { value, names, span: join(start, self.last) });
            if !self.accept(",") {
                return Ok(sums);
            }
        }
    }

    /// `extent(a: n, m)`
    fn extent(&mut self, extents: &mut Vec<Extent>) -> Checked<()> {
        const HELP: &str = "write `extent(a: n)`: the pointer `a` points to `n` elements";
        self.expect("(", HELP)?;
        let name = match self.label() {
            true => self.next().cloned(),
            false => None,
        };
        let Some(name) = name else { return self.expected("a pointer and `:`", HELP) };
        self.expect(":", HELP)?;
        if extents.iter().any(|extent| extent.name.text == name.text) {
            return Err(Diagnostic::new(format!("the extent of `{}` is declared twice", name.text))
                .at(name.span, "again")
                .help("keep one `extent` for each pointer"));
        }
        let values = self.sums()?;
        extents.push(Extent { name, values });
        self.expect(")", HELP)
    }

    /// `(2 * n)` of `rounds(2 * n)`
    pub fn rounds(&mut self) -> Checked<Affine> {
        const HELP: &str = "write `rounds(2 * n)` before a `while` or `do` loop: it runs so often at most";
        self.expect("(", HELP)?;
        let most = self.sum(&mut vec![])?;
        self.expect(")", HELP)?;
        Ok(most)
    }

    /// `scratch(a, b)`
    fn scratch(&mut self, scratch: &mut Vec<Word>) -> Checked<()> {
        self.arrays(scratch, "write `scratch(a, b)`: nobody reads what the kernel leaves in `a` and `b`")
    }

    /// `panels(a, b)`
    fn panels(&mut self, panels: &mut Vec<Word>) -> Checked<()> {
        self.arrays(
            panels,
            "write `panels(a, b)`: what is read of `a` and `b` beside the block that is written are local arrays",
        )
    }

    /// `(a, b)`
    fn arrays(&mut self, names: &mut Vec<Word>, help: &'static str) -> Checked<()> {
        self.expect("(", help)?;
        loop {
            let name = self.peek().filter(|word| word.kind == Kind::Word).cloned();
            let Some(name) = name else { return self.expected("an array argument", help) };
            self.next();
            names.push(name);
            if !self.accept(",") {
                return self.expect(")", help);
            }
        }
    }

    /// `layout(a, b: tiles)`
    fn layout(&mut self, layouts: &mut Vec<Word>) -> Checked<()> {
        const HELP: &str = "write `layout(a: tiles)`: in memory, what a tile moves of `a` lies one behind the other";
        self.expect("(", HELP)?;
        loop {
            let name = self.peek().filter(|word| word.kind == Kind::Word).cloned();
            let Some(name) = name else { return self.expected("an array argument", HELP) };
            self.next();
            layouts.push(name);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(":", HELP)?;
        self.expect("tiles", HELP)?;
        self.expect(")", HELP)
    }

    /// `uses(apart)`, `uses(together)`
    fn uses(&mut self, start: Span) -> Checked<UsesDirective> {
        const HELP: &str = "write `uses(apart)`: an array that is read along several directions has a buffer for each; or \
                            `uses(together)`: one for all";
        self.expect("(", HELP)?;
        let apart = self.accept("apart");
        if !apart {
            self.expect("together", HELP)?;
        }
        self.expect(")", HELP)?;
        Ok(UsesDirective { apart, span: join(start, self.last) })
    }

    /// `range(a: -3..255)`
    fn range(&mut self, ranges: &mut Vec<ValueRange>) -> Checked<()> {
        const HELP: &str = "write `range(a: 0..255)`: the elements of `a` are 0 to 255";
        self.expect("(", HELP)?;
        let name = match self.label() {
            true => self.next().cloned(),
            false => None,
        };
        let Some(name) = name else { return self.expected("an array argument and `:`", HELP) };
        self.expect(":", HELP)?;
        if ranges.iter().any(|range| range.name.text == name.text) {
            return Err(Diagnostic::new(format!("the range of `{}` is declared twice", name.text))
                .at(name.span, "again")
                .help("keep one `range` for each array"));
        }
        let start = self.here();
        let mut text = String::new();
        while !matches!(self.text(), "" | ")" | ",") {
            text += self.next().map_or("", |word| word.text.as_str());
        }
        let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
        let span = join(start, self.last);
        let Some((low, high)) = ends else {
            return Err(Diagnostic::new(format!("`{text}` is no range of integers")).at(span, "LOW..HIGH").help(HELP));
        };
        ranges.push(ValueRange { name, low, high, span });
        self.expect(")", HELP)
    }

    fn size(&mut self, sizes: &mut Vec<Size>) -> Checked<()> {
        const HELP: &str = "write `size(N: 128, min 1, max 4096)`, or one or two of the three";
        self.expect("(", HELP)?;
        loop {
            let name = match self.label() {
                true => self.next().cloned(),
                false => None,
            };
            let Some(name) = name else { return self.expected("a size parameter and `:`", HELP) };
            self.expect(":", HELP)?;
            if sizes.iter().any(|size| size.name.text == name.text) {
                return Err(Diagnostic::new(format!("the size of `{}` is declared twice", name.text))
                    .at(name.span, "again")
                    .help("keep one `size` for each parameter"));
            }
            let mut size = Size { name, default: None, min: None, max: None };
            let more = loop {
                self.size_value(&mut size, HELP)?;
                match self.accept(",") {
                    true if self.label() => break true,
                    true => {}
                    false => break false,
                }
            };
            size.check()?;
            sizes.push(size);
            if !more {
                return self.expect(")", HELP);
            }
        }
    }

    /// `128`, `min 1` or `max 4096`.
    fn size_value(&mut self, size: &mut Size, help: &str) -> Checked<()> {
        let start = self.here();
        let (is_min, is_max) = (self.accept("min"), self.accept("max"));
        let (value, span) = self.integer("a size", help)?;
        let (slot, what) = match (is_min, is_max) {
            (true, _) => (&mut size.min, "a second `min`"),
            (_, true) => (&mut size.max, "a second `max`"),
            _ => (&mut size.default, "a second value"),
        };
        if slot.is_some() {
            return Err(Diagnostic::new(format!("{what} for `{}`", size.name.text)).at(start, what).help(help));
        }
        if value < 0 {
            return Err(Diagnostic::new(format!("the size of `{}` is negative", size.name.text))
                .at(span, "negative")
                .help("sizes are at least 0"));
        }
        *slot = Some((value, span));
        Ok(())
    }

    /// A constant expression.
    fn integer(&mut self, what: &str, help: &str) -> Checked<(i64, Span)> {
        if self.peek().is_none() || matches!(self.text(), ")" | ",") {
            return self.expected(what, help);
        }
        let start = self.here();
        let mut names = Vec::new();
        let value = self.sum(&mut names)?;
        match names.first() {
            Some(name) => Err(Diagnostic::new(format!("`{}` is not an integer constant", name.text))
                .at(name.span, format!("{what} expected"))
                .help("use a number, or a name that #define makes one")),
            None => Ok((value.constant, join(start, self.last))),
        }
    }

    fn sum(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        let start = self.here();
        let mut sum = self.product(names)?;
        loop {
            let sign = match self.text() {
                "+" => 1,
                "-" => -1,
                _ => return Ok(sum),
            };
            self.next();
            let term = self.product(names)?;
            sum = plus(sum, term, sign).ok_or_else(|| too_large(start))?;
        }
    }

    fn product(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        let start = self.here();
        let mut product = self.factor(names)?;
        while self.accept("*") {
            let factor = self.factor(names)?;
            let scaled = match (product.is_constant(), factor.is_constant()) {
                (_, true) => times(product, factor.constant),
                (true, _) => times(factor, product.constant),
                _ => {
                    return Err(Diagnostic::new("this product of two variables is not affine")
                        .at(join(start, self.last), "not affine")
                        .help("one factor must be a constant"));
                }
            };
            product = scaled.ok_or_else(|| too_large(start))?;
        }
        if matches!(self.text(), "/" | "%") {
            return Err(Diagnostic::new(format!("`{}` is not affine", self.text()))
                .at(self.here(), "not affine")
                .help("use sums of iterators, sizes and integers with constant factors"));
        }
        Ok(product)
    }

    fn factor(&mut self, names: &mut Vec<Word>) -> Checked<Affine> {
        const HELP: &str = "use sums of iterators, sizes and integers with constant factors";
        let start = self.here();
        let mut sign = 1;
        while matches!(self.text(), "+" | "-") {
            sign = if self.text() == "-" { -sign } else { sign };
            self.next();
        }
        let value = match self.peek() {
            Some(word) if word.kind == Kind::Word => {
                self.next();
                match self.expansion(word)? {
                    Some(value) => value,
                    None => {
                        names.push(word.clone());
                        Affine::variable(&word.text)
                    }
                }
            }
            Some(word) if word.kind == Kind::Number => {
                self.next();
                match number(&word.text) {
                    Some(value) => times(Affine::constant(value), 1).ok_or_else(|| too_large(word.span))?,
                    None => {
                        return Err(Diagnostic::new(format!("`{}` is not an integer", word.text))
                            .at(word.span, "not an integer")
                            .help("use decimal or hexadecimal integers"));
                    }
                }
            }
            Some(word) if word.text == "(" => {
                self.next();
                let value = self.sum(names)?;
                self.expect(")", HELP)?;
                value
            }
            _ => return self.expected("an integer or a name", HELP),
        };
        times(value, sign).ok_or_else(|| too_large(start))
    }

    /// The constant that a macro's name stands for; `None` where it is no macro.
    fn expansion(&self, word: &Word) -> Checked<Option<Affine>> {
        let Some(expansion) = self.macros.get(&word.text) else { return Ok(None) };
        if self.expanding || expansion.trim() == word.text || self.reserved.contains(word.text.as_str()) {
            return Ok(None);
        }
        let refuse = || {
            Diagnostic::new(format!("`{}` expands to `{}`, no integer constant", word.text, expansion.trim()))
                .at(word.span, "not a constant")
                .help("directives expand macros that are sums and products of integers")
        };
        let lexed = tokenize(expansion);
        let words: Vec<Word> = lexed
            .tokens
            .iter()
            .map(|token| Word { kind: token.kind, text: token.text(expansion).to_string(), span: word.span })
            .collect();
        check_depth(&words)?;
        let mut parser = Parser { words: &words, at: 0, last: word.span, expanding: true, ..*self };
        let mut names = Vec::new();
        match parser.sum(&mut names) {
            Ok(value) if names.is_empty() && parser.peek().is_none() => Ok(Some(value)),
            _ => Err(refuse()),
        }
    }
}

impl Size {
    /// `min <= default <= max`, as far as they are given.
    fn check(&self) -> Checked<()> {
        let name = &self.name.text;
        let pairs = [
            (self.default, "by default", self.max, "at most", "the default lies within the bounds"),
            (self.min, "at least", self.default, "by default", "the default lies within the bounds"),
            (self.min, "at least", self.max, "at most", "the minimum is no more than the maximum"),
        ];
        for (smaller, first, larger, second, help) in pairs {
            if let (Some((small, span)), Some((large, _))) = (smaller, larger)
                && small > large
            {
                return Err(Diagnostic::new(format!("the size of `{name}` is {small} {first} and {large} {second}"))
                    .at(span, format!("more than {large}"))
                    .help(help));
            }
        }
        Ok(())
    }
}

fn known() -> String {
    let examples: Vec<String> = DIRECTIVES.iter().map(|(_, example)| format!("`{example}`")).collect();
    format!("the directives are {}", examples.join(", "))
}

fn too_large(span: Span) -> Diagnostic {
    Diagnostic::new("a number in this directive is too large").at(span, "larger than 2^40").help("use smaller numbers")
}

/// Fills a place that a directive has one of.
fn once<T>(slot: &mut Option<T>, new: T, again: Span, (what, help): (&str, &str)) -> Checked<()> {
    match slot.replace(new) {
        None => Ok(()),
        Some(_) => Err(Diagnostic::new(format!("a second `{what}` in one directive")).at(again, "again").help(help)),
    }
}

/// What stands beside a tile in one directive.
struct Beside {
    lanes: Option<WrittenLanes>,
    units: Option<WrittenUnits>,
    strip: Option<Strip>,
    order: Option<Order>,
}

/// Puts what stands beside a tile in one directive to it.
fn belong(tile: Option<&mut Tile>, beside: Beside) -> Checked<()> {
    let Beside { lanes, units, strip, order } = beside;
    if let Some(tile) = tile {
        tile.strip = strip;
        tile.order = order;
        if let Some(lanes) = lanes {
            tile.lanes = Some(lanes.of(tile)?);
        }
        if let Some(units) = units {
            tile.units = units.of(tile)?;
        }
        return Ok(());
    }
    let (what, span, help) = match (lanes, units, strip, order) {
        (Some(lanes), ..) => (
            "lanes without tiles",
            lanes.span,
            "write `tile(i:32, j:32) lanes(4)`; for tiles that burstc chooses, give `--lanes 4`",
        ),
        (None, Some(units), ..) => (
            "units without tiles",
            units.span,
            "write `tile(i:32, j:32) units(i:4)`; for tiles that burstc chooses, give `--units 4`",
        ),
        (None, None, Some(strip), _) => ("a strip without tiles", strip.span, "write `tile(i:32, j:32) strip(2)`"),
        (None, None, None, Some(order)) => {
            ("an order without tiles", order.span, "write `tile(i:32, j:32) order(j, i)`")
        }
        (None, None, None, None) => return Ok(()),
    };
    Err(Diagnostic::new(what).at(span, "no `tile` in this directive").help(help))
}

/// C's integer constants, suffixes included.
fn number(text: &str) -> Option<i64> {
    let text = text.to_ascii_lowercase();
    let hexadecimal = text.strip_prefix("0x").map(|digits| (digits, 16));
    let binary = text.strip_prefix("0b").map(|digits| (digits, 2));
    let octal = text.strip_prefix('0').filter(|digits| digits.starts_with(|c: char| c.is_ascii_digit()));
    let (digits, radix) = hexadecimal.or(binary).or(octal.map(|digits| (digits, 8))).unwrap_or((&text, 10));
    let digits = digits.trim_end_matches(['u', 'l']);
    if digits.starts_with(['+', '-']) { None } else { i64::from_str_radix(digits, radix).ok() }
}

/// Lanes as they are written: none of them for `auto`.
struct WrittenLanes {
    span: Span,
    items: Vec<(Option<Word>, i64, Span)>,
}

impl WrittenLanes {
    /// What they are in the dimensions of `tile`, by the names of its loops or one after the other.
    fn of(self, tile: &Tile) -> Checked<LanesDirective> {
        let WrittenLanes { span, items } = self;
        match &items[..] {
            [] => return Ok(LanesDirective::automatic(span)),
            [(None, count, _)] => return Ok(LanesDirective::new(*count, span)),
            _ => {}
        }
        let named = items.iter().filter(|(name, ..)| name.is_some()).count();
        let has_names = tile.items.iter().any(|(name, ..)| name.is_some());
        // Behind the dimensions of a schedule, the loops that it leaves open.
        let fits = items.len() == tile.items.len() || !has_names && items.len() > tile.items.len();
        if named == 0 && !fits || named > 0 && named < items.len() {
            let example =
                vec!["8"; tile.items.len().min(2)].into_iter().chain(vec!["1"; tile.items.len().saturating_sub(2)]);
            let example: Vec<&str> = example.collect();
            return Err(Diagnostic::new("lanes that do not say along which loops")
                .at(span, format!("the tile has {} dimensions", tile.items.len()))
                .help(format!("write `lanes(i:8, j:8)` for the loops i and j, or `lanes({})`", example.join(", "))));
        }
        let mut along: Vec<LanesAlong> = vec![];
        for (place, (name, count, span)) in items.iter().enumerate() {
            let of = |name: &Word| {
                dimension_of(
                    tile,
                    name,
                    "name two loops of the tile; beside a schedule, give a number for each dimension, as in `lanes(8, 8, 1)`",
                )
            };
            let dimension = name.as_ref().map_or(Ok(place), of)?;
            if along.iter().any(|own| own.dimension == dimension) {
                return Err(Diagnostic::new("lanes along one loop twice").at(*span, "again").help("name two loops"));
            }
            if *count > 1 {
                along.push(LanesAlong { dimension, count: *count });
            }
        }
        match along[..] {
            [first, second] if first.count * second.count <= LanesDirective::MOST => {
                Ok(LanesDirective::in_two([first, second], span))
            }
            [first, second] => Err(Diagnostic::new(format!("{} lanes", first.count * second.count))
                .at(span, format!("more than {} together", LanesDirective::MOST))
                .help("take fewer along one of the two")),
            _ => Err(Diagnostic::new(format!("lanes along {} loops", along.len()))
                .at(span, "along two only")
                .help("name two, as in `lanes(i:8, j:8)`; for lanes along one, write `lanes(8)`")),
        }
    }
}

/// The dimension of a tile that has the name of a loop.
fn dimension_of(tile: &Tile, name: &Word, help: &str) -> Checked<usize> {
    let is = |(own, ..): &(Option<Word>, i64, Span)| own.as_ref().is_some_and(|own| own.text == name.text);
    tile.items.iter().position(is).ok_or_else(|| {
        let loops = tile.items.iter().filter_map(|(own, ..)| own.as_ref()).map(|own| own.text.as_str());
        let help = match nearest(&name.text, loops) {
            Some(near) => format!("did you mean `{near}`?"),
            None => help.to_string(),
        };
        Diagnostic::new(format!("no tile size for `{}`", name.text)).at(name.span, "not in `tile`").help(help)
    })
}

/// Units as they are written.
struct WrittenUnits {
    span: Span,
    items: Vec<(Option<Word>, i64, Span)>,
}

impl WrittenUnits {
    /// What they are in the dimensions of `tile`, by the name of its loop or one number for each; `None` for one unit.
    fn of(self, tile: &Tile) -> Checked<Option<UnitsDirective>> {
        const HELP: &str = "write `units(i:4)` for the loop i of the tile; beside a schedule, a number for each dimension, as in \
                            `units(1, 4)`";
        let WrittenUnits { span, items } = self;
        let several: Vec<usize> = (0..items.len()).filter(|place| items[*place].1 > 1).collect();
        let refuse = |what: &str, label: String| Err(Diagnostic::new(what).at(span, label).help(HELP));
        match (&items[..], &several[..]) {
            (_, []) => Ok(None),
            ([(None, count, _)], _) => Ok(Some(UnitsDirective { count: *count, dimension: None, span })),
            ([(Some(name), count, _)], _) => {
                let dimension = Some(dimension_of(tile, name, HELP)?);
                Ok(Some(UnitsDirective { count: *count, dimension, span }))
            }
            (_, [only]) if items.len() == tile.items.len() && items.iter().all(|(name, ..)| name.is_none()) => {
                Ok(Some(UnitsDirective { count: items[*only].1, dimension: Some(*only), span }))
            }
            (_, [_]) => refuse(
                "units that do not say along which loop",
                format!("the tile has {} dimensions", tile.items.len()),
            ),
            _ => refuse("units along several loops", "along one only".to_string()),
        }
    }
}
