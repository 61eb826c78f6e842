//! One thread for BLAS.
//!
//! The work is split over repetitions and permutations by rayon; a BLAS that starts as many threads of its own within
//! each only disturbs them, and its sums then depend on how many there are. It reads its setting when it is loaded,
//! before `main`, so the program starts itself once more where nothing is set.

/// Starts the program again with one BLAS thread, unless the user has chosen.
#[cfg(unix)]
pub(super) fn one_for_blas() {
    use std::os::unix::process::CommandExt;

    const SETTINGS: [&str; 3] = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];
    if SETTINGS.iter().any(|name| std::env::var_os(name).is_some()) {
        return;
    }
    if let Ok(own) = std::env::current_exe() {
        let mut again = std::process::Command::new(own);
        again.args(std::env::args_os().skip(1)).envs(SETTINGS.map(|name| (name, "1")));
        // It returns only if it failed; then the work is done here, more slowly.
        let _ = again.exec();
    }
}

/// Other systems have no way to replace a program.
#[cfg(not(unix))]
pub(super) fn one_for_blas() {}
