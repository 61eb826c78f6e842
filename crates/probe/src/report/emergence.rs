//! How tables take on the truth while a model learns.

use ndarray::Array2;
use serde::{Deserialize, Serialize};

use super::Reference;
use super::form::{Prober, beside};
use super::prepared::Prepared;
use crate::StatError;
use crate::run_dir::RunDir;

/// A table at one time against one truth, without a test: for curves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Emergence {
    /// `all` blocks side by side, `block-<b>` or `shared`.
    pub table: String,
    /// After how many epochs; 0 is before training.
    pub epoch: u64,
    /// The truth.
    pub reference: Reference,
    /// See [`ReferenceReport::dcor_bias_corrected`](super::ReferenceReport::dcor_bias_corrected).
    pub dcor_bias_corrected: Option<f64>,
    /// See [`ReferenceReport::rsa_cosine`](super::ReferenceReport::rsa_cosine).
    pub rsa_cosine: Option<f64>,
    /// The first of the table's change since initialization; null before training.
    pub change_dcor_bias_corrected: Option<f64>,
}

/// All tables at all times that were kept, in the order of time.
pub(super) fn emergence(run: &RunDir, references: &Prepared) -> Result<Vec<Emergence>, StatError> {
    let mut all = Vec::new();
    if run.tensors.tables.is_empty() || references.truths().next().is_none() {
        return Ok(all);
    }
    let moments = moments(run);
    let first = with_all(&moments[0].1);
    for (epoch, blocks) in &moments {
        for ((name, table), (_, initial)) in with_all(blocks).iter().zip(&first) {
            let difference = table - initial;
            let (prober, change) = (Prober::new(table.view())?, Prober::new(difference.view())?);
            for form in references.truths() {
                let (dcor_bias_corrected, rsa_cosine) = prober.against(form)?;
                all.push(Emergence {
                    table: name.clone(),
                    epoch: *epoch,
                    reference: form.reference,
                    dcor_bias_corrected,
                    rsa_cosine,
                    change_dcor_bias_corrected: change.against(form)?.0,
                });
            }
        }
    }
    Ok(all)
}

/// All blocks' tables side by side, then each.
fn with_all(blocks: &Blocks) -> Vec<(String, Array2<f64>)> {
    let parts: Vec<Array2<f64>> = blocks.iter().map(|(_, table)| (*table).clone()).collect();
    let single = blocks.iter().map(|(name, table)| ((*name).to_owned(), (*table).clone()));
    std::iter::once(("all".to_owned(), beside(&parts))).chain(single).collect()
}

type Blocks<'a> = Vec<(&'a str, &'a Array2<f64>)>;

/// Before training, each snapshot that has all tables, and the end.
fn moments(run: &RunDir) -> Vec<(u64, Blocks<'_>)> {
    let tables = &run.tensors.tables;
    let mut moments = vec![(0, tables.iter().map(|table| (table.name.as_str(), &table.init)).collect())];
    for (when, blocks) in &run.tensors.snapshots {
        let Some(epoch) = when.strip_prefix("epoch-").and_then(|epoch| epoch.parse().ok()) else { continue };
        let found = tables.iter().filter_map(|table| Some((table.name.as_str(), blocks.get(&table.name)?)));
        let found: Blocks = found.collect();
        if found.len() == tables.len() {
            moments.push((epoch, found));
        }
    }
    if let Some(last) = run.manifest.epochs {
        moments.push((last, tables.iter().map(|table| (table.name.as_str(), &table.last)).collect()));
    }
    moments
}
