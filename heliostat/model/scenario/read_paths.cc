#include <fmt/format.h>

#include "heliostat/model/scenario/read_parts.h"

namespace heliostat::scenario {
namespace {

template <typename Quantity, typename Convert>
std::vector<std::vector<Quantity>> In(const std::vector<std::vector<double>>& paths, Convert convert) {
  std::vector<std::vector<Quantity>> converted;
  for (const auto& path : paths) {
    auto& values = converted.emplace_back();
    values.reserve(path.size());
    for (const double value : path) values.push_back(convert(value));
  }
  return converted;
}

}  // namespace

Result<std::vector<std::vector<double>>> PathReader::Open(const std::string& file, SignalRole role) {
  auto paths = files_.AllPerSlot(file, role, scenario_);
  if (!paths) return paths;
  if (first_.empty()) {
    first_ = file;
    paths_.count = paths->size();
  }
  if (paths->size() == paths_.count) return paths;
  return Fail(ErrorCode::kInvalidArgument, file, fmt::format("has {} scenarios", paths->size()),
              fmt::format("must be {}, as in {}: those of the same number belong together", paths_.count,
                          Printable(first_, 80)));
}

Status PathReader::Read(const std::string& file, SignalRole role) {
  auto paths = Open(file, role);
  if (!paths) return Propagate(paths);
  if (role == SignalRole::kCarbon) paths_.carbon = In<CarbonIntensity>(*paths, GramsPerKwh);
  if (role == SignalRole::kRenewable) paths_.renewable = In<Watts>(*paths, Kilowatts);
  if (role == SignalRole::kPrice) paths_.price_per_kwh = *std::move(paths);
  return {};
}

Status PathReader::ReadRates(const std::string& file, std::size_t service) {
  auto paths = Open(file, SignalRole::kRate);
  if (!paths) return Propagate(paths);
  paths_.requests_per_s.resize(scenario_.services.size());
  paths_.requests_per_s[service] = *std::move(paths);
  return {};
}

}  // namespace heliostat::scenario
