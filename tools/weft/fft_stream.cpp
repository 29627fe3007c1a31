// SPDX-License-Identifier: BSD-3-Clause
// Processes a file chunk by chunk: map it into memory, convert if the types differ, transform,
// write.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "base/buffer.hpp"
#include "convert.hpp"
#include "fft_job.hpp"
#include "file.hpp"
#include "problem.hpp"
#include "text.hpp"

namespace weft::tool {
namespace {

using Clock = std::chrono::steady_clock;

/// Adds the time since the previous lap to one of the report's sums.
class Laps {
 public:
  void add_to(double& sum) {
    const auto now = Clock::now();
    sum += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }

 private:
  Clock::time_point last_ = Clock::now();
};

/// The strides of a chunk: items one after another, each item in the file's order.
Layout chunk_layout(std::span<const Index> chunk_shape, Order order) {
  std::vector<Index> strides = contiguous_strides(chunk_shape.subspan(1), order);
  Index item_count = 1;
  for (const Index n : chunk_shape.subspan(1)) item_count *= n;
  strides.insert(strides.begin(), item_count);
  return {strides};
}

std::vector<Index> complex_side(const Transform& transform) {
  std::vector<Index> shape = transform.shape;
  Index& length = shape[static_cast<std::size_t>(transform.axes.back())];
  length = length / 2 + 1;
  return shape;
}

Plan make_chunk_plan(const FftJob& job, Index items, const PlanOptions& options) {
  Transform transform = job.transform;
  transform.shape[0] = items;
  if (job.order == Order::row_major) return Plan(transform, options);
  const auto half = transform.kind == Kind::r2c || transform.kind == Kind::c2r
                        ? complex_side(transform)
                        : transform.shape;
  const auto& in_shape = transform.kind == Kind::c2r ? half : transform.shape;
  const auto& out_shape = transform.kind == Kind::r2c ? half : transform.shape;
  return Plan(transform, chunk_layout(in_shape, job.order), chunk_layout(out_shape, job.order),
              options);
}

class Stream {
 public:
  Stream(const FftRequest& request, const MappedFile& file, FftReport& report)
      : file_(file),
        report_(report),
        job_(make_fft_job(request, report.input)),
        header_(write_npy_header(job_.output)),
        output_(request.output, static_cast<Index>(header_.size()) + output_file_bytes()),
        progress_(request.progress, 3.0 * static_cast<double>(report.input.count())) {
    report_.output = job_.output;
    options_ = request.plan;
  }

  void run() {
    output_.write(std::as_bytes(std::span(header_)));
    for (Index done = 0; done < job_.items;) {
      const Index items = std::min(job_.items_per_chunk, job_.items - done);
      run_chunk(done, items);
      done += items;
      ++report_.chunks;
    }
    progress_.phase("finishing");
    output_.commit();
    laps_.add_to(report_.write_s);
  }

 private:
  Index output_file_bytes() const {
    return job_.output.count() * static_cast<Index>(bytes_of(job_.output.type));
  }

  /// Offset of an item in the input file, in bytes.
  std::size_t offset_of(Index item) const {
    return report_.input.data_offset +
           static_cast<std::size_t>(item * job_.item_input_count) * bytes_of(report_.input.type);
  }

  void run_chunk(Index first, Index items) {
    prepare_plan(items);
    progress_.phase("reading");
    const void* const in = read(first, items);
    progress_.phase("transforming");
    execute(*plan_, in, results_.data(), *workspace_);
    progress_.advance(static_cast<double>(items * job_.item_input_count));
    laps_.add_to(report_.transform_s);
    file_.release_before(offset_of(first + items));
    progress_.phase("writing");
    write(items);
  }

  void prepare_plan(Index items) {
    if (plan_ && planned_items_ == items) return;
    progress_.phase("planning");
    plan_.emplace(make_chunk_plan(job_, items, options_));
    planned_items_ = items;
    if (report_.recipe.empty()) {
      report_.recipe = plan_->recipe();
      const Size size = size_of(job_.transform);
      const Index batch = size.batch / job_.items_per_chunk * job_.items;
      report_.flops = nominal_flops(size.points, batch, has_real_side(job_.transform.kind));
    }
    workspace_.emplace(plan_->make_workspace());
    const Index result_bytes =
        items * job_.item_output_count * static_cast<Index>(bytes_of(job_.plan_output));
    if (results_.size() < result_bytes) results_ = Buffer<std::byte>(result_bytes);
    laps_.add_to(report_.plan_s);
  }

  /// The chunk's elements; a pointer into the mapped file if the plan can read them from there.
  const void* read(Index first, Index items) {
    const NpyHeader& input = report_.input;
    const auto stored = static_cast<Index>(bytes_of(input.type));
    const std::byte* from = file_.bytes().data() + offset_of(first);
    const Index count = items * job_.item_input_count;
    const bool is_native = input.type == job_.plan_input && input.byte_order == std::endian::native;
    if (is_native && reinterpret_cast<std::uintptr_t>(from) % 16 == 0) {
      progress_.advance(static_cast<double>(count));
      return from;
    }
    const auto wanted = static_cast<Index>(bytes_of(job_.plan_input));
    if (points_.size() < count * wanted) points_ = Buffer<std::byte>(count * wanted);
    constexpr Index piece = 1 << 20;
    for (Index at = 0; at < count; at += piece) {
      const Index now = std::min(piece, count - at);
      convert_elements(from + at * stored, input.type, input.byte_order,
                       points_.data() + at * wanted, job_.plan_input, now);
      progress_.advance(static_cast<double>(now));
    }
    laps_.add_to(report_.read_s);
    return points_.data();
  }

  void write(Index items) {
    const Index count = items * job_.item_output_count;
    const auto computed = static_cast<Index>(bytes_of(job_.plan_output));
    const auto stored = static_cast<Index>(bytes_of(job_.output.type));
    constexpr Index piece = 1 << 20;
    const double share =
        static_cast<double>(job_.item_input_count) / static_cast<double>(job_.item_output_count);
    for (Index at = 0; at < count; at += piece) {
      const Index now = std::min(piece, count - at);
      std::byte* from = results_.data() + at * computed;
      if (stored !=
          computed)  // in place: stored elements are smaller, so no unread element is overwritten
        convert_elements(from, job_.plan_output, std::endian::native, from, job_.output.type, now);
      output_.write({from, static_cast<std::size_t>(now * stored)});
      progress_.advance(static_cast<double>(now) * share);
    }
    laps_.add_to(report_.write_s);
  }

  const MappedFile& file_;
  FftReport& report_;
  FftJob job_;
  std::string header_;
  OutputFile output_;
  Progress progress_;
  PlanOptions options_;
  std::optional<Plan> plan_;
  std::optional<Workspace> workspace_;
  Index planned_items_ = 0;
  Buffer<std::byte> points_, results_;
  Laps laps_;
};

}  // namespace

FftReport run_fft(const FftRequest& request) {
  FftReport report;
  const MappedFile file(request.input);
  report.input = read_npy_header(file.bytes(), request.input);
  Stream stream(request, file, report);
  report.transform = describe(make_fft_job(request, report.input).transform);
  stream.run();
  return report;
}

}  // namespace weft::tool
