//! Geometry and structure: golden values of reference libraries, laws, degenerate input.

mod agreement;
mod decode;
mod degenerate;
mod golden;
mod golden_structure;
mod guide;
mod laws;
mod null;
mod spatial;
mod structure;
mod support;
