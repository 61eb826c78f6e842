//! Encodings that turn queries and keys by angles that depend on the position, so that their products depend on
//! differences of positions only. One file per variant.

mod rope;
mod rope_kd;

pub use rope::{Rope, RopeConfig};
pub use rope_kd::{RopeKd, RopeKdConfig};

/// The frequency of pair `i` of `pairs`: `base^(-i / pairs)`, from 1 radian per step downwards.
fn frequency(base: f64, i: usize, pairs: usize) -> f64 {
    base.powf(-(i as f64) / pairs as f64)
}

/// Checks the base of the frequencies.
fn check_base(base: f64) -> Result<(), crate::PeError> {
    if base.is_finite() && base >= 1.0 { Ok(()) } else { Err(crate::PeError::RotaryBase(base)) }
}

fn default_base() -> f64 {
    10_000.0
}

#[cfg(test)]
mod tests {
    use burn::tensor::{Tensor, TensorData};
    use streams::Streams;

    use crate::encoding::Site;
    use crate::{Arm, Coords, Cpu, Positions, Rows};

    const SITE: Site = Site { blocks: 1, tokens: 40, axes: 2, width: 12, heads: 1 };

    /// A vector, turned as the token at each of these places is.
    fn turned(arm: &str, x: &[f32], ids: &[usize], coords: &[[f64; 2]]) -> Vec<Vec<f32>> {
        let encoding = arm.parse::<Arm>().unwrap().encoding;
        let encoding = encoding.init::<Cpu>(SITE, &Streams::new(1), &Default::default()).unwrap();
        let positions = Positions::new(ids.to_vec(), Coords::new(coords.concat(), 2).unwrap()).unwrap();
        let placement = encoding.place(&positions, &Default::default()).unwrap();
        let rotation = encoding.terms(0, &placement).rotation.unwrap();
        let shape = [1, 1, ids.len(), x.len()];
        let x = Tensor::from_data(TensorData::new(x.repeat(ids.len()), shape), &Default::default());
        let y = rotation.turn(x, &Rows::All).to_data().to_vec::<f32>().unwrap();
        y.chunks(12).map(<[f32]>::to_vec).collect()
    }

    fn dot(a: &[f32], b: &[f32]) -> f64 {
        a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
    }

    const ARMS: [&str; 3] = ["rope", "rope-0.5", "2d-rope"];

    #[test]
    fn norms_are_kept_and_products_depend_on_differences_only() {
        let q: Vec<f32> = (0..12).map(|i| (1.3 * i as f32).sin()).collect();
        let k: Vec<f32> = (0..12).map(|i| (0.4 + 0.8 * i as f32).cos()).collect();
        let (ids, coords) = ([3, 10, 20, 27], [[1., 2.], [4., -1.], [6., 5.], [9., 2.]]);
        for arm in ARMS {
            let (q_at, k_at) = (turned(arm, &q, &ids, &coords), turned(arm, &k, &ids, &coords));
            for q_at in &q_at {
                assert!((dot(q_at, q_at) - dot(&q, &q)).abs() < 1e-5, "{arm}");
            }
            // From place 0 to 1 it is as far as from 2 to 3, in ids and on both axes.
            let (here, there) = (dot(&q_at[0], &k_at[1]), dot(&q_at[2], &k_at[3]));
            assert!((here - there).abs() < 1e-5, "{arm}: {here} and {there}");
            assert!((here - dot(&q_at[0], &k_at[2])).abs() > 1e-3, "{arm}");
        }
    }

    /// The first pair turns by one radian per step, the pair `i` of 6 by `10000^(-i/6)`.
    #[test]
    fn angles_are_those_of_the_formula() {
        let x = [1., 0.].repeat(6);
        let row = &turned("rope", &x, &[2], &[[0., 0.]])[0];
        for (i, pair) in row.chunks(2).enumerate() {
            let angle = 2.0 * 10_000f64.powf(-(i as f64) / 6.0);
            assert!((f64::from(pair[0]) - angle.cos()).abs() < 1e-6, "{i}");
            assert!((f64::from(pair[1]) - angle.sin()).abs() < 1e-6, "{i}");
        }
        // On half of the dimensions there are 3 pairs, on each of two axes 3 as well; the rest is left alone.
        let half = &turned("rope-0.5", &x, &[2], &[[0., 0.]])[0];
        assert_eq!(half[6..], x[6..]);
        assert!((f64::from(half[2]) - (2.0 * 10_000f64.powf(-1.0 / 3.0)).cos()).abs() < 1e-6);
        let axial = &turned("2d-rope", &x, &[2], &[[2., 0.]])[0];
        assert_eq!((&axial[..6], &axial[6..]), (&half[..6], &x[6..]));
    }

    #[test]
    fn impossible_settings_are_refused() {
        let message = |arm: &str| arm.parse::<Arm>().unwrap_err().to_string();
        assert!(message("rope-0").contains("fraction of a head that rotary encoding turns is 0: expected"));
        assert!(message("rope-1.5").contains("is 1.5: expected a number in (0, 1]"));
        assert!(
            super::check_base(f64::NAN)
                .unwrap_err()
                .to_string()
                .contains("base of rotary frequencies is NaN")
        );
    }
}
