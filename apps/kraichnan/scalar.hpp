// SPDX-License-Identifier: BSD-3-Clause
// Scalar: a passive scalar that a random velocity carries, with diffusion and a random source.
//
//   dT = - u . grad T o dt + kappa laplacian T dt + f dt
//
// The product is meant in the sense of Stratonovich. A step moves the argument:
// T(x) <- T(x - sqrt(dt) u(x)). Expanded, this holds the term (dt/2) u_i u_j d_i d_j T that an Ito
// product lacks; the other term of Stratonovich's product, (dt/2) (u . grad u_i) d_i T, has mean
// zero because u is homogeneous and free of divergence. There is no bound of the kind of Courant's:
// the step is bounded only by how far near points may move apart.
//
// The values between the points come from cubic splines. One operator per step makes the diffusion
// and the coefficients of the splines: forward, a function of k, backward.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "common/checkpoint.hpp"
#include "common/output.hpp"
#include "kraichnan/velocity.hpp"

namespace weft::apps {

/// The source of a step: for each of its modes (k, l) the factors of cos(kx + ly) and sin(kx + ly).
struct SourceMode {
  int k, l;
  double cosine, sine;
};
std::array<SourceMode, 4> source_of_step(Index step, int seed, double time_step);
/// What the source brings in within distance r, relative to a source without an extent: in
/// Kraichnan's exact equation, dS/dr is this times r / K(r).
double source_flux(double r);

class Scalar2d {
 public:
  /// Collective. `reach` is the farthest that a point may move in a step, in lattice spacings.
  Scalar2d(const Team& team, Index size, double diffusivity, double time_step, int seed,
           double reach);

  /// One step; the displacements are in lattice spacings, one array per axis.
  void advance(Index step, const aligned_vector<double>& down, const aligned_vector<double>& right);
  void add_to(Shells& shells);
  double variance() const;
  Passes passes() const;  ///< of the operator of a step
  double bytes() const { return 2 * transform_.field_bytes(); }
  Picture picture() const;
  std::vector<SavedField> saved();
  std::string explain() const { return diffuse_->explain(); }

 private:
  void exchange_margins();
  void add_source(Index step);

  const Team& team_;
  Index size_, rows_, margin_;
  double time_step_;
  int seed_;
  RealTransform transform_;
  std::optional<FieldOperator> diffuse_;
  aligned_vector<double> field_;
  aligned_vector<double> coefficients_;  // with `margin_` rows before and after
  aligned_vector<Complex> spectrum_;
  struct Message {
    std::unique_ptr<Transfer> send, receive;
    Index from_row, to_row;
  };
  std::vector<Message> messages_;
};

}  // namespace weft::apps
