//! A figure: panels, what their marks mean, a caption, and its numbers as CSV.

use super::csv::Csv;
use super::drawing::{Anchor, Drawing, escape};
use super::legend::{self, Entry};
use super::style;

/// A figure of the report.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// Names its files.
    pub id: String,
    pub title: String,
    /// What is shown, over what, with which n; plain text.
    pub caption: String,
    pub panels: Vec<Drawing>,
    /// Panels beside each other, where there is room.
    pub columns: usize,
    /// Whether small panels stay in their columns, as a table would.
    pub aligned: bool,
    pub legend: Vec<Entry>,
    pub csv: Csv,
}

impl Figure {
    /// The figure in the page; `folder` is where its files lie, seen from there.
    pub(super) fn html(&self, folder: &str) -> String {
        let panel = |(i, panel): (usize, &Drawing)| match panel.is_blank() {
            true => "<span></span>".to_owned(),
            false => panel.svg(&format!("{}, panel {}", self.title, i + 1), ""),
        };
        let panels: String = self.panels.iter().enumerate().map(panel).collect();
        let open = if self.aligned {
            format!(
                "<div class=\"grid\" style=\"grid-template-columns:repeat({},minmax(0,max-content))\">",
                self.columns
            )
        } else {
            "<div class=\"panels\">".to_owned()
        };
        let (id, caption, title) = (&self.id, escape(&self.caption), escape(&self.title));
        format!(
            "<figure id=\"{}\">{open}{panels}</div>{}<figcaption><strong>{title}.</strong> {caption} \
             <a href=\"{folder}/{id}.csv\">{id}.csv</a>, <a href=\"{folder}/{id}.svg\">{id}.svg</a></figcaption></figure>\n",
            anchor(folder, id),
            legend::html(&self.legend),
        )
    }

    /// The figure as a file of its own.
    pub(super) fn file(&self) -> String {
        const GAP: f64 = 8.0;
        const HEAD: f64 = 30.0;
        let columns = self.columns.clamp(1, self.panels.len().max(1));
        let widest = |f: fn(&Drawing) -> f64| self.panels.iter().map(f).fold(0.0, f64::max);
        let (cell_width, cell_height) = (widest(|panel| panel.width), widest(|panel| panel.height));
        let rows = self.panels.len().div_ceil(columns);
        let natural = columns as f64 * (cell_width + GAP) + GAP;
        let width = natural.max(16.0 + 8.0 * self.title.chars().count() as f64).max(360.0);
        let legend = legend::drawn(&self.legend, width);
        let mut whole = Drawing::new(width, HEAD + rows as f64 * (cell_height + GAP) + legend.height);
        whole.rect("bg", (0.0, 0.0), (whole.width, whole.height));
        whole.text("h", Anchor::Start, (GAP, 20.0), &self.title);
        for (i, panel) in self.panels.iter().enumerate() {
            let (column, row) = ((i % columns) as f64, (i / columns) as f64);
            whole.embed(panel, (GAP + column * (cell_width + GAP), HEAD + row * (cell_height + GAP)));
        }
        whole.embed(&legend, (0.0, whole.height - legend.height));
        let inside = format!("<style>{}</style><desc>{}</desc>", style::drawing(), escape(&self.caption));
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", whole.svg(&self.title, &inside))
    }
}

/// An id for links within the page.
fn anchor(folder: &str, id: &str) -> String {
    format!("{folder}-{id}")
}
