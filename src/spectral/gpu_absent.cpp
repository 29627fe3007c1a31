// SPDX-License-Identifier: BSD-3-Clause
// Operators on GPUs in a library that was built without them (WEFT_CUDA=OFF).
#include "spectral/rank_modes.hpp"
#include "weft/cuda_fields.hpp"
#include "weft/spectral_cuda.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse_operator() {
  throw Error(ErrorCode::unsupported,
              "this weft was built without support for GPUs; build it with WEFT_CUDA=ON");
}

}  // namespace

std::unique_ptr<spectral::RankModes> spectral::modes_on_gpu(
    const OperatorProblem&, const ModeFunction&, const Device&,
    std::shared_ptr<const global::RankDevice>) {
  refuse_operator();
}

namespace cuda {

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

namespace detail {

void set_to_zero(void*, std::size_t, int) { refuse_operator(); }
void copy_to_device(void*, const void*, std::size_t, int, Stream) { refuse_operator(); }
void copy_to_host(void*, const void*, std::size_t, int, Stream) { refuse_operator(); }
void refuse_length(Index, Index) { refuse_operator(); }

}  // namespace detail

void wait(Stream, int) { refuse_operator(); }
MemoryUse memory_use(int) { refuse_operator(); }

struct FieldFunction::Impl {};
FieldFunction::FieldFunction(const Transform&, Side, const std::string&, const FieldOptions&)
    : impl_(nullptr) {
  refuse_operator();
}
FieldFunction::~FieldFunction() = default;
FieldFunction::FieldFunction(FieldFunction&&) noexcept = default;
FieldFunction& FieldFunction::operator=(FieldFunction&&) noexcept = default;
void FieldFunction::run(Precision, bool, std::span<const void* const>, std::span<void* const>,
                        std::span<const double>, Stream) const {
  refuse_operator();
}
int FieldFunction::inputs() const { refuse_operator(); }
int FieldFunction::outputs() const { refuse_operator(); }
int FieldFunction::parameters() const { refuse_operator(); }
Index FieldFunction::count() const { refuse_operator(); }

struct FieldReduction::Impl {};
FieldReduction::FieldReduction(const Transform&, Side, const std::string&, Reduction,
                               const FieldOptions&)
    : impl_(nullptr) {
  refuse_operator();
}
FieldReduction::~FieldReduction() = default;
FieldReduction::FieldReduction(FieldReduction&&) noexcept = default;
FieldReduction& FieldReduction::operator=(FieldReduction&&) noexcept = default;
void FieldReduction::run(Precision, bool, std::span<const void* const>, std::span<double>,
                         std::span<const double>, Workspace&, Stream) const {
  refuse_operator();
}
int FieldReduction::inputs() const { refuse_operator(); }
int FieldReduction::outputs() const { refuse_operator(); }
int FieldReduction::parameters() const { refuse_operator(); }
std::size_t FieldReduction::workspace_bytes() const { refuse_operator(); }
Workspace FieldReduction::make_workspace() const { refuse_operator(); }

}  // namespace cuda
}  // namespace weft
