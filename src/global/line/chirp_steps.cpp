// SPDX-License-Identifier: BSD-3-Clause
#include "global/line/chirp_steps.hpp"

#include <complex>

#include "base/index.hpp"
#include "base/roots.hpp"

namespace weft::global {

using reshape::Strides;

namespace {

/// Calls visit(index along the axis, offset in a, offset in b) for all elements of a box, offsets
/// in elements.
template <class Visit>
void for_each(const Box& box, int axis, const Strides& a, const Strides& b, const Visit& visit) {
  if (box.empty()) return;
  std::array<Index, max_box_ndim> i{};
  while (true) {
    Index in_a = 0, in_b = 0;
    for (int d = 0; d < box.ndim; ++d) {
      in_a += i[at(d)] * a[at(d)];
      in_b += i[at(d)] * b[at(d)];
    }
    visit(box.begin[at(axis)] + i[at(axis)], in_a, in_b);
    int d = box.ndim - 1;
    for (; d >= 0; --d) {
      if (++i[at(d)] < box.extent(d)) break;
      i[at(d)] = 0;
    }
    if (d < 0) return;
  }
}

template <class Real>
class CpuChirpSteps final : public ChirpSteps {
 public:
  explicit CpuChirpSteps(const ChirpLine& line) : line_(line), roots_(2 * line.n, line.direction) {}

  void run(const ChirpProduct& product, const std::byte* in, std::byte* out) const override {
    const std::byte* from = in + product.from.offset;
    std::byte* to = out + product.to.offset;
    const auto with_source = [&](auto value_at) {
      if (product.to_reals) {
        auto* y = reinterpret_cast<Real*>(to);
        visit(product, value_at,
              [y](Index i, std::complex<double> v) { y[i] = static_cast<Real>(v.real()); });
      } else {
        auto* y = reinterpret_cast<Complex*>(to);
        visit(product, value_at, [y](Index i, std::complex<double> v) {
          y[i] = {static_cast<Real>(v.real()), static_cast<Real>(v.imag())};
        });
      }
    };
    if (product.from_reals) {
      const auto* x = reinterpret_cast<const Real*>(from);
      with_source([x](Index i) { return std::complex<double>(x[i]); });
    } else {
      const auto* x = reinterpret_cast<const Complex*>(from);
      const bool conjugate = product.from.conjugate;
      with_source([x, conjugate](Index i) {
        const std::complex<double> value(x[i]);
        return conjugate ? std::conj(value) : value;
      });
    }
  }

  void multiply(std::byte* data, const std::byte* by, Index count) const override {
    auto* x = reinterpret_cast<Complex*>(data);
    const auto* b = reinterpret_cast<const Complex*>(by);
    for (Index i = 0; i < count; ++i)
      x[i] = {x[i].real() * b[i].real() - x[i].imag() * b[i].imag(),
              x[i].real() * b[i].imag() + x[i].imag() * b[i].real()};
  }

 private:
  using Complex = std::complex<Real>;

  template <class Get, class Put>
  void visit(const ChirpProduct& product, const Get& value_at, const Put& put) const {
    for_each(product.from.box, line_.axis, product.from.strides, product.to.strides,
             [&](Index k, Index i, Index j) {
               const std::complex<double> x = value_at(i);
               const auto w = roots_(multiply_mod(k, k, 2 * line_.n));
               put(j, {product.scale * (x.real() * w.real() - x.imag() * w.imag()),
                       product.scale * (x.real() * w.imag() + x.imag() * w.real())});
             });
  }

  ChirpLine line_;
  RootPowers<double> roots_;
};

}  // namespace

std::unique_ptr<ChirpSteps> make_cpu_chirp_steps(const ChirpLine& line) {
  if (line.precision == Precision::f64) return std::make_unique<CpuChirpSteps<double>>(line);
  return std::make_unique<CpuChirpSteps<float>>(line);
}

}  // namespace weft::global
