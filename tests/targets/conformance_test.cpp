// Every target list of the reference, held against what vegeta made of it: tests/data/targets/README.md.
#include <gmock/gmock.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "lists.hpp"

namespace thrum::targets {
namespace {

using nlohmann::json;
using Header = std::pair<std::string, std::string>;

// The data's strings are bytes, one character each.
std::string bytes(const std::string& utf8) {
  std::string out;
  for (std::size_t i = 0; i < utf8.size(); ++i) {
    const auto c = static_cast<unsigned char>(utf8[i]);
    if (c < 0x80)
      out += utf8[i];
    else
      out += static_cast<char>((c & 3) << 6 | (static_cast<unsigned char>(utf8[++i]) & 0x3f));
  }
  return out;
}

std::string list_text(const json& text) {
  if (text.is_string()) return bytes(text);
  std::string out;
  for (const json& piece : text) {
    if (piece.is_string()) {
      out += bytes(piece);
    } else {
      for (int i = 0; i < piece["times"]; ++i) out += piece["repeat"];
    }
  }
  return out;
}

// Headers that the data leaves out, because every request has them or because they are dropped on the way.
bool is_left_out(const std::string& name) {
  static const std::vector<std::string> names = {"host", "user-agent", "accept-encoding", "content-length", "transfer-encoding", "trailer"};
  return std::ranges::find(names, lower(name)) != names.end();
}

void compare(const Target& ours, const json& sent) {
  EXPECT_EQ(ours.method, sent["method"].get<std::string>());
  EXPECT_EQ(ours.url, sent.contains("url") ? bytes(sent["url"]) : ours.url);
  const std::string body = std::string(*ours.body);
  EXPECT_EQ(body, sent.contains("body") ? bytes(sent["body"]) : body);
  std::vector<Header> headers, expected;
  for (const Header& header : ours.headers)
    if (!is_left_out(header.first)) headers.push_back(header);
  for (const json& header : sent["headers"]) expected.emplace_back(bytes(header[0]), bytes(header[1]));
  std::ranges::stable_sort(headers, {}, &Header::first);
  std::ranges::stable_sort(expected, {}, &Header::first);
  EXPECT_EQ(headers, expected);
}

TEST(Conformance, EveryListOfTheReference) {
  std::ifstream file(THRUM_TEST_DATA "/targets/vegeta.json");
  const json cases = json::parse(file);
  ASSERT_GT(cases.size(), 150u);
  for (const json& row : cases) {
    SCOPED_TRACE(row["id"].get<std::string>());
    // Where we do not do as vegeta does, somebody must have said why.
    const bool is_as_vegeta = row["vegeta"] == row["ours"];
    EXPECT_NE(is_as_vegeta, row.contains("why"));
    Folder folder;
    if (row.contains("files"))
      for (const auto& [name, content] : row["files"].items()) folder.write(name, bytes(content));
    const std::string list = folder.write("list", list_text(row["text"]));
    const auto read = read_targets(list, *parse_target_format(row["format"].get<std::string>()));
    if (row["ours"] == "refuses") {
      if (read) {
        ADD_FAILURE() << "accepted: " << outcome(read);
        continue;
      }
      const std::string where = row["line"] == 0 ? list + ": no targets" : list + ":" + row["line"].dump() + ": ";
      EXPECT_THAT(read.error().text, testing::StartsWith(where));
      EXPECT_EQ(read.error().kind, ErrorKind::failure);
      EXPECT_EQ(printable(read.error().text), read.error().text);
      continue;
    }
    if (!read) {
      ADD_FAILURE() << read.error().text;
      continue;
    }
    if (row.contains("count")) {
      EXPECT_EQ(read->size(), row["count"]);
      continue;
    }
    ASSERT_EQ(read->size(), row["targets"].size());
    for (std::size_t i = 0; i < read->size(); ++i) compare((*read)[i], row["targets"][i]);
  }
}

}  // namespace
}  // namespace thrum::targets
