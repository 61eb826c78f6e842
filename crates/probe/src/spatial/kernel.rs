//! How likeness falls with distance.

use serde::{Deserialize, Serialize};

use crate::StatError;

/// How smooth a map is from place to place: the ν of a Matérn covariance. Exponential maps jump at every step; Gaussian ones
/// have every derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Smoothness {
    /// ν = 1/2: `exp(-s)`, s = distance/λ.
    Exponential,
    /// ν = 3/2: `(1 + t) exp(-t)`, t = √3 s.
    #[serde(rename = "matern-3/2")]
    MaternThreeHalves,
    /// ν = 5/2: `(1 + t + t²/3) exp(-t)`, t = √5 s.
    #[serde(rename = "matern-5/2")]
    MaternFiveHalves,
    /// ν → ∞: `exp(-s²/2)`.
    Gaussian,
}

impl Smoothness {
    /// From rough to smooth.
    pub const ALL: [Self; 4] =
        [Self::Exponential, Self::MaternThreeHalves, Self::MaternFiveHalves, Self::Gaussian];
}

/// The correlation of two places by their distance, 1 at distance 0 and falling: a Matérn covariance (Rasmussen and Williams
/// 2006, section 4.2.1).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kernel {
    smoothness: Smoothness,
    length: f64,
}

impl Kernel {
    /// With the length λ, above 0, in the units of the distances.
    pub fn new(smoothness: Smoothness, length: f64) -> Result<Self, StatError> {
        if length.is_finite() && length > 0.0 {
            return Ok(Self { smoothness, length });
        }
        Err(StatError::Parameter {
            what: "surrogate maps: length",
            expected: "a finite number above 0".into(),
            got: length.to_string(),
        })
    }

    /// How smooth.
    pub fn smoothness(&self) -> Smoothness {
        self.smoothness
    }

    /// λ.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// The correlation at this distance.
    pub fn at(&self, distance: f64) -> f64 {
        let s = distance / self.length;
        match self.smoothness {
            Smoothness::Exponential => (-s).exp(),
            Smoothness::MaternThreeHalves => {
                let t = 3f64.sqrt() * s;
                (1.0 + t) * (-t).exp()
            }
            Smoothness::MaternFiveHalves => {
                let t = 5f64.sqrt() * s;
                (1.0 + t + t * t / 3.0) * (-t).exp()
            }
            Smoothness::Gaussian => (-s * s / 2.0).exp(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Near 0 a Matérn map of ν above 1 loses `ν/(ν - 1) s²/2` (its second derivative), a Gaussian `s²/2`, an exponential s.
    #[test]
    fn they_are_as_smooth_as_they_say() {
        let lost = |smoothness| 1.0 - Kernel::new(smoothness, 50.0).unwrap().at(0.05);
        for (smoothness, expected) in [
            (Smoothness::Exponential, 1e-3),
            (Smoothness::MaternThreeHalves, 1.5e-6),
            (Smoothness::MaternFiveHalves, 2.5 / 1.5 * 5e-7),
            (Smoothness::Gaussian, 5e-7),
        ] {
            approx::assert_relative_eq!(lost(smoothness), expected, max_relative = 5e-3);
        }
        for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Kernel::new(Smoothness::Gaussian, length).unwrap_err().to_string().contains("length"));
        }
    }
}
