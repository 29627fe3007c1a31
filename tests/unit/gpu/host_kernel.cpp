// SPDX-License-Identifier: BSD-3-Clause
#include "host_kernel.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "gpu/emit/emit_kernel.hpp"
#include "gpu/recipe/recipe_text.hpp"
#include "support/half.hpp"

namespace weft::test {

HostLibrary::HostLibrary(const std::string& text) {
  static int count = 0;
  const auto folder = std::filesystem::temp_directory_path();
  const std::string name =
      (folder / ("weft_gpu_test_" + std::to_string(::getpid()) + "_" + std::to_string(count++)))
          .string();
  std::ofstream(name + ".cpp") << text;
  const std::string command = std::string(WEFT_TEST_COMPILER) + " -std=c++17 -O0 -w -fPIC " +
                              "-ffp-contract=off -shared -o " + name + ".so " + name + ".cpp";
  if (std::system(command.c_str()) == 0) handle_ = dlopen((name + ".so").c_str(), RTLD_NOW);
  std::filesystem::remove(name + ".cpp");
  std::filesystem::remove(name + ".so");
}
HostLibrary::~HostLibrary() {
  if (handle_ != nullptr) dlclose(handle_);
}
void* HostLibrary::symbol(const char* name) const {
  return handle_ != nullptr ? dlsym(handle_, name) : nullptr;
}

namespace {

using HostKernel = void (*)(const void*, void*, const void*, double);

struct CompiledPass {
  explicit CompiledPass(const gpu::TilePass& pass)
      : geometry(pass),
        tables(pass),
        library(gpu::emit_kernel(pass, geometry, tables)),
        run(library.function<HostKernel>("weft_pass_on_host")),
        bytes(tables.bytes(pass.precision)) {}

  gpu::Geometry geometry;
  gpu::Tables tables;
  HostLibrary library;
  HostKernel run;
  std::vector<unsigned char> bytes;
};

bool has_real(const gpu::PlacedPass& placed, gpu::RealSide side) {
  for (const gpu::TileAxis& tile_axis : placed.pass.tile_axes)
    if (tile_axis.real == side) return true;
  return false;
}

template <class Real>
Real narrowed(double x) {
  if constexpr (std::is_same_v<Real, Half>)
    return double_to_half(x);
  else
    return static_cast<Real>(x);
}
template <class Real>
double widened(Real x) {
  if constexpr (std::is_same_v<Real, Half>)
    return half_to_double(x);
  else
    return x;
}

template <class Real>
std::vector<Real> as_reals(const std::vector<std::complex<double>>& values, bool is_real) {
  std::vector<Real> result;
  for (const auto& v : values) {
    result.push_back(narrowed<Real>(v.real()));
    if (!is_real) result.push_back(narrowed<Real>(v.imag()));
  }
  return result;
}

using Values = std::vector<std::complex<double>>;

template <class Real>
Values run(const gpu::Recipe& recipe, const std::vector<std::unique_ptr<CompiledPass>>& passes,
           const Values& input, Index output_elements, double scale) {
  const gpu::PlacedPass& first = recipe.passes.front();
  const bool real_in = has_real(first, gpu::RealSide::input) || first.pass.pair > 0;
  const gpu::PlacedPass& last = recipe.passes.back();
  const bool real_out = has_real(last, gpu::RealSide::output) || last.pass.out_pair > 0;
  const Real poison = narrowed<Real>(-12345);
  std::vector<Real> in = as_reals<Real>(input, real_in);
  std::vector<Real> out(static_cast<std::size_t>(output_elements) * (real_out ? 1 : 2), poison);
  std::vector<Real> workspace(static_cast<std::size_t>(recipe.workspace_elements) * 2, poison);
  std::vector<Real> scratch(static_cast<std::size_t>(recipe.scratch_elements) * 2, poison);
  const auto memory = [&](gpu::Place place) {
    return place == gpu::Place::input     ? in.data()
           : place == gpu::Place::output  ? out.data()
           : place == gpu::Place::scratch ? scratch.data()
                                          : workspace.data();
  };
  for (std::size_t s = 0; s < recipe.passes.size(); ++s) {
    const gpu::PlacedPass& placed = recipe.passes[s];
    EXPECT_NE(passes[s]->run, nullptr) << to_text(placed.pass);
    if (passes[s]->run == nullptr) return {};
    passes[s]->run(memory(placed.from), memory(placed.to), passes[s]->bytes.data(),
                   s + 1 == recipe.passes.size() ? scale : 1.0);
  }
  Values result;
  for (std::size_t i = 0; i < static_cast<std::size_t>(output_elements); ++i)
    result.push_back(real_out ? std::complex<double>(widened(out[i]))
                              : std::complex<double>(widened(out[2 * i]), widened(out[2 * i + 1])));
  return result;
}

}  // namespace

std::vector<Values> run_each_on_host(const gpu::Recipe& recipe, const std::vector<Values>& inputs,
                                     Index output_elements, double scale) {
  std::vector<std::unique_ptr<CompiledPass>> passes;
  for (const gpu::PlacedPass& placed : recipe.passes)
    passes.push_back(std::make_unique<CompiledPass>(placed.pass));
  std::vector<Values> results;
  for (const Values& input : inputs) switch (recipe.passes.front().pass.precision) {
      case Precision::f64:
        results.push_back(run<double>(recipe, passes, input, output_elements, scale));
        break;
      case Precision::f32:
        results.push_back(run<float>(recipe, passes, input, output_elements, scale));
        break;
      case Precision::f16:
        results.push_back(run<Half>(recipe, passes, input, output_elements, scale));
        break;
    }
  return results;
}

Values run_on_host(const gpu::Recipe& recipe, const Values& input, Index output_elements,
                   double scale) {
  return run_each_on_host(recipe, {input}, output_elements, scale).front();
}

}  // namespace weft::test
