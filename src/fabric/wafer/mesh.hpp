// SPDX-License-Identifier: BSD-3-Clause
// The state of the routers, stored for fast access: per router bit masks over colors (virtual
// channels): which have waiting words, where they are routed, which are full; and their buffers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "fabric/wafer/program.hpp"

namespace weft::fabric {

using ColorMask = std::uint32_t;
constexpr ColorMask bit(int color) { return ColorMask{1} << static_cast<unsigned>(color); }

/// A wavelet (a packet of one word) in a buffer: the number of the word, or one of the highest
/// numbers for a control wavelet.
using Wavelet = std::uint32_t;
inline constexpr Wavelet first_control = 0xfffffff0U;
constexpr Wavelet make_control(Control control) {
  return first_control + static_cast<Wavelet>(control);
}
constexpr Control control_of(Wavelet wavelet) {
  return wavelet < first_control ? Control::none : static_cast<Control>(wavelet - first_control);
}

/// One color at one router, in one cache line of the host. Words from the neighbour (link) and
/// words from the element (ramp) wait in separate buffers; the route's rx says which of them may
/// send.
struct alignas(64) ColorState {
  std::array<Wavelet, 4> link{}, ramp{};
  std::uint32_t filter_count = 0, filter_limit = 0, filter_max = 0;
  std::uint8_t link_head = 0, link_count = 0, ramp_head = 0, ramp_count = 0;
  std::uint8_t position = 0, positions = 0;
  Port link_port = Port::ramp;  ///< the neighbour that words may come from; ramp: none
  PortSet tx = 0;               ///< of the current switch position

  void push_link(Wavelet wavelet) { link[(link_head + link_count++) & 3U] = wavelet; }
  void push_ramp(Wavelet wavelet) { ramp[(ramp_head + ramp_count++) & 3U] = wavelet; }
  void pop_link() {
    link_head = (link_head + 1U) & 3U;
    --link_count;
  }
  void pop_ramp() {
    ramp_head = (ramp_head + 1U) & 3U;
    --ramp_count;
  }
};

/// All colors of one router as masks, also in one cache line.
struct alignas(64) RouterState {
  ColorMask rx_link = 0,
            rx_ramp = 0;  ///< colors whose current position listens to the link, and to the ramp
  ColorMask waiting_link = 0, waiting_ramp = 0;  ///< colors with waiting words
  ColorMask touched = 0;                   ///< colors whose link buffers changed in this cycle
  ColorMask filtered = 0;                  ///< colors with a filter
  ColorMask armed = 0;                     ///< colors whose words the element accepts now
  std::array<ColorMask, port_count> tx{};  ///< by output
  std::array<std::uint8_t, port_count>
      turn{};  ///< round robin: which color is first at this output

  /// Colors with a waiting word at the input to which their current position listens.
  ColorMask pending() const { return (waiting_link & rx_link) | (waiting_ramp & rx_ramp); }
};

/// The words that a router has put on its links in this cycle.
struct Outbox {
  std::array<Wavelet, link_count> word{};
  std::array<Color, link_count> color{};
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
  /// Prefetches a color that is used soon: large meshes do not fit in the host's caches.
  void fetch_ahead([[maybe_unused]] int id, [[maybe_unused]] int color_number) const {
#if defined(__GNUC__)
    __builtin_prefetch(
        &colors_[static_cast<std::size_t>(id) * static_cast<std::size_t>(color_count_) +
                 static_cast<std::size_t>(color_number)],
        1);
#endif
  }

  /// Writes the route of switch position `position` to the masks.
  void apply_position(int id, int color, const ColorSetting& setting, int position);
  void set_route(int id, int color, const Route& route);
  void set_filter(int id, int color, const Filter& filter);
  /// The color no longer goes to the element, and its filter is free.
  void detach(int id, int color);

  std::vector<std::uint8_t>
      sending;                       ///< per router: set of outputs that carry a word in this cycle
  std::vector<Outbox> outbox;        ///< per router: valid where `sending` says so
  std::vector<ColorMask> full_link;  ///< per router: colors whose link buffer is full

 private:
  int color_count_ = 0;
  std::vector<RouterState> routers_;
  std::vector<ColorState> colors_;
  std::vector<int> neighbours_;
};

}  // namespace weft::fabric
