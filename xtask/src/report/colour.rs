//! Colours: Okabe and Ito's for kinds, viridis for amounts, blue to orange for what has a sign.

use std::fmt;

/// A colour of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rgb(pub u8, pub u8, pub u8);

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// The kinds, on a light and on a dark page: Okabe and Ito (2008), lightened for the dark one. Class `k<i>`.
pub(super) const KINDS: [(&str, &str); 7] = [
    ("#1b1f24", "#e6edf3"), // the colour of the text
    ("#0072b2", "#58b0e8"), // blue
    ("#b87f00", "#e8b13c"), // orange, darkened: the original is too pale on white
    ("#009e73", "#3ccfa4"), // bluish green
    ("#d55e00", "#ff8a47"), // vermillion
    ("#56b4e9", "#a5d8f9"), // sky blue
    ("#b8578f", "#e79cc8"), // reddish purple, darkened
];

/// Steps of the ramp for learned encodings by σ. Class `r<i>`.
pub(super) const STEPS: usize = 12;

/// A step of the ramp on a light and on a dark page: the part of viridis that stands out there.
pub(super) fn step(i: usize) -> (Rgb, Rgb) {
    let t = i as f64 / (STEPS - 1) as f64;
    (viridis(0.02 + 0.83 * t), viridis(0.28 + 0.72 * t))
}

/// How an amount becomes a colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Map {
    /// From 0 (dark) to `high` (bright), the square root of the value: small amounts are told apart beside
    /// large ones.
    Root { high: f64 },
    /// From -`bound` (blue) over 0 (white) to `bound` (orange).
    Signed { bound: f64 },
}

impl Map {
    /// The colour of a value; values outside are clamped.
    pub(super) fn colour(self, value: f64) -> Rgb {
        match self {
            Map::Root { high } => viridis((value / high).clamp(0.0, 1.0).sqrt()),
            Map::Signed { bound } => diverging((value / bound).clamp(-1.0, 1.0)),
        }
    }

    /// The colour of a value to the nearest of 65 steps of the ramp, the middle one among them: so few that cells of a
    /// map share them, so many that none is seen.
    pub(super) fn shade(self, value: f64) -> Rgb {
        const STEPS: f64 = 64.0;
        let place = match self {
            Map::Root { high } => (value / high).clamp(0.0, 1.0).sqrt(),
            Map::Signed { bound } => ((value / bound).clamp(-1.0, 1.0) + 1.0) / 2.0,
        };
        self.colour(self.value_at((place * STEPS).round() / STEPS))
    }

    /// The value at a place from 0 to 1 of its ramp.
    pub(super) fn value_at(self, place: f64) -> f64 {
        match self {
            Map::Root { high } => high * place * place,
            Map::Signed { bound } => bound * (2.0 * place - 1.0),
        }
    }
}

/// viridis of Smith and van der Walt (CC0), at nine places, linear between them.
fn viridis(t: f64) -> Rgb {
    const PLACES: [Rgb; 9] = [
        Rgb(68, 1, 84),
        Rgb(71, 44, 122),
        Rgb(59, 81, 139),
        Rgb(44, 113, 142),
        Rgb(33, 144, 141),
        Rgb(39, 173, 129),
        Rgb(92, 200, 99),
        Rgb(170, 220, 50),
        Rgb(253, 231, 37),
    ];
    between(&PLACES, t)
}

/// Blue, white, orange: told apart with every kind of colour vision (ends as in ColorBrewer's PuOr and
/// Blues).
fn diverging(t: f64) -> Rgb {
    const PLACES: [Rgb; 5] =
        [Rgb(8, 81, 156), Rgb(107, 174, 214), Rgb(247, 247, 247), Rgb(241, 163, 64), Rgb(153, 76, 4)];
    between(&PLACES, (t + 1.0) / 2.0)
}

fn between(places: &[Rgb], t: f64) -> Rgb {
    let at = t * (places.len() - 1) as f64;
    let i = (at as usize).min(places.len() - 2);
    let (a, b, share) = (places[i], places[i + 1], at - i as f64);
    let mix = |a: u8, b: u8| (f64::from(a) + share * (f64::from(b) - f64::from(a))).round() as u8;
    Rgb(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lightness(c: Rgb) -> f64 {
        let linear = |v: u8| (f64::from(v) / 255.0).powf(2.2);
        0.2126 * linear(c.0) + 0.7152 * linear(c.1) + 0.0722 * linear(c.2)
    }

    #[test]
    fn more_is_lighter_and_zero_is_lightest_between_signs() {
        let amount = Map::Root { high: 2.0 };
        let rising: Vec<f64> = (0..=20).map(|i| lightness(amount.colour(f64::from(i) / 10.0))).collect();
        assert!(rising.windows(2).all(|pair| pair[0] < pair[1]), "{rising:?}");
        let signed = Map::Signed { bound: 1.0 };
        for value in [0.2, 0.6, 1.0] {
            assert!(lightness(signed.colour(value)) < lightness(signed.colour(value - 0.2)));
            assert!(lightness(signed.colour(-value)) < lightness(signed.colour(0.2 - value)));
        }
        assert_eq!(signed.colour(5.0), signed.colour(1.0));
        let all: std::collections::BTreeSet<Rgb> =
            (0..=999).map(|i| signed.shade(f64::from(i) / 499.5 - 1.0)).collect();
        assert!(all.len() <= 65 && signed.shade(0.001) == signed.colour(0.0), "{}", all.len());
        assert_eq!((amount.value_at(0.5), signed.value_at(0.25)), (0.5, -0.5));
    }
}
