// A made-up /proc and /sys in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace thrum::host {

class TreeTest : public testing::Test {
 protected:
  TreeTest() {
    std::string name = (std::filesystem::temp_directory_path() / "thrum-host-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) root = name;
  }
  ~TreeTest() override { std::filesystem::remove_all(root); }
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(root + path).parent_path());
    std::ofstream(root + path) << text;
  }
  std::string root;
};

}  // namespace thrum::host
