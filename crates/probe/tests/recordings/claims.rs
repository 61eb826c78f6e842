//! Claims about recorded data, by the project's own claims.toml.

use std::path::Path;

use serde_json::Value;

use crate::run::RecordingRun;
use crate::support::claims;

const IDS: [&str; 3] = ["fmri.positions", "fmri.generalizes", "fmri.modularity"];

fn judged(root: &Path, source: &'static str) -> Vec<Value> {
    let mut dirs = Vec::new();
    for seed in 1..=6 {
        let small = RecordingRun { source, ..RecordingRun::new(0.1, seed) };
        dirs.push(small.probed(root));
        dirs.push(
            RecordingRun { planted: 0.0, loss: 0.7, source, ..RecordingRun::new(2.0, seed) }.probed(root),
        );
    }
    let (mut all, _) = claims(&dirs, root);
    IDS.map(|id| all.remove(id).unwrap()).to_vec()
}

#[test]
fn recorded_data_are_judged_and_a_stand_in_is_not() {
    let root = tempfile::tempdir().unwrap();
    let files = judged(&root.path().join("files"), "files");
    for claim in &files {
        assert_eq!((&claim["verdict"], &claim["n"]), (&"reproduced".into(), &6.into()), "{claim}");
        assert_eq!(claim["p"], 2.0 / 64.0);
    }
    let generated = judged(&root.path().join("generated"), "generated");
    for (claim, real) in generated.iter().zip(&files) {
        assert_eq!(claim["verdict"], "not judged", "{claim}");
        assert!(claim["reason"].as_str().unwrap().contains("synthetic stand-in"), "{claim}");
        assert_eq!(claim["value"], real["value"], "the figure is still computed");
        assert!(claim["p"].is_null() && claim["interval"].is_null());
        for contrast in claim["detail"]["contrasts"].as_array().unwrap() {
            assert!(contrast["mean"].is_number() || contrast["n"] == 0, "{contrast}");
            assert!(contrast["p"].is_null() && contrast["p_adjusted"].is_null());
        }
    }
    // Parts of the brain and decoding are among the secondary figures.
    let contrasts = files[0]["detail"]["contrasts"].as_array().unwrap();
    for part in ["positions-folded", "positions-left", "positions-right", "positions-cortical", "decoding"] {
        let found = contrasts.iter().find(|c| c["metric"].as_str().unwrap().contains(part)).unwrap();
        assert!(found["n"] == 6 && found["role"] == "secondary", "{found}");
    }
}
