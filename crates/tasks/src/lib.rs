#![doc = include_str!("../README.md")]

mod autocorrelation;
pub mod fmri;
pub mod latin_square;
pub mod masked;
mod matrix;
pub mod network;
mod whole_file;

pub use whole_file::write_whole;
