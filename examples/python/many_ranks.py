# SPDX-License-Identifier: BSD-3-Clause
"""The gradient of a field that is spread over ranks: mpiexec -n 4 python many_ranks.py"""
import sys

import numpy as np

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:
    print("skipped:", error)
    sys.exit(77)

from weft.mpi import PFFT, newDistArray

shape = (24, 20, 16)
fft = PFFT(MPI.COMM_WORLD, shape, dtype=float)

u = newDistArray(fft, False)                      # this rank's part of the field
x = [2 * np.pi * np.arange(n)[part] / n for n, part in zip(shape, fft.local_slice(False))]
x = np.meshgrid(*x, indexing="ij", sparse=True)
u[:] = np.sin(3 * x[0]) * np.cos(2 * x[1]) + np.cos(x[2])

u_hat = fft.forward(u).copy()                     # this rank's part of the spectrum
k = np.fft.fftfreq(shape[0], 1 / shape[0])[fft.local_slice(True)[0]]
du = fft.backward(1j * k[:, None, None] * u_hat)  # d/dx by a product with ik

expected = 3 * np.cos(3 * x[0]) * np.cos(2 * x[1]) + 0 * x[2]
error = MPI.COMM_WORLD.allreduce(np.abs(du - expected).max(initial=0), MPI.MAX)
if MPI.COMM_WORLD.Get_rank() == 0:
    print("ranks:", MPI.COMM_WORLD.Get_size(), "largest error of the derivative:", error)
assert error < 1e-10
fft.destroy()
