//! What can go wrong with masked-token data, each in one line.

/// What can go wrong with recordings and masks.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaskedError {
    /// A setting that cannot be.
    #[error("masked-token setting `{key}`: expected {expected}, got {got}")]
    Setting {
        /// The setting.
        key: &'static str,
        /// What it can be.
        expected: String,
        /// What it is.
        got: String,
    },
    /// A share that masks nothing, everything, or more than there is.
    #[error(
        "masked-token setting `{key}`: expected a fraction that masks 1 to {most} of {nodes} nodes, got {fraction}, which masks {masked}; choose another fraction"
    )]
    Fraction {
        /// The setting.
        key: &'static str,
        /// The number of nodes.
        nodes: usize,
        /// The most that can be masked: one is to be seen.
        most: usize,
        /// The fraction asked for.
        fraction: f64,
        /// How many it would mask.
        masked: String,
    },
    /// Subjects that do not have the same nodes.
    #[error(
        "subject {subject}: expected {expected} nodes as of subject {first}, got {got}; give all subjects the same nodes"
    )]
    Nodes {
        /// The first subject.
        first: String,
        /// The one that differs.
        subject: String,
        /// The nodes of the first.
        expected: usize,
        /// The nodes of the one that differs.
        got: usize,
    },
    /// A value that is no number.
    #[error(
        "subject {subject}: expected finite values, got {value} in frame {frame}, node {node}; leave the frame or the node out"
    )]
    NotFinite {
        /// The subject.
        subject: String,
        /// Counted from 0.
        frame: usize,
        /// Counted from 0.
        node: usize,
        /// The value.
        value: f32,
    },
    /// A node that never changes.
    #[error("node {node}: expected values that vary over {over}, got {value} throughout; leave the node out")]
    Constant {
        /// Counted from 0.
        node: usize,
        /// The training frames, or those of one subject.
        over: String,
        /// Its mean.
        value: f64,
    },
    /// Too few frames for what is to be made of them.
    #[error("subject {subject}: expected at least {expected} frames {purpose}, got {got}; {remedy}")]
    Frames {
        /// The subject.
        subject: String,
        /// The fewest.
        expected: usize,
        /// What for.
        purpose: &'static str,
        /// The number there is.
        got: usize,
        /// What to change.
        remedy: &'static str,
    },
    /// Two recordings of one name.
    #[error("subject {subject}: expected each subject once, got it twice; join its runs or rename one")]
    Twice {
        /// The name.
        subject: String,
    },
    /// No subject of the name.
    #[error("`held_out`: expected one of the subjects ({known}), got {got:?}; correct the name")]
    Unknown {
        /// The name asked for.
        got: String,
        /// The names there are.
        known: String,
    },
    /// A mask that does not fit the data.
    #[error("mask {item}: expected {expected} node numbers, increasing and below {nodes}, got {got}")]
    Mask {
        /// Which item's.
        item: usize,
        /// How many are expected.
        expected: usize,
        /// The number of nodes.
        nodes: usize,
        /// What there is.
        got: String,
    },
    /// An item that is not of the data.
    #[error("item {item}: expected a window of {window} frames in one of {recordings} recordings, got {got}")]
    Item {
        /// Which one.
        item: usize,
        /// The frames of a window.
        window: usize,
        /// The number of recordings.
        recordings: usize,
        /// What there is.
        got: String,
    },
    /// A covariance that cannot be inverted.
    #[error(
        "covariance of {nodes} nodes: expected a positive definite matrix, got one that is not; raise the shrinkage or the penalty"
    )]
    Singular {
        /// The number of nodes.
        nodes: usize,
    },
    /// What belongs to other nodes than the data.
    #[error("{what}: expected {expected}, got {got}")]
    Shape {
        /// What.
        what: &'static str,
        /// The shape it must have.
        expected: String,
        /// The shape it has.
        got: String,
    },
}

impl MaskedError {
    /// Whether the cause is the input; of this module's errors each is.
    pub fn is_input(&self) -> bool {
        true
    }
}
