// SPDX-License-Identifier: BSD-3-Clause
// The plugin: MpiRuntime for one MPI library. It uses the weft functions of the tool that loads it.
#include "mpi/plugin.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "comm/mpi_support.hpp"
#include "mpi/fftw_mpi.hpp"
#include "mpi/heffte.hpp"
#include "weft/error.hpp"
#include "weft/export.h"
#include "weft/mpi.hpp"

namespace weft::tool {
namespace {

constexpr Index largest_piece = Index{1} << 30;

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return {text, static_cast<std::size_t>(length)};
}

/// A file that all ranks have open.
class SharedFile {
 public:
  SharedFile(const Comm& comm, const std::string& path, int mode) : comm_(comm), path_(path) {
    int code = MPI_SUCCESS;
    code = MPI_File_open(MPI_COMM_WORLD, path.c_str(), mode, MPI_INFO_NULL, &file_);
    mpi_support::agree(comm_, [&] { check(code, "open"); });
  }
  ~SharedFile() { MPI_File_close(&file_); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Collective: every rank makes as many MPI calls as the rank with the longest part needs.
  template <class Access>
  void each_piece(Index bytes, const char* doing, const Access& access) {
    std::vector<Index> all(static_cast<std::size_t>(comm_.size()));
    comm_.all_gather(&bytes, sizeof bytes, all.data());
    const Index most = *std::ranges::max_element(all);
    for (Index done = 0; done < most; done += largest_piece) {
      const Index part = std::clamp<Index>(bytes - done, 0, largest_piece);
      MPI_Status status;
      const int code = access(file_, done, static_cast<int>(part), &status);
      mpi_support::agree(comm_, [&] {
        check(code, doing);
        int count = 0;
        MPI_Get_count(&status, MPI_BYTE, &count);
        if (count != part)
          throw Error(ErrorCode::io, path_ + ": could not " + doing +
                                         " all of it; is the disk "
                                         "full, or the file shorter than its header says?");
      });
    }
  }

 private:
  void check(int code, const char* doing) const {
    if (code != MPI_SUCCESS)
      throw Error(ErrorCode::io,
                  "cannot " + std::string(doing) + " " + path_ + ": " + text_of(code));
  }

  const Comm& comm_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

class Runtime final : public MpiRuntime {
 public:
  Runtime() : world_(mpi_comm(MPI_COMM_WORLD)) {}
  std::shared_ptr<const Comm> world() const override { return world_; }
  std::string library() const override { return world_->transport(); }
  bool has_fftw(Precision precision) const override { return has_fftw_mpi(precision); }
  FftwMpiBlocks fftw_blocks(const FftwMpiProblem& problem) const override {
    return fftw_mpi_blocks(problem, MPI_COMM_WORLD);
  }
  std::unique_ptr<PeerPlan> fftw(const FftwMpiProblem& problem) const override {
    return make_fftw_mpi_plan(problem, MPI_COMM_WORLD);
  }
  std::string open_heffte(const std::string& folder) override {
    mpi_support::agree(*world_, [&] { heffte_ = std::make_unique<Heffte>(folder); });
    return heffte_->backend();
  }
  std::unique_ptr<PeerPlan> heffte(const HeffteProblem& problem) const override {
    return heffte_->plan(problem, *world_, MPI_COMM_WORLD);
  }
  void read(const std::string& path, Index offset, void* data, Index bytes) const override {
    SharedFile file(*world_, path, MPI_MODE_RDONLY);
    file.each_piece(bytes, "read", [&](MPI_File f, Index done, int count, MPI_Status* status) {
      return MPI_File_read_at_all(f, offset + done, static_cast<std::byte*>(data) + done, count,
                                  MPI_BYTE, status);
    });
  }
  void write(const std::string& path, Index offset, const void* data, Index bytes) const override {
    SharedFile file(*world_, path, MPI_MODE_WRONLY | MPI_MODE_CREATE);
    file.each_piece(bytes, "write", [&](MPI_File f, Index done, int count, MPI_Status* status) {
      return MPI_File_write_at_all(f, offset + done, static_cast<const std::byte*>(data) + done,
                                   count, MPI_BYTE, status);
    });
  }

 private:
  std::shared_ptr<const Comm> world_;
  std::unique_ptr<Heffte> heffte_;
};

std::unique_ptr<Runtime> runtime;

/// Whether every rank calls this in time: then all ranks have failed with the same error and
/// reported it.
bool all_stop_within(double seconds) {
  MPI_Request all = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &all);
  const double begin = MPI_Wtime();
  int done = 0;
  while (done == 0 && MPI_Wtime() - begin < seconds) {
    MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return done != 0;
}

}  // namespace
}  // namespace weft::tool

extern "C" WEFT_API weft::tool::MpiRuntime* weft_start_mpi() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  weft::tool::runtime = std::make_unique<weft::tool::Runtime>();
  return weft::tool::runtime.get();
}

extern "C" WEFT_API void weft_stop_mpi(int exit_code) {
  // If only this rank has failed, the others would wait for it forever; after a few seconds it
  // aborts them.
  const double patience = exit_code == 0 ? std::numeric_limits<double>::infinity() : 5.0;
  if (!weft::tool::all_stop_within(patience)) MPI_Abort(MPI_COMM_WORLD, exit_code);
  weft::tool::runtime.reset();
  MPI_Finalize();
}
