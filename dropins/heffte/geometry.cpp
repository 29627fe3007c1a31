// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/heffte/geometry.hpp"

#include <algorithm>
#include <string>

#include "weft/error.hpp"

namespace weft::heffte {
namespace {

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorCode::invalid_argument, "heFFTe: " + text);
}

struct RankRequest {
  weft_heffte_box in, out;
  long long kind, r2c_direction;
};

std::vector<RankRequest> gather(const weft_heffte_request& request, MPI_Comm comm) {
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const RankRequest mine{request.in, request.out, request.kind, request.r2c_direction};
  std::vector<RankRequest> all(static_cast<std::size_t>(ranks));
  if (MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, comm) !=
      MPI_SUCCESS)
    throw Error(ErrorCode::mpi, "heFFTe: MPI_Allgather of the boxes failed");
  return all;
}

/// The extents of the array that the boxes of one side make up.
std::array<Index, 3> whole(const std::vector<Box>& boxes, const std::string& side) {
  std::array<Index, 3> extents{};
  Index count = 0;
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    for (std::size_t d = 0; d < 3; ++d) {
      if (box.begin[d] < 0) refuse("the " + side + " box " + to_text(box) + " starts before 0");
      extents[d] = std::max(extents[d], box.end[d]);
    }
    count += box.count();
  }
  if (count == 0) refuse("all " + side + " boxes are empty");
  const Index points = Box::of_shape(extents).count();
  for (std::size_t i = 0; i < boxes.size(); ++i)
    for (std::size_t j = i + 1; j < boxes.size(); ++j)
      if (!intersect(boxes[i], boxes[j]).empty())
        refuse("the " + side + " boxes of ranks " + std::to_string(i) + " and " +
               std::to_string(j) + " overlap: " + to_text(boxes[i]) + " and " + to_text(boxes[j]));
  if (count != points)
    refuse("the " + side + " boxes of all ranks have " + std::to_string(count) + " of the " +
           std::to_string(points) + " points of the array " + to_text(Box::of_shape(extents)) +
           "; every index belongs to one box");
  return extents;
}

}  // namespace

Box box_of(const weft_heffte_box& box) {
  std::array<Index, 3> begin{}, end{};
  for (int d = 0; d < 3; ++d) {
    const auto axis = static_cast<std::size_t>(axis_of(d));
    begin[axis] = box.low[d];
    end[axis] = box.high[d] + 1;
  }
  return Box(begin, end);
}

std::vector<int> order_of(const weft_heffte_box& box) {
  std::vector<int> order;
  for (int place = 2; place >= 0; --place) order.push_back(axis_of(box.order[place]));
  auto sorted = order;
  std::ranges::sort(sorted);
  if (sorted != std::vector{0, 1, 2})
    refuse("the order " + std::to_string(box.order[0]) + " " + std::to_string(box.order[1]) + " " +
           std::to_string(box.order[2]) + " of a box is not one of 0, 1 and 2");
  return order;
}

World agree_on_world(const weft_heffte_request& request, MPI_Comm comm) {
  const auto all = gather(request, comm);
  std::vector<Box> in, out;
  for (const auto& rank : all) {
    if (rank.kind != all[0].kind || rank.r2c_direction != all[0].r2c_direction)
      refuse("ranks ask for different transforms");
    order_of(rank.in);
    order_of(rank.out);
    in.push_back(box_of(rank.in));
    out.push_back(box_of(rank.out));
  }
  World world{whole(in, "input"), whole(out, "output"), static_cast<int>(all.size())};
  auto expected = world.extents;
  if (request.kind == weft_heffte_r2c) {
    if (request.r2c_direction < 0 || request.r2c_direction > 2)
      refuse("the r2c direction " + std::to_string(request.r2c_direction) + " is not 0, 1 or 2");
    auto& halved = expected[static_cast<std::size_t>(axis_of(request.r2c_direction))];
    halved = halved / 2 + 1;
  }
  if (world.spectrum != expected)
    refuse("the output boxes make up " + to_text(Box::of_shape(world.spectrum)) +
           ", the transform gives " + to_text(Box::of_shape(expected)) +
           " (both with the slowest index first)");
  if (request.kind == weft_heffte_cos1 && std::ranges::min(world.extents) < 2)
    refuse("cosine transforms of type I have at least 2 points along every direction");
  return world;
}

LocalBoxes local_boxes(const weft_heffte_box& box, int batch) {
  const Box part = box_of(box);
  if (part.empty()) return {};
  const auto order = order_of(box);
  if (batch == 1) return {{.box = part, .order = order}};
  LocalBox all{.box = Box({0, part.begin[0], part.begin[1], part.begin[2]},
                          {batch, part.end[0], part.end[1], part.end[2]}),
               .order = {0}};
  for (const int axis : order) all.order.push_back(axis + 1);
  return {all};
}

}  // namespace weft::heffte
