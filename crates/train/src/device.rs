//! Where a run computes.

use std::fmt;
use std::str::FromStr;

use crate::TrainError;

/// A device by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeviceKind {
    /// One thread of the processor.
    #[default]
    Cpu,
    /// The first NVIDIA GPU; needs the feature `cuda`.
    Cuda,
}

impl FromStr for DeviceKind {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "cpu" => Ok(Self::Cpu),
            "cuda" => Ok(Self::Cuda),
            _ => Err(format!("unknown device `{name}`: expected cpu or cuda")),
        }
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Cpu => "cpu",
            Self::Cuda => "cuda",
        })
    }
}

impl DeviceKind {
    /// Whether this build and machine have the device.
    ///
    /// # Errors
    /// Says what is missing. The driver is looked for here because the first tensor would panic without it.
    pub fn check(self) -> Result<(), TrainError> {
        if self == Self::Cpu {
            return Ok(());
        }
        if cfg!(not(feature = "cuda")) {
            let message = "this build knows no CUDA: build it with `--features cuda`, or use `--device cpu`";
            return Err(TrainError::Device(message.to_owned()));
        }
        // Linux, and Windows' Linux, each in its own place.
        let driver = ["/proc/driver/nvidia/version", "/dev/dxg"];
        if !driver.iter().any(|path| std::path::Path::new(path).exists()) {
            let message = "no NVIDIA driver found on this machine: install it, or use `--device cpu`";
            return Err(TrainError::Device(message.to_owned()));
        }
        Ok(())
    }
}
