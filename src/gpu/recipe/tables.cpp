// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/recipe/tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "base/roots.hpp"
#include "codelet/emit/emit_cuda.hpp"

namespace weft::gpu {
namespace {

constexpr Index longest_whole_table = 8192, longest_fused_table = 8192;

template <class Real>
std::vector<unsigned char> rounded(const std::vector<std::complex<long double>>& values) {
  std::vector<unsigned char> bytes(values.size() * 2 * sizeof(Real));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Real pair[2] = {static_cast<Real>(values[i].real()), static_cast<Real>(values[i].imag())};
    std::memcpy(bytes.data() + i * sizeof(pair), pair, sizeof(pair));
  }
  return bytes;
}

}  // namespace

Tables::Tables(const TilePass& pass) {
  for (const TileAxis& tile_axis : pass.tile_axes) {
    splits_.emplace_back();
    if (tile_axis.whole > 0) add_split(tile_axis);
    twists_.emplace_back();
    Index count = splits_.back().is_twist ? tile_axis.whole / tile_axis.n() : 1;
    for (int r : tile_axis.radices) {
      add_twist(r, count, pass.precision);
      count *= r;
    }
    if (tile_axis.chirp.role != Chirp::Role::none) add_chirp(tile_axis);
  }
  if (combining_stage(pass) >= 0) add_combining(pass);
}

void Tables::add_twist(int radix, Index count, Precision precision) {
  const bool is_power = radix > 1 && std::has_single_bit(static_cast<unsigned>(radix));
  Twist twist{static_cast<Index>(values_.size()), count,
              count > 1 && is_power && count * radix / 2 < longest_fused_table};
  twists_.back().push_back(twist);
  if (count == 1) return;
  const Index n = count * radix;
  if (!twist.is_fused) {
    for (Index m = 1; m < radix; ++m)
      for (Index k = 0; k < count; ++k) values_.push_back(root_of_unity(n, m * k));
    return;
  }
  // A cosine of zero would make the tangent infinite. This much instead is less than rounding, and
  // leaves room for numbers that are not near the end of their range themselves.
  const long double least = precision == Precision::f64 ? 0x1p-60L : 0x1p-30L;
  for (const codelet::TwistPair& pair : codelet::twist_pairs(radix))
    for (Index k = 0; k < count; ++k) {
      const auto root = root_of_unity(n, (pair.power * k + pair.turns * count) % n);
      const long double cosine = std::abs(root.real()) < least ? least : root.real();
      values_.emplace_back(cosine, root.imag() / cosine);
    }
}

void Tables::add_split(const TileAxis& tile_axis) {
  Split& split = splits_.back();
  split.is_twist = !tile_axis.is_first_part && tile_axis.whole <= longest_whole_table;
  if (split.is_twist) return;
  while (split.count * longest_whole_table < tile_axis.whole) split.count *= 2;
  split.coarse = static_cast<Index>(values_.size());
  for (Index e = 0; e < tile_axis.whole; e += split.count)
    values_.push_back(root_of_unity(tile_axis.whole, e));
  split.fine = static_cast<Index>(values_.size());
  for (Index e = 0; e < split.count; ++e) values_.push_back(root_of_unity(tile_axis.whole, e));
}

/// With c[m] = exp(-pi i m^2 / n): X[k] = c[k] sum_m (x[m] c[m]) conj(c[k - m]).
void Tables::add_chirp(const TileAxis& tile_axis) {
  const Index n = tile_axis.chirp.n, m = tile_axis.n() * std::max<Index>(1, tile_axis.chirp.step);
  const auto chirp = [&](Index k) {
    const auto root = root_of_unity(2 * n, multiply_mod(k, k, 2 * n));
    return tile_axis.chirp.direction == Direction::forward ? root : std::conj(root);
  };
  chirp_in_ = chirp_out_ = static_cast<Index>(values_.size());
  if (tile_axis.chirp.role != Chirp::Role::spectrum)
    for (Index k = 0; k < n; ++k) values_.push_back(chirp(k));
  if (tile_axis.chirp.role == Chirp::Role::second || tile_axis.chirp.role == Chirp::Role::entry)
    return;
  chirp_out_ = static_cast<Index>(values_.size());
  std::vector<std::complex<long double>> inverse(static_cast<std::size_t>(m), 0);
  for (Index k = 0; k < n; ++k)
    inverse[static_cast<std::size_t>(k)] = inverse[static_cast<std::size_t>((m - k) % m)] =
        std::conj(chirp(k)) / static_cast<long double>(m);
  const auto spectrum = reference_dft(inverse);
  values_.insert(values_.end(), spectrum.begin(), spectrum.end());
}

void Tables::add_combining(const TilePass& pass) {
  const TileAxis& line = pass.tile_axes.front();
  const bool is_twinned = line.is_twinned(), is_last = line.makes_spectrum();
  const int radix = is_last ? line.radices.back() : line.radices.front();
  const Index h = is_twinned ? line.whole : line.n();
  const Index entries = is_twinned ? h / radix : (h / radix + 1) / 2;
  const auto add = [&](Index e, std::complex<long double> by) {
    const auto root = root_of_unity(2 * h, e) * by;
    values_.push_back(is_last ? root : std::conj(root));
  };
  while (combining_.count * longest_whole_table < entries) combining_.count *= 2;
  combining_.coarse = static_cast<Index>(values_.size());
  for (Index e = 0; e < entries; e += combining_.count) add(e, {0, -1});
  combining_.fine = static_cast<Index>(values_.size());
  for (Index e = 0; e < combining_.count; ++e) add(e, {1, 0});
}

const Twist& Tables::twist(DigitName digit) const {
  return twists_[static_cast<std::size_t>(digit.tile_axis)]
                [static_cast<std::size_t>(digit.position)];
}

std::vector<unsigned char> Tables::bytes(Precision precision) const {
  return precision == Precision::f64 ? rounded<double>(values_) : rounded<float>(values_);
}

}  // namespace weft::gpu
