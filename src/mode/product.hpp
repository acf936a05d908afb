// Where the small text that a command makes goes: stdout, or a file that is written only once the text is whole, and never
// over something whose loss would hurt.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/output.hpp"
#include "thrum/error.hpp"

namespace thrum::mode {

class Product {
 public:
  // `output`: a path, or "stdout". `inputs`: the files that the command reads ("stdin" and "-": standard input).
  // `force`: a file of results may be overwritten, though never an input. `flag`: that names the file.
  Product(std::string output, std::vector<std::string> inputs, bool force, std::string_view flag = "-output")
      : name_(std::move(output)), inputs_(std::move(inputs)), force_(force), flag_(flag) {}

  // Whether writing would work and do no harm, as things are now. Ask early, so that nobody waits for nothing; write() asks
  // again, because the file may have become one of results meanwhile (`attack | tee f | report -output f`).
  Expected<void> check() const;
  // The first call creates or truncates the file; later ones append.
  Expected<void> write(std::string_view text);
  bool is_terminal() const;

 private:
  bool is_stdout() const { return name_ == "stdout"; }

  std::string name_;
  std::vector<std::string> inputs_;
  bool force_;
  std::string flag_;
  std::optional<Output> out_;
};

}  // namespace thrum::mode
