// SPDX-License-Identifier: BSD-3-Clause
// From the events of the wafer simulator to a film.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <limits>
#include <map>

#include "animation.hpp"
#include "field.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

using fabric::Control;
using fabric::Port;
using fabric::WaferEvent;

constexpr std::size_t most_legs = 400'000;
constexpr Cycle still_there = std::numeric_limits<Cycle>::max();

const char* control_name(Control control) {
  switch (control) {
    case Control::advance: return "control: next switch position";
    case Control::reset: return "control: first switch position";
    case Control::signal: return "control: hand-over";
    case Control::none: break;
  }
  return "";
}

class WaferFilming {
 public:
  WaferFilming(const fabric::WaferPlan& plan, const fabric::WaferMachine& machine)
      : plan_(plan), machine_(machine), layout_(fabric::layout_of(plan, machine)) {
    film_.kind = "wafer";
    film_.title = plan.describe();
    film_.width = plan.width;
    film_.height = plan.height;
  }

  Film shoot();

 private:
  void see(const WaferEvent& event);
  void see_injection(const WaferEvent& event);
  void see_move(const WaferEvent& event);
  std::size_t take_out(const WaferEvent& event);
  void see_work(const WaferEvent& event);
  int neighbour(int element, Port port) const;
  void keep_numbers(int phase, std::span<const std::complex<float>> numbers);
  void name_values();
  void name_stretches();

  /// Wavelets that wait in a router, first come first: of a color, from the ramp or from a link.
  using Queue = std::tuple<int, int, bool>;

  const fabric::WaferPlan& plan_;
  const fabric::WaferMachine& machine_;
  fabric::WaferLayout layout_;
  Film film_;
  std::map<Queue, std::deque<std::size_t>> waiting_;        ///< legs, by where they have ended
  std::map<Queue, std::pair<Cycle, std::size_t>> leaving_;  ///< the leg that leaves in this cycle
  std::vector<std::uint32_t> words_;                        ///< of travellers
  std::vector<std::vector<std::complex<float>>> numbers_;   ///< by phase
  std::map<int, std::size_t> at_work_;                      ///< stretch that an element is in
};

int WaferFilming::neighbour(int element, Port port) const {
  switch (port) {
    case Port::west: return element - 1;
    case Port::east: return element + 1;
    case Port::north: return element - plan_.width;
    case Port::south: return element + plan_.width;
    case Port::ramp: break;
  }
  return element;
}

void WaferFilming::see(const WaferEvent& event) {
  if (film_.legs.size() > most_legs)
    throw Error(ErrorCode::unsupported,
                fmt::format("{}: more than {} steps of wavelets; a page shows meshes of about 16 x "
                            "16, take a smaller size, or f16",
                            plan_.describe(), most_legs));
  film_.cycles = std::max(film_.cycles, event.cycle);
  switch (event.kind) {
    case WaferEvent::Kind::injects: return see_injection(event);
    case WaferEvent::Kind::moves: return see_move(event);
    case WaferEvent::Kind::ends: take_out(event); return;
    default: return see_work(event);
  }
}

void WaferFilming::see_injection(const WaferEvent& event) {
  const int traveller = static_cast<int>(film_.travellers.size());
  film_.travellers.push_back({.source = event.element,
                              .color = event.color,
                              .phase = event.phase,
                              .what = control_name(event.control),
                              .value = {}});
  words_.push_back(event.control == Control::none ? event.word : fabric::no_word);
  waiting_[{event.element, event.color, true}].push_back(film_.legs.size());
  film_.legs.push_back({traveller, 2 * event.element + 1, 2 * event.element, event.cycle,
                        event.cycle + 1, still_there});
}

/// The wavelet that leaves a router in this cycle: the leg that brought it there.
std::size_t WaferFilming::take_out(const WaferEvent& event) {
  const Queue queue{event.element, event.color, event.input == Port::ramp};
  auto& [cycle, leg] = leaving_[queue];
  if (cycle == event.cycle + 1) return leg;  // one more output of the same
  auto& line = waiting_[queue];
  if (line.empty())
    throw Error(
        ErrorCode::internal,
        fmt::format("film: cycle {}, element {}, color {}: a wavelet leaves that never came",
                    event.cycle, event.element, event.color));
  leg = line.front();
  line.pop_front();
  cycle = event.cycle + 1;
  film_.legs[leg].leave = event.cycle;
  return leg;
}

void WaferFilming::see_move(const WaferEvent& event) {
  const std::size_t leg = take_out(event);
  const int traveller = film_.legs[leg].traveller;
  const bool lands = event.output == Port::ramp;
  const int to = neighbour(event.element, event.output);
  const Cycle arrive = event.cycle + (lands ? machine_.rules.ramp_cycles : 1);
  if (lands && event.control == Control::none &&
      film_.travellers[static_cast<std::size_t>(traveller)].source != event.element)
    film_.travellers[static_cast<std::size_t>(traveller)].destination = event.element;
  if (!lands) waiting_[{to, event.color, false}].push_back(film_.legs.size());
  film_.legs.push_back({traveller, 2 * event.element, 2 * to + (lands ? 1 : 0), event.cycle, arrive,
                        lands ? arrive : still_there});
}

void WaferFilming::see_work(const WaferEvent& event) {
  if (const auto old = at_work_.find(event.element); old != at_work_.end())
    film_.work[old->second].end = event.cycle;
  at_work_.erase(event.element);
  if (event.kind == WaferEvent::Kind::finishes) return;
  at_work_[event.element] = film_.work.size();
  const bool computes = event.kind == WaferEvent::Kind::computes;
  film_.work.push_back({.element = event.element,
                        .begin = event.cycle,
                        .end = event.cycle,
                        .name = computes ? "compute" : "exchange"});
}

void WaferFilming::keep_numbers(int phase, std::span<const std::complex<float>> numbers) {
  numbers_.resize(std::max(numbers_.size(), static_cast<std::size_t>(phase) + 1));
  numbers_[static_cast<std::size_t>(phase)].assign(numbers.begin(), numbers.end());
}

void WaferFilming::name_values() {
  const auto elements =
      static_cast<std::size_t>(plan_.width) * static_cast<std::size_t>(plan_.height);
  for (std::size_t k = 0; k < film_.travellers.size(); ++k) {
    if (words_[k] == fabric::no_word) continue;
    Traveller& traveller = film_.travellers[k];
    const auto& numbers = numbers_.at(static_cast<std::size_t>(traveller.phase));
    const auto words = static_cast<std::uint32_t>(layout_.words);
    const std::complex<float> number = numbers.at(words_[k] / words);
    traveller.what = fmt::format("number {}", words_[k] / words % (numbers.size() / elements));
    if (words == 1) {
      traveller.value = fmt::format("{:.4g}{:+.4g}i", number.real(), number.imag());
    } else {
      traveller.what += words_[k] % words == 0 ? ", real part" : ", imaginary part";
      traveller.value =
          fmt::format("{:.5g}", words_[k] % words == 0 ? number.real() : number.imag());
    }
  }
}

/// For each phase from the first wavelet to the last; what lies between is computing.
void WaferFilming::name_stretches() {
  const bool crossed = plan_.schedule == fabric::WaferSchedule::crossed;
  std::map<int, Stretch> phases;
  for (const Leg& leg : film_.legs) {
    const int phase = film_.travellers[static_cast<std::size_t>(leg.traveller)].phase;
    const auto [place, fresh] = phases.try_emplace(phase, Stretch{-1, leg.depart, leg.arrive, ""});
    place->second.begin = std::min(place->second.begin, leg.depart);
    place->second.end = std::max(place->second.end, leg.arrive);
  }
  const bool forward = plan_.direction == Direction::forward;
  for (auto& [phase, stretch] : phases) {
    if (crossed)
      stretch.name = phase == 1 ? "between sisters" : "exchange along rows and columns";
    else
      stretch.name = (phase == 0) == forward ? "exchange along rows" : "exchange along columns";
    film_.stretches.push_back(stretch);
  }
}

Film WaferFilming::shoot() {
  std::vector<std::complex<float>> data(
      static_cast<std::size_t>(layout_.nx * layout_.ny * layout_.nz));
  fill_field(plan_, layout_, data, 1);
  const fabric::WaferTiming timing =
      fabric::run_on_wafer(plan_, machine_, data,
                           {.fidelity = fabric::Fidelity::whole,
                            .on_event = [&](const WaferEvent& event) { see(event); },
                            .on_send =
                                [&](int phase, std::span<const std::complex<float>> numbers) {
                                  keep_numbers(phase, numbers);
                                }});
  film_.cycles = std::max(film_.cycles, timing.cycles);
  for (Leg& leg : film_.legs)
    if (leg.leave == still_there)
      throw Error(ErrorCode::internal, "film: a wavelet is still on the wafer at the end");
  name_values();
  name_stretches();
  film_.notes = {
      fmt::format("{} cycles in all, {} of them in exchanges; {} wavelets took {} steps.",
                  timing.cycles, timing.exchange, film_.travellers.size(), film_.legs.size()),
      fmt::format(
          "Hardware used: {} colors, {} filters and {} switch positions per router at most.",
          timing.used.colors, timing.used.filters, timing.used.switch_positions)};
  if (plan_.direction == Direction::forward) {
    const FieldError error = compare_spectrum(plan_, layout_, data, 1, {});
    film_.notes.push_back(
        fmt::format("The numbers that arrived were transformed further and agree "
                    "with {}: relative error {:.1e}.",
                    error.against, error.relative));
  }
  return std::move(film_);
}

}  // namespace

Film film_of_wafer(const fabric::WaferPlan& plan, const fabric::WaferMachine& machine) {
  return WaferFilming(plan, machine).shoot();
}

}  // namespace weft::tool
