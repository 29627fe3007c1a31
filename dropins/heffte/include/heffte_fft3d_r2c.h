// SPDX-License-Identifier: BSD-3-Clause
// heFFTe's fft3d_r2c: real numbers in, half of the spectrum along one direction out, and back.
#ifndef HEFFTE_FFT3D_R2C_H
#define HEFFTE_FFT3D_R2C_H

#include "heffte_fft3d.h"

namespace heffte {

template <typename backend_tag, typename index = int>
class fft3d_r2c : public weft_detail::transform<backend_tag, index, true> {
  using base = weft_detail::transform<backend_tag, index, true>;
  static_assert(backend::uses_fft_types<backend_tag>::value,
                "heffte: cosine and sine transforms have no half spectrum");

 public:
  using backend_executor_c2c = typename one_dim_backend<backend_tag>::executor;
  using location_tag = typename base::location_tag;
  using stream_type = typename base::device::stream_type;
  template <typename T>
  using buffer_container = typename backend::buffer_traits<backend_tag>::template container<T>;
  template <typename T>
  using real_buffer_container =
      buffer_container<typename define_standard_type<T>::type::value_type>;
  template <typename T>
  using output_buffer_container = buffer_container<typename fft_output<T>::type>;

  fft3d_r2c(const box3d<index> inbox, const box3d<index> outbox, int r2c_direction,
            MPI_Comm const comm, const plan_options = default_options<backend_tag>())
      : base(typename base::device(), inbox, outbox, weft_heffte_r2c, r2c_direction, comm) {}
  fft3d_r2c(stream_type stream, const box3d<index> inbox, const box3d<index> outbox,
            int r2c_direction, MPI_Comm const comm,
            const plan_options = default_options<backend_tag>())
      : base(typename base::device(stream), inbox, outbox, weft_heffte_r2c, r2c_direction, comm) {}
  /// Boxes as numbers: low, high and order of the input, then of the output.
  fft3d_r2c(int il0, int il1, int il2, int ih0, int ih1, int ih2, int io0, int io1, int io2,
            int ol0, int ol1, int ol2, int oh0, int oh1, int oh2, int oo0, int oo1, int oo2,
            int r2c_direction, MPI_Comm const comm)
      : fft3d_r2c(box3d<index>({{il0, il1, il2}}, {{ih0, ih1, ih2}}, {{io0, io1, io2}}),
                  box3d<index>({{ol0, ol1, ol2}}, {{oh0, oh1, oh2}}, {{oo0, oo1, oo2}}),
                  r2c_direction, comm) {}
  fft3d_r2c(int il0, int il1, int il2, int ih0, int ih1, int ih2, int io0, int io1, int io2,
            int ol0, int ol1, int ol2, int oh0, int oh1, int oh2, int oo0, int oo1, int oo2,
            int r2c_direction, MPI_Comm const comm, bool, int, bool)
      : fft3d_r2c(il0, il1, il2, ih0, ih1, ih2, io0, io1, io2, ol0, ol1, ol2, oh0, oh1, oh2, oo0,
                  oo1, oo2, r2c_direction, comm) {}
  fft3d_r2c(int il0, int il1, int il2, int ih0, int ih1, int ih2, int ol0, int ol1, int ol2,
            int oh0, int oh1, int oh2, int r2c_direction, MPI_Comm const comm)
      : fft3d_r2c(il0, il1, il2, ih0, ih1, ih2, 0, 1, 2, ol0, ol1, ol2, oh0, oh1, oh2, 0, 1, 2,
                  r2c_direction, comm) {}

  using base::backward;
  using base::forward;
  template <typename input>
  output_buffer_container<input> forward(const buffer_container<input>& in,
                                         scale scaling = scale::none) {
    this->require(in.size(), this->size_inbox());
    auto out = make_buffer_container<typename fft_output<input>::type>(
        this->stream(), static_cast<std::size_t>(this->size_outbox()));
    forward(in.data(), out.data(), scaling);
    return out;
  }

  template <typename scalar>
  real_buffer_container<scalar> backward(const buffer_container<scalar>& in,
                                         scale scaling = scale::none) {
    this->require(in.size(), this->size_outbox());
    auto out = make_buffer_container<typename define_standard_type<scalar>::type::value_type>(
        this->stream(), static_cast<std::size_t>(this->size_inbox()));
    backward(in.data(), out.data(), scaling);
    return out;
  }
};

template <typename backend_tag, typename index = int>
using fft2d_r2c = fft3d_r2c<backend_tag, index>;

template <typename backend_tag, typename index>
fft3d_r2c<backend_tag, index> make_fft3d_r2c(
    const box3d<index> inbox, const box3d<index> outbox, int r2c_direction, MPI_Comm const comm,
    const plan_options options = default_options<backend_tag>()) {
  return fft3d_r2c<backend_tag, index>(inbox, outbox, r2c_direction, comm, options);
}

}  // namespace heffte

#endif
