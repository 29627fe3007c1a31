// SPDX-License-Identifier: BSD-3-Clause
#include "gauge/mean.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

namespace weft::apps {
namespace {

using Values = std::span<const double>;

double mean_value(Values values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean product of what two values, `lag` apart, are off the mean.
double covariance(Values values, double mean, std::size_t lag) {
  double sum = 0;
  for (std::size_t i = lag; i < values.size(); ++i)
    sum += (values[i] - mean) * (values[i - lag] - mean);
  return sum / static_cast<double>(values.size() - lag);
}

/// Whether what the sum to this lag lacks, exp(-lag / decay), is less than its noise. The decay is
/// taken as 1.5 times what an exponential with this tau has.
bool is_enough(double tau, double lag, double count) {
  if (tau <= 0.5) return true;
  const double decay = 1.5 / std::log((2 * tau + 1) / (2 * tau - 1));
  return std::exp(-lag / decay) < decay / std::sqrt(lag * count);
}

void set_error(Mean& mean, Values values, double slowest) {
  const double variance = covariance(values, mean.value, 0);
  if (variance == 0) return;
  const auto count = static_cast<double>(values.size());
  double tau = 0.5, lag = 0, correlation = 0;
  do {
    correlation = covariance(values, mean.value, static_cast<std::size_t>(++lag)) / variance;
    tau += correlation;
  } while (!is_enough(tau, lag, count) && lag < count / 4);
  // Taking off the values' own mean makes each product a little smaller.
  tau = std::max(tau, 0.5) * (1 + (2 * lag + 1) / count);
  if (slowest > 0) tau += slowest * std::max(correlation, std::sqrt(2 * tau / count));
  mean.time = tau;
  mean.time_error = tau * std::sqrt(4 / count * std::max(0.5, lag + 0.5 - tau));
  mean.error = std::sqrt(2 * tau * variance / count);
  mean.relative_error_of_error = mean.time_error / (2 * tau);
}

void set_block_error(Mean& mean, Values values) {
  mean.blocks = std::min<std::size_t>(20, values.size() / 10);
  mean.length = values.size() / mean.blocks;
  const Values last = values.last(mean.blocks * mean.length);
  const double middle = mean_value(last);
  double sum = 0;
  for (std::size_t b = 0; b < mean.blocks; ++b) {
    const double off = mean_value(last.subspan(b * mean.length, mean.length)) - middle;
    sum += off * off;
  }
  mean.block_error = std::sqrt(sum / static_cast<double>(mean.blocks * (mean.blocks - 1)));
}

}  // namespace

Mean mean_of(const std::vector<double>& values, std::size_t begin, double slowest) {
  const Values used = Values(values).subspan(begin);
  Mean mean;
  if (used.size() < 20) return mean;
  mean.value = mean_value(used);
  set_error(mean, used, slowest);
  set_block_error(mean, used);
  return mean;
}

}  // namespace weft::apps
