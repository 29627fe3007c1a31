// SPDX-License-Identifier: BSD-3-Clause
#include "global/chirp.hpp"

#include <algorithm>
#include <thread>

#include "base/index.hpp"
#include "comm/agree.hpp"
#include "global/line.hpp"

namespace weft::global {

using reshape::Memory;
using reshape::Piece;
using reshape::Strides;

namespace {

/// Calls visit(index along the axis, offset in a, offset in b) for all elements of a box, offsets
/// in elements.
template <class Visit>
void for_each(const Box& box, int axis, const Strides& a, const Strides& b, const Visit& visit) {
  if (box.empty()) return;
  std::array<Index, max_box_ndim> i{};
  while (true) {
    Index in_a = 0, in_b = 0;
    for (int d = 0; d < box.ndim; ++d) {
      in_a += i[at(d)] * a[at(d)];
      in_b += i[at(d)] * b[at(d)];
    }
    visit(box.begin[at(axis)] + i[at(axis)], in_a, in_b);
    int d = box.ndim - 1;
    for (; d >= 0; --d) {
      if (++i[at(d)] < box.extent(d)) break;
      i[at(d)] = 0;
    }
    if (d < 0) return;
  }
}

/// The boxes behind each other in one memory.
std::vector<Piece> dense_pieces(const std::vector<Box>& boxes, Memory memory, Index bytes) {
  std::vector<Piece> pieces;
  Index offset = 0;
  for (const Box& box : boxes) {
    if (box.empty()) continue;
    pieces.push_back({box, memory, offset, reshape::dense_strides(box)});
    offset += box.count() * bytes;
  }
  return pieces;
}

Index bytes_of(const std::vector<Piece>& pieces, Index bytes) {
  Index sum = 0;
  for (const Piece& piece : pieces) sum += piece.box.count() * bytes;
  return sum;
}

/// The recipe of the way back: from the scrambled order, to the output.
Recipe way_back(const Recipe& recipe) {
  Recipe back = reversed(recipe);
  back.stages.front().where = Stage::Where::input;
  if (back.stages.back().where != Stage::Where::output || !back.stages.back().axes.empty())
    back.stages.push_back({.where = Stage::Where::output});
  return back;
}

}  // namespace

ChirpPlan::ChirpPlan(const GlobalProblem& line, const Recipe& recipe, const LineSplit& padded,
                     const std::vector<Piece>& input, const std::vector<Piece>& output,
                     const Comm& comm, const BuildOptions& options)
    : precision_(line.transform.precision),
      kind_(line.transform.kind),
      axis_(padded.axis),
      n_(line.transform.shape[at(padded.axis)]),
      points_(padded.rows * padded.columns),
      scale_(line.scale),
      roots_(2 * n_, kind_ == Kind::c2r   ? Direction::backward
                     : kind_ == Kind::r2c ? Direction::forward
                                          : line.transform.direction) {
  const auto rank = at(comm.rank());
  const Index bytes = out_element_bytes(Kind::c2c, precision_);
  const GlobalProblem longer = padded_problem(line, padded);
  const GlobalProblem matrix = matrix_problem(longer, padded);
  const Layout scrambled = layout_of(matrix, recipe.stages.back(), matrix.output_shape());
  const GlobalProblem shorter = unpadded_problem(line, padded, scrambled);
  std::vector<Piece> from, middle_out, middle_in, to;
  agree(comm, [&] {
    middle_out = dense_pieces(scrambled[rank], Memory::output, bytes);
    middle_in = dense_pieces(scrambled[rank], Memory::input, bytes);
    to = dense_pieces(line.output[rank], Memory::output, bytes);
    // The result takes the place of the line; the zeros, the last box, stay behind both.
    std::vector<Box> boxes = longer.input[rank];
    const Box zeros = boxes.back();
    boxes.pop_back();
    from = dense_pieces(boxes, Memory::input, bytes);
    const Index line_bytes = std::max(bytes_of(from, bytes), bytes_of(to, bytes));
    std::vector<Piece> users = input;
    if (kind_ == Kind::c2r)
      for (const Piece& piece : input)
        for (const Piece& mirror : mirrored_half(piece, axis_, n_, bytes)) users.push_back(mirror);
    for (const Piece& user : users)
      for (const Piece& there : from)
        if (there.box == user.box) inputs_.push_back({user, there});
    for (std::size_t i = 0; i < to.size(); ++i) outputs_.push_back({output[i], to[i]});
    from.push_back({zeros, Memory::input, line_bytes, reshape::dense_strides(zeros)});
    longer_ = Buffer<std::byte>(line_bytes + zeros.count() * bytes);
    spectrum_ = Buffer<std::byte>(bytes_of(middle_in, bytes));
    chirp_ = Buffer<std::byte>(bytes_of(middle_in, bytes));
  });
  BuildOptions build = options;
  build.in_place = false;
  there_ = std::make_unique<StagedPlan>(matrix, recipe, matrix_input(longer, padded, from),
                                        middle_out, comm, build);
  back_ = std::make_unique<StagedPlan>(matrix_problem(shorter, padded), way_back(recipe), middle_in,
                                       matrix_output(shorter, padded, to), comm, build);
  if (precision_ == Precision::f64)
    fill_chirp<double>(from);
  else
    fill_chirp<float>(from);
  there_->execute(longer_.data(), chirp_.data());
  std::ranges::fill(longer_.span(), std::byte{0});
}

/// The chirp of the longer line: b[l] at l and at points - l, scaled for the way there and back.
template <class Real>
void ChirpPlan::fill_chirp(const std::vector<Piece>& longer) {
  const double scale = 1.0 / static_cast<double>(points_);
  for (const Piece& piece : longer) {
    auto* x = reinterpret_cast<std::complex<Real>*>(longer_.data() + piece.offset);
    for_each(piece.box, axis_, piece.strides, piece.strides, [&](Index k, Index i, Index) {
      const Index l = std::min(k, points_ - k);
      const std::complex<double> b =
          l < n_ ? scale * std::conj(roots_(multiply_mod(l, l, 2 * n_))) : 0.0;
      x[i] = {static_cast<Real>(b.real()), static_cast<Real>(b.imag())};
    });
  }
}

template <class Real>
void ChirpPlan::load(const void* in) {
  const auto* base = static_cast<const std::byte*>(in);
  for (const Part& part : inputs_) {
    auto* y = reinterpret_cast<std::complex<Real>*>(longer_.data() + part.longer.offset);
    const auto visit = [&](auto value_at) {
      for_each(part.user.box, axis_, part.user.strides, part.longer.strides,
               [&](Index k, Index i, Index j) {
                 const std::complex<double> x = value_at(i);
                 const auto w = roots_(multiply_mod(k, k, 2 * n_));
                 y[j] = {static_cast<Real>(x.real() * w.real() - x.imag() * w.imag()),
                         static_cast<Real>(x.real() * w.imag() + x.imag() * w.real())};
               });
    };
    if (kind_ == Kind::r2c) {
      const auto* x = reinterpret_cast<const Real*>(base + part.user.offset);
      visit([x](Index i) { return std::complex<double>(x[i]); });
    } else {
      const auto* x = reinterpret_cast<const std::complex<Real>*>(base + part.user.offset);
      const bool conjugate = part.user.conjugate;
      visit([x, conjugate](Index i) {
        const std::complex<double> value(x[i]);
        return conjugate ? std::conj(value) : value;
      });
    }
  }
}

template <class Real>
void ChirpPlan::multiply() {
  auto* x = reinterpret_cast<std::complex<Real>*>(spectrum_.data());
  const auto* b = reinterpret_cast<const std::complex<Real>*>(chirp_.data());
  const Index count = spectrum_.size() / Index{sizeof(std::complex<Real>)};
  for (Index i = 0; i < count; ++i)
    x[i] = {x[i].real() * b[i].real() - x[i].imag() * b[i].imag(),
            x[i].real() * b[i].imag() + x[i].imag() * b[i].real()};
}

template <class Real>
void ChirpPlan::store(void* out) const {
  auto* base = static_cast<std::byte*>(out);
  for (const Part& part : outputs_) {
    const auto* y =
        reinterpret_cast<const std::complex<Real>*>(longer_.data() + part.longer.offset);
    const auto visit = [&](auto put) {
      for_each(part.user.box, axis_, part.user.strides, part.longer.strides,
               [&](Index k, Index i, Index j) {
                 put(i, scale_ * std::complex<double>(y[j]) * roots_(multiply_mod(k, k, 2 * n_)));
               });
    };
    if (kind_ == Kind::c2r) {
      auto* x = reinterpret_cast<Real*>(base + part.user.offset);
      visit([x](Index i, std::complex<double> v) { x[i] = static_cast<Real>(v.real()); });
    } else {
      auto* x = reinterpret_cast<std::complex<Real>*>(base + part.user.offset);
      visit([x](Index i, std::complex<double> v) { x[i] = std::complex<Real>(v); });
    }
  }
}

void ChirpPlan::load_any(const void* in) {
  if (precision_ == Precision::f64) return load<double>(in);
  load<float>(in);
}
void ChirpPlan::multiply_any() {
  if (precision_ == Precision::f64) return multiply<double>();
  multiply<float>();
}
void ChirpPlan::store_any() {
  if (precision_ == Precision::f64) return store<double>(out_);
  store<float>(out_);
}

void ChirpPlan::start(const void* in, void* out) {
  out_ = out;
  load_any(in);
  phase_ = Phase::there;
  there_->start(longer_.data(), spectrum_.data());
}

bool ChirpPlan::test() {
  if (phase_ == Phase::there && there_->test()) {
    multiply_any();
    phase_ = Phase::back;
    back_->start(spectrum_.data(), longer_.data());
  }
  if (phase_ == Phase::back && back_->test()) {
    store_any();
    phase_ = Phase::idle;
  }
  return phase_ == Phase::idle;
}

void ChirpPlan::execute(const void* in, void* out) {
  out_ = out;
  load_any(in);
  there_->execute(longer_.data(), spectrum_.data());
  multiply_any();
  back_->execute(spectrum_.data(), longer_.data());
  store_any();
}

Footprint ChirpPlan::footprint() const {
  const Footprint there = there_->footprint(), back = back_->footprint();
  return {
      .send = there.send + back.send,
      .receive = there.receive + back.receive,
      .shared = there.shared + back.shared,
      .scratch = there.scratch + back.scratch + longer_.size() + spectrum_.size() + chirp_.size()};
}

double ChirpPlan::flops() const { return there_->flops() + back_->flops(); }

std::vector<Event> ChirpPlan::events() const {
  std::vector<Event> events = there_->events();
  const double behind = events.empty() ? 0 : events.back().end_s;
  for (Event event : back_->events()) {
    event.begin_s += behind;
    event.end_s += behind;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace weft::global
