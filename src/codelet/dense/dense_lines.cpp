// SPDX-License-Identifier: BSD-3-Clause
// The dense line kernels of this build, and their tables. The build defines WEFT_HAS_<ISA> for the
// instruction sets that it compiles.
#include "codelet/dense/dense_lines.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <memory>
#include <mutex>
#include <vector>

#include "base/buffer.hpp"
#include "base/index.hpp"
#include "base/roots.hpp"
#include "codelet/ir/line_kernel.hpp"
#include "codelet/runtime/registry.hpp"

namespace weft::codelet {

#ifdef WEFT_HAS_NEON
namespace neon {
std::span<const DenseFunction> dense_functions(Precision precision);
}
#endif
#ifdef WEFT_HAS_AVX2
namespace avx2 {
std::span<const DenseFunction> dense_functions(Precision precision);
}
#endif
#ifdef WEFT_HAS_AVX512
namespace avx512 {
std::span<const DenseFunction> dense_functions(Precision precision);
}
#endif

namespace {

constexpr int shortest = shortest_dense_line, longest = longest_dense_line;

std::span<const DenseFunction> functions_of(Isa isa, Precision precision) {
#ifdef WEFT_HAS_NEON
  if (isa == Isa::neon) return neon::dense_functions(precision);
#endif
#ifdef WEFT_HAS_AVX2
  if (isa == Isa::avx2) return avx2::dense_functions(precision);
#endif
#ifdef WEFT_HAS_AVX512
  if (isa == Isa::avx512) return avx512::dense_functions(precision);
#endif
  static_cast<void>(isa), static_cast<void>(precision);
  return {};
}

int columns_of(Isa isa, Precision precision, int n) {
  return static_cast<int>(round_up(n % 2 == 0 ? n / 4 : n / 2, lanes(isa, precision)));
}

/// Operations on registers, most of them of the products.
OperationCount count_of(const KernelKey& key) {
  const int n = key.radix, parts = key.transform == KernelTransform::dft ? 2 : 1;
  const int registers = columns_of(key.isa, key.precision, n) / lanes(key.isa, key.precision);
  OperationCount count;
  count.fused = parts * registers * (n - 1);
  count.additions = n * parts;
  if (key.scaled) count.multiplications = n * parts;
  return count;
}

/// Is there a generated kernel for the length, or a complex one for half of it, after which mirror
/// images are paired? One for AVX2 does for AVX-512 as well.
bool has_generated_line(KernelKey key) {
  key.scaled = key.backward = false;
  if (key.isa == Isa::avx512) {
    KernelKey narrow = key;
    narrow.isa = Isa::avx2;
    if (has_generated_line(narrow)) return true;
  }
  if (find_generated_kernel(key) != nullptr) return true;
  if (key.transform == KernelTransform::dft || key.radix % 2 != 0) return false;
  key.transform = KernelTransform::dft;
  key.radix /= 2;
  return find_generated_kernel(key) != nullptr;
}

/// The kernels of an instruction set, by precision and length.
class DenseLines {
 public:
  explicit DenseLines(Isa isa) {
    for (Precision precision : {Precision::f32, Precision::f64})
      for (int n = shortest; n <= longest; ++n) {
        first_.push_back(all_.size());
        using enum KernelTransform;
        for (KernelTransform transform : {dft, real_forward, real_backward})
          add(isa, precision, n, transform);
      }
    first_.push_back(all_.size());
  }
  std::span<const CompiledKernel> all() const { return all_; }
  std::span<const CompiledKernel> of(Precision precision, int n) const {
    const int row = (precision == Precision::f64 ? longest - shortest + 1 : 0) + n - shortest;
    const auto place = static_cast<std::size_t>(row);
    return all().subspan(first_[place], first_[place + 1] - first_[place]);
  }

 private:
  void add(Isa isa, Precision precision, int n, KernelTransform transform) {
    KernelKey key{.isa = isa, .precision = precision, .radix = n};
    key.in = key.out = KernelLayout::line;
    key.transform = transform;
    if (!is_dense_line(key)) return;
    for (const DenseFunction& f : functions_of(isa, precision)) {
      if (f.transform != transform) continue;
      key.scaled = f.scaled;
      key.backward = f.backward;
      all_.push_back({key, f.function, count_of(key)});
    }
  }

  std::vector<CompiledKernel> all_;
  std::vector<std::size_t> first_;
};

const DenseLines& lines_for(Isa isa) {
  static const std::array<DenseLines, 4> lines{DenseLines(Isa::scalar), DenseLines(Isa::neon),
                                               DenseLines(Isa::avx2), DenseLines(Isa::avx512)};
  return lines[static_cast<std::size_t>(isa)];
}

template <class Real>
struct OwnTable {
  std::once_flag made;
  Buffer<Real> numbers;
  DenseTable<Real> table;

  void make(Isa isa, int n) {
    const int columns = columns_of(isa, sizeof(Real) == 8 ? Precision::f64 : Precision::f32, n);
    numbers = Buffer<Real>(Index{2} * columns * (n / 2));
    std::vector<std::complex<long double>> roots;
    for (int j = 0; j < n; ++j) roots.push_back(root_of_unity(n, j));
    for (int j = 1; j <= n / 2; ++j)
      for (int k = 0; k < columns; ++k) {
        const auto root = roots[static_cast<std::size_t>(j * (k + 1) % n)];
        Real* const row = numbers.data() + Index{2} * columns * (j - 1);
        row[k] = static_cast<Real>(root.real());
        row[columns + k] = static_cast<Real>(-root.imag());
      }
    table = {n, columns, numbers.data()};
  }
};

template <class Real>
const DenseTable<Real>* table_for(Isa isa, int n) {
  static std::array<std::array<OwnTable<Real>, longest - shortest + 1>, 4> tables;
  auto& own = tables[static_cast<std::size_t>(isa)][static_cast<std::size_t>(n - shortest)];
  std::call_once(own.made, [&] { own.make(isa, n); });
  return &own.table;
}

}  // namespace

bool is_dense_line(const KernelKey& key) {
  return key.in == KernelLayout::line && key.isa != Isa::scalar && key.radix >= shortest &&
         key.radix <= longest && !has_generated_line(key);
}

const CompiledKernel* find_dense_line(const KernelKey& key) noexcept {
  if (!is_dense_line(key)) return nullptr;
  const auto kernels = lines_for(key.isa).of(key.precision, key.radix);
  const auto found = std::ranges::find(kernels, key, &CompiledKernel::key);
  return found == kernels.end() ? nullptr : &*found;
}

std::span<const CompiledKernel> dense_lines(Isa isa) { return lines_for(isa).all(); }

const void* dense_table_of(const KernelKey& key) {
  if (key.precision == Precision::f64) return table_for<double>(key.isa, key.radix);
  return table_for<float>(key.isa, key.radix);
}

Index dense_table_bytes(const KernelKey& key) {
  const Index numbers = Index{2} * columns_of(key.isa, key.precision, key.radix) * (key.radix / 2);
  return numbers * (key.precision == Precision::f64 ? 8 : 4);
}

int lines_of(const KernelKey& line) { return is_dense_line(line) ? 1 : line_shape(line).lines; }

int registers_of(const KernelKey& line) {
  if (!is_dense_line(line)) return line_shape(line).registers;
  const Index reals = line.transform == KernelTransform::dft ? 2 * line.radix : line.radix;
  return static_cast<int>(ceil_div(reals, lanes(line.isa, line.precision)));
}

}  // namespace weft::codelet
