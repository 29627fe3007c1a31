// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network/explicit_global_fft.hpp"

#include <algorithm>
#include <numbers>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

using Complex = std::complex<double>;

/// The smaller of two factors that the ranks divide, as equal as can be.
Index smaller_factor(Index points, Index ranks) {
  Index best = 0;
  for (Index m = ranks; m * m <= points; m += ranks)
    if (points % m == 0 && points / m % ranks == 0) best = m;
  if (best == 0)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("global FFT of {} points on {} ranks: every rank needs whole blocks of "
                     "both factors; choose a multiple of {}, or fewer ranks",
                     points, ranks, ranks * ranks));
  return best;
}

/// y[(j n + i) run ...] = x[(i stride + j) run ...], in tiles that stay in cache.
void permute(std::span<const Complex> x, std::span<Complex> y, Index stride, Index run) {
  const Index n = std::ssize(x) / run / stride;
  constexpr Index tile = 16;
  for (Index i0 = 0; i0 < n; i0 += tile)
    for (Index j0 = 0; j0 < stride; j0 += tile)
      for (Index j = j0; j < std::min(stride, j0 + tile); ++j)
        for (Index i = i0; i < std::min(n, i0 + tile); ++i)
          if (run == 1)
            y[static_cast<std::size_t>(j * n + i)] = x[static_cast<std::size_t>(i * stride + j)];
          else
            std::copy_n(x.begin() + (i * stride + j) * run, run, y.begin() + (j * n + i) * run);
}

}  // namespace

ExplicitGlobalFft::ExplicitGlobalFft(const Comm& comm, Index points)
    : comm_(comm),
      p_(comm.size()),
      m_(smaller_factor(points, p_)),
      n_(points / m_),
      rows_(c2c({m_ / p_, n_}, {.axes = {1}})),
      columns_(c2c({n_ / p_, m_}, {.axes = {1}})),
      work_(static_cast<std::size_t>(points / p_)),
      other_(work_.size()),
      twiddles_(work_.size()) {
  for (Index a = 0; a < m_ / p_; ++a)
    for (Index b = 0; b < n_; ++b) {
      const Index turn = (comm.rank() * (m_ / p_) + a) * b;
      twiddles_[static_cast<std::size_t>(a * n_ + b)] = std::polar(
          1.0, -2 * std::numbers::pi * static_cast<double>(turn) / static_cast<double>(points));
    }
}

/// Block q of every rank goes to rank q.
void ExplicitGlobalFft::exchange() {
  comm_.all_to_all(work_.data(), other_.data(),
                   m_ * n_ / (p_ * p_) * static_cast<Index>(sizeof(Complex)));
  std::swap(work_, other_);
}

void ExplicitGlobalFft::execute(std::span<const Complex> in, std::span<Complex> out) {
  permute(in, work_, p_, m_ / p_);  // by destination
  exchange();
  permute(work_, other_, m_ / p_, 1);  // rows of n
  rows_.execute(other_.data(), other_.data());
  for (std::size_t k = 0; k < other_.size(); ++k) other_[k] *= twiddles_[k];
  permute(other_, work_, p_, n_ / p_);
  exchange();
  permute(work_, other_, n_ / p_, 1);  // rows of m
  columns_.execute(other_.data(), other_.data());
  permute(other_, work_, m_, 1);
  exchange();
  permute(work_, out, m_ / p_, n_ / p_);  // natural order
}

}  // namespace weft::fabric
