//! `docs/choosing-a-measure.md` shows what the crate prints, not what it once printed.

use std::path::Path;
use std::process::Command;

#[test]
fn the_guide_shows_the_output_of_its_example() {
    if std::env::var_os("RUN_SLOW_TESTS").is_none() {
        eprintln!("skipped: set RUN_SLOW_TESTS=1 to compare the guide with the example's output");
        return;
    }
    // Cargo builds examples with tests, in a folder beside theirs.
    let test = std::env::current_exe().unwrap();
    let example = test.ancestors().nth(2).unwrap().join("examples/choosing_a_measure");
    let output =
        Command::new(&example).output().unwrap_or_else(|error| panic!("{}: {error}", example.display()));
    assert!(output.status.success());
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/choosing-a-measure.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        assert!(guide.contains(line), "the guide lacks the line `{line}`");
    }
}
