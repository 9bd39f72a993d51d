#include "heliostat/signals/store/signal_store.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>

#include "heliostat/signals/store/enum_words.h"
#include "heliostat/signals/store/testing/store_folder.h"

namespace heliostat::store {
namespace {

using namespace std::chrono_literals;
using signal::Missing;
using signal::StepSeries;

// Any series: 1 to 60 values of any finite size, about one in four missing.
rc::Gen<StepSeries> AnySeries(int longest_step, int latest_start) {
  const auto value =
      rc::gen::weightedOneOf<double>({{1, rc::gen::map(rc::gen::just(0), [](int) { return Missing(); })},
                                      {3, rc::gen::map(rc::gen::arbitrary<std::int64_t>(),
                                                       [](std::int64_t v) { return static_cast<double>(v) / 7; })}});
  // At full size, because rapidcheck narrows ranges in small containers to their low end.
  const auto up_to = [](int first, int last) {
    return rc::gen::resize(rc::kNominalSize, rc::gen::inRange(first, last + 1));
  };
  const auto values = rc::gen::resize(60, rc::gen::nonEmpty(rc::gen::container<std::vector<double>>(value)));
  return rc::gen::map(rc::gen::tuple(up_to(1, longest_step), up_to(0, latest_start), values),
                      [](const std::tuple<int, int, std::vector<double>>& raw) {
                        return Steps(kMidnight + Duration{std::get<1>(raw)}, Duration{std::get<0>(raw)},
                                     std::get<2>(raw));
                      });
}

class SignalStoreTest : public StoreTest {};

TEST_F(SignalStoreTest, GivesBackAnySeries) {
  auto store = OpenStore();
  int count = 0;
  EXPECT_TRUE(rc::check([&] {
    const StepSeries series = *AnySeries(86400, 100000);
    const auto answer = Measured(series, std::to_string(++count));
    RC_ASSERT(store.PutMeasured("test", answer).has_value());
    const auto read = *store.ReadMeasured(KeyOf("test", answer.signal), series.span());
    RC_ASSERT(read.has_value() == (series.missing() < series.size()));
    if (read) RC_ASSERT(AreSame(read->series, series));
  }));
}

// Last-wins, compared with a table of single seconds: for any steps of the fetches, each second has the value of the
// last fetch that had one.
TEST_F(SignalStoreTest, TheLastKnownValueWinsAtEverySecondWhateverTheSteps) {
  auto store = OpenStore();
  int count = 0;
  EXPECT_TRUE(rc::check([&] {
    const std::string name = std::to_string(++count);
    const auto fetches =
        *rc::gen::resize(5, rc::gen::nonEmpty(rc::gen::container<std::vector<StepSeries>>(AnySeries(7, 40))));
    std::map<Instant, double> expected;
    for (const StepSeries& series : fetches) {
      RC_ASSERT(store.PutMeasured("test", Measured(series, name)).has_value());
      for (Instant t = series.start(); t < series.end(); t += 1s) {
        if (const auto value = series.At(t)) expected[t] = *value;
      }
    }
    const Interval all{kMidnight - 10s, kMidnight + 500s};
    const auto read = *store.ReadMeasured(KeyOf("test", Measured(fetches[0], name).signal), all);
    RC_ASSERT(read.has_value() == !expected.empty());
    if (!read) return;
    RC_ASSERT(read->series.span().Contains(all));
    for (Instant t = all.begin; t < all.end; t += 1s) {
      const auto value = read->series.At(t);
      RC_ASSERT(value.has_value() == expected.contains(t));
      if (value) RC_ASSERT(*value == expected[t]);
    }
  }));
  EXPECT_TRUE(store.CheckIntegrity());
}

TEST_F(SignalStoreTest, AReadIsWidenedToWholeStepsAndItsGapsAreMissing) {
  auto store = OpenStore();
  const auto answer = Measured(Steps(kMidnight, 1h, {1, Missing(), 3}));
  ASSERT_TRUE(store.PutMeasured("test", answer));
  const SignalKey key = KeyOf("test", answer.signal);
  const auto read = *store.ReadMeasured(key, {kMidnight + 30min, kMidnight + 4h + 1s});
  ASSERT_TRUE(read);
  EXPECT_TRUE(AreSame(read->series, Steps(kMidnight, 1h, {1, Missing(), 3, Missing(), Missing()})));
  EXPECT_FALSE(*store.ReadMeasured(key, {kMidnight + 1h, kMidnight + 2h}));
  EXPECT_FALSE(*store.ReadMeasured(key, {kMidnight - 1h, kMidnight}));
  EXPECT_FALSE(store.ReadMeasured(key, {kMidnight, kMidnight}));
  EXPECT_FALSE(store.ReadMeasured(key, {Instant::min(), Instant::max()}));
}

TEST_F(SignalStoreTest, KeepsTheMeaningOfTheLastFetch) {
  auto store = OpenStore();
  auto answer = Measured(Steps(kMidnight, 1h, {1, 2}));
  ASSERT_TRUE(store.PutMeasured("test", answer));
  answer.signal.meaning.kind = signal::Kind::kPrice;
  answer.signal.meaning.unit = signal::Unit::kPerMwh;
  answer.signal.meaning.currency = Currency::Eur();
  answer.signal.meaning.nature = signal::Nature::kTariff;
  answer.signal.meaning.notes = {"first\nnote", "", "third"};
  ASSERT_TRUE(store.PutMeasured("test", answer));
  const auto read = *store.ReadMeasured(KeyOf("test", answer.signal), answer.signal.series.span());
  ASSERT_TRUE(read);
  EXPECT_EQ(KeyOf("test", *read), KeyOf("test", answer.signal));
  EXPECT_EQ(read->meaning.source, "provider:test");
  EXPECT_EQ(read->meaning.time_base, "Europe/London");
  EXPECT_EQ(read->meaning.nature, signal::Nature::kTariff);
  EXPECT_EQ(read->meaning.notes, answer.signal.meaning.notes);
  EXPECT_FALSE(read->meaning.lead);
}

// Each part of the key alone separates series.
TEST_F(SignalStoreTest, NeverMixesWhatDiffersInMeaning) {
  auto store = OpenStore();
  const auto base = Measured(Steps(kMidnight, 1h, {0}));
  std::vector<provider::CheckedAnswer> answers(8, base);
  answers[1].signal.meaning.zone = "FR";
  answers[2].signal.meaning.kind = signal::Kind::kOther;
  answers[3].signal.meaning.basis = signal::Basis::kDirect;
  answers[4].signal.meaning.scope = signal::Scope::kMarginal;
  answers[5].signal.meaning.unit = signal::Unit::kNone;
  answers[6].signal.meaning.currency = Currency::Usd();
  answers[7].signal.name = "other";
  for (std::size_t i = 0; i < answers.size(); ++i) {
    answers[i].signal.series = Steps(kMidnight, 1h, {static_cast<double>(i)});
    ASSERT_TRUE(store.PutMeasured("test", answers[i]));
  }
  ASSERT_TRUE(store.PutMeasured("another", Measured(Steps(kMidnight, 1h, {99}))));
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto read = *store.ReadMeasured(KeyOf("test", answers[i].signal), answers[i].signal.series.span());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->series.values()[0], static_cast<double>(i));
  }
  EXPECT_EQ(store.List()->size(), answers.size() + 1);
}

TEST_F(SignalStoreTest, ForecastsNeverComeBackAsMeasurements) {
  auto store = OpenStore();
  const auto forecast = Issued(kMidnight, Steps(kMidnight, 1h, {1, 2, 3}));
  const SignalKey key = KeyOf("test", forecast.answer.signal);
  ASSERT_TRUE(store.PutForecast("test", forecast));
  const Interval span = forecast.answer.signal.series.span();
  EXPECT_FALSE(*store.ReadMeasured(key, span));
  EXPECT_FALSE(*store.NewestBefore(key, kMidnight + 10h));
  EXPECT_TRUE(store.MeasuredKeys("test", "GB", key.kind)->empty());
  EXPECT_EQ(*store.FirstUnasked(key, span), kMidnight);
  EXPECT_FALSE(store.PutMeasured("test", forecast.answer));
  EXPECT_FALSE(store.PutForecast("test", {Measured(Steps(kMidnight, 1h, {1})), kMidnight}));
  ASSERT_TRUE(store.PutMeasured("test", Measured(Steps(kMidnight, 1h, {7}))));
  EXPECT_TRUE(AreSame((*store.ReadMeasured(key, span))->series, Steps(kMidnight, 1h, {7, Missing(), Missing()})));
  EXPECT_EQ((*store.ReadMeasured(key, span))->meaning.nature, signal::Nature::kMeasured);
  const auto list = *store.List();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[1].role, SampleRole::kForecast);
  EXPECT_EQ(list[1].known, 3U) << "nor does a measurement change the forecast";
}

TEST_F(SignalStoreTest, KeepsEveryIssueOfAForecast) {
  auto store = OpenStore();
  for (int i = 0; i < 5; ++i) {
    const double value = i;
    ASSERT_TRUE(store.PutForecast("test", Issued(kMidnight + i * 1h, Steps(kMidnight + 6h, 1h, {value, value}))));
  }
  const SignalKey key = KeyOf("test", Measured(Steps(kMidnight, 1h, {0})).signal);
  const auto fetches = *store.Fetches(key);
  ASSERT_EQ(fetches.size(), 5U);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(fetches[static_cast<std::size_t>(i)].issued, kMidnight + i * 1h);
    EXPECT_EQ(fetches[static_cast<std::size_t>(i)].known, 2U);
  }
  EXPECT_EQ(store.List()->front().runs, 5U);
  EXPECT_EQ(store.List()->front().known, 10U);
}

TEST_F(SignalStoreTest, TellsWhereEverythingCameFrom) {
  auto store = OpenStore();
  const auto first = Measured(Steps(kMidnight, 1h, {1, Missing(), 3}));
  auto second = Measured(Steps(kMidnight + 2h, 1h, {30, 40}));
  second.origin = "https://example.org/b";
  const SignalKey key = KeyOf("test", first.signal);
  const auto first_id = store.PutMeasured("test", first);
  const auto second_id = store.PutMeasured("test", second);
  const auto fetches = *store.Fetches(key);
  ASSERT_EQ(fetches.size(), 2U);
  EXPECT_EQ(fetches[0].id, *first_id);
  EXPECT_EQ(fetches[0].known, 2U);
  EXPECT_EQ(fetches[0].span, first.signal.series.span());
  EXPECT_EQ(fetches[0].fetched, first.fetched);
  EXPECT_EQ(fetches[0].origin, first.origin);
  EXPECT_EQ(fetches[1].origin, "https://example.org/b");
  EXPECT_EQ((*store.NewestBefore(key, kMidnight + 1h))->fetch, *first_id);
  EXPECT_EQ((*store.NewestBefore(key, kMidnight + 9h))->fetch, *second_id);
}

TEST_F(SignalStoreTest, ListsWhatIsThere) {
  auto store = OpenStore();
  EXPECT_TRUE(store.List()->empty());
  const auto measured = Measured(Steps(kMidnight, 1h, {1, Missing(), Missing(), 4}));
  ASSERT_TRUE(store.PutMeasured("test", measured));
  ASSERT_TRUE(store.PutForecast("test", Issued(kMidnight, Steps(kMidnight, 1h, {1, 2}))));
  ASSERT_TRUE(store.PutForecast("test", Issued(kMidnight + 1h, Steps(kMidnight + 1h, 1h, {1, Missing(), 3}))));
  const auto list = *store.List();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].role, SampleRole::kMeasured);
  EXPECT_EQ(list[0].key, KeyOf("test", measured.signal));
  EXPECT_EQ(list[0].span, (Interval{kMidnight, kMidnight + 4h}));
  EXPECT_EQ(list[0].known, 2U);
  EXPECT_EQ(list[0].missing, 2U);
  EXPECT_EQ(list[0].last_fetched, measured.fetched);
  EXPECT_EQ(list[1].role, SampleRole::kForecast);
  EXPECT_EQ(list[1].runs, 2U);
  EXPECT_EQ(list[1].known, 4U);
  EXPECT_EQ(list[1].missing, 1U);
  EXPECT_EQ(list[1].span, (Interval{kMidnight, kMidnight + 4h}));
}

TEST_F(SignalStoreTest, ForgetsWhatIsOldAndNothingElse) {
  auto store = OpenStore();
  const auto measured = Measured(Steps(kMidnight, 1h, {1, 2, 3, 4}));
  const SignalKey key = KeyOf("test", measured.signal);
  ASSERT_TRUE(store.PutMeasured("test", measured));
  ASSERT_TRUE(store.PutMeasured("test", Measured(Steps(kMidnight, 1h, {1}))));
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(store.PutForecast("test", Issued(kMidnight + i * 1h, Steps(kMidnight, 1h, {9, 9}))));
  }
  const auto pruned = store.Prune(kMidnight + 2h);
  ASSERT_TRUE(pruned) << pruned.error().Line();
  EXPECT_EQ(pruned->values, 2U + 4U);
  EXPECT_EQ(pruned->runs, 2U);
  EXPECT_EQ(pruned->fetches, 1U + 2U);
  const auto read = *store.ReadMeasured(key, {kMidnight, kMidnight + 4h});
  EXPECT_TRUE(AreSame(read->series, Steps(kMidnight, 1h, {Missing(), Missing(), 3, 4})));
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight, kMidnight + 4h}), kMidnight);
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight + 2h, kMidnight + 4h}), kMidnight + 4h);
  const auto fetches = *store.Fetches(key);
  for (const Fetch& fetch : fetches) {
    EXPECT_GE(fetch.issued.value_or(kMidnight + 2h), kMidnight + 2h);
  }
  ASSERT_TRUE(store.Prune(kMidnight + 100h));
  EXPECT_TRUE(store.List()->empty());
  EXPECT_TRUE(store.Fetches(key)->empty());
  EXPECT_TRUE(store.CheckIntegrity());
}

TEST_F(SignalStoreTest, KnowsWhatWasNeverAskedFor) {
  auto store = OpenStore();
  const SignalKey key = KeyOf("test", Measured(Steps(kMidnight, 1h, {1})).signal);
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight, kMidnight + 9h}), kMidnight);
  // Missing values inside an answer count as requested.
  ASSERT_TRUE(store.PutMeasured("test", Measured(Steps(kMidnight + 3h, 1h, {1, Missing()}))));
  ASSERT_TRUE(store.PutMeasured("test", Measured(Steps(kMidnight, 1h, {Missing(), 2, 3, 4}))));
  ASSERT_TRUE(store.PutMeasured("test", Measured(Steps(kMidnight + 6h, 1h, {1}))));
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight, kMidnight + 9h}), kMidnight + 5h);
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight + 1h, kMidnight + 4h}), kMidnight + 4h);
  EXPECT_EQ(*store.FirstUnasked(key, {kMidnight + 6h, kMidnight + 9h}), kMidnight + 7h);
}

TEST_F(SignalStoreTest, ReadsAYearOfFiveMinutesInWellUnderASecond) {
  auto store = OpenStore();
  std::vector<double> values;
  for (int i = 0; i < 365 * 288; ++i) values.push_back(200 + 0.37 * (i % 1009));
  const auto answer = Measured(Steps(kMidnight, 5min, values));
  ASSERT_TRUE(store.PutMeasured("test", answer));
  const auto start = std::chrono::steady_clock::now();
  const auto read = *store.ReadMeasured(KeyOf("test", answer.signal), answer.signal.series.span());
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_TRUE(AreSame(read->series, answer.signal.series));
  RecordProperty("milliseconds", static_cast<int>(took / 1ms));
  EXPECT_LT(took, 1s);  // about 20 ms in a release build; the limit allows for sanitizers and busy machines
}

template <typename Enumeration>
void ExpectEveryWordReadsBack(int count) {
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<Enumeration>(i);
    EXPECT_EQ(FromWord<Enumeration>(WordOf(value)), value);
  }
  EXPECT_FALSE(FromWord<Enumeration>("nonsense"));
}

TEST(WordsTest, EveryWordReadsBack) {
  ExpectEveryWordReadsBack<signal::Kind>(6);
  ExpectEveryWordReadsBack<signal::Nature>(6);
  ExpectEveryWordReadsBack<signal::Basis>(3);
  ExpectEveryWordReadsBack<signal::Scope>(3);
  ExpectEveryWordReadsBack<signal::Unit>(9);
}

}  // namespace
}  // namespace heliostat::store
