// SPDX-License-Identifier: BSD-3-Clause
#include "bench/cufft.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

namespace weft::tool {
namespace {

struct Library {
  int (*create)(int*);
  int (*make_plan)(int, int, long long*, long long*, long long, long long, int, long long*,
                   long long, long long, int, long long, std::size_t*, int);
  int (*set_stream)(int, void*);
  int (*execute)(int, void*, void*, int);
  int (*destroy)(int);
  int (*version)(int*);
  bool is_loaded = false;
};

Library load_library() {
  Library library{};
  void* handle = nullptr;
  for (const char* name :
       {"libcufft.so.12", "libcufft.so.11", "libcufft.so", "/usr/local/cuda/lib64/libcufft.so"})
    if (handle == nullptr) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return library;
  library.is_loaded = true;
  const auto load = [&](auto& function, const char* name) {
    void* const symbol = dlsym(handle, name);
    if (symbol == nullptr) library.is_loaded = false;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  load(library.create, "cufftCreate");
  load(library.make_plan, "cufftXtMakePlanMany");
  load(library.set_stream, "cufftSetStream");
  load(library.execute, "cufftXtExec");
  load(library.destroy, "cufftDestroy");
  load(library.version, "cufftGetVersion");
  return library;
}

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

/// Numbers of cudaDataType.
int data_type(Precision precision, bool is_complex) {
  if (precision == Precision::f16) return is_complex ? 6 : 2;
  if (precision == Precision::f32) return is_complex ? 4 : 0;
  return is_complex ? 5 : 1;
}

}  // namespace

bool has_cufft() { return library().is_loaded; }

std::string cufft_version() {
  int version = 0;
  if (!has_cufft() || library().version(&version) != 0) return "none";
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
  int result = library().create(&handle_);
  if (result == 0)
    result = library().make_plan(handle_, static_cast<int>(shape.size()), shape.data(), nullptr, 1,
                                 0, in, nullptr, 1, 0, out, problem.batch, &workspace, execution);
  if (result != 0)
    throw Error(ErrorCode::unsupported,
                fmt::format("cuFFT refuses the problem (error {})", result));
}

CufftPlan::~CufftPlan() { library().destroy(handle_); }

void CufftPlan::execute(void* in, void* out, void* stream) const {
  library().set_stream(handle_, stream);
  if (const int result = library().execute(handle_, in, out, direction_); result != 0)
    throw Error(ErrorCode::internal, fmt::format("cuFFT fails (error {})", result));
}

}  // namespace weft::tool
