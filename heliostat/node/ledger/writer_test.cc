#include "heliostat/node/ledger/writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/testing/scratch.h"
#include "heliostat/node/ledger/bill.h"
#include "heliostat/node/ledger/testing/plausible_run.h"

namespace heliostat::ledger {
namespace {

using ::testing::MatchesRegex;
using ::testing::SizeIs;

std::string FolderOf(const io::Scratch& scratch) { return scratch.folder() / "runs"; }

TEST(WriterTest, WhatWasAddedIsThereAtEveryMoment) {
  const io::Scratch scratch;
  const ledger::Run run = PlausibleRun(7);
  auto writer = Writer::Create(FolderOf(scratch), run.begin);
  ASSERT_TRUE(writer) << writer.error().Line();
  for (const Period& period : run.periods) {
    ASSERT_TRUE(writer->Add(period));
    const auto read = ReadRun(writer->path(), writer->run().id);
    ASSERT_TRUE(read);
    ASSERT_EQ(BillOf(*read), BillOf(writer->run()));
  }
  ASSERT_TRUE(writer->Add(run.notes[0]));
  ASSERT_TRUE(writer->Finish(*run.end));
  const auto read = ReadRun(writer->path(), "id");
  EXPECT_EQ(read->periods, run.periods);
  EXPECT_EQ(read->notes, run.notes);
  EXPECT_EQ(read->end, run.end);
  EXPECT_EQ(read->begin, run.begin);
  EXPECT_FALSE(writer->Add(run.periods[0])) << "nothing comes after the end";
}

TEST(WriterTest, RunsOfOneSecondHaveNamesOfTheirOwn) {
  const io::Scratch scratch;
  const auto first = Writer::Create(FolderOf(scratch), PlausibleBegin());
  const auto second = Writer::Create(FolderOf(scratch), PlausibleBegin());
  EXPECT_THAT(first->run().id, MatchesRegex("20261115-184500-train-[0-9a-f]{4}"));
  EXPECT_THAT(second->run().id, MatchesRegex("20261115-184500-train-[0-9a-f]{4}"));
  EXPECT_NE(first->run().id, second->run().id);
}

TEST(WriterTest, AProgramOfAnyNameGetsAFolder) {
  const io::Scratch scratch;
  Begin begin = PlausibleBegin();
  begin.command = {"../.. /Ünfit\n--name.bin", std::string(100'000, 'x')};
  const auto writer = Writer::Create(FolderOf(scratch), begin);
  ASSERT_TRUE(writer) << writer.error().Line();
  EXPECT_THAT(writer->run().id, MatchesRegex("20261115-184500-nfit-name-[0-9a-f]{4}"));
  EXPECT_TRUE(ReadRun(writer->path(), "id"));
}

TEST(WriterTest, WhatFindsNoRoomIsWrittenWithTheNext) {
  const io::Scratch scratch;
  const ledger::Run run = PlausibleRun(7);
  auto writer = Writer::Create(FolderOf(scratch), run.begin);
  {
    const io::FullDisk full(std::filesystem::file_size(writer->path()));
    EXPECT_FALSE(writer->Add(run.periods[0]));
    EXPECT_FALSE(writer->Add(run.periods[1]));
  }
  EXPECT_THAT(writer->run().periods, SizeIs(2)) << "the bill has them all the same";
  EXPECT_THAT(ReadRun(writer->path(), "id")->periods, SizeIs(0));
  ASSERT_TRUE(writer->Add(run.periods[2]));
  EXPECT_THAT(ReadRun(writer->path(), "id")->periods, SizeIs(3));
}

TEST(WriterTest, WithoutAFolderTheRunIsKeptAndWrittenWhenThereIsOne) {
  const io::Scratch scratch;
  const ledger::Run run = PlausibleRun(7);
  const std::string folder = FolderOf(scratch);
  ASSERT_TRUE(io::WriteFileAtomically(folder, "in the way"));
  auto writer = Writer::Create(folder, run.begin);
  ASSERT_TRUE(writer) << writer.error().Line();
  EXPECT_FALSE(writer->Flush());
  EXPECT_EQ(writer->path(), "");
  EXPECT_FALSE(writer->Add(run.periods[0]));
  EXPECT_THAT(writer->run().periods, SizeIs(1));
  std::filesystem::remove(folder);
  ASSERT_TRUE(writer->Add(run.periods[1]));
  const auto read = ReadRun(writer->path(), "id");
  EXPECT_EQ(read->begin, run.begin);
  EXPECT_THAT(read->periods, SizeIs(2));
}

TEST(WriterTest, WhatMakesNoSenseIsRefusedAndForgotten) {
  const io::Scratch scratch;
  const ledger::Run run = PlausibleRun(7);
  auto writer = Writer::Create(FolderOf(scratch), run.begin);
  Period wrong = run.periods[0];
  wrong.steps = -1;
  EXPECT_EQ(writer->Add(wrong).error().code, ErrorCode::kInvalidArgument);
  ASSERT_TRUE(writer->Add(run.periods[0]));
  EXPECT_THAT(ReadRun(writer->path(), "id")->periods, SizeIs(1));
  Begin nobody = run.begin;
  nobody.command.clear();
  EXPECT_FALSE(Writer::Create(FolderOf(scratch), nobody));
}

TEST(RunsFolderTest, IsWhereTheUserSaysOrInTheData) {
  const auto in = [](const std::map<std::string, std::string>& variables) {
    return RunsFolder([&](const std::string& name) {
      const auto found = variables.find(name);
      return found == variables.end() ? std::nullopt : std::optional(found->second);
    });
  };
  EXPECT_EQ(*in({{"HELIOSTAT_RUNS", "here"}, {"XDG_DATA_HOME", "/d"}, {"HOME", "/h"}}), "here");
  EXPECT_EQ(*in({{"XDG_DATA_HOME", "/d"}, {"HOME", "/h"}}), "/d/heliostat/runs");
}

}  // namespace
}  // namespace heliostat::ledger
