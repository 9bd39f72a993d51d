#include "heliostat/forecasting/auto_parts/calendar_model.h"

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <numbers>

#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::auto_parts {
namespace {

constexpr std::size_t kShape = 9;              // a constant and four harmonics of the day
constexpr std::size_t kSeasonal = 3 * kShape;  // each constant and times sine and cosine of the year
constexpr std::size_t kWeekend = 5, kSunday = 3, kMonday = 3;
constexpr std::size_t kTerms = kSeasonal + kWeekend + kSunday + kMonday;
constexpr double kPenalty = 20;  // as a number of rows
constexpr double kDaysForSeasons = 300;
constexpr Duration kDayBegins = std::chrono::hours{6};

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The degree to which a time belongs to each kind of day, 0 to 1.
struct DayKind {
  double weekend = 0, sunday = 0, monday = 0;
};

DayKind KindOf(const ZoneCalendar::Day& day) {
  const bool sunday = day.weekday == 6 || day.holiday;
  return {sunday || day.weekday == 5 ? 1.0 : 0.0, sunday ? 1.0 : 0.0, day.weekday == 0 && !day.holiday ? 1.0 : 0.0};
}

// The kind of day at `count` steps from `first` on. Demand does not change at midnight: a day begins gradually over its
// first hours.
std::vector<DayKind> KindsOf(const Frame& frame, const ZoneCalendar& calendar, std::size_t first, std::size_t count) {
  const auto over = static_cast<std::size_t>(kDayBegins / frame.step) + 1;
  std::vector<DayKind> sharp;
  for (std::size_t i = 0; i + 1 < count + over; ++i) {
    const Instant t =
        frame.TimeOf(first) + frame.step * (static_cast<std::int64_t>(i) - static_cast<std::int64_t>(over) + 1);
    sharp.push_back(KindOf(calendar.At(t)));
  }
  std::vector<DayKind> kinds(count);
  const double part = 1 / static_cast<double>(over);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = i; k < i + over; ++k) {
      kinds[i].weekend += part * sharp[k].weekend;
      kinds[i].sunday += part * sharp[k].sunday;
      kinds[i].monday += part * sharp[k].monday;
    }
  }
  return kinds;
}

void FillTerms(Instant t, const DayKind& day, bool has_seasons, std::span<double> terms) {
  constexpr double kTurn = 2 * std::numbers::pi;
  const double seconds = static_cast<double>(t.time_since_epoch().count());
  const double of_day = kTurn * std::fmod(seconds, 86400.0) / 86400.0;
  const double of_year = kTurn * std::fmod(seconds, 365.2425 * 86400.0) / (365.2425 * 86400.0);
  std::array<double, kShape> shape{1};
  for (std::size_t k = 1; k <= 4; ++k) {
    shape[2 * k - 1] = std::sin(static_cast<double>(k) * of_day);
    shape[2 * k] = std::cos(static_cast<double>(k) * of_day);
  }
  const double sine = has_seasons ? std::sin(of_year) : 0;
  const double cosine = has_seasons ? std::cos(of_year) : 0;
  for (std::size_t i = 0; i < kShape; ++i) {
    terms[i] = shape[i];
    terms[kShape + i] = shape[i] * sine;
    terms[2 * kShape + i] = shape[i] * cosine;
  }
  for (std::size_t i = 0; i < kWeekend; ++i) terms[kSeasonal + i] = day.weekend * shape[i];
  for (std::size_t i = 0; i < kSunday; ++i) {
    terms[kSeasonal + kWeekend + i] = day.sunday * shape[i];
    terms[kSeasonal + kWeekend + kSunday + i] = day.monday * shape[i];
  }
}

RowMajor TermsOf(const Frame& frame, const ZoneCalendar& calendar, std::size_t first, std::size_t count,
                 bool has_seasons) {
  RowMajor terms(static_cast<Eigen::Index>(count), static_cast<Eigen::Index>(kTerms));
  const auto kinds = KindsOf(frame, calendar, first, count);
  for (std::size_t i = 0; i < count; ++i) {
    FillTerms(frame.TimeOf(first + i), kinds[i], has_seasons, {terms.data() + i * kTerms, kTerms});
  }
  return terms;
}

}  // namespace

CalendarModel CalendarModel::Fit(const Frame& frame, const ZoneCalendar& calendar) {
  CalendarModel model;
  model.has_seasons_ = frame.days() >= kDaysForSeasons;
  const RowMajor terms = TermsOf(frame, calendar, 0, frame.size, model.has_seasons_);
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(kTerms, kTerms);
  gram.selfadjointView<Eigen::Lower>().rankUpdate(terms.transpose());
  gram.diagonal().array() += kPenalty;
  gram(0, 0) -= kPenalty;  // the constant is not shrunk
  const Eigen::LLT<Eigen::MatrixXd> solver(gram);
  model.weights_ = regression::Matrix::Zeros(kTerms, frame.columns.size());
  Eigen::Map<RowMajor> weights(model.weights_.values.data(), kTerms, static_cast<Eigen::Index>(frame.columns.size()));
  for (std::size_t c = 0; c < frame.columns.size(); ++c) {
    const Eigen::Map<const Eigen::VectorXd> values(frame.columns[c].data(), static_cast<Eigen::Index>(frame.size));
    weights.col(static_cast<Eigen::Index>(c)) = solver.solve(terms.transpose() * values);
  }
  return model;
}

regression::Matrix CalendarModel::Evaluate(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                                           std::size_t count, std::size_t from_term) const {
  const RowMajor terms = TermsOf(frame, calendar, first, count, has_seasons_);
  const Eigen::Map<const RowMajor> weights(weights_.values.data(), kTerms, static_cast<Eigen::Index>(weights_.columns));
  regression::Matrix expected = regression::Matrix::Zeros(count, weights_.columns);
  Eigen::Map<RowMajor> view(expected.values.data(), static_cast<Eigen::Index>(count),
                            static_cast<Eigen::Index>(weights_.columns));
  const auto used = static_cast<Eigen::Index>(kTerms - from_term);
  view = terms.rightCols(used) * weights.bottomRows(used);
  return expected;
}

regression::Matrix CalendarModel::Expected(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                                           std::size_t count) const {
  return Evaluate(frame, calendar, first, count, 0);
}

regression::Matrix CalendarModel::DayEffects(const Frame& frame, const ZoneCalendar& calendar, std::size_t first,
                                             std::size_t count) const {
  return Evaluate(frame, calendar, first, count, kSeasonal);
}

io::Json CalendarModel::Save() const {
  io::Json saved;
  saved.Set("has_seasons", has_seasons_).Set("weights", regression::SaveNumbers(weights_.values));
  return saved;
}

Result<CalendarModel> CalendarModel::Load(const io::Json& saved) {
  const auto seasons = regression::LoadBoolean(saved, "has_seasons");
  if (!seasons) return Propagate(seasons);
  auto weights = regression::LoadNumbers(saved, "weights");
  if (!weights) return Propagate(weights);
  if (weights->empty() || weights->size() % kTerms != 0) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has a wrong number of weights",
                "must be a model that this program saved");
  }
  CalendarModel model;
  model.has_seasons_ = *seasons;
  model.weights_ = {kTerms, weights->size() / kTerms, std::move(*weights)};
  return model;
}

}  // namespace heliostat::auto_parts
