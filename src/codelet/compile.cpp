// SPDX-License-Identifier: BSD-3-Clause
// The passes of the generator, one line each.
#include "codelet/compile.hpp"

#include <utility>

#include "base/format.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/ir/passes.hpp"
#include "weft/error.hpp"

namespace weft::codelet {
namespace {

struct Pass {
  const char* name;
  ir::Kernel (*run)(ir::Kernel);
};

constexpr Pass passes[] = {
    {"simplify", ir::simplify},                  // common subexpressions, constants, signs
    {"absorb_negations", ir::absorb_negations},  // -(a - b) = b - a
    {"fuse_fma", ir::fuse_fma},                  // c x + y in one instruction
    {"rotate", ir::rotate},                      // i x on interleaved numbers: line kernels
    {"schedule", ir::schedule},                  // order, registers, spills
};

}  // namespace

ir::Kernel compile(const KernelKey& key, const Observer& observer) {
  if (key.radix < 2 || key.radix > (is_line(key) ? 768 : 128))
    throw Error(
        ErrorCode::unsupported,
        weft::format("kernel of radix {}: the generator makes kernels of radix 2 to 128, and line "
                     "kernels of up to 768 points; choose one of these",
                     key.radix));
  ir::Kernel kernel = ir::lower(key, ir::formula_of(key));
  observer("lower", kernel);
  for (const Pass& pass : passes) {
    kernel = pass.run(std::move(kernel));
    observer(pass.name, kernel);
  }
  return kernel;
}

ir::Kernel compile(const KernelKey& key) {
  return compile(key, [](const char*, const ir::Kernel&) {});
}

}  // namespace weft::codelet
