//! Which side of the brain a parcel is on, told by its name.

/// The side that a parcel is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Hemisphere {
    /// Left.
    Left,
    /// Right.
    Right,
    /// Neither: the brainstem, the vermis, an electrode on the midline.
    Neither,
}

/// What names begin with (AAL and BASC, FreeSurfer's cortex, its `aseg` and its Destrieux atlas), left and right.
const BEGINNINGS: [(&str, &str); 6] = [
    ("ctx-lh-", "ctx-rh-"),
    ("Left-", "Right-"),
    ("lh.", "rh."),
    ("lh_", "rh_"),
    ("L_", "R_"),
    ("LH_", "RH_"),
];
/// What names end with.
const ENDS: [(&str, &str); 3] = [("_L", "_R"), ("-L", "-R"), ("_lh", "_rh")];
/// What Schaefer's names have in them.
const WITHIN: [(&str, &str); 1] = [("Networks_LH_", "Networks_RH_")];

impl Hemisphere {
    /// The side that a name tells, by the usual marks at its beginning or end.
    pub fn of_name(name: &str) -> Self {
        split(name).0
    }

    /// The side that a field of a table tells: `L`, `R`, `left`, `right`, `lh`, `rh`; anything else is neither.
    pub fn of_field(field: &str) -> Self {
        match field.to_ascii_lowercase().as_str() {
            "l" | "left" | "lh" => Self::Left,
            "r" | "right" | "rh" => Self::Right,
            _ => Self::Neither,
        }
    }

    /// `L`, `R`, or `other`.
    pub fn letter(self) -> &'static str {
        match self {
            Self::Left => "L",
            Self::Right => "R",
            Self::Neither => "other",
        }
    }

    /// -1 left, 1 right, 0 neither: the side of MNI's x axis.
    pub fn sign(self) -> f64 {
        match self {
            Self::Left => -1.0,
            Self::Right => 1.0,
            Self::Neither => 0.0,
        }
    }
}

/// For each parcel the one of the same name on the other side, where there is just one.
pub(super) fn partners(names: &[String], sides: &[Hemisphere]) -> Vec<Option<usize>> {
    let stems: Vec<String> = names.iter().map(|name| split(name).1).collect();
    let opposite = |one: usize, other: usize| {
        stems[one] == stems[other] && (sides[one].sign() * sides[other].sign()) < 0.0
    };
    let all = 0..names.len();
    all.clone()
        .map(|one| {
            let mut found = all.clone().filter(|&other| opposite(one, other));
            found.next().filter(|_| found.next().is_none())
        })
        .collect()
}

/// The side of a name, and the name without its mark.
fn split(name: &str) -> (Hemisphere, String) {
    let sides =
        |marks: (&'static str, &'static str)| [(Hemisphere::Left, marks.0), (Hemisphere::Right, marks.1)];
    for (side, mark) in WITHIN.into_iter().flat_map(sides) {
        if name.contains(mark) {
            return (side, name.replacen(mark, "Networks_", 1));
        }
    }
    for (side, mark) in BEGINNINGS.into_iter().flat_map(sides) {
        if let Some(rest) = name.strip_prefix(mark) {
            return (side, rest.to_owned());
        }
    }
    for (side, mark) in ENDS.into_iter().flat_map(sides) {
        if let Some(rest) = name.strip_suffix(mark) {
            return (side, rest.to_owned());
        }
    }
    (Hemisphere::Neither, name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use Hemisphere::{Left, Neither, Right};

    #[test]
    fn usual_names_tell_their_side() {
        for (name, side) in [
            ("Precentral_L", Left),
            ("Precentral_R", Right),
            ("L_V1_ROI", Left),
            ("R_V1_ROI", Right),
            ("ctx-lh-cuneus", Left),
            ("ctx-rh-cuneus", Right),
            ("lh.S_central", Left),
            ("Left-Thalamus", Left),
            ("Right-Thalamus", Right),
            ("7Networks_RH_Vis_1", Right),
            ("Brain-Stem", Neither),
            ("Vermis_8", Neither),
            ("Lingual", Neither),
        ] {
            assert_eq!(Hemisphere::of_name(name), side, "{name}");
        }
        assert_eq!(["l", "Right", "midline"].map(Hemisphere::of_field), [Left, Right, Neither]);
    }

    #[test]
    fn partners_have_one_name_and_opposite_sides() {
        let names = ["A_L", "B_R", "A_R", "Stem", "B_L", "C_L"].map(str::to_owned);
        let sides: Vec<Hemisphere> = names.iter().map(|name| Hemisphere::of_name(name)).collect();
        assert_eq!(partners(&names, &sides), [Some(2), Some(4), Some(0), None, Some(1), None]);
    }
}
