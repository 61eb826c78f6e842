//! What `tasks fmri extract` writes: the series, and what was done.

use ndarray::Array2;
use tasks::fmri::extract::Extraction;
use tasks::fmri::series::{NpzArray, npz_bytes, table_text};
use tasks::fmri::signal::Cleaned;

/// Series of parcels, and what is known of them.
pub(crate) struct SeriesToWrite<'a> {
    pub(crate) extraction: &'a Extraction,
    pub(crate) cleaned: &'a Cleaned,
    /// `[parcels, 3]`, mm.
    pub(crate) coordinates: Option<&'a Array2<f64>>,
    /// Seconds from frame to frame.
    pub(crate) time: Option<f64>,
}

impl SeriesToWrite<'_> {
    /// The content of a file of that extension.
    pub(crate) fn bytes(&self, kind: &str) -> anyhow::Result<Vec<u8>> {
        let (series, names) = (self.cleaned.series.view(), self.extraction.regions.names());
        let ids = self.extraction.regions.ids();
        let frames: Vec<i64> = self.cleaned.frames.iter().map(|frame| *frame as i64).collect();
        let time = [self.time.unwrap_or(f64::NAN)];
        let mut arrays = vec![
            ("series", NpzArray::Matrix(series)),
            ("labels", NpzArray::Integers(&ids)),
            ("names", NpzArray::Texts(&names)),
            ("frames", NpzArray::Integers(&frames)),
            ("repetition_time", NpzArray::Vector(&time)),
        ];
        if let Some(coordinates) = self.coordinates {
            arrays.push(("coordinates", NpzArray::Matrix(coordinates.view())));
        }
        Ok(match kind {
            "npz" => npz_bytes(&arrays)?,
            "npy" => NpzArray::Matrix(series).npy_bytes(),
            "csv" => table_text(series, &names, b',')?.into_bytes(),
            _ => table_text(series, &names, b'\t')?.into_bytes(),
        })
    }

    /// Adds what the series are to the options that made them.
    pub(crate) fn report(&self, mut options: serde_json::Value) -> serde_json::Value {
        let regions = &self.extraction.regions;
        options["repetition_time"] = self.time.into();
        options["frames"] = self.cleaned.frames.len().into();
        options["frames_of_recording"] = self.extraction.series.nrows().into();
        options["dropped"] = serde_json::json!(regions.dropped);
        options["coverage"] = serde_json::json!(regions.coverage);
        options["version"] = env!("CARGO_PKG_VERSION").into();
        options
    }
}
