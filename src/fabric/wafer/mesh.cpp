// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/mesh.hpp"

#include <algorithm>

namespace weft::fabric {

Mesh::Mesh(const WaferProgram& program) {
  const int count = program.count();
  for (const Element& element : program.elements)
    color_count_ = std::max(color_count_, static_cast<int>(element.colors.size()));
  const auto routers = static_cast<std::size_t>(count);
  routers_.resize(routers);
  colors_.resize(routers * static_cast<std::size_t>(color_count_));
  sending.assign(routers, 0);
  outbox.resize(routers);
  full_link.assign(routers, 0);
  neighbours_.assign(routers * link_count, -1);
  for (int id = 0; id < count; ++id) {
    const int x = id % program.width;
    const int y = id / program.width;
    int* mine = &neighbours_[static_cast<std::size_t>(id) * link_count];
    if (x > 0) mine[static_cast<int>(Port::west)] = id - 1;
    if (x + 1 < program.width) mine[static_cast<int>(Port::east)] = id + 1;
    if (y > 0) mine[static_cast<int>(Port::north)] = id - program.width;
    if (y + 1 < program.height) mine[static_cast<int>(Port::south)] = id + program.width;
    const Element& element = program.elements[static_cast<std::size_t>(id)];
    for (int c = 0; c < static_cast<int>(element.colors.size()); ++c) {
      const ColorSetting& setting = element.colors[static_cast<std::size_t>(c)];
      if (setting.positions.empty()) continue;
      for (const Route& route : setting.positions)
        if (route.rx != Port::ramp) color(id, c).link_port = route.rx;
      apply_position(id, c, setting, 0);
      if (setting.filter) set_filter(id, c, *setting.filter);
    }
  }
}

void Mesh::apply_position(int id, int color_number, const ColorSetting& setting, int position) {
  ColorState& state = color(id, color_number);
  state.positions = static_cast<std::uint8_t>(setting.positions.size());
  state.position = static_cast<std::uint8_t>(position);
  set_route(id, color_number, setting.positions[static_cast<std::size_t>(position)]);
}

void Mesh::set_route(int id, int color_number, const Route& route) {
  RouterState& here = router(id);
  ColorState& state = color(id, color_number);
  const ColorMask mask = bit(color_number);
  here.rx_link &= ~mask;
  here.rx_ramp &= ~mask;
  (route.rx == Port::ramp ? here.rx_ramp : here.rx_link) |= mask;
  for (int output = 0; output < port_count; ++output) {
    ColorMask& tx = here.tx[static_cast<std::size_t>(output)];
    tx = contains(route.tx, static_cast<Port>(output)) ? (tx | mask) : (tx & ~mask);
  }
  state.tx = route.tx;
}

void Mesh::set_filter(int id, int color_number, const Filter& filter) {
  ColorState& state = color(id, color_number);
  state.filter_count = filter.init;
  state.filter_limit = filter.limit;
  state.filter_max = filter.max;
  router(id).filtered |= bit(color_number);
}

void Mesh::detach(int id, int color_number) {
  ColorState& state = color(id, color_number);
  RouterState& here = router(id);
  here.filtered &= ~bit(color_number);
  const auto onward = static_cast<PortSet>(state.tx & ~only(Port::ramp));
  if (onward == 0) return;  // the last element of its segment: nothing more arrives
  state.tx = onward;
  here.tx[static_cast<std::size_t>(Port::ramp)] &= ~bit(color_number);
}

}  // namespace weft::fabric
