// SPDX-License-Identifier: BSD-3-Clause
#include "common/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <sstream>

#include "base/replace_file.hpp"

namespace weft::apps {
namespace {

constexpr const char* magic = "weft-checkpoint-1";
constexpr Index head_bytes = 4096;  // text, padded with line ends; the numbers follow

struct Head {
  std::string program;
  std::vector<std::pair<std::string, Index>> numbers;  // name and count
  std::vector<Index> fields;                           // bytes of each
};

Index bytes_of(const SavedField& field) {
  Index bytes = field.element_bytes;
  for (const Index extent : field.shape) bytes *= extent;
  return bytes;
}

std::string text_of(const Head& head) {
  std::string text = fmt::format("{} {}\n", magic, head.program);
  for (const auto& [name, count] : head.numbers)
    text += fmt::format("numbers {} {}\n", name, count);
  for (const Index bytes : head.fields) text += fmt::format("field {}\n", bytes);
  text.resize(head_bytes, '\n');
  return text;
}

Head parsed(const std::string& text, const std::string& path) {
  Head head;
  std::istringstream words(text);
  std::string word;
  words >> word >> head.program;
  if (word != magic)
    throw Error(ErrorCode::io, path + " is no checkpoint; give a file that --checkpoint has made");
  while (words >> word) {
    std::string name;
    Index count = 0;
    if (word == "numbers") words >> name;
    words >> count;
    if (word == "numbers")
      head.numbers.emplace_back(name, count);
    else
      head.fields.push_back(count);
  }
  return head;
}

Index fields_begin(const Head& head) {
  Index at = head_bytes;
  for (const auto& [name, count] : head.numbers) at += 8 * count;
  return at;
}

void all_of(ssize_t (*move)(int, void*, std::size_t, off_t), const char* doing, int file,
            std::byte* data, Index bytes, Index at, const std::string& path) {
  while (bytes > 0) {
    const ssize_t moved = move(file, data, static_cast<std::size_t>(bytes), at);
    if (moved < 0 && errno == EINTR) continue;
    if (moved < 0) file_error(doing, path, errno);
    if (moved == 0) throw Error(ErrorCode::io, path + " is shorter than its head says");
    data += moved, bytes -= moved, at += moved;
  }
}
ssize_t write_some(int file, void* data, std::size_t bytes, off_t at) {
  return pwrite(file, data, bytes, at);
}
void write_at(const Descriptor& file, const void* data, Index bytes, Index at,
              const std::string& path) {
  all_of(write_some, "write", file.number(), static_cast<std::byte*>(const_cast<void*>(data)),
         bytes, at, path);
}
void read_at(const Descriptor& file, void* data, Index bytes, Index at, const std::string& path) {
  all_of(pread, "read", file.number(), static_cast<std::byte*>(data), bytes, at, path);
}

/// visit(offset in the file's field, pointer, bytes) for the longest contiguous runs of the box.
void each_run(const SavedField& field, const std::function<void(Index, std::byte*, Index)>& visit) {
  const auto ndim = static_cast<int>(field.shape.size());
  if (field.box.empty()) return;
  int outer = ndim;  // axes before `outer` are looped over
  Index run = field.element_bytes;
  while (outer > 0) {
    --outer;
    run *= field.box.extent(outer);
    if (field.box.extent(outer) != field.shape[static_cast<std::size_t>(outer)]) break;
  }
  auto* data = static_cast<std::byte*>(field.data);
  std::array<Index, max_box_ndim> index = field.box.begin;
  for (;;) {
    Index at = 0;
    for (int d = 0; d < ndim; ++d)
      at = at * field.shape[static_cast<std::size_t>(d)] + index[static_cast<std::size_t>(d)];
    visit(at * field.element_bytes, data, run);
    data += run;
    int d = outer - 1;
    for (; d >= 0; --d) {
      const auto i = static_cast<std::size_t>(d);
      if (++index[i] < field.box.end[i]) break;
      index[i] = field.box.begin[i];
    }
    if (d < 0) return;
  }
}

Descriptor opened(const std::string& path, int flags) {
  Descriptor file(open(path.c_str(), flags | O_CLOEXEC, 0666));
  if (!file) file_error("open", path, errno);
  return file;
}

Head read_head(const Descriptor& file, const std::string& path) {
  struct stat status{};
  if (fstat(file.number(), &status) != 0) file_error("read", path, errno);
  std::string text(static_cast<std::size_t>(std::min<Index>(head_bytes, status.st_size)), ' ');
  read_at(file, text.data(), static_cast<Index>(text.size()), 0, path);
  Head head = parsed(text, path);
  Index bytes = fields_begin(head);
  for (const Index field : head.fields) bytes += field;
  if (bytes != status.st_size)
    throw Error(ErrorCode::io, fmt::format("{} has {} bytes, its head says {}; it is damaged", path,
                                           status.st_size, bytes));
  return head;
}

}  // namespace

void write_checkpoint(const Team& team, const std::string& path, const std::string& program,
                      const SavedNumbers& numbers, const std::vector<SavedField>& fields) {
  const std::string temporary = path + ".new";
  Head head{program, {}, {}};
  for (const auto& [name, values] : numbers)
    head.numbers.emplace_back(name, static_cast<Index>(values.size()));
  for (const SavedField& field : fields) head.fields.push_back(bytes_of(field));
  const TemporaryFileMark mark(temporary);
  team.first_rank_does([&] {
    const Descriptor file = opened(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    write_at(file, text_of(head).data(), head_bytes, 0, path);
    Index at = head_bytes;
    for (const auto& [name, values] : numbers) {
      write_at(file, values.data(), static_cast<Index>(8 * values.size()), at, path);
      at += static_cast<Index>(8 * values.size());
    }
  });
  team.agree([&] {
    const Descriptor file = opened(temporary, O_WRONLY);
    Index begin = fields_begin(head);
    for (const SavedField& field : fields) {
      each_run(field, [&](Index at, std::byte* data, Index bytes) {
        write_at(file, data, bytes, begin + at, path);
      });
      begin += bytes_of(field);
    }
    if (fsync(file.number()) != 0) file_error("write", path, errno);
  });
  team.first_rank_does([&] {
    if (rename(temporary.c_str(), path.c_str()) != 0) file_error("write", path, errno);
  });
}

SavedNumbers read_checkpoint_numbers(const Team& team, const std::string& path,
                                     const std::string& program) {
  SavedNumbers numbers;
  team.agree([&] {
    const Descriptor file = open_ordinary(path);
    const Head head = read_head(file, path);
    if (head.program != program)
      throw Error(ErrorCode::io,
                  fmt::format("{} is a checkpoint of {}, not of {}", path, head.program, program));
    Index at = head_bytes;
    for (const auto& [name, count] : head.numbers) {
      std::vector<double>& values = numbers[name];
      values.resize(static_cast<std::size_t>(count));
      read_at(file, values.data(), 8 * count, at, path);
      at += 8 * count;
    }
  });
  return numbers;
}

void read_checkpoint_fields(const Team& team, const std::string& path,
                            const std::vector<SavedField>& fields) {
  team.agree([&] {
    const Descriptor file = open_ordinary(path);
    const Head head = read_head(file, path);
    if (head.fields.size() != fields.size())
      throw Error(ErrorCode::io, path + " holds other fields; it is of another run");
    Index begin = fields_begin(head);
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (head.fields[f] != bytes_of(fields[f]))
        throw Error(ErrorCode::io, path + " holds fields of another size; it is of another run");
      each_run(fields[f], [&](Index at, std::byte* data, Index bytes) {
        read_at(file, data, bytes, begin + at, path);
      });
      begin += head.fields[f];
    }
  });
}

void expect_same(const SavedNumbers& numbers, const std::string& name, double value) {
  const auto found = numbers.find(name);
  if (found != numbers.end() && found->second.size() == 1 && found->second[0] == value) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("the checkpoint was made with another {0}: {1:g}, now {2:g}; resume with "
                          "the same options",
                          name, found == numbers.end() ? 0.0 : found->second.at(0), value));
}

}  // namespace weft::apps
