#pragma once

#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "heliostat/plan/progress.h"
#include "heliostat/policy/observation.h"

namespace heliostat::policy {

// What a job may do in each group, worked out once for all jobs alike.
class Choices {
 public:
  Choices(const scenario::Scenario& site, const scenario::Job& job);

  const scenario::TrainingPoint& At(const Setting& setting) const { return table_.In(setting.group)[setting.point]; }
  // Points of the group that the job may use.
  const std::vector<std::size_t>& In(std::size_t group) const { return points_[group]; }
  // As many workers as it may have there, with nothing turned down; nothing where it cannot run.
  std::optional<Setting> Default(std::size_t group) const { return defaults_[group]; }
  // The same with `workers`.
  std::optional<Setting> Default(std::size_t group, int workers) const;
  // Least energy a sample with as many workers as Default() has.
  std::optional<Setting> Thriftiest(std::size_t group) const { return thriftiest_[group]; }
  // The shortest time that the samples can take anywhere, or in one group.
  Seconds Shortest(double samples) const { return Seconds{samples / fastest_}; }
  Seconds Shortest(double samples, std::size_t group) const;
  // Groups in which it can run, the fastest by default first.
  const std::vector<std::size_t>& groups() const { return groups_; }

 private:
  plan::TrainingTable table_;
  std::vector<std::vector<std::size_t>> points_;  // [group]
  std::vector<std::optional<Setting>> defaults_;
  std::vector<std::optional<Setting>> thriftiest_;
  std::vector<double> fastest_in_;
  double fastest_ = 0.0;
  std::vector<std::size_t> groups_;
};

// All jobs' choices. Refers to the site, which must outlive it.
class ChoiceBook {
 public:
  explicit ChoiceBook(const scenario::Scenario& site) : site_(site) {}
  const Choices& Of(const scenario::Job& job);

 private:
  const scenario::Scenario& site_;
  std::map<std::tuple<std::string, int, int>, std::unique_ptr<Choices>> known_;
};

// True when nothing is turned down further than in the other: a default is a point that no other of its kind exceeds.
bool IsHigher(const scenario::Knob& a, const scenario::Knob& b);
// Ways to serve with nothing turned down: points that nothing of the same batch exceeds.
std::vector<std::size_t> Untouched(const std::vector<scenario::InferencePoint>& points);

}  // namespace heliostat::policy
