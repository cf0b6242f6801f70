//! The walk of a tree as a program: affine expressions become additions of shifted registers, one after the other, and
//! loops become jumps.

use std::collections::{BTreeMap, BTreeSet};

use crate::hardware::circuit::scope::{rounded_up, signed_digits};
use crate::hardware::circuit::variable::{Affine, Bound, Level, Var};
use crate::hardware::walk::tree::{Next, Tree};
use crate::ids::{BandId, KindId};

/// What is added to the sum, before it is shifted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operand {
    Constant(i64),
    /// The band of the tile.
    Band,
    /// A size, a tile index, a bound of the tile or the index of an outer level.
    Variable(Var),
}

/// The bound that a sum is, when it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Complete {
    pub upper: bool,
    /// It replaces the bound of the loop before; else the tighter one counts.
    pub first: bool,
}

/// What happens to the sum.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// `sum = (first ? 0 : sum) ± (operand << shift)`
    Add { first: bool, minus: bool, operand: Operand, shift: u32 },
    /// `sum = floor(sum / 2)`
    Halve,
}

/// A place of the program: a label before the program is complete, an address afterwards.
#[derive(Clone, Debug, PartialEq)]
pub enum Instruction<Place> {
    /// A term, with the bound that is complete with it.
    Sum(Term, Option<Complete>),
    /// `sum = floor(sum / divisor)`, bit by bit.
    Divide(i64),
    /// To `Place` where the upper bound is negative.
    Guard(Place),
    /// The loop of a register begins with the bounds; past it, to `Place`, where it is empty.
    Open(usize, Place),
    /// Gives the row of a kind between the bounds; nothing where it is empty.
    Row(KindId),
    /// To the next iteration of the loop of a register, at `again`; goes on where there is none. With `follows` the
    /// next row follows on the one before, if that was not empty.
    Step {
        register: usize,
        again: Place,
        follows: bool,
    },
    Jump(Place),
    /// Ends the tile.
    End,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    /// Where a piece opens its loop at a depth, or passes over it.
    Open(usize, usize),
    /// Where the walk goes on behind a loop; of [`Instruction::Step`], whether rows follow.
    Behind(Next, bool),
    /// The search for the pieces of a band begins.
    Band(usize),
}

/// A program, from address 0 on, with what each part of it is about.
pub struct Program {
    pub instructions: Vec<Instruction<usize>>,
    /// Comments by the address that they stand before.
    pub comments: BTreeMap<usize, String>,
}

impl Program {
    /// The walk of the `bands` bands of `tree`.
    pub fn new(tree: &Tree, bands: usize) -> Program {
        let (labels, comments) = (BTreeMap::new(), BTreeMap::new());
        let mut writer = Writer { tree, code: vec![], labels, comments, upcoming: None };
        if bands > 1 || tree.pieces.is_empty() {
            writer.bands(bands);
        }
        for piece in 0..tree.pieces.len() {
            writer.upcoming = Some(piece + 1);
            writer.piece(piece);
        }
        writer.upcoming = None;
        writer.unplaced();
        let resolve = |label: &Label| writer.labels[label];
        let instructions = writer.code.iter().map(|instruction| instruction.map(resolve)).collect();
        Program { instructions, comments: writer.comments }
    }

    /// Every operand that is no constant, each once.
    pub fn operands(&self) -> BTreeSet<&Operand> {
        let terms = self.instructions.iter().filter_map(|i| match i {
            Instruction::Sum(Term::Add { operand, .. }, _) => Some(operand),
            _ => None,
        });
        terms.filter(|o| !matches!(o, Operand::Constant(_))).collect()
    }
}

impl<P> Instruction<P> {
    fn map<Q>(&self, place: impl Fn(&P) -> Q) -> Instruction<Q> {
        match self {
            Instruction::Sum(term, complete) => Instruction::Sum(term.clone(), *complete),
            Instruction::Divide(divisor) => Instruction::Divide(*divisor),
            Instruction::Guard(p) => Instruction::Guard(place(p)),
            Instruction::Open(register, p) => Instruction::Open(*register, place(p)),
            Instruction::Row(kind) => Instruction::Row(*kind),
            Instruction::Step { register, again, follows } => {
                Instruction::Step { register: *register, again: place(again), follows: *follows }
            }
            Instruction::Jump(p) => Instruction::Jump(place(p)),
            Instruction::End => Instruction::End,
        }
    }

    fn place(&self) -> Option<&P> {
        match self {
            Instruction::Guard(p) | Instruction::Open(_, p) | Instruction::Jump(p) => Some(p),
            Instruction::Step { again, .. } => Some(again),
            _ => None,
        }
    }
}

/// The terms whose sum is `affine`: at least one. A coefficient takes a term per canonical signed digit.
pub fn terms(affine: &Affine) -> Vec<Term> {
    let mut terms = vec![];
    let mut add = |minus: bool, operand: Operand, shift: u32| {
        terms.push(Term::Add { first: terms.is_empty(), minus, operand, shift });
    };
    if affine.constant != 0 || affine.terms.is_empty() {
        add(false, Operand::Constant(affine.constant), 0);
    }
    for (variable, &coefficient) in &affine.terms {
        for (shift, minus) in signed_digits(coefficient.into()) {
            add(minus, Operand::Variable(variable.clone()), shift);
        }
    }
    terms
}

/// `piece 3 if N - 8*T0 >= 0: x from max(1, 8*T0) to (N - 2)/2`
fn described(piece: usize, guards: &[Affine], level: &Level) -> String {
    let condition = guards.iter().map(|guard| format!("{guard} >= 0")).collect::<Vec<_>>().join(" and ");
    let condition = if condition.is_empty() { condition } else { format!(" if {condition}") };
    let side = |bounds: &[Bound], of_several: &str| {
        let text = |b: &Bound| {
            if b.divisor == 1 { b.numerator.to_string() } else { format!("({})/{}", b.numerator, b.divisor) }
        };
        let texts: Vec<String> = bounds.iter().map(text).collect();
        if texts.len() == 1 { texts[0].clone() } else { format!("{of_several}({})", texts.join(", ")) }
    };
    let (lower, upper) = (side(&level.lower, "max"), side(&level.upper, "min"));
    format!("piece {piece}{condition}: {} from {lower} to {upper}", level.name)
}

struct Writer<'a> {
    tree: &'a Tree,
    code: Vec<Instruction<Label>>,
    labels: BTreeMap<Label, usize>,
    comments: BTreeMap<usize, String>,
    /// The piece that is written next.
    upcoming: Option<usize>,
}

impl Writer<'_> {
    fn place(&mut self, label: Label) {
        self.labels.insert(label, self.code.len());
    }

    fn comment(&mut self, text: String) {
        self.comments.insert(self.code.len(), text);
    }

    /// To the first piece of the tile's band.
    fn bands(&mut self, bands: usize) {
        for band in 0..bands {
            self.place(Label::Band(band));
            if band + 1 < bands {
                self.comment(format!("band {band}"));
                let mut difference = terms(&Affine::constant(band as i64));
                difference.push(Term::Add { first: false, minus: true, operand: Operand::Band, shift: 0 });
                self.sum(difference, Complete { upper: true, first: true });
                self.code.push(Instruction::Guard(Label::Band(band + 1)));
            }
            self.jump(self.tree.first_of(BandId(band)).map_or(Next::End, Next::Enter), false);
        }
    }

    fn piece(&mut self, p: usize) {
        let tree = self.tree;
        let piece = &tree.pieces[p].piece;
        for d in (0..piece.levels.len()).filter(|&d| tree.opens(p, d)) {
            let level = &piece.levels[d];
            let past = self.label(tree.after(p, d), false);
            self.place(Label::Open(p, d));
            let guards = if d == tree.guard_depth(p) { &piece.guards[..] } else { &[] };
            self.comment(described(p, guards, level));
            if !guards.is_empty() {
                for (k, guard) in guards.iter().enumerate() {
                    self.sum(terms(guard), Complete { upper: true, first: k == 0 });
                }
                self.code.push(Instruction::Guard(past));
            }
            for (k, bound) in level.lower.iter().enumerate() {
                self.bound(&rounded_up(bound), Complete { upper: false, first: k == 0 });
            }
            for (k, bound) in level.upper.iter().enumerate() {
                self.bound(bound, Complete { upper: true, first: k == 0 });
            }
            let innermost = d + 1 == piece.levels.len();
            self.code.push(match innermost {
                true => Instruction::Row(tree.pieces[p].kind),
                false => Instruction::Open(tree.pieces[p].places[d], past),
            });
        }
        let next = tree.after(p, piece.levels.len() - 1);
        self.go(next, tree.rows_follow(p, next));
    }

    /// A bound that is rounded down.
    fn bound(&mut self, bound: &Bound, complete: Complete) {
        let mut terms = terms(&bound.numerator);
        let twos = bound.divisor.trailing_zeros();
        terms.extend((0..twos).map(|_| Term::Halve));
        let odd = bound.divisor >> twos;
        if odd > 1 {
            self.code.extend(terms.drain(..).map(|term| Instruction::Sum(term, None)));
            self.code.push(Instruction::Divide(odd));
            // The quotient is the sum.
            terms.push(Term::Add { first: false, minus: false, operand: Operand::Constant(0), shift: 0 });
        }
        self.sum(terms, complete);
    }

    /// A sum that is a bound.
    fn sum(&mut self, terms: Vec<Term>, complete: Complete) {
        let last = terms.len() - 1;
        let instruction = |(k, term)| Instruction::Sum(term, (k == last).then_some(complete));
        self.code.extend(terms.into_iter().enumerate().map(instruction));
    }

    fn label(&self, next: Next, follows: bool) -> Label {
        match next {
            Next::Enter(piece) => Label::Open(piece, self.tree.pieces[piece].piece.shared),
            _ => Label::Behind(next, follows),
        }
    }

    fn jump(&mut self, next: Next, follows: bool) {
        self.code.push(Instruction::Jump(self.label(next, follows)));
    }

    /// From here to what follows, which is written here unless it is somewhere already, or comes next anyway.
    fn go(&mut self, next: Next, follows: bool) {
        let tree = self.tree;
        let label = self.label(next, follows);
        if self.labels.contains_key(&label) {
            return self.jump(next, follows);
        }
        match next {
            Next::Enter(piece) if self.upcoming == Some(piece) => {}
            Next::Enter(_) => self.jump(next, follows),
            Next::End => {
                self.place(label);
                self.code.push(Instruction::End);
            }
            Next::Step { depth, piece } => {
                self.place(label);
                let register = tree.pieces[piece].places[depth];
                self.code.push(Instruction::Step { register, again: Label::Open(piece, depth + 1), follows });
                self.go(tree.after(piece, depth), false);
            }
        }
    }

    /// What instructions name and nobody has written yet.
    fn unplaced(&mut self) {
        loop {
            let named = self.code.iter().filter_map(Instruction::place);
            let missing = named.copied().find(|label| !self.labels.contains_key(label));
            match missing {
                Some(Label::Behind(next, follows)) => self.go(next, follows),
                _ => return,
            }
        }
    }
}
