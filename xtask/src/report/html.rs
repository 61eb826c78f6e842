//! Pieces of a page. All of it is well-formed XML too, so that a test can read it.

use super::drawing::escape;

/// A table; the columns in `numeric` are set to the right. Cells are plain text.
pub(super) fn table<const N: usize>(
    head: &[&str; N],
    numeric: &[usize],
    rows: impl Iterator<Item = [String; N]>,
) -> String {
    let class = |i: usize| if numeric.contains(&i) { " class=\"n\"" } else { "" };
    let cells = |tag: &str, cells: &[String]| -> String {
        let one = |(i, cell): (usize, &String)| format!("<{tag}{}>{}</{tag}>", class(i), escape(cell));
        format!("<tr>{}</tr>\n", cells.iter().enumerate().map(one).collect::<String>())
    };
    let head = cells("th", &head.map(str::to_owned));
    let rows: String = rows.map(|row| cells("td", &row)).collect();
    format!("<div class=\"wide\"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>")
}

/// Names and what belongs to them, as HTML; what is empty is left out.
pub(super) fn facts(facts: &[(&str, String)]) -> String {
    let shown = facts.iter().filter(|(_, text)| !text.is_empty());
    format!(
        "<dl>{}</dl>",
        shown.map(|(name, text)| format!("<dt>{name}</dt><dd>{text}</dd>")).collect::<String>()
    )
}

/// A paragraph of plain text.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>", escape(text))
}

/// The page around its parts.
pub(super) fn page(title: &str, style: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\"><head><meta \
         charset=\"utf-8\"/>\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\"/><meta \
         name=\"color-scheme\" content=\"light dark\"/>\
         <title>{}</title><style>{style}</style></head>\n<body>\n{body}</body></html>\n",
        escape(title)
    )
}
