// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/emit/emit_cuda.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "base/format.hpp"
#include "codelet/compile.hpp"
#include "codelet/emit/text_writer.hpp"
#include "codelet/ir/kernel.hpp"

namespace weft::codelet {
namespace {

using ir::Op;
using ir::Operation;

/// Uses the schedule for the CPU with the most registers: its order keeps few values alive. Values
/// that it would spill stay in registers here.
KernelKey key_for(int radix) {
  return {
      .isa = Isa::avx512, .radix = radix, .in = KernelLayout::planar, .out = KernelLayout::planar};
}

class Emitter : TextWriter {
 public:
  explicit Emitter(const ir::Kernel& kernel) : kernel_(kernel), names_(kernel.operations.size()) {}

  std::string run() {
    const OperationCount operations = ir::count(kernel_);
    const int radix = kernel_.key.radix;
    line("/// DFT({}); {} additions, {} multiplications, {} fused.", radix, operations.additions,
         operations.multiplications, operations.fused);
    line("__device__ __forceinline__ void dft{}(Complex (&x)[{}]) {{", radix, radix);
    name_operands();
    for (const ir::Statement& statement : kernel_.statements)
      if (statement.kind == ir::Statement::Kind::compute) emit_compute(statement.index);
    for (const ir::Output& output : kernel_.outputs)
      line("  x[{}].{} = {};", output.row, output.part == ir::Part::re ? "re" : "im",
           names_[static_cast<std::size_t>(output.value)]);
    line("}}");
    return text_;
  }

 private:
  /// Inputs are copied first, because the outputs overwrite them.
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

/// The DFT X of x[m] v^m, m < s, by decimation in time: X[k] = E[k] + f O[k] and X[k + s/2] = E[k]
/// - f O[k], where E and O are the transforms of the even and the odd m with v^2 instead of v, and
/// f = v exp(-2 pi i k / s). For k >= s/4, f is -i times the factor of k - s/4.
class TwistedEmitter : TextWriter {
 public:
  explicit TwistedEmitter(int radix) : radix_(radix) {}

  std::string run() {
    line("/// DFT({}) of points times powers of a factor; {} fused.", radix_,
         3 * radix_ * (std::bit_width(static_cast<unsigned>(radix_)) - 1));
    line(
        "__device__ __forceinline__ void twisted{0}(Complex (&x)[{0}], const Complex (&w)[{1}]) {{",
        radix_, radix_ / 2);
    std::vector<int> registers(static_cast<std::size_t>(radix_));
    std::iota(registers.begin(), registers.end(), 0);
    const std::vector<int> outputs = halve(registers);
    for (int r = 0; r < radix_; ++r) line("  const Complex x{0} = x[{0}];", r);
    for (int k = 0; k < radix_; ++k)
      line("  x[{}] = x{};", k, outputs[static_cast<std::size_t>(k)]);
    line("}}");
    return text_;
  }

 private:
  /// Transforms the points in these registers; returns the registers of X[0], X[1], ....
  std::vector<int> halve(const std::vector<int>& points) {
    const std::size_t s = points.size();
    if (s == 1) return points;
    std::vector<int> even, odd;
    for (std::size_t m = 0; m < s; m += 2) {
      even.push_back(points[m]);
      odd.push_back(points[m + 1]);
    }
    even = halve(even);
    odd = halve(odd);
    const std::size_t distinct = std::max<std::size_t>(1, s / 4);
    for (std::size_t k = 0; k < s / 2; ++k)
      line("  {}(x[{}], x[{}], w[{}]);", k < distinct ? "turn" : "turn_back", even[k], odd[k],
           s / 4 + k % distinct);
    even.insert(even.end(), odd.begin(), odd.end());
    return even;
  }

  int radix_;
};

}  // namespace

std::string emit_cuda_twisted(int radix) { return TwistedEmitter(radix).run(); }

std::vector<TwistPair> twist_pairs(int radix) {
  std::vector<TwistPair> pairs = {{radix / 2, 0}};
  for (int s = 4; s <= radix; s *= 2)
    for (int k = 0; k < s / 4; ++k) pairs.push_back({radix / s, k * (radix / s)});
  return pairs;
}

std::string emit_cuda(int radix) { return Emitter(compile(key_for(radix))).run(); }

}  // namespace weft::codelet
