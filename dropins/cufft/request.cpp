// SPDX-License-Identifier: BSD-3-Clause
#include "dropins/cufft/request.hpp"

#include <limits>

namespace weft::cufft {
namespace {

/// a * b, or nothing where it does not fit.
std::optional<Long> product(Long a, Long b) {
  Long result = 0;
  if (__builtin_mul_overflow(a, b, &result)) return {};
  return result;
}

/// Elements per transform and their product with the batch fit in 64 bits.
bool fits(const Request& request) {
  constexpr Long bytes = 16;
  std::optional<Long> all = product(request.batch, bytes);
  for (const Long n : request.lengths)
    if (all) all = product(*all, n + 2);
  return all.has_value();
}

/// The strides of one side, the batch first. `row` is the number of its elements along the last
/// axis.
std::vector<Index> strides_of(const Request& request, const std::optional<Side>& side, Long row) {
  const std::size_t rank = request.lengths.size();
  std::vector<Index> strides(rank + 1);
  Index stride = side ? side->stride : 1;
  for (std::size_t d = rank; d-- > 0;) {
    strides[d + 1] = stride;
    stride *= side ? side->embed[d] : d + 1 == rank ? row : request.lengths[d];
  }
  strides[0] = side ? side->distance : stride;
  return strides;
}

}  // namespace

std::optional<DataTypes> parse_type(int type) {
  switch (type) {
    case Type::c2c: return DataTypes{complex_f32, complex_f32, complex_f32};
    case Type::r2c: return DataTypes{real_f32, complex_f32, complex_f32};
    case Type::c2r: return DataTypes{complex_f32, real_f32, complex_f32};
    case Type::z2z: return DataTypes{complex_f64, complex_f64, complex_f64};
    case Type::d2z: return DataTypes{real_f64, complex_f64, complex_f64};
    case Type::z2d: return DataTypes{complex_f64, real_f64, complex_f64};
    default: return {};
  }
}

std::optional<TypePair> type_pair_of(const DataTypes& types) {
  struct Row {
    Precision precision;
    int real, complex;
  };
  for (const Row& row : {Row{Precision::f16, real_f16, complex_f16},
                         {Precision::f32, real_f32, complex_f32},
                         {Precision::f64, real_f64, complex_f64}}) {
    const bool reads_reals = types.input == row.real, writes_reals = types.output == row.real;
    if (types.execution != row.complex && types.execution != row.real) continue;
    if (!reads_reals && types.input != row.complex) continue;
    if (!writes_reals && types.output != row.complex) continue;
    if (reads_reals && writes_reals) continue;
    return TypePair{reads_reals ? Kind::r2c : writes_reals ? Kind::c2r : Kind::c2c, row.precision};
  }
  return {};
}

Result check(const Request& request) {
  if (request.lengths.empty() || request.lengths.size() > 3) return invalid_value;
  for (const Long n : request.lengths)
    if (n < 1) return invalid_size;
  if (request.batch < 1) return invalid_size;
  if (!fits(request)) return invalid_size;
  for (const std::optional<Side>& side : {request.in, request.out}) {
    if (!side) continue;
    if (side->stride < 1 || (request.batch > 1 && side->distance < 0)) return invalid_value;
    for (std::size_t d = 1; d < side->embed.size(); ++d)
      if (side->embed[d] < 1) return invalid_value;
    std::optional<Long> span = side->stride;
    for (const Long each : side->embed)
      if (span && each > 0) span = product(*span, each);
    if (span) span = product(std::max(*span, side->distance), request.batch);
    if (!span || *span > std::numeric_limits<Long>::max() / 16) return invalid_size;
  }
  return success;
}

PlannedTransform transform_of(const Request& request, const Variant& variant) {
  const Long n = request.lengths.back(), half = n / 2 + 1;
  const Long real_row = variant.in_place ? 2 * half : n;
  const Long in_row = request.type.kind == Kind::r2c   ? real_row
                      : request.type.kind == Kind::c2r ? half
                                                       : n;
  const Long out_row = request.type.kind == Kind::c2r   ? real_row
                       : request.type.kind == Kind::r2c ? half
                                                        : n;
  PlannedTransform planned;
  planned.transform.kind = request.type.kind;
  planned.transform.precision = request.type.precision;
  planned.transform.direction = request.type.kind == Kind::r2c   ? Direction::forward
                                : request.type.kind == Kind::c2r ? Direction::backward
                                                                 : variant.direction;
  planned.input.strides = strides_of(request, request.in, in_row);
  planned.output.strides = strides_of(request, request.out, out_row);
  planned.transform.shape.assign(request.lengths.begin(), request.lengths.end());
  if (request.batch == 1) {
    planned.input.strides.erase(planned.input.strides.begin());
    planned.output.strides.erase(planned.output.strides.begin());
    return planned;
  }
  planned.transform.shape.insert(planned.transform.shape.begin(), request.batch);
  for (std::size_t d = 1; d <= request.lengths.size(); ++d)
    planned.transform.axes.push_back(static_cast<int>(d));
  return planned;
}

Size array_bytes(const Request& request) {
  Size bytes = request.type.precision == Precision::f64   ? 16
               : request.type.precision == Precision::f32 ? 8
                                                          : 4;
  for (std::size_t d = 0; d < request.lengths.size(); ++d) {
    const bool is_halved = request.is_real() && d + 1 == request.lengths.size();
    bytes *= static_cast<Size>(is_halved ? request.lengths[d] / 2 + 1 : request.lengths[d]);
  }
  return bytes * static_cast<Size>(request.batch);
}

}  // namespace weft::cufft
