#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "heliostat/base/core/clock.h"
#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/report/axis.h"
#include "heliostat/ui/report/terminal.h"

namespace heliostat::cli {

using report::NumberText;

namespace {

const io::Json& PartOf(const io::Json& json, std::string_view key) {
  static const io::Json kNone;
  const io::Json* const part = json.Find(key);
  return part == nullptr ? kNone : *part;
}

std::string Money(double cost, const std::string& currency) {
  if (currency.empty()) return "";
  // Small clusters spend less than a cent.
  return std::abs(cost) < 1.0 ? fmt::format(", {} {}", NumberText(cost, 2), currency)
                              : fmt::format(", {:.2f} {}", cost, currency);
}

// Differences of equal numbers are not always 0.
double Kilograms(const io::Json& json, std::string_view key) {
  const double number = NumberIn(json, key);
  return std::abs(number) < 1e-6 ? 0.0 : number;
}

// What the shadow would have saved, with what it does not know.
std::string ShadowText(const io::Json& status, const std::string& currency) {
  const io::Json* const shadow = status.Find("shadow");
  if (shadow == nullptr) return "";
  const io::Json& carbon = PartOf(*shadow, "saved_carbon_kg");
  const double before = NumberIn(PartOf(*shadow, "was"), "carbon_kg");
  const double saved = Kilograms(carbon, "value");
  std::string text = fmt::format("would save  {} kg CO2e", NumberText(saved));
  if (before > 0.0) text += fmt::format(" of {} kg ({:.1f} %)", NumberText(before), 100.0 * saved / before);
  text += fmt::format(", between {} and {}{}\n", NumberText(Kilograms(carbon, "low")),
                      NumberText(Kilograms(carbon, "high")),
                      Money(NumberIn(PartOf(*shadow, "saved_cost"), "value"), currency));
  text +=
      fmt::format("in shadow   {:g} jobs done, {:g} of them late; {:g} still wait that the cluster has started\n",
                  NumberIn(*shadow, "jobs_done"), NumberIn(*shadow, "jobs_late"), NumberIn(*shadow, "jobs_waiting"));
  if (const double owed = NumberIn(PartOf(*shadow, "outstanding"), "energy_kwh"); owed > 0.0) {
    text += fmt::format("            it still owes work of {} kWh, which the saving allows for\n", NumberText(owed));
  }
  return text;
}

// "2026-11-19T20:11:00Z, 3 s ago".
std::string AgoText(const std::string& time) {
  const auto then = ParseInstant(time, "looked");
  if (!then) return time;
  const Duration ago = SystemClock().Now() - *then;
  return ago < Duration{0} ? time : fmt::format("{}, {} ago", time, FormatDuration(ago));
}

std::string LooksText(const io::Json& status) {
  const std::string looked = TextIn(status, "looked");
  if (looked.empty()) return "last look   none yet\n";
  return fmt::format("last look   {}\n", AgoText(looked));
}

std::string UsedText(const io::Json& status, const std::string& currency) {
  const io::Json& used = PartOf(status, "used");
  const double it = NumberIn(used, "energy_kwh");
  const double facility = NumberIn(used, "facility_kwh");
  std::string text = fmt::format("used        {} kWh", NumberText(it, 4));
  if (facility > it * 1.0001) text += fmt::format(" ({} kWh with PUE)", NumberText(facility, 4));
  text +=
      fmt::format(", {} kg CO2e{}", NumberText(NumberIn(used, "carbon_kg")), Money(NumberIn(used, "cost"), currency));
  return text + fmt::format(" since {}\n", TextIn(status, "since"));
}

std::string ModeText(const io::Json& status) {
  const std::string mode = TextIn(status, "mode");
  if (mode == "observe") return "observe: accounts only, changes nothing";
  return fmt::format("{}: decides with {}, changes nothing", mode, TextIn(status, "policy"));
}

std::string TextOf(const io::Json& status) {
  const io::Json& jobs = PartOf(status, "jobs");
  const io::Json& nodes = PartOf(status, "nodes");
  const std::string currency = TextIn(status, "currency");
  const std::string cluster = TextIn(status, "cluster");
  std::string text = cluster.empty() ? std::string("cluster     not known yet\n")
                                     : fmt::format("cluster     {} ({})\n", cluster, TextIn(status, "version"));
  text += fmt::format("mode        {}\n", ModeText(status));
  text += fmt::format("jobs        {:g} running, {:g} waiting\n", NumberIn(jobs, "running"), NumberIn(jobs, "waiting"));
  text += fmt::format("nodes       {:g} up, {:g} asleep, {:g} waking, {:g} down\n", NumberIn(nodes, "up"),
                      NumberIn(nodes, "asleep"), NumberIn(nodes, "waking"), NumberIn(nodes, "down"));
  text += fmt::format("power       {} kW (estimated)", NumberText(NumberIn(status, "power_kw")));
  if (!PartOf(status, "carbon_g_per_kwh").is_null())
    text += fmt::format(", at {:.0f} gCO2e/kWh", NumberIn(status, "carbon_g_per_kwh"));
  text += "\n" + UsedText(status, currency) + ShadowText(status, currency) + LooksText(status);
  const auto problems = PartOf(status, "problems").Elements();
  if (!problems || (*problems)->empty()) {
    text += "problems    none\n";
  } else {
    for (const io::Json& problem : **problems) {
      text += (&problem == &(*problems)->front() ? "problems    " : "            ") +
              Printable(problem.Text().value_or(""), 10'000) + "\n";
    }
  }
  return report::Wrapped(text, report::TerminalWidth());
}

}  // namespace

Command InstallClusterStatus(const Syntax& syntax, Options& /*options*/) {
  auto address = std::make_shared<ControllerAddress>();
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "In mode shadow it says what the policy would have saved, as a range: watts are estimated, and the time of work\n"
      "that the shadow still owes is not known.\n\nExample: heliostat cluster status --json");
  return [address]() -> Result<Output> {
    auto status = AskController(*address, io::Json().Set("ask", "status"));
    if (!status) return Propagate(status);
    return Output{TextOf(*status), *std::move(status)};
  };
}

}  // namespace heliostat::cli
