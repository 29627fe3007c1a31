# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of NumPy that are a rank's part of a larger array."""

from numbers import Integral, Number

import numpy as np
from mpi4py import MPI

from .pencil import Pencil, Subcomm


class DistArray(np.ndarray):
    """A rank's part of an array of shape ``global_shape``, as an array of NumPy.

    The first ``rank`` axes are the components of a tensor: every rank has all of them, and
    ``subcomm`` and ``alignment`` count the axes after them. ``subcomm`` is a ``Subcomm``, its
    ``dims``, or None: then the axis ``alignment`` (default: the last) is whole on every rank and
    MPI chooses the grid for the others. ``val`` fills the array, unless there is a ``buffer``.

    >>> a = DistArray((3, 8, 8), val=1.0, rank=1)
    >>> a.rank, a[0].rank, a.global_shape, a.pencil.shape
    (1, 0, (3, 8, 8), (8, 8))
    """

    def __new__(cls, global_shape, subcomm=None, val=None, dtype=float, buffer=None, strides=None,
                alignment=None, rank=0):
        global_shape = tuple(int(n) for n in np.atleast_1d(global_shape))
        if not 0 <= rank <= len(global_shape):
            raise ValueError(f"rank {rank} of an array with {len(global_shape)} dimensions")
        components, shape = global_shape[:rank], global_shape[rank:]
        pencil = None
        if len(shape) > 1:
            pencil = _pencil_of(shape, subcomm, alignment)
            shape = pencil.subshape
        self = super().__new__(cls, components + shape, dtype=dtype, buffer=buffer, strides=strides)
        self._pencil, self._rank = pencil, rank
        if buffer is None and isinstance(val, Number):
            self.fill(val)
        return self

    def __array_finalize__(self, origin):
        pencil = getattr(origin, "_pencil", None)
        self._pencil, self._rank = None, getattr(origin, "_rank", 0)
        if pencil is not None and self.shape[max(self.ndim - len(pencil.shape), 0):] == pencil.subshape:
            self._pencil, self._rank = pencil, self.ndim - len(pencil.shape)

    def __getitem__(self, index):
        parts = index if isinstance(index, tuple) else (index,)
        if self._pencil is None:
            return super().__getitem__(index)
        if len(parts) <= self.rank and all(isinstance(i, (Integral, slice)) for i in parts):
            return super().__getitem__(index)   # components, which are arrays over the ranks too
        return self.v[index]

    def __reduce__(self):
        return self.v.__reduce__()  # communicators cannot be sent: the copy is an array of NumPy

    def _known_pencil(self):
        if self._pencil is None:
            raise ValueError("this array is not shared out over ranks")
        return self._pencil

    @property
    def v(self):
        """This rank's part as an ``ndarray``, of the same memory."""
        return self.view(np.ndarray)

    @property
    def rank(self):
        """The number of axes that are components: 0 for a scalar field, 1 for vectors."""
        return self._rank

    @property
    def pencil(self):
        """How the array is shared out; None for one dimension, which every rank has whole."""
        return self._pencil

    @property
    def alignment(self):
        """The axis, without the components, that every rank has whole."""
        return self._known_pencil().axis

    @property
    def dimensions(self):
        """The number of axes without the components."""
        return self.ndim - self.rank

    @property
    def global_shape(self):
        """The shape of the whole array."""
        return self.shape if self._pencil is None else self.shape[:self.rank] + self._pencil.shape

    @property
    def substart(self):
        """The first index of this rank's part along each axis."""
        return (0,) * self.ndim if self._pencil is None else (0,) * self.rank + self._pencil.substart

    @property
    def subcomm(self):
        """The communicator along each axis."""
        along = (MPI.COMM_SELF,) * self.dimensions if self._pencil is None else self._pencil.subcomm
        return (MPI.COMM_SELF,) * self.rank + along

    @property
    def commsizes(self):
        """The number of ranks along each axis."""
        return [comm.Get_size() for comm in self.subcomm]

    def local_slice(self):
        """This rank's part as slices of the whole array."""
        return tuple(slice(b, b + n) for b, n in zip(self.substart, self.shape))

    def get(self, gslice):
        """A part of the whole array, on the first rank; None on the others. Collective.

        ``gslice`` has a number or a slice for each axis. This gathers with messages: no file is
        written.
        """
        gslice = gslice if isinstance(gslice, (tuple, list)) else (gslice,)
        if len(gslice) != self.ndim:
            raise IndexError(f"{len(gslice)} indices for an array with {self.ndim} dimensions")
        wanted = [np.arange(n)[[i] if isinstance(i, Integral) else i]
                  for n, i in zip(self.global_shape, gslice)]
        numbers = tuple(axis for axis, i in enumerate(gslice) if isinstance(i, Integral))
        inside = [(w >= b) & (w < b + n) for w, b, n in zip(wanted, self.substart, self.shape)]
        here = self.v[np.ix_(*[w[i] - b for w, i, b in zip(wanted, inside, self.substart)])]
        if self._pencil is None:
            return here.squeeze(numbers) if MPI.COMM_WORLD.Get_rank() == 0 else None
        comm = self._pencil.comm or MPI.COMM_WORLD
        parts = comm.gather(([np.flatnonzero(i) for i in inside], here))
        if comm.Get_rank() != 0:
            return None
        whole = np.empty([len(w) for w in wanted], self.dtype)
        for places, part in parts:
            whole[np.ix_(*places)] = part
        return whole.squeeze(numbers)

    def get_pencil_and_transfer(self, axis):
        """The pencil along ``axis``, and the transfer of this array's components to it."""
        pencil = self._known_pencil().pencil(axis)
        return pencil, self._pencil.transfer(pencil, self.dtype)

    def redistribute(self, axis=None, out=None):
        """The array with whole lines along ``axis``, or as ``out`` is shared out. Collective.

        Where this rank's part has ``axis`` whole already, the array itself is returned.
        """
        pencil = self._known_pencil()
        if out is not None and (not isinstance(out, DistArray) or out.pencil is None or
                                out.global_shape != self.global_shape):
            raise ValueError("out must be a DistArray of the same global shape")
        if axis is None:
            if out is None:
                raise ValueError("pass an axis, or an array as out")
            axis = out.alignment
        axis = range(self.dimensions)[axis]
        if out is None and (axis == self.alignment or self.commsizes[self.rank + axis] == 1):
            self._pencil = pencil if axis == pencil.axis else pencil.pencil(axis)
            return self
        if out is not None and out.commsizes == self.commsizes:
            out[...] = self
            return out
        if out is not None and out.alignment != axis:
            raise ValueError(f"out has whole lines along axis {out.alignment}, not {axis}")
        moved, transfer = self.get_pencil_and_transfer(axis)
        if out is None:
            out = DistArray.__new__(DistArray, self.shape[:self.rank] + moved.shape, moved,
                                    dtype=self.dtype, alignment=axis, rank=self.rank)
        for component in np.ndindex(self.shape[:self.rank]):
            transfer.forward(self.v[component], out.v[component])
        transfer.destroy()
        return out


def _pencil_of(shape, subcomm, alignment):
    """How an array is shared out, from the arguments of ``DistArray``."""
    if isinstance(subcomm, Pencil):
        return subcomm
    if subcomm is None:
        axis = len(shape) - 1 if alignment is None else range(len(shape))[alignment]
        subcomm = Subcomm(MPI.COMM_WORLD, [int(axis == d) for d in range(len(shape))])
    elif not isinstance(subcomm, Subcomm) and \
            not all(isinstance(part, MPI.Comm) for part in subcomm):
        if len(subcomm) != len(shape):
            raise ValueError(f"{len(subcomm)} numbers of ranks for {len(shape)} axes")
        subcomm = Subcomm(MPI.COMM_WORLD, subcomm)
    if alignment is None:
        whole = [axis for axis, comm in enumerate(subcomm) if comm.Get_size() == 1]
        if not whole and len(subcomm) == len(shape):
            raise ValueError("all axes are shared out; one must be whole on every rank")
        alignment = whole[-1] if len(subcomm) == len(shape) else len(shape) - 1
    return Pencil(subcomm, shape, alignment)


def newDistArray(pfft, forward_output=True, val=0, rank=0, view=False):
    """A new array for a ``PFFT``: for the output of its forward transform, or for the input.

    ``rank`` tensor axes of as many components as the array has dimensions come first. With
    ``view`` it is an ``ndarray``, whose ``base`` is the ``DistArray``.
    """
    forward_output = bool(forward_output)
    pencil = pfft.pencil[forward_output]
    components = (len(pencil.shape),) * rank
    array = DistArray(components + pencil.shape, pencil, val=val, rank=rank,
                      dtype=pfft.dtype(forward_output))
    return array.v if view else array
