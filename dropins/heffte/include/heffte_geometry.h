// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's boxes of indices, and how an array is divided into such boxes.
#ifndef HEFFTE_GEOMETRY_H
#define HEFFTE_GEOMETRY_H

#include "heffte_utils.h"

namespace heffte {

/// The indices from `low` to `high`, both included. `order` lists the directions from the one that
/// is adjacent in memory to the slowest.
template <typename index = int>
struct box3d {
  box3d(std::array<index, 3> first, std::array<index, 3> last)
      : box3d(first, last, std::array<int, 3>{{0, 1, 2}}) {}
  box3d(std::array<index, 3> first, std::array<index, 3> last, std::array<int, 3> storage_order)
      : low(first), high(last), size(extents(first, last)), order(storage_order) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last)
      : box3d(first, last, std::array<int, 2>{{0, 1}}) {}
  box3d(std::array<index, 2> first, std::array<index, 2> last, std::array<int, 2> storage_order)
      : box3d(std::array<index, 3>{{first[0], first[1], 0}},
              std::array<index, 3>{{last[0], last[1], 0}},
              std::array<int, 3>{{storage_order[0], storage_order[1], 2}}) {}

  bool empty() const { return size[0] <= 0 || size[1] <= 0 || size[2] <= 0; }
  long long count() const {
    if (empty()) return 0;
    long long product = 1;
    for (index n : size) product *= n;
    return product;
  }
  bool is2d() const { return std::count(size.begin(), size.end(), index(1)) > 0; }

  /// What both boxes have.
  box3d collide(const box3d other) const {
    if (empty() || other.empty()) return nothing();
    std::array<index, 3> first, last;
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = std::max(low[d], other.low[d]);
      last[d] = std::min(high[d], other.high[d]);
    }
    return box3d(first, last, order);
  }
  /// The half of the spectrum that a real transform along a direction gives.
  box3d r2c(int direction) const {
    if (empty()) return nothing();
    const std::size_t d =
        direction == 0 || direction == 1 ? static_cast<std::size_t>(direction) : 2;
    std::array<index, 3> last = high;
    last[d] = low[d] + size[d] / 2;
    return box3d(low, last, order);
  }

  /// Without regard to the order.
  bool operator==(const box3d& other) const { return low == other.low && high == other.high; }
  bool operator!=(const box3d& other) const { return !(*this == other); }
  bool ordered_same_as(const box3d& other) const { return order == other.order; }
  /// At which place of the order a direction is: 0 is adjacent in memory.
  int find_order(int direction) const {
    return order[0] == direction ? 0 : order[1] == direction ? 1 : 2;
  }
  /// The extent of the direction at a place of the order.
  index osize(int place) const {
    return size[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
  }

  const std::array<index, 3> low, high, size;
  const std::array<int, 3> order;

 private:
  static std::array<index, 3> extents(const std::array<index, 3>& first,
                                      const std::array<index, 3>& last) {
    return {{last[0] - first[0] + 1, last[1] - first[1] + 1, last[2] - first[2] + 1}};
  }
  static box3d nothing() {
    return box3d(std::array<index, 3>{{0, 0, 0}}, std::array<index, 3>{{-1, -1, -1}});
  }
};

template <typename index = int>
using box2d = box3d<index>;

template <typename index>
std::ostream& operator<<(std::ostream& out, const box3d<index> box) {
  for (std::size_t d = 0; d < 3; ++d)
    out << box.low[d] << " to " << box.high[d] << " (" << box.size[d] << "), ";
  return out << "order " << box.order[0] << ' ' << box.order[1] << ' ' << box.order[2] << '\n';
}

/// Which rank of a group works on the part of each rank; empty: each on its own.
struct rank_remap {
  rank_remap() : rank_remap(-1) {}
  explicit rank_remap(int rank) : mpi_rank(rank), size_subcomm(0) {}
  bool empty() const { return map.empty(); }
  void set_subranks(std::size_t all_ranks, int sub_ranks) {
    size_subcomm = sub_ranks;
    map.assign(all_ranks, -1);
    for (int rank = 0; rank < sub_ranks; ++rank) map[static_cast<std::size_t>(rank)] = rank;
  }
  void set_subranks(MPI_Comm all, MPI_Comm group) {
    int rank = group == MPI_COMM_NULL ? -1 : mpi::comm_rank(group);
    map.assign(static_cast<std::size_t>(mpi::comm_size(all)), -1);
    MPI_Allgather(&rank, 1, MPI_INT, map.data(), 1, MPI_INT, all);
    size_subcomm = static_cast<int>(
        map.size() - static_cast<std::size_t>(std::count(map.begin(), map.end(), -1)));
  }
  const int mpi_rank;
  std::vector<int> map;
  int size_subcomm;
};

/// The boxes of all ranks.
template <typename index = int>
struct ioboxes {
  std::vector<box3d<index>> in, out;
};

/// The smallest box that has all boxes in it; empty ones do not count.
template <typename index>
box3d<index> find_world(const std::vector<box3d<index>>& boxes) {
  std::array<index, 3> first = {{0, 0, 0}}, last = {{-1, -1, -1}};
  bool is_first = true;
  for (const box3d<index>& box : boxes) {
    if (box.empty()) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      first[d] = is_first ? box.low[d] : std::min(first[d], box.low[d]);
      last[d] = is_first ? box.high[d] : std::max(last[d], box.high[d]);
    }
    is_first = false;
  }
  return box3d<index>(first, last);
}

template <typename index>
bool match(const std::vector<box3d<index>>& a, const std::vector<box3d<index>>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin());
}

/// True, or throws std::invalid_argument: the boxes must make up the world, every index once.
template <typename index>
bool world_complete(const std::vector<box3d<index>>& boxes, const box3d<index> world) {
  for (index first : world.low)
    if (first != 0) throw std::invalid_argument("heffte: the indices of the array start at 0");
  long long count = 0;
  for (const box3d<index>& box : boxes) count += box.count();
  if (count < world.count())
    throw std::invalid_argument("heffte: the boxes of all ranks leave a part of the array out");
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if (!boxes[i].collide(boxes[j]).empty())
        throw std::invalid_argument("heffte: boxes of two ranks overlap");
  return true;
}

/// The array divided by a grid of ranks, whose first direction counts fastest. Parts along a
/// direction differ by one index at most, the longer ones first.
template <typename index>
std::vector<box3d<index>> split_world(const box3d<index> world, const std::array<int, 3> grid,
                                      const rank_remap& remap = rank_remap()) {
  const auto begin = [&](std::size_t d, int part) {
    const index n = world.size[d], parts = grid[d], p = part;
    return static_cast<index>(world.low[d] + p * (n / parts) + std::min(p, n % parts));
  };
  std::vector<box3d<index>> boxes;
  for (int k = 0; k < grid[2]; ++k)
    for (int j = 0; j < grid[1]; ++j)
      for (int i = 0; i < grid[0]; ++i)
        boxes.push_back(box3d<index>(
            std::array<index, 3>{{begin(0, i), begin(1, j), begin(2, k)}},
            std::array<index, 3>{{begin(0, i + 1) - 1, begin(1, j + 1) - 1, begin(2, k + 1) - 1}},
            world.order));
  if (remap.empty()) return boxes;
  std::vector<box3d<index>> remapped;
  for (int part : remap.map)
    remapped.push_back(part < 0 ? box3d<index>(std::array<index, 3>{{0, 0, 0}},
                                               std::array<index, 3>{{-1, -1, -1}}, world.order)
                                : boxes[static_cast<std::size_t>(part)]);
  return remapped;
}

/// The grid whose blocks have the smallest surface; of equal ones that with the fewest ranks along
/// the first directions. No direction is divided into more parts than it has indices, if that can
/// be.
template <typename index>
std::array<int, 3> proc_setup_min_surface(const box3d<index> world, int ranks) {
  std::array<int, 3> best = {{1, 1, ranks}};
  long long best_surface = -1;
  for (int i = 1; i <= ranks; ++i) {
    if (ranks % i != 0) continue;
    for (int j = 1; j <= ranks / i; ++j) {
      if ((ranks / i) % j != 0) continue;
      const int k = ranks / i / j;
      if (i > world.size[0] || j > world.size[1] || k > world.size[2]) continue;
      const long long a = world.size[0] / i, b = world.size[1] / j, c = world.size[2] / k;
      const long long surface = a * b + b * c + c * a;
      if (best_surface >= 0 && surface >= best_surface) continue;
      best_surface = surface;
      best = {{i, j, k}};
    }
  }
  return best;
}

/// Two factors of a number that differ least, the smaller first.
inline std::array<int, 2> make_procgrid(int const ranks) {
  int smaller = 1;
  for (int i = 1; i * i <= ranks; ++i)
    if (ranks % i == 0) smaller = i;
  return {{smaller, ranks / smaller}};
}

namespace mpi {

/// Collective: the boxes of all ranks.
template <typename index>
ioboxes<index> gather_boxes(const box3d<index> in, const box3d<index> out, MPI_Comm const comm) {
  std::array<long long, 18> mine;
  for (std::size_t d = 0; d < 3; ++d) {
    mine[d] = in.low[d], mine[3 + d] = in.high[d], mine[6 + d] = in.order[d];
    mine[9 + d] = out.low[d], mine[12 + d] = out.high[d], mine[15 + d] = out.order[d];
  }
  std::vector<std::array<long long, 18>> all(static_cast<std::size_t>(comm_size(comm)));
  MPI_Allgather(mine.data(), 18, MPI_LONG_LONG, all.data(), 18, MPI_LONG_LONG, comm);
  const auto box = [](const long long* v) {
    return box3d<index>(std::array<index, 3>{{index(v[0]), index(v[1]), index(v[2])}},
                        std::array<index, 3>{{index(v[3]), index(v[4]), index(v[5])}},
                        std::array<int, 3>{{int(v[6]), int(v[7]), int(v[8])}});
  };
  ioboxes<index> result;
  for (const auto& rank : all) {
    result.in.push_back(box(rank.data()));
    result.out.push_back(box(rank.data() + 9));
  }
  return result;
}

}  // namespace mpi

}  // namespace heffte

#endif
