#include <fmt/format.h>

#include <memory>

#include "heliostat/control/loop/fields.h"
#include "heliostat/ui/cli/cluster_ask.h"
#include "heliostat/ui/cli/command.h"
#include "heliostat/ui/cli/output_files.h"
#include "heliostat/ui/report/cluster_page.h"

namespace heliostat::cli {
namespace {

using io::Json;
using loop::LogFields;
using report::ClusterPast;

ClusterPast::Used UsedIn(const Json& json) {
  return {KilowattHours(NumberIn(json, "energy_kwh")), Grams{1000.0 * NumberIn(json, "carbon_kg")},
          NumberIn(json, "cost")};
}

ClusterPast::Used UsedIn(const Json& json, std::string_view key) {
  const Json* const member = json.Find(key);
  return member == nullptr ? ClusterPast::Used{} : UsedIn(*member);
}

ClusterPast::Range RangeIn(const Json& json, std::string_view key, double unit) {
  const Json* const member = json.Find(key);
  if (member == nullptr) return {};
  return {unit * NumberIn(*member, "value"), unit * NumberIn(*member, "low"), unit * NumberIn(*member, "high")};
}

std::size_t CountIn(const Json& json, std::string_view key) { return static_cast<std::size_t>(NumberIn(json, key)); }

ClusterPast::Slot SlotIn(const Json& json, LogFields& fields) {
  ClusterPast::Slot slot;
  slot.span = {fields.Time("begin"), fields.Time("end")};
  slot.was = UsedIn(json, "was");
  if (const Json* const would = json.Find("would_have_been")) slot.would_have_been = UsedIn(*would);
  slot.gpus_was = fields.Number("gpus_was");
  slot.gpus_would_have_been = fields.MaybeNumber("gpus_would_have_been");
  slot.carbon_g_per_kwh = fields.MaybeNumber("carbon_g_per_kwh");
  slot.price_per_kwh = fields.MaybeNumber("price_per_kwh");
  slot.renewable_kw = fields.MaybeNumber("renewable_kw");
  return slot;
}

ClusterPast::MovedJob MovedIn(const Json& json, LogFields& fields) {
  ClusterPast::MovedJob job{fields.Text("id"), fields.Text("job"), fields.Text("user"), {}, {}, {}, {}};
  const auto moved = json.Get("moved");
  if (!moved) {
    fields.Refuse(moved.error());
    return job;
  }
  LogFields of(**moved);
  job.from = of.Time("from");
  job.to = of.MaybeTime("to");
  if (const auto saved = of.MaybeNumber("saved_carbon_kg")) job.saved_carbon = Grams{1000.0 * *saved};
  job.saved_cost = of.MaybeNumber("saved_cost");
  if (!of.status()) fields.Refuse(of.status().error());
  return job;
}

ClusterPast::LateJob LateIn(const Json& json, LogFields& fields) {
  const Json* const shadow = json.Find("shadow");
  const double late = shadow == nullptr ? 0.0 : NumberIn(*shadow, "late_s");
  return {fields.Text("id"), fields.Text("job"), fields.Text("user"), fields.Text("allowed"),
          Duration{static_cast<std::int64_t>(late)}};
}

ClusterPast::User UserIn(const Json& json, LogFields& fields) {
  return {fields.Text("user"), CountIn(json, "jobs"), UsedIn(json, "used")};
}

ClusterPast::Group GroupIn(const Json& json, LogFields& fields) {
  return {fields.Text("group"),
          fields.Text("gpu"),
          fields.Count("nodes"),
          fields.Count("gpus"),
          Watts{fields.Number("node_base_w")},
          Watts{fields.Number("gpu_idle_w")},
          Watts{fields.Number("gpu_busy_w")},
          fields.Number("gpu_busy_error"),
          fields.Boolean("is_estimated"),
          KilowattHours(NumberIn(json, "energy_kwh"))};
}

// The elements of a list, each read by `read`. The first that cannot be read sets the status of `fields`.
template <typename T>
void ReadList(LogFields& fields, std::string_view key, std::vector<T>& into, T (*read)(const Json&, LogFields&)) {
  for (const Json& element : fields.Elements(key)) {
    LogFields of(element);
    into.push_back(read(element, of));
    if (!of.status()) fields.Refuse(of.status().error());
  }
}

Result<ClusterPast> PastIn(const Json& answer) {
  LogFields fields(answer);
  ClusterPast past;
  past.cluster = fields.Text("cluster");
  past.version = fields.Text("version");
  past.mode = fields.Text("mode");
  past.policy = fields.Text("policy");
  past.currency = fields.Text("currency");
  past.begun = fields.Time("since");
  past.looked = fields.Time("looked");
  for (const Json& problem : fields.Elements("problems")) past.problems.push_back(problem.Text().value_or(""));
  past.used = UsedIn(answer, "used");
  past.unused = UsedIn(answer, "unused");
  if (const Json* const shadow = answer.Find("shadow")) {
    past.comparison = {UsedIn(*shadow, "was"),
                       UsedIn(*shadow, "would_have_been"),
                       UsedIn(*shadow, "outstanding"),
                       RangeIn(*shadow, "saved_carbon_kg", 1000.0),
                       RangeIn(*shadow, "saved_cost", 1.0),
                       CountIn(*shadow, "jobs_done"),
                       CountIn(*shadow, "jobs_waiting"),
                       CountIn(*shadow, "jobs_late")};
  }
  past.jobs_moved = CountIn(answer, "jobs_moved");
  ReadList(fields, "slots", past.slots, SlotIn);
  ReadList(fields, "moved", past.moved, MovedIn);
  ReadList(fields, "late", past.late, LateIn);
  ReadList(fields, "users", past.users, UserIn);
  ReadList(fields, "groups", past.groups, GroupIn);
  if (!fields.status()) return Propagate(fields.status());
  return past;
}

Result<Output> Report(const ControllerAddress& address, const std::string& file, const Options& options) {
  std::vector<OutputFile> files{{"--output", file, ""}};
  if (file.empty() && !options.wants_json)
    return Fail(ErrorCode::kInvalidArgument, "command line", "nothing to write", "give -o FILE.html or --json");
  if (const auto bad = RefuseTargets(files, {}, options); !bad) return Propagate(bad);
  auto answer = AskController(address, Json().Set("ask", "history"));
  if (!answer) return Propagate(answer);
  const auto past = PastIn(*answer);
  if (!past) return Propagate(past);
  auto page = report::ClusterPage(*past, options.made_by);
  if (!page) return Propagate(page);
  files[0].text = *std::move(page);
  if (const auto bad = WriteAll(files); !bad) return Propagate(bad);
  Output output{"", *std::move(answer)};
  if (!file.empty()) output.files = fmt::format("report: {}\n", file);
  return output;
}

}  // namespace

Command InstallClusterReport(const Syntax& syntax, Options& options) {
  auto address = std::make_shared<ControllerAddress>();
  auto file = std::make_shared<std::string>();
  syntax.AddOption("-o,--output FILE", *file, "Write one self-contained HTML page to this file");
  AddControllerAddress(syntax, *address);
  syntax.Footer(
      "The page says what the policy would have saved, as a range, with charts of the past 104 days, the jobs that it "
      "would\nhave moved, and energy per user and node group.\n\nExample: heliostat cluster report -o saved.html");
  return [address, file, &options] { return Report(*address, *file, options); };
}

}  // namespace heliostat::cli
