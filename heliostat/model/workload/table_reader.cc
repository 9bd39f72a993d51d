// Reads a table of jobs whose columns are named by the user or guessed from the header.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "heliostat/model/workload/job_cells.h"
#include "heliostat/model/workload/readers.h"

namespace heliostat::workload {
namespace {

using namespace std::chrono_literals;

constexpr double kMostGpus = 1e6;
// Larger numbers are seconds since 1970, and even larger ones milliseconds. Three years after the begin of a trace are
// fewer seconds, and 1973 in milliseconds is a larger number.
constexpr double kFirstEpoch = 1e8;
constexpr double kFirstEpochMs = 1e11;

// States of jobs, as Slurm writes them.
constexpr std::array<std::string_view, 16> kKnownStates{
    "COMPLETED", "FAILED",  "CANCELLED", "TIMEOUT",   "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL",
    "DEADLINE",  "RUNNING", "PENDING",   "SUSPENDED", "REQUEUED",  "RESIZING",      "REVOKED",   "COMPLETING"};

// A time in seconds, since 1970 or since the begin of the trace.
struct Moment {
  double seconds = 0.0;
  bool is_date = false;
};

bool IsText(JobField field) {
  using enum JobField;
  return field == kId || field == kModel || field == kState || field == kUser || field == kAccount || field == kName;
}

// Reads the rows of one table. Used once.
class TableReader {
 public:
  TableReader(Rows& rows, const TraceOptions& options);
  Trace Read();

 private:
  std::size_t IndexOf(JobField field) const;
  bool Has(JobField field) const { return IndexOf(field) != kNoColumn; }
  Status RefuseMissing() const;
  void FindForms();

  std::optional<Moment> TimeAt(JobField field);
  Duration LengthOfRow();
  int GpusOfRow();
  std::optional<Duration> DeadlineOfRow(const Moment& submit);
  Duration WaitOfRow(const Moment& submit);
  std::optional<Duration> TimeLimitOfRow();
  std::string TextAt(JobField field) const;
  void ReadRow(Trace& trace);
  void CountState();
  void TellColumns(Trace& trace) const;
  void TellStates(Trace& trace) const;
  void MendNames(Trace& trace) const;

  Rows& rows_;
  const TraceOptions& options_;
  JobColumns columns_;
  std::map<JobField, std::size_t> indices_;
  Seconds length_unit_;
  io::TimeZone zone_;
  std::vector<std::int64_t> lines_;  // of the jobs kept
  std::map<std::string, std::size_t> states_;
  std::size_t fractions_ = 0;  // of GPUs
  std::size_t dates_ = 0;
  std::size_t of_an_order_ = 0;  // dates that another order makes another day
  std::size_t without_offset_ = 0;
  std::size_t steps_ = 0;  // names such as 12.batch
};

TableReader::TableReader(Rows& rows, const TraceOptions& options)
    : rows_(rows),
      options_(options),
      columns_(GuessJobColumns(rows.header(), options.columns)),
      zone_(options.time_zone.value_or(io::TimeZone::Utc())) {
  for (const auto& [field, name] : columns_) indices_[field] = rows_.Need(name);
  const auto named = columns_.find(JobField::kLength);
  const auto unit = named == columns_.end() ? std::nullopt : UnitInName(named->second);
  length_unit_ = options.length_unit ? Seconds(*options.length_unit) : unit.value_or(1s);
}

std::size_t TableReader::IndexOf(JobField field) const {
  const auto found = indices_.find(field);
  return found == indices_.end() ? kNoColumn : found->second;
}

// Which of the fields that every job needs has no column.
Status TableReader::RefuseMissing() const {
  const bool has_length = Has(JobField::kLength) || (Has(JobField::kStart) && Has(JobField::kEnd));
  const bool has_submit = Has(JobField::kSubmit) || Has(JobField::kStart);
  const char* const missing = !has_submit             ? "submit"
                              : !Has(JobField::kGpus) ? "gpus"
                              : !has_length           ? "length (or start and end)"
                                                      : nullptr;
  if (missing == nullptr) return {};
  return rows_.Lacks(fmt::format("does not have the columns of a trace format: none is known as {}", missing),
                     "name it with option 'job-columns', such as submit=Submit,length=Elapsed,gpus=ReqGPUS");
}

std::optional<Moment> TableReader::TimeAt(JobField field) {
  const std::size_t column = IndexOf(field);
  if (column == kNoColumn || IsAbsent(rows_.Text(column))) return std::nullopt;
  const auto read = ParseCellTime(rows_.Text(column), zone_, rows_.decimal(), rows_.date_order());
  if (read && read->depends_on_order) ++of_an_order_;
  if (read && read->depends_on_zone) ++without_offset_;
  if (read && read->instant) return Moment{static_cast<double>(read->instant->time_since_epoch().count()), true};
  if (!read || read->number < 0.0 || read->number > 1e15) {
    rows_.Refuse(column, "must be a time such as 2024-03-04 13:05:00, or seconds");
    return std::nullopt;
  }
  if (read->number >= kFirstEpochMs) return Moment{std::floor(read->number / 1e3), true};
  const Seconds unit = UnitInName(columns_.at(field)).value_or(1s);
  if (read->number >= kFirstEpoch && unit >= Seconds(1s)) return Moment{read->number, true};
  return Moment{read->number * unit.count(), false};
}

// Zero when it is not known.
Duration TableReader::LengthOfRow() {
  if (const std::size_t column = IndexOf(JobField::kLength); column != kNoColumn) {
    if (IsAbsent(rows_.Text(column))) return 0s;
    const auto length = ParseLength(rows_.Text(column), length_unit_, rows_.decimal());
    if (!length) rows_.Refuse(column, "must be a length such as 3600, 01:00:00 or 2-12:00:00");
    return length.value_or(0s);
  }
  const auto start = TimeAt(JobField::kStart);
  const auto end = TimeAt(JobField::kEnd);
  if (!start || !end) return 0s;
  const double seconds = end->seconds - start->seconds;
  if (start->is_date != end->is_date || seconds < 0.0) rows_.Refuse(IndexOf(JobField::kEnd), "must be after the start");
  return Duration{std::llround(std::max(seconds, 0.0))};
}

int TableReader::GpusOfRow() {
  const std::size_t column = IndexOf(JobField::kGpus);
  if (IsAbsent(rows_.Text(column))) return 0;
  const auto gpus = ParseGpus(rows_.Text(column), rows_.decimal());
  if (!gpus || *gpus > kMostGpus) {
    rows_.Refuse(column, "must be a number of GPUs such as 4 or gres/gpu=4");
    return 0;
  }
  if (*gpus != std::ceil(*gpus)) ++fractions_;
  return static_cast<int>(std::ceil(*gpus));
}

std::optional<Duration> TableReader::DeadlineOfRow(const Moment& submit) {
  const std::size_t column = IndexOf(JobField::kDeadline);
  if (column == kNoColumn || IsAbsent(rows_.Text(column))) return std::nullopt;
  const Seconds unit = UnitInName(columns_.at(JobField::kDeadline)).value_or(1s);
  const auto number = io::ParseWrittenNumber(rows_.Text(column), rows_.decimal());
  const bool is_length = !number || *number < (unit < Seconds(1s) ? kFirstEpochMs : kFirstEpoch);
  auto deadline = is_length ? ParseLength(rows_.Text(column), unit, rows_.decimal()) : std::nullopt;
  if (!deadline) {
    const auto due = TimeAt(JobField::kDeadline);
    if (!due) return std::nullopt;
    deadline = Duration{std::llround(due->seconds - submit.seconds)};
    if (due->is_date != submit.is_date) deadline = 0s;
  }
  if (*deadline <= 0s) rows_.Refuse(column, "must be later than submit");
  return deadline;
}

// Zero where it is not known.
Duration TableReader::WaitOfRow(const Moment& submit) {
  if (!Has(JobField::kSubmit)) return 0s;
  const auto start = TimeAt(JobField::kStart);
  if (!start || start->is_date != submit.is_date) return 0s;
  return Duration{std::llround(std::max(start->seconds - submit.seconds, 0.0))};
}

// Nothing where there is none, also for the words that Slurm writes then.
std::optional<Duration> TableReader::TimeLimitOfRow() {
  const std::string text = TextAt(JobField::kTimeLimit);
  if (text.empty() || text == "UNLIMITED" || text == "Partition_Limit" || text == "INVALID") return std::nullopt;
  const Seconds unit = UnitInName(columns_.at(JobField::kTimeLimit)).value_or(1s);
  const auto limit = ParseLength(text, unit, rows_.decimal());
  if (!limit) {
    rows_.Refuse(IndexOf(JobField::kTimeLimit), "must be a length such as 3600, 01:00:00 or 2-12:00:00, or UNLIMITED");
  }
  return limit && *limit > 0s ? limit : std::nullopt;
}

// Empty for an absent cell.
std::string TableReader::TextAt(JobField field) const {
  const std::size_t column = IndexOf(field);
  return column == kNoColumn || IsAbsent(rows_.Text(column)) ? std::string() : std::string(rows_.Text(column));
}

void TableReader::CountState() {
  const std::size_t column = IndexOf(JobField::kState);
  if (column == kNoColumn) return;
  const std::string_view text = rows_.Text(column);
  ++states_[std::string(text.substr(0, text.find(' ')))];  // "CANCELLED by 1000"
}

void TableReader::ReadRow(Trace& trace) {
  TraceJob job{.id = NameByLine(rows_.line()), .length = LengthOfRow(), .gpus = GpusOfRow()};
  if (Has(JobField::kId)) job.id = std::string(rows_.Text(IndexOf(JobField::kId)));
  auto submit = TimeAt(JobField::kSubmit);
  if (!submit) submit = TimeAt(JobField::kStart);
  if (!submit) job.length = 0s;  // never submitted, or not told when
  job.submit = Duration{std::llround(submit.value_or(Moment{}).seconds)};
  if (submit) job.deadline = DeadlineOfRow(*submit);
  if (submit) job.wait = WaitOfRow(*submit);
  job.user = TextAt(JobField::kUser);
  job.account = TextAt(JobField::kAccount);
  job.name = TextAt(JobField::kName);
  job.state = TextAt(JobField::kState);
  job.time_limit = TimeLimitOfRow();
  const std::size_t model = IndexOf(JobField::kModel);
  if (model != kNoColumn && !IsAbsent(rows_.Text(model))) job.model = std::string(rows_.Text(model));
  const std::size_t best_effort = IndexOf(JobField::kBestEffort);
  if (best_effort != kNoColumn) job.is_best_effort = rows_.OptionalNumber(best_effort, 1.0).value_or(0.0) > 0.0;
  if (rows_.is_row_bad()) return;
  CountState();
  const std::size_t before = trace.jobs.size();
  const bool is_step = job.id.find('.') != std::string::npos;
  Keep(rows_, std::move(job), trace);
  if (trace.jobs.size() == before) return;
  lines_.push_back(rows_.line());
  dates_ += submit->is_date ? 1 : 0;
  steps_ += is_step ? 1 : 0;
}

void TableReader::FindForms() {
  std::vector<std::size_t> columns;
  for (const auto& [field, index] : indices_) {
    if (!IsText(field) && index != kNoColumn) columns.push_back(index);
  }
  rows_.FindDecimal(columns, options_.decimal);
  rows_.FindDateOrder(columns, options_.date_order);
}

Trace TableReader::Read() {
  Trace trace;
  if (rows_.status()) rows_.EndWith(RefuseMissing());
  FindForms();
  while (rows_.Next()) ReadRow(trace);
  if (!rows_.status() || trace.jobs.empty()) return trace;
  if (dates_ > 0 && dates_ < trace.jobs.size()) {
    rows_.EndWith(
        rows_.Lacks(fmt::format("{} of {} submissions are dates, the others numbers", dates_, trace.jobs.size()),
                    "must be all of one kind"));
    return trace;
  }
  TellColumns(trace);
  TellStates(trace);
  MendNames(trace);
  if (dates_ > 0) BeginAtMidnight(trace);
  return trace;
}

void TableReader::TellColumns(Trace& trace) const {
  std::vector<std::string> guessed;
  for (const auto& [field, name] : columns_) {
    if (!options_.columns.contains(field)) guessed.push_back(fmt::format("{}={}", NameOf(field), Printable(name, 40)));
  }
  if (!guessed.empty()) trace.notes.push_back(fmt::format("columns by their names: {}", fmt::join(guessed, ",")));
  if (!Has(JobField::kSubmit))
    trace.notes.emplace_back("no column of submissions: jobs count as submitted when they start");
  if (!options_.time_zone && without_offset_ > 0) {
    trace.notes.emplace_back("times without an offset are taken as UTC; option 'time-zone' names another zone");
  }
  if (of_an_order_ > 0) {
    const bool is_day = rows_.date_order() == io::DateOrder::kDayFirst;
    trace.notes.push_back(
        fmt::format("dates such as 03/04/2024 are read with the {} first; option 'date-order' names another order",
                    is_day ? "day" : "month"));
  }
  if (rows_.decimal() == io::DecimalMark::kComma) trace.notes.emplace_back("numbers have a decimal comma");
  if (fractions_ > 0) trace.notes.push_back(fmt::format("fractions of GPUs are rounded up in {} rows", fractions_));
}

void TableReader::TellStates(Trace& trace) const {
  std::vector<std::string> told;
  std::vector<std::string> unknown;
  for (const auto& [state, count] : states_) {
    told.push_back(fmt::format("{} {}", count, state.empty() ? "without a state" : Printable(state, 30)));
    if (std::ranges::find(kKnownStates, state) == kKnownStates.end()) unknown.push_back(told.back());
  }
  if (told.empty()) return;
  trace.notes.push_back(fmt::format("jobs of every state are used: {}", fmt::join(told, ", ")));
  if (!unknown.empty()) trace.notes.push_back(fmt::format("states that are not known: {}", fmt::join(unknown, ", ")));
}

// A column that was only guessed to hold names, and repeats them, does not.
void TableReader::MendNames(Trace& trace) const {
  if (steps_ > 0) {
    trace.notes.push_back(
        fmt::format("{} names such as 12.batch: if these are steps of jobs, list jobs only (sacct -X)", steps_));
  }
  if (!Has(JobField::kId) || options_.columns.contains(JobField::kId)) return;
  std::vector<std::string_view> ids;
  for (const TraceJob& job : trace.jobs) ids.push_back(job.id);
  std::ranges::sort(ids);
  const bool are_names = std::ranges::adjacent_find(ids) == ids.end() && !ids.front().empty();
  if (are_names) return;
  for (std::size_t i = 0; i < trace.jobs.size(); ++i) {
    if (!Has(JobField::kName)) trace.jobs[i].name = trace.jobs[i].id;
    trace.jobs[i].id = NameByLine(lines_[i]);
  }
  trace.notes.push_back(
      fmt::format("{} repeats names, so jobs are named after their lines", columns_.at(JobField::kId)));
}

}  // namespace

Trace ReadTable(Rows& rows, const TraceOptions& options) { return TableReader(rows, options).Read(); }

}  // namespace heliostat::workload
