// SPDX-License-Identifier: BSD-3-Clause
#include "gpu/emit/emit_kernel.hpp"

#include <algorithm>
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

/// Whether offsets within a tile need more than 31 bits.
bool has_far_points(const TilePass& pass, const Geometry& geometry) {
  Index in = 0, out = 0;
  for (const Digit& d : geometry.digits()) {
    in += std::abs(d.in) * d.extent;
    out += std::abs(d.out) * d.extent;
  }
  for (const TileAxis& tile_axis : pass.tile_axes) {
    if (tile_axis.in_blocks)
      in += tile_axis.n() / tile_axis.in_blocks.length * tile_axis.in_blocks.jump;
    if (tile_axis.out_blocks)
      out += tile_axis.n() / tile_axis.out_blocks.length * tile_axis.out_blocks.jump;
  }
  return in > 0x7fffffff || out > 0x7fffffff;
}
bool has_long_axis(const TilePass& pass) {
  for (const TileAxis& tile_axis : pass.tile_axes)
    if (tile_axis.whole > 0x7fffffff) return true;
  return false;
}

/// Radices by whether their transform applies its twiddles itself.
struct Radices {
  std::set<int> plain, twisted;

  void add(const TilePass& pass, const Tables& tables) {
    for (int p = 0; p < static_cast<int>(pass.tile_axes.size()); ++p)
      for (int i = 0; i < static_cast<int>(pass.tile_axes[at(p)].radices.size()); ++i)
        (tables.twist({p, i}).is_fused ? twisted : plain)
            .insert(pass.tile_axes[at(p)].radices[at(i)]);
  }
  std::string text() const {
    std::string text;
    for (int r : plain)
      text += r == 1 ? "__device__ __forceinline__ void dft1(Complex (&)[1]) {}\n"
                     : codelet::emit_cuda(r);
    for (int r : twisted) text += codelet::emit_cuda_twisted(r);
    return text;
  }
};

class KernelEmitter : codelet::TextWriter {
 public:
  KernelEmitter(const TilePass& pass, const Geometry& geometry)
      : pass_(pass), writes_(pass), geometry_(geometry) {}
  KernelEmitter(const TurnedTile& tile, const ModeFunctionText& function)
      : pass_(tile.forward),
        writes_(tile.backward),
        geometry_(tile.geometry),
        is_turned_(true),
        inputs_(function.inputs),
        outputs_(function.outputs) {}

  std::string plain(const Tables& tables) {
    line("// weft: {}", to_text(pass_));
    text_ += emit_preamble(pass_);
    emit_types(has_far_points(pass_, geometry_));
    Radices radices;
    radices.add(pass_, tables);
    text_ += radices.text();
    emit_tile();
    for (int s = 0; s <= geometry_.last_stage(); ++s) {
      text_ += emit_stage(pass_, geometry_, tables, s);
      add_step(geometry_, s, {weft::format("stage_{}(tile, shared, task", s)});
    }
    emit_device_kernel();
    emit_host_kernel();
    return text_;
  }

  std::string turned(const TurnedTile& tile, const TurnText& turn) {
    line("// weft: {} and back", to_text(pass_));
    text_ += emit_preamble(pass_, writes_);
    emit_types(has_far_points(pass_, geometry_) || has_far_points(writes_, tile.back));
    Radices radices;
    radices.add(pass_, tile.tables);
    radices.add(writes_, tile.tables_back);
    text_ += radices.text();
    text_ += emit_mode_function(turn.grid, turn.function, pass_.precision);
    emit_tile();
    const int last = geometry_.last_stage();
    const bool reads_all = last > 0 && inputs_ > 1 && has_registers_for_all();
    if (reads_all) {
      text_ += emit_first_stage_of_all(pass_, geometry_, tile.tables, inputs_);
      add_step(geometry_, 0, {"stage_0(tiles, shared, task"});
    }
    for (int s = reads_all ? 1 : 0; s < last; ++s) {
      text_ += emit_stage(pass_, geometry_, tile.tables, s);
      add_step(geometry_, s, calls("stage", s, "tiles", inputs_));
    }
    text_ += emit_first_stage_back(writes_, tile.back, tile.tables_back);
    text_ += emit_turning_stage(pass_, geometry_, tile.tables, turn);
    add_step(geometry_, last, {weft::format("stage_{}(tiles, back, shared, task", last)});
    for (int s = 1; s <= last; ++s) {
      text_ += emit_stage_back(writes_, tile.back, tile.tables_back, s);
      add_step(tile.back, s, calls("back", s, "back", outputs_));
    }
    back_tables_ = static_cast<Index>(tile.tables.values().size());
    emit_device_kernel();
    emit_host_kernel();
    return text_;
  }

 private:
  /// Whether a thread may hold its points of the first stage of all inputs at once.
  bool has_registers_for_all() const {
    constexpr Index all = 65536, most = 255, others = 48;
    const Index of_point = pass_.precision == Precision::f64 ? 4 : 2;
    return others + inputs_ * geometry_.radix(0) * of_point <=
           std::min(most, all / (pass_.threads * pass_.blocks_per_sm));
  }

  /// What the threads do between two barriers.
  struct Step {
    std::vector<std::string> calls;  ///< one per field, without the end of the arguments
    Index tasks, registers;          ///< of a block, of a task
    Index total;                     ///< tasks of the whole tile
    bool is_crossing;                ///< reaches across the cluster
  };

  static std::vector<std::string> calls(const char* name, int stage, const char* tiles,
                                        int fields) {
    std::vector<std::string> result;
    for (int f = 0; f < fields; ++f)
      result.push_back(weft::format("{}_{}({}[{}], shared, task", name, stage, tiles, f));
    return result;
  }

  void add_step(const Geometry& geometry, int stage, const std::vector<std::string>& calls) {
    const bool holds_two =
        geometry.is_combining(stage) && (geometry.rests() > 1 || geometry.twin_digit() >= 0);
    steps_.push_back({calls, geometry.tasks(stage), geometry.radix(stage) * (holds_two ? 2 : 1),
                      geometry.tasks_of_tile(stage),
                      pass_.cluster > 1 && stage == geometry.crossing_stage()});
  }

  void emit_types(bool is_far) {
    line("__device__ __forceinline__ Complex conjugate(Complex x) {{ return {{x.re, -x.im}}; }}");
    line("using Offset = {};", is_far ? "long long" : "int");
    line("using Exponent = {};", has_long_axis(pass_) ? "unsigned long long" : "unsigned");
  }

  /// What all tasks of a block share, and how it follows from the number of the tile.
  void emit_tile() {
    const bool has_twins = pass_.tile_axes[0].is_twinned();
    const bool has_mirrors = pass_.untangles() || pass_.tangles || has_twins;
    const bool writes_mirrors = writes_.tangles || has_twins;
    line("struct Tile {{");
    line("  const Input* in;");
    line("  Output* out;");
    line("  const Complex* tables;");
    line("  Real scale;");
    line("  unsigned rank;");
    if (is_turned_) line("  const StoredComplex* numbers;\n  unsigned base;");
    if (has_mirrors) line("  const Input* origin;");
    if (writes_mirrors) line("  Output* back;");
    for (std::size_t l = 0; l < pass_.loops.size(); ++l) line("  unsigned index{};", l);
    line("}};");
    line(
        "__device__ __forceinline__ Tile tile_at(const Input* in, Output* out, const Complex* "
        "tables, Real scale, unsigned number, unsigned rank) {{");
    line("  Tile tile{{in, out, tables, scale{}, rank}};", pass_.untangles() ? " * Real(0.5)" : "");
    if (has_mirrors) line("  tile.origin = in;");
    if (writes_mirrors) line("  tile.back = out;");
    if (pass_.is_reversed) line("  number = {}u - number;", geometry_.tiles() - 1);
    for (int l = 0; l < static_cast<int>(pass_.loops.size()); ++l) {
      const Loop &loop = pass_.loops[at(l)], &written = writes_.loops[at(l)];
      const Index count = ceil_div(loop.count, loop.tile);
      line("  tile.index{} = number % {}u * {}u;", l, count, loop.tile);
      line("  number /= {}u;", count);
      if (loop.in_far > 0)
        line("  tile.in += (long long)(tile.index{} / {}u) * {};", l, loop.tile, loop.in_far);
      else
        line("  tile.in += (long long)(tile.index{}) * {};", l, loop.in);
      if (written.out_far > 0)
        line("  tile.out += (long long)(tile.index{} / {}u) * {};", l, loop.tile, written.out_far);
      else
        line("  tile.out += (long long)(tile.index{}) * {};", l, written.out);
      if (has_mirrors && loop.mirror == 0)
        line("  tile.origin += (long long)(tile.index{}) * {};", l, loop.in);
      if (writes_mirrors && loop.mirror == 0)
        line("  tile.back += (long long)(tile.index{}) * {};", l, written.out);
    }
    line("  return tile;");
    line("}}");
    if (is_turned_)
      line("struct Fields {{ const Input* in[{}]; Output* out[{}]; }};", inputs_, outputs_);
  }

  void emit_device_kernel() {
    line("#ifdef __CUDACC__");
    line("extern \"C\" __global__ void{} __launch_bounds__({}, {})",
         pass_.cluster > 1 ? weft::format(" __cluster_dims__({}, 1, 1)", pass_.cluster) : "",
         pass_.threads, pass_.blocks_per_sm);
    line("{} const Complex* __restrict__ tables, Real scale{}) {{",
         is_turned_ ? "weft_turn(const Fields fields," : "weft_pass(const Input* in, Output* out,",
         is_turned_ ? ", const StoredComplex* numbers" : "");
    line("  follow_the_pass_before();");
    line("  extern __shared__ __align__(16) unsigned char memory[];");
    line("  Shared* shared = reinterpret_cast<Shared*>(memory);");
    emit_tiles(weft::format("tables, scale, blockIdx.x / {0}u, blockIdx.x % {0}u", pass_.cluster));
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      if (steps_[s].is_crossing)
        line("  cluster_arrive();\n  cluster_wait();");
      else if (s > 0 && steps_[s - 1].is_crossing)
        line("  cluster_hand_over();");
      else if (s > 0)
        line("  __syncthreads();");
      emit_tasks(steps_[s], "threadIdx.x");
    }
    if (steps_.back().is_crossing) line("  cluster_leave();\n  cluster_wait();");
    line("}}");
    line("#else");
  }

  /// Of every field. On the way back a tile has tables of its own.
  void emit_tiles(const std::string& arguments) {
    if (!is_turned_) {
      line("  const Tile tile = tile_at(in, out, {});", arguments);
      return;
    }
    const int count = std::max(inputs_, outputs_);
    line("  Tile tiles[{0}], back[{0}];", count);
    for (int f = 0; f < count; ++f) {
      line("  tiles[{}] = tile_at(fields.in[{}], fields.out[{}], {});", f, f < inputs_ ? f : 0,
           f < outputs_ ? f : 0, arguments);
      line("  tiles[{}].numbers = numbers;", f);
      line("  tiles[{}].base = {};", f, f * geometry_.shared_points());
      line("  back[{0}] = tiles[{0}];", f);
      line("  back[{}].tables += {};", f, back_tables_);
    }
  }

  void emit_tasks(const Step& step, const char* first) {
    for (const std::string& call : step.calls) emit_tasks(step, call, first);
  }
  void emit_tasks(const Step& step, const std::string& call, const char* first) {
    const char* tile = is_turned_ ? "tiles[0]" : "tile";
    if (step.tasks % pass_.threads == 0 && step.tasks / pass_.threads * step.registers <= 32)
      line("#ifdef __CUDACC__\n#pragma unroll\n#endif");
    line("  for (unsigned task = {}; task < {}u; task += {}u)", first, step.tasks, pass_.threads);
    if (step.is_crossing && step.total % pass_.cluster != 0)
      line("    if (task + {}.rank * {}u < {}u)", tile, step.tasks, step.total);
    line("    {}{});", call,
         step.is_crossing ? weft::format(" + {}.rank * {}u", tile, step.tasks) : "");
  }

  /// Threads become loops; a barrier is the end of such a loop.
  void emit_host_kernel() {
    if (is_turned_) {
      line(
          "extern \"C\" void weft_turn_on_host(const void* all, const void* tables_of_all, double "
          "scale_of_all, const void* numbers_of_all) {{");
      line("  const Fields& fields = *(const Fields*)all;");
      line("  const StoredComplex* const numbers = (const StoredComplex*)numbers_of_all;");
    } else {
      line(
          "extern \"C\" void weft_pass_on_host(const void* input, void* output, const void* "
          "tables_of_all, double scale_of_all) {{");
      line("  const Input* const in = (const Input*)input;");
      line("  Output* const out = (Output*)output;");
    }
    line("  const Complex* const tables = (const Complex*)tables_of_all;");
    line("  const Real scale = Real(scale_of_all);");
    line("  for (unsigned rank = 0; rank < {}u; ++rank)", pass_.cluster);
    line("    blocks[rank] = (Shared*)__builtin_malloc({} + sizeof(Shared));",
         geometry_.shared_bytes());
    line("  for (unsigned number = 0; number < {}u; ++number) {{", geometry_.tiles());
    for (const Step& step : steps_) {
      line("  for (unsigned rank = 0; rank < {}u; ++rank) {{", pass_.cluster);
      emit_tiles("tables, scale, number, rank");
      line("  Shared* shared = blocks[rank];");
      line("  for (unsigned thread = 0; thread < {}u; ++thread) {{", pass_.threads);
      emit_tasks(step, "thread");
      line("  }}\n  }}");
    }
    line("  }}");
    line("  for (unsigned rank = 0; rank < {}u; ++rank) __builtin_free(blocks[rank]);",
         pass_.cluster);
    line("}}");
    line("#endif");
  }

  const TilePass &pass_, &writes_;  ///< as a tile is read, and as it is written
  const Geometry& geometry_;
  bool is_turned_ = false;
  int inputs_ = 1, outputs_ = 1;
  Index back_tables_ = 0;
  std::vector<Step> steps_;
};

}  // namespace

std::string emit_kernel(const TilePass& pass, const Geometry& geometry, const Tables& tables) {
  return KernelEmitter(pass, geometry).plain(tables);
}

std::vector<unsigned char> TurnedTile::bytes() const {
  std::vector<unsigned char> all = tables.bytes(forward.precision);
  const std::vector<unsigned char> more = tables_back.bytes(backward.precision);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::string emit_turned_kernel(const TurnedTile& tile, const ModeGrid& grid,
                               const ModeFunctionText& function) {
  return KernelEmitter(tile, function).turned(tile, {grid, function});
}

}  // namespace weft::gpu
