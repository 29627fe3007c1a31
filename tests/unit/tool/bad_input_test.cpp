// SPDX-License-Identifier: BSD-3-Clause
// Bad input: exit code 2, one line on standard error that says what to do, and an existing output
// file is unchanged.
#include "run_tool.hpp"

namespace weft::tool {
namespace {

class BadInput : public ToolTest {
 protected:
  BadInput() {
    write_array("good.npy", {4, 6}, complex_noise(24));
    write_array("real.npy", {4, 6}, noise(24));
    write_text("old.npy", "what was there before");
  }

  /// The tool refuses with a line that holds `words`, and leaves old.npy and nothing else behind.
  void expect_refusal(const std::string& arguments, const std::string& words,
                      const std::string& prefix = "") {
    const std::vector<std::string> before = files();
    const ToolRun result = run(arguments, prefix);
    EXPECT_EQ(result.exit_code, 2) << arguments << "\n" << result.err;
    EXPECT_EQ(result.complaints(), 1) << arguments << "\n" << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << arguments << "\n" << result.err;
    EXPECT_EQ(text_of("old.npy"), "what was there before") << arguments;
    EXPECT_EQ(files(), before) << arguments;
  }
};

TEST_F(BadInput, InputThatCannotBeRead) {
  expect_refusal("fft missing.npy old.npy", "check the name");
  expect_refusal("fft . old.npy", "not a regular file");
  expect_refusal("fft /dev/null old.npy", "not a regular file");
  write_text("empty.npy", "");
  expect_refusal("fft empty.npy old.npy", "not a NumPy file");
  write_text("text.npy", "hello");
  expect_refusal("fft text.npy old.npy", "not a NumPy file");
}

TEST_F(BadInput, FilesThatAreNotWhatTheyClaim) {
  const std::string good = text_of("good.npy");
  write_text("short.npy", good.substr(0, good.size() - 1));
  expect_refusal("fft short.npy old.npy", "truncated");
  write_text("header.npy", good.substr(0, 40));
  expect_refusal("fft header.npy old.npy", "ends within its header");
  write_text("long.npy", good + "x");
  expect_refusal("fft long.npy old.npy", "longer than its header says");
  std::string lies = good;
  lies.replace(lies.find("(4, 6)"), 6, "(5, 6)");
  write_text("lies.npy", lies);
  expect_refusal("fft lies.npy old.npy", "(5, 6)");
  std::string huge = good;
  huge.replace(huge.find("(4, 6), }          "), 19, "(4294967296,)*9, }  ");
  huge.replace(huge.find("(4294967296,)*9"), 15, "(1<<62, 1<<62) ");
  write_text("huge.npy", huge);
  expect_refusal("fft huge.npy old.npy", "tuple of integers");
}

TEST_F(BadInput, ShapesThatMakeNoSense) {
  const auto with_shape = [&](const std::string& name, std::vector<Index> shape) {
    NpyHeader header;
    header.shape = std::move(shape);
    write_text(name, write_npy_header(header));
  };
  with_shape("zero.npy", {3, 0});
  expect_refusal("fft zero.npy old.npy", "nothing to transform");
  with_shape("overflow.npy", {Index{1} << 40, Index{1} << 40});
  expect_refusal("fft overflow.npy old.npy", "64 bits");
  NpyHeader scalar;
  write_text("scalar.npy", write_npy_header(scalar) + std::string(8, 'x'));
  expect_refusal("fft scalar.npy old.npy", "single number");
}

TEST_F(BadInput, TypesThatDoNotFit) {
  std::string integers = text_of("real.npy");
  integers.replace(integers.find("<f8"), 3, "<i8");
  write_text("integers.npy", integers);
  expect_refusal("fft integers.npy old.npy", "astype");
  expect_refusal("fft --real good.npy old.npy", "remove --real");
  expect_refusal("fft --real --inverse real.npy old.npy", "complex spectrum");
  expect_refusal("fft --r2r dct2 good.npy old.npy", "needs real input");
  expect_refusal("fft --r2r dct2 --real real.npy old.npy", "use only one");
  expect_refusal("fft --precision f16 real.npy old.npy", "--precision f32");
}

TEST_F(BadInput, OptionsThatDoNotFit) {
  expect_refusal("fft --axes 2 good.npy old.npy", "does not exist");
  expect_refusal("fft --axes 0,-2 good.npy old.npy", "twice");
  expect_refusal("fft --norm strange good.npy old.npy", "choose one of none");
  expect_refusal("fft --effort strange good.npy old.npy", "choose one of estimate");
  expect_refusal("fft --precision f99 good.npy old.npy", "choose one of f16");
  expect_refusal("fft --r2r dct9 real.npy old.npy", "choose one of dct1");
  expect_refusal("fft --r2r dct1,dct2,dct3 real.npy old.npy", "one per axis");
  expect_refusal("fft --inverse --real --n 99 good.npy old.npy", "--n 10 or --n 11");
  expect_refusal("fft --n 5 good.npy old.npy", "remove it");
  expect_refusal("fft --threads -1 good.npy old.npy", "--threads");
  expect_refusal("fft good.npy", "OUT");
  expect_refusal("fft --strange good.npy old.npy", "--strange");
  expect_refusal("strange", "--help");
  expect_refusal("", "--help");
}

TEST_F(BadInput, OutputThatCannotBeWritten) {
  expect_refusal("fft good.npy nowhere/out.npy", "check the name and the folder");
  expect_refusal("fft good.npy .", "name a file, not a folder");
  expect_refusal("fft good.npy good.npy/out.npy", "folder");
  std::filesystem::create_directory(path("locked"));
  std::filesystem::permissions(path("locked"), std::filesystem::perms::owner_read);
  if (geteuid() != 0) expect_refusal("fft good.npy locked/out.npy", "permissions");
  std::filesystem::permissions(path("locked"), std::filesystem::perms::owner_all);
}

TEST_F(BadInput, DisksThatAreFull) {
  expect_refusal("fft good.npy /dev/full", "disk is full");
  write_array("big.npy", {1 << 14}, complex_noise(1 << 14));
  expect_refusal("fft big.npy old.npy", "ulimit -f", "ulimit -f 8 &&");
  expect_refusal("fft big.npy new.npy", "ulimit -f", "ulimit -f 8 &&");
}

TEST_F(BadInput, MemoryThatDoesNotSuffice) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  NpyHeader header;
  header.type = NpyType::c128;
  header.shape = {Index{1} << 26};
  write_text("sparse.npy", write_npy_header(header));
  std::filesystem::resize_file(path("sparse.npy"), 128 + (std::uintmax_t{1} << 30));
  // What does not get its memory depends on the recipe; both messages say what to use instead.
  expect_refusal("fft --threads 1 sparse.npy old.npy", "use a ", "ulimit -v 1500000 &&");
}

TEST_F(BadInput, ShapesOnTheCommandLine) {
  for (const char* command : {"plan", "explain", "tune"}) {
    expect_refusal(std::string(command) + " 0", "at least 1");
    expect_refusal(std::string(command) + " 12xabc", "is not a shape");
    expect_refusal(std::string(command) + " 99999999999999999999", "64 bits");
    expect_refusal(std::string(command) + " 4294967296x4294967296", "64 bits");
    expect_refusal(std::string(command) + " --r2r strange 8", "choose one of dct1");
  }
  expect_refusal("tune --effort estimate 8", "measures nothing");
}

TEST_F(BadInput, BenchmarksThatCannotRun) {
  expect_refusal("bench", "--help");
  expect_refusal("bench local --rows nosuchrow", "no row is left");
  expect_refusal("bench local --rows '('", "regular expression");
  expect_refusal("bench local --kinds r2r", "c2c or r2c");
  expect_refusal("bench local --place beside", "in or out");
  expect_refusal("bench local --precisions f16", "f32, f64");
  expect_refusal("bench local --rows single --mkl /nowhere", "cannot load libmkl_rt");
  expect_refusal("bench local --fftw nowhere --rows primes", "cannot load libfftw3");
}

TEST_F(BadInput, JsonThatCannotBeWritten) {
  expect_refusal("info --quick --json=nowhere/info.json", "check the name and the folder");
}

}  // namespace
}  // namespace weft::tool
