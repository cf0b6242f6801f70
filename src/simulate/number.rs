//! Values of scalars and elements for people: whole numbers exactly, others in decimal.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::source::kernel::ScalarType;

/// A number of the command line, of a report or a message. In JSON a number, or text where that has none ("NaN", "inf").
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Text", try_from = "Text")]
pub enum Number {
    Whole(i128),
    /// Of `float`, the shortest decimal number that is read as the same `float`.
    Decimal(f64),
}

impl Number {
    /// The value of a register's or an element's bits.
    pub fn of(raw: u64, ty: ScalarType) -> Number {
        let shift = 64 - ty.bits;
        match (ty.floating, ty.bits) {
            (true, 32) => {
                let value = f32::from_bits(raw as u32);
                Number::Decimal(value.to_string().parse().unwrap_or(value.into()))
            }
            (true, _) => Number::Decimal(f64::from_bits(raw)),
            _ if ty.signed => Number::Whole(i128::from((raw << shift) as i64 >> shift)),
            _ => Number::Whole(i128::from(raw << shift >> shift)),
        }
    }

    /// The number as bits of a type; rounded to nearest where that is a floating-point type, and whole otherwise.
    pub fn bits(self, ty: ScalarType) -> u64 {
        match (ty.floating, self) {
            (true, _) if ty.bits == 32 => u64::from((self.value() as f32).to_bits()),
            (true, _) => self.value().to_bits(),
            (false, Number::Whole(value)) => value as u64,
            (false, Number::Decimal(value)) => value as i128 as u64,
        }
    }

    /// The number where it is whole.
    pub fn whole(self) -> Option<i128> {
        match self {
            Number::Whole(value) => Some(value),
            Number::Decimal(_) => None,
        }
    }

    pub fn plus(self, step: i64) -> Number {
        match self {
            Number::Whole(value) => Number::Whole(value + i128::from(step)),
            Number::Decimal(value) => Number::Decimal(value + step as f64),
        }
    }

    /// The bits of an element that is equal to the number, where its type has one.
    pub fn as_element(self, ty: ScalarType) -> Option<u64> {
        let bits = self.bits(ty);
        let is_same = match (Number::of(bits, ty), self) {
            (Number::Whole(own), Number::Whole(value)) => own == value,
            (own, value) => own.value() == value.value(),
        };
        is_same.then_some(bits)
    }

    pub fn value(self) -> f64 {
        match self {
            Number::Whole(value) => value as f64,
            Number::Decimal(value) => value,
        }
    }
}

/// Prints `-3`, `0.5`, `2.0`, `1e-40`, `NaN`.
impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(value) => write!(f, "{value}"),
            Number::Decimal(value) => write!(f, "{value:?}"),
        }
    }
}

/// How JSON has a [`Number`].
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Signed(i64),
    Unsigned(u64),
    Decimal(f64),
    Other(String),
}

impl From<Number> for Text {
    fn from(number: Number) -> Text {
        match number {
            Number::Whole(value) => match (i64::try_from(value), u64::try_from(value)) {
                (Ok(value), _) => Text::Signed(value),
                (_, Ok(value)) => Text::Unsigned(value),
                _ => Text::Other(value.to_string()),
            },
            Number::Decimal(value) if value.is_finite() => Text::Decimal(value),
            Number::Decimal(value) => Text::Other(value.to_string()),
        }
    }
}

impl TryFrom<Text> for Number {
    type Error = String;

    fn try_from(text: Text) -> Result<Number, String> {
        Ok(match text {
            Text::Signed(value) => Number::Whole(value.into()),
            Text::Unsigned(value) => Number::Whole(value.into()),
            Text::Decimal(value) => Number::Decimal(value),
            Text::Other(text) => match (text.parse(), text.parse()) {
                (Ok(value), _) => Number::Whole(value),
                (_, Ok(value)) => Number::Decimal(value),
                _ => return Err(format!("`{text}` is no number")),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_people_write_them() {
        let float = |value: f32| Number::of(value.to_bits().into(), ScalarType::FLOAT).to_string();
        assert_eq!([0.1, -2.0, 1e-40, f32::NAN].map(float), ["0.1", "-2.0", "1e-40", "NaN"]);
        let double = |value: f64| Number::of(value.to_bits(), ScalarType::DOUBLE).to_string();
        assert_eq!([0.1, f64::INFINITY].map(double), ["0.1", "inf"]);
        assert_eq!(Number::of(0xff, ScalarType::integer(8, true)), Number::Whole(-1));
        assert_eq!(Number::of(u64::MAX, ScalarType::integer(64, false)), Number::Whole(u64::MAX.into()));
    }

    #[test]
    fn bits_are_those_of_the_nearest_number() {
        assert_eq!(Number::Decimal(0.1).bits(ScalarType::FLOAT), u64::from(0.1f32.to_bits()));
        assert_eq!(Number::Whole(-3).bits(ScalarType::DOUBLE), (-3f64).to_bits());
        assert_eq!(Number::Whole(-3).bits(ScalarType::I32), -3i64 as u64);
    }

    #[test]
    fn json_keeps_them() {
        for number in [
            Number::Whole(-3),
            Number::Whole(u64::MAX.into()),
            Number::Decimal(0.1),
            Number::Decimal(2.0),
            Number::Decimal(f64::NEG_INFINITY),
        ] {
            let text = serde_json::to_string(&number).unwrap();
            assert_eq!(serde_json::from_str::<Number>(&text).unwrap(), number, "{text}");
        }
        assert_eq!(serde_json::to_string(&Number::Whole(7)).unwrap(), "7");
        assert_eq!(serde_json::to_string(&Number::Decimal(0.5)).unwrap(), "0.5");
    }
}
