// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/dump.hpp"

#include "base/format.hpp"
#include "codelet/catalogue.hpp"
#include "codelet/compile.hpp"
#include "codelet/emit/emit_cpp.hpp"
#include "codelet/ir/passes.hpp"
#include "codelet/ir/print.hpp"
#include "formula/print.hpp"

namespace weft::codelet {
namespace {

OperationCount count_of(const KernelKey& key, formula::Objective objective) {
  const formula::Formula formula = ir::formula_of(key, objective);
  return ir::count(ir::absorb_negations(ir::simplify(ir::lower(key, formula))));
}

}  // namespace

std::vector<Dump> dump_all(const KernelKey& key) {
  std::vector<Dump> dumps{{"formula", formula::print(ir::formula_of(key)) + "\n"}};
  const ir::Kernel kernel = compile(key, [&](const char* pass, const ir::Kernel& after) {
    dumps.push_back({pass, ir::print(after)});
  });
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
