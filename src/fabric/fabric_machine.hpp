// SPDX-License-Identifier: BSD-3-Clause
// The machines that weft predicts and simulates, with their parameters in JSON files that users
// copy and edit. Each file names which of its values were fitted to published numbers and which are
// assumed; everything else comes from a paper, a data sheet or public notes about the hardware.
#pragma once

#include <array>
#include <string>
#include <variant>
#include <vector>

#include "fabric/wafer/pencil.hpp"
#include "fabric/wafer/program.hpp"
#include "weft/types.hpp"

namespace weft::fabric {

/// Processing elements on one wafer.
struct WaferMachine {
  double clock_hz = 0;
  int width = 0, height = 0;
  std::int64_t memory_bytes = 0, code_bytes = 0;
  double host_bits_per_s = 0;  ///< onto the wafer, and off it
  WaferRules rules;
  Cycle block_setup_cycles = 0;      ///< of the segmented broadcast
  double extra_cycles_per_word = 0;  ///< of a pencil and exchange: copies, scaling
  int slow_from_width = 0;           ///< lines this long stream slower; 0: none
  double slow_factor = 1;
  struct Speeds {
    PencilFormula pencil;  ///< of Listing 1
    KernelRates rates;     ///< of everything else
  };
  Speeds f32, f16;
  const Speeds& speeds(Precision precision) const {
    return precision == Precision::f16 ? f16 : f32;
  }
  /// Time to bring so many bytes onto the wafer, or to take them off.
  double host_seconds(double bytes) const { return 8 * bytes / host_bits_per_s; }
};

/// A SIMD torus with one address for all nodes (APE).
struct SystolicMachine {
  double clock_hz = 0;
  std::array<int, 3> torus{};
  double flops_per_cycle = 0;
  int word_bytes = 4;
  double hop_cycles_per_word = 0, shift_setup_cycles = 0;
  double skew_cycles_per_word = 0, masked_move_setup_cycles = 0;
  bool local_addressing = false;
  double local_fft_share_of_peak = 0;
  int nodes() const { return torus[0] * torus[1] * torus[2]; }
};

/// Nodes in a 3-D torus, or in a mesh below `torus_from_nodes` (BlueGene/P).
struct TorusMachine {
  int cores_per_node = 1;
  double peak_flops_per_node = 0, node_flops = 0;
  double link_bytes_per_s = 0, payload_bytes_per_s = 0, link_efficiency = 1;
  double message_s = 0;
  double memory_bytes_per_s = 0, memory_bytes_per_node = 0;
  double local_passes = 0;  ///< over a node's memory: the first and the last local transposition
  int torus_from_nodes = 0;
  std::vector<std::array<int, 3>> shapes;
};

/// Nodes of several ranks on a fat tree (Summit, clusters).
struct ClusterMachine {
  int max_nodes = 0, ranks_per_node = 1, radix = 0;
  double node_bytes_per_s = 0, taper = 1, bandwidth_efficiency = 1, message_s = 0;
  double node_flops = 0, memory_bytes_per_node = 0, shared_memory_bytes_per_s = 0;
};

struct FabricMachine {
  std::string name, description;
  std::vector<std::string> fitted, assumed;  ///< keys of the file
  std::variant<WaferMachine, SystolicMachine, TorusMachine, ClusterMachine> what;
};

/// The machines that come with weft.
std::vector<std::string> machine_names();
/// The text of a machine's file: a path that ends in .json, a file of that name in the folder
/// $WEFT_MACHINES, or one of machine_names(). Throws weft::Error.
std::string machine_file(const std::string& name_or_path);
/// The machine of such a file. Throws weft::Error.
FabricMachine load_machine(const std::string& name_or_path);
/// A machine from the text of its file; `origin` stands for the file in messages. Throws
/// weft::Error, one line that names file and key, when a key is missing, unknown or given twice, a
/// value is of another type or out of its range, or the text is no JSON, longer than 1 MiB or
/// nested more than 8 levels deep.
FabricMachine parse_machine(const std::string& text, const std::string& origin);

/// The wafer, or weft::Error that says what the machine is instead.
const WaferMachine& wafer_of(const FabricMachine& machine);
const SystolicMachine& systolic_of(const FabricMachine& machine);
const TorusMachine& torus_of(const FabricMachine& machine);
const ClusterMachine& cluster_of(const FabricMachine& machine);
const char* kind_name(const FabricMachine& machine);

}  // namespace weft::fabric
