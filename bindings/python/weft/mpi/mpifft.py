# SPDX-License-Identifier: BSD-3-Clause
"""``PFFT``: transforms of arrays over ranks, with the interface of mpi4py-fft."""

from numbers import Integral

import numpy as np

from . import fftw
from ._ranks import usable
from .libfft import FFT, Arrays, OneWay, padding_factor
from .pencil import Pencil, Subcomm
from .plan import Plan, agree


class Transform(OneWay):
    """One direction of a ``PFFT``. Calling it is collective."""

    def __init__(self, arrays, source, function, is_normalized, pencils, agreed):
        super().__init__(arrays, source, function, is_normalized)
        self._agreed = agreed
        self.input_pencil, self.output_pencil = pencils[::-1] if source else pencils

    def __call__(self, input_array=None, output_array=None, normalize=None, **_):
        return super().__call__(input_array, output_array, normalize)

    def _checked(self, input_array, output_array):
        return self._agreed(self._source, lambda: self._fitting(input_array, output_array))

    def _fitting(self, input_array, output_array):
        for name, array, pencil in (("input_array", input_array, self.input_pencil),
                                    ("output_array", output_array, self.output_pencil)):
            other = getattr(array, "pencil", None)
            if other is not None and (other.shape != pencil.shape or
                                      _sizes(other.subcomm) != _sizes(pencil.subcomm)):
                raise ValueError(
                    f"{name} is an array {other.shape} over {_sizes(other.subcomm)} ranks; the plan is "
                    f"for {pencil.shape} over {_sizes(pencil.subcomm)}: make it by newDistArray, or "
                    "redistribute it")
        return super()._checked(input_array, output_array)


def _sizes(comms):
    return tuple(comm.Get_size() for comm in comms)


def _refuse(*_):
    raise ValueError("the PFFT was destroyed")


class _Planned:
    """Stages that are one distributed plan: weft chooses how the data move between them."""

    def __init__(self, comm, stages, options):
        self.comm, self.options = comm, options
        self.ends = (stages[0].pencils[0], stages[-1].pencils[1])
        self.dtypes = (stages[0].fft.dtype, stages[-1].fft.arrays.dtypes[1])
        # Last the axis that a real transform halves, which is the first stage's.
        ordered = [(axis, stage) for stage in stages[::-1] for axis in stage.fft.axes]
        self.axes = [axis for axis, _ in ordered]
        self.kinds = None
        if stages[0].fft.kinds is not None:
            self.kinds = [stage.fft.kinds[stage.fft.axes.index(axis)] for axis, stage in ordered]
        self.plans = {}

    def _transform(self, side, normalize):
        if self.kinds is not None:
            kinds = [fftw.inverse.get(k, k) if side else k for k in self.kinds]
        elif self.dtypes[0].kind == "f":
            kinds = [fftw.C2R if side else fftw.R2C]
        else:
            kinds = [fftw.C2C_BACKWARD if side else fftw.C2C_FORWARD]
        return fftw.transform_of(kinds, self.kinds is not None, normalize)

    def plan(self, side, normalize):
        if (side, normalize) not in self.plans:
            boxes = [pencil.box for pencil in self.ends]
            self.plans[side, normalize] = Plan(
                self.comm, self.ends[0].shape, dtype=self.dtypes[0], axes=self.axes,
                input=boxes[side], output=boxes[1 - side], **self.options,
                **self._transform(side, normalize))
        return self.plans[side, normalize]

    def run(self, side, x, out, normalize):
        self.plan(side, normalize)(x, out=out)

    def destroy(self):
        for plan in self.plans.values():
            plan.destroy()
        self.plans = {}


class _Local:
    """A stage that no distributed plan does: every rank transforms its pencil."""

    def __init__(self, stage):
        self.fft, self.ends = stage.fft, stage.pencils
        self.dtypes = stage.fft.arrays.dtypes

    def run(self, side, x, out, normalize):
        (self.fft.backward if side else self.fft.forward)(x, out, normalize=normalize)

    def destroy(self):
        pass


class _Stage:
    """Axes that are transformed while the array lies in one pencil."""

    def __init__(self, pencil, fft):
        self.fft = fft
        shape = list(pencil.shape)
        shape[fft.axes[-1]] = fft.arrays.shapes[1][fft.axes[-1]]
        self.pencils = (pencil, pencil if tuple(shape) == pencil.shape else pencil.resized(shape))

    def can_join(self, before):
        """Whether one plan can do this stage after ``before``."""
        for fft in (self.fft, before.fft):
            if not fft._is_planned or fft.padding_factor > 1 + 1e-8:
                return False
        return (self.fft.kinds is None) == (before.fft.kinds is None) and not self.fft.real_transform


def _groups_of(axes, ndim, darray):
    """Lists of axes, each transformed at once, from the last to the first."""
    if axes is None:
        axes = list(range(ndim))
        if darray is not None:  # the axis that every rank has whole comes first
            axes = [(axis + darray.alignment + 1) % ndim for axis in axes]
    axes = [axes] if isinstance(axes, Integral) else list(axes)
    groups = [[axis] if isinstance(axis, Integral) else list(axis) for axis in axes]
    try:
        groups = [[range(ndim)[axis] for axis in group] for group in groups]
    except (IndexError, TypeError):
        raise ValueError(f"axes {tuple(axes)} of an array with {ndim} dimensions") from None
    flat = [axis for group in groups for axis in group]
    if not groups or [] in groups or len(set(flat)) != len(flat):
        raise ValueError(f"axes {tuple(axes)} must be different, and at least one")
    return groups


def _collapsed(groups, subcomm, padding):
    """Joins axes that every rank has whole to the group that is transformed before them."""
    joined = [groups[-1]]
    for group in groups[-2::-1]:
        is_padded = any(padding[axis] > 1 for axis in group + joined[0])
        if all(subcomm[axis].Get_size() == 1 for axis in group) and not is_padded:
            joined[0] = group + joined[0]
        else:
            joined.insert(0, group)
    return joined


class PFFT:
    """A transform of an array over the ranks of ``comm``, forward and backward.

    ``comm`` is a communicator, or a ``Subcomm`` with one part for each axis. ``shape`` is that of
    the whole array, without padding. ``axes`` are transformed from the last to the first (default:
    all); several in a tuple are transformed at once. ``dtype`` is the type of the field: real ones
    give half of the spectrum along the axis that is transformed first. ``grid`` has the number of
    ranks along each axis; 0 or less leaves it to MPI, missing ones are 1.

    ``padding`` has a factor for each axis (3/2 for quadratic products): the field has that many
    times more points than the spectrum has modes, see ``FFT``. ``collapse`` joins axes that every
    rank has whole. ``transforms`` has pairs of functions for tuples of axes, see ``FFT``. With
    ``darray`` type, shape and distribution are those of that ``DistArray``. ``slab`` shares out one
    axis only (True, or its number).

    ``forward`` and ``backward`` are called with this rank's part, and return this rank's part of the
    result. weft plans all stages that it can as one transform, and uses its own exchanges.

    >>> from mpi4py import MPI
    >>> import numpy as np
    >>> fft = PFFT(MPI.COMM_SELF, (4, 6), dtype=float)
    >>> fft.shape(False), fft.shape(True)
    ((4, 6), (4, 4))
    >>> u = np.arange(24.0).reshape(4, 6)
    >>> np.allclose(fft.backward(fft.forward(u)), u)
    True
    """

    def __init__(self, comm, shape=None, axes=None, dtype=float, grid=None, padding=False,
                 collapse=False, backend="weft", transforms=None, darray=None, slab=False, **options):
        if shape is None:
            if darray is None:
                raise ValueError("pass the shape of the array, or a DistArray as darray")
            shape = darray.global_shape[darray.rank:]
        shape = [int(n) for n in np.atleast_1d(shape)]
        if not shape or min(shape) < 1:
            raise ValueError(f"the shape {tuple(shape)} has an extent below 1")
        groups = _groups_of(axes, len(shape), darray)
        factors = self._padded(shape, groups, padding)
        if darray is not None:
            dtype, self.subcomm = darray.dtype, darray.subcomm[darray.rank:]
        else:
            self.subcomm = self._grid_of(comm, shape, groups, grid, slab)
        self._comm = comm.comm if isinstance(comm, Subcomm) else comm
        shared = [a for a in groups[-1] if self.subcomm[a].Get_size() > 1]
        if shared:
            raise ValueError(f"axis {shared[0]} is transformed first, but {self.subcomm[shared[0]].Get_size()} "
                             "ranks share it: list it first in axes, or choose another grid")
        if collapse:
            groups = _collapsed(groups, self.subcomm, factors)
        self.axes, self.collapse = tuple(map(tuple, groups)), collapse
        self._build(shape, dtype, factors, dict(options, backend=backend, transforms=transforms))

    @staticmethod
    def _padded(shape, groups, padding):
        """The factor of each axis; ``shape`` becomes that of the padded field."""
        factors = [1.0] * len(shape)
        if padding is False or padding is None:
            return factors
        given = list(padding) if np.ndim(padding) else [padding] * len(shape)
        if len(given) != len(shape):
            raise ValueError(f"{len(given)} factors of padding for {len(shape)} axes")
        given = [padding_factor(value, axis) for axis, value in enumerate(given)]
        for group in groups:
            for axis in group:
                if given[axis] > 1 + 1e-6:
                    if len(group) > 1:
                        raise ValueError(f"axes {tuple(group)} are transformed at once and one is "
                                         "padded: pass them one by one")
                    points = int(np.floor(shape[axis] * given[axis]))
                    factors[axis] = points / shape[axis]
                    shape[axis] = points
        return factors

    @staticmethod
    def _grid_of(comm, shape, groups, grid, slab):
        ndim = len(shape)
        if isinstance(comm, Subcomm):
            if grid is not None or slab not in (False, None) or len(comm) != ndim:
                raise ValueError(f"comm is a grid of ranks with {len(comm)} parts: it needs {ndim}, and "
                                 "neither grid nor slab")
            return comm
        usable(comm)
        if grid is not None:
            if len(grid) > ndim or slab not in (False, None):
                raise ValueError("grid has at most a number for each axis, and replaces slab")
            dims = list(grid) + [1] * (ndim - len(grid))
        elif slab is False or slab is None:
            dims = [int(axis in groups[-1]) for axis in range(ndim)]
        else:
            shared = (groups[-1][-1] + 1) % ndim if slab is True else range(ndim)[slab]
            dims = [comm.Get_size() if axis == shared else 1 for axis in range(ndim)]
        return Subcomm(comm, dims)

    def _build(self, shape, dtype, factors, options):
        stages, self.transfer = [], []
        pencil = Pencil(self.subcomm, shape, self.axes[-1][-1])
        for group in self.axes[::-1]:
            if stages:
                before, pencil = stages[-1].pencils[1], stages[-1].pencils[1].pencil(group[-1])
                if before.axis != pencil.axis:
                    self.transfer.append(before.transfer(pencil, dtype))
            for axis in group:
                if pencil.subcomm[axis].Get_size() > 1:
                    raise ValueError(f"axes {group} are transformed at once, but "
                                     f"{pencil.subcomm[axis].Get_size()} ranks share axis {axis}")
            factor = factors[group[-1]] if len(group) == 1 else 1.0
            fft = FFT(pencil.subshape, group, dtype, factor, **options)
            dtype = fft.arrays.dtypes[1]
            stages.append(_Stage(pencil, fft))
        self.xfftn = [stage.fft for stage in stages]
        self.pencil = [stages[0].pencils[0], stages[-1].pencils[1]]
        self._segments = self._joined(stages, options)
        dtypes = (self.xfftn[0].dtype, dtype)
        arrays = Arrays([p.subshape for p in self.pencil], dtypes)
        self.forward = Transform(arrays, 0, lambda *a: self._run(0, *a), True, self.pencil,
                                 self._agreed)
        self.backward = Transform(arrays, 1, lambda *a: self._run(1, *a), False, self.pencil,
                                  self._agreed)
        for segment in self._segments:
            if isinstance(segment, _Planned):  # collective, as making a PFFT is
                segment.plan(0, True)
                segment.plan(1, False)

    def _joined(self, stages, options):
        runs = [[stages[0]]]
        for stage in stages[1:]:
            if stage.can_join(runs[-1][-1]):
                runs[-1].append(stage)
            else:
                runs.append([stage])
        effort = fftw.effort_of(options.get("planner_effort", "FFTW_ESTIMATE"))
        planned = {"workers": options.get("threads", 1), "effort": effort}
        return [_Planned(self._comm, run, planned)
                if run[0].fft._is_planned and run[0].fft.padding_factor <= 1 + 1e-8
                else _Local(run[0]) for run in runs]

    def _agreed(self, side, check):
        """``check()``; if it raises on one rank, all ranks raise. A plan that comes first tells the
        others; other stages would not, and the ranks ask each other."""
        first = self._segments[-1 if side else 0]
        if not isinstance(first, _Planned):
            return agree(self._comm, check)
        try:
            return check()
        except Exception:
            first.plan(side, side == 0).refuse()
            raise

    def _run(self, side, x, out, normalize):
        """The segments one after the other."""
        segments = self._segments[::-1] if side else self._segments
        for number, segment in enumerate(segments):
            is_last = number + 1 == len(segments)
            result = out if is_last else np.empty(segment.ends[1 - side].subshape,
                                                  segment.dtypes[1 - side])
            segment.run(side, x, result, normalize)
            if not is_last:
                x = self._moved(segment.ends[1 - side], segments[number + 1].ends[side], result)

    def _moved(self, source, target, x):
        if source.axis == target.axis or source.subcomm == target.subcomm:
            return x
        for transfer in self.transfer:
            for forward in (True, False):
                a, b = (transfer.axisA, transfer.axisB)[::1 if forward else -1]
                if (a, b) == (source.axis, target.axis):
                    result = np.empty(target.subshape, x.dtype)
                    (transfer.forward if forward else transfer.backward)(x, result)
                    return result
        raise AssertionError("no transfer between these pencils")

    def destroy(self):
        """Frees plans, types and communicators. Collective."""
        for segment in self._segments:
            segment.destroy()
        for transfer in self.transfer:
            transfer.destroy()
        if isinstance(self.subcomm, Subcomm):
            self.subcomm.destroy()
        self.forward._agreed = self.backward._agreed = _refuse

    def _repr_html_(self):
        """The distributed plans that were made so far; stages of other kinds are one line each."""
        parts = []
        for segment in self._segments:
            if isinstance(segment, _Planned):
                parts += [plan._repr_html_() for plan in segment.plans.values()]
            else:
                parts.append(f"<p>axis {segment.fft.axes}: on every rank's pencil</p>")
        return "<div>" + "".join(parts) + "</div>"

    def shape(self, forward_output=True):
        """The shape of this rank's part: of the spectrum, or of the field."""
        return self.pencil[bool(forward_output)].subshape

    def local_slice(self, forward_output=True):
        """This rank's part as slices of the whole spectrum, or of the whole field."""
        return self.pencil[bool(forward_output)].local_slice

    def global_shape(self, forward_output=False):
        """The shape of the whole field, or of the whole spectrum."""
        return self.pencil[bool(forward_output)].shape

    def dtype(self, forward_output=False):
        """The type of the field, or of the spectrum."""
        return self.forward._arrays.dtypes[bool(forward_output)]

    @property
    def dimensions(self):
        """The number of axes."""
        return len(self.pencil[0].shape)
