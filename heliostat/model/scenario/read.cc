#include "heliostat/model/scenario/read.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "heliostat/base/core/nearest.h"
#include "heliostat/base/io/file.h"
#include "heliostat/base/io/toml.h"
#include "heliostat/base/io/toml_members.h"
#include "heliostat/model/scenario/read_group.h"
#include "heliostat/model/scenario/read_parts.h"
#include "heliostat/model/scenario/validate.h"

namespace heliostat::scenario {
namespace {

using io::Toml;
using io::TomlMembers;
using namespace std::chrono_literals;

constexpr std::array<std::string_view, 12> kKeys{"name",   "start",    "step_minutes", "slots",
                                                 "pue",    "currency", "performance",  "signals",
                                                 "groups", "profiles", "workload",     "baseline"};
constexpr std::array<std::string_view, 3> kSignalKeys{"carbon", "renewable", "price"};
constexpr std::array<std::string_view, 5> kOneSignalKeys{"file", "column", "unit", "scenarios", "carbon_g_per_kwh"};
constexpr std::array<std::string_view, 2> kProfileKeys{"training", "inference"};
constexpr std::array<std::string_view, 2> kWorkloadKeys{"jobs", "services"};
constexpr std::int64_t kMinutesPerDay = 1440;

class Reader {
 public:
  Reader(const Toml& document, const std::string& name, const FileSource& files)
      : document_(document),
        folder_(std::filesystem::path(name).parent_path()),
        files_([&files](const std::string& path) { return Load(files, path); }),
        signals_(files_),
        paths_(signals_, scenario_) {}

  Result<WithPaths> Read() {
    for (const auto step : {&Reader::ReadFrame, &Reader::ReadGroups, &Reader::ReadSignals, &Reader::ReadProfiles,
                            &Reader::RefuseUnknownGpus, &Reader::ReadWorkload}) {
      if (const auto bad = (this->*step)(); !bad) return Propagate(bad);
    }
    // A last check of the whole scenario; the checks of rows should have found all errors.
    if (const auto bad = Validate(scenario_); !bad) return Propagate(bad);
    if (const auto bad = ValidatePaths(scenario_, paths_.paths()); !bad) return Propagate(bad);
    return WithPaths{std::move(scenario_), paths_.paths(), std::move(past_)};
  }

 private:
  Status ReadFrame() {
    TomlMembers members(document_, kKeys);
    scenario_.name = members.Text("name");
    scenario_.start = members.Time("start");
    const std::int64_t minutes = members.Integer("step_minutes");
    if (minutes < 1 || minutes > kMinutesPerDay || kMinutesPerDay % minutes != 0) {
      members.Refuse("step_minutes", fmt::format("is {}", minutes), "must divide a day, such as 5, 15, 30 or 60");
    }
    scenario_.slots = static_cast<std::size_t>(members.Count("slots"));
    scenario_.pue = members.Number("pue");
    const std::string performance = members.TextOrNone("performance");
    if (performance != "" && performance != "throughput" && performance != "headroom") {
      members.Refuse("performance", fmt::format("is '{}'", Printable(performance, 40)),
                     "must be throughput or headroom");
    }
    scenario_.performance = performance == "headroom" ? Performance::kHeadroom : Performance::kThroughput;
    scenario_.baseline = members.TextOrNone("baseline");
    ReadCurrency(members);
    if (!members.status()) return members.status();
    scenario_.step = std::chrono::minutes{minutes};
    return RefuseAt(document_, FrameFlaw(scenario_));
  }

  // Only prices need a currency.
  void ReadCurrency(TomlMembers& members) {
    const Toml* signals = document_.Find("signals");
    const bool has_prices = signals != nullptr && signals->Find("price") != nullptr;
    const std::string code = has_prices ? members.Text("currency") : members.TextOrNone("currency");
    if (code.empty() && document_.Find("currency") == nullptr) return;
    const auto currency = Currency::Parse(code);
    if (currency) scenario_.currency = *currency;
    if (!currency) {
      members.Refuse("currency", fmt::format("is '{}'", Printable(code, 20)), "must be an ISO 4217 code such as EUR");
    }
  }

  Status ReadGroups() {
    const auto groups = document_.Get("groups");
    if (!groups) return Propagate(groups);
    const auto elements = (*groups)->Elements();
    if (!elements) return Propagate(elements);
    if ((*elements)->empty()) return (*groups)->Refuse("is empty", "a cluster needs at least one group");
    std::set<std::string> names;
    for (const Toml& element : **elements) {
      if (const auto bad = ReadGroup(element); !bad) return bad;
      const std::string& name = scenario_.groups.back().name;
      if (names.insert(name).second) continue;
      return element.Find("name")->Refuse(fmt::format("is '{}', as that of an earlier group", Printable(name, 40)),
                                          "names must differ");
    }
    return {};
  }

  Status ReadGroup(const Toml& element) {
    TomlMembers members(element, kGroupKeys);
    Group group;
    ReadNodeClass(members, group);
    group.nodes = members.Count("nodes");
    if (!members.status()) return members.status();
    scenario_.groups.push_back(std::move(group));
    return RefuseAt(element, GroupFlaw(scenario_.groups.back()));
  }

  Status ReadSignals() {
    const auto signals = document_.Get("signals");
    if (!signals) return Propagate(signals);
    if (const auto bad = (*signals)->RefuseOtherKeys(kSignalKeys); !bad) return bad;
    const auto carbon = (*signals)->Get("carbon");
    if (!carbon) return Propagate(carbon);
    const auto grams = ReadSignal(**carbon, SignalRole::kCarbon);
    if (!grams) return Propagate(grams);
    for (const double g : *grams) scenario_.carbon.push_back(GramsPerKwh(g));
    if (const auto bad = ReadSignalPaths(**carbon, SignalRole::kCarbon); !bad) return bad;
    if (const auto bad = ReadRenewable((*signals)->Find("renewable")); !bad) return bad;
    const Toml* price = (*signals)->Find("price");
    if (price == nullptr) return {};
    auto prices = ReadSignal(*price, SignalRole::kPrice);
    if (!prices) return Propagate(prices);
    scenario_.price_per_kwh = *std::move(prices);
    return ReadSignalPaths(*price, SignalRole::kPrice);
  }

  Status ReadRenewable(const Toml* renewable) {
    scenario_.renewable.assign(scenario_.slots, Watts{});
    if (renewable == nullptr) return {};
    TomlMembers members(*renewable, kOneSignalKeys);
    const double grams = members.NumberOr("carbon_g_per_kwh", 0.0);
    if (grams < 0.0) members.Refuse("carbon_g_per_kwh", fmt::format("is {}", grams), "must be 0 or more");
    if (!members.status()) return members.status();
    scenario_.renewable_carbon = GramsPerKwh(grams);
    const auto kilowatts = ReadSignal(*renewable, SignalRole::kRenewable);
    if (!kilowatts) return Propagate(kilowatts);
    for (std::size_t slot = 0; slot < scenario_.slots; ++slot)
      scenario_.renewable[slot] = Kilowatts((*kilowatts)[slot]);
    return ReadSignalPaths(*renewable, SignalRole::kRenewable);
  }

  Result<std::vector<double>> ReadSignal(const Toml& signal, SignalRole role) {
    // Only on-site power has a carbon intensity of its own.
    const auto known = std::span(kOneSignalKeys).first(role == SignalRole::kRenewable ? 5 : 4);
    TomlMembers members(signal, known);
    const std::string file = members.Text("file");
    const std::string column = members.Text("column");
    const std::string unit = members.TextOrNone("unit");
    if (!members.status()) return Propagate(members.status());
    const SignalSource source{PathOf(file), column, unit};
    auto& before = role == SignalRole::kCarbon  ? past_.carbon
                   : role == SignalRole::kPrice ? past_.price
                                                : past_.renewable;
    before = signals_.Before(source, role, scenario_);
    return signals_.PerSlot(source, role, scenario_);
  }

  // For a signal whose keys ReadSignal() has checked.
  Status ReadSignalPaths(const Toml& signal, SignalRole role) {
    const Toml* scenarios = signal.Find("scenarios");
    if (scenarios == nullptr) return {};
    const auto file = scenarios->Text();
    if (!file) return Propagate(file);
    return paths_.Read(PathOf(*file), role);
  }

  Status ReadProfiles() {
    const auto profiles = document_.Get("profiles");
    if (!profiles) return Propagate(profiles);
    TomlMembers members(**profiles, kProfileKeys);
    const std::string training = members.Text("training");
    const std::string inference = members.TextOrNone("inference");
    if (!members.status()) return members.status();
    if (const auto bad = ReadTable(training, ReadTraining); !bad) return bad;
    return inference.empty() ? Status() : ReadTable(inference, ReadInference);
  }

  // A GPU without any profile is probably misspelt.
  Status RefuseUnknownGpus() {
    std::set<std::string_view> gpus;
    for (const auto& [key, points] : scenario_.training.all()) gpus.insert(key.second);
    for (const auto& [key, points] : scenario_.inference.all()) gpus.insert(key.second);
    if (gpus.empty()) return {};
    const auto elements = (*document_.Get("groups"))->Elements();
    for (std::size_t i = 0; i < scenario_.groups.size(); ++i) {
      const std::string& gpu = scenario_.groups[i].gpu;
      if (gpus.contains(gpu)) continue;
      const std::vector<std::string_view> known(gpus.begin(), gpus.end());
      return (**elements)[i].Find("gpu")->Refuse(fmt::format("'{}' is in no profile", Printable(gpu, 40)),
                                                 OneOf(gpu, known));
    }
    return {};
  }

  Status ReadWorkload() {
    const auto workload = document_.Get("workload");
    if (!workload) return Propagate(workload);
    TomlMembers members(**workload, kWorkloadKeys);
    const std::string jobs = members.Text("jobs");
    const std::string services = members.TextOrNone("services");
    if (!members.status()) return members.status();
    if (const auto bad = ReadTable(jobs, ReadJobs); !bad) return bad;
    return services.empty() ? Status() : ReadAllServices(services);
  }

  Status ReadAllServices(const std::string& file) {
    const auto text = files_(PathOf(file));
    if (!text) return Propagate(text);
    const auto sources = ReadServices(*text, PathOf(file), scenario_);
    if (!sources) return Propagate(sources);
    for (std::size_t i = 0; i < sources->size(); ++i) {
      const RateSource& source = (*sources)[i];
      auto rates = signals_.PerSlot({PathOf(source.file), source.column}, SignalRole::kRate, scenario_);
      if (!rates) return Propagate(rates);
      scenario_.services[i].requests_per_s = *std::move(rates);
      past_.requests.push_back(signals_.Before({PathOf(source.file), source.column}, SignalRole::kRate, scenario_));
      if (source.scenarios.empty()) continue;
      if (const auto bad = paths_.ReadRates(PathOf(source.scenarios), i); !bad) return bad;
    }
    return {};
  }

  template <typename ReadRows>
  Status ReadTable(const std::string& file, ReadRows read_rows) {
    const auto text = files_(PathOf(file));
    if (!text) return Propagate(text);
    return read_rows(*text, PathOf(file), scenario_);
  }

  static Result<std::string> Load(const FileSource& files, const std::string& path) {
    auto text = files(path);
    if (!text && text.error().allowed.empty()) text.error().allowed = "the scenario names it, so it must be readable";
    return text;
  }

  std::string PathOf(const std::string& file) const { return (folder_ / file).string(); }

  const Toml& document_;
  std::filesystem::path folder_;
  FileSource files_;
  SignalFiles signals_;
  Scenario scenario_;
  Past past_;
  PathReader paths_;
};

// A missing file or column is an error of the scenario file, independent of where it was found.
template <typename T>
Result<T> AsInputFault(Result<T> read) {
  if (!read && read.error().code != ErrorCode::kInternal) read.error().code = ErrorCode::kInvalidArgument;
  return read;
}

}  // namespace

Result<WithPaths> ReadTextWithPaths(std::string_view toml, const std::string& name, const FileSource& files) {
  const auto document = Toml::Parse(toml, name);
  if (!document) return Propagate(document);
  return AsInputFault(Reader(*document, name, files).Read());
}

Result<Scenario> ReadText(std::string_view toml, const std::string& name, const FileSource& files) {
  auto read = ReadTextWithPaths(toml, name, files);
  if (!read) return Propagate(read);
  return std::move(read->scenario);
}

Result<Scenario> Read(const std::string& path) {
  const auto text = io::ReadFile(path);
  if (!text) return AsInputFault<Scenario>(Propagate(text));
  return ReadText(*text, path, io::ReadFile);
}

}  // namespace heliostat::scenario
