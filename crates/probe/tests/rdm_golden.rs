//! RDMs against rsatoolbox 0.3.2, SciPy 1.17.1 and scikit-learn 1.9.1, to 1e-10 (`fixtures/make_rsa_more.py`).

#[path = "support/fixture.rs"]
mod fixture;

use fixture::{close, fixture, integers, matrix, near, vector};
use ndarray::Array2;
use probe::rdm::{Measure, Missing, NoiseCovariance, Rdm, Shrinkage, centre_rows, condition_means};

const SHRINKAGES: [(Shrinkage, &str); 4] = [
    (Shrinkage::None, "full"),
    (Shrinkage::Univariate, "diag"),
    (Shrinkage::TowardsIdentity, "shrinkage_eye"),
    (Shrinkage::TowardsDiagonal, "shrinkage_diag"),
];

/// rsatoolbox divides by the number of channels.
fn per_channel(rdm: Rdm, channels: usize) -> Vec<f64> {
    rdm.scaled(1.0 / channels as f64).unwrap().values().to_vec()
}

fn flat(x: Array2<f64>) -> Vec<f64> {
    x.iter().copied().collect()
}

#[test]
fn mahalanobis_with_a_known_precision() {
    let rsa = fixture("rsa");
    let (x, precision) = (matrix(&rsa["patterns"]), matrix(&rsa["precision"]));
    let noise = NoiseCovariance::from_precision(precision.view()).unwrap();
    let squared = Rdm::squared_mahalanobis(x.view(), &noise).unwrap();
    assert_eq!(squared.measure(), Measure::SquaredMahalanobis);
    close(&per_channel(squared, 5), &vector(&rsa["rdm"]["mahalanobis"]));
    let same = NoiseCovariance::given(noise.covariance()).unwrap();
    close(
        &per_channel(Rdm::squared_mahalanobis(x.view(), &same).unwrap(), 5),
        &vector(&rsa["rdm"]["mahalanobis"]),
    );
}

#[test]
fn covariances_are_those_of_rsatoolbox() {
    let noise = &fixture("rsa_more")["noise"];
    let (residuals, patterns) = (matrix(&noise["residuals"]), matrix(&noise["patterns"]));
    for (shrinkage, name) in SHRINKAGES {
        let estimate = |freedom| NoiseCovariance::estimate(residuals.view(), freedom, shrinkage).unwrap();
        let found = estimate(None);
        close(&flat(found.covariance().to_owned()), &flat(matrix(&noise["covariance"][name])));
        let with_freedom = estimate(Some(9)).covariance().to_owned();
        close(&flat(with_freedom), &flat(matrix(&noise["covariance_dof"][name])));
        let squared = Rdm::squared_mahalanobis(patterns.view(), &found).unwrap();
        close(&per_channel(squared, 5), &vector(&noise["squared"][name]));
    }
    let full = NoiseCovariance::estimate(residuals.view(), None, Shrinkage::None).unwrap();
    let plain = Rdm::mahalanobis(patterns.view(), &full).unwrap();
    close(plain.values(), &vector(&noise["scipy_mahalanobis_full"]));
}

#[test]
fn fewer_residuals_than_channels_need_shrinkage() {
    let noise = &fixture("rsa_more")["noise"];
    let wide = matrix(&noise["wide"]);
    for (shrinkage, name) in &SHRINKAGES[2..] {
        let found = NoiseCovariance::estimate(wide.view(), None, *shrinkage).unwrap();
        close(&flat(found.covariance().to_owned()), &flat(matrix(&noise["wide_covariance"][name])));
    }
    let refused = NoiseCovariance::estimate(wide.view(), None, Shrinkage::None).unwrap_err().to_string();
    assert!(refused.contains("shrinkage"), "{refused}");
}

#[test]
fn crossnobis_of_balanced_and_unbalanced_runs() {
    let rsa = fixture("rsa");
    let repeated = &rsa["repeated"];
    let x = matrix(&repeated["measurements"]);
    let (conditions, runs) = (integers(&repeated["cond"]), integers(&repeated["run"]));
    let precision = NoiseCovariance::from_precision(matrix(&rsa["precision"]).view()).unwrap();
    for (noise, name) in [(None, "crossnobis_identity"), (Some(&precision), "crossnobis_precision")] {
        let found = Rdm::crossnobis(x.view(), &conditions, &runs, noise).unwrap();
        assert_eq!((found.measure(), found.labels()[6].as_str()), (Measure::Crossnobis, "6"));
        close(&per_channel(found, 5), &vector(&repeated["rdm"][name]));
    }
    let means = condition_means(x.view(), &conditions).unwrap().means;
    let squared = Rdm::of_rows(means.view(), Measure::SquaredEuclidean).unwrap();
    close(&per_channel(squared, 5), &vector(&repeated["rdm"]["euclidean"]));
    let correlation = Rdm::of_rows(means.view(), Measure::Correlation).unwrap();
    close(correlation.values(), &vector(&repeated["rdm"]["correlation"]));

    let unbalanced = &fixture("rsa_more")["crossnobis"];
    let x = matrix(&unbalanced["measurements"]);
    let (conditions, runs) = (integers(&unbalanced["condition"]), integers(&unbalanced["run"]));
    let noise =
        NoiseCovariance::from_measurements(x.view(), &conditions, Shrinkage::TowardsDiagonal).unwrap();
    close(&flat(noise.covariance().to_owned()), &flat(matrix(&unbalanced["covariance"])));
    for (noise, name) in [(None, "identity"), (Some(&noise), "shrinkage_diag")] {
        let found = Rdm::crossnobis(x.view(), &conditions, &runs, noise).unwrap();
        close(&per_channel(found, 6), &vector(&unbalanced["rdm"][name]));
    }
}

#[test]
fn row_means_can_be_removed() {
    let rsa = fixture("rsa");
    let centred = centre_rows(matrix(&rsa["patterns"]).view());
    let squared = Rdm::of_rows(centred.view(), Measure::SquaredEuclidean).unwrap();
    close(&per_channel(squared, 5), &vector(&rsa["rdm"]["euclidean_remove_mean"]));
}

#[test]
fn missing_cells_are_refused_passed_on_or_left_out_by_pair() {
    let rsa = fixture("rsa");
    let nan = &rsa["nan_entry"];
    let patterns = matrix(&nan["patterns"]);
    let of = |measure, missing| Rdm::of_rows_with(patterns.view(), measure, missing);
    let squared = of(Measure::SquaredEuclidean, Missing::Propagate).unwrap();
    close(&per_channel(squared, 5), &vector(&nan["rdm"]["euclidean"]));
    let correlation = of(Measure::Correlation, Missing::Propagate).unwrap();
    close(correlation.values(), &vector(&nan["rdm"]["correlation"]));
    assert!(of(Measure::Cosine, Missing::Refuse).unwrap_err().to_string().contains("row 2, column 1"));

    let missing = &fixture("rsa_more")["missing"];
    let x = matrix(&missing["x"]);
    let of = |measure| Rdm::of_rows_with(x.view(), measure, Missing::PairwiseComplete).unwrap();
    close(of(Measure::Euclidean).values(), &vector(&missing["euclidean"]));
    let squared: Vec<f64> = vector(&missing["euclidean"]).iter().map(|v| v * v).collect();
    close(of(Measure::SquaredEuclidean).values(), &squared);
    close(of(Measure::Correlation).values(), &vector(&missing["correlation"]));
    close(of(Measure::Cosine).values(), &vector(&missing["cosine"]));
}

#[test]
fn large_tables_are_those_of_scipy() {
    let large = &fixture("rsa_more")["large"];
    let mut x = Array2::from_shape_fn((300, 40), |(i, k)| {
        ((i * 7919 + k * 104_729 + i * i * k) % 1009) as f64 / 100.0
    });
    let near_duplicate: Vec<f64> = (0..40).map(|k| x[[203, k]] + 1e-7 * (k % 3) as f64).collect();
    x.row_mut(17).iter_mut().zip(near_duplicate).for_each(|(value, near)| *value = near);
    let at = integers(&large["at"]);
    for (measure, name) in [
        (Measure::Euclidean, "euclidean"),
        (Measure::SquaredEuclidean, "sqeuclidean"),
        (Measure::Cosine, "cosine"),
        (Measure::Correlation, "correlation"),
    ] {
        let rdm = Rdm::of_rows(x.view(), measure).unwrap();
        let got: Vec<f64> = at.iter().map(|&k| rdm.values()[k]).collect();
        close(&got, &vector(&large[name]));
        if measure == Measure::Euclidean {
            // The near-duplicate, relative to its own size of 8e-7.
            let pair = 17 * (600 - 17 - 1) / 2 + 203 - 17 - 1;
            let expected = vector(&large[name])[at.iter().position(|&k| k == pair).unwrap()];
            near(&[rdm.get(17, 203).unwrap() / expected], &[1.0], 1e-12);
        }
    }
}

/// rsatoolbox computes |x|² + |y|² - 2xy there and gets 1.8e-16 instead of 0.
#[test]
fn identical_rows_are_at_distance_zero() {
    let same = &fixture("rsa")["all_identical"];
    let x = matrix(&same["patterns"]);
    for (measure, name) in [(Measure::SquaredEuclidean, "euclidean"), (Measure::Correlation, "correlation")] {
        let rdm = Rdm::of_rows(x.view(), measure).unwrap();
        near(rdm.values(), &vector(&same["rdm"][name]), 1e-15);
    }
    assert!(Rdm::of_rows(x.view(), Measure::Euclidean).unwrap().values().iter().all(|&v| v == 0.0));
}
