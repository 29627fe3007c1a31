// SPDX-License-Identifier: BSD-3-Clause
// Each pass leaves the matrix of a kernel as it was; the matrix is read off by interpreting the
// kernel on unit vectors.
#include "codelet/passes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "codelet/catalogue.hpp"
#include "codelet/groups.hpp"
#include "codelet/print.hpp"
#include "codelet/registry.hpp"

namespace weft::codelet::ir {
namespace {

using Vector = std::vector<long double>;
using Position = std::pair<int, Part>;

/// Values by row and part; twiddles are unit length, all different.
class Interpreter {
 public:
  Interpreter(const Kernel& kernel, const std::map<Position, long double>& input)
      : kernel_(kernel),
        input_(input),
        inputs_(input_groups(kernel.key)),
        values_(kernel.operations.size()) {}

  Vector run() {
    if (kernel_.steps.empty())
      for (Value v = 0; v < static_cast<Value>(values_.size()); ++v) values_[v] = compute(v);
    else
      for (const Step& step : kernel_.steps) execute(step);
    Vector result;
    for (const Output& output : kernel_.outputs) result.push_back(values_[output.value]);
    return result;
  }

 private:
  /// A value that leaves its register is forgotten, so a missing reload shows.
  void execute(const Step& step) {
    switch (step.kind) {
      case Step::Kind::load:
        for (const Member& member : inputs_[step.index].members)
          for (Value v = 0; v < static_cast<Value>(values_.size()); ++v)
            if (const Operation& o = kernel_.operations[v];
                o.op == Op::load && o.row == member.row && o.part == member.part)
              values_[v] = compute(v);
        break;
      case Step::Kind::compute: values_[step.index] = compute(step.index); break;
      case Step::Kind::store: break;
      case Step::Kind::spill: slots_[step.slot] = values_[step.index]; break;
      case Step::Kind::reload: values_[step.index] = slots_.at(step.slot); break;
    }
  }

  long double compute(Value v) {
    const Operation& o = kernel_.operations[v];
    const auto a = [&](int i) {
      const Op op = kernel_.operations[o.arguments[i]].op;
      const bool is_operand = op == Op::constant || op == Op::scale;
      return is_operand ? compute(o.arguments[i]) : values_[o.arguments[i]];
    };
    switch (o.op) {
      case Op::load: return input_.at({o.row, o.part});
      case Op::twiddle: return o.part == Part::re ? std::cos(1.0L * o.row) : std::sin(1.0L * o.row);
      case Op::scale: return 0.375L;
      case Op::constant: return o.constant;
      case Op::negate: return -a(0);
      case Op::add: return a(0) + a(1);
      case Op::subtract: return a(0) - a(1);
      case Op::multiply: return a(0) * a(1);
      case Op::fma: return a(0) * a(1) + a(2);
      case Op::fms: return a(0) * a(1) - a(2);
      case Op::fnma: return a(2) - a(0) * a(1);
    }
    return 0;
  }

  const Kernel& kernel_;
  const std::map<Position, long double>& input_;
  std::vector<Group> inputs_;
  Vector values_;
  std::map<int, long double> slots_;
};

/// Column by column: the image of each unit vector.
std::vector<Vector> matrix_of(const Kernel& kernel) {
  std::map<Position, long double> zero;
  for (const Group& group : input_groups(kernel.key))
    for (const Member& member : group.members) zero[{member.row, member.part}] = 0;
  std::vector<Vector> columns;
  for (const auto& [position, value] : zero) {
    std::map<Position, long double> unit = zero;
    unit[position] = 1;
    columns.push_back(Interpreter(kernel, unit).run());
  }
  return columns;
}

long double difference(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  long double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j)
      largest = std::max(largest, std::fabs(a[i][j] - b[i][j]));
  return largest;
}

/// Every fourth kernel, so that the passes meet all kinds and most radices.
std::vector<KernelKey> sample() {
  std::vector<KernelKey> keys;
  int next = 0;
  for (Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512})
    for (const KernelKey& key : catalogue(isa))
      if (key.precision == Precision::f64 && key.radix <= 32 && next++ % 4 == 0)
        keys.push_back(key);
  return keys;
}

/// Sines and cosines are kept to 2^-60.
constexpr long double tolerance = 1e-16L;

TEST(Passes, LeaveTheMatrixOfAKernelAsItWas) {
  constexpr Kernel (*passes[])(Kernel) = {simplify, absorb_negations, fuse_fma, schedule};
  for (const KernelKey& key : sample()) {
    Kernel kernel = lower(key, formula_of(key));
    const std::vector<Vector> expected = matrix_of(kernel);
    ASSERT_EQ(expected.size(), kernel.key.transform == KernelTransform::real_forward
                                   ? key.radix
                                   : 2u * input_side(key).rows);
    for (const auto pass : passes) {
      kernel = pass(kernel);
      ASSERT_LT(difference(matrix_of(kernel), expected), tolerance) << print(kernel);
    }
  }
}

TEST(Schedule, LoadsEverythingBeforeItStoresAnything) {
  for (const KernelKey& key : sample()) {
    const Kernel kernel =
        schedule(fuse_fma(absorb_negations(simplify(lower(key, formula_of(key))))));
    bool has_stored = false;
    for (const Step& step : kernel.steps) {
      if (step.kind == Step::Kind::store) has_stored = true;
      if (step.kind == Step::Kind::load) {
        ASSERT_FALSE(has_stored) << to_string(key);
      }
    }
    ASSERT_TRUE(has_stored);
  }
}

TEST(Simplify, SharesEqualValuesAndDropsTrivialFactors) {
  const KernelKey key{.radix = 4};
  const OperationCount literal = count(lower(key, formula_of(key)));
  const OperationCount simplified = count(simplify(lower(key, formula_of(key))));
  EXPECT_GT(literal.total(), 16);
  EXPECT_EQ(simplified.additions, 16);
  EXPECT_EQ(simplified.multiplications, 0);
}

}  // namespace
}  // namespace weft::codelet::ir
