# SPDX-License-Identifier: BSD-3-Clause
"""How an array is shared out over a grid of ranks, and how it moves to another such grid."""

import numpy as np
from mpi4py import MPI
from mpi4py.util import dtlib

from ._ranks import usable


def _share(count, ranks, rank):
    """How many of ``count`` points a rank has, and its first: the first ranks have one more."""
    least, more = divmod(count, ranks)
    return least + (rank < more), rank * least + min(rank, more)


def _free(comms):
    for comm in comms:
        if comm not in (MPI.COMM_NULL, MPI.COMM_SELF, MPI.COMM_WORLD):
            comm.Free()


def _grid_of(size, dims):
    """The numbers of ranks along each axis, where 0 or less is left to MPI."""
    dims = [max(0, int(ranks)) for ranks in dims]
    fixed = int(np.prod([ranks for ranks in dims if ranks > 0]))
    if size % fixed != 0 or (0 not in dims and size != fixed):
        raise ValueError(f"{size} ranks do not make up a grid {tuple(dims)} (0: any number)")
    return MPI.Compute_dims(size, dims)


class Subcomm(tuple):
    """The rows of a grid of ranks: one communicator for each axis of an array.

    ``dims`` has the number of ranks along each axis; 0 or less leaves it to MPI. A number is that
    many axes, all free. A communicator that is a grid already (``Create_cart``) needs no ``dims``.

    >>> from mpi4py import MPI
    >>> [comm.Get_size() for comm in Subcomm(MPI.COMM_SELF, [0, 0, 1])]
    [1, 1, 1]
    """

    def __new__(cls, comm, dims=None, reorder=True):
        grid = usable(comm)
        if comm.Get_topology() != MPI.CART:
            free = [0] * (1 if dims is None else dims) if np.ndim(dims or 0) == 0 else dims
            if len(free) == 0:
                raise ValueError("a grid of ranks has at least one dimension")
            grid = comm.Create_cart(_grid_of(comm.Get_size(), free), reorder=reorder)
        elif dims is not None:
            raise ValueError("comm is a grid of ranks already: leave out dims")
        axes = range(grid.Get_dim())
        self = super().__new__(cls, [grid.Sub([axis == other for other in axes]) for axis in axes])
        self.comm = comm
        if grid is not comm:
            grid.Free()
        return self

    def destroy(self):
        """Frees the communicators. Collective."""
        _free(self)


class Pencil:
    """The part of an array that a rank of the grid ``subcomm`` has; whole lines along ``axis``.

    ``subshape`` and ``substart`` are the extents and the first indices of that part. With fewer
    communicators than dimensions those that are missing have one rank.
    """

    def __init__(self, subcomm, shape, axis=-1):
        shape = tuple(int(n) for n in shape)
        if not -len(shape) <= axis < len(shape):
            raise ValueError(f"axis {axis} of an array with {len(shape)} dimensions")
        if min(shape) < 1 or not 1 <= len(subcomm) <= len(shape):
            raise ValueError(f"{len(subcomm)} communicators for an array of shape {shape}")
        self.comm = getattr(subcomm, "comm", None)
        axis %= len(shape)
        comms = list(subcomm)
        if len(comms) < len(shape):
            comms += [MPI.COMM_SELF] * (len(shape) - 1 - len(comms))
            comms.insert(axis, MPI.COMM_SELF)
        if comms[axis].Get_size() != 1:
            raise ValueError(f"axis {axis} is shared by {comms[axis].Get_size()} ranks: a pencil has "
                             "it whole; choose another axis, or a grid with one rank along it")
        parts = [_share(n, c.Get_size(), c.Get_rank()) for n, c in zip(shape, comms)]
        self.shape, self.axis, self.subcomm = shape, axis, tuple(comms)
        self.subshape = tuple(count for count, _ in parts)
        self.substart = tuple(begin for _, begin in parts)

    @property
    def local_slice(self):
        """The part as slices of the whole array."""
        return tuple(slice(b, b + n) for b, n in zip(self.substart, self.subshape))

    @property
    def box(self):
        """The part as weft.mpi.Plan takes it."""
        return [(list(self.substart), [b + n for b, n in zip(self.substart, self.subshape)])]

    def pencil(self, axis):
        """The pencil along another axis, which is shared by the ranks that share it now."""
        axis = range(len(self.shape))[axis]
        comms = list(self.subcomm)
        comms[axis], comms[self.axis] = comms[self.axis], comms[axis]
        other = Pencil(comms, self.shape, axis)
        other.comm = self.comm
        return other

    def resized(self, shape):
        """The pencil of an array of another shape over the same ranks."""
        other = Pencil(self.subcomm, shape, self.axis)
        other.comm = self.comm
        return other

    def transfer(self, pencil, dtype):
        """Moves arrays of type ``dtype`` from this pencil to another, and back."""
        if self.shape != pencil.shape or self.axis == pencil.axis:
            raise ValueError("a transfer is between pencils of one array along different axes")
        for axis in range(len(self.shape)):
            if axis not in (self.axis, pencil.axis) and \
                    self.subcomm[axis] != pencil.subcomm[axis]:
                raise ValueError(f"axis {axis} is shared out differently in the two pencils")
        shape = list(self.subshape)
        shape[pencil.axis] = self.shape[pencil.axis]
        return Transfer(self.subcomm[pencil.axis], shape, dtype, self.subshape, self.axis,
                        pencil.subshape, pencil.axis)


class Transfer:
    """Moves an array between two pencils, in both directions. Made by ``Pencil.transfer``.

    The ranks of ``comm`` have an array of shape ``shape`` together: ``subshapeA`` has ``axisA``
    whole, ``subshapeB`` has ``axisB`` whole. One collective call of MPI does it, with a type that
    describes each rank's share where it lies: nothing is packed here.
    """

    def __init__(self, comm, shape, dtype, subshapeA, axisA, subshapeB, axisB):
        self.comm, self.shape, self.dtype = comm, tuple(shape), np.dtype(dtype)
        self.subshapeA, self.axisA = tuple(subshapeA), axisA
        self.subshapeB, self.axisB = tuple(subshapeB), axisB
        self._types = None

    def _shares(self, subshape, axis):
        element = dtlib.from_numpy_dtype(self.dtype)
        types = []
        for rank in range(self.comm.Get_size()):
            extents, begin = list(subshape), [0] * len(subshape)
            extents[axis], begin[axis] = _share(self.shape[axis], self.comm.Get_size(), rank)
            is_empty = 0 in extents
            share = MPI.BYTE.Create_contiguous(0) if is_empty else \
                element.Create_subarray(list(subshape), extents, begin)
            types.append(share.Commit())
        return types

    def _move(self, source, target, forward):
        expected = (self.subshapeA, self.subshapeB) if forward else (self.subshapeB, self.subshapeA)
        for name, array, shape in zip(("the source", "the target"), (source, target), expected):
            if array.shape != shape or array.dtype != self.dtype:
                raise ValueError(f"{name} has the shape {array.shape} and the type {array.dtype}; "
                                 f"this transfer moves {shape} of {self.dtype}")
        if not target.flags.writeable:
            raise ValueError("the target is read-only")
        if self._types is None:
            self._types = (self._shares(self.subshapeA, self.axisA),
                           self._shares(self.subshapeB, self.axisB))
        types = self._types if forward else self._types[::-1]
        size = self.comm.Get_size()
        places = ([1] * size, [0] * size)
        read = np.ascontiguousarray(source)
        written = target if target.flags.c_contiguous else np.empty(target.shape, target.dtype)
        self.comm.Alltoallw([read, places, types[0]], [written, places, types[1]])
        if written is not target:
            target[...] = written

    def forward(self, arrayA, arrayB):
        """From the first pencil to the second. Collective."""
        self._move(arrayA, arrayB, True)

    def backward(self, arrayB, arrayA):
        """From the second pencil to the first. Collective."""
        self._move(arrayB, arrayA, False)

    def destroy(self):
        """Frees the types of MPI."""
        for types in self._types or ():
            for share in types:
                share.Free()
        self._types = None
