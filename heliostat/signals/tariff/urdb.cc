#include "heliostat/signals/tariff/urdb.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signals/tariff/rate.h"
#include "heliostat/signals/tariff/urdb_schedule.h"
#include "heliostat/signals/tariff/utility.h"

namespace heliostat::tariff {
namespace {

using io::Json;
using Tiers = std::vector<Tier>;

// The charge is the sum of the rate and its adjustment.
Result<Tier> ReadTier(const Json& json) {
  if (json.Find("rate") == nullptr && json.Find("adj") == nullptr) {
    return Fail(ErrorCode::kInvalidArgument, json.where(), "has neither 'rate' nor 'adj'", "one of them is needed");
  }
  const auto rate = RateMemberOrZero(json, "rate");
  if (!rate) return Propagate(rate);
  const auto adjustment = RateMemberOrZero(json, "adj");
  if (!adjustment) return Propagate(adjustment);
  Tier tier{*rate + *adjustment, std::nullopt, "kWh"};
  if (const Json* max = json.Find("max")) {
    const auto up_to = max->Number();
    if (!up_to) return Propagate(up_to);
    tier.up_to = *up_to;
  }
  const auto unit = TextOrEmpty(json, "unit");
  if (!unit) return Propagate(unit);
  if (!unit->empty()) tier.unit = *unit;
  return tier;
}

// structure[period][tier]
Result<std::vector<Tiers>> ReadStructure(const Json& item, std::string_view key) {
  const auto member = item.Get(key);
  if (!member) return Propagate(member);
  const auto list = (*member)->Elements();
  if (!list) return Propagate(list);
  std::vector<Tiers> periods;
  for (const Json& element : **list) {
    const auto tiers = element.Elements();
    if (!tiers) return Propagate(tiers);
    Tiers& period = periods.emplace_back();
    for (const Json& json : **tiers) {
      auto tier = ReadTier(json);
      if (!tier) return Propagate(tier);
      period.push_back(std::move(*tier));
    }
    if (period.empty()) return Fail(ErrorCode::kInvalidArgument, element.where(), "has no tier", "at least one");
  }
  if (periods.empty()) return Fail(ErrorCode::kInvalidArgument, (*member)->where(), "has no period", "at least one");
  return periods;
}

Status AddEnergy(const Json& item, Tariff& tariff) {
  const auto periods = ReadStructure(item, "energyratestructure");
  if (!periods) return Propagate(periods);
  const auto schedule = ReadUrdbSchedule(item, "energyweekdayschedule", "energyweekendschedule", periods->size());
  if (!schedule) return Propagate(schedule);
  for (const UrdbWindow& window : WindowsOf(*schedule)) {
    tariff.rates.push_back({window.when, (*periods)[window.period]});
  }
  return {};
}

void NoteDemandTiers(std::string_view what, const std::vector<Tiers>& periods, Tariff& tariff) {
  if (std::ranges::any_of(periods, [](const Tiers& tiers) { return tiers.size() > 1; })) {
    tariff.notes.push_back(fmt::format("{} demand charges have tiers: the first tier is shown", what));
  }
}

// Charges that depend on the hour of the peak.
Status AddTimedDemand(const Json& item, Tariff& tariff) {
  if (item.Find("demandratestructure") == nullptr) return {};
  const auto periods = ReadStructure(item, "demandratestructure");
  if (!periods) return Propagate(periods);
  const auto schedule = ReadUrdbSchedule(item, "demandweekdayschedule", "demandweekendschedule", periods->size());
  if (!schedule) return Propagate(schedule);
  std::vector<DemandCharge> charges(periods->size());
  for (const UrdbWindow& window : WindowsOf(*schedule)) charges[window.period].when.push_back(window.when);
  for (std::size_t period = 0; period < charges.size(); ++period) {
    charges[period].name = fmt::format("period {}", period);
    charges[period].per_kw = (*periods)[period].front().rate;
    if (charges[period].per_kw != 0 && !charges[period].when.empty()) tariff.demand.push_back(charges[period]);
  }
  NoteDemandTiers("timed", *periods, tariff);
  return {};
}

// Charges on the peak of the month, at any hour.
Status AddFlatDemand(const Json& item, Tariff& tariff) {
  if (item.Find("flatdemandstructure") == nullptr) return {};
  const auto periods = ReadStructure(item, "flatdemandstructure");
  if (!periods) return Propagate(periods);
  const auto member = item.Get("flatdemandmonths");
  if (!member) return Propagate(member);
  const auto months = (*member)->Elements();
  if (!months) return Propagate(months);
  if ((*months)->size() != 12) {
    return Fail(ErrorCode::kInvalidArgument, (*member)->where(), fmt::format("has {} entries", (*months)->size()),
                "must have 12, one per month");
  }
  UrdbSchedule schedule;
  for (std::size_t month = 0; month < schedule.size(); ++month) {
    const auto period = ReadPeriod((**months)[month], periods->size());
    if (!period) return Propagate(period);
    schedule[month].weekday.fill(*period);
    schedule[month].weekend.fill(*period);
  }
  for (const UrdbWindow& window : WindowsOf(schedule)) {
    const double per_kw = (*periods)[window.period].front().rate;
    if (per_kw != 0) tariff.demand.push_back({"flat", per_kw, {window.when}, "monthly"});
  }
  NoteDemandTiers("flat", *periods, tariff);
  return {};
}

Status AddFixedCharge(const Json& item, Tariff& tariff) {
  const bool is_new = item.Find("fixedchargefirstmeter") != nullptr;
  const std::string_view key = is_new ? "fixedchargefirstmeter" : "fixedmonthlycharge";
  if (item.Find(key) == nullptr) return {};
  const auto charge = RateMember(item, key);
  if (!charge) return Propagate(charge);
  const auto units = TextOrEmpty(item, "fixedchargeunits");
  if (!units) return Propagate(units);
  double months = 1;
  if (is_new && *units == "$/day") {
    months = 12.0 / 365;
  } else if (is_new && *units == "$/year") {
    months = 12;
  } else if (is_new && !units->empty() && *units != "$/month") {
    return Fail(ErrorCode::kInvalidArgument, item.where() + ".fixedchargeunits",
                fmt::format("'{}' is not known", Printable(*units, 40)), "$/month, $/day or $/year");
  }
  tariff.fixed_per_month = *charge / months;
  return {};
}

Result<std::optional<Instant>> ReadDate(const Json& item, std::string_view key) {
  const Json* member = item.Find(key);
  if (member == nullptr) return std::optional<Instant>();
  const auto epoch = member->Integer();
  if (!epoch) return Propagate(epoch);
  constexpr std::int64_t kYear2200 = 7258118400;
  if (*epoch < -kYear2200 || *epoch > kYear2200) {
    return Fail(ErrorCode::kInvalidArgument, member->where(), fmt::format("{} is not a date", *epoch),
                "seconds since 1970, before the year 2200");
  }
  return std::optional<Instant>(Instant{std::chrono::seconds{*epoch}});
}

Status AddFacts(const Json& item, Tariff& tariff) {
  for (const auto& [key, target] : {std::pair{"name", &tariff.name}, std::pair{"utility", &tariff.utility}}) {
    const auto text = TextOrEmpty(item, key);
    if (!text) return Propagate(text);
    *target = *text;
  }
  const auto from = ReadDate(item, "startdate");
  if (!from) return Propagate(from);
  const auto to = ReadDate(item, "enddate");
  if (!to) return Propagate(to);
  tariff.effective_from = *from;
  tariff.effective_to = *to;
  return {};
}

bool HasSellRates(const Json& item) {
  const auto periods = item.Find("energyratestructure")->Elements();
  for (const Json& period : **periods) {
    const auto tiers = period.Elements();
    for (const Json& tier : **tiers) {
      if (tier.Find("sell") != nullptr) return true;
    }
  }
  return false;
}

Result<Tariff> ReadItem(const Json& item, const std::string& file) {
  Tariff tariff;
  tariff.format = "urdb";
  tariff.file = file;
  for (const auto add : {AddFacts, AddEnergy, AddTimedDemand, AddFlatDemand, AddFixedCharge}) {
    if (const Status added = add(item, tariff); !added) return Propagate(added);
  }
  if (HasSellRates(item)) tariff.notes.emplace_back("payments for exported energy are omitted");
  AddTimeZone(tariff);
  return tariff;
}

}  // namespace

Result<std::vector<Tariff>> ReadUrdb(const Json& document, const std::string& file) {
  std::vector<Tariff> tariffs;
  const Json* items = document.Find("items");
  if (items == nullptr) {
    auto tariff = ReadItem(document, file);
    if (!tariff) return Propagate(tariff);
    tariffs.push_back(std::move(*tariff));
    return tariffs;
  }
  const auto list = items->Elements();
  if (!list) return Propagate(list);
  for (const Json& item : **list) {
    auto tariff = ReadItem(item, file);
    if (!tariff) return Propagate(tariff);
    tariffs.push_back(std::move(*tariff));
  }
  if (tariffs.empty()) return Fail(ErrorCode::kInvalidArgument, items->where(), "has no tariff", "at least one");
  return tariffs;
}

}  // namespace heliostat::tariff
