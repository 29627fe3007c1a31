// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <string>
#include <string_view>

#include "dropins/cufft/plan.hpp"

namespace weft::cufft {
namespace {

/// faster_in_cufft.txt: labels of `weft bench gpu`.
constexpr std::string_view faster_in_cufft[] = {
#include "faster_in_cufft.inc"
};

/// As `weft bench gpu` names transforms of contiguous arrays.
std::string label_of(const Request& request) {
  std::string label;
  for (const Long n : request.lengths) label += (label.empty() ? "" : "x") + std::to_string(n);
  if (request.batch > 1) label += "*" + std::to_string(request.batch);
  const TypePair& type = request.type;
  label += type.kind == Kind::c2c ? " c2c " : type.kind == Kind::r2c ? " r2c " : " c2r ";
  return label + (type.precision == Precision::f64   ? "f64"
                  : type.precision == Precision::f32 ? "f32"
                                                     : "f16");
}

/// Whether the advanced layout, if there is one, says what is so without it.
bool is_contiguous(const Request& request) {
  if (!request.in) return true;
  const Request plain{.lengths = request.lengths,
                      .in = {},
                      .out = {},
                      .batch = request.batch,
                      .types = request.types,
                      .type = request.type};
  const PlannedTransform asked = transform_of(request, {}), usual = transform_of(plain, {});
  return asked.input.strides == usual.input.strides && asked.output.strides == usual.output.strides;
}

}  // namespace

bool is_faster_in_cufft(const Request& request) {
  if (!is_contiguous(request)) return false;
  return std::ranges::find(faster_in_cufft, label_of(request)) != std::end(faster_in_cufft);
}

}  // namespace weft::cufft
