#![doc = include_str!("../README.md")]

pub mod latin_square;
