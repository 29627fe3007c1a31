// SPDX-License-Identifier: BSD-3-Clause
// Fuzzes headers of .npy files: a header that is accepted must match the length of the file, and
// must be the same after writing and reading it.
#include "npy.hpp"

#include "fuzz/target.hpp"

namespace weft::fuzz {
namespace {

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void check_npy(std::string_view text) {
  tool::NpyHeader header;
  try {
    header = tool::read_npy_header(bytes_of_text(text), "input.npy");
  } catch (const Error&) {
    return;
  }
  Index count = 1;
  for (const Index n : header.shape)
    if (n < 0 || __builtin_mul_overflow(count, n, &count)) fail("a shape that cannot be");
  if (count != header.count()) fail("count() is not the product of the shape");
  if (header.data_offset > text.size() ||
      static_cast<std::size_t>(count) >
          (text.size() - header.data_offset) / tool::bytes_of(header.type))
    fail("the elements reach past the end of the file");
  std::string again = tool::write_npy_header(header);
  header.data_offset = again.size();
  again += text.substr(text.size() - static_cast<std::size_t>(count) * tool::bytes_of(header.type));
  if (tool::read_npy_header(bytes_of_text(again), "again.npy") != header)
    fail("a header that was written is not read as it was");
  ++accepted;
}

}  // namespace
}  // namespace weft::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::check_npy(weft::fuzz::text_of(data, size));
  return 0;
}
