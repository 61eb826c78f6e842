//! The tensors `truth.*`: what a task knows of the truth besides coordinates.

use ndarray::{Array2, ArrayView2};

use super::InputError;
use super::tensors::File;

/// The ground truth of a run besides its coordinates; nothing of a task that records none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Truth {
    /// After how much each axis repeats itself, `[axes]`.
    pub periods: Option<Vec<f64>>,
    /// The module of each token, `[tokens]`.
    pub modules: Option<Vec<usize>>,
    /// How strongly each token (row) is driven by each other one, `[tokens, tokens]`.
    pub coupling: Option<Array2<f64>>,
    /// Correlations of tokens over the training items, `[tokens, tokens]`.
    pub correlation: Option<Array2<f64>>,
    /// The side of each token of a brain, `[tokens]`: -1 left, 1 right, 0 neither.
    pub hemisphere: Option<Vec<i8>>,
    /// Which tokens are of the cortex, `[tokens]`.
    pub cortical: Option<Vec<bool>>,
    /// Whether coordinates are places. Where the one axis is the module itself, or where `truth.placeless` says so,
    /// they are names.
    pub has_places: bool,
}

impl Truth {
    pub(super) fn read(file: &File, coords: ArrayView2<f64>) -> Result<Self, InputError> {
        let (tokens, axes) = coords.dim();
        let vector = |name: &str, length: usize| {
            let values = file.has(name).then(|| file.vector(name)).transpose()?;
            if let Some(values) = &values {
                file.same(name, &format!("[{length}]"), &format!("[{}]", values.len()))?;
            }
            Ok::<_, InputError>(values)
        };
        let square = |name: &str| {
            let matrix = file.has(name).then(|| file.matrix(name)).transpose()?;
            if let Some(matrix) = &matrix {
                file.same(name, &format!("[{tokens}, {tokens}]"), &format!("{:?}", matrix.shape()))?;
            }
            Ok::<_, InputError>(matrix)
        };
        let periods = vector("truth.periods", axes)?;
        if let Some(bad) = periods.iter().flatten().find(|period| **period <= 0.0) {
            return Err(file.wrong("truth.periods", "periods above 0", &bad.to_string()));
        }
        let modules = vector("truth.modules", tokens)?;
        if let Some(bad) = modules.iter().flatten().find(|module| **module < 0.0 || module.fract() != 0.0) {
            return Err(file.wrong("truth.modules", "whole numbers from 0 on", &bad.to_string()));
        }
        let one_of = |name: &str, allowed: &[f64], expected: &str| {
            let values = vector(name, tokens)?;
            match values.iter().flatten().find(|value| !allowed.contains(value)) {
                Some(bad) => Err(file.wrong(name, expected, &bad.to_string())),
                None => Ok(values),
            }
        };
        let hemisphere = one_of("truth.hemisphere", &[-1.0, 0.0, 1.0], "-1 (left), 0 or 1 (right)")?;
        let cortical = one_of("truth.cortical", &[0.0, 1.0], "0 or 1")?;
        let placeless = vector("truth.placeless", 1)?;
        if let Some(bad) = placeless.iter().flatten().find(|flag| **flag != 0.0 && **flag != 1.0) {
            return Err(file.wrong("truth.placeless", "0 or 1", &bad.to_string()));
        }
        let names = |modules: &Vec<f64>| axes == 1 && coords.iter().eq(modules);
        Ok(Self {
            has_places: placeless != Some(vec![1.0]) && !modules.as_ref().is_some_and(names),
            hemisphere: hemisphere.map(|sides| sides.into_iter().map(|side| side as i8).collect()),
            cortical: cortical.map(|flags| flags.into_iter().map(|flag| flag == 1.0).collect()),
            periods,
            modules: modules.map(|modules| modules.into_iter().map(|module| module as usize).collect()),
            coupling: square("truth.coupling")?,
            correlation: square("truth.correlation")?,
        })
    }
}
