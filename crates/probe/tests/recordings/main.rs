//! `probe run`, `probe agreement` and `probe claims` on recordings: regions of a brain that has two sides.

mod agreement;
mod claims;
mod report;
mod run;
#[path = "../support/mod.rs"]
mod support;
