// SPDX-License-Identifier: BSD-3-Clause
// FFTW, loaded at run time for the comparison: it is neither linked nor included. The declarations
// below are the part of its documented interface that is needed here.
#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/plan.hpp"

namespace weft::tool {

enum class FftwEffort : unsigned { estimate = 1u << 6, measure = 0, patient = 1u << 5 };

/// What to plan: the transform with explicit strides, and the memory it will run on.
struct FftwProblem {
  struct Dimension {
    Index n, in_stride, out_stride;  ///< strides in elements of each side's type
  };
  std::vector<Dimension> transformed, batch;
  Kind kind = Kind::c2c;
  R2r r2r = R2r::dct2;  ///< along every transformed dimension
  Direction direction = Direction::forward;
  void* in = nullptr;
  void* out = nullptr;
  int threads = 1;
  FftwEffort effort = FftwEffort::measure;
};

class Fftw {
 public:
  /// Loads libfftw3 and libfftw3f from `folder`, or from the system when it is empty. Throws
  /// weft::Error if they are not found.
  explicit Fftw(const std::string& folder);
  ~Fftw();

  std::string version(Precision precision) const;
  bool has_threads(Precision precision) const;
  /// Limit on the planning time of each plan, in seconds.
  void set_time_limit(double seconds);
  /// Plans (which may overwrite the arrays) and returns a function that executes the plan; empty if
  /// FFTW cannot make such a plan.
  std::function<void()> plan(const FftwProblem& problem, Precision precision);

 private:
  struct Library;
  Library& library(Precision precision) const;
  std::unique_ptr<Library> f32_, f64_;
};

}  // namespace weft::tool
