// Any text as thrum.toml: settings that read the same again when they are written, or one line that says where it is wrong.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.hpp"
#include "settings/file.hpp"
#include "settings/write.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace thrum::settings;
  static constexpr Name kNames[] = {
      {.name = "rate"}, {.name = "insecure", .also = "k", .is_switch = true}, {.name = "header", .also = "H", .repeats = true}};
  static constexpr std::string_view kCommands[] = {"attack"};
  constexpr FileRules kRules{kNames, kCommands};
  const auto file = parse_file({reinterpret_cast<const char*>(data), size}, "thrum.toml", kRules);
  if (!file) {
    const std::string& error = file.error().text;
    if (error.empty() || thrum::printable(error) != error) std::abort();
    return 0;
  }
  const auto settings = settings_of(*file, "attack", "", kNames);
  if (!settings) std::abort();
  const auto again = parse_file(file_text(*settings, kNames, "thrum"), "again", kRules);
  if (!again) std::abort();
  for (const Name& name : kNames) {
    const auto values = [&](const std::vector<Setting>& all) {
      std::string out;
      for (const Setting& s : all)
        if (s.name == name.name) out += s.value + '\0';
      return out;
    };
    if (values(again->common) != values(*settings)) std::abort();
  }
  return 0;
}
