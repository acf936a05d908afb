// What results cost: bytes and nanoseconds each to encode and to read, per encoding. `record_bench [results]`.
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>

#include "record/encoder.hpp"
#include "record/reader.hpp"
#include "synthetic_results.hpp"

namespace thrum::bench {
namespace {

double cpu_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// Encodes `results` in batches of a tenth of a second (or of 512, in a closed loop), flushed each, as a run does.
void measure(std::string_view what, Encoding encoding, const Profile& profile, std::size_t results) {
  SyntheticResults stream(profile);
  const std::size_t batch = profile.rate > 0 ? std::max<std::size_t>(1, static_cast<std::size_t>(profile.rate / 10)) : 10'000;
  const auto encoder = make_encoder(encoding);
  std::string bytes, out;
  encoder->begin({}, bytes);
  double encoding_time = 0;
  for (std::size_t done = 0; done < results; done += batch) {
    const auto& rows = stream.next(batch);
    const double start = cpu_seconds();
    out.clear();
    for (std::size_t i = 0; i < rows.size(); i += 64)
      encoder->append(std::span(rows).subspan(i, std::min<std::size_t>(64, rows.size() - i)), out);
    encoder->flush(out);
    encoding_time += cpu_seconds() - start;
    bytes += out;
  }
  const int fd = ::memfd_create("results", 0);
  if (::write(fd, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) std::abort();
  std::uint64_t read = 0;
  std::int64_t sum = 0;
  double best = 1e9;
  for (int round = 0; round < 3; ++round) {
    ::lseek(fd, 0, SEEK_SET);
    read = 0;
    const double start = cpu_seconds();
    auto reader = open_results(fd, "results");
    for (;;) {
      const auto rows = (*reader)->next();
      if (!rows || rows->empty()) break;
      for (const Result& r : *rows) sum += r.latency.count() ^ r.timestamp.nanos;
      read += rows->size();
    }
    best = std::min(best, cpu_seconds() - start);
  }
  ::close(fd);
  fmt::print("{:<28} {:>7} results  {:6.2f} bytes  encode {:6.1f} ns  read {:6.1f} ns ({:.1f} M/s)  [{}]\n", what, read,
             static_cast<double>(bytes.size()) / static_cast<double>(read), encoding_time * 1e9 / static_cast<double>(read),
             best * 1e9 / static_cast<double>(read), static_cast<double>(read) / best / 1e6, sum & 1);
}

}  // namespace
}  // namespace thrum::bench

int main(int argc, char** argv) {
  using namespace thrum;
  using namespace thrum::bench;
  const std::size_t results = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1'000'000;
  measure("native, 1,000/s", Encoding::native, {}, results);
  measure("native, 50/s", Encoding::native, {.rate = 50}, results / 10);
  measure("native, 100/s", Encoding::native, {.rate = 100}, results / 10);
  measure("native, 1,000/s, 100 URLs", Encoding::native, {.urls = 100}, results);
  measure("native, 1,000/s, all URLs new", Encoding::native, {.urls = results}, results);
  measure("native, 20,000/s", Encoding::native, {.rate = 20'000, .median_ms = 0.15}, results);
  measure("native, closed", Encoding::native, {.rate = 0, .median_ms = 0.5}, results);
  measure("gob", Encoding::gob, {}, results / 2);
  measure("JSON", Encoding::json, {}, results / 2);
  measure("CSV", Encoding::csv, {}, results / 2);
  return 0;
}
