"""nilearn's side of `cargo xtask bench extract`.

extract.py extract BOLD LABELS OUT.npy SECONDS   the z-scored, detrended means of all labels, and the time they took
extract.py compare A.npy B.npy                   the largest absolute difference
"""

import sys
import time

import numpy as np


def extract(bold, labels, out, seconds):
    from nilearn.maskers import NiftiLabelsMasker

    start = time.perf_counter()
    masker = NiftiLabelsMasker(labels, standardize="zscore_sample", detrend=True, resampling_target=None)
    series = masker.fit_transform(bold)
    taken = time.perf_counter() - start
    np.save(out, series)
    with open(seconds, "w") as file:
        file.write(f"{taken}\n")


def compare(ours, theirs):
    a, b = np.load(ours), np.load(theirs)
    print(np.abs(a - b).max() if a.shape == b.shape else "nan")


if __name__ == "__main__":
    {"extract": extract, "compare": compare}[sys.argv[1]](*sys.argv[2:])
