//! C files changed at random, the same for the same seed: mostly still C, seldom what their author meant.

/// SplitMix64.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bd1_e995)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn choose<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

const CONSTANTS: [&str; 26] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "8",
    "64",
    "255",
    "256",
    "1000",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295u",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808u",
    "18446744073709551615u",
    "1e3",
    "0.5",
    "0x10",
    "010",
    "'a'",
    "(1 << 20)",
    "99999999999999999999",
];
const TYPES: [&str; 18] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "float",
    "double",
    "_Bool",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
];
const OPERATORS: [&str; 20] =
    ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "&&", "||", ",", "? 1 :"];
const ASSIGNMENTS: [&str; 8] = ["=", "+=", "-=", "*=", "/=", "<<=", "^=", "|="];
const UNARY: [&str; 14] = [
    "-",
    "~",
    "!",
    "+",
    "(uint8_t)",
    "(int8_t)",
    "(unsigned)",
    "(long)",
    "(float)",
    "(double)",
    "(int16_t)",
    "++",
    "sizeof ",
    "(_Bool)",
];
/// `I` and `S` become names of the file.
const PRAGMAS: [&str; 18] = [
    "tile(I:0)",
    "tile(I:1)",
    "tile(I:3)",
    "tile(I:4, I:4)",
    "tile(I:65536)",
    "tile(I:-8)",
    "tile(4)",
    "tile(8, 8)",
    "tile(2, 2, 2)",
    "size(I: 0, max 1)",
    "size(I: 5, max 3)",
    "size(I: 3, min 2, max 100)",
    "size(I: 40, max 2147483648)",
    "schedule((I,I) -> (I + I, I)) tile(4, 4)",
    "schedule((I) -> (-I)) tile(64)",
    "lanes(I: 4)",
    "extent(I: I + 1)",
    "size(",
];
/// What a number or a name becomes.
const EXPRESSIONS: [&str; 18] = [
    "(I - 9)",
    "(I + 1)",
    "-I",
    "(2 * I)",
    "(I / 2)",
    "(I % 3)",
    "(I - I)",
    "(I * I)",
    "(I >> 1)",
    "(I << 1)",
    "(I < I ? I : I)",
    "(I ? 1 : 0)",
    "((unsigned)I - 1)",
    "((uint8_t)I)",
    "(I + 65536u * 65536u)",
    "I[I]",
    "I(I)",
    "(-I / 2)",
];
/// `X` is the statement that is there.
const STATEMENTS: [&str; 14] = [
    "for (int q = 0; q < 3; q++) X",
    "for (int q = -1; q <= 1; q++) X",
    "for (int q = I; q < I; q++) X",
    "for (unsigned q = I; q >= 1; q--) X",
    "for (uint8_t q = 0; q < 300; q++) X",
    "for (int q = 8; q > 0; q -= 3) X",
    "if (I > 0) X",
    "if (I % 2 == 0) X",
    "if (I < I) X else X",
    "{ int t = I; X }",
    "{ int t; X }",
    "X X",
    "if (0) X",
    "{ X }",
];

/// A token and the blanks before it; a directive's line breaks are blanks of the next token.
#[derive(Clone)]
struct Token {
    blank: String,
    text: String,
}

impl Token {
    fn is_word(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
    }

    fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

fn tokenize(text: &str) -> Vec<Token> {
    const LONG: [&str; 22] = [
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=", "*=", "/=", "%=",
        "&=", "|=", "^=", "->",
    ];
    let mut tokens = vec![];
    let (mut rest, mut blank) = (text, String::new());
    while let Some(first) = rest.chars().next() {
        let take = |stop: &dyn Fn(char) -> bool| rest.find(stop).unwrap_or(rest.len());
        let (length, is_blank) = if first.is_whitespace() {
            (take(&|c| !c.is_whitespace()), true)
        } else if rest.starts_with("//") {
            (take(&|c| c == '\n'), true)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), true)
        } else if first.is_ascii_alphanumeric() || first == '_' {
            (take(&|c| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')), false)
        } else if let Some(long) = LONG.iter().find(|long| rest.starts_with(**long)) {
            (long.len(), false)
        } else {
            (first.len_utf8(), false)
        };
        let (text, after) = rest.split_at(length);
        if is_blank {
            // Comments say nothing here, but they end lines.
            blank.push_str(if text.starts_with('/') { " " } else { text });
        } else {
            tokens.push(Token { blank: std::mem::take(&mut blank), text: text.to_string() });
        }
        rest = after;
    }
    tokens
}

/// The text with some of it changed.
pub fn mutated(text: &str, random: &mut Random) -> Vec<u8> {
    let mut tokens = tokenize(text);
    let mut count = 1;
    while count < 6 && random.below(5) < 2 {
        count += 1;
    }
    for _ in 0..count {
        mutate(&mut tokens, random);
    }
    let mut bytes: Vec<u8> = Vec::new();
    for token in &tokens {
        bytes.extend(token.blank.bytes());
        bytes.extend(token.text.bytes());
    }
    bytes.push(b'\n');
    if random.below(25) == 0 {
        for _ in 0..=random.below(3) {
            let place = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[place] = random.next() as u8,
                1 => drop(bytes.remove(place)),
                _ => bytes.insert(place, random.next() as u8),
            }
        }
    }
    bytes
}

fn mutate(tokens: &mut Vec<Token>, random: &mut Random) {
    if tokens.is_empty() {
        return;
    }
    let names: Vec<String> = tokens.iter().filter(|t| t.is_word()).map(|t| t.text.clone()).collect();
    let places = |tokens: &[Token], wanted: &dyn Fn(&Token) -> bool| -> Vec<usize> {
        (0..tokens.len()).filter(|place| wanted(&tokens[*place])).collect()
    };
    let pick = |places: Vec<usize>, random: &mut Random| match places.len() {
        0 => random.below(tokens.len()),
        count => places[random.below(count)],
    };
    let numbers = |tokens: &[Token]| places(tokens, &|t| t.is_number());
    let words = |tokens: &[Token]| places(tokens, &|t| t.is_word() && t.text.len() < 4);
    let set = |tokens: &mut Vec<Token>, place: usize, text: String| tokens[place].text = text;
    let filled = |form: &str, random: &mut Random| -> String {
        let short: Vec<&String> = names.iter().filter(|name| name.len() < 4).collect();
        let name = |random: &mut Random| match short.len() {
            0 => "i".to_string(),
            count => short[random.below(count)].clone(),
        };
        form.chars().fold(String::new(), |text, c| {
            if c == 'I' { text + &name(random) } else { text + c.encode_utf8(&mut [0; 4]) }
        })
    };
    // What seldom leaves C behind comes once where the others come twice.
    let kind = random.below(36);
    match if kind < 32 { kind / 2 } else { kind - 16 } {
        0..=2 => {
            let place = pick(numbers(tokens), random);
            set(tokens, place, random.choose(&CONSTANTS).to_string());
        }
        3 | 4 => {
            let place = pick(places(tokens, &|t| TYPES.contains(&t.text.as_str())), random);
            set(tokens, place, random.choose(&TYPES).to_string());
        }
        5 | 6 => {
            let place = pick(places(tokens, &|t| OPERATORS.contains(&t.text.as_str()) && t.text != ","), random);
            set(tokens, place, random.choose(&OPERATORS).to_string());
        }
        7 => {
            let place = pick(places(tokens, &|t| ASSIGNMENTS.contains(&t.text.as_str())), random);
            set(tokens, place, random.choose(&ASSIGNMENTS).to_string());
        }
        8 | 9 => {
            let (place, other) = (pick(words(tokens), random), pick(words(tokens), random));
            let text = tokens[other].text.clone();
            set(tokens, place, text);
        }
        10 | 11 => {
            let place = if random.below(2) == 0 { pick(numbers(tokens), random) } else { pick(words(tokens), random) };
            let text = filled(random.choose(&EXPRESSIONS), random);
            set(tokens, place, text);
        }
        12 => {
            let place = pick(places(tokens, &|t| t.is_number() || t.is_word() && t.text.len() < 4), random);
            let text = format!("{}{}", random.choose(&UNARY), tokens[place].text);
            set(tokens, place, text);
        }
        13 | 14 => {
            let Some((begin, end)) = statement(tokens, random) else { return };
            let text = |tokens: &[Token]| tokens.iter().map(|t| t.blank.clone() + &t.text).collect::<String>();
            let inside = text(&tokens[begin..end]);
            // Long after a statement or two: what is copied too often says nothing new.
            let form = if inside.len() > 2000 { "{ X }" } else { random.choose(&STATEMENTS) };
            let new = filled(form, random).replace('X', inside.trim());
            let blank = tokens[begin].blank.clone();
            let mut new = tokenize(&new);
            if let Some(first) = new.first_mut() {
                first.blank = blank;
            }
            tokens.splice(begin..end, new);
        }
        15 => {
            let place = pick(places(tokens, &|t| ["for", "if", "void", "#"].contains(&t.text.as_str())), random);
            let pragma = filled(random.choose(&PRAGMAS), random);
            tokens[place].blank.push_str(&format!("\n#pragma burstc {pragma}\n"));
        }
        16 => {
            let place = pick(places(tokens, &|t| "{}()[];,".contains(&t.text)), random);
            tokens.remove(place);
        }
        17 => {
            let place = random.below(tokens.len());
            tokens.remove(place);
        }
        18 => {
            let place = random.below(tokens.len());
            let token = tokens[place].clone();
            tokens.insert(place, token);
        }
        _ => {
            let (place, other) = (random.below(tokens.len()), random.below(tokens.len()));
            let (a, b) = (tokens[place].text.clone(), tokens[other].text.clone());
            set(tokens, place, b);
            set(tokens, other, a);
        }
    }
}

/// Tokens from the end of one statement to the end of the next.
fn statement(tokens: &[Token], random: &mut Random) -> Option<(usize, usize)> {
    let mut depth = 0usize;
    let mut ends = vec![];
    for (place, token) in tokens.iter().enumerate() {
        match token.text.as_str() {
            "(" => depth += 1,
            ")" => {
                depth = depth.saturating_sub(1);
                // The body of a loop without braces.
                if depth == 0 && tokens.get(place + 1).is_some_and(|next| next.is_word()) {
                    ends.push(place + 1);
                }
            }
            ";" | "{" | "}" if depth == 0 => ends.push(place + 1),
            _ => {}
        }
    }
    let begins: Vec<(usize, usize)> = ends
        .windows(2)
        .map(|pair| (pair[0], pair[1]))
        .filter(|(begin, end)| begin < end && tokens[*end - 1].text == ";" && tokens[*begin].text != "}")
        .collect();
    (!begins.is_empty()).then(|| begins[random.below(begins.len())])
}
