//! Tables made of the correlations alone, without any training: what RSA beyond correlations comes to for a table that has
//! seen nothing else.
//!
//! The partial correlation takes one minus the correlation as a covariate, in ranks and linearly. What a table knows of
//! correlations in another way than that, their indirect paths above all, stays in. So a trained table's RSA beyond
//! correlations can only be read against that of these tables.

use ndarray::{Array2, Axis, s};
use ndarray_linalg::{Eigh, UPLO};
use serde::{Deserialize, Serialize};

use super::Reference;
use super::form::{Form, Plain, Prober};
use crate::StatError;

/// How many leading principal components such a table has.
const COMPONENTS: [usize; 2] = [4, 6];

/// A table made of the correlations of tokens over the training items (`truth.correlation`, C) and of nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CorrelationTable {
    /// How it is made.
    pub made_of: MadeOf,
    /// Columns.
    pub width: usize,
    /// Against each reference that trained tables are held against beyond another one, without tests.
    pub references: Vec<Untested>,
}

/// How a table is made of correlations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MadeOf {
    /// The rows of C.
    Rows,
    /// The leading principal components: eigenvectors of C times the roots of their eigenvalues, `width` of them (4 and 6).
    Components,
}

/// A table against a reference, without tests; null where undefined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Untested {
    /// The reference.
    pub reference: Reference,
    /// Squared U-statistic distance correlation.
    pub dcor_bias_corrected: Option<f64>,
    /// Spearman correlation of the table's cosine RDM with the reference RDM.
    pub rsa_cosine: Option<f64>,
    /// The same and that of the Euclidean RDM beyond another reference (partial Spearman).
    pub beyond: UntestedBeyond,
}

/// RSA beyond another reference, without tests.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct UntestedBeyond {
    /// The other one.
    pub other: Reference,
    /// Of the Euclidean RDM.
    pub rsa_euclidean: Option<f64>,
    /// Of the cosine RDM.
    pub rsa_cosine: Option<f64>,
}

/// The rows of `correlation`, then 4 and 6 of its components (fewer tokens than that: as many as there are).
pub(super) fn reports(correlation: &Array2<f64>, forms: &[Form]) -> Result<Vec<CorrelationTable>, StatError> {
    // Rounding may have left the two halves unlike.
    let both = (correlation + &correlation.t()) / 2.0;
    let mut tables = vec![(MadeOf::Rows, both.clone())];
    for count in COMPONENTS {
        tables.push((MadeOf::Components, components(&both, count)?));
    }
    let report = |(made_of, table): (MadeOf, Array2<f64>)| {
        let prober = Prober::new(table.view())?;
        let untested = |form: &Form| form.plain(&prober).map(|plain| plain.map(Untested::from));
        let references = forms.iter().filter_map(|form| untested(form).transpose());
        Ok(CorrelationTable {
            made_of,
            width: table.ncols(),
            references: references.collect::<Result<_, _>>()?,
        })
    };
    tables.into_iter().map(report).collect()
}

/// Eigenvectors of the largest eigenvalues, each times the root of its eigenvalue, [tokens, count].
fn components(correlation: &Array2<f64>, count: usize) -> Result<Array2<f64>, StatError> {
    let (rows, columns) = correlation.dim();
    let failed = |source| StatError::Svd { rows, columns, source };
    let (values, vectors) = correlation.eigh(UPLO::Lower).map_err(failed)?;
    // LAPACK gives them ascending.
    let first = rows.saturating_sub(count);
    let roots = values.slice(s![first..]).mapv(|value| value.max(0.0).sqrt());
    let mut scaled = &vectors.slice(s![.., first..]) * &roots;
    scaled.invert_axis(Axis(1));
    Ok(scaled)
}

impl From<Plain> for Untested {
    fn from(plain: Plain) -> Self {
        let Plain {
            reference,
            dcor_bias_corrected,
            rsa_cosine,
            other,
            beyond: [rsa_euclidean, beyond_cosine],
        } = plain;
        let beyond = UntestedBeyond { other, rsa_euclidean, rsa_cosine: beyond_cosine };
        Self { reference, dcor_bias_corrected, rsa_cosine, beyond }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rdm::{Measure, Rdm};
    use crate::report::truth::seen;

    /// Nodes in a row whose correlations fall with the distance: exp(-d / 2).
    fn chain(nodes: usize) -> Array2<f64> {
        Array2::from_shape_fn((nodes, nodes), |(i, j)| (-(i.abs_diff(j) as f64) / 2.0).exp())
    }

    /// All components give the correlations back as inner products; a few give the best approximation (Eckart and Young
    /// 1936), what is left being the other eigenvalues.
    #[test]
    fn components_are_those_of_the_correlations() {
        let correlation = chain(8);
        let all = components(&correlation, 8).unwrap();
        let left = |table: &Array2<f64>| (&correlation - &table.dot(&table.t())).mapv(|v| v * v).sum();
        assert!(left(&all) < 1e-24);
        let few = components(&correlation, 3).unwrap();
        let eigenvalues: Vec<f64> = all.columns().into_iter().map(|column| column.dot(&column)).collect();
        assert!(eigenvalues.is_sorted_by(|a, b| a >= b), "{eigenvalues:?}");
        let others: f64 = eigenvalues[3..].iter().map(|value| value * value).sum();
        assert!((left(&few) - others).abs() < 1e-12);
        assert_eq!(components(&correlation, 20).unwrap().dim(), (8, 8), "no more than there are");
    }

    /// What such tables tell of the places of a chain whose correlations have errors of this size.
    fn told(size: f64) -> Vec<CorrelationTable> {
        let nodes = 24;
        let places = Array2::from_shape_fn((nodes, 1), |(node, _)| node as f64);
        let distances = Rdm::of_rows(places.view(), Measure::Euclidean).unwrap();
        let error = |i: usize, j: usize| {
            let (low, high) = (i.min(j), i.max(j));
            // Whole numbers from 0 to 10 without an order, the same for both halves.
            let error = ((low * 7 + high * 13 + low * high * 5) % 11) as f64 / 10.0 - 0.5;
            if i == j { 0.0 } else { size * error }
        };
        let found = chain(nodes) + Array2::from_shape_fn((nodes, nodes), |(i, j)| error(i, j));
        let seen = seen(&found).unwrap();
        let beyond = Some((Reference::Correlations, seen.clone()));
        let positions = Form { beyond, ..Form::new(Reference::Positions, distances, None) };
        reports(&found, &[positions, Form::new(Reference::Correlations, seen, None)]).unwrap()
    }

    /// Where each distance follows from its correlation, nothing of the places is left beyond correlations: undefined. A little
    /// error in them, and the rows of the very same correlations, which know nothing else, have much of it.
    #[test]
    fn a_table_that_has_seen_correlations_alone_is_told_beyond_them() {
        let tables = told(0.05);
        let made: Vec<_> = tables.iter().map(|table| (table.made_of, table.width)).collect();
        assert_eq!(made, [(MadeOf::Rows, 24), (MadeOf::Components, 4), (MadeOf::Components, 6)]);
        for table in &tables {
            let [one] = table.references.as_slice() else {
                panic!("the reference that is beyond nothing: left out")
            };
            assert_eq!((one.reference, one.beyond.other), (Reference::Positions, Reference::Correlations));
        }
        let of_rows = |tables: &[CorrelationTable]| tables[0].references[0].beyond.rsa_cosine;
        assert!(of_rows(&tables).unwrap() > 0.3, "{:?}", tables[0]);
        assert_eq!(of_rows(&told(0.0)), None);
    }
}
