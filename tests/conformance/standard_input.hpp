// Bytes as standard input, for code that reads descriptor 0.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string_view>

namespace thrum {

// Stands in for standard input, and puts the real one back.
class StandardInput {
 public:
  explicit StandardInput(std::string_view bytes) : saved_(::dup(0)) {
    const int fd = ::memfd_create("stdin", 0);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    ::lseek(fd, 0, SEEK_SET);
    ::dup2(fd, 0);
    ::close(fd);
  }
  ~StandardInput() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }

 private:
  int saved_;
};

}  // namespace thrum
