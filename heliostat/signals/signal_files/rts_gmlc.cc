// Tables of plants of RTS-GMLC: Year,Month,Day,Period and one column per plant in MW. A day has 24 periods of an hour
// or 288 of five minutes.
#include <fmt/format.h>

#include <cstring>

#include "heliostat/base/io/number.h"
#include "heliostat/base/io/time_zone.h"
#include "heliostat/signals/signal_files/readers.h"

namespace heliostat::signal_files {
namespace {

bool IsRtsGmlc(const Input& input) {
  return input.header.size() >= 5 && input.header[0] == "Year" && input.header[1] == "Month" &&
         input.header[2] == "Day" && input.header[3] == "Period";
}

// Turns the four cells into a time. Rows of one day are consecutive, so the date is computed once per day.
class PeriodClock {
 public:
  PeriodClock(Duration step, Duration utc_offset) : step_(step), utc_offset_(utc_offset) {}

  Result<std::optional<Instant>> At(const io::CsvReader& csv) {
    // Year, month and day are adjacent in the text: one comparison detects a new day.
    const char* const end = csv.cell(2).data() + csv.cell(2).size();
    const std::string_view date(csv.cell(0).data(), static_cast<std::size_t>(end - csv.cell(0).data()));
    if (!IsSameDate(date)) {
      const auto day = DayOf(csv);
      if (!day)
        return NotATime(csv, fmt::format("{}-{}-{}", csv.cell(0), csv.cell(1), csv.cell(2)), "a date that exists");
      midnight_ = Instant{day->time_since_epoch()} - utc_offset_;
      date_text_ = date;
    }
    const auto period = io::ParseInteger(csv.cell(3));
    if (!period || *period < 1 || *period * step_ > Duration{86400}) {
      return Fail(ErrorCode::kInvalidArgument, csv.where(),
                  fmt::format("period '{}' is out of range", Printable(csv.cell(3), 20)),
                  fmt::format("1 to {}", Duration{86400} / step_));
    }
    return midnight_ + (*period - 1) * step_;
  }

 private:
  // Dates have 8 to 10 bytes: the first and last eight cover all of them.
  bool IsSameDate(std::string_view date) const {
    if (date.size() != date_text_.size() || date.size() < 8 || date.size() > 16) return date == date_text_;
    const std::size_t tail = date.size() - 8;
    return std::memcmp(date.data(), date_text_.data(), 8) == 0 &&
           std::memcmp(date.data() + tail, date_text_.data() + tail, 8) == 0;
  }
  static std::optional<std::chrono::local_days> DayOf(const io::CsvReader& csv) {
    const auto year = io::ParseInteger(csv.cell(0));
    const auto month = io::ParseInteger(csv.cell(1));
    const auto day = io::ParseInteger(csv.cell(2));
    if (!year || !month || !day || *year < 1900 || *year > 2200 || *month < 1 || *day < 1) return std::nullopt;
    return CivilDay(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  }

  Duration step_;
  Duration utc_offset_;
  Instant midnight_;
  std::string_view date_text_;
};

// The largest period gives the number of steps per day; it is at the end of the first day.
std::optional<Duration> StepOf(std::string_view rest, const Input& input) {
  io::CsvReader ahead(rest, input.file);
  std::int32_t periods = 0;
  std::string_view day;
  while (ahead.NextRow() && ahead.size() > 3) {
    if (periods > 0 && ahead.cell(2) != day) break;
    day = ahead.cell(2);
    periods = std::max(periods, io::ParseInteger(ahead.cell(3)).value_or(0));
  }
  if (periods < 2 || 86400 % periods != 0) return std::nullopt;
  return Duration{86400 / periods};
}

signal::Meaning PlantMeaning(const Input& input) {
  const std::string name = BaseName(input.file);
  signal::Meaning meaning;
  meaning.kind = signal::Kind::kPower;
  meaning.unit = signal::Unit::kMegawatt;
  meaning.zone = input.options.zone.empty() ? "RTS-GMLC" : input.options.zone;
  meaning.source = "RTS-GMLC";
  meaning.nature = ContainsWord(name, "day_ahead") ? signal::Nature::kForecast : signal::Nature::kModelled;
  meaning.time_base = "local standard time of the test system";
  return meaning;
}

Result<SignalTable> ReadRtsGmlc(io::CsvReader& csv, const Input& input) {
  Draft draft(input, "rts-gmlc");
  const auto step = StepOf(csv.rest(), input);
  if (!step) {
    return Fail(ErrorCode::kInvalidArgument, input.file + ":2", "periods of the first day do not divide it evenly",
                "24 or 288 periods per day");
  }
  signal::Meaning meaning = PlantMeaning(input);
  Duration offset{0};
  if (input.options.time_zone.empty()) {
    draft.Note(
        "the file uses the standard time of the test system without an offset: read as UTC; "
        "set option 'time-zone' for another");
  } else {
    const auto zone = io::TimeZone::Find(input.options.time_zone);
    if (!zone) return Propagate(zone);
    // Standard time all year: the offset of the zone in January.
    const Instant january{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};
    offset = zone->ToLocal(january).time_since_epoch() - january.time_since_epoch();
    meaning.time_base += ", " + zone->name();
  }
  for (std::size_t i = 4; i < input.header.size(); ++i) draft.AddColumn(i, input.header[i], meaning);
  PeriodClock clock(*step, offset);
  return ReadRows(
      csv, draft, [&](const io::CsvReader& row) { return clock.At(row); }, *step);
}

}  // namespace

const Reader kRtsGmlc{
    {"rts-gmlc", "RTS-GMLC plants in MW: Year,Month,Day,Period (24 or 288 per day)"}, IsRtsGmlc, ReadRtsGmlc};

}  // namespace heliostat::signal_files
