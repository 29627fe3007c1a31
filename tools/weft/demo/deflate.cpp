// SPDX-License-Identifier: BSD-3-Clause
#include "demo/deflate.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace weft::tool {
namespace {

constexpr std::size_t shortest = 3, longest = 258, window = 32768;

/// Bits in the order of the format: numbers from their lowest bit, codes from their highest.
class BitWriter {
 public:
  void number(unsigned value, int bits) {
    word_ |= static_cast<std::uint64_t>(value) << filled_;
    for (filled_ += bits; filled_ >= 8; filled_ -= 8, word_ >>= 8)
      bytes_ += static_cast<char>(word_ & 0xff);
  }
  void code(unsigned value, int bits) {
    for (int bit = bits; bit-- > 0;) number(value >> bit & 1, 1);
  }
  /// A literal, the end (256) or a length symbol, in the fixed code.
  void symbol(unsigned value) {
    if (value < 144) return code(0x30 + value, 8);
    if (value < 256) return code(0x190 + value - 144, 9);
    if (value < 280) return code(value - 256, 7);
    code(0xc0 + value - 280, 8);
  }
  std::string finish() {
    if (filled_ > 0) number(0, 8 - filled_);
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
  std::uint64_t word_ = 0;
  int filled_ = 0;
};

/// Lengths and distances share a scheme: `groups` symbols of 0 extra bits, then as many for each
/// further bit.
struct Extra {
  unsigned symbol, bits, rest;
};
Extra extra_of(unsigned value, unsigned per_bit) {
  unsigned bits = 0, base = 0, symbol = 0;
  unsigned count = 2 * per_bit;  // those without extra bits
  while (value >= base + (count << bits)) {
    base += count << bits;
    symbol += count;
    count = per_bit;
    ++bits;
  }
  return {symbol + ((value - base) >> bits), bits, (value - base) & ((1u << bits) - 1)};
}

void write_match(BitWriter& out, std::size_t length, std::size_t distance) {
  if (length == longest) {
    out.symbol(285);
  } else {
    const Extra l = extra_of(static_cast<unsigned>(length - shortest), 4);
    out.symbol(257 + l.symbol);
    out.number(l.rest, static_cast<int>(l.bits));
  }
  const Extra d = extra_of(static_cast<unsigned>(distance - 1), 2);
  out.code(d.symbol, 5);
  out.number(d.rest, static_cast<int>(d.bits));
}

}  // namespace

std::string deflated(const std::string& data) {
  BitWriter out;
  out.number(1, 1);                                       // the last block
  out.number(1, 2);                                       // fixed code
  std::vector<std::size_t> latest(1 << 15, data.size());  // by a hash of three bytes
  for (std::size_t at = 0; at < data.size();) {
    std::size_t length = 0, distance = 0;
    if (at + shortest <= data.size()) {
      const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(data[at + i]));
      };
      const std::uint32_t key = (byte(0) << 16 | byte(1) << 8 | byte(2)) * 2654435761u >> 17;
      const std::size_t before = latest[key];
      latest[key] = at;
      if (before < at && at - before <= window) {
        const std::size_t end = std::min(longest, data.size() - at);
        while (length < end && data[before + length] == data[at + length]) ++length;
        distance = at - before;
      }
    }
    if (length >= shortest) {
      write_match(out, length, distance);
      at += length;
    } else {
      out.symbol(static_cast<unsigned char>(data[at++]));
    }
  }
  out.symbol(256);
  return out.finish();
}

}  // namespace weft::tool
