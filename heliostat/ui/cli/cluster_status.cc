#include <fmt/format.h>

#include <memory>

#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"

namespace heliostat::cli {
namespace {

const io::Json& PartOf(const io::Json& json, std::string_view key) {
  static const io::Json kNone;
  const io::Json* const part = json.Find(key);
  return part == nullptr ? kNone : *part;
}

std::string Money(double cost, const std::string& currency) {
  return currency.empty() ? "" : fmt::format(", {:.2f} {}", cost, currency);
}

// What the shadow would have saved, with what it does not know.
std::string ShadowText(const io::Json& status, const std::string& currency) {
  const io::Json* const shadow = status.Find("shadow");
  if (shadow == nullptr) return "";
  const io::Json& carbon = PartOf(*shadow, "saved_carbon_kg");
  const io::Json& was = PartOf(*shadow, "was");
  const double before = NumberIn(was, "carbon_kg");
  const double saved = NumberIn(carbon, "value");
  std::string text = fmt::format("would save  {:.3g} kg CO2e", saved);
  if (before > 0.0) text += fmt::format(" of {:.3g} kg ({:.1f} %)", before, 100.0 * saved / before);
  text += fmt::format(", between {:.3g} and {:.3g}{}\n", NumberIn(carbon, "low"), NumberIn(carbon, "high"),
                      Money(NumberIn(PartOf(*shadow, "saved_cost"), "value"), currency));
  return text + fmt::format("            {:g} jobs done on the twin, {:g} of them late, {:g} wait there\n",
                            NumberIn(*shadow, "jobs_done"), NumberIn(*shadow, "jobs_late"),
                            NumberIn(*shadow, "jobs_waiting"));
}

std::string TextOf(const io::Json& status) {
  const io::Json& jobs = PartOf(status, "jobs");
  const io::Json& nodes = PartOf(status, "nodes");
  const io::Json& used = PartOf(status, "used");
  const std::string currency = TextIn(status, "currency");
  const auto healthy = PartOf(status, "healthy").Boolean();
  std::string text = fmt::format("cluster     {} ({}), mode {}, policy {}\n", TextIn(status, "cluster"),
                                 TextIn(status, "version"), TextIn(status, "mode"), TextIn(status, "policy"));
  text += fmt::format("jobs        {:g} running, {:g} waiting\n", NumberIn(jobs, "running"), NumberIn(jobs, "waiting"));
  text += fmt::format("nodes       {:g} up, {:g} asleep, {:g} waking, {:g} down\n", NumberIn(nodes, "up"),
                      NumberIn(nodes, "asleep"), NumberIn(nodes, "waking"), NumberIn(nodes, "down"));
  text += fmt::format("power       {:.3g} kW (estimated)", NumberIn(status, "power_kw"));
  if (status.Find("carbon_g_per_kwh") != nullptr)
    text += fmt::format(", {:.0f} gCO2e/kWh", NumberIn(status, "carbon_g_per_kwh"));
  text += fmt::format("\nused        {:.4g} kWh, {:.3g} kg CO2e{} since {}\n", NumberIn(used, "energy_kwh"),
                      NumberIn(used, "carbon_kg"), Money(NumberIn(used, "cost"), currency), TextIn(status, "since"));
  text += ShadowText(status, currency);
  text += fmt::format("health      {}, last look {}, {:.2g} s\n", healthy && *healthy ? "good" : "TROUBLE",
                      TextIn(status, "looked"), NumberIn(status, "last_cycle_s"));
  if (const auto problems = PartOf(status, "problems").Elements()) {
    for (const io::Json& problem : **problems) text += "            " + problem.Text().value_or("") + "\n";
  }
  return text;
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
