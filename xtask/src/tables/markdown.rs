//! Markdown tables.

/// A Markdown table.
pub(super) fn table(head: &[&str], rows: Vec<Vec<String>>) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let head: Vec<String> = head.iter().map(|cell| (*cell).to_owned()).collect();
    let rule: Vec<String> = head.iter().map(|_| "---".to_owned()).collect();
    // A bar within a cell would end it.
    let escape = |cell: &String| cell.replace('|', "\\|").replace('\n', " ");
    let rows: String = rows.iter().map(|row| line(&row.iter().map(escape).collect::<Vec<_>>())).collect();
    format!("{}{}{rows}", line(&head), line(&rule))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_escape_bars() {
        let text = table(&["a", "b"], vec![vec!["1".to_owned(), "x|y".to_owned()]]);
        assert_eq!(text, "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n");
    }
}
