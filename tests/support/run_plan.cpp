// SPDX-License-Identifier: BSD-3-Clause
#include "support/run_plan.hpp"

#include <cstdlib>
#include <cstring>
#include <set>

#include "support/half.hpp"

namespace weft::test {
namespace {

constexpr Index margin = 16;  // guard elements on both sides

template <class T>
struct Access;
template <class R>
struct Access<std::complex<R>> {
  static std::complex<R> to(LongComplex v) {
    return {static_cast<R>(v.real()), static_cast<R>(v.imag())};
  }
  static LongComplex from(std::complex<R> v) { return {v.real(), v.imag()}; }
};
template <>
struct Access<ComplexHalf> {
  static ComplexHalf to(LongComplex v) {
    return {double_to_half(static_cast<double>(v.real())),
            double_to_half(static_cast<double>(v.imag()))};
  }
  static LongComplex from(ComplexHalf v) {
    return {half_to_double(v.real), half_to_double(v.imag)};
  }
};
template <>
struct Access<Half> {
  static Half to(LongComplex v) { return double_to_half(static_cast<double>(v.real())); }
  static LongComplex from(Half v) { return {half_to_double(v), 0}; }
};
template <class R>
  requires std::is_floating_point_v<R>
struct Access<R> {
  static R to(LongComplex v) { return static_cast<R>(v.real()); }
  static LongComplex from(R v) { return {v, 0}; }
};

/// Offsets of all elements of a shape with strides, row-major order.
std::vector<Index> offsets(const std::vector<Index>& shape, const std::vector<Index>& strides) {
  std::vector<Index> list{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<Index> next;
    for (Index base : list)
      for (Index i = 0; i < shape[d]; ++i) next.push_back(base + i * strides[d]);
    list = std::move(next);
  }
  return list;
}

/// Memory of elements of T around strided offsets, with guards.
template <class T>
struct Memory {
  std::vector<unsigned char> bytes;
  Index low = 0, high = 0;
  void cover(const std::vector<Index>& list) {
    for (Index o : list) {
      low = std::min(low, o);
      high = std::max(high, o);
    }
  }
  void allocate(Index extra_elements) {
    bytes.assign(static_cast<std::size_t>(high - low + 1 + 2 * margin + extra_elements) * sizeof(T),
                 0x5a);
  }
  T* first() { return reinterpret_cast<T*>(bytes.data()) + margin - low; }
};

template <class T>
void put_all(T* data, const std::vector<Index>& where, const Field& field) {
  for (std::size_t i = 0; i < where.size(); ++i) data[where[i]] = Access<T>::to(field.values[i]);
}

template <class In, class Out>
RunResult run(const Transform& transform, const Field& input, const RunOptions& options) {
  const Layout& output_layout = options.output;
  const Plan plan(transform, options.input, output_layout, options.plan);
  Workspace workspace = plan.make_workspace();
  RunResult result{Field(plan.output_shape()), true, true, plan.recipe()};
  const auto in_at = offsets(plan.input_shape(), plan.input_strides());
  const auto out_at = offsets(plan.output_shape(), plan.output_strides());
  Memory<In> in;
  Memory<Out> out;
  in.cover(in_at);
  out.cover(out_at);
  if (options.in_place) {
    // One block that holds both views from the same first element.
    const Index in_bytes = (in.high + 1) * Index{sizeof(In)},
                out_bytes = (out.high + 1) * Index{sizeof(Out)};
    in.allocate(std::max<Index>(0, out_bytes - in_bytes) / Index{sizeof(In)} +
                2 * Index{sizeof(Out) / sizeof(In)} + 1);
    put_all(in.first(), in_at, input);
    auto* shared = reinterpret_cast<Out*>(in.first());
    plan.execute(in.first(), shared, workspace);
    for (std::size_t i = 0; i < out_at.size(); ++i)
      result.output.values[i] = Access<Out>::from(shared[out_at[i]]);
    return result;
  }
  in.allocate(0);
  out.allocate(0);
  put_all(in.first(), in_at, input);
  const auto saved = in.bytes;
  plan.execute(static_cast<const In*>(in.first()), out.first(), workspace);
  result.input_kept = saved == in.bytes;
  for (std::size_t i = 0; i < out_at.size(); ++i)
    result.output.values[i] = Access<Out>::from(out.first()[out_at[i]]);
  // Everything but the output's own elements must still hold the guard pattern.
  for (Index o : out_at) std::memset(static_cast<void*>(out.first() + o), 0x5a, sizeof(Out));
  for (unsigned char byte : out.bytes) result.guards_intact = result.guards_intact && byte == 0x5a;
  return result;
}

template <class Real, class Complex>
RunResult run_precision(const Transform& transform, const Field& input, const RunOptions& options) {
  switch (transform.kind) {
    case Kind::c2c: return run<Complex, Complex>(transform, input, options);
    case Kind::r2c: return run<Real, Complex>(transform, input, options);
    case Kind::c2r: return run<Complex, Real>(transform, input, options);
    case Kind::r2r: break;
  }
  return run<Real, Real>(transform, input, options);
}

}  // namespace

RunResult run_plan(const Transform& transform, const Field& input, const RunOptions& options) {
  switch (transform.precision) {
    case Precision::f16: return run_precision<Half, ComplexHalf>(transform, input, options);
    case Precision::f32:
      return run_precision<float, std::complex<float>>(transform, input, options);
    case Precision::f64: break;
  }
  return run_precision<double, std::complex<double>>(transform, input, options);
}

Field rounded(const Field& field, Precision precision) {
  Field result = field;
  for (auto& v : result.values)
    v = precision == Precision::f64
            ? Access<std::complex<double>>::from(Access<std::complex<double>>::to(v))
        : precision == Precision::f32
            ? Access<std::complex<float>>::from(Access<std::complex<float>>::to(v))
            : Access<ComplexHalf>::from(Access<ComplexHalf>::to(v));
  return result;
}

}  // namespace weft::test
