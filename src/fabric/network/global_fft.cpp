// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/network/global_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/format.hpp"
#include "weft/error.hpp"
#include "weft/plan.hpp"

namespace weft::fabric {
namespace {

using Complex = std::complex<double>;
using Blocks = std::vector<std::vector<Complex>>;  ///< one per process

/// (L^{total}_stride x I_run): the gather y[(j n + i) run ...] = x[(i stride + j) run ...].
std::vector<Complex> gather(const std::vector<Complex>& x, int stride, int run) {
  const int total = static_cast<int>(x.size()) / run;
  const int n = total / stride;
  std::vector<Complex> y(x.size());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < stride; ++j)
      std::copy_n(x.begin() + std::ptrdiff_t{i * stride + j} * run, run,
                  y.begin() + std::ptrdiff_t{j * n + i} * run);
  return y;
}

/// Block q of process i and block i of process q change places.
Blocks all_to_all(const Blocks& x) {
  const std::size_t p = x.size();
  const std::size_t block = x[0].size() / p;
  Blocks y(p, std::vector<Complex>(x[0].size()));
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t q = 0; q < p; ++q)
      std::copy_n(x[i].begin() + static_cast<std::ptrdiff_t>(q * block), block,
                  y[q].begin() + static_cast<std::ptrdiff_t>(i * block));
  return y;
}

/// Library (20): rows of n, transformed and twiddled, scattered by destination.
void first_library(std::vector<Complex>& x, int process, int m, int n, int p) {
  x = gather(x, m / p, 1);
  const Plan plan(c2c({m / p, n}, {.axes = {1}}));
  plan.execute(x.data(), x.data());
  for (int a = 0; a < m / p; ++a)
    for (int b = 0; b < n; ++b) {
      const std::int64_t turn = std::int64_t{process * (m / p) + a} * b;
      const double angle = -2 * std::numbers::pi * static_cast<double>(turn) / (double(m) * n);
      x[static_cast<std::size_t>(a * n + b)] *= std::polar(1.0, angle);
    }
  x = gather(x, p, n / p);
}

/// Library (21): DFT_m x I_{n/p}, in place.
void second_library(std::vector<Complex>& x, int m, int n, int p) {
  const Plan plan(c2c({m, n / p}, {.axes = {0}}));
  plan.execute(x.data(), x.data());
}

}  // namespace

std::vector<Complex> global_fft(std::span<const Complex> x, int m, int n, int p) {
  if (p < 1 || m % p != 0 || n % p != 0 ||
      x.size() != static_cast<std::size_t>(m) * static_cast<std::size_t>(n))
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("global FFT of {} = {} x {} on {} processes: they must divide both factors",
                     x.size(), m, n, p));
  const std::ptrdiff_t share = std::ptrdiff_t{m} * n / p;
  Blocks blocks;
  for (int i = 0; i < p; ++i)
    blocks.push_back(gather({x.begin() + i * share, x.begin() + (i + 1) * share}, p, m / p));
  blocks = all_to_all(blocks);
  for (int i = 0; i < p; ++i) first_library(blocks[static_cast<std::size_t>(i)], i, m, n, p);
  blocks = all_to_all(blocks);
  for (auto& block : blocks) second_library(block, m, n, p);
  blocks = all_to_all(blocks);
  std::vector<Complex> result;
  for (auto& block : blocks) {
    const std::vector<Complex> ordered = gather(block, m / p, n / p);
    result.insert(result.end(), ordered.begin(), ordered.end());
  }
  return result;
}

namespace {

std::int64_t nodes_of(const std::array<int, 3>& shape) {
  return std::int64_t{shape[0]} * shape[1] * shape[2];
}

}  // namespace

std::array<int, 3> shape_for(const TorusMachine& machine, int nodes) {
  for (const std::array<int, 3>& shape : machine.shapes)
    if (nodes_of(shape) >= nodes) return shape;
  const std::array<int, 3>& last = machine.shapes.back();
  throw Error(ErrorCode::invalid_argument,
              weft::format("{} nodes: the machine's largest shape is {}x{}x{}", nodes, last[0],
                           last[1], last[2]));
}

GlobalFftTime global_fft_time(const TorusMachine& machine, int nodes, double points, double bytes) {
  GlobalFftTime time;
  time.shape = shape_for(machine, nodes);
  const auto count = static_cast<double>(nodes_of(time.shape));
  time.is_torus = count >= machine.torus_from_nodes;
  const int longest = *std::ranges::max_element(time.shape);
  time.bytes_per_node = points * bytes;
  if (count > 1) {
    // Every link of the longest dimension carries L/8 of what a node sends (L/4 without wrapping).
    time.busiest_link_bytes = time.bytes_per_node * longest / (time.is_torus ? 8.0 : 4.0);
    const double one =
        time.busiest_link_bytes / (machine.payload_bytes_per_s * machine.link_efficiency) +
        count * machine.message_s;
    time.exchange_s = 3 * one;
    time.bound_s = 3 * time.busiest_link_bytes / machine.link_bytes_per_s;
  }
  const double total = points * count;
  time.flops = 5 * total * std::log2(std::max(total, 2.0));
  time.compute_s = time.flops / count / machine.node_flops;
  time.passes_s = machine.local_passes * 2 * time.bytes_per_node / machine.memory_bytes_per_s;
  return time;
}

}  // namespace weft::fabric
