#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// What a job may do in each group: which points, and which of them is the default. The same for all jobs with equal
// model and worker limits. Refers to the site, which must outlive it. Immutable.
class Choices {
 public:
  Choices(const scenario::Site& site, const scenario::Job& job, const Capabilities& capabilities);

  const scenario::TrainingPoint& At(const RunSetting& setting) const { return (*table_[setting.group])[setting.point]; }
  // Points of the group that the job may use; empty where it cannot run.
  const std::vector<std::size_t>& In(std::size_t group) const { return points_[group]; }
  // The default: the most workers that the job may have there, with no knob turned down. Nothing where it cannot run.
  std::optional<RunSetting> Default(std::size_t group) const { return defaults_[group]; }
  // The same with exactly `workers`. Nothing where the profile has no such point.
  std::optional<RunSetting> Default(std::size_t group, int workers) const;
  // The point with the least energy per sample among those with as many workers as Default().
  std::optional<RunSetting> Thriftiest(std::size_t group) const { return thriftiest_[group]; }
  // The shortest time that the samples can take in any group, or in one. Infinite for a group where the job cannot run.
  Seconds Shortest(double samples) const { return Seconds{samples / fastest_}; }
  Seconds Shortest(double samples, std::size_t group) const;
  // Groups in which the job can run, by speed at the default, fastest first. Empty when it fits nowhere: policies then
  // ignore the job.
  const std::vector<std::size_t>& groups() const { return groups_; }

 private:
  void AddGroup(const scenario::Site& site, const scenario::Job& job, std::size_t group, bool cap_power);

  std::vector<const std::vector<scenario::TrainingPoint>*> table_;                 // [group]
  std::vector<std::unique_ptr<std::vector<scenario::TrainingPoint>>> unmeasured_;  // [group], for a job without a model
  std::vector<std::vector<std::size_t>> points_;                                   // [group]
  std::vector<std::optional<RunSetting>> defaults_;
  std::vector<std::optional<RunSetting>> thriftiest_;
  std::vector<double> fastest_in_;
  double fastest_ = 0.0;
  std::vector<std::size_t> groups_;
};

// The choices of all jobs that a policy sees. Computes each set once and keeps it. Not thread-safe.
class ChoiceTable {
 public:
  // Call before Of() in every decision. When the site or the capabilities have changed, it drops all choices.
  void Follow(const Observation& observation) { Follow(observation.site, observation.capabilities); }
  void Follow(const std::shared_ptr<const scenario::Site>& site, const Capabilities& capabilities);
  // The reference is valid until Follow() sees another site or other capabilities.
  const Choices& Of(const scenario::Job& job);

 private:
  std::shared_ptr<const scenario::Site> site_;
  Capabilities capabilities_;
  std::map<std::tuple<std::string, int, int>, std::unique_ptr<Choices>> known_;
};

// Compares power limits, then core clocks. A knob that is not set counts as highest. A default is a point than which no
// other with as many workers is higher.
bool IsHigher(const scenario::GpuSetting& a, const scenario::GpuSetting& b);
// Indices of the points with no knob turned down: no point with the same batch, or as many workers, is higher.
std::vector<std::size_t> Untouched(const std::vector<scenario::InferencePoint>& points);
std::vector<std::size_t> Untouched(const std::vector<scenario::TrainingPoint>& points);

}  // namespace heliostat::policy
