// SPDX-License-Identifier: BSD-3-Clause
#include "gauge/mean.hpp"

#include <algorithm>
#include <cmath>

namespace weft::apps {

Mean mean_of(const std::vector<double>& values, std::size_t begin) {
  const std::size_t count = values.size() - begin, blocks = std::min<std::size_t>(20, count / 5);
  Mean mean;
  if (blocks < 2) return mean;
  const std::size_t length = count / blocks;
  mean.blocks = blocks, mean.length = length;
  std::vector<double> block(blocks);
  for (std::size_t b = 0; b < blocks; ++b) {
    for (std::size_t i = 0; i < length; ++i)
      block[b] +=
          values[values.size() - blocks * length + b * length + i] / static_cast<double>(length);
    mean.value += block[b] / static_cast<double>(blocks);
  }
  for (const double each : block) mean.error += (each - mean.value) * (each - mean.value);
  mean.error = std::sqrt(mean.error / static_cast<double>(blocks * (blocks - 1)));
  double variance = 0;
  for (std::size_t i = values.size() - blocks * length; i < values.size(); ++i)
    variance += (values[i] - mean.value) * (values[i] - mean.value);
  const auto all = static_cast<double>(blocks * length);
  mean.sweeps_as_one = mean.error * mean.error * all * (all - 1) / variance;
  return mean;
}

}  // namespace weft::apps
