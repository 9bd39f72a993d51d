#include "heliostat/ui/cli/syntax.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace heliostat::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What the parser says to these arguments; "fine" when it takes them.
std::string Parsed(CLI::App& app, std::vector<std::string> arguments) {
  std::reverse(arguments.begin(), arguments.end());
  try {
    app.parse(arguments);
    return "fine";
  } catch (const CLI::ParseError& failure) {
    return failure.what();
  }
}

TEST(SyntaxTest, EveryKindOfVariableTakesItsValue) {
  CLI::App app;
  const Syntax syntax(app);
  std::string text;
  std::vector<std::string> texts;
  std::vector<double> numbers;
  double number = 0;
  int whole = 0;
  unsigned count = 0;
  std::int64_t wide = 0;
  std::uint64_t seed = 0;
  std::optional<double> maybe;
  std::optional<int> maybe_whole;
  std::optional<std::size_t> maybe_count;
  bool flag = false;
  syntax.AddOption("file", text, "");
  syntax.AddOption("--texts", texts, "").SplitAt(',');
  syntax.AddOption("--numbers", numbers, "").SplitAt(',');
  syntax.AddOption("--number", number, "");
  syntax.AddOption("--whole", whole, "");
  syntax.AddOption("--count", count, "");
  syntax.AddOption("--wide", wide, "");
  syntax.AddOption("--seed", seed, "");
  syntax.AddOption("--maybe", maybe, "");
  syntax.AddOption("--maybe-whole", maybe_whole, "");
  syntax.AddOption("--maybe-count", maybe_count, "");
  syntax.AddFlag("-f,--flag", flag, "");
  ASSERT_EQ(Parsed(app, {"a.csv",    "--texts", "x,y",           "--numbers", "1,2.5",
                         "--number", "-0.5",    "--whole",       "-3",        "--count",
                         "4",        "--wide",  "-5000000000",   "--seed",    "18446744073709551615",
                         "--maybe",  "6.5",     "--maybe-whole", "-7",        "-f"}),
            "fine");
  EXPECT_EQ(text, "a.csv");
  EXPECT_THAT(texts, ElementsAre("x", "y"));
  EXPECT_THAT(numbers, ElementsAre(1, 2.5));
  EXPECT_EQ(number, -0.5);
  EXPECT_EQ(whole, -3);
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(wide, -5000000000);
  EXPECT_EQ(seed, 18446744073709551615U);
  EXPECT_EQ(maybe, 6.5);
  EXPECT_EQ(maybe_whole, -7);
  EXPECT_FALSE(maybe_count.has_value()) << "what is not given stays absent";
  EXPECT_TRUE(flag);
}

TEST(SyntaxTest, LimitsAreKeptAndNamed) {
  CLI::App app;
  const Syntax syntax(app);
  double positive = 1;
  int whole = 2;
  double share = 0.5;
  syntax.AddOption("--positive", positive, "").Positive();
  syntax.AddOption("--whole", whole, "").Between(2, 5);
  syntax.AddOption("--share", share, "").Between(0.0, 1.0);
  EXPECT_EQ(Parsed(app, {"--positive", "0.1", "--whole", "5", "--share", "1"}), "fine");
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"--positive", "0"},
                                                {"--positive", "-1"},
                                                {"--whole", "1"},
                                                {"--whole", "6"},
                                                {"--share", "1.01"},
                                                {"--share", "much"},
                                                {"--unknown", "1"}}) {
    EXPECT_THAT(Parsed(app, wrong), HasSubstr(wrong[0])) << wrong[1];
  }
}

TEST(SyntaxTest, RequiredOptionsAndCountsOfValuesAreChecked) {
  CLI::App app;
  const Syntax syntax(app);
  std::string needed;
  std::vector<std::string> pair;
  syntax.AddOption("--needed", needed, "").Required();
  syntax.AddOption("--pair", pair, "").Values(2, 2);
  EXPECT_THAT(Parsed(app, {}), HasSubstr("--needed"));
  EXPECT_EQ(Parsed(app, {"--needed", "x"}), "fine");
  EXPECT_EQ(Parsed(app, {"--needed", "x", "--pair", "a", "b"}), "fine");
  EXPECT_THAT(Parsed(app, {"--needed", "x", "--pair", "a"}), HasSubstr("--pair"));
}

TEST(SyntaxTest, HelpShowsDefaultsDescriptionAndFooter) {
  CLI::App app("old");
  const Syntax syntax(app);
  int steps = 17;
  syntax.AddOption("--steps", steps, "How many").ShowDefault();
  syntax.Describe("What it does");
  syntax.Footer("More below");
  const std::string help = TextOf(PageOf(app), 80);
  for (const char* text : {"17", "How many", "What it does", "More below"}) EXPECT_THAT(help, HasSubstr(text));
  EXPECT_EQ(help.find("old"), std::string::npos);
}

TEST(SyntaxTest, HelpNamesTheUnitAndNotTheType) {
  CLI::App app("About it", "tool");
  const Syntax syntax(app);
  double limit = 0;
  double share = 0.5;
  bool keeps = true;
  std::string out;
  std::vector<std::string> ids;
  std::vector<std::string> gpus{"all"};
  syntax.AddOption("ID", ids, "Runs").Required().Values(2, 16);
  syntax.AddOption("--power-limit W", limit, "Limit").Positive();
  syntax.Group("Weights").AddOption("--eta SHARE", share, "Weight").ShowDefault().Between(0.0, 1.0);
  syntax.AddOption("-o,--output FILE[:COLUMN]", out, "Output").Required();
  syntax.AddOption("--gpu", gpus, "GPUs").ShowDefault();
  syntax.AddFlag("!--keep", keeps, "Keep it");
  EXPECT_EQ(TextOf(PageOf(app), 80), R"(About it

Usage: tool ID ID... [OPTIONS]

  ID ID...                    Runs

Options:
  -h, --help                  Print this help message and exit
  --power-limit W             Limit (above 0)
  -o, --output FILE[:COLUMN]  Output (required)
  --gpu GPU                   GPUs (default: all)
  --keep                      Keep it

Weights:
  --eta SHARE                 Weight (0 to 1; default: 0.5)
)");
}

TEST(SyntaxTest, ListsHaveNoEmptyAndNoRepeatedEntries) {
  const auto checked = [](const std::vector<std::string>& arguments) -> std::string {
    CLI::App app;
    std::vector<std::string> models;
    Syntax(app).AddOption("--models NAME,...", models, "").SplitAt(',');
    EXPECT_EQ(Parsed(app, arguments), "fine");
    const auto status = CheckLists(app, arguments);
    return status ? "fine" : status.error().Line();
  };
  EXPECT_EQ(checked({"--models", "a,b"}), "fine");
  EXPECT_EQ(checked({"--models=a", "--models", "b"}), "fine");
  EXPECT_EQ(checked({}), "fine");
  for (const char* list : {"a,,b", ",a", "a,"}) {
    const std::string refused = fmt::format("--models: '{}' has an empty entry; entries with one ',' between", list);
    EXPECT_EQ(checked({"--models", list}), refused);
    EXPECT_EQ(checked({fmt::format("--models={}", list)}), refused);
  }
  EXPECT_EQ(checked({"--models", "a,b,a"}), "--models: 'a' is given twice; each entry once");
  EXPECT_EQ(checked({"--models", "a", "--models", "a"}), "--models: 'a' is given twice; each entry once");
}

TEST(SyntaxTest, NumbersThatAreNoneAreRefused) {
  CLI::App app;
  const Syntax syntax(app);
  double number = 1;
  std::optional<double> maybe;
  std::vector<double> numbers;
  syntax.AddOption("--number", number, "");
  syntax.AddOption("--maybe", maybe, "");
  syntax.AddOption("--numbers", numbers, "").SplitAt(',');
  for (const char* option : {"--number", "--maybe", "--numbers"}) {
    EXPECT_EQ(Parsed(app, {option, "1e3"}), "fine");
    for (const char* wrong : {"nan", "inf", "-inf", "1e999", "0x10", "5 kW"}) {
      EXPECT_THAT(Parsed(app, {option, wrong}), HasSubstr(std::string(wrong) + "' is not a number")) << option;
    }
  }
}

TEST(SyntaxTest, AnOptionOfTheCommandAboveIsSeenBelow) {
  CLI::App app;
  std::string ledgers;
  Syntax(app).AddOption("--ledgers", ledgers, "");
  CLI::App* const below = app.add_subcommand("show");
  const Syntax syntax(*below);
  ASSERT_EQ(Parsed(app, {"show"}), "fine");
  EXPECT_EQ(syntax.OfParent("--ledgers"), "");
  EXPECT_EQ(syntax.OfParent("--nothing"), "");
  ASSERT_EQ(Parsed(app, {"--ledgers", "here", "show"}), "fine");
  EXPECT_EQ(syntax.OfParent("--ledgers"), "here");
}

}  // namespace
}  // namespace heliostat::cli
