// SPDX-License-Identifier: BSD-3-Clause
#include "test_gpu_requests.hpp"

#include <fmt/format.h>

#include <functional>

#include "gpu/device/driver.hpp"
#include "weft/cuda.hpp"

namespace weft::tool {

int test_refusals() {
  const cuda::Plan plan(c2c({64}, {.precision = Precision::f32}));
  auto workspace = plan.make_workspace();
  std::vector<std::complex<float>> host(64);
  const gpu::UseDevice use(gpu::device(0));
  const gpu::DeviceMemory memory(1024);
  auto* device = static_cast<std::complex<float>*>(memory.data());
  const std::pair<const char*, std::function<void()>> requests[] = {
      {"host memory as input", [&] { plan.execute(host.data(), device, workspace, {}); }},
      {"host memory as output", [&] { plan.execute(device, host.data(), workspace, {}); }},
      {"another precision",
       [&] {
         auto* f64 = reinterpret_cast<std::complex<double>*>(device);
         plan.execute(f64, f64, workspace, {});
       }},
      {"overlapping arrays", [&] { plan.execute(device, device + 3, workspace, {}); }},
      {"a null pointer",
       [&] { plan.execute(static_cast<std::complex<float>*>(nullptr), device, workspace, {}); }},
      {"a device that is not there",
       [] { const cuda::Plan p(c2c({8}), cuda::PlanOptions{.device = 99}); }},
      {"r2r without a workspace",
       [] { const cuda::Plan p(r2r({8}, {R2r::dct2}), cuda::PlanOptions{.workspace_limit = 0}); }},
      {"r2r with the recipe of another",
       [] {
         const std::string recipe = cuda::Plan(r2r({8, 8}, {R2r::dct2})).recipe();
         const cuda::Plan p(r2r({8}, {R2r::dct2}), cuda::PlanOptions{.recipe = recipe});
       }},
      {"a workspace that is not aligned",
       [&] { const cuda::Workspace w(reinterpret_cast<char*>(device) + 8, 64); }},
      {"a workspace in host memory",
       [&] {
         alignas(256) static char memory_of_host[1 << 16];
         const cuda::Plan p(r2r({64}, {R2r::dct2}, {.precision = Precision::f32}));
         cuda::Workspace w(memory_of_host, sizeof memory_of_host);
         auto* reals = reinterpret_cast<float*>(device);
         p.execute(reals, reals, w, {});
       }},
      {"a line of 2^20 points without a workspace",
       [] { const cuda::Plan p(c2c({1 << 20}), cuda::PlanOptions{.workspace_limit = 0}); }},
      {"a recipe for another length",
       [] {
         const std::string recipe = cuda::Plan(c2c({128})).recipe();
         const cuda::Plan p(c2c({64}), cuda::PlanOptions{.recipe = recipe});
       }},
      {"a text that is no recipe",
       [] { const cuda::Plan p(c2c({64}), cuda::PlanOptions{.recipe = "fast"}); }},
      {"too much memory", [] { const cuda::Workspace w(std::size_t(1) << 50); }},
  };
  int failures = 0;
  for (const auto& [name, request] : requests) {
    try {
      request();
      fmt::print("FAILED {}: was not refused\n", name);
      ++failures;
    } catch (const Error& error) {
      fmt::print("refused {}: {}\n", name, error.what());
    }
  }
  return failures;
}

int test_memory() {
  const gpu::UseDevice use(gpu::device(0));
  const Transform cube = c2c({64, 64, 64}, {.precision = Precision::f32});
  int failures = 0;
  const auto expect = [&](bool is_true, const char* what) {
    if (!is_true) fmt::print("FAILED {}\n", what);
    failures += is_true ? 0 : 1;
  };
  const cuda::Plan plain(cube, cuda::PlanOptions{.use_wisdom = false});
  expect(plain.workspace_bytes() > 0, "a cube has a recipe with a workspace");
  for (const Effort effort : {Effort::estimate, Effort::measure}) {
    const cuda::Plan plan(
        cube, cuda::PlanOptions{.effort = effort, .use_wisdom = false, .workspace_limit = 0});
    expect(plan.workspace_bytes() == 0, "a cube without a workspace");
  }
  constexpr std::size_t array = std::size_t(1) << 30;  // of 512^3 points
  for (const double arrays : {1.0, 1.5, 2.5}) {
    std::size_t free = 0, total = 0;
    gpu::require(gpu::driver().memory_info(&free, &total), "cuMemGetInfo");
    const auto left = static_cast<std::size_t>(arrays * array);
    const gpu::DeviceMemory taken(free > left ? free - left : 0);
    const cuda::Plan plan(
        c2c({512, 512, 512}, {.precision = Precision::f32}),
        cuda::PlanOptions{.effort = Effort::measure, .time_limit_s = 1, .use_wisdom = false});
    expect(arrays != 1.5 || plan.workspace_bytes() == 0, "a recipe that memory has room for");
  }
  const cuda::Plan real(r2r({64}, {R2r::dct2}, {.precision = Precision::f32}));
  const gpu::DeviceMemory own(real.workspace_bytes()), array_of_reals(256);
  cuda::Workspace lent(own.data(), own.bytes());
  auto* const reals = static_cast<float*>(array_of_reals.data());
  real.execute(reals, reals, lent, {});
  expect(lent.data() == own.data() && lent.bytes() == own.bytes(), "the caller's own workspace");
  return failures;
}

}  // namespace weft::tool
