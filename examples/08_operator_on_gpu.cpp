// SPDX-License-Identifier: BSD-3-Clause
// Solves Poisson's equation in a periodic box on a GPU. CUDA's runtime (cudaMalloc, cudaMemcpy) is
// loaded by hand here, so that the program builds without CUDA; yours includes <cuda_runtime.h>.
#include <dlfcn.h>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>
#include <weft/spectral_cuda.hpp>
#include <weft/spectral_functions.hpp>

int main() {
  void* const runtime = dlopen("libcudart.so", RTLD_NOW);
  if (!weft::cuda::is_available() || runtime == nullptr) {
    std::printf("no GPU, or no CUDA runtime: nothing to show\n");
    return 0;
  }
  const auto allocate =
      reinterpret_cast<int (*)(void**, std::size_t)>(dlsym(runtime, "cudaMalloc"));
  const auto copy =
      reinterpret_cast<int (*)(void*, const void*, std::size_t, int)>(dlsym(runtime, "cudaMemcpy"));
  const auto release = reinterpret_cast<int (*)(void*)>(dlsym(runtime, "cudaFree"));
  constexpr int to_device = 1, to_host = 2;

  // laplacian(u) = f in a box of 2 x 1 x 3 with u = sin(x) cos(2 y), each in units of its box.
  const std::vector<weft::Index> shape{96, 80, 72};
  const double tau = 2 * std::numbers::pi, kx = tau / 2, ky = 2 * tau;
  std::vector<double> f, wanted;
  for (weft::Index x = 0; x < shape[0]; ++x)
    for (weft::Index y = 0; y < shape[1]; ++y)
      for (weft::Index z = 0; z < shape[2]; ++z) {
        wanted.push_back(std::sin(tau * double(x) / 96) * std::cos(2 * tau * double(y) / 80));
        f.push_back(-(kx * kx + ky * ky) * wanted.back());
      }

  const weft::cuda::SpectralOperator solve(weft::r2c(shape), weft::spectral::inverse_laplacian(),
                                           {.lengths = {2.0, 1.0, 3.0}});
  weft::cuda::Workspace workspace = solve.make_workspace();
  void* memory = nullptr;
  if (allocate(&memory, f.size() * sizeof(double)) != 0) return 1;
  auto* const field = static_cast<double*>(memory);
  copy(field, f.data(), f.size() * sizeof(double), to_device);
  solve.execute(field, field, workspace, weft::cuda::Stream());  // in place, on the default stream
  std::vector<double> u(f.size());
  copy(u.data(), field, u.size() * sizeof(double), to_host);  // waits for the stream
  release(memory);

  double error = 0;
  for (std::size_t i = 0; i < u.size(); ++i) error = std::max(error, std::abs(u[i] - wanted[i]));
  std::printf("%slargest error %.1e\n", solve.explain().c_str(), error);
  return error < 1e-12 ? 0 : 1;
}
