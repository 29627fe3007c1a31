// SPDX-License-Identifier: BSD-3-Clause
// Problems as they are named on the command line: shapes such as 512x512 or 64*1000, kinds,
// precisions, efforts; and running a plan whose element types are known only at run time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/names.hpp"
#include "weft/distributed.hpp"
#include "weft/plan.hpp"

namespace CLI {
class App;
}

namespace weft::tool {

/// "512x512x512", "1009", "2^20"; "64*1000" is a batch of 64.
struct ShapeArgument {
  std::vector<Index> batch;  ///< usually empty or one number
  std::vector<Index> shape;  ///< of one transform
};
ShapeArgument parse_shape(const std::string& text);

/// The options that `plan`, `explain`, `tune` and others have in common.
struct ProblemOptions {
  bool real = false;
  bool inverse = false;
  std::string r2r = {};
  std::string precision = "f64";
  std::string norm = "none";
  std::string effort = "estimate";
  int threads = 1;
  double time_limit_s = 10;
  bool no_wisdom = false;
  std::string recipe = {};
};
void add_problem_options(CLI::App& command, ProblemOptions& options);
Transform make_transform(const std::string& shape, const ProblemOptions& options);
PlanOptions make_plan_options(const ProblemOptions& options);

Precision parse_precision(const std::string& text);
Effort parse_effort(const std::string& text);
Normalization parse_normalization(const std::string& text);
R2r parse_r2r(const std::string& text);
R2r inverse_of(R2r kind);
/// "c2c 64*1000 f32 forward": the problem on one line.
std::string describe(const Transform& transform);

/// Axes as numbers from 0 to ndim-1, in the order given; all axes if none is given. Throws
/// weft::Error.
std::vector<int> normalized_axes(const std::vector<int>& axes, std::size_t ndim);

/// Points of one transform, and the number of transforms.
struct Size {
  Index points = 1, batch = 1;
};
Size size_of(const Transform& transform);
bool has_real_side(Kind kind);

std::size_t input_bytes(const Plan& plan);
std::size_t output_bytes(const Plan& plan);
/// Plan::execute for memory whose element types follow from the plan's transform.
void execute(const Plan& plan, const void* in, void* out, Workspace& workspace);
/// The same execution as a function, which no longer looks for the types: to be timed.
std::function<void()> execution(const Plan& plan, const void* in, void* out, Workspace& workspace);
void execute(DistributedPlan& plan, const Transform& transform, const void* in, void* out);

/// Loads the user's wisdom unless --no-wisdom was given; a damaged file is reported on standard
/// error.
void load_wisdom(const ProblemOptions& options);

}  // namespace weft::tool
