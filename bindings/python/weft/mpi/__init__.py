# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of arrays that are spread over the ranks of an MPI communicator (mpi4py).

There are two interfaces. ``PFFT``, ``newDistArray`` and ``DistArray`` are those of mpi4py-fft:
programs that use it change ``mpi4py_fft`` to ``weft.mpi`` in their imports::

    from mpi4py import MPI
    from weft.mpi import PFFT, newDistArray

    fft = PFFT(MPI.COMM_WORLD, (256, 256, 256), dtype=float)
    u = newDistArray(fft, False)                     # this rank's part of the field
    u_hat = fft.forward(u)                           # divides by the number of points
    u = fft.backward(u_hat)

``Plan`` takes any boxes: every rank says which part of the array it has, as a box ``(begin, end)``,
half open::

    comm, shape = MPI.COMM_WORLD, (256, 256, 256)
    mine = weft.mpi.slabs(comm, shape, axis=0)       # this rank's part before the transform
    after = weft.mpi.slabs(comm, shape, axis=1)      # and after it
    plan = weft.mpi.Plan(comm, shape, input=mine, output=after)
    modes = plan(field)                              # field.shape is that of the box

Messages are sent by mpi4py, whichever MPI it was built for.
"""

from . import fftw
from .distarray import DistArray, newDistArray
from .libfft import FFT
from .mpifft import PFFT
from .pencil import Pencil, Subcomm, Transfer
from .plan import Plan, bricks, gather_wisdom, pencils, slabs

__all__ = ["DistArray", "FFT", "PFFT", "Pencil", "Plan", "Subcomm", "Transfer", "bricks", "fftw",
           "gather_wisdom", "newDistArray", "pencils", "slabs"]
