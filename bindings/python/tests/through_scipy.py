# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest (-p through_scipy) under which SciPy's tests of scipy.fft run on weft: in all
threads and child processes, and with nothing to fall back on."""

import multiprocessing

import scipy.fft

import weft.scipy

scipy.fft.set_global_backend(weft.scipy, only=True)
multiprocessing.set_forkserver_preload(["through_scipy"])
