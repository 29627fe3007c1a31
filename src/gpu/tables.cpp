// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/tables.hpp"

#include <cstring>

#include "base/index.hpp"
#include "base/reference_dft.hpp"
#include "base/roots.hpp"

namespace weft::gpu {
namespace {

constexpr Index longest_whole_table = 8192;

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
    after_.emplace_back();
    Index n = piece.n();
    for (int r : piece.radices) {
      after_.back().push_back(static_cast<Index>(values_.size()));
      const Index rest = n / r;
      if (rest > 1)
        for (Index j = 1; j < r; ++j)
          for (Index m = 0; m < rest; ++m) values_.push_back(root_of_unity(n, j * m));
      n = rest;
    }
    splits_.emplace_back();
    if (piece.whole > 0) add_split(piece);
    if (piece.chirp.role != Chirp::Role::none) add_chirp(piece);
  }
}

void Tables::add_split(const Piece& piece) {
  Split& split = splits_.back();
  while (split.count * longest_whole_table < piece.whole) split.count *= 2;
  split.coarse = static_cast<Index>(values_.size());
  for (Index e = 0; e < piece.whole; e += split.count)
    values_.push_back(root_of_unity(piece.whole, e));
  split.fine = static_cast<Index>(values_.size());
  for (Index e = 0; e < split.count; ++e) values_.push_back(root_of_unity(piece.whole, e));
}

/// With c[m] = exp(-pi i m^2 / n): X[k] = c[k] sum_m (x[m] c[m]) conj(c[k - m]).
void Tables::add_chirp(const Piece& piece) {
  const Index n = piece.chirp.n, m = piece.n();
  const auto chirp = [&](Index k) {
    const auto root = root_of_unity(2 * n, multiply_mod(k, k, 2 * n));
    return piece.chirp.direction == Direction::forward ? root : std::conj(root);
  };
  chirp_in_ = chirp_out_ = static_cast<Index>(values_.size());
  for (Index k = 0; k < n; ++k) values_.push_back(chirp(k));
  if (piece.chirp.role == Chirp::Role::second) return;
  chirp_out_ = static_cast<Index>(values_.size());
  std::vector<std::complex<long double>> inverse(static_cast<std::size_t>(m), 0);
  for (Index k = 0; k < n; ++k)
    inverse[static_cast<std::size_t>(k)] = inverse[static_cast<std::size_t>((m - k) % m)] =
        std::conj(chirp(k)) / static_cast<long double>(m);
  const auto spectrum = reference_dft(inverse);
  values_.insert(values_.end(), spectrum.begin(), spectrum.end());
}

Index Tables::after(DigitName digit) const {
  return after_[static_cast<std::size_t>(digit.piece)][static_cast<std::size_t>(digit.position)];
}

std::vector<unsigned char> Tables::bytes(Precision precision) const {
  return precision == Precision::f64 ? rounded<double>(values_) : rounded<float>(values_);
}

}  // namespace weft::gpu
