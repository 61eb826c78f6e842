//! One thread for BLAS, and kernels that fit the processor.
//!
//! The work is split over repetitions and permutations by rayon; a BLAS that starts as many threads of its own within
//! each only disturbs them, and its sums then depend on how many there are. OpenBLAS as Debian has it does not know newer
//! processors and falls back to kernels of 20 years ago. It reads its settings when it is loaded, before `main`, so the
//! program starts itself once more where nothing is set.

/// Starts the program again with one BLAS thread and the kernels of this processor, unless the user has chosen.
#[cfg(unix)]
pub(super) fn settle_blas() {
    use std::os::unix::process::CommandExt;

    const THREADS: [&str; 3] = ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"];
    const KERNELS: &str = "OPENBLAS_CORETYPE";
    let is_unset = |name: &&str| std::env::var_os(name).is_none();
    let threads: Vec<&str> = if THREADS.iter().all(is_unset) { THREADS.to_vec() } else { Vec::new() };
    let kernels = kernels().filter(|_| is_unset(&KERNELS));
    if threads.is_empty() && kernels.is_none() {
        return;
    }
    if let Ok(own) = std::env::current_exe() {
        let mut again = std::process::Command::new(own);
        again.args(std::env::args_os().skip(1));
        again.envs(threads.into_iter().map(|name| (name, "1"))).envs(kernels.map(|name| (KERNELS, name)));
        // It returns only if it failed; then the work is done here, more slowly.
        let _ = again.exec();
    }
}

/// Other systems have no way to replace a program.
#[cfg(not(unix))]
pub(super) fn settle_blas() {}

/// OpenBLAS's name for the best kernels that run here.
#[cfg(all(unix, target_arch = "x86_64"))]
fn kernels() -> Option<&'static str> {
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl");
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match (avx512, avx2) {
        (true, _) => Some("SkylakeX"),
        (false, true) => Some("Haswell"),
        (false, false) => None,
    }
}

/// Only on x86-64 are there processors that it does not know.
#[cfg(all(unix, not(target_arch = "x86_64")))]
fn kernels() -> Option<&'static str> {
    None
}
