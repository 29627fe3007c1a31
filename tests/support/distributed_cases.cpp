// SPDX-License-Identifier: BSD-3-Clause
#include "support/distributed_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <random>

#include "support/case_memory.hpp"
#include "support/counting_comm.hpp"
#include "support/oracle.hpp"
#include "support/random_boxes.hpp"

namespace weft::test {
namespace {

Transform random_transform(Twister& random) {
  Transform t;
  const int ndim = pick(random, 1, 100) <= 60 ? 3 : pick(random, 1, 5);
  const Index largest = ndim >= 4 ? 6 : ndim == 3 ? 12 : 40;
  for (int d = 0; d < ndim; ++d) t.shape.push_back(pick(random, 1, static_cast<int>(largest)));
  t.kind = static_cast<Kind>(pick(random, 0, 3));
  t.precision = chance(random, 15)   ? Precision::f16
                : chance(random, 40) ? Precision::f32
                                     : Precision::f64;
  for (int d = 0; d < ndim; ++d)
    if (chance(random, 80)) t.axes.push_back(d);
  if (t.axes.empty()) t.axes.push_back(pick(random, 0, ndim - 1));
  std::shuffle(t.axes.begin(), t.axes.end(), random);
  t.direction = t.kind == Kind::c2r || (t.kind != Kind::r2c && chance(random, 50))
                    ? Direction::backward
                    : Direction::forward;
  t.normalization = static_cast<Normalization>(pick(random, 0, 3));
  if (t.precision == Precision::f16)
    t.normalization = Normalization::ortho;  // f16 numbers end at 65504
  if (t.kind == Kind::r2r)
    for (int axis : t.axes) {
      const bool is_short = t.shape[static_cast<std::size_t>(axis)] < 2;
      t.r2r.push_back(is_short ? R2r::dht : static_cast<R2r>(pick(random, 0, 10)));
    }
  t.orthogonalize = t.kind == Kind::r2r && chance(random, 40);
  return t;
}

/// An element (p, q) in split order: it is point p + rows q of the axis. Beyond the end of a half
/// spectrum it is the conjugate of the point given in `global`.
struct Point {
  Index global, local;
  bool conjugate;
};
std::vector<Point> split_points(const LocalBoxes& boxes, const std::vector<Index>& shape,
                                const LineSplit& split) {
  std::vector<Point> points;
  for (const reshape::Piece& piece : reshape::pieces_of(boxes, reshape::Memory::input, 1)) {
    const auto axis = static_cast<std::size_t>(split.axis);
    std::vector<Index> i(piece.box.begin.begin(), piece.box.begin.begin() + piece.box.ndim);
    const Index count = piece.box.count();
    for (Index n = 0; n < count; ++n) {
      Index local = piece.offset, global = 0;
      for (std::size_t d = 0; d < i.size(); ++d)
        local += (i[d] - piece.box.begin[d]) * piece.strides[d];
      Index k = i[axis] + split.rows * i[axis + 1];
      const bool beyond = k >= shape[axis];
      if (beyond) k = split.rows * split.columns - k;
      for (std::size_t d = 0; d < shape.size(); ++d)
        global = global * shape[d] + (d < axis ? i[d] : d == axis ? k : i[d + 1]);
      points.push_back({global, local, beyond});
      for (std::size_t d = i.size(); d-- > 0;) {
        if (++i[d] < piece.box.end[d]) break;
        i[d] = piece.box.begin[d];
      }
    }
  }
  return points;
}

}  // namespace

void DistributedCase::Reference::compute(const Transform& t) {
  std::call_once(once, [&] {
    const Side in_side = side_of(t, true), out_side = side_of(t, false);
    const auto count = [](const Side& s) {
      return std::accumulate(s.shape.begin(), s.shape.end(), Index{s.width}, std::multiplies<>());
    };
    Reals in(t.precision, count(in_side));  // the numbers as they are stored
    Field field(in_side.shape);
    for (Index i = 0; i < in.count(); ++i) {
      const auto part = static_cast<int>(i % in_side.width);
      in.set(i, value_at(i / in_side.width, part));
      LongComplex& value = field.values[static_cast<std::size_t>(i / in_side.width)];
      value += part == 0 ? LongComplex(in.get(i)) : LongComplex(0, in.get(i));
    }
    for (const LongComplex& value : expected(t, field).values) {
      output.push_back(static_cast<double>(value.real()));
      if (out_side.width == 2) output.push_back(static_cast<double>(value.imag()));
      norm += static_cast<double>(std::norm(value));
    }
    norm = std::sqrt(norm / static_cast<double>(output.size()));
  });
}

namespace {

/// Makes everything except the transform.
DistributedCase random_ranks(Twister& random, const Transform& transform, int ranks) {
  DistributedCase c;
  c.transform = transform;
  c.reference = std::make_shared<DistributedCase::Reference>();
  const int count = ranks > 0 ? ranks : pick(random, 1, 8);
  const int per_node = chance(random, 60) ? count : pick(random, 1, 3);
  for (int rank = 0; rank < count; ++rank) c.nodes.push_back(rank / per_node);
  const bool one_node = c.nodes.back() == 0;
  c.input = random_boxes(random, side_of(c.transform, true).shape, count, false);
  c.output = random_boxes(random, side_of(c.transform, false).shape, count, chance(random, 15));
  c.any_order = chance(random, 15);
  c.asynchronous = chance(random, 30);
  int exchange = pick(random, 0, 6);
  if (exchange == 5 && !one_node) exchange = 6;
  c.options.exchange = static_cast<ExchangeAlgorithm>(exchange);
  c.options.chunks = pick(random, 1, 5);
  c.options.reproducible = chance(random, 25);
  c.options.threads = chance(random, 20) ? 2 : 1;
  c.options.use_wisdom = false;
  c.name = std::to_string(count) + " ranks, kind " +
           std::to_string(static_cast<int>(c.transform.kind)) + ", exchange " +
           std::to_string(exchange) + ", shape";
  for (Index n : c.transform.shape) c.name += " " + std::to_string(n);
  c.name += ", axes";
  for (int axis : c.transform.axes) c.name += " " + std::to_string(axis);
  return c;
}

}  // namespace

DistributedCase random_case(int seed, int ranks) {
  Twister random(static_cast<unsigned>(seed) * 7919U + 17U);
  const Transform transform = random_transform(random);
  return random_ranks(random, transform, ranks);
}

DistributedCase random_layouts(const Transform& transform, int seed, int ranks) {
  Twister random(static_cast<unsigned>(seed) * 6007U + 3U);
  DistributedCase c = random_ranks(random, transform, ranks);
  c.options.in_place = !c.any_order && chance(random, 20);
  return c;
}

DistributedCase random_extents_case(int seed, int ranks) {
  Twister random(static_cast<unsigned>(seed) * 15485863U + 11U);
  Transform t = random_transform(random);
  const bool is_halved = t.kind == Kind::r2c || t.kind == Kind::c2r;
  t.modes = chance(random, 50) ? Modes::around_zero : Modes::first;
  t.spectrum = is_halved && chance(random, 40) ? Spectrum::full : Spectrum::half;
  const auto kept = [&](bool is_input) {
    std::vector<Index> extents = side_of(t, is_input).shape;
    if (t.spectrum == Spectrum::full && t.kind == (is_input ? Kind::c2r : Kind::r2c))
      return extents;
    for (const int axis : t.axes) {
      Index& n = extents[static_cast<std::size_t>(axis)];
      if (chance(random, 60)) n = pick(random, 1, static_cast<int>(n));
    }
    return extents;
  };
  const std::vector<Index> in = kept(true), out = kept(false);
  if (chance(random, 75)) t.input_extents = in;
  if (chance(random, 75)) t.output_extents = out;
  DistributedCase c = random_ranks(random, t, ranks);
  c.name += ", extents";
  for (const bool is_input : {true, false}) {
    for (Index n : side_of(t, is_input).shape) c.name += " " + std::to_string(n);
    if (is_input) c.name += " to";
  }
  return c;
}

DistributedCase random_line_case(int seed, int ranks) {
  Twister random(static_cast<unsigned>(seed) * 104729U + 5U);
  DistributedCase c = random_case(seed, ranks);
  Transform& t = c.transform;
  const int count = static_cast<int>(c.nodes.size());
  static constexpr Index lengths[] = {64, 97, 100, 256, 360, 509, 512, 720, 1000, 1021, 1024, 2310};
  const Index n = chance(random, 50) ? lengths[random() % std::size(lengths)]
                                     : pick(random, 1, chance(random, 50) ? 40 : 1200);
  t.shape = {n};
  t.axes = {0};
  if (chance(random, 30)) {
    const int axis = pick(random, 0, 1);
    t.shape.insert(t.shape.begin() + (1 - axis), pick(random, 1, 5));
    t.axes = {axis};
  }
  t.kind = static_cast<Kind>(pick(random, 0, 2));
  t.precision = chance(random, 40) ? Precision::f32 : Precision::f64;
  t.direction = t.kind == Kind::c2r || (t.kind == Kind::c2c && chance(random, 50))
                    ? Direction::backward
                    : Direction::forward;
  t.normalization = static_cast<Normalization>(pick(random, 0, 3));
  t.r2r.clear();
  t.orthogonalize = false;
  c.input = random_boxes(random, side_of(t, true).shape, count, false);
  c.output = random_boxes(random, side_of(t, false).shape, count, chance(random, 15));
  c.any_order = chance(random, 40);
  c.options.reproducible = false;
  c.options.strategy = n > 3 && count > 1 ? Strategy::line : Strategy::automatic;
  c.name = "line: " + std::to_string(count) + " ranks, kind " +
           std::to_string(static_cast<int>(t.kind)) + ", exchange " +
           std::to_string(static_cast<int>(c.options.exchange)) + ", shape";
  for (Index extent : t.shape) c.name += " " + std::to_string(extent);
  c.name += ", axis " + std::to_string(t.axes[0]);
  return c;
}

namespace {

/// Transforms back from split order and expects the input, times `points` if nothing was scaled.
void run_back(const DistributedCase& c, const DistributedPlan& plan, const Comm& comm,
              const Reals& out, const Reals& in, double tolerance) {
  Transform t = c.transform;
  t.kind = t.kind == Kind::r2c ? Kind::c2r : Kind::c2c;
  t.direction = t.direction == Direction::forward ? Direction::backward : Direction::forward;
  t.normalization = Normalization::none;
  const auto rank = static_cast<std::size_t>(comm.rank());
  DistributedOptions options = c.options;
  options.split = plan.split();
  DistributedPlan back(t, plan.output_boxes(), c.input[rank], comm, options);
  EXPECT_EQ(back.split(), plan.split());
  Reals again = in;
  with_types(t, [&]<class In, class Out>(In, Out) {
    back.execute(reinterpret_cast<const In*>(out.bytes.data()),
                 reinterpret_cast<Out*>(again.bytes.data()));
  });
  const Side side = side_of(c.transform, true);
  const double points = static_cast<double>(t.shape[static_cast<std::size_t>(c.transform.axes[0])]);
  const bool scaled = c.transform.normalization == Normalization::forward
                          ? c.transform.direction == Direction::forward
                          : c.transform.normalization == Normalization::backward &&
                                c.transform.direction == Direction::backward;
  const double factor = c.transform.normalization == Normalization::ortho ? std::sqrt(points)
                        : scaled                                          ? 1.0
                                                                          : points;
  Index wrong = 0;
  for_each(c.input[rank], side.shape, [&](Index, Index local) {
    for (int part = 0; part < side.width; ++part) {
      const Index i = local * side.width + part;
      if (!(std::abs(again.get(i) / factor - in.get(i)) <= tolerance)) ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0) << "wrong numbers on the way back on rank " << rank << "; " << back.recipe();
}

DistributedPlan plan_of(const DistributedCase& c, const Comm& comm,
                        const DistributedOptions& options) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  if (c.any_order) return {c.transform, c.input[rank], any_order, comm, options};
  return {c.transform, c.input[rank], c.output[rank], comm, options};
}

/// Builds the plan from the text that it prints: the same text, boxes and bits.
void run_from_text(const DistributedCase& c, const DistributedPlan& plan, const Comm& comm,
                   const Reals& in, const Reals& out) {
  DistributedOptions options = c.options;
  options.recipe = plan.recipe();
  DistributedPlan again = plan_of(c, comm, options);
  EXPECT_EQ(again.recipe(), plan.recipe());
  EXPECT_EQ(again.split(), plan.split()) << plan.recipe();
  EXPECT_EQ(again.cost().messages, plan.cost().messages) << plan.recipe();
  Reals result(c.transform.precision, again.output_count() * side_of(c.transform, false).width);
  with_types(c.transform, [&]<class In, class Out>(In, Out) {
    again.execute(reinterpret_cast<const In*>(in.bytes.data()),
                  reinterpret_cast<Out*>(result.bytes.data()));
  });
  EXPECT_TRUE(result.bytes == out.bytes)
      << "other bits on rank " << comm.rank() << " from its text " << plan.recipe();
}

}  // namespace

void run_case(const DistributedCase& c, const Comm& comm) {
  c.reference->compute(c.transform);
  const auto rank = static_cast<std::size_t>(comm.rank());
  const Side in_side = side_of(c.transform, true), out_side = side_of(c.transform, false);
  const auto counts = std::make_shared<Counts>();
  const CountingComm counting(comm.duplicate(), counts);
  DistributedPlan plan = plan_of(c, counting, c.options);
  Reals in(c.transform.precision, plan.input_count() * in_side.width);
  Reals out(c.transform.precision, plan.output_count() * out_side.width);
  for_each(c.input[rank], in_side.shape, [&](Index global, Index local) {
    for (int part = 0; part < in_side.width; ++part)
      in.set(local * in_side.width + part, value_at(global, part));
  });
  const std::vector<std::byte> in_before = in.bytes;
  *counts = {};
  with_types(c.transform, [&]<class In, class Out>(In, Out) {
    const auto* from = reinterpret_cast<const In*>(in.bytes.data());
    auto* to = reinterpret_cast<Out*>(out.bytes.data());
    if (c.asynchronous) {
      plan.start(from, to);
      while (!plan.test()) std::this_thread::yield();
    } else {
      plan.execute(from, to);
    }
  });
  EXPECT_EQ(counts->messages, plan.cost().messages) << plan.recipe();
  EXPECT_EQ(counts->bytes, plan.cost().message_bytes) << plan.recipe();
  EXPECT_EQ(in.bytes, in_before) << "the input was changed; " << plan.recipe();

  const double eps = c.transform.precision == Precision::f64   ? 2.3e-16
                     : c.transform.precision == Precision::f32 ? 1.2e-7
                                                               : 2.5e-4;
  const double tolerance = 40 * eps * (c.reference->norm + 1e-30) + 1e-30;
  std::vector<bool> touched(static_cast<std::size_t>(out.count()), false);
  Index wrong = 0;
  const auto compare = [&](Index global, Index local, bool conjugate) {
    for (int part = 0; part < out_side.width; ++part) {
      const Index i = local * out_side.width + part;
      touched[static_cast<std::size_t>(i)] = true;
      double wanted = c.reference->output[static_cast<std::size_t>(global * out_side.width + part)];
      if (conjugate && part == 1) wanted = -wanted;
      if (!(std::abs(out.get(i) - wanted) <= tolerance)) ++wrong;
    }
  };
  if (const auto split = plan.split())
    for (const Point& point : split_points(plan.output_boxes(), out_side.shape, *split))
      compare(point.global, point.local, point.conjugate);
  else
    for_each(plan.output_boxes(), out_side.shape,
             [&](Index global, Index local) { compare(global, local, false); });
  EXPECT_EQ(wrong, 0) << "wrong numbers on rank " << rank << "; " << plan.recipe();
  const auto real = static_cast<std::size_t>(Reals::size_of(c.transform.precision));
  Index overwritten = 0;
  for (std::size_t i = 0; i < touched.size(); ++i)
    for (std::size_t b = 0; !touched[i] && b < real; ++b)
      overwritten += out.bytes[i * real + b] != std::byte{0x7B};
  EXPECT_EQ(overwritten, 0) << "margins were overwritten; " << plan.recipe();
  if (plan.split()) run_back(c, plan, counting, out, in, 100 * eps);
  run_from_text(c, plan, counting, in, out);
}

std::map<Index, double> results(const DistributedCase& c, const Comm& comm,
                                const std::optional<PlantedValue>& planted) {
  const auto rank = static_cast<std::size_t>(comm.rank());
  const Side in_side = side_of(c.transform, true), out_side = side_of(c.transform, false);
  DistributedPlan plan = plan_of(c, comm, c.options);
  const Index in_reals = plan.input_count() * in_side.width;
  const Index out_reals = plan.output_count() * out_side.width;
  Reals in(c.transform.precision, c.options.in_place ? std::max(in_reals, out_reals) : in_reals);
  Reals out(c.transform.precision, out_reals);
  for_each(c.input[rank], in_side.shape, [&](Index global, Index local) {
    for (int part = 0; part < in_side.width; ++part) {
      const bool is_planted = planted && planted->real == global * in_side.width + part;
      in.set(local * in_side.width + part, is_planted ? planted->value : value_at(global, part));
    }
  });
  const Reals& result = c.options.in_place ? in : out;
  with_types(c.transform, [&]<class In, class Out>(In, Out) {
    plan.execute(reinterpret_cast<const In*>(in.bytes.data()),
                 reinterpret_cast<Out*>(const_cast<std::byte*>(result.bytes.data())));
  });
  std::map<Index, double> values;
  for_each(plan.output_boxes(), out_side.shape, [&](Index global, Index local) {
    for (int part = 0; part < out_side.width; ++part)
      values[global * out_side.width + part] = result.get(local * out_side.width + part);
  });
  return values;
}

namespace {

/// The transform of the batch that an element of the side belongs to.
Index transform_number(const Transform& t, const Side& side, Index element) {
  Index number = 0, weight = 1;
  for (std::size_t d = side.shape.size(); d-- > 0;) {
    const Index i = element % side.shape[d];
    element /= side.shape[d];
    if (std::ranges::find(t.axes, static_cast<int>(d)) != t.axes.end()) continue;
    number += i * weight;
    weight *= side.shape[d];
  }
  return number;
}

}  // namespace

void expect_others_stay(const DistributedCase& c, const Comm& comm,
                        const std::vector<PlantedValue>& values) {
  const Side in = side_of(c.transform, true), out = side_of(c.transform, false);
  const auto before = results(c, comm);
  for (const PlantedValue& planted : values) {
    const Index spoiled = transform_number(c.transform, in, planted.real / in.width);
    const auto after = results(c, comm, planted);
    Index changed = 0;
    for (const auto& [real, value] : before)
      if (transform_number(c.transform, out, real / out.width) != spoiled)
        changed += after.at(real) == value ? 0 : 1;
    EXPECT_EQ(changed, 0) << planted.value << " at real " << planted.real << " of " << c.name;
  }
}

std::vector<PlantedValue> values_to_plant(const Transform& transform) {
  const Side in = side_of(transform, true);
  Index reals = in.width;
  for (const Index n : in.shape) reals *= n;
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  const float huge = transform.precision == Precision::f16 ? 6e4F : 1e30F;
  return {{0, huge}, {0, infinity}, {reals / 2, nan}, {reals / 2, huge}, {reals - 1, -infinity}};
}

std::vector<std::complex<double>> transform_bricks(const Comm& comm, std::vector<Index> shape,
                                                   const Grid& in, const Grid& out,
                                                   const DistributedOptions& options) {
  const LocalBoxes from = bricks(shape, in, comm.rank()), to = bricks(shape, out, comm.rank());
  DistributedPlan plan(c2c(shape), from, to, comm, options);
  std::vector<std::complex<double>> a(static_cast<std::size_t>(plan.input_count()));
  std::vector<std::complex<double>> b(static_cast<std::size_t>(plan.output_count()));
  for_each(from, shape, [&](Index global, Index local) {
    a[static_cast<std::size_t>(local)] = {value_at(global, 0), value_at(global, 1)};
  });
  plan.execute(a.data(), b.data());
  return b;
}

}  // namespace weft::test
