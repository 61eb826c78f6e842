//! Statistics of each run: `probe`'s.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::{check_status, paths};

/// Permutations of each test.
const PERMUTATIONS: u64 = 10_000;

/// Writes `probe.json` into the run directories that have none, or an older one than the run or than `probe` itself.
pub(crate) fn probe_new(dirs: &[PathBuf]) -> Result<()> {
    let program = paths::binary("probe");
    let dirs: Vec<PathBuf> = dirs.iter().filter(|dir| !is_probed(dir, &program)).cloned().collect();
    probe_all(&dirs)
}

/// Writes `probe.json` into every run directory.
pub(crate) fn probe_all(dirs: &[PathBuf]) -> Result<()> {
    eprintln!("probing {} runs ...", dirs.len());
    for dir in dirs {
        // On all cores by itself, its BLAS on one.
        let mut probe = Command::new(paths::binary("probe"));
        probe.env("OPENBLAS_NUM_THREADS", "1").arg("run").arg(dir).stdout(std::process::Stdio::null());
        probe.args(["--permutations", &PERMUTATIONS.to_string()]);
        check_status("`probe run`", probe.status().with_context(|| paths::cannot_start("probe"))?)?;
    }
    Ok(())
}

fn is_probed(dir: &Path, program: &Path) -> bool {
    let written = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    let report = dir.join("probe.json");
    let is_newer = written(&report).is_some_and(|report| {
        let sources = [dir.join("manifest.json"), dir.join("tensors.safetensors"), program.to_owned()];
        sources.iter().all(|source| written(source).is_some_and(|source| source < report))
    });
    let text = is_newer.then(|| std::fs::read_to_string(&report).ok()).flatten();
    let report: Option<Value> = text.and_then(|text| serde_json::from_str(&text).ok());
    let settings = json!({ "permutations": PERMUTATIONS, "seed": 0 });
    report.is_some_and(|report| report["settings"] == settings && !report["pictures"].is_null())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::time::{Duration, SystemTime};

    #[test]
    fn what_is_older_than_its_sources_is_probed_again() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str, content: &str, second: u64| {
            let path = dir.path().join(name);
            std::fs::write(&path, content).unwrap();
            let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
            path
        };
        let as_asked = r#"{"settings": {"permutations": 10000, "seed": 0}, "pictures": {}}"#;
        let program = at("probe", "", 1);
        at("manifest.json", "{}", 2);
        assert!(!is_probed(dir.path(), &program), "no report");
        at("probe.json", as_asked, 5);
        assert!(!is_probed(dir.path(), &program), "no tensors");
        at("tensors.safetensors", "", 3);
        assert!(is_probed(dir.path(), &program));
        for (name, content, second) in [("probe", "", 6), ("manifest.json", "{}", 6)] {
            at(name, content, second);
            assert!(!is_probed(dir.path(), &program), "{name} is newer");
            at(name, content, 1);
        }
        at("probe.json", &as_asked.replace("10000", "100"), 5);
        assert!(!is_probed(dir.path(), &program), "fewer permutations");
        at("probe.json", "{", 5);
        assert!(!is_probed(dir.path(), &program), "cut short");
    }
}
