//! Golden values of SciPy 1.17.1, scikit-learn 1.9.1, rsatoolbox 0.3.2 and dcor 0.7 (NumPy 2.4.6), to 1e-10.
//! `tests/fixtures/*.json` are synthetic; each file names the versions that made it.

#[path = "support/fixture.rs"]
mod fixture;

use approx::assert_abs_diff_eq;
use fixture::{TOLERANCE, close, fixture, matrix, number, vector};
use ndarray::Array2;
use probe::compare::{self, Comparison, NanPolicy};
use probe::pca::pca;
use probe::permutation::{Permutations, Tail, rsa};
use probe::procrustes::{Alignment, procrustes, rotation};
use probe::rdm::{Measure, Rdm};
use probe::{dcor, inference, spectrum};
use serde_json::Value;
use streams::Streams;

fn rdm(values: &[f64]) -> Rdm {
    let n = (1..).find(|n| n * (n - 1) / 2 == values.len()).unwrap();
    Rdm::from_condensed(n, values.to_vec(), Measure::Euclidean).unwrap()
}

#[test]
fn distances_are_those_of_scipy_and_rsatoolbox() {
    let of = |x: &Value, measure| Rdm::of_rows(matrix(x).view(), measure).unwrap();
    let probe = fixture("probe");
    close(of(&probe["coords"], Measure::Euclidean).values(), &vector(&probe["dist_coords"]));
    close(of(&probe["pe"], Measure::Euclidean).values(), &vector(&probe["dist_pe_euclid"]));
    close(of(&probe["pe"], Measure::Cosine).values(), &vector(&probe["dist_pe_cosine"]));

    let rsa = fixture("rsa");
    // rsatoolbox's "euclidean" is squared and divided by the number of channels.
    let squared = of(&rsa["patterns"], Measure::SquaredEuclidean);
    let channels = matrix(&rsa["patterns"]).ncols() as f64;
    let scaled: Vec<f64> = squared.values().iter().map(|v| v / channels).collect();
    close(&scaled, &vector(&rsa["rdm"]["euclidean"]));
    close(of(&rsa["patterns"], Measure::Correlation).values(), &vector(&rsa["rdm"]["correlation"]));
    // A constant row has no correlation: the NaNs stand in the same places.
    let constant = &rsa["constant_row"];
    close(of(&constant["patterns"], Measure::Correlation).values(), &vector(&constant["rdm"]["correlation"]));
}

#[test]
fn a_nan_entry_is_refused_where_rsatoolbox_passes_it_on() {
    let patterns = matrix(&fixture("rsa")["nan_entry"]["patterns"]);
    let error = Rdm::of_rows(patterns.view(), Measure::Euclidean).unwrap_err().to_string();
    assert!(error.contains("row 2, column 1"), "{error}");
}

#[test]
fn comparisons_are_those_of_rsatoolbox_except_for_a_constant_rdm() {
    let fixture = fixture("rsa");
    let compared = &fixture["compare"];
    let [first, second] = ["rdm1", "rdm2"].map(|name| matrix(&compared[name]));
    let compare = |a: ndarray::ArrayView1<f64>, b: ndarray::ArrayView1<f64>, how| {
        compare::compare(&rdm(&a.to_vec()), &rdm(&b.to_vec()), how, NanPolicy::Refuse).unwrap()
    };
    for (how, name) in [(Comparison::Pearson, "corr"), (Comparison::Spearman, "spearman")] {
        let own = matrix(&compared["self"][name]);
        for ((i, j), expected) in own.indexed_iter() {
            assert_abs_diff_eq!(compare(first.row(i), first.row(j), how), *expected, epsilon = TOLERANCE);
        }
        // rdm2[0] has ties. rdm2[2] is constant: rsatoolbox says 0, we say undefined. With a constant RDM in
        // the stack the library's rows 1 and 2 are not those of their pairs (its `cosine` rows are), so row 0
        // it is.
        let with_ties = vector(&compared["values"][name][0]);
        for (j, expected) in with_ties[..2].iter().enumerate() {
            assert_abs_diff_eq!(compare(first.row(0), second.row(j), how), *expected, epsilon = TOLERANCE);
        }
        assert!(compare(first.row(0), second.row(2), how).is_nan());
    }
}

#[test]
fn undefined_pairs_are_omitted_only_where_both_have_them() {
    let fixture = fixture("rsa");
    let nan = &fixture["compare_nan"];
    let [a, same, other] =
        ["rdm1", "rdm2_same", "rdm2_other"].map(|name| rdm(&matrix(&nan[name]).into_raw_vec_and_offset().0));
    for (how, name) in [(Comparison::Pearson, "corr"), (Comparison::Spearman, "spearman")] {
        let got = compare::compare(&a, &same, how, NanPolicy::Omit).unwrap();
        assert_abs_diff_eq!(got, number(&nan["same"][name][0][0]), epsilon = TOLERANCE);
        assert!(compare::compare(&a, &other, how, NanPolicy::Omit).is_err());
        assert!(compare::compare(&a, &same, how, NanPolicy::Refuse).is_err());
    }
}

#[test]
fn correlations_and_ranks_are_those_of_scipy() {
    let fixture = fixture("corr");
    let (a, b) = (vector(&fixture["a"]), vector(&fixture["b"]));
    close(&compare::average_ranks(&a), &vector(&fixture["rank_a"]));
    close(
        &[compare::pearson(&a, &b).unwrap(), compare::spearman(&a, &b).unwrap()],
        &[number(&fixture["pearson"][0]), number(&fixture["spearman"][0])],
    );
    assert!(compare::pearson(&[1.0; 9], &b).unwrap().is_nan());
}

#[test]
fn enumerated_permutation_p_is_the_exhaustive_count() {
    let fixture = fixture("probe");
    let coords = Rdm::of_rows(matrix(&fixture["coords"]).view(), Measure::Euclidean).unwrap();
    let set = Permutations::new(7, 5040, &Streams::new(0));
    for (measure, name) in [(Measure::Euclidean, "rsa_euclid"), (Measure::Cosine, "rsa_cosine")] {
        let table = Rdm::of_rows(matrix(&fixture["pe"]).view(), measure).unwrap();
        for (how, name_of_how) in [(Comparison::Pearson, "pearson"), (Comparison::Spearman, "spearman")] {
            let expected = &fixture[name][name_of_how];
            let greater = rsa(&table, &coords, how, Tail::Greater, &set).unwrap();
            let both = rsa(&table, &coords, how, Tail::TwoSided, &set).unwrap();
            close(
                &[greater.value, greater.p, both.p],
                &["r", "p_greater", "p_two_sided"].map(|key| number(&expected[key])),
            );
        }
    }
}

#[test]
fn distance_correlations_are_those_of_dcor() {
    let fixture = fixture("dcor");
    for case in ["linear", "indep", "scalar", "n3"] {
        let (x, y) = (matrix(&fixture[case]["x"]), matrix(&fixture[case]["y"]));
        let got = dcor::dcor(x.view(), y.view()).unwrap();
        close(
            &[got.biased, got.bias_corrected],
            &["distance_correlation", "u_distance_correlation_sqr"].map(|key| number(&fixture[case][key])),
        );
    }
    // dcor gives 0 for a constant table, we say undefined; NaN input is an error.
    let case = &fixture["constant"];
    let got = dcor::dcor(matrix(&case["x"]).view(), matrix(&case["y"]).view()).unwrap();
    assert!(got.biased.is_nan() && got.bias_corrected.is_nan());
    let case = &fixture["nan"];
    assert!(dcor::dcor(matrix(&case["x"]).view(), matrix(&case["y"]).view()).is_err());
}

#[test]
fn principal_components_are_those_of_scikit_learn() {
    let fixture = fixture("pca");
    for case in ["tall", "wide", "const_col", "rank1"] {
        let expected = &fixture[case];
        let got = pca(matrix(&expected["X"]).view()).unwrap();
        close(&got.mean.to_vec(), &vector(&expected["mean"]));
        close(&got.variances.to_vec(), &vector(&expected["explained_variance"]));
        close(&got.ratios.to_vec(), &vector(&expected["explained_variance_ratio"]));
        let (components, scores) = (matrix(&expected["components"]), matrix(&expected["scores"]));
        // A component without variance has no direction of its own.
        for k in (0..got.variances.len()).filter(|&k| got.variances[k] > 1e-9) {
            close(&got.components.row(k).to_vec(), &components.row(k).to_vec());
            close(&got.scores.column(k).to_vec(), &scores.column(k).to_vec());
        }
    }
    let variances = vector(&fixture["tall"]["explained_variance"]);
    close(
        &[spectrum::participation_ratio(&variances), spectrum::effective_rank(&variances)],
        &["participation_ratio", "effective_rank_entropy"].map(|key| number(&fixture["tall"][key])),
    );
}

#[test]
fn procrustes_is_scipys_and_rotation_only_follows_its_definition() {
    let fixture = fixture("procrustes");
    for case in ["noisy", "exact", "reflection", "unrelated", "padded"] {
        let (a, b) = (matrix(&fixture[case]["a"]), matrix(&fixture[case]["b"]));
        let disparity = |how| procrustes(a.view(), b.view(), how).unwrap().disparity;
        close(
            &[disparity(Alignment::Orthogonal), disparity(Alignment::Rotation)],
            &["disparity", "disparity_rotation_only"].map(|key| number(&fixture[case][key])),
        );
        // scipy's mtx1 and mtx2 are the centred, scaled and aligned tables; padded has rank 2, so R is not
        // unique.
        if case != "padded" {
            let [a, b] = [a, b].map(|x| &x - &x.mean_axis(ndarray::Axis(0)).unwrap());
            let r = rotation(a.view(), b.view(), Alignment::Orthogonal).unwrap();
            close(
                &r.into_raw_vec_and_offset().0,
                &matrix(&fixture[case]["orthogonal_R"]).into_raw_vec_and_offset().0,
            );
        }
    }
    assert!(
        procrustes(
            Array2::ones((5, 3)).view(),
            Array2::eye(5).slice(ndarray::s![.., ..3]),
            Alignment::Orthogonal
        )
        .unwrap()
        .disparity
        .is_nan()
    );
    assert!(procrustes(Array2::eye(5).view(), Array2::eye(4).view(), Alignment::Orthogonal).is_err());
}

#[test]
fn pca_scores_align_with_coordinates_as_in_scipy() {
    let fixture = fixture("probe");
    let scores = pca(matrix(&fixture["pe"]).view()).unwrap().scores;
    let three = scores.slice(ndarray::s![.., ..3]);
    let got = procrustes(matrix(&fixture["coords"]).view(), three, Alignment::Orthogonal).unwrap();
    close(&[got.disparity], &[number(&fixture["pca3_procrustes_disparity"])]);
}

#[test]
fn benjamini_hochberg_is_scipys() {
    let fixture = fixture("probe");
    close(&inference::benjamini_hochberg(&vector(&fixture["bh"]["p"])), &vector(&fixture["bh"]["adjusted"]));
}
