//! System segregation: do the systems of a network keep to themselves?

use super::{Partition, Weights};
use crate::permutation::{Permutations, Tail, Tested};
use crate::{StatError, checks};

/// What becomes of negative weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum NegativeWeights {
    /// They count as 0, as in Chan et al. (2014).
    AsZero,
    /// They stay. The mean within systems can then be near 0, and the ratio large.
    Keep,
}

/// Weights within and between the systems of a partition.
#[derive(Debug, Clone, PartialEq)]
pub struct Segregation {
    /// The mean weight over all pairs in the same system. NaN when there is none.
    pub within: f64,
    /// The mean weight over all pairs in different systems. NaN when there is none.
    pub between: f64,
    /// `(within - between) / within`: 1 when nothing goes between, 0 for weights that ignore the systems.
    /// NaN when either mean is undefined, or the one within is not above 0.
    pub value: f64,
    /// The same for each system alone, in the partition's numbering: pairs within it, and pairs of it with all
    /// others. NaN for a system of one item.
    pub systems: Vec<f64>,
}

/// System segregation (Chan et al. 2014, PNAS 111:E4997) of a network given its systems.
///
/// `(Z_w - Z_b) / Z_w`, Z_w and Z_b the mean weights within and between systems over pairs of items. The
/// paper's weights are Fisher z values of correlations with negative ones set to 0; transform correlations
/// first. Weights unrelated to the systems give about 0. Scale-free, not invariant to adding a constant.
pub fn segregation(
    weights: &Weights,
    systems: &Partition,
    negative: NegativeWeights,
) -> Result<Segregation, StatError> {
    weights.same_items(systems)?;
    let sums = Sums::new(weights, systems.modules(), systems.count(), negative);
    let add = |parts: &[Mean]| parts.iter().fold(Mean::default(), |sum, part| sum.plus(*part));
    // Every pair between two systems was counted with both.
    let (within, between) = (add(&sums.within).value(), add(&sums.between).value());
    let systems = sums.within.iter().zip(&sums.between).map(|(w, b)| ratio(w.value(), b.value())).collect();
    Ok(Segregation { within, between, value: ratio(within, between), systems })
}

/// System segregation with its permutation p (one-sided, large is extreme): which item is in which system is
/// permuted, sizes stay. For systems that were not found in the weights themselves.
pub fn segregation_test(
    weights: &Weights,
    systems: &Partition,
    negative: NegativeWeights,
    permutations: &Permutations,
) -> Result<Tested, StatError> {
    checks::same_length("segregation: permuted items", permutations.conditions(), weights.items())?;
    let observed = segregation(weights, systems, negative)?.value;
    Ok(permutations.test(observed, Tail::Greater, |row| {
        let sums = Sums::new(weights, &systems.permuted(row), systems.count(), negative);
        let add = |parts: &[Mean]| parts.iter().fold(Mean::default(), |sum, part| sum.plus(*part));
        ratio(add(&sums.within).value(), add(&sums.between).value())
    }))
}

/// Sums of weights by system.
struct Sums {
    within: Vec<Mean>,
    between: Vec<Mean>,
}

/// A mean in the making.
#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    sum: f64,
    count: usize,
}

impl Mean {
    fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    fn plus(self, other: Self) -> Self {
        Self { sum: self.sum + other.sum, count: self.count + other.count }
    }

    fn value(self) -> f64 {
        self.sum / self.count as f64
    }
}

impl Sums {
    fn new(weights: &Weights, modules: &[usize], count: usize, negative: NegativeWeights) -> Self {
        let mut sums = Self { within: vec![Mean::default(); count], between: vec![Mean::default(); count] };
        for ((i, j), &weight) in weights.view().indexed_iter().filter(|((i, j), _)| i < j) {
            let weight = if negative == NegativeWeights::AsZero { weight.max(0.0) } else { weight };
            if modules[i] == modules[j] {
                sums.within[modules[i]].add(weight);
            } else {
                sums.between[modules[i]].add(weight);
                sums.between[modules[j]].add(weight);
            }
        }
        sums
    }
}

fn ratio(within: f64, between: f64) -> f64 {
    if within > 0.0 { (within - between) / within } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    /// By hand: systems {0, 1} and {2, 3}.
    #[test]
    fn means_are_over_pairs() {
        let weights = array![[0., 4., 1., 1.], [4., 0., 1., -5.], [1., 1., 0., 2.], [1., -5., 2., 0.]];
        let weights = Weights::new(weights.view()).unwrap();
        let systems = Partition::new(&[0, 0, 1, 1]);
        let zeroed = segregation(&weights, &systems, NegativeWeights::AsZero).unwrap();
        assert_eq!((zeroed.within, zeroed.between, zeroed.value), (3.0, 0.75, 0.75));
        assert_eq!(zeroed.systems, [(4.0 - 0.75) / 4.0, (2.0 - 0.75) / 2.0]);
        let kept = segregation(&weights, &systems, NegativeWeights::Keep).unwrap();
        assert_eq!((kept.between, kept.value), (-0.5, 3.5 / 3.0));
    }

    #[test]
    fn what_has_no_pairs_is_undefined() {
        let weights = Weights::new(ndarray::Array2::ones((3, 3)).view()).unwrap();
        let of =
            |labels: &[u8]| segregation(&weights, &Partition::new(labels), NegativeWeights::AsZero).unwrap();
        assert!(of(&[0, 0, 0]).value.is_nan() && of(&[0, 1, 2]).value.is_nan());
        let single = of(&[0, 0, 1]);
        assert!(single.value == 0.0 && single.systems[1].is_nan());
        let none = Weights::new(ndarray::Array2::zeros((3, 3)).view()).unwrap();
        let none = segregation(&none, &Partition::new(&[0, 0, 1]), NegativeWeights::AsZero).unwrap();
        assert!(none.value.is_nan() && none.within == 0.0);
        assert!(segregation(&weights, &Partition::new(&[0; 4]), NegativeWeights::Keep).is_err());
    }
}
