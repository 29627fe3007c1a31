// SPDX-License-Identifier: BSD-3-Clause
#include "fabric/wafer/runner.hpp"

#include <fmt/format.h>

#include <algorithm>

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
  reception_of_.fill(-1);
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
  const Phase& here = phase();
  reception_of_.fill(-1);
  receptions_.clear();
  skip_left_.clear();
  words_missing_ = 0;
  ColorMask armed = 0;
  for (const Reception& reception : here.receptions) {
    reception_of_[reception.color] = static_cast<std::int8_t>(receptions_.size());
    receptions_.emplace_back(reception.into);
    skip_left_.push_back(reception.skipped);
    words_missing_ += reception.into.count() + reception.skipped;
    if (reception.into.count() + reception.skipped > 0) armed |= bit(reception.color);
  }
  mesh_->router(id_).armed = armed;
  auto& table = (*received_)[static_cast<std::size_t>(phase_)];
  for (const auto& [from, to] : here.copies)
    for (std::int64_t word = 0; word < from.count(); ++word)
      table[first_word_ + static_cast<std::uint32_t>(to.address(word))] =
          first_word_ + static_cast<std::uint32_t>(from.address(word));
  queues_.assign(here.queues.size(), {});
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (!here.queues[q].empty()) {
      // The first word of a phase climbs the ramp before it can enter the router.
      open_block(queues_[q], here.queues[q], now + program_->rules.ramp_cycles - 1);
    }
  last_activity_ = now;
}

void Runner::open_block(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now) {
  const SendBlock& block = blocks[queue.block];
  queue.words = Walker(block.words);
  queue.at_control = block.words.count() == 0;
  queue.ready = now + block.setup_cycles;
}

bool Runner::deliver(Cycle now, int color, Wavelet wavelet) {
  const auto index = static_cast<std::size_t>(color);
  if (control_of(wavelet) != Control::none) {
    if (control_of(wavelet) != Control::signal) return true;
    const WaferRules& rules = program_->rules;
    rewrites_.push_back({now + rules.rewrite_cycles - 1, static_cast<Color>(color)});
    answers_.push_back({now + rules.signal_cycles - 1, static_cast<Color>(color)});
    wake_ = std::min({wake_, rewrites_.back().at, answers_.back().at});
    return true;
  }
  const auto slot = static_cast<std::size_t>(reception_of_[index]);
  --words_missing_;
  last_activity_ = now + program_->rules.ramp_cycles;
  if (words_missing_ == 0) wake_ = std::min(wake_, now);
  if (skip_left_[slot] > 0) {
    if (--skip_left_[slot] == 0 && receptions_[slot].left() == 0)
      mesh_->router(id_).armed &= ~bit(color);
    return true;
  }
  auto& place = (*received_)[static_cast<std::size_t>(phase_)]
                            [first_word_ + static_cast<std::uint32_t>(receptions_[slot].next())];
  if (place != no_word) return false;
  place = wavelet;
  if (receptions_[slot].left() == 0) mesh_->router(id_).armed &= ~bit(color);
  return true;
}

bool Runner::signals_arrived(const SendBlock& block) const {
  return signals_handled_[block.color] >= block.after_signals;
}

bool Runner::push_from(Queue& queue, const std::vector<SendBlock>& blocks, Cycle now) {
  const SendBlock& block = blocks[queue.block];
  ColorState& color = mesh_->color(id_, block.color);
  if (color.ramp_count >= program_->rules.buffer_words) return false;
  RouterState& router = mesh_->router(id_);
  router.waiting_ramp |= bit(block.color);
  if (!queue.at_control) {
    const auto address = static_cast<std::uint32_t>(queue.words.next());
    color.push_ramp(first_word_ + address);
    if (queue.words.left() > 0) return true;
    if (block.control != Control::none) {
      queue.at_control = true;
      return true;
    }
  } else {
    color.push_ramp(make_control(block.control));
  }
  ++queue.block;
  last_activity_ = std::max(last_activity_, now + 1);
  if (queue.block < blocks.size()) open_block(queue, blocks, now + 1);
  return true;
}

bool Runner::inject(Cycle now) {
  const Phase& here = phase();
  if (now % program_->rules.ramp_turn != 0) return false;
  for (std::size_t k = 0; k < queues_.size(); ++k) {
    const std::size_t q = (turn_ + k) % queues_.size();
    if (queues_[q].block == here.queues[q].size() || queues_[q].ready > now) continue;
    if (!signals_arrived(here.queues[q][queues_[q].block])) continue;
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
      if (!signals_arrived(block)) continue;                          // a handler wakes it
      if (queues_[q].ready <= now && is_full(block.color)) continue;  // ramp_drained() does
      wake_ = std::min(wake_, std::max(queues_[q].ready, now + 1));
    }
  }
  for (const auto* events : {&rewrites_, &answers_})
    if (!events->empty()) wake_ = std::min(wake_, std::max(events->front().at, now + 1));
  if (keep_trying) wake_ = std::min(wake_, now + 1);
}

Cycle Runner::next_timer(Cycle now) const {
  if (finished()) return never;
  Cycle next = never;
  for (const auto* events : {&rewrites_, &answers_})
    if (!events->empty()) next = std::min(next, events->front().at);
  if (computing_) return std::min(next, compute_until_);
  for (std::size_t q = 0; q < queues_.size(); ++q)
    if (queues_[q].block < phase().queues[q].size() &&
        signals_arrived(phase().queues[q][queues_[q].block])) {
      const bool waits_for_turn =
          program_->rules.ramp_turn > 1 && !is_full(phase().queues[q][queues_[q].block].color);
      next =
          std::min(next, waits_for_turn ? std::max(queues_[q].ready, now + 1) : queues_[q].ready);
    }
  return next;
}

std::string Runner::describe_wait() const {
  if (finished()) return "the element is done, but wavelets remain";
  for (std::size_t q = 0; q < queues_.size() && !computing_; ++q) {
    if (queues_[q].block == phase().queues[q].size()) continue;
    const SendBlock& block = phase().queues[q][queues_[q].block];
    return fmt::format("queue {} cannot send block {} on color {}{}", q, queues_[q].block,
                       block.color,
                       signals_arrived(block) ? "" : " because a signal for it never came");
  }
  return fmt::format("{} words have not arrived", words_missing_);
}

}  // namespace weft::fabric
