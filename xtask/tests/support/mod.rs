//! What the tests of whole experiments share.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::Path;

/// Whether the other binaries were built: they are when the whole workspace is tested.
pub(crate) fn built() -> bool {
    let folder = Path::new(env!("CARGO_BIN_EXE_xtask")).parent().unwrap();
    // xtask looks into the release folder, and tests of another profile must not use stale binaries there.
    let ready =
        folder.ends_with("release") && ["train", "probe"].iter().all(|name| folder.join(name).exists());
    if !ready {
        eprintln!("skipped: needs `cargo test --release --workspace`, which builds train and probe");
    }
    ready
}

/// A Latin square experiment of eight runs and two epochs each.
pub(crate) fn small_experiment(name: &str) -> String {
    format!("schema = 1\nname = \"{name}\"\n{SMALL}")
}

const SMALL: &str = r#"
[base]
batch = 16
[base.model]
preset = "paper"
width = 16
hidden = 24
blocks = 2
[base.seeds]
pins = { data = 1, split = 1 }
[base.task]
kind = "latin-square"
[base.task.generator]
pool = 90
generalization = 36
[base.optimizer]
kind = "adam-w"
lr = 1e-3

[scales.quick]
pe = ["2d-fixed", "nope"]
sigma = [0.2, 2.0]
seeds = [1, 2]
[scales.quick.set.stop]
epochs = 2
"#;
