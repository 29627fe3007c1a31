// SPDX-License-Identifier: BSD-3-Clause
// Runs the schedule crossed on actual data. The memory of an element is its pencil followed by the
// half for the sister; `data` contains only the pencils.
#include "fabric/wafer/crossed.hpp"
#include "fabric/wafer/numbers.hpp"

namespace weft::fabric {
namespace {

/// The origin of the numbers of a line or block, counted from its first number: [place * wide +
/// address], or no_word.
using Offsets = std::vector<std::uint32_t>;

/// `step(place)` is the distance from the first element to this one, in elements.
template <class Step>
Offsets offsets_of(const ExchangeTable& table, std::int64_t wide, std::int64_t stride,
                   const Step& step) {
  Offsets offsets(table.size(), no_word);
  for (std::size_t k = 0; k < table.size(); ++k)
    if (table[k] != no_word)
      offsets[k] = static_cast<std::uint32_t>(step(table[k] / wide) * stride + table[k] % wide);
  return offsets;
}

class CrossedData {
 public:
  CrossedData(const WaferPlan& plan, const WaferMachine& machine, const WaferExchanges& exchanges,
              std::span<Number> data, const RunOptions& options)
      : n_(layout_of(plan, machine).nx),
        wide_(n_ + n_ / 2),
        plan_(plan),
        options_(options),
        exchanges_(exchanges),
        sending_kernel_(sending_kernel_of(plan, n_, machine)),
        last_kernel_(kernel_of(plan, n_, machine)),
        memory_(static_cast<std::size_t>(n_ * n_ * wide_)),
        pencils_{data.data(), n_},
        wide_pencils_{memory_.data(), wide_} {}

  void run() {
    if (plan_.direction == Direction::forward) {
      transform(sending_kernel_, pencils_, wide_pencils_);
      tell(0, wide_pencils_);
      move_lines(0, wide_pencils_, pencils_, n_);
      transform(sending_kernel_, pencils_, wide_pencils_);
      tell(1, wide_pencils_);
      move_between_sisters(n_, wide_);
      tell(2, wide_pencils_);
      move_lines(1, wide_pencils_, pencils_, n_);
      transform(last_kernel_, pencils_, pencils_);
    } else {
      transform(sending_kernel_, pencils_, pencils_);
      tell(0, pencils_);
      move_lines(0, pencils_, wide_pencils_, wide_);
      tell(1, wide_pencils_);
      move_between_sisters(0, n_);
      transform(sending_kernel_, wide_pencils_, pencils_);
      tell(2, pencils_);
      move_lines(1, pencils_, wide_pencils_, n_);
      transform(last_kernel_, wide_pencils_, pencils_);
    }
  }

 private:
  void transform(const KernelProgram& kernel, PencilsAt<Number> from, PencilsAt<Number> to) {
    transform_all(kernel, plan_.precision, {from.first, from.stride}, to, n_ * n_, options_);
  }

  void tell(int phase, PencilsAt<Number> from) {
    if (!options_.on_send) return;
    std::vector<Number> copy(memory_.size());
    for (std::int64_t element = 0; element < n_ * n_; ++element)
      std::copy_n(from.pencil(element), from.stride, copy.data() + element * wide_);
    options_.on_send(phase, copy);
  }

  /// Runs the first (order 0) or second (order 1) exchange, into the first `count` numbers of each
  /// element.
  void move_lines(int order, PencilsAt<Number> from, PencilsAt<Number> to, std::int64_t count) {
    if (!exchanges_.mesh.empty()) {
      move_mesh(exchanges_.mesh[order == 0 ? 0 : 2], from, to, 0, count);
      return;
    }
    for (const bool column : {false, true}) {
      std::array<Offsets, 2> offsets;
      for (const std::size_t parity : {0U, 1U})
        offsets[parity] = offsets_of(
            exchanges_.crossed[static_cast<std::size_t>(order)][column ? 1 : 0][parity], wide_,
            from.stride, [&](std::int64_t place) { return column ? place * n_ : place; });
      for_all(
          n_, column ? "numbers through columns" : "numbers through rows", options_,
          [] { return 0; },
          [&](std::int64_t line, int) {
            const std::int64_t first = column ? line : line * n_;
            gather(offsets[static_cast<std::size_t>(line % 2)], wide_, from.pencil(first),
                   {to.pencil(first), column ? n_ * to.stride : to.stride}, n_, count);
          });
    }
  }

  /// Writes the numbers [begin, end) of each element: from pencils to the halves for sisters, or
  /// back. So no thread reads what another one writes.
  void move_between_sisters(std::int64_t begin, std::int64_t end) {
    if (!exchanges_.mesh.empty()) {
      const auto phase = static_cast<std::size_t>(crossed_sister_phase(plan_));
      move_mesh(exchanges_.mesh[phase], wide_pencils_, wide_pencils_, begin, end);
      return;
    }
    const Offsets offsets = offsets_of(exchanges_.sister, wide_, wide_, [&](std::int64_t place) {
      return place / 2 * n_ + place % 2;
    });
    for_elements("numbers to the sister",
                 [&](std::int64_t element, std::int64_t x, std::int64_t y) {
                   const std::uint32_t* block = offsets.data() + (y % 2 * 2 + x % 2) * wide_;
                   const Number* from = wide_pencils_.pencil((y - y % 2) * n_ + x - x % 2);
                   for (std::int64_t k = begin; k < end; ++k)
                     if (block[k] != no_word) wide_pencils_.pencil(element)[k] = from[block[k]];
                 });
  }

  /// Moves numbers as the simulated mesh delivered them.
  void move_mesh(const ExchangeTable& table, PencilsAt<Number> from, PencilsAt<Number> to,
                 std::int64_t begin, std::int64_t end) {
    for_elements("numbers through the mesh", [&](std::int64_t element, std::int64_t, std::int64_t) {
      for (std::int64_t k = begin; k < end; ++k) {
        const std::uint32_t source = table[static_cast<std::size_t>(element * wide_ + k)];
        if (source != no_word) to.pencil(element)[k] = from.pencil(source / wide_)[source % wide_];
      }
    });
  }

  /// Calls work(element, x, y) for all elements.
  template <class Work>
  void for_elements(const std::string& phase, const Work& work) {
    for_all(
        n_, phase, options_, [] { return 0; },
        [&](std::int64_t y, int) {
          for (std::int64_t x = 0; x < n_; ++x) work(y * n_ + x, x, y);
        });
  }

  std::int64_t n_, wide_;
  const WaferPlan& plan_;
  const RunOptions& options_;
  const WaferExchanges& exchanges_;
  KernelProgram sending_kernel_, last_kernel_;
  std::vector<Number> memory_;
  PencilsAt<Number> pencils_, wide_pencils_;
};

}  // namespace

void run_crossed(const WaferPlan& plan, const WaferMachine& machine,
                 const WaferExchanges& exchanges, std::span<Number> data,
                 const RunOptions& options) {
  CrossedData(plan, machine, exchanges, data, options).run();
}

}  // namespace weft::fabric
