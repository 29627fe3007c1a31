# SPDX-License-Identifier: BSD-3-Clause
"""Predictions and simulations of other machines."""

import numpy as np
import pytest

pytest.importorskip("weft._fabric")
from weft import fabric  # noqa: E402


def test_a_wafer_transforms_the_callers_numbers():
    generator = np.random.default_rng(3)
    x = generator.standard_normal((8, 8, 8)) + 1j * generator.standard_normal((8, 8, 8))
    there = fabric.simulate("wse2", x=x)
    expected = np.fft.fftn(x)
    assert np.abs(there["numbers"] - expected).max() < 1e-5 * np.abs(expected).max()
    back = fabric.simulate("wse2", x=there["numbers"], inverse=True)["numbers"]
    scale = np.vdot(back, x).real / np.vdot(back, back).real
    assert np.abs(back * scale - x).max() < 1e-5 * np.abs(x).max()
    assert there["cycles"] == sum(cycles for _, cycles in there["steps"])
    assert there["cycles"] == fabric.simulate("wse2", "8^3")["cycles"]


def test_networks_and_systolic_arrays_check_their_own_numbers():
    assert fabric.simulate("cluster", (8, 6, 10), ranks=4, real=True)["machine"] == "cluster"
    assert fabric.simulate("ape100-q4", "64^2")["machine"] == "ape100-q4"


def test_sweeps_are_predictions():
    swept = fabric.sweep("wse2", edges=[64, 128], value="seconds")
    for edge, seconds in zip(swept["x"], swept["series"]["paper"]):
        assert seconds == fabric.predict("wse2", f"{edge}^3")[0]["seconds"]
    assert swept["fits"]["paper"].all()


@pytest.mark.parametrize("error, call", [
    (ValueError, lambda: fabric.predict("no-such-machine", "8^3")),
    (ValueError, lambda: fabric.predict("wse2", "eight")),
    (ValueError, lambda: fabric.predict("wse2", "8^3", schedule="other")),
    (TypeError, lambda: fabric.predict("wse2", "8^3", color=3)),
    (TypeError, lambda: fabric.simulate("wse2")),
    (TypeError, lambda: fabric.simulate("cluster", "8^3", mesh="4x4")),
    (ValueError, lambda: fabric.simulate("cluster", x=np.zeros((8, 8, 8)))),
    (ValueError, lambda: fabric.simulate("wse2", x=np.zeros((8, 8)))),
    (ValueError, lambda: fabric.simulate("wse2", "16^3", x=np.zeros((8, 8, 8)))),
    (ValueError, lambda: fabric.sweep("wse2")),
    (ValueError, lambda: fabric.sweep("wse2", nodes=[1], edges=[8, 16])),
    (ValueError, lambda: fabric.sweep("wse2", edges=[8], value="joules")),
    (TypeError, lambda: fabric.predict(None, "8^3")),
    (TypeError, lambda: fabric.predict("summit", "64^3", nodes="four")),
    (TypeError, lambda: fabric.simulate("wse2", "8^3", mesh=4)),
])
def test_bad_arguments_raise(error, call):
    with pytest.raises(error):
        call()
