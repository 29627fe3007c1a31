// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's options, and the plan as heFFTe describes it: grids of pencils between the boxes of the
// user. weft chooses its own way; programs print these grids and compare them.
#ifndef HEFFTE_PLAN_LOGIC_H
#define HEFFTE_PLAN_LOGIC_H

#include "heffte_common.h"

namespace heffte {

enum class reshape_algorithm { alltoallv = 0, p2p_plined = 1, p2p = 2, alltoall = 3 };

/// Hints: weft chooses strategy, exchange and the number of ranks itself.
struct plan_options {
  template <typename backend_tag>
  explicit plan_options(backend_tag const)
      : plan_options(true, reshape_algorithm::alltoallv, true) {}
  plan_options(bool reorder, reshape_algorithm exchange, bool pencils)
      : use_reorder(reorder), algorithm(exchange), use_pencils(pencils), use_gpu_aware(true) {}

  void use_num_subranks(int ranks) { sub_ranks_ = ranks; }
  void use_subcomm(MPI_Comm) { sub_ranks_ = 1; }
  int get_subranks() const { return sub_ranks_; }

  bool use_reorder;
  reshape_algorithm algorithm;
  bool use_pencils;
  bool use_gpu_aware;

 private:
  int sub_ranks_ = -1;
};

inline std::ostream& operator<<(std::ostream& out, const plan_options options) {
  static const char* const names[] = {"alltoallv", "point-to-point-pipelined", "point-to-point",
                                      "alltoall"};
  return out << "options = (fft1d:" << (options.use_reorder ? "contiguous" : "strided")
             << ", mpi:" << names[static_cast<int>(options.algorithm)]
             << ", decomposition:" << (options.use_pencils ? "pencil" : "slab")
             << ", mpi:" << (options.use_gpu_aware ? "from-gpu" : "from-cpu") << ")";
}

template <typename backend_tag>
plan_options default_options() {
  return plan_options(backend_tag());
}
template <typename backend_tag, bool use_r2c = false>
plan_options set_options(plan_options options) {
  if (!backend::uses_fft_types<backend_tag>::value) options.use_reorder = true;
  return options;
}

template <typename index>
bool is_pencils(const box3d<index> world, const std::vector<box3d<index>>& shape, int direction) {
  const std::size_t d = static_cast<std::size_t>(direction);
  return std::all_of(shape.begin(), shape.end(),
                     [&](const box3d<index>& box) { return box.size[d] == world.size[d]; });
}
template <typename index>
bool is_slab(const box3d<index> world, const std::vector<box3d<index>>& shape, int direction1,
             int direction2) {
  return is_pencils(world, shape, direction1) && is_pencils(world, shape, direction2);
}

template <typename index>
std::vector<box3d<index>> reorder(const std::vector<box3d<index>>& shape,
                                  const std::array<int, 3> order) {
  std::vector<box3d<index>> result;
  for (const box3d<index>& box : shape) result.push_back(box3d<index>(box.low, box.high, order));
  return result;
}

/// Gives each rank the box that has most of what it holds, of those that are left. Ranks that a
/// remap leaves out keep theirs.
template <typename index>
std::vector<box3d<index>> maximize_overlap(const std::vector<box3d<index>>& boxes,
                                           const std::vector<box3d<index>>& source,
                                           const std::array<int, 3> order,
                                           const rank_remap& remap = rank_remap()) {
  std::vector<std::size_t> chosen;
  std::vector<bool> is_taken(boxes.size(), false);
  const auto is_out = [&](std::size_t i) { return !remap.empty() && remap.map[i] < 0; };
  for (std::size_t i = 0; i < boxes.size(); ++i) is_taken[i] = is_out(i);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    std::size_t best = i;
    long long most = -1;
    for (std::size_t j = 0; j < boxes.size() && !is_out(i); ++j) {
      const long long common = is_taken[j] ? -1 : source[i].collide(boxes[j]).count();
      if (common > most) most = common, best = j;
    }
    is_taken[best] = true;
    chosen.push_back(best);
  }
  std::vector<box3d<index>> result;
  for (std::size_t i : chosen) result.push_back(box3d<index>(boxes[i].low, boxes[i].high, order));
  return result;
}

/// A grid with one rank along a direction: the candidate, or another one with as many ranks if that
/// divides a direction into more parts than it has indices.
template <typename index>
std::array<int, 3> make_procgrid2d(const box3d<index> world, int direction,
                                   const std::array<int, 2> candidate) {
  const auto grid = [&](int a, int b) {
    return direction == 0   ? std::array<int, 3>{{1, a, b}}
           : direction == 1 ? std::array<int, 3>{{a, 1, b}}
                            : std::array<int, 3>{{a, b, 1}};
  };
  const auto fits = [&](const std::array<int, 3>& g) {
    return g[0] <= world.size[0] && g[1] <= world.size[1] && g[2] <= world.size[2];
  };
  std::array<int, 3> best = grid(candidate[0], candidate[1]);
  if (fits(best)) return best;
  const int ranks = candidate[0] * candidate[1];
  int least = std::numeric_limits<int>::max();
  for (int a = 1; a <= ranks; ++a) {
    if (ranks % a != 0 || a + ranks / a >= least || !fits(grid(a, ranks / a))) continue;
    least = a + ranks / a;
    best = grid(a, ranks / a);
  }
  return best;
}

template <typename index>
std::vector<box3d<index>> make_pencils(const box3d<index> world, const std::array<int, 2> grid,
                                       int const direction, const std::vector<box3d<index>>& source,
                                       const std::array<int, 3> order,
                                       const rank_remap& remap = rank_remap()) {
  if (is_pencils(world, source, direction)) return reorder(source, order);
  return maximize_overlap(split_world(world, make_procgrid2d(world, direction, grid), remap),
                          source, order, remap);
}

/// Boxes that are whole along two directions.
template <typename index>
std::vector<box3d<index>> make_slabs(const box3d<index> world, int slabs, int const direction1,
                                     int const direction2, const std::vector<box3d<index>>& source,
                                     const std::array<int, 3> order,
                                     const rank_remap& remap = rank_remap()) {
  std::array<int, 3> grid = {{1, 1, 1}};
  grid[static_cast<std::size_t>(3 - direction1 - direction2)] = slabs;
  return maximize_overlap(split_world(world, grid, remap), source, order, remap);
}

/// The four reshapes of heFFTe: from the input to pencils along three directions to the output.
/// Those whose sides are equal are left out.
template <typename index>
struct logic_plan3d {
  std::vector<box3d<index>> in_shape[4], out_shape[4];
  std::array<index, 3> fft_sizes;
  std::array<int, 3> fft_direction;
  long long index_count;
  const plan_options options;
  const int mpi_rank;
};

template <typename index>
logic_plan3d<index> plan_operations(const ioboxes<index>& boxes, int r2c_direction,
                                    const plan_options options, int const mpi_rank) {
  const box3d<index> world = find_world(boxes.in);
  world_complete(boxes.in, world);
  const int first = r2c_direction < 0 ? 0 : r2c_direction;
  const std::array<int, 3> along = {{first, first == 0 ? 1 : 0, first == 2 ? 1 : 2}};
  const int ranks = static_cast<int>(boxes.in.size());
  const std::array<int, 2> grid = make_procgrid(ranks);
  const std::array<int, 3> order = boxes.in[0].order;
  using shape = std::vector<box3d<index>>;
  const shape one = options.use_pencils
                        ? make_pencils(world, grid, along[0], boxes.in, order)
                        : make_slabs(world, ranks, along[0], along[1], boxes.in, order);
  shape halved;
  for (const box3d<index>& box : one) halved.push_back(box.r2c(first));
  const shape after_one = r2c_direction < 0 ? one : halved;
  const box3d<index> middle = r2c_direction < 0 ? world : world.r2c(first);
  const shape two = make_pencils(middle, grid, along[1], after_one, order);
  const shape three = is_pencils(middle, boxes.out, along[2])
                          ? boxes.out
                          : make_pencils(middle, grid, along[2], two, order);
  return {{boxes.in, after_one, two, three},
          {one, two, three, boxes.out},
          world.size,
          along,
          world.count(),
          options,
          mpi_rank};
}

/// The grids of the input and after each reshape.
template <typename index>
std::vector<std::array<int, 3>> compute_grids(const logic_plan3d<index>& plan) {
  const auto grid = [](const std::vector<box3d<index>>& shape) {
    std::array<int, 3> parts;
    for (std::size_t d = 0; d < 3; ++d) {
      std::vector<index> begins;
      for (const box3d<index>& box : shape)
        if (!box.empty()) begins.push_back(box.low[d]);
      std::sort(begins.begin(), begins.end());
      parts[d] = static_cast<int>(std::unique(begins.begin(), begins.end()) - begins.begin());
    }
    return parts;
  };
  std::vector<std::array<int, 3>> grids = {grid(plan.in_shape[0])};
  for (const std::vector<box3d<index>>& shape : plan.out_shape) grids.push_back(grid(shape));
  return grids;
}

}  // namespace heffte

#endif
