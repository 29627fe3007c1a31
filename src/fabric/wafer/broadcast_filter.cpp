// SPDX-License-Identifier: BSD-3-Clause
// wsFFT's broadcast-and-filter transposition.
#include <algorithm>
#include <cassert>

#include "fabric/wafer/line.hpp"

namespace weft::fabric {
namespace {

/// Of the block that position s sends to s+1 ... p-1, lets only the message to position j pass.
Filter window(int p, int s, int j, std::int32_t words) {
  const auto block = static_cast<std::uint32_t>((p - 1 - s) * words);
  const auto begin = static_cast<std::uint32_t>((j - s - 1) * words);
  return {.init = (block - begin) % block,
          .limit = block - 1,
          .max = static_cast<std::uint32_t>(words) - 1};
}

SignalTable handlers_of(const DirectedLine& line, int j, Color color, std::int32_t words) {
  SignalTable table{.color = color, .handlers = {}};
  const int p = line.count();
  for (int s = 1; s < j; ++s) table.handlers.push_back({window(p, s, j, words), std::nullopt});
  if (j > 0 && j + 1 < p)  // the j-th hand-over is to this element: it is now the sender
    table.handlers.push_back({std::nullopt, Route{Port::ramp, only(line.downstream())}});
  return table;
}

void add_direction(WaferProgram& program, const DirectedLine& line, const LineTraffic& traffic,
                   Color color, int phase_number) {
  const int p = line.count();
  const std::int32_t words = message_words(traffic);
  for (int j = 0; j < p; ++j) {
    Element& element = program.elements[static_cast<std::size_t>(line.element(j))];
    ColorSetting& setting = element.colors[color];
    Phase& phase = element.phases[static_cast<std::size_t>(phase_number)];
    if (j == 0) {
      setting.positions = {{Port::ramp, only(line.downstream())}};
    } else {
      const PortSet tx = j + 1 == p ? only(Port::ramp) : both(Port::ramp, line.downstream());
      setting.positions = {{line.upstream(), tx}};
      setting.filter = window(p, 0, j, words);
      element.signals.push_back(handlers_of(line, j, color, words));
      phase.receptions.push_back({.color = color, .into = line.receive(traffic, 0, j, 1)});
    }
    if (j + 1 == p) continue;
    SendBlock block{.color = color, .words = line.send(traffic, j + 1, p - 1 - j)};
    if (j + 2 < p) block.control = Control::signal;
    block.after_signals = static_cast<std::uint16_t>(j);
    if (j == 0)
      block.setup_cycles =
          static_cast<std::uint16_t>(program.rules.signal_cycles - program.rules.ramp_cycles);
    phase.queues.push_back({block});
  }
}

}  // namespace

void add_broadcast_filter(WaferProgram& program, const Line& line, const LineTraffic& traffic,
                          Color color, int phase, Streams streams) {
  assert(traffic.destinations.step == 1 && traffic.sources.step == 1);
  const DirectedLine up(line, Toward::up);
  const DirectedLine down(line, Toward::down);
  for (int i = 0; i < up.count(); ++i)
    copy_own_message(program.elements[static_cast<std::size_t>(up.element(i))]
                         .phases[static_cast<std::size_t>(phase)],
                     up, traffic, i);
  if (up.count() == 1) return;
  add_direction(program, up, traffic, color, phase);
  if (streams == Streams::both)
    add_direction(program, down, traffic, static_cast<Color>(color + 1), phase);
}

Cycle broadcast_filter_cycles(std::int64_t elements, std::int64_t words, const WaferRules& rules) {
  if (elements < 2) return 0;
  // A hand-over takes signal_cycles, and the control wavelet takes one cycle of the link.
  return static_cast<Cycle>(words * elements * (elements - 1) / 2) +
         (rules.signal_cycles + 1) * static_cast<Cycle>(elements - 1) - 1 + rules.ramp_cycles;
}

std::vector<Cycle> broadcast_filter_runs(int elements, std::int64_t words, const WaferRules& rules,
                                         Streams streams) {
  std::vector<Cycle> done(static_cast<std::size_t>(elements), 0);
  Cycle first_word = rules.signal_cycles;  // the cycle in which it leaves router s
  for (int s = 0; s + 1 < elements; ++s) {
    const auto block = static_cast<Cycle>(words) * static_cast<Cycle>(elements - 1 - s);
    const auto last_word = first_word + block - 1;
    for (int j = s + 1; j < elements; ++j) {
      const auto captured = first_word + static_cast<Cycle>(words) * static_cast<Cycle>(j - s) - 1 +
                            static_cast<Cycle>(j - s);
      auto& mine = done[static_cast<std::size_t>(j)];
      mine = std::max(mine, captured + rules.ramp_cycles);
    }
    // A word is injected one cycle before it leaves; the control wavelet follows if there is a next
    // sender.
    auto& sender = done[static_cast<std::size_t>(s)];
    sender = std::max(sender, last_word + (s + 2 < elements ? 1 : 0));
    first_word = last_word + 2 + rules.signal_cycles;
  }
  if (streams == Streams::both)  // the other direction runs at the same time, mirrored
    for (std::size_t i = 0, k = done.size() - 1; i < k; ++i, --k)
      done[i] = done[k] = std::max(done[i], done[k]);
  return done;
}

}  // namespace weft::fabric
