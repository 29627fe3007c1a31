// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's fft3d: a transform over ranks, there and back, in either precision.
#ifndef HEFFTE_FFT3D_H
#define HEFFTE_FFT3D_H

#include "heffte_executor.h"
#include "heffte_plan_logic.h"

namespace heffte {

/// The complex numbers that a transform of these numbers gives.
template <typename scalar>
struct fft_output {
  using type = scalar;
};
template <>
struct fft_output<float> {
  using type = std::complex<float>;
};
template <>
struct fft_output<double> {
  using type = std::complex<double>;
};

/// What a backend makes of these numbers, and the real numbers that belong to them.
template <typename scalar, typename backend_tag, bool = backend::uses_fft_types<backend_tag>::value>
struct transform_output {
  using type = typename fft_output<scalar>::type;
};
template <typename scalar, typename backend_tag>
struct transform_output<scalar, backend_tag, false> {
  using type = scalar;
};
template <typename scalar, typename backend_tag, bool = backend::uses_fft_types<backend_tag>::value>
struct transform_real_type {
  using type = typename define_standard_type<scalar>::type::value_type;
};
template <typename scalar, typename backend_tag>
struct transform_real_type<scalar, backend_tag, false> {
  using type = scalar;
};

/// By what a transform multiplies: 1, 1 / points of the array, or the square root of that.
enum class scale { none, full, symmetric };

namespace weft_detail {

/// A plan of libweft_heffte, with what fft3d and fft3d_r2c have in common; `halves` for the latter.
template <typename backend_tag, typename index, bool halves>
class transform
    : public backend::device_instance<typename backend::buffer_traits<backend_tag>::location> {
 public:
  using location_tag = typename backend::buffer_traits<backend_tag>::location;
  using device = backend::device_instance<location_tag>;
  template <typename T>
  using buffer_container = typename backend::buffer_traits<backend_tag>::template container<T>;

  transform(transform&& other) noexcept
      : device(other), boxes_(std::move(other.boxes_)), plan_(std::move(other.plan_)) {}
  transform& operator=(transform&& other) noexcept {
    device::operator=(other);
    boxes_ = std::move(other.boxes_);
    plan_ = std::move(other.plan_);
    return *this;
  }

  long long size_inbox() const { return inbox().count(); }
  long long size_outbox() const { return outbox().count(); }
  box3d<index> inbox() const { return boxes_[0]; }
  box3d<index> outbox() const { return boxes_[1]; }
  /// In complex numbers; in real ones for cosine and sine transforms.
  std::size_t size_workspace() const {
    return static_cast<std::size_t>(weft_heffte_workspace(plan_.get()));
  }
  std::size_t size_comm_buffers() const {
    return static_cast<std::size_t>(weft_heffte_message_room(plan_.get()));
  }
  double get_scale_factor(scale scaling) const {
    const double full = weft_heffte_scale_factor(plan_.get());
    return scaling == scale::symmetric ? std::sqrt(full) : full;
  }

  template <typename input, typename output>
  void forward(const input in[], output out[], scale scaling = scale::none) const {
    forward(1, in, out, scaling);
  }
  template <typename input, typename output>
  void forward(const input in[], output out[], output workspace[],
               scale scaling = scale::none) const {
    forward(1, in, out, workspace, scaling);
  }
  template <typename input, typename output>
  void forward(int const batch, const input in[], output out[], scale scaling = scale::none) const {
    forward(batch, in, out, static_cast<output*>(nullptr), scaling);
  }
  template <typename input, typename output>
  void forward(int const batch, const input in[], output out[], output workspace[],
               scale scaling = scale::none) const {
    require_pair<input, output>();
    run(direction::forward, batch, in, out, workspace, scaling);
  }
  /// Of fft3d into real numbers: the real parts of what is complex.
  template <typename input, typename output>
  void backward(const input in[], output out[], scale scaling = scale::none) const {
    backward(1, in, out, scaling);
  }
  template <typename input, typename output>
  void backward(const input in[], output out[], input workspace[],
                scale scaling = scale::none) const {
    backward(1, in, out, workspace, scaling);
  }
  template <typename input, typename output>
  void backward(int const batch, const input in[], output out[],
                scale scaling = scale::none) const {
    backward(batch, in, out, static_cast<input*>(nullptr), scaling);
  }
  template <typename input, typename output>
  void backward(int const batch, const input in[], output out[], input workspace[],
                scale scaling = scale::none) const {
    require_pair<output, input>();
    run(direction::backward, batch, in, out, workspace, scaling);
  }

 protected:
  transform(device on, const box3d<index>& in, const box3d<index>& out, int kind, int r2c_direction,
            MPI_Comm comm)
      : device(on), boxes_({in, out}) {
    static_assert(backend::is_enabled<backend_tag>::value,
                  "heffte: this build has no such backend");
    static_assert(std::is_same<index, int>::value || std::is_same<index, long long>::value,
                  "heffte: indices are int or long long");
    weft_heffte_request request = weft_heffte_request();
    request.kind = kind;
    request.r2c_direction = r2c_direction;
    request.in = plain_box(in);
    request.out = plain_box(out);
    request.backward_factor = description<backend_tag>::backward_factor();
    describe_device(request, *this);
    weft_heffte_plan* plan = nullptr;
    check(weft_heffte_create(&plan, &request, comm));
    plan_.reset(plan);
  }

  template <typename input, typename output>
  void run(direction way, int batch, const input* in, output* out, void* workspace,
           scale scaling) const {
    using standard_in = typename define_standard_type<input>::type;
    using standard_out = typename define_standard_type<output>::type;
    const add_trace trace(way == direction::forward ? "forward" : "backward");
    weft_heffte_call call = weft_heffte_call();
    call.backward = way == direction::backward ? 1 : 0;
    call.is_double = is_double<standard_in>() ? 1 : 0;
    call.complex_in = is_complex<standard_in>() ? 1 : 0;
    call.complex_out = is_complex<standard_out>() ? 1 : 0;
    call.scale = static_cast<int>(scaling);
    call.batch = batch;
    call.in = in;
    call.out = out;
    call.workspace = workspace;
    check(weft_heffte_execute(plan_.get(), &call));
  }
  template <typename input, typename output>
  static void require_pair() {
    static_assert(backend::check_types<backend_tag, input, output>::value &&
                      (!halves || std::is_floating_point<input>::value),
                  "heffte: types that do not belong together, or an unknown complex type");
  }
  void require(std::size_t size, long long needed) const {
    if (size < static_cast<std::size_t>(needed))
      throw std::invalid_argument("heffte: the array has " + std::to_string(size) +
                                  " elements, the box " + std::to_string(needed));
  }

 private:
  template <typename scalar>
  static constexpr bool is_double() {
    return std::is_same<scalar, double>::value || std::is_same<scalar, std::complex<double>>::value;
  }
  template <typename scalar>
  static constexpr bool is_complex() {
    return !std::is_floating_point<scalar>::value;
  }
  struct destroy {
    void operator()(weft_heffte_plan* plan) const { weft_heffte_destroy(plan); }
  };
  std::vector<box3d<index>> boxes_;
  std::unique_ptr<weft_heffte_plan, destroy> plan_;
};

}  // namespace weft_detail

/// Complex or real numbers in, the whole spectrum out; or real numbers and real coefficients, with
/// the backends of cosine and sine transforms. Construction, transforms and destruction are
/// collective. Input and output may be the same array, with room for the larger box.
template <typename backend_tag, typename index = int>
class fft3d : public weft_detail::transform<backend_tag, index, false> {
  using base = weft_detail::transform<backend_tag, index, false>;

 public:
  using backend_executor = typename one_dim_backend<backend_tag>::executor;
  using location_tag = typename base::location_tag;
  using stream_type = typename base::device::stream_type;
  template <typename T>
  using buffer_container = typename backend::buffer_traits<backend_tag>::template container<T>;
  template <typename T>
  using real_buffer_container =
      buffer_container<typename transform_real_type<T, backend_tag>::type>;
  template <typename T>
  using output_buffer_container = buffer_container<typename transform_output<T, backend_tag>::type>;

  fft3d(const box3d<index> inbox, const box3d<index> outbox, MPI_Comm const comm,
        const plan_options = default_options<backend_tag>())
      : base(typename base::device(), inbox, outbox, weft_detail::description<backend_tag>::kind,
             -1, comm) {}
  fft3d(stream_type stream, const box3d<index> inbox, const box3d<index> outbox,
        MPI_Comm const comm, const plan_options = default_options<backend_tag>())
      : base(typename base::device(stream), inbox, outbox,
             weft_detail::description<backend_tag>::kind, -1, comm) {}
  /// Boxes as numbers: low, high and order of the input, then of the output.
  fft3d(int il0, int il1, int il2, int ih0, int ih1, int ih2, int io0, int io1, int io2, int ol0,
        int ol1, int ol2, int oh0, int oh1, int oh2, int oo0, int oo1, int oo2, MPI_Comm const comm)
      : fft3d(box3d<index>({{il0, il1, il2}}, {{ih0, ih1, ih2}}, {{io0, io1, io2}}),
              box3d<index>({{ol0, ol1, ol2}}, {{oh0, oh1, oh2}}, {{oo0, oo1, oo2}}), comm) {}
  fft3d(int il0, int il1, int il2, int ih0, int ih1, int ih2, int io0, int io1, int io2, int ol0,
        int ol1, int ol2, int oh0, int oh1, int oh2, int oo0, int oo1, int oo2, MPI_Comm const comm,
        bool, int, bool)
      : fft3d(il0, il1, il2, ih0, ih1, ih2, io0, io1, io2, ol0, ol1, ol2, oh0, oh1, oh2, oo0, oo1,
              oo2, comm) {}
  fft3d(int il0, int il1, int il2, int ih0, int ih1, int ih2, int ol0, int ol1, int ol2, int oh0,
        int oh1, int oh2, MPI_Comm const comm)
      : fft3d(il0, il1, il2, ih0, ih1, ih2, 0, 1, 2, ol0, ol1, ol2, oh0, oh1, oh2, 0, 1, 2, comm) {}

  using base::backward;
  using base::forward;
  template <typename input>
  output_buffer_container<input> forward(const buffer_container<input>& in,
                                         scale scaling = scale::none) {
    this->require(in.size(), this->size_inbox());
    auto out = make_buffer_container<typename transform_output<input, backend_tag>::type>(
        this->stream(), static_cast<std::size_t>(this->size_outbox()));
    forward(in.data(), out.data(), scaling);
    return out;
  }

  template <typename scalar>
  buffer_container<scalar> backward(const buffer_container<scalar>& in,
                                    scale scaling = scale::none) {
    this->require(in.size(), this->size_outbox());
    auto out =
        make_buffer_container<scalar>(this->stream(), static_cast<std::size_t>(this->size_inbox()));
    backward(in.data(), out.data(), scaling);
    return out;
  }
  template <typename scalar>
  real_buffer_container<scalar> backward_real(const buffer_container<scalar>& in,
                                              scale scaling = scale::none) {
    this->require(in.size(), this->size_outbox());
    auto out = make_buffer_container<typename transform_real_type<scalar, backend_tag>::type>(
        this->stream(), static_cast<std::size_t>(this->size_inbox()));
    backward(in.data(), out.data(), scaling);
    return out;
  }
};

template <typename backend_tag, typename index = int>
using fft2d = fft3d<backend_tag, index>;
/// For the cosine and sine transforms.
template <typename backend_tag, typename index = int>
using rtransform = fft3d<backend_tag, index>;

template <typename backend_tag, typename index>
fft3d<backend_tag, index> make_fft3d(const box3d<index> inbox, const box3d<index> outbox,
                                     MPI_Comm const comm,
                                     const plan_options options = default_options<backend_tag>()) {
  return fft3d<backend_tag, index>(inbox, outbox, comm, options);
}

}  // namespace heffte

#endif
