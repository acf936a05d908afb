// Lines to a running attack and back, over a real socket.
#include "ui/control_socket.hpp"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace thrum::ui {
namespace {

std::unique_ptr<ControlSocket> open_echo(const std::string& path) {
  auto socket = ControlSocket::open(path, "-control", [](std::string_view line) { return "got " + std::string(line); });
  EXPECT_TRUE(socket) << socket.error().text;
  return socket ? std::move(*socket) : nullptr;
}

Fd connected(const std::string& path) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return fd;
}

std::string read_to_end(int fd) {
  std::string all;
  char bytes[512];
  for (ssize_t n = 0; (n = ::recv(fd, bytes, sizeof bytes, 0)) > 0;) all.append(bytes, static_cast<std::size_t>(n));
  return all;
}

class ControlSocketTest : public testing::Test {
 protected:
  ControlSocketTest() : folder_(::mkdtemp(name_)) {}
  ~ControlSocketTest() override { std::filesystem::remove_all(folder_); }

  char name_[32] = "/tmp/thrum-control-XXXXXX";
  const std::string folder_;
  const std::string path_ = folder_ + "/run.sock";
};

TEST_F(ControlSocketTest, AnswersLinesForThisUserOnlyAndIsGoneAfterwards) {
  {
    const auto socket = open_echo(path_);
    EXPECT_EQ(ask_control_socket(path_, "pause"), "got pause\n");
    EXPECT_EQ(ask_control_socket(path_, "rate 5/s"), "got rate 5/s\n");
    struct stat there{};
    ASSERT_EQ(::stat(path_.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0600u);
  }
  struct stat there{};
  EXPECT_NE(::stat(path_.c_str(), &there), 0);
  EXPECT_THAT(ask_control_socket(path_, "pause").error().text, testing::HasSubstr("no attack with that -control is running"));
}

TEST_F(ControlSocketTest, TakesSeveralLinesAndLinesInParts) {
  const auto socket = open_echo(path_);
  const Fd fd = connected(path_);
  for (const std::string_view part : {"one\r\ntw", "o\n", "three\n"}) ::send(fd.get(), part.data(), part.size(), MSG_NOSIGNAL);
  std::string all;
  char bytes[512];
  while (all.find("three") == all.npos) {
    const ssize_t n = ::recv(fd.get(), bytes, sizeof bytes, 0);
    ASSERT_GT(n, 0);
    all.append(bytes, static_cast<std::size_t>(n));
  }
  EXPECT_EQ(all, "got one\ngot two\ngot three\n");
}

TEST_F(ControlSocketTest, EndsWithWhoeverSendsNoLine) {
  const auto socket = open_echo(path_);
  const Fd fd = connected(path_);
  const std::string flood(3 * ControlSocket::kLongestLine, 'x');
  (void)!::send(fd.get(), flood.data(), flood.size(), MSG_NOSIGNAL);
  EXPECT_THAT(read_to_end(fd.get()), testing::AnyOf("error: a line of more than 4096 bytes\n", ""));
  EXPECT_EQ(ask_control_socket(path_, "still there"), "got still there\n");
}

TEST_F(ControlSocketTest, IsNotKeptBusyByManyWhoSayNothing) {
  const auto socket = open_echo(path_);
  std::vector<Fd> silent;
  for (std::size_t i = 0; i + 1 < ControlSocket::kMostClients; ++i) silent.push_back(connected(path_));
  EXPECT_EQ(ask_control_socket(path_, "me"), "got me\n");
}

TEST_F(ControlSocketTest, ReplacesWhatAProcessLeftAndNothingElse) {
  {
    Fd left(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
    ASSERT_EQ(::bind(left.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  const auto socket = open_echo(path_);
  ASSERT_TRUE(socket);
  const auto second = ControlSocket::open(path_, "-control", [](std::string_view) { return std::string(); });
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().text, testing::HasSubstr("another process listens there"));
  const std::string file = folder_ + "/file";
  std::ofstream(file) << "precious";
  const auto third = ControlSocket::open(file, "-control", [](std::string_view) { return std::string(); });
  ASSERT_FALSE(third);
  EXPECT_THAT(third.error().text, testing::HasSubstr("there is a file of that name"));
  const auto fourth = ControlSocket::open(std::string(200, 'x'), "-control", [](std::string_view) { return std::string(); });
  ASSERT_FALSE(fourth);
  EXPECT_EQ(fourth.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace thrum::ui
