// SPDX-License-Identifier: BSD-3-Clause
// A program written for heFFTe in C++11, on weft: every rank transforms the whole array by sums and
// compares its part. Boxes of unequal sizes, ranks that hold nothing, orders of storage, batches,
// scales, both precisions, cosine and sine transforms, and calls that must be refused.
#include "heffte.h"

#include <cstdio>
#include <cstring>

namespace {

using heffte::box3d;
using heffte::scale;
using Complex = std::complex<double>;
using Kernel = std::function<Complex(int n, int i, int k)>;

int failures = 0, rank = 0, ranks = 1;
const box3d<> world({{0, 0, 0}}, {{5, 4, 6}});
const double pi = 3.14159265358979323846;

void expect(bool is_true, const char* what, int line) {
  if (is_true) return;
  ++failures;
  std::printf("rank %d of %d, line %d: %s\n", rank, ranks, line, what);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

template <class Exception, class Body>
bool throws(const Body& body) {
  try {
    body();
  } catch (const Exception&) {
    return true;
  } catch (...) {
  }
  return false;
}

Complex value(int i) { return {std::sin(1.7 * i * i + 0.3), std::cos(2.9 * i)}; }

std::size_t place(const box3d<>& box, int i, int j, int k) {
  const int index[3] = {i - box.low[0], j - box.low[1], k - box.low[2]};
  const int fast = box.order[0], middle = box.order[1], slow = box.order[2];
  return static_cast<std::size_t>(
      (index[slow] * box.size[middle] + index[middle]) * box.size[fast] + index[fast]);
}

/// A function for each index of a box, where it lies in memory.
template <class Body>
void each(const box3d<>& box, const Body& body) {
  for (int k = box.low[2]; k <= box.high[2]; ++k)
    for (int j = box.low[1]; j <= box.high[1]; ++j)
      for (int i = box.low[0]; i <= box.high[0]; ++i) body(i, j, k, place(box, i, j, k));
}

/// The transform of the whole array, direction by direction.
std::vector<Complex> by_sums(std::vector<Complex> array, const Kernel& kernel) {
  for (int d = 0; d < 3; ++d) {
    std::vector<Complex> next(array.size());
    each(world, [&](int i, int j, int k, std::size_t to) {
      int at[3] = {i, j, k};
      const int frequency = at[d];
      for (at[d] = 0; at[d] < world.size[static_cast<std::size_t>(d)]; ++at[d])
        next[to] += array[place(world, at[0], at[1], at[2])] *
                    kernel(world.size[static_cast<std::size_t>(d)], at[d], frequency);
    });
    array = next;
  }
  return array;
}

Complex forward_kernel(int n, int i, int k) { return std::polar(1.0, -2 * pi * i * k / n); }
Complex backward_kernel(int n, int i, int k) { return std::polar(1.0, 2 * pi * i * k / n); }

std::vector<Complex> input(int batch, bool is_real) {
  std::vector<Complex> array(static_cast<std::size_t>(world.count()));
  for (std::size_t i = 0; i < array.size(); ++i) {
    array[i] = value(static_cast<int>(i) + 1000 * batch);
    if (is_real) array[i] = array[i].real();
  }
  return array;
}

template <class T>
T as(Complex z) {
  return static_cast<T>(z);
}
template <>
float as<float>(Complex z) {
  return static_cast<float>(z.real());
}
template <>
double as<double>(Complex z) {
  return z.real();
}

/// This rank's part of a whole array.
template <class T>
std::vector<T> part(const std::vector<Complex>& array, const box3d<>& box) {
  std::vector<T> mine(static_cast<std::size_t>(box.count()));
  each(box, [&](int i, int j, int k, std::size_t to) {
    mine[to] = as<T>(array[place(world, i, j, k)]);
  });
  return mine;
}

template <class T, class U>
double difference(const T* found, const std::vector<U>& expected, double factor) {
  double worst = 0;
  for (std::size_t i = 0; i < expected.size(); ++i)
    worst = std::max(worst, static_cast<double>(std::abs(found[i] - expected[i] * U(factor))));
  return worst;
}

double tolerance(float) { return 2e-3; }
double tolerance(double) { return 1e-11; }

/// Boxes by other grids and orders on the two sides; or all on one rank and nothing on the others.
struct Boxes {
  box3d<> in, out;
};
Boxes boxes(int which, const box3d<>& spectrum) {
  const std::array<int, 3> orders[] = {{{0, 1, 2}}, {{2, 0, 1}}, {{1, 2, 0}}};
  const std::array<int, 3> grid = heffte::proc_setup_min_surface(world, ranks);
  const box3d<> nothing({{0, 0, 0}}, {{-1, -1, -1}});
  const auto by_grid = heffte::split_world(world, grid);
  const auto slabs = heffte::split_world(spectrum, std::array<int, 3>{{1, 1, ranks}});
  const box3d<> in = which < 2   ? by_grid[static_cast<std::size_t>(rank)]
                     : rank == 0 ? world
                                 : nothing;
  const box3d<> out = slabs[static_cast<std::size_t>(ranks - 1 - rank)];
  return {box3d<>(in.low, in.high, orders[which]),
          box3d<>(out.low, out.high, orders[(which + 1) % 3])};
}

template <class Tag, class Real>
void check_complex(int which, bool in_place) {
  using C = std::complex<Real>;
  const Boxes b = boxes(which, world);
  const heffte::fft3d<Tag> fft(b.in, b.out, MPI_COMM_WORLD);
  const int batch = 1 + 2 * (which == 1);
  const auto most = static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox()));
  std::vector<C> first(most * static_cast<std::size_t>(batch)), second(first);
  C* const in = first.data();
  C* const out = in_place ? in : second.data();
  std::vector<C> expected, original;
  for (int i = 0; i < batch; ++i) {
    const auto mine = part<C>(input(i, false), b.in);
    const auto modes = part<C>(by_sums(input(i, false), forward_kernel), b.out);
    original.insert(original.end(), mine.begin(), mine.end());
    expected.insert(expected.end(), modes.begin(), modes.end());
  }
  std::copy(original.begin(), original.end(), in);
  std::vector<C> workspace(fft.size_workspace() * static_cast<std::size_t>(batch));
  const double n = static_cast<double>(world.count());
  fft.forward(batch, in, out, workspace.data(), scale::symmetric);
  EXPECT(difference(out, expected, 1 / std::sqrt(n)) < tolerance(Real()));
  if (!in_place) EXPECT(difference(in, original, 1) == 0);
  fft.backward(batch, out, in, scale::symmetric);
  EXPECT(difference(in, original, 1) < tolerance(Real()));
}

/// In place on some ranks, with two arrays on the others.
void check_mixed() {
  const Boxes b = boxes(0, world);
  const heffte::fft3d<heffte::backend::fftw> fft(b.in, b.out, MPI_COMM_WORLD);
  const auto original = part<Complex>(input(0, false), b.in);
  auto in = original;
  in.resize(static_cast<std::size_t>(std::max(fft.size_inbox(), fft.size_outbox())));
  std::vector<Complex> apart(static_cast<std::size_t>(fft.size_outbox()));
  Complex* const out = rank % 2 == 0 ? in.data() : apart.data();
  fft.forward(in.data(), out);
  EXPECT(difference(out, part<Complex>(by_sums(input(0, false), forward_kernel), b.out), 1) <
         1e-11);
  std::vector<double> real(in.size() * 2);  // real parts in place of complex numbers
  std::memcpy(real.data(), out, static_cast<std::size_t>(fft.size_outbox()) * sizeof(Complex));
  fft.backward(reinterpret_cast<const Complex*>(real.data()), real.data(), scale::full);
  for (std::size_t i = 0; i < original.size(); ++i)
    EXPECT(std::abs(real[i] - original[i].real()) < 1e-12);
}

/// Real numbers and the whole spectrum; backward gives real parts, also of what is not symmetric.
void check_real() {
  const Boxes b = boxes(1, world);
  const heffte::fft3d<heffte::backend::stock> fft(b.in, b.out, MPI_COMM_WORLD);
  std::vector<Complex> modes(static_cast<std::size_t>(fft.size_outbox()));
  fft.forward(part<double>(input(0, true), b.in).data(), modes.data());
  EXPECT(difference(modes.data(), part<Complex>(by_sums(input(0, true), forward_kernel), b.out),
                    1) < 1e-11);
  std::vector<double> real(static_cast<std::size_t>(fft.size_inbox()));
  const auto any = part<Complex>(input(3, false), b.out);
  fft.backward(any.data(), real.data(), scale::full);
  EXPECT(difference(real.data(), part<double>(by_sums(input(3, false), backward_kernel), b.in),
                    1 / static_cast<double>(world.count())) < 1e-11);
}

template <class Real>
void check_r2c(int direction, int which) {
  using C = std::complex<Real>;
  const Boxes b = boxes(which, world.r2c(direction));
  heffte::fft3d_r2c<heffte::backend::mkl> made(b.in, b.out, direction, MPI_COMM_WORLD);
  heffte::fft3d_r2c<heffte::backend::mkl> fft = std::move(made);
  const auto original = part<Real>(input(0, true), b.in);
  const auto modes = fft.forward(original, scale::full);
  EXPECT(difference(modes.data(), part<C>(by_sums(input(0, true), forward_kernel), b.out),
                    fft.get_scale_factor(scale::full)) < tolerance(Real()));
  const auto back = fft.backward(modes);
  EXPECT(difference(back.data(), original, 1) < tolerance(Real()));
}

/// `factor`: by what the unscaled way back differs from FFTW's.
template <class Tag>
void check_r2r(const Kernel& there, const Kernel& back, double factor, double full) {
  const Boxes b = boxes(0, world);
  heffte::rtransform<Tag> transform(b.in, b.out, MPI_COMM_WORLD);
  EXPECT(std::abs(transform.get_scale_factor(scale::full) * full - 1) < 1e-14);
  const auto original = part<double>(input(0, true), b.in);
  const auto modes = transform.forward(original);
  EXPECT(difference(modes.data(), part<double>(by_sums(input(0, true), there), b.out), 1) < 1e-10);
  const auto some = part<double>(input(1, true), b.out);
  EXPECT(difference(transform.backward(some).data(),
                    part<double>(by_sums(input(1, true), back), b.in), factor) < 1e-10);
  EXPECT(difference(transform.backward(modes, scale::full).data(), original, 1) < 1e-12);
  const auto symmetric = transform.forward(original, scale::symmetric);
  EXPECT(difference(transform.backward(symmetric, scale::symmetric).data(), original, 1) < 1e-12);
}

void check_cosines() {
  using namespace heffte::backend;
  const Kernel dct2 = [](int n, int i, int k) { return 2 * std::cos(pi * (i + 0.5) * k / n); };
  const Kernel dct3 = [](int n, int i, int k) {
    return i == 0 ? 1.0 : 2 * std::cos(pi * i * (k + 0.5) / n);
  };
  const Kernel dst2 = [](int n, int i, int k) {
    return 2 * std::sin(pi * (i + 0.5) * (k + 1) / n);
  };
  const Kernel dst3 = [](int n, int i, int k) {
    return i == n - 1 ? (k % 2 == 0 ? 1.0 : -1.0) : 2 * std::sin(pi * (i + 1) * (k + 0.5) / n);
  };
  const Kernel dct1 = [](int n, int i, int k) {
    return (i == 0 || i == n - 1 ? 1 : 2) * std::cos(pi * i * k / (n - 1));
  };
  const Kernel dst1 = [](int n, int i, int k) {
    return 2 * std::sin(pi * (i + 1) * (k + 1) / (n + 1));
  };
  const double points = 6 * 5 * 7, fewer = 5 * 4 * 6, more = 7 * 6 * 8;
  check_r2r<fftw_cos>(dct2, dct3, 1, 8 * points);
  check_r2r<stock_cos>(dct2, dct3, 8, 64 * points);
  check_r2r<mkl_sin>(dst2, dst3, 8, 64 * points);
  check_r2r<fftw_sin>(dst2, dst3, 1, 8 * points);
  check_r2r<fftw_cos1>(dct1, dct1, 1, 8 * fewer);
  check_r2r<stock_cos1>(dct1, dct1, 8, 64 * fewer);
  check_r2r<fftw_sin1>(dst1, dst1, 1, 8 * more);
}

/// Types of other libraries, and the smallest arrays.
void check_types() {
  const heffte::fft2d<heffte::backend::fftw, long long> fft(
      heffte::box2d<long long>({{0, 0, 0}}, {{rank == 0 ? 1 : -1, 0, 0}}),
      heffte::box2d<long long>({{0, 0, 0}}, {{rank == 0 ? 1 : -1, 0, 0}}), MPI_COMM_WORLD);
  fftw_complex two[2] = {{1, 2}, {3, 5}}, sums[2] = {{0, 0}, {0, 0}};
  fft.forward(two, sums);
  heffte::c_double_complex one[2] = {1, 2}, other[2] = {0, 0};
  fft.forward(one, other);
  if (rank == 0) {
    EXPECT(std::abs(sums[0][0] - 4) + std::abs(sums[0][1] - 7) + std::abs(sums[1][0] + 2) < 1e-14);
    EXPECT(std::abs(__real__ other[0] - 3) + std::abs(__real__ other[1] + 1) < 1e-14);
  }
  EXPECT(fft.size_inbox() == (rank == 0 ? 2 : 0));
}

/// Transforms along single directions of a box on one rank, in another order of storage.
void check_executors() {
  const box3d<> box(world.low, world.high, {{1, 2, 0}});
  auto array = part<Complex>(input(0, false), box);
  auto real = part<double>(input(0, true), box);
  const auto original = real;
  for (int d = 0; d < 3; ++d) {
    heffte::make_executor<heffte::backend::fftw>(nullptr, box, d)
        ->forward(array.data(), static_cast<Complex*>(nullptr));
    const auto cosines = heffte::make_executor<heffte::backend::stock_cos>(nullptr, box, d);
    cosines->forward(real.data(), static_cast<double*>(nullptr));
    cosines->backward(real.data(), static_cast<double*>(nullptr));
  }
  EXPECT(difference(array.data(), part<Complex>(by_sums(input(0, false), forward_kernel), box), 1) <
         1e-11);
  EXPECT(difference(real.data(), original, 64 * 6 * 5 * 7) < 1e-8);
}

void check_geometry() {
  EXPECT(world.count() == 6 * 5 * 7 && !world.empty() && !world.is2d());
  EXPECT(world.r2c(0).size[0] == 4 && world.r2c(1).size[1] == 3 && world.r2c(2).size[2] == 4);
  const box3d<> turned({{1, 2, 3}}, {{4, 4, 4}}, {{2, 0, 1}});
  EXPECT(turned.osize(0) == 2 && turned.osize(1) == 4 && turned.find_order(1) == 2);
  EXPECT(turned.collide(world) == turned && turned != world && !turned.ordered_same_as(world));
  EXPECT(box3d<>({{0, 0, 0}}, {{-1, 3, 3}}).empty());
  const auto parts = heffte::split_world(world, std::array<int, 3>{{4, 2, 1}});
  EXPECT(parts.size() == 8 && parts[0].size[0] == 2 && parts[3].size[0] == 1 &&
         parts[4].low[1] == 3);
  EXPECT(heffte::find_world(parts) == world && heffte::world_complete(parts, world));
  EXPECT((heffte::make_procgrid(12) == std::array<int, 2>{{3, 4}}));
  const box3d<> cube({{0, 0, 0}}, {{11, 11, 11}});
  EXPECT((heffte::proc_setup_min_surface(cube, 8) == std::array<int, 3>{{2, 2, 2}}));
  EXPECT((heffte::proc_setup_min_surface(cube, 6) == std::array<int, 3>{{1, 2, 3}}));
  const auto pencils = heffte::make_pencils(world, {{2, 4}}, 1, parts, {{1, 0, 2}});
  EXPECT(heffte::is_pencils(world, pencils, 1) && heffte::find_world(pencils) == world);
  EXPECT(pencils[0].order[0] == 1);
  const auto mine = boxes(0, world);
  const auto all = heffte::mpi::gather_boxes(mine.in, mine.out, MPI_COMM_WORLD);
  EXPECT(all.in[static_cast<std::size_t>(rank)] == mine.in);
  const auto options = heffte::default_options<heffte::backend::fftw>();
  const auto plan = heffte::plan_operations<int>(all, -1, options, rank);
  EXPECT(heffte::compute_grids(plan).size() == 5 && plan.index_count == world.count());
  EXPECT(Heffte_VERSION_MAJOR == 2 && Heffte_VERSION_MINOR >= 4);
}

/// Each is refused on all ranks, and the next collective call works.
void check_refusals() {
  using Fft = heffte::fft3d<heffte::backend::fftw>;
  const Boxes b = boxes(0, world);
  EXPECT(throws<std::invalid_argument>([&] {  // one rank's box is not its own
    Fft(rank == 0 ? world : b.in, b.out, MPI_COMM_WORLD);
    if (ranks == 1) throw std::invalid_argument("");
  }));
  EXPECT(throws<std::invalid_argument>(
      [&] { Fft(box3d<>({{1, 0, 0}}, {{0, 4, 6}}), b.out, MPI_COMM_WORLD); }));
  EXPECT(throws<std::invalid_argument>([&] {  // nobody has the first plane
    const int first = b.in.low[0] == 0 ? 1 : b.in.low[0];
    Fft(box3d<>({{first, b.in.low[1], b.in.low[2]}}, b.in.high), b.out, MPI_COMM_WORLD);
  }));
  EXPECT(throws<std::invalid_argument>([&] {
    Fft(rank == 0 ? box3d<>(b.in.low, b.in.high, {{0, 1, 1}}) : b.in, b.out, MPI_COMM_WORLD);
  }));
  EXPECT(throws<std::invalid_argument>(
      [&] { heffte::fft3d_r2c<heffte::backend::fftw>(b.in, b.out, 0, MPI_COMM_WORLD); }));
  EXPECT(throws<std::invalid_argument>(
      [&] { heffte::fft3d_r2c<heffte::backend::fftw>(b.in, b.out, 3, MPI_COMM_WORLD); }));
  EXPECT(throws<std::invalid_argument>([&] { Fft(b.in, b.out, MPI_COMM_NULL); }));
  Fft fft(b.in, b.out, MPI_COMM_WORLD);
  EXPECT(throws<std::invalid_argument>(
      [&] { fft.forward(std::vector<double>(static_cast<std::size_t>(fft.size_inbox() - 1))); }));
  const auto whole = part<Complex>(input(0, false), b.in);
  std::vector<Complex> out(static_cast<std::size_t>(fft.size_outbox()));
  EXPECT(throws<std::invalid_argument>([&] { fft.forward(0, whole.data(), out.data()); }));
  EXPECT(throws<std::invalid_argument>([&] { fft.forward(-3, whole.data(), out.data()); }));
  fft.forward(whole.data(), out.data(), scale::full);  // planned both
  fft.forward(whole.data(), out.data(), scale::none);
  EXPECT(throws<std::invalid_argument>([&] {  // ranks do not agree
    fft.forward(whole.data(), out.data(), rank == 0 ? scale::none : scale::full);
    if (ranks == 1) throw std::invalid_argument("");
  }));
  fft.forward(whole.data(), out.data());
  EXPECT(difference(out.data(), part<Complex>(by_sums(input(0, false), forward_kernel), b.out), 1) <
         1e-11);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  rank = heffte::mpi::comm_rank(MPI_COMM_WORLD);
  ranks = heffte::mpi::comm_size(MPI_COMM_WORLD);
  for (int which = 0; which < 3; ++which) {
    check_complex<heffte::backend::fftw, double>(which, false);
    check_complex<heffte::backend::stock, double>(which, true);
    check_complex<heffte::backend::mkl, float>(which, which != 1);
    check_r2c<double>(which, which);
  }
  check_r2c<float>(2, 0);
  check_mixed();
  check_real();
  check_cosines();
  check_types();
  check_executors();
  check_geometry();
  check_refusals();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return failures == 0 ? 0 : 1;
}
