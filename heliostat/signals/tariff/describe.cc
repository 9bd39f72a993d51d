#include "heliostat/signals/tariff/describe.h"

#include <fmt/format.h>

#include <iterator>

namespace heliostat::tariff {
namespace {

std::string Or(const std::string& text, std::string_view otherwise) {
  return text.empty() ? std::string(otherwise) : Printable(text);
}

std::string WindowText(const Window& window) {
  return fmt::format("{:<24} {:<18} {:<12}", Or(window.season.name, "season"), WeekdaysText(window.weekdays),
                     HoursText(window));
}

std::string TiersText(const std::vector<Tier>& tiers) {
  std::string text;
  for (const Tier& tier : tiers) {
    if (!text.empty()) text += ", then ";
    text += fmt::format("{:g}", tier.rate);
    if (tier.up_to) text += fmt::format(" up to {:g} {}", *tier.up_to, Printable(tier.unit, 20));
  }
  return text;
}

std::string EffectiveText(const Tariff& tariff) {
  if (!tariff.effective_from && !tariff.effective_to) return "not given";
  const auto text = [](const std::optional<Instant>& t) { return t ? FormatInstant(*t).substr(0, 10) : "open"; };
  return fmt::format("{} to {}", text(tariff.effective_from), text(tariff.effective_to));
}

}  // namespace

std::string Describe(const Tariff& tariff) {
  std::string text;
  auto out = std::back_inserter(text);
  fmt::format_to(out, "tariff     {}\nutility    {}\nformat     {}\nzone       {}\neffective  {}\n",
                 Or(tariff.name, "without a name"), Or(tariff.utility, "not given"), tariff.format,
                 Or(tariff.time_zone, "not known"), EffectiveText(tariff));
  if (tariff.fixed_per_month) {
    fmt::format_to(out, "fixed      {:g} {} per month\n", *tariff.fixed_per_month, tariff.currency.code());
  }
  fmt::format_to(out, "energy, {}/kWh\n", tariff.currency.code());
  for (const EnergyRate& rate : tariff.rates) {
    fmt::format_to(out, "  {} {}\n", WindowText(rate.when), TiersText(rate.tiers));
  }
  if (!tariff.demand.empty()) fmt::format_to(out, "demand, {}/kW\n", tariff.currency.code());
  for (const DemandCharge& charge : tariff.demand) {
    for (const Window& window : charge.when) {
      fmt::format_to(out, "  {} {:g} {}{}{}\n", WindowText(window), charge.per_kw, Printable(charge.assessed, 20),
                     charge.name.empty() ? "" : ", ", Printable(charge.name, 60));
    }
  }
  for (const std::string& note : tariff.notes) fmt::format_to(out, "note: {}\n", Printable(note));
  return text;
}

}  // namespace heliostat::tariff
