//! Run directories as a trainer would write them, with a planted truth.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use rand::{RngExt, SeedableRng};
use safetensors::tensor::{Dtype, TensorView, serialize};
use streams::StreamRng;

pub(crate) const TOKENS: usize = 16;

/// A run that can be written to disk. Change what a test is about, then `write`.
#[derive(Clone)]
pub(crate) struct SyntheticRun {
    pub(crate) arm: String,
    pub(crate) scale: &'static str,
    pub(crate) seed: u64,
    pub(crate) kind: &'static str,
    pub(crate) sigma: Option<f64>,
    pub(crate) blocks: usize,
    pub(crate) width: usize,
    /// How much of row and column identity the change since initialization carries.
    pub(crate) geometry: f64,
    /// Size of the unrelated part of the change.
    pub(crate) noise: f64,
    /// How much attention follows rows and columns.
    pub(crate) attention: f64,
    pub(crate) epochs: u64,
    pub(crate) train_accuracy: f64,
    pub(crate) accuracy: f64,
    /// What makes the config hash differ.
    pub(crate) extra: String,
    pub(crate) source: &'static str,
}

impl SyntheticRun {
    pub(crate) fn new(arm: &str, seed: u64) -> Self {
        let sigma = arm.strip_prefix("learn-").and_then(|s| s.parse().ok());
        Self {
            arm: arm.to_owned(),
            scale: "paper",
            seed,
            kind: if sigma.is_some() { "learned" } else { "sinusoid-kd" },
            sigma,
            blocks: 4,
            width: 40,
            geometry: 0.5,
            noise: 0.1,
            attention: 1.0,
            epochs: 4,
            train_accuracy: 1.0,
            accuracy: 0.9,
            extra: String::new(),
            source: "files",
        }
    }

    /// Writes the directory, and returns it.
    pub(crate) fn write(&self, root: &Path) -> PathBuf {
        let dir = root.join(format!("{}-{}{}", self.arm, self.seed, self.extra));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("config.toml"), self.config()).unwrap();
        std::fs::write(dir.join("manifest.json"), self.manifest()).unwrap();
        std::fs::write(dir.join("metrics.jsonl"), self.metrics()).unwrap();
        std::fs::write(dir.join("tensors.safetensors"), self.tensors()).unwrap();
        dir
    }

    /// Writes the directory and probes it.
    pub(crate) fn probed(&self, root: &Path) -> PathBuf {
        let dir = self.write(root);
        probe().arg("run").arg(&dir).args(["--permutations", "99"]).assert().success();
        dir
    }

    fn config(&self) -> String {
        let sigma = self.sigma.map_or(String::new(), |sigma| format!("sigma = {sigma:?}\n"));
        format!(
            "schema = 1\nexperiment = \"lst\"\narm = \"{}\"\nscale = \"{}\"\nunknown = 3\n[seeds]\nseed = {}\n\
             [task]\nkind = \"latin-square\"\npool = 10\n[model]\nblocks = {}\n[model.encoding]\nkind = \"{}\"\n{sigma}",
            self.arm, self.scale, self.seed, self.blocks, self.kind
        )
    }

    fn manifest(&self) -> String {
        serde_json::json!({
            "schema": 1, "run_id": format!("{}-{}", self.arm, self.seed), "status": "complete",
            "config_hash": format!("hash-{}-{}-{}", self.arm, self.seed, self.extra),
            "code_version": "x", "device": "cpu", "threads": 1, "steps": self.epochs * 63, "epochs": self.epochs,
            "stopped_by": "epochs", "dataset": {"name": "lst", "source": self.source, "sha256": "d", "train": 8100},
        })
        .to_string()
    }

    fn metrics(&self) -> String {
        let mut text = String::new();
        for epoch in 0..=self.epochs {
            let share = epoch as f64 / self.epochs as f64;
            let line = |split: &str, level: &str, accuracy: f64| {
                serde_json::json!({"kind": "evaluation", "step": epoch * 63, "epoch": epoch, "split": split,
                    "level": level, "n": 108, "loss": 1.0, "accuracy": accuracy, "seconds": 1.5})
                .to_string()
                    + "\n"
            };
            text += &line("train-full", "all", self.train_accuracy * share);
            text += &line("test", "all", self.accuracy * share);
            text += &line("generalization", "all", self.accuracy * share);
            text += &line("generalization", "quaternary", 0.5 * self.accuracy * share);
            text += "{\"kind\":\"encoding\",\"step\":0,\"epoch\":0,\"table\":\"block-0\",\"rms\":0.2}\n";
        }
        text
    }

    pub(crate) fn tensors(&self) -> Vec<u8> {
        let mut rng = StreamRng::seed_from_u64(self.seed);
        let mut normal = |count: usize| -> Vec<f64> {
            let mut one = || {
                (-2.0 * (1.0 - rng.random::<f64>()).ln()).sqrt()
                    * (rng.random::<f64>() * std::f64::consts::TAU).cos()
            };
            (0..count).map(|_| one()).collect()
        };
        let mut uniform = StreamRng::seed_from_u64(self.seed + 1_000);
        let mut tensors: Vec<(String, Vec<usize>, Vec<f64>)> = Vec::new();
        let coords = (0..TOKENS).flat_map(|t| [(t / 4) as f64, (t % 4) as f64]).collect();
        tensors.push(("coords".into(), vec![TOKENS, 2], coords));
        // 36 puzzles in 3 forms each, the first of them answered right.
        let right = (36.0 * self.accuracy).round() as usize;
        let correct = (0..108).map(|item| if item / 3 < right { 1.0 } else { 0.0 }).collect();
        tensors.push(("generalization.correct".into(), vec![108], correct));
        let units = (0..108).map(|item| (item / 3) as f64).collect();
        tensors.push(("generalization.unit".into(), vec![108], units));
        for block in 0..self.blocks {
            if let Some(sigma) = self.sigma {
                let init: Vec<f64> = normal(TOKENS * self.width).iter().map(|v| v * sigma).collect();
                let (rows, columns, noise) =
                    (normal(4 * self.width), normal(4 * self.width), normal(TOKENS * self.width));
                let change = |i: usize| {
                    let (t, c) = (i / self.width, i % self.width);
                    let planted = rows[t / 4 * self.width + c] + columns[t % 4 * self.width + c];
                    self.geometry * planted + self.noise * noise[i]
                };
                let last = init.iter().enumerate().map(|(i, v)| v + change(i)).collect();
                tensors.push((format!("pe.init.block-{block}"), vec![TOKENS, self.width], init));
                tensors.push((format!("pe.final.block-{block}"), vec![TOKENS, self.width], last));
            } else if self.kind == "sinusoid-kd" {
                for when in ["init", "final"] {
                    let coords = ndarray::Array2::from_shape_fn((16, 2), |(t, a)| [t / 4, t % 4][a] as f64);
                    let table = probe::sinusoid::sinusoid_kd(coords.view(), self.width).unwrap();
                    let name = format!("pe.{when}.block-{block}");
                    tensors.push((name, vec![TOKENS, self.width], table.into_raw_vec_and_offset().0));
                }
            }
            let mut map = Vec::new();
            for (query, key) in (0..TOKENS).flat_map(|q| (0..TOKENS).map(move |k| (q, k))) {
                let shares = query / 4 == key / 4 || query % 4 == key % 4;
                map.push(0.1 + self.attention * f64::from(u8::from(shares)) + 0.3 * uniform.random::<f64>());
            }
            tensors.push((format!("attention.final.block-{block}"), vec![1, TOKENS, TOKENS], map));
        }
        write_tensors(&tensors, "1")
    }
}

pub(crate) fn write_tensors(tensors: &[(String, Vec<usize>, Vec<f64>)], schema: &str) -> Vec<u8> {
    let bytes: Vec<Vec<u8>> =
        tensors.iter().map(|(_, _, v)| v.iter().flat_map(|v| (*v as f32).to_le_bytes()).collect()).collect();
    let views = tensors
        .iter()
        .zip(&bytes)
        .map(|((name, shape, _), bytes)| (name, TensorView::new(Dtype::F32, shape.clone(), bytes).unwrap()));
    serialize(views, Some(HashMap::from([("schema".to_owned(), schema.to_owned())]))).unwrap()
}

pub(crate) fn probe() -> Command {
    Command::cargo_bin("probe").unwrap()
}

/// Runs `probe claims` with the project's own claims, and returns the verdicts by id and the printed table.
pub(crate) fn claims(dirs: &[PathBuf], root: &Path) -> (HashMap<String, serde_json::Value>, String) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../xtask/claims.toml");
    let out = root.join("claims.json");
    let done =
        probe().arg("claims").args(dirs).args(["--claims", file, "--out"]).arg(&out).assert().success();
    let text = String::from_utf8(done.get_output().stdout.clone()).unwrap();
    let json: Vec<serde_json::Value> = serde_json::from_slice(&std::fs::read(out).unwrap()).unwrap();
    (json.into_iter().map(|claim| (claim["id"].as_str().unwrap().to_owned(), claim)).collect(), text)
}
