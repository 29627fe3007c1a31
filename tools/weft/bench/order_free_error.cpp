// SPDX-License-Identifier: BSD-3-Clause
// Checks of a distributed transform that work for any order of its output.
#include <algorithm>
#include <cmath>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "bench/rank_rows.hpp"
#include "bench/ranks.hpp"
#include "comm/agree.hpp"
#include "problem.hpp"

namespace weft::tool {
namespace {

using reshape::Piece;

/// exp(2 pi i k j / n) for any j, from two tables of about sqrt(n) roots.
class Tone {
 public:
  Tone(Index n, Index k)
      : step_(std::max<Index>(1, static_cast<Index>(std::sqrt(static_cast<double>(n))))) {
    const auto root = [&](Index j) {
      return std::conj(std::complex<double>(root_of_unity(n, multiply_mod(j % n, k, n))));
    };
    for (Index j = 0; j < step_; ++j) fine_.push_back(root(j));
    for (Index j = 0; j < n; j += step_) coarse_.push_back(root(j));
  }
  std::complex<double> operator()(Index j) const {
    return coarse_[static_cast<std::size_t>(j / step_)] *
           fine_[static_cast<std::size_t>(j % step_)];
  }

 private:
  Index step_;
  std::vector<std::complex<double>> fine_, coarse_;
};

/// The frequency of the tone along an axis of n points: neither 0 nor symmetric.
Index frequency(Index n) { return (n / 3 + 1) % n; }

/// Calls `visit(element, tone)` for every element of the pieces, `element` counted from the
/// pointer.
template <class Visit>
void for_each_element(const std::vector<Piece>& pieces, const std::vector<Index>& shape,
                      const Visit& visit) {
  std::vector<Tone> tones;
  tones.reserve(shape.size());
  for (Index n : shape) tones.emplace_back(n, frequency(n));
  const int last = static_cast<int>(shape.size()) - 1;
  const auto walk = [&](const auto& self, const Piece& piece, int d, Index element,
                        std::complex<double> value) -> void {
    const auto axis = static_cast<std::size_t>(d);
    for (Index i = piece.box.begin[axis]; i < piece.box.end[axis]; ++i) {
      const std::complex<double> here = value * tones[axis](i);
      if (d == last)
        visit(element, here);
      else
        self(self, piece, d + 1, element, here);
      element += piece.strides[axis];
    }
  };
  for (const Piece& piece : pieces) walk(walk, piece, 0, piece.offset, 1.0);
}

/// Offset of the tone's single nonzero output on this rank, in natural order; -1: it is on another
/// rank.
Index natural_place(const LocalBoxes& output, const std::vector<Index>& shape) {
  Box place;
  place.ndim = static_cast<int>(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) {
    place.begin[d] = frequency(shape[d]);
    place.end[d] = place.begin[d] + 1;
  }
  for (const Piece& piece : pieces_in_elements(output))
    if (!intersect(piece.box, place).empty()) return reshape::sub_piece(piece, place, 1).offset;
  return -1;
}

/// The position of the largest number; -1 if this rank has none or another rank has a larger one.
template <class Real>
Index place_of_largest(const Comm& comm, const std::complex<Real>* values, Index count) {
  Index place = -1;
  double largest = -1;
  for (Index i = 0; i < count; ++i)
    if (const double size = std::norm(std::complex<double>(values[i])); size > largest) {
      largest = size;
      place = i;
    }
  const std::vector<double> all = values_of_ranks(comm, largest);
  return std::ranges::max_element(all) - all.begin() == comm.rank() ? place : -1;
}

template <class Real>
double tone_error(DistributedPlan& plan, const Transform& transform, bool natural, const Comm& comm,
                  std::complex<Real>* in, std::complex<Real>* out) {
  for_each_element(
      pieces_in_elements(plan.input_boxes()), transform.shape,
      [&](Index element, std::complex<double> value) { in[element] = std::complex<Real>(value); });
  plan.execute(in, out);
  const auto points = static_cast<double>(size_of(transform).points);
  const Index place = natural ? natural_place(plan.output_boxes(), transform.shape)
                              : place_of_largest(comm, out, plan.output_count());
  double squares = 0;
  for (Index i = 0; i < plan.output_count(); ++i)
    squares += std::norm(std::complex<double>(out[i]) - (i == place ? points : 0.0));
  return std::sqrt(sum_of_ranks(comm, squares)) / points;
}

template <class Real>
double error(DistributedPlan& plan, const Transform& transform, bool natural, const Comm& comm,
             const std::complex<Real>* in, std::complex<Real>* out) {
  Transform back = transform;
  back.direction = Direction::backward;
  back.normalization = Normalization::backward;
  Buffer<std::complex<Real>> again;
  agree(comm, [&] { again = Buffer<std::complex<Real>>(plan.input_count()); });
  double round_trip = 0;
  {
    DistributedPlan inverse(back, plan.output_boxes(), plan.input_boxes(), comm,
                            DistributedOptions{.split = plan.split()});
    inverse.execute(out, again.data());
    round_trip =
        relative_difference(comm, transform.precision, again.data(), in, 2 * plan.input_count());
  }
  return round_trip + tone_error(plan, transform, natural, comm, again.data(), out);
}

}  // namespace

double order_free_error(DistributedPlan& plan, const Transform& transform, bool natural,
                        const Comm& comm, const std::byte* in, std::byte* out) {
  const auto with = [&]<class Real>(Real) {
    return error(plan, transform, natural, comm, reinterpret_cast<const std::complex<Real>*>(in),
                 reinterpret_cast<std::complex<Real>*>(out));
  };
  return transform.precision == Precision::f64 ? with(double{}) : with(float{});
}

}  // namespace weft::tool
