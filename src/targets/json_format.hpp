// The json format: objects with method, url, header, body (base64), name and weight, as many as there are, between them white space; or
// arrays of them. A key that is none of these is passed over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "targets/json_reader.hpp"
#include "thrum/target.hpp"
#include "thrum/targets.hpp"

namespace thrum::targets {

class JsonTargets final : public TargetSource {
 public:
  JsonTargets(Input input, TargetRules rules) : json_(std::move(input)), rules_(rules) {}

  Expected<bool> next(Target& into) override;
  void interrupt() override { json_.interrupt(); }

 private:
  enum class Place : std::uint8_t { between, array_start, array_next };  // where the next object is looked for
  enum class Found : std::uint8_t { object, end, fault };

  Found find_object();
  Found find_array_element(int c);
  bool object(Target& into);
  bool field(Target& into);
  bool method(Target& into);
  bool url(Target& into);
  bool body(Target& into);
  bool name(Target& into);
  bool weight(Target& into);
  bool expect(Target& into);
  bool expect_values(Target& into);
  bool expect_value(Target& into);
  bool text_or_number(std::string_view& text);
  bool add_expected(std::string_view text, Target& into);
  bool header(Target& into);
  bool header_values(Target& into);
  bool add_header(Target& into, std::string_view value);
  bool check(Target& into);
  void keep_last_of_each_name(Target& into);
  bool wrong_type(std::string_view field, std::string_view right);
  bool wrong_header_value();
  bool missing(std::string_view field, std::string_view near);

  JsonReader json_;
  TargetRules rules_;
  Place place_ = Place::between;
  std::uint64_t targets_ = 0;         // given so far
  std::uint64_t ended_on_ = 0;        // the line on which the last value outside an array ended
  std::string name_;                  // the header being read
  std::size_t headers_ = 0;           // of this target, in into.headers
  std::uint32_t groups_ = 0;          // header keys of this target
  std::vector<std::uint32_t> group_;  // for each header, the key it came from
  std::vector<std::uint32_t> order_;  // headers by name, while twice given ones are looked for
  std::string body_;
  std::string near_method_, near_url_;  // keys that are wrong in their case only
};

}  // namespace thrum::targets
