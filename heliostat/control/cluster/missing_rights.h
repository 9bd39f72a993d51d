#pragma once

#include <set>
#include <string_view>

namespace heliostat::cluster {

enum class Right { kJobs, kNegativeNice, kNodes, kReservations };
std::string_view NameOf(Right right);

// The rights that the cluster has refused to us. Each is told once in the log.
class MissingRights {
 public:
  bool Has(Right right) const { return rights_.contains(right); }
  void Add(Right right, std::string_view words);
  void Clear() { rights_.clear(); }

 private:
  std::set<Right> rights_;
  std::set<Right> told_;
};

}  // namespace heliostat::cluster
