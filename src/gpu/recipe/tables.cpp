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
  for (const Piece& piece : pass.pieces) {
    splits_.emplace_back();
    if (piece.whole > 0) add_split(piece);
    twists_.emplace_back();
    Index count = splits_.back().is_twist ? piece.whole / piece.n() : 1;
    for (int r : piece.radices) {
      add_twist(r, count, pass.precision);
      count *= r;
    }
    if (piece.chirp.role != Chirp::Role::none) add_chirp(piece);
  }
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

void Tables::add_split(const Piece& piece) {
  Split& split = splits_.back();
  split.is_twist = !piece.is_first_part && piece.whole <= longest_whole_table;
  if (split.is_twist) return;
  while (split.count * longest_whole_table < piece.whole) split.count *= 2;
  split.coarse = static_cast<Index>(values_.size());
  for (Index e = 0; e < piece.whole; e += split.count)
    values_.push_back(root_of_unity(piece.whole, e));
  split.fine = static_cast<Index>(values_.size());
  for (Index e = 0; e < split.count; ++e) values_.push_back(root_of_unity(piece.whole, e));
}

/// With c[m] = exp(-pi i m^2 / n): X[k] = c[k] sum_m (x[m] c[m]) conj(c[k - m]).
void Tables::add_chirp(const Piece& piece) {
  const Index n = piece.chirp.n, m = piece.n() * std::max<Index>(1, piece.chirp.step);
  const auto chirp = [&](Index k) {
    const auto root = root_of_unity(2 * n, multiply_mod(k, k, 2 * n));
    return piece.chirp.direction == Direction::forward ? root : std::conj(root);
  };
  chirp_in_ = chirp_out_ = static_cast<Index>(values_.size());
  if (piece.chirp.role != Chirp::Role::spectrum)
    for (Index k = 0; k < n; ++k) values_.push_back(chirp(k));
  if (piece.chirp.role == Chirp::Role::second || piece.chirp.role == Chirp::Role::entry) return;
  chirp_out_ = static_cast<Index>(values_.size());
  std::vector<std::complex<long double>> inverse(static_cast<std::size_t>(m), 0);
  for (Index k = 0; k < n; ++k)
    inverse[static_cast<std::size_t>(k)] = inverse[static_cast<std::size_t>((m - k) % m)] =
        std::conj(chirp(k)) / static_cast<long double>(m);
  const auto spectrum = reference_dft(inverse);
  values_.insert(values_.end(), spectrum.begin(), spectrum.end());
}

const Twist& Tables::twist(DigitName digit) const {
  return twists_[static_cast<std::size_t>(digit.piece)][static_cast<std::size_t>(digit.position)];
}

std::vector<unsigned char> Tables::bytes(Precision precision) const {
  return precision == Precision::f64 ? rounded<double>(values_) : rounded<float>(values_);
}

}  // namespace weft::gpu
