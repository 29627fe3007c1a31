// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs in a library that was built without them (WEFT_CUDA=OFF).
#include "weft/spectral_cuda.hpp"

namespace weft::cuda {
namespace {

[[noreturn]] void refuse_operator() {
  throw Error(ErrorCode::unsupported,
              "this weft was built without support for GPUs; build it with WEFT_CUDA=ON");
}

}  // namespace

struct SpectralOperator::Impl {};
SpectralOperator::SpectralOperator(const Transform&, const ModeFunction&, const SpectralOptions&)
    : impl_(nullptr) {
  refuse_operator();
}
SpectralOperator::~SpectralOperator() = default;
SpectralOperator::SpectralOperator(SpectralOperator&&) noexcept = default;
SpectralOperator& SpectralOperator::operator=(SpectralOperator&&) noexcept = default;
void SpectralOperator::run(Precision, bool, std::span<const void* const>, std::span<void* const>,
                           Workspace&, Stream) const {
  refuse_operator();
}
std::size_t SpectralOperator::workspace_bytes() const { refuse_operator(); }
Workspace SpectralOperator::make_workspace() const { refuse_operator(); }
std::vector<Index> SpectralOperator::input_shape() const { refuse_operator(); }
std::vector<Index> SpectralOperator::output_shape() const { refuse_operator(); }
std::vector<Index> SpectralOperator::spectrum_shape() const { refuse_operator(); }
int SpectralOperator::device() const { refuse_operator(); }
std::string SpectralOperator::recipe() const { refuse_operator(); }
std::string SpectralOperator::explain() const { refuse_operator(); }
double SpectralOperator::passes() const { refuse_operator(); }

}  // namespace weft::cuda
