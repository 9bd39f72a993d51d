#include "heliostat/ui/console/gpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heliostat/node/gpu_access/testing/two_cards.h"

namespace heliostat::console {
namespace {

using device_model::FindCardModel;
using gpu_access::CardOf;
using gpu_access::Gpus;
using gpu_access::TwoGpus;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(GpuListTest, AListTellsWhatACardDoesNotTellAsADash) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  const TextAndJson told = List(gpus);
  EXPECT_THAT(told.text, HasSubstr("is lost"));
  EXPECT_THAT(told.text, HasSubstr("NVIDIA A40"));
  EXPECT_THAT(told.json.Line(), HasSubstr("\"error\":\"GPU 0: is lost\""));
}

TEST(GpuListTest, ShowSaysWhetherAnybodyKeepsLeases) {
  const Gpus gpus = TwoGpus();
  EXPECT_THAT(Show(*gpus.all[0], std::nullopt)->text, HasSubstr("no agent"));
  EXPECT_THAT(Show(*gpus.all[0], std::vector<lease::LeaseSummary>{})->text, HasSubstr("none"));
}

TEST(GpuListTest, ATextAndItsJsonTellTheSame) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).Run(device_model::LoadOf("resnet50", *FindCardModel("H200")));
  ASSERT_TRUE(gpus.all[0]->Apply(device::Setting::PowerLimit(Watts{400})));
  const TextAndJson told = List(gpus);
  const io::Json& first = (*told.json.Find("gpus")->Elements())->front();
  EXPECT_EQ(first.Find("power_limit_w")->Number().value(), 400.0);
  EXPECT_NEAR(first.Find("power_w")->Number().value(), gpus.all[0]->Read()->power->value, 1e-9);
  EXPECT_THAT(told.text, HasSubstr("400 W"));
  EXPECT_THAT(told.text, HasSubstr(CellOf(first, "power_w", "W")));
  EXPECT_THAT(told.text, HasSubstr("power cap"));
}

TEST(GpuListTest, AMachineWithoutGpusSaysWhy) {
  Gpus gpus = TwoGpus();
  gpus.all.clear();
  dynamic_cast<gpu_access::TwoCards&>(*gpus.driver).Trouble("the driver is not loaded");
  const TextAndJson told = List(gpus);
  EXPECT_THAT(told.text, HasSubstr("no GPU on this machine"));
  EXPECT_THAT(told.text, HasSubstr("the driver is not loaded"));
  EXPECT_THAT(told.json.Line(), HasSubstr("\"gpus\":[]"));
}

TEST(GpuListTest, ShowTellsTheLeasesOnThatGpuAlone) {
  const Gpus gpus = TwoGpus();
  lease::LeaseSummary lease;
  lease.id = "51a7ed00-3";
  lease.gpu = gpus.all[1]->identity().uuid;
  lease.user = "ada";
  lease.wanted = device::Setting::PowerLimit(Watts{200});
  lease.state = lease::LeaseState::kOverridden;
  const auto other = Show(*gpus.all[0], std::vector{lease});
  const auto own = Show(*gpus.all[1], std::vector{lease});
  ASSERT_TRUE(other && own);
  EXPECT_THAT(other->text, Not(HasSubstr("51a7ed00-3")));
  EXPECT_THAT(own->text, HasSubstr("51a7ed00-3 of ada: power-limit 200 W, overridden"));
  EXPECT_EQ(lease::ReadSummaries(*own->json.Find("leases")).value(), std::vector{lease});
}

TEST(GpuListTest, ShowOfACardThatDoesNotAnswerIsAnError) {
  const Gpus gpus = TwoGpus();
  CardOf(gpus, 0).FailReads(Error{ErrorCode::kUnavailable, "GPU 0", "is lost", ""});
  EXPECT_EQ(Show(*gpus.all[0], std::nullopt).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace heliostat::console
