// A body out of a mapped file, as large body files are; the file has no name.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "base/fd.hpp"
#include "base/mapped_file.hpp"
#include "thrum/target.hpp"

namespace thrum::load {

class MappedBody {
 public:
  explicit MappedBody(std::size_t size) : file_(::memfd_create("body", MFD_CLOEXEC)), bytes_(size, '\0') {
    for (std::size_t i = 0; i < size; ++i) bytes_[i] = static_cast<char>('a' + i % 26);
    EXPECT_EQ(::write(file_.get(), bytes_.data(), size), static_cast<ssize_t>(size));
    auto mapped = MappedFile::map(Fd(::dup(file_.get())), size);
    shared_ = SharedBytes(mapped->bytes(), mapped);
  }
  void cut(std::size_t size) { EXPECT_EQ(::ftruncate(file_.get(), static_cast<off_t>(size)), 0); }
  const std::string& bytes() const { return bytes_; }
  const SharedBytes& shared() const { return shared_; }

 private:
  Fd file_;
  std::string bytes_;
  SharedBytes shared_;
};

}  // namespace thrum::load
