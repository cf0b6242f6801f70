//! Text in HTML.

/// Text between tags and in attributes.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // HTML has no such characters, not even escaped.
            c if c.is_control() && c != '\n' && c != '\t' => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}

/// A block of data: JSON in which nothing looks like HTML. Outside of its strings JSON has none of these characters.
pub fn json_block(id: &str, json: &str) -> String {
    let harmless = json.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026");
    format!("<script type=\"application/json\" id=\"{id}\">{harmless}</script>\n")
}

/// Rows of a table, their cells as HTML; the first row is the head.
pub fn table(class: &str, rows: &[Vec<String>]) -> String {
    let mut html = format!("<div class=\"wide\"><table class=\"{class}\">");
    for (number, row) in rows.iter().enumerate() {
        let tag = if number == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|cell| format!("<{tag}>{cell}</{tag}>")).collect();
        html.push_str(&format!("<tr>{cells}</tr>\n"));
    }
    html + "</table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_users_is_markup() {
        assert_eq!(escaped("a<b && \"c\" > 'd'"), "a&lt;b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
        assert_eq!(escaped("a\u{1b}[1m\n\u{0}"), "a\u{fffd}[1m\n\u{fffd}");
        let json = serde_json::to_string(&["</script><!--<script>", "&amp;"]).unwrap();
        let block = json_block("x", &json);
        let inner = block.trim_end().strip_suffix("</script>").unwrap().split_once('>').unwrap().1;
        assert!(!inner.contains(['<', '>', '&']), "{inner}");
        assert_eq!(serde_json::from_str::<Vec<String>>(inner).unwrap(), ["</script><!--<script>", "&amp;"]);
    }
}
