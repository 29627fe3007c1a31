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

/// A wavelet in a buffer: the tag of a word, or one of the highest numbers for a control wavelet.
using Wavelet = std::uint32_t;
inline constexpr Wavelet first_control = 0xfffffff0U;
constexpr Wavelet make_control(Control control) {
  return first_control + static_cast<Wavelet>(control);
}
constexpr Control control_of(Wavelet wavelet) {
  return wavelet < first_control ? Control::none : static_cast<Control>(wavelet - first_control);
}

/// One color at one router, in one line of the host's cache. Words from the neighbour and words
/// from the element wait in buffers of their own; rx says whose turn it is.
struct alignas(64) ColorState {
  std::array<Wavelet, 4> link{}, ramp{};
  std::uint32_t filter_count = 0, filter_limit = 0, filter_max = 0;
  std::uint8_t link_head = 0, link_count = 0, ramp_head = 0, ramp_count = 0;
  std::uint8_t position = 0, positions = 0;
  Port link_port = Port::ramp;  ///< the neighbour it may come from; ramp: from none
  PortSet tx = 0;               ///< of the present position

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

/// All colors of one router, as masks: again one line.
struct alignas(64) RouterState {
  ColorMask rx_link = 0, rx_ramp = 0;            ///< by where their present position listens
  ColorMask waiting_link = 0, waiting_ramp = 0;  ///< with words
  ColorMask touched = 0;                         ///< whose link buffers changed in this cycle
  ColorMask filtered = 0;                        ///< with a filter
  ColorMask armed = 0;                           ///< whose words the element takes now
  std::array<ColorMask, port_count> tx{};        ///< by output
  std::array<std::uint8_t, port_count> turn{};   ///< round robin: who is first at this output

  /// With a word where their present position listens.
  ColorMask pending() const { return (waiting_link & rx_link) | (waiting_ramp & rx_ramp); }
};

/// What a router has put on its links in this cycle.
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
  /// Large meshes do not fit the host's caches: asks for a color that is looked at soon.
  void fetch_ahead([[maybe_unused]] int id, [[maybe_unused]] int color_number) const {
#if defined(__GNUC__)
    __builtin_prefetch(
        &colors_[static_cast<std::size_t>(id) * static_cast<std::size_t>(color_count_) +
                 static_cast<std::size_t>(color_number)],
        1);
#endif
  }

  /// Takes the route of `position` into the masks.
  void apply_position(int id, int color, const ColorSetting& setting, int position);
  void set_route(int id, int color, const Route& route);
  void set_filter(int id, int color, const Filter& filter);
  /// The color passes by, and its filter is free.
  void detach(int id, int color);

  std::vector<std::uint8_t> sending;  ///< per router: outputs that carry a word in this cycle
  std::vector<Outbox> outbox;         ///< per router: valid where `sending` says so
  std::vector<ColorMask> full_link;   ///< per router: colors whose link buffer is full

 private:
  int color_count_ = 0;
  std::vector<RouterState> routers_;
  std::vector<ColorState> colors_;
  std::vector<int> neighbours_;
};

}  // namespace weft::fabric
