//! Runs that may be compared: one experiment, one scale, one protocol, the same data.

use std::collections::BTreeMap;

use super::colour::STEPS;
use super::run::Run;
use super::section::rank;

/// Comparable runs.
#[derive(Debug, Clone)]
pub(super) struct Series {
    /// Names its folder, such as `lst-quick-generated`.
    pub name: String,
    pub experiment: String,
    /// Which of the experiment's groups of runs, where it has several.
    pub variant: Option<String>,
    pub scale: String,
    /// `generated` or `files`.
    pub source: String,
    /// By arm as in `arms`, then by seed.
    pub runs: Vec<Run>,
    /// Fixed ones by name, then learned ones by σ.
    pub arms: Vec<Arm>,
}

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Arm {
    pub name: String,
    /// Of a learned encoding.
    pub sigma: Option<f64>,
    /// Its colour, as a class.
    pub class: String,
    /// The class of its line: beside many learned arms, the fixed ones are dashed.
    pub line: String,
}

impl Series {
    /// The levels that generalization was evaluated on, in the order written: difficulties of puzzles, shares of masked
    /// nodes.
    pub(super) fn levels(&self) -> Vec<String> {
        let mut levels: Vec<String> = Vec::new();
        for score in self.runs.iter().flat_map(|run| &run.scores) {
            if score.split == "generalization" && score.level != "all" && !levels.contains(&score.level) {
                levels.push(score.level.clone());
            }
        }
        levels
    }
}

/// What the runs of a series share: experiment, variant, scale, source of the data, protocol.
type Key = (String, Option<String>, String, String, String);

/// Sorts runs into series, in the order of the papers, the largest scale first, and the newest runs first.
pub(super) fn series(runs: Vec<Run>) -> Vec<Series> {
    let mut groups: BTreeMap<Key, Vec<Run>> = BTreeMap::new();
    for run in runs {
        let source = run.probe["run"]["dataset"]["source"].as_str().unwrap_or("unknown").to_owned();
        let key = (run.experiment.clone(), run.variant.clone(), run.scale.clone(), source, run.protocol());
        groups.entry(key).or_default().push(run);
    }
    let named = |experiment: &str, variant: &Option<String>, scale: &str, source: &str| {
        let variant = variant.as_ref().map_or(String::new(), |variant| format!("{variant}-"));
        format!("{experiment}-{variant}{scale}-{source}")
    };
    let plain: Vec<String> =
        groups.keys().map(|(e, v, scale, source, _)| named(e, v, scale, source)).collect();
    let mut all: Vec<Series> = groups
        .into_iter()
        .map(|((experiment, variant, scale, source, protocol), mut runs)| {
            let arms = arms(&runs);
            let rank = |run: &Run| arms.iter().position(|arm| arm.name == run.arm);
            runs.sort_by_key(|run| (rank(run), run.seed));
            let name = named(&experiment, &variant, &scale, &source);
            let is_alone = plain.iter().filter(|other| **other == name).count() == 1;
            let name = if is_alone { name } else { format!("{name}-{protocol}") };
            Series { name, experiment, variant, scale, source, runs, arms }
        })
        .collect();
    all.sort_by_key(|series| {
        let size =
            ["paper", "standard", "quick"].iter().position(|scale| *scale == series.scale).unwrap_or(3);
        let newest = std::cmp::Reverse(series.finished().to_owned());
        (rank(series), series.experiment.clone(), size, series.variant.clone(), newest)
    });
    all
}

impl Series {
    /// The runs of an arm.
    pub(super) fn of<'a>(&'a self, arm: &'a str) -> impl Iterator<Item = &'a Run> {
        self.runs.iter().filter(move |run| run.arm == arm)
    }

    /// One number of each run of an arm, where it has it.
    pub(super) fn values(&self, arm: &str, number: impl Fn(&Run) -> Option<f64>) -> Vec<f64> {
        self.of(arm).filter_map(number).collect()
    }

    /// The fewest and the most runs of an arm, such as `2` or `2 to 6`.
    pub(super) fn seeds(&self) -> String {
        let counts = || self.arms.iter().map(|arm| self.of(&arm.name).count());
        match (counts().min().unwrap_or(0), counts().max().unwrap_or(0)) {
            (low, high) if low == high => low.to_string(),
            (low, high) => format!("{low} to {high}"),
        }
    }

    /// When the last run finished.
    pub(super) fn finished(&self) -> &str {
        self.runs.iter().map(|run| run.said("finished")).max().unwrap_or("?")
    }

    /// What the runs were trained on, in words.
    pub(super) fn data(&self) -> String {
        match self.source.as_str() {
            "generated" => "generated data".to_owned(),
            "files" => "data from files".to_owned(),
            other => other.to_owned(),
        }
    }

    /// At most `most` arms that have what is shown: the fixed ones first, then learned ones evenly over σ.
    pub(super) fn some_arms(&self, most: usize, has: impl Fn(&Run) -> bool) -> Vec<&Arm> {
        let with: Vec<&Arm> = self.arms.iter().filter(|arm| self.of(&arm.name).any(&has)).collect();
        if with.len() <= most {
            return with;
        }
        let (learned, fixed): (Vec<&Arm>, Vec<&Arm>) = with.into_iter().partition(|arm| arm.sigma.is_some());
        let few = fixed.into_iter().take(if learned.is_empty() { most } else { most / 3 });
        let mut chosen: Vec<&Arm> = few.collect();
        let room = (most - chosen.len()).min(learned.len());
        let place = |i: usize| if room > 1 { i * (learned.len() - 1) / (room - 1) } else { 0 };
        chosen.extend((0..room).map(|i| learned[place(i)]));
        chosen
    }
}

fn arms(runs: &[Run]) -> Vec<Arm> {
    let by_name: BTreeMap<&str, Option<f64>> = runs.iter().map(|run| (run.arm.as_str(), run.sigma)).collect();
    let mut arms: Vec<Arm> = by_name
        .into_iter()
        .map(|(name, sigma)| Arm { name: name.to_owned(), sigma, class: String::new(), line: String::new() })
        .collect();
    arms.sort_by(|a, b| {
        let rank = |arm: &Arm| arm.sigma.unwrap_or(f64::NEG_INFINITY);
        let known = |arm: &Arm| FIXED.iter().position(|(name, _)| *name == arm.name).unwrap_or(FIXED.len());
        rank(a).total_cmp(&rank(b)).then(known(a).cmp(&known(b))).then(a.name.cmp(&b.name))
    });
    let learned = arms.iter().filter(|arm| arm.sigma.is_some()).count();
    let mut next = 0;
    for (index, arm) in arms.iter_mut().enumerate() {
        arm.class = match arm.sigma {
            None => {
                let kind = FIXED.iter().find(|(name, _)| *name == arm.name);
                kind.map_or_else(|| format!("k{}", [2, 3, 5, 6][index % 4]), |(_, kind)| format!("k{kind}"))
            }
            Some(_) => {
                next += 1;
                match (learned, next) {
                    (1, _) | (2, 1) => "k1".to_owned(),
                    (2, _) => "k4".to_owned(),
                    (n, i) => format!("r{}", (i - 1) * (STEPS - 1) / (n - 1)),
                }
            }
        };
        let is_dashed = arm.sigma.is_none() && learned > 2;
        arm.line = if is_dashed { format!("d {}", arm.class) } else { arm.class.clone() };
    }
    arms
}

/// Fixed arms in the order in which they are told, and their colours.
const FIXED: [(&str, usize); 5] =
    [("2d-fixed", 0), ("1d-fixed", 2), ("random", 6), ("nope", 3), ("c-nope", 5)];
