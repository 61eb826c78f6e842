//! Prints the tables of `docs/choosing-a-measure.md`:
//! `cargo run --release -p probe --example choosing_a_measure`

use ndarray::{Array2, Axis};
use probe::cka::{Estimator, Gram, Kernel};
use probe::dcor::Centred;
use probe::decode::{Alpha, Decoder, Folds};
use probe::identifiability::Untrained;
use probe::pca::pca;
use probe::procrustes::{Alignment, procrustes};
use probe::sinusoid::sinusoid_kd;
use probe::{StatError, spectrum};
use streams::Streams;

fn main() -> Result<(), StatError> {
    let streams = Streams::new(0);
    random_tables(&streams)?;
    println!();
    norms(&streams)?;
    println!();
    columns_and_rows(&streams)
}

/// Why a random table reads 0.6.
fn random_tables(streams: &Streams) -> Result<(), StatError> {
    const DRAWS: usize = 100;
    println!("Random tables against the coordinates of a 6 x 6 grid, mean (sd) of {DRAWS} draws, seed 0");
    println!("  table       biased dcor  diagonal's share  corrected dcor    biased CKA  unbiased CKA");
    let coords = grid(6);
    let (grid_distances, grid_gram) =
        (Centred::new(coords.view())?, Gram::new(coords.view(), Kernel::Linear)?);
    let untrained = Untrained::new(1.0)?;
    for width in [1, 4, 16, 64, 256, 1024] {
        let mut columns: [Vec<f64>; 5] = Default::default();
        for draw in 0..DRAWS {
            let table = untrained.table((36, width), draw, 0, streams);
            let distances = Centred::new(table.view())?;
            let (dcor, dcov) = (distances.dcor(&grid_distances)?, distances.covariance(&grid_distances)?);
            let gram = Gram::new(table.view(), Kernel::Linear)?;
            // Both are means of products of centred distances; what the unbiased one lacks is the diagonal.
            let diagonal = 1.0 - dcov.unbiased * (36.0 * 33.0) / (dcov.biased * (36.0 * 36.0));
            let row = [
                dcor.biased,
                diagonal,
                dcor.bias_corrected,
                gram.cka(&grid_gram, Estimator::Biased)?,
                gram.cka(&grid_gram, Estimator::Unbiased)?,
            ];
            columns.iter_mut().zip(row).for_each(|(column, value)| column.push(value));
        }
        let [biased, diagonal, corrected, cka, unbiased_cka] = columns.map(|column| Summary::of(&column));
        let share = diagonal.mean;
        println!(
            "  36 x {width:<4}  {biased:>12}  {share:>16.2}  {corrected:>14}  {cka:>12}  {unbiased_cka:>12}"
        );
    }
    Ok(())
}

/// Why the Procrustes distance follows the norm.
fn norms(streams: &Streams) -> Result<(), StatError> {
    println!(
        "One random 16 x 160 table at five sizes, and the 2-D sinusoid with noise, against the 2-D sinusoid"
    );
    println!("  table               entries  Frobenius  disparity  corrected dcor");
    let truth = sinusoid_kd(grid(4).view(), 160)?;
    let truth_distances = Centred::new(truth.view())?;
    let noise = Untrained::new(1.0)?.table((16, 160), 0, 0, streams);
    let line = |name: &str, table: Array2<f64>| -> Result<(), StatError> {
        let fit = procrustes(truth.view(), table.view(), Alignment::Orthogonal)?;
        let dcor = Centred::new(table.view())?.dcor(&truth_distances)?.bias_corrected;
        let size = (table.mapv(|v| v * v).sum() / table.len() as f64).sqrt();
        println!("  {name:<18}  {size:>7.2}  {:>9.1}  {:>9.2}  {dcor:>14.2}", fit.frobenius, fit.disparity);
        Ok(())
    };
    for size in [0.1, 0.2, 0.5, 1.0, 2.0] {
        line("random", &noise * size)?;
    }
    for size in [0.1, 1.0, 4.0] {
        line("sinusoid and noise", (&truth + &noise * 0.2) * size)?;
    }
    Ok(())
}

/// Why least squares on 384 columns of 410 rows explodes.
fn columns_and_rows(streams: &Streams) -> Result<(), StatError> {
    const ROWS: usize = 512;
    println!("Decoding the position from {ROWS} rows, 5 folds (about 410 rows to fit on): out-of-fold R²");
    println!("  columns  smallest s  random: OLS    ridge   PCA-64   position in it: OLS    ridge   PCA-64");
    let position = Array2::from_shape_fn((ROWS, 1), |(row, _)| row as f64);
    let folds = Folds::shuffled(ROWS, 5, streams)?;
    let untrained = Untrained::new(1.0)?;
    for width in [16, 64, 192, 384, 400, 409, 512, 768, 1536] {
        let random = untrained.table((ROWS, width), 1, 0, streams);
        // The position, of the size of one column, along a random direction.
        let unit = position.mapv(|p| (p - 255.5) / 147.8);
        let planted = &random + &unit.dot(&untrained.table((1, width), 2, 0, streams));
        let (train, _) = folds.split(0);
        let fitted_on = random.select(Axis(0), &train);
        let centred = &fitted_on - &fitted_on.mean_axis(Axis(0)).unwrap_or_default();
        let least = spectrum::singular_values(centred.view())?
            .iter()
            .copied()
            .filter(|s| *s > 1e-9)
            .fold(f64::MAX, f64::min);
        print!("  {width:>7}  {least:>10.2}");
        for (table, gap) in [(&random, 13), (&planted, 21)] {
            let r2 = |x: &Array2<f64>, alpha| Decoder::new(x.view(), &folds, alpha)?.decode(position.view());
            let ols = r2(table, Alpha::Fixed(0.0))?.r2_mean;
            let ridge = r2(table, Alpha::nested())?.r2_mean;
            let first = pca(table.view())?.first(64);
            let components = r2(&first, Alpha::Fixed(0.0))?.r2_mean;
            print!("{ols:>gap$.2}  {ridge:>7.2}  {components:>7.2}");
        }
        println!();
    }
    Ok(())
}

fn grid(side: usize) -> Array2<f64> {
    Array2::from_shape_fn((side * side, 2), |(token, axis)| [token / side, token % side][axis] as f64)
}

/// A mean and a standard deviation.
struct Summary {
    mean: f64,
    sd: f64,
}

impl Summary {
    fn of(values: &[f64]) -> Self {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (values.len() - 1) as f64;
        Self { mean, sd: variance.sqrt() }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(&format!("{:.2} ({:.2})", self.mean, self.sd))
    }
}
