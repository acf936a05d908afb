#include "golden.hpp"

#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

namespace thrum::golden {

std::string root() { return std::string(THRUM_TEST_DATA) + "/golden/vegeta"; }

std::vector<Case> cases_with(std::string_view part) {
  std::ifstream file(root() + "/cases.json");
  std::vector<Case> cases;
  for (const auto& json : nlohmann::json::parse(file)) {
    Case c;
    c.command = json.at("command");
    if (c.command.find(part) == std::string::npos) continue;
    c.id = json.at("id");
    c.folder = root() + "/" + json.at("dir").get<std::string>();
    c.compare = json.at("compare");
    c.note = json.at("note");
    c.exit = json.at("exit");
    if (json.contains("env")) c.zone = json.at("env").value("TZ", c.zone);
    const std::string out = json.at("stdout");
    if (out != "(empty)") c.stdout_file = c.folder + "/" + out;
    cases.push_back(std::move(c));
  }
  return cases;
}

std::vector<std::string> words(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, any = false;
  for (const char ch : std::string(command) + " ") {
    if (ch == '\'') {
      quoted = !quoted;
      any = true;
    } else if (ch == ' ' && !quoted) {
      if (any || !word.empty()) words.push_back(word);
      word.clear();
      any = false;
    } else {
      word += ch;
    }
  }
  return words;
}

std::string replaced(std::string text, std::string_view what, std::string_view with) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += with.size()) text.replace(at, what.size(), with);
  return text;
}

std::string scratch_file(std::string_view name) {
  return std::filesystem::temp_directory_path() / (std::string(name) + "." + std::to_string(::getpid()));
}

std::string contents(const std::string& path) {
  if (!path.ends_with(".gz")) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("no file " + path);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }
  std::FILE* const pipe = ::popen(("gzip -dc '" + path + "'").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("can't run gzip");
  std::string bytes;
  char buffer[65536];
  for (std::size_t n = 0; (n = std::fread(buffer, 1, sizeof buffer, pipe)) != 0;) bytes.append(buffer, n);
  if (::pclose(pipe) != 0) throw std::runtime_error("gzip failed on " + path);
  return bytes;
}

}  // namespace thrum::golden
