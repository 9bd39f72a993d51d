#pragma once

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "heliostat/signals/provider/answer_check.h"

namespace heliostat::provider::testing {

// A value for an answer: absent becomes the mark of the format for a value that is not known, NaN is written as "NaN".
struct Point {
  Instant begin;
  std::optional<double> value;
};

// How an answer differs from the documented shape.
struct Departure {
  bool other_unit = false;  // names another unit, or scales the values where the answer names none
  bool other_zone = false;
};

// One role of one provider, and a function that writes answers in its shape.
struct ProviderCase {
  std::string name;
  AnswerRole role;
  signal::Kind kind;
  std::string zone;
  Duration step;
  std::map<std::string, std::string> environment;  // the variables with its keys
  bool says_zone = true;                           // whether answers name their zone
  // Points are in the unit of the meaning; `issued` is for shapes that contain it.
  std::function<std::string(const std::vector<Point>&, Instant issued, const Departure&)> body;
};

// Every role of every provider.
std::vector<ProviderCase> AllProviderCases();

// The name of the parameter in test listings: "energy_charts_forecast".
std::string NameOf(const ProviderCase& provider_case);
void PrintTo(const ProviderCase& provider_case, std::ostream* out);

}  // namespace heliostat::provider::testing
