// SPDX-License-Identifier: BSD-3-Clause
// Standard streams that are closed or full, outputs that are not regular files, and signals.
#include <sys/stat.h>

#include "run_tool.hpp"

namespace weft::tool {
namespace {

using Complex = std::complex<double>;

class Streams : public ToolTest {
 protected:
  Streams() {
    write_array("x.npy", {64, 64}, complex_noise(64 * 64));
    EXPECT_EQ(shell("$weft fft x.npy good.npy --quiet"), 0);
    good_ = text_of("good.npy");
    std::filesystem::remove(path("good.npy"));
  }
  std::string good_;  // the transform of x.npy
};

TEST_F(Streams, ClosedStandardErrorNeitherAbortsNorGetsIntoFiles) {
  EXPECT_EQ(shell("$weft fft x.npy y.npy --progress --quiet --axes 0,1 2>&-"), 0);
  EXPECT_EQ(shell("$weft fft x.npy z.npy --progress --quiet <&- >&- 2>&-"), 0);
  EXPECT_EQ(text_of("y.npy"), good_);
  EXPECT_EQ(text_of("z.npy"), good_);
  for (const char* where : {"2>&-", "2>/dev/full"}) {
    EXPECT_EQ(shell(std::string("$weft fft missing.npy y.npy ") + where), 2) << where;
    EXPECT_EQ(shell(std::string("$weft plan 12xabc ") + where), 2) << where;
    EXPECT_EQ(shell(std::string("$weft fft x.npy y.npy --quiet --progress ") + where), 0) << where;
  }
}

TEST_F(Streams, OutputThatIsLostIsAnError) {
  for (const char* command :
       {"plan 64", "plan 64 --json", "explain 64", "info --quick", "info --quick --json",
        "simulate --size 8^3", "fft x.npy y.npy", "fft x.npy y.npy --json", "codegen --list",
        "bench local --list", "demo", "--help", "--version", "plan --help"})
    for (const char* where : {">/dev/full", ">&-"}) {
      EXPECT_EQ(shell(std::string("$weft ") + command + " " + where + " 2>err.txt"), 2)
          << command << where;
      const std::string message = text_of("err.txt");
      EXPECT_EQ(std::ranges::count(message, '\n'), 1) << message;
      EXPECT_NE(message.find("cannot write to standard output"), std::string::npos) << message;
      const char* advice = std::string_view(where) == ">&-" ? "stream is closed" : "disk is full";
      EXPECT_NE(message.find(advice), std::string::npos) << command << ": " << message;
    }
}

TEST_F(Streams, OutputThatIsLostOnTheWayIsAnErrorAsWell) {  // more than the buffer holds
  EXPECT_EQ(shell("$weft codegen 64 --dump all >/dev/full 2>err.txt"), 2);
  EXPECT_NE(text_of("err.txt").find("standard output"), std::string::npos) << text_of("err.txt");
  EXPECT_NE(text_of("err.txt").find("No space left"), std::string::npos) << text_of("err.txt");
}

TEST_F(Streams, ADescriptorIsWrittenToNotReplaced) {
  ASSERT_EQ(shell("echo before > f; $weft fft x.npy /dev/stdout >> f"), 0);
  EXPECT_EQ(text_of("f"), "before\n" + good_);
  ASSERT_EQ(shell("(echo before; $weft fft x.npy /dev/fd/1; echo after) > f"), 0);
  EXPECT_EQ(text_of("f"), "before\n" + good_ + "after\n");
  ASSERT_EQ(shell("$weft info --quick --json=/dev/stdout > f"), 0);
  EXPECT_LT(text_of("f").find("CPU "), text_of("f").find('{'));
  ASSERT_EQ(shell("$weft fft x.npy /dev/stdout | cat > f"), 0);
  EXPECT_EQ(text_of("f"), good_);
  ASSERT_EQ(shell("ln -s /proc/self/fd/7 link; $weft fft x.npy link --quiet 7> f"), 0);
  EXPECT_EQ(text_of("f"), good_);
}

TEST_F(Streams, AClosedDescriptorIsAnErrorAndItsLinkStays) {
  ASSERT_EQ(shell("ln -s /proc/self/fd/1 link; $weft fft x.npy link >&- 2>err.txt"), 2);
  EXPECT_NE(text_of("err.txt").find("stream is closed"), std::string::npos) << text_of("err.txt");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  ASSERT_EQ(shell("ln -s /proc/self/fd/9 other; $weft fft x.npy other 2>err.txt"), 2);
  EXPECT_TRUE(std::filesystem::is_symlink(path("other")));
}

TEST_F(Streams, PipesAndDevicesStayWhatTheyAre) {
  ASSERT_EQ(shell("mkfifo pipe; cat pipe > f & $weft fft x.npy pipe --quiet; wait"), 0);
  EXPECT_EQ(text_of("f"), good_);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(shell("$weft fft x.npy /dev/null --quiet"), 0);
  if (shell("mknod full c 1 7") != 0) return;  // root only
  EXPECT_EQ(shell("$weft fft x.npy full 2>err.txt"), 2);
  EXPECT_NE(text_of("err.txt").find("disk is full"), std::string::npos);
  EXPECT_EQ(shell("$weft plan 64 --json=full 2>err.txt"), 2);
  EXPECT_TRUE(std::filesystem::is_character_file(path("full")));
}

TEST_F(Streams, APipeAsInputIsRefusedAtOnce) {
  EXPECT_EQ(shell("mkfifo pipe; timeout 20 $weft fft pipe y.npy 2>err.txt"), 2);
  EXPECT_NE(text_of("err.txt").find("not a regular file"), std::string::npos);
}

TEST_F(Streams, ReadOnlyFilesAreKept) {
  EXPECT_EQ(shell("echo old > y.npy; chmod 444 y.npy; $weft fft x.npy y.npy 2>err.txt"), 2);
  EXPECT_NE(text_of("err.txt").find("permissions"), std::string::npos) << text_of("err.txt");
  EXPECT_EQ(shell("$weft plan 64 --json=y.npy 2>err.txt"), 2);
  EXPECT_EQ(text_of("y.npy"), "old\n");
}

TEST_F(Streams, ALinkToNothingGetsItsFile) {
  EXPECT_EQ(shell("ln -s new.npy link; $weft fft x.npy link --quiet"), 0);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(text_of("new.npy"), good_);
}

/// The tool at work on y.npy (planning takes seconds) once its temporary file is there.
constexpr const char* start_slow_work =
    "$weft fft x.npy y.npy --no-wisdom --effort patient --quiet 2>err.txt & pid=$!\n"
    "until ls -A | grep -q 'weft-'; do kill -0 $pid || exit 99; sleep 0.01; done\n";

TEST_F(Streams, SignalsLeaveNoTemporaryFile) {
  write_array("x.npy", {1 << 16}, complex_noise(1 << 16));
  write_text("y.npy", "old");
  for (const auto& [name, number] : {std::pair("TERM", 15), {"HUP", 1}}) {
    EXPECT_EQ(shell(start_slow_work + std::string("kill -") + name + " $pid; wait $pid"),
              128 + number);
    EXPECT_NE(text_of("err.txt").find("interrupted"), std::string::npos);
    EXPECT_EQ(files(), (std::vector<std::string>{"x.npy", "y.npy"})) << name;
    EXPECT_EQ(text_of("y.npy"), "old");
  }
}

TEST_F(Streams, SignalsThatTheCallerIgnoresStayIgnored) {
  write_array("x.npy", {1 << 13}, complex_noise(1 << 13));
  EXPECT_EQ(shell(std::string("trap '' HUP\n") + start_slow_work + "kill -HUP $pid; wait $pid"), 0);
  EXPECT_EQ(files(), (std::vector<std::string>{"x.npy", "y.npy"}));
}

}  // namespace
}  // namespace weft::tool
