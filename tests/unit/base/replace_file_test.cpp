// SPDX-License-Identifier: BSD-3-Clause
#include "base/replace_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "weft/error.hpp"

namespace weft {
namespace {

namespace fs = std::filesystem;

class ReplaceFile : public ::testing::Test {
 protected:
  ReplaceFile() {
    std::string pattern = (fs::temp_directory_path() / "weft-replace-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ReplaceFile() override { fs::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::ptrdiff_t count() const { return std::distance(fs::directory_iterator(folder_), {}); }
  static void write(FileReplacement& file, const std::string& text) {
    file.write(std::as_bytes(std::span(text)));
  }

  fs::path folder_;
};

TEST_F(ReplaceFile, TheOldContentStaysUntilTheCommit) {
  std::ofstream(path("f")) << "old";
  {
    FileReplacement lost(path("f"));
    write(lost, "lost");
    EXPECT_EQ(read(path("f")), "old");
    EXPECT_EQ(count(), 2);
  }
  EXPECT_EQ(read(path("f")), "old");
  EXPECT_EQ(count(), 1);
  FileReplacement kept(path("f"));
  write(kept, "new");
  kept.commit();
  EXPECT_EQ(read(path("f")), "new");
  EXPECT_EQ(count(), 1);
}

TEST_F(ReplaceFile, ManyAtOnceDoNotMeet) {
  FileReplacement first(path("f")), second(path("f"));
  write(first, "first");
  write(second, "second");
  first.commit();
  EXPECT_EQ(read(path("f")), "first");
  second.commit();
  EXPECT_EQ(read(path("f")), "second");
}

TEST_F(ReplaceFile, SignalHandlersCanRemoveWhatIsUnderWay) {
  EXPECT_FALSE(remove_temporary_files());
  FileReplacement first(path("f")), second(path("g"));
  EXPECT_EQ(count(), 2);
  EXPECT_TRUE(remove_temporary_files());
  EXPECT_EQ(count(), 0);
  EXPECT_THROW(first.commit(), Error);
}

TEST_F(ReplaceFile, LinksAreFollowedToTheirEnd) {
  fs::create_symlink("second", folder_ / "first");
  fs::create_symlink(folder_ / "end", folder_ / "second");
  EXPECT_EQ(follow_links(path("first")).path, path("end"));
  EXPECT_EQ(follow_links(path("absent")).path, path("absent"));
  fs::create_symlink("circle", folder_ / "circle");
  EXPECT_THROW(follow_links(path("circle")), Error);
}

TEST_F(ReplaceFile, OpenFilesAreKnownByTheirNumber) {
  const Descriptor open(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  const std::string number = std::to_string(open.number());
  EXPECT_EQ(follow_links("/dev/fd/" + number).descriptor, open.number());
  EXPECT_EQ(follow_links("/proc/self/fd/" + number).descriptor, open.number());
  fs::create_symlink("/dev/fd/" + number, folder_ / "link");
  EXPECT_EQ(follow_links(path("link")).descriptor, open.number());
  EXPECT_EQ(follow_links(path("7")).descriptor, -1);
  EXPECT_THROW(FileReplacement(path("link")), Error);
}

}  // namespace
}  // namespace weft
