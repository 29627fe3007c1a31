// SPDX-License-Identifier: BSD-3-Clause
// Operators against three separate steps: forward plan, the function mode by mode, backward plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "local/choose/machine_model.hpp"
#include "spectral/choose_operator.hpp"
#include "unit/spectral/count_of.hpp"
#include "weft/spectral.hpp"

namespace weft {
namespace {

template <class Real>
using Fields = std::vector<std::vector<std::complex<Real>>>;

struct Case {
  Kind kind = Kind::c2c;
  std::vector<Index> shape;
  std::vector<int> axes = {};
  int inputs = 1, outputs = 1;
  int threads = 1;
  std::vector<Index> in_extents = {}, out_extents = {};
};

Transform transform_of(const Case& c, Precision precision) {
  const TransformOptions options{.axes = c.axes,
                                 .precision = precision,
                                 .input_extents = c.in_extents,
                                 .output_extents = c.out_extents};
  return c.kind == Kind::c2c ? c2c(c.shape, options) : r2c(c.shape, options);
}

/// Mixes all inputs into all outputs, and depends on every wave number. At most four inputs.
template <class Real, class Values>
void mix(const Real* k, int axes, int inputs, int outputs, const Values& u) {
  std::array<std::complex<Real>, 4> in{};
  for (int f = 0; f < inputs; ++f) in[static_cast<std::size_t>(f)] = u[f];
  Real angle = 0;
  for (int a = 0; a < axes; ++a) angle += k[a] / static_cast<Real>(3 + 2 * a);
  for (int o = 0; o < outputs; ++o) {
    const Real weight = std::cos(angle + static_cast<Real>(o));
    u[o] = in[0] * weight + in[1] * Real(0.5) - in[2] * weight * weight + in[3] * angle;
  }
}

ModeFunction mixing(const Case& c) {
  return at_every_mode(
      [c](const auto& wave, auto u) { mix(wave.k.data(), wave.axes, c.inputs, c.outputs, u); },
      c.inputs, c.outputs);
}

template <class Real>
std::vector<Real> random_reals(Index count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<Real> number(-1, 1);
  std::vector<Real> values(static_cast<std::size_t>(count));
  for (Real& value : values) value = number(generator);
  return values;
}

/// Elements of the small array at the low corner of the large one.
template <class T>
void copy_corner(const std::vector<Index>& small, const T* from, const std::vector<Index>& large,
                 T* to, bool is_crop) {
  for (Index i = 0; i < count_of(small); ++i) {
    Index rest = i, place = 0, stride = 1;
    for (std::size_t d = small.size(); d-- > 0;) {
      place += rest % small[d] * stride;
      rest /= small[d];
      stride *= large[d];
    }
    if (is_crop)
      to[i] = from[place];
    else
      to[place] = from[i];
  }
}

/// Three steps with plans of weft, on padded arrays.
template <class Real, class T>
std::vector<std::vector<T>> separate_steps(const Case& c, const std::vector<std::vector<T>>& in) {
  const Precision precision = ScalarTraits<Real>::precision;
  Case whole = c;
  whole.in_extents = whole.out_extents = {};
  Transform forward = transform_of(whole, precision);
  Transform backward = inverse(forward);
  backward.normalization = Normalization::backward;
  const Plan there(forward), back(backward);
  const std::vector<Index> spectrum = there.output_shape();
  const Index modes = count_of(spectrum);
  Fields<Real> fields;
  for (const auto& field : in) {
    std::vector<T> padded(static_cast<std::size_t>(count_of(c.shape)));
    copy_corner(c.in_extents.empty() ? c.shape : c.in_extents, field.data(), c.shape, padded.data(),
                false);
    fields.emplace_back(static_cast<std::size_t>(modes));
    there.execute(padded.data(), fields.back().data());
  }
  std::vector<int> axes = c.axes;
  if (axes.empty()) {
    axes.resize(c.shape.size());
    std::iota(axes.begin(), axes.end(), 0);
  }
  fields.resize(static_cast<std::size_t>(std::max(c.inputs, c.outputs)),
                std::vector<std::complex<Real>>(static_cast<std::size_t>(modes)));
  std::vector<std::complex<Real>*> pointers;
  for (auto& field : fields) pointers.push_back(field.data());
  for (Index i = 0; i < modes; ++i) {
    std::vector<Index> index(spectrum.size());
    Index rest = i;
    for (std::size_t d = spectrum.size(); d-- > 0;) {
      index[d] = rest % spectrum[d];
      rest /= spectrum[d];
    }
    std::vector<Real> k;
    for (int axis : axes) {
      const auto d = static_cast<std::size_t>(axis);
      const Index n = c.shape[d];
      k.push_back(static_cast<Real>(spectrum[d] < n || 2 * index[d] < n ? index[d] : index[d] - n));
    }
    mix(k.data(), static_cast<int>(k.size()), c.inputs, c.outputs,
        ModeValues<Real>(pointers.data(), i));
  }
  fields.resize(static_cast<std::size_t>(c.outputs));
  std::vector<std::vector<T>> out;
  for (auto& field : fields) {
    std::vector<T> padded(static_cast<std::size_t>(count_of(c.shape)));
    back.execute(field.data(), padded.data());
    const auto& extents = c.out_extents.empty() ? c.shape : c.out_extents;
    out.emplace_back(static_cast<std::size_t>(count_of(extents)));
    copy_corner(extents, padded.data(), c.shape, out.back().data(), true);
  }
  return out;
}

template <class T>
std::vector<T> random_field(Index count, unsigned seed) {
  if constexpr (ScalarTraits<T>::is_complex) {
    const auto reals = random_reals<typename T::value_type>(2 * count, seed);
    std::vector<T> field;
    for (Index i = 0; i < count; ++i)
      field.push_back(
          {reals[static_cast<std::size_t>(2 * i)], reals[static_cast<std::size_t>(2 * i + 1)]});
    return field;
  } else {
    return random_reals<T>(count, seed);
  }
}

/// Fields in and out of one execution, and what should come out.
template <class Real, class T>
struct Trial {
  std::vector<std::vector<T>> in, wanted;
  std::vector<Index> out_extents;
  bool in_place;

  template <class Execute>
  void run(const Execute& execute, const std::string& text) const {
    std::vector<std::vector<T>> from_fields = in, out;
    std::vector<const T*> from;
    std::vector<T*> to;
    for (std::size_t f = 0; f < wanted.size(); ++f)
      out.emplace_back(static_cast<std::size_t>(count_of(out_extents)), T(99));
    for (const auto& field : from_fields) from.push_back(field.data());
    for (auto& field : out) to.push_back(field.data());
    if (in_place)
      for (std::size_t f = 0; f < std::min(from.size(), to.size()); ++f) {
        out[f] = in[f];
        from[f] = to[f];
      }
    execute(from, to);
    EXPECT_EQ(from_fields, in) << "the input was changed\n" << text;
    double error = 0, norm = 0;
    for (std::size_t f = 0; f < out.size(); ++f)
      for (std::size_t i = 0; i < out[f].size(); ++i) {
        error += std::norm(out[f][i] - wanted[f][i]);
        norm += std::norm(wanted[f][i]);
      }
    const double bound = (sizeof(Real) == 4 ? 2e-6 : 5e-15);
    EXPECT_LE(std::sqrt(error), bound * std::sqrt(norm) + 1e-300) << text;
  }
};

template <class Real, class T>
void check(const Case& c, bool in_place = false) {
  const auto& in_extents = c.in_extents.empty() ? c.shape : c.in_extents;
  Trial<Real, T> trial{{}, {}, c.out_extents.empty() ? c.shape : c.out_extents, in_place};
  for (int f = 0; f < c.inputs; ++f)
    trial.in.push_back(random_field<T>(count_of(in_extents), 17 + static_cast<unsigned>(f)));
  trial.wanted = separate_steps<Real>(c, trial.in);
  const Transform forward = transform_of(c, ScalarTraits<Real>::precision);
  const SpectralOperator op(forward, mixing(c), {.threads = c.threads});
  Workspace workspace = op.make_workspace();
  trial.run(
      [&](const auto& from, const auto& to) {
        op.execute(std::span<const T* const>(from), std::span<T* const>(to), workspace);
      },
      op.explain());
  // Each way, also those that a machine with a smaller cache would take.
  const spectral::OperatorProblem problem = spectral::check_operator(forward, mixing(c), {});
  const spectral::OperatorChoice choice{
      .use_wisdom = false,
      .executor = c.threads == 1 ? serial_executor() : openmp_executor(c.threads)};
  local::MachineModel small = local::machine_model();
  small.l2.bytes = 4096;
  std::vector<spectral::OperatorWay> ways = ways_of(problem, c.threads, small);
  for (const spectral::OperatorWay& way : ways_of(problem, c.threads, local::machine_model()))
    if (std::ranges::find(ways, way) == ways.end()) ways.push_back(way);
  for (const spectral::OperatorWay& way : ways) {
    const auto built = make_operator(problem, way, mixing(c), choice);
    Workspace own(built->workspace_bytes());
    trial.run(
        [&](const auto& from, const auto& to) {
          const std::vector<const void*> in(from.begin(), from.end());
          const std::vector<void*> out(to.begin(), to.end());
          built->execute(in.data(), out.data(), own.data());
        },
        to_text(way) + ": " + built->explain());
  }
}

template <class Real>
void check_kind(const Case& c, bool in_place = false) {
  SCOPED_TRACE(::testing::Message()
               << "shape " << ::testing::PrintToString(c.shape) << " axes "
               << ::testing::PrintToString(c.axes) << " kind " << static_cast<int>(c.kind)
               << " fields " << c.inputs << " to " << c.outputs << " bytes " << sizeof(Real)
               << (in_place ? " in place" : ""));
  if (c.kind == Kind::c2c)
    check<Real, std::complex<Real>>(c, in_place);
  else
    check<Real, Real>(c, in_place);
}

void check_all(Case c) {
  for (Kind kind : {Kind::c2c, Kind::r2c}) {
    c.kind = kind;
    check_kind<float>(c);
    check_kind<double>(c);
    if (c.in_extents == c.out_extents) check_kind<double>(c, true);
  }
}

TEST(SpectralOperator, IsForwardFunctionBackward) {
  check_all({.shape = {1}});
  check_all({.shape = {2}});
  check_all({.shape = {97}});
  check_all({.shape = {1000}});
  check_all({.shape = {7, 5}});
  check_all({.shape = {1, 9}});
  check_all({.shape = {9, 1}});
  check_all({.shape = {64, 48}});
  check_all({.shape = {6, 10, 15}});
  check_all({.shape = {3, 4, 5, 6}});
}

TEST(SpectralOperator, CutsWhatTheCachesDoNotHold) {
  check_all({.shape = {190, 191}});
  check_all({.shape = {40, 45, 33}, .threads = 3});
  check_all({.shape = {300, 11, 13}, .threads = 2});
  check_all({.shape = {40000}});
}

TEST(SpectralOperator, KnowsAllItsWays) {
  const auto ways = [](const Transform& transform, int threads) {
    const auto problem =
        spectral::check_operator(transform, at_every_mode([](const auto&, auto) {}), {});
    std::string text;
    for (const auto& way : ways_of(problem, threads, local::MachineModel{})) {
      EXPECT_EQ(spectral::parse_operator_way(to_text(way)), way);
      text += to_text(way) + "; ";
    }
    return text;
  };
  EXPECT_EQ(ways(c2c({16, 16}), 1), "whole; steps; steps apart; ");
  EXPECT_EQ(ways(r2c({16, 16}), 1), "whole; steps apart; ");
  EXPECT_EQ(ways(r2c({256, 256, 256}), 4), "columns apart; steps apart; ");
  EXPECT_EQ(ways(c2c({512, 512, 512}), 4), "planes; columns; columns apart; steps; steps apart; ");
  // One line, or a few planes, are not enough for many threads.
  EXPECT_EQ(ways(c2c({1 << 22}), 1), "whole; steps; steps apart; ");
  EXPECT_EQ(ways(c2c({1 << 22}), 8), "steps; steps apart; whole; ");
  EXPECT_EQ(ways(c2c({9, 2048, 2048}), 8).substr(0, 8), "columns;");
  EXPECT_THROW(spectral::parse_operator_way("rows"), Error);
}

TEST(SpectralOperator, ChoosesItsWayByTheClock) {
  const SpectralOperator op(c2c({40, 50, 60}), mixing({}),
                            {.effort = Effort::measure, .threads = 2, .time_limit_s = 1});
  EXPECT_EQ(op.explain().substr(0, 3), "by ");
  check_all({.shape = {40, 50, 60}, .threads = 2});
}

TEST(SpectralOperator, TransformsPlanesInPlaceBetweenSweepsAlongTheSlowestAxis) {
  check_all({.shape = {50, 40, 45}, .inputs = 1, .outputs = 3, .threads = 3});
  check_all({.shape = {50, 40, 45}, .inputs = 3, .outputs = 2});
  check_all({.shape = {2, 50, 3, 40, 36}, .axes = {1, 3, 4}, .threads = 2});
}

TEST(SpectralOperator, StoresPastTheCachesWhatTheyDoNotHold) {
  check_kind<double>({.kind = Kind::r2c, .shape = {128, 130, 140}, .threads = 2});  // 19 MB
}

TEST(SpectralOperator, LeavesABatchApart) {
  check_all({.shape = {5, 64}, .axes = {1}});
  check_all({.shape = {64, 5}, .axes = {0}});
  check_all({.shape = {3, 16, 4, 18}, .axes = {1, 3}, .threads = 2});
  check_all({.shape = {130, 2, 140}, .axes = {2, 0}});
  check_all({.shape = {7, 40, 41, 3}, .axes = {1, 2}});
  check_all({.shape = {3, 38, 41, 9}, .axes = {1, 2, 3}, .threads = 2});
  check_all({.shape = {38, 11, 3, 41}, .axes = {0, 1, 3}});
}

TEST(SpectralOperator, CouplesFields) {
  check_all({.shape = {12, 14}, .inputs = 3, .outputs = 1});
  check_all({.shape = {12, 14}, .inputs = 1, .outputs = 3});
  check_all({.shape = {24, 25, 26}, .inputs = 3, .outputs = 3, .threads = 2});
  check_all({.shape = {110, 120}, .inputs = 2, .outputs = 3});
  check_all({.shape = {110, 120}, .inputs = 4, .outputs = 2});
}

TEST(SpectralOperator, PadsAndCropsWithoutStoringThePadding) {
  check_all({.shape = {40}, .in_extents = {17}, .out_extents = {33}});
  check_all({.shape = {200, 190}, .in_extents = {101, 95}, .out_extents = {101, 95}});
  check_all({.shape = {200, 190}, .in_extents = {101, 95}, .out_extents = {150, 80}});
  check_all({.shape = {40, 36, 32}, .in_extents = {21, 18, 17}, .out_extents = {40, 36, 32}});
  check_all({.shape = {50, 36, 34}, .in_extents = {50, 18, 17}, .out_extents = {21, 30, 20}});
  // A batch of planes that the second cache does not hold.
  check_all({.shape = {2, 400, 390},
             .axes = {1, 2},
             .in_extents = {2, 200, 195},
             .out_extents = {2, 200, 195}});
}

TEST(SpectralOperator, DoesRandomProblems) {
  std::mt19937 generator(22);
  const auto between = [&](Index low, Index high) {
    return low + static_cast<Index>(generator() % static_cast<unsigned>(high - low + 1));
  };
  for (int problem = 0; problem < 40; ++problem) {
    Case c{.kind = between(0, 1) == 0 ? Kind::c2c : Kind::r2c, .shape = {}};
    const Index dimensions = between(1, 4), most = dimensions == 4   ? 18
                                                   : dimensions == 3 ? 50
                                                                     : 300;
    for (Index d = 0; d < dimensions; ++d) {
      c.shape.push_back(between(1, most));
      c.axes.push_back(static_cast<int>(d));
    }
    std::shuffle(c.axes.begin(), c.axes.end(), generator);
    c.axes.resize(static_cast<std::size_t>(between(1, dimensions)));
    c.inputs = static_cast<int>(between(1, 3));
    c.outputs = static_cast<int>(between(1, 3));
    c.threads = static_cast<int>(between(1, 3));
    if (between(0, 3) == 0) {
      c.in_extents = c.out_extents = c.shape;
      for (int axis : c.axes) {
        const auto d = static_cast<std::size_t>(axis);
        c.in_extents[d] = between(1, c.shape[d]);
        c.out_extents[d] = between(1, c.shape[d]);
      }
    }
    const bool in_place = c.in_extents.empty() && between(0, 1) == 0;
    if (between(0, 1) == 0)
      check_kind<float>(c, in_place);
    else
      check_kind<double>(c, in_place);
  }
}

TEST(SpectralOperator, ExplainsItsPassesAndBytes) {
  const SpectralOperator op(r2c({16, 16}), at_every_mode([](const auto&, auto) {}));
  EXPECT_NE(op.explain().find("1 passes over memory, 0.00 MB"), std::string::npos) << op.explain();
  const SpectralOperator large(c2c({128, 128, 128}), at_every_mode([](const auto&, auto) {}));
  // Three times there and back: 6 times 33.55 MB.
  EXPECT_NE(large.explain().find("3 passes over memory, 201.33 MB"), std::string::npos)
      << large.explain();
}

TEST(SpectralOperator, DoesNothingWithoutElements) {
  const SpectralOperator op(c2c({0, 4}), at_every_mode([](const auto&, auto u) { u[0] = 1; }));
  std::complex<double> none;
  op.execute(&none, &none);
}

/// The same recipes for all of them; one thread may have others.
TEST(SpectralOperator, GivesTheSameBitsHoweverThreadsShareItsTiles) {
  const auto field = random_reals<double>(120 * 70 * 50, 3);
  std::vector<std::vector<double>> results;
  for (int threads : {2, 3, 5}) {
    const SpectralOperator op(r2c({120, 70, 50}), mixing({}), {.threads = threads});
    results.emplace_back(field.size());
    op.execute(field.data(), results.back().data());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(SpectralOperator, TakesThreePassesInThreeDimensions) {
  const SpectralOperator large(c2c({512, 512, 512}), at_every_mode([](const auto&, auto) {}));
  EXPECT_LE(large.passes(), 5) << large.explain();  // with planes in cache 3
  const SpectralOperator small(c2c({16, 16}), at_every_mode([](const auto&, auto) {}));
  EXPECT_EQ(small.passes(), 1) << small.explain();
}

TEST(SpectralOperator, ThrowsWhatItsFunctionThrows) {
  for (int threads : {1, 3}) {
    const SpectralOperator op(c2c({64, 300, 20}), ModeFunction([](const ModeTile<double>&) {
                                throw std::runtime_error("no");
                              }),
                              {.threads = threads});
    std::vector<std::complex<double>> field(64 * 300 * 20);
    EXPECT_THROW(op.execute(field.data(), field.data()), std::runtime_error);
  }
}

std::string error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SpectralOperator, RefusesWhatMakesNoSense) {
  const ModeFunction nothing = at_every_mode([](const auto&, auto) {});
  const auto make = [&](const Transform& t, SpectralOptions options = {}) {
    return error_of([&] { SpectralOperator(t, nothing, options); });
  };
  EXPECT_NE(make(c2r({8})).find("c2c or r2c"), std::string::npos);
  EXPECT_NE(make(c2c({8}, {.direction = Direction::backward})).find("backward"), std::string::npos);
  EXPECT_NE(make(c2c({8}, {.precision = Precision::f16})).find("f16"), std::string::npos);
  EXPECT_NE(make(c2c({8, 8}, {.axes = {2}})).find("axis"), std::string::npos);
  EXPECT_NE(make(c2c({8, 8}), {.lengths = {1}}).find("one per transformed axis"),
            std::string::npos);
  EXPECT_NE(make(c2c({8}), {.lengths = {0}}).find("positive"), std::string::npos);
  EXPECT_NE(make(c2c({8}), {.threads = -1}).find("threads"), std::string::npos);
  EXPECT_NE(make(c2c({8}, {.input_extents = {9}})).find("extent 9"), std::string::npos);
  EXPECT_NE(make(c2c(std::vector<Index>(9, 2))).find("dimensions"), std::string::npos);
  EXPECT_NE(error_of([] {
              SpectralOperator(c2c({8}, {.precision = Precision::f32}),
                               ModeFunction([](const ModeTile<double>&) {}));
            }).find("f64 only"),
            std::string::npos);
}

TEST(SpectralOperator, RefusesArraysThatDoNotFit) {
  const SpectralOperator op(c2c({8}), ModeFunction([](const ModeTile<double>&) {}, 2, 1));
  std::vector<std::complex<double>> a(16), b(8);
  Workspace workspace = op.make_workspace();
  const auto run = [&](std::vector<const std::complex<double>*> in,
                       std::vector<std::complex<double>*> out) {
    return error_of([&] {
      op.execute(std::span<const std::complex<double>* const>(in),
                 std::span<std::complex<double>* const>(out), workspace);
    });
  };
  EXPECT_EQ(run({a.data(), b.data()}, {a.data()}), "no error");
  EXPECT_NE(run({a.data(), b.data()}, {b.data()}).find("shares memory"), std::string::npos);
  EXPECT_NE(run({a.data(), b.data()}, {a.data() + 3}).find("shares memory"), std::string::npos);
  EXPECT_NE(run({a.data()}, {b.data()}).find("2 inputs"), std::string::npos);
  EXPECT_NE(run({a.data(), nullptr}, {b.data()}).find("null"), std::string::npos);
  Workspace small(64);
  std::vector<std::complex<double>> large(300 * 300);
  EXPECT_NE(error_of([&] {
              const SpectralOperator one(c2c({300, 300}),
                                         ModeFunction([](const ModeTile<double>&) {}));
              one.execute(large.data(), large.data(), small);
            }).find("workspace"),
            std::string::npos);
  std::vector<float> reals(8);
  EXPECT_NE(error_of([&] { op.execute(reals.data(), reals.data()); }).find("complex"),
            std::string::npos);
}

}  // namespace
}  // namespace weft
