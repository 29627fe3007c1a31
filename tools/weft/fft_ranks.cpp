// SPDX-License-Identifier: BSD-3-Clause
// `weft fft` under mpiexec: every rank reads its part of the file, all transform together, every
// rank writes its part. The array need not fit in the memory of one rank.
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <optional>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "comm/agree.hpp"
#include "convert.hpp"
#include "fft_job.hpp"
#include "file.hpp"
#include "mpi/runtime.hpp"
#include "problem.hpp"
#include "text.hpp"
#include "timing.hpp"
#include "weft/distributed.hpp"

namespace weft::tool {
namespace {

/// This rank's contiguous part of an array in a file.
struct Part {
  LocalBoxes boxes;
  Index first = 0, count = 0;  // elements
};

/// Axes from slowest to fastest in memory: the axis of items first, then the file's order.
std::vector<int> storage_order(std::size_t ndim, Order order) {
  std::vector<int> axes{0};
  for (std::size_t d = 1; d < ndim; ++d)
    axes.push_back(static_cast<int>(order == Order::row_major ? d : ndim - d));
  return axes;
}

/// Divided along the slowest axis that is longer than 1, so every rank has a contiguous range.
Part part_of(const std::vector<Index>& shape, Order order, const Comm& comm) {
  const std::vector<int> axes = storage_order(shape.size(), order);
  std::size_t cut = 0;
  while (cut + 1 < axes.size() && shape[static_cast<std::size_t>(axes[cut])] == 1) ++cut;
  const int axis = axes[cut];
  Part part;
  part.boxes = slabs(shape, axis, comm.size(), comm.rank());
  if (part.boxes.empty()) return part;
  part.boxes[0].order = axes;
  const Box& box = part.boxes[0].box;
  Index rest = 1;
  for (std::size_t i = cut + 1; i < axes.size(); ++i)
    rest *= shape[static_cast<std::size_t>(axes[i])];
  part.first = box.begin[static_cast<std::size_t>(axis)] * rest;
  part.count = box.count();
  return part;
}

/// An output file that all ranks write: rank 0 creates a temporary file and renames it at the end.
class SharedOutput {
 public:
  /// Collective, like the rest. `bytes`: of the elements.
  SharedOutput(const std::string& path, const std::string& header, Index bytes, const Comm& comm)
      : comm_(comm), header_bytes_(static_cast<Index>(header.size())) {
    agree(comm_, [&] {
      if (comm_.rank() == 0) file_.emplace(path);
    });
    // After the first rank has exited, mpiexec may kill the others at once. So every rank removes
    // the temporary file when it is interrupted, and knows its name before it exists.
    shared_path_ = broadcast_text(comm_, file_ ? file_->temporary() : "");
    if (!file_ && !shared_path_.empty()) mark_ = TemporaryFileMark(shared_path_);
    agree(comm_, [&] {
      if (!file_) return;
      file_->create(header_bytes_ + bytes);
      if (file_->temporary() != shared_path_)
        throw Error(ErrorCode::io, "the file " + shared_path_ + " exists; run again");
      file_->write(std::as_bytes(std::span(header)));
    });
  }

  /// Writes this rank's part: `bytes` bytes at `offset`, counted from the first element.
  void write(const MpiRuntime& mpi, Index offset, const std::byte* data, Index bytes) {
    if (shared_path_.empty())
      pass_on(data, bytes);
    else
      mpi.write(shared_path_, header_bytes_ + offset, data, bytes);
  }
  void commit() {
    agree(comm_, [&] {
      if (file_) file_->commit();
    });
  }

 private:
  /// Devices, pipes and streams must be written in order: rank 0 receives the parts one after
  /// another and writes them.
  void pass_on(const std::byte* data, Index bytes) {
    constexpr Index most = Index{1} << 24;
    std::vector<Index> counts(static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(&bytes, sizeof bytes, counts.data());
    Buffer<std::byte> piece;
    agree(comm_, [&] { piece = Buffer<std::byte>(most); });
    std::exception_ptr failure;  // on an error the other ranks must still finish the loop
    for (int rank = 0; rank < comm_.size(); ++rank)
      for (Index done = 0; done < counts[at(rank)]; done += most) {
        const Index now = std::min(most, counts[at(rank)] - done);
        if (rank == comm_.rank()) std::copy_n(data + done, now, piece.data());
        comm_.broadcast(piece.data(), now, rank);
        try {
          if (file_ && !failure) file_->write({piece.data(), static_cast<std::size_t>(now)});
        } catch (...) {
          failure = std::current_exception();
        }
      }
    agree(comm_, [&] {
      if (failure) std::rethrow_exception(failure);
    });
  }

  const Comm& comm_;
  Index header_bytes_;
  std::optional<OutputFile> file_;  // on rank 0
  TemporaryFileMark mark_;          // on the other ranks
  std::string shared_path_;         // empty: only rank 0 writes
};

Buffer<std::byte> read_part(const MpiRuntime& mpi, const FftRequest& request,
                            const NpyHeader& input, NpyType wanted, const Part& part) {
  const auto stored = static_cast<Index>(bytes_of(input.type));
  // Allocate first, on all ranks together, because reading is collective.
  const bool is_native = input.type == wanted && input.byte_order == std::endian::native;
  Buffer<std::byte> raw, converted;
  agree(*mpi.world(), [&] {
    raw = Buffer<std::byte>(std::max<Index>(1, part.count * stored));
    if (!is_native)
      converted =
          Buffer<std::byte>(std::max<Index>(1, part.count * static_cast<Index>(bytes_of(wanted))));
  });
  mpi.read(request.input, static_cast<Index>(input.data_offset) + part.first * stored, raw.data(),
           part.count * stored);
  if (is_native) return raw;
  convert_elements(raw.data(), input.type, input.byte_order, converted.data(), wanted, part.count);
  return converted;
}

}  // namespace

FftReport run_fft_on_ranks(const FftRequest& request, const MpiRuntime& mpi) {
  const auto comm = mpi.world();
  FftReport report;
  FftJob job;
  agree(*comm, [&] {
    const MappedFile file(request.input);
    report.input = read_npy_header(file.bytes(), request.input);
    FftRequest whole = request;
    whole.chunk_mib = 1e12;  // everything at once
    job = make_fft_job(whole, report.input);
    if (job.transform.shape.size() > static_cast<std::size_t>(max_box_ndim))
      throw Error(ErrorCode::unsupported,
                  fmt::format("{} has {} dimensions; distributed transforms take at most {} with a "
                              "length other than 1; reshape the array, or run without mpiexec",
                              request.input, report.input.shape.size(), max_box_ndim - 1));
  });
  report.output = job.output;
  report.transform = describe(job.transform);
  report.chunks = 1;
  const Size size = size_of(job.transform);
  report.flops = nominal_flops(size.points, size.batch, has_real_side(job.transform.kind));

  const auto stored = static_cast<Index>(bytes_of(job.output.type));
  SharedOutput output(request.output, write_npy_header(job.output), job.output.count() * stored,
                      *comm);

  std::vector<Index> half = job.transform.shape;
  Index& length = half[static_cast<std::size_t>(job.transform.axes.back())];
  length = length / 2 + 1;
  const bool halves_in = job.transform.kind == Kind::c2r,
             halves_out = job.transform.kind == Kind::r2c;
  const Part in = part_of(halves_in ? half : job.transform.shape, job.order, *comm);
  const Part out = part_of(halves_out ? half : job.transform.shape, job.order, *comm);

  Stopwatch planning;
  DistributedPlan plan(job.transform, in.boxes, out.boxes, *comm,
                       {.effort = request.plan.effort,
                        .threads = request.plan.threads == 0 ? 1 : request.plan.threads,
                        .use_wisdom = request.plan.use_wisdom});
  report.recipe = plan.recipe();
  report.plan_s = planning.seconds();

  const Stopwatch reading;
  Buffer<std::byte> points, results;
  agree(*comm, [&] {
    results = Buffer<std::byte>(
        std::max<Index>(1, out.count * static_cast<Index>(bytes_of(job.plan_output))));
  });
  points = read_part(mpi, request, report.input, job.plan_input, in);
  report.read_s = reading.seconds();

  const Stopwatch transforming;
  execute(plan, job.transform, points.data(), results.data());
  comm->barrier();
  report.transform_s = transforming.seconds();

  const Stopwatch writing;
  if (job.output.type != job.plan_output)
    convert_elements(results.data(), job.plan_output, std::endian::native, results.data(),
                     job.output.type, out.count);
  output.write(mpi, out.first * stored, results.data(), out.count * stored);
  output.commit();
  report.write_s = writing.seconds();
  return report;
}

}  // namespace weft::tool
