// SPDX-License-Identifier: BSD-3-Clause
// The kernel generator, called by the build:
//   weft_codegen --isa avx2 --precision f64 --folder DIR    a few files, by radix or line
//   weft_codegen --registry scalar,avx2 --output FILE       the table of all kernels
//   weft_codegen --table                                    operation counts, for docs/codelets.md
// A file whose text has not changed is not written again, so that it is not compiled again.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/format.hpp"
#include "codelet/catalogue.hpp"
#include "codelet/dump.hpp"
#include "codelet/emit/emit_file.hpp"
#include "codelet/runtime/names.hpp"
#include "codelet/runtime/registry.hpp"
#include "weft/error.hpp"

namespace {

using namespace weft;
using namespace weft::codelet;

Isa parse_isa(const std::string& name) {
  for (Isa isa : {Isa::scalar, Isa::neon, Isa::avx2, Isa::avx512})
    if (name == to_string(isa)) return isa;
  throw Error(ErrorCode::invalid_argument,
              "--isa " + name + ": unknown; use scalar, neon, avx2 or avx512");
}

Precision parse_precision(const std::string& name) {
  if (name == "f32") return Precision::f32;
  if (name == "f64") return Precision::f64;
  throw Error(ErrorCode::invalid_argument, "--precision " + name + ": unknown; use f32 or f64");
}

void write(const std::filesystem::path& path, const std::string& text) {
  std::ifstream old(path, std::ios::binary);
  const std::string present{std::istreambuf_iterator<char>(old), {}};
  std::filesystem::create_directories(path.parent_path());
  if (old.is_open() && present == text) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush())
    throw Error(ErrorCode::io,
                path.string() + ": cannot write this file; check the folder and its permissions");
}

void write_kernels(Isa isa, Precision precision, const std::filesystem::path& folder) {
  std::map<FileKind, std::vector<KernelKey>> files;
  if (isa != Isa::scalar)
    for (int longest : catalogue_line_files()) files[{longest, true}];  // some have no kernels
  for (const KernelKey& key : catalogue(isa))
    if (key.precision == precision) files[file_kind(key)].push_back(key);
  for (const auto& [kind, keys] : files)
    write(folder / weft::format("{}_{}_{}{}.cpp", to_string(isa), to_string(precision),
                                kind.lines ? "line" : "radix", kind.radix),
          emit_file(isa, precision, kind, keys));
}

void write_registry(const std::string& isas, const std::filesystem::path& output) {
  std::vector<KernelKey> keys;
  std::stringstream list(isas);
  for (std::string name; std::getline(list, name, ',');) {
    const auto part = catalogue(parse_isa(name));
    keys.insert(keys.end(), part.begin(), part.end());
  }
  write(output, emit_registry(keys));
}

int run(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 1; i + 1 < argc; i += 2) options[argv[i]] = argv[i + 1];
  if (argc == 2 && std::string(argv[1]) == "--table") {
    std::fputs(operation_table().c_str(), stdout);
  } else if (options.contains("--registry")) {
    write_registry(options["--registry"], options["--output"]);
  } else if (options.contains("--isa")) {
    write_kernels(parse_isa(options["--isa"]), parse_precision(options["--precision"]),
                  options["--folder"]);
  } else {
    throw Error(ErrorCode::invalid_argument,
                "no action given; use --isa ISA --precision f32|f64 --folder DIR, --registry "
                "ISA,... --output FILE, or --table");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "weft_codegen: %s\n", error.what());
    return 2;
  }
}
