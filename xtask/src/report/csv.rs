//! Comma-separated values.

/// A table of values: the numbers of a figure, or the cells of a table on the page.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Csv {
    text: String,
    columns: usize,
}

impl Csv {
    pub(super) fn new<const N: usize>(head: [&str; N]) -> Self {
        let mut csv = Self { text: String::new(), columns: N };
        csv.row(head.map(str::to_owned));
        csv
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        debug_assert_eq!(N, self.columns);
        self.text += &cells.map(|cell| quoted(&cell)).join(",");
        self.text.push('\n');
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// Quoted where it must be (RFC 4180).
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be() {
        let mut csv = Csv::new(["a", "b"]);
        csv.row(["x,y".to_owned(), "say \"no\"".to_owned()]);
        assert_eq!(csv.text(), "a,b\n\"x,y\",\"say \"\"no\"\"\"\n");
    }
}
