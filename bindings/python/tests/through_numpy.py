# SPDX-License-Identifier: BSD-3-Clause
"""A plugin of pytest (-p through_numpy) under which NumPy's tests of numpy.fft run on weft."""


def pytest_configure(config):
    """Before the tests are collected, since they keep the functions of numpy.fft in lists."""
    import weft.numpy

    weft.numpy.patch().__enter__()
