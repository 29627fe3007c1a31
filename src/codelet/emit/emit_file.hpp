// SPDX-License-Identifier: BSD-3-Clause
// Kernels as C++ files: for each instruction set and precision a few files, each with the radices
// up to some number; line kernels in files of their own, each up to some length.
#pragma once

#include <span>
#include <string>

#include "codelet/runtime/abi.hpp"

namespace weft::codelet {

struct FileKind {
  int radix;  ///< the largest in the file, or the longest line
  bool lines;
  friend auto operator<=>(const FileKind&, const FileKind&) = default;
};
FileKind file_kind(const KernelKey& key);
/// One such C++ file.
std::string emit_file(Isa isa, Precision precision, const FileKind& kind,
                      std::span<const KernelKey> keys);
/// The C++ file that gathers the kernels of all emitted files.
std::string emit_registry(std::span<const KernelKey> keys);

}  // namespace weft::codelet
