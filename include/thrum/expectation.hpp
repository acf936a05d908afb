// What a response has to be like to count as success, beyond having a status from 200 to 399. docs/expectations.md has the notation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "thrum/error.hpp"

namespace thrum {

// Each is written as on the command line. All of them must hold; the first that doesn't is what the hit failed by.
struct Expectations {
  std::string status;               // "200,404", "2xx", "200-299,404": it is one of these; empty: 200-399
  std::vector<std::string> header;  // "NAME": there is one; "NAME: VALUE": one of that value, in which * stands for anything
  std::string size;                 // bytes of the body as they came over the wire: "100", ">100", "<=1MB", "100-200"; empty: any
  std::vector<std::string> body;    // "TEXT": is in it; "~REGEX": matches somewhere in it; with ! before it: not
  std::vector<std::string> json;    // ".path": is there; ".path=VALUE", "!=", "<", "<=", ">", ">=", "~REGEX": and its value is so

  bool empty() const { return status.empty() && header.empty() && size.empty() && body.empty() && json.empty(); }
  bool operator==(const Expectations&) const = default;
};

// Adds one more: `what` is "status", "header", "size", "body" or "json". Errors: an unknown `what`; a text that makes no sense;
// a second status or size.
Expected<void> add_expectation(std::string_view what, std::string_view text, Expectations& to);

// A target's own beside those of the whole attack: its status and size take the place of the attack's, the others come on top.
Expectations combined(const Expectations& attack, const Expectations& target);

}  // namespace thrum
