//! Numbers as text, and the two statistics that xtask computes itself: mean and standard deviation.

/// Mean and sample standard deviation of values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Summary {
    pub n: usize,
    pub mean: f64,
    /// None of a single value.
    pub sd: Option<f64>,
}

/// None for no values.
pub(crate) fn summary(values: &[f64]) -> Option<Summary> {
    if values.is_empty() {
        return None;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.len() > 1)
        .then(|| (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt());
    Some(Summary { n: values.len(), mean, sd })
}

/// With so many decimals; what rounds to zero has no sign.
pub(crate) fn fixed(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.to_owned(),
        // The sign of the print shop.
        Some(rest) => format!("−{rest}"),
        None => text,
    }
}

/// With a sign in front of positive numbers too.
pub(crate) fn signed(value: f64, decimals: usize) -> String {
    let text = fixed(value, decimals);
    let is_zero = text.bytes().all(|b| b == b'0' || b == b'.');
    if text.starts_with('−') || is_zero { text } else { format!("+{text}") }
}

/// A number for a CSV: all its digits, nothing for what is not a number.
pub(crate) fn exact(value: f64) -> String {
    if value.is_finite() { (value + 0.0).to_string() } else { String::new() }
}

/// With fewer values than these they are shown one by one, without a spread.
pub(crate) const FEW: usize = 6;

/// Mean ± standard deviation, in so many decimals, after a factor such as 100 for percent; the values
/// themselves where
/// they are few; a dash for nothing.
pub(crate) fn spread(values: &[f64], factor: f64, decimals: usize) -> String {
    let text = |value: f64| fixed(factor * value, decimals);
    match summary(values) {
        None => "–".to_owned(),
        Some(Summary { n, mean, sd: Some(sd) }) if n >= FEW => format!("{} ± {}", text(mean), text(sd)),
        Some(Summary { n: 1, mean, .. }) => text(mean),
        Some(Summary { mean, .. }) => {
            let single: Vec<String> = values.iter().map(|value| text(*value)).collect();
            format!("{} ({})", text(mean), single.join(", "))
        }
    }
}

/// A p value.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_owned() } else { fixed(p, 3) }
}

/// A time in the unit that one would say.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 90.0 * 60.0 => format!("{:.0} min", s / 60.0),
        s if s < 36.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s => format!("{:.1} days", s / 86_400.0),
    }
}

/// Thousands apart.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spread_is_the_sample_standard_deviation() {
        let of = summary(&[1.0, 3.0]).unwrap();
        assert_eq!((of.n, of.mean, of.sd), (2, 2.0, Some(2f64.sqrt())));
        assert_eq!((spread(&[0.5], 100.0, 1), spread(&[], 1.0, 1)), ("50.0".to_owned(), "–".to_owned()));
        assert_eq!(summary(&[0.3]).unwrap().sd, None);
        assert_eq!(spread(&[0.1, 0.3], 100.0, 0), "20 (10, 30)", "of two values a spread says nothing");
        assert_eq!(spread(&[1.0, 3.0, 1.0, 3.0, 1.0, 3.0], 1.0, 2), "2.00 ± 1.10");
    }

    #[test]
    fn zero_has_no_sign() {
        assert_eq!((fixed(-0.001, 2), fixed(-0.5, 1)), ("0.00".to_owned(), "−0.5".to_owned()));
        assert_eq!(
            (signed(0.0, 1), signed(1.25, 1), signed(-2.0, 0)),
            ("0.0".into(), "+1.2".into(), "−2".into())
        );
        assert_eq!((exact(-0.0), exact(f64::NAN)), ("0".to_owned(), String::new()));
    }

    #[test]
    fn times_are_said_in_their_unit() {
        let said = [20.0, 600.0, 7200.0, 3.0 * 86_400.0].map(duration);
        assert_eq!(said, ["20 s", "10 min", "2.0 h", "3.0 days"]);
        assert_eq!((grouped(999), grouped(1234567)), ("999".to_owned(), "1,234,567".to_owned()));
    }
}
