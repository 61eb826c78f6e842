//! What to generate.

use serde::{Deserialize, Serialize};

use super::grid::{MAX_ORDER, MIN_ORDER};
use super::split::TEST_FRACTION;
use super::{GivensProfile, LatinSquareError};

/// The settings of [`LatinSquareData::generate`](super::LatinSquareData::generate). The default is the data of
/// Ito et al. (2025): 9,000 puzzles of order 4, and 36 others in 3 orientations each, with the published numbers of
/// givens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GeneratorConfig {
    /// The order of the squares, 2 to 9. No square of order 2 has a ternary target, so that 3 is the least that works.
    pub order: usize,
    /// Puzzles to train and test on: a multiple of 3, a third a level, at least 6.
    pub pool: usize,
    /// Items of the generalization set: a multiple of 3 times `orientations`, a third a level.
    pub generalization: usize,
    /// In how many orientations each puzzle of the generalization set stands there, 1 to 4. See
    /// [`oriented`](super::oriented).
    pub orientations: usize,
    /// Every puzzle of the pool is further than this from every item of the generalization set (see
    /// [`closest`](super::closest)); at least 0 and below 1.
    pub min_jaccard_distance: f64,
    /// The share of the pool to test on, between 0 and 1.
    pub test_fraction: f64,
    /// The numbers of givens in the pool; by default the published ones, [scaled](GivensProfile::scaled_to).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pool_givens: Option<GivensProfile>,
    /// The same of the generalization set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generalization_givens: Option<GivensProfile>,
    /// The budget: after so many candidates in a row that cannot be used, the generator gives up.
    pub max_rejections: u64,
}

impl Default for GeneratorConfig {
    fn default() -> Self {
        Self {
            order: 4,
            pool: 9000,
            generalization: 108,
            orientations: 3,
            min_jaccard_distance: 0.8,
            test_fraction: TEST_FRACTION,
            pool_givens: None,
            generalization_givens: None,
            max_rejections: 10_000_000,
        }
    }
}

impl GeneratorConfig {
    /// Checks every setting by itself. Whether enough puzzles exist only the search can tell.
    ///
    /// # Errors
    /// [`LatinSquareError::Setting`], naming the first setting that is wrong.
    pub fn validate(&self) -> Result<(), LatinSquareError> {
        let unit = 3 * self.orientations;
        check("order", (MIN_ORDER..=MAX_ORDER).contains(&self.order), "2 to 9", self.order)?;
        check("orientations", (1..=4).contains(&self.orientations), "1 to 4", self.orientations)?;
        check(
            "pool",
            self.pool >= 6 && self.pool.is_multiple_of(3),
            "a multiple of 3 (the levels), at least 6",
            self.pool,
        )?;
        check(
            "generalization",
            self.generalization > 0 && self.generalization.is_multiple_of(unit),
            &format!("a positive multiple of {unit} (3 levels times {} orientations)", self.orientations),
            self.generalization,
        )?;
        let distance = self.min_jaccard_distance;
        check("min_jaccard_distance", (0.0..1.0).contains(&distance), "at least 0 and below 1", distance)?;
        let fraction = self.test_fraction;
        check("test_fraction", fraction > 0.0 && fraction < 1.0, "above 0 and below 1", fraction)?;
        check("max_rejections", self.max_rejections > 0, "at least 1", self.max_rejections)?;
        self.pool_profile().validate("pool_givens", self.order)?;
        self.generalization_profile().validate("generalization_givens", self.order)
    }

    /// The numbers of givens in the pool, the default resolved. The order must be valid.
    pub(crate) fn pool_profile(&self) -> GivensProfile {
        self.pool_givens.clone().unwrap_or_else(|| GivensProfile::published_pool().scaled_to(self.order))
    }

    /// The numbers of givens in the generalization set, the default resolved. The order must be valid.
    pub(crate) fn generalization_profile(&self) -> GivensProfile {
        let default = || GivensProfile::published_generalization().scaled_to(self.order);
        self.generalization_givens.clone().unwrap_or_else(default)
    }
}

fn check(
    key: &'static str,
    valid: bool,
    expected: &str,
    got: impl std::fmt::Display,
) -> Result<(), LatinSquareError> {
    let wrong = || LatinSquareError::Setting { key, expected: expected.to_owned(), got: got.to_string() };
    if valid { Ok(()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_setting_is_named() {
        let default = GeneratorConfig::default;
        default().validate().unwrap();
        let no_weight = GivensProfile { ternary: vec![(5, 0)], ..GivensProfile::published_pool() };
        let few = GivensProfile { binary: vec![(2, 1)], ..GivensProfile::published_pool() };
        let twice = GivensProfile { binary: vec![(5, 1), (5, 2)], ..GivensProfile::published_pool() };
        for (key, config) in [
            ("order", GeneratorConfig { order: 10, ..default() }),
            ("order", GeneratorConfig { order: 0, ..default() }),
            ("pool", GeneratorConfig { pool: 100, ..default() }),
            ("pool", GeneratorConfig { pool: 0, ..default() }),
            ("generalization", GeneratorConfig { generalization: 100, ..default() }),
            ("orientations", GeneratorConfig { orientations: 0, ..default() }),
            ("min_jaccard_distance", GeneratorConfig { min_jaccard_distance: f64::NAN, ..default() }),
            ("min_jaccard_distance", GeneratorConfig { min_jaccard_distance: 1.0, ..default() }),
            ("test_fraction", GeneratorConfig { test_fraction: 0.0, ..default() }),
            ("max_rejections", GeneratorConfig { max_rejections: 0, ..default() }),
            ("pool_givens", GeneratorConfig { pool_givens: Some(no_weight), ..default() }),
            ("pool_givens", GeneratorConfig { pool_givens: Some(few), ..default() }),
            ("generalization_givens", GeneratorConfig { generalization_givens: Some(twice), ..default() }),
        ] {
            let message = config.validate().unwrap_err().to_string();
            assert!(message.contains(&format!("`{key}`")) && !message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn serde_fills_in_defaults_and_refuses_unknown_settings() {
        let config: GeneratorConfig = serde_json::from_str(r#"{"order": 5}"#).unwrap();
        assert_eq!(config, GeneratorConfig { order: 5, ..GeneratorConfig::default() });
        assert!(serde_json::from_str::<GeneratorConfig>(r#"{"ordr": 5}"#).is_err());
    }
}
