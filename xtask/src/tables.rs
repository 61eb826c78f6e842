//! `cargo xtask reproduce tables`: what the position tables of trained models know (Wang and Chen 2020).

mod figures;
mod find;
mod markdown;
mod page;
mod svg;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

use crate::report::write_atomic;
use crate::{bad_input, check_status, paths};
use find::Found;

/// The part of `xtask/tables.toml` that is not `probe`'s.
#[derive(Deserialize)]
struct Notes {
    published: Vec<Published>,
    known: Vec<Known>,
}

/// Figures of the paper.
#[derive(Deserialize)]
struct Published {
    model: String,
    absolute: f64,
    order: f64,
    /// Whether somebody has checked them against the paper's text.
    verified: bool,
}

/// A table that is known by its tensor's name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    tensor: String,
    rows: Option<String>,
    label: String,
    family: String,
    get: Option<String>,
}

/// A table that was read.
struct Read {
    found: Found,
    /// What `probe positions --json` said.
    report: Value,
}

/// Reads the tables in `folder` (or listed in a `tables.toml`), judges the claims and writes the report.
pub(crate) fn reproduce(folder: Option<&Path>, out: &Path) -> Result<()> {
    let notes_path = paths::root().join("xtask").join("tables.toml");
    let text = std::fs::read_to_string(&notes_path).with_context(|| notes_path.display().to_string())?;
    let notes: Notes = toml::from_str(&text).with_context(|| notes_path.display().to_string())?;
    let default = out.join("tables");
    let folder = folder.unwrap_or(&default);
    let found = find::tables(folder, &notes.known)?;
    if found.is_empty() {
        println!("{}", how_to_get(&notes.known));
        return Err(bad_input(format!(
            "no position tables in {}: put some there, see above",
            folder.display()
        )));
    }
    let reports = out.join("reports").join("tables");
    let singles = reports.join("tables");
    std::fs::create_dir_all(&singles).with_context(|| format!("cannot create {}", singles.display()))?;
    let mut read = Vec::new();
    let mut files = Vec::new();
    for (k, found) in found.into_iter().enumerate() {
        eprintln!("reading {} ...", found.label);
        let bytes = positions(&found)?;
        let file = singles.join(format!("{k:02}-{}.json", slug(&found.label)));
        write_atomic(&file, &bytes)?;
        files.push(file);
        read.push(Read {
            report: serde_json::from_slice(&bytes).context("`probe positions` printed no JSON")?,
            found,
        });
    }
    let claims = judge(&files, &notes_path, &reports.join("claims.json"))?;
    page::write(&read, &notes.published, &claims, &reports)?;
    println!("\nverdicts: {}", reports.join("claims.json").display());
    println!("report:   {}", reports.join("report.md").display());
    Ok(())
}

/// Whether there is anything to read, for `reproduce` without a name.
pub(crate) fn are_there(folder: Option<&Path>, out: &Path) -> bool {
    folder.is_some() || out.join("tables").is_dir()
}

fn positions(found: &Found) -> Result<Vec<u8>> {
    let mut command = Command::new(paths::binary("probe"));
    command.arg("positions").arg(&found.file).args(["--json", "--label", &found.label]);
    for (option, value) in [("--tensor", &found.tensor), ("--rows", &found.rows), ("--family", &found.family)]
    {
        if let Some(value) = value {
            command.args([option, value]);
        }
    }
    let output = command.stderr(Stdio::inherit()).output().context("cannot start probe")?;
    check_status("`probe positions`", output.status)?;
    Ok(output.stdout)
}

fn judge(files: &[PathBuf], claims: &Path, out: &Path) -> Result<Vec<Value>> {
    let mut command = Command::new(paths::binary("probe"));
    command.arg("tables").args(files).arg("--claims").arg(claims).arg("--out").arg(out);
    check_status("`probe tables`", command.status().context("cannot start probe")?)?;
    let text = std::fs::read_to_string(out).with_context(|| out.display().to_string())?;
    serde_json::from_str(&text).with_context(|| out.display().to_string())
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
         \"bidirectional\"."
    )
}

/// A label as part of a file name.
fn slug(label: &str) -> String {
    let plain: String =
        label.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    plain.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}
