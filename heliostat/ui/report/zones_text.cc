#include <fmt/format.h>

#include "heliostat/ui/report/zones_page.h"

namespace heliostat::report {
namespace {

Result<std::string> LineOf(std::string_view label, const signal::Signal& signal, const TerminalStyle& style) {
  const auto week = SampleWeek(signal.series);
  if (!week) return Propagate(week);
  const bool is_factor = signal.meaning.kind == signal::Kind::kCapacityFactor;
  return LabelledSparkline(label, week->values(), is_factor ? "of capacity" : signal::UnitText(signal.meaning), style);
}

}  // namespace

Result<std::string> ZonesText(const ZonesOptions& options, const TerminalStyle& terminal) {
  constexpr std::size_t kIndent = 2;
  const TerminalStyle style{terminal.width - kIndent, terminal.is_utf8};
  std::string text = fmt::format("Built-in zones (generated, not measured): a week of April {}, seed {}\n",
                                 options.year, options.seed);
  for (const synthetic::ZoneFacts& facts : synthetic::Zones()) {
    const auto zone = MakeZoneYear(facts, options);
    if (!zone) return Propagate(zone);
    text += facts.stands_for.empty() ? fmt::format("\n{}\n", facts.name)
                                     : fmt::format("\n{} (stands for {})\n", facts.name, facts.stands_for);
    for (const auto& line : {LineOf("carbon", zone->carbon, style), LineOf("sun", zone->solar, style),
                             LineOf("wind", zone->wind, style), LineOf("price", zone->price, style)}) {
      if (!line) return Propagate(line);
      text += fmt::format("  {}\n", *line);
    }
  }
  return text;
}

}  // namespace heliostat::report
