#include "heliostat/base/core/names.h"

#include <gtest/gtest.h>

namespace heliostat {
namespace {

enum class Colour { kRed, kGreen, kBlue };
constexpr auto kColours = NamesOf<Colour>({{Colour::kGreen, "green"}, {Colour::kRed, "red"}});

static_assert(kColours.NameOf(Colour::kRed) == "red");
static_assert(kColours.Find("green") == Colour::kGreen);

TEST(NamesTest, EveryNameIsReadAsItIsWritten) {
  for (const auto& [value, name] : kColours.rows) {
    EXPECT_EQ(kColours.NameOf(value), name);
    EXPECT_EQ(kColours.Find(name), value);
  }
  EXPECT_EQ(kColours.Find("yellow"), std::nullopt);
  EXPECT_EQ(kColours.Find(""), std::nullopt);
}

TEST(NamesDeathTest, AValueWithoutANameIsAProgrammersError) {
  EXPECT_DEATH((void)kColours.NameOf(Colour::kBlue), "table of names");
}

}  // namespace
}  // namespace heliostat
