//! What the regions of a series are called, and on which side and in which network they are: `tokens.csv`.

use std::path::Path;

use anyhow::{Context, Result};

use crate::report::matrix::Group;
use crate::report::pictures;
use crate::report::run::Run;
use crate::report::series::Series;

/// The regions of a series, in the order of its tables.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Tokens {
    pub names: Vec<String>,
    /// -1 left, 1 right, 0 neither; empty where nobody knows.
    pub sides: Vec<i8>,
    /// Empty where nobody knows.
    pub networks: Vec<String>,
    /// Communities of the training data; empty where there are none.
    pub communities: Vec<u64>,
}

/// Tokens put in another order: the token that stands at each place, and what belongs together.
pub(super) struct Order {
    pub tokens: Vec<usize>,
    pub groups: Vec<Group>,
    /// In words, such as `by network`.
    pub by: &'static str,
}

impl Tokens {
    pub(super) fn of(series: &Series) -> Result<Self> {
        let Some(run) = series.runs.iter().find(|run| !run.probe["pictures"].is_null()) else {
            return Ok(Self::default());
        };
        let count = pictures::coordinates(run).len();
        let path = run.dir.join("tokens.csv");
        let mut tokens = match path.exists() {
            true => read(&path, count).with_context(|| path.display().to_string())?,
            false => {
                Self { names: (1..=count).map(|number| number.to_string()).collect(), ..Self::default() }
            }
        };
        if tokens.sides.is_empty() {
            tokens.sides = list(run, "hemisphere", count).iter().map(|side| side.signum() as i8).collect();
        }
        tokens.communities = list(run, "communities", count).iter().map(|id| id.unsigned_abs()).collect();
        Ok(tokens)
    }

    /// The side of a token; 0 where nobody knows.
    pub(super) fn side(&self, token: usize) -> i8 {
        self.sides.get(token).copied().unwrap_or(0)
    }

    /// By network, else by side; as they are where neither is known.
    pub(super) fn order(&self) -> Order {
        if !self.networks.is_empty() {
            return self.sorted(
                "by network, left before right",
                |token| self.networks[token].clone(),
                |name| name,
            );
        }
        if self.sides.iter().any(|side| *side != 0) {
            let by = "by hemisphere, in each in the order of the recording";
            return self.sorted(
                by,
                |token| rank(self.side(token)),
                |rank| ["left", "right", "neither"][rank].to_owned(),
            );
        }
        Order {
            tokens: (0..self.names.len()).collect(),
            groups: Vec::new(),
            by: "in the order of the recording",
        }
    }

    /// By community, where there are such.
    pub(super) fn order_by_community(&self) -> Option<Order> {
        (!self.communities.is_empty()).then(|| {
            self.sorted(
                "by community, left before right",
                |token| self.communities[token],
                |community| (community + 1).to_string(),
            )
        })
    }

    fn sorted<K: Ord + Clone>(
        &self,
        by: &'static str,
        key: impl Fn(usize) -> K,
        name: impl Fn(K) -> String,
    ) -> Order {
        let mut tokens: Vec<usize> = (0..self.names.len()).collect();
        tokens.sort_by_key(|&token| (key(token), rank(self.side(token)), token));
        let mut groups: Vec<Group> = Vec::new();
        for (place, &token) in tokens.iter().enumerate() {
            if place == 0 || key(token) != key(tokens[place - 1]) {
                groups.push(Group { start: place, name: name(key(token)) });
            }
        }
        Order { tokens, groups, by }
    }
}

/// The place of a side: left, right, neither.
fn rank(side: i8) -> usize {
    match side {
        -1 => 0,
        1 => 1,
        _ => 2,
    }
}

fn list(run: &Run, key: &str, count: usize) -> Vec<i64> {
    let all: Vec<i64> = run.probe["pictures"][key]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|value| value.as_i64())
        .collect();
    if all.len() == count { all } else { Vec::new() }
}

fn read(path: &Path, count: usize) -> Result<Tokens> {
    let mut reader = csv::Reader::from_path(path)?;
    let head = reader.headers()?.clone();
    let column = |name: &str| head.iter().position(|column| column == name);
    let name = column("name").context("expected a column `name`")?;
    let (side, network) = (column("hemisphere"), column("network"));
    let mut tokens = Tokens::default();
    for record in reader.records() {
        let record = record?;
        let cell = |column: usize| record.get(column).unwrap_or_default();
        tokens.names.push(cell(name).to_owned());
        tokens.sides.extend(side.map(|column| side_of(cell(column))));
        tokens.networks.extend(network.map(|column| cell(column).to_owned()));
    }
    anyhow::ensure!(tokens.names.len() == count, "expected {count} tokens, got {}", tokens.names.len());
    Ok(tokens)
}

fn side_of(text: &str) -> i8 {
    match text.to_ascii_lowercase().as_str() {
        "l" | "left" | "-1" => -1,
        "r" | "right" | "1" => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str, count: usize) -> Result<Tokens> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.csv");
        std::fs::write(&path, text).unwrap();
        read(&path, count)
    }

    #[test]
    fn regions_are_ordered_by_network_else_by_side() {
        let text = "token,name,hemisphere,network\n0,b_R,R,Visual\n1,\"a, l\",L,Default\n2,c_L,L,Visual\n3,d,,Default\n";
        let tokens = written(text, 4).unwrap();
        assert_eq!((tokens.names[1].as_str(), &tokens.sides[..]), ("a, l", &[1, -1, -1, 0][..]));
        let order = tokens.order();
        assert_eq!(order.tokens, [1, 3, 2, 0], "left before neither, left before right");
        let groups: Vec<_> = order.groups.iter().map(|group| (group.start, group.name.as_str())).collect();
        assert_eq!(groups, [(0, "Default"), (2, "Visual")]);

        let order = Tokens { networks: vec![], ..tokens.clone() }.order();
        assert_eq!(order.tokens, [1, 2, 0, 3]);
        let groups: Vec<_> = order.groups.iter().map(|group| (group.start, group.name.as_str())).collect();
        assert_eq!(groups, [(0, "left"), (2, "right"), (3, "neither")]);
        let plain = Tokens { networks: vec![], sides: vec![], ..tokens.clone() }.order();
        assert!(plain.tokens == [0, 1, 2, 3] && plain.groups.is_empty());

        assert!(tokens.order_by_community().is_none());
        let order = Tokens { communities: vec![1, 0, 1, 0], ..tokens }.order_by_community().unwrap();
        assert_eq!((order.tokens, order.groups[1].name.as_str()), (vec![1, 3, 2, 0], "2"));
        assert!(written(text, 5).unwrap_err().to_string().contains("expected 5 tokens, got 4"));
    }
}
