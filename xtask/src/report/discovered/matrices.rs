//! Similarity of the tables beside the correlations of the channels, half by half.

use super::Material;
use crate::report::csv::Csv;
use crate::report::figure::Figure;
use crate::report::legend::Entry;
use crate::report::masked::similarity::{known, mean_of};
use crate::report::matrix::{self, signed};
use crate::report::numbers::exact;
use crate::report::pictures::Matrix;
use crate::report::run::Run;

/// The halves, by the names of the variants, and what they are called.
const HALVES: [(&str, &str); 2] = [("first", "first half"), ("second", "second half")];

/// One row a half: correlations, then the tables that started small and large.
pub(super) fn figure(material: &Material) -> Option<Figure> {
    let mut drawn: Vec<(String, Matrix)> = Vec::new();
    for (variant, name) in HALVES {
        let own: Vec<&Run> =
            material.runs.iter().filter(|run| run.variant.as_deref() == Some(variant)).collect();
        drawn.push((format!("{name}: correlation"), known(own.first()?, "correlation")?));
        for arm in &material.findings.arms {
            let runs = own.iter().copied().filter(|run| run.arm == arm.arm);
            let mean = mean_of(runs, "all", "final").unwrap_or_default();
            drawn.push((format!("{name}: σ {:?}", arm.sigma), mean));
        }
    }
    let signed = signed(drawn.iter().map(|(_, map)| map));
    let mut csv = Csv::new(["matrix", "channel", "other_channel", "value"]);
    for (name, map) in &drawn {
        for (i, row) in map.iter().enumerate() {
            for (j, value) in row.iter().enumerate().filter(|(j, _)| *j > i) {
                let name_of = |token: usize| material.names.get(token).cloned().unwrap_or_default();
                csv.row([name.clone(), name_of(i), name_of(j), value.map_or(String::new(), exact)]);
            }
        }
    }
    Some(Figure {
        id: "similarity".into(),
        title: "Similarity of the tables beside the correlations of the channels".into(),
        caption: format!(
            "Correlations of the channels over the frames of each half, and cosines of the rows of the tables (all blocks after \
             training, the mean row taken off), mean over the seeds of the half ({}). Channels in their order in the recording; the \
             diagonal is left empty.",
            material.findings.settings.seeds
        ),
        columns: 1 + material.findings.arms.len(),
        panels: drawn.iter().map(|(title, map)| matrix::draw(title, map, signed, &[])).collect(),
        aligned: true,
        legend: vec![Entry::ramp(signed, "correlation, cosine")],
        csv,
    })
}
