// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/emit_kernel.hpp"

#include <cstdlib>
#include <set>

#include "base/format.hpp"
#include "base/index.hpp"
#include "codelet/emit/emit_cuda.hpp"
#include "codelet/emit/text_writer.hpp"
#include "gpu/emit/emit_preamble.hpp"
#include "gpu/emit/emit_stage.hpp"
#include "gpu/recipe/recipe_text.hpp"

namespace weft::gpu {
namespace {

class KernelEmitter : codelet::TextWriter {
 public:
  KernelEmitter(const TilePass& pass, const Geometry& geometry, const Tables& tables)
      : pass_(pass), geometry_(geometry), tables_(tables) {}

  std::string run() {
    line("// weft: {}", to_text(pass_));
    text_ += emit_preamble(pass_);
    line("__device__ __forceinline__ Complex conjugate(Complex x) {{ return {{x.re, -x.im}}; }}");
    line("using Offset = {};", has_far_points() ? "long long" : "int");
    line("using Exponent = {};", has_long_axis() ? "unsigned long long" : "unsigned");
    std::set<int> radices, twisted;
    for (int p = 0; p < static_cast<int>(pass_.tile_axes.size()); ++p)
      for (int i = 0; i < static_cast<int>(pass_.tile_axes[at(p)].radices.size()); ++i)
        (tables_.twist({p, i}).is_fused ? twisted : radices)
            .insert(pass_.tile_axes[at(p)].radices[at(i)]);
    for (int r : radices)
      text_ += r == 1 ? "__device__ __forceinline__ void dft1(Complex (&)[1]) {}\n"
                      : codelet::emit_cuda(r);
    for (int r : twisted) text_ += codelet::emit_cuda_twisted(r);
    emit_tile();
    for (int s = 0; s <= geometry_.last_stage(); ++s)
      text_ += emit_stage(pass_, geometry_, tables_, s);
    emit_device_kernel();
    emit_host_kernel();
    return text_;
  }

 private:
  /// Whether offsets within a tile need more than 31 bits.
  bool has_far_points() const {
    Index in = 0, out = 0;
    for (const Digit& d : geometry_.digits()) {
      in += std::abs(d.in) * d.extent;
      out += std::abs(d.out) * d.extent;
    }
    for (const TileAxis& tile_axis : pass_.tile_axes) {
      if (tile_axis.in_blocks)
        in += tile_axis.n() / tile_axis.in_blocks.length * tile_axis.in_blocks.jump;
      if (tile_axis.out_blocks)
        out += tile_axis.n() / tile_axis.out_blocks.length * tile_axis.out_blocks.jump;
    }
    return in > 0x7fffffff || out > 0x7fffffff;
  }
  bool has_long_axis() const {
    for (const TileAxis& tile_axis : pass_.tile_axes)
      if (tile_axis.whole > 0x7fffffff) return true;
    return false;
  }

  /// What all tasks of a block share, and how it follows from the number of the tile.
  void emit_tile() {
    const bool has_mirrors = pass_.untangles() || pass_.tangles;
    line("struct Tile {{");
    line("  const Input* in;");
    line("  Output* out;");
    line("  const Complex* tables;");
    line("  Real scale;");
    line("  unsigned rank;");
    if (has_mirrors) line("  const Input* origin;");
    if (pass_.tangles) line("  Output* back;");
    for (std::size_t l = 0; l < pass_.loops.size(); ++l) line("  unsigned index{};", l);
    line("}};");
    line(
        "__device__ __forceinline__ Tile tile_at(const Input* in, Output* out, const Complex* "
        "tables, Real scale, unsigned number, unsigned rank) {{");
    line("  Tile tile{{in, out, tables, scale{}, rank}};", pass_.untangles() ? " * Real(0.5)" : "");
    if (has_mirrors) line("  tile.origin = in;");
    if (pass_.tangles) line("  tile.back = out;");
    if (pass_.is_reversed) line("  number = {}u - number;", geometry_.tiles() - 1);
    for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
      const Loop& loop = pass_.loops[at(l)];
      const Index count = ceil_div(loop.count, loop.tile);
      line("  tile.index{} = number % {}u * {}u;", l, count, loop.tile);
      line("  number /= {}u;", count);
      if (loop.in_far > 0)
        line("  tile.in += (long long)(tile.index{} / {}u) * {};", l, loop.tile, loop.in_far);
      else
        line("  tile.in += (long long)(tile.index{}) * {};", l, loop.in);
      if (loop.out_far > 0)
        line("  tile.out += (long long)(tile.index{} / {}u) * {};", l, loop.tile, loop.out_far);
      else
        line("  tile.out += (long long)(tile.index{}) * {};", l, loop.out);
      if (has_mirrors && loop.mirror == 0)
        line("  tile.origin += (long long)(tile.index{}) * {};", l, loop.in);
      if (pass_.tangles && loop.mirror == 0)
        line("  tile.back += (long long)(tile.index{}) * {};", l, loop.out);
    }
    line("  return tile;");
    line("}}");
  }

  void emit_device_kernel() {
    line("#ifdef __CUDACC__");
    line("extern \"C\" __global__ void{} __launch_bounds__({}, {})",
         pass_.cluster > 1 ? weft::format(" __cluster_dims__({}, 1, 1)", pass_.cluster) : "",
         pass_.threads, pass_.blocks_per_sm);
    line(
        "weft_pass(const Input* in, Output* out, const Complex* __restrict__ tables, Real scale) "
        "{{");
    line("  follow_the_pass_before();");
    line("  extern __shared__ __align__(16) unsigned char memory[];");
    line("  Shared* shared = reinterpret_cast<Shared*>(memory);");
    line(
        "  const Tile tile = tile_at(in, out, tables, scale, blockIdx.x / {0}u, blockIdx.x % "
        "{0}u);",
        pass_.cluster);
    for (int s = 0; s <= geometry_.last_stage(); ++s) {
      const bool reads_peers = s == geometry_.last_stage() && pass_.cluster > 1;
      if (reads_peers)
        line("  cluster_arrive();\n  cluster_wait();");
      else if (s > 0)
        line("  __syncthreads();");
      emit_tasks(s, "threadIdx.x", reads_peers);
      if (reads_peers) line("  cluster_leave();\n  cluster_wait();");
    }
    line("}}");
    line("#else");
  }

  void emit_tasks(int s, const char* first, bool reads_peers) {
    const Index tasks = geometry_.tasks(s);
    if (tasks % pass_.threads == 0 && tasks / pass_.threads * geometry_.radix(s) <= 32)
      line("#ifdef __CUDACC__\n#pragma unroll\n#endif");
    line("  for (unsigned task = {}; task < {}u; task += {}u)", first, tasks, pass_.threads);
    const Index total = geometry_.points() / geometry_.radix(s);
    if (reads_peers && total % pass_.cluster != 0)
      line("    if (task + tile.rank * {}u < {}u)", tasks, total);
    line("    stage_{}(tile, shared, task{});", s,
         reads_peers ? weft::format(" + tile.rank * {}u", tasks) : "");
  }

  /// Threads become loops; a barrier is the end of such a loop.
  void emit_host_kernel() {
    line(
        "extern \"C\" void weft_pass_on_host(const void* in, void* out, const void* tables, "
        "double scale) {{");
    line("  for (unsigned rank = 0; rank < {}u; ++rank)", pass_.cluster);
    line("    blocks[rank] = (Shared*)__builtin_malloc({} + sizeof(Shared));",
         geometry_.shared_bytes());
    line("  for (unsigned number = 0; number < {}u; ++number) {{", geometry_.tiles());
    for (int s = 0; s <= geometry_.last_stage(); ++s) {
      line("  for (unsigned rank = 0; rank < {}u; ++rank) {{", pass_.cluster);
      line(
          "  const Tile tile = tile_at((const Input*)in, (Output*)out, (const Complex*)tables, "
          "Real(scale), number, rank);");
      line("  Shared* shared = blocks[rank];");
      line("  for (unsigned thread = 0; thread < {}u; ++thread)", pass_.threads);
      emit_tasks(s, "thread", s == geometry_.last_stage() && pass_.cluster > 1);
      line("  }}");
    }
    line("  }}");
    line("  for (unsigned rank = 0; rank < {}u; ++rank) __builtin_free(blocks[rank]);",
         pass_.cluster);
    line("}}");
    line("#endif");
  }

  const TilePass& pass_;
  const Geometry& geometry_;
  const Tables& tables_;
};

}  // namespace

std::string emit_kernel(const TilePass& pass, const Geometry& geometry, const Tables& tables) {
  return KernelEmitter(pass, geometry, tables).run();
}

}  // namespace weft::gpu
