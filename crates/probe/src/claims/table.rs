//! Claims as text.

use super::ClaimResult;

/// One line a claim, columns aligned: id, verdict, value, seeds, interval, p, p by Holm over the claims of the experiment, and why.
pub fn aligned(claims: &[ClaimResult]) -> String {
    let header =
        ["claim", "verdict", "value", "n", "95% interval", "p", "p (Holm)", "note"].map(str::to_owned);
    let rows: Vec<[String; 8]> = std::iter::once(header).chain(claims.iter().map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..8).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:<width$}")).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

fn row(claim: &ClaimResult) -> [String; 8] {
    let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
    [
        claim.id.clone(),
        claim.verdict_text(),
        number(claim.value),
        claim.n.to_string(),
        claim.interval.as_ref().map_or_else(|| "-".into(), |i| format!("[{:.3}, {:.3}]", i.low, i.high)),
        number(claim.p),
        number(claim.holm.map(|holm| holm.p)),
        claim.reason.clone().unwrap_or_default(),
    ]
}
