// SPDX-License-Identifier: BSD-3-Clause
// The generator's table of contents: one line per pass.
#include "codelet/compile.hpp"

#include <utility>

#include "base/format.hpp"
#include "codelet/catalogue.hpp"
#include "codelet/emit_cpp.hpp"
#include "codelet/line.hpp"
#include "codelet/passes.hpp"
#include "codelet/print.hpp"
#include "formula/print.hpp"
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

OperationCount count_of(const KernelKey& key, formula::Objective objective) {
  const formula::Formula formula = ir::formula_of(key, objective);
  return ir::count(ir::absorb_negations(ir::simplify(ir::lower(key, formula))));
}

}  // namespace

ir::Kernel compile(const KernelKey& key) {
  if (key.radix < 2 || key.radix > (is_line(key) ? 768 : 128))
    throw Error(ErrorCode::unsupported,
                weft::format("kernel of radix {}: straight-line code is made for 2 to 128; longer "
                             "transforms are composed of kernels",
                             key.radix));
  ir::Kernel kernel = ir::lower(key, ir::formula_of(key));
  for (const Pass& pass : passes) kernel = pass.run(std::move(kernel));
  return kernel;
}

std::vector<Dump> dump_all(const KernelKey& key) {
  const formula::Formula formula = ir::formula_of(key);
  ir::Kernel kernel = ir::lower(key, formula);
  std::vector<Dump> dumps{{"formula", formula::print(formula) + "\n"},
                          {"lower", ir::print(kernel)}};
  for (const Pass& pass : passes) {
    kernel = pass.run(std::move(kernel));
    dumps.push_back({pass.name, ir::print(kernel)});
  }
  dumps.push_back({"emit", ir::emit_function(kernel)});
  return dumps;
}

OperationCount count_before_fma(const KernelKey& key) {
  return count_of(key, formula::Objective::instructions);
}

OperationCount fewest_operations(const KernelKey& key) {
  return count_of(key, formula::Objective::operations);
}

std::string operation_table() {
  std::string text =
      "|       |    before FMA     | fewest operations |      as emitted with FMA      |\n"
      "| radix |  add   mul  total |  add   mul  total |  add   mul   fma instructions |\n"
      "|------:|------------------:|------------------:|------------------------------:|\n";
  for (int radix : catalogue_radices()) {
    const KernelKey key{.isa = Isa::avx2, .radix = radix};
    const OperationCount before = count_before_fma(key), fewest = fewest_operations(key);
    const OperationCount emitted = ir::count(compile(key));
    text +=
        weft::format("| {:5} | {:4}  {:4}  {:5} | {:4}  {:4}  {:5} | {:4}  {:4}  {:4} {:12} |\n",
                     radix, before.additions, before.multiplications, before.total(),
                     fewest.additions, fewest.multiplications, fewest.total(), emitted.additions,
                     emitted.multiplications, emitted.fused, emitted.total());
  }
  return text;
}

}  // namespace weft::codelet
