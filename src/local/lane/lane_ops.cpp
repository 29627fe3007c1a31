// SPDX-License-Identifier: BSD-3-Clause
// Picks the table of an instruction set. The build defines WEFT_HAS_<ISA> for those it compiles.
#include "local/lane/lane_ops.hpp"

namespace weft::local {

#ifdef WEFT_HAS_SCALAR
namespace scalar {
const LaneOps<float>& float_ops();
const LaneOps<double>& double_ops();
}  // namespace scalar
#endif
#ifdef WEFT_HAS_NEON
namespace neon {
const LaneOps<float>& float_ops();
const LaneOps<double>& double_ops();
}  // namespace neon
#endif
#ifdef WEFT_HAS_AVX2
namespace avx2 {
const LaneOps<float>& float_ops();
const LaneOps<double>& double_ops();
}  // namespace avx2
#endif
#ifdef WEFT_HAS_AVX512
namespace avx512 {
const LaneOps<float>& float_ops();
const LaneOps<double>& double_ops();
}  // namespace avx512
#endif

template <>
const LaneOps<float>& lane_ops(codelet::Isa isa) {
#ifdef WEFT_HAS_NEON
  if (isa == codelet::Isa::neon) return neon::float_ops();
#endif
#ifdef WEFT_HAS_AVX2
  if (isa == codelet::Isa::avx2) return avx2::float_ops();
#endif
#ifdef WEFT_HAS_AVX512
  if (isa == codelet::Isa::avx512) return avx512::float_ops();
#endif
  static_cast<void>(isa);
  return scalar::float_ops();
}

template <>
const LaneOps<double>& lane_ops(codelet::Isa isa) {
#ifdef WEFT_HAS_NEON
  if (isa == codelet::Isa::neon) return neon::double_ops();
#endif
#ifdef WEFT_HAS_AVX2
  if (isa == codelet::Isa::avx2) return avx2::double_ops();
#endif
#ifdef WEFT_HAS_AVX512
  if (isa == codelet::Isa::avx512) return avx512::double_ops();
#endif
  static_cast<void>(isa);
  return scalar::double_ops();
}

}  // namespace weft::local
