#include "heliostat/ui/cli/simulate_requests.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/model/workload/requests.h"

namespace heliostat::cli {
namespace {

// The most requests per service: more would take too long to simulate one by one.
constexpr double kMostRequests = 1e8;

Result<std::size_t> FindService(const scenario::Scenario& scenario, const std::string& id) {
  std::vector<std::string_view> known;
  for (std::size_t s = 0; s < scenario.services.size(); ++s) {
    if (scenario.services[s].id == id) return s;
    known.push_back(scenario.services[s].id);
  }
  return Fail(ErrorCode::kInvalidArgument, "--requests", fmt::format("'{}' is not a service", Printable(id, 60)),
              known.empty() ? "the scenario has no services" : OneOf(id, known));
}

sim::Requests Repeated(const workload::RequestTrace& trace, double horizon_s) {
  sim::Requests requests;
  double begin = 0.0;
  while (begin < horizon_s) {
    for (std::size_t i = 0; i < trace.size() && begin + trace.arrival_s[i] < horizon_s; ++i) {
      requests.arrival_s.push_back(begin + trace.arrival_s[i]);
      requests.work.push_back(trace.work[i]);
    }
    begin += trace.period_s();
  }
  return requests;
}

}  // namespace

Status UseRequests(const std::vector<std::string>& wishes, scenario::Scenario& scenario,
                   sim::SimulationOptions& options, std::vector<std::string>& inputs) {
  for (const std::string& wish : wishes) {
    const std::size_t equals = wish.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == wish.size()) {
      return Fail(ErrorCode::kInvalidArgument, "--requests", fmt::format("'{}' is incomplete", Printable(wish, 60)),
                  "SERVICE=FILE");
    }
    const auto service = FindService(scenario, wish.substr(0, equals));
    if (!service) return Propagate(service);
    const std::string file = wish.substr(equals + 1);
    inputs.push_back(file);
    const auto text = io::ReadFile(file);
    if (!text) return Propagate(text);
    const auto trace = workload::ReadRequests(*text, file);
    if (!trace) return Propagate(trace);
    const double horizon_s = Seconds(scenario.end() - scenario.start).count();
    if (trace->rate() * horizon_s > kMostRequests) {
      return Fail(ErrorCode::kInvalidArgument, file, fmt::format("gives {:.3g} requests", trace->rate() * horizon_s),
                  fmt::format("no more than {:.0e} in the horizon", kMostRequests));
    }
    auto rates = workload::RatesPerSlot(*trace, scenario.step, scenario.slots, true);
    if (!rates) return Propagate(rates);
    scenario.services[*service].requests_per_s = std::move(*rates);
    options.requests[*service] = Repeated(*trace, horizon_s);
  }
  return {};
}

}  // namespace heliostat::cli
