//! One number of a run, by name.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::inference::mean;
use crate::report::{ProbeReport, Reference, ReferenceReport, State, TableReport};
use crate::run_dir::Split;

/// One number of a `probe.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
#[non_exhaustive]
// Variants without fields are written with braces, or serde would accept unknown keys beside them.
pub enum Metric {
    /// Mean generalization accuracy over the evaluations after epoch 0.
    GeneralizationAulc {},
    /// Last accuracy of a split and level.
    Accuracy {
        /// Which items.
        split: Split,
        /// `all`, or a level.
        level: String,
    },
    /// Last mean loss of a split and level.
    Loss {
        /// Which items.
        split: Split,
        /// `all`, or a level.
        level: String,
    },
    /// The true modules in the similarities of a table's rows.
    Modules {
        /// `all`, `block-<b>` or `shared`.
        table: String,
        /// Which state.
        state: State,
        /// How.
        statistic: ModuleStatistic,
    },
    /// The communities of the training data in the similarities of a table's rows; of recordings.
    Communities {
        /// `all`, `block-<b>` or `shared`.
        table: String,
        /// Which state.
        state: State,
        /// How.
        statistic: ModuleStatistic,
    },
    /// Out-of-fold R² of coordinates read off a table; of recordings.
    Decoding {
        /// `all`, `block-<b>` or `shared`.
        table: String,
        /// Which state; never `masked`.
        state: State,
        /// Which axis, from 0; without it the mean over the axes that are defined.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        axis: Option<usize>,
    },
    /// A table against a reference.
    Table {
        /// `all`, `block-<b>` or `shared`.
        table: String,
        /// Which state.
        state: State,
        /// Against what.
        reference: Reference,
        /// How.
        statistic: TableStatistic,
    },
    /// Correlation of the similarity of a table's rows with sharing a row or a column.
    Similarity {
        /// `all`, `block-<b>` or `shared`.
        table: String,
        /// Which state.
        state: State,
        /// Of what kind.
        similarity: SimilarityKind,
    },
    /// Correlation of attention with a relation between tokens.
    Attention {
        /// `mean` or `block-<b>`.
        map: String,
        /// With what.
        relation: Relation,
    },
}

/// The statistics of a table against a reference; see [`ReferenceReport`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TableStatistic {
    /// Spearman RSA of the Euclidean RDM.
    RsaEuclidean,
    /// Spearman RSA of the cosine RDM.
    RsaCosine,
    /// The first beyond Hamming distance.
    RsaEuclideanBeyondHamming,
    /// The second beyond Hamming distance.
    RsaCosineBeyondHamming,
    /// The first beyond the other reference: correlations, or what they are held against. No evidence of anything
    /// beyond by itself: a table made of correlations alone has it too (`correlation_tables` of `probe.json`).
    RsaEuclideanBeyondOther,
    /// The second beyond the other reference.
    RsaCosineBeyondOther,
    /// Biased distance correlation.
    DcorBiased,
    /// Bias-corrected squared distance correlation.
    DcorBiasCorrected,
    /// Procrustes distance, norm-bound.
    ProcrustesFrobenius,
    /// Procrustes distance, scale-free.
    ProcrustesDisparity,
}

/// The statistics of true modules; see [`ModuleReport`](crate::report::ModuleReport).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ModuleStatistic {
    /// Modularity Q*.
    Modularity,
    /// System segregation.
    Segregation,
}

/// How alike two rows are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SimilarityKind {
    /// Inner product of centred rows.
    InnerProduct,
    /// Cosine of centred rows.
    Cosine,
}

/// A relation between tokens that attention may follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// Sharing a row or a column.
    SharingAny,
    /// Euclidean grid distance.
    GridDistance,
}

impl Metric {
    pub(super) fn table(table: &str, state: State, reference: Reference, statistic: TableStatistic) -> Self {
        Metric::Table { table: table.to_owned(), state, reference, statistic }
    }

    /// Whether this is final generalization accuracy over all items.
    pub(super) fn is_generalization(&self) -> bool {
        matches!(self, Metric::Accuracy { split: Split::Generalization, level } if level == "all")
    }

    /// The number in a report; `None` where the run has none, or where it is undefined.
    pub fn of(&self, report: &ProbeReport) -> Option<f64> {
        let find = |table: &str, state: State| -> Option<&TableReport> {
            report.tables.iter().find(|t| t.table == table && t.state == state)
        };
        match self {
            Metric::GeneralizationAulc {} => report.learning.generalization_aulc,
            Metric::Accuracy { split, level } => report.learning.accuracy(*split, level),
            Metric::Loss { split, level } => report.learning.loss(*split, level),
            Metric::Modules { table, state, statistic } => {
                let modules = find(table, *state)?.modules?;
                match statistic {
                    ModuleStatistic::Modularity => modules.modularity.value,
                    ModuleStatistic::Segregation => modules.segregation.value,
                }
            }
            Metric::Communities { table, state, statistic } => {
                let communities = find(table, *state)?.communities?;
                match statistic {
                    ModuleStatistic::Modularity => communities.modularity.value,
                    ModuleStatistic::Segregation => communities.segregation.value,
                }
            }
            Metric::Decoding { table, state, axis } => {
                let axes = &find(table, *state)?.decoding.as_ref()?.axes;
                match axis {
                    Some(axis) => axes.iter().find(|one| one.axis == *axis)?.r2,
                    None => mean(&axes.iter().filter_map(|one| one.r2).collect::<Vec<_>>()),
                }
            }
            Metric::Table { table, state, reference, statistic } => {
                let references = &find(table, *state)?.references;
                statistic.of(references.iter().find(|r| r.reference == *reference)?)
            }
            Metric::Similarity { table, state, similarity } => {
                let similarities = &find(table, *state)?.similarity_vs_sharing;
                match similarity {
                    SimilarityKind::InnerProduct => similarities.inner_product.value,
                    SimilarityKind::Cosine => similarities.cosine.value,
                }
            }
            Metric::Attention { map, relation } => {
                let attention = report.attention.iter().find(|a| a.map == *map)?;
                match relation {
                    Relation::SharingAny => attention.sharing_any.value,
                    Relation::GridDistance => attention.grid_distance.value,
                }
            }
        }
    }
}

impl ModuleStatistic {
    fn name(self) -> &'static str {
        match self {
            ModuleStatistic::Modularity => "modularity",
            ModuleStatistic::Segregation => "segregation",
        }
    }
}

impl TableStatistic {
    fn of(self, report: &ReferenceReport) -> Option<f64> {
        match self {
            TableStatistic::RsaEuclidean => report.rsa_euclidean.value,
            TableStatistic::RsaCosine => report.rsa_cosine.value,
            TableStatistic::RsaEuclideanBeyondHamming => report.beyond_hamming?.rsa_euclidean.value,
            TableStatistic::RsaCosineBeyondHamming => report.beyond_hamming?.rsa_cosine.value,
            TableStatistic::RsaEuclideanBeyondOther => report.beyond?.rsa_euclidean.value,
            TableStatistic::RsaCosineBeyondOther => report.beyond?.rsa_cosine.value,
            TableStatistic::DcorBiased => report.dcor_biased.value,
            TableStatistic::DcorBiasCorrected => report.dcor_bias_corrected.value,
            TableStatistic::ProcrustesFrobenius => report.procrustes?.frobenius,
            TableStatistic::ProcrustesDisparity => report.procrustes?.disparity,
        }
    }

    fn name(self) -> &'static str {
        match self {
            TableStatistic::RsaEuclidean => "RSA (Euclidean)",
            TableStatistic::RsaCosine => "RSA (cosine)",
            TableStatistic::RsaEuclideanBeyondHamming => "RSA (Euclidean) beyond Hamming",
            TableStatistic::RsaCosineBeyondHamming => "RSA (cosine) beyond Hamming",
            TableStatistic::RsaEuclideanBeyondOther => "RSA (Euclidean) beyond the other reference",
            TableStatistic::RsaCosineBeyondOther => "RSA (cosine) beyond the other reference",
            TableStatistic::DcorBiased => "biased dcor",
            TableStatistic::DcorBiasCorrected => "bias-corrected dcor",
            TableStatistic::ProcrustesFrobenius => "Procrustes Frobenius distance",
            TableStatistic::ProcrustesDisparity => "Procrustes disparity",
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Metric::GeneralizationAulc {} => f.write_str("mean generalization accuracy while learning"),
            Metric::Accuracy { split, level } if level == "all" => write!(f, "{split} accuracy"),
            Metric::Accuracy { split, level } => write!(f, "{split} accuracy ({level})"),
            Metric::Loss { split, level } if level == "all" => write!(f, "{split} loss"),
            Metric::Loss { split, level } => write!(f, "{split} loss ({level})"),
            Metric::Modules { table, state, statistic } => {
                write!(f, "{} of the true modules in table {table} ({state})", statistic.name())
            }
            Metric::Communities { table, state, statistic } => {
                write!(f, "{} of the communities of the data in table {table} ({state})", statistic.name())
            }
            Metric::Decoding { table, state, axis } => match axis {
                Some(axis) => write!(f, "decoding R² of axis {axis} from table {table} ({state})"),
                None => write!(f, "mean decoding R² of coordinates from table {table} ({state})"),
            },
            Metric::Table { table, state, reference, statistic } => {
                write!(f, "{} of table {table} ({state}) with {reference}", statistic.name())
            }
            Metric::Similarity { table, state, similarity } => {
                let name = match similarity {
                    SimilarityKind::InnerProduct => "inner product",
                    SimilarityKind::Cosine => "cosine",
                };
                write!(f, "{name} of rows of table {table} ({state}) with sharing a row or column")
            }
            Metric::Attention { map, relation } => {
                let name = match relation {
                    Relation::SharingAny => "sharing a row or column",
                    Relation::GridDistance => "grid distance",
                };
                write!(f, "attention ({map}) with {name}")
            }
        }
    }
}
