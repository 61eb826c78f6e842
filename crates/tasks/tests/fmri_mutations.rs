//! Damaged files: every reader gives a value or an error, never a panic, and never allocates what a header asks for.
//!
//! Each iteration changes a fixture in some way (bits, bytes, lengths, numbers of headers set to extremes, parts cut
//! out, doubled or taken from another file) and reads it. By default some hundred iterations a reader; longer with
//! `RUN_SLOW_TESTS=1`, `FUZZ_SECONDS` a reader (600 by default). `FUZZ_SEED` changes all of them. A failure names its
//! iteration, and `FUZZ_ONLY=ITERATION` (with the same seed) repeats it alone:
//!
//! ```sh
//! RUN_SLOW_TESTS=1 FUZZ_SECONDS=600 FUZZ_SEED=2 cargo test --release -p tasks --test fmri_mutations nifti
//! ```

use std::fs;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::{Rng, RngExt};
use streams::{Stream, StreamRng, Streams};
use tasks::fmri::cifti::{CiftiFile, DenseLabels, read_dense_series, read_parcel_series};
use tasks::fmri::dataset::RegionTable;
use tasks::fmri::extract::{ExtractOptions, LostParcels, Regions, extract};
use tasks::fmri::nifti::NiftiFile;
use tasks::fmri::series::{SeriesOptions, read_npz_array, read_series};
use tasks::fmri::{ConfoundOptions, Confounds, LabelImage, LabelTable, Mask, bids, centroids};

/// Iterations of a short run.
const ITERATIONS: u64 = 300;

/// More than any of the small fixtures needs, with the threads of the test: most of it is address space.
const MOST_MEMORY_KIB: u64 = 3 << 20;

fn fixtures(folder: &str, accept: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(folder);
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| accept(path.file_name().unwrap().to_str().unwrap())).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|value| value.parse().unwrap_or_else(|_| panic!("{name}: expected a number")))
}

/// Reads changed files until the time or the iterations are over.
fn run(reader: &str, corpus: &[PathBuf], read: impl Fn(&Path)) {
    let inputs: Vec<Vec<u8>> = corpus.iter().map(|path| fs::read(path).unwrap()).collect();
    let streams = Streams::new(setting("FUZZ_SEED").unwrap_or(1));
    let slow = std::env::var("RUN_SLOW_TESTS").is_ok_and(|value| value == "1");
    let end = Instant::now() + Duration::from_secs(setting("FUZZ_SECONDS").unwrap_or(600));
    let folder = tempfile::tempdir().unwrap();
    let mut count = 0;
    for iteration in 0.. {
        let over = if slow { Instant::now() >= end } else { iteration >= ITERATIONS };
        if over {
            break;
        }
        if setting("FUZZ_ONLY").is_some_and(|only| only != iteration) {
            if setting("FUZZ_ONLY").is_some_and(|only| only < iteration) {
                break;
            }
            continue;
        }
        let mut rng = streams.rng_at(Stream::Data, iteration);
        let choice = rng.random_range(0..inputs.len());
        let other = rng.random_range(0..inputs.len());
        let mut bytes = inputs[choice].clone();
        for _ in 0..rng.random_range(1..=3) {
            mutate(&mut bytes, &inputs[other], &mut rng);
        }
        let path = folder.path().join(corpus[choice].file_name().unwrap());
        let path = compressed_sometimes(path, &mut bytes, &mut rng);
        fs::write(&path, &bytes).unwrap();
        let outcome = catch_unwind(AssertUnwindSafe(|| read(&path)));
        assert!(
            outcome.is_ok(),
            "{reader}: panic at iteration {iteration} on a changed {}",
            corpus[choice].display()
        );
        let memory = peak_memory_kib();
        assert!(
            memory < MOST_MEMORY_KIB,
            "{reader}: {memory} KiB at iteration {iteration}, {}",
            corpus[choice].display()
        );
        fs::remove_file(&path).unwrap();
        count += 1;
    }
    println!("{reader}: {count} changed files read or refused");
}

/// The most address space so far: it grows with what is asked for, even if that is never touched. 0 if unknown.
fn peak_memory_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmPeak:"));
    line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Plain NIfTI, compressed after the change now and then, so that what is changed is not only the checksum.
fn compressed_sometimes(path: PathBuf, bytes: &mut Vec<u8>, rng: &mut StreamRng) -> PathBuf {
    let is_plain = path.extension().is_some_and(|extension| extension == "nii");
    if !is_plain || rng.random_range(0..4) > 0 {
        return path;
    }
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    *bytes = encoder.finish().unwrap();
    let mut name = path.into_os_string();
    name.push(".gz");
    PathBuf::from(name)
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut StreamRng) {
    if bytes.is_empty() {
        return bytes.extend(other.iter().take(700));
    }
    let kind = rng.random_range(0..10);
    let at = rng.random_range(0..bytes.len());
    match kind {
        0 => bytes[at] ^= 1 << rng.random_range(0..8),
        1 => {
            for _ in 0..rng.random_range(1..=8) {
                let at = rng.random_range(0..bytes.len());
                bytes[at] = rng.random();
            }
        }
        2 => bytes.truncate(at),
        3..=5 => {
            // Headers are short: most of the interesting places are in the first bytes.
            let at = if kind == 5 { at } else { rng.random_range(0..bytes.len().min(640)) } / 2 * 2;
            let number = extreme(rng);
            let end = (at + number.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&number[..end - at]);
        }
        6 => {
            let length = rng.random_range(1..=bytes.len() - at).min(2000);
            let piece = bytes[at..at + length].to_vec();
            let to = rng.random_range(0..=bytes.len());
            bytes.splice(to..to, piece);
        }
        7 => {
            let length = rng.random_range(1..=bytes.len() - at).min(2000);
            bytes.drain(at..at + length);
        }
        8 => {
            let length = at.min(other.len());
            bytes[..length].copy_from_slice(&other[..length]);
        }
        _ => change_digits(bytes, at, rng),
    }
}

/// Numbers at the limits of their types, in either byte order.
fn extreme(rng: &mut StreamRng) -> Vec<u8> {
    let long = [0, 1, -1, i64::MAX, i64::MIN, 1 << 32, 1 << 62, -8, 3 << 30][rng.random_range(0..9)];
    let double = [0.0, -1.0, 1e300, f64::NAN, f64::INFINITY, 1e-300, 0.5, 4e9][rng.random_range(0..8)];
    let mut number = match rng.random_range(0..5) {
        0 => (long as i16).to_le_bytes().to_vec(),
        1 => (long as i32).to_le_bytes().to_vec(),
        2 => long.to_le_bytes().to_vec(),
        3 => (double as f32).to_le_bytes().to_vec(),
        _ => double.to_le_bytes().to_vec(),
    };
    if rng.random() {
        number.reverse();
    }
    number
}

/// Sets a number in text to another one of as many digits.
fn change_digits(bytes: &mut [u8], at: usize, rng: &mut StreamRng) {
    let Some(start) = (at..bytes.len()).find(|index| bytes[*index].is_ascii_digit()) else { return };
    let digit = [b'9', b'0', b'-', b'1', b'e', b'.'][rng.random_range(0..6)];
    for byte in bytes[start..].iter_mut().take_while(|byte| byte.is_ascii_digit()) {
        *byte = digit;
    }
    // A stray use keeps the stream of the next mutation apart.
    let _ = rng.next_u32();
}

#[test]
fn nifti() {
    let corpus = fixtures("nifti", |name| name.contains(".nii"));
    run("nifti", &corpus, |path| {
        if let Ok(file) = NiftiFile::open(path) {
            let grid = file.header.grid;
            if let Ok(mut frames) = file.into_frames() {
                let mut frame = Vec::new();
                while frames.next_frame(&mut frame).is_ok_and(|more| more) {}
            }
            let options = ExtractOptions { lost: LostParcels::Nan, ..ExtractOptions::default() };
            if let Ok(labels) = LabelImage::read(path) {
                let _ = centroids(&labels, Default::default());
                let regions = Regions::from_labels(&labels, None, None, &grid, &options);
                if let (Ok(regions), Ok(frames)) =
                    (regions, NiftiFile::open(path).and_then(NiftiFile::into_frames))
                {
                    let _ = extract(frames, regions, &options);
                }
            }
        }
        let _ = Mask::read(path);
    });
}

#[test]
fn nifti_pairs() {
    let corpus = fixtures("nifti", |name| name.ends_with(".hdr"));
    let image = corpus[0].with_extension("img");
    run("nifti_pairs", &corpus, |path| {
        fs::copy(&image, path.with_extension("img")).unwrap();
        if let Ok(mut frames) = NiftiFile::open(path).and_then(NiftiFile::into_frames) {
            let mut frame = Vec::new();
            while frames.next_frame(&mut frame).is_ok_and(|more| more) {}
        }
    });
}

#[test]
fn cifti() {
    let corpus = fixtures("cifti", |name| name.ends_with(".nii"));
    let labels = DenseLabels::read(&fixtures("cifti", |name| name.contains("dlabel"))[0]).unwrap();
    run("cifti", &corpus, |path| {
        let _ = CiftiFile::open(path);
        let _ = DenseLabels::read(path);
        let _ = read_parcel_series(path);
        let _ = read_dense_series(path, &labels, &ExtractOptions::default());
    });
}

/// All kinds of files of series.
fn series(reader: &str, extension: &str) {
    let corpus = fixtures("series", |name| name.ends_with(extension));
    run(reader, &corpus, |path| {
        let _ = read_series(path, &SeriesOptions::default());
        if extension == ".npz" {
            let _ = read_npz_array(path, "first");
        }
    });
}

#[test]
fn npy() {
    series("npy", ".npy");
}

#[test]
fn npz() {
    series("npz", ".npz");
}

#[test]
fn mat() {
    series("mat", ".mat");
}

#[test]
fn tables() {
    let corpus = fixtures("series", |name| name.ends_with("sv"));
    run("tables", &corpus, |path| {
        let _ = read_series(path, &SeriesOptions::default());
        let _ = LabelTable::read(path);
        let _ = RegionTable::read(path);
        if let Ok(confounds) = Confounds::read(path) {
            let _ = confounds.select(&["*".to_owned()], &ConfoundOptions { backfill: true });
        }
    });
}

#[test]
fn metadata() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("sub-1_bold.json");
    fs::write(&file, r#"{"RepetitionTime": 0.72, "SliceTiming": [0, 0.1], "nested": {"a": "text"}}"#)
        .unwrap();
    run("metadata", &[file], |path| {
        let _ = bids::repetition_time(&path.with_extension("nii"));
    });
}
