#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "heliostat/forecasting/forecast/ready_model.h"
#include "heliostat/forecasting/forecast/start_time.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/flags.h"
#include "heliostat/ui/cli/forecast_history.h"
#include "heliostat/ui/cli/progress_bar.h"
#include "heliostat/ui/cli/when_signal.h"
#include "heliostat/ui/report/html.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {
namespace {

using forecast::StartAdvice;
using forecast::StartOption;
using forecast::StartQuestion;

constexpr std::size_t kChartWidth = 72;

struct Arguments {
  WhenSignalArguments signal;
  std::string duration;
  std::string within = "24h";
  std::string model = "auto";
  std::string backtest;
  std::optional<double> power_w;
};

constexpr const char* kAbout =
    R"(Says when to start a job of known length so that it ends in time and emits, or costs, the least, and what that saves
against starting now. The same question is asked of the past two months: the saving is what such advice had, and nine of
ten times it was in the range. When the forecast shows a saving of less than 1 %, the advice is to start now.

--backtest asks the same question every 7 hours of the last days of the file, with only earlier values, and prints what the
advice would have saved, what perfect knowledge would have saved, and how often the range was right.

Examples:
  heliostat when --duration 6h --within 24h --zone duck-curve
  heliostat when --duration 6h --within 24h --zone GB --provider neso --power-w 5000
  heliostat when --duration 90m --within 12h --price prices.csv --power-w 700
  heliostat when --duration 6h --within 24h --carbon DE_lifecycle_emissions.csv --backtest 90d)";

constexpr FieldFlag kFlags[] = {{"duration", "--duration"}, {"within", "--within"}, {"provider", "--provider"}};

// A question, its signal and the answer.
struct Asked {
  StartQuestion question;
  WhenSignal signal;
  forecast::SignalAhead ahead;
  StartAdvice advice;
  std::string model;  // that made the forecast; empty: all values are known
};

Result<StartQuestion> QuestionOf(const Arguments& arguments) {
  if (arguments.duration.empty())
    return Fail(ErrorCode::kInvalidArgument, "--duration", "is missing", "the length of the job, such as 6h");
  const auto duration = ParseDuration(arguments.duration, "--duration");
  if (!duration) return Propagate(duration);
  const auto within = ParseDuration(arguments.within, "--within");
  if (!within) return Propagate(within);
  if (*within > kLongestHorizon) {
    return Fail(ErrorCode::kInvalidArgument, "--within", FormatDuration(*within) + " is too long",
                "at most " + FormatDuration(kLongestHorizon));
  }
  if (*duration > *within) {
    return Fail(ErrorCode::kInvalidArgument, "--duration",
                fmt::format("{} does not fit into --within {}", FormatDuration(*duration), FormatDuration(*within)),
                "at most --within");
  }
  return StartQuestion{*duration, *within};
}

Duration InSteps(Duration time, Duration step) { return (time + step - Duration{1}) / step * step; }

// The known values from now on, and after them the forecast.
Status LookAhead(const Arguments& arguments, Asked& asked) {
  const forecast::History& known = asked.signal.known;
  const signal::StepSeries& series = known.target.series;
  const Duration step = known.step();
  asked.ahead.step = step;
  asked.ahead.begin = std::min(known.end(), series.start() + (asked.signal.now - series.start()) / step * step);
  std::vector<double> values;
  for (Instant t = asked.ahead.begin; t < known.end(); t += step) {
    values.push_back(series.values()[static_cast<std::size_t>((t - series.start()) / step)]);
  }
  const Instant until = asked.signal.now + asked.question.within;
  asked.ahead.expected = values;
  if (until <= known.end()) return {};
  const auto steps = static_cast<std::size_t>((until - known.end() + step - Duration{1}) / step);
  if (step * static_cast<std::int64_t>(steps) > 2 * kLongestHorizon) {
    return Fail(ErrorCode::kInvalidArgument, asked.signal.name,
                fmt::format("ends {}, long before --within ends", FormatInstant(known.end())),
                "newer values are needed");
  }
  const auto ready =
      forecast::ReadyModel::Make(arguments.model, known, steps, std::nullopt, InSteps(forecast::kStartsEvery, step));
  if (!ready) return Propagate(ready);
  const auto answer = ready->Ask(known, steps);
  if (!answer) return Propagate(answer);
  const auto& forecast = answer->prediction.values;
  asked.ahead.expected.insert(asked.ahead.expected.end(), forecast.begin(), forecast.end());
  asked.ahead.past = forecast::PastForecasts(ready->record(), series, values.size(), steps);
  asked.ahead.scale = ready->record().scale();
  asked.model = answer->prediction.answered_by.empty() ? arguments.model : answer->prediction.answered_by;
  return {};
}

// What the numbers mean, for texts.
struct Quantity {
  std::string unit;       // of the signal
  std::string_view noun;  // "carbon", "cost"
  bool is_price = false;
  // Kilograms or currency for a value of the signal while the job runs; absent without --power-w.
  std::optional<double> per_value;
  std::string amount_unit;  // "kg", "EUR"

  std::string Amount(double value) const {
    return fmt::format("{:.3g} {}", value * per_value.value_or(0.0), amount_unit);
  }
};

Quantity QuantityOf(const Arguments& arguments, const StartQuestion& question, const signal::Meaning& meaning) {
  Quantity quantity{UnitText(meaning), "carbon", meaning.kind == signal::Kind::kPrice, std::nullopt, "kg"};
  if (quantity.is_price) {
    quantity.noun = "cost";
    quantity.amount_unit = meaning.currency ? std::string(meaning.currency->code()) : "of the currency";
  }
  if (!arguments.power_w) return quantity;
  const double kwh = *arguments.power_w / 1e3 * Seconds(question.duration).count() / 3600.0;
  const double factor = signal::ToCanonical(meaning.kind, meaning.unit).factor;
  quantity.per_value = kwh * factor * (quantity.is_price ? 1.0 : 1e-3);
  return quantity;
}

// "22 % (10 to 31 %)" of starting now, or in the unit of the signal where a share says nothing.
std::string SavingText(const StartOption& option, const StartAdvice& advice, const Quantity& quantity) {
  if (advice.now.mean <= 0.0) {
    return fmt::format("{:.3g} {} ({:.3g} to {:.3g})", option.saving, quantity.unit, option.saving_low,
                       option.saving_high);
  }
  const double percent = 100.0 / advice.now.mean;
  return fmt::format("{:.1f} % ({:.1f} to {:.1f} %)", option.saving * percent, option.saving_low * percent,
                     option.saving_high * percent);
}

// The signal as one line of blocks, and the advised time marked below it.
std::string Chart(const Asked& asked) {
  const auto& values = asked.ahead.expected;
  const std::size_t width = std::min(kChartWidth, values.size());
  const auto line = report::Sparkline(values, width, report::IsUtf8Terminal());
  if (!line) return "";
  const Instant start = asked.advice.waits ? asked.advice.best[0].start : asked.signal.now;
  std::string marks;
  for (std::size_t column = 0; column < width; ++column) {
    const auto at = [&](std::size_t c) {
      return asked.ahead.begin + Duration{(asked.ahead.end() - asked.ahead.begin).count() *
                                          static_cast<std::int64_t>(c) / static_cast<std::int64_t>(width)};
    };
    const Interval here{at(column), at(column + 1)};
    marks += here.Intersect({start, start + asked.question.duration}).empty() ? ' ' : '^';
  }
  while (!marks.empty() && marks.back() == ' ') marks.pop_back();
  return fmt::format("  {}  {} to {}\n  {}\n", *line, FormatInstant(asked.ahead.begin),
                     FormatInstant(asked.ahead.end()), marks);
}

std::string Table(const Asked& asked, const Quantity& quantity) {
  report::HtmlTable table{.header = {"start", "wait", "mean " + quantity.unit, "saving (90 % range)", "chance"},
                          .rows = {},
                          .text_columns = 1};
  if (quantity.per_value) table.header.emplace_back(quantity.noun);
  const auto add = [&](const StartOption& option, bool is_now) {
    table.rows.push_back(
        {FormatInstant(option.start),
         is_now ? "now" : fmt::format("{:.1f} h", Seconds(option.start - asked.signal.now).count() / 3600.0),
         fmt::format("{:.4g}", option.mean), is_now ? "" : SavingText(option, asked.advice, quantity),
         is_now ? "" : fmt::format("{:.0f} %", 100.0 * option.chance)});
    if (quantity.per_value) table.rows.back().push_back(quantity.Amount(option.mean));
  };
  add(asked.advice.now, true);
  for (const StartOption& option : asked.advice.best) add(option, false);
  return report::TextOf(table);
}

std::string Headline(const Asked& asked, const Quantity& quantity) {
  const StartAdvice& advice = asked.advice;
  if (!advice.waits) {
    return fmt::format("start now: waiting saves less than {:.0f} % of {}\n", 100.0 * forecast::kLeastSaving,
                       quantity.noun);
  }
  const StartOption& best = advice.best[0];
  std::string text = fmt::format("start at {}, in {:.1f} h: saves {} of {} against starting now",
                                 FormatInstant(best.start), Seconds(best.start - asked.signal.now).count() / 3600.0,
                                 SavingText(best, advice, quantity), quantity.noun);
  if (quantity.per_value) {
    text += fmt::format(": {} ({} to {})", quantity.Amount(best.saving), quantity.Amount(best.saving_low),
                        quantity.Amount(best.saving_high));
  }
  return text + "\n";
}

io::Json JsonOf(const StartOption& option, const Asked& asked, const Quantity& quantity) {
  io::Json json;
  json.Set("start", FormatInstant(option.start)).Set("wait_s", (option.start - asked.signal.now).count());
  json.Set("mean", option.mean).Set("saving", option.saving);
  json.Set("saving_low", option.saving_low).Set("saving_high", option.saving_high).Set("chance", option.chance);
  if (asked.advice.now.mean > 0.0) json.Set("saving_percent", 100.0 * option.saving / asked.advice.now.mean);
  if (!quantity.per_value) return json;
  const char* const total = quantity.is_price ? "cost" : "carbon_kg";
  const std::string saved = std::string("saved_") + total;
  json.Set(total, option.mean * *quantity.per_value).Set(saved, option.saving * *quantity.per_value);
  json.Set(saved + "_low", option.saving_low * *quantity.per_value);
  json.Set(saved + "_high", option.saving_high * *quantity.per_value);
  return json;
}

Output ReportOf(const Asked& asked, const Quantity& quantity) {
  Output output;
  output.text = Headline(asked, quantity) + Chart(asked) + Table(asked, quantity);
  output.text += fmt::format("{}{}\n", asked.signal.name,
                             asked.model.empty() ? ": all values are known"
                                                 : fmt::format(", forecast by {} from {} on", asked.model,
                                                               FormatInstant(asked.signal.known.end())));
  const signal::Meaning& meaning = asked.signal.known.target.meaning;
  output.json.Set("signal", asked.signal.name).Set("zone", meaning.zone).Set("unit", quantity.unit);
  output.json.Set("now", FormatInstant(asked.signal.now)).Set("known_until", FormatInstant(asked.signal.known.end()));
  output.json.Set("duration_s", asked.question.duration.count()).Set("within_s", asked.question.within.count());
  output.json.Set("model", asked.model.empty() ? io::Json() : io::Json(asked.model));
  output.json.Set("start_now", !asked.advice.waits);
  const StartOption& chosen = asked.advice.waits ? asked.advice.best[0] : asked.advice.now;
  output.json.Set("start", FormatInstant(chosen.start));
  output.json.Set("if_now", JsonOf(asked.advice.now, asked, quantity));
  io::Json options{io::Json::Array{}};
  for (const StartOption& option : asked.advice.best) options.Append(JsonOf(option, asked, quantity));
  output.json.Set("options", std::move(options));
  return output;
}

Result<Output> Backtest(const Arguments& arguments, const StartQuestion& question, const WhenSignal& signal,
                        bool is_quiet) {
  const auto length = ParseDuration(arguments.backtest, "--backtest");
  if (!length) return Propagate(length);
  const auto model = forecast::CandidateOf(arguments.model);
  if (!model) return Propagate(model);
  const Duration step = signal.known.step();
  forecast::BacktestSchedule schedule;
  schedule.horizon = InSteps(question.within, step);
  schedule.every = InSteps(forecast::kStartsEvery, step);
  const Instant first = std::max(signal.known.end() - InSteps(*length, step), signal.known.target.series.start());
  schedule.first = first;
  schedule.last = signal.known.end();
  ProgressBar bar("backtest", 1, is_quiet);
  const auto score = forecast::BacktestStarts(signal.known, schedule, *model, question, [&](double share) {
    bar.Show(share, fmt::format("{:.0f} %", 100.0 * share));
  });
  if (!score) return Propagate(score);
  const Quantity quantity = QuantityOf(arguments, question, signal.known.target.meaning);
  const auto percent = [&](double value) { return score->now != 0.0 ? 100.0 * value / std::abs(score->now) : 0.0; };
  const double waited = static_cast<double>(std::max<std::size_t>(score->waited, 1));
  const double covered = 100.0 * static_cast<double>(score->covered) / waited;
  const double worse = 100.0 * static_cast<double>(score->worse) / waited;
  Output output;
  output.text = fmt::format("{} questions from {} on, every {}; mean {} while the job runs\n", score->origins,
                            FormatInstant(first), FormatDuration(schedule.every), quantity.unit);
  output.text += fmt::format("  starting now           {:>8.1f}\n", score->now);
  output.text += fmt::format("  as advised             {:>8.1f}  saves {:.1f} % (promised {:.1f} %)\n", score->advised,
                             percent(score->now - score->advised), percent(score->promised_saving));
  output.text += fmt::format("  with perfect knowledge {:>8.1f}  saves {:.1f} %\n", score->oracle,
                             percent(score->now - score->oracle));
  output.text +=
      fmt::format("  advised to wait {} times; the 90 % range held in {:.0f} %, starting now was better in {:.0f} %\n",
                  score->waited, covered, worse);
  output.json.Set("signal", signal.name).Set("unit", quantity.unit).Set("model", arguments.model);
  output.json.Set("duration_s", question.duration.count()).Set("within_s", question.within.count());
  output.json.Set("first_origin", FormatInstant(first)).Set("origins_every_s", schedule.every.count());
  output.json.Set("origins", score->origins).Set("waited", score->waited);
  output.json.Set("mean_now", score->now).Set("mean_advised", score->advised).Set("mean_oracle", score->oracle);
  output.json.Set("saving_percent", percent(score->now - score->advised));
  output.json.Set("promised_percent", percent(score->promised_saving));
  output.json.Set("oracle_percent", percent(score->now - score->oracle));
  output.json.Set("coverage_percent", covered).Set("worse_percent", worse);
  return output;
}

Result<Output> Answer(const Arguments& arguments, const Options& options) {
  const auto question = QuestionOf(arguments);
  if (!question) return Propagate(question);
  if (const auto known = forecast::FindModel(arguments.model); !known) return Propagate(known);
  if (arguments.power_w && !(*arguments.power_w > 0.0 && *arguments.power_w <= 1e9)) {
    return Fail(ErrorCode::kInvalidArgument, "--power-w", fmt::format("is {}", *arguments.power_w),
                "more than 0, up to 1e9");
  }
  auto signal = OpenWhenSignal(arguments.signal);
  if (!signal) return Propagate(signal);
  if (!arguments.backtest.empty()) return Backtest(arguments, *question, *signal, options.quiet);
  Asked asked{*question, *std::move(signal), {}, {}, {}};
  if (const auto bad = LookAhead(arguments, asked); !bad) return Propagate(bad);
  auto advice = forecast::AdviseStart(asked.question, asked.signal.now, asked.ahead);
  if (!advice) return Propagate(advice);
  asked.advice = *std::move(advice);
  return ReportOf(asked, QuantityOf(arguments, *question, asked.signal.known.target.meaning));
}

}  // namespace

Command InstallWhen(const Syntax& syntax, Options& options) {
  auto arguments = std::make_shared<Arguments>();
  syntax.AddOption("--duration TIME", arguments->duration, "Length of the job: 6h, 90m");
  syntax.AddOption("--within TIME", arguments->within, "The job must end within this time from now, at most 7d")
      .ShowDefault();
  syntax.AddOption("--power-w W", arguments->power_w, "Power of the job, to print kilograms or money");
  syntax.AddOption("--forecast NAME", arguments->model, "Forecast model; heliostat forecast models lists them")
      .ShowDefault();
  syntax.AddOption("--backtest TIME", arguments->backtest,
                   "Test the advice on this much of the end of the signal: 90d");
  AddWhenSignalArguments(syntax.Group("Signal"), arguments->signal);
  syntax.Footer(kAbout);
  return [arguments, &options]() { return AtFlags(Answer(*arguments, options), kFlags); };
}

}  // namespace heliostat::cli
