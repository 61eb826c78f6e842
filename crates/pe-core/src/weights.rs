//! Parameters by name, in memory and as safetensors files.
//!
//! A name is the path of a parameter in the module, such as `blocks.0.attention.in_proj.weight` or
//! `encoding.tables.2`. The names of enum variants do not appear in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::tensor::{DType, Tensor, TensorData, backend::Backend};
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
    let weights = weights(module);
    let io = |source: std::io::Error| PeError::Io { place: path.display().to_string(), source };
    let views = weights.iter().map(|(name, data)| {
        let view = TensorView::new(Dtype::F32, data.shape.to_vec(), data.as_bytes());
        view.map(|view| (name.as_str(), view))
    });
    let views: Vec<_> = views.collect::<Result<_, _>>().map_err(|e| io(std::io::Error::other(e)))?;
    let bytes = safetensors::serialize(views, None).map_err(|e| io(std::io::Error::other(e)))?;
    let mut file = atomic_write_file::AtomicWriteFile::open(path).map_err(io)?;
    file.write_all(&bytes).and_then(|()| file.commit()).map_err(io)
}

/// Loads parameters from a file into a module of the same structure.
///
/// # Errors
/// When the file cannot be read, is truncated or damaged, or does not fit the module.
pub fn load<B: Backend, M: Module<B>>(module: M, path: &Path) -> Result<M, PeError> {
    let place = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|source| PeError::Io { place: place.clone(), source })?;
    let bad = |problem: String| PeError::Weights { place: place.clone(), problem };
    let file = SafeTensors::deserialize(&bytes).map_err(|e| {
        bad(format!("not a whole safetensors file ({e}): it may be truncated, so write or fetch it again"))
    })?;
    let mut weights = Weights::new();
    for (name, view) in file.iter() {
        if view.dtype() != Dtype::F32 {
            return Err(bad(format!("tensor `{name}` is {:?}: expected F32", view.dtype())));
        }
        let data = TensorData::from_bytes_vec(view.data().to_vec(), view.shape().to_vec(), DType::F32);
        weights.insert(name.to_owned(), data);
    }
    with_weights(module, weights, &place)
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
