// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cufft.hpp"

#include <fmt/format.h>

#include "gpu/device/library.hpp"

namespace weft::tool {
namespace {

struct Cufft {
  int (*create)(int*);
  int (*make_plan)(int, int, long long*, long long*, long long, long long, int, long long*,
                   long long, long long, int, long long, std::size_t*, int);
  int (*set_stream)(int, void*);
  int (*execute)(int, void*, void*, int);
  int (*destroy)(int);
  int (*version)(int*);
  bool is_loaded = false;
};

Cufft load_cufft() {
  const gpu::Library library(
      {"libcufft.so.12", "libcufft.so.11", "libcufft.so", "/usr/local/cuda/lib64/libcufft.so"});
  Cufft c{};
  c.is_loaded =
      library.load(c.create, "cufftCreate") && library.load(c.make_plan, "cufftXtMakePlanMany") &&
      library.load(c.set_stream, "cufftSetStream") && library.load(c.execute, "cufftXtExec") &&
      library.load(c.destroy, "cufftDestroy") && library.load(c.version, "cufftGetVersion");
  return c;
}

const Cufft& cufft() {
  static const Cufft loaded = load_cufft();
  return loaded;
}

/// Numbers of cudaDataType.
int data_type(Precision precision, bool is_complex) {
  if (precision == Precision::f16) return is_complex ? 6 : 2;
  if (precision == Precision::f32) return is_complex ? 4 : 0;
  return is_complex ? 5 : 1;
}

}  // namespace

bool has_cufft() { return cufft().is_loaded; }

std::string cufft_version() {
  int version = 0;
  if (!has_cufft() || cufft().version(&version) != 0) return "none";
  return fmt::format("{}.{}.{}", version / 1000, version / 100 % 10, version % 100);
}

CufftPlan::CufftPlan(const CufftProblem& problem)
    : direction_(problem.direction == Direction::forward && problem.kind != Kind::c2r ? -1 : 1) {
  if (!has_cufft())
    throw Error(ErrorCode::unsupported,
                "cuFFT (libcufft.so) was not found; install the CUDA toolkit or pass --no-cufft");
  std::vector<long long> shape(problem.shape.begin(), problem.shape.end());
  const int in = data_type(problem.precision, problem.kind != Kind::r2c);
  const int out = data_type(problem.precision, problem.kind != Kind::c2r);
  const int execution = data_type(problem.precision, true);
  std::size_t workspace = 0;
  int result = cufft().create(&handle_);
  if (result == 0)
    result = cufft().make_plan(handle_, static_cast<int>(shape.size()), shape.data(), nullptr, 1, 0,
                               in, nullptr, 1, 0, out, problem.batch, &workspace, execution);
  if (result != 0)
    throw Error(ErrorCode::unsupported,
                fmt::format("cuFFT cannot plan this transform (cufftResult {}); leave the row out "
                            "with --rows, or pass --no-cufft",
                            result));
}

CufftPlan::~CufftPlan() { cufft().destroy(handle_); }

void CufftPlan::execute(void* in, void* out, void* stream) const {
  cufft().set_stream(handle_, stream);
  if (const int result = cufft().execute(handle_, in, out, direction_); result != 0)
    throw Error(ErrorCode::internal,
                fmt::format("cuFFT failed to run the transform (cufftResult {})", result));
}

}  // namespace weft::tool
