#pragma once

#include <memory>
#include <vector>

#include "heliostat/price/prices.h"

namespace heliostat::price {

// The linear programme over schedules found so far: which mixture of them, and how many nodes on, costs least. Its dual
// values are the prices. Jobs whose windows lie close together share one mixture, which keeps the programme small when
// there are thousands.
class Master {
 public:
  explicit Master(const Model& model);
  ~Master();

  // Adds what everybody would do as one more ingredient of each mixture.
  void Add(const std::vector<const Schedule*>& schedules, const std::vector<std::vector<std::size_t>>& options);

  // Solves, from where it stopped last time. False when the library fails, which no input should bring about.
  bool Solve();
  double value() const { return value_; }
  const Prices& prices() const { return prices_; }

 private:
  struct Programme;
  void AddNodes();
  void AddEnergy();
  void AddJobs(const std::vector<const Schedule*>& schedules);
  void AddServices(const std::vector<std::vector<std::size_t>>& options);

  const Model& model_;
  std::vector<std::size_t> cluster_;  // of each job
  std::size_t clusters_ = 0;
  std::unique_ptr<Programme> programme_;
  double value_ = 0.0;
  Prices prices_;
};

}  // namespace heliostat::price
