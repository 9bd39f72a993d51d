#include "heliostat/control/cluster/slurm_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/base/io/number.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

constexpr std::size_t kMostElements = 1'000'000;

enum Column : std::size_t {
  kNumber,
  kArrayNumber,
  kHetNumber,
  kState,
  kPriority,
  kSubmit,
  kEligible,
  kDeadline,
  kTimeLimit,
  kNice,
  kRequeue,
  kRestarts,
  kAdminComment,
  kColumns
};
constexpr std::array<std::string_view, kColumns> kFields{
    "JobID",    "JobArrayID", "HetJobID", "State",   "PriorityLong", "SubmitTime",   "EligibleTime",
    "Deadline", "TimeLimit",  "Nice",     "Requeue", "RestartCnt",   "admin_comment"};

using Row = std::vector<std::string_view>;

// Nice has up to ten digits.
std::optional<int> ParseNice(std::string_view cell) {
  const bool is_negative = cell.starts_with('-');
  const auto value = ParseWhole(is_negative ? cell.substr(1) : cell);
  if (!value || *value > 2'147'483'647) return {};
  return static_cast<int>(is_negative ? -*value : *value);
}

// "17", "17_3", "17_[1-3,7%2]".
bool ReadNumber(const Row& row, JobRecord& record) {
  const std::string_view text = row[kArrayNumber];
  const std::size_t bracket = text.find("_[");
  if (bracket != std::string_view::npos && text.ends_with(']')) {
    const auto number = ParseWhole(text.substr(0, bracket));
    std::string_view list = text.substr(bracket + 2, text.size() - bracket - 3);
    const std::size_t percent = list.find('%');
    record.throttle = 0;
    if (percent != std::string_view::npos) record.throttle = io::ParseInteger(list.substr(percent + 1)).value_or(-1);
    record.elements = ParseElements(list.substr(0, percent));
    if (!number || record.elements.empty() || *record.throttle < 0) return false;
    if (record.elements.size() == 1) record.throttle.reset();
    record.key.number = *number;
    return true;
  }
  const auto number = ParseJobNumber(text);
  const auto run_number = ParseWhole(row[kNumber]);
  if (!number || !run_number) return false;
  record.is_heterogeneous = number->het_offset.has_value() || ParseWhole(Present(row[kHetNumber])).value_or(0) != 0;
  record.key.number = number->element ? number->number : *run_number;
  // The last of the elements that wait together still has the number of the array.
  if (number->element && record.is_waiting() && *run_number == number->number)
    record.elements = {*number->element};
  else
    record.key.element = number->element;
  return true;
}

std::optional<JobRecord> ParseRecord(const Row& row) {
  JobRecord record;
  record.state = ParseState(row[kState]).state;
  if (record.state == JobState::kWaiting && row[kPriority] == "0") record.state = JobState::kHeld;
  const auto submit = ParseEpoch(row[kSubmit]);
  const auto nice = ParseNice(row[kNice]);
  if (!submit || !nice || !ReadNumber(row, record)) return {};
  record.key.submit = *submit;
  record.nice = *nice;
  record.begin = ParseEpoch(row[kEligible]);
  record.kill_at = ParseEpoch(row[kDeadline]);
  record.time_limit = ParseLimit(row[kTimeLimit]);
  record.may_requeue = row[kRequeue] == "1";
  record.restarts = std::max(0, io::ParseInteger(row[kRestarts]).value_or(0));
  if (row[kAdminComment] != "(null)") record.admin_comment = row[kAdminComment];
  return record;
}

}  // namespace

std::string RecordFormat(std::string_view separator) {
  std::string format;
  for (const std::string_view field : kFields) {
    format += fmt::format("{}{}:{}", format.empty() ? "" : ",", field, separator);
  }
  return format;
}

Result<std::vector<JobRecord>> ParseRecords(std::string_view text, std::string_view separator) {
  const auto rows = SplitRows(text, separator, kColumns);
  if (!rows) return Fail(rows.error().code, "squeue, " + rows.error().where, rows.error().what);
  std::vector<JobRecord> records;
  for (const Row& row : *rows) {
    if (auto record = ParseRecord(row)) records.push_back(std::move(*record));
  }
  return records;
}

std::vector<int> ParseElements(std::string_view text) {
  std::vector<int> elements;
  for (const std::string& part : SplitAtCommas(text)) {
    const std::string_view range = part;
    const std::size_t dash = range.find('-');
    const std::size_t colon = range.find(':');
    const auto first = io::ParseInteger(range.substr(0, std::min(dash, colon)));
    auto last = first;
    std::optional<int> step = 1;
    if (dash != std::string_view::npos) last = io::ParseInteger(range.substr(dash + 1, colon - dash - 1));
    if (colon != std::string_view::npos) step = io::ParseInteger(range.substr(colon + 1));
    if (!first || !last || !step || *first < 0 || *last < *first || *step < 1) return {};
    if (static_cast<std::size_t>((*last - *first) / *step) + 1 + elements.size() > kMostElements) return {};
    if (!elements.empty() && *first <= elements.back()) return {};
    for (std::int64_t i = *first; i <= *last; i += *step) elements.push_back(static_cast<int>(i));
  }
  return elements;
}

std::string ElementsText(const std::vector<int>& elements) {
  std::string text;
  for (std::size_t i = 0; i < elements.size();) {
    std::size_t last = i;
    while (last + 1 < elements.size() && elements[last + 1] == elements[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += last == i ? fmt::format("{}", elements[i]) : fmt::format("{}-{}", elements[i], elements[last]);
    i = last + 1;
  }
  return text;
}

Result<Reservations> ParseReservations(std::string_view text, std::string_view account) {
  Reservations reservations;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(' ') == std::string_view::npos || line == "No reservations in the system") continue;
    const std::string_view name = line.starts_with("ReservationName=") ? ValueOf(line, "ReservationName") : "";
    const auto begin = ParseEpoch(ValueOf(line, "StartTime"));
    const auto until = ParseEpoch(ValueOf(line, "EndTime"));
    auto nodes = io::ExpandHostlist(Present(ValueOf(line, "Nodes")));
    if (name.empty() || !begin || !until || !nodes) {
      return Fail(ErrorCode::kCorrupt, fmt::format("scontrol show reservation, line {}", number),
                  fmt::format("'{}' is no reservation with its times and nodes", Printable(line, 60)));
    }
    const bool is_ours = name.starts_with(kPinPrefix) && name.size() > kPinPrefix.size() && !account.empty() &&
                         ValueOf(line, "Users") == account;
    if (is_ours)
      reservations.pins.push_back({std::string(name.substr(kPinPrefix.size())), std::move(*nodes), *until});
    else
      reservations.others.push_back({std::string(name), std::move(*nodes), *begin});
  }
  return reservations;
}

}  // namespace heliostat::cluster
