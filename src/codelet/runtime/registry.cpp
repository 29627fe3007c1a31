// SPDX-License-Identifier: BSD-3-Clause
#include "codelet/runtime/registry.hpp"

#include <unordered_map>

#include "codelet/dense/dense_lines.hpp"
#include "codelet/prime/prime_kernels.hpp"

namespace weft::codelet {

std::vector<CompiledKernel> generated_kernels();  // in the emitted table

namespace {

struct Registry {
  std::vector<CompiledKernel> all = generated_kernels();
  std::unordered_map<KernelKey, const CompiledKernel*> by_key;

  Registry() {
    for (const CompiledKernel& kernel : all) by_key.emplace(kernel.key, &kernel);
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

const CompiledKernel* find_generated_kernel(const KernelKey& key) noexcept {
  const auto& by_key = registry().by_key;
  auto it = by_key.find(canonical(key));
  if (it == by_key.end() && key.in == KernelLayout::line && !key.scaled) {
    KernelKey with_scale = key;
    with_scale.scaled = true;
    it = by_key.find(with_scale);
  }
  return it == by_key.end() ? nullptr : it->second;
}

const CompiledKernel* find_kernel(const KernelKey& key) noexcept {
  if (const CompiledKernel* kernel = find_generated_kernel(key)) return kernel;
  if (key.in == KernelLayout::line) return find_dense_line(key);
  return find_prime_kernel(key);
}

std::span<const CompiledKernel> kernels() { return registry().all; }

std::size_t KernelKeyHash::operator()(const KernelKey& key) const noexcept {
  std::size_t hash = static_cast<std::size_t>(key.radix);
  const auto mix = [&](auto value) { hash = hash * 31 + static_cast<std::size_t>(value); };
  mix(key.isa), mix(key.precision), mix(key.in), mix(key.out), mix(key.twiddle);
  mix(key.scaled), mix(key.backward), mix(key.transform);
  return hash;
}

}  // namespace weft::codelet
