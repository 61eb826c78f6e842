//! `probe procrustes`.

use clap::Args;
use ndarray::{Array2, ArrayView2, Axis, concatenate};
use probe::io::TablePath;
use probe::procrustes::{Alignment, procrustes};
use serde_json::json;

use super::failure::Failure;
use super::input::Pair;
use super::outcome::Outcome;

#[derive(Args)]
pub(super) struct ProcrustesArgs {
    /// The first table
    a: TablePath,
    /// The second table, over the same observations in the same order; it is rotated onto the first
    b: TablePath,
    /// Give the narrower table columns of zeros until both are as wide
    #[arg(long)]
    pad: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub(super) fn main(args: &ProcrustesArgs) -> Result<(), Failure> {
    let pair = Pair::read(&args.a, &args.b)?;
    let [a, b] = pair.views();
    let width = a.ncols().max(b.ncols());
    if a.ncols() != b.ncols() && !args.pad {
        return Err(Failure::Usage(format!(
            "{}: expected {} columns, as {} has, got {}; --pad gives the narrower table columns of zeros",
            pair.b.source,
            a.ncols(),
            pair.a.source,
            b.ncols()
        )));
    }
    let (a, b) = (padded(a, width), padded(b, width));
    let mut outcome = Outcome::new("procrustes", &["alignment", "disparity", "frobenius"])
        .fact("tables", pair.facts())
        .fact("n", pair.n())
        .fact("padded", args.pad)
        .fact("disparity", "both centred and scaled to unit norm: scale-free, 0 to 1")
        .fact("frobenius", "both centred, not scaled: grows with the norm of either");
    let alignments =
        [(Alignment::Orthogonal, "rotation or reflection"), (Alignment::Rotation, "rotation only")];
    for (alignment, name) in alignments {
        let found = procrustes(a.view(), b.view(), alignment).map_err(|error| pair.told(error))?;
        outcome.row([json!(name), json!(found.disparity), json!(found.frobenius)]);
    }
    outcome.print(args.json)
}

fn padded(table: ArrayView2<f64>, width: usize) -> Array2<f64> {
    let zeros = Array2::zeros((table.nrows(), width - table.ncols()));
    concatenate(Axis(1), &[table, zeros.view()]).unwrap_or_else(|_| table.to_owned())
}
