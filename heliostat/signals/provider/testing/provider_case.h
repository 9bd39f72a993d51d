#pragma once

#include <functional>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "heliostat/signals/provider/answer_check.h"

namespace heliostat::provider::testing {

// A value for an answer: absent is the format's "nobody knows", NaN is written out as "NaN".
struct Point {
  Instant begin;
  std::optional<double> value;
};

// How an answer departs from the documented shape.
struct Departure {
  bool other_unit = false;  // says another unit, or scales where none is said
  bool other_zone = false;
};

// One role of one provider, and how to write answers in its shape.
struct ProviderCase {
  std::string name;
  AnswerRole role;
  signal::Kind kind;
  std::string zone;
  Duration step;
  std::map<std::string, std::string> environment;  // its keys
  bool says_zone = true;
  // Points are in the unit of the meaning; `issued` is for shapes that say it.
  std::function<std::string(const std::vector<Point>&, Instant issued, const Departure&)> body;
};

// Every role of every provider.
std::vector<ProviderCase> AllProviderCases();

// The parameter's name in test listings: "energy_charts_forecast".
std::string NameOf(const ProviderCase& provider_case);
void PrintTo(const ProviderCase& provider_case, std::ostream* out);

}  // namespace heliostat::provider::testing
