//! Tables made of the correlations alone: what trained tables' RSA beyond correlations is read against.

use serde_json::Value;

use crate::report::geometry::value;
use crate::report::run::Run;
use crate::report::series::Series;

/// A table made of correlations, and its figure in each data set that the runs of a series have seen.
pub(in crate::report) struct Baseline {
    /// Such as `rows of the correlations`.
    pub name: String,
    /// Each different value once.
    pub values: Vec<f64>,
}

/// Every such table with a statistic of it, given by its path that begins with the reference. None of runs that were probed
/// before there were such tables.
pub(in crate::report) fn baselines(series: &Series, path: &[&str]) -> Vec<Baseline> {
    let mut all: Vec<Baseline> = Vec::new();
    for (run, table) in series.runs.iter().flat_map(|run| tables(run).map(move |table| (run, table))) {
        let (name, Some(value)) = (name(table), of(run, &name(table), path)) else { continue };
        match all.iter_mut().find(|one| one.name == name) {
            None => all.push(Baseline { name, values: vec![value] }),
            Some(one) if !one.values.contains(&value) => one.values.push(value),
            Some(_) => {}
        }
    }
    all
}

/// The statistic of the rows of the correlations that a run was trained on.
pub(in crate::report) fn of_rows(run: &Run, path: &[&str]) -> Option<f64> {
    of(run, ROWS, path)
}

/// What a table made of the correlations themselves is called.
const ROWS: &str = "rows of the correlations";

fn tables(run: &Run) -> impl Iterator<Item = &Value> {
    run.probe["correlation_tables"].as_array().into_iter().flatten()
}

fn name(table: &Value) -> String {
    match (table["made_of"].as_str(), table["width"].as_u64()) {
        (Some("components"), Some(width)) => format!("{width} components of the correlations"),
        _ => ROWS.to_owned(),
    }
}

fn of(run: &Run, called: &str, path: &[&str]) -> Option<f64> {
    let (reference, rest) = path.split_first()?;
    let table = tables(run).find(|table| name(table) == called)?;
    let found = table["references"].as_array()?.iter().find(|one| one["reference"] == **reference)?;
    value(rest.iter().try_fold(found, |value, key| value.get(key))?)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::masked::{Words, truth};

    /// A run whose table has 0.2 beyond the correlations of a data set of which the rows have `rows`.
    fn run(seed: u64, rows: f64) -> Run {
        let against = |beyond: Value, other: Value| {
            json!([{"reference": "positions", "dcor_bias_corrected": other, "rsa_cosine": other,
                "beyond": {"other": "correlations", "rsa_cosine": beyond}}])
        };
        let tested = |value: f64| json!({"value": value, "p": 0.01});
        let probe = json!({
            "tables": [{"table": "all", "state": "final", "references": against(tested(0.2), tested(0.9))}],
            "correlation_tables": [
                {"made_of": "rows", "width": 36, "references": against(rows.into(), 0.8.into())},
                {"made_of": "components", "width": 4, "references": against(0.4.into(), 0.7.into())},
            ],
        });
        Run {
            dir: "run".into(),
            manifest: json!({}),
            probe,
            config: toml::Table::new(),
            experiment: "network".into(),
            variant: None,
            arm: "learn-0.1".into(),
            seed,
            scale: "quick".into(),
            sigma: Some(0.1),
            config_hash: String::new(),
            scores: Vec::new(),
            looks: Vec::new(),
        }
    }

    const WORDS: Words = Words {
        tokens: "nodes",
        held_out: "",
        splits: [("", ""); 2],
        drawn: &[],
        truths: &[("positions", "places")],
    };

    #[test]
    fn tables_of_correlations_stand_beside_what_is_read_against_them() {
        let of = |runs: Vec<Run>| crate::report::series::series(runs).remove(0);
        let path = ["positions", "beyond", "rsa_cosine"];
        let one = of(vec![run(1, 0.5), run(2, 0.5)]);
        let found = baselines(&one, &path);
        let told: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.values.as_slice())).collect();
        assert_eq!(told, [(ROWS, &[0.5][..]), ("4 components of the correlations", &[0.4])]);
        let table = truth::table(&one, &WORDS);
        let row = |cells: &str| table.contains(&cells.replace('|', "</td><td class=\"n\">"));
        assert!(row("positions|0.80|0.80|0.50|–|–"), "{table}");
        assert!(row("positions|0.70|0.70|0.40|–|–"), "{table}");
        // 0.2 of the table less 0.5 of the rows, in both runs.
        assert!(row(
            "positions|0.90 (0.90, 0.90)|0.90 (0.90, 0.90)|0.20 (0.20, 0.20)|−0.30 (−0.30, −0.30)|–"
        ));
        // Two data sets: both, and each run against its own.
        let two = of(vec![run(1, 0.5), run(2, 0.7)]);
        assert_eq!(baselines(&two, &path)[0].values, [0.5, 0.7]);
        assert!(truth::table(&two, &WORDS).contains("−0.40 (−0.30, −0.50)"));
        // Probed before there were such tables.
        let mut old = run(1, 0.5);
        old.probe["correlation_tables"].take();
        assert!(baselines(&of(vec![old]), &path).is_empty());
    }
}
