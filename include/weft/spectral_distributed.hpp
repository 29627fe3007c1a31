// SPDX-License-Identifier: BSD-3-Clause
// DistributedOperator: a SpectralOperator on fields that are spread over many ranks. The spectrum
// is never put back into natural order: slabs need two exchanges instead of four.
#pragma once

#include <span>
#include <string>

#include "weft/distributed.hpp"
#include "weft/spectral.hpp"

namespace weft {

struct DistributedOperatorOptions {
  /// Of both transforms; `in_place`, `split`, `recipe` and `workspace` are set by the operator.
  /// With a GPU as `device` the function is one that weft::cuda::SpectralOperator takes: a text,
  /// one of spectral_functions.hpp or multipliers.
  DistributedOptions plan = {};
  std::vector<double> lengths = {};  ///< as in SpectralOptions
};

class WEFT_API DistributedOperator {
 public:
  /// Collective, as DistributedPlan. Every input field lies in `input`, every output in `output`.
  /// `forward` is c2c (forward) or r2c, f32 or f64, with arrays as large as the transform. Its
  /// normalization is not used: forward and backward together give the identity.
  DistributedOperator(const Transform& forward, ModeFunction function, const LocalBoxes& input,
                      const LocalBoxes& output, const Comm& comm,
                      const DistributedOperatorOptions& options = {});
  ~DistributedOperator();
  DistributedOperator(DistributedOperator&&) noexcept;
  DistributedOperator& operator=(DistributedOperator&&) noexcept;

  /// Collective. Boxes' offsets count from these pointers; a rank that holds nothing passes null.
  /// Outputs may be the same memory as inputs: all inputs are read before any output is written.
  /// If the function throws on one rank, that rank throws the same and all others weft::Error. On
  /// GPUs these are device pointers, and the last stage may be on the stream when it returns;
  /// an output that shares memory with the input is the same array.
  template <Scalar T>
  void execute(const T* in, T* out) {
    const T* from[] = {in};
    T* to[] = {out};
    execute(std::span<const T* const>(from), std::span<T* const>(to));
  }
  /// Several fields, each an array of its own.
  template <Scalar T>
  void execute(std::span<const T* const> in, std::span<T* const> out) {
    std::array<const void*, max_operator_fields> from{};
    std::array<void*, max_operator_fields> to{};
    for (std::size_t f = 0; f < in.size() && f < from.size(); ++f) from[f] = in[f];
    for (std::size_t f = 0; f < out.size() && f < to.size(); ++f) to[f] = out[f];
    run({ScalarTraits<T>::precision, ScalarTraits<T>::is_complex}, from.data(), in.size(),
        to.data(), out.size());
  }

  /// Elements that the pointers must reach.
  Index input_count() const;
  Index output_count() const;
  /// Memory of this rank, excluding inputs and outputs.
  Index workspace_bytes() const;
  /// Of all fields together, per execution.
  DistributedCost cost() const;
  /// The recipes of both transforms and what lies between them.
  std::string explain() const;

 private:
  struct Element {
    Precision precision;
    bool is_complex;
  };
  void run(Element type, const void* const* in, std::size_t inputs, void* const* out,
           std::size_t outputs);
  struct Impl;
  PlanPointer<Impl> impl_;
};

}  // namespace weft
