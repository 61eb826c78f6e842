//! The claims on the page: one table of all, and the details by experiment.

use super::claims::{Claim, Judgement, named, with_unit};
use super::csv::Csv;
use super::drawing::escape;
use super::html;
use super::numbers::{exact, fixed, p_value};
use super::series::Series;

/// What the letters behind a figure mean.
pub(super) const MARKS: &str = "<p class=\"soft\">Where a figure is from: <strong>[A]</strong> the abstract of Ito et al. 2025 \
(<cite>arXiv</cite> 2406.08272); <strong>[C]</strong> code that its authors published beside a later paper; <strong>[D]</strong> computed from the \
logs of single seeds shipped with that code; <strong>[R]</strong> public reviews of earlier versions of the paper. What has none of these marks \
is our own protocol.</p>\
<p class=\"soft\">Verdicts: with at least 6 seeds a claim is <em>reproduced</em> or <em>not reproduced</em>; with fewer it <em>agrees</em> or \
<em>disagrees so far</em>, without an interval and without a p. In brackets: the number of seeds. It is <em>not judged at this scale</em> where the \
runs are too few or too short for it, or where the compared arms have not fitted their training data equally well: a difference is then one \
of learning speed, and is called <em>raw</em>. Differences of accuracy are in percentage points, treatment minus control, paired by seed.</p>";

/// The one table of all claims. Of an experiment without runs the claims stand there as well.
pub(super) fn table(claims: &[Claim], judged: &[(&Series, Vec<Judgement>)]) -> String {
    let mut rows = String::new();
    for claim in claims {
        let about: Vec<(&Series, &Judgement)> = judged
            .iter()
            .filter(|(series, _)| series.experiment == claim.experiment)
            .filter_map(|(series, all)| Some((*series, all.iter().find(|j| j.word("id") == claim.id)?)))
            .collect();
        let name = format!(
            "<strong><code>{}</code></strong><br/>{}",
            escape(&claim.id),
            escape(&claim.statement)
        );
        let published = format!("{} <span class=\"soft\">Source: {}.</span>", escape(&claim.published.text), escape(&claim.source));
        if about.is_empty() {
            let verdict = "<span class=\"verdict open\">no runs</span>";
            rows += &row(&name, verdict, &format!("needs scale {}", claim.smallest_scale), "", &published);
        }
        for (series, judgement) in about {
            let verdict = format!(
                "<span class=\"verdict {}\">{}</span>",
                judgement.leaning(),
                escape(&judgement.verdict())
            );
            let why = judgement.0["reason"].as_str().map(|why| format!("<br/><span class=\"soft\">{}</span>", escape(why)));
            let measured = escape(&judgement.measured().unwrap_or_else(|| "no figure".to_owned()));
            let runs = format!("<a href=\"#{0}\">{0}</a>", escape(&series.name));
            let measured = format!("{measured}{}", why.unwrap_or_default());
            rows += &row(&name, &verdict, &measured, &runs, &published);
        }
    }
    format!(
        "<div class=\"wide\"><table class=\"cards claims\"><thead><tr><th>claim</th><th>verdict</th><th>measured here</th>\
         <th>runs</th><th>published</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )
}

fn row(claim: &str, verdict: &str, measured: &str, runs: &str, published: &str) -> String {
    format!(
        "<tr><td>{claim}</td><td>{verdict}</td><td data-label=\"measured here\">{measured}</td>\
         <td data-label=\"runs\">{runs}</td><td data-label=\"published\">{published}</td></tr>\n"
    )
}

/// Each claim of a series with its rule and all that was measured for it.
pub(super) fn details(claims: &[Claim], series: &Series, judged: &[Judgement], folder: &str) -> String {
    let own = claims.iter().filter(|claim| claim.experiment == series.experiment);
    let parts: Vec<String> = own
        .filter_map(|claim| Some(detail(claim, judged.iter().find(|j| j.word("id") == claim.id)?)))
        .collect();
    if parts.is_empty() {
        return String::new();
    }
    format!(
        "<h4>Claims and rules</h4>{}<p class=\"soft\">All contrasts with their seeds: <a href=\"{folder}/claims.json\">claims.json</a>, \
         <a href=\"{folder}/contrasts.csv\">contrasts.csv</a></p>",
        parts.concat()
    )
}

fn detail(claim: &Claim, judgement: &Judgement) -> String {
    let facts = html::facts(&[
        ("claim", escape(&claim.statement)),
        ("endpoint", escape(&claim.primary)),
        ("rule", format!("<code>{}</code>", escape(judgement.word("rule_text")))),
        ("judged from scale", escape(&claim.smallest_scale)),
        ("source", escape(&claim.source)),
        ("published", escape(&claim.published.text)),
        ("why", escape(judgement.0["reason"].as_str().unwrap_or(""))),
    ]);
    let contrasts = judgement.contrasts().map(|contrast| {
        let metric = contrast["metric"].as_str().unwrap_or("");
        let number = |key: &str| contrast[key].as_f64().map_or("–".to_owned(), |v| with_unit(v, metric));
        let interval = &contrast["interval"];
        let interval = match (interval["low"].as_f64(), interval["high"].as_f64()) {
            (Some(low), Some(high)) => format!("{} to {}", with_unit(low, metric), with_unit(high, metric)),
            _ => "–".to_owned(),
        };
        // Of a secondary figure only the corrected p may be read.
        let p = contrast["p_adjusted"].as_f64().or(contrast["p"].as_f64()).map_or("–".to_owned(), p_value);
        let fit = match contrast["matched"].as_bool() {
            Some(true) => "matched",
            Some(false) => "raw, unmatched",
            None => "–",
        };
        let n = contrast["n"].as_u64().unwrap_or(0).to_string();
        [contrast["role"].as_str().unwrap_or("").to_owned(), named(contrast), n, number("mean"), interval, p, fit.to_owned()]
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

/// The pairs behind every contrast.
pub(super) fn csv(judged: &[Judgement]) -> Csv {
    let mut csv =
        Csv::new(["claim", "role", "metric", "treatment", "control", "seed", "treatment_value", "control_value", "difference", "treatment_fit", "control_fit", "matched"]);
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
