#include "heliostat/signals/tariff/read.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/signals/tariff/acn_tariff.h"
#include "heliostat/signals/tariff/calendar.h"
#include "heliostat/signals/tariff/csv_tariff.h"
#include "heliostat/signals/tariff/urdb.h"

namespace heliostat::tariff {
namespace {

enum class Format { kNone, kUrdb, kAcn, kCsv };

std::string_view SkipBlanks(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  const auto first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

Format FormatOf(std::string_view text) {
  text = SkipBlanks(text);
  const auto has = [&](std::string_view word) { return text.find(word) != std::string_view::npos; };
  if (text.starts_with('{')) {
    if (has("\"energyratestructure\"") || has("\"energyweekdayschedule\"")) return Format::kUrdb;
    if (has("\"dow_mask\"") || (has("\"schedule\"") && has("\"tariffs\""))) return Format::kAcn;
    return Format::kNone;
  }
  return IsCsvTariffHeader(text.substr(0, text.find('\n'))) ? Format::kCsv : Format::kNone;
}

Result<std::vector<Tariff>> One(Result<Tariff> tariff) {
  if (!tariff) return Propagate(tariff);
  return std::vector<Tariff>{std::move(*tariff)};
}

Result<std::vector<Tariff>> ReadAs(Format format, std::string_view text, const std::string& file) {
  if (format == Format::kCsv) return One(ReadCsvTariff(text, file));
  const auto document = io::Json::Parse(text, file);
  if (!document) return Propagate(document);
  return format == Format::kUrdb ? ReadUrdb(*document, file) : One(ReadAcnTariff(*document, file));
}

void NoteTiers(Tariff& tariff) {
  if (std::ranges::any_of(tariff.rates, [](const EnergyRate& rate) { return rate.tiers.size() > 1; })) {
    tariff.notes.emplace_back("rates have tiers by consumption: a price series shows the first tier");
  }
}

std::string NamesOf(const std::vector<Tariff>& tariffs) {
  std::string names;
  for (const Tariff& tariff : tariffs) names += fmt::format("{}'{}'", names.empty() ? "" : ", ", tariff.name);
  return names;
}

}  // namespace

bool LooksLikeTariff(std::string_view text) { return FormatOf(text) != Format::kNone; }

Result<std::vector<Tariff>> ReadTariffs(std::string_view text, const std::string& file) {
  const Format format = FormatOf(text);
  if (format == Format::kNone) {
    return Fail(ErrorCode::kInvalidArgument, file,
                SkipBlanks(text).empty() ? "is empty" : "is not a tariff of a known format",
                "OpenEI URDB JSON, an acnportal schedule, or a CSV table of charges with month_start, hour_start, ...");
  }
  auto tariffs = ReadAs(format, text, file);
  if (!tariffs) return Propagate(tariffs);
  for (Tariff& tariff : *tariffs) {
    if (const auto calendar = RateCalendar::Make(tariff); !calendar) return Propagate(calendar);
    NoteTiers(tariff);
  }
  return tariffs;
}

Result<Tariff> ReadTariff(std::string_view text, const std::string& file, std::string_view name) {
  auto tariffs = ReadTariffs(text, file);
  if (!tariffs) return Propagate(tariffs);
  if (name.empty()) {
    if (tariffs->size() == 1) return std::move(tariffs->front());
    return Fail(ErrorCode::kInvalidArgument, file, fmt::format("holds {} tariffs", tariffs->size()),
                "name one of " + NamesOf(*tariffs));
  }
  const auto found = std::ranges::find(*tariffs, name, &Tariff::name);
  if (found != tariffs->end()) return std::move(*found);
  return Fail(ErrorCode::kNotFound, file, fmt::format("has no tariff '{}'", Printable(name, 80)),
              "one of " + NamesOf(*tariffs));
}

}  // namespace heliostat::tariff
