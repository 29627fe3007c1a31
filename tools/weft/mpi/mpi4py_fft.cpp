// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/mpi4py_fft.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <thread>

#include "comm/agree.hpp"
#include "weft/error.hpp"

namespace weft::tool {
namespace {

/// Prints the properties of the interpreter after a marker line, because modules may print before
/// it. mpi4py is imported here first, in a process of its own: an mpi4py built for another MPI
/// would call this MPI's functions with the handles of the other.
constexpr const char* probe_script = R"(
import sys, sysconfig, os
import mpi4py
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI
import mpi4py_fft
print("about this Python")
print(os.path.join(sysconfig.get_config_var("LIBDIR"), sysconfig.get_config_var("INSTSONAME")))
print(sys.base_prefix)
print(MPI.Get_library_version().split(",")[0].split("\n")[0].replace("\t", " "))
print(mpi4py_fft.__version__)
print(repr(sys.path))
)";

/// The Python code that runs in the ranks. `call` writes errors as text into memory of the caller.
constexpr const char* rank_script = R"(
import ctypes
import mpi4py
mpi4py.rc.initialize = False
mpi4py.rc.finalize = False
from mpi4py import MPI
import numpy, mpi4py_fft

# The first plan with threads makes FFTW forget all solvers, FFTW-MPI's as well: better before it
# has any. A precision that is not there will be missed when it is needed.
for letter in "FD":
    try:
        mpi4py_fft.PFFT(MPI.COMM_SELF, (4, 4, 4), dtype=numpy.dtype(letter)).destroy()
    except Exception:
        pass

class WeftPeer:
    def call(self, message, action):
        try:
            action()
        except BaseException as error:
            text = ("%s: %s" % (type(error).__name__, error)).encode()[:900] + b"\0"
            ctypes.memmove(message, text, len(text))

    def plan(self, shape, letter, measure, address, row_stride):
        flag = mpi4py_fft.fftw.FFTW_MEASURE if measure else mpi4py_fft.fftw.FFTW_ESTIMATE
        self.fft = mpi4py_fft.PFFT(MPI.COMM_WORLD, shape, axes=((0,), (1, 2)),
                                   dtype=numpy.dtype(letter), slab=True, flags=(flag,))
        mine = self.fft.forward.input_array
        rows = -(-shape[0] // MPI.COMM_WORLD.size)
        mine[...] = numpy.random.default_rng(MPI.COMM_WORLD.rank).standard_normal(mine.shape)
        if shape[0] % MPI.COMM_WORLD.size == 0:
            size = rows * shape[1] * row_stride * mine.itemsize
            memory = (ctypes.c_char * size).from_address(address)
            array = numpy.frombuffer(memory, dtype=mine.dtype)
            mine[...] = array.reshape(rows, shape[1], row_stride)[:, :, :shape[2]]

    def execute(self):
        self.fft.forward(normalize=False)

    def energy(self, address):
        out = self.fft.forward.output_array
        sum = float((out.real.astype(float) ** 2 + out.imag.astype(float) ** 2).sum())
        ctypes.c_double.from_address(address).value = MPI.COMM_WORLD.allreduce(sum)

    def destroy(self):
        self.fft.destroy()
        self.fft = None

weft_peer = WeftPeer()
)";

struct Interpreter {
  std::string libpython, home, mpi, version;
  std::string path;  // a Python list as text
};

/// The output of a command, including standard error.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> part;
  while (const std::size_t count = fread(part.data(), 1, part.size(), pipe))
    text.append(part.data(), count);
  pclose(pipe);
  return text;
}

std::string last_line(const std::string& text) {
  std::istringstream lines(text);
  std::string last;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) last = line;
  return last;
}

/// Sets `why_not` if the interpreter cannot be used.
Interpreter ask(const std::string& python, std::string& why_not) {
  if (python.find('\'') != std::string::npos) {
    why_not = "its path contains a quote";
    return {};
  }
  const std::string said = output_of(fmt::format("timeout 60 '{}' -c '{}'", python, probe_script));
  constexpr std::string_view mark = "about this Python\n";
  const std::size_t begin = said.find(mark);
  if (begin == std::string::npos) {
    why_not = said.empty() ? "it prints nothing within a minute" : last_line(said);
    return {};
  }
  std::istringstream lines(said.substr(begin + mark.size()));
  Interpreter result;
  std::getline(lines, result.libpython);
  std::getline(lines, result.home);
  std::getline(lines, result.mpi);
  std::getline(lines, result.version);
  std::getline(lines, result.path);
  return result;
}

/// The functions of Python that are needed.
struct Python {
  void (*initialize)(int) = nullptr;
  int (*run)(const char*) = nullptr;
  std::array<char, 1024> message = {};

  bool load(const Interpreter& interpreter) {
    const std::string file =
        interpreter.libpython.substr(interpreter.libpython.find_last_of('/') + 1);
    void* handle = dlopen(interpreter.libpython.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) handle = dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) return false;
    const auto find = [&](const char* name, auto& function) {
      void* symbol = dlsym(handle, name);
      std::memcpy(&function, &symbol, sizeof symbol);
      return symbol != nullptr;
    };
    return find("Py_InitializeEx", initialize) && find("PyRun_SimpleString", run);
  }

  /// Starts Python with the standard library and the module path of the interpreter, which may be
  /// in a virtual environment.
  bool start(const Interpreter& interpreter) {
    setenv("PYTHONHOME", interpreter.home.c_str(), 1);
    initialize(0);
    unsetenv("PYTHONHOME");
    const std::string set_path = "import sys\nsys.path[:] = " + interpreter.path + "\n";
    return run(set_path.c_str()) == 0 && run(rank_script) == 0;
  }

  /// Returns the error message, or an empty string.
  std::string call(const std::string& action) {
    message.fill('\0');
    const auto address = reinterpret_cast<std::uintptr_t>(message.data());
    const int code =
        run(fmt::format("weft_peer.call({}, lambda: weft_peer.{})\n", address, action).c_str());
    return code == 0 ? std::string(message.data()) : "Python failed";
  }
};

/// Whether all ranks call this within `seconds`.
bool all_arrive(const Comm& comm, double seconds) {
  auto barrier = comm.prepare_barrier();
  barrier->start(nullptr, nullptr);
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!barrier->test()) {
    if (std::chrono::steady_clock::now() > end) {
      barrier.release();  // never destroyed: it is not finished, and the process ends
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

Error failed(const std::string& reason) {
  return Error(ErrorCode::unsupported, "mpi4py-fft: " + reason + "; run without --mpi4py");
}

class PythonPlan final : public Mpi4pyPlan {
 public:
  explicit PythonPlan(Python& python) : python_(python) {}
  ~PythonPlan() override { python_.call("destroy()"); }
  void execute() override { require(python_.call("execute()")); }
  double energy() override {
    double sum = 0;
    require(python_.call(fmt::format("energy({})", reinterpret_cast<std::uintptr_t>(&sum))));
    return sum;
  }

 private:
  /// If only this rank fails, it exits, and MPI_Abort ends the others.
  static void require(const std::string& reason) {
    if (!reason.empty()) throw failed(reason);
  }
  Python& python_;
};

class Embedded final : public Mpi4pyFft {
 public:
  Embedded(std::unique_ptr<Python> python, std::string version, std::shared_ptr<const Comm> comm)
      : python_(std::move(python)), version_(std::move(version)), comm_(std::move(comm)) {}
  std::string version() const override { return "mpi4py-fft " + version_; }
  std::unique_ptr<Mpi4pyPlan> plan(const FftwMpiProblem& problem, const std::byte* input,
                                   Index row_stride) override {
    const bool is_real = problem.kind == Kind::r2c;
    const char letter =
        problem.precision == Precision::f64 ? (is_real ? 'd' : 'D') : (is_real ? 'f' : 'F');
    const std::string reason = python_->call(fmt::format(
        "plan(({}), '{}', {}, {}, {})", fmt::join(problem.shape, ", "), letter,
        problem.measure ? "True" : "False", reinterpret_cast<std::uintptr_t>(input), row_stride));
    if (!all_arrive(*comm_, reason.empty() ? 600 : 30))
      throw failed(reason.empty() ? "not all ranks returned from planning" : reason);
    agree(*comm_, [&] {
      if (!reason.empty()) throw failed(reason);
    });
    return std::make_unique<PythonPlan>(*python_);
  }

 private:
  std::unique_ptr<Python> python_;
  std::string version_;
  std::shared_ptr<const Comm> comm_;
};

}  // namespace

std::unique_ptr<Mpi4pyFft> open_mpi4py_fft(const std::string& python, const Comm& comm,
                                           std::string& why_not) {
  why_not.clear();
  if (mpi_runtime() == nullptr) {
    why_not = "there is no MPI: run under mpiexec";
    return nullptr;
  }
  Interpreter found;
  if (comm.rank() == 0) found = ask(python, why_not);
  why_not = broadcast_text(comm, why_not);
  if (!why_not.empty()) return nullptr;
  for (std::string* part : {&found.libpython, &found.home, &found.mpi, &found.version, &found.path})
    *part = broadcast_text(comm, *part);
  if (found.mpi != mpi_runtime()->library()) {
    why_not = fmt::format("its mpi4py was built for {}, but these ranks run {}", found.mpi,
                          mpi_runtime()->library());
    return nullptr;
  }
  auto embedded = std::make_unique<Python>();
  const char good = embedded->load(found) && embedded->start(found) ? 1 : 0;
  std::vector<char> all(static_cast<std::size_t>(comm.size()));
  comm.all_gather(&good, 1, all.data());
  if (const auto bad = std::ranges::find(all, 0); bad != all.end()) {
    why_not = fmt::format("rank {} cannot load its library; is {} installed?", bad - all.begin(),
                          found.libpython);
    return nullptr;
  }
  return std::make_unique<Embedded>(std::move(embedded), found.version, comm.duplicate());
}

}  // namespace weft::tool
