//! Folds of a cross-validation, exactly as scikit-learn lays them without shuffling.

use std::ops::Range;

use crate::StatError;

/// `KFold(folds)`: consecutive blocks of 0..n, the first n mod `folds` of them one larger.
pub fn k_fold(n: usize, folds: usize) -> Vec<Range<usize>> {
    let (size, larger) = (n / folds.max(1), n % folds.max(1));
    let start = |fold: usize| fold * size + fold.min(larger);
    (0..folds).map(|fold| start(fold)..start(fold + 1)).collect()
}

/// `StratifiedKFold(folds)`: the test fold of each item. Every class is dealt to the folds in the shares that it has
/// of the sorted labels, and its items go to their folds in order.
///
/// Refuses labels of which either class has fewer items than there are folds.
pub fn stratified(labels: &[bool], folds: usize) -> Result<Vec<usize>, StatError> {
    // The class seen first counts as the first one, which decides who gets the odd items.
    let first = labels.first().copied().unwrap_or_default();
    let of_first = labels.iter().filter(|&&label| label == first).count();
    for got in [of_first, labels.len() - of_first] {
        if got < folds {
            return Err(StatError::TooFew {
                what: "items of each class in a stratified cross-validation",
                least: folds,
                got,
            });
        }
    }
    let queue = |range: Range<usize>| -> Vec<usize> {
        let share = |fold: usize| range.clone().filter(|item| item % folds == fold).count();
        (0..folds).flat_map(|fold| std::iter::repeat_n(fold, share(fold))).collect()
    };
    let (mut firsts, mut others) =
        (queue(0..of_first).into_iter(), queue(of_first..labels.len()).into_iter());
    let fold = |&label: &bool| if label == first { firsts.next() } else { others.next() };
    Ok(labels.iter().map(fold).map(Option::unwrap_or_default).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_cover_everything_once() {
        assert_eq!(k_fold(12, 5), [0..3, 3..6, 6..8, 8..10, 10..12]);
        assert_eq!(k_fold(5, 5), [0..1, 1..2, 2..3, 3..4, 4..5]);
    }

    /// By hand: 3 x A then 4 x B; sorted AAABBBB dealt to 2 folds: A to 0, 1, 0; B to 1, 0, 1, 0.
    #[test]
    fn classes_are_dealt_out() {
        let labels = [true, true, false, true, false, false, false];
        assert_eq!(stratified(&labels, 2).unwrap(), [0, 0, 0, 1, 0, 1, 1]);
        assert!(stratified(&[true, true, false], 2).is_err());
        assert!(stratified(&[], 2).is_err());
    }
}
