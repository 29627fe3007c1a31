// SPDX-License-Identifier: BSD-3-Clause
// Transforms as formulas (SPL): a Formula is an immutable value, a matrix written as a product of
// sparse factors. Non-terminals are the transforms (Dft to Dht below), which rules break down; the
// other kinds are terminals, for which code can be written. rules/ expand a formula, rewrite.cpp
// simplifies it, codelet/ir/lower.cpp turns it into arithmetic, matrix.cpp computes its matrix.
#pragma once

#include <complex>
#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "weft/types.hpp"

namespace weft::formula {

using Complex = std::complex<long double>;

class Formula;

/// DFT(n) = [w^(kl)], w = exp(-2 pi i / n).
struct Dft {
  Index n;
};
/// Diagonal-scaled DFT of the tangent (modified split-radix) algorithm: row k of DFT(n) divided by
/// the scale s(n * level, k) of Johnson and Frigo 2007; level 1, 2 or 4. Level 0 is the plain DFT.
struct ScaledDft {
  Index n;
  int level;
};
/// Real DFT, n real inputs to n reals: (Re y0, Re y1, Im y1, Re y2, Im y2, ..., [Re y(n/2)]).
struct RealDft {
  Index n;
};
/// The way back: n reals in that packed order (a half spectrum) to the n reals of the unnormalised
/// backward transform.
struct InverseRealDft {
  Index n;
};
/// Rows 0 .. n/2 of DFT(n); for real input the other rows give the conjugates of these.
struct HalfDft {
  Index n;
  Index half() const { return n / 2 + 1; }
};
/// The way back, unnormalised: the real part of its product with a half spectrum is the real line.
/// It has columns 0 .. n/2; those that stand for two frequencies, k and n-k, are doubled.
struct InverseHalfDft {
  Index n;
  Index half() const { return n / 2 + 1; }
};
enum class TrigonometricKind { dct1, dct2, dct3, dct4, dst1, dst2, dst3, dst4 };
/// DCT and DST I-IV with FFTW's conventions (unnormalised, REDFT/RODFT).
struct Trigonometric {
  TrigonometricKind kind;
  Index n;
};
/// Discrete Hartley transform: sum x[j] (cos + sin)(2 pi jk/n).
struct Dht {
  Index n;
};

struct Identity {
  Index n;
};
/// L(n, s): reads at stride s; y[i * (n/s) + j] = x[j * s + i] for 0 <= i < s, 0 <= j < n/s.
/// (DFT(rs) uses L(rs, r): the r interleaved subsequences one after another.)
struct StridePermutation {
  Index n, stride;
};
/// y[i] = x[source[i]].
struct Permutation {
  std::vector<Index> source;
};
/// y[i] = x[-i mod n]; CyclicReversal(n) . DFT(n) is the backward transform.
struct CyclicReversal {
  Index n;
};
/// T(n, s): the diagonal w_n^(i j) at position i * s + j, 0 <= i < n/s, 0 <= j < s.
struct Twiddles {
  Index n, s;
};
struct Diagonal {
  std::vector<Complex> values;
};
/// A small dense matrix, row-major; rectangular ones embed, select and combine.
struct Dense {
  Index rows, columns;
  std::vector<Complex> values;
};
/// A sparse rectangular matrix by its rows: row i is the sum of value * x[column].
struct Sparse {
  struct Entry {
    Index column;
    Complex value;
  };
  Index columns;
  std::vector<std::vector<Entry>> rows;
};
/// A matrix with one entry per row, given by a rule instead of a table: a permutation between two
/// orders of a large array, or a factor for each of its elements.
class GatherRule {
 public:
  /// y[row] = value * x[column], or value * conj(x[column]).
  struct Entry {
    Index column = 0;
    Complex value = 1;
    bool conjugate = false;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  virtual ~GatherRule() = default;
  virtual Index rows() const = 0;
  virtual Index columns() const = 0;
  virtual Entry entry(Index row) const = 0;
  virtual std::string text() const = 0;  ///< its name in printed formulas
  virtual std::string latex() const = 0;
};
struct Gather {
  std::shared_ptr<const GatherRule> rule;
};
struct Tensor {
  std::vector<Formula> factors;
};
struct Compose {
  std::vector<Formula> factors;  // applied right to left
};
struct DirectSum {
  std::vector<Formula> terms;
};

class Formula {
 public:
  using Node =
      std::variant<Dft, ScaledDft, RealDft, InverseRealDft, HalfDft, InverseHalfDft, Trigonometric,
                   Dht, Identity, StridePermutation, Permutation, CyclicReversal, Twiddles,
                   Diagonal, Dense, Sparse, Gather, Tensor, Compose, DirectSum>;

  template <class T>
    requires std::constructible_from<Node, T>
  Formula(T node) : node_(std::make_shared<const Node>(std::move(node))) {}

  const Node& node() const { return *node_; }
  template <class T>
  const T* as() const {
    return std::get_if<T>(node_.get());
  }
  Index rows() const;
  Index columns() const;
  bool is_terminal() const;  ///< no non-terminal anywhere inside

 private:
  std::shared_ptr<const Node> node_;
};

// Constructors; they check sizes (weft::Error) and build nothing but the node they name.
Formula dft(Index n);
Formula scaled_dft(Index n, int level);
Formula real_dft(Index n);
Formula inverse_real_dft(Index n);
Formula half_dft(Index n);
Formula inverse_half_dft(Index n);
Formula trigonometric(TrigonometricKind kind, Index n);
Formula dht(Index n);
Formula identity(Index n);
Formula tensor(std::vector<Formula> factors);
Formula compose(std::vector<Formula> factors);
Formula direct_sum(std::vector<Formula> terms);
Formula stride_permutation(Index n, Index stride);
Formula cyclic_reversal(Index n);
Formula twiddles(Index n, Index s);
Formula permutation(std::vector<Index> source);
Formula diagonal(std::vector<Complex> values);
Formula dense(Index rows, Index columns, std::vector<Complex> values);
Formula sparse(Index columns, std::vector<std::vector<Sparse::Entry>> rows);

Formula gather(std::shared_ptr<const GatherRule> rule);

bool operator==(const Formula& a, const Formula& b);

}  // namespace weft::formula
