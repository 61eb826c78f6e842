//! What must hold of masked-token items: exact masks, exact resumption, and nothing leaked from what is hidden.

use ndarray::{Array2, array};
use proptest::prelude::*;
use streams::{Stream, Streams};
use tasks::masked::{
    EvaluationConfig, HeldOut, Item, MaskFraction, MaskedBatch, MaskedConfig, MaskedData, MaskedError, Masks,
    Part, Recording, Standardize, WindowTarget,
};

/// Values that tell subject, frame and node.
fn recording(subject: usize, frames: usize, nodes: usize) -> Recording {
    let value = |(frame, node): (usize, usize)| {
        // Golden-ratio steps: no two alike, nothing periodic.
        let place = (subject * 10_007 + frame * 101 + node * 7 + 1) as f64 * 0.618_033_988_749_895;
        (place.fract() * (node + 1) as f64 + subject as f64 * 0.01) as f32
    };
    Recording { subject: format!("s{subject}"), frames: Array2::from_shape_fn((frames, nodes), value) }
}

fn recordings(subjects: usize, frames: usize, nodes: usize) -> Vec<Recording> {
    (0..subjects).map(|subject| recording(subject, frames, nodes)).collect()
}

fn config() -> MaskedConfig {
    MaskedConfig { batch: 8, ..Default::default() }
}

fn data(config: &MaskedConfig) -> MaskedData {
    MaskedData::new(recordings(3, 50, 10), config, &Streams::new(4)).unwrap()
}

/// Whether tokens, masks and targets tell one story about the frames of the data.
fn consistent(data: &MaskedData, batch: &MaskedBatch, items: &[Item]) {
    let features = data.features();
    assert_eq!(batch.tokens.len(), items.len() * data.nodes() * features);
    assert_eq!(batch.targets.len(), items.len() * batch.masks.masked * batch.outputs);
    for (number, item) in items.iter().enumerate() {
        let frames = &data.recordings()[item.recording].frames;
        let mask = batch.masks.of(number);
        assert!(mask.windows(2).all(|pair| pair[0] < pair[1]));
        for node in 0..data.nodes() {
            let token = &batch.tokens[(number * data.nodes() + node) * features..][..features];
            match mask.iter().position(|&masked| masked == node) {
                Some(place) => {
                    assert!(token[..features - 1].iter().all(|&value| value == 0.0));
                    assert_eq!(token[features - 1], 1.0);
                    for output in 0..batch.outputs {
                        let frame = item.frame + batch.first_asked + output;
                        assert_eq!(
                            batch.targets_of(number)[place * batch.outputs + output],
                            frames[[frame, node]]
                        );
                    }
                }
                None => {
                    assert_eq!(token[features - 1], 0.0);
                    assert!((0..data.config().window).all(|t| token[t] == frames[[item.frame + t, node]]));
                }
            }
        }
        let truth = batch.truth(number);
        for output in 0..batch.outputs {
            let frame = frames.row(item.frame + batch.first_asked + output);
            assert_eq!(truth[output * data.nodes()..][..data.nodes()], frame.to_vec());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    /// Any window, target, stride and share: counts are exact, items lie in one recording, nothing is mixed up.
    #[test]
    fn batches_tell_the_truth(
        fraction in 0.06f64..0.94, window in 0usize..3, target in 0usize..3, stride in 1usize..5, seed in 0u64..9,
    ) {
        let target = [WindowTarget::Centre, WindowTarget::Last, WindowTarget::All][target];
        let config = MaskedConfig {
            mask: MaskFraction::Fixed(fraction), window: 2 * window + 1, target, stride, batch: 7,
            test_fraction: 0.2, ..Default::default()
        };
        let data = MaskedData::new(recordings(3, 50, 10), &config, &Streams::new(seed)).unwrap();
        let masked = (fraction * 10.0).round() as usize;
        for set in data.evaluation(Part::Test).unwrap() {
            let batch = data.gather(&set.items, set.masks.clone()).unwrap();
            consistent(&data, &batch, &set.items);
        }
        let mut items = 0;
        for number in 0..data.batches() {
            let batch = data.train_batch(2, number).unwrap();
            prop_assert_eq!(batch.masks.masked, masked);
            prop_assert_eq!(batch.masks.nodes.len(), batch.items * masked);
            items += batch.items;
        }
        prop_assert_eq!(items, data.items(Part::Train).len());
        prop_assert!(data.train_batch(2, data.batches()).is_err());
        for item in data.items(Part::Test) {
            prop_assert!(item.frame >= 40 && item.frame + config.window <= 50);
        }
        for item in data.items(Part::Train) {
            prop_assert!(item.frame + config.window <= 40);
        }
    }
}

#[test]
fn a_batch_is_a_function_of_seed_epoch_and_number() {
    let (once, again) = (data(&config()), data(&config()));
    // In another order, as after a kill.
    let late = once.train_batch(3, 5).unwrap();
    let _ = again.train_batch(0, 0).unwrap();
    assert_eq!(again.train_batch(3, 5).unwrap(), late);
    assert_ne!(once.train_batch(4, 5).unwrap(), late);
    assert_ne!(once.train_batch(3, 4).unwrap().masks, late.masks);
    // Each stream by itself.
    let with = |streams: &Streams| {
        MaskedData::new(recordings(3, 50, 10), &config(), streams).unwrap().train_batch(0, 0).unwrap()
    };
    let plain = with(&Streams::new(4));
    let held_out = with(&Streams::new(4).pin(Stream::Mask, 1));
    assert_ne!(held_out.masks, plain.masks);
    let tokens = |batch: &MaskedBatch| (0..batch.items).map(|item| batch.truth(item)).collect::<Vec<_>>();
    assert_eq!(tokens(&held_out), tokens(&plain), "the same items under other masks");
    let order = with(&Streams::new(4).pin(Stream::Order, 1));
    assert_eq!(order.masks, plain.masks);
    assert_ne!(tokens(&order), tokens(&plain));
}

#[test]
fn masks_do_not_depend_on_the_size_of_batches() {
    let masks = |batch| {
        let data = data(&MaskedConfig { batch, ..config() });
        let all = (0..data.batches()).map(|number| data.train_batch(1, number).unwrap().masks.nodes);
        all.collect::<Vec<_>>().concat()
    };
    assert_eq!(masks(8), masks(5));
}

#[test]
fn every_node_is_masked_as_often() {
    let data = data(&MaskedConfig { mask: MaskFraction::Fixed(0.3), ..config() });
    let mut counts = [0u32; 10];
    let mut draws = 0u32;
    for epoch in 0..40 {
        for number in 0..data.batches() {
            let batch = data.train_batch(epoch, number).unwrap();
            draws += batch.items as u32;
            batch.masks.nodes.iter().for_each(|&node| counts[node] += 1);
        }
    }
    let (n, share) = (f64::from(draws), 0.3);
    // Five standard errors of a binomial count.
    let bound = 5.0 * (n * share * (1.0 - share)).sqrt();
    assert!(
        counts.iter().all(|&count| (f64::from(count) - n * share).abs() < bound),
        "{counts:?} of {draws}"
    );
}

#[test]
fn shares_can_be_drawn_for_each_batch() {
    let seen = |mask| {
        let data = data(&MaskedConfig { mask, ..config() });
        let counts = (0..4).flat_map(|epoch| (0..data.batches()).map(move |number| (epoch, number)));
        let mut seen: Vec<usize> =
            counts.map(|(epoch, number)| data.train_batch(epoch, number).unwrap().masks.masked).collect();
        seen.sort_unstable();
        seen.dedup();
        seen
    };
    assert_eq!(seen(MaskFraction::OneOf(vec![0.2, 0.5, 0.9])), [2, 5, 9]);
    let between = seen(MaskFraction::Between(0.2, 0.5));
    assert!(between.len() > 1 && between.iter().all(|masked| (2..=5).contains(masked)), "{between:?}");
}

#[test]
fn evaluation_sets_are_fixed() {
    let more = MaskedConfig {
        evaluation: EvaluationConfig { fractions: vec![0.5], ..Default::default() },
        ..config()
    };
    let (all, one) = (data(&config()), data(&more));
    let sets = all.evaluation(Part::HeldOut).unwrap();
    assert_eq!(sets.iter().map(|set| set.masks.masked).collect::<Vec<_>>(), [2, 5, 8, 9]);
    assert_eq!(one.evaluation(Part::HeldOut).unwrap()[0], sets[1], "whatever the other fractions");
    assert!(sets.iter().all(|set| set.items.len() == 50 && set.masks.items() == 50));
    let batches: Vec<_> = sets[1].batches(&all, 16).map(Result::unwrap).collect();
    assert_eq!(batches.iter().map(|batch| batch.items).collect::<Vec<_>>(), [16, 16, 16, 2]);
    assert_eq!(batches[1].masks.nodes, sets[1].masks.nodes[16 * 5..32 * 5]);
    let evaluation = EvaluationConfig { most_items: 5, ..Default::default() };
    let few = data(&MaskedConfig { evaluation, ..config() });
    let few = &few.evaluation(Part::HeldOut).unwrap()[1];
    assert_eq!(few.items.iter().map(|item| item.frame).collect::<Vec<_>>(), [0, 10, 20, 30, 40]);
    assert_eq!(few.masks.of(1), sets[1].masks.of(10), "a mask belongs to its frame");
    let untested = data(&MaskedConfig { test_fraction: 0.0, ..config() });
    assert!(untested.evaluation(Part::Test).unwrap().is_empty());
}

/// Whatever a held-out subject does, training sees the same numbers.
#[test]
fn nothing_of_held_out_subjects_or_test_frames_is_used() {
    for standardize in [Standardize::Training, Standardize::Subject, Standardize::None] {
        let config =
            MaskedConfig { standardize, held_out: HeldOut::Named(vec!["s1".to_owned()]), ..config() };
        let batch = |recordings| {
            let data = MaskedData::new(recordings, &config, &Streams::new(4)).unwrap();
            assert_eq!(
                (data.subjects(Part::Train), data.subjects(Part::HeldOut)),
                (vec!["s0", "s2"], vec!["s1"])
            );
            data.train_batch(0, 0).unwrap()
        };
        let plain = batch(recordings(3, 50, 10));
        let mut changed = recordings(3, 50, 10);
        changed[1].frames.mapv_inplace(|value| 100.0 - 3.0 * value);
        changed[0].frames.slice_mut(ndarray::s![45.., ..]).mapv_inplace(|value| 50.0 * value + 9.0);
        assert_eq!(batch(changed), plain, "{standardize:?}");
    }
}

#[test]
fn training_frames_have_mean_0_and_deviation_1() {
    for standardize in [Standardize::Training, Standardize::Subject] {
        let data = data(&MaskedConfig { standardize, ..config() });
        let moments = tasks::masked::baseline::Moments::fit(data.training_frames());
        assert_eq!(moments.frames(), 90);
        assert!(moments.mean().iter().all(|mean| mean.abs() < 1e-6));
        assert!(moments.standard_deviations().iter().all(|deviation| (deviation - 1.0).abs() < 1e-6));
    }
}

#[test]
fn held_out_subjects_are_drawn_from_their_stream() {
    let drawn = |seed| {
        let config = MaskedConfig { held_out: HeldOut::Count(3), ..config() };
        let data = MaskedData::new(recordings(7, 50, 10), &config, &Streams::new(seed)).unwrap();
        let names = data.subjects(Part::HeldOut).into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!((names.len(), data.subjects(Part::Train).len()), (3, 4));
        names
    };
    assert_eq!(drawn(1), drawn(1));
    assert!((2..9).any(|seed| drawn(seed) != drawn(1)));
}

#[test]
fn bad_data_are_refused_before_training() {
    let refused = |recordings: Vec<Recording>, change: fn(&mut MaskedConfig)| {
        let mut config = config();
        change(&mut config);
        let error = MaskedData::new(recordings, &config, &Streams::new(4)).unwrap_err();
        assert!(!error.to_string().contains('\n') && error.is_input());
        error
    };
    let good = || recordings(3, 50, 10);
    let mut unequal = good();
    unequal[2] = recording(2, 50, 9);
    let error = refused(unequal, |_| {});
    assert!(error.to_string().contains("subject s2: expected 10 nodes as of subject s0, got 9"), "{error}");
    let mut broken = good();
    broken[1].frames[[7, 3]] = f32::NAN;
    let error = refused(broken, |_| {});
    assert!(error.to_string().contains("got NaN in frame 7, node 3"), "{error}");
    let mut constant = good();
    constant.iter_mut().for_each(|one| one.frames.column_mut(4).fill(0.1));
    assert!(matches!(refused(constant, |_| {}), MaskedError::Constant { node: 4, .. }));
    let mut twice = good();
    twice[2].subject = "s0".to_owned();
    assert!(matches!(refused(twice, |_| {}), MaskedError::Twice { .. }));
    assert!(matches!(refused(Vec::new(), |_| {}), MaskedError::Shape { .. }));
    let error = refused(good(), |config| config.mask = MaskFraction::Fixed(1.3));
    assert!(error.to_string().contains("1 to 9 of 10 nodes, got 1.3, which masks 13"), "{error}");
    let unknown = refused(good(), |config| config.held_out = HeldOut::Named(vec!["s9".to_owned()]));
    assert!(unknown.to_string().contains("s0, s1, s2"), "{unknown}");
    assert!(matches!(refused(good(), |c| c.held_out = HeldOut::Count(3)), MaskedError::Setting { .. }));
    assert!(matches!(refused(good(), |c| c.window = 51), MaskedError::Frames { .. }));
    assert!(matches!(refused(good(), |c| c.window = 7), MaskedError::Frames { purpose: "to test on", .. }));
}

#[test]
fn masks_and_items_that_do_not_fit_are_refused() {
    let data = data(&config());
    let item = Item { recording: 0, frame: 0 };
    let gather = |item: Item, nodes: &[usize]| {
        data.gather(&[item], Masks { masked: nodes.len(), nodes: nodes.to_vec() })
    };
    gather(item, &[0, 9]).unwrap();
    for wrong in [&[][..], &[3, 3], &[4, 3], &[10], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]] {
        assert!(matches!(gather(item, wrong), Err(MaskedError::Mask { .. })), "{wrong:?}");
    }
    for wrong in [Item { recording: 3, frame: 0 }, Item { recording: 0, frame: 50 }] {
        assert!(matches!(gather(wrong, &[0]), Err(MaskedError::Item { .. })));
    }
}

#[test]
fn scores_by_hand() {
    let frames = |values: Array2<f32>| Recording { subject: "a".to_owned(), frames: values };
    let other = Recording { subject: "b".to_owned(), frames: array![[0.0, 0.0], [2.0, 4.0]] };
    let config = MaskedConfig {
        standardize: Standardize::None,
        test_fraction: 0.0,
        held_out: HeldOut::Named(vec!["a".to_owned()]),
        evaluation: EvaluationConfig { fractions: vec![0.5], ..Default::default() },
        ..config()
    };
    let recordings = vec![frames(array![[5.0, 1.0], [3.0, 2.0]]), other];
    let data = MaskedData::new(recordings, &config, &Streams::new(1)).unwrap();
    let items = [Item { recording: 0, frame: 0 }, Item { recording: 0, frame: 1 }];
    let batch = data.gather(&items, Masks { masked: 1, nodes: vec![0, 1] }).unwrap();
    assert_eq!(batch.targets, [5.0, 2.0]);
    let score = data.score(&batch, &[4.0, 4.0]).unwrap();
    // Errors 1 and -2; the training means are 1 and 2, so that the targets are 4 and 0 from them.
    assert_eq!((score.mse(), score.r2()), (Some(2.5), Some(1.0 - 5.0 / 16.0)));
    let mut twice = score;
    twice += score;
    assert_eq!((twice.values, twice.mse(), twice.r2()), (4, score.mse(), score.r2()));
    assert!(data.score(&batch, &[4.0]).is_err());
    assert_eq!(tasks::masked::Score::default().mse(), None);
}
