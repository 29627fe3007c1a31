# SPDX-License-Identifier: BSD-3-Clause
"""Transforms of arrays that are spread over the ranks of an MPI communicator (mpi4py).

Every rank says which part of the array it has, as a box ``(begin, end)``, half open::

    from mpi4py import MPI
    import weft.mpi

    comm, shape = MPI.COMM_WORLD, (256, 256, 256)
    mine = weft.mpi.slabs(comm, shape, axis=0)       # this rank's part before the transform
    after = weft.mpi.slabs(comm, shape, axis=1)      # and after it
    plan = weft.mpi.Plan(comm, shape, input=mine, output=after)
    modes = plan(field)                              # field.shape is that of the box

Messages are sent by mpi4py, whichever MPI it was built for.
"""

import html

import numpy as np
from mpi4py import MPI

from . import _core

__all__ = ["Plan", "slabs", "pencils", "bricks"]

# Longer messages are sent in pieces, so that counts fit in MPI's int.
_PIECE = 1 << 30


class _Requests:
    def __init__(self, requests):
        self.requests = requests

    def test(self):
        return MPI.Request.Testall(self.requests)

    def wait(self):
        MPI.Request.Waitall(self.requests)


class _Ranks:
    """What weft needs of a communicator. It is a duplicate, so that messages do not mix."""

    def __init__(self, comm):
        self.comm = comm
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.transport = "mpi4py, " + MPI.Get_library_version().partition("\n")[0].strip("\0 ")

    def __del__(self):
        if self.is_open() and self.comm != MPI.COMM_NULL:
            self.comm.Free()

    def is_open(self):
        return not MPI.Is_finalized()

    def duplicate(self):
        return _Ranks(self.comm.Dup())

    def split(self, color):
        return _Ranks(self.comm.Split(color, self.rank))

    def _pieces(self, address, count, start):
        return _Requests([
            start([MPI.memory.fromaddress(address + first, min(_PIECE, count - first)), MPI.BYTE])
            for first in range(0, max(count, 1), _PIECE)
        ])

    def send(self, address, count, to, tag):
        return self._pieces(address, count, lambda buffer: self.comm.Isend(buffer, to, tag))

    def receive(self, address, count, source, tag):
        return self._pieces(address, count, lambda buffer: self.comm.Irecv(buffer, source, tag))

    def barrier(self):
        return _Requests([self.comm.Ibarrier()])


def slabs(comm, shape, axis=0):
    """The part of this rank if ``axis`` is shared out evenly, as a list of boxes."""
    return _core.slabs(shape, axis, comm.Get_size(), comm.Get_rank())


def pencils(comm, shape, axis):
    """The part of this rank if it has whole lines along ``axis``."""
    return _core.pencils(shape, axis, comm.Get_size(), comm.Get_rank())


def bricks(comm, shape, grid):
    """The part of this rank in a grid of ranks, one number per axis."""
    return _core.bricks(shape, grid, comm.Get_rank())


def _shape_of(boxes):
    """That of the array of a rank: of its box, or one dimension for several boxes or none."""
    sizes = [tuple(max(e - b, 0) for b, e in zip(begin, end)) for begin, end in boxes]
    if len(sizes) == 1:
        return sizes[0]
    return (sum(int(np.prod(size)) for size in sizes),)


class Plan:
    """A transform of an array over the ranks of ``comm``. Making it is collective.

    ``kind`` is "c2c", "r2c", "c2r" or "r2r" (then ``r2r`` names one kind for each axis, as weft.Plan
    does). ``shape`` is that of the whole array, for r2c and c2r of its real side. ``input`` and
    ``output`` are this rank's boxes (``output`` of r2c in the half-complex array). ``norm``,
    ``direction``, ``axes``, ``workers`` and ``effort`` are those of weft.Plan.
    """

    def __init__(self, comm, shape, kind="c2c", dtype="float64", *, input, output, axes=None,
                 direction="forward", norm="backward", r2r=(), workers=None, effort="estimate",
                 recipe=""):
        self._plan = _core.DistributedPlan(
            _Ranks(comm.Dup()), shape, kind, dtype, axes, direction, norm, list(r2r), list(input),
            list(output), workers, effort, recipe)
        self.input_shape = _shape_of(self._plan.input_boxes)
        self.output_shape = _shape_of(self._plan.output_boxes)

    def __call__(self, x, out=None):
        """Transforms this rank's part into ``out``, or into a new array. Collective."""
        x = np.ascontiguousarray(x, dtype=self.input_dtype)
        if x.shape != self.input_shape:
            raise ValueError(f"x has the shape {x.shape}; this rank has {self.input_shape}")
        if out is None:
            out = np.empty(self.output_shape, self.output_dtype)
        elif getattr(out, "shape", None) != self.output_shape:
            raise ValueError(f"out has wrong shape; the result has the shape {self.output_shape}")
        self._plan.execute(x, out)
        return out

    def destroy(self):
        """Frees the plan and its communicator. Collective."""
        self._plan.destroy()

    input_dtype = property(lambda self: self._plan.input_dtype)
    output_dtype = property(lambda self: self._plan.output_dtype)
    input_boxes = property(lambda self: self._plan.input_boxes)
    output_boxes = property(lambda self: self._plan.output_boxes)
    recipe = property(lambda self: self._plan.recipe)
    explain = property(lambda self: self._plan.explain)

    def __repr__(self):
        return f"<weft.mpi.Plan {self.recipe}>"

    def _repr_html_(self):
        return f"<pre>{html.escape(self.explain)}</pre>"
