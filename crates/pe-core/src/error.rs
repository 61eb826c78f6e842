//! What can be wrong with what a caller hands in.

/// Every error of this crate. Each message says what was expected, what was got, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PeError {
    /// A size that must be positive is zero.
    #[error("`{field}` is 0: expected at least 1")]
    Zero {
        /// The name of the config field.
        field: &'static str,
    },
    /// The heads do not divide the width.
    #[error(
        "width {width} is not divisible by {heads} heads: choose a width that is a multiple of the heads"
    )]
    HeadsDoNotDivideWidth {
        /// Model width.
        width: usize,
        /// Number of attention heads.
        heads: usize,
    },
    /// A width too small for an encoding to hold its coordinates.
    #[error(
        "width {width} is too small for {encoding} on {axes} axes: expected at least {least} (2 per axis)"
    )]
    WidthTooSmall {
        /// Name of the encoding.
        encoding: String,
        /// Model width.
        width: usize,
        /// Number of coordinate axes.
        axes: usize,
        /// The least width that works.
        least: usize,
    },
    /// An odd width for an encoding that pairs sines with cosines.
    #[error("width {width} is odd: {encoding} pairs a sine with a cosine, so choose an even width")]
    OddWidth {
        /// Name of the encoding.
        encoding: String,
        /// Model width.
        width: usize,
    },
    /// A head too narrow for a rotary encoding.
    #[error(
        "{encoding} turns pairs of dimensions: a head of width {head_width} is too small, expected at least {least}; \
         use fewer heads or a larger width"
    )]
    HeadTooSmall {
        /// Name of the encoding.
        encoding: String,
        /// Width of one head.
        head_width: usize,
        /// The least width that works.
        least: usize,
    },
    /// A base of rotary frequencies that is not finite or below 1.
    #[error("the base of rotary frequencies is {0}: expected a finite number >= 1, such as 10000")]
    RotaryBase(f64),
    /// A part of a head that cannot be turned.
    #[error("the fraction of a head that rotary encoding turns is {0}: expected a number in (0, 1]")]
    RotaryFraction(f64),
    /// A standard deviation that is negative or not finite.
    #[error("sigma is {0}: expected a finite number >= 0 (the standard deviation of the initial table)")]
    Sigma(f64),
    /// A probability outside [0, 1).
    #[error("`{field}` is {value}: expected a probability in [0, 1)")]
    Probability {
        /// The name of the config field.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// A norm that would divide by zero.
    #[error("`norm_epsilon` is {0}: expected a finite number > 0, such as 1e-5")]
    NormEpsilon(f64),
    /// A text that names no encoding.
    #[error(
        "unknown positional encoding `{0}`: expected learn-<sigma> (such as learn-0.2), 2d-fixed, 1d-fixed, random, nope, relative, relative-bias, alibi, rope, rope-<fraction> (such as rope-0.5) or 2d-rope, each also with the prefix c- for a causal mask"
    )]
    UnknownEncoding(String),
    /// Numbers that do not fill whole rows.
    #[error(
        "{values} coordinate values do not make rows of {axes} axes: expected a multiple of {axes}, at least {axes}"
    )]
    RaggedCoords {
        /// How many numbers were given.
        values: usize,
        /// How many axes each row has.
        axes: usize,
    },
    /// A coordinate that is NaN or infinite.
    #[error("coordinate {axis} of token {token} is {value}: expected a finite number")]
    NonFiniteCoord {
        /// Token (row).
        token: usize,
        /// Axis (column).
        axis: usize,
        /// What was given.
        value: f64,
    },
    /// Ids and coordinates of different length.
    #[error("{ids} ids but {coords} coordinate rows: expected one of each per token")]
    PositionsMismatch {
        /// Number of ids.
        ids: usize,
        /// Number of coordinate rows.
        coords: usize,
    },
    /// Input tokens that do not fit the positions.
    #[error("the input has {tokens} tokens but {positions} positions: expected as many positions as tokens")]
    TokensMismatch {
        /// Tokens in the input.
        tokens: usize,
        /// Positions given.
        positions: usize,
    },
    /// Input features that do not fit the config.
    #[error("the input has {got} features per token: expected {expected}, the `inputs` of the config")]
    FeaturesMismatch {
        /// `inputs` of the config.
        expected: usize,
        /// Features of the input.
        got: usize,
    },
    /// An id that has no row in the table.
    #[error(
        "position id {id} has no row in a table of {capacity}: raise `tokens` in the config or renumber the ids"
    )]
    IdOutOfRange {
        /// The id.
        id: usize,
        /// Rows of the table.
        capacity: usize,
    },
    /// Readout positions that do not fit the batch.
    #[error(
        "readout of targets needs as many targets of each item, at least one, each below {tokens}: got {got} for a batch of {batch}"
    )]
    Targets {
        /// Tokens per item.
        tokens: usize,
        /// Items in the batch.
        batch: usize,
        /// What was given.
        got: String,
    },
    /// A name that no activation has.
    #[error("unknown activation `{name}`: expected one of {known}")]
    UnknownActivation {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: String,
    },
    /// A weight file or set that does not fit the model.
    #[error("{place}: {problem}")]
    Weights {
        /// File, or the words "weights in memory".
        place: String,
        /// Expected, got, remedy.
        problem: String,
    },
    /// Reading or writing failed.
    #[error("{place}: {source}")]
    Io {
        /// The file.
        place: String,
        /// The system's error.
        source: std::io::Error,
    },
}
