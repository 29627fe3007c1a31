// SPDX-License-Identifier: BSD-3-Clause
#include "demo/picture.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "demo/deflate.hpp"
#include "file.hpp"

namespace weft::tool {

Picture blank_picture(Index height, Index width) {
  return {height, width, std::vector<double>(static_cast<std::size_t>(height * width), 0.0)};
}

std::string as_text(const Picture& picture) {
  const char* shades[] = {"  ", "\u2591\u2591", "\u2592\u2592", "\u2593\u2593", "\u2588\u2588"};
  std::string text;
  for (Index row = 0; row < picture.height; ++row) {
    text += "    ";
    for (Index column = 0; column < picture.width; ++column) {
      const double value = std::clamp(picture.at(row, column), 0.0, 1.0);
      text += shades[static_cast<int>(std::lround(value * 4))];
    }
    text += '\n';
  }
  return text;
}

namespace {

void append_big_endian(std::string& text, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 0xff);
}

/// The check sums of PNG (CRC-32) and of zlib (Adler-32).
std::uint32_t crc32(const std::string& text) {
  std::uint32_t crc = 0xffffffffu;
  for (const char character : text) {
    crc ^= static_cast<unsigned char>(character);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0u);
  }
  return ~crc;
}
std::uint32_t adler32(const std::string& text) {
  std::uint32_t a = 1, b = 0;
  for (const char character : text) {
    a = (a + static_cast<unsigned char>(character)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

void append_chunk(std::string& file, const std::string& type, const std::string& data) {
  append_big_endian(file, static_cast<std::uint32_t>(data.size()));
  file += type + data;
  append_big_endian(file, crc32(type + data));
}

/// Dark blue, violet, orange, pale yellow: lightness always increases.
std::array<double, 3> colour(double value) {
  constexpr double stops[5][3] = {
      {0.02, 0.02, 0.12}, {0.28, 0.07, 0.43}, {0.73, 0.22, 0.33}, {0.98, 0.60, 0.15}, {1, 1, 0.85}};
  const double position = std::clamp(value, 0.0, 1.0) * 4;
  const int lower = std::min(3, static_cast<int>(position));
  const double t = position - lower;
  std::array<double, 3> rgb{};
  for (std::size_t c = 0; c < 3; ++c) rgb[c] = (1 - t) * stops[lower][c] + t * stops[lower + 1][c];
  return rgb;
}

}  // namespace

std::string as_png(const Picture& picture, Index zoom) {
  std::string scanlines, palette;
  for (int entry = 0; entry < 256; ++entry)
    for (const double part : colour(entry / 255.0))
      palette += static_cast<char>(static_cast<int>(std::lround(255 * part)));
  for (Index row = 0; row < picture.height * zoom; ++row) {
    scanlines += '\0';  // no filter
    for (Index column = 0; column < picture.width * zoom; ++column) {
      const double value = std::clamp(picture.at(row / zoom, column / zoom), 0.0, 1.0);
      scanlines += static_cast<char>(static_cast<int>(std::lround(255 * value)));
    }
  }
  std::string head;
  append_big_endian(head, static_cast<std::uint32_t>(picture.width * zoom));
  append_big_endian(head, static_cast<std::uint32_t>(picture.height * zoom));
  head += std::string("\x08\x03\x00\x00\x00", 5);  // 8 bits, from the palette
  std::string file = "\x89PNG\r\n\x1a\n";
  append_chunk(file, "IHDR", head);
  append_chunk(file, "PLTE", palette);
  std::string data = "\x78\x01" + deflated(scanlines);
  append_big_endian(data, adler32(scanlines));
  append_chunk(file, "IDAT", data);
  append_chunk(file, "IEND", "");
  return file;
}

void write_png(const Picture& picture, Index zoom, const std::string& path) {
  write_file(path, as_png(picture, zoom));
}

}  // namespace weft::tool
