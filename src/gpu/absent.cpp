// SPDX-License-Identifier: BSD-3-Clause
// The interface of GPUs in a library that was built without them (WEFT_CUDA=OFF).
#include "gpu/ranks/cuda_device.hpp"
#include "weft/cuda.hpp"

namespace weft {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::unsupported,
              "this weft was built without support for GPUs; build it with WEFT_CUDA=ON");
}

}  // namespace

namespace gpu {

std::shared_ptr<const global::RankDevice> open_device(const weft::Device&, const Comm&) {
  refuse();
}

}  // namespace gpu

namespace cuda {

bool is_available() noexcept { return false; }
std::string device_name(int) { refuse(); }

struct Workspace::Impl {};
Workspace::Workspace(std::size_t, int) { refuse(); }
Workspace::Workspace(void*, std::size_t) { refuse(); }
Workspace::~Workspace() = default;
Workspace::Workspace(Workspace&&) noexcept = default;
Workspace& Workspace::operator=(Workspace&&) noexcept = default;
std::size_t Workspace::bytes() const noexcept { return 0; }
void* Workspace::data() const noexcept { return nullptr; }

struct Plan::Impl {};
Plan::Plan(const Transform&, const Layout&, const Layout&, const PlanOptions&) : impl_(nullptr) {
  refuse();
}
Plan::~Plan() = default;
Plan::Plan(Plan&&) noexcept = default;
Plan& Plan::operator=(Plan&&) noexcept = default;
void Plan::check_view(std::span<const Index>, std::span<const Index>, bool) const { refuse(); }
void Plan::run(Precision, bool, const void*, Precision, bool, void*, Workspace&, Stream) const {
  refuse();
}
std::size_t Plan::workspace_bytes() const { refuse(); }
Workspace Plan::make_workspace() const { refuse(); }
const Transform& Plan::transform() const { refuse(); }
int Plan::device() const { refuse(); }
std::string Plan::recipe() const { refuse(); }
std::string Plan::explain() const { refuse(); }
PlanCost Plan::cost() const { refuse(); }

}  // namespace cuda
}  // namespace weft
