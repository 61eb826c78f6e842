//! What theory says of grids, rules, solver and generator, on random cases.

use std::sync::LazyLock;

use proptest::prelude::*;
use proptest::sample::{Index, subsequence};
use streams::{Stream, Streams};
use tasks::latin_square::{
    GeneratorConfig, GivensProfile, Grid, LatinSquareData, LatinSquareError, Level, Puzzle, Solution, Square,
    SquareSampler, all_squares, closest, labels, level_and_answer, oriented, solve, tokens,
};

static SQUARES: LazyLock<Vec<Square>> = LazyLock::new(|| all_squares(4).unwrap());

/// Some of the cells of a square of order 4, and a blank target: always possible.
fn part_of_a_square() -> impl Strategy<Value = Grid> {
    let cells = subsequence((0..16).collect::<Vec<usize>>(), 0..=15);
    (any::<Index>(), any::<Index>(), cells).prop_map(|(square, target, given)| {
        let blank: Vec<usize> = (0..16).filter(|cell| !given.contains(cell)).collect();
        let square = square.get(&SQUARES);
        let cells =
            (0..16).map(|cell| if given.contains(&cell) { square.cells()[cell] } else { 0 }).collect();
        Grid::new(4, cells, *target.get(&blank)).unwrap()
    })
}

/// Random symbols in random cells, kept where they repeat nothing: often impossible.
fn any_grid() -> impl Strategy<Value = Grid> {
    (proptest::collection::vec(0u8..=4, 16), 0..16usize).prop_map(|(symbols, target)| {
        let mut cells = vec![0; 16];
        for cell in (0..16).filter(|&cell| cell != target) {
            cells[cell] = symbols[cell];
            if Grid::new(4, cells.clone(), target).is_err() {
                cells[cell] = 0;
            }
        }
        Grid::new(4, cells, target).unwrap()
    })
}

/// The symbols of the target over all 576 squares that have the givens.
fn brute_force(grid: &Grid) -> Solution {
    let fits = |square: &&Square| grid.cells().iter().zip(square.cells()).all(|(g, s)| *g == 0 || g == s);
    let mut answers: Vec<u8> =
        SQUARES.iter().filter(fits).map(|square| square.cells()[grid.target()]).collect();
    answers.sort_unstable();
    answers.dedup();
    match answers[..] {
        [] => Solution::Impossible,
        [answer] => Solution::Unique(answer),
        _ => Solution::Ambiguous,
    }
}

/// The grid with rows, columns and symbols renamed, and transposed if asked.
fn isotope(grid: &Grid, [rows, columns, symbols]: &[Vec<usize>; 3], transpose: bool) -> Grid {
    let order = grid.order();
    let to = |cell: usize| {
        let (row, column) = (rows[cell / order], columns[cell % order]);
        if transpose { column * order + row } else { row * order + column }
    };
    let mut cells = vec![0; order * order];
    for (cell, &symbol) in grid.cells().iter().enumerate().filter(|&(_, &symbol)| symbol != 0) {
        cells[to(cell)] = symbols[usize::from(symbol) - 1] as u8 + 1;
    }
    Grid::new(order, cells, to(grid.target())).unwrap()
}

fn permutations() -> impl Strategy<Value = [Vec<usize>; 3]> {
    let one = || Just((0..4).collect::<Vec<usize>>()).prop_shuffle();
    [one(), one(), one()]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn the_solver_agrees_with_all_squares(part in part_of_a_square(), any in any_grid()) {
        prop_assert_eq!(solve(&part), brute_force(&part));
        prop_assert_eq!(solve(&any), brute_force(&any));
        prop_assert_ne!(solve(&part), Solution::Impossible);
    }

    /// A rule's symbol is the solver's, unless no square has the givens.
    #[test]
    fn the_rules_are_sound(part in part_of_a_square(), any in any_grid()) {
        for grid in [part, any] {
            if let Some((_, answer)) = level_and_answer(&grid) {
                let solution = solve(&grid);
                prop_assert!([Solution::Unique(answer), Solution::Impossible].contains(&solution));
            }
        }
    }

    #[test]
    fn renaming_rows_columns_and_symbols_changes_nothing(
        grid in part_of_a_square(), by in permutations(), transpose in any::<bool>(), turns in 0..9usize,
    ) {
        let renamed = isotope(&grid, &by, transpose);
        let expected = match solve(&grid) {
            Solution::Unique(answer) => Solution::Unique(by[2][usize::from(answer) - 1] as u8 + 1),
            other => other,
        };
        prop_assert_eq!(solve(&renamed), expected);
        let level = |grid: &Grid| level_and_answer(grid).map(|(level, _)| level);
        prop_assert_eq!(level(&renamed), level(&grid));
        let turned = oriented(&grid, turns);
        prop_assert_eq!(level(&turned), level(&grid));
        prop_assert_eq!(turned.givens(), grid.givens());
        prop_assert_eq!(oriented(&turned, 4), oriented(&grid, turns % 4), "at order 4, four turns are none");
    }

    #[test]
    fn text_round_trips(grid in any_grid()) {
        prop_assert_eq!(Grid::from_text(&grid.to_string(), 4).unwrap(), grid);
    }

    /// Any text is refused or read, never a panic, and the refusal is one line.
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*|[0-9T]{81}|[0-5\\n]{16}") {
        for order in 0..=11 {
            if let Err(error) = Puzzle::from_text(&text, order) {
                prop_assert!(!error.to_string().contains('\n'));
            }
        }
    }

    /// Distances from the tokens, as they are defined.
    #[test]
    fn distances_are_those_of_the_tokens(grids in [part_of_a_square(), part_of_a_square()]) {
        let puzzles: Vec<Puzzle> = grids.into_iter().filter_map(|grid| Puzzle::new(grid).ok()).collect();
        let [a, b] = &puzzles[..] else { return Ok(()) };
        let (a, b) = (std::slice::from_ref(a), std::slice::from_ref(b));
        let (ones_a, ones_b) = (tokens(a), tokens(b));
        let either = ones_a.iter().zip(&ones_b).filter(|(a, b)| **a + **b > 0.0).count();
        let both = ones_a.iter().zip(&ones_b).filter(|(a, b)| **a * **b > 0.0).count();
        let expected = (either - both) as f64 / either as f64;
        prop_assert_eq!(closest(a, b).unwrap().distance, expected);
        prop_assert_eq!(closest(b, a).unwrap().distance, expected);
        prop_assert_eq!(ones_a.sum() as usize, puzzles[0].givens() + 1);
        prop_assert_eq!(labels(a), [usize::from(puzzles[0].answer()) - 1]);
    }
}

/// The rules against the solver at the other orders, on parts of random squares.
#[test]
fn the_rules_are_sound_at_every_order() {
    use rand::RngExt;
    for order in [2, 3, 5, 6, 7, 8, 9] {
        let mut rng = Streams::new(order as u64).rng(Stream::Data);
        let mut sampler = SquareSampler::new(order, &mut rng).unwrap();
        let mut by_level = [0; 3];
        for _ in 0..3000 {
            let square = sampler.sample(&mut rng);
            let (target, density) = (rng.random_range(0..order * order), rng.random_range(0.2..0.8));
            let mut cells: Vec<u8> = square.cells().to_vec();
            for (cell, symbol) in cells.iter_mut().enumerate() {
                if cell == target || rng.random::<f64>() > density {
                    *symbol = 0;
                }
            }
            let grid = Grid::new(order, cells, target).unwrap();
            if let Some((level, answer)) = level_and_answer(&grid) {
                assert_eq!(solve(&grid), Solution::Unique(answer), "{grid}");
                assert_eq!(answer, square.cells()[target]);
                by_level[level as usize] += 1;
            }
        }
        assert!(by_level[0] > 0 && by_level[2] > 0, "order {order}: {by_level:?}");
        assert_eq!(by_level[1] == 0, order == 2, "order 2 alone has no ternary target");
    }
}

fn small(order: usize) -> GeneratorConfig {
    GeneratorConfig { order, pool: 90, generalization: 18, ..GeneratorConfig::default() }
}

#[test]
fn the_generator_works_at_orders_4_to_9() {
    for order in 4..=9 {
        let data = LatinSquareData::generate(&small(order), &Streams::new(7)).unwrap();
        let pool = [data.train.as_slice(), &data.test].concat();
        assert_eq!((pool.len(), data.test.len(), data.generalization.len()), (90, 9, 18), "order {order}");
        assert!(closest(&pool, &data.generalization).unwrap().distance > 0.8);
        let distinct: std::collections::HashSet<&Grid> = pool.iter().map(Puzzle::grid).collect();
        assert_eq!(distinct.len(), 90);
        let profile = GivensProfile::published_pool().scaled_to(order);
        for level in Level::ALL {
            let of_level = || pool.iter().filter(|puzzle| puzzle.level() == level);
            assert_eq!(of_level().count(), 30);
            assert!(of_level().all(|p| profile.of(level).iter().any(|&(givens, _)| givens == p.givens())));
            assert_eq!(data.test.iter().filter(|puzzle| puzzle.level() == level).count(), 3);
        }
        for group in data.generalization.chunks_exact(3) {
            assert!(
                group.iter().all(|item| item.group() == group[0].group() && item.level() == group[0].level())
            );
        }
    }
}

#[test]
fn one_seed_gives_the_same_bytes_and_streams_are_apart() {
    let generate = |streams: &Streams| LatinSquareData::generate(&small(4), streams).unwrap();
    let streams = Streams::new(7);
    let data = generate(&streams);
    assert_eq!(data.text_files(), generate(&streams).text_files());
    assert_ne!(data.sha256(), generate(&Streams::new(8)).sha256());
    let resplit = generate(&streams.pin(Stream::Split, 8));
    assert_eq!(data.text_files(), resplit.text_files());
    assert_ne!(data.test, resplit.test);
}

/// Saved and loaded with the same streams, a data set is the same, its split too.
#[test]
fn saving_and_loading_give_the_same_data() {
    for order in [4, 9] {
        let (streams, folder) = (Streams::new(3), tempfile::tempdir().unwrap());
        let data = LatinSquareData::generate(&small(order), &streams).unwrap();
        data.save(folder.path()).unwrap();
        let loaded = LatinSquareData::load(folder.path(), &streams).unwrap();
        assert_eq!((&loaded.train, &loaded.test), (&data.train, &data.test));
        assert_eq!((&loaded.generalization, loaded.sha256()), (&data.generalization, data.sha256()));
    }
}

/// What cannot be found ends in an error that says what was short.
#[test]
fn an_impossible_request_ends() {
    let two = GeneratorConfig { order: 2, pool: 6, generalization: 9, max_rejections: 10_000, ..small(2) };
    let strict = GeneratorConfig { min_jaccard_distance: 0.999, max_rejections: 100_000, ..small(4) };
    let one = Some(GivensProfile { binary: vec![(3, 1)], ternary: vec![(3, 1)], quaternary: vec![(3, 1)] });
    // At order 3 there are few binary puzzles with 3 givens: far fewer than 30,000.
    let many = GeneratorConfig {
        pool: 90_000,
        pool_givens: one,
        min_jaccard_distance: 0.0,
        max_rejections: 100_000,
        ..small(3)
    };
    for (config, word) in [(two, "generalization"), (strict, "too close"), (many, "repeated")] {
        let error = LatinSquareData::generate(&config, &Streams::new(1)).unwrap_err();
        assert!(matches!(error, LatinSquareError::Shortage { .. }) && error.is_input(), "{error}");
        let message = error.to_string();
        assert!(message.contains(word) && !message.contains('\n'), "{message}");
    }
}
