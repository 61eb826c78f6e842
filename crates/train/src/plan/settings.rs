//! Settings of a run config while it is put together: tables of TOML laid over each other.

use pe_core::{Arm, EncoderConfig};
use toml::{Table, Value};

use super::Overrides;
use crate::config::toml_problem;
use crate::task::TaskConfig;

/// The model of the table: its preset with the arm's encoding, and the fields that the table overrides.
pub(super) fn model(table: &Table, task: &TaskConfig, arm: &Arm) -> Result<Table, String> {
    let mut given = match table.get("model") {
        Some(Value::Table(given)) => given.clone(),
        Some(other) => return Err(format!("`model` is {other}: expected a table")),
        None => Table::new(),
    };
    let [inputs, outputs, tokens, axes] = task.task().sizes();
    let encoding = arm.encoding.clone();
    let preset = match given.remove("preset").as_ref().map(|preset| preset.as_str()) {
        None | Some(Some("paper")) => EncoderConfig::paper(inputs, outputs, tokens, axes, encoding),
        Some(Some("clean")) => EncoderConfig::clean(inputs, outputs, tokens, axes, encoding),
        Some(other) => return Err(format!("`model.preset` is {other:?}: expected \"paper\" or \"clean\"")),
    };
    let preset = EncoderConfig { causal: arm.causal, ..preset };
    let mut model = Table::try_from(preset).map_err(|error| error.to_string())?;
    merge(&mut model, &given);
    Ok(model)
}

/// Puts a folder of data that the command line names in the place of what the experiment says.
pub(super) fn place_data(table: &mut Table, overrides: &Overrides) -> Result<(), String> {
    for (what, kind, key, folder) in [
        ("puzzles", "latin-square", "puzzles", &overrides.puzzles),
        ("recordings", "recordings", "folder", &overrides.recordings),
    ] {
        let Some(folder) = folder else { continue };
        let task = table.get_mut("task").and_then(Value::as_table_mut);
        let Some(task) = task.filter(|task| task.get("kind").and_then(Value::as_str) == Some(kind)) else {
            let folder = folder.display();
            return Err(format!("--{what} {folder}: its task reads no {what}: leave the flag out"));
        };
        if kind == "recordings" {
            for other in ["files", "regions", "description", "stand_in"] {
                task.remove(other);
            }
        }
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
        let whole = whole.to_str().ok_or_else(|| format!("--{what} is not UTF-8: rename the folder"))?;
        insert(table, &["task", key], whole);
    }
    Ok(())
}

pub(super) fn part<T: serde::de::DeserializeOwned>(table: &Table, key: &str) -> Result<T, String> {
    let value = table.get(key).ok_or_else(|| format!("`{key}` is missing"))?;
    value.clone().try_into().map_err(|error: toml::de::Error| format!("`{key}`: {}", toml_problem(&error)))
}

/// Puts the values of `over` into `table`, table by table.
pub(super) fn merge(table: &mut Table, over: &Table) {
    for (key, value) in over {
        match (table.get_mut(key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

pub(super) fn insert(table: &mut Table, path: &[&str], value: impl Into<Value>) {
    let nested = path
        .iter()
        .rev()
        .fold(value.into(), |value, key| Value::Table(Table::from_iter([((*key).to_owned(), value)])));
    if let Value::Table(nested) = nested {
        merge(table, &nested);
    }
}

pub(super) fn names<'a>(keys: impl Iterator<Item = &'a String>) -> String {
    keys.cloned().collect::<Vec<_>>().join(", ")
}
