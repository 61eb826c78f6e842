//! Files that are not as they should be: each mistake is one line that says where and what.

use std::fs;
use std::path::Path;

use streams::Streams;
use tasks::latin_square::{GeneratorConfig, LatinSquareData, LatinSquareError, verify};
use tempfile::TempDir;

const HEADER: &str = "ID,LST_num,condition,puzzles,solutions\n";

fn small() -> (TempDir, LatinSquareData) {
    let config = GeneratorConfig { pool: 30, generalization: 9, ..GeneratorConfig::default() };
    let (folder, data) = (tempfile::tempdir().unwrap(), LatinSquareData::generate(&config, &Streams::new(1)));
    let data = data.unwrap();
    data.save(folder.path()).unwrap();
    (folder, data)
}

fn load(folder: &Path) -> Result<LatinSquareData, LatinSquareError> {
    LatinSquareData::load(folder, &Streams::new(1))
}

/// The message for a file of these lines, after the header.
fn problem(lines: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("binary.csv");
    fs::write(&file, format!("{HEADER}{lines}")).unwrap();
    let errors = verify(&file, None).unwrap_err();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(errors[0].is_input());
    let message = errors[0].to_string();
    assert!(!message.contains('\n'), "{message}");
    message.replace(&format!("{}", folder.path().join("").display()), "")
}

#[test]
fn each_mistake_is_one_line_with_its_place() {
    for (line, start) in [
        (
            "0,,Binary,123500000000000,4\n",
            "binary.csv:2: expected 16 cells (4 x 4), got 15 in \"123500000000000\";",
        ),
        ("0,,Binary,1235000000000005,4\n", "binary.csv:2: expected one target (the character 5), got 2;"),
        ("0,,Binary,1230000000000000,4\n", "binary.csv:2: expected one target (the character 5), got 0;"),
        (
            "0,,Binary,1935000000000000,4\n",
            "binary.csv:2: expected 0 (blank), 1-4 (symbols) or 5 (target), got '9'",
        ),
        (
            "0,,Binary,1135000000000000,4\n",
            "binary.csv:2: expected each symbol once in a row, got 1 twice in row 1;",
        ),
        (
            "0,,Binary,1235100000000000,4\n",
            "binary.csv:2: expected each symbol once in a column, got 1 twice",
        ),
        ("0,,Binary,1235000400000000,4\n", "binary.csv:2: expected givens of some Latin square"),
        (
            "0,,Binary,1005000000000000,4\n",
            "binary.csv:2: expected one symbol that fits the target, got several;",
        ),
        (
            "0,,Binary,1235000000000000,3\n",
            "binary.csv:2: expected solution 4, the only symbol that fits, got \"3\";",
        ),
        (
            "0,,Ternary,1235000000000000,4\n",
            "binary.csv:2: expected condition Binary by the rules, got \"Ternary\";",
        ),
        (
            "0,,Ternary,5120300000000000,4\n",
            "binary.csv:2: expected only binary puzzles in this file, got a ternary one;",
        ),
        (
            "0,x,Binary,1235000000000000,4\n",
            "binary.csv:2: expected a whole number or nothing as LST_num, got \"x\";",
        ),
        ("0,,Binary,1235000000000000\n", "binary.csv:2: expected 5 fields as in the header, got 4;"),
        ("0,,Binary,\"12350000\n00000000\",4\n", "binary.csv:2: expected 16 cells (4 x 4), got 17"),
    ] {
        let message = problem(line);
        assert!(message.starts_with(start), "{message}\n{start}");
        assert!(message.contains("; "), "what to do: {message}");
    }
}

/// Parts of squares whose target the solver knows and no rule does.
#[test]
fn a_puzzle_beyond_the_rules_is_refused() {
    use tasks::latin_square::{Grid, Puzzle, PuzzleError, Solution, level_and_answer, solve};

    let beyond = |grid: &Grid| level_and_answer(grid).is_none() && matches!(solve(grid), Solution::Unique(_));
    let grids = tasks::latin_square::all_squares(4).unwrap().into_iter().flat_map(|square| {
        (0u32..1 << 15).step_by(97).filter_map(move |chosen| {
            let given =
                |cell: usize| if cell < 15 && chosen & (1 << cell) != 0 { square.cells()[cell] } else { 0 };
            Grid::new(4, (0..16).map(given).collect(), 15).ok()
        })
    });
    let found: Vec<Grid> = grids.filter(beyond).take(50).collect();
    assert_eq!(found.len(), 50);
    for grid in found {
        assert_eq!(Puzzle::new(grid), Err(PuzzleError::NoLevel));
    }
}

#[test]
fn the_line_is_the_one_of_the_file() {
    let good = "0,,Binary,1235000000000000,4\n";
    let bad = "1,,Binary,12350000000000000,4\n";
    assert!(problem(&format!("{good}{bad}")).starts_with("binary.csv:3: expected 16"));
    assert!(
        problem(&format!("{good}\n\n{bad}")).starts_with("binary.csv:5: expected 16"),
        "after blank lines"
    );
    let again = problem(&format!("{good}{good}"));
    assert!(again.starts_with("binary.csv:3: expected each puzzle once, got the one of "), "{again}");
    assert!(again.contains("binary.csv:2 again"), "{again}");
}

#[test]
fn all_mistakes_of_a_file_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("any name.csv");
    let lines =
        "0,,Binary,123,4\n1,,Ternary,5120300000000000,4\n2,,Binary,1235000000000000,5\n3,,Binary,1300,2\n";
    fs::write(&file, format!("{HEADER}{lines}")).unwrap();
    let errors = verify(&file, None).unwrap_err();
    let lines: Vec<u64> = errors
        .iter()
        .map(|error| match error {
            LatinSquareError::Line { place, .. } => place.line,
            other => panic!("{other}"),
        })
        .collect();
    assert_eq!(lines, [2, 4, 5], "the last one is a puzzle, but of another order");
}

#[test]
fn files_that_are_no_table_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("binary.csv");
    let message = |content: &[u8]| {
        fs::write(&file, content).unwrap();
        verify(&file, None).unwrap_err()[0].to_string()
    };
    assert!(message(b"").contains("binary.csv:1: expected CSV with the columns LST_num, condition"));
    assert!(message(b"a,b\n1,2\n").contains("got \"a, b\""));
    assert!(message(HEADER.as_bytes()).contains("expected puzzles, got none"));
    let latin1 = [HEADER.as_bytes(), b"0,,Bin\xe4r,1235000000000000,4\n"].concat();
    assert!(message(&latin1).contains("binary.csv:2") && message(&latin1).contains("UTF-8"));
    let with_mark = format!("\u{feff}{HEADER}0,,Binary,1235000000000000,4\r\n");
    fs::write(&file, with_mark).unwrap();
    assert_eq!(verify(&file, None).unwrap().pool.len(), 1, "a spreadsheet's byte order mark and line ends");
}

#[test]
fn folders_that_lack_a_file_are_refused() {
    let (folder, _) = small();
    let generalization = folder.path().join("generalization.csv");
    fs::copy(&generalization, folder.path().join("human108.csv")).unwrap();
    assert!(load(folder.path()).unwrap_err().to_string().contains("got both"));
    fs::remove_file(&generalization).unwrap();
    load(folder.path()).unwrap();
    fs::remove_file(folder.path().join("human108.csv")).unwrap();
    assert!(load(folder.path()).unwrap_err().to_string().contains("got neither"));
    let (folder, _) = small();
    fs::remove_file(folder.path().join("ternary.csv")).unwrap();
    let error = load(folder.path()).unwrap_err();
    assert!(error.is_input() && error.to_string().contains("ternary.csv: cannot read"), "{error}");
    assert!(load(&folder.path().join("nowhere")).unwrap_err().is_input());
}

/// Training on an item of the generalization set would be a leak.
#[test]
fn an_item_in_both_sets_is_refused() {
    let (folder, data) = small();
    let path = folder.path().join("binary.csv");
    let item = data.generalization.iter().find(|item| item.level().name() == "binary").unwrap();
    let mut text = fs::read_to_string(&path).unwrap();
    text += &format!("99,,Binary,{item},{}\n", item.answer());
    fs::write(&path, text).unwrap();
    let message = load(folder.path()).unwrap_err().to_string();
    assert!(message.contains("generalization.csv:") && message.contains("binary.csv:12 again"), "{message}");
}

/// The order of lines, other columns and the name of the generalization set make no difference.
#[test]
fn formatting_changes_neither_hash_nor_split() {
    let (folder, data) = small();
    let path = folder.path().join("quaternary.csv");
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<String> = text.lines().skip(1).map(|line| format!("note, {line}")).collect();
    lines.reverse();
    fs::write(&path, format!("note,{HEADER}{}\r\n", lines.join("\r\n"))).unwrap();
    fs::rename(folder.path().join("generalization.csv"), folder.path().join("human108.csv")).unwrap();
    let loaded = load(folder.path()).unwrap();
    assert_eq!(loaded.sha256(), data.sha256());
    assert_eq!(loaded.test, data.test);
    assert_ne!(LatinSquareData { train: data.train[1..].to_vec(), ..data.clone() }.sha256(), data.sha256());
}
