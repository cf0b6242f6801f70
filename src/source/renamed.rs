//! The names that variables of helpers get where their bodies stand in place of calls ([`super::splice`]), for people: `i_1_1`
//! is `i` to who wrote it.

use std::collections::{HashMap, HashSet};

use super::preprocess::Preprocessed;
use super::token::Kind;
use crate::diagnostic::Diagnostic;

/// The user's names of those that burstc made.
pub struct Renamed {
    pairs: HashMap<String, String>,
    /// All words of the text.
    words: HashSet<String>,
}

/// What [`super::left`] and [`super::exits`] add to a counter's name, before a number perhaps.
const ENDINGS: [&str; 3] = ["_end", "_at", "_in"];

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
        let pairs = pairs.collect();
        let all = preprocessed.tokens.iter().filter(|token| token.kind == Kind::Word);
        Renamed { pairs, words: all.map(|token| token.text(&preprocessed.text).to_string()).collect() }
    }

    /// Whether a name stands in the text.
    pub fn has(&self, name: &str) -> bool {
        self.words.contains(name)
    }

    /// The user's name of a variable that burstc named.
    pub fn user<'n>(&'n self, name: &'n str) -> Option<&'n str> {
        if let Some(user) = self.pairs.get(name) {
            return Some(user);
        }
        if self.words.contains(name) {
            return None;
        }
        // [`super::lives`] adds nothing else.
        let numbered = name.rsplit_once('_').filter(|(_, number)| number.bytes().all(|b| b.is_ascii_digit()));
        if let Some((stem, _)) = numbered.filter(|(stem, _)| self.words.contains(*stem)) {
            return Some(self.pairs.get(stem).map_or(stem, String::as_str));
        }
        let unnumbered = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '_');
        let counter = ENDINGS.iter().find_map(|ending| unnumbered.strip_suffix(ending));
        let counter = counter.filter(|counter| self.words.contains(*counter))?;
        Some(self.pairs.get(counter).map_or(counter, String::as_str))
    }

    /// The diagnostic in the user's names.
    pub fn told(&self, refused: Diagnostic) -> Diagnostic {
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
            told.push_str(self.user(word).unwrap_or(word));
            rest = &rest[end..];
        }
        told.push_str(rest);
        told
    }
}
