//! Text that reads as numbers, but not as those that are meant.

use super::{Line, counts};
use crate::io::Problem;

/// The fewest columns of which counting up is no chance.
const FEWEST: usize = 3;

/// Refuses a first line of column numbers, as pandas writes above columns that have no names: read as an observation it
/// would change every statistic. A matrix whose first column is its first line, such as distances on a line, is meant.
pub(super) fn no_counted_head(lines: &[Line]) -> Result<(), Problem> {
    let [(line, first), _, ..] = lines else { return Ok(()) };
    let has_index = first.get(0) == Some("");
    let numbers = || first.iter().skip(usize::from(has_index));
    let repeated = || first.iter().eq(lines.iter().filter_map(|(_, line)| line.get(0)));
    if first.len() < FEWEST || !counts(numbers()) || (lines.len() == first.len() && repeated()) {
        return Ok(());
    }
    let last = numbers().last().unwrap_or_default();
    let (before, remedy) = match has_index {
        true => (
            "an empty cell and ",
            "save it without index and head (`to_csv(index=False, header=False)`), or name the columns",
        ),
        false => {
            ("", "remove the line; if it is an observation, put a line with names of the columns above it")
        }
    };
    let got = format!(
        "{before}{} to {last}, which look like numbers of columns",
        numbers().next().unwrap_or_default()
    );
    Err(Problem::new(format!("line {line}"), "the values of the first observation, or names", got, remedy))
}

/// What to say of a cell that holds several numbers, as where semicolons or spaces stand between them.
pub(super) fn other_separator(place: &str, cell: &str, width: usize, delimiter: u8) -> Option<Problem> {
    let ends_in_number = |separator: char| {
        cell.rsplit_once(separator).is_some_and(|(_, last)| last.trim().parse::<f64>().is_ok())
    };
    let all = [(';', "semicolons"), ('\t', "tabs"), (' ', "spaces"), (',', "commas")];
    let mut others = all.into_iter().filter(|(separator, _)| *separator != char::from(delimiter));
    // Of several cells only a semicolon is no chance: a time has spaces.
    let (_, name) =
        others.find(|(separator, _)| (width == 1 || *separator == ';') && ends_in_number(*separator))?;
    Some(Problem::new(
        place,
        "values separated by commas (.csv) or tabs (.tsv)",
        format!("`{cell}`, with {name}"),
        "save it with commas as .csv or with tabs as .tsv, and with decimal points",
    ))
}
