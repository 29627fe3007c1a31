// SPDX-License-Identifier: BSD-3-Clause
#include "global/formula/distribution_order.hpp"

#include <algorithm>
#include <map>

#include "base/index.hpp"
#include "weft/error.hpp"

namespace weft::global {

using formula::Formula;
using reshape::ArrayDistribution;

DistributionOrder::DistributionOrder(ArrayDistribution distribution) {
  begins_.push_back(0);
  of_rank_.push_back(0);
  for (std::size_t rank = 0; rank < distribution.size(); ++rank) {
    for (const Box& box : distribution[rank]) {
      if (box.empty()) continue;
      boxes_.push_back({static_cast<int>(rank), box});
      begins_.push_back(begins_.back() + box.count());
    }
    of_rank_.push_back(boxes_.size());
  }
}

DistributionOrder::Place DistributionOrder::at(Index position) const {
  const auto after = std::ranges::upper_bound(begins_, position);
  const auto i = static_cast<std::size_t>(after - begins_.begin()) - 1;
  const Box& box = boxes_[i].box;
  Place place{boxes_[i].rank, {}};
  Index rest = position - begins_[i];
  for (int d = box.ndim - 1; d >= 0; --d) {
    place.point[weft::at(d)] = box.begin[weft::at(d)] + rest % box.extent(d);
    rest /= box.extent(d);
  }
  return place;
}

Index DistributionOrder::position(const Point& point, int rank) const {
  const auto holds = [&](const Listed& listed) {
    for (std::size_t d = 0; d < weft::at(listed.box.ndim); ++d)
      if (point[d] < listed.box.begin[d] || point[d] >= listed.box.end[d]) return false;
    return true;
  };
  const auto first = boxes_.begin() + static_cast<std::ptrdiff_t>(of_rank_[weft::at(rank)]);
  const auto last = boxes_.begin() + static_cast<std::ptrdiff_t>(of_rank_[weft::at(rank) + 1]);
  auto found = std::find_if(first, last, holds);
  if (found == last) found = std::ranges::find_if(boxes_, holds);
  if (found == boxes_.end())
    throw Error(ErrorCode::internal, "an element of one distribution is missing in the other");
  Index offset = 0;
  for (int d = 0; d < found->box.ndim; ++d)
    offset = offset * found->box.extent(d) + point[weft::at(d)] - found->box.begin[weft::at(d)];
  return begins_[static_cast<std::size_t>(found - boxes_.begin())] + offset;
}

namespace {

class Relayout final : public formula::GatherRule {
 public:
  Relayout(const ArrayDistribution& to, const ArrayDistribution& from, OriginOf origin,
           RuleName name)
      : to_(to), from_(from), origin_(std::move(origin)), name_(std::move(name)) {}

  Index rows() const override { return to_.count(); }
  Index columns() const override { return from_.count(); }
  Entry entry(Index row) const override {
    const DistributionOrder::Place place = to_.at(row);
    const Origin origin = origin_(place.point);
    if (origin.value == formula::Complex(0)) return {0, 0, false};
    return {from_.position(origin.point, place.rank), origin.value, origin.conjugate};
  }
  std::string text() const override { return name_.text; }
  std::string latex() const override { return name_.latex; }

 private:
  DistributionOrder to_, from_;
  OriginOf origin_;
  RuleName name_;
};

/// Blocks of an array that is cut into equal ones, if it is: how many along every axis.
std::optional<Grid> even_grid(const ArrayDistribution& distribution, std::span<const Index> shape) {
  if (distribution.empty() || distribution[0].size() != 1) return std::nullopt;
  Grid grid;
  Index blocks = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index extent = distribution[0][0].extent(static_cast<int>(d));
    if (extent < 1 || shape[d] % extent != 0) return std::nullopt;
    blocks *= shape[d] / extent;
    if (blocks > std::ssize(distribution)) return std::nullopt;  // they are not all there
    grid.push_back(static_cast<int>(shape[d] / extent));
  }
  const ArrayDistribution even(shape, grid, static_cast<int>(distribution.size()));
  if (!distribution.is_same_grid(even) && distribution.list() != even.list()) return std::nullopt;
  return grid;
}

/// A digit of an element's number: a part of its index along an axis.
struct Digit {
  Index size;
  bool rank_before, rank_after;  ///< whether it is part of the rank's number
};

/// Both grids' cuts of every axis together, slowest first; nothing if the cuts do not fit into
/// each other.
std::optional<std::vector<Digit>> common_digits(const Grid& from, const Grid& to,
                                                std::span<const Index> shape) {
  std::vector<Digit> digits;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const Index few = std::min(from[d], to[d]), many = std::max(from[d], to[d]);
    if (many % few != 0) return std::nullopt;
    digits.push_back({few, true, true});
    digits.push_back({many / few, from[d] == many, to[d] == many});
    digits.push_back({shape[d] / many, false, false});
  }
  std::erase_if(digits, [](const Digit& digit) { return digit.size == 1; });
  return digits;
}

using Order = std::vector<std::size_t>;  ///< of digits, slowest first

/// Takes the digits from one order to another, each step two neighbouring groups past each other.
std::vector<Formula> digit_permutation(const std::vector<Digit>& digits, Order from,
                                       const Order& to) {
  std::vector<Formula> steps;  // the last one first
  const auto size_of = [&](std::size_t begin, std::size_t end) {
    Index size = 1;
    for (std::size_t i = begin; i < end; ++i) size *= digits[from[i]].size;
    return size;
  };
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (from[i] == to[i]) continue;
    const auto j = static_cast<std::size_t>(std::ranges::find(from, to[i]) - from.begin());
    std::size_t end = j + 1;
    while (end < to.size() && from[end] == to[i + end - j]) ++end;
    const Index outer = size_of(0, i), left = size_of(i, j), right = size_of(j, end);
    const Index inner = size_of(end, to.size());
    std::vector<Formula> factors;
    if (outer > 1) factors.push_back(formula::identity(outer));
    factors.push_back(formula::stride_permutation(left * right, right));
    if (inner > 1) factors.push_back(formula::identity(inner));
    steps.insert(steps.begin(),
                 factors.size() == 1 ? factors[0] : formula::tensor(std::move(factors)));
    std::rotate(from.begin() + static_cast<std::ptrdiff_t>(i),
                from.begin() + static_cast<std::ptrdiff_t>(j),
                from.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return steps;
}

Formula product(std::vector<Formula> factors) {
  return factors.size() == 1 ? factors[0] : formula::compose(std::move(factors));
}

struct Sides {
  Order before, packed, carried, after;
  std::size_t rank_digits_before = 0, rank_digits_after = 0;
};

/// Pack: digits that will say the rank come first. Carry: they and the rank's own change places.
/// Unpack: digits that said the rank go where they belong.
Sides sides_of(const std::vector<Digit>& digits) {
  Sides s;
  const auto add = [&](Order& order, auto... belongs) {
    (
        [&] {
          for (std::size_t i = 0; i < digits.size(); ++i)
            if (belongs(digits[i])) order.push_back(i);
        }(),
        ...);
  };
  const auto before = [](const Digit& d) { return d.rank_before; };
  const auto after = [](const Digit& d) { return d.rank_after; };
  const auto comes = [](const Digit& d) { return d.rank_after && !d.rank_before; };
  const auto goes = [](const Digit& d) { return d.rank_before && !d.rank_after; };
  const auto never = [](const Digit& d) { return !d.rank_before && !d.rank_after; };
  add(s.before, before, std::not_fn(before));
  add(s.packed, before, comes, never);
  add(s.carried, after, goes, never);
  add(s.after, after, std::not_fn(after));
  s.rank_digits_before = static_cast<std::size_t>(std::ranges::count_if(digits, before));
  s.rank_digits_after = static_cast<std::size_t>(std::ranges::count_if(digits, after));
  return s;
}

/// I(ranks) x (what every rank does to its own digits); nothing where it does nothing.
void add_local(const std::vector<Digit>& digits, const Order& from, const Order& to,
               std::size_t rank_digits, std::vector<Formula>& factors) {
  const auto skip = static_cast<std::ptrdiff_t>(rank_digits);
  std::vector<Formula> steps =
      digit_permutation(digits, {from.begin() + skip, from.end()}, {to.begin() + skip, to.end()});
  if (steps.empty()) return;
  Index ranks = 1;
  for (std::size_t i = 0; i < rank_digits; ++i) ranks *= digits[from[i]].size;
  const Formula local = product(std::move(steps));
  factors.push_back(ranks == 1 ? local : formula::tensor({formula::identity(ranks), local}));
}

std::optional<Formula> even_exchange(const ArrayDistribution& to, const ArrayDistribution& from,
                                     std::span<const Index> shape) {
  const auto grid_from = even_grid(from, shape), grid_to = even_grid(to, shape);
  if (!grid_from || !grid_to) return std::nullopt;
  const auto digits = common_digits(*grid_from, *grid_to, shape);
  if (!digits) return std::nullopt;
  const Sides s = sides_of(*digits);
  std::vector<Formula> factors;
  add_local(*digits, s.carried, s.after, s.rank_digits_after, factors);
  for (const Formula& step : digit_permutation(*digits, s.packed, s.carried))
    factors.push_back(step);
  add_local(*digits, s.before, s.packed, s.rank_digits_before, factors);
  if (factors.empty()) {
    Index count = 1;
    for (const Index n : shape) count *= n;
    return formula::identity(count);
  }
  return product(std::move(factors));
}

struct Term {
  int id;  ///< equal for equal terms
  Formula formula;
};

/// Runs of the same `length` terms become one term each.
std::vector<Term> with_runs_folded(const std::vector<Term>& terms, std::size_t length,
                                   std::map<std::vector<int>, int>& ids) {
  std::vector<Term> result;
  const auto same = [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < length; ++i)
      if (terms[a + i].id != terms[b + i].id) return false;
    return true;
  };
  for (std::size_t i = 0; i < terms.size();) {
    std::size_t times = 1;
    while (i + (times + 1) * length <= terms.size() && same(i, i + times * length)) ++times;
    if (times == 1 || i + length > terms.size()) {
      result.push_back(terms[i++]);
      continue;
    }
    std::vector<int> key{static_cast<int>(times)};
    std::vector<Formula> group;
    for (std::size_t k = 0; k < length; ++k) {
      key.push_back(terms[i + k].id);
      group.push_back(terms[i + k].formula);
    }
    const int id = ids.try_emplace(key, -1 - static_cast<int>(ids.size())).first->second;
    const Formula inner = group.size() == 1 ? group[0] : formula::direct_sum(std::move(group));
    result.push_back({id, formula::tensor({formula::identity(static_cast<Index>(times)), inner})});
    i += times * length;
  }
  return result;
}

}  // namespace

Formula redistribution(const ArrayDistribution& to, const ArrayDistribution& from,
                       const OriginOf& origin, RuleName name) {
  return formula::gather(std::make_shared<Relayout>(to, from, origin, std::move(name)));
}

Formula exchange_formula(const ArrayDistribution& to, const ArrayDistribution& from,
                         std::span<const Index> shape, RuleName name) {
  if (const auto even = even_exchange(to, from, shape)) return *even;
  return redistribution(
      to, from, [](const DistributionOrder::Point& point) { return Origin{point, 1, false}; },
      std::move(name));
}

Formula short_direct_sum(const std::vector<Formula>& formulas) {
  constexpr std::size_t longest_group = 64;
  std::vector<Term> terms;
  std::vector<Formula> known;
  for (const Formula& formula : formulas) {
    // Neighbours are the likely equals.
    const auto found = std::find(known.rbegin(), known.rend(), formula);
    const auto id =
        found == known.rend() ? known.size() : static_cast<std::size_t>(known.rend() - found) - 1;
    if (found == known.rend()) known.push_back(formula);
    terms.push_back({static_cast<int>(id), formula});
  }
  std::map<std::vector<int>, int> ids;
  for (std::size_t length = 1; 2 * length <= terms.size() && length <= longest_group;) {
    std::vector<Term> shorter = with_runs_folded(terms, length, ids);
    const bool is_shorter = shorter.size() < terms.size();
    terms = std::move(shorter);
    length = is_shorter ? 1 : length + 1;
  }
  if (terms.size() == 1) return terms[0].formula;
  std::vector<Formula> sum;
  for (const Term& term : terms) sum.push_back(term.formula);
  return formula::direct_sum(std::move(sum));
}

}  // namespace weft::global
