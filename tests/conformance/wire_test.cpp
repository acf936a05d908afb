// Every recorded attack of the reference (folder c): the same requests arrive at a recorder, and the same comes of the same
// answers. Each case goes through the command line in this process, against a server that does what it did then. Header order,
// the headers that tell who we are and the words of errors are thrum's own; kinds of errors are compared. Where thrum differs on
// purpose, the case stands in kDifferences; docs/vegeta-differences.md has the same in prose.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/text.hpp"
#include "cli/parse.hpp"
#include "golden.hpp"
#include "http2_frames.hpp"
#include "mode/attack.hpp"
#include "support/tls_server.hpp"
#include "wire_server.hpp"

namespace thrum {
namespace {

using nlohmann::json;

// What thrum does where the reference does something else.
enum class Does : std::uint8_t {
  refuse,      // an error before anything is sent
  end,         // an error later: what came before it stands
  give,        // results with these codes; requests of their own
  count_wire,  // 200 with the body as it came, not unpacked
};

struct Difference {
  Does what;
  std::string_view reason;
  std::vector<int> codes = {};  // for `end` and `give`; 0 for an error
};

constexpr std::string_view kNeverSendable = "what can never be sent is an error before the attack";
constexpr std::string_view kTargetWins = "a target's own header wins over -header";
constexpr std::string_view kTargetLine = "METHOD, a space and an absolute URL is a target line wherever it stands";
constexpr std::string_view kOneLine = "headers that we send ourselves give way to the user's, in any case";
constexpr std::string_view kLastLine = "the last JSON line may lack its newline";
constexpr std::string_view kListEnds = "with -lazy the attack ends with the list";
constexpr std::string_view kWire = "bodies are counted, and kept, as they came over the wire";
constexpr std::string_view kWhole = "bytes_in is what came, however much of it is kept";

const std::map<std::string_view, Difference> kDifferences = {
    {"header-flag-repeat", {Does::give, kTargetWins, {200}}},
    {"header-flag-two-targets", {Does::give, kTargetWins, {200, 200, 200}}},
    {"header-flag-three-alias", {Does::give, kTargetWins, {200, 200, 200}}},
    {"header-flag-three-alias-json", {Does::give, kTargetWins, {200, 200}}},
    {"json-flags", {Does::give, kTargetWins, {200}}},
    {"header-ctrl-value", {Does::refuse, kNeverSendable}},
    {"header-bad-name", {Does::refuse, kNeverSendable}},
    {"header-unicode-name", {Does::refuse, kNeverSendable}},
    {"json-empty-header", {Does::refuse, kNeverSendable}},
    {"json-bad-method", {Does::refuse, kNeverSendable}},
    {"json-relative", {Does::refuse, kNeverSendable}},
    {"json-bad-url", {Does::refuse, kNeverSendable}},
    {"json-ctrl-url", {Does::refuse, kNeverSendable}},
    {"url-port-big", {Does::refuse, kNeverSendable}},
    {"url-abs-path", {Does::refuse, kNeverSendable}},
    {"url-ftp", {Does::refuse, kNeverSendable}},
    {"url-nohost", {Does::refuse, kNeverSendable}},
    {"url-opaque", {Does::refuse, kNeverSendable}},
    {"url-star", {Does::refuse, kNeverSendable}},
    {"timeout-negative", {Does::refuse, "a negative time is a slip; 0 is for no timeout"}},
    {"host-override-lower", {Does::give, kOneLine, {200}}},
    {"host-upper", {Does::give, kOneLine, {200}}},
    {"user-agent-lower", {Does::give, kOneLine, {200}}},
    {"accept-encoding-lower", {Does::give, kOneLine, {200}}},
    {"content-length-header-lower", {Does::give, "framing is ours, in any case of its headers", {200}}},
    {"host-bad", {Does::give, "a Host of the user's is sent as it stands", {200}}},
    {"name-header-conflict", {Does::give, "X-Vegeta-Seq is a header like any other", {200}}},
    {"conn-close-header",
     {Does::give, "after Connection: close nothing more may be sent on a connection (RFC 9112 section 9.6)", {200, 200}}},
    {"json-no-final-newline", {Does::give, kLastLine, {200, 200}}},
    {"comments-blank", {Does::give, kTargetLine, {200, 200}}},
    {"indent-targets", {Does::give, kTargetLine, {200, 200}}},
    {"target-method-like-header", {Does::give, kTargetLine, {200, 200}}},
    {"bom-targets", {Does::give, "a byte order mark is passed over", {200}}},
    {"lazy", {Does::give, kListEnds, {200, 200}}},
    {"lazy-bad-second", {Does::end, "a bad target ends the attack", {200}}},
    {"max-body-0", {Does::give, kWhole, {200}}},
    {"max-body-3", {Does::give, kWhole, {200, 200}}},
    {"max-body-1kb", {Does::give, kWhole, {200}}},
    {"gzip-auto", {Does::count_wire, kWire}},
    {"gzip-upper", {Does::count_wire, kWire}},
    {"gzip-bad", {Does::count_wire, kWire}},
    {"gzip-trunc", {Does::count_wire, kWire}},
    {"gzip-badcrc", {Does::count_wire, kWire}},
    {"gzip-empty-chunked", {Does::count_wire, kWire}},
    {"gzip-two-members", {Does::count_wire, kWire}},
    {"gzip-trailing", {Does::count_wire, kWire}},
    {"gzip-keepalive-false", {Does::count_wire, kWire}},
    {"gzip-maxbody", {Does::count_wire, kWire}},
    {"resp-six-1xx", {Does::give, "up to 64 interim responses are passed over", {200}}},
    {"resp-101", {Does::give, "what follows 101 is not HTTP: there is no body", {101}}},
    {"status-000-x", {Does::give, "000 is no status, and ends the response", {0}}},
    {"chunk-lf-only", {Does::give, "a chunk's lines end in CRLF, and what comes before one that doesn't is no body", {0}}},
    {"rst-on-accept", {Does::give, "a reset may come before the connection counts as open", {0}}},
    {"timeout-tiny", {Does::give, "a timeout runs from the sending of the request", {0}}},
    {"connect-to", {Does::give, "a default port that is written is left out of Host", {200}}},
    {"redir-neg2", {Does::refuse, "less than -1 is a slip"}},
    {"redir-frag", {Does::give, "a Referer has no fragment (RFC 9110 section 10.1.3)", {200}}},
    {"redir-accept-gzip", {Does::count_wire, kWire}},
    {"url-https-to-http", {Does::give, "what is not TLS is told as that", {0}}},
};

// Bytes are kept as Latin-1 text: a character each.
std::string bytes_of(const json& text) {
  std::string out;
  std::string_view s = text.get_ref<const std::string&>();
  while (!s.empty()) {
    std::uint32_t point = 0;
    const std::size_t n = utf8_length(s, point);
    out += static_cast<char>(point);
    s.remove_prefix(std::max<std::size_t>(n, 1));
  }
  return out;
}

using golden::replaced;

std::vector<golden::WireStep> steps_of(const json& list) {
  using Step = golden::WireStep;
  std::vector<Step> steps;
  for (const json& s : list) {
    Step& step = steps.emplace_back();
    if (s.is_string()) {
      step.kind = s == "close" ? Step::Kind::close : Step::Kind::reset;
    } else if (s.contains("sleep")) {
      step.kind = Step::Kind::sleep;
      step.milliseconds = static_cast<int>(s["sleep"].get<double>() * 1000);
    } else if (s.contains("send")) {
      step.bytes = bytes_of(s["send"]);
    } else {  // a header too long to be kept: "HEAD aaa... total N bytes, tail …"
      const std::string text = s["send_repeat"];
      const std::string tail = "\r\nContent-Length: 2\r\n\r\nhi";
      step.bytes = text.substr(0, text.find("aaa"));
      const std::size_t total = std::stoul(text.substr(text.find("total ") + 6));
      step.bytes.append(total - step.bytes.size() - tail.size(), 'a') += tail;
    }
  }
  return steps;
}

std::vector<golden::WireConnection> script_of(const json& server) {
  using Start = golden::WireConnection::Start;
  std::vector<golden::WireConnection> script;
  for (const json& connection : server) {
    golden::WireConnection& c = script.emplace_back();
    for (const json& request : connection) {
      if (request.is_array())
        c.requests.push_back(steps_of(request));
      else
        c.start = request == "close-on-accept" ? Start::closes : Start::resets;
    }
  }
  return script;
}

// A request as it is compared: order of headers, and who sent it, left out.
struct Heard {
  std::string line, body;
  bool is_chunked = false;
  std::multiset<std::pair<std::string, std::string>> headers;
  bool operator==(const Heard&) const = default;
  friend void PrintTo(const Heard& h, std::ostream* to) {
    *to << h.line << (h.is_chunked ? " (chunked)" : "");
    for (const auto& [name, value] : h.headers) *to << " | " << name << ": " << testing::PrintToString(value);
    *to << " | " << h.body.size() << " bytes: " << testing::PrintToString(h.body.substr(0, 80)) << "\n";
  }
};

std::string unchunked(std::string_view body) {
  std::string out;
  for (;;) {
    const std::size_t size = std::stoul(std::string(body.substr(0, body.find("\r\n"))), nullptr, 16);
    if (size == 0) return out;
    body.remove_prefix(body.find("\r\n") + 2);
    out += body.substr(0, size);
    body.remove_prefix(size + 2);
  }
}

Heard heard(std::string_view raw) {
  Heard out;
  const std::size_t head = std::min(raw.find("\r\n\r\n"), raw.size());
  std::istringstream lines{std::string(raw.substr(0, head))};
  std::getline(lines, out.line);
  out.line = trim(out.line);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    const std::size_t colon = line.find(':');
    std::string name = line.substr(0, colon), value(trim(std::string_view(line).substr(std::min(colon + 1, line.size()))));
    if (name == "X-Thrum-Seq") name = "X-Vegeta-Seq";
    if (name == "X-Thrum-Attack") name = "X-Vegeta-Attack";
    if (name == "User-Agent" && value.starts_with("thrum/")) value = "Go-http-client/1.1";
    if (name == "Transfer-Encoding" && value == "chunked") out.is_chunked = true;
    out.headers.emplace(name, value);
  }
  const std::string_view body = raw.substr(std::min(head + 4, raw.size()));
  out.body = out.is_chunked ? unchunked(body) : std::string(body);
  return out;
}

// What a client of HTTP/2 says after its preface. Settings and windows are each client's own, and each has its own way of
// compressing fields.
Heard heard_http2(std::string_view raw) {
  constexpr int kData = 0, kHeaders = 1, kReset = 3, kEndOfStream = 1;
  Heard out;
  for (const golden::Http2Frame& frame : golden::read_frames(raw)) {
    if (frame.type == kData) out.body += frame.payload;
    if (frame.type == kReset) out.headers.emplace("RST_STREAM", frame.payload);
    if (frame.type != kHeaders) continue;
    if ((frame.flags & kEndOfStream) != 0) out.headers.emplace("END_STREAM", "");
    for (auto [name, value] : frame.fields) {
      if (name == "x-thrum-seq") name = "x-vegeta-seq";
      if (name == "user-agent" && value.starts_with("thrum/")) value = "Go-http-client/2.0";
      if (name == ":authority") value = value.substr(0, value.find(':'));  // the port is the server's of the day
      out.headers.emplace(name, value);
    }
  }
  return out;
}

std::vector<std::vector<Heard>> heard(const std::vector<std::vector<std::string>>& connections) {
  std::vector<std::vector<Heard>> out;
  for (const auto& connection : connections) {
    auto& requests = out.emplace_back();
    const std::size_t preface = !connection.empty() && connection[0].starts_with("PRI * HTTP/2.0") ? 2 : connection.size();
    for (std::size_t i = 0; i < std::min(preface, connection.size()); ++i) requests.push_back(heard(connection[i]));
    if (preface >= connection.size()) continue;
    std::string frames;  // in however many pieces they came
    for (std::size_t i = preface; i < connection.size(); ++i) frames += connection[i];
    requests.push_back(heard_http2(frames));
  }
  return out;
}

// What ended a hit, as far as both tell it.
std::string kind_of_theirs(const json& result) {
  const std::string error = result.at("error");
  if (error.empty()) return "ok";
  const auto has = [&](std::string_view part) { return error.find(part) != std::string::npos; };
  if (result.at("code") != 0) return "status";
  if (has("Client.Timeout")) return "timeout";
  if (has("redirects") || has("Location") || has("unsupported protocol scheme")) return "redirect";
  if (has("dial ")) return "connect";
  if (has("tls:")) return "tls";
  return "response";
}

std::string kind_of_ours(const json& result) {
  if (result.at("error") == "") return "ok";
  if (result.at("code") != 0) return "status";
  const std::string outcome = result.value("outcome", "unknown");
  // Where a broken answer breaks is a matter of words.
  return outcome == "truncated" || outcome == "send" ? "response" : outcome;
}

// Headers as they came are thrum's; vegeta changes the case of names, merges by name and leaves out what is about framing.
json comparable_headers(const json& headers) {
  if (!headers.is_object()) return headers;
  static const std::set<std::string> kFraming{"connection", "content-length", "transfer-encoding", "trailer"};
  std::multiset<std::pair<std::string, std::string>> out;
  for (const auto& [written, values] : headers.items()) {
    const std::string name = lower(trim(written));
    for (const json& value : values) {
      if (kFraming.contains(name)) continue;
      std::string text = value;
      if (text.size() > 10'000) text = fmt::format("{}...({} chars)", text.substr(0, 20), text.size());  // as the record has it
      out.emplace(name, text);
    }
  }
  return out;
}

// The words for a status without a reason are thrum's.
std::string comparable_error(std::string_view error) {
  error = trim(error);
  while (error.starts_with('0')) error.remove_prefix(1);
  return std::string(error == "404 Not Found" ? "404" : error);
}

json comparable(const json& result, const std::string& kind) {
  json out;
  for (const char* key : {"attack", "seq", "code", "bytes_out", "bytes_in", "method", "url"}) out[key] = result.at(key);
  out["body"] = result.at("body").is_null() ? json("") : result.at("body");               // vegeta's own files can't tell them apart
  if (result.at("code") != 0) out["headers"] = comparable_headers(result.at("headers"));  // of a failure vegeta keeps none
  out["kind"] = kind;
  if (kind == "status") out["error"] = comparable_error(result.at("error").get<std::string>());
  return out;
}

struct Outcome {
  std::optional<Error> error;
  std::vector<json> results;  // by number
  std::vector<std::vector<std::string>> requests;
};

struct Case {
  json data;
  friend void PrintTo(const Case& c, std::ostream* to) { *to << c.data.at("id"); }
};

class WireTest : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    std::string name = testing::TempDir() + "wireXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::current_path(folder_);
  }
  void TearDown() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  Outcome run(const json& c, golden::WireServer* server);
  std::string here(std::string text, const golden::WireServer* server) const {
    if (server != nullptr) text = replaced(std::move(text), "18080", std::to_string(server->port()));
    return replaced(replaced(std::move(text), "$TMP", folder_), "$TLS", folder_);
  }

  std::string folder_;
  std::filesystem::path before_;
};

std::string name_of(const json& c) { return c.at("id").get<std::string>().substr(2); }

Outcome WireTest::run(const json& c, golden::WireServer* server) {
  std::ofstream(name_of(c) + ".targets") << here(bytes_of(c.at("targets")), server);
  for (const auto& [name, content] : c.at("files").items()) {
    std::ofstream file(name);
    if (content.is_string()) {
      file << bytes_of(content);
    } else {
      for (int i = 0; i < content.at("times"); ++i) file << bytes_of(content.at("repeat"));
    }
  }
  if (!std::filesystem::exists("body.txt")) std::ofstream("body.txt") << "hello=world&x=1";  // where the record takes it for granted
  const std::string command = here(c.at("command"), server);
  std::vector<std::string> words = golden::words(command.substr(0, command.find(" | ")));
  words.erase(words.begin());
  // As many hits by number instead of by time, and further apart: the cases are about what is sent, and hold on a busy machine.
  for (std::string& word : words) {
    constexpr std::string_view kDuration = "-duration=";
    constexpr int kInterval = 50;  // ms, at the recorded 20/s
    if (word.starts_with(kDuration)) word = fmt::format("-n={}", std::stoi(word.substr(kDuration.size())) / kInterval);
    if (word == "-rate=20/1s") word = "-rate=10/1s";
  }
  // What vegeta keeps without being asked.
  const bool names_max_body = command.find("-max-body") != std::string::npos;
  for (const char* word :
       {names_max_body ? "-capture=headers" : "-capture=headers,body", "-encoding=json", "-output=results.json", "-progress=false"})
    words.emplace_back(word);
  const std::vector<std::string_view> views(words.begin(), words.end());

  Outcome out;
  auto invocation = cli::parse(views);
  if (!invocation) {
    out.error = invocation.error().error;
    return out;
  }
  auto attack = mode::Attack::prepare(std::move(invocation->options.attack), {.print = nullptr, .warn = [](std::string_view) {}});
  if (!attack) {
    out.error = attack.error();
  } else if (const auto end = (*attack)->run(); !end) {
    out.error = end.error();
  }
  if (server != nullptr) out.requests = server->finish();
  std::ifstream file("results.json");
  for (std::string line; std::getline(file, line);) out.results.push_back(json::parse(line));
  std::ranges::sort(out.results, {}, [](const json& r) { return r.at("seq").get<std::uint64_t>(); });
  return out;
}

// A body too long for the record to keep is that of the file.
void complete(std::string& raw) {
  std::ifstream file("big.bin");
  const std::string body{std::istreambuf_iterator<char>(file), {}};
  raw.resize(raw.find("\r\n\r\n") + 4);
  raw += heard(raw + "0\r\n\r\n").is_chunked ? fmt::format("{:x}\r\n{}\r\n0\r\n\r\n", body.size(), body) : body;
}

// The payload of the script's last answer.
std::string last_body(const json& server) {
  const std::string answer = bytes_of(server.back().back().back().at("send"));
  return heard(answer).body;
}

void expect_difference(const json& c, const Difference& difference, const Outcome& is) {
  SCOPED_TRACE(difference.reason);
  const bool is_refused = difference.what == Does::refuse;
  EXPECT_EQ(is.error.has_value(), is_refused || difference.what == Does::end);
  if (is_refused) {
    for (const auto& connection : is.requests) EXPECT_TRUE(connection.empty()) << "something was sent";
    return;
  }
  std::vector<int> codes;
  for (const json& r : is.results) codes.push_back(r.at("code"));
  if (difference.what != Does::count_wire) {
    EXPECT_EQ(codes, difference.codes);
    return;
  }
  const std::string body = last_body(c.at("server"));
  for (const json& r : is.results) {
    EXPECT_EQ(r.at("code"), 200);
    EXPECT_EQ(r.at("bytes_in"), body.size());
  }
  EXPECT_EQ(is.results.size(), c.at("results").size());
}

TEST_P(WireTest, IsAsRecorded) {
  const json& c = GetParam().data;
  const std::string name = name_of(c);

  golden::WireOptions options;
  if (c.at("unix_socket")) options.unix_path = folder_ + "/s.sock";
  if (c.at("tls")) {
    const support::Pem pem = support::make_certificate({"golden.test"});
    std::ofstream("cert.pem") << pem.certificate;
    std::ofstream("key.pem") << pem.key;
    options.certificate = pem.certificate;
    options.key = pem.key;
    options.demands_certificate = name.starts_with("tls-client-cert");
  }
  std::optional<golden::WireServer> server;
  if (!c.at("server").is_null()) server.emplace(script_of(c.at("server")), options);
  const Outcome is = run(c, server ? &*server : nullptr);

  if (const auto known = kDifferences.find(name); known != kDifferences.end()) return expect_difference(c, known->second, is);
  EXPECT_EQ(is.error.has_value(), c.at("exit") != 0) << (is.error ? is.error->text : "no error");

  std::vector<std::vector<std::string>> requests;
  for (const json& connection : c.at("requests")) {
    auto& list = requests.emplace_back();
    for (const json& raw : connection) {
      if (raw == "(TLS handshake failed)") continue;
      list.push_back(here(bytes_of(raw), server ? &*server : nullptr));
      if (list.back().ends_with(" bytes)")) complete(list.back());
    }
  }
  EXPECT_EQ(heard(is.requests), heard(requests));

  std::vector<json> theirs, ours;
  for (const json& r : c.at("results")) {
    json moved = json::parse(here(r.dump(), server ? &*server : nullptr));
    theirs.push_back(comparable(moved, kind_of_theirs(moved)));
  }
  for (const json& r : is.results) ours.push_back(comparable(r, kind_of_ours(r)));
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_EQ(ours[i], theirs[i]) << json::diff(theirs[i], ours[i]).dump(-1, ' ', false, json::error_handler_t::replace) << "\n"
                                  << "our error: " << is.results[i].at("error") << ", theirs: " << c.at("results")[i].at("error");
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const char* file : {"requests", "responses", "tls"}) {
    const json part = json::parse(golden::contents(golden::root() + "/c/" + file + ".json.gz"));
    for (const json& c : part) cases.push_back({c});
  }
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Recorded, WireTest, testing::ValuesIn(all_cases()),
                         [](const auto& test) { return replaced(name_of(test.param.data), "-", "_"); });

}  // namespace
}  // namespace thrum
