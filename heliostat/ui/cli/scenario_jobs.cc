#include "heliostat/ui/cli/scenario_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "heliostat/base/io/file.h"
#include "heliostat/base/io/text_encoding.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {
namespace {

using workload::JobTally;

struct Reason {
  std::size_t JobTally::*count;
  std::string_view key;  // in JSON
  std::string_view text;
};
constexpr std::array<Reason, 6> kReasons{{
    {&JobTally::before_start, "submitted_before_start", "submitted before the start of the scenario"},
    {&JobTally::after_end, "submitted_after_end", "submitted after the end of the scenario"},
    {&JobTally::too_long, "too_long", "too long to end within the scenario"},
    {&JobTally::due_later, "due_after_end", "due after the end of the scenario"},
    {&JobTally::above_load, "above_load", "drawn to reach the load"},
    {&JobTally::not_done, "not_done", "not done within the scenario, first come first served"},
}};

// Lines of bad rows on the screen; JSON has all.
constexpr std::size_t kMostLinesTold = 20;

struct LengthUnit {
  std::string_view name;
  Duration unit;
};
constexpr std::array<LengthUnit, 3> kLengthUnits{{{"s", Duration{1}}, {"min", Duration{60}}, {"h", Duration{3600}}}};

std::string Jobs(std::size_t count) { return fmt::format("{} job{}", count, count == 1 ? "" : "s"); }

// "2 jobs in the trace, 1 left out: submitted after the end of the scenario".
std::string LeftOut(const JobTally& tally) {
  std::string text = fmt::format("  {} in the trace, {} left out", Jobs(tally.in_trace), tally.left_out());
  std::string reasons;
  for (const Reason& reason : kReasons) {
    const std::size_t count = tally.*reason.count;
    if (count == 0) continue;
    const bool is_only = count == tally.left_out();
    reasons += (reasons.empty() ? "" : ", ") + (is_only ? "" : fmt::format("{} ", count)) + std::string(reason.text);
  }
  return text + (reasons.empty() ? "" : ": ") + reasons + "\n";
}

struct Drawn {
  std::size_t JobTally::*count;
  std::string_view key;
  std::string_view text;
  std::string_view hint;
};
constexpr std::array<Drawn, 7> kDrawn{{
    {&JobTally::drawn_models, "model", "model drawn for", "the trace names none; --model sets one"},
    {&JobTally::other_models, "other_model", "another model trained for", "the profile library does not have theirs"},
    {&JobTally::other_gpus, "other_gpus", "GPUs rounded for", "to a power of two that fits; GPU-hours stay the same"},
    {&JobTally::drawn_deadlines, "deadline", "deadline drawn for", "the trace has none; --deadlines column draws none"},
    {&JobTally::drawn_best_effort, "best_effort", "no deadline, by chance, for", "--best-effort sets the share"},
    {&JobTally::clipped_deadlines, "deadline_at_end", "deadline at the end of the scenario for",
     "a later one was drawn"},
    {&JobTally::in_one_piece, "in_one_piece", "not preemptible, by chance, are", "--in-one-piece sets the share"},
}};

Result<workload::TraceOptions> OptionsOf(const TraceArguments& arguments) {
  workload::TraceOptions options;
  const auto format = workload::ParseTraceFormat(arguments.format);
  if (!format) return Propagate(format);
  options.format = *format;
  options.skips_bad_rows = arguments.skips_bad_rows;
  options.decimal = arguments.decimal;
  options.date_order = arguments.date_order;
  if (!arguments.columns.empty()) {
    auto columns = workload::ParseJobColumns(arguments.columns, "--job-columns");
    if (!columns) return Propagate(columns);
    options.columns = *std::move(columns);
    const bool is_table = *format == workload::TraceFormat::kAuto || *format == workload::TraceFormat::kTable;
    if (!is_table) {
      return Fail(ErrorCode::kInvalidArgument, "--job-columns",
                  "the format " + arguments.format + " has columns of its own", "--format table or auto");
    }
  }
  if (!arguments.time_zone.empty()) {
    const auto zone = AtFlags(io::TimeZone::Find(arguments.time_zone), {});
    if (!zone) return Propagate(zone);
    options.time_zone = *zone;
  }
  if (!arguments.length_unit.empty()) {
    const auto* const unit = std::ranges::find(kLengthUnits, arguments.length_unit, &LengthUnit::name);
    if (unit == kLengthUnits.end()) {
      return Fail(ErrorCode::kInvalidArgument, "--length-unit",
                  fmt::format("'{}' is not known", Printable(arguments.length_unit, 40)), "one of s, min, h");
    }
    options.length_unit = unit->unit;
  }
  return options;
}

Result<workload::Trace> ReadTraceFile(const TraceArguments& arguments, const workload::TraceOptions& options) {
  const bool is_stdin = arguments.file == "-";
  const auto bytes = is_stdin ? io::ReadStandardInput() : io::ReadTextFile(arguments.file);
  if (!bytes) return Propagate(bytes);
  const io::DecodedText decoded = io::DecodeText(*bytes);
  return AtFlags(workload::ReadTrace(decoded.text, is_stdin ? "stdin" : arguments.file, options),
                 {{"job-decimal option", "--job-decimal"}, {"date-order option", "--date-order"}});
}

}  // namespace

void AddTraceArguments(const Syntax& syntax, TraceArguments& arguments) {
  syntax.AddOption("--jobs FILE", arguments.file,
                   "Trace to take jobs from; -: standard input (default: generated jobs)");
  AddFormatArguments(syntax, arguments);
  syntax
      .AddOption("--offset TIME", arguments.offset,
                 "Time in the trace at which the horizon begins: 28d, 0, or busiest (the busiest day)")
      .ShowDefault();
}

void AddFormatArguments(const Syntax& syntax, TraceArguments& arguments) {
  syntax
      .AddOption("--format NAME", arguments.format,
                 "Format of the trace: auto, philly, chronus, pollux, pai, own or table")
      .ShowDefault();
  syntax.AddOption("--job-columns FIELD=COLUMN,...", arguments.columns,
                   "Columns of a table; the fields are id, submit, start, end, length, gpus, model, deadline, "
                   "best_effort, state, user, account, name, time_limit (default: by their names)");
  syntax.AddOption("--time-zone ZONE", arguments.time_zone,
                   "Time zone of times without an offset, in all files: Europe/Berlin (default: UTC)");
  syntax.AddOption(
      "--length-unit UNIT", arguments.length_unit,
      "Unit of plain numbers in the column of lengths of a table: s, min, h (default: by its name, else s)");
  syntax.AddOption("--job-decimal MARK", arguments.decimal,
                   "Decimal mark of numbers in a table of jobs: point or comma (default: found)");
  syntax.AddFlag("--skip-bad-rows", arguments.skips_bad_rows,
                 "Leave out rows with a wrong value, in all files, and say which");
}

Result<workload::Trace> ReadTraceOf(const TraceArguments& arguments) {
  const auto options = OptionsOf(arguments);
  if (!options) return Propagate(options);
  return ReadTraceFile(arguments, *options);
}

Status ReadJobs(const TraceArguments& arguments, workload::ScenarioRecipe& recipe) {
  const auto options = OptionsOf(arguments);
  if (!options) return Propagate(options);
  if (arguments.file.empty()) return {};
  auto trace = ReadTraceFile(arguments, *options);
  if (!trace) return Propagate(trace);
  if (arguments.offset == "busiest") {
    recipe.trace_offset = workload::BusiestDay(*trace, recipe.step * static_cast<std::int64_t>(recipe.slots));
  } else if (arguments.offset != "0") {
    const auto offset = ParseDuration(arguments.offset, "--offset");
    if (!offset) return Propagate(offset);
    recipe.trace_offset = *offset;
  }
  recipe.trace = std::make_shared<const workload::Trace>(*std::move(trace));
  return {};
}

void TellBadRows(const std::vector<workload::BadRow>& skipped, Output& output) {
  io::Json lines{io::Json::Array{}};
  std::string told;
  for (std::size_t i = 0; i < skipped.size(); ++i) {
    lines.Append(skipped[i].line);
    if (i < kMostLinesTold) told += fmt::format("{}{}", told.empty() ? "" : ", ", skipped[i].line);
  }
  if (!skipped.empty()) {
    const bool are_more = skipped.size() > kMostLinesTold;
    output.text += fmt::format("  {} bad rows skipped: lines {}{} (in the first, {})\n", skipped.size(), told,
                               are_more ? ", ..." : "", skipped.front().why);
  }
  output.json.Set("bad_rows", std::move(lines));
}

void TellTrace(const workload::Trace& trace, Output& output) {
  io::Json notes{io::Json::Array{}};
  for (const std::string& note : trace.notes) {
    output.text += fmt::format("  {}\n", WithFlags(note));
    notes.Append(WithFlags(note));
  }
  TellBadRows(trace.skipped, output);
  if (trace.dropped > 0) {
    output.text += fmt::format("  {} rows of the trace left out: no GPU, no length or no submission\n", trace.dropped);
  }
  output.json.Set("trace_notes", std::move(notes));
  output.json.Set("rows_without_work", static_cast<std::int64_t>(trace.dropped));
}

void TellJobs(const workload::MadeScenario& made, const workload::ScenarioRecipe& recipe, Output& output) {
  const JobTally& tally = made.tally;
  if (recipe.trace) {
    output.text += LeftOut(tally);
    io::Json left_out;
    for (const Reason& reason : kReasons)
      left_out.Set(std::string(reason.key), static_cast<std::int64_t>(tally.*reason.count));
    io::Json drawn;
    for (const Drawn& one : kDrawn) {
      const std::size_t count = tally.*one.count;
      drawn.Set(std::string(one.key), static_cast<std::int64_t>(count));
      if (count == 0) continue;
      output.text += fmt::format("  {} {} of {}: {}\n", one.text, count, Jobs(made.scenario.jobs.size()), one.hint);
    }
    output.json.Set("jobs_in_trace", static_cast<std::int64_t>(tally.in_trace));
    output.json.Set("jobs_left_out", std::move(left_out)).Set("jobs_drawn", std::move(drawn));
  }
  output.json.Set("deadlines_moved", static_cast<std::int64_t>(tally.moved_deadlines));
  output.json.Set("asked_slack", tally.asked_slack).Set("slack", tally.slack);
  if (tally.moved_deadlines == 0) return;
  output.text += fmt::format(
      "  deadlines of {} moved to some time after run-now ends them: (deadline - submit) / length {:.1f} on average, "
      "asked {:.1f}; --keep-deadlines moves none\n",
      Jobs(tally.moved_deadlines), tally.slack, tally.asked_slack);
}

}  // namespace heliostat::cli
