// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/emit_cuda.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "codelet/compile.hpp"
#include "codelet/kernel.hpp"
#include "codelet/lines.hpp"

namespace weft::codelet {
namespace {

using ir::Op;
using ir::Operation;

/// The schedule of the CPU with the most registers: its order keeps few values alive, and what it
/// spills stays in a register here.
KernelKey key_for(int radix) {
  return {.isa = Isa::avx512, .radix = radix, .in = Layout::planar, .out = Layout::planar};
}

class Emitter : Lines {
 public:
  explicit Emitter(const ir::Kernel& kernel) : kernel_(kernel), names_(kernel.operations.size()) {}

  std::string run() {
    const OperationCount operations = ir::count(kernel_);
    const int radix = kernel_.key.radix;
    line("/// DFT({}); {} additions, {} multiplications, {} fused.", radix, operations.additions,
         operations.multiplications, operations.fused);
    line("__device__ __forceinline__ void dft{}(Complex (&x)[{}]) {{", radix, radix);
    name_operands();
    for (const ir::Step& step : kernel_.steps)
      if (step.kind == ir::Step::Kind::compute) emit_compute(step.index);
    for (const ir::Output& output : kernel_.outputs)
      line("  x[{}].{} = {};", output.row, output.part == ir::Part::re ? "re" : "im",
           names_[static_cast<std::size_t>(output.value)]);
    line("}}");
    return text_;
  }

 private:
  /// Inputs are copied before anything is stored: the outputs take their places.
  void name_operands() {
    for (std::size_t v = 0; v < names_.size(); ++v) {
      const Operation& o = kernel_.operations[v];
      if (o.op == Op::constant) names_[v] = weft::format("constant({:.21g})", o.constant);
      if (o.op != Op::load) continue;
      const char* part = o.part == ir::Part::re ? "re" : "im";
      names_[v] = weft::format("x{}_{}", o.row, part);
      line("  const Real {} = x[{}].{};", names_[v], o.row, part);
    }
  }

  void emit_compute(ir::Value v) {
    const Operation& o = kernel_.operations[static_cast<std::size_t>(v)];
    std::string& result = names_[static_cast<std::size_t>(v)];
    result = weft::format("t{}", next_name_++);
    const auto name = [&](std::size_t i) -> const std::string& {
      return names_[static_cast<std::size_t>(o.arguments[i])];
    };
    switch (o.op) {
      case Op::negate: line("  const Real {} = -{};", result, name(0)); break;
      case Op::add: line("  const Real {} = {} + {};", result, name(0), name(1)); break;
      case Op::subtract: line("  const Real {} = {} - {};", result, name(0), name(1)); break;
      case Op::multiply: line("  const Real {} = {} * {};", result, name(0), name(1)); break;
      case Op::fnma:
        line("  const Real {} = fma(-{}, {}, {});", result, name(0), name(1), name(2));
        break;
      default:
        line("  const Real {} = fma({}, {}, {}{});", result, name(0), name(1),
             o.op == Op::fms ? "-" : "", name(2));
    }
  }

  const ir::Kernel& kernel_;
  std::vector<std::string> names_;
  int next_name_ = 0;
};

/// Points are halved once where their number is an odd power of two, and then quartered.
int parts_of(int s) { return std::countr_zero(static_cast<unsigned>(s)) % 2 == 0 ? 4 : 2; }
int distinct_quarters(int s) { return std::max(1, s / 4); }
int distinct_eighths(int s) { return std::max(1, s / 8); }

/// Factors of a transform of s points, behind those of the transforms it is made of.
int pair_count(int s) {
  if (s == 1) return 0;
  return parts_of(s) == 2 ? distinct_quarters(s) : s / 4 * 2 + distinct_eighths(s);
}
int first_pair(int s) {
  return s == 1 ? 0 : first_pair(s / parts_of(s)) + pair_count(s / parts_of(s));
}

/// X[k] of x[m] v^m for m < s. In two parts X[k] is E[k] + f O[k], X[k + s/2] is E[k] - f O[k],
/// with E and O those of the even and the odd m and v^2, and f = v exp(-2 pi i k / s). From k = s/4
/// on f is -i times what it was. In four X[k + p s/4] is the sum of (-i)^(p q) f^q E_q[k], with E_q
/// those of m = q, q + 4, ... and v^4. From k = s/8 on f^2 is -i times what it was.
class TwistedEmitter : Lines {
 public:
  explicit TwistedEmitter(int radix) : radix_(radix) {}

  std::string run() {
    int fused = 0;
    for (int s = radix_; s > 1; s /= parts_of(s))
      fused += parts_of(s) == 2 ? radix_ / 2 * 6 : radix_ / 4 * 22;
    line("/// DFT({}) of points times powers of a factor; {} fused.", radix_, fused);
    line(
        "__device__ __forceinline__ void twisted{0}(Complex (&x)[{0}], const Complex (&w)[{1}]) {{",
        radix_, twist_pairs(radix_).size());
    std::vector<int> registers(static_cast<std::size_t>(radix_));
    std::iota(registers.begin(), registers.end(), 0);
    const std::vector<int> outputs = transform(registers);
    for (int r = 0; r < radix_; ++r) line("  const Complex x{0} = x[{0}];", r);
    for (int k = 0; k < radix_; ++k)
      line("  x[{}] = x{};", k, outputs[static_cast<std::size_t>(k)]);
    line("}}");
    return text_;
  }

 private:
  /// Transforms the points in these registers; returns the registers of X[0], X[1], ....
  std::vector<int> transform(const std::vector<int>& points) {
    const auto s = static_cast<int>(points.size());
    if (s == 1) return points;
    std::vector<std::vector<int>> parts(static_cast<std::size_t>(parts_of(s)));
    for (std::size_t m = 0; m < points.size(); ++m) parts[m % parts.size()].push_back(points[m]);
    for (auto& part : parts) part = transform(part);
    for (int k = 0; k < s / parts_of(s); ++k) {
      std::string arguments;
      for (const auto& part : parts)
        arguments += weft::format("x[{}], ", part[static_cast<std::size_t>(k)]);
      const int w = first_pair(s), distinct = distinct_eighths(s);
      if (parts.size() == 2)
        line("  {}({}w[{}]);", k < distinct_quarters(s) ? "turn" : "turn_back", arguments,
             w + k % distinct_quarters(s));
      else
        line("  {}({}w[{}], w[{}], w[{}]);", k < distinct ? "turn_four" : "turn_four_back",
             arguments, w + k, w + s / 4 + k % distinct, w + s / 4 + distinct + k);
    }
    std::vector<int> outputs;
    for (const auto& part : parts) outputs.insert(outputs.end(), part.begin(), part.end());
    return outputs;
  }

  int radix_;
};

}  // namespace

std::string emit_cuda_twisted(int radix) { return TwistedEmitter(radix).run(); }

std::vector<TwistPair> twist_pairs(int radix) {
  std::vector<int> sizes;
  for (int s = radix; s > 1; s /= parts_of(s)) sizes.insert(sizes.begin(), s);
  std::vector<TwistPair> pairs;
  for (const int s : sizes) {
    const int power = radix / s;
    const bool in_four = parts_of(s) == 4;
    for (int k = 0; k < (in_four ? s / 4 : distinct_quarters(s)); ++k)
      pairs.push_back({power, k * power});
    if (!in_four) continue;
    for (int k = 0; k < distinct_eighths(s); ++k) pairs.push_back({2 * power, 2 * k * power});
    for (int k = 0; k < s / 4; ++k) pairs.push_back({power, k * power, true});
  }
  return pairs;
}

std::string emit_cuda(int radix) { return Emitter(compile(key_for(radix))).run(); }

}  // namespace weft::codelet
