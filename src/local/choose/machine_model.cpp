// SPDX-License-Identifier: BSD-3-Clause
#include "local/choose/machine_model.hpp"

#include <algorithm>
#include <mutex>
#include <optional>

#include "base/bandwidth.hpp"
#include "base/line_speed.hpp"
#include "base/machine.hpp"
#include "tune/numbers_text.hpp"
#include "tune/wisdom_store.hpp"
#include "weft/error.hpp"

namespace weft::local {
namespace {

constexpr const char* speeds_name = "speeds of this machine";

constexpr tune::NumberField<MachineSpeeds> fields[] = {
    {"gigahertz", &MachineSpeeds::gigahertz},
    {"l3_line", &MachineSpeeds::l3_line},
    {"memory_bytes_per_ns", &MachineSpeeds::memory_bytes_per_ns},
    {"memory_cores", &MachineSpeeds::memory_cores}};

MachineModel caches_of_this_machine() {
  MachineModel m;
  const Machine& machine = weft::this_machine();
  const int threads_per_core = std::max(1, machine.hardware_threads / std::max(1, machine.cores));
  for (const Cache& cache : machine.data_caches) {
    CacheModel* known[] = {&m.l1, &m.l2, &m.l3};
    if (cache.level < 1 || cache.level > 3) continue;
    CacheModel& level = *known[cache.level - 1];
    level.bytes = static_cast<double>(cache.bytes);
    if (cache.ways > 0) level.ways = cache.ways;
    level.sharers = std::max(1, cache.sharers / threads_per_core);
  }
  if (machine.vendor == "AuthenticAMD") {  // since Zen 2 two pipes multiply and two add
    m.vector_pipes = 4;
    const bool is_zen5 = machine.family >= 26;
    m.vector_pipes_bytes = is_zen5 ? 256 : 128;  // Zen 5: 64 bytes each
    if (is_zen5) m.point = 1;
  }
  if (machine.vendor == "GenuineIntel") m.wide_lanes_in_l3 = 0.2;
  return m;
}
const MachineModel& caches() {
  static const MachineModel model = caches_of_this_machine();
  return model;
}

/// Measured numbers that no machine has come from a disturbed measurement.
MachineSpeeds within_reason(MachineSpeeds speeds) {
  speeds.gigahertz = std::clamp(speeds.gigahertz, 0.5, 10.0);
  speeds.l3_line = std::clamp(speeds.l3_line, 1.0, 40.0);
  speeds.memory_bytes_per_ns = std::clamp(speeds.memory_bytes_per_ns, 0.5, 200.0);
  speeds.memory_cores = std::clamp(speeds.memory_cores, 1.0, 1024.0);
  return speeds;
}

MachineSpeeds measured_speeds() {
  const MachineModel& m = caches();
  MachineSpeeds speeds;
  speeds.gigahertz = clock_gigahertz();
  const auto half = [](double bytes) { return static_cast<std::size_t>(bytes / 2); };
  const double nearest_ns = line_time(half(m.l1.bytes)).in_row_ns;
  const std::size_t in_l3 = std::max(half(m.l3_share_bytes(m.l3.sharers)), half(4 * m.l2.bytes));
  speeds.l3_line = (line_time(in_l3).in_row_ns - nearest_ns) * speeds.gigahertz;
  const int threads = this_machine().usable_threads;
  const std::size_t memory = memory_levels(1).back().bytes;
  speeds.memory_bytes_per_ns = 64 / line_time(memory, 0.02).in_row_ns;
  if (threads > 1) {
    const auto copy = [&](int count) {
      return copy_bandwidth({.bytes = memory / static_cast<std::size_t>(count),
                             .threads = count,
                             .store = Store::non_temporal,
                             .seconds = 0.02});
    };
    speeds.memory_cores = copy(threads) / copy(1);
  }
  return within_reason(speeds);
}

struct KnownSpeeds {
  std::mutex mutex;
  std::optional<MachineSpeeds> measured;
};
KnownSpeeds& known_speeds() {
  static KnownSpeeds instance;
  return instance;
}

struct Found {
  MachineSpeeds speeds;
  SpeedSource source = SpeedSource::assumed;
};
Found find_speeds() {
  {
    const std::lock_guard lock(known_speeds().mutex);
    if (known_speeds().measured) return {*known_speeds().measured, SpeedSource::measured};
  }
  if (const auto text = tune::find_wisdom(speeds_name)) try {
      return {within_reason(parse_speeds(*text)), SpeedSource::wisdom};
    } catch (const Error&) {  // damaged, or from another version of weft
    }
  return {};
}

}  // namespace

std::string to_text(const MachineSpeeds& speeds) {
  return tune::numbers_text<MachineSpeeds>(speeds, fields);
}

MachineSpeeds parse_speeds(const std::string& text) {
  return tune::parse_numbers<MachineSpeeds>(text, fields, "the speeds of a machine");
}

double MachineModel::vector_cycles(codelet::Isa isa) const {
  const double bytes = codelet::lanes(isa, Precision::f64) * sizeof(double);
  const double cycles = std::max(1 / vector_pipes, bytes / vector_pipes_bytes);
  return (isa == codelet::Isa::scalar ? 3 : 2) * cycles;  // nothing is fused
}

double MachineModel::l3_share_bytes(int threads) const {
  return std::max(l2.bytes, l3.bytes / std::clamp(threads, 1, std::max(1, l3.sharers)));
}

double MachineModel::l3_lasting_bytes() const {
  return std::max(l2.bytes, l3.bytes / std::max(1, l3.sharers) / 2);
}

namespace {
thread_local int assumed_speeds = 0;
}

AssumedSpeeds::AssumedSpeeds() { ++assumed_speeds; }
AssumedSpeeds::~AssumedSpeeds() { --assumed_speeds; }

MachineModel machine_model() {
  MachineModel model = caches();
  if (assumed_speeds == 0) model.speeds = find_speeds().speeds;
  return model;
}

SpeedSource speed_source() { return find_speeds().source; }

void learn_speeds(bool keep) {
  if (find_speeds().source != SpeedSource::assumed) return;
  const MachineSpeeds speeds = measured_speeds();
  {
    const std::lock_guard lock(known_speeds().mutex);
    known_speeds().measured = speeds;
  }
  if (keep) tune::add_wisdom(speeds_name, to_text(speeds));
}

}  // namespace weft::local
