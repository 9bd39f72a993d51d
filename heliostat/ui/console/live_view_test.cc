#include "heliostat/ui/console/live_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/gpu_access/testing/two_cards.h"

namespace heliostat::console {
namespace {

using device_model::FindCardModel;
using device_model::SimulatedGpu;
using gpu_access::CardOf;
using gpu_access::Gpus;
using gpu_access::TwoGpus;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(LiveViewTest, SumsWhatEachCardTook) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).Run(device_model::LoadOf("resnet50", *FindCardModel("H200")));
  LiveView view({gpus.all[0].get(), gpus.all[1].get()});
  for (int second = 0; second <= 60; ++second) {
    view.Sample(std::chrono::seconds(second), second == 60);
    if (second == 60) break;
    for (const auto& gpu : gpus.all) dynamic_cast<SimulatedGpu&>(*gpu).Advance(Seconds(1));
  }
  const TextAndJson told = view.Sum();
  const io::Json& first = (*told.json.Find("gpus")->Elements())->front();
  EXPECT_NEAR(first.Find("energy_j")->Number().value(), gpus.all[0]->Energy()->value, 1e-6);
  EXPECT_NEAR(first.Find("difference_percent")->Number().value(), 0.0, 1e-6);
  EXPECT_THAT(told.text, HasSubstr("60.0 s"));
}

TEST(LiveViewTest, AFrameHasTheSameHeightWhateverHappens) {
  const Gpus gpus = TwoGpus();
  LiveView view({gpus.all[0].get(), gpus.all[1].get()});
  view.Sample(std::chrono::seconds(0));
  const std::string good = view.Frame("title", 100, true);
  CardOf(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  view.Sample(std::chrono::seconds(1));
  const std::string bad = view.Frame("title", 100, true);
  EXPECT_THAT(bad, HasSubstr("is lost"));
  EXPECT_EQ(std::count(good.begin(), good.end(), '\n'), std::count(bad.begin(), bad.end(), '\n'));
  EXPECT_THAT(view.Frame("title", 40, false), Not(HasSubstr("█"))) << "plain terminals get plain characters";
}

TEST(LiveViewTest, LooksThatFailAreCountedAndTheRestIsSummed) {
  const Gpus gpus = TwoGpus();
  SimulatedGpu& card = CardOf(gpus, 0);
  LiveView view({&card});
  for (int second = 0; second <= 20; ++second) {
    const bool is_lost = second >= 5 && second < 8;
    card.FailReads(is_lost ? std::optional(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""}) : std::nullopt);
    view.Sample(seconds(second), second == 20);
    EXPECT_EQ(view.Lines("noon").find("is lost") != std::string::npos, is_lost) << second;
    card.FailReads(std::nullopt);
    if (second < 20) card.Advance(Seconds(1));
  }
  const TextAndJson told = view.Sum();
  const io::Json& row = (*told.json.Find("gpus")->Elements())->front();
  EXPECT_EQ(row.Find("failed_samples")->Integer().value(), 3);
  EXPECT_NEAR(row.Find("energy_j")->Number().value(), card.Energy()->value, 1e-6);
}

TEST(LiveViewTest, TheHighestDrawIsNoLessThanTheMean) {
  const Gpus gpus = TwoGpus();
  SimulatedGpu& card = CardOf(gpus, 0);
  LiveView view({&card});
  double highest = 0.0;
  for (int second = 0; second <= 30; ++second) {
    if (second == 10) card.Run(device_model::LoadOf("resnet50", *FindCardModel("H200")));
    if (second == 20) card.Run(std::nullopt);
    highest = std::max(highest, card.Read()->power->value);
    view.Sample(seconds(second), second == 30);
    if (second < 30) card.Advance(Seconds(1));
  }
  const TextAndJson told = view.Sum();
  const io::Json& row = (*told.json.Find("gpus")->Elements())->front();
  EXPECT_EQ(row.Find("highest_power_w")->Number().value(), highest);
  EXPECT_LT(row.Find("mean_power_w")->Number().value(), highest);
  EXPECT_NEAR(row.Find("mean_power_w")->Number().value() * 30.0, row.Find("energy_j")->Number().value(), 1e-6);
}

TEST(LiveViewTest, LinesAreOneForEachGpuWithItsTime) {
  const Gpus gpus = TwoGpus();
  LiveView view({gpus.all[0].get(), gpus.all[1].get()});
  view.Sample(seconds(0));
  const std::string lines = view.Lines("12:00:00");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_THAT(lines, HasSubstr("12:00:00 GPU 0"));
  EXPECT_THAT(lines, HasSubstr("12:00:00 GPU 1"));
  EXPECT_THAT(lines, HasSubstr("idle"));
}

}  // namespace
}  // namespace heliostat::console
