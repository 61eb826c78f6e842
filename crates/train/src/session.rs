//! A run in memory: model, optimizer, and where it is.

use std::path::Path;
use std::time::Instant;

use burn::module::AutodiffModule;
use burn::tensor::TensorData;
use pe_core::Encoder;
use pe_core::weights::{self, Weights};

use crate::TrainError;
use crate::batch::batch_range;
use crate::checkpoint::{Checkpoint, Position};
use crate::config::{RunConfig, SCHEMA};
use crate::evaluate::{Score, evaluate, evaluation_dropout, item_scores, mean_attention};
use crate::metrics::{Line, Moment};
use crate::objective::Objective;
use crate::observe::{Table, tables, token_norms};
use crate::optimizer::Optimizer;
use crate::run::Progress;
use crate::step::{TrainBackend, train_step};
use crate::stop::StoppedBy;
use crate::task::{BaselineScore, Dataset, Split};
use crate::tensor_file;

pub(crate) struct Session<B: TrainBackend> {
    config: RunConfig,
    data: Dataset,
    /// Taken out only while a step replaces it.
    model: Option<Encoder<B>>,
    optimizer: Optimizer<B>,
    /// The order of the training items in the epoch at hand.
    order: Vec<usize>,
    position: Position,
    snapshots: Weights,
    /// Running score of the epoch before, for the progress line alone.
    last_running: Score,
    /// Start of this process's part of the run, shifted back by the wall time of earlier parts.
    clock: Clock,
}

struct Clock {
    before: f64,
    since: Instant,
}

impl<B: TrainBackend> Session<B> {
    pub(crate) fn new(config: &RunConfig, data: Dataset) -> Result<Self, TrainError> {
        let model = config.model.init::<B>(&config.seeds, &B::Device::default())?;
        let optimizer = Optimizer::new(config.optimizer.clone());
        let mut session = Self::assemble(config, data, model, optimizer, Position::default());
        session.snapshot("init")?;
        Ok(session)
    }

    pub(crate) fn resume(
        config: &RunConfig,
        data: Dataset,
        checkpoint: Checkpoint,
    ) -> Result<Self, TrainError> {
        let device = B::Device::default();
        let Checkpoint { position, weights, optimizer, snapshots } = checkpoint;
        let model = config.model.init::<B>(&config.seeds, &device)?;
        let model = weights::with_weights(model, weights, "the checkpoint")?;
        let optimizer = Optimizer::with_state(config.optimizer.clone(), position.step, optimizer, &device);
        let session = Self::assemble(config, data, model, optimizer, position);
        Ok(Self { snapshots, ..session })
    }

    /// A session whose training was done elsewhere, from `initial` to `trained`.
    pub(crate) fn imported(
        config: &RunConfig,
        data: Dataset,
        initial: Weights,
        trained: Weights,
    ) -> Result<Self, TrainError> {
        let model = |weights: Weights, place: &str| -> Result<Encoder<B>, TrainError> {
            let model = config.model.init::<B>(&config.seeds, &B::Device::default())?;
            Ok(weights::with_weights(model, weights, place)?)
        };
        let optimizer = Optimizer::new(config.optimizer.clone());
        let first = model(initial, "the initial weights")?;
        let mut session = Self::assemble(config, data, first, optimizer, Position::default());
        session.snapshot("init")?;
        session.model = Some(model(trained, "the trained weights")?);
        Ok(session)
    }

    fn assemble(
        config: &RunConfig,
        data: Dataset,
        model: Encoder<B>,
        optimizer: Optimizer<B>,
        position: Position,
    ) -> Self {
        let mut data = data;
        data.begin_epoch(position.epoch);
        let order = data.order(position.epoch, &config.seeds);
        let clock = Clock { before: position.seconds, since: Instant::now() };
        Self {
            config: config.clone(),
            data,
            model: Some(model),
            optimizer,
            order,
            position,
            snapshots: Weights::new(),
            last_running: Score::default(),
            clock,
        }
    }

    pub(crate) fn position(&self) -> &Position {
        &self.position
    }

    pub(crate) fn progress(&self) -> Progress {
        let running = Score::from(self.position.running);
        let running = if running.n > 0 { running } else { self.last_running };
        Progress {
            step: self.position.step,
            steps: self.most_steps(),
            epoch: self.position.epoch,
            loss: running.loss(),
            accuracy: running.quality(self.data.objective).0,
            seconds: self.clock.seconds(),
        }
    }

    pub(crate) fn checkpoint(&mut self, metrics_bytes: u64) -> Checkpoint {
        self.position.metrics_bytes = metrics_bytes;
        self.position.seconds = self.clock.seconds();
        Checkpoint {
            position: self.position,
            weights: self.model.as_ref().map(weights::weights::<B, _>).unwrap_or_default(),
            optimizer: self.optimizer.state(),
            snapshots: self.snapshots.clone(),
        }
    }

    /// One step, and what an epoch's end brings if it is the last of one. Returns what is to be logged.
    pub(crate) fn advance(&mut self) -> Result<Vec<Line>, TrainError> {
        let range = batch_range(self.order.len(), self.config.batch, self.position.batch);
        let at = (self.position.step, self.most_steps());
        if let Some(model) = self.model.take() {
            let items = &self.order[range];
            let (model, score) = train_step(model, &mut self.optimizer, &self.config, &self.data, items, at)?;
            self.model = Some(model);
            let mut running = Score::from(self.position.running);
            running.add(score);
            self.position.running = running.into();
        }
        self.position.step += 1;
        self.position.batch += 1;
        let out_of_steps = self.position.step >= self.most_steps();
        if self.position.batch == self.per_epoch() || out_of_steps {
            self.end_epoch(out_of_steps)
        } else {
            Ok(Vec::new())
        }
    }

    /// The lines of epoch 0.
    pub(crate) fn look_before_training(&self) -> Result<Vec<Line>, TrainError> {
        let model = self.valid();
        let mut lines = self.evaluation_lines(&model)?;
        lines.extend(self.encoding_lines(&model)?);
        Ok(lines)
    }

    /// The lines of a model that is not trained here.
    pub(crate) fn look_at_the_end(&self) -> Result<Vec<Line>, TrainError> {
        let full = self.score(&self.valid(), "train-full", &self.data.train)?;
        let mut lines: Vec<Line> =
            full.iter().map(|(level, score)| self.line("train-full", level, *score)).collect();
        lines.extend(self.look_before_training()?);
        Ok(lines)
    }

    /// Writes `tensors.safetensors` and `model.safetensors`.
    pub(crate) fn write_results(&mut self, tensors: &Path, model_path: &Path) -> Result<(), TrainError> {
        self.position.seconds = self.clock.seconds();
        self.snapshot("final")?;
        let model = self.valid();
        let device = Default::default();
        let mut all = self.snapshots.clone();
        let probe = self.data.probe();
        let dropout = evaluation_dropout(&self.config.seeds, "attention", self.position.step);
        let maps = mean_attention(&model, &self.data, probe, dropout, &device)?;
        for (block, map) in maps.into_iter().enumerate() {
            all.insert(format!("attention.final.block-{block}"), TensorData::new(map.values, map.shape));
        }
        all.extend(self.answers(&model)?);
        let coords = self.data.places.as_ref().unwrap_or(self.data.positions.coords());
        let values: Vec<f32> = coords.values().iter().map(|v| *v as f32).collect();
        all.insert("coords".to_owned(), TensorData::new(values, [coords.tokens(), coords.axes()]));
        for truth in &self.data.truth {
            let data = TensorData::new(truth.values.clone(), truth.shape.clone());
            all.insert(format!("truth.{}", truth.name), data);
        }
        let norms = token_norms(&model, &self.data, probe, &device);
        let tokens = norms.len();
        all.insert("token_embedding.norms".to_owned(), TensorData::new(norms, [tokens]));
        tensor_file::write(tensors, &all, &[("schema", SCHEMA.to_string())])?;
        tensor_file::write(model_path, &weights::weights(&model), &[("schema", SCHEMA.to_string())])
    }

    /// What is reached without a network; nothing where the task knows no such thing.
    pub(crate) fn baselines(&self) -> Result<Option<Vec<BaselineScore>>, TrainError> {
        self.data.baselines.as_ref().map(|baselines| baselines.scores()).transpose()
    }

    /// A table of the tokens as CSV; nothing where the task does not name them.
    pub(crate) fn tokens(&self) -> Option<&str> {
        self.data.tokens.as_deref()
    }

    /// Which generalization items are answered right, and the unit of each. The dropout is that of the last evaluation,
    /// so that the mean is its accuracy.
    fn answers(&self, model: &Encoder<B::InnerBackend>) -> Result<Vec<(String, TensorData)>, TrainError> {
        let split = &self.data.generalization;
        if self.data.objective != Objective::CrossEntropy || split.is_empty() {
            return Ok(Vec::new());
        }
        let dropout = evaluation_dropout(&self.config.seeds, "generalization", self.position.step);
        let scores = item_scores(model, &self.data, split, dropout, &Default::default())?;
        let correct: Vec<f32> = scores.iter().map(|score| score.correct as f32).collect();
        let units: Vec<f32> = match split.units.is_empty() {
            true => (0..split.len()).map(|item| item as f32).collect(),
            false => split.units.iter().map(|unit| *unit as f32).collect(),
        };
        let tensor = |values: Vec<f32>| TensorData::new(values, [split.len()]);
        Ok(vec![
            ("generalization.correct".to_owned(), tensor(correct)),
            ("generalization.unit".to_owned(), tensor(units)),
        ])
    }

    fn end_epoch(&mut self, out_of_steps: bool) -> Result<Vec<Line>, TrainError> {
        self.position.epoch += 1;
        let epoch = self.position.epoch;
        let running = Score::from(self.position.running);
        let mut lines = vec![self.line("train", "all", running)];

        let model = self.valid();
        let rules = self.config.stop;
        let mut full = None;
        if rules.train_accuracy.is_some_and(|goal| running.accuracy() >= goal) {
            let score = self.score(&model, "train-full", &self.data.train)?;
            if rules.train_accuracy.is_some_and(|goal| score[0].1.accuracy() >= goal) {
                self.position.stopped = Some(StoppedBy::TrainAccuracy);
            }
            full = Some(score);
        }
        if let Some(rule) = rules.plateau
            && self.position.plateau.observe(running.loss(), rule)
        {
            self.position.stopped.get_or_insert(StoppedBy::Plateau);
        }
        if out_of_steps {
            let all_epochs = self.most_steps() == rules.epochs.saturating_mul(self.per_epoch());
            let by = if all_epochs { StoppedBy::Epochs } else { StoppedBy::Steps };
            self.position.stopped.get_or_insert(by);
        }

        let last = self.position.stopped.is_some();
        if last && full.is_none() {
            full = Some(self.score(&model, "train-full", &self.data.train)?);
        }
        for (level, score) in full.into_iter().flatten() {
            lines.push(self.line("train-full", &level, score));
        }
        if last || epoch.is_multiple_of(self.config.record.evaluate_every) {
            lines.extend(self.evaluation_lines(&model)?);
            lines.extend(self.encoding_lines(&model)?);
        }
        if self.config.record.snapshots.contains(&epoch) && !last {
            self.snapshot(&format!("epoch-{epoch}"))?;
        }
        self.last_running = running;
        self.position.batch = 0;
        self.position.running = Score::default().into();
        self.data.begin_epoch(epoch);
        self.order = self.data.order(epoch, &self.config.seeds);
        Ok(lines)
    }

    fn line(&self, split: &str, level: &str, score: Score) -> Line {
        Line::evaluation(self.moment(), split, level, score, self.data.objective)
    }

    fn evaluation_lines(&self, model: &Encoder<B::InnerBackend>) -> Result<Vec<Line>, TrainError> {
        let mut lines = Vec::new();
        for (name, split) in self.data.unseen() {
            for (level, score) in self.score(model, name, split)? {
                lines.push(self.line(name, &level, score));
            }
        }
        Ok(lines)
    }

    /// Scores of a split by level, `all` first; levels without items are left out.
    fn score(
        &self,
        model: &Encoder<B::InnerBackend>,
        name: &str,
        split: &Split,
    ) -> Result<Vec<(String, Score)>, TrainError> {
        let dropout = evaluation_dropout(&self.config.seeds, name, self.position.step);
        let score = evaluate(model, &self.data, split, dropout, &Default::default())?;
        if !score.all.loss().is_finite() {
            return Err(TrainError::Diverged { step: self.position.step, loss: score.all.loss() });
        }
        Ok(score.by_level(&self.data.levels))
    }

    fn encoding_lines(&self, model: &Encoder<B::InnerBackend>) -> Result<Vec<Line>, TrainError> {
        let norms = token_norms(model, &self.data, self.data.probe(), &Default::default());
        let squares = norms.iter().map(|n| f64::from(*n).powi(2)).sum::<f64>();
        let token_rms = (squares / (norms.len() * self.config.model.width) as f64).sqrt();
        let line = |now: Table| {
            let then = self.snapshots.get(&format!("pe.init.{}", now.name))?;
            let then = Table { values: then.to_vec().ok()?, ..now.clone() };
            Some(Line::encoding(self.moment(), &now.name, now.look(&then), token_rms))
        };
        Ok(tables(model, &self.data)?.into_iter().filter_map(line).collect())
    }

    /// Keeps the tables of the encoding under `pe.<when>.<table>`.
    fn snapshot(&mut self, when: &str) -> Result<(), TrainError> {
        for table in tables(&self.valid(), &self.data)? {
            let shape = [table.tokens, table.values.len() / table.tokens];
            let data = TensorData::new(table.values, shape);
            self.snapshots.insert(format!("pe.{when}.{}", table.name), data);
        }
        Ok(())
    }

    fn valid(&self) -> Encoder<B::InnerBackend> {
        // `model` is empty only within `advance`, between taking it out and putting it back.
        let Some(model) = &self.model else { unreachable!("the model is back after every step") };
        model.valid()
    }

    fn moment(&self) -> Moment {
        let Position { step, epoch, .. } = self.position;
        Moment { step, epoch, seconds: self.clock.seconds() }
    }

    fn per_epoch(&self) -> u64 {
        self.order.len().div_ceil(self.config.batch) as u64
    }

    fn most_steps(&self) -> u64 {
        self.config.stop.most_steps(self.per_epoch())
    }
}

impl Clock {
    fn seconds(&self) -> f64 {
        self.before + self.since.elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests;
