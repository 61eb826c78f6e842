//! PyTorch's side of the benchmark: the script beside xtask, where Python has torch.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::paths;

/// A Python that has PyTorch.
pub(super) struct Torch {
    python: PathBuf,
    /// Its version.
    pub version: String,
}

impl Torch {
    /// Looks for PyTorch in `python`, or in `python3`.
    pub(super) fn find(python: Option<&Path>) -> Option<Self> {
        let python = python.map_or_else(|| PathBuf::from("python3"), Path::to_owned);
        let probe = "import torch, safetensors.torch; print(torch.__version__)";
        let output = Command::new(&python).args(["-c", probe]).stderr(Stdio::null()).output().ok()?;
        let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (output.status.success() && !version.is_empty()).then_some(Self { python, version })
    }

    /// The command that takes `steps` steps from an exported folder.
    pub(super) fn command(&self, folder: &Path, steps: usize, compiled: bool, pruned: bool) -> Command {
        let mut command = Command::new(&self.python);
        command.arg(paths::root().join("xtask").join("torch").join("train_step.py")).arg(folder);
        command.args(["--steps", &steps.to_string()]);
        for (flag, on) in [("--compiled", compiled), ("--pruned", pruned)] {
            if on {
                command.arg(flag);
            }
        }
        command
    }
}
