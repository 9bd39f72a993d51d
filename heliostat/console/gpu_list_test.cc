#include "heliostat/console/gpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/access/testing/two_cards.h"
#include "heliostat/console/live_view.h"

namespace heliostat::console {
namespace {

using access::CardOf;
using access::Gpus;
using access::TwoGpus;
using device_model::FindCardModel;
using device_model::SimulatedGpu;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(GpuListTest, AListTellsWhatACardDoesNotTellAsADash) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  const Told told = List(gpus);
  EXPECT_THAT(told.text, HasSubstr("is lost"));
  EXPECT_THAT(told.text, HasSubstr("NVIDIA A40"));
  EXPECT_THAT(told.json.Line(), HasSubstr("\"error\":\"GPU 0: is lost\""));
}

TEST(GpuListTest, ShowSaysWhetherAnybodyKeepsLeases) {
  const Gpus gpus = TwoGpus();
  EXPECT_THAT(Show(*gpus.all[0], std::nullopt)->text, HasSubstr("no agent"));
  EXPECT_THAT(Show(*gpus.all[0], std::vector<lease::Summary>{})->text, HasSubstr("none"));
}

TEST(LiveViewTest, SumsWhatEachCardTook) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).Run(device_model::LoadOf("resnet50", *FindCardModel("H200")));
  LiveView view({gpus.all[0].get(), gpus.all[1].get()});
  for (int second = 0; second <= 60; ++second) {
    view.Sample(std::chrono::seconds(second), second == 60);
    if (second == 60) break;
    for (const auto& gpu : gpus.all) dynamic_cast<SimulatedGpu&>(*gpu).Advance(Seconds(1));
  }
  const Told told = view.Sum();
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

}  // namespace
}  // namespace heliostat::console
