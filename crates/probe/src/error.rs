//! What the statistics refuse.

/// An input that a statistic cannot be computed from.
///
/// Degenerate but well-formed inputs (a constant table) are not errors: their statistics are NaN, as
/// documented with each.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatError {
    /// Two inputs do not fit together, or one has the wrong size.
    #[error("{what}: expected {expected}, got {got}; pass inputs over the same items in the same order")]
    Shape {
        /// Which input of which function.
        what: &'static str,
        /// The size that was expected.
        expected: String,
        /// The size that was given.
        got: String,
    },
    /// A square matrix is not what it is given as.
    #[error("{what}: expected {expected}, got {got}; {remedy}")]
    Matrix {
        /// Which matrix of which function.
        what: &'static str,
        /// What was expected of it.
        expected: String,
        /// What is there.
        got: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A value is NaN or infinite where only numbers make sense.
    #[error("{what}: expected finite values, got {value} at {place}; drop or repair the item first")]
    NotFinite {
        /// Which input of which function.
        what: &'static str,
        /// Where it stands, as row and column or as position.
        place: String,
        /// The offending value.
        value: f64,
    },
    /// Two RDMs are undefined at different pairs.
    #[error(
        "comparing RDMs: expected undefined (NaN) pairs in the same places, got one in only one of them at \
         condensed position {position}; drop the condition from both"
    )]
    MismatchedNan {
        /// Position in the condensed vector.
        position: usize,
    },
    /// A parameter is outside of what the statistic is defined for.
    #[error("{what}: expected {expected}, got {got}")]
    Parameter {
        /// Which parameter of which function.
        what: &'static str,
        /// What is allowed.
        expected: String,
        /// The value that was given.
        got: String,
    },
    /// There are fewer items than the statistic needs.
    #[error("{what}: expected at least {least}, got {got}")]
    TooFew {
        /// What is counted.
        what: &'static str,
        /// The smallest number that works.
        least: usize,
        /// The number that was given.
        got: usize,
    },
    /// A covariance that must have an inverse has none.
    #[error(
        "{what}: expected a positive definite matrix, got one that is singular or indefinite at row {row}; \
         estimate it with shrinkage, from more rows, or leave constant channels out"
    )]
    NotPositiveDefinite {
        /// Which matrix.
        what: &'static str,
        /// The first row at which the Cholesky factorisation fails.
        row: usize,
    },
    /// A function does not do this kind of thing.
    #[error("{what}: {got} is not possible here; {instead}")]
    Unsupported {
        /// Which function.
        what: &'static str,
        /// What was asked for.
        got: String,
        /// What to do.
        instead: &'static str,
    },
    /// A condition was not measured in every fold.
    #[error(
        "crossnobis: expected every condition in every fold, got none of condition {condition} in fold {fold}; \
         leave the condition or the fold out"
    )]
    MissingInFold {
        /// The condition.
        condition: String,
        /// The fold.
        fold: String,
    },
    /// LAPACK did not converge, or could not be called: singular values, or eigenvalues.
    #[error("decomposition of a {rows} x {columns} matrix failed: {source}; check its values")]
    Svd {
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
        /// What LAPACK said.
        source: ndarray_linalg::error::LinalgError,
    },
    /// A system of equations or an optimisation has no solution that could be found.
    #[error("{what}: expected a solution, got: {problem}; check the values for extremes")]
    Unsolved {
        /// What was to be solved.
        what: &'static str,
        /// What went wrong.
        problem: String,
    },
}
