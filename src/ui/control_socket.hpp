// The control socket of a running attack: people and scripts connect to a unix socket, write a line and read one back. It runs on a
// thread of its own, in the background; what the lines mean is its owner's.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/fd.hpp"
#include "thrum/error.hpp"

namespace thrum::ui {

class ControlSocket {
 public:
  static constexpr std::size_t kMostClients = 8, kLongestLine = 4096;

  // The line without its end; gives the answer, of one line, without its end. On the socket's own thread.
  using Answer = std::function<std::string(std::string_view line)>;

  // Makes the socket, for this user only, and removes it in the end. What is left of a process that is gone is replaced; anything
  // else that is there is an error, which names `flag`.
  static Expected<std::unique_ptr<ControlSocket>> open(const std::string& path, std::string_view flag, Answer answer);
  ~ControlSocket();
  ControlSocket(const ControlSocket&) = delete;
  ControlSocket& operator=(const ControlSocket&) = delete;

 private:
  struct Client {
    Fd fd;
    std::string in, out;
    bool is_ending = false;  // closed once `out` has left
  };

  ControlSocket(Fd listener, std::string path, Answer answer);
  void run();
  void accept_one();
  void read(Client& client);
  void write(Client& client) const;

  Fd listener_, end_;
  std::string path_;
  Answer answer_;
  std::vector<Client> clients_;
  std::thread thread_;
};

// The other side: sends `line`, and gives the answer with its end.
Expected<std::string> ask_control_socket(const std::string& path, std::string_view line);

}  // namespace thrum::ui
