"""The other side of `cargo xtask bench probe`: the same statistics by the Python libraries that compute them.

python probe_bench.py TASK LIBRARY FOLDER --repeats N: reads the inputs that `probe benchmark TASK FOLDER` wrote, and
prints JSON: the seconds of each repeat (one more, not counted, goes before), the numbers, the libraries' versions.
Loading and importing are not timed. `--libraries` prints which libraries there are, and does nothing else.
"""

import argparse
import importlib
import importlib.metadata
import json
import time
from pathlib import Path

# What each way imports, by the names of the packages.
LIBRARIES = {
    "scipy": ["numpy", "scipy"],
    "rsatoolbox": ["numpy", "rsatoolbox"],
    "dcor": ["numpy", "scipy", "dcor"],
    "scikit-learn": ["numpy", "sklearn"],
}
DISTRIBUTION = {"sklearn": "scikit-learn"}


def version(module):
    return importlib.metadata.version(DISTRIBUTION.get(module, module))


def installed():
    found = {}
    for library, modules in LIBRARIES.items():
        try:
            for module in modules:
                importlib.import_module(module)
        except ImportError:
            continue
        found[library] = ", ".join(f"{DISTRIBUTION.get(m, m)} {version(m)}" for m in modules)
    return found


def rdm_scipy(load):
    from scipy.spatial.distance import pdist

    x = load("x")

    def work():
        d = pdist(x)
        return [d[0], d[-1], d.mean()]

    return work


def rdm_rsatoolbox(load):
    """Its euclidean distance is squared and divided by the channels: brought back here, so that both do a root."""
    import numpy as np
    from rsatoolbox.data import Dataset
    from rsatoolbox.rdm import calc_rdm

    x = load("x")

    def work():
        d = np.sqrt(calc_rdm(Dataset(x), method="euclidean").dissimilarities[0] * x.shape[1])
        return [d[0], d[-1], d.mean()]

    return work


def rsa_scipy(load):
    """As one would write it well: ranks once, then one inner product a permutation."""
    import numpy as np
    from scipy.spatial.distance import pdist, squareform
    from scipy.stats import rankdata

    x, y, permutations = load("x"), load("y"), load("permutations").astype(int)
    upper = np.triu_indices(len(x), 1)

    def standardised(d):
        ranks = rankdata(d)
        ranks -= ranks.mean()
        return ranks / np.linalg.norm(ranks)

    def work():
        a, b = standardised(pdist(x)), standardised(pdist(y))
        full, observed, extreme = squareform(a), a @ b, 0
        for p in permutations:
            extreme += full[p[upper[0]], p[upper[1]]] @ b >= observed - 1e-12
        return [observed, (extreme + 1) / (len(permutations) + 1)]

    return work


def dcor_dcor(load):
    import dcor

    x, y = load("x"), load("y")
    return lambda: [dcor.distance_correlation(x, y), dcor.u_distance_correlation_sqr(x, y)]


def dcor_test_dcor(load):
    """The package tests distance covariance only; this is the bias-corrected correlation from its own parts."""
    import dcor
    import numpy as np
    from scipy.spatial.distance import cdist

    x, y, permutations = load("x"), load("y"), load("permutations").astype(int)

    def work():
        a, b = dcor.u_centered(cdist(x, x)), dcor.u_centered(cdist(y, y))
        norm = np.sqrt(dcor.u_product(a, a) * dcor.u_product(b, b))
        observed, extreme = dcor.u_product(a, b) / norm, 0
        for p in permutations:
            extreme += dcor.u_product(a[np.ix_(p, p)], b) / norm >= observed - 1e-12
        return [observed, (extreme + 1) / (len(permutations) + 1)]

    return work


def order_scikit_learn(load):
    import numpy as np
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    x, pairs = load("x"), load("pairs").astype(int)

    def work():
        rates = []
        for i, j in zip(pairs[0::2], pairs[1::2]):
            features, labels = np.hstack([x[i], x[j]]), j > i
            model = LogisticRegression(C=1.0, max_iter=1000)
            rates.append((cross_val_predict(model, features, labels, cv=StratifiedKFold(5)) != labels).mean())
        return rates

    return work


WAYS = {
    ("rdm", "scipy"): rdm_scipy,
    ("rdm", "rsatoolbox"): rdm_rsatoolbox,
    ("rsa", "scipy"): rsa_scipy,
    ("dcor", "dcor"): dcor_dcor,
    ("dcor-test", "dcor"): dcor_test_dcor,
    ("order", "scikit-learn"): order_scikit_learn,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", action="store_true")
    parser.add_argument("task", nargs="?")
    parser.add_argument("library", nargs="?")
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--repeats", type=int, default=3)
    args = parser.parse_args()
    if args.libraries:
        print(json.dumps(installed()))
        return
    import numpy as np

    work = WAYS[args.task, args.library](lambda name: np.load(args.folder / args.task / f"{name}.npy"))
    seconds, values = [], []
    for _ in range(args.repeats + 1):
        start = time.perf_counter()
        values = work()
        seconds.append(time.perf_counter() - start)
    print(json.dumps({"seconds": seconds[1:], "values": [float(value) for value in values]}))


if __name__ == "__main__":
    main()
