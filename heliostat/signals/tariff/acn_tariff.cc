#include "heliostat/signals/tariff/acn_tariff.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/io/number.h"
#include "heliostat/signals/tariff/rate.h"
#include "heliostat/signals/tariff/utility.h"

namespace heliostat::tariff {
namespace {

using io::Json;

// "06-01", "4-30".
Result<MonthDay> ReadMonthDay(const Json& entry, std::string_view key) {
  const auto member = entry.Get(key);
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  const auto dash = text->find('-');
  if (dash != std::string::npos) {
    const auto month = io::ParseInteger(std::string_view(*text).substr(0, dash));
    const auto day = io::ParseInteger(std::string_view(*text).substr(dash + 1));
    if (month && day && *month >= 1 && *month <= 12 && *day >= 1 &&
        *day <= static_cast<int>(LastDayOf(static_cast<unsigned>(*month)))) {
      return MonthDay{static_cast<unsigned>(*month), static_cast<unsigned>(*day)};
    }
  }
  return Fail(ErrorCode::kInvalidArgument, (*member)->where(), fmt::format("'{}' is not a day", Printable(*text, 40)),
              "month and day such as 06-01");
}

Result<Season> ReadSeason(const Json& entry) {
  const auto id = TextOrEmpty(entry, "id");
  if (!id) return Propagate(id);
  const auto first = ReadMonthDay(entry, "effective_start");
  if (!first) return Propagate(first);
  auto last = ReadMonthDay(entry, "effective_end");
  if (!last) return Propagate(last);
  // A season that ends on 28 February ends on 29 February in leap years.
  if (*last == MonthDay{2, 28}) last->day = 29;
  return Season{*id, *first, *last};
}

Result<Weekdays> ReadWeekdays(const Json& entry) {
  const auto member = entry.Get("dow_mask");
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  if (*text == "ALL") return kEveryDay;
  if (*text == "WEEKDAYS") return kMondayToFriday;
  if (*text == "WEEKENDS") return kWeekend;
  return Fail(ErrorCode::kInvalidArgument, (*member)->where(), fmt::format("'{}' is not known", Printable(*text, 40)),
              "ALL, WEEKDAYS or WEEKENDS");
}

Result<const Json::Array*> ReadList(const Json& entry, std::string_view key) {
  const auto member = entry.Get(key);
  if (!member) return Propagate(member);
  return (*member)->Elements();
}

// The times at which rates begin: one per rate, rising from 0.
Result<std::vector<std::chrono::minutes>> ReadTimes(const Json& entry, std::size_t rates) {
  const auto list = ReadList(entry, "times");
  if (!list) return Propagate(list);
  if ((*list)->size() != rates || rates == 0) {
    return Fail(ErrorCode::kInvalidArgument, entry.where(),
                fmt::format("has {} times and {} tariffs", (*list)->size(), rates), "one time per tariff");
  }
  std::vector<std::chrono::minutes> times;
  for (const Json& element : **list) {
    const auto hour = element.Number();
    if (!hour) return Propagate(hour);
    const auto time = HourOfDay(*hour, element.where());
    if (!time) return Propagate(time);
    if (times.empty() ? time->count() != 0 : *time <= times.back() || *time >= std::chrono::hours{24}) {
      return Fail(ErrorCode::kInvalidArgument, element.where(), fmt::format("{} is out of order", *hour),
                  "times must begin with 0 and rise, all below 24");
    }
    times.push_back(*time);
  }
  return times;
}

Status AddRates(const Json& entry, const Window& day, Tariff& tariff) {
  const auto rates = ReadList(entry, "tariffs");
  if (!rates) return Propagate(rates);
  const auto times = ReadTimes(entry, (*rates)->size());
  if (!times) return Propagate(times);
  for (std::size_t i = 0; i < times->size(); ++i) {
    const Json& element = (**rates)[i];
    const auto number = element.Number();
    if (!number) return Propagate(number);
    const auto rate = CheckedRate(*number, element.where());
    if (!rate) return Propagate(rate);
    Window window = day;
    window.from = (*times)[i];
    window.to = i + 1 < times->size() ? (*times)[i + 1] : std::chrono::hours{24};
    tariff.rates.push_back({std::move(window), {Tier{*rate, std::nullopt, "kWh"}}});
  }
  return {};
}

// A season has an entry for its weekdays and one for its weekends; the equal charge in both is one charge on one peak.
void AddDemand(const Window& day, double per_kw, Tariff& tariff) {
  const auto same = std::ranges::find_if(tariff.demand, [&](const DemandCharge& charge) {
    const Season& season = charge.when.front().season;
    return charge.per_kw == per_kw && season.first == day.season.first && season.last == day.season.last;
  });
  if (same == tariff.demand.end()) {
    tariff.demand.push_back({"", per_kw, {day}, "monthly"});
    return;
  }
  Window& window = same->when.front();
  if (window.weekdays == day.weekdays) return;
  window.weekdays |= day.weekdays;
  window.season.name = fmt::format("{} to {}", DayText(window.season.first), DayText(window.season.last));
}

// Some published schedules have pairs of entries for one season, named "...Weekday" and "...Weekend", which both have
// the mask ALL. Then only the names tell which days each entry covers.
Result<Weekdays> WeekdaysOf(const Json& entry, const Season& season, const Json::Array& entries, Tariff& tariff) {
  const auto claimed = ReadWeekdays(entry);
  if (!claimed) return claimed;
  const auto days_in_name = [](std::string_view name) {
    return name.ends_with("Weekday") ? kMondayToFriday : name.ends_with("Weekend") ? kWeekend : Weekdays{};
  };
  const Weekdays named = days_in_name(season.name);
  if (*claimed != kEveryDay || named.none()) return claimed;
  for (const Json& other : entries) {
    const auto other_season = ReadSeason(other);
    const auto other_days = ReadWeekdays(other);
    if (!other_season || !other_days || *other_days != kEveryDay || other_season->first != season.first) continue;
    if ((days_in_name(other_season->name) | named) == kEveryDay) {
      tariff.notes.push_back(fmt::format("'{}' and '{}' both cover all days: read by their names",
                                         Printable(season.name, 40), Printable(other_season->name, 40)));
      return named;
    }
  }
  return claimed;
}

Status AddEntry(const Json& entry, const Json::Array& entries, Tariff& tariff) {
  const auto season = ReadSeason(entry);
  if (!season) return Propagate(season);
  const auto weekdays = WeekdaysOf(entry, *season, entries, tariff);
  if (!weekdays) return Propagate(weekdays);
  const Window day{*season, *weekdays, std::chrono::minutes{0}, std::chrono::hours{24}};
  if (const Status added = AddRates(entry, day, tariff); !added) return added;
  const auto per_kw = RateMemberOrZero(entry, "demand_charge");
  if (!per_kw) return Propagate(per_kw);
  if (*per_kw != 0) AddDemand(day, *per_kw, tariff);
  return {};
}

// "2019-3-1", which is not valid ISO.
std::optional<Instant> ReadDate(std::string_view text) {
  const auto first = text.find('-');
  const auto second = first == std::string_view::npos ? first : text.find('-', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const auto year = io::ParseInteger(text.substr(0, first));
  const auto month = io::ParseInteger(text.substr(first + 1, second - first - 1));
  const auto day = io::ParseInteger(text.substr(second + 1));
  if (!year || !month || !day || *year < 1900 || *year > 2200 || *month < 1 || *day < 1) return std::nullopt;
  const auto local = CivilDay(*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day));
  if (!local) return std::nullopt;
  return Instant{local->time_since_epoch()};
}

}  // namespace

Result<Tariff> ReadAcnTariff(const Json& document, const std::string& file) {
  Tariff tariff;
  tariff.format = "acn-tariff";
  tariff.file = file;
  const auto name = TextOrEmpty(document, "name");
  if (!name) return Propagate(name);
  tariff.name = *name;
  const auto effective = TextOrEmpty(document, "effective");
  if (!effective) return Propagate(effective);
  if (!effective->empty()) {
    tariff.effective_from = ReadDate(*effective);
    if (!tariff.effective_from) {
      return Fail(ErrorCode::kInvalidArgument, file + ": effective",
                  fmt::format("'{}' is not a date", Printable(*effective, 40)), "a date such as 2019-03-01");
    }
  }
  const auto comment = TextOrEmpty(document, "comment");
  if (!comment) return Propagate(comment);
  if (!comment->empty()) tariff.notes.push_back(*comment);

  const auto entries = ReadList(document, "schedule");
  if (!entries) return Propagate(entries);
  for (const Json& entry : **entries) {
    if (const Status added = AddEntry(entry, **entries, tariff); !added) return Propagate(added);
  }
  AddTimeZone(tariff);
  tariff.notes.emplace_back("the file does not name a currency: USD is assumed");
  return tariff;
}

}  // namespace heliostat::tariff
