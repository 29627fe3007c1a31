# SPDX-License-Identifier: BSD-3-Clause
"""Distributed plans on the ranks that mpiexec started: every part is compared with the same part of
NumPy's result, errors are raised on all ranks."""

import sys

try:
    from mpi4py import MPI
except (ImportError, RuntimeError) as error:
    print("skipped:", error)
    sys.exit(77)

import numpy as np

import weft.mpi

comm = MPI.COMM_WORLD


def part(array, boxes):
    pieces = [array[tuple(slice(b, e) for b, e in zip(*box))] for box in boxes]
    return pieces[0] if len(pieces) == 1 else np.concatenate([piece.ravel() for piece in pieces])


def check(shape, kind, dtype, before, after, expected, x, **options):
    plan = weft.mpi.Plan(comm, shape, kind, dtype, input=before, output=after, **options)
    mine = part(x, before)
    kept = mine.copy()
    for _ in range(2):
        result = plan(mine)
    assert (mine == kept).all()
    assert result.dtype == plan.output_dtype and result.shape == plan.output_shape
    tolerance = 1e-4 if np.dtype(dtype).itemsize * (1 + (kind == "c2c")) < 10 else 1e-11
    assert np.abs(result - part(expected, after)).max(initial=0) <= tolerance * max(
        1.0, np.abs(expected).max()), (shape, kind, options)
    plan.destroy()


def test_kinds():
    generator = np.random.default_rng(1)
    shape = (6, 7, 10)
    x = generator.standard_normal(shape)
    z = x + 1j * generator.standard_normal(shape)
    half = (6, 7, 6)
    rows, columns = (weft.mpi.slabs(comm, shape, axis) for axis in (0, 1))
    check(shape, "c2c", "float64", rows, columns, np.fft.fftn(z), z)
    check(shape, "c2c", "float32", columns, rows, np.fft.ifftn(z), z.astype(np.complex64),
          direction="backward")
    check(shape, "r2c", "float64", rows, weft.mpi.pencils(comm, half, 0), np.fft.rfftn(x), x)
    check(shape, "c2r", "float64", weft.mpi.slabs(comm, half, 1), rows, x, np.fft.rfftn(x))
    check(shape, "c2c", "float64", weft.mpi.bricks(comm, shape, (1, comm.Get_size(), 1)), rows,
          np.fft.fft(z, axis=2, norm="ortho"), z, axes=[2], norm="ortho", workers=2)


def raises(error, call):
    try:
        call()
    except error:
        return
    raise AssertionError(f"{error} was not raised")


def test_errors():
    shape = (6, 7)
    rows = weft.mpi.slabs(comm, shape, 0)
    raises(ValueError, lambda: weft.mpi.Plan(comm, (6, 8), input=rows, output=rows))
    raises(ValueError, lambda: weft.mpi.Plan(comm, shape, "c3c", input=rows, output=rows))
    plan = weft.mpi.Plan(comm, shape, input=rows, output=rows)
    raises(ValueError, lambda: plan(np.ones((1, 1))))
    mine = np.ones(plan.input_shape, complex)
    raises(ValueError, lambda: plan(mine, out=np.empty((1, 2))))
    raises(TypeError, lambda: plan(mine, out=np.empty(plan.output_shape)))
    result = plan(mine)
    assert plan.recipe in repr(plan) and "<pre>" in plan._repr_html_()
    timeline = plan.timeline()
    assert len(timeline) == comm.Get_size() and timeline[comm.Get_rank()] == plan.trace
    assert all(0 <= begin <= end for trace in timeline for _, begin, end in trace)
    assert "<svg" in plan._repr_html_()
    total = comm.allreduce(complex(result.sum()))
    assert abs(total - 42) < 1e-9
    plan.destroy()
    raises(ValueError, lambda: plan(mine))


test_kinds()
test_errors()
if comm.Get_rank() == 0:
    print("passed on", comm.Get_size(), "ranks of", MPI.Get_library_version().splitlines()[0])
