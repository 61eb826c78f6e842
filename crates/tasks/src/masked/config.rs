//! How frames become masked-token items.

use serde::{Deserialize, Serialize};

use super::{Block, Gap, MaskedError};

/// The settings of [`MaskedData::new`](super::MaskedData::new).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaskedConfig {
    /// The share of nodes that is hidden while training.
    pub mask: MaskFraction,
    /// Frames of one item, at least 1: a token has so many values.
    pub window: usize,
    /// Frames from the start of one item to the start of the next, at least 1.
    pub stride: usize,
    /// Which frames of the window are asked for.
    pub target: WindowTarget,
    /// Items of a batch; the last of an epoch can have fewer.
    pub batch: usize,
    /// The subjects that are never trained on.
    pub held_out: HeldOut,
    /// The share of each training subject's frames, its last ones, that is not trained on either: at least 0, below 1.
    pub test_fraction: f64,
    /// The frames left out between training and test frames of a recording, and between blocks.
    #[serde(skip_serializing_if = "Gap::is_none")]
    pub gap: Gap,
    /// Trains on this part of each training subject's training frames alone, so that halves of the data can be trained
    /// on independently. Scales and baselines are then of that part, too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Block>,
    /// How values are scaled.
    pub standardize: Standardize,
    /// Which masks a trained model is tested with.
    pub evaluation: EvaluationConfig,
}

/// The share of nodes that is hidden: `round(fraction · nodes)` of them, the same number in all items of a batch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum MaskFraction {
    /// Always this share.
    Fixed(f64),
    /// For each batch one of these, all alike probable.
    OneOf(Vec<f64>),
    /// For each batch uniform between these two.
    Between(f64, f64),
}

/// Which frames of its window a hidden node is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WindowTarget {
    /// The one in the middle; the window is then odd.
    Centre,
    /// The last one.
    Last,
    /// Each.
    All,
}

/// The subjects that are never trained on; of a list, some are to remain.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum HeldOut {
    /// So many, drawn from the stream `split`.
    Count(usize),
    /// These.
    Named(Vec<String>),
    /// Those of one of several folds of the subjects in their order, as even as possible, the last ones smaller.
    Fold(Block),
}

/// How values are scaled. Whatever is chosen, nothing of one subject ever depends on a held-out one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standardize {
    /// By the mean and standard deviation of each node over the training frames of all training subjects.
    Training,
    /// By those of each subject's own frames, for training subjects the training frames. A held-out subject is scaled
    /// by itself: its levels and scales are then no part of what is predicted.
    Subject,
    /// Not at all.
    None,
}

/// Fixed masks to test with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationConfig {
    /// The shares of nodes that are hidden, one set of masks each.
    pub fractions: Vec<f64>,
    /// The most items of a set, at least 1; of more, so many are taken at equal distances.
    pub most_items: usize,
}

impl Default for MaskedConfig {
    fn default() -> Self {
        Self {
            mask: MaskFraction::Fixed(0.5),
            window: 1,
            stride: 1,
            target: WindowTarget::Centre,
            batch: 64,
            held_out: HeldOut::Count(1),
            test_fraction: 0.1,
            gap: Gap::default(),
            block: None,
            standardize: Standardize::Training,
            evaluation: EvaluationConfig::default(),
        }
    }
}

impl Default for EvaluationConfig {
    fn default() -> Self {
        Self { fractions: vec![0.15, 0.5, 0.75, 0.9], most_items: 1024 }
    }
}

impl MaskFraction {
    fn all(&self) -> Vec<f64> {
        match self {
            Self::Fixed(fraction) => vec![*fraction],
            Self::OneOf(fractions) => fractions.clone(),
            Self::Between(least, most) => vec![*least, *most],
        }
    }
}

impl MaskedConfig {
    /// Checks each setting by itself, and every fraction against the number of nodes.
    ///
    /// # Errors
    /// [`MaskedError::Setting`] or [`MaskedError::Fraction`], naming the first setting that is wrong.
    pub fn validate(&self, nodes: usize) -> Result<(), MaskedError> {
        let masks = self.mask.all();
        check("mask", !masks.is_empty(), "at least one fraction", "none")?;
        masks.iter().try_for_each(|&fraction| masked_nodes("mask", fraction, nodes).map(drop))?;
        if let MaskFraction::Between(least, most) = self.mask {
            check("mask", least <= most, "the lower end first", format!("{least} and {most}"))?;
        }
        check("window", self.window > 0, "at least 1", self.window)?;
        let centred = self.target != WindowTarget::Centre || !self.window.is_multiple_of(2);
        check("window", centred, "an odd number of frames where `target` is the centre", self.window)?;
        check("stride", self.stride > 0, "at least 1", self.stride)?;
        check("batch", self.batch > 0, "at least 1", self.batch)?;
        let fraction = self.test_fraction;
        check("test_fraction", (0.0..1.0).contains(&fraction), "at least 0 and below 1", fraction)?;
        self.gap.validate()?;
        self.block.map_or(Ok(()), |block| block.validate("block"))?;
        if let HeldOut::Fold(fold) = self.held_out {
            fold.validate("held_out.fold")?;
        }
        let EvaluationConfig { fractions, most_items } = &self.evaluation;
        check("evaluation.most_items", *most_items > 0, "at least 1", most_items)?;
        let key = "evaluation.fractions";
        fractions.iter().try_for_each(|&fraction| masked_nodes(key, fraction, nodes).map(drop))
    }

    /// The frames of the window that are asked for.
    pub(crate) fn asked(&self) -> std::ops::Range<usize> {
        match self.target {
            WindowTarget::Centre => self.window / 2..self.window / 2 + 1,
            WindowTarget::Last => self.window - 1..self.window,
            WindowTarget::All => 0..self.window,
        }
    }
}

/// How many of `nodes` the fraction hides: at least one, and not all.
pub(crate) fn masked_nodes(key: &'static str, fraction: f64, nodes: usize) -> Result<usize, MaskedError> {
    let masked = (fraction * nodes as f64).round();
    let most = nodes.saturating_sub(1);
    if masked >= 1.0 && masked <= most as f64 {
        return Ok(masked as usize);
    }
    Err(MaskedError::Fraction { key, nodes, most, fraction, masked: masked.to_string() })
}

pub(super) fn check(
    key: &'static str,
    valid: bool,
    expected: &str,
    got: impl std::fmt::Display,
) -> Result<(), MaskedError> {
    let wrong = || MaskedError::Setting { key, expected: expected.to_owned(), got: got.to_string() };
    if valid { Ok(()) } else { Err(wrong()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_wrong_setting_is_named() {
        let default = MaskedConfig::default;
        default().validate(36).unwrap();
        let evaluation = |fractions| EvaluationConfig { fractions, ..Default::default() };
        for (key, config) in [
            ("mask", MaskedConfig { mask: MaskFraction::Fixed(1.5), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::Fixed(1.0), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::Fixed(0.001), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::Fixed(f64::NAN), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::OneOf(vec![]), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::OneOf(vec![0.5, -0.5]), ..default() }),
            ("mask", MaskedConfig { mask: MaskFraction::Between(0.9, 0.5), ..default() }),
            ("window", MaskedConfig { window: 0, ..default() }),
            ("window", MaskedConfig { window: 4, ..default() }),
            ("stride", MaskedConfig { stride: 0, ..default() }),
            ("batch", MaskedConfig { batch: 0, ..default() }),
            ("test_fraction", MaskedConfig { test_fraction: 1.0, ..default() }),
            ("gap", MaskedConfig { gap: Gap::AutocorrelationTimes(f64::NAN), ..default() }),
            ("block", MaskedConfig { block: Some(Block { index: 2, of: 2 }), ..default() }),
            (
                "held_out.fold",
                MaskedConfig { held_out: HeldOut::Fold(Block { index: 0, of: 0 }), ..default() },
            ),
            ("evaluation.fractions", MaskedConfig { evaluation: evaluation(vec![0.5, 2.0]), ..default() }),
        ] {
            let message = config.validate(36).unwrap_err().to_string();
            assert!(message.contains(&format!("`{key}`")) && !message.contains('\n'), "{message}");
        }
        MaskedConfig { window: 4, target: WindowTarget::All, ..default() }.validate(36).unwrap();
    }

    #[test]
    fn fractions_mask_an_exact_number() {
        for (fraction, nodes, expected) in [(0.5, 36, 18), (0.15, 36, 5), (0.9, 36, 32), (0.9, 94, 85)] {
            assert_eq!(masked_nodes("mask", fraction, nodes).unwrap(), expected);
        }
    }

    #[test]
    fn serde_names() {
        let text = r#"{"mask": {"one-of": [0.5, 0.9]}, "held_out": {"named": ["a"]}, "target": "last"}"#;
        let config: MaskedConfig = serde_json::from_str(text).unwrap();
        assert_eq!(config.mask, MaskFraction::OneOf(vec![0.5, 0.9]));
        assert_eq!(config.held_out, HeldOut::Named(vec!["a".to_owned()]));
        let between: MaskFraction = serde_json::from_str(r#"{"between": [0.1, 0.9]}"#).unwrap();
        assert_eq!(between, MaskFraction::Between(0.1, 0.9));
        assert!(serde_json::from_str::<MaskedConfig>(r#"{"masks": 1}"#).is_err());
        let text = r#"{"held_out": {"fold": {"index": 1, "of": 3}}, "gap": {"autocorrelation_times": 5.0}}"#;
        let config: MaskedConfig = serde_json::from_str(text).unwrap();
        assert_eq!(config.held_out, HeldOut::Fold(Block { index: 1, of: 3 }));
        assert_eq!(config.gap, Gap::AutocorrelationTimes(5.0));
    }

    /// Settings that came later leave the hashes of plans without them as they were.
    #[test]
    fn what_is_not_set_is_not_written() {
        let text = serde_json::to_string(&MaskedConfig::default()).unwrap();
        assert!(!text.contains("gap") && !text.contains("block"), "{text}");
    }
}
