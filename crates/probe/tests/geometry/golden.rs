//! Golden values for geometry: SciPy 1.17.1, scikit-learn 1.9.1, dcor 0.7 (NumPy 2.4.6); CKA from its
//! definitions. `geometry.json` is made by `geometry.py` beside it.

use crate::support::*;
use probe::cca::{cca, svcca};
use probe::cka::{Estimator, Gram, Kernel, cka};
use probe::dcor::{Centred, dcor, dcor_univariate};
use probe::mds::classical;
use probe::neighbours::{knn_overlap, trustworthiness};
use probe::pca::pca;
use probe::procrustes::{Alignment, Reduction, procrustes_reduced};
use probe::rdm::{Measure, Rdm};
use probe::spectrum;
use serde_json::Value;

fn centred(value: &Value) -> Centred {
    Centred::new(matrix(value).view()).unwrap()
}

#[test]
fn distance_covariance_and_t_test_are_those_of_dcor() {
    let fixture = fixture("dcor");
    for name in ["linear", "indep", "scalar"] {
        let case = &fixture[name];
        let (x, y) = (centred(&case["x"]), centred(&case["y"]));
        let (covariance, test) = (x.covariance(&y).unwrap(), x.t_test(&y).unwrap());
        let stats = vector(&case["distance_stats"]);
        close(
            &[covariance.biased, covariance.biased.sqrt(), covariance.unbiased],
            &["distance_covariance_sqr", "distance_covariance", "u_distance_covariance_sqr"]
                .map(|key| number(&case[key])),
        );
        let variance = |table: &Centred| table.covariance(table).unwrap().biased.sqrt();
        close(&[variance(&x), variance(&y)], &stats[2..]);
        close(
            &[test.statistic, test.p, test.degrees_of_freedom],
            &[
                number(&case["t_statistic"]),
                number(&case["t_test"]["pvalue"]),
                // The fixture's t_df is n(n-3)/2 - 1.
                number(&case["t_df"]),
            ],
        );
    }
    let case = &fixture["partial"];
    let partial = centred(&case["x"]).partial(&centred(&case["y"]), &centred(&case["z"])).unwrap();
    close(
        &[partial.covariance, partial.correlation],
        &["partial_distance_covariance", "partial_distance_correlation"].map(|key| number(&case[key])),
    );
}

#[test]
fn distance_correlation_of_ties_wide_tables_and_four_items_is_that_of_dcor() {
    let fixture = &fixture("geometry")["dcor"];
    for name in ["ties", "vectors", "wide", "n4"] {
        let case = &fixture[name];
        let (x, y) = (centred(&case["x"]), centred(&case["y"]));
        let expected = ["distance_correlation", "u_distance_correlation_sqr"].map(|key| number(&case[key]));
        let all_pairs = x.dcor(&y).unwrap();
        close(&[all_pairs.biased, all_pairs.bias_corrected], &expected);
        let chosen = dcor(matrix(&case["x"]).view(), matrix(&case["y"]).view()).unwrap();
        close(&[chosen.biased, chosen.bias_corrected], &expected);
        let (covariance, test) = (x.covariance(&y).unwrap(), x.t_test(&y).unwrap());
        close(
            &[covariance.biased, covariance.unbiased, test.statistic, test.p],
            &["distance_covariance_sqr", "u_distance_covariance_sqr", "t_statistic", "t_pvalue"]
                .map(|key| number(&case[key])),
        );
        if case["z"].is_array() {
            let partial = x.partial(&y, &centred(&case["z"])).unwrap();
            close(
                &[partial.covariance, partial.correlation],
                &["partial_distance_covariance", "partial_distance_correlation"]
                    .map(|key| number(&case[key])),
            );
        }
    }
    let ties = &fixture["ties"];
    let sorted = dcor_univariate(&vector(&ties["x"]), &vector(&ties["y"])).unwrap();
    close(&[sorted.biased], &[number(&ties["distance_correlation"])]);
}

#[test]
fn cka_follows_its_definitions() {
    let fixture_cka = fixture("cka");
    let [x, y, rotated] = ["X", "Y", "rotated_Y"].map(|key| matrix(&fixture_cka[key]));
    let one = Kernel::Rbf { fraction: 1.0 };
    let of = |kernel, estimator| cka(x.view(), y.view(), kernel, estimator).unwrap();
    close(
        &[
            of(Kernel::Linear, Estimator::Biased),
            of(Kernel::Linear, Estimator::Unbiased),
            of(one, Estimator::Biased),
            cka(x.view(), rotated.view(), Kernel::Linear, Estimator::Biased).unwrap(),
        ],
        &["linear_biased", "linear_unbiased", "rbf_median1_biased", "linear_biased_rotated"]
            .map(|key| number(&fixture_cka[key])),
    );
    let [k, l] = [&x, &y].map(|table| Gram::new(table.view(), Kernel::Linear).unwrap());
    close(
        &[
            k.hsic(&l, Estimator::Biased).unwrap(),
            k.hsic(&l, Estimator::Unbiased).unwrap(),
            // Between kernels instead of features.
            k.cka(&l, Estimator::Biased).unwrap(),
        ],
        &["hsic_biased_linear", "hsic_unbiased_linear", "linear_feature_space"]
            .map(|key| number(&fixture_cka[key])),
    );

    let wide = &fixture("geometry")["cka"];
    let (x, y) = (matrix(&wide["x"]), matrix(&wide["y"]));
    let half = Kernel::Rbf { fraction: 0.5 };
    let of = |kernel, estimator| cka(x.view(), y.view(), kernel, estimator).unwrap();
    close(
        &[
            of(Kernel::Linear, Estimator::Biased),
            of(Kernel::Linear, Estimator::Unbiased),
            of(half, Estimator::Biased),
            of(half, Estimator::Unbiased),
        ],
        &["linear_biased", "linear_unbiased", "rbf_half_biased", "rbf_half_unbiased"]
            .map(|key| number(&wide[key])),
    );
}

#[test]
fn classical_scaling_is_scikit_learns() {
    let fixture = &fixture("geometry")["mds"];
    for name in ["euclidean", "city_block"] {
        let case = &fixture[name];
        let rdm = Rdm::from_condensed(12, vector(&case["distances"]), Measure::Euclidean).unwrap();
        let expected = matrix(&case["coordinates"]);
        let got = classical(&rdm, expected.ncols()).unwrap();
        close(&got.eigenvalues.to_vec(), &vector(&case["eigenvalues"]));
        close(&got.eigenvalues.to_vec()[..expected.ncols()], &vector(&case["leading"]));
        for (mine, theirs) in got.coordinates.columns().into_iter().zip(expected.columns()) {
            // Whose sign is chosen how differs; each is one of two.
            let sign = mine.dot(&theirs).signum();
            close(&mine.to_vec(), &(&theirs * sign).to_vec());
        }
        let all: f64 = got.eigenvalues.iter().map(|v| v.abs()).sum();
        close(&[got.goodness], &[vector(&case["leading"]).iter().sum::<f64>() / all]);
    }
}

#[test]
fn neighbours_are_those_of_scikit_learn_and_a_stable_sort() {
    let probe = fixture("probe");
    let (coords, table) = (matrix(&probe["coords"]), matrix(&probe["pe"]));
    close(
        &[
            knn_overlap(coords.view(), table.view(), 2).unwrap(),
            trustworthiness(coords.view(), table.view(), 2).unwrap(),
        ],
        &["knn2_overlap", "sklearn_trustworthiness_k2"].map(|key| number(&probe[key])),
    );
    let fixture = &fixture("geometry")["neighbours"];
    let (x, y) = (matrix(&fixture["x"]), matrix(&fixture["y"]));
    for k in [1usize, 3, 5] {
        let key = k.to_string();
        close(
            &[
                trustworthiness(x.view(), y.view(), k).unwrap(),
                trustworthiness(y.view(), x.view(), k).unwrap(),
                knn_overlap(x.view(), y.view(), k).unwrap(),
            ],
            &["trustworthiness", "continuity", "overlap"].map(|name| number(&fixture[name][&key])),
        );
    }
    close(&[knn_overlap(x.view(), y.view(), 11).unwrap()], &[number(&fixture["overlap"]["11"])]);
}

#[test]
fn canonical_correlations_are_the_cosines_of_scipys_angles() {
    let fixture_all = fixture("geometry");
    let fixture = &fixture_all["cca"];
    let (x, y) = (matrix(&fixture["x"]), matrix(&fixture["y"]));
    let got = cca(x.view(), y.view()).unwrap();
    let expected = vector(&fixture["correlations"]);
    close(&got.correlations, &expected);
    close(&[got.mean], &[mean(&expected)]);
    let (table, coords) = (matrix(&fixture_all["decode"]["table"]), matrix(&fixture_all["decode"]["coords"]));
    close(&svcca(table.view(), coords.view(), 0.9).unwrap().correlations, &vector(&fixture["svcca_90"]));
}

#[test]
fn procrustes_to_fewer_dimensions_is_that_of_the_parts() {
    let fixture = fixture("geometry");
    let (table, coords) = (matrix(&fixture["decode"]["table"]), matrix(&fixture["decode"]["coords"]));
    let disparity = |reduction| {
        procrustes_reduced(coords.view(), table.view(), reduction, Alignment::Orthogonal).unwrap().disparity
    };
    close(
        &[
            disparity(Reduction::Pca),
            disparity(Reduction::Regression { alpha: 0.0 }),
            disparity(Reduction::Regression { alpha: 2.5 }),
        ],
        &["pca", "least_squares", "ridge_2_5"].map(|key| number(&fixture["procrustes_reduced"][key])),
    );
    let probe = crate::support::fixture("probe");
    let (coords, table) = (matrix(&probe["coords"]), matrix(&probe["pe"]));
    let by_pca =
        procrustes_reduced(coords.view(), table.view(), Reduction::Pca, Alignment::Orthogonal).unwrap();
    close(&[by_pca.disparity], &[number(&probe["pca3_procrustes_disparity"])]);
    close(&pca(table.view()).unwrap().ratios.to_vec(), &vector(&probe["pca_evr"]));
}

/// scikit-learn's singular values are of the centred table.
#[test]
fn singular_values_and_counts_are_those_of_scikit_learn() {
    let fixture = fixture("pca");
    for name in ["tall", "wide", "const_col", "rank1"] {
        let x = matrix(&fixture[name]["X"]);
        let centred = &x - &x.mean_axis(ndarray::Axis(0)).unwrap();
        let got = spectrum::singular_values(centred.view()).unwrap();
        close(&got.to_vec(), &vector(&fixture[name]["singular_values"]));
    }
    let tall = pca(matrix(&fixture["tall"]["X"]).view()).unwrap();
    let whitened = &tall.scores / &tall.variances.mapv(f64::sqrt);
    close_tables(&whitened, &matrix(&fixture["tall"]["whiten_scores"]));
}
