// SPDX-License-Identifier: BSD-3-Clause
#include "local/array/spectrum_fill.hpp"

#include "base/index.hpp"

namespace weft::local {
namespace {

float negative(float number) { return -number; }
double negative(double number) { return -number; }
Half negative(Half number) { return {static_cast<std::uint16_t>(number.bits ^ 0x8000u)}; }

}  // namespace

SpectrumFill::SpectrumFill(const problem::ArrayProblem& problem)
    : precision_(problem.precision),
      is_split_(problem.extras.out_split),
      n_(problem.dimension(problem.halved_axis()).n),
      row_(problem.dimension(problem.halved_axis()).out) {
  for (int d = 0; d < static_cast<int>(problem.dimensions.size()); ++d) {
    if (d == problem.halved_axis()) continue;
    const Index n = problem.out_extent(d);
    others_.push_back({n, problem.dimension(d).out, contains(problem.axes, d)});
    lines_ *= n;
  }
  if (n_ < 3) lines_ = 0;  // the half is the whole
}

template <class Real>
void SpectrumFill::fill(Index begin, Index end, Real* out, Index imag) const {
  for (Index line = begin; line < end; ++line) {
    Index rest = line, to_offset = 0, from_offset = 0;
    for (std::size_t d = others_.size(); d-- > 0;) {
      const auto& [n, stride, is_mirrored] = others_[d];
      const Index i = rest % n;
      rest /= n;
      to_offset += i * stride;
      from_offset += (is_mirrored && i > 0 ? n - i : i) * stride;
    }
    Real* to = out + to_offset;
    const Real* from = out + from_offset;
    for (Index k = n_ / 2 + 1; k < n_; ++k) {
      to[k * row_] = from[(n_ - k) * row_];
      to[k * row_ + imag] = negative(from[(n_ - k) * row_ + imag]);
    }
  }
}

void SpectrumFill::run(Index begin, Index end, char* out, Index imag) const {
  if (!is_split_) imag = 1;
  switch (precision_) {
    case Precision::f16: return fill(begin, end, reinterpret_cast<Half*>(out), imag);
    case Precision::f32: return fill(begin, end, reinterpret_cast<float*>(out), imag);
    case Precision::f64: return fill(begin, end, reinterpret_cast<double*>(out), imag);
  }
}

}  // namespace weft::local
