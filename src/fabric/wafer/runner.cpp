// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/runner.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "fabric/wafer/simulator.hpp"

namespace weft::fabric {

void Runner::start(const WaferProgram& program, int id, Mesh& mesh,
                   std::vector<std::vector<std::uint32_t>>& received) {
  program_ = &program;
  element_ = &program.elements[static_cast<std::size_t>(id)];
  mesh_ = &mesh;
  received_ = &received;
  id_ = id;
  first_word_ = static_cast<std::uint32_t>(id) * static_cast<std::uint32_t>(program.memory_words);
  done_.assign(element_->phases.size(), 0);
  reading_of_.fill(-1);
  if (phases() == 0) {
    wake_ = never;
    return;
  }
  begin_computing(0);
  wake_ = compute_until_;
}

void Runner::begin_computing(Cycle now) {
  computing_ = true;
  compute_until_ = now + phase().compute_cycles;
  for (const FilterMove& move : phase().filter_moves) {
    mesh_->detach(id_, move.release);
    mesh_->set_filter(id_, move.acquire, move.filter);
  }
}

void Runner::begin_phase(Cycle now) {
  computing_ = false;
  sending_since_ = now;
  const Phase& here = phase();
  timetable_at_ = here.timetable_at > 0 ? here.timetable_at : now;
  reading_of_.fill(-1);
  readings_.clear();
  words_missing_ = 0;
  ColorMask armed = 0;
  for (const Reception& reception : here.receptions) {
    reading_of_[reception.color] = static_cast<std::int8_t>(readings_.size());
    readings_.push_back({.into = Walker(reception.into),
                         .words_left = reception.words(),
                         .drop_left = reception.dropped,
                         .skip_left = reception.skipped,
                         .sift_count = reception.sift ? reception.sift->init : 0});
    words_missing_ += reception.words();
    if (reception.words() > 0) armed |= bit(reception.color);
  }
  mesh_->router(id_).armed = armed;
  for (const auto& [from, to] : here.copies)
    for (std::int64_t word = 0; word < from.count(); ++word)
      store(Area::receive, to.address(word),
            first_word_ + static_cast<std::uint32_t>(from.address(word)));
  awaited_ = 0;
  for (const std::vector<SendBlock>& blocks : here.queues)
    for (const SendBlock& block : blocks)
      if (block.after_words > 0) awaited_ |= bit(block.after_color);
  queues_.assign(here.queues.size(), {});
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (!here.queues[q].empty()) {
      // The first word of a phase must pass the ramp before it can enter the router.
      open_block(queues_[q], here.queues[q], now + program_->rules.ramp_cycles - 1);
    }
  last_activity_ = now;
}

void Runner::open_block(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now) {
  const SendBlock& block = blocks[queue.block];
  queue.words = Walker(block.words);
  queue.at_control = block.words.count() == 0;
  queue.ready = std::max({now + block.setup_cycles, sending_since_ + block.not_before,
                          timetable_at_ + block.scheduled});
}

/// Whether the next word that came down the ramp must be stored.
bool Runner::keeps(std::size_t slot) {
  Reading& reading = readings_[slot];
  if (reading.drop_left > 0) {
    --reading.drop_left;
    return false;
  }
  if (const std::optional<Filter>& sift = phase().receptions[slot].sift) {
    const std::uint32_t count = reading.sift_count;
    reading.sift_count = count == sift->limit ? 0 : count + 1;
    if (count > sift->max) return false;
  }
  if (reading.skip_left == 0) return reading.into.left() > 0;
  --reading.skip_left;
  return false;
}

/// Every store of an exchange comes through here: it must be inside the memory, and nothing of this
/// phase may be there.
void Runner::store(Area area, std::int32_t word, std::uint32_t origin) {
  const MemoryMap& memory = program_->memory;
  const std::int64_t address = memory.address(area, word);
  auto& place = (*received_)[static_cast<std::size_t>(phase_)]
                            [first_word_ + static_cast<std::uint32_t>(word)];
  if (address < 0 || address + MemoryMap::word_bytes > memory.bytes)
    fault_ = weft::format("a word is stored at byte {}, but the element has {} bytes", address,
                          memory.bytes);
  else if (place != no_word)
    fault_ = weft::format("two words are stored at byte {} in phase {}", address, phase_);
  else
    place = origin;
}

void Runner::deliver(Cycle now, int color, Wavelet wavelet) {
  const auto index = static_cast<std::size_t>(color);
  if (control_of(wavelet) != Control::none) {
    if (control_of(wavelet) != Control::signal) return;
    const WaferRules& rules = program_->rules;
    rewrites_.push_back({now + rules.rewrite_cycles - 1, static_cast<Color>(color)});
    answers_.push_back({now + rules.signal_cycles - 1, static_cast<Color>(color)});
    wake_ = std::min({wake_, rewrites_.back().at, answers_.back().at});
    return;
  }
  const auto slot = static_cast<std::size_t>(reading_of_[index]);
  last_activity_ = now + program_->rules.ramp_cycles;
  if (--words_missing_ == 0) wake_ = std::min(wake_, now);
  ++readings_[slot].words_come;
  if (--readings_[slot].words_left == 0) mesh_->router(id_).armed &= ~bit(color);
  if ((awaited_ & bit(color)) != 0) wake_blocks_after(now, static_cast<Color>(color));
  if (keeps(slot)) store(phase().receptions[slot].area, readings_[slot].into.next(), wavelet);
}

/// Whether the signals and words that the block waits for have arrived.
bool Runner::may_start(const SendBlock& block) const {
  if (signals_handled_[block.color] < block.after_signals) return false;
  if (block.after_words == 0) return true;
  const auto slot = static_cast<std::size_t>(reading_of_[block.after_color]);
  return readings_[slot].words_come >= block.after_words;
}

/// A word has arrived for which a block may wait; it is in memory after ramp_cycles.
void Runner::wake_blocks_after(Cycle now, Color color) {
  const auto slot = static_cast<std::size_t>(reading_of_[color]);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].block == phase().queues[q].size()) continue;
    const SendBlock& block = phase().queues[q][queues_[q].block];
    if (block.after_color != color || block.after_words != readings_[slot].words_come) continue;
    queues_[q].ready = std::max(queues_[q].ready, now + program_->rules.ramp_cycles);
    wake_ = std::min(wake_, queues_[q].ready);
  }
}

bool Runner::push_from(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now) {
  const SendBlock& block = blocks[queue.block];
  ColorState& color = mesh_->color(id_, block.color);
  if (color.ramp_count >= program_->rules.buffer_words) return false;
  RouterState& router = mesh_->router(id_);
  router.waiting_ramp |= bit(block.color);
  injected_ = queue.at_control ? make_control(block.control)
                               : first_word_ + static_cast<std::uint32_t>(queue.words.next());
  injected_color_ = block.color;
  injected_cycle_ = now;
  color.push_ramp(injected_);
  if (!queue.at_control) {
    if (queue.words.left() > 0) return true;
    if (block.control != Control::none) {
      queue.at_control = true;
      return true;
    }
  }
  ++queue.block;
  last_activity_ = std::max(last_activity_, now + 1);
  if (queue.block < blocks.size()) open_block(queue, blocks, now + 1);
  return true;
}

bool Runner::inject(Cycle now) {
  const Phase& here = phase();
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    const std::size_t q = (turn_ + k) % queues_.size();
    if (queues_[q].block == here.queues[q].size() || queues_[q].ready > now) continue;
    if (!may_start(here.queues[q][queues_[q].block])) continue;
    if (push_from(queues_[q], here.queues[q], now)) {
      turn_ = q + 1;
      return true;
    }
  }
  return false;
}

void Runner::rewrite(Color color) {
  const std::uint16_t number = rewrites_done_[color]++;
  for (const SignalTable& table : element_->signals) {
    if (table.color != color || number >= table.handlers.size()) continue;
    const SignalHandler& handler = table.handlers[number];
    if (handler.filter) mesh_->set_filter(id_, color, *handler.filter);
    if (handler.route) mesh_->set_route(id_, color, *handler.route);
  }
}

bool Runner::run_handlers(Cycle now) {
  bool any = false;
  while (!rewrites_.empty() && rewrites_.front().at <= now) {
    rewrite(rewrites_.front().color);
    rewrites_.erase(rewrites_.begin());
    any = true;
  }
  while (!answers_.empty() && answers_.front().at <= now) {
    ++signals_handled_[answers_.front().color];
    answers_.erase(answers_.begin());
    any = true;
  }
  return any;
}

void Runner::finish_phase_if_complete(Cycle now) {
  if (computing_ || words_missing_ > 0 || !answers_.empty()) return;
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (queues_[q].block < phase().queues[q].size()) return;
  const Cycle end = std::max(last_activity_, now);
  done_[static_cast<std::size_t>(phase_)] = end;
  ++phase_;
  if (finished()) return;
  begin_computing(end);
}

bool Runner::step(Cycle now) {
  if (finished()) {
    wake_ = never;
    return false;
  }
  bool active = run_handlers(now);
  if (computing_) {
    if (now < compute_until_) {
      schedule(now, false);
      return active;
    }
    begin_phase(now);
    active = true;
  }
  const bool injected = inject(now);
  finish_phase_if_complete(now);
  schedule(now, injected);
  return active || injected;
}

bool Runner::is_full(Color color) const {
  return mesh_->color(id_, color).ramp_count >= program_->rules.buffer_words;
}

void Runner::schedule(Cycle now, bool keep_trying) {
  wake_ = never;
  if (finished()) return;
  if (computing_) {
    wake_ = std::max(compute_until_, now + 1);
  } else {
    for (std::size_t q = 0; q < queues_.size(); ++q) {
      if (queues_[q].block == phase().queues[q].size()) continue;
      const SendBlock& block = phase().queues[q][queues_[q].block];
      if (!may_start(block)) continue;  // a handler or a word will wake it
      if (queues_[q].ready <= now && is_full(block.color)) continue;  // ramp_drained() will wake it
      wake_ = std::min(wake_, std::max(queues_[q].ready, now + 1));
    }
  }
  for (const auto* events : {&rewrites_, &answers_})
    if (!events->empty()) wake_ = std::min(wake_, std::max(events->front().at, now + 1));
  if (keep_trying) wake_ = std::min(wake_, now + 1);
}

Cycle Runner::next_timer() const {
  if (finished()) return never;
  Cycle next = never;
  for (const auto* events : {&rewrites_, &answers_})
    if (!events->empty()) next = std::min(next, events->front().at);
  if (computing_) return std::min(next, compute_until_);
  for (std::size_t q = 0; q < queues_.size(); ++q) {
    if (queues_[q].block == phase().queues[q].size()) continue;
    const SendBlock& block = phase().queues[q][queues_[q].block];
    // A queue whose buffer is full waits for the router, not for a time.
    if (may_start(block) && !is_full(block.color)) next = std::min(next, queues_[q].ready);
  }
  return next;
}

std::string Runner::describe_wait() const {
  if (finished()) return "the element is done, but wavelets remain";
  for (std::size_t q = 0; q < queues_.size() && !computing_; ++q) {
    if (queues_[q].block == phase().queues[q].size()) continue;
    const SendBlock& block = phase().queues[q][queues_[q].block];
    return weft::format("queue {} cannot send block {} on color {}{}", q, queues_[q].block,
                        block.color,
                        may_start(block)        ? ""
                        : block.after_words > 0 ? " because the words that it passes on never came"
                                                : " because a signal for it never came");
  }
  return weft::format("{} words have not arrived", words_missing_);
}

}  // namespace weft::fabric
