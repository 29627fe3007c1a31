// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_graph.hpp"

#include <fmt/format.h>

#include "gpu/device/driver.hpp"
#include "gpu/device/library.hpp"
#include "gpu_test_data.hpp"
#include "text.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {
namespace {

/// Names and signatures as in cuda.h.
struct GraphApi {
  int (*begin_capture)(gpu::Stream, int) = nullptr;
  int (*end_capture)(gpu::Stream, void**) = nullptr;
  int (*instantiate)(void**, void*, unsigned long long) = nullptr;
  int (*launch)(void*, gpu::Stream) = nullptr;
  int (*destroy_executable)(void*) = nullptr;
  int (*destroy)(void*) = nullptr;

  GraphApi() {
    const gpu::Library library({"libcuda.so.1"});
    const bool is_complete = library.load(begin_capture, "cuStreamBeginCapture_v2") &&
                             library.load(end_capture, "cuStreamEndCapture") &&
                             library.load(instantiate, "cuGraphInstantiateWithFlags") &&
                             library.load(launch, "cuGraphLaunch") &&
                             library.load(destroy_executable, "cuGraphExecDestroy") &&
                             library.load(destroy, "cuGraphDestroy");
    if (!is_complete) throw Error(ErrorCode::unsupported, "the CUDA driver lacks graphs");
  }
};

/// Captures what `execute` puts on the stream and runs it twice.
template <class Execute>
void replay(const GraphApi& api, gpu::Stream stream, const Execute& execute) {
  constexpr int thread_local_mode = 1;
  void *graph = nullptr, *executable = nullptr;
  gpu::require(api.begin_capture(stream, thread_local_mode), "cuStreamBeginCapture");
  execute();
  gpu::require(api.end_capture(stream, &graph), "cuStreamEndCapture");
  gpu::require(api.instantiate(&executable, graph, 0), "cuGraphInstantiate");
  for (int run = 0; run < 2; ++run) gpu::require(api.launch(executable, stream), "cuGraphLaunch");
  gpu::require(gpu::driver().stream_synchronize(stream), "a graph");
  api.destroy_executable(executable);
  api.destroy(graph);
}

/// What two executions of the plan, one plain and one of a graph, left behind.
bool agrees_as_graph(const Transform& transform, const GraphApi& api) {
  using Point = std::complex<float>;
  const cuda::Plan plan(transform);
  auto workspace = plan.make_workspace();
  Index points = 1;
  for (const Index n : transform.shape) points *= n;
  const auto bytes = static_cast<std::size_t>(points) * sizeof(Point);
  const std::vector<char> input =
      narrowed(random_reals(static_cast<std::size_t>(2 * points)), Precision::f32);
  const gpu::DeviceMemory in(bytes), plain(bytes), replayed(bytes);
  gpu::require(gpu::driver().copy_to_device(in.address(), input.data(), bytes), "copy");
  gpu::require(gpu::driver().set_bytes(replayed.address(), 0, bytes), "clear");
  gpu::Stream stream = nullptr;
  gpu::require(gpu::driver().stream_create(&stream, 1), "cuStreamCreate");
  const auto execute = [&](const gpu::DeviceMemory& out) {
    plan.execute(static_cast<const Point*>(in.data()), static_cast<Point*>(out.data()), workspace,
                 cuda::Stream(stream));
  };
  execute(plain);
  gpu::require(gpu::driver().stream_synchronize(stream), "a plain execution");
  replay(api, stream, [&] { execute(replayed); });
  std::vector<char> wanted(bytes), got(bytes);
  gpu::require(gpu::driver().copy_to_host(wanted.data(), plain.address(), bytes), "copy");
  gpu::require(gpu::driver().copy_to_host(got.data(), replayed.address(), bytes), "copy");
  gpu::driver().stream_destroy(stream);
  return got == wanted;
}

}  // namespace

void replay_as_graph(const std::function<void(gpu::Stream)>& execute) {
  static const GraphApi api;
  gpu::Stream stream = nullptr;
  gpu::require(gpu::driver().stream_create(&stream, 1), "cuStreamCreate");
  replay(api, stream, [&] { execute(stream); });
  gpu::driver().stream_destroy(stream);
}

int test_graphs() {
  const GraphApi api;
  const gpu::UseDevice use(gpu::device(0));
  int failures = 0;
  for (const std::vector<Index>& shape :
       std::vector<std::vector<Index>>{{512}, {64, 64, 64}, {37, 20, 97}}) {
    const bool agrees = agrees_as_graph(c2c(shape, {.precision = Precision::f32}), api);
    fmt::print("{} as a graph: {}\n", shape_text(shape), agrees ? "agrees" : "FAILED");
    if (!agrees) ++failures;
  }
  return failures;
}

}  // namespace weft::tool
