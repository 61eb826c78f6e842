//! The shapes of `probe.json` and `manifest.json`, as far as `probe claims` insists on them: a run of another shape is left
//! out with a note, where it would stop the judgement of all runs.
//!
//! Types alone count here. `docs/run-directory.md` says what the values mean; what it does not name is passed over.
#![expect(dead_code, reason = "only whether the files can be read is asked")]

use serde::Deserialize;
use serde::de::IgnoredAny;

/// Rows of numbers.
type Rows = Vec<Vec<f64>>;

/// The layout of both files that is known here.
pub(super) const SCHEMA: u32 = 1;

/// `manifest.json`.
#[derive(Deserialize)]
pub(super) struct Trained {
    pub(super) schema: u32,
    run_id: String,
    config_hash: String,
    steps: Option<u64>,
    epochs: Option<u64>,
    stopped_by: Option<String>,
    dataset: Dataset,
}

/// `probe.json`.
#[derive(Deserialize)]
pub(super) struct Probed {
    pub(super) schema: u32,
    probe_version: String,
    settings: Settings,
    run: Identity,
    learning: Learning,
    by_unit: Option<ByUnit>,
    coordinates: Coordinates,
    tables: Vec<Table>,
    attention: Vec<Attention>,
    #[serde(default)]
    emergence: Vec<Emergence>,
    pictures: Option<Pictures>,
}

/// What was asked for.
#[derive(Deserialize)]
struct Settings {
    permutations: usize,
    seed: u64,
}

/// Which run it is.
#[derive(Deserialize)]
struct Identity {
    run_id: String,
    config_hash: String,
    experiment: String,
    arm: String,
    variant: Option<String>,
    scale: String,
    seed: u64,
    task: String,
    encoding: String,
    sigma: Option<f64>,
    epochs: Option<u64>,
    steps: Option<u64>,
    stopped_by: Option<String>,
    dataset: Dataset,
}

/// The data.
#[derive(Deserialize)]
struct Dataset {
    name: String,
    source: String,
    sha256: String,
}

/// Curves and last scores.
#[derive(Deserialize)]
struct Learning {
    last: Vec<Last>,
    train_full_accuracy: Option<f64>,
    test_accuracy: Option<f64>,
    generalization_accuracy: Option<f64>,
    generalization_aulc: Option<f64>,
    generalization_evaluations: usize,
    epochs_to_090: Option<u64>,
}

/// A last score.
#[derive(Deserialize)]
struct Last {
    split: String,
    level: String,
    epoch: u64,
    n: u64,
    accuracy: Option<f64>,
    loss: Option<f64>,
    r2: Option<f64>,
}

/// By puzzle.
#[derive(Deserialize)]
struct ByUnit {
    items: usize,
    accuracy: Vec<f64>,
    low: f64,
    high: f64,
}

/// A size.
#[derive(Deserialize)]
struct Coordinates {
    tokens: usize,
    axes: usize,
}

/// A statistic with its p.
#[derive(Deserialize)]
struct Statistic {
    value: Option<f64>,
    p: Option<f64>,
    p_spatial: Option<f64>,
}

/// The geometry of a table in a state.
#[derive(Deserialize)]
struct Table {
    table: String,
    state: String,
    width: usize,
    norms: Norms,
    references: Vec<Reference>,
    similarity_vs_sharing: Similarity,
    modules: Option<Modules>,
    decoding: Option<Decoding>,
    communities: Option<Modules>,
}

/// The size of a table.
#[derive(Deserialize)]
struct Norms {
    rms: Option<f64>,
    frobenius: Option<f64>,
    effective_rank: Option<f64>,
    participation_ratio: Option<f64>,
}

/// A table against a reference.
#[derive(Deserialize)]
struct Reference {
    reference: String,
    tokens: Option<usize>,
    rsa_euclidean: Statistic,
    rsa_cosine: Statistic,
    beyond_hamming: Option<Beyond>,
    dcor_biased: Statistic,
    dcor_bias_corrected: Statistic,
    procrustes: Option<Procrustes>,
    beyond: Option<Beyond>,
}

/// Beyond another reference.
#[derive(Deserialize)]
struct Beyond {
    rsa_euclidean: Statistic,
    rsa_cosine: Statistic,
}

/// What a rotation leaves.
#[derive(Deserialize)]
struct Procrustes {
    frobenius: Option<f64>,
    disparity: Option<f64>,
}

/// Rows that share a coordinate.
#[derive(Deserialize)]
struct Similarity {
    inner_product: Statistic,
    cosine: Statistic,
}

/// Modules, or communities.
#[derive(Deserialize)]
struct Modules {
    modularity: Statistic,
    segregation: Statistic,
}

/// Coordinates read off a table.
#[derive(Deserialize)]
struct Decoding {
    axes: Vec<IgnoredAny>,
    folds: usize,
    permutations: usize,
    method: String,
}

/// A map of attention against sharing.
#[derive(Deserialize)]
struct Attention {
    map: String,
    queries: usize,
    sharing_any: Statistic,
    sharing_by_axis: Vec<Statistic>,
    grid_distance: Statistic,
}

/// A table at a time.
#[derive(Deserialize)]
struct Emergence {
    table: String,
    epoch: u64,
    reference: String,
    dcor_bias_corrected: Option<f64>,
    rsa_cosine: Option<f64>,
    change_dcor_bias_corrected: Option<f64>,
}

/// What figures draw.
#[derive(Deserialize)]
struct Pictures {
    coordinates: Rows,
    tables: Vec<TablePicture>,
    attention: Vec<AttentionPicture>,
    #[serde(default)]
    matrices: Vec<Matrix>,
    #[serde(default)]
    layouts: Vec<Layout>,
    #[serde(default)]
    communities: Vec<usize>,
    #[serde(default)]
    hemisphere: Vec<i8>,
}

/// Cosines and components.
#[derive(Deserialize)]
struct TablePicture {
    table: String,
    state: String,
    cosine: Vec<Option<f64>>,
    scores: Rows,
    explained: Vec<Option<f64>>,
}

/// A map of attention.
#[derive(Deserialize)]
struct AttentionPicture {
    map: String,
    weights: Rows,
}

/// A matrix over tokens.
#[derive(Deserialize)]
struct Matrix {
    name: String,
    values: Rows,
}

/// Places found, over the true ones.
#[derive(Deserialize)]
struct Layout {
    table: String,
    state: String,
    truth: Rows,
    found: Rows,
}
