#include "heliostat/control/cluster/slurm_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "heliostat/base/core/split.h"
#include "heliostat/control/cluster/slurm_cells.h"

namespace heliostat::cluster {
namespace {

// What Slurm uses when AuthInfo says nothing.
constexpr Duration kUsualCredentialLife{120};

// "Key   = value" a line; the first of a key counts.
class Settings {
 public:
  explicit Settings(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::size_t sign = line.find('=');
      if (sign != std::string_view::npos) {
        values_.try_emplace(Trimmed(line.substr(0, sign)), Trimmed(line.substr(sign + 1)));
      }
    }
  }
  // Empty for an absent value.
  std::string_view Get(std::string_view key) const {
    const auto found = values_.find(key);
    return found == values_.end() ? std::string_view() : Present(found->second);
  }
  std::string Text(std::string_view key) const { return std::string(Get(key)); }
  std::vector<std::string> List(std::string_view key) const { return ParseList(Get(key)); }
  std::optional<Duration> Time(std::string_view key) const { return ParseConfiguredTime(Get(key)); }

 private:
  std::map<std::string_view, std::string_view> values_;
};

bool Has(const std::vector<std::string>& list, std::string_view item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

PowerSaving ReadPowerSaving(const Settings& settings) {
  return {.suspend_program = settings.Text("SuspendProgram"),
          .resume_program = settings.Text("ResumeProgram"),
          .idle_time = settings.Time("SuspendTime"),
          .suspend_timeout = settings.Time("SuspendTimeout").value_or(Duration{}),
          .resume_timeout = settings.Time("ResumeTimeout").value_or(Duration{}),
          .excluded_nodes = settings.List("SuspendExcNodes"),
          .excluded_partitions = settings.List("SuspendExcParts")};
}

Duration CredentialLife(const Settings& settings) {
  constexpr std::string_view kKey = "cred_expire=";
  for (const std::string& part : settings.List("AuthInfo")) {
    if (!part.starts_with(kKey)) continue;
    if (const auto seconds = ParseWhole(std::string_view(part).substr(kKey.size()))) {
      return Duration(std::min<std::int64_t>(*seconds, 86400));
    }
  }
  return kUsualCredentialLife;
}

Accounting AccountingOf(std::string_view type) {
  if (type.empty() || type == "accounting_storage/none") return Accounting::kNone;
  return type == "accounting_storage/slurmdbd" ? Accounting::kDatabase : Accounting::kOther;
}

}  // namespace

Result<ClusterFacts> ParseConfig(std::string_view text) {
  const Settings settings(text);
  ClusterFacts facts;
  facts.kind = "slurm";
  facts.version = settings.Text("SLURM_VERSION");
  facts.name = settings.Text("ClusterName");
  if (facts.version.empty() || facts.name.empty()) {
    return Fail(ErrorCode::kCorrupt, "scontrol show config",
                fmt::format("has no {}", facts.version.empty() ? "SLURM_VERSION" : "ClusterName"));
  }
  facts.controller = settings.Text("SlurmctldHost[0]");
  facts.accounting = AccountingOf(settings.Get("AccountingStorageType"));
  const auto tracked = settings.List("AccountingStorageTRES");
  facts.accounts_gpus = std::any_of(tracked.begin(), tracked.end(), [](const std::string& item) {
    return item == "gres/gpu" || item.starts_with("gres/gpu:");
  });
  facts.keeps_comments = Has(settings.List("AccountingStoreFlags"), "job_comment");
  facts.power_saving = ReadPowerSaving(settings);
  facts.priority_type = settings.Text("PriorityType");
  facts.priority_flags = settings.List("PriorityFlags");
  facts.scheduler_type = settings.Text("SchedulerType");
  facts.scheduler_parameters = settings.List("SchedulerParameters");
  facts.preempt_type = settings.Text("PreemptType");
  facts.preempt_mode = settings.Text("PreemptMode");
  facts.private_data = settings.List("PrivateData");
  facts.requeues_by_default = settings.Get("JobRequeue") != "0";
  facts.credential_life = CredentialLife(settings);
  facts.message_timeout = settings.Time("MessageTimeout").value_or(Duration{});
  facts.memory_of_ended = settings.Time("MinJobAge").value_or(Duration{});
  return facts;
}

}  // namespace heliostat::cluster
