#include "heliostat/node/agent/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <span>
#include <utility>

namespace heliostat::agent {
namespace {

using device::Knob;
using device::Setting;
using io::Json;

constexpr const char* kWhere = "request";
constexpr const char* kIsStarting = "is starting";
constexpr const char* kIsTooLong = "has too long an answer";
constexpr std::size_t kMostNameBytes = 96;
constexpr std::int64_t kMostIndex = 9999;
constexpr double kMostWatts = 1e5;
constexpr std::int64_t kMostMegahertz = 100'000;
constexpr std::int64_t kMostPid = 1 << 22;  // the kernel's limit

constexpr std::array<std::pair<Knob, const char*>, 3> kSettingKeys{{{Knob::kPowerLimit, "power_limit_w"},
                                                                    {Knob::kCoreClock, "core_clock_mhz"},
                                                                    {Knob::kMemoryClock, "memory_clock_mhz"}}};

constexpr std::array<std::pair<ErrorCode, std::string_view>, 8> kCodes{{
    {ErrorCode::kInvalidArgument, "invalid-argument"},
    {ErrorCode::kInfeasible, "infeasible"},
    {ErrorCode::kNotFound, "not-found"},
    {ErrorCode::kPermissionDenied, "permission-denied"},
    {ErrorCode::kUnsupported, "unsupported"},
    {ErrorCode::kUnavailable, "unavailable"},
    {ErrorCode::kCorrupt, "corrupt"},
    {ErrorCode::kInternal, "internal"},
}};

tl::unexpected<Error> Refuse(std::string_view key, std::string what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", kWhere, key), std::move(what), std::move(allowed));
}

Status RefuseOtherFields(const Json& json, std::span<const std::string_view> known) {
  const auto members = json.Members();
  if (!members) return Propagate(members);
  for (const Json::Member& member : **members) {
    if (std::find(known.begin(), known.end(), member.first) != known.end()) continue;
    return Refuse(Printable(member.first, 60), "is not a field of this request",
                  fmt::format("known: {}", fmt::join(known, ", ")));
  }
  return {};
}

bool IsPrintableText(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7F; });
}

// A short text of printable ASCII: it goes into logs, journals and the terminals of other users.
Result<std::string> ReadText(const Json& json, std::string_view key, std::size_t most) {
  auto text = json.Text();
  if (!text) return Propagate(text);
  if (text->size() > most || !IsPrintableText(*text)) {
    return Refuse(key, "is too long or not printable", fmt::format("must be at most {} printable characters", most));
  }
  return text;
}

Result<std::int64_t> ReadWhole(const Json& json, std::string_view key, std::int64_t lowest, std::int64_t highest) {
  const auto number = json.Integer();
  if (!number) return Propagate(number);
  if (*number < lowest || *number > highest) {
    return Refuse(key, fmt::format("is {}", *number), fmt::format("must be {} to {}", lowest, highest));
  }
  return number;
}

Result<GpuSelector> ReadGpu(const Json& json) {
  if (json.is_number()) {
    const auto index = ReadWhole(json, "gpu", 0, kMostIndex);
    if (!index) return Propagate(index);
    return fmt::format("{}", *index);
  }
  auto name = ReadText(json, "gpu", kMostNameBytes);
  if (!name) return Propagate(name);
  if (name->empty()) return Refuse("gpu", "is empty", "must be an index, a UUID or the beginning of one");
  const bool is_index = std::all_of(name->begin(), name->end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  if (!is_index) return name;
  // "007" becomes "7", so that a GPU has one name.
  const auto first = std::min(name->find_first_not_of('0'), name->size() - 1);
  if (name->size() - first > 4) return Refuse("gpu", "is not an index", fmt::format("must be 0 to {}", kMostIndex));
  return name->substr(first);
}

Result<std::string> ReadLease(const Json& json) {
  const auto lease = json.Get("lease");
  if (!lease) return Propagate(lease);
  auto text = ReadText(**lease, "lease", kMostNameBytes);
  if (text && text->empty()) return Refuse("lease", "is empty", "must be a lease's id");
  return text;
}

Result<std::chrono::seconds> ReadTtl(const Json& json) {
  const auto found = json.Get("ttl_s");
  if (!found) return Propagate(found);
  const auto seconds = ReadWhole(**found, "ttl_s", 1, kLongestTtl.count());
  if (!seconds) return Propagate(seconds);
  return std::chrono::seconds(*seconds);
}

Result<Setting> ReadLimit(const Json& json) {
  const auto watts = json.Number();
  if (!watts) return Propagate(watts);
  // Drivers count in milliwatts; less than one would round to 0.
  if (!(*watts >= 1e-3) || *watts > kMostWatts) {
    return Refuse("power_limit_w", fmt::format("is {}", *watts),
                  fmt::format("must be above 0 and at most {}", kMostWatts));
  }
  return Setting::PowerLimit(Watts{*watts});
}

Result<Setting> ReadClock(const Json& json, Knob knob, std::string_view key) {
  std::int64_t bounds[2] = {0, 0};
  if (json.is_array()) {
    const auto elements = json.Elements();
    if ((*elements)->size() != 2)
      return Refuse(key, "is a list of the wrong length", "must be [lowest, highest] or one number");
    for (std::size_t i = 0; i < 2; ++i) {
      const auto bound = ReadWhole((**elements)[i], key, 1, kMostMegahertz);
      if (!bound) return Propagate(bound);
      bounds[i] = *bound;
    }
    if (bounds[1] < bounds[0]) return Refuse(key, "has its highest below its lowest", "must be [lowest, highest]");
  } else {
    const auto both = ReadWhole(json, key, 1, kMostMegahertz);
    if (!both) return Propagate(both);
    bounds[0] = bounds[1] = *both;
  }
  return Setting{knob, false, bounds[0], bounds[1]};
}

Result<Setting> ReadWanted(const Json& json) {
  std::optional<Result<Setting>> wanted;
  for (const auto& [knob, key] : kSettingKeys) {
    const Json* found = json.Find(key);
    if (found == nullptr) continue;
    if (wanted) return Refuse(key, "is a second setting", "one request sets one knob");
    wanted = knob == Knob::kPowerLimit ? ReadLimit(*found) : ReadClock(*found, knob, key);
  }
  if (wanted) return *wanted;
  return Fail(ErrorCode::kInvalidArgument, kWhere, "has no setting",
              "needs power_limit_w, core_clock_mhz or memory_clock_mhz");
}

Result<Request> ReadSet(const Json& json) {
  constexpr std::array<std::string_view, 8> kFields{
      "do", "gpu", "power_limit_w", "core_clock_mhz", "memory_clock_mhz", "ttl_s", "pid", "job"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  AskSet ask;
  const auto gpu = json.Get("gpu");
  if (!gpu) return Propagate(gpu);
  auto name = ReadGpu(**gpu);
  if (!name) return Propagate(name);
  ask.gpu = *std::move(name);
  const auto wanted = ReadWanted(json);
  if (!wanted) return Propagate(wanted);
  ask.wanted = *wanted;
  const auto ttl = ReadTtl(json);
  if (!ttl) return Propagate(ttl);
  ask.ttl = *ttl;
  if (const Json* found = json.Find("pid")) {
    const auto pid = ReadWhole(*found, "pid", kOwnProcess, kMostPid);
    if (!pid) return Propagate(pid);
    ask.pid = static_cast<pid_t>(*pid);
  }
  if (const Json* found = json.Find("job")) {
    auto job = ReadText(*found, "job", kMostJobBytes);
    if (!job) return Propagate(job);
    ask.job = *std::move(job);
  }
  return Request(std::move(ask));
}

Result<Request> ReadShow(const Json& json) {
  constexpr std::array<std::string_view, 2> kFields{"do", "gpu"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  const auto found = json.Get("gpu");
  if (!found) return Propagate(found);
  auto gpu = ReadGpu(**found);
  if (!gpu) return Propagate(gpu);
  return Request(AskShow{*std::move(gpu)});
}

Result<Request> ReadLeases(const Json& json) {
  constexpr std::array<std::string_view, 4> kFields{"do", "all", "limit", "after"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  AskLeases ask;
  if (const Json* found = json.Find("all")) {
    const auto all = found->Boolean();
    if (!all) return Propagate(all);
    ask.all = *all;
  }
  if (const Json* found = json.Find("limit")) {
    const auto limit = ReadWhole(*found, "limit", 1, kMostLeasesPerPage);
    if (!limit) return Propagate(limit);
    ask.limit = static_cast<int>(*limit);
  }
  if (const Json* found = json.Find("after")) {
    if (!ask.limit) return Refuse("after", "comes without limit", "a page has both");
    auto after = ReadText(*found, "after", kMostNameBytes);
    if (!after) return Propagate(after);
    ask.after = *std::move(after);
  }
  return Request(std::move(ask));
}

Result<Request> ReadRenew(const Json& json) {
  constexpr std::array<std::string_view, 3> kFields{"do", "lease", "ttl_s"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  auto lease = ReadLease(json);
  if (!lease) return Propagate(lease);
  const auto ttl = ReadTtl(json);
  if (!ttl) return Propagate(ttl);
  return Request(AskRenew{*std::move(lease), *ttl});
}

Result<Request> ReadRelease(const Json& json) {
  constexpr std::array<std::string_view, 2> kFields{"do", "lease"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  auto lease = ReadLease(json);
  if (!lease) return Propagate(lease);
  return Request(AskRelease{*std::move(lease)});
}

Result<Request> ReadReset(const Json& json) {
  constexpr std::array<std::string_view, 2> kFields{"do", "gpu"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  const Json* found = json.Find("gpu");
  if (found == nullptr) return Request(AskReset{});
  auto gpu = ReadGpu(*found);
  if (!gpu) return Propagate(gpu);
  return Request(AskReset{*std::move(gpu)});
}

template <typename Ask>
Result<Request> ReadPlain(const Json& json) {
  constexpr std::array<std::string_view, 1> kFields{"do"};
  if (const auto known = RefuseOtherFields(json, kFields); !known) return Propagate(known);
  return Request(Ask{});
}

// In the order of the alternatives of Request.
struct Verb {
  std::string_view name;
  Result<Request> (*read)(const Json&);
};
constexpr std::array<Verb, std::variant_size_v<Request>> kVerbs{{{"status", ReadPlain<AskStatus>},
                                                                 {"list", ReadPlain<AskList>},
                                                                 {"show", ReadShow},
                                                                 {"leases", ReadLeases},
                                                                 {"rights", ReadPlain<AskRights>},
                                                                 {"set", ReadSet},
                                                                 {"renew", ReadRenew},
                                                                 {"release", ReadRelease},
                                                                 {"reset", ReadReset}}};

Json DescribeGpu(const GpuSelector& gpu) {
  const bool is_index = std::all_of(gpu.begin(), gpu.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
  return is_index && gpu.size() <= 4 ? Json(std::stoi(gpu)) : Json(gpu);
}

}  // namespace

bool IsWrite(const Request& request) {
  return std::holds_alternative<AskSet>(request) || std::holds_alternative<AskRenew>(request) ||
         std::holds_alternative<AskRelease>(request) || std::holds_alternative<AskReset>(request);
}

std::string_view NameOf(const Request& request) { return kVerbs[request.index()].name; }

Result<Request> ParseRequest(std::string_view line) {
  if (line.size() > kMostRequestBytes) {
    return Fail(ErrorCode::kInvalidArgument, kWhere, "is too long", fmt::format("at most {} bytes", kMostRequestBytes));
  }
  const auto json = Json::Parse(line, kWhere);
  if (!json) return Propagate(json);
  const auto what = json->Get("do");
  if (!what) return Propagate(what);
  const auto name = (*what)->Text();
  if (!name) return Propagate(name);
  const auto verb = std::find_if(kVerbs.begin(), kVerbs.end(), [&](const Verb& v) { return v.name == *name; });
  if (verb != kVerbs.end()) return verb->read(*json);
  return Refuse("do", fmt::format("is '{}'", Printable(*name, 40)),
                "must be status, list, show, leases, rights, set, renew, release or reset");
}

Json Describe(const Request& request) {
  Json json;
  json.Set("do", NameOf(request));
  if (const auto* show = std::get_if<AskShow>(&request)) json.Set("gpu", DescribeGpu(show->gpu));
  if (const auto* leases = std::get_if<AskLeases>(&request)) {
    if (leases->all) json.Set("all", true);
    if (leases->limit) json.Set("limit", *leases->limit);
    if (!leases->after.empty()) json.Set("after", leases->after);
  }
  if (const auto* set = std::get_if<AskSet>(&request)) {
    json.Set("gpu", DescribeGpu(set->gpu));
    const Setting& wanted = set->wanted;
    for (const auto& [knob, key] : kSettingKeys) {
      if (knob != wanted.knob) continue;
      if (knob == Knob::kPowerLimit) {
        json.Set(key, wanted.limit().value);
      } else {
        json.Set(key, Json::Array{wanted.low, wanted.high});
      }
    }
    json.Set("ttl_s", static_cast<std::int64_t>(set->ttl.count()));
    if (set->pid) json.Set("pid", static_cast<std::int64_t>(*set->pid));
    if (!set->job.empty()) json.Set("job", set->job);
  }
  if (const auto* renew = std::get_if<AskRenew>(&request)) {
    json.Set("lease", renew->lease).Set("ttl_s", static_cast<std::int64_t>(renew->ttl.count()));
  }
  if (const auto* release = std::get_if<AskRelease>(&request)) json.Set("lease", release->lease);
  if (const auto* reset = std::get_if<AskReset>(&request); reset != nullptr && reset->gpu) {
    json.Set("gpu", DescribeGpu(*reset->gpu));
  }
  return json;
}

Error StartingError() { return {ErrorCode::kUnavailable, "agent", kIsStarting, "try again"}; }

bool IsStarting(const Error& error) { return error.code == ErrorCode::kUnavailable && error.what == kIsStarting; }

Error TooLongError() {
  return {ErrorCode::kInvalidArgument, kWhere, kIsTooLong, "ask in pages: limit, and after for the next one"};
}

bool IsTooLong(const Error& error) { return error.code == ErrorCode::kInvalidArgument && error.what == kIsTooLong; }

std::string ErrorAnswer(const Error& error) {
  Json json;
  const auto code =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const auto& known) { return known.first == error.code; });
  json.Set("ok", false).Set("code", code->second).Set("where", Printable(error.where, 400));
  json.Set("what", Printable(error.what, 600)).Set("allowed", Printable(error.allowed, 600));
  return json.Line();
}

Result<Json> ReadAnswer(std::string_view line, const std::string& where) {
  auto json = Json::Parse(line, where);
  if (!json) return Propagate(json);
  const auto found = json->Get("ok");
  if (!found) return Propagate(found);
  const auto ok = (*found)->Boolean();
  if (!ok) return Propagate(ok);
  if (*ok) return json;
  const auto text = [&](std::string_view key) {
    const Json* part = json->Find(key);
    return part != nullptr && part->is_text() ? *part->Text() : std::string();
  };
  const auto code =
      std::find_if(kCodes.begin(), kCodes.end(), [&](const auto& known) { return known.second == text("code"); });
  return Fail(code == kCodes.end() ? ErrorCode::kInternal : code->first, text("where"), text("what"), text("allowed"));
}

}  // namespace heliostat::agent
