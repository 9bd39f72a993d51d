#include "heliostat/ui/console/doctor.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>

#include "heliostat/base/core/made_up.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/journal.h"
#include "heliostat/node/agent/client.h"
#include "heliostat/node/gpu_access/control.h"
#include "heliostat/node/lease/folder.h"

namespace heliostat::console {
namespace {

using Findings = std::vector<DoctorFinding>;

// The capability that a process needs to change GPU settings. Root has it unless it was dropped.
constexpr unsigned kCapSysAdmin = 21;

bool MaySetGpus() {
  const auto status = io::ReadFile("/proc/self/status");
  const std::size_t at = status ? status->find("CapEff:\t") : std::string::npos;
  if (at == std::string::npos) return ::geteuid() == 0;
  unsigned long long held = 0;
  std::from_chars(status->data() + at + 8, status->data() + status->size(), held, 16);
  return ((held >> kCapSysAdmin) & 1U) != 0;
}

void ExamineDriver(const gpu_access::Gpus& gpus, Findings& findings) {
  const auto troubles = gpus.driver->troubles();
  if (gpus.driver->name() == "none") {
    findings.push_back({"driver", Health::kNote, "none: " + troubles.front(),
                        "to control GPUs, install the NVIDIA driver; plans, forecasts and simulations need none"});
    return;
  }
  findings.push_back({"driver", Health::kOk,
                      fmt::format("{} {}, {} GPU{}", gpus.driver->name(), gpus.driver->version(), gpus.all.size(),
                                  gpus.all.size() == 1 ? "" : "s"),
                      ""});
  for (const std::string& trouble : troubles) {
    // A trouble is either a GPU that cannot be opened or a function that the driver library lacks.
    const bool is_card = trouble.starts_with("GPU ");
    findings.push_back({"driver", is_card ? Health::kProblem : Health::kNote, trouble,
                        is_card ? "see the kernel log (dmesg); a reset of the GPU or a reboot may help"
                                : "install a newer driver; all other functions work without it"});
  }
}

// The time that one reading takes, in microseconds.
template <typename Read>
double MicrosecondsOf(Read read) {
  const auto start = std::chrono::steady_clock::now();
  read();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

void ExamineReadings(device::Gpu& gpu, const std::string& subject, Findings& findings) {
  const auto reading = gpu.Read();
  if (!reading) {
    findings.push_back({subject, Health::kProblem, reading.error().what, reading.error().allowed});
    return;
  }
  const double read_us = MicrosecondsOf([&] { (void)gpu.Read(); });
  if (!gpu.abilities().has_energy_counter) {
    findings.push_back({subject, Health::kNote,
                        fmt::format("{}, no energy counter: energy is integrated from power ({:.0f} µs per reading)",
                                    gpu.identity().name, read_us),
                        ""});
  } else {
    const double count_us = MicrosecondsOf([&] { (void)gpu.Energy(); });
    findings.push_back({subject, Health::kOk,
                        fmt::format("{}, readings take {:.0f} µs, the energy counter {:.0f} µs", gpu.identity().name,
                                    read_us, count_us),
                        ""});
  }
  const auto limit = gpu.Stands(Knob::kPowerLimit);
  if (limit && reading->enforced_limit && *reading->enforced_limit < limit->limit() - Watts{0.5}) {
    findings.push_back({subject, Health::kNote,
                        fmt::format("limit {} but {} W enforced: the board or the chassis sets a lower limit",
                                    limit->Text(), reading->enforced_limit->value),
                        "check the management controller (BMC) of the machine"});
  }
  if ((reading->throttle & (device::kThrottleThermal | device::kThrottleHardware)) != 0) {
    findings.push_back({subject, Health::kProblem, "held back by " + device::ThrottleText(reading->throttle),
                        "check cooling and power supply; no setting of Heliostat helps"});
  }
}

void ExamineGpu(device::Gpu& gpu, Findings& findings) {
  const std::string subject = fmt::format("GPU {}", gpu.identity().index);
  ExamineReadings(gpu, subject, findings);
  if (!gpu.abilities().has_power_limit) {
    findings.push_back({subject, Health::kNote, "its power limit cannot be set", "set core clocks instead"});
  }
  const auto details = gpu.Inspect();
  if (!details) return;
  if (details->is_persistent == false) {
    findings.push_back({subject, Health::kNote,
                        "persistence mode is off: settings are lost when no program uses the GPU",
                        "run nvidia-smi -pm 1, or heliostatd, which keeps the driver loaded"});
  }
  if (details->is_mig == true) {
    findings.push_back(
        {subject, Health::kNote, "split into instances (MIG): settings and readings are for the whole GPU", ""});
  }
}

void ExamineState(const Environment& environment, Findings& findings) {
  const std::string folder = gpu_access::StateFolder(environment).value_or("");
  const auto journals = lease::JournalsIn(folder);
  if (journals.empty()) return;
  findings.push_back({"leases", Health::kNote,
                      fmt::format("no agent runs, and {} holds journals of {} GPU{}", folder, journals.size(),
                                  journals.size() == 1 ? "" : "s"),
                      "heliostat device leases lists them; heliostat device reset all restores all settings"});
  for (const std::string& journal : journals) {
    for (const std::string& copy : io::Journal::DamagedCopies(journal)) {
      findings.push_back({"leases", Health::kProblem, fmt::format("{} was damaged: its GPU gets no new leases", copy),
                          "check the settings of the GPU, then remove the file"});
    }
  }
}

void ExamineRights(agent::Client& client, Findings& findings) {
  const auto rights = client.Ask(agent::AskRights{});
  if (!rights) return;
  const io::Json* const is_root = rights->Find("is_root");
  if (is_root != nullptr && is_root->Boolean().value_or(false)) {
    findings.push_back({"rights", Health::kOk, "you are root: you may change every setting", ""});
    return;
  }
  const io::Json* const allowed = rights->Find("allowed");
  if (allowed == nullptr || !allowed->is_array()) return;
  if ((*allowed->Elements())->empty()) {
    findings.push_back({"rights", Health::kNote, "you may read GPUs, but not change settings",
                        "ask the operator to grant rights in /etc/heliostat/agent.toml ([[allow]])"});
  }
  for (const io::Json& one : **allowed->Elements()) {
    const io::Json* const text = one.Find("text");
    findings.push_back(
        {"rights", Health::kOk, "you may set " + (text == nullptr ? "?" : text->Text().value_or("?")), ""});
  }
}

std::optional<std::int64_t> CountOf(const io::Json& number) {
  const auto count = number.Integer();
  return count ? std::optional(*count) : std::nullopt;
}

void ExamineAgent(const Environment& environment, bool may_set, bool has_gpus, Findings& findings) {
  const std::string path = agent::SocketPath(environment);
  auto client = agent::Client::Connect(path);
  if (!client) {
    const bool is_absent = client.error().code == ErrorCode::kNotFound;
    findings.push_back({"agent", !is_absent || (has_gpus && !may_set) ? Health::kProblem : Health::kNote,
                        is_absent ? fmt::format("no agent listens at {}", path) : client.error().Line(),
                        "start it: systemctl start heliostatd; without it settings need root and do not end on time"});
    if (is_absent) ExamineState(environment, findings);
    return;
  }
  const auto status = client->Ask(agent::AskStatus{});
  if (!status) {
    findings.push_back({"agent", Health::kProblem, status.error().Line(), "see its log: journalctl -u heliostatd"});
    return;
  }
  const io::Json* const version = status->Find("version");
  const io::Json* const leases = status->Find("leases");
  // An agent that is starting does not know its leases yet.
  const auto count = leases == nullptr ? std::nullopt : CountOf(*leases);
  findings.push_back({"agent", Health::kOk,
                      fmt::format("{} at {}, {}", version == nullptr ? "?" : version->Text().value_or("?"), path,
                                  count ? fmt::format("{} leases", *count) : "is starting"),
                      ""});
  if (const io::Json* const troubles = status->Find("troubles"); troubles != nullptr && troubles->is_array()) {
    for (const io::Json& trouble : **troubles->Elements())
      findings.push_back({"agent", Health::kProblem, trouble.Text().value_or("?"), "see its log"});
  }
  ExamineRights(*client, findings);
}

}  // namespace

std::vector<DoctorFinding> Examine(const Environment& environment) {
  const auto gpus = gpu_access::OpenGpus(environment);
  if (gpus) return Examine(*gpus, environment);
  Findings findings{{"driver", Health::kProblem, gpus.error().Line(), ""}};
  ExamineAgent(environment, MaySetGpus(), false, findings);
  return findings;
}

std::vector<DoctorFinding> Examine(const gpu_access::Gpus& gpus, const Environment& environment) {
  Findings findings;
  ExamineDriver(gpus, findings);
  for (const auto& gpu : gpus.all) ExamineGpu(*gpu, findings);
  if (!gpus.all.empty() && IsMadeUp(gpus.all.front()->identity().name)) {
    findings.push_back(
        {"permission", Health::kOk, "the GPUs are made up: every user may set them, and no agent is asked", ""});
    return findings;
  }
  const bool may_set = MaySetGpus();
  if (!gpus.all.empty()) {
    findings.push_back({"permission", may_set ? Health::kOk : Health::kNote,
                        may_set ? "this process may change GPU settings itself"
                                : "this process may not change GPU settings itself (no CAP_SYS_ADMIN)",
                        may_set ? "" : "use the agent, which changes settings for users whom its policy allows"});
  }
  ExamineAgent(environment, may_set, !gpus.all.empty(), findings);
  return findings;
}

TextAndJson Tell(const std::vector<DoctorFinding>& findings, bool is_utf8) {
  TextAndJson told;
  io::Json rows{io::Json::Array{}};
  bool is_healthy = true;
  std::size_t width = 9;
  for (const DoctorFinding& finding : findings) width = std::max(width, finding.subject.size());
  for (const DoctorFinding& finding : findings) {
    const bool is_problem = finding.health == Health::kProblem;
    is_healthy = is_healthy && !is_problem;
    const char* const name = is_problem ? "problem" : finding.health == Health::kNote ? "note" : "ok";
    const char* const mark = is_problem                        ? (is_utf8 ? "✗" : "x")
                             : finding.health == Health::kNote ? (is_utf8 ? "·" : "-")
                                                               : (is_utf8 ? "✓" : "+");
    told.text += fmt::format("{} {:<{}}  {}\n", mark, finding.subject, width, finding.what);
    if (!finding.fix.empty())
      told.text += fmt::format("  {:<{}}  {} {}\n", "", width, is_utf8 ? "→" : "->", finding.fix);
    io::Json row;
    row.Set("subject", finding.subject).Set("health", name).Set("what", finding.what);
    rows.Append(row.Set("fix", finding.fix.empty() ? io::Json() : io::Json(finding.fix)));
  }
  told.text += is_healthy ? "no problem found\n" : "problems found: see the lines above\n";
  told.json.Set("healthy", is_healthy).Set("findings", std::move(rows));
  return told;
}

}  // namespace heliostat::console
