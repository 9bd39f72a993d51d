#include "heliostat/control/policy/service_reserve.h"

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

#include "heliostat/control/policy/testing/desk.h"

namespace heliostat::policy::testing {
namespace {

class ServiceReserveTest : public ::testing::Test {
 protected:
  ServiceReserveTest() { desk_.AddService(10.0); }

  // The next slot begins with this rate. The expected rate of the slot after it stays the same.
  double Measure(double requests_per_s) {
    desk_.MoveTo(slot_++);
    desk_.SetRate(0, requests_per_s);
    desk_.Show([&](const Observation& observation) { reserve_.Learn(observation.services, observation.outlook); });
    return reserve_.shares()[0];
  }

  Desk desk_;
  ServiceReserve reserve_;
  int slot_ = 0;
};

TEST_F(ServiceReserveTest, StartsWithoutAny) { EXPECT_EQ(Measure(1000.0), 0.0); }

TEST_F(ServiceReserveTest, IsNoneForAServiceThatWasNeverUnderestimated) {
  for (const double rate : {10.0, 9.0, 10.0, 2.0, 0.0}) EXPECT_EQ(Measure(rate), 0.0);
}

TEST_F(ServiceReserveTest, IsTheShareByWhichTheForecastWasExceeded) {
  Measure(10.0);
  EXPECT_DOUBLE_EQ(Measure(13.0), 0.3);
}

TEST_F(ServiceReserveTest, KeepsTheWorstSurprise) {
  Measure(10.0);
  Measure(14.0);
  EXPECT_DOUBLE_EQ(Measure(11.0), 0.4 * 0.97);
  EXPECT_DOUBLE_EQ(Measure(15.0), 0.5);
}

TEST_F(ServiceReserveTest, ForgetsOverTime) {
  Measure(10.0);
  double before = Measure(14.0);
  for (int i = 0; i < 30; ++i) {
    const double now = Measure(10.0);
    EXPECT_LT(now, before);
    EXPECT_GT(now, 0.0);
    before = now;
  }
  EXPECT_LT(before, 0.4 / 2);
}

TEST_F(ServiceReserveTest, HasALimit) {
  Measure(10.0);
  EXPECT_DOUBLE_EQ(Measure(1e6), 0.6);
}

TEST_F(ServiceReserveTest, LearnsNothingFromAForecastOfNoRequests) {
  desk_.Expect(0, 0.0);
  Measure(10.0);
  EXPECT_EQ(Measure(10.0), 0.0);
}

TEST_F(ServiceReserveTest, OfEachServiceIsItsOwn) {
  desk_.AddService(100.0);
  Measure(10.0);
  Measure(12.0);
  EXPECT_DOUBLE_EQ(reserve_.shares()[0], 0.2);
  EXPECT_EQ(reserve_.shares()[1], 0.0);
}

TEST(ServiceReserve, OfNoServicesAsksForNoForecast) {
  class Silent : public Outlook {
   public:
    Forecast Ahead() override {
      ADD_FAILURE() << "a forecast may cost time";
      return {};
    }
    CarbonIntensity CarbonNow() const override { return {}; }
    Watts RenewableNow() const override { return {}; }
    std::optional<double> PriceNow() const override { return std::nullopt; }
    CarbonIntensity DirtiestOfDay() const override { return {}; }
  };
  Silent outlook;
  ServiceReserve reserve;
  reserve.Learn({}, outlook);
  EXPECT_TRUE(reserve.shares().empty());
}

RC_GTEST_FIXTURE_PROP(ServiceReserveTest, NeverFallsBelowWhatWasJustSeenNorFasterThanItForgets, ()) {
  double before = Measure(10.0);
  for (int i = 0; i < 20; ++i) {
    const double rate = *rc::gen::inRange(0, 300) / 10.0;
    const double share = Measure(rate);
    RC_ASSERT(share >= std::min(rate / 10.0 - 1.0, 0.6));
    RC_ASSERT(share >= before * 0.97);
    RC_ASSERT(share <= 0.6);
    before = share;
  }
}

}  // namespace
}  // namespace heliostat::policy::testing
