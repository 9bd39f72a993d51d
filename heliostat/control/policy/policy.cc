#include "heliostat/control/policy/policy.h"

#include <fmt/format.h>

#include <algorithm>

#include "heliostat/base/core/nearest.h"
#include "heliostat/control/policy/catalog.h"
#include "heliostat/control/policy/node_sleep_policy.h"

namespace heliostat::policy {
namespace {

constexpr std::string_view kSleep = "+sleep";
constexpr std::string_view kAfresh = "+afresh";

// A name in the catalog and what follows it.
struct Named {
  std::string_view base;
  bool sleeps = false;
  bool plans_afresh = false;
};

Named Split(std::string_view name) {
  Named named{name};
  const auto take = [&](std::string_view suffix, bool& has) {
    if (has || !named.base.ends_with(suffix)) return false;
    named.base.remove_suffix(suffix.size());
    return has = true;
  };
  while (take(kSleep, named.sleeps) || take(kAfresh, named.plans_afresh)) {
  }
  return named;
}

Result<Info> Find(std::string_view name) {
  const Named named = Split(name);
  for (const Info& info : Policies()) {
    if (info.name != named.base) continue;
    if (named.plans_afresh && !info.make({})->Replans()) {
      return Fail(ErrorCode::kInvalidArgument, "policy", fmt::format("{} makes no plans", info.name),
                  fmt::format("{} without {}", info.name, kAfresh));
    }
    return info;
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
  const Named named = Split(name);
  PolicyOptions own = options;
  own.plans_afresh = own.plans_afresh || named.plans_afresh;
  auto policy = info->make(own);
  if (named.sleeps && !policy->MindsNodes()) policy = std::make_unique<NodeSleepPolicy>(std::move(policy));
  return policy;
}

Result<std::string> Describe(std::string_view name) {
  const auto info = Find(name);
  if (!info) return Propagate(info);
  const Named named = Split(name);
  return fmt::format("{}{}{}", info->description, named.sleeps ? "; idle nodes sleep" : "",
                     named.plans_afresh ? "; every plan from a long search of its own" : "");
}

}  // namespace heliostat::policy
