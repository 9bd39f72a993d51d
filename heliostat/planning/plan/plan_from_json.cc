#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "heliostat/planning/plan/plan_json.h"
#include "heliostat/planning/plan/progress.h"

namespace heliostat::plan {
namespace {

using io::Json;

constexpr double kLongestLatencyMs = 1e9;  // longer than any real latency

tl::unexpected<Error> Refuse(const Json& json, std::string what, std::string allowed) {
  return Fail(ErrorCode::kInvalidArgument, json.where(), std::move(what), std::move(allowed));
}

// The value of a required member, read by `get`.
template <typename T>
Result<T> Member(const Json& json, std::string_view key, Result<T> (Json::*get)() const) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return ((*member)->*get)();
}

Result<int> Count(const Json& json, int most) {
  const auto number = json.Integer();
  if (!number) return Propagate(number);
  if (*number < 0 || *number > most) {
    return Refuse(json, fmt::format("{} is out of range", *number), fmt::format("0 to {}", most));
  }
  return static_cast<int>(*number);
}

Result<int> CountMember(const Json& json, std::string_view key, int most) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  return Count(**member, most);
}

Result<double> NumberMember(const Json& json, std::string_view key, double least, double most) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  const auto number = (*member)->Number();
  if (!number) return number;
  if (!(*number >= least && *number <= most)) {
    return Refuse(**member, fmt::format("{} is out of range", *number), fmt::format("{} to {}", least, most));
  }
  return number;
}

Result<Instant> TimeMember(const Json& json, std::string_view key) {
  const auto member = json.Get(key);
  if (!member) return Propagate(member);
  const auto text = (*member)->Text();
  if (!text) return Propagate(text);
  return ParseInstant(*text, (*member)->where());
}

Result<std::optional<double>> NumberOrNull(const Json& json, std::string_view key) {
  const Json* member = json.Find(key);
  if (member == nullptr) return std::optional<double>();
  const auto number = member->Number();
  if (!number) return Propagate(number);
  return std::optional<double>(*number);
}

Result<scenario::GpuSetting> KnobOf(const Json& json) {
  const auto core_mhz = NumberOrNull(json, "core_mhz");
  if (!core_mhz) return Propagate(core_mhz);
  const auto power_limit_w = NumberOrNull(json, "power_limit_w");
  if (!power_limit_w) return Propagate(power_limit_w);
  return scenario::GpuSetting{*core_mhz, *power_limit_w};
}

class Reader {
 public:
  explicit Reader(const scenario::Scenario& scenario) : scenario_(scenario), plan_(EmptyPlan(scenario)) {}

  Result<Plan> Read(const Json& document) {
    if (auto done = ReadSlots(document); !done) return Propagate(done);
    const auto job = [this](std::size_t index, const Json& json) { return ReadJob(index, json); };
    if (auto done = ReadById(document, "jobs", scenario_.jobs, job); !done) return Propagate(done);
    const auto service = [this](std::size_t index, const Json& json) { return ReadService(index, json); };
    if (auto done = ReadById(document, "services", scenario_.services, service); !done) return Propagate(done);
    return std::move(plan_);
  }

 private:
  // The list "slots" of `json`. It must have one entry per slot, each with the time of the slot.
  Result<const Json::Array*> SlotsOf(const Json& json) const {
    const auto list = Member(json, "slots", &Json::Elements);
    if (!list) return list;
    if ((*list)->size() != scenario_.slots) {
      return Refuse(json, fmt::format("has {} slots", (*list)->size()), fmt::format("must have {}", scenario_.slots));
    }
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      const auto time = TimeMember((**list)[slot], "time");
      if (!time) return Propagate(time);
      if (*time != scenario_.SlotSpan(slot).begin) {
        return Refuse((**list)[slot], fmt::format("is for {}", FormatInstant(*time)),
                      fmt::format("must be for {}", FormatInstant(scenario_.SlotSpan(slot).begin)));
      }
    }
    return list;
  }

  Status ReadSlots(const Json& document) {
    const auto list = SlotsOf(document);
    if (!list) return Propagate(list);
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      const auto on = (**list)[slot].Get("nodes_on");
      if (!on) return Propagate(on);
      for (std::size_t group = 0; group < scenario_.groups.size(); ++group) {
        const auto count = CountMember(**on, scenario_.groups[group].name, scenario_.groups[group].nodes);
        if (!count) return Propagate(count);
        plan_.nodes_on[group][slot] = *count;
      }
    }
    return {};
  }

  // Calls `read` for every entry of the list with its index in `known`. Each element of `known` must occur once.
  template <typename Known, typename Read>
  static Status ReadById(const Json& document, std::string_view key, const std::vector<Known>& known,
                         const Read& read) {
    const auto list = Member(document, key, &Json::Elements);
    if (!list) return Propagate(list);
    std::unordered_map<std::string, std::size_t> left;
    for (std::size_t i = 0; i < known.size(); ++i) left.emplace(known[i].id, i);
    for (const Json& entry : **list) {
      const auto id = Member(entry, "id", &Json::Text);
      if (!id) return Propagate(id);
      const auto found = left.find(*id);
      if (found == left.end()) {
        return Refuse(entry, fmt::format("'{}' is not in the scenario or occurs twice", Printable(*id, 60)),
                      "each id of the scenario once");
      }
      if (auto done = read(found->second, entry); !done) return done;
      left.erase(found);
    }
    if (left.empty()) return {};
    return Fail(ErrorCode::kInvalidArgument, document.where(),
                fmt::format("'{}' is missing in {}", Printable(left.begin()->first, 60), key),
                "each id of the scenario once");
  }

  Result<std::size_t> GroupOf(const Json& json) const {
    const auto name = Member(json, "group", &Json::Text);
    if (!name) return Propagate(name);
    for (std::size_t group = 0; group < scenario_.groups.size(); ++group) {
      if (scenario_.groups[group].name == *name) return group;
    }
    return Refuse(json, fmt::format("group '{}' is not in the scenario", Printable(*name, 60)), "");
  }

  Status ReadJob(std::size_t index, const Json& json) {
    const auto list = Member(json, "segments", &Json::Elements);
    if (!list) return Propagate(list);
    for (const Json& entry : **list) {
      const auto segment = ReadSegment(scenario_.jobs[index].model, entry);
      if (!segment) return Propagate(segment);
      plan_.jobs[index].segments.push_back(*segment);
    }
    return ReadHolds(index, json);
  }

  // Documents of earlier versions name no nodes.
  Status ReadHolds(std::size_t index, const Json& json) {
    if (json.Find("nodes") == nullptr || plan_.jobs[index].segments.empty()) return {};
    const auto list = Member(json, "nodes", &Json::Elements);
    if (!list) return Propagate(list);
    Hold hold{.job = index, .group = plan_.jobs[index].segments.front().group};
    const scenario::Group& group = scenario_.groups[hold.group];
    for (const Json& entry : **list) {
      const auto begin = TimeMember(entry, "start");
      if (!begin) return Propagate(begin);
      const auto end = TimeMember(entry, "end");
      if (!end) return Propagate(end);
      const auto node = CountMember(entry, "node", group.nodes - 1);
      if (!node) return Propagate(node);
      const auto gpus = CountMember(entry, "gpus", group.gpus_per_node);
      if (!gpus) return Propagate(gpus);
      hold.span = {*begin, *end};
      hold.node = *node;
      hold.gpus = *gpus;
      plan_.holds.push_back(hold);
    }
    return {};
  }

  Result<Segment> ReadSegment(const std::string& model, const Json& json) const {
    const auto begin = TimeMember(json, "start");
    if (!begin) return Propagate(begin);
    const auto end = TimeMember(json, "end");
    if (!end) return Propagate(end);
    if (*end <= *begin) return Refuse(json, fmt::format("ends at {}", FormatInstant(*end)), "must end after it starts");
    const auto group = GroupOf(json);
    if (!group) return Propagate(group);
    const auto workers = CountMember(json, "workers", std::numeric_limits<int>::max());
    if (!workers) return Propagate(workers);
    const auto knob = KnobOf(json);
    if (!knob) return Propagate(knob);
    const auto& points = scenario_.training.Of(model, scenario_.groups[*group].gpu);
    for (std::size_t point = 0; point < points.size(); ++point) {
      if (points[point].workers == *workers && points[point].knob == *knob) {
        return Segment{{*begin, *end}, *group, point};
      }
    }
    return Refuse(json, fmt::format("no operating point has {} workers at this setting", *workers),
                  "must be a row of the training profiles");
  }

  Status ReadService(std::size_t index, const Json& json) {
    const auto list = SlotsOf(json);
    if (!list) return Propagate(list);
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot) {
      const auto how = ReadServiceSlot(scenario_.services[index].model, (**list)[slot]);
      if (!how) return Propagate(how);
      plan_.services[index].slots[slot] = *how;
    }
    return {};
  }

  Result<ServiceSlot> ReadServiceSlot(const std::string& model, const Json& json) const {
    const auto group = GroupOf(json);
    if (!group) return Propagate(group);
    const auto replicas = CountMember(json, "replicas", scenario_.groups[*group].gpus());
    if (!replicas) return Propagate(replicas);
    if (*replicas == 0) return ServiceSlot{*group, 0, 0, 0.0, Seconds{}};
    const auto utilisation = NumberMember(json, "utilisation", 0.0, 1.0);
    if (!utilisation) return Propagate(utilisation);
    const auto latency_ms = NumberMember(json, "latency_ms", 0.0, kLongestLatencyMs);
    if (!latency_ms) return Propagate(latency_ms);
    const auto batch = CountMember(json, "batch", std::numeric_limits<int>::max());
    if (!batch) return Propagate(batch);
    const auto knob = KnobOf(json);
    if (!knob) return Propagate(knob);
    const auto& points = scenario_.inference.Of(model, scenario_.groups[*group].gpu);
    for (std::size_t point = 0; point < points.size(); ++point) {
      if (points[point].batch == *batch && points[point].knob == *knob) {
        return ServiceSlot{*group, point, *replicas, *utilisation, Seconds(*latency_ms / 1e3)};
      }
    }
    return Refuse(json, fmt::format("no operating point has batch {} at this setting", *batch),
                  "must be a row of the inference profiles");
  }

  const scenario::Scenario& scenario_;
  Plan plan_;
};

}  // namespace

Result<Plan> FromJson(const scenario::Scenario& scenario, const Json& document) {
  return Reader(scenario).Read(document);
}

}  // namespace heliostat::plan
