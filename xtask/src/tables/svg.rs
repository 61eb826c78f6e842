//! Plain SVG: a heatmap and a line chart.

use std::fmt::Write;

const FONT: &str = "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222\"";

/// Colours that differ also for the colour-blind (Okabe and Ito).
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];

/// Shades of the heatmap: runs of one shade become one rectangle.
const SHADES: usize = 48;

/// Anchors of viridis at 0, 1/6, ..., 1.
const VIRIDIS: [[f64; 3]; 7] = [
    [68.0, 1.0, 84.0],
    [70.0, 50.0, 127.0],
    [54.0, 92.0, 141.0],
    [39.0, 127.0, 142.0],
    [31.0, 161.0, 135.0],
    [94.0, 201.0, 98.0],
    [253.0, 231.0, 37.0],
];

/// One line of a chart.
pub(super) struct Line {
    pub(super) name: String,
    pub(super) points: Vec<(f64, f64)>,
}

/// What a chart says beside its lines.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) x: &'a str,
    pub(super) y: &'a str,
    /// Whether the y axis is logarithmic; points at or below 0 are then left out.
    pub(super) logarithmic: bool,
}

/// A square map of cells within `low` and `high`; cells that are undefined stay grey.
pub(super) fn heatmap(
    title: &str,
    cells: &[Vec<Option<f64>>],
    edges: &[usize],
    low: f64,
    high: f64,
) -> String {
    let (size, left, top) = (384.0, 50.0, 40.0);
    let n = edges.last().copied().unwrap_or(1).max(1) as f64;
    let at = |edge: usize| edge as f64 / n * size;
    let mut svg = open(size + 150.0, size + 90.0, title);
    let _ = writeln!(
        svg,
        "<g shape-rendering=\"crispEdges\"><rect x=\"{left}\" y=\"{top}\" width=\"{size}\" height=\"{size}\" fill=\"#bbb\"/>"
    );
    let shade =
        |value: f64| ((value - low) / (high - low) * SHADES as f64).floor().clamp(0.0, SHADES as f64 - 1.0);
    for (row, span) in cells.iter().zip(edges.windows(2)) {
        let shades: Vec<Option<f64>> = row.iter().map(|cell| cell.map(shade)).collect();
        let mut start = 0;
        while start < shades.len() {
            let run = shades[start..].iter().take_while(|&&other| other == shades[start]).count();
            if let Some(shade) = shades[start] {
                let (x, width) = (at(edges[start]), at(edges[start + run]) - at(edges[start]));
                let (y, height) = (at(span[0]), at(span[1]) - at(span[0]));
                let colour = colour((shade + 0.5) / SHADES as f64);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{colour}\"/>",
                    left + x,
                    top + y
                );
            }
            start += run;
        }
    }
    svg.push_str("</g>\n");
    for step in 0..=4 {
        let place = size * f64::from(step) / 4.0;
        let label = (n * f64::from(step) / 4.0).round();
        text(&mut svg, left + place, top + size + 18.0, "middle", &label.to_string());
        text(&mut svg, left - 6.0, top + place + 4.0, "end", &label.to_string());
        let value = high - (high - low) * f64::from(step) / 4.0;
        text(&mut svg, left + size + 42.0, top + place + 4.0, "start", &format!("{value:.2}"));
    }
    for level in 0..SHADES {
        let y = top + size * (1.0 - (level + 1) as f64 / SHADES as f64);
        let colour = colour((level as f64 + 0.5) / SHADES as f64);
        let height = size / SHADES as f64 + 0.5;
        let _ = writeln!(
            svg,
            "<rect x=\"{}\" y=\"{y:.1}\" width=\"16\" height=\"{height:.1}\" fill=\"{colour}\"/>",
            left + size + 20.0
        );
    }
    text(&mut svg, left + size / 2.0, top + size + 38.0, "middle", "position");
    svg + "</svg>\n"
}

/// Lines over one pair of axes, with a legend.
pub(super) fn lines(chart: &Chart, lines: &[Line]) -> String {
    let (width, height, left, top) = (480.0, 300.0, 60.0, 40.0);
    let usable = |&(x, y): &(f64, f64)| x.is_finite() && y.is_finite() && (!chart.logarithmic || y > 0.0);
    let scale = |y: f64| if chart.logarithmic { y.log10() } else { y };
    let points = || lines.iter().flat_map(|line| &line.points).filter(|point| usable(point));
    let [x_low, x_high] = span(points().map(|point| point.0), None);
    let [y_low, y_high] = span(points().map(|point| scale(point.1)), (!chart.logarithmic).then_some(0.0));
    let x = |value: f64| left + (value - x_low) / (x_high - x_low) * width;
    let y = |value: f64| top + height - (value - y_low) / (y_high - y_low) * height;
    let mut svg = open(left + width + 250.0, top + height + 60.0, chart.title);
    for step in 0..=4 {
        let share = f64::from(step) / 4.0;
        let (at_x, at_y) = (x_low + share * (x_high - x_low), y_low + share * (y_high - y_low));
        let _ = writeln!(
            svg,
            "<line x1=\"{left}\" x2=\"{0}\" y1=\"{1:.1}\" y2=\"{1:.1}\" stroke=\"#ddd\"/>",
            left + width,
            y(at_y)
        );
        let shown = if chart.logarithmic { 10f64.powf(at_y) } else { at_y };
        text(&mut svg, left - 6.0, y(at_y) + 4.0, "end", &tick(shown));
        text(&mut svg, x(at_x), top + height + 18.0, "middle", &tick(at_x));
    }
    for (k, line) in lines.iter().enumerate() {
        let colour = COLOURS[k % COLOURS.len()];
        let dash = if k < COLOURS.len() { "" } else { " stroke-dasharray=\"5 3\"" };
        let path: Vec<String> = line
            .points
            .iter()
            .filter(|point| usable(point))
            .map(|&(px, py)| format!("{:.1},{:.1}", x(px), y(scale(py))))
            .collect();
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dash} points=\"{}\"/>",
            path.join(" ")
        );
        let at = top + 10.0 + 18.0 * k as f64;
        let _ = writeln!(
            svg,
            "<line x1=\"{0}\" x2=\"{1}\" y1=\"{at}\" y2=\"{at}\" stroke=\"{colour}\" stroke-width=\"3\"{dash}/>",
            left + width + 14.0,
            left + width + 36.0
        );
        text(&mut svg, left + width + 42.0, at + 4.0, "start", &line.name);
    }
    text(&mut svg, left + width / 2.0, top + height + 40.0, "middle", chart.x);
    text(&mut svg, left, top - 6.0, "start", chart.y);
    svg + "</svg>\n"
}

fn open(width: f64, height: f64, title: &str) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\">\n\
         <title>{0}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        escaped(title)
    );
    text(&mut svg, 10.0, 18.0, "start", title);
    svg
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, content: &str) {
    let content = escaped(content);
    let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {FONT}>{content}</text>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn colour(share: f64) -> String {
    let place = share.clamp(0.0, 1.0) * (VIRIDIS.len() - 1) as f64;
    let below = (place.floor() as usize).min(VIRIDIS.len() - 2);
    let part = place - below as f64;
    let mixed =
        |k: usize| (VIRIDIS[below][k] + part * (VIRIDIS[below + 1][k] - VIRIDIS[below][k])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mixed(0), mixed(1), mixed(2))
}

/// Least and most, never equal.
fn span(values: impl Iterator<Item = f64>, include: Option<f64>) -> [f64; 2] {
    let (low, high) =
        values.chain(include).fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    match low < high {
        true => [low, high],
        false if low.is_finite() => [low, low + 1.0],
        false => [0.0, 1.0],
    }
}

fn tick(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 || value == 0.0 => format!("{value:.0}"),
        size if size >= 1.0 => format!("{value:.1}"),
        _ => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_one_shade_are_one_rectangle_and_undefined_cells_are_left_out() {
        let cells = vec![vec![Some(1.0), Some(1.0), None], vec![Some(-1.0); 3], vec![None; 3]];
        let svg = heatmap("a < b", &cells, &[0, 1, 2, 3], -1.0, 1.0);
        // The background, the frame's grey, two runs, and the legend.
        assert_eq!(svg.matches("<rect").count(), 2 + 2 + SHADES);
        assert!(svg.contains("a &lt; b") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn lines_leave_out_what_cannot_be_drawn() {
        let chart = Chart { title: "t", x: "x", y: "y", logarithmic: true };
        let line =
            Line { name: "one".into(), points: vec![(0.0, 1.0), (1.0, 0.0), (2.0, f64::NAN), (3.0, 10.0)] };
        let svg = lines(&chart, &[line]);
        let points = svg.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(points, "60.0,340.0 540.0,40.0");
        assert!(!lines(&chart, &[]).contains("NaN"));
    }
}
