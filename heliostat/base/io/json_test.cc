#include "heliostat/base/io/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace heliostat::io {
namespace {

TEST(JsonTest, OnOneLineItIsTheSameDocument) {
  Json json;
  json.Set("a", Json::Array{1, "two\nlines", nullptr}).Set("b", 0.5);
  EXPECT_EQ(json.Line(), R"({"a":[1,"two\nlines",null],"b":0.5})");
  EXPECT_EQ(Json::Parse(json.Line(), "x")->Dump(), json.Dump());
}

TEST(JsonTest, ReadsWhatItWrites) {
  Json json;
  json.Set("name", "Grün").Set("count", 3).Set("mean", 2.5).Set("ok", true).Set("none", nullptr);
  json.Set("list", Json().Append(1).Append("two"));
  const auto again = Json::Parse(json.Dump(), "x");
  ASSERT_TRUE(again);
  EXPECT_EQ(again->Dump(), json.Dump());
  EXPECT_EQ(*(*again->Get("count"))->Integer(), 3);
  EXPECT_EQ(again->Find("none"), nullptr);
}

TEST(JsonTest, AnErrorNamesDocumentAndPlace) {
  const auto json = Json::Parse(R"({"items": [{"rate": "cheap"}]})", "tariff.json");
  const Json& item = (*(*json->Get("items"))->Elements())->front();
  EXPECT_EQ((*item.Get("rate"))->Number().error().Line(), "tariff.json: items[0].rate: is text; must be a number");
  EXPECT_EQ(item.Get("adj").error().Line(), "tariff.json: items[0]: has no 'adj'; 'adj' is needed");
}

TEST(JsonTest, RefusesWhatIsNotOneDocument) {
  for (const char* bad :
       {"", "{", "{} {}", "[1,]", "nan", "{\"a\":1,\"a\":2}", "{\"a\":null,\"a\":2}", "\xff\xfe", "1e999", "[01]"}) {
    EXPECT_FALSE(Json::Parse(bad, "x")) << bad;
  }
  EXPECT_FALSE(Json::Parse(std::string(100000, '['), "x"));
}

// Answers come from the web: neither many keys nor many values may cost much time or memory.
TEST(JsonTest, HostileDocumentsStayCheap) {
  std::string keys = "{";
  for (int i = 0; i < 100000; ++i) keys += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ((*Json::Parse(keys + "}", "x")->Members())->size(), 100000U);
  std::string values = "[0";
  for (int i = 0; i < 2000000; ++i) values += ",0";
  EXPECT_FALSE(Json::Parse(values + "]", "x"));
}

TEST(JsonTest, NumbersThatAreNotFiniteAreWrittenAsNull) {
  EXPECT_EQ(Json(std::numeric_limits<double>::quiet_NaN()).Dump(), "null");
}

}  // namespace
}  // namespace heliostat::io
