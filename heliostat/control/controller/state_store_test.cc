#include "heliostat/control/controller/state_store.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace heliostat::controller {
namespace {

constexpr Instant kEnd{std::chrono::seconds{1'795'000'000}};

class StateStoreTest : public ::testing::Test {
 protected:
  StateStoreTest() { std::filesystem::remove_all(folder_); }
  ~StateStoreTest() override { std::filesystem::remove_all(folder_); }
  static StateChange::Job Job(std::int64_t number, std::optional<int> element, Instant end) {
    return {{number, element, end - Duration{100}},
            number == 17 ? "ann" : "bob",
            end,
            io::Json().Set("end", FormatInstant(end))};
  }
  const std::string folder_ = ::testing::TempDir() + "store-" + std::to_string(::getpid());
};

TEST_F(StateStoreTest, GivesBackWhatWasSaved) {
  {
    const auto store = StateStore::Open(folder_);
    ASSERT_TRUE(store) << store.error().Line();
    EXPECT_TRUE((*store)->Load()->is_null());
    ASSERT_TRUE((*store)->Save({io::Json().Set("a", 1), {}}));
    ASSERT_TRUE((*store)->Save({io::Json().Set("a", 2), {}}));
  }
  EXPECT_EQ(*(*(*StateStore::Open(folder_))->Load()->Get("a"))->Integer(), 2);
}

TEST_F(StateStoreTest, IsForOneController) {
  const auto first = StateStore::Open(folder_);
  ASSERT_TRUE(first);
  const auto second = StateStore::Open(folder_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(second.error().Line().find("another heliostatctld"), std::string::npos);
}

TEST_F(StateStoreTest, FindsTheNewestJobOfANumber) {
  const auto store = *StateStore::Open(folder_);
  ASSERT_TRUE(
      store->Save({io::Json().Set("a", 1), {Job(17, {}, kEnd), Job(17, {}, kEnd + Duration{9}), Job(17, 3, kEnd)}}));
  EXPECT_TRUE(*store->HasEnded({17, {}, kEnd - Duration{100}}));
  EXPECT_TRUE(*store->HasEnded({17, 3, kEnd - Duration{100}}));
  EXPECT_FALSE(*store->HasEnded({17, {}, kEnd}));  // another job of that number
  auto archive = *JobArchive::Open(folder_);
  EXPECT_EQ(*(*(**archive.Find("17")).Get("end"))->Text(), FormatInstant(kEnd + Duration{9}));
  EXPECT_TRUE(archive.Find("17_3")->has_value());
  EXPECT_FALSE(archive.Find("18")->has_value());
  EXPECT_EQ(archive.Newest(2)->size(), 2U);
  ASSERT_TRUE(store->Save({io::Json().Set("a", 1), {Job(19, {}, kEnd + Duration{99})}}));
  EXPECT_EQ(archive.Newest(9, "bob")->size(), 1U);
  EXPECT_EQ(archive.Newest(9, "ann")->size(), 3U);
  EXPECT_EQ(archive.Newest(9, "eve")->size(), 0U);
}

TEST_F(StateStoreTest, FindsMovedAndLateJobsOfAUser) {
  const auto store = *StateStore::Open(folder_);
  StateChange change{io::Json().Set("a", 1), {Job(1, {}, kEnd), Job(2, {}, kEnd), Job(3, {}, kEnd), Job(4, {}, kEnd)}};
  for (StateChange::Job& job : change.ended) {
    job.report.Set("number", job.key.number);
    job.user = job.key.number < 3 ? "ann" : "eve";
  }
  change.ended[1].saved = Grams{10};
  change.ended[2].saved = Grams{20};
  change.ended[0].late = Duration{60};
  ASSERT_TRUE(store->Save(change));
  auto archive = *JobArchive::Open(folder_);
  const auto all = *archive.Moved("", 10);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(*(*all[0].Get("number"))->Integer(), 3);  // it saves the most
  EXPECT_EQ(archive.Moved("ann", 10)->size(), 1U);
  EXPECT_EQ(archive.Moved("", 1)->size(), 1U);
  EXPECT_EQ(archive.Late("", 10)->size(), 1U);
  EXPECT_TRUE(archive.Late("bob", 10)->empty());
}

TEST_F(StateStoreTest, KeepsTheNewestSlots) {
  const auto store = *StateStore::Open(folder_);
  StateChange change{io::Json().Set("a", 1), {}};
  for (int slot = 0; slot < kSlotsKept + 5; ++slot) {
    change.slots.push_back({kEnd + slot * Duration{900}, io::Json().Set("slot", slot)});
  }
  ASSERT_TRUE(store->Save(change));
  auto archive = *JobArchive::Open(folder_);
  const std::string all = *archive.SlotsBefore(kEnd + std::chrono::hours(24 * 400));
  EXPECT_EQ(std::count(all.begin(), all.end(), '{'), kSlotsKept);
  EXPECT_TRUE(all.starts_with(R"({"slot":5},)")) << all.substr(0, 40);
  EXPECT_TRUE(all.ends_with(R"(,{"slot":10004})"));
  EXPECT_EQ(*archive.SlotsBefore(kEnd + 6 * Duration{900}), R"({"slot":5})");
}

TEST_F(StateStoreTest, RefusesWhatIsNoState) {
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/state.db") << std::string(8192, 'x');
  EXPECT_EQ(StateStore::Open(folder_).error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace heliostat::controller
