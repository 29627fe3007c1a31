# SPDX-License-Identifier: BSD-3-Clause
"""python -m weft.bench: weft beside scipy.fft, and pyFFTW and mkl_fft where they are installed.

Calls of all libraries take turns, so that what else the machine does meets all of them; medians are
compared. A ratio above 1 says that weft is faster.
"""

import argparse
import math
import statistics
import time

import numpy as np

from . import fft


def peers(workers):
    """Name and module of the libraries that are installed."""
    found = {}
    try:
        import scipy.fft

        found["scipy"] = scipy.fft
    except ImportError:
        pass
    try:
        import pyfftw

        pyfftw.interfaces.cache.enable()
        pyfftw.config.NUM_THREADS = workers
        found["pyfftw"] = pyfftw.interfaces.scipy_fft
    except ImportError:
        pass
    try:
        import mkl_fft.interfaces.scipy_fft

        found["mkl_fft"] = mkl_fft.interfaces.scipy_fft
    except ImportError:
        pass
    return found


def cases(quick):
    """Name of the function, shape and further arguments."""
    lines = [64, 1024, 100000] if quick else [64, 100, 256, 997, 1024, 4096, 10000, 65536, 1 << 20]
    for n in lines:
        for name in ("fft", "rfft", "dct"):
            yield name, (n,), {}
    batches = [(1000, 64)] if quick else [(1000, 64), (1000, 100), (200, 1024), (20, 10007)]
    for shape in batches:
        for name in ("fft", "ifft", "rfft", "irfft", "dct", "dst"):
            yield name, shape, {}
    for name in ("fft", "rfft", "dct"):
        yield name, (256, 256), {"axis": 0}
    planes = [(128, 128)] if quick else [(64, 64), (128, 128), (500, 500), (1024, 1024)]
    boxes = [(64, 64, 64)] if quick else [(16, 16, 16), (64, 64, 64), (100, 100, 100), (128, 128, 128)]
    for shape in planes + boxes:
        for name in ("fftn", "rfftn", "irfftn", "dctn"):
            yield name, shape, {}


def argument(name, shape, dtype, generator):
    """Random numbers of the type that the function takes."""
    x = generator.standard_normal(shape)
    if name in ("fft", "ifft", "fftn", "irfft", "irfftn"):
        x = x + 1j * generator.standard_normal(shape)
    single = {"float64": "float32", "complex128": "complex64"}
    return x.astype(single[x.dtype.name]) if dtype == "f32" else x


def medians(calls, budget_s):
    """Median time of each call, which take turns for about budget_s seconds."""
    repeats = {}
    for key, call in calls.items():
        call()
        start = time.perf_counter()
        call()
        repeats[key] = max(1, min(1000, int(2e-4 / (time.perf_counter() - start))))
    times = {key: [] for key in calls}
    end = time.perf_counter() + budget_s
    while time.perf_counter() < end or len(times[next(iter(calls))]) < 3:
        for key, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats[key]):
                call()
            times[key].append((time.perf_counter() - start) / repeats[key])
    return {key: statistics.median(values) for key, values in times.items()}


def overhead():
    """Microseconds of a repeated small call: weft's and NumPy's."""
    x = np.ones(16, complex)
    result = medians({"weft": lambda: fft.fft(x), "numpy": lambda: np.fft.fft(x)}, 0.3)
    return {key: 1e6 * value for key, value in result.items()}


def run(quick=False, workers=1, seconds=0.1, out=print):
    """All cases; returns the ratios by peer."""
    others = peers(workers)
    generator = np.random.default_rng(1)
    ratios = {key: [] for key in others}
    out(f"{'function':9} {'shape':>16} {'type':4} {'weft us':>11}" +
        "".join(f" {key + ' us':>11} {'ratio':>6}" for key in others))
    for name, shape, options in cases(quick):
        for dtype in ("f32", "f64"):
            x = argument(name, shape, dtype, generator)
            options_ = dict(options, workers=workers)
            calls = {"weft": lambda: getattr(fft, name)(x, **options_)}
            for key, module in others.items():
                function = getattr(module, name, None)
                if function is not None:
                    calls[key] = lambda f=function: f(x, **options_)
            result = medians(calls, seconds)
            line = f"{name:9} {'x'.join(map(str, shape)):>16} {dtype:4} {1e6 * result['weft']:11.2f}"
            for key in others:
                if key in result:
                    ratio = result[key] / result["weft"]
                    ratios[key].append((ratio, f"{name} {shape} {dtype}"))
                    line += f" {1e6 * result[key]:11.2f} {ratio:6.2f}"
                else:
                    line += f" {'-':>11} {'-':>6}"
            out(line)
    for key, values in ratios.items():
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in values))
        worst = min(values)
        out(f"{key}: geometric mean {mean:.2f}, {sum(r < 1 for r, _ in values)} of {len(values)} "
            f"slower, least {worst[0]:.2f} ({worst[1]})")
    small = overhead()
    out(f"a repeated call with n = 16: weft {small['weft']:.2f} us, numpy {small['numpy']:.2f} us")
    return ratios


def main():
    """The command."""
    parser = argparse.ArgumentParser(prog="python -m weft.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few cases")
    parser.add_argument("--workers", type=int, default=1, help="threads (1)")
    parser.add_argument("--seconds", type=float, default=0.1, help="per case (0.1)")
    options = parser.parse_args()
    run(options.quick, options.workers, options.seconds)


if __name__ == "__main__":
    main()
