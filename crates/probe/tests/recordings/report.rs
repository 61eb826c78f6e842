//! What `probe.json` says of recordings.

use std::path::Path;

use probe::permutation::Permuted;
use probe::report::{ProbeReport, Reference, ReferenceReport, State, TableReport};
use probe::spatial::Withheld;
use serde_json::Value;

use crate::run::{REGIONS, RecordingRun, side};
use crate::support::{probe, write_tensors};

fn report(dir: &Path) -> ProbeReport {
    ProbeReport::read(&dir.join("probe.json")).unwrap()
}

fn table(report: &ProbeReport, state: State) -> &TableReport {
    report.tables.iter().find(|t| t.table == "all" && t.state == state).unwrap()
}

fn against(table: &TableReport, reference: Reference) -> &ReferenceReport {
    table.references.iter().find(|r| r.reference == reference).unwrap()
}

#[test]
fn places_are_found_folded_on_each_side_and_in_the_cortex() {
    let root = tempfile::tempdir().unwrap();
    let report = report(&RecordingRun::new(0.1, 1).probed(root.path()));
    let last = table(&report, State::Final);
    let names: Vec<(String, usize)> =
        last.references.iter().map(|one| (one.reference.to_string(), one.tokens.unwrap())).collect();
    let expected = [
        ("positions", 21),
        ("positions-folded", 21),
        ("positions-left", 10),
        ("positions-right", 10),
        ("positions-cortical", 16),
        ("modules", 21),
        ("correlations", 21),
        ("sinusoid-3d", 21),
    ];
    assert_eq!(names, expected.map(|(name, tokens)| (name.to_owned(), tokens)));
    for reference in [Reference::Positions, Reference::PositionsLeft, Reference::PositionsCortical] {
        let found = against(last, reference);
        assert!(found.dcor_bias_corrected.value.unwrap() > 0.7, "{found:?}");
        assert_eq!(found.dcor_bias_corrected.p, Some(0.01));
        assert_eq!(found.beyond.unwrap().other, Reference::Correlations);
        assert!(found.procrustes.unwrap().disparity.unwrap() < 0.5, "{found:?}");
        assert!(found.dcor_bias_corrected.p_spatial.is_none(), "places are not tested by smooth surrogates");
    }
    // Before training there is nothing, and parts are not asked for.
    assert_eq!(table(&report, State::Init).references.len(), 4);
    assert!(
        against(table(&report, State::Init), Reference::Positions).dcor_bias_corrected.value.unwrap() < 0.3
    );
    assert_eq!(against(last, Reference::Correlations).beyond.unwrap().other, Reference::Positions);
}

/// A table that takes homologues for one place follows the folded places best.
#[test]
fn a_folded_table_is_told_from_one_with_two_sides() {
    let root = tempfile::tempdir().unwrap();
    let run = RecordingRun { is_folded: true, ..RecordingRun::new(0.1, 7) };
    let report = report(&run.probed(root.path()));
    let of = |reference| against(table(&report, State::Change), reference).dcor_bias_corrected;
    let (folded, whole) = (of(Reference::PositionsFolded), of(Reference::Positions));
    assert!(folded.value.unwrap() > 0.7 && folded.value > whole.value, "{folded:?} {whole:?}");
    assert_eq!(folded.p, Some(0.01));
}

#[test]
fn places_are_decoded_and_communities_found() {
    let root = tempfile::tempdir().unwrap();
    let report = report(&RecordingRun::new(0.1, 2).probed(root.path()));
    let (last, init) = (table(&report, State::Final), table(&report, State::Init));
    let decoded = last.decoding.as_ref().unwrap();
    assert_eq!((decoded.axes.len(), decoded.folds, decoded.permutations), (3, 5, 99));
    for axis in &decoded.axes {
        assert!(axis.r2.unwrap() > 0.7 && axis.p == Some(0.01), "{axis:?}");
    }
    assert!(init.decoding.as_ref().unwrap().axes.iter().all(|axis| axis.r2.unwrap() < 0.5));
    assert!(table(&report, State::Masked).decoding.is_none());

    let pictures = report.pictures.as_ref().unwrap();
    let communities = last.communities.unwrap();
    assert_eq!(communities.count, pictures.communities.iter().max().unwrap() + 1);
    assert_eq!(pictures.communities.len(), REGIONS);
    let q = communities.modularity;
    assert!(q.value.unwrap() > 0.1 && q.p == Some(0.01), "{communities:?}, {:?}", pictures.communities);
    assert!(init.communities.unwrap().modularity.value.unwrap() < communities.modularity.value.unwrap());
    let sides: Vec<f64> = pictures.hemisphere.iter().map(|side| f64::from(*side)).collect();
    assert_eq!(sides, (0..REGIONS).map(side).collect::<Vec<_>>());
    assert!(pictures.tables.iter().all(|one| one.scores[0].len() == 3 && one.explained.len() == 3));
    assert_eq!(pictures.layouts[0].found[0].len(), 3);
    // A table that is the places is a trend over all of them: no surrogates are like it, and that is said.
    let beyond = against(last, Reference::Correlations).beyond.unwrap();
    assert_eq!((beyond.other, beyond.permuted), (Reference::Positions, Some(Permuted::Tokens)));
    assert_eq!(last.spatial.unwrap().withheld, Some(Withheld::LengthAtEdge));
    assert!(spatial(last).iter().all(Option::is_none) && init.spatial.is_none());
}

/// Every p against smooth surrogates: of what is against the data, not against places.
fn spatial(table: &TableReport) -> Vec<Option<f64>> {
    let seen = against(table, Reference::Correlations);
    let (beyond, communities) = (seen.beyond.unwrap(), table.communities.unwrap());
    let plain = [seen.rsa_euclidean, seen.rsa_cosine, seen.dcor_bias_corrected];
    let others = [beyond.rsa_euclidean, beyond.rsa_cosine, communities.modularity, communities.segregation];
    plain.iter().chain(&others).map(|statistic| statistic.p_spatial).collect()
}

/// Tables of noise: surrogates are like most of them, and what they tell is there for all statistics or for none.
#[test]
fn tables_have_a_p_against_surrogates_that_are_like_them() {
    let root = tempfile::tempdir().unwrap();
    let mut tested = 0;
    for seed in 20..26 {
        let run = RecordingRun { planted: 0.0, ..RecordingRun::new(0.1, seed) };
        let report = report(&run.probed(root.path()));
        for state in [State::Final, State::Change] {
            let table = table(&report, state);
            let surrogates = table.spatial.unwrap();
            assert!(surrogates.length > 0.0);
            let p = spatial(table);
            match surrogates.withheld {
                Some(_) => assert!(p.iter().all(Option::is_none), "{surrogates:?} {p:?}"),
                None => {
                    tested += 1;
                    assert!(surrogates.fit_p > Some(0.05), "{surrogates:?}");
                    assert!(p.iter().all(|p| p.is_some_and(|p| (0.01..=1.0).contains(&p))), "{p:?}");
                }
            }
        }
        assert!(spatial(table(&report, State::Init)).iter().all(Option::is_none));
    }
    assert!(tested >= 4, "{tested} of 12");
}

#[test]
fn without_places_there_are_communities_and_correlations_alone() {
    let root = tempfile::tempdir().unwrap();
    let run = RecordingRun { has_places: false, ..RecordingRun::new(0.1, 3) };
    let report = report(&run.probed(root.path()));
    let last = table(&report, State::Final);
    let names: Vec<String> = last.references.iter().map(|one| one.reference.to_string()).collect();
    assert_eq!(names, ["modules", "correlations"]);
    assert!(last.decoding.is_none() && last.communities.unwrap().modularity.p_spatial.is_none());
    let pictures = report.pictures.unwrap();
    assert!(pictures.layouts.is_empty() && pictures.hemisphere.is_empty());
    assert!(!pictures.communities.is_empty());
}

/// The same bytes on one thread and on several.
#[test]
fn threads_change_no_byte() {
    let root = tempfile::tempdir().unwrap();
    let dir = RecordingRun::new(0.1, 4).write(root.path());
    let bytes = |threads: &str| {
        let mut run = probe();
        run.env("RAYON_NUM_THREADS", threads).arg("run").arg(&dir).args(["--permutations", "49"]);
        run.assert().success();
        std::fs::read(dir.join("probe.json")).unwrap()
    };
    assert_eq!(bytes("1"), bytes("4"));
}

/// What belongs to recordings is not in the reports of other tasks.
#[test]
fn other_tasks_keep_their_report() {
    let root = tempfile::tempdir().unwrap();
    let dir = RecordingRun::new(0.1, 5).write(root.path());
    let config = std::fs::read_to_string(dir.join("config.toml")).unwrap();
    std::fs::write(dir.join("config.toml"), config.replace("\"recordings\"", "\"network\"")).unwrap();
    probe().arg("run").arg(&dir).args(["--permutations", "9"]).assert().success();
    let json: Value = serde_json::from_slice(&std::fs::read(dir.join("probe.json")).unwrap()).unwrap();
    let first = &json["tables"][0];
    assert!(first.get("decoding").is_none() && first.get("communities").is_none());
    assert!(first["references"][0].get("tokens").is_none());
    assert_eq!(first["references"].as_array().unwrap().len(), 4);
    assert!(json["pictures"].get("communities").is_none());
    assert_eq!(json["pictures"]["tables"][0]["scores"][0].as_array().unwrap().len(), 2);
    assert!(!json.to_string().contains("p_spatial"));
}

#[test]
fn truths_that_make_no_sense_are_refused() {
    let root = tempfile::tempdir().unwrap();
    let refused = |extra: (&str, usize, f64), word: &str| {
        let dir = RecordingRun::new(0.1, 6).write(root.path());
        let (name, length, value) = extra;
        let square = (0..9).map(|at| f64::from(u8::from(at % 4 == 0))).collect();
        let tensors = vec![
            ("coords".to_owned(), vec![3, 1], vec![0.0, 1.0, 2.0]),
            ("truth.correlation".to_owned(), vec![3, 3], square),
            (name.to_owned(), vec![length], vec![value; length]),
        ];
        std::fs::write(dir.join("tensors.safetensors"), write_tensors(&tensors, "1")).unwrap();
        let done = probe().arg("run").arg(&dir).assert().code(2);
        let text = String::from_utf8(done.get_output().stderr.clone()).unwrap();
        assert!(text.trim_end().lines().count() == 1 && text.contains(name) && text.contains(word), "{text}");
    };
    refused(("truth.hemisphere", 3, 2.0), "-1 (left)");
    refused(("truth.hemisphere", 2, 1.0), "[3]");
    refused(("truth.cortical", 3, 0.5), "0 or 1");
    refused(("truth.placeless", 1, 2.0), "0 or 1");
}
