#include "heliostat/planning/decomposition/draft_plan.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

#include "heliostat/base/core/random.h"
#include "heliostat/planning/decomposition/improve.h"
#include "heliostat/planning/decomposition/testing/made.h"
#include "heliostat/planning/decomposition/to_plan.h"
#include "heliostat/planning/plan/score.h"

namespace heliostat::decomposition {
namespace {

using testing::Made;
using testing::Small;

// Runs from some second of its window at one level until done or until the window ends.
Schedule AnySchedule(const Model& model, const JobModel& job, RandomStream& random) {
  Schedule schedule{random.Below(job.choices.size()), {}};
  const Choice& choice = job.choices[schedule.choice];
  const std::size_t level = random.Below(choice.levels.size());
  const std::size_t vertex = random.Below(choice.levels[level].hull.size());
  double left = job.samples;
  const std::size_t first = random.Below(job.slot_count);
  for (std::size_t t = first; t < job.slot_count && left > 0.0; ++t) {
    const SlotWindow window = WindowIn(job, t, model.step_s);
    SlotPiece piece{job.first_slot + t, level, vertex, window.begin, window.end, 0, 0};
    if (t == first) piece.lost = std::min(static_cast<int>(job.resume_s), window.end - window.begin);
    left -= SamplesOf(choice.levels[level], piece);
    schedule.pieces.push_back(piece);
  }
  return schedule;
}

void PutAll(DraftPlan& draft, RandomStream& random) {
  const Model& model = draft.model();
  for (std::size_t j = 0; j < model.jobs.size(); ++j) {
    if (model.jobs[j].slot_count == 0 || model.jobs[j].choices.empty()) continue;
    draft.Put(j, AnySchedule(model, model.jobs[j], random));
  }
  for (std::size_t s = 0; s < model.services.size(); ++s) {
    for (std::size_t t = 0; t < model.slots; ++t) {
      if (!model.services[s][t].empty()) draft.SetOption(s, t, random.Below(model.services[s][t].size()));
    }
  }
}

TEST(DraftPlan, TakingOffWhatWasPutOnLeavesNothing) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    const double empty = draft.Value();
    RandomStream random(seed);
    PutAll(draft, random);
    EXPECT_NE(draft.Value(), empty);
    for (std::size_t j = 0; j < made.model.jobs.size(); ++j) draft.Remove(j);
    for (std::size_t s = 0; s < made.model.services.size(); ++s) {
      for (std::size_t t = 0; t < made.model.slots; ++t) draft.SetOption(s, t, kNoOption);
    }
    EXPECT_NEAR(draft.Value(), empty, 1e-9 * (1.0 + std::abs(empty)));
    for (std::size_t t = 0; t < made.model.slots; ++t) {
      for (std::size_t g = 0; g < made.model.groups.size(); ++g) EXPECT_EQ(draft.NodesOn(g, t), 0);
    }
  }
}

TEST(DraftPlan, TheOrderOfPuttingDoesNotMatter) {
  const Made made(Small(2));
  DraftPlan forward(made.model);
  DraftPlan backward(made.model);
  std::vector<Schedule> schedules;
  RandomStream random(7);
  for (const JobModel& job : made.model.jobs) schedules.push_back(AnySchedule(made.model, job, random));
  for (std::size_t j = 0; j < schedules.size(); ++j) forward.Put(j, schedules[j]);
  for (std::size_t j = schedules.size(); j-- > 0;) backward.Put(j, schedules[j]);
  EXPECT_NEAR(forward.Value(), backward.Value(), 1e-9 * std::abs(forward.Value()));
  for (std::size_t t = 0; t < made.model.slots; ++t) EXPECT_NEAR(forward.Kwh(t), backward.Kwh(t), 1e-9);
}

// The value of the draft equals the score of its plan, apart from nodes that only the placement needs.
TEST(DraftPlan, CostsNoMoreThanThePlanItBecomes) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    Improver improver(draft);
    const auto homeless = improver.Fill(
        DraftPlan::Rents(made.model.groups.size(), std::vector<double>(made.model.slots, 0.0)), [] { return false; });
    if (!homeless.empty() || !draft.Fits()) continue;
    const plan::Plan plan = ToPlan(made.scenario, draft);
    const double scored = plan::ValueOf(made.problem.weights, plan::ScoreOf(made.scenario, plan));
    EXPECT_LE(draft.Value(), scored * (1.0 + 1e-6)) << seed;
    EXPECT_GE(draft.Value(), scored * 0.9) << seed;
  }
}

// Facility energy per slot, with every node on, so that the placement has no influence.
TEST(DraftPlan, CountsEnergyAsTheScoreDoes) {
  plan::Limits limits;
  limits.right_sizing = false;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Made made(Small(seed), testing::kCarbon, limits);
    DraftPlan draft(made.model);
    RandomStream random(seed);
    PutAll(draft, random);
    const plan::Score score = plan::ScoreOf(made.scenario, ToPlan(made.scenario, draft));
    for (std::size_t t = 0; t < made.model.slots; ++t) {
      if (!draft.Fits()) break;
      EXPECT_NEAR(draft.Kwh(t), InKilowattHours(score.slots[t].facility), 1e-6 * (1.0 + draft.Kwh(t))) << seed;
    }
  }
}

TEST(DraftPlan, SmoothedPricesLieBetweenCheapAndDear) {
  const Made made(Small(5));
  DraftPlan draft(made.model);
  RandomStream random(5);
  PutAll(draft, random);
  const std::vector<double> prices = draft.EnergyPrices();
  for (const double width : {1.0, 0.3, 0.02, 0.0}) {
    draft.Smooth(prices, nullptr, width, 0.5);
    const std::vector<double> smooth = draft.EnergyPrices();
    for (std::size_t t = 0; t < made.model.slots; ++t) {
      const SlotTariff& tariff = made.model.tariffs[t];
      EXPECT_GE(smooth[t], tariff.cheap - 1e-12);
      EXPECT_LE(smooth[t], tariff.cheap + tariff.dear + 1e-12);
    }
  }
}

TEST(DraftPlan, WithoutWidthTheCostIsTheTrueOne) {
  const Made made(Small(6));
  DraftPlan draft(made.model);
  RandomStream random(6);
  PutAll(draft, random);
  const double value = draft.Value();
  draft.Smooth(draft.EnergyPrices(), nullptr, 0.5, 0.0);
  draft.Smooth(draft.EnergyPrices(), nullptr, 0.0, 1.0);
  EXPECT_NEAR(draft.Value(), value, 1e-9 * std::abs(value));
}

TEST(DraftPlan, OnlySmoothedWithRentsMayAGroupBeOverfull) {
  const Made made(Small(8));
  DraftPlan draft(made.model);
  const DraftPlan::Rents none(made.model.groups.size(), std::vector<double>(made.model.slots, 0.0));
  for (const auto& rents : draft.Shortage()) {
    for (const double rent : rents) EXPECT_EQ(rent, 0.0);
  }
  draft.Smooth(draft.EnergyPrices(), &none, 1.0, 0.0);
  Offers loose;
  Offers strict;
  const JobModel& job = made.model.jobs[0];
  for (std::size_t c = 0; c < job.choices.size(); ++c) {
    draft.OffersFor(job, job.choices[c], nullptr, loose);
    DraftPlan plain(made.model);
    plain.OffersFor(job, job.choices[c], nullptr, strict);
    for (std::size_t i = 0; i < loose.offers.size(); ++i) EXPECT_GE(loose.offers[i].full, strict.offers[i].full);
  }
}

// The value of the draft rises by the offer when its whole slot is taken, up to the kink of the slot's price.
TEST(DraftPlan, OffersCostWhatTheyAdd) {
  scenario::Shape shape = Small(9);
  shape.services = 0;
  shape.renewable_share = 0.0;  // no kink: one price for all energy of a slot
  const Made made(shape);
  DraftPlan draft(made.model);
  const JobModel& job = made.model.jobs[0];
  const Choice& choice = job.choices[0];
  Offers offers;
  draft.OffersFor(job, choice, nullptr, offers);
  const double before = draft.Value();
  for (std::size_t t = 0; t < job.slot_count; ++t) {
    for (std::size_t i = 0; i < choice.levels.size(); ++i) {
      const Offer& offer = offers.At(t, i, choice.levels.size())[1];
      if (offer.full == 0) continue;
      const SlotWindow window = WindowIn(job, t, made.model.step_s);
      const SlotPiece piece{job.first_slot + t, i, 0, window.begin, window.end, 0, 0, 1};
      const double asked = offer.fixed + offer.per_joule * JoulesOf(choice.levels[i], piece) +
                           offer.per_gpu_second * choice.levels[i].workers * (piece.end - piece.begin);
      draft.Put(0, {0, {piece}});
      EXPECT_NEAR(draft.Value() - before, asked, 1e-6 * (1.0 + std::abs(asked)));
      draft.Remove(0);
    }
  }
}

TEST(DraftPlan, OffersDoNotDependOnThoseOfTheJobBefore) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Made made(Small(seed));
    DraftPlan draft(made.model);
    RandomStream random(seed);
    PutAll(draft, random);
    for (const JobModel& job : made.model.jobs) {
      for (const Choice& choice : job.choices) {
        Offers fresh;
        draft.OffersFor(job, choice, nullptr, fresh);
        Offers used;
        used.offers.assign(fresh.offers.size(), Offer{1e9, 1e9, 1e9, 1e9, 7, 7, 7, 7, 7});
        draft.OffersFor(job, choice, nullptr, used);
        EXPECT_EQ(used.offers, fresh.offers) << seed;
      }
    }
  }
}

TEST(DraftPlan, AServiceIsGivenItsCheapestWay) {
  const Made made(Small(10));
  ASSERT_FALSE(made.model.services.empty());
  for (std::size_t t = 0; t < made.model.slots; ++t) {
    DraftPlan draft(made.model);
    ASSERT_TRUE(draft.ImproveService(0, t, nullptr));
    const double chosen = draft.Value();
    for (std::size_t k = 0; k < made.model.services[0][t].size(); ++k) {
      draft.SetOption(0, t, k);
      EXPECT_GE(draft.Value(), chosen * (1.0 - 1e-6) - 1e-9) << "slot " << t << ", way " << k;
    }
  }
}

TEST(DraftPlan, SaysWhenItIsOverfull) {
  const Made made(Small(11));
  DraftPlan draft(made.model);
  EXPECT_TRUE(draft.Fits());
  const JobModel& job = made.model.jobs[0];
  const std::size_t level = job.choices[0].levels.size() - 1;
  const int workers = job.choices[0].levels[level].workers;
  const GroupModel& group = made.model.groups[job.choices[0].group];
  const SlotPiece piece{job.first_slot, level, 0, job.first_begin, made.model.step_s, 0, 0};
  for (int i = 0; i <= group.nodes * group.gpus_per_node / workers; ++i) draft.Put(0, {0, {piece}});
  EXPECT_FALSE(draft.Fits());
}

}  // namespace
}  // namespace heliostat::decomposition
