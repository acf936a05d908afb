#include "samples.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "base/timestamp.hpp"

namespace thrum::samples {
namespace {

using Random = std::mt19937_64;

std::string text(Random& random, bool wild) {
  static const std::vector<std::string> kTame = {"", "GET http://h/", "503 Service Unavailable", "connect: connection refused", "é 漢 😀"};
  static const std::vector<std::string> kWild = {
      "a\nb",         "tab\there", "q\"q,",     "\r",           " lead", "<&>\xe2\x80\xa8", std::string("nul\0x", 5),
      "bad\xff utf8", "\\.",       "trailing ", "\xed\xa0\x80", "x"};
  if (wild && random() % 2 == 0) return kWild[random() % kWild.size()];
  return kTame[random() % kTame.size()];
}

std::uint64_t number(Random& random, bool wild) {
  if (wild && random() % 8 == 0) return random();
  return random() % 10 == 0 ? random() % 1'000'000 : 803;
}

Nanos duration(Random& random, bool wild) {
  if (wild && random() % 16 == 0) return Nanos(static_cast<std::int64_t>(random() | 1));
  return Nanos(static_cast<std::int64_t>(random() % 50'000'000));
}

void vary_time(Result& r, Random& random) {
  constexpr std::int64_t kYears = 253'402'300'799 + 62'135'596'800;  // from year 1 to year 9999
  if (random() % 4 == 0) r.timestamp.seconds = kYearOne.seconds + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(kYears));
  static const std::vector<std::int32_t> kZones = {0, Timestamp::kLocalZero, 3600, -18'000, 20'700, -60 * 210};
  r.timestamp.zone = kZones[random() % kZones.size()];
}

std::vector<Header> some_headers(Random& random, std::deque<std::string>& keep, bool wild) {
  std::vector<Header> headers;
  for (std::size_t n = random() % 4; n-- > 0;) {
    const std::string& name = keep.emplace_back(fmt::format("X-Name-{}", random() % 3));
    const std::string& value = keep.emplace_back(text(random, wild));
    headers.push_back({name, value, false});
  }
  // One name's values stand together, as formats that hold a map give them back.
  std::stable_sort(headers.begin(), headers.end(), [](const Header& a, const Header& b) { return a.name < b.name; });
  return headers;
}

}  // namespace

std::string_view Kept::own(std::string_view s) { return text_.emplace_back(s); }

void Kept::add(const Result& r) {
  Result copy = r;
  copy.attack = own(r.attack);
  copy.method = own(r.method);
  copy.url = own(r.url);
  copy.error = own(r.error);
  copy.name = own(r.name);
  if (r.body) copy.body = own(*r.body);
  std::vector<Header>& headers = headers_.emplace_back();
  for (const Header& h : r.headers) headers.push_back({own(h.name), own(h.value), h.no_value});
  copy.headers = headers;
  rows_.push_back(copy);
}

Kept mixed(std::size_t count, std::uint64_t seed, Kind kind) {
  Random random(seed);
  Kept kept;
  for (std::size_t i = 0; i < count; ++i) {
    Result r;
    std::deque<std::string> keep;
    std::vector<Header> headers;
    const bool wild = kind.wild && random() % 3 == 0;
    const std::string attack = text(random, wild), url = fmt::format("http://127.0.0.1:8080/{}{}", i % 7, text(random, wild)),
                      error = text(random, wild), body = text(random, wild);
    r.attack = attack;
    r.method = random() % 5 == 0 ? "POST" : "GET";
    r.url = url;
    r.error = error;
    const std::string name = kind.times ? text(random, wild) : "";
    r.name = name;
    r.seq = wild && random() % 8 == 0 ? random() : i;
    r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(static_cast<std::int64_t>(i * 1'000'000 + random() % 20'000)));
    if (wild) vary_time(r, random);
    r.latency = duration(random, wild);
    r.bytes_out = random() % 3 == 0 ? number(random, wild) : 0;
    r.bytes_in = number(random, wild);
    r.code = static_cast<std::uint16_t>(random() % 4 == 0 ? random() % 600 : 200);
    r.outcome = r.code == 0 ? Outcome::unknown : r.code >= 200 && r.code < 400 ? Outcome::ok : Outcome::bad_status;
    if (kind.times && random() % 4 != 0) {
      r.lag = duration(random, wild);
      r.first_byte = duration(random, wild);
      if (random() % 4 == 0) r.redirects = static_cast<std::uint16_t>(random() % 65'536), r.redirecting = duration(random, wild);
      if (random() % 4 == 0) r.dns = duration(random, wild), r.connect = duration(random, wild), r.tls = duration(random, wild);
      if (random() % 8 == 0)
        r.code = 0, r.seen_status = 200, r.outcome = Outcome::truncated, r.retries = static_cast<std::uint8_t>(random() % 256);
    }
    if (kind.captures && random() % 3 == 0) {
      headers = some_headers(random, keep, wild);
      r.has_headers = true;
      r.headers = headers;
      if (random() % 2 == 0) r.body = body;
    }
    kept.add(r);
  }
  return kept;
}

std::string difference(const Result& a, const Result& b) {
  std::string d;
  const auto field = [&](const char* name, const auto& x, const auto& y) {
    if (x != y) d += fmt::format("{}: {} and {}; ", name, x, y);
  };
  const auto time = [&](const char* name, Nanos x, Nanos y) { field(name, x.count(), y.count()); };
  field("attack", a.attack, b.attack);
  field("method", a.method, b.method);
  field("url", a.url, b.url);
  field("error", a.error, b.error);
  field("name", a.name, b.name);
  field("seq", a.seq, b.seq);
  field("seconds", a.timestamp.seconds, b.timestamp.seconds);
  field("nanos", a.timestamp.nanos, b.timestamp.nanos);
  field("zone", a.timestamp.zone, b.timestamp.zone);
  time("latency", a.latency, b.latency);
  time("lag", a.lag, b.lag);
  time("first_byte", a.first_byte, b.first_byte);
  time("dns", a.dns, b.dns);
  time("connect", a.connect, b.connect);
  time("tls", a.tls, b.tls);
  field("bytes_out", a.bytes_out, b.bytes_out);
  field("bytes_in", a.bytes_in, b.bytes_in);
  field("code", a.code, b.code);
  field("seen_status", a.seen_status, b.seen_status);
  field("outcome", static_cast<int>(a.outcome), static_cast<int>(b.outcome));
  field("retries", static_cast<int>(a.retries), static_cast<int>(b.retries));
  field("redirects", a.redirects, b.redirects);
  time("redirecting", a.redirecting, b.redirecting);
  field("warm-up", a.is_warmup, b.is_warmup);
  field("has body", a.body.has_value(), b.body.has_value());
  field("body", a.body.value_or(""), b.body.value_or(""));
  field("has headers", a.has_headers, b.has_headers);
  field("headers", a.headers.size(), b.headers.size());
  for (std::size_t i = 0; i < std::min(a.headers.size(), b.headers.size()); ++i) {
    field("header", a.headers[i].name, b.headers[i].name);
    field("value", a.headers[i].value, b.headers[i].value);
    field("no value", a.headers[i].no_value, b.headers[i].no_value);
  }
  return d;
}

std::string encoded(const std::vector<Result>& rows, Encoding encoding, std::size_t flush_every, const FileHeader& header) {
  const auto encoder = make_encoder(encoding);
  std::string out;
  encoder->begin(header, out);
  for (std::size_t i = 0; i < rows.size(); i += flush_every) {
    encoder->append(std::span(rows).subspan(i, std::min(flush_every, rows.size() - i)), out);
    encoder->flush(out);
  }
  return out;
}

namespace {

Read drain(Expected<std::unique_ptr<Reader>> reader) {
  Read read;
  if (!reader) return read.error = reader.error().text, read;
  for (;;) {
    const auto rows = (*reader)->next();
    if (!rows) read.error = rows.error().text;
    if (!rows || rows->empty()) break;
    for (const Result& r : *rows) read.results.add(r);
  }
  read.damage.assign((*reader)->damage().begin(), (*reader)->damage().end());
  for (const auto& run : (*reader)->runs()) read.runs.push_back(*run);
  return read;
}

}  // namespace

Read read(std::string_view bytes, ReaderOptions options) {
  const int fd = ::memfd_create("input", 0);
  if (::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) throw std::runtime_error("memfd");
  ::lseek(fd, 0, SEEK_SET);
  Read result = drain(open_results(fd, "input", options));
  ::close(fd);
  return result;
}

Read read_through_pipe(std::string_view bytes, std::size_t at_a_time) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe");
  std::thread writer([&, fd = ends[1]] {
    for (std::size_t i = 0; i < bytes.size(); i += at_a_time)
      if (::write(fd, bytes.data() + i, std::min(at_a_time, bytes.size() - i)) < 0) break;
    ::close(fd);
  });
  Read result = drain(open_results(ends[0], "pipe"));
  writer.join();
  ::close(ends[0]);
  return result;
}

TemporaryFile::TemporaryFile(std::string_view bytes, std::string_view name) {
  folder_ = (std::filesystem::temp_directory_path() / "thrum-record-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp");
  path_ = fmt::format("{}/{}", folder_, name);
  std::ofstream(path_, std::ios::binary) << bytes;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string TemporaryFile::contents() const {
  std::ostringstream bytes;
  bytes << std::ifstream(path_, std::ios::binary).rdbuf();
  return bytes.str();
}

}  // namespace thrum::samples
