// SPDX-License-Identifier: BSD-3-Clause
// Counts the cycles of a wafer plan at all levels of detail.
#include "fabric/wafer/timing.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>

#include "base/format.hpp"
#include "fabric/wafer/crossed.hpp"
#include "fabric/wafer/plan_program.hpp"
#include "weft/error.hpp"
#include "weft/executor.hpp"

namespace weft::fabric {
namespace {

struct LineResult {
  Cycle cycles = 0;
  std::uint64_t busiest = 0;
  std::string link;
  std::uint64_t word_hops = 0;
  ExchangeTable table;
  ProgramCensus used;
};

void report(const RunOptions& options, const std::string& phase, double share) {
  if (options.on_progress) options.on_progress(phase, share);
}

/// Runs independent simulations on several threads; only one of them reports progress.
void simulate_side_by_side(int count, const RunOptions& options,
                           const std::function<void(int, const RunOptions&)>& simulate_one) {
  const int threads = std::clamp(options.threads, 1, count);
  const auto executor = threads > 1 ? thread_executor(threads) : serial_executor();
  RunOptions silent = options;
  silent.on_progress = {};
  std::atomic<int> next = 0;
  std::vector<std::exception_ptr> failures(static_cast<std::size_t>(count));
  executor->run(threads, [&](int task) {
    for (int number = next++; number < count; number = next++) try {
        simulate_one(number, task == 0 ? options : silent);
      } catch (...) {  // tasks of an executor do not throw
        failures[static_cast<std::size_t>(number)] = std::current_exception();
      }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
}

/// Words per message on a line of p elements.
std::int64_t message_of(const WaferLayout& layout, int p) {
  return layout.numbers() * layout.words / p;
}

/// Cycles for the words of the busiest link; all parts but the first cannot start before
/// `meanwhile`.
Cycle stream_cycles(std::int64_t load, int parts, Cycle meanwhile) {
  const auto words = static_cast<Cycle>(load);
  return parts == 1 ? words
                    : std::max(words, meanwhile + words - words / static_cast<Cycle>(parts));
}

std::int64_t rounds_of(const WaferPlan& plan) {
  return plan.sending == WaferSending::pencils ? 1 : 2;
}

std::uint64_t closed_form_load(const WaferPlan& plan, int p, std::int64_t words) {
  return static_cast<std::uint64_t>(
      plan.schedule == WaferSchedule::paper
          ? words * p * (p - 1) / 2
          : segmented_broadcast_load(p, words, groups_on(plan, p), plan.timed, rounds_of(plan)));
}

/// `meanwhile`: cycles to compute the second half of the pencil before the exchange.
Cycle closed_form(const WaferPlan& plan, const WaferMachine& machine, int p, std::int64_t words,
                  Cycle meanwhile) {
  if (plan.schedule == WaferSchedule::paper)
    return broadcast_filter_cycles(p, words, machine.rules);
  // The words of the busiest link, plus the time to fill and empty the line (half a line) and to
  // set up the blocks.
  const auto load = static_cast<std::int64_t>(closed_form_load(plan, p, words));
  return stream_cycles(load, parts_of(plan), meanwhile) + static_cast<Cycle>(p / 2) +
         machine.block_setup_cycles + 2 * machine.rules.ramp_cycles;
}

LineResult estimate_line(const WaferPlan& plan, const WaferMachine& machine,
                         const WaferLayout& layout, bool column, Fidelity fidelity) {
  const int p = column ? plan.height : plan.width;
  const std::int64_t words = message_of(layout, p);
  LineResult result;
  if (p < 2) return result;
  if (fidelity == Fidelity::runs && plan.schedule == WaferSchedule::paper) {
    const auto done = broadcast_filter_runs(p, words, machine.rules);
    result.cycles = *std::ranges::max_element(done);
  } else {
    const Cycle meanwhile =
        sending_cycles(plan, pencils_before(plan, layout, column), machine).meanwhile;
    result.cycles = closed_form(plan, machine, p, words, meanwhile);
  }
  result.busiest = closed_form_load(plan, p, words);
  result.used.filters = p > 2 ? 2 : 1;
  result.used.colors = colors_per_line(plan);
  result.link =
      plan.schedule == WaferSchedule::paper ? "the last of each line" : "the middle of each line";
  return result;
}

LineResult simulate_line(const WaferPlan& plan, const WaferMachine& machine, bool column,
                         const RunOptions& options) {
  const WaferProgram program = line_program(plan, machine, column);
  const LineResult expected =
      estimate_line(plan, machine, layout_of(plan, machine), column, Fidelity::closed_form);
  const std::string phase = column ? "wavelets of a column" : "wavelets of a row";
  SimulationOptions simulation;
  simulation.on_progress = [&](Cycle now) {
    report(options, phase,
           std::min(1.0, static_cast<double>(now) / static_cast<double>(expected.cycles + 1)));
  };
  const SimulationResult simulated = simulate(program, simulation);
  LineResult result;
  result.cycles = simulated.cycles;
  result.word_hops = simulated.word_hops;
  const auto busiest = std::ranges::max_element(simulated.link_words);
  result.busiest = *busiest;
  const auto at = static_cast<int>(busiest - simulated.link_words.begin());
  const auto port = static_cast<Port>(at % link_count);
  result.link = weft::format("{} link of element {} to the {}", column ? "column" : "row",
                             at / link_count, name_of(port));
  result.table = table_of(simulated.received[0], layout_of(plan, machine).words);
  result.used = census(program);
  return result;
}

const char* parts_remark(const WaferPlan& plan) {
  const int parts = parts_of(plan);
  return parts == 2 ? ", even numbers" : parts == 4 ? ", every fourth number" : "";
}

/// The steps, pencils and exchanges, in the order of this direction.
WaferTiming assemble(const WaferPlan& plan, const WaferMachine& machine, const LineResult& row,
                     const LineResult& column) {
  const WaferLayout layout = layout_of(plan, machine);
  const std::int64_t words = layout.numbers() * layout.words;
  const bool rewrites = rewrites_routes(plan, machine);
  const int shared =  // colors that rows and columns share
      rewrites ? std::max(row.used.colors, column.used.colors)
               : std::max(0, row.used.filters + column.used.filters - machine.rules.filters);
  const std::size_t last = plan.direction == Direction::forward ? 2 : 0;
  const auto pencils = [&](std::size_t which) {
    const auto [length, count] = layout.pencils[which];
    return which == last ? static_cast<Cycle>(count) * pencil_cycles(plan, length, machine)
                         : sending_cycles(plan, layout.pencils[which], machine).before;
  };
  const bool flat = plan.dimensions == 2;
  WaferTiming timing;
  timing.steps = {
      {flat ? "pencils along y" : "pencils along z", pencils(0)},
      {"exchange along rows", exchange_cycles(row.cycles, row.busiest, plan.width, words, machine)},
      {flat ? "filters change hands" : "pencils along x",
       pencils(1) + static_cast<Cycle>(shared) * filter_move_cycles(machine)},
      {"exchange along columns",
       exchange_cycles(column.cycles, column.busiest, plan.height, words, machine)},
      {flat ? "pencils along x" : "pencils along y", pencils(2)}};
  if (plan.direction == Direction::backward) std::ranges::reverse(timing.steps);
  for (const std::size_t sent : {0U, 2U}) timing.steps[sent].name += parts_remark(plan);
  for (const WaferStep& step : timing.steps) timing.cycles += step.cycles;
  timing.exchange = timing.steps[1].cycles + timing.steps[3].cycles;
  const LineResult& busier = row.busiest >= column.busiest ? row : column;
  timing.busiest_link_words = busier.busiest;
  timing.busiest_link = busier.link;
  timing.word_hops = row.word_hops * static_cast<std::uint64_t>(plan.height) +
                     column.word_hops * static_cast<std::uint64_t>(plan.width);
  timing.used = row.used;
  if (rewrites) {
    timing.used.colors = std::max(row.used.colors, column.used.colors);
    timing.used.filters = std::max(row.used.filters, column.used.filters);
  } else {
    timing.used.colors += column.used.colors;
    timing.used.filters += column.used.filters - shared;
  }
  return timing;
}

/// Schedule crossed: two exchanges, in order of time, and a hop between sisters. In the backward
/// direction the hop follows the exchange that it precedes in the forward direction; forward in
/// halves it is part of the second exchange.
WaferTiming crossed_steps(const WaferPlan& plan, const WaferMachine& machine,
                          const std::array<Cycle, 2>& exchange, Cycle sister,
                          std::uint64_t busiest_link_words) {
  const bool forward = plan.direction == Direction::forward;
  const Cycle sending = sending_cycles(plan, {.length = plan.shape[0], .count = 1}, machine).before;
  const char* first =
      forward ? "exchange z for x or y, rows and columns" : "exchange x for y, rows and columns";
  const char* second =
      forward ? "exchange x for y, rows and columns" : "exchange z for x or y, rows and columns";
  WaferTiming timing;
  timing.steps = {{forward ? "pencils along z" : "pencils along y or x", sending},
                  {first, exchange[0]},
                  {"pencils along x or y", sending},
                  {second, exchange[1]},
                  {forward ? "pencils along y or x" : "pencils along z",
                   pencil_cycles(plan, plan.shape[0], machine)}};
  for (const std::size_t sent : {0U, 2U}) timing.steps[sent].name += parts_remark(plan);
  timing.exchange = exchange[0] + exchange[1];
  if (crossed_sister_phase(plan) == 1) {
    timing.steps.insert(timing.steps.begin() + (forward ? 3 : 2), {"between sisters", sister});
    timing.exchange += sister;
  }
  for (const WaferStep& step : timing.steps) timing.cycles += step.cycles;
  timing.busiest_link_words = 2 * busiest_link_words;
  timing.busiest_link = "the middle of each line";
  return timing;
}

/// On every line half the positions are destinations (backward: sources).
WaferTiming crossed_closed_form(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferLayout layout = layout_of(plan, machine);
  const auto p = static_cast<int>(layout.nx);
  // Forward, every second position is a destination, so blocks are half as long; backward, every
  // second position is a source, so there are half as many blocks.
  const bool forward = plan.direction == Direction::forward;
  const std::int64_t rounds = rounds_of(plan);
  const int unit = plan.timed || rounds > 1 ? std::max(2, parts_of(plan)) * (forward ? 2 : 1) : 1;
  const std::vector<std::int64_t> limits = segment_limits(p, plan.groups, plan.timed, unit);
  std::int64_t load = 0;
  for (int g = 0; g < plan.groups; ++g) {
    const std::int64_t begin = limits[static_cast<std::size_t>(g)];
    const std::int64_t end = limits[static_cast<std::size_t>(g) + 1];
    const std::int64_t sources = forward ? end - 1 : end / 2;
    const std::int64_t numbers = forward ? (p - begin) / 2 : p - begin;
    load = std::max(load, sources * (numbers * layout.words + rounds * (plan.groups - g)));
  }
  const Cycle exchange = stream_cycles(load, parts_of(plan),
                                       sending_cycles(plan, layout.pencils[0], machine).meanwhile) +
                         static_cast<Cycle>(p / 2) + machine.block_setup_cycles;
  const Cycle sister = crossed_sister_cycles(plan, layout, machine);
  const std::int64_t words = layout.nx * layout.words;
  const Cycle charged =
      exchange_cycles(exchange, static_cast<std::uint64_t>(load), p, words, machine);
  return crossed_steps(plan, machine, {charged, charged}, sister, static_cast<std::uint64_t>(load));
}

/// Schedule crossed: simulates one line of each kind.
WaferExchanges simulate_crossed_lines(const WaferPlan& plan, const WaferMachine& machine,
                                      const RunOptions& options) {
  const WaferLayout layout = layout_of(plan, machine);
  const double expected = static_cast<double>(crossed_closed_form(plan, machine).exchange) / 2;
  WaferExchanges result;
  std::array<Cycle, 2> exchange{};
  std::uint64_t hops = 0, busiest = 0;
  constexpr int kinds = 8;  // order, row or column, parity
  std::mutex mutex;
  simulate_side_by_side(kinds, options, [&](int kind, const RunOptions& mine) {
    const int order = kind / 4, parity = kind % 2;
    const bool column = kind / 2 % 2 == 1;
    const WaferProgram program = crossed_line_program(plan, machine, order, column, parity);
    SimulationOptions simulation;
    simulation.on_progress = [&](Cycle now) {
      report(mine,
             weft::format("wavelets of {} {}", parity == 0 ? "an even" : "an odd",
                          column ? "column" : "row"),
             std::min(1.0, static_cast<double>(now) / expected));
    };
    const SimulationResult simulated = simulate(program, simulation);
    ExchangeTable table = table_of(simulated.received[0], layout.words);
    const auto which = static_cast<std::size_t>(order);
    const std::scoped_lock lock(mutex);
    exchange[which] = std::max(exchange[which], simulated.cycles);
    busiest = std::max(busiest, *std::ranges::max_element(simulated.link_words));
    hops += simulated.word_hops * static_cast<std::uint64_t>(layout.nx / 2);
    result.crossed[which][column ? 1 : 0][static_cast<std::size_t>(parity)] = std::move(table);
  });
  const SimulationResult sister = simulate(crossed_sister_program(plan, machine));
  result.sister = table_of(sister.received[0], layout.words);
  hops += sister.word_hops * static_cast<std::uint64_t>(layout.nx * layout.nx / 4);
  for (Cycle& cycles : exchange)
    cycles = exchange_cycles(cycles, busiest, layout.nx, layout.nx * layout.words, machine);
  result.timing = crossed_steps(plan, machine, exchange, sister.cycles, busiest);
  result.timing.word_hops = hops;
  result.timing.used = {.colors = 2 * (plan.groups + 1) + 2,
                        .filters = plan.direction == Direction::forward ? 2 : machine.rules.filters,
                        .switch_positions = 2,
                        .output_queues = crossed_sister_phase(plan) == 1 ? 4 : 5};
  return result;
}

/// The steps of a whole mesh; each ends when the last element has finished it.
std::vector<WaferStep> steps_of(const WaferPlan& plan, const SimulationResult& simulated,
                                const WaferProgram& program) {
  const bool crossed = plan.schedule == WaferSchedule::crossed;
  std::vector<std::string> names = {"first exchange", "second exchange", ""};
  if (crossed)
    names = {"first exchange, rows and columns", "between sisters",
             "second exchange, rows and columns", ""};
  std::vector<WaferStep> steps;
  Cycle before = 0;
  for (std::size_t phase = 0; phase < names.size(); ++phase) {
    Cycle done = 0;
    for (int id = 0; id < program.count(); ++id)
      done = std::max(done, simulated.done(static_cast<int>(phase), id, program.count()));
    const Cycle pencil = program.elements[0].phases[phase].compute_cycles;
    if (pencil > 0) steps.push_back({"pencils", pencil});
    if (!names[phase].empty() && done > before + pencil)
      steps.push_back({names[phase], done - before - pencil});
    before = done;
  }
  return steps;
}

WaferExchanges simulate_mesh(const WaferPlan& plan, const WaferMachine& machine,
                             const RunOptions& options) {
  const WaferProgram program = mesh_program(plan, machine);
  RunOptions quick = options;
  quick.fidelity = Fidelity::closed_form;
  const double expected = static_cast<double>(time_on_wafer(plan, machine, quick).cycles);
  SimulationOptions simulation;
  simulation.threads = options.threads;
  simulation.on_event = options.on_event;
  simulation.on_progress = [&](Cycle now) {
    report(options, "wavelets of the whole mesh",
           std::min(1.0, static_cast<double>(now) / expected));
  };
  SimulationResult simulated = simulate(program, simulation);
  WaferExchanges result;
  const int words = layout_of(plan, machine).words;
  WaferTiming& timing = result.timing;
  timing.steps = steps_of(plan, simulated, program);
  const auto busiest = std::ranges::max_element(simulated.link_words);
  const auto at = static_cast<int>(busiest - simulated.link_words.begin());
  timing.busiest_link_words = *busiest;
  timing.busiest_link =
      weft::format("element ({}, {}) to the {}", at / link_count % plan.width,
                   at / link_count / plan.width, name_of(static_cast<Port>(at % link_count)));
  timing.word_hops = simulated.word_hops;
  timing.used = census(program);
  const WaferLayout layout = layout_of(plan, machine);
  const int exchanges = 2;
  for (WaferStep& step : timing.steps)
    if (step.name.find("exchange") != std::string::npos)
      step.cycles = exchange_cycles(step.cycles, timing.busiest_link_words / exchanges,
                                    std::max(plan.width, plan.height),
                                    layout.numbers() * layout.words, machine);
  for (const WaferStep& step : timing.steps) {
    timing.cycles += step.cycles;
    if (step.name != "pencils") timing.exchange += step.cycles;
  }
  for (auto& received : simulated.received) {
    result.mesh.push_back(table_of(received, words));
    received = {};
  }
  return result;
}

void check_memory(const WaferPlan& plan, const WaferMachine& machine) {
  const WaferMemory memory = memory_of(plan, machine);
  if (!memory.fits())
    throw Error(ErrorCode::out_of_memory,
                weft::format("{}: {}; use more elements, f16 or a smaller array", plan.describe(),
                             memory.describe()));
}

}  // namespace

ExchangeTable table_of(const std::vector<std::uint32_t>& received, int words) {
  const auto step = static_cast<std::size_t>(words);
  ExchangeTable table(received.size() / step, no_word);
  for (std::size_t k = 0; k < table.size(); ++k) {
    const std::uint32_t first = received[k * step];
    if (first == no_word) continue;
    for (std::size_t w = 1; w < step; ++w)
      if (received[k * step + w] != first + w)
        throw Error(ErrorCode::internal, "wafer simulation: the words of a number were separated");
    if (first % step != 0)
      throw Error(ErrorCode::internal, "wafer simulation: a number begins with its second word");
    table[k] = first / static_cast<std::uint32_t>(step);
  }
  return table;
}

WaferExchanges exchange_on_wafer(const WaferPlan& asked, const WaferMachine& machine,
                                 const RunOptions& options) {
  const WaferPlan plan = with_groups(asked, machine);
  const WaferLayout layout = layout_of(plan, machine);
  check_memory(plan, machine);
  if (options.fidelity == Fidelity::whole && rewrites_routes(plan, machine))
    throw Error(ErrorCode::unsupported,
                weft::format("{}: {} groups rewrite all routes between rows and columns, which the "
                             "level whole does not; take fewer groups or the level wavelets",
                             plan.describe(), plan.groups));
  if (options.fidelity == Fidelity::whole) return simulate_mesh(plan, machine, options);
  if (plan.schedule == WaferSchedule::crossed) {
    if (options.fidelity == Fidelity::wavelets)
      return simulate_crossed_lines(plan, machine, options);
    return {.timing = crossed_closed_form(plan, machine),
            .row = {},
            .column = {},
            .mesh = {},
            .crossed = {},
            .sister = {}};
  }
  WaferExchanges result;
  LineResult row, column;
  if (options.fidelity == Fidelity::wavelets) {
    simulate_side_by_side(2, options, [&](int number, const RunOptions& mine) {
      (number == 0 ? row : column) = simulate_line(plan, machine, number == 1, mine);
    });
    result.row = std::move(row.table);
    result.column = std::move(column.table);
  } else {
    row = estimate_line(plan, machine, layout, false, options.fidelity);
    column = estimate_line(plan, machine, layout, true, options.fidelity);
  }
  result.timing = assemble(plan, machine, row, column);
  return result;
}

WaferTiming time_on_wafer(const WaferPlan& plan, const WaferMachine& machine,
                          const RunOptions& options) {
  return exchange_on_wafer(plan, machine, options).timing;
}

}  // namespace weft::fabric
