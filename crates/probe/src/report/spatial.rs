//! p against surrogates that are as smooth in space as the table: of what data without places tell.

use ndarray::{Array2, ArrayView2};
use serde::{Deserialize, Serialize};

use super::drawing::Drawing;
use super::modules::similarities;
use super::statistic::finite;
use super::{Reference, Statistic, TableReport};
use crate::StatError;
use crate::centring::Centring;
use crate::compare::{Comparison, dot, partial_of, standardised};
use crate::network::{NegativeWeights, Partition, Signs, modularity, segregation};
use crate::rdm::{Rdm, over_pairs};
use crate::spatial::{Smoothness, SpatialNull, Withheld};

/// The surrogates of a table, and whether they are like it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SpatialReport {
    /// How smooth the table is from place to place, by its variogram.
    pub smoothness: Smoothness,
    /// How far smoothness reaches, in the units of the places.
    pub length: f64,
    /// The share of surrogates whose variograms are as far off the fitted curve as the table's; null where the length is at
    /// its edge.
    pub fit_p: Option<f64>,
    /// Why every `p_spatial` of the table is missing, where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withheld: Option<Withheld>,
}

/// The surrogates of a run's places, and what tables are held against.
pub(super) struct Spatial {
    null: SpatialNull,
    /// Of what is seen, and of the places.
    ranks: [Vec<f64>; 2],
    centred: Centring,
    /// Those of the given labels, those of the communities.
    modules: [Option<Partition>; 2],
    drawing: Drawing,
}

impl Spatial {
    /// None where all tokens are at one place. `seen`: one minus the correlations.
    pub(super) fn new(
        places: &Rdm,
        seen: &Rdm,
        modules: [Option<Partition>; 2],
        drawing: Drawing,
    ) -> Result<Option<Self>, StatError> {
        if places.conditions() < 3 || places.values().iter().all(|distance| *distance <= 0.0) {
            return Ok(None);
        }
        Ok(Some(Self {
            null: SpatialNull::of_distances(places)?,
            ranks: [seen, places].map(|rdm| standardised(rdm.values(), Comparison::Spearman)),
            centred: Centring::new(seen.values().to_vec(), vec![0.0; seen.conditions()]),
            modules,
            drawing,
        }))
    }

    /// Adds `p_spatial` to the statistics of a table that know no places.
    pub(super) fn add_to(&self, report: &mut TableReport, table: &Array2<f64>) -> Result<(), StatError> {
        let (draws, streams) = (self.drawing.count_of_few(), self.drawing.streams());
        if draws == 0 {
            return Ok(());
        }
        let statistics = |inner: ArrayView2<f64>| self.statistics(inner);
        let fit = self.null.fit(table.view())?;
        let found = fit.test_inner_products(table.view(), draws, &streams, statistics)?;
        report.spatial = Some(SpatialReport {
            smoothness: fit.kernel().smoothness(),
            length: fit.kernel().length(),
            fit_p: finite(found.fit_p),
            withheld: found.withheld,
        });
        let mut targets: Vec<Option<&mut Statistic>> = Vec::new();
        match report.references.iter_mut().find(|one| one.reference == Reference::Correlations) {
            Some(one) => {
                targets.push(Some(&mut one.rsa_euclidean));
                targets.push(Some(&mut one.rsa_cosine));
                targets.push(Some(&mut one.dcor_bias_corrected));
                match one.beyond.as_mut().filter(|beyond| beyond.other == Reference::Positions) {
                    Some(beyond) => {
                        targets.extend([Some(&mut beyond.rsa_euclidean), Some(&mut beyond.rsa_cosine)])
                    }
                    None => targets.extend([None, None]),
                }
            }
            None => targets.extend([None, None, None, None, None]),
        }
        match &mut report.modules {
            Some(one) => targets.extend([Some(&mut one.modularity), Some(&mut one.segregation)]),
            None => targets.extend([None, None]),
        }
        match &mut report.communities {
            Some(one) => targets.extend([Some(&mut one.modularity), Some(&mut one.segregation)]),
            None => targets.extend([None, None]),
        }
        for (target, p) in targets.into_iter().zip(found.p) {
            if let Some(statistic) = target {
                statistic.p_spatial = finite(p).filter(|_| statistic.value.is_some());
            }
        }
        Ok(())
    }

    /// From the inner products of a table's rows: RSA (Euclidean, cosine) and distance correlation with what is seen, the two
    /// RSA beyond the places, then modularity and segregation of both partitions. NaN where undefined.
    fn statistics(&self, inner: ArrayView2<f64>) -> Result<Vec<f64>, StatError> {
        let n = inner.nrows();
        let size = |i: usize| inner[[i, i]];
        let apart = |i: usize, j: usize| (size(i) + size(j) - 2.0 * inner[[i, j]]).max(0.0).sqrt();
        let euclidean = over_pairs(n, apart);
        let cosine = over_pairs(n, |i, j| 1.0 - inner[[i, j]] / (size(i) * size(j)).sqrt());
        let [seen, places] = &self.ranks;
        let rsa = |values: &[f64]| {
            if !values.iter().all(|value| value.is_finite()) {
                return [f64::NAN; 2];
            }
            let ranks = standardised(values, Comparison::Spearman);
            let plain = dot(&ranks, seen);
            [plain, partial_of(plain, dot(&ranks, places), dot(seen, places))]
        };
        let [by_euclidean, by_cosine] = [rsa(&euclidean), rsa(&cosine)];
        let dcor = Centring::new(euclidean, vec![0.0; n]).corrected_cosine(&self.centred);
        let mut all = vec![by_euclidean[0], by_cosine[0], dcor, by_euclidean[1], by_cosine[1]];
        let weights = similarities(&centred(inner))?;
        for partition in &self.modules {
            let (Some(weights), Some(partition)) = (&weights, partition) else {
                all.extend([f64::NAN; 2]);
                continue;
            };
            all.push(modularity(weights, partition, 1.0, Signs::Asymmetric)?);
            all.push(segregation(weights, partition, NegativeWeights::AsZero)?.value);
        }
        Ok(all)
    }
}

/// Inner products of the rows minus the mean row.
fn centred(inner: ArrayView2<f64>) -> Array2<f64> {
    let n = inner.nrows() as f64;
    let sums = inner.sum_axis(ndarray::Axis(1));
    let mean = sums.sum() / (n * n);
    Array2::from_shape_fn(inner.dim(), |(i, j)| inner[[i, j]] - (sums[i] + sums[j]) / n + mean)
}
