//! Geometry and structure: golden values of reference libraries, laws, degenerate input.

mod agreement;
mod beyond;
mod decode;
mod degenerate;
mod golden;
mod golden_structure;
mod guide;
mod laws;
mod null;
mod spatial;
mod spatial_rates;
mod structure;
mod support;
