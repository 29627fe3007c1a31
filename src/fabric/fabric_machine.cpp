// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/fabric_machine.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/format.hpp"
#include "fabric/machine_reader.hpp"
#include "fabric/machine_texts.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// Ranges of what machine files give: wider than any machine, and narrow enough that no product of
/// them overflows.
double rate_of(const MachineReader& reader, const char* key) { return reader.number(key, 1, 1e21); }
double seconds_of(const MachineReader& reader, const char* key) {
  return reader.number(key, 0, 1e3);
}
double bytes_of(const MachineReader& reader, const char* key) {
  return reader.number(key, 1, 1e18);
}
double clock_of(const MachineReader& reader) { return reader.number("clock_hz", 1, 1e15); }
constexpr int longest_side = 1 << 15;

WaferMachine::Speeds read_speeds(const MachineReader& reader) {
  WaferMachine::Speeds speeds;
  const MachineReader pencil = reader.object("pencil");
  speeds.pencil = {.n_log2_n = pencil.number("n_log2_n", 0, 1e6),
                   .n = pencil.number("n", 0, 1e6),
                   .log2_n = pencil.number("log2_n", 0, 1e6)};
  pencil.finish();
  const MachineReader rates = reader.object("rates");
  const auto rate = [&](const char* key) { return rates.number(key, 1e-3, 1e6); };
  speeds.rates = {.multiply = rate("multiply"),
                  .multiply_strided = rate("multiply_strided"),
                  .accumulate = rate("accumulate"),
                  .accumulate_strided = rate("accumulate_strided"),
                  .add = rate("add"),
                  .add_strided = rate("add_strided"),
                  .move = rate("move"),
                  .move_block = rate("move_block"),
                  .pack = rates.integer("pack", 1, 64),
                  .issue = rates.number("issue", 0, 1e6),
                  .descriptor = rates.number("descriptor", 0, 1e6),
                  .scalar = rates.number("scalar", 0, 1e6)};
  rates.finish();
  reader.finish();
  return speeds;
}

WaferRules read_rules(const MachineReader& reader) {
  const auto cycles = [&](const char* key) {
    return static_cast<Cycle>(reader.integer(key, 1, 1 << 15));
  };
  WaferRules rules{.colors = reader.integer("colors", 1, 32),
                   .filters = reader.integer("filters", 0, 32),
                   .switch_positions = reader.integer("switch_positions", 1, 4),
                   .output_queues = reader.integer("output_queues", 1, 32),
                   .input_queues = reader.integer("input_queues", 1, 32),
                   .buffer_words = reader.integer("buffer_words", 1, 4),
                   .ramp_cycles = cycles("ramp_cycles"),
                   .rewrite_cycles = cycles("rewrite_cycles"),
                   .signal_cycles = cycles("signal_cycles")};
  if (rules.rewrite_cycles >= rules.signal_cycles)
    reader.fail(reader.name("rewrite_cycles"),
                "must be below signal_cycles: filters change before the next block comes");
  if (rules.ramp_cycles >= rules.signal_cycles)
    reader.fail(reader.name("ramp_cycles"), "must be below signal_cycles, which contains it");
  return rules;
}

WaferMachine read_wafer(const MachineReader& reader) {
  WaferMachine wafer;
  wafer.clock_hz = clock_of(reader);
  const std::vector<int> mesh = reader.integers("mesh", 2, longest_side);
  wafer.width = mesh[0];
  wafer.height = mesh[1];
  constexpr double largest = 1LL << 40;
  wafer.memory_bytes = static_cast<std::int64_t>(reader.number("memory_bytes", 1, largest));
  wafer.code_bytes = static_cast<std::int64_t>(reader.number("code_bytes", 0, largest));
  wafer.host_bits_per_s = rate_of(reader, "host_bits_per_s");
  const MachineReader routers = reader.object("routers");
  wafer.rules = read_rules(routers);
  wafer.block_setup_cycles = static_cast<Cycle>(routers.integer("block_setup_cycles", 0, 1 << 15));
  routers.finish();
  const MachineReader exchange = reader.object("exchange");
  wafer.extra_cycles_per_word = exchange.number("extra_cycles_per_word", 0, 1e6);
  wafer.slow_from_width = exchange.integer("slow_from_width", 0, longest_side);
  wafer.slow_factor = exchange.number("slow_factor", 1, 1e3);
  exchange.finish();
  const MachineReader kernels = reader.object("kernels");
  wafer.f32 = read_speeds(kernels.object("f32"));
  wafer.f16 = read_speeds(kernels.object("f16"));
  kernels.finish();
  return wafer;
}

/// Three sides whose product stays a number of nodes.
std::array<int, 3> sides_of(const MachineReader& reader, const char* key,
                            const std::vector<int>& sides, int most_nodes) {
  if (std::int64_t{sides[0]} * sides[1] * sides[2] > most_nodes)
    reader.fail(key, weft::format("is {}x{}x{}, more than {} nodes", sides[0], sides[1], sides[2],
                                  most_nodes));
  return {sides[0], sides[1], sides[2]};
}

SystolicMachine read_systolic(const MachineReader& reader) {
  return {.clock_hz = clock_of(reader),
          .torus = sides_of(reader, "torus", reader.integers("torus", 3, longest_side), 1 << 16),
          .flops_per_cycle = reader.number("flops_per_cycle", 1e-3, 1e6),
          .word_bytes = reader.integer("word_bytes", 1, 1024),
          .hop_cycles_per_word = reader.number("hop_cycles_per_word", 1e-3, 1e6),
          .shift_setup_cycles = reader.number("shift_setup_cycles", 0, 1e9),
          .skew_cycles_per_word = reader.number("skew_cycles_per_word", 0, 1e6),
          .masked_move_setup_cycles = reader.number("masked_move_setup_cycles", 0, 1e9),
          .local_addressing = reader.boolean("local_addressing"),
          .local_fft_share_of_peak = reader.number("local_fft_share_of_peak", 1e-6, 1)};
}

TorusMachine read_torus(const MachineReader& reader) {
  TorusMachine torus{.cores_per_node = reader.integer("cores_per_node", 1, 1 << 16),
                     .peak_flops_per_node = rate_of(reader, "peak_flops_per_node"),
                     .node_flops = rate_of(reader, "node_flops"),
                     .link_bytes_per_s = bytes_of(reader, "link_bytes_per_s"),
                     .payload_bytes_per_s = bytes_of(reader, "payload_bytes_per_s"),
                     .link_efficiency = reader.number("link_efficiency", 1e-3, 1),
                     .message_s = seconds_of(reader, "message_s"),
                     .memory_bytes_per_s = bytes_of(reader, "memory_bytes_per_s"),
                     .memory_bytes_per_node = bytes_of(reader, "memory_bytes_per_node"),
                     .local_passes = reader.number("local_passes", 0, 1e3),
                     .torus_from_nodes = reader.integer("torus_from_nodes", 0, 1 << 24),
                     .shapes = {}};
  for (const std::vector<int>& shape : reader.lists("shapes", 100, 3, longest_side))
    torus.shapes.push_back(sides_of(reader, "shapes", shape, 1 << 24));
  std::ranges::sort(torus.shapes, {},
                    [](const std::array<int, 3>& shape) { return shape[0] * shape[1] * shape[2]; });
  if (torus.payload_bytes_per_s > torus.link_bytes_per_s)
    reader.fail("payload_bytes_per_s", "must not exceed link_bytes_per_s, which carries it");
  if (torus.node_flops > torus.peak_flops_per_node)
    reader.fail("node_flops", "must not exceed peak_flops_per_node");
  return torus;
}

ClusterMachine read_cluster(const MachineReader& reader) {
  return {.max_nodes = reader.integer("max_nodes", 1, 1 << 24),
          .ranks_per_node = reader.integer("ranks_per_node", 1, 1 << 16),
          .radix = reader.integer("radix", 2, 1 << 20),
          .node_bytes_per_s = bytes_of(reader, "node_bytes_per_s"),
          .taper = reader.number("taper", 1e-3, 1),
          .bandwidth_efficiency = reader.number("bandwidth_efficiency", 1e-3, 1),
          .message_s = seconds_of(reader, "message_s"),
          .node_flops = rate_of(reader, "node_flops"),
          .memory_bytes_per_node = bytes_of(reader, "memory_bytes_per_node"),
          .shared_memory_bytes_per_s = bytes_of(reader, "shared_memory_bytes_per_s")};
}

template <class Kind>
const Kind& as(const FabricMachine& machine, const char* wanted) {
  const Kind* result = std::get_if<Kind>(&machine.what);
  if (result == nullptr)
    throw Error(
        ErrorCode::invalid_argument,
        weft::format("machine {} is a {}, but a {} is needed here; `weft predict --machines` "
                     "lists all",
                     machine.name, kind_name(machine), wanted));
  return *result;
}

std::string read_file(const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorCode::io, weft::format("machine file {}: {}", path.string(), what));
  };
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    refuse("no such file, or not a regular one; is the path right?");
  const auto bytes = std::filesystem::file_size(path, error);
  if (!error && bytes > machine_file_bytes)
    refuse(weft::format("{} bytes; a machine file has at most {}", bytes, machine_file_bytes));
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (error || !stream || !text) refuse("cannot be read");
  return text.str();
}

}  // namespace

FabricMachine parse_machine(const std::string& text, const std::string& origin) {
  const nlohmann::json json = parse_machine_text(text, origin);
  const MachineReader reader(json, origin);
  FabricMachine machine{.name = reader.text("name", 100),
                        .description = reader.text("description", 400),
                        .fitted = reader.key_names("fitted"),
                        .assumed = reader.key_names("assumed"),
                        .what = {}};
  const std::string kind = reader.text("kind", 100);
  if (kind == "wafer")
    machine.what = read_wafer(reader);
  else if (kind == "systolic")
    machine.what = read_systolic(reader);
  else if (kind == "torus")
    machine.what = read_torus(reader);
  else if (kind == "cluster")
    machine.what = read_cluster(reader);
  else
    reader.fail("kind", weft::format("is {}, but must be wafer, systolic, torus or cluster", kind));
  reader.finish();
  return machine;
}

std::vector<std::string> machine_names() {
  std::vector<std::string> names;
  for (const MachineText& machine : machine_texts) names.emplace_back(machine.name);
  return names;
}

namespace {

/// The file that a name or path means: its path, or empty if it is inside the program.
std::string path_of(const std::string& name_or_path) {
  if (name_or_path.ends_with(".json")) return name_or_path;
  const char* folder = std::getenv("WEFT_MACHINES");
  if (folder == nullptr) return "";
  const std::filesystem::path path = std::filesystem::path(folder) / (name_or_path + ".json");
  std::error_code error;
  return std::filesystem::exists(path, error) ? path.string() : "";
}

}  // namespace

std::string machine_file(const std::string& name_or_path) {
  if (const std::string path = path_of(name_or_path); !path.empty()) return read_file(path);
  for (const MachineText& machine : machine_texts)
    if (name_or_path == machine.name) return machine.text;
  throw Error(ErrorCode::invalid_argument,
              weft::format("machine {}: not known; one of {}, or the path of a .json file",
                           name_or_path, joined(machine_names(), ", ")));
}

FabricMachine load_machine(const std::string& name_or_path) {
  const std::string path = path_of(name_or_path);
  return parse_machine(machine_file(name_or_path), path.empty() ? name_or_path : path);
}

const char* kind_name(const FabricMachine& machine) {
  constexpr std::array<const char*, 4> names = {"wafer", "systolic torus", "torus", "cluster"};
  return names[machine.what.index()];
}
const WaferMachine& wafer_of(const FabricMachine& machine) {
  return as<WaferMachine>(machine, "wafer");
}
const SystolicMachine& systolic_of(const FabricMachine& machine) {
  return as<SystolicMachine>(machine, "systolic torus");
}
const TorusMachine& torus_of(const FabricMachine& machine) {
  return as<TorusMachine>(machine, "torus");
}
const ClusterMachine& cluster_of(const FabricMachine& machine) {
  return as<ClusterMachine>(machine, "cluster");
}

}  // namespace weft::fabric
