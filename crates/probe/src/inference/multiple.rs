//! Many tests at once.

/// Benjamini-Hochberg adjusted p values, in the order given: the smallest false discovery rate at which each
/// is kept (independent or positively dependent tests). A NaN stays NaN and does not count as a test.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let tests = order.len() as f64;
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut least = 1.0f64;
    for (below, &i) in order.iter().enumerate().rev() {
        least = least.min(p[i] * tests / (below as f64 + 1.0));
        adjusted[i] = least;
    }
    adjusted
}

/// Bonferroni adjusted p values: p times the number of tests, at most 1. A NaN stays NaN and does not count.
pub fn bonferroni(p: &[f64]) -> Vec<f64> {
    let tests = ascending(p).len() as f64;
    p.iter().map(|&p| if p.is_nan() { p } else { (p * tests).min(1.0) }).collect()
}

/// Holm adjusted p values (Holm 1979): as strict about any false positive as Bonferroni, never less powerful.
/// A NaN stays NaN and does not count.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let order = ascending(p);
    let mut adjusted = vec![f64::NAN; p.len()];
    let mut most = 0.0f64;
    for (done, &i) in order.iter().enumerate() {
        most = most.max((p[i] * (order.len() - done) as f64).min(1.0));
        adjusted[i] = most;
    }
    adjusted
}

/// Positions of the p values that are numbers, smallest first.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).filter(|&i| !p[i].is_nan()).collect();
    order.sort_by(|&i, &j| p[i].total_cmp(&p[j]));
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand, for 0.01, 0.04, 0.03 and one that is undefined.
    #[test]
    fn adjusted_by_hand_and_nan_does_not_count() {
        let p = [0.01, f64::NAN, 0.04, 0.03];
        let check = |got: Vec<f64>, expected: [f64; 3]| {
            assert!(got[1].is_nan());
            for (got, expected) in [got[0], got[2], got[3]].iter().zip(expected) {
                assert!((got - expected).abs() < 1e-15, "{got} {expected}");
            }
        };
        check(benjamini_hochberg(&p), [0.03, 0.04, 0.04]);
        check(bonferroni(&p), [0.03, 0.12, 0.09]);
        check(holm(&p), [0.03, 0.06, 0.06]);
        assert!(benjamini_hochberg(&[]).is_empty());
        assert_eq!(bonferroni(&[0.9, 0.9]), [1.0, 1.0]);
    }
}
