//! Run directories of recordings, as a trainer would write them, with a planted truth.

use std::path::{Path, PathBuf};

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use streams::StreamRng;

use crate::support::{probe, write_tensors};

/// Ten homologous pairs and one region in the middle.
pub(crate) const REGIONS: usize = 21;
pub(crate) const WIDTH: usize = 12;

/// A run whose tables change towards the places by so much.
#[derive(Clone)]
pub(crate) struct RecordingRun {
    pub(crate) sigma: f64,
    pub(crate) seed: u64,
    pub(crate) planted: f64,
    pub(crate) variant: &'static str,
    pub(crate) source: &'static str,
    pub(crate) has_places: bool,
    pub(crate) kind: &'static str,
    pub(crate) loss: f64,
    /// Whether the table takes homologues for one place.
    pub(crate) is_folded: bool,
}

impl RecordingRun {
    pub(crate) fn new(sigma: f64, seed: u64) -> Self {
        let (variant, source, kind) = ("raw", "files", "learned");
        Self {
            sigma,
            seed,
            planted: 1.0,
            variant,
            source,
            has_places: true,
            kind,
            loss: 0.6,
            is_folded: false,
        }
    }

    /// Writes the directory, and returns it.
    pub(crate) fn write(&self, root: &Path) -> PathBuf {
        let id = format!("{}-{}-{}-{}", self.variant, self.kind, self.sigma, self.seed);
        let dir = root.join(&id);
        std::fs::create_dir_all(&dir).unwrap();
        let arm =
            if self.kind == "learned" { format!("learn-{:?}", self.sigma) } else { self.kind.to_owned() };
        let config = format!(
            "schema = 1\nexperiment = \"fmri\"\nvariant = \"{}\"\narm = \"{arm}\"\nscale = \"standard\"\n[seeds]\nseed = {}\n\
             [task]\nkind = \"recordings\"\n[model.encoding]\nkind = \"{}\"\nsigma = {:?}\n",
            self.variant, self.seed, self.kind, self.sigma
        );
        let manifest = serde_json::json!({
            "schema": 1, "run_id": id, "status": "complete", "config_hash": id, "steps": 10, "epochs": 8,
            "stopped_by": "epochs", "dataset": {"name": "recordings", "source": self.source, "sha256": "d"},
        });
        let line = |split: &str, level: &str, loss: f64| {
            serde_json::json!({"kind": "evaluation", "step": 10, "epoch": 8, "split": split, "level": level, "n": 9,
                "loss": loss, "r2": 1.0 - loss, "seconds": 1.0})
            .to_string()
                + "\n"
        };
        let metrics = line("train-full", "all", 0.5) + &line("generalization", "0.9", self.loss);
        std::fs::write(dir.join("config.toml"), config).unwrap();
        std::fs::write(dir.join("manifest.json"), manifest.to_string()).unwrap();
        std::fs::write(dir.join("metrics.jsonl"), metrics).unwrap();
        std::fs::write(dir.join("tensors.safetensors"), self.tensors()).unwrap();
        dir
    }

    /// Writes the directory and probes it.
    pub(crate) fn probed(&self, root: &Path) -> PathBuf {
        let dir = self.write(root);
        probe().arg("run").arg(&dir).args(["--permutations", "99"]).assert().success();
        dir
    }

    fn tensors(&self) -> Vec<u8> {
        let mut rng = StreamRng::seed_from_u64(self.seed);
        let mut noise = |count: usize, size: f64| -> Vec<f64> {
            (0..count).map(|_| size * (2.0 * rng.random::<f64>() - 1.0)).collect()
        };
        let (init, wobble, turn) =
            (noise(REGIONS * WIDTH, self.sigma), noise(REGIONS * WIDTH, 0.05), noise(3 * WIDTH, 1.0));
        let places = places();
        let planted = |i: usize| {
            let mut place = places.row(i / WIDTH).to_vec();
            if self.is_folded {
                place[0] = place[0].abs();
            }
            // Front and back, which the communities are of, count most.
            let scale = [40.0, 20.0, 40.0];
            let sum: f64 =
                (0..3).map(|axis| place[axis] / scale[axis] * turn[axis * WIDTH + i % WIDTH]).sum();
            self.planted * sum + wobble[i]
        };
        let last: Vec<f64> = init.iter().enumerate().map(|(i, v)| v + planted(i)).collect();
        let table = vec![REGIONS, WIDTH];
        let mut tensors = vec![
            ("truth.correlation".to_owned(), vec![REGIONS, REGIONS], correlation(&places)),
            ("truth.modules".to_owned(), vec![REGIONS], (0..REGIONS).map(|i| (i % 3) as f64).collect()),
            ("pe.init.block-0".to_owned(), table.clone(), init),
            ("pe.final.block-0".to_owned(), table, last),
        ];
        if self.has_places {
            let flags = (0..REGIONS).map(|i| if i < 16 { 1.0 } else { 0.0 }).collect();
            tensors.push(("coords".to_owned(), vec![REGIONS, 3], places.into_raw_vec_and_offset().0));
            tensors.push(("truth.hemisphere".to_owned(), vec![REGIONS], (0..REGIONS).map(side).collect()));
            tensors.push(("truth.cortical".to_owned(), vec![REGIONS], flags));
        } else {
            let index = (0..REGIONS).map(|i| i as f64).collect();
            tensors.push(("coords".to_owned(), vec![REGIONS, 1], index));
            tensors.push(("truth.placeless".to_owned(), vec![1], vec![1.0]));
        }
        write_tensors(&tensors, "1")
    }
}

/// -1, 1, -1, 1, ... and 0 for the one in the middle.
pub(crate) fn side(region: usize) -> f64 {
    if region + 1 == REGIONS { 0.0 } else { [-1.0, 1.0][region % 2] }
}

/// Mirrored pairs in mm.
fn places() -> Array2<f64> {
    Array2::from_shape_fn((REGIONS, 3), |(region, axis)| {
        let pair = (region / 2) as f64;
        match axis {
            0 => side(region) * (12.0 + 4.0 * pair),
            1 => 50.0 * (1.9 * pair).sin(),
            _ => 40.0 * (1.1 * pair).cos(),
        }
    })
}

/// Falls with distance, homologues correlate; front and back do not, so that there are communities.
fn correlation(places: &Array2<f64>) -> Vec<f64> {
    let value = |i: usize, j: usize| {
        let (a, b) = (places.row(i), places.row(j));
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let homologues = if i / 2 == j / 2 { 0.3 } else { 0.0 };
        let same = if (a[1] > 0.0) == (b[1] > 0.0) { 0.2 } else { -0.2 };
        if i == j { 1.0 } else { 0.5 * (-apart / 30.0).exp() + homologues + same }
    };
    (0..REGIONS * REGIONS).map(|at| value(at / REGIONS, at % REGIONS)).collect()
}
