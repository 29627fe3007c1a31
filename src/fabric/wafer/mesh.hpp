// SPDX-License-Identifier: BSD-3-Clause
// The state of the routers, laid out for speed: per router bit masks over colors (which wait, which
// are routed where, which are full), and the buffers behind them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

using ColorMask = std::uint32_t;
constexpr ColorMask bit(int color) { return ColorMask{1} << static_cast<unsigned>(color); }

/// A wavelet in a buffer: the tag of the word below, Control above.
using Wavelet = std::uint64_t;
constexpr Wavelet make_wavelet(std::uint32_t word, Control control) {
  return (static_cast<Wavelet>(control) << 32U) | word;
}
constexpr Control control_of(Wavelet wavelet) { return static_cast<Control>(wavelet >> 32U); }
constexpr std::uint32_t word_of(Wavelet wavelet) { return static_cast<std::uint32_t>(wavelet); }

class Buffer {
 public:
  bool empty() const { return count_ == 0; }
  int count() const { return count_; }
  Wavelet front() const { return words_[head_]; }
  void push(Wavelet wavelet) { words_[(head_ + count_++) & 3U] = wavelet; }
  void pop() {
    head_ = (head_ + 1U) & 3U;
    --count_;
  }

 private:
  std::array<Wavelet, 4> words_{};
  std::uint8_t head_ = 0, count_ = 0;
};

/// One color at one router.
struct ColorState {
  Buffer link, ramp;  ///< words from the neighbour and from the element; rx says whose turn it is
  std::uint32_t filter_count = 0, filter_limit = 0, filter_max = 0;
  std::uint8_t position = 0, positions = 0;
  Port link_port = Port::ramp;  ///< the neighbour it may come from; ramp: from none
  PortSet tx = 0;               ///< of the present position
};

struct RouterState {
  ColorMask rx_link = 0, rx_ramp = 0;          ///< colors by where their present position listens
  ColorMask waiting_link = 0, waiting_ramp = 0;  ///< colors with words
  ColorMask touched = 0;                       ///< colors whose buffers changed in this cycle
  ColorMask filtered = 0;                      ///< colors with a filter
  ColorMask armed = 0;                         ///< colors whose words the element takes now
  std::array<ColorMask, port_count> tx{};      ///< colors by output
  std::array<std::uint8_t, port_count> turn{};  ///< round robin: who is first at this output
  std::array<Color, link_count> sent_color{};
  std::array<Wavelet, link_count> sent{};  ///< valid where the router's bit in `sending` is set
};

class Mesh {
 public:
  explicit Mesh(const WaferProgram& program);

  int neighbour(int router, int link) const {
    return neighbours_[static_cast<std::size_t>(router * link_count + link)];
  }
  RouterState& router(int id) { return routers_[static_cast<std::size_t>(id)]; }
  ColorState& color(int id, int color) {
    return colors_[static_cast<std::size_t>(id) * static_cast<std::size_t>(color_count_) +
                   static_cast<std::size_t>(color)];
  }
  int color_count() const { return color_count_; }

  /// Takes the route of `position` into the masks.
  void apply_position(int id, int color, const ColorSetting& setting, int position);
  void set_route(int id, int color, const Route& route);
  void set_filter(int id, int color, const Filter& filter);
  /// The color passes by, and its filter is free.
  void detach(int id, int color);

  std::vector<std::uint8_t> sending;  ///< per router: outputs that carry a word in this cycle
  std::vector<ColorMask> full_link;   ///< per router: colors whose link buffer is full

 private:
  int color_count_ = 0;
  std::vector<RouterState> routers_;
  std::vector<ColorState> colors_;
  std::vector<int> neighbours_;
};

}  // namespace weft::fabric
