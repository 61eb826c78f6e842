//! Simulated subjects on one graph.

use ndarray::Array2;
use sha2::{Digest, Sha256};
use streams::{Stream, Streams};

use super::{Graph, NetworkConfig, NetworkError, NetworkStats, NetworkWarning, Operator, simulate};
use crate::masked::Recording;

/// The activity of some subjects, and the graph that they share.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkData {
    /// How it was made.
    pub config: NetworkConfig,
    /// The ground truth, and the coupling before subjects differ in it.
    pub graph: Graph,
    /// Of each subject `[frames, nodes]`.
    pub series: Vec<Array2<f32>>,
}

impl NetworkData {
    /// Builds the graph, checks the dynamics on it, and simulates each subject from a stream of its own: the
    /// sub-streams `network/graph`, `network/weights/N` and `network/noise/N` of `data`, `N` counting subjects from 0.
    /// So further subjects change none of the others.
    ///
    /// # Errors
    /// Before anything is simulated: [`NetworkError::Setting`], [`NetworkError::Disconnected`],
    /// [`NetworkError::Unbounded`], [`NetworkError::StepTooLarge`]. After: [`NetworkError::Diverged`].
    pub fn generate(config: &NetworkConfig, streams: &Streams) -> Result<Self, NetworkError> {
        config.validate()?;
        let graph = Graph::build(&config.graph, streams)?;
        config.dynamics.check(graph.coupling())?;
        let series = (0..config.subjects)
            .map(|subject| subject_series(config, &graph, subject, streams))
            .collect::<Result<_, _>>()?;
        Ok(Self { config: config.clone(), graph, series })
    }

    /// What decides whether there is anything to learn.
    pub fn stats(&self) -> NetworkStats {
        NetworkStats::of(self)
    }

    /// What makes the data hard or useless to learn from, before anything is trained.
    pub fn warnings(&self) -> Vec<NetworkWarning> {
        NetworkWarning::of(&self.config.dynamics, &self.stats())
    }

    /// The subjects as recordings, named `subject-0` and so on.
    pub fn recordings(&self) -> Vec<Recording> {
        let named = |(number, frames): (usize, &Array2<f32>)| Recording {
            subject: format!("subject-{number}"),
            frames: frames.clone(),
        };
        self.series.iter().enumerate().map(named).collect()
    }

    /// A hash of the activity and of the ground truth, in hexadecimal: the SHA-256 of `network/1`, then the number of
    /// rows and of columns and the values, all little-endian, of the distances (double precision) and of each
    /// subject's frames (single).
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(b"network/1");
        let mut matrix = |rows: usize, columns: usize, bytes: Vec<u8>| {
            hash.update((rows as u64).to_le_bytes());
            hash.update((columns as u64).to_le_bytes());
            hash.update(bytes);
        };
        let distances = self.graph.distances();
        let bytes = distances.iter().flat_map(|value| value.to_le_bytes()).collect();
        matrix(distances.nrows(), distances.ncols(), bytes);
        for series in &self.series {
            let bytes = series.iter().flat_map(|value| value.to_le_bytes()).collect();
            matrix(series.nrows(), series.ncols(), bytes);
        }
        format!("{:x}", hash.finalize())
    }
}

fn subject_series(
    config: &NetworkConfig,
    graph: &Graph,
    subject: usize,
    streams: &Streams,
) -> Result<Array2<f32>, NetworkError> {
    let dynamics = &config.dynamics;
    let operator = if config.weight_jitter > 0.0 {
        let mut rng = streams.rng_for(Stream::Data, &format!("network/weights/{subject}"));
        let coupling = graph.coupling().jittered(config.weight_jitter, &mut rng);
        dynamics.check(&coupling)?;
        Operator::new(&coupling, dynamics.storage)
    } else {
        Operator::new(graph.coupling(), dynamics.storage)
    };
    let mut rng = streams.rng_for(Stream::Data, &format!("network/noise/{subject}"));
    simulate(&operator, dynamics, config.frames, &mut rng)
}
