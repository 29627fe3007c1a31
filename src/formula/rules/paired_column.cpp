// SPDX-License-Identifier: BSD-3-Clause
#include "formula/rules/paired_column.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <utility>
#include <vector>

#include "base/roots.hpp"
#include "formula/rules/normalized_root.hpp"
#include "weft/types.hpp"

namespace weft::formula {
namespace {

using Rows = std::vector<std::vector<Sparse::Entry>>;

/// Twiddled column k: inputs v[0], v[1], v[-1], v[2], ... to y[k + s l], l = 0 .. r-1.
class Column {
 public:
  Column(Index n, Index r, Index k) : r_(r), h_((r - 1) / 2) {
    for (Index a = 1; a <= h_; ++a) roots_.push_back(normalized_root(n, a * k));
  }

  Formula formula() const {
    return compose({outputs(), direct_sum({cosines(), sines()}), sums_and_differences(),
                    diagonal(directions())});
  }

 private:
  std::vector<Complex> directions() const {
    std::vector<Complex> values{1};
    for (const NormalizedRoot& root : roots_) {
      values.push_back(root.direction);
      values.push_back(std::conj(root.direction));
    }
    return values;
  }

  Formula sums_and_differences() const {
    Rows rows{{{0, 1}}};
    for (Complex sign : {1, -1})
      for (Index a = 1; a <= h_; ++a) rows.push_back({{2 * a - 1, 1}, {2 * a, sign}});
    return sparse(r_, std::move(rows));
  }

  /// Rows l = 0 .. h of v0 + sum c[a] cos(2 pi a l / r) p[a].
  Formula cosines() const {
    std::vector<Complex> values;
    for (Index l = 0; l <= h_; ++l) {
      values.emplace_back(1);
      for (Index a = 1; a <= h_; ++a)
        values.emplace_back(roots_[a - 1].scale * root_of_unity(r_, a * l).real());
    }
    return dense(h_ + 1, h_ + 1, std::move(values));
  }

  /// Rows l = 1 .. h of sum c[a] sin(2 pi a l / r) q[a]. The largest factor of a row is taken out
  /// as a scale that follows; the +-1 left in its place opens the row.
  Formula sines() const {
    Rows rows(h_);
    std::vector<Complex> scales;
    for (Index l = 1; l <= h_; ++l) {
      auto& row = rows[l - 1];
      for (Index a = 1; a <= h_; ++a)
        row.push_back({a - 1, -roots_[a - 1].scale * root_of_unity(r_, a * l).imag()});
      std::ranges::sort(row, std::greater{},
                        [](const auto& entry) { return std::abs(entry.value); });
      scales.emplace_back(std::abs(row.front().value));
      for (Sparse::Entry& entry : row) entry.value /= scales.back();
    }
    return compose({diagonal(std::move(scales)), sparse(h_, std::move(rows))});
  }

  Formula outputs() const {
    Rows rows(r_);
    rows[0] = {{0, 1}};
    for (Index l = 1; l <= h_; ++l) {
      rows[l] = {{l, 1}, {h_ + l, Complex(0, -1)}};
      rows[r_ - l] = {{l, 1}, {h_ + l, Complex(0, 1)}};
    }
    return sparse(r_, std::move(rows));
  }

  Index r_, h_;
  std::vector<NormalizedRoot> roots_;
};

/// k = 0 needs no twiddles; only the order of the inputs differs from DFT(r).
Formula untwiddled_column(Index r) {
  std::vector<Index> order(r);
  for (Index i = 0; i < r; ++i) order[(paired_offset(i) + r) % r] = i;
  return compose({dft(r), permutation(std::move(order))});
}

}  // namespace

Formula paired_column(Index n, Index r, Index k) {
  return k == 0 ? untwiddled_column(r) : Column(n, r, k).formula();
}

}  // namespace weft::formula
