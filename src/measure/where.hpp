// Which results a report is of, as a user says it with -where:
//
//   code>=500   code=5xx   method=POST   url=/user/*   url~^/api   attack=step200   error~timeout   latency>1s
//
// joined by , or `and`, by `or` (which binds less), turned round by `not` or !, grouped by ( ). docs/report.md has the rules.
#pragma once

#include <memory>
#include <string_view>

#include "thrum/error.hpp"
#include "thrum/result.hpp"

namespace thrum {

class Where {
 public:
  // The error is one line that shows the place with a caret.
  static Expected<Where> parse(std::string_view text);
  ~Where();
  Where(Where&&) noexcept;
  Where& operator=(Where&&) noexcept;

  bool matches(const Result& result);  // not const: patterns remember what they were held against

 private:
  struct Node;
  class Parser;
  explicit Where(std::unique_ptr<Node> root);

  std::unique_ptr<Node> root_;
};

}  // namespace thrum
