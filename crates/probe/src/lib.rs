#![doc = include_str!("../README.md")]

pub mod agreement;
pub mod attention;
pub mod bootstrap;
pub mod cca;
pub mod cka;
pub mod claims;
pub mod compare;
pub mod consensus;
pub mod dcor;
pub mod decode;
pub mod identifiability;
pub mod inference;
pub mod io;
pub mod mds;
pub mod neighbours;
pub mod network;
pub mod noise_ceiling;
pub mod pca;
pub mod permutation;
pub mod positions;
pub mod procrustes;
pub mod rdm;
pub mod regression;
pub mod report;
pub mod ridge;
pub mod run_dir;
pub mod sinusoid;
pub mod spatial;
pub mod spectrum;

mod centring;
mod checks;
mod distances;
mod error;
mod svd;
mod write;

pub use error::StatError;
pub use write::{WriteError, write_json};
