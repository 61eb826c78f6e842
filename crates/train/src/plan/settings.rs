//! Settings of a run config while it is put together: tables of TOML laid over each other.

use pe_core::{Arm, EncoderConfig};
use toml::{Table, Value};

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
