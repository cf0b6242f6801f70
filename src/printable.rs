//! Names of files in generated text and in messages.

/// The text on one line: characters that end a line, move a terminal's cursor, or turn the direction of writing become
/// `?`, so that a name can neither add lines to a generated file nor hide what stands in it.
pub fn on_one_line(text: &str) -> String {
    let is_special = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    text.chars().map(|c| if is_special(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_special_is_replaced() {
        assert_eq!(on_one_line("häß lich-1.c \"\\'"), "häß lich-1.c \"\\'");
        assert_eq!(on_one_line("a\nb\rc\td\u{1b}[2J\u{2028}\u{202e}\u{85}\u{0}"), "a?b?c?d?[2J????");
    }
}
