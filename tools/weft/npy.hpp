// SPDX-License-Identifier: BSD-3-Clause
// NumPy's file format, versions 1.0 to 3.0: a magic number, a header that is a Python dictionary as
// text, and the elements. This file reads and writes headers; convert.hpp converts elements.
#pragma once

#include <bit>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "weft/types.hpp"

namespace weft::tool {

enum class NpyType { f16, f32, f64, c64, c128 };

enum class Order {
  row_major,     ///< C: the last index is adjacent in memory
  column_major,  ///< Fortran: the first index is
};

struct NpyHeader {
  NpyType type = NpyType::f64;
  std::endian byte_order = std::endian::native;
  Order order = Order::row_major;
  std::vector<Index> shape;
  std::size_t data_offset = 0;  ///< of the first element in the file

  Index count() const;  ///< elements; the product was checked when the header was read
  friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

std::size_t bytes_of(NpyType type);
bool is_complex(NpyType type);
Precision precision_of(NpyType type);
NpyType npy_type(Precision precision, bool complex_elements);
const char* numpy_name(NpyType type);  ///< "complex64"

/// Reads the header of a whole file held (or mapped) in memory and checks it against the file's
/// length. Throws weft::Error, with `path` in the message, if the file does not match its header.
NpyHeader read_npy_header(std::span<const std::byte> file, const std::string& path);

/// The bytes before the elements: format version 1.0, padded to a multiple of 64. `data_offset` of
/// the argument is ignored.
std::string write_npy_header(const NpyHeader& header);

/// Strides in elements of a contiguous array.
std::vector<Index> contiguous_strides(std::span<const Index> shape, Order order);

}  // namespace weft::tool
