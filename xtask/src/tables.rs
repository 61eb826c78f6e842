//! `cargo xtask reproduce tables`: what the position tables of trained models know (Wang and Chen 2020).

mod find;

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::report::tables::{Index, NAME};
use crate::report::{self, write_atomic};
use crate::{bad_input, check_status, paths, say};
use find::Found;

/// The part of `xtask/tables.toml` that says what is known of tables.
#[derive(Deserialize)]
struct Notes {
    known: Vec<Known>,
}

/// A table that is known by its tensor's name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    tensor: String,
    rows: Option<String>,
    label: String,
    family: String,
    lineage: Option<String>,
    get: Option<String>,
}

/// Reads the tables in `folder` (or listed in a `tables.toml`) into `out/runs/tables`, and draws the page.
pub(crate) fn reproduce(folder: Option<&Path>, out: &Path) -> Result<()> {
    let found = find_all(folder, out)?;
    let runs = out.join("runs");
    let readings = runs.join(NAME);
    std::fs::create_dir_all(&readings).with_context(|| format!("cannot create {}", readings.display()))?;
    let mut index = Index::new();
    for (k, found) in found.iter().enumerate() {
        eprintln!("reading {} ...", found.label);
        let file = format!("{k:02}-{}.json", slug(&found.label));
        write_atomic(&readings.join(&file), &positions(found)?)?;
        index.add(&found.label, found.model.as_deref(), &file);
    }
    index.write(&readings)?;
    let reports = out.join("reports");
    let report = report::write(&[runs], &reports)?;
    say(&format!(
        "\n{}verdicts: {}\nreadings: {}\nreport:   {}",
        report.tables.unwrap_or_default(),
        reports.join(NAME).join("claims.json").display(),
        readings.display(),
        report.page.display()
    ));
    Ok(())
}

/// Says which tables would be read.
pub(crate) fn dry_run(folder: Option<&Path>, out: &Path) -> Result<()> {
    let found = find_all(folder, out)?;
    for found in &found {
        say(&format!("{:<36} {}", found.label, found.file.display()));
    }
    say(&format!("{} tables, some seconds each", found.len()));
    Ok(())
}

/// Whether there is anything to read, for `reproduce` without a name.
pub(crate) fn are_there(folder: Option<&Path>, out: &Path) -> bool {
    folder.is_some() || out.join(NAME).is_dir()
}

/// Refuses what can hold no list of tables.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let is_list = folder.is_file() && folder.extension().is_some_and(|extension| extension == "toml");
    if is_list || folder.is_dir() {
        return Ok(());
    }
    let got = if folder.exists() { "another file" } else { "nothing" };
    let folder = folder.display();
    Err(bad_input(format!(
        "--tables: expected a folder of position tables, or a tables.toml that lists them, got {got} at {folder}"
    )))
}

fn find_all(folder: Option<&Path>, out: &Path) -> Result<Vec<Found>> {
    let path = paths::root().join("xtask").join("tables.toml");
    let text = std::fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    let notes: Notes = toml::from_str(&text).with_context(|| path.display().to_string())?;
    let default = out.join(NAME);
    let folder = folder.unwrap_or(&default);
    let found = find::tables(folder, &notes.known)?;
    if found.is_empty() {
        say(&how_to_get(&notes.known));
        return Err(bad_input(format!(
            "no position tables in {}: put some there, see above",
            folder.display()
        )));
    }
    Ok(found)
}

fn positions(found: &Found) -> Result<Vec<u8>> {
    let mut command = Command::new(paths::binary("probe"));
    command.arg("positions").arg(&found.file).args(["--json", "--label", &found.label]);
    let options = [
        ("--tensor", &found.tensor),
        ("--rows", &found.rows),
        ("--family", &found.family),
        ("--lineage", &found.lineage),
    ];
    for (option, value) in options {
        if let Some(value) = value {
            command.args([option, value]);
        }
    }
    let output = command.stderr(Stdio::inherit()).output().with_context(|| paths::cannot_start("probe"))?;
    check_status("`probe positions`", output.status)?;
    Ok(output.stdout)
}

fn how_to_get(known: &[Known]) -> String {
    let packages: String = known
        .iter()
        .filter_map(|known| known.get.as_ref().map(|get| format!("  - {}: {get}\n", known.label)))
        .collect();
    format!(
        "Position tables are other people's and are not part of this project. Any of these will do, in a folder given as \
         --tables:\n  - a Hugging Face checkpoint of BERT, RoBERTa, GPT-2 or ViT as it lies on a disk: its folder with \
         model.safetensors and config.json (the folder's name is the model's, such as bert-base-uncased, roberta-base, \
         gpt2)\n  - any table saved as .npy or .npz, one position a row\n{packages}A `tables.toml` in the folder may say \
         more: [[table]] with file, and optionally tensor, rows = \"A..B\", label, model, family = \"causal\" or \
         \"bidirectional\", lineage (tables of one origin count once)."
    )
}

/// A label as part of a file name.
fn slug(label: &str) -> String {
    let plain: String =
        label.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
