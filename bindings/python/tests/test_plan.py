# SPDX-License-Identifier: BSD-3-Clause
"""weft.Plan, the cache of plans, threads, wisdom, doctests and the other doors."""

import ast
import doctest
import inspect
import pathlib
import threading

import numpy as np
import pytest

import weft
import weft.fft
import weft.numpy


def test_a_plan_computes_and_describes_itself():
    x = np.random.default_rng(1).standard_normal((12, 10))
    plan = weft.Plan((12, 10), "r2c")
    spectrum = plan(x)
    assert np.allclose(spectrum, np.fft.rfft2(x))
    back = weft.Plan((12, 10), "c2r")
    out = np.empty((12, 10))
    assert back(spectrum, out=out) is out
    assert np.allclose(out, x)
    assert plan.input_shape == (12, 10) and plan.output_shape == (12, 6)
    assert plan.input_dtype == np.float64 and plan.output_dtype == np.complex128
    assert plan.output_strides == (6, 1)
    assert plan.cost["flops"] > 0 and plan.recipe in repr(plan)
    assert plan.workspace_bytes >= 0
    assert "<pre>" in plan._repr_html_() and plan.formula_latex and plan.formula and plan.tree
    assert weft.Plan((12, 10), "r2c", recipe=plan.recipe).recipe == plan.recipe


def test_plans_of_all_kinds():
    x = np.random.default_rng(2).standard_normal((8, 9)).astype(np.float32)
    dct = weft.Plan((8, 9), "r2r", np.float32, r2r=["dct2"], norm="ortho", orthogonalize=True)
    assert np.allclose(dct(x), weft.fft.dctn(x, norm="ortho"), atol=1e-5)
    full = weft.Plan((8, 9), "r2c", np.float32, spectrum="full", axes=[1])
    assert np.allclose(full(x), np.fft.fft(x), atol=1e-4)
    padded = weft.Plan((8, 16), "c2c", axes=[-1], input_extents=[8, 9])
    assert np.allclose(padded(x.astype(complex)), np.fft.fft(x, 16))
    r2hc, hc2r = (weft.Plan((9,), "r2r", r2r=[kind]) for kind in ("r2hc", "hc2r"))
    line = np.sin(np.arange(9.0) ** 2)
    packed, modes = r2hc(line), np.fft.rfft(line)
    assert np.allclose(packed, np.concatenate([modes.real, modes.imag[:0:-1]]))
    assert np.allclose(hc2r(packed), 9 * line)
    kept = weft.Plan((96,), "c2c", output_extents=[64], modes="around_zero")
    line = np.exp(2j * np.pi * -3 * np.arange(96) / 96)
    assert np.argmax(np.abs(kept(line))) == 61
    in_place = weft.Plan((7, 7), in_place=True, output_strides=[1, 7])
    square = np.random.default_rng(3).standard_normal((7, 7)) + 0j
    expected = np.fft.fft2(square)
    assert np.allclose(in_place(square, out=square.T), expected)


def test_a_plan_has_its_inverse():
    generator = np.random.default_rng(3)
    x = generator.standard_normal((6, 10))
    for plan in (weft.Plan(x.shape, "r2c"), weft.Plan(x.shape, "r2c", spectrum="full", norm="ortho"),
                 weft.Plan(x.shape, "r2r", r2r=["dct2", "dst4"], axes=[0, 1], norm="forward")):
        back = plan.inverse()
        assert back.input_shape == plan.output_shape and back.output_shape == x.shape
        assert np.allclose(back(plan(x)), x)
    turned = weft.Plan(x.shape, "c2c", "float32", output_strides=(1, 6))
    z = x.astype(np.complex64)
    modes = turned(z, out=np.empty((10, 6), np.complex64).T)
    assert np.allclose(turned.inverse()(modes), z, atol=1e-5)


def test_the_cache_finds_plans_again_and_is_bounded():
    weft.fft.clear_cache()
    weft.fft.set_cache_limit(3)
    try:
        for n in (5, 6, 7, 8, 8, 8):
            weft.fft.fft(np.ones(n))
        info = weft.fft.cache_info()
        assert info == {"hits": 2, "misses": 4, "limit": 3, "size": 3}
        weft.fft.set_cache_limit(0)
        assert np.allclose(weft.fft.fft(np.ones(4)), [4, 0, 0, 0])
        assert weft.fft.cache_info()["size"] == 0
    finally:
        weft.fft.set_cache_limit(128)


def test_threads_share_plans():
    x = np.random.default_rng(4).standard_normal((64, 300)) + 0j
    expected = weft.fft.fft2(x, workers=2)
    wrong = []

    def work():
        for workers in (1, 2):
            for _ in range(5):
                if not np.allclose(weft.fft.fft2(x, workers=workers), expected):
                    wrong.append(workers)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_wisdom_goes_to_a_file_and_back(tmp_path):
    weft.wisdom.forget()
    weft.Plan((48,), effort="measure")
    assert weft.wisdom.size() > 0
    text = weft.wisdom.to_string()
    weft.wisdom.save(tmp_path / "wisdom.json")
    weft.wisdom.forget()
    weft.wisdom.load(tmp_path / "wisdom.json")
    assert weft.wisdom.to_string() == text
    weft.wisdom.forget()


def test_numpy_is_patched_for_the_block_only():
    before = np.fft.fft
    with weft.numpy.patch():
        assert np.fft.fft is weft.numpy.fft
        assert np.allclose(np.fft.fft2(np.eye(3)), before(before(np.eye(3)), axis=0))
    assert np.fft.fft is before
    x = np.random.default_rng(5).standard_normal((4, 6)) + 0j
    for name in ("fftn", "ifftn", "rfftn", "irfftn"):
        y = x.real if name == "rfftn" else x
        for axes in ((0, 0), (1, 0, 0)):
            s = [4 if axis == 0 else 6 for axis in axes]
            assert np.allclose(getattr(weft.numpy, name)(y, s, axes), getattr(np.fft, name)(y, s, axes))


def test_tensors_of_torch():
    torch = pytest.importorskip("torch")
    x = torch.arange(12.0, dtype=torch.float64).reshape(3, 4)
    y = weft.fft.rfft(x.T)
    assert isinstance(y, torch.Tensor)
    assert torch.allclose(y, torch.fft.rfft(x.T))
    z = torch.complex(x, x).conj().requires_grad_()
    assert torch.allclose(weft.fft.fft(z), torch.fft.fft(z.detach()))


@pytest.mark.parametrize("module", ["weft", "weft.fft", "weft._fftlog", "weft._lengths", "weft.wisdom",
                                    "weft.scipy", "weft.numpy", "weft.mpi.fftw",
                                    "weft.mpi.libfft", "weft.mpi.pencil", "weft.mpi.distarray",
                                    "weft.mpi.mpifft", "weft.fabric"])
@pytest.mark.skipif(np.__version__ < "2", reason="NumPy prints scalars in another way")
def test_examples_of_the_docstrings(module):
    if module == "weft.scipy":
        pytest.importorskip("scipy")
    if module == "weft.fabric":
        pytest.importorskip("weft._fabric")
    if module.startswith("weft.mpi"):
        pytest.importorskip("mpi4py.MPI", exc_type=(ImportError, RuntimeError))
    imported = __import__(module, fromlist=["_"])
    result = doctest.testmod(imported, extraglobs={"np": np, "weft": weft})
    assert result.failed == 0 and result.attempted > 0


def test_the_example_of_the_plan():
    example = doctest.DocTestParser().get_doctest(weft.Plan.__doc__, {"np": np, "weft": weft}, "Plan",
                                                  None, 0)
    assert doctest.DocTestRunner().run(example) == (0, 2)


@pytest.mark.parametrize("module", ["weft.fft", "weft._fftlog", "weft._lengths", "weft.wisdom"])
def test_stubs_have_the_arguments_of_the_functions(module):
    imported = __import__(module, fromlist=["_"])
    tree = ast.parse(pathlib.Path(imported.__file__).with_suffix(".pyi").read_text())
    stubs = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for stub in stubs:
        signature = inspect.signature(getattr(imported, stub.name))
        arguments = stub.args.args + stub.args.kwonlyargs
        assert [a.arg for a in arguments] == list(signature.parameters), stub.name
        defaults = [ast.literal_eval(d) for d in stub.args.defaults + stub.args.kw_defaults]
        assert defaults == [p.default for p in signature.parameters.values()
                            if p.default is not p.empty], stub.name
    named = {node.asname or node.name for node in ast.walk(tree) if isinstance(node, ast.alias)}
    missing = set(getattr(imported, "__all__", ())) - {stub.name for stub in stubs} - named
    assert not missing
