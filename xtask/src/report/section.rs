//! A section of the page: one series of runs of one experiment.

use super::figure::Figure;
use super::series::Series;

/// What the module of an experiment makes of a series.
#[derive(Default)]
pub(super) struct Section {
    /// Figures and what is said between them, in order.
    pub parts: Vec<Part>,
}

/// A piece of a section.
pub(super) enum Part {
    /// A heading.
    Heading(&'static str),
    /// HTML.
    Text(String),
    /// A figure.
    Figure(Box<Figure>),
}

impl Section {
    pub(super) fn heading(&mut self, text: &'static str) {
        self.parts.push(Part::Heading(text));
    }

    pub(super) fn text(&mut self, html: String) {
        self.parts.push(Part::Text(html));
    }

    /// A figure, where there is something to be drawn.
    pub(super) fn figure(&mut self, figure: Option<Figure>) {
        self.parts.extend(figure.map(|figure| Part::Figure(Box::new(figure))));
    }

    pub(super) fn figures(&self) -> impl Iterator<Item = &Figure> {
        self.parts.iter().filter_map(|part| match part {
            Part::Figure(figure) => Some(&**figure),
            _ => None,
        })
    }
}

/// A kind of task, and how its runs are shown. An experiment plugs in with one of these.
pub(super) struct Kind {
    /// `task.kind` of its runs.
    pub task: &'static str,
    pub title: &'static str,
    pub section: fn(&Series) -> anyhow::Result<Section>,
    /// What a series was trained on, in words.
    pub data: fn(&Series) -> String,
}

/// All kinds, in the order of the papers. Runs of any other task are shown by what every run has.
const KINDS: [Kind; 3] = [super::latin_square::KIND, super::network::KIND, super::recordings::KIND];

/// How the runs of a series are shown.
pub(super) fn kind_of(series: &Series) -> Kind {
    KINDS.into_iter().nth(rank(series)).unwrap_or(super::any_task::KIND)
}

/// The place of a series among those of other kinds.
pub(super) fn rank(series: &Series) -> usize {
    let task = series.runs.first().and_then(|run| run.probe["run"]["task"].as_str()).unwrap_or("");
    KINDS.iter().position(|kind| kind.task == task).unwrap_or(KINDS.len())
}
