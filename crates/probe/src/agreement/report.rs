//! What runs of one experiment agree on, arm by arm.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::identifiability::Excess;
use crate::report::Statistic;

/// What is printed by `probe agreement --json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AgreementReport {
    /// The layout of this file: 1.
    pub schema: u32,
    /// The version of this crate.
    pub probe_version: String,
    /// The experiment of all runs.
    pub experiment: String,
    /// `all` blocks side by side, `block-<b>` or `shared`: as it is after training.
    pub table: String,
    /// Tokens.
    pub n: usize,
    /// Permutations of the test over variants.
    pub permutations: usize,
    /// Draws of untrained tables, of the comparison over seeds.
    pub draws: usize,
    /// Of both.
    pub seed: u64,
    /// In the order of their names, numbers in them by size.
    pub arms: Vec<ArmAgreement>,
    /// Arms that nothing can be said of.
    pub left_out: Vec<LeftOutArm>,
}

/// What the runs of one arm agree on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmAgreement {
    /// The arm.
    pub arm: String,
    /// Its initial standard deviation, where it has one.
    pub sigma: Option<f64>,
    /// How many runs.
    pub runs: usize,
    /// Pairs of runs of one variant, seeds apart: more alike than untrained tables? Null without such a pair.
    pub seeds: Option<SeedAgreement>,
    /// Pairs of runs of different variants and different seeds: alike over the same tokens? Null without such a pair.
    pub variants: Option<VariantAgreement>,
    /// Why one of the two is null.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// See [`Identifiability`](crate::identifiability::Identifiability).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeedAgreement {
    /// Pairs of runs.
    pub pairs: usize,
    /// Spearman correlation of Euclidean RDMs.
    pub rsa: SeedMeasure,
    /// Unbiased linear CKA.
    pub cka: SeedMeasure,
    /// One minus the Procrustes disparity.
    pub procrustes_r2: SeedMeasure,
}

/// See [`Excess`]; null where undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SeedMeasure {
    /// Of the trained tables, the mean over pairs.
    pub trained: Option<f64>,
    /// Of untrained ones.
    pub untrained: Option<f64>,
    /// The difference.
    pub excess: Option<f64>,
    /// How often untrained tables are as alike.
    pub p: Option<f64>,
}

/// See [`Agreement`](super::Agreement).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantAgreement {
    /// Pairs of runs.
    pub pairs: usize,
    /// Mean Spearman correlation of Euclidean RDMs; null where undefined.
    pub value: Option<f64>,
    /// Its p.
    pub p: Option<f64>,
    /// The same of cosine RDMs of centred tables.
    pub cosine: Statistic,
    /// Permutations.
    pub permutations: usize,
    /// The seeds that were taken of each variant, no seed twice: runs of one seed share their initialization.
    pub seeds: BTreeMap<String, Vec<u64>>,
}

/// An arm that does not count, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOutArm {
    /// The arm.
    pub arm: String,
    /// Why.
    pub reason: String,
}

impl From<Excess> for SeedMeasure {
    fn from(excess: Excess) -> Self {
        let finite = |value: f64| value.is_finite().then_some(value);
        let Excess { trained, untrained, excess, p } = excess;
        Self { trained: finite(trained), untrained: finite(untrained), excess: finite(excess), p: finite(p) }
    }
}
