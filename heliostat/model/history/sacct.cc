#include "heliostat/model/history/sacct.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "heliostat/base/core/split.h"
#include "heliostat/base/io/hostlist.h"
#include "heliostat/base/io/number.h"
#include "heliostat/model/history/sacct_table.h"
#include "heliostat/model/workload/job_cells.h"

namespace heliostat::history {
namespace {

using namespace std::chrono_literals;
using workload::IsAbsent;

constexpr std::array<std::string_view, 16> kKnownStates{
    "COMPLETED", "FAILED",  "CANCELLED", "TIMEOUT",   "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL",
    "DEADLINE",  "RUNNING", "PENDING",   "SUSPENDED", "REQUEUED",  "RESIZING",      "REVOKED",   "COMPLETING"};
// Smaller numbers are not seconds since 1970.
constexpr double kFirstEpoch = 1e8;
constexpr double kLastEpoch = 1e10;
constexpr Interval kPlausible{std::chrono::sys_days{std::chrono::year{1980} / 1 / 1},
                              std::chrono::sys_days{std::chrono::year{2200} / 1 / 1}};

// A local time that clocks show twice has two readings.
struct CellTime {
  Instant first;
  std::optional<Instant> second{};
};

// The times of a row, as chosen from their readings.
struct RowTimes {
  Instant submit;
  std::optional<Instant> start;
  std::optional<Instant> end;
};

std::string Counted(std::size_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// Reads the rows of one dump. Used once.
class SacctReader {
 public:
  SacctReader(std::string_view text, const std::string& name, const SacctOptions& options)
      : table_(text, name), options_(options), zone_(options.time_zone.value_or(io::TimeZone::Utc())) {
    dump_.name = name;
  }
  Result<SacctDump> Read();

 private:
  void ReadRow();
  void ReadGpuRow(const RowTimes& times, const GpuTres& gpus);
  void CheckCells();
  std::optional<RowTimes> TimesOfRow();
  std::optional<CellTime> TimeAt(Field field, std::string_view name);
  void Choose(const CellTime& submit, const std::optional<CellTime>& start, const std::optional<CellTime>& end,
              RowTimes& times);
  GpuTres GpusOfRow();
  std::optional<Duration> TimeLimitOfRow();
  void ReadComment(SacctRun& run);
  void ReadNodes(SacctRun& run);
  void Refuse(std::string what, std::string allowed);
  void RefuseCell(Field field, std::string_view name, std::string allowed);
  void DropRepeats();
  void TellLeftOut();
  void TellGuesses();
  void Note(std::size_t count, std::string text) {
    if (count > 0) dump_.notes.push_back(std::move(text));
  }

  SacctTable table_;
  const SacctOptions& options_;
  io::TimeZone zone_;
  SacctDump dump_;
  Status status_;
  bool is_row_bad_ = false;
  bool is_cut_ = false;
  std::map<std::string, std::size_t> states_;  // of runs
  std::size_t steps_ = 0;
  std::size_t waiting_ = 0;
  std::size_t never_ran_ = 0;
  std::size_t without_gpus_ = 0;
  std::size_t still_running_ = 0;
  std::size_t repeats_ = 0;
  std::size_t without_offset_ = 0;  // times
  std::size_t shown_twice_ = 0;
  std::size_t skipped_hour_ = 0;
  std::size_t bad_comments_ = 0;
  std::string first_bad_comment_;
  std::size_t untouchable_ = 0;
};

// The first wrong value of a row counts. The end of a text that was cut may be in the middle of a value.
void SacctReader::Refuse(std::string what, std::string allowed) {
  if (!status_ || is_row_bad_) return;
  is_row_bad_ = true;
  if (table_.is_unended()) {
    is_cut_ = true;
  } else if (options_.skips_bad_rows) {
    dump_.skipped.push_back({table_.line(), std::move(what)});
  } else {
    status_ = Fail(ErrorCode::kInvalidArgument, table_.where(), std::move(what), std::move(allowed));
  }
}

void SacctReader::RefuseCell(Field field, std::string_view name, std::string allowed) {
  Refuse(fmt::format("{} is '{}'", name, Printable(table_.Cell(field), 60)), std::move(allowed));
}

void SacctReader::CheckCells() {
  if (table_.is_whole()) return;
  if (table_.size() < table_.columns() && table_.is_last()) {
    is_row_bad_ = is_cut_ = true;
    return;
  }
  const bool has_more = table_.size() > table_.columns();
  Refuse(fmt::format("the row has {} cells, the header {}", table_.size(), table_.columns()),
         has_more ? "a name or comment with a bar cannot be told apart; leave out the row with option 'skip-bad-rows'"
                  : "one cell per column; leave out the row with option 'skip-bad-rows'");
}

std::optional<CellTime> SacctReader::TimeAt(Field field, std::string_view name) {
  const std::string_view cell = table_.Cell(field);
  if (IsAbsent(cell)) return std::nullopt;
  CellTime time{};
  const auto number = io::ParseNumber(cell);
  const auto civil = number ? std::nullopt : ParseIsoTime(cell);
  if (number && *number >= kFirstEpoch && *number <= kLastEpoch) {
    time.first = Instant{Duration{static_cast<std::int64_t>(*number)}};
  } else if (civil && civil->utc_offset) {
    time.first = Instant{(civil->local - *civil->utc_offset).time_since_epoch()};
  } else if (civil) {
    ++without_offset_;
    const io::TimeZone::Reading reading = zone_.ToUtc(civil->local);
    skipped_hour_ += reading.first ? 0 : 1;
    time.first = reading.first ? *reading.first : zone_.ToUtc(civil->local + 1h).first.value_or(Instant{});
    time.second = reading.second;
  }
  if (!kPlausible.Contains(time.first)) {
    RefuseCell(field, name, "must be a time such as 2024-03-04T13:05:00, seconds since 1970, Unknown or None");
    return std::nullopt;
  }
  return time;
}

// Of times that clocks show twice, those that keep submission, start and end in order and, if it is known, the time
// between start and end.
void SacctReader::Choose(const CellTime& submit, const std::optional<CellTime>& start,
                         const std::optional<CellTime>& end, RowTimes& times) {
  const auto readings = [](const CellTime& time) {
    return time.second ? std::vector{time.first, *time.second} : std::vector{time.first};
  };
  times.submit = submit.first;
  if (!start) return;
  const auto elapsed = workload::ParseLength(table_.Cell(Field::kElapsed), 1s, io::DecimalMark::kPoint);
  using Rank = std::tuple<bool, bool, bool>;  // false is better
  std::optional<Rank> best;
  for (const Instant begin : readings(*start)) {
    for (const Instant stop : end ? readings(*end) : std::vector{begin}) {
      const bool is_wrong_length = end && elapsed && stop - begin != *elapsed;
      const Rank rank{stop < begin, is_wrong_length, begin < times.submit};
      if (best && *best <= rank) continue;
      best = rank;
      times.start = begin;
      if (end) times.end = stop;
    }
  }
  shown_twice_ += start->second.has_value() || (end && end->second) ? 1 : 0;
}

std::optional<RowTimes> SacctReader::TimesOfRow() {
  const auto submit = TimeAt(Field::kSubmit, "Submit");
  const auto start = TimeAt(Field::kStart, "Start");
  const auto end = TimeAt(Field::kEnd, "End");
  RowTimes times{};
  if (!submit && !start) {
    RefuseCell(Field::kSubmit, "Submit", "must be a time such as 2024-03-04T13:05:00");
    return std::nullopt;
  }
  Choose(submit ? *submit : *start, start, end, times);
  if (times.start && times.end && *times.end < *times.start) RefuseCell(Field::kEnd, "End", "must not be before Start");
  if (is_row_bad_) return std::nullopt;
  return times;
}

GpuTres SacctReader::GpusOfRow() {
  for (const Field field : {Field::kAllocTres, Field::kReqTres, Field::kAllocGres, Field::kReqGres}) {
    const std::string_view cell = table_.Cell(field);
    if (cell.empty()) continue;
    const auto gpus = ParseGpuTres(cell);
    if (!gpus) {
      RefuseCell(field, "the list of resources", "GPUs must be written as gres/gpu=4, gres/gpu:a100=4 or gpu:a100:4");
      return {};
    }
    // What a job got says more than what it asked for.
    if (gpus->gpus > 0 || field == Field::kAllocTres) return *gpus;
  }
  return {};
}

// Nothing where there is none or it is not told. Plain numbers are minutes, as in TimelimitRaw.
std::optional<Duration> SacctReader::TimeLimitOfRow() {
  const std::string_view cell = table_.Cell(Field::kTimeLimit);
  if (IsAbsent(cell) || cell == "Partition_Limit") return std::nullopt;
  const auto limit = workload::ParseLength(cell, 60s, io::DecimalMark::kPoint);
  if (!limit)
    RefuseCell(Field::kTimeLimit, "Timelimit", "must be a time such as 1-12:00:00, UNLIMITED or Partition_Limit");
  return limit;
}

void SacctReader::ReadComment(SacctRun& run) {
  auto said = workload::ParseJobComment(table_.Cell(Field::kComment));
  if (said) {
    run.says = *std::move(said);
    return;
  }
  if (bad_comments_++ == 0) first_bad_comment_ = fmt::format("line {}: {}", table_.line(), said.error().Line());
}

void SacctReader::ReadNodes(SacctRun& run) {
  const std::string_view list = table_.Cell(Field::kNodeList);
  if (!IsAbsent(list) && list != "None assigned") {
    auto hosts = io::ExpandHostlist(list);
    if (!hosts) return Refuse(hosts.error().what, hosts.error().allowed);
    run.hosts = *std::move(hosts);
    std::set<std::string_view> names(run.hosts.begin(), run.hosts.end());
    if (names.size() != run.hosts.size()) RefuseCell(Field::kNodeList, "NodeList", "must name each node once");
  }
  const auto nodes = io::ParseInteger(table_.Cell(Field::kNodes));
  run.nodes = run.hosts.empty() ? std::max(nodes.value_or(0), 0) : static_cast<int>(run.hosts.size());
  if (run.nodes > run.gpus.gpus) run.nodes = 0;  // some of its nodes have no GPUs
  if (run.hosts.size() > static_cast<std::size_t>(run.gpus.gpus)) run.hosts.clear();
}

void SacctReader::ReadGpuRow(const RowTimes& times, const GpuTres& gpus) {
  SacctRun run{.line = table_.line(),
               .id = std::string(table_.Cell(Field::kJobId)),
               .user = std::string(table_.Cell(Field::kUser)),
               .name = std::string(table_.Cell(Field::kName)),
               .submit = std::min(times.submit, *times.start),
               .start = *times.start,
               .end = times.end,
               .time_limit = TimeLimitOfRow(),
               .gpus = gpus};
  ReadNodes(run);
  ReadComment(run);
  if (run.id.empty()) RefuseCell(Field::kJobId, "JobID", "must be a number such as 123, 123_4 or 123+0");
  if (is_row_bad_) return;
  run.is_untouchable = run.id.find('+') != std::string::npos || !IsAbsent(table_.Cell(Field::kReservation));
  untouchable_ += run.is_untouchable ? 1 : 0;
  still_running_ += run.end ? 0 : 1;
  const std::string_view state = table_.Cell(Field::kState);
  ++states_[std::string(state.substr(0, state.find(' ')))];  // "CANCELLED by 1000"
  dump_.runs.push_back(std::move(run));
}

void SacctReader::ReadRow() {
  is_row_bad_ = false;
  CheckCells();
  if (is_row_bad_) return;
  if (table_.Cell(Field::kJobId).find('.') != std::string_view::npos) {
    ++steps_;
    return;
  }
  const auto times = TimesOfRow();
  const GpuTres gpus = is_row_bad_ ? GpuTres{} : GpusOfRow();
  if (is_row_bad_) return;
  dump_.last_submit = std::max(dump_.last_submit.value_or(times->submit), times->submit);
  const bool is_waiting = table_.Cell(Field::kState).starts_with("PENDING");
  if (!times->start || is_waiting || times->start == times->end) {
    ++(is_waiting ? waiting_ : never_ran_);
  } else if (gpus.gpus == 0) {
    ++without_gpus_;
  } else {
    ReadGpuRow(*times, gpus);
  }
}

// Dumps that were put together from several repeat jobs that cross their edges. The last row of a run is the newest.
void SacctReader::DropRepeats() {
  std::vector<SacctRun> kept;
  std::map<std::tuple<std::string, Instant, Instant>, std::size_t> known;
  for (SacctRun& run : dump_.runs) {
    const auto [at, is_new] = known.try_emplace({run.id, run.submit, run.start}, kept.size());
    if (is_new) {
      kept.push_back(std::move(run));
      continue;
    }
    ++repeats_;
    const bool loses_end = kept[at->second].end && !run.end;
    if (!loses_end) kept[at->second] = std::move(run);
  }
  dump_.runs = std::move(kept);
  std::ranges::stable_sort(dump_.runs, {}, &SacctRun::start);
}

void SacctReader::TellLeftOut() {
  std::vector<std::string> parts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  add(steps_, "steps of jobs");
  add(without_gpus_, "jobs without GPUs");
  add(never_ran_, "that never ran");
  add(waiting_, "that still wait");
  add(repeats_, "repeated rows");
  add(table_.headers(), "repeated headers");
  Note(parts.size(), fmt::format("rows left out: {}", fmt::join(parts, ", ")));
  Note(is_cut_ ? 1 : 0, fmt::format("the last row, line {}, is cut and left out", table_.line()));
}

void SacctReader::TellGuesses() {
  std::vector<std::string> told;
  std::vector<std::string> unknown;
  for (const auto& [state, count] : states_) {
    told.push_back(fmt::format("{} {}", count, state.empty() ? "without a state" : Printable(state, 30)));
    if (std::ranges::find(kKnownStates, state) == kKnownStates.end()) unknown.push_back(told.back());
  }
  Note(told.size(), fmt::format("rows with GPUs, by state: {}", fmt::join(told, ", ")));
  Note(unknown.size(), fmt::format("states that are not known, used all the same: {}", fmt::join(unknown, ", ")));
  Note(still_running_,
       fmt::format("{} still running: they count until the scenario ends", Counted(still_running_, "job")));
  Note(options_.time_zone ? 0 : without_offset_,
       "times are taken as UTC; sacct writes local time: option 'time-zone' names its zone");
  Note(shown_twice_, fmt::format("{} with a time that clocks show twice: read so that start, end and length agree",
                                 Counted(shown_twice_, "row")));
  Note(skipped_hour_, fmt::format("{} do not exist in {}: the clocks skip them; is it the right zone?",
                                  Counted(skipped_hour_, "time"), zone_.name()));
  Note(bad_comments_, fmt::format("{} cannot be read and count as none; the first: {}",
                                  Counted(bad_comments_, "comment"), first_bad_comment_));
  Note(untouchable_, fmt::format("{} of heterogeneous jobs or in reservations: only accounted, whatever they allow",
                                 Counted(untouchable_, "run")));
}

Result<SacctDump> SacctReader::Read() {
  if (!table_.status()) return Propagate(table_.status());
  bool is_unended = false;
  while (status_ && table_.Next()) {
    ReadRow();
    is_unended = table_.is_unended() && !is_row_bad_;
  }
  if (!status_) return Propagate(status_);
  DropRepeats();
  TellLeftOut();
  Note(is_unended ? 1 : 0, "the last row has no line end; if the dump was cut there, its last cell is not whole");
  TellGuesses();
  return std::move(dump_);
}

}  // namespace

Result<SacctDump> ReadSacct(std::string_view text, const std::string& name, const SacctOptions& options) {
  return SacctReader(text, name, options).Read();
}

}  // namespace heliostat::history
