//! Markdown and CSV tables.

use std::collections::BTreeSet;

/// A Markdown table.
pub(crate) fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    // A bar within a cell would end it.
    let escape = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
    let rows: String = rows.iter().map(|row| line(&row.iter().map(escape).collect::<Vec<_>>())).collect();
    format!("{}{}{rows}", line(&head), line(&rule))
}

/// The different values, in order, joined by commas.
pub(super) fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> String {
    values.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
}

/// Mean and sample standard deviation; no deviation of a single value.
pub(super) fn mean_sd(values: &[f64]) -> Option<(f64, Option<f64>)> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.len() > 1)
        .then(|| (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt());
    Some((mean, sd))
}

/// Percent with one decimal, with the standard deviation where there is one; a dash for nothing.
pub(super) fn percent(values: &[f64]) -> String {
    match mean_sd(values) {
        None => "-".to_owned(),
        Some((mean, None)) => format!("{:.1}", 100.0 * mean),
        Some((mean, Some(sd))) => format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * sd),
    }
}

/// Two decimals, with the standard deviation where there is one.
pub(super) fn number(values: &[f64]) -> String {
    match mean_sd(values) {
        None => "-".to_owned(),
        Some((mean, None)) => format!("{mean:.2}"),
        Some((mean, Some(sd))) => format!("{mean:.2} ± {sd:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_escape_bars() {
        let text = table(&["a", "b"], vec![vec!["1".to_owned(), "x|y".to_owned()]]);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n");
    }

    #[test]
    fn spread_is_the_sample_standard_deviation() {
        assert_eq!(mean_sd(&[1.0, 3.0]), Some((2.0, Some(2f64.sqrt()))));
        assert_eq!((percent(&[0.5]), percent(&[])), ("50.0".to_owned(), "-".to_owned()));
    }
}
