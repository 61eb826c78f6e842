//! What every run has, whatever its task: curves, tables, attention, norms, geometry.

use anyhow::Result;

use super::run::Run;
use super::section::{Kind, Section};
use super::series::Series;
use super::{curves, geometry, html, maps, norms, predicts};

/// How runs of a task without a module of its own are shown.
pub(super) const KIND: Kind = Kind { task: "", title: "Experiment", section, data: Series::data };

fn section(series: &Series) -> Result<Section> {
    let mut section = Section::default();
    section.heading("Learning");
    section.figure(curves::figure(series, &[]));
    geometry(series, &mut section, |_| true);
    Ok(section)
}

/// The encodings: what they look like, what attention does, how they change, what they have to do with the
/// truth.
pub(super) fn geometry(series: &Series, section: &mut Section, is_fitted: fn(&Run) -> bool) {
    section.heading("The encodings");
    let without = series.runs.iter().filter(|run| run.probe["pictures"].is_null()).count();
    if without > 0 {
        section.text(html::paragraph(&format!(
            "{without} of {} runs were probed by a version that kept no maps: `cargo xtask report --probe` \
             adds them.",
            series.runs.len()
        )));
    }
    section.figure(maps::similarity(series));
    section.figure(maps::similarity_by_block(series));
    section.figure(maps::similarity_on_the_way(series));
    section.figure(maps::principal_components(series));
    section.figure(maps::principal_components_by_block(series));
    section.figure(maps::attention(series));
    section.figure(norms::figure(series));
    section.heading("Geometry beside the ground truth");
    section.figure(geometry::figure(series));
    section.text(geometry::table(series));
    section.figure(predicts::figure(series, is_fitted));
}
