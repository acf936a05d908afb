// Commands of curl as people paste them (tests/data/curl/commands.txt): the request that becomes of each is the one that curl sends, in
// method, target, headers that it was told to send, and body. What curl sent was recorded once (requests.json); where the same curl is
// installed, it is asked again. To record anew: THRUM_RECORD_CURL=1 targets_curl_test --gtest_filter='*Recorded*'
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "http/request.hpp"
#include "support/scripted_server.hpp"
#include "targets/curl_command.hpp"

namespace thrum::targets {
namespace {

namespace fs = std::filesystem;
using support::Script;
using support::ScriptedServer;
using Json = nlohmann::ordered_json;

const fs::path kData = fs::path(THRUM_TEST_DATA) / "curl";

struct Case {
  std::string name, same_as, command;  // same_as: the case that asks for the same in bash's quoting
};

std::vector<Case> read_cases() {
  std::ifstream file(kData / "commands.txt");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      const std::size_t equals = line.find(" = ");
      cases.push_back({line.substr(4, equals - 4), equals == line.npos ? "" : line.substr(equals + 3), ""});
    } else if (!cases.empty()) {
      cases.back().command += (cases.back().command.empty() ? "" : "\n") + line;
    }
  }
  return cases;
}

// TLS changes nothing in a request.
std::string over_plain_http(std::string text) {
  for (std::size_t at = text.find("https://"); at != text.npos; at = text.find("https://", at)) text.erase(at + 4, 1);
  return text;
}

struct Request {
  std::string line, host, body;
  std::vector<std::string> headers;  // "Name: value"
  bool is_chunked = false;
  bool operator==(const Request&) const = default;
};

void PrintTo(const Request& r, std::ostream* out) {
  *out << "\n" << printable(r.line) << "\nHost: " << r.host << (r.is_chunked ? "\n(chunked)" : "");
  for (const std::string& header : r.headers) *out << "\n" << printable(header);
  *out << "\n\n" << printable(r.body) << "\n";
}

// What is curl's own, or thrum's, is left out: the lengths of bodies, and the names of the programs.
Request read_request(std::string_view head, std::string body) {
  Request request{.line = std::string(head.substr(0, head.find("\r\n"))), .host = {}, .body = std::move(body), .headers = {}};
  std::string boundary;
  for (std::size_t at = request.line.size() + 2; at < head.size();) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const std::string name(line.substr(0, line.find(':')));
    std::string value(trim(line.substr(std::min(name.size() + 1, line.size()))));
    const std::string known = lower(name);
    if (line.empty() || known == "content-length" || known == "x-thrum-seq" || known == "expect") continue;
    if (known == "user-agent" && (value.starts_with("curl/") || value.starts_with("thrum/"))) continue;
    if (known == "host") {
      request.host = value;
    } else if (known == "transfer-encoding") {
      request.is_chunked = true;
    } else {
      constexpr std::string_view kRandom = "; boundary=------------------------";
      if (const std::size_t random = value.find(kRandom); random != value.npos) {
        boundary = value.substr(random + kRandom.size());
        value.replace(random + kRandom.size(), value.npos, "RANDOM");
      }
      request.headers.push_back(name + ": " + value);
    }
  }
  for (std::size_t at = boundary.empty() ? request.body.npos : request.body.find(boundary); at != request.body.npos;
       at = request.body.find(boundary, at))
    request.body.replace(at, boundary.size(), "RANDOM");
  return request;
}

// What thrum makes of a command.
Request ours(const Case& each) {
  const auto command = read_curl_text(over_plain_http(each.command));
  if (!command) return {.line = "error: " + command.error().text, .host = {}, .body = {}, .headers = {}};
  http::RequestDefaults defaults;
  defaults.compression = false;
  defaults.chunked = command->settings.chunked;
  const auto request = http::prepare(command->target, defaults);
  if (!request) return {.line = "error: " + request.error().text, .host = {}, .body = {}, .headers = {}};
  return read_request(request->head, std::string(request->body_bytes()));
}

// A folder with the files that commands name, which is the current one meanwhile.
class Folder {
 public:
  Folder() : back_(fs::current_path()), path_(fs::temp_directory_path() / ("thrum-curl-" + std::to_string(::getpid()))) {
    fs::create_directories(path_);
    fs::copy(kData / "files", path_, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
    fs::current_path(path_);
  }
  ~Folder() {
    fs::current_path(back_);
    fs::remove_all(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

 private:
  fs::path back_, path_;
};

std::string run(const std::string& line) {
  std::string out;
  FILE* const pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return out;
  char buffer[512];
  while (const std::size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  ::pclose(pipe);
  return out;
}

std::string curls_version() {
  const std::string version = run("curl --version 2>/dev/null");
  return version.substr(0, version.find(" ", version.find(' ') + 1));
}

// What curl sends when bash runs the command.
std::string asked_of_curl(const Case& each, ScriptedServer& server) {
  std::string command = over_plain_http(each.command);
  if (command.starts_with("$ ")) command.erase(0, 2);
  if (command.starts_with("/usr/bin/")) command.erase(0, 9);
  if (command.starts_with("-")) command.insert(0, "curl ");
  std::ofstream("command.sh") << "curl() { command curl -q --max-time 20 --connect-to ::127.0.0.1:" << server.port() << " \"$@\"; }\n"
                              << command << "\n";
  const std::size_t before = server.seen().size();
  (void)run("env -i PATH=\"$PATH\" LC_ALL=C.UTF-8 bash command.sh </dev/null 2>/dev/null");
  const auto seen = server.seen();
  return seen.size() > before ? seen.back().raw : "";
}

// Bytes as JSON's characters U+0000 to U+00FF.
std::string to_json_text(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    const auto b = static_cast<unsigned char>(c);
    if (b < 0x80)
      out += c;
    else
      out += {static_cast<char>(0xc0 | b >> 6), static_cast<char>(0x80 | (b & 0x3f))};
  }
  return out;
}
std::string from_json_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto b = static_cast<unsigned char>(text[i]);
    out += b < 0x80 ? text[i] : static_cast<char>((b & 3) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3f));
  }
  return out;
}

std::string without_chunks(std::string_view text) {
  std::string out;
  while (const std::size_t size = std::stoul(std::string(text), nullptr, 16)) {
    text.remove_prefix(text.find("\r\n") + 2);
    out += text.substr(0, size);
    text.remove_prefix(size + 2);
  }
  return out;
}

Request theirs(const std::string& raw) {
  const std::size_t end = raw.find("\r\n\r\n");
  if (end == raw.npos) return {.line = "nothing", .host = {}, .body = {}, .headers = {}};
  const std::string_view head = std::string_view(raw).substr(0, end + 2), body = std::string_view(raw).substr(end + 4);
  return read_request(head, lower(head).find("\r\ntransfer-encoding: chunked\r\n") == head.npos ? std::string(body) : without_chunks(body));
}

void record() {
  const Folder folder;
  ScriptedServer server(Script().answer(200).again());
  Json all;
  all["curl"] = curls_version();
  for (const Case& each : read_cases())
    if (each.same_as.empty()) all["requests"][each.name] = to_json_text(asked_of_curl(each, server));
  std::ofstream(kData / "requests.json") << all.dump(1) << "\n";
}

Json recorded() { return Json::parse(std::ifstream(kData / "requests.json")); }

TEST(CurlCommands, AreMany) {
  std::map<std::string, int> names;
  for (const Case& each : read_cases()) EXPECT_EQ(++names[each.name], 1) << each.name;
  EXPECT_GE(names.size(), 120U);
}

TEST(CurlCommands, AskForWhatCurlSentWhenItWasRecorded) {
  if (std::getenv("THRUM_RECORD_CURL") != nullptr) record();
  const Json all = recorded();
  const Folder folder;
  for (const Case& each : read_cases()) {
    const std::string name = each.same_as.empty() ? each.name : each.same_as;
    ASSERT_TRUE(all["requests"].contains(name)) << name;
    EXPECT_EQ(ours(each), theirs(from_json_text(all["requests"][name].get<std::string>()))) << each.name << "\n" << each.command;
  }
}

TEST(CurlCommands, AskForWhatTheInstalledCurlSends) {
  const std::string version = curls_version();
  if (version.empty()) GTEST_SKIP() << "curl is not installed";
  if (version != recorded()["curl"]) GTEST_SKIP() << version << " is installed; what is recorded is " << recorded()["curl"];
  const Folder folder;
  ScriptedServer server(Script().answer(200).again());
  for (const Case& each : read_cases()) {
    if (!each.same_as.empty()) continue;
    EXPECT_EQ(ours(each), theirs(asked_of_curl(each, server))) << each.name << "\n" << each.command;
  }
}

}  // namespace
}  // namespace thrum::targets
