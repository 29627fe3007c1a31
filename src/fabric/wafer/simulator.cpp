// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/simulator.hpp"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <bit>
#include <mutex>
#include <thread>

#include "base/format.hpp"
#include "fabric/wafer/mesh.hpp"
#include "fabric/wafer/runner.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// The rows of routers that one thread simulates, and its counters.
struct alignas(64) Share {
  int begin = 0, end = 0;
  std::uint64_t moves = 0;  ///< in this cycle
  std::uint64_t ramp_stalls = 0;
};

class Simulation {
 public:
  Simulation(const WaferProgram& program, const SimulationOptions& options);
  SimulationResult run();

 private:
  void decide(Share& share, int row);
  void commit(Share& share, int row);
  void decide_borders(Share& share);
  void sweep(Share& share);
  void advance_clock() noexcept;

  void arbitrate(Share& share, int id, ColorMask pending);
  bool try_move(Share& share, int id, int color, PortSet& used);
  void deliver(int id, int color, Wavelet wavelet);
  void wake_up(int id);
  void obey(int id, int color, Control control);
  void take_in(int id);
  bool traced_step(int id);
  void trace_move(int id, int color, Wavelet wavelet, bool from_ramp, PortSet outputs);

  void fail(const std::string& what);
  std::string place(int id) const;
  std::string describe_deadlock();
  bool everything_done();
  bool is_rearmed();
  SimulationResult collect();

  const WaferProgram& program_;
  const SimulationOptions& options_;
  Mesh mesh_;
  std::vector<Runner> runners_;
  std::vector<Cycle> wake_;
  std::vector<Share> shares_;
  SimulationResult result_;
  Cycle now_ = 0, reported_ = 0;
  bool stop_ = false;
  std::mutex failure_mutex_;
  std::string failure_;
  std::atomic<bool> failed_ = false;
};

Simulation::Simulation(const WaferProgram& program, const SimulationOptions& options)
    : program_(program), options_(options), mesh_(program) {
  const int count = program.count();
  std::size_t phases = 0;
  for (const Element& element : program.elements) phases = std::max(phases, element.phases.size());
  const std::size_t words =
      static_cast<std::size_t>(count) * static_cast<std::size_t>(program.memory_words);
  if (words >= first_control)
    throw Error(
        ErrorCode::unsupported,
        weft::format("a wavelet simulation of {} words; it numbers at most 2^32 - 16, take a "
                     "smaller mesh or the level `wavelets`",
                     words));
  result_.received.assign(phases, std::vector<std::uint32_t>(words, no_word));
  result_.link_words.assign(static_cast<std::size_t>(count) * link_count, 0);
  runners_.resize(static_cast<std::size_t>(count));
  wake_.resize(static_cast<std::size_t>(count));
  for (int id = 0; id < count; ++id) {
    runners_[static_cast<std::size_t>(id)].start(program, id, mesh_, result_.received);
    wake_[static_cast<std::size_t>(id)] = runners_[static_cast<std::size_t>(id)].wake();
  }
  const int rows = program.height;
  const int threads = std::clamp(options.on_event ? 1 : options.threads, 1, rows);
  for (int t = 0; t < threads; ++t)
    shares_.push_back({rows * t / threads, rows * (t + 1) / threads});
}

/// Decides for the rows that other threads read, before any thread commits.
void Simulation::decide_borders(Share& share) {
  decide(share, share.begin);
  if (share.end - 1 > share.begin) decide(share, share.end - 1);
}

/// Decides and commits in one pass over memory. A row is committed only after the next row has been
/// decided, because that row still reads its old buffers.
void Simulation::sweep(Share& share) {
  for (int row = share.begin + 1; row < share.end; ++row) {
    if (row + 1 < share.end) decide(share, row);
    commit(share, row - 1);
  }
  commit(share, share.end - 1);
}

void Simulation::decide(Share& share, int row) {
  constexpr int ahead = 3;  // 2 to 4 are equally good
  for (int id = row * program_.width, end = id + program_.width; id < end; ++id) {
    const auto index = static_cast<std::size_t>(id);
    mesh_.sending[index] = 0;
    if (id + ahead < end)
      for (ColorMask soon = mesh_.router(id + ahead).pending(); soon != 0; soon &= soon - 1)
        mesh_.fetch_ahead(id + ahead, std::countr_zero(soon));
    const RouterState& router = mesh_.router(id);
    ColorMask pending = router.pending();
    if (pending == 0) continue;
    for (int link = 0; link < link_count; ++link) {
      const ColorMask outward = pending & router.tx[static_cast<std::size_t>(link)];
      if (outward != 0)
        pending &=
            ~(outward & mesh_.full_link[static_cast<std::size_t>(mesh_.neighbour(id, link))]);
    }
    if (pending != 0) arbitrate(share, id, pending);
  }
}

void Simulation::arbitrate(Share& share, int id, ColorMask pending) {
  RouterState& router = mesh_.router(id);
  PortSet used = 0;
  for (int k = 0; k < link_count; ++k) {
    const int link = (now_ & 1U) != 0
                         ? link_count - 1 - k
                         : k;  // alternate the order, so that no input is always first at the ramp
    const auto output = static_cast<std::size_t>(link);
    ColorMask candidates = pending & router.tx[output];
    while (candidates != 0) {
      const ColorMask later = candidates & ~(bit(router.turn[output]) - 1);
      const int color = std::countr_zero(later != 0 ? later : candidates);
      candidates &= ~bit(color);
      if (!try_move(share, id, color, used)) continue;
      pending &= ~bit(color);
      router.turn[output] =
          static_cast<std::uint8_t>(color + 1 == mesh_.color_count() ? 0 : color + 1);
      break;
    }
  }
  constexpr auto ramp = static_cast<std::size_t>(Port::ramp);
  ColorMask inward = pending & router.tx[ramp];
  for (int link = 0; link < link_count; ++link)
    inward &= ~router.tx[static_cast<std::size_t>(link)];
  while (inward != 0) {
    const ColorMask later = inward & ~(bit(router.turn[ramp]) - 1);
    const int color = std::countr_zero(later != 0 ? later : inward);
    inward &= ~bit(color);
    const bool ramp_was_free = !contains(used, Port::ramp);
    if (try_move(share, id, color, used) && ramp_was_free && contains(used, Port::ramp))
      router.turn[ramp] =
          static_cast<std::uint8_t>(color + 1 == mesh_.color_count() ? 0 : color + 1);
  }
}

bool Simulation::try_move(Share& share, int id, int color, PortSet& used) {
  RouterState& router = mesh_.router(id);
  ColorState& state = mesh_.color(id, color);
  const bool from_ramp = (router.rx_ramp & bit(color)) != 0;
  const Wavelet wavelet = from_ramp ? state.ramp[state.ramp_head] : state.link[state.link_head];
  const Control control = control_of(wavelet);
  PortSet outputs = state.tx;
  const bool counted = control == Control::none && (router.filtered & bit(color)) != 0;
  if (counted && state.filter_count > state.filter_max)
    outputs &= static_cast<PortSet>(~only(Port::ramp));
  if (contains(outputs, Port::ramp) &&
      (contains(used, Port::ramp) ||
       (control == Control::none && (router.armed & bit(color)) == 0))) {
    ++share.ramp_stalls;
    return false;
  }
  if ((outputs & used) != 0) return false;
  used |= outputs;
  if (from_ramp) {
    if (state.ramp_count >= program_.rules.buffer_words) wake_up(id);
    state.pop_ramp();
    if (state.ramp_count == 0) router.waiting_ramp &= ~bit(color);
  } else {
    state.pop_link();
    router.touched |= bit(color);
    if (state.link_count == 0) router.waiting_link &= ~bit(color);
  }
  if (counted)
    state.filter_count = state.filter_count == state.filter_limit ? 0 : state.filter_count + 1;
  for (int link = 0; link < link_count; ++link)
    if (contains(outputs, static_cast<Port>(link))) {
      mesh_.sending[static_cast<std::size_t>(id)] |=
          static_cast<std::uint8_t>(1U << static_cast<unsigned>(link));
      Outbox& outbox = mesh_.outbox[static_cast<std::size_t>(id)];
      outbox.word[static_cast<std::size_t>(link)] = wavelet;
      outbox.color[static_cast<std::size_t>(link)] = static_cast<Color>(color);
      mesh_.fetch_ahead(mesh_.neighbour(id, link), color);
      ++result_.link_words[static_cast<std::size_t>(id * link_count + link)];
    }
  if (options_.on_event) trace_move(id, color, wavelet, from_ramp, outputs);
  if (contains(outputs, Port::ramp)) deliver(id, color, wavelet);
  if (control != Control::none) obey(id, color, control);
  ++share.moves;
  return true;
}

void Simulation::wake_up(int id) {
  Runner& runner = runners_[static_cast<std::size_t>(id)];
  runner.ramp_drained(now_);
  wake_[static_cast<std::size_t>(id)] = runner.wake();
}

void Simulation::deliver(int id, int color, Wavelet wavelet) {
  Runner& runner = runners_[static_cast<std::size_t>(id)];
  runner.deliver(now_, color, wavelet);
  if (!runner.fault().empty())
    fail(weft::format("cycle {}, {}, color {}: {}", now_, place(id), color, runner.fault()));
  wake_[static_cast<std::size_t>(id)] = runner.wake();
}

void Simulation::obey(int id, int color, Control control) {
  ColorState& state = mesh_.color(id, color);
  const ColorSetting& setting =
      program_.elements[static_cast<std::size_t>(id)].colors[static_cast<std::size_t>(color)];
  if (control == Control::advance && state.position + 1 < state.positions)
    mesh_.apply_position(id, color, setting, state.position + 1);
  if (control == Control::reset && state.position != 0) mesh_.apply_position(id, color, setting, 0);
}

void Simulation::take_in(int id) {
  RouterState& router = mesh_.router(id);
  for (int link = 0; link < link_count; ++link) {
    const int from = mesh_.neighbour(id, link);
    if (from < 0) continue;
    const auto across = static_cast<std::size_t>(opposite(static_cast<Port>(link)));
    if ((mesh_.sending[static_cast<std::size_t>(from)] & (1U << across)) == 0) continue;
    const Outbox& outbox = mesh_.outbox[static_cast<std::size_t>(from)];
    const int color = outbox.color[across];
    ColorState& state = mesh_.color(id, color);
    if (state.link_port != static_cast<Port>(link)) {
      fail(weft::format(
          "cycle {}, {}, color {}: a wavelet comes from the {}, where the color is not "
          "routed from",
          now_, place(id), color, name_of(static_cast<Port>(link))));
      continue;
    }
    state.push_link(outbox.word[across]);
    router.waiting_link |= bit(color);
    router.touched |= bit(color);
  }
}

void Simulation::trace_move(int id, int color, Wavelet wavelet, bool from_ramp, PortSet outputs) {
  WaferEvent event{.kind = outputs == 0 ? WaferEvent::Kind::ends : WaferEvent::Kind::moves,
                   .cycle = now_,
                   .element = id,
                   .input = from_ramp ? Port::ramp : mesh_.color(id, color).link_port,
                   .color = static_cast<Color>(color),
                   .control = control_of(wavelet),
                   .word = wavelet};
  if (outputs == 0) options_.on_event(event);
  for (int port = 0; port < port_count; ++port) {
    event.output = static_cast<Port>(port);
    if (contains(outputs, event.output)) options_.on_event(event);
  }
}

/// A step of an element, with trace events for what has changed.
bool Simulation::traced_step(int id) {
  Runner& runner = runners_[static_cast<std::size_t>(id)];
  const int phase = runner.phase_number();
  const bool computing = runner.is_computing();
  const bool active = runner.step(now_);
  const auto tell = [&](WaferEvent::Kind kind, int of_phase) {
    options_.on_event({.kind = kind, .cycle = now_, .element = id, .phase = of_phase});
  };
  if (computing && (!runner.is_computing() || runner.phase_number() != phase))
    tell(WaferEvent::Kind::exchanges, phase);
  if (const auto injected = runner.injected_at(now_))
    options_.on_event({.kind = WaferEvent::Kind::injects,
                       .cycle = now_,
                       .element = id,
                       .phase = phase,
                       .color = injected->first,
                       .control = control_of(injected->second),
                       .word = injected->second});
  if (runner.phase_number() != phase) {
    tell(WaferEvent::Kind::finishes, phase);
    if (!runner.finished()) tell(WaferEvent::Kind::computes, runner.phase_number());
  }
  return active;
}

void Simulation::commit(Share& share, int row) {
  const int depth = program_.rules.buffer_words;
  for (int id = row * program_.width, end = id + program_.width; id < end; ++id) {
    const auto index = static_cast<std::size_t>(id);
    take_in(id);
    if (now_ >= wake_[index]) {
      if (options_.on_event ? traced_step(id) : runners_[index].step(now_)) ++share.moves;
      wake_[index] = runners_[index].wake();
      if (!runners_[index].fault().empty())
        fail(weft::format("cycle {}, {}: {}", now_, place(id), runners_[index].fault()));
    }
    RouterState& router = mesh_.router(id);
    for (ColorMask touched = router.touched; touched != 0; touched &= touched - 1) {
      const int color = std::countr_zero(touched);
      const bool full = mesh_.color(id, color).link_count >= depth;
      mesh_.full_link[index] =
          full ? (mesh_.full_link[index] | bit(color)) : (mesh_.full_link[index] & ~bit(color));
    }
    router.touched = 0;
  }
}

/// Run by one thread between two cycles: goes to the next cycle, skips idle cycles, or ends the
/// simulation.
void Simulation::advance_clock() noexcept {
  std::uint64_t moves = 0;
  for (Share& share : shares_) {
    moves += share.moves;
    share.moves = 0;
  }
  if (failed_) {
    stop_ = true;
    return;
  }
  if (moves > 0) {
    ++now_;
  } else {
    Cycle next = never;
    for (const Runner& runner : runners_) {
      const Cycle timer = runner.next_timer();
      if (timer > now_) next = std::min(next, timer);
    }
    if (next == never) {
      stop_ = true;
      return;
    }
    now_ = next;
  }
  if (options_.cycle_limit != 0 && now_ > options_.cycle_limit) {
    fail(weft::format("the limit of {} cycles is reached: {}", options_.cycle_limit,
                      describe_deadlock()));
    stop_ = true;
  }
}

SimulationResult Simulation::run() {
  if (options_.on_event)
    for (int id = 0; id < program_.count(); ++id)
      if (!runners_[static_cast<std::size_t>(id)].finished())
        options_.on_event({.kind = WaferEvent::Kind::computes, .element = id});
  const auto parties = static_cast<std::ptrdiff_t>(shares_.size());
  std::barrier decided(parties);
  auto next_cycle = [this]() noexcept { advance_clock(); };
  std::barrier committed(parties, next_cycle);
  const auto work = [&](std::size_t number) {
    while (!stop_) {
      decide_borders(shares_[number]);
      if (parties > 1) decided.arrive_and_wait();
      sweep(shares_[number]);
      if (parties > 1)
        committed.arrive_and_wait();
      else
        advance_clock();
      if (number == 0 && options_.on_progress && now_ - reported_ > 1000) {
        reported_ = now_;
        options_.on_progress(now_);
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t number = 1; number < shares_.size(); ++number)
      others.emplace_back(work, number);
    work(0);
  }
  if (failed_) throw Error(ErrorCode::invalid_argument, "wafer simulation: " + failure_);
  if (!everything_done())
    throw Error(ErrorCode::invalid_argument, "wafer simulation: deadlock, " + describe_deadlock());
  return collect();
}

void Simulation::fail(const std::string& what) {
  const std::scoped_lock lock(failure_mutex_);
  if (failed_.exchange(true)) return;
  failure_ = what;
}

std::string Simulation::place(int id) const {
  return weft::format("router ({}, {})", id % program_.width, id / program_.width);
}

bool Simulation::everything_done() {
  for (int id = 0; id < program_.count(); ++id) {
    const RouterState& router = mesh_.router(id);
    if (!runners_[static_cast<std::size_t>(id)].finished() ||
        (router.waiting_link | router.waiting_ramp) != 0)
      return false;
  }
  return true;
}

bool Simulation::is_rearmed() {
  for (int id = 0; id < program_.count(); ++id) {
    const auto& colors = program_.elements[static_cast<std::size_t>(id)].colors;
    for (std::size_t color = 0; color < colors.size(); ++color) {
      const ColorState& state = mesh_.color(id, static_cast<int>(color));
      if (colors[color].positions.empty()) continue;
      if (state.tx != colors[color].positions[0].tx || state.position != 0) return false;
      if (colors[color].filter && state.filter_count != colors[color].filter->init) return false;
    }
  }
  return true;
}

std::string Simulation::describe_deadlock() {
  for (int id = 0; id < program_.count(); ++id) {
    const Runner& runner = runners_[static_cast<std::size_t>(id)];
    const RouterState& router = mesh_.router(id);
    const ColorMask stuck = router.waiting_link | router.waiting_ramp;
    if (runner.finished() && stuck == 0) continue;
    std::string text = weft::format("cycle {}, {}: {}", now_, place(id), runner.describe_wait());
    if (stuck != 0)
      text += weft::format("; a wavelet of color {} is stuck there", std::countr_zero(stuck));
    return text;
  }
  return weft::format("cycle {}: wavelets are left on the wafer", now_);
}

SimulationResult Simulation::collect() {
  const auto count = static_cast<std::size_t>(program_.count());
  const std::size_t phases = result_.received.size();
  result_.phase_done.assign(phases * count, 0);
  for (std::size_t id = 0; id < count; ++id)
    for (std::size_t phase = 0; phase < program_.elements[id].phases.size(); ++phase) {
      const Cycle done = runners_[id].done(static_cast<int>(phase));
      result_.phase_done[phase * count + id] = done;
      result_.cycles = std::max(result_.cycles, done);
    }
  for (const std::uint64_t words : result_.link_words) result_.word_hops += words;
  for (const Share& share : shares_) result_.ramp_stalls += share.ramp_stalls;
  result_.rearmed = is_rearmed();
  return std::move(result_);
}

}  // namespace

SimulationResult simulate(const WaferProgram& program, const SimulationOptions& options) {
  check(program);
  return Simulation(program, options).run();
}

}  // namespace weft::fabric
