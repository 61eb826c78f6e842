//! Named f32 tensors with a little metadata in one safetensors file, written atomically.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use burn::tensor::TensorData;
use pe_core::weights::Weights;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::TrainError;

/// Writes tensors and metadata under a temporary name, then renames.
pub(crate) fn write(path: &Path, tensors: &Weights, metadata: &[(&str, String)]) -> Result<(), TrainError> {
    let damaged = |error: safetensors::SafeTensorError| TrainError::Damaged {
        path: path.display().to_string(),
        problem: error.to_string(),
    };
    let views = tensors.iter().map(|(name, data)| {
        TensorView::new(Dtype::F32, data.shape.to_vec(), data.as_bytes()).map(|view| (name.as_str(), view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(damaged)?;
    let metadata: HashMap<String, String> =
        metadata.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
    let bytes = safetensors::serialize(views, Some(metadata)).map_err(damaged)?;
    write_atomic(path, &bytes)
}

/// Reads what [`write`] wrote.
pub(crate) fn read(path: &Path) -> Result<(Weights, HashMap<String, String>), TrainError> {
    let bytes = std::fs::read(path).map_err(TrainError::io("read", path))?;
    let damaged = |problem: String| TrainError::Damaged { path: path.display().to_string(), problem };
    let whole = |error: safetensors::SafeTensorError| {
        damaged(format!(
            "not a whole safetensors file ({error}): it may be truncated, so delete it and start the run again"
        ))
    };
    let file = SafeTensors::deserialize(&bytes).map_err(whole)?;
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(whole)?;
    let mut tensors = Weights::new();
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(damaged(format!(
                "tensor `{name}` is {:?}: expected F32; delete it and start the run again",
                view.dtype()
            )));
        }
        // By value, since the bytes of a file need not be aligned.
        let values = view.data().as_chunks().0.iter().copied().map(f32::from_le_bytes);
        tensors.insert(name.to_owned(), TensorData::new(values.collect::<Vec<f32>>(), view.shape().to_vec()));
    }
    Ok((tensors, header.metadata().clone().unwrap_or_default()))
}

/// Writes bytes under a temporary name, then renames.
pub(crate) fn write_atomic(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    let io = TrainError::io("write", path);
    let mut file = atomic_write_file::AtomicWriteFile::open(path).map_err(&io)?;
    // `commit` syncs too, but leaves the temporary file where that fails.
    file.write_all(bytes).and_then(|()| file.as_file().sync_all()).map_err(&io)?;
    file.commit().map_err(&io)
}
