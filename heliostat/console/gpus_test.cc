#include "heliostat/console/gpus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/console/live_view.h"
#include "heliostat/device_model/simulated_gpu.h"

namespace heliostat::console {
namespace {

using device_model::FindCardModel;
using device_model::SimulatedGpu;
using ::testing::HasSubstr;
using ::testing::Not;

class TwoCards final : public device::Driver {
 public:
  std::string_view name() const override { return "simulated"; }
  std::string version() const override { return "1"; }
  std::vector<std::string> troubles() const override { return {}; }
  Result<std::vector<std::unique_ptr<device::Gpu>>> Gpus() override {
    std::vector<std::unique_ptr<device::Gpu>> gpus;
    gpus.push_back(std::make_unique<SimulatedGpu>(*FindCardModel("H200"), 0));
    gpus.push_back(std::make_unique<SimulatedGpu>(*FindCardModel("A40"), 1));
    return gpus;
  }
};

Gpus Two() {
  Gpus gpus;
  gpus.driver = std::make_unique<TwoCards>();
  gpus.all = *gpus.driver->Gpus();
  return gpus;
}

SimulatedGpu& At(const Gpus& gpus, std::size_t index) { return dynamic_cast<SimulatedGpu&>(*gpus.all[index]); }

TEST(GpusTest, AreNamedByIndexUuidOrItsBeginning) {
  const Gpus gpus = Two();
  const std::string uuid = gpus.all[1]->identity().uuid;
  for (const std::string& name : {std::string("1"), uuid}) {
    const auto chosen = gpus.Select({name});
    ASSERT_TRUE(chosen) << name;
    EXPECT_EQ(chosen->front(), gpus.all[1].get());
  }
  EXPECT_EQ(gpus.Select({"all"})->size(), 2U);
  EXPECT_EQ(gpus.Select({"0", "0", "all"})->size(), 2U) << "none twice";
}

TEST(GpusTest, ABeginningThatSeveralShareIsRefused) {
  const Gpus gpus = Two();
  const auto chosen = gpus.Select({"GPU-51a7ed00"});
  ASSERT_FALSE(chosen);
  EXPECT_THAT(chosen.error().Line(), HasSubstr("several"));
  EXPECT_EQ(gpus.Select({"2"}).error().code, ErrorCode::kInvalidArgument);
}

TEST(GpusTest, AListTellsWhatACardDoesNotTellAsADash) {
  const Gpus gpus = Two();
  At(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  const Told told = List(gpus);
  EXPECT_THAT(told.text, HasSubstr("is lost"));
  EXPECT_THAT(told.text, HasSubstr("NVIDIA A40"));
  EXPECT_THAT(told.json.Line(), HasSubstr("\"error\":\"GPU 0: is lost\""));
}

TEST(GpusTest, ShowSaysWhetherAnybodyKeepsLeases) {
  const Gpus gpus = Two();
  EXPECT_THAT(Show(*gpus.all[0], std::nullopt)->text, HasSubstr("no agent"));
  EXPECT_THAT(Show(*gpus.all[0], std::vector<lease::Summary>{})->text, HasSubstr("none"));
}

TEST(LiveViewTest, SumsWhatEachCardTook) {
  const Gpus gpus = Two();
  At(gpus, 0).Run(device_model::LoadOf("resnet50", *FindCardModel("H200")));
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
  const Gpus gpus = Two();
  LiveView view({gpus.all[0].get(), gpus.all[1].get()});
  view.Sample(std::chrono::seconds(0));
  const std::string good = view.Frame("title", 100, true);
  At(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  view.Sample(std::chrono::seconds(1));
  const std::string bad = view.Frame("title", 100, true);
  EXPECT_THAT(bad, HasSubstr("is lost"));
  EXPECT_EQ(std::count(good.begin(), good.end(), '\n'), std::count(bad.begin(), bad.end(), '\n'));
  EXPECT_THAT(view.Frame("title", 40, false), Not(HasSubstr("█"))) << "plain terminals get plain characters";
}

}  // namespace
}  // namespace heliostat::console
