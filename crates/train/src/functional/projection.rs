//! The part of a table that coordinates predict.

use nalgebra::DMatrix;
use pe_core::Coords;
use serde::Serialize;

use crate::TrainError;
use crate::observe::Table;

/// How rows are predicted from coordinates, by ordinary least squares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Projection {
    /// An effect of each value on each axis: one-hot row plus one-hot column on a grid. Nothing is said about the
    /// order of rows, nor about single cells.
    Additive,
    /// A constant and the coordinates themselves.
    Linear,
}

/// How much of a table's variance around its mean row a projection keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kept {
    /// The share.
    pub share: f64,
    /// The share that is expected of independent rows, which know nothing: effects beside the constant, by rows less one.
    pub of_random: f64,
}

impl Projection {
    /// The prediction, and what it keeps of the variance around the mean row (`None` where there is none).
    ///
    /// # Errors
    /// When there are not as many coordinates as rows, or so many effects that any table would be predicted exactly.
    pub fn apply(self, table: &Table, coords: &Coords) -> Result<(Vec<f32>, Option<Kept>), TrainError> {
        let bad = |problem: String| TrainError::Config { place: format!("table `{}`", table.name), problem };
        if table.tokens != coords.tokens() {
            let (rows, tokens) = (table.tokens, coords.tokens());
            return Err(bad(format!("{rows} rows: expected {tokens}, one for each token")));
        }
        let basis = range(self.design(coords));
        if basis.ncols() >= table.tokens {
            return Err(bad(format!(
                "{} effects on {} rows predict any table exactly: project with `linear` instead",
                basis.ncols(),
                table.tokens
            )));
        }
        let width = table.values.len() / table.tokens;
        let values =
            DMatrix::from_row_iterator(table.tokens, width, table.values.iter().map(|&v| f64::from(v)));
        let predicted = &basis * (basis.transpose() * &values);
        let mean = values.row_mean();
        let spread: f64 = values.row_iter().map(|row| (row - &mean).norm_squared()).sum();
        let rest = (&values - &predicted).norm_squared();
        let kept = (spread > 0.0).then(|| Kept {
            share: 1.0 - rest / spread,
            of_random: (basis.ncols() as f64 - 1.0) / (table.tokens as f64 - 1.0),
        });
        // By row: nalgebra stores by column.
        Ok((predicted.transpose().iter().map(|v| *v as f32).collect(), kept))
    }

    /// `[tokens, effects]`, with the constant among what they span.
    fn design(self, coords: &Coords) -> DMatrix<f64> {
        let tokens = coords.tokens();
        let mut columns = vec![vec![1.0; tokens]];
        for axis in 0..coords.axes() {
            let on_axis: Vec<f64> = (0..tokens).map(|token| coords.row(token)[axis]).collect();
            match self {
                Self::Linear => columns.push(on_axis),
                Self::Additive => {
                    let mut values = on_axis.clone();
                    values.sort_by(f64::total_cmp);
                    values.dedup();
                    let one_hot =
                        |value: &f64| on_axis.iter().map(|x| f64::from(u8::from(x == value))).collect();
                    columns.extend(values.iter().map(one_hot));
                }
            }
        }
        DMatrix::from_iterator(tokens, columns.len(), columns.into_iter().flatten())
    }
}

/// An orthonormal basis of what the columns span.
fn range(design: DMatrix<f64>) -> DMatrix<f64> {
    let largest = design.nrows().max(design.ncols()) as f64;
    let svd = design.svd(true, false);
    let bound = svd.singular_values.max() * largest * f64::EPSILON;
    let kept: Vec<usize> =
        (0..svd.singular_values.len()).filter(|&i| svd.singular_values[i] > bound).collect();
    let rows = svd.u.as_ref().map_or(0, DMatrix::nrows);
    svd.u.map_or(DMatrix::zeros(rows, 0), |u| u.select_columns(&kept))
}

#[cfg(test)]
mod tests {
    use rand_distr::{Distribution, StandardNormal};
    use streams::{Stream, Streams};

    use super::*;

    fn grid_table(f: impl Fn(f64, f64) -> [f64; 2]) -> (Table, Coords) {
        let coords = Coords::grid(&[4, 4]).unwrap();
        let values = (0..16).flat_map(|i| f(coords.row(i)[0], coords.row(i)[1])).map(|v| v as f32).collect();
        (Table { name: "block-0".to_owned(), tokens: 16, values }, coords)
    }

    fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
        a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    }

    #[test]
    fn what_is_additive_stays_and_what_is_an_interaction_goes() {
        let (table, coords) = grid_table(|r, c| [(3.0 * r).sin() + c * c, 2.0 - (r - 1.0).powi(3)]);
        let (kept, explained) = Projection::Additive.apply(&table, &coords).unwrap();
        assert!(largest_difference(&kept, &table.values) < 1e-5);
        assert!((explained.unwrap().share - 1.0).abs() < 1e-9);
        // Signs that sum to zero over every row and every column.
        let sign = |r: f64, c: f64| if (r + c) % 2.0 == 0.0 { 1.0 } else { -1.0 };
        let (table, coords) = grid_table(|r, c| [sign(r, c), -2.0 * sign(r, c)]);
        let (kept, explained) = Projection::Additive.apply(&table, &coords).unwrap();
        assert!(kept.iter().all(|v| v.abs() < 1e-6), "{kept:?}");
        assert!(explained.unwrap().share.abs() < 1e-9);
    }

    /// Of independent normal rows the two-way effects keep 6 of 15 degrees of freedom on average: 0.4, and not 0.
    #[test]
    fn what_is_kept_of_noise_is_as_expected() {
        let (mut table, coords) = grid_table(|_, _| [0.0, 0.0]);
        let draws = 40;
        let shares = (0..draws).map(|seed| {
            let mut rng = Streams::new(seed).rng_for(Stream::PeInit, "projection");
            table.values = (0..16 * 160).map(|_| StandardNormal.sample(&mut rng)).collect();
            let kept = Projection::Additive.apply(&table, &coords).unwrap().1.unwrap();
            assert!((kept.of_random - 0.4).abs() < 1e-12);
            kept.share
        });
        let mean = shares.sum::<f64>() / draws as f64;
        // The share of one draw has a standard deviation of 0.014.
        assert!((mean - 0.4).abs() < 0.01, "{mean}");
    }

    /// On a full grid the additive prediction is row mean plus column mean minus grand mean.
    #[test]
    fn on_a_grid_it_is_the_two_way_decomposition() {
        let (table, coords) = grid_table(|r, c| [(1.0 + r * 4.0 + c).sin(), (r * c + 0.3).cos()]);
        let (kept, _) = Projection::Additive.apply(&table, &coords).unwrap();
        let at = |r: usize, c: usize, f: usize| f64::from(table.values[(4 * r + c) * 2 + f]);
        for f in 0..2 {
            for (r, c) in (0..16).map(|i| (i / 4, i % 4)) {
                let row = (0..4).map(|c| at(r, c, f)).sum::<f64>() / 4.0;
                let column = (0..4).map(|r| at(r, c, f)).sum::<f64>() / 4.0;
                let all = (0..16).map(|i| at(i / 4, i % 4, f)).sum::<f64>() / 16.0;
                let got = f64::from(kept[(4 * r + c) * 2 + f]);
                assert!((got - (row + column - all)).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn linear_keeps_planes_and_additive_refuses_scattered_points() {
        let (table, coords) = grid_table(|r, c| [1.0 + 2.0 * r - c, 0.5 * c]);
        let (kept, _) = Projection::Linear.apply(&table, &coords).unwrap();
        assert!(largest_difference(&kept, &table.values) < 1e-5);
        let scattered = Coords::new((0..16).map(|i| f64::from(i * i)).collect(), 1).unwrap();
        let error = Projection::Additive.apply(&table, &scattered).unwrap_err().to_string();
        assert!(error.contains("16 effects on 16 rows predict any table exactly"), "{error}");
    }
}
