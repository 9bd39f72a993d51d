#include "heliostat/base/io/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/stat.h>

#include "heliostat/base/io/checksum.h"
#include "heliostat/base/io/testing/scratch.h"

namespace heliostat::io {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Json Record(int n) { return Json().Set("what", "test").Set("n", n).Set("text", "line\nbreak \x01 ü"); }

std::vector<std::string> Lines(const std::vector<Json>& records) {
  std::vector<std::string> lines;
  for (const Json& record : records) lines.push_back(record.Line());
  return lines;
}

// What another Open() of the file finds.
Journal::Found Reopen(const Scratch& scratch) {
  Journal::Found found;
  const auto journal = Journal::Open(scratch.journal(), found);
  EXPECT_TRUE(journal) << journal.error().Line();
  return found;
}

TEST(ChecksumTest, IsTheUsualCrc32) {
  EXPECT_EQ(Crc32("123456789"), 0xcbf43926U);
  EXPECT_EQ(Crc32(""), 0U);
}

TEST(JournalTest, WhatWasAppendedIsFoundAgain) {
  const Scratch scratch;
  Journal::Found found;
  {
    auto journal = Journal::Open(scratch.journal(), found);
    ASSERT_TRUE(journal);
    EXPECT_THAT(found.records, IsEmpty());
    ASSERT_TRUE(journal->Append(std::vector{Record(1), Record(2)}));
    ASSERT_TRUE(journal->Append(std::vector{Record(3)}));
    EXPECT_EQ(journal->bytes(), std::filesystem::file_size(scratch.journal()));
  }
  found = Reopen(scratch);
  EXPECT_THAT(found.troubles, IsEmpty());
  EXPECT_EQ(Lines(found.records), Lines({Record(1), Record(2), Record(3)}));
}

TEST(JournalTest, OnlyItsOwnerMayReadIt) {
  const Scratch scratch;
  scratch.Write("");
  std::filesystem::permissions(scratch.journal(), std::filesystem::perms::all);
  Journal::Found found;
  auto journal = Journal::Open(scratch.journal(), found);
  ASSERT_TRUE(journal);
  struct stat facts {};
  ASSERT_EQ(::stat(scratch.journal().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
  ASSERT_TRUE(journal->Replace(std::vector{Record(1)}));
  ASSERT_EQ(::stat(scratch.journal().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777U, 0600U);
}

TEST(JournalTest, CutAtEveryByteItHasTheWholeRecordsBeforeAndTellsTheRest) {
  const Scratch scratch;
  {
    Journal::Found found;
    auto journal = Journal::Open(scratch.journal(), found);
    ASSERT_TRUE(journal->Append(std::vector{Record(1), Record(22), Record(333)}));
  }
  const std::string bytes = scratch.Bytes();
  for (std::size_t length = 0; length <= bytes.size(); ++length) {
    scratch.Write(bytes.substr(0, length));
    const auto whole =
        static_cast<std::size_t>(std::count(bytes.begin(), bytes.begin() + static_cast<long>(length), '\n'));
    const bool is_torn = length > 0 && bytes[length - 1] != '\n';
    auto found = Reopen(scratch);
    ASSERT_THAT(found.records, SizeIs(whole)) << length;
    ASSERT_THAT(found.troubles, SizeIs(is_torn ? 1 : 0)) << length;
    // The torn end is removed: the next record begins on a line of its own.
    {
      auto journal = Journal::Open(scratch.journal(), found);
      ASSERT_TRUE(journal->Append(std::vector{Record(9)}));
    }
    found = Reopen(scratch);
    ASSERT_THAT(found.troubles, IsEmpty()) << length;
    ASSERT_THAT(found.records, SizeIs(whole + 1)) << length;
  }
}

TEST(JournalTest, AnyWrongByteCostsItsLineAndNoOther) {
  const Scratch scratch;
  {
    Journal::Found found;
    auto journal = Journal::Open(scratch.journal(), found);
    ASSERT_TRUE(journal->Append(std::vector{Record(1), Record(2), Record(3)}));
  }
  const std::string bytes = scratch.Bytes();
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string wrong = bytes;
    wrong[at] = static_cast<char>(wrong[at] ^ 0x20);
    const auto found = Journal::Parse(wrong);
    // Without the line break between them, two lines become one.
    ASSERT_GE(found.records.size(), bytes[at] == '\n' ? 1U : 2U) << at;
    ASSERT_LT(found.records.size(), 3U) << at;
    ASSERT_THAT(found.troubles, SizeIs(1)) << at;
  }
}

TEST(JournalTest, ReplaceLeavesTheNewRecordsOnly) {
  const Scratch scratch;
  Journal::Found found;
  auto journal = Journal::Open(scratch.journal(), found);
  ASSERT_TRUE(journal->Append(std::vector{Record(1), Record(2)}));
  ASSERT_TRUE(journal->Replace(std::vector{Record(5)}));
  ASSERT_TRUE(journal->Append(std::vector{Record(6)}));
  EXPECT_EQ(Lines(Reopen(scratch).records), Lines({Record(5), Record(6)}));
  EXPECT_EQ(journal->bytes(), std::filesystem::file_size(scratch.journal()));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(scratch.folder()), {}), 1) << "nothing is left beside it";
}

TEST(JournalTest, OnAFullDiskItEndsWhereItEnded) {
  const Scratch scratch;
  Journal::Found found;
  auto journal = Journal::Open(scratch.journal(), found);
  ASSERT_TRUE(journal->Append(std::vector{Record(1)}));
  const std::string before = scratch.Bytes();
  // No space, space for some bytes of a record, space for all but its last byte.
  for (const std::size_t room : {0UL, 5UL, Record(2).Line().size() + 9}) {
    Status appended;
    Status replaced;
    {
      const FullDisk full(before.size() + room);
      appended = journal->Append(std::vector{Record(2)});
      replaced = journal->Replace(std::vector{Record(3), Record(4), Record(5)});
    }
    ASSERT_FALSE(appended);
    ASSERT_FALSE(replaced);
    EXPECT_THAT(appended.error().Line(), HasSubstr("cannot write"));
    EXPECT_EQ(scratch.Bytes(), before);
    EXPECT_EQ(journal->bytes(), before.size());
  }
  ASSERT_TRUE(journal->Append(std::vector{Record(2)}));
  EXPECT_EQ(Lines(Reopen(scratch).records), Lines({Record(1), Record(2)}));
}

TEST(JournalTest, WhatCouldNotBeReadAgainIsNotWritten) {
  const Scratch scratch;
  Journal::Found found;
  auto journal = Journal::Open(scratch.journal(), found);
  const auto status = journal->Append(std::vector{Json().Set("text", std::string(70'000, 'x'))});
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(scratch.Bytes(), "");
}

TEST(JournalTest, RefusesWhatIsNoFile) {
  const Scratch scratch;
  Journal::Found found;
  EXPECT_EQ(Journal::Open(scratch.folder() / "no" / "such", found).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(Journal::Open("/dev/full", found).error().code, ErrorCode::kInvalidArgument);
  EXPECT_FALSE(Journal::Open(scratch.folder(), found));
}

TEST(JournalTest, FollowsNoSymbolicLink) {
  const Scratch scratch;
  std::filesystem::create_symlink(scratch.folder() / "elsewhere", scratch.journal());
  Journal::Found found;
  for (const auto open : {Journal::Open, Journal::OpenReadable}) {
    const auto journal = open(scratch.journal(), found);
    ASSERT_FALSE(journal);
    EXPECT_THAT(journal.error().Line(), HasSubstr("is a symbolic link"));
  }
  EXPECT_FALSE(std::filesystem::exists(scratch.folder() / "elsewhere"));
}

TEST(JournalTest, OnAReadOnlyDiskItIsReadAndWrittenAnewLater) {
  const Scratch scratch;
  Journal::Found found;
  { ASSERT_TRUE(Journal::Open(scratch.journal(), found)->Append(std::vector{Record(1)})); }
  scratch.Write(scratch.Bytes() + "torn");
  const std::string before = scratch.Bytes();
  std::optional<Journal> journal;
  {
    const ReadOnlyDisk disk(scratch.folder());
    EXPECT_FALSE(Journal::Open(scratch.journal(), found));
    auto opened = Journal::OpenReadable(scratch.journal(), found);
    ASSERT_TRUE(opened) << opened.error().Line();
    journal.emplace(*std::move(opened));
    EXPECT_EQ(Lines(found.records), Lines({Record(1)}));
    ASSERT_TRUE(journal->unwritable());
    EXPECT_FALSE(journal->Append(std::vector{Record(2)}));
    EXPECT_FALSE(journal->Replace(std::vector{Record(2)}));
    EXPECT_TRUE(Journal::OpenReadable(scratch.folder() / "none.journal", found)) << "there is none, which is known";
    EXPECT_THAT(found.records, IsEmpty());
  }
  EXPECT_EQ(scratch.Bytes(), before);
  EXPECT_FALSE(journal->Append(std::vector{Record(2)})) << "behind a torn line";
  ASSERT_TRUE(journal->Replace(std::vector{Record(2)}));
  EXPECT_FALSE(journal->unwritable());
  ASSERT_TRUE(journal->Append(std::vector{Record(3)}));
  EXPECT_EQ(Lines(Reopen(scratch).records), Lines({Record(2), Record(3)}));
}

TEST(JournalTest, ADamagedFileIsKeptBesideTheNewOne) {
  const Scratch scratch;
  Journal::Found found;
  for (const std::string& bytes : {std::string("rubbish\n"), std::string("rubbish"), std::string(100, '\0')}) {
    scratch.Write(bytes);
    auto journal = Journal::OpenReadable(scratch.journal(), found);
    ASSERT_TRUE(journal);
    EXPECT_TRUE(found.is_damaged);
    EXPECT_EQ(scratch.Bytes(), bytes) << "not cut";
    EXPECT_FALSE(journal->Append(std::vector{Record(1)}));
    ASSERT_TRUE(journal->KeepDamaged());
    ASSERT_TRUE(journal->KeepDamaged()) << "the same once more";
    const auto copies = Journal::DamagedCopies(scratch.journal());
    ASSERT_THAT(copies, SizeIs(1));
    ASSERT_TRUE(journal->Replace(std::vector{Record(1)}));
    ASSERT_TRUE(journal->Append(std::vector{Record(2)}));
    std::ifstream in(copies[0], std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), bytes);
    std::filesystem::remove(copies[0]);
    found = Reopen(scratch);
    EXPECT_FALSE(found.is_damaged);
    EXPECT_THAT(found.records, SizeIs(2));
  }
}

TEST(JournalTest, TellsOfManyDamagedLinesBriefly) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes += "rubbish\n";
  const auto found = Journal::Parse(bytes);
  EXPECT_THAT(found.records, IsEmpty());
  EXPECT_THAT(found.troubles, SizeIs(9));
  EXPECT_EQ(found.troubles.back(), "992 more lines are damaged, left out");
}

RC_GTEST_PROP(JournalLaw, AnyBytesParseAndWhatParsesIsWrittenTheSame, (std::string junk)) {
  const Scratch scratch;
  Journal::Found found;
  {
    auto journal = Journal::Open(scratch.journal(), found);
    RC_ASSERT(journal && journal->Append(std::vector{Record(1), Record(2)}));
  }
  const auto mixed = Journal::Parse(junk + "\n" + scratch.Bytes() + junk);
  RC_ASSERT(mixed.records.size() >= 2U);
  auto journal = Journal::Open(scratch.journal(), found);
  RC_ASSERT(journal && journal->Replace(mixed.records));
  const auto again = Journal::Parse(scratch.Bytes());
  RC_ASSERT(again.troubles.empty());
  RC_ASSERT(Lines(again.records) == Lines(mixed.records));
}

}  // namespace
}  // namespace heliostat::io
