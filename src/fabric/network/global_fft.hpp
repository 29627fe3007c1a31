// SPDX-License-Identifier: BSD-3-Clause
// The Global FFT of the Spiral paper, Eq. (19): one transform of length m n over p processes with
// three all-to-alls of equal blocks, the scrambling merged into the two node libraries (20), (21).
// With real numbers, process by process (in memory: no torus carries them); and a model of its time
// on a torus.
#pragma once

#include <complex>
#include <span>
#include <vector>

#include "fabric/fabric_machine.hpp"

namespace weft::fabric {

/// Right to left, step by step. p divides m and n.
std::vector<std::complex<double>> global_fft(std::span<const std::complex<double>> x, int m, int n,
                                             int p);

struct GlobalFftTime {
  std::array<int, 3> shape{};
  bool is_torus = true;
  double exchange_s = 0;  ///< three all-to-alls
  double compute_s = 0, passes_s = 0;
  double flops = 0;
  double bytes_per_node = 0;
  double busiest_link_bytes = 0;  ///< of one all-to-all
  double bound_s = 0;             ///< raw links, nothing else
  double total() const { return exchange_s + compute_s + passes_s; }
};
/// `points` complex numbers per node, of `bytes` each: 16 in the paper's runs.
GlobalFftTime global_fft_time(const TorusMachine& machine, int nodes, double points,
                              double bytes = 16);
/// The smallest known shape with at least that many nodes; weft::Error when none is large enough.
std::array<int, 3> shape_for(const TorusMachine& machine, int nodes);

}  // namespace weft::fabric
