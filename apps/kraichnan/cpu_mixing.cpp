// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "kraichnan/mixing.hpp"
#include "kraichnan/scalar.hpp"

namespace weft::apps {
namespace {

class CpuMixing : public Mixing {
 public:
  CpuMixing(const Team& team, const MixingOptions& options)
      : velocity_(team, options.velocity),
        scalar_(team, options.velocity.size, options.diffusivity, options.time_step,
                options.velocity.seed, options.reach),
        factor_(std::sqrt(options.time_step) / options.spacing) {}

  void advance(Index step) override {
    velocity_.draw(step, factor_);
    scalar_.advance(step, velocity_.component(0), velocity_.component(1));
  }
  void add_to(Shells& of_scalar, Shells& of_velocity) override {
    scalar_.add_to(of_scalar);
    velocity_.add_to(of_velocity);
  }
  double variance() override { return scalar_.variance(); }
  Picture picture() override { return scalar_.picture(); }
  std::vector<SavedField> saved() override { return scalar_.saved(); }
  std::string explain() const override { return velocity_.explain(); }
  Passes passes() const override { return velocity_.passes() + scalar_.passes(); }
  double bytes() const override { return velocity_.bytes() + scalar_.bytes(); }

 private:
  Velocity velocity_;
  Scalar2d scalar_;
  double factor_;
};

}  // namespace

std::unique_ptr<Mixing> cpu_mixing(const Team& team, const MixingOptions& options) {
  return std::make_unique<CpuMixing>(team, options);
}

}  // namespace weft::apps
