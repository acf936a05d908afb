// Every flag of attack does something that can be seen, and still does it beside every other flag; or the two are refused
// together, or what has no effect is told; or it stands in flag_rows.cpp why they can't both be seen. Each run goes through the
// command line in a process of its own, against recording servers; several run at once, as most of a run is waiting.
#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cli/flag.hpp"
#include "cli/parse.hpp"
#include "flag_rows.hpp"
#include "golden.hpp"
#include "mode/attack.hpp"
#include "name_server.hpp"
#include "record/reader.hpp"
#include "support/tls_server.hpp"
#include "wire_server.hpp"

namespace thrum::pairs {
namespace {

constexpr std::size_t kAtOnce = 12;
constexpr int kTries = 3;
constexpr unsigned kLongest = 60;  // seconds that they may take

std::string_view name_of(std::string_view argument) { return argument.substr(0, argument.find('=')); }

// A control has all that a row has but the flag itself.
enum class Part { whole, control };

struct Plan {
  std::vector<const Row*> flags;
  Part part = Part::whole;
};

void write(const char* name, const Text& text) { std::ofstream(name) << text; }

Needs needs_of(const Plan& plan) {
  Needs all;
  for (const Row* row : plan.flags) {
    all.tls = all.tls || row->needs.tls;
    all.names = all.names || row->needs.names;
    all.moved = all.moved || row->needs.moved;
    all.http2 = all.http2 || row->needs.http2;
    all.no_attack = all.no_attack || row->needs.no_attack;
    all.time = all.time || row->needs.time;
  }
  return all;
}

void write_files(const Needs& needs, std::uint16_t port, const support::Pem& server, const support::Pem& client) {
  const Text at = fmt::format("{}://{}:{}{}", needs.tls ? "https" : "http", needs.names ? "pairs.test" : "127.0.0.1", port,
                              needs.moved ? "/moved" : "");
  write("targets.txt", fmt::format("GET {0}/a\nX-Own: 1\n\nPOST {0}/b\n", at));
  write("other.txt", fmt::format("GET {0}/other\n\nGET {0}/other2\n", at));
  write("targets.json", fmt::format("{{\"method\":\"GET\",\"url\":\"{0}/json\"}}\n{{\"method\":\"GET\",\"url\":\"{0}/json2\"}}\n", at));
  write("body.txt", "a body of a file");
  write("ca.pem", server.certificate);
  write("client.pem", client.certificate);
  write("client.key", client.key);
}

// Four hits, ten milliseconds apart; what flags say comes behind.
Words arguments_of(const Plan& plan, const std::function<Text(Text)>& fill) {
  Words arguments{"attack", "-targets=targets.txt", "-rate=100", "-n=4", "-output=results.json", "-encoding=json", "-progress=false"};
  if (needs_of(plan).no_attack && plan.part == Part::whole) arguments.resize(2);
  for (const Row* row : plan.flags)
    for (const Text& word : row->arguments) {
      if (plan.part == Part::control && name_of(word).substr(1) == row->flag) continue;
      std::erase_if(arguments, [&](const Text& old) { return name_of(old) == name_of(word); });
      arguments.push_back(fill(word));
    }
  return arguments;
}

void read_hits(const Text& file, Seen& seen) {
  const Words files{file};
  auto reader = open_results(files);
  if (!reader) return;
  for (auto batch = (*reader)->next(); batch && !batch->empty(); batch = (*reader)->next())
    for (const Result& r : *batch) {
      Hit& h = seen.hits.emplace_back();
      h.attack = r.attack;
      h.url = r.url;
      h.code = r.code;
      h.outcome = r.outcome;
      h.sent = r.timestamp;
      h.due = r.timestamp.plus(r.has_lag() ? -r.lag : Nanos(0));
      h.latency = r.latency;
      h.has_headers = r.has_headers && !r.headers.empty();
      if (r.body) h.body = *r.body;
    }
  for (const auto& run : (*reader)->runs())
    if (run->closing) seen.shards = run->closing->summary.shards;
  std::ranges::sort(seen.hits, {}, [](const Hit& h) { return std::pair(h.due.seconds, h.due.nanos); });
}

void attack(const Words& arguments, Seen& seen) {
  const std::vector<std::string_view> views(arguments.begin(), arguments.end());
  auto invocation = cli::parse(views);
  if (!invocation) {
    seen.error = invocation.error().error;
    return;
  }
  const Text output = invocation->options.attack.output;
  auto attack = mode::Attack::prepare(std::move(invocation->options.attack),
                                      {.print = [&](std::string_view text) -> Expected<void> {
                                         seen.printed += text;
                                         return {};
                                       },
                                       .warn = [&](std::string_view line) { seen.warnings += Text(line) + "\n"; }});
  if (!attack) {
    seen.error = attack.error();
    return;
  }
  const auto end = (*attack)->run();
  const auto now = Timestamp::from_unix(std::chrono::system_clock::now().time_since_epoch());
  if (!end)
    seen.error = end.error();
  else
    seen.was_off_rate = *end == mode::AttackEnd::off_rate;
  if (std::filesystem::exists(output)) seen.file = golden::contents(output);
  read_hits(output, seen);
  if (seen.hits.empty()) return;
  seen.stayed = Nanos::max();
  for (const Hit& h : seen.hits) seen.stayed = std::min(seen.stayed, now.since(h.sent.plus(h.latency)));
}

class FlagPairs : public testing::TestWithParam<std::size_t> {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "pairsXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs what is planned, and holds against it what `wrong` says of what was seen, a line each.
  void add(Plan plan, std::function<Text(const Seen&)> wrong);
  void await_all() {
    while (!running_.empty()) await_one();
  }

 private:
  struct Running {
    pid_t pid;
    std::filesystem::path folder;
    Text what;
  };
  Seen run(const Plan& plan) const;
  void await_one();

  std::filesystem::path folder_;
  const support::Pem identity_ = support::make_certificate({"127.0.0.1", "pairs.test"});
  const support::Pem client_ = support::make_certificate({"client.test"});
  std::vector<Running> running_;
  int number_ = 0;
};

// In the process that is for it.
Seen FlagPairs::run(const Plan& plan) const {
  const Needs needs = needs_of(plan);
  golden::WireOptions options;
  // Answers come later than all four are sent.
  options.answer = [&](const Text& request) -> std::vector<golden::WireStep> {
    const bool is_moved = request.substr(0, request.find("\r\n")).find("/moved") != Text::npos;
    return {
        {.kind = golden::WireStep::Kind::sleep, .bytes = {}, .milliseconds = needs.time ? 160 : 50},
        {.bytes = is_moved ? "HTTP/1.1 302 Found\r\nLocation: /after\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789"
                           : "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 10\r\n\r\n0123456789"}};
  };
  options.is_proxy = true;
  golden::WireServer proxy({{}}, options);
  options.is_proxy = false;
  if (needs.tls) {
    options.certificate = identity_.certificate;
    options.key = identity_.key;
    options.asks_for_certificate = true;
  }
  options.speaks_http2 = needs.http2 && !needs.tls;
  golden::WireServer plain({{}}, options), other({{}}, options);
  options.unix_path = "s.sock";
  golden::WireServer on_unix({{}}, options);
  const golden::NameServer names;

  write_files(needs, plain.port(), identity_, client_);
  for (const char* variable : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy", "SSL_CERT_FILE"})
    ::unsetenv(variable);
  const bool is_about_trust =
      std::ranges::any_of(plan.flags, [](const Row* row) { return row->flag == "insecure" || row->flag == "root-certs"; });
  if (!is_about_trust) ::setenv("SSL_CERT_FILE", "ca.pem", 1);

  Seen seen;
  attack(arguments_of(plan,
                      [&](Text word) {
                        for (const auto& [hole, port] : {std::pair("{P}", plain.port()), std::pair("{O}", other.port()),
                                                         std::pair("{X}", proxy.port()), std::pair("{D}", names.port())})
                          word = golden::replaced(word, hole, std::to_string(port));
                        return word;
                      }),
         seen);
  for (const auto& [server, into] : {std::pair(&plain, &seen.plain), std::pair(&other, &seen.other), std::pair(&on_unix, &seen.on_unix),
                                     std::pair(&proxy, &seen.proxy)}) {
    into->requests = server->finish();
    into->arrivals = server->arrivals();
  }
  seen.questions = names.questions();
  seen.progress = golden::contents("stderr.txt");
  return seen;
}

void FlagPairs::add(Plan plan, std::function<Text(const Seen&)> wrong) {
  if (running_.size() == kAtOnce) await_one();
  Running& next = running_.emplace_back();
  next.folder = folder_ / std::to_string(++number_);
  for (const Row* row : plan.flags) next.what += fmt::format("-{} ", row->flag);
  std::filesystem::create_directory(next.folder);
  next.pid = ::fork();
  if (next.pid != 0) return;
  ::alarm(kLongest);
  // A machine that is busy elsewhere may hide what a flag does, but not time and again.
  Text said;
  for (int tries = 0; tries < kTries; ++tries) {
    try {
      const std::filesystem::path folder = next.folder / std::to_string(tries);
      std::filesystem::create_directory(folder);
      std::filesystem::current_path(folder);
      const int file = ::open("stderr.txt", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
      ::dup2(file, STDERR_FILENO);
      said = wrong(run(plan));
    } catch (const std::exception& e) {
      said = next.what + e.what();
    }
    if (said.empty()) break;
  }
  std::ofstream(next.folder / "wrong.txt") << said;
  ::_exit(0);
}

void FlagPairs::await_one() {
  const Running first = running_.front();
  running_.erase(running_.begin());
  int status = 0;
  ASSERT_EQ(::waitpid(first.pid, &status, 0), first.pid);
  if (status != 0) {
    ADD_FAILURE() << first.what << "ended with status " << status;
    return;
  }
  const Text wrong = golden::contents(first.folder / "wrong.txt");
  EXPECT_TRUE(wrong.empty()) << wrong;
}

// Whether both set one thing, each its own way: the later wins, as everybody expects.
bool set_the_same(const Row& a, const Row& b) {
  const auto is_time = [](const Row& r) { return r.flag == "timeout" || r.flag == "t"; };
  if (is_time(a) && is_time(b)) return true;
  for (const Text& one : a.arguments)
    for (const Text& two : b.arguments)
      if (name_of(one) == name_of(two) && one != two) return true;
  return false;
}

const Exception* exception_for(const Row& a, const Row& b) {
  const auto is = [](std::string_view name, const Row& row) { return row.flag == name || (name == "timeout" && row.flag == "t"); };
  for (const Exception& e : exceptions())
    if ((is(e.first, a) && is(e.second, b)) || (is(e.first, b) && is(e.second, a))) return &e;
  return nullptr;
}

Text shown_beside(const Row& row, const Row& next, const Seen& both) {
  return row.shows(both)
             ? ""
             : fmt::format("-{} shows nothing beside -{}: {}\n", row.flag, next.flag, row.flag == next.flag ? "" : both.warnings);
}

Text wrong_with(const Row& row, const Row& next, const Seen& both) {
  const Exception* const known = exception_for(row, next);
  if (known != nullptr && known->kind == Exception::Kind::refused) {
    if (!both.error) return fmt::format("-{} and -{} went together\n", row.flag, next.flag);
    if (both.error->kind == ErrorKind::usage && both.error->text.find('\n') == Text::npos && both.requests().empty()) return "";
    return fmt::format("-{} and -{}: refused late, or at length: {}\n", row.flag, next.flag, both.error->text);
  }
  if (both.error) return fmt::format("-{} with -{}: {}\n", row.flag, next.flag, both.error->text);
  if (known == nullptr) return shown_beside(row, next, both) + shown_beside(next, row, both);
  if (known->kind == Exception::Kind::unseen) {
    const bool row_is_unseen = known->second == row.flag;
    return row_is_unseen ? shown_beside(next, row, both) : shown_beside(row, next, both);
  }
  const bool is_told =
      both.warnings.find(fmt::format("-{}", row.flag)) != Text::npos && both.warnings.find(fmt::format("-{}", next.flag)) != Text::npos;
  return is_told ? "" : fmt::format("nobody says that -{} and -{} don't go together\n", row.flag, next.flag);
}

TEST_F(FlagPairs, EveryFlagHasARowOrAReason) {
  std::set<std::string_view> known;
  for (const Row& row : rows()) EXPECT_TRUE(known.insert(row.flag).second) << row.flag << " has two rows";
  for (const NoRow& none : without_row()) EXPECT_TRUE(known.insert(none.flag).second) << none.flag << " has a row after all";
  for (const cli::Flag& flag : cli::flag_table()) {
    if (!flag.commands.has(cli::Command::attack)) continue;
    EXPECT_EQ(known.erase(flag.name), 1u) << "-" << flag.name << " has neither a row nor a reason in flag_rows.cpp";
  }
  EXPECT_TRUE(known.empty()) << "no flag of attack: " << *known.begin();
}

TEST_F(FlagPairs, WithoutFlagsNothingIsToBeSeen) {
  add({}, [](const Seen& seen) {
    Text wrong = seen.error ? seen.error->text : seen.hits.size() == 4 ? "" : "not four hits\n";
    for (const Row& row : rows())
      if (row.arguments.size() == 1 && !row.needs.tls && !row.needs.moved && row.shows(seen))
        wrong += fmt::format("-{} is seen without it\n", row.flag);
    return wrong;
  });
  await_all();
}

TEST_P(FlagPairs, DoesWhatItDoesBesideAnyOther) {
  const Row& row = rows()[GetParam()];
  add({{&row}}, [&](const Seen& alone) {
    if (alone.error) return fmt::format("-{} alone: {}\n", row.flag, alone.error->text);
    return row.shows(alone) ? "" : fmt::format("-{} alone shows nothing\n", row.flag);
  });
  add({{&row}, Part::control},
      [&](const Seen& control) { return row.shows(control) ? fmt::format("-{} is seen where all is but it\n", row.flag) : ""; });
  for (const Row& next : rows().subspan(GetParam() + 1))
    if (!set_the_same(row, next)) add({{&row, &next}}, [&](const Seen& both) { return wrong_with(row, next, both); });
  await_all();
}

INSTANTIATE_TEST_SUITE_P(Flags, FlagPairs, testing::Range(std::size_t{0}, rows().size()), [](const auto& test) {
  std::string name(rows()[test.param].flag);
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace thrum::pairs
