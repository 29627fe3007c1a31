// SPDX-License-Identifier: BSD-3-Clause
// weft codegen: shows the output of the kernel generator: the table of operation counts, the
// kernels of this build, the source code of one kernel, and the kernel after each pass.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

#include "codelet/compile.hpp"
#include "codelet/dump.hpp"
#include "codelet/runtime/isa.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "commands.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace codegen_command {

using codelet::Isa;
using codelet::KernelKey;
using codelet::KernelTransform;
using codelet::OperationCount;
using codelet::Twiddle;

struct Arguments {
  int radix = 0;  // 0: the table
  std::string isa, precision = "f64", in = "strided", out = "strided", twiddle = "none";
  std::string transform = "dft";
  std::string dump;
  bool list = false, scaled = false, backward = false;
  JsonTarget json;
};

/// The value whose printed name is `text`.
template <class Enum>
Enum named(const std::string& text, const char* what, std::initializer_list<Enum> values) {
  std::string names;
  for (const Enum value : values) {
    if (text == to_string(value)) return value;
    names += std::string(names.empty() ? "" : ", ") + to_string(value);
  }
  throw Error(ErrorCode::invalid_argument,
              fmt::format("unknown {} '{}'; choose one of {}", what, text, names));
}

KernelKey key_of(const Arguments& arguments) {
  KernelKey key;
  key.radix = arguments.radix;
  key.isa = arguments.isa.empty() ? codelet::best_isa()
                                  : named(arguments.isa, "instruction set",
                                          {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512});
  key.precision = parse_precision(arguments.precision);
  using codelet::KernelLayout;
  const auto layouts = {KernelLayout::unit, KernelLayout::strided, KernelLayout::tile,
                        KernelLayout::planar, KernelLayout::line};
  key.in = named(arguments.in, "layout", layouts);
  key.out = named(arguments.out, "layout", layouts);
  key.twiddle = named(arguments.twiddle, "twiddle kind",
                      {Twiddle::none, Twiddle::broadcast_in, Twiddle::vector_in});
  key.transform = named(arguments.transform, "kernel transform",
                        {KernelTransform::dft, KernelTransform::real_forward,
                         KernelTransform::real_backward, KernelTransform::halfcomplex_forward,
                         KernelTransform::halfcomplex_backward, KernelTransform::hartley});
  key.scaled = arguments.scaled;
  key.backward = arguments.backward;
  return key;
}

nlohmann::json as_json(const OperationCount& count) {
  return {{"additions", count.additions},
          {"multiplications", count.multiplications},
          {"fused", count.fused},
          {"negations", count.negations},
          {"total", count.total()}};
}

/// Radices of this build, in ascending order, without line kernels (they are whole transforms).
std::set<int> radices() {
  std::set<int> result;
  for (const codelet::CompiledKernel& kernel : codelet::kernels())
    if (kernel.key.in != codelet::KernelLayout::line) result.insert(kernel.key.radix);
  return result;
}

void show_table(const Arguments& arguments) {
  nlohmann::json rows = nlohmann::json::array();
  const bool as_text = arguments.json != "-";
  if (as_text) {
    fmt::print("Real operations of a complex DFT kernel, {}\n", arguments.precision);
    fmt::print("{:>6} | {:>5} {:>5} {:>6} | {:>5} {:>5} {:>5} {:>6}\n", "radix", "add", "mul",
               "total", "add", "mul", "fma", "total");
    fmt::print("{:>6} | {:^18} | {:^24}\n", "", "before FMA", "as emitted");
  }
  for (const int radix : radices()) {
    Arguments one = arguments;
    one.radix = radix;
    const KernelKey key = key_of(one);
    const OperationCount before = codelet::count_before_fma(key);
    const OperationCount emitted = codelet::ir::count(codelet::compile(key));
    if (as_text)
      fmt::print("{:>6} | {:>5} {:>5} {:>6} | {:>5} {:>5} {:>5} {:>6}\n", radix, before.additions,
                 before.multiplications, before.additions + before.multiplications,
                 emitted.additions, emitted.multiplications, emitted.fused, emitted.total());
    rows.push_back(
        {{"radix", radix}, {"before_fma", as_json(before)}, {"emitted", as_json(emitted)}});
  }
  write_json(arguments.json, rows);
}

void show_list(const Arguments& arguments) {
  nlohmann::json rows = nlohmann::json::array();
  for (const codelet::CompiledKernel& kernel : codelet::kernels()) {
    if (arguments.json != "-") fmt::print("{}\n", codelet::to_string(kernel.key));
    rows.push_back({{"kernel", codelet::to_string(kernel.key)}, {"count", as_json(kernel.count)}});
  }
  write_json(arguments.json, rows);
}

void show_kernel(const Arguments& arguments) {
  const KernelKey key = key_of(arguments);
  const std::vector<codelet::Dump> dumps = codelet::dump_all(key);
  nlohmann::json passes = nlohmann::json::array();
  bool found = false;
  for (const codelet::Dump& dump : dumps) {
    const bool is_last = &dump == &dumps.back();
    const bool wanted =
        arguments.dump.empty() ? is_last : arguments.dump == "all" || arguments.dump == dump.pass;
    if (!wanted) continue;
    found = true;
    passes.push_back({{"pass", dump.pass}, {"text", dump.text}});
    if (arguments.json == "-") continue;
    if (arguments.dump == "all") fmt::print("// ---- {} ----\n", dump.pass);
    fmt::print("{}{}", dump.text, dump.text.ends_with('\n') ? "" : "\n");
  }
  if (!found) {
    std::string names = "all";
    for (const codelet::Dump& dump : dumps) names += ", " + dump.pass;
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--dump '{}': unknown pass; choose one of {}", arguments.dump, names));
  }
  write_json(arguments.json, {{"kernel", codelet::to_string(key)}, {"passes", passes}});
}

}  // namespace codegen_command

void add_codegen_command(CLI::App& app) {
  using namespace codegen_command;
  auto arguments = std::make_shared<Arguments>();
  CLI::App& command = *app.add_subcommand(
      "codegen", "The kernel generator: operation counts, kernel source code, passes");
  command
      .add_option("RADIX", arguments->radix, "Length of the kernel (default: print a table of all)")
      ->check(CLI::Range(2, 128));
  command.add_flag("--list", arguments->list, "List all kernels of this build");
  command.add_option("--dump", arguments->dump,
                     "Print the kernel after this pass; all: after each pass");
  command.add_option(
      "--isa", arguments->isa,
      "Instruction set: scalar, neon, avx2 or avx512 (default: the best of this CPU)");
  command.add_option("--precision", arguments->precision, "Precision: f32 or f64")
      ->capture_default_str();
  command
      .add_option("--in", arguments->in, "Layout of the input: unit, strided, tile, planar, line")
      ->capture_default_str();
  command
      .add_option("--out", arguments->out,
                  "Layout of the output: unit, strided, tile, planar, line")
      ->capture_default_str();
  command
      .add_option("--twiddle", arguments->twiddle, "Twiddle factors: none, broadcast_in, vector_in")
      ->capture_default_str();
  command
      .add_option("--transform", arguments->transform,
                  "Transform: dft, real_forward, real_backward, halfcomplex_forward, "
                  "halfcomplex_backward, hartley")
      ->capture_default_str();
  command.add_flag("--scaled", arguments->scaled,
                   "A kernel that multiplies the result by a factor");
  command.add_flag("--backward", arguments->backward,
                   "A kernel for the backward DFT, exp(+2 pi i/r)");
  add_json_flag(command, arguments->json);
  command.footer(
      "Examples:\n"
      "  weft codegen                       operation counts of all radices\n"
      "  weft codegen 16 --isa avx2         the text of a kernel\n"
      "  weft codegen 8 --dump=all          the kernel after every pass\n"
      "  weft codegen --list --json         every kernel of this build");
  command.callback([arguments] {
    if (arguments->list) return show_list(*arguments);
    if (arguments->radix == 0) return show_table(*arguments);
    show_kernel(*arguments);
  });
}

}  // namespace weft::tool
