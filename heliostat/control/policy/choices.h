#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "heliostat/control/policy/observation.h"

namespace heliostat::policy {

// What a job may do in each group, worked out once for all jobs alike. Refers to the site, which must outlive it.
class Choices {
 public:
  Choices(const scenario::Site& site, const scenario::Job& job, const Capabilities& capabilities);

  const scenario::TrainingPoint& At(const RunSetting& setting) const { return (*table_[setting.group])[setting.point]; }
  // Points of the group that the job may use.
  const std::vector<std::size_t>& In(std::size_t group) const { return points_[group]; }
  // As many workers as it may have there, with nothing turned down; nothing where it cannot run.
  std::optional<RunSetting> Default(std::size_t group) const { return defaults_[group]; }
  // The same with `workers`.
  std::optional<RunSetting> Default(std::size_t group, int workers) const;
  // Least energy a sample with as many workers as Default() has.
  std::optional<RunSetting> Thriftiest(std::size_t group) const { return thriftiest_[group]; }
  // The shortest time that the samples can take anywhere, or in one group.
  Seconds Shortest(double samples) const { return Seconds{samples / fastest_}; }
  Seconds Shortest(double samples, std::size_t group) const;
  // Groups in which it can run, the fastest by default first. Empty: it fits nowhere, and policies leave it alone.
  const std::vector<std::size_t>& groups() const { return groups_; }

 private:
  void AddGroup(const scenario::Site& site, const scenario::Job& job, std::size_t group, bool cap_power);

  std::vector<const std::vector<scenario::TrainingPoint>*> table_;                 // [group]
  std::vector<std::unique_ptr<std::vector<scenario::TrainingPoint>>> unmeasured_;  // [group], of a job without a model
  std::vector<std::vector<std::size_t>> points_;                                   // [group]
  std::vector<std::optional<RunSetting>> defaults_;
  std::vector<std::optional<RunSetting>> thriftiest_;
  std::vector<double> fastest_in_;
  double fastest_ = 0.0;
  std::vector<std::size_t> groups_;
};

// All jobs' choices on the site and in the world that a policy sees.
class ChoiceTable {
 public:
  // Call before Of() in every decision: choices of a site that has changed are worked out again.
  void Follow(const Observation& observation) { Follow(observation.site, observation.capabilities); }
  void Follow(const std::shared_ptr<const scenario::Site>& site, const Capabilities& capabilities);
  const Choices& Of(const scenario::Job& job);

 private:
  std::shared_ptr<const scenario::Site> site_;
  Capabilities capabilities_;
  std::map<std::tuple<std::string, int, int>, std::unique_ptr<Choices>> known_;
};

// True when nothing is turned down further than in the other: a default is a point that no other of its kind exceeds.
bool IsHigher(const scenario::GpuSetting& a, const scenario::GpuSetting& b);
// Ways to serve with nothing turned down: points that nothing of the same batch exceeds.
std::vector<std::size_t> Untouched(const std::vector<scenario::InferencePoint>& points);

}  // namespace heliostat::policy
