#include "heliostat/model/workload/job_columns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "heliostat/base/core/names.h"
#include "heliostat/base/core/nearest.h"
#include "heliostat/base/core/split.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr auto kFields = NamesOf<JobField>({
    {JobField::kId, "id"},
    {JobField::kSubmit, "submit"},
    {JobField::kStart, "start"},
    {JobField::kEnd, "end"},
    {JobField::kLength, "length"},
    {JobField::kGpus, "gpus"},
    {JobField::kModel, "model"},
    {JobField::kDeadline, "deadline"},
    {JobField::kBestEffort, "best_effort"},
    {JobField::kState, "state"},
    {JobField::kUser, "user"},
    {JobField::kAccount, "account"},
    {JobField::kName, "name"},
    {JobField::kTimeLimit, "time_limit"},
});

// Names in lower case without blanks and signs, the most telling first.
struct KnownName {
  JobField field;
  std::string_view name;
};
constexpr std::array kKnownNames = std::to_array<KnownName>({
    {JobField::kId, "id"},
    {JobField::kId, "jobid"},
    {JobField::kId, "jobidraw"},
    {JobField::kId, "taskid"},
    {JobField::kId, "runid"},
    {JobField::kId, "job"},
    {JobField::kId, "jobname"},
    {JobField::kId, "name"},
    {JobField::kSubmit, "submit"},
    {JobField::kSubmit, "submittime"},
    {JobField::kSubmit, "submitted"},
    {JobField::kSubmit, "submittedat"},
    {JobField::kSubmit, "submittedtime"},
    {JobField::kSubmit, "submissiontime"},
    {JobField::kSubmit, "submitdate"},
    {JobField::kSubmit, "submissiondate"},
    {JobField::kSubmit, "arrival"},
    {JobField::kSubmit, "arrivaltime"},
    {JobField::kSubmit, "queuedat"},
    {JobField::kSubmit, "createdat"},
    {JobField::kSubmit, "timestamp"},
    {JobField::kSubmit, "time"},
    {JobField::kStart, "start"},
    {JobField::kStart, "starttime"},
    {JobField::kStart, "started"},
    {JobField::kStart, "startedat"},
    {JobField::kStart, "begin"},
    {JobField::kEnd, "end"},
    {JobField::kEnd, "endtime"},
    {JobField::kEnd, "ended"},
    {JobField::kEnd, "endedat"},
    {JobField::kEnd, "finish"},
    {JobField::kEnd, "finishtime"},
    {JobField::kEnd, "finished"},
    {JobField::kEnd, "finishedat"},
    {JobField::kLength, "length"},
    {JobField::kLength, "duration"},
    {JobField::kLength, "elapsed"},
    {JobField::kLength, "elapsedraw"},
    {JobField::kLength, "elapsedtime"},
    {JobField::kLength, "runtime"},
    {JobField::kLength, "walltime"},
    {JobField::kGpus, "gpus"},
    {JobField::kGpus, "numgpus"},
    {JobField::kGpus, "numgpu"},
    {JobField::kGpus, "ngpus"},
    {JobField::kGpus, "ngpu"},
    {JobField::kGpus, "gpucount"},
    {JobField::kGpus, "gpunum"},
    {JobField::kGpus, "allocgpus"},
    {JobField::kGpus, "reqgpus"},
    {JobField::kGpus, "requestedgpus"},
    {JobField::kGpus, "gpusrequested"},
    {JobField::kGpus, "gpusallocated"},
    {JobField::kGpus, "numberofgpus"},
    {JobField::kGpus, "gpu"},
    {JobField::kGpus, "alloctres"},
    {JobField::kGpus, "reqtres"},
    {JobField::kModel, "model"},
    {JobField::kModel, "modelname"},
    {JobField::kModel, "application"},
    {JobField::kDeadline, "deadline"},
    {JobField::kDeadline, "due"},
    {JobField::kDeadline, "duedate"},
    {JobField::kBestEffort, "besteffort"},
    {JobField::kState, "state"},
    {JobField::kState, "status"},
    {JobField::kState, "jobstate"},
    {JobField::kUser, "user"},
    {JobField::kUser, "username"},
    {JobField::kUser, "userid"},
    {JobField::kUser, "uid"},
    {JobField::kAccount, "account"},
    {JobField::kAccount, "project"},
    {JobField::kAccount, "group"},
    {JobField::kAccount, "groupid"},
    {JobField::kAccount, "virtualcluster"},
    {JobField::kAccount, "vc"},
    {JobField::kName, "jobname"},
    {JobField::kName, "name"},
    {JobField::kTimeLimit, "timelimit"},
    {JobField::kTimeLimit, "timelimitraw"},
    {JobField::kTimeLimit, "walltimelimit"},
    {JobField::kTimeLimit, "requestedtime"},
    {JobField::kTimeLimit, "requestedwalltime"},
});

struct UnitSuffix {
  std::string_view suffix;
  Seconds unit;
};
constexpr std::array kUnitSuffixes = std::to_array<UnitSuffix>({
    {"ms", 1ms},
    {"msec", 1ms},
    {"millis", 1ms},
    {"milliseconds", 1ms},
    {"s", 1s},
    {"sec", 1s},
    {"secs", 1s},
    {"seconds", 1s},
    {"min", 1min},
    {"mins", 1min},
    {"minutes", 1min},
    {"h", 1h},
    {"hr", 1h},
    {"hrs", 1h},
    {"hours", 1h},
});

std::string Plain(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0) plain += static_cast<char>(std::tolower(byte));
  }
  return plain;
}

// The part of a column's name behind its last sign or blank, in lower case: "s" of "length_s", "min" of "Duration
// (min)".
std::string LastWord(std::string_view name) {
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  while (!name.empty() && !is_word(name.back())) name.remove_suffix(1);
  const auto last = std::find_if_not(name.rbegin(), name.rend(), is_word);
  if (last == name.rend()) return "";
  return Plain(name.substr(static_cast<std::size_t>(name.rend() - last)));
}

// The name without the unit at its end.
std::string PlainWithoutUnit(std::string_view name) {
  std::string plain = Plain(name);
  if (UnitInName(name) && plain.ends_with(LastWord(name))) plain.resize(plain.size() - LastWord(name).size());
  return plain;
}

bool IsUsed(const JobColumns& columns, const std::string& name) {
  return std::ranges::any_of(columns, [&](const auto& entry) { return entry.second == name; });
}

}  // namespace

std::string_view NameOf(JobField field) { return kFields.NameOf(field); }

std::vector<std::string_view> JobFieldNames() {
  std::vector<std::string_view> names;
  for (const auto& row : kFields.rows) names.push_back(row.name);
  return names;
}

std::optional<Seconds> UnitInName(std::string_view column) {
  if (Plain(column) == "timelimitraw") return 1min;  // as sacct writes it
  const std::string last = LastWord(column);
  const auto* const found = std::ranges::find(kUnitSuffixes, last, &UnitSuffix::suffix);
  return found == kUnitSuffixes.end() ? std::nullopt : std::optional(found->unit);
}

Result<JobColumns> ParseJobColumns(std::string_view text, std::string_view where) {
  JobColumns columns;
  for (const std::string& part : SplitAtCommas(text)) {
    const std::size_t equals = part.find('=');
    const std::string_view name = std::string_view(part).substr(0, equals);
    const auto field = kFields.Find(name);
    if (equals == std::string::npos || equals + 1 == part.size()) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where),
                  fmt::format("'{}' names no column", Printable(part, 60)),
                  "FIELD=COLUMN with commas between, such as id=JobID,gpus=ReqGPUS");
    }
    if (!field) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where),
                  fmt::format("'{}' is no field of a job", Printable(name, 40)), OneOf(name, JobFieldNames()));
    }
    if (!columns.emplace(*field, part.substr(equals + 1)).second) {
      return Fail(ErrorCode::kInvalidArgument, std::string(where), fmt::format("'{}' is named twice", name),
                  "once each");
    }
  }
  return columns;
}

JobColumns GuessJobColumns(std::span<const std::string> header, const JobColumns& named) {
  JobColumns columns = named;
  for (const KnownName& known : kKnownNames) {
    if (columns.contains(known.field)) continue;
    const auto is_meant = [&](const std::string& name) {
      return !IsUsed(columns, name) && (Plain(name) == known.name || PlainWithoutUnit(name) == known.name);
    };
    const auto found = std::ranges::find_if(header, is_meant);
    if (found != header.end()) columns.emplace(known.field, *found);
  }
  return columns;
}

}  // namespace heliostat::workload
