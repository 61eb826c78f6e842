//! Frames of a stochastic network as items: each node a token, some of them masked.

use std::path::PathBuf;

use pe_core::{Coords, EncoderConfig, Positions};
use streams::Streams;
use tasks::masked::MaskedData;
use tasks::network::{Graph, NetworkData};

use super::masked::{self, Known, MaskedItems, numbers, truth};
use super::{Dataset, NetworkTaskConfig, Objective, Task, Truth};
use crate::TrainError;

impl Task for NetworkTaskConfig {
    fn objective(&self) -> Objective {
        Objective::SquaredError
    }

    fn sizes(&self) -> [usize; 4] {
        let graph = &self.network.graph;
        // Modules that lie nowhere have their number for a coordinate.
        [masked::features(&self.masked), 1, graph.nodes(), graph.axes().max(1)]
    }

    fn validate(&self, model: &EncoderConfig, batch: usize) -> Result<(), TrainError> {
        self.network.validate().map_err(|error| TrainError::from(error).at("`task.network`"))?;
        let nodes = self.network.graph.nodes();
        self.masked.validate(nodes).map_err(|error| TrainError::from(error).at("`task.masked`"))?;
        masked::validate(&self.masked, model, batch)
    }

    fn load(&self, streams: &Streams) -> Result<Dataset, TrainError> {
        load(self, streams)
    }

    fn is_generated(&self) -> bool {
        true
    }

    fn set_hash(&mut self, sha256: &str) {
        self.sha256 = Some(sha256.to_owned());
    }

    fn forget_place(&mut self) {}

    fn set_place(&mut self, folder: PathBuf) -> Result<(), TrainError> {
        let place = folder.display().to_string();
        let problem =
            "the task `network` simulates its data and reads no folder: leave --puzzles out".to_owned();
        Err(TrainError::Config { place, problem })
    }
}

fn load(config: &NetworkTaskConfig, streams: &Streams) -> Result<Dataset, TrainError> {
    let network = NetworkData::generate(&config.network, streams)?;
    let sha256 = network.sha256();
    if let Some(expected) = &config.sha256
        && *expected != sha256
    {
        let place = "the simulation".to_owned();
        return Err(TrainError::OtherData { place, expected: expected.clone(), got: sha256 });
    }
    let graph = &network.graph;
    let data = MaskedData::new(network.recordings(), &config.masked, streams)?;
    let items = MaskedItems::new(data, Some(graph.distances()), None);
    let known = Known {
        name: "network",
        source: "generated",
        sha256,
        positions: Positions::in_order(coords(graph)?),
        places: None,
        truth: ground_truth(graph, &items),
        tokens: None,
    };
    items.into_dataset(known)
}

/// Where nodes are; of modules that lie nowhere, the number of the module, to be read as a name.
fn coords(graph: &Graph) -> Result<Coords, TrainError> {
    let coords = match (graph.layout(), graph.modules()) {
        (Some(layout), _) => {
            let coords = layout.coords();
            Coords::new(coords.iter().copied().collect(), coords.ncols())
        }
        (None, modules) => {
            Coords::new(modules.unwrap_or_default().iter().map(|&module| module as f64).collect(), 1)
        }
    };
    Ok(coords?)
}

/// Periods of closed axes, modules, couplings, and the correlations that come of them.
fn ground_truth(graph: &Graph, items: &MaskedItems) -> Vec<Truth> {
    let mut all = vec![truth("coupling", &graph.coupling().to_dense()), items.correlations()];
    if let Some(periods) = graph.layout().and_then(|layout| layout.periods()) {
        all.push(numbers("periods", periods.iter().map(|period| *period as f32)));
    }
    if let Some(modules) = graph.modules() {
        all.push(numbers("modules", modules.iter().map(|&module| module as f32)));
    }
    all
}
