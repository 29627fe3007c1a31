// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes the text of distributed recipes. Input, one per line: a transform (see small_transform),
// the ranks with their boxes ("3 slabs0 pencils1": 3 ranks, input in slabs of axis 0, output in
// pencils of axis 1), and a recipe. A recipe that is accepted must compute the transform; the ranks
// are threads.
#include <array>
#include <optional>

#include "fuzz/target.hpp"
#include "weft/distributed.hpp"

namespace weft::fuzz {
namespace {

constexpr int most_ranks = 4;

/// One side's boxes: "slabs0", "pencils1", "bricks".
struct Boxes {
  std::string_view way;
  int axis = 0;

  LocalBoxes of(const std::vector<Index>& shape, int ranks, int rank) const {
    if (way == "bricks") return bricks(shape, balanced_grid(shape, ranks), rank);
    return way == "slabs" ? slabs(shape, axis, ranks, rank) : pencils(shape, axis, ranks, rank);
  }
};

std::optional<Boxes> parse_boxes(std::string_view word, std::size_t ndim) {
  if (word == "bricks") return Boxes{word};
  for (const std::string_view way : {"slabs", "pencils"}) {
    if (!word.starts_with(way) || word.size() != way.size() + 1) continue;
    const int axis = word.back() - '0';
    if (axis >= 0 && axis < static_cast<int>(ndim)) return Boxes{way, axis};
  }
  return std::nullopt;
}

struct Distribution {
  int ranks;
  Boxes input, output;
};

std::optional<Distribution> parse_distribution(std::string_view line, std::size_t ndim) {
  if (line.size() < 4 || line[0] < '1' || line[0] > '0' + most_ranks || line[1] != ' ')
    return std::nullopt;
  const std::size_t gap = line.find(' ', 2);
  if (gap == std::string_view::npos) return std::nullopt;
  const auto input = parse_boxes(line.substr(2, gap - 2), ndim);
  const auto output = parse_boxes(line.substr(gap + 1), ndim);
  if (!input || !output) return std::nullopt;
  return Distribution{line[0] - '0', *input, *output};
}

/// visit(position in the array, position in the rank's memory) for a dense row-major box.
template <class Visit>
void walk(const LocalBoxes& boxes, const std::vector<Index>& shape, Visit visit) {
  Index local = 0;
  for (const LocalBox& piece : boxes) {
    const Box& box = piece.box;
    const Index count = box.count();
    for (Index i = 0; i < count; ++i, ++local) {
      Index rest = i, position = 0, stride = 1;
      for (std::size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
        const Index extent = box.extent(static_cast<int>(d));
        position += (box.begin[d] + rest % extent) * stride;
        rest /= extent;
      }
      visit(static_cast<std::size_t>(position), static_cast<std::size_t>(local));
    }
  }
}

template <class T>
T element_of(const test::LongComplex& value) {
  using Real = decltype(std::abs(T{}));
  if constexpr (ScalarTraits<T>::is_complex)
    return {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
  else
    return static_cast<Real>(value.real());
}

/// On every rank; false when the recipe is refused.
template <class In, class Out>
bool run_rank(const Transform& transform, const Distribution& where, const std::string& recipe,
              const Comm& comm, const test::Field& input, test::Field& output) {
  const LocalBoxes from = where.input.of(input.shape, where.ranks, comm.rank());
  const LocalBoxes to = where.output.of(output.shape, where.ranks, comm.rank());
  std::optional<DistributedPlan> plan;
  try {
    plan.emplace(transform, from, to, comm,
                 DistributedOptions{.use_wisdom = false, .recipe = recipe});
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) fail("internal error: " + std::string(error.what()));
    return false;
  }
  std::vector<In> x(static_cast<std::size_t>(plan->input_count()));
  std::vector<Out> y(static_cast<std::size_t>(plan->output_count()));
  walk(from, input.shape,
       [&](std::size_t i, std::size_t j) { x[j] = element_of<In>(input.values[i]); });
  plan->execute(x.data(), y.data());
  walk(to, output.shape, [&](std::size_t i, std::size_t j) {
    output.values[i] = test::LongComplex(std::complex<double>(y[j]));
  });
  return true;
}

template <class In, class Out>
void run_ranks(const Transform& transform, const Distribution& where, const std::string& recipe) {
  const test::Field input = input_for(transform);
  std::vector<Index> shape = transform.shape;
  Index& last = shape[static_cast<std::size_t>(transform.axes.back())];
  if (transform.kind == Kind::r2c) last = last / 2 + 1;
  test::Field output(shape);
  std::array<bool, most_ranks> accepted{};
  run_as_threads(where.ranks, [&](const Comm& comm) {
    accepted[static_cast<std::size_t>(comm.rank())] =
        run_rank<In, Out>(transform, where, recipe, comm, input, output);
  });
  for (int rank = 1; rank < where.ranks; ++rank)
    if (accepted[static_cast<std::size_t>(rank)] != accepted[0])
      fail("'" + recipe + "' was refused on some ranks only");
  if (accepted[0]) check_output(transform, input, output, recipe);
}

template <class Real>
void run_precision(const Transform& transform, const Distribution& where,
                   const std::string& recipe) {
  using Complex = std::complex<Real>;
  switch (transform.kind) {
    case Kind::c2c: return run_ranks<Complex, Complex>(transform, where, recipe);
    case Kind::r2c: return run_ranks<Real, Complex>(transform, where, recipe);
    case Kind::c2r: return run_ranks<Complex, Real>(transform, where, recipe);
    case Kind::r2r: return run_ranks<Real, Real>(transform, where, recipe);
  }
}

void check_distributed(std::string_view text) {
  const auto [first, rest] = first_line(text);
  const auto [second, recipe] = first_line(rest);
  const auto transform = small_transform(first);
  if (!transform || recipe.empty()) return;
  const auto where = parse_distribution(second, transform->shape.size());
  if (!where) return;
  if (transform->precision == Precision::f64)
    run_precision<double>(*transform, *where, std::string(recipe));
  else
    run_precision<float>(*transform, *where, std::string(recipe));
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_distributed(weft::fuzz::text_of(data, size));
  return 0;
}
