//! Comparisons of RDMs, noise ceilings, bootstraps and regressions against rsatoolbox 0.3.2, SciPy 1.17.1,
//! scikit-bio 0.7.4 and statsmodels, to 1e-10 (`fixtures/make_rsa_more.py` and the files named there).

#[path = "support/fixture.rs"]
mod fixture;

use fixture::{close, fixture, integers, matrix, near, number, vector};
use ndarray::Array1;
use probe::bootstrap::dual_variance;
use probe::compare::{self, Comparison, NanPolicy, PatternCovariance, compare, compare_whitened};
use probe::inference::{benjamini_hochberg, bonferroni, holm};
use probe::noise_ceiling::noise_ceiling;
use probe::permutation::{Permutations, Tail, mantel};
use probe::rdm::{Measure, Rdm};
use probe::regression::{Offset, Weights, compare_beyond_all, regress};
use serde_json::Value;
use streams::Streams;

const NAMES: [(Comparison, &str); 8] = [
    (Comparison::Pearson, "corr"),
    (Comparison::Spearman, "spearman"),
    (Comparison::KendallTauA, "tau-a"),
    (Comparison::KendallTauB, "kendall"),
    (Comparison::RhoA, "rho-a"),
    (Comparison::Cosine, "cosine"),
    (Comparison::WhitenedPearson, "corr_cov"),
    (Comparison::WhitenedCosine, "cosine_cov"),
];

fn rdm(values: &[f64]) -> Rdm {
    let n = (1..).find(|n| n * (n - 1) / 2 == values.len()).unwrap();
    Rdm::from_condensed(n, values.to_vec(), Measure::Given).unwrap()
}

fn rdms(value: &Value) -> Vec<Rdm> {
    value.as_array().unwrap().iter().map(|row| rdm(&vector(row))).collect()
}

fn refs(rdms: &[Rdm]) -> Vec<&Rdm> {
    rdms.iter().collect()
}

/// [a][b] of every comparison.
fn table(a: &[Rdm], b: &[Rdm], how: Comparison, nan: NanPolicy) -> Vec<Vec<f64>> {
    a.iter().map(|a| b.iter().map(|b| compare(a, b, how, nan).unwrap()).collect()).collect()
}

#[test]
fn every_comparison_is_that_of_rsatoolbox() {
    let (rsa, more) = (fixture("rsa"), fixture("rsa_more"));
    let (own, others) = (rdms(&rsa["compare"]["rdm1"]), rdms(&rsa["compare"]["rdm2"]));
    let (models, subjects) = (rdms(&more["rdms"]["models"]), rdms(&more["rdms"]["subjects"]));
    for (how, name) in NAMES {
        let check = |got: Vec<Vec<f64>>, expected: &Value| {
            got.iter().zip(expected.as_array().unwrap()).for_each(|(got, row)| close(got, &vector(row)));
        };
        check(table(&own, &own, how, NanPolicy::Refuse), &rsa["compare"]["self"][name]);
        check(table(&models, &subjects, how, NanPolicy::Refuse), &more["rdms"]["compare"][name]);
        // rdm2[0] has ties, rdm2[2] is constant. With a constant RDM among them the library fills the wrong
        // rows for those that divide by a norm of 0, so rows are compared where it does not.
        let expected = matrix(&rsa["compare"]["values"][name]);
        let got = table(&own, &others, how, NanPolicy::Refuse);
        close(&got[0][..2], &[expected[[0, 0]], expected[[0, 1]]]);
        match how {
            Comparison::KendallTauA | Comparison::RhoA => {
                assert_eq!((got[0][2], expected[[0, 2]]), (0.0, 0.0))
            }
            Comparison::Cosine | Comparison::WhitenedCosine => close(&[got[0][2]], &[expected[[0, 2]]]),
            _ => assert!(got.iter().all(|row| row[2].is_nan()), "{name}"),
        }
    }
}

#[test]
fn pairs_undefined_in_both_are_left_out_as_in_rsatoolbox() {
    let rsa = fixture("rsa");
    let nan = &rsa["compare_nan"];
    let [a, same, other] = ["rdm1", "rdm2_same", "rdm2_other"].map(|name| rdms(&nan[name]).remove(0));
    for (how, name) in NAMES {
        let Some(expected) = nan["same"].get(name) else { continue };
        for policy in [NanPolicy::Omit, NanPolicy::PairwiseComplete] {
            close(&[compare(&a, &same, how, policy).unwrap()], &[number(&expected[0][0])]);
        }
        assert!(compare(&a, &same, how, NanPolicy::Propagate).unwrap().is_nan());
        assert!(compare(&a, &same, how, NanPolicy::Refuse).is_err());
        assert!(compare(&a, &other, how, NanPolicy::Omit).is_err());
        assert!(compare(&a, &other, how, NanPolicy::PairwiseComplete).unwrap() > 0.5);
    }
}

/// rsatoolbox iterates to a relative 1e-5 for a full covariance; the dense solution is exact.
#[test]
fn whitening_by_a_known_covariance() {
    let (rsa, more) = (fixture("rsa"), fixture("rsa_more"));
    let given = &rsa["compare"];
    let (a, b) = (rdms(&given["rdm1"]), rdms(&given["rdm2"]));
    let whitened = |a: &Rdm, b: &Rdm, how, covariance: &PatternCovariance| {
        compare_whitened(a, b, how, covariance, NanPolicy::Refuse).unwrap()
    };
    let diagonal = PatternCovariance::Diagonal(Array1::from(vector(&given["sigma_k_diag"])));
    let full = PatternCovariance::Full(matrix(&given["sigma_k_full"]));
    for i in 0..3 {
        for j in 0..3 {
            let got = whitened(&a[i], &b[j], Comparison::WhitenedCosine, &diagonal);
            close(&[got], &[number(&given["cosine_cov_sigma_diag"][i][j])]);
            for (how, name) in [
                (Comparison::WhitenedCosine, "cosine_cov_sigma_full"),
                (Comparison::WhitenedPearson, "corr_cov_sigma_full"),
            ] {
                near(&[whitened(&a[i], &b[j], how, &full)], &[number(&given[name][i][j])], 2e-5);
            }
            let identity = whitened(&a[i], &b[j], Comparison::WhitenedCosine, &PatternCovariance::Identity);
            close(
                &[identity],
                &[compare(&a[i], &b[j], Comparison::WhitenedCosine, NanPolicy::Refuse).unwrap()],
            );
        }
    }
    let more = &more["rdms"];
    let sigma = PatternCovariance::Full(matrix(&more["sigma"]));
    for (i, model) in rdms(&more["models"]).iter().enumerate() {
        for (j, subject) in rdms(&more["subjects"]).iter().enumerate() {
            for (how, name) in [
                (Comparison::WhitenedCosine, "cosine_cov_full"),
                (Comparison::WhitenedPearson, "corr_cov_full"),
            ] {
                close(&[whitened(model, subject, how, &sigma)], &[number(&more[name][i][j])]);
            }
        }
    }
}

#[test]
fn kendall_with_many_ties_is_scipys() {
    let kendall = &fixture("rsa_more")["kendall"];
    let (x, y) = (vector(&kendall["x"]), vector(&kendall["y"]));
    close(
        &[compare::tau_b(&x, &y).unwrap(), compare::tau_a(&x, &y).unwrap()],
        &[number(&kendall["tau_b"]), number(&kendall["tau_a"])],
    );
    let corr = fixture("corr");
    let tau = compare::tau_b(&vector(&corr["a"]), &vector(&corr["b"])).unwrap();
    close(&[tau], &[number(&corr["kendall_b"][0])]);
}

#[test]
fn noise_ceilings_are_those_of_rsatoolbox() {
    let (rsa, more) = (fixture("rsa"), fixture("rsa_more"));
    let ceilings = |subjects: &Value, expected: &Value| {
        let subjects = rdms(subjects);
        let mut checked = 0;
        for (how, name) in NAMES {
            let Some(expected) = expected.get(name) else { continue };
            let found = noise_ceiling(&refs(&subjects), how, NanPolicy::Refuse).unwrap();
            close(&[found.lower, found.upper], &vector(expected));
            checked += 1;
        }
        checked
    };
    let old = &rsa["noise_ceiling"];
    assert_eq!(ceilings(&old["subject_rdms"], &old["values"]), 7);
    assert_eq!(ceilings(&more["rdms"]["subjects"], &more["rdms"]["ceiling"]), 8);
}

#[test]
fn resampled_rdms_compare_as_in_rsatoolbox() {
    let more = fixture("rsa_more");
    let (models, subjects) = (rdms(&more["rdms"]["models"]), rdms(&more["rdms"]["subjects"]));
    for case in more["rdms"]["resampled"].as_array().unwrap() {
        let conditions = integers(&case["conditions"]);
        let drawn: Vec<Rdm> = integers(&case["subjects"])
            .iter()
            .map(|&k| subjects[k].resampled(&conditions).unwrap())
            .collect();
        for (how, name) in NAMES {
            let of = |model: &Rdm| {
                let model = model.resampled(&conditions).unwrap();
                let each = drawn.iter().map(|s| compare(&model, s, how, NanPolicy::Omit).unwrap());
                each.sum::<f64>() / drawn.len() as f64
            };
            close(&[of(&models[0]), of(&models[1])], &vector(&case["mean"][name]));
        }
    }
}

#[test]
fn the_variance_of_a_dual_bootstrap_is_rsatoolboxs() {
    let dual = &fixture("rsa_more")["dual"];
    let size = |name: &str| dual[name].as_u64().unwrap() as usize;
    for (case, expected) in dual["cases"].as_array().unwrap().iter().zip(vector(&dual["variance"])) {
        let v = vector(case);
        close(&[dual_variance(v[0], v[1], v[2], size("subjects"), size("conditions"))], &[expected]);
    }
}

#[test]
fn regressions_are_those_of_numpy_scipy_and_rsatoolbox() {
    let golden = &fixture("rsa_more")["regression"];
    let (y, models) = (rdm(&vector(&golden["y"])), rdms(&golden["x"]));
    for (weights, solver) in [(Weights::Any, "ols"), (Weights::NonNegative, "nnls")] {
        for (offset, name, method) in [(Offset::Free, "free", "corr"), (Offset::Zero, "zero", "cosine")] {
            let fit = regress(&y, &refs(&models), weights, offset, NanPolicy::Refuse).unwrap();
            let expected = &golden[format!("{solver}_{name}")];
            close(&fit.weights, &vector(&expected["weights"]));
            close(&fit.unique, &vector(&expected["unique"]));
            close(
                &[fit.r_squared, fit.offset],
                &[number(&expected["r_squared"]), number(&expected["offset"])],
            );
            // rsatoolbox scales weights to unit norm.
            let norm = fit.weights.iter().map(|w| w * w).sum::<f64>().sqrt();
            let unit: Vec<f64> = fit.weights.iter().map(|w| w / norm).collect();
            close(&unit, &vector(&golden[format!("rsatoolbox_{solver}_{method}")]));
        }
    }
    for (how, name) in [(Comparison::Pearson, "partial_pearson"), (Comparison::Spearman, "partial_spearman")]
    {
        let beyond = [&models[1], &models[2]];
        let got = compare_beyond_all(&y, &models[0], &beyond, how, NanPolicy::Refuse).unwrap();
        close(&[got], &[number(&golden[name])]);
    }
}

/// Statistics as scikit-bio's, and p the exhaustive count over all 720 permutations.
#[test]
fn mantel_is_scikit_bios_with_the_exact_p() {
    let golden = fixture("mantel");
    let matrices =
        ["D1", "D2"].map(|name| Rdm::from_square(matrix(&golden[name]).view(), Measure::Given).unwrap());
    let all = Permutations::new(6, 720, &Streams::new(0));
    let drawn = Permutations::new(6, 700, &Streams::new(0));
    assert!(all.is_exact() && !drawn.is_exact());
    for (how, method) in [
        (Comparison::Pearson, "pearson"),
        (Comparison::Spearman, "spearman"),
        (Comparison::KendallTauB, "kendalltau"),
    ] {
        for (tail, name) in [(Tail::TwoSided, "two-sided"), (Tail::Greater, "greater"), (Tail::Less, "less")]
        {
            let expected = &golden[method][name];
            let found = mantel(&matrices[0], &matrices[1], how, tail, &all).unwrap();
            close(&[found.statistic, found.p], &[number(&expected["skbio_r"]), number(&expected["exact_p"])]);
            assert_eq!(found.items, 6);
            // A sample estimates the same p: five standard errors.
            let sampled = mantel(&matrices[0], &matrices[1], how, tail, &drawn).unwrap().p;
            let error = (found.p * (1.0 - found.p) / 700.0).sqrt();
            assert!((sampled - found.p).abs() < 5.0 * error + 1.0 / 700.0, "{sampled} {}", found.p);
        }
    }
}

#[test]
fn mantel_on_what_scikit_bio_refuses_or_calls_nan() {
    let golden = fixture("mantel");
    let set = Permutations::new(6, 19, &Streams::new(1));
    let of = |value: &Value| Rdm::from_square(matrix(value).view(), Measure::Given);
    let (constant, d2) = (of(&golden["constant_matrix"]["D"]).unwrap(), of(&golden["D2"]).unwrap());
    for how in [Comparison::Pearson, Comparison::Spearman, Comparison::KendallTauB] {
        let found = mantel(&constant, &d2, how, Tail::TwoSided, &set).unwrap();
        assert!(found.statistic.is_nan() && found.p.is_nan());
    }
    let pair = Rdm::from_condensed(2, vec![1.0], Measure::Given).unwrap();
    let two = Permutations::new(2, 19, &Streams::new(1));
    assert!(
        mantel(&pair, &pair, Comparison::Pearson, Tail::Less, &two).unwrap_err().to_string().contains('3')
    );
    let mut asymmetric = matrix(&golden["D1"]);
    asymmetric[[0, 1]] += 1.0;
    assert!(Rdm::from_square(asymmetric.view(), Measure::Given).is_err());
    let mut filled = matrix(&golden["D1"]);
    filled[[0, 0]] = 1.0;
    assert!(Rdm::from_square(filled.view(), Measure::Given).is_err());
}

#[test]
fn adjusted_p_values_are_those_of_statsmodels() {
    let golden = &fixture("rsa_more")["multiple"];
    let p = vector(&golden["p"]);
    close(&bonferroni(&p), &vector(&golden["bonferroni"]));
    close(&holm(&p), &vector(&golden["holm"]));
    close(&benjamini_hochberg(&p), &vector(&golden["benjamini_hochberg"]));
}
