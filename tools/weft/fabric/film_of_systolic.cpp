// SPDX-License-Identifier: BSD-3-Clause
// From the steps of the systolic array to a film.
#include <fmt/format.h>

#include "animation.hpp"
#include "fabric/systolic/array.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

using fabric::AbelianGroup;
using fabric::SystolicArray;
using fabric::SystolicCount;
using fabric::SystolicStep;

class SystolicFilming {
 public:
  SystolicFilming(const fabric::SystolicMachine& machine, const AbelianGroup& group)
      : machine_(machine), array_(group), here_(size()), leg_(size()) {
    const int p = array_.cells();
    film_.kind = "systolic";
    film_.width = film_.height = p;
    for (int j = 0; j < p; ++j)
      for (int i = 0; i < p; ++i) {
        const int block = j * p + i;
        array_.at(j, i) = block;
        here_[static_cast<std::size_t>(block)] = block;
        leg_[static_cast<std::size_t>(block)] = film_.legs.size();
        film_.legs.push_back({block, block, block, 0, 0, 0});
        film_.travellers.push_back({.source = i,
                                    .destination = j,
                                    .color = j,
                                    .what = fmt::format("m({}, {})", j, i),
                                    .value = {}});
      }
    array_.watch([this](const SystolicStep& step) { see(step); });
  }

  Film shoot();

 private:
  std::size_t size() const {
    return static_cast<std::size_t>(array_.cells()) * static_cast<std::size_t>(array_.cells());
  }
  void see(const SystolicStep& step);
  void stretch(const std::string& name, const auto& work);

  const fabric::SystolicMachine& machine_;
  SystolicArray<int> array_;
  std::vector<int> here_;          ///< which block lies at a place
  std::vector<int> before_sweep_;  ///< rows of a skew are read as they were before it began
  std::vector<std::size_t> leg_;   ///< the last one of a block
  Cycle now_ = 0;
  int rows_of_sweep_ = 0;
  Film film_;
};

/// One step: all its blocks leave together and arrive together.
void SystolicFilming::see(const SystolicStep& step) {
  constexpr double words = 2;  // of a complex number
  double cycles = 1;           // drawn, not charged: storing elsewhere
  if (step.kind == SystolicStep::Kind::skew)
    cycles = machine_.masked_move_setup_cycles + machine_.skew_cycles_per_word * words;
  if (step.kind == SystolicStep::Kind::shift) {
    const double rows = static_cast<double>(step.moves.size()) / array_.cells();
    cycles = machine_.shift_setup_cycles + machine_.hop_cycles_per_word * words * rows;
  }
  if (step.kind == SystolicStep::Kind::skew && rows_of_sweep_ == 0) before_sweep_ = here_;
  const std::vector<int> before = step.kind == SystolicStep::Kind::skew ? before_sweep_ : here_;
  const auto end = now_ + static_cast<Cycle>(cycles);
  for (const auto& [from, to] : step.moves) {
    const int block = before[static_cast<std::size_t>(from)];
    here_[static_cast<std::size_t>(to)] = block;
    std::size_t& leg = leg_[static_cast<std::size_t>(block)];
    film_.legs[leg].leave = now_;
    leg = film_.legs.size();
    film_.legs.push_back({block, from, to, now_, end, end});
  }
  if (step.kind == SystolicStep::Kind::skew) rows_of_sweep_ = (rows_of_sweep_ + 1) % array_.cells();
  now_ = end;
}

void SystolicFilming::stretch(const std::string& name, const auto& work) {
  const Cycle begin = now_;
  work();
  film_.stretches.push_back({-1, begin, now_, name});
}

Film SystolicFilming::shoot() {
  const int p = array_.cells();
  SystolicCount count;
  stretch("pre-skew: cell i turns its column up by i, bit by bit of i",
          [&] { array_.masked_skew(+1, count); });
  stretch("row shift: row g moves by g cells, and is stored at -g",
          [&] { array_.row_shift(count); });
  stretch("re-skew: cell i turns its column down by i", [&] { array_.masked_skew(-1, count); });
  for (int j = 0; j < p; ++j)
    for (int i = 0; i < p; ++i)
      if (array_.at(j, i) != i * p + j || here_[static_cast<std::size_t>(j * p + i)] != i * p + j)
        throw Error(ErrorCode::internal, "film: the array is not transposed");
  film_.cycles = now_;
  for (const std::size_t last : leg_) film_.legs[last].leave = film_.cycles;
  film_.title = fmt::format("Systolic transposition on {} cells ({})", p,
                            fmt::join(array_.group().moduli, " x "));
  film_.notes = {
      fmt::format("{} row moves inside the cells, {} row hops between them in {} shift "
                  "instructions; {} cycles for blocks of one complex number.",
                  count.row_moves, count.row_hops, count.shift_instructions, now_),
      "A row is one address in every cell, a column is a cell. All cells use the same address: "
      "masks decide which cells keep the value.",
      "Checked after the last step: block m(j, i) lies in cell j at address i."};
  return std::move(film_);
}

}  // namespace

Film film_of_systolic(const fabric::SystolicMachine& machine, const AbelianGroup& cells) {
  const int p = cells.order();
  if (p < 2 || p > 32)
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{} cells: a page shows 2 to 32, as in --cells 8 or --cells 4x2", p));
  return SystolicFilming(machine, cells).shoot();
}

}  // namespace weft::tool
