//! `probe claims` on synthetic runs whose truth is known, judged by the project's own claims.toml.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use support::{SyntheticRun, claims, probe};

/// The project's claims.
const CLAIMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/claims.toml");

/// Runs of the arms of the first claims: small σ good, large σ bad, the oracle between in speed.
fn arms(root: &Path, seeds: std::ops::Range<u64>, adapt: impl Fn(&mut SyntheticRun)) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for seed in seeds {
        // A little of each seed's own, so that differences have a spread.
        let own = 0.002 * (seed % 5) as f64;
        for (arm, accuracy, geometry) in
            [("learn-0.2", 0.95, 0.5), ("learn-2.0", 0.4, 0.0), ("2d-fixed", 0.92, 0.0)]
        {
            let mut run = SyntheticRun { accuracy: accuracy + own, geometry, ..SyntheticRun::new(arm, seed) };
            adapt(&mut run);
            run.accuracy += if arm == "learn-2.0" { own } else { 0.0 };
            dirs.push(run.probed(root));
        }
    }
    dirs
}

#[test]
fn few_seeds_agree_so_far_without_a_p() {
    let root = tempfile::tempdir().unwrap();
    let (claims, text) = claims(&arms(root.path(), 0..3, |_| ()), root.path());
    assert_eq!(claims.keys().filter(|id| id.starts_with("lst.")).count(), 6);
    for id in ["lst.learns-sooner", "lst.generalizes", "lst.near-oracle", "lst.geometry"] {
        let claim = &claims[id];
        assert_eq!((&claim["verdict"], &claim["n"]), (&"agrees so far".into(), &3.into()), "{claim}");
        assert!(claim["p"].is_null() && claim["interval"].is_null() && claim["value"].is_number());
        for contrast in claim["detail"]["contrasts"].as_array().unwrap() {
            assert!(contrast["p"].is_null() && contrast["interval"].is_null());
        }
    }
    assert!(text.contains("agrees so far (3)"), "{text}");
    let lines: Vec<usize> = text
        .lines()
        .filter(|line| line.starts_with("lst."))
        .filter_map(|line| line.find("judged at").or(line.find("agrees")))
        .collect();
    assert_eq!(lines.len(), 6);
}

#[test]
fn six_seeds_reproduce_with_the_exact_p_and_an_interval() {
    let root = tempfile::tempdir().unwrap();
    let (claims, _) = claims(&arms(root.path(), 0..6, |_| ()), root.path());
    for id in ["lst.learns-sooner", "lst.generalizes", "lst.geometry"] {
        assert_eq!(claims[id]["verdict"], "reproduced", "{}", claims[id]);
        // All six seeds agree: 2 of 64 sign patterns.
        assert_eq!(claims[id]["p"], 2.0 / 64.0);
        assert_eq!(claims[id]["interval"]["method"], "student-t");
        assert!(claims[id]["interval"]["low"].as_f64().unwrap() > 0.0);
    }
    let generalizes = &claims["lst.generalizes"];
    // 0.95 - 0.4 - own, own the mean of 0.002·(0, 1, 2, 3, 4, 0).
    assert!((generalizes["value"].as_f64().unwrap() - (0.55 - 0.02 / 6.0)).abs() < 1e-9, "{generalizes}");
    assert_eq!(generalizes["detail"]["contrasts"][0]["matched"], true);
    // 19 or 20 of 36 puzzles tell the arms apart: ±1.96 standard errors of 0.083, give or take.
    let by_puzzle = &generalizes["detail"]["contrasts"][0]["interval_by_puzzle"];
    let bound = |end: &str| by_puzzle[end].as_f64().unwrap();
    assert_eq!(by_puzzle["method"], "bootstrap-by-puzzle");
    assert!(bound("low") < 0.55 && 0.55 < bound("high"), "{by_puzzle}");
    assert!((bound("high") - bound("low") - 2.0 * 1.96 * 0.083).abs() < 0.06, "{by_puzzle}");
    assert_eq!(claims["lst.near-oracle"]["verdict"], "reproduced");
    // The least favourable of two controls is the oracle, 0.03 away at the end and 0.625 of that on average.
    let sooner = &claims["lst.learns-sooner"];
    assert!((sooner["value"].as_f64().unwrap() - 0.03 * 0.625).abs() < 1e-9, "{sooner}");
    assert_eq!(sooner["detail"]["contrasts"][1]["control"], "2d-fixed");
    // Secondary figures carry corrected p values, no smaller than their own.
    let contrasts = claims["lst.geometry"]["detail"]["contrasts"].as_array().unwrap();
    for contrast in contrasts.iter().filter(|c| c["role"] == "secondary" && c["n"] == 6) {
        assert!(contrast["p_adjusted"].as_f64().unwrap() >= contrast["p"].as_f64().unwrap());
    }
}

#[test]
fn the_other_way_round_is_not_reproduced() {
    let root = tempfile::tempdir().unwrap();
    let swap = |run: &mut SyntheticRun| {
        if run.arm == "learn-0.2" {
            (run.accuracy, run.geometry) = (0.3, 0.0);
        }
    };
    let dirs = arms(root.path(), 0..6, swap);
    let (judged, _) = claims(&dirs, root.path());
    for id in ["lst.learns-sooner", "lst.generalizes", "lst.near-oracle"] {
        assert_eq!(judged[id]["verdict"], "not reproduced", "{}", judged[id]);
        assert!(judged[id]["value"].as_f64().unwrap() < 0.0, "{}", judged[id]);
    }
    // Neither arm has a geometry: the difference points somewhere, and not surely.
    let geometry = &judged["lst.geometry"];
    assert_eq!(geometry["verdict"], "undecided", "{geometry}");
    assert!(geometry["p"].as_f64().unwrap() > 0.05, "{geometry}");
    let (few, _) = claims(&dirs[..9], root.path());
    for id in ["lst.learns-sooner", "lst.generalizes", "lst.near-oracle"] {
        assert_eq!(few[id]["verdict"], "disagrees so far", "{}", few[id]);
    }
}

/// Surely worse than one control and, for the most part, far better than the other: the figure is the bad one.
#[test]
fn a_control_that_speaks_against_the_claim_is_not_hidden_by_one_that_is_unsure() {
    let root = tempfile::tempdir().unwrap();
    let mixed = |run: &mut SyntheticRun| {
        run.accuracy = match (run.arm.as_ref(), run.seed) {
            ("learn-0.2", _) | ("2d-fixed", 5) => 0.6,
            ("2d-fixed", _) => 0.1,
            _ => 0.7,
        };
    };
    let (judged, _) = claims(&arms(root.path(), 0..6, mixed), root.path());
    let sooner = &judged["lst.learns-sooner"];
    assert_eq!(sooner["verdict"], "not reproduced", "{sooner}");
    assert!(sooner["value"].as_f64().unwrap() < 0.0 && sooner["p"] == 2.0 / 64.0, "{sooner}");
}

#[test]
fn a_quick_run_judges_speed_alone_and_labels_the_raw_contrast() {
    let root = tempfile::tempdir().unwrap();
    let quick = |run: &mut SyntheticRun| {
        run.scale = "quick";
        run.train_accuracy = if run.arm == "learn-2.0" { 0.4 } else { 1.0 };
    };
    let (claims, _) = claims(&arms(root.path(), 0..2, quick), root.path());
    assert_eq!(claims["lst.learns-sooner"]["verdict"], "agrees so far");
    let generalizes = &claims["lst.generalizes"];
    assert_eq!(generalizes["verdict"], "not judged at this scale");
    assert!(generalizes["value"].as_f64().unwrap() > 0.5);
    assert_eq!(generalizes["detail"]["contrasts"][0]["matched"], false);
    let reason = generalizes["reason"].as_str().unwrap();
    assert!(reason.contains("needs scale standard") && reason.contains("unmatched"), "{reason}");
    for id in ["lst.near-oracle", "lst.geometry", "lst.attention-predicts", "lst.procrustes-predicts"] {
        assert_eq!(claims[id]["verdict"], "not judged at this scale", "{id}");
    }
}

/// Enough seeds at a sufficient scale, but one run has not learned its training items.
#[test]
fn unmatched_training_fit_is_not_judged_at_any_scale() {
    let root = tempfile::tempdir().unwrap();
    let unfit = |run: &mut SyntheticRun| {
        if run.arm == "learn-2.0" && run.seed == 3 {
            run.train_accuracy = 0.97;
        }
    };
    let (claims, _) = claims(&arms(root.path(), 0..6, unfit), root.path());
    let generalizes = &claims["lst.generalizes"];
    assert_eq!(generalizes["verdict"], "not judged at this scale");
    assert!(generalizes["reason"].as_str().unwrap().contains("5 of 6 pairs"), "{generalizes}");
    assert!(generalizes["p"].is_null() && generalizes["detail"]["contrasts"][0]["p"].is_null());
    assert_eq!(claims["lst.near-oracle"]["verdict"], "reproduced");
}

/// A geometry claim says that the treatment has more of it than the control: whether the control has any stands beside.
#[test]
fn the_control_of_a_geometry_claim_has_its_own_value_beside() {
    let file = probe::claims::ClaimsFile::read(Path::new(CLAIMS)).unwrap();
    let of_geometry =
        |claim: &&probe::claims::Claim| matches!(claim.rule, probe::claims::Rule::Geometry { .. });
    let statements: Vec<&str> = file.claim.iter().filter(of_geometry).map(|c| c.statement.as_str()).collect();
    assert!(statements.len() >= 8, "{statements:?}");
    assert!(statements.iter().all(|text| text.ends_with(", and more so than one that starts large.")));

    let root = tempfile::tempdir().unwrap();
    let some = |run: &mut SyntheticRun| run.geometry = if run.arm == "learn-2.0" { 8.0 } else { 0.5 };
    let (judged, _) = claims(&arms(root.path(), 0..6, some), root.path());
    let contrasts = judged["lst.geometry"]["detail"]["contrasts"].as_array().unwrap();
    let own = |c: &&serde_json::Value| {
        c["treatment"] == "learn-2.0"
            && c["control"].is_null()
            && c["metric"].as_str().unwrap().contains("(final)")
    };
    let found: Vec<_> = contrasts.iter().filter(own).collect();
    let [control] = found.as_slice() else { panic!("{contrasts:?}") };
    assert_eq!((&control["role"], &control["n"]), (&"secondary".into(), &6.into()));
    assert!(control["mean"].as_f64().unwrap() > 0.1 && control["p"] == 2.0 / 64.0, "{control}");
    assert!(
        control["interval"]["low"].as_f64().unwrap() > 0.0 && control["p_adjusted"].is_number(),
        "{control}"
    );
}

/// Holm (1979) by hand: of m claims whose p are all 2/64, m times that; verdicts are not touched by it. Claims without a p
/// are no tries.
#[test]
fn p_adjusted_for_several_claims_stands_beside_the_verdict() {
    let root = tempfile::tempdir().unwrap();
    let dirs = arms(root.path(), 0..6, |_| ());
    let (judged, text) = claims(&dirs, root.path());
    let with_p: BTreeSet<&str> =
        judged.iter().filter(|(_, claim)| claim["p"].is_number()).map(|(id, _)| id.as_str()).collect();
    let expected = ["lst.generalizes", "lst.geometry", "lst.learns-sooner", "lst.near-oracle"];
    assert!(with_p.iter().eq(&expected), "{with_p:?}");
    for id in with_p {
        assert_eq!(judged[id]["holm"], serde_json::json!({"p": 4.0 * 2.0 / 64.0, "claims": 4}), "{id}");
        assert_eq!(judged[id]["verdict"], "reproduced");
    }
    assert!(judged["lst.attention-predicts"]["holm"].is_null());
    assert!(text.contains("p (Holm)") && text.contains("0.125"), "{text}");
    // The same as JSON on standard output.
    let done = probe().arg("claims").args(&dirs).args(["--claims", CLAIMS, "--out", "-"]).assert().success();
    let printed: Vec<serde_json::Value> = serde_json::from_slice(&done.get_output().stdout).unwrap();
    assert_eq!(printed.len(), judged.len());
    assert!(printed.iter().all(|one| judged[one["id"].as_str().unwrap()] == *one));
}

/// The large-σ table hides what its change carries.
#[test]
fn masked_geometry_is_told_from_unlearned_geometry() {
    let root = tempfile::tempdir().unwrap();
    let masked = |run: &mut SyntheticRun| run.geometry = 0.5;
    let (claims, _) = claims(&arms(root.path(), 0..6, masked), root.path());
    let geometry = &claims["lst.geometry"];
    assert!(geometry["reason"].as_str().unwrap().contains("masked, not unlearned"), "{geometry}");
    let own = |metric: &str, arm: &str| {
        let contrasts = geometry["detail"]["contrasts"].as_array().unwrap();
        let found = contrasts.iter().find(|c| {
            c["metric"].as_str().unwrap().contains(metric) && c["treatment"] == arm && c["control"].is_null()
        });
        found.unwrap()["mean"].as_f64().unwrap()
    };
    assert!(own("table all (change)", "learn-2.0") > 0.5);
    assert!(own("table all (masked)", "learn-0.2") < own("table all (final)", "learn-0.2"));
}

#[test]
fn different_epochs_and_missing_arms_are_named() {
    let root = tempfile::tempdir().unwrap();
    let longer = |run: &mut SyntheticRun| run.epochs = if run.arm == "2d-fixed" { 5 } else { 4 };
    let dirs = arms(root.path(), 0..2, longer);
    let (judged, _) = claims(&dirs, root.path());
    let sooner = &judged["lst.learns-sooner"];
    assert_eq!(sooner["verdict"], "not judged at this scale");
    assert!(sooner["reason"].as_str().unwrap().contains("differ in epochs: 4 and 5"), "{sooner}");
    // Without the oracle and the large σ.
    let (judged, _) = claims(&[dirs[0].clone(), dirs[3].clone()], root.path());
    let reason = judged["lst.learns-sooner"]["reason"].as_str().unwrap();
    assert!(reason.contains("missing: runs of `2d-fixed`, `learn-2.0`"), "{reason}");
    assert!(
        judged["lst.attention-predicts"]["reason"].as_str().unwrap().contains("5 values of sigma, got 1")
    );
}

fn over_sigma(root: &Path, seeds: u64, sigmas: &[f64]) -> Vec<PathBuf> {
    let mut dirs = Vec::new();
    for seed in 0..seeds {
        for &sigma in sigmas {
            // Accuracy falls with σ; the norm-bound distance rises with it whatever was learned.
            let accuracy = 0.95 - 0.2 * sigma - 0.001 * seed as f64;
            let run = SyntheticRun {
                accuracy,
                attention: 2.0 - 0.5 * sigma,
                ..SyntheticRun::new(&format!("learn-{sigma:?}"), seed)
            };
            dirs.push(run.probed(root));
        }
    }
    dirs
}

#[test]
fn correlations_over_sigma_are_judged_by_seed() {
    let root = tempfile::tempdir().unwrap();
    let dirs = over_sigma(root.path(), 6, &[0.1, 0.5, 1.0, 1.5, 2.0]);
    let (judged, _) = claims(&dirs, root.path());
    let procrustes = &judged["lst.procrustes-predicts"];
    assert_eq!((&procrustes["verdict"], &procrustes["n"]), (&"reproduced".into(), &6.into()), "{procrustes}");
    assert!((procrustes["value"].as_f64().unwrap() + 1.0).abs() < 1e-9);
    assert_eq!(procrustes["p"], 2.0 / 64.0);
    assert_eq!(procrustes["interval"]["method"], "bootstrap-by-seed");
    let primary = &procrustes["detail"]["over_sigma"][0];
    assert_eq!(primary["points"].as_array().unwrap().len(), 5);
    // σ alone predicts as well: the reader is told.
    assert!((primary["rho_of_sigma"].as_f64().unwrap() + 1.0).abs() < 1e-9);
    // So does the size of the table, which orders the values of σ just as the distance does: beyond it nothing is left
    // to tell. Over runs, where seeds differ, it is the partial correlation of ranks.
    assert!(primary["rho_of_means_beyond_norm"].is_null(), "{primary}");
    let sizes: Vec<f64> =
        primary["points"].as_array().unwrap().iter().map(|point| point["rms"].as_f64().unwrap()).collect();
    assert!(sizes.is_sorted() && sizes[0] > 0.0, "{sizes:?}");
    assert!(primary["rho_of_runs_beyond_norm"].as_f64().unwrap().abs() < 1.0);
    assert!(judged["lst.attention-predicts"]["value"].as_f64().unwrap() > 0.8);
    let (few, _) = claims(&dirs[..10], root.path());
    assert_eq!(few["lst.procrustes-predicts"]["verdict"], "agrees so far");
    assert!(few["lst.procrustes-predicts"]["p"].is_null());
    let (narrow, _) = claims(&dirs[..4], root.path());
    let narrow = &narrow["lst.procrustes-predicts"];
    assert!(narrow["reason"].as_str().unwrap().contains("got 4") && narrow["value"].is_null(), "{narrow}");
}

/// Small σ good, but a neighbour of it best and the middle worst: Spearman correlations of 0.7 in every seed, below the
/// bound of 0.8 and surely above 0. They point the claim's way, so that the claim is neither met nor contradicted.
#[test]
fn a_correlation_below_the_bound_that_points_the_right_way_is_undecided() {
    let root = tempfile::tempdir().unwrap();
    let runs = |direction: f64| -> Vec<PathBuf> {
        let run = |seed: u64, (rank, (sigma, place)): (usize, (f64, u32))| {
            let accuracy = 0.5 + 0.05 * f64::from(place) - 0.001 * seed as f64;
            // Attention falls with σ, or rises with it.
            let attention = 1.5 - direction * 0.25 * (rank as f64 - 2.0);
            let arm = format!("learn-{sigma:?}");
            let run = SyntheticRun { accuracy, attention, ..SyntheticRun::new(&arm, seed) };
            run.probed(&root.path().join(if direction > 0.0 { "falls" } else { "rises" }))
        };
        // Squared differences of ranks from 5, 4, 3, 2, 1: 0 + 4 + 1 + 1 + 0.
        let places = [(0.1, 5), (0.5, 2), (1.0, 4), (1.5, 3), (2.0, 1)];
        (0..6)
            .flat_map(|seed| places.into_iter().enumerate().map(move |place| (seed, place)))
            .map(|(seed, place)| run(seed, place))
            .collect()
    };
    let (dirs, id) = (runs(1.0), "lst.attention-predicts");
    let (judged, _) = claims(&dirs, root.path());
    let claim = &judged[id];
    assert!((claim["value"].as_f64().unwrap() - 0.7).abs() < 1e-9 && claim["p"] == 2.0 / 64.0, "{claim}");
    assert_eq!(claim["verdict"], "undecided");
    let (few, _) = claims(&dirs[..10], root.path());
    assert_eq!(few[id]["verdict"], "agrees so far", "{}", few[id]);
    let (judged, _) = claims(&runs(-1.0), root.path());
    assert!((judged[id]["value"].as_f64().unwrap() + 0.7).abs() < 1e-9, "{}", judged[id]);
    assert_eq!(judged[id]["verdict"], "not reproduced");
}

fn refused(dirs: &[&Path], claims_file: &Path, words: &[&str]) {
    let out = claims_file.with_file_name("refused.json");
    let mut command = probe();
    command.arg("claims").args(dirs).arg("--claims").arg(claims_file).arg("--out").arg(&out);
    let done = command.assert().code(2);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    for word in words {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    assert!(!out.exists());
}

#[test]
fn runs_that_do_not_belong_together_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let file = root.path().join("claims.toml");
    std::fs::copy(CLAIMS, &file).unwrap();
    let run = SyntheticRun::new("learn-0.2", 1);
    let a = run.probed(root.path());
    let again = SyntheticRun { extra: "-again".into(), ..run.clone() }.probed(root.path());
    refused(&[&a, &again], &file, &["arm `learn-0.2`, seed 1", "one config", "learn-0.2-1-again"]);
    let unprobed = SyntheticRun::new("learn-0.2", 2).write(root.path());
    refused(&[&a, &unprobed], &file, &["probe.json", "run `probe run"]);
    let quick = SyntheticRun { scale: "quick", ..SyntheticRun::new("learn-0.2", 3) }.probed(root.path());
    refused(&[&a, &quick], &file, &["`paper`", "`quick`", "--scale"]);
    let stale = SyntheticRun::new("learn-0.2", 4).probed(root.path());
    let manifest = std::fs::read_to_string(stale.join("manifest.json")).unwrap();
    std::fs::write(stale.join("manifest.json"), manifest.replace("hash-", "other-")).unwrap();
    refused(&[&stale], &file, &["config_hash", "again"]);
    // The same run twice counts once; --scale passes over the others.
    let out = root.path().join("out.json");
    let mut command = probe();
    command.args(["claims", "--scale", "paper", "--out"]).arg(&out).arg("--claims").arg(&file);
    command.args([&a, &a, &quick]).assert().success();
}

#[test]
fn claims_that_make_no_sense_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let run = SyntheticRun::new("learn-0.2", 1).probed(root.path());
    let text = std::fs::read_to_string(CLAIMS).unwrap();
    let file = root.path().join("claims.toml");
    let cases = [
        ("schema = 1", "schema = 3", "schema"),
        ("direction = \"greater\"", "direction = \"up\"", "up"),
        ("margin = 0.10", "margin = 0.0", "margin above 0"),
        ("margin = 0.10", "margins = 0.10", "margin"),
        ("fewest_sigmas = 5", "fewest_sigmas = 3", "at least 5"),
        ("at_least = 0.8", "at_least = 8", "from 0 to 1"),
        ("id = \"lst.generalizes\"", "id = \"lst.learns-sooner\"", "second claim"),
        ("controls = [\"learn-2.0\"]", "controls = []", "at least one control"),
        ("reference = \"sinusoid-2d\"", "reference = \"sinusoid\"", "unknown reference"),
        (
            "{ kind = \"generalization-aulc\" }",
            "{ kind = \"generalization-aulc\", level = \"all\" }",
            "level",
        ),
    ];
    for (from, to, word) in cases {
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
        refused(&[&run], &file, &["claims.toml", word]);
    }
    refused(&[&run], &root.path().join("none.toml"), &["none.toml"]);
}
