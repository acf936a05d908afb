// gob beyond what was recorded: older field sets, other programs' fields, several streams, round trips.
#include <gtest/gtest.h>

#include "base/timestamp.hpp"
#include "record/gob_value.hpp"
#include "samples.hpp"

namespace thrum {
namespace {

using samples::Kept;

struct Field {
  std::string name;
  std::int64_t type;
};

std::string message(const std::string& payload) {
  std::string out;
  gob::append_bytes(payload, out);
  return out;
}

std::string start_of_definition(std::int64_t id, char kind, const std::string& name) {
  std::string d;
  gob::append_signed(-id, d);
  d += kind;
  d += std::string("\x01\x01", 2);
  gob::append_bytes(name, d);
  d += '\x01';
  gob::append_signed(id, d);
  return d + '\0';
}

std::string struct_definition(std::int64_t id, const std::string& name, const std::vector<Field>& fields) {
  std::string d = start_of_definition(id, 3, name) + '\x01';
  gob::append_unsigned(fields.size(), d);
  for (const Field& f : fields) {
    d += '\x01';
    gob::append_bytes(f.name, d);
    d += '\x01';
    gob::append_signed(f.type, d);
    d += '\0';
  }
  return message(d + std::string(2, '\0'));
}

std::string time_definition(std::int64_t id) { return message(start_of_definition(id, 5, "Time") + std::string(2, '\0')); }

constexpr std::int64_t kTime = 65;
const std::string kNoon("\x01\x00\x00\x00\x0e\xdc\xe5\xe8\x00\x00\x00\x00\x00\xff\xff", 15);  // 1,700,000,000 UTC

// The field set of the first releases: no attack, no sequence, no method, no URL, no headers.
const std::vector<Field> kOldFields = {{"Code", gob::kUint},    {"Timestamp", kTime},    {"Latency", gob::kInt}, {"BytesOut", gob::kUint},
                                       {"BytesIn", gob::kUint}, {"Error", gob::kString}, {"Body", gob::kBytes}};

std::string old_result() {
  std::string v;
  gob::append_signed(64, v);
  v += '\x01';
  gob::append_unsigned(404, v);
  v += '\x01';
  gob::append_bytes(kNoon, v);
  v += '\x01';
  gob::append_signed(-5, v);
  v += '\x03';
  gob::append_bytes("404 Not Found", v);
  return message(v + '\0');
}

TEST(Gob, OlderFieldSetsAreRead) {
  const auto read = samples::read(struct_definition(64, "Result", kOldFields) + time_definition(kTime) + old_result() + old_result());
  EXPECT_EQ(read.error, "");
  EXPECT_TRUE(read.damage.empty());
  ASSERT_EQ(read.results.size(), 2u);
  const Result& r = read.results.rows()[1];
  EXPECT_EQ(r.code, 404);
  EXPECT_EQ(r.timestamp.seconds, 1'700'000'000);
  EXPECT_EQ(r.latency, Nanos(-5));
  EXPECT_EQ(r.error, "404 Not Found");
  EXPECT_EQ(r.outcome, Outcome::bad_status);
  EXPECT_EQ(r.url, "");
}

TEST(Gob, TypesMayBeDefinedAtAnyPointAndAnew) {
  std::vector<Field> swapped = kOldFields;
  std::swap(swapped[2], swapped[6]);
  std::string other;
  gob::append_signed(70, other);
  other += std::string("\x01\x07\x02", 3);  // BytesOut left out
  gob::append_bytes(kNoon, other);
  const std::string between = struct_definition(70, "Result", {{"Latency", gob::kUint}, {"Code", gob::kUint}, {"Timestamp", kTime}});
  const auto read = samples::read(time_definition(kTime) + struct_definition(64, "Result", kOldFields) + old_result() +
                                  time_definition(66) + struct_definition(64, "Result", kOldFields) + old_result());
  EXPECT_EQ(read.results.size(), 2u);
  EXPECT_TRUE(read.damage.empty());
}

TEST(Gob, UnknownFieldsOfAnyTypeArePassedOver) {
  std::vector<Field> fields = kOldFields;
  fields.insert(fields.begin(), {"Labels", 67});  // a map of structures
  fields.push_back({"Weight", gob::kFloat});
  const std::string map = message(start_of_definition(67, 4, "Labels") + '\x01' + [] {
    std::string d;
    gob::append_signed(gob::kString, d);
    d += '\x01';
    gob::append_signed(68, d);
    return d;
  }() + std::string(2, '\0'));
  std::string v;
  gob::append_signed(64, v);
  v += '\x01';
  v += '\x02';  // two entries
  for (const char* key : {"a", "bc"}) {
    gob::append_bytes(key, v);
    v += '\x01';
    gob::append_bytes("value", v);
    v += '\0';
  }
  v += '\x01';
  gob::append_unsigned(200, v);
  v += '\x01';
  gob::append_bytes(kNoon, v);
  v += std::string("\x06\xfe\xf8\x3f", 4);  // the weight, 1.5
  const auto read = samples::read(struct_definition(64, "Result", fields) + time_definition(kTime) + map +
                                  struct_definition(68, "Label", {{"Text", gob::kString}}) + message(v + '\0'));
  EXPECT_EQ(read.error, "");
  ASSERT_EQ(read.results.size(), 1u);
  EXPECT_EQ(read.results.rows()[0].code, 200);
  EXPECT_EQ(read.results.rows()[0].timestamp.seconds, 1'700'000'000);
}

TEST(Gob, ZonesAreKept) {
  Kept kept;
  for (const std::int32_t zone : {0, Timestamp::kLocalZero, 3600, -12'600, 20'700, 1172, -75}) {
    Result r;
    r.timestamp = {1'700'000'000, 7, zone};
    r.code = 200;
    kept.add(r);
  }
  const auto read = samples::read(samples::encoded(kept.rows(), Encoding::gob));
  ASSERT_EQ(read.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(samples::difference(read.results.rows()[i], kept.rows()[i]), "");
}

TEST(Gob, AllThatGobHoldsComesBack) {
  const Kept kept = samples::mixed(3000, 9, {.times = false, .captures = true, .wild = true});
  const auto read = samples::read(samples::encoded(kept.rows(), Encoding::gob));
  ASSERT_EQ(read.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    Result wanted = kept.rows()[i];
    if (wanted.body && wanted.body->empty()) wanted.body.reset();  // gob leaves out what is empty
    EXPECT_EQ(samples::difference(read.results.rows()[i], wanted), "") << i;
  }
}

TEST(Gob, OtherProgramsGobIsNoResults) {
  std::string v;
  gob::append_signed(64, v);
  const auto read = samples::read(struct_definition(64, "Person", {{"Name", gob::kString}}) + message(v + '\x01' + "\x03" + "Bob" + '\0'));
  EXPECT_NE(read.error.find("no result could be read"), std::string::npos) << read.error;
}

TEST(Gob, AFieldNameHitByDamageIsSaid) {
  std::string bytes = samples::encoded(samples::mixed(3).rows(), Encoding::gob);
  bytes[bytes.find("Error")] = 'e';
  const auto read = samples::read(bytes);
  EXPECT_EQ(read.results.size(), 3u);
  ASSERT_EQ(read.damage.size(), 1u);
  EXPECT_NE(read.damage[0].what.find("a field error for Error"), std::string::npos) << read.damage[0].what;
}

}  // namespace
}  // namespace thrum
