// SPDX-License-Identifier: BSD-3-Clause
// `weft fft` under mpiexec: every rank reads its part of the file, all transform together, every
// rank writes its part. An array need not fit the memory of one rank.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "base/buffer.hpp"
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

/// Axes from slowest to fastest in the file: items first, then the file's order.
std::vector<int> storage_order(std::size_t ndim, Order order) {
  std::vector<int> axes{0};
  for (std::size_t d = 1; d < ndim; ++d)
    axes.push_back(static_cast<int>(order == Order::row_major ? d : ndim - d));
  return axes;
}

/// Cut along the slowest axis that has more than one index: a contiguous range for every rank.
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

/// A file that all ranks write beside its target; it takes the target's name at the end.
class SharedOutput {
 public:
  SharedOutput(const std::string& path, const Comm& comm) : path_(path), comm_(comm) {
    temporary_ = broadcast_text(comm, fmt::format("{}.{}.part", path, getpid()));
  }
  ~SharedOutput() {
    if (!committed_ && comm_.rank() == 0) ::unlink(temporary_.c_str());
  }
  SharedOutput(const SharedOutput&) = delete;
  SharedOutput& operator=(const SharedOutput&) = delete;

  void begin(const std::string& header) {
    agree(comm_, [&] {
      if (comm_.rank() != 0) return;
      const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
      const bool good = file >= 0 && ::write(file, header.data(), header.size()) ==
                                         static_cast<ssize_t>(header.size());
      const int reason = errno;
      if (file >= 0) ::close(file);
      if (!good)
        throw Error(ErrorCode::io, fmt::format("cannot write {}: {}; choose another place", path_,
                                               std::strerror(reason)));
    });
  }
  const std::string& temporary() const { return temporary_; }
  void commit() {
    agree(comm_, [&] {
      if (comm_.rank() == 0) std::filesystem::rename(temporary_, path_);
    });
    committed_ = true;
  }

 private:
  std::string path_, temporary_;
  const Comm& comm_;
  bool committed_ = false;
};

Buffer<std::byte> read_part(const MpiRuntime& mpi, const FftRequest& request,
                            const NpyHeader& input, NpyType wanted, const Part& part) {
  const auto stored = static_cast<Index>(bytes_of(input.type));
  // Memory first, on all ranks together: reading is collective.
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
    if (request.output.rfind("/dev/", 0) == 0)
      throw Error(ErrorCode::unsupported, "many ranks cannot write to " + request.output +
                                              "; name a file, or start without mpiexec");
  });
  report.output = job.output;
  report.transform = describe(job.transform);
  report.chunks = 1;
  const Size size = size_of(job.transform);
  report.flops = nominal_flops(size.points, size.batch, has_real_side(job.transform.kind));

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
  SharedOutput output(request.output, *comm);
  const std::string header = write_npy_header(job.output);
  output.begin(header);
  const auto stored = static_cast<Index>(bytes_of(job.output.type));
  if (job.output.type != job.plan_output)
    convert_elements(results.data(), job.plan_output, std::endian::native, results.data(),
                     job.output.type, out.count);
  mpi.write(output.temporary(), static_cast<Index>(header.size()) + out.first * stored,
            results.data(), out.count * stored);
  output.commit();
  report.write_s = writing.seconds();
  return report;
}

}  // namespace weft::tool
