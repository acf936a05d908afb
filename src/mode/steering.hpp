// An attack is changed while it goes on: what people may say to it (-control), and what comes of it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "record/file_header.hpp"
#include "settings/guard.hpp"
#include "thrum/attacker.hpp"
#include "ui/control_socket.hpp"

namespace thrum::mode {

class Steering {
 public:
  // `changed`: told of each change, on the socket's thread. The attacker, the guard and what `changed` needs outlive this.
  static Expected<std::unique_ptr<Steering>> open(const std::string& path, Attacker& attacker, bool is_closed, const settings::Guard& guard,
                                                  std::function<void(Event)> changed);

 private:
  Steering(Attacker& attacker, bool is_closed, const settings::Guard& guard, std::function<void(Event)> changed)
      : attacker_(attacker), is_closed_(is_closed), guard_(guard), changed_(std::move(changed)) {}
  std::string answer(std::string_view line);
  std::string done(Expected<Nanos> at, std::string kind, std::string detail);

  Attacker& attacker_;
  bool is_closed_;
  const settings::Guard& guard_;
  std::function<void(Event)> changed_;
  std::unique_ptr<ui::ControlSocket> socket_;
};

struct ControlRequest {
  std::string socket;
  std::string line;  // "rate 500/s"
};

// What a running attack answers to `line`, with its end. An error is one that it tells, too.
Expected<std::string> run_control(const ControlRequest& request);

}  // namespace thrum::mode
