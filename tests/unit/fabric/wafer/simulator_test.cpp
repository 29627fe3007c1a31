// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/simulator.hpp"

#include <gtest/gtest.h>

#include <functional>

#include "fabric/wafer/transposition.hpp"
#include "weft/error.hpp"

namespace weft::fabric {
namespace {

/// Element 0 of a row sends `words` words to the last element on color 0; all others pass them on.
WaferProgram stream(int width, int words) {
  WaferProgram program = make_program(width, 1, 1, 1, words, {});
  for (int x = 0; x < width; ++x) {
    const Port from = x == 0 ? Port::ramp : Port::west;
    const Port to = x + 1 == width ? Port::ramp : Port::east;
    program.at(x, 0).colors[0].positions = {{from, only(to)}};
  }
  Walk walk{.extents = {words, 1, 1, 1}, .strides = {1, 0, 0, 0}};
  program.at(0, 0).phases[0].queues = {{{.color = 0, .words = walk}}};
  program.at(width - 1, 0).phases[0].receptions = {{.color = 0, .into = walk}};
  return program;
}

std::string error_of(const WaferProgram& program) {
  try {
    simulate(program);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Simulator, CarriesOneWordPerCycleAndOneHopPerCycle) {
  const WaferRules rules;
  for (const int width : {2, 5, 40})
    for (const int words : {1, 10, 200}) {
      const SimulationResult result = simulate(stream(width, words));
      // up the ramp, width - 1 hops, one more word per cycle, down the ramp
      EXPECT_EQ(result.cycles, 2 * rules.ramp_cycles + static_cast<Cycle>(width - 1 + words - 1))
          << width << " " << words;
      EXPECT_EQ(result.word_hops, static_cast<std::uint64_t>((width - 1) * words));
    }
}

TEST(Simulator, SharesALinkFairlyAndTheRampToo) {
  // Two colors from two elements to the same last one: the last link carries both.
  const int words = 50;
  WaferProgram program = make_program(3, 1, 1, 2, 2 * words, {});
  program.at(0, 0).colors[0].positions = {{Port::ramp, only(Port::east)}};
  program.at(1, 0).colors[0].positions = {{Port::west, only(Port::east)}};
  program.at(1, 0).colors[1].positions = {{Port::ramp, only(Port::east)}};
  for (const std::size_t color : {0U, 1U})
    program.at(2, 0).colors[color].positions = {{Port::west, only(Port::ramp)}};
  const Walk walk{.extents = {words, 1, 1, 1}, .strides = {1, 0, 0, 0}};
  for (const int x : {0, 1})
    program.at(x, 0).phases[0].queues = {{{.color = static_cast<Color>(x), .words = walk}}};
  Walk second = walk;
  second.base = words;
  program.at(2, 0).phases[0].receptions = {{.color = 0, .into = walk},
                                           {.color = 1, .into = second}};
  const SimulationResult result = simulate(program);
  // Two ramps and one hop, and from the first word on the last link is never idle.
  EXPECT_EQ(result.cycles, 2 * WaferRules{}.ramp_cycles + 1 + static_cast<Cycle>(2 * words - 1));
  EXPECT_EQ(result.received[0][static_cast<std::size_t>(4 * words + words)], 2U * words);
}

TEST(Simulator, GivesTheSameCyclesForAnyNumberOfThreadsAndEveryTime) {
  const int p = 12;
  WaferProgram program = make_program(p, p, 1, 5, p, {});
  LineTraffic traffic;
  traffic.send = traffic.receive = {.extents = {p, 1, 1, 1}, .strides = {1, 0, 0, 0}};
  for (int y = 0; y < p; ++y)
    add_segmented_broadcast(program, row_of(program, y), traffic, 0, 0, {.groups = 4});
  const SimulationResult once = simulate(program);
  EXPECT_GT(once.word_hops, 0U);
  for (const int threads : {1, 2, 3}) {
    const SimulationResult again = simulate(program, {.threads = threads});
    EXPECT_EQ(again.phase_done, once.phase_done);
    EXPECT_EQ(again.received, once.received);
    EXPECT_EQ(again.link_words, once.link_words);
  }
}

TEST(Simulator, StopsAtADeadlockAndSaysWhere) {
  WaferProgram program = stream(4, 100);
  program.at(3, 0).phases[0].receptions.clear();  // nobody takes the words
  const std::string message = error_of(program);
  EXPECT_NE(message.find("deadlock"), std::string::npos) << message;
  EXPECT_NE(message.find("cycle"), std::string::npos) << message;
  EXPECT_NE(message.find("router (0, 0)"), std::string::npos) << message;
  EXPECT_NE(message.find("color 0"), std::string::npos) << message;
}

/// Element 1 sends on what it gets from element 0.
WaferProgram relay(int words_sent, std::uint32_t words_awaited) {
  WaferProgram program = make_program(3, 1, 1, 2, 16, {});
  const auto walk = [](int count) {
    return Walk{.extents = {count, 1, 1, 1}, .strides = {1, 0, 0, 0}, .run_words = 1};
  };
  program.at(0, 0).colors[0].positions = {{Port::ramp, only(Port::east)}};
  program.at(1, 0).colors[0].positions = {{Port::west, only(Port::ramp)}};
  program.at(1, 0).colors[1].positions = {{Port::ramp, only(Port::east)}};
  program.at(2, 0).colors[1].positions = {{Port::west, only(Port::ramp)}};
  program.at(0, 0).phases[0].queues = {{{.color = 0, .words = walk(words_sent)}}};
  program.at(1, 0).phases[0].receptions = {{.color = 0, .into = walk(8)}};
  program.at(1, 0).phases[0].queues = {
      {{.color = 1, .words = walk(8), .after_words = words_awaited, .after_color = 0}}};
  program.at(2, 0).phases[0].receptions = {{.color = 1, .into = walk(8)}};
  return program;
}

TEST(Simulator, SendsOnOnlyWhatHasCome) {
  const Cycle at_once = simulate(relay(8, 0)).cycles;
  const Cycle after_one = simulate(relay(8, 1)).cycles;
  const Cycle after_all = simulate(relay(8, 8)).cycles;
  EXPECT_GT(after_one, at_once);
  EXPECT_EQ(after_all, after_one + 7);
}

TEST(Simulator, StopsWhenWordsToBeSentOnDoNotCome) {
  const std::string message = error_of(relay(7, 8));
  EXPECT_NE(message.find("deadlock"), std::string::npos) << message;
  EXPECT_NE(message.find("router (1, 0)"), std::string::npos) << message;
  EXPECT_NE(message.find("never came"), std::string::npos) << message;
  const std::string refusal = error_of(relay(8, 9));
  EXPECT_NE(refusal.find("color 1 waits for 9 words of color 0"), std::string::npos) << refusal;
}

TEST(Simulator, NamesTheRouterThatAWaveletShouldNotReach) {
  WaferProgram program = stream(4, 3);
  program.at(2, 0).colors[0].positions.clear();
  const std::string message = error_of(program);
  EXPECT_NE(message.find("router (2, 0), color 0"), std::string::npos) << message;
}

TEST(Simulator, RefusesAWordStoredTwice) {
  WaferProgram program = stream(3, 4);
  program.at(2, 0).phases[0].receptions[0].into.strides[0] = 0;
  const std::string message = error_of(program);
  EXPECT_NE(message.find("cycle 5, router (2, 0), color 0: two words are stored at byte 0"),
            std::string::npos)
      << message;
}

TEST(Simulator, RefusesAWordOutsideOfTheMemoryWithElementCycleAndAddress) {
  WaferProgram program = stream(3, 4);
  program.memory = {.bytes = 48, .send_at = 16, .receive_at = 32};
  EXPECT_EQ(error_of(program), "");
  program.memory.receive_at = 40;  // the third word is one too many
  const std::string message = error_of(program);
  EXPECT_NE(message.find("cycle 6, router (2, 0), color 0: a word is stored at byte 48, but the "
                         "element has 48 bytes"),
            std::string::npos)
      << message;
}

TEST(Simulator, RefusesACopyOverAWordOfTheSamePhase) {
  WaferProgram program = stream(3, 4);
  const Walk own{.base = 1, .extents = {1, 1, 1, 1}, .strides = {1, 0, 0, 0}};
  program.at(2, 0).phases[0].copies = {{own, own}};
  const std::string message = error_of(program);
  EXPECT_NE(message.find("two words are stored at byte 4"), std::string::npos) << message;
}

TEST(Simulator, StopsAtTheCycleLimit) {
  EXPECT_THROW(simulate(stream(4, 100), {.cycle_limit = 20}), Error);
}

TEST(ProgramCheck, RefusesWhatTheHardwareCannotDo) {
  WaferProgram program = stream(3, 1);
  program.at(1, 0).colors[0].positions = {{Port::west, only(Port::east)},
                                          {Port::ramp, only(Port::ramp)}};
  EXPECT_NE(error_of(program).find("rx and tx at once"), std::string::npos);

  program = stream(3, 1);
  program.at(0, 0).colors[0].positions = {{Port::ramp, only(Port::west)}};
  EXPECT_NE(error_of(program).find("off the mesh"), std::string::npos);

  program = stream(3, 1);
  program.at(1, 0).colors[0].positions = {{Port::west, only(Port::east)},
                                          {Port::east, only(Port::east)}};
  EXPECT_NE(error_of(program).find("two incoming links"), std::string::npos);

  program = stream(3, 1);
  program.at(1, 0).colors.resize(22);
  EXPECT_NE(error_of(program).find("22 colors"), std::string::npos);

  program = stream(3, 1);
  program.at(1, 0).colors.resize(4);
  for (ColorSetting& setting : program.at(1, 0).colors) setting.filter = Filter{};
  EXPECT_NE(error_of(program).find("4 filters"), std::string::npos);

  program = stream(3, 1);
  program.at(0, 0).phases[0].queues.resize(7);
  EXPECT_NE(error_of(program).find("7 output queues"), std::string::npos);
}

/// The refusal of a stream of four words over three elements after a change to it.
std::string after(const std::function<void(WaferProgram&)>& change) {
  WaferProgram program = stream(3, 4);
  change(program);
  return error_of(program);
}

TEST(ProgramCheck, AnElementReachesItsOwnMemoryAlone) {
  const auto block = [](WaferProgram& program) -> SendBlock& {
    return program.at(0, 0).phases[0].queues[0][0];
  };
  const auto reception = [](WaferProgram& program) -> Reception& {
    return program.at(2, 0).phases[0].receptions[0];
  };
  using Change = std::function<void(WaferProgram&)>;
  const std::pair<Change, const char*> cases[] = {
      {[&](auto& program) { block(program).words.base = 1; },
       "router (0, 0): phase 0, queue 0, block 0 sends address 4, but the element has the "
       "addresses 0 to 3"},
      {[&](auto& program) { block(program).words.base = -1; }, "sends address -1"},
      {[&](auto& program) { block(program).words.strides[0] = -1; }, "sends address -3"},
      {[&](auto& program) { block(program).words.extents[0] = -4; }, "a loop of -4 steps"},
      {[&](auto& program) { block(program).words.run_words = 0; }, "runs of 0 words"},
      {[&](auto& program) { block(program).words.extents[0] = 0; }, "neither words nor a control"},
      {[&](auto& program) { block(program).color = 7; }, "sends color 7"},
      {[&](auto& program) { reception(program).into.base = 1 << 30; },
       "router (2, 0): phase 0, color 0 stores address 1073741827"},
      {[&](auto& program) { reception(program).into.strides[0] = 2; }, "stores address 6"},
      {[&](auto& program) { reception(program).into.extents = {1 << 24, 1 << 24, 1 << 24, 1}; },
       "more than 2^32 words"},
      {[&](auto& program) { reception(program).skipped = -4; }, "-4 skipped"},
      {[&](auto& program) { reception(program).sift = Filter{0, 0, 0xffffffffU}; }, "a filter of"},
      {[&](auto& program) { reception(program).color = 9; }, "stores color 9"},
      {[&](auto& program) {
         const Walk own{.base = 3, .extents = {2, 1, 1, 1}, .strides = {1, 0, 0, 0}};
         program.at(1, 0).phases[0].copies = {{own, own}};
       },
       "router (1, 0): phase 0, a copy reads address 4"},
      {[&](auto& program) {
         program.at(0, 0).signals = {{0, {{{}, Route{Port::ramp, only(Port::north)}}}}};
       },
       "a route off the mesh"},
      {[&](auto& program) { program.memory_words = -1; }, "no negative memory"},
  };
  EXPECT_EQ(after([](auto&) {}), "");
  for (const auto& [change, because] : cases)
    EXPECT_NE(after(change).find(because), std::string::npos) << after(change) << "\n" << because;
}

/// Element 0 has a queue that is blocked, because element 1 sends its own word first, and a queue
/// whose word, after a while, makes element 1 send.
TEST(Simulator, ATimerBesideABlockedQueueIsNotADeadlock) {
  WaferProgram program = make_program(3, 1, 1, 2, 16, {});
  const auto words = [](int count) { return Walk{.extents = {count, 1, 1, 1}, .strides = {1}}; };
  program.at(0, 0).colors[0].positions = {{Port::ramp, only(Port::east)}};
  program.at(1, 0).colors[0].positions = {{Port::ramp, only(Port::east)},
                                          {Port::west, only(Port::east)}};
  program.at(2, 0).colors[0].positions = {{Port::west, only(Port::ramp)}};
  program.at(0, 0).colors[1].positions = {{Port::ramp, only(Port::east)}};
  program.at(1, 0).colors[1].positions = {{Port::west, only(Port::ramp)}};
  program.at(0, 0).phases[0].queues = {{{.color = 0, .words = words(12)}},
                                       {{.color = 1, .words = words(1), .not_before = 100}}};
  program.at(1, 0).phases[0].queues = {{{.color = 0,
                                         .words = words(1),
                                         .control = Control::advance,
                                         .after_words = 1,
                                         .after_color = 1}}};
  program.at(1, 0).phases[0].receptions = {{.color = 1, .into = words(1)}};
  program.at(2, 0).phases[0].receptions = {{.color = 0, .into = words(13)}};
  const SimulationResult result = simulate(program);
  EXPECT_GT(result.cycles, 100U);
  EXPECT_EQ(result.received[0][2 * 16], 16U);  // the word of element 1 is first
}

/// A timetable counts from the start of sending, or from a cycle that all elements know; numbers
/// that are computed meanwhile count from the start of sending.
TEST(Simulator, BlocksWaitForTheirTimes) {
  const auto arrival = [](Cycle timetable_at, Cycle scheduled, Cycle not_before) {
    WaferProgram program = make_program(2, 1, 1, 1, 16, {});
    const Walk word{.extents = {1, 1, 1, 1}, .strides = {1}};
    program.at(0, 0).colors[0].positions = {{Port::ramp, only(Port::east)}};
    program.at(1, 0).colors[0].positions = {{Port::west, only(Port::ramp)}};
    program.at(0, 0).phases[0].compute_cycles = 100;
    program.at(0, 0).phases[0].timetable_at = timetable_at;
    program.at(0, 0).phases[0].queues = {
        {{.color = 0, .words = word, .not_before = not_before, .scheduled = scheduled}}};
    program.at(1, 0).phases[0].receptions = {{.color = 0, .into = word}};
    return simulate(program).cycles;
  };
  const Cycle at_once = arrival(0, 0, 0);
  EXPECT_GT(at_once, 100U);
  const Cycle way = at_once - 101;  // the first word of a phase takes one cycle to the ramp
  EXPECT_EQ(arrival(0, 50, 0), 150 + way);
  EXPECT_EQ(arrival(0, 0, 70), 170 + way);
  EXPECT_EQ(arrival(300, 50, 0), 350 + way);
  EXPECT_EQ(arrival(300, 0, 250), 350 + way);
  EXPECT_EQ(arrival(20, 30, 0), at_once);  // late: at once
}

}  // namespace
}  // namespace weft::fabric
