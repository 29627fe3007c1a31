// SPDX-License-Identifier: BSD-3-Clause
#include "global/line/chirp.hpp"

#include <algorithm>
#include <utility>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "global/line/line.hpp"

namespace weft::global {

using reshape::Memory;
using reshape::Piece;

namespace {

/// The boxes one after another in one memory.
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

/// The chirp of the longer line: b[l] at l and at points - l, b[l] = w^(-l l), scaled for the way
/// there and back; in the layout of the pieces.
template <class Real>
void fill_chirp(std::span<const Piece> pieces, const ChirpLine& line, Index points,
                std::byte* memory) {
  const RootPowers<double> roots(2 * line.n, line.direction);
  const double scale = 1.0 / static_cast<double>(points);
  for (const Piece& piece : pieces) {
    auto* x = reinterpret_cast<std::complex<Real>*>(memory + piece.offset);
    const Index step = piece.strides[at(line.axis)], extent = piece.box.extent(line.axis);
    for (Index i = 0; i < piece.box.count(); ++i) {  // the boxes are dense
      const Index k = piece.box.begin[at(line.axis)] + i / step % extent;
      const Index l = std::min(k, points - k);
      const std::complex<double> b =
          l < line.n ? scale * std::conj(roots(multiply_mod(l, l, 2 * line.n))) : 0.0;
      x[i] = {static_cast<Real>(b.real()), static_cast<Real>(b.imag())};
    }
  }
}

ChirpLine line_of(const GlobalProblem& line, int axis) {
  return {.n = line.dimension(axis).n,
          .axis = axis,
          .direction = line.kind == Kind::c2r   ? Direction::backward
                       : line.kind == Kind::r2c ? Direction::forward
                                                : line.direction,
          .precision = line.precision};
}

}  // namespace

ChirpPlan::ChirpPlan(const GlobalProblem& line, const Recipe& recipe, const LineSplit& padded,
                     const std::vector<Piece>& input, const std::vector<Piece>& output,
                     const Comm& comm, const BuildOptions& options)
    : device_(options.device), steps_(device_->make_chirp_steps(line_of(line, padded.axis))) {
  const auto rank = at(comm.rank());
  const Kind kind = line.kind;
  const Index bytes = out_element_bytes(Kind::c2c, line.precision);
  const GlobalProblem longer = padded_problem(line, padded);
  const GlobalProblem matrix = matrix_problem(longer, padded);
  const ArrayDistribution scrambled =
      distribution_of(matrix, recipe.stages.back(), matrix.output_shape());
  const GlobalProblem shorter = unpadded_problem(line, padded, scrambled);
  const auto middle_out = dense_pieces(scrambled[rank], Memory::output, bytes);
  const auto middle_in = dense_pieces(scrambled[rank], Memory::input, bytes);
  const auto to = dense_pieces(line.output[rank], Memory::output, bytes);
  // The result takes the place of the line; the zeros, the last box, stay after both.
  std::vector<Box> boxes = longer.input[rank];
  const Box zeros = boxes.back();
  boxes.pop_back();
  auto from = dense_pieces(boxes, Memory::input, bytes);
  const Index line_bytes = std::max(bytes_of(from, bytes), bytes_of(to, bytes));
  std::vector<Piece> users = input;
  if (kind == Kind::c2r)
    for (const Piece& piece : input)
      for (const Piece& mirror :
           mirrored_half(piece, padded.axis, line.dimension(padded.axis).n, bytes))
        users.push_back(mirror);
  for (const Piece& user : users)
    for (const Piece& there : from)
      if (there.box == user.box)
        loads_.push_back({.from = user, .to = there, .from_reals = kind == Kind::r2c});
  for (std::size_t i = 0; i < to.size(); ++i)
    stores_.push_back(
        {.from = to[i], .to = output[i], .to_reals = kind == Kind::c2r, .scale = line.scale});
  from.push_back({zeros, Memory::input, line_bytes, reshape::dense_strides(zeros)});
  longer_ = device_->allocate(line_bytes + zeros.count() * bytes);
  spectrum_ = device_->allocate(bytes_of(middle_in, bytes));
  chirp_ = device_->allocate(bytes_of(middle_in, bytes));
  spectrum_count_ = bytes_of(middle_in, bytes) / bytes;
  BuildOptions build = options;
  build.in_place = false;
  if (!build.workspace)
    build.workspace = std::make_shared<Workspace>(build.device, comm.rank(), comm.size());
  there_ = std::make_unique<StagedPlan>(matrix, recipe, matrix_input(longer, padded, from),
                                        middle_out, comm, build);
  back_ = std::make_unique<StagedPlan>(matrix_problem(shorter, padded), way_back(recipe), middle_in,
                                       matrix_output(shorter, padded, to), comm, build);
  upload_chirp(from, line_of(line, padded.axis), padded.rows * padded.columns);
}

void ChirpPlan::upload_chirp(std::span<const Piece> pieces, const ChirpLine& line, Index points) {
  Buffer<std::byte> host(longer_->bytes());
  std::ranges::fill(host.span(), std::byte{0});  // there may be gaps
  if (line.precision == Precision::f64)
    fill_chirp<double>(pieces, line, points, host.data());
  else
    fill_chirp<float>(pieces, line, points, host.data());
  device_->upload(longer_->data(), host.data(), host.size());
}

void ChirpPlan::connect() {
  there_->connect();
  back_->connect();
  there_->execute({longer_->data(), chirp_->data()});
  device_->synchronize();
  device_->fill_with_zeros(longer_->data(), longer_->bytes());
}

/// Does the work, unless the call or another step has failed before: the failure is told by the
/// exchanges that follow.
void ChirpPlan::attempt(WorkRef work) {
  if (call_.failure) return;
  try {
    work();
  } catch (...) {
    call_.failure = std::current_exception();
  }
}

void ChirpPlan::load() {
  attempt([&] {
    for (const ChirpProduct& product : loads_)
      steps_->run(product, static_cast<const std::byte*>(call_.in), longer_->data());
  });
}
void ChirpPlan::multiply() {
  attempt([&] { steps_->multiply(spectrum_->data(), chirp_->data(), spectrum_count_); });
}
void ChirpPlan::store() {
  for (const ChirpProduct& product : stores_)
    steps_->run(product, longer_->data(), static_cast<std::byte*>(call_.out));
}

/// Where not all ranks may have heard of a failure those that have go on, as void ones.
template <class Work>
bool ChirpPlan::go_there(const Work& work) {
  if (!device_->is_asynchronous()) return work();
  try {
    return work();
  } catch (...) {
    call_.failure = std::current_exception();
    return true;
  }
}

/// A device that works by itself begins the first stage at once.
void ChirpPlan::start(const Call& call) {
  call_ = call;
  const bool begins = device_->is_asynchronous();
  if (begins) load();
  there_->start({longer_->data(), spectrum_->data(), call_.failure});
  phase_ = begins ? Phase::there : Phase::loading;
}

bool ChirpPlan::test() {
  if (phase_ == Phase::loading) {
    load();
    phase_ = Phase::there;
  }
  if (phase_ == Phase::there) {
    const Phase before = std::exchange(phase_, Phase::idle);  // should it throw
    if (!go_there([&] { return there_->test(); })) {
      phase_ = before;
      return false;
    }
    multiply();
    phase_ = Phase::back;
    back_->start({spectrum_->data(), longer_->data(), call_.failure});
  }
  if (phase_ == Phase::back) {
    phase_ = Phase::idle;  // should it throw
    if (!back_->test()) {
      phase_ = Phase::back;
      return false;
    }
    store();
  }
  return true;
}

void ChirpPlan::execute(const Call& call) {
  call_ = call;
  load();
  go_there([&] {
    there_->execute({longer_->data(), spectrum_->data(), call_.failure});
    return true;
  });
  multiply();
  back_->execute({spectrum_->data(), longer_->data(), call_.failure});
  store();
}

/// There and back work in the same memory.
Footprint ChirpPlan::footprint() const {
  const Footprint there = there_->footprint(), back = back_->footprint();
  Footprint both = there;
  both.shared = std::max(there.shared, back.shared);
  both.scratch += std::max<Index>(0, back.total() - back.shared - there.total() + there.shared);
  both.scratch += longer_->bytes() + spectrum_->bytes() + chirp_->bytes();
  return both;
}

double ChirpPlan::flops() const { return there_->flops() + back_->flops(); }

std::vector<Event> ChirpPlan::events() const {
  std::vector<Event> events = there_->events();
  const double before = events.empty() ? 0 : events.back().end_s;
  for (Event event : back_->events()) {
    event.begin_s += before;
    event.end_s += before;
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace weft::global
