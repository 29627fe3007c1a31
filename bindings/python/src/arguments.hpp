// SPDX-License-Identifier: BSD-3-Clause
// The arguments of scipy.fft's functions, from Python objects to numbers.
#pragma once

#include <array>

#include "numpy_api.hpp"
#include "weft/types.hpp"
#include "weft/view.hpp"

namespace weft::python {

/// By what one call divides.
enum class Scale { none, by_n, by_sqrt_n };

/// `norm` is None, "backward", "ortho" or "forward".
Scale scale_of(nb::handle norm, bool is_forward);
bool is_ortho(nb::handle norm);
/// As Python's `if` sees it; raises what Python raises for an object without a truth value.
bool is_true(nb::handle value);

/// `workers`: None means the default; negative counts back from the number of cores, as SciPy has
/// it. More threads than cores are never used.
int threads_of(nb::handle workers);
/// The default number of workers of this thread of Python.
int default_workers();
void set_default_workers(int workers);

/// Axes that are transformed, and how many points the transform has along each; -1 where the
/// array decides.
struct Axes {
  int count = 0;
  std::array<int, max_ndim> axis;
  std::array<npy_intp, max_ndim> length;
};
Axes one_axis(nb::handle n, nb::handle axis, const Array& x);
Axes many_axes(nb::handle s, nb::handle axes, const Array& x);

}  // namespace weft::python
