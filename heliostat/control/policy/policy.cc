#include "heliostat/control/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/nearest.h"
#include "heliostat/control/policy/catalog.h"
#include "heliostat/control/policy/node_sleep_policy.h"

namespace heliostat::policy {
namespace {

constexpr std::string_view kSleep = "+sleep";

std::string_view WithoutSleep(std::string_view name) {
  return name.ends_with(kSleep) ? name.substr(0, name.size() - kSleep.size()) : name;
}

Result<Info> Find(std::string_view name) {
  for (const Info& info : Policies()) {
    if (info.name == WithoutSleep(name)) return info;
  }
  std::vector<std::string_view> names;
  for (const Info& info : Policies()) names.push_back(info.name);
  return Fail(ErrorCode::kInvalidArgument, "policy", fmt::format("there is no policy {}", name), OneOf(name, names));
}

}  // namespace

std::span<const Info> Policies() {
  static const std::vector<Info> kAll = AllPolicies();
  return kAll;
}

Result<std::unique_ptr<Policy>> Make(std::string_view name, const PolicyOptions& options) {
  const auto info = Find(name);
  if (!info) return Propagate(info);
  auto policy = info->make(options);
  if (name.ends_with(kSleep) && !policy->MindsNodes()) policy = std::make_unique<NodeSleepPolicy>(std::move(policy));
  return policy;
}

Result<std::string> Describe(std::string_view name) {
  const auto info = Find(name);
  if (!info) return Propagate(info);
  return name.ends_with(kSleep) ? fmt::format("{}; idle nodes sleep", info->description)
                                : std::string(info->description);
}

}  // namespace heliostat::policy
