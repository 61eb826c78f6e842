//! The published puzzles are what they are said to be, by our rules, solver and distances.

mod common;

use std::collections::BTreeMap;

use common::published;
use streams::{Stream, Streams};
use tasks::latin_square::{
    DataSource, GeneratorConfig, GivensProfile, LatinSquareData, Level, Puzzle, closest, oriented, verify,
};

/// Every line is checked on loading: one answer, the published one; the published level by the rules; no duplicates.
#[test]
fn all_9108_puzzles_have_the_published_level_and_answer() {
    let Some(folder) = published() else { return };
    let verified = verify(&folder, Some(0.8)).unwrap();
    assert_eq!((verified.order, verified.pool.len(), verified.generalization.len()), (4, 9000, 108));
    let summary = verified.summary();
    for level in Level::ALL {
        assert_eq!(summary.pool.levels[&level].puzzles, 3000);
        assert_eq!(summary.generalization.levels[&level].puzzles, 36);
    }
    assert_eq!(summary.generalization.groups, 36);
}

/// The authors state a Jaccard distance above 0.8; the smallest is known to be 0.8125.
#[test]
fn the_smallest_distance_is_the_known_one() {
    let Some(folder) = published() else { return };
    let verified = verify(&folder, None).unwrap();
    let closest = closest(&verified.pool, &verified.generalization).unwrap();
    assert_eq!(closest.distance, 0.8125);
}

/// The numbers in the source are those of the files.
#[test]
fn the_default_profiles_are_the_published_ones() {
    let Some(folder) = published() else { return };
    let summary = verify(&folder, None).unwrap().summary();
    let profile = |set: &tasks::latin_square::SetSummary, share: u32| {
        let of =
            |level| set.levels[&level].givens.iter().map(|(&g, &count)| (g, count as u32 / share)).collect();
        GivensProfile {
            binary: of(Level::Binary),
            ternary: of(Level::Ternary),
            quaternary: of(Level::Quaternary),
        }
    };
    assert_eq!(profile(&summary.pool, 1), GivensProfile::published_pool());
    assert_eq!(profile(&summary.generalization, 3), GivensProfile::published_generalization());
}

/// The three items of each group are the first one turned by none, one and two quarters.
#[test]
fn the_published_orientations_are_ours() {
    let Some(folder) = published() else { return };
    let mut groups = BTreeMap::<Option<u32>, Vec<Puzzle>>::new();
    for item in verify(&folder, None).unwrap().generalization {
        groups.entry(item.group()).or_default().push(item);
    }
    assert_eq!(groups.len(), 36);
    for items in groups.values() {
        assert_eq!(items.len(), 3);
        for (turns, item) in items.iter().enumerate() {
            assert_eq!(*item.grid(), oriented(items[0].grid(), turns));
        }
    }
}

#[test]
fn loading_splits_each_level_nine_to_one_by_the_stream() {
    let Some(folder) = published() else { return };
    let streams = Streams::new(2235);
    let data = LatinSquareData::load(&folder, &streams).unwrap();
    assert_eq!((data.train.len(), data.test.len(), data.generalization.len()), (8100, 900, 108));
    assert_eq!(data.source, DataSource::Files);
    for level in Level::ALL {
        assert_eq!(data.test.iter().filter(|puzzle| puzzle.level() == level).count(), 300);
    }
    assert_eq!(data, LatinSquareData::load(&folder, &streams).unwrap());
    assert_eq!(data, LatinSquareData::load(&folder, &streams.clone().pin(Stream::Data, 1)).unwrap());
    let other = LatinSquareData::load(&folder, &streams.pin(Stream::Split, 1)).unwrap();
    assert_ne!(data.test, other.test);
    assert_eq!(data.sha256(), other.sha256());
}

/// What is read is written again, under our name for the generalization set, and says the same.
#[test]
fn the_text_form_round_trips() {
    let Some(folder) = published() else { return };
    let streams = Streams::new(1);
    let data = LatinSquareData::load(&folder, &streams).unwrap();
    let copy = tempfile::tempdir().unwrap();
    data.save(copy.path()).unwrap();
    assert_eq!(LatinSquareData::load(copy.path(), &streams).unwrap(), data);
    let published = std::fs::read_to_string(folder.join("human108.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(copy.path().join("generalization.csv")).unwrap(), published);
}

/// A generated data set has the published sizes, levels and numbers of givens, and keeps the distance.
#[test]
fn the_default_generator_makes_such_data() {
    let data = LatinSquareData::generate(&GeneratorConfig::default(), &Streams::new(2235)).unwrap();
    assert_eq!((data.train.len(), data.test.len(), data.generalization.len()), (8100, 900, 108));
    let folder = tempfile::tempdir().unwrap();
    data.save(folder.path()).unwrap();
    let summary = verify(folder.path(), Some(0.8)).unwrap().summary();
    assert_eq!(summary.sha256, data.sha256());
    for level in Level::ALL {
        let givens =
            |profile: &GivensProfile| profile.of(level).iter().map(|&(g, n)| (g, n as usize)).collect();
        assert_eq!(summary.pool.levels[&level].givens, givens(&GivensProfile::published_pool()));
        let items: BTreeMap<usize, usize> = givens(&GivensProfile::published_generalization());
        let items = items.into_iter().map(|(g, n)| (g, 3 * n)).collect();
        assert_eq!(summary.generalization.levels[&level].givens, items);
    }
}
