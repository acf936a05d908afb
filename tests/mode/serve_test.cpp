// The mode: what it says, what it refuses, and that it stops when told to.
#include "mode/serve.hpp"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

namespace thrum::mode {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

// Runs it on a thread; `first_lines` are there once so many were said.
class Running {
 public:
  Running(ServeOptions options, std::size_t lines) {
    thread_ = std::thread([this, options, lines] {
      outcome_ = run_serve(options, stop_,
                           {.say =
                                [&](std::string_view line) {
                                  said_.emplace_back(line);
                                  if (said_.size() == lines) ready_.set_value(said_);
                                },
                            .warn = [](std::string_view) {}});
      if (said_.size() < lines) ready_.set_value(said_);
    });
    said = ready_.get_future().get();
  }
  ~Running() {
    stop_.stop();
    if (thread_.joinable()) thread_.join();
  }
  Expected<void> end() {
    stop_.stop();
    thread_.join();
    return outcome_;
  }
  std::vector<std::string> said;

 private:
  ServeStop stop_;
  std::promise<std::vector<std::string>> ready_;
  std::vector<std::string> said_;
  Expected<void> outcome_;
  std::thread thread_;
};

std::string error_of(const ServeOptions& options) {
  ServeStop stop;
  stop.stop();
  const auto outcome = run_serve(options, stop, {.say = [](std::string_view) {}, .warn = [](std::string_view) {}});
  return outcome ? "" : outcome.error().text;
}

std::uint16_t port_in(const std::string& url_line) {
  const std::size_t at = url_line.find("127.0.0.1:");
  return at == url_line.npos ? 0 : static_cast<std::uint16_t>(std::stoi(url_line.substr(at + 10)));
}

std::string fetch(std::uint16_t port, std::string_view path) {
  const Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(port);
  if (::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) return "";
  const std::string request = "GET " + std::string(path) + " HTTP/1.1\r\nHost: t\r\nConnection: close\r\n\r\n";
  if (::send(fd.get(), request.data(), request.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(request.size())) return "";
  std::string response;
  char buffer[4096];
  for (ssize_t n; (n = ::recv(fd.get(), buffer, sizeof buffer, 0)) > 0;) response.append(buffer, static_cast<std::size_t>(n));
  return response;
}

class Folder {
 public:
  Folder() : path_((std::filesystem::temp_directory_path() / "thrum-mode-XXXXXX").string()) { EXPECT_NE(mkdtemp(path_.data()), nullptr); }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }

 private:
  std::string path_;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Serve, SaysWhereItListensAndHowToAttackIt) {
  Running serve({.addr = "127.0.0.1:0"}, 2);
  ASSERT_EQ(serve.said.size(), 2u);
  EXPECT_THAT(serve.said[0], MatchesRegex("serving on http://127\\.0\\.0\\.1:[0-9]+ until Ctrl-C; .*"));
  const std::string port = std::to_string(port_in(serve.said[0]));
  EXPECT_EQ(serve.said[1], "echo \"GET http://127.0.0.1:" + port + "/api/products\" | thrum attack -rate=100 -duration=10s | thrum report");
  EXPECT_THAT(fetch(port_in(serve.said[0]), "/status/418"), StartsWith("HTTP/1.1 418 "));
  EXPECT_TRUE(serve.end().has_value());
}

TEST(Serve, StopsFromASignalHandler) {
  static ServeStop* stop = nullptr;
  ServeStop s;
  stop = &s;
  const auto before = std::signal(SIGUSR1, [](int) { stop->stop(); });
  const auto outcome = run_serve({.addr = "127.0.0.1:0"}, s, {.say = [](std::string_view) { std::raise(SIGUSR1); }, .warn = {}});
  std::signal(SIGUSR1, before);
  EXPECT_TRUE(outcome.has_value());
}

TEST(Serve, ServesTlsBesideItAndWritesTheCertificate) {
  const Folder folder;
  const std::string cert = folder.file("it's a cert.pem");
  Running serve({.addr = "127.0.0.1:0", .tls_addr = "127.0.0.1:0", .cert_out = cert}, 4);
  ASSERT_EQ(serve.said.size(), 4u);
  EXPECT_THAT(serve.said[2], StartsWith("serving on https://127.0.0.1:"));
  EXPECT_THAT(serve.said[3],
              HasSubstr("/api/products\" | thrum attack -root-certs='" + folder.file("it'\\''s a cert.pem") + "' -rate=100"));
  EXPECT_NE(port_in(serve.said[0]), port_in(serve.said[2]));
  EXPECT_THAT(content_of(cert), StartsWith("-----BEGIN CERTIFICATE-----\n"));
  EXPECT_EQ(content_of(cert).find("PRIVATE"), std::string::npos);
}

TEST(Serve, NeedsNoVerificationOfACertificateItKeepsToItself) {
  Running serve({.addr = "127.0.0.1:0", .tls_addr = ":0"}, 4);
  ASSERT_EQ(serve.said.size(), 4u);
  EXPECT_THAT(serve.said[3], HasSubstr(" | thrum attack -insecure -rate=100"));
}

TEST(Serve, RefusesOptionsThatMakeNoSense) {
  const Folder folder;
  const std::string missing = folder.file("missing.pem");
  const struct {
    ServeOptions options;
    const char* says;
  } cases[] = {
      {{.addr = "nonsense"}, "-addr \"nonsense\""},
      {{.addr = "127.0.0.1:0", .tls_addr = "nonsense"}, "-tls \"nonsense\""},
      {{.addr = "127.0.0.1:0", .workers = 0}, "-workers 0"},
      {{.addr = "127.0.0.1:0", .work = Nanos(-1)}, "-work"},
      {{.addr = "127.0.0.1:0", .cert_file = "a.pem"}, "-tls=127.0.0.1:18443"},
      {{.addr = "127.0.0.1:0", .key_file = "a.pem"}, "-tls=127.0.0.1:18443"},
      {{.addr = "127.0.0.1:0", .cert_out = "a.pem"}, "-tls=127.0.0.1:18443"},
      {{.addr = "127.0.0.1:0", .tls_addr = ":0", .key_file = "a.pem"}, "-key without -cert"},
      {{.addr = "127.0.0.1:0", .tls_addr = ":0", .cert_file = "a.pem", .cert_out = "b.pem"}, "-cert-out"},
      {{.addr = "127.0.0.1:0", .tls_addr = ":0", .cert_file = missing}, "missing.pem"},
      {{.addr = "127.0.0.1:0", .tls_addr = ":0", .cert_out = folder.file("no/such/folder.pem")}, "No such file"},
  };
  for (const auto& c : cases) {
    const std::string error = error_of(c.options);
    EXPECT_THAT(error, HasSubstr(c.says));
    EXPECT_EQ(error.find('\n'), std::string::npos);
  }
}

TEST(Serve, SaysNothingWhenOneOfItsPortsIsTaken) {
  Running first({.addr = "127.0.0.1:0"}, 2);
  const std::string taken = "127.0.0.1:" + std::to_string(port_in(first.said[0]));
  Running second({.addr = "127.0.0.1:0", .tls_addr = taken}, 1);
  EXPECT_TRUE(second.said.empty());
  const auto outcome = second.end();
  ASSERT_FALSE(outcome.has_value());
  EXPECT_THAT(outcome.error().text, HasSubstr(taken));
}

}  // namespace
}  // namespace thrum::mode
