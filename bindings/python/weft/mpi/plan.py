# SPDX-License-Identifier: BSD-3-Clause
"""Distributed plans: weft::DistributedPlan over a communicator of mpi4py."""

import html

import numpy as np

from .. import _core, wisdom
from ._ranks import Ranks, usable
from .fftw import fit


def slabs(comm, shape, axis=0):
    """The part of this rank if ``axis`` is shared out evenly, as a list of boxes."""
    return _core.slabs(shape, axis, usable(comm).Get_size(), comm.Get_rank())


def pencils(comm, shape, axis):
    """The part of this rank if it has whole lines along ``axis``."""
    return _core.pencils(shape, axis, usable(comm).Get_size(), comm.Get_rank())


def bricks(comm, shape, grid):
    """The part of this rank in a grid of ranks, one number per axis."""
    return _core.bricks(shape, grid, usable(comm).Get_rank())


def _shape_of(boxes):
    """That of the array of a rank: of its box, or one dimension for several boxes or none."""
    sizes = [tuple(max(e - b, 0) for b, e in zip(begin, end)) for begin, end in boxes]
    if len(sizes) == 1:
        return sizes[0]
    return (sum(int(np.prod(size)) for size in sizes),)


def agree(comm, function):
    """The result of ``function()``. If it raises on a rank, all ranks raise. Collective."""
    result = own = None
    try:
        result = function()
    except Exception as error:
        own = error
    told = comm.allgather(None if own is None else f"{type(own).__name__}: {own}")
    if own is not None:
        raise own
    for rank, text in enumerate(told):
        if text is not None:
            raise ValueError(f"another rank cannot go on; rank {rank} says {text}")
    return result


def gather_wisdom(comm):
    """Every rank then has the wisdom of all ranks. Collective."""
    for text in usable(comm).allgather(wisdom.to_string()):
        wisdom.from_string(text)


class Plan:
    """A transform of an array over the ranks of ``comm``. Making it is collective.

    ``kind`` is "c2c", "r2c", "c2r" or "r2r" (then ``r2r`` names one kind for each axis, as weft.Plan
    does). ``shape`` is that of the whole array, for r2c and c2r of its real side. ``input`` and
    ``output`` are this rank's boxes (``output`` of r2c in the half-complex array). ``norm``,
    ``direction``, ``axes``, ``workers`` and ``effort`` are those of weft.Plan, and so are
    ``orthogonalize``, ``spectrum``, ``modes``, ``input_extents`` and ``output_extents``.
    """

    def __init__(self, comm, shape, kind="c2c", dtype="float64", *, input, output, axes=None,
                 direction="forward", norm="backward", r2r=(), orthogonalize=False,
                 spectrum="half", modes="first", input_extents=(), output_extents=(),
                 workers=None, effort="estimate", recipe=""):
        request = agree(usable(comm), lambda: _core.DistributedRequest(
            shape=shape, kind=kind, dtype=dtype, axes=axes, direction=direction, norm=norm,
            r2r=list(r2r), orthogonalize=orthogonalize, spectrum=spectrum, modes=modes,
            input_extents=list(input_extents), output_extents=list(output_extents),
            input=list(input), output=list(output), workers=workers, effort=effort,
            recipe=recipe))
        self._set(comm, _core.DistributedPlan(Ranks(comm.Dup()), request))

    def _set(self, comm, plan):
        self._comm, self._plan = comm, plan
        self.input_shape = _shape_of(self._plan.input_boxes)
        self.output_shape = _shape_of(self._plan.output_boxes)

    def __call__(self, x, out=None):
        """Transforms this rank's part into ``out``, or into a new array. Collective: bad arguments
        on one rank raise an error on all ranks."""
        try:
            x = fit(x, self.input_shape, self.input_dtype, "x")
            if out is None:
                out = np.empty(self.output_shape, self.output_dtype)
            elif getattr(out, "shape", None) != self.output_shape:
                raise ValueError(f"out has wrong shape; the result has the shape {self.output_shape}")
            elif isinstance(out, np.ndarray) and np.may_share_memory(x, out):
                x = x.copy()  # the plan is not for one array in the place of the other
        except Exception:
            self.refuse()
            raise
        self._plan.execute(x, out)
        return out

    def refuse(self):
        """Instead of a call whose arguments are wrong on this rank: the others, which are in it, raise
        an error. Collective, as the call is."""
        self._plan.refuse()

    def inverse(self):
        """The plan of the inverse transform, from the output's boxes to the input's, in the same
        workspace: one of the two runs at a time. Collective."""
        plan = Plan.__new__(Plan)
        plan._set(self._comm, self._plan.inverse())
        return plan

    def destroy(self):
        """Frees the plan and its communicator. Collective."""
        self._plan.destroy()

    input_dtype = property(lambda self: self._plan.input_dtype)
    output_dtype = property(lambda self: self._plan.output_dtype)
    input_boxes = property(lambda self: self._plan.input_boxes)
    output_boxes = property(lambda self: self._plan.output_boxes)
    recipe = property(lambda self: self._plan.recipe)
    explain = property(lambda self: self._plan.explain)
    trace = property(lambda self: self._plan.trace,
                     doc="What this rank did in the last execution: (name, begin, end) in seconds.")

    def timeline(self):
        """The ``trace`` of every rank, a list of lists. Collective."""
        return usable(self._comm).allgather(self.trace)

    def __repr__(self):
        return f"<weft.mpi.Plan {self.recipe}>"

    def _repr_html_(self):
        return (f"<div><pre>{html.escape(self.explain)}</pre>"
                f"{timeline_svg({self._comm.Get_rank(): self.trace})}</div>")


_COLORS = ("#4477aa", "#cc8844", "#669955", "#aa4466", "#7766bb", "#888888")


def timeline_svg(traces):
    """A bar for each rank of ``traces``, {rank: trace}, as SVG text; empty if nothing has run."""
    end = max((event[2] for trace in traces.values() for event in trace), default=0.0)
    if end <= 0:
        return ""
    names = list(dict.fromkeys(event[0] for trace in traces.values() for event in trace))
    color = {name: _COLORS[k % len(_COLORS)] for k, name in enumerate(names)}
    width, left, row = 560, 60, 22
    parts = []
    for k, (rank, trace) in enumerate(sorted(traces.items())):
        y = 6 + row * k
        parts.append(f'<text x="4" y="{y + 13}">rank {rank}</text>')
        for name, begin, stop in trace:
            x, wide = left + width * begin / end, max(width * (stop - begin) / end, 0.5)
            parts.append(f'<rect x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{row - 5}" '
                         f'fill="{color[name]}"><title>{html.escape(name)}: '
                         f"{(stop - begin) * 1e3:.3g} ms</title></rect>")
    y = 6 + row * len(traces)
    parts.append(f'<text x="{left}" y="{y + 10}">0</text><text x="{left + width}" y="{y + 10}" '
                 f'text-anchor="end">{end * 1e3:.3g} ms</text>')
    for k, name in enumerate(names):
        line = y + 30 + 16 * k
        parts.append(f'<rect x="{left}" y="{line - 9}" width="10" height="10" fill="{color[name]}"/>'
                     f'<text x="{left + 16}" y="{line}">{html.escape(name)}</text>')
    height = y + 30 + 16 * len(names)
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 20}" height="{height}" '
            f'font-family="sans-serif" font-size="11" fill="currentColor">{"".join(parts)}</svg>')
