#![doc = include_str!("../README.md")]

mod batch;
pub mod benchmark;
mod checkpoint;
pub mod clip;
pub mod compare;
pub mod config;
pub mod device;
mod error;
pub mod evaluate;
pub mod exchange;
pub mod functional;
pub mod measure;
pub mod metrics;
mod objective;
pub mod observe;
pub mod optimizer;
pub mod plan;
pub mod run;
mod run_dir;
pub mod schedule;
mod session;
mod step;
pub mod stop;
pub mod task;
mod tensor_file;
pub mod trained;

pub use config::RunConfig;
pub use error::TrainError;
pub use plan::{Experiment, Plan};
pub use run::{Outcome, RunOptions, run};
pub use run_dir::{Imported, Manifest, spare_runs};
pub use step::TrainBackend;
