#include "mode/run_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/text.hpp"
#include "mode/plot.hpp"

namespace thrum::mode {
namespace {

std::string file_in(const std::string& folder, std::string_view name, std::string_view ending) {
  return (std::filesystem::path(folder) / fmt::format("{}{}", name, ending)).string();
}

// No path, and nothing that a shell or another system would trip over.
bool is_name_of_file(std::string_view name) {
  const auto is_fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
  };
  return !name.empty() && name[0] != '.' && name[0] != '-' && std::ranges::all_of(name, is_fine);
}

Expected<void> plot(std::vector<std::string> inputs, std::string title, std::string output,
                    const std::function<void(std::string_view)>& warn) {
  auto page = Plot::create({.inputs = std::move(inputs), .title = std::move(title), .output = std::move(output)}, {.warn = warn});
  return page ? (*page)->run() : std::unexpected(std::move(page.error()));
}

}  // namespace

Expected<void> make_folder(const std::string& folder, std::span<const std::string> runs) {
  for (const std::string& run : runs) {
    if (!is_name_of_file(run))
      return usage_error(fmt::format("-out-dir: \"{}\" can't be the name of files; use letters, digits, - _ and . in [run.NAME]",
                                     printable_prefix(run, 60)));
    if (run == "all") return usage_error("-out-dir: all.html is the plot of all runs; give [run.all] another name");
  }
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return failure(fmt::format("can't make -out-dir={}: {}", printable(folder), lower(failed.message())));
  return {};
}

void put_into_folder(RunRequest& request, const std::string& folder, const std::string& run) {
  request.record = file_in(folder, run, ".bin");
  if (request.output.empty()) request.output = file_in(folder, run, ".json");
}

Expected<void> plot_run(const std::string& folder, const std::string& run, const std::function<void(std::string_view)>& warn) {
  return plot({file_in(folder, run, ".bin")}, run, file_in(folder, run, ".html"), warn);
}

Expected<void> plot_runs(const std::string& folder, std::span<const std::string> runs, const std::function<void(std::string_view)>& warn) {
  std::vector<std::string> inputs;
  std::string title;
  for (const std::string& run : runs) {
    inputs.push_back(file_in(folder, run, ".bin"));
    title += (title.empty() ? "" : ", ") + run;
  }
  return plot(std::move(inputs), std::move(title), file_in(folder, "all", ".html"), warn);
}

}  // namespace thrum::mode
