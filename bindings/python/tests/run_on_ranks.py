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


def test_padding_and_full_spectra():
    generator = np.random.default_rng(3)
    x = generator.standard_normal((12, 9, 10))
    z = x + 1j * generator.standard_normal(x.shape)
    of = lambda shape, axis: weft.mpi.slabs(comm, shape, axis)  # noqa: E731
    check((12, 9, 10), "r2c", "float64", of(x.shape, 0), of(x.shape, 1), np.fft.fftn(x), x,
          spectrum="full")
    check((12, 9, 10), "c2r", "float64", of(x.shape, 2), of(x.shape, 0), x, np.fft.fftn(x),
          spectrum="full")
    check((18, 11, 10), "c2c", "float64", of(x.shape, 0), of((18, 11, 10), 1),
          np.fft.fftn(z, (18, 11, 10)), z, input_extents=x.shape)
    check(x.shape, "r2c", "float64", of(x.shape, 0), of((8, 5, 3), 0),
          np.fft.rfftn(x)[[0, 1, 2, 3, -4, -3, -2, -1]][:, [0, 1, 2, -2, -1], :3], x,
          output_extents=(8, 5, 3), modes="around_zero")


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
    raises(ValueError, lambda: weft.mpi.Plan(comm, shape, input=rows, output=rows,
                                             input_extents=(6, 9)))
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


def test_communicators_that_are_none():
    shape, freed = (6, 7), comm.Dup()
    rows = weft.mpi.slabs(comm, shape, 0)
    plan = weft.mpi.Plan(freed, shape, input=rows, output=rows)
    freed.Free()
    mine = np.ones(plan.input_shape, complex)
    assert np.allclose(plan.inverse()(plan(mine)), mine)  # it has a communicator of its own
    raises(ValueError, plan.timeline)
    plan.destroy()
    for error, bad in ((TypeError, None), (TypeError, "comm"), (ValueError, freed),
                       (ValueError, MPI.COMM_NULL)):
        raises(error, lambda: weft.mpi.Plan(bad, shape, input=rows, output=rows))
        raises(error, lambda: weft.mpi.slabs(bad, shape, 0))
        raises(error, lambda: weft.mpi.pencils(bad, shape, 0))
        raises(error, lambda: weft.mpi.bricks(bad, shape, (1, 1)))
        raises(error, lambda: weft.mpi.PFFT(bad, shape))
        raises(error, lambda: weft.mpi.Subcomm(bad))
        raises(error, lambda: weft.mpi.gather_wisdom(bad))
    pfft = weft.mpi.PFFT(comm, shape)
    u = weft.mpi.newDistArray(pfft, False)
    pfft.destroy()
    raises(ValueError, lambda: pfft.forward(u))


def test_errors_on_one_rank_are_raised_on_all():
    shape, last = (6, 7), comm.Get_rank() == comm.Get_size() - 1
    rows = weft.mpi.slabs(comm, shape, 0)
    plan = weft.mpi.Plan(comm, shape, input=rows, output=rows)
    good = np.ones(plan.input_shape, complex)
    locked = np.empty(plan.output_shape, complex)
    locked.flags.writeable = False
    strided = np.empty(plan.output_shape + (2,), complex)[..., 0]
    anything = (ValueError, TypeError)
    for x, out in [(np.ones((1, 1)), None), (None, None),
                   (["a"], None), (good, np.empty((1, 1))), (good, locked), (good, strided),
                   (good, np.empty(plan.output_shape)), (good, [1.0])]:
        raises(anything, lambda: plan(x, out=out) if last else plan(good))
    real = weft.mpi.Plan(comm, shape, "r2r", input=rows, output=rows, r2r=["dct2"])
    raises(TypeError, lambda: real(good))  # no imaginary part gets lost
    real.destroy()
    for bad in [dict(kind="c3c"), dict(dtype="int"), dict(axes=[7]), dict(norm="other"),
                dict(effort="much"), dict(input=None), dict(output=[((0,), (1,))]),
                dict(input=[((0, 0), (7, 9))]), dict(recipe="none"), dict(workers=0),
                dict(shape=(-1, 7)), dict(shape="ab"), dict(r2r=["dct9"], kind="r2r")]:
        arguments = dict(shape=shape, input=rows, output=rows)
        raises(anything, lambda: weft.mpi.Plan(comm, **(arguments | bad if last else arguments)))
    assert abs(plan(good).sum() - (42 if rows and rows[0][0] == [0, 0] else 0)) < 1e-9
    plan.destroy()


def test_inverse():
    x = np.random.default_rng(5).standard_normal((6, 7, 10))
    rows, columns = weft.mpi.slabs(comm, x.shape, 0), weft.mpi.slabs(comm, (6, 7, 6), 1)
    plan = weft.mpi.Plan(comm, x.shape, "r2c", input=rows, output=columns)
    back = plan.inverse()
    assert back.input_shape == plan.output_shape and back.output_dtype == plan.input_dtype
    mine = part(x, rows)
    assert np.allclose(back(plan(mine)), mine)
    plan.destroy()
    assert np.allclose(back(np.zeros(back.input_shape, complex)), 0)
    back.destroy()
    alike = weft.mpi.Plan(comm, (6, 7), input=weft.mpi.slabs(comm, (6, 7), 0),
                          output=weft.mpi.slabs(comm, (6, 7), 0))
    mine = np.ones(alike.input_shape, complex)
    expected = alike(mine)
    alike(mine, out=mine)
    assert (mine == expected).all()


def test_wisdom():
    weft.wisdom.forget()
    if comm.Get_rank() == 0:
        weft.Plan((30, 30), effort="measure", time_limit=0.05)
    weft.mpi.gather_wisdom(comm)
    assert weft.wisdom.size() > 0
    weft.wisdom.forget()


test_kinds()
test_padding_and_full_spectra()
test_errors()
test_communicators_that_are_none()
test_errors_on_one_rank_are_raised_on_all()
test_inverse()
test_wisdom()
if comm.Get_rank() == 0:
    print("passed on", comm.Get_size(), "ranks of", MPI.Get_library_version().splitlines()[0])
