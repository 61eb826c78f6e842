//! Puzzles as items: 16 cells of 5 features, one label.

use std::path::PathBuf;

use pe_core::{Coords, EncoderConfig, Positions, Readout};
use streams::Streams;
use tasks::latin_square::{self as lst, LatinSquareData, Level, Puzzle};

use super::{Dataset, DatasetIdentity, LatinSquareConfig, Objective, Split, Task};
use crate::TrainError;

impl Task for LatinSquareConfig {
    fn objective(&self) -> Objective {
        Objective::CrossEntropy
    }

    fn sizes(&self) -> [usize; 4] {
        let order = self.generator.order;
        [order + 1, order, order * order, 2]
    }

    fn validate(&self, model: &EncoderConfig, _batch: usize) -> Result<(), TrainError> {
        self.generator.validate().map_err(|error| TrainError::from(error).at("`task.generator`"))?;
        if model.readout == Readout::All {
            return Err(TrainError::Config {
                place: "model.readout".to_owned(),
                problem: "`all` does not fit the task, which asks for one token: expected `last` or `target`"
                    .to_owned(),
            });
        }
        Ok(())
    }

    fn load(&self, streams: &Streams) -> Result<Dataset, TrainError> {
        load(self, streams)
    }

    fn is_generated(&self) -> bool {
        self.puzzles.is_none()
    }

    fn set_hash(&mut self, sha256: &str) {
        self.sha256 = Some(sha256.to_owned());
    }

    fn forget_place(&mut self) {
        if self.sha256.is_some() {
            self.puzzles = None;
        }
    }

    fn set_place(&mut self, folder: PathBuf) -> Result<(), TrainError> {
        self.puzzles = Some(folder);
        Ok(())
    }
}

fn load(config: &LatinSquareConfig, streams: &Streams) -> Result<Dataset, TrainError> {
    let (data, place) = match &config.puzzles {
        Some(folder) => (LatinSquareData::load(folder, streams)?, folder.display().to_string()),
        None => (LatinSquareData::generate(&config.generator, streams)?, "the generator".to_owned()),
    };
    if data.order != config.generator.order {
        return Err(TrainError::Config {
            place,
            problem: format!(
                "puzzles of order {}, but `task.generator.order` is {}: set it to {}",
                data.order, config.generator.order, data.order
            ),
        });
    }
    let sha256 = data.sha256();
    if let Some(expected) = &config.sha256
        && *expected != sha256
    {
        return Err(TrainError::OtherData { place, expected: expected.clone(), got: sha256 });
    }
    let identity = DatasetIdentity {
        name: "latin-square".to_owned(),
        source: data.source.to_string(),
        sha256,
        train: data.train.len(),
        test: data.test.len(),
        generalization: data.generalization.len(),
    };
    let coordinates = lst::coordinates(data.order);
    let coords = Coords::new(coordinates.iter().copied().collect(), coordinates.ncols())?;
    Ok(Dataset {
        positions: Positions::in_order(coords),
        places: None,
        features: data.order + 1,
        objective: config.objective(),
        levels: Level::ALL.iter().map(Level::to_string).collect(),
        train: split(&data.train),
        redraw: None,
        test: split(&data.test),
        generalization: split(&data.generalization),
        identity,
        centres: Vec::new(),
        truth: Vec::new(),
        tokens: None,
        baselines: None,
    })
}

fn split(puzzles: &[Puzzle]) -> Split {
    let level = |puzzle: &Puzzle| Level::ALL.iter().position(|l| *l == puzzle.level()).unwrap_or_default();
    Split {
        tokens: lst::tokens(puzzles).into_raw_vec_and_offset().0,
        labels: lst::labels(puzzles),
        targets: puzzles.iter().map(Puzzle::target).collect(),
        levels: puzzles.iter().map(level).collect(),
        // Where one has none, numbers would clash with its item's.
        units: puzzles.iter().map(Puzzle::group).collect::<Option<Vec<u32>>>().unwrap_or_default(),
        ..Split::default()
    }
}
