// SPDX-License-Identifier: BSD-3-Clause
// The structures of weft.h as values of the C++ interface.
#include "c/transform.hpp"

#include "c/support.hpp"

namespace weft::c {
namespace {

static_assert(WEFT_R2R == static_cast<int>(Kind::r2r) && WEFT_C2R == static_cast<int>(Kind::c2r));
static_assert(WEFT_DST1 == static_cast<int>(R2r::dst1) && WEFT_HC2R == static_cast<int>(R2r::hc2r));
static_assert(WEFT_NORM_FORWARD == static_cast<int>(Normalization::forward));
static_assert(WEFT_F64 == static_cast<int>(Precision::f64));
static_assert(WEFT_PATIENT == static_cast<int>(Effort::patient));
static_assert(WEFT_MAX_NDIM == max_ndim && WEFT_MAX_BOX_NDIM == max_box_ndim);

constexpr weft_transform transform_defaults = {.struct_size = 0,
                                               .kind = WEFT_C2C,
                                               .ndim = 0,
                                               .shape = nullptr,
                                               .axis_count = 0,
                                               .axes = nullptr,
                                               .direction = WEFT_DIRECTION_DEFAULT,
                                               .normalization = WEFT_NORM_NONE,
                                               .precision = WEFT_F64,
                                               .r2r_count = 0,
                                               .r2r = nullptr,
                                               .spectrum = WEFT_SPECTRUM_HALF,
                                               .modes = WEFT_MODES_FIRST,
                                               .input_extents = nullptr,
                                               .output_extents = nullptr,
                                               .orthogonalize = 0,
                                               .inverse = 0};

class CustomExecutor final : public Executor {
 public:
  CustomExecutor(int concurrency, weft_run_tasks run, void* context)
      : concurrency_(concurrency), run_(run), context_(context) {}
  int concurrency() const noexcept override { return concurrency_; }
  void run(int tasks, TaskRef task) const override {
    run_(
        context_, tasks, [](void* data, int index) { (*static_cast<const TaskRef*>(data))(index); },
        &task);
  }

 private:
  int concurrency_;
  weft_run_tasks run_;
  void* context_;
};

TransformOptions options_of(const weft_transform& t) {
  TransformOptions options;
  if (t.axes != nullptr) {
    options.axes = list<int>(t.axes, t.axis_count, "axes");
    if (t.axis_count == 0) options.empty_axes = EmptyAxes::none;
  } else if (t.axis_count != 0) {
    refuse("axis_count is " + std::to_string(t.axis_count) + ", but axes is NULL; set both");
  }
  if (enumerator(t.direction, WEFT_BACKWARD, "direction") != WEFT_DIRECTION_DEFAULT)
    options.direction = t.direction == WEFT_FORWARD ? Direction::forward : Direction::backward;
  options.normalization = enumerator(t.normalization, Normalization::ortho, "normalization");
  options.precision = enumerator(t.precision, Precision::f64, "precision");
  options.spectrum = enumerator(t.spectrum, Spectrum::full, "spectrum");
  options.modes = enumerator(t.modes, Modes::around_zero, "modes");
  options.input_extents = optional_list<Index>(t.input_extents, t.ndim);
  options.output_extents = optional_list<Index>(t.output_extents, t.ndim);
  options.orthogonalize = t.orthogonalize != 0;
  return options;
}

Transform described(const weft_transform& t) {
  const TransformOptions options = options_of(t);
  std::vector<Index> shape = list<Index>(t.shape, t.ndim, "shape");
  const Kind kind = enumerator(t.kind, Kind::r2r, "kind");
  if (kind != Kind::r2r && (t.r2r_count != 0 || t.r2r != nullptr))
    refuse("r2r kinds are given for another kind of transform; set kind to WEFT_R2R");
  switch (kind) {
    case Kind::c2c: return c2c(std::move(shape), options);
    case Kind::r2c: return r2c(std::move(shape), options);
    case Kind::c2r: return c2r(std::move(shape), options);
    case Kind::r2r: break;
  }
  std::vector<R2r> kinds;
  for (int number : list<int>(t.r2r, t.r2r_count, "r2r"))
    kinds.push_back(enumerator(number, R2r::hc2r, "r2r"));
  return r2r(std::move(shape), std::move(kinds), options);
}

}  // namespace

Transform transform_of(const weft_transform* structure) {
  const weft_transform t =
      known_members(given(structure, "weft_transform"), transform_defaults, "weft_transform");
  check_ndim(t.ndim);
  const Transform transform = described(t);
  return t.inverse != 0 ? inverse(transform) : transform;
}

Layout layout_of(const std::int64_t* strides, std::size_t ndim, int storage) {
  return {optional_list<Index>(strides, static_cast<int>(ndim)),
          enumerator(storage, ComplexStorage::split, "storage")};
}

Effort effort_of(int effort) { return enumerator(effort, Effort::patient, "effort"); }

std::shared_ptr<const Executor> executor_of(int threading, int threads, weft_run_tasks run,
                                            void* context) {
  switch (enumerator(threading, WEFT_THREADS_CUSTOM, "threading")) {
    case WEFT_THREADS_DEFAULT: break;
    case WEFT_THREADS_SERIAL: return serial_executor();
    case WEFT_THREADS_OPENMP: return openmp_executor(threads);
    case WEFT_THREADS_POOL: return thread_executor(threads);
    case WEFT_THREADS_CUSTOM:
      if (run == nullptr) refuse("run_tasks is NULL; WEFT_THREADS_CUSTOM needs it");
      if (threads < 1) refuse("WEFT_THREADS_CUSTOM needs the number of threads, at least 1");
      return std::make_shared<CustomExecutor>(threads, run, context);
  }
  return nullptr;
}

weft_plan_cost cost_of(const PlanCost& cost) {
  return {cost.flops, cost.bytes, cost.passes, cost.predicted_s};
}

}  // namespace weft::c

weft_status weft_transform_init(weft_transform* transform, size_t struct_size) {
  return weft::c::initialize(transform, struct_size, weft::c::transform_defaults, "weft_transform");
}
