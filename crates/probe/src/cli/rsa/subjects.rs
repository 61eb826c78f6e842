//! `probe rsa MODEL SUBJECT SUBJECT ...`: a model against several subjects.

use probe::StatError;
use probe::bootstrap::{Over, Resamples, bootstrap};
use probe::compare::{Comparison, NanPolicy, compare};
use probe::inference::{MOST_ENUMERATED, mean, sign_flip};
use probe::noise_ceiling::noise_ceiling;
use probe::rdm::Rdm;
use serde_json::{Value, json};
use streams::Streams;

use super::RsaArgs;
use crate::cli::failure::Failure;
use crate::cli::input::{Pair, described, same_rows};
use crate::cli::outcome::Outcome;
use crate::cli::rdm::{distances, kebab};

/// Kendall's tau is compared once a resample: too slow for all of them unless it is asked for.
const UNASKED: [Comparison; 6] = [
    Comparison::Pearson,
    Comparison::Spearman,
    Comparison::RhoA,
    Comparison::Cosine,
    Comparison::WhitenedPearson,
    Comparison::WhitenedCosine,
];

const LEVEL: f64 = 0.95;

pub(super) fn main(args: &RsaArgs, pair: Pair) -> Result<(), Failure> {
    let measure_b = args.measure_b.unwrap_or(args.measure);
    let model = distances(&pair.a, args.measure)?;
    let mut subjects = vec![pair.b];
    for path in &args.more {
        let table = path.read()?.finite()?;
        same_rows(&pair.a, &table)?;
        subjects.push(table);
    }
    let rdms = subjects.iter().map(|table| distances(table, measure_b)).collect::<Result<Vec<Rdm>, _>>()?;
    let n = pair.a.values.nrows();
    let resamples = |over| {
        let streams = Streams::new(args.permutations.seed);
        Resamples::new(n, rdms.len(), over, args.resamples as usize, &streams)
    };
    let columns = ["comparison", "mean", "ceiling_low", "ceiling_high", "low", "high", "p"];
    let mut outcome = Outcome::new("rsa", &columns)
        .fact("model", described(&pair.a))
        .fact("subjects", subjects.iter().map(described).collect::<Vec<_>>())
        .fact("measures", [args.measure, measure_b])
        .fact("n", n)
        .fact("n_subjects", rdms.len())
        .fact("ceiling", "each subject against the pooled others (low), against all (high)")
        .fact("low_high", "95 % percentile bootstrap over rows and subjects")
        .fact("resamples", args.resamples)
        .fact("seed", args.permutations.seed)
        .fact(
            "p_formula",
            format!(
                "two-sided sign-flip over subjects (exact up to {MOST_ENUMERATED}): the subject is the unit"
            ),
        );
    let asked = if args.compare.is_empty() { UNASKED.to_vec() } else { args.compare.clone() };
    let told = |source| Failure::Statistic { files: pair.a.source.to_string(), source };
    for how in asked {
        let row = compared(&model, &rdms, how, &resamples(Over::Both)).map_err(told)?;
        outcome.row(std::iter::once(json!(kebab(&how))).chain(row));
    }
    outcome.print(args.json)
}

fn compared(
    model: &Rdm,
    subjects: &[Rdm],
    how: Comparison,
    resamples: &Resamples,
) -> Result<[Value; 6], StatError> {
    let references: Vec<&Rdm> = subjects.iter().collect();
    let each = references
        .iter()
        .map(|subject| compare(model, subject, how, NanPolicy::Refuse))
        .collect::<Result<Vec<_>, _>>()?;
    let ceiling = noise_ceiling(&references, how, NanPolicy::Refuse)?;
    let interval = bootstrap(&[model], &references, how, resamples, NanPolicy::Refuse)?.interval(0, LEVEL);
    let p = match each.iter().all(|value| value.is_finite()) {
        true => json!(sign_flip(&each)?),
        false => Value::Null,
    };
    let (low, high) = interval.map_or((Value::Null, Value::Null), |(low, high)| (json!(low), json!(high)));
    Ok([json!(mean(&each)), json!(ceiling.lower), json!(ceiling.upper), low, high, p])
}
