// Attacks on the built-in site, from request to results on disk.
#include "mode/attack.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "record/reader.hpp"
#include "serve/background_site.hpp"

namespace thrum::mode {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

class AttackTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "attackXXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    auto site = serve::BackgroundSite::start();
    ASSERT_TRUE(site) << site.error().text;
    site_ = std::move(*site);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(file(name)) << text;
    return file(name);
  }

  AttackRequest request(std::string_view path) const {
    AttackRequest out;
    out.targets = write("targets.txt", "GET " + site_->url(path) + "\n");
    out.output = file("results.bin");
    out.options.shape = *parse_shape("1000");
    out.options.hits = 20;
    out.progress = false;
    return out;
  }

  // Runs it to its end; the hooks' words are kept.
  Expected<AttackEnd> run(AttackRequest request) {
    auto attack = Attack::prepare(std::move(request), hooks());
    if (!attack) return std::unexpected(attack.error());
    return (*attack)->run();
  }

  AttackHooks hooks() {
    return {.print = [this](std::string_view text) -> Expected<void> {
              printed_ += text;
              return {};
            },
            .warn = [this](std::string_view line) { warned_ += std::string(line) + '\n'; }};
  }

  struct Found {
    std::uint64_t results = 0, ok = 0, body_bytes = 0, bytes_out = 0;
    std::string attack;
    std::optional<ClosingBooks> closing;
    FileHeader header;
  };
  Found read(const std::string& path) const {
    Found out;
    const std::vector<std::string> files{path};
    auto reader = open_results(files);
    EXPECT_TRUE(reader) << reader.error().text;
    if (!reader) return out;
    for (auto batch = (*reader)->next(); batch && !batch->empty(); batch = (*reader)->next()) {
      for (const Result& r : *batch) {
        ++out.results;
        out.ok += r.outcome == Outcome::ok;
        out.body_bytes += r.body ? r.body->size() : 0;
        out.bytes_out += r.bytes_out;
        out.attack = r.attack;
      }
    }
    for (const auto& run : (*reader)->runs()) {
      out.closing = run->closing;
      out.header = run->header;
    }
    EXPECT_TRUE((*reader)->damage().empty());
    return out;
  }

  std::filesystem::path folder_;
  std::unique_ptr<serve::BackgroundSite> site_;
  std::string printed_, warned_;
};

TEST_F(AttackTest, WritesEachResultTheHeaderAndTheBooks) {
  AttackRequest r = request("/bytes/16");
  r.options.name = "trial";
  r.typed = {{"n", "20"},
             {"header", "Authorization: Bearer secret"},
             {"proxy", "http://me:secret@p:1"},
             {"proxy-header", "Proxy-Authorization: Bearer secret"}};
  const auto end = run(r);
  ASSERT_TRUE(end) << end.error().text;
  EXPECT_EQ(*end, AttackEnd::done);
  const Found found = read(r.output);
  EXPECT_EQ(found.results, 20u);
  EXPECT_EQ(found.ok, 20u);
  EXPECT_EQ(found.attack, "trial");
  EXPECT_EQ(found.body_bytes, 0u) << "bodies are kept only when asked for";
  EXPECT_EQ(found.header.attack, "trial");
  EXPECT_EQ(found.header.asked_rate, 1000);
  EXPECT_EQ(found.header.run_id.size(), 32u);
  EXPECT_THAT(found.header.options, testing::ElementsAre(testing::Pair("n", "20"), testing::Pair("header", "Authorization: Bearer ***"),
                                                         testing::Pair("proxy", "http://me:***@p:1"),
                                                         testing::Pair("proxy-header", "Proxy-Authorization: Bearer ***")));
  ASSERT_TRUE(found.closing);
  EXPECT_EQ(found.closing->summary.books.sent, 20u);
  EXPECT_EQ(warned_, "");
}

TEST_F(AttackTest, WritesEveryEncoding) {
  for (const Encoding encoding : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    AttackRequest r = request("/bytes/16");
    r.encoding = encoding;
    ASSERT_TRUE(run(r));
    EXPECT_EQ(read(r.output).results, 20u) << name_of(encoding);
  }
}

TEST_F(AttackTest, KeepsAsMuchOfTheBodiesAsAskedFor) {
  AttackRequest r = request("/bytes/16");
  r.capture_body = true;
  ASSERT_TRUE(run(r));
  EXPECT_EQ(read(r.output).body_bytes, 20u * 16);
  r.capture_body = false;
  r.max_body = 5;
  ASSERT_TRUE(run(r));
  EXPECT_EQ(read(r.output).body_bytes, 20u * 5);
}

TEST_F(AttackTest, SendsTheBodyFileWithTargetsThatNameNone) {
  AttackRequest r = request("/");
  r.targets = write("targets.txt", "POST " + site_->url("/echo") + "\n\nPOST " + site_->url("/echo") + "\n@" + write("own", "own") + "\n");
  r.body = write("body.json", "{\"n\":1}");
  ASSERT_TRUE(run(r));
  EXPECT_EQ(read(r.output).bytes_out, 10u * 7 + 10u * 3);
}

TEST_F(AttackTest, ReadsTargetsLazilyAndEndsWithThem) {
  AttackRequest r = request("/");
  r.lazy = true;
  std::string list;
  for (int i = 0; i < 7; ++i) list += "GET " + site_->url("/bytes/1") + "\n";
  r.targets = write("targets.txt", list);
  ASSERT_TRUE(run(r));
  EXPECT_EQ(read(r.output).results, 7u);
}

TEST_F(AttackTest, SendsByWeightAndTellsTheResultsSo) {
  AttackRequest r = request("/");
  r.targets = write("targets.txt", "#: name often\n#: weight 3\nGET " + site_->url("/bytes/1") + "\nGET " + site_->url("/bytes/2") + "\n");
  r.seed = 5;
  ASSERT_TRUE(run(r));
  const FileHeader header = read(r.output).header;
  EXPECT_EQ(header.mix.order, "weighted");
  EXPECT_EQ(header.seed, 5u);
  ASSERT_EQ(header.mix.parts.size(), 2u);
  EXPECT_EQ(header.mix.parts[0].name, "often");
  EXPECT_EQ(header.mix.parts[0].weight, 3u);
  EXPECT_EQ(header.mix.parts[1].weight, 1u);
  EXPECT_EQ(warned_, "");
  r.options.order = Order::shuffle;
  ASSERT_TRUE(run(r));
  EXPECT_EQ(read(r.output).header.mix.order, "shuffle");
  EXPECT_THAT(warned_, HasSubstr("the targets' weights change nothing: -order=shuffle has them all alike"));
}

TEST_F(AttackTest, RefusesASeedOfNothing) {
  AttackRequest r = request("/");
  r.seed = 5;
  const auto end = run(r);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::usage);
  EXPECT_THAT(end.error().text, HasSubstr("-seed is for what is drawn at random"));
  r.options.order = Order::random;
  EXPECT_TRUE(run(r));
}

TEST_F(AttackTest, KeepsTheResultsBeforeABadTarget) {
  AttackRequest r = request("/");
  r.lazy = true;
  r.targets = write("targets.txt", "GET " + site_->url("/bytes/1") + "\nGET " + site_->url("/bytes/1") + "\nGET nowhere\n");
  const auto end = run(r);
  ASSERT_FALSE(end);
  EXPECT_THAT(end.error().text, HasSubstr("targets.txt:3"));
  const Found found = read(r.output);
  EXPECT_GE(found.results, 1u);
  ASSERT_TRUE(found.closing);
  EXPECT_EQ(found.closing->summary.books.sent, found.results);
}

TEST_F(AttackTest, CallsAMissedRateByItsLimit) {
  AttackRequest r = request("/delay?ms=50");
  r.options.max_workers = 1;
  r.options.catch_up.mode = CatchUp::Mode::none;
  r.strict_rate = true;
  const auto end = run(r);
  ASSERT_TRUE(end) << end.error().text;
  EXPECT_EQ(*end, AttackEnd::off_rate);
  EXPECT_THAT(warned_, testing::ContainsRegex("sent [0-9]+ of 20: .*-max-workers"));
  r.strict_rate = false;
  EXPECT_EQ(*run(r), AttackEnd::done);
}

TEST_F(AttackTest, StopsWhenToldAndWritesWhatCame) {
  AttackRequest r = request("/bytes/16");
  r.options.hits = kUnlimited;
  auto attack = Attack::prepare(r, hooks());
  ASSERT_TRUE(attack) << attack.error().text;
  std::thread stopper([&] {
    while (site_->counters().requests.get() < 5) std::this_thread::yield();
    (*attack)->stop();
  });
  const auto end = (*attack)->run();
  stopper.join();
  ASSERT_TRUE(end) << end.error().text;
  const Found found = read(r.output);
  EXPECT_GE(found.results, 5u);
  ASSERT_TRUE(found.closing);
  EXPECT_EQ(found.closing->summary.books.sent, found.results);
  EXPECT_TRUE(found.closing->summary.stopped);
}

TEST_F(AttackTest, CutsWhatIsInFlightAndWritesThatToo) {
  AttackRequest r = request("/delay?ms=60000");
  r.options.hits = 5;
  auto attack = Attack::prepare(r, hooks());
  ASSERT_TRUE(attack) << attack.error().text;
  std::thread cutter([&] {
    while (site_->counters().requests.get() < 5) std::this_thread::yield();
    (*attack)->cut();
  });
  const auto end = (*attack)->run();
  cutter.join();
  ASSERT_TRUE(end) << end.error().text;
  const Found found = read(r.output);
  EXPECT_EQ(found.results, 5u);
  EXPECT_EQ(found.closing->summary.books.cut, 5u);
}

TEST_F(AttackTest, LeavesAnOlderFileAloneWhenItCannotRun) {
  AttackRequest r = request("/");
  write("results.bin", "older");
  r.targets = file("tatgets.txt");
  const auto missing = run(r);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().text, HasSubstr("did you mean"));
  EXPECT_THAT(missing.error().text, HasSubstr("targets.txt"));
  r = request("/");
  r.body = file("absent");
  EXPECT_FALSE(run(r));
  r = request("/");
  r.output = r.targets;
  const auto over_input = run(r);
  ASSERT_FALSE(over_input);
  EXPECT_EQ(over_input.error().kind, ErrorKind::usage);
  EXPECT_GT(std::filesystem::file_size(r.targets), 0u);
  std::ifstream older(file("results.bin"));
  std::string text;
  older >> text;
  EXPECT_EQ(text, "older");
}

TEST_F(AttackTest, SaysWhenTheOutputIsFull) {
  AttackRequest r = request("/");
  r.output = "/dev/full";
  const auto end = run(r);
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().kind, ErrorKind::failure);
  EXPECT_THAT(end.error().text, HasSubstr("/dev/full"));
}

}  // namespace
}  // namespace thrum::mode
