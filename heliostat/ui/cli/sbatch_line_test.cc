#include "heliostat/ui/cli/sbatch_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace heliostat::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

SbatchLine LineOf(const Words& words) {
  const auto line = ParseSbatchLine(words);
  EXPECT_TRUE(line.has_value()) << (line ? "" : line.error().Line());
  return line.value_or(SbatchLine{});
}

TEST(SbatchLine, TellsOptionsFromTheScriptAndItsArguments) {
  const SbatchLine line = LineOf({"/usr/bin/sbatch", "-N", "2", "-vHJ", "name", "-c4", "--gres", "gpu:2", "--hold",
                                  "--time=10", "job.sh", "--comment=its own", "-N"});
  EXPECT_FALSE(line.comment);
  EXPECT_THAT(line.script, ElementsAre("job.sh", "--comment=its own", "-N"));
  EXPECT_EQ(line.options.size(), 9U);
  EXPECT_THAT(LineOf({"sbatch", "--hold", "a", "b"}).script, ElementsAre("a", "b"));
  EXPECT_THAT(LineOf({"sbatch", "--exclusive", "a"}).script, ElementsAre("a"));
  EXPECT_THAT(LineOf({"sbatch", "--", "-odd"}).With("x"), ElementsAre("sbatch", "--comment=x", "--", "-odd"));
}

TEST(SbatchLine, TakesTheLastCommentInEitherSpelling) {
  for (const Words& words : {Words{"sbatch", "--comment=a b", "job.sh"}, Words{"sbatch", "--comment", "a b", "job.sh"},
                             Words{"sbatch", "--comm=a b", "job.sh"},
                             Words{"sbatch", "--comment=x", "--hold", "--comment", "a b", "job.sh"}}) {
    const SbatchLine line = LineOf(words);
    EXPECT_EQ(line.comment, "a b");
    EXPECT_THAT(line.script, ElementsAre("job.sh"));
    EXPECT_THAT(line.options, ::testing::Not(::testing::Contains(HasSubstr("comm"))));
  }
  EXPECT_FALSE(LineOf({"sbatch", "--constraint", "x", "job.sh"}).comment);
}

TEST(SbatchLine, KnowsWhereTheScriptIs) {
  EXPECT_TRUE(LineOf({"sbatch", "--wrap", "sleep 1"}).has_wrap);
  EXPECT_TRUE(LineOf({"sbatch", "--wrap=sleep 1"}).has_wrap);
  EXPECT_TRUE(LineOf({"sbatch", "-N", "1"}).script.empty());
}

TEST(SbatchLine, RefusesOtherProgramsAndHeterogeneousJobs) {
  EXPECT_THAT(ParseSbatchLine(Words{"srun", "hostname"}).error().Line(), HasSubstr("interactive"));
  EXPECT_THAT(ParseSbatchLine(Words{"python"}).error().Line(), HasSubstr("'python' is not sbatch"));
  EXPECT_THAT(ParseSbatchLine(Words{"sbatch", "-n1", ":", "-n2", "job.sh"}).error().Line(), HasSubstr("heterogeneous"));
  EXPECT_THAT(CommentInScript("#!/bin/sh\n#SBATCH -n1\n#SBATCH hetjob\n").error().Line(), HasSubstr("heterogeneous"));
}

TEST(CommentInScript, ReadsDirectivesUpToTheFirstCommand) {
  EXPECT_EQ(CommentInScript("#!/bin/sh\n\n# x\n#SBATCH --comment=one\n#SBATCH --comment \"two 'and' three\" # no\nls\n")
                ->value_or(""),
            "two 'and' three");
  EXPECT_FALSE(CommentInScript("#!/bin/sh\nls\n#SBATCH --comment=late\n")->has_value());
  EXPECT_FALSE(CommentInScript("#!/bin/sh\n##SBATCH --comment=no\n #SBATCH --comment=no\n")->has_value());
  EXPECT_EQ(CommentInScript("#SBATCH -J x --comment='a b' -N 2")->value_or(""), "a b");
}

RC_GTEST_PROP(SbatchLine, IsTheSameButForTheComment, (std::string comment)) {
  const auto options = *rc::gen::container<Words>(
      rc::gen::elementOf(Words{"--hold", "--time=1", "-N2", "--gres=gpu:1", "-v", "--nice=5", "--parsable"}));
  Words words{"sbatch"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"job.sh", "argument"});
  const SbatchLine line = LineOf(words);
  RC_ASSERT(!line.comment);
  const Words with = line.With(comment);
  const SbatchLine back = LineOf(with);
  RC_ASSERT(back.comment == comment);
  RC_ASSERT(back.options == options);
  RC_ASSERT(with.size() == words.size() + 1);
}

}  // namespace
}  // namespace heliostat::cli
