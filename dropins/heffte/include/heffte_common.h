// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's backends: a type each, and what kind of transform, of numbers and of memory it means.
// All of them are weft.
#ifndef HEFFTE_COMMON_H
#define HEFFTE_COMMON_H

#include "heffte_geometry.h"
#include "heffte_trace.h"

namespace heffte {

/// Where arrays lie.
namespace tag {
struct cpu {};
struct gpu {};
}  // namespace tag

enum class direction { forward, backward };

namespace backend {

struct fftw {};
struct fftw_cos {};
struct fftw_sin {};
struct fftw_cos1 {};
struct fftw_sin1 {};
struct stock {};
struct stock_cos {};
struct stock_sin {};
struct stock_cos1 {};
struct mkl {};
struct mkl_cos {};
struct mkl_sin {};
struct cufft {};
struct cufft_cos {};
struct cufft_sin {};
struct cufft_cos1 {};
// These have names only: weft has no such GPUs.
struct rocfft {};
struct rocfft_cos {};
struct rocfft_sin {};
struct rocfft_cos1 {};
struct onemkl {};
struct onemkl_cos {};
struct onemkl_sin {};

}  // namespace backend

namespace weft_detail {

/// What a backend computes. FFTW's unscaled cosine and sine transforms backward are those of types
/// III and I; the other backends multiply them by 2 per direction.
template <int transform, bool is_like_fftw>
struct described {
  static constexpr int kind = transform;
  static constexpr double backward_factor() { return is_like_fftw ? 1.0 : 8.0; }
};
template <typename backend_tag>
struct description : described<weft_heffte_fft, true> {};
template <>
struct description<backend::fftw_cos> : described<weft_heffte_cos2, true> {};
template <>
struct description<backend::fftw_sin> : described<weft_heffte_sin2, true> {};
template <>
struct description<backend::fftw_cos1> : described<weft_heffte_cos1, true> {};
template <>
struct description<backend::fftw_sin1> : described<weft_heffte_sin1, true> {};
template <>
struct description<backend::stock_cos> : described<weft_heffte_cos2, false> {};
template <>
struct description<backend::stock_sin> : described<weft_heffte_sin2, false> {};
template <>
struct description<backend::stock_cos1> : described<weft_heffte_cos1, false> {};
template <>
struct description<backend::mkl_cos> : described<weft_heffte_cos2, false> {};
template <>
struct description<backend::mkl_sin> : described<weft_heffte_sin2, false> {};
template <>
struct description<backend::cufft_cos> : described<weft_heffte_cos2, false> {};
template <>
struct description<backend::cufft_sin> : described<weft_heffte_sin2, false> {};
template <>
struct description<backend::cufft_cos1> : described<weft_heffte_cos1, false> {};

}  // namespace weft_detail

namespace backend {

/// True for the backends that this build has.
template <typename backend_tag>
struct is_enabled : std::false_type {};

#define WEFT_HEFFTE_BACKEND(tag, text)        \
  template <>                                 \
  struct is_enabled<tag> : std::true_type {}; \
  template <>                                 \
  inline std::string name<tag>() {            \
    return text;                              \
  }
template <typename backend_tag>
std::string name() {
  return "unknown";
}
WEFT_HEFFTE_BACKEND(fftw, "fftw")
WEFT_HEFFTE_BACKEND(fftw_cos, "fftw-cos-type-II")
WEFT_HEFFTE_BACKEND(fftw_sin, "fftw-sin-type-II")
WEFT_HEFFTE_BACKEND(fftw_cos1, "fftw-cos-type-I")
WEFT_HEFFTE_BACKEND(fftw_sin1, "fftw-sin-type-I")
WEFT_HEFFTE_BACKEND(stock, "stock")
WEFT_HEFFTE_BACKEND(stock_cos, "stock-cos-type-II")
WEFT_HEFFTE_BACKEND(stock_sin, "stock-sin-type-II")
WEFT_HEFFTE_BACKEND(stock_cos1, "stock-cos-type-I")
WEFT_HEFFTE_BACKEND(mkl, "mkl")
WEFT_HEFFTE_BACKEND(mkl_cos, "mkl-cos")
WEFT_HEFFTE_BACKEND(mkl_sin, "mkl-sin")
#ifdef Heffte_ENABLE_CUDA
WEFT_HEFFTE_BACKEND(cufft, "cufft")
WEFT_HEFFTE_BACKEND(cufft_cos, "cufft-cos-type-II")
WEFT_HEFFTE_BACKEND(cufft_sin, "cufft-sin-type-II")
WEFT_HEFFTE_BACKEND(cufft_cos1, "cufft-cos-type-I")
#endif
#undef WEFT_HEFFTE_BACKEND
template <>
inline std::string name<tag::cpu>() {
  return "cpu";
}
template <>
inline std::string name<tag::gpu>() {
  return "gpu";
}

/// Where a backend's arrays lie, and what holds them.
template <typename backend_tag, typename = void>
struct buffer_traits {
  using location = tag::cpu;
  template <typename T>
  using container = std::vector<T>;
};

template <typename backend_tag>
struct uses_gpu : std::is_same<typename buffer_traits<backend_tag>::location, tag::gpu> {};

template <typename location_tag>
struct default_backend {
  using type = fftw;
};

/// False for cosine and sine transforms, which have real numbers on both sides.
template <typename backend_tag>
struct uses_fft_types
    : std::integral_constant<bool, weft_detail::description<backend_tag>::kind == weft_heffte_fft> {
};

/// Whether a forward transform may have these types.
template <typename backend_tag, typename input, typename output>
struct check_types
    : std::integral_constant<
          bool,
          uses_fft_types<backend_tag>::value
              ? ((std::is_same<input, float>::value || is_ccomplex<input>::value) &&
                 is_ccomplex<output>::value) ||
                    ((std::is_same<input, double>::value || is_zcomplex<input>::value) &&
                     is_zcomplex<output>::value)
              : (std::is_same<input, float>::value&& std::is_same<output, float>::value) ||
                    (std::is_same<input, double>::value && std::is_same<output, double>::value)> {};

/// The stream that a plan works on; on CPUs there is none.
template <typename location_tag>
struct device_instance {
  using stream_type = void*;
  explicit device_instance(void* = nullptr) {}
  void* stream() const { return nullptr; }
  void synchronize_device() const {}
};
inline void describe_device(weft_heffte_request&, const device_instance<tag::cpu>&) {}

/// Copies.
template <typename location_tag>
struct data_manipulator {};
template <>
struct data_manipulator<tag::cpu> {
  using stream_type = void*;
  template <typename from, typename to>
  static void copy_n(void*, const from source[], std::size_t count, to destination[]) {
    std::copy_n(source, count, destination);
  }
  template <typename from, typename to>
  static void copy_n(const from source[], std::size_t count, to destination[]) {
    std::copy_n(source, count, destination);
  }
  template <typename from, typename to>
  static void copy_device_to_host(void*, const from source[], std::size_t count, to destination[]) {
    std::copy_n(source, count, destination);
  }
  template <typename from, typename to>
  static void copy_device_to_device(void*, const from source[], std::size_t count,
                                    to destination[]) {
    std::copy_n(source, count, destination);
  }
  template <typename from, typename to>
  static void copy_host_to_device(void*, const from source[], std::size_t count, to destination[]) {
    std::copy_n(source, count, destination);
  }
};

}  // namespace backend

template <typename scalar>
std::vector<scalar> make_buffer_container(void*, std::size_t size) {
  return std::vector<scalar>(size);
}

/// Multiplies an array by a number.
struct data_scaling {
  template <typename scalar>
  static void apply(long long count, scalar data[], double factor) {
    using real = typename real_part<scalar>::type;
    for (long long i = 0; i < count; ++i) data[i] *= static_cast<real>(factor);
  }
  template <typename scalar>
  static void apply(void*, long long count, scalar data[], double factor) {
    apply(count, data, factor);
  }

 private:
  template <typename scalar>
  struct real_part {
    using type = scalar;
  };
  template <typename real>
  struct real_part<std::complex<real>> {
    using type = real;
  };
};

}  // namespace heffte

#ifdef Heffte_ENABLE_CUDA
#include "heffte_backend_cuda.h"
#endif

#endif
