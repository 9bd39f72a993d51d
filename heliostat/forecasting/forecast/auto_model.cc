#include "heliostat/forecasting/forecast/auto_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "heliostat/forecasting/auto_parts/refine.h"
#include "heliostat/forecasting/forecast/limits.h"
#include "heliostat/forecasting/regression/saved.h"

namespace heliostat::forecast {
namespace {

using auto_parts::CalendarModel;
using auto_parts::Frame;
using auto_parts::FrameRecipe;
using auto_parts::Member;
using auto_parts::MemberKind;

// The days of history that each kind of member needs.
constexpr double kForPattern = 4, kForRegression = 28, kForCalendar = 120;
// The version of saved models; others are refused.
constexpr std::int64_t kVersion = 1;
constexpr std::size_t kRehearsalDays = 90;
// The part of the history that a prediction uses: older days have almost no weight.
constexpr Duration kLookBack = std::chrono::days{120};

std::size_t CoarseSteps(const FrameRecipe& recipe, std::size_t steps) {
  const auto parts = static_cast<std::size_t>(recipe.step() / recipe.fine_step());
  return (steps + parts - 1) / parts;
}

std::vector<MemberKind> KindsFor(double days, const FrameRecipe& recipe) {
  if (days < kForPattern) return {};
  std::vector<MemberKind> kinds{MemberKind::kYesterday};
  kinds.push_back(MemberKind::kPattern);
  if (days >= kForRegression) kinds.push_back(MemberKind::kRecent);
  if (days >= kForCalendar) kinds.push_back(MemberKind::kCalendar);
  if (days >= kForCalendar && recipe.has_mix()) kinds.push_back(MemberKind::kMix);
  return kinds;
}

// The first row of the days on which members rehearse.
std::size_t FirstRehearsal(const Frame& frame) {
  const std::size_t days = std::min(kRehearsalDays, static_cast<std::size_t>(frame.days() / 3));
  return frame.size - days * frame.day;
}

// Limits the forecast to the range of the last months plus a margin: on the arc-sinh scale a small excess would be an
// extreme price.
void KeepInReach(const std::vector<double>& seen, std::vector<double>& forecast) {
  const auto [least, most] = std::ranges::minmax(seen);
  const double margin = 0.25 * (most - least);
  for (double& value : forecast) value = std::clamp(value, least - margin, most + margin);
}

// Repeats the newest day, or the newest value.
std::vector<double> Repeat(const Frame& frame, std::size_t steps, bool days) {
  const auto& target = frame.columns[0];
  const std::size_t period = days ? std::min(frame.day, frame.size) : 1;
  std::vector<double> values(steps);
  for (std::size_t lead = 0; lead < steps; ++lead) values[lead] = target[frame.size - period + lead % period];
  return values;
}

}  // namespace

Status AutoModel::Fit(const History& past, std::size_t steps) {
  auto recipe = FrameRecipe::Of(past.target, past.sources);
  if (!recipe) return Propagate(recipe);
  auto frame = recipe->Lay(past.target, past.sources);
  if (!frame) return Propagate(frame);
  recipe_ = std::move(*recipe);
  calendar_.reset();
  members_.clear();
  blend_.reset();
  rehearsed_ = 0;
  days_ = frame->days();
  steps_ = std::max<std::size_t>(1, CoarseSteps(*recipe_, steps));

  auto kinds = KindsFor(days_, *recipe_);
  // Regressions need rows, also in the rehearsal: origins whose whole horizon is known.
  const bool far = static_cast<double>(steps_) > 0.3 * static_cast<double>(frame->size);
  std::erase_if(kinds, [&](MemberKind kind) {
    const bool is_regression = kind >= MemberKind::kRecent;
    return is_regression && (far || !Member::CanLearn(kind, *frame, FirstRehearsal(*frame), steps_));
  });
  if (kinds.empty()) return {};
  Rehearse(*frame, steps_, kinds);
  calendar_ = CalendarModel::Fit(*frame, recipe_->calendar());
  const auto scene = LayScene(*recipe_, *frame, *calendar_, steps_);
  for (const MemberKind kind : kinds) members_.push_back(Member::Fit(kind, scene, frame->size, steps_));
  return {};
}

// Fits the members on the time before the last weeks and makes one forecast per day for these weeks, at the time of day
// of the fit.
void AutoModel::Rehearse(const Frame& frame, std::size_t steps, std::span<const MemberKind> kinds) {
  const std::size_t from = FirstRehearsal(frame);
  Frame before = frame;
  before.size = from;
  for (auto& column : before.columns) column.resize(from);
  const auto calendar = CalendarModel::Fit(before, recipe_->calendar());
  const auto scene = LayScene(*recipe_, frame, calendar, steps);
  std::vector<Member> members;
  for (const MemberKind kind : kinds) members.push_back(Member::Fit(kind, scene, from, steps));
  std::vector<auto_parts::Rehearsed> rehearsed;
  for (std::size_t origin = from; origin < frame.size; origin += frame.day) {
    auto_parts::Rehearsed one;
    for (const Member& member : members) one.by_member.push_back(member.Predict(scene, origin, steps));
    one.actual.assign(steps, signal::Missing());
    for (std::size_t lead = 0; lead < steps && origin + lead < frame.size; ++lead) {
      one.actual[lead] = frame.columns[0][origin + lead];
    }
    rehearsed.push_back(std::move(one));
  }
  rehearsed_ = rehearsed.size();
  blend_ = auto_parts::Blend::Learn(rehearsed, kinds.size(), frame.day, recipe_->space());
}

// A history that is shorter than the fitted one can be too short for the members.
bool AutoModel::CanAnswer(const Frame& frame) const {
  return !members_.empty() &&
         std::ranges::all_of(members_, [&](const Member& member) { return frame.size >= member.Needs(frame); });
}

Result<Prediction> AutoModel::Predict(const History& past, std::size_t steps) const {
  if (!recipe_) return Fail(ErrorCode::kInvalidArgument, "auto", "is not fitted", "fit or load it first");
  auto newest = Newest(past, kLookBack);
  if (!newest) return Propagate(newest);
  const auto frame = recipe_->Lay(newest->target, newest->sources);
  if (!frame) return Propagate(frame);
  // One more coarse step where possible, so that the fine values of the last step lead to it and do not depend on the
  // number of requested steps.
  const std::size_t asked = CoarseSteps(*recipe_, steps);
  const std::size_t coarse_steps = std::min(asked + 1, std::max(asked, steps_));
  Prediction prediction;
  std::vector<double> scaled;
  if (!CanAnswer(*frame)) {
    const bool has_day = frame->size >= frame->day && frame->day > 1;
    scaled = Repeat(*frame, coarse_steps, has_day);
    prediction.answered_by = has_day ? "yesterday" : "persistence";
    prediction.reason = fmt::format("{:.1f} d of history: too short for {}", frame->days(),
                                    members_.empty() ? "a daily pattern, which needs 4 d" : "what was fitted");
  } else {
    if (asked > steps_) {
      return Fail(ErrorCode::kInvalidArgument, "auto", fmt::format("was fitted for {} steps", steps_),
                  "request at most that many, or fit it again");
    }
    const auto scene = LayScene(*recipe_, *frame, *calendar_, coarse_steps);
    std::vector<std::vector<double>> by_member;
    for (const Member& member : members_) by_member.push_back(member.Predict(scene, frame->size, coarse_steps));
    scaled = blend_->Mix(by_member);
    KeepInReach(frame->columns[0], scaled);
    prediction.answered_by = "auto";
    prediction.reason = Reason();
  }
  const auto parts = static_cast<std::size_t>(recipe_->step() / recipe_->fine_step());
  if (parts > 1) {
    // Without a newest value there is no value to start from.
    std::optional<double> last_fine;
    const double last_value = past.target.series.values().back();
    if (!signal::IsMissing(last_value)) last_fine = recipe_->space().To(last_value);
    scaled = auto_parts::Refine(scaled, parts, frame->columns[0].back(), last_fine);
  }
  scaled.resize(steps);
  for (const double value : scaled) prediction.values.push_back(recipe_->space().From(value));
  Clamp(prediction.values, LimitsOf(past, steps));
  return prediction;
}

std::string AutoModel::Reason() const {
  std::string parts;
  for (std::size_t m = 0; m < members_.size(); ++m) {
    parts += fmt::format("{}{} {:.0f} %", m > 0 ? ", " : "", NameOf(members_[m].kind()), 100 * blend_->WeightsOf(0)[m]);
  }
  return fmt::format("{:.{}f} d of history: first day by {}; weights from {} past forecasts{}", days_,
                     days_ < 10 ? 1 : 0, parts, rehearsed_, Shortfall());
}

// What a longer history would add.
std::string AutoModel::Shortfall() const {
  if (days_ < kForRegression) return fmt::format("; regressions need {} d", kForRegression);
  if (members_.back().kind() < MemberKind::kRecent) return "; too short for regressions at this horizon";
  if (days_ < kForCalendar) return fmt::format("; calendar and mix need {} d", kForCalendar);
  const std::string mix = "; mix: " + recipe_->about_mix();
  return calendar_->has_seasons() ? mix : mix + "; seasons need 300 d";
}

io::Json AutoModel::Save() const {
  io::Json saved = regression::SaveModel("auto");
  saved.Set("version", kVersion).Set("days", days_).Set("rehearsed", rehearsed_).Set("steps", steps_);
  if (!recipe_) return saved;
  saved.Set("recipe", recipe_->Save());
  if (members_.empty()) return saved;
  saved.Set("calendar", calendar_->Save()).Set("blend", blend_->Save());
  io::Json members{io::Json::Array{}};
  for (const Member& member : members_) members.Append(member.Save());
  saved.Set("members", std::move(members));
  return saved;
}

Status AutoModel::Load(const io::Json& saved) {
  if (const auto is_ours = regression::ExpectModel(saved, "auto"); !is_ours) return Propagate(is_ours);
  const auto version = regression::LoadInteger(saved, "version");
  if (!version) return Propagate(version);
  if (*version != kVersion) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), fmt::format("has version {}", *version),
                fmt::format("must be version {}; fit it again", kVersion));
  }
  AutoModel loaded;
  const auto recipe = saved.Get("recipe");
  if (!recipe) return Propagate(recipe);
  auto made = FrameRecipe::Load(**recipe);
  if (!made) return Propagate(made);
  loaded.recipe_ = std::move(*made);
  const auto days = regression::LoadNumber(saved, "days");
  const auto rehearsed = regression::LoadInteger(saved, "rehearsed");
  const auto steps = regression::LoadInteger(saved, "steps");
  if (!days) return Propagate(days);
  if (!rehearsed) return Propagate(rehearsed);
  if (!steps) return Propagate(steps);
  loaded.days_ = *days;
  loaded.rehearsed_ = static_cast<std::size_t>(std::max<std::int64_t>(0, *rehearsed));
  loaded.steps_ = static_cast<std::size_t>(std::max<std::int64_t>(0, *steps));
  if (saved.Find("members") != nullptr) {
    if (const auto status = loaded.LoadMembers(saved); !status) return Propagate(status);
  }
  *this = std::move(loaded);
  return {};
}

Status AutoModel::LoadMembers(const io::Json& saved) {
  const auto calendar = saved.Get("calendar");
  if (!calendar) return Propagate(calendar);
  auto calendar_model = CalendarModel::Load(**calendar);
  if (!calendar_model) return Propagate(calendar_model);
  const auto blend = saved.Get("blend");
  if (!blend) return Propagate(blend);
  auto made_blend = auto_parts::Blend::Load(**blend);
  if (!made_blend) return Propagate(made_blend);
  const auto members = saved.Get("members");
  if (!members) return Propagate(members);
  const auto elements = (*members)->Elements();
  if (!elements) return Propagate(elements);
  for (const io::Json& element : **elements) {
    auto member = Member::Load(element);
    if (!member) return Propagate(member);
    members_.push_back(std::move(*member));
  }
  const bool all_suit = std::ranges::all_of(
      members_, [&](const Member& member) { return member.Suits(*recipe_, calendar_model->has_seasons(), steps_); });
  const bool is_whole = !members_.empty() && members_.size() == made_blend->WeightsOf(0).size() &&
                        calendar_model->columns() == 1 + recipe_->signs() + recipe_->powers();
  if (!all_suit || !is_whole) {
    return Fail(ErrorCode::kInvalidArgument, saved.where(), "has parts that do not match",
                "must be a model that this program saved");
  }
  calendar_ = std::move(*calendar_model);
  blend_ = std::move(*made_blend);
  return {};
}

}  // namespace heliostat::forecast
