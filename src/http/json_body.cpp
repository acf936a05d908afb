#include "http/json_body.hpp"

#include <nlohmann/json.hpp>

namespace thrum::http {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kDeepest = 256;

// Told of one value after the other, it knows where it stands and keeps what somebody asked for.
class Picker final : public nlohmann::json_sax<Json> {
 public:
  Picker(std::span<const JsonPath* const> paths, std::vector<JsonValue>& into) : paths_(paths), into_(into) {
    into_.assign(paths.size(), JsonValue());
  }

  bool null() override { return scalar({.kind = JsonValue::Kind::null}); }
  bool boolean(bool v) override { return scalar({.kind = JsonValue::Kind::boolean, .boolean = v}); }
  bool number_integer(std::int64_t v) override {
    return scalar({.kind = JsonValue::Kind::number,
                   .is_integer = true,
                   .is_negative = v < 0,
                   .integer = v < 0 ? 0 - static_cast<std::uint64_t>(v) : static_cast<std::uint64_t>(v),
                   .number = static_cast<double>(v)});
  }
  bool number_unsigned(std::uint64_t v) override {
    return scalar({.kind = JsonValue::Kind::number, .is_integer = true, .integer = v, .number = static_cast<double>(v)});
  }
  bool number_float(double v, const std::string&) override { return scalar({.kind = JsonValue::Kind::number, .number = v}); }
  bool string(std::string& v) override { return scalar({.kind = JsonValue::Kind::text, .text = v}); }
  bool binary(Json::binary_t&) override { return false; }  // JSON has none

  bool start_object(std::size_t) override { return open(false); }
  bool start_array(std::size_t) override { return open(true); }
  bool key(std::string& v) override {
    levels_[depth_ - 1].key = v;
    return true;
  }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  struct Level {
    bool is_list = false;
    std::size_t index = 0;  // of the value that comes next, in a list
    std::string key;        // likewise, in an object
  };

  static bool leads_to(const JsonStep& step, const Level& level) {
    if (!level.is_list) return !step.is_index && step.key == level.key;
    return step.is_index ? step.index == level.index : step.key == std::to_string(level.index);
  }

  bool is_here(const JsonPath& path) const {
    if (path.steps.size() != depth_) return false;
    for (std::size_t i = depth_; i-- > 0;)
      if (!leads_to(path.steps[i], levels_[i])) return false;
    return true;
  }

  void value(const JsonValue& v) {
    for (std::size_t i = 0; i < paths_.size(); ++i)
      if (is_here(*paths_[i])) into_[i] = v;
  }

  bool scalar(const JsonValue& v) {
    value(v);
    after_value();
    return true;
  }

  bool open(bool is_list) {
    value({.kind = is_list ? JsonValue::Kind::list : JsonValue::Kind::object});
    if (depth_ == kDeepest) return false;
    if (levels_.size() == depth_) levels_.emplace_back();
    Level& level = levels_[depth_++];
    level.is_list = is_list;
    level.index = 0;
    return true;
  }

  bool close() {
    --depth_;
    after_value();
    return true;
  }

  void after_value() {
    if (depth_ > 0) ++levels_[depth_ - 1].index;
  }

  std::span<const JsonPath* const> paths_;
  std::vector<JsonValue>& into_;
  std::vector<Level> levels_;
  std::size_t depth_ = 0;
};

}  // namespace

bool read_json(std::string_view body, std::span<const JsonPath* const> paths, std::vector<JsonValue>& into) {
  Picker picker(paths, into);
  return Json::sax_parse(body.begin(), body.end(), &picker);
}

JsonValue read_json_scalar(std::string_view text) {
  static const JsonPath kWhole;
  const JsonPath* const whole[] = {&kWhole};
  std::vector<JsonValue> values;
  if (!read_json(text, whole, values)) return {};
  const JsonValue::Kind kind = values[0].kind;
  return kind == JsonValue::Kind::list || kind == JsonValue::Kind::object ? JsonValue() : values[0];
}

}  // namespace thrum::http
