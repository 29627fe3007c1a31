// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_rank_operators.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/names.hpp"
#include "gpu_rank_cases.hpp"
#include "gpu_rank_data.hpp"
#include "gpu_test_data.hpp"
#include "text.hpp"
#include "weft/spectral_distributed.hpp"
#include "weft/spectral_expression.hpp"
#include "weft/spectral_functions.hpp"

namespace weft::tool {
namespace {

struct Case {
  Transform forward;
  std::string name;  ///< of the function and of the boxes
  ModeFunction function;
  Cut input, output;
  ExchangeAlgorithm exchange = ExchangeAlgorithm::automatic;

  std::string description() const {
    return fmt::format("{} {} {} {}", to_string(forward.kind), to_string(forward.precision),
                       shape_text(forward.shape), name);
  }
};

std::vector<Case> cases() {
  using namespace spectral;
  const ModeFunction uneven = expression(
      "(1 + 0.5*cos(kx) + 0.25*exp(-ky^2/900)*where(ky < 3, 1, 0.5) + kz^2/(20 + k2) + "
      "0.02*dx)*u0");
  const auto along = [](int axis) {
    return
        [axis](const auto& shape, int ranks, int rank) { return slabs(shape, axis, ranks, rank); };
  };
  const Cut blocks = [](const auto& shape, int ranks, int rank) {
    return bricks(shape, balanced_grid(shape, ranks), rank);
  };
  std::vector<Case> all;
  for (const Kind kind : {Kind::c2c, Kind::r2c})
    for (const Precision p : {Precision::f32, Precision::f64}) {
      const auto add = [&](const std::vector<Index>& shape, const char* name,
                           const ModeFunction& function, const Cut& input, const Cut& output,
                           ExchangeAlgorithm exchange = ExchangeAlgorithm::automatic) {
        const TransformOptions options{.precision = p};
        all.push_back({kind == Kind::c2c ? c2c(shape, options) : r2c(shape, options), name,
                       function, input, output, exchange});
      };
      add({64, 64, 64}, "uneven, slabs", uneven, along(0), along(0));
      add({64, 64, 64}, "uneven, slabs, staged", uneven, along(0), along(0),
          ExchangeAlgorithm::staged);
      add({96, 60, 50}, "uneven, slabs to slabs", uneven, along(0), along(1));
      add({37, 20, 97}, "uneven, bricks", uneven, blocks, blocks);
      add({128, 96, 80}, "gaussian, slabs", gaussian_filter(0.05), along(0), along(0));
      add({30, 40, 50}, "curl, slabs", curl(), along(0), along(0));
      add({64, 64, 64}, "projection, bricks to slabs", projection(3), blocks, along(0));
      add({48, 32, 64}, "gradient, slabs", gradient(3), along(0), along(0));
      add({48, 32, 64}, "divergence, slabs", divergence(3), along(1), along(0));
    }
  return all;
}

/// All fields one after another, in one array.
template <class T>
std::vector<T*> fields_of(T* first, int count, Index points) {
  std::vector<T*> fields;
  for (int f = 0; f < count; ++f) fields.push_back(first + f * points);
  return fields;
}

/// The outputs of all fields on one rank, in f64 on the CPU.
template <class T>
std::vector<double> on_cpu(const Case& c, const std::vector<double>& in, Index points) {
  Transform wide = c.forward;
  wide.precision = Precision::f64;
  const SpectralOperator op(wide, c.function);
  using Wide = std::conditional_t<ScalarTraits<T>::is_complex, std::complex<double>, double>;
  std::vector<double> out(static_cast<std::size_t>(c.function.outputs() * points) * sizeof(Wide) /
                          sizeof(double));
  const auto from =
      fields_of(reinterpret_cast<const Wide*>(in.data()), c.function.inputs(), points);
  const auto to = fields_of(reinterpret_cast<Wide*>(out.data()), c.function.outputs(), points);
  Workspace workspace = op.make_workspace();
  op.execute(std::span<const Wide* const>(from), std::span<Wide* const>(to), workspace);
  return out;
}

/// A rank's part of several fields of `points` elements each, one after another.
std::vector<double> picked_fields(const LocalBoxes& boxes, const std::vector<double>& fields,
                                  const Case& c, std::size_t reals, int width) {
  std::vector<double> all;
  for (std::size_t first = 0; first < fields.size(); first += reals) {
    const std::vector<double> whole(fields.begin() + static_cast<std::ptrdiff_t>(first),
                                    fields.begin() + static_cast<std::ptrdiff_t>(first + reals));
    const std::vector<double> mine = picked(boxes, whole, c.forward.shape, width);
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

/// Collective. The larger error of this rank's part, in arrays of its own and in place.
template <class T>
double error_of(const Case& c, const Comm& comm, std::string& explanation) {
  constexpr int width = ScalarTraits<T>::is_complex ? 2 : 1;
  const Precision p = c.forward.precision;
  Index points = 1;
  for (const Index n : c.forward.shape) points *= n;
  const auto reals = static_cast<std::size_t>(points * width);
  const std::vector<double> in =
      widened(narrowed(random_reals(reals * static_cast<std::size_t>(c.function.inputs())), p), p);
  const LocalBoxes from = c.input(c.forward.shape, comm.size(), comm.rank());
  const LocalBoxes to = c.output(c.forward.shape, comm.size(), comm.rank());
  const std::vector<double> wanted = picked_fields(to, on_cpu<T>(c, in, points), c, reals, width);
  const std::vector<char> mine = narrowed(picked_fields(from, in, c, reals, width), p);
  const RankStream stream(comm);
  DistributedOperator op(
      c.forward, c.function, from, to, comm,
      {.plan = {.device = stream.device(), .exchange = c.exchange}, .lengths = {}});
  explanation = op.explain();
  const std::size_t result_bytes = narrowed(wanted, p).size();
  const gpu::DeviceMemory a(std::max({std::size_t{16}, mine.size(), result_bytes})), b(a.bytes());
  double error = 0;
  for (const gpu::DeviceMemory* target : {&b, &a}) {
    const bool may_be_in_place = op.input_count() == op.output_count();
    if (target == &a && worst(may_be_in_place ? 0 : 1, comm) > 0) continue;
    copy_in(a, mine);
    const auto sources =
        fields_of(static_cast<const T*>(a.data()), c.function.inputs(), op.input_count());
    const auto targets =
        fields_of(static_cast<T*>(target->data()), c.function.outputs(), op.output_count());
    op.execute(std::span<const T* const>(sources), std::span<T* const>(targets));
    stream.synchronize();
    error = std::max(error, error_between(widened(copy_out(*target, result_bytes), p), wanted));
  }
  return error;
}

double error_of(const Case& c, const Comm& comm, std::string& explanation) {
  const bool is_f32 = c.forward.precision == Precision::f32;
  if (c.forward.kind == Kind::c2c)
    return is_f32 ? error_of<std::complex<float>>(c, comm, explanation)
                  : error_of<std::complex<double>>(c, comm, explanation);
  return is_f32 ? error_of<float>(c, comm, explanation) : error_of<double>(c, comm, explanation);
}

}  // namespace

RankTests test_rank_operators(const Comm& comm, bool is_verbose, const std::string& filter) {
  RankTests tests;
  for (const Case& c : cases()) {
    if (c.description().find(filter) == std::string::npos) continue;
    ++tests.count;
    double mine = 1;
    std::string failure, explanation;
    try {
      mine = error_of(c, comm, explanation);
    } catch (const Error& error) {
      failure = error.what();
    }
    const double error = worst(failure.empty() ? mine : 1, comm);
    // Two transforms and a function of them.
    const bool is_good = error <= 3 * allowed_error(c.forward.precision);
    if (!is_good) ++tests.failures;
    if (comm.rank() == 0 && (!is_good || is_verbose))
      fmt::print("{} {} ranks operator {}: error {:.2e} {}\n{}", is_good ? "ok" : "FAILED",
                 comm.size(), c.description(), error, failure, explanation);
  }
  return tests;
}

RankTests test_rank_operators_as_threads(int ranks, bool is_verbose, const std::string& filter) {
  RankTests tests;
  run_as_threads(ranks, [&](const Comm& comm) {
    const RankTests mine = test_rank_operators(comm, is_verbose, filter);
    if (comm.rank() == 0) tests = mine;
  });
  return tests;
}

}  // namespace weft::tool
