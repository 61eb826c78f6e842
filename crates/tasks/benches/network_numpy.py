"""The steps of `tasks network bench` in NumPy (and SciPy, where it is installed): one JSON line on standard output.

Usage: network_numpy.py COUPLING.npy STEPS FORM GAIN NOISE DT, with FORM `dense` or `sparse`. It times STEPS steps of
Euler-Maruyama with noise, and takes CHECKED steps without noise from x_i = sin(i), whose end is compared.
"""

import json
import sys
import time

import numpy as np

CHECKED = 50


def step(w, x, gain, dt):
    return x + dt * (np.tanh(gain * (w @ x)) - x)


def main():
    path, steps, form, gain, noise, dt = sys.argv[1:]
    w, steps, gain, noise, dt = np.load(path), int(steps), float(gain), float(noise), float(dt)
    version = f"NumPy {np.__version__}"
    if form == "sparse":
        try:
            import scipy
            from scipy.sparse import csr_array
        except ImportError:
            print(json.dumps({"missing": "SciPy"}))
            return
        w = csr_array(w)
        version += f", SciPy {scipy.__version__}"
    nodes = w.shape[0]
    x = np.sin(np.arange(nodes, dtype=float))
    for _ in range(CHECKED):
        x = step(w, x, gain, dt)
    checked = x.tolist()
    rng = np.random.default_rng(1)
    x = np.zeros(nodes)
    size = noise * np.sqrt(dt)
    start = time.perf_counter()
    for _ in range(steps):
        x = step(w, x, gain, dt)
        x += size * rng.standard_normal(nodes)
    seconds = time.perf_counter() - start
    print(json.dumps({"seconds": seconds, "checked": checked, "version": version, "finite": bool(np.isfinite(x).all())}))


main()
