// SPDX-License-Identifier: BSD-3-Clause
// The generator's table of contents: one line per pass.
#include "codelet/compile.hpp"

#include <utility>

#include "codelet/passes.hpp"

namespace weft::codelet {
namespace {

struct Pass {
  const char* name;
  ir::Kernel (*run)(ir::Kernel);
};

constexpr Pass passes[] = {
    {"simplify", ir::simplify},
    {"absorb_negations", ir::absorb_negations},
    {"fuse_fma", ir::fuse_fma},
    {"schedule", ir::schedule},
};

}  // namespace

ir::Kernel compile(const KernelKey& key) {
  ir::Kernel kernel = ir::lower(key, ir::formula_of(key));
  for (const Pass& pass : passes) kernel = pass.run(std::move(kernel));
  return kernel;
}

OperationCount count_before_fma(const KernelKey& key) {
  return ir::count(ir::absorb_negations(ir::simplify(ir::lower(key, ir::formula_of(key)))));
}

}  // namespace weft::codelet
