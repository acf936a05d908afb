// Files of results made on the spot, for tests of what reads them.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "record/encoder.hpp"

namespace thrum::mode {

// A folder of its own, gone with it.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "thrum_mode_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }
  std::string put(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }
  static std::string get(const std::string& path) {
    std::ostringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return bytes.str();
  }

 private:
  std::string path_;
};

// n results, 10 ms apart, 1 ms, 2 ms, … long.
inline std::vector<Result> some_results(int n) {
  std::vector<Result> results;
  for (int i = 0; i < n; ++i) {
    Result r;
    r.seq = static_cast<std::uint64_t>(i);
    r.timestamp = Timestamp{1'700'000'000, 0, 0}.plus(Nanos(i * 10'000'000LL));
    r.latency = Nanos((i + 1) * 1'000'000LL);
    r.lag = Nanos(5'000);
    r.code = 200;
    r.method = "GET";
    r.url = "http://127.0.0.1/";
    results.push_back(r);
  }
  return results;
}

inline std::string encoded(Encoding encoding, int n, std::string attack = {}) {
  std::string out;
  const auto encoder = make_encoder(encoding);
  FileHeader header;
  header.attack = attack;
  header.start = {1'700'000'000, 0, 0};
  header.shape = "100/1s";
  header.asked_rate = 100;
  header.duration = Nanos(n * 10'000'000LL);
  encoder->begin(header, out);
  std::vector<Result> results = some_results(n);
  for (Result& r : results) r.attack = attack;
  encoder->append(results, out);
  ClosingBooks closing;
  closing.results = static_cast<std::uint64_t>(n);
  closing.summary.books = {closing.results + 3, closing.results, 3, closing.results, 0, 0};
  closing.summary.limit = Limit::workers;
  closing.summary.limit_value = 7;
  closing.summary.sending = header.duration;
  encoder->finish(closing, out);
  encoder->flush(out);
  return out;
}

}  // namespace thrum::mode
