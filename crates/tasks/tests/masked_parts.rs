//! Gaps, blocks and folds: what is trained on, tested on and held out never meets.

use std::collections::BTreeSet;

use ndarray::Array2;
use streams::Streams;
use tasks::masked::{
    Block, Gap, HeldOut, MaskedConfig, MaskedData, MaskedError, Part, Recording, Standardize,
    remove_global_signal,
};

/// Values that tell subject, frame and node.
fn recordings(subjects: usize, frames: usize, nodes: usize) -> Vec<Recording> {
    let value = |subject: usize, frame: usize, node: usize| {
        let place = (subject * 10_007 + frame * 101 + node * 7 + 1) as f64 * 0.618_033_988_749_895;
        ((place.fract() * 9_973.0).fract() * (node + 1) as f64) as f32
    };
    let one = |subject| Recording {
        subject: format!("s{subject}"),
        frames: Array2::from_shape_fn((frames, nodes), |(frame, node)| value(subject, frame, node)),
    };
    (0..subjects).map(one).collect()
}

fn data(subjects: usize, config: MaskedConfig) -> Result<MaskedData, MaskedError> {
    MaskedData::new(recordings(subjects, 100, 6), &config, &Streams::new(4))
}

/// The frames of a part of a recording that items touch.
fn touched(data: &MaskedData, part: Part, recording: usize) -> Vec<usize> {
    let window = data.config().window;
    let items = data.items(part).into_iter().filter(|item| item.recording == recording);
    items.flat_map(|item| item.frame..item.frame + window).collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn a_gap_lies_between_training_and_test_frames() {
    for window in [1, 5] {
        let config = MaskedConfig {
            window,
            gap: Gap::Frames(7),
            test_fraction: 0.2,
            held_out: HeldOut::Count(0),
            ..Default::default()
        };
        let data = data(2, config).unwrap();
        assert_eq!(touched(&data, Part::Train, 1), (0..73).collect::<Vec<_>>());
        assert_eq!(touched(&data, Part::Test, 1), (80..100).collect::<Vec<_>>());
    }
}

/// Where nothing is tested nothing is kept apart.
#[test]
fn without_test_frames_there_is_no_gap() {
    let config = MaskedConfig {
        gap: Gap::Frames(7),
        test_fraction: 0.0,
        held_out: HeldOut::Count(0),
        ..Default::default()
    };
    assert_eq!(touched(&data(1, config).unwrap(), Part::Train, 0).len(), 100);
}

#[test]
fn blocks_share_no_frame_and_stay_a_gap_apart() {
    let of = |index| {
        let config = MaskedConfig {
            block: Some(Block { index, of: 2 }),
            gap: Gap::Frames(6),
            test_fraction: 0.1,
            held_out: HeldOut::Named(vec!["s1".to_owned()]),
            ..Default::default()
        };
        data(2, config).unwrap()
    };
    let (first, second) = (of(0), of(1));
    // 90 frames before the tested ones, 84 of them with the gap; two blocks of 39 and the gap between.
    assert_eq!(touched(&first, Part::Train, 0), (0..39).collect::<Vec<_>>());
    assert_eq!(touched(&second, Part::Train, 0), (45..84).collect::<Vec<_>>());
    for part in [Part::Test, Part::HeldOut] {
        for recording in 0..2 {
            assert_eq!(touched(&first, part, recording), touched(&second, part, recording));
        }
    }
    assert_eq!(touched(&first, Part::HeldOut, 1).len(), 100);
}

/// A block's scales are its own: on its frames a node has mean 0 and variance 1, whatever the rest holds.
#[test]
fn statistics_are_of_the_block_alone() {
    let config = MaskedConfig {
        block: Some(Block { index: 0, of: 2 }),
        standardize: Standardize::Subject,
        held_out: HeldOut::Count(0),
        ..Default::default()
    };
    let changed = |factor: f32| {
        let mut recordings = recordings(1, 100, 6);
        recordings[0].frames.slice_mut(ndarray::s![45.., ..]).mapv_inplace(|value| value * factor);
        MaskedData::new(recordings, &config, &Streams::new(4)).unwrap()
    };
    let frames = |data: &MaskedData| data.training_frames().next().unwrap().to_owned();
    let (one, other) = (frames(&changed(1.0)), frames(&changed(50.0)));
    assert_eq!(one, other);
    assert_eq!(one.nrows(), 45);
    for column in one.columns() {
        let mean = column.sum() / 45.0;
        let variance = column.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / 45.0;
        assert!(mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-4, "{mean} {variance}");
    }
}

#[test]
fn folds_hold_out_each_subject_once() {
    let held_out = |subjects: usize, index, of| {
        let config = MaskedConfig { held_out: HeldOut::Fold(Block { index, of }), ..Default::default() };
        data(subjects, config).map(|data| {
            data.subjects(Part::HeldOut).into_iter().map(str::to_owned).collect::<Vec<_>>().join(" ")
        })
    };
    let folds: Vec<String> = (0..3).map(|index| held_out(7, index, 3).unwrap()).collect();
    assert_eq!(folds, ["s0 s1 s2", "s3 s4", "s5 s6"]);
    for (subjects, index, of, words) in [
        (2, 2, 3, "at most 2 folds"),
        (1, 0, 1, "fewer than all 1 subjects"),
        (3, 3, 3, "`index`, counted from 0, below `of`"),
    ] {
        let error = held_out(subjects, index, of).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn a_single_recording_can_be_trained_on_without_any_held_out() {
    let data = data(1, MaskedConfig { held_out: HeldOut::Count(0), ..Default::default() }).unwrap();
    assert!(data.items(Part::HeldOut).is_empty() && data.evaluation(Part::HeldOut).unwrap().is_empty());
    assert!(!data.evaluation(Part::Test).unwrap().is_empty());
}

#[test]
fn gaps_that_leave_nothing_are_refused() {
    let refused = |gap, block| {
        let config = MaskedConfig { gap, block, held_out: HeldOut::Count(0), ..Default::default() };
        data(1, config).unwrap_err().to_string()
    };
    for error in [
        refused(Gap::Frames(95), None),
        refused(Gap::Frames(usize::MAX), Some(Block { index: 1, of: 2 })),
        refused(Gap::AutocorrelationTimes(1e6), None),
        refused(Gap::Frames(0), Some(Block { index: 95, of: 96 })),
    ] {
        assert!(error.contains("lower `gap`, `block.of` or `window`"), "{error}");
    }
}

/// What a subject is cleaned by is fitted to its training frames, of a held-out subject to all of its own.
#[test]
fn cleaning_is_told_which_frames_it_may_fit() {
    let config = MaskedConfig {
        gap: Gap::Frames(5),
        held_out: HeldOut::Named(vec!["s1".to_owned()]),
        ..Default::default()
    };
    let told = std::cell::RefCell::new(Vec::new());
    MaskedData::cleaned(recordings(2, 100, 6), &config, &Streams::new(4), |recording, fit| {
        told.borrow_mut().push((recording.subject.clone(), fit));
        Ok(())
    })
    .unwrap();
    assert_eq!(told.into_inner(), [("s0".to_owned(), 0..85), ("s1".to_owned(), 0..100)]);
}

/// Nothing of test frames or other subjects reaches the training frames through the global signal.
#[test]
fn the_global_signal_of_training_frames_knows_no_others() {
    let config = MaskedConfig {
        standardize: Standardize::Subject,
        held_out: HeldOut::Named(vec!["s1".to_owned()]),
        ..Default::default()
    };
    let frames = |factor: f32| {
        let mut recordings = recordings(2, 100, 6);
        recordings[0].frames.slice_mut(ndarray::s![90.., ..]).mapv_inplace(|value| value * factor);
        recordings[1].frames.mapv_inplace(|value| value * factor);
        let clean = |recording: &mut Recording, fit: std::ops::Range<usize>| {
            remove_global_signal(recording.frames.view_mut(), fit, &recording.subject)
        };
        let data = MaskedData::cleaned(recordings, &config, &Streams::new(4), clean).unwrap();
        data.training_frames().next().unwrap().to_owned()
    };
    assert_eq!(frames(1.0), frames(9.0));
}
