#include "heliostat/ui/cli/output_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "heliostat/base/io/file.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/read_options.h"

namespace heliostat::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class OutputFilesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "outputs_" + ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    ASSERT_TRUE(io::WriteFileAtomically(In("input.csv"), "x"));
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string In(const std::string& name) const { return folder_ + "/" + name; }

  std::string Refused(const std::vector<OutputFile>& files, const std::string& json = "") const {
    Options options;
    options.json_file = json;
    const Status status = RefuseTargets(files, {In("input.csv"), ""}, options);
    return status ? "fine" : status.error().Line();
  }

  std::string folder_;
};

TEST_F(OutputFilesTest, WhatCanBeWrittenIsFineAndWhatWasNotAskedForToo) {
  EXPECT_EQ(Refused({}), "fine");
  EXPECT_EQ(Refused({{"--html", "", ""}, {"--svg", In("a.svg"), ""}}, In("b.json")), "fine");
  EXPECT_EQ(Refused({{"--html", In("there.html"), ""}}), "fine");
}

TEST_F(OutputFilesTest, AFolderThatIsMissingOrTheFileItselfIsRefusedAtItsOption) {
  EXPECT_EQ(Refused({{"--html", In("none/a.html"), ""}}),
            "--html: " + In("none") + " is not a folder; create it first");
  EXPECT_EQ(Refused({{"--html", folder_, ""}}), "--html: " + folder_ + " is a folder; name a file");
  EXPECT_EQ(Refused({}, In("none/a.json")), "--json: " + In("none") + " is not a folder; create it first");
}

TEST_F(OutputFilesTest, AnInputIsNeverOverwrittenHoweverItIsWritten) {
  fs::create_symlink(In("input.csv"), In("link.csv"));
  fs::create_directories(In("sub"));
  for (const std::string& path : {In("input.csv"), In("sub/../input.csv"), In("./input.csv"), In("link.csv"),
                                  fs::relative(In("input.csv")).string()}) {
    EXPECT_THAT(Refused({{"--csv", path, ""}}), HasSubstr("is the input; name another file")) << path;
    EXPECT_THAT(Refused({}, path), HasSubstr("--json: ")) << path;
  }
}

TEST_F(OutputFilesTest, TwoOptionsDoNotWriteOneFile) {
  const std::string relative = fs::relative(In("a.html")).string();
  fs::create_directory_symlink(folder_, In("same"));
  for (const std::string& path : {In("a.html"), In("./a.html"), relative, In("same/a.html")}) {
    EXPECT_EQ(Refused({{"--html", In("a.html"), ""}, {"--page", path, ""}}),
              "--page: " + path + " is written by another option; name another file");
    EXPECT_THAT(Refused({{"--html", In("a.html"), ""}}, path), HasSubstr("--json: ")) << path;
  }
}

TEST_F(OutputFilesTest, WritesThoseThatWereAskedFor) {
  ASSERT_TRUE(WriteAll({{"--a", In("a"), "one"}, {"--b", "", "two"}, {"--c", In("c"), "three"}}));
  EXPECT_EQ(*io::ReadFile(In("a")), "one");
  EXPECT_EQ(*io::ReadFile(In("c")), "three");
  EXPECT_FALSE(WriteAll({{"--a", In("none/a"), "one"}}));
}

TEST_F(OutputFilesTest, AReportsFolderMayBeMadeButNotOverAFile) {
  const auto refused = [&](const std::string& folder, const std::string& json = "") {
    Options options;
    options.json_file = json;
    const Status status = RefuseReport(folder, {In("input.csv"), In("site/index.html")}, options);
    return status ? std::string("fine") : status.error().Line();
  };
  EXPECT_EQ(refused(""), "fine");
  EXPECT_EQ(refused(In("new/deep/er")), "fine");
  EXPECT_FALSE(fs::exists(In("new"))) << "nothing is made before the work";
  EXPECT_THAT(refused(In("input.csv")), HasSubstr("--report: " + In("input.csv") + " is not a folder"));
  EXPECT_THAT(refused(In("input.csv/page")), HasSubstr("is not a folder"));
  EXPECT_THAT(refused(In("site")), HasSubstr("is the input; name another folder"));
  EXPECT_THAT(refused(In("new"), In("new/index.html")), HasSubstr("--json: "));
  fs::create_directories(In("odd/index.html"));
  EXPECT_THAT(refused(In("odd")), HasSubstr("index.html is a folder"));
}

TEST_F(OutputFilesTest, WhereNoFileCanBeMadeIsFoundOutBeforeTheWork) {
  if (!fs::is_directory("/proc/self")) GTEST_SKIP() << "no /proc";
  Options options;
  // Root may write everywhere, but not into /proc.
  const Status report = RefuseReport("/proc/no/such", {}, options);
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().Line(), HasSubstr("--report: no file can be made in /proc: "));
  EXPECT_EQ(report.error().code, ErrorCode::kInvalidArgument);
  EXPECT_THAT(Refused({{"--html", "/proc/a.html", ""}}), HasSubstr("--html: no file can be made in /proc: "));
  EXPECT_THAT(Refused({}, "/proc/a.json"), HasSubstr("--json: no file can be made in /proc: "));
  EXPECT_EQ(Refused({{"--html", In("a.html"), ""}}), "fine");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1) << "the attempt leaves nothing";
}

TEST_F(OutputFilesTest, ADeviceIsNotReplacedByAFile) {
  EXPECT_EQ(Refused({{"--html", "/dev/null", ""}}), "--html: /dev/null is not a regular file; name another file");
  EXPECT_THAT(Refused({}, "/dev/full"), HasSubstr("--json: /dev/full is not a regular file"));
}

TEST_F(OutputFilesTest, OfSeveralFilesAllAreWrittenOrNone) {
  fs::create_directories(In("taken"));
  const std::vector<OutputFile> files{{"--a", In("a"), "one"}, {"--b", In("none/b"), "two"}};
  const Status written = WriteAll(files);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().where, In("none/b"));
  EXPECT_FALSE(fs::exists(In("a")));
  EXPECT_FALSE(fs::exists(In("a.part")));
  ASSERT_TRUE(WriteAll({{"--b", In("none/b"), "two", true}})) << "its folder may be made";
  EXPECT_EQ(*io::ReadFile(In("none/b")), "two");
}

TEST_F(OutputFilesTest, AReportIsWrittenAsTheIndexOfItsFolder) {
  const auto path = WriteReport(In("new/deep"), "<html/>");
  ASSERT_TRUE(path) << path.error().Line();
  EXPECT_EQ(*path, In("new/deep/index.html"));
  EXPECT_EQ(*io::ReadFile(*path), "<html/>");
}

TEST(FlagsTest, AFailureIsPlacedAtItsFlagAndOthersStayWhereTheyAre) {
  const auto placed = [](const char* where) {
    const Result<int> failed = Fail(ErrorCode::kInvalidArgument, where, "is odd", "even");
    return AtFlags(failed, {{"carbon budget", "--carbon-budget"}, {"gap", "--gap"}}).error().Line();
  };
  EXPECT_EQ(placed("carbon budget"), "--carbon-budget: is odd; even");
  EXPECT_EQ(placed("gap"), "--gap: is odd; even");
  EXPECT_EQ(placed("jobs.csv:3"), "jobs.csv:3: is odd; even");
  EXPECT_EQ(placed("carbon"), "carbon: is odd; even") << "whole names only";
  EXPECT_EQ(*AtFlags(Result<int>(7), {{"gap", "--gap"}}), 7);
}

TEST(FlagsTest, OptionsThatALibraryNamesAreWrittenAsFlags) {
  EXPECT_EQ(WithFlags("set option 'start' and option 'time-zone' for another"),
            "set --start and --time-zone for another");
  EXPECT_EQ(WithFlags("option 'A b' and options"), "option 'A b' and options") << "only names of options";
  const Result<int> failed =
      Fail(ErrorCode::kInvalidArgument, "a.csv", "has two columns", "choose with option 'column'");
  EXPECT_EQ(AtFlags(failed, {}).error().Line(), "a.csv: has two columns; choose with --column");
}

std::string ReadError(const ReadArguments& arguments) {
  const auto options = ToReadOptions(arguments);
  return options ? "fine" : options.error().Line();
}

TEST(ReadOptionsTest, ASpanIsFromItsStartToItsEndOrAYear) {
  ReadArguments arguments;
  EXPECT_FALSE(ToReadOptions(arguments)->span.has_value());
  arguments.start = "2023-06-01";
  const Instant start = *ParseInstant("2023-06-01", "test");
  EXPECT_EQ(ToReadOptions(arguments)->span, (Interval{start, start + std::chrono::days{365}}));
  arguments.end = "2023-06-03T12:00Z";
  EXPECT_EQ(ToReadOptions(arguments)->span, (Interval{start, start + std::chrono::hours{60}}));
}

TEST(ReadOptionsTest, WhatMakesNoSenseIsRefusedAtItsFlag) {
  ReadArguments arguments;
  arguments.end = "2023-06-01";
  EXPECT_EQ(ReadError(arguments), "--end: is given without --start; give both, or --start alone");
  arguments.start = "2023-06-01";
  EXPECT_EQ(ReadError(arguments), "--end: 2023-06-01 is not after 2023-06-01; must be later than --start");
  arguments.start = "June";
  EXPECT_THAT(ReadError(arguments), HasSubstr("--start: "));
  arguments.start = "2023-06-01";
  arguments.end = "later";
  EXPECT_THAT(ReadError(arguments), HasSubstr("--end: "));
  ReadArguments money;
  money.currency = "euros";
  EXPECT_EQ(ReadError(money), "--currency: 'euros' is not a currency; three capital letters such as EUR");
  money.currency = "EUR";
  EXPECT_EQ(ReadError(money), "fine");
}

TEST(InputTest, ACommandWithoutAFileTakesBackWhatJsonTook) {
  Options options;
  options.wants_json = true;
  options.json_file = "tariff.json";
  EXPECT_EQ(InputOrTakenByJson("", options), "tariff.json");
  EXPECT_EQ(options.json_file, "");
  EXPECT_TRUE(options.wants_json) << "the result goes to stdout then";
  options.json_file = "out.json";
  EXPECT_EQ(InputOrTakenByJson("in.csv", options), "in.csv");
  EXPECT_EQ(options.json_file, "out.json");
}

}  // namespace
}  // namespace heliostat::cli
