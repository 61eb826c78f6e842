//! The claims on the page: one table of all, and the details by experiment.

use super::claims::{Claim, Judgement, interval, named, with_unit};
use super::csv::Csv;
use super::drawing::escape;
use super::html;
use super::numbers::{exact, fixed, p_value};
use super::series::Series;

/// What the letters behind a figure mean.
pub(super) const MARKS: &str = "<p class=\"soft\">Where a figure is from: <strong>[A]</strong> the abstract \
    of Ito et al. 2025 (<cite>arXiv</cite> 2406.08272), of tables that of Wang and Chen 2020 (<cite>arXiv</cite> \
    2010.04903); <strong>[C]</strong> code of their authors, that of the former published beside a later paper; \
    <strong>[D]</strong> computed from the logs of single seeds shipped with that code; <strong>[R]</strong> public \
    reviews of earlier versions of the former; <strong>[M]</strong> of tables: remembered figures that nobody has \
    checked against the paper's text. What has none of these marks is our own protocol.</p>\
<p class=\"soft\">Verdicts: with at least 6 seeds a claim is <em>reproduced</em>, or <em>not \
reproduced</em> where the figure does not point its way, or <em>undecided</em> where it does, but not surely; with fewer \
it <em>agrees</em> or <em>disagrees so far</em>, without an interval and without a p. In brackets: the number of seeds. \
Verdicts are of each claim by itself, at p &lt; 0.05, unadjusted. Beside p stands, where several claims of an experiment have \
one, p adjusted for them (Holm); it decides nothing. With 6 seeds no p is below 0.031, so that of two claims or more no \
adjusted one can be below 0.05: only more seeds could tell. \
Intervals and p are over seeds of training: where all runs saw one data set, they say nothing of other data, other \
networks or other held-out subjects. It is <em>not judged at this scale</em> where the \
runs are too few or too short for it, or where the compared arms have not fitted their training data \
equally well: a difference is then one of learning speed, and is called <em>raw</em>. On synthetic data in \
place of a scanner's a claim about the brain is <em>not judged</em>. Differences of \
accuracy are in percentage points, treatment minus control, paired by seed. Of claims about tables the \
unit is the table.</p>";

/// A claim with all that was judged of it: the name of a section, and the judgement.
pub(super) type Judged<'a> = (&'a Claim, Vec<(&'a str, &'a Judgement)>);

/// The one table of all claims. Of an experiment without runs the claims stand there as well.
pub(super) fn table(claims: &[Judged]) -> String {
    let bodies: String = claims.iter().map(|(claim, judged)| body(claim, judged)).collect();
    format!(
        "<div class=\"wide\"><table class=\"cards claims\"><thead><tr><th>claim</th><th>verdict</th><th>measured here</th>\
         <th>runs</th></tr></thead>{bodies}</table></div>"
    )
}

/// A claim with what was published, and a row for each section that is about it.
fn body(claim: &Claim, judged: &[(&str, &Judgement)]) -> String {
    let none = |what: &str, needs: &str| {
        cells(&format!("<span class=\"verdict open\">no {what}</span>"), &escape(needs), "")
    };
    let rows: Vec<String> = match (judged, &claim.smallest_scale) {
        ([], Some(scale)) => vec![none("runs", &format!("needs scale {scale}"))],
        ([], None) => vec![none("tables", "needs tables of trained models: cargo xtask reproduce tables")],
        (judged, _) => judged.iter().map(|(section, judgement)| judged_cells(section, judgement)).collect(),
    };
    let name = format!(
        "<td rowspan=\"{}\"><strong><code>{}</code></strong><br/>{}<br/><span class=\"soft\">Published: {} \
         Source: {}.</span></td>",
        rows.len(),
        escape(&claim.id),
        escape(&claim.statement),
        escape(&claim.published.text),
        escape(&claim.source)
    );
    format!("<tbody><tr>{name}{}</tr></tbody>\n", rows.join("</tr>\n<tr>"))
}

fn judged_cells(section: &str, judgement: &Judgement) -> String {
    let verdict =
        format!("<span class=\"verdict {}\">{}</span>", judgement.leaning(), escape(&judgement.verdict()));
    let reason = judgement.0["reason"].as_str();
    let why = reason.map_or(String::new(), |why| format!("<br/><span class=\"soft\">{}</span>", prose(why)));
    let measured = escape(&judgement.measured().unwrap_or_else(|| "no figure".to_owned()));
    let given = match judgement.is_of_one_data_set() {
        true => "<br/><span class=\"soft\">over seeds of training, the data given</span>",
        false => "",
    };
    let runs = format!("<a href=\"#{0}\">{0}</a>", escape(section));
    cells(&verdict, &format!("{measured}{given}{why}"), &runs)
}

fn cells(verdict: &str, measured: &str, runs: &str) -> String {
    format!(
        "<td>{verdict}</td><td data-label=\"measured here\">{measured}</td><td \
         data-label=\"runs\">{runs}</td>"
    )
}

/// Plain text in which backticks set names apart.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let part = |(i, part): (usize, &str)| match i % 2 {
        0 => escape(part),
        _ => format!("<code>{}</code>", escape(part)),
    };
    parts.map(part).collect()
}

/// Each claim of a series with its rule and all that was measured for it.
pub(super) fn details(claims: &[Claim], series: &Series, judged: &[Judgement], folder: &str) -> String {
    let own = claims.iter().filter(|claim| claim.is_about(series));
    // What counts as fitted is said by the claims that ask for it.
    let bounds = judged.iter().filter_map(|j| j.0["rule"]["matched_fit"].as_f64());
    let bound = bounds.reduce(f64::min);
    let parts: Vec<String> = own
        .filter_map(|claim| Some(detail(claim, judged.iter().find(|j| j.word("id") == claim.id)?, bound)))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(
        "<h4>Claims and rules</h4>{}<p class=\"soft\">All contrasts with their seeds: <a \
         href=\"{folder}/claims.json\">claims.json</a>, <a href=\"{folder}/contrasts.csv\">contrasts.csv</a></p>",
        parts.concat()
    )
}

fn detail(claim: &Claim, judgement: &Judgement, bound: Option<f64>) -> String {
    let facts = html::facts(&[
        ("claim", escape(&claim.statement)),
        ("endpoint", escape(&claim.primary)),
        ("rule", format!("<code>{}</code>", escape(judgement.word("rule_text")))),
        ("judged from scale", escape(claim.smallest_scale.as_deref().unwrap_or(""))),
        ("source", escape(&claim.source)),
        ("published", escape(&claim.published.text)),
        ("why", prose(judgement.0["reason"].as_str().unwrap_or(""))),
    ]);
    let contrasts = judgement.contrasts().map(|contrast| {
        let metric = contrast["metric"].as_str().unwrap_or("");
        let number = |key: &str| contrast[key].as_f64().map_or("–".to_owned(), |v| with_unit(v, metric));
        let of = &contrast["interval"];
        let interval = match (of["low"].as_f64(), of["high"].as_f64()) {
            (Some(low), Some(high)) => interval(low, high, metric),
            _ => "–".to_owned(),
        };
        // Of a secondary figure only the corrected p may be read.
        let p = contrast["p_adjusted"].as_f64().or(contrast["p"].as_f64()).map_or("–".to_owned(), p_value);
        let fit = match contrast["matched"].as_bool() {
            Some(true) => "matched",
            Some(false) => "raw, unmatched",
            None if bound.is_some_and(|bound| is_below(contrast, bound)) => "unmatched (not required)",
            None => "–",
        };
        let n = contrast["n"].as_u64().unwrap_or(0).to_string();
        [
            contrast["role"].as_str().unwrap_or("").to_owned(),
            named(contrast),
            n,
            number("mean"),
            interval,
            p,
            fit.to_owned(),
        ]
    });
    let over_sigma = judgement.over_sigma().map(|sigma| {
        let word = |key: &str| sigma[key].as_str().unwrap_or("");
        let number = |key: &str| sigma[key].as_f64().map_or("–".to_owned(), |v| fixed(v, 3));
        let n = sigma["within_seed"].as_array().map_or(0, Vec::len).to_string();
        let interval = match (sigma["interval"]["low"].as_f64(), sigma["interval"]["high"].as_f64()) {
            (Some(low), Some(high)) => format!("{} to {}", fixed(low, 3), fixed(high, 3)),
            _ => "–".to_owned(),
        };
        let p = sigma["p_adjusted"].as_f64().or(sigma["p"].as_f64()).map_or("–".to_owned(), p_value);
        let of = format!("Spearman ρ over σ of {} with {}", word("x"), word("y"));
        [word("role").to_owned(), of, n, number("rho_of_means"), interval, p, "–".to_owned()]
    });
    let head = ["role", "figure", "n seeds", "mean", "95 % interval", "p", "training fit"];
    let table = html::table(&head, &[2, 3, 4, 5], contrasts.chain(over_sigma));
    format!(
        "<details><summary><code>{}</code>: {}</summary>{facts}{table}</details>\n",
        escape(&claim.id),
        escape(&judgement.verdict())
    )
}

/// Whether a run of a contrast has not fitted its training data.
fn is_below(contrast: &serde_json::Value, bound: f64) -> bool {
    let pairs = contrast["pairs"].as_array().into_iter().flatten();
    let mut fits = pairs.flat_map(|pair| [&pair["treatment_fit"], &pair["control_fit"]]);
    fits.any(|fit| fit.as_f64().is_some_and(|fit| fit < bound))
}

/// The pairs behind every contrast.
pub(super) fn csv(judged: &[Judgement]) -> Csv {
    let mut csv = Csv::new([
        "claim",
        "role",
        "metric",
        "treatment",
        "control",
        "seed",
        "treatment_value",
        "control_value",
        "difference",
        "treatment_fit",
        "control_fit",
        "matched",
    ]);
    for judgement in judged {
        for contrast in judgement.contrasts() {
            let word = |key: &str| contrast[key].as_str().unwrap_or("").to_owned();
            let matched = contrast["matched"].as_bool().map_or(String::new(), |matched| matched.to_string());
            for pair in contrast["pairs"].as_array().into_iter().flatten() {
                let number = |key: &str| pair[key].as_f64().map_or(String::new(), exact);
                csv.row([
                    judgement.word("id").to_owned(),
                    word("role"),
                    word("metric"),
                    word("treatment"),
                    word("control"),
                    pair["seed"].as_u64().map_or(String::new(), |seed| seed.to_string()),
                    number("treatment"),
                    number("control"),
                    number("difference"),
                    number("treatment_fit"),
                    number("control_fit"),
                    matched.clone(),
                ]);
            }
        }
    }
    csv
}
