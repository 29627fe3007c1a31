// SPDX-License-Identifier: BSD-3-Clause
#include "pppm/charges.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <sstream>

#include "common/program.hpp"

namespace weft::apps {

std::array<Vector3, 3> Cell::reciprocal() const {
  std::array<Vector3, 3> rows{};
  for (std::size_t i = 0; i < 3; ++i) {
    rows[i] = cross(edges[(i + 1) % 3], edges[(i + 2) % 3]);
    for (double& each : rows[i]) each /= volume();
  }
  return rows;
}

double Cell::height(int i) const {
  const Vector3 normal = reciprocal()[as_size(i)];
  return 1 / std::sqrt(dot(normal, normal));
}

Vector3 Cell::cartesian(const Vector3& fraction) const {
  Vector3 sum{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t d = 0; d < 3; ++d) sum[d] += fraction[i] * edges[i][d];
  return sum;
}

double Charges::total() const { return std::accumulate(values.begin(), values.end(), 0.0); }

double Charges::sum_of_squares() const {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

namespace {

struct Lattice {
  std::vector<Vector3> positive;
  Vector3 shift;    // from a positive to a negative ion
  double spacing;   // of nearest neighbours, for a cube of side 1
  double madelung;  // per distance of nearest neighbours
  Cell primitive;   // for a cube of side 1
};

const Lattice& lattice(const std::string& name) {
  const Cell simple{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  const Cell faces{{{{0.5, 0.5, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}}}};
  const std::vector<Vector3> face_centred{{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
  static const std::map<std::string, Lattice> all{
      {"nacl", {face_centred, {0.5, 0.5, 0.5}, 0.5, 1.747564594633182, faces}},
      {"cscl", {{{0, 0, 0}}, {0.5, 0.5, 0.5}, std::sqrt(0.75), 1.762674773070988, simple}},
      {"zns", {face_centred, {0.25, 0.25, 0.25}, std::sqrt(0.1875), 1.638055053388789, faces}}};
  const auto found = all.find(name);
  if (found == all.end()) refuse("no crystal '" + name + "'; choose nacl, cscl or zns");
  return found->second;
}

double wrapped(double fraction) {
  fraction -= std::floor(fraction);
  return fraction < 1 ? fraction : 0;
}

void number(Charges& charges) {
  charges.ids.resize(charges.values.size());
  std::iota(charges.ids.begin(), charges.ids.end(), Index{1});
}

}  // namespace

double madelung_constant(const std::string& name) { return lattice(name).madelung; }

Charges crystal(const std::string& name, Index cells, bool primitive) {
  if (cells < 1) refuse("--cells must be at least 1");
  const Lattice& ions = lattice(name);
  Charges result;
  const Cell unit = primitive ? ions.primitive : Cell{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
  const std::array<Vector3, 3> to_fraction = unit.reciprocal();
  const auto n = static_cast<double>(cells);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t d = 0; d < 3; ++d)
      result.cell.edges[i][d] = n * unit.edges[i][d] / ions.spacing;
  const std::vector<Vector3> origin{{0, 0, 0}};
  for (Index cell = 0; cell < cells * cells * cells; ++cell) {
    const Vector3 corner{static_cast<double>(cell / (cells * cells)),
                         static_cast<double>(cell / cells % cells),
                         static_cast<double>(cell % cells)};
    for (const Vector3& ion : primitive ? origin : ions.positive)
      for (const double charge : {1.0, -1.0}) {
        Vector3 place = ion;
        if (charge < 0)
          for (std::size_t d = 0; d < 3; ++d) place[d] += ions.shift[d];
        Vector3 fraction{};
        for (std::size_t i = 0; i < 3; ++i)
          fraction[i] = wrapped((dot(to_fraction[i], place) + corner[i]) / n);
        result.fractions.push_back(fraction);
        result.values.push_back(charge);
      }
  }
  number(result);
  return result;
}

Charges random_charges(Index count, int seed, double tilt) {
  if (count < 2 || count % 2 != 0) refuse("--random needs an even number of charges");
  const double side = std::cbrt(static_cast<double>(count));
  Charges result;
  result.cell.edges = {
      {{side, 0, 0}, {tilt * side, side, 0}, {-tilt * side, 0.5 * tilt * side, side}}};
  std::uint64_t draw = 0;
  const auto next = [&] { return uniform(hash(static_cast<std::uint64_t>(seed), ++draw)); };
  while (result.count() < count) {
    const Vector3 fraction{next(), next(), next()};
    const bool has_room = std::ranges::all_of(result.fractions, [&](const Vector3& other) {
      Vector3 difference{};
      for (std::size_t i = 0; i < 3; ++i) {
        difference[i] = fraction[i] - other[i];
        difference[i] -= std::round(difference[i]);
      }
      const Vector3 d = result.cell.cartesian(difference);
      return dot(d, d) > 0.25;
    });
    if (!has_room) continue;
    result.values.push_back(result.count() % 2 == 0 ? 1.0 : -1.0);
    result.fractions.push_back(fraction);
  }
  number(result);
  return result;
}

namespace {

/// The lines of a file without comments.
std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::io, "cannot read " + path + "; is it there?");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line.substr(0, line.find('#')));
  return lines;
}

struct DataHead {
  Index atoms = 0;
  std::array<double, 3> low{}, high{1, 1, 1}, tilt{};
};

/// Lines such as "8 atoms", "0.0 4.2 xlo xhi" and "0 0 0 xy xz yz".
void read_head_line(const std::string& line, DataHead& head) {
  std::istringstream words(line);
  if (line.find(" atoms") != std::string::npos) words >> head.atoms;
  constexpr std::array<const char*, 3> bounds = {"xlo", "ylo", "zlo"};
  for (std::size_t d = 0; d < 3; ++d)
    if (line.find(bounds[d]) != std::string::npos) words >> head.low[d] >> head.high[d];
  if (line.find(" xy ") != std::string::npos) words >> head.tilt[0] >> head.tilt[1] >> head.tilt[2];
}

bool is_blank(const std::string& line) {
  return line.find_first_not_of(" \t\r") == std::string::npos;
}

}  // namespace

Charges read_lammps_data(const std::string& path) {
  const std::vector<std::string> lines = lines_of(path);
  DataHead head;
  std::size_t at = 1;  // the first line is a title
  for (; at < lines.size() && lines[at].rfind("Atoms", 0) != 0; ++at)
    read_head_line(lines[at], head);
  const auto bad = [&](const std::string& what) {
    throw Error(ErrorCode::io, path + ": " + what +
                                   "; give a data file of LAMMPS with atom style "
                                   "charge or full");
  };
  if (at == lines.size()) bad("no section Atoms");
  if (head.atoms < 1) bad("no line 'N atoms'");
  Charges result;
  const auto length = [&](std::size_t d) { return head.high[d] - head.low[d]; };
  result.corner = {head.low[0], head.low[1], head.low[2]};
  result.cell.edges = {
      {{length(0), 0, 0}, {head.tilt[0], length(1), 0}, {head.tilt[1], head.tilt[2], length(2)}}};
  if (!(result.cell.volume() > 0)) bad("the box has no volume");
  const std::array<Vector3, 3> to_fraction = result.cell.reciprocal();
  for (++at; at < lines.size() && result.count() < head.atoms; ++at) {
    if (is_blank(lines[at])) continue;
    std::istringstream words(lines[at]);
    std::vector<double> numbers;
    for (double number = 0; words >> number;) numbers.push_back(number);
    // charge: id type q x y z; full: id molecule type q x y z; both may end with three images.
    const std::size_t columns = numbers.size();
    if (columns != 6 && columns != 7 && columns != 9 && columns != 10)
      bad(fmt::format("cannot read the atom '{}'", lines[at]));
    const std::size_t q = columns == 6 || columns == 9 ? 2 : 3;
    Vector3 place{};
    for (std::size_t d = 0; d < 3; ++d) place[d] = numbers[q + 1 + d] - result.corner[d];
    Vector3 fraction{};
    for (std::size_t i = 0; i < 3; ++i) fraction[i] = wrapped(dot(to_fraction[i], place));
    result.ids.push_back(std::llround(numbers[0]));
    result.values.push_back(numbers[q]);
    result.fractions.push_back(fraction);
  }
  if (result.count() != head.atoms)
    bad(fmt::format("it says {} atoms and has {}", head.atoms, result.count()));
  return result;
}

}  // namespace weft::apps
