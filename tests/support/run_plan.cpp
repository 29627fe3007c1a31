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

/// One block of memory for both arrays, which begin at the same element.
template <class In, class Out>
void run_in_place(const Plan& plan, const Field& input, const std::vector<Index>& in_at,
                  const std::vector<Index>& out_at, RunResult& result) {
  std::set<Index> bytes;  // that belong to one of them
  for (Index o : in_at)
    for (Index b = 0; b < Index{sizeof(In)}; ++b) bytes.insert(o * Index{sizeof(In)} + b);
  for (Index o : out_at)
    for (Index b = 0; b < Index{sizeof(Out)}; ++b) bytes.insert(o * Index{sizeof(Out)} + b);
  constexpr Index guard = 16 * margin;
  const Index first = guard - *bytes.begin() / guard * guard + (*bytes.begin() < 0 ? guard : 0);
  std::vector<unsigned char> memory(static_cast<std::size_t>(first + *bytes.rbegin() + guard),
                                    0x5a);
  Workspace workspace = plan.make_workspace();
  In* in = reinterpret_cast<In*>(memory.data() + first);
  Out* out = reinterpret_cast<Out*>(memory.data() + first);
  put_all(in, in_at, input);
  plan.execute(static_cast<const In*>(in), out, workspace);
  for (std::size_t i = 0; i < out_at.size(); ++i)
    result.output.values[i] = Access<Out>::from(out[out_at[i]]);
  for (Index b = 0; b < static_cast<Index>(memory.size()); ++b)
    if (!bytes.contains(b - first) && memory[static_cast<std::size_t>(b)] != 0x5a)
      result.guards_intact = false;
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
    run_in_place<In, Out>(plan, input, in_at, out_at, result);
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
  // All memory except the output's elements must still have the guard pattern.
  for (Index o : out_at) std::memset(static_cast<void*>(out.first() + o), 0x5a, sizeof(Out));
  for (unsigned char byte : out.bytes) result.guards_intact = result.guards_intact && byte == 0x5a;
  return result;
}

/// One side of a transform with split numbers: two arrays of reals, or one of T that is not split.
/// Guards lie around both.
template <class Real, class T>
struct SplitSide {
  bool is_split;
  std::vector<Index> at;
  Memory<Real> real, imag;
  Memory<T> whole;

  SplitSide(bool split, std::vector<Index> where) : is_split(split), at(std::move(where)) {
    real.cover(at);
    imag.cover(at);
    whole.cover(at);
    real.allocate(0);
    imag.allocate(0);
    whole.allocate(0);
  }
  void put(const Field& field) {
    if (!is_split) return put_all(whole.first(), at, field);
    for (std::size_t i = 0; i < at.size(); ++i) {
      real.first()[at[i]] = Access<Real>::to(field.values[i]);
      imag.first()[at[i]] = Access<Real>::to({field.values[i].imag(), 0});
    }
  }
  LongComplex get(std::size_t i) {
    if (!is_split) return Access<T>::from(whole.first()[at[i]]);
    return {Access<Real>::from(real.first()[at[i]]).real(),
            Access<Real>::from(imag.first()[at[i]]).real()};
  }
  void put_guards() {
    for (Index o : at) {
      std::memset(static_cast<void*>(real.first() + o), 0x5a, sizeof(Real));
      std::memset(static_cast<void*>(imag.first() + o), 0x5a, sizeof(Real));
      std::memset(static_cast<void*>(whole.first() + o), 0x5a, sizeof(T));
    }
  }
  std::vector<unsigned char> bytes() const {
    std::vector<unsigned char> all = real.bytes;
    all.insert(all.end(), imag.bytes.begin(), imag.bytes.end());
    all.insert(all.end(), whole.bytes.begin(), whole.bytes.end());
    return all;
  }
  SplitArray<Real> split() { return {real.first(), imag.first()}; }
};

template <class Real, class In, class Out>
RunResult run_split(const Transform& transform, const Field& input, const RunOptions& options) {
  const Plan plan(transform, options.input, options.output, options.plan);
  Workspace workspace = plan.make_workspace();
  RunResult result{Field(plan.output_shape()), true, true, plan.recipe()};
  SplitSide<Real, In> in(options.input.storage == ComplexStorage::split,
                         offsets(plan.input_shape(), plan.input_strides()));
  SplitSide<Real, Out> out(options.output.storage == ComplexStorage::split,
                           offsets(plan.output_shape(), plan.output_strides()));
  in.put(input);
  const auto saved = in.bytes();
  if (options.in_place)  // both sides are split, and alike
    plan.execute(in.split(), in.split(), workspace);
  else if (in.is_split && out.is_split)
    plan.execute(in.split(), out.split(), workspace);
  else if (in.is_split)
    plan.execute(in.split(), out.whole.first(), workspace);
  else
    plan.execute(static_cast<const In*>(in.whole.first()), out.split(), workspace);
  if (options.in_place) {
    std::swap(in.real, out.real);
    std::swap(in.imag, out.imag);
  } else {
    result.input_kept = saved == in.bytes();
  }
  for (std::size_t i = 0; i < out.at.size(); ++i) result.output.values[i] = out.get(i);
  out.put_guards();
  for (unsigned char byte : out.bytes())
    result.guards_intact = result.guards_intact && byte == 0x5a;
  return result;
}

template <class Real, class In, class Out>
RunResult run_stored(const Transform& transform, const Field& input, const RunOptions& options) {
  const bool is_split = options.input.storage == ComplexStorage::split ||
                        options.output.storage == ComplexStorage::split;
  return is_split ? run_split<Real, In, Out>(transform, input, options)
                  : run<In, Out>(transform, input, options);
}

template <class Real, class Complex>
RunResult run_precision(const Transform& transform, const Field& input, const RunOptions& options) {
  switch (transform.kind) {
    case Kind::c2c: return run_stored<Real, Complex, Complex>(transform, input, options);
    case Kind::r2c: return run_stored<Real, Real, Complex>(transform, input, options);
    case Kind::c2r: return run_stored<Real, Complex, Real>(transform, input, options);
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
