//! `probe run` on synthetic run directories.

mod support;

use std::path::Path;

use probe::permutation::Permuted;
use probe::report::{Beyond, ProbeReport, Reference, State};
use probe::run_dir::Split;
use support::{SyntheticRun, probe, write_tensors};

fn report(dir: &Path) -> ProbeReport {
    ProbeReport::read(&dir.join("probe.json")).unwrap()
}

fn table(report: &ProbeReport, name: &str, state: State) -> probe::report::TableReport {
    report.tables.iter().find(|t| t.table == name && t.state == state).unwrap().clone()
}

#[test]
fn planted_geometry_is_found_and_a_random_table_has_none() {
    let root = tempfile::tempdir().unwrap();
    let learned = SyntheticRun::new("learn-0.1", 1);
    let report = report(&learned.probed(root.path()));
    assert_eq!(report.tables.len(), (1 + 4) * 4);
    let hamming = |name: &str, state| table(&report, name, state).references[0].clone();
    for name in ["all", "block-0", "block-3"] {
        for state in [State::Final, State::Change] {
            let against = hamming(name, state);
            assert_eq!(against.reference, Reference::Hamming);
            assert!(against.dcor_bias_corrected.value.unwrap() > 0.5, "{name} {state}: {against:?}");
            assert_eq!(against.dcor_bias_corrected.p, Some(0.01));
            assert!(against.rsa_euclidean.value.unwrap() > 0.5 && against.rsa_cosine.value.unwrap() > 0.5);
            assert!(against.beyond_hamming.is_none() && against.procrustes.is_none());
        }
        let similarity = table(&report, name, State::Final).similarity_vs_sharing;
        assert!(similarity.cosine.value.unwrap() > 0.6, "{similarity:?}");
    }
    let before = hamming("all", State::Init);
    assert!(
        before.dcor_bias_corrected.value.unwrap().abs() < 0.25 && before.dcor_bias_corrected.p > Some(0.01)
    );
    // The warning about the biased one: far from 0 for the same random table.
    assert!(before.dcor_biased.value.unwrap() > 0.6);
    // σ = 2 noise hides a change of size 0.7: weaker than the change itself.
    let masked = hamming("block-0", State::Masked).dcor_bias_corrected.value.unwrap();
    assert!(masked < hamming("block-0", State::Change).dcor_bias_corrected.value.unwrap());
}

/// A random table has a σ too, but is none of the learned ones, over whose σ claims are made and figures drawn.
#[test]
fn only_learned_encodings_have_a_sigma() {
    let root = tempfile::tempdir().unwrap();
    let of = |kind: &'static str| {
        let run = SyntheticRun { kind, sigma: Some(1.0), ..SyntheticRun::new(kind, 1) };
        report(&run.probed(root.path())).run.sigma
    };
    assert_eq!((of("learned"), of("random"), of("relative")), (Some(1.0), None, None));
}

#[test]
fn references_come_in_order_and_order_is_also_given_beyond_hamming() {
    let root = tempfile::tempdir().unwrap();
    let report = report(&SyntheticRun::new("2d-fixed", 1).probed(root.path()));
    let last = table(&report, "all", State::Final);
    let names: Vec<String> = last.references.iter().map(|r| r.reference.to_string()).collect();
    assert_eq!(names, ["hamming", "grid", "sinusoid-2d"]);
    // The fixed sinusoid is its own reference.
    let own = &last.references[2];
    assert!((own.dcor_bias_corrected.value.unwrap() - 1.0).abs() < 1e-6);
    let fit = own.procrustes.unwrap();
    assert!(fit.disparity.unwrap().abs() < 1e-6 && fit.frobenius.unwrap() < 1e-2, "{fit:?}");
    let beyond = last.references[1].beyond_hamming.unwrap();
    assert!(beyond.rsa_euclidean.value.unwrap() > 0.5);
    // 99 of the 576 orders of rows and columns.
    assert_eq!((beyond.permuted, beyond.permutations), (Some(Permuted::AxisLevels), Some(99)));
    // Files of earlier versions do not say.
    let mut json = serde_json::to_value(beyond).unwrap();
    json.as_object_mut().unwrap().retain(|key, _| !key.starts_with("permut"));
    let earlier: Beyond = serde_json::from_value(json).unwrap();
    assert_eq!((earlier.rsa_cosine, earlier.permuted), (beyond.rsa_cosine, None));
}

/// A frozen table never changes: its change has no geometry, and no crash either.
#[test]
fn a_frozen_table_has_undefined_statistics_for_its_change() {
    let root = tempfile::tempdir().unwrap();
    let dir = SyntheticRun::new("2d-fixed", 3).probed(root.path());
    let change = table(&report(&dir), "block-1", State::Change);
    let against = &change.references[2];
    assert_eq!((against.dcor_biased.value, against.rsa_cosine.p), (None, None));
    assert_eq!(against.procrustes.unwrap().disparity, None);
    assert_eq!((change.norms.rms, change.norms.effective_rank), (Some(0.0), None));
    assert_eq!(change.similarity_vs_sharing.cosine.value, None);
    assert!(std::fs::read_to_string(dir.join("probe.json")).unwrap().contains("\"value\": null"));
}

#[test]
fn norms_are_the_definitions() {
    let root = tempfile::tempdir().unwrap();
    let report = report(&SyntheticRun::new("learn-0.1", 9).probed(root.path()));
    let (all, block) = (table(&report, "all", State::Init), table(&report, "block-2", State::Init));
    assert_eq!((all.width, block.width), (160, 40));
    // 2,560 draws of N(0, 0.1²): rms 0.1 within 5 standard errors; |x| = rms·sqrt(elements).
    assert!((all.norms.rms.unwrap() - 0.1).abs() < 5.0 * 0.1 / (2.0 * 2560.0f64).sqrt());
    assert!((all.norms.frobenius.unwrap() - all.norms.rms.unwrap() * 2560.0f64.sqrt()).abs() < 1e-12);
    assert!(block.norms.effective_rank.unwrap() > 13.0 && block.norms.participation_ratio.unwrap() < 15.0);
}

#[test]
fn learning_is_summarised() {
    let root = tempfile::tempdir().unwrap();
    let mut run = SyntheticRun::new("learn-0.2", 5);
    run.accuracy = 0.96;
    let learning = report(&run.probed(root.path())).learning;
    // Accuracies at epochs 1 to 4 are 0.24, 0.48, 0.72, 0.96.
    assert!((learning.generalization_aulc.unwrap() - 0.6).abs() < 1e-12);
    assert_eq!((learning.generalization_evaluations, learning.epochs_to_090), (4, Some(4)));
    assert_eq!(learning.train_full_accuracy, Some(1.0));
    assert_eq!(learning.accuracy(Split::Generalization, "quaternary"), Some(0.48));
    assert_eq!(learning.last.len(), 4);
}

#[test]
fn attention_is_told_for_the_mean_and_every_block_also_without_tables() {
    let root = tempfile::tempdir().unwrap();
    let mut run = SyntheticRun::new("nope", 2);
    run.kind = "nope";
    let report = report(&run.probed(root.path()));
    assert!(report.tables.is_empty());
    let maps: Vec<&str> = report.attention.iter().map(|a| a.map.as_str()).collect();
    assert_eq!(maps, ["mean", "block-0", "block-1", "block-2", "block-3"]);
    let mean = &report.attention[0];
    assert!(mean.sharing_any.value.unwrap() > 0.9 && mean.sharing_any.p == Some(0.01));
    assert_eq!((mean.queries, mean.sharing_by_axis.len()), (16, 2));
    assert!(mean.grid_distance.value.unwrap() < -0.3);
}

#[test]
fn a_second_run_writes_the_same_bytes_on_any_number_of_threads() {
    let root = tempfile::tempdir().unwrap();
    let dir = SyntheticRun::new("learn-0.2", 4).probed(root.path());
    let before = std::fs::read(dir.join("probe.json")).unwrap();
    for threads in ["1", "3"] {
        let mut again = probe();
        again.arg("run").arg(&dir).args(["--permutations", "99"]).env("RAYON_NUM_THREADS", threads);
        again.assert().success();
        assert_eq!(std::fs::read(dir.join("probe.json")).unwrap(), before);
    }
}

/// Axes and tokens come from the tensors: a 1-D chain of 6 tokens with one shared table.
#[test]
fn another_geometry_is_probed_too() {
    let root = tempfile::tempdir().unwrap();
    let dir = SyntheticRun::new("learn-0.2", 6).write(root.path());
    let line: Vec<f64> = (0..6).map(f64::from).collect();
    let straight: Vec<f64> = line.iter().flat_map(|t| [*t, 2.0 * t]).collect();
    let tensors = [
        ("coords".to_owned(), vec![6, 1], line),
        ("pe.init.shared".to_owned(), vec![6, 2], vec![0.5; 12]),
        ("pe.final.shared".to_owned(), vec![6, 2], straight),
    ];
    std::fs::write(dir.join("tensors.safetensors"), write_tensors(&tensors, "1")).unwrap();
    probe().arg("run").arg(&dir).assert().success();
    let report = report(&dir);
    assert!(report.attention.is_empty());
    let last = table(&report, "shared", State::Final);
    let names: Vec<String> = last.references.iter().map(|r| r.reference.to_string()).collect();
    assert_eq!(names, ["hamming", "grid", "sinusoid-1d"]);
    // 6! = 720 orders are enumerated. Both statistics are 1, and by Cauchy-Schwarz only symmetries of the
    // centred distances reach that: the reversal, and for U-centred ones also swapping the two tokens at
    // either end, since
    // |i - j| - (r_i + r_j)/4 has equal rows for tokens 0 and 1, and for 4 and 5 (row sums r = 15, 11, 9, 9,
    // 11, 15).
    let grid = &last.references[1];
    assert!((grid.dcor_bias_corrected.value.unwrap() - 1.0).abs() < 1e-12);
    assert_eq!((grid.dcor_biased.p, grid.dcor_bias_corrected.p), (Some(2.0 / 720.0), Some(8.0 / 720.0)));
    // Nobody shares anything on a line, so Hamming is constant.
    assert_eq!(last.references[0].rsa_euclidean.value, None);
}

/// Every refusal: one line that names the place, on stderr, with exit code 2.
fn refused(dir: &Path, words: &[&str]) {
    let done = probe().arg("run").arg(dir).assert().code(2);
    let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
    assert_eq!(text.trim_end().lines().count(), 1, "{text}");
    for word in ["expected", "got", ";"].iter().chain(words) {
        assert!(text.contains(word), "`{word}` is not in: {text}");
    }
    assert!(!dir.join("probe.json").exists());
}

fn edit(dir: &Path, file: &str, from: &str, to: &str) {
    let text = std::fs::read_to_string(dir.join(file)).unwrap();
    assert!(text.contains(from));
    std::fs::write(dir.join(file), text.replace(from, to)).unwrap();
}

#[test]
fn missing_files_and_other_schemas_are_refused() {
    let root = tempfile::tempdir().unwrap();
    refused(&root.path().join("nowhere"), &["nowhere", "nothing"]);
    for file in ["config.toml", "manifest.json", "metrics.jsonl", "tensors.safetensors"] {
        let dir = SyntheticRun { extra: file.into(), ..SyntheticRun::new("learn-0.2", 1) }.write(root.path());
        std::fs::remove_file(dir.join(file)).unwrap();
        refused(&dir, &[file]);
    }
    let fresh = |name: &str| {
        SyntheticRun { extra: name.into(), ..SyntheticRun::new("learn-0.2", 2) }.write(root.path())
    };
    let dir = fresh("a");
    edit(&dir, "config.toml", "schema = 1", "schema = 2");
    refused(&dir, &["config.toml", "schema 1", "got 2"]);
    let dir = fresh("b");
    edit(&dir, "manifest.json", "\"schema\":1", "\"schema\":7");
    refused(&dir, &["manifest.json", "got 7"]);
    let dir = fresh("c");
    std::fs::write(
        dir.join("tensors.safetensors"),
        write_tensors(&[("coords".into(), vec![1, 1], vec![0.0])], "9"),
    )
    .unwrap();
    refused(&dir, &["tensors.safetensors", "got 9"]);
}

#[test]
fn what_is_damaged_is_refused_by_place() {
    let root = tempfile::tempdir().unwrap();
    let fresh = |name: &str| {
        SyntheticRun { extra: name.into(), ..SyntheticRun::new("learn-0.2", 3) }.write(root.path())
    };
    let dir = fresh("unfinished");
    edit(&dir, "manifest.json", "complete", "running");
    refused(&dir, &["manifest.json", "`complete`", "`running`"]);
    let dir = fresh("truncated");
    let bytes = std::fs::read(dir.join("tensors.safetensors")).unwrap();
    std::fs::write(dir.join("tensors.safetensors"), &bytes[..bytes.len() - 5]).unwrap();
    refused(&dir, &["tensors.safetensors", "whole"]);
    std::fs::write(dir.join("tensors.safetensors"), &bytes[..3]).unwrap();
    refused(&dir, &["tensors.safetensors"]);
    let dir = fresh("config");
    edit(&dir, "config.toml", "scale = \"paper\"", "scale = \"huge\"");
    refused(&dir, &["config.toml, line 4", "huge"]);
    let dir = fresh("key");
    edit(&dir, "config.toml", "arm = ", "arms = ");
    refused(&dir, &["config.toml", "`arm`"]);
    let dir = fresh("metrics");
    edit(&dir, "metrics.jsonl", "\"epoch\":1", "\"epoch\":\"one\"");
    refused(&dir, &["metrics.jsonl, line"]);
    let dir = fresh("percent");
    edit(&dir, "metrics.jsonl", "\"accuracy\":0.9,", "\"accuracy\":90.0,");
    refused(&dir, &["metrics.jsonl", "fraction", "90"]);
    let dir = fresh("empty");
    std::fs::write(dir.join("metrics.jsonl"), "").unwrap();
    refused(&dir, &["metrics.jsonl", "at least one"]);
}

#[test]
fn tensors_that_do_not_fit_are_refused_by_name() {
    let root = tempfile::tempdir().unwrap();
    let dir = SyntheticRun::new("learn-0.2", 3).write(root.path());
    let coords = || ("coords".to_owned(), vec![3, 1], vec![0.0, 1.0, 2.0]);
    let one =
        |name: &str, shape: &[usize]| (name.to_owned(), shape.to_vec(), vec![1.0; shape.iter().product()]);
    let cases = [
        (vec![one("x", &[1])], "coords"),
        (vec![coords(), one("pe.final.block-0", &[3, 2])], "pe.init.block-0"),
        (
            vec![coords(), one("pe.final.block-0", &[3, 2]), one("pe.init.block-0", &[3, 4])],
            "pe.init.block-0",
        ),
        (vec![coords(), one("pe.final.shared", &[4, 2]), one("pe.init.shared", &[4, 2])], "pe.final.shared"),
        (vec![coords(), one("attention.final.block-1", &[1, 3, 4])], "attention.final.block-1"),
        (vec![coords(), one("attention.final.block-1", &[3, 3])], "3 dimensions"),
        (vec![("coords".to_owned(), vec![2, 1], vec![0.0, f64::NAN])], "coords, element 1"),
    ];
    for (tensors, place) in cases {
        std::fs::write(dir.join("tensors.safetensors"), write_tensors(&tensors, "1")).unwrap();
        refused(&dir, &["tensors.safetensors", place]);
    }
}

#[test]
fn a_result_that_cannot_be_written_is_a_failure_not_bad_input() {
    let root = tempfile::tempdir().unwrap();
    let dir = SyntheticRun::new("learn-0.2", 3).write(root.path());
    // A folder in the place of the file.
    std::fs::create_dir(dir.join("probe.json")).unwrap();
    let done = probe().arg("run").arg(&dir).args(["--permutations", "9"]).assert().code(1);
    assert!(String::from_utf8_lossy(&done.get_output().stderr).contains("probe.json"));
}
