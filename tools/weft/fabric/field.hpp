// SPDX-License-Identifier: BSD-3-Clause
// Numbers for simulated transforms: a field that is known at every point without being stored, its
// spectrum by weft's own plans, and the distance between the two.
#pragma once

#include <complex>
#include <span>

#include "fabric/wafer/run.hpp"

namespace weft::tool {

/// The value at (x, y, z): both parts in [-0.5, 0.5), exact in FP16.
std::complex<float> field_value(std::int64_t x, std::int64_t y, std::int64_t z);

/// Fills the wafer's memory before a forward transform.
void fill_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                std::span<std::complex<float>> data, int threads);

struct FieldError {
  double relative = 0;        ///< root mean square, over that of the spectrum
  std::int64_t compared = 0;  ///< numbers
  std::string against;
};
/// Compares what lies on the wafer after a forward transform with weft's transform in double
/// precision: all of it up to 2^27 points, else whole planes of constant kz.
FieldError compare_spectrum(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                            std::span<const std::complex<float>> data, int threads,
                            const fabric::OnProgress& on_progress);
/// ... and after a transform back, with the field itself.
FieldError compare_field(const fabric::WaferPlan& plan, const fabric::WaferLayout& layout,
                         std::span<const std::complex<float>> data, int threads);

/// What rounding may cost: a few units in the last place for each of the log2 N levels.
double allowed_error(const fabric::WaferPlan& plan);

}  // namespace weft::tool
