// SPDX-License-Identifier: BSD-3-Clause
// Programs written for cuFFT, on libweft_cufft and a driver that runs kernels on this host. The
// oracle is the defining sum.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <vector>

#include "cufft_declarations.h"
#include "gpu_stand_in/stand_in.hpp"

extern "C" int cuCtxPushCurrent_v2(void*);
extern "C" int cuMemAlloc_v2(std::uintptr_t*, std::size_t);
extern "C" int cuMemFree_v2(std::uintptr_t);

namespace {

using Complex = std::complex<double>;
constexpr int success = 0, invalid_plan = 1, invalid_type = 3, invalid_value = 4, invalid_size = 8,
              invalid_device = 11, not_supported = 16;

/// Whether a stand-in for cuFFT can be loaded in this run.
bool has_cufft() {
  const char* path = std::getenv("WEFT_CUFFT_LIBRARY");
  return path != nullptr && std::strstr(path, "stub") != nullptr;
}

/// Memory of the device, which the host can reach in these tests.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    cuCtxPushCurrent_v2(nullptr);
    EXPECT_EQ(cuMemAlloc_v2(&address_, count * sizeof(T)), 0);
    std::fill_n(data(), count, T{});
  }
  ~DeviceArray() { cuMemFree_v2(address_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() { return reinterpret_cast<T*>(address_); }
  T& operator[](std::size_t i) { return data()[i]; }
  std::size_t size() const { return count_; }

 private:
  std::uintptr_t address_ = 0;
  std::size_t count_;
};

double number(std::size_t i) { return std::sin(1.7 * static_cast<double>(i) + 0.3); }

/// The defining sum over up to three axes.
std::vector<Complex> dft(const std::vector<Complex>& in, std::vector<int> n, int sign) {
  n.resize(3, 1);
  std::vector<Complex> now = in;
  std::size_t stride = in.size();
  for (const int length : n) {
    const auto points = static_cast<std::size_t>(length);
    stride /= points;
    std::vector<Complex> next(now.size());
    for (std::size_t at = 0; at < now.size(); ++at) {
      const std::size_t k = at / stride % points, first = at - k * stride;
      for (std::size_t j = 0; j < points; ++j)
        next[at] += now[first + j * stride] *
                    std::polar(1.0, sign * 2 * std::numbers::pi *
                                        static_cast<double>(j * k % points) / length);
    }
    now = next;
  }
  return now;
}

template <class T>
void expect_near(std::complex<T> got, Complex wanted, double bound, std::size_t at) {
  ASSERT_LT(std::abs(Complex(got) - wanted), bound) << "element " << at;
}

TEST(Cufft, TransformsComplexNumbersBothWays) {
  for (const std::vector<int>& n : {std::vector<int>{1}, {30}, {101}, {6, 10}, {4, 6, 9}}) {
    std::size_t points = 1;
    for (const int length : n) points *= static_cast<std::size_t>(length);
    DeviceArray<std::complex<float>> in(points), out(points);
    std::vector<Complex> wide(points);
    for (std::size_t i = 0; i < points; ++i) {
      wide[i] = {number(i), number(i + points)};
      in[i] = std::complex<float>(wide[i]);
    }
    cufftHandle plan = 0;
    const int made = n.size() == 1   ? cufftPlan1d(&plan, n[0], CUFFT_C2C, 1)
                     : n.size() == 2 ? cufftPlan2d(&plan, n[0], n[1], CUFFT_C2C)
                                     : cufftPlan3d(&plan, n[0], n[1], n[2], CUFFT_C2C);
    ASSERT_EQ(made, success);
    for (const int sign : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      ASSERT_EQ(cufftExecC2C(plan, in.data(), out.data(), sign), success);
      const auto wanted = dft(wide, n, sign);
      for (std::size_t i = 0; i < points; ++i) expect_near(out[i], wanted[i], 1e-4, i);
    }
    ASSERT_EQ(cufftExecC2C(plan, in.data(), in.data(), CUFFT_FORWARD), success);
    const auto wanted = dft(wide, n, CUFFT_FORWARD);
    for (std::size_t i = 0; i < points; ++i) expect_near(in[i], wanted[i], 1e-4, i);
    EXPECT_EQ(cufftDestroy(plan), success);
  }
}

TEST(Cufft, RealRowsArePaddedInPlaceOnly) {
  constexpr int rows = 5, n = 12, half = n / 2 + 1;
  std::vector<Complex> wide(rows * n);
  for (std::size_t i = 0; i < wide.size(); ++i) wide[i] = number(i);
  const auto wanted = dft(wide, {rows, n}, CUFFT_FORWARD);
  cufftHandle there = 0, back = 0;
  ASSERT_EQ(cufftPlan2d(&there, rows, n, CUFFT_D2Z), success);
  ASSERT_EQ(cufftPlan2d(&back, rows, n, CUFFT_Z2D), success);
  DeviceArray<double> reals(rows * n), restored(rows * n), both(rows * 2 * half);
  DeviceArray<Complex> spectrum(rows * half);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i)
      reals[r * n + i] = both[r * 2 * half + i] = wide[r * n + i].real();
  ASSERT_EQ(cufftExecD2Z(there, reals.data(), spectrum.data()), success);
  ASSERT_EQ(cufftExecD2Z(there, both.data(), both.data()), success);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t k = 0; k < half; ++k) {
      const std::size_t at = r * half + k;
      expect_near(spectrum[at], wanted[r * n + k], 1e-12, at);
      expect_near(Complex(both[2 * at], both[2 * at + 1]), wanted[r * n + k], 1e-12, at);
    }
  ASSERT_EQ(cufftExecZ2D(back, spectrum.data(), restored.data()), success);
  ASSERT_EQ(cufftExecZ2D(back, both.data(), both.data()), success);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(restored[r * n + i], rows * n * wide[r * n + i].real(), 1e-12 * rows * n);
      EXPECT_NEAR(both[r * 2 * half + i], rows * n * wide[r * n + i].real(), 1e-12 * rows * n);
    }
  cufftDestroy(there);
  cufftDestroy(back);
}

TEST(Cufft, StridesDistancesAndBatches) {
  constexpr int batch = 3;
  int n[] = {4, 6};
  int in_embed[] = {5, 7}, out_embed[] = {4, 8};
  const int in_stride = 2, in_distance = 75, out_stride = 3, out_distance = 1;
  DeviceArray<Complex> in(batch * in_distance), out(out_stride * 4 * 8 + batch);
  cufftHandle plan = 0;
  ASSERT_EQ(cufftPlanMany(&plan, 2, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                          out_distance, CUFFT_Z2Z, batch),
            success);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = {number(i), number(2 * i)};
  ASSERT_EQ(cufftExecZ2Z(plan, in.data(), out.data(), CUFFT_INVERSE), success);
  for (std::size_t b = 0; b < batch; ++b) {
    std::vector<Complex> wide;
    for (std::size_t x = 0; x < 4; ++x)
      for (std::size_t y = 0; y < 6; ++y)
        wide.push_back(in[b * in_distance + (x * 7 + y) * in_stride]);
    const auto wanted = dft(wide, {4, 6}, CUFFT_INVERSE);
    for (std::size_t x = 0; x < 4; ++x)
      for (std::size_t y = 0; y < 6; ++y)
        expect_near(out[b * out_distance + (x * 8 + y) * out_stride], wanted[x * 6 + y], 1e-12, b);
  }
  cufftDestroy(plan);
}

TEST(Cufft, WorkAreasOfTheProgram) {
  constexpr long long points = 101;  // a prime: it needs a work area
  cufftHandle plan = 0;
  ASSERT_EQ(cufftCreate(&plan), success);
  ASSERT_EQ(cufftSetAutoAllocation(plan, 0), success);
  std::size_t bytes = 0, same = 0, estimated = 0;
  long long n[] = {points};
  constexpr int complex_f64 = 5;
  ASSERT_EQ(cufftXtMakePlanMany(plan, 1, n, nullptr, 1, 0, complex_f64, nullptr, 1, 0, complex_f64,
                                4, &bytes, complex_f64),
            success);
  EXPECT_EQ(cufftGetSize(plan, &same), success);
  EXPECT_EQ(same, bytes);
  EXPECT_EQ(cufftGetSize1d(plan, points, CUFFT_Z2Z, 4, &same), success);
  EXPECT_EQ(same, bytes);
  EXPECT_EQ(cufftEstimate1d(points, CUFFT_Z2Z, 4, &estimated), success);
  EXPECT_EQ(estimated, 4 * points * 16);
  DeviceArray<char> area(bytes + 256);
  ASSERT_EQ(cufftSetWorkArea(plan, area.data()), success);
  ASSERT_EQ(cufftSetStream(plan, nullptr), success);
  DeviceArray<Complex> data(4 * points);
  std::vector<Complex> wide(4 * points);
  for (std::size_t i = 0; i < wide.size(); ++i) data[i] = wide[i] = {number(i), 1};
  ASSERT_EQ(cufftXtExec(plan, data.data(), data.data(), CUFFT_FORWARD), success);
  // It is used, as far as it was said to reach and no further.
  const auto is_written = [](char c) { return c != 0; };
  EXPECT_TRUE(std::any_of(area.data(), area.data() + bytes, is_written));
  EXPECT_TRUE(std::none_of(area.data() + bytes, area.data() + bytes + 256, is_written));
  for (std::size_t b = 0; b < 4; ++b) {
    const auto first = wide.begin() + static_cast<std::ptrdiff_t>(b * points);
    const auto wanted = dft({first, first + points}, {points}, CUFFT_FORWARD);
    for (std::size_t k = 0; k < points; ++k) expect_near(data[b * points + k], wanted[k], 1e-11, k);
  }
  cufftDestroy(plan);
}

TEST(Cufft, RunsOnTheStreamOfTheProgram) {
  int first = 0, second = 0;  // their addresses stand for streams
  cufftHandle plan = 0;
  ASSERT_EQ(cufftPlan1d(&plan, 30, CUFFT_C2C, 1), success);
  DeviceArray<std::complex<float>> in(30), out(30);
  for (void* const stream : {static_cast<void*>(&first), static_cast<void*>(&second)}) {
    ASSERT_EQ(cufftSetStream(plan, stream), success);
    ASSERT_EQ(cufftExecC2C(plan, in.data(), out.data(), CUFFT_FORWARD), success);
    EXPECT_EQ(stand_in_last_stream(), stream);
  }
  void* routine[] = {nullptr};
  if (has_cufft()) {  // which is told the stream that was set before it was asked
    ASSERT_EQ(cufftXtSetCallback(plan, routine, 0, nullptr), success);
    ASSERT_EQ(cufftExecC2C(plan, in.data(), out.data(), CUFFT_FORWARD), success);
    EXPECT_EQ(out[0], std::complex<float>(4711, 42));
  }
  cufftDestroy(plan);
}

/// The plans of these executions are made while a stream is captured.
TEST(Cufft, WithinACaptureTheFirstExecutionOfItsKindIsRight) {
  constexpr int points = 60, half = points / 2 + 1;
  cufftHandle complex = 0, real = 0;
  ASSERT_EQ(cufftPlan1d(&complex, points, CUFFT_Z2Z, 1), success);
  ASSERT_EQ(cufftPlan1d(&real, points, CUFFT_D2Z, 1), success);
  DeviceArray<Complex> in(points), out(points);
  DeviceArray<double> both(2 * half);
  std::vector<Complex> wide(points), reals(points);
  for (std::size_t i = 0; i < points; ++i) {
    in[i] = wide[i] = {number(i), number(2 * i)};
    reals[i] = both[i] = number(i);
  }
  stand_in_capture(true);
  const int backward = cufftExecZ2Z(complex, in.data(), out.data(), CUFFT_INVERSE);
  const int in_place = cufftExecD2Z(real, both.data(), both.data());
  stand_in_capture(false);
  ASSERT_EQ(backward, success);
  ASSERT_EQ(in_place, success);
  const auto wanted = dft(wide, {points}, CUFFT_INVERSE);
  for (std::size_t i = 0; i < points; ++i) expect_near(out[i], wanted[i], 1e-11, i);
  const auto spectrum = dft(reals, {points}, CUFFT_FORWARD);
  for (std::size_t k = 0; k < half; ++k)
    expect_near(Complex(both[2 * k], both[2 * k + 1]), spectrum[k], 1e-11, k);
  cufftDestroy(complex);
  cufftDestroy(real);
}

/// What run_with_test.sh looks for in the report.
TEST(Cufft, SomeTransformsForTheReport) {
  int n[] = {4, 6};
  cufftHandle plan = 0, twice = 0;
  ASSERT_EQ(cufftPlanMany(&plan, 2, n, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 3), success);
  ASSERT_EQ(cufftPlan1d(&twice, 10, CUFFT_D2Z, 1), success);
  DeviceArray<std::complex<float>> data(3 * 24);
  DeviceArray<double> reals(12);
  DeviceArray<Complex> spectrum(6);
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(cufftExecC2C(plan, data.data(), data.data(), CUFFT_INVERSE), success);
  ASSERT_EQ(cufftExecD2Z(twice, reals.data(), spectrum.data()), success);
  stand_in_capture(true);
  const int captured = cufftExecD2Z(twice, reals.data(), spectrum.data());
  stand_in_capture(false);
  EXPECT_EQ(captured, success);
  void* routine[] = {nullptr};
  EXPECT_EQ(cufftXtSetCallback(twice, routine, 0, nullptr), has_cufft() ? success : not_supported);
  ASSERT_EQ(cufftExecD2Z(twice, reals.data(), spectrum.data()), success);
  cufftDestroy(plan);
  cufftDestroy(twice);
}

TEST(Cufft, HandlesThatAreNotPlansAreRefused) {
  cufftHandle plan = 0;
  ASSERT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, 1), success);
  ASSERT_EQ(cufftDestroy(plan), success);
  DeviceArray<Complex> data(8);
  std::size_t bytes = 0;
  for (const cufftHandle gone : {plan, 0, -1, 1 << 30}) {
    void* const memory = data.data();
    EXPECT_EQ(cufftDestroy(gone), invalid_plan);
    EXPECT_EQ(cufftExecC2C(gone, memory, memory, CUFFT_FORWARD), invalid_plan);
    EXPECT_EQ(cufftExecD2Z(gone, data.data(), memory), invalid_plan);
    EXPECT_EQ(cufftXtExec(gone, memory, memory, CUFFT_FORWARD), invalid_plan);
    EXPECT_EQ(cufftMakePlan1d(gone, 8, CUFFT_C2C, 1, &bytes), invalid_plan);
    EXPECT_EQ(cufftGetSize(gone, &bytes), invalid_plan);
    EXPECT_EQ(cufftGetSize1d(gone, 8, CUFFT_C2C, 1, &bytes), invalid_plan);
    EXPECT_EQ(cufftSetStream(gone, nullptr), invalid_plan);
    EXPECT_EQ(cufftSetWorkArea(gone, memory), invalid_plan);
    EXPECT_EQ(cufftSetAutoAllocation(gone, 0), invalid_plan);
    EXPECT_EQ(cufftXtSetCallback(gone, nullptr, 0, nullptr), invalid_plan);
  }
  int none[] = {7};
  ASSERT_EQ(cufftCreate(&plan), success);
  EXPECT_EQ(cufftXtSetGPUs(plan, 1, none), invalid_device);
  EXPECT_EQ(cufftXtSetGPUs(plan, 0, none), invalid_value);
  EXPECT_EQ(cufftXtSetGPUs(plan, 1, nullptr), invalid_value);
  EXPECT_EQ(cufftCreate(nullptr), invalid_plan);
  EXPECT_EQ(cufftGetSize(plan, nullptr), invalid_value);
  EXPECT_EQ(cufftEstimate1d(8, CUFFT_C2C, 1, nullptr), invalid_value);
  EXPECT_EQ(cufftEstimate1d(8, 17, 1, &bytes), invalid_type);
  EXPECT_EQ(cufftDestroy(plan), success);
}

TEST(Cufft, MisuseReturnsWhatCufftDocuments) {
  cufftHandle plan = 0;
  EXPECT_EQ(cufftPlan1d(nullptr, 8, CUFFT_C2C, 1), invalid_plan);
  EXPECT_EQ(cufftPlan1d(&plan, 0, CUFFT_C2C, 1), invalid_size);
  EXPECT_EQ(cufftPlan1d(&plan, 8, CUFFT_C2C, -1), invalid_size);
  EXPECT_EQ(cufftPlan1d(&plan, 8, 17, 1), invalid_type);
  EXPECT_EQ(cufftDestroy(999), invalid_plan);
  EXPECT_EQ(cufftExecC2C(999, nullptr, nullptr, CUFFT_FORWARD), invalid_plan);
  int four[] = {2, 2, 2, 2};
  EXPECT_EQ(cufftPlanMany(&plan, 4, four, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1),
            invalid_value);
  EXPECT_EQ(cufftPlanMany(&plan, 2, four, four, 0, 4, four, 1, 4, CUFFT_C2C, 1), invalid_value);
  EXPECT_EQ(cufftPlanMany(&plan, 2, four, four, 1, 4, four, -1, 4, CUFFT_C2C, 1), invalid_value);
  int no_row[] = {2, 0};
  EXPECT_EQ(cufftPlanMany(&plan, 2, four, four, 1, 4, no_row, 1, 4, CUFFT_C2C, 1), invalid_value);
  std::size_t bytes = 0;
  long long large[] = {1LL << 40, 1LL << 40};
  ASSERT_EQ(cufftCreate(&plan), success);
  DeviceArray<std::complex<float>> data(8);
  EXPECT_EQ(cufftExecC2C(plan, data.data(), data.data(), CUFFT_FORWARD), invalid_plan);
  EXPECT_EQ(cufftGetSize(plan, &bytes), invalid_plan);
  EXPECT_EQ(cufftMakePlanMany64(plan, 2, large, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &bytes),
            invalid_size);
  EXPECT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, nullptr), invalid_value);
  ASSERT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes), success);
  EXPECT_EQ(cufftMakePlan1d(plan, 8, CUFFT_C2C, 1, &bytes), invalid_plan);
  EXPECT_EQ(cufftExecZ2Z(plan, data.data(), data.data(), CUFFT_FORWARD), invalid_type);
  EXPECT_EQ(cufftExecC2C(plan, nullptr, data.data(), CUFFT_FORWARD), invalid_value);
  EXPECT_EQ(cufftExecC2C(plan, data.data(), data.data(), 3), invalid_value);
  EXPECT_EQ(cufftDestroy(plan), success);
  EXPECT_EQ(cufftDestroy(plan), invalid_plan);
}

TEST(Cufft, WhatWeftDoesNotDoGoesToCufft) {
  cufftHandle plan = 0;
  ASSERT_EQ(cufftPlan1d(&plan, 16, CUFFT_C2C, 1), success);
  DeviceArray<std::complex<float>> in(16), out(16);
  ASSERT_EQ(cufftExecC2C(plan, in.data(), out.data(), CUFFT_FORWARD), success);
  EXPECT_EQ(out[0].real(), 0);
  void* routine[] = {nullptr};
  EXPECT_EQ(cufftXtSetCallback(plan, routine, 0, nullptr), has_cufft() ? success : not_supported);
  ASSERT_EQ(cufftExecC2C(plan, in.data(), out.data(), CUFFT_FORWARD), success);
  EXPECT_EQ(out[0].real(), has_cufft() ? 4711 : 0);
  EXPECT_EQ(cufftDestroy(plan), success);

  int gpus[] = {0, 1};
  ASSERT_EQ(cufftCreate(&plan), success);
  EXPECT_EQ(cufftXtSetGPUs(plan, 1, gpus), success);
  EXPECT_EQ(cufftXtSetGPUs(plan, 2, gpus), has_cufft() ? success : not_supported);
  EXPECT_EQ(cufftDestroy(plan), success);
}

/// CuPy takes some of cuFFT's functions from libcufft itself.
TEST(Cufft, FunctionsThatAreLoadedAtRunTimeAreWefts) {
  void* const ours = reinterpret_cast<void*>(&cufftCreate);
  // The library after this program; that it is found shows that dlsym sees who called.
  EXPECT_EQ(dlsym(RTLD_NEXT, "cufftCreate"), ours);
  EXPECT_NE(dlsym(RTLD_NEXT, "puts"), nullptr);
  EXPECT_EQ(dlsym(RTLD_DEFAULT, "cufftNothing"), nullptr);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers have a dlsym of their own";
#endif
  if (!has_cufft()) return;
  void* const library = dlopen(std::getenv("WEFT_CUFFT_LIBRARY"), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  EXPECT_EQ(dlsym(library, "cufftCreate"), ours);
  EXPECT_EQ(dlsym(library, "cufftXtMalloc"), nullptr);  // the stand-in has none
  dlclose(library);
}

TEST(Cufft, TypesAndSizesThatAreForCufft) {
  constexpr int complex_bf16 = 15;
  long long n[] = {16};
  std::size_t bytes = 0;
  cufftHandle plan = 0;
  ASSERT_EQ(cufftCreate(&plan), success);
  EXPECT_EQ(cufftXtMakePlanMany(plan, 1, n, nullptr, 1, 0, complex_bf16, nullptr, 1, 0,
                                complex_bf16, 1, &bytes, complex_bf16),
            has_cufft() ? success : invalid_type);
  EXPECT_EQ(bytes, has_cufft() ? 1000u : 0u);
  cufftDestroy(plan);
  if (!has_cufft()) return;
  ASSERT_EQ(cufftCreate(&plan), success);  // measured to be faster there
  ASSERT_EQ(cufftMakePlan1d(plan, 5764801, CUFFT_C2C, 1, &bytes), success);
  EXPECT_EQ(bytes, 1000u);
  DeviceArray<std::complex<float>> data(4);
  ASSERT_EQ(cufftExecC2C(plan, data.data(), data.data(), CUFFT_FORWARD), success);
  EXPECT_EQ(data[0].real(), 4711);
  cufftDestroy(plan);
}

TEST(Cufft, SaysAVersion) {
  int version = 0;
  EXPECT_EQ(cufftGetVersion(&version), success);
  EXPECT_EQ(version, has_cufft() ? 12345 : 12000);
  EXPECT_EQ(cufftGetVersion(nullptr), invalid_value);
  EXPECT_EQ(cufftGetProperty(7, &version), invalid_value);
}

}  // namespace
