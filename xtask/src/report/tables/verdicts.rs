//! Each claim about tables with its rule and the tables that count.

use super::array;
use crate::report::claims::Judgement;
use crate::report::drawing::escape;
use crate::report::html;
use crate::report::numbers::fixed;

/// The claims, folded.
pub(super) fn details(judged: &[Judgement]) -> String {
    let parts: String = judged.iter().map(detail).collect();
    format!(
        "<h4>Claims and rules</h4>{parts}<p class=\"soft\">The unit is the table, or the lineage of tables of one origin. With fewer than 6, or too few of one family \
         for any p below 0.05, a claim <em>agrees</em> or <em>disagrees so far</em>. Tables of other models than the paper's \
         judge its statement, not its figures. <a href=\"tables/claims.json\">claims.json</a></p>"
    )
}

fn detail(judgement: &Judgement) -> String {
    let facts = html::facts(&[
        ("claim", escape(judgement.word("statement"))),
        ("endpoint", escape(judgement.word("primary"))),
        ("rule", format!("<code>{}</code>", escape(judgement.word("rule_text")))),
        ("source", escape(judgement.word("source"))),
        ("published", escape(judgement.0["published"]["text"].as_str().unwrap_or(""))),
        ("why", escape(judgement.word("reason"))),
    ]);
    let rows = array(&judgement.0["tables"]).iter().map(|table| {
        let word = |key: &str| table[key].as_str().unwrap_or("?").to_owned();
        let number = |key: &str| table[key].as_f64().map_or("–".to_owned(), |value| fixed(value, 3));
        [word("label"), word("family"), number("error"), number("ratio")]
    });
    let table = html::table(&["table", "family", "error", "error / that of a random table"], &[2, 3], rows);
    format!(
        "<details><summary><code>{}</code>: {}</summary>{facts}{table}</details>\n",
        escape(judgement.word("id")),
        escape(&judgement.verdict())
    )
}
