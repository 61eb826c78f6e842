//! RSA beyond the Hamming distance: what is exchangeable are rows and columns, not cells.

use crate::spatial_rates::rejected;
use crate::support::*;
use ndarray::Array2;
use probe::compare::{Comparison, partial};
use probe::permutation::{Permutations, Permuted, Tail, rsa_beyond};
use probe::rdm::{Measure, Rdm, hamming};
use streams::Streams;

/// Effects of rows and of columns, in no order, and noise.
fn rook_table(seed: u64, columns: usize, noise: f64) -> Array2<f64> {
    let [rows, lines] = [normal(seed, 4, columns), normal(seed + 50_000, 4, columns)];
    let own = normal(seed + 100_000, 16, columns);
    Array2::from_shape_fn((16, columns), |(t, c)| rows[[t / 4, c]] + lines[[t % 4, c]] + noise * own[[t, c]])
}

/// Tables of rows and columns without order know nothing of order: at 0.05, 5 % are called ordered when rows and columns are
/// permuted; permutations of single cells call many more so.
#[test]
fn rows_and_columns_without_order_are_not_called_ordered() {
    let rook = hamming(grid(4).view()).unwrap();
    let order = Rdm::of_rows(grid(4).view(), Measure::Euclidean).unwrap();
    let how = Comparison::Spearman;
    for (columns, noise) in [(3, 1.0), (12, 0.5)] {
        let (mut levels, mut cells) = (Vec::new(), Vec::new());
        for seed in 0..300 {
            let rdm = Rdm::of_rows(rook_table(seed, columns, noise).view(), Measure::Cosine).unwrap();
            let set = Permutations::new(16, 999, &Streams::new(seed));
            let tested = rsa_beyond(&rdm, &order, &rook, how, Tail::Greater, &set).unwrap();
            levels.push(tested.p);
            if seed < 150 {
                let few = Permutations::new(16, 199, &Streams::new(seed));
                cells.push(few.p(tested.value, Tail::Greater, |row| {
                    let order_of = row.iter().map(|&item| item as usize).collect::<Vec<_>>();
                    let moved = rdm.resampled(&order_of).unwrap();
                    partial(moved.values(), order.values(), rook.values(), how).unwrap()
                }));
            }
        }
        let [right, wrong] = [&levels, &cells].map(|p| rejected(p, 0.05));
        println!("{columns} columns, noise {noise}: levels {right}, cells {wrong}");
        assert!((0.015..=0.08).contains(&right) && wrong > 0.08, "levels {right}, cells {wrong}");
        centred_at(&levels, 0.5);
    }
}

/// The p is k/576, the identity counted: a table that is the grid itself has the least possible p but for its mirror images,
/// which are orders of levels too: 2 x 2 of them.
#[test]
fn all_orders_of_levels_are_counted() {
    let rook = hamming(grid(4).view()).unwrap();
    let order = Rdm::of_rows(grid(4).view(), Measure::Euclidean).unwrap();
    let set = Permutations::new(16, 576, &Streams::new(0));
    let kept = set.keeping(&rook);
    assert_eq!((kept.count(), kept.is_exact(), kept.permuted()), (576, true, Permuted::AxisLevels));
    assert_eq!((set.count(), set.is_exact(), set.permuted()), (576, false, Permuted::Tokens));
    let found = rsa_beyond(&order, &order, &rook, Comparison::Pearson, Tail::Greater, &set).unwrap();
    assert!((found.value - 1.0).abs() < 1e-10 && found.p == 4.0 / 576.0, "{found:?}");
    // Fewer are drawn; the identity counts.
    let few = Permutations::new(16, 99, &Streams::new(0));
    assert_eq!((few.keeping(&rook).count(), few.keeping(&rook).is_exact()), (99, false));
    // What is no full grid, or another control, keeps the permutations of tokens.
    let part = hamming(grid(4).slice(ndarray::s![..15, ..])).unwrap();
    assert_eq!(Permutations::new(15, 99, &Streams::new(0)).keeping(&part).permuted(), Permuted::Tokens);
    assert_eq!(set.keeping(&order).permuted(), Permuted::Tokens);
}

/// Neither the names of rows and columns nor the order of tokens, nor the unit of the control, changes value or exact p.
#[test]
fn names_of_tokens_do_not_matter() {
    let coords = grid(4);
    let of = |rows: &[usize], factor: f64| {
        let [coords, table] = [&coords, &rook_table(3, 12, 0.5)].map(|x| x.select(ndarray::Axis(0), rows));
        let rook = hamming(coords.view()).unwrap().scaled(factor).unwrap();
        let order = Rdm::of_rows(coords.view(), Measure::Euclidean).unwrap();
        let rdm = Rdm::of_rows(table.view(), Measure::Euclidean).unwrap();
        let set = Permutations::new(16, 999, &Streams::new(7));
        rsa_beyond(&rdm, &order, &rook, Comparison::Spearman, Tail::Greater, &set).unwrap()
    };
    let first = of(&(0..16).collect::<Vec<_>>(), 1.0);
    let other = of(&(0..16).map(|token| token * 7 % 16).collect::<Vec<_>>(), 0.5);
    close(&[other.value, other.p], &[first.value, first.p]);
}
