// SPDX-License-Identifier: BSD-3-Clause
// Nodes and the directed links between them: line, ring, mesh, torus, hypercube, fat tree. A path
// is the list of links that a message takes; routes are deterministic.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fabric/abelian_group.hpp"

namespace weft::fabric {

using NodeId = int;
using LinkId = int;

struct Link {
  NodeId from = 0, to = 0;
  double words_per_cycle = 1;
};
using Path = std::vector<LinkId>;

class Topology {
 public:
  static Topology line(int nodes);
  static Topology ring(int nodes);
  static Topology mesh(std::vector<int> sides);
  static Topology torus(std::vector<int> sides);
  static Topology hypercube(int dimensions);
  /// `leaves` nodes under switches of `radix` downward ports; every level up has `taper` times the
  /// bandwidth that full bisection would need.
  static Topology fat_tree(int leaves, int radix, double taper);

  const std::string& name() const { return name_; }
  int nodes() const { return nodes_; }  ///< that send and receive; switches are beyond them
  std::span<const Link> links() const { return links_; }
  /// "(1,0,3)", "node 5", "switch 2": an end of a link.
  std::string node_name(NodeId node) const;
  std::string link_name(LinkId link) const;  ///< "(1,0,3) > (1,0,2)"
  /// Dimension by dimension, the shorter way round; exactly half way: up from even positions, down
  /// from odd ones, so that both directions carry the same. Through the lowest common switch.
  Path path(NodeId from, NodeId to) const;
  int distance(NodeId from, NodeId to) const { return static_cast<int>(path(from, to).size()); }
  /// Words per cycle from one half of the nodes to the other, over the worst straight cut.
  double bisection() const;
  /// The group whose graph this is: ring, torus, hypercube.
  const std::optional<AbelianGroup>& group() const { return group_; }

 private:
  enum class Kind { grid, tree };
  static Topology grid(std::string name, std::vector<int> sides, bool wraps);
  LinkId link_between(NodeId from, NodeId to) const;
  Path grid_path(NodeId from, NodeId to) const;
  Path tree_path(NodeId from, NodeId to) const;

  std::string name_;
  Kind kind_ = Kind::grid;
  int nodes_ = 0;
  AbelianGroup positions_;  ///< the sides; coordinates are its digits
  bool wraps_ = false;
  std::vector<Link> links_;
  std::vector<std::vector<LinkId>> leaving_;
  std::optional<AbelianGroup> group_;
  // Fat tree: vertices level by level; vertex v has the parent parent_[v].
  std::vector<int> parent_;
  double tree_bisection_ = 0;
};

/// A ring of all nodes of a torus in which neighbours are close: position l of the ring is the node
/// with the mixed-radix digits of l (APE's embedding, Eq. (1)).
std::vector<NodeId> embed_ring(const AbelianGroup& torus);

}  // namespace weft::fabric
