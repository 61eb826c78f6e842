//! Recordings of any kind of channel, joined with what tables know of the channels, and cut into two halves of time.

use std::path::PathBuf;

use ndarray::{Array2, ArrayView2, Axis, s};
use serde::Serialize;
use streams::Streams;

use super::folder::Description;
use super::region_table::RegionTable;
use super::subjects::SubjectSet;
use crate::autocorrelation::autocorrelation_time;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::signal::detrend;
use crate::masked::{Block, Gap, HeldOut, MaskedConfig, MaskedData, MaskedError, Part, Standardize};

/// The fewest channels: of fewer there are too few orders for a permutation test at 0.01 to find anything.
const FEWEST_CHANNELS: usize = 8;

/// The fewest frames of a half, over all recordings.
const FEWEST_FRAMES: usize = 32;

/// How the time of each recording is cut: two halves to train on, with a gap between them, a gap, and a block to test on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cut {
    /// The share of the frames, the last ones, to test on.
    pub test_fraction: f64,
    /// Autocorrelation times in each gap.
    pub gap: f64,
}

/// What there is of one recording.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordingSummary {
    /// Its name.
    pub name: String,
    /// All frames.
    pub frames: usize,
    /// The integrated autocorrelation time of the frames before the tested ones, in frames.
    pub autocorrelation_time: f64,
    /// The share of the variance of a channel over these frames that a straight line in time explains, mean over
    /// channels.
    pub trend: f64,
    /// The frames of each half.
    pub halves: [usize; 2],
    /// The frames to test on.
    pub test: usize,
}

/// Recordings that were read and checked, and their channels.
#[derive(Debug, Clone, PartialEq)]
pub struct Channels {
    /// What is known of each channel, in the order of the series.
    pub table: RegionTable,
    /// By recording.
    pub recordings: Vec<RecordingSummary>,
}

impl Channels {
    /// Reads recordings and joins tables of places and of labels to them: by name where the series name their channels,
    /// and else by number.
    ///
    /// # Errors
    /// If a file cannot be read, the recordings do not fit together (see [`SubjectSet::new`]), a channel has no line in
    /// a table, stands twice or is a running time, all channels are at one place, or the halves are too small.
    pub fn read(
        files: &[(String, PathBuf)],
        coords: Option<RegionTable>,
        labels: Option<RegionTable>,
        how: &Description,
        cut: Cut,
    ) -> Result<Self> {
        let set = SubjectSet::load(files, None, how)?;
        let channels = set.parcels();
        if channels < FEWEST_CHANNELS {
            let expected = format!("at least {FEWEST_CHANNELS} channels, as the tests permute them");
            let remedy = "record more channels; of an array of channels by frames say --parcels-by-frames";
            return Err(FmriError::mismatch("recordings", expected, channels, remedy));
        }
        let table = joined(set.regions().map(|known| known.names.clone()), channels, coords, labels)?;
        places_differ(&table)?;
        no_clock(&set, &table)?;
        let recordings = halves(&set, &table, cut)?;
        Ok(Self { table, recordings })
    }
}

/// One table of the channels from those of places and of labels.
fn joined(
    named: Option<Vec<String>>,
    channels: usize,
    coords: Option<RegionTable>,
    labels: Option<RegionTable>,
) -> Result<RegionTable> {
    let by_name = named.is_some();
    if let Some(twice) = named
        .iter()
        .flatten()
        .enumerate()
        .find_map(|(i, name)| named.iter().flatten().take(i).any(|other| other == name).then_some(name))
    {
        let remedy = "rename one in the header";
        return Err(FmriError::mismatch(
            "names of channels",
            "each name once",
            format!("{twice:?} twice"),
            remedy,
        ));
    }
    // Where the series have no names, tables are read in the order of their lines: all must have a line a channel.
    for (what, table) in [("coordinates", &coords), ("labels", &labels)] {
        if let Some(lines) =
            table.as_ref().map(|table| table.names.len()).filter(|lines| !by_name && *lines != channels)
        {
            let expected =
                format!("{channels} lines, one a channel, as the series do not name their channels");
            let remedy = "give a line for each channel, in their order";
            return Err(FmriError::mismatch(format!("table of {what}"), expected, lines, remedy));
        }
    }
    let first = coords.as_ref().or(labels.as_ref()).map(|table| table.names.clone());
    let names = named.or(first).unwrap_or_else(|| RegionTable::numbered(channels).names);
    let select =
        |table: Option<RegionTable>, what: &str| table.map(|table| table.select(&names, what)).transpose();
    let what = if by_name { "the series" } else { "the table of coordinates" };
    let (coords, labels) = (select(coords, what)?, select(labels, what)?);
    let mut table = coords.clone().unwrap_or_else(|| RegionTable::named(names));
    if let Some(labels) = labels {
        if labels.has_sides() {
            table.hemispheres = labels.hemispheres;
        }
        table.coordinates = table.coordinates.or(labels.coordinates);
        table.networks = labels.networks.or(table.networks);
        table.cortical = labels.cortical.or(table.cortical);
    }
    Ok(table)
}

/// Nothing can be said of places that are all the same.
fn places_differ(table: &RegionTable) -> Result<()> {
    let Some(places) = &table.coordinates else { return Ok(()) };
    let first = places.row(0);
    if places.rows().into_iter().any(|place| place != first) {
        return Ok(());
    }
    let numbers = first.iter().map(f64::to_string).collect::<Vec<_>>().join(", ");
    let got = format!("({numbers}) for each of {} channels", places.nrows());
    let remedy = "correct the columns of x, y and z, or leave them out";
    Err(FmriError::mismatch("coordinates of channels", "places that differ", got, remedy))
}

/// A column that grows by equal steps is the time of the frames, not a channel.
fn no_clock(set: &SubjectSet, table: &RegionTable) -> Result<()> {
    for subject in set.subjects() {
        for (column, name) in subject.series.columns().into_iter().zip(&table.names) {
            let (first, last) = (column[0], column[column.len() - 1]);
            let step = (last - first) / (column.len() - 1).max(1) as f64;
            // Times are written with few digits: a tenth of a step is rounding, and no channel is a line to that.
            let is_even = column
                .iter()
                .enumerate()
                .all(|(i, v)| (v - first - i as f64 * step).abs() <= 0.1 * step.abs());
            if column.len() > 8 && is_even {
                let what = format!("recording {}, column {name}", subject.name);
                let got = format!("equal steps of {step} throughout, as of a clock");
                return Err(FmriError::mismatch(what, "a channel", got, "leave the column of times out"));
            }
        }
    }
    Ok(())
}

fn halves(set: &SubjectSet, table: &RegionTable, cut: Cut) -> Result<Vec<RecordingSummary>> {
    let half = |index| -> Result<Vec<(usize, usize)>> {
        let config = MaskedConfig {
            held_out: HeldOut::Count(0),
            test_fraction: cut.test_fraction,
            gap: Gap::AutocorrelationTimes(cut.gap),
            block: Some(Block { index, of: 2 }),
            standardize: Standardize::Subject,
            ..MaskedConfig::default()
        };
        let data = MaskedData::new(set.recordings(), &config, &Streams::new(0))
            .map_err(|error| in_words(error, set, table, cut))?;
        let (train, test) = (data.items(Part::Train), data.items(Part::Test));
        let of = |items: &[crate::masked::Item], number| {
            items.iter().filter(|item| item.recording == number).count()
        };
        Ok((0..set.subjects().len()).map(|number| (of(&train, number), of(&test, number))).collect())
    };
    let (first, second) = (half(0)?, half(1)?);
    let summaries: Vec<RecordingSummary> = set
        .subjects()
        .iter()
        .zip(first.iter().zip(&second))
        .map(|(subject, (first, second))| RecordingSummary {
            name: subject.name.clone(),
            frames: subject.series.nrows(),
            autocorrelation_time: time_before_tests(set, &subject.name, cut),
            trend: trend(before_tests(&subject.series, cut)),
            halves: [first.0, second.0],
            test: first.1,
        })
        .collect();
    let fewest =
        (0..2).map(|half| summaries.iter().map(|one| one.halves[half]).sum::<usize>()).min().unwrap_or(0);
    if fewest < FEWEST_FRAMES {
        let longest = summaries.iter().max_by_key(|one| one.frames).map_or("", |one| &one.name);
        return Err(too_short(set, longest, cut, fewest, FEWEST_FRAMES));
    }
    Ok(summaries)
}

fn time_before_tests(set: &SubjectSet, name: &str, cut: Cut) -> f64 {
    let Some(subject) = set.subjects().iter().find(|one| one.name == name) else { return f64::NAN };
    autocorrelation_time(before_tests(&subject.series, cut))
}

fn before_tests(series: &Array2<f64>, cut: Cut) -> ArrayView2<'_, f64> {
    let frames = series.nrows();
    let before = frames - (cut.test_fraction * frames as f64).round() as usize;
    series.slice(s![..before, ..])
}

/// The share of the variance over time that a line explains, mean over columns; a constant column counts as 0.
fn trend(series: ArrayView2<f64>) -> f64 {
    let squares = |series: &Array2<f64>| (series * series).sum_axis(Axis(0));
    let (mut centred, mut rest) = (series.to_owned(), series.to_owned());
    centred.columns_mut().into_iter().for_each(|mut column| {
        let level = column.sum() / column.len() as f64;
        column -= level;
    });
    detrend(&mut rest);
    let share = |(rest, all): (&f64, &f64)| if *all > 0.0 { 1.0 - rest / all } else { 0.0 };
    let (all, rest) = (squares(&centred), squares(&rest));
    rest.iter().zip(&all).map(share).sum::<f64>() / series.ncols().max(1) as f64
}

/// The errors of cutting, in words of a user who has set no `gap` and no `block` and knows channels by name.
fn in_words(error: MaskedError, set: &SubjectSet, table: &RegionTable, cut: Cut) -> FmriError {
    match error {
        MaskedError::Frames { subject, got, .. } => too_short(set, &subject, cut, got, 1),
        MaskedError::Constant { node, over, value } => {
            let name = table.names.get(node).map_or("?", String::as_str);
            let expected = format!("values that vary over {over} in each half");
            let remedy = "leave the channel out";
            FmriError::mismatch(format!("channel {name}"), expected, format!("{value} throughout"), remedy)
        }
        other => FmriError::setting("recordings", "recordings that can be cut into halves", other),
    }
}

fn too_short(set: &SubjectSet, name: &str, cut: Cut, got: usize, least: usize) -> FmriError {
    let frames = set.subjects().iter().find(|one| one.name == name).map_or(0, |one| one.series.nrows());
    let (time, test) = (time_before_tests(set, name, cut), (cut.test_fraction * frames as f64).round());
    let got = format!(
        "{got}: of {frames} frames the last {test} are for testing, and two gaps of {} lie between ({} autocorrelation \
         times of {time:.1} frames)",
        (cut.gap * time).ceil(),
        cut.gap
    );
    let expected = format!("at least {least} frames in each half of the training time");
    FmriError::mismatch(
        format!("recording {name}"),
        expected,
        got,
        "give longer recordings, or a smaller --gap",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fmri::dataset::{Hemisphere, Subject};
    use ndarray::array;
    use rand::RngExt;
    use streams::Stream;

    fn names(all: &[&str]) -> Vec<String> {
        all.iter().map(|name| (*name).to_owned()).collect()
    }

    fn places(of: &[&str]) -> RegionTable {
        let coordinates = Array2::from_shape_fn((of.len(), 1), |(line, _)| line as f64);
        RegionTable { coordinates: Some(coordinates), ..RegionTable::named(names(of)) }
    }

    fn labels(of: &[&str]) -> RegionTable {
        RegionTable {
            networks: Some(names(of).iter().map(|name| format!("of {name}")).collect()),
            ..RegionTable::named(names(of))
        }
    }

    /// Each table in its own order, and with lines of others: joined by name.
    #[test]
    fn tables_are_joined_by_name() {
        let (coords, labels) = (places(&["c", "a", "x", "b"]), labels(&["b", "c", "a"]));
        let table = joined(Some(names(&["a", "b", "c"])), 3, Some(coords), Some(labels)).unwrap();
        assert_eq!(table.coordinates, Some(array![[1.0], [3.0], [0.0]]));
        assert_eq!(table.networks, Some(names(&["of a", "of b", "of c"])));
    }

    /// Series without names take those of the tables, in the order of their lines.
    #[test]
    fn tables_are_joined_by_number_where_nothing_is_named() {
        let table = joined(None, 2, Some(places(&["b", "a"])), Some(labels(&["a", "b"]))).unwrap();
        assert_eq!((table.names, table.networks), (names(&["b", "a"]), Some(names(&["of b", "of a"]))));
        let error = joined(None, 3, Some(places(&["b", "a"])), None).unwrap_err().to_string();
        assert!(error.contains("expected 3 lines") && error.contains("got 2"), "{error}");
        assert_eq!(joined(None, 2, None, None).unwrap().names, names(&["parcel-1", "parcel-2"]));
    }

    /// A line explains itself, of what is even about the middle nothing, and of both together the share of its squares.
    #[test]
    fn a_trend_is_the_share_of_a_line() {
        let line = [-2.0, -1.0, 0.0, 1.0, 2.0];
        let even = [1.0, -1.0, 0.0, -1.0, 1.0];
        let of = |f: &dyn Fn(usize) -> f64| trend(Array2::from_shape_fn((5, 1), |(i, _)| f(i)).view());
        assert!((of(&|i| 7.0 - 3.0 * line[i]) - 1.0).abs() < 1e-12);
        assert!(of(&|i| even[i]).abs() < 1e-12);
        assert!((of(&|i| line[i] + even[i]) - 10.0 / 14.0).abs() < 1e-12);
        assert_eq!(of(&|_| 4.0), 0.0);
    }

    #[test]
    fn channels_at_one_place_are_refused() {
        let at = |last: f64| {
            let mut table = places(&["a", "b", "c"]);
            table.coordinates = Some(array![[0.5, 1.0], [0.5, 1.0], [0.5, last]]);
            places_differ(&table)
        };
        at(1.5).unwrap();
        places_differ(&labels(&["a", "b"])).unwrap();
        let error = at(1.0).unwrap_err().to_string();
        assert!(
            error.contains("expected places that differ, got (0.5, 1) for each of 3 channels"),
            "{error}"
        );
    }

    /// Sides that a table of labels gives count more than what names look like.
    #[test]
    fn labels_know_sides_better_than_names() {
        let mut sided = labels(&["L_a", "R_a"]);
        sided.hemispheres = vec![Hemisphere::Right, Hemisphere::Left];
        let table = joined(Some(names(&["L_a", "R_a"])), 2, None, Some(sided)).unwrap();
        assert_eq!(table.hemispheres, [Hemisphere::Right, Hemisphere::Left]);
        assert!(
            joined(Some(names(&["a", "a"])), 2, None, None).unwrap_err().to_string().contains("\"a\" twice")
        );
    }

    fn set(frames: usize, change: impl Fn(usize, usize, f64) -> f64) -> SubjectSet {
        let mut rng = Streams::new(1).rng(Stream::Data);
        let series = Array2::from_shape_fn((frames, 9), |(frame, channel)| {
            change(frame, channel, rng.random::<f64>())
        });
        SubjectSet::new(vec![Subject { name: "one".to_owned(), series }], None, None).unwrap()
    }

    /// White noise of 400 frames: 60 to test on; gaps of 5 frames or a few more; two even halves.
    #[test]
    fn time_is_cut_into_halves_with_gaps() {
        let (cut, table) = (Cut { test_fraction: 0.15, gap: 5.0 }, RegionTable::numbered(9));
        let one = &halves(&set(400, |_, _, value| value), &table, cut).unwrap()[0];
        let gaps = 400 - one.test - one.halves[0] - one.halves[1];
        assert_eq!((one.frames, one.test, one.halves[0].abs_diff(one.halves[1])), (400, 60, gaps % 2));
        assert_eq!(gaps, 2 * (5.0 * one.autocorrelation_time).ceil() as usize);
        let error = halves(&set(60, |_, _, value| value), &table, cut).unwrap_err().to_string();
        assert!(
            error.contains("of 60 frames the last 9 are for testing") && error.contains("--gap"),
            "{error}"
        );
    }

    /// A clock with few digits is one still, a slow drift in noise is none.
    #[test]
    fn a_clock_is_no_channel() {
        let table = RegionTable::numbered(9);
        let clock = |frame: usize, channel: usize, value: f64| match channel {
            2 => (frame as f64 / 256.0 * 1e4).round() / 1e4,
            _ => value,
        };
        assert!(no_clock(&set(100, clock), &table).unwrap_err().to_string().contains("column parcel-3"));
        no_clock(&set(100, |frame, _, value| frame as f64 / 100.0 + value), &table).unwrap();
    }
}
