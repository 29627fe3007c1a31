// SPDX-License-Identifier: BSD-3-Clause
// The generator as a whole: from the name of a kernel to its C++ text.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "codelet/kernel.hpp"

namespace weft::codelet {

/// All passes, formula to scheduled kernel.
ir::Kernel compile(const KernelKey& key);

/// Operations of the kernel before multiply-adds are formed.
OperationCount count_before_fma(const KernelKey& key);
/// The same for the formula that needs fewest additions and multiplications together: the tangent
/// form of split radix for powers of two. Where there are multiply-adds it is not the fastest.
OperationCount fewest_operations(const KernelKey& key);
/// The three counts above for every radix of the catalogue, as text.
std::string operation_table();

/// What one pass left behind.
struct Dump {
  std::string pass;  ///< "formula", "lower", "simplify", ...
  std::string text;
};
/// The kernel after every pass and, last, the emitted function.
std::vector<Dump> dump_all(const KernelKey& key);

/// Kernels are emitted in files: one per instruction set, precision and radix; line kernels in
/// files of their own, each up to some length.
struct FileKind {
  int radix;  ///< or the longest line
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
