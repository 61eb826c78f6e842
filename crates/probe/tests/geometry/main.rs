//! Geometry and structure: golden values of reference libraries, laws, degenerate input.

mod decode;
mod degenerate;
mod golden;
mod golden_structure;
mod guide;
mod laws;
mod null;
mod structure;
mod support;
