//! `sizeof` of arrays that become arguments, and so pointers: their types in place of their names.

use std::ops::Range;

use lang_c::ast::DerivedDeclarator;
use lang_c::span::{Node, Span as ByteSpan};

use super::super::function::derived;
use super::super::token::{Kind, Token};
use super::names::{Declared, Free};
use super::outline::{Edit, Outliner, Use, Used};

/// A macro of the file: its parameters, if it has any, and the tokens that it stands for.
struct Macro<'t> {
    parameters: Option<Vec<&'t str>>,
    body: &'t [Token],
}

impl Outliner<'_, '_> {
    /// Types in place of the names of arrays that become arguments, where `sizeof` asks for their sizes: `sizeof a` becomes
    /// `sizeof (int[16])`.
    pub fn sizes(&self, used: &[Used], free: &Free) -> Vec<Edit> {
        let text = &self.reader.preprocessed.text;
        let reachable = self.reachable(free);
        let bodies = self.externals.iter().filter_map(|external| external.function.as_ref());
        let bodies = bodies.filter(|(name, _)| reachable.contains(name)).map(|(_, body)| body.clone());
        let tokens: Vec<&Token> = bodies
            .chain([self.bytes()])
            .flat_map(|bytes| self.tokens(ByteSpan::span(bytes.start, bytes.end)))
            .collect();
        let word = |k: usize| tokens.get(k).map_or("", |token| token.text(text));
        let edit = |k: usize| {
            let own = used.iter().find(|used| used.name == word(k) && matches!(used.how, Use::Argument))?;
            let parts = derived(own.declared.declarator()?);
            let is_array = |part: &&Node<DerivedDeclarator>| matches!(part.node, DerivedDeclarator::Array(_));
            let is_whole = !parts.is_empty() && parts.iter().all(is_array) && !matches!(word(k + 1), "[" | "." | "->");
            let is_closed = word(k - 1) == "(" && word(k + 1) == ")";
            let keyword = tokens[k.checked_sub(1 + is_closed as usize)?];
            if matches!(own.declared, Declared::Argument(_)) || !is_whole || keyword.text(text) != "sizeof" {
                return None;
            }
            self.exact(keyword.start..keyword.end, "sizeof")?;
            let ty = self.declaration(&own.declared, Some(""));
            let bytes = self.exact(tokens[k].start..tokens[k].end, word(k))?;
            let text = Some(if is_closed { ty } else { format!("({ty})") });
            Some(Edit { bytes, text, keeps_directives: false })
        };
        (1..tokens.len()).filter_map(edit).collect()
    }

    /// The same in what macros of the file make of `COUNT(a)` or `LENGTH`: there the array is an external one that is like it,
    /// whose declaration `shapes` gets.
    pub fn sizes_in_macros(&self, used: &[Used], fresh: impl Fn(&str) -> String, shapes: &mut String) -> Vec<Edit> {
        let (user, original) = (&self.reader.source.text, self.reader.original);
        let bytes = self.bytes();
        let Some(bytes) = self.reader.preprocessed.map.bytes(ByteSpan::span(bytes.start, bytes.end)) else {
            return vec![];
        };
        let is_array = |part: &&Node<DerivedDeclarator>| matches!(part.node, DerivedDeclarator::Array(_));
        let arrays: Vec<(&Used, String)> = used
            .iter()
            .filter(|used| matches!(used.how, Use::Argument) && used.declared.is_global())
            .filter(|used| {
                let parts = used.declared.declarator().map(derived).unwrap_or_default();
                !parts.is_empty() && parts.iter().all(is_array)
            })
            .map(|used| (used, fresh(&used.name)))
            .collect();
        let array = |word: &str| arrays.iter().find(|(used, _)| used.name == word);
        let (mut edits, mut declared) = (vec![], vec![]);
        let mut put = |bytes: Range<usize>, text: String, own: Vec<&(&Used, String)>| {
            for (used, name) in own {
                if !declared.contains(name) {
                    shapes.push_str(&format!("extern {}; ", self.declaration(&used.declared, Some(name))));
                    declared.push(name.clone());
                }
            }
            edits.push(Edit { bytes, text: Some(text), keeps_directives: false });
        };
        let first = original.tokens.partition_point(|token| token.start < bytes.start);
        let tokens = &original.tokens[first..original.tokens.partition_point(|token| token.end <= bytes.end)];
        for k in 0..tokens.len() {
            let Some(own) = self.macro_of(tokens[k].text(user)) else { continue };
            match own.parameters {
                Some(parameters) => {
                    let Some(given) = arguments(&tokens[k + 1..], user) else { continue };
                    for (parameter, argument) in parameters.iter().zip(given) {
                        let [only] = argument else { continue };
                        if let Some(own_array) = array(only.text(user))
                            && asks_for_sizes(own.body, user, &|word| word == *parameter)
                        {
                            put(only.start..only.end, own_array.1.clone(), vec![own_array]);
                        }
                    }
                }
                None if asks_for_sizes(own.body, user, &|word| array(word).is_some()) => {
                    let words: Vec<&str> = own.body.iter().map(|token| token.text(user)).collect();
                    let text = words.iter().map(|word| array(word).map_or(*word, |(_, name)| name)).collect::<Vec<_>>();
                    put(
                        tokens[k].start..tokens[k].end,
                        text.join(" "),
                        words.iter().filter_map(|w| array(w)).collect(),
                    );
                }
                None => {}
            }
        }
        edits
    }

    /// The macro of this name, where the file defines it once.
    fn macro_of(&self, name: &str) -> Option<Macro<'_>> {
        let user = &self.reader.source.text;
        let word = |token: Option<&Token>| token.map_or("", |token| token.text(user));
        let is_it = |line: &&Vec<Token>| word(line.get(1)) == "define" && word(line.get(2)) == name;
        let mut lines = self.reader.original.directives.iter().filter(is_it);
        let (line, None) = (lines.next()?, lines.next()) else { return None };
        if word(line.get(3)) != "(" || line[3].start != line[2].end {
            return Some(Macro { parameters: None, body: &line[3..] });
        }
        let end = 4 + line[4..].iter().position(|token| token.text(user) == ")")?;
        let names = line[4..end].iter().filter(|token| token.kind == Kind::Word).map(|token| token.text(user));
        Some(Macro { parameters: Some(names.collect()), body: &line[end + 1..] })
    }
}

/// The arguments of a macro's use, from its parenthesis on.
fn arguments<'t>(tokens: &'t [Token], user: &str) -> Option<Vec<&'t [Token]>> {
    (tokens.first()?.text(user) == "(").then_some(())?;
    let (mut depth, mut begin, mut found) = (0usize, 1, vec![]);
    for (k, token) in tokens.iter().enumerate() {
        match token.text(user) {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.checked_sub(1)?,
            "," if depth == 1 => {
                found.push(&tokens[begin..k]);
                begin = k + 1;
            }
            _ => {}
        }
        if depth == 0 {
            found.push(&tokens[begin..k]);
            return Some(found);
        }
    }
    None
}

/// Whether such words stand in a macro's body, all of them where `sizeof` asks for their sizes or those of parts.
fn asks_for_sizes(body: &[Token], user: &str, is_one: &dyn Fn(&str) -> bool) -> bool {
    let word = |k: usize| body[k].text(user);
    let asks = |k: usize| {
        let before = (0..k).rev().find(|before| !matches!(word(*before), "(" | "*"));
        before.is_some_and(|before| word(before) == "sizeof") && word(k - 1) != "#"
    };
    let mut places = (0..body.len()).filter(|k| is_one(word(*k))).peekable();
    places.peek().is_some() && places.all(asks)
}
