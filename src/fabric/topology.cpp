// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/topology.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/format.hpp"
#include "weft/error.hpp"

namespace weft::fabric {

Topology Topology::grid(std::string name, std::vector<int> sides, bool wraps) {
  std::int64_t count = 1;
  for (const int side : sides) {
    if (side < 1)
      throw Error(ErrorCode::invalid_argument, weft::format("{}: sides are at least 1", name));
    count *= side;
    if (count > 1 << 24)
      throw Error(ErrorCode::unsupported,
                  weft::format("{}: at most 2^24 nodes are kept link by link", name));
  }
  Topology result;
  result.name_ = std::move(name);
  result.nodes_ = static_cast<int>(count);
  result.positions_.moduli = std::move(sides);
  result.wraps_ = wraps;
  result.leaving_.resize(static_cast<std::size_t>(count));
  const AbelianGroup& at = result.positions_;
  for (NodeId node = 0; node < result.nodes_; ++node)
    for (std::size_t axis = 0; axis < at.moduli.size(); ++axis)
      for (const int step : {1, -1}) {
        const int side = at.moduli[axis];
        const int next = at.digit(node, axis) + step;
        if (side == 1 || (side == 2 && wraps && step != (at.digit(node, axis) == 0 ? 1 : -1)))
          continue;
        if (!wraps && (next < 0 || next >= side)) continue;
        const NodeId to = at.with_digit(node, axis, (next + side) % side);
        result.leaving_[static_cast<std::size_t>(node)].push_back(
            static_cast<LinkId>(result.links_.size()));
        result.links_.push_back({node, to, 1});
      }
  if (wraps) result.group_ = at;
  return result;
}

Topology Topology::line(int nodes) {
  return grid(weft::format("line of {}", nodes), {nodes}, false);
}
Topology Topology::ring(int nodes) {
  return grid(weft::format("ring of {}", nodes), {nodes}, true);
}
Topology Topology::mesh(std::vector<int> sides) {
  std::string name = weft::format("mesh {}", joined(sides, "x"));
  return grid(std::move(name), std::move(sides), false);
}
Topology Topology::torus(std::vector<int> sides) {
  std::string name = weft::format("torus {}", joined(sides, "x"));
  return grid(std::move(name), std::move(sides), true);
}
Topology Topology::hypercube(int dimensions) {
  if (dimensions < 0 || dimensions > 24)
    throw Error(ErrorCode::invalid_argument, "hypercube: 0 to 24 dimensions");
  return grid(weft::format("hypercube of dimension {}", dimensions),
              std::vector<int>(static_cast<std::size_t>(dimensions), 2), true);
}

Topology Topology::fat_tree(int leaves, int radix, double taper) {
  if (leaves < 1 || radix < 2 || !(taper > 0 && taper <= 1))
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("fat tree of {} leaves, radix {}, taper {}: at least one leaf, radix 2 and "
                     "a taper in (0, 1]",
                     leaves, radix, taper));
  Topology result;
  result.name_ = weft::format("fat tree of {}", leaves);
  result.kind_ = Kind::tree;
  result.nodes_ = leaves;
  std::vector<int> level(static_cast<std::size_t>(leaves));
  std::iota(level.begin(), level.end(), 0);
  std::vector<double> below(static_cast<std::size_t>(leaves), 1);  // leaves under each vertex
  int next = leaves;
  bool first = true;
  result.parent_.assign(static_cast<std::size_t>(leaves), -1);
  while (level.size() > 1) {
    std::vector<int> above;
    for (std::size_t k = 0; k < level.size(); ++k) {
      if (k % static_cast<std::size_t>(radix) == 0) {
        above.push_back(next++);
        result.parent_.push_back(-1);
        below.push_back(0);
      }
      const auto child = static_cast<std::size_t>(level[k]);
      result.parent_[child] = above.back();
      below[static_cast<std::size_t>(above.back())] += below[child];
      const double width = first ? 1 : below[child] * taper;
      result.links_.push_back({level[k], above.back(), width});
      result.links_.push_back({above.back(), level[k], width});
    }
    level = std::move(above);
    first = false;
  }
  result.tree_bisection_ = leaves < 2 ? 0 : (leaves > radix ? taper : 1) * leaves / 2.0;
  result.leaving_.resize(static_cast<std::size_t>(next));
  for (std::size_t link = 0; link < result.links_.size(); ++link)
    result.leaving_[static_cast<std::size_t>(result.links_[link].from)].push_back(
        static_cast<LinkId>(link));
  return result;
}

LinkId Topology::link_between(NodeId from, NodeId to) const {
  for (const LinkId link : leaving_[static_cast<std::size_t>(from)])
    if (links_[static_cast<std::size_t>(link)].to == to) return link;
  throw Error(ErrorCode::internal, weft::format("{}: no link from {} to {}", name_, from, to));
}

Path Topology::grid_path(NodeId from, NodeId to) const {
  Path path;
  for (std::size_t axis = 0; axis < positions_.moduli.size(); ++axis) {
    const int side = positions_.moduli[axis];
    const int target = positions_.digit(to, axis);
    int ahead = target - positions_.digit(from, axis);
    if (wraps_) {
      ahead = (ahead + side) % side;
      const bool half_way = 2 * ahead == side;
      // The parity of all coordinates, so that ties of different lines go different ways.
      int parity = 0;
      for (std::size_t k = 0; k < positions_.moduli.size(); ++k)
        parity += positions_.digit(from, k);
      if (2 * ahead > side || (half_way && parity % 2 != 0)) ahead -= side;
    }
    const int step = ahead > 0 ? 1 : -1;
    for (; ahead != 0; ahead -= step) {
      const int next = (positions_.digit(from, axis) + step + side) % side;
      const NodeId neighbour = positions_.with_digit(from, axis, next);
      path.push_back(link_between(from, neighbour));
      from = neighbour;
    }
  }
  return path;
}

Path Topology::tree_path(NodeId from, NodeId to) const {
  Path up, down;
  while (from != to) {
    const int next_from = parent_[static_cast<std::size_t>(from)];
    const int next_to = parent_[static_cast<std::size_t>(to)];
    up.push_back(link_between(from, next_from));
    down.push_back(link_between(next_to, to));
    from = next_from;
    to = next_to;
  }
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

Path Topology::path(NodeId from, NodeId to) const {
  if (from < 0 || to < 0 || from >= nodes_ || to >= nodes_)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("{}: path from {} to {}, but nodes are 0 to {}", name_, from, to, nodes_ - 1));
  return kind_ == Kind::tree ? tree_path(from, to) : grid_path(from, to);
}

std::string Topology::node_name(NodeId node) const {
  if (kind_ == Kind::tree)
    return node < nodes_ ? weft::format("node {}", node) : weft::format("switch {}", node - nodes_);
  std::vector<int> place;
  for (std::size_t axis = 0; axis < positions_.moduli.size(); ++axis)
    place.push_back(positions_.digit(node, axis));
  return "(" + joined(place, ",") + ")";
}

std::string Topology::link_name(LinkId link) const {
  const Link& ends = links_[static_cast<std::size_t>(link)];
  return node_name(ends.from) + " > " + node_name(ends.to);
}

double Topology::bisection() const {
  if (kind_ == Kind::tree) return tree_bisection_;
  // Across the longest side: as many lines as the rest has nodes, twice where they close.
  const int longest = *std::ranges::max_element(positions_.moduli);
  if (longest == 1) return 0;
  return static_cast<double>(nodes_) / longest * (wraps_ && longest > 2 ? 2 : 1);
}

std::vector<NodeId> embed_ring(const AbelianGroup& torus) {
  std::vector<NodeId> ring(static_cast<std::size_t>(torus.order()));
  std::iota(ring.begin(), ring.end(), 0);  // node numbers are the mixed-radix numbers of Eq. (1)
  return ring;
}

}  // namespace weft::fabric
