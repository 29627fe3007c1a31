// SPDX-License-Identifier: BSD-3-Clause
#include "npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "base/index.hpp"
#include "text.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::size_t max_header_bytes = 1 << 20;
constexpr std::size_t max_npy_ndim = 64;  // as in NumPy

/// The first characters of a text, for error messages.
std::string_view beginning(std::string_view text) { return text.substr(0, 40); }

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::io, fmt::format("{}: {}", path, why));
}

/// Reads the Python dictionary in a header: its keys are strings, its values strings, booleans and
/// tuples of integers. Values are kept as text.
class DictionaryReader {
 public:
  DictionaryReader(std::string_view text, const std::string& path) : text_(text), path_(path) {}

  std::map<std::string, std::string> read() {
    std::map<std::string, std::string> entries;
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (!entries.emplace(key, value()).second) damaged();
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) damaged();
    return entries;
  }

 private:
  [[noreturn]] void damaged() const {
    refuse_file(
        path_,
        fmt::format("the header is damaged near its byte {}; write the file again with numpy.save",
                    at_));
  }
  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \n\t\r").find(text_[at_]) != text_.npos) ++at_;
  }
  bool accept(char wanted) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) damaged();
  }
  std::string quoted() {
    skip_space();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) damaged();
    const char quote = text_[at_++];
    const auto end = text_.find(quote, at_);
    if (end == text_.npos) damaged();
    const std::string result(text_.substr(at_, end - at_));
    at_ = end + 1;
    return result;
  }
  /// A string without its quotes, or the text up to the closing bracket or the end of the word.
  std::string value() {
    skip_space();
    if (at_ >= text_.size()) damaged();
    const char first = text_[at_];
    if (first == '\'' || first == '"') return quoted();
    if (first == '(' || first == '[') {
      const auto end = text_.find(first == '(' ? ')' : ']', at_);
      if (end == text_.npos) damaged();
      const std::string result(text_.substr(at_, end + 1 - at_));
      at_ = end + 1;
      return result;
    }
    const auto end = std::min(text_.find_first_of(",}", at_), text_.size());
    std::string result(text_.substr(at_, end - at_));
    result.erase(result.find_last_not_of(" \n\t\r") + 1);
    at_ = end;
    return result;
  }

  std::string_view text_;
  const std::string& path_;
  std::size_t at_ = 0;
};

void read_type(const std::string& descr, const std::string& path, NpyHeader& header) {
  std::string_view name = descr;
  header.byte_order = std::endian::native;
  if (!name.empty() && std::string_view("<>=|").find(name[0]) != name.npos) {
    if (name[0] == '<') header.byte_order = std::endian::little;
    if (name[0] == '>') header.byte_order = std::endian::big;
    name.remove_prefix(1);
  }
  for (const NpyType type : {NpyType::f16, NpyType::f32, NpyType::f64, NpyType::c64, NpyType::c128})
    if (name == fmt::format("{}{}", is_complex(type) ? 'c' : 'f', bytes_of(type))) {
      header.type = type;
      return;
    }
  if (!name.empty() && std::string_view("iub").find(name[0]) != name.npos)
    refuse_file(path,
                fmt::format("contains integers ({}), but transforms need floating point; convert "
                            "it first: numpy.save(FILE, numpy.load(FILE).astype(numpy.float64))",
                            beginning(descr)));
  refuse_file(path,
              fmt::format("contains elements of type {}; weft reads float16, float32, float64, "
                          "complex64 and complex128",
                          beginning(descr)));
}

void read_shape(std::string_view text, const std::string& path, NpyHeader& header) {
  const std::string_view whole = text;
  const auto bad = [&](const char* why) {
    refuse_file(path, fmt::format("the header's shape {} {}; write the file again with numpy.save",
                                  whole.substr(0, 80), why));
  };
  if (text.size() < 2 || text.front() != '(' || text.back() != ')') bad("is not a tuple");
  text = text.substr(1, text.size() - 2);
  while (true) {
    const auto begin = text.find_first_not_of(" \n\t");
    if (begin == text.npos) break;
    text.remove_prefix(begin);
    Index extent = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (status == std::errc::result_out_of_range) bad("does not fit in 64 bits");
    if (status != std::errc()) bad("is not a tuple of integers");
    if (extent < 0) bad("has a negative extent");
    header.shape.push_back(extent);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with('L')) text.remove_prefix(1);  // written by Python 2
    const auto comma = text.find_first_not_of(" \n\t");
    if (comma == text.npos) break;
    if (text[comma] != ',') bad("is not a tuple of integers");
    text.remove_prefix(comma + 1);
  }
  if (header.shape.size() > max_npy_ndim)
    refuse_file(path, fmt::format("has {} dimensions; NumPy arrays have at most {}; reshape it",
                                  header.shape.size(), max_npy_ndim));
}

/// Returns the text of the header and sets the offset of the elements.
std::string_view header_text(std::span<const std::byte> file, const std::string& path,
                             std::size_t& data_offset) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (!text.starts_with(magic))
    refuse_file(path, "is not a NumPy file (no \\x93NUMPY at its start); write it with numpy.save");
  const auto byte = [&](std::size_t i) -> std::size_t {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const std::size_t major = byte(6);
  if (major < 1 || major > 3)
    refuse_file(path,
                fmt::format("has format version {}.{}, weft reads 1.0 to 3.0; write it again with "
                            "numpy.save",
                            major, byte(7)));
  const std::size_t length = major == 1 ? byte(8) | byte(9) << 8
                                        : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  const std::size_t begin = major == 1 ? 10 : 12;
  if (length > max_header_bytes)
    refuse_file(
        path, fmt::format(
                  "has a header of {} bytes; weft reads at most {}; write it again with numpy.save",
                  length, max_header_bytes));
  if (text.size() < begin + length)
    refuse_file(path, fmt::format("ends within its header ({} of {} bytes); copy or write it again",
                                  text.size(), begin + length));
  data_offset = begin + length;
  return text.substr(begin, length);
}

void check_length(const NpyHeader& header, std::size_t file_bytes, const std::string& path) {
  const Index bytes = checked_product(header.count(), static_cast<Index>(bytes_of(header.type)),
                                      "the bytes of the array");
  const auto there = static_cast<Index>(file_bytes - header.data_offset);
  const std::string promise =
      fmt::format("the header says shape {} of {}, {} bytes", python_shape_text(header.shape),
                  numpy_name(header.type), bytes);
  if (there < bytes)
    refuse_file(path, fmt::format("is truncated: {}, but {} follow; copy or write it again",
                                  promise, there));
  if (there > bytes)
    refuse_file(
        path,
        fmt::format(
            "is longer than its header says: {}, but {} follow; write it again with numpy.save",
            promise, there));
}

}  // namespace

Index NpyHeader::count() const { return checked_product(shape, "the elements of the array"); }

std::size_t bytes_of(NpyType type) {
  switch (type) {
    case NpyType::f16: return 2;
    case NpyType::f32: return 4;
    case NpyType::f64: return 8;
    case NpyType::c64: return 8;
    case NpyType::c128: return 16;
  }
  return 0;
}

bool is_complex(NpyType type) { return type == NpyType::c64 || type == NpyType::c128; }

Precision precision_of(NpyType type) {
  if (type == NpyType::f16) return Precision::f16;
  return type == NpyType::f32 || type == NpyType::c64 ? Precision::f32 : Precision::f64;
}

NpyType npy_type(Precision precision, bool complex_elements) {
  if (complex_elements) return precision == Precision::f64 ? NpyType::c128 : NpyType::c64;
  if (precision == Precision::f16) return NpyType::f16;
  return precision == Precision::f32 ? NpyType::f32 : NpyType::f64;
}

const char* numpy_name(NpyType type) {
  switch (type) {
    case NpyType::f16: return "float16";
    case NpyType::f32: return "float32";
    case NpyType::f64: return "float64";
    case NpyType::c64: return "complex64";
    case NpyType::c128: return "complex128";
  }
  return "";
}

NpyHeader read_npy_header(std::span<const std::byte> file, const std::string& path) {
  NpyHeader header;
  const auto entries = DictionaryReader(header_text(file, path, header.data_offset), path).read();
  for (const char* key : {"descr", "fortran_order", "shape"})
    if (!entries.contains(key))
      refuse_file(
          path,
          fmt::format("the header has no entry '{}'; write the file again with numpy.save", key));
  read_type(entries.at("descr"), path, header);
  const std::string& order = entries.at("fortran_order");
  if (order != "True" && order != "False")
    refuse_file(path,
                fmt::format("fortran_order in the header is {}; it must be True or False; write "
                            "the file again with numpy.save",
                            beginning(order)));
  header.order = order == "True" ? Order::column_major : Order::row_major;
  read_shape(entries.at("shape"), path, header);
  try {
    check_length(header, file.size(), path);
  } catch (const Error& error) {  // overflow: add the file name to the message
    if (std::string_view(error.what()).starts_with(path)) throw;
    refuse_file(path, error.what());
  }
  return header;
}

std::string write_npy_header(const NpyHeader& header) {
  std::string text = fmt::format("{{'descr': '{}{}{}', 'fortran_order': {}, 'shape': {}, }}",
                                 header.byte_order == std::endian::little ? '<' : '>',
                                 is_complex(header.type) ? 'c' : 'f', bytes_of(header.type),
                                 header.order == Order::column_major ? "True" : "False",
                                 python_shape_text(header.shape));
  const std::size_t prefix = magic.size() + 4;  // version and length
  const std::size_t total = (prefix + text.size() + 1 + 63) / 64 * 64;
  text.resize(total - prefix - 1, ' ');
  text += '\n';
  const auto low = static_cast<char>(text.size() & 0xff),
             high = static_cast<char>(text.size() >> 8);
  return std::string(magic) + '\x01' + '\0' + low + high + text;
}

std::vector<Index> contiguous_strides(std::span<const Index> shape, Order order) {
  std::vector<Index> strides(shape.size());
  Index stride = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::size_t d = order == Order::column_major ? i : shape.size() - 1 - i;
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

}  // namespace weft::tool
