// SPDX-License-Identifier: BSD-3-Clause
#include "python_comm.hpp"

#include <nanobind/stl/vector.h>

#include <string>

#include "weft/error.hpp"

namespace weft::python {
namespace {

/// Calls Python from any thread; what Python raises becomes a weft::Error.
template <class Function>
auto in_python(Function function) {
  const nb::gil_scoped_acquire acquired;
  try {
    return function();
  } catch (const nb::python_error& error) {
    throw Error(ErrorCode::mpi, std::string("mpi4py: ") + error.what());
  }
}

/// A Python object that any thread may destroy, also after Python has ended.
class Kept {
 public:
  explicit Kept(nb::object object) : object_(std::move(object)) {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    if (!nb::is_alive()) {
      object_.release();
      return;
    }
    const nb::gil_scoped_acquire acquired;
    object_.reset();
  }
  const nb::object& get() const { return object_; }
  void set(nb::object object) { object_ = std::move(object); }

 private:
  nb::object object_;
};

enum class Operation { send, receive, barrier };

class PythonTransfer final : public Transfer {
 public:
  PythonTransfer(nb::object ranks, Operation operation, Index bytes, int other, int tag)
      : ranks_(std::move(ranks)),
        request_(nb::object()),
        operation_(operation),
        bytes_(bytes),
        other_(other),
        tag_(tag) {}

  void start(const void* send, void* receive) override {
    in_python([&] {
      const nb::object& ranks = ranks_.get();
      const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
      switch (operation_) {
        case Operation::send:
          return request_.set(ranks.attr("send")(address(send), bytes_, other_, tag_));
        case Operation::receive:
          return request_.set(ranks.attr("receive")(address(receive), bytes_, other_, tag_));
        case Operation::barrier: return request_.set(ranks.attr("barrier")());
      }
    });
  }
  bool test() override {
    return in_python([&] {
      return !request_.get().is_valid() || nb::cast<bool>(request_.get().attr("test")());
    });
  }
  void wait() override {
    in_python([&] {
      if (request_.get().is_valid()) request_.get().attr("wait")();
    });
  }

 private:
  Kept ranks_, request_;
  Operation operation_;
  Index bytes_;
  int other_, tag_;
};

class PythonComm final : public Comm {
 public:
  explicit PythonComm(nb::object ranks)
      : rank_(nb::cast<int>(ranks.attr("rank"))),
        size_(nb::cast<int>(ranks.attr("size"))),
        transport_(nb::cast<std::string>(ranks.attr("transport"))),
        ranks_(std::move(ranks)) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::shared_ptr<const Comm> duplicate() const override {
    return in_python([&] { return python_comm(ranks_.get().attr("duplicate")()); });
  }
  std::shared_ptr<const Comm> split(int color) const override {
    return in_python([&] { return python_comm(ranks_.get().attr("split")(color)); });
  }
  /// Each rank counts as a node of its own: all data travel as messages.
  std::vector<int> nodes() const override {
    std::vector<int> result(static_cast<std::size_t>(size_));
    for (int i = 0; i < size_; ++i) result[static_cast<std::size_t>(i)] = i;
    return result;
  }
  std::unique_ptr<SharedMemory> allocate_shared(std::size_t) const override { return nullptr; }
  std::string transport() const override { return transport_; }
  bool is_open() const override {
    return nb::is_alive() &&
           in_python([&] { return nb::cast<bool>(ranks_.get().attr("is_open")()); });
  }
  std::unique_ptr<Transfer> prepare_send(Index bytes, int to, int tag) const override {
    return prepare(Operation::send, bytes, to, tag);
  }
  std::unique_ptr<Transfer> prepare_receive(Index bytes, int from, int tag) const override {
    return prepare(Operation::receive, bytes, from, tag);
  }
  std::unique_ptr<Transfer> prepare_barrier() const override {
    return prepare(Operation::barrier, 0, 0, 0);
  }

 private:
  std::unique_ptr<Transfer> prepare(Operation operation, Index bytes, int other, int tag) const {
    const nb::gil_scoped_acquire acquired;
    return std::make_unique<PythonTransfer>(ranks_.get(), operation, bytes, other, tag);
  }

  int rank_, size_;
  std::string transport_;
  Kept ranks_;
};

}  // namespace

std::shared_ptr<const Comm> python_comm(nb::object ranks) {
  return std::make_shared<PythonComm>(std::move(ranks));
}

}  // namespace weft::python
