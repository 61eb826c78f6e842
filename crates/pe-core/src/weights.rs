//! Parameters by name, in memory and as safetensors files.
//!
//! A name is the path of a parameter in the module, such as `blocks.0.attention.in_proj.weight` or
//! `encoding.tables.2`. The names of enum variants do not appear in it.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{Tensor, TensorData, backend::Backend};
use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use crate::PeError;

/// All float parameters of a module by name, as f32.
pub type Weights = BTreeMap<String, TensorData>;

/// Copies all parameters out of a module.
pub fn weights<B: Backend, M: Module<B>>(module: &M) -> Weights {
    let mut reader = Reader { path: NamePath::default(), weights: Weights::new() };
    module.visit(&mut reader);
    reader.weights
}

/// Puts parameters into a module of the same structure; `place` names where they come from in errors.
///
/// # Errors
/// When a parameter is missing, is left over, or has another shape. The module is then consumed.
pub fn with_weights<B: Backend, M: Module<B>>(
    module: M,
    weights: Weights,
    place: &str,
) -> Result<M, PeError> {
    let mut writer = Writer { path: NamePath::default(), weights, problem: None };
    let module = module.map(&mut writer);
    let leftover = writer.weights.keys().next().map(|name| {
        format!("parameter `{name}` does not exist in this model: the file is of a model of another config")
    });
    match writer.problem.or(leftover) {
        Some(problem) => Err(PeError::Weights { place: place.to_owned(), problem }),
        None => Ok(module),
    }
}

/// Saves all parameters, under a temporary name first.
///
/// # Errors
/// When the file cannot be written.
pub fn save<B: Backend, M: Module<B>>(module: &M, path: &Path) -> Result<(), PeError> {
    write(path, &weights(module), &[])
}

/// Loads parameters from a file into a module of the same structure.
///
/// # Errors
/// When the file cannot be read, is truncated or damaged, or does not fit the module.
pub fn load<B: Backend, M: Module<B>>(module: M, path: &Path) -> Result<M, PeError> {
    with_weights(module, read(path)?.0, &path.display().to_string())
}

/// Writes f32 tensors and metadata to a safetensors file: under a temporary name, then renamed.
///
/// # Errors
/// When the file cannot be written, or a tensor is not f32.
pub fn write(path: &Path, tensors: &Weights, metadata: &[(&str, String)]) -> Result<(), PeError> {
    let place = path.display().to_string();
    let bad =
        |e: safetensors::SafeTensorError| PeError::Weights { place: place.clone(), problem: e.to_string() };
    let views = tensors.iter().map(|(name, data)| {
        let view = TensorView::new(Dtype::F32, data.shape.to_vec(), data.as_bytes());
        view.map(|view| (name.as_str(), view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(bad)?;
    let named = |(key, value): &(&str, String)| ((*key).to_owned(), value.clone());
    let metadata: Option<HashMap<_, _>> =
        (!metadata.is_empty()).then(|| metadata.iter().map(named).collect());
    let bytes = safetensors::serialize(views, metadata).map_err(bad)?;
    write_atomic(path, &bytes).map_err(|source| PeError::Io { place: place.clone(), source })
}

/// Reads a safetensors file of f32 tensors: the tensors, and the metadata.
///
/// # Errors
/// When the file cannot be read, is truncated or damaged, or holds a tensor that is not f32.
pub fn read(path: &Path) -> Result<(Weights, HashMap<String, String>), PeError> {
    let place = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| PeError::Io { place: place.clone(), source })?;
    let bad = |problem: String| PeError::Weights { place: place.clone(), problem };
    let whole = |e: safetensors::SafeTensorError| {
        bad(format!("not a whole safetensors file ({e}): it may be truncated, so write or fetch it again"))
    };
    let file = SafeTensors::deserialize(&bytes).map_err(whole)?;
    let (_, header) = SafeTensors::read_metadata(&bytes).map_err(whole)?;
    let mut weights = Weights::new();
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(bad(format!(
                "tensor `{name}` is {:?}: expected F32, so write it again as 32-bit floats",
                view.dtype()
            )));
        }
        // By value, since the bytes of a file need not be aligned.
        let values = view.data().as_chunks().0.iter().copied().map(f32::from_le_bytes);
        weights.insert(name.to_owned(), TensorData::new(values.collect::<Vec<f32>>(), view.shape().to_vec()));
    }
    Ok((weights, header.metadata().clone().unwrap_or_default()))
}

fn write_atomic(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = atomic_write_file::AtomicWriteFile::open(path)?;
    // `commit` syncs too, but leaves the temporary file where that fails.
    file.write_all(bytes).and_then(|()| file.as_file().sync_all())?;
    file.commit()
}

/// The path of the module that a visitor is in.
///
/// Follow a traversal with [`NamePath::enter`] and [`NamePath::exit`] to know the name of each parameter.
#[derive(Debug, Clone, Default)]
pub struct NamePath(Vec<String>);

impl NamePath {
    /// Call from `enter_module`.
    pub fn enter(&mut self, name: &str, container: &str) {
        if !container.starts_with("Enum:") {
            self.0.push(name.to_owned());
        }
    }

    /// Call from `exit_module`.
    pub fn exit(&mut self, container: &str) {
        if !container.starts_with("Enum:") {
            self.0.pop();
        }
    }

    /// The name of the parameter at hand.
    pub fn name(&self) -> String {
        self.0.join(".")
    }
}

struct Reader {
    path: NamePath,
    weights: Weights,
}

impl<B: Backend> ModuleVisitor<B> for Reader {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<B, D>>) {
        self.weights.insert(self.path.name(), param.val().to_data().convert::<f32>());
    }
}

struct Writer {
    path: NamePath,
    weights: Weights,
    problem: Option<String>,
}

impl<B: Backend> ModuleMapper<B> for Writer {
    fn enter_module(&mut self, name: &str, container: &str) {
        self.path.enter(name, container);
    }

    fn exit_module(&mut self, _name: &str, container: &str) {
        self.path.exit(container);
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<B, D>>) -> Param<Tensor<B, D>> {
        let name = self.path.name();
        let (id, old, mapper) = param.consume();
        let expected = old.dims();
        let new = match self.weights.remove(&name) {
            Some(data) if data.shape.as_slice() == expected => {
                Tensor::from_data(data, &old.device()).set_require_grad(old.is_require_grad())
            }
            found => {
                let got = found.map_or("nothing".to_owned(), |data| format!("{:?}", data.shape.to_vec()));
                self.problem.get_or_insert(format!(
                    "parameter `{name}`: expected shape {expected:?}, got {got}: use the config that the weights were made with"
                ));
                old
            }
        };
        Param::from_mapped_value(id, new, mapper)
    }
}
