//! What an expression of members and subscripts names, and how it is written without structures.

use super::record::{Base, Dim, Records, Shape, Ty};
use super::{Piece, Pieces, joined};

/// How a variable of a structure is kept.
#[derive(Clone, Debug)]
pub enum How {
    /// An array with the structure's numbers as further dimensions.
    Memory,
    /// A variable for every member.
    Split,
    /// A pointer that never changes.
    Alias(Box<Place>),
}

#[derive(Clone, Debug)]
pub struct Variable {
    pub name: String,
    pub ty: Ty,
    pub how: How,
}

#[derive(Clone, Debug)]
pub enum Step {
    Index(Pieces),
    Member(usize),
}

#[derive(Clone, Debug)]
pub struct Place {
    pub variable: Variable,
    /// The name's.
    pub at: lang_c::span::Span,
    pub steps: Vec<Step>,
    /// Of what the place holds.
    pub ty: Ty,
    /// It is the place's address.
    pub is_address: bool,
    /// Subscripts read structures.
    pub reads: bool,
}

/// `constant + (a) * stride + …`
#[derive(Clone, Default)]
struct Linear {
    constant: u64,
    terms: Vec<(Pieces, u64)>,
}

impl Place {
    pub fn of(variable: Variable, at: lang_c::span::Span) -> Place {
        if let How::Alias(place) = variable.how {
            return *place;
        }
        let ty = variable.ty.clone();
        Place { variable, at, steps: vec![], ty, is_address: false, reads: false }
    }

    fn index_at(&mut self, by: &Pieces) -> Option<()> {
        let Some(Step::Index(last)) = self.steps.last_mut() else { return None };
        if joined(last) == "0" {
            *last = by.clone();
            return Some(());
        }
        let at = self.at;
        let word = |text: &str| (text.to_string(), at);
        *last = [vec![word("(")], last.clone(), vec![word(")"), word("+"), word("(")], by.clone(), vec![word(")")]]
            .concat();
        Some(())
    }

    pub fn index(mut self, by: Pieces) -> Option<Place> {
        if self.is_address {
            self.is_address = false;
            if joined(&by) != "0" {
                self.index_at(&by)?;
            }
            return Some(self);
        }
        self.ty.dims.first()?;
        self.ty.dims.remove(0);
        self.steps.push(Step::Index(by));
        Some(self)
    }

    /// `place + by`, of a pointer or an array.
    pub fn plus(self, by: Pieces) -> Option<Place> {
        let moved = self.index(by)?;
        moved.address()
    }

    pub fn address(mut self) -> Option<Place> {
        (!self.is_address).then_some(())?;
        self.is_address = true;
        Some(self)
    }

    pub fn target(self) -> Option<Place> {
        let zero = vec![("0".to_string(), self.at)];
        self.index(zero)
    }

    pub fn member(mut self, records: &Records, name: &str, is_indirect: bool) -> Option<Place> {
        if is_indirect {
            self = self.target()?;
        }
        let Base::Record(record) = self.ty.base else { return None };
        if !self.ty.dims.is_empty() || self.is_address {
            return None;
        }
        let number = records.member(record, name)?;
        let member = &records.all[record].members[number];
        self.ty = Ty {
            base: member.base.clone(),
            dims: member.extents.iter().map(|extent| Dim::Array(Some(*extent))).collect(),
        };
        self.steps.push(Step::Member(number));
        Some(self)
    }

    pub fn record(&self) -> Option<usize> {
        match self.ty.base {
            Base::Record(record) if self.ty.dims.is_empty() && !self.is_address => Some(record),
            _ => None,
        }
    }

    /// The names of the members on the way, `_x_y`.
    pub fn path(&self, records: &Records) -> String {
        let (mut base, mut path) = (self.variable.ty.base.clone(), String::new());
        for step in &self.steps {
            if let (Step::Member(number), Base::Record(record)) = (step, &base) {
                let member = &records.all[*record].members[*number];
                path.push('_');
                path.push_str(&member.name);
                base = member.base.clone();
            }
        }
        path
    }

    /// The subscripts of the variable that a local structure's member has of its own.
    pub fn subscripts(&self) -> Vec<&Pieces> {
        let indices = self.steps.iter().filter_map(|step| match step {
            Step::Index(by) => Some(by),
            Step::Member(_) => None,
        });
        indices.collect()
    }

    /// The place as an element of the array that the argument is; as many subscripts as it takes.
    pub fn in_memory(&self, records: &Records) -> Result<Pieces, String> {
        let outer = self.steps.iter().take_while(|step| matches!(step, Step::Index(_))).count();
        let mut base = self.variable.ty.base.clone();
        let mut pieces: Pieces = vec![];
        let mut subscripts: Vec<Linear> = vec![];
        for step in &self.steps[..outer] {
            if let Step::Index(by) = step {
                subscripts.push(Linear { constant: 0, terms: vec![(by.clone(), 1)] });
            }
        }
        subscripts.extend(inner(records, &mut base, &self.steps[outer..])?);
        let all = self.variable.ty.dims.len() + records.shape(&self.variable.ty.base)?.extents.len();
        let is_element = subscripts.len() == all;
        let is_number = self.ty.dims.is_empty() && matches!(self.ty.base, Base::Number(_));
        let is_row = self.ty.dims.len() == 1 && matches!(self.ty.base, Base::Number(_)) && !self.is_address;
        if is_element && !is_number && !is_row {
            return Err(format!("the address of a part of a structure of `{}` is used", self.variable.name));
        }
        if self.is_address || is_element && is_row {
            pieces.push(self.word("&"));
        }
        pieces.push(self.word(&self.variable.name));
        for subscript in subscripts {
            pieces.push(self.word("["));
            pieces.extend(self.linear(&subscript));
            pieces.push(self.word("]"));
        }
        Ok(pieces)
    }

    pub fn word(&self, text: &str) -> Piece {
        (text.to_string(), self.at)
    }

    fn linear(&self, linear: &Linear) -> Pieces {
        let mut pieces: Pieces = vec![];
        for (by, stride) in &linear.terms {
            if !pieces.is_empty() {
                pieces.push(self.word("+"));
            }
            let is_alone = linear.terms.len() == 1 && linear.constant == 0 && *stride == 1;
            match is_alone {
                true => pieces.extend(by.clone()),
                false => {
                    pieces.push(self.word("("));
                    pieces.extend(by.clone());
                    pieces.push(self.word(")"));
                }
            }
            if *stride != 1 {
                pieces.extend([self.word("*"), self.word(&stride.to_string())]);
            }
        }
        if linear.constant > 0 && !pieces.is_empty() {
            pieces.push(self.word("+"));
        }
        if linear.constant > 0 || pieces.is_empty() {
            pieces.push(self.word(&linear.constant.to_string()));
        }
        pieces
    }
}

/// The subscripts that members and subscripts inside of a structure are, of the array that it is.
fn inner(records: &Records, base: &mut Base, steps: &[Step]) -> Result<Vec<Linear>, String> {
    let Some((Step::Member(number), rest)) = steps.split_first() else { return Ok(vec![]) };
    let Base::Record(record) = base else { return Ok(vec![]) };
    let Shape { extents, is_uniform, .. } = records.shape(&Base::Record(*record))?;
    let members = &records.all[*record].members;
    let member = &members[*number];
    let rows: Vec<Vec<u64>> = members
        .iter()
        .map(|member| Ok([member.extents.clone(), records.shape(&member.base)?.extents].concat()))
        .collect::<Result<_, String>>()?;
    let count = rest.iter().take_while(|step| matches!(step, Step::Index(_))).count();
    let mut own: Vec<Linear> = vec![];
    for step in &rest[..count] {
        if let Step::Index(by) = step {
            let text = joined(by);
            let known = text.parse::<u64>().ok().filter(|_| text == "0" || !text.starts_with('0'));
            own.push(match known {
                Some(constant) => Linear { constant, terms: vec![] },
                None => Linear { constant: 0, terms: vec![(by.clone(), 1)] },
            });
        }
    }
    let mut next = member.base.clone();
    own.extend(inner(records, &mut next, &rest[count..])?);
    if is_uniform {
        if members.len() > 1 {
            own.insert(0, Linear { constant: *number as u64, terms: vec![] });
        }
        return Ok(own);
    }
    // Rows of several lengths lie one behind the other.
    debug_assert_eq!(extents.len(), 1);
    let size = |row: &[u64]| row.iter().product::<u64>();
    let mut all = Linear { constant: rows[..*number].iter().map(|row| size(row)).sum(), terms: vec![] };
    for (k, linear) in own.into_iter().enumerate() {
        let stride = size(&rows[*number][k + 1..]);
        all.constant = all.constant.saturating_add(linear.constant.saturating_mul(stride));
        all.terms.extend(linear.terms.into_iter().map(|(by, own)| (by, own * stride)));
    }
    Ok(vec![all])
}
