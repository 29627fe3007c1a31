// SPDX-License-Identifier: BSD-3-Clause
// The work of `weft fft`: find out which transform the file and the options ask for, then process
// the file. Axes before the first transformed one (in Fortran order: after the last one) number
// independent transforms, called items. Items are processed in chunks, so a file may be larger than
// memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "npy.hpp"
#include "progress.hpp"
#include "weft/plan.hpp"

namespace weft::tool {

struct FftRequest {
  std::string input, output;
  bool inverse = false;
  bool real = false;
  std::vector<std::string> r2r;      ///< one per axis or one for all; empty: none
  std::vector<int> axes;             ///< empty: all
  std::optional<Index> real_length;  ///< of the last transformed axis of a c2r
  std::string norm = "backward";
  std::string precision;  ///< of the output; empty: the input's, at least f32
  PlanOptions plan;
  ShowProgress progress = ShowProgress::on_terminal;
  double chunk_mib = 64;
};

/// What to compute and in which types; plain data, so that tests can check it.
struct FftJob {
  Transform transform;  ///< of one chunk: items x item, the first axis is never transformed
  NpyType plan_input, plan_output;  ///< the plan's element types
  NpyHeader output;                 ///< of the file to write
  Index items = 1;                  ///< independent pieces of the file
  Index items_per_chunk = 1;
  Index item_input_count = 1, item_output_count = 1;
  Order order = Order::row_major;
};
/// Throws weft::Error if the options do not fit the file.
FftJob make_fft_job(const FftRequest& request, const NpyHeader& input);

struct FftReport {
  NpyHeader input, output;
  std::string transform, recipe;
  Index chunks = 0;
  double flops = 0;  ///< nominal
  double plan_s = 0, read_s = 0, transform_s = 0, write_s = 0;
};
FftReport run_fft(const FftRequest& request);
class MpiRuntime;
/// Collective: all ranks process the file together.
FftReport run_fft_on_ranks(const FftRequest& request, const MpiRuntime& mpi);

}  // namespace weft::tool
