#include "heliostat/ui/cli/scenario_sacct.h"

#include <fmt/format.h>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/text_encoding.h"
#include "heliostat/model/profile/cells.h"
#include "heliostat/ui/cli/flags.h"

namespace heliostat::cli {
namespace {

// The name of jobs without a type in --gpu-types.
constexpr std::string_view kAnyType = "any";

Result<std::map<std::string, std::string>> TypesOf(const std::string& text) {
  std::map<std::string, std::string> types;
  if (text.empty()) return types;
  for (const std::string& part : SplitAtCommas(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
      return Fail(ErrorCode::kInvalidArgument, "--gpu-types", fmt::format("'{}' is not TYPE=GPU", Printable(part, 60)),
                  "such as gtx=RTX4090,any=A100");
    }
    const std::string type = part.substr(0, equals);
    const bool is_new =
        types.emplace(type == kAnyType ? std::string() : type, profile::GpuName(part.substr(equals + 1))).second;
    if (!is_new) {
      return Fail(ErrorCode::kInvalidArgument, "--gpu-types", fmt::format("names {} twice", Printable(type, 40)),
                  "each type once");
    }
  }
  return types;
}

Result<Instant> LocalTime(const std::string& text, const char* option, const io::TimeZone& zone) {
  const auto civil = ParseIsoTime(text);
  if (!civil || civil->utc_offset) return ParseInstant(text, option);
  const auto reading = zone.ToUtc(civil->local);
  if (reading.first) return *reading.first;
  return Fail(ErrorCode::kInvalidArgument, option, fmt::format("{} does not exist in {}", text, zone.name()),
              "a time that its clocks show");
}

Result<history::SacctDump> ReadDump(const SacctArguments& arguments, const TraceArguments& trace,
                                    const std::optional<io::TimeZone>& zone) {
  const bool is_stdin = arguments.file == "-";
  const auto bytes = is_stdin ? io::ReadStandardInput() : io::ReadTextFile(arguments.file);
  if (!bytes) return Propagate(bytes);
  const io::DecodedText decoded = io::DecodeText(*bytes);
  return AtFlags(history::ReadSacct(decoded.text, is_stdin ? "stdin" : arguments.file, {zone, trace.skips_bad_rows}),
                 {});
}

Result<history::HistoryOptions> OptionsOf(const SacctArguments& arguments, const std::string& start,
                                          const std::vector<workload::Hardware>& hardware, const io::TimeZone& zone) {
  history::HistoryOptions options;
  options.site.hardware = hardware;
  options.has_power_saving = arguments.has_power_saving;
  auto types = TypesOf(arguments.gpu_types);
  if (!types) return Propagate(types);
  options.site.gpu_types = *std::move(types);
  const auto slack = workload::ParseSlack(arguments.default_slack, "--default-slack");
  if (!slack) return Propagate(slack);
  options.default_slack = *slack;
  if (!start.empty()) {
    const auto begin = LocalTime(start, "--start", zone);
    if (!begin) return Propagate(begin);
    options.begin = *begin;
  }
  if (!arguments.end.empty()) {
    const auto end = LocalTime(arguments.end, "--end", zone);
    if (!end) return Propagate(end);
    options.end = *end;
  }
  return options;
}

}  // namespace

void AddSacctArguments(const Syntax& syntax, SacctArguments& arguments) {
  syntax.AddOption(
      "--sacct FILE", arguments.file,
      "Take cluster and jobs from the output of sacct -P; -: standard input. Times of the dump, --start and "
      "--end are in --time-zone");
  syntax.AddOption("--end DATE", arguments.end, "End of the horizon (default: where the dump is no longer complete)");
  syntax.AddOption("--gpu-types TYPE=GPU,...", arguments.gpu_types,
                   "GPUs of the profiles for GPU types of the dump; any=GPU: for jobs whose type is not told");
  syntax
      .AddOption("--default-slack P%", arguments.default_slack,
                 "For jobs whose comment says nothing: may end later by this share of their time limit")
      .ShowDefault();
  syntax.AddFlag("--power-saving", arguments.has_power_saving,
                 "Idle nodes of the site sleep: the baseline is as-recorded+sleep");
}

Result<SacctScenario> ScenarioOfSacct(const SacctArguments& arguments, const TraceArguments& trace,
                                      const std::string& start, const std::vector<workload::Hardware>& hardware,
                                      const workload::ScenarioRecipe& recipe) {
  std::optional<io::TimeZone> zone;
  if (!trace.time_zone.empty()) {
    const auto found = AtFlags(io::TimeZone::Find(trace.time_zone), {});
    if (!found) return Propagate(found);
    zone = *found;
  }
  const auto options = OptionsOf(arguments, start, hardware, zone.value_or(io::TimeZone::Utc()));
  if (!options) return Propagate(options);
  auto dump = ReadDump(arguments, trace, zone);
  if (!dump) return Propagate(dump);
  auto made = history::MakeFromDump(*dump, *options, recipe);
  if (!made) return Propagate(made);
  return SacctScenario{*std::move(dump), *std::move(made)};
}

void TellSacct(const SacctScenario& scenario, Output& output) {
  const auto& [dump, made] = scenario;
  output.text += fmt::format("  {:.1f} GPU-hours of jobs in {}\n", made.gpu_hours, dump.name);
  io::Json notes{io::Json::Array{}};
  for (const auto* list : {&dump.notes, &made.notes}) {
    for (const std::string& note : *list) {
      output.text += fmt::format("  {}\n", WithFlags(note));
      notes.Append(WithFlags(note));
    }
  }
  TellBadRows(dump.skipped, output);
  const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
  io::Json allow;
  allow.Set("by_comment", count(made.allowed.by_comment)).Set("by_default", count(made.allowed.by_default));
  allow.Set("nothing", count(made.allowed.nothing)).Set("may_pause", count(made.allowed.may_pause));
  io::Json edges;
  edges.Set("outside", count(made.record.before)).Set("begun_before", count(made.record.begun_before));
  edges.Set("ended_after", count(made.record.ended_after)).Set("gpu_hours_outside", made.record.gpu_hours_outside);
  output.json.Set("trace_notes", std::move(notes)).Set("gpu_hours", made.gpu_hours);
  output.json.Set("jobs_allow", std::move(allow)).Set("edges", std::move(edges));
  output.json.Set("jobs_requeued", count(made.record.requeued)).Set("baseline", made.scenario.baseline);
}

}  // namespace heliostat::cli
