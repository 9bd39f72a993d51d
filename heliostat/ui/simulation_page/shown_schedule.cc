#include "heliostat/ui/simulation_page/shown_schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "heliostat/ui/report/gantt_chart.h"
#include "heliostat/ui/report/plan_tables.h"
#include "heliostat/ui/simulation_page/json_text.h"

namespace heliostat::simulation_page {
namespace {

const scenario::TrainingPoint& PointOf(const scenario::Scenario& scenario, std::size_t job,
                                       const plan::Segment& segment) {
  const scenario::Group& group = scenario.groups[segment.group];
  return scenario.training.Of(scenario.jobs[job].model, group.gpu)[segment.point];
}

std::pair<int, std::string> SettingOf(const scenario::Scenario& scenario, std::size_t job,
                                      const plan::Segment& segment) {
  const scenario::TrainingPoint& point = PointOf(scenario, job, segment);
  return {point.workers,
          fmt::format("{} in {}", report::SettingText(point.workers, point.knob), scenario.groups[segment.group].name)};
}

// The energy of a job under the policy that used the most for it.
Joules MostEnergy(const sim::Comparison& comparison, std::size_t job) {
  Joules most;
  for (const sim::SimulatedRun& run : comparison.runs) most = std::max(most, run.jobs[job].energy);
  return most;
}

std::size_t SegmentsOf(const sim::Comparison& comparison, std::size_t job) {
  std::size_t count = 0;
  for (const sim::SimulatedRun& run : comparison.runs) count += run.jobs[job].plan.segments.size();
  return count;
}

void AppendNumber(std::int64_t number, std::string& list) {
  if (!list.empty()) list += ',';
  list += fmt::format("{}", number);
}

}  // namespace

ShownSchedule::ShownSchedule(const scenario::Scenario& scenario, const sim::Comparison& comparison,
                             const ScheduleLimits& limits)
    : scenario_(scenario), comparison_(comparison) {
  ChooseJobs(limits);
  ChooseNodes(limits);
  CollectSettings();
}

void ShownSchedule::ChooseJobs(const ScheduleLimits& limits) {
  jobs_.resize(scenario_.jobs.size());
  std::iota(jobs_.begin(), jobs_.end(), std::size_t{0});
  std::vector<Joules> energy;
  for (const std::size_t job : jobs_) energy.push_back(MostEnergy(comparison_, job));
  std::ranges::stable_sort(jobs_, [&](std::size_t a, std::size_t b) { return energy[a] > energy[b]; });
  std::size_t pieces = 0;
  std::size_t kept = 0;
  while (kept < std::min(jobs_.size(), limits.jobs)) {
    pieces += SegmentsOf(comparison_, jobs_[kept]);
    if (pieces > limits.pieces) break;
    ++kept;
  }
  jobs_.resize(kept);
  std::ranges::sort(jobs_, [&](std::size_t a, std::size_t b) {
    return std::pair(scenario_.jobs[a].submit, a) < std::pair(scenario_.jobs[b].submit, b);
  });
}

void ShownSchedule::ChooseNodes(const ScheduleLimits& limits) {
  for (std::size_t g = 0; g < scenario_.groups.size(); ++g) {
    for (int n = 0; n < scenario_.groups[g].nodes && nodes_.size() < limits.nodes; ++n) nodes_.push_back({g, n});
  }
}

void ShownSchedule::CollectSettings() {
  std::set<std::pair<int, std::string>> found;
  for (const sim::SimulatedRun& run : comparison_.runs) {
    for (const std::size_t job : jobs_) {
      for (const plan::Segment& segment : run.jobs[job].plan.segments) found.insert(SettingOf(scenario_, job, segment));
    }
  }
  for (const auto& [workers, text] : found) settings_.push_back({text, workers});
}

std::vector<ShownSchedule::Piece> ShownSchedule::PiecesOf(const sim::SimulatedRun& run, std::size_t job) const {
  std::vector<Piece> pieces;
  for (const plan::Segment& segment : run.jobs[job].plan.segments) {
    const auto wanted = SettingOf(scenario_, job, segment);
    const auto found = std::ranges::lower_bound(
        settings_, wanted, {}, [](const Setting& setting) { return std::pair(setting.workers, setting.text); });
    const auto setting = static_cast<std::size_t>(found - settings_.begin());
    // A decision ends a segment even if it changes nothing. Such segments are joined to one bar.
    if (!pieces.empty() && pieces.back().span.end == segment.span.begin && pieces.back().setting == setting) {
      pieces.back().span.end = segment.span.end;
    } else if (!segment.span.empty()) {
      pieces.push_back({segment.span, setting});
    }
  }
  return pieces;
}

std::string ShownSchedule::NodeData(const sim::SimulatedRun& run) const {
  std::map<std::pair<std::size_t, int>, std::int64_t> rows;
  for (const Node& node : nodes_)
    rows.emplace(std::pair(node.group, node.node), static_cast<std::int64_t>(rows.size()));
  std::string down;
  for (const sim::NodeSpan& span : run.node_spans) {
    const auto row = rows.find({span.group, span.node});
    if (row == rows.end() || span.state == sim::NodeState::kUp || span.span.empty()) continue;
    AppendNumber(row->second, down);
    AppendNumber(Since(span.span.begin), down);
    AppendNumber(span.span.length().count(), down);
    AppendNumber(span.state == sim::NodeState::kWaking ? 1 : span.state == sim::NodeState::kAsleep ? 2 : 3, down);
  }
  return down;
}

std::string ShownSchedule::RunData(const sim::SimulatedRun& run) const {
  std::string done;
  std::string pieces;
  for (std::size_t row = 0; row < jobs_.size(); ++row) {
    const sim::JobRun& job = run.jobs[jobs_[row]];
    AppendNumber(job.finish ? Since(*job.finish) : -1, done);
    for (const Piece& piece : PiecesOf(run, jobs_[row])) {
      AppendNumber(static_cast<std::int64_t>(row), pieces);
      AppendNumber(Since(piece.span.begin), pieces);
      AppendNumber(piece.span.length().count(), pieces);
      AppendNumber(static_cast<std::int64_t>(piece.setting), pieces);
    }
  }
  return fmt::format("{{\"done\":[{}],\"pieces\":[{}],\"down\":[{}]}}", done, pieces, NodeData(run));
}

std::string ShownSchedule::Data() const {
  const auto list = [](std::string& all, const std::string& one) { all += (all.empty() ? "" : ",") + one; };
  std::string jobs;
  for (const std::size_t index : jobs_) {
    const scenario::Job& job = scenario_.jobs[index];
    list(jobs, fmt::format("[{},{},{},{}]", JsonText(job.id), JsonText(job.model), Since(job.submit),
                           job.deadline ? Since(*job.deadline) : -1));
  }
  std::string settings;
  for (const Setting& setting : settings_) {
    list(settings, fmt::format("[{},{}]", JsonText(setting.text), setting.workers));
  }
  std::string nodes;
  for (const Node& node : nodes_) {
    list(nodes, JsonText(fmt::format("{} {}", scenario_.groups[node.group].name, node.node + 1)));
  }
  std::string runs;
  for (const sim::SimulatedRun& run : comparison_.runs) list(runs, RunData(run));
  return fmt::format("{{\"start\":{},\"end\":{},\"jobs\":[{}],\"settings\":[{}],\"nodes\":[{}],\"runs\":[{}]}}",
                     scenario_.start.time_since_epoch().count(), scenario_.end().time_since_epoch().count(), jobs,
                     settings, nodes, runs);
}

std::string ShownSchedule::Picture(std::size_t run, std::size_t most) const {
  std::set<int> counts;
  for (const Setting& setting : settings_) counts.insert(setting.workers);
  report::GanttChart chart;
  chart.title = fmt::format("Jobs under {}", comparison_.runs[run].policy);
  chart.shade_name = "workers";
  for (const int count : counts) chart.shades.push_back(fmt::format("{}", count));
  chart.span = scenario_.horizon();
  for (std::size_t i = 0; i < std::min(most, jobs_.size()); ++i) {
    const scenario::Job& job = scenario_.jobs[jobs_[i]];
    report::GanttRow row{job.id, Interval{job.submit, job.deadline.value_or(scenario_.end())}, {}};
    for (const Piece& piece : PiecesOf(comparison_.runs[run], jobs_[i])) {
      const Setting& setting = settings_[piece.setting];
      const auto shade = std::distance(counts.begin(), counts.find(setting.workers));
      row.bars.push_back({piece.span, static_cast<std::size_t>(shade), fmt::format("{}: {}", job.id, setting.text)});
    }
    chart.rows.push_back(std::move(row));
  }
  return Render(chart).value_or("");
}

}  // namespace heliostat::simulation_page
