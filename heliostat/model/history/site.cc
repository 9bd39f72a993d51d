#include "heliostat/model/history/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "heliostat/model/profile/cells.h"
#include "heliostat/model/profile/library.h"

namespace heliostat::history {
namespace {

// GPUs per node where nothing tells it.
constexpr int kUsualGpus = 8;

// A node and a kind of its GPUs. A node with two kinds counts as two.
struct Host {
  std::string name;
  std::string gpu;
  friend auto operator<=>(const Host&, const Host&) = default;
};

// A node of the site.
struct Place {
  std::size_t group = 0;
  int node = 0;
};

// The most GPUs in use at a time. GPUs that are freed in a second can be used in it again.
class Peak {
 public:
  void Add(const Interval& span, int gpus) {
    changes_.push_back({span.begin, gpus});
    changes_.push_back({span.end, -gpus});
  }
  int Most() {
    std::ranges::sort(changes_);
    int now = 0;
    int most = 0;
    for (const auto& [time, gpus] : changes_) most = std::max(most, now += gpus);
    return most;
  }

 private:
  std::vector<std::pair<Instant, int>> changes_;
};

// GPUs of each node of a run, as even as possible. Slurm does not tell them.
int ShareOf(int gpus, std::size_t hosts, std::size_t host) {
  const int count = static_cast<int>(hosts);
  return gpus / count + (static_cast<int>(host) < gpus % count ? 1 : 0);
}

// The name without its numbers: nodes that differ in numbers only are alike.
std::string StemOf(const std::string& name) {
  std::string stem;
  for (const char c : name) {
    if (std::isdigit(static_cast<unsigned char>(c)) == 0) stem += c;
  }
  return stem;
}

// Finds the site of one record. Used once.
class SiteFinder {
 public:
  SiteFinder(const Record& record, const SiteOptions& options, const workload::Catalogue& catalogue, std::string where)
      : record_(record), options_(options), catalogue_(catalogue), where_(std::move(where)) {}

  Result<Site> Find() {
    if (auto bad = FindGpus(); !bad) return Propagate(bad);
    CountUse();
    if (options_.hardware.empty()) {
      MakeGroups();
      AddUnnamed();
    } else {
      site_.hardware = options_.hardware;
      if (auto bad = CheckGiven(); !bad) return Propagate(bad);
      TakeGiven();
    }
    for (std::size_t i = 0; i < record_.jobs.size(); ++i) site_.recorded.push_back(RecordedOf(i));
    Tell();
    return std::move(site_);
  }

 private:
  std::map<std::string, std::string> TypesOfHosts() const;
  Status FindGpus();
  std::optional<std::string> GpuFor(const std::string& type) const;
  tl::unexpected<Error> RefuseType(const std::string& type, std::size_t jobs) const;
  void CountUse();
  void MakeGroups();
  void AddUnnamed();
  Status CheckGiven() const;
  void TakeGiven();
  scenario::Recorded RecordedOf(std::size_t job);
  int GpusOf(const std::string& gpu) const;
  void Tell();

  const Record& record_;
  const SiteOptions& options_;
  const workload::Catalogue& catalogue_;
  std::string where_;
  Site site_;
  std::map<Host, int> most_used_;     // GPUs at a time
  std::map<std::string, int> peaks_;  // by GPU
  std::map<Host, Place> places_;
  std::size_t types_by_node_ = 0;
  std::size_t raised_ = 0;         // nodes
  std::size_t across_groups_ = 0;  // runs
  std::size_t unplaced_ = 0;       // nodes that the given groups do not hold
  std::set<std::string> unnamed_;  // GPUs of jobs without nodes
};

// The type of the GPUs of each node, by the jobs that name it.
std::map<std::string, std::string> SiteFinder::TypesOfHosts() const {
  std::map<std::string, std::map<std::string, double>> hours;
  for (const PastJob& job : record_.jobs) {
    if (job.type.empty()) continue;
    for (const PastRun& run : job.runs) {
      for (const std::string& host : run.hosts) hours[host][job.type] += job.gpu_hours();
    }
  }
  std::map<std::string, std::string> types;
  for (const auto& [host, of_type] : hours) {
    types[host] = std::ranges::max_element(of_type, {}, &std::pair<const std::string, double>::second)->first;
  }
  return types;
}

std::optional<std::string> SiteFinder::GpuFor(const std::string& type) const {
  const auto given = options_.gpu_types.find(type);
  if (given != options_.gpu_types.end()) return given->second;
  if (auto known = type.empty() ? std::nullopt : GpuOfType(type, catalogue_)) return known;
  std::set<std::string> kinds;
  for (const workload::Hardware& one : options_.hardware) kinds.insert(one.gpu);
  return kinds.size() == 1 ? std::optional(*kinds.begin()) : std::nullopt;
}

tl::unexpected<Error> SiteFinder::RefuseType(const std::string& type, std::size_t jobs) const {
  std::vector<std::string> known(catalogue_.own_gpus());
  for (const std::string_view gpu : profile::LibraryGpus()) known.emplace_back(gpu);
  const std::string names = fmt::format("{}", fmt::join(known, ", "));
  if (type.empty()) {
    return Fail(ErrorCode::kInvalidArgument, where_, fmt::format("does not tell the type of the GPUs of {} jobs", jobs),
                fmt::format("name the GPU in option 'gpu-types', such as any=A100; known are {}", names));
  }
  const std::string shown = Printable(type, 40);
  return Fail(ErrorCode::kInvalidArgument, where_,
              fmt::format("there is no profile of its GPU type '{}' ({} jobs)", shown, jobs),
              fmt::format("known are {}; name a similar one in option 'gpu-types', such as {}=A100, or give your own "
                          "with option 'profiles'",
                          names, shown));
}

Status SiteFinder::FindGpus() {
  const std::map<std::string, std::string> of_hosts = TypesOfHosts();
  std::map<std::string, std::size_t> unknown;
  for (const PastJob& job : record_.jobs) {
    std::string type = job.type;
    if (type.empty() && !job.runs.front().hosts.empty()) {
      const auto found = of_hosts.find(job.runs.front().hosts.front());
      if (found != of_hosts.end()) type = found->second;
      types_by_node_ += type.empty() ? 0 : 1;
    }
    const auto gpu = GpuFor(type);
    if (!gpu) ++unknown[type];
    site_.gpus.push_back(gpu.value_or(""));
  }
  if (unknown.empty()) return {};
  const auto worst = std::ranges::max_element(unknown, {}, &std::pair<const std::string, std::size_t>::second);
  return RefuseType(worst->first, worst->second);
}

void SiteFinder::CountUse() {
  std::map<Host, Peak> of_hosts;
  std::map<std::string, Peak> of_gpus;
  for (std::size_t i = 0; i < record_.jobs.size(); ++i) {
    const PastJob& job = record_.jobs[i];
    const std::string& gpu = site_.gpus[i];
    for (const PastRun& run : job.runs) {
      of_gpus[gpu].Add(run.span, job.gpus);
      if (run.hosts.empty()) unnamed_.insert(gpu);
      for (std::size_t h = 0; h < run.hosts.size(); ++h) {
        of_hosts[{run.hosts[h], gpu}].Add(run.span, ShareOf(job.gpus, run.hosts.size(), h));
      }
    }
  }
  for (auto& [host, peak] : of_hosts) most_used_[host] = peak.Most();
  for (auto& [gpu, peak] : of_gpus) peaks_[gpu] = peak.Most();
}

void SiteFinder::MakeGroups() {
  std::map<std::pair<std::string, std::string>, int> of_stem;  // by stem and GPU
  for (const auto& [host, gpus] : most_used_) {
    int& most = of_stem[{StemOf(host.name), host.gpu}];
    most = std::max(most, gpus);
  }
  std::map<std::pair<std::string, int>, std::size_t> groups;  // by GPU and GPUs per node
  for (const auto& [host, used] : most_used_) {
    const int gpus = of_stem[{StemOf(host.name), host.gpu}];
    raised_ += gpus > used ? 1 : 0;
    const auto [at, is_new] = groups.try_emplace({host.gpu, gpus}, site_.hardware.size());
    if (is_new) site_.hardware.push_back({host.gpu, 0, gpus});
    places_[host] = {at->second, site_.hardware[at->second].nodes++};
  }
}

// Nodes for jobs whose nodes are not told: enough for the GPUs in use at a time.
void SiteFinder::AddUnnamed() {
  for (const std::string& gpu : unnamed_) {
    const int missing = peaks_[gpu] - GpusOf(gpu);
    if (missing <= 0) continue;
    int per_node = 0;
    for (std::size_t i = 0; i < record_.jobs.size(); ++i) {
      const PastJob& job = record_.jobs[i];
      if (site_.gpus[i] == gpu && job.nodes > 0) per_node = std::max(per_node, (job.gpus + job.nodes - 1) / job.nodes);
    }
    const bool is_told = per_node > 0;
    if (!is_told) per_node = kUsualGpus;
    const int nodes = (missing + per_node - 1) / per_node;
    site_.hardware.push_back({gpu, nodes, per_node});
    site_.notes.push_back(fmt::format(
        "no names of nodes for {}: {} nodes of {} GPUs{}, for the {} in use at a time; option 'gpus' sets them", gpu,
        nodes, per_node, is_told ? "" : " (assumed)", peaks_[gpu]));
  }
}

int SiteFinder::GpusOf(const std::string& gpu) const {
  int gpus = 0;
  for (const workload::Hardware& one : site_.hardware) gpus += one.gpu == gpu ? one.nodes * one.gpus_per_node : 0;
  return gpus;
}

Status SiteFinder::CheckGiven() const {
  for (const auto& [gpu, peak] : peaks_) {
    if (peak <= GpusOf(gpu)) continue;
    return Fail(ErrorCode::kInvalidArgument, "cluster",
                fmt::format("has {} GPUs of {}, but {} were in use at a time", GpusOf(gpu), gpu, peak),
                "at least as many, or leave out option 'gpus' to take the nodes that the dump shows");
  }
  return {};
}

// Gives each named node one of the given nodes: in the group with the fewest GPUs per node that are enough.
void SiteFinder::TakeGiven() {
  std::vector<int> taken(site_.hardware.size(), 0);
  for (const auto& [host, used] : most_used_) {
    std::optional<std::size_t> best;
    for (std::size_t g = 0; g < site_.hardware.size(); ++g) {
      const workload::Hardware& one = site_.hardware[g];
      if (one.gpu != host.gpu || one.gpus_per_node < used || taken[g] == one.nodes) continue;
      if (!best || one.gpus_per_node < site_.hardware[*best].gpus_per_node) best = g;
    }
    if (best) places_[host] = {*best, taken[*best]++};
    unplaced_ += best ? 0 : 1;
  }
}

scenario::Recorded SiteFinder::RecordedOf(std::size_t job) {
  const PastJob& past = record_.jobs[job];
  const std::string& gpu = site_.gpus[job];
  scenario::Recorded recorded;
  std::set<std::size_t> groups;
  for (const PastRun& run : past.runs) {
    scenario::RecordedRun& into = recorded.runs.emplace_back(scenario::RecordedRun{run.span});
    std::set<std::size_t> of_run;
    for (std::size_t h = 0; h < run.hosts.size(); ++h) {
      const auto place = places_.find({run.hosts[h], gpu});
      if (place == places_.end()) continue;
      of_run.insert(place->second.group);
      into.nodes.push_back({place->second.node, ShareOf(past.gpus, run.hosts.size(), h)});
    }
    const bool is_whole = into.nodes.size() == run.hosts.size() && of_run.size() <= 1;
    if (!is_whole) into.nodes.clear();
    across_groups_ += of_run.size() > 1 ? 1 : 0;
    groups.insert(of_run.begin(), of_run.end());
  }
  for (std::size_t g = 0; groups.empty() && g < site_.hardware.size(); ++g) {
    const auto same = [&](const workload::Hardware& one) { return one.gpu == gpu; };
    if (site_.hardware[g].gpu == gpu && std::ranges::count_if(site_.hardware, same) == 1) groups.insert(g);
  }
  if (groups.size() == 1) {
    recorded.group = *groups.begin();
  } else {
    for (scenario::RecordedRun& run : recorded.runs) run.nodes.clear();
  }
  return recorded;
}

void SiteFinder::Tell() {
  std::vector<std::string> groups;
  for (const workload::Hardware& one : site_.hardware) {
    groups.push_back(fmt::format("{}:{}x{}", one.gpu, one.nodes, one.gpus_per_node));
  }
  if (options_.hardware.empty()) {
    site_.notes.insert(site_.notes.begin(),
                       fmt::format("nodes that the dump shows: {}; nodes that ran nothing are not in it: option 'gpus' "
                                   "sets all",
                                   fmt::join(groups, ",")));
  }
  const auto note = [&](std::size_t count, std::string text) {
    if (count > 0) site_.notes.push_back(std::move(text));
  };
  note(raised_, fmt::format("{} nodes were never fully in use: taken as other nodes of the same name", raised_));
  note(types_by_node_, fmt::format("type of GPUs taken from other jobs on the same node for {} jobs", types_by_node_));
  note(unplaced_, fmt::format("{} named nodes do not fit into option 'gpus': their jobs are packed anew", unplaced_));
  note(across_groups_, fmt::format("{} runs used nodes of several groups: packed anew", across_groups_));
}

}  // namespace

std::optional<std::string> GpuOfType(const std::string& type, const workload::Catalogue& catalogue) {
  std::string name = profile::GpuName(type);
  if (catalogue.HasGpu(name)) return name;
  // A part of a GPU is "1g.5gb" or "a100_3g.20gb".
  for (std::size_t i = 0; i + 2 < type.size(); ++i) {
    if (std::isdigit(static_cast<unsigned char>(type[i])) != 0 && type[i + 1] == 'g' && type[i + 2] == '.') return {};
  }
  std::string word;
  for (std::size_t i = 0; i <= type.size(); ++i) {
    const char c = i < type.size() ? type[i] : '_';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
      continue;
    }
    if (!word.empty() && catalogue.HasGpu(word)) return word;
    word.clear();
  }
  return std::nullopt;
}

Result<Site> SiteOf(const Record& record, const SiteOptions& options, const workload::Catalogue& catalogue,
                    const std::string& where) {
  return SiteFinder(record, options, catalogue, where).Find();
}

}  // namespace heliostat::history
