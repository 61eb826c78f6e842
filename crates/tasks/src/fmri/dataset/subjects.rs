//! The series of several subjects, checked.

use ndarray::{Array2, Axis};
use sha2::{Digest, Sha256};

use super::region_table::RegionTable;
use crate::fmri::error::{FmriError, Result};
use crate::fmri::signal::{remove_confounds, z_score};
use crate::masked::Recording;

/// One recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// `[frames, parcels]`.
    pub series: Array2<f64>,
}

/// Recordings of the same parcels. Every value is finite, and no series is constant.
#[derive(Debug, Clone, PartialEq)]
pub struct SubjectSet {
    subjects: Vec<Subject>,
    regions: Option<RegionTable>,
    repetition_time: Option<f64>,
    synthetic: bool,
}

impl SubjectSet {
    /// Checks recordings and what is known of their parcels.
    ///
    /// # Errors
    /// If there is no subject, two have one name, the numbers of parcels differ, there are fewer than two frames, a
    /// value is not finite, or a series is constant.
    pub fn new(
        subjects: Vec<Subject>,
        regions: Option<RegionTable>,
        repetition_time: Option<f64>,
    ) -> Result<Self> {
        let Some(first) = subjects.first() else {
            return Err(FmriError::setting("subjects", "one or more", "none"));
        };
        let parcels = first.series.ncols();
        let mut names: Vec<&str> = subjects.iter().map(|subject| subject.name.as_str()).collect();
        names.sort_unstable();
        if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(FmriError::setting("subjects", "each name once", pair[0]));
        }
        for subject in &subjects {
            check(subject, parcels, &first.name)?;
        }
        if let Some(found) =
            regions.as_ref().map(|regions| regions.names.len()).filter(|found| *found != parcels)
        {
            let remedy = "give the table of these parcels, in their order";
            return Err(FmriError::mismatch(
                "table of regions",
                format!("{parcels} lines, as the series"),
                found,
                remedy,
            ));
        }
        Ok(SubjectSet { subjects, regions, repetition_time, synthetic: false })
    }

    /// The recordings.
    pub fn subjects(&self) -> &[Subject] {
        &self.subjects
    }

    /// The recordings, taken out.
    pub fn into_subjects(self) -> Vec<Subject> {
        self.subjects
    }

    /// The names and places of the parcels, where they are known.
    pub fn regions(&self) -> Option<&RegionTable> {
        self.regions.as_ref()
    }

    /// Seconds from frame to frame, where they are known.
    pub fn repetition_time(&self) -> Option<f64> {
        self.repetition_time
    }

    /// Whether they are made up.
    pub fn is_synthetic(&self) -> bool {
        self.synthetic
    }

    /// The same recordings, known to be made up or not.
    pub fn marked_synthetic(self, synthetic: bool) -> Self {
        Self { synthetic, ..self }
    }

    /// The number of parcels.
    pub fn parcels(&self) -> usize {
        self.subjects.first().map_or(0, |subject| subject.series.ncols())
    }

    /// A hash of the recordings and of what is known of their parcels, in hexadecimal: the SHA-256 of `recordings/1`,
    /// then the table of parcels as CSV (its length first; 0 without one), then of each subject the name (its length
    /// first), the number of frames and of parcels and the values in double precision, all little-endian.
    pub fn sha256(&self) -> String {
        let mut hash = Sha256::new();
        let text = |hash: &mut Sha256, text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        hash.update(b"recordings/1");
        text(&mut hash, &self.regions.as_ref().map_or(String::new(), |regions| regions.to_csv(false)));
        for subject in &self.subjects {
            text(&mut hash, &subject.name);
            hash.update((subject.series.nrows() as u64).to_le_bytes());
            hash.update((subject.series.ncols() as u64).to_le_bytes());
            subject.series.iter().for_each(|value| hash.update(value.to_le_bytes()));
        }
        format!("{:x}", hash.finalize())
    }

    /// The recordings in single precision, as masked items are made of them.
    pub fn recordings(&self) -> Vec<Recording> {
        let single = |subject: &Subject| Recording {
            subject: subject.name.clone(),
            frames: subject.series.mapv(|value| value as f32),
        };
        self.subjects.iter().map(single).collect()
    }

    /// Each parcel of each subject with mean 0 and standard deviation 1 (n - 1) over its frames.
    pub fn z_scored(mut self) -> Self {
        for subject in &mut self.subjects {
            let scales = vec![0.0; subject.series.ncols()];
            z_score(&mut subject.series, &scales);
        }
        self
    }

    /// Without the global signal, over **all** frames, which is right for describing recordings and wrong for training:
    /// [`remove_global_signal`](crate::masked::remove_global_signal) fits it to training frames alone. Of each subject
    /// the mean, and then the mean series of all parcels, are regressed out of every parcel. After
    /// [`SubjectSet::z_scored`] every parcel has the same weight in it.
    ///
    /// # Errors
    /// If a series is then constant: it was the global signal itself.
    pub fn without_global_signal(mut self) -> Result<Self> {
        for subject in &mut self.subjects {
            for mut column in subject.series.columns_mut() {
                let mean = column.sum() / column.len() as f64;
                column -= mean;
            }
            let mut global = subject.series.mean_axis(Axis(1)).unwrap_or_default().insert_axis(Axis(1));
            let scale = global.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
            z_score(&mut global, &[scale]);
            remove_confounds(&mut subject.series, &global);
        }
        Ok(Self::new(self.subjects, self.regions, self.repetition_time)?.marked_synthetic(self.synthetic))
    }
}

fn check(subject: &Subject, parcels: usize, first: &str) -> Result<()> {
    let Subject { name, series } = subject;
    let wrong = |expected: String, got: String| {
        Err(FmriError::mismatch(
            format!("subject {name}"),
            expected,
            got,
            "correct its series, or leave it out",
        ))
    };
    if series.ncols() != parcels || parcels == 0 {
        return wrong(
            format!("{parcels} parcels, as in {first}, and at least one"),
            series.ncols().to_string(),
        );
    }
    if series.nrows() < 2 {
        return wrong("two frames or more".to_owned(), series.nrows().to_string());
    }
    for (parcel, column) in series.columns().into_iter().enumerate() {
        if let Some(frame) = column.iter().position(|value| !value.is_finite()) {
            let got = format!("{} in parcel {}, frame {}", column[frame], parcel + 1, frame + 1);
            return wrong("finite values".to_owned(), got);
        }
        let (least, most) = column.iter().fold((f64::MAX, f64::MIN), |(l, m), v| (l.min(*v), m.max(*v)));
        if most - least <= 1e-12 * most.abs().max(least.abs()) {
            return wrong(
                "series that vary".to_owned(),
                format!("{least} throughout in parcel {}", parcel + 1),
            );
        }
    }
    Ok(())
}
