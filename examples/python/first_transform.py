# SPDX-License-Identifier: BSD-3-Clause
"""A tone of frequency 50 shows up in bin 50 and nowhere else; then a field, there and back."""
import numpy as np

import weft
import weft.fft

n = 1000
signal = np.exp(2j * np.pi * 50 * np.arange(n) / n)
spectrum = weft.fft.fft(signal)
print("bin 50:", abs(spectrum[50]), "bin 51:", abs(spectrum[51]))
assert abs(abs(spectrum[50]) - n) < 1e-9

field = np.random.default_rng(1).standard_normal((64, 48, 36))
modes = weft.fft.rfftn(field, workers=-1)               # all cores
back = weft.fft.irfftn(modes, s=field.shape, workers=-1)
assert np.allclose(back, field)

plan = weft.Plan((64, 48, 36), "r2c", effort="measure")  # once: times a few algorithms
out = np.empty(plan.output_shape, plan.output_dtype)
plan(field, out=out)                                    # many times: allocates nothing
assert np.allclose(out, modes)
print(plan.tree)
