// SPDX-License-Identifier: BSD-3-Clause
// A convolution with a Gaussian three ways: by a SpectralOperator, by weft's forward plan, a sweep
// over the spectrum and the backward plan, and by FFTW's plans with the same sweep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/fftw.hpp"
#include "weft/spectral.hpp"

namespace weft::tool {

struct ConvolutionRow {
  std::vector<Index> shape;
  Kind kind = Kind::r2c;
  Precision precision = Precision::f64;
  int threads = 1;
};
std::string label(const ConvolutionRow& row);

struct ConvolutionOptions {
  Effort effort = Effort::estimate;
  double time_limit_s = 10;
  bool use_wisdom = true;
  int rounds = 9;
  bool processor_time = false;  ///< of all threads, on CPUs; else from start to end
  bool all_ways = false;        ///< also every way of the operator, sweep by sweep
};

struct WayTimes {
  std::string name;
  std::vector<double> parts_s;  ///< medians
  std::string explanation;
};

struct ConvolutionResult {
  ConvolutionRow row;
  double operator_s = 0, steps_s = 0;  ///< medians
  std::optional<double> fftw_s;
  double difference = 0;  ///< of the operator's result from that of the steps, relative L2
  double passes = 0;
  std::string explanation;
  std::vector<WayTimes> ways;
};

/// All in turns on the same memory. `fftw` may be null.
ConvolutionResult measure(const ConvolutionRow& row, const ConvolutionOptions& options, Fftw* fftw);

}  // namespace weft::tool
