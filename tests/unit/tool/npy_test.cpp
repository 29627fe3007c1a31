// SPDX-License-Identifier: BSD-3-Clause
#include "npy.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "convert.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

/// A whole file around a header text that may be wrong.
std::string file_with(const std::string& dictionary, std::size_t data_bytes, char major = 1) {
  std::string text = "\x93NUMPY";
  text += major;
  text += '\0';
  text += static_cast<char>(dictionary.size() & 0xff);
  text += static_cast<char>(dictionary.size() >> 8);
  if (major > 1) text += std::string(2, '\0');
  return text + dictionary + std::string(data_bytes, 'x');
}

std::string refusal(const std::string& file) {
  try {
    read_npy_header(bytes(file), "a.npy");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::io);
    return error.what();
  }
  return "";
}

TEST(Npy, HeadersSurviveTheWayThroughAFile) {
  for (const NpyType type : {NpyType::f16, NpyType::f32, NpyType::f64, NpyType::c64, NpyType::c128})
    for (const Order order : {Order::row_major, Order::column_major})
      for (const std::endian byte_order : {std::endian::little, std::endian::big})
        for (const std::vector<Index>& shape :
             {std::vector<Index>{}, {7}, {3, 4}, {2, 1, 5, 3}, {0, 4}}) {
          NpyHeader header{type, byte_order, order, shape, 0};
          std::string file = write_npy_header(header);
          EXPECT_EQ(file.size() % 64, 0u);
          header.data_offset = file.size();
          file.resize(file.size() + static_cast<std::size_t>(header.count()) * bytes_of(type));
          EXPECT_EQ(read_npy_header(bytes(file), "a.npy"), header);
        }
}

TEST(Npy, ReadsWhatNumPyWrites) {
  const std::string dictionary = "{'descr': '<c16', 'fortran_order': True, 'shape': (2, 3), }   \n";
  for (const char major : {1, 2, 3}) {
    const NpyHeader header = read_npy_header(bytes(file_with(dictionary, 96, major)), "a.npy");
    EXPECT_EQ(header.type, NpyType::c128);
    EXPECT_EQ(header.order, Order::column_major);
    EXPECT_EQ(header.shape, (std::vector<Index>{2, 3}));
  }
}

TEST(Npy, ReadsOtherSpellingsOfTheSameDictionary) {
  const std::string file =
      file_with("{\"shape\":(3L,) , \"fortran_order\" : False,\n'descr':'>f4'}", 12);
  const NpyHeader header = read_npy_header(bytes(file), "a.npy");
  EXPECT_EQ(header.byte_order, std::endian::big);
  EXPECT_EQ(header.shape, std::vector<Index>{3});
}

TEST(Npy, RefusesWhatIsNotTrue) {
  const auto with = [](const std::string& descr, const std::string& shape, std::size_t data) {
    return file_with("{'descr': " + descr + ", 'fortran_order': False, 'shape': " + shape + ", }\n",
                     data);
  };
  EXPECT_EQ(refusal(with("'<f8'", "(3,)", 24)), "");
  EXPECT_NE(refusal(with("'<f8'", "(3,)", 23)).find("truncated"), std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(3,)", 25)).find("longer than its header says"),
            std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(-3,)", 24)).find("negative"), std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(3, 'a')", 24)).find("integers"), std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "3", 24)).find("tuple"), std::string::npos);
  EXPECT_NE(refusal(with("'<i4'", "(6,)", 24)).find("astype"), std::string::npos);
  EXPECT_NE(refusal(with("'|b1'", "(24,)", 24)).find("astype"), std::string::npos);
  EXPECT_NE(refusal(with("'<f16'", "(1,)", 16)).find("float64"), std::string::npos);
  EXPECT_NE(refusal(with("[('a', '<f8')]", "(3,)", 24)).find("type"), std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(9223372036854775807, 9)", 24)).find("64 bits"),
            std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(99999999999999999999,)", 24)).find("64 bits"),
            std::string::npos);
  EXPECT_NE(refusal(with("'<f8'", "(4611686018427387904,)", 24)).find("64 bits"),
            std::string::npos);
}

TEST(Npy, RefusesDamagedHeaders) {
  EXPECT_NE(refusal("").find("not a NumPy file"), std::string::npos);
  EXPECT_NE(refusal("PK\x03\x04 zip").find("not a NumPy file"), std::string::npos);
  EXPECT_NE(refusal("\x93NUMPY").find("version"), std::string::npos);
  EXPECT_NE(refusal(file_with("{}", 0, 9)).find("version"), std::string::npos);
  EXPECT_NE(refusal(file_with("{'descr': '<f8'}", 0)).find("has no entry"), std::string::npos);
  EXPECT_NE(refusal(file_with("{'descr': '<f8", 0)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(file_with("nonsense", 0)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(file_with("{'a': (1", 0)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(file_with("{'descr': '<f8', 'fortran_order': 1, 'shape': ()}", 8)).find("True"),
            std::string::npos);
  EXPECT_NE(refusal(file_with("{}", 0).substr(0, 11)).find("within its header"), std::string::npos);
}

TEST(Npy, HeadersHaveLimits) {
  const auto with_shape = [](std::size_t dimensions) {
    std::string ones;
    for (std::size_t d = 0; d < dimensions; ++d) ones += "1,";
    return file_with("{'descr': '<f8', 'fortran_order': False, 'shape': (" + ones + ")}", 8);
  };
  EXPECT_EQ(refusal(with_shape(64)), "");
  EXPECT_NE(refusal(with_shape(65)).find("65 dimensions"), std::string::npos);
  const std::string length("\x00\x00\x20\x00", 4);  // 2 MiB
  const std::string large = "\x93NUMPY\x02" + std::string(1, '\0') + length;
  EXPECT_NE(refusal(large + std::string(1 << 21, ' ')).find("header of 2097152 bytes"),
            std::string::npos);
  const std::string nonsense(10000, 'x');
  for (const std::string& text :
       {"{'descr': '" + nonsense + "', 'fortran_order': True, 'shape': ()}",
        "{'descr': '<f8', 'fortran_order': '" + nonsense + "', 'shape': ()}"}) {
    const std::string message = refusal(file_with(text, 8));
    EXPECT_NE(message, "");
    EXPECT_LT(message.size(), 250u) << message;
  }
}

TEST(Npy, NoPrefixOfAGoodFileIsAccepted) {
  NpyHeader header;
  header.shape = {2};
  const std::string file = write_npy_header(header) + std::string(16, 'x');
  for (std::size_t length = 0; length < file.size(); ++length)
    EXPECT_NE(refusal(file.substr(0, length)), "") << length;
  EXPECT_EQ(refusal(file), "");
}

TEST(Npy, StridesFollowTheOrder) {
  const std::vector<Index> shape = {2, 3, 5};
  EXPECT_EQ(contiguous_strides(shape, Order::row_major), (std::vector<Index>{15, 5, 1}));
  EXPECT_EQ(contiguous_strides(shape, Order::column_major), (std::vector<Index>{1, 2, 6}));
}

TEST(Convert, HalvesSurviveTheWayThroughFloat) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half half{static_cast<std::uint16_t>(bits)};
    const float value = float_of(half);
    if (std::isnan(value))
      EXPECT_TRUE(std::isnan(float_of(half_of(value))));
    else
      EXPECT_EQ(half_of(value), half) << bits;
  }
}

TEST(Convert, HalvesRoundToNearestEven) {
  EXPECT_EQ(float_of(half_of(1.0f + 0x1p-11f)), 1.0f);                // tie, down to even
  EXPECT_EQ(float_of(half_of(1.0f + 3 * 0x1p-11f)), 1.0f + 0x1p-9f);  // tie, up to even
  EXPECT_EQ(float_of(half_of(1.0f + 0x1.1p-11f)), 1.0f + 0x1p-10f);   // just above the tie
  EXPECT_EQ(half_of(65519.0f).bits, 0x7bff);
  EXPECT_EQ(half_of(65520.0f).bits, 0x7c00);
  EXPECT_EQ(half_of(-1e30f).bits, 0xfc00);
  EXPECT_EQ(half_of(0x1p-25f).bits, 0);  // tie between 0 and the smallest
  EXPECT_EQ(half_of(0x1.8p-25f).bits, 1);
}

TEST(Convert, SwapsBytesWidensAndMakesComplex) {
  const unsigned char big_endian_floats[] = {0x3f, 0x80, 0, 0, 0xc0, 0x20, 0, 0};  // 1, -2.5
  std::complex<double> values[2];
  convert_elements(reinterpret_cast<const std::byte*>(big_endian_floats), NpyType::f32,
                   std::endian::big, reinterpret_cast<std::byte*>(values), NpyType::c128, 2);
  EXPECT_EQ(values[0], 1.0);
  EXPECT_EQ(values[1], -2.5);
}

}  // namespace
}  // namespace weft::tool
