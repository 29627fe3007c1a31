// SPDX-License-Identifier: BSD-3-Clause
#include "bench/npb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>

#include "base/buffer.hpp"
#include "bench/ranks.hpp"
#include "comm/agree.hpp"
#include "timing.hpp"

namespace weft::tool {
namespace {

using reshape::Piece;

constexpr std::uint64_t multiplier = 1220703125;  // 5^13
constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

/// multiplier^exponent mod 2^46: 2^46 divides 2^64, so overflow does no harm.
std::uint64_t power(std::uint64_t exponent) {
  std::uint64_t result = 1;
  for (std::uint64_t square = multiplier; exponent > 0; exponent >>= 1, square *= square)
    if ((exponent & 1) != 0) result *= square;
  return result & mask;
}

}  // namespace

void npb_random(std::uint64_t seed, std::uint64_t first, std::span<double> numbers) {
  // Eight interleaved sequences, so that multiplications do not wait for each other.
  constexpr std::size_t lanes = 8;
  std::array<std::uint64_t, lanes> state;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    state[lane] = seed * power(first + lane + 1) & mask;
  const std::uint64_t step = power(lanes);
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      numbers[i + lane] = static_cast<double>(state[lane]) * 0x1p-46;
      state[lane] = state[lane] * step & mask;
    }
  for (std::size_t lane = 0; i < numbers.size(); ++i, ++lane)
    numbers[i] = static_cast<double>(state[lane]) * 0x1p-46;
}

namespace {

/// Axes 0, 1, 2 are z, y, x. The field is divided into slabs along z, or into lines along x if
/// there are more ranks than planes. The spectrum stays in the layout that the plan chooses.
class Ft {
 public:
  Ft(const NpbClass& problem, const Comm& comm, const NpbRun& options)
      : comm_(comm),
        shape_{problem.nz, problem.ny, problem.nx},
        seed_(options.seed),
        forward_options_(options.plan),
        inverse_options_(options.plan) {
    input_ = comm.size() <= problem.nz ? slabs(shape_, 0, comm.size(), comm.rank())
                                       : pencils(shape_, 2, comm.size(), comm.rank());
    inverse_options_.recipe.clear();
    make_plans();
    forward_options_.recipe = forward_->recipe();
    inverse_options_.recipe = inverse_->recipe();
    forward_options_.effort = inverse_options_.effort = Effort::estimate;  // nothing is left to try
    agree(comm, [&] {
      field_ = Buffer<std::complex<double>>(forward_->input_count());
      spectrum_ = Buffer<std::complex<double>>(forward_->output_count());
    });
    field_pieces_ = pieces_in_elements(input_);
    spectrum_pieces_ = pieces_in_elements(forward_->output_boxes());
  }

  /// Builds tables and buffers. The recipes were chosen in the constructor, as NPB chooses its
  /// layout before it starts the clock.
  void make_plans() {
    forward_ =
        std::make_unique<DistributedPlan>(c2c(shape_), input_, any_order, comm_, forward_options_);
    inverse_ = std::make_unique<DistributedPlan>(c2c(shape_, {.direction = Direction::backward}),
                                                 forward_->output_boxes(), input_, comm_,
                                                 inverse_options_);
  }

  void drop_plans() {
    inverse_.reset();
    forward_.reset();
  }

  /// Computes three things. The field: two random numbers per point, in the order of the points.
  /// The factors by which one time step multiplies the spectrum, exp(-4 pi^2 alpha (kx^2 + ky^2 +
  /// kz^2)), as a product over the axes. And the offsets of this rank's points of the checksum: (j,
  /// 3j, 5j), j = 1 ... 1024.
  void make_initial_conditions() {
    constexpr double alpha = 1e-6, pi = std::numbers::pi;
    for (std::size_t d = 0; d < 3; ++d) {
      const Index n = shape_[d], half = n / 2;
      factors_[d].resize(static_cast<std::size_t>(n));
      for (Index i = 0; i < n; ++i) {
        const auto k = static_cast<double>((i + half) % n - half);
        factors_[d][static_cast<std::size_t>(i)] = std::exp(-4 * alpha * pi * pi * k * k);
      }
    }
    for (const Piece& piece : field_pieces_)
      for (Index z = piece.box.begin[0]; z < piece.box.end[0]; ++z)
        for (Index y = piece.box.begin[1]; y < piece.box.end[1]; ++y) {
          const Index point = (z * shape_[1] + y) * shape_[2];
          std::complex<double>* line = field_.data() + piece.offset +
                                       (z - piece.box.begin[0]) * piece.strides[0] +
                                       (y - piece.box.begin[1]) * piece.strides[1];
          npb_random(seed_, static_cast<std::uint64_t>(2 * point),
                     {reinterpret_cast<double*>(line), static_cast<std::size_t>(2 * shape_[2])});
        }
    checksum_places_.clear();
    for (Index j = 1; j <= 1024; ++j) {
      const Index z = 5 * j % shape_[0], y = 3 * j % shape_[1], x = j % shape_[2];
      const Box point({z, y, x}, {z + 1, y + 1, x + 1});
      for (const Piece& piece : field_pieces_)
        if (!intersect(piece.box, point).empty())
          checksum_places_.push_back(reshape::sub_piece(piece, point, 1).offset);
    }
  }

  void transform() { forward_->execute(field_.data(), spectrum_.data()); }
  void transform_back() { inverse_->execute(spectrum_.data(), field_.data()); }

  /// One time step, for any layout of the spectrum.
  void evolve() {
    for (const Piece& piece : spectrum_pieces_) {
      std::array<std::size_t, 3> axes = {0, 1, 2};
      std::ranges::sort(axes, std::greater(), [&](std::size_t d) { return piece.strides[d]; });
      const auto [slow, middle, fast] = axes;
      const Box& box = piece.box;
      const Index stride = piece.strides[fast], count = box.end[fast] - box.begin[fast];
      const double* along = factors_[fast].data() + box.begin[fast];
      for (Index i = box.begin[slow]; i < box.end[slow]; ++i)
        for (Index j = box.begin[middle]; j < box.end[middle]; ++j) {
          const double factor = factors_[slow][static_cast<std::size_t>(i)] *
                                factors_[middle][static_cast<std::size_t>(j)];
          std::complex<double>* line = spectrum_.data() + piece.offset +
                                       (i - box.begin[slow]) * piece.strides[slow] +
                                       (j - box.begin[middle]) * piece.strides[middle];
          for (Index k = 0; k < count; ++k) line[k * stride] *= factor * along[k];
        }
    }
  }

  /// Collective.
  std::complex<double> checksum() const {
    std::complex<double> mine = 0;
    for (const Index place : checksum_places_) mine += field_[place];
    std::complex<double> sum = 0;
    for (const std::complex<double>& part : values_of_ranks(comm_, mine)) sum += part;
    return sum / static_cast<double>(shape_[0] * shape_[1] * shape_[2]);
  }

  std::string recipe() const { return forward_->recipe(); }
  Index array_bytes() const { return (field_.size() + spectrum_.size()) * point_bytes; }
  Index workspace_bytes() const {
    return forward_->cost().workspace_bytes + inverse_->cost().workspace_bytes;
  }

 private:
  const Comm& comm_;
  std::vector<Index> shape_;
  std::uint64_t seed_;
  DistributedOptions forward_options_, inverse_options_;
  LocalBoxes input_;
  std::unique_ptr<DistributedPlan> forward_, inverse_;
  Buffer<std::complex<double>> field_, spectrum_;
  std::vector<Piece> field_pieces_, spectrum_pieces_;
  std::array<std::vector<double>, 3> factors_;
  std::vector<Index> checksum_places_;
};

/// Adds the time of a call to `seconds`.
template <class Call>
void timed(double& seconds, const Call& call) {
  const Stopwatch watch;
  call();
  seconds += watch.seconds();
}

}  // namespace

NpbResult run_npb(const NpbClass& problem, const Comm& comm, const NpbRun& options) {
  // Field, spectrum, and a buffer for each direction.
  const Index share = (problem.points() + comm.size() - 1) / comm.size();
  require_memory(comm, 4 * share * point_bytes, fmt::format("class {}", problem.name),
                 "choose a smaller class, or use more nodes");
  Ft ft(problem, comm, options);
  ft.make_initial_conditions();
  ft.transform();  // once before the clock starts, as NPB does, so that all arrays have been
                   // touched
  ft.drop_plans();

  NpbResult result;
  NpbTimes mine;
  comm.barrier();
  timed(mine.total_s, [&] {
    timed(mine.initial_s, [&] { ft.make_initial_conditions(); });
    timed(mine.plans_s, [&] { ft.make_plans(); });
    timed(mine.transforms_s, [&] { ft.transform(); });
    for (int iteration = 1; iteration <= problem.iterations(); ++iteration) {
      timed(mine.evolve_s, [&] { ft.evolve(); });
      timed(mine.transforms_s, [&] { ft.transform_back(); });
      timed(mine.checksums_s, [&] { result.checksums.push_back(ft.checksum()); });
      if (options.on_checksum) options.on_checksum(iteration, result.checksums.back());
    }
  });
  for (double NpbTimes::* part :
       {&NpbTimes::total_s, &NpbTimes::initial_s, &NpbTimes::plans_s, &NpbTimes::transforms_s,
        &NpbTimes::evolve_s, &NpbTimes::checksums_s})
    result.times.*part = largest_of_ranks(comm, mine.*part);
  result.recipe = ft.recipe();
  result.array_bytes = largest_of_ranks(comm, ft.array_bytes());
  result.workspace_bytes = largest_of_ranks(comm, ft.workspace_bytes());
  return result;
}

}  // namespace weft::tool
