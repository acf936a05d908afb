// What a file is, from its first bytes; and that a file which is no results is refused in one line that helps.
#include "record/recognise.hpp"

#include <gtest/gtest.h>

#include "samples.hpp"

namespace thrum {
namespace {

TEST(Recognise, EveryEncodingFromAsFewBytesAsItTakes) {
  const auto kept = samples::mixed(3);
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv}) {
    const std::string bytes = samples::encoded(kept.rows(), e);
    for (std::size_t n = 0; n <= bytes.size(); ++n) {
      const auto found = recognise(std::string_view(bytes).substr(0, n), false);
      if (found) {
        ASSERT_EQ(found->encoding, e) << name_of(e) << " after " << n << " bytes";
      }
    }
    ASSERT_TRUE(recognise(std::string_view(bytes).substr(0, 512), false)) << name_of(e);
  }
}

TEST(Recognise, WhatIsNoResults) {
  struct Case {
    std::string_view bytes, what;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"", "empty"},
           {"\n\n", "nothing but blank lines"},
           {std::string_view("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "a PNG image"},
           {std::string_view("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10), "gzip data: unpack it first, as in: zcat"},
           {"\x28\xb5\x2f\xfd\x04\x00", "zstd data"},
           {"<!DOCTYPE html><html>", "an HTML page"},
           {"Requests      [total, rate, throughput]  1, 1, 1\n", "a text report"},
           {"Bucket           #  %       Histogram\n", "a histogram report"},
           {"Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n", "an HDR report"},
           {"second,time,asked,sent,ok,failed,rate,min_ns\n0,2023-11-14T22:13:20Z,4,4\n", "a table of seconds (report -type=csv)"},
           {"#[Histogram log format version 1.3]\n", "an HDR log (report -type=hdrlog)"},
           {std::string_view("\xff\xfe{\0\"\0", 6), "text in UTF-16: turn it into UTF-8 first, as in: iconv"},
           {R"({"latencies":{"total":1},"bytes_in":{"total":0}})", "a JSON report"},
           {"[{\"code\":200}]", "a JSON array"},
           {R"({"level":"info","msg":"started"})", "JSON without a key that a result has"},
           {"{\n  \"code\": 200\n}\n", "JSON over several lines"},
           {"GET http://127.0.0.1/\n", "a targets file: give it to 'thrum attack -targets'"},
           {"{\"method\":\"GET\",\"url\":\"http://h/\"}\n", "a targets file in JSON: give it to 'thrum attack -format=json -targets'"},
           {"hello world\n", "text"},
           {"#!/bin/sh\n", "text"},
           {std::string_view("\0\0\0\0\0\0\0\0\0\0\0\0", 12), "binary data"},
           {"a,b,c\n1,2,3\n", "text"},
       }) {
    const auto found = recognise(c.bytes, true);
    ASSERT_TRUE(found) << c.bytes;
    EXPECT_FALSE(found->encoding) << c.bytes;
    EXPECT_TRUE(found->instead.starts_with(c.what)) << found->instead;
  }
}

TEST(Recognise, TheErrorNamesFilePlaceAndKind) {
  const auto error = samples::read(std::string(512, '\x01')).error;
  EXPECT_EQ(error, "input: byte 0: not results but binary data of an unknown kind: give files that 'thrum attack' or 'thrum encode' wrote");
}

TEST(Recognise, TextThatLooksLikeCsvIsRefusedWhenNoLineIsAResult) {
  const auto error = samples::read("1.2.3.4 - - [x] \"GET / HTTP/1.1\" 200, 5\n1.2.3.4 - -, 7\n").error;
  EXPECT_TRUE(error.starts_with("input: byte 16: ")) << error;
  EXPECT_TRUE(error.ends_with("no result could be read")) << error;
}

TEST(Recognise, AFolderAndAMissingFile) {
  const samples::TemporaryFile file("", "results.bin");
  for (const auto& [name, words] : {std::pair{file.folder(), std::string("a folder, not results")},
                                    std::pair{file.folder() + "/resluts.bin", "(is " + file.path() + " meant?)"},
                                    std::pair{file.path(), std::string("not results but empty")}}) {
    const auto reader = open_results(std::span(&name, 1));
    ASSERT_FALSE(reader);
    EXPECT_NE(reader.error().text.find(words), std::string::npos) << reader.error().text;
    EXPECT_TRUE(reader.error().text.starts_with(name));
  }
}

TEST(Recognise, TheEncodingOfAFile) {
  const auto kept = samples::mixed(3);
  for (const Encoding e : {Encoding::native, Encoding::gob, Encoding::json, Encoding::csv})
    EXPECT_EQ(encoding_of_file(samples::TemporaryFile(samples::encoded(kept.rows(), e)).path()), e);
  EXPECT_EQ(encoding_of_file(samples::TemporaryFile("hello\n").path()), std::nullopt);
  EXPECT_EQ(encoding_of_file("/nonexistent"), std::nullopt);
  EXPECT_EQ(encoding_of_file("/dev/zero"), std::nullopt);
}

}  // namespace
}  // namespace thrum
