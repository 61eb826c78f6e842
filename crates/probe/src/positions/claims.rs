//! Verdicts about tables of positions: `tables.absolute` and `tables.order`.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};
use streams::{Stream, Streams};

use super::checkpoint::{Family, Recognised};
use super::{ControlKind, PositionReport};
use crate::claims::{Direction, Published, Verdict};
use crate::inference::mean;
use crate::run_dir::{InputError, SCHEMA, parse_json, parse_toml, read_text};

/// Fewer tables than this are judged *so far*.
const TABLES_TO_JUDGE: usize = 6;

/// A verdict needs a p below this.
const LEVEL: f64 = 0.05;

/// A report of `probe positions`, with what is known of its table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableFile {
    /// The layout of this file: 1.
    pub schema: u32,
    /// What the table is called.
    pub label: String,
    /// What the model's self-attention sees; null where nobody said.
    pub family: Option<Family>,
    /// A name that tables of one origin share, such as a model and those made from it; null where it stands alone.
    #[serde(default)]
    pub lineage: Option<String>,
    /// Where the table is from.
    pub source: TableSource,
    /// The report.
    #[serde(flatten)]
    pub report: PositionReport,
}

/// Where a table is from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableSource {
    /// The file.
    pub file: String,
    /// The array, in files that hold several.
    pub tensor: Option<String>,
    /// As what it is stored.
    pub stored: String,
    /// The rows that are positions.
    pub rows: Range<usize>,
    /// The kind of checkpoint, where it was recognised.
    pub recognised: Option<Recognised>,
}

/// A file of claims about tables. Other keys are left to others.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TableClaims {
    /// The layout of the file: 1.
    pub schema: u32,
    /// The claims.
    pub claim: Vec<TableClaim>,
}

/// One claim, written before the tables were read.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableClaim {
    /// Such as `tables.absolute`.
    pub id: String,
    /// The claim in words.
    pub statement: String,
    /// Where the claim is from.
    pub source: String,
    /// What was published.
    pub published: Published,
    /// The primary endpoint in words.
    pub primary: String,
    /// How it is judged.
    pub rule: TableRule,
}

/// Tables of one family against tables of the other, each as a ratio to a random table of its own shape.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableRule {
    /// The family that the claim is about.
    pub treatment: Family,
    /// The family that it is held against.
    pub control: Family,
    /// What is compared.
    pub metric: TableMetric,
    /// Of the difference of the families' means, treatment minus control.
    pub direction: Direction,
    /// Whether every table must also be below a random table of its shape.
    pub below_random: bool,
}

/// An error of a reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableMetric {
    /// Mean |round(prediction) - index| by least squares: not comparable across widths.
    AbsoluteLeastSquares,
    /// The same through 64 principal components.
    AbsolutePca64,
    /// The same with a ridge.
    AbsoluteRidge,
    /// Error rate on raw features: not comparable across norms.
    OrderRaw,
    /// Error rate on standardised features.
    OrderStandardised,
}

/// The judgement of one claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableClaimResult {
    /// The claim.
    pub id: String,
    /// The judgement.
    pub verdict: Verdict,
    /// Why it is not judged, or what must be known of the judgement.
    pub reason: Option<String>,
    /// Difference of the families' mean ratios.
    pub value: Option<f64>,
    /// Tables, those of one lineage counted once.
    pub n: usize,
    /// None: tables of other people's models are no sample.
    pub interval: Option<f64>,
    /// Exact two-sided p when family labels are exchanged; only with enough tables.
    pub p: Option<f64>,
    /// Where the claim is from.
    pub source: String,
    /// The rule.
    pub rule: TableRule,
    /// The rule in words.
    pub rule_text: String,
    /// The claim in words.
    pub statement: String,
    /// The primary endpoint in words.
    pub primary: String,
    /// What was published.
    pub published: Published,
    /// The tables that count.
    pub tables: Vec<TableValue>,
}

/// One table in a claim.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TableValue {
    /// What it is called.
    pub label: String,
    /// Its family.
    pub family: Family,
    /// Its lineage, if it has one: tables of one lineage and family count as one, with their mean.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lineage: Option<String>,
    /// Its error.
    pub error: f64,
    /// Its error over that of a random table of its shape.
    pub ratio: f64,
}

impl TableFile {
    /// Reads what `probe positions --json` has written.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let file: Self = parse_json(path, &read_text(path)?)?;
        match file.schema {
            SCHEMA => Ok(file),
            got => Err(InputError::Schema { path: path.to_owned(), expected: SCHEMA, got: got.to_string() }),
        }
    }
}

impl TableClaimResult {
    /// The verdict with the number of tables where they are few: `agrees so far (3)`.
    pub fn verdict_text(&self) -> String {
        match self.verdict {
            Verdict::AgreesSoFar | Verdict::DisagreesSoFar => format!("{} ({})", self.verdict, self.n),
            verdict => verdict.to_string(),
        }
    }
}

impl TableClaims {
    /// Reads a file of claims.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let claims: Self = parse_toml(path, &read_text(path)?)?;
        match claims.schema {
            SCHEMA => Ok(claims),
            got => Err(InputError::Schema { path: path.to_owned(), expected: SCHEMA, got: got.to_string() }),
        }
    }

    /// Judges every claim on the tables.
    pub fn judge(&self, tables: &[TableFile]) -> Vec<TableClaimResult> {
        self.claim.iter().map(|claim| claim.judge(tables)).collect()
    }
}

impl TableClaim {
    fn judge(&self, tables: &[TableFile]) -> TableClaimResult {
        let rule = &self.rule;
        let tables: Vec<TableValue> = tables.iter().filter_map(|table| rule.metric.value(table)).collect();
        let (treatment, control) = (units(&tables, rule.treatment), units(&tables, rule.control));
        let n = units(&tables, Family::Causal).len() + units(&tables, Family::Bidirectional).len();
        let value = mean(&treatment).zip(mean(&control)).map(|(t, c)| t - c);
        let (p, smallest) = exchange(&treatment, &control);
        let enough = n >= TABLES_TO_JUDGE && smallest < LEVEL;
        let above: Vec<&str> = tables.iter().filter(|t| t.ratio >= 1.0).map(|t| t.label.as_str()).collect();
        let points = value.is_some_and(|value| value * rule.direction.sign() > 0.0);
        let random = !rule.below_random || above.is_empty();
        let (verdict, reason) = match value {
            None => {
                let lacks = if treatment.is_empty() { rule.treatment } else { rule.control };
                (Verdict::NotJudged, Some(format!("needs a {lacks} table that the metric is defined for")))
            }
            Some(_) => {
                let reason =
                    (!random).then(|| format!("no better than a random table: {}", above.join(", ")));
                (Verdict::of(enough, points && random, points && random && p < LEVEL), reason)
            }
        };
        TableClaimResult {
            id: self.id.clone(),
            verdict,
            reason,
            value,
            n,
            interval: None,
            p: enough.then_some(p).filter(|_| value.is_some()),
            source: self.source.clone(),
            rule_text: rule.to_string(),
            rule: rule.clone(),
            statement: self.statement.clone(),
            primary: self.primary.clone(),
            published: self.published.clone(),
            tables,
        }
    }
}

impl TableMetric {
    /// `None` for a table of no known family, or where the metric is undefined.
    fn value(self, table: &TableFile) -> Option<TableValue> {
        let random = table.report.control(ControlKind::Random)?;
        let [error, by_chance] = [&table.report.reading, random].map(|reading| match self {
            TableMetric::AbsoluteLeastSquares => reading.absolute_error("least-squares"),
            TableMetric::AbsolutePca64 => reading.absolute_error("pca-64"),
            TableMetric::AbsoluteRidge => reading.absolute_error("ridge"),
            TableMetric::OrderRaw => reading.order_error("raw"),
            TableMetric::OrderStandardised => reading.order_error("standardised"),
        });
        let (error, family) = (error?, table.family?);
        let ratio = error / by_chance.filter(|&chance| chance > 0.0)?;
        let lineage = table.lineage.clone();
        Some(TableValue { label: table.label.clone(), family, lineage, error, ratio })
    }
}

/// The ratios of a family, one for each table or lineage, in the order of their first table.
fn units(tables: &[TableValue], family: Family) -> Vec<f64> {
    let mut units: Vec<(Option<&String>, Vec<f64>)> = Vec::new();
    for table in tables.iter().filter(|table| table.family == family) {
        let lineage = table.lineage.as_ref();
        match units.iter_mut().find(|(other, _)| lineage.is_some() && *other == lineage) {
            Some((_, ratios)) => ratios.push(table.ratio),
            None => units.push((lineage, vec![table.ratio])),
        }
    }
    units.iter().filter_map(|(_, ratios)| mean(ratios)).collect()
}

/// Up to this many tables all divisions are enumerated.
const MOST_ENUMERATED: usize = 20;

/// Divisions that are drawn of more.
const DRAWN: usize = 99_999;

/// The two-sided p of a difference of means when labels are exchanged, and the smallest p that these numbers of tables
/// can give. Exact up to 20 tables; of more, 99,999 divisions are drawn from the stream `permutation` of seed 0.
fn exchange(treatment: &[f64], control: &[f64]) -> (f64, f64) {
    let all = [treatment, control].concat();
    if treatment.is_empty() || control.is_empty() {
        return (f64::NAN, 1.0);
    }
    if all.len() > MOST_ENUMERATED {
        return exchange_drawn(&all, treatment.len());
    }
    let difference = |subset: u32| {
        let (mut inside, mut outside) = (0.0, 0.0);
        for (i, value) in all.iter().enumerate() {
            *(if subset >> i & 1 == 1 { &mut inside } else { &mut outside }) += value;
        }
        (inside / treatment.len() as f64 - outside / control.len() as f64).abs()
    };
    let observed = difference((1 << treatment.len()) - 1) - 1e-12;
    let subsets = || (0..1u32 << all.len()).filter(|subset| subset.count_ones() as usize == treatment.len());
    let extreme = subsets().filter(|&subset| difference(subset) >= observed).count();
    let count = subsets().count() as f64;
    // With groups of one size each division has a mirror image that is as far apart.
    let fewest = if treatment.len() == control.len() { 2.0 } else { 1.0 };
    (extreme as f64 / count, fewest / count)
}

fn exchange_drawn(all: &[f64], treatment: usize) -> (f64, f64) {
    let difference = |values: &[f64]| {
        let (inside, outside) = values.split_at(treatment);
        mean(inside).zip(mean(outside)).map_or(f64::NAN, |(t, c)| (t - c).abs())
    };
    let observed = difference(all) - 1e-12;
    let mut rng = Streams::new(0).rng_for(Stream::Permutation, "exchange");
    let mut shuffled = all.to_vec();
    let mut drawn = || {
        shuffled.shuffle(&mut rng);
        difference(&shuffled)
    };
    let extreme = (0..DRAWN).filter(|_| drawn() >= observed).count();
    let count = (DRAWN + 1) as f64;
    ((extreme + 1) as f64 / count, 1.0 / count)
}

impl fmt::Display for TableRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if self.direction == Direction::Greater { "above" } else { "below" };
        let metric = match self.metric {
            TableMetric::AbsoluteLeastSquares => "least-squares error of the index",
            TableMetric::AbsolutePca64 => "PCA-64 error of the index",
            TableMetric::AbsoluteRidge => "ridge error of the index",
            TableMetric::OrderRaw => "raw order error",
            TableMetric::OrderStandardised => "standardised order error",
        };
        write!(
            f,
            "mean {metric} over that of a random table of the same shape: {} {direction} {}",
            self.treatment, self.control
        )?;
        if self.below_random { f.write_str(", every table below 1") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_one_lineage_count_once() {
        let table = |lineage: Option<&str>, family, ratio| TableValue {
            label: "x".into(),
            family,
            lineage: lineage.map(str::to_owned),
            error: 0.0,
            ratio,
        };
        let (causal, both) = (Family::Causal, Family::Bidirectional);
        let tables = [
            (Some("a"), both, 1.0),
            (None, both, 5.0),
            (Some("a"), both, 2.0),
            (None, both, 7.0),
            (Some("a"), causal, 9.0),
        ];
        let tables = tables.map(|(lineage, family, ratio)| table(lineage, family, ratio));
        assert_eq!((units(&tables, both), units(&tables, causal)), (vec![1.5, 5.0, 7.0], vec![9.0]));
    }

    /// 11 against 11, all apart: of 705,432 divisions two are as extreme, so that of 99,999 drawn ones hardly any is.
    #[test]
    fn labels_of_many_tables_are_exchanged_at_random() {
        let (low, high): (Vec<f64>, Vec<f64>) = (0..11).map(|i| (f64::from(i), 100.0 + f64::from(i))).unzip();
        let (p, smallest) = exchange(&low, &high);
        assert!(p <= 4e-5 && smallest == 1e-5, "{p}");
        // The same values on both sides are never closer than any division.
        assert_eq!(exchange(&low, &low).0, 1.0);
    }

    #[test]
    fn labels_are_exchanged_exactly() {
        // 4 against 4, all apart: only the observed division and its mirror image are as extreme.
        assert_eq!(exchange(&[0.1, 0.2, 0.3, 0.4], &[1.1, 1.2, 1.3, 1.4]), (2.0 / 70.0, 2.0 / 70.0));
        // 1 against 2: three divisions, the observed is the farthest.
        assert_eq!(exchange(&[0.0], &[5.0, 6.0]), (1.0 / 3.0, 1.0 / 3.0));
        assert!(exchange(&[], &[1.0]).0.is_nan());
    }
}
