//! How alike tables are: of the two halves, of seeds of one half, of untrained tables.

use serde_json::Value;

use super::Material;
use crate::discover::LEVEL;
use crate::report::axis::Axis;
use crate::report::csv::Csv;
use crate::report::drawing::Anchor;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::numbers::{exact, p_value};
use crate::report::plot::{Mark, Plot};

/// What is compared, its class, and where its number stands.
const KINDS: [(&str, &str); 3] =
    [("k1", "one half against the other"), ("k4", "seeds of one half"), ("k6", "untrained tables")];

/// The agreement by σ.
pub(super) fn figure(material: &Material) -> Option<Figure> {
    let values = |arm: &crate::discover::ArmFindings| -> [Option<f64>; 3] {
        let rsa = &arm.seeds["rsa"];
        [&arm.halves["value"], &rsa["trained"], &rsa["untrained"]].map(Value::as_f64)
    };
    let arms = &material.findings.arms;
    let all: Vec<f64> = arms.iter().flat_map(values).flatten().collect();
    let x = Axis::new("σ at the start", 0.0, 2.2);
    let y = Axis::around("Spearman correlation of distances", all.into_iter().chain([0.0]));
    let mut plot = Plot::new("All blocks after training", (420.0, 300.0), x, y, 0.0);
    let mut csv = Csv::new(["sigma", "comparison", "pairs", "value", "p"]);
    for arm in arms {
        let at = plot.x_at(arm.sigma);
        for ((class, name), value) in KINDS.into_iter().zip(values(arm)) {
            let Some(value) = value else { continue };
            plot.point(class, Mark::Full, at, value);
            let (from, p) = match class {
                "k1" => (&arm.halves, arm.halves["p"].as_f64()),
                "k4" => (&arm.seeds, arm.seeds["rsa"]["p"].as_f64()),
                _ => (&arm.seeds, None),
            };
            csv.row([
                arm.sigma.to_string(),
                name.to_owned(),
                from["pairs"].as_u64().map_or(String::new(), |n| n.to_string()),
                exact(value),
                p.map_or(String::new(), exact),
            ]);
        }
        if let (Some(value), Some(p)) = (arm.halves["value"].as_f64(), arm.halves["p"].as_f64()) {
            let y = plot.y_at(value) + 4.0;
            let text = if p < 0.001 { format!("p {}", p_value(p)) } else { format!("p = {}", p_value(p)) };
            let (side, dx) = if arm.sigma > 1.0 { (Anchor::End, -9.0) } else { (Anchor::Start, 9.0) };
            plot.drawing.text("u", side, (at + dx, y), &text);
        }
    }
    let legend =
        KINDS.iter().filter(|(class, _)| *class == "k1" || arms.iter().any(|arm| !arm.seeds.is_null()));
    Some(Figure {
        id: "agreement".into(),
        title: "Agreement of tables that learned independently".into(),
        caption: format!(
            "Spearman correlation of the Euclidean distances between channels in two tables (all blocks after training), mean \
             over pairs of runs: one half of the training time against the other, with its p from permuted channels (the \
             verdict, at {LEVEL}); seeds of the same half, which also share the noise of its frames; and as many untrained \
             tables."
        ),
        columns: 1,
        panels: vec![plot.drawing],
        aligned: false,
        legend: legend.map(|(class, name)| Entry::point(class, Mark::Full, name)).collect(),
        csv,
    })
}
