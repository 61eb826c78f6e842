//! Kendall's τ in O(m log m), after Knight (1966).

use crate::StatError;

/// Kendall's τ-a of two finite vectors: (concordant - discordant) / (m (m - 1) / 2). NaN for fewer than 2
/// values; 0 for a constant vector.
pub fn tau_a(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    super::correlation(x, y, super::Comparison::KendallTauA)
}

/// Kendall's τ-b of two finite vectors: (concordant - discordant) / sqrt((pairs not tied in x) (pairs not tied
/// in y)), as SciPy's `kendalltau`. NaN for a constant vector.
pub fn tau_b(x: &[f64], y: &[f64]) -> Result<f64, StatError> {
    super::correlation(x, y, super::Comparison::KendallTauB)
}

/// Ranks 1, 2, ... of the distinct values.
pub(super) fn dense_ranks(values: &[f64]) -> Vec<f64> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    // 0.0 and -0.0 are one value.
    distinct.dedup_by(|a, b| a == b);
    values.iter().map(|value| distinct.partition_point(|d| d < value) as f64 + 1.0).collect()
}

/// One vector of dense ranks, sorted once, so that many vectors (permutations of another one) can be compared
/// with it.
#[derive(Debug, Clone)]
pub(crate) struct Ordered {
    /// Positions by ascending rank.
    order: Vec<u32>,
    /// Ends of the runs of equal ranks.
    ends: Vec<usize>,
    ties: u64,
}

impl Ordered {
    /// Sorts positions by their dense rank.
    pub(crate) fn by(ranks: &[f64]) -> Self {
        let mut order: Vec<u32> = (0..ranks.len() as u32).collect();
        order.sort_unstable_by(|&i, &j| ranks[i as usize].total_cmp(&ranks[j as usize]).then(i.cmp(&j)));
        let (mut ends, mut ties) = (Vec::new(), 0);
        for run in order.chunk_by(|&i, &j| ranks[i as usize] == ranks[j as usize]) {
            ends.push(ends.last().copied().unwrap_or(0) + run.len());
            ties += choose_two(run.len());
        }
        Self { order, ends, ties }
    }

    /// τ-a with a vector of dense ranks.
    pub(crate) fn tau_a(&self, other: &[f64]) -> f64 {
        self.surplus(other).0 / choose_two(other.len()) as f64
    }

    /// τ-b with a vector of dense ranks.
    pub(crate) fn tau_b(&self, other: &[f64]) -> f64 {
        let total = choose_two(other.len());
        let (surplus, ties) = self.surplus(other);
        // Rounding of the roots may leave 1 by a hair.
        (surplus / ((total - self.ties) as f64).sqrt() / ((total - ties) as f64).sqrt()).clamp(-1.0, 1.0)
    }

    /// Concordant minus discordant pairs, and the pairs tied in the other vector.
    fn surplus(&self, other: &[f64]) -> (f64, u64) {
        let mut ranks: Vec<u32> =
            self.order.iter().map(|&position| other[position as usize] as u32).collect();
        // Within ties of this vector the other ascends, so that no inversion is counted there.
        let (mut start, mut joint) = (0, 0);
        for &end in &self.ends {
            if end - start > 1 {
                ranks[start..end].sort_unstable();
                joint += ties_of_sorted(&ranks[start..end]);
            }
            start = end;
        }
        let mut buffer = vec![0; ranks.len()];
        let discordant = sort_counting(&mut ranks, &mut buffer);
        let other_ties = ties_of_sorted(&ranks);
        let total = choose_two(ranks.len());
        // Whole numbers below 2^53 for up to 10^8 distances.
        let surplus =
            total as f64 - self.ties as f64 - other_ties as f64 + joint as f64 - 2.0 * discordant as f64;
        (surplus, other_ties)
    }
}

/// n (n - 1) / 2.
fn choose_two(n: usize) -> u64 {
    let n = n as u64;
    n * n.saturating_sub(1) / 2
}

fn ties_of_sorted(ranks: &[u32]) -> u64 {
    ranks.chunk_by(|a, b| a == b).map(|run| choose_two(run.len())).sum()
}

/// Sorts, and counts the inversions that this takes.
fn sort_counting(values: &mut [u32], buffer: &mut [u32]) -> u64 {
    const BY_INSERTION: usize = 12;
    let n = values.len();
    if n <= BY_INSERTION {
        return insertion_counting(values);
    }
    let middle = n / 2;
    let (left, right) = values.split_at_mut(middle);
    let (left_buffer, right_buffer) = buffer.split_at_mut(middle);
    let mut inversions = sort_counting(left, left_buffer) + sort_counting(right, right_buffer);
    if left[middle - 1] <= right[0] {
        return inversions;
    }
    let (mut l, mut r) = (0, 0);
    for slot in buffer[..n].iter_mut() {
        let take_left = r == right.len() || (l < left.len() && left[l] <= right[r]);
        if take_left {
            *slot = left[l];
            l += 1;
        } else {
            *slot = right[r];
            r += 1;
            inversions += (left.len() - l) as u64;
        }
    }
    values.copy_from_slice(&buffer[..n]);
    inversions
}

fn insertion_counting(values: &mut [u32]) -> u64 {
    let mut inversions = 0;
    for end in 1..values.len() {
        let value = values[end];
        let mut at = end;
        while at > 0 && values[at - 1] > value {
            values[at] = values[at - 1];
            at -= 1;
        }
        values[at] = value;
        inversions += (end - at) as u64;
    }
    inversions
}
