//! The names that variables of helpers get where their bodies stand in place of calls ([`super::splice`]), for people: `i_1_1`
//! is `i` to who wrote it.

use std::collections::HashMap;

use super::preprocess::Preprocessed;
use super::token::Kind;
use crate::diagnostic::Diagnostic;

/// The user's names of those that burstc made.
pub struct Renamed(HashMap<String, String>);

impl Renamed {
    pub fn of(preprocessed: &Preprocessed) -> Renamed {
        let words = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
        let pairs = words.filter_map(|token| {
            let own = token.text(&preprocessed.text);
            // Most are what they were.
            let (stem, _) = own.rsplit_once('_').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()))?;
            let user = preprocessed.map.text(lang_c::span::Span::span(token.start, token.end));
            let is_made = user != own && !user.is_empty() && (stem == user || stem.starts_with(&format!("{user}_")));
            is_made.then(|| (own.to_string(), user))
        });
        Renamed(pairs.collect())
    }

    /// The user's name of a variable that burstc named.
    pub fn user(&self, name: &str) -> Option<&String> {
        self.0.get(name)
    }

    /// The diagnostic in the user's names.
    pub fn told(&self, refused: Diagnostic) -> Diagnostic {
        if self.0.is_empty() {
            return refused;
        }
        let Diagnostic { message, label, help, .. } = &refused;
        let [message, label, help] = [message, label, help].map(|text| self.text(text));
        Diagnostic { message, label, help, ..refused }
    }

    /// Puts the user's names in place of whole words.
    fn text(&self, text: &str) -> String {
        let is_inside = |c: char| c.is_alphanumeric() || c == '_';
        let (mut told, mut rest) = (String::new(), text);
        while let Some(begin) = rest.find(is_inside) {
            let end = rest[begin..].find(|c| !is_inside(c)).map_or(rest.len(), |length| begin + length);
            told.push_str(&rest[..begin]);
            let word = &rest[begin..end];
            told.push_str(self.user(word).map_or(word, |user| user));
            rest = &rest[end..];
        }
        told.push_str(rest);
        told
    }
}
